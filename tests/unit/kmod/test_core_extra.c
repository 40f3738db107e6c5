// SPDX-License-Identifier: GPL-2.0-only
/* Tests of core_extra.c: events with an extra register, and its bits, against Linux 7.3 */
#include "unit.h"

#include <linux/errno.h>
#include <linux/kernel.h>

#include "compat/compat.h"
#include "compat/topology.h"
#include "families/core.h"
#include "linux_models.h"
#include "pmu/pmu.h"

/* msr-index.h: MSR_OFFCORE_RSP_0, MSR_OFFCORE_RSP_1, MSR_PEBS_FRONTEND */
#define RSP_0		0x1a6
#define RSP_1		0x1a7
#define FRONTEND	0x3f7

/* The fields of an event select beside the event and the unit mask */
#define OTHER_FIELDS	0xffff0000ULL

struct linux_extra {
	u32 code;
	u32 msr;
	u64 mask;
};

#define MAX_EXTRAS	7

/*
 * intel_*_extra_regs, events/intel/core.c, without load latency. The driver sets none for Panther
 * Cove and the Atoms.
 */
static const struct linux_extra extras[LINUX_PMUS][MAX_EXTRAS] = {
	[LINUX_NHM] = { { 0x01b7, RSP_0, 0xffff } },
	[LINUX_WSM] = { { 0x01b7, RSP_0, 0xffff }, { 0x01bb, RSP_1, 0xffff } },
	[LINUX_SNB] = {
		{ 0x01b7, RSP_0, 0x3f807f8fffULL }, { 0x01bb, RSP_1, 0x3f807f8fffULL },
	},
	[LINUX_SNBEP] = {
		{ 0x01b7, RSP_0, 0x3fffff8fffULL }, { 0x01bb, RSP_1, 0x3fffff8fffULL },
	},
	[LINUX_IVB] = {
		{ 0x01b7, RSP_0, 0x3f807f8fffULL }, { 0x01bb, RSP_1, 0x3f807f8fffULL },
	},
	/* intel_snbep_extra_regs */
	[LINUX_IVBEP ... LINUX_BDW] = {
		{ 0x01b7, RSP_0, 0x3fffff8fffULL }, { 0x01bb, RSP_1, 0x3fffff8fffULL },
	},
	[LINUX_SKL] = {
		{ 0x01b7, RSP_0, 0x3fffff8fffULL }, { 0x01bb, RSP_1, 0x3fffff8fffULL },
		{ 0x01c6, FRONTEND, 0x7fff17 },
	},
	[LINUX_ICL] = {
		{ 0x01b7, RSP_0, 0x3fffffbfffULL }, { 0x01bb, RSP_1, 0x3fffffbfffULL },
		{ 0x01c6, FRONTEND, 0x7fff17 },
	},
	[LINUX_GLC] = {
		{ 0x012a, RSP_0, 0x3fffffffffULL }, { 0x012b, RSP_1, 0x3fffffffffULL },
		{ 0x01c6, FRONTEND, 0x7fff1f }, { 0x40ad, FRONTEND, 0x7 },
		{ 0x04c2, FRONTEND, 0x8 },
	},
	[LINUX_RWC] = {
		{ 0x012a, RSP_0, 0x3fffffffffULL }, { 0x012b, RSP_1, 0x3fffffffffULL },
		{ 0x02c6, FRONTEND, 0x9 }, { 0x03c6, FRONTEND, 0x7fff1f },
		{ 0x40ad, FRONTEND, 0x7 }, { 0x04c2, FRONTEND, 0x8 },
	},
	[LINUX_LNC] = {
		{ 0x012a, RSP_0, 0xfffffffffffULL }, { 0x012b, RSP_1, 0xfffffffffffULL },
		{ 0x02c6, FRONTEND, 0x9 }, { 0x03c6, FRONTEND, 0x7fff1f },
		{ 0x40ad, FRONTEND, 0xf }, { 0x04c2, FRONTEND, 0x8 },
	},
};

/* Operations, of which only the addresses matter */
const struct pmc_family core_guest, core_extra, core_extra_guest;

