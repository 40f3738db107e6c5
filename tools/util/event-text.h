/* SPDX-License-Identifier: GPL-2.0-only */
/* Split lists of events, match names with patterns, find modes in modifiers */
#ifndef UTIL_EVENT_TEXT_H
#define UTIL_EVENT_TEXT_H

#include <stdbool.h>

/*
 * Copy the first event of a list, without spaces around it and with @modifier appended,
 * and advance *@list past it.
 */
char *event_text_next(const char **list, const char *modifier);

/*
 * Does a name match a pattern with *, ? or [...]? Case does not matter; '-' and '_' are
 * equivalent, and so are '.' and ':'.
 */
bool event_text_matches(const char *name, const char *pattern);

/* Refuse an empty event in a list. Return: 0, or EXIT_TROUBLE after a message. */
int event_text_check(const char *list);

/* Does an event, or the modifiers of one, name a mode (user, kernel)? */
bool event_text_has_modes(const char *text);

#endif /* UTIL_EVENT_TEXT_H */
