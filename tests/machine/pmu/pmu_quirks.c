// SPDX-License-Identifier: GPL-2.0-only
/*
 * Quirks of processors and virtual machines: their options in PMCDRV_PMU, and which processor has
 * which. README.md, "Quirks", describes each and names its sources. This file also has storms,
 * SMIs, cleared registers and migration; the others are in pmu_arch_quirks.c and in the files that
 * count.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pmu_int.h"

/** struct quirk - an option
 * @name: its key
 * @at: the field of struct pmu_quirks: a bool, or an unsigned int if @most is not 0
 * @least: smallest value
 * @most: largest value; 0: the option has no value
 * @arch: it requires architectural performance monitoring
 * @version: it requires this version of it, if not 0; on AMD PerfMonV2
 * @general: it requires this number of general counters
 * @threads: it requires two logical processors to a core
 * @amd: it requires an AMD processor
 * @netburst: it requires a NetBurst processor
 * @modern: it requires architectural performance monitoring or AMD's counters
 * @mask: the field of struct pmu_quirks for a hexadecimal mask behind the number and a colon;
 *	0: there is none
 */
struct quirk {
	const char *name;
	size_t at;
	unsigned int least, most;
	bool arch;
	unsigned int version;
	unsigned int general;
	bool threads;
	bool amd;
	bool netburst;
	bool modern;
	size_t mask;
};

