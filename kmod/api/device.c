// SPDX-License-Identifier: GPL-2.0-only
/*
 * The file /dev/pmc: open, close, and the ioctls' way in and out
 *
 * Owns struct pmc_file. Its lock serialises the ioctls of one open file; it is
 * the outermost lock of the module. Task context only. Everything that comes
 * from user space is checked here or in context.c before anything else sees it.
 */
#include <linux/cpu.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/nospec.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <asm/tsc.h>

#include "api/claim.h"
#include "compat/apic.h"
#include "compat/compat.h"
#include "api/context.h"
#include "api/device.h"
#include "pmu/perf_metrics.h"
#include "target/self.h"
#include "pmu/rdpmc.h"
#include "sampling/pmi.h"
#include "pmu/pmu.h"
#include "target/run.h"
#include "target/tracepoints.h"
#include "sampling/ring.h"
#include "sampling/sample_config.h"

/**
 * struct pmc_file - an open /dev/pmc
 * @lock:	serialises its ioctls
 * @context:	what it has configured, NULL if nothing; @lock
 * @only:	its pmc_self_thread(), NULL if nothing is configured; @lock
 * @settled:	the same, but NULL while an ioctl may change something: for
 *		pmc_self_read(), which takes no lock
 * @probes:	the probes that its contexts have needed, kept till it is closed:
 *		registering is slow; @lock
 * @interrupts:	it has had a context with a period: the NMI handler stays till it is
 *		closed; @lock
 * @wait:	who waits for samples
 * @page_lock:	guards what a page fault needs, which cannot take @lock: an ioctl
 *		may fault with that held
 * @page:	the context's page for reading in user mode, with a reference, or
 *		NULL; @page_lock
 * @mm:		the only address space that sees it; @page_lock
 * @rings:	the context's sample rings, with a reference, or NULL; @page_lock
 */
struct pmc_file {
	struct mutex lock; /* the ioctls of this file */
	struct pmc_context *context;
	struct pmc_thread *only;
	struct pmc_thread *settled;
	unsigned long probes;
	bool interrupts;
	wait_queue_head_t wait;
	spinlock_t page_lock; /* all below */
	struct page *page;
	struct mm_struct *mm;
	struct pmc_rings *rings;
};

/* What those see who may not see a context's page. */
static struct page *pmc_blank_page;

/* The least that a caller must know of each structure: its last input field. */
#define PMC_QUERY_SIZE_MIN	offsetofend(struct pmc_query, flags)
#define PMC_COUNTER_SIZE_MIN	offsetofend(struct pmc_counter, flags)
#define PMC_TSC_SIZE_MIN	offsetofend(struct pmc_tsc, flags)
#define PMC_CONFIG_SIZE_MIN	offsetofend(struct pmc_config, counter_size)
#define PMC_ENTRY_SIZE_MIN	offsetofend(struct pmc_counter_config, initial)
#define PMC_WRITE_SIZE_MIN	offsetofend(struct pmc_write, values)
#define PMC_STATISTICS_SIZE_MIN	offsetofend(struct pmc_statistics, flags)

/* A structure of @user_size bytes, of which the driver knows @size. */
static int pmc_copy_in(void *to, size_t size, size_t min, const void __user *from,
		       size_t user_size)
{
	if (user_size < min)
		return -EINVAL;
	if (user_size > PAGE_SIZE)
		return -E2BIG;
	return copy_struct_from_user(to, size, from, user_size);
}

/* A structure that begins with its size. */
static int pmc_copy_in_sized(void *to, size_t size, size_t min, const void __user *from)
{
	u32 user_size;

	if (get_user(user_size, (const u32 __user *)from))
		return -EFAULT;
	return pmc_copy_in(to, size, min, from, user_size);
}

/* Hand back as much as the caller knows; @size leads the structure. */
static int pmc_copy_out(void __user *to, const void *from, size_t size)
{
	const u32 *leading = from;
	size_t user_size = min_t(size_t, *leading, size);

	return copy_to_user(to, from, user_size) ? -EFAULT : 0;
}

/* Which CPU does the caller mean? cpus_read_lock() is held. */
static int pmc_which_cpu(s32 asked)
{
	if (asked == PMC_CPU_ANY)
		return raw_smp_processor_id();
	if (asked < 0 || asked >= nr_cpu_ids || !cpu_possible(asked))
		return -EINVAL;
	return array_index_nospec(asked, nr_cpu_ids);
}

