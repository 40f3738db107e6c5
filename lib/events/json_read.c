// SPDX-License-Identifier: LGPL-2.1-or-later
/* Read an event file in JSON, of Intel's perfmon or the kernel's tools/perf/pmu-events */
#include <errno.h>

#include "error.h"
#include "json_read.h"

#ifdef HAVE_JSON
#include <ctype.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <json-c/json.h>

#include "core_type.h"
#include "event.h"
#include "event_select.h"
#include "extra_register.h"
#include "lex.h"

/* An event's text is at most PMC_EVENT_NAME_MAX, with modifiers. */
#define JSON_NAME_MAX	200

/* Intel's files number fixed counters from 32, or write "Fixed counter N". */
#define JSON_FIXED_FIRST	32

/*
 * @index: of the event that is read, from 1
 * @name: its name, or NULL
 */
struct reader {
	struct pmc_json_table *table;
	const char *path;
	const char *source;
	enum pmc_layout layout;
	uint32_t core_type;
	size_t index;
	const char *name;
};

const char *pmc_json_unavailable_reason(void)
{
	return NULL;
}

/* ---- messages ---- */

/* Texts of files are printed: replace what a terminal would interpret. */
static void make_printable(char *text)
{
	for (; *text; text++)
		if (iscntrl((unsigned char)*text))
			*text = ' ';
}

static int fail_event(const struct reader *reader, const char *key, const char *value,
		      const char *problem)
{
	char shown[64];

	snprintf(shown, sizeof(shown), "%s", value ? value : "");
	make_printable(shown);
	return pmc_fail(EBADMSG, "%s: event %zu%s%s%s: %s%s%s%s %s", reader->path, reader->index,
			reader->name ? " (" : "", reader->name ? reader->name : "",
			reader->name ? ")" : "", key, value ? " '" : "", shown, value ? "'" : "",
			problem);
}

/* Copy a text of a file. Return: NULL with errno ENOMEM. */
static char *copy_text(const char *text)
{
	char *copy = strdup(text);

	if (copy)
		make_printable(copy);
	return copy;
}

/* Add a sentence to *@text, which is NULL or of malloc(). Return: 0, or -1 with errno ENOMEM. */
static int __printf(2, 3) add_sentence(char **text, const char *format, ...)
{
	char sentences[1024];
	size_t used = 0;
	va_list args;
	char *copy;

	if (*text)
		used = snprintf(sentences, sizeof(sentences) / 2, "%s; ", *text);
	if (used >= sizeof(sentences) / 2)
		return 0;
	va_start(args, format);
	vsnprintf(sentences + used, sizeof(sentences) - used, format, args);
	va_end(args);
	copy = copy_text(sentences);
	if (!copy)
		return -1;
	free(*text);
	*text = copy;
	return 0;
}

/* ---- values ---- */

/* The text of a key; NULL if there is none, or what Intel's files write for none */
static const char *get_text(struct json_object *object, const char *key)
{
	struct json_object *value;
	const char *text;

	if (!json_object_object_get_ex(object, key, &value) || !value)
		return NULL;
	text = json_object_get_string(value);
	return text && text[0] && strcmp(text, "null") ? text : NULL;
}

/* The first of the numbers of a key, 0 if there is none. Return: 0, or -1 after a message. */
static int get_number(const struct reader *reader, struct json_object *object, const char *key,
		      uint64_t max, uint64_t *number)
{
	const char *text = get_text(object, key);
	struct pmc_token token = { text, text ? strcspn(text, ", ") : 0 };
	char problem[64];

	*number = 0;
	if (!text || pmc_token_parse_number(&token, max, number))
		return 0;
	snprintf(problem, sizeof(problem), "is not a number from 0 to %llu",
		 (unsigned long long)max);
	return fail_event(reader, key, text, problem);
}

static bool get_flag(struct json_object *object, const char *key)
{
	const char *text = get_text(object, key);

	return text && strcmp(text, "0");
}

/* ---- fields of the event select ---- */

