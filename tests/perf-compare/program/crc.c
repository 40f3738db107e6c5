// SPDX-License-Identifier: GPL-2.0-only
/* Part of the small program of ../build.guest: the CRC-32 of Ethernet */
#include "program.h"

#define POLYNOMIAL	0xedb88320u

static unsigned int crc_of_byte(unsigned int crc)
{
	int bit;

	for (bit = 0; bit < 8; bit++)
		crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL : 0);
	return crc;
}

unsigned int crc32(const void *data, unsigned long size)
{
	const unsigned char *byte = data;
	unsigned int crc = ~0u;

	while (size--)
		crc = crc >> 8 ^ crc_of_byte((crc ^ *byte++) & 0xff);
	return ~crc;
}
