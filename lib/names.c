// SPDX-License-Identifier: LGPL-2.1-or-later
/* Names and texts of the ABI's constants, holders and counters */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common.h"
#include "libpmcdrv.h"

struct enum_name {
	uint32_t value;
	const char *name;
	const char *text;
};

#define X(name, value, text) { value, #name, text },
static const struct enum_name statuses[] = { PMC_STATUSES(X) };
static const struct enum_name families[] = { PMC_FAMILIES(X) };
static const struct enum_name holders[] = { PMC_HOLDERS(X) };
static const struct enum_name features[] = { PMC_FEATURES(X) };
#undef X

static const struct enum_name quirks[] = {
#define X(name, value, erratum, text) { value, erratum, text },
	PMC_QUIRKS(X)
#undef X
};

static const struct enum_name *find(const struct enum_name *names, size_t num, uint32_t value)
{
	for (; num; num--, names++)
		if (names->value == value)
			return names;
	return NULL;
}

static const char *name_of(const struct enum_name *names, size_t num, uint32_t value)
{
	const struct enum_name *enum_name = find(names, num, value);

	return enum_name ? enum_name->name : NULL;
}

static const char *text_of(const struct enum_name *names, size_t num, uint32_t value)
{
	const struct enum_name *enum_name = find(names, num, value);

	return enum_name ? enum_name->text : NULL;
}

static const struct enum_name perf_metrics[] = {
#define X(id, number, name, text) { number, name, text },
	PMC_METRICS_FIELDS(X)
#undef X
};

/* pmc_ENTRY_name() and pmc_ENTRY_text(), from a table */
#define NAME_AND_TEXT(entry, parameter, table) \
PMC_API const char *pmc_##entry##_name(uint32_t parameter) \
{ \
	return name_of(table, ARRAY_SIZE(table), parameter); \
} \
PMC_API const char *pmc_##entry##_text(uint32_t parameter) \
{ \
	return text_of(table, ARRAY_SIZE(table), parameter); \
}

NAME_AND_TEXT(status, status, statuses)
NAME_AND_TEXT(family, family, families)
NAME_AND_TEXT(feature, bit, features)
NAME_AND_TEXT(quirk, bit, quirks)
NAME_AND_TEXT(perf_metrics, field, perf_metrics)

PMC_API const char *pmc_holder_name(uint32_t kind)
{
	return name_of(holders, ARRAY_SIZE(holders), kind);
}

long pmc_setting(const char *path)
{
	char text[16] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	return length > 0 && *text == 'Y' ? 1 : strtol(text, NULL, 10);
}

/* A driver that reports no scope: thread and CPU only */
static void unknown_target_text(const struct pmc_holder *holder, char *text, size_t size)
{
	if (holder->tid)
		snprintf(text, size, "thread, process or tree %d", holder->tid);
	else if (holder->cpu >= 0)
		snprintf(text, size, "CPU %d", holder->cpu);
	else
		snprintf(text, size, "CPUs");
}

static void target_text(const struct pmc_holder *holder, char *text, size_t size)
{
	bool follows = holder->scope >= PMC_SCOPE_THREAD && holder->scope <= PMC_SCOPE_TREE;

	if (holder->scope == PMC_SCOPE_CPU)
		snprintf(text, size, "CPU %d", holder->cpu);
	else if (holder->scope == PMC_SCOPE_ALL_CPUS)
		snprintf(text, size, "all CPUs");
	else if (follows && !holder->tid)
		snprintf(text, size, "a process of another pid namespace");
	else if (follows)
		snprintf(text, size, "%s %d%s",
			 holder->scope == PMC_SCOPE_THREAD ? "thread" : "process", holder->tid,
			 holder->scope == PMC_SCOPE_TREE ? " and its descendants" : "");
	else
		unknown_target_text(holder, text, size);
}

static void context_text(const struct pmc_holder *holder, char *text, size_t size)
{
	char process[64] = "a process of another pid namespace", target[48];

	if (holder->pid)
		snprintf(process, sizeof(process), "process %d (%.*s)", holder->pid,
			 PMC_COMM_LEN - 1, holder->comm);
	target_text(holder, target, sizeof(target));
	snprintf(text, size, "%s, which counts %s with pmcdrv", process, target);
}

PMC_API void pmc_holder_text(const struct pmc_holder *holder, char *text, size_t size)
{
	const char *names = text_of(holders, ARRAY_SIZE(holders), holder->kind);

	if (holder->kind == PMC_HOLDER_CONTEXT)
		context_text(holder, text, size);
	else if (holder->kind == PMC_HOLDER_KERNEL && pmc_setting("/proc/sys/kernel/nmi_watchdog"))
		snprintf(text, size,
			 "the kernel's NMI watchdog (free it with: sysctl kernel.nmi_watchdog=0)");
	else if (holder->kind == PMC_HOLDER_KERNEL)
		snprintf(text, size,
			 "a user of the kernel's perf (the NMI watchdog is off; end perf and what uses it)");
	else
		snprintf(text, size, "%s", names ? names : "a holder unknown to this library");
}

PMC_API void pmc_counter_name(uint32_t counter, char *name, size_t size)
{
	bool fixed = counter & PMC_COUNTER_FIXED_FLAG;

	if (counter == PMC_COUNTER_METRICS)
		snprintf(name, size, "metrics");
	else
		snprintf(name, size, "%s%u", fixed ? "fixed" : "general",
			 (unsigned int)(counter & ~PMC_COUNTER_FIXED_FLAG));
}
