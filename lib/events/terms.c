// SPDX-License-Identifier: LGPL-2.1-or-later
/* Events in the form of perf: PMU/TERM,.../MODIFIERS */
#include <errno.h>
#include <string.h>

#include "common.h"
#include "core_type.h"
#include "error.h"
#include "event_select.h"
#include "extra_register.h"
#include "modifier.h"
#include "terms.h"

/* ---- the PMU ---- */

static struct pmc_token pmu_of(const char *text)
{
	return (struct pmc_token){ text, strcspn(text, "/") };
}

bool pmc_terms_recognise(const char *text)
{
	struct pmc_token pmu = pmu_of(text);
	uint32_t core_type;

	return text[pmu.len] == '/' &&
	       (pmc_token_equals(&pmu, "cpu") || pmc_core_type_find(&pmu, &core_type));
}

static int fail_other_core_type(const struct pmc_event *event, const struct pmc_token *pmu,
				uint32_t core_type)
{
	const struct pmc_hint hint = {
		.topic = PMC_HINT_CORE_TYPE, .cpu = PMC_CPU_ANY, .core_type = core_type,
	};
	char text[128];

	pmc_hint_text(&hint, text, sizeof(text));
	return pmc_fail(EINVAL,
			"event '%s': '%.*s' is another core type than that of the command; count on it as %s does",
			event->name, (int)pmu->len, pmu->text, text);
}

static int set_pmu(struct pmc_event *event, struct pmc_processor *processor)
{
	struct pmc_token pmu = pmu_of(event->name);
	uint32_t core_type;

	if (!pmc_core_type_find(&pmu, &core_type))
		return 0;
	if (!processor->is_hybrid)
		return pmc_fail(ENODEV, "event '%s': this processor has one core type; write cpu/.../",
				event->name);
	if (processor->core_type && processor->core_type != core_type)
		return fail_other_core_type(event, &pmu, core_type);
	processor->core_type = core_type;
	event->core_type = core_type;
	return 0;
}

/* ---- terms ---- */

/* Terms of perf that the driver, or the form of a context, does not have */
static const struct {
	const char *term;
	const char *reason;
} unsupported[] = {
#define EXTRA_REGISTER_SET	"sets an extra register, which the driver does not set"
	{ "config2", EXTRA_REGISTER_SET },
	{ "config3", EXTRA_REGISTER_SET },
	{ "snoop_rsp", EXTRA_REGISTER_SET },
#undef EXTRA_REGISTER_SET
	{ "ldlat", LOAD_LATENCY_REASON },
	{ "in_tx", "counts in transactions, which the driver does not do" },
	{ "in_tx_cp", "counts in transactions, which the driver does not do" },
	{ "pc", "toggles a pin of the processor, which the driver does not do" },
#define RECORD	"is an option of perf's sampling, not of an event: omit it"
	{ "freq", RECORD },
	{ "time", RECORD },
	{ "call-graph", RECORD },
	{ "stack-size", RECORD },
	{ "max-stack", RECORD },
	{ "nr", RECORD },
	{ "branch_type", RECORD },
	{ "inherit", RECORD },
	{ "no-inherit", RECORD },
	{ "overwrite", RECORD },
	{ "no-overwrite", RECORD },
	{ "aux-output", RECORD },
	{ "aux-sample-size", RECORD },
#undef RECORD
	{ "percore", "adds up the threads of a core; :t counts both threads" },
};

/* KEY or KEY=VALUE; value.text is NULL without '=' */
struct term {
	struct pmc_token whole;
	struct pmc_token key;
	struct pmc_token value;
};

static struct term split_term(const struct pmc_token *token)
{
	const char *equals = memchr(token->text, '=', token->len);
	struct term term = { .whole = *token, .key = *token };

	if (equals) {
		term.key.len = equals - token->text;
		term.value.text = equals + 1;
		term.value.len = token->len - term.key.len - 1;
	}
	return term;
}

static int fail_unknown(const struct pmc_event *event, const struct term *term)
{
	char terms[128];

	pmc_field_list(event->layout, terms, sizeof(terms));
	return pmc_fail(EINVAL,
			"event '%s': unknown term '%.*s'; there are %s, and config=, period= and name=",
			event->name, (int)term->whole.len, term->whole.text, terms);
}

static int check_supported(const struct pmc_event *event, const struct term *term)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(unsupported); i++)
		if (pmc_token_equals(&term->key, unsupported[i].term))
			return pmc_fail(EOPNOTSUPP, "event '%s': the term '%.*s' %s", event->name,
					(int)term->whole.len, term->whole.text,
					unsupported[i].reason);
	return 0;
}

static int set_label(struct pmc_event *event, const struct pmc_token *label)
{
	if (!label->len)
		return pmc_fail(EINVAL, "event '%s': name= needs a name for the output",
				event->name);
	memcpy(event->label, label->text, label->len);
	event->label[label->len] = '\0';
	return 0;
}

static int set_config(struct pmc_event *event, const struct term *term)
{
	uint64_t value;

	if (!pmc_token_parse_number(&term->value, UINT64_MAX, &value))
		return pmc_fail(EINVAL,
				"event '%s': '%.*s': the value must be a number, such as config=0x4c4",
				event->name, (int)term->whole.len, term->whole.text);
	event->select |= value;
	return 0;
}

