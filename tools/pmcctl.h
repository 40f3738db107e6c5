/* SPDX-License-Identifier: GPL-2.0-only */
/* pmcctl: what its files share */
#ifndef PMCCTL_H
#define PMCCTL_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include <json-c/json.h>
#include <libpmcevents.h>

#define __printf(a, b)	__attribute__((format(printf, a, b)))

#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))

/* Exit statuses of pmcctl itself; see pmcctl(1) */
#define EXIT_TROUBLE		125
#define EXIT_NOT_EXECUTABLE	126
#define EXIT_NOT_FOUND		127
#define EXIT_SIGNAL		128

/* A subcommand: @run gets its own name as argv[0] and returns the exit status. */
struct subcommand {
	const char *name;
	const char *summary;
	const char *usage;
	int (*run)(int argc, char **argv);
};

extern const struct subcommand info_command;
extern const struct subcommand list_command;
extern const struct subcommand monitor_command;
extern const struct subcommand pce_command;
extern const struct subcommand record_command;
extern const struct subcommand report_command;
extern const struct subcommand stat_command;
extern const struct subcommand sweep_command;
extern const struct subcommand who_command;

/* ---- pmcctl.c ---- */

/* Print "pmcctl SUBCOMMAND: ..." on stderr. Return: EXIT_TROUBLE. */
int report_error(const char *format, ...) __printf(1, 2);

/* The same, with a line that tells how to get help. */
int report_usage_error(const char *format, ...) __printf(1, 2);

struct option;

/* What getopt_long() refused: ':' or '?'. Return: EXIT_TROUBLE after a complaint. */
int report_option_error(int refused, char *const *argv, const struct option *options);

/*
 * An option with a value can be given once, but for those in @often.
 * @seen: which have been given; begins with 0
 * Return: 0, or EXIT_TROUBLE after a complaint.
 */
int check_option_repeat(uint64_t *seen, int option, const char *often, const struct option *options);

/* Read a whole decimal number without sign, from @min to @max. */
bool parse_number(const char *text, uint64_t min, uint64_t max, uint64_t *number);

/*
 * The same for the value of an option.
 * @option: such as "-r, --repeat", for the complaint
 * Return: 0 or EXIT_TROUBLE after a complaint.
 */
int read_number(const char *option, const char *text, uint64_t min, uint64_t max,
		uint64_t *number);

/* ---- output.c: tables and JSON ---- */

/* Whether the file is a terminal that shows bold type, and nobody forbids it */
bool output_supports_bold(FILE *file);

/* Print, in bold type where possible. */
void output_bold(FILE *file, const char *format, ...) __printf(2, 3);

/* What stands behind a noun after a number: "1 sample", "2 samples" */
static inline const char *plural(uint64_t number)
{
	return number == 1 ? "" : "s";
}

/* Add to what is in @text, as far as there is room in its @size bytes. */
void text_append(char *text, size_t size, const char *format, ...) __printf(3, 4);

/*
 * Columns of text; those in @right are aligned to the right.
 * @head: the first row is a heading
 * @fit: on a terminal, cut the last column off at its width
 */
struct table {
	unsigned int columns;
	uint32_t right;
	bool head;
	bool fit;
	size_t num_cells;
	char **cells;
};

/* Add the next cell, row by row. */
void table_add(struct table *table, const char *format, ...)
	__printf(2, 3);

/* Print and empty the table, each row after @indent spaces. */
void table_print(struct table *table, int indent, FILE *file);

/* A JSON string; bytes that are not UTF-8 become U+FFFD. */
struct json_object *json_text(const char *text);

/* A JSON string "0x..." */
struct json_object *json_hex(uint64_t value);

/* Print @object with a newline, and drop it. */
void json_print(struct json_object *object, FILE *file);

/* The same on one line */
void json_print_line(struct json_object *object, FILE *file);

/* Print a field of comma-separated values, in quotes if need be. */
void csv_print(const char *text, FILE *file);

/* ---- output-file.c ---- */

/* Open @path for writing. Return: NULL after a complaint. */
FILE *output_open(const char *path);

/* Write out what is left; close it if not stdout or stderr. Return: 0 or EXIT_TROUBLE. */
int output_close(FILE *file, const char *path);

/*
 * A file that keeps what it has until there is something to write into it
 * @created: it was not there
 * @begun: there is something
 */
struct deferred_file {
	const char *path;
	FILE *file;
	bool created;
	bool begun;
};

/* Open @path. Return: 0 or EXIT_TROUBLE after a complaint. */
int deferred_open(struct deferred_file *deferred, const char *path);