static noinline_for_stack int pmc_ioctl_query(void __user *argument)
{
	struct pmc_query query;
	u32 size;
	int cpu, err;

	err = pmc_copy_in_sized(&query, sizeof(query), PMC_QUERY_SIZE_MIN, argument);
	if (err)
		return err;
	if (query.flags)
		return -EINVAL;
	size = query.size;

	cpus_read_lock();
	cpu = pmc_which_cpu(query.cpu);
	if (cpu >= 0)
		query = per_cpu(pmc_pmus, cpu).description.query;
	cpus_read_unlock();
	if (cpu < 0)
		return cpu;

	query.size = size;
	query.cpu = cpu;
	query.abi_version = PMC_ABI_VERSION;
	query.contexts = pmc_claims_count();
	return pmc_copy_out(argument, &query, sizeof(query));
}

static int pmc_describe_counter(struct pmc_counter *counter)
{
	const struct pmc_description *description;
	int cpu, err;

	cpu = pmc_which_cpu(counter->cpu);
	if (cpu < 0)
		return cpu;
	description = &per_cpu(pmc_pmus, cpu).description;
	if (!description->family)
		return -ENODEV;
	counter->cpu = cpu;
	err = description->family->describe_counter(&description->query, counter->counter,
						    counter);
	if (!err)
		pmc_claim_holder(cpu, counter->counter, &counter->holder);
	return err;
}

static noinline_for_stack int pmc_ioctl_counter(void __user *argument)
{
	struct pmc_counter asked, counter = {};
	int err;

	err = pmc_copy_in_sized(&asked, sizeof(asked), PMC_COUNTER_SIZE_MIN, argument);
	if (err)
		return err;
	if (asked.flags)
		return -EINVAL;
	counter.size = asked.size;
	counter.cpu = asked.cpu;
	counter.counter = asked.counter;

	cpus_read_lock();
	err = pmc_describe_counter(&counter);
	cpus_read_unlock();
	return err ? err : pmc_copy_out(argument, &counter, sizeof(counter));
}

static noinline_for_stack int pmc_ioctl_tsc(void __user *argument)
{
	struct pmc_tsc tsc;
	int err;

	err = pmc_copy_in_sized(&tsc, sizeof(tsc), PMC_TSC_SIZE_MIN, argument);
	if (err)
		return err;
	if (tsc.flags)
		return -EINVAL;
	if (!boot_cpu_has(X86_FEATURE_TSC))
		return -EOPNOTSUPP;

	tsc.reserved = 0;
	tsc.cpu = get_cpu();
	tsc.tsc = rdtsc_ordered();
	put_cpu();
	return pmc_copy_out(argument, &tsc, sizeof(tsc));
}

/* A kernel of 32 bits would cut off what it has no addresses for. */
static bool pmc_is_address(u64 address)
{
	return address == (unsigned long)address;
}

static int pmc_copy_in_entries(struct pmc_counter_config *entries, struct pmc_config *config)
{
	const void __user *from = u64_to_user_ptr(config->counters);
	u32 i;
	int err;

	if (!pmc_is_address(config->counters))
		return -EFAULT;
	for (i = 0; i < config->nr_counters; i++) {
		err = pmc_copy_in(&entries[i], sizeof(entries[i]), PMC_ENTRY_SIZE_MIN,
				  from + (size_t)i * config->counter_size,
				  config->counter_size);
		if (err) {
			config->failed_entry = err == -EFAULT || err == -E2BIG ?
					       i : PMC_ENTRY_NONE;
			return err;
		}
	}
	return 0;
}

/* @context NULL: none any more. */
static void pmc_file_set_rings(struct pmc_file *file, const struct pmc_context *context)
{
	struct pmc_rings *rings = NULL, *before;

	if (context && context->sampling) {
		rings = context->sampling->rings;
		refcount_inc(&rings->refs);
	}
	spin_lock(&file->page_lock);
	before = file->rings;
	file->rings = rings;
	spin_unlock(&file->page_lock);
	if (before)
		pmc_rings_put(before);
}

/* The rings with a reference, without the file's lock. */
static struct pmc_rings *pmc_file_rings(struct pmc_file *file)
{
	struct pmc_rings *rings;

