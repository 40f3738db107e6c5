// SPDX-License-Identifier: LGPL-2.1-or-later
/* A context: scope, counters, configuration and the counting ioctls */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "context.h"
#include "device.h"
#include "error.h"
#include "libpmcdrv-read.h"
#include "libpmcdrv-sample.h"

/* Room for entry_text() with the longest event name */
#define ENTRY_TEXT_SIZE	272

PMC_API struct pmc_context *pmc_context_open(const struct pmc_device *device)
{
	struct pmc_context *context;
	int error;

	context = calloc(1, sizeof(*context));
	if (!context) {
		pmc_fail_errno("a context");
		return NULL;
	}
	context->scope = PMC_SCOPE_THREAD;
	context->cpu = PMC_CPU_ANY;
	context->fd = pmc_device_open_fd(device->path);
	if (context->fd >= 0)
		return context;
	error = errno;
	free(context);
	errno = error;
	return NULL;
}

PMC_API void pmc_context_close(struct pmc_context *context)
{
	if (!context)
		return;
	if (context->page)
		munmap(pmc_page_owner(context->page), 2 * PAGE_BYTES);
	close(context->fd);
	if (context->placer)
		context->placer->free(context->placer);
	free(context);
}

PMC_API int pmc_context_fd(const struct pmc_context *context)
{
	return context->fd;
}

/* ---- scope ---- */

PMC_PRIVATE int pmc_context_check_unconfigured(const struct pmc_context *context)
{
	if (context->configured)
		return pmc_fail(EBADFD, "the context is configured: release it first");
	return 0;
}

/* The name of what the scope follows, for messages */
static const char *task_type_name(const struct pmc_context *context)
{
	return context->scope == PMC_SCOPE_THREAD ? "thread" : "process";
}

PMC_PRIVATE bool pmc_context_follows_tasks(const struct pmc_context *context)
{
	return context->scope >= PMC_SCOPE_THREAD;
}

static int set_scope(struct pmc_context *context, enum pmc_scope scope, int tid, int cpu,
		     uint32_t flags)
{
	context->scope = scope;
	context->tid = tid;
	context->cpu = cpu;
	context->flags = flags;
	return 0;
}

static int set_task(struct pmc_context *context, enum pmc_scope scope, int tid, bool on_exec)
{
	if (pmc_context_check_unconfigured(context))
		return -1;
	if (tid < 0)
		return pmc_fail(EINVAL, "%s %d: its number is not negative",
				scope == PMC_SCOPE_THREAD ? "thread" : "process", tid);
	return set_scope(context, scope, tid, PMC_CPU_ANY, on_exec ? PMC_CONFIG_ON_EXEC : 0);
}

PMC_API int pmc_context_set_thread(struct pmc_context *context, int tid, bool on_exec)
{
	return set_task(context, PMC_SCOPE_THREAD, tid, on_exec);
}

PMC_API int pmc_context_set_process(struct pmc_context *context, int pid)
{
	return set_task(context, PMC_SCOPE_PROCESS, pid, false);
}

PMC_API int pmc_context_set_tree(struct pmc_context *context, int pid, bool on_exec)
{
	return set_task(context, PMC_SCOPE_TREE, pid, on_exec);
}

PMC_API int pmc_context_set_cpu(struct pmc_context *context, int cpu)
{
	if (pmc_context_check_unconfigured(context))
		return -1;
	if (cpu < 0)
		return pmc_fail(EINVAL, "CPU %d: a CPU's number is not negative", cpu);
	if (context->placer)
		return pmc_fail(EBADFD, "choose the CPU before adding events");
	return set_scope(context, PMC_SCOPE_CPU, 0, cpu, 0);
}

PMC_API int pmc_context_set_all_cpus(struct pmc_context *context)
{
	if (pmc_context_check_unconfigured(context))
		return -1;
	return set_scope(context, PMC_SCOPE_ALL_CPUS, 0, PMC_CPU_ANY, 0);
}

