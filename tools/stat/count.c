// SPDX-License-Identifier: GPL-2.0-only
/* pmcctl stat: configure the counters, run the command and read the counts */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stat/stat.h"
#include "util/error.h"
#include "util/event-text.h"
#include "util/output-file.h"
#include "util/output.h"
#include "util/workload.h"
#include "util/xalloc.h"

/* ---- the context ---- */

static int open_context(struct stat_job *job)
{
	job->session.context = session_open_context(&job->session, job->device);
	if (!job->session.context)
		return -1;
	return session_apply_scope(&job->session, job->session.context, 0);
}

int stat_reopen_context(struct stat_job *job)
{
	pmc_context_close(job->session.context);
	return open_context(job);
}

static bool is_task_scope(const struct stat_job *job)
{
	return job->session.scope != PMC_SCOPE_CPU && job->session.scope != PMC_SCOPE_ALL_CPUS;
}

/* Does the driver refuse an event of the group, on its own, because of kernel mode? */
static bool is_kernel_mode_denied(const struct stat_job *job)
{
	struct pmc_context *context = session_open_context(&job->session, job->device);
	bool refused = context && !pmc_context_add(context, job->event[job->first_group_event]) &&
		       pmc_context_configure(context) && errno == EACCES;

	pmc_context_close(context);
	return refused && is_task_scope(job);
}

/* Report a group that does not fit, with parts of it that do: "-e a,b and then -e c". */
static int fail_group(struct stat_job *job)
{
	bool refused = is_kernel_mode_denied(job);
	struct pmc_context *context = NULL;
	const char *name, *modifier;
	char parts[512] = "";
	size_t i;

	for (i = job->first_group_event; i < job->num_events; i++) {
		name = pmc_event_name(job->event[i]);
		modifier = refused && !event_text_has_modes(name) ? ":u" : "";
		if (context && !pmc_context_add(context, job->event[i])) {
			text_append(parts, sizeof(parts), ",%s%s", name, modifier);
			continue;
		}
		pmc_context_close(context);
		context = session_open_context(&job->session, job->device);
		if (!context || pmc_context_add(context, job->event[i]))
			continue;
		text_append(parts, sizeof(parts), "%s-e %s%s", parts[0] ? " and then " : "", name,
			    modifier);
	}
	pmc_context_close(context);
	return report_error("group '%s' does not fit on the counters at once; count it in parts: %s",
			    job->group, parts);
}

/* Is it an event that the other events of a group are related to? */
static bool is_reference_event(const struct pmc_event *event)
{
	const char *name = pmc_event_name(event);
	size_t len = strcspn(name, ":");

	return (len == strlen("instructions") && !strncasecmp(name, "instructions", len)) ||
	       (len == strlen("cycles") && !strncasecmp(name, "cycles", len));
}

/* Refuse a group of which only instructions or cycles remain: these alone do not describe it. */
static int check_group(struct stat_job *job)
{
	if (!job->group || !job->skipped || job->num_events != job->first_group_event + 1 ||
	    !is_reference_event(job->event[job->first_group_event]))
		return 0;
	stat_print_skipped(job);
	return report_error("this processor has of group '%s' only %s; to count that, write -e %s",
			    job->group, pmc_event_name(job->event[job->first_group_event]),
			    pmc_event_name(job->event[job->first_group_event]));
}

/* An event of the group default in a file is wrong: report it and count the built-in group. */
static int add_builtin_defaults(struct stat_job *job)
{
	stat_fail_group(formula_find_group(&job->formulas, "default"));
	report_error("the formulas of all files are ignored");
	formula_free(&job->formulas);
	stat_free_events(job);
	return formula_load_builtin(&job->formulas, job->session.core_type) ||
	       stat_reopen_context(job) || stat_add_defaults(job, "", true);
}

/* Add the default events; the user may have replaced their group. */
static int add_defaults(struct stat_job *job)
{
	if (!stat_add_defaults(job, "", true))
		return 0;
	if (errno == EINVAL && !job->formulas_given)
		return add_builtin_defaults(job) ? report_error("%s", pmc_error()) : 0;
	if (errno == EINVAL)
		return stat_fail_group(formula_find_group(&job->formulas, job->default_group));
	return report_error("%s", pmc_error());
}

