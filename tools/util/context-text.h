/* SPDX-License-Identifier: GPL-2.0-only */
/* Describe a context from a netlink message of the driver, as text and as JSON */
#ifndef PMCCTL_CONTEXT_TEXT_H
#define PMCCTL_CONTEXT_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include <json-c/json.h>

#include "util/netlink.h"

/* Size in bytes that is enough for any of the texts */
#define CONTEXT_TEXT_SIZE	512

/* The process that configured the context: "process 4711 (name)" */
void context_owner_text(const struct netlink_message *message, char *text, size_t size);

/* "tree", "process" ...; NULL for an unknown scope */
const char *context_scope_name(uint64_t scope);

/* The target of the context: "thread 4712", "CPU 1", "all CPUs" */
void context_target_text(const struct netlink_message *message, char *text, size_t size);

/* The counters of the context: "general0 general1 fixed0" */
void context_counters_text(const struct netlink_message *message, char *text, size_t size);

/* "running", "stopped", "armed" and the other flags of @state */
void context_state_text(uint32_t state, char *text, size_t size);

/* Add the identity of the context: number, owner, scope, CPU or thread, counters. */
void context_add_json(const struct netlink_message *message, struct json_object *object);

/* An array of the names of PMC_STATE_* */
struct json_object *json_states(uint32_t state);

#endif /* PMCCTL_CONTEXT_TEXT_H */
