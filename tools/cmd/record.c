// SPDX-License-Identifier: GPL-2.0-only
/* pmcctl record: sample a command, a process, a CPU or all CPUs and write the samples to a file */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/subcommand.h"
#include "record/collect.h"
#include "record/period.h"
#include "record/system.h"
#include "util/clock.h"
#include "util/device.h"
#include "util/error.h"
#include "util/event-list.h"
#include "util/output-file.h"
#include "util/output.h"
#include "util/process.h"
#include "util/session.h"
#include "util/short-help.h"
#include "util/workload.h"

#define DEFAULT_FILE	"pmc.data"

/* A prime number, so that samples do not fall on the same iteration of a loop each time */
#define DEFAULT_PERIOD	1000003

#define RING_KIB_MAX	(PMC_RING_SIZE_MAX / 1024)

/* Period of the progress line */
#define PROGRESS_MS	1000

/* Samples in a second of -F, and the time of its first count */
#define FREQUENCY_MAX	100000
#define FIRST_COUNT_MS	100

/* Milliseconds of -D: a day */
#define MS_MAX		86400000

static const char usage[] =
	"Usage: pmcctl record [-i | -C CPU | -a] [-e LIST] [-c PERIOD | -F HZ] [-g]\n"
	"                     [--cputype=TYPE] [-D MS] [-m KIB] [--throttle=PERCENT]\n"
	"                     [-o FILE] [--] COMMAND [ARGUMENT...]\n"
	"       pmcctl record {-p PID | -t TID | -C CPU | -a} [OPTION...]\n"
	"                     [[--] COMMAND [ARGUMENT...]]\n"
	"\n"
	"Sample COMMAND and all threads and processes that it creates: save the address\n"
	"of the instruction every PERIOD events. 'pmcctl report' prints the samples.\n"
	"\n"
	"  -e, --event=LIST     events to sample, separated by commas; EVENT:p=N has a\n"
	"                       period of its own (default: cycles, or instructions);\n"
	"                       see pmc-events(7)\n"
	"  -c, --count=PERIOD   events from one sample to the next (default: that of\n"
	"                       the event file, or 1000003)\n"
	"  -F, --freq=HZ        choose a period for HZ samples in a second, from a count\n"
	"                       of the first 100 ms, which are not sampled\n"
	"  -g, --call-chains    save the call chain with each sample; in user mode by\n"
	"                       frame pointers (compile programs with\n"
	"                       -fno-omit-frame-pointer)\n"
	"  -i, --no-inherit     sample only COMMAND's first thread\n"
	"  -p, --pid=PID        sample all threads of this process\n"
	"  -t, --tid=TID        sample this thread\n"
	"  -C, --cpu=CPU        sample this CPU\n"
	"  -a, --all-cpus       sample all CPUs; -p, -t, -C and -a sample while COMMAND\n"
	"                       runs, or without COMMAND until you press Ctrl-C or the\n"
	"                       process ends\n"
	"  -D, --delay=MS       begin to sample MS milliseconds after COMMAND\n"
	"      --cputype=TYPE, --kind=TYPE\n"
	"                       sample only on cores of this type, core or atom, where\n"
	"                       there are several; 'pmcctl info' prints the type of a CPU\n"
	"  -m, --ring-size=KIB  size of each CPU's sample ring, a power of two from 4 to\n"
	"                       16384 (default: 128)\n"
	"      --throttle=PERCENT\n"
	"                       leave samples out when they take more of a CPU's time\n"
	"                       than this, from 1 to 50 (default: 50)\n"
	"  -o, --output=FILE    write to FILE (default: pmc.data); an older FILE becomes\n"
	"                       FILE.old\n"
	"  -h, --help           this help\n"
	"\n"
	"Exit status: COMMAND's; 128+N if signal N ended it; 127 if COMMAND was not\n"
	"found, 126 if it cannot be run, 125 if pmcctl itself failed.\n"
	"\n"
	"Examples:\n"
	"    pmcctl record -g -- ./program 1000\n"
	"    pmcctl record -e branch-misses:u -c 1000 -- ./program 1000\n"
	"    pmcctl record -a -g sleep 10\n"
	"\n"
	"See pmcctl-record(1).\n";

