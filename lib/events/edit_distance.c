// SPDX-License-Identifier: LGPL-2.1-or-later
/* Edit distance of two words */
#include <string.h>

#include "edit_distance.h"

static unsigned int min3(unsigned int a, unsigned int b, unsigned int c)
{
	if (b < a)
		a = b;
	return c < a ? c : a;
}

unsigned int pmc_edit_distance(const char *a, const char *b)
{
	unsigned int row[EDIT_DISTANCE_WORD_MAX + 1];
	size_t a_len = strlen(a), b_len = strlen(b), i, j;
	size_t longer = a_len > b_len ? a_len : b_len;
	unsigned int diagonal, above;

	/* each letter that one has more is a difference: there is no need to look */
	if (longer > EDIT_DISTANCE_WORD_MAX || a_len + b_len - longer < longer - longer / 2)
		return EDIT_DISTANCE_NONE;
	for (j = 0; j <= b_len; j++)
		row[j] = j;
	for (i = 1; i <= a_len; i++) {
		diagonal = row[0];
		row[0] = i;
		for (j = 1; j <= b_len; j++) {
			above = row[j];
			row[j] = min3(above + 1, row[j - 1] + 1,
				      diagonal + (a[i - 1] != b[j - 1]));
			diagonal = above;
		}
	}
	if (row[b_len] > longer / 2)
		return EDIT_DISTANCE_NONE;
	return row[b_len];
}
