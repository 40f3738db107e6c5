// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz-kernel: options, processes, the seeds of the operations, and the checks at the end. See
 * README.md.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <grp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fuzz.h"
#include "registers.h"

#define RING_KB		"/sys/module/pmcdrv/parameters/ring_kb"

/* Pages that ring_kb allows for each CPU: fewer than the rings that request.c makes on purpose */
#define RING_PAGES	3

/* From this number of operations on, each kind of comparison must have been made. */
#define ENOUGH		2500

#define SELECT_OS	(1U << 17)
#define SELECT_ANY	(1U << 21)
#define SELECT_ENABLE	(1U << 22)

/* for each counter in IA32_FIXED_CTR_CTRL: kernel mode, AnyThread */
#define FIXED_FORBIDDEN	0x5555555555555555ULL

static const struct operation {
	const char *name;
	void (*run)(struct worker *worker);
	unsigned int weight;
} operations[] = {
	{ "query", do_query, 20 },
	{ "counter", do_counter, 20 },
	{ "tsc", do_tsc, 10 },
	{ "configure", do_configure, 200 },
	{ "start", do_start, 90 },
	{ "stop", do_stop, 60 },
	{ "reset", do_reset, 30 },
	{ "release", do_release, 50 },
	{ "read", do_read, 120 },
	{ "write", do_write, 60 },
	{ "statistics", do_statistics, 30 },
	{ "unknown", do_unknown, 15 },
	{ "reopen", do_reopen, 30 },
	{ "burn", do_burn, 60 },
	{ "affinity", do_affinity, 15 },
	{ "exact", do_exact, 30 },
	{ "user_read", do_user_read, 24 },
	{ "race", do_race, 8 },
	{ "inherit", do_inherit, 4 },
	{ "follow", do_follow, 6 },
	{ "kill", do_kill, 5 },
	{ "map", do_map, 40 },
	{ "unmap", do_unmap, 30 },
	{ "remap", do_remap, 10 },
	{ "touch", do_touch, 40 },
	{ "records", do_records, 40 },
	{ "poll", do_poll, 15 },
	{ "question", do_question, 25 },
	{ "listen", do_listen, 5 },
	{ "pce", do_pce, 5 },
	{ "rdpmc", do_rdpmc, 20 },
};

struct options {
	uint64_t seed;
	uint64_t operations;
	unsigned int processes;
	bool user;
	bool background;
	uint64_t progress;
	const char *log;
	const char *replay;
};

sigjmp_buf fuzz_faulted;
volatile int fuzz_may_fault;

uint64_t dice_next(struct dice *dice)
{
	uint64_t z;

	/* splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators) */
	dice->state += 0x9e3779b97f4a7c15ULL;
	z = dice->state;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

uint32_t dice_below(struct dice *dice, uint32_t limit)
{
	return (dice_next(dice) >> 32) * limit >> 32;
}

bool dice_one_in(struct dice *dice, uint32_t n)
{
	return !dice_below(dice, n);
}

/* Values at limits. */
uint64_t dice_edge(struct dice *dice)
{
	uint64_t value = 1ULL << dice_below(dice, 64);

	switch (dice_below(dice, 6)) {
	case 0:
		return 0;
	case 1:
		return dice_below(dice, 64);
	case 2:
		return value - 1;
	case 3:
		return value;
	case 4:
		return -value;
	default:
		return dice_next(dice);
	}
}

void wrong(struct worker *worker, const char *format, ...)
{
	const struct doing *doing = &worker->shared->doing[worker->index];
	char text[400];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	printf("fuzz-kernel: WRONG: process %u, operation %llu, %s, seed %#llx: %s\n",
	       worker->index, (unsigned long long)doing->number, doing->name,
	       (unsigned long long)doing->seed, text);
	fflush(stdout);
	__atomic_store_n(&worker->shared->failed, 1, __ATOMIC_RELEASE);
	_exit(1);
}

static void fault(int signal)
{
	if (fuzz_may_fault) {
		fuzz_may_fault = 0;
		siglongjmp(fuzz_faulted, 1);
	}
	_exit(100 + signal);
}

static const struct operation *operation_of(struct worker *worker, uint64_t seed)
{
	uint32_t pick, sum = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(operations); i++)
		sum += operations[i].weight;
	worker->dice.state = seed;
	pick = dice_below(&worker->dice, sum);
	for (i = 0; pick >= operations[i].weight; i++)
		pick -= operations[i].weight;
	return &operations[i];
}

