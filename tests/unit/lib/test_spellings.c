// SPDX-License-Identifier: GPL-2.0-only
/*
 * Spellings of events: what each is encoded as on three processors, and the message of each
 * mistake. libpfm4's names are those of Skylake-X.
 */
#include "check.h"

/* An event select that no spelling has: refused on this processor */
#define NONE	UINT64_MAX

#define U	PMC_COUNT_USER
#define K	PMC_COUNT_KERNEL
#define UK	(PMC_COUNT_USER | PMC_COUNT_KERNEL)

enum model {
	SKYLAKE,
	PENTIUM_3,
	ZEN,
	MODELS,
};

static void choose(enum model model)
{
	fake_reset();
	if (model == PENTIUM_3)
		fake_p6(8);
	if (model == ZEN)
		fake_amd(0x17);
}

static const struct spelling {
	const char *text;
	uint64_t select[MODELS];
	uint32_t modes;
} spellings[] = {
	/* names of Intel's manuals */
	{ "INST_RETIRED.ANY", { 0xc0, NONE, NONE }, UK },
	{ "inst_retired.any:u", { 0xc0, NONE, NONE }, U },
	{ "INST_RETIRED.ANY_P", { 0xc0, NONE, NONE }, UK },
	{ "INST_RETIRED:ANY_P:u", { 0xc0, NONE, NONE }, U },
	{ "CPU_CLK_UNHALTED.THREAD", { 0x3c, NONE, NONE }, UK },
	{ "CPU_CLK_UNHALTED.THREAD_P", { 0x3c, NONE, NONE }, UK },
	{ "CPU_CLK_UNHALTED.THREAD_P_ANY", { 0x20003c, NONE, NONE }, UK },
	{ "CPU_CLK_UNHALTED.REF_TSC_P", { 0x13c, NONE, NONE }, UK },
	{ "CPU_CLK_UNHALTED.THREAD_ANY", { 0x20003c, NONE, NONE }, UK },
	{ "CPU_CLK_UNHALTED.CORE:k", { 0x3c, NONE, NONE }, K },
	{ "CPU_CLK_UNHALTED.REF_TSC", { 0x13c, NONE, NONE }, UK },
	{ "TOPDOWN.SLOTS", { 0x1a4, NONE, NONE }, UK },
	{ "L1D.REPLACEMENT", { 0x151, NONE, NONE }, UK },
	{ "l1d.replacement:u", { 0x151, NONE, NONE }, U },
	{ "L1D:REPLACEMENT", { 0x151, NONE, NONE }, UK },
	{ "MEM_LOAD_RETIRED.L3_MISS", { 0x20d1, NONE, NONE }, UK },
	{ "MEM_LOAD_RETIRED.L3_MISS_PS", { 0x20d1, NONE, NONE }, UK },
	{ "mem_load_retired.l3_miss_ps:u", { 0x20d1, NONE, NONE }, U },
	{ "BR_INST_RETIRED.ALL_BRANCHES", { 0xc4, NONE, NONE }, UK },
	{ "BR_INST_RETIRED.CONDITIONAL:e:c=1", { 0x10401c4, NONE, NONE }, UK },
	{ "L2_RQSTS.MISS", { 0x3f24, NONE, NONE }, UK },
	{ "L2_RQSTS.I", { NONE, 0x12e, NONE }, UK },
	{ "L2_LD.M.E", { NONE, 0xc29, NONE }, UK },
	{ "L2_LD.e:e", { NONE, 0x40429, NONE }, UK },

	/* perf's codes and terms */
	{ "r1c4", { 0x1c4, 0x1c4, 0x1c4 }, UK },
	{ "r0x1c4:u", { 0x1c4, 0x1c4, 0x1c4 }, U },
	{ "r18401c4", { 0x18401c4, 0x18401c4, 0x18401c4 }, UK },
	{ "r2c401c4:k", { 0x2c401c4, 0x2c401c4, 0x2c401c4 }, K },
	{ "cpu/event=0xc4/", { 0xc4, 0xc4, 0xc4 }, UK },
	{ "cpu/event=0xc4,umask=0x2,cmask=1,inv,edge/u", { 0x18402c4, 0x18402c4, 0x18402c4 }, U },
	{ "cpu/event=0xc4,umask=0x2,cmask=1,inv,edge,any,name=X/u", { 0x1a402c4, NONE, NONE }, U },
	{ "cpu/umask=1,event=196,edge=0,inv=1,cmask=0x10/k",
	  { 0x108001c4, 0x108001c4, 0x108001c4 }, K },
	{ "cpu/event=0xc4/uk", { 0xc4, 0xc4, 0xc4 }, UK },
	{ "cpu/event=0xc4/u:e", { 0x400c4, 0x400c4, 0x400c4 }, U },
	{ "cpu/event=0xc4/:u:c=2", { 0x20000c4, 0x20000c4, 0x20000c4 }, U },
	{ "cpu/config=0x4c4/", { 0x4c4, 0x4c4, 0x4c4 }, UK },
	{ "cpu/config=0x18404c4,name=jumps/u", { 0x18404c4, 0x18404c4, 0x18404c4 }, U },
	{ "cpu/event=0x1c0/", { NONE, NONE, 0x1000000c0 }, UK },
	{ "cpu/event=0xc0,guest/", { NONE, NONE, 0x100000000c0 }, UK },
	{ "cpu/event=0xc0,period=1000/", { 0xc0, 0xc0, 0xc0 }, UK },
	{ "cpu/instructions/", { 0xc0, 0xc0, 0xc0 }, UK },
	{ "cpu/instructions/u", { 0xc0, 0xc0, 0xc0 }, U },
	{ "cpu/cpu-cycles,cmask=1,inv/", { 0x180003c, 0x1800079, 0x1800076 }, UK },
	{ "cpu/cmask=2,branches,edge,name=X/uk", { 0x20400c4, 0x20400c4, 0x20400c2 }, UK },
	{ "cpu/L1D.REPLACEMENT,cmask=1/u", { 0x1000151, NONE, NONE }, U },
	{ "cpu/l1d:replacement/", { 0x151, NONE, NONE }, UK },
	{ "cpu/cache-misses/", { 0x412e, 0x12e, 0x964 }, UK },

	/* perf's modifiers */
	{ "cycles:uu", { 0x3c, 0x79, 0x76 }, U },
	{ "cycles:ukuk", { 0x3c, 0x79, 0x76 }, UK },
	{ "cycles:u:u", { 0x3c, 0x79, 0x76 }, U },
	{ "cycles:kk:k", { 0x3c, 0x79, 0x76 }, K },

	/* perf's generic names */
	{ "cpu-cycles", { 0x3c, 0x79, 0x76 }, UK },
	{ "cache-references", { 0x4f2e, 0xf2e, 0xff60 }, UK },
	{ "cache_references", { 0x4f2e, 0xf2e, 0xff60 }, UK },
	{ "cache-misses", { 0x412e, 0x12e, 0x964 }, UK },
	{ "branch-instructions", { 0xc4, 0xc4, 0xc2 }, UK },
	{ "branch-misses", { 0xc5, 0xc5, 0xc3 }, UK },
	{ "bus-cycles", { 0x13c, 0x62, NONE }, UK },
	{ "ref-cycles", { 0x13c, NONE, NONE }, UK },
	{ "stalled-cycles-frontend", { NONE, 0xa2, 0x287 }, UK },
	{ "stalled-cycles-backend", { NONE, NONE, 0x187 }, UK },
	{ "idle-cycles-frontend:u", { NONE, 0xa2, 0x287 }, U },
	{ "idle-cycles-backend", { NONE, NONE, 0x187 }, UK },
	{ "L1-dcache-loads", { 0x81d0, 0x43, 0x40 }, UK },
	{ "l1-dcache-loads:u", { 0x81d0, 0x43, 0x40 }, U },
	{ "L1-dcache-load-misses", { 0x151, 0x45, 0xc860 }, UK },
	{ "L1-dcache-stores", { 0x82d0, NONE, NONE }, UK },
	{ "L1-dcache-store-misses", { NONE, 0xf29, NONE }, UK },
	{ "L1-dcache-prefetches", { NONE, NONE, 0xff5a }, UK },
	{ "L1-icache-loads", { NONE, 0x80, 0x80 }, UK },
	{ "L1-icache-load-misses", { 0x283, 0xf28, 0x81 }, UK },
	{ "LLC-loads", { 0x1b7, NONE, NONE }, UK },
	{ "llc_loads:u", { 0x1b7, NONE, NONE }, U },
	{ "LLC-store-misses", { 0x1b7, 0x25, NONE }, UK },
	{ "LLC-prefetches", { NONE, NONE, NONE }, UK },
	{ "dTLB-loads", { 0x81d0, 0x43, 0xff45 }, UK },
	{ "dTLB-load-misses", { 0xe08, NONE, 0xf045 }, UK },
	{ "dTLB-store-misses", { 0xe49, NONE, NONE }, UK },
	{ "DTLB_LOAD_MISSES:WALK_COMPLETED", { 0xe08, NONE, NONE }, UK },
	{ "iTLB-loads", { 0x2085, 0x80, 0x84 }, UK },
	{ "iTLB-load-misses", { 0xe85, 0x85, 0xff85 }, UK },
	{ "branch-loads", { 0xc4, 0xc4, 0xc2 }, UK },
	{ "branch-load-misses", { 0xc5, 0xc5, 0xc3 }, UK },
	{ "node-loads", { 0x1b7, NONE, NONE }, UK },
	{ "cpu/node-loads,cmask=1/k", { 0x10001b7, NONE, NONE }, K },
};

