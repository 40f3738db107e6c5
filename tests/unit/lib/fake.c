// SPDX-License-Identifier: GPL-2.0-only
/*
 * A fake driver: replaces the system calls on /dev/pmc, the files of the NMI watchdog and of
 * pce, and the library's CPUID (fake.h)
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fake.h"

#define FILES_MAX	64
#define KNOWN_SELECT	0xffffffffULL

/* An open file of the device; the index in files[] is its descriptor */
static struct file {
	bool is_device;
	bool configured;
	bool running;
	struct pmc_config config;
	uint64_t value[PMC_COUNTERS_MAX];
	bool written;
	bool samples;
	uint64_t reads_at_start;
} files[FILES_MAX];

static uint64_t reads;

struct fake fake;

void fake_reset(void)
{
	fake_rings_drop();
	memset(&fake, 0, sizeof(fake));
	reads = 0;
	fake.path = PMC_DEVICE;
	fake.offline = -1;
	fake.watchdog = '0';
	fake.first_count = 1000;
	fake.select_mask = 0xffa4ffff;
	fake.fixed_mask = 1 << 21;
	fake.query = (struct pmc_query){
		.abi_version = PMC_ABI_VERSION,
		.status = PMC_STATUS_OK,
		.family = PMC_FAMILY_CORE,
		.features = PMC_FEATURE(MSR) | PMC_FEATURE(TSC) | PMC_FEATURE(RDPMC) |
			    PMC_FEATURE(FIXED) | PMC_FEATURE(GLOBAL_CTRL) |
			    PMC_FEATURE(INTERRUPT) | PMC_FEATURE(ANY_THREAD),
		.vendor = "GenuineIntel",
		.cpu_family = 6,
		.cpu_model = 85,
		.cpu_stepping = 4,
		.perfmon_version = 4,
		.general_counters = 0xf,
		.fixed_counters = 0x7,
		.general_width = 48,
		.fixed_width = 48,
		.events_described = 7,
		.event_select_mask = fake.select_mask,
		.cpuid_0ah = { 0x07300404, 0, 0, 0x603 },
		.tsc_khz = 2600000,
	};
}

/* libpfm4 detects the real processor: force Skylake. */
static __attribute__((constructor)) void force_libpfm(void)
{
	setenv("LIBPFM_FORCE_PMU", "skx", 0);
}

/* ---- other processors ---- */

static void set_processor(unsigned int family, unsigned int model)
{
	fake.query.cpu_family = family;
	fake.query.cpu_model = model;
	fake.query.perfmon_version = 0;
	fake.query.fixed_counters = 0;
	fake.query.fixed_width = 0;
	fake.query.events_described = 0;
	fake.query.general_counters = 0x3;
	fake.query.general_width = 40;
	memset(fake.query.cpuid_0ah, 0, sizeof(fake.query.cpuid_0ah));
}

void fake_pentium(bool mmx)
{
	set_processor(5, mmx ? 4 : 2);
	fake.query.features = PMC_FEATURE(MSR) | PMC_FEATURE(TSC) |
			      (mmx ? PMC_FEATURE(RDPMC) : 0);
	fake.select_mask = 0x13f;
	fake.query.event_select_mask = fake.select_mask;
}

void fake_p6(unsigned int model)
{
	set_processor(6, model);
	fake.query.features = PMC_FEATURE(MSR) | PMC_FEATURE(TSC) | PMC_FEATURE(RDPMC);
	fake.select_mask = 0xff84ffff;
	fake.query.event_select_mask = fake.select_mask;
}

/* A Pentium 4. PMC_IOC_CONFIGURE does not check for conflicts of ESCRs. */
void fake_netburst(unsigned int model)
{
	set_processor(15, model);
	fake.query.features = PMC_FEATURE(MSR) | PMC_FEATURE(TSC) | PMC_FEATURE(RDPMC);
	fake.query.general_counters = 0x3ffff;
	fake.select_mask = 0x7ffffff041fce000;
	fake.query.event_select_mask = fake.select_mask;
}