/*
 * Add the events to the context. Events of a group that this processor lacks are left out:
 * a group is for any processor. Return: 0, or EXIT_TROUBLE after a message.
 */
static int add_events(struct stat_job *job)
{
	size_t i = 0;

	if (job->defaults)
		return add_defaults(job);
	while (i < job->num_events) {
		if (!pmc_context_add(job->session.context, job->event[i])) {
			i++;
			continue;
		}
		if (errno == ENOSPC && job->topdown_modifier)
			return stat_plan_passes(job);
		if (errno == ENOSPC && i >= job->first_group_event)
			return fail_group(job);
		if (errno != EOPNOTSUPP || i < job->first_group_event || job->num_events == 1)
			return report_error("%s", pmc_error());
		stat_skip(job, "%s", pmc_error());
		stat_remove_event(job, i);
	}
	if (stat_check_perf_metrics(job))
		return EXIT_TROUBLE;
	return check_group(job);
}

/* Configure a new context for the job's events. */
static int reconfigure(struct stat_job *job, pid_t pid)
{
	if (stat_reopen_context(job) || stat_add_events(job, job->session.context))
		return -1;
	if (session_apply_scope(&job->session, job->session.context, pid))
		return -1;
	return pmc_context_configure(job->session.context);
}

/* Add one event to the job. @refused: the driver has no free counter for it. */
static int try_add_event(struct stat_job *job, pid_t pid, struct pmc_event *event, bool *refused)
{
	job->event[job->num_events++] = event;
	*refused = reconfigure(job, pid);
	if (!*refused)
		return 0;
	job->num_events--;
	return errno == EBUSY ? 0 : -1;
}

/*
 * Other users hold counters: add the default events one by one and leave out those for
 * which no counter is free. If none is left, report the failure of all.
 */
static int skip_held_events(struct stat_job *job, pid_t pid)
{
	char held[PMC_HOLDER_LIST_SIZE], names[512] = "";
	struct pmc_event *wanted[PMC_COUNTERS_MAX];
	bool refused[PMC_COUNTERS_MAX] = { false };
	size_t num = job->num_events, i;
	int result = 0;

	if (!pmc_context_refused_text(job->session.context, held, sizeof(held)))
		return -1;
	memcpy(wanted, job->event, sizeof(wanted));
	job->num_events = 0;
	for (i = 0; i < num && !result; i++)
		result = try_add_event(job, pid, wanted[i], &refused[i]);
	if (result || !job->num_events) {
		memcpy(job->event, wanted, sizeof(wanted));
		job->num_events = num;
		return result ? -1 : reconfigure(job, pid);
	}
	if (refused[num - 1])
		result = reconfigure(job, pid);
	for (i = 0; i < num; i++) {
		if (!refused[i])
			continue;
		text_append(names, sizeof(names), "%s%s", names[0] ? ", " : "",
			    pmc_event_name(wanted[i]));
		pmc_event_free(wanted[i]);
	}
	if (!result && names[0])
		report_error("left out: %s; %s ('pmcctl who' shows all)", names, held);
	return result;
}

static int drop_kernel_mode(struct stat_job *job, pid_t pid)
{
	if (!is_task_scope(job))
		return -1;
	pmc_context_close(job->session.context);
	stat_free_events(job);
	if (open_context(job) || stat_add_defaults(job, ":u", false) ||
	    session_apply_scope(&job->session, job->session.context, pid))
		return -1;
	if (pmc_context_configure(job->session.context) &&
	    (errno != EBUSY || skip_held_events(job, pid)))
		return -1;
	report_error("counting user mode only: kernel mode needs CAP_PERFMON");
	return 0;
}

int stat_retry_fewer(void *data, pid_t pid)
{
	struct stat_job *job = data;

	if (!job->defaults || job->num_runs)
		return -1;
	switch (errno) {
	case EBUSY:
		return skip_held_events(job, pid);
	case EACCES:
	case EPERM:
		return drop_kernel_mode(job, pid);
	}
	return -1;
}

/* Is one of these events counted in kernel mode? */
static bool any_kernel_mode(const struct stat_job *job, size_t first, size_t end)
{
	for (; first < end; first++)
		if (pmc_event_modes(job->event[first]) & PMC_COUNT_KERNEL)
			return true;
	return false;
}

