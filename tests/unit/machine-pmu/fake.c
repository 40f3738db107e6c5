// SPDX-License-Identifier: GPL-2.0-only
/* A fake emulator that provides CPUID only, for the unit tests of the PMU model */
#include <string.h>

#include "fake.h"

struct model {
	const char *name;
	uint32_t signature;	/* CPUID.01H:EAX */
	uint32_t perfmon[4];	/* CPUID.0AH */
	uint32_t cache[4][4];	/* CPUID.04H */
	uint32_t last_leaf;	/* CPUID.00H:EAX, 0 for 0DH */
	const char *maker;	/* NULL for Intel */
	uint32_t last_extended;	/* CPUID.80000000H:EAX */
	uint32_t extended;	/* CPUID.80000001H:ECX */
};

#define L1D { 0x121, 0x01c0003f, 0x3f, 0 }
#define L1I { 0x122, 0x01c0003f, 0x3f, 0 }

#define AMD(last, features) \
	.last_leaf = 1, .maker = "AuthenticAMD", .last_extended = (last), \
	.extended = (features)
#define IBS	(1u << 10)

static const struct model models[NMODELS] = {
	[PENRYN] = { "Penryn", 0x1067a, { 0x07280202, 0, 0, 0x503 },
		{ L1D, L1I, { 0x143, 0x05c0003f, 0xfff, 0 } } },
	[LYNNFIELD] = { "Lynnfield", 0x106e5, { 0x07300403, 0x44, 0, 0x603 },
		{ L1D, { 0x122, 0x00c0003f, 0x7f, 0 },
		  { 0x143, 0x01c0003f, 0x1ff, 0 },
		  { 0x163, 0x03c0003f, 0x1fff, 0 } } },
	[SANDY_BRIDGE] = { "Sandy Bridge", 0x206a7, { 0x07300803, 0, 0, 0x603 },
		{ L1D, L1I, { 0x143, 0x01c0003f, 0x1ff, 0 },
		  { 0x163, 0x03c0003f, 0x1fff, 0 } } },
	[SKYLAKE_X] = { "Skylake-X", 0x50654, { 0x07300404, 0, 0, 0x603 },
		{ L1D, L1I, { 0x143, 0x03c0003f, 0x3ff, 0 },
		  { 0x163, 0x0280003f, 0x2fff, 0 } } },
	[ICE_LAKE] = { "Ice Lake", 0x706e5, { 0x08300805, 0, 0xf, 0x8604 },
		{ { 0x121, 0x02c0003f, 0x3f, 0 }, L1I,
		  { 0x143, 0x01c0003f, 0x3ff, 0 },
		  { 0x163, 0x03c0003f, 0x1fff, 0 } } },
	[SAPPHIRE_RAPIDS] = { "Sapphire Rapids", 0x806f8,
		{ 0x08300805, 0, 0xf, 0x8604 },
		{ { 0x121, 0x02c0003f, 0x3f, 0 }, L1I,
		  { 0x143, 0x03c0003f, 0x7ff, 0 },
		  { 0x163, 0x0380003f, 0x15fff, 0 } } },
	[PENTIUM] = { "Pentium", 0x52c, .last_leaf = 1 },
	[PENTIUM_MMX] = { "Pentium MMX", 0x543, .last_leaf = 1 },
	[PENTIUM_II] = { "Pentium II", 0x634, .last_leaf = 2 },
	[PENTIUM_III] = { "Pentium III", 0x673, .last_leaf = 2 },
	[CORE_DUO] = { "Core Duo", 0x6e8, { 0x07280201, 0, 0, 0 },
		{ L1D, L1I, { 0x143, 0x01c0003f, 0xfff, 0 } }, .last_leaf = 0xa },
	/* K6-2: family 5 too */
	[PENTIUM_AMD] = { "another maker's", 0x58c, .last_leaf = 1,
		.maker = "AuthenticAMD" },
	[WILLAMETTE] = { "Willamette", 0xf12, .last_leaf = 2 },
	[PRESCOTT] = { "Prescott", 0xf41, { 0 },
		{ { 0x121, 0x01c0003f, 0x1f, 0 }, { 0x143, 0x01c0003f, 0x7ff, 0 } },
		.last_leaf = 5 },
	[XEON_L3] = { "Xeon MP with L3", 0xf41, { 0 },
		{ { 0x121, 0x01c0003f, 0x1f, 0 }, { 0x143, 0x01c0003f, 0x7ff, 0 },
		  { 0x163, 0x01c0003f, 0x3fff, 0 } }, .last_leaf = 5 },
	[ATHLON_XP] = { "Athlon XP", 0x622, AMD(0x80000008, 0) },
	[ATHLON_64] = { "Athlon 64", 0x20ff2, AMD(0x80000018, 0) },
	[PHENOM] = { "Phenom", 0x100f23, AMD(0x8000001a, IBS) },
	[ZAMBEZI] = { "Zambezi", 0x600f12, AMD(0x8000001e, IBS | 3u << 23) },
	[RYZEN] = { "Ryzen", 0x800f11, AMD(0x8000001f, 3u << 23 | 1u << 28) },
	/* as a hypervisor presents it to a guest */
	[RYZEN_GUEST] = { "Ryzen of a guest", 0x800f11, AMD(0x8000001f, 1u << 23) },
	[ARROW_LAKE] = { "Arrow Lake", 0xc0662, { 0x0d300806, 0x280, 7, 0x8603 },
		{ { 0x121, 0x02c0003f, 0x3f, 0 }, L1I, { 0x143, 0x03c0003f, 0x7ff, 0 } },
		.last_leaf = 0x20 },
	/* an unknown model */
	[NEWER] = { "newer", 0xd06f0, { 0x0d300a06, 0x200, 0x1f, 0x8605 },
		.last_leaf = 0x23 },
	[ATOM] = { "Atom", 0x106c2, { 0x07280203, 0, 0, 0x2501 } },
	[ARRANDALE] = { "Arrandale", 0x20652, { 0x07300403, 4, 0, 0x603 } },
	[IVY_BRIDGE] = { "Ivy Bridge", 0x306a9, { 0x07300403, 0, 0, 0x603 } },
	[HASWELL] = { "Haswell", 0x306c3, { 0x07300403, 0, 0, 0x603 } },
	[BROADWELL] = { "Broadwell", 0x306d4, { 0x07300403, 0, 0, 0x603 } },
	[CANNON_LAKE] = { "Cannon Lake", 0x60663, { 0x07300404, 0, 0, 0x603 } },
	[TIGER_LAKE] = { "Tiger Lake", 0x806c1, { 0x08300805, 0, 0xf, 0x8604 } },
	[NO_PERFMON] = { "no perfmon", 0x6d8, { 0 }, { { 0 } } },
};