/* An AMD processor; from family 15h on it has the core extension */
void fake_amd(unsigned int family)
{
	set_processor(family, 1);
	memcpy(fake.query.vendor, "AuthenticAMD", sizeof("AuthenticAMD"));
	fake.query.family = PMC_FAMILY_AMD;
	fake.query.features = PMC_FEATURE(MSR) | PMC_FEATURE(TSC) | PMC_FEATURE(RDPMC) |
			      PMC_FEATURE(INTERRUPT) | PMC_FEATURE(FULL_WIDTH);
	fake.query.general_counters = family < 0x15 ? 0xf : 0x3f;
	fake.query.general_width = 48;
	fake.select_mask = 0x30fff84ffff;
	fake.query.event_select_mask = fake.select_mask;
}

void fake_core(unsigned int model, uint64_t general_counters)
{
	fake.query.cpu_model = model;
	fake.query.general_counters = general_counters;
}

void fake_metrics(void)
{
	fake.query.general_counters = 0xff;
	fake.query.fixed_counters = 0xf;
	fake.query.events_described = 8;
	fake.query.features |= PMC_FEATURE(METRICS);
}

/* CPU 0 is a P-core. CPU 1 is an E-core (Atom), which has fewer counters. */
void fake_hybrid(void)
{
	fake_metrics();
	fake.query.core_type = 0x40000001;
	fake.second = fake.query;
	fake.second.size = sizeof(fake.second);
	fake.second.core_type = 0x20000002;
	fake.second.general_counters = 0x3f;
	fake.second.fixed_counters = 0x7;
	fake.second.events_described = 7;
	fake.second.features &= ~PMC_FEATURE(METRICS);
}

/* Replaces the CPUID of the library. */
void __wrap_pmc_processor_read_cpuid(struct pmc_query *query)
{
	*query = fake.query;
}

/* The fake processor has libpfm4's names by LIBPFM_FORCE_PMU, but remains what it is. */
bool __wrap_pmc_pfm_forced_processor(struct pmc_processor *processor)
{
	return fake.forced_names && __real_pmc_pfm_forced_processor(processor);
}

static int slot(uint32_t counter)
{
	if (counter == PMC_COUNTER_METRICS)
		return 63;
	return (counter & 31) + (counter & PMC_COUNTER_FIXED_FLAG ? 32 : 0);
}

struct pmc_holder *fake_holder(uint32_t counter)
{
	struct pmc_holder *holder = &fake.holder[slot(counter)];

	holder->counter = counter;
	return holder;
}

static int fail(int error)
{
	errno = error;
	return -1;
}

static const struct pmc_query *query_of(int cpu)
{
	return cpu == 1 && fake.second.size ? &fake.second : &fake.query;
}

static bool has_counter(const struct pmc_query *query, uint32_t counter)
{
	uint64_t mask = counter & PMC_COUNTER_FIXED_FLAG ? query->fixed_counters :
							    query->general_counters;
	uint32_t number = counter & ~PMC_COUNTER_FIXED_FLAG;

	if (counter == PMC_COUNTER_METRICS)
		return query->features & PMC_FEATURE(METRICS);
	return number < 64 && mask >> number & 1;
}

static uint64_t select_mask(uint32_t counter)
{
	if (counter == PMC_COUNTER_METRICS)
		return 0;
	return counter & PMC_COUNTER_FIXED_FLAG ? fake.fixed_mask : fake.select_mask;
}

static uint64_t period_max(void)
{
	return fake.query.features & PMC_FEATURE(INTERRUPT) ? 0x7fffffff : 0;
}

/* ---- queries ---- */

static int choose_cpu(int32_t *cpu)
{
	if (*cpu < PMC_CPU_ANY || *cpu >= FAKE_CPUS)
		return fail(EINVAL);
	if (*cpu == PMC_CPU_ANY)
		*cpu = 0;
	return 0;
}

static int do_query(struct pmc_query *query)
{
	int32_t cpu = query->cpu;

	if (query->size < sizeof(*query) || query->flags)
		return fail(EINVAL);
	if (choose_cpu(&cpu))
		return -1;
	*query = *query_of(cpu);
	query->size = sizeof(*query);
	query->cpu = cpu;
	if (cpu == fake.offline)
		*query = (struct pmc_query){
			.size = sizeof(*query), .cpu = cpu, .abi_version = PMC_ABI_VERSION,
			.status = PMC_STATUS_OFFLINE,
		};
	return 0;
}

