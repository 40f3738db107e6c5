// SPDX-License-Identifier: GPL-2.0-only
//
// Glue between Bochs' instrumentation hooks and the PMU model. Also corrects Bochs' CPUID, SYSRET
// and a microcode revision, and records coverage for "make mutate".
// ../pmu/README.md defines what counts.

#include "bochs.h"
#include "cpu/cpu.h"
#include "pc_system.h"
#include "cpu/cpuid.h"
#include "cpu/apic.h"
#include "memory/memory-bochs.h"
#include "cpu/decoder/ia_opcodes.h"
#include "gui/siminterface.h"
#include "param_names.h"

#if BX_INSTRUMENTATION

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

#include "classes.h"
#include "pmu.h"

#define LOG_THIS BX_CPU(0)->

unsigned char glue_kind[BX_IA_LAST + 1];
unsigned char glue_report[GLUE_MAX_CPUS];
unsigned char glue_branches[GLUE_MAX_CPUS];
unsigned char glue_accesses[GLUE_MAX_CPUS];
unsigned char glue_tables[GLUE_MAX_CPUS];
int glue_io = -1;
unsigned char glue_priv[4];
Bit64s *glue_left[GLUE_MAX_CPUS];

// State that a hook keeps for a later hook of the same instruction.
struct glue_cpu {
  unsigned priv, cpl;   // at the start of a special instruction
  Bit32u eax, ecx;      // before CPUID and RDPMC
  Bit64u rcx;           // before RDPMC
  bool rcx_taken;       // RCX is replaced and must be restored
  bool wrmsr;           // a WRMSR is executing
  bool counted;         // the model has already counted it
  bool rep;             // a string instruction did a round
  bx_address rep_end;   // RIP after the last round
  int info, error;      // Bochs' actions for its messages, to be restored
  bool quiet;           // these actions are disabled now
  bool tables;          // the instruction may write to a descriptor table by itself
  bool delivered;       // an interrupt or exception, since the last instruction
  bool split;           // an access continues on the next page
  unsigned fpu_status;  // flags that were set before an x87 instruction
  bool fpu_taken;       // these flags are cleared now and must be restored
  Bit64u operand;       // first operand of an MMX instruction that can saturate
  bx_phy_address read;  // address that the instruction read
  Bit32u cr0, cr4;
};

static struct glue_cpu state[GLUE_MAX_CPUS];
static unsigned classes_of[BX_IA_LAST + 1];
static struct pmu_uops uops_of[BX_IA_LAST + 1][2];
static bool repeats[BX_IA_LAST + 1];
static bool irets[BX_IA_LAST + 1];
static struct pmu *pmu;

static inline struct pmu_cpu *counters(unsigned cpu)
{
  return pmu_get_cpu(pmu, cpu);
}

static inline unsigned privilege(unsigned cpu)
{
  return glue_priv[BX_CPU(cpu)->get_cpl()];
}

// Bochs logs each access to an unknown register, and knows none of the PMU's: disable its
// messages during the instruction.
static void disable_messages(unsigned cpu)
{
  state[cpu].info = BX_CPU(cpu)->getonoff(LOGLEV_INFO);
  state[cpu].error = BX_CPU(cpu)->getonoff(LOGLEV_ERROR);
  state[cpu].quiet = true;
  BX_CPU(cpu)->setonoff(LOGLEV_INFO, ACT_IGNORE);
  BX_CPU(cpu)->setonoff(LOGLEV_ERROR, ACT_IGNORE);
}

// The instruction has ended, with or without a fault.
static void end_instruction(unsigned cpu)
{
  struct glue_cpu *s = &state[cpu];

  if (s->quiet) {
    BX_CPU(cpu)->setonoff(LOGLEV_INFO, s->info);
    BX_CPU(cpu)->setonoff(LOGLEV_ERROR, s->error);
  }
  if (s->rcx_taken)
    BX_CPU(cpu)->set_reg64(BX_64BIT_REG_RCX, s->rcx);
  if (s->fpu_taken)
    BX_CPU(cpu)->the_i387.swd |= s->fpu_status;
  s->quiet = s->rcx_taken = s->wrmsr = s->counted = s->rep = s->fpu_taken = false;
  glue_io = -1;
}

static void general_protection(unsigned cpu)
{
  BX_CPU(cpu)->exception(BX_GP_EXCEPTION, 0); // does not return
}

// ---------------------------------------------------------------------------
// Corrections of Bochs' CPUID: what the emulator, or the part, does not have

struct cpuid_fix {
  const char *model;
  Bit32u leaf, subleaf;
  unsigned reg;         // 0 to 3: EAX, EBX, ECX, EDX
  Bit32u clear, set;
};