/* Events that need an extra register */
static const struct {
	const char *text;
	uint64_t select;
	uint64_t extra;
} extra[] = {
	{ "cpu/event=0xb7,umask=1,offcore_rsp=0x10001/u", 0x1b7, 0x10001 },
	{ "cpu/event=0xbb,umask=1,offcore_rsp=0x3f803c0001/", 0x1bb, 0x3f803c0001 },
	{ "cpu/config=0x1b7,config1=0x10001/", 0x1b7, 0x10001 },
	{ "cpu/r1b7,offcore_rsp=0x10001/", 0x1b7, 0x10001 },
	{ "cpu/event=0xb7,umask=1,offcore_rsp=1,cmask=2/", 0x20001b7, 1 },
	{ "cpu/event=0xc6,umask=1,frontend=0x11/", 0x1c6, 0x11 },
	{ "cpu/event=0xc6,umask=1,config1=0x11/", 0x1c6, 0x11 },
	{ "OFFCORE_RESPONSE_0:DMND_DATA_RD:ANY_RESPONSE", 0x1b7, 0x10001 },
	{ "offcore_response_0.dmnd_data_rd.any_response:u", 0x1b7, 0x10001 },
	{ "OFFCORE_RESPONSE_0:DMND_DATA_RD:DMND_RFO", 0x1b7, 0x10003 },
	{ "OFFCORE_RESPONSE_1:DMND_DATA_RD:L3_HIT", 0x1bb, 0x3f803c0001 },
	{ "FRONTEND_RETIRED:DSB_MISS", 0x1c6, 0x11 },
	{ "cpu/FRONTEND_RETIRED.L1I_MISS,cmask=1/", 0x10001c6, 0x12 },
	{ "LLC-loads", 0x1b7, 0x3fc0010001 },
	{ "cpu/node-store-misses,cmask=1/", 0x10001b7, 0x1ff8000002 },
	/* events without a register, and one without its value */
	{ "L1D.REPLACEMENT", 0x151, 0 },
	{ "r01b7", 0x1b7, 0 },
};

static void extra_registers(void **state)
{
	struct pmc_event *event;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(extra); i++) {
		event = must_parse(extra[i].text);
		if (pmc_event_select(event) != extra[i].select ||
		    pmc_event_extra(event) != extra[i].extra)
			fail_msg("'%s': 0x%llx, 0x%llx", extra[i].text,
				 (unsigned long long)pmc_event_select(event),
				 (unsigned long long)pmc_event_extra(event));
		pmc_event_free(event);
	}
}

