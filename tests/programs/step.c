// SPDX-License-Identifier: GPL-2.0-only
/*
 * step [-c 32|64] TABLE...: counts the measured programs without any counter, by single-stepping
 * (ptrace) all their threads and processes, and compares with the tables. -c: only programs of 32
 * or of 64 bits
 *
 * It proves the tables on any machine, so that they can prove the counters. It is a thousand
 * times slower than running: programs of more than LONGEST instructions are left out, and those
 * that are also there with fewer rounds, as PROGRAM-ROUNDS (which prove their loop).
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORDS_MAX	16
#define TASKS_MAX	256

#define LONGEST		200000

/* struct user_regs_struct has the registers' own names. */
#ifdef __x86_64__
#define NEXT		rip
#define CALL		rax
#else
#define NEXT		eip
#define CALL		eax
#endif

/* The counted part; see the table "families". */
enum part { ALL, THREAD, ATTACHED, PART_MAX };

static const char *const part_names[PART_MAX] = { "all", "thread", "attached" };

struct counts {
	unsigned long instructions;
	unsigned long branches;
};

/*
 * One thread
 * @last: address of the instruction before this one
 * @counts: what it executes is counted now
 * @known: the ptrace event of its creation has arrived
 * @stopped: it stopped before that event
 */
struct task {
	pid_t tid;
	unsigned long long last;
	bool counts;
	bool known;
	bool stopped;
};

/* A tree of traced threads */
struct family {
	enum part part;
	struct counts seen;
	struct task task[TASKS_MAX];
	int nr;
};

static bool is_syscall(const unsigned char *code)
{
#ifdef __x86_64__
	return code[0] == 0x0f && code[1] == 0x05;
#else
	return code[0] == 0xcd && code[1] == 0x80;
#endif
}

static bool is_branch(const unsigned char *code)
{
	switch (code[0]) {
	case 0x70 ... 0x7f:		/* jcc */
	case 0xc3:			/* ret */
	case 0xcd:			/* int */
	case 0xe0 ... 0xe3:		/* loop, jrcxz */
	case 0xe8: case 0xe9: case 0xeb:	/* call, jmp */
		return true;
	case 0x0f:
		return is_syscall(code) ||
		       (code[1] & 0xf0) == 0x80;	/* jcc */
	case 0xff:			/* indirect call and jmp */
		return ((code[1] >> 3) & 7) == 2 || ((code[1] >> 3) & 7) == 4;
	}
	return false;
}

static bool is_repeated(const unsigned char *code)
{
	return code[0] == 0xf2 || code[0] == 0xf3;
}

static struct task *find_task(struct family *family, pid_t tid)
{
	int i;

	for (i = 0; i < family->nr; i++)
		if (family->task[i].tid == tid)
			return &family->task[i];
	return NULL;
}

static struct task *add_task(struct family *family, pid_t tid)
{
	struct task *task;

	if (family->nr == TASKS_MAX)
		return NULL;
	task = &family->task[family->nr++];
	*task = (struct task){ .tid = tid };
	return task;
}

static int go_on(const struct task *task, int signal)
{
	return ptrace(PTRACE_SINGLESTEP, task->tid, 0, signal) ? -1 : 0;
}

/* A task is stopped before an instruction: count that and step over it. */
static int step(struct family *family, struct task *task)
{
	struct user_regs_struct regs;
	unsigned char code[sizeof(long)];
	long word;

	if (ptrace(PTRACE_GETREGS, task->tid, 0, &regs))
		return -1;
	errno = 0;
	word = ptrace(PTRACE_PEEKTEXT, task->tid, regs.NEXT, 0);
	if (errno)
		return -1;
	memcpy(code, &word, sizeof(word));
	/* A single step of a repeated instruction is one repetition. */
	if (task->counts && (!is_repeated(code) || (unsigned long)regs.NEXT != task->last)) {
		family->seen.instructions++;
		family->seen.branches += is_branch(code);
	}
	task->last = (unsigned long)regs.NEXT;
	if (family->part == ATTACHED && is_syscall(code) && regs.CALL == SYS_read)
		task->counts = true;
	return go_on(task, 0);
}

/* @maker has created another task, which is stopped before its first instruction. */
static int task_created(struct family *family, const struct task *maker)
{
	bool counts = maker->counts && family->part != THREAD;
	struct task *task;
	unsigned long tid;

	if (ptrace(PTRACE_GETEVENTMSG, maker->tid, 0, &tid))
		return -1;
	task = find_task(family, tid);
	if (!task)
		task = add_task(family, tid);
	if (!task)
		return -1;
	task->counts = counts;
	task->known = true;
	return task->stopped ? step(family, task) : 0;
}

/* Handle a stopped task. */
static int stopped(struct family *family, struct task *task, int status)
{
	int signal = WSTOPSIG(status), event = status >> 16;

	if (!task->known) {
		task->stopped = true;
		return 0;
	}
	if (event && event != PTRACE_EVENT_EXEC && task_created(family, task))
		return -1;
	if (event)
		return go_on(task, 0);
	/* new tasks begin with a SIGSTOP */
	if (signal == SIGTRAP || signal == SIGSTOP)
		return step(family, task);
	return go_on(task, signal);
}

static void forget(struct family *family, struct task *task)
{
	*task = family->task[--family->nr];
}

static _Noreturn void become(char **command)
{
	int zeros = open("/dev/zero", O_RDONLY);

	if (zeros < 0 || dup2(zeros, 0) < 0 || close(zeros))
		_exit(126);
	ptrace(PTRACE_TRACEME, 0, 0, 0);
	execv(command[0], command);
	_exit(127);
}

