// SPDX-License-Identifier: GPL-2.0-only
/*
 * Run the command that is counted or sampled. Its process waits on a socket before its exec,
 * so that counting can be armed. The child's end of the socket closes on exec: end of file
 * means success; otherwise the child sends the error number in four bytes.
 *
 * Also: search PATH before the fork, forward signals to the command, replace its standard
 * streams by /dev/null, and reap it.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/error.h"
#include "util/workload.h"
#include "util/xalloc.h"

static const int signals[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };

/* A signal this long after the first one ends pmcctl without waiting for the command */
#define PATIENCE_MS	1000

static atomic_int caught;

/* Time of the first signal in milliseconds, not 0; and whether a later one ends the wait */
static atomic_uint first_ms;
static atomic_bool impatient;

/* The process of the command until it is reaped, else 0; the signal handler reads it */
static atomic_int target;

/* Standard streams that are /dev/null for commands */
static bool null_stream[3];

/*
 * Forward a signal that a process sent to pmcctl. The terminal sends its signals to the whole
 * process group, which includes the command.
 */
static void forward_signal(int number, siginfo_t *info, void *unused)
{
	unsigned int now_ms = now_ns() / 1000000;
	int error = errno;

	(void)unused;
	caught = number;
	/* timeout(1) sends its signal twice at once, so only a later one counts as another */
	if (!first_ms)
		first_ms = now_ms | 1;
	else if (now_ms - first_ms >= PATIENCE_MS)
		impatient = true;
	if (target > 0 && info->si_code <= 0)
		kill(target, number);
	errno = error;
}

/* A shell ignores these signals for jobs in the background; they still end pmcctl. */
static bool always_ends(int number)
{
	return number == SIGINT || number == SIGTERM;
}

void workload_catch_signals(void)
{
	struct sigaction action = { .sa_sigaction = forward_signal, .sa_flags = SA_SIGINFO };
	struct sigaction old;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(signals); i++) {
		sigaction(signals[i], NULL, &old);
		if (old.sa_handler != SIG_IGN || always_ends(signals[i]))
			sigaction(signals[i], &action, NULL);
	}
}

int workload_signal(void)
{
	return caught;
}

bool workload_is_abandoned(void)
{
	return impatient;
}

void workload_block_signals(sigset_t *old)
{
	sigset_t set;
	size_t i;

	sigemptyset(&set);
	for (i = 0; i < ARRAY_SIZE(signals); i++)
		sigaddset(&set, signals[i]);
	sigprocmask(SIG_BLOCK, &set, old);
}

static void default_signals(const sigset_t *mask)
{
	struct sigaction old;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(signals); i++) {
		sigaction(signals[i], NULL, &old);
		if (old.sa_handler != SIG_IGN)
			signal(signals[i], SIG_DFL);
	}
	sigprocmask(SIG_SETMASK, mask, NULL);
}

void workload_set_streams(bool null_input, bool null_output, bool null_error)
{
	null_stream[STDIN_FILENO] = null_input;
	null_stream[STDOUT_FILENO] = null_output;
	null_stream[STDERR_FILENO] = null_error;
}

static void replace_streams(void)
{
	int stream, file;

	for (stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++) {
		if (!null_stream[stream])
			continue;
		file = open("/dev/null", O_RDWR | O_CLOEXEC);
		if (file >= 0)
			dup2(file, stream);
	}
}

static _Noreturn void run_child(int socket, char **argv, const sigset_t *mask)
{
	char go;
	int error;

	default_signals(mask);
	if (recv(socket, &go, 1, 0) != 1)
		_exit(EXIT_TROUBLE);
	replace_streams();
	execvp(argv[0], argv);
	error = errno;
	send(socket, &error, sizeof(error), MSG_NOSIGNAL);
	_exit(EXIT_TROUBLE);
}

/* Return: 0, or the error if the file does not exist; exec reports why it cannot be run. */
static int search_file(const char *path)
{
	return access(path, F_OK) && (errno == ENOENT || errno == ENOTDIR) ? errno : 0;
}

/* Search PATH as execvp() does; an empty folder is the current one. */
static int search(const char *name)
{
	const char *folder = getenv("PATH"), *end;
	char *path;
	int error;

	if (strchr(name, '/'))
		return search_file(name);
	if (!folder)
		return 0;
	for (;; folder = end + 1) {
		end = strchrnul(folder, ':');
		path = xasprintf("%.*s%s%s", (int)(end - folder), folder,
				 end > folder ? "/" : "", name);
		error = search_file(path);
		free(path);
		if (!error || !*end)
			return error;
	}
}

int workload_find(char **argv)
{
	struct workload workload = { .argv = argv };
	int error = search(argv[0]);

	return error ? workload_fail_exec(&workload, error) : 0;
}

bool workload_exists(const char *name)
{
	struct stat about;

	if (!strchr(name, '/'))
		return !search(name);
	return !stat(name, &about) && S_ISREG(about.st_mode) && !access(name, X_OK);
}

void workload_end(const struct workload *workload)
{
	kill(workload->pid, SIGTERM);
}

int workload_fork(struct workload *workload, char **argv)
{
	int sockets[2];
	sigset_t mask;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets))
		return -1;
	workload_block_signals(&mask);
	pid = fork();
	if (!pid) {
		close(sockets[0]);
		run_child(sockets[1], argv, &mask);
	}
	target = pid;
	sigprocmask(SIG_SETMASK, &mask, NULL);
	close(sockets[1]);
	if (pid < 0) {
		close(sockets[0]);
		return -1;
	}
	*workload = (struct workload){ .argv = argv, .pid = pid, .socket = sockets[0] };
	return 0;
}

int workload_exec(struct workload *workload)
{
	int error = 0;
	ssize_t got;

	/* a child that is dead already is noticed at the end */
	send(workload->socket, "", 1, MSG_NOSIGNAL);
	do {
		got = recv(workload->socket, &error, sizeof(error), MSG_WAITALL);
	} while (got < 0 && errno == EINTR);
	close(workload->socket);
	workload->socket = -1;
	return got == sizeof(error) ? error : 0;
}

int workload_fail_exec(const struct workload *workload, int error)
{
	report_error("cannot run '%s': %s", workload->argv[0], strerror(error));
	return error == ENOENT || error == ENOTDIR ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}

/* Wait until it exits; it stays a zombie. */
static void wait_for_exit(const struct workload *workload)
{
	siginfo_t info;

	while (waitid(P_PID, workload->pid, &info, WEXITED | WNOWAIT) && errno == EINTR)
		;
}

/* Does the command run on, because a second signal ended the wait for it? */
static bool is_left_running(const struct workload *workload)
{
	siginfo_t info = { .si_pid = 0 };

	return workload->socket < 0 && workload_is_abandoned() &&
	       !waitid(P_PID, workload->pid, &info, WEXITED | WNOWAIT | WNOHANG) && !info.si_pid;
}

int workload_reap(struct workload *workload)
{
	sigset_t mask;
	int status = 0;

	if (!workload->pid)
		return 0;
	if (workload->socket >= 0)
		close(workload->socket);
	if (is_left_running(workload)) {
		report_error("process %d of the command is still running", (int)workload->pid);
	} else {
		wait_for_exit(workload);
		workload_block_signals(&mask);
		wait4(workload->pid, &status, 0, &workload->usage);
		target = 0;
		sigprocmask(SIG_SETMASK, &mask, NULL);
	}
	workload->pid = 0;
	return status;
}
