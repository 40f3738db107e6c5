// SPDX-License-Identifier: GPL-2.0-only
/* pmcctl who: print the holders of each counter */
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <libpmcevents.h>

#include "cmd/subcommand.h"
#include "util/context-text.h"
#include "util/error.h"
#include "util/netlink.h"
#include "util/output-file.h"
#include "util/output.h"
#include "util/xalloc.h"

static const char usage[] =
	"Usage: pmcctl who [--json]\n"
	"\n"
	"Print the holders of each counter: contexts of this driver with their processes,\n"
	"the kernel's perf, its NMI watchdog.\n"
	"\n"
	"      --json       JSON instead of a table\n"
	"  -h, --help       this help\n"
	"\n"
	"Without CAP_PERFMON your own contexts are printed, and one other holder of each\n"
	"counter if you may open /dev/pmc.\n"
	"\n"
	"Exit status: 0, or 125 if pmcctl itself failed.\n"
	"\n"
	"Examples:\n"
	"    pmcctl who\n"
	"    pmcctl who --json\n"
	"\n"
	"See pmcctl-who(1).\n";

/* A context as text and as JSON, and masks of the counters that it holds */
struct context {
	uint64_t id;
	uint64_t general;
	uint64_t fixed;
	char owner[CONTEXT_TEXT_SIZE];
	char target[CONTEXT_TEXT_SIZE];
	char state[CONTEXT_TEXT_SIZE];
	struct json_object *json;
};

/*
 * The holder of one counter on one CPU
 * @holder: PMC_HOLDER_*, 0 for none
 * @holder_known: false if the driver did not report it
 * @device_holder: the context that /dev/pmc reports, if @holder is PMC_HOLDER_CONTEXT
 */
struct claim {
	uint32_t cpu;
	uint32_t counter;
	uint32_t holder;
	bool holder_known;
	struct pmc_holder device_holder;
};

struct cpu {
	uint32_t cpu;
	uint32_t status;
};

/*
 * @general, @fixed: masks of the counters that at least one CPU has
 * @cpu: the CPU of the message that is being read
 * @complete: the driver reported the holder of every counter
 */
struct who {
	struct context *contexts;
	size_t num_contexts;
	struct claim *claims;
	size_t num_claims;
	struct cpu *cpus;
	size_t num_cpus;
	uint64_t general;
	uint64_t fixed;
	uint32_t cpu;
	bool complete;
};

/* ---- over netlink ---- */

static void put_number(struct json_object *object, const char *key,
		       const struct netlink_message *message, enum pmc_netlink_attribute attribute)
{
	if (message_has(message, attribute))
		json_object_object_add(object, key,
				       json_object_new_uint64(message_number(message, attribute)));
}

static void add_period(const struct netlink_message *inside, void *data)
{
	struct json_object *object = json_object_new_object();
	char name[PMC_COUNTER_NAME_SIZE];

	pmc_counter_name(message_number(inside, PMC_NETLINK_A_NUMBER), name, sizeof(name));
	json_object_object_add(object, "counter", json_object_new_string(name));
	put_number(object, "period", inside, PMC_NETLINK_A_PERIOD);
	json_object_array_add(data, object);
}

static struct json_object *json_context(const struct netlink_message *message)
{
	struct json_object *object = json_object_new_object(), *periods;