static const struct cpuid_fix fixes[] = {
  // Bochs reports model 4 for both Pentiums: this one is a P54C.
  { "pentium", 1, 0, 0, 0xff, 0x2c },
  // A local APIC: these parts have one, and sampling needs it.
  { "p2_klamath", 1, 0, 3, 0, 1u << 9 },
  { "p3_katmai", 1, 0, 3, 0, 1u << 9 },
  // POPCNT: Bochs raises #UD for it on this model.
  { "phenom_8650_toliman", 1, 0, 2, 1u << 23, 0 },
  // FSRM (fast short REP MOVSB): IA32_MISC_ENABLE reads without its fast-strings bit. Linux
  // then disables ERMS but not FSRM, and its memmove copies wrongly with only one of them.
  // Bochs has no fast strings.
  { "corei7_icelake_u", 7, 0, 3, 1u << 4, 0 },
  { "tigerlake", 7, 0, 3, 1u << 4, 0 },
  { "sapphire_rapids", 7, 0, 3, 1u << 4, 0 },
  { "arrow_lake", 7, 0, 3, 1u << 4, 0 },
  // AMX-BF16, AMX-TILE and AMX-INT8: Bochs has no XFD, so Linux sets half of AMX's bits in
  // XCR0, which faults.
  { "sapphire_rapids", 7, 0, 3, 1u << 22 | 1u << 24 | 1u << 25, 0 },
};

// Registers unrelated to counters that make Linux print errors: a microcode revision without the
// fix for Sandy Bridge's PEBS.
struct msr_fix {
  const char *model;
  Bit32u msr;
  Bit64u value;
};

static const struct msr_fix msr_fixes[] = {
  // IA32_BIOS_SIGN_ID: the last revision that Intel published
  { "corei7_sandy_bridge_2600k", 0x8b, 0x2fULL << 32 },
};

static bool fix_msr(Bit32u msr, uint64_t *value)
{
  const char *model = BX_CPU(0)->cpuid->get_name();

  for (const struct msr_fix &m : msr_fixes) {
    if (m.msr != msr || strcmp(m.model, model))
      continue;
    *value = m.value;
    return true;
  }
  return false;
}

// The option --cpuid: PMCDRV_CPUID, "LEAF.REGISTER=VALUE" in hexadecimal, separated by commas:
// "1.eax=612". It applies to every subleaf.
static std::vector<cpuid_fix> cpuid_options;

// The options are invalid: end. `run` prints the end of the log.
static void reject_options(const char *error)
{
  fprintf(stderr, "%s\n", error);
  BX_INFO(("%s", error));
  exit(1);
}

static bool parse_cpuid_option(const char *word)
{
  static const char *const registers[] = { "eax", "ebx", "ecx", "edx" };
  struct cpuid_fix m = { NULL, 0, 0, 0, ~0u, 0 };
  char name[4];
  int end = 0;

  if (sscanf(word, "%x.%3[a-ex]=%x%n", &m.leaf, name, &m.set, &end) != 3 || word[end])
    return false;
  for (m.reg = 0; m.reg < 4; m.reg++)
    if (!strcmp(name, registers[m.reg])) {
      cpuid_options.push_back(m);
      return true;
    }
  return false;
}

static void parse_cpuid_options()
{
  const char *text = getenv("PMCDRV_CPUID");
  char error[256];
  char *copy = strdup(text ? text : ""), *rest = copy, *word;

  while ((word = strsep(&rest, ",")))
    if (*word && !parse_cpuid_option(word)) {
      snprintf(error, sizeof(error),
               "PMCDRV_CPUID: '%s' is not LEAF.REGISTER=VALUE, as in 1.eax=612", word);
      reject_options(error);
    }
  free(copy);
}

static void fix_cpuid(Bit32u leaf, Bit32u subleaf, Bit32u regs[4])
{
  const char *model = BX_CPU(0)->cpuid->get_name();

  for (const struct cpuid_fix &m : fixes)
    if (!strcmp(m.model, model) && m.leaf == leaf && m.subleaf == (leaf == 7 ? subleaf : 0))
      regs[m.reg] = (regs[m.reg] & ~m.clear) | m.set;
  for (const struct cpuid_fix &m : cpuid_options)
    if (m.leaf == leaf)
      regs[m.reg] = m.set;
}

// Bochs' SYSRET keeps the hidden part of SS, like AMD's. Intel's loads a flat segment (SDM
// Volume 2B, SYSRET). Otherwise a 32-bit program continues with a 16-bit stack pointer if SS
// was null in the kernel.
static bool intel;

static void detect_vendor()
{
  cpuid_function_t leaf;

  BX_CPU(0)->cpuid->get_cpuid_leaf(0, 0, &leaf);
  intel = leaf.ebx == 0x756e6547; // "Genu"
}

static void after_sysret(unsigned cpu)
{
  bx_segment_reg_t *ss = &BX_CPU(cpu)->sregs[BX_SEG_REG_SS];

  if (!intel)
    return;
  ss->cache.u.segment.base = 0;
  ss->cache.u.segment.limit_scaled = 0xffffffff;
  ss->cache.u.segment.g = 1;
  ss->cache.u.segment.d_b = 1;
  ss->cache.u.segment.avl = 0;
}

static void after_cpuid(unsigned cpu)
{
  BX_CPU_C *c = BX_CPU(cpu);
  Bit32u regs[4] = {
    c->get_reg32(BX_32BIT_REG_EAX), c->get_reg32(BX_32BIT_REG_EBX),
    c->get_reg32(BX_32BIT_REG_ECX), c->get_reg32(BX_32BIT_REG_EDX),
  };

  fix_cpuid(state[cpu].eax, state[cpu].ecx, regs);
  pmu_cpuid(counters(cpu), state[cpu].eax, state[cpu].ecx, regs);
  c->set_reg64(BX_64BIT_REG_RAX, regs[0]);
  c->set_reg64(BX_64BIT_REG_RBX, regs[1]);
  c->set_reg64(BX_64BIT_REG_RCX, regs[2]);
  c->set_reg64(BX_64BIT_REG_RDX, regs[3]);
}