static struct {
	u64 rsp_0, rsp_1, frontend;
	u32 lacking;		/* address of the register that does not exist */
	u32 last;		/* address that was accessed last */
	unsigned int accesses;
	bool discards_writes;
	bool siblings;
	unsigned int loads;
	bool counters_kept;
} cpu;

u64 *msr(u32 address)
{
	static u64 discarded;

	cpu.last = address;
	cpu.accesses++;
	if (address == cpu.lacking)
		return NULL;
	discarded = 0;
	if (cpu.discards_writes)
		return &discarded;
	switch (address) {
	case RSP_0:
		return &cpu.rsp_0;
	case RSP_1:
		return &cpu.rsp_1;
	case FRONTEND:
		return &cpu.frontend;
	default:
		fail_msg("register %#x", address);
		return NULL;
	}
}

bool pmc_cpu_has_siblings(int number)
{
	assert_int_equal(5, number);
	return cpu.siblings;
}

bool core_verify(const struct pmc_pmu *pmu, const struct pmc_program *program)
{
	return cpu.counters_kept;
}

static void load_counters(struct pmc_pmu *pmu, const struct pmc_program *program)
{
	cpu.loads++;
}

static const struct pmc_family family = { .load = load_counters };

static struct pmc_description describe(const struct linux_model *model)
{
	struct pmc_description description = {
		.family = &family,
		.query = linux_query(model),
	};

	description.query.cpu = 5;
	core_extra_describe(&description);
	return description;
}

static int check(const struct pmc_description *description, u32 counter, u64 select, u64 value,
		 u64 *refused)
{
	const struct pmc_counter_config config = {
		.counter = counter,
		.event_select = select,
		.event_extra = value,
	};

	*refused = 0x5555;
	return core_extra_check(&description->query, &config, refused);
}

static const struct linux_extra *find(enum linux_pmu pmu, u32 code)
{
	const struct linux_extra *extra = extras[pmu];

	for (; extra < extras[pmu] + MAX_EXTRAS && extra->mask; extra++) {
		if (extra->code == code)
			return extra;
	}
	return NULL;
}

/* Each event with all bits of a value, which are never allowed together, and without a value */
static void check_event(const struct pmc_description *description, const struct linux_model *model,
			u32 code)
{
	const struct linux_extra *extra = find(model->pmu, code);
	u64 refused;
	int err;

	err = check(description, 0, code, ~0ULL, &refused);
	if (err != -EINVAL || refused != ~(extra ? extra->mask : 0))
		fail_msg("family %u, model %#x, event %#06x: %d, the bits %#llx are not allowed",
			 model->family, model->model, code, err, (unsigned long long)refused);
	err = check(description, 0, code, 0, &refused);
	if (err != (extra ? -EDOM : 0) || refused)
		fail_msg("family %u, model %#x, event %#06x without a value: %d", model->family,
			 model->model, code, err);
}

static void each_event(void **state)
{
	size_t i;
	u32 code;

	memset(&cpu, 0, sizeof(cpu));
	for (i = 0; i < ARRAY_SIZE(linux_models); i++) {
		const struct linux_model *model = &linux_models[i];
		const struct pmc_description description = describe(model);

		for (code = 0; code < 0x10000; code++)
			check_event(&description, model, code);
	}
}

static void test_each_extra(void (*test)(const struct linux_model *model,
					 const struct linux_extra *extra))
{
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(linux_models); i++) {
		const struct linux_extra *extra = extras[linux_models[i].pmu];

		for (j = 0; j < MAX_EXTRAS && extra[j].mask; j++) {
			memset(&cpu, 0, sizeof(cpu));
			test(&linux_models[i], &extra[j]);
		}
	}
}