/*
 * @lists: the lists of all -e, parsed after the last option; or NULL
 * @defaults: no -e was given
 * @failed: the file could not be written, and a message was printed
 * @period: of -c, for events without one of their own, or 0
 * @frequency: of -F, or 0
 * @counts_first: the context is that of the first count of -F
 * @chains_last: -g is the last option: the command may be meant as its value
 * @progress: stderr is a terminal, and no command writes to it: print a progress line
 */
struct record_job {
	char **argv;
	struct session session;
	char *lists;
	size_t num_events;
	struct pmc_event *event[PMC_COUNTERS_MAX];
	uint64_t period;
	uint64_t frequency;
	bool counts_first;
	uint32_t ring_size;
	uint32_t throttle_percent;
	bool chains;
	bool chains_last;
	bool defaults;
	bool failed;
	bool progress;
	const char *path;
	struct deferred_file output;
	uint64_t start_ns;
	struct pmc_device *device;
	struct record_writer writer;
	struct collector collector;
};

/* ---- the context ---- */

static bool samples_kernel(const struct record_job *job)
{
	size_t i;

	for (i = 0; i < job->num_events; i++)
		if (pmc_event_modes(job->event[i]) & PMC_COUNT_KERNEL)
			return true;
	return false;
}

static int set_sampling(struct record_job *job)
{
	uint32_t flags = PMC_SAMPLE_MMAPS;

	if (job->counts_first)
		return 0;
	if (job->chains)
		flags |= PMC_SAMPLE_USER_CALLCHAIN;
	if (job->chains && samples_kernel(job))
		flags |= PMC_SAMPLE_KERNEL_CALLCHAIN;
	if (pmc_context_set_sampling(job->session.context, flags, 0))
		return -1;
	if (pmc_context_set_throttle(job->session.context, job->throttle_percent))
		return -1;
	return pmc_context_set_ring(job->session.context, job->ring_size, 0);
}

/* Add an event; without a period of its own it gets that of -c, or of its event file. */
static int add_event(struct record_job *job, struct pmc_event *event)
{
	uint64_t period = job->period;

	if (!period)
		period = pmc_event_default_period(event);
	if (!job->counts_first && !pmc_event_period(event))
		pmc_event_set_period(event, period ? period : DEFAULT_PERIOD);
	return pmc_context_add(job->session.context, event);
}

/* Add the first default event that the processor has, with @modifier. */
static int add_default_event(struct record_job *job, const char *modifier)
{
	static const char *const names[] = { "cycles", "instructions" };
	char name[32];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(name, sizeof(name), "%s%s", names[i], modifier);
		job->event[0] = pmc_event_parse(name);
		if (!job->event[0])
			return -1;
		if (!add_event(job, job->event[0])) {
			job->num_events = 1;
			return 0;
		}
		pmc_event_free(job->event[0]);
	}
	return -1;
}

static int add_events(struct record_job *job)
{
	size_t i;

	if (job->defaults && !job->num_events)
		return add_default_event(job, "");
	for (i = 0; i < job->num_events; i++)
		if (add_event(job, job->event[i]))
			return -1;
	return 0;
}

static int open_context(struct record_job *job)
{
	job->session.context = session_open_context(&job->session, job->device);
	if (!job->session.context || session_apply_scope(&job->session, job->session.context, 0))
		return -1;
	return 0;
}

/* Sample user mode only if the default event may not be sampled in kernel mode. */
static int drop_kernel_mode(struct record_job *job, pid_t pid)
{
	if (!job->defaults || (errno != EACCES && errno != EPERM) ||
	    job->session.scope == PMC_SCOPE_CPU || job->session.scope == PMC_SCOPE_ALL_CPUS)
		return -1;
	pmc_context_close(job->session.context);
	event_list_free(job->event, &job->num_events);
	if (open_context(job) || add_default_event(job, ":u") || set_sampling(job) ||
	    session_apply_scope(&job->session, job->session.context, pid) ||
	    pmc_context_configure(job->session.context))
		return -1;
	report_error("sampling user mode only: kernel mode needs CAP_PERFMON");
	return 0;
}

