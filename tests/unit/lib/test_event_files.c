// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the vendors' event files: both forms, small files with made-up events */
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "core_type.h"
#include "event_files.h"

#define HEADER	"Family-model,Version,Filename,EventType\n"

/* A folder of its own for each test: tables are never read again */
static char folder[64];

static int setup(void **state)
{
	fake_reset();
	snprintf(folder, sizeof(folder), "/tmp/test_event_files.XXXXXX");
	return !mkdtemp(folder);
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *place)
{
	(void)status;
	(void)type;
	(void)place;
	return remove(path);
}

static int teardown(void **state)
{
	pmc_event_files_set(NULL);
	return nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void write_bytes(const char *name, const char *text, size_t size)
{
	char path[160], *slash;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	slash = strrchr(path, '/');
	*slash = '\0';
	mkdir(path, 0700);
	*slash = '/';
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(size, fwrite(text, 1, size, file));
	assert_int_equal(0, fclose(file));
}

static void write_file(const char *name, const char *text)
{
	write_bytes(name, text, strlen(text));
}

/* ---- the kernel's form ---- */

static const char kernel_map[] =
	HEADER
	"# a remark\n"
	"GenuineIntel-6-55-[56789ABCDEF],v1.00,other,core\n"
	"GenuineIntel-6-5,v1.00,other,core\n"
	"GenuineIntel-6-(4E|55-[01234]),v1.02,made,core\n"
	"GenuineIntel-6-55,v9,never,core\n"
	"AuthenticAMD-25-[[:xdigit:]]+,v1,zen,core\n";

static const char made_events[] =
	"[\n"
	"{ \"EventName\": \"PLAIN.MASK\", \"EventCode\": \"0xA1\", \"UMask\": \"0x02\",\n"
	"  \"Counter\": \"0,1,2,3\", \"SampleAfterValue\": \"100007\",\n"
	"  \"BriefDescription\": \"a plain event\\u001b[31m\" },\n"
	"{ \"EventName\": \"ALL.BITS\", \"EventCode\": \"0xa2\", \"UMask\": \"0x1\",\n"
	"  \"CounterMask\": \"16\", \"Invert\": \"1\", \"EdgeDetect\": \"1\", \"AnyThread\": \"1\",\n"
	"  \"Counter\": \"2\", \"CounterHTOff\": \"2\" },\n"
	"{ \"EventName\": \"INST_RETIRED.ANY\", \"EventCode\": \"\", \"UMask\": \"0x1\",\n"
	"  \"Counter\": \"Fixed counter 0\" },\n"
	"{ \"EventName\": \"INST_RETIRED.PREC_DIST\", \"EventCode\": \"0x00\", \"UMask\": \"0x1\",\n"
	"  \"Counter\": \"32\", \"PEBS\": \"2\" },\n"
	"{ \"EventName\": \"CPU_CLK_UNHALTED.THREAD_ANY\", \"EventCode\": \"0x0\", \"UMask\": \"0x2\",\n"
	"  \"AnyThread\": \"1\", \"Counter\": \"Fixed counter 1\" },\n"
	"{ \"EventName\": \"OLD_FORM.REF\", \"EventCode\": \"0xA\", \"UMask\": \"0x0\",\n"
	"  \"Counter\": \"Fixed counter 3\" },\n"
	"{ \"EventName\": \"ONLY.FIXED\", \"EventCode\": \"0x0\", \"UMask\": \"0x7\",\n"
	"  \"Counter\": \"38\" },\n"
	"{ \"EventName\": \"SECOND.REGISTER\", \"EventCode\": \"0xB7,0xBB\", \"UMask\": \"0x1\",\n"
	"  \"MSRIndex\": \"0x1a6,0x1a7\", \"MSRValue\": \"0x10003C0001\", \"Counter\": \"0,1\" },\n"
	"{ \"EventName\": \"EITHER.OTHER\", \"EventCode\": \"0xB7,0xBB\", \"UMask\": \"0x1\",\n"
	"  \"MSRIndex\": \"0x1a6,0x1a7\", \"MSRValue\": \"0x10001\" },\n"
	"{ \"EventName\": \"RSP.FIRST\", \"EventCode\": \"0xB7\", \"UMask\": \"0x1\",\n"
	"  \"MSRIndex\": \"0x1a6\", \"MSRValue\": \"0x4000000001\" },\n"
	"{ \"EventName\": \"RSP.SECOND\", \"EventCode\": \"0xB7,0xBB\", \"UMask\": \"0x1\",\n"
	"  \"MSRIndex\": \"0x1A7\", \"MSRValue\": \"0x2\" },\n"
	"{ \"EventName\": \"FRONT.END\", \"EventCode\": \"0xC6\", \"UMask\": \"0x1\",\n"
	"  \"MSRIndex\": \"0x3F7\", \"MSRValue\": \"0x11\" },\n"
	"{ \"EventName\": \"LOAD.LATENCY\", \"EventCode\": \"0xCD\", \"UMask\": \"0x1\",\n"
	"  \"MSRIndex\": \"0x3F6\", \"MSRValue\": \"0x80\" },\n"
	"{ \"EventName\": \"OTHER.EVENT\", \"EventCode\": \"0xC0\", \"UMask\": \"0x1\",\n"
	"  \"MSRIndex\": \"0x1a6\", \"MSRValue\": \"0x1\" },\n"
	"{ \"EventName\": \"OTHER.REGISTER\", \"EventCode\": \"0xC1\", \"UMask\": \"0x1\",\n"
	"  \"MSRIndex\": \"0x123\", \"MSRValue\": \"0x10003C0001\" },\n"
	"{ \"EventName\": \"OLD.NAME\", \"EventCode\": \"0xa3\", \"Deprecated\": \"1\",\n"
	"  \"BriefDescription\": \"Refer to new event NEW.NAME\", \"Errata\": \"XYZ12, XYZ13\",\n"
	"  \"TakenAlone\": \"1\" },\n"
	"{ \"EventName\": \"TWICE.EQUAL\", \"EventCode\": \"0xa4\" },\n"
	"{ \"EventName\": \"twice.equal\", \"EventCode\": \"0xa4\" },\n"
	"{ \"EventName\": \"TWICE.OTHER\", \"EventCode\": \"0xa5\" },\n"
	"{ \"EventName\": \"TWICE.OTHER\", \"EventCode\": \"0xa6\" },\n"
	"{ \"EventName\": \"UNC_THING.HERE\", \"EventCode\": \"0xa7\", \"Unit\": \"CHA\" },\n"
	"{ \"MetricName\": \"metric\", \"MetricExpr\": \"1\" },\n"
	"{ \"Unit\": \"core\", \"CountersNumFixed\": \"4\" }\n"
	"]\n";

static void write_kernel_form(void)
{
	write_file("mapfile.csv", kernel_map);
	write_file("made/cache.json", made_events);
	write_file("made/pipeline.json", "[ { \"EventName\": \"SECOND_FILE\", \"EventCode\": \"0x1f\" } ]");
	write_file("made/metricgroups.json", "{ \"Group\": \"text\" }");
	write_file("other/cache.json", "not JSON");
	assert_int_equal(0, pmc_event_files_set(folder));
}

static void codes(void **state)
{
	write_kernel_form();
	encodes("PLAIN.MASK", 0x02a1);
	encodes("plain:mask", 0x02a1);
	encodes("plain.mask:c=2", 0x020002a1);
	encodes("ALL.BITS", 0x10a401a2);
	encodes("SECOND_FILE", 0x1f);
	encodes("second-file:u", 0x1f);
	encodes("twice.equal", 0xa4);
	refuses("ALL.BITS:c=3", EINVAL, "it contains the counter mask 16");
	refuses("TWICE.OTHER", EOPNOTSUPP, "define it twice, with different encodings");
	refuses("UNC_THING.HERE", EOPNOTSUPP, "it belongs to the uncore");
}

static void check_extra(const char *text, uint64_t select, uint64_t extra)
{
	struct pmc_event *event = must_parse(text);

	assert_int_equal(select, pmc_event_select(event));
	assert_int_equal(extra, pmc_event_extra(event));
	pmc_event_free(event);
}

static void registers(void **state)
{
	write_kernel_form();
	check_extra("PLAIN.MASK", 0x02a1, 0);
	check_extra("SECOND.REGISTER", 0x1b7, 0x10003c0001);
	check_extra("RSP.FIRST", 0x1b7, 0x4000000001);
	check_extra("RSP.SECOND", 0x1bb, 0x2);
	check_extra("FRONT.END", 0x1c6, 0x11);
	refuses("LOAD.LATENCY", EOPNOTSUPP,
		"selects loads by their latency, of which the hardware counts only a random sample");
	refuses("OTHER.EVENT", EOPNOTSUPP,
		"needs an extra register, which the driver does not set");
	refuses("OTHER.REGISTER", EOPNOTSUPP,
		"needs an extra register, which the driver does not set: MSR 0x123 = 0x10003c0001");
	refuses("cpu/FRONT.END,frontend=0x11/", EINVAL,
		"the name has its own value: omit frontend=");
}

/* Of two events for either register with different values, the second takes the second register. */
static void either_register(void **state)
{
	struct pmc_context *context = new_context();

	write_kernel_form();
	assert_int_equal(0, add_to(context, "SECOND.REGISTER"));
	assert_int_equal(0, add_to(context, "EITHER.OTHER"));
	assert_int_equal(0, add_to(context, "SECOND.REGISTER:k"));
	assert_failed(add_to(context, "RSP.FIRST"), ENOSPC,
		      "event 'RSP.FIRST' does not fit beside 'SECOND.REGISTER': both need the register that offcore_rsp= sets, with different values; count them in different runs");
	assert_failed(add_to(context, "RSP.SECOND"), ENOSPC,
		      "'RSP.SECOND' does not fit beside 'EITHER.OTHER'");
	assert_int_equal(0, pmc_context_configure(context));
	assert_int_equal(0x1b7, fake.counters[0].event_select);
	assert_int_equal(0x10003c0001, fake.counters[0].event_extra);
	assert_int_equal(0x1bb, fake.counters[1].event_select);
	assert_int_equal(0x10001, fake.counters[1].event_extra);
	assert_int_equal(0x1b7, fake.counters[2].event_select);
	assert_int_equal(0x10003c0001, fake.counters[2].event_extra);
	pmc_context_close(context);
}

static void fixed_counters(void **state)
{
	struct pmc_event *event;

	write_kernel_form();
	encodes("INST_RETIRED.ANY", 0xc0);
	encodes("CPU_CLK_UNHALTED.THREAD_ANY", 0x20003c);
	event = must_parse("INST_RETIRED.ANY");
	assert_int_equal(PLACEMENT_ANY, event->placement);
	pmc_event_free(event);
	event = must_parse("INST_RETIRED.PREC_DIST");
	assert_int_equal(PLACEMENT_FIXED, event->placement);
	assert_int_equal(0, event->arch->fixed);
	pmc_event_free(event);
	event = must_parse("OLD_FORM.REF");
	assert_int_equal(2, event->arch->fixed);
	pmc_event_free(event);
	refuses("ONLY.FIXED", EOPNOTSUPP, "only fixed counter 6 counts it");
}

static void counters(void **state)
{
	struct pmc_event *event;

	write_kernel_form();
	event = must_parse("ALL.BITS");
	assert_int_equal(0x4, event->counters);
	pmc_event_free(event);
	event = must_parse("PLAIN.MASK");
	assert_int_equal(0, event->counters);
	assert_int_equal(100007, pmc_event_default_period(event));
	assert_null(pmc_event_warning(event));
	pmc_event_free(event);
}

/* A file can have more counters than the processor, or none of the processor's. */
static void counters_of_file_and_processor(void **state)
{
	struct pmc_context *context = new_context();

	write_file("mapfile.csv", kernel_map);
	write_file("made/cache.json",
		   "[ { \"EventName\": \"MORE\", \"EventCode\": \"0xC0\", \"UMask\": \"0x1\",\n"
		   "    \"Counter\": \"0,1,2\" },\n"
		   "  { \"EventName\": \"OTHER\", \"EventCode\": \"0xC0\", \"UMask\": \"0x1\",\n"
		   "    \"Counter\": \"3\" } ]");
	assert_int_equal(0, pmc_event_files_set(folder));
	assert_int_equal(0, add_to(context, "MORE"));
	assert_int_equal(0, add_to(context, "OTHER"));
	assert_int_equal(0, pmc_context_configure(context));
	assert_int_equal(PMC_COUNTER_GENERAL(1), fake.counters[0].counter);
	assert_int_equal(PMC_COUNTER_GENERAL(3), fake.counters[1].counter);
	pmc_context_close(context);
}

static void warnings(void **state)
{
	struct pmc_event *event;

	write_kernel_form();
	event = must_parse("old.name");
	assert_string_equal("the event file marks it as deprecated: Refer to new event NEW.NAME; errata XYZ12, XYZ13 affect it: see the processor's specification update; the event file requires that it is counted without other events",
			    pmc_event_warning(event));
	pmc_event_free(event);
	event = must_parse("INST_RETIRED.PREC_DIST");
	assert_string_equal("the event file requires precise sampling, and the driver has none",
			    pmc_event_warning(event));
	pmc_event_free(event);
}

static const struct pmc_event_row *find_row(const struct pmc_event_list *list, const char *name,
					    size_t *num)
{
	const struct pmc_event_row *row, *found = NULL;
	size_t i;

	*num = 0;
	for (i = 0; (row = pmc_event_list_row(list, i)); i++) {
		if (strcmp(row->name, name))
			continue;
		found = row;
		++*num;
	}
	return found;
}

/* The list has the files' events instead of libpfm4's. */
static void list(void **state)
{
	struct pmc_event_list *events;
	const struct pmc_event_row *row;
	size_t num;

	write_kernel_form();
	events = pmc_event_list_get();
	assert_non_null(events);
	assert_null(pmc_event_list_incomplete(events));
	row = find_row(events, "PLAIN.MASK", &num);
	assert_int_equal(1, num);
	assert_string_equal("a plain event [31m", row->text);
	assert_string_equal("made/cache.json, v1.02", row->source);
	assert_int_equal(0x02a1, row->select);
	assert_int_equal(PMC_ANY_COUNTER, row->counters);
	assert_int_equal(0x4, find_row(events, "ALL.BITS", &num)->counters);
	row = find_row(events, "SECOND.REGISTER", &num);
	assert_int_equal(0x3, row->counters);
	assert_false(pmc_event_list_is_refused(events, row, SIZE_MAX));
	row = find_row(events, "OTHER.EVENT", &num);
	assert_int_equal(0, row->counters);
	assert_true(pmc_event_list_is_refused(events, row, SIZE_MAX));
	row = find_row(events, "INST_RETIRED.PREC_DIST", &num);
	assert_int_equal(0, row->fixed);
	assert_int_equal(0, row->counters);
	assert_false(pmc_event_list_is_refused(events, row, SIZE_MAX));
	assert_null(find_row(events, "UNC_THING.HERE", &num));
	assert_null(find_row(events, "INST_RETIRED", &num));
	pmc_event_list_free(events);
}

/* Processors: by stepping, by model, by family */
static void processors(void **state)
{
	const struct pmc_json_table *table;
	struct pmc_processor processor;

	write_kernel_form();
	write_file("zen/core.json",
		   "[ { \"EventName\": \"ls_thing.mask\", \"EventCode\": \"0x1C0\", \"UMask\": \"0x08\" },"
		   " { \"EventName\": \"l3_thing\", \"EventCode\": \"0x1\", \"Unit\": \"L3PMC\" } ]");
	fake_reset();
	fake.query.cpu_model = 0x4e;
	encodes("PLAIN.MASK", 0x02a1);
	fake.query.cpu_model = 0x5e;
	refuses("PLAIN.MASK", EINVAL, "no event 'PLAIN'");
	processor = pmc_processor_current(0);
	assert_int_equal(0, pmc_event_files_table(&processor, &table));
	assert_null(table);
	fake_amd(25);
	encodes("ls_thing.mask", 0x1000008c0);
	refuses("l3_thing", EOPNOTSUPP, "L3");
}

/* ---- the form of Intel's perfmon ---- */

static const char perfmon_events[] =
	"{ \"Header\": { \"Version\": \"1.0\" },\n"
	"\"Events\": [\n"
	"{ \"EventCode\": \"0xA1\", \"UMask\": \"%s\", \"UMaskExt\": \"0x01\", \"EventName\": \"SOME.MASK\",\n"
	"  \"Counter\": \"0,1,2,3\", \"SampleAfterValue\": \"1000003\", \"MSRIndex\": \"0x00\",\n"
	"  \"MSRValue\": \"0x00\", \"CounterMask\": \"0\", \"Invert\": \"0\", \"EdgeDetect\": \"0\",\n"
	"  \"Errata\": \"null\", \"Deprecated\": \"0\", \"PEBS\": \"0\", \"Equal\": \"0\" },\n"
	"{ \"EventCode\": \"0xA2\", \"UMask\": \"0x01\", \"EventName\": \"BOTH.EQUAL\", \"Counter\": \"0,1,2,3\" },\n"
	"{ \"EventCode\": \"0xA3\", \"UMask\": \"0x01\", \"EventName\": \"ONLY.%s\", \"Counter\": \"0\" }\n"
	"] }\n";

static void write_perfmon_form(void)
{
	char text[2048];

	write_file("mapfile.csv",
		   HEADER
		   "GenuineIntel-6-55,V1,/MADE/core.json,hybridcore,0x40,0x000001,Core\r\n"
		   "GenuineIntel-6-55,V1,/MADE/atom.json,hybridcore,0x20,0x000001,Atom\r\n"
		   "GenuineIntel-6-55,V1,/MADE/missing.json,uncore,,,\r\n");
	snprintf(text, sizeof(text), perfmon_events, "0x02", "CORE");
	write_file("MADE/core.json", text);
	snprintf(text, sizeof(text), perfmon_events, "0x04", "ATOM");
	write_file("MADE/atom.json", text);
	assert_int_equal(0, pmc_event_files_set(folder));
}

static void core_types(void **state)
{
	struct pmc_event_list *events;
	size_t num;

	write_perfmon_form();
	fake_hybrid();
	encodes_for(PMC_CORE_TYPE_CORE, "SOME.MASK", 0x100000002a1, PMC_CORE_TYPE_CORE);
	encodes_for(PMC_CORE_TYPE_ATOM, "SOME.MASK", 0x100000004a1, PMC_CORE_TYPE_ATOM);
	encodes_for(0, "BOTH.EQUAL", 0x01a2, 0);
	encodes_for(PMC_CORE_TYPE_ATOM, "BOTH.EQUAL", 0x01a2, 0);
	encodes_for(0, "ONLY.ATOM", 0x01a3, PMC_CORE_TYPE_ATOM);
	refuses("SOME.MASK", EOPNOTSUPP, "differs between core types");
	assert_failed(!pmc_event_parse_core_type("ONLY.ATOM", PMC_CORE_TYPE_CORE), EOPNOTSUPP,
		      "the core type core has no such event, the core type atom has");
	events = pmc_event_list_get();
	find_row(events, "BOTH.EQUAL", &num);
	assert_int_equal(1, num);
	find_row(events, "SOME.MASK", &num);
	assert_int_equal(2, num);
	pmc_event_list_free(events);
}

/* Events of Redwood Cove and Lion Cove, and of Atoms beside them, in the kernel's form */
static const char register_events[] =
	"[\n"
	"{ \"EventName\": \"OCR.BOTH\", \"EventCode\": \"0x2A,0x2B\", \"UMask\": \"0x1\",\n"
	"  \"MSRIndex\": \"0x1a6,0x1a7\", \"MSRValue\": \"0xFE7F8000001\", \"Unit\": \"cpu_core\" },\n"
	"{ \"EventName\": \"OCR.BOTH\", \"EventCode\": \"0xB7\", \"UMask\": \"0x1\",\n"
	"  \"MSRIndex\": \"0x1a6,0x1a7\", \"MSRValue\": \"0x10001\", \"Unit\": \"cpu_atom\" },\n"
	"{ \"EventName\": \"OCR.OLD\", \"EventCode\": \"0xB7,0xBB\", \"UMask\": \"0x1\",\n"
	"  \"MSRIndex\": \"0x1a6,0x1a7\", \"MSRValue\": \"0x10001\", \"Unit\": \"cpu_core\" },\n"
	"{ \"EventName\": \"FRONTEND.ANY\", \"EventCode\": \"0xc6\", \"UMask\": \"0x3\",\n"
	"  \"MSRIndex\": \"0x3F7\", \"MSRValue\": \"0x1\", \"Unit\": \"cpu_core\" },\n"
	"{ \"EventName\": \"FRONTEND.MITE\", \"EventCode\": \"0xc6\", \"UMask\": \"0x2\",\n"
	"  \"MSRIndex\": \"0x3F7\", \"MSRValue\": \"0x9\", \"Unit\": \"cpu_core\" },\n"
	"{ \"EventName\": \"FRONTEND.OLD\", \"EventCode\": \"0xc6\", \"UMask\": \"0x1\",\n"
	"  \"MSRIndex\": \"0x3F7\", \"MSRValue\": \"0x1\", \"Unit\": \"cpu_core\" },\n"
	"{ \"EventName\": \"INT_MISC.BUBBLES\", \"EventCode\": \"0xad\", \"UMask\": \"0x40\",\n"
	"  \"MSRIndex\": \"0x3F7\", \"MSRValue\": \"0x7\", \"Unit\": \"cpu_core\" },\n"
	"{ \"EventName\": \"UOPS.MS\", \"EventCode\": \"0xc2\", \"UMask\": \"0x4\",\n"
	"  \"MSRIndex\": \"0x3F7\", \"MSRValue\": \"0x8\", \"Unit\": \"cpu_core\" },\n"
	"{ \"EventName\": \"LOADS.SLOW\", \"EventCode\": \"0xcd\", \"UMask\": \"0x1\",\n"
	"  \"MSRIndex\": \"0x3F6\", \"MSRValue\": \"0x80\", \"Unit\": \"cpu_core\" }\n"
	"]\n";

static void check_register(const char *text, uint64_t select, uint64_t extra, bool either)
{
	struct pmc_event *event = pmc_event_parse_core_type(text, PMC_CORE_TYPE_CORE);

	if (!event)
		fail_msg("'%s': %s", text, pmc_error());
	assert_int_equal(select, pmc_event_select(event));
	assert_int_equal(extra, pmc_event_extra(event));
	assert_int_equal(either, event->either);
	assert_int_equal(PMC_CORE_TYPE_CORE, event->core_type);
	pmc_event_free(event);
}

static void check_register_refused(const char *text, uint32_t core_type, const char *words)
{
	assert_failed(!pmc_event_parse_core_type(text, core_type), EOPNOTSUPP, words);
}

static void registers_of_core_types(void **state)
{
	static const char reason[] = "needs an extra register, which the driver does not set";
	static const unsigned int models[] = { 0xaa, 0xac, 0xb5, 0xbd, 0xc5, 0xc6, 0xcc, 0xd5 };
	size_t i;

	write_file("mapfile.csv",
		   HEADER "GenuineIntel-6-(A[AC]|B[5D]|C[56C]|D5),v1,made,core\n");
	write_file("made/cache.json", register_events);
	assert_int_equal(0, pmc_event_files_set(folder));
	fake_hybrid();
	for (i = 0; i < ARRAY_SIZE(models); i++) {
		fake.query.cpu_model = models[i];
		check_register("OCR.BOTH", 0x12a, 0xfe7f8000001, true);
		check_register("FRONTEND.ANY", 0x3c6, 0x1, false);
		check_register("FRONTEND.MITE", 0x2c6, 0x9, false);
		check_register("INT_MISC.BUBBLES", 0x40ad, 0x7, false);
		check_register("UOPS.MS", 0x4c2, 0x8, false);
		check_register_refused("OCR.OLD", PMC_CORE_TYPE_CORE, reason);
		check_register_refused("FRONTEND.OLD", PMC_CORE_TYPE_CORE, reason);
		check_register_refused("LOADS.SLOW", PMC_CORE_TYPE_CORE, "selects loads by their latency");
		check_register_refused("OCR.BOTH", PMC_CORE_TYPE_ATOM, reason);
		check_register_refused("FRONTEND.ANY", PMC_CORE_TYPE_ATOM,
				       "the core type atom has no such event");
	}
}

/* A processor with one core type has the events of the larger cores. */
static void one_core_type(void **state)
{
	write_perfmon_form();
	encodes_for(0, "SOME.MASK", 0x100000002a1, 0);
	refuses("ONLY.ATOM", EINVAL, "no event 'ONLY'");
}

/* ---- mistakes ---- */

static const struct mistake {
	const char *text;
	const char *message;
} mistakes[] = {
	{ "", "made/cache.json:1:1: not JSON: the file ends within a value" },
	{ "[\n{ \"EventName\": \"A\",\n",
	  "made/cache.json:3:1: not JSON: the file ends within a value" },
	{ "[\n  { \"EventName\" \"A\" } ]", "made/cache.json:2:17: not JSON: " },
	{ "[] x", "made/cache.json:1:4: not JSON: " },
	{ "[ \"\xff\xfe\" ]", "made/cache.json:1:4: not JSON: " },
	{ "null\n", "made/cache.json:2:1: not JSON: null" },
	{ "{ \"Events\": 1 }",
	  "made/cache.json: neither an array of events nor an object with the array Events" },
	{ "3", "not JSON" },
	{ "[ 3 ]", "made/cache.json: event 1: this is not an object" },
	{ "[ null ]", "made/cache.json: event 1: this is not an object" },
	{ "[ {}, { \"EventCode\": \"0x1\" } ]", "made/cache.json: event 2: EventName is missing" },
	{ "[ { \"EventName\": \"A\", \"EventCode\": \"0x100\" } ]",
	  "made/cache.json: event 1 (A): EventCode '0x100' is not a number from 0 to 255" },
	{ "[ { \"EventName\": \"A\", \"EventCode\": \"-1\" } ]", "EventCode '-1' is not a number" },
	{ "[ { \"EventName\": \"A\", \"EventCode\": [ 1 ] } ]",
	  "EventCode '[ 1 ]' is not a number" },
	{ "[ { \"EventName\": \"A\", \"UMask\": \"0x1g\" } ]",
	  "(A): UMask '0x1g' is not a number" },
	{ "[ { \"EventName\": \"A\", \"CounterMask\": \"256\" } ]",
	  "(A): CounterMask '256' is not a number from 0 to 255" },
	{ "[ { \"EventName\": \"A\", \"Invert\": \"2\" } ]",
	  "(A): Invert '2' is not a number from 0 to 1" },
	{ "[ { \"EventName\": \"A\", \"SampleAfterValue\": \"99999999999999999999999\" } ]",
	  "(A): SampleAfterValue '99999999999999999999999' is not a number" },
	{ "[ { \"EventName\": \"A\", \"MSRIndex\": \"x\" } ]",
	  "(A): MSRIndex 'x' is not a number" },
	{ "[ { \"EventName\": \"A\", \"Counter\": \"0;1\" } ]",
	  "(A): Counter '0;1' is not a list of counters" },
	{ "[ { \"EventName\": \"A\", \"Counter\": \"64\" } ]", "(A): Counter '64' is not a list" },
	{ "[ { \"EventName\": \"A,B\", \"EventCode\": \"1\" } ]",
	  "event 1: EventName 'A,B' has a character that is not allowed in a name" },
	{ "[ { \"EventName\": \"\\u001b[2J\", \"EventCode\": \"1\" } ]",
	  "event 1: EventName ' [2J' has a character" },
};

#define FOUND_SIZE	1024

static size_t num_reports;

static void keep_mistake(const struct pmc_event_file *file, void *data)
{
	num_reports++;
	if (file->mistake)
		snprintf(data, FOUND_SIZE, "%s", file->mistake);
}

/* check() finds the mistake, and an event's name is refused with the same message. */
static void mistakes_in_files(void **state)
{
	char found[FOUND_SIZE], path[128];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(mistakes); i++) {
		assert_int_equal(0, i ? setup(NULL) : 0);
		write_file("mapfile.csv", HEADER "GenuineIntel-6-55-4,v1,made,core\n");
		write_file("made/cache.json", mistakes[i].text);
		found[0] = '\0';
		assert_failed(pmc_event_files_check(folder, keep_mistake, found), EBADMSG,
			      "not all event files are correct");
		if (!strstr(found, mistakes[i].message))
			fail_msg("'%s': '%s'", mistakes[i].text, found);
		assert_int_equal(0, pmc_event_files_set(folder));
		refuses("ANY_NAME", EBADMSG, found);
		refuses("L1D:REPLACEMENT", EBADMSG, found);
		snprintf(path, sizeof(path), "%s/made/cache.json", folder);
		assert_int_equal(0, strncmp(found, path, strlen(path)));
		assert_failed(!pmc_event_list_get(), EBADMSG, found);
		encodes("instructions", 0xc0);
		if (i + 1 < ARRAY_SIZE(mistakes))
			assert_int_equal(0, teardown(NULL));
	}
}