// ---------------------------------------------------------------------------
// Callbacks of the model

static void machine_cpuid(void *, uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
  cpuid_function_t f;

  BX_CPU(0)->cpuid->get_cpuid_leaf(leaf, subleaf, &f);
  regs[0] = f.eax;
  regs[1] = f.ebx;
  regs[2] = f.ecx;
  regs[3] = f.edx;
  fix_cpuid(leaf, subleaf, regs);
}

// SDM Vol. 3A "Local Vector Table": delivery sets the mask bit of the performance entry; while
// it is set, nothing is delivered. AMD's local APIC does not set it.
static void deliver_pmi(unsigned cpu)
{
  bx_local_apic_c *lapic = BX_CPU(cpu)->lapic;
  Bit32u entry = lapic->read_aligned(BX_LAPIC_LVT_PERFMON);
  unsigned mode = entry >> 8 & 7;

  if (entry & 0x10000)
    return;
  if (pmu_masks_lvtpc(pmu))
    lapic->set_lvt_entry(BX_LAPIC_LVT_PERFMON, entry | 0x10000);
  if (mode == APIC_DM_NMI)
    BX_CPU(cpu)->deliver_NMI(); // as deliver() does, without its log line
  else
    lapic->deliver(entry & 0xff, mode, 0);
}

static struct {
  int timer;
  bool registered;
  bool coming;
} late_pmis[BX_MAX_SMP_THREADS_SUPPORTED];

static void late_pmi(void *cpu)
{
  late_pmis[(uintptr_t) cpu].coming = false;
  deliver_pmi((uintptr_t) cpu);
}

// A pending interrupt covers later ones: the local APIC has no queue.
static void machine_pmi(void *, unsigned cpu, unsigned late)
{
  auto *l = &late_pmis[cpu];

  if (!late)
    return deliver_pmi(cpu);
  if (l->coming)
    return;
  if (!l->registered)
    l->timer = bx_pc_system.register_timer_ticks((void *) (uintptr_t) cpu, late_pmi, late,
                                                 0, 0, "pmi");
  l->registered = true;
  l->coming = true;
  bx_pc_system.activate_timer_ticks(l->timer, late, 0);
}

// Takes a tenth of a second, so this runs only when an event of the P6 counts micro-ops.
static void learn_uops()
{
  static bool done;

  for (unsigned opcode = 0; !done && opcode < BX_IA_LAST; opcode++) {
    repeats[opcode] = glue_repeats(opcode);
    glue_uops(opcode, uops_of[opcode]);
  }
  done = true;
}

static void machine_want(void *, unsigned cpu, unsigned want)
{
  unsigned hear = GLUE_ALWAYS;

  if (want & PMU_WANT_UOPS)
    learn_uops();

  if (want & PMU_WANT_STEPS)
    hear |= GLUE_PLAIN | GLUE_SPECIAL;
  if (want & (PMU_WANT_CLASS | PMU_WANT_IO))
    hear |= GLUE_CLASSED;
  if (want & (PMU_WANT_INSN | PMU_WANT_UOPS))
    hear |= GLUE_DETAIL;
  glue_report[cpu] = hear;
  glue_branches[cpu] = !!(want & PMU_WANT_BRANCHES);
  glue_accesses[cpu] = !!(want & (PMU_WANT_ACCESS | PMU_WANT_CACHE | PMU_WANT_LOCKED | PMU_WANT_BREAK));
  glue_tables[cpu] = !!(want & PMU_WANT_LOCKED);
}

static bool machine_active(void *, unsigned cpu)
{
  return BX_CPU(cpu)->activity_state == BX_CPU_C::BX_ACTIVITY_STATE_ACTIVE;
}

static bool machine_masked(void *, unsigned cpu)
{
  return BX_CPU(cpu)->lapic->read_aligned(BX_LAPIC_LVT_PERFMON) & 0x10000;
}

static void machine_debug(void *, unsigned cpu, struct pmu_debug *d)
{
  BX_CPU_C *c = BX_CPU(cpu);

  for (unsigned i = 0; i < 4; i++)
    d->dr[i] = c->dr[i];
  d->dr7 = c->dr7.get32();
  d->de = c->cr4.get_DE();
}

// ---------------------------------------------------------------------------
// Coverage, for `make mutate`: PMCDRV_COVERAGE=FILE. At the end FILE has bits 31:0 of the address
// of each instruction that was decoded in the area of modules, in hexadecimal, one a line. Bochs
// decodes up to the end of a straight run, so a few of them may not have been executed.

// 64-bit kernels map modules in the uppermost gigabyte, 32-bit kernels map all of theirs there.
static const Bit64u covered_bytes = 1u << 30;
static const Bit64u covered_from64 = 0xffffffffc0000000, covered_from32 = 0xc0000000;

bool glue_covers;
static Bit8u *covered;

void bx_instr_decoded(unsigned cpu, const Bit8u *code)
{
  BX_CPU_C *c = BX_CPU(cpu);
  bx_address address = c->get_instruction_pointer();
  uintptr_t offset = (uintptr_t) code - (uintptr_t) c->eipFetchPtr;
  Bit64u n;

  // RIP is that of the first instruction of the run. Runs do not cross pages: the bytes of an
  // instruction that does are elsewhere, and RIP is its own.
  if (c->eipFetchPtr && offset < 4096)
    address = (address & ~(bx_address) 4095) + offset;
  n = address - (c->long64_mode() ? covered_from64 : covered_from32);
  if (n < covered_bytes)
    covered[n / 8] |= 1 << n % 8;
}

