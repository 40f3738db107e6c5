/* SPDX-License-Identifier: GPL-2.0-only */
/* Choose events of a file of samples by their names */
#ifndef EVENT_CHOICE_H
#define EVENT_CHOICE_H

#include "record/file.h"

/*
 * Find the events of a list of names, separated by commas. A name may lack its period (:p=) if it
 * is unique without it.
 * @path: of the file, for the message
 * @names: NULL for all events
 * Return: a mask of their numbers, 0 after a message
 */
uint32_t events_choose(const struct record_file *file, const char *path, const char *names);

#endif /* EVENT_CHOICE_H */
