/* SPDX-License-Identifier: GPL-2.0-only */
/* The multiplier of hashes on 64-bit computers, for the module's code in unit tests */
#ifndef TEST_LINUX_HASH_H
#define TEST_LINUX_HASH_H

#define BITS_PER_LONG		64
#define GOLDEN_RATIO_PRIME	0x61c8864680b583ebUL

#endif /* TEST_LINUX_HASH_H */
