// SPDX-License-Identifier: GPL-2.0-only
/*
 * Telling those who listen over netlink what happens
 *
 * Owns the queue of notices. What happens is noted wherever it happens, also in
 * NMI context or under the scheduler's locks: a notice is a slot of an array that
 * was allocated at load, reserved by one compare-and-exchange. Messages are made
 * of the notices, in their order, later: by the ioctl that caused them before it
 * returns (pmc_notify_flush()), or by a worker, to which an irq_work sets a timer.
 * The worker waits, because it takes the CPU from whom it tells of, and a counter
 * that is throttled is sampled again at each switch.
 *
 * A slot belongs to who reserved it until it is ready, and then to who holds
 * pmc_notices_lock until it is free again. Who reserves one has interrupts off
 * till it is ready. pmc_notices_lock is taken in task context, inside all other
 * locks of the module; nothing of ours is taken inside it.
 *
 * While nobody listens to a group nothing of it is noted. Each group's events are
 * numbered when they are sent; those that found no room, neither here nor in
 * memory, are numbered too, so that the listeners see how many they miss.
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

#define PMC_NOTICES	256 /* a power of two */

/* Milliseconds that the worker waits for more */
#define PMC_NOTICES_DELAY	10

/* Bytes of attributes that no event exceeds */
#define PMC_EVENT_SIZE	256

/**
 * struct pmc_notice - something that happened
 * @ready:	complete, and not sent yet
 * @event:	what: &enum pmc_netlink_command
 * @tsc:	when
 * @time:	when, nanoseconds since 1970
 * @identity:	of the context, if it is about one
 * @cpu:	the CPU where it happened, or that it is about
 * @value:	the counter, the CPU's status, or the new setting
 * @before:	the setting before
 * @overflows:	not sampled meanwhile
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

static DEFINE_MUTEX(pmc_notices_lock); /* what is sent, the groups' numbers, ready slots */

/* What is reserved is from sent to reserved, modulo 2^32. */
static struct pmc_notice *pmc_notices;
atomic_t pmc_notices_reserved;
u32 pmc_notices_sent;

static const struct genl_family *pmc_notify_family;
static bool pmc_notify_on; /* else nothing is noted */

static DEFINE_RAW_SPINLOCK(pmc_notify_listener_lock); /* changes of pmc_notify_listening */
bool pmc_notify_listening;

/**
 * struct pmc_notify_group - what became of the events of a multicast group
 * @sequence:	number of the last one
 * @unsent:	of those numbered, how many could not be sent
 * @dropped_seen: of @dropped, how many are numbered
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

/* hard: with PREEMPT_RT it would wait for a thread, which takes the CPU */
static struct irq_work pmc_notices_irq_work = IRQ_WORK_INIT_HARD(pmc_notices_wake);

/* ---- noting ---- */

static struct pmc_notice *pmc_notice_reserve(atomic_t *dropped)
{
	int position = atomic_read(&pmc_notices_reserved);

	do {
		/*
		 * its slot has been sent: pairs with the release in pmc_notices_send(). More
		 * have been sent than that if others have taken the position, too.
		 */
		if ((s32)(position - smp_load_acquire(&pmc_notices_sent)) >= PMC_NOTICES) {
			atomic_inc(dropped);
			return NULL;
		}
	} while (!atomic_try_cmpxchg(&pmc_notices_reserved, &position, position + 1));
	return &pmc_notices[(u32)position % PMC_NOTICES];
}

/* A notice to be filled in; interrupts are off till pmc_notice_end(). NULL: not wanted. */
static struct pmc_notice *pmc_notice_begin(enum pmc_netlink_command event, unsigned long *flags)
{
	unsigned int group = PMC_NETLINK_EVENT_GROUP(event);
	atomic_t *dropped = &pmc_notify_groups[group].dropped;
	struct pmc_notice *notice;

	/* pairs with the release in pmc_notify_init() */
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
	/* first all of it: pairs with the acquire in pmc_notices_send() */
	smp_store_release(&notice->ready, true);
	irq_work_queue(&pmc_notices_irq_work);
	local_irq_restore(flags);
}

/**
 * pmc_notify_listener_added - find out whether somebody listens to the lives of contexts
 *
 * Not in NMI context. With the lock held, so that an answer of before somebody joined does
 * not take the place of one of afterwards.
 */
