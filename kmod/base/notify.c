// SPDX-License-Identifier: GPL-2.0-only
/*
 * Netlink notifications: changes of contexts and CPUs, throttling, rings that fill up
 *
 * Owns the queue of notices. Events occur in any context, including NMIs and code under the
 * scheduler's locks. A notice is a slot of an array that is allocated at load; one
 * compare-and-exchange reserves it. Messages are built from the notices later, in order: by
 * the ioctl that caused them before it returns (pmc_notify_flush()), or by a worker that an
 * irq_work queues with a delay. The delay matters because the worker takes the CPU from the
 * thread that the event is about, and a throttled counter is sampled again at each context
 * switch.
 *
 * A notice is queued only while its multicast group has a listener. A group's events are
 * numbered when they are sent. Events that were dropped, for want of a slot or of memory,
 * are numbered too, so that a listener can compute how many it missed.
 *
 * Locks: a slot belongs to the code that reserved it, with interrupts off, until it is ready,
 * and then to the holder of pmc_notices_lock until it is sent. pmc_notices_lock is taken in
 * task context, inside all other locks of the module that may sleep; no lock of the module
 * is taken inside it. pmc_notify_listener_lock is innermost, with interrupts off.
 */
#include <linux/atomic.h>
#include <linux/cpu.h>
#include <linux/irq_work.h>
#include <linux/irqflags.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>
#include <net/genetlink.h>
#include <asm/tsc.h>

#include "base/netlink_attr.h"
#include "compat/compat.h"
#include "base/notify.h"

#define PMC_NOTICES	256 /* must be a power of two */

/* Delay of the worker, in milliseconds */
#define PMC_NOTICES_DELAY	10

/* Largest size of an event's attributes, in bytes */
#define PMC_EVENT_SIZE	256

/**
 * struct pmc_notice - an event that is to be sent
 * @ready:	complete, and not sent yet
 * @event:	&enum pmc_netlink_command
 * @tsc:	time-stamp counter at the event
 * @time:	time of the event, in nanoseconds since 1970
 * @identity:	of the context, for events of a context
 * @cpu:	the CPU where the event occurred, or that it is about
 * @value:	the counter, the CPU's status, or the new setting
 * @before:	the previous setting
 * @overflows:	overflows that were not sampled while the counter was throttled
 * @dropped:	events of its group that had found no slot by then
 */
struct pmc_notice {
	bool ready;
	u8 event;
	u64 tsc;
	u64 time;
	struct pmc_identity identity;
	u32 cpu;
	u32 value;
	u32 before;
	u64 overflows;
	u32 dropped;
};

static DEFINE_MUTEX(pmc_notices_lock); /* sending, the groups' numbers, ready slots */

/* Slots in use: positions from sent to reserved, modulo 2^32 */
static struct pmc_notice *pmc_notices;
atomic_t pmc_notices_reserved;
u32 pmc_notices_sent;

static const struct genl_family *pmc_notify_family;
static bool pmc_notify_on; /* notices are queued */

static DEFINE_RAW_SPINLOCK(pmc_notify_listener_lock); /* writes of pmc_notify_listening */
bool pmc_notify_listening;

/**
 * struct pmc_notify_group - the events of a multicast group
 * @sequence:	number of the last event
 * @unsent:	numbered events that could not be sent
 * @dropped_seen: how many of @dropped are numbered
 * @dropped:	events that found no slot
 */
static struct pmc_notify_group {
	u64 sequence;
	u64 unsent;
	u32 dropped_seen;
	atomic_t dropped;
} pmc_notify_groups[PMC_NETLINK_NR_GROUPS];

static void pmc_notices_worker(struct work_struct *unused)
{
	pmc_notify_send();
}

static DECLARE_DELAYED_WORK(pmc_notices_work, pmc_notices_worker);

static void pmc_notices_wake(struct irq_work *work)
{
	queue_delayed_work(pmc_unbound_wq, &pmc_notices_work,
			   msecs_to_jiffies(PMC_NOTICES_DELAY));
}

/* hard: otherwise a thread runs it on PREEMPT_RT, which takes the CPU */
static struct irq_work pmc_notices_irq_work = PMC_IRQ_WORK_INIT_HARD(pmc_notices_wake);

/* ---- queueing ---- */

static struct pmc_notice *pmc_notice_reserve(atomic_t *dropped)
{
	int position = atomic_read(&pmc_notices_reserved);

	do {
		/*
		 * The slot has been sent: pairs with the release in pmc_notices_send(). sent
		 * may be beyond position, if other CPUs have reserved that meanwhile.
		 */
		if ((s32)(position - smp_load_acquire(&pmc_notices_sent)) >= PMC_NOTICES) {
			atomic_inc(dropped);
			return NULL;
		}
	} while (!atomic_try_cmpxchg(&pmc_notices_reserved, &position, position + 1));
	return &pmc_notices[(u32)position % PMC_NOTICES];
}

