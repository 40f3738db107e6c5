/* SPDX-License-Identifier: GPL-2.0-only */
/* Contexts as the driver tells of them over netlink, in words and in JSON */
#ifndef PMCCTL_CONTEXT_TEXT_H
#define PMCCTL_CONTEXT_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include <json-c/json.h>

#include "util/netlink.h"

/* Room for any of the texts */
#define CONTEXT_TEXT_SIZE	512

/* Who configured it: "process 4711 (name)" */
void context_owner_text(const struct netlink_message *message, char *text, size_t size);

/* "tree", or NULL for a scope that is not known */
const char *context_scope_name(uint64_t scope);

/* What it counts: "thread 4712", "CPU 1", "all CPUs" */
void context_target_text(const struct netlink_message *message, char *text, size_t size);

/* Its counters: "general0 general1 fixed0" */
void context_counters_text(const struct netlink_message *message, char *text, size_t size);

/* "running", "stopped", "armed", and what else there is to say of it */
void context_state_text(uint32_t state, char *text, size_t size);

/* Add all that identifies it: number, owner, scope, CPU or thread, counters. */
void context_add_json(const struct netlink_message *message, struct json_object *object);

/* An array of the names of PMC_STATE_* */
struct json_object *json_states(uint32_t state);

#endif /* PMCCTL_CONTEXT_TEXT_H */
