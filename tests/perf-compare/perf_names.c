// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf_names: compares the event selects of perf's generic names
 *
 * Opens each generic event by perf's system call, reads the registers that the kernel has set for
 * it from /dev/cpu/0/msr, the event select and that of off-core response, and compares them with
 * what the library has for the name. Names that the kernel refuses, or that are events of AMD's
 * north bridge, must be refused by the library. Run as root with the module loaded, without other
 * users of the counters.
 *
 * Prints a line for each name: passed or failed, the name, and what both have. Not for NetBurst,
 * where a select is three registers.
 */
#include <cpuid.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <libpmcevents.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* What a general counter's register is besides the event: modes, interrupt, enable, guest, host */
#define DRIVER_BITS	(1ULL << 16 | 1ULL << 17 | 1ULL << 20 | 3ULL << 40)
#define ENABLE		(1ULL << 22)

/*
 * Events that are selected by an off-core response register: Nehalem and later, Golden Cove. The
 * kernel uses the first register if it is free.
 */
#define OFFCORE_RESPONSE	0x1b7
#define OCR			0x12a
#define MSR_OFFCORE_RSP_0	0x1a6

/* In the numbers of AMD's events of the north bridge */
#define NORTH_BRIDGE		0xe0

#define BR_MISP_EXEC_ANY	0x7f89

#define NONE		UINT64_MAX

/* An event select, and the value of an off-core response register or 0 */
struct event {
	uint64_t select;
	uint64_t extra;
};

static int msr_fd;
static const struct pmc_info *info;

static const struct {
	const char *name;
	uint64_t config;
} hardware[] = {
	{ "cpu-cycles", PERF_COUNT_HW_CPU_CYCLES },
	{ "instructions", PERF_COUNT_HW_INSTRUCTIONS },
	{ "cache-references", PERF_COUNT_HW_CACHE_REFERENCES },
	{ "cache-misses", PERF_COUNT_HW_CACHE_MISSES },
	{ "branch-instructions", PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-misses", PERF_COUNT_HW_BRANCH_MISSES },
	{ "bus-cycles", PERF_COUNT_HW_BUS_CYCLES },
	{ "stalled-cycles-frontend", PERF_COUNT_HW_STALLED_CYCLES_FRONTEND },
	{ "stalled-cycles-backend", PERF_COUNT_HW_STALLED_CYCLES_BACKEND },
	{ "ref-cycles", PERF_COUNT_HW_REF_CPU_CYCLES },
};

static const char *const caches[] = {
	[PERF_COUNT_HW_CACHE_L1D] = "L1-dcache",
	[PERF_COUNT_HW_CACHE_L1I] = "L1-icache",
	[PERF_COUNT_HW_CACHE_LL] = "LLC",
	[PERF_COUNT_HW_CACHE_DTLB] = "dTLB",
	[PERF_COUNT_HW_CACHE_ITLB] = "iTLB",
	[PERF_COUNT_HW_CACHE_BPU] = "branch",
	[PERF_COUNT_HW_CACHE_NODE] = "node",
};

static const char *const operations[][2] = {
	[PERF_COUNT_HW_CACHE_OP_READ] = { "loads", "load-misses" },
	[PERF_COUNT_HW_CACHE_OP_WRITE] = { "stores", "store-misses" },
	[PERF_COUNT_HW_CACHE_OP_PREFETCH] = { "prefetches", "prefetch-misses" },
};

static uint64_t read_msr(uint32_t msr)
{
	uint64_t value;

	return pread(msr_fd, &value, sizeof(value), msr) == sizeof(value) ? value : 0;
}

/* The event select of a fixed counter's event */
static uint64_t fixed_select(void)
{
	static const uint64_t selects[] = { 0xc0, 0x3c, 0x13c, 0x1a4 };
	uint64_t control = read_msr(0x38d);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(selects); i++)
		if (control >> 4 * i & 3)
			return selects[i];
	return NONE;
}

/* The event select of the one counter that counts */
static uint64_t active_select(bool amd)
{
	static const struct {
		uint32_t msr;
		uint32_t step;
	} general[] = { { 0x186, 1 }, { 0xc0010200, 2 }, { 0xc0010000, 1 } };
	uint64_t select;
	size_t set;
	int i;

	for (set = amd; set < (amd ? 3 : 1); set++)
		for (i = 0; i < (amd ? 6 - 2 * (int)(set == 2) : 8); i++) {
			select = read_msr(general[set].msr + i * general[set].step);
			if (select & ENABLE)
				return select & ~(DRIVER_BITS | ENABLE);
		}
	return amd ? NONE : fixed_select();
}

