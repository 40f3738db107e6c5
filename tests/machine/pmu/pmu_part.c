// SPDX-License-Identifier: GPL-2.0-only
/*
 * Intel parts with architectural performance monitoring: properties that CPUID does not
 * report, and events that are not architectural
 *
 * Section and table names are those of Intel's Software Developer's Manual (SDM). The event
 * lists are Volume 3B's chapter "Performance Monitoring Events" (Intel's perfmon event files
 * since 2022), by microarchitecture.
 *
 * Only the exact codes listed here count: a combination of unit masks is a separate event,
 * and an unlisted event counts nothing.
 */
#include "pmu_int.h"

#define EVENT(event, umask, what, ...) \
	{ PMU_CODE(event, umask), .name = (what), .prims = { __VA_ARGS__ } }
#define EVENT_ON(event, umask, on, what, ...) \
	{ PMU_CODE(event, umask), .counters = (on), .name = (what), .prims = { __VA_ARGS__ } }
#define EVENT2(event, umask, umask2, what, ...) \
	{ PMU_CODE2(event, umask, umask2), .name = (what), .prims = { __VA_ARGS__ } }

#define OFFCORE(event, umask, on, what, n) \
	{ PMU_CODE(event, umask), .counters = (on), .name = (what), .extra_register = (n), \
	  .prims = { PMU_OFFCORE_DATA_HIT, PMU_OFFCORE_DATA_MISS, PMU_OFFCORE_RFO_HIT, \
		     PMU_OFFCORE_RFO_MISS, PMU_OFFCORE_CODE_HIT, PMU_OFFCORE_CODE_MISS } }
#define LATENCY(event, umask, on, what) \
	{ PMU_CODE(event, umask), .counters = (on), .name = (what), .extra_register = PMU_LATENCY, \
	  .prims = { PMU_LOAD_L1, PMU_LOAD_L2, PMU_LOAD_L3, PMU_LOAD_MEMORY } }
#define FRONTEND(event, umask, on) \
	{ PMU_CODE(event, umask), .counters = (on), .name = "FRONTEND_RETIRED", \
	  .extra_register = PMU_FRONTEND, .prims = { PMU_CODE_L1_MISS, PMU_CODE_L2_MISS } }
/* Further events of MSR_PEBS_FRONTEND, which occur for none of its values */
#define NO_FRONTEND(event, umask, what, because) \
	{ PMU_CODE(event, umask), .name = (what), .why = (because) }
#define UP_TO_1		0x3	/* counters that can count an event */
#define ONLY_3		0x8
#define UP_TO_3		0xf
#define FROM_1_TO_7	0xfe
#define FROM_2_TO_9	0x3fc

#define COND	PMU_BR_COND_TAKEN, PMU_BR_COND_NTAKEN
#define CALLS	PMU_BR_CALL, PMU_BR_CALL_IND
#define NEAR_TAKEN PMU_NEAR_TAKEN
#define FAR	PMU_FAR
#define TAKEN	PMU_TAKEN

/* "Performance Monitoring Events for Intel Core Solo and Intel Core Duo" */
static const struct pmu_event core_duo[] = {
	EVENT(0xc8, 0x00, "HW_INT_RX", PMU_HWINT),
	EVENT(0xc9, 0x00, "BR_TAKEN_RET", TAKEN),
};

/* "Performance Monitoring Events for Intel Core 2 / Core microarchitecture" */
static const struct pmu_event core2[] = {
	EVENT(0xc0, 0x01, "INST_RETIRED.LOADS", PMU_LOAD),
	EVENT(0xc0, 0x02, "INST_RETIRED.STORES", PMU_STORE),
	EVENT(0xc4, 0x0c, "BR_INST_RETIRED.TAKEN", TAKEN),
	EVENT(0xc8, 0x00, "HW_INT_RCV", PMU_HWINT),
};

