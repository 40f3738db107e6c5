// SPDX-License-Identifier: GPL-2.0-only
/* pmcctl info: print the features of a CPU, its counters and their holders */
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <libpmcevents.h>

#include "cmd/subcommand.h"
#include "util/context-text.h"
#include "util/device.h"
#include "util/error.h"
#include "util/output-file.h"
#include "util/output.h"
#include "util/rdpmc-access.h"
#include "util/xalloc.h"

/* More core types than any processor has */
#define CORE_TYPES_MAX		4

/* The fixed counter that alone counts ref-cycles */
#define REF_CYCLES_FIXED	2

static const char usage[] =
	"Usage: pmcctl info [-C CPU] [--json]\n"
	"\n"
	"Print the model of the CPU, its counters and their holders, or the reason why\n"
	"the counters cannot be used. On a processor with several core types, print all\n"
	"this for the first CPU of each type.\n"
	"\n"
	"  -C, --cpu=CPU    describe this CPU, not the one that pmcctl runs on\n"
	"      --json       JSON instead of tables\n"
	"  -h, --help       this help\n"
	"\n"
	"Exit status: 0, or 125 if pmcctl itself failed.\n"
	"\n"
	"Examples:\n"
	"    pmcctl info\n"
	"    pmcctl info -C 1 --json\n"
	"\n"
	"See pmcctl-info(1).\n";

static const char *text_or_unknown(const char *word)
{
	return word ? word : "unknown";
}

/* Can the event be counted? @name: any name that the processor has for it */
static bool can_count(const struct pmc_info *info, const char *name)
{
	struct pmc_event *event = pmc_event_parse(name);
	bool can = event && !pmc_info_can_count(info, event);

	pmc_event_free(event);
	return can;
}

/*
 * Names of the architectural events: those with a bit in CPUID leaf 0AH, then ref-cycles.
 * Return: NULL after the last one.
 */
static const char *event_name(unsigned int index)
{
	if (pmc_arch_event_name(index))
		return pmc_arch_event_name(index);
	return index && pmc_arch_event_name(index - 1) ? "ref-cycles" : NULL;
}

static bool has_event(const struct pmc_info *info, unsigned int index)
{
	const struct pmc_query *query = pmc_info_query(info);

	if (!query->perfmon_version)
		return can_count(info, event_name(index));
	if (!pmc_arch_event_name(index))
		return query->fixed_counters >> REF_CYCLES_FIXED & 1;
	return index < query->events_described && !(query->events_unavailable >> index & 1);
}

/* ---- table ---- */

/* Is no counter free? */
static bool all_counters_held(const struct pmc_info *info)
{
	size_t i;

	for (i = 0; i < pmc_info_num_counters(info); i++)
		if (pmc_info_counter(info, i)->holder.kind == PMC_HOLDER_NONE)
			return false;
	return pmc_info_num_counters(info);
}

static void add_width(struct table *table, const char *label, uint64_t counters, uint32_t width)
{
	int num = __builtin_popcountll(counters);

	table_add(table, "%s", label);
	table_add(table, "%d counter%s of %u bits", num, plural(num), width);
}

/* @cpus: the CPUs of this core type as a text, or NULL */
static void add_core_type(struct table *table, const struct pmc_query *query, const char *cpus)
{
	table_add(table, "core");
	table_add(table, "%s (0x%08x), one of several core types%s%s",
		  text_or_unknown(pmc_core_type_name(query->core_type)), query->core_type,
		  cpus ? ": that of " : "", cpus ? cpus : "");
}

/* Nothing for a driver without the attribute */
static void add_rdpmc_access(struct table *table)
{
	struct rdpmc_access access;

	if (rdpmc_access_read(&access))
		return;
	table_add(table, "user mode");
	table_add(table, "%s", rdpmc_access_text(access.setting));
	if (access.override[0]) {
		table_add(table, "%s", "");
		table_add(table, "%s", access.override);
	}
}