PMC_API int pmc_context_set_core_type(struct pmc_context *context, uint32_t core_type)
{
	if (pmc_context_check_unconfigured(context))
		return -1;
	if (core_type && !(core_type & ~PMC_CORE_TYPE_MODEL))
		return pmc_fail(EINVAL, "0x%08x is not a core type", core_type);
	if (context->placer)
		return pmc_fail(EBADFD, "choose the core type before adding events");
	context->core_type = core_type;
	return 0;
}

PMC_API int pmc_context_set_user_read(struct pmc_context *context)
{
	if (pmc_context_check_unconfigured(context))
		return -1;
	if (context->scope != PMC_SCOPE_THREAD)
		return pmc_fail(EINVAL, "only a thread can read its counters in user mode");
	context->flags |= PMC_CONFIG_USER_READ;
	return 0;
}

/* ---- counters ---- */

PMC_API int pmc_context_add_counter(struct pmc_context *context,
				    const struct pmc_counter_config *counter)
{
	if (pmc_context_check_unconfigured(context))
		return -1;
	if (context->placer)
		return pmc_fail(EINVAL, "a context with events takes no chosen counters");
	if (context->num_counters == PMC_COUNTERS_MAX)
		return pmc_fail(ENOSPC, "a context has at most %d counters", PMC_COUNTERS_MAX);
	context->counter[context->num_counters++] = *counter;
	return 0;
}

PMC_PRIVATE void pmc_context_set_counters(struct pmc_context *context,
					  const struct pmc_counter_config *counters, size_t num)
{
	memcpy(context->counter, counters, num * sizeof(counters[0]));
	context->num_counters = num;
}

PMC_API size_t pmc_context_num_events(const struct pmc_context *context)
{
	return context->num_counters;
}

PMC_API uint32_t pmc_context_counter(const struct pmc_context *context, size_t index)
{
	return context->counter[index].counter;
}

/* ---- sampling ---- */

PMC_API int pmc_context_set_sampling(struct pmc_context *context, uint32_t flags,
				     uint32_t frames)
{
	const uint32_t known = PMC_SAMPLE_KERNEL_CALLCHAIN | PMC_SAMPLE_USER_CALLCHAIN |
			       PMC_SAMPLE_MMAPS;

	if (pmc_context_check_unconfigured(context))
		return -1;
	if (flags & ~known)
		return pmc_fail(EINVAL, "unknown sampling flags 0x%x", flags & ~known);
	if (frames > PMC_FRAMES_MAX)
		return pmc_fail(EINVAL, "call chains of %u frames: %u are the most", frames,
				PMC_FRAMES_MAX);
	context->sample_flags = flags;
	context->frames = frames;
	return 0;
}

PMC_API int pmc_context_set_ring(struct pmc_context *context, uint32_t size, uint32_t watermark)
{
	uint32_t bytes = size ? size : PMC_RING_SIZE_DEFAULT;
	uint32_t page = sysconf(_SC_PAGESIZE);

	if (pmc_context_check_unconfigured(context))
		return -1;
	if (bytes & (bytes - 1) || bytes < page || bytes > PMC_RING_SIZE_MAX)
		return pmc_fail(EINVAL,
				"a ring of %u bytes: it must be a power of two from %u to %u", size,
				page, PMC_RING_SIZE_MAX);
	if (watermark > bytes)
		return pmc_fail(EINVAL, "a watermark of %u bytes in a ring of %u", watermark,
				bytes);
	context->ring_size = size;
	context->watermark = watermark;
	return 0;
}

PMC_API int pmc_context_set_throttle(struct pmc_context *context, uint32_t percent)
{
	if (pmc_context_check_unconfigured(context))
		return -1;
	if (percent > PMC_THROTTLE_PERCENT_MAX)
		return pmc_fail(EINVAL, "a throttle limit of %u %%: it is 1 to %u %% of a CPU's time",
				percent, PMC_THROTTLE_PERCENT_MAX);
	context->throttle_percent = percent;
	return 0;
}

PMC_PRIVATE bool pmc_context_is_sampling(const struct pmc_context *context)
{
	size_t i;

	for (i = 0; i < context->num_counters; i++)
		if (context->counter[i].period)
			return true;
	return false;
}

