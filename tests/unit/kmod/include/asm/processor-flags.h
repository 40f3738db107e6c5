/* SPDX-License-Identifier: GPL-2.0-only */
/* User space's <asm/processor-flags.h> and the kernel's X86_VM_MASK */
#include_next <asm/processor-flags.h>

#ifdef CONFIG_VM86
#define X86_VM_MASK	X86_EFLAGS_VM
#else
#define X86_VM_MASK	0
#endif