	spin_lock(&file->page_lock);
	rings = file->rings;
	if (rings)
		refcount_inc(&rings->refs);
	spin_unlock(&file->page_lock);
	return rings;
}

/* @context NULL: none any more. */
static void pmc_file_set_page(struct pmc_file *file, const struct pmc_context *context)
{
	struct page *page = NULL, *before;

	if (context && context->user_page.page) {
		page = virt_to_page(context->user_page.page);
		get_page(page);
	}
	spin_lock(&file->page_lock);
	before = file->page;
	file->page = page;
	file->mm = page ? context->mm : NULL;
	spin_unlock(&file->page_lock);
	if (before)
		put_page(before);
}

static void pmc_file_release(struct pmc_file *file)
{
	pmc_file_set_page(file, NULL);
	pmc_file_set_rings(file, NULL);
	pmc_context_release(file->context);
	pmc_notify_flush();
	file->context = NULL;
	file->only = NULL;
}

/* The NMI handler must be there before a counter can overflow. */
static int pmc_file_get_interrupts(struct pmc_file *file, const struct pmc_config *config,
				   const struct pmc_counter_config *entries)
{
	bool wanted = false;
	u32 i;
	int err;

	for (i = 0; i < config->nr_counters; i++)
		wanted |= entries[i].period;
	if (!wanted || file->interrupts || !pmc_apic_exists())
		return 0;
	err = pmc_pmi_get();
	file->interrupts = !err;
	return err;
}

static int pmc_configure(struct pmc_file *file, struct pmc_config *config)
{
	struct pmc_counter_config *entries;
	struct pmc_context *context;
	int err;

	if (file->context)
		return -EBADFD;
	if (!config->nr_counters)
		return -EINVAL;
	if (config->nr_counters > PMC_COUNTERS_MAX)
		return -ENOSPC;
	entries = kcalloc(config->nr_counters, sizeof(*entries), GFP_KERNEL);
	if (!entries)
		return -ENOMEM;
	err = pmc_copy_in_entries(entries, config);
	if (!err)
		err = pmc_file_get_interrupts(file, config, entries);
	if (!err) {
		context = pmc_context_configure(config, entries, &file->probes, &file->wait);
		err = PTR_ERR_OR_ZERO(context);
	}
	if (!err) {
		file->context = context;
		file->only = pmc_self_thread(context);
		pmc_file_set_page(file, context);
		pmc_file_set_rings(file, context);
	}
	kfree(entries);
	return err;
}

static noinline_for_stack int pmc_ioctl_configure(struct pmc_file *file, void __user *argument)
{
	struct pmc_config config;
	int err, copied;

	err = pmc_copy_in_sized(&config, sizeof(config), PMC_CONFIG_SIZE_MIN, argument);
	if (err)
		return err;
	config.failed_entry = PMC_ENTRY_NONE;
	config.refused_bits = 0;
	config.context = 0;
	config.failed_cpu = -1;
	memset(&config.holder, 0, sizeof(config.holder));

	err = pmc_configure(file, &config);
	copied = pmc_copy_out(argument, &config, sizeof(config));
	if (!err && copied)
		pmc_file_release(file);
	return err ? err : copied;
}

static int pmc_ioctl_start(struct pmc_file *file)
{
	return file->context ? pmc_context_start(file->context) : -EBADFD;
}

static int pmc_ioctl_stop(struct pmc_file *file)
{
	if (!file->context)
		return -EBADFD;
	pmc_context_stop(file->context);
	return 0;
}

static int pmc_ioctl_release(struct pmc_file *file)
{
	if (!file->context)
		return -EBADFD;
	pmc_file_release(file);
	return 0;
}

static int pmc_ioctl_reset(struct pmc_file *file)
{
	if (!file->context)
		return -EBADFD;
	pmc_context_set_base(file->context, NULL);
	return 0;
}

static noinline_for_stack int pmc_ioctl_write(struct pmc_file *file, void __user *argument)
{
	struct pmc_context *context = file->context;
	u64 values[PMC_COUNTERS_MAX];
	struct pmc_write request;
	int err;

	err = pmc_copy_in_sized(&request, sizeof(request), PMC_WRITE_SIZE_MIN, argument);
	if (err)
		return err;
	if (!context)
		return -EBADFD;
	if (request.flags || request.reserved || request.nr_counters != context->program->nr)
		return -EINVAL;
	if (!pmc_is_address(request.values) ||
	    copy_from_user(values, u64_to_user_ptr(request.values),
			   request.nr_counters * sizeof(values[0])))
		return -EFAULT;
	if (!pmc_perf_metrics_values_valid(context->program, values))
		return -EINVAL;
	pmc_context_set_base(context, values);
	return 0;
}

