// SPDX-License-Identifier: GPL-2.0-only
/*
 * Mmap records: the mappings that samples lie in
 *
 * A user-mode sample in a mapping without a record makes the NMI handler raise an irq_work. It
 * interrupts the same thread, still in user mode, and queues task work for it. The task work
 * looks the mapping up and writes the record before the thread returns to user mode: the
 * record follows the sample, and describes the mapping that was sampled.
 *
 * Requests are preallocated in the ring of the sampling CPU, because an interrupt cannot
 * allocate. A request has room for a few addresses. If it is full, the task work follows the call
 * chain once more: the user registers are still those of the sample, unless the thread entered a
 * system call before the interrupt.
 *
 * The task work copies its request and frees it first of all. So a request stays in use only while
 * its thread is preempted at the end of that interrupt, or if the thread entered a system call
 * before the interrupt. While in use it holds a reference to the rings.
 *
 * Nothing waits for the task work, which can take unbounded time: another thread may hold the
 * mmap lock during a page fault on a file of a FUSE server that does not answer. The task work
 * therefore holds no reference to the context. It holds a module reference, the program's
 * number and the pid namespace, and looks the sampler up when it has a record to write. After
 * a release or another CONFIGURE it finds none; the record is then not counted as lost.
 *
 * Owns struct pmc_mmap_request. Lock: the mmap lock of the sampled thread.
 * Context: irq_work with interrupts off, then task context of the sampled thread.
 */
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/mm.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/types.h>
#include <asm/tsc.h>

#include "base/task_work.h"
#include "compat/compat.h"
#include "pmu/family.h"
#include "pmu/pmu.h"
#include "pmu/run_types.h"
#include "sampling/callchain.h"
#include "sampling/mmap.h"
#include "sampling/mmap_request.h"
#include "sampling/ring.h"
#include "sampling/sample_config.h"
#include "sampling/sampler.h"
#include "sampling/sampler_types.h"
#include "sampling/throttle.h"
#include "sampling/user_regs.h"

/* Bytes of the longest path in a record, with its final zero */
#define PMC_MAP_PATH_MAX	1024

/**
 * struct pmc_mmap_lookup - what the task work of a request looks up; too large for the stack
 * @nr:		number of elements in @address
 * @address:	user addresses, 0 if no record is needed any more
 * @buffer:	for d_path()
 * @map:	the record, followed by its path
 */
struct pmc_mmap_lookup {
	u32 nr;
	u64 address[PMC_SAMPLER_MAPS + PMC_FRAMES_MAX];
	char buffer[PMC_MAP_PATH_MAX];
	struct pmc_mmap map;
};

/* The sampler of the request's context on this CPU, or NULL. Interrupts are off. */
static struct pmc_sampler *pmc_mmap_sampler(const struct pmc_mmap_request *request)
{
	struct pmc_sampler *sampler;

	list_for_each_entry(sampler, &this_cpu_ptr(&pmc_pmus)->pmi.samplers, node) {
		if (READ_ONCE(sampler->run->program->number) == request->number)
			return sampler;
	}
	return NULL;
}

static void pmc_mmap_fill(struct pmc_mmap *map, const struct vm_area_struct *vma)
{
	map->start = vma->vm_start;
	map->end = vma->vm_end;
	map->offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
	if (vma->vm_file) {
		const struct inode *inode = pmc_file_user_inode(vma->vm_file);

		map->inode = inode->i_ino;
		map->device_major = MAJOR(inode->i_sb->s_dev);
		map->device_minor = MINOR(inode->i_sb->s_dev);
	}
}

/* Write the mapping's path to @to. Returns the bytes written, a multiple of 8. */
static u32 pmc_mmap_path(const struct vm_area_struct *vma, char *to, char *buffer)
{
	const char *path = NULL;
	u32 length;

	if (vma->vm_file) {
		path = d_path(pmc_file_user_path(vma->vm_file), buffer, PMC_MAP_PATH_MAX);
		if (IS_ERR(path))
			path = "[path too long]";
	} else if (vma->vm_ops && vma->vm_ops->name) {
		path = vma->vm_ops->name((struct vm_area_struct *)vma);
	}
	if (!path)
		path = "[anonymous]";
	length = round_up(strlen(path) + 1, sizeof(u64));
	memset(to, 0, length);
	memcpy(to, path, strlen(path) + 1);
	return length;
}