/* Suggest the modifier :u for a group: its events get their modes from the group. */
int stat_report_failure(void *data)
{
	const struct stat_job *job = data;
	int len;

	if (errno != EACCES || !is_task_scope(job) || !job->group ||
	    !any_kernel_mode(job, job->first_group_event, job->num_events))
		return report_error("%s", pmc_error());
	len = strcspn(job->group, ":");
	return report_error("group '%s': counting kernel mode needs CAP_PERFMON; %s%.*s%s counts user mode only%s",
			    job->group, job->topdown_modifier ? "--" : "-g ", len, job->group,
			    job->topdown_modifier ? "=u" : ":u",
			    any_kernel_mode(job, 0, job->first_group_event) ?
			    ", and so does :u after the events of -e" : "");
}

/* ---- readings ---- */

static int num_cpus(void)
{
	long num = sysconf(_SC_NPROCESSORS_CONF);

	return num > 0 ? num : 1;
}

static void counts_from_snapshot(const struct pmc_snapshot *snapshot, int cpu,
				 struct stat_counts *counts)
{
	counts->cpu = cpu;
	counts->other_core_type = false;
	counts->ticks = snapshot->time_counted;
	memcpy(counts->value, snapshot->value, sizeof(counts->value));
}

/* Find the CPUs of another core type. An offline CPU has a row: it may come online. */
static void find_other_core_types(struct stat_job *job)
{
	const uint32_t core_type = job->session.core_type;
	struct pmc_info *info;
	int cpu;

	if (!job->per_cpu || !core_type || job->session.scope != PMC_SCOPE_ALL_CPUS)
		return;
	if (!job->other_core_type)
		job->other_core_type = xcalloc(num_cpus(), sizeof(*job->other_core_type));
	for (cpu = 0; cpu < num_cpus(); cpu++) {
		info = pmc_device_get_info(job->device, cpu);
		job->other_core_type[cpu] = info && !pmc_info_has_core_type(info, core_type) &&
				       pmc_info_query(info)->status != PMC_STATUS_OFFLINE;
		pmc_info_free(info);
	}
}

/* Read a CPU, which is all CPUs' or, with a list of CPUs, one of the targets. */
static int read_cpu(const struct stat_job *job, int number, struct pmc_snapshot *snapshot)
{
	size_t i;

	if (job->session.scope == PMC_SCOPE_ALL_CPUS)
		return pmc_context_read_cpu(job->session.context, number, snapshot);
	for (i = 0; i < job->session.num_targets; i++)
		if (job->session.target[i] == number)
			return session_read_target(&job->session, i, snapshot);
	errno = EINVAL;
	return -1;
}

/*
 * Read the counts of each CPU into @counts[1] and up, and their sum into @counts[0]. The sum
 * is computed here so that it belongs to the same readings.
 */
static int read_cpus(struct stat_job *job, struct stat_counts *counts, size_t *num)
{
	struct pmc_snapshot snapshot;
	struct stat_counts *cpu;
	size_t i;
	int number;

	counts[0] = (struct stat_counts){ .cpu = -1 };
	*num = 1;
	for (number = 0; number < num_cpus(); number++) {
		if (job->other_core_type && job->other_core_type[number]) {
			counts[(*num)++] = (struct stat_counts){
				.cpu = number, .other_core_type = true,
			};
			continue;
		}
		if (read_cpu(job, number, &snapshot)) {
			if (errno == EINVAL)
				continue;
			return -1;
		}
		cpu = &counts[(*num)++];
		counts_from_snapshot(&snapshot, number, cpu);
		counts[0].ticks += cpu->ticks;
		for (i = 0; i < job->num_events; i++)
			counts[0].value[i] += cpu->value[i];
	}
	return 0;
}

static int read_counts(struct stat_job *job, struct stat_counts *counts, size_t *num)
{
	struct pmc_snapshot snapshot;

	if (job->per_cpu)
		return read_cpus(job, counts, num);
	if (session_read(&job->session, &snapshot))
		return -1;
	counts_from_snapshot(&snapshot, -1, &counts[0]);
	*num = 1;
	return 0;
}

/* Readings of the current run, for -I */
struct readings {
	struct stat_counts *last;
	struct stat_counts *now;
	struct stat_counts *span;
	size_t num;
	uint64_t last_ns;
};