/* Returns a notice to fill in, with interrupts off until pmc_notice_end(); or NULL. */
static struct pmc_notice *pmc_notice_begin(enum pmc_netlink_command event, unsigned long *flags)
{
	unsigned int group = PMC_NETLINK_EVENT_GROUP(event);
	atomic_t *dropped = &pmc_notify_groups[group].dropped;
	struct pmc_notice *notice;

	/* pairs with the release in pmc_notify_start() */
	if (!smp_load_acquire(&pmc_notify_on) ||
	    !genl_has_listeners(pmc_notify_family, &init_net, group))
		return NULL;
	local_irq_save(*flags);
	notice = pmc_notice_reserve(dropped);
	if (!notice) {
		local_irq_restore(*flags);
		return NULL;
	}
	notice->event = event;
	notice->dropped = atomic_read(dropped);
	notice->tsc = rdtsc();
	notice->time = ktime_get_real_fast_ns();
	return notice;
}

static void pmc_notice_end(struct pmc_notice *notice, unsigned long flags)
{
	/* after all other fields: pairs with the acquire in pmc_notices_send() */
	smp_store_release(&notice->ready, true);
	irq_work_queue(&pmc_notices_irq_work);
	local_irq_restore(flags);
}

/**
 * pmc_notify_update_listening - determine whether the group CONTEXT has listeners
 *
 * The lock orders the checks: an older result cannot overwrite a newer one.
 *
 * Context: any but NMI.
 */
void pmc_notify_update_listening(void)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&pmc_notify_listener_lock, flags);
	/* pairs with the release in pmc_notify_start() */
	WRITE_ONCE(pmc_notify_listening, smp_load_acquire(&pmc_notify_on) &&
		   genl_has_listeners(pmc_notify_family, &init_net, PMC_NETLINK_GROUP_CONTEXT));
	raw_spin_unlock_irqrestore(&pmc_notify_listener_lock, flags);
}

/**
 * pmc_notify_context - queue a change of a context's state
 * @identity:	of the context
 * @event:	an event of the group CONTEXT
 */
void pmc_notify_context(const struct pmc_identity *identity, enum pmc_netlink_command event)
{
	struct pmc_notice *notice;
	unsigned long flags;

	notice = pmc_notice_begin(event, &flags);
	if (!notice)
		return;
	notice->identity = *identity;
	pmc_notice_end(notice, flags);
}

/**
 * pmc_notify_watermark - queue that a CPU's sample ring has reached its watermark
 * @identity:	of the ring's context
 * @cpu:	the ring's CPU
 */
void pmc_notify_watermark(const struct pmc_identity *identity, u32 cpu)
{
	struct pmc_notice *notice;
	unsigned long flags;

	notice = pmc_notice_begin(PMC_NETLINK_WATERMARK, &flags);
	if (!notice)
		return;
	notice->identity = *identity;
	notice->cpu = cpu;
	pmc_notice_end(notice, flags);
}

/**
 * pmc_notify_throttle - queue that a counter's throttling on this CPU begins or ends
 * @identity:	of the counter's context
 * @record:	PMC_RECORD_THROTTLE or PMC_RECORD_UNTHROTTLE
 * @counter:	the counter's number
 * @overflows:	UNTHROTTLED: overflows that were not sampled meanwhile
 */
void pmc_notify_throttle(const struct pmc_identity *identity, enum pmc_record_type record,
			 u32 counter, u64 overflows)
{
	struct pmc_notice *notice;
	unsigned long flags;

	notice = pmc_notice_begin(record == PMC_RECORD_THROTTLE ? PMC_NETLINK_THROTTLED :
				  PMC_NETLINK_UNTHROTTLED, &flags);
	if (!notice)
		return;
	notice->identity = *identity;
	notice->cpu = smp_processor_id();
	notice->value = counter;
	notice->overflows = overflows;
	pmc_notice_end(notice, flags);
}

/**
 * pmc_notify_cpu - queue that a CPU came online or goes offline
 * @cpu:	the CPU's number
 * @event:	PMC_NETLINK_CPU_ONLINE or PMC_NETLINK_CPU_OFFLINE
 * @status:	&enum pmc_status of its counters
 */
void pmc_notify_cpu(u32 cpu, enum pmc_netlink_command event, u32 status)
{
	struct pmc_notice *notice;
	unsigned long flags;

	notice = pmc_notice_begin(event, &flags);
	if (!notice)
		return;
	notice->cpu = cpu;
	notice->value = status;
	pmc_notice_end(notice, flags);
}