static void check_bits(const struct linux_model *model, const struct linux_extra *extra)
{
	const struct pmc_description description = describe(model);
	u64 refused;
	u32 i;

	for (i = 0; i < 64; i++) {
		const u64 bit = 1ULL << i;
		const bool allowed = extra->mask & bit;

		assert_int_equal(allowed ? 0 : -EINVAL,
				 check(&description, 0, extra->code, bit, &refused));
		assert_int_equal(allowed ? 0 : bit, refused);
	}
	/* the last general counter, the number behind it, and a fixed counter */
	assert_int_equal(0, check(&description, 31, extra->code | OTHER_FIELDS, extra->mask,
				  &refused));
	assert_int_equal(0, refused);
	assert_int_equal(-EINVAL, check(&description, 32, extra->code, extra->mask, &refused));
	assert_int_equal(extra->mask, refused);
	assert_int_equal(-EINVAL, check(&description, PMC_COUNTER_FIXED(0), extra->code,
					extra->mask, &refused));
	assert_int_equal(extra->mask, refused);
	assert_int_equal(0, check(&description, PMC_COUNTER_FIXED(0), 0, 0, &refused));
}

static void each_bit(void **state)
{
	test_each_extra(check_bits);
}

/* A hypervisor may lack one of the registers. */
static void check_lacking(const struct linux_model *model, const struct linux_extra *extra)
{
	static const u32 all[] = { RSP_0, RSP_1, FRONTEND };
	u64 refused;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		struct pmc_description description;

		cpu.lacking = all[i];
		description = describe(model);
		assert_int_equal(extra->msr == all[i] ? -EDOM : 0,
				 check(&description, 0, extra->code, extra->mask, &refused));
		assert_int_equal(0, refused);
	}
}

static void lacking_registers(void **state)
{
	test_each_extra(check_lacking);
}

/* Only Nehalem and Westmere have one register for both threads of a core. */
static void check_siblings(const struct linux_model *model, const struct linux_extra *extra)
{
	const bool shared = model->pmu == LINUX_NHM || model->pmu == LINUX_WSM;
	const struct pmc_description description = describe(model);
	u64 refused;

	cpu.siblings = true;
	assert_int_equal(shared ? -EDOM : 0,
			 check(&description, 0, extra->code, extra->mask, &refused));
	assert_int_equal(0, refused);
}

static void sibling_threads(void **state)
{
	test_each_extra(check_siblings);
}

static int compile(const struct pmc_description *description, const struct linux_extra *extra,
		   u64 value, struct pmc_program *program)
{
	const struct pmc_counter_config config = {
		.event_select = extra->code | OTHER_FIELDS,
		.event_extra = value,
	};

	return core_extra_compile(&description->query, &config, program);
}

/* The value is written to the register of the event, which gets its old value back. */
static void check_register(const struct linux_model *model, const struct linux_extra *extra)
{
	const bool shared = model->pmu == LINUX_NHM || model->pmu == LINUX_WSM;
	struct pmc_pmu pmu = { .description = describe(model) };
	struct pmc_program program = { .nr = 0 };
	u64 *value = msr(extra->msr);

	assert_int_equal(0, compile(&pmu.description, extra, extra->mask, &program));
	assert_ptr_equal(&core_extra, program.family);
	assert_int_equal(shared, program.leaks);
	*value = 0x10;
	cpu.accesses = 0;
	core_extra_load(&pmu, &program);
	assert_int_equal(2, cpu.accesses);
	assert_int_equal(extra->msr, cpu.last);
	assert_int_equal(extra->mask, *value);
	assert_int_equal(1, cpu.loads);
	/* a further load keeps what was found */
	core_extra_load(&pmu, &program);
	assert_int_equal(3, cpu.accesses);
	assert_int_equal(2, cpu.loads);
	assert_false(core_extra_verify(&pmu, &program));
	cpu.counters_kept = true;
	assert_true(core_extra_verify(&pmu, &program));
	*value ^= 1;
	assert_false(core_extra_verify(&pmu, &program));
	cpu.accesses = 0;
	core_extra_restore(&pmu);
	assert_int_equal(1, cpu.accesses);
	assert_int_equal(0x10, *value);
}

static void registers(void **state)
{
	test_each_extra(check_register);
}

