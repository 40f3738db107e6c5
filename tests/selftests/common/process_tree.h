/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Trees of processes and threads with known instruction counts (workloads.S), and functions
 * that observe them
 */
#ifndef SELFTESTS_PROCESS_TREE_H
#define SELFTESTS_PROCESS_TREE_H

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pmc.h"

#define TREE_DEPTH	3	/* generations below the first process */
#define TREE_PHASES	3
#define TREE_LEAVES	128

/* How a node creates its children; a parent can wait for children with an exit signal. */
#define BY_FORK		SIGCHLD
#define BY_VFORK	(CLONE_VFORK | CLONE_VM | SIGCHLD)
#define BY_THREAD	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | \
			 CLONE_SYSVSEM)

/**
 * struct leaf_list - the leaves enter their thread IDs here
 * @nr:	number of entries
 * @tid: thread IDs
 */
struct leaf_list {
	int nr;
	int tid[TREE_LEAVES];
};

/**
 * struct tree_shape - the parameters of tree_shape_run()
 *
 * It waits for a byte from @go. Then each node of generation d (@depth for the first, down
 * to 1) creates width[d] children by clone() with flags[d]. With @reap it waits until it has
 * no children left; with @hold it waits for a byte from there; then it ends. The children of
 * generation 1 are the leaves. A leaf executes @path. Without @path it enters itself in
 * @leaf_list, and @phases times waits for a byte from phase[@phases], ... phase[1] and loops
 * @rounds times.
 *
 *				instructions	branches
 *	first			1		0
 *	a node			1		0
 *	  each child		9		3	(clone, jz, jnz)
 *	  cmp, je		2		1
 *	  reaping, each try	7		2	(one for each child, and one)
 *	  cmp, je		2		1
 *	  holding		5		1
 *	  end			3		1
 *	a child, after clone	4		2	(test, jz, dec, jnz)
 *	a leaf			3		1	(mov, test, jz)
 *	  with a path		4		1	and the program's own
 *	  entering itself	7		1
 *	  a phase's reading	5		1
 *	  a phase's loop	1 + 2 rounds + 2	rounds + 1
 *	  jmp, end		4		2
 *
 * The counts do not depend on scheduling: of several threads that wait for the children of one
 * process, one reaps each child, and each thread gets ECHILD once.
 */
struct tree_shape {
	unsigned long byte;
	unsigned long go;
	unsigned long depth;
	unsigned long path;
	unsigned long argv;
	unsigned long envp;
	unsigned long leaf_list;
	unsigned long phases;
	unsigned long rounds;
	unsigned long reap;
	unsigned long hold;
	unsigned long width[TREE_DEPTH + 1];
	unsigned long flags[TREE_DEPTH + 1];
	unsigned long phase[TREE_PHASES + 1];
};

/* Counts between certain points */
#define TREE_CHILD_LEAF	(4 + 3 + 7)		/* from clone to the first phase */
#define TREE_READING		5			/* into a phase's or hold's read */
#define TREE_LOOP(rounds)	(1 + 2ULL * (rounds) + 2) /* out of it, to the next */
#define TREE_LEAF_END		4
#define TREE_NODE(width)	(1 + 9ULL * (width) + 2) /* until it reaps */
#define TREE_TRY		7
#define TREE_WAITING		5			/* of these, into wait */
#define TREE_NODE_END		(2 + 3)

/* for @yields yields with loops of yields, yields - 1, ... 1 rounds */
#define STORM_INSTRUCTIONS(yields)	((yields) * 5ULL + (yields) * ((yields) + 1ULL) + 4)

void tree_shape_run(struct tree_shape *shape) __attribute__((noreturn));
void storm_run(int go, unsigned long yields) __attribute__((noreturn));

/** struct sum - a sum of both events */
struct sum {
	uint64_t instructions;
	uint64_t branches;
};

static inline void sum_add(struct sum *sum, uint64_t times, uint64_t instructions,
			   uint64_t branches)
{
	sum->instructions += times * instructions;
	sum->branches += times * branches;
}

