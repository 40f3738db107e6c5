// SPDX-License-Identifier: GPL-2.0-only
/* pmcctl monitor: print the driver's events of contexts, counters and CPUs as they happen */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <poll.h>
#include <string.h>
#include <time.h>

#include <libpmcevents.h>

#include "cmd/subcommand.h"
#include "util/context-text.h"
#include "util/error.h"
#include "util/netlink.h"
#include "util/output-file.h"
#include "util/output.h"
#include "util/workload.h"

static const char usage[] =
	"Usage: pmcctl monitor [-g GROUPS] [-n N] [--json]\n"
	"\n"
	"Print a line for each event in the driver, until Ctrl-C.\n"
	"\n"
	"  -g, --group=GROUPS   print only events of these groups, separated by commas:\n"
	"        context   contexts: configured, armed, started, stopped, ended, released\n"
	"        overflow  sample rings that reach their watermark\n"
	"        throttle  counters that overflow too often to be sampled\n"
	"        hotplug   CPUs that go online or offline\n"
	"        pce       which processes may read counters in user mode\n"
	"  -n, --number=N       end after N events\n"
	"      --json           JSON: an object for each event, on a line of its own\n"
	"  -h, --help           this help\n"
	"\n"
	"The groups context, overflow and throttle need CAP_NET_ADMIN, which root has.\n"
	"\n"
	"Exit status: 0, or 125 if pmcctl itself failed.\n"
	"\n"
	"Examples:\n"
	"    pmcctl monitor\n"
	"    pmcctl monitor -g hotplug,pce --json\n"
	"\n"
	"See pmcctl-monitor(1).\n";

/*
 * @sequence: number of the last event of each group, 0 before the first
 * @left: events still to be printed, 0 for no limit
 * @failed: the output cannot be written
 */
struct monitor {
	uint32_t groups;
	bool json;
	uint64_t sequence[PMC_NETLINK_NR_GROUPS];
	uint64_t left;
	bool done;
	bool failed;
};

static const struct {
	const char *name;
} groups[] = {
#define X(id, name, value, text) \
	[value] = { name },
	PMC_NETLINK_GROUPS(X)
#undef X
};

static const struct event {
	const char *name;
	unsigned int group;
} events[] = {
#define X(name, value, group, text) \
	[value] = { #name, PMC_NETLINK_GROUP_##group },
	PMC_NETLINK_EVENTS(X)
#undef X
};

/* ---- text ---- */

/* Print "CPU_ONLINE" as "cpu-online". */
static void print_name(const char *name, int width)
{
	int c;

	for (; *name; name++, width--) {
		c = *name == '_' ? '-' : *name >= 'A' && *name <= 'Z' ? *name + 'a' - 'A' : *name;
		putchar(c);
	}
	printf("%*s", width > 0 ? width : 0, "");
}

static void print_time(uint64_t ns)
{
	time_t seconds = ns / 1000000000;
	char text[64] = "";
	struct tm tm;

	if (localtime_r(&seconds, &tm))
		strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm);
	printf("%s.%06" PRIu64 "  ", text, ns % 1000000000 / 1000);
}

static void print_context(const struct netlink_message *message)
{
	char counters[CONTEXT_TEXT_SIZE], owner[CONTEXT_TEXT_SIZE], target[CONTEXT_TEXT_SIZE];
	char name[PMC_COUNTER_NAME_SIZE];

	context_counters_text(message, counters, sizeof(counters));
	context_owner_text(message, owner, sizeof(owner));
	context_target_text(message, target, sizeof(target));
	printf("context %" PRIu64, message_number(message, PMC_NETLINK_A_CONTEXT));
	if (message_has(message, PMC_NETLINK_A_ON_CPU))
		printf(" on CPU %" PRIu64, message_number(message, PMC_NETLINK_A_ON_CPU));
	if (message_has(message, PMC_NETLINK_A_NUMBER)) {
		pmc_counter_name(message_number(message, PMC_NETLINK_A_NUMBER), name,
				 sizeof(name));
		printf(", %s", name);
	}
	if (message_has(message, PMC_NETLINK_A_OVERFLOWS))
		printf(", %" PRIu64 " overflows without a sample",
		       message_number(message, PMC_NETLINK_A_OVERFLOWS));
	printf(": %s counts %s with %s", owner, target, counters);
}

static void print_cpu(const struct netlink_message *message)
{
	const char *text = pmc_status_text(message_number(message, PMC_NETLINK_A_STATUS));

	printf("CPU %" PRIu64 ": %s", message_number(message, PMC_NETLINK_A_CPU),
	       text ? text : "a status that this pmcctl does not know");
}

