/* SPDX-License-Identifier: GPL-2.0-only */
/* pmcctl report --samples: list the samples of a file, or all its records */
#ifndef SAMPLE_LIST_H
#define SAMPLE_LIST_H

#include "report/filter.h"
#include "report/frames.h"
#include "util/output.h"

/*
 * @path: of the file, for messages
 * @root: as for symbols_open()
 * @damage: why the file is not complete; empty for a good file
 * @all: list all records, not only samples and lost records
 * @json: as JSON
 * @out: output stream
 */
struct list_options {
	const char *path;
	const char *root;
	const char *damage;
	bool all;
	bool json;
	FILE *out;
};

/*
 * List the records that the filter matches.
 * @filter: its events and its options are set; the caller frees it
 * Return: 0, or EXIT_TROUBLE after a message, without output if the filter is wrong
 */
int samples_list(const struct record_file *file, struct record_filter *filter,
		 const struct list_options *options);

/*
 * What is known before the first record is listed
 * @result: of the file, or of its records if the file has none
 * @has_chains: a sample has a call chain
 */
struct record_list {
	const struct record_file *file;
	struct record_filter *filter;
	const struct list_options *options;
	struct frame_finder finder;
	struct record_result result;
	bool has_chains;
	FILE *out;
};

/*
 * A record of the list
 * @cpu: RECORD_CPU_UNKNOWN if it is not known
 * @has_tsc: the record has a time; without, @tsc is that of the record of its CPU before it
 */
struct listed_record {
	const struct pmc_record *record;
	uint32_t cpu;
	bool has_tsc;
	uint64_t tsc;
};

/* The name of a bit of struct pmc_sample.flags, or NULL */
const char *sample_flag_name(unsigned int bit);

/* list-text.c */
void list_text_begin(struct record_list *list);
void list_text_record(struct record_list *list, const struct listed_record *listed);

/* list-json.c. @first: no record precedes it */
void list_json_begin(struct record_list *list);
void list_json_record(struct record_list *list, const struct listed_record *listed, bool first);
void list_json_end(struct record_list *list);

#endif /* SAMPLE_LIST_H */