/**
 * struct tree_run - a tree and the ends of its pipes
 * @shape:	its shape
 * @pid:	the first process
 * @to:	the write ends: for the start, and for each phase
 * @hold:	the write end for the hold
 * @leaf_list:	shared with the tree
 */
struct tree_run {
	struct tree_shape shape;
	pid_t pid;
	int to[TREE_PHASES + 1];
	int hold;
	struct leaf_list *leaf_list;
};

static inline int tree_run_pipe(int *to, unsigned long *from)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	*to = ends[1];
	*from = ends[0];
	return 0;
}

/* A tree in which the leaves wait for phases; the caller sets width[] and flags[]. */
static inline int tree_run_prepare(struct tree_run *tree_run, unsigned long depth,
				   unsigned long phases, unsigned long rounds)
{
	unsigned long i;
	int err;

	memset(tree_run, 0, sizeof(*tree_run));
	tree_run->leaf_list = mmap(NULL, sizeof(*tree_run->leaf_list), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (tree_run->leaf_list == MAP_FAILED)
		return -errno;
	tree_run->shape.depth = depth;
	tree_run->shape.phases = phases;
	tree_run->shape.rounds = rounds;
	tree_run->shape.reap = 1;
	tree_run->shape.leaf_list = (uintptr_t)tree_run->leaf_list;
	err = tree_run_pipe(&tree_run->to[0], &tree_run->shape.go);
	for (i = 1; !err && i <= phases; i++)
		err = tree_run_pipe(&tree_run->to[i], &tree_run->shape.phase[i]);
	return err;
}

static inline int tree_run_hold(struct tree_run *tree_run)
{
	return tree_run_pipe(&tree_run->hold, &tree_run->shape.hold);
}

/* Let its leaves execute a program instead. */
static inline void tree_run_exec(struct tree_run *tree_run, char *const *argv)
{
	static char *nothing[1];

	tree_run->shape.path = (uintptr_t)argv[0];
	tree_run->shape.argv = (uintptr_t)argv;
	tree_run->shape.envp = (uintptr_t)nothing;
}

/* Does this thread sleep in a system call (with this first argument)? */
static inline bool task_waits_in(pid_t pid, pid_t tid, long nr, unsigned long argument)
{
	char path[64], text[256], begin[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/syscall", pid, tid);
	if (file_read(path, text, sizeof(text)))
		return false;
	snprintf(begin, sizeof(begin), "%ld 0x%lx ", nr, argument);
	return !strncmp(text, begin, strlen(begin));
}

/* Wait until the thread sleeps there; then it executes no more user-mode instructions. */
static inline void task_wait_in(pid_t pid, pid_t tid, long nr, unsigned long argument)
{
	while (!task_waits_in(pid, tid, nr, argument))
		sched_yield();
}

/* Has this child ended within @ms milliseconds? For a wait that must not hang. */
static inline bool child_ends_within(pid_t pid, unsigned int ms)
{
	while (waitpid(pid, NULL, WNOHANG) != pid) {
		if (!ms--)
			return false;
		usleep(1000);
	}
	return true;
}

#ifdef __x86_64__
#define SYS_known_wait	SYS_wait4
#else
#define SYS_known_wait	SYS_waitpid
#endif

/* Fork the tree; it waits for its start when this returns. It dies with its parent. */
static inline int tree_run_start(struct tree_run *tree_run)
{
	pid_t pid = fork();

	if (pid < 0)
		return -errno;
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		setpgid(0, 0);
		tree_shape_run(&tree_run->shape);
	}
	/* *tree_run may be shared with other processes: written last */
	task_wait_in(pid, pid, SYS_read, tree_run->shape.go);
	tree_run->pid = pid;
	return 0;
}

/* Kill what is left of it after a failed test. */
static inline void tree_run_end(struct tree_run *tree_run)
{
	if (tree_run->pid > 0)
		kill(-tree_run->pid, SIGKILL);
}

static inline int tree_run_go(struct tree_run *tree_run)
{
	return write(tree_run->to[0], "", 1) == 1 ? 0 : -errno;
}

/* The number of leaves */
static inline unsigned long tree_run_leaves(const struct tree_run *tree_run)
{
	unsigned long d, leaves = 1;

	for (d = 1; d <= tree_run->shape.depth; d++)
		leaves *= tree_run->shape.width[d];
	return leaves;
}

/* Let this many leaves run this phase; phases are numbered downwards. */
static inline int tree_run_phase(struct tree_run *tree_run, unsigned long phase,
				 unsigned long leaves)
{
	static const char bytes[TREE_LEAVES];

	return write(tree_run->to[phase], bytes, leaves) == (ssize_t)leaves ? 0 : -errno;
}

/* Wait until all leaves wait for that phase; @pid: their process, 0: each is one. */
static inline void tree_run_wait_phase(struct tree_run *tree_run, unsigned long phase, pid_t pid)
{
	unsigned long i, leaves = tree_run_leaves(tree_run);

	while (__atomic_load_n(&tree_run->leaf_list->nr, __ATOMIC_ACQUIRE) < (int)leaves)
		sched_yield();
	for (i = 0; i < leaves; i++) {
		int tid;

		do {
			tid = __atomic_load_n(&tree_run->leaf_list->tid[i], __ATOMIC_ACQUIRE);
		} while (!tid);
		task_wait_in(pid ? pid : tid, tid, SYS_read, tree_run->shape.phase[phase]);
	}
}

/* Wait until the first process waits for its children; then it does nothing else. */
static inline void tree_run_wait_reaping(struct tree_run *tree_run)
{
	task_wait_in(tree_run->pid, tree_run->pid, SYS_known_wait, -1UL);
}

/* The counted part of the tree */
enum tree_run_part {
	TREE_RUN_ALL,	/* every task */
	TREE_RUN_PROCESS,	/* the first process: all its threads */
};

static inline void tree_run_sum_node(const struct tree_shape *shape, unsigned long depth,
				     const struct sum *leaf, enum tree_run_part part,
				     struct sum *sum)
{
	unsigned long width = shape->width[depth];
	bool waitable = shape->flags[depth] & SIGCHLD;

	sum_add(sum, 1, TREE_NODE(width), 3 * width + 1);
	if (shape->reap)
		sum_add(sum, 1 + (waitable ? width : 0), TREE_TRY, 2);
	if (shape->hold)
		sum_add(sum, 1, TREE_READING, 1);
	sum_add(sum, 1, TREE_NODE_END, 2);
	if (part == TREE_RUN_PROCESS && !(shape->flags[depth] & CLONE_THREAD))
		return;
	while (width--) {
		sum_add(sum, 1, 4, 2);
		if (depth > 1)
			tree_run_sum_node(shape, depth - 1, leaf, part, sum);
		else
			sum_add(sum, 1, leaf->instructions, leaf->branches);
	}
}

/* The sum after the start; @program: the leaves' program, if any. */
static inline struct sum tree_run_sum(const struct tree_run *tree_run, enum tree_run_part part,
				      const struct program *program)
{
	const struct tree_shape *shape = &tree_run->shape;
	struct sum leaf = { 0 }, sum = { 0 };

	if (shape->path) {
		sum_add(&leaf, 1, 3 + 4, 1 + 1);
		if (program)
			sum_add(&leaf, 1, program->instructions, program->branches);
	} else {
		sum_add(&leaf, 1, 3 + 7, 1 + 1);
		sum_add(&leaf, shape->phases, TREE_READING + TREE_LOOP(shape->rounds),
			1 + shape->rounds + 1);
		sum_add(&leaf, 1, TREE_LEAF_END, 2);
	}
	sum_add(&sum, 1, 1, 0);
	tree_run_sum_node(shape, shape->depth, &leaf, part, &sum);
	return sum;
}

/* Wait until this process has no children left, adopted ones included. */
static inline void wait_for_all(void)
{
	while (waitpid(-1, NULL, 0) > 0 || errno != ECHILD)
		;
}

static inline void setup_follow(struct setup *setup, uint32_t scope, pid_t pid, uint32_t flags)
{
	setup_thread(setup, pid, flags);
	setup->config.scope = scope;
}

#endif /* SELFTESTS_PROCESS_TREE_H */