#define QUIRK(field, ...) \
	{ .name = #field, .at = offsetof(struct pmu_quirks, field), __VA_ARGS__ }
#define ARCH(n)		.arch = true, .general = (n)
#define NUMBER(low, high) .least = (low), .most = (high)
#define MASK(field)	.mask = offsetof(struct pmu_quirks, field)

static const struct quirk quirks[] = {
	QUIRK(tfa, ARCH(4)),
	QUIRK(aak100, ARCH(4)),
	QUIRK(hsd29, ARCH(4), .threads = true),
	QUIRK(minleft, ARCH(1), NUMBER(2, 100000)),
	QUIRK(nomask),
	QUIRK(mask),
	QUIRK(bdw47, ARCH(5)),
	QUIRK(storm, NUMBER(1, 1000000)),
	QUIRK(fix0, ARCH(1), .version = 2),
	QUIRK(status, .modern = true, .version = 2),
	QUIRK(late_ack, ARCH(1), .version = 2),
	QUIRK(iret),
	QUIRK(mediated, .modern = true, NUMBER(1000, 1000000000)),
	QUIRK(nordpmc),
	QUIRK(any0),
	QUIRK(migrate, .modern = true, NUMBER(1, 1000000000), MASK(migrate_counters)),
	QUIRK(smi, NUMBER(1, 1000000)),
	QUIRK(zen1, .amd = true),
	QUIRK(zero, ARCH(1), .version = 2),
	QUIRK(n15, .netburst = true),
};

/** struct silicon - a model of Intel's and its quirks
 * @family: display family
 * @model: display model
 * @quirks: those that it has
 * @threads: those that it has with Hyper-Threading
 */
struct silicon {
	unsigned int family, model;
	struct pmu_quirks quirks;
	struct pmu_quirks threads;
};

/* README.md, "Quirks", names the sources, and what the option silicon leaves out. */
static const struct silicon silicon[] = {
	{ 6, 0x03, { .nomask = true }, { 0 } },
	{ 6, 0x05, { .nomask = true }, { 0 } },
	{ 6, 0x07, { .nomask = true }, { 0 } },
	{ 6, 0x1e, { .aak100 = true, .minleft = 32 }, { 0 } },
	{ 6, 0x25, { .aak100 = true }, { 0 } },
	{ 6, 0x2a, { 0 }, { .hsd29 = true } },
	{ 6, 0x3a, { 0 }, { .hsd29 = true } },
	{ 6, 0x3c, { .minleft = 32, .late_ack = true }, { .hsd29 = true } },
	{ 6, 0x3d, { .late_ack = true }, { 0 } },
	{ 6, 0x55, { .tfa = true, .late_ack = true }, { 0 } },
	{ 6, 0x7e, { .late_ack = true }, { 0 } },
	{ 6, 0x8c, { .late_ack = true }, { 0 } },
	{ 6, 0x8f, { .late_ack = true }, { 0 } },
};

/* Return: whether q has this quirk. */
static bool is_on(const struct pmu_quirks *q, const struct quirk *k)
{
	const char *field = (const char *)q + k->at;

	return k->most ? *(const unsigned int *)field : *(const bool *)field;
}

static int set_mask(const struct quirk *k, struct pmu_quirks *q, const char *value)
{
	uint64_t *field = (uint64_t *)((char *)q + k->mask);
	char *end;

	if (*value++ != ':' || !isxdigit((unsigned char)*value))
		return -1;
	errno = 0;
	*field = strtoull(value, &end, 16);
	return *end || !*field || errno ? -1 : 0;
}

static int set_number(const struct quirk *k, struct pmu_quirks *q, const char *value)
{
	unsigned int *field = (unsigned int *)((char *)q + k->at);
	unsigned long n;
	char *end;

	if (!value || *value < '0' || *value > '9')
		return -1;
	n = strtoul(value, &end, 10);
	if (n < k->least || n > k->most)
		return -1;
	*field = n;
	if (k->mask)
		return set_mask(k, q, end);
	return *end ? -1 : 0;
}

/* Parse one option. Return: whether it is a quirk; *result is 0, or -1 for a bad value. */
bool pmu_quirks_option(struct pmu_quirks *q, const char *key, const char *value, int *result)
{
	const struct quirk *k;

	for (k = quirks; k < quirks + ARRAY_LEN(quirks); k++) {
		if (strcmp(key, k->name))
			continue;
		*result = value ? -1 : 0;
		if (k->most)
			*result = set_number(k, q, value);
		else
			*(bool *)((char *)q + k->at) = true;
		return true;
	}
	return false;
}

/* Turn on what from has and q has not. */
static void add(struct pmu_quirks *q, const struct pmu_quirks *from)
{
	const struct quirk *k;

	for (k = quirks; k < quirks + ARRAY_LEN(quirks); k++)
		if (is_on(from, k) && !is_on(q, k))
			memcpy((char *)q + k->at, (const char *)from + k->at,
			       k->most ? sizeof(unsigned int) : sizeof(bool));
}

/* The option silicon: the quirks that the processor has, beside those that are on. */
void pmu_quirks_silicon(struct pmu *pmu)
{
	struct pmu_quirks *q = &pmu->options.quirks;
	const struct silicon *m;

	for (m = silicon; m < silicon + ARRAY_LEN(silicon); m++) {
		if (!pmu_is_intel(pmu, m->family) || pmu->cpu_is.model != m->model)
			continue;
		add(q, &m->quirks);
		if (pmu->machine.threads > 1)
			add(q, &m->threads);
	}
}

/* Write the keys, each preceded by a comma. */
void pmu_quirks_list(char *text, size_t size)
{
	const struct quirk *k;
	int n = 0;

	for (k = quirks; k < quirks + ARRAY_LEN(quirks) && (size_t)n < size; k++)
		n += snprintf(text + n, size - n, ", %s%s%s", k->name, k->most ? "=N" : "",
			      k->mask ? ":MASK" : "");
}

static const char *lacking(const struct pmu *pmu, const struct quirk *k)
{
	unsigned int version = pmu->options.version;
	uint32_t regs[4];

	if (k->arch && pmu->family != &pmu_arch)
		return "architectural performance monitoring";
	if (k->amd && pmu->family != &pmu_amd)
		return "AMD's counters";
	if (k->netburst && pmu->family != &pmu_netburst)
		return "NetBurst's counters";
	if (k->modern && pmu->family != &pmu_arch && pmu->family != &pmu_amd)
		return "architectural performance monitoring or AMD's counters";
	if (k->threads && (pmu->machine.threads != 2 || pmu->machine.cpus % 2))
		return "two logical processors to a core; use --threads 2";
	if (pmu->family == &pmu_amd)
		return k->version && !pmu->options.perfmon_v2 ? "PerfMonV2; use perfmon_v2" : NULL;
	pmu_cpuid_raw(pmu, 0xa, 0, regs);
	if ((version ? version : regs[0] & 0xff) < k->version)
		return "version 2 of architectural performance monitoring";
	if ((regs[0] >> 8 & 0xff) < k->general)
		return k->general > 4 ? "five general counters" : "four general counters";
	return NULL;
}

/* An interrupt without an overflow. */
static void storm(struct pmu_cpu *c)
{
	c->due[PMU_DUE_STORM] = --c->storm ? PMU_STORM_STEPS : 0;
	pmu_interrupt(c);
}

/* Another user of the registers, such as a KVM guest with a mediated PMU, has come and gone. */
static void clear_registers(struct pmu_cpu *c)
{
	c->due[PMU_DUE_REWRITE] = c->pmu->options.quirks.mediated;
	pmu_trace(c->pmu, "cpu %u: registers cleared\n", c->id);
	c->pmu->family->clear(c);
}

/*
 * A system management interrupt: its handler counts as user instructions of the program that it
 * interrupts. The interrupted step has been counted.
 */
static void run_smi(struct pmu_cpu *c)
{
	bool (*frozen)(const struct pmu_cpu *) = c->pmu->family->freezes_smm;
	unsigned int left = c->pmu->options.quirks.smi;

	pmu_trace(c->pmu, "cpu %u: smi\n", c->id);
	pmu_counters_update(c);
	while (left-- && !(frozen && frozen(c)))
		pmu_retire(c, PMU_USER);
	pmu_group_sync(c);
	c->due[PMU_DUE_SMI] = PMU_SMI_STEPS;
}

/* The virtual machine continues on a host with fewer counters. */
static void migrate(struct pmu *pmu)
{
	unsigned int i;

	pmu_trace(pmu, "migration\n");
	for (i = 0; i < pmu->machine.cpus; i++)
		pmu_sync(&pmu->cpu[i]);
	pmu->family->migrate(pmu);
}

/* One of the counters that will fault is in use: the migration is near. */
void pmu_quirks_migration(struct pmu_cpu *c)
{
	if (!c->due[PMU_DUE_MIGRATE])
		c->due[PMU_DUE_MIGRATE] = c->pmu->options.quirks.migrate;
}

void pmu_quirks_reset(struct pmu_cpu *c)
{
	c->storm = 0;
	c->due[PMU_DUE_STORM] = 0;
	c->due[PMU_DUE_MIGRATE] = 0;
	c->due[PMU_DUE_ZERO] = 0;
	c->due[PMU_DUE_SMI] = c->pmu->options.quirks.smi ? PMU_SMI_STEPS : 0;
	c->due[PMU_DUE_REWRITE] = c->pmu->options.quirks.mediated;
}

/* These steps have passed. Return: what is due now, a bit for each enum pmu_due. */
unsigned int pmu_quirks_pass(struct pmu_cpu *c, uint64_t steps)
{
	unsigned int i, due = 0;

	for (i = 0; i < PMU_NDUE; i++) {
		if (!c->due[i])
			continue;
		c->due[i] -= steps;
		if (c->due[i] > 0)
			continue;
		c->due[i] = 0;
		due |= 1u << i;
	}
	return due;
}

/* Execute what is due. The processor's group is synchronised. */
void pmu_quirks_happen(struct pmu_cpu *c, unsigned int due)
{
	if (due >> PMU_DUE_STORM & 1)
		storm(c);
	if (due >> PMU_DUE_REWRITE & 1)
		clear_registers(c);
	if (due >> PMU_DUE_MIGRATE & 1)
		migrate(c->pmu);
	if (due >> PMU_DUE_ZERO & 1)
		c->pmu->family->interrupt_again(c);
	if (due >> PMU_DUE_SMI & 1)
		run_smi(c);
}

/* Return: 0, or -1 with a message if the processor cannot have a quirk that is on. */
int pmu_quirks_check(const struct pmu *pmu, char *error, size_t size)
{
	const struct quirk *k;

	if (pmu->options.quirks.mask && pmu->options.quirks.nomask) {
		snprintf(error, size, "PMCDRV_PMU: mask and nomask: choose one");
		return -1;
	}
	for (k = quirks; k < quirks + ARRAY_LEN(quirks); k++) {
		if (!is_on(&pmu->options.quirks, k) || !lacking(pmu, k))
			continue;
		snprintf(error, size, "PMCDRV_PMU: %s: this processor does not have %s", k->name,
			 lacking(pmu, k));
		return -1;
	}
	return 0;
}
