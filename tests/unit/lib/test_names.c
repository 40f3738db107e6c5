// SPDX-License-Identifier: GPL-2.0-only
/* Tests of event names of the built-in tables and of libpfm4 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "pfm_calls.h"

static void pentium(void **state)
{
	fake_pentium(false);
	encodes_on("DATA_READ", 0x00, 0x3);
	encodes_on("data-read:u", 0x00, 0x3);
	encodes_on("Locked_Bus-Cycle", 0x1c, 0x3);
	encodes_on("DATA_READ_MISS_OR_WRITE_MISS:d:k", 0x129, 0x3);
	encodes_on("BRANCHES", 0x12, 0x3);
	encodes_on("instructions", 0x16, 0x3);
	encodes_on("instruction-retired:d", 0x116, 0x3);
	encodes_on("r12", 0x12, 0);
	encodes_on("r16:d", 0x116, 0);
	encodes_on("cpu/event=0x16,clocks/:u", 0x116, 0);
	refuses("cycles", EOPNOTSUPP, "a Pentium has no such event");
	refuses("branch-misses", EOPNOTSUPP, "a Pentium has no such event");
	refuses("llc-misses", EOPNOTSUPP, "a Pentium has no such event");
	refuses("RETURNS", EINVAL, "no event 'RETURNS'");
	refuses("DATA_REED", EINVAL, "did you mean 'DATA_READ', 'DATA_WRITE' or 'DATA_READ_MISS'?");
	refuses("DATA_READ:e", EINVAL, "do not support :e");
	refuses("DATA_READ:i", EINVAL, "do not support :i");
	refuses("DATA_READ:t", EINVAL, "do not support :t");
	refuses("DATA_READ:c=1", EINVAL, "do not support :c");
	refuses("DATA_READ:MESI", EINVAL,
		"unknown modifier ':MESI'; there are :u :k :d :n :p=N :g :g=N");
	refuses("cpu/event=64/", EINVAL, "from 0 to 63");
	refuses("cpu/event=1,umask=1/", EINVAL, "unknown term 'umask=1'; there are event= and clocks");
	refuses("L2_RQSTS", EINVAL, "no event 'L2_RQSTS'");
}

static void pentium_mmx(void **state)
{
	fake_pentium(true);
	encodes_on("RETURNS", 0x39, 0x1);
	encodes_on("RSB_OVERFLOWS", 0x39, 0x2);
	encodes_on("DATA_CACHE_TLB_MISS_STALL_DURATION", 0x130, 0x2);
	encodes_on("LOCKED_BUS_CYCLE", 0x1c, 0x3);
	encodes_on("cycles:u", 0x130, 0x1);
	encodes_on("branch-misses", 0x35, 0x1);
	refuses("llc-references", EOPNOTSUPP, "a Pentium with MMX technology has no such event");
	/* codes of a different event on each counter */
	encodes_on("r39:g=0", 0x39, 0);
	encodes_on("r39:g=1:u", 0x39, 0);
	encodes_on("r139:g=1", 0x139, 0);
	encodes_on("r29", 0x29, 0);
	refuses("r39", EINVAL,
		"this code is RETURNS on general counter 0, and RSB_OVERFLOWS on 1; choose one with :g=0 or :g=1");
	refuses("r39:g", EINVAL, "choose one with");
	refuses("r0130:u", EINVAL, "and DATA_CACHE_TLB_MISS_STALL_DURATION on 1");
	refuses("cpu/event=0x39/", EINVAL, "this code is RETURNS on general counter 0");
}