/* "Performance Monitoring Events for 45 nm, 32 nm Intel Atom Processors" */
static const struct pmu_event bonnell[] = {
	EVENT(0x88, 0x01, "BR_INST_TYPE_RETIRED.COND", COND),
	EVENT(0x88, 0x08, "BR_INST_TYPE_RETIRED.RET", PMU_BR_RET),
	EVENT(0x88, 0x10, "BR_INST_TYPE_RETIRED.DIR_CALL", PMU_BR_CALL),
	EVENT(0x88, 0x20, "BR_INST_TYPE_RETIRED.IND_CALL", PMU_BR_CALL_IND),
	EVENT(0x88, 0x41, "BR_INST_TYPE_RETIRED.COND_TAKEN", PMU_BR_COND_TAKEN),
	EVENT(0x89, 0x01, "BR_MISSP_TYPE_RETIRED.COND", PMU_MISP_COND),
	EVENT(0xc4, 0x0c, "BR_INST_RETIRED.TAKEN", TAKEN),
	EVENT(0xc8, 0x00, "HW_INT_RCV", PMU_HWINT),
};

/* "Performance Monitoring Events for Nehalem microarchitecture" */
static const struct pmu_event nehalem[] = {
	EVENT(0x0b, 0x01, "MEM_INST_RETIRED.LOADS", PMU_LOAD),
	EVENT(0x0b, 0x02, "MEM_INST_RETIRED.STORES", PMU_STORE),
	LATENCY(0x0b, 0x10, 0, "MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD"),
	OFFCORE(0xb7, 0x01, 0, "OFFCORE_RESPONSE_0", PMU_OFFCORE_0),
	EVENT(0x1d, 0x01, "HW_INT.RCV", PMU_HWINT),
	EVENT(0x89, 0x7f, "BR_MISP_EXEC.ANY", PMU_MISPREDICTED),
	EVENT(0xc4, 0x01, "BR_INST_RETIRED.CONDITIONAL", COND),
	EVENT(0xc4, 0x02, "BR_INST_RETIRED.NEAR_CALL", CALLS),
};

/* "Performance Monitoring Events for Westmere microarchitecture" */
static const struct pmu_event westmere[] = {
	EVENT(0x0b, 0x01, "MEM_INST_RETIRED.LOADS", PMU_LOAD),
	EVENT(0x0b, 0x02, "MEM_INST_RETIRED.STORES", PMU_STORE),
	LATENCY(0x0b, 0x10, 0, "MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD"),
	OFFCORE(0xb7, 0x01, 0, "OFFCORE_RESPONSE_0", PMU_OFFCORE_0),
	OFFCORE(0xbb, 0x01, 0, "OFFCORE_RESPONSE_1", PMU_OFFCORE_1),
	EVENT(0x89, 0x7f, "BR_MISP_EXEC.ANY", PMU_MISPREDICTED),
	EVENT(0xc4, 0x01, "BR_INST_RETIRED.CONDITIONAL", COND),
	EVENT(0xc4, 0x02, "BR_INST_RETIRED.NEAR_CALL", CALLS),
	EVENT(0xc5, 0x01, "BR_MISP_RETIRED.CONDITIONAL", PMU_MISP_COND),
};

/*
 * "Performance Monitoring Events for 2nd Generation Intel Core Processors"; the 3rd, 4th and
 * 5th generations have the same codes.
 */
#define SANDY_BRIDGE \
	EVENT(0xc4, 0x01, "BR_INST_RETIRED.CONDITIONAL", COND), \
	EVENT(0xc4, 0x02, "BR_INST_RETIRED.NEAR_CALL", CALLS), \
	EVENT(0xc4, 0x08, "BR_INST_RETIRED.NEAR_RETURN", PMU_BR_RET), \
	EVENT(0xc4, 0x10, "BR_INST_RETIRED.NOT_TAKEN", PMU_BR_COND_NTAKEN), \
	EVENT(0xc4, 0x20, "BR_INST_RETIRED.NEAR_TAKEN", NEAR_TAKEN), \
	EVENT(0xc4, 0x40, "BR_INST_RETIRED.FAR_BRANCH", FAR), \
	EVENT(0xc5, 0x01, "BR_MISP_RETIRED.CONDITIONAL", PMU_MISP_COND), \
	EVENT(0xd0, 0x81, "MEM_UOPS_RETIRED.ALL_LOADS", PMU_LOAD), \
	EVENT(0xd0, 0x82, "MEM_UOPS_RETIRED.ALL_STORES", PMU_STORE), \
	OFFCORE(0xb7, 0x01, 0, "OFFCORE_RESPONSE_0", PMU_OFFCORE_0), \
	OFFCORE(0xbb, 0x01, 0, "OFFCORE_RESPONSE_1", PMU_OFFCORE_1)

