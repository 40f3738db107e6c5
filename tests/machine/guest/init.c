// SPDX-License-Identifier: GPL-2.0-only
/*
 * The guest's first program: sets up a small system, runs /machine/command, shuts down
 *
 * It runs the command with sh as root and sends its output, its status and the kernel's log to
 * the host, byte by byte through port E9H, which Bochs copies to its own stdout. No driver,
 * interrupt or buffer is involved, so that nothing is delayed or lost. After a greeting the
 * data are frames: a letter, a length of two bytes (little endian), and that many bytes:
 *
 *   O, E	stdout and stderr of the command
 *   X		the command's exit status, one byte; then only L follows
 *   L		the kernel's log
 *
 * With the argument "interactive" it starts a shell on the second serial port instead, and
 * shuts down when the shell ends. As a service of another system (to-root) it mounts nothing, and
 * runs /run/machine/command.
 *
 * It uses only the C library and can be built for any x86.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/io.h>
#include <sys/ioctl.h>
#include <sys/klog.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "frame.h"
#include "greeting.h"

#define LOG_READ_ALL	3
#define LOG_SIZE	10

static const char *command_file = "/machine/command";

static void complain(const char *what)
{
	char text[200];

	snprintf(text, sizeof(text), "guest: %s: %s\n", what, strerror(errno));
	send_frame('E', text, strlen(text));
}

static void mount_all(void)
{
	static const struct {
		const char *type, *where;
	} mounts[] = {
		{ "proc", "/proc" },
		{ "sysfs", "/sys" },
		{ "devtmpfs", "/dev" },
		{ "tmpfs", "/tmp" },
		{ "securityfs", "/sys/kernel/security" },
		{ "tmpfs", "/run" },
		{ "devpts", "/dev/pts" },
		{ "tmpfs", "/dev/shm" },
		{ "debugfs", "/sys/kernel/debug" },
		{ "tracefs", "/sys/kernel/tracing" },
	};
	size_t i;

	for (i = 0; i < sizeof(mounts) / sizeof(*mounts); i++) {
		mkdir(mounts[i].where, 0755);
		/* Some kernels lack some of these. */
		mount(mounts[i].type, mounts[i].where, mounts[i].type, 0, NULL);
	}
	chmod("/tmp", 01777);
	chmod("/dev/shm", 01777);
	if (symlink("/proc/self/fd", "/dev/fd"))
		complain("/dev/fd");
}

static void write_file(const char *name, const char *text)
{
	int fd = open(name, O_WRONLY);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		complain(name);
	if (fd >= 0)
		close(fd);
}

static void set_environment(void)
{
	clearenv();
	setenv("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", 1);
	setenv("HOME", "/root", 1);
	setenv("USER", "root", 1);
	setenv("LOGNAME", "root", 1);
	setenv("SHELL", "/bin/sh", 1);
	setenv("LC_ALL", "C", 1);
	umask(022);
	if (chdir("/root"))
		complain("/root");
}

/* Start the command, with its output in two pipes. */
static pid_t start_command(int out, int err)
{
	pid_t pid = fork();
	int null;

	if (pid)
		return pid;
	setsid();
	null = open("/dev/null", O_RDONLY);
	dup2(null, 0);
	dup2(out, 1);
	dup2(err, 2);
	close(null);
	close(out);
	close(err);
	/* The I/O privilege is inherited: drop it for the command. */
	iopl(0);
	execl("/bin/sh", "sh", command_file, NULL);
	_exit(127);
}

/* Forward what is in the pipe. Return: 0 at the end of the pipe. */
static int pass_on(int fd, char kind)
{
	static char buffer[0x8000];
	ssize_t size = read(fd, buffer, sizeof(buffer));

	if (size > 0)
		send_frame(kind, buffer, size);
	return size > 0 || (size < 0 && (errno == EAGAIN || errno == EINTR));
}

static void child_ended(int number)
{
	(void)number;
}