static void p6(void **state)
{
	fake_p6(3);
	encodes_on("L2_LD", 0x0f29, 0x3);
	encodes_on("l2_ld:MESI", 0x0f29, 0x3);
	encodes_on("L2_LD:M:E:u", 0x0c29, 0x3);
	encodes_on("L2_LD:S:I", 0x0329, 0x3);
	encodes_on("L2_LD:I:i:c=1", 0x1800129, 0x3);
	encodes_on("L2_LD:e", 0x40f29, 0x3);
	encodes_on("L2_LD:E:e", 0x40429, 0x3);
	encodes_on("BUS_TRAN_RFO", 0x66, 0x3);
	encodes_on("BUS_TRANS_RFO:ANY", 0x2066, 0x3);
	encodes_on("BUS_TRAN_RFO:SELF", 0x66, 0x3);
	encodes_on("INST_DECODER", 0xd0, 0x3);
	encodes_on("FLOPS", 0xc1, 0x1);
	encodes_on("DIV", 0x13, 0x2);
	encodes_on("MMX_INSTR_TYPE_EXEC:MUL:ARITH", 0x21b3, 0x3);
	encodes_on("MMX_UOPS_EXEC", 0x0fb2, 0x3);
	encodes_on("instructions", 0xc0, 0x3);
	encodes_on("cycles:k", 0x79, 0x3);
	encodes_on("branches", 0xc4, 0x3);
	encodes_on("branch-misses", 0xc5, 0x3);
	encodes_on("llc-references", 0x0f2e, 0x3);
	encodes_on("llc-misses", 0x012e, 0x3);
	encodes_on("cpu/event=0x2e,umask=0xf,edge,inv,cmask=1/", 0x1840f2e, 0);
	refuses("L2_LD:I:i", EINVAL, ":i inverts a counter mask, and there is none");
	refuses("L2_LD:Q", EINVAL, "there are :M :E :S :I :MESI, and :u");
	refuses("BUS_TRAN_RFO:SELF:ANY", EINVAL, "the unit mask :SELF cannot be combined with another");
	refuses("L2_LD:", EINVAL, "unknown unit mask or modifier ':'");
	refuses("MMX_INSTR_TYPE_EXEC", EINVAL,
		"needs a unit mask, one or more of :MUL :SHIFT :PACK :UNPACK :LOGICAL :ARITH");
	refuses("slots", EOPNOTSUPP, "a processor of the P6 family has no such event");
	refuses("EMON_KNI_INST_RETIRED", EINVAL, "no event");
	refuses("cycles:d", EINVAL, "it is for the Pentium");
	refuses("cycles:t", EINVAL, "do not support :t");
	refuses("cycles:q", EINVAL, "there are :u :k :e :i :c=N :p=N :g :g=N");
	refuses("cpu/event=1,any/", EINVAL, "there are event=, umask=, edge, inv and cmask=");
	refuses("DATA_READ", EINVAL, "no event 'DATA_READ'");
	fake_p6(8);
	encodes_on("EMON_KNI_PREF_DISPATCHED:T2", 0x0207, 0x3);
	refuses("MMX_INSTR_RET", EINVAL, "no event");
	fake_p6(1);
	refuses("MMX_ASSIST", EINVAL, "no event");
}

/* libpfm4's Skylake: event numbers of SDM Volume 3B */
static void libpfm(void **state)
{
	encodes_on("L1D:REPLACEMENT", 0x151, 0);
	encodes_on("l1d:replacement:u", 0x151, 0);
	encodes_on("L2_RQSTS:MISS", 0x3f24, 0);
	encodes_on("FP_ARITH_INST_RETIRED:SCALAR_DOUBLE:SCALAR_SINGLE", 0x3c7, 0);
	encodes_on("BR_INST_RETIRED:CONDITIONAL", 0x1c4, 0);
	encodes_on("INST_RETIRED:PREC_DIST", 0x1c0, 0);
	encodes_on("CPU_CLK_THREAD_UNHALTED:ONE_THREAD_ACTIVE", 0x23c, 0);
	encodes_on("UOPS_RETIRED:STALL_CYCLES", 0x18001c2, 0);
	encodes_on("L1D_PEND_MISS:PENDING:e:c=1", 0x1040148, 0);
	encodes_on("UOPS_RETIRED:STALL_CYCLES:c=1", 0x18001c2, 0);
	refuses("UOPS_RETIRED:STALL_CYCLES:c=2", EINVAL,
		"it contains the counter mask 1: omit :c");
	refuses("UOPS_RETIRED:STALL_CYCLES:i", EINVAL, "it is already inverted");
	refuses("L1D:REPLACEMENT:i", EINVAL, ":i:c=1 counts the cycles in which the event");
	refuses("L2_RQSTS:MIS", EINVAL, "did you mean 'MISS'?");
	refuses("L2_RQSTS:MISS:q", EINVAL, "has no unit mask or modifier ':q'");
	refuses("DTLB_LOAD_MISSES", EINVAL,
		"DTLB_LOAD_MISSES needs a unit mask after ':', one of: MISS_CAUSES_A_WALK");
	encodes_on("OFFCORE_RESPONSE_0:DMND_RFO:ANY_RESPONSE", 0x1b7, 0);
	encodes_on("OFFCORE_RESPONSE_0", 0x1b7, 0);
	encodes_on("FRONTEND_RETIRED:DSB_MISS", 0x1c6, 0);
	refuses("FRONTEND_RETIRED", EINVAL, "needs a unit mask");
	/* libpfm4 returns a single code */
	refuses("MEM_TRANS_RETIRED", EOPNOTSUPP, "selects loads by their latency");
	refuses("MEM_TRANS_RETIRED:LATENCY_ABOVE_THRESHOLD", EOPNOTSUPP,
		"selects loads by their latency");
	refuses("BR_INST_RETIRED:CONDITIONAL:NEAR_CALL", EINVAL, "cannot be combined");
}