/* NONE if the kernel refuses the event, or shares a counter between cores for it */
static struct event perf_event(uint32_t type, uint64_t config, bool amd)
{
	struct perf_event_attr attr = {
		.type = type,
		.size = sizeof(attr),
		.config = config,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	struct event event = { .select = NONE };

	if (fd < 0)
		return event;
	event.select = active_select(amd);
	if (amd && (event.select & NORTH_BRIDGE) == NORTH_BRIDGE)
		event.select = NONE;
	if (!amd && (event.select == OFFCORE_RESPONSE || event.select == OCR))
		event.extra = read_msr(MSR_OFFCORE_RSP_0);
	close(fd);
	return event;
}

/* CPUID.07H:EDX[15] */
static bool is_hybrid(void)
{
	unsigned int eax, ebx, ecx, edx;

	return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) && edx >> 15 & 1;
}

/* NONE if the library, or the CPU for lack of an architectural event, refuses the name */
static struct event library_event(const char *name)
{
	struct event event = { .select = NONE };
	struct pmc_event *parsed;
	char of_core[96];

	snprintf(of_core, sizeof(of_core), is_hybrid() ? "cpu_core/%s/" : "%s", name);
	parsed = pmc_event_parse(of_core);

	if (parsed && !pmc_info_can_count(info, parsed)) {
		event.select = pmc_event_select(parsed);
		event.extra = pmc_event_extra(parsed);
	}
	pmc_event_free(parsed);
	return event;
}

static void compare(const char *name, uint32_t type, uint64_t config, bool amd)
{
	struct event theirs = perf_event(type, config, amd), ours = library_event(name);
	const char *verdict;

	/*
	 * Erratum AAJ80 of Nehalem: CPUID reports no mispredicted branches retired. The kernel
	 * counts executed ones instead, the library refuses the name.
	 */
	if (theirs.select == BR_MISP_EXEC_ANY)
		theirs.select = NONE;
	verdict = theirs.select == ours.select && theirs.extra == ours.extra ? "passed" : "failed";

	if (theirs.select == NONE && ours.select == NONE)
		printf("%s %s: refused by both\n", verdict, name);
	else
		printf("%s %s: perf 0x%llx 0x%llx, pmcdrv 0x%llx 0x%llx\n", verdict, name,
		       (unsigned long long)theirs.select, (unsigned long long)theirs.extra,
		       (unsigned long long)ours.select, (unsigned long long)ours.extra);
}

static bool is_amd(void)
{
	char line[256];
	bool amd = false;
	FILE *file = fopen("/proc/cpuinfo", "r");

	while (file && fgets(line, sizeof(line), file))
		amd |= strstr(line, "AuthenticAMD") || strstr(line, "HygonGenuine");
	if (file)
		fclose(file);
	return amd;
}

int main(void)
{
	bool amd = is_amd();
	unsigned int cache, operation, result;
	struct pmc_device *device;
	cpu_set_t cpus;
	char name[64];
	size_t i;

	device = pmc_device_open(NULL);
	info = device ? pmc_device_get_info(device, 0) : NULL;
	if (!info) {
		fprintf(stderr, "perf_names: %s\n", pmc_error());
		return 1;
	}
	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	msr_fd = open("/dev/cpu/0/msr", O_RDONLY);
	if (msr_fd < 0 || sched_setaffinity(0, sizeof(cpus), &cpus)) {
		perror("perf_names: /dev/cpu/0/msr");
		return 1;
	}
	for (i = 0; i < ARRAY_SIZE(hardware); i++)
		compare(hardware[i].name, PERF_TYPE_HARDWARE, hardware[i].config, amd);
	for (cache = 0; cache < ARRAY_SIZE(caches); cache++)
		for (operation = 0; operation < ARRAY_SIZE(operations); operation++)
			for (result = 0; result < 2; result++) {
				snprintf(name, sizeof(name), "%s-%s", caches[cache],
					 operations[operation][result]);
				compare(name, PERF_TYPE_HW_CACHE,
					cache | operation << 8 | result << 16, amd);
			}
	return 0;
}
