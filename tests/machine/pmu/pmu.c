// SPDX-License-Identifier: GPL-2.0-only
/* Creation, register access, CPUID, trace and dump of the PMU: what all families share */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "pmu_regs.h"

static const struct pmu_family *const families[] = {
	&pmu_absent,
	&pmu_arch,
	&pmu_p5,
	&pmu_p6,
	&pmu_netburst,
	&pmu_amd,
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
	pmu->cpu_is.amd = regs[1] == 0x68747541;	/* "Auth" */
	pmu_cpuid_raw(pmu, 1, 0, regs);
	family = regs[0] >> 8 & 0xf;
	model = regs[0] >> 4 & 0xf;
	if (family == 0x6 || family == 0xf)
		model |= regs[0] >> 12 & 0xf0;
	if (family == 0xf)
		family += regs[0] >> 20 & 0xff;
	pmu->cpu_is.family = family;
	pmu->cpu_is.model = model;
	pmu->cpu_is.l3 = pmu_netburst_has_l3(pmu);
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
	/* Without the reports the unit used last is unknown. */
	if (!(c->want & PMU_WANT_CLASS))
		c->unit = 0;
	c->want = want;
	if (m->want)
		m->want(m->context, c->id, want);
}

void pmu_interrupt(struct pmu_cpu *c)
{
	const struct pmu_machine *m = &c->pmu->machine;

	pmu_trace(c->pmu, "cpu %u: pmi\n", c->id);
	m->pmi(m->context, c->id, c->pmu->options.late);
}

/* The caller sets the new deadlines: pmu_counters_update(). */
void pmu_request(struct pmu_cpu *c)
{
	c->storm = c->pmu->options.quirks.storm;
	c->due[PMU_DUE_STORM] = c->storm ? PMU_STORM_STEPS : 0;
	pmu_interrupt(c);
}

/* No counter is active: steps need no synchronisation. */
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
	c->classes = 0;
	c->data_level = PMU_NO_LEVEL;
	c->code_level = PMU_NO_LEVEL;
	c->unit = 0;
	c->line = 0;
	c->code_page = 0;
	c->nactive = 0;
	pmu_quirks_reset(c);
}

static int open_file(const char *name, FILE **file, char *error, size_t size)
{
	*file = fopen(name, "w");
	if (*file)
		return 0;
	snprintf(error, size, "PMCDRV_PMU: cannot write '%s'", name);
	return -1;
}

/* An unwritable dump file is an error at the start, not at the end. */
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

/* Options that only some processors support. */
static int check_variant(const struct pmu *pmu, char *error, size_t size)
{
	if (pmu->options.xeon_l3 && !pmu->cpu_is.l3) {
		snprintf(error, size, "PMCDRV_PMU: xeon_l3: this processor is not model 3 or 4 of family 15; use p4_prescott_celeron_336");
		return -1;
	}
	if (pmu->options.hybrid && !pmu_part_other_core_type(pmu)) {
		snprintf(error, size, "PMCDRV_PMU: hybrid: this processor has a single core type; use arrow_lake");
		return -1;
	}
	if (pmu->options.hybrid && pmu->machine.cpus <= pmu->machine.threads) {
		snprintf(error, size, "PMCDRV_PMU: hybrid: two core types need two cores; use --cpus 2");
		return -1;
	}
	if (pmu->options.perfmon_v2 && !pmu_amd_has_core_extension(pmu)) {
		snprintf(error, size, "PMCDRV_PMU: perfmon_v2: this is not an AMD processor with six counters; use ryzen");
		return -1;
	}
	return 0;
}

