// SPDX-License-Identifier: GPL-2.0-only
/* Options that choose what a session counts: lists of CPUs, processes and threads */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "util/error.h"
#include "util/output.h"
#include "util/session.h"
#include "util/xalloc.h"

/* More CPUs than a kernel of Debian supports */
#define TARGETS_MAX	8192

static int set_scope(struct session *session, enum pmc_scope scope)
{
	if (session->scope != PMC_SCOPE_TREE && (session->scope != scope || session->num_targets))
		return report_usage_error("-i, -p, -t, -C and -a exclude each other");
	session->scope = scope;
	return 0;
}

/* Add a target, unless it is in the list already. Return: 0, or EXIT_TROUBLE after a message. */
static int add_target(struct session *session, const char *option, int number)
{
	size_t i;

	for (i = 0; i < session->num_targets; i++)
		if (session->target[i] == number)
			return 0;
	if (session->num_targets == TARGETS_MAX)
		return report_usage_error("%s: more than %d numbers", option, TARGETS_MAX);
	session->target = xgrow(session->target, i, sizeof(*session->target));
	session->target[session->num_targets++] = number;
	return 0;
}

/* Add a number or, with @ranges, FIRST-LAST. */
static int add_element(struct session *session, const char *option, char *text, bool ranges,
		       uint64_t min)
{
	char *dash = ranges && text[0] ? strchr(text + 1, '-') : NULL;
	uint64_t first, last;
	int result;

	if (dash)
		*dash = '\0';
	result = read_number(option, text, min, INT_MAX, &first);
	last = first;
	if (!result && dash)
		result = read_number(option, dash + 1, min, INT_MAX, &last);
	if (!result && last < first)
		result = report_usage_error("%s: the range %s-%s ends before it begins", option,
					    text, dash + 1);
	for (; !result && first <= last; first++)
		result = add_target(session, option, first);
	return result;
}

static int set_targets(struct session *session, enum pmc_scope scope, const char *option,
		       const char *text, uint64_t min)
{
	char *copy = xstrdup(text), *rest = copy, *element;
	int result = 0;

	while (!result && (element = strsep(&rest, ",")))
		result = add_element(session, option, element, scope == PMC_SCOPE_CPU, min);
	free(copy);
	return result ? result : set_scope(session, scope);
}

int session_set_core_type(struct session *session, const char *text)
{
	if (!pmc_core_type_parse(text, &session->core_type))
		return 0;
	return report_usage_error("--cputype: %s", pmc_error());
}

int session_set_option(struct session *session, int option, const char *text)
{
	switch (option) {
	case 'C':
		return set_targets(session, PMC_SCOPE_CPU, "-C, --cpu", text, 0);
	case 'a':
		return set_scope(session, PMC_SCOPE_ALL_CPUS);
	case 'i':
		return set_scope(session, PMC_SCOPE_THREAD);
	case 'p':
		return set_targets(session, PMC_SCOPE_PROCESS, "-p, --pid", text, 1);
	case 't':
		return set_targets(session, PMC_SCOPE_THREAD, "-t, --tid", text, 1);
	case 'k':
		return session_set_core_type(session, text);
	default:
		return -1;
	}
}

int session_check_cpus(const struct session *session)
{
	struct pmc_info *info;
	size_t i;

	for (i = 0; session->scope == PMC_SCOPE_CPU && i < session->num_targets; i++) {
		info = pmc_device_get_info(session->device, session->target[i]);
		if (!info)
			return report_error("-C, --cpu: %s", pmc_error());
		pmc_info_free(info);
	}
	return 0;
}

char *session_targets_text(const struct session *session)
{
	size_t size = session->num_targets * sizeof("2147483647,") + 1, i;
	char *text = xcalloc(size, 1);

	for (i = 0; i < session->num_targets; i++)
		text_append(text, size, "%s%d", i ? "," : "", session->target[i]);
	return text;
}