static int configure(struct record_job *job, pid_t pid)
{
	if (session_counts_workload(&job->session) &&
	    session_apply_scope(&job->session, job->session.context, pid))
		return -1;
	if (pmc_context_configure(job->session.context) && drop_kernel_mode(job, pid))
		return -1;
	if (job->counts_first)
		return 0;
	job->collector.samples = pmc_samples_open(job->session.context, 0);
	return job->collector.samples ? 0 : -1;
}

/* ---- the file ---- */

/* Return: EXIT_TROUBLE */
static int fail_write(struct record_job *job)
{
	if (!job->failed)
		report_error("cannot write to %s: %s", job->path, strerror(errno));
	job->failed = true;
	return EXIT_TROUBLE;
}

static int open_file(struct record_job *job)
{
	if (deferred_open(&job->output, job->path))
		return EXIT_TROUBLE;
	/* the command writes to pmcctl's own streams */
	if (!deferred_is_regular(&job->output) || job->output.begun)
		return report_error("%s is not a regular file, or is an output of the command: name another file with -o",
				    job->path);
	return deferred_check_folder(&job->output);
}

/* Open the file for the first record. Return: 0, or -1 after a message. */
static int begin_file(void *data)
{
	struct record_job *job = data;
	FILE *file = deferred_begin_beside_old(&job->output);

	job->collector.writer = &job->writer;
	if (!file) {
		job->failed = true;
		return -1;
	}
	if (record_write_begin(&job->writer, file) ||
	    record_system_write(&job->writer, &job->session, job->frequency, job->argv) ||
	    record_events_write(&job->writer, job->session.context, job->event) || fflush(file)) {
		fail_write(job);
		return -1;
	}
	return 0;
}

static int write_result(struct record_job *job, const struct record_result *result,
			const struct pmc_snapshot *snapshot)
{
	struct byte_buffer payload = { 0 };
	int failed;

	byte_buffer_append(&payload, result, sizeof(*result));
	byte_buffer_append(&payload, snapshot->value,
			   result->num_events * sizeof(snapshot->value[0]));
	failed = record_write_section(&job->writer, RECORD_RESULT, 0, payload.data, payload.size);
	byte_buffer_free(&payload);
	return failed;
}

static int finish_file(struct record_job *job, const struct record_result *result,
		       const struct pmc_snapshot *snapshot)
{
	if (job->failed || (!job->collector.writer && begin_file(job)))
		return EXIT_TROUBLE;
	if (collector_flush(&job->collector) || record_names_write(&job->writer, &job->collector) ||
	    write_result(job, result, snapshot) || record_write_end(&job->writer))
		return fail_write(job);
	return 0;
}

/* ---- messages ---- */

/* Print the progress line, which the next output overwrites. */
static void print_record_progress(const struct record_job *job)
{
	uint64_t seconds = (now_ns() - job->start_ns) / 1000000000;

	if (seconds)
		fprintf(stderr, "pmcctl record: %" PRIu64 " s, %" PRIu64 " sample%s, %" PRIu64
			" bytes, %" PRIu64 " lost\033[K\r", seconds, job->collector.overflows,
			plural(job->collector.overflows), job->writer.offset,
			job->collector.lost);
}

/*
 * Each overflow is a sample, as in pmcctl report. A record stands for several samples if the
 * period is shorter than the interrupt.
 */
static void print_sample_counts(const struct record_job *job, const struct record_result *result,
				const struct pmc_snapshot *snapshot)
{
	uint64_t samples = job->collector.overflows, records = job->collector.num_records;
	char several[64] = "";

	if (records != samples)
		snprintf(several, sizeof(several), " (in %" PRIu64 " record%s)", records,
			 plural(records));
	report_error("%" PRIu64 " sample%s%s in %s, %" PRIu64 " bytes", samples, plural(samples),
		     several, job->path, job->writer.offset);
	if (!result->overflows && !session_core_type_unused(&job->session, snapshot))
		periods_explain(&job->session, job->event, job->num_events, snapshot);
}

