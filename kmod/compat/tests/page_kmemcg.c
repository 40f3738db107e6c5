// SPDX-License-Identifier: GPL-2.0-only
/* Compiles where PageKmemcg marks a page that is charged to a memory cgroup: before Linux 5.11. */
#include <linux/page-flags.h>

int test(struct page *page);
int test(struct page *page)
{
	return PageKmemcg(page);
}