static int do_counter(struct pmc_counter *counter)
{
	bool fixed = counter->counter & PMC_COUNTER_FIXED_FLAG;
	uint32_t number = counter->counter & ~PMC_COUNTER_FIXED_FLAG;
	const struct pmc_query *query;

	if (counter->size < sizeof(*counter) || counter->flags || counter->reserved)
		return fail(EINVAL);
	if (choose_cpu(&counter->cpu))
		return -1;
	if (fake.query.status != PMC_STATUS_OK)
		return fail(ENODEV);
	query = query_of(counter->cpu);
	if (!has_counter(query, counter->counter))
		return fail(ENXIO);
	counter->width = fixed ? query->fixed_width : query->general_width;
	counter->write_width = fixed ? counter->width : 32;
	counter->event_select_mask = fixed ? fake.fixed_mask : query->event_select_mask;
	counter->rdpmc = counter->counter;
	counter->select_msr = fixed ? 0x38d : 0x186 + number;
	counter->counter_msr = (fixed ? 0x309 : 0xc1) + number;
	counter->holder = fake.holder[slot(counter->counter)];
	counter->period_max = period_max();
	if (counter->counter == PMC_COUNTER_METRICS) {
		counter->width = 64;
		counter->event_select_mask = 0;
		counter->select_msr = 0;
		counter->counter_msr = 0x329;
		counter->period_max = 0;
	}
	if (fake.on_counter)
		fake.on_counter(counter);
	return 0;
}

static int do_tsc(struct pmc_tsc *tsc)
{
	if (tsc->size < sizeof(*tsc) || tsc->flags)
		return fail(EINVAL);
	tsc->tsc = 0x123456789abcdefULL;
	if (__atomic_load_n(&fake.clock, __ATOMIC_SEQ_CST))
		tsc->tsc = __atomic_fetch_add(&fake.clock, 1, __ATOMIC_SEQ_CST);
	tsc->cpu = 1;
	return 0;
}

/* ---- configure ---- */

static int check_entry(const struct pmc_counter_config *entry, struct pmc_config *config)
{
	const struct pmc_holder *holder = &fake.holder[slot(entry->counter)];

	if (!entry->flags || entry->flags & ~(PMC_COUNT_USER | PMC_COUNT_KERNEL) ||
	    entry->reserved)
		return fail(EINVAL);
	if (!has_counter(&fake.query, entry->counter))
		return fail(ENXIO);
	config->refused_bits = entry->event_select & ~select_mask(entry->counter);
	if (config->refused_bits)
		return fail(EINVAL);
	/* D0H to D3H while a sibling thread is online; others for another reason */
	if (fake.query.quirks & PMC_QUIRK(HT_LEAK) && (entry->event_select & 0xf8) == 0xd0)
		return fail(EDOM);
	if (entry->event_extra && fake.extra_error) {
		config->refused_bits = fake.extra_refused;
		return fail(fake.extra_error);
	}
	if (entry->flags & PMC_COUNT_KERNEL && fake.locked_down)
		return fail(EPERM);
	if (entry->flags & PMC_COUNT_KERNEL && fake.unprivileged)
		return fail(EACCES);
	if ((entry->event_select & 1 << 21 || (entry->event_select & 0x2ff) == 0x2b1) &&
	    fake.unprivileged)
		return fail(EACCES);
	if (entry->period && !period_max())
		return fail(EOPNOTSUPP);
	if (entry->period > period_max())
		return fail(ERANGE);
	if (holder->kind != PMC_HOLDER_NONE) {
		config->holder = *holder;
		return fail(EBUSY);
	}
	return 0;
}

