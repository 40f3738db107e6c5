/* SPDX-License-Identifier: GPL-2.0-only */
/* pmcctl record: the sections about the computer and what ran on it */
#ifndef RECORD_SYSTEM_H
#define RECORD_SYSTEM_H

#include "util/session.h"
#include "record/collect.h"

/* Return: 0, or -1 with errno if writing failed. */
int record_system_write(struct record_writer *writer, const struct session *session,
			struct pmc_device *device, char **argv);

/* @event: those of @context, in the order of adding; likewise */
int record_events_write(struct record_writer *writer, const struct pmc_context *context,
			struct pmc_event *const *event);

/* Names of kernel addresses, build-ids of files, the vDSO; likewise. */
int record_names_write(struct record_writer *writer, struct collector *collector);

#endif /* RECORD_SYSTEM_H */