static void add_cpu(struct table *table, const struct pmc_info *info, const char *cpus)
{
	const struct pmc_query *query = pmc_info_query(info);

	table_add(table, "CPU");
	if (!query->vendor[0])
		table_add(table, "%d", query->cpu);
	else
		table_add(table, "%d: %.*s family %u model %u (0x%x) stepping %u", query->cpu,
			  (int)sizeof(query->vendor), query->vendor, query->cpu_family,
			  query->cpu_model, query->cpu_model, query->cpu_stepping);
	table_add(table, "status");
	table_add(table, "%s%s", text_or_unknown(pmc_status_text(query->status)),
		  all_counters_held(info) ? ", but all are held now: see below" : "");
	table_add(table, "kind");
	if (query->perfmon_version)
		table_add(table, "%s, version %u", text_or_unknown(pmc_family_text(query->family)),
			  query->perfmon_version);
	else
		table_add(table, "%s", text_or_unknown(pmc_family_text(query->family)));
	if (query->core_type)
		add_core_type(table, query, cpus);
	add_width(table, "general", query->general_counters, query->general_width);
	if (query->fixed_counters)
		add_width(table, "fixed", query->fixed_counters, query->fixed_width);
	table_add(table, "time stamps");
	table_add(table, "%u kHz", query->tsc_khz);
	table_add(table, "driver");
	table_add(table, "ABI %u (this pmcctl: ABI %d), %u context%s in use", query->abi_version,
		  PMC_ABI_VERSION, query->contexts, plural(query->contexts));
	add_rdpmc_access(table);
}

static void add_features(struct table *table, const struct pmc_query *query)
{
	const char *label = "features";
	unsigned int bit;

	for (bit = 0; bit < 64; bit++)
		if (query->features >> bit & 1) {
			table_add(table, "%s", label);
			table_add(table, "%s", text_or_unknown(pmc_feature_text(bit)));
			label = "";
		}
}

/* The erratum's name, or the number of a quirk that only a newer driver knows */
static const char *quirk_name(unsigned int bit)
{
	static char number[sizeof("bit 63")];
	const char *name = pmc_quirk_name(bit);

	if (name)
		return name;
	snprintf(number, sizeof(number), "bit %u", bit);
	return number;
}

/* The names and texts are the driver's ABI; a newer driver can have more. */
static void add_quirks(struct table *table, const struct pmc_query *query)
{
	const char *label = "quirks";
	unsigned int bit;

	for (bit = 0; bit < 64; bit++)
		if (query->quirks >> bit & 1) {
			table_add(table, "%s", label);
			table_add(table, "%s: %s", quirk_name(bit),
				  text_or_unknown(pmc_quirk_text(bit)));
			label = "";
		}
}

static void add_events(struct table *table, const struct pmc_info *info)
{
	const char *label = "events";
	unsigned int i;

	for (i = 0; event_name(i) && pmc_info_num_counters(info); i++) {
		table_add(table, "%s", label);
		table_add(table, "%s: %s", event_name(i), has_event(info, i) ? "yes" : "missing");
		label = "";
	}
}

static void add_counter(struct table *table, const struct pmc_counter *counter)
{
	char name[PMC_COUNTER_NAME_SIZE], holder[PMC_HOLDER_TEXT_SIZE];

	pmc_counter_name(counter->counter, name, sizeof(name));
	pmc_holder_text(&counter->holder, holder, sizeof(holder));
	table_add(table, "%s", name);
	table_add(table, "%u", counter->width);
	table_add(table, "%u", counter->write_width);
	table_add(table, "0x%x", counter->rdpmc);
	table_add(table, "0x%x", counter->select_msr);
	table_add(table, "0x%x", counter->counter_msr);
	table_add(table, "%s", holder);
}

/* @cpus: the CPUs of its core type as a text, or NULL */
static void print_table(const struct pmc_info *info, const char *cpus)
{
	static const char *const heads[] = {
		"counter", "bits", "written", "RDPMC", "select", "MSR", "held by",
	};
	struct table facts = { .columns = 2 };
	struct table counters = { .columns = ARRAY_SIZE(heads), .right = 0x3e };
	size_t i;

	add_cpu(&facts, info, cpus);
	add_features(&facts, pmc_info_query(info));
	add_quirks(&facts, pmc_info_query(info));
	add_events(&facts, info);
	table_print(&facts, 0, stdout);
	if (!pmc_info_num_counters(info))
		return;
	for (i = 0; i < ARRAY_SIZE(heads); i++)
		table_add(&counters, "%s", heads[i]);
	for (i = 0; i < pmc_info_num_counters(info); i++)
		add_counter(&counters, pmc_info_counter(info, i));
	putchar('\n');
	table_print(&counters, 0, stdout);
}

