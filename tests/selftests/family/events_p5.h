/* SPDX-License-Identifier: GPL-2.0-only */
/* The programs of events_p5.S */
#ifndef SELFTESTS_EVENTS_P5_H
#define SELFTESTS_EVENTS_P5_H

typedef void program_t(void);

int counted(int fd, program_t *program, unsigned int rounds, void *buffer, unsigned int start,
	    unsigned int stop);
program_t run_data, run_misaligned, run_pages, run_lines, run_lines_written, run_segments,
	  run_locked, run_io, run_flops, run_flushes, run_calls, run_code, run_mmx,
	  run_mmx_misaligned, run_pairs, run_no_pairs, run_prefixes, run_agi, run_agi_prefix,
	  run_both_pipes, run_fxch, run_crossing, run_mispredicted, run_mmx_multiply,
	  run_mmx_pairs;

#endif /* SELFTESTS_EVENTS_P5_H */
