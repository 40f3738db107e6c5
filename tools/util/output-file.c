// SPDX-License-Identifier: GPL-2.0-only
/* Open, truncate, replace and close the files that pmcctl writes */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/error.h"
#include "util/output-file.h"
#include "util/xalloc.h"

static int fail_write(const char *path)
{
	return report_error("cannot write to %s: %s", path, strerror(errno));
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

/* ---- files that keep their content until the first write ---- */

/* stdout or stderr, if it is the same file: both must share one file offset. */
static FILE *inherited_stream(const char *path)
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

static FILE *open_deferred(struct deferred_file *deferred)
{
	int fd = open(deferred->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);

	if (fd < 0 && errno == ENOENT) {
		fd = open(deferred->path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
		deferred->created = fd >= 0;
	}
	return fd < 0 ? NULL : xcheck(fdopen(fd, "w"));
}

int deferred_open(struct deferred_file *deferred, const char *path)
{
	*deferred = (struct deferred_file){ .path = path, .file = inherited_stream(path) };
	deferred->begun = deferred->file;
	if (!deferred->file)
		deferred->file = open_deferred(deferred);
	return deferred->file ? 0 : fail_write(path);
}

void deferred_open_stream(struct deferred_file *deferred, FILE *file, const char *name)
{
	*deferred = (struct deferred_file){ .path = name, .file = file, .begun = true };
}

bool deferred_is_regular(const struct deferred_file *deferred)
{
	struct stat about;

	return !fstat(fileno(deferred->file), &about) && S_ISREG(about.st_mode);
}

FILE *deferred_begin(struct deferred_file *deferred)
{
	if (!deferred->begun && deferred_is_regular(deferred) &&
	    ftruncate(fileno(deferred->file), 0)) {
		fail_write(deferred->path);
		return NULL;
	}
	deferred->begun = true;
	return deferred->file;
}

/* The file that a symbolic link points to; the caller frees it. */
static char *real_path(const char *path)
{
	char *real = realpath(path, NULL);

	return real ? real : xstrdup(path);
}

/* Rename the old file to FILE.old, and open a new one in its place. Return: 0, or -1 with errno. */
static int move_old(struct deferred_file *deferred, const char *real)
{
	char *old = xasprintf("%s.old", real);
	int result = rename(real, old), fd;

	free(old);
	if (result)
		return -1;
	fd = open(real, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0666);
	if (fd < 0)
		return -1;
	fclose(deferred->file);
	deferred->file = xcheck(fdopen(fd, "w"));
	return 0;
}

static bool has_content(const struct deferred_file *deferred)
{
	struct stat about;

	return !fstat(fileno(deferred->file), &about) && about.st_size;
}

FILE *deferred_begin_beside_old(struct deferred_file *deferred)
{
	char *real = real_path(deferred->path);
	int result = 0;

	if (!deferred->begun && has_content(deferred))
		result = move_old(deferred, real);
	if (result)
		report_error("cannot move %s to %s.old: %s; name another file with -o", real, real,
			     strerror(errno));
	deferred->begun = true;
	free(real);
	return result ? NULL : deferred->file;
}

int deferred_check_folder(const struct deferred_file *deferred)
{
	char *real = real_path(deferred->path), *slash = strrchr(real, '/');
	int result = 0;

	if (slash)
		slash[slash == real] = '\0';
	if (has_content(deferred) && access(slash ? real : ".", W_OK))
		result = report_error("cannot move %s to %s.old: %s; name another file with -o",
				      deferred->path, deferred->path, strerror(errno));
	free(real);
	return result;
}

/* Remove the file that a symbolic link points to: pmcctl did not create the link. */
static void remove_created(const char *path)
{
	char *created = realpath(path, NULL);

	unlink(created ? created : path);
	free(created);
}

void deferred_abort(struct deferred_file *deferred)
{
	if (!deferred->file)
		return;
	if (deferred->file != stdout && deferred->file != stderr)
		fclose(deferred->file);
	if (deferred->created && !deferred->begun)
		remove_created(deferred->path);
	deferred->file = NULL;
}

int deferred_close(struct deferred_file *deferred)
{
	FILE *file = deferred->file;

	if (!file || !deferred->begun) {
		deferred_abort(deferred);
		return 0;
	}
	deferred->file = NULL;
	return output_close(file, deferred->path);
}

/* ---- files that are replaced ---- */

/* Is @path a regular file, or does it not exist? */
static bool is_replaceable(const char *path)
{
	struct stat info;

	return lstat(path, &info) ? errno == ENOENT : S_ISREG(info.st_mode);
}

FILE *output_replace_begin(struct replacement *new, const char *path)
{
	*new = (struct replacement){ .path = path };
	if (!is_replaceable(path))
		return new->file = output_open(path);
	if (asprintf(&new->temporary, "%s.%d.new", path, getpid()) < 0)
		new->temporary = xcheck(NULL);
	new->file = fopen(new->temporary, "we");
	if (new->file)
		return new->file;
	report_error("cannot write to %s: no file can be created in its folder: %s", path,
		     strerror(errno));
	free(new->temporary);
	return NULL;
}

int output_replace_commit(struct replacement *new)
{
	int result = output_close(new->file, new->path);

	if (!result && new->temporary && rename(new->temporary, new->path))
		result = fail_write(new->path);
	if (result && new->temporary)
		unlink(new->temporary);
	free(new->temporary);
	return result;
}

void output_replace_abort(struct replacement *new)
{
	fclose(new->file);
	if (new->temporary)
		unlink(new->temporary);
	free(new->temporary);
}

int output_check_writable(const char *path)
{
	struct replacement new;
	struct stat about;

	if (!is_replaceable(path) && !stat(path, &about))
		return access(path, W_OK) ? fail_write(path) : 0;
	if (!output_replace_begin(&new, path))
		return EXIT_TROUBLE;
	output_replace_abort(&new);
	return 0;
}
