/* SPDX-License-Identifier: GPL-2.0-only */
/* Calls of known depth: workloads.S */
#ifndef SELFTESTS_CALL_DEPTH_H
#define SELFTESTS_CALL_DEPTH_H

/*
 * Parameters of sampled_descent() and sampled_frame()
 * @fd: the device, for the ioctls @start and @stop
 * @depth: of the calls
 * @rounds: of the loop, or of system calls if @calls
 * @frame: the frame pointer of sampled_frame()
 */
struct descent {
	long fd;
	unsigned long start;
	unsigned long stop;
	unsigned long depth;
	unsigned long rounds;
	unsigned long calls;
	unsigned long frame;
};

long sampled_descent(const struct descent *descent);
long sampled_frame(const struct descent *descent);
extern const char sampled_descent_return[], sampled_descent_level[], sampled_descent_call[];
extern const char sampled_descent_begin[], sampled_descent_end[];
extern const char sampled_frame_begin[], sampled_frame_end[];

/* Yields the CPU this often, with the frame pointer @frame, and exits */
void yields_run(unsigned long frame, unsigned long yields) __attribute__((noreturn));
extern const char yields_begin[], yields_end[];

#endif /* SELFTESTS_CALL_DEPTH_H */