#define DTES64_DS_CPL_PDCM	(1u << 2 | 1u << 4 | 1u << 15)

static void cpuid(void *context, uint32_t leaf, uint32_t subleaf,
		  uint32_t regs[4])
{
	const struct fake *f = context;
	const struct model *m = &models[f->model];
	const char *maker = m->maker ? m->maker : "GenuineIntel";

	if (leaf == 0) {
		regs[0] = m->last_leaf ? m->last_leaf : 0xd;
		memcpy(&regs[1], maker, 4);
		memcpy(&regs[3], maker + 4, 4);
		memcpy(&regs[2], maker + 8, 4);
	}
	if (leaf == 1) {
		regs[0] = m->signature;
		regs[3] = 1u << 9;
	}
	if (leaf == 1 && (!m->last_leaf || m->last_leaf == 0x20)) {
		regs[2] = DTES64_DS_CPL_PDCM | 1;
		regs[3] |= 1u << 21;
	}
	if (leaf == 4 && subleaf < 4)
		memcpy(regs, m->cache[subleaf], 16);
	if (leaf == 0x80000000)
		regs[0] = m->last_extended;
	if (leaf == 0x80000001)
		regs[2] = m->extended;
	if (leaf == 0xa)
		memcpy(regs, m->perfmon, 16);
}