static void print_record_summary(const struct record_job *job, const struct record_result *result,
				 const struct pmc_snapshot *snapshot)
{
	if (job->progress)
		fputs("\033[K", stderr);
	print_sample_counts(job, result, snapshot);
	if (result->lost)
		report_error("lost %" PRIu64 " of %" PRIu64 " sample%s, because the rings were full: use larger rings with -m, or a longer period with -c",
			     result->lost, result->overflows, plural(result->overflows));
	if (result->throttled)
		report_error("left out %" PRIu64 " of %" PRIu64 " sample%s, because they came too often: use a longer period with -c",
			     result->throttled, result->overflows, plural(result->overflows));
	if (result->mmaps_lost)
		report_error("%" PRIu64 " mapped file%s not recorded (rings full, or too many at once): some samples have no names",
			     result->mmaps_lost, result->mmaps_lost == 1 ? " was" : "s were");
	if (result->state & PMC_STATE_INCOMPLETE)
		report_error("out of memory to follow a thread or process: its samples are missing");
	if ((result->state & (PMC_STATE_UNCOUNTED | PMC_STATE_REWRITTEN)) == PMC_STATE_UNCOUNTED)
		report_error("a CPU could not sample this (see PMC_STATE_UNCOUNTED in pmcdrv(4)): samples are missing; try again");
	if (result->state & PMC_STATE_REWRITTEN)
		report_error("other software wrote the counters' registers meanwhile, or perf's file rdpmc was changed from 0: the samples are wrong; stop it and measure again");
	if (result->state & PMC_STATE_STORM)
		report_error("a CPU's overflow interrupts found no overflow again and again, and were turned off: samples are late; use another computer, or count with pmcctl stat");
	if (result->state & PMC_STATE_OFFLINE)
		report_error("CPU %d went offline; it was sampled up to then",
			     job->session.target[0]);
}

/* ---- sampling ---- */

/*
 * Read the rings until the process ends or, without a command, a signal arrives or no
 * sampled task is left.
 */
static void sample(struct record_job *job, int process)
{
	int fd = pmc_samples_fd(job->collector.samples), known = 0;
	bool ended = false, attached = !job->argv[0];
	unsigned int seen;

	while (!ended && !job->failed) {
		seen = process_wait_or_read(process, fd, job->progress ? PROGRESS_MS : -1, known);
		known = workload_signal();
		if (collector_drain(&job->collector))
			fail_write(job);
		if (job->progress)
			print_record_progress(job);
		if (seen & FILE_HUNG_UP)
			fd = -1;
		ended = seen & PROCESS_ENDED || (attached && (known || fd < 0)) ||
			workload_is_abandoned();
	}
}

static int get_result(struct record_job *job, struct record_result *result,
		      struct pmc_snapshot *snapshot)
{
	struct pmc_statistics statistics;

	if (pmc_context_stop(job->session.context))
		return -1;
	if (collector_drain(&job->collector))
		fail_write(job);
	if (pmc_context_read(job->session.context, snapshot) ||
	    pmc_context_statistics(job->session.context, &statistics))
		return -1;
	*result = (struct record_result){
		.overflows = statistics.sampled + statistics.lost + statistics.throttled,
		.records = statistics.records,
		.sampled = statistics.sampled,
		.lost = statistics.lost,
		.throttled = statistics.throttled,
		.mmaps_lost = statistics.mmaps_lost,
		.time_enabled = snapshot->time_enabled,
		.time_counted = snapshot->time_counted,
		.elapsed_ns = now_ns() - job->start_ns,
		.state = snapshot->state,
		.damaged = job->collector.damaged,
		.num_events = job->num_events,
	};
	return 0;
}

static int finish(struct record_job *job, struct record_result *result,
		  const struct pmc_snapshot *snapshot)
{
	int status = finish_file(job, result, snapshot);

	if (status)
		deferred_abort(&job->output);
	else
		status = deferred_close(&job->output);
	if (!status)
		print_record_summary(job, result, snapshot);
	return status;
}

/* ---- the start of sampling ---- */

/* The rate of the time-stamp counter, or 0 */
static uint32_t tsc_khz(const struct record_job *job)
{
	struct pmc_info *info = pmc_device_get_info(job->device, PMC_CPU_ANY);
	uint32_t khz = info ? pmc_info_query(info)->tsc_khz : 0;

	pmc_info_free(info);
	return khz;
}