	json_object_object_add(object, "kind",
			       json_object_new_string(pmc_holder_name(PMC_HOLDER_CONTEXT)));
	context_add_json(message, object);
	json_object_object_add(object, "state",
			       json_states(message_number(message, PMC_NETLINK_A_STATE)));
	if (!message_has(message, PMC_NETLINK_A_OVERFLOWS))
		return object;
	periods = json_object_new_array();
	message_nested(message, PMC_NETLINK_A_COUNTER, add_period, periods);
	json_object_object_add(object, "periods", periods);
	put_number(object, "overflows", message, PMC_NETLINK_A_OVERFLOWS);
	put_number(object, "records", message, PMC_NETLINK_A_RECORDS);
	put_number(object, "sampled", message, PMC_NETLINK_A_SAMPLED);
	put_number(object, "lost", message, PMC_NETLINK_A_LOST);
	put_number(object, "throttled", message, PMC_NETLINK_A_THROTTLED);
	put_number(object, "throttle_percent", message, PMC_NETLINK_A_THROTTLE_PERCENT);
	put_number(object, "throttled_now", message, PMC_NETLINK_A_THROTTLED_NOW);
	return object;
}

/* Append the number of counters that are throttled now to the text of the state. */
static void add_throttled(const struct netlink_message *message, char *text, size_t size)
{
	uint64_t now = message_number(message, PMC_NETLINK_A_THROTTLED_NOW);
	size_t length = strlen(text);

	if (now)
		snprintf(text + length, size - length, ", %" PRIu64 " throttled", now);
}

static void handle_context(const struct netlink_message *message, void *data)
{
	struct who *who = data;
	struct context *context;

	who->contexts = xgrow(who->contexts, who->num_contexts, sizeof(*who->contexts));
	context = &who->contexts[who->num_contexts++];
	context->id = message_number(message, PMC_NETLINK_A_CONTEXT);
	context->general = message_number(message, PMC_NETLINK_A_GENERAL_COUNTERS);
	context->fixed = message_number(message, PMC_NETLINK_A_FIXED_COUNTERS);
	context_owner_text(message, context->owner, sizeof(context->owner));
	context_target_text(message, context->target, sizeof(context->target));
	context_state_text(message_number(message, PMC_NETLINK_A_STATE), context->state,
			   sizeof(context->state));
	add_throttled(message, context->state, sizeof(context->state));
	context->json = json_context(message);
}

static void handle_claim(const struct netlink_message *inside, void *data)
{
	struct who *who = data;
	bool known = message_has(inside, PMC_NETLINK_A_HOLDER);

	who->claims = xgrow(who->claims, who->num_claims, sizeof(*who->claims));
	who->claims[who->num_claims++] = (struct claim){
		.cpu = who->cpu,
		.counter = message_number(inside, PMC_NETLINK_A_NUMBER),
		.holder = message_number(inside, PMC_NETLINK_A_HOLDER),
		.holder_known = known,
	};
	who->complete &= known;
}

static void handle_cpu(const struct netlink_message *message, void *data)
{
	struct who *who = data;
	struct cpu *cpu;

	who->cpus = xgrow(who->cpus, who->num_cpus, sizeof(*who->cpus));
	cpu = &who->cpus[who->num_cpus++];
	cpu->cpu = message_number(message, PMC_NETLINK_A_CPU);
	cpu->status = message_number(message, PMC_NETLINK_A_STATUS);
	who->general |= message_number(message, PMC_NETLINK_A_GENERAL_COUNTERS);
	who->fixed |= message_number(message, PMC_NETLINK_A_FIXED_COUNTERS);
	who->cpu = cpu->cpu;
	message_nested(message, PMC_NETLINK_A_COUNTER, handle_claim, who);
}

/* ---- from /dev/pmc ---- */

static void add_device_holder(struct who *who, uint32_t cpu, const struct pmc_counter *counter)
{
	struct claim *claim;

	for (claim = who->claims; claim < who->claims + who->num_claims; claim++) {
		if (claim->holder_known || claim->cpu != cpu || claim->counter != counter->counter)
			continue;
		claim->holder_known = true;
		claim->holder = counter->holder.kind;
		claim->device_holder = counter->holder;
	}
}

