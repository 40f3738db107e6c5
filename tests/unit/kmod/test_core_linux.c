// SPDX-License-Identifier: GPL-2.0-only
/* Tests of core_events.c and core_generation.c: each event of each model, against Linux 7.3 */
#include "unit.h"

#include <linux/kernel.h>

#include "families/core.h"
#include "linux_models.h"

#define ALL		(~0ULL)

struct linux_constraint {
	u32 first, last, compared;
	u64 counters;
};

/* Linux's INTEL_*_CONSTRAINT(); the code of UEVENT and UBIT includes the unit mask */
#define RANGE(first, last, counters)	{ first, last, 0xff, counters }
#define EVENT(code, counters)		RANGE(code, code, counters)
#define UEVENT(code, counters)		{ code, code, 0xffff, counters }
#define UBIT(code, counters)		{ code, code, 0xff | (code), counters }

/* Load latency, and events of intel_*_extra_regs with a register that the driver does not set */
#define REFUSED(code)			UEVENT(code, 0)

#define MAX_CONSTRAINTS	40

/*
 * intel_*_event_constraints, events/intel/core.c. Not those of fixed counters, which allow the
 * general counters, too, not those of metrics, and not those that allow all counters that the
 * processor has.
 */
static const struct linux_constraint constraints[LINUX_PMUS][MAX_CONSTRAINTS] = {
	[LINUX_CORE] = {
		EVENT(0x11, 0x2), EVENT(0x12, 0x2), EVENT(0x13, 0x2), EVENT(0x14, 0x1),
		EVENT(0x19, 0x2), EVENT(0xc1, 0x1),
	},
	[LINUX_CORE2] = {
		EVENT(0x10, 0x1), EVENT(0x11, 0x2), EVENT(0x12, 0x2), EVENT(0x13, 0x2),
		EVENT(0x14, 0x1), EVENT(0x18, 0x1), EVENT(0x19, 0x2), EVENT(0xa1, 0x1),
		EVENT(0xc9, 0x1), EVENT(0xcb, 0x1),
	},
	[LINUX_NHM] = {
		REFUSED(0x100b),
		EVENT(0x40, 0x3), EVENT(0x41, 0x3), EVENT(0x42, 0x3), EVENT(0x43, 0x3),
		EVENT(0x48, 0x3), EVENT(0x4e, 0x3), EVENT(0x51, 0x3), EVENT(0x63, 0x3),
		/* not in Linux: Intel's event files */
		UEVENT(0x014c, 0x3), UEVENT(0x0152, 0x3), UEVENT(0x0153, 0x3),
	},
	[LINUX_WSM] = {
		REFUSED(0x100b),
		EVENT(0x51, 0x3), EVENT(0x60, 0x1), EVENT(0x63, 0x3), EVENT(0xb3, 0x1),
		/* not in Linux: Intel's event files */
		UEVENT(0x014c, 0x3), EVENT(0x4e, 0x3), UEVENT(0x0152, 0x3),
	},
	[LINUX_SNB ... LINUX_SNBEP] = {
		REFUSED(0x01cd),
		UEVENT(0x04a3, 0xf), UEVENT(0x05a3, 0xf), UEVENT(0x02a3, 0x4), UEVENT(0x06a3, 0x4),
		EVENT(0x48, 0x4), UEVENT(0x01c0, 0x2), EVENT(0xcd, 0x8), EVENT(0xd0, 0xf),
		EVENT(0xd1, 0xf), EVENT(0xd2, 0xf), EVENT(0xd3, 0xf),
	},
	[LINUX_IVB ... LINUX_IVBEP] = {
		REFUSED(0x01cd),
		UEVENT(0x0148, 0x4), UEVENT(0x0279, 0xf), UEVENT(0x019c, 0xf), UEVENT(0x02a3, 0xf),
		UEVENT(0x04a3, 0xf), UEVENT(0x05a3, 0xf), UEVENT(0x06a3, 0xf), UEVENT(0x08a3, 0x4),
		UEVENT(0x0ca3, 0x4), UEVENT(0x01c0, 0x2), EVENT(0xd0, 0xf), EVENT(0xd1, 0xf),
		EVENT(0xd2, 0xf), EVENT(0xd3, 0xf),
		/* in Linux for PEBS only: Intel's event files */
		UEVENT(0x02cd, 0x8),
	},
	[LINUX_HSW] = {
		REFUSED(0x01cd),
		UEVENT(0x0148, 0x4), UEVENT(0x01c0, 0x2), EVENT(0xcd, 0x8), UEVENT(0x08a3, 0x4),
		UEVENT(0x0ca3, 0x4), UEVENT(0x04a3, 0xf), EVENT(0xd0, 0xf), EVENT(0xd1, 0xf),
		EVENT(0xd2, 0xf), EVENT(0xd3, 0xf),
	},
	[LINUX_BDW] = {
		REFUSED(0x01cd),
		UEVENT(0x0148, 0x4), UBIT(0x08a3, 0x4), EVENT(0xd0, 0xf), EVENT(0xd1, 0xf),
		EVENT(0xd2, 0xf), EVENT(0xcd, 0xf),
		/* in Linux for PEBS only: Intel's event files */
		UEVENT(0x01c0, 0x2),
	},
	[LINUX_SKL] = {
		REFUSED(0x01cd),
		UEVENT(0x01c0, 0x2), EVENT(0xd0, 0xf), EVENT(0xd1, 0xf), EVENT(0xd2, 0xf),
		EVENT(0xcd, 0xf), EVENT(0xc6, 0xf),
	},
	[LINUX_ICL] = {
		REFUSED(0x01cd),
		RANGE(0x03, 0x0a, 0xf), RANGE(0x1f, 0x28, 0xf), EVENT(0x32, 0xf),
		RANGE(0x48, 0x56, 0xf), RANGE(0x60, 0x8b, 0xf), UEVENT(0x04a3, 0xff),
		UEVENT(0x10a3, 0xff), UEVENT(0x14a3, 0xff), EVENT(0xa3, 0xf),
		RANGE(0xa8, 0xb0, 0xf), RANGE(0xb7, 0xbd, 0xf), RANGE(0xd0, 0xe6, 0xf),
		EVENT(0xef, 0xf), RANGE(0xf0, 0xf4, 0xf),
	},
	[LINUX_GLC ... LINUX_RWC] = {
		REFUSED(0x01cd),
		EVENT(0x2e, 0xff), EVENT(0x3c, 0xff), RANGE(0x01, 0x8f, 0xf), UEVENT(0x01a3, 0xf),
		UEVENT(0x02a3, 0xf), UEVENT(0x05a3, 0xf), UEVENT(0x06a3, 0xf), UEVENT(0x08a3, 0xf),
		UEVENT(0x0ca3, 0xf), UEVENT(0x04a4, 0x1), UEVENT(0x08a4, 0x1), UEVENT(0x02cd, 0x1),
		EVENT(0xce, 0x1), RANGE(0xd0, 0xdf, 0xf),
	},
	[LINUX_LNC] = {
		REFUSED(0x01cd),
		EVENT(0x20, 0xf), UEVENT(0x0148, 0x4), UEVENT(0x0175, 0x4), UEVENT(0x08a3, 0x4),
		UEVENT(0x0ca3, 0x4), UEVENT(0x04a4, 0x1), UEVENT(0x08a4, 0x1), UEVENT(0x10a4, 0x8),
		UEVENT(0x01b1, 0x8), UEVENT(0x02cd, 0x3), UEVENT(0x87d0, 0x3ff),
		RANGE(0xd0, 0xdf, 0xf),
	},
	[LINUX_PNC] = {
		REFUSED(0x012a), REFUSED(0x022a), REFUSED(0x042a), REFUSED(0x082a),
		REFUSED(0x014f), REFUSED(0x024f), REFUSED(0x044f), REFUSED(0x084f),
		REFUSED(0x01d6), REFUSED(0x02d6), REFUSED(0x04d6), REFUSED(0x08d6),
		REFUSED(0x01cd), REFUSED(0x02c6), REFUSED(0x03c6), REFUSED(0x40ad),
		REFUSED(0x04c2),
		EVENT(0x20, 0xf), EVENT(0x79, 0xf), UEVENT(0x0275, 0xf), UEVENT(0x0176, 0xf),
		UEVENT(0x04a4, 0x1), UEVENT(0x08a4, 0x1), UEVENT(0x02cd, 0x3), EVENT(0xd0, 0xf),
		EVENT(0xd1, 0xf), EVENT(0xd4, 0xf), EVENT(0xd6, 0xf), EVENT(0xdf, 0xf),
		EVENT(0xce, 0x1), UEVENT(0x01b1, 0x8), UEVENT(0x01b2, 0xf), UEVENT(0x02b2, 0xf),
		UEVENT(0x0847, 0xf), UEVENT(0x0446, 0xf), UEVENT(0x0846, 0xf), UEVENT(0x0148, 0xf),
		/* not in Linux: Intel's event file of Nova Lake 1.00 */
		UEVENT(0x10a4, 0x8),
	},
	[LINUX_SLM ... LINUX_KNL] = { REFUSED(0x01b7), REFUSED(0x02b7) },
	[LINUX_GRT] = { REFUSED(0x01b7), REFUSED(0x02b7), REFUSED(0x05d0) },
	[LINUX_CMT] = {
		REFUSED(0x01b7), REFUSED(0x02b7), REFUSED(0x05d0), REFUSED(0x0127), REFUSED(0x0227),
	},
	[LINUX_ARW] = {
		REFUSED(0x01b7), REFUSED(0x02b7), REFUSED(0x04b7), REFUSED(0x08b7),
		REFUSED(0x05d0), REFUSED(0x0127), REFUSED(0x0227),
		UEVENT(0x0175, 0x1), UEVENT(0x0275, 0x2), UEVENT(0x21d3, 0x1), UEVENT(0x22d3, 0x1),
	},
};