static struct readings readings;

static void alloc_readings(const struct stat_job *job)
{
	size_t num = job->per_cpu ? num_cpus() + 1 : 1;

	readings.last = xcalloc(num, sizeof(*readings.last));
	readings.now = xcalloc(num, sizeof(*readings.now));
	readings.span = xcalloc(num, sizeof(*readings.span));
}

static void free_readings(void)
{
	free(readings.last);
	free(readings.now);
	free(readings.span);
}

static void begin_readings(const struct stat_job *job)
{
	size_t num = job->per_cpu ? num_cpus() + 1 : 1;

	memset(readings.last, 0, num * sizeof(*readings.last));
	readings.last_ns = 0;
}

/* Compute the counts between the last reading and this one; CPUs keep their indices. */
static void subtract(const struct stat_job *job)
{
	size_t i, event;

	for (i = 0; i < readings.num; i++) {
		readings.span[i] = readings.now[i];
		readings.span[i].ticks -= readings.last[i].ticks;
		for (event = 0; event < job->num_events; event++)
			readings.span[i].value[event] -= readings.last[i].value[event];
		readings.last[i] = readings.now[i];
	}
}

/* Print the header: only now is there a result, and is it known what is counted. */
static int begin(struct stat_job *job)
{
	if (job->header_printed)
		return 0;
	job->header_printed = true;
	job->file = job->output.file ? deferred_begin(&job->output) : NULL;
	if (job->output.file && !job->file)
		return EXIT_TROUBLE;
	return job->format->begin ? job->format->begin(job) : 0;
}

static int print_interval(struct stat_job *job, uint64_t end_ns)
{
	struct stat_interval interval = {
		.run = job->num_runs, .begin_ns = readings.last_ns, .end_ns = end_ns,
		.num = readings.num, .counts = readings.span,
	};
	struct stat_interval total = interval;

	if (begin(job))
		return EXIT_TROUBLE;
	subtract(job);
	readings.last_ns = end_ns;
	if (job->format->interval)
		return job->format->interval(job, &interval);
	total.begin_ns = 0;
	total.counts = readings.now;
	return job->format->print_cumulative(job, &total);
}

int stat_read_interval(void *data, uint64_t elapsed_ns)
{
	struct stat_job *job = data;

	if (read_counts(job, readings.now, &readings.num))
		return report_error("%s", pmc_error());
	return print_interval(job, elapsed_ns);
}

/* Print the last interval of a run; the counters have stopped. */
static int print_last_interval(struct stat_job *job, const struct stat_run *run)
{
	if (job->per_cpu) {
		memcpy(readings.now, run->cpus, run->num_cpus * sizeof(*run->cpus));
		readings.num = run->num_cpus;
	} else {
		counts_from_snapshot(&run->measured.snapshot, -1, &readings.now[0]);
		readings.num = 1;
	}
	return print_interval(job, run->measured.elapsed_ns);
}

/* ---- runs ---- */

/* Save the counts of the CPUs after a run. */
static int save_cpu_counts(struct stat_job *job, struct stat_run *run)
{
	if (!job->per_cpu)
		return 0;
	run->cpus = xcalloc(num_cpus() + 1, sizeof(*run->cpus));
	return read_cpus(job, run->cpus, &run->num_cpus) ? report_error("%s", pmc_error()) : 0;
}

static int count_run(struct stat_job *job, struct stat_run *run)
{
	if (job->num_passes > 1)
		return stat_run_passes(job, run);
	if (job->argv[0])
		return session_run_workload(&job->session, job->argv, &run->measured);
	return session_run_attached(&job->session, &run->measured);
}

/* The same, with what happened in the system meanwhile */
static int count_run_and_overcount(struct stat_job *job, struct stat_run *run)
{
	struct stat_overcount before;
	int result = stat_overcount_read(&before);

	if (!result)
		result = count_run(job, run);
	if (!result)
		result = stat_overcount_read(&run->overcount);
	run->overcount.interrupts -= before.interrupts;
	run->overcount.page_faults -= before.page_faults;
	return result;
}

