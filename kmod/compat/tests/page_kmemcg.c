// SPDX-License-Identifier: GPL-2.0-only
/* Compiles where being charged to a memory cgroup is a type of a page: before Linux 5.11. */
#include <linux/page-flags.h>

int test(struct page *page);
int test(struct page *page)
{
	return PageKmemcg(page);
}