static const struct pmu_event sandy_bridge[] = {
	SANDY_BRIDGE,
	LATENCY(0xcd, 0x01, ONLY_3, "MEM_TRANS_RETIRED.LOAD_LATENCY"),
};

static const struct pmu_event broadwell[] = {
	SANDY_BRIDGE,
	LATENCY(0xcd, 0x01, UP_TO_3, "MEM_TRANS_RETIRED.LOAD_LATENCY"),
};

/* "Performance Monitoring Events based on Skylake Microarchitecture", and Cannon Lake's. */
static const struct pmu_event skylake[] = {
	EVENT(0xc4, 0x01, "BR_INST_RETIRED.CONDITIONAL", COND),
	EVENT(0xc4, 0x02, "BR_INST_RETIRED.NEAR_CALL", CALLS),
	EVENT(0xc4, 0x08, "BR_INST_RETIRED.NEAR_RETURN", PMU_BR_RET),
	EVENT(0xc4, 0x10, "BR_INST_RETIRED.NOT_TAKEN", PMU_BR_COND_NTAKEN),
	EVENT(0xc4, 0x20, "BR_INST_RETIRED.NEAR_TAKEN", NEAR_TAKEN),
	EVENT(0xc4, 0x40, "BR_INST_RETIRED.FAR_BRANCH", FAR),
	EVENT(0xc5, 0x01, "BR_MISP_RETIRED.CONDITIONAL", PMU_MISP_COND),
	EVENT(0xcb, 0x01, "HW_INTERRUPTS.RECEIVED", PMU_HWINT),
	EVENT(0xd0, 0x81, "MEM_INST_RETIRED.ALL_LOADS", PMU_LOAD),
	EVENT(0xd0, 0x82, "MEM_INST_RETIRED.ALL_STORES", PMU_STORE),
	OFFCORE(0xb7, 0x01, 0, "OFFCORE_RESPONSE_0", PMU_OFFCORE_0),
	OFFCORE(0xbb, 0x01, 0, "OFFCORE_RESPONSE_1", PMU_OFFCORE_1),
	LATENCY(0xcd, 0x01, UP_TO_3, "MEM_TRANS_RETIRED.LOAD_LATENCY"),
	FRONTEND(0xc6, 0x01, UP_TO_3),
};

/* Ice Lake, Tiger Lake, Sapphire Rapids: Intel's event files, with the same codes. */
#define ICE_LAKE(latency) \
	EVENT(0x9c, 0x01, "IDQ_UOPS_NOT_DELIVERED.CORE", TAKEN), \
	{ PMU_CODE(0xa4, 0x02), .name = "TOPDOWN.BACKEND_BOUND_SLOTS", \
	  .why = "nothing waits for anything" }, \
	{ PMU_CODE(0xc2, 0x02), .name = "UOPS_RETIRED.SLOTS", .unit = PMU_SLOTS_RETIRING, \
	  .prims = { PMU_STEP } }, \
	EVENT(0xc4, 0x01, "BR_INST_RETIRED.COND_TAKEN", PMU_BR_COND_TAKEN), \
	EVENT(0xc4, 0x02, "BR_INST_RETIRED.NEAR_CALL", CALLS), \
	EVENT(0xc4, 0x08, "BR_INST_RETIRED.NEAR_RETURN", PMU_BR_RET), \
	EVENT(0xc4, 0x10, "BR_INST_RETIRED.COND_NTAKEN", PMU_BR_COND_NTAKEN), \
	EVENT(0xc4, 0x11, "BR_INST_RETIRED.COND", COND), \
	EVENT(0xc4, 0x20, "BR_INST_RETIRED.NEAR_TAKEN", NEAR_TAKEN), \
	EVENT(0xc4, 0x40, "BR_INST_RETIRED.FAR_BRANCH", FAR), \
	EVENT(0xc5, 0x11, "BR_MISP_RETIRED.COND", PMU_MISP_COND), \
	EVENT(0xcb, 0x01, "HW_INTERRUPTS.RECEIVED", PMU_HWINT), \
	EVENT_ON(0xd0, 0x81, UP_TO_3, "MEM_INST_RETIRED.ALL_LOADS", PMU_LOAD), \
	EVENT_ON(0xd0, 0x82, UP_TO_3, "MEM_INST_RETIRED.ALL_STORES", PMU_STORE), \
	LATENCY(0xcd, 0x01, latency, "MEM_TRANS_RETIRED.LOAD_LATENCY"), \
	FRONTEND(0xc6, 0x01, 0)

