// SPDX-License-Identifier: GPL-2.0-only
/* Notes of this computer on its events */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/error.h"
#include "util/event-notes.h"
#include "util/event-text.h"
#include "util/output.h"
#include "util/user-file.h"
#include "util/xalloc.h"

#define BLANKS	" \t"

static int append(struct event_notes *notes, const char *line, const char *path, unsigned int nr)
{
	size_t blank = strspn(line, BLANKS), name;
	struct event_note *note;

	line += blank;
	if (!*line || *line == '#')
		return 0;
	name = strcspn(line, BLANKS);
	blank = strspn(line + name, BLANKS);
	if (!line[name + blank])
		return report_error("%s:%u: '%s' has no text; write: NAME TEXT", path, nr, line);
	notes->note = xgrow(notes->note, notes->num, sizeof(*notes->note));
	note = &notes->note[notes->num++];
	/* sudo may keep HOME: a text of another user must not control the terminal */
	note->name = text_printable(line);
	note->name[name] = '\0';
	note->text = note->name + name + blank;
	return 0;
}

static int read_lines(struct event_notes *notes, FILE *file, const char *path)
{
	unsigned int nr = 0;
	char *line = NULL;
	size_t room = 0;
	int result = 0;
	ssize_t len;

	while (!result && (len = getline(&line, &room, file)) >= 0) {
		nr++;
		if (strlen(line) != (size_t)len)
			result = report_error("%s is not a text file: it has a zero byte", path);
		line[strcspn(line, "\r\n")] = '\0';
		if (!result)
			result = append(notes, line, path, nr);
	}
	if (!result && ferror(file))
		result = report_error("cannot read %s: %s", path, strerror(errno));
	free(line);
	return result;
}

static int load(struct event_notes *notes, const char *path)
{
	FILE *file = fopen(path, "re");
	int result;

	if (!file && (errno == ENOENT || errno == ENOTDIR))
		return 0;
	if (!file)
		return report_error("cannot read %s: %s", path, strerror(errno));
	result = read_lines(notes, file, path);
	fclose(file);
	return result;
}

int event_notes_load(struct event_notes *notes)
{
	int result = load(notes, "/etc/pmcdrv/event-notes");
	char *path = user_file_path("event-notes");

	if (!result && path)
		result = load(notes, path);
	free(path);
	return result;
}

void event_notes_free(struct event_notes *notes)
{
	size_t i;

	for (i = 0; i < notes->num; i++)
		free(notes->note[i].name);
	free(notes->note);
}

const char *event_notes_find(const struct event_notes *notes, const char *name)
{
	size_t i;

	for (i = 0; i < notes->num; i++)
		if (event_text_matches(name, notes->note[i].name))
			return notes->note[i].text;
	return NULL;
}
