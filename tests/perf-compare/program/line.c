// SPDX-License-Identifier: GPL-2.0-only
/* Part of the program that the comparison of a build compiles: lines of text */
#include "program.h"

static void line_char(struct line *line, char c)
{
	if (line->length < sizeof(line->text))
		line->text[line->length++] = c;
}

void line_word(struct line *line, const char *word)
{
	if (line->length)
		line_char(line, ' ');
	while (*word)
		line_char(line, *word++);
}

void line_number(struct line *line, unsigned long number)
{
	char digits[21], *first = digits + sizeof(digits) - 1;

	*first = 0;
	do {
		*--first = '0' + number % 10;
		number /= 10;
	} while (number);
	line_word(line, first);
}

void line_end(struct line *line)
{
	line_char(line, '\n');
	print(line->text, line->length);
	line->length = 0;
}