static void begin_coverage()
{
  if (!getenv("PMCDRV_COVERAGE"))
    return;
  covered = (Bit8u *) calloc(covered_bytes / 8, 1);
  if (!covered)
    reject_options("PMCDRV_COVERAGE: 128 MiB of memory are needed");
  glue_covers = true;
}

static void end_coverage()
{
  FILE *file;

  if (!glue_covers)
    return;
  file = fopen(getenv("PMCDRV_COVERAGE"), "w");
  if (!file) {
    perror(getenv("PMCDRV_COVERAGE"));
    return;
  }
  for (Bit64u n = 0; n < covered_bytes; n++) {
    if (!(n % 8) && !covered[n / 8])
      n += 7;
    else if (covered[n / 8] >> n % 8 & 1)
      fprintf(file, "%08x\n", (Bit32u) (covered_from32 + n));
  }
  fclose(file);
}

// ---------------------------------------------------------------------------
// Initialisation and exit

static bool starts_with(const char *name, const char *prefix)
{
  return !strncmp(name, prefix, strlen(prefix));
}

// Whether it may change the privilege, repeat or halt. Names are BX_IA_ and the mnemonic.
static bool is_special(const char *name)
{
  static const char *const prefixes[] = {
    "REP_", "INT", "IRET", "CALLF_", "JMPF_", "RETF_", "SYSCALL", "SYSRET",
    "SYSENTER", "SYSEXIT", "UIRET", "RSM", "VMLAUNCH", "VMRESUME", "VMRUN",
    "VMCALL", "VMMCALL", "VMFUNC", "HLT",
  };

  for (const char *prefix : prefixes)
    if (starts_with(name, prefix))
      return true;
  return false;
}

static unsigned char kind_of(unsigned opcode)
{
  const char *name = get_bx_opcode_name(opcode);

  switch (opcode) {
  case BX_IA_CPUID:
  case BX_IA_RDMSR:
  case BX_IA_WRMSR:
  case BX_IA_WRMSRNS:
  case BX_IA_SYSRET:
  case BX_IA_SYSRET_LEGACY:
  case BX_IA_RDPMC:
    return GLUE_ALWAYS | GLUE_SPECIAL | GLUE_DETAIL;
  }
  if (starts_with(name, "BX_IA_") && is_special(name + 6))
    return GLUE_SPECIAL | GLUE_DETAIL;
  return GLUE_PLAIN | GLUE_DETAIL;
}

static void set_opcode_kind(unsigned opcode)
{
  glue_kind[opcode] = kind_of(opcode);
  irets[opcode] = starts_with(get_bx_opcode_name(opcode), "BX_IA_IRET");
  classes_of[opcode] = glue_classes(opcode);
  if (classes_of[opcode] || glue_does_io(opcode))
    glue_kind[opcode] |= GLUE_CLASSED;
}

static void end(void)
{
  end_coverage();
  pmu_destroy(pmu);
  pmu = NULL;
}

static unsigned threads_per_core(void)
{
#if BX_SUPPORT_SMP
  return SIM->get_param_num(BXPN_CPU_NTHREADS)->get();
#else
  return 1;
#endif
}

// Bochs reports its speed every second in a signal handler that takes the lock of its log: it
// deadlocks if a message is being written.
static void no_speed_reports(void)
{
  sigset_t alarm;

  sigemptyset(&alarm);
  sigaddset(&alarm, SIGALRM);
  sigprocmask(SIG_BLOCK, &alarm, NULL);
}

static void begin(void)
{
  struct pmu_machine machine;
  char error[512];

  no_speed_reports();
  memset(&machine, 0, sizeof(machine));
  machine.cpus = BX_SMP_PROCESSORS;
  machine.threads = threads_per_core();
  machine.options = getenv("PMCDRV_PMU");
  machine.cpuid = machine_cpuid;
  machine.pmi = machine_pmi;
  machine.debug = machine_debug;
  machine.want = machine_want;
  machine.active = machine_active;
  machine.masked = machine_masked;
  pmu = pmu_create(&machine, error, sizeof(error));
  if (!pmu)
    reject_options(error);
  for (unsigned cpl = 0; cpl < 4; cpl++)
    glue_priv[cpl] = cpl >= pmu_user_cpl(pmu) ? PMU_USER : PMU_KERNEL;
  begin_coverage();
  atexit(end);
  BX_INFO(("PMU: %s", pmu_name(pmu)));
}

void bx_instr_init_env(void) {}
void bx_instr_exit_env(void) {}

void bx_instr_initialize(unsigned cpu)
{
  if (!pmu) {
    for (unsigned i = 0; i < BX_IA_LAST; i++)
      set_opcode_kind(i);
    detect_vendor();
    parse_cpuid_options();
    begin();
  }
  machine_want(NULL, cpu, counters(cpu)->want);
  glue_left[cpu] = (Bit64s *) counters(cpu)->left;
}

