// SPDX-License-Identifier: GPL-2.0-only
/*
 * NetBurst parts and their tables of events: one line for each bit of an event mask
 *
 * Intel's SDM Vol. 3B, "Pentium 4 and Intel Xeon Processor Performance-Monitoring Events":
 * tables of the events for non-retirement counting, for at-retirement counting, and of those
 * of models 3, 4 and 6. Of the first table, only events that follow from the instructions
 * alone or from the predictor are here.
 */
#include "pmu_netburst.h"

#define EVENT(unit, select, bit, what, ...) \
	{ NETBURST_CODE(UNIT_##unit, select, bit), .name = (what), \
	  .prims = { __VA_ARGS__ } }
#define TIME(unit, select, bit, what, ...) \
	{ NETBURST_CODE(UNIT_##unit, select, bit), .duration = true, \
	  .name = (what), .prims = { __VA_ARGS__ } }
#define NONE(unit, select, bit, what, reason) \
	{ NETBURST_CODE(UNIT_##unit, select, bit), .name = (what), .why = (reason) }

#define NOT_BOGUS	"all that is executed retires"
#define NO_TAGS		"nothing is tagged"
#define NO_UOPS		"instructions are not split into micro-ops"
#define NO_CLEARS	"the pipeline is never cleared"
#define NO_ASSISTS	"no instruction needs assistance"
#define NO_KIND		"indirect calls have no primitive of their own here"

#define NO_TIME		"the bus takes no time"
#define NO_SNOOPS	"the bus has no other agent"

#define COND	PMU_BR_COND_TAKEN, PMU_BR_COND_NTAKEN
#define CALLS	PMU_BR_CALL, PMU_BR_CALL_IND

#define NETBURST_EVENTS							\
	TIME(FSB, 0x13, 0, "global_power_events RUNNING", PMU_STEP),	\
	EVENT(TBPU, 0x04, 1, "retired_branch_type CONDITIONAL", COND),	\
	EVENT(TBPU, 0x04, 2, "retired_branch_type CALL", CALLS),	\
	EVENT(TBPU, 0x04, 3, "retired_branch_type RETURN", PMU_BR_RET),	\
	EVENT(TBPU, 0x04, 4, "retired_branch_type INDIRECT", PMU_BR_RET, \
	      PMU_BR_CALL_IND, PMU_BR_JMP_IND),				\
	EVENT(TBPU, 0x05, 1, "retired_mispred_branch_type CONDITIONAL",	\
	      PMU_MISP_COND),						\
	NONE(TBPU, 0x05, 2, "retired_mispred_branch_type CALL", NO_KIND), \
	EVENT(TBPU, 0x05, 3, "retired_mispred_branch_type RETURN", PMU_MISP_RET), \
	EVENT(TBPU, 0x05, 4, "retired_mispred_branch_type INDIRECT",	\
	      PMU_MISP_RET, PMU_MISP_IND),				\
	NONE(CRU23, 0x08, 0, "front_end_event NBOGUS", NO_TAGS),	\
	NONE(CRU23, 0x08, 1, "front_end_event BOGUS", NO_TAGS),		\
	NONE(CRU23, 0x09, 0, "replay_event NBOGUS", NO_TAGS),		\
	NONE(CRU23, 0x09, 1, "replay_event BOGUS", NO_TAGS),		\
	NONE(CRU23, 0x0c, 0, "execution_event NBOGUS0", NO_TAGS),	\
	NONE(CRU23, 0x0c, 1, "execution_event NBOGUS1", NO_TAGS),	\
	NONE(CRU23, 0x0c, 2, "execution_event NBOGUS2", NO_TAGS),	\
	NONE(CRU23, 0x0c, 3, "execution_event NBOGUS3", NO_TAGS),	\
	NONE(CRU23, 0x0c, 4, "execution_event BOGUS0", NO_TAGS),	\
	NONE(CRU23, 0x0c, 5, "execution_event BOGUS1", NO_TAGS),	\
	NONE(CRU23, 0x0c, 6, "execution_event BOGUS2", NO_TAGS),	\
	NONE(CRU23, 0x0c, 7, "execution_event BOGUS3", NO_TAGS),	\
	EVENT(CRU01, 0x02, 0, "instr_retired NBOGUSNTAG", PMU_INSN),	\
	NONE(CRU01, 0x02, 1, "instr_retired NBOGUSTAG", NO_TAGS),	\
	NONE(CRU01, 0x02, 2, "instr_retired BOGUSNTAG", NOT_BOGUS),	\
	NONE(CRU01, 0x02, 3, "instr_retired BOGUSTAG", NOT_BOGUS),	\
	NONE(CRU01, 0x01, 0, "uops_retired NBOGUS", NO_UOPS),		\
	NONE(CRU01, 0x01, 1, "uops_retired BOGUS", NO_UOPS),		\
	NONE(RAT, 0x02, 1, "uop_type TAGLOADS", NO_TAGS),		\
	NONE(RAT, 0x02, 2, "uop_type TAGSTORES", NO_TAGS),		\
	EVENT(CRU23, 0x06, 0, "branch_retired MMNP", PMU_NTAKEN_PREDICTED), \
	EVENT(CRU23, 0x06, 1, "branch_retired MMNM", PMU_MISP_NTAKEN),	\
	EVENT(CRU23, 0x06, 2, "branch_retired MMTP", PMU_TAKEN_PREDICTED), \
	EVENT(CRU23, 0x06, 3, "branch_retired MMTM", PMU_MISP_TAKEN),	\
	EVENT(CRU01, 0x03, 0, "mispred_branch_retired NBOGUS",		\
	      PMU_MISPREDICTED),					\
	NONE(CRU23, 0x03, 0, "x87_assist FPSU", NO_ASSISTS),		\
	NONE(CRU23, 0x03, 1, "x87_assist FPSO", NO_ASSISTS),		\
	NONE(CRU23, 0x03, 2, "x87_assist POAO", NO_ASSISTS),		\
	NONE(CRU23, 0x03, 3, "x87_assist POAU", NO_ASSISTS),		\
	NONE(CRU23, 0x03, 4, "x87_assist PREA", NO_ASSISTS),		\
	NONE(CRU23, 0x02, 0, "machine_clear CLEAR", NO_CLEARS),		\
	NONE(CRU23, 0x02, 2, "machine_clear MOCLEAR", NO_CLEARS),	\
	NONE(CRU23, 0x02, 6, "machine_clear SMCLEAR", NO_CLEARS)

#define PRESCOTT_EVENTS							\
	EVENT(CRU01, 0x07, 0, "instr_completed NBOGUS", PMU_INSN),	\
	NONE(CRU01, 0x07, 1, "instr_completed BOGUS", NOT_BOGUS)

static const struct pmu_event willamette[] = { NETBURST_EVENTS };

static const struct pmu_event prescott[] = {
	NETBURST_EVENTS,
	PRESCOTT_EVENTS,
};

/* Counted with all qualification bits set. */
static const struct pmu_event xeon_l3[] = {
	NETBURST_EVENTS,
	PRESCOTT_EVENTS,
	EVENT(IBUSQ, 0, 0, "IBUSQ", PMU_LLC_REF),
	NONE(ISNPQ, 0, 0, "ISNPQ", NO_SNOOPS),
	NONE(EFSB, 0, 0, "EFSB", NO_TIME),
	NONE(LATENCY, 0, 0, "IBUSQ latency", NO_TIME),
};

/* ras: 16 entries, Intel's Optimization Reference Manual, NetBurst. */
static const struct pmu_part parts[] = {
	{ 0x0f, 0x01, "Pentium 4 (Willamette)", .slots = 3, .ras = 16,
	  PMU_EVENTS(willamette) },
	{ 0x0f, 0x04, "Celeron D (Prescott)", .slots = 3, .ras = 16,
	  PMU_EVENTS(prescott) },
	{ 0x0f, 0x04, "64-bit Xeon MP with L3", .l3 = true, .slots = 3, .ras = 16,
	  PMU_EVENTS(xeon_l3) },
};

const struct pmu_part_list pmu_netburst_parts = { parts, ARRAY_LEN(parts) };
