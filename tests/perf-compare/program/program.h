/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions of a small program; ../build.guest counts its build */
#ifndef PROGRAM_H
#define PROGRAM_H

/** struct line - a line of text in preparation */
struct line {
	unsigned long length;
	char text[80];
};

void line_word(struct line *line, const char *word);
void line_number(struct line *line, unsigned long number);
void line_end(struct line *line);

unsigned long primes_below(unsigned long limit);
unsigned int crc32(const void *data, unsigned long size);

long print(const char *text, unsigned long length);

#endif /* PROGRAM_H */
