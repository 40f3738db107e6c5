// SPDX-License-Identifier: GPL-2.0-only
//
// Classes of Bochs' opcodes, by their names and instruction set extensions; their micro-ops on
// the P6; and whether an MMX instruction saturated.

#include "bochs.h"
#include "cpu/cpu.h"
#include "cpu/decoder/ia_opcodes.h"

#if BX_INSTRUMENTATION

#include <string.h>

#include "classes.h"
#include "pmu.h"

static const unsigned extension[BX_IA_LAST] = {
#define bx_define_opcode(a, b, c, d, e, isa, s1, s2, s3, s4, g) isa,
#include "cpu/decoder/ia_opcodes.def"
#undef bx_define_opcode
};

static bool starts_with(const char *name, const char *prefix)
{
  return !strncmp(name, prefix, strlen(prefix));
}

struct prefix {
  const char *text;
  unsigned classes;
};

// The first matching prefix applies.
static unsigned by_prefix(const char *name, const struct prefix *list)
{
  for (; list->text; list++)
    if (starts_with(name, list->text))
      return list->classes;
  return 0;
}

static const struct prefix general[] = {
  { "MUL_", PMU_CLASS_INT_MUL },
  { "IMUL_", PMU_CLASS_INT_MUL },
  { "DIV_", PMU_CLASS_INT_DIV },
  { "IDIV_", PMU_CLASS_INT_DIV },
  { "XCHG_E", PMU_CLASS_LOCKED },
  { "HLT", PMU_CLASS_HALT },
  { "MOV_SwEw", PMU_CLASS_SEGMENT },
  { "POP_Op16_Sw", PMU_CLASS_SEGMENT },
  { "POP_Op32_Sw", PMU_CLASS_SEGMENT },
  { "POP_Op64_Sw", PMU_CLASS_SEGMENT },
  { "LDS_", PMU_CLASS_SEGMENT },
  { "LES_", PMU_CLASS_SEGMENT },
  { "LFS_", PMU_CLASS_SEGMENT },
  { "LGS_", PMU_CLASS_SEGMENT },
  { "LSS_", PMU_CLASS_SEGMENT },
  // SDM Vol. 3A, "Serializing Instructions"; IRET is not listed: it is reported as a branch.
  { "LGDT_", PMU_CLASS_SYSTEM_SEGMENT | PMU_CLASS_SERIAL },
  { "LIDT_", PMU_CLASS_SYSTEM_SEGMENT | PMU_CLASS_SERIAL },
  { "LLDT_", PMU_CLASS_SYSTEM_SEGMENT | PMU_CLASS_SERIAL },
  { "LTR_", PMU_CLASS_SYSTEM_SEGMENT | PMU_CLASS_SERIAL },
  { "MOV_CR", PMU_CLASS_SERIAL },
  { "MOV_Dd", PMU_CLASS_SERIAL },
  { "MOV_Dq", PMU_CLASS_SERIAL },
  { "INVD", PMU_CLASS_SERIAL },
  { "WBINVD", PMU_CLASS_SERIAL },
  { "INVLPG", PMU_CLASS_SERIAL },
  { "CPUID", PMU_CLASS_SERIAL },
  { "WRMSR", PMU_CLASS_SERIAL },
  { "RSM", PMU_CLASS_SERIAL },
  { "VERR_", PMU_CLASS_SERIAL },
  { "VERW_", PMU_CLASS_SERIAL },
  { NULL, 0 }
};

static const struct prefix x87[] = {
  { "FADD", PMU_CLASS_FP_ADD },
  { "FIADD", PMU_CLASS_FP_ADD },
  { "FSUB", PMU_CLASS_FP_ADD },
  { "FISUB", PMU_CLASS_FP_ADD },
  { "FMUL", PMU_CLASS_FP_MUL },
  { "FIMUL", PMU_CLASS_FP_MUL },
  { "FDIV", PMU_CLASS_FP_DIV },
  { "FIDIV", PMU_CLASS_FP_DIV },
  { "FPREM", PMU_CLASS_FP_DIV },
  { "FSQRT", PMU_CLASS_FP_DIV },
  { "FCOM", PMU_CLASS_FP_COMPARE },
  { "FUCOM", PMU_CLASS_FP_COMPARE },
  { "FICOM", PMU_CLASS_FP_COMPARE },
  { "FTST", PMU_CLASS_FP_COMPARE },
  { "F2XM1", PMU_CLASS_FP_OTHER },
  { "FYL2X", PMU_CLASS_FP_OTHER },
  { "FPTAN", PMU_CLASS_FP_OTHER },
  { "FPATAN", PMU_CLASS_FP_OTHER },
  { "FSIN", PMU_CLASS_FP_OTHER },
  { "FCOS", PMU_CLASS_FP_OTHER },
  { NULL, 0 }
};