/* The fields of struct pmc_read that come in, fetched without a function call. */
static int pmc_read_request(const struct pmc_read __user *from, struct pmc_read *request)
{
	if (!user_read_access_begin(from, sizeof(*from)))
		return -EFAULT;
	unsafe_get_user(request->size, &from->size, fault);
	unsafe_get_user(request->flags, &from->flags, fault);
	unsafe_get_user(request->cpu, &from->cpu, fault);
	unsafe_get_user(request->nr_counters, &from->nr_counters, fault);
	user_read_access_end();
	return 0;
fault:
	user_read_access_end();
	return -EFAULT;
}

static int pmc_check_read(const struct pmc_context *context, struct pmc_read *request)
{
	bool one_cpu = request->flags & PMC_READ_ONE_CPU;

	if (request->size < sizeof(*request) || request->flags & ~PMC_READ_ONE_CPU ||
	    request->nr_counters)
		return -EINVAL;
	if (!context)
		return -EBADFD;
	if (!one_cpu && request->cpu != PMC_CPU_ANY)
		return -EINVAL;
	if (one_cpu && (context->scope != PMC_SCOPE_ALL_CPUS || request->cpu < 0 ||
			request->cpu >= nr_cpu_ids || !cpu_possible(request->cpu)))
		return -EINVAL;
	if (one_cpu)
		request->cpu = array_index_nospec(request->cpu, nr_cpu_ids);
	return request->size < PMC_READ_SIZE(context->program->nr) ? -ENOSPC : 0;
}

/* Written without a function call for each part: reading is to be cheap. */
static int pmc_read_answer(struct pmc_read __user *to, const struct pmc_read *request,
			   const struct pmc_context *context,
			   const struct pmc_snapshot *snapshot)
{
	u32 i, nr = context->program->nr;
	u64 overflows = 0;

	if (context->sampling)
		overflows = pmc_rings_overflows(context->sampling->rings,
						request->flags & PMC_READ_ONE_CPU ?
						request->cpu : -1);
	if (!user_write_access_begin(to, PMC_READ_SIZE(nr)))
		return -EFAULT;
	unsafe_put_user(snapshot->cpu, &to->cpu, fault);
	unsafe_put_user(nr, &to->nr_counters, fault);
	unsafe_put_user(snapshot->state, &to->state, fault);
	unsafe_put_user(0, &to->reserved, fault);
	unsafe_put_user(snapshot->tsc, &to->tsc, fault);
	unsafe_put_user(snapshot->enabled, &to->time_enabled, fault);
	unsafe_put_user(snapshot->counted, &to->time_counted, fault);
	unsafe_put_user(overflows, &to->overflows, fault);
	unsafe_put_user(0, &to->reserved2, fault);
	for (i = 0; i < nr; i++) {
		u64 value = snapshot->value[i];

		if (!(request->flags & PMC_READ_ONE_CPU))
			value += context->base[i];
		unsafe_put_user(value, &to->value[i], fault);
	}
	user_write_access_end();
	return 0;
fault:
	user_write_access_end();
	return -EFAULT;
}

static noinline_for_stack int pmc_read_any(struct pmc_context *context,
					   struct pmc_read __user *argument)
{
	struct pmc_snapshot snapshot __uninitialized; /* much longer than what is used of it */
	struct pmc_read request;
	int err;

	err = pmc_read_request(argument, &request);
	if (err)
		return err;
	err = pmc_check_read(context, &request);
	if (err)
		return err;
	pmc_snapshot_begin(&snapshot, request.cpu, context->program->nr);
	pmc_context_snapshot(context, &snapshot);
	return pmc_read_answer(argument, &request, context, &snapshot);
}