static u64 linux_counters(enum linux_pmu pmu, u32 select)
{
	const struct linux_constraint *row = constraints[pmu];

	for (; row->compared; row++) {
		if (row->first <= (select & row->compared) &&
		    (select & row->compared) <= row->last)
			return row->counters;
	}
	return ALL;
}

static void each_event(const struct linux_model *model)
{
	const struct pmc_query query = linux_query(model);
	u32 select;

	for (select = 0; select < 0x10000; select++) {
		u64 expected = linux_counters(model->pmu, select);
		u64 counters = core_event_counters(&query, select);

		if (counters != expected)
			fail_msg("family %u, model %#x, core type %#x, event %#06x: %#llx, not %#llx",
				 model->family, model->model, model->core_type, select,
				 (unsigned long long)counters, (unsigned long long)expected);
	}
}

static void each_model(void **state)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(linux_models); i++)
		each_event(&linux_models[i]);
}

/* A processor without leaf 1AH, as hypervisors emulate it, has cores of type Core. */
static void without_core_type(void **state)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(linux_models); i++) {
		struct linux_model model = linux_models[i];

		if (model.core_type != LINUX_TYPE_CORE)
			continue;
		model.core_type = 0;
		each_event(&model);
	}
}

static bool is_known(u32 family, u32 model)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(linux_models); i++) {
		if (linux_models[i].family == family && linux_models[i].model == model)
			return true;
	}
	return false;
}

/* Model 31 is among them: Linux does not know it either. */
static void other_models(void **state)
{
	const struct pmc_query unknown = { .cpu_family = 6, .cpu_model = 31 };
	u32 family, model, select;

	for (family = 1; family < 32; family++) {
		for (model = 0; model < 256; model++) {
			const struct pmc_query query = { .cpu_family = family, .cpu_model = model };

			if (!is_known(family, model))
				assert_int_equal(CORE_OTHER, core_generation(&query));
		}
	}
	for (select = 0; select < 0x10000; select++)
		assert_int_equal(ALL, core_event_counters(&unknown, select));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_model),
		cmocka_unit_test(without_core_type),
		cmocka_unit_test(other_models),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