/* ---- JSON ---- */

static void put_number(struct json_object *object, const char *key, uint64_t value)
{
	json_object_object_add(object, key, json_object_new_uint64(value));
}

static void put_text(struct json_object *object, const char *key, const char *text)
{
	json_object_object_add(object, key, text ? json_text(text) : NULL);
}

static struct json_object *json_holder(const struct pmc_holder *holder)
{
	struct json_object *object = json_object_new_object();
	char text[PMC_HOLDER_TEXT_SIZE], comm[PMC_COMM_LEN + 1] = "";

	pmc_holder_text(holder, text, sizeof(text));
	memcpy(comm, holder->comm, PMC_COMM_LEN);
	put_text(object, "kind", pmc_holder_name(holder->kind));
	put_text(object, "text", text);
	if (holder->kind != PMC_HOLDER_CONTEXT)
		return object;
	json_object_object_add(object, "pid", json_object_new_int(holder->pid));
	put_text(object, "comm", comm);
	put_text(object, "scope", context_scope_name(holder->scope));
	json_object_object_add(object, "cpu", json_object_new_int(holder->cpu));
	json_object_object_add(object, "tid", json_object_new_int(holder->tid));
	return object;
}

static struct json_object *json_counter(const struct pmc_counter *counter)
{
	struct json_object *object = json_object_new_object();
	char name[PMC_COUNTER_NAME_SIZE];

	pmc_counter_name(counter->counter, name, sizeof(name));
	put_text(object, "counter", name);
	put_number(object, "width", counter->width);
	put_number(object, "write_width", counter->write_width);
	json_object_object_add(object, "event_select_mask", json_hex(counter->event_select_mask));
	json_object_object_add(object, "rdpmc", json_hex(counter->rdpmc));
	json_object_object_add(object, "select_msr", json_hex(counter->select_msr));
	json_object_object_add(object, "counter_msr", json_hex(counter->counter_msr));
	json_object_object_add(object, "holder", json_holder(&counter->holder));
	return object;
}

static struct json_object *json_features(const struct pmc_query *query)
{
	struct json_object *array = json_object_new_array();
	unsigned int bit;

	for (bit = 0; bit < 64; bit++)
		if (query->features >> bit & 1)
			json_object_array_add(array,
					      json_text(text_or_unknown(pmc_feature_name(bit))));
	return array;
}

static struct json_object *json_quirks(const struct pmc_query *query)
{
	struct json_object *array = json_object_new_array();
	unsigned int bit;

	for (bit = 0; bit < 64; bit++)
		if (query->quirks >> bit & 1)
			json_object_array_add(array,
					      json_text(quirk_name(bit)));
	return array;
}

static struct json_object *json_events(const struct pmc_info *info)
{
	struct json_object *object = json_object_new_object();
	unsigned int i;

	for (i = 0; event_name(i); i++)
		json_object_object_add(object, event_name(i),
				       json_object_new_boolean(has_event(info, i)));
	return object;
}

