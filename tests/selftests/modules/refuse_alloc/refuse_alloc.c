// SPDX-License-Identifier: GPL-2.0-only
/*
 * refuse_alloc.ko: makes allocations and other calls fail. Only for the tests
 *
 * - Zeroed, accounted allocations that may fail (__GFP_RETRY_MAYFAIL), for processes of a certain
 *   name. The driver's preallocation on the way to user mode is such an allocation, and few others
 *   are; they have a fallback.
 * - The N-th from here on of the thread that writes N to /proc/refuse_nth, as with the kernel's
 *   /proc/thread-self/fail-nth: it reads 0 when that allocation has failed. A parameter would not
 *   do, because sysfs itself allocates.
 * - Calls of the function that the parameter call names, for processes of that name (ENOSPC).
 *
 * Debian's kernels are built without the kernel's fault injection, but every allocation from slabs
 * calls should_failslab() first.
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
static struct task_struct *nth_task;	/* only compared; it alone changes nth while it allocates */

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

static const struct proc_ops nth_ops = {
	.proc_read = nth_read,
	.proc_write = nth_write,
};

static bool refuse_nth(gfp_t flags)
{
	if (READ_ONCE(nth_task) != current || !in_task() || flags & __GFP_NOFAIL || !nth)
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

static struct kprobe *refuse_probes[] = { &refuse_allocations, &refuse_calls };

static int __init refuse_init(void)
{
	int err;

	refuse_calls.symbol_name = call;
	if (!proc_create("refuse_nth", 0600, NULL, &nth_ops))
		return -ENOMEM;
	err = register_kprobes(refuse_probes, call ? 2 : 1);
	if (err)
		remove_proc_entry("refuse_nth", NULL);
	return err;
}
module_init(refuse_init);

static void __exit refuse_exit(void)
{
	unregister_kprobes(refuse_probes, call ? 2 : 1);
	remove_proc_entry("refuse_nth", NULL);
}
module_exit(refuse_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("For tests of pmcdrv: makes allocations and other calls fail");
