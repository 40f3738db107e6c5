// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ABI of /dev/pmc in short functions; see pmc.h
 *
 * Functions return 0 (or what their comment states) or a negative errno.
 */
#include <cpuid.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "overcount.h"
#include "pmc.h"

int pmc_open(void)
{
	int fd = open(PMC_DEVICE, O_RDWR | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int pmc_call(int fd, unsigned int command, void *argument)
{
	if (ioctl(fd, command, argument))
		return -errno;
	if (command == PMC_IOC_CONFIGURE)
		overcount_begin(fd);
	if (command == PMC_IOC_RELEASE)
		overcount_end(fd);
	return 0;
}

int pmc_query(int cpu, struct pmc_query *query)
{
	int fd = pmc_open();
	int err;

	if (fd < 0)
		return fd;
	memset(query, 0, sizeof(*query));
	query->size = sizeof(*query);
	query->cpu = cpu;
	err = pmc_call(fd, PMC_IOC_QUERY, query);
	close(fd);
	return err;
}

int pmc_describe(int cpu, uint32_t counter, struct pmc_counter *answer)
{
	int fd = pmc_open();
	int err;

	if (fd < 0)
		return fd;
	memset(answer, 0, sizeof(*answer));
	answer->size = sizeof(*answer);
	answer->cpu = cpu;
	answer->counter = counter;
	err = pmc_call(fd, PMC_IOC_COUNTER, answer);
	close(fd);
	return err;
}

/*
 * Pentium (SDM Volume 3B, table of its events): INSTRUCTIONS_EXECUTED, BRANCHES, and a number
 * that no event has
 */
static uint64_t event_select_p5(uint64_t event)
{
	switch (event) {
	case EVENT_INSTRUCTIONS:
		return 0x16;
	case EVENT_BRANCHES:
		return 0x12;
	case EVENT_IMPOSSIBLE:
		return 0x3f;
	default:
		return event;
	}
}

/* From CPUID, like is_netburst() */
/*
 * A counter is loaded with at least so many events left before its overflow: Nehalem, Haswell. 1:
 * no quirk. From CPUID, too.
 */
unsigned int least_period(void)
{
	static const unsigned char models[] = { 0x1a, 0x1e, 0x2e, 0x3c, 0x3f, 0x45, 0x46 };
	unsigned int a, b, c, d;

	__cpuid(0, a, b, c, d);
	if (b != signature_INTEL_ebx)
		return 1;
	__cpuid(1, a, b, c, d);
	if ((a >> 8 & 0xf) != 6)
		return 1;
	return memchr(models, (a >> 12 & 0xf0) | (a >> 4 & 0xf), sizeof(models)) ? 32 : 1;
}

bool is_amd(void)
{
	unsigned int a, b, c, d;

	__cpuid(0, a, b, c, d);
	return b == signature_AMD_ebx;
}

/*
 * CPUID.80000001H:ECX[23], "PerfCtrExtCore": registers by twos from C0010200H on, event
 * selects at even addresses; else four of each at C0010000H and C0010004H.
 */
bool amd_has_extension(void)
{
	unsigned int a, b, c, d;

	return is_amd() && __get_cpuid(0x80000001, &a, &b, &c, &d) && c & 1U << 23;
}

static uint64_t amd_counters_described(void)
{
	unsigned int a, b, c, d;

	/* PerfMonV2, NumPerfCtrCore */
	if (__get_cpuid(0x80000022, &a, &b, &c, &d) && a & 1 && b & 0xf)
		return (1ULL << (b & 0xf)) - 1;
	return amd_has_extension() ? 0x3f : 0xf;
}

/* The counters that CPUID describes: Intel's leaf 0AH, from version 6 on leaf 23H; AMD's leaves */
void counters_described(uint64_t *general, uint64_t *fixed)
{
	unsigned int a, b, c, d, version;

	*general = 0;
	*fixed = 0;
	if (is_amd())
		*general = amd_counters_described();
	if (is_amd() || !__get_cpuid_count(0xa, 0, &a, &b, &c, &d))
		return;
	version = a & 0xff;
	*general = (1ULL << (a >> 8 & 0xff)) - 1;
	if (version >= 2)
		*fixed = (1ULL << (d & 0x1f)) - 1;
	if (version >= 5)
		*fixed |= c;
	if (version >= 6 && __get_cpuid_count(0x23, 1, &a, &b, &c, &d) && a) {
		*general = a;
		*fixed = b;
	}
}

/* The event select of this processor's family for one of pmc.h's events. */
uint64_t event_select(uint64_t event)
{
	unsigned int a, b, c, d;

	/* from CPUID: the caller may have no permission to use the driver */
	if (is_amd())
		return event == EVENT_BRANCHES ? EVENT_BRANCHES_AMD : event;
	__cpuid(1, a, b, c, d);
	return (a >> 8 & 0xf) == 5 ? event_select_p5(event) : event;
}

static bool has_v6_addresses(const struct pmc_query *query)
{
	return query->perfmon_version >= 6 && query->features & PMC_FEATURE(FULL_WIDTH);
}

/*
 * The register with a general counter's event select. The Pentium has one for both counters; on
 * NetBurst it is the CCCR.
 */
uint32_t msr_select(const struct pmc_query *query, unsigned int counter)
{
	switch (query->family) {
	case PMC_FAMILY_P5:
		return MSR_CESR;
	case PMC_FAMILY_NETBURST:
		return MSR_CCCR0 + counter;
	case PMC_FAMILY_AMD:
		return amd_has_extension() ? 0xc0010200 + 2 * counter : 0xc0010000 + counter;
	default:
		return has_v6_addresses(query) ? MSR_V6_SELECT0 + MSR_V6_STEP * counter :
						 MSR_SELECT0 + counter;
	}
}

/* The register of a general counter. */
uint32_t msr_counter(const struct pmc_query *query, unsigned int counter)
{
	switch (query->family) {
	case PMC_FAMILY_P5:
		return MSR_CTR0 + counter;
	case PMC_FAMILY_NETBURST:
		return MSR_BPU_COUNTER0 + counter;
	case PMC_FAMILY_AMD:
		return amd_has_extension() ? 0xc0010201 + 2 * counter : 0xc0010004 + counter;
	default:
		return has_v6_addresses(query) ? MSR_V6_COUNTER0 + MSR_V6_STEP * counter :
						 MSR_COUNTER0 + counter;
	}
}

/* The register of a fixed counter. */
uint32_t msr_fixed(const struct pmc_query *query, unsigned int counter)
{
	return has_v6_addresses(query) ? MSR_V6_FIXED0 + MSR_V6_STEP * counter :
					 MSR_FIXED0 + counter;
}

static void setup_init(struct setup *setup, uint32_t scope)
{
	memset(setup, 0, sizeof(*setup));
	setup->config.size = sizeof(setup->config);
	setup->config.scope = scope;
	setup->config.cpu = PMC_CPU_ANY;
	setup->config.counters = (uintptr_t)setup->counter;
	setup->config.counter_size = sizeof(setup->counter[0]);
}

/* One thread, 0 for the caller */
void setup_thread(struct setup *setup, pid_t tid, uint32_t flags)
{
	setup_init(setup, PMC_SCOPE_THREAD);
	setup->config.tid = tid;
	setup->config.flags = flags;
}

void setup_cpu(struct setup *setup, int cpu)
{
	setup_init(setup, PMC_SCOPE_CPU);
	setup->config.cpu = cpu;
}

void setup_all_cpus(struct setup *setup)
{
	setup_init(setup, PMC_SCOPE_ALL_CPUS);
}

/* One counter; only a general one needs the event. */
void setup_add(struct setup *setup, uint32_t counter, uint64_t event, uint32_t flags)
{
	struct pmc_counter_config *entry = &setup->counter[setup->config.nr_counters++];

	entry->counter = counter;
	entry->flags = flags;
	if (!(counter & PMC_COUNTER_FIXED_FLAG))
		entry->event_select = event_select(event);
}

/*
 * NetBurst (SDM Volume 3B, table of its events for at-retirement counting): instr_retired,
 * branch_retired with every bit of its mask, and an event select that no event has; each with
 * the ESCR select of its CCCR. Counters 12 to 17 count them; 12, 13 and 16 share an ESCR, and
 * so do 14, 15 and 17. Each two neighbours here have different ESCRs, so they can count
 * different events.
 */
#define NETBURST_COUNTERS	6
#define NETBURST_SELECT(select, mask, escr) \
	((uint64_t)(select) << 57 | (uint64_t)(mask) << 41 | (escr) << 13)

static const uint32_t netburst_counter[NETBURST_COUNTERS] = { 12, 14, 13, 15, 16, 17 };

/* The counters of these that one of two logical processors has */
#define NETBURST_HALF		3

static const uint32_t netburst_half[NETBURST_HALF] = { 12, 13, 16 };

/* CPUID.01H:EBX[23:16], 1 without the flag HTT; no tested NetBurst has two cores. */
static bool netburst_is_half(void)
{
	unsigned int a, b, c, d;

	__cpuid(1, a, b, c, d);
	return d & 1U << 28 && (b >> 16 & 0xff) > 1;
}

static unsigned int netburst_counters(void)
{
	return netburst_is_half() ? NETBURST_HALF : NETBURST_COUNTERS;
}

/* From CPUID: the caller may have no permission to use the driver. */
bool is_netburst(void)
{
	unsigned int a, b, c, d;

	__cpuid(0, a, b, c, d);
	if (b != signature_INTEL_ebx)
		return false;
	__cpuid(1, a, b, c, d);
	return (a >> 8 & 0xf) == 15;
}

uint64_t netburst_select(uint64_t event)
{
	switch (event) {
	case EVENT_INSTRUCTIONS:
		return NETBURST_SELECT(0x02, 1, 4);
	case EVENT_BRANCHES:
		return NETBURST_SELECT(0x06, 0xf, 5);
	case EVENT_INSTRUCTIONS | 0xff000000:
		return NETBURST_SELECT(0x3e, 1, 4);
	default:
		return event;
	}
}

/* The hardware's number of a test's counter */
uint32_t counter_placed(uint32_t counter)
{
	if (!is_netburst() || counter >= netburst_counters())
		return counter;
	return netburst_is_half() ? netburst_half[counter] : netburst_counter[counter];
}

/* Translate a test's entry for counters 0 to 5 into NetBurst's numbers. */
static void netburst_place(struct pmc_counter_config *entry)
{
	uint64_t select = netburst_select(entry->event_select);

	if (select == entry->event_select || entry->counter >= netburst_counters())
		return;
	entry->counter = counter_placed(entry->counter);
	entry->event_select = select;
}

/* Translate the reply back into the test's numbers. */
static void netburst_answer(struct setup *setup, const struct setup *placed)
{
	const uint64_t counters = setup->config.counters;
	unsigned int i;

	setup->config = placed->config;
	setup->config.counters = counters;
	for (i = 0; i < setup->config.nr_counters && i <= PMC_COUNTERS_MAX; i++) {
		if (setup->config.holder.kind &&
		    setup->config.holder.counter == placed->counter[i].counter) {
			setup->config.holder.counter = setup->counter[i].counter;
			return;
		}
	}
}

/* The number of the last general counter */
unsigned int last_general(const struct pmc_query *query)
{
	return 63 - __builtin_clzll(query->general_counters);
}

/*
 * Add all counters that can count @event: every general counter, and for instructions the fixed
 * counter.
 */
void setup_add_all(struct setup *setup, const struct pmc_query *query, uint64_t event,
		   uint32_t flags)
{
	uint64_t general = is_netburst() ? (1ULL << netburst_counters()) - 1 :
			   query->general_counters;
	unsigned int i;

	/* 4 to 7 count both modes together or none */
	if (query->quirks & PMC_QUIRK(USER_4_7) && flags != (PMC_COUNT_USER | PMC_COUNT_KERNEL))
		general &= 0xf;
	for (i = 0; i < PMC_COUNTERS_MAX; i++) {
		if (general & (1ULL << i))
			setup_add(setup, PMC_COUNTER_GENERAL(i), event, flags);
	}
	if (event == EVENT_INSTRUCTIONS && query->fixed_counters & 1)
		setup_add(setup, FIXED_INSTRUCTIONS, 0, flags);
}

/*
 * The targets that most tests count: instructions in user mode, in general counter 0 (_one)
 * or in each counter that can count them (_all).
 */
static void setup_instructions(struct setup *setup)
{
	setup_add(setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
}

void setup_thread_one(struct setup *setup, pid_t tid, uint32_t flags)
{
	setup_thread(setup, tid, flags);
	setup_instructions(setup);
}

void setup_thread_all(struct setup *setup, const struct pmc_query *query, pid_t tid,
		      uint32_t flags)
{
	setup_thread(setup, tid, flags);
	setup_add_all(setup, query, EVENT_INSTRUCTIONS, PMC_COUNT_USER);
}

void setup_cpu_one(struct setup *setup, int cpu)
{
	setup_cpu(setup, cpu);
	setup_instructions(setup);
}

void setup_cpu_all(struct setup *setup, const struct pmc_query *query, int cpu)
{
	setup_cpu(setup, cpu);
	setup_add_all(setup, query, EVENT_INSTRUCTIONS, PMC_COUNT_USER);
}

void setup_all_cpus_one(struct setup *setup)
{
	setup_all_cpus(setup);
	setup_instructions(setup);
}

void setup_all_cpus_all(struct setup *setup, const struct pmc_query *query)
{
	setup_all_cpus(setup);
	setup_add_all(setup, query, EVENT_INSTRUCTIONS, PMC_COUNT_USER);
}

/* Translate all entries into the hardware's numbers, for a test that calls the driver itself. */
void setup_place(struct setup *setup)
{
	unsigned int i;

	if (!is_netburst())
		return;
	for (i = 0; i < setup->config.nr_counters && i <= PMC_COUNTERS_MAX; i++)
		netburst_place(&setup->counter[i]);
}

int setup_configure(int fd, struct setup *setup)
{
	struct setup placed = *setup;
	int err;

	if (!is_netburst() || setup->config.counters != (uintptr_t)setup->counter)
		return pmc_call(fd, PMC_IOC_CONFIGURE, &setup->config);
	setup_place(&placed);
	placed.config.counters = (uintptr_t)placed.counter;
	err = pmc_call(fd, PMC_IOC_CONFIGURE, &placed.config);
	netburst_answer(setup, &placed);
	return err;
}

/* Does that entry count @event? */
bool setup_counts(const struct setup *setup, unsigned int entry, uint64_t event)
{
	const struct pmc_counter_config *counter = &setup->counter[entry];

	if (counter->counter == FIXED_INSTRUCTIONS)
		return event == EVENT_INSTRUCTIONS;
	return !(counter->counter & PMC_COUNTER_FIXED_FLAG) &&
	       counter->event_select == event_select(event);
}

void reading_init(struct reading *reading)
{
	memset(reading, 0, sizeof(*reading));
	reading->size = sizeof(*reading);
	reading->cpu = PMC_CPU_ANY;
}

int reading_read(int fd, struct reading *reading)
{
	reading_init(reading);
	return pmc_call(fd, PMC_IOC_READ, reading);
}

int reading_read_cpu(int fd, int cpu, struct reading *reading)
{
	reading_init(reading);
	reading->cpu = cpu;
	reading->flags = PMC_READ_ONE_CPU;
	return pmc_call(fd, PMC_IOC_READ, reading);
}

/*
 * The programs are in the folder programs beside the test, or, for a test without that folder,
 * in ../programs. The test process changes to that directory, so that the table's names work.
 */
static int programs_enter(void)
{
	char path[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
	char *slash;

	if (length < 0)
		return -errno;
	path[length] = 0;
	slash = strrchr(path, '/');
	if (!slash)
		return -ENOENT;
	*slash = 0;
	return chdir(path) || (chdir("programs") && chdir("../programs")) ? -errno : 0;
}

static int program_parse(char *line, struct program *program)
{
	char *rest = line, *word;
	int n = 0;

	line[strcspn(line, "\n")] = 0;
	program->instructions = strtoull(rest, &rest, 10);
	program->branches = strtoull(rest, &rest, 10);
	while (n < WORDS_MAX && (word = strsep(&rest, " "))) {
		if (*word)
			program->argv[n++] = strdup(word);
	}
	program->argv[n] = NULL;
	return n && program->instructions ? 0 : -EINVAL;
}

/* Returns the number of programs; at most PROGRAMS_MAX. */
int programs_load(struct program *programs)
{
	char line[512];
	int n = 0, err;
	FILE *table;

	err = programs_enter();
	if (err)
		return err;
	table = fopen("counts", "r");
	if (!table)
		return -errno;
	while (!err && n < PROGRAMS_MAX && fgets(line, sizeof(line), table)) {
		if (line[0] == '#')
			continue;
		err = program_parse(line, &programs[n++]);
	}
	fclose(table);
	return err ? err : n;
}

/* Returns the first program that runs @command without arguments, or NULL. */
const struct program *program_named(const char *command)
{
	static struct program programs[PROGRAMS_MAX];
	static int nr;
	int i;

	if (nr <= 0)
		nr = programs_load(programs);
	for (i = 0; i < nr; i++) {
		if (!strcmp(programs[i].argv[0], command) && !programs[i].argv[1])
			return &programs[i];
	}
	return NULL;
}

uint64_t program_count(const struct program *program, uint64_t event)
{
	return event == EVENT_BRANCHES ? program->branches : program->instructions;
}

/* Fork a child that waits for a byte and then runs @then; it dies with its parent. */
static int child_start(struct child *child, void (*then)(const void *), const void *argument)
{
	int pipes[2];
	pid_t pid;
	char word;

	if (pipe2(pipes, O_CLOEXEC))
		return -errno;
	pid = fork();
	if (pid < 0)
		return -errno;
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(pipes[1]);
		if (read(pipes[0], &word, 1) == 1)
			then(argument);
		_exit(126);
	}
	close(pipes[0]);
	/* *child may be shared with the child: only the parent writes it */
	child->pid = pid;
	child->go = pipes[1];
	return 0;
}

static void run_program(const void *argument)
{
	const struct program *program = argument;

	execv(program->argv[0], program->argv);
}

int child_program(struct child *child, const struct program *program)
{
	return child_start(child, run_program, program);
}

/*
 * Fork a child that waits, then runs @program; set up the counting of @event in user mode
 * by each counter that can, from the exec on. Returns what child_program() does.
 */
int child_counted(struct child *child, const struct program *program, struct setup *setup,
		  const struct pmc_query *query, uint64_t event)
{
	int err = child_program(child, program);

	if (err)
		return err;
	setup_thread(setup, child->pid, PMC_CONFIG_ON_EXEC);
	setup_add_all(setup, query, event, PMC_COUNT_USER);
	return 0;
}

void spin_forever(void)
{
	for (;;)
		asm volatile("");
}

static void run_spin(const void *argument __attribute__((unused)))
{
	spin_forever();
}

/* A child that spins forever after its byte */
int child_spin(struct child *child)
{
	return child_start(child, run_spin, NULL);
}

int child_go(struct child *child)
{
	int err = write(child->go, "", 1) == 1 ? 0 : -errno;

	close(child->go);
	return err;
}

/* Returns the exit status, or 256 + signal. */
int child_wait(struct child *child)
{
	int status;

	if (waitpid(child->pid, &status, 0) != child->pid)
		return -errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
}

/* Let the child run to its end. Returns what child_wait() does. */
int child_run(struct child *child)
{
	int err = child_go(child);

	return err ? err : child_wait(child);
}

void child_kill(struct child *child)
{
	kill(child->pid, SIGKILL);
	child_wait(child);
}

/* Bind a thread (0: the caller) to one CPU. */
int pin(pid_t pid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(pid, sizeof(set), &set) ? -errno : 0;
}

/* musl has no sched_setscheduler(). Returns 0 or a negative errno. */
int schedule_as(pid_t pid, int policy)
{
	struct sched_param param = { .sched_priority = policy == SCHED_OTHER ? 0 : 1 };

	return syscall(SYS_sched_setscheduler, pid, policy, &param) ? -errno : 0;
}

/* sysconf() does not work: musl's returns the CPUs of this thread's affinity. */
static int cpus_listed(const char *path)
{
	char text[256], *list = text, *end;
	int cpus = 0;

	if (file_read(path, text, sizeof(text)) < 0)
		return 1;
	do {
		unsigned long first = strtoul(list, &end, 10), last = first;

		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		cpus += last - first + 1;
		list = end + 1;
	} while (*end == ',');
	return cpus;
}

int cpus_online(void)
{
	return cpus_listed("/sys/devices/system/cpu/online");
}

int cpus_present(void)
{
	return cpus_listed("/sys/devices/system/cpu/present");
}

/* Is the kernel this version or newer? */
bool linux_is_from(unsigned int major, unsigned int minor)
{
	unsigned int number[2] = { 0, 0 };
	struct utsname name;

	return !uname(&name) && sscanf(name.release, "%u.%u", &number[0], &number[1]) == 2 &&
	       (number[0] > major || (number[0] == major && number[1] >= minor));
}

/*
 * Are counts missing because the kernel let a thread run on a CPU that went offline, after the
 * driver had left that CPU?
 */
bool reading_missed_offline(const struct reading *reading)
{
	return !linux_is_from(5, 11) && reading->state & PMC_STATE_UNCOUNTED;
}

int file_read(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY), err;
	ssize_t length;

	if (fd < 0)
		return -errno;
	length = read(fd, text, size - 1);
	err = length < 0 ? -errno : 0;
	text[length < 0 ? 0 : length] = 0;
	close(fd);
	return err;
}

int file_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);
	int err = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		err = -errno;
	close(fd);
	return err;
}

/* perf's rdpmc file; that of the big cores where perf has a PMU for each core type */
const char *perfs_rdpmc(void)
{
	static const char of_all[] = "/sys/bus/event_source/devices/cpu/rdpmc";

	return access(of_all, F_OK) ? "/sys/bus/event_source/devices/cpu_core/rdpmc" : of_all;
}

/* Run "pmcctl @arguments" and store its output. Returns its exit status, 127 if not found. */
int run_pmcctl(const char *arguments, char *text, size_t size)
{
	char command[128];
	size_t length;
	FILE *pipe;

	snprintf(command, sizeof(command), "pmcctl %s 2>&1", arguments);
	pipe = popen(command, "r");
	if (!pipe)
		return -errno;
	length = fread(text, 1, size - 1, pipe);
	text[length] = 0;
	return WEXITSTATUS(pclose(pipe));
}
