// SPDX-License-Identifier: LGPL-2.1-or-later
/* Modifiers of an event */
#include <errno.h>
#include <string.h>

#include "error.h"
#include "modifier.h"
#include "netburst.h"

static const struct modifier {
	char letter;
	uint32_t modes;
	uint64_t core_bit;
	uint64_t p5_bit;
	uint64_t netburst_bits;
} modifiers[] = {
	{ .letter = 'u', .modes = PMC_COUNT_USER },
	{ .letter = 'k', .modes = PMC_COUNT_KERNEL },
	{ .letter = 'e', .core_bit = SELECT_EDGE,
	  .netburst_bits = NETBURST_COMPARE | NETBURST_EDGE },
	{ .letter = 'i', .core_bit = SELECT_INVERT,
	  .netburst_bits = NETBURST_COMPARE | NETBURST_COMPLEMENT },
	{ .letter = 't', .core_bit = SELECT_ANY },
	{ .letter = 'd', .p5_bit = SELECT_P5_CLOCKS },
};

const char *pmc_modifiers(enum pmc_layout layout)
{
	switch (layout) {
	case PMC_LAYOUT_P5:
		return ":u :k :d :n :p=N :g :g=N";
	case PMC_LAYOUT_CORE:
		return ":u :k :e :i :t :c=N :p=N :f :f=N :g :g=N";
	default:
		return ":u :k :e :i :c=N :p=N :g :g=N";
	}
}

static int fail_layout(const struct pmc_event *event, char letter)
{
	static const char pentium[] = "; it is for the Pentium";
	static const char edges[] = "; it is for the Pentium; :e counts how often the event begins";

	return pmc_fail(EINVAL, "event '%s': this processor's counters do not support :%c%s",
			event->name, letter,
			letter == 'd' ? pentium : letter == 'n' ? edges : "");
}

static uint64_t bits_in(enum pmc_layout layout, const struct modifier *modifier)
{
	switch (layout) {
	case PMC_LAYOUT_P5:
		return modifier->p5_bit;
	case PMC_LAYOUT_NETBURST:
		return modifier->netburst_bits;
	case PMC_LAYOUT_CORE:
		return modifier->core_bit;
	default:
		return modifier->core_bit & ~SELECT_ANY;
	}
}

static int apply_letter(struct pmc_event *event, const struct modifier *modifier)
{
	uint64_t bits = bits_in(event->layout, modifier);

	if (!bits && !modifier->modes)
		return fail_layout(event, modifier->letter);
	event->modes |= modifier->modes;
	event->extra |= bits;
	return 0;
}

static int set_occurrences(struct pmc_event *event)
{
	if (event->layout != PMC_LAYOUT_P5)
		return fail_layout(event, 'n');
	event->occurrences = true;
	return 0;
}

/* @number: NULL for :f and :g alone */
static int set_placement(struct pmc_event *event, bool fixed, const struct pmc_token *number)
{
	uint64_t value;

	if (event->placement != PLACEMENT_ANY)
		return pmc_fail(EINVAL,
				"event '%s': one counter or type of counter at a time: omit all but one of :f and :g",
				event->name);
	if (!number) {
		event->placement = fixed ? PLACEMENT_FIXED : PLACEMENT_GENERAL;
		return 0;
	}
	if (!pmc_token_parse_number(number, 63, &value))
		return pmc_fail(EINVAL, "event '%s': a counter's number must be from 0 to 63",
				event->name);
	event->placement = PLACEMENT_COUNTER;
	event->counter = fixed ? PMC_COUNTER_FIXED(value) : PMC_COUNTER_GENERAL(value);
	return 0;
}

/* NetBurst compares with a threshold: more than N - 1 */
static int set_threshold(struct pmc_event *event, const struct pmc_token *number)
{
	uint64_t value;

	if (!pmc_token_parse_number(number, 16, &value) || !value)
		return pmc_fail(EINVAL, "event '%s': the counter mask must be from 1 to 16",
				event->name);
	event->extra &= ~NETBURST_THRESHOLD;
	event->extra |= NETBURST_COMPARE | (value - 1) << NETBURST_THRESHOLD_SHIFT;
	return 0;
}

static int set_cmask(struct pmc_event *event, const struct pmc_token *number)
{
	uint64_t value;

	event->cmask_given = true;
	if (event->layout == PMC_LAYOUT_NETBURST)
		return set_threshold(event, number);

	if (!pmc_token_parse_number(number, 255, &value))
		return pmc_fail(EINVAL, "event '%s': the counter mask must be from 0 to 255",
				event->name);
	if (event->layout == PMC_LAYOUT_P5)
		return fail_layout(event, 'c');
	event->extra &= ~(255ULL << SELECT_CMASK_SHIFT);
	event->extra |= value << SELECT_CMASK_SHIFT;
	return 0;
}

int pmc_modifier_set_period(struct pmc_event *event, const struct pmc_token *number)
{
	if (pmc_token_parse_number(number, UINT64_MAX, &event->period) && event->period)
		return 0;
	event->period = 0;
	return pmc_fail(EINVAL, "event '%s': the period must be a number from 1 on", event->name);
}

/* LETTER=NUMBER. Return: as pmc_modifier_apply(). */
static int apply_valued(struct pmc_event *event, char letter, const struct pmc_token *number)
{
	switch (letter) {
	case 'c':
		return set_cmask(event, number);
	case 'p':
		return pmc_modifier_set_period(event, number);
	case 'f':
	case 'g':
		return set_placement(event, letter == 'f', number);
	}
	return 1;
}

static bool consists_of(const struct pmc_token *token, const char *letters)
{
	size_t i;

	for (i = 0; i < token->len && strchr(letters, token->text[i]); i++)
		;
	return token->len && i == token->len;
}