static void print_pce(const struct netlink_message *message)
{
	printf("from %" PRIu64 " to %" PRIu64,
	       message_number(message, PMC_NETLINK_A_PCE_BEFORE),
	       message_number(message, PMC_NETLINK_A_PCE));
}

static void print_line(const struct event *event, const struct netlink_message *message)
{
	print_time(message_number(message, PMC_NETLINK_A_TIME));
	print_name(event->name, 13);
	if (event->group == PMC_NETLINK_GROUP_HOTPLUG)
		print_cpu(message);
	else if (event->group == PMC_NETLINK_GROUP_PCE)
		print_pce(message);
	else
		print_context(message);
	putchar('\n');
}

static void print_missed(unsigned int group, uint64_t number, uint64_t time)
{
	print_time(time);
	print_name("MISSED", 13);
	printf("%" PRIu64 " event%s of the group '%s' before this\n", number,
	       number == 1 ? "" : "s", groups[group].name);
}

/* ---- JSON ---- */

static void put_number(struct json_object *object, const char *key,
		       const struct netlink_message *message, enum pmc_netlink_attribute attribute)
{
	if (message_has(message, attribute))
		json_object_object_add(object, key,
				       json_object_new_uint64(message_number(message, attribute)));
}

static void put_time(struct json_object *object, uint64_t ns)
{
	time_t seconds = ns / 1000000000;
	char text[64] = "", more[32];
	struct tm tm;

	if (gmtime_r(&seconds, &tm))
		strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(more, sizeof(more), ".%09" PRIu64 "Z", ns % 1000000000);
	strcat(text, more);
	json_object_object_add(object, "time", json_object_new_string(text));
	json_object_object_add(object, "time_ns", json_object_new_uint64(ns));
}

static struct json_object *json_event(const char *name, unsigned int group, uint64_t time)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "event", json_object_new_string(name));
	json_object_object_add(object, "group", json_object_new_string(groups[group].name));
	put_time(object, time);
	return object;
}

static void put_context(struct json_object *object, const struct netlink_message *message)
{
	char name[PMC_COUNTER_NAME_SIZE];

	context_add_json(message, object);
	put_number(object, "on_cpu", message, PMC_NETLINK_A_ON_CPU);
	if (message_has(message, PMC_NETLINK_A_NUMBER)) {
		pmc_counter_name(message_number(message, PMC_NETLINK_A_NUMBER), name,
				 sizeof(name));
		json_object_object_add(object, "counter", json_object_new_string(name));
	}
	put_number(object, "overflows", message, PMC_NETLINK_A_OVERFLOWS);
}

static void put_cpu(struct json_object *object, const struct netlink_message *message)
{
	const char *name = pmc_status_name(message_number(message, PMC_NETLINK_A_STATUS));

	put_number(object, "cpu", message, PMC_NETLINK_A_CPU);
	json_object_object_add(object, "status", name ? json_object_new_string(name) : NULL);
}

static void print_json(const struct event *event, const struct netlink_message *message)
{
	struct json_object *object;

	object = json_event(event->name, event->group,
			    message_number(message, PMC_NETLINK_A_TIME));
	put_number(object, "sequence", message, PMC_NETLINK_A_SEQUENCE);
	put_number(object, "tsc", message, PMC_NETLINK_A_TSC);
	if (event->group == PMC_NETLINK_GROUP_HOTPLUG) {
		put_cpu(object, message);
	} else if (event->group == PMC_NETLINK_GROUP_PCE) {
		put_number(object, "pce", message, PMC_NETLINK_A_PCE);
		put_number(object, "pce_before", message, PMC_NETLINK_A_PCE_BEFORE);
	} else {
		put_context(object, message);
	}
	json_print_line(object, stdout);
}

static void print_missed_json(unsigned int group, uint64_t number, uint64_t time)
{
	struct json_object *object = json_event("MISSED", group, time);

	json_object_object_add(object, "missed", json_object_new_uint64(number));
	json_print_line(object, stdout);
}

/* ---- listening ---- */

/* The driver numbers the events of a group: a gap is the number of missed events. */
static void check_sequence(struct monitor *monitor, unsigned int group,
			   const struct netlink_message *message)
{
	uint64_t *last = &monitor->sequence[group];
	uint64_t now = message_number(message, PMC_NETLINK_A_SEQUENCE);
	uint64_t time = message_number(message, PMC_NETLINK_A_TIME);

	if (*last && now > *last + 1) {
		if (monitor->json)
			print_missed_json(group, now - *last - 1, time);
		else
			print_missed(group, now - *last - 1, time);
	}
	*last = now;
}