/* The event number of each register from Nehalem on, as Intel's manual has it */
static const struct {
	unsigned int model;
	const char *text;
	bool accepted;
} generations[] = {
	{ 0x17, "cpu/event=0xb7,umask=1,offcore_rsp=1/", false },
	{ 0x1e, "cpu/event=0xb7,umask=1,offcore_rsp=1/", true },
	{ 0x1e, "cpu/event=0xbb,umask=1,offcore_rsp=1/", false },
	{ 0x25, "cpu/event=0xbb,umask=1,offcore_rsp=1/", true },
	{ 0x2a, "cpu/event=0xb7,umask=1,offcore_rsp=1/", true },
	{ 0x3d, "cpu/event=0xbb,umask=1,offcore_rsp=1/", true },
	{ 0x3d, "cpu/event=0xc6,umask=1,frontend=1/", false },
	{ 0x55, "cpu/event=0xc6,umask=1,frontend=1/", true },
	{ 0x55, "cpu/event=0x2a,umask=1,offcore_rsp=1/", false },
	{ 0x7e, "cpu/event=0xb7,umask=1,offcore_rsp=1/", true },
	{ 0x8f, "cpu/event=0xb7,umask=1,offcore_rsp=1/", false },
	{ 0x8f, "cpu/event=0x2a,umask=1,offcore_rsp=1/", true },
	{ 0x8f, "cpu/event=0x2b,umask=1,offcore_rsp=1/", true },
	{ 0x8f, "cpu/event=0xad,umask=0x40,frontend=7/", true },
	{ 0x8f, "cpu/event=0xc2,umask=4,frontend=8/", true },
	{ 0x8f, "cpu/event=0xc6,umask=1,frontend=1/", true },
	{ 0x8f, "cpu/event=0xc6,umask=3,frontend=1/", false },
	{ 0xad, "cpu/event=0x2a,umask=0x1,offcore_rsp=0x10001/", true },
	{ 0xae, "cpu/event=0x2b,umask=0x1,offcore_rsp=0x10001/", true },
	{ 0xad, "cpu/event=0xb7,umask=1,offcore_rsp=1/", false },
	{ 0xad, "cpu/event=0xc6,umask=1,frontend=1/", false },
	{ 0x37, "cpu/event=0xb7,umask=1,offcore_rsp=1/", false },
};

/* On the cores of type Core of hybrid processors; none on those of type Atom */
static const struct {
	unsigned int model;
	bool golden_cove;
} hybrids[] = {
	{ 0x97, true }, { 0x9a, true }, { 0xb7, true }, { 0xba, true }, { 0xbf, true },
	{ 0xaa, false }, { 0xac, false }, { 0xb5, false },
	{ 0xbd, false }, { 0xc5, false }, { 0xc6, false }, { 0xcc, false }, { 0xd5, false },
};

static const struct {
	const char *terms;
	bool golden_cove;
	bool later;
} hybrid_terms[] = {
	{ "event=0x2a,umask=0x1,offcore_rsp=0x10001", true, true },
	{ "event=0x2b,umask=0x1,offcore_rsp=0x10001", true, true },
	{ "event=0xb7,umask=0x1,offcore_rsp=0x10001", false, false },
	{ "event=0xc6,umask=1,frontend=1", true, false },
	{ "event=0xc6,umask=2,frontend=9", false, true },
	{ "event=0xc6,umask=3,frontend=0x11", false, true },
	{ "event=0xad,umask=0x40,frontend=7", true, true },
	{ "event=0xc2,umask=4,frontend=8", true, true },
	{ "event=0xc2,umask=4,config1=8", true, true },
	{ "event=0xcd,umask=1,config1=8", false, false },
};

static void check_accepted(const char *text, bool accepted)
{
	struct pmc_event *event = pmc_event_parse(text);

	if (!event != !accepted)
		fail_msg("'%s': %s", text, event ? "accepted" : pmc_error());
	pmc_event_free(event);
}

static void register_generations(void **state)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(generations); i++) {
		fake_reset();
		fake_core(generations[i].model, 0xf);
		check_accepted(generations[i].text, generations[i].accepted);
	}
}

static void register_core_types(void **state)
{
	char text[64];
	size_t i, j;

	fake_hybrid();
	for (i = 0; i < ARRAY_SIZE(hybrids); i++) {
		fake.query.cpu_model = hybrids[i].model;
		for (j = 0; j < ARRAY_SIZE(hybrid_terms); j++) {
			snprintf(text, sizeof(text), "cpu_core/%s/", hybrid_terms[j].terms);
			check_accepted(text, hybrids[i].golden_cove ? hybrid_terms[j].golden_cove :
								      hybrid_terms[j].later);
			snprintf(text, sizeof(text), "cpu_atom/%s/", hybrid_terms[j].terms);
			check_accepted(text, false);
			snprintf(text, sizeof(text), "cpu/%s/", hybrid_terms[j].terms);
			check_accepted(text, false);
		}
	}
}

static void check_spelling(const struct spelling *spelling, enum model model)
{
	struct pmc_event *event = pmc_event_parse(spelling->text);
	uint64_t select = spelling->select[model];

	if (!event && select == NONE)
		return;
	if (!event)
		fail_msg("'%s' on model %d: %s", spelling->text, model, pmc_error());
	if (pmc_event_select(event) != select || pmc_event_modes(event) != spelling->modes)
		fail_msg("'%s' on model %d: 0x%llx, modes %u", spelling->text, model,
			 (unsigned long long)pmc_event_select(event), pmc_event_modes(event));
	assert_string_equal(pmc_event_name(event), spelling->text);
	pmc_event_free(event);
}

static void encodings(void **state)
{
	enum model model;
	size_t i;

	for (model = 0; model < MODELS; model++) {
		choose(model);
		for (i = 0; i < ARRAY_SIZE(spellings); i++)
			check_spelling(&spellings[i], model);
	}
}

/* ---- perf's names on further processors ---- */

