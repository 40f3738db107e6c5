// SPDX-License-Identifier: GPL-2.0-only
/*
 * Contexts that follow a thread from CPU to CPU
 *
 * Owns struct pmc_thread, the table that finds a thread's contexts, and three
 * probes: sched_switch, sched_process_exec and sched_process_exit. The probes
 * are registered only while some context follows a thread; without one the
 * scheduler runs as if this module were not there.
 *
 * Locks and contexts: the table is changed under pmc_claims_lock and read by
 * the probes under RCU (a probe runs with preemption off, which is an RCU
 * reader). The switch probe runs with interrupts off and the run queue's lock
 * held: it may neither wake nor sleep nor allocate. What it shares with the
 * ioctls is guarded by pmc_thread.lock.
 *
 * Nothing is lost when counting starts or stops while the thread runs
 * elsewhere: the state is changed first, then the CPU where the thread was last
 * seen is interrupted. Either the thread is still on it, and the interrupt
 * starts (or stops) the counters; or it has been switched out since, and every
 * later switch sees the new state.
 */
#include <linux/cred.h>
#include <linux/hash.h>
#include <linux/hashtable.h>
#include <linux/sched/coredump.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/tracepoint.h>
#include <trace/events/sched.h>
#include <asm/tsc.h>

#include "claim.h"
#include "compat/compat.h"
#include "context.h"
#include "pmu.h"
#include "thread.h"

#define PMC_THREADS_BITS	8

static DEFINE_HASHTABLE(pmc_threads, PMC_THREADS_BITS);

static u32 pmc_threads_hash(const struct task_struct *task)
{
	return hash_ptr(task, PMC_THREADS_BITS);
}

/* RCU readers only: a probe, or anybody with interrupts off. */
static __always_inline void pmc_call_contexts_of(void (*function)(struct pmc_context *context),
						 const struct task_struct *task)
{
	struct pmc_context *context;

	hlist_for_each_entry_rcu(context, &pmc_threads[pmc_threads_hash(task)], thread.hash) {
		if (context->thread.task == task)
			function(context);
	}
}

/*
 * The thread is on this CPU, interrupts are off: count, if that is wanted and
 * not done already.
 */
static void pmc_thread_in(struct pmc_context *context)
{
	struct pmc_pmu *pmu = this_cpu_ptr(&pmc_pmus);
	struct pmc_thread *thread = &context->thread;

	raw_spin_lock(&thread->lock);
	if (thread->state == PMC_THREAD_RUNNING && thread->cpu < 0 &&
	    pmc_pmu_fits(pmu, context->program)) {
		WRITE_ONCE(thread->cpu, smp_processor_id());
		pmc_run_start(pmu, thread->run, &pmu->thread_runs);
	}
	raw_spin_unlock(&thread->lock);
}

/* It counts on this CPU, interrupts are off and the lock is held: no longer. */
static void pmc_thread_out_locked(struct pmc_context *context)
{
	pmc_run_stop(this_cpu_ptr(&pmc_pmus), context->thread.run);
	/* pairs with the READ_ONCE() in pmc_thread_call() */
	WRITE_ONCE(context->thread.cpu, -1);
}

static void pmc_thread_out(struct pmc_context *context)
{
	raw_spin_lock(&context->thread.lock);
	pmc_thread_out_locked(context);
	raw_spin_unlock(&context->thread.lock);
}

static void pmc_probe_switch(void *data, bool preempt, struct task_struct *prev,
			     struct task_struct *next, unsigned int prev_state)
{
	struct pmc_pmu *pmu = this_cpu_ptr(&pmc_pmus);
	struct pmc_run *run, *safe;

	/* What counts a thread here counts prev: nobody else was on this CPU. */
	list_for_each_entry_safe(run, safe, &pmu->thread_runs, node)
		pmc_thread_out(run->context);
	pmc_call_contexts_of(pmc_thread_in, next);
}

/* Brings the time enabled up to date; the lock is held. */
static void pmc_thread_clock(struct pmc_context *context, u64 now)
{
	if (context->thread.state == PMC_THREAD_RUNNING) {
		context->enabled += now - context->since;
		context->since = now;
	}
}

/* The lock is held, interrupts are off. */
static void pmc_thread_set_state(struct pmc_context *context, enum pmc_thread_state state)
{
	u64 now = rdtsc();

	pmc_thread_clock(context, now);
	context->since = now;
	context->thread.state = state;
}