/* ---- configure ---- */

/* "event 'NAME'" or "counter general0", or "configuring" if no entry is at fault */
static void entry_text(const struct pmc_context *context, char *text, size_t size)
{
	const struct pmc_placer *placer = context->placer;
	uint32_t index = context->failure.index;
	char name[PMC_COUNTER_NAME_SIZE];

	if (index >= context->num_counters) {
		snprintf(text, size, "configuring");
	} else if (placer) {
		snprintf(text, size, "event '%s'", placer->name(placer, index));
	} else {
		pmc_counter_name(context->counter[index].counter, name, sizeof(name));
		snprintf(text, size, "counter %s", name);
	}
}

static int fail_refused(const struct pmc_context *context, const char *entry)
{
	if (context->failure.refused_bits && context->failure.index < context->num_counters)
		return pmc_fail(EINVAL, "%s: bits 0x%llx of the event select are not allowed here",
				entry, (unsigned long long)context->failure.refused_bits);
	if (context->scope == PMC_SCOPE_CPU)
		return pmc_fail(EINVAL, "there is no CPU %d, or the driver refuses the request",
				context->cpu);
	errno = EINVAL;
	return pmc_fail_errno("%s", entry);
}

static int fail_held(const struct pmc_context *context)
{
	char text[PMC_HOLDER_TEXT_SIZE];

	pmc_holder_text(&context->failure.holder, text, sizeof(text));
	return pmc_fail(EBUSY, "the counters are held by %s", text);
}

#define IGNORE_LEVEL "/sys/module/pmcdrv/parameters/ignore_perf_event_paranoid"

/* @counter: the entry at fault, or NULL */
static int fail_access(const struct pmc_context *context, const char *entry,
		       const struct pmc_counter_config *counter)
{
	if (!pmc_context_follows_tasks(context))
		return pmc_fail(EACCES,
				"counting a whole CPU needs CAP_PERFMON: run as root, or count a command");
	if (counter && counter->flags & PMC_COUNT_KERNEL)
		return pmc_fail(EACCES,
				"%s: counting kernel mode needs CAP_PERFMON; count user mode only",
				entry);
	if (!counter && context->sample_flags & PMC_SAMPLE_KERNEL_CALLCHAIN)
		return pmc_fail(EACCES,
				"the kernel's call chain needs CAP_PERFMON; do without PMC_SAMPLE_KERNEL_CALLCHAIN");
	if (pmc_setting("/proc/sys/kernel/perf_event_paranoid") > 2 && !pmc_setting(IGNORE_LEVEL))
		return pmc_fail(EACCES,
				"kernel.perf_event_paranoid is above 2, so counting needs CAP_PERFMON; as root: sysctl kernel.perf_event_paranoid=2, or echo 1 >%s",
				IGNORE_LEVEL);
	return pmc_fail(EACCES, "not allowed to count %s %d: another user's needs CAP_PERFMON",
			task_type_name(context), context->tid);
}

static int fail_no_device(const struct pmc_context *context)
{
	const struct pmc_hint cpu = { .topic = PMC_HINT_CPU, .cpu = context->cpu };
	struct pmc_query query;
	const char *why = NULL;
	char hint[128];

	pmc_hint_text(&cpu, hint, sizeof(hint));
	if (context->core_type && context->scope == PMC_SCOPE_CPU)
		return pmc_fail(ENODEV,
				"CPU %d does not have the requested core type, or is offline; see %s",
				context->cpu, hint);
	if (!pmc_query_cpu(context->fd, context->cpu, &query) && query.status != PMC_STATUS_OK)
		why = pmc_status_text(query.status);
	if (why)
		return pmc_fail(ENODEV, "no counters to use: %s", why);
	return pmc_fail(ENODEV,
			"no counters to use: a CPU is offline, or has none, or a hypervisor ignores writes to them; see %s. If this virtual machine has moved to another host, load the module again",
			hint);
}