static int choose(struct pmu *pmu, char *error, size_t size)
{
	size_t i;

	read_signature(pmu);
	if (pmu->options.silicon && !pmu->options.none)
		pmu_quirks_silicon(pmu);
	if (check_variant(pmu, error, size))
		return -1;
	pmu->part = pmu_part_find(pmu);
	for (i = 0; i < ARRAY_LEN(families); i++) {
		if (!families[i]->recognise(pmu))
			continue;
		pmu->family = families[i];
		snprintf(pmu->name, sizeof(pmu->name), "%s, %s%s%s",
			 families[i]->name, pmu->part->name,
			 pmu->options.hybrid ? " and " : "",
			 pmu->options.hybrid ? pmu_part_other_core_type(pmu)->name : "");
		return pmu_quirks_check(pmu, error, size) ||
		       families[i]->create(pmu, error, size);
	}
	/* The processor has no modelled counters. */
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
	pmu_mesi_destroy(pmu->mesi);
	for (i = 0; i < pmu->machine.cpus; i++) {
		pmu_predictor_destroy(pmu->predictor[i]);
		pmu_btb_destroy(pmu->btb[i]);
		pmu_tlbs_destroy(pmu->tlbs[i]);
		pmu_pipes_destroy(pmu->pipes[i]);
	}
	pmu_options_free(&pmu->options);
	free(pmu->predictor);
	free(pmu->btb);
	free(pmu->tlbs);
	free(pmu->pipes);
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
	pmu->btb = calloc(machine->cpus, sizeof(*pmu->btb));
	pmu->tlbs = calloc(machine->cpus, sizeof(*pmu->tlbs));
	pmu->pipes = calloc(machine->cpus, sizeof(*pmu->pipes));
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
		pmu_group_sync(&pmu->cpu[i]);
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

bool pmu_masks_lvtpc(const struct pmu *pmu)
{
	const struct pmu_quirks *q = &pmu->options.quirks;

	return q->mask || (!q->nomask && !pmu->family->lvtpc_stays);
}

unsigned int pmu_iret_priv(const struct pmu *pmu, unsigned int from, unsigned int to)
{
	return pmu->options.quirks.iret ? to : from;
}

struct pmu_cpu *pmu_get_cpu(struct pmu *pmu, unsigned int cpu)
{
	return &pmu->cpu[cpu];
}

/*
 * SDM Vol. 3A, "Processor State After Reset", table of the states after
 * power-up, reset and INIT: INIT does not change the performance counters.
 */
void pmu_reset(struct pmu_cpu *c, bool init)
{
	if (init)
		return;
	clear_pending(c);
	c->pmu->family->reset(c);
}

void pmu_cpuid(const struct pmu_cpu *c, uint32_t leaf, uint32_t subleaf,
	       uint32_t regs[4])
{
	c->pmu->family->cpuid(c, leaf, subleaf, regs);
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

/* The option any0, which leaves the registers that describe the processor. */
static bool reads_0(const struct pmu *pmu, uint32_t msr)
{
	return pmu->options.quirks.any0 && msr != IA32_MISC_ENABLE &&
	       msr != IA32_PERF_CAPABILITIES && msr != IA32_DEBUGCTL;
}

enum pmu_result pmu_rdmsr(struct pmu_cpu *c, uint32_t msr, uint64_t *value)
{
	enum pmu_result r = pmu_check_rdmsr(c, msr);

	if (r == PMU_OK) {
		pmu_group_sync(c);
		*value = reads_0(c->pmu, msr) ? 0 : c->pmu->family->rdmsr(c, msr, *value);
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
	r = reads_0(c->pmu, msr) ? f->check_rdmsr(c, msr) : f->check_wrmsr(c, msr, value);
	if (r == PMU_NONE)
		return r;
	pmu_trace(c->pmu, "cpu %u: wrmsr %x = %llx%s\n", c->id, msr,
		  (unsigned long long)value, verdict(r));
	if (r != PMU_OK)
		return r;
	if (c->want & PMU_WANT_STEPS)
		pmu_retire_insn(c, PMU_KERNEL, 0);
	if (c->pmu->options.writes_ignored || reads_0(c->pmu, msr))
		return PMU_OK;
	pmu_group_sync(c);
	f->wrmsr(c, msr, value);
	return PMU_OK;
}

/* The options nordpmc and any0 let the instruction exist and every index fault. */
static enum pmu_result check_index(struct pmu_cpu *c, uint32_t index)
{
	const struct pmu_quirks *q = &c->pmu->options.quirks;
	enum pmu_result r = c->pmu->family->check_rdpmc(c, index);

	return r == PMU_OK && (q->nordpmc || q->any0) ? PMU_GP : r;
}

/* SDM Vol. 2B, RDPMC, "Operation": the conditions common to all families. */
enum pmu_result pmu_check_rdpmc(struct pmu_cpu *c, uint32_t index,
				unsigned int cpl, bool pce, bool pe)
{
	enum pmu_result r = check_index(c, index);

	if (r != PMU_UD && !pce && cpl && pe)
		return PMU_GP;
	return r;
}

enum pmu_result pmu_rdpmc(struct pmu_cpu *c, uint32_t index, uint64_t *value)
{
	enum pmu_result r = check_index(c, index);

	if (r == PMU_OK) {
		pmu_group_sync(c);
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