/* May the holder of @cred look at @task? The caller is @task, or holds its cred. */
static bool pmc_same_user(const struct cred *cred, const struct cred *task)
{
	return uid_eq(cred->uid, task->euid) && uid_eq(cred->uid, task->suid) &&
	       uid_eq(cred->uid, task->uid) && gid_eq(cred->gid, task->egid) &&
	       gid_eq(cred->gid, task->sgid) && gid_eq(cred->gid, task->gid);
}

/* current has just exec'ed: may the context still follow it? */
static bool pmc_may_follow_exec(const struct pmc_thread *thread)
{
	return thread->privileged || (pmc_same_user(thread->cred, current_cred()) &&
				      get_dumpable(current->mm) == SUID_DUMP_USER);
}

static void pmc_thread_exec(struct pmc_context *context)
{
	struct pmc_thread *thread = &context->thread;

	raw_spin_lock(&thread->lock);
	if (thread->state == PMC_THREAD_ENDED) {
		/* as it is */
	} else if (!pmc_may_follow_exec(thread)) {
		if (thread->cpu >= 0)
			pmc_thread_out_locked(context);
		pmc_thread_set_state(context, PMC_THREAD_ENDED);
	} else if (thread->state == PMC_THREAD_ARMED) {
		thread->exec_done = true;
		pmc_thread_set_state(context, PMC_THREAD_RUNNING);
	}
	raw_spin_unlock(&thread->lock);
	pmc_thread_in(context);
}

static void pmc_probe_exec(void *data, struct task_struct *task, pid_t old_pid,
			   struct linux_binprm *bprm)
{
	unsigned long flags;

	local_irq_save(flags);
	pmc_call_contexts_of(pmc_thread_exec, task);
	local_irq_restore(flags);
}

static void pmc_thread_end(struct pmc_context *context)
{
	raw_spin_lock(&context->thread.lock);
	if (context->thread.cpu >= 0)
		pmc_thread_out_locked(context);
	pmc_thread_set_state(context, PMC_THREAD_ENDED);
	raw_spin_unlock(&context->thread.lock);
}

static void pmc_probe_exit(PMC_PROCESS_EXIT_ARGS)
{
	unsigned long flags;

	/* pairs with the barrier in pmc_thread_follow() */
	smp_mb();
	local_irq_save(flags);
	pmc_call_contexts_of(pmc_thread_end, task);
	local_irq_restore(flags);
}

/*
 * The tracepoints. They are found by name because the kernel exports the
 * registering, but not the tracepoints themselves.
 */
static struct pmc_probe {
	const char *name;
	void *function;
	struct tracepoint *tracepoint;
} pmc_probes[] = {
	{ "sched_switch", pmc_probe_switch },
	{ "sched_process_exec", pmc_probe_exec },
	{ "sched_process_exit", pmc_probe_exit },
};

static u32 pmc_followed; /* contexts in the table; pmc_claims_lock */

static void __maybe_unused pmc_probe_types(void)
{
	check_trace_callback_type_sched_switch(pmc_probe_switch);
	check_trace_callback_type_sched_process_exec(pmc_probe_exec);
	check_trace_callback_type_sched_process_exit(pmc_probe_exit);
}

static void pmc_probes_unregister(size_t nr)
{
	while (nr--)
		tracepoint_probe_unregister(pmc_probes[nr].tracepoint,
					    pmc_probes[nr].function, NULL);
}

static int pmc_probes_register(void)
{
	size_t i;
	int err;

	for (i = 0; i < ARRAY_SIZE(pmc_probes); i++) {
		err = tracepoint_probe_register(pmc_probes[i].tracepoint,
						pmc_probes[i].function, NULL);
		if (err) {
			pmc_probes_unregister(i);
			return err;
		}
	}
	return 0;
}

static void pmc_probe_find(struct tracepoint *tracepoint, void *data)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(pmc_probes); i++) {
		if (!strcmp(tracepoint->name, pmc_probes[i].name))
			pmc_probes[i].tracepoint = tracepoint;
	}
}

/**
 * pmc_threads_init - find the tracepoints; at load
 *
 * Return: 0, or -EOPNOTSUPP where the kernel has none of them.
 */
int pmc_threads_init(void)
{
	size_t i;

	for_each_kernel_tracepoint(pmc_probe_find, NULL);
	for (i = 0; i < ARRAY_SIZE(pmc_probes); i++) {
		if (!pmc_probes[i].tracepoint) {
			pr_err("this kernel has no tracepoint %s\n", pmc_probes[i].name);
			return -EOPNOTSUPP;
		}
	}
	return 0;
}