static int fail_unsupported(const struct pmc_context *context, const char *entry,
			    const struct pmc_counter_config *counter)
{
	if (counter && counter->period)
		return pmc_fail(EOPNOTSUPP,
				"%s: this processor's counters do not interrupt on overflow, so they cannot be sampled",
				entry);
	if (!counter && pmc_context_follows_tasks(context) && context->tid)
		return pmc_fail(EOPNOTSUPP, "%s %d is a kernel thread: it has no user mode",
				task_type_name(context), context->tid);
	errno = EOPNOTSUPP;
	return pmc_fail_errno("%s", entry);
}

static int fail_configure(const struct pmc_context *context, int error)
{
	const struct pmc_counter_config *counter = NULL;
	char entry[ENTRY_TEXT_SIZE];

	if (context->placer && context->placer->fail(context->placer, context, error))
		return -1;
	if (context->failure.index < context->num_counters)
		counter = &context->counter[context->failure.index];
	entry_text(context, entry, sizeof(entry));
	switch (error) {
	case EINVAL:
		return fail_refused(context, entry);
	case EBUSY:
		return fail_held(context);
	case EACCES:
		return fail_access(context, entry, counter);
	case ENODEV:
		return fail_no_device(context);
	case ESRCH:
		return pmc_fail(ESRCH, "there is no %s %d: it has ended, or never existed",
				task_type_name(context), context->tid);
	case EOPNOTSUPP:
		return fail_unsupported(context, entry, counter);
	}
	errno = error;
	return pmc_fail_errno("%s", entry);
}

/* A processor without RDPMC: configure without reading in user mode. */
static int configure(const struct pmc_context *context, struct pmc_config *config)
{
	if (ioctl(context->fd, PMC_IOC_CONFIGURE, config) >= 0)
		return 0;
	if (errno != EOPNOTSUPP || !(config->flags & PMC_CONFIG_USER_READ) ||
	    config->failed_entry != PMC_ENTRY_NONE)
		return -1;
	config->flags &= ~PMC_CONFIG_USER_READ;
	return ioctl(context->fd, PMC_IOC_CONFIGURE, config);
}

static void set_failure(struct pmc_context *context, const struct pmc_config *config)
{
	context->failure = (struct pmc_failure){
		.index = config->failed_entry,
		.refused_bits = config->refused_bits,
		.holder = config->holder,
	};
}

/* Configure; while a counter is held by another context, try the placer's next choice. */
static int configure_unheld(struct pmc_context *context, struct pmc_config *config)
{
	struct pmc_placer *placer = context->placer;

	while (configure(context, config)) {
		set_failure(context, config);
		if (errno != EBUSY || !placer ||
		    !placer->retry(placer, context, &config->holder))
			return -1;
	}
	context->failure = (struct pmc_failure){ .index = PMC_ENTRY_NONE };
	return 0;
}

static int check_sampling(const struct pmc_context *context)
{
	bool samples = pmc_context_is_sampling(context);

	if (samples && context->flags & PMC_CONFIG_USER_READ)
		return pmc_fail(EINVAL, "a context with a period cannot be read in user mode");
	if (!samples && (context->sample_flags || context->frames || context->ring_size ||
			 context->watermark || context->throttle_percent))
		return pmc_fail(EINVAL, "sampling is set up, but no event has a period");
	return 0;
}

PMC_API int pmc_context_configure(struct pmc_context *context)
{
	struct pmc_placer *placer = context->placer;
	struct pmc_config config = {
		.size = sizeof(config),
		.flags = context->flags,
		.scope = context->scope,
		.cpu = context->cpu,
		.tid = context->tid,
		.nr_counters = context->num_counters,
		.counters = (uintptr_t)context->counter,
		.counter_size = sizeof(context->counter[0]),
		.failed_entry = PMC_ENTRY_NONE,
		.sample_flags = context->sample_flags,
		.frames = context->frames,
		.ring_size = context->ring_size,
		.watermark = context->watermark,
		.core_type = context->core_type,
		.throttle_percent = context->throttle_percent,
	};

	if (pmc_context_check_unconfigured(context))
		return -1;
	if (!config.nr_counters)
		return pmc_fail(EINVAL, "a context without events: add one first");
	context->failure = (struct pmc_failure){ .index = PMC_ENTRY_NONE };
	if (check_sampling(context) || (placer && placer->prepare(placer, context)))
		return -1;
	if (configure_unheld(context, &config))
		return fail_configure(context, errno);
	context->user_read = config.flags & PMC_CONFIG_USER_READ;
	context->page_stale = true;
	context->configured = true;
	return 0;
}

