// SPDX-License-Identifier: LGPL-2.1-or-later
/* A context: what to count, and counting it */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "internal.h"
#include "core_type.h"
#include "netburst.h"
#include "event_select.h"

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
	pmc_matching_init(&context->match);
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
	pmc_page_unmap(context);
	close(context->fd);
	pmc_info_free(context->info);
	free(context);
}

PMC_API int pmc_context_fd(const struct pmc_context *context)
{
	return context->fd;
}

/* ---- what to count ---- */

static int check_unconfigured(const struct pmc_context *context)
{
	if (context->configured)
		return pmc_fail(EBADFD, "the context is configured: release it first");
	return 0;
}

/* What a scope that follows threads counts, in a word for messages */
static const char *task_type_name(const struct pmc_context *context)
{
	return context->scope == PMC_SCOPE_THREAD ? "thread" : "process";
}

static bool follows_tasks(const struct pmc_context *context)
{
	return context->scope >= PMC_SCOPE_THREAD;
}

static int set_task(struct pmc_context *context, enum pmc_scope scope, int tid, bool on_exec)
{
	if (check_unconfigured(context))
		return -1;
	if (tid < 0)
		return pmc_fail(EINVAL, "%s %d: its number is not negative",
				scope == PMC_SCOPE_THREAD ? "thread" : "process", tid);
	context->scope = scope;
	context->tid = tid;
	context->cpu = PMC_CPU_ANY;
	context->flags = on_exec ? PMC_CONFIG_ON_EXEC : 0;
	return 0;
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
	if (check_unconfigured(context))
		return -1;
	if (cpu < 0)
		return pmc_fail(EINVAL, "CPU %d: a CPU's number is not negative", cpu);
	if (context->info)
		return pmc_fail(EBADFD, "choose the CPU before adding events");
	context->scope = PMC_SCOPE_CPU;
	context->tid = 0;
	context->cpu = cpu;
	context->flags = 0;
	return 0;
}

PMC_API int pmc_context_set_all_cpus(struct pmc_context *context)
{
	if (check_unconfigured(context))
		return -1;
	context->scope = PMC_SCOPE_ALL_CPUS;
	context->tid = 0;
	context->cpu = PMC_CPU_ANY;
	context->flags = 0;
	return 0;
}

PMC_API int pmc_context_set_core_type(struct pmc_context *context, uint32_t core_type)
{
	if (check_unconfigured(context))
		return -1;
	if (core_type && !(core_type & ~PMC_CORE_TYPE_MODEL))
		return pmc_fail(EINVAL, "0x%08x is no kind of core", core_type);
	if (context->info)
		return pmc_fail(EBADFD, "choose the kind of core before adding events");
	context->core_type = core_type;
	return 0;
}

/* What its events can be placed on */
static struct pmc_info *get_scope_info(const struct pmc_context *context)
{
	if (context->scope == PMC_SCOPE_CPU)
		return pmc_info_get(context->fd, context->cpu);
	return pmc_info_get_common(context->fd, context->core_type);
}

/* Append the names of the events that are placed on @counters. */
static void list_events(const struct pmc_context *context, uint64_t counters,
			char *text, size_t size)
{
	size_t used = 0, i;

	for (i = 0; i < context->match.num_events && used < size; i++)
		if (counters >> context->match.counter[i] & 1)
			used += snprintf(text + used, size - used, "%s'%s'",
					 used ? ", " : "", context->event[i].name);
}

static int fail_no_fit(const struct pmc_context *context, const struct pmc_event *event,
			uint64_t counters)
{
	int num = __builtin_popcountll(counters);
	char others[512] = "", names[256];

	list_events(context, counters, others, sizeof(others));
	pmc_counter_list_text(context->info, counters, names, sizeof(names));
	return pmc_fail(ENOSPC,
			"event '%s' does not fit beside %s: only %s can count these %d events; count fewer at once",
			event->name, others, names, num + 1);
}

/* Where a NetBurst event goes its event select register decides too. */
static bool place_netburst(struct pmc_context *context, const struct pmc_event *event,
			   uint64_t allowed, uint64_t usable)
{
	struct pmc_matching *match = &context->match;
	const struct pmc_event *events[PMC_COUNTERS_MAX];
	size_t i;

	for (i = 0; i < match->num_events; i++)
		events[i] = &context->event[i];
	events[i] = event;
	match->allowed[i] = allowed;
	if (!pmc_netburst_place(context->info, events, match->allowed, i + 1, usable,
				match->counter))
		return false;
	match->num_events++;
	return true;
}

static int add_netburst(struct pmc_context *context, const struct pmc_event *event,
			uint64_t allowed)
{
	size_t index = context->match.num_events;
	char others[512];

	if (!place_netburst(context, event, allowed, pmc_info_unheld(context->info)) &&
	    !place_netburst(context, event, allowed, ~0ULL)) {
		list_events(context, allowed, others, sizeof(others));
		return pmc_fail(ENOSPC,
				"event '%s' does not fit beside %s: counters of NetBurst share event select registers, and each register takes one event; count fewer at once",
				event->name, others);
	}
	context->event[index] = *event;
	return 0;
}