static const struct {
	const char *key;
	const char *term;
	unsigned int shift;
} fields[] = {
	{ "EventCode", "event", 0 },
	{ "UMask", "umask", 0 },
	{ "UMaskExt", "umask", 8 },
	{ "CounterMask", "cmask", 0 },
	{ "Invert", "inv", 0 },
	{ "EdgeDetect", "edge", 0 },
	{ "AnyThread", "any", 0 },
	{ "Equal", "eq", 0 },
};

static int read_select(const struct reader *reader, struct json_object *object,
		       struct pmc_json_event *event)
{
	const struct pmc_field *field;
	struct pmc_token term;
	uint64_t number, max;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		term = (struct pmc_token){ fields[i].term, strlen(fields[i].term) };
		field = pmc_field_find(reader->layout, &term);
		max = field ? pmc_field_max(field) >> fields[i].shift : 0;
		if (get_number(reader, object, fields[i].key, max, &number))
			return -1;
		if (field)
			event->select |= pmc_field_encode(field, number << fields[i].shift);
	}
	return 0;
}

/* ---- counters ---- */

static const char *skip_separators(const char *text)
{
	return text + strspn(text, ", ");
}

/* Counters such as "0,1,2,3". @first: the first number of a fixed counter, or -1 */
static int read_counters(const struct reader *reader, const char *key, const char *text,
			 uint64_t *counters, int *first)
{
	const char *rest = text;
	unsigned long number;
	char *end;

	*first = -1;
	if (!strncasecmp(rest, "fixed counter ", strlen("fixed counter "))) {
		number = strtoul(rest + strlen("fixed counter "), &end, 10);
		if (number < JSON_FIXED_FIRST && !*end) {
			*first = number;
			return 0;
		}
	}
	for (rest = skip_separators(rest); isdigit((unsigned char)*rest);
	     rest = skip_separators(end)) {
		number = strtoul(rest, &end, 10);
		if (number >= 2 * JSON_FIXED_FIRST)
			break;
		if (number < JSON_FIXED_FIRST)
			*counters |= 1ULL << number;
		else if (*first < 0)
			*first = number - JSON_FIXED_FIRST;
	}
	if (*rest)
		return fail_event(reader, key, text, "is not a list of counters");
	return 0;
}

/*
 * The fixed counter of an event. Its number follows from the unit mask of event code 0; older
 * files have no unit mask, and number fixed counters from 1.
 */
static int fixed_counter(const struct pmc_json_event *event, int listed)
{
	int mask = event->select >> 8 & 0xff;
	bool none = !(event->select & 0xff);

	if (listed < 0 && (!none || !mask))
		return JSON_NO_FIXED;
	if (none && mask)
		return mask - 1;
	return listed > 0 ? listed - 1 : 0;
}

/*
 * Names of events that the files give to fixed counters, and that general counters count as
 * well: those for which perf has an event code.
 */
static bool is_fixed_only(const char *name)
{
	static const char *const general[] = {
		"INST_RETIRED.ANY", "CPU_CLK_UNHALTED.THREAD", "CPU_CLK_UNHALTED.CORE",
		"CPU_CLK_UNHALTED.THREAD_ANY",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(general); i++)
		if (!strcasecmp(name, general[i]))
			return false;
	return true;
}

static bool has_arch_event(int fixed)
{
	size_t i;

	for (i = 0; i < pmc_num_arch_events; i++)
		if (pmc_arch_events[i].fixed == fixed)
			return true;
	return false;
}

static int read_placement(const struct reader *reader, struct json_object *object,
			  struct pmc_json_event *event)
{
	const char *counter = get_text(object, "Counter");
	const char *without_ht = get_text(object, "CounterHTOff");
	int listed = -1, ignored;

	event->fixed = JSON_NO_FIXED;
	if (counter && read_counters(reader, "Counter", counter, &event->counters, &listed))
		return -1;
	if (without_ht && read_counters(reader, "CounterHTOff", without_ht, &event->counters,
					&ignored))
		return -1;
	if (reader->layout != PMC_LAYOUT_CORE)
		return 0;
	event->fixed = fixed_counter(event, listed);
	if (event->fixed == JSON_NO_FIXED)
		return 0;
	event->counters = 0;
	event->select &= ~0xffffULL;
	event->fixed_only = is_fixed_only(event->name);
	if (has_arch_event(event->fixed))
		return 0;
	return add_sentence(&event->refused,
			    "only fixed counter %d counts it, which this library does not support",
			    event->fixed);
}