static void put_cpu(struct json_object *object, const struct pmc_query *query)
{
	struct json_object *leaf = json_object_new_array();
	char vendor[sizeof(query->vendor) + 1] = "";
	size_t i;

	memcpy(vendor, query->vendor, sizeof(query->vendor));
	put_number(object, "cpu", query->cpu);
	put_text(object, "vendor", vendor);
	put_number(object, "cpu_family", query->cpu_family);
	put_number(object, "cpu_model", query->cpu_model);
	put_number(object, "cpu_stepping", query->cpu_stepping);
	for (i = 0; i < ARRAY_SIZE(query->cpuid_0ah); i++)
		json_object_array_add(leaf, json_hex(query->cpuid_0ah[i]));
	json_object_object_add(object, "cpuid_0ah", leaf);
	leaf = json_object_new_array();
	for (i = 0; i < ARRAY_SIZE(query->cpuid_23h); i++)
		json_object_array_add(leaf, json_hex(query->cpuid_23h[i]));
	json_object_object_add(object, "cpuid_23h", leaf);
	json_object_object_add(object, "core_type", json_hex(query->core_type));
	put_text(object, "core", query->core_type ? pmc_core_type_name(query->core_type) : NULL);
	json_object_object_add(object, "perf_capabilities", json_hex(query->perf_capabilities));
}

static void put_rdpmc_access(struct json_object *object)
{
	struct rdpmc_access access;

	if (rdpmc_access_read(&access))
		return;
	json_object_object_add(object, "pce", json_object_new_int(access.setting));
	put_text(object, "pce_text", rdpmc_access_text(access.setting));
	put_text(object, "pce_override", access.override[0] ? access.override : NULL);
}

static void put_driver(struct json_object *object, const struct pmc_query *query)
{
	put_text(object, "library_version", pmc_version());
	put_number(object, "abi_version", query->abi_version);
	put_number(object, "contexts", query->contexts);
	json_object_object_add(object, "usable",
			       json_object_new_boolean(query->status == PMC_STATUS_OK));
	put_text(object, "status", pmc_status_name(query->status));
	put_text(object, "status_text", pmc_status_text(query->status));
	put_rdpmc_access(object);
}

static struct json_object *json_info(const struct pmc_info *info)
{
	const struct pmc_query *query = pmc_info_query(info);
	struct json_object *object = json_object_new_object();
	struct json_object *counters = json_object_new_array();
	size_t i;

	put_driver(object, query);
	put_cpu(object, query);
	put_text(object, "kind", pmc_family_name(query->family));
	put_text(object, "kind_text", pmc_family_text(query->family));
	put_number(object, "perfmon_version", query->perfmon_version);
	put_number(object, "general_width", query->general_width);
	put_number(object, "fixed_width", query->fixed_width);
	json_object_object_add(object, "event_select_mask", json_hex(query->event_select_mask));
	put_number(object, "tsc_khz", query->tsc_khz);
	json_object_object_add(object, "features", json_features(query));
	json_object_object_add(object, "quirks", json_quirks(query));
	json_object_object_add(object, "architectural_events", json_events(info));
	for (i = 0; i < pmc_info_num_counters(info); i++)
		json_object_array_add(counters, json_counter(pmc_info_counter(info, i)));
	json_object_object_add(object, "counters", counters);
	return object;
}

/* ---- the subcommand ---- */

/*
 * One of several core types
 * @info: of its first CPU
 * @cpus: the numbers of its online CPUs
 */
struct core_type {
	struct pmc_info *info;
	struct json_object *cpus;
};

static struct core_type *find_core_type(struct core_type *core_types, size_t num,
					const struct pmc_info *info)
{
	const uint32_t core_type = pmc_info_query(info)->core_type;
	size_t i;

	for (i = 0; i < num; i++)
		if (pmc_info_query(core_types[i].info)->core_type == core_type)
			return &core_types[i];
	return NULL;
}

static int cpu_at(const struct core_type *core_type, size_t i)
{
	return json_object_get_int(json_object_array_get_idx(core_type->cpus, i));
}

/* "CPU 1", or "CPUs 0-7,9" */
static char *cpus_text(const struct core_type *core_type)
{
	size_t num = json_object_array_length(core_type->cpus), first, last;
	char *text = xasprintf("CPU%s", plural(num)), *more;

	for (first = 0; first < num; first = last + 1) {
		last = first;
		while (last + 1 < num && cpu_at(core_type, last + 1) == cpu_at(core_type, last) + 1)
			last++;
		more = xasprintf("%s%s%d", text, first ? "," : " ", cpu_at(core_type, first));
		free(text);
		text = more;
		if (last == first)
			continue;
		more = xasprintf("%s-%d", text, cpu_at(core_type, last));
		free(text);
		text = more;
	}
	return text;
}