static void set_modes(struct pmc_event *event, const struct pmc_token *token)
{
	if (memchr(token->text, 'u', token->len))
		event->modes |= PMC_COUNT_USER;
	if (memchr(token->text, 'k', token->len))
		event->modes |= PMC_COUNT_KERNEL;
}

static int fail_precise(const struct pmc_event *event, const struct pmc_token *token)
{
	return pmc_fail(EOPNOTSUPP,
			"event '%s': '%.*s' requests precise sampling (PEBS, IBS), which the driver does not support; omit the p",
			event->name, (int)token->len, token->text);
}

int pmc_modifier_apply_perf(struct pmc_event *event, const struct pmc_token *token)
{
	if (consists_of(token, "ukp") && memchr(token->text, 'p', token->len))
		return fail_precise(event, token);
	if (!consists_of(token, "uk"))
		return 1;
	set_modes(event, token);
	return 0;
}

int pmc_modifier_apply(struct pmc_event *event, const struct pmc_token *token)
{
	struct pmc_token number = { token->text + 2, token->len - 2 };
	int result;
	size_t i;

	if (token->len >= 2 && token->text[1] == '=')
		return apply_valued(event, token->text[0], &number);
	result = pmc_modifier_apply_perf(event, token);
	if (result <= 0)
		return result;
	if (pmc_token_equals(token, "f") || pmc_token_equals(token, "g"))
		return set_placement(event, token->text[0] == 'f', NULL);
	if (pmc_token_equals(token, "n"))
		return set_occurrences(event);
	for (i = 0; i < ARRAY_SIZE(modifiers) && token->len == 1; i++)
		if (token->text[0] == modifiers[i].letter)
			return apply_letter(event, &modifiers[i]);
	return 1;
}

/* ---- together ---- */

static const struct field {
	uint64_t counter_mask;
	unsigned int shift;
	unsigned int one;
	uint64_t invert;
} core_field = {
	.counter_mask = 255ULL << SELECT_CMASK_SHIFT,
	.shift = SELECT_CMASK_SHIFT,
	.invert = SELECT_INVERT,
}, netburst_field = {
	.counter_mask = NETBURST_THRESHOLD,
	.shift = NETBURST_THRESHOLD_SHIFT,
	.one = 1,
	.invert = NETBURST_COMPLEMENT,
};

static int fail_unit_mask_cmask(const struct pmc_event *event, const struct field *field)
{
	unsigned long long own = (event->select & field->counter_mask) >> field->shift;

	return pmc_fail(EINVAL, "event '%s': it contains the counter mask %llu: omit :c",
			event->name, own + field->one);
}

/* On the Pentium: clocks and occurrences exclude each other. */
static int check_clocks(const struct pmc_event *event)
{
	if (!event->occurrences)
		return 0;
	if (event->extra & SELECT_P5_CLOCKS)
		return pmc_fail(EINVAL,
				"event '%s': :d counts clocks, and :n occurrences: omit one of them",
				event->name);
	if (event->select & SELECT_P5_CLOCKS)
		return pmc_fail(EINVAL,
				"event '%s': its code counts clocks (bit 8), and :n occurrences: clear the bit, or omit :n",
				event->name);
	return 0;
}

int pmc_modifiers_check(const struct pmc_event *event)
{
	bool netburst = event->layout == PMC_LAYOUT_NETBURST;
	const struct field *field = netburst ? &netburst_field : &core_field;
	uint64_t own = event->select & field->counter_mask;
	uint64_t given = event->extra & field->counter_mask;

	if (event->layout == PMC_LAYOUT_P5)
		return check_clocks(event);
	if (event->cmask_given && own && own != given)
		return fail_unit_mask_cmask(event, field);
	if (!(event->extra & field->invert))
		return 0;
	if (event->select & field->invert)
		return pmc_fail(EINVAL, "event '%s': it is already inverted: omit :i",
				event->name);
	/* without a threshold NetBurst compares with 0 */
	if (own || given || netburst)
		return 0;
	return pmc_fail(EINVAL,
			"event '%s': :i inverts a counter mask, and there is none: :i:c=1 counts the cycles in which the event does not occur",
			event->name);
}

/* ---- unknown modifiers ---- */

/* Modifiers of perf that this library does not have */
static const struct {
	char letter;
	const char *advice;
} perf_letters[] = {
#define PERFS(letter) ", where " letter " is perf's "
	{ 'P', PERFS("P") "precise sampling, which the driver does not support: omit the P" },
	{ 'h', PERFS("h") "hypervisor mode, which x86 counters do not have: omit the h" },
	{ 'G', PERFS("G") "counting in guests: on AMD, use the term guest" },
	{ 'H', PERFS("H") "counting in the host: on AMD, use the term host" },
	{ 'S', PERFS("S") "counts with each sample: samples always have them, omit the S" },
	{ 'D', PERFS("D") "pinned event: every event always has its counter, omit the D" },
	{ 'W', PERFS("W") "weak group: all events are counted together, omit the W" },
	{ 'I', PERFS("I") "exclusion of the idle task, which is not supported" },
	{ 'b', PERFS("b") "counting of BPF programs, which is not supported" },
	{ 'e', PERFS("e") "exclusive group; :e alone counts edges" },
#undef PERFS
};

bool pmc_modifier_is_known(const struct pmc_token *token)
{
	return consists_of(token, "ukpeitn") || (token->len > 2 && token->text[1] == '=');
}

const char *pmc_modifier_advice(const struct pmc_token *token)
{
	size_t i;

	if (!consists_of(token, "ukhpPGHSDIWeb"))
		return "";
	for (i = 0; i < ARRAY_SIZE(perf_letters); i++)
		if (memchr(token->text, perf_letters[i].letter, token->len))
			return perf_letters[i].advice;
	return "";
}
