/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Function call interrupts (CAL) of CPU 1, from /proc/interrupts
 */
#ifndef SELFTESTS_INTERRUPTS_H
#define SELFTESTS_INTERRUPTS_H

#include <stdio.h>

/* Interrupts that CPU 1 has received from other CPUs to call functions */
static inline long calls_received(void)
{
	char line[512];
	long calls = -1;
	FILE *file = fopen("/proc/interrupts", "r");

	while (file && fgets(line, sizeof(line), file))
		sscanf(line, " CAL: %*d %ld", &calls);
	if (file)
		fclose(file);
	return calls;
}

#endif /* SELFTESTS_INTERRUPTS_H */
