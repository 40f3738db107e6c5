// SPDX-License-Identifier: GPL-2.0-only
/*
 * pmcctl report --samples --json: print records as one JSON object
 *
 * The object is printed piece by piece: all members but the last one, then the elements of the
 * last one, each on a line.
 */
#include <inttypes.h>
#include <string.h>

#include "report/report.h"
#include "report/sample-list.h"
#include "util/xalloc.h"

static void put_number(struct json_object *object, const char *key, uint64_t number)
{
	json_object_object_add(object, key, json_object_new_uint64(number));
}

static void put_text(struct json_object *object, const char *key, const char *text)
{
	json_object_object_add(object, key, json_text(text));
}

static void put_hex(struct json_object *object, const char *key, uint64_t number)
{
	json_object_object_add(object, key, json_hex(number));
}

/* ---- the beginning and the end ---- */

static struct json_object *json_events(const struct record_file *file)
{
	struct json_object *array = json_object_new_array(), *object;
	size_t i;

	for (i = 0; i < file->num_events; i++) {
		object = report_json_event(file->event[i], record_event_extra(file, i));
		if (file->result)
			put_number(object, "count", record_counts(file->result)[i]);
		json_object_array_add(array, object);
	}
	return array;
}

void list_json_begin(struct record_list *list)
{
	struct json_object *object = json_object_new_object();
	const char *text;

	report_json_system(object, list->file);
	json_object_object_add(object, "events", json_events(list->file));
	report_json_result(object, &list->result);
	if (list->options->damage[0])
		put_text(object, "incomplete", list->options->damage);
	put_number(object, "ticks_per_second", list->filter->rate);
	json_object_object_add(object, "call_chains", json_object_new_boolean(list->has_chains));
	text = xcheck((void *)json_object_to_json_string_ext(object, JSON_C_TO_STRING_PRETTY |
							     JSON_C_TO_STRING_SPACED |
							     JSON_C_TO_STRING_NOSLASHESCAPE));
	/* without the closing brace and the end of the line before it */
	fprintf(list->out, "%.*s,\n  \"records\": [", (int)strlen(text) - 2, text);
	json_object_put(object);
}

void list_json_end(struct record_list *list)
{
	fputs("\n  ]\n}\n", list->out);
}

/* ---- samples ---- */

static struct json_object *json_flags(uint32_t flags)
{
	struct json_object *array = json_object_new_array();
	unsigned int bit;

	for (bit = 0; bit < 32; bit++)
		if (flags >> bit & 1 && sample_flag_name(bit))
			json_object_array_add(array, json_text(sample_flag_name(bit)));
	return array;
}

static struct json_object *json_values(const struct pmc_sample *sample)
{
	struct json_object *array = json_object_new_array();
	size_t i;

	for (i = 0; i < sample->nr_counters; i++)
		json_object_array_add(array,
				      json_object_new_uint64(pmc_sample_values(sample)[i]));
	return array;
}

static void put_function(struct json_object *object, const struct frame *frame)
{
	put_text(object, "function", frame->symbol->name);
	if (symbol_is_known(frame->symbol))
		put_number(object, "offset", frame->offset);
	put_text(object, "file", frame->symbol->file);
	json_object_object_add(object, "kernel", json_object_new_boolean(frame->symbol->kernel));
}

static struct json_object *json_frames(struct record_list *list, const struct pmc_sample *sample)
{
	struct json_object *array = json_object_new_array(), *object;
	struct frame frames[FRAMES_MAX];
	size_t num = frames_of_chains(&list->finder, sample, frames), i;

	for (i = 0; i < num; i++) {
		object = json_object_new_object();
		put_hex(object, "ip", frames[i].address);
		put_function(object, &frames[i]);
		json_object_array_add(array, object);
	}
	return array;
}

static void put_task(struct json_object *object, int32_t pid, int32_t tid)
{
	json_object_object_add(object, "pid", json_object_new_int(pid));
	json_object_object_add(object, "tid", json_object_new_int(tid));
}