/*
 * Count the events for a short time without sampling, choose the periods, and configure the
 * context for sampling.
 * @process: of the command, or -1; @pid: its number, or 0
 * Return: 0, or EXIT_TROUBLE after a message.
 */
static int count_first(struct record_job *job, int process, pid_t pid)
{
	bool ended = process_wait(process, now_ns() + FIRST_COUNT_MS * 1000000ULL, process < 0);
	struct pmc_snapshot snapshot;

	if (ended)
		return report_error("-F: sampling ended within the first count of %d ms: give a period with -c",
				    FIRST_COUNT_MS);
	if (pmc_context_stop(job->session.context) ||
	    pmc_context_read(job->session.context, &snapshot))
		return report_error("%s", pmc_error());
	if (periods_choose(job->event, job->num_events, &snapshot, tsc_khz(job),
			   job->frequency))
		return EXIT_TROUBLE;
	pmc_context_close(job->session.context);
	job->counts_first = false;
	job->session.runs_already = pid;
	if (open_context(job) || add_events(job) || set_sampling(job) || configure(job, pid))
		return report_error("%s", pmc_error());
	return 0;
}

/*
 * Begin to sample after the first count of -F and the delay of -D. A command runs already; its
 * children of that time are not followed. Return: as count_first().
 */
static int begin_late(struct record_job *job, int process, pid_t pid)
{
	if (job->frequency && count_first(job, process, pid))
		return EXIT_TROUBLE;
	if (job->session.delay_ns &&
	    process_wait(process, now_ns() + job->session.delay_ns, process < 0))
		return report_error("sampling ended during the delay of -D");
	job->start_ns = now_ns();
	if (pmc_context_start(job->session.context))
		return report_error("%s", pmc_error());
	if (job->frequency && pid && process_has_children(pid))
		report_error("-F: the command created processes during the first count: these are not sampled; with -c they are");
	return 0;
}

static bool begins_late(const struct record_job *job)
{
	return job->frequency || job->session.delay_ns;
}

/* Start the counters. With -D and without -F, begin_late() starts them. */
static int begin_early(struct record_job *job)
{
	job->start_ns = now_ns();
	if (job->session.delay_ns && !job->frequency)
		return 0;
	return pmc_context_start(job->session.context) ? report_error("%s", pmc_error()) : 0;
}

/* Open the process or thread of -p or -t. Return: -1 after a message, and for CPUs. */
static int open_task(const struct record_job *job)
{
	if (job->session.scope == PMC_SCOPE_PROCESS)
		return process_open(job->session.target[0]);
	if (job->session.scope == PMC_SCOPE_THREAD)
		return process_open_thread(job->session.target[0]);
	return -1;
}

/* Sample a process or CPUs without a command, until the process ends or a signal arrives. */
static int record_attached(struct record_job *job)
{
	int process = open_task(job);
	struct pmc_snapshot snapshot;
	struct record_result result;
	int status;

	if (process < 0 && session_counts_tasks(&job->session))
		return EXIT_TROUBLE;
	status = configure(job, 0) ? report_error("%s", pmc_error()) : open_file(job);
	if (!status)
		status = begin_early(job);
	if (!status && begins_late(job))
		status = begin_late(job, -1, 0);
	if (!status && begin_file(job))
		status = EXIT_TROUBLE;
	if (!status) {
		sample(job, process);
		status = get_result(job, &result, &snapshot) ? report_error("%s", pmc_error()) :
			 finish(job, &result, &snapshot);
	}
	if (process >= 0)
		process_close(process);
	return status;
}

static int fail_exec(const struct record_job *job, const struct workload *workload, int error)
{
	int status = workload_fail_exec(workload, error);

	/* "-g VALUE COMMAND" */
	if (job->chains_last && error == ENOENT && job->argv[1] && workload_exists(job->argv[1]))
		report_error("-g records call chains and takes no value; the first argument after the options is the command");
	return status;
}

