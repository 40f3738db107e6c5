// SPDX-License-Identifier: GPL-2.0-only
/* Compiles where vm_flags_set() and vm_flags_clear() exist. */
#include <linux/mm.h>

void test(struct vm_area_struct *vma);
void test(struct vm_area_struct *vma)
{
	vm_flags_set(vma, VM_DONTDUMP);
	vm_flags_clear(vma, VM_MAYWRITE);
}