static void operate(struct worker *worker, uint64_t seed, uint64_t number, FILE *log)
{
	const struct operation *operation = operation_of(worker, seed);
	struct doing *doing = &worker->shared->doing[worker->index];

	doing->number = number;
	doing->seed = seed;
	doing->name = operation->name;
	if (log)
		fprintf(log, "%u %#llx %s\n", worker->index, (unsigned long long)seed,
			operation->name);
	operation->run(worker);
	__atomic_add_fetch(&worker->shared->done, 1, __ATOMIC_RELAXED);
}

/* A 32-bit kernel has the last gigabyte (CONFIG_VMSPLIT_3G). */
static uint64_t kernel_begin(void)
{
	struct utsname name;

	uname(&name);
	return strcmp(name.machine, "x86_64") ? 0xc0000000 : 1ULL << 63;
}

/* The list of possible CPUs begins at 0 and has no gaps: "0-3". */
static long cpus_possible(void)
{
	char text[64];
	long last = 0;

	if (file_read("/sys/devices/system/cpu/possible", text, sizeof(text)) ||
	    sscanf(text, "0-%ld", &last) < 0)
		return 0;
	return last + 1;
}

static void worker_prepare(struct worker *worker, const struct options *options)
{
	const struct rlimit locked = { LOCKED_BYTES, LOCKED_BYTES };
	struct pmc_counter counter;
	unsigned int i;
	int err;

	worker->possible = cpus_possible();
	worker->allowance = RING_PAGES * worker->possible;
	if (!worker->possible || setrlimit(RLIMIT_MEMLOCK, &locked))
		wrong(worker, "the limit of its memory: %s", strerror(errno));
	if (options->user && (setgroups(0, NULL) || setgid(USER_NOBODY) || setuid(USER_NOBODY) ||
			      prctl(PR_SET_DUMPABLE, 1)))
		wrong(worker, "becoming an ordinary user: %s", strerror(errno));
	for (i = 0; i < SLOTS; i++)
		worker->slots[i].fd = -1;
	worker->arena = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (worker->arena == MAP_FAILED || mprotect(worker->arena + 2 * PAGE, PAGE, PROT_NONE))
		wrong(worker, "no memory");
	err = pmc_query(PMC_CPU_ANY, &worker->query);
	if (!err)
		err = pmc_describe(PMC_CPU_ANY, PMC_COUNTER_GENERAL(0), &counter);
	if (!err)
		err = nl_open(&worker->nl);
	if (!err)
		err = nl_open(&worker->listener);
	if (err)
		wrong(worker, "at the start: %s", strerror(-err));
	worker->period_max = counter.period_max;
	worker->select_mask = counter.event_select_mask;
	worker->kernel_begin = kernel_begin();
	signal(SIGSEGV, fault);
	signal(SIGBUS, fault);
}

/* Its files are closed after this. */
__attribute__((noreturn)) static void worker_exit(struct worker *worker)
{
	unsigned int i;

	for (i = 0; i < SLOTS; i++)
		account_yield(worker, worker->slots[i].pages);
	_exit(0);
}

/* Run the operations by their numbers, or those of a log. */
static void worker_run(struct worker *worker, const struct options *options)
{
	struct dice seeds = { options->seed + worker->index * 0x1000000ULL };
	uint64_t number, nr = options->operations / options->processes;
	FILE *log = NULL, *replay = NULL;
	unsigned long long seed;
	unsigned int index;

	if (options->log)
		log = fopen(options->log, "a");
	if (options->replay)
		replay = fopen(options->replay, "r");
	if ((options->log && !log) || (options->replay && !replay))
		wrong(worker, "the log: %s", strerror(errno));
	if (log)
		setlinebuf(log);
	worker_prepare(worker, options);
	if (!replay) {
		for (number = 0; number < nr; number++)
			operate(worker, dice_next(&seeds), number, log);
		worker_exit(worker);
	}
	for (number = 0; fscanf(replay, "%u %llx %*s", &index, &seed) == 2;) {
		if (index == worker->index)
			operate(worker, seed, number++, log);
	}
	worker_exit(worker);
}

