// SPDX-License-Identifier: LGPL-2.1-or-later
/* Folders with the vendors' event files */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"
#include "event_files.h"
#include "json_read.h"
#include "libpmcevents.h"
#include "map_file.h"

#ifndef EVENT_FILES_FOLDER
#define EVENT_FILES_FOLDER	"/usr/share/pmcdrv/events"
#endif

#define MAP_FILE	"mapfile.csv"
#define PATH_SIZE	4096

/*
 * The largest file of cores has 2 MB, mapfile.csv has 20 KB. json-c needs up to 250 times the
 * size of a file as memory.
 */
#define FILE_SIZE_MAX	(8 << 20)
#define MAP_SIZE_MAX	(256 << 10)

/* ---- files ---- */

/* Return: the contents with a final zero, to be freed; or NULL with errno and a message. */
static char *read_file(const char *path, size_t max, size_t *len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat status = { .st_size = 0 };
	char *text = NULL;
	ssize_t num = 1;

	*len = 0;
	if (fd < 0 || fstat(fd, &status)) {
		pmc_fail(errno, "%s: %s", path, strerror(errno));
	} else if (!S_ISREG(status.st_mode) || (uint64_t)status.st_size > max) {
		pmc_fail(EBADMSG, "%s: not a file of at most %zu KiB", path, max >> 10);
	} else {
		text = malloc(status.st_size + 1);
		while (text && num > 0 && *len < (size_t)status.st_size) {
			num = read(fd, text + *len, status.st_size - *len);
			*len += num > 0 ? num : 0;
		}
		if (!text || num < 0) {
			pmc_fail(errno, "%s: %s", path, strerror(errno));
			free(text);
			text = NULL;
		} else {
			text[*len] = '\0';
		}
	}
	if (fd >= 0)
		close(fd);
	return text;
}

static bool is_folder(const char *path)
{
	struct stat status;

	return !stat(path, &status) && S_ISDIR(status.st_mode);
}

/* Names of the event files of a folder; those of metrics have no events. */
static int is_event_file(const struct dirent *entry)
{
	const char *end = strrchr(entry->d_name, '.');

	return entry->d_name[0] != '.' && end && !strcmp(end, ".json") &&
	       strcmp(entry->d_name, "metricgroups.json");
}

/* ---- rows of mapfile.csv ---- */

/*
 * What is done with each file of a row. @path: whole; @name: below the folder of mapfile.csv
 * Return: 0; else the walk ends with this result.
 */
struct visitor {
	int (*file)(struct visitor *visitor, const char *path, const char *name,
		    const struct pmc_map_row *row);
	struct pmc_json_table *table;
	void (*report)(const struct pmc_event_file *file, void *data);
	void *data;
	bool failed;
};

static int fail_long_path(const char *path)
{
	return pmc_fail(ENAMETOOLONG, "%.64s...: the path is too long", path);
}

static int visit_file(struct visitor *visitor, const char *folder, const char *name,
		      const struct pmc_map_row *row)
{
	char path[PATH_SIZE];

	if (snprintf(path, sizeof(path), "%s/%s", folder, name) >= (int)sizeof(path))
		return fail_long_path(folder);
	return visitor->file(visitor, path, name, row);
}

/* Visit the files of a folder in the order of their names. */
static int visit_folder(struct visitor *visitor, const char *folder, const char *below,
			const char *path, const struct pmc_map_row *row)
{
	char name[MAP_TEXT_SIZE + 256];
	struct dirent **entry;
	int num = scandir(path, &entry, is_event_file, alphasort), i, result = 0;

	if (num < 0)
		return pmc_fail(errno, "%s: %s", path, strerror(errno));
	for (i = 0; i < num; i++) {
		snprintf(name, sizeof(name), "%s/%s", below, entry[i]->d_name);
		if (!result)
			result = visit_file(visitor, folder, name, row);
		free(entry[i]);
	}
	free(entry);
	return result;
}

/* Return: 0; 1 if the row names a folder, which the kernel's form has one of; or -1. */
static int visit_row(struct visitor *visitor, const char *folder, const struct pmc_map_row *row)
{
	const char *below = row->path + strspn(row->path, "/");
	char path[PATH_SIZE];

	if (snprintf(path, sizeof(path), "%s/%s", folder, below) >= (int)sizeof(path))
		return fail_long_path(folder);
	if (!is_folder(path))
		return visit_file(visitor, folder, below, row);
	return visit_folder(visitor, folder, below, path, row) ? -1 : 1;
}