/* Sample until the command ends, and write the file. Return: the exit status. */
static int sample_until_end(struct record_job *job, struct workload *workload, int process)
{
	struct pmc_snapshot snapshot;
	struct record_result result;
	int status;
	bool gained;

	sample(job, process);
	status = get_result(job, &result, &snapshot) ? report_error("%s", pmc_error()) : 0;
	result.wait_status = workload_reap(workload);
	gained = !status && session_counts_workload(&job->session) && !snapshot.time_counted &&
		 !(job->session.core_type && snapshot.time_enabled) &&
		 WIFEXITED(result.wait_status) && !workload_is_abandoned();
	if (!status && (job->collector.writer || !gained))
		status = finish(job, &result, &snapshot);
	if (!status && gained)
		status = report_error("not sampled: the command gains privileges by its exec; run pmcctl as root");
	if (!status && workload_is_abandoned())
		return EXIT_SIGNAL + workload_signal();
	return status ? status : session_exit_status(result.wait_status);
}

/* Run the command and sample. */
static int sample_command(struct record_job *job, struct workload *workload, int process)
{
	int error, status = begin_early(job);

	if (status)
		return status;
	error = workload_exec(workload);
	if (error)
		return fail_exec(job, workload, error);
	if (begins_late(job))
		status = begin_late(job, process, workload->pid);
	return status ? status : sample_until_end(job, workload, process);
}

static int record_with_command(struct record_job *job)
{
	struct workload workload;
	int process, status;

	if (workload_fork(&workload, job->argv))
		return report_error("cannot create a process: %s", strerror(errno));
	process = process_open(workload.pid);
	if (workload_signal())
		status = session_fail_signal();
	else if (process < 0)
		status = EXIT_TROUBLE;
	else if (configure(job, workload.pid))
		status = report_error("%s", pmc_error());
	else
		status = open_file(job);
	if (!status)
		status = sample_command(job, &workload, process);
	workload_reap(&workload);
	if (process >= 0)
		process_close(process);
	return status;
}

/* ---- from the device to the file ---- */

static int record(struct record_job *job)
{
	if (session_check_cpus(&job->session))
		return EXIT_TROUBLE;
	if (open_context(job) || add_events(job) || set_sampling(job))
		return report_error("%s", pmc_error());
	/* the command inherits the standard error and may write to the same terminal */
	job->progress = isatty(STDERR_FILENO) && !job->argv[0];
	job->collector.begin = begin_file;
	job->collector.data = job;
	return job->argv[0] ? record_with_command(job) : record_attached(job);
}

static int open_and_record(struct record_job *job)
{
	int status;

	workload_catch_signals();
	job->device = device_open();
	if (!job->device)
		return EXIT_TROUBLE;
	job->session.device = job->device;
	status = record(job);
	pmc_samples_close(job->collector.samples);
	pmc_context_close(job->session.context);
	pmc_device_close(job->device);
	collector_free(&job->collector);
	record_writer_free(&job->writer);
	deferred_close(&job->output);
	return status;
}

/* ---- options ---- */

static int set_period(struct record_job *job, const char *text)
{
	return read_number("-c, --count", text, 1, UINT64_MAX, &job->period);
}

static int set_ring_size(struct record_job *job, const char *text)
{
	uint64_t kib;

	if (!parse_number(text, 4, RING_KIB_MAX, &kib) || kib & (kib - 1))
		return report_usage_error("-m, --ring-size: '%s' is not a power of two from 4 to %u",
					  text, RING_KIB_MAX);
	job->ring_size = kib * 1024;
	return 0;
}

static int set_throttle(struct record_job *job, const char *text)
{
	uint64_t percent;

	if (read_number("--throttle", text, 1, PMC_THROTTLE_PERCENT_MAX, &percent))
		return EXIT_TROUBLE;
	job->throttle_percent = percent;
	return 0;
}

static int set_frequency(struct record_job *job, const char *text)
{
	return read_number("-F, --freq", text, 1, FREQUENCY_MAX, &job->frequency);
}

static int set_delay(struct record_job *job, const char *text)
{
	uint64_t ms;

	if (read_number("-D, --delay", text, 1, MS_MAX, &ms))
		return EXIT_TROUBLE;
	job->session.delay_ns = ms * 1000000;
	return 0;
}