PMC_API const struct pmc_failure *pmc_context_failure(const struct pmc_context *context)
{
	return &context->failure;
}

/* ---- count ---- */

static int context_ioctl(struct pmc_context *context, unsigned long request, const char *what)
{
	if (ioctl(context->fd, request, 0) < 0)
		return pmc_fail_errno("%s", what);
	return 0;
}

PMC_API int pmc_context_start(struct pmc_context *context)
{
	return context_ioctl(context, PMC_IOC_START, "starting the counters");
}

PMC_API int pmc_context_stop(struct pmc_context *context)
{
	return context_ioctl(context, PMC_IOC_STOP, "stopping the counters");
}

PMC_API int pmc_context_reset(struct pmc_context *context)
{
	return context_ioctl(context, PMC_IOC_RESET, "resetting the counters");
}

PMC_API int pmc_context_release(struct pmc_context *context)
{
	if (context_ioctl(context, PMC_IOC_RELEASE, "releasing the counters"))
		return -1;
	context->configured = false;
	return 0;
}

static int ioctl_read(struct pmc_context *context, uint32_t flags, int cpu,
		      struct pmc_snapshot *snapshot)
{
	union {
		struct pmc_read read;
		unsigned char room[PMC_READ_SIZE(PMC_COUNTERS_MAX)];
	} buffer = {
		.read = { .size = sizeof(buffer), .flags = flags, .cpu = cpu },
	};
	const struct pmc_read *read = &buffer.read;
	size_t num;

	if (ioctl(context->fd, PMC_IOC_READ, &buffer) < 0)
		return pmc_fail_errno("reading the counters");
	memset(snapshot, 0, sizeof(*snapshot));
	snapshot->tsc = read->tsc;
	snapshot->time_enabled = read->time_enabled;
	snapshot->time_counted = read->time_counted;
	snapshot->cpu = read->cpu;
	snapshot->state = read->state;
	snapshot->overflows = read->overflows;
	num = read->nr_counters < PMC_COUNTERS_MAX ? read->nr_counters : PMC_COUNTERS_MAX;
	snapshot->num_values = num;
	memcpy(snapshot->value, read->value, num * sizeof(read->value[0]));
	return 0;
}

PMC_API int pmc_context_read(struct pmc_context *context, struct pmc_snapshot *snapshot)
{
	return ioctl_read(context, 0, PMC_CPU_ANY, snapshot);
}

PMC_API int pmc_context_read_cpu(struct pmc_context *context, int cpu,
				 struct pmc_snapshot *snapshot)
{
	if (cpu < 0 || context->scope != PMC_SCOPE_ALL_CPUS)
		return pmc_fail(EINVAL,
				"one CPU's part can be read of a context that counts all CPUs, by the CPU's number");
	return ioctl_read(context, PMC_READ_ONE_CPU, cpu, snapshot);
}

PMC_API int pmc_context_statistics(struct pmc_context *context, struct pmc_statistics *statistics)
{
	*statistics = (struct pmc_statistics){ .size = sizeof(*statistics) };
	if (ioctl(context->fd, PMC_IOC_STATISTICS, statistics) < 0)
		return pmc_fail_errno("asking what became of the overflows");
	return 0;
}

PMC_API int pmc_context_write(struct pmc_context *context, const uint64_t *values,
			      size_t num_values)
{
	struct pmc_write request = {
		.size = sizeof(request),
		.nr_counters = num_values,
		.values = (uintptr_t)values,
	};

	if (num_values != context->num_counters)
		return pmc_fail(EINVAL, "%zu values to write into %zu counters", num_values,
				context->num_counters);
	if (ioctl(context->fd, PMC_IOC_WRITE, &request) < 0)
		return pmc_fail_errno("writing the counters");
	return 0;
}
