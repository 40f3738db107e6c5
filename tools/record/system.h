/* SPDX-License-Identifier: GPL-2.0-only */
/* pmcctl record: write the sections SYSTEM, EVENT, EXTRA, KERNEL, FILE and VDSO */
#ifndef RECORD_SYSTEM_H
#define RECORD_SYSTEM_H

#include "util/session.h"
#include "record/collect.h"

/*
 * Write SYSTEM. Return: 0, or -1 with errno if writing failed.
 * @frequency: of -F, or 0
 */
int record_system_write(struct record_writer *writer, const struct session *session,
			uint64_t frequency, char **argv);

/*
 * Write the EVENT sections, and EXTRA if an event needs an extra register. Return: the same.
 * @event: the events of @context, in the order of adding
 */
int record_events_write(struct record_writer *writer, const struct pmc_context *context,
			struct pmc_event *const *event);

/* Write KERNEL, FILE and VDSO: kernel functions, build-ids of files, the vDSO. Return: the same. */
int record_names_write(struct record_writer *writer, struct collector *collector);

#endif /* RECORD_SYSTEM_H */
