/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Notes of this computer on its events: files of lines "NAME TEXT". NAME may have *, ? or [...].
 * Empty lines and lines that begin with # are skipped.
 */
#ifndef UTIL_EVENT_NOTES_H
#define UTIL_EVENT_NOTES_H

#include <stddef.h>

struct event_note {
	char *name;	/* also holds the text */
	const char *text;
};

/* All zero is empty. */
struct event_notes {
	struct event_note *note;
	size_t num;
};

/*
 * Load /etc/pmcdrv/event-notes and the user's ~/.config/pmcdrv/event-notes; either may be missing.
 * Return: 0, or EXIT_TROUBLE after a message.
 */
int event_notes_load(struct event_notes *notes);

void event_notes_free(struct event_notes *notes);

/* Return: the text of the first note with a name that matches, or NULL */
const char *event_notes_find(const struct event_notes *notes, const char *name);

#endif /* UTIL_EVENT_NOTES_H */
