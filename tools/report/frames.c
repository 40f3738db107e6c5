// SPDX-License-Identifier: GPL-2.0-only
/* Find the functions of the addresses of a sample */
#include "record/stream.h"
#include "report/frames.h"

static int add_maps(struct frame_finder *finder, const struct record_file *file, char *error)
{
	struct record_stream *stream = record_stream_open(file);
	const struct pmc_record *record;

	while ((record = record_stream_next(stream)))
		if (record->type == PMC_RECORD_MMAP)
			address_spaces_add(&finder->spaces, (const struct pmc_mmap *)record);
	return record_stream_close(stream, error);
}

static int add_samples(struct frame_finder *finder, const struct record_file *file, char *error)
{
	struct record_stream *stream = record_stream_open(file);
	const struct pmc_record *record;

	while ((record = record_stream_next(stream)))
		if (record->type == PMC_RECORD_SAMPLE)
			address_spaces_add_sample(&finder->spaces,
						  (const struct pmc_sample *)record);
	return record_stream_close(stream, error);
}

int frame_finder_open(struct frame_finder *finder, const struct record_file *file,
		      const char *root, char error[RECORD_ERROR_SIZE])
{
	int result;

	*finder = (struct frame_finder){ .symbols = symbols_open(file, root) };
	result = add_maps(finder, file, error);
	return add_samples(finder, file, error) ? -1 : result;
}

static struct frame user_frame(struct frame_finder *finder, const struct pmc_sample *sample,
			       uint64_t address, unsigned int back)
{
	const struct pmc_mmap *map = address_spaces_find(&finder->spaces, sample, address - back);
	struct frame frame = { .address = address };

	frame.symbol = symbols_user(finder->symbols, map, address - back, &frame.offset);
	frame.offset += back;
	return frame;
}

static struct frame kernel_frame(struct frame_finder *finder, uint64_t address, unsigned int back)
{
	struct frame frame = { .address = address };

	frame.symbol = symbols_kernel(finder->symbols, address - back, &frame.offset);
	frame.offset += back;
	return frame;
}

struct frame frame_of_ip(struct frame_finder *finder, const struct pmc_sample *sample)
{
	static const struct symbol guest = { .file = "[guest]", .name = "[guest]" };

	if (sample->flags & PMC_SAMPLE_GUEST)
		return (struct frame){ .symbol = &guest };
	return sample->privilege ? user_frame(finder, sample, sample->ip, 0) :
				   kernel_frame(finder, sample->ip, 0);
}

/*
 * A return address is that of the next instruction, which may belong to another function, so
 * the address before it is looked up.
 */
size_t frames_of_chains(struct frame_finder *finder, const struct pmc_sample *sample,
			struct frame *frames)
{
	const __u64 *kernel = pmc_sample_kernel_frames(sample);
	const __u64 *user = pmc_sample_user_frames(sample);
	size_t num = 0, i;

	for (i = 0; i < sample->nr_kernel_frames; i++)
		frames[num++] = kernel_frame(finder, kernel[i], !!i);
	for (i = 0; i < sample->nr_user_frames; i++)
		frames[num++] = user_frame(finder, sample, user[i], !!i);
	return num;
}

void frame_finder_close(struct frame_finder *finder)
{
	address_spaces_free(&finder->spaces);
	symbols_close(finder->symbols);
}