/* From Sapphire Rapids on */
#define FRONTEND_IN_MORE \
	NO_FRONTEND(0xad, 0x40, "INT_MISC.UNKNOWN_BRANCH_CYCLES", \
		    "nothing waits for anything"), \
	NO_FRONTEND(0xc2, 0x04, "UOPS_RETIRED.MS", "there is no microcode sequencer")

static const struct pmu_event ice_lake[] = {
	ICE_LAKE(0),
	OFFCORE(0xb7, 0x01, UP_TO_3, "OCR_0", PMU_OFFCORE_0),
	OFFCORE(0xbb, 0x01, UP_TO_3, "OCR_1", PMU_OFFCORE_1),
};

static const struct pmu_event sapphire_rapids[] = {
	ICE_LAKE(FROM_1_TO_7),
	FRONTEND_IN_MORE,
	OFFCORE(0x2a, 0x01, UP_TO_3, "OCR_0", PMU_OFFCORE_0),
	OFFCORE(0x2b, 0x01, UP_TO_3, "OCR_1", PMU_OFFCORE_1),
};

/*
 * Arrow Lake: Intel's event files for Lion Cove and Skymont. Lion Cove's unit mask 2 selects
 * the forward branches among the taken conditional ones.
 */
static const struct pmu_event lion_cove[] = {
	EVENT2(0xc4, 0x00, 0x01, "BR_INST_RETIRED.COND_TAKEN_FWD", PMU_BR_COND_FORWARD),
	EVENT(0xc4, 0x01, "BR_INST_RETIRED.COND_TAKEN_BWD", PMU_BR_COND_BACKWARD),
	EVENT2(0xc4, 0x01, 0x01, "BR_INST_RETIRED.COND_TAKEN", PMU_BR_COND_TAKEN),
	EVENT(0xc4, 0x02, "BR_INST_RETIRED.NEAR_CALL", CALLS),
	EVENT(0xc4, 0x08, "BR_INST_RETIRED.NEAR_RETURN", PMU_BR_RET),
	EVENT(0xc4, 0x10, "BR_INST_RETIRED.COND_NTAKEN", PMU_BR_COND_NTAKEN),
	EVENT2(0xc4, 0x11, 0x01, "BR_INST_RETIRED.COND", COND),
	EVENT(0xc4, 0x20, "BR_INST_RETIRED.NEAR_TAKEN", NEAR_TAKEN),
	EVENT(0xc4, 0x40, "BR_INST_RETIRED.FAR_BRANCH", FAR),
	EVENT2(0xc5, 0x11, 0x01, "BR_MISP_RETIRED.COND", PMU_MISP_COND),
	EVENT_ON(0xd0, 0x81, UP_TO_3, "MEM_INST_RETIRED.ALL_LOADS", PMU_LOAD),
	EVENT_ON(0xd0, 0x82, UP_TO_3, "MEM_INST_RETIRED.ALL_STORES", PMU_STORE),
	OFFCORE(0x2a, 0x01, 0, "OCR_0", PMU_OFFCORE_0),
	OFFCORE(0x2b, 0x01, 0, "OCR_1", PMU_OFFCORE_1),
	LATENCY(0xcd, 0x01, FROM_2_TO_9, "MEM_TRANS_RETIRED.LOAD_LATENCY"),
	FRONTEND(0xc6, 0x03, 0),
	NO_FRONTEND(0xc6, 0x02, "FRONTEND_RETIRED.MISP_ANT",
		    "the branch predictor does not predict branches as always not taken"),
	FRONTEND_IN_MORE,
};

