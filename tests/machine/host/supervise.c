// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs one emulator as a child process, and separates its output
 *
 *   supervise CONSOLE LOG SECONDS PROGRAM ARGUMENT...
 *
 * PROGRAM is Bochs. Its stdout has the guest's output to port E9H as frames (format: see
 * guest/init.c). The command's output goes to stdout and stderr unbuffered, the kernel's log to the
 * file LOG, and the command's status becomes the exit status. CONSOLE is the file of the first
 * serial port, in which panics are detected. When this program ends or is killed, Bochs ends too;
 * this program ends when its own parent does. If stderr is a terminal, a slow start is reported.
 *
 * Exit status, other than the command's:
 *   121	Bochs ended before the command had: a shutdown, a reset or a wrong option
 *   123	the guest's kernel panicked
 *   124	the timeout expired
 *   125	the emulator could not be started
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

#define LOOK_MS		100	/* interval of reading the console */
#define PATIENCE_MS	5000	/* time until a slow start is first reported */
#define LAST_WORDS_MS	60000	/* time for a panicking kernel's messages */
#define GOODBYE_MS	60000	/* time for Bochs to end */

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

/* The frame that is being parsed. */
static struct {
	int have;		/* bytes of its header read, up to 3 */
	char kind;
	unsigned int left;	/* bytes of its body still to read */
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
		/* Only the kernel's log may follow. */
		command_status = (unsigned char)data[0];
		break;
	}
}

/*
 * Bochs itself writes a few lines before the guest does: drop everything up to the greeting. The
 * first byte of the greeting occurs only once in it, so matching needs no backtracking.
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
 * The guest sends its greeting within seconds on an idle host. On a busy host report on a
 * terminal that it is still starting: after 5 s, 10 s, 20 s, and so on.
 */
static void report_waiting(double begin)
{
	static double next = PATIENCE_MS;

	if (has_greeted() || !isatty(STDERR_FILENO) || now_ms() < begin + next)
		return;
	/* a terminal in raw mode needs the carriage return */
	dprintf(STDERR_FILENO, "the guest is still starting after %.0f s\r\n", next / 1000);
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
 * struct words - a text to find on the console
 * @text:	the text
 * @seen:	offset up to which the console has been searched
 */
struct words {
	const char *text;
	off_t seen;
};

/* A panicking kernel prints the first text, more messages, and then the second. */
static struct words panic_begins = { .text = "Kernel panic - not syncing" };
static struct words panic_ends = { .text = "end Kernel panic - not syncing" };

/* Whether the kernel has printed this text since the last call. */
static int console_shows(const char *name, struct words *words)
{
	static char buffer[0x10000];
	ssize_t size = 0, length = strlen(words->text);
	int fd = open(name, O_RDONLY | O_CLOEXEC), found = 0;

	if (fd < 0)
		return 0;
	while (!found && (size = pread(fd, buffer, sizeof(buffer), words->seen)) > length) {
		found = !!memmem(buffer, size, words->text, length);
		/* The text may be incomplete at the end: search from before it. */
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
		/* Out of the terminal's foreground group: this program handles Ctrl-C. */
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
		report_waiting(begin);
		if (command_status < 0 && now_ms() > deadline) {
			timed_out = 1;
			break;
		}
		if (!panicked && console_shows(argv[1], &panic_begins))
			panicked = now_ms();
		if (panicked && (console_shows(argv[1], &panic_ends) ||
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
		warnx("the guest was still starting when the timeout expired");
	if (timed_out)
		return STATUS_TIMEOUT;
	if (panicked || console_shows(argv[1], &panic_begins))
		return STATUS_PANIC;
	if (command_status >= 0)
		return command_status;
	if (WIFEXITED(status) && WEXITSTATUS(status) == STATUS_NOT_RUN)
		return STATUS_NOT_RUN;
	return STATUS_DOWN;
}