static const struct mistake map_mistakes[] = {
	{ HEADER "GenuineIntel-6-55,v1,made\n",
	  "mapfile.csv:2: needs the columns Family-model,Version" },
	{ HEADER "\nGenuineIntel-6-(55,v1,made,core\n",
	  "mapfile.csv:3: the pattern of its processors is not a valid regular expression" },
	{ HEADER "GenuineIntel-6-(5{99}){99},v1,made,core\n",
	  "mapfile.csv:2: the pattern of its processors is not permitted" },
	/* takes 2^40 nodes of the C library */
	{ HEADER "GenuineInt++++++++++++++++++++++++++++++++++++++++el-6-55,v1,made,core\n",
	  "mapfile.csv:2: the pattern of its processors is not permitted" },
	{ HEADER ",v1,made,core\n", "mapfile.csv:2: the pattern" },
	{ HEADER "GenuineIntel-6-55,,made,core\n", "mapfile.csv:2: the version is missing" },
	{ HEADER "GenuineIntel-6-55,v1,../made,core\n",
	  "mapfile.csv:2: the file name is missing, too long or has '..'" },
	{ HEADER "GenuineIntel-6-55,v1,absent,core\n", "absent: No such file or directory" },
	{ HEADER "GenuineIntel-6-55,v1,made.json,hybridcore,0x33\n",
	  "mapfile.csv:2: the core type is neither 0x20 nor 0x40" },
};