static void pmc_mmap_remember(struct pmc_sampler *sampler, const struct pmc_mmap *map)
{
	u32 i;

	/* the sampler may have sampled another address space since */
	if (!pmc_mmaps_are_current(sampler))
		return;
	i = sampler->map_next++ % PMC_SAMPLER_MAPS;
	sampler->maps[i].start = map->start;
	sampler->maps[i].end = map->end;
}

/* Write the record into the ring of the CPU that current runs on. NULL: it is lost. */
static void pmc_mmap_write(const struct pmc_mmap_request *request, const struct pmc_mmap *map)
{
	struct pmc_cpu_ring *ring;
	struct pmc_sampler *sampler;
	unsigned long flags;
	void *record;

	local_irq_save(flags);
	sampler = pmc_mmap_sampler(request);
	if (!sampler)
		goto restore;
	pmc_run_lock(this_cpu_ptr(&pmc_pmus), sampler->run);
	ring = sampler->ring;
	record = map ? pmc_ring_reserve(ring, map->record.size) : NULL;
	if (record) {
		memcpy(record, map, map->record.size);
		pmc_ring_commit(ring, map->record.size);
		pmc_mmap_remember(sampler, map);
	} else {
		pmc_ring_drop_mmap(ring);
	}
	pmc_run_unlock(this_cpu_ptr(&pmc_pmus), sampler->run);
restore:
	local_irq_restore(flags);
}

/* Has a record of the mapping been written since the request? */
static bool pmc_mmap_is_reported(const struct pmc_mmap_request *request, unsigned long address)
{
	const struct pmc_sampler *sampler;
	unsigned long flags;
	bool reported;

	local_irq_save(flags);
	sampler = pmc_mmap_sampler(request);
	reported = !sampler ||
		   (pmc_mmaps_are_current(sampler) && pmc_mmap_is_known(sampler, address));
	local_irq_restore(flags);
	return reported;
}

/* The call chain of current in user mode. Returns the number of frames. */
static u32 pmc_mmap_callers(u64 *frames, u32 max)
{
	struct pmc_user_regs user;
	unsigned long flags;
	u32 nr;

	local_irq_save(flags);
	pmc_user_regs_find(&user, current, NULL);
	nr = pmc_callchain_user(&user, frames, max);
	local_irq_restore(flags);
	return nr;
}

/*
 * If the request is full, other frames of the call chain may lie in further mappings. The stack is
 * read before the first lookup, which may sleep while another thread changes the stack.
 */
static void pmc_mmap_collect(struct pmc_mmap_lookup *lookup, const struct pmc_mmap_request *request)
{
	u32 i;

	for (i = 0; i < request->nr; i++)
		lookup->address[i] = request->address[i];
	if (i == PMC_SAMPLER_MAPS && request->frames)
		i += pmc_mmap_callers(&lookup->address[i], request->frames);
	lookup->nr = i;
}

/* No further lookup in this range: the sampler remembers too few to show what is reported. */
static void pmc_mmap_discard(struct pmc_mmap_lookup *lookup, unsigned long start, unsigned long end)
{
	u32 i;

	for (i = 0; i < lookup->nr; i++) {
		if (lookup->address[i] - start < end - start)
			lookup->address[i] = 0;
	}
}

static void pmc_mmap_report(const struct pmc_mmap_request *request, unsigned long address,
			    struct pid_namespace *ns, struct pmc_mmap_lookup *lookup)
{
	struct pmc_mmap *map = &lookup->map;
	struct vm_area_struct *vma;

	if (pmc_mmap_is_reported(request, address))
		return;
	memset(map, 0, sizeof(*map));
	map->pid = task_tgid_nr_ns(current, ns);
	map->tid = task_pid_nr_ns(current, ns);
	/* the lock may be held for unbounded time: stay killable */
	if (mmap_read_lock_killable(current->mm))
		return;
	vma = find_vma(current->mm, address);
	if (vma && vma->vm_start <= address) {
		pmc_mmap_fill(map, vma);
		map->record.size = sizeof(*map) + pmc_mmap_path(vma, map->path, lookup->buffer);
		pmc_mmap_discard(lookup, vma->vm_start, vma->vm_end);
	} else {
		pmc_mmap_discard(lookup, address, vma ? vma->vm_start : ULONG_MAX);
	}
	mmap_read_unlock(current->mm);
	map->tsc = rdtsc();
	map->record.type = PMC_RECORD_MMAP;
	if (map->record.size)
		pmc_mmap_write(request, map);
}

