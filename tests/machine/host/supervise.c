// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs one emulated machine and stays its only parent.
 *
 *   supervise CONSOLE LOG SECONDS PROGRAM ARGUMENT...
 *
 * PROGRAM is Bochs. What the guest sends through port E9H comes as frames on its
 * stdout (guest/init.c says how they look): the command's output goes to our
 * stdout and stderr as it comes, the kernel's log to the file LOG, the command's
 * status becomes ours. CONSOLE is the file that Bochs writes the first serial
 * port to: a panic is seen there. Nothing is left behind: when this program ends
 * or dies, Bochs does too, and it ends when its own parent does. On a terminal our
 * stderr says that the machine is still starting, where that takes long.
 *
 * Exit status, besides the command's own:
 *   121	the machine went down before the command had ended
 *   123	the guest's kernel panicked
 *   124	the time was over
 *   125	the machine could not be started
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../guest/greeting.h"

#define STATUS_DOWN	121
#define STATUS_PANIC	123
#define STATUS_TIMEOUT	124
#define STATUS_NOT_RUN	125

#define LOOK_MS		100	/* how often the console is looked at */
#define PATIENCE_MS	5000	/* how long somebody at a terminal waits for the guest */
#define LAST_WORDS_MS	60000	/* how long a panicking kernel may take to say all */
#define GOODBYE_MS	60000	/* how long Bochs may take to end */

static volatile sig_atomic_t caught;

static void on_signal(int number)
{
	caught = number;
}

static double now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

static void write_all(int fd, const char *data, size_t size)
{
	while (size) {
		ssize_t done = write(fd, data, size);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return;
		data += done;
		size -= done;
	}
}

/* The frame that is being taken apart. */
static struct {
	int have;		/* bytes of its head seen, up to 3 */
	char kind;
	unsigned int left;	/* bytes of its body still to come */
} frame;

static int command_status = -1;
static int log_fd;

static void take_body(const char *data, size_t size)
{
	switch (frame.kind) {
	case 'O':
		write_all(STDOUT_FILENO, data, size);
		break;
	case 'E':
		write_all(STDERR_FILENO, data, size);
		break;
	case 'L':
		write_all(log_fd, data, size);
		break;
	case 'X':
		/* Nothing but the kernel's log is to follow. */
		command_status = (unsigned char)data[0];
		break;
	}
}

/*
 * Bochs itself writes a few lines before the guest does: drop all up to the
 * greeting. Its first byte occurs nowhere else in it, so matching is simple.
 */
static const char greeting[] = GUEST_GREETING;
static size_t greeting_seen;

static int has_greeted(void)
{
	return !greeting[greeting_seen];
}

static int greeted(char byte)
{
	if (has_greeted())
		return 1;
	if (byte == greeting[greeting_seen])
		greeting_seen++;
	else
		greeting_seen = byte == greeting[0];
	return 0;
}

/*
 * The guest greets seconds after its start, on a computer that has nothing else to do.
 * Where it has, who waits is told so: after a while, after twice as long, and so on.
 */
static void tell_waiting(double begin)
{
	static double next = PATIENCE_MS;

	if (has_greeted() || !isatty(STDERR_FILENO) || now_ms() < begin + next)
		return;
	/* the terminal of a prompt does not go to the begin of a line by itself */
	dprintf(STDERR_FILENO, "the machine is still starting after %.0f s\r\n", next / 1000);
	next *= 2;
}

static void take(const char *data, size_t size)
{
	while (size && !greeted(*data)) {
		data++;
		size--;
	}
	while (size) {
		unsigned char byte = *data;
		size_t part;

		switch (frame.have) {
		case 0:
			frame.kind = byte;
			frame.have = 1;
			data++;
			size--;
			break;
		case 1:
			frame.left = byte;
			frame.have = 2;
			data++;
			size--;
			break;
		case 2:
			frame.left |= byte << 8;
			frame.have = frame.left ? 3 : 0;
			data++;
			size--;
			break;
		default:
			part = size < frame.left ? size : frame.left;
			take_body(data, part);
			data += part;
			size -= part;
			frame.left -= part;
			if (!frame.left)
				frame.have = 0;
		}
	}
}

