/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Core types */
#ifndef PMC_LIB_CORE_TYPE_H
#define PMC_LIB_CORE_TYPE_H

#include <stdbool.h>
#include <stdint.h>

/* CPUID.1AH:EAX[31:24] (SDM Volume 2A, CPUID) */
#define PMC_CORE_TYPE_ATOM	0x20000000U
#define PMC_CORE_TYPE_CORE	0x40000000U

struct pmc_info;
struct pmc_processor;
struct pmc_token;

/* Look up a name, also perf's. Return: whether it is a core type. */
bool pmc_core_type_find(const struct pmc_token *token, uint32_t *core_type);

/* Refuse an event with event selects that differ between core types. Return: -1. */
int pmc_core_type_fail_ambiguous(const char *event);

/*
 * The counters for a context that is not for one CPU: those of a CPU of @core_type; with 0,
 * those that all core types have. Return: release with pmc_info_free(); or NULL.
 */
struct pmc_info *pmc_info_get_common(int fd, uint32_t core_type);

/*
 * Fail because another core type than processor->core_type has the event.
 * @other: that core type. Return: -1.
 */
int pmc_core_type_fail_other(const struct pmc_processor *processor, const char *event,
			     uint32_t other);

#endif /* PMC_LIB_CORE_TYPE_H */