PMC_API int pmc_context_add(struct pmc_context *context, const struct pmc_event *event)
{
	size_t index = context->match.num_events;
	uint64_t allowed, preferred, tried;

	if (check_unconfigured(context))
		return -1;
	if (!context->info)
		context->info = get_scope_info(context);
	if (!context->info)
		return -1;
	if (index == PMC_COUNTERS_MAX)
		return pmc_fail(ENOSPC, "event '%s' does not fit: a context has at most %d events",
				event->name, PMC_COUNTERS_MAX);
	if (pmc_find_candidates(context->info, event, &allowed, &preferred))
		return -1;
	if (event->layout == PMC_LAYOUT_NETBURST)
		return add_netburst(context, event, allowed);
	if (!pmc_matching_add(&context->match, allowed, preferred,
			   pmc_info_unheld(context->info), &tried) &&
	    !pmc_matching_add(&context->match, allowed, preferred, ~0ULL, &tried))
		return fail_no_fit(context, event, tried);
	context->event[index] = *event;
	return 0;
}

PMC_API size_t pmc_context_num_events(const struct pmc_context *context)
{
	return context->match.num_events;
}

PMC_API uint32_t pmc_context_counter(const struct pmc_context *context, size_t index)
{
	return context->info->counter[context->match.counter[index]].counter;
}

/* ---- sampling ---- */