static int check_entries(struct pmc_config *config)
{
	const struct pmc_counter_config *entries = (void *)(uintptr_t)config->counters;
	uint64_t seen = 0;
	uint32_t i;

	for (i = 0; i < config->nr_counters; i++) {
		config->failed_entry = i;
		if (check_entry(&entries[i], config))
			return -1;
		if (seen >> slot(entries[i].counter) & 1)
			return fail(EINVAL);
		seen |= 1ULL << slot(entries[i].counter);
	}
	config->failed_entry = PMC_ENTRY_NONE;
	return 0;
}

static bool has_period(const struct pmc_config *config)
{
	const struct pmc_counter_config *entries = (void *)(uintptr_t)config->counters;
	uint32_t i;

	for (i = 0; i < config->nr_counters; i++)
		if (entries[i].period)
			return true;
	return false;
}

static uint32_t ring_size(const struct pmc_config *config)
{
	return config->ring_size ? config->ring_size : PMC_RING_SIZE_DEFAULT;
}

static uint32_t watermark(const struct pmc_config *config)
{
	return config->watermark ? config->watermark : ring_size(config) / 2;
}

static int check_sampling(const struct pmc_config *config)
{
	const uint32_t flags = PMC_SAMPLE_KERNEL_CALLCHAIN | PMC_SAMPLE_USER_CALLCHAIN |
			       PMC_SAMPLE_MMAPS;

	if (!has_period(config))
		return config->sample_flags || config->frames || config->ring_size ||
		       config->watermark ? fail(EINVAL) : 0;
	if (config->flags & PMC_CONFIG_USER_READ || config->sample_flags & ~flags ||
	    config->frames > PMC_FRAMES_MAX || ring_size(config) < 4096 ||
	    ring_size(config) > PMC_RING_SIZE_MAX || ring_size(config) & (ring_size(config) - 1) ||
	    watermark(config) > ring_size(config))
		return fail(EINVAL);
	if (config->sample_flags & PMC_SAMPLE_KERNEL_CALLCHAIN && fake.unprivileged)
		return fail(EACCES);
	return 0;
}

static int check_scope(const struct pmc_config *config)
{
	switch (config->scope) {
	case PMC_SCOPE_CPU:
		if (config->tid || config->flags || config->cpu < 0 || config->cpu >= FAKE_CPUS)
			return fail(EINVAL);
		if (config->cpu == fake.offline)
			return fail(ENODEV);
		return fake.unprivileged ? fail(EACCES) : 0;
	case PMC_SCOPE_ALL_CPUS:
		if (config->tid || config->flags || config->cpu != PMC_CPU_ANY)
			return fail(EINVAL);
		return fake.unprivileged ? fail(EACCES) : 0;
	case PMC_SCOPE_THREAD:
	case PMC_SCOPE_PROCESS:
	case PMC_SCOPE_TREE:
		if (config->flags & PMC_CONFIG_USER_READ && fake.user_read_error)
			return fail(fake.user_read_error);
		if (config->flags & ~(PMC_CONFIG_ON_EXEC | PMC_CONFIG_USER_READ) ||
		    config->cpu != PMC_CPU_ANY)
			return fail(EINVAL);
		return fake.foreign ? fail(EACCES) : 0;
	}
	return fail(EINVAL);
}

static int do_configure(struct file *file, struct pmc_config *config)
{
	const struct pmc_counter_config *entries = (void *)(uintptr_t)config->counters;
	uint32_t i;

	config->failed_entry = PMC_ENTRY_NONE;
	config->refused_bits = 0;
	if (config->size < sizeof(*config) || config->counter_size < sizeof(*entries) ||
	    !config->nr_counters)
		return fail(EINVAL);
	if (config->nr_counters > PMC_COUNTERS_MAX)
		return fail(ENOSPC);
	if (file->configured)
		return fail(EBADFD);
	if (fake.query.status != PMC_STATUS_OK)
		return fail(ENODEV);
	if (check_scope(config) || check_entries(config) || check_sampling(config))
		return -1;
	if (has_period(config))
		fake_rings_make(ring_size(config), watermark(config),
				config->scope == PMC_SCOPE_CPU ? config->cpu : -1);
	file->samples = has_period(config);
	file->configured = true;
	file->running = false;
	file->written = false;
	file->config = *config;
	for (i = 0; i < config->nr_counters; i++)
		file->value[i] = entries[i].initial;
	fake.config = *config;
	memcpy(fake.counters, entries, config->nr_counters * sizeof(*entries));
	return 0;
}