// Bochs lets CR4.PCE be set on every processor: clear it where RDPMC does not exist.
static void no_pce_without_rdpmc(unsigned cpu)
{
  if (pmu_check_rdpmc(counters(cpu), 0, 0, false, false) == PMU_UD)
    BX_CPU(cpu)->cr4_suppmask &= ~BX_CR4_PCE_MASK;
}

void bx_instr_reset(unsigned cpu, unsigned type)
{
  if (!pmu)
    return;
  end_instruction(cpu);
  no_pce_without_rdpmc(cpu);
  pmu_reset(counters(cpu), type == BX_RESET_SOFTWARE);
}

// ---------------------------------------------------------------------------
// Instructions

static bool in_guest(unsigned cpu)
{
#if BX_SUPPORT_VMX
  if (BX_CPU(cpu)->in_vmx_guest)
    return true;
#endif
#if BX_SUPPORT_SVM
  if (BX_CPU(cpu)->in_svm_guest)
    return true;
#endif
  return false;
}

// Bochs supports too few counter indices: it executes RDPMC with index 0. It treats RDPMC as
// an instruction of the P6, but the Pentium MMX has it too.
static void before_rdpmc(unsigned cpu, bxInstruction_c *i)
{
  struct glue_cpu *s = &state[cpu];
  BX_CPU_C *c = BX_CPU(cpu);

  s->ecx = c->get_reg32(BX_32BIT_REG_ECX);
  switch (pmu_check_rdpmc(counters(cpu), s->ecx, c->get_cpl(), c->cr4.get_PCE(), c->cr0.get_PE())) {
  case PMU_GP:
    general_protection(cpu);
    break;
  case PMU_UD:
    c->exception(BX_UD_EXCEPTION, 0); // does not return
    break;
  case PMU_OK:
    i->execute1 = &BX_CPU_C::RDPMC;
    if (in_guest(cpu))
      break;
    s->rcx = c->get_reg64(BX_64BIT_REG_RCX);
    s->rcx_taken = true;
    c->set_reg64(BX_64BIT_REG_RCX, 0);
    disable_messages(cpu);
    break;
  case PMU_NONE:
    break;
  }
}

static void answer(unsigned cpu, Bit64u value)
{
  BX_CPU(cpu)->set_reg64(BX_64BIT_REG_RAX, value & 0xffffffff);
  BX_CPU(cpu)->set_reg64(BX_64BIT_REG_RDX, value >> 32);
}

static void after_rdpmc(unsigned cpu)
{
  uint64_t value;

  if (pmu_rdpmc(counters(cpu), state[cpu].ecx, &value) == PMU_OK)
    answer(cpu, value);
}

static void before_msr(unsigned cpu, bool read)
{
  struct glue_cpu *s = &state[cpu];
  enum pmu_result r;

  s->ecx = BX_CPU(cpu)->get_reg32(BX_32BIT_REG_ECX);
  s->wrmsr = !read;
  if (BX_CPU(cpu)->get_cpl())
    return;
  r = pmu_check_rdmsr(counters(cpu), s->ecx);
  if (read && r == PMU_GP)
    general_protection(cpu);
  if (r != PMU_NONE)
    disable_messages(cpu);
}

static void after_rdmsr(unsigned cpu)
{
  BX_CPU_C *c = BX_CPU(cpu);
  uint64_t value = (Bit64u) c->get_reg32(BX_32BIT_REG_EDX) << 32 | c->get_reg32(BX_32BIT_REG_EAX);

  if (pmu_rdmsr(counters(cpu), state[cpu].ecx, &value) == PMU_OK ||
      fix_msr(state[cpu].ecx, &value))
    answer(cpu, value);
}

// A WRMSR that the model accepts is counted by the model.
void bx_instr_wrmsr(unsigned cpu, unsigned msr, Bit64u value)
{
  switch (pmu_wrmsr(counters(cpu), msr, value)) {
  case PMU_GP:
    general_protection(cpu);
    break;
  case PMU_OK:
    state[cpu].counted = state[cpu].wrmsr;
    break;
  default:
    break;
  }
}

// ---------------------------------------------------------------------------
// Reports for each instruction, while an event needs them

// The page of an access is always in Bochs' own TLBs, which are larger than any processor's.
static void set_page(unsigned cpu, const bx_TLB_entry *entry, bx_address lin, unsigned memtype,
                         struct pmu_page *page)
{
  page->cached = memtype == BX_MEMTYPE_WT || memtype == BX_MEMTYPE_WP || memtype == BX_MEMTYPE_WB;
  page->write_through = page->cached && memtype != BX_MEMTYPE_WB;
  if (!BX_CPU(cpu)->cr0.get_PG())
    return;
  page->bits = 12;
  if (LPFOf(entry->lpf) != LPFOf(lin))
    return;
  page->global = entry->accessBits & TLB_GlobalPage;
  while (entry->lpf_mask >> page->bits)
    page->bits++;
}

// The bytes of the current instruction. If the instruction crosses a page, Bochs' pointer points
// to the second page: read both pages as a debugger does.
static const Bit8u *code_bytes(unsigned cpu, bxInstruction_c *i, bx_address linear)
{
  static Bit8u bytes[16];
  BX_CPU_C *c = BX_CPU(cpu);
  bx_address offset = c->get_instruction_pointer() + c->eipPageBias;
  bx_phy_address physical;

  if (c->eipFetchPtr && offset < c->eipPageWindowSize && offset + i->ilen() <= 4096)
    return c->eipFetchPtr + offset;
  memset(bytes, 0, sizeof(bytes));
  for (unsigned n = 0; n < i->ilen(); n++)
    if (c->dbg_xlate_linear2phy(linear + n, &physical))
      BX_MEM(0)->dbg_fetch_mem(c, physical, 1, &bytes[n]);
  return bytes;
}

