/* SPDX-License-Identifier: GPL-2.0-only */
/* Find the functions of the addresses of a sample */
#ifndef FRAMES_H
#define FRAMES_H

#include "report/address-space.h"
#include "report/symbols.h"

/* Maximum number of frames of a sample: 255 of each mode */
#define FRAMES_MAX	(2 * 255)

/* @offset: of the address in the function; 0 if the function is unknown */
struct frame {
	uint64_t address;
	uint64_t offset;
	const struct symbol *symbol;
};

/* All zero is closed. */
struct frame_finder {
	struct symbols *symbols;
	struct address_spaces spaces;
};

/*
 * Read the mmap records and the times of all samples.
 * @root: as for symbols_open()
 * Return: 0, or -1 with the reason in @error if a record could not be read; those before it are
 * used. The caller closes it in both cases.
 */
int frame_finder_open(struct frame_finder *finder, const struct record_file *file,
		      const char *root, char error[RECORD_ERROR_SIZE]);

/* The sampled instruction */
struct frame frame_of_ip(struct frame_finder *finder, const struct pmc_sample *sample);

/*
 * The call chains, kernel before user, the innermost frame first
 * @frames: room for FRAMES_MAX
 * Return: their number
 */
size_t frames_of_chains(struct frame_finder *finder, const struct pmc_sample *sample,
			struct frame *frames);

void frame_finder_close(struct frame_finder *finder);

#endif /* FRAMES_H */