/** struct run - state of the first process */
struct run {
	struct options options;
	struct shared *shared;
	struct pmc_query query;
	struct registers before;
	const struct program *program;
	pid_t victim;
	pid_t background;
	pid_t bystander;
	pid_t account;
	int account_go[2];
	pid_t workers[PROCESSES_MAX];
	unsigned int left;
	mode_t mode;
	char pce;
	char ring_kb[32];
};

static void die(const char *what, int err)
{
	printf("fuzz-kernel: %s: %s\n", what, strerror(-err));
	exit(2);
}

static pid_t run_fork(void)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid < 0)
		die("fork", -errno);
	if (!pid)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return pid;
}

static void run_start(struct run *run)
{
	static struct worker worker;
	unsigned int i;

	run->victim = run_fork();
	if (!run->victim) {
		for (;;)
			pause();
	}
	run->bystander = run_fork();
	if (!run->bystander)
		bystander_run(run->shared);
	if (run->options.background) {
		run->background = run_fork();
		if (!run->background)
			background_run(run->shared, run->options.seed);
	}
	for (i = 0; i < run->options.processes; i++) {
		run->workers[i] = run_fork();
		if (!run->workers[i]) {
			worker.shared = run->shared;
			worker.index = i;
			worker.user = run->options.user;
			worker.background = run->options.background;
			worker.victim = run->victim;
			worker.program = run->program;
			worker_run(&worker, &run->options);
		}
		run->left++;
	}
}

/* While only ordinary users count, no counter may count the kernel or a sibling. */
static void check_selects(struct run *run)
{
	unsigned int i;
	uint64_t value;
	int cpu, fd;

	if (!run->options.user || run->query.family != PMC_FAMILY_CORE)
		return;
	for (cpu = 0; cpu < cpus_present(); cpu++) {
		fd = msr_open(cpu);
		if (fd < 0)
			continue;
		for (i = 0; i < 64; i++) {
			if (run->query.general_counters >> i & 1 &&
			    pread(fd, &value, 8, msr_select(&run->query, i)) == 8 &&
			    value & SELECT_ENABLE && value & (SELECT_OS | SELECT_ANY)) {
				printf("fuzz-kernel: WRONG: event select %u of CPU %d is %#llx\n",
				       i, cpu, (unsigned long long)value);
				run->shared->failed = 1;
			}
		}
		if (run->query.fixed_counters && pread(fd, &value, 8, IA32_FIXED_CTR_CTRL) == 8 &&
		    value & FIXED_FORBIDDEN) {
			printf("fuzz-kernel: WRONG: IA32_FIXED_CTR_CTRL of CPU %d is %#llx\n", cpu,
			       (unsigned long long)value);
			run->shared->failed = 1;
		}
		close(fd);
	}
}

static void print_progress(const struct run *run, uint64_t done)
{
	unsigned int i;

	printf("fuzz-kernel: %llu of %llu operations; now",
	       (unsigned long long)done, (unsigned long long)run->options.operations);
	for (i = 0; i < run->options.processes; i++) {
		const struct doing *doing = &run->shared->doing[i];

		printf(" %llu:%s", (unsigned long long)doing->number,
		       doing->name ? doing->name : "-");
	}
	printf("\n");
	fflush(stdout);
}

static void reap_workers(struct run *run)
{
	unsigned int i;
	int status;

	for (i = 0; i < run->options.processes; i++) {
		if (!run->workers[i] || waitpid(run->workers[i], &status, WNOHANG) <= 0)
			continue;
		run->workers[i] = 0;
		run->left--;
		if (status) {
			const struct doing *doing = &run->shared->doing[i];

			printf("fuzz-kernel: WRONG: process %u ended with %#x in %s, seed %#llx\n",
			       i, status, doing->name, (unsigned long long)doing->seed);
			run->shared->failed = 1;
		}
	}
}