/* ---- count ---- */

static bool has_ended(pid_t pid)
{
	siginfo_t info = { .si_pid = 0 };

	return !waitid(P_PID, pid, &info, WEXITED | WNOHANG | WNOWAIT) && info.si_pid == pid;
}

static int do_start(struct file *file)
{
	uint32_t i;

	file->running = true;
	if (fake.leaves && file->config.cpu >= 0)
		fake.offline = file->config.cpu;
	if (fake.started)
		__real_close(creat(fake.started, 0666));
	if (file->samples && fake.on_start)
		fake.on_start();
	file->reads_at_start = reads;
	if (!file->written)
		for (i = 0; i < file->config.nr_counters; i++)
			file->value[i] += fake.first_count + i;
	return 0;
}

/* Counts that were read since START are kept, so that no count decreases. */
static int do_stop(struct file *file)
{
	uint32_t i;

	if (file->running && reads > file->reads_at_start)
		for (i = 0; i < file->config.nr_counters; i++)
			file->value[i] += reads;
	if (file->running && file->samples && fake.on_stop)
		fake.on_stop();
	file->running = false;
	return 0;
}

/* A CPU's share of a count: CPU 1 has a third, CPU 0 the rest, -1 means the whole count */
static uint64_t cpu_part(uint64_t count, int cpu)
{
	if (cpu < 0)
		return count;
	return cpu ? count / 3 : count - count / 3;
}

/* Is the CPU online, and does it have the counted core type? */
static bool counts_on(const struct file *file, int cpu)
{
	uint32_t kind = file->config.core_type & ~PMC_CORE_TYPE_MODEL;

	return cpu != fake.offline &&
	       (!kind || (query_of(cpu)->core_type & ~PMC_CORE_TYPE_MODEL) == kind);
}

static int do_read(struct file *file, struct pmc_read *read)
{
	uint32_t num = file->config.nr_counters;
	bool one_cpu = read->flags & PMC_READ_ONE_CPU;
	bool any_cpu = read->cpu == PMC_CPU_ANY;

	if (read->flags & ~PMC_READ_ONE_CPU || read->nr_counters ||
	    one_cpu == any_cpu || read->cpu >= FAKE_CPUS ||
	    (one_cpu && file->config.scope != PMC_SCOPE_ALL_CPUS))
		return fail(EINVAL);
	if (read->size < PMC_READ_SIZE(num))
		return fail(ENOSPC);
	if (fake.on_read)
		fake.on_read();
	read->cpu = one_cpu ? read->cpu : -1;
	read->nr_counters = num;
	read->state = file->running ? PMC_STATE_RUNNING : 0;
	read->tsc = 5000000;
	read->time_enabled = 4000;
	read->time_counted = fake.setuid ? 0 : 3000;
	if (one_cpu && !counts_on(file, read->cpu))
		read->time_counted = 0;
	read->overflows = fake.statistics.sampled + fake.statistics.lost +
			  fake.statistics.throttled;
	if (file->config.scope >= PMC_SCOPE_THREAD && file->config.tid &&
	    has_ended(file->config.tid))
		read->state = PMC_STATE_ENDED;
	if (fake.incomplete)
		read->state |= PMC_STATE_INCOMPLETE;
	if (fake.uncounted)
		read->state |= PMC_STATE_UNCOUNTED;
	if (fake.rewritten)
		read->state |= PMC_STATE_REWRITTEN;
	if (fake.storm)
		read->state |= PMC_STATE_STORM;
	if (file->config.cpu >= 0 && file->config.cpu == fake.offline)
		read->state |= PMC_STATE_OFFLINE;
	for (uint32_t i = 0; i < num; i++)
		read->value[i] = cpu_part(file->value[i] + (file->running ? reads : 0),
					  one_cpu ? read->cpu : -1);
	if (one_cpu && !counts_on(file, read->cpu))
		memset(read->value, 0, num * sizeof(read->value[0]));
	reads += !fake.steady;
	return 0;
}

