// SPDX-License-Identifier: GPL-2.0-only
//
// Between Bochs' instrumentation hooks and the PMU model: translation only.
// What the hooks mean for counting is written in ../pmu/README.md.

#include "bochs.h"
#include "cpu/cpu.h"
#include "cpu/cpuid.h"
#include "cpu/apic.h"
#include "cpu/decoder/ia_opcodes.h"
#include "gui/siminterface.h"
#include "param_names.h"

#if BX_INSTRUMENTATION

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "pmu.h"

#define LOG_THIS BX_CPU(0)->

unsigned char glue_kind[BX_IA_LAST + 1];
unsigned char glue_hear[GLUE_MAX_CPUS];
unsigned char glue_branches[GLUE_MAX_CPUS];
unsigned char glue_accesses[GLUE_MAX_CPUS];
unsigned char glue_priv[4];
Bit64s *glue_left[GLUE_MAX_CPUS];

// What a hook has to remember for a later one of the same instruction.
struct glue_cpu {
  unsigned priv;        // at the start of a special instruction
  Bit32u eax, ecx;      // before CPUID and RDPMC
  Bit64u rcx;           // before RDPMC
  bool rcx_taken;       // and RCX is not the guest's now
  bool wrmsr;           // a WRMSR is under way
  bool counted;         // and the model has already counted it
  bool rep;             // a string instruction did a round
  bx_address rep_end;   // RIP after it, if it is done
  int info, error;      // what Bochs did with its messages
  bool quiet;           // and it does nothing with them now
  bx_phy_address line;  // last fetched, to do once what is once a line
};

static struct glue_cpu state[GLUE_MAX_CPUS];
static struct pmu *pmu;

static inline struct pmu_cpu *counters(unsigned cpu)
{
  return pmu_get_cpu(pmu, cpu);
}

static inline unsigned privilege(unsigned cpu)
{
  return glue_priv[BX_CPU(cpu)->get_cpl()];
}

// Bochs reports each access to a register that it does not know. It knows none
// of these: be quiet for the time of the instruction.
static void quiet(unsigned cpu)
{
  state[cpu].info = BX_CPU(cpu)->getonoff(LOGLEV_INFO);
  state[cpu].error = BX_CPU(cpu)->getonoff(LOGLEV_ERROR);
  state[cpu].quiet = true;
  BX_CPU(cpu)->setonoff(LOGLEV_INFO, ACT_IGNORE);
  BX_CPU(cpu)->setonoff(LOGLEV_ERROR, ACT_IGNORE);
}

// The instruction is over, well or not.
static void tidy(unsigned cpu)
{
  struct glue_cpu *s = &state[cpu];

  if (s->quiet) {
    BX_CPU(cpu)->setonoff(LOGLEV_INFO, s->info);
    BX_CPU(cpu)->setonoff(LOGLEV_ERROR, s->error);
  }
  if (s->rcx_taken)
    BX_CPU(cpu)->set_reg64(BX_64BIT_REG_RCX, s->rcx);
  s->quiet = s->rcx_taken = s->wrmsr = s->counted = s->rep = false;
}

static void general_protection(unsigned cpu)
{
  BX_CPU(cpu)->exception(BX_GP_EXCEPTION, 0); // does not return
}

// ---------------------------------------------------------------------------
// What Bochs' CPUID tells and the machine, or the part, does not have

struct cpuid_mend {
  const char *model;
  Bit32u leaf, subleaf;
  unsigned reg;         // 0 to 3: EAX, EBX, ECX, EDX
  Bit32u clear, set;
};