static void end_process(pid_t pid, bool by_force)
{
	if (pid <= 0)
		return;
	if (by_force)
		kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void run_wait(struct run *run)
{
	uint64_t next = run->options.progress, done;
	unsigned int i;

	while (run->left && !__atomic_load_n(&run->shared->failed, __ATOMIC_ACQUIRE)) {
		usleep(20000);
		check_selects(run);
		reap_workers(run);
		done = __atomic_load_n(&run->shared->done, __ATOMIC_RELAXED);
		if (done >= next) {
			print_progress(run, done);
			next = done + run->options.progress;
		}
	}
	__atomic_store_n(&run->shared->stop, 1, __ATOMIC_RELEASE);
	for (i = 0; i < run->options.processes; i++)
		end_process(run->workers[i], true);
	end_process(run->bystander, false);
	end_process(run->background, false);
	end_process(run->victim, true);
}

/*
 * Claim the counters once: that clears what perf may have left in them. What firmware left is
 * cleared here: RDPMC shows it.
 */
static void take_once(const struct run *run)
{
	int fd = pmc_open(), err = fd < 0 ? fd : claim_all(fd, &run->query);
	static struct registers counters;

	if (err)
		die("taking every counter", err);
	close(fd);
	registers_add_counters(&counters, &run->query);
	err = registers_put(&counters);
	if (err)
		die("clearing the counters", err);
}

static void run_prepare(struct run *run)
{
	char shown[16] = "1", allowed[16];
	struct stat node;
	int n, err;

	run->shared = mmap(NULL, sizeof(*run->shared), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (run->shared == MAP_FAILED)
		die("memory", -errno);
	err = pmc_query(PMC_CPU_ANY, &run->query);
	if (err)
		die("no " PMC_DEVICE " (insmod pmcdrv.ko, and be root)", err);
	if (run->query.status != PMC_STATUS_OK)
		die("no counters here (pmcctl info)", -ENODEV);
	run->program = program_named("./strings");
	if (!run->program)
		die("no program of known length in /usr/lib/pmcdrv/programs", -ENOENT);
	n = msr_open(0);
	if (n < 0)
		die("/dev/cpu/0/msr (modprobe msr)", -errno);
	close(n);
	file_read("/sys/class/misc/pmc/pce", shown, sizeof(shown));
	run->pce = shown[0];
	take_once(run);
	registers_list(&run->before, &run->query);
	err = registers_read(&run->before);
	if (err)
		die("reading the registers", err);
	snprintf(allowed, sizeof(allowed), "%d", RING_PAGES * PAGE / 1024);
	err = file_read(RING_KB, run->ring_kb, sizeof(run->ring_kb));
	if (!err)
		err = file_write(RING_KB, allowed);
	if (err)
		die(RING_KB, err);
	if (stat(PMC_DEVICE, &node))
		die(PMC_DEVICE, -errno);
	run->mode = node.st_mode & 07777;
	if (run->options.user && chmod(PMC_DEVICE, 0666))
		die(PMC_DEVICE, -errno);
}

static void put_back(const struct run *run)
{
	char path[64], text[2] = { run->pce, 0 };
	int cpu;

	for (cpu = 1; cpu < cpus_present(); cpu++) {
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
		if (access(path, W_OK) == 0)
			file_write(path, "1");
	}
	file_write("/sys/class/misc/pmc/pce", text);
	chmod(PMC_DEVICE, run->mode);
}

static unsigned int tests;

/* Print a TAP line. Return: @good. */
static bool result(bool good, const char *what)
{
	printf("%sok %u - %s\n", good ? "" : "not ", ++tests, what);
	return good;
}

static bool nothing_is_held(const struct run *run)
{
	struct pmc_counter counter;
	struct pmc_query query;
	unsigned int i;

	if (pmc_query(PMC_CPU_ANY, &query) || query.contexts)
		return false;
	for (i = 0; i < 64; i++) {
		if (run->query.general_counters >> i & 1 &&
		    (pmc_describe(PMC_CPU_ANY, PMC_COUNTER_GENERAL(i), &counter) ||
		     counter.holder.kind != PMC_HOLDER_NONE))
			return false;
	}
	return true;
}

/* Return: 0 or a negative errno of PMC_IOC_CONFIGURE with the smallest ring */
static int configure_smallest_ring(int fd, uint32_t counter)
{
	struct setup setup;

	setup_thread(&setup, 0, 0);
	setup_add(&setup, counter, EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	setup.counter[0].period = 100000;
	setup.config.ring_size = sysconf(_SC_PAGESIZE);
	return setup_configure(fd, &setup);
}

/*
 * The ordinary user is charged nothing if a ring of all allowed memory fits, and a second ring does
 * not. Exits with 0, or the errno of the first, or 255.
 */
__attribute__((noreturn)) static void account_run(const struct run *run)
{
	const struct rlimit none = { 0, 0 };
	int first = pmc_open(), second = pmc_open(), err;
	char byte;

	if (first < 0 || second < 0 || setrlimit(RLIMIT_MEMLOCK, &none) || setgroups(0, NULL) ||
	    setgid(USER_NOBODY) || setuid(USER_NOBODY) || read(run->account_go[0], &byte, 1) != 1)
		_exit(255);
	err = configure_smallest_ring(first, PMC_COUNTER_GENERAL(0));
	if (err)
		_exit(-err);
	err = configure_smallest_ring(second, PMC_COUNTER_GENERAL(1));
	_exit(err == -ENOBUFS ? 0 : 255);
}

/* A process of the user from before the first operation: an account ends with its last process. */
static void account_start(struct run *run)
{
	if (!run->options.user || !(run->query.features & PMC_FEATURE(INTERRUPT)))
		return;
	if (pipe2(run->account_go, O_CLOEXEC))
		die("pipe", -errno);
	run->account = fork();
	if (run->account < 0)
		die("fork", -errno);
	if (run->account == 0) {
		close(run->account_go[1]);
		account_run(run);
	}
}

/* Is exactly no memory of rings charged to the user? */
static bool nothing_is_charged(const struct run *run)
{
	char smallest[32];
	int status;
	bool good;

	/* a page of records and one for the reader's position, for each possible CPU */
	snprintf(smallest, sizeof(smallest), "%ld", 2 * sysconf(_SC_PAGESIZE) / 1024);
	good = !file_write(RING_KB, smallest) &&
	       write(run->account_go[1], "", 1) == 1;
	close(run->account_go[1]);
	if (waitpid(run->account, &status, 0) != run->account || status) {
		printf("# the user's account: status %#x\n", status);
		good = false;
	}
	return good;
}

static bool registers_are_as_before(struct run *run)
{
	struct registers after = run->before;
	bool same = true;
	unsigned int i;
	int cpu;

	if (registers_read(&after))
		return false;
	for (cpu = 0; cpu < cpus_online() && cpu < REGISTERS_CPUS; cpu++) {
		for (i = 0; i < after.nr; i++) {
			if (after.value[cpu][i] == run->before.value[cpu][i])
				continue;
			printf("# CPU %d, register %#x: %#llx, and was %#llx\n", cpu,
			       after.address[i], (unsigned long long)after.value[cpu][i],
			       (unsigned long long)run->before.value[cpu][i]);
			same = false;
		}
	}
	return same;
}

static void print_errors(const struct run *run)
{
	unsigned int i, error;

	for (i = 0; i < IOCTLS; i++) {
		printf("# %-10s", command_name(i));
		for (error = 0; error < ERRORS_MAX; error++) {
			uint64_t times = run->shared->errors[i][error];

			if (times || (error && error_documented(i, error)))
				printf(" %s %llu", error ? strerrorname_np(error) : "done",
				       (unsigned long long)times);
		}
		printf("\n");
	}
}

/* A comparison that was never made proves nothing. */
static bool compared(const struct run *run)
{
	const struct shared *shared = run->shared;
	bool samples = run->query.features & PMC_FEATURE(INTERRUPT);

	printf("# exact: %llu of its own, %llu of others, %llu of the bystander; %llu read in user mode; %llu samples\n",
	       (unsigned long long)shared->exact, (unsigned long long)shared->followed,
	       (unsigned long long)shared->bystander, (unsigned long long)shared->readings,
	       (unsigned long long)shared->samples);
	printf("# RDPMC: %llu times 0, %llu times its own count; rings: %llu that just fit, %llu a page too large\n",
	       (unsigned long long)shared->rdpmc_zero, (unsigned long long)shared->rdpmc_own,
	       (unsigned long long)shared->fitted, (unsigned long long)shared->refused);
	return run->options.operations < ENOUGH ||
	       (shared->exact && shared->followed && shared->bystander && shared->readings &&
		shared->rdpmc_zero && shared->rdpmc_own && (shared->samples || !samples) &&
		(shared->fitted + shared->refused || !samples || !run->options.user));
}

static bool run_judge(struct run *run)
{
	bool good;

	print_errors(run);
	good = result(!run->shared->failed, "every answer was a permitted one");
	good &= result(compared(run), "counts were compared and exact");
	good &= result(nothing_is_held(run), "no counter is held");
	if (run->account)
		good &= result(nothing_is_charged(run), "no memory is charged");
	good &= result(registers_are_as_before(run), "every register has its earlier value");
	file_write(RING_KB, run->ring_kb);
	printf("1..%u\n", tests);
	return good;
}

static void print_usage(FILE *to)
{
	fprintf(to, "usage: fuzz-kernel [OPTION]...\n"
		"Random operations on /dev/pmc, with checks of every answer. Needs root, the module,\n"
		"the module msr, and the NMI watchdog off (sysctl kernel.nmi_watchdog=0).\n\n"
		"  --seed N        first seed (default 1)\n"
		"  --operations N  number of operations of all processes (default 20000)\n"
		"  --processes N   number of concurrent processes, 1 to %d (default 3)\n"
		"  --user          as an ordinary user, not as root\n"
		"  --calm          CPUs and the attribute pce do not change\n"
		"  --progress N    print a line after every N operations (default 5000)\n"
		"  --log FILE      write each operation to FILE: process, seed, name\n"
		"  --replay FILE   run the operations of such a file (lines may be left out)\n"
		"  --help          print this help\n", PROCESSES_MAX);
}

static uint64_t number_of(const char *option, const char *text, uint64_t max)
{
	unsigned long long value;
	char *end;

	errno = 0;
	value = strtoull(text, &end, 0);
	if (errno || end == text || *end || *text == '-' || value > max) {
		fprintf(stderr, "fuzz-kernel: --%s takes a number up to %llu\n", option,
			(unsigned long long)max);
		exit(2);
	}
	return value;
}

static void parse(struct options *options, int argc, char **argv)
{
	static const struct option names[] = {
		{ "seed", required_argument, NULL, 's' },
		{ "operations", required_argument, NULL, 'o' },
		{ "processes", required_argument, NULL, 'p' },
		{ "user", no_argument, NULL, 'u' },
		{ "calm", no_argument, NULL, 'c' },
		{ "progress", required_argument, NULL, 'g' },
		{ "log", required_argument, NULL, 'l' },
		{ "replay", required_argument, NULL, 'r' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	int option, index = 0;

	while ((option = getopt_long(argc, argv, "", names, &index)) != -1) {
		const char *name = names[index].name;

		switch (option) {
		case 's':
			options->seed = number_of(name, optarg, UINT64_MAX);
			break;
		case 'o':
			options->operations = number_of(name, optarg, UINT64_MAX);
			break;
		case 'p':
			options->processes = number_of(name, optarg, PROCESSES_MAX);
			break;
		case 'g':
			options->progress = number_of(name, optarg, UINT64_MAX);
			break;
		case 'u':
			options->user = true;
			break;
		case 'c':
			options->background = false;
			break;
		case 'l':
			options->log = optarg;
			break;
		case 'r':
			options->replay = optarg;
			break;
		case 'h':
			print_usage(stdout);
			exit(0);
		default:
			print_usage(stderr);
			exit(2);
		}
	}
	if (optind < argc || !options->processes || !options->progress) {
		print_usage(stderr);
		exit(2);
	}
}

int main(int argc, char **argv)
{
	static struct run run = {
		.options = {
			.seed = 1,
			.operations = 20000,
			.processes = 3,
			.background = true,
			.progress = 5000,
		},
	};

	parse(&run.options, argc, argv);
	run_prepare(&run);
	printf("fuzz-kernel: --seed %llu --operations %llu --processes %u%s%s\n",
	       (unsigned long long)run.options.seed, (unsigned long long)run.options.operations,
	       run.options.processes, run.options.user ? " --user" : "",
	       run.options.background ? "" : " --calm");
	account_start(&run);
	run_start(&run);
	run_wait(&run);
	put_back(&run);
	return run_judge(&run) ? 0 : 1;
}