static const struct pmu_event skymont[] = {
	EVENT(0xc4, 0x7e, "BR_INST_RETIRED.COND", COND),
	EVENT(0xc4, 0x7f, "BR_INST_RETIRED.COND_NTAKEN", PMU_BR_COND_NTAKEN),
	EVENT(0xc4, 0x80, "BR_INST_RETIRED.TAKEN", TAKEN),
	EVENT(0xc4, 0xbf, "BR_INST_RETIRED.FAR_BRANCH", FAR),
	EVENT(0xc4, 0xc0, "BR_INST_RETIRED.NEAR_TAKEN", NEAR_TAKEN),
	EVENT(0xc4, 0xf7, "BR_INST_RETIRED.NEAR_RETURN", PMU_BR_RET),
	EVENT(0xc4, 0xf9, "BR_INST_RETIRED.NEAR_CALL", CALLS),
	EVENT(0xc4, 0xfb, "BR_INST_RETIRED.INDIRECT_CALL", PMU_BR_CALL_IND),
	EVENT(0xc4, 0xfd, "BR_INST_RETIRED.REL_CALL", PMU_BR_CALL),
	EVENT(0xc4, 0xfe, "BR_INST_RETIRED.COND_TAKEN", PMU_BR_COND_TAKEN),
	EVENT(0xc5, 0x7e, "BR_MISP_RETIRED.COND", PMU_MISP_COND),
	EVENT(0xd0, 0x81, "MEM_UOPS_RETIRED.ALL_LOADS", PMU_LOAD),
	EVENT(0xd0, 0x82, "MEM_UOPS_RETIRED.ALL_STORES", PMU_STORE),
	OFFCORE(0xb7, 0x01, 0, "OCR_0", PMU_OFFCORE_0),
	OFFCORE(0xb7, 0x02, 0, "OCR_1", PMU_OFFCORE_1),
	LATENCY(0xd0, 0x05, UP_TO_1, "MEM_UOPS_RETIRED.LOAD_LATENCY"),
};

/* README.md, "Extra registers", has their sources. */
#define EXTRA_REGISTERS(rsp0, rsp1, front) \
	.writable = { [PMU_OFFCORE_0] = (rsp0), [PMU_OFFCORE_1] = (rsp1), \
		      [PMU_LATENCY] = 0xffff, [PMU_FRONTEND] = (front) }
#define RESPONSES(dram) \
	.any = BIT64(16), .hit = BIT64(19), .miss = BIT64(dram), .snoop = BIT64(32)

static const struct pmu_extra_registers nehalem_msrs = {
	EXTRA_REGISTERS(0xffff, 0, 0), .shared = true, .hit = BIT64(8), .miss = BIT64(14),
};

static const struct pmu_extra_registers westmere_msrs = {
	EXTRA_REGISTERS(0xffff, 0xffff, 0), .shared = true, .hit = BIT64(8), .miss = BIT64(14),
};

static const struct pmu_extra_registers sandy_bridge_msrs = {
	EXTRA_REGISTERS(0x3f807f8fff, 0x3f807f8fff, 0), RESPONSES(22),
};

static const struct pmu_extra_registers haswell_msrs = {
	EXTRA_REGISTERS(0x3fffff8fff, 0x3fffff8fff, 0), RESPONSES(22),
};

static const struct pmu_extra_registers broadwell_msrs = {
	EXTRA_REGISTERS(0x3fffff8fff, 0x3fffff8fff, 0), RESPONSES(26),
};

static const struct pmu_extra_registers skylake_msrs = {
	EXTRA_REGISTERS(0x3fffff8fff, 0x3fffff8fff, 0x7fff17), RESPONSES(26),
};

static const struct pmu_extra_registers ice_lake_msrs = {
	EXTRA_REGISTERS(0x3fffffbfff, 0x3fffffbfff, 0x7fff17), RESPONSES(26),
};

static const struct pmu_extra_registers sapphire_rapids_msrs = {
	EXTRA_REGISTERS(0x3fffffffff, 0x3fffffffff, 0x7fff1f), RESPONSES(26),
};

static const struct pmu_extra_registers lion_cove_msrs = {
	EXTRA_REGISTERS(0xfffffffffff, 0xfffffffffff, 0x7fff1f),
	.any = BIT64(16), .miss = BIT64(31), .snoop = BIT64(37),
};

static const struct pmu_extra_registers skymont_msrs = {
	EXTRA_REGISTERS(0x800ff3ffffffffff, 0xff3ffffffffff, 0), RESPONSES(26),
};