/* Return: the contents of mapfile.csv, to be freed, or NULL with errno and a message. */
static char *read_map(const char *folder, char path[PATH_SIZE])
{
	size_t len;
	char *text;

	if (snprintf(path, PATH_SIZE, "%s/" MAP_FILE, folder) >= PATH_SIZE) {
		fail_long_path(folder);
		return NULL;
	}
	text = read_file(path, MAP_SIZE_MAX, &len);
	if (text && strlen(text) != len) {
		pmc_fail(EBADMSG, "%s: has a zero byte", path);
		free(text);
		return NULL;
	}
	return text;
}

/* ---- the table of a processor ---- */

static int add_file(struct visitor *visitor, const char *path, const char *name,
		    const struct pmc_map_row *row)
{
	char source[2 * MAP_TEXT_SIZE + 64];
	const char *kept;
	int result;
	size_t len;
	char *text;

	snprintf(source, sizeof(source), "%s, %s", name, row->version);
	kept = pmc_json_table_add_source(visitor->table, source);
	text = kept ? read_file(path, FILE_SIZE_MAX, &len) : NULL;
	if (!text)
		return -1;
	result = pmc_json_read(visitor->table, path, kept, text, len, row->layout,
			       row->core_type);
	free(text);
	return result;
}

/* Read the files of a processor. Return: the number of rows that are for it, or -1. */
static int read_rows(struct visitor *visitor, const char *folder, const char *map,
		     const char *text, const char *id)
{
	struct pmc_map_row row = { .line = 0 };
	int result, found = 0;

	while ((result = pmc_map_row_next(map, &text, &row)) > 0) {
		if (!row.is_core)
			continue;
		result = pmc_map_row_matches(map, &row, id);
		if (result > 0) {
			found++;
			result = visit_row(visitor, folder, &row);
		}
		if (result)
			break;
	}
	return result < 0 ? -1 : found;
}

/* Return: 0, with *@table NULL if the folder has no files for the processor; or -1. */
static int load_folder(const char *folder, const char *id, struct pmc_json_table **table)
{
	struct visitor visitor = { .file = add_file };
	char map[PATH_SIZE], *text = read_map(folder, map);
	int found, error;

	*table = NULL;
	if (!text)
		return errno == ENOENT || errno == ENOTDIR || errno == EACCES ? 0 : -1;
	visitor.table = calloc(1, sizeof(*visitor.table));
	found = visitor.table ? read_rows(&visitor, folder, map, text, id) : -1;
	if (found > 0 && pmc_json_table_sort(visitor.table))
		found = -1;
	error = errno;
	free(text);
	if (found > 0)
		*table = visitor.table;
	else
		pmc_json_table_free(visitor.table);
	if (found < 0 && error == ENOMEM)
		pmc_fail(ENOMEM, "no memory for the event files");
	errno = error;
	return found < 0 ? -1 : 0;
}

/* ---- folders ---- */

static bool user_folder(char path[PATH_SIZE])
{
	const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");

	if (data && data[0] == '/')
		return snprintf(path, PATH_SIZE, "%s/pmcdrv/events", data) < PATH_SIZE;
	return home && home[0] == '/' &&
	       snprintf(path, PATH_SIZE, "%s/.local/share/pmcdrv/events", home) < PATH_SIZE;
}

/*
 * What was read of a processor, or the error that reading gave
 * @folder: of pmc_event_files_set(), or NULL
 */
struct loaded {
	struct loaded *next;
	char id[MAP_ID_SIZE];
	const char *folder;
	struct pmc_json_table *table;
	char *mistake;
};

/* Protects these */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct loaded *all_loaded;
static char *set_folder;

static int load(const char *id, struct pmc_json_table **table)
{
	char folder[PATH_SIZE];

	*table = NULL;
	if (set_folder)
		return load_folder(set_folder, id, table);
	if (user_folder(folder) && load_folder(folder, id, table))
		return -1;
	return *table ? 0 : load_folder(EVENT_FILES_FOLDER, id, table);
}

/* Return: NULL after pmc_fail() without memory. */
static struct loaded *load_new(const char *id)
{
	struct loaded *loaded = calloc(1, sizeof(*loaded));

	if (!loaded) {
		pmc_fail_errno("the event files");
		return NULL;
	}
	memcpy(loaded->id, id, sizeof(loaded->id));
	loaded->folder = set_folder;
	if (load(id, &loaded->table)) {
		loaded->mistake = errno == ENOMEM ? NULL : strdup(pmc_error());
		if (!loaded->mistake) {
			free(loaded);
			errno = ENOMEM;
			pmc_fail_errno("the event files");
			return NULL;
		}
	}
	loaded->next = all_loaded;
	all_loaded = loaded;
	return loaded;
}

static struct loaded *find_loaded(const char *id)
{
	struct loaded *loaded = all_loaded;

	while (loaded && (loaded->folder != set_folder || strcmp(loaded->id, id)))
		loaded = loaded->next;
	return loaded ? loaded : load_new(id);
}

