/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Error messages, one for each thread */
#ifndef PMC_ERROR_H
#define PMC_ERROR_H

#include <stddef.h>

#include "common.h"

struct pmc_hint;

/* Store the message and set errno to @error. Return: -1. */
int pmc_fail(int error, const char *format, ...) __printf(2, 3);

/* Store the message, followed by the meaning and advice of PMC_ERRORS for errno. Return: -1. */
int pmc_fail_errno(const char *format, ...) __printf(1, 2);

/* The text of a hint for a message: the program's, or the library's own */
void pmc_hint_text(const struct pmc_hint *hint, char *text, size_t size);

#endif /* PMC_ERROR_H */
