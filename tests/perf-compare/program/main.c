// SPDX-License-Identifier: GPL-2.0-only
/* The program that the comparison of a build (../build.guest) compiles: prints two known numbers */
#include "program.h"
#include "version.h"

#define DIGITS	"123456789"

int main(void)
{
	struct line line = { 0 };

	line_word(&line, VERSION);
	line_number(&line, primes_below(1000));
	line_number(&line, crc32(DIGITS, sizeof(DIGITS) - 1));
	line_end(&line);
	return 0;
}