static void pmi(void *context, unsigned int cpu, unsigned int late)
{
	struct fake *f = context;

	f->pmis[cpu]++;
	f->late = late;
}

static void debug(void *context, unsigned int cpu, struct pmu_debug *d)
{
	const struct fake *f = context;

	(void)cpu;
	*d = f->debug;
}

static bool active(void *context, unsigned int cpu)
{
	const struct fake *f = context;

	return !f->halted[cpu];
}

static bool masked(void *context, unsigned int cpu)
{
	const struct fake *f = context;

	(void)cpu;
	return f->masked;
}

static void want(void *context, unsigned int cpu, unsigned int bits)
{
	struct fake *f = context;

	(void)cpu;
	(void)bits;
	f->wants++;
}

struct pmu *try(struct fake *f, enum fake_model model, unsigned int cpus,
		unsigned int threads, const char *options)
{
	struct pmu_machine machine = {
		.cpus = cpus, .threads = threads, .options = options,
		.context = f, .cpuid = cpuid, .pmi = pmi, .debug = debug,
		.want = want, .active = active,
		.masked = masked,
	};

	memset(f, 0, sizeof(*f));
	f->model = model;
	f->pmu = pmu_create(&machine, f->error, sizeof(f->error));
	if (f->pmu)
		f->c = pmu_get_cpu(f->pmu, 0);
	return f->pmu;
}

void refused(enum fake_model model, unsigned int cpus, unsigned int threads,
	     const char *options, const char *why)
{
	struct fake f;

	assert_null(try(&f, model, cpus, threads, options));
	if (!strstr(f.error, why))
		fail_msg("%s: '%s' without '%s'", options ? options : "no options", f.error, why);
}

void start_with(struct fake *f, enum fake_model model, unsigned int cpus,
		unsigned int threads, const char *options)
{
	assert_non_null(try(f, model, cpus, threads, options));
}

void start(struct fake *f, enum fake_model model)
{
	start_with(f, model, 1, 1, NULL);
}

void stop(struct fake *f)
{
	pmu_destroy(f->pmu);
}

void restart_with(struct fake *f, enum fake_model model, unsigned int cpus,
		  unsigned int threads, const char *options)
{
	stop(f);
	start_with(f, model, cpus, threads, options);
}

void restart(struct fake *f, enum fake_model model)
{
	restart_with(f, model, 1, 1, NULL);
}

void test_each(enum fake_model first, enum fake_model last, unsigned int cpus,
	       unsigned int threads, const char *options, void (*test)(struct fake *f))
{
	enum fake_model model;
	struct fake f;

	for (model = first; model <= last; model++) {
		start_with(&f, model, cpus, threads, options);
		test(&f);
		stop(&f);
	}
}

const char *fake_name(enum fake_model model)
{
	return models[model].name;
}

unsigned int fake_version(enum fake_model model)
{
	return models[model].perfmon[0] & 0xff;
}

bool has_metrics(enum fake_model model)
{
	return model == ICE_LAKE || model == TIGER_LAKE || model == SAPPHIRE_RAPIDS ||
	       model == ARROW_LAKE;
}

void wr_on(struct pmu_cpu *c, uint32_t msr, uint64_t value)
{
	assert_int_equal(pmu_wrmsr(c, msr, value), PMU_OK);
}

uint64_t rd_on(struct pmu_cpu *c, uint32_t msr)
{
	uint64_t value = 0;

	assert_int_equal(pmu_rdmsr(c, msr, &value), PMU_OK);
	return value;
}

void wr(struct fake *f, uint32_t msr, uint64_t value)
{
	wr_on(f->c, msr, value);
}

