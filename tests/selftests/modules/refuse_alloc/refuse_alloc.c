// SPDX-License-Identifier: GPL-2.0-only
/*
 * refuse_alloc.ko: makes allocations and other calls fail. Only for the tests
 *
 * - Zeroed, accounted allocations that may fail (__GFP_RETRY_MAYFAIL), for processes of a certain
 *   name. The driver's preallocation on the way to user mode is such an allocation, and few others
 *   are; they have a fallback.
 * - The N-th of the thread that writes N to /proc/refuse_nth. The file reads 0 afterwards, like the
 *   kernel's /proc/thread-self/fail-nth. It is not a parameter: a write to sysfs allocates.
 *
 * Debian 6.1 is built without the kernel's fault injection, but there every allocation from slabs
 * calls should_failslab() first.
 *
 * With the parameter call instead: calls of the function that it names, for processes of that
 * name. They return -ENOSPC.
 */
#include <linux/fs.h>
#include <linux/gfp.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/linkage.h>
#include <linux/module.h>
#include <linux/proc_fs.h>
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

static unsigned int nth;
static struct task_struct *nth_task;	/* never dereferenced; only this thread decrements nth */

static ssize_t nth_write(struct file *file, const char __user *text, size_t length,
			 loff_t *position)
{
	int err;

	WRITE_ONCE(nth_task, NULL);
	err = kstrtouint_from_user(text, length, 10, &nth);
	if (!err && nth)
		WRITE_ONCE(nth_task, current);
	return err ? err : length;
}

static ssize_t nth_read(struct file *file, char __user *text, size_t length, loff_t *position)
{
	char number[16];

	return simple_read_from_buffer(text, length, position, number,
				       scnprintf(number, sizeof(number), "%u\n", nth));
}

/* A thread that has ended no longer owns its address. */
static int nth_release(struct inode *inode, struct file *file)
{
	WRITE_ONCE(nth_task, NULL);
	return 0;
}

static const struct proc_ops nth_ops = {
	.proc_read = nth_read,
	.proc_write = nth_write,
	.proc_release = nth_release,
};

static bool refuse_nth(gfp_t flags)
{
	if (READ_ONCE(nth_task) != current || flags & __GFP_NOFAIL || !nth)
		return false;
	return !--nth;
}

static bool refuse_name(gfp_t flags)
{
	const gfp_t wanted = __GFP_RETRY_MAYFAIL | __GFP_ACCOUNT | __GFP_ZERO;

	return (flags & wanted) == wanted && !strcmp(current->comm, REFUSED);
}

/* The probed function returns @err at once. */
static int refuse_call(struct pt_regs *regs, int err)
{
	regs_set_return_value(regs, err);
	instruction_pointer_set(regs, (unsigned long)refuse_return);
	return 1;
}

/* int should_failslab(struct kmem_cache *cache, gfp_t flags) */
static int refuse(struct kprobe *probe, struct pt_regs *regs)
{
	gfp_t flags = regs_get_kernel_argument(regs, 1);

	return refuse_nth(flags) || refuse_name(flags) ? refuse_call(regs, -ENOMEM) : 0;
}

static char *call;
module_param(call, charp, 0400);
MODULE_PARM_DESC(call, "function that fails for processes of a certain name");

static int refuse_named(struct kprobe *probe, struct pt_regs *regs)
{
	return strcmp(current->comm, REFUSED) ? 0 : refuse_call(regs, -ENOSPC);
}

/* With a post handler the probe is not optimised into a jump, which could not return elsewhere. */
static void refuse_post(struct kprobe *probe, struct pt_regs *regs, unsigned long flags)
{
}

static struct kprobe refuse_allocations = {
	.symbol_name = "should_failslab",
	.pre_handler = refuse,
	.post_handler = refuse_post,
};

static struct kprobe refuse_calls = {
	.pre_handler = refuse_named,
	.post_handler = refuse_post,
};

static struct kprobe *refuse_probe = &refuse_allocations;

static int __init refuse_init(void)
{
	int err;

	if (call) {
		refuse_calls.symbol_name = call;
		refuse_probe = &refuse_calls;
	}
	if (!proc_create("refuse_nth", 0600, NULL, &nth_ops))
		return -ENOMEM;
	err = register_kprobe(refuse_probe);
	if (err)
		remove_proc_entry("refuse_nth", NULL);
	return err;
}
module_init(refuse_init);

static void __exit refuse_exit(void)
{
	unregister_kprobe(refuse_probe);
	remove_proc_entry("refuse_nth", NULL);
}
module_exit(refuse_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("For tests of pmcdrv: makes allocations and other calls fail");