static const struct prefix mmx[] = {
  { "EMMS", PMU_CLASS_EMMS },
  { "PMUL", PMU_CLASS_MMX_MUL },
  { "PMADD", PMU_CLASS_MMX_MUL },
  { "PSLL", PMU_CLASS_MMX_SHIFT },
  { "PSRL", PMU_CLASS_MMX_SHIFT },
  { "PSRA", PMU_CLASS_MMX_SHIFT },
  { "PACK", PMU_CLASS_MMX_PACK | PMU_CLASS_MMX_SATURATING },
  { "PUNPCK", PMU_CLASS_MMX_UNPACK },
  { "PAND", PMU_CLASS_MMX_LOGICAL },
  { "POR", PMU_CLASS_MMX_LOGICAL },
  { "PXOR", PMU_CLASS_MMX_LOGICAL },
  { "PADDS", PMU_CLASS_MMX_ARITHMETIC | PMU_CLASS_MMX_SATURATING },
  { "PADDUS", PMU_CLASS_MMX_ARITHMETIC | PMU_CLASS_MMX_SATURATING },
  { "PSUBS", PMU_CLASS_MMX_ARITHMETIC | PMU_CLASS_MMX_SATURATING },
  { "PSUBUS", PMU_CLASS_MMX_ARITHMETIC | PMU_CLASS_MMX_SATURATING },
  { "PADD", PMU_CLASS_MMX_ARITHMETIC },
  { "PSUB", PMU_CLASS_MMX_ARITHMETIC },
  { "PCMP", PMU_CLASS_MMX_ARITHMETIC },
  { NULL, 0 }
};

static const struct prefix computing[] = {
  { "ADD", 1 }, { "SUB", 1 }, { "MUL", 1 }, { "DIV", 1 }, { "SQRT", 1 },
  { "RCP", 1 }, { "RSQRT", 1 }, { "MAX", 1 }, { "MIN", 1 }, { "CMP", 1 },
  { "COMI", 1 }, { "UCOMI", 1 }, { NULL, 0 }
};

static unsigned sse(const char *name)
{
  unsigned classes = 0;

  if (strstr(name, "SS_") || strstr(name, "_Vss") || strstr(name, "Wss"))
    classes = PMU_CLASS_SSE_SCALAR;
  else if (strstr(name, "PS_") || strstr(name, "ps"))
    classes = PMU_CLASS_SSE;
  if (classes && by_prefix(name, computing))
    classes |= PMU_CLASS_SSE_COMPUTE;
  return classes;
}

unsigned glue_classes(unsigned opcode)
{
  const char *name = get_bx_opcode_name(opcode);

  if (!starts_with(name, "BX_IA_"))
    return 0;
  name += 6;
  switch (extension[opcode]) {
  case BX_ISA_X87:
    if (starts_with(name, "FWAIT") || starts_with(name, "FPLEGACY"))
      return 0;
    return PMU_CLASS_FP | by_prefix(name, x87);
  case BX_ISA_MMX:
    return PMU_CLASS_MMX | by_prefix(name, mmx);
  case BX_ISA_SSE:
    return sse(name);
  case BX_ISA_P6:
    if (name[0] == 'F')         // FCMOVcc, FCOMI, FUCOMI
      return PMU_CLASS_FP | by_prefix(name, x87);
  }
  return by_prefix(name, general);
}

bool glue_does_io(unsigned opcode)
{
  static const struct prefix io[] = {
    { "BX_IA_IN_", 1 }, { "BX_IA_OUT_", 1 }, { "BX_IA_REP_INS", 1 },
    { "BX_IA_REP_OUTS", 1 }, { NULL, 0 }
  };

  return by_prefix(get_bx_opcode_name(opcode), io);
}

// ---------------------------------------------------------------------------
// Micro-ops on the P6 family