static void pmc_mmap_report_all(const struct pmc_mmap_request *request, struct pid_namespace *ns)
{
	struct pmc_mmap_lookup *lookup = NULL;
	u32 i;

	/* after an exec the addresses mean other mappings */
	if (current->self_exec_id == request->exec)
		lookup = kmalloc(sizeof(*lookup) + PMC_MAP_PATH_MAX + sizeof(u64),
				 GFP_KERNEL_ACCOUNT);
	if (!lookup) {
		pmc_mmap_write(request, NULL);
		return;
	}
	pmc_mmap_collect(lookup, request);
	for (i = 0; i < lookup->nr; i++) {
		if (lookup->address[i])
			pmc_mmap_report(request, lookup->address[i], ns, lookup);
	}
	kfree(lookup);
}

/* Allocate a request of this CPU's ring, or return NULL. Interrupts are off. */
static struct pmc_mmap_request *pmc_mmap_alloc_request(struct pmc_cpu_ring *ring)
{
	u32 i;

	for (i = 0; i < PMC_MAP_REQUESTS; i++) {
		if (pmc_task_work_acquire(&ring->map_request[i].work))
			return &ring->map_request[i];
	}
	return NULL;
}

/* Task work of a request: current is about to return to user mode, or exits. */
static void pmc_mmap_work_run(struct pmc_task_work *work)
{
	struct pmc_mmap_request *queued = container_of(work, struct pmc_mmap_request, work);
	struct pmc_mmap_request request = *queued;
	struct pid_namespace *ns = get_pid_ns(request.rings->ns);
	unsigned long switches = current->nvcsw + current->nivcsw;
	u64 now = rdtsc();

	pmc_task_work_release(work);
	pmc_rings_put(request.rings);
	if (current->mm)
		pmc_mmap_report_all(&request, ns);
	put_pid_ns(ns);
	preempt_disable();
	/* after a switch the interval includes other threads' time, or another CPU's clock */
	if (current->nvcsw + current->nivcsw == switches)
		pmc_throttle_charge_local(now);
	preempt_enable();
}

/**
 * pmc_mmap_queue_work - queue task work for the requested mmap records
 * @sampler:	sampler of a run that counts on this CPU; hard interrupt context
 *
 * The irq_work interrupts the thread before its next user-mode instruction, because a CPU with
 * overflow interrupts has a local APIC and need not wait for a tick. While a run counts, its
 * file is open: taking references to the rings and the module is safe.
 */
void pmc_mmap_queue_work(struct pmc_sampler *sampler)
{
	const struct pmc_sample_config *sampling = sampler->sampling;
	struct pmc_mmap_request *request;
	u64 number = READ_ONCE(sampler->run->program->number);
	u32 nr = sampler->maps_wanted;

	sampler->maps_wanted = 0;
	/* a program that has ended has no number of its own any more */
	if (!nr || number == PMC_PROGRAM_ENDED || !current->mm ||
	    current->flags & (PF_KTHREAD | PF_EXITING))
		return;
	/* the interrupt may be late, and another thread current */
	request = pmc_mmaps_are_current(sampler) ? pmc_mmap_alloc_request(sampler->ring) : NULL;
	if (!request) {
		/* the next sample in that mapping requests it again */
		pmc_ring_drop_mmap(sampler->ring);
		return;
	}
	request->rings = sampling->rings;
	request->number = number;
	request->exec = sampler->map_exec;
	request->nr = nr;
	request->frames = sampling->flags & PMC_SAMPLE_USER_CALLCHAIN ? sampling->frames : 0;
	memcpy(request->address, sampler->map_wanted, sizeof(request->address));
	refcount_inc(&request->rings->refs);
	pmc_task_work_queue(current, &request->work, pmc_mmap_work_run);
}
