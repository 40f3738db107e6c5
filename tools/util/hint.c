// SPDX-License-Identifier: GPL-2.0-only
/* References to pmcctl's subcommands in the library's messages */
#include <stdio.h>

#include <libpmcevents.h>

#include "util/hint.h"

/* "--cputype=core " or "" */
static void core_type_option(uint32_t core_type, char *text, size_t size)
{
	const char *name = core_type ? pmc_core_type_name(core_type) : NULL;

	snprintf(text, size, "%s%s%s", name ? "--cputype=" : "", name ? name : "", name ? " " : "");
}

static void perf_metrics(const struct pmc_hint *hint, char *text, size_t size)
{
	const char *modifiers = hint->text ? hint->text : "";
	char option[32], scope[16] = "-i";

	core_type_option(hint->core_type, option, sizeof(option));
	if (hint->cpu >= 0)
		snprintf(scope, sizeof(scope), "-C %d", hint->cpu);
	snprintf(text, size, "'pmcctl stat %s%s -e slots%s,metrics%s COMMAND'", option, scope,
		 modifiers, modifiers);
}

static void core_type(const struct pmc_hint *hint, char *text, size_t size)
{
	const char *name = hint->core_type ? pmc_core_type_name(hint->core_type) : NULL;

	snprintf(text, size, "'pmcctl stat --cputype%s%s'", name ? "=" : "", name ? name : "");
}

static void cpu(const struct pmc_hint *hint, char *text, size_t size)
{
	if (hint->cpu >= 0)
		snprintf(text, size, "'pmcctl info -C %d'", hint->cpu);
	else
		snprintf(text, size, "'pmcctl info'");
}

void hint_write(const struct pmc_hint *hint, char *text, size_t size)
{
	switch (hint->topic) {
	case PMC_HINT_EVENTS:
		snprintf(text, size, "'pmcctl list%s%s'", hint->text ? " " : "",
			 hint->text ? hint->text : "");
		break;
	case PMC_HINT_UNIT_MASKS:
		snprintf(text, size, "'pmcctl list -l'");
		break;
	case PMC_HINT_CPU:
		cpu(hint, text, size);
		break;
	case PMC_HINT_HOLDERS:
		snprintf(text, size, "'pmcctl who'");
		break;
	case PMC_HINT_CORE_TYPE:
		core_type(hint, text, size);
		break;
	case PMC_HINT_PERF_METRICS:
		perf_metrics(hint, text, size);
		break;
	}
}
