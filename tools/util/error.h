/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages on stderr, exit statuses, and options with a number */
#ifndef UTIL_ERROR_H
#define UTIL_ERROR_H

#include <stdbool.h>
#include <stdint.h>

#define __printf(a, b)	__attribute__((format(printf, a, b)))

#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))

/* Exit statuses of pmcctl itself; see pmcctl(1) */
#define EXIT_TROUBLE		125
#define EXIT_NOT_EXECUTABLE	126
#define EXIT_NOT_FOUND		127
#define EXIT_SIGNAL		128

struct option;

/* Name the subcommand that messages begin with. @name: static; NULL for none */
void error_set_subcommand(const char *name);

/* Print "pmcctl SUBCOMMAND: ..." on stderr. Return: EXIT_TROUBLE. */
int report_error(const char *format, ...) __printf(1, 2);

/* The same, with a line that names --help. Return: EXIT_TROUBLE. */
int report_usage_error(const char *format, ...) __printf(1, 2);

/*
 * Report what getopt_long() refused.
 * @refused: ':' or '?'
 * Return: EXIT_TROUBLE.
 */
int report_option_error(int refused, char *const *argv, const struct option *options);

/*
 * Check that an option with a value is given once.
 * @seen: the options given so far; begins with 0
 * @often: the options that may be repeated
 * Return: 0, or EXIT_TROUBLE after a message.
 */
int check_option_repeat(uint64_t *seen, int option, const char *often,
			const struct option *options);

/* Parse a decimal number without a sign, from @min to @max. */
bool parse_number(const char *text, uint64_t min, uint64_t max, uint64_t *number);

/*
 * Parse the number of an option.
 * @option: its name in the message, such as "-r, --repeat"
 * Return: 0, or EXIT_TROUBLE after a message.
 */
int read_number(const char *option, const char *text, uint64_t min, uint64_t max,
		uint64_t *number);

#endif /* UTIL_ERROR_H */