static const struct cpuid_mend mends[] = {
  // Bochs tells the same model, 4, of both Pentiums: this is a P54C.
  { "pentium", 1, 0, 0, 0xff, 0x2c },
  // A local APIC: these parts have one, and without it there is no sampling.
  { "p2_klamath", 1, 0, 3, 0, 1u << 9 },
  { "p3_katmai", 1, 0, 3, 0, 1u << 9 },
  // POPCNT: the Bochs model raises #UD.
  { "phenom_8650_toliman", 1, 0, 2, 1u << 23, 0 },
  // FSRM (fast short REP MOVSB): IA32_MISC_ENABLE reads without its fast-strings
  // bit, Linux then gives up ERMS but not FSRM, and its memmove copies wrongly
  // with the one and not the other. In Bochs no string is fast.
  { "corei7_icelake_u", 7, 0, 3, 1u << 4, 0 },
  { "tigerlake", 7, 0, 3, 1u << 4, 0 },
  { "sapphire_rapids", 7, 0, 3, 1u << 4, 0 },
  { "arrow_lake", 7, 0, 3, 1u << 4, 0 },
  // AMX-BF16, AMX-TILE and AMX-INT8: Bochs has no XFD, and Linux then puts
  // half of AMX into XCR0, which faults.
  { "sapphire_rapids", 7, 0, 3, 1u << 22 | 1u << 24 | 1u << 25, 0 },
};

// Registers that have nothing to do with counters, but that make Linux complain
// of them: a microcode without the fix for Sandy Bridge's PEBS.
struct msr_mend {
  const char *model;
  Bit32u msr;
  Bit64u value;
};

static const struct msr_mend msr_mends[] = {
  // IA32_BIOS_SIGN_ID: the last revision that Intel published
  { "corei7_sandy_bridge_2600k", 0x8b, 0x2fULL << 32 },
};

static bool mend_msr(Bit32u msr, uint64_t *value)
{
  const char *model = BX_CPU(0)->cpuid->get_name();

  for (const struct msr_mend &m : msr_mends) {
    if (m.msr != msr || strcmp(m.model, model))
      continue;
    *value = m.value;
    return true;
  }
  return false;
}

static void mend_cpuid(Bit32u leaf, Bit32u subleaf, Bit32u regs[4])
{
  const char *model = BX_CPU(0)->cpuid->get_name();

  for (const struct cpuid_mend &m : mends)
    if (!strcmp(m.model, model) && m.leaf == leaf && m.subleaf == (leaf == 7 ? subleaf : 0))
      regs[m.reg] = (regs[m.reg] & ~m.clear) | m.set;
}

// Bochs' SYSRET leaves the hidden part of SS as it was, like AMD's. Intel's loads
// a flat segment (SDM Volume 2B, SYSRET). Without that a 32-bit program goes on
// with a 16-bit stack pointer when SS was null in the kernel.
static bool intel;

static void look_at_vendor()
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

  mend_cpuid(state[cpu].eax, state[cpu].ecx, regs);
  pmu_cpuid(pmu, state[cpu].eax, state[cpu].ecx, regs);
  c->set_reg64(BX_64BIT_REG_RAX, regs[0]);
  c->set_reg64(BX_64BIT_REG_RBX, regs[1]);
  c->set_reg64(BX_64BIT_REG_RCX, regs[2]);
  c->set_reg64(BX_64BIT_REG_RDX, regs[3]);
}

// ---------------------------------------------------------------------------
// What the model asks of the machine

static void machine_cpuid(void *, uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
  cpuid_function_t f;

  BX_CPU(0)->cpuid->get_cpuid_leaf(leaf, subleaf, &f);
  regs[0] = f.eax;
  regs[1] = f.ebx;
  regs[2] = f.ecx;
  regs[3] = f.edx;
  mend_cpuid(leaf, subleaf, regs);
}

// SDM Vol. 3A "Local Vector Table": delivery sets the mask bit of the
// performance entry; while it is set, nothing is delivered.
static void machine_pmi(void *, unsigned cpu)
{
  bx_local_apic_c *lapic = BX_CPU(cpu)->lapic;
  Bit32u entry = lapic->read_aligned(BX_LAPIC_LVT_PERFMON);
  unsigned mode = entry >> 8 & 7;

  if (entry & 0x10000)
    return;
  lapic->set_lvt_entry(BX_LAPIC_LVT_PERFMON, entry | 0x10000);
  if (mode == APIC_DM_NMI)
    BX_CPU(cpu)->deliver_NMI(); // what deliver() does, but for a line in the log
  else
    lapic->deliver(entry & 0xff, mode, 0);
}

