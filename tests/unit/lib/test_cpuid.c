// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests what the library reads from CPUID when it has no driver: lib/events/cpuid.c, which the
 * other tests replace. The leaves are those of CPUID in Intel's Volume 2A.
 */
#include <cpuid.h>
#include <string.h>

#include "check.h"

struct leaf {
	unsigned int number, subleaf, eax, ebx, ecx, edx;
};

static const struct leaf *leaves;
static size_t num_leaves;

/* As __get_cpuid_count(): without a leaf 1, or beyond the last leaf, there is nothing. */
static int fake_get_cpuid_count(unsigned int number, unsigned int subleaf, unsigned int *eax,
				unsigned int *ebx, unsigned int *ecx, unsigned int *edx)
{
	size_t i;

	if (!num_leaves || !leaves[0].eax || number > leaves[0].eax)
		return 0;
	*eax = *ebx = *ecx = *edx = 0;
	for (i = 0; i < num_leaves; i++)
		if (leaves[i].number == number && leaves[i].subleaf == subleaf) {
			*eax = leaves[i].eax;
			*ebx = leaves[i].ebx;
			*ecx = leaves[i].ecx;
			*edx = leaves[i].edx;
		}
	return 1;
}

static int fake_get_cpuid(unsigned int number, unsigned int *eax, unsigned int *ebx,
			  unsigned int *ecx, unsigned int *edx)
{
	return fake_get_cpuid_count(number, 0, eax, ebx, ecx, edx);
}

#define __get_cpuid			fake_get_cpuid
#define __get_cpuid_count		fake_get_cpuid_count
#define pmc_processor_read_cpuid	read_fake_cpuid
#include "../../../lib/events/cpuid.c"

#define INTEL(max)	{ 0, 0, max, 0x756e6547, 0x6c65746e, 0x49656e69 }
#define AMD(max)	{ 0, 0, max, 0x68747541, 0x444d4163, 0x69746e65 }
#define MMX		(1U << 23)
#define HYBRID		(1U << 15)
#define PERFMON_EXT	(1U << 8)

/* The query of a processor with these leaves; the rest of it is zero. */
#define READ(...)						\
	({							\
		static const struct leaf list[] = { __VA_ARGS__ };	\
		struct pmc_query query;				\
								\
		memset(&query, 0xff, sizeof(query));		\
		leaves = list;					\
		num_leaves = ARRAY_SIZE(list);			\
		read_fake_cpuid(&query);			\
		query;						\
	})

static void expect_signature(const struct pmc_query *query, const char *vendor,
			     unsigned int family, unsigned int model, unsigned int stepping)
{
	assert_memory_equal(query->vendor, vendor, strlen(vendor) + 1);
	assert_int_equal(query->cpu_family, family);
	assert_int_equal(query->cpu_model, model);
	assert_int_equal(query->cpu_stepping, stepping);
}

static void expect_perfmon(const struct pmc_query *query, unsigned int version,
			   unsigned int described, unsigned int unavailable, uint64_t fixed)
{
	assert_int_equal(query->perfmon_version, version);
	assert_int_equal(query->events_described, described);
	assert_int_equal(query->events_unavailable, unavailable);
	assert_int_equal(query->fixed_counters, fixed);
}

static void no_leaf(void **state)
{
	static const struct pmc_query zero;
	struct pmc_query query;

	memset(&query, 0xff, sizeof(query));
	num_leaves = 0;
	read_fake_cpuid(&query);
	assert_memory_equal(&query, &zero, sizeof(query));

	query = READ(INTEL(0));
	assert_memory_equal(&query, &zero, sizeof(query));
}

/* The extended model counts in families 6 and 15, the extended family in 15 alone. */
static void signatures(void **state)
{
	struct pmc_query query = READ(INTEL(1), { 1, 0, 0x0ffff543, 0, 0, ~MMX });

	expect_signature(&query, "GenuineIntel", 5, 4, 3);
	assert_int_equal(query.features, 0);
	query = READ(INTEL(1), { 1, 0, 0x0ffa06e9, 0, 0, MMX });
	expect_signature(&query, "GenuineIntel", 6, 0xae, 9);
	assert_int_equal(query.features, PMC_FEATURE(RDPMC));
	query = READ(INTEL(1), { 1, 0, 0x00000f41, 0, 0, MMX });
	expect_signature(&query, "GenuineIntel", 15, 4, 1);
	query = READ(AMD(1), { 1, 0, 0x00a50f12, 0, 0, MMX });
	expect_signature(&query, "AuthenticAMD", 0x19, 0x51, 2);
	assert_int_equal(query.features, PMC_FEATURE(RDPMC));
	query = READ(AMD(1), { 1, 0, 0x0ff00f12, 0, 0, 0 });
	expect_signature(&query, "AuthenticAMD", 0x10e, 1, 2);
}