/* ---- notes ---- */

static int read_warning(struct json_object *object, struct pmc_json_event *event)
{
	const char *errata = get_text(object, "Errata"), *precise = get_text(object, "PEBS");

	if (get_flag(object, "Deprecated") &&
	    add_sentence(&event->warning, "the event file marks it as deprecated: %s",
			 event->text))
		return -1;
	if (errata && strcmp(errata, "0") &&
	    add_sentence(&event->warning,
			 "errata %s affect it: see the processor's specification update", errata))
		return -1;
	if (precise && !strcmp(precise, "2") &&
	    add_sentence(&event->warning,
			 "the event file requires precise sampling, and the driver has none"))
		return -1;
	if (get_flag(object, "TakenAlone") &&
	    add_sentence(&event->warning,
			 "the event file requires that it is counted without other events"))
		return -1;
	return 0;
}

/* MSR_PEBS_LD_LAT_THRESHOLD, the register of load latency */
#define JSON_MSR_LATENCY	0x3f6

/*
 * The extra register and its value. MSRIndex "0x1a6,0x1a7" means either register of offcore
 * response, each with its event code; without the first, the event code is the second's.
 */
static int read_msr(const struct reader *reader, struct json_object *object,
		    struct pmc_json_event *event)
{
	const char *indices = get_text(object, "MSRIndex");
	enum pmc_register number;
	uint64_t msr;

	if (get_number(reader, object, "MSRIndex", UINT32_MAX, &msr) ||
	    get_number(reader, object, "MSRValue", UINT64_MAX, &event->event_extra))
		return -1;
	event->msr = msr;
	number = pmc_register_of_msr(msr);
	event->either = number == PMC_REGISTER_OFFCORE_0 && strchr(indices, ',');
	if (number == PMC_REGISTER_OFFCORE_1)
		event->select = pmc_register_offcore_select(event->select, number);
	if (msr == JSON_MSR_LATENCY)
		return add_sentence(&event->refused, "%s", LOAD_LATENCY_REASON);
	if (!msr || (number && event->event_extra))
		return 0;
	return add_sentence(&event->refused,
			    "needs an extra register, which the driver does not set: MSR 0x%llx = 0x%llx",
			    (unsigned long long)msr, (unsigned long long)event->event_extra);
}

/* ---- events ---- */

/* Return: whether the event is one of cores. @core_type: that of its unit, if it has one */
static bool is_core_unit(const char *unit, uint32_t *core_type)
{
	struct pmc_token token = { unit, unit ? strlen(unit) : 0 };

	if (!unit || !strcmp(unit, "cpu") || !strcmp(unit, "core"))
		return true;
	return !strncmp(unit, "cpu_", 4) && pmc_core_type_find(&token, core_type);
}

static int check_name(struct reader *reader, const char *name)
{
	size_t i;

	for (i = 0; name[i]; i++)
		if (!isgraph((unsigned char)name[i]) || strchr(",/{}'", name[i]))
			return fail_event(reader, "EventName", name,
					  "has a character that is not allowed in a name");
	if (i > JSON_NAME_MAX)
		return fail_event(reader, "EventName", name, "is longer than 200 characters");
	reader->name = name;
	return 0;
}

/* Fill @event; the caller releases its texts. Return: 0 or -1. */
static int fill_event(const struct reader *reader, struct json_object *object, const char *name,
		      struct pmc_json_event *event)
{
	const char *text = get_text(object, "BriefDescription");

	if (!text)
		text = get_text(object, "PublicDescription");
	event->name = copy_text(name);
	event->text = copy_text(text ? text : "no description");
	if (!event->name || !event->text ||
	    read_select(reader, object, event) ||
	    get_number(reader, object, "SampleAfterValue", UINT64_MAX, &event->period) ||
	    read_warning(object, event) || read_msr(reader, object, event))
		return -1;
	return read_placement(reader, object, event);
}

