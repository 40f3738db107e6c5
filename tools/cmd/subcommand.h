/* SPDX-License-Identifier: GPL-2.0-only */
/* The subcommands of pmcctl */
#ifndef CMD_SUBCOMMAND_H
#define CMD_SUBCOMMAND_H

/*
 * @summary: one line for pmcctl --help
 * @usage: the whole text of --help
 * @run: receives its own name as argv[0] and returns the exit status
 */
struct subcommand {
	const char *name;
	const char *summary;
	const char *usage;
	int (*run)(int argc, char **argv);
};

extern const struct subcommand events_command;
extern const struct subcommand info_command;
extern const struct subcommand list_command;
extern const struct subcommand monitor_command;
extern const struct subcommand pce_command;
extern const struct subcommand record_command;
extern const struct subcommand report_command;
extern const struct subcommand stat_command;
extern const struct subcommand sweep_command;
extern const struct subcommand who_command;

#endif /* CMD_SUBCOMMAND_H */
