/* SPDX-License-Identifier: GPL-2.0-only */
/* The text of --help: one screen of 80x24 */
#ifndef UTIL_SHORT_HELP_H
#define UTIL_SHORT_HELP_H

/*
 * Print the help of a subcommand.
 * @usage: the whole text, which 'pmcctl help SUBCOMMAND' prints; it is printed here, too, if it
 *	fits one screen
 * Return: 0 or EXIT_TROUBLE.
 */
int print_short_help(const char *subcommand, const char *usage);

#endif /* UTIL_SHORT_HELP_H */