void pmc_notify_listener_added(void)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&pmc_notify_listener_lock, flags);
	/* pairs with the release in pmc_notify_init() */
	WRITE_ONCE(pmc_notify_listening, smp_load_acquire(&pmc_notify_on) &&
		   genl_has_listeners(pmc_notify_family, &init_net, PMC_NETLINK_GROUP_CONTEXT));
	raw_spin_unlock_irqrestore(&pmc_notify_listener_lock, flags);
}

/**
 * pmc_notify_context - something happened in a context's life
 * @identity:	of the context
 * @event:	of the group CONTEXT
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
 * pmc_notify_watermark - a CPU's sample ring reached its watermark
 * @identity:	of its context
 * @cpu:	whose ring
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
 * pmc_notify_throttle - a counter is sampled no longer on this CPU, or again
 * @identity:	of its context
 * @record:	PMC_RECORD_THROTTLE or PMC_RECORD_UNTHROTTLE
 * @counter:	its number
 * @overflows:	UNTHROTTLED: those not sampled meanwhile
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
 * pmc_notify_cpu - a CPU came or goes
 * @cpu:	its number
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
 * pmc_notify_pce - the attribute pce was changed
 * @setting:	what it is now
 * @before:	what it was
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
 * pmc_notify_put_identity - add to a message what a context is
 * @skb:	the message
 * @identity:	of the context
 * @uid:	who configured it, as the reader sees it
 * @pid:	the process that did, likewise
 * @tid:	whom it follows, likewise
 *
 * Return: 0, -EMSGSIZE.
 */
int pmc_notify_put_identity(struct sk_buff *skb, const struct pmc_identity *identity,
			    uid_t uid, pid_t pid, pid_t tid)
{
	if (pmc_put_u64(skb, PMC_NETLINK_A_CONTEXT, identity->id) ||
	    nla_put_u32(skb, PMC_NETLINK_A_UID, uid) ||
	    nla_put_u32(skb, PMC_NETLINK_A_PID, pid) ||
	    nla_put_string(skb, PMC_NETLINK_A_COMM, identity->comm) ||
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

/* What a notice is about; pmc_notice_put() tells the rest. */
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

/* Those that found no slot come in between by their number alone. */
static u64 pmc_notice_number(const struct pmc_notice *notice, struct pmc_notify_group *group)
{
	s32 dropped = notice->dropped - group->dropped_seen;

	/* not less: two CPUs may have looked in the other order */
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
	/* that a listener has no room is for the listener to see */
	genlmsg_multicast(pmc_notify_family, skb, 0, number, GFP_KERNEL);
}

static void pmc_notices_send(void)
{
	u32 end = atomic_read(&pmc_notices_reserved);

	while (pmc_notices_sent != end) {
		struct pmc_notice *notice = &pmc_notices[pmc_notices_sent % PMC_NOTICES];

		/*
		 * All of it: pairs with pmc_notice_end(). Who is still at it has
		 * interrupts off.
		 */
		smp_cond_load_acquire(&notice->ready, VAL);
		pmc_notice_send(notice);
		notice->ready = false;
		/* the slot is free: pairs with pmc_notice_reserve() */
		smp_store_release(&pmc_notices_sent, pmc_notices_sent + 1);
	}
}

/**
 * pmc_notify_send - send what has been noted
 */
void pmc_notify_send(void)
{
	mutex_lock(&pmc_notices_lock);
	pmc_notices_send();
	mutex_unlock(&pmc_notices_lock);
}

/**
 * pmc_notify_statistics - what became of a group's events
 * @group:	its number
 * @answer:	filled in
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
 * pmc_notify_init - from now on, note what happens
 * @family:	registered
 *
 * Return: 0, -ENOMEM.
 */
int pmc_notify_init(const struct genl_family *family)
{
	pmc_notices = kcalloc(PMC_NOTICES, sizeof(*pmc_notices), GFP_KERNEL);
	if (!pmc_notices)
		return -ENOMEM;
	pmc_notify_family = family;
	/* pairs with the acquire in pmc_notice_begin() */
	smp_store_release(&pmc_notify_on, true);
	return 0;
}

/**
 * pmc_notify_exit - note nothing any more, send what was
 *
 * No file is open, the attribute pce is gone: only CPUs can still come and go.
 */
void pmc_notify_exit(void)
{
	WRITE_ONCE(pmc_notify_on, false);
	/* no hotplug callback that had seen it on is under way */
	cpus_read_lock();
	cpus_read_unlock();
	irq_work_sync(&pmc_notices_irq_work);
	flush_delayed_work(&pmc_notices_work);
	kfree(pmc_notices);
}
