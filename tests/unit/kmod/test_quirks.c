// SPDX-License-Identifier: GPL-2.0-only
/* Tests of quirks.c, quirks_amd.c and quirks_intel.c: the quirks of each model */
#include "unit.h"

#include <linux/kernel.h>
#include <asm/processor.h>

#include "families/quirks.h"

/* CPUID.(07H, 0):EDX, cpufeatures.h: X86_FEATURE_TSX_FORCE_ABORT, X86_FEATURE_RTM_ALWAYS_ABORT */
#define FORCE_ABORT	(1U << 13)
#define ALWAYS_ABORT	(1U << 11)

static struct {
	u32 highest_leaf;
	u32 features_edx;	/* of leaf 7 */
} cpu;

void cpuid(u32 leaf, u32 subleaf, u32 registers[4])
{
	memset(registers, 0, 4 * sizeof(*registers));
	assert_int_equal(0, subleaf);
	if (leaf == 0) {
		registers[0] = cpu.highest_leaf;
		return;
	}
	assert_int_equal(7, leaf);
	registers[3] = cpu.features_edx;
}

static u64 quirks_of(const char *vendor, u32 family, u32 model, u32 stepping)
{
	struct pmc_query query = {
		.cpu_family = family,
		.cpu_model = model,
		.cpu_stepping = stepping,
	};

	memcpy(query.vendor, vendor, strlen(vendor));
	return pmc_quirks_find(&query);
}

static u64 intel(u32 family, u32 model, u32 stepping)
{
	return quirks_of("GenuineIntel", family, model, stepping);
}

/* Linux 7.3, events/intel/core.c: the functions that intel_pmu_init() sets for each model */
#define NHM_ENABLE_ALL		PMC_QUIRK(NEHALEM_ENABLE)	/* intel_pmu_nhm_enable_all() */
#define NHM_LIMIT_PERIOD	PMC_QUIRK(PERIOD_32)		/* nhm_limit_period() */
#define HSW_LIMIT_PERIOD	(PMC_QUIRK(PERIOD_32) | PMC_QUIRK(PERIOD_128))
#define BDW_LIMIT_PERIOD	PMC_QUIRK(PERIOD_128)
#define HT_BUG			PMC_QUIRK(HT_LEAK)		/* intel_ht_bug() */

/* Xen, vpmu_intel.c, handle_pmc_quirk() */
#define XEN_PMC_QUIRK		PMC_QUIRK(ZERO)

/* LKML, August 2024, which quotes HSM154 of mobile Haswell */
#define HSM154			PMC_QUIRK(FIXED0)

/* LIKWID, issues 59 and 517: Broadwell-EP, -EX and -DE */
#define LIKWID			PMC_QUIRK(USER_4_7)

static const u64 family_6[256] = {
	[0x1a] = NHM_ENABLE_ALL | NHM_LIMIT_PERIOD | XEN_PMC_QUIRK,	/* Nehalem-EP */
	[0x1e] = NHM_ENABLE_ALL | NHM_LIMIT_PERIOD,
	[0x2e] = NHM_ENABLE_ALL | NHM_LIMIT_PERIOD | XEN_PMC_QUIRK,	/* Nehalem-EX */
	[0x25] = NHM_ENABLE_ALL,					/* Westmere */
	[0x2c] = NHM_ENABLE_ALL,
	[0x2f] = NHM_ENABLE_ALL | XEN_PMC_QUIRK,			/* Westmere-EX */
	[0x2a] = HT_BUG | XEN_PMC_QUIRK,				/* Sandy Bridge */
	[0x2d] = HT_BUG,
	[0x3a] = HT_BUG,						/* Ivy Bridge */
	[0x3e] = HT_BUG,
	[0x3c] = HT_BUG | HSW_LIMIT_PERIOD | HSM154,			/* Haswell */
	[0x3f] = HT_BUG | HSW_LIMIT_PERIOD,
	[0x45] = HT_BUG | HSW_LIMIT_PERIOD | HSM154,
	[0x46] = HT_BUG | HSW_LIMIT_PERIOD | HSM154,
	[0x3d] = BDW_LIMIT_PERIOD,					/* Broadwell */
	[0x47] = BDW_LIMIT_PERIOD,
	[0x4f] = BDW_LIMIT_PERIOD | LIKWID,
	[0x56] = BDW_LIMIT_PERIOD | LIKWID,
};