/*
 * Display family and model: SDM Vol. 4, table "CPUID Signature Values of
 * DisplayFamily_DisplayModel".
 * fast_rdpmc: SDM Vol. 2B, RDPMC, pseudo-code of the Core 2 family.
 * pin_control: SDM Vol. 3B "Architectural Performance Monitoring Version 1
 * Facilities": bit 19 is not writeable from Sandy Bridge on.
 * core_type: CPUID leaf 1AH: core type and native model.
 * general, fixed: the counters in Intel's event files for these cores. Atom's leaf 0AH has one
 * fixed counter, its event file names three.
 * architectural: leaf 0AH of an Arrow Lake marks slots (Skymont has no counter of slots) and
 * bad speculation absent; each core type lacks one of the two.
 * slots: allocation width in Intel's Optimization Reference Manual.
 * metrics: SDM Vol. 4, 329H, for the parts that have it.
 * ras: 16 entries since Core, 8 on Atom, same manual.
 */
static const struct pmu_part parts[] = {
	{ 0x06, 0x0e, "Core Duo", .pin_control = true,
	  .slots = 4, .ras = 16, PMU_EVENTS(core_duo) },
	{ 0x06, 0x17, "Penryn", .fast_rdpmc = true, .pin_control = true,
	  .slots = 4, .ras = 16, PMU_EVENTS(core2) },
	{ 0x06, 0x1c, "Atom (Bonnell)", .pin_control = true, .fixed = 0x7,
	  .slots = 2, .ras = 8, PMU_EVENTS(bonnell) },
	{ 0x06, 0x1e, "Lynnfield", .pin_control = true,
	  .slots = 4, .ras = 16, .extra_registers = &nehalem_msrs,
	  PMU_EVENTS(nehalem) },
	{ 0x06, 0x25, "Arrandale", .pin_control = true,
	  .slots = 4, .ras = 16, .extra_registers = &westmere_msrs,
	  PMU_EVENTS(westmere) },
	{ 0x06, 0x2a, "Sandy Bridge", .full_width = true,
	  .slots = 4, .ras = 16, .extra_registers = &sandy_bridge_msrs,
	  PMU_EVENTS(sandy_bridge) },
	{ 0x06, 0x3a, "Ivy Bridge", .full_width = true,
	  .slots = 4, .ras = 16, .extra_registers = &sandy_bridge_msrs,
	  PMU_EVENTS(sandy_bridge) },
	{ 0x06, 0x3c, "Haswell", .full_width = true,
	  .slots = 4, .ras = 16, .extra_registers = &haswell_msrs,
	  PMU_EVENTS(sandy_bridge) },
	{ 0x06, 0x3d, "Broadwell", .full_width = true,
	  .slots = 4, .ras = 16, .extra_registers = &broadwell_msrs,
	  PMU_EVENTS(broadwell) },
	{ 0x06, 0x55, "Skylake-X", .full_width = true,
	  .slots = 4, .ras = 16, .extra_registers = &skylake_msrs,
	  PMU_EVENTS(skylake) },
	{ 0x06, 0x66, "Cannon Lake", .full_width = true,
	  .slots = 4, .ras = 16, .extra_registers = &skylake_msrs,
	  PMU_EVENTS(skylake) },
	{ 0x06, 0x7e, "Ice Lake", .full_width = true,
	  .slots = 5, .metrics = 4, .ras = 16, .extra_registers = &ice_lake_msrs,
	  PMU_EVENTS(ice_lake) },
	{ 0x06, 0x8c, "Tiger Lake", .full_width = true,
	  .slots = 5, .metrics = 4, .ras = 16, .extra_registers = &ice_lake_msrs,
	  PMU_EVENTS(ice_lake) },
	{ 0x06, 0x8f, "Sapphire Rapids", .full_width = true,
	  .slots = 6, .metrics = 8, .ras = 16, .extra_registers = &sapphire_rapids_msrs,
	  PMU_EVENTS(sapphire_rapids) },
	{ 0x06, 0xc6, "Lion Cove", .full_width = true, .core_type = 0x40000003,
	  .general = 0x3ff, .fixed = 0x0f, .architectural = 0x1dff,
	  .slots = 8, .metrics = 8, .ras = 16, .extra_registers = &lion_cove_msrs,
	  PMU_EVENTS(lion_cove) },
	{ 0x06, 0xc6, "Skymont", .full_width = true, .core_type = 0x20000003,
	  .general = 0xff, .fixed = 0x77, .architectural = 0x1f7f,
	  .slots = 8, .ras = 16, .extra_registers = &skymont_msrs,
	  PMU_EVENTS(skymont) },
};