/* Find one holder of each counter with a holder that netlink does not report. */
static void query_device(struct who *who)
{
	struct pmc_device *device = pmc_device_open(NULL);
	struct pmc_info *info;
	size_t cpu, i;

	for (cpu = 0; cpu < who->num_cpus && device; cpu++) {
		info = pmc_device_get_info(device, who->cpus[cpu].cpu);
		for (i = 0; info && i < pmc_info_num_counters(info); i++)
			add_device_holder(who, who->cpus[cpu].cpu, pmc_info_counter(info, i));
		pmc_info_free(info);
	}
	pmc_device_close(device);
}

/* The next context that /dev/pmc reports as a holder, each once; or NULL */
static const struct claim *next_device_holder(const struct who *who, uint32_t counter,
					      size_t *cursor)
{
	const struct claim *claim, *before;

	while (*cursor < who->num_claims) {
		claim = &who->claims[(*cursor)++];
		if (claim->counter != counter || claim->device_holder.kind != PMC_HOLDER_CONTEXT)
			continue;
		for (before = who->claims; before < claim; before++)
			if (before->counter == counter &&
			    !memcmp(&before->device_holder, &claim->device_holder,
				    sizeof(claim->device_holder)))
				break;
		if (before == claim)
			return claim;
	}
	return NULL;
}

/* Has netlink reported the holder of each claim of @counter? */
static bool is_reported(const struct who *who, uint32_t counter)
{
	size_t i;

	for (i = 0; i < who->num_claims; i++)
		if (who->claims[i].counter == counter && !who->claims[i].holder_known)
			return false;
	return true;
}

/* ---- holders ---- */

static bool context_has(const struct context *context, uint32_t counter)
{
	unsigned int bit = counter & ~PMC_COUNTER_FIXED_FLAG;

	return (counter & PMC_COUNTER_FIXED_FLAG ? context->fixed : context->general) >> bit & 1;
}

/* Called for each counter */
typedef void (*counter_visitor)(const struct who *who, uint32_t counter, void *data);

static void visit_counters(const struct who *who, counter_visitor visit, void *data)
{
	unsigned int i;

	for (i = 0; i < 64; i++)
		if (who->general >> i & 1)
			visit(who, PMC_COUNTER_GENERAL(i), data);
	for (i = 0; i < 64; i++)
		if (who->fixed >> i & 1)
			visit(who, PMC_COUNTER_FIXED(i), data);
}

/* Find the CPUs on which a holder of this kind holds @counter. Return: their number. */
static size_t claims_of_holder(const struct who *who, uint32_t counter, uint32_t holder,
			       const struct claim **claims)
{
	size_t i, num = 0;

	for (i = 0; i < who->num_claims; i++)
		if (who->claims[i].counter == counter && who->claims[i].holder_known &&
		    who->claims[i].holder == holder)
			claims[num++] = &who->claims[i];
	return num;
}

/* Holders other than contexts of this driver */
static const uint32_t others[] = { PMC_HOLDER_KERNEL, PMC_HOLDER_UNKNOWN };

/* ---- table ---- */

/* "CPU 1", "CPUs 0-3 7" */
static void cpus_text(const struct claim **claims, size_t num, char *text, size_t size)
{
	size_t i, first, used;

	used = snprintf(text, size, num == 1 ? "CPU" : "CPUs");
	for (i = 0; i < num && used < size; i++) {
		for (first = i; i + 1 < num && claims[i + 1]->cpu == claims[i]->cpu + 1; i++)
			;
		used += snprintf(text + used, size - used, " %u", claims[first]->cpu);
		if (i > first && used < size)
			used += snprintf(text + used, size - used, "-%u", claims[i]->cpu);
	}
}

struct rows {
	struct table table;
	const struct claim **claims;
};

static void add_row(struct rows *rows, uint32_t counter, const char *where, const char *context,
		    const char *state, const char *owner)
{
	char name[PMC_COUNTER_NAME_SIZE];

	pmc_counter_name(counter, name, sizeof(name));
	table_add(&rows->table, "%s", name);
	table_add(&rows->table, "%s", where);
	table_add(&rows->table, "%s", context);
	table_add(&rows->table, "%s", state);
	table_add(&rows->table, "%s", owner);
}