int pmc_event_files_table(const struct pmc_processor *processor,
			  const struct pmc_json_table **table)
{
	char id[MAP_ID_SIZE] = "";
	struct loaded *loaded;

	*table = NULL;
	if (pmc_json_unavailable_reason() && !set_folder)
		return 0;
	pmc_map_id(processor, id);
	pthread_mutex_lock(&lock);
	loaded = find_loaded(id);
	pthread_mutex_unlock(&lock);
	if (!loaded)
		return -1;
	*table = loaded->table;
	return loaded->mistake ? pmc_fail(EBADMSG, "%s", loaded->mistake) : 0;
}

/* Set the folder. The name of the last one is kept if tables were read from it. */
static void replace_folder(char *folder)
{
	const struct loaded *loaded = all_loaded;

	while (loaded && loaded->folder != set_folder)
		loaded = loaded->next;
	if (!loaded)
		free(set_folder);
	set_folder = folder;
}

PMC_API int pmc_event_files_set(const char *folder)
{
	char map[PATH_SIZE], *text, *copy = NULL;

	if (folder) {
		if (pmc_json_unavailable_reason())
			return pmc_fail(ENOPKG, "%s", pmc_json_unavailable_reason());
		text = read_map(folder, map);
		if (!text)
			return -1;
		free(text);
		copy = strdup(folder);
		if (!copy)
			return pmc_fail_errno("the event files");
	}
	pthread_mutex_lock(&lock);
	replace_folder(copy);
	pthread_mutex_unlock(&lock);
	return 0;
}

/* ---- check ---- */

static size_t num_refused(const struct pmc_json_table *table)
{
	size_t num = 0, i;

	for (i = 0; i < table->num; i++)
		num += !!table->event[i].refused;
	return num;
}

static int check_file(struct visitor *visitor, const char *path, const char *name,
		      const struct pmc_map_row *row)
{
	struct visitor alone = { .table = calloc(1, sizeof(*alone.table)) };
	struct pmc_event_file file = { .name = name };
	int result;

	if (!alone.table)
		return pmc_fail_errno("checking event files");
	result = add_file(&alone, path, name, row);
	if (!result)
		result = pmc_json_table_sort(alone.table);
	if (result && errno == ENOMEM) {
		pmc_json_table_free(alone.table);
		return pmc_fail_errno("checking event files");
	}
	file.num_events = alone.table->num;
	file.num_refused = num_refused(alone.table);
	file.num_other = alone.table->num_other;
	file.mistake = result ? pmc_error() : NULL;
	visitor->failed |= result;
	visitor->report(&file, visitor->data);
	pmc_json_table_free(alone.table);
	return 0;
}

/* Whether a row before this one names the same files */
static bool is_repeated(const char *map, const char *text, const struct pmc_map_row *row)
{
	struct pmc_map_row before = { .line = 0 };

	while (pmc_map_row_next(map, &text, &before) > 0 && before.line < row->line)
		if (before.is_core && !strcmp(before.path, row->path))
			return true;
	return false;
}

static void report_row(struct visitor *visitor, const struct pmc_map_row *row)
{
	struct pmc_event_file file = { .name = row->path, .mistake = pmc_error() };

	visitor->failed = true;
	visitor->report(&file, visitor->data);
}

static int check_rows(struct visitor *visitor, const char *folder, const char *map,
		      const char *text)
{
	struct pmc_map_row row = { .line = 0 };
	const char *rest = text;
	int result;

	while ((result = pmc_map_row_next(map, &rest, &row))) {
		if (result < 0 || pmc_map_row_matches(map, &row, "GenuineIntel-6-0-0") < 0) {
			report_row(visitor, &row);
			continue;
		}
		if (!row.is_core || is_repeated(map, text, &row))
			continue;
		if (visit_row(visitor, folder, &row) >= 0)
			continue;
		if (errno == ENOMEM)
			return -1;
		report_row(visitor, &row);
	}
	return visitor->failed ? pmc_fail(EBADMSG, "%s: not all event files are correct", folder) :
				 0;
}

PMC_API int pmc_event_files_check(const char *folder,
				  void (*report)(const struct pmc_event_file *file, void *data),
				  void *data)
{
	struct visitor visitor = { .file = check_file, .report = report, .data = data };
	char map[PATH_SIZE], *text;
	int result, error;

	if (pmc_json_unavailable_reason())
		return pmc_fail(ENOPKG, "%s", pmc_json_unavailable_reason());
	text = read_map(folder, map);
	if (!text)
		return -1;
	result = check_rows(&visitor, folder, map, text);
	error = errno;
	free(text);
	errno = error;
	return result;
}