/**
 * pmc_threads_exit - wait until no probe of ours can still run; at unload
 */
void pmc_threads_exit(void)
{
	tracepoint_synchronize_unregister();
}

/* The rights of ptrace's read access; security modules are not asked (not exported). */
static int pmc_may_follow(struct task_struct *task)
{
	struct mm_struct *mm;
	bool may;

	if (same_thread_group(task, current) || perfmon_capable())
		return 0;
	rcu_read_lock();
	may = pmc_same_user(current_cred(), __task_cred(task));
	rcu_read_unlock();
	/* the credentials before the dumpability: as in the kernel's ptrace check */
	smp_rmb();
	mm = get_task_mm(task);
	if (mm) {
		may = may && get_dumpable(mm) == SUID_DUMP_USER;
		mmput(mm);
	}
	return may ? 0 : -EACCES;
}

/**
 * pmc_thread_find - find the thread that a context is to follow
 * @context:	gets references to the thread and to the caller's credentials
 * @tid:	thread in the caller's pid namespace, 0 for the caller
 *
 * Return: 0, -ESRCH, -EACCES; a kernel thread has no user mode: -EOPNOTSUPP.
 */
int pmc_thread_find(struct pmc_context *context, pid_t tid)
{
	struct pmc_thread *thread = &context->thread;
	struct task_struct *task;
	int err;

	rcu_read_lock();
	task = tid ? pid_task(find_vpid(tid), PIDTYPE_PID) : current;
	if (task)
		get_task_struct(task);
	rcu_read_unlock();
	if (!task)
		return -ESRCH;

	err = task->flags & PF_KTHREAD ? -EOPNOTSUPP : pmc_may_follow(task);
	if (err) {
		put_task_struct(task);
		return err;
	}
	thread->task = task;
	thread->cred = get_current_cred();
	thread->privileged = perfmon_capable();
	thread->run->context = context;
	return 0;
}

/**
 * pmc_thread_forget - give the references back
 * @context:	no longer in the table
 */
void pmc_thread_forget(struct pmc_context *context)
{
	put_task_struct(context->thread.task);
	put_cred(context->thread.cred);
}

/**
 * pmc_thread_follow - from now on the probes see the context
 * @context:	claimed, with a thread
 *
 * Return: 0, -ESRCH (the thread ends), -ENOMEM.
 */
int pmc_thread_follow(struct pmc_context *context)
{
	struct pmc_thread *thread = &context->thread;
	int err = 0;

	mutex_lock(&pmc_claims_lock);
	if (!pmc_followed)
		err = pmc_probes_register();
	if (!err) {
		pmc_followed++;
		hlist_add_head_rcu(&thread->hash, &pmc_threads[pmc_threads_hash(thread->task)]);
	}
	mutex_unlock(&pmc_claims_lock);
	if (err)
		return err;

	/*
	 * A thread sets PF_EXITING before its exit probe looks into the table:
	 * with a barrier on both sides either the probe sees the context, or
	 * the flag is seen here.
	 */
	smp_mb();
	if (READ_ONCE(thread->task->flags) & PF_EXITING) {
		pmc_thread_unfollow(context);
		return -ESRCH;
	}
	return 0;
}

/**
 * pmc_thread_unfollow - no probe that begins later sees the context
 * @context:	stopped
 *
 * A probe that runs now may still see it: it is to be freed by RCU.
 */
void pmc_thread_unfollow(struct pmc_context *context)
{
	mutex_lock(&pmc_claims_lock);
	hlist_del_rcu(&context->thread.hash);
	if (!--pmc_followed)
		pmc_probes_unregister(ARRAY_SIZE(pmc_probes));
	mutex_unlock(&pmc_claims_lock);
}

static void pmc_thread_start_here(void *data)
{
	struct pmc_context *context = data;

	if (current == context->thread.task)
		pmc_thread_in(context);
}

/**
 * pmc_thread_start - count from now on, or from the next exec
 * @context:	configured
 *
 * Return: 0, -ESRCH (the thread has ended).
 */