/*
 * libpfm4 and the library have the same architectural events, with one exception: libpfm4's
 * UNHALTED_REFERENCE_CYCLES is the fixed counter's event; in the manual the name belongs to
 * bit 2 of CPUID.0AH:EBX.
 */
static void libpfm_architectural(void **state)
{
	encodes_on("UNHALTED_REFERENCE_CYCLES", 0x13c, 0);
	encodes_on("UNHALTED_CORE_CYCLES", 0x3c, 0);
	encodes_on("INSTRUCTION_RETIRED", 0xc0, 0);
	encodes_on("BRANCH_INSTRUCTIONS_RETIRED", 0xc4, 0);
	encodes_on("MISPREDICTED_BRANCH_RETIRED", 0xc5, 0);
}

/* ---- equality ---- */

static void check_equal(const char *a, const char *b, bool equal)
{
	struct pmc_event *first = must_parse(a), *second = must_parse(b);

	if (pmc_event_equal(first, second) != equal || pmc_event_equal(second, first) != equal)
		fail_msg("'%s' and '%s'", a, b);
	pmc_event_free(first);
	pmc_event_free(second);
}

static void equal(void **state)
{
	check_equal("cycles:u", "cycles:u", true);
	check_equal("cycles", "cycles:uk", true);
	check_equal("cycles", "UNHALTED_CORE_CYCLES", true);
	check_equal("branches:u", "BRANCH_INSTRUCTIONS_RETIRED:u", true);
	check_equal("r00c4", "cpu/event=0xc4/", true);
	check_equal("cycles:u", "cycles:k", false);
	check_equal("cycles:u", "instructions:u", false);
	check_equal("cycles:c=1", "cycles", false);
	check_equal("cycles:p=7", "cycles", false);
	check_equal("ref-cycles", "bus-cycles", false);
	check_equal("ref-cycles", "ref-cycles:f", true);
	check_equal("ref-cycles:g", "bus-cycles:g", true);
	check_equal("cycles:f", "cycles", false);
	check_equal("r00c4:g=1", "r00c4:g=2", false);
	check_equal("r00c4:g=1", "r00c4", false);
	fake_pentium(true);
	check_equal("instructions", "INSTRUCTIONS_EXECUTED", true);
	check_equal("RETURNS", "RSB_OVERFLOWS", false);
	check_equal("DATA_READ", "DATA_READ:d", false);
}

/* ---- lists ---- */

/* The parser accepts every name of a list with every unit mask. */
static void check_list(const struct pmc_event_list *list)
{
	const struct pmc_event_row *row;
	struct pmc_event *event;
	char text[256];
	size_t i, j;

	for (i = 0; i < pmc_event_list_num(list); i++) {
		row = pmc_event_list_row(list, i);
		event = pmc_event_parse(row->name);
		if (!event && !row->num_unit_masks)
			fail_msg("%s: %s", row->name, pmc_error());
		if (event && row->note && !row->counters && row->fixed == PMC_NO_FIXED)
			fail_msg("%s is not refused", row->name);
		pmc_event_free(event);
		for (j = 0; j < row->num_unit_masks; j++) {
			snprintf(text, sizeof(text), "%s:%s", row->name, row->unit_masks[j].name);
			event = pmc_event_parse(text);
			if (!event != row->unit_masks[j].refused)
				fail_msg("%s: %s", text, event ? "not refused" : pmc_error());
			pmc_event_free(event);
		}
	}
	assert_null(pmc_event_list_row(list, i));
}