static void mistakes_in_map(void **state)
{
	char found[FOUND_SIZE];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(map_mistakes); i++) {
		assert_int_equal(0, i ? setup(NULL) : 0);
		write_file("mapfile.csv", map_mistakes[i].text);
		write_file("made/cache.json", "[]");
		found[0] = '\0';
		assert_failed(pmc_event_files_check(folder, keep_mistake, found), EBADMSG,
			      "not all event files are correct");
		if (!strstr(found, map_mistakes[i].message))
			fail_msg("'%s': '%s'", map_mistakes[i].text, found);
		assert_int_equal(0, pmc_event_files_set(folder));
		refuses("ANY_NAME", EBADMSG, found);
		if (i + 1 < ARRAY_SIZE(map_mistakes))
			assert_int_equal(0, teardown(NULL));
	}
}

/* Files that are none */
static void no_files(void **state)
{
	char path[128];

	assert_failed(pmc_event_files_set(folder), ENOENT, "mapfile.csv: No such file");
	assert_failed(pmc_event_files_check(folder, keep_mistake, path), ENOENT, "mapfile.csv");
	write_bytes("mapfile.csv", "a\0b", 3);
	assert_failed(pmc_event_files_set(folder), EBADMSG, "mapfile.csv: has a zero byte");
	snprintf(path, sizeof(path), "%s/mapfile.csv", folder);
	assert_int_equal(0, remove(path));
	assert_int_equal(0, mkfifo(path, 0600));
	assert_failed(pmc_event_files_set(folder), EBADMSG, "not a file of at most 256 KiB");
	assert_int_equal(0, remove(path));
	write_file("mapfile.csv", HEADER "GenuineIntel-6-55,v1,large.json,core\n");
	write_file("large.json", "[]");
	snprintf(path, sizeof(path), "%s/large.json", folder);
	assert_int_equal(0, truncate(path, 8388609));
	assert_int_equal(0, pmc_event_files_set(folder));
	refuses("ANY_NAME", EBADMSG, "large.json: not a file of at most 8192 KiB");
}