static void set_code(unsigned cpu, bxInstruction_c *i, struct pmu_insn *insn)
{
  BX_CPU_C *c = BX_CPU(cpu);
  bx_address ip = c->get_instruction_pointer();
  const bx_TLB_entry *entry;

  insn->linear = c->get_segment_base(BX_SEG_REG_CS) + ip;
  insn->physical = c->pAddrFetchPage + (bx_address) (ip + c->eipPageBias);
  insn->size = i->ilen();
  if (counters(cpu)->want & PMU_WANT_PIPES) {
    insn->code = code_bytes(cpu, i, insn->linear);
    insn->wide = c->sregs[BX_SEG_REG_CS].cache.u.segment.d_b;
  }
  entry = c->ITLB.get_entry_of(insn->linear);
  set_page(cpu, entry, insn->linear,
               LPFOf(entry->lpf) == LPFOf(insn->linear) ? entry->get_memtype() : BX_MEMTYPE_WB, &insn->page);
  insn->masked = !c->get_IF();
  insn->pending = c->is_pending(BX_EVENT_PENDING_INTR | BX_EVENT_PENDING_LAPIC_INTR);
}

// The handler's code segment, and its stack segment if the privilege changes.
static void after_delivery(unsigned cpu, unsigned from_cpl)
{
  unsigned cpl = BX_CPU(cpu)->get_cpl();

  state[cpu].delivered = false;
  pmu_segments(counters(cpu), glue_priv[cpl], cpl == from_cpl ? 1 : 2);
}

// An x87 instruction's flags are visible only if they were clear before it.
static const unsigned fpu_flags = 0x1f; // IE, DE, ZE, OE, UE
static const unsigned fpu_void_flags = 0x05; // IE, ZE
static const unsigned fpu_computes = PMU_CLASS_FP_ADD | PMU_CLASS_FP_COMPARE | PMU_CLASS_FP_MUL |
                                     PMU_CLASS_FP_DIV | PMU_CLASS_FP_OTHER;

static void before_classed(unsigned cpu, bxInstruction_c *i, unsigned classes)
{
  struct glue_cpu *s = &state[cpu];
  BX_CPU_C *c = BX_CPU(cpu);

  if (glue_does_io(i->getIaOpcode()))
    glue_io = cpu;
  if (classes & fpu_computes) {
    s->fpu_status = c->the_i387.swd & fpu_flags;
    s->fpu_taken = true;
    c->the_i387.swd &= ~fpu_flags;
  }
  if (classes & PMU_CLASS_MMX_SATURATING)
    s->operand = c->the_i387.st_space[i->dst() & 7].signif;
}

static bool saturated(unsigned cpu, bxInstruction_c *i)
{
  BX_CPU_C *c = BX_CPU(cpu);
  Bit64u second = 0;

  if (i->modC0() && i->src() == i->dst())
    second = state[cpu].operand;
  else if (i->modC0())
    second = c->the_i387.st_space[i->src() & 7].signif;
  else if (!BX_MEM(0)->dbg_fetch_mem(c, state[cpu].read, 8, (Bit8u *) &second))
    return false;
  return glue_saturates(i->getIaOpcode(), state[cpu].operand, second);
}

static unsigned classes_at_end(unsigned cpu, bxInstruction_c *i)
{
  unsigned classes = 0;

  if (state[cpu].fpu_taken && BX_CPU(cpu)->the_i387.swd & fpu_void_flags)
    classes |= PMU_CLASS_FP_VOID;
  if (state[cpu].fpu_taken && BX_CPU(cpu)->the_i387.swd & fpu_flags)
    classes |= PMU_CLASS_FP_ASSIST;
  if (counters(cpu)->want & PMU_WANT_SATURATE &&
      classes_of[i->getIaOpcode()] & PMU_CLASS_MMX_SATURATING && saturated(cpu, i))
    classes |= PMU_CLASS_SATURATED;
  return classes;
}

static void report_insn(unsigned cpu, bxInstruction_c *i)
{
  struct glue_cpu *s = &state[cpu];
  unsigned opcode = i->getIaOpcode();
  unsigned from_cpl = s->cpl;
  struct pmu_insn insn;

  memset(&insn, 0, sizeof(insn));
  s->cpl = BX_CPU(cpu)->get_cpl();
  s->priv = insn.priv = glue_priv[s->cpl];
  s->rep = s->split = false;
  s->tables = glue_kind[opcode] & GLUE_SPECIAL ||
              classes_of[opcode] & (PMU_CLASS_SEGMENT | PMU_CLASS_SYSTEM_SEGMENT);
  if (s->delivered)
    after_delivery(cpu, from_cpl);
  insn.classes = classes_of[opcode] | (i->getLock() ? PMU_CLASS_LOCKED : 0);
  if (counters(cpu)->want & PMU_WANT_INSN)
    set_code(cpu, i, &insn);
  if (counters(cpu)->want & PMU_WANT_UOPS)
    insn.uops = uops_of[opcode][repeats[opcode] ? i->repUsedL() != 0 : !i->modC0()];
  pmu_insn(counters(cpu), &insn);
  if (glue_report[cpu] & GLUE_CLASSED && glue_kind[opcode] & GLUE_CLASSED)
    before_classed(cpu, i, insn.classes);
}