/**
 * pmc_notify_pce - queue a change of the attribute pce
 * @setting:	the new value
 * @before:	the previous value
 */
void pmc_notify_pce(u32 setting, u32 before)
{
	struct pmc_notice *notice;
	unsigned long flags;

	notice = pmc_notice_begin(PMC_NETLINK_PCE_CHANGED, &flags);
	if (!notice)
		return;
	notice->value = setting;
	notice->before = before;
	pmc_notice_end(notice, flags);
}

/* ---- sending ---- */

/**
 * pmc_notify_put_identity - add a context's identity to a message
 * @skb:	the message
 * @identity:	of the context
 * @uid:	user that configured it, in the reader's user namespace
 * @pid:	process that configured it, in the reader's pid namespace; 0 if it is not in it:
 *		the reader does not learn its name either
 * @tid:	thread or process that it follows, likewise
 *
 * Return: 0, -EMSGSIZE.
 */
int pmc_notify_put_identity(struct sk_buff *skb, const struct pmc_identity *identity,
			    uid_t uid, pid_t pid, pid_t tid)
{
	if (pmc_put_u64(skb, PMC_NETLINK_A_CONTEXT, identity->id) ||
	    nla_put_u32(skb, PMC_NETLINK_A_UID, uid) ||
	    nla_put_u32(skb, PMC_NETLINK_A_PID, pid) ||
	    nla_put_string(skb, PMC_NETLINK_A_COMM, pid ? identity->comm : "") ||
	    nla_put_u32(skb, PMC_NETLINK_A_SCOPE, identity->scope) ||
	    pmc_put_u64(skb, PMC_NETLINK_A_GENERAL_COUNTERS, identity->general) ||
	    pmc_put_u64(skb, PMC_NETLINK_A_FIXED_COUNTERS, identity->fixed))
		return -EMSGSIZE;
	if (identity->scope == PMC_SCOPE_CPU)
		return nla_put_u32(skb, PMC_NETLINK_A_CPU, identity->cpu);
	if (identity->scope >= PMC_SCOPE_THREAD)
		return nla_put_u32(skb, PMC_NETLINK_A_TID, tid);
	return 0;
}

static int pmc_notice_put_identity(struct sk_buff *skb, const struct pmc_identity *identity)
{
	return pmc_notify_put_identity(skb, identity,
				       from_kuid_munged(&init_user_ns, identity->uid),
				       identity->pid, identity->tid);
}

static int pmc_notice_put_throttle(struct sk_buff *skb, const struct pmc_notice *notice)
{
	if (pmc_notice_put_identity(skb, &notice->identity) ||
	    nla_put_u32(skb, PMC_NETLINK_A_ON_CPU, notice->cpu) ||
	    nla_put_u32(skb, PMC_NETLINK_A_NUMBER, notice->value))
		return -EMSGSIZE;
	if (notice->event == PMC_NETLINK_THROTTLED)
		return 0;
	return pmc_put_u64(skb, PMC_NETLINK_A_OVERFLOWS, notice->overflows);
}

static int pmc_notice_put_watermark(struct sk_buff *skb, const struct pmc_notice *notice)
{
	return pmc_notice_put_identity(skb, &notice->identity) ||
	       nla_put_u32(skb, PMC_NETLINK_A_ON_CPU, notice->cpu) ? -EMSGSIZE : 0;
}

static int pmc_notice_put_cpu(struct sk_buff *skb, const struct pmc_notice *notice)
{
	return nla_put_u32(skb, PMC_NETLINK_A_CPU, notice->cpu) ||
	       nla_put_u32(skb, PMC_NETLINK_A_STATUS, notice->value) ? -EMSGSIZE : 0;
}

static int pmc_notice_put_pce(struct sk_buff *skb, const struct pmc_notice *notice)
{
	return nla_put_u32(skb, PMC_NETLINK_A_PCE, notice->value) ||
	       nla_put_u32(skb, PMC_NETLINK_A_PCE_BEFORE, notice->before) ? -EMSGSIZE : 0;
}

/* The attributes of the notice's event; pmc_notice_put() adds the common ones. */
static int pmc_notice_put_subject(struct sk_buff *skb, const struct pmc_notice *notice)
{
	switch (PMC_NETLINK_EVENT_GROUP(notice->event)) {
	case PMC_NETLINK_GROUP_OVERFLOW:
		return pmc_notice_put_watermark(skb, notice);
	case PMC_NETLINK_GROUP_THROTTLE:
		return pmc_notice_put_throttle(skb, notice);
	case PMC_NETLINK_GROUP_HOTPLUG:
		return pmc_notice_put_cpu(skb, notice);
	case PMC_NETLINK_GROUP_PCE:
		return pmc_notice_put_pce(skb, notice);
	}
	return pmc_notice_put_identity(skb, &notice->identity);
}