static void list_of(size_t least, size_t most)
{
	struct pmc_event_list *list = pmc_event_list_get();

	assert_non_null(list);
	assert_in_range(pmc_event_list_num(list), least, most);
	assert_null(pmc_event_list_incomplete(list));
	check_list(list);
	pmc_event_list_free(list);
}

/* No counter can count the event, and the row has the reason. */
static void check_refused(const struct pmc_event_list *list, const char *name,
			  size_t least_masks)
{
	const struct pmc_event_row *row = row_of(list, name);
	size_t i;

	assert_non_null(row);
	assert_true(row->counters == 0);
	assert_int_equal(row->fixed, PMC_NO_FIXED);
	assert_string_equal(row->note,
			    "selects loads by their latency, of which the hardware counts only a random sample");
	assert_true(row->num_unit_masks >= least_masks);
	for (i = 0; i < row->num_unit_masks; i++)
		assert_true(row->unit_masks[i].refused);
}

/* The unit masks are bits of the extra register, not of the event select. */
static void check_register_row(const struct pmc_event_row *row, uint64_t select)
{
	size_t i;

	assert_int_equal(row->select, select);
	assert_true(row->counters);
	for (i = 0; i < row->num_unit_masks; i++)
		assert_true(!row->unit_masks[i].refused && !row->unit_masks[i].bits);
}

static void lists(void **state)
{
	struct pmc_event_list *list;

	list = pmc_event_list_get();
	assert_int_equal(row_of(list, "cycles")->fixed, 1);
	assert_true(row_of(list, "cycles")->counters == PMC_ANY_COUNTER);
	assert_true(row_of(list, "ref-cycles")->counters == 0);
	assert_null(row_of(list, "UNHALTED_REFERENCE_CYCLES"));
	assert_true(row_of(list, "BACLEARS")->counters == PMC_ANY_COUNTER);
	assert_int_equal(row_of(list, "MEM_LOAD_RETIRED")->counters, 0xf);
	assert_null(row_of(list, "DATA_READ"));
	check_register_row(row_of(list, "OFFCORE_RESPONSE_0"), 0x1b7);
	check_register_row(row_of(list, "FRONTEND_RETIRED"), 0x1c6);
	check_refused(list, "MEM_TRANS_RETIRED", 2);
	assert_null(row_of(list, "MEM_INST_RETIRED")->note);
	pmc_event_list_free(list);
	pmc_event_list_free(NULL);
	/* 9 names of the library and 86 of libpfm4 4.13 */
	list_of(9 + 80, 9 + 200);
}

static void pentium_lists(void **state)
{
	fake_pentium(false);
	list_of(2 + 38, 2 + 38);
	fake_pentium(true);
	list_of(4 + 74, 4 + 74);
}

/* An architectural name counts the event that the list shows for it. */
static void check_generic(const char *name, const char *event, uint64_t select,
			  uint64_t counters)
{
	struct pmc_event_list *list;
	const struct pmc_event_row *row;

	encodes_on(name, select, counters);
	encodes_on(event, select, counters);
	list = pmc_event_list_get();
	row = row_of(list, name);
	assert_non_null(row);
	assert_non_null(strstr(row->text, event));
	assert_string_equal(row->source, "architectural");
	pmc_event_list_free(list);
}

static void generic_names(void **state)
{
	static const struct {
		enum pmc_layout layout;
		const char *name;
		const char *event;
		uint64_t select;
		uint64_t counters;
	} generics[] = {
#define PMC_GENERIC_EVENT(layout, ...) { PMC_LAYOUT_##layout, __VA_ARGS__ },
#define PMC_GENERIC_NETBURST(...)
#define PMC_GENERIC_AMD(...)
#include "events/tables/generic.def"
#undef PMC_GENERIC_EVENT
#undef PMC_GENERIC_NETBURST
#undef PMC_GENERIC_AMD
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(generics); i++) {
		if (generics[i].layout == PMC_LAYOUT_P5)
			fake_pentium(true);
		else
			fake_p6(3);
		check_generic(generics[i].name, generics[i].event, generics[i].select,
			      generics[i].counters);
	}
}