static void handle_event(const struct netlink_message *message, void *data)
{
	struct monitor *monitor = data;
	const struct event *event;

	if (message->command >= ARRAY_SIZE(events) || !events[message->command].name)
		return;
	event = &events[message->command];
	check_sequence(monitor, event->group, message);
	if (monitor->json)
		print_json(event, message);
	else
		print_line(event, message);
	monitor->failed |= fflush(stdout) != 0;
	if (monitor->left && !--monitor->left)
		monitor->done = true;
}

static int listen_on(struct monitor *monitor, struct netlink *netlink, const sigset_t *mask)
{
	struct pollfd pollfd = { .fd = netlink_fd(netlink), .events = POLLIN };

	while (!monitor->done && !monitor->failed && !workload_signal()) {
		if (ppoll(&pollfd, 1, NULL, mask) < 0)
			continue;
		switch (netlink_receive(netlink, handle_event, monitor)) {
		case NETLINK_CONTINUE:
			break;
		case NETLINK_OVERRUN:
			report_error("events came faster than they could be read; lines with MISSED print how many are missing");
			break;
		case NETLINK_UNLOADED:
			return report_error("the driver was unloaded");
		case NETLINK_FAILED:
			return EXIT_TROUBLE;
		}
	}
	return 0;
}

static void print_groups(const struct monitor *monitor)
{
	unsigned int i;

	fputs("listening to:", stderr);
	for (i = 0; i < ARRAY_SIZE(groups); i++)
		if (monitor->groups >> i & 1)
			fprintf(stderr, " %s", groups[i].name);
	fputc('\n', stderr);
}

static int run_monitor(struct monitor *monitor)
{
	struct netlink *netlink = netlink_open();
	int result = EXIT_TROUBLE;
	sigset_t mask;

	if (!netlink)
		return EXIT_TROUBLE;
	/* from now on signals are blocked except in ppoll() */
	workload_catch_signals();
	workload_block_signals(&mask);
	if (!netlink_subscribe(netlink, monitor->groups)) {
		print_groups(monitor);
		result = listen_on(monitor, netlink, &mask);
	}
	netlink_close(netlink);
	if (result)
		return result;
	return output_close(stdout, "the standard output");
}

/* ---- the subcommand ---- */

static bool parse_group(const char *name, size_t len, uint32_t *mask)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(groups); i++) {
		if (strlen(groups[i].name) == len && !memcmp(groups[i].name, name, len)) {
			*mask |= 1U << i;
			return true;
		}
	}
	return false;
}

static void report_unknown_group(const char *name, size_t len)
{
	char names[128] = "";
	size_t used = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(groups) && used < sizeof(names); i++)
		used += snprintf(names + used, sizeof(names) - used, "%s%s", used ? ", " : "",
				 groups[i].name);
	report_usage_error("-g, --group: there is no group '%.*s'; there are: %s", (int)len, name,
			   names);
}

static bool parse_groups(const char *list, uint32_t *mask)
{
	size_t len;

	for (;; list += len + 1) {
		len = strcspn(list, ",");
		if (!parse_group(list, len, mask)) {
			report_unknown_group(list, len);
			return false;
		}
		if (!list[len])
			return true;
	}
}

static int run(int argc, char **argv)
{
	static const struct option options[] = {
		{ "group", required_argument, NULL, 'g' },
		{ "number", required_argument, NULL, 'n' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	struct monitor monitor = { 0 };
	uint64_t seen = 0;
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "+:g:n:h", options, NULL)) != -1) {
		if (check_option_repeat(&seen, option, "g", options))
			return EXIT_TROUBLE;
		switch (option) {
		case 'g':
			if (!parse_groups(optarg, &monitor.groups))
				return EXIT_TROUBLE;
			break;
		case 'n':
			if (read_number("-n, --number", optarg, 1, UINT64_MAX, &monitor.left))
				return EXIT_TROUBLE;
			break;
		case 'j':
			monitor.json = true;
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
	if (!monitor.groups)
		monitor.groups = (1U << ARRAY_SIZE(groups)) - 1;
	return run_monitor(&monitor);
}

const struct subcommand monitor_command = {
	.name = "monitor",
	.summary = "print what happens to contexts, counters and CPUs, as it happens",
	.usage = usage,
	.run = run,
};