static int do_write(struct file *file, const struct pmc_write *write)
{
	if (write->size < sizeof(*write) || write->flags || write->reserved ||
	    write->nr_counters != file->config.nr_counters)
		return fail(EINVAL);
	memcpy(file->value, (void *)(uintptr_t)write->values,
	       write->nr_counters * sizeof(file->value[0]));
	file->written = true;
	return 0;
}

static int do_statistics(const struct file *file, struct pmc_statistics *statistics)
{
	if (statistics->size < sizeof(*statistics) || statistics->flags)
		return fail(EINVAL);
	if (!file->samples)
		return fail(EBADFD);
	*statistics = fake.statistics;
	statistics->size = sizeof(*statistics);
	return 0;
}

static int do_context(struct file *file, unsigned long request, void *argument)
{
	if (!file->configured)
		return fail(EBADFD);
	switch (request) {
	case PMC_IOC_START:
		return argument ? fail(EINVAL) : do_start(file);
	case PMC_IOC_STOP:
		return argument ? fail(EINVAL) : do_stop(file);
	case PMC_IOC_READ:
		return do_read(file, argument);
	case PMC_IOC_WRITE:
		return do_write(file, argument);
	case PMC_IOC_STATISTICS:
		return do_statistics(file, argument);
	case PMC_IOC_RESET:
		memset(file->value, 0, sizeof(file->value));
		return argument ? fail(EINVAL) : 0;
	case PMC_IOC_RELEASE:
		file->configured = false;
		return argument ? fail(EINVAL) : 0;
	}
	return fail(ENOTTY);
}

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	void *argument;

	va_start(args, request);
	argument = va_arg(args, void *);
	va_end(args);
	if (fd < 0 || fd >= FILES_MAX || !files[fd].is_device)
		return __real_ioctl(fd, request, argument);
	if (fake.ioctl_error[_IOC_NR(request) % 32])
		return fail(fake.ioctl_error[_IOC_NR(request) % 32]);
	switch (request) {
	case PMC_IOC_QUERY:
		if (fake.signal)
			raise(fake.signal);
		fake.signal = 0;
		return do_query(argument);
	case PMC_IOC_COUNTER:
		return do_counter(argument);
	case PMC_IOC_TSC:
		return do_tsc(argument);
	case PMC_IOC_CONFIGURE:
		return do_configure(&files[fd], argument);
	}
	return do_context(&files[fd], request, argument);
}

/* ---- files ---- */

/* @text: the contents, or NULL for no such file */
static int open_setting(const char *text)
{
	int pipes[2];

	if (!text)
		return fail(ENOENT);
	if (pipe(pipes) || write(pipes[1], text, strlen(text)) != (ssize_t)strlen(text))
		abort();
	__real_close(pipes[1]);
	return pipes[0];
}

static int open_pce(int flags)
{
	if (fake.open_error)
		return fail(fake.open_error);
	if (fake.pce_error && flags & O_WRONLY)
		return fail(fake.pce_error);
	return fake.pce ? __real_open(fake.pce, flags) : fail(ENOENT);
}

int __wrap_open(const char *path, int flags, ...)
{
	const char watchdog[] = { fake.watchdog, '\n', '\0' };
	int fd;

	if (!strcmp(path, "/proc/sys/kernel/nmi_watchdog"))
		return open_setting(fake.watchdog ? watchdog : NULL);
	if (!strcmp(path, "/proc/sys/kernel/perf_event_paranoid"))
		return open_setting(fake.paranoid);
	if (!strcmp(path, "/sys/module/pmcdrv/parameters/ignore_perf_event_paranoid"))
		return open_setting(fake.ignores_paranoid ? "Y\n" : "N\n");
	if (!strcmp(path, "/sys/class/misc/pmc/pce"))
		return open_pce(flags);
	if (!fake.path || strcmp(path, fake.path))
		return __real_open(path, flags);
	if (fake.open_error)
		return fail(fake.open_error);
	fd = __real_open("/dev/null", flags);
	if (fd < 0 || fd >= FILES_MAX)
		abort();
	memset(&files[fd], 0, sizeof(files[fd]));
	files[fd].is_device = true;
	fake.open_files++;
	return fd;
}

