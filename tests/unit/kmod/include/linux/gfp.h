/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TEST_LINUX_GFP_H
#define TEST_LINUX_GFP_H

typedef unsigned int gfp_t;

#endif /* TEST_LINUX_GFP_H */