static void machine_want(void *, unsigned cpu, unsigned want)
{
  unsigned hear = GLUE_ALWAYS;

  if (want & PMU_WANT_STEPS)
    hear |= GLUE_PLAIN | GLUE_SPECIAL;
  if (want & (PMU_WANT_ACCESS | PMU_WANT_CACHE))
    hear |= GLUE_DETAIL;
  glue_hear[cpu] = hear;
  glue_branches[cpu] = !!(want & PMU_WANT_BRANCHES);
  glue_accesses[cpu] = !!(want & (PMU_WANT_ACCESS | PMU_WANT_CACHE));
}

// ---------------------------------------------------------------------------
// Beginning and end

static bool starts_with(const char *name, const char *prefix)
{
  return !strncmp(name, prefix, strlen(prefix));
}

// May it change the privilege, or repeat? Names are BX_IA_ and the mnemonic.
static bool is_special(const char *name)
{
  static const char *const prefixes[] = {
    "REP_", "INT", "IRET", "CALLF_", "JMPF_", "RETF_", "SYSCALL", "SYSRET",
    "SYSENTER", "SYSEXIT", "UIRET", "RSM", "VMLAUNCH", "VMRESUME", "VMRUN",
    "VMCALL", "VMMCALL", "VMFUNC",
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

static void end(void)
{
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

// Bochs reports its speed every second from within a signal handler, which
// takes the lock of its log: it hangs for ever if a message is being written.
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
  char error[256];

  no_speed_reports();
  memset(&machine, 0, sizeof(machine));
  machine.cpus = BX_SMP_PROCESSORS;
  machine.threads = threads_per_core();
  machine.options = getenv("PMCDRV_PMU");
  machine.cpuid = machine_cpuid;
  machine.pmi = machine_pmi;
  machine.want = machine_want;
  pmu = pmu_create(&machine, error, sizeof(error));
  if (!pmu) {
    fprintf(stderr, "%s\n", error);
    exit(1);
  }
  for (unsigned cpl = 0; cpl < 4; cpl++)
    glue_priv[cpl] = cpl >= pmu_user_cpl(pmu) ? PMU_USER : PMU_KERNEL;
  atexit(end);
  BX_INFO(("PMU: %s", pmu_name(pmu)));
}

void bx_instr_init_env(void) {}
void bx_instr_exit_env(void) {}

void bx_instr_initialize(unsigned cpu)
{
  if (!pmu) {
    for (unsigned i = 0; i < BX_IA_LAST; i++)
      glue_kind[i] = kind_of(i);
    look_at_vendor();
    begin();
  }
  machine_want(NULL, cpu, counters(cpu)->want);
  glue_left[cpu] = (Bit64s *) counters(cpu)->left;
}

// Bochs lets CR4.PCE be set on every processor.
static void no_pce_without_rdpmc(unsigned cpu)
{
  if (pmu_check_rdpmc(counters(cpu), 0, 0, false, false) == PMU_UD)
    BX_CPU(cpu)->cr4_suppmask &= ~BX_CR4_PCE_MASK;
}

void bx_instr_reset(unsigned cpu, unsigned type)
{
  if (!pmu)
    return;
  tidy(cpu);
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

// Bochs knows too few indices of counters: it gets to see number 0 only. And it
// takes RDPMC for an instruction of the P6, but Pentium MMX had it first.
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
    quiet(cpu);
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
    quiet(cpu);
}

static void after_rdmsr(unsigned cpu)
{
  BX_CPU_C *c = BX_CPU(cpu);
  uint64_t value = (Bit64u) c->get_reg32(BX_32BIT_REG_EDX) << 32 | c->get_reg32(BX_32BIT_REG_EAX);

  if (pmu_rdmsr(counters(cpu), state[cpu].ecx, &value) == PMU_OK ||
      mend_msr(state[cpu].ecx, &value))
    answer(cpu, value);
}

// The WRMSR that the model takes is counted there.
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

static void fetch(unsigned cpu)
{
  BX_CPU_C *c = BX_CPU(cpu);
  bx_phy_address addr = c->pAddrFetchPage + (bx_address) (c->get_instruction_pointer() + c->eipPageBias);

  if (addr >> 6 == state[cpu].line)
    return;
  state[cpu].line = addr >> 6;
  pmu_fetch(counters(cpu), state[cpu].priv, addr);
}

void bx_instr_before_execution(unsigned cpu, bxInstruction_c *i)
{
  state[cpu].priv = privilege(cpu);
  pmu_begin(counters(cpu));
  state[cpu].rep = false;
  if (glue_accesses[cpu])
    fetch(cpu);
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

// A string instruction that gives way to an interrupt ends with RIP at its own
// beginning, and Bochs starts it again.
static void retire(unsigned cpu)
{
  struct pmu_cpu *c = counters(cpu);

  if (!state[cpu].rep)
    pmu_retire_access(c, state[cpu].priv);
  else if (BX_CPU(cpu)->get_instruction_pointer() == state[cpu].rep_end)
    pmu_rep_done(c, state[cpu].priv);
  else
    pmu_abort(c);
}

void bx_instr_after_execution(unsigned cpu, bxInstruction_c *i)
{
  bool counted = state[cpu].counted;

  if (glue_kind[i->getIaOpcode()] & GLUE_ALWAYS) {
    tidy(cpu);
    replace_result(cpu, i->getIaOpcode());
  }
  if (!counted && glue_hear[cpu] & GLUE_PLAIN)
    retire(cpu);
}

void glue_due(unsigned cpu)
{
  pmu_sync(counters(cpu));
}

// RIP has been moved behind the instruction when its rounds are done.
void glue_rep_round(unsigned cpu)
{
  state[cpu].rep = true;
  state[cpu].rep_end = BX_CPU(cpu)->get_instruction_pointer();
  pmu_rep_round(counters(cpu), state[cpu].priv);
}

void bx_instr_exception(unsigned cpu)
{
  if (!pmu)
    return;
  tidy(cpu);
  if (glue_hear[cpu] & GLUE_PLAIN)
    pmu_abort(counters(cpu));
}

void bx_instr_hwinterrupt(unsigned cpu)
{
  pmu_hwint(counters(cpu), privilege(cpu));
}

// ---------------------------------------------------------------------------
// Branches and memory

void bx_instr_cnear_branch(unsigned cpu, bool taken, bx_address from, bx_address to)
{
  pmu_branch(counters(cpu), privilege(cpu), taken ? PMU_BR_COND_TAKEN : PMU_BR_COND_NTAKEN, from, to);
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

// The privilege is another one by now: the far branches are special.
void bx_instr_far_branch(unsigned cpu, bx_address from, bx_address to)
{
  pmu_branch(counters(cpu), state[cpu].priv, PMU_BR_FAR, from, to);
}

static bool is_cached(unsigned memtype)
{
  return memtype == BX_MEMTYPE_WT || memtype == BX_MEMTYPE_WP || memtype == BX_MEMTYPE_WB;
}

void bx_instr_lin_access(unsigned cpu, bx_phy_address addr, unsigned len, unsigned memtype, unsigned rw)
{
  unsigned access = 0;

  if (rw == BX_READ || rw == BX_RW)
    access |= PMU_READ;
  if (rw == BX_WRITE || rw == BX_RW)
    access |= PMU_WRITE;
  pmu_data(counters(cpu), privilege(cpu), addr, len, access, is_cached(memtype));
}

void bx_instr_cache_cntrl(unsigned cpu)
{
  pmu_cache_flush(counters(cpu));
}

void bx_instr_clflush(unsigned cpu, bx_phy_address addr)
{
  pmu_cache_flush_line(counters(cpu), addr);
}

#endif