void bx_instr_before_execution(unsigned cpu, bxInstruction_c *i)
{
  report_insn(cpu, i);
  switch (i->getIaOpcode()) {
  case BX_IA_CPUID:
    state[cpu].eax = BX_CPU(cpu)->get_reg32(BX_32BIT_REG_EAX);
    state[cpu].ecx = BX_CPU(cpu)->get_reg32(BX_32BIT_REG_ECX);
    break;
  case BX_IA_RDPMC:
    before_rdpmc(cpu, i);
    break;
  case BX_IA_RDMSR:
    before_msr(cpu, true);
    break;
  case BX_IA_WRMSR:
  case BX_IA_WRMSRNS:
    before_msr(cpu, false);
    break;
  }
}

static void replace_result(unsigned cpu, unsigned opcode)
{
  switch (opcode) {
  case BX_IA_CPUID:
    after_cpuid(cpu);
    break;
  case BX_IA_SYSRET:
  case BX_IA_SYSRET_LEGACY:
    after_sysret(cpu);
    break;
  case BX_IA_RDPMC:
    after_rdpmc(cpu);
    break;
  case BX_IA_RDMSR:
    after_rdmsr(cpu);
    break;
  }
}

// A string instruction that an interrupt stops ends with RIP at its own beginning, and Bochs
// restarts it.
static void retire(unsigned cpu, unsigned classes)
{
  struct pmu_cpu *c = counters(cpu);

  if (!state[cpu].rep)
    pmu_retire_insn(c, state[cpu].priv, classes);
  else if (BX_CPU(cpu)->get_instruction_pointer() == state[cpu].rep_end)
    pmu_rep_done(c, state[cpu].priv);
  else
    pmu_abort(c);
}

void bx_instr_after_execution(unsigned cpu, bxInstruction_c *i)
{
  bool counted = state[cpu].counted;
  unsigned kind = glue_kind[i->getIaOpcode()];
  unsigned classes = 0;

  if (glue_report[cpu] & kind & GLUE_CLASSED)
    classes = classes_at_end(cpu, i);
  if (kind & (GLUE_ALWAYS | GLUE_CLASSED))
    end_instruction(cpu);
  if (irets[i->getIaOpcode()])
    state[cpu].priv = pmu_iret_priv(pmu, state[cpu].priv, privilege(cpu));
  if (kind & GLUE_ALWAYS)
    replace_result(cpu, i->getIaOpcode());
  if (!counted && glue_report[cpu] & GLUE_PLAIN)
    retire(cpu, classes);
}

void glue_due(unsigned cpu)
{
  pmu_sync(counters(cpu));
}

// RIP is after the instruction when its rounds are done.
void glue_rep_round(unsigned cpu)
{
  state[cpu].rep = true;
  state[cpu].rep_end = BX_CPU(cpu)->get_instruction_pointer();
  pmu_rep_round(counters(cpu), state[cpu].priv);
}

static void delivery(unsigned cpu)
{
  state[cpu].delivered = true;
  state[cpu].cpl = BX_CPU(cpu)->get_cpl();
}

void bx_instr_exception(unsigned cpu)
{
  if (!pmu)
    return;
  end_instruction(cpu);
  delivery(cpu);
  if (!(glue_report[cpu] & GLUE_PLAIN))
    return;
  pmu_abort(counters(cpu));
  pmu_exception(counters(cpu));
}

void bx_instr_hwinterrupt(unsigned cpu)
{
  delivery(cpu);
  pmu_hwint(counters(cpu), privilege(cpu));
}

// ---------------------------------------------------------------------------
// Branches and memory

void bx_instr_cnear_branch(unsigned cpu, bool taken, bx_address from, bx_address to)
{
  pmu_branch(counters(cpu), privilege(cpu), taken ? PMU_BR_COND_TAKEN : PMU_BR_COND_NTAKEN, from, to);
}

// The target of a branch not taken: only its direction matters.
void bx_instr_not_taken(unsigned cpu, bxInstruction_c *i, bx_address from)
{
  bool wide = BX_CPU(cpu)->sregs[BX_SEG_REG_CS].cache.u.segment.d_b || BX_CPU(cpu)->long64_mode();
  Bit32s distance = wide ? (Bit32s) i->Id() : (Bit16s) i->Iw();

  bx_instr_cnear_branch(cpu, false, from, from + i->ilen() + distance);
}

static enum pmu_prim branch_kind(unsigned what)
{
  switch (what) {
  case BX_INSTR_IS_JMP_INDIRECT:
    return PMU_BR_JMP_IND;
  case BX_INSTR_IS_CALL:
    return PMU_BR_CALL;
  case BX_INSTR_IS_CALL_INDIRECT:
    return PMU_BR_CALL_IND;
  case BX_INSTR_IS_RET:
    return PMU_BR_RET;
  default:
    return PMU_BR_JMP;
  }
}

void bx_instr_ucnear_branch(unsigned cpu, unsigned what, bx_address from, bx_address to)
{
  pmu_branch(counters(cpu), privilege(cpu), branch_kind(what), from, to);
}