/* A write that faults must not change any register. */
void wr_gp(struct fake *f, uint32_t msr, uint64_t value)
{
	uint64_t before = 0, after = 0;
	enum pmu_result r = pmu_rdmsr(f->c, msr, &before);

	assert_int_equal(pmu_wrmsr(f->c, msr, value), PMU_GP);
	assert_int_equal(pmu_rdmsr(f->c, msr, &after), r);
	assert_int_equal(before, after);
}

uint64_t rd(struct fake *f, uint32_t msr)
{
	return rd_on(f->c, msr);
}

void rd_gp(struct fake *f, uint32_t msr)
{
	uint64_t value = 0;

	assert_int_equal(pmu_check_rdmsr(f->c, msr), PMU_GP);
	assert_int_equal(pmu_rdmsr(f->c, msr, &value), PMU_GP);
}

/* The PMU does not have this register: it leaves reads and writes to the processor. */
void no_msr(struct fake *f, uint32_t msr)
{
	uint64_t value = 7;

	assert_int_equal(pmu_rdmsr(f->c, msr, &value), PMU_NONE);
	assert_int_equal(value, 7);
	assert_int_equal(pmu_wrmsr(f->c, msr, 0), PMU_NONE);
}

uint64_t pmc(struct fake *f, uint32_t index)
{
	uint64_t value = ~0ull;

	assert_int_equal(pmu_rdpmc(f->c, index, &value), PMU_OK);
	return value;
}

void run(struct pmu_cpu *c, unsigned int priv, unsigned int n)
{
	while (n--)
		pmu_retire(c, priv);
}

void branch(struct pmu_cpu *c, unsigned int priv, enum pmu_prim kind)
{
	pmu_branch(c, priv, kind, 0x1000, 0x2000);
	pmu_retire(c, priv);
}

void retire(struct fake *f, unsigned int priv)
{
	pmu_retire_insn(f->c, priv, 0);
}

/* One instruction of these classes. */
void insn(struct fake *f, unsigned int priv, unsigned int classes)
{
	struct pmu_insn i = { .priv = priv, .classes = classes };

	pmu_insn(f->c, &i);
	pmu_retire_insn(f->c, priv, 0);
}

/* An instruction at this physical address. */
void fetch(struct fake *f, uint64_t physical)
{
	struct pmu_insn i = {
		.priv = PMU_USER, .physical = physical, .linear = physical,
		.size = 1, .page = { .cached = true },
	};

	pmu_insn(f->c, &i);
}

void data_on(struct pmu_cpu *c, uint64_t addr, unsigned int size,
	     unsigned int access, bool cached)
{
	struct pmu_access a = {
		.linear = addr, .physical = addr, .size = size, .access = access,
		.page = { .cached = cached },
	};

	pmu_data(c, PMU_USER, &a);
}

void data(struct fake *f, uint64_t addr, unsigned int size, unsigned int access)
{
	data_on(f->c, addr, size, access, true);
}

void count_on(struct fake *f, unsigned int i, uint64_t select)
{
	wr(f, IA32_PMC0 + i, 0);
	wr(f, IA32_PERFEVTSEL0 + i, select | EN);
}

uint64_t seven_on(struct fake *f, unsigned int i)
{
	count_on(f, i, INSNS | USR);
	run(f->c, PMU_KERNEL, 3);
	run(f->c, PMU_USER, 7);
	wr(f, IA32_PERFEVTSEL0 + i, 0);
	return rd(f, IA32_PMC0 + i);
}

void overflow_once(struct fake *f)
{
	wr(f, IA32_PERFEVTSEL0, INSNS | USR | INT | EN);
	wr(f, IA32_PMC0, -2);
	run(f->c, PMU_USER, 2);
}

void program_on(struct pmu_cpu *c, unsigned int i, uint64_t select)
{
	wr_on(c, GLOBAL_CTRL, 0xf);
	wr_on(c, IA32_PMC0 + i, 0);
	wr_on(c, IA32_PERFEVTSEL0 + i, select);
}
