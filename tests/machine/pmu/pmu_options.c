// SPDX-License-Identifier: GPL-2.0-only
/* Parser of PMCDRV_PMU: key=value, separated by commas */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "pmu_int.h"

static int bad(char *error, size_t size, const char *what, const char *word)
{
	char quirks[256];

	pmu_quirks_list(quirks, sizeof(quirks));
	snprintf(error, size, "PMCDRV_PMU: %s: '%s' (known: width=N, "
		 "fixed_width=N, version=N, late=N, holes=MASK, faulting=MASK, deaf, hybrid, hybrid=N, acr, acr=MASK, new_addresses, none, xeon_l3, perfmon_v2, dump=FILE, trace=FILE, silicon%s)",
		 what, word, quirks);
	return -1;
}

static int number(const char *text, unsigned int low, unsigned int high,
		  unsigned int *out)
{
	char *end;
	unsigned long n;

	if (!text || *text < '0' || *text > '9')
		return -1;
	n = strtoul(text, &end, 10);
	if (*end || n < low || n > high)
		return -1;
	*out = n;
	return 0;
}

/* Hexadecimal, with or without 0x. */
static int mask(const char *text, uint64_t most, uint64_t *out)
{
	char *end;
	unsigned long long n;

	if (!text || !isxdigit((unsigned char)*text))
		return -1;
	n = strtoull(text, &end, 16);
	if (*end || !n || n > most)
		return -1;
	*out = n;
	return 0;
}

static int file_name(const char *text, char **out)
{
	if (!text || !*text)
		return -1;
	free(*out);
	*out = strdup(text);
	return *out ? 0 : -1;
}

/* Return: 0, 1 for an unknown key, -1 for a bad value. */
static int one(struct pmu_options *o, const char *key, const char *value)
{
	int r;

	if (pmu_quirks_option(&o->quirks, key, value, &r))
		return r;
	if (!strcmp(key, "none")) {
		o->none = true;
		return value ? -1 : 0;
	}
	if (!strcmp(key, "xeon_l3")) {
		o->xeon_l3 = true;
		return value ? -1 : 0;
	}
	if (!strcmp(key, "deaf")) {
		o->writes_ignored = true;
		return value ? -1 : 0;
	}
	if (!strcmp(key, "hybrid")) {
		o->hybrid = true;
		return value ? number(value, 16, 56, &o->other_width) : 0;
	}
	if (!strcmp(key, "acr")) {
		o->acr = true;
		return value ? mask(value, UINT64_MAX >> 1, &o->acr_causes) : 0;
	}
	if (!strcmp(key, "silicon")) {
		o->silicon = true;
		return value ? -1 : 0;
	}
	if (!strcmp(key, "new_addresses")) {
		o->new_addresses = true;
		return value ? -1 : 0;
	}
	if (!strcmp(key, "perfmon_v2")) {
		o->perfmon_v2 = true;
		return value ? -1 : 0;
	}
	if (!strcmp(key, "width"))
		return number(value, 16, 56, &o->width);
	if (!strcmp(key, "fixed_width"))
		return number(value, 16, 56, &o->fixed_width);
	if (!strcmp(key, "version"))
		return number(value, 1, 6, &o->version);
	if (!strcmp(key, "holes"))
		return mask(value, UINT32_MAX, &o->holes);
	if (!strcmp(key, "faulting"))
		return mask(value, UINT64_MAX, &o->faulting);
	if (!strcmp(key, "late"))
		return number(value, 1, 1000, &o->late);
	if (!strcmp(key, "dump"))
		return file_name(value, &o->dump);
	if (!strcmp(key, "trace"))
		return file_name(value, &o->trace);
	return 1;
}

static int word(struct pmu_options *o, char *text, char *error, size_t size)
{
	char *value = strchr(text, '=');
	int r;

	if (value)
		*value++ = '\0';
	r = one(o, text, value);
	if (value)
		value[-1] = '=';
	if (r > 0)
		return bad(error, size, "unknown key", text);
	if (r < 0)
		return bad(error, size, "bad value", text);
	return 0;
}

int pmu_options_parse(struct pmu_options *o, const char *text, char *error,
		      size_t size)
{
	char *copy, *rest, *w;
	int r = 0;

	memset(o, 0, sizeof(*o));
	if (!text || !*text)
		return 0;
	copy = strdup(text);
	rest = copy;
	while (!r && rest && (w = strsep(&rest, ",")))
		r = word(o, w, error, size);
	free(copy);
	if (r)
		pmu_options_free(o);
	return r;
}

void pmu_options_free(struct pmu_options *o)
{
	free(o->dump);
	free(o->trace);
	memset(o, 0, sizeof(*o));
}