/* Start the program: it is stopped before its first instruction. */
static int begin(struct family *family, char **command)
{
	struct task *first;
	int status;
	pid_t pid;

	pid = fork();
	if (pid == 0)
		become(command);
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || !WIFSTOPPED(status))
		return -1;
	if (ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK |
		   PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL))
		return -1;
	first = add_task(family, pid);
	first->counts = family->part != ATTACHED;
	first->known = true;
	return step(family, first);
}

static void kill_all(const struct family *family)
{
	int i;

	for (i = 0; i < family->nr; i++)
		kill(family->task[i].tid, SIGKILL);
	while (waitpid(-1, NULL, __WALL) > 0)
		;
}

/* Returns 0 if everything was counted and every task ended normally. */
static int count(struct family *family)
{
	bool good = true;

	while (family->nr) {
		struct task *task;
		int status;
		pid_t tid;

		tid = waitpid(-1, &status, __WALL);
		if (tid < 0)
			return -1;
		task = find_task(family, tid);
		if (!task)
			task = add_task(family, tid);
		if (!task)
			return -1;
		if (!WIFSTOPPED(status)) {
			good &= WIFEXITED(status) && WEXITSTATUS(status) == 0;
			forget(family, task);
		} else if (stopped(family, task, status)) {
			return -1;
		}
	}
	return good ? 0 : -1;
}

/* The first word, if it names the counted part */
static bool names_part(const char *word, enum part *part)
{
	for (*part = 0; *part < PART_MAX; ++*part)
		if (!strcmp(word, part_names[*part]))
			return true;
	*part = ALL;
	return false;
}

/* ELFCLASS32 or ELFCLASS64: programs of this class alone; ELFCLASSNONE: all */
static unsigned char only = ELFCLASSNONE;

static bool is_selected(const char *program)
{
	unsigned char ident[EI_NIDENT] = {};
	int file;

	if (only == ELFCLASSNONE)
		return true;
	file = open(program, O_RDONLY | O_CLOEXEC);
	if (file < 0 || read(file, ident, sizeof(ident)) != sizeof(ident))
		return true; /* which fails below */
	close(file);
	return ident[EI_CLASS] == only;
}

/* Is a program of the command there with fewer rounds? */
static bool has_shorter(char **command)
{
	char pattern[256];
	bool has = false;
	glob_t files;

	for (; *command && !has; command++) {
		snprintf(pattern, sizeof(pattern), "%s-[0-9]*", *command);
		has = !strncmp(*command, "./", 2) && !glob(pattern, 0, NULL, &files);
		if (has)
			globfree(&files);
	}
	return has;
}

static struct {
	unsigned int passed;
	unsigned int failed;
	unsigned int left_out;
} verdicts;

static void verify(enum part part, const struct counts *known, char **command)
{
	struct family family = { .part = part };
	const struct counts *seen = &family.seen;

	if (known->instructions > LONGEST || has_shorter(command)) {
		printf("left out %s: too long to step through\n", command[0]);
		verdicts.left_out++;
	} else if (begin(&family, command) || count(&family)) {
		kill_all(&family);
		printf("failed   %s: cannot be stepped through\n", command[0]);
		verdicts.failed++;
	} else if (memcmp(known, seen, sizeof(*known))) {
		printf("failed   %s (%s): %lu instructions, %lu branches; the table has %lu, %lu\n",
		       command[0], part_names[part], seen->instructions, seen->branches,
		       known->instructions, known->branches);
		verdicts.failed++;
	} else {
		printf("passed   %s (%s): %lu instructions, %lu branches\n",
		       command[0], part_names[part], seen->instructions, seen->branches);
		verdicts.passed++;
	}
}

static void verify_line(char *line)
{
	char *words[WORDS_MAX + 1], **word = words, *rest = line;
	struct counts known;
	unsigned int n = 0;
	enum part part;

	line[strcspn(line, "\n")] = 0;
	while (n < WORDS_MAX && (words[n] = strsep(&rest, " ")))
		n++;
	words[n] = NULL;
	if (n && names_part(words[0], &part))
		word++;
	if (words + n - word < 3)
		return;
	known.instructions = strtoul(*word++, NULL, 10);
	known.branches = strtoul(*word++, NULL, 10);
	if (is_selected(word[0]))
		verify(part, &known, word);
}

static int verify_table(const char *path)
{
	char line[512];
	FILE *table;

	table = fopen(path, "r");
	if (!table) {
		perror(path);
		return -1;
	}
	while (fgets(line, sizeof(line), table))
		if (line[0] != '#')
			verify_line(line);
	fclose(table);
	return 0;
}

static int report_misuse(void)
{
	fprintf(stderr, "Usage: step [-c 32|64] TABLE...\n");
	return 2;
}

int main(int argc, char **argv)
{
	int option, i;

	while ((option = getopt(argc, argv, "c:")) != -1) {
		if (option != 'c' || (strcmp(optarg, "32") && strcmp(optarg, "64")))
			return report_misuse();
		only = strcmp(optarg, "32") ? ELFCLASS64 : ELFCLASS32;
	}
	if (optind == argc)
		return report_misuse();
	setlinebuf(stdout);
	for (i = optind; i < argc; i++)
		if (verify_table(argv[i]))
			return 1;
	printf("%u passed, %u failed, %u skipped\n", verdicts.passed, verdicts.failed,
	       verdicts.left_out);
	return verdicts.failed != 0;
}