static int run_once(struct stat_job *job, struct stat_run *run)
{
	int result;

	find_other_core_types(job);
	if (job->session.interval_ns)
		begin_readings(job);
	result = job->overcount ? count_run_and_overcount(job, run) : count_run(job, run);
	if (!result && run->measured.snapshot.state &
		       (PMC_STATE_INCOMPLETE | PMC_STATE_UNCOUNTED | PMC_STATE_REWRITTEN))
		job->incomplete = true;
	if (!result)
		result = save_cpu_counts(job, run);
	if (!result && job->session.interval_ns)
		result = print_last_interval(job, run);
	return result;
}

static void report_signal(const struct stat_job *job, const struct stat_run *run)
{
	bool ended = WIFSIGNALED(run->measured.status);
	int signal = ended ? WTERMSIG(run->measured.status) : workload_signal();

	/* other formats have the signal in their data */
	if (job->format != &stat_table)
		return;
	if (job->runs_requested > 1)
		report_error("signal %d (%s) %s run %zu of %zu: the last%s", signal,
			     strsignal(signal), ended ? "ended the command in" : "arrived during",
			     job->num_runs, job->runs_requested, job->num_runs > 1 ?
			     ", and left out of min, max, mean and deviation" : "");
	else if (ended)
		report_error("signal %d (%s) ended the command", signal, strsignal(signal));
}

/*
 * Return: 0, or the exit status of a failure, which keeps the runs before it. Without memory pmcctl
 * ends at once.
 */
static int run_all(struct stat_job *job)
{
	struct stat_run *run;
	int result;

	while (job->num_runs < job->runs_requested) {
		run = &job->run[job->num_runs];
		result = run_once(job, run);
		if (result)
			return result;
		job->num_runs++;
		run->interrupted = job->argv[0] &&
			       (workload_signal() || WIFSIGNALED(run->measured.status));
		if (run->interrupted) {
			report_signal(job, run);
			break;
		}
	}
	return 0;
}

/* The first exit status of a run other than 0 */
static int first_status(const struct stat_job *job)
{
	size_t i;

	for (i = 0; i < job->num_runs; i++)
		if (session_exit_status(job->run[i].measured.status))
			return session_exit_status(job->run[i].measured.status);
	return 0;
}

/* ---- entry point ---- */

static int print(struct stat_job *job)
{
	if (begin(job) || job->format->end(job))
		return EXIT_TROUBLE;
	return deferred_close(&job->output);
}

/* Print what ends the counting without a command. */
static void print_attached(const struct stat_job *job)
{
	char *targets = session_targets_text(&job->session);

	if (!session_counts_tasks(&job->session))
		report_error("counting until the time limit, or until you press Ctrl-C");
	else if (job->session.num_targets == 1)
		report_error("counting %s %s until it ends, or until you press Ctrl-C",
			     job->session.scope == PMC_SCOPE_THREAD ? "thread" : "process",
			     targets);
	else
		report_error("counting %s %s until all have ended, or until you press Ctrl-C",
			     job->session.scope == PMC_SCOPE_THREAD ? "threads" : "processes",
			     targets);
	free(targets);
}

int stat_add_events(void *data, struct pmc_context *context)
{
	struct stat_job *job = data;
	size_t i;

	for (i = 0; i < job->num_events; i++)
		if (pmc_context_add(context, job->event[i]))
			return -1;
	return 0;
}

int stat_count(struct stat_job *job)
{
	int result, printed = 0;

	result = job->argv[0] ? workload_find(job->argv) : 0;
	if (result)
		return result;
	if (open_context(job))
		return report_error("%s", pmc_error());
	if (session_check_cpus(&job->session))
		return EXIT_TROUBLE;
	if (job->topdown_modifier && stat_add_topdown(job))
		return EXIT_TROUBLE;
	if (add_events(job))
		return EXIT_TROUBLE;
	if (job->session.interval_ns)
		alloc_readings(job);
	if (!job->argv[0] && isatty(STDERR_FILENO))
		print_attached(job);
	result = run_all(job);
	if (job->num_runs)
		printed = print(job);
	free_readings();
	if (!result && job->incomplete)
		result = EXIT_TROUBLE;
	if (!result)
		result = first_status(job);
	if (!result && workload_signal() && job->argv[0])
		result = EXIT_SIGNAL + workload_signal();
	return printed ? printed : result;
}