static const struct {
	unsigned int model;
	const char *text;
	uint64_t select;
} perf_names[] = {
	{ 0x17, "LLC-load-misses", 0x4129 },
	{ 0x17, "iTLB-load-misses", 0x1282 },
	{ 0x1c, "dTLB-load-misses", 0x508 },
	{ 0x1a, "stalled-cycles-frontend", 0x180010e },
	{ 0x1a, "stalled-cycles-backend", 0x1803fb1 },
	{ 0x1a, "iTLB-load-misses", 0x20c8 },
	{ 0x2c, "iTLB-load-misses", 0x185 },
	{ 0x2a, "stalled-cycles-backend", 0x18001b1 },
	{ 0x2a, "dTLB-load-misses", 0x108 },
	{ 0x3a, "dTLB-load-misses", 0x8108 },
	{ 0x3f, "iTLB-loads", 0x6085 },
	{ 0x8c, "dTLB-load-misses", 0xe08 },
	{ 0x8f, "L1-dcache-load-misses", 0xe124 },
	{ 0x37, "iTLB-load-misses", 0x40205 },
	{ 0x5c, "iTLB-load-misses", 0x481 },
	{ 0x86, "L1-icache-loads", 0x380 },
};

static void models(void **state)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(perf_names); i++) {
		fake_reset();
		fake_core(perf_names[i].model, 0xf);
		encodes(perf_names[i].text, perf_names[i].select);
	}
	fake_netburst(4);
	encodes("cache-references", 0x18007e000000e000);
	encodes("bus-cycles", 0x2e0006000104c000);
	encodes("iTLB-load-misses", 0x3000040000006000);
	fake_amd(0x10);
	encodes("cache-references", 0x77d);
	encodes("LLC-load-misses", 0x37e);
	fake_amd(0x19);
	encodes("stalled-cycles-frontend", 0xa9);
	fake.query.cpu_model = 0x61;
	encodes("ref-cycles", 0x100000120);
}

/* ---- core types ---- */

#define CORE	0x40000000
#define ATOM	0x20000000

static void core_types(void **state)
{
	fake_hybrid();
	fake.query.cpu_model = 0x97;
	encodes_for(0, "cpu/instructions/u", 0xc0, 0);
	encodes_for(0, "cpu_core/instructions/u", 0xc0, 0x40000000);
	encodes_for(0, "cpu_atom/event=0xc4,umask=1/", 0x1c4, 0x20000000);
	encodes_for(0, "cpu_atom/dTLB-load-misses/", 0xe08, 0x20000000);
	encodes_for(0, "cpu_core/dTLB-load-misses/", 0xe12, 0x40000000);
	encodes_for(0, "L1-dcache-loads", 0x81d0, 0);
	encodes_for(0, "L1-dcache-load-misses", 0xe124, 0x40000000);
	encodes_for(0, "L1-icache-loads", 0x380, 0x20000000);
	assert_failed(!pmc_event_parse("dTLB-load-misses"), EOPNOTSUPP,
		      "its event select differs between core types: count on one core type");
	assert_failed(!pmc_event_parse_core_type("cpu_atom/cycles/", 0x40000000), EINVAL,
		      "'cpu_atom' is another core type than that of the command");
	assert_failed(!pmc_event_parse_core_type("L1-icache-loads", 0x40000000), EOPNOTSUPP,
		      "the nearest that it has is 'L1-icache-load-misses'");
}

/*
 * Names of perf that need a register of offcore response: its value on each generation, as Linux
 * 7.3 writes it; 0 for a name that the generation lacks
 */
static const struct {
	const char *text;
	uint64_t extra[11];
} offcore_names[] = {
	{ "LLC-loads",
	  { 0xf701, 0x10081, 0x10081, 0x10001, 0x10001, 0x3fc0010001, 0x10001,
	    0x10001, 0x10001, 0x10001, 0x10001 } },
	{ "LLC-load-misses",
	  { 0xf001, 0, 0x3fffc00081, 0x3fb8400001, 0x1fbc000001, 0x3ffc020001, 0x3fbfc00001,
	    0x3fbfc00001, 0x3fbfc00001, 0x9e7fa000001, 0xfe7f8000001 } },
	{ "LLC-stores",
	  { 0xf70a, 0x10102, 0x10102, 0x10002, 0x10002, 0x3fc0010002, 0x3f3ffc0002,
	    0x3f3ffc0002, 0x10002, 0x10002, 0x10002 } },
	{ "LLC-store-misses",
	  { 0xf00a, 0, 0x3fffc00102, 0x3fb8400002, 0x1fbc000002, 0x3ffc020002, 0x3f3fc00002,
	    0x3f3fc00002, 0x3fbfc00002, 0x9e7fa000002, 0xfe7f8000002 } },
	{ "LLC-prefetches", { 0xf730, 0x10030, 0x10030, 0, 0, 0, 0 } },
	{ "LLC-prefetch-misses", { 0xf030, 0, 0x3fffc00030, 0, 0, 0, 0 } },
	{ "node-loads",
	  { 0x7001, 0, 0x1fffc00081, 0x1f80400001, 0x1f84000001, 0x1fc4000001, 0x104000001,
	    0x104000001 } },
	{ "node-load-misses",
	  { 0x2001, 0, 0x1fff800081, 0x1fb8000001, 0x1fb8000001, 0x1ff8000001, 0x730000001,
	    0x730000001 } },
	{ "node-stores",
	  { 0x700a, 0, 0x1fffc00102, 0x1f80400002, 0x1f84000002, 0x1fc4000002, 0x104000002 } },
	{ "node-store-misses",
	  { 0x200a, 0, 0x1fff800102, 0x1fb8000002, 0x1fb8000002, 0x1ff8000002, 0x730000002 } },
	{ "node-prefetches", { 0x7030, 0, 0x1fffc00030, 0, 0, 0, 0 } },
	{ "node-prefetch-misses", { 0x2030, 0, 0x1fff800030, 0, 0, 0, 0 } },
};