static const struct pmu_part unknown = {
	.name = "unknown part", .pin_control = true, .slots = 4, .ras = 16,
};

static const struct pmu_part_list arch_parts = { parts, ARRAY_LEN(parts) };

static const struct pmu_part_list *const lists[] = {
	&arch_parts,
	&pmu_p5_parts,
	&pmu_p6_parts,
	&pmu_netburst_parts,
	&pmu_amd_parts,
};

/* Return: part number 0, 1, ...; NULL after the last. */
const struct pmu_part *pmu_part_number(size_t number)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(lists); i++) {
		if (number < lists[i]->n)
			return &lists[i]->parts[number];
		number -= lists[i]->n;
	}
	return NULL;
}

/* Return: AMD's last family that is not newer than the processor. */
static const struct pmu_part *find_amd(const struct pmu *pmu)
{
	const struct pmu_part *found = &unknown;
	size_t i;

	for (i = 0; i < pmu_amd_parts.n; i++)
		if (pmu_amd_parts.parts[i].family <= pmu->cpu_is.family)
			found = &pmu_amd_parts.parts[i];
	return found;
}

const struct pmu_part *pmu_part_find(const struct pmu *pmu)
{
	const struct pmu_part *part;
	size_t i;

	if (pmu->cpu_is.amd)
		return find_amd(pmu);
	for (i = 0; (part = pmu_part_number(i)); i++)
		if (!part->amd && pmu_is_intel(pmu, part->family) &&
		    part->model == pmu->cpu_is.model && part->l3 == pmu->cpu_is.l3)
			return part;
	return &unknown;
}

/* Return: the processor's second core type, NULL if it has one core type. */
const struct pmu_part *pmu_part_other_core_type(const struct pmu *pmu)
{
	const struct pmu_part *first = pmu_part_find(pmu);
	size_t i;

	for (i = 0; i < ARRAY_LEN(parts); i++)
		if (first->core_type && parts[i].core_type &&
		    parts[i].core_type != first->core_type && parts[i].model == first->model)
			return &parts[i];
	return NULL;
}

/* Whether this counter can count this event. */
static bool counts(const struct pmu_event *event, unsigned int counter)
{
	return !event->counters || event->counters >> counter & 1;
}

static bool is_code(const struct pmu_event *event, uint32_t code)
{
	if (event->any_mask)
		code &= ~PMU_CODE(0u, 0xffu);
	code &= ~PMU_CODE(0u, (uint32_t)event->never);
	if (event->masks)
		return code == (code & PMU_CODE(0xff, (1u << event->masks) - 1)) &&
		       (code & 0xff) == event->code;
	if (event->agents)
		code &= ~PMU_CODE(0, PMU_AGENTS);
	return code == event->code;
}

const struct pmu_event *pmu_part_event(const struct pmu_part *part,
				       uint32_t code, unsigned int counter)
{
	size_t i;

	for (i = 0; i < part->nevents; i++)
		if (is_code(&part->events[i], code) &&
		    counts(&part->events[i], counter))
			return &part->events[i];
	return NULL;
}

/* Primitives of an event, as selected by the unit mask. */
static void choose(struct pmu_counter *n, const struct pmu_event *event,
		   unsigned int umask)
{
	unsigned int i, k = 0;

	for (i = 0; i < PMU_EVENT_PRIMS && event->prims[i]; i++)
		if (umask >> i % event->masks & 1)
			n->own_prims[k++] = event->prims[i];
	n->own_prims[k] = PMU_NO_PRIM;
	n->prims = n->own_prims;
}

/* Set what a counter counts: event is the table line for the code, or NULL. */
void pmu_counter_event(struct pmu_counter *n, const struct pmu_event *event,
		       uint32_t code)
{
	n->prims = event ? event->prims : NULL;
	if (event && event->masks)
		choose(n, event, code >> 8);
}

const uint8_t pmu_taken[] = { PMU_TAKEN, PMU_NO_PRIM };

/* Set the factor with which a counter counts this event; event may be NULL. */
void pmu_counter_unit(struct pmu_counter *n, const struct pmu_event *event,
		      const struct pmu_part *part)
{
	n->factor = event && event->unit != PMU_OCCURRENCES ? part->slots : 1;
	n->less = event && event->unit == PMU_SLOTS_RETIRING ? pmu_taken : NULL;
}