/* The value of the extra register */
static int set_register(struct pmc_event *event, const struct term *term)
{
	const char *name = pmc_token_equals(&term->key, "config1") ? "config1" :
			   pmc_token_equals(&term->key, "frontend") ? "frontend" : "offcore_rsp";

	if (!pmc_token_parse_number(&term->value, UINT64_MAX, &event->event_extra) ||
	    !event->event_extra)
		return pmc_fail(EINVAL,
				"event '%s': '%.*s': the value must be a number from 1 on, such as %s=0x10001",
				event->name, (int)term->whole.len, term->whole.text, name);
	event->register_term = name;
	return 0;
}

/* Only counting conditions can be added to a name. */
static int add_to_name(struct pmc_event *event, const struct pmc_field *field, uint64_t value)
{
	if (!strcmp(field->term, "umask") || !strcmp(field->term, "escr"))
		return pmc_fail(EINVAL, "event '%s': the name has its own %s: omit %s=",
				event->name, field->name, field->term);
	event->cmask_given |= !strcmp(field->term, "cmask");
	event->extra &= ~pmc_field_mask(field);
	event->extra |= pmc_field_encode(field, value);
	return 0;
}

static int set_field(struct pmc_event *event, const struct term *term,
		     const struct pmc_field *field, bool named)
{
	uint64_t value = 1, max = pmc_field_max(field);

	if (!term->value.text && field->bits > 1)
		return pmc_fail(EINVAL, "event '%s': '%.*s' needs a value, such as %s=0x1",
				event->name, (int)term->whole.len, term->whole.text, field->term);
	if (term->value.text && !pmc_token_parse_number(&term->value, max, &value))
		return pmc_fail(EINVAL,
				"event '%s': '%.*s': the value must be a number from 0 to %llu",
				event->name, (int)term->whole.len, term->whole.text,
				(unsigned long long)max);
	if (named)
		return add_to_name(event, field, value);
	event->select &= ~pmc_field_mask(field);
	event->select |= pmc_field_encode(field, value);
	return 0;
}

/* Whether the term can be the name of an event */
static bool is_name(const struct pmc_event *event, const struct term *term)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(unsupported); i++)
		if (pmc_token_equals(&term->key, unsupported[i].term))
			return false;
	if (pmc_register_is_term(&term->key))
		return false;
	return term->key.len && !term->value.text && !pmc_field_find(event->layout, &term->key) &&
	       !pmc_token_equals(&term->key, "config") &&
	       !pmc_token_equals(&term->key, "period") && !pmc_token_equals(&term->key, "name");
}

/* @named: whether a term is a name */
static int apply_term(struct pmc_event *event, const struct term *term, bool named)
{
	const struct pmc_field *field = pmc_field_find(event->layout, &term->key);

	if (pmc_token_equals(&term->key, "name"))
		return set_label(event, &term->value);
	if (pmc_token_equals(&term->key, "period"))
		return pmc_modifier_set_period(event, &term->value);
	if (pmc_token_equals(&term->key, "config"))
		return set_config(event, term);
	if (field)
		return set_field(event, term, field, named);
	if (pmc_register_is_term(&term->key))
		return set_register(event, term);
	if (check_supported(event, term))
		return -1;
	return fail_unknown(event, term);
}

/* The next of the terms from *@text to @end. Return: false after the last. */
static bool next_term(const char **text, const char *end, struct term *term)
{
	const struct pmc_token token = {
		*text, *text > end ? 0 : strcspn(*text, ",/"),
	};

	if (*text > end)
		return false;
	*term = split_term(&token);
	*text += token.len + 1;
	return true;
}

/* Whether a term has the event number; then no term is a name */
static bool has_number(const char *text, const char *end)
{
	struct term term;

	while (next_term(&text, end, &term))
		if (pmc_token_equals(&term.key, "event") || pmc_token_equals(&term.key, "config"))
			return true;
	return false;
}

static int find_name(const struct pmc_event *event, const char *text, const char *end,
		     struct pmc_token *name)
{
	struct term term;

	if (has_number(text, end))
		return 0;
	while (next_term(&text, end, &term)) {
		if (!is_name(event, &term))
			continue;
		if (name->len)
			return pmc_fail(EINVAL, "event '%s': two names, '%.*s' and '%.*s'",
					event->name, (int)name->len, name->text,
					(int)term.key.len, term.key.text);
		*name = term.key;
	}
	return 0;
}

int pmc_terms_parse(struct pmc_event *event, struct pmc_processor *processor,
		    struct pmc_cpu_terms *terms)
{
	const char *first = strchr(event->name, '/') + 1;
	const char *slash = strchr(first, '/');
	struct term term;

	*terms = (struct pmc_cpu_terms){ .name.len = 0 };
	if (!slash)
		return pmc_fail(EINVAL,
				"event '%s': the second slash is missing; write it as cpu/event=0xc0,umask=0x0/",
				event->name);
	terms->modifiers = slash + 1;
	if (set_pmu(event, processor) || find_name(event, first, slash, &terms->name))
		return -1;
	while (next_term(&first, slash, &term))
		if ((!terms->name.len || term.whole.text != terms->name.text) &&
		    apply_term(event, &term, terms->name.len))
			return -1;
	return 0;
}