/* Models of each generation; 0x12a: the event select if it is not 0x1b7 */
static const struct {
	unsigned int model;
	unsigned int generation;
	uint64_t select;
} offcore_models[] = {
	{ 0x1a, 0, 0x1b7 }, { 0x1e, 0, 0x1b7 }, { 0x2e, 0, 0x1b7 },
	{ 0x25, 0, 0x1b7 }, { 0x2c, 0, 0x1b7 }, { 0x2f, 0, 0x1b7 },
	{ 0x2a, 1, 0x1b7 }, { 0x3a, 1, 0x1b7 }, { 0x2d, 2, 0x1b7 }, { 0x3e, 2, 0x1b7 },
	{ 0x3c, 3, 0x1b7 }, { 0x3f, 3, 0x1b7 }, { 0x45, 3, 0x1b7 }, { 0x46, 3, 0x1b7 },
	{ 0x3d, 4, 0x1b7 }, { 0x47, 4, 0x1b7 }, { 0x4f, 4, 0x1b7 }, { 0x56, 4, 0x1b7 },
	{ 0x4e, 5, 0x1b7 }, { 0x55, 5, 0x1b7 }, { 0x9e, 5, 0x1b7 }, { 0xa6, 5, 0x1b7 },
	{ 0x7d, 5, 0x1b7 }, { 0x7e, 5, 0x1b7 }, { 0x8c, 5, 0x1b7 }, { 0x8d, 5, 0x1b7 },
	{ 0xa7, 5, 0x1b7 }, { 0x6a, 6, 0x1b7 }, { 0x6c, 6, 0x1b7 },
	{ 0x8f, 7, 0x12a }, { 0xcf, 7, 0x12a }, { 0xad, 7, 0x12a }, { 0xae, 7, 0x12a },
};

/* The cores of type Core of hybrid processors */
static const struct {
	unsigned int model;
	unsigned int generation;
} offcore_hybrids[] = {
	{ 0x97, 8 }, { 0x9a, 8 }, { 0xb7, 8 }, { 0xba, 8 }, { 0xbf, 8 },
	{ 0xaa, 8 }, { 0xac, 8 }, { 0xb5, 8 }, { 0xbd, 9 }, { 0xcc, 9 }, { 0xd5, 9 },
	{ 0xc5, 10 }, { 0xc6, 10 },
};

static void check_offcore(const char *text, uint64_t select, uint64_t extra)
{
	struct pmc_event *event;

	if (!extra) {
		assert_failed(!pmc_event_parse(text), EOPNOTSUPP, "perf has no such event");
		return;
	}
	event = must_parse(text);
	assert_int_equal(pmc_event_select(event), select);
	assert_int_equal(pmc_event_extra(event), extra);
	pmc_event_free(event);
}

static void offcore_generations(void **state)
{
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(offcore_models); i++) {
		fake_reset();
		fake_core(offcore_models[i].model, 0xf);
		for (j = 0; j < ARRAY_SIZE(offcore_names); j++)
			check_offcore(offcore_names[j].text, offcore_models[i].select,
				      offcore_names[j].extra[offcore_models[i].generation]);
	}
}

static void check_row(const char *name, uint64_t counters, uint32_t core_type)
{
	struct pmc_event_list *list = pmc_event_list_get();
	const struct pmc_event_row *row;
	size_t i;

	for (i = 0; (row = pmc_event_list_row(list, i)) && strcmp(row->name, name);)
		i++;
	assert_non_null(row);
	assert_true(row->counters == counters);
	assert_int_equal(row->core_type, core_type);
	pmc_event_list_free(list);
}

static void offcore_hybrid_generations(void **state)
{
	char text[64];
	size_t i, j;

	fake_hybrid();
	for (i = 0; i < ARRAY_SIZE(offcore_hybrids); i++) {
		fake.query.cpu_model = offcore_hybrids[i].model;
		for (j = 0; j < ARRAY_SIZE(offcore_names); j++) {
			snprintf(text, sizeof(text), "cpu_core/%s/", offcore_names[j].text);
			check_offcore(text, 0x12a,
				      offcore_names[j].extra[offcore_hybrids[i].generation]);
			snprintf(text, sizeof(text), "cpu_atom/%s/", offcore_names[j].text);
			check_accepted(text, false);
		}
		encodes_for(0, "L1-dcache-load-misses", 0xe124, CORE);
		encodes_for(0, "cpu_core/dTLB-load-misses/", 0xe12, CORE);
		encodes_for(0, "cpu_atom/dTLB-load-misses/", 0xe08, ATOM);
	}
}

/* Cores of type Core have the names, if the driver sets the register there. */
static void offcore_hybrid(void **state)
{
	static const char module[] = "register for it here, which the cores of a module may share";

	fake_hybrid();
	fake.query.cpu_model = 0x97;
	check_offcore("LLC-loads", 0x12a, 0x10001);
	check_offcore("cpu_core/LLC-stores/u", 0x12a, 0x10002);
	encodes_for(0, "LLC-loads", 0x12a, CORE);
	assert_failed(!pmc_event_parse("cpu_atom/LLC-loads/"), EOPNOTSUPP, module);
	check_row("LLC-loads", 0xf, CORE);
	check_row("L1-icache-loads", PMC_ANY_COUNTER, ATOM);
	check_row("L1-dcache-loads", 0xf, 0);
	fake.query.cpu_model = 0xaa;
	encodes_for(0, "LLC-loads", 0x12a, CORE);
	assert_failed(!pmc_event_parse("cpu_atom/LLC-loads/"), EOPNOTSUPP, module);
	check_row("LLC-loads", 0xf, CORE);
	fake.query.cpu_model = 0xc6;
	check_row("LLC-loads", PMC_ANY_COUNTER, CORE);
	fake_reset();
	fake_core(0x5c, 0xf);
	assert_failed(!pmc_event_parse("LLC-loads"), EOPNOTSUPP, module);
}

/* ---- topdown analysis, as perf encodes it (Linux 7.3) ---- */

static const struct {
	unsigned int model;
	uint64_t retiring, bad_spec, fe_bound, be_bound;
} topdown_atoms[] = {
	/* Alder Lake, Raptor Lake, Meteor Lake, Arrow Lake U */
	{ 0x97, 0xc2, 0x73, 0x71, 0x74 }, { 0x9a, 0xc2, 0x73, 0x71, 0x74 },
	{ 0xb7, 0xc2, 0x73, 0x71, 0x74 }, { 0xba, 0xc2, 0x73, 0x71, 0x74 },
	{ 0xbf, 0xc2, 0x73, 0x71, 0x74 }, { 0xaa, 0xc2, 0x73, 0x71, 0x74 },
	{ 0xac, 0xc2, 0x73, 0x71, 0x74 }, { 0xb5, 0xc2, 0x73, 0x71, 0x74 },
	/* Lunar Lake, Arrow Lake, Panther Lake, Wildcat Lake */
	{ 0xbd, 0x2c2, 0x73, 0x19c, 0x2a4 }, { 0xc6, 0x2c2, 0x73, 0x19c, 0x2a4 },
	{ 0xcc, 0x2c2, 0x73, 0x19c, 0x2a4 }, { 0xd5, 0x2c2, 0x73, 0x19c, 0x2a4 },
};

