/* SPDX-License-Identifier: GPL-2.0-only */
/* Query the driver and receive its events over generic netlink, with libnl */
#ifndef PMCCTL_NETLINK_H
#define PMCCTL_NETLINK_H

#include <stdbool.h>
#include <stdint.h>

#include <pmcdrv/pmcdrv-netlink.h>

/* Number of the last attribute plus 1 */
#define NETLINK_ATTRIBUTES	(0 PMC_NETLINK_ATTRIBUTES(NETLINK_COUNT) + 1)
#define NETLINK_COUNT(...)	+ 1

/*
 * A message of the driver, or the contents of a nested attribute
 * @command: &enum pmc_netlink_command; 0 for a nested attribute
 * @attribute: the checked attributes; NULL if the message does not have the attribute
 * @begin, @length: the bytes of all attributes, for message_nested()
 */
struct nlattr;
struct netlink_message {
	uint8_t command;
	struct nlattr *attribute[NETLINK_ATTRIBUTES];
	const struct nlattr *begin;
	int length;
};

/* Called for each message */
typedef void (*netlink_handler)(const struct netlink_message *message, void *data);

struct netlink;

/* Find the driver. Return: NULL after a message. */
struct netlink *netlink_open(void);
void netlink_close(struct netlink *netlink);

/* Query all CPUs or contexts. Return: 0, or EXIT_TROUBLE after a message. */
int netlink_dump(struct netlink *netlink, enum pmc_netlink_command command,
		 netlink_handler handler, void *data);

/* Join groups, a mask of their numbers. No query is possible afterwards. Return: the same. */
int netlink_subscribe(struct netlink *netlink, uint32_t group_mask);

/* Result of netlink_receive() */
enum netlink_state {
	NETLINK_CONTINUE,
	NETLINK_OVERRUN,		/* the kernel dropped events: the buffer was full */
	NETLINK_UNLOADED,		/* the driver was unloaded */
	NETLINK_FAILED,		/* after a message */
};

/* Handle the events that have arrived, without waiting. */
enum netlink_state netlink_receive(struct netlink *netlink, netlink_handler handler, void *data);

/* The file descriptor to poll for events */
int netlink_fd(const struct netlink *netlink);

/* The value of a number, 0 if the message doesn't have it. */
uint64_t message_number(const struct netlink_message *message,
			enum pmc_netlink_attribute attribute);

/* The value of a text, "" if the message doesn't have it. */
const char *message_text(const struct netlink_message *message,
			 enum pmc_netlink_attribute attribute);

static inline bool message_has(const struct netlink_message *message,
			       enum pmc_netlink_attribute attribute)
{
	return message->attribute[attribute];
}

/* Call @handler for each nested attribute of this type. */
void message_nested(const struct netlink_message *message, enum pmc_netlink_attribute attribute,
		    netlink_handler handler, void *data);

#endif /* PMCCTL_NETLINK_H */