static const char *const operands[BX_IA_LAST][4] = {
#define bx_define_opcode(a, b, c, d, e, isa, s1, s2, s3, s4, g) { #s1, #s2, #s3, #s4 },
#include "cpu/decoder/ia_opcodes.def"
#undef bx_define_opcode
};

// The operand without its prefix "OP_"
static const char *code_of(const char *operand)
{
  return operand + 3;
}

static bool is_operand(const char *operand)
{
  return starts_with(operand, "OP_") && strcmp(operand, "OP_NONE");
}

// Whether it can be in memory: ModR/M selects it.
static bool is_modrm(const char *code)
{
  return strchr("EMQW", code[0]) && !starts_with(code, "EAX");
}

void glue_uops(unsigned opcode, struct pmu_uops uops[2])
{
  const char *name = get_intel_disasm_opcode_name(opcode);
  char list[64] = "", rep[32];
  bool modrm = false, direct = false;

  for (const char *operand : operands[opcode]) {
    if (!is_operand(operand))
      continue;
    modrm |= is_modrm(code_of(operand));
    direct |= code_of(operand)[0] == 'O';
    snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%s", *list ? "," : "",
             code_of(operand));
  }
  pmu_p6_uops(&uops[0], name, list, direct);
  pmu_p6_uops(&uops[1], name, list, direct || modrm);
  if (glue_repeats(opcode)) {
    snprintf(rep, sizeof(rep), "rep %s", name);
    pmu_p6_uops(&uops[1], rep, list, false);
  }
}

bool glue_repeats(unsigned opcode)
{
  return starts_with(get_bx_opcode_name(opcode), "BX_IA_REP_");
}

// ---------------------------------------------------------------------------
// Saturation: whether a result differs from the one without saturation

static int field(Bit64u v, unsigned bits, unsigned n, bool is_signed)
{
  Bit64u raw = v >> (bits * n) & ((1ULL << bits) - 1);

  if (is_signed && raw >> (bits - 1))
    return (int) ((Bit64s) raw - (1LL << bits));
  return (int) raw;
}

static bool fits(int value, unsigned bits, bool is_signed)
{
  int low = is_signed ? -(1 << (bits - 1)) : 0;
  int high = is_signed ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;

  return value >= low && value <= high;
}

static bool sums_fit(Bit64u a, Bit64u b, unsigned bits, bool is_signed, int sign)
{
  for (unsigned n = 0; n < 64 / bits; n++)
    if (!fits(field(a, bits, n, is_signed) + sign * field(b, bits, n, is_signed), bits, is_signed))
      return false;
  return true;
}

// Whether signed fields fit into fields of half their size.
static bool packs_fit(Bit64u a, Bit64u b, unsigned bits, bool is_signed)
{
  for (unsigned n = 0; n < 64 / bits; n++) {
    long long x = bits == 32 ? (Bit32s) (a >> (32 * n)) : field(a, bits, n, true);
    long long y = bits == 32 ? (Bit32s) (b >> (32 * n)) : field(b, bits, n, true);

    if (!fits((int) x, bits / 2, is_signed) || !fits((int) y, bits / 2, is_signed))
      return false;
  }
  return true;
}

bool glue_saturates(unsigned opcode, Bit64u a, Bit64u b)
{
  switch (opcode) {
  case BX_IA_PADDSB_PqQq: return !sums_fit(a, b, 8, true, 1);
  case BX_IA_PADDSW_PqQq: return !sums_fit(a, b, 16, true, 1);
  case BX_IA_PADDUSB_PqQq: return !sums_fit(a, b, 8, false, 1);
  case BX_IA_PADDUSW_PqQq: return !sums_fit(a, b, 16, false, 1);
  case BX_IA_PSUBSB_PqQq: return !sums_fit(a, b, 8, true, -1);
  case BX_IA_PSUBSW_PqQq: return !sums_fit(a, b, 16, true, -1);
  case BX_IA_PSUBUSB_PqQq: return !sums_fit(a, b, 8, false, -1);
  case BX_IA_PSUBUSW_PqQq: return !sums_fit(a, b, 16, false, -1);
  case BX_IA_PACKSSWB_PqQq: return !packs_fit(a, b, 16, true);
  case BX_IA_PACKSSDW_PqQq: return !packs_fit(a, b, 32, true);
  case BX_IA_PACKUSWB_PqQq: return !packs_fit(a, b, 16, false);
  default: return false;
  }
}

#endif