int __wrap_close(int fd)
{
	if (fd >= 0 && fd < FILES_MAX && files[fd].is_device) {
		files[fd].is_device = false;
		fake.open_files--;
	}
	return __real_close(fd);
}

/* The user page. The test can write it, by a second mapping of the same memory. */
void *__wrap_mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
	const struct file *file = fd >= 0 && fd < FILES_MAX ? &files[fd] : NULL;
	void *mapped;
	int memory;

	if (!file || !file->is_device)
		return __real_mmap(address, size, protection, flags, fd, offset);
	if (file->configured && file->samples)
		return fake_ring_map(size, protection, flags, offset);
	if (fake.mmap_error) {
		errno = fake.mmap_error;
		return MAP_FAILED;
	}
	if (!file->configured || !(file->config.flags & PMC_CONFIG_USER_READ) ||
	    protection != PROT_READ || !(flags & MAP_SHARED) || offset) {
		errno = EINVAL;
		return MAP_FAILED;
	}
	memory = memfd_create("page", 0);
	if (memory < 0 || ftruncate(memory, size))
		abort();
	fake.page = __real_mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
	fake.page->size = sizeof(*fake.page);
	fake.page->sequence = PMC_PAGE_UNAVAILABLE;
	fake.page->nr_counters = file->config.nr_counters;
	mapped = __real_mmap(address, size, protection, flags, memory, 0);
	__real_close(memory);
	return mapped;
}

int __wrap_munmap(void *address, size_t size)
{
	return fake_ring_unmap(address) ? 0 : __real_munmap(address, size);
}

ssize_t __wrap_read(int fd, void *buffer, size_t size)
{
	if (fd < 0 || fd >= FILES_MAX || !files[fd].is_device)
		return __real_read(fd, buffer, size);
	if (!files[fd].configured || !files[fd].samples)
		return fail(EBADFD);
	if (fake.read_signals) {
		fake.read_signals--;
		return fail(EINTR);
	}
	return fake_rings_read(buffer, size, !files[fd].running);
}

/* Supports the device as the only descriptor; without it, the real poll() */
int __wrap_poll(struct pollfd *fds, nfds_t num, int timeout_ms)
{
	const struct file *file = num && fds[0].fd >= 0 ? &files[fds[0].fd] : NULL;

	if (!file || fds[0].fd >= FILES_MAX || !file->is_device)
		return __real_poll(fds, num, timeout_ms);
	if (num != 1)
		abort();
	if (fake.poll_error)
		return fail(fake.poll_error);
	fds[0].revents = POLLERR;
	if (file->configured && file->samples)
		fds[0].revents = fake_rings_poll(!file->running, timeout_ms);
	return fds[0].revents ? 1 : 0;
}

/* The device's events, without waiting */
static short device_events(int fd)
{
	const struct file *file = &files[fd];

	if (!file->configured || !file->samples)
		return POLLERR;
	return fake_rings_poll(!file->running, 0);
}

/* With the device among the descriptors it polls all of them every millisecond. */
int __wrap_ppoll(struct pollfd *fds, nfds_t num, const struct timespec *timeout,
		 const sigset_t *mask)
{
	const struct timespec step = { .tv_nsec = 1000000 };
	int device = num && fds[0].fd >= 0 && fds[0].fd < FILES_MAX &&
		     files[fds[0].fd].is_device ? fds[0].fd : -1;
	long steps = timeout ? timeout->tv_sec * 1000 + timeout->tv_nsec / 1000000 : -1;
	int ready = 0;

	if (device < 0)
		return __real_ppoll(fds, num, timeout, mask);
	for (; !ready && steps; steps--) {
		fds[0].fd = -1;
		ready = __real_ppoll(fds, num, &step, mask);
		fds[0].fd = device;
		if (ready < 0)
			return ready;
		fds[0].revents = device_events(device) & (fds[0].events | POLLHUP | POLLERR);
		ready += fds[0].revents ? 1 : 0;
	}
	return ready;
}