/**
 * struct words - what is looked for on the console
 * @text:	it
 * @seen:	so far
 */
struct words {
	const char *text;
	off_t seen;
};

/* A panicking kernel begins with the first, goes on for a while, and ends with the second. */
static struct words panic_begins = { .text = "Kernel panic - not syncing" };
static struct words panic_ends = { .text = "end Kernel panic - not syncing" };

/* Has the kernel said this since the last look? */
static int console_says(const char *name, struct words *words)
{
	static char buffer[0x10000];
	ssize_t size = 0, length = strlen(words->text);
	int fd = open(name, O_RDONLY | O_CLOEXEC), found = 0;

	if (fd < 0)
		return 0;
	while (!found && (size = pread(fd, buffer, sizeof(buffer), words->seen)) > length) {
		found = !!memmem(buffer, size, words->text, length);
		/* The words may be half there: begin the next look before them. */
		words->seen += size - length;
	}
	close(fd);
	return found;
}

static pid_t start(char **program, int *out)
{
	pid_t parent = getpid(), pid;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		err(STATUS_NOT_RUN, "pipe");
	pid = fork();
	if (pid < 0)
		err(STATUS_NOT_RUN, "fork");
	if (!pid) {
		int null = open("/dev/null", O_RDWR);

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(STATUS_NOT_RUN);
		/* Out of reach of the terminal's Ctrl-C: we are its end. */
		setpgid(0, 0);
		dup2(null, STDIN_FILENO);
		dup2(ends[1], STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		execv(program[0], program);
		_exit(STATUS_NOT_RUN);
	}
	close(ends[1]);
	*out = ends[0];
	return pid;
}

int main(int argc, char **argv)
{
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	struct sigaction action = { .sa_handler = on_signal };
	double begin, deadline, panicked = 0, goodbye = 0;
	pid_t parent = getppid(), pid;
	int out, i, status, timed_out = 0, open_end = 1;
	struct pollfd fd;

	if (argc < 5)
		errx(STATUS_NOT_RUN, "wrong arguments: see the top of supervise.c");
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		return STATUS_NOT_RUN;
	for (i = 0; i < (int)(sizeof(ends) / sizeof(*ends)); i++)
		sigaction(ends[i], &action, NULL);
	signal(SIGPIPE, SIG_IGN);

	log_fd = open(argv[2], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (log_fd < 0)
		err(STATUS_NOT_RUN, "%s", argv[2]);
	pid = start(argv + 4, &out);
	begin = now_ms();
	deadline = begin + atof(argv[3]) * 1000;

	while (open_end && !caught) {
		static char buffer[0x10000];
		ssize_t size;

		fd.fd = out;
		fd.events = POLLIN;
		if (poll(&fd, 1, LOOK_MS) > 0) {
			size = read(out, buffer, sizeof(buffer));
			if (size > 0)
				take(buffer, size);
			else if (!size || errno != EINTR)
				open_end = 0;
		}
		tell_waiting(begin);
		if (command_status < 0 && now_ms() > deadline) {
			timed_out = 1;
			break;
		}
		if (!panicked && console_says(argv[1], &panic_begins))
			panicked = now_ms();
		if (panicked && (console_says(argv[1], &panic_ends) ||
				 now_ms() > panicked + LAST_WORDS_MS))
			break;
		if (command_status >= 0 && !goodbye)
			goodbye = now_ms() + GOODBYE_MS;
		if (goodbye && now_ms() > goodbye)
			break;
	}
	kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (caught) {
		signal(caught, SIG_DFL);
		raise(caught);
	}
	if (timed_out && !has_greeted())
		warnx("the machine was still starting when its time was over");
	if (timed_out)
		return STATUS_TIMEOUT;
	if (panicked || console_says(argv[1], &panic_begins))
		return STATUS_PANIC;
	if (command_status >= 0)
		return command_status;
	if (WIFEXITED(status) && WEXITSTATUS(status) == STATUS_NOT_RUN)
		return STATUS_NOT_RUN;
	return STATUS_DOWN;
}
