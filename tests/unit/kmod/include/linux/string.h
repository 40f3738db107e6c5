/* SPDX-License-Identifier: GPL-2.0-only */
/* The C library has the kernel's functions on strings that the module uses. */
#include <string.h>
