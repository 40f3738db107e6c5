// SPDX-License-Identifier: GPL-2.0-only
/* Describe a context from a netlink message of the driver, as text and as JSON */
#include <inttypes.h>
#include <string.h>

#include <libpmcevents.h>

#include "util/context-text.h"
#include "util/error.h"
#include "util/output.h"

static const struct {
	uint32_t bit;
	const char *name;
	const char *text;
} states[] = {
	{ PMC_STATE_RUNNING, "RUNNING", "running" },
	{ PMC_STATE_ARMED, "ARMED", "armed" },
	{ PMC_STATE_ENDED, "ENDED", "ended" },
	{ PMC_STATE_OFFLINE, "OFFLINE", "offline" },
	{ PMC_STATE_INCOMPLETE, "INCOMPLETE", "incomplete" },
	{ PMC_STATE_UNCOUNTED, "UNCOUNTED", "uncounted" },
	{ PMC_STATE_REWRITTEN, "REWRITTEN", "rewritten" },
	{ PMC_STATE_STORM, "STORM", "storm" },
};

static const struct {
	const char *name;
	const char *before; /* the text before and after the number, if there is one */
	const char *behind;
} scopes[] = {
	[PMC_SCOPE_CPU] = { "cpu", "CPU", "" },
	[PMC_SCOPE_ALL_CPUS] = { "all-cpus", "all CPUs", "" },
	[PMC_SCOPE_THREAD] = { "thread", "thread", "" },
	[PMC_SCOPE_PROCESS] = { "process", "process", "" },
	[PMC_SCOPE_TREE] = { "tree", "process", " and its descendants" },
};

static bool is_known(uint64_t scope)
{
	return scope < ARRAY_SIZE(scopes) && scopes[scope].name;
}

const char *context_scope_name(uint64_t scope)
{
	return is_known(scope) ? scopes[scope].name : NULL;
}

void context_owner_text(const struct netlink_message *message, char *text, size_t size)
{
	uint64_t pid = message_number(message, PMC_NETLINK_A_PID);

	if (pid)
		snprintf(text, size, "process %" PRIu64 " (%s)", pid,
			 message_text(message, PMC_NETLINK_A_COMM));
	else
		snprintf(text, size, "a process of another pid namespace (%s)",
			 message_text(message, PMC_NETLINK_A_COMM));
	/* the name of a process is arbitrary: replace what would break the line */
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			*text = '?';
}

void context_target_text(const struct netlink_message *message, char *text, size_t size)
{
	uint64_t scope = message_number(message, PMC_NETLINK_A_SCOPE);

	if (!is_known(scope)) {
		snprintf(text, size, "a scope that this pmcctl does not know");
		return;
	}
	snprintf(text, size, "%s", scopes[scope].before);
	if (message_has(message, PMC_NETLINK_A_CPU))
		text_append(text, size, " %" PRIu64, message_number(message, PMC_NETLINK_A_CPU));
	if (message_has(message, PMC_NETLINK_A_TID))
		text_append(text, size, " %" PRIu64, message_number(message, PMC_NETLINK_A_TID));
	text_append(text, size, "%s", scopes[scope].behind);
}

/* Called for each counter of a context */
typedef void (*counter_visitor)(uint32_t counter, void *data);

static void visit_counters(const struct netlink_message *message, counter_visitor visit,
			   void *data)
{
	uint64_t general = message_number(message, PMC_NETLINK_A_GENERAL_COUNTERS);
	uint64_t fixed = message_number(message, PMC_NETLINK_A_FIXED_COUNTERS);
	unsigned int i;

	for (i = 0; i < 64; i++)
		if (general >> i & 1)
			visit(PMC_COUNTER_GENERAL(i), data);
	for (i = 0; i < 64; i++)
		if (fixed >> i & 1)
			visit(PMC_COUNTER_FIXED(i), data);
}

struct room {
	char *text;
	size_t size;
};

static void append_counter(uint32_t counter, void *data)
{
	char name[PMC_COUNTER_NAME_SIZE];
	struct room *room = data;

	pmc_counter_name(counter, name, sizeof(name));
	text_append(room->text, room->size, "%s%s", room->text[0] ? " " : "", name);
}

void context_counters_text(const struct netlink_message *message, char *text, size_t size)
{
	struct room room = { text, size };

	text[0] = 0;
	visit_counters(message, append_counter, &room);
}

void context_state_text(uint32_t state, char *text, size_t size)
{
	size_t i;

	text[0] = 0;
	if (!(state & (PMC_STATE_RUNNING | PMC_STATE_ARMED | PMC_STATE_ENDED)))
		text_append(text, size, "stopped");
	for (i = 0; i < ARRAY_SIZE(states); i++)
		if (state & states[i].bit)
			text_append(text, size, "%s%s", text[0] ? ", " : "", states[i].text);
}

struct json_object *json_states(uint32_t state)
{
	struct json_object *array = json_object_new_array();
	size_t i;

	for (i = 0; i < ARRAY_SIZE(states); i++)
		if (state & states[i].bit)
			json_object_array_add(array, json_object_new_string(states[i].name));
	return array;
}

static void add_counter_name(uint32_t counter, void *data)
{
	char name[PMC_COUNTER_NAME_SIZE];

	pmc_counter_name(counter, name, sizeof(name));
	json_object_array_add(data, json_object_new_string(name));
}

static struct json_object *json_number(const struct netlink_message *message,
				       enum pmc_netlink_attribute attribute)
{
	if (!message_has(message, attribute))
		return NULL;
	return json_object_new_uint64(message_number(message, attribute));
}

void context_add_json(const struct netlink_message *message, struct json_object *object)
{
	struct json_object *counters = json_object_new_array();
	uint64_t scope = message_number(message, PMC_NETLINK_A_SCOPE);

	json_object_object_add(object, "context", json_number(message, PMC_NETLINK_A_CONTEXT));
	json_object_object_add(object, "uid", json_number(message, PMC_NETLINK_A_UID));
	json_object_object_add(object, "pid", json_number(message, PMC_NETLINK_A_PID));
	json_object_object_add(object, "comm",
			       json_text(message_text(message, PMC_NETLINK_A_COMM)));
	json_object_object_add(object, "scope", is_known(scope) ?
			       json_object_new_string(context_scope_name(scope)) : NULL);
	json_object_object_add(object, "cpu", json_number(message, PMC_NETLINK_A_CPU));
	json_object_object_add(object, "tid", json_number(message, PMC_NETLINK_A_TID));
	visit_counters(message, add_counter_name, counters);
	json_object_object_add(object, "counters", counters);
}
