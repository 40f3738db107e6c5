/* SPDX-License-Identifier: GPL-2.0-only */
/* Files that pmcctl writes */
#ifndef UTIL_OUTPUT_FILE_H
#define UTIL_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

/* Open @path for writing. Return: NULL after a message. */
FILE *output_open(const char *path);

/* Flush; close it if it is not stdout or stderr. Return: 0 or EXIT_TROUBLE. */
int output_close(FILE *file, const char *path);

/*
 * A file that keeps its old content until the first write
 * @created: pmcctl created it
 * @begun: deferred_begin() has truncated it
 */
struct deferred_file {
	const char *path;
	FILE *file;
	bool created;
	bool begun;
};

/* Open @path. Return: 0, or EXIT_TROUBLE after a message. */
int deferred_open(struct deferred_file *deferred, const char *path);

/* Use an open stream instead, which has no old content. */
void deferred_open_stream(struct deferred_file *deferred, FILE *file, const char *name);

/* Is it a regular file? */
bool deferred_is_regular(const struct deferred_file *deferred);

/* Begin to write. Return: the file, truncated the first time; NULL after a message. */
FILE *deferred_begin(struct deferred_file *deferred);

/* As deferred_begin(), but an old file that is not empty is renamed to FILE.old. */
FILE *deferred_begin_beside_old(struct deferred_file *deferred);

/* Can it be renamed? Return: 0, or EXIT_TROUBLE after a message. */
int deferred_check_folder(const struct deferred_file *deferred);

/* As output_close(); without deferred_begin() the file is as before. May be called twice. */
int deferred_close(struct deferred_file *deferred);

/* Close it and ignore write errors. */
void deferred_abort(struct deferred_file *deferred);

/* A file that replaces another once it is complete */
struct replacement {
	const char *path;
	char *temporary;
	FILE *file;
};

/* Begin one; a file that is not regular is written directly. Return: as output_open(). */
FILE *output_replace_begin(struct replacement *new, const char *path);

/* Replace the old file. Return: 0, or EXIT_TROUBLE after a message. */
int output_replace_commit(struct replacement *new);

/* Remove the new file and keep the old one. */
void output_replace_abort(struct replacement *new);

/* Could a replacement be begun? Changes nothing. Return: 0, or EXIT_TROUBLE after a message. */
int output_check_writable(const char *path);

#endif /* UTIL_OUTPUT_FILE_H */