static void each_model(void **state)
{
	u32 model, stepping;

	cpu = (typeof(cpu)){ 13, 0 };
	for (model = 0; model < 256; model++) {
		for (stepping = 0; stepping < 16; stepping++) {
			u64 found = intel(6, model, stepping);
			u64 expected = family_6[model];

			/* Linux 7.3, events/intel/p6.c, p6_pmu_rdpmc_quirk() */
			if (model == 1 && stepping < 9)
				expected = PMC_QUIRK(P6_RDPMC);
			if (found != expected)
				fail_msg("model %#x, stepping %u: %#llx, not %#llx", model,
					 stepping, (unsigned long long)found,
					 (unsigned long long)expected);
		}
	}
}

/* Pentium Pro Specification Update, erratum 26 */
static void pentium_pro(void **state)
{
	cpu = (typeof(cpu)){ 2, 0 };
	assert_int_equal(PMC_QUIRK(P6_RDPMC), intel(6, 1, 0));
	assert_int_equal(PMC_QUIRK(P6_RDPMC), intel(6, 1, 8));
	assert_int_equal(0, intel(6, 1, 9));
	assert_int_equal(0, intel(6, 3, 0));
}

/* Leaf 7's bits for the microcode's use of counter 3; the model does not matter */
static void tsx_force_abort(void **state)
{
	static const struct {
		u32 highest_leaf, features_edx;
		bool has_quirk;
	} known[] = {
		{ 7, 0, false },
		{ 7, FORCE_ABORT, true },
		{ 7, ALWAYS_ABORT, false },
		{ 7, FORCE_ABORT | ALWAYS_ABORT, false },
		{ 7, ~ALWAYS_ABORT, true },
		{ 7, ~FORCE_ABORT, false },
		{ 8, FORCE_ABORT, true },
		/* leaf 7 does not exist: CPUID returns data of another leaf */
		{ 6, FORCE_ABORT, false },
	};
	u32 model;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		cpu = (typeof(cpu)){ known[i].highest_leaf, known[i].features_edx };
		for (model = 0; model < 256; model++)
			assert_int_equal(family_6[model] |
					 (known[i].has_quirk ? PMC_QUIRK(TSX_FORCE_ABORT) : 0),
					 intel(6, model, 9));
	}
}

/* Pentium 4 and Xeon Specification Updates, N15 and O8: every model and stepping */
static void other_families(void **state)
{
	u32 family, model, stepping;

	cpu = (typeof(cpu)){ 13, FORCE_ABORT };
	for (family = 0; family < 32; family++) {
		for (model = 0; model < 256 && family != 6; model++) {
			for (stepping = 0; stepping < 16; stepping++)
				assert_int_equal(family == 15 ? PMC_QUIRK(NETBURST_WRITE) : 0,
						 intel(family, model, stepping));
		}
	}
}

/* AMD 55449, erratum 1023: family 17h, models 00h to 0Fh, and no other of AMD's */
static void amd(void **state)
{
	u32 family, model, stepping;

	cpu = (typeof(cpu)){ 13, FORCE_ABORT };
	for (family = 0; family < 32; family++) {
		for (model = 0; model < 256; model++) {
			for (stepping = 0; stepping < 16; stepping++) {
				u64 expected = family == 0x17 && model <= 0x0f ?
					       PMC_QUIRK(LOST_PMI) : 0;
				u64 found = quirks_of("AuthenticAMD", family, model, stepping);

				if (found != expected)
					fail_msg("family %#x, model %#x, stepping %u: %#llx",
						 family, model, stepping,
						 (unsigned long long)found);
			}
		}
	}
}

/* Other vendors' processors have no quirks, whatever their family. */
static void other_vendors(void **state)
{
	static const char *const vendors[] = {
		"AuthenticAMX", "HygonGenuine", "CentaurHauls", "  Shanghai  ", "GenuineTMx86",
		"GenuineIntex", "",
	};
	static const u32 families[] = { 5, 6, 7, 15, 16, 18, 19, 21, 23, 25, 26 };
	size_t i, j;
	u32 model;

	cpu = (typeof(cpu)){ 13, FORCE_ABORT };
	for (i = 0; i < ARRAY_SIZE(vendors); i++) {
		for (j = 0; j < ARRAY_SIZE(families); j++) {
			for (model = 0; model < 256; model++)
				assert_int_equal(0, quirks_of(vendors[i], families[j], model, 1));
		}
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_model),
		cmocka_unit_test(pentium_pro),
		cmocka_unit_test(tsx_force_abort),
		cmocka_unit_test(other_families),
		cmocka_unit_test(amd),
		cmocka_unit_test(other_vendors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