static void topdown_hybrid(void **state)
{
	struct pmc_event *event;
	size_t i;

	fake_hybrid();
	for (i = 0; i < ARRAY_SIZE(topdown_atoms); i++) {
		fake.query.cpu_model = topdown_atoms[i].model;
		encodes_for(0, "cpu_atom/topdown-retiring/", topdown_atoms[i].retiring, ATOM);
		encodes_for(0, "cpu_atom/topdown-bad-spec/", topdown_atoms[i].bad_spec, ATOM);
		encodes_for(0, "cpu_atom/topdown-fe-bound/", topdown_atoms[i].fe_bound, ATOM);
		encodes_for(0, "cpu_atom/topdown-be-bound/", topdown_atoms[i].be_bound, ATOM);
		assert_failed(!pmc_event_parse_core_type("topdown-heavy-ops", ATOM), EINVAL,
			      "no event 'topdown-heavy-ops'");
		event = pmc_event_parse_core_type("topdown-heavy-ops", CORE);
		assert_non_null(event);
		assert_int_equal(event->counter, PMC_COUNTER_METRICS);
		pmc_event_free(event);
	}
}

/* Processors with cores of type atom alone: Tremont, Gracemont, Crestmont, Darkmont, Airmont */
static void topdown_atom(void **state)
{
	static const unsigned int crestmont[] = { 0xaf, 0xb6 }, tremont[] = { 0x86, 0xbe };
	size_t i;

	for (i = 0; i < 2; i++) {
		fake_core(tremont[i], 0xf);
		encodes("topdown-retiring", 0xc2);
		encodes("topdown-bad-spec", 0x673);
		fake_core(crestmont[i], 0xf);
		encodes("topdown-retiring", 0x72);
		encodes("topdown-bad-spec", 0x73);
		encodes("topdown-fe-bound", 0x71);
		encodes("topdown-be-bound", 0x74);
	}
	fake_core(0xdd, 0xf);
	encodes("topdown-retiring", 0x2c2);
	encodes("topdown-bad-spec", 0x73);
	encodes("topdown-fe-bound", 0x19c);
	encodes("topdown-be-bound", 0x2a4);
	fake_core(0x75, 0xf);
	encodes("topdown-slots-retired", 0x10c2);
}

/* ---- groups ---- */

static const struct {
	const char *list;
	const char *names[4];
} groups[] = {
	{ "{cycles,branches}:u", { "cycles:u", "branches:u" } },
	{ "{cycles}", { "cycles" } },
	{ " { cycles , branches } , instructions", { "cycles", "branches", "instructions" } },
	{ "instructions,{cycles:k,branches}:u,rc0", { "instructions", "cycles:k:u", "branches:u",
						      "rc0" } },
	{ "{cpu/event=0xc4,umask=1/u,cycles},{branches}:k:e",
	  { "cpu/event=0xc4,umask=1/u", "cycles", "branches:k:e" } },
	{ "cpu/event=1,umask=2/u,cpu/instructions/", { "cpu/event=1,umask=2/u",
						       "cpu/instructions/" } },
};

static void group(void **state)
{
	struct pmc_event *event;
	const char *rest;
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(groups); i++) {
		rest = groups[i].list;
		for (j = 0; j < 4 && groups[i].names[j]; j++) {
			event = pmc_event_parse_next(&rest);
			if (!event)
				fail_msg("'%s': %s", groups[i].list, pmc_error());
			assert_string_equal(pmc_event_name(event), groups[i].names[j]);
			pmc_event_free(event);
		}
		assert_string_equal(rest, "");
	}
}

static const struct {
	const char *list;
	const char *words;
} bad_groups[] = {
	{ "{cycles,branches,}:u",
	  "a '}' after a comma, at character 18 of the list '{cycles,branches,}:u'" },
	{ "{cycles,,branches}", "an empty event, at character 9 of the list" },
	{ "{cycles, ,branches}", "an empty event, at character 10 of the list" },
	{ "{}", "an empty event, at character 2 of the list '{}'" },
	{ "{,cycles}", "an empty event, at character 2 of the list" },
	{ "{cycles", "the '}' of a group is missing, at character 8 of the list" },
	{ "{cycles,branches", "the '}' of a group is missing, at character 17 of the list" },
	{ "{cycles,cpu/event=1,umask=2", "the '}' of a group is missing, at character 28" },
	{ "{cycles,{branches}}",
	  "a '{' inside of a group, which cannot nest, at character 9 of the list" },
	{ "{cycles}u",
	  "only modifiers such as :u can follow the '}' of a group, at character 9 of" },
	{ "{cycles}:u u{branches}", "unknown modifier ':u u{branches}'" },
	{ "{cycles} {branches}", "can follow the '}' of a group, at character 10 of the list" },
	{ "{cycles},", "an empty event, at character 10 of the list" },
	{ "cycles}", "a '}' without a '{' before it, at character 7 of the list 'cycles}'" },
	{ "cycles{branches}", "a '{' without a comma before it, at character 7 of the list" },
	{ "cycles,", "an empty event, at character 8 of the list 'cycles,'" },
	{ ",cycles", "an empty event, at character 1 of the list" },
	{ "", "an empty event, at character 1 of the list ''" },
	{ "{cycles}:u:q", "unknown modifier ':q'" },
};

static void group_mistakes(void **state)
{
	const char *rest;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad_groups); i++) {
		rest = bad_groups[i].list;
		assert_failed(!pmc_event_parse_next(&rest), EINVAL, bad_groups[i].words);
		assert_ptr_equal(rest, bad_groups[i].list);
	}
}

/* ---- mistakes ---- */