#define LETTERS		"+:C:aip:t:e:c:F:D:gm:o:h"

static const struct option options[] = {
	{ "cpu", required_argument, NULL, 'C' },
	{ "all-cpus", no_argument, NULL, 'a' },
	{ "no-inherit", no_argument, NULL, 'i' },
	{ "pid", required_argument, NULL, 'p' },
	{ "tid", required_argument, NULL, 't' },
	{ "event", required_argument, NULL, 'e' },
	{ "cputype", required_argument, NULL, 'k' },
	{ "kind", required_argument, NULL, 'k' },
	{ "count", required_argument, NULL, 'c' },
	{ "freq", required_argument, NULL, 'F' },
	{ "delay", required_argument, NULL, 'D' },
	{ "call-chains", no_argument, NULL, 'g' },
	{ "ring-size", required_argument, NULL, 'm' },
	{ "throttle", required_argument, NULL, 'T' },
	{ "output", required_argument, NULL, 'o' },
	{ "help", no_argument, NULL, 'h' },
	{ }
};

static int set_option(struct record_job *job, int option, char **argv)
{
	int result = session_set_option(&job->session, option, optarg);

	if (result >= 0)
		return result;
	switch (option) {
	case 'e':
		return event_list_append(&job->lists, optarg);
	case 'c':
		return set_period(job, optarg);
	case 'F':
		return set_frequency(job, optarg);
	case 'D':
		return set_delay(job, optarg);
	case 'm':
		return set_ring_size(job, optarg);
	case 'T':
		return set_throttle(job, optarg);
	case 'g':
		job->chains = true;
		return 0;
	case 'o':
		job->path = optarg;
		return 0;
	default:
		return report_option_error(option, argv, options);
	}
}

/* Set the period from -c and -F, which exclude each other. */
static int check_periods(struct record_job *job)
{
	size_t i;

	if (job->frequency && job->period)
		return report_usage_error("-c and -F exclude each other");
	for (i = 0; i < job->num_events && job->frequency; i++)
		if (pmc_event_period(job->event[i]))
			return report_usage_error("event '%s' has a period: leave out :p, or -F",
						  pmc_event_name(job->event[i]));
	job->counts_first = job->frequency;
	return 0;
}

/* Return: 0, or the exit status. @help: set if the user asks for help. */
static int read_options(struct record_job *job, int argc, char **argv, bool *help)
{
	uint64_t seen = 0;
	int option, result;

	opterr = 0;
	while ((option = getopt_long(argc, argv, LETTERS, options, NULL)) != -1) {
		*help = option == 'h';
		if (*help)
			return 0;
		result = check_option_repeat(&seen, option, "e", options);
		if (!result)
			result = set_option(job, option, argv);
		if (result)
			return result;
	}
	if (job->lists &&
	    event_list_add(job->event, &job->num_events, job->lists, job->session.core_type))
		return EXIT_TROUBLE;
	if (check_periods(job))
		return EXIT_TROUBLE;
	if (job->session.num_targets > 1)
		return report_usage_error("record samples one CPU, process or thread, or with -a all CPUs");
	if (optind == argc && session_counts_workload(&job->session))
		return report_usage_error("no command to run, and no -p, -t, -C or -a to sample without one");
	if (optind < argc && !argv[optind][0])
		return report_usage_error("the command's name is empty");
	job->argv = argv + optind;
	job->chains_last = !strcmp(argv[optind - 1], "-g");
	job->defaults = !job->num_events;
	return 0;
}

static int run(int argc, char **argv)
{
	struct record_job job = {
		.session = { .scope = PMC_SCOPE_TREE },
		.path = DEFAULT_FILE,
	};
	bool help = false;
	int result;

	result = read_options(&job, argc, argv, &help);
	if (help)
		result = print_short_help("record", usage);
	else if (!result)
		result = open_and_record(&job);
	session_close(&job.session);
	event_list_free(job.event, &job.num_events);
	free(job.lists);
	return result;
}

const struct subcommand record_command = {
	.name = "record",
	.summary = "sample a command, a process, a CPU or all CPUs into a file",
	.usage = usage,
	.run = run,
};