/* perf's names of the same events, and a hint for perf's names of other events */
static void names_of_perf(void **state)
{
	struct pmc_event_list *list;

	check_equal("cpu-cycles:u", "cycles:u", true);
	check_equal("cache-references", "llc-references", true);
	check_equal("Cache_Misses:k", "llc-misses:k", true);
	check_equal("branch-instructions", "branches", true);
	list = pmc_event_list_get();
	assert_string_equal(row_of(list, "llc-misses")->perf, "cache-misses");
	assert_null(row_of(list, "instructions")->perf);
	pmc_event_list_free(list);
	refuses("page-faults", EINVAL,
		"no event 'page-faults': it is a software event of the kernel's perf; for the processor's events, see pmc_event_list_get()");
	refuses("CS", EINVAL, "it is a software event of the kernel's perf");
	refuses("mem-stores", EINVAL,
		"each processor has its own name for it: see the names with 'mem-inst-retired' in pmc_event_list_get()");
	fake_p6(3);
	check_equal("cache-misses", "L2_RQSTS:I", true);
	check_equal("L1-dcache-loads", "DATA_MEM_REFS", true);
	fake_pentium(true);
	check_equal("cpu-cycles", "NUMBER_OF_CYCLES_NOT_IN_HALT_STATE:d", true);
	check_equal("branch-instructions", "BRANCHES", true);
	refuses("L1-dcache-loads", EINVAL, "see the names with 'data-read'");
	refuses("dTLB-loads", EINVAL, "see the names with 'data-tlb'");
}

/* Suggestions for unit masks without an event, and for parts of names */
static void near_misses(void **state)
{
	refuses("l1_miss", EINVAL, "did you mean 'MEM_LOAD_RETIRED:L1_MISS', ");
	refuses("L3_MISS", EINVAL, "(see also the names with 'l3-miss' in pmc_event_list_get())");
	refuses("fb_full", EINVAL, "L1D_PEND_MISS:FB_FULL'");
	refuses("offcore", EINVAL, "see the names with 'offcore'");
	fake_pentium(true);
	refuses("mmx", EINVAL,
		"no event 'mmx'; it is a part of other names: see the names with 'mmx' in pmc_event_list_get()");
	refuses("mm", EINVAL, "no event 'mm'; see pmc_event_list_get() for the names, or give a raw code such as r0016");
	refuses("xyzzy", EINVAL, "such as r0016");
}

/* An event that the processor lacks is not suggested, and is listed last. */
static void lacking(void **state)
{
	struct pmc_event_list *list;
	size_t num;

	fake.query.events_unavailable = 1 << 6;
	list = pmc_event_list_get();
	num = pmc_event_list_num(list);
	assert_string_equal(pmc_event_list_row(list, num - 2)->name, "branch-misses");
	assert_string_equal(pmc_event_list_row(list, num - 1)->name, "slots");
	assert_string_equal(pmc_event_list_row(list, 0)->name, "cycles");
	assert_null(strstr(row_of(list, "MISPREDICTED_BRANCH_RETIRED")->text, "another name"));
	assert_string_equal(row_of(list, "INSTRUCTIONS_RETIRED")->text,
			    "another name of instructions");
	assert_null(row_of(list, "INSTRUCTION_RETIRED"));
	pmc_event_list_free(list);
}

static void p6_list(void **state)
{
	struct pmc_event_list *list;

	fake_p6(3);
	/* architectural names, those of the tables, perf's */
	list_of(6 + 78 + 13, 6 + 78 + 13);
	list = pmc_event_list_get();
	assert_int_equal(row_of(list, "FLOPS")->counters, 0x1);
	assert_string_equal(row_of(list, "L2_LD")->unit, "L2 cache");
	assert_int_equal(row_of(list, "L2_LD")->num_unit_masks, 5);
	assert_int_equal(row_of(list, "L2_LD")->unit_masks[0].bits, 0x800);
	assert_true(row_of(list, "L2_LD")->unit_masks[4].preset);
	pmc_event_list_free(list);
}

/* ---- memory ---- */

static int reallocs_left = -1;

void *__real_realloc(void *memory, size_t size);
void *__wrap_realloc(void *memory, size_t size);

void *__wrap_realloc(void *memory, size_t size)
{
	if (reallocs_left > 0)
		reallocs_left--;
	if (!reallocs_left) {
		errno = ENOMEM;
		return NULL;
	}
	return __real_realloc(memory, size);
}

