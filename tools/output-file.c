// SPDX-License-Identifier: GPL-2.0-only
/* Files that results are written to, and what was in them before */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory.h"
#include "pmcctl.h"

static int fail_write(const char *path)
{
	return complain("cannot write to %s: %s", path, strerror(errno));
}

FILE *output_open(const char *path)
{
	FILE *file = fopen(path, "we");

	if (!file)
		fail_write(path);
	return file;
}

int output_close(FILE *file, const char *path)
{
	bool failed = fflush(file) || ferror(file);

	if (file != stdout && file != stderr)
		failed |= fclose(file) != 0;
	return failed ? fail_write(path) : 0;
}

/* ---- files that keep what they have ---- */

/* The stream of pmcctl's own that is the same file: both write one behind the other. */
static FILE *stream_of(const char *path)
{
	FILE *const streams[] = { stdout, stderr };
	struct stat wanted, own;
	size_t i;

	if (stat(path, &wanted))
		return NULL;
	for (i = 0; i < ARRAY_SIZE(streams); i++)
		if (!fstat(fileno(streams[i]), &own) && own.st_dev == wanted.st_dev &&
		    own.st_ino == wanted.st_ino)
			return streams[i];
	return NULL;
}

static FILE *open_late(struct late_file *late)
{
	int fd = open(late->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);

	if (fd < 0 && errno == ENOENT) {
		fd = open(late->path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
		late->made = fd >= 0;
	}
	return fd < 0 ? NULL : must(fdopen(fd, "w"));
}

int late_open(struct late_file *late, const char *path)
{
	*late = (struct late_file){ .path = path, .file = stream_of(path) };
	late->begun = late->file;
	if (!late->file)
		late->file = open_late(late);
	return late->file ? 0 : fail_write(path);
}

void late_open_stream(struct late_file *late, FILE *file, const char *name)
{
	*late = (struct late_file){ .path = name, .file = file, .begun = true };
}

bool late_is_regular(const struct late_file *late)
{
	struct stat about;

	return !fstat(fileno(late->file), &about) && S_ISREG(about.st_mode);
}

FILE *late_begin(struct late_file *late)
{
	if (!late->begun && late_is_regular(late) && ftruncate(fileno(late->file), 0)) {
		fail_write(late->path);
		return NULL;
	}
	late->begun = true;
	return late->file;
}

/* Through a symbolic link too: the link was there. */
static void remove_made(const char *path)
{
	char *made = realpath(path, NULL);

	unlink(made ? made : path);
	free(made);
}

void late_drop(struct late_file *late)
{
	if (!late->file)
		return;
	if (late->file != stdout && late->file != stderr)
		fclose(late->file);
	if (late->made && !late->begun)
		remove_made(late->path);
	late->file = NULL;
}

int late_close(struct late_file *late)
{
	FILE *file = late->file;

	if (!file || !late->begun) {
		late_drop(late);
		return 0;
	}
	late->file = NULL;
	return output_close(file, late->path);
}

/* ---- files that are replaced ---- */

/* Whether @path is a plain file, or none yet */
static bool is_replaceable(const char *path)
{
	struct stat info;

	return lstat(path, &info) ? errno == ENOENT : S_ISREG(info.st_mode);
}

FILE *output_replace(struct replacement *new, const char *path)
{
	*new = (struct replacement){ .path = path };
	if (!is_replaceable(path))
		return new->file = output_open(path);
	if (asprintf(&new->temporary, "%s.%d.new", path, getpid()) < 0)
		new->temporary = must(NULL);
	new->file = fopen(new->temporary, "we");
	if (new->file)
		return new->file;
	complain("cannot write to %s: no new file can be made in its folder: %s", path,
		 strerror(errno));
	free(new->temporary);
	return NULL;
}

int output_replaced(struct replacement *new)
{
	int result = output_close(new->file, new->path);

	if (!result && new->temporary && rename(new->temporary, new->path))
		result = fail_write(new->path);
	if (result && new->temporary)
		unlink(new->temporary);
	free(new->temporary);
	return result;
}

void output_drop(struct replacement *new)
{
	fclose(new->file);
	if (new->temporary)
		unlink(new->temporary);
	free(new->temporary);
}

int output_check(const char *path)
{
	struct replacement new;
	struct stat about;

	if (!is_replaceable(path) && !stat(path, &about))
		return access(path, W_OK) ? fail_write(path) : 0;
	if (!output_replace(&new, path))
		return EXIT_TROUBLE;
	output_drop(&new);
	return 0;
}