static int pmc_ioctl_statistics(struct pmc_file *file, void __user *argument)
{
	struct pmc_statistics asked, answer = {};
	int err;

	err = pmc_copy_in_sized(&asked, sizeof(asked), PMC_STATISTICS_SIZE_MIN, argument);
	if (err)
		return err;
	if (asked.flags)
		return -EINVAL;
	if (!file->context || !file->context->sampling)
		return -EBADFD;
	answer.size = asked.size;
	pmc_rings_statistics(file->context->sampling->rings, &answer);
	answer.spurious = pmc_pmi_spurious();
	return pmc_copy_out(argument, &answer, sizeof(answer));
}

static int pmc_ioctl_read(struct pmc_file *file, struct pmc_read __user *argument)
{
	int err;

	if (pmc_self_read(&file->settled, argument))
		return 0;
	/* who has it may wait for memory of its own, as long as others please */
	if (mutex_lock_killable(&file->lock))
		return -EINTR;
	err = pmc_read_any(file->context, argument);
	mutex_unlock(&file->lock);
	return err;
}

static int pmc_ioctl_context(struct pmc_file *file, unsigned int command,
			     unsigned long argument)
{
	void __user *user = (void __user *)argument;

	switch (command) {
	case PMC_IOC_CONFIGURE:
		return pmc_ioctl_configure(file, user);
	case PMC_IOC_WRITE:
		return pmc_ioctl_write(file, user);
	case PMC_IOC_STATISTICS:
		return pmc_ioctl_statistics(file, user);
	}
	if (argument)
		return -EINVAL;
	switch (command) {
	case PMC_IOC_START:
		return pmc_ioctl_start(file);
	case PMC_IOC_STOP:
		return pmc_ioctl_stop(file);
	case PMC_IOC_RESET:
		return pmc_ioctl_reset(file);
	case PMC_IOC_RELEASE:
		return pmc_ioctl_release(file);
	}
	return -ENOTTY;
}

/* Any ioctl of a context but READ. The file's lock is held. */
static noinline_for_stack int pmc_ioctl_settled(struct pmc_file *file, unsigned int command,
						unsigned long argument)
{
	int err;

	WRITE_ONCE(file->settled, NULL);
	err = pmc_ioctl_context(file, command, argument);
	/* pairs with the smp_load_acquire() in pmc_self_read() */
	smp_store_release(&file->settled, file->only);
	return err;
}

/*
 * What is done most is to cost little: START and STOP of the caller's own counts.
 * Who reads without a lock is the same thread, so these change nothing meanwhile.
 */
static int pmc_ioctl_locked(struct pmc_file *file, unsigned int command, unsigned long argument)
{
	struct pmc_thread *only;
	int err = 0;

	mutex_lock(&file->lock);
	only = file->only;
	if (argument || !pmc_self_is_current(only))
		err = pmc_ioctl_settled(file, command, argument);
	else if (command == PMC_IOC_START)
		err = pmc_self_start(only);
	else if (command == PMC_IOC_STOP)
		pmc_self_stop(only);
	else
		err = pmc_ioctl_settled(file, command, argument);
	mutex_unlock(&file->lock);
	pmc_notify_flush();
	return err;
}

static bool pmc_is_context_ioctl(unsigned int command)
{
	return command >= PMC_IOC_CONFIGURE && command <= PMC_IOC_STATISTICS;
}

static long pmc_ioctl(struct file *filp, unsigned int command, unsigned long argument)
{
	struct pmc_file *file = filp->private_data;
	void __user *user = (void __user *)argument;

	if (command == PMC_IOC_READ)
		return pmc_ioctl_read(file, user);
	if (pmc_is_context_ioctl(command))
		return pmc_ioctl_locked(file, command, argument);
	switch (command) {
	case PMC_IOC_QUERY:
		return pmc_ioctl_query(user);
	case PMC_IOC_COUNTER:
		return pmc_ioctl_counter(user);
	case PMC_IOC_TSC:
		return pmc_ioctl_tsc(user);
	}
	return -ENOTTY;
}

static int pmc_open(struct inode *inode, struct file *filp)
{
	struct pmc_file *file = kzalloc(sizeof(*file), GFP_KERNEL_ACCOUNT);

	if (!file)
		return -ENOMEM;
	mutex_init(&file->lock);
	spin_lock_init(&file->page_lock);
	init_waitqueue_head(&file->wait);
	filp->private_data = file;
	return nonseekable_open(inode, filp);
}

/*
 * The page belongs to the context, which lives as long as it is configured; a
 * mapping may live longer. So a fault takes a reference to the page, and gives
 * it only to the address space that asked: to others (a child's) nothing.
 */