/* Each file is reported once, although several rows name it. */
static void reports(void **state)
{
	char found[FOUND_SIZE] = "";

	write_kernel_form();
	write_file("other/cache.json", "[]");
	write_file("never/one.json", "[]");
	write_file("zen/one.json", "[]");
	write_file("mapfile.csv", kernel_map);
	num_reports = 0;
	assert_int_equal(0, pmc_event_files_check(folder, keep_mistake, found));
	assert_int_equal(5, num_reports);
	assert_string_equal("", found);
}

/* Without a folder of its own: that of the user */
static void user_folder(void **state)
{
	char name[160];

	write_file("pmcdrv/x", "");
	write_file("pmcdrv/events/mapfile.csv", HEADER "GenuineIntel-6-55,v1,one.json,core\n");
	write_file("pmcdrv/events/one.json", "[ { \"EventName\": \"USERS.OWN\", \"EventCode\": \"0x11\" } ]");
	snprintf(name, sizeof(name), "%s", getenv("XDG_DATA_HOME") ? getenv("XDG_DATA_HOME") : "");
	setenv("XDG_DATA_HOME", folder, 1);
	fake.query.cpu_stepping = 9;
	encodes("users.own", 0x11);
	setenv("XDG_DATA_HOME", name, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(codes),
		TEST(registers),
		TEST(either_register),
		TEST(fixed_counters),
		TEST(counters),
		TEST(counters_of_file_and_processor),
		TEST(warnings),
		TEST(list),
		TEST(processors),
		TEST(core_types),
		TEST(registers_of_core_types),
		TEST(one_core_type),
		TEST(mistakes_in_files),
		TEST(mistakes_in_map),
		TEST(no_files),
		TEST(reports),
		TEST(user_folder),
	};

	return cmocka_run_group_tests_name("event_files", tests, NULL, NULL);
}