static int read_event(struct reader *reader, struct json_object *object)
{
	struct pmc_json_event event = { .source = reader->source, .core_type = reader->core_type };
	const char *name;

	reader->name = NULL;
	if (!json_object_is_type(object, json_type_object))
		return fail_event(reader, "this", NULL, "is not an object");
	name = get_text(object, "EventName");
	/* metrics, and the numbers of counters of each unit */
	if (!name && !get_text(object, "EventCode"))
		return 0;
	if (!name)
		return fail_event(reader, "EventName", NULL, "is missing");
	if (check_name(reader, name))
		return -1;
	if (!is_core_unit(get_text(object, "Unit"), &event.core_type)) {
		reader->table->num_other++;
		return 0;
	}
	if (!fill_event(reader, object, name, &event) && !pmc_json_table_add(reader->table, &event))
		return 0;
	pmc_json_event_clear(&event);
	return -1;
}

static int read_events(struct reader *reader, struct json_object *array)
{
	size_t num = json_object_array_length(array), i;

	for (i = 0; i < num; i++) {
		reader->index = i + 1;
		if (read_event(reader, json_object_array_get_idx(array, i)))
			return -1;
	}
	return 0;
}

/* ---- files ---- */

static int fail_syntax(const char *path, const char *text, size_t place, const char *problem)
{
	size_t line = 1, column = 1, i;

	for (i = 0; i < place; i++) {
		column = text[i] == '\n' ? 1 : column + 1;
		line += text[i] == '\n';
	}
	return pmc_fail(EBADMSG, "%s:%zu:%zu: not JSON: %s", path, line, column, problem);
}

static struct json_object *parse_text(const char *path, const char *text, size_t len)
{
	struct json_tokener *tokener = json_tokener_new();
	struct json_object *object;
	enum json_tokener_error error;
	size_t place;

	if (!tokener)
		return NULL;
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	object = json_tokener_parse_ex(tokener, text, len);
	error = json_tokener_get_error(tokener);
	place = json_tokener_get_parse_end(tokener);
	json_tokener_free(tokener);
	if (error == json_tokener_success && object)
		return object;
	json_object_put(object);
	fail_syntax(path, text, place < len ? place : len,
		    error == json_tokener_continue ? "the file ends within a value" :
		    error == json_tokener_success ? "null" : json_tokener_error_desc(error));
	return NULL;
}

/* The array of events of either form; NULL if the file has none */
static struct json_object *find_events(struct json_object *top)
{
	struct json_object *events = NULL;

	if (json_object_is_type(top, json_type_array))
		return top;
	if (json_object_is_type(top, json_type_object))
		json_object_object_get_ex(top, "Events", &events);
	return json_object_is_type(events, json_type_array) ? events : NULL;
}

int pmc_json_read(struct pmc_json_table *table, const char *path, const char *source,
		  const char *text, size_t len, enum pmc_layout layout, uint32_t core_type)
{
	struct reader reader = {
		.table = table, .path = path, .source = source, .layout = layout,
		.core_type = core_type,
	};
	struct json_object *top, *events;
	int result, error;

	if (len > INT_MAX)
		return pmc_fail(EBADMSG, "%s: longer than 2 GiB", path);
	top = parse_text(path, text, len);
	if (!top)
		return -1;
	events = find_events(top);
	if (events)
		result = read_events(&reader, events);
	else
		result = pmc_fail(EBADMSG,
				  "%s: neither an array of events nor an object with the array Events",
				  path);
	error = errno;
	json_object_put(top);
	errno = error;
	return result;
}

#else /* HAVE_JSON */

const char *pmc_json_unavailable_reason(void)
{
	return "this library was built without json-c: install libjson-c-dev and rebuild it";
}

int pmc_json_read(struct pmc_json_table *table, const char *path, const char *source,
		  const char *text, size_t len, enum pmc_layout layout, uint32_t core_type)
{
	(void)table;
	(void)source;
	(void)text;
	(void)len;
	(void)layout;
	(void)core_type;
	return pmc_fail(ENOPKG, "%s: %s", path, pmc_json_unavailable_reason());
}

#endif /* HAVE_JSON */
