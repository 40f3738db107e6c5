// SPDX-License-Identifier: GPL-2.0-only
/* The part of the PMU that is the same for every family. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "pmu_int.h"

static const struct pmu_family *const families[] = {
	&pmu_absent,
	&pmu_arch,
	&pmu_p5,
	&pmu_p6,
};

void pmu_trace(const struct pmu *pmu, const char *format, ...)
{
	va_list args;

	if (!pmu->trace)
		return;
	va_start(args, format);
	vfprintf(pmu->trace, format, args);
	va_end(args);
}

void pmu_cpuid_raw(const struct pmu *pmu, uint32_t leaf, uint32_t subleaf,
		   uint32_t regs[4])
{
	memset(regs, 0, 4 * sizeof(*regs));
	pmu->machine.cpuid(pmu->machine.context, leaf, subleaf, regs);
}

/* SDM Vol. 2A, CPUID, "Version Information": display family and model. */
static void read_signature(struct pmu *pmu)
{
	unsigned int family, model;
	uint32_t regs[4];

	pmu_cpuid_raw(pmu, 0, 0, regs);
	pmu->cpu_is.intel = regs[1] == 0x756e6547;	/* "Genu" */
	pmu_cpuid_raw(pmu, 1, 0, regs);
	family = regs[0] >> 8 & 0xf;
	model = regs[0] >> 4 & 0xf;
	if (family == 0x6 || family == 0xf)
		model |= regs[0] >> 12 & 0xf0;
	if (family == 0xf)
		family += regs[0] >> 20 & 0xff;
	pmu->cpu_is.family = family;
	pmu->cpu_is.model = model;
}

bool pmu_is_intel(const struct pmu *pmu, unsigned int family)
{
	return pmu->cpu_is.intel && pmu->cpu_is.family == family;
}

void pmu_set_want(struct pmu_cpu *c, unsigned int want)
{
	const struct pmu_machine *m = &c->pmu->machine;

	if (c->want == want)
		return;
	c->want = want;
	if (m->want)
		m->want(m->context, c->id, want);
}

void pmu_request(struct pmu_cpu *c)
{
	const struct pmu_machine *m = &c->pmu->machine;

	pmu_trace(c->pmu, "cpu %u: pmi\n", c->id);
	m->pmi(m->context, c->id);
}

/* Nothing was counting: a step needs no look for a very long time. */
static void clear_pending(struct pmu_cpu *c)
{
	unsigned int p;

	for (p = 0; p < PMU_NPRIV; p++) {
		c->budget[p] = INT64_MAX / 2;
		c->left[p] = c->budget[p];
	}
	memset(c->extra, 0, sizeof(c->extra));
	memset(c->pend, 0, sizeof(c->pend));
	c->rep_open = false;
	c->access = 0;
	c->nactive = 0;
}

static int open_file(const char *name, FILE **file, char *error, size_t size)
{
	*file = fopen(name, "w");
	if (*file)
		return 0;
	snprintf(error, size, "PMCDRV_PMU: cannot write '%s'", name);
	return -1;
}

/* A dump that cannot be written is to be known at the start. */
static int open_files(struct pmu *pmu, char *error, size_t size)
{
	FILE *file;

	if (pmu->options.trace &&
	    open_file(pmu->options.trace, &pmu->trace, error, size))
		return -1;
	if (!pmu->options.dump)
		return 0;
	if (open_file(pmu->options.dump, &file, error, size))
		return -1;
	fclose(file);
	return 0;
}

static int choose(struct pmu *pmu, char *error, size_t size)
{
	size_t i;

	read_signature(pmu);
	pmu->part = pmu_part_find(pmu);
	for (i = 0; i < ARRAY_LEN(families); i++) {
		if (!families[i]->recognise(pmu))
			continue;
		pmu->family = families[i];
		snprintf(pmu->name, sizeof(pmu->name), "%s, %s",
			 families[i]->name, pmu->part->name);
		return families[i]->create(pmu, error, size);
	}
	/* No counters that are modelled: as if there were none. */
	pmu->family = &pmu_absent;
	snprintf(pmu->name, sizeof(pmu->name), "%s", pmu_absent.name);
	return 0;
}

static int set_up(struct pmu *pmu, char *error, size_t size)
{
	unsigned int i;

	if (pmu_options_parse(&pmu->options, pmu->machine.options, error, size))
		return -1;
	if (open_files(pmu, error, size))
		return -1;
	for (i = 0; i < pmu->machine.cpus; i++) {
		pmu->cpu[i].id = i;
		pmu->cpu[i].pmu = pmu;
		clear_pending(&pmu->cpu[i]);
	}
	if (choose(pmu, error, size))
		return -1;
	if (!pmu->group)
		pmu->group = pmu->machine.threads;
	for (i = 0; i < pmu->machine.cpus; i++)
		pmu->family->reset(&pmu->cpu[i]);
	return 0;
}

