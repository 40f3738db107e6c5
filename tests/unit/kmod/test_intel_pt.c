// SPDX-License-Identifier: GPL-2.0-only
/* Tests of intel_pt.c: when the handler after perf's restores the global control and masks LVTPC */
#include "nmi_handler.h"

#include <linux/rculist.h>
#include <asm/apic.h>
#include <asm/cpufeature.h>

#include "pmu/run_types.h"
#include "sampling/intel_pt.h"
#include "sampling/sampler_types.h"

#define CONTROL	1
#define STATUS	2
#define ARMED	0x400U
#define MASKED	0x10400U

static struct pmc_pmu *const pmu = &pmc_pmus;
static struct pmc_program program = { .interrupts = 6 };
static struct pmc_run run = { .program = &program };
static struct pmc_sampler sampler = { .run = &run };

static void write_apic(u32 reg, u32 value)
{
	assert_int_equal(APIC_LVTPC, reg);
	call("lvtpc %x", value);
}

static struct apic local = { .write = write_apic };
struct apic *apic = &local;

/* The counters are acquired, and perf has left the global control as it was. */
static int begin(void **state)
{
	reset_cpu();
	registering = 0;
	cpu_has_feature[X86_FEATURE_INTEL_PT] = true;
	assert_int_equal(0, pmc_intel_pt_init());
	expect_calls("register pmcdrv-control;");
	list_add_rcu(&sampler.node, &pmu->pmi.samplers);
	pmu->acquired = true;
	pmu->restore_msr = CONTROL;
	pmu->status_msr = STATUS;
	pmu->global_ctrl = 0x700000003;
	pmu->last = &run;
	registers[CONTROL] = 0x700000003;
	registers[STATUS] = 2;
	return 0;
}

static void registered(void **state)
{
	pmc_intel_pt_exit();
	expect_calls("unregister pmcdrv-control;");
	registering = -12;
	assert_int_equal(-12, pmc_intel_pt_init());
	calls[0] = '\0';
	pmc_intel_pt_exit();
	expect_calls("");
	cpu_has_feature[X86_FEATURE_INTEL_PT] = false;
	assert_int_equal(0, pmc_intel_pt_init());
	expect_calls("");
}

static void nmi(const char *expected)
{
	assert_int_equal(NMI_DONE, handler(NMI_LOCAL, NULL));
	expect_calls(expected);
	assert_false(pmu->pmi.nmi.latched);
}

/* Nothing to restore: LVTPC is masked again after a delivered PMI, or in a storm. */
static void unchanged(void **state)
{
	nmi("");
	assert_ptr_equal(&run, pmu->last);
	pmu->pmi.nmi.latched = true;
	nmi("lvtpc 10400;");
	nmi("");
	pmu->pmi.storm = true;
	nmi("lvtpc 10400;");
	pmu->pmi.nmi.latched = true;
	nmi("lvtpc 10400;");
}

/* perf has cleared the control: it is restored; a sampled counter's overflow requests a PMI. */
static void restored(void **state)
{
	unsigned int bit;

	for (bit = 0; bit < 64; bit++) {
		registers[CONTROL] = bit & 1 ? 0 : 0x700000001;
		registers[STATUS] = 1ULL << bit;
		pmu->last = &run;
		nmi(bit == 1 || bit == 2 ? "lvtpc 10400;" : "");
		assert_int_equal(0x700000003, registers[CONTROL]);
		assert_null(pmu->last);
	}
	registers[CONTROL] = 0;
	registers[STATUS] = 0;
	nmi("");
	registers[CONTROL] = 0;
	pmu->pmi.nmi.latched = true;
	nmi("lvtpc 10400;");
}

/* The registers are not the driver's, or the family has no such register. */
static void others(void **state)
{
	registers[CONTROL] = 0;
	pmu->acquired = false;
	nmi("");
	assert_int_equal(0, registers[CONTROL]);
	pmu->acquired = true;
	pmu->restore_msr = 0;
	nmi("");
	assert_int_equal(0, registers[CONTROL]);
	assert_ptr_equal(&run, pmu->last);
}

#define TEST(name)	cmocka_unit_test_setup(name, begin)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(registered), TEST(unchanged), TEST(restored), TEST(others),
	};

	return cmocka_run_group_tests_name("intel_pt", tests, NULL, NULL);
}
