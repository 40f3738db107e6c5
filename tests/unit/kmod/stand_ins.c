// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stand-ins of what the tested files use of the kernel and of each other
 *
 * All are weak: a test that needs another definition has its own. Each program of tests has this
 * object.
 */
#include "unit.h"

#include <linux/irq_work.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/wait.h>
#include <asm/apic.h>
#include <asm/msr.h>
#include <asm/processor.h>
#include <asm/tsc.h>

#include "compat/compat.h"
#include "compat/reserve.h"
#include "compat/topology.h"
#include "families/families.h"
#include "families/ignored_writes.h"
#include "pmu/fold.h"
#include "pmu/pmu.h"
#include "pmu/user_page.h"
#include "sampling/ring.h"

#define WEAK	__attribute__((weak))

struct apic *apic WEAK;
struct cpuinfo_x86 boot_cpu_data WEAK;
unsigned int tsc_khz WEAK;
int this_cpu WEAK;

/* A test that calls one of these functions, without a definition of its own, fails. */
WEAK u64 *msr(u32 address)
{
	fail_msg("call of msr(%#x)", address);
	abort();
}

WEAK void cpuid(u32 leaf, u32 subleaf, u32 registers[4])
{
	fail_msg("call of cpuid(%#x, %#x)", leaf, subleaf);
	abort();
}

WEAK u64 pmc_rdpmc(u32 counter)
{
	fail_msg("call of pmc_rdpmc(%#x)", counter);
	abort();
}

#define UNEXPECTED(...)				\
WEAK __VA_ARGS__				\
{						\
	fail_msg("call of %s()", __func__);	\
	abort();				\
}

UNEXPECTED(u64 rdtsc(void))
UNEXPECTED(bool pmc_registers_can_be_lost(void))
UNEXPECTED(bool pmc_cpu_has_siblings(int cpu))
UNEXPECTED(bool pmc_rdpmc_faults(u32 counter))
UNEXPECTED(int pmc_reserve(u64 mask, u32 counter_msr, u32 select_msr))
UNEXPECTED(void pmc_unreserve(u64 mask, u32 counter_msr, u32 select_msr))
UNEXPECTED(bool pmc_counter_ignores_writes(const struct pmc_pmu *pmu, u32 counter, u32 address,
					   void (*write)(const struct pmc_pmu *pmu, u32 counter,
							 u64 value)))
UNEXPECTED(u64 pmc_run_add_called(struct pmc_run *run))
UNEXPECTED(void pmc_run_rewind(struct pmc_pmu *pmu, struct pmc_run *run))
UNEXPECTED(void pmc_run_show(struct pmc_run *run))
UNEXPECTED(void pmc_run_hide(struct pmc_run *run))
UNEXPECTED(void *pmc_ring_reserve_slow(struct pmc_cpu_ring *ring, u32 size))
UNEXPECTED(void pmc_ring_wake_readers(struct pmc_cpu_ring *ring))
UNEXPECTED(void pmc_ring_drop(struct pmc_cpu_ring *ring, u64 overflows))
UNEXPECTED(bool irq_work_queue(struct irq_work *work))
UNEXPECTED(int wait_once(void))
UNEXPECTED(void *kzalloc(size_t size, gfp_t gfp))