// The privilege has changed already: far branches are special instructions.
void bx_instr_far_branch(unsigned cpu, unsigned what, bx_address from, bx_address to)
{
  enum pmu_prim kind = what == BX_INSTR_IS_INT ? PMU_BR_INT : PMU_BR_FAR;
  unsigned segments = BX_CPU(cpu)->get_cpl() == state[cpu].cpl ? 1 : 2;

  if (what == BX_INSTR_IS_IRET)
    state[cpu].priv = pmu_iret_priv(pmu, state[cpu].priv, privilege(cpu));
  pmu_branch(counters(cpu), state[cpu].priv, kind, from, to);
  pmu_segments(counters(cpu), state[cpu].priv, segments);
}

// Bochs reports an access across two pages as two, and keeps both addresses.
static void detect_split(unsigned cpu, struct pmu_access *a)
{
  struct glue_cpu *s = &state[cpu];
  BX_CPU_C *c = BX_CPU(cpu);

  if (s->split) {
    s->split = false;
    a->rest = a->physical == c->address_xlation.paddress2 && a->size == c->address_xlation.len2;
    return;
  }
  s->split = c->address_xlation.pages == 2 && !((a->linear + a->size) & 0xfff) &&
             a->physical == c->address_xlation.paddress1 && a->size == c->address_xlation.len1;
  if (s->split)
    a->whole = a->size + c->address_xlation.len2;
}

static bool in_table(bx_address addr, bx_address base, Bit32u limit)
{
  return addr >= base && addr <= base + limit;
}

// The accessed bit of a segment and the busy bit of a TSS are set by locked accesses.
static bool is_descriptor_update(unsigned cpu, const struct pmu_access *a)
{
  const struct glue_cpu *s = &state[cpu];
  BX_CPU_C *c = BX_CPU(cpu);

  if (a->access != PMU_WRITE || !(s->tables || s->delivered))
    return false;
  return in_table(a->linear, c->gdtr.base, c->gdtr.limit) ||
         (c->ldtr.cache.valid && in_table(a->linear, c->ldtr.cache.u.segment.base,
                                          c->ldtr.cache.u.segment.limit_scaled));
}

// Accesses of an instruction have its privilege to its end; those that deliver an interrupt or
// exception have the handler's.
static unsigned accessing(unsigned cpu)
{
  return state[cpu].delivered ? (unsigned) PMU_KERNEL : state[cpu].priv;
}

void bx_instr_lin_access(unsigned cpu, bx_address lin, bx_phy_address phy, unsigned len, unsigned memtype, unsigned rw)
{
  struct pmu_access a;

  memset(&a, 0, sizeof(a));
  if (rw == BX_READ || rw == BX_RW)
    a.access |= PMU_READ;
  if (rw == BX_WRITE || rw == BX_RW)
    a.access |= PMU_WRITE;
  a.linear = lin;
  a.physical = phy;
  a.size = len;
  set_page(cpu, BX_CPU(cpu)->DTLB.get_entry_of(lin, 0), lin, memtype, &a.page);
  detect_split(cpu, &a);
  if (a.access & PMU_READ && !a.rest)
    state[cpu].read = phy;
  pmu_data(counters(cpu), accessing(cpu), &a);
  if (glue_tables[cpu] && is_descriptor_update(cpu, &a))
    pmu_table_update(counters(cpu), accessing(cpu));
}

void bx_instr_table_update(unsigned cpu)
{
  pmu_table_update(counters(cpu), accessing(cpu));
}

void bx_instr_io(unsigned port, unsigned len, bool write)
{
  pmu_io(counters(glue_io), state[glue_io].priv, port, len, write);
}

void bx_instr_cache_cntrl(unsigned cpu, unsigned what)
{
  pmu_cache_flush(counters(cpu), what == BX_INSTR_WBINVD);
}

// SDM Vol. 3A, "Operations that Invalidate TLBs and Paging-Structure Caches".
static bool flushes_all(unsigned cpu, unsigned what, Bit32u value)
{
  static const Bit32u cr0_bits = 0x80000001, cr4_bits = 0xb0; // PG, PE; PGE, PAE, PSE
  Bit32u changed;

  if (what == BX_INSTR_MOV_CR0) {
    changed = (state[cpu].cr0 ^ value) & cr0_bits;
    state[cpu].cr0 = value;
    return changed;
  }
  if (what == BX_INSTR_MOV_CR4) {
    changed = (state[cpu].cr4 ^ value) & cr4_bits;
    state[cpu].cr4 = value;
    return changed;
  }
  return true;
}

void bx_instr_tlb_cntrl(unsigned cpu, unsigned what, bx_address value)
{
  struct pmu_cpu *c = counters(cpu);

  if (what == BX_INSTR_INVLPG)
    pmu_tlb_flush(c, PMU_FLUSH_PAGE, value);
  else if (what == BX_INSTR_MOV_CR3 || what == BX_INSTR_TASK_SWITCH)
    pmu_tlb_flush(c, PMU_FLUSH_LOCAL, 0);
  else if (flushes_all(cpu, what, value))
    pmu_tlb_flush(c, PMU_FLUSH_ALL, 0);
}

void bx_instr_clflush(unsigned cpu, bx_phy_address addr)
{
  pmu_cache_flush_line(counters(cpu), addr);
}

#endif