static void put_sample(struct json_object *object, struct record_list *list,
		       const struct pmc_sample *sample)
{
	struct frame frame = frame_of_ip(&list->finder, sample);

	put_task(object, sample->pid, sample->tid);
	put_text(object, "command", sample->comm[0] ? sample->comm : "[unknown]");
	put_text(object, "event", record_event_text(list->file->event[sample->counter]));
	put_number(object, "overflows", sample->overflows);
	put_hex(object, "ip", sample->ip);
	put_hex(object, "cs", sample->cs);
	put_hex(object, "tr", sample->task_register);
	put_hex(object, "rflags", sample->rflags);
	put_number(object, "privilege", sample->privilege);
	json_object_object_add(object, "flags", json_flags(sample->flags));
	json_object_object_add(object, "values", json_values(sample));
	put_function(object, &frame);
	if (list->has_chains)
		json_object_object_add(object, "frames", json_frames(list, sample));
}

/* ---- all records ---- */

static void put_time(struct json_object *object, const struct record_list *list,
		     const struct listed_record *listed)
{
	char text[RECORD_TIME_SIZE];
	struct record_time time;

	if (listed->has_tsc && list->filter->rate) {
		time = record_time_of(listed->tsc, list->filter->rate);
		record_time_text(&time, text);
		/* printed with all its digits */
		json_object_object_add(object, "time", json_object_new_double_s(0, text));
	}
	if (listed->has_tsc)
		put_number(object, "tsc", listed->tsc);
	if (listed->cpu != RECORD_CPU_UNKNOWN)
		put_number(object, "cpu", listed->cpu);
}

static void put_map(struct json_object *object, const struct pmc_mmap *map)
{
	put_task(object, map->pid, map->tid);
	put_hex(object, "start", map->start);
	put_hex(object, "end", map->end);
	put_hex(object, "offset", map->offset);
	put_number(object, "inode", map->inode);
	put_number(object, "device_major", map->device_major);
	put_number(object, "device_minor", map->device_minor);
	put_text(object, "path", map->path);
}

static const char *type_name(uint32_t type)
{
	switch (type) {
	case PMC_RECORD_SAMPLE:
		return "sample";
	case PMC_RECORD_LOST:
		return "lost";
	case PMC_RECORD_THROTTLE:
		return "throttle";
	case PMC_RECORD_UNTHROTTLE:
		return "unthrottle";
	case PMC_RECORD_MMAP:
		return "mmap";
	}
	return "unknown";
}

static void put_record(struct json_object *object, struct record_list *list,
		       const struct pmc_record *record)
{
	const struct pmc_throttle *throttle = (const struct pmc_throttle *)record;

	switch (record->type) {
	case PMC_RECORD_SAMPLE:
		put_sample(object, list, (const struct pmc_sample *)record);
		break;
	case PMC_RECORD_LOST:
		put_number(object, "overflows", ((const struct pmc_lost *)record)->overflows);
		break;
	case PMC_RECORD_THROTTLE:
	case PMC_RECORD_UNTHROTTLE:
		if (record->type == PMC_RECORD_UNTHROTTLE)
			put_number(object, "overflows", throttle->overflows);
		put_text(object, "event", record_event_text(list->file->event[throttle->counter]));
		break;
	case PMC_RECORD_MMAP:
		put_map(object, (const struct pmc_mmap *)record);
		break;
	default:
		put_number(object, "number", record->type);
		put_number(object, "size", record->size);
	}
}

void list_json_record(struct record_list *list, const struct listed_record *listed, bool first)
{
	struct json_object *object = json_object_new_object();
	int flags = JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE;

	put_text(object, "type", type_name(listed->record->type));
	put_time(object, list, listed);
	put_record(object, list, listed->record);
	fprintf(list->out, "%s\n    %s", first ? "" : ",", (const char *)
		xcheck((void *)json_object_to_json_string_ext(object, flags)));
	json_object_put(object);
}
