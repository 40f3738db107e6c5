// SPDX-License-Identifier: GPL-2.0-only
/* Part of the program that the comparison of a build compiles: prime numbers, by a sieve */
#include "program.h"

#define LIMIT	10000

static unsigned char composite[LIMIT];

static void cross_out(unsigned long prime, unsigned long limit)
{
	unsigned long n;

	for (n = prime * prime; n < limit; n += prime)
		composite[n] = 1;
}

unsigned long primes_below(unsigned long limit)
{
	unsigned long n, primes = 0;

	if (limit > LIMIT)
		limit = LIMIT;
	for (n = 2; n < limit; n++) {
		if (composite[n])
			continue;
		primes++;
		cross_out(n, limit);
	}
	return primes;
}