static int pmc_notice_put(struct sk_buff *skb, const struct pmc_notice *notice, u64 sequence)
{
	void *header = genlmsg_put(skb, 0, 0, pmc_notify_family, 0, notice->event);

	if (!header ||
	    pmc_put_u64(skb, PMC_NETLINK_A_SEQUENCE, sequence) ||
	    pmc_put_u64(skb, PMC_NETLINK_A_TSC, notice->tsc) ||
	    pmc_put_u64(skb, PMC_NETLINK_A_TIME, notice->time) ||
	    pmc_notice_put_subject(skb, notice))
		return -EMSGSIZE;
	genlmsg_end(skb, header);
	return 0;
}

/* Returns the notice's number, after the numbers of events that were dropped before it. */
static u64 pmc_notice_number(const struct pmc_notice *notice, struct pmc_notify_group *group)
{
	s32 dropped = notice->dropped - group->dropped_seen;

	/* it can be negative: two CPUs may have read dropped in the opposite order */
	if (dropped > 0) {
		group->sequence += dropped;
		group->unsent += dropped;
		group->dropped_seen = notice->dropped;
	}
	return ++group->sequence;
}

static void pmc_notice_send(const struct pmc_notice *notice)
{
	unsigned int number = PMC_NETLINK_EVENT_GROUP(notice->event);
	struct pmc_notify_group *group = &pmc_notify_groups[number];
	u64 sequence = pmc_notice_number(notice, group);
	struct sk_buff *skb;

	skb = genlmsg_new(PMC_EVENT_SIZE, GFP_KERNEL);
	if (!skb) {
		group->unsent++;
		return;
	}
	if (WARN_ON_ONCE(pmc_notice_put(skb, notice, sequence))) {
		group->unsent++;
		nlmsg_free(skb);
		return;
	}
	/* if a listener's buffer is full, its socket returns ENOBUFS */
	genlmsg_multicast(pmc_notify_family, skb, 0, number, GFP_KERNEL);
}

static void pmc_notices_send(void)
{
	u32 end = atomic_read(&pmc_notices_reserved);

	while (pmc_notices_sent != end) {
		struct pmc_notice *notice = &pmc_notices[pmc_notices_sent % PMC_NOTICES];

		/*
		 * The complete notice: pairs with pmc_notice_end(). The wait is short: the
		 * writer has interrupts off.
		 */
		smp_cond_load_acquire(&notice->ready, VAL);
		pmc_notice_send(notice);
		notice->ready = false;
		/* the slot is free: pairs with pmc_notice_reserve() */
		smp_store_release(&pmc_notices_sent, pmc_notices_sent + 1);
	}
}

/**
 * pmc_notify_send - send all queued notices
 *
 * Context: task context, may sleep.
 */
void pmc_notify_send(void)
{
	mutex_lock(&pmc_notices_lock);
	pmc_notices_send();
	mutex_unlock(&pmc_notices_lock);
}

/**
 * pmc_notify_statistics - read the statistics of a multicast group
 * @group:	the group's number
 * @answer:	out: the statistics
 */
void pmc_notify_statistics(unsigned int group, struct pmc_notify_group_statistics *answer)
{
	struct pmc_notify_group *from = &pmc_notify_groups[group];

	mutex_lock(&pmc_notices_lock);
	answer->sequence = from->sequence;
	answer->unsent = from->unsent +
			 (u32)(atomic_read(&from->dropped) - from->dropped_seen);
	mutex_unlock(&pmc_notices_lock);
}

/**
 * pmc_notify_init - allocate the queue
 *
 * Return: 0, -ENOMEM.
 */
int pmc_notify_init(void)
{
	pmc_notices = kcalloc(PMC_NOTICES, sizeof(*pmc_notices), GFP_KERNEL);
	return pmc_notices ? 0 : -ENOMEM;
}

/**
 * pmc_notify_start - start queueing notices
 * @family:	generic netlink family, registered
 */
void pmc_notify_start(const struct genl_family *family)
{
	pmc_notify_family = family;
	/* pairs with the acquire in pmc_notice_begin() */
	smp_store_release(&pmc_notify_on, true);
}

/**
 * pmc_notify_exit - stop queueing notices and send the queued ones
 *
 * No file is open and the attribute pce is gone: only CPU hotplug still causes events.
 */
void pmc_notify_exit(void)
{
	WRITE_ONCE(pmc_notify_on, false);
	/* wait for hotplug callbacks that read it before */
	cpus_read_lock();
	cpus_read_unlock();
	irq_work_sync(&pmc_notices_irq_work);
	flush_delayed_work(&pmc_notices_work);
	kfree(pmc_notices);
}