static void release(struct pmu *pmu)
{
	unsigned int i;

	if (pmu->family)
		pmu->family->destroy(pmu);
	if (pmu->trace)
		fclose(pmu->trace);
	pmu_caches_destroy(pmu->caches);
	for (i = 0; i < pmu->machine.cpus; i++)
		pmu_predictor_destroy(pmu->predictor[i]);
	pmu_options_free(&pmu->options);
	free(pmu->predictor);
	free(pmu->cpu);
	free(pmu);
}

struct pmu *pmu_create(const struct pmu_machine *machine, char *error,
		       size_t size)
{
	struct pmu *pmu = calloc(1, sizeof(*pmu));

	pmu->machine = *machine;
	if (!pmu->machine.threads)
		pmu->machine.threads = 1;
	pmu->cpu = calloc(machine->cpus, sizeof(*pmu->cpu));
	pmu->predictor = calloc(machine->cpus, sizeof(*pmu->predictor));
	if (!set_up(pmu, error, size))
		return pmu;
	release(pmu);
	return NULL;
}

static void dump(struct pmu *pmu)
{
	FILE *file;
	unsigned int i;

	if (!pmu->options.dump)
		return;
	file = fopen(pmu->options.dump, "w");
	if (!file)
		return;
	fprintf(file, "pmu: %s\n", pmu->name);
	for (i = 0; i < pmu->machine.cpus; i++) {
		pmu_sync(&pmu->cpu[i]);
		fprintf(file, "cpu %u:\n", i);
		pmu->family->dump(&pmu->cpu[i], file);
	}
	fclose(file);
}

void pmu_destroy(struct pmu *pmu)
{
	if (!pmu)
		return;
	dump(pmu);
	release(pmu);
}

const char *pmu_name(const struct pmu *pmu)
{
	return pmu->name;
}

unsigned int pmu_user_cpl(const struct pmu *pmu)
{
	return pmu->family->user_cpl;
}

struct pmu_cpu *pmu_get_cpu(struct pmu *pmu, unsigned int cpu)
{
	return &pmu->cpu[cpu];
}

/*
 * SDM Vol. 3A, "Processor State After Reset", table of the states after
 * power-up, reset and INIT: INIT leaves the performance counters alone.
 */
void pmu_reset(struct pmu_cpu *c, bool init)
{
	if (init)
		return;
	clear_pending(c);
	c->pmu->family->reset(c);
}

void pmu_cpuid(const struct pmu *pmu, uint32_t leaf, uint32_t subleaf,
	       uint32_t regs[4])
{
	pmu->family->cpuid(pmu, leaf, subleaf, regs);
}

static const char *verdict(enum pmu_result r)
{
	return r == PMU_GP ? " #GP" : "";
}

enum pmu_result pmu_check_rdmsr(struct pmu_cpu *c, uint32_t msr)
{
	const struct pmu_family *f = c->pmu->family;

	return f->owns(c->pmu, msr) ? f->check_rdmsr(c, msr) : PMU_NONE;
}

enum pmu_result pmu_rdmsr(struct pmu_cpu *c, uint32_t msr, uint64_t *value)
{
	enum pmu_result r = pmu_check_rdmsr(c, msr);

	if (r == PMU_OK) {
		pmu_sync(c);
		*value = c->pmu->family->rdmsr(c, msr, *value);
		pmu_trace(c->pmu, "cpu %u: rdmsr %x = %llx\n", c->id, msr,
			  (unsigned long long)*value);
	}
	return r;
}

enum pmu_result pmu_wrmsr(struct pmu_cpu *c, uint32_t msr, uint64_t value)
{
	const struct pmu_family *f = c->pmu->family;
	enum pmu_result r;

	if (!f->owns(c->pmu, msr))
		return PMU_NONE;
	r = f->check_wrmsr(c, msr, value);
	if (r == PMU_NONE)
		return r;
	pmu_trace(c->pmu, "cpu %u: wrmsr %x = %llx%s\n", c->id, msr,
		  (unsigned long long)value, verdict(r));
	if (r != PMU_OK)
		return r;
	if (c->want & PMU_WANT_STEPS)
		pmu_retire(c, PMU_KERNEL);
	pmu_sync(c);
	f->wrmsr(c, msr, value);
	return PMU_OK;
}

/* SDM Vol. 2B, RDPMC, "Operation": the condition of every family. */
enum pmu_result pmu_check_rdpmc(struct pmu_cpu *c, uint32_t index,
				unsigned int cpl, bool pce, bool pe)
{
	enum pmu_result r = c->pmu->family->check_rdpmc(c, index);

	if (r != PMU_UD && !pce && cpl && pe)
		return PMU_GP;
	return r;
}

enum pmu_result pmu_rdpmc(struct pmu_cpu *c, uint32_t index, uint64_t *value)
{
	enum pmu_result r = c->pmu->family->check_rdpmc(c, index);