/* Leaf 0AH: version in EAX 7:0, number of events in EAX 31:24, fixed counters in EDX 4:0 and ECX */
static void perfmon(void **state)
{
	struct pmc_query query;

	query = READ(INTEL(9), { 10, 0, 0x07300803, 0, 0, 0x603 });
	expect_perfmon(&query, 0, 0, 0, 0);
	query = READ(INTEL(10), { 10, 0, 0x07280201, 0x12, 0xff, 0x603 });
	expect_perfmon(&query, 1, 7, 0x12, 0);
	query = READ(INTEL(10), { 10, 0, 0x07280202, 0x40, 0, 0x603 });
	expect_perfmon(&query, 2, 7, 0x40, 7);
	query = READ(INTEL(10), { 10, 0, 0x1f300805, 0, 0x28, 0xffe0 | 4 });
	expect_perfmon(&query, 5, 31, 0, 0x2f);
	query = READ(INTEL(10), { 10, 0, 0x20300805, 0, 0, 0x1f });
	expect_perfmon(&query, 5, 32, 0, 0x7fffffff);
	query = READ(INTEL(10), { 10, 0, 0xff300805, 0, 0, 0 });
	expect_perfmon(&query, 5, 32, 0, 0);
	query = READ(AMD(10), { 10, 0, 0x07300803, 1, 0, 0x603 });
	expect_perfmon(&query, 0, 0, 0, 0);
}

#define LEAF_10	{ 10, 0, 0x07300806, 0x80, 0, 3 }
#define LEAF_7	{ 7, 1, PERFMON_EXT, 0, 0, 0 }

/* Leaf 23H: subleaves in EAX of subleaf 0; counters in 1, events in 3 */
static void perfmon_extended(void **state)
{
	struct pmc_query query;

	query = READ(INTEL(0x23), LEAF_10, LEAF_7, { 0x23, 0, 0xb, 0, 0, 0 },
		     { 0x23, 1, 0xff, 0x77, 0, 0 }, { 0x23, 3, 0x1f7f, 0, 0, 0 });
	expect_perfmon(&query, 6, 32, ~0x1f7fU, 0x77);
	/* a subleaf that EAX does not list, or that does not have general counters */
	query = READ(INTEL(0x23), LEAF_10, LEAF_7, { 0x23, 0, 9, 0, 0, 0 },
		     { 0x23, 1, 0xff, 0x77, 0, 0 }, { 0x23, 3, 0x1f7f, 0, 0, 0 });
	expect_perfmon(&query, 6, 32, ~0x1f7fU, 7);
	query = READ(INTEL(0x23), LEAF_10, LEAF_7, { 0x23, 0, 3, 0, 0, 0 },
		     { 0x23, 1, 0xff, 0x77, 0, 0 }, { 0x23, 3, 0x1f7f, 0, 0, 0 });
	expect_perfmon(&query, 6, 7, 0x80, 0x77);
	query = READ(INTEL(0x23), LEAF_10, LEAF_7, { 0x23, 0, 3, 0, 0, 0 },
		     { 0x23, 1, 0, 0x77, 0, 0 });
	expect_perfmon(&query, 6, 7, 0x80, 7);
	/* no subleaf 0; no bit in leaf 7; no leaf 23H; an older version */
	query = READ(INTEL(0x23), LEAF_10, LEAF_7, { 0x23, 0, 0xa, 0, 0, 0 },
		     { 0x23, 1, 0xff, 0x77, 0, 0 }, { 0x23, 3, 0x1f7f, 0, 0, 0 });
	expect_perfmon(&query, 6, 7, 0x80, 7);
	query = READ(INTEL(0x23), LEAF_10, { 7, 1, ~PERFMON_EXT, 0, 0, 0 },
		     { 0x23, 0, 0xb, 0, 0, 0 }, { 0x23, 1, 0xff, 0x77, 0, 0 },
		     { 0x23, 3, 0x1f7f, 0, 0, 0 });
	expect_perfmon(&query, 6, 7, 0x80, 7);
	query = READ(INTEL(0x22), LEAF_10, LEAF_7, { 0x23, 0, 0xb, 0, 0, 0 },
		     { 0x23, 1, 0xff, 0x77, 0, 0 }, { 0x23, 3, 0x1f7f, 0, 0, 0 });
	expect_perfmon(&query, 6, 7, 0x80, 7);
	query = READ(INTEL(0x23), { 10, 0, 0x07300805, 0x80, 0, 3 }, LEAF_7,
		     { 0x23, 0, 0xb, 0, 0, 0 }, { 0x23, 1, 0xff, 0x77, 0, 0 },
		     { 0x23, 3, 0x1f7f, 0, 0, 0 });
	expect_perfmon(&query, 5, 7, 0x80, 7);
}

/* Leaf 1AH exists where EDX 15 of leaf 7 is set. */
static void core_type(void **state)
{
	struct pmc_query query;

	query = READ(INTEL(0x1a), { 7, 0, 0, 0, 0, HYBRID }, { 0x1a, 0, 0x40000001, 0, 0, 0 });
	assert_int_equal(query.core_type, 0x40000001);
	query = READ(INTEL(0x1a), { 7, 0, 0, 0, 0, ~HYBRID }, { 0x1a, 0, 0x40000001, 0, 0, 0 });
	assert_int_equal(query.core_type, 0);
	query = READ(INTEL(0x19), { 7, 0, 0, 0, 0, HYBRID }, { 0x1a, 0, 0x40000001, 0, 0, 0 });
	assert_int_equal(query.core_type, 0);
	query = READ(AMD(0x1a), { 7, 0, 0, 0, 0, HYBRID }, { 0x1a, 0, 0x40000001, 0, 0, 0 });
	assert_int_equal(query.core_type, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_leaf),
		cmocka_unit_test(signatures),
		cmocka_unit_test(perfmon),
		cmocka_unit_test(perfmon_extended),
		cmocka_unit_test(core_type),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
