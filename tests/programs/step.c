// SPDX-License-Identifier: GPL-2.0-only
/*
 * step TABLE: count the measured programs without any counter, by executing
 * each of their instructions singly (ptrace), and compare with the table. It
 * proves the table on any machine, so that the table can prove the counters.
 *
 * A thousand times slower than running: programs of more than LONGEST
 * instructions are left out (their loop is proved by a shorter one).
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define LONGEST		5000000
#define WORDS_MAX	16

struct counts {
	unsigned long instructions;
	unsigned long branches;
};

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
		return code[1] == 0x05 ||	/* syscall */
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

static int count(char **command, struct counts *seen)
{
	unsigned long long last = 0;
	pid_t child = fork();
	int status;

	if (child == 0) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		execv(command[0], command);
		_exit(127);
	}
	if (child < 0 || waitpid(child, &status, 0) < 0)
		return -1;

	/* It stands before its first instruction. */
	while (WIFSTOPPED(status)) {
		struct user_regs_struct regs;
		unsigned char code[sizeof(long)];
		long word;

		if (ptrace(PTRACE_GETREGS, child, 0, &regs))
			return -1;
		errno = 0;
		word = ptrace(PTRACE_PEEKTEXT, child, regs.rip, 0);
		if (errno)
			return -1;
		memcpy(code, &word, sizeof(word));
		/* A single step of a repeated instruction is one repetition. */
		if (!is_repeated(code) || regs.rip != last) {
			seen->instructions++;
			seen->branches += is_branch(code);
		}
		last = regs.rip;
		do {
			if (ptrace(PTRACE_SINGLESTEP, child, 0, 0) ||
			    waitpid(child, &status, 0) < 0)
				return -1;
			/*
			 * Behind an execve that succeeded comes a trap of its
			 * own; only then the new program's first instruction.
			 */
			if (WIFSTOPPED(status) && regs.rip == last &&
			    code[0] == 0x0f && code[1] == 0x05) {
				struct user_regs_struct now;

				if (ptrace(PTRACE_GETREGS, child, 0, &now))
					return -1;
				if (now.rip == regs.rip + 2 &&
				    regs.rax == 59 && now.rax == 0)
					continue;
			}
			break;
		} while (1);
	}
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -1;
}

int main(int argc, char **argv)
{
	unsigned int passed = 0, failed = 0, left_out = 0;
	char line[512];
	FILE *table;

	if (argc != 2) {
		fprintf(stderr, "usage: step TABLE\n");
		return 2;
	}
	setlinebuf(stdout);
	table = fopen(argv[1], "r");
	if (!table) {
		perror(argv[1]);
		return 1;
	}
	while (fgets(line, sizeof(line), table)) {
		char *words[WORDS_MAX + 1], *word, *rest = line;
		struct counts known, seen = { 0 };
		unsigned int n = 0;

		if (line[0] == '#')
			continue;
		line[strcspn(line, "\n")] = 0;
		while (n < WORDS_MAX && (word = strsep(&rest, " ")))
			words[n++] = word;
		words[n] = NULL;
		if (n < 3)
			continue;
		known.instructions = strtoul(words[0], NULL, 10);
		known.branches = strtoul(words[1], NULL, 10);
		if (known.instructions > LONGEST) {
			printf("left out %s: too long to step through\n", words[2]);
			left_out++;
			continue;
		}
		if (count(words + 2, &seen)) {
			printf("failed   %s: cannot be stepped through\n", words[2]);
			failed++;
		} else if (memcmp(&known, &seen, sizeof(known))) {
			printf("failed   %s: %lu instructions, %lu branches; the table says %lu, %lu\n",
			       words[2], seen.instructions, seen.branches,
			       known.instructions, known.branches);
			failed++;
		} else {
			printf("passed   %s: %lu instructions, %lu branches\n",
			       words[2], seen.instructions, seen.branches);
			passed++;
		}
	}
	fclose(table);
	printf("%u passed, %u failed, %u skipped\n", passed, failed, left_out);
	return failed != 0;
}