int pmc_thread_start(struct pmc_context *context)
{
	struct pmc_thread *thread = &context->thread;
	unsigned long flags;
	int err = 0;

	raw_spin_lock_irqsave(&thread->lock, flags);
	if (thread->state == PMC_THREAD_ENDED)
		err = -ESRCH;
	else if (thread->state == PMC_THREAD_STOPPED)
		pmc_thread_set_state(context, thread->on_exec && !thread->exec_done ?
				     PMC_THREAD_ARMED : PMC_THREAD_RUNNING);
	raw_spin_unlock_irqrestore(&thread->lock, flags);
	if (err)
		return err;
	/* If that CPU goes offline the thread leaves it, by a switch. */
	pmc_call_on_cpu(task_cpu(thread->task), pmc_thread_start_here, context);
	return 0;
}

struct pmc_thread_request {
	struct pmc_context *context;
	void (*function)(struct pmc_context *context, struct pmc_snapshot *snapshot);
	struct pmc_snapshot *snapshot;
	bool done;
};

static void pmc_thread_call_here(void *data)
{
	struct pmc_thread_request *request = data;
	struct pmc_thread *thread = &request->context->thread;

	raw_spin_lock(&thread->lock);
	if (thread->cpu == smp_processor_id()) {
		request->function(request->context, request->snapshot);
		request->done = true;
	}
	raw_spin_unlock(&thread->lock);
}

/*
 * Call the request's function, with the lock held, on the CPU where the context
 * counts, or right here if it counts nowhere.
 */
static void pmc_thread_call(struct pmc_thread_request *request)
{
	struct pmc_thread *thread = &request->context->thread;
	unsigned long flags;

	while (!request->done) {
		/* pairs with the WRITE_ONCE()s of those who count */
		int cpu = READ_ONCE(thread->cpu);

		if (cpu >= 0) {
			pmc_call_on_cpu(cpu, pmc_thread_call_here, request);
			continue;
		}
		raw_spin_lock_irqsave(&thread->lock, flags);
		if (thread->cpu < 0) {
			request->function(request->context, request->snapshot);
			request->done = true;
		}
		raw_spin_unlock_irqrestore(&thread->lock, flags);
	}
}

/* The state comes first, so that no switch starts it again. */
static void pmc_thread_stop_locked(struct pmc_context *context,
				   struct pmc_snapshot *unused)
{
	if (context->thread.state != PMC_THREAD_ENDED)
		pmc_thread_set_state(context, PMC_THREAD_STOPPED);
	if (context->thread.cpu >= 0)
		pmc_thread_out_locked(context);
}

/**
 * pmc_thread_stop - stop counting; the counts stay
 * @context:	configured
 */
void pmc_thread_stop(struct pmc_context *context)
{
	struct pmc_thread_request request = {
		.context = context,
		.function = pmc_thread_stop_locked,
	};

	pmc_thread_call(&request);
}

/* The lock is held; it counts nowhere, or here. */
static void pmc_thread_collect(struct pmc_context *context, struct pmc_snapshot *snapshot)
{
	static const u32 states[] = {
		[PMC_THREAD_ARMED] = PMC_STATE_ARMED,
		[PMC_THREAD_RUNNING] = PMC_STATE_RUNNING,
		[PMC_THREAD_ENDED] = PMC_STATE_ENDED,
	};
	struct pmc_thread *thread = &context->thread;

	pmc_run_collect(thread->run, snapshot);
	snapshot->cpu = thread->cpu;
	snapshot->state = states[thread->state];
	snapshot->tsc = rdtsc();
	pmc_thread_clock(context, snapshot->tsc);
	snapshot->enabled = context->enabled;
	if (snapshot->clear_times)
		context->enabled = 0;
}

/**
 * pmc_thread_snapshot - all counts of a thread context at one moment
 * @context:	configured
 * @snapshot:	see pmc_context_snapshot()
 */
void pmc_thread_snapshot(struct pmc_context *context, struct pmc_snapshot *snapshot)
{
	struct pmc_thread_request request = {
		.context = context,
		.function = pmc_thread_collect,
		.snapshot = snapshot,
	};

	pmc_thread_call(&request);
}

/**
 * pmc_threads_cpu_offline - this CPU goes offline: no thread counts here
 *
 * Interrupts are off. The threads have been moved away by now; this is for one
 * that was on the CPU when its hotplug thread took over.
 */
void pmc_threads_cpu_offline(void)
{
	struct pmc_pmu *pmu = this_cpu_ptr(&pmc_pmus);
	struct pmc_run *run, *safe;

	list_for_each_entry_safe(run, safe, &pmu->thread_runs, node)
		pmc_thread_out(run->context);
}