static const struct {
	enum model model;
	int error;
	const char *text;
	const char *words;
} mistakes[] = {
	{ SKYLAKE, EOPNOTSUPP, "cycles:p", "'p' requests precise sampling (PEBS, IBS)" },
	{ SKYLAKE, EOPNOTSUPP, "cycles:pp", "'pp' requests precise sampling" },
	{ SKYLAKE, EOPNOTSUPP, "cycles:ppp", "'ppp' requests precise sampling" },
	{ SKYLAKE, EOPNOTSUPP, "cycles:upp", "'upp' requests precise sampling" },
	{ SKYLAKE, EOPNOTSUPP, "BR_INST_RETIRED:p", "'p' requests precise sampling" },
	{ SKYLAKE, EOPNOTSUPP, "cpu/event=1/:ppp", "'ppp' requests precise sampling" },
	{ SKYLAKE, EOPNOTSUPP, "cpu/event=1/up", "'up' requests precise sampling" },
	{ SKYLAKE, EINVAL, "cycles:P",
	  "where P is perf's precise sampling, which the driver does not support:" },
	{ SKYLAKE, EINVAL, "cycles:S", "where S is perf's counts with each sample" },
	{ SKYLAKE, EINVAL, "cycles:uD", "where D is perf's pinned event" },
	{ SKYLAKE, EINVAL, "cycles:G", "where G is perf's counting in guests" },
	{ SKYLAKE, EINVAL, "cpu/event=0xc4/ukhHG", "where h is perf's hypervisor mode" },
	{ SKYLAKE, EINVAL, "cycles.u", "'.' precedes a unit mask, ':' a modifier: write :u" },
	{ SKYLAKE, EINVAL, "cycles.c=2", "'.' precedes a unit mask, ':' a modifier: write :c=2" },
	{ SKYLAKE, EINVAL, "cycles.any", "unknown modifier ':any'" },
	{ SKYLAKE, EOPNOTSUPP, "UNC_M_CAS_COUNT.RD", "it belongs to the uncore" },
	{ SKYLAKE, EINVAL, "topdown-retiring:u",
	  "a part of the performance metrics, which this processor does not have" },
	{ SKYLAKE, EINVAL, "topdown-retirin", "did you mean" },
	{ SKYLAKE, EINVAL, "cpu/event=1/q", "unknown modifier ':q'; there are :u :k" },
	{ SKYLAKE, EINVAL, "L1D.REPLACEMENT.u", "L1D has no unit mask or modifier ':u'" },
	{ SKYLAKE, EINVAL, "L1D.", "L1D has no unit mask or modifier ':'" },
	{ SKYLAKE, EINVAL, "L1D.REPLACEMENTS", "did you mean 'REPLACEMENT'?" },
	{ SKYLAKE, EINVAL, "UOPS_ISUED.ANY", "no event 'UOPS_ISUED'; did you mean 'UOPS_ISSUED'" },
	{ SKYLAKE, EINVAL, "INST_RETIRED.ANY_PS_PS", "no unit mask or modifier ':ANY_PS_PS'" },
	{ SKYLAKE, EINVAL, "MEM_LOAD_RETIRED.L9_PS", "no unit mask or modifier ':L9_PS'" },
	{ SKYLAKE, EINVAL, "INST_RETIRED.ANY:f=1", "fixed counter 0 counts it" },
	{ SKYLAKE, EINVAL, "cpu/event=0xc4", "the second slash is missing" },
	{ SKYLAKE, EINVAL, "cpu//", "unknown term ''" },
	{ SKYLAKE, EINVAL, "cpu/instructions,/", "unknown term ''" },
	{ SKYLAKE, EINVAL, "cpu/instructions,cycles/", "two names, 'instructions' and 'cycles'" },
	{ SKYLAKE, EINVAL, "cpu/instructions,umask=1/", "the name has its own unit mask" },
	{ SKYLAKE, EINVAL, "cpu/instructions,event=1/", "unknown term 'instructions'" },
	{ SKYLAKE, EINVAL, "cpu/instructions,inv/",
	  ":i inverts a counter mask, and there is none" },
	{ SKYLAKE, EINVAL, "cpu/event=0xc4,evnt=1/",
	  "unknown term 'evnt=1'; there are event=, umask=, edge, any, inv, "
	  "cmask= and eq, and config=" },
	{ SKYLAKE, EINVAL, "cpu/event/", "'event' needs a value, such as event=0x1" },
	{ SKYLAKE, EINVAL, "cpu/cmask=256,cycles/", "the value must be a number from 0 to 255" },
	{ SKYLAKE, EINVAL, "cpu/config=c4/", "'config=c4': the value must be a number" },
	{ SKYLAKE, EINVAL, "cpu/config/", "'config': the value must be a number" },
	{ SKYLAKE, EINVAL, "cpu/cycles,name=/", "name= needs a name for the output" },
	{ SKYLAKE, EINVAL, "cpu/cycles,period=0/", "the period must be a number from 1 on" },
	{ SKYLAKE, EOPNOTSUPP, "cpu/event=0xcd,umask=1,ldlat=3/",
	  "'ldlat=3' selects loads by their latency, of which the hardware counts only a random" },
	{ SKYLAKE, EOPNOTSUPP, "cpu/event=0xb7,config2=1/", "'config2=1' sets an extra register" },
	{ SKYLAKE, EOPNOTSUPP, "MEM_TRANS_RETIRED.LOAD_LATENCY",
	  "': selects loads by their latency, of which the hardware counts only a random sample" },
	{ SKYLAKE, EINVAL, "FRONTEND_RETIRED", "FRONTEND_RETIRED needs a unit mask after ':'" },
	{ SKYLAKE, EINVAL, "cpu/event=0xb7,config1=1/",
	  "no register selects what this event counts here: omit config1=" },
	{ SKYLAKE, EINVAL, "cpu/instructions,offcore_rsp=1/", "omit offcore_rsp=" },
	{ SKYLAKE, EINVAL, "cpu/event=0xb7,umask=1,frontend=1/",
	  "its register is set by offcore_rsp=, not by frontend=" },
	{ SKYLAKE, EINVAL, "cpu/event=0xc6,umask=1,offcore_rsp=1/",
	  "its register is set by frontend=, not by offcore_rsp=" },
	{ SKYLAKE, EINVAL, "cpu/event=0xb7,umask=1,offcore_rsp=0/",
	  "'offcore_rsp=0': the value must be a number from 1 on" },
	{ SKYLAKE, EINVAL, "cpu/event=0xb7,umask=1,offcore_rsp/", "the value must be a number" },
	{ SKYLAKE, EINVAL, "cpu/FRONTEND_RETIRED.DSB_MISS,frontend=0x11/",
	  "the name has its own value: omit frontend=" },
	{ PENTIUM_3, EINVAL, "cpu/event=0xb7,umask=1,offcore_rsp=1/", "omit offcore_rsp=" },
	{ ZEN, EINVAL, "cpu/event=0xb7,umask=1,config1=1/", "omit config1=" },
	{ SKYLAKE, EOPNOTSUPP, "cpu/cycles,in_tx/", "'in_tx' counts in transactions" },
	{ SKYLAKE, EOPNOTSUPP, "cpu/cycles,pc/", "'pc' toggles a pin of the processor" },
	{ SKYLAKE, EOPNOTSUPP, "cpu/cycles,freq=100/", "is an option of perf's sampling" },
	{ SKYLAKE, EINVAL, "cpu/xyzzy/", "no event 'xyzzy'" },
	{ SKYLAKE, ENODEV, "cpu_core/cycles/", "this processor has one core type; write cpu/.../" },
	{ SKYLAKE, ENODEV, "cpu_atom/event=1/", "this processor has one core type" },
	{ SKYLAKE, EINVAL, "uncore_imc/clockticks/",
	  "the driver does not count perf's unit 'uncore_imc'" },
	{ SKYLAKE, EINVAL, "{cycles}", "braces make a group of a list of events" },
	{ SKYLAKE, EOPNOTSUPP, "LLC-prefetches",
	  "perf has no such event on this processor; the nearest that it has is 'LLC-loads'" },
	{ SKYLAKE, EOPNOTSUPP, "LLC-prefetch-misses",
	  "no such event on this processor; the nearest that it has is 'LLC-load-misses'" },
	{ SKYLAKE, EOPNOTSUPP, "node-prefetches", "the nearest that it has is 'node-loads'" },
	{ SKYLAKE, EINVAL, "cpu/LLC-loads,offcore_rsp=1/",
	  "the name has its own value: omit offcore_rsp=" },
	{ PENTIUM_3, EOPNOTSUPP, "LLC-loads", "the nearest that it has is 'cache-references'" },
	{ PENTIUM_3, EOPNOTSUPP, "node-stores", "the nearest that it has is 'cache-misses'" },
	{ ZEN, EOPNOTSUPP, "LLC-load-misses", "the nearest that it has is 'cache-misses'" },
	{ SKYLAKE, EOPNOTSUPP, "L1-dcache-store-misses",
	  "no such event on this processor; the nearest that it has is 'L1-dcache-load-misses'" },
	{ SKYLAKE, EOPNOTSUPP, "stalled-cycles-frontend",
	  "perf has no such event on this processor; see" },
	{ PENTIUM_3, EOPNOTSUPP, "stalled-cycles-backend",
	  "the nearest that it has is 'stalled-cycles-frontend'" },
	{ SKYLAKE, EOPNOTSUPP, "idle-cycles-frontend",
	  "perf has no such event on this processor; see" },
	{ PENTIUM_3, EOPNOTSUPP, "dTLB-load-misses", "the nearest that it has is 'dTLB-loads'" },
	{ PENTIUM_3, EINVAL, "cpu/event=0xc4,any/", "unknown term 'any'; there are event=" },
	{ PENTIUM_3, EINVAL, "L2_RQSTS.Q", "unknown unit mask or modifier ':Q'; there are :M" },
	{ ZEN, EOPNOTSUPP, "L1-dcache-stores", "the nearest that it has is 'L1-dcache-loads'" },
	{ ZEN, EOPNOTSUPP, "bus-cycles", "an AMD processor has no such event" },
	{ ZEN, EOPNOTSUPP, "cycles:up", "requests precise sampling" },
};