	if (r == PMU_OK) {
		pmu_sync(c);
		*value = c->pmu->family->rdpmc(c, index);
		pmu_trace(c->pmu, "cpu %u: rdpmc %x = %llx\n", c->id, index,
			  (unsigned long long)*value);
	}
	return r;
}

void pmu_sync(struct pmu_cpu *c)
{
	if (c->want)
		pmu_counters_sync(c);
}

/* A step on which nothing retired. */
static void bare_step(struct pmu_cpu *c, unsigned int priv)
{
	c->extra[priv]++;
	pmu_retire(c, priv);
}

/*
 * The step of a round is taken when it is known not to be the last one: the
 * last one's is the step on which the instruction retires.
 */
void pmu_rep_round(struct pmu_cpu *c, unsigned int priv)
{
	if (c->rep_open)
		bare_step(c, c->rep_priv);
	c->rep_open = true;
	c->rep_priv = priv;
}

void pmu_rep_done(struct pmu_cpu *c, unsigned int priv)
{
	c->rep_open = false;
	pmu_retire_access(c, priv);
}

void pmu_abort(struct pmu_cpu *c)
{
	c->access = 0;
	if (!c->rep_open)
		return;
	c->rep_open = false;
	bare_step(c, c->rep_priv);
}

void pmu_retire_access(struct pmu_cpu *c, unsigned int priv)
{
	if (c->access & PMU_READ)
		c->pend[priv][PMU_LOAD]++;
	if (c->access & PMU_WRITE)
		c->pend[priv][PMU_STORE]++;
	c->access = 0;
	pmu_retire(c, priv);
}

/* An occurrence that no budget foresaw: look at the counters at the next step. */
static void rare(struct pmu_cpu *c, unsigned int priv, enum pmu_prim prim)
{
	unsigned int p;

	c->pend[priv][prim]++;
	for (p = 0; p < PMU_NPRIV; p++) {
		c->budget[p] -= c->left[p] - 1;
		c->left[p] = 1;
	}
}

static bool mispredicted(struct pmu_cpu *c, enum pmu_prim kind, uint64_t from,
			 uint64_t to)
{
	struct pmu_predictor **p = &c->pmu->predictor[c->id];

	if (!*p)
		*p = pmu_predictor_create(c->pmu->part);
	return pmu_predict(*p, kind, from, to);
}

static enum pmu_prim misprediction(enum pmu_prim kind)
{
	switch (kind) {
	case PMU_BR_COND_TAKEN:
	case PMU_BR_COND_NTAKEN:
		return PMU_MISP_COND;
	case PMU_BR_RET:
		return PMU_MISP_RET;
	default:
		return PMU_MISP_IND;
	}
}

void pmu_branch(struct pmu_cpu *c, unsigned int priv, enum pmu_prim kind,
		uint64_t from, uint64_t to)
{
	c->pend[priv][kind]++;
	if (!(c->want & PMU_WANT_PREDICT))
		return;
	if (mispredicted(c, kind, from, to))
		rare(c, priv, misprediction(kind));
}

static void look_up(struct pmu_cpu *c, unsigned int priv, bool fetch,
		    uint64_t line)
{
	bool missed;

	if (!pmu_caches_lookup(c->pmu->caches, c->id, fetch, line, &missed))
		return;
	rare(c, priv, PMU_LLC_REF);
	if (missed)
		rare(c, priv, PMU_LLC_MISS);
}

static unsigned int line_size(struct pmu_cpu *c)
{
	if (!c->pmu->caches)
		c->pmu->caches = pmu_caches_create(c->pmu);
	return pmu_caches_line_size(c->pmu->caches);
}

void pmu_data(struct pmu_cpu *c, unsigned int priv, uint64_t addr,
	      unsigned int size, unsigned int access, bool cached)
{
	uint64_t line, last;
	unsigned int bytes;

	c->access |= access;
	if (!cached || !size || !(c->want & PMU_WANT_CACHE))
		return;
	bytes = line_size(c);
	last = (addr + size - 1) / bytes;
	for (line = addr / bytes; line <= last; line++)
		look_up(c, priv, false, line);
}

void pmu_fetch(struct pmu_cpu *c, unsigned int priv, uint64_t addr)
{
	if (c->want & PMU_WANT_CACHE)
		look_up(c, priv, true, addr / line_size(c));
}

void pmu_hwint(struct pmu_cpu *c, unsigned int priv)
{
	if (c->want & PMU_WANT_HWINT)
		rare(c, priv, PMU_HWINT);
}

void pmu_cache_flush(struct pmu_cpu *c)
{
	if (c->pmu->caches)
		pmu_caches_flush(c->pmu->caches);
}

void pmu_cache_flush_line(struct pmu_cpu *c, uint64_t addr)
{
	if (c->pmu->caches)
		pmu_caches_flush_line(c->pmu->caches, addr / line_size(c));
}