static size_t add_device_holder_rows(const struct who *who, uint32_t counter, struct rows *rows)
{
	char text[PMC_HOLDER_TEXT_SIZE];
	const struct claim *claim;
	size_t cursor = 0, num;

	for (num = 0; (claim = next_device_holder(who, counter, &cursor)); num++) {
		pmc_holder_text(&claim->device_holder, text, sizeof(text));
		add_row(rows, counter, "", "", "", text);
	}
	return num;
}

static void add_rows(const struct who *who, uint32_t counter, void *data)
{
	char text[CONTEXT_TEXT_SIZE], number[24];
	struct pmc_holder holder = { 0 };
	struct rows *rows = data;
	size_t i, num, found = 0;

	for (i = 0; i < who->num_contexts; i++) {
		const struct context *context = &who->contexts[i];

		if (!context_has(context, counter))
			continue;
		snprintf(number, sizeof(number), "%" PRIu64, context->id);
		add_row(rows, counter, context->target, number, context->state, context->owner);
		found++;
	}
	/* these may include contexts that are listed already */
	if (!found)
		found = add_device_holder_rows(who, counter, rows);
	for (i = 0; i < ARRAY_SIZE(others); i++) {
		char where[CONTEXT_TEXT_SIZE];

		num = claims_of_holder(who, counter, others[i], rows->claims);
		if (!num)
			continue;
		holder.kind = others[i];
		pmc_holder_text(&holder, text, sizeof(text));
		cpus_text(rows->claims, num, where, sizeof(where));
		add_row(rows, counter, where, "", "", text);
		found++;
	}
	if (found)
		return;
	holder.kind = PMC_HOLDER_NONE;
	pmc_holder_text(&holder, text, sizeof(text));
	add_row(rows, counter, "", "", "", is_reported(who, counter) ? text : "not reported");
}

static void print_status(const struct who *who)
{
	size_t i;

	for (i = 0; i < who->num_cpus; i++) {
		const char *text = pmc_status_text(who->cpus[i].status);

		if (who->cpus[i].status != PMC_STATUS_OK)
			printf("CPU %u: %s\n", who->cpus[i].cpu,
			       text ? text : "a status that this pmcctl does not know");
	}
}

static void print_table(const struct who *who, const struct claim **claims)
{
	struct rows rows = { .table = { .columns = 5, .right = 0x4 }, .claims = claims };

	if (who->general || who->fixed) {
		table_add(&rows.table, "counter");
		table_add(&rows.table, "counts");
		table_add(&rows.table, "context");
		table_add(&rows.table, "state");
		table_add(&rows.table, "held by");
		visit_counters(who, add_rows, &rows);
		table_print(&rows.table, 0, stdout);
	}
	print_status(who);
}

/* ---- JSON ---- */

struct list {
	struct json_object *array;
	const struct claim **claims;
};

static struct json_object *json_other_holder(uint32_t kind, const struct claim **claims, size_t num)
{
	struct json_object *object = json_object_new_object();
	struct json_object *cpus = json_object_new_array();
	struct pmc_holder holder = { .kind = kind };
	char text[PMC_HOLDER_TEXT_SIZE];
	size_t i;

	for (i = 0; i < num; i++)
		json_object_array_add(cpus, json_object_new_uint64(claims[i]->cpu));
	pmc_holder_text(&holder, text, sizeof(text));
	json_object_object_add(object, "kind", json_object_new_string(pmc_holder_name(kind)));
	json_object_object_add(object, "text", json_text(text));
	json_object_object_add(object, "cpus", cpus);
	return object;
}