/* Counters of one program share a register with one value; 0 is no value. */
static void check_sharing(const struct linux_model *model, const struct linux_extra *extra)
{
	const u64 lowest = extra->mask & -extra->mask;
	struct pmc_description description = describe(model);
	struct pmc_program program = { .nr = 0 };

	assert_int_equal(0, compile(&description, extra, 0, &program));
	assert_int_equal(0, program.shared);
	assert_null(program.family);
	assert_int_equal(0, compile(&description, extra, lowest, &program));
	assert_int_equal(0, compile(&description, extra, lowest, &program));
	assert_int_equal(1, hweight32(program.shared));
	if (lowest != extra->mask)
		assert_int_equal(-ENOSPC, compile(&description, extra, extra->mask, &program));
	description.family = &core_guest;
	assert_int_equal(0, compile(&description, extra, lowest, &program));
	assert_ptr_equal(&core_extra_guest, program.family);
}

static void sharing(void **state)
{
	test_each_extra(check_sharing);
}

/* A program with all registers of the processor */
static void several_registers(void **state)
{
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(linux_models); i++) {
		const struct linux_extra *extra = extras[linux_models[i].pmu];
		struct pmc_program program = { .nr = 0 };
		struct pmc_pmu pmu = { .touched_extra = 0 };

		memset(&cpu, 0, sizeof(cpu));
		pmu.description = describe(&linux_models[i]);
		for (j = 0; j < MAX_EXTRAS && extra[j].mask; j++) {
			if (!j || extra[j].msr != extra[j - 1].msr)
				assert_int_equal(0, compile(&pmu.description, &extra[j],
							    extra[j].mask, &program));
		}
		core_extra_load(&pmu, &program);
		for (j = 0; j < MAX_EXTRAS && extra[j].mask; j++) {
			if (!j || extra[j].msr != extra[j - 1].msr)
				assert_int_equal(extra[j].mask, *msr(extra[j].msr));
		}
		core_extra_restore(&pmu);
		assert_int_equal(0, cpu.rsp_0 | cpu.rsp_1 | cpu.frontend);
	}
}

/* Before the first load: a hypervisor may fault on a value or discard it. */
static void check_try(const struct linux_model *model, const struct linux_extra *extra)
{
	struct pmc_pmu pmu = { .description = describe(model) };
	struct pmc_program program = { .nr = 0 };
	u64 *value = msr(extra->msr);

	assert_int_equal(0, compile(&pmu.description, extra, extra->mask, &program));
	*value = 0x20;
	assert_true(core_extra_try(&pmu, &program));
	assert_int_equal(extra->msr, cpu.last);
	assert_int_equal(0x20, *value);
	cpu.lacking = extra->msr;
	assert_false(core_extra_try(&pmu, &program));
	cpu.lacking = 0;
	cpu.discards_writes = true;
	assert_false(core_extra_try(&pmu, &program));
	/* another thread's counters may use a register that has been loaded */
	core_extra_load(&pmu, &program);
	cpu.accesses = 0;
	assert_true(core_extra_try(&pmu, &program));
	assert_int_equal(0, cpu.accesses);
}

static void tried_registers(void **state)
{
	test_each_extra(check_try);
}

/* Processors without such events, or without RDPMC: no register is read. */
static void no_registers(void **state)
{
	struct pmc_description no_rdpmc = {
		.query = { .cpu_family = 6, .cpu_model = 0x55, .quirks = PMC_QUIRK(NO_RDPMC) },
	};
	size_t i;

	memset(&cpu, 0, sizeof(cpu));
	core_extra_describe(&no_rdpmc);
	assert_int_equal(0, no_rdpmc.extra);
	for (i = 0; i < ARRAY_SIZE(linux_models); i++) {
		if (!extras[linux_models[i].pmu][0].mask)
			assert_int_equal(0, describe(&linux_models[i]).extra);
	}
	assert_int_equal(0, cpu.accesses);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_event),
		cmocka_unit_test(each_bit),
		cmocka_unit_test(lacking_registers),
		cmocka_unit_test(sibling_threads),
		cmocka_unit_test(registers),
		cmocka_unit_test(sharing),
		cmocka_unit_test(several_registers),
		cmocka_unit_test(tried_registers),
		cmocka_unit_test(no_registers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