static void messages(void **state)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(mistakes); i++) {
		choose(mistakes[i].model);
		assert_failed(!pmc_event_parse(mistakes[i].text), mistakes[i].error,
			      mistakes[i].words);
	}
}

/* ---- what the event has besides ---- */

static void details(void **state)
{
	struct pmc_event *event = pmc_event_parse("cpu/event=0xc4,period=1000,name=My-Jumps/u");

	assert_non_null(event);
	assert_string_equal(pmc_event_label(event), "My-Jumps");
	assert_int_equal(pmc_event_period(event), 1000);
	pmc_event_free(event);
	event = pmc_event_parse("cycles:u");
	assert_string_equal(pmc_event_label(event), "cycles:u");
	pmc_event_free(event);
	/* .ANY is the event of the fixed counter, ANY_P that of the general ones */
	event = pmc_event_parse("INST_RETIRED.ANY");
	assert_non_null(event->arch);
	pmc_event_free(event);
	event = pmc_event_parse("INST_RETIRED.ANY_P");
	assert_null(event->arch);
	pmc_event_free(event);
	event = pmc_event_parse("CPU_CLK_UNHALTED.THREAD_P");
	assert_null(event->arch);
	pmc_event_free(event);
}

/* The precise form can be counted, but not sampled. */
static void precise_form(void **state)
{
	struct pmc_event *event = pmc_event_parse("MEM_LOAD_RETIRED.L3_MISS_PS");
	struct pmc_device *device = pmc_device_open(NULL);
	struct pmc_context *context = pmc_context_open(device);

	assert_int_equal(pmc_context_add(context, event), 0);
	pmc_event_set_period(event, 1000);
	assert_failed(pmc_context_add(context, event), EOPNOTSUPP,
		      "_PS requests precise sampling (PEBS), which the driver does not support");
	pmc_event_free(event);
	pmc_context_close(context);
	pmc_device_close(device);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		fake_test(encodings),
		fake_test(extra_registers),
		fake_test(register_generations),
		fake_test(register_core_types),
		fake_test(models),
		fake_test(core_types),
		fake_test(offcore_generations),
		fake_test(offcore_hybrid_generations),
		fake_test(offcore_hybrid),
		fake_test(topdown_hybrid),
		fake_test(topdown_atom),
		fake_test(group),
		fake_test(group_mistakes),
		fake_test(messages),
		fake_test(details),
		fake_test(precise_form),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