/* Forward output until the command has ended and the pipes are empty. */
static int serve_command(void)
{
	struct sigaction action = { .sa_handler = child_ended };
	struct pollfd fds[2] = { { .events = POLLIN }, { .events = POLLIN } };
	static const char kinds[2] = "OE";
	sigset_t blocked, normal;
	int pipes[2][2], i, ended = 0, status = 0;
	pid_t command, pid;

	for (i = 0; i < 2; i++) {
		if (pipe2(pipes[i], O_CLOEXEC | O_NONBLOCK))
			complain("pipe");
		/* The command's end of the pipe is blocking. */
		fcntl(pipes[i][1], F_SETFL, 0);
		fds[i].fd = pipes[i][0];
	}
	sigaction(SIGCHLD, &action, NULL);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGCHLD);

	command = start_command(pipes[0][1], pipes[1][1]);
	if (command < 0)
		complain("fork");
	close(pipes[0][1]);
	close(pipes[1][1]);

	sigprocmask(SIG_BLOCK, &blocked, &normal);
	while (!ended) {
		int child;

		while ((pid = waitpid(-1, &child, WNOHANG)) > 0) {
			if (pid == command) {
				ended = 1;
				status = child;
			}
		}
		if (ended || (pid < 0 && errno == ECHILD))
			break;
		if (ppoll(fds, 2, NULL, &normal) <= 0)
			continue;
		for (i = 0; i < 2; i++)
			if (fds[i].revents && !pass_on(fds[i].fd, kinds[i]))
				fds[i].fd = -1;
	}
	/* The remaining data; a background process may keep the pipe open for ever. */
	while (poll(fds, 2, 0) > 0)
		for (i = 0; i < 2; i++)
			if (fds[i].revents && !pass_on(fds[i].fd, kinds[i]))
				fds[i].fd = -1;

	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void send_log(void)
{
	int size = klogctl(LOG_SIZE, NULL, 0);
	char *text = size > 0 ? malloc(size) : NULL;

	if (!text)
		return;
	size = klogctl(LOG_READ_ALL, text, size);
	if (size > 0)
		send_frame('L', text, size);
	free(text);
}

static int interactive_shell(void)
{
	struct termios modes;
	int status = 0;
	pid_t shell = fork(), pid;

	if (!shell) {
		int fd;

		setsid();
		fd = open("/dev/ttyS1", O_RDWR);
		ioctl(fd, TIOCSCTTY, 1);
		if (!tcgetattr(fd, &modes)) {
			modes.c_iflag = ICRNL | IXON;
			modes.c_oflag = OPOST | ONLCR;
			modes.c_cflag = CS8 | CREAD | CLOCAL | HUPCL;
			modes.c_lflag = ISIG | ICANON | ECHO | ECHOE | ECHOK |
					ECHOCTL | ECHOKE | IEXTEN;
			cfsetspeed(&modes, B115200);
			tcsetattr(fd, TCSANOW, &modes);
		}
		dup2(fd, 0);
		dup2(fd, 1);
		dup2(fd, 2);
		if (fd > 2)
			close(fd);
		iopl(0);
		setenv("ENV", "/machine/shellrc", 1);
		execl("/bin/sh", "-sh", NULL);
		_exit(127);
	}
	do
		pid = waitpid(-1, &status, 0);
	while (pid != shell && !(pid < 0 && errno == ECHILD));
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
	unsigned char status;
	int i, interactive = 0;

	for (i = 1; i < argc; i++)
		if (!strcmp(argv[i], "interactive"))
			interactive = 1;
	if (iopl(3))
		return 1;
	send_bytes(GUEST_GREETING, strlen(GUEST_GREETING));
	if (getpid() == 1)
		mount_all();
	else
		command_file = "/run/machine/command";
	set_environment();
	/* From here on the console gets all kernel messages. */
	write_file("/proc/sys/kernel/printk", "8");
	/* With Debian's 3 counting needs CAP_PERFMON. */
	write_file("/proc/sys/kernel/perf_event_paranoid", "2");

	status = interactive ? interactive_shell() : serve_command();

	send_frame('X', &status, 1);
	send_log();
	end_machine();
}