PMC_API int pmc_context_set_sampling(struct pmc_context *context, uint32_t flags,
				     uint32_t frames)
{
	const uint32_t known = PMC_SAMPLE_KERNEL_CHAIN | PMC_SAMPLE_USER_CHAIN | PMC_SAMPLE_MMAPS;

	if (check_unconfigured(context))
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

	if (check_unconfigured(context))
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

bool pmc_context_is_sampling(const struct pmc_context *context)
{
	size_t i;

	for (i = 0; i < context->match.num_events; i++)
		if (context->event[i].period)
			return true;
	return false;
}

/* ---- configure ---- */

static int fail_event_errno(const struct pmc_event *event)
{
	return event ? pmc_fail_errno("event '%s'", event->name) : pmc_fail_errno("configuring");
}

static int fail_refused(const struct pmc_context *context, const struct pmc_config *config,
			const struct pmc_event *event)
{
	char names[256] = "";

	if (config->refused_bits && event) {
		pmc_event_select_name_bits(event->layout, config->refused_bits, names, sizeof(names));
		return pmc_fail(EINVAL,
				"event '%s': bits 0x%llx of the event select are not allowed here%s%s%s",
				event->name, (unsigned long long)config->refused_bits,
				names[0] ? " (" : "", names, names[0] ? ")" : "");
	}
	if (context->scope == PMC_SCOPE_CPU)
		return pmc_fail(EINVAL,
				"there is no CPU %d, or the driver refuses the request",
				context->cpu);
	errno = EINVAL;
	return fail_event_errno(event);
}

static int fail_access(const struct pmc_context *context, const struct pmc_event *event)
{
	if (event && event->modes & PMC_COUNT_KERNEL && follows_tasks(context))
		return pmc_fail(EACCES,
				"event '%s': counting kernel mode needs CAP_PERFMON; %s :u to count user mode only",
				event->name, event->modes_given ? "replace its modes by" : "add");
	if (!event && context->sample_flags & PMC_SAMPLE_KERNEL_CHAIN && follows_tasks(context))
		return pmc_fail(EACCES,
				"the kernel's call chain needs CAP_PERFMON; do without PMC_SAMPLE_KERNEL_CHAIN");
	if (event && event->layout == PMC_LAYOUT_CORE && pmc_event_select(event) & SELECT_ANY)
		return pmc_fail(EACCES, "event '%s': AnyThread needs CAP_PERFMON", event->name);
	if (event && event->layout == PMC_LAYOUT_NETBURST && follows_tasks(context))
		return pmc_fail(EACCES,
				"event '%s' counts both logical processors of a core: that needs CAP_PERFMON",
				event->name);
	if (!follows_tasks(context))
		return pmc_fail(EACCES,
				"counting a whole CPU needs CAP_PERFMON: run as root, or count a command");
	return pmc_fail(EACCES, "not allowed to count %s %d: another user's needs CAP_PERFMON",
			task_type_name(context), context->tid);
}

static int fail_no_device(const struct pmc_context *context)
{
	struct pmc_query query;
	const char *why = NULL;

	if (context->core_type && context->scope == PMC_SCOPE_CPU)
		return pmc_fail(ENODEV, "CPU %d is not of the kind asked for, or offline; see 'pmcctl info -C %d'",
				context->cpu, context->cpu);

	if (!pmc_query_cpu(context->fd, context->cpu, &query) && query.status != PMC_STATUS_OK)
		why = pmc_status_text(query.status);
	return pmc_fail(ENODEV, "no counters to use: %s",
			why ? why : "a CPU is offline, or has none, or a hypervisor loses what is written to them; see 'pmcctl info'");
}

static int fail_period(const struct pmc_context *context, size_t index)
{
	const struct pmc_counter *counter =
		&context->info->counter[context->match.counter[index]];
	char name[PMC_COUNTER_NAME_SIZE];

	pmc_counter_name(counter->counter, name, sizeof(name));
	return pmc_fail(ERANGE,
			"event '%s': counter %s has periods of up to %llu, and %llu is longer",
			context->event[index].name, name,
			(unsigned long long)counter->period_max,
			(unsigned long long)context->event[index].period);
}

static int fail_configure(const struct pmc_context *context, const struct pmc_config *config)
{
	const struct pmc_event *event = NULL;

	if (config->failed_entry < context->match.num_events)
		event = &context->event[config->failed_entry];
	switch (errno) {
	case EINVAL:
		return fail_refused(context, config, event);
	case EBUSY:
		return pmc_fail_held(context, &config->holder);
	case ERANGE:
		return event ? fail_period(context, config->failed_entry) : fail_event_errno(NULL);
	case EACCES:
		return fail_access(context, event);
	case ENODEV:
		return fail_no_device(context);
	case ESRCH:
		return pmc_fail(ESRCH,
				"there is no %s %d: it has ended, or never was",
				task_type_name(context), context->tid);
	case EOPNOTSUPP:
		if (event && event->period)
			return pmc_fail(EOPNOTSUPP,
					"event '%s': this processor's counters do not interrupt on overflow, so they cannot be sampled",
					event->name);
		if (!event && follows_tasks(context) && context->tid)
			return pmc_fail(EOPNOTSUPP, "%s %d is the kernel's own: it has no user mode",
					task_type_name(context), context->tid);
	}
	return fail_event_errno(event);
}

static void fill_counters(const struct pmc_context *context, struct pmc_counter_config *counters)
{
	const struct pmc_event *event = context->event;
	size_t i;

	for (i = 0; i < context->match.num_events; i++, event++)
		counters[i] = (struct pmc_counter_config){
			.counter = pmc_context_counter(context, i),
			.flags = event->modes,
			.event_select = pmc_event_select_on(event, pmc_context_counter(context, i)),
			.initial = event->initial,
			.period = event->period,
		};
}

/* Without RDPMC there is no reading in user mode; all else is the same. */
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

/* Around the counters that somebody else holds, if there is a way */
static int configure_unheld(struct pmc_context *context, struct pmc_config *config,
			    struct pmc_counter_config *counters)
{
	context->refused = 0;
	do {
		fill_counters(context, counters);
		if (!configure(context, config))
			return 0;
	} while (errno == EBUSY && pmc_place_around_holder(context, &config->holder));
	return -1;
}

static int check_sampling(const struct pmc_context *context)
{
	bool samples = pmc_context_is_sampling(context);

	if (samples && context->flags & PMC_CONFIG_USER_READ)
		return pmc_fail(EINVAL, "a context with a period cannot be read in user mode");
	if (!samples && (context->sample_flags || context->frames || context->ring_size ||
			 context->watermark))
		return pmc_fail(EINVAL, "sampling is set up, but no event has a period");
	return 0;
}

PMC_API int pmc_context_configure(struct pmc_context *context)
{
	struct pmc_counter_config counters[PMC_COUNTERS_MAX];
	struct pmc_config config = {
		.size = sizeof(config),
		.flags = context->flags,
		.scope = context->scope,
		.cpu = context->cpu,
		.tid = context->tid,
		.nr_counters = context->match.num_events,
		.counters = (uintptr_t)counters,
		.counter_size = sizeof(counters[0]),
		.failed_entry = PMC_ENTRY_NONE,
		.sample_flags = context->sample_flags,
		.frames = context->frames,
		.ring_size = context->ring_size,
		.watermark = context->watermark,
		.core_type = context->core_type,
	};

	if (check_unconfigured(context))
		return -1;
	if (!config.nr_counters)
		return pmc_fail(EINVAL, "a context without events: add one first");
	if (check_sampling(context) || pmc_perf_metrics_check(context))
		return -1;
	if (configure_unheld(context, &config, counters))
		return fail_configure(context, &config);
	context->user_read = config.flags & PMC_CONFIG_USER_READ;
	context->page_stale = true;
	context->configured = true;
	return 0;
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

	if (num_values != context->match.num_events)
		return pmc_fail(EINVAL, "%zu values to write into %zu counters", num_values,
				context->match.num_events);
	if (ioctl(context->fd, PMC_IOC_WRITE, &request) < 0)
		return pmc_fail_errno("writing the counters");
	return 0;
}
