/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mapfile.csv: which event files are for which processor */
#ifndef PMC_MAP_FILE_H
#define PMC_MAP_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "processor.h"

/* Size of a processor's identifier, such as GenuineIntel-6-55-4 */
#define MAP_ID_SIZE	40

/* Longest pattern and path of a row, with its final zero */
#define MAP_TEXT_SIZE	256

/*
 * @line: in mapfile.csv, from 1
 * @pattern: regular expression of identifiers, with or without stepping
 * @path: a file, or a folder of files, below the folder of mapfile.csv
 * @layout: of the vendor's processors
 * @core_type: core type of the file's events, or 0
 * @is_core: the file has events of cores
 */
struct pmc_map_row {
	unsigned int line;
	char pattern[MAP_TEXT_SIZE];
	char version[32];
	char path[MAP_TEXT_SIZE];
	enum pmc_layout layout;
	uint32_t core_type;
	bool is_core;
};

/*
 * Read the next row. Begin with *@text the file's text, which ends with a zero, and a row of
 * zeros. @name: the file's, for messages
 * Return: 1; 0 after the last row; or -1 with errno EBADMSG and a message.
 */
int pmc_map_row_next(const char *name, const char **text, struct pmc_map_row *row);

/* The identifier of a processor in event files */
void pmc_map_id(const struct pmc_processor *processor, char id[MAP_ID_SIZE]);

/* Whether the row is for a processor. Return: 0 or 1, or -1 with errno and a message. */
int pmc_map_row_matches(const char *name, const struct pmc_map_row *row, const char *id);

#endif /* PMC_MAP_FILE_H */
