/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Netlink notifications: changes of contexts and CPUs, throttling, rings that fill up
 */
#ifndef PMC_NOTIFY_H
#define PMC_NOTIFY_H

#include <linux/atomic.h>
#include <linux/types.h>
#include <linux/uidgid.h>

#include "base/identity_types.h"
#include "uapi/pmcdrv.h"
#include "uapi/pmcdrv-netlink.h"

struct genl_family;
struct sk_buff;

/**
 * struct pmc_notify_group_statistics - events of a multicast group
 * @sequence:	number of the last event
 * @unsent:	number of events that could not be sent
 */
struct pmc_notify_group_statistics {
	u64 sequence;
	u64 unsent;
};

#ifdef CONFIG_NET

int pmc_notify_init(void);
void pmc_notify_start(const struct genl_family *family);
void pmc_notify_exit(void);
void pmc_notify_statistics(unsigned int group, struct pmc_notify_group_statistics *answer);
int pmc_notify_put_identity(struct sk_buff *skb, const struct pmc_identity *identity,
			    uid_t uid, pid_t pid, pid_t tid);

/* Any context, including NMI; no effect while the event's group has no listener. */
void pmc_notify_context(const struct pmc_identity *identity, enum pmc_netlink_command event);
void pmc_notify_watermark(const struct pmc_identity *identity, u32 cpu);
void pmc_notify_throttle(const struct pmc_identity *identity, enum pmc_record_type record,
			 u32 counter, u64 overflows);
void pmc_notify_cpu(u32 cpu, enum pmc_netlink_command event, u32 status);
void pmc_notify_pce(u32 setting, u32 before);

extern bool pmc_notify_listening;

void pmc_notify_update_listening(void);

/*
 * May the group CONTEXT have listeners? The kernel's own test costs more than starting four
 * counters, so it is made only at each netlink request and when a context is configured. A
 * listener that joins and then requests the list of contexts, which it needs to know
 * their numbers, misses no event.
 */
static __always_inline bool pmc_notify_is_listening(void)
{
	return unlikely(READ_ONCE(pmc_notify_listening));
}

extern atomic_t pmc_notices_reserved;
extern u32 pmc_notices_sent;

void pmc_notify_send(void);

/* Send all notices that were queued before, by any CPU. Task context; may sleep. */
static inline void pmc_notify_flush(void)
{
	if (unlikely(atomic_read(&pmc_notices_reserved) != READ_ONCE(pmc_notices_sent)))
		pmc_notify_send();
}

#else

static inline void pmc_notify_context(const struct pmc_identity *identity,
				      enum pmc_netlink_command event) {}
static inline void pmc_notify_watermark(const struct pmc_identity *identity, u32 cpu) {}
static inline void pmc_notify_throttle(const struct pmc_identity *identity,
				       enum pmc_record_type record,
				       u32 counter, u64 overflows) {}
static inline void pmc_notify_cpu(u32 cpu, enum pmc_netlink_command event, u32 status) {}
static inline void pmc_notify_pce(u32 setting, u32 before) {}
static inline void pmc_notify_flush(void) {}
static inline void pmc_notify_update_listening(void) {}
static inline bool pmc_notify_is_listening(void) { return false; }

#endif

#endif /* PMC_NOTIFY_H */
