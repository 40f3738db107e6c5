/* SPDX-License-Identifier: GPL-2.0-only */
/* The driver over generic netlink, through libnl */
#ifndef PMCCTL_NETLINK_H
#define PMCCTL_NETLINK_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/pmcdrv-netlink.h>

/* One more than the number of the last attribute */
#define NETLINK_ATTRIBUTES	(0 PMC_NETLINK_ATTRIBUTES(NETLINK_COUNT) + 1)
#define NETLINK_COUNT(...)	+ 1

/*
 * A message of the driver, or what is inside one of its attributes
 * @command: &enum pmc_netlink_command; of the inside of an attribute 0
 * @attribute: as libnl has them, checked; NULL where the message has none
 * @begin, @length: all of them, for netlink_inside()
 */
struct nlattr;
struct netlink_message {
	uint8_t command;
	struct nlattr *attribute[NETLINK_ATTRIBUTES];
	const struct nlattr *begin;
	int length;
};

/* What is done with each message. */
typedef void (*netlink_handler)(const struct netlink_message *message, void *data);

struct netlink;

/* Find the driver. Return: NULL after a complaint. */
struct netlink *netlink_open(void);
void netlink_close(struct netlink *netlink);

/* Ask a question about all CPUs or contexts. Return: 0 or EXIT_TROUBLE after a complaint. */
int netlink_dump(struct netlink *netlink, enum pmc_netlink_command command,
		 netlink_handler handler, void *data);

/* Join groups, a mask of their numbers; nothing can be asked any more. Return: as above. */
int netlink_subscribe(struct netlink *netlink, uint32_t group_mask);

/* What netlink_events() has found out */
enum netlink_state {
	NETLINK_CONTINUE,
	NETLINK_OVERRUN,		/* the kernel says that there were more than it could keep */
	NETLINK_UNLOADED,		/* the driver was unloaded */
	NETLINK_FAILED,		/* after a complaint */
};

/* Take the events that are there, at most @max; don't wait. */
enum netlink_state netlink_receive(struct netlink *netlink, netlink_handler handler, void *data);

/* To be waited for. */
int netlink_fd(const struct netlink *netlink);

/* The value of a number, 0 if the message doesn't have it. */
uint64_t message_number(const struct netlink_message *message, enum pmc_netlink_attribute attribute);

/* The value of a text, "" if the message doesn't have it. */
const char *message_text(const struct netlink_message *message, enum pmc_netlink_attribute attribute);

static inline bool message_has(const struct netlink_message *message,
			       enum pmc_netlink_attribute attribute)
{
	return message->attribute[attribute];
}

/* The inside of each attribute of this kind, one after the other. */
void message_nested(const struct netlink_message *message, enum pmc_netlink_attribute attribute,
		    netlink_handler handler, void *data);

#endif /* PMCCTL_NETLINK_H */