/* Each allocation fails once: ENOMEM, and the next list is complete. */
static void no_memory(void **state)
{
	struct pmc_event_list *list = NULL;
	size_t least;
	int i;

	for (i = 1; !list; i++) {
		reallocs_left = i;
		errno = 0;
		list = pmc_event_list_get();
		if (!list)
			assert_int_equal(errno, ENOMEM);
	}
	reallocs_left = -1;
	/* each row had a failed allocation once */
	least = pmc_event_list_num(list);
	assert_in_range(i, least, least + 2);
	pmc_event_list_free(list);
	list_of(9 + 80, 9 + 200);
}

/* ---- number of calls of libpfm4, each of which searches all events ---- */

static size_t encodings, attributes;

pfm_err_t __wrap_pfm_get_os_event_encoding(const char *text, int modes, pfm_os_t os,
					   void *argument)
{
	encodings++;
	return __real_pfm_get_os_event_encoding(text, modes, os, argument);
}

pfm_err_t __wrap_pfm_get_event_attr_info(int event, int index, pfm_os_t os,
					 pfm_event_attr_info_t *info)
{
	attributes++;
	return __real_pfm_get_event_attr_info(event, index, os, info);
}

static size_t initialised;

pfm_err_t __wrap_pfm_initialize(void)
{
	initialised++;
	return __real_pfm_initialize();
}

/* Number of unit masks of an event, or 1 if it has none */
static size_t num_masks(const struct pmc_event_row *row)
{
	return row->num_unit_masks ? row->num_unit_masks : 1;
}

/* An architectural event, available or not, is parsed without libpfm4. Runs first. */
static void lacking_is_cheap(void **state)
{
	struct pmc_device *device = pmc_device_open(NULL);
	struct pmc_info *info;
	struct pmc_event *event;

	fake.query.events_unavailable = 1 << 6;
	info = pmc_device_get_info(device, PMC_CPU_ANY);
	event = must_parse("branch-misses");
	assert_failed(pmc_info_can_count(info, event), EOPNOTSUPP,
		      "see the names with 'br-misp'");
	assert_int_equal(initialised, 0);
	pmc_event_free(event);
	event = must_parse("branches");
	assert_int_equal(pmc_info_can_count(info, event), 0);
	assert_int_equal(initialised, 0);
	pmc_event_free(event);
	pmc_info_free(info);
	pmc_device_close(device);
}

/* A hint for an unknown name encodes the unit masks of one event, not of all. Runs second. */
static void near_is_cheap(void **state)
{
	struct pmc_event_list *list;
	size_t counted;

	refuses("mem-loads", EINVAL, "see the names with 'mem-load'");
	assert_int_equal(initialised, 1);
	counted = encodings;
	list = pmc_event_list_get();
	assert_int_equal(counted, num_masks(row_of(list, "MEM_LOAD_L3_HIT_RETIRED")));
	pmc_event_list_free(list);
}

/* A list encodes each unit mask once and requests each attribute once. Runs third. */
static void lists_are_cheap(void **state)
{
	struct pmc_event_list *list = pmc_event_list_get();
	const struct pmc_event_row *row;
	size_t expected = 0, counted, i;

	for (i = 0; (row = pmc_event_list_row(list, i)); i++)
		if (strcmp(row->source, "architectural") && strcmp(row->source, "perf"))
			expected += num_masks(row);
	assert_int_equal(encodings, expected);
	counted = attributes;
	pmc_event_list_free(list);
	list = pmc_event_list_get();
	assert_int_equal(encodings, expected);
	refuses("MEM_LOAD_RETIRED", EINVAL, "needs a unit mask after ':', one of: L1_HIT");
	refuses("MEM_LOAD_RETIRED:L1_HIP", EINVAL, "did you mean 'L1_HIT'");
	assert_int_equal(encodings, expected + 1);
	encodes_on("MEM_LOAD_RETIRED:L1_HIT", 0x1d1, 0);
	assert_int_equal(encodings, expected + 2);
	assert_int_equal(attributes, counted);
	pmc_event_list_free(list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		fake_test(lacking_is_cheap),
		fake_test(near_is_cheap),
		fake_test(lists_are_cheap),
		fake_test(no_memory),
		fake_test(pentium),
		fake_test(pentium_mmx),
		fake_test(p6),
		fake_test(libpfm),
		fake_test(libpfm_architectural),
		fake_test(equal),
		fake_test(lists),
		fake_test(pentium_lists),
		fake_test(generic_names),
		fake_test(names_of_perf),
		fake_test(near_misses),
		fake_test(lacking),
		fake_test(p6_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