/* An open file instead, which has nothing to lose */
void deferred_open_stream(struct deferred_file *deferred, FILE *file, const char *name);

/* Whether it is one on a disk */
bool deferred_is_regular(const struct deferred_file *deferred);

/* There is something to write. Return: the file, empty the first time; NULL after a complaint. */
FILE *deferred_begin(struct deferred_file *deferred);

/* As output_close(); without deferred_begin() all is as it was. Can be called twice. */
int deferred_close(struct deferred_file *deferred);

/* Close it, whatever could not be written. */
void deferred_abort(struct deferred_file *deferred);

/* A file that takes another's place once it is complete */
struct replacement {
	const char *path;
	char *temporary;
	FILE *file;
};

/* Begin one; what is no plain file is written directly. Return: as output_open(). */
FILE *output_replace_begin(struct replacement *new, const char *path);

/* It is complete. Return: 0 or EXIT_TROUBLE after a complaint. */
int output_replace_commit(struct replacement *new);

/* Give it up. */
void output_replace_abort(struct replacement *new);

/* Whether one could be begun; nothing changes. Return: 0 or EXIT_TROUBLE after a complaint. */
int output_check_writable(const char *path);

/* ---- event-text.c ---- */

/*
 * The first event of a list without spaces around it and with @modifier behind it, and
 * *@list moved behind it.
 * Return: NULL without memory.
 */
char *event_text_next(const char **list, const char *modifier);

/*
 * Does a name fit a pattern with *, ? or [...]? Small letters are capitals, and '-'
 * is '_'.
 */
bool event_text_matches(const char *name, const char *pattern);

/* Look for an empty event in a list. Return: 0 or EXIT_TROUBLE after a complaint. */
int event_text_check(const char *list);

/* Does an event, or what stands behind one, say in which modes it is counted? */
bool event_text_has_modes(const char *text);

/* ---- command.c: the command that is measured ---- */

struct workload {
	char **argv;
	pid_t pid;
	int socket;
};

/* From now on SIGHUP, SIGINT, SIGQUIT and SIGTERM are for the command. */
void workload_catch_signals(void);

/* The signal that came, or 0 */
int workload_signal(void);

/* Keep these signals back until @old is the mask again. */
void workload_block_signals(sigset_t *old);

/* From now on commands get /dev/null as these standard streams. */
void workload_set_streams(bool null_input, bool null_output, bool null_error);

/* Is there such a command? Return: 0, or the exit status after a complaint. */
int workload_find(char **argv);

/* Make the command's process; it waits before its exec. Return: 0 or -1. */
int workload_fork(struct workload *command, char **argv);

/* Let it exec. Return: 0, or the error number of the exec. */
int workload_exec(struct workload *command);

/* Complain that its exec failed. Return: the exit status for that. */
int workload_fail_exec(const struct workload *command, int error);

/* Wait for its end; it stays a zombie. */
void workload_wait(const struct workload *command);

/*
 * End it if it was not released, and forget it. Return: its wait status, the first
 * time.
 */
int workload_reap(struct workload *command);

/* ---- event-list.c ---- */

/*
 * Remember the list of an -e behind those in *@lists, which is NULL at first: what its
 * names mean is known when all options are read. Return: 0 or EXIT_TROUBLE after a
 * complaint.
 */
int event_list_append(char **lists, const char *list);

/*
 * Add the events of a list behind the first *@num of @event, which has room for
 * PMC_COUNTERS_MAX.
 * @core_type: of core that they are for, 0 for all
 * Return: 0 or EXIT_TROUBLE after a complaint.
 */
int event_list_add(struct pmc_event **event, size_t *num, const char *list, uint32_t core_type);

void event_list_free(struct pmc_event **event, size_t *num);

/* ---- process.c: a process that is not pmcctl's own ---- */

/* Take hold of a process, so that its end is heard. Return: -1 after a complaint. */
int process_open(pid_t pid);

/*
 * Wait until it has ended, or with @until_signal a signal has come: true; or until
 * @deadline_ns of now_ns() unless that is 0: false.
 */
bool process_wait(int process, uint64_t deadline_ns, bool until_signal);

/* What process_wait_or_read() has seen */
#define PROCESS_ENDED		(1U << 0)
#define FILE_HUNG_UP		(1U << 1)

/*
 * Wait until it has ended, a signal other than @known has come, there is something
 * to read from @fd, or @timeout_ms are over (-1: never). @process and @fd may be -1.
 */
unsigned int process_wait_or_read(int process, int fd, int timeout_ms, int known);

void process_close(int process);

#endif /* PMCCTL_H */