static void put_device_holders(const struct who *who, uint32_t counter, struct json_object *holders)
{
	char text[PMC_HOLDER_TEXT_SIZE];
	struct json_object *object;
	const struct claim *claim;
	size_t cursor = 0;

	while ((claim = next_device_holder(who, counter, &cursor))) {
		pmc_holder_text(&claim->device_holder, text, sizeof(text));
		object = json_object_new_object();
		json_object_object_add(object, "kind", json_object_new_string("CONTEXT"));
		json_object_object_add(object, "text", json_text(text));
		json_object_array_add(holders, object);
	}
}

static void add_counter(const struct who *who, uint32_t counter, void *data)
{
	struct json_object *object = json_object_new_object();
	struct json_object *holders = json_object_new_array();
	char name[PMC_COUNTER_NAME_SIZE];
	struct list *list = data;
	size_t i, num;

	for (i = 0; i < who->num_contexts; i++)
		if (context_has(&who->contexts[i], counter))
			json_object_array_add(holders, json_object_get(who->contexts[i].json));
	if (!json_object_array_length(holders))
		put_device_holders(who, counter, holders);
	for (i = 0; i < ARRAY_SIZE(others); i++) {
		num = claims_of_holder(who, counter, others[i], list->claims);
		if (num)
			json_object_array_add(holders,
					      json_other_holder(others[i], list->claims, num));
	}
	pmc_counter_name(counter, name, sizeof(name));
	json_object_object_add(object, "counter", json_object_new_string(name));
	json_object_object_add(object, "holders", holders);
	json_object_array_add(list->array, object);
}

static struct json_object *json_cpus(const struct who *who)
{
	struct json_object *array = json_object_new_array();
	size_t i;

	for (i = 0; i < who->num_cpus; i++) {
		struct json_object *object = json_object_new_object();
		const char *name = pmc_status_name(who->cpus[i].status);

		json_object_object_add(object, "cpu", json_object_new_uint64(who->cpus[i].cpu));
		json_object_object_add(object, "status",
				       name ? json_object_new_string(name) : NULL);
		json_object_array_add(array, object);
	}
	return array;
}

static void print_json(const struct who *who, const struct claim **claims)
{
	struct list list = { json_object_new_array(), claims };
	struct json_object *object = json_object_new_object();

	visit_counters(who, add_counter, &list);
	json_object_object_add(object, "complete", json_object_new_boolean(who->complete));
	json_object_object_add(object, "cpus", json_cpus(who));
	json_object_object_add(object, "counters", list.array);
	json_print(object, stdout);
}

/* ---- the subcommand ---- */

static int print(const struct who *who, bool json)
{
	const struct claim **claims = xcalloc(who->num_claims, sizeof(*claims));

	if (!who->complete)
		report_error("only your own contexts are listed in full, and for other holders what /dev/pmc reports to every user; the full list needs CAP_PERFMON");
	if (json)
		print_json(who, claims);
	else
		print_table(who, claims);
	free(claims);
	return output_close(stdout, "the standard output");
}

static int report_holders(bool json)
{
	struct netlink *netlink = netlink_open();
	struct who who = { .complete = true };
	int result;
	size_t i;

	if (!netlink)
		return EXIT_TROUBLE;
	result = netlink_dump(netlink, PMC_NETLINK_GET_CPU, handle_cpu, &who);
	if (!result)
		result = netlink_dump(netlink, PMC_NETLINK_GET_CONTEXT, handle_context, &who);
	netlink_close(netlink);
	if (!result && !who.complete)
		query_device(&who);
	if (!result)
		result = print(&who, json);
	for (i = 0; i < who.num_contexts; i++)
		json_object_put(who.contexts[i].json);
	free(who.contexts);
	free(who.claims);
	free(who.cpus);
	return result;
}

static int run(int argc, char **argv)
{
	static const struct option options[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	bool json = false;
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "+:h", options, NULL)) != -1) {
		switch (option) {
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
	return report_holders(json);
}

const struct subcommand who_command = {
	.name = "who",
	.summary = "print the holders of each counter",
	.usage = usage,
	.run = run,
};