static vm_fault_t pmc_page_fault(struct vm_fault *fault)
{
	struct pmc_file *file = fault->vma->vm_file->private_data;
	struct page *page = pmc_blank_page;

	if (fault->pgoff)
		return VM_FAULT_SIGBUS;
	spin_lock(&file->page_lock);
	if (file->page && file->mm == fault->vma->vm_mm)
		page = file->page;
	get_page(page);
	spin_unlock(&file->page_lock);
	fault->page = page;
	return 0;
}

static const struct vm_operations_struct pmc_page_operations = {
	.fault = pmc_page_fault,
};

static int pmc_mmap_ring(struct pmc_file *file, struct vm_area_struct *vma)
{
	struct pmc_rings *rings = pmc_file_rings(file);
	int err;

	if (!rings)
		return -EINVAL;
	err = pmc_rings_mmap(rings, vma);
	pmc_rings_put(rings);
	return err;
}

static int pmc_device_mmap(struct file *filp, struct vm_area_struct *vma)
{
	struct pmc_file *file = filp->private_data;
	bool readable;

	if (vma->vm_pgoff)
		return pmc_mmap_ring(file, vma);
	if (vma->vm_flags & VM_WRITE)
		return -EACCES;
	if (vma->vm_end - vma->vm_start != PAGE_SIZE ||
	    !(vma->vm_flags & VM_MAYSHARE))
		return -EINVAL;
	spin_lock(&file->page_lock);
	readable = file->page && file->mm == vma->vm_mm;
	spin_unlock(&file->page_lock);
	if (!readable)
		return -EINVAL;
	pmc_vm_flags_clear(vma, VM_MAYWRITE);
	pmc_vm_flags_set(vma, VM_DONTEXPAND | VM_DONTDUMP);
	vma->vm_ops = &pmc_page_operations;
	return 0;
}

static __poll_t pmc_poll(struct file *filp, struct poll_table_struct *table)
{
	struct pmc_file *file = filp->private_data;
	struct pmc_rings *rings;
	__poll_t events;

	/* before the look: who is woken later looks again */
	poll_wait(filp, &file->wait, table);
	rings = pmc_file_rings(file);
	if (!rings)
		return EPOLLERR;
	events = pmc_rings_poll(rings);
	pmc_rings_put(rings);
	return events;
}

static ssize_t pmc_read(struct file *filp, char __user *to, size_t size, loff_t *position)
{
	struct pmc_rings *rings = pmc_file_rings(filp->private_data);
	ssize_t done;

	if (!rings)
		return -EBADFD;
	done = pmc_rings_read(rings, to, size, !(filp->f_flags & O_NONBLOCK));
	pmc_rings_put(rings);
	return done;
}

static int pmc_close(struct inode *inode, struct file *filp)
{
	struct pmc_file *file = filp->private_data;

	if (file->context)
		pmc_file_release(file);
	pmc_tracepoints_put(file->probes);
	if (file->interrupts)
		pmc_pmi_put();
	mutex_destroy(&file->lock);
	kfree(file);
	return 0;
}

static const struct file_operations pmc_file_operations = {
	.owner = THIS_MODULE,
	.open = pmc_open,
	.release = pmc_close,
	.unlocked_ioctl = pmc_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.mmap = pmc_device_mmap,
	.read = pmc_read,
	.poll = pmc_poll,
};

static struct miscdevice pmc_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "pmc",
	.fops = &pmc_file_operations,
	.mode = 0600,
	.groups = pmc_rdpmc_groups,
};

/**
 * pmc_device_init - make /dev/pmc appear
 *
 * Return: 0 or a negative errno.
 */
int pmc_device_init(void)
{
	struct pmc_page *blank = (struct pmc_page *)get_zeroed_page(GFP_KERNEL);
	int err;

	if (!blank)
		return -ENOMEM;
	blank->sequence = PMC_PAGE_NOT_NOW;
	pmc_blank_page = virt_to_page(blank);
	err = misc_register(&pmc_device);
	if (err)
		put_page(pmc_blank_page);
	return err;
}

/**
 * pmc_device_exit - make it go; no file is open any more
 */
void pmc_device_exit(void)
{
	misc_deregister(&pmc_device);
	put_page(pmc_blank_page);
}
