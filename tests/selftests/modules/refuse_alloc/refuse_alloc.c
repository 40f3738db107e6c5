// SPDX-License-Identifier: GPL-2.0-only
/*
 * refuse_alloc.ko: makes zeroed, accounted allocations that may fail (__GFP_RETRY_MAYFAIL) fail
 * for processes of a certain name. The driver's preallocation on the way to user mode is such
 * an allocation, and few others are; they have a fallback.
 *
 * Debian's kernels are built without the kernel's fault injection, but every allocation calls
 * should_failslab() first. Only for the tests.
 */
#include <linux/gfp.h>
#include <linux/kprobes.h>
#include <linux/linkage.h>
#include <linux/module.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <asm/ibt.h>

#define REFUSED	"refused"

/* A function that only returns: RAX holds its value. */
asmlinkage void refuse_return(void);
asm(".text\n"
	".type refuse_return, @function\n"
	".globl refuse_return\n"
	"refuse_return:\n\t"
	ASM_ENDBR
	ASM_RET
	".size refuse_return, .-refuse_return\n");

/* int should_failslab(struct kmem_cache *cache, gfp_t flags) returns -ENOMEM at once. */
static int refuse(struct kprobe *probe, struct pt_regs *regs)
{
	gfp_t flags = regs_get_kernel_argument(regs, 1);
	gfp_t wanted = __GFP_RETRY_MAYFAIL | __GFP_ACCOUNT | __GFP_ZERO;

	if ((flags & wanted) != wanted || strcmp(current->comm, REFUSED))
		return 0;
	regs_set_return_value(regs, -ENOMEM);
	instruction_pointer_set(regs, (unsigned long)refuse_return);
	return 1;
}

/* With a post handler the probe is not optimised into a jump, which could not return elsewhere. */
static void refuse_post(struct kprobe *probe, struct pt_regs *regs, unsigned long flags)
{
}

static struct kprobe refuse_probe = {
	.symbol_name = "should_failslab",
	.pre_handler = refuse,
	.post_handler = refuse_post,
};

static int __init refuse_init(void)
{
	return register_kprobe(&refuse_probe);
}
module_init(refuse_init);

static void __exit refuse_exit(void)
{
	unregister_kprobe(&refuse_probe);
}
module_exit(refuse_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("For tests of pmcdrv: no memory for processes of a certain name");