/*
 * Find all core types, in the order of their CPUs. Return: their number; 0 if the CPUs report no
 * core type.
 */
static size_t find_core_types(struct pmc_device *device, struct core_type *core_types)
{
	struct pmc_info *info;
	struct core_type *core_type;
	size_t num = 0;
	int cpu;

	/* Linux numbers CPUs without holes. */
	for (cpu = 0; (info = pmc_device_get_info(device, cpu)); cpu++) {
		core_type = find_core_type(core_types, num, info);
		if (!pmc_info_query(info)->core_type || (!core_type && num == CORE_TYPES_MAX)) {
			pmc_info_free(info);
			continue;
		}
		if (core_type) {
			pmc_info_free(info);
		} else {
			core_type = &core_types[num++];
			*core_type = (struct core_type){
				.info = info, .cpus = json_object_new_array(),
			};
		}
		json_object_array_add(core_type->cpus, json_object_new_int(cpu));
	}
	return num;
}

static void print_core_types(const struct core_type *core_types, size_t num)
{
	char *cpus;
	size_t i;

	for (i = 0; i < num; i++) {
		if (i)
			putchar('\n');
		cpus = cpus_text(&core_types[i]);
		print_table(core_types[i].info, cpus);
		free(cpus);
	}
}

static struct json_object *json_core_types(const struct core_type *core_types, size_t num)
{
	struct json_object *array = json_object_new_array(), *object;
	size_t i;

	for (i = 0; i < num; i++) {
		object = json_info(core_types[i].info);
		json_object_object_add(object, "cpus", json_object_get(core_types[i].cpus));
		json_object_array_add(array, object);
	}
	return array;
}

static void print_json(const struct pmc_info *info, const struct core_type *core_types, size_t num)
{
	struct json_object *object = json_info(info);

	json_object_object_add(object, "core_types", json_core_types(core_types, num));
	json_print(object, stdout);
}

/* @cpu: PMC_CPU_ANY prints all core types */
static void print(struct pmc_device *device, const struct pmc_info *info, int cpu, bool json)
{
	struct core_type core_types[CORE_TYPES_MAX];
	size_t num = cpu == PMC_CPU_ANY ? find_core_types(device, core_types) : 0;

	if (json)
		print_json(info, core_types, num);
	else if (num)
		print_core_types(core_types, num);
	else
		print_table(info, NULL);
	while (num--) {
		pmc_info_free(core_types[num].info);
		json_object_put(core_types[num].cpus);
	}
}

static int print_info(int cpu, bool json)
{
	struct pmc_device *device = device_open();
	struct pmc_info *info;

	if (!device)
		return EXIT_TROUBLE;
	info = pmc_device_get_info(device, cpu);
	if (info)
		print(device, info, cpu, json);
	pmc_device_close(device);
	if (!info)
		return report_error("%s", pmc_error());
	pmc_info_free(info);
	return output_close(stdout, "the standard output");
}

static int run(int argc, char **argv)
{
	static const struct option options[] = {
		{ "cpu", required_argument, NULL, 'C' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	uint64_t cpu = 0, seen = 0;
	bool json = false, one_cpu = false;
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "+:C:h", options, NULL)) != -1) {
		if (check_option_repeat(&seen, option, "", options))
			return EXIT_TROUBLE;
		switch (option) {
		case 'C':
			if (read_number("-C, --cpu", optarg, 0, INT_MAX, &cpu))
				return EXIT_TROUBLE;
			one_cpu = true;
			break;
		case 'j':
			json = true;
			break;
		case 'h':
			fputs(usage, stdout);
			return output_close(stdout, "the standard output");
		default:
			return report_option_error(option, argv, options);
		}
	}
	if (optind < argc)
		return report_usage_error("unexpected argument '%s'", argv[optind]);
	return print_info(one_cpu ? (int)cpu : PMC_CPU_ANY, json);
}

const struct subcommand info_command = {
	.name = "info",
	.summary = "print what the CPU can count and which process holds its counters",
	.usage = usage,
	.run = run,
};
