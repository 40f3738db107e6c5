// SPDX-License-Identifier: GPL-2.0-only
/*
 * step TABLE...: count the measured programs without any counter, by executing
 * each of their instructions singly (ptrace), in all threads and processes that
 * they make, and compare with the tables. It proves the tables on any machine, so
 * that these can prove the counters.
 *
 * A thousand times slower than running: programs of more than LONGEST
 * instructions are left out (their loop is proved by a shorter one).
 */
#include <errno.h>
#include <fcntl.h>
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

#define LONGEST		1500000
#define WORDS_MAX	16
#define TASKS_MAX	256

/* struct user_regs_struct has the registers' own names. */
#ifdef __x86_64__
#define NEXT		rip
#define CALL		rax
#else
#define NEXT		eip
#define CALL		eax
#endif

/* Who is counted; see the table "families". */
enum who { ALL, THREAD, ATTACHED, WHO_MAX };

static const char *const who_names[WHO_MAX] = { "all", "thread", "attached" };

struct counts {
	unsigned long instructions;
	unsigned long branches;
};

/*
 * One thread.
 * @last: address of the instruction before this one
 * @counts: what it executes is counted now
 * @known: its maker has told of it
 * @stopped: it has stopped before its maker has told
 */
struct task {
	pid_t tid;
	unsigned long long last;
	bool counts;
	bool known;
	bool stopped;
};

/* A family of threads under way */
struct family {
	enum who who;
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

/* A task stands before an instruction: count that, and let it execute. */
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
	if (family->who == ATTACHED && is_syscall(code) && regs.CALL == SYS_read)
		task->counts = true;
	return go_on(task, 0);
}

/* @maker has made another task, which stands before its first instruction. */
static int told(struct family *family, const struct task *maker)
{
	bool counts = maker->counts && family->who != THREAD;
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

/* Something has happened to a task that stopped. */
static int stopped(struct family *family, struct task *task, int status)
{
	int signal = WSTOPSIG(status), event = status >> 16;

	if (!task->known) {
		task->stopped = true;
		return 0;
	}
	if (event && event != PTRACE_EVENT_EXEC && told(family, task))
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

/* Begin it: it stands before its first instruction. */
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
	first->counts = family->who != ATTACHED;
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

/* Return: 0 if all of it was counted and nobody ended badly. */
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

/* The first word, if it tells who is counted. */
static bool tells_who(const char *word, enum who *who)
{
	for (*who = 0; *who < WHO_MAX; ++*who)
		if (!strcmp(word, who_names[*who]))
			return true;
	*who = ALL;
	return false;
}

static struct {
	unsigned int passed;
	unsigned int failed;
	unsigned int left_out;
} verdicts;

static void verify(enum who who, const struct counts *known, char **command)
{
	struct family family = { .who = who };
	const struct counts *seen = &family.seen;

	if (known->instructions > LONGEST) {
		printf("left out %s: too long to step through\n", command[0]);
		verdicts.left_out++;
	} else if (begin(&family, command) || count(&family)) {
		kill_all(&family);
		printf("failed   %s: cannot be stepped through\n", command[0]);
		verdicts.failed++;
	} else if (memcmp(known, seen, sizeof(*known))) {
		printf("failed   %s (%s): %lu instructions, %lu branches; the table says %lu, %lu\n",
		       command[0], who_names[who], seen->instructions, seen->branches,
		       known->instructions, known->branches);
		verdicts.failed++;
	} else {
		printf("passed   %s (%s): %lu instructions, %lu branches\n",
		       command[0], who_names[who], seen->instructions, seen->branches);
		verdicts.passed++;
	}
}

static void verify_line(char *line)
{
	char *words[WORDS_MAX + 1], **word = words, *rest = line;
	struct counts known;
	unsigned int n = 0;
	enum who who;

	line[strcspn(line, "\n")] = 0;
	while (n < WORDS_MAX && (words[n] = strsep(&rest, " ")))
		n++;
	words[n] = NULL;
	if (n && tells_who(words[0], &who))
		word++;
	if (words + n - word < 3)
		return;
	known.instructions = strtoul(*word++, NULL, 10);
	known.branches = strtoul(*word++, NULL, 10);
	verify(who, &known, word);
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

int main(int argc, char **argv)
{
	int i;

	if (argc < 2) {
		fprintf(stderr, "usage: step TABLE...\n");
		return 2;
	}
	setlinebuf(stdout);
	for (i = 1; i < argc; i++)
		if (verify_table(argv[i]))
			return 1;
	printf("%u passed, %u failed, %u skipped\n", verdicts.passed, verdicts.failed,
	       verdicts.left_out);
	return verdicts.failed != 0;
}
