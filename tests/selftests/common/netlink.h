/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Generic netlink without a library: requests, valid or not, and replies checked against the
 * ABI's list of attributes
 */
#ifndef SELFTESTS_NETLINK_H
#define SELFTESTS_NETLINK_H

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "pmc.h"
#include "pmcdrv-netlink.h"

#define NL_ATTRIBUTES	64
#define NL_GROUPS	5
#define NL_NESTS	64
#define NL_TEXT		64

/* Small enough that a dump of many comes in several parts */
#define NL_SMALL	4096

/* A reply that takes longer is a failure. */
#define NL_PATIENCE_MS	60000

enum nl_type { NL_NONE, NL_U32, NL_U64, NL_TEXT_, NL_NEST, NL_PAD };

#define NL_TYPE_U32	NL_U32
#define NL_TYPE_U64	NL_U64
#define NL_TYPE_TEXT	NL_TEXT_
#define NL_TYPE_NEST	NL_NEST
#define NL_TYPE_PAD	NL_PAD

static const enum nl_type nl_types[NL_ATTRIBUTES] = {
#define X(name, value, type, text) [value] = NL_TYPE_##type,
	PMC_NETLINK_ATTRIBUTES(X)
#undef X
};

/**
 * struct nl - a socket
 * @fd:		its file descriptor
 * @family:	the ID of the family "pmc"
 * @group:	the IDs of its groups
 * @sequence:	of the last request
 * @said:	the kernel's text for the last error
 */
struct nl {
	int fd;
	uint16_t family;
	uint32_t group[NL_GROUPS];
	uint32_t sequence;
	char said[128];
};

/** struct nl_nest - attributes inside an attribute */
struct nl_nest {
	uint64_t has;
	uint64_t number[NL_ATTRIBUTES];
	char text[NL_TEXT];
};

/**
 * struct nl_message - a reply or an event
 * @command:	its command
 * @has:	mask of its attributes
 * @number:	of U32 and U64
 * @text:	of TEXT
 * @nest:	of NEST, in order
 */
struct nl_message {
	uint8_t command;
	uint64_t has;
	uint64_t number[NL_ATTRIBUTES];
	char text[NL_ATTRIBUTES][NL_TEXT];
	unsigned int nests;
	struct nl_nest nest[NL_NESTS];
};

/** struct nl_question - a request to be sent, valid or not */
struct nl_question {
	struct nlmsghdr nlh;
	struct genlmsghdr genl;
	char attributes[1024];
};

static inline void nl_question(struct nl_question *question, const struct nl *nl,
			       uint8_t command, uint16_t flags)
{
	memset(question, 0, sizeof(*question));
	question->nlh.nlmsg_len = NLMSG_LENGTH(GENL_HDRLEN);
	question->nlh.nlmsg_type = nl->family;
	question->nlh.nlmsg_flags = NLM_F_REQUEST | flags;
	question->genl.cmd = command;
	question->genl.version = PMC_NETLINK_VERSION;
}

static inline void nl_put(struct nl_question *question, uint16_t type, const void *data,
			  uint16_t length)
{
	char *end = (char *)question + NLMSG_ALIGN(question->nlh.nlmsg_len);
	struct nlattr header = { .nla_len = NLA_HDRLEN + length, .nla_type = type };

	memcpy(end, &header, sizeof(header));
	memcpy(end + NLA_HDRLEN, data, length);
	question->nlh.nlmsg_len = NLMSG_ALIGN(question->nlh.nlmsg_len) +
				  NLA_HDRLEN + NLA_ALIGN(length);
}

static inline void nl_put_u32(struct nl_question *question, uint16_t type, uint32_t value)
{
	nl_put(question, type, &value, sizeof(value));
}

static inline void nl_put_u64(struct nl_question *question, uint16_t type, uint64_t value)
{
	nl_put(question, type, &value, sizeof(value));
}

/* The next complete attribute between @at and @end, or NULL */
static inline const struct nlattr *nl_attribute(const char *at, const char *end)
{
	const struct nlattr *attribute = (const void *)at;

	if (end - at < NLA_HDRLEN || attribute->nla_len < NLA_HDRLEN ||
	    attribute->nla_len > end - at)
		return NULL;
	return attribute;
}

static inline int nl_parse_text(char *text, const char *data, size_t length)
{
	if (!length || length > NL_TEXT || data[length - 1] || strlen(data) != length - 1)
		return -EPROTO;
	memcpy(text, data, length);
	return 0;
}

/* A number or a text, of the length that the ABI documents */
static inline int nl_parse_attribute(const struct nlattr *attribute, uint64_t *has,
				     uint64_t *number, char *text)
{
	unsigned int type = attribute->nla_type & NLA_TYPE_MASK;
	size_t length = attribute->nla_len - NLA_HDRLEN;
	const char *data = (const char *)attribute + NLA_HDRLEN;
	uint32_t word;

	/* each at most once */
	if (*has & 1ULL << type)
		return -EPROTO;
	*has |= 1ULL << type;
	switch (nl_types[type]) {
	case NL_U32:
		memcpy(&word, data, sizeof(word));
		number[type] = word;
		return length == sizeof(word) ? 0 : -EPROTO;
	case NL_U64:
		memcpy(&number[type], data, sizeof(number[type]));
		return length == sizeof(number[type]) ? 0 : -EPROTO;
	case NL_TEXT_:
		return nl_parse_text(text, data, length);
	default:
		return -EPROTO;
	}
}

static inline int nl_parse_nest(const struct nlattr *outer, struct nl_nest *nest)
{
	const char *at = (const char *)outer + NLA_HDRLEN;
	const char *end = (const char *)outer + outer->nla_len;
	const struct nlattr *attribute;
	int err;

	memset(nest, 0, sizeof(*nest));
	for (; at < end; at += NLA_ALIGN(attribute->nla_len)) {
		attribute = nl_attribute(at, end);
		if (!attribute || (attribute->nla_type & NLA_TYPE_MASK) >= NL_ATTRIBUTES)
			return -EPROTO;
		if (nl_types[attribute->nla_type & NLA_TYPE_MASK] == NL_PAD)
			continue;
		err = nl_parse_attribute(attribute, &nest->has, nest->number, nest->text);
		if (err)
			return err;
	}
	return 0;
}

static inline int nl_parse(const struct nlmsghdr *nlh, struct nl_message *message)
{
	const struct genlmsghdr *genl = NLMSG_DATA(nlh);
	const char *at = (const char *)genl + GENL_HDRLEN;
	const char *end = (const char *)nlh + nlh->nlmsg_len;
	const struct nlattr *attribute;
	unsigned int type;
	int err;

	memset(message, 0, sizeof(*message));
	message->command = genl->cmd;
	for (; at < end; at += NLA_ALIGN(attribute->nla_len)) {
		attribute = nl_attribute(at, end);
		if (!attribute)
			return -EPROTO;
		type = attribute->nla_type & NLA_TYPE_MASK;
		if (type >= NL_ATTRIBUTES || !nl_types[type])
			return -EPROTO;
		if (nl_types[type] == NL_PAD)
			continue;
		if (nl_types[type] == NL_NEST) {
			if (message->nests == NL_NESTS)
				return -EPROTO;
			message->has |= 1ULL << type;
			err = nl_parse_nest(attribute, &message->nest[message->nests++]);
		} else {
			err = nl_parse_attribute(attribute, &message->has, message->number,
						 message->text[type]);
		}
		if (err)
			return err;
	}
	return 0;
}

/* Store the kernel's text for an error, and return the error. */
static inline int nl_error(struct nl *nl, const struct nlmsghdr *nlh)
{
	const struct nlmsgerr *error = NLMSG_DATA(nlh);
	const char *at = (const char *)(error + 1), *end = (const char *)nlh + nlh->nlmsg_len;
	const struct nlattr *attribute;

	nl->said[0] = 0;
	if (!(nlh->nlmsg_flags & NLM_F_ACK_TLVS))
		return error->error;
	if (!(nlh->nlmsg_flags & NLM_F_CAPPED))
		at += error->msg.nlmsg_len - sizeof(error->msg);
	for (; at < end; at += NLA_ALIGN(attribute->nla_len)) {
		attribute = nl_attribute(at, end);
		if (!attribute)
			break;
		if (attribute->nla_type == NLMSGERR_ATTR_MSG)
			snprintf(nl->said, sizeof(nl->said), "%s",
				 (const char *)attribute + NLA_HDRLEN);
	}
	return error->error;
}

static inline int nl_send(struct nl *nl, struct nl_question *question)
{
	question->nlh.nlmsg_seq = ++nl->sequence;
	return send(nl->fd, question, question->nlh.nlmsg_len, 0) < 0 ? -errno : 0;
}

/* Returns the number of bytes received, or -ETIMEDOUT. */
static inline int nl_receive(struct nl *nl, void *buffer, size_t size)
{
	struct pollfd pollfd = { .fd = nl->fd, .events = POLLIN };
	ssize_t length;

	if (poll(&pollfd, 1, NL_PATIENCE_MS) <= 0)
		return -ETIMEDOUT;
	length = recv(nl->fd, buffer, size, MSG_TRUNC);
	if (length < 0)
		return -errno;
	return length > size ? -EMSGSIZE : length;
}

/*
 * Wait for the replies to the last request. Returns their number (the first @max are stored),
 * or the error. @parts: the number of datagrams.
 */
static inline int nl_answers(struct nl *nl, struct nl_message *messages, int max, int *parts)
{
	static char buffer[1 << 16] __attribute__((aligned(8)));
	int nr = 0, err;

	for (;;) {
		int length = nl_receive(nl, buffer, sizeof(buffer));
		struct nlmsghdr *nlh = (void *)buffer;

		if (length < 0)
			return length;
		if (parts)
			++*parts;
		for (; NLMSG_OK(nlh, length); nlh = NLMSG_NEXT(nlh, length)) {
			if (nlh->nlmsg_seq != nl->sequence)
				return -EPROTO;
			if (nlh->nlmsg_type == NLMSG_ERROR) {
				err = nl_error(nl, nlh);
				return err ? err : nr;
			}
			if (nlh->nlmsg_type == NLMSG_DONE) {
				memcpy(&err, NLMSG_DATA(nlh), sizeof(err));
				return err ? err : nr;
			}
			if (nlh->nlmsg_type != nl->family && nl->family)
				return -EPROTO;
			if (nr < max) {
				err = nl_parse(nlh, &messages[nr]);
				if (err)
					return err;
			}
			nr++;
			if (!(nlh->nlmsg_flags & NLM_F_MULTI))
				return nr;
		}
	}
}

/* Send a request and wait. Returns the number of replies, or the error. */
static inline int nl_ask(struct nl *nl, struct nl_question *question,
			 struct nl_message *messages, int max)
{
	int err = nl_send(nl, question);

	return err ? err : nl_answers(nl, messages, max, NULL);
}

static inline int nl_get(struct nl *nl, uint8_t command, struct nl_message *message)
{
	struct nl_question question;

	nl_question(&question, nl, command, 0);
	return nl_ask(nl, &question, message, 1);
}

static inline int nl_get_cpu(struct nl *nl, uint32_t cpu, struct nl_message *message)
{
	struct nl_question question;

	nl_question(&question, nl, PMC_NETLINK_GET_CPU, 0);
	nl_put_u32(&question, PMC_NETLINK_A_CPU, cpu);
	return nl_ask(nl, &question, message, 1);
}

static inline int nl_get_context(struct nl *nl, uint64_t id, struct nl_message *message)
{
	struct nl_question question;

	nl_question(&question, nl, PMC_NETLINK_GET_CONTEXT, 0);
	nl_put_u64(&question, PMC_NETLINK_A_CONTEXT, id);
	return nl_ask(nl, &question, message, 1);
}

static inline int nl_dump(struct nl *nl, uint8_t command, struct nl_message *messages, int max)
{
	struct nl_question question;

	nl_question(&question, nl, command, NLM_F_DUMP);
	return nl_ask(nl, &question, messages, max);
}

/* Store one of the groups that the controller reports. */
static inline void nl_learn_group(struct nl *nl, const struct nlattr *outer)
{
	static const char *const names[NL_GROUPS] = {
#define X(id, name, value, text) [value] = name,
		PMC_NETLINK_GROUPS(X)
#undef X
	};
	const char *at = (const char *)outer + NLA_HDRLEN;
	const char *end = (const char *)outer + outer->nla_len;
	const struct nlattr *attribute;
	const char *name = "";
	uint32_t number = 0;
	int i;

	for (; (attribute = nl_attribute(at, end)); at += NLA_ALIGN(attribute->nla_len)) {
		if (attribute->nla_type == CTRL_ATTR_MCAST_GRP_NAME)
			name = (const char *)attribute + NLA_HDRLEN;
		if (attribute->nla_type == CTRL_ATTR_MCAST_GRP_ID)
			memcpy(&number, (const char *)attribute + NLA_HDRLEN, sizeof(number));
	}
	for (i = 0; i < NL_GROUPS; i++) {
		if (!strcmp(name, names[i]))
			nl->group[i] = number;
	}
}

static inline void nl_learn(struct nl *nl, const struct nlmsghdr *nlh)
{
	const char *at = (const char *)NLMSG_DATA(nlh) + GENL_HDRLEN;
	const char *end = (const char *)nlh + nlh->nlmsg_len;
	const struct nlattr *attribute, *group;

	for (; (attribute = nl_attribute(at, end)); at += NLA_ALIGN(attribute->nla_len)) {
		const char *inner = (const char *)attribute + NLA_HDRLEN;
		const char *inner_end = (const char *)attribute + attribute->nla_len;

		if (attribute->nla_type == CTRL_ATTR_FAMILY_ID)
			memcpy(&nl->family, inner, sizeof(nl->family));
		if ((attribute->nla_type & NLA_TYPE_MASK) != CTRL_ATTR_MCAST_GROUPS)
			continue;
		for (; (group = nl_attribute(inner, inner_end));
		     inner += NLA_ALIGN(group->nla_len))
			nl_learn_group(nl, group);
	}
}

/* Resolve the family with the controller; -ENOENT if there is none. */
static inline int nl_resolve(struct nl *nl)
{
	static char buffer[NL_SMALL] __attribute__((aligned(8)));
	const struct nlmsghdr *nlh = (void *)buffer;
	struct nl_question question;
	int length;

	nl->family = GENL_ID_CTRL;
	nl_question(&question, nl, CTRL_CMD_GETFAMILY, 0);
	question.genl.version = 1;
	nl_put(&question, CTRL_ATTR_FAMILY_NAME, PMC_NETLINK_FAMILY, sizeof(PMC_NETLINK_FAMILY));
	nl->family = 0;
	length = nl_send(nl, &question);
	if (!length)
		length = nl_receive(nl, buffer, sizeof(buffer));
	if (length < 0)
		return length;
	if (nlh->nlmsg_type == NLMSG_ERROR)
		return nl_error(nl, nlh);
	nl_learn(nl, nlh);
	return nl->family ? 0 : -EPROTO;
}

/* Open a socket and resolve the family. */
static inline int nl_open(struct nl *nl)
{
	struct sockaddr_nl address = { .nl_family = AF_NETLINK };
	int one = 1;

	memset(nl, 0, sizeof(*nl));
	nl->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	if (nl->fd < 0 || bind(nl->fd, (void *)&address, sizeof(address)) ||
	    setsockopt(nl->fd, SOL_NETLINK, NETLINK_EXT_ACK, &one, sizeof(one)))
		return -errno;
	return nl_resolve(nl);
}

/* Join a group, and wait until the driver has noticed. */
static inline int nl_join(struct nl *nl, unsigned int group)
{
	struct nl_message *answer = malloc(sizeof(*answer));
	struct nl other;
	int err;

	if (setsockopt(nl->fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &nl->group[group],
		       sizeof(nl->group[group]))) {
		free(answer);
		return -errno;
	}
	err = nl_open(&other);
	if (!err)
		err = nl_get(&other, PMC_NETLINK_GET_DRIVER, answer);
	close(other.fd);
	free(answer);
	return err < 0 ? err : 0;
}

static inline int nl_leave(struct nl *nl, unsigned int group)
{
	return setsockopt(nl->fd, SOL_NETLINK, NETLINK_DROP_MEMBERSHIP, &nl->group[group],
			  sizeof(nl->group[group])) ? -errno : 0;
}

/* The next event */
static inline int nl_event(struct nl *nl, struct nl_message *message)
{
	static char buffer[1 << 13] __attribute__((aligned(8)));
	const struct nlmsghdr *nlh = (void *)buffer;
	int length = nl_receive(nl, buffer, sizeof(buffer));

	if (length < 0)
		return length;
	if (!NLMSG_OK(nlh, length) || NLMSG_ALIGN(nlh->nlmsg_len) != length ||
	    nlh->nlmsg_type != nl->family || nlh->nlmsg_seq || nlh->nlmsg_pid)
		return -EPROTO;
	return nl_parse(nlh, message);
}

static inline bool nl_has(const struct nl_message *message, unsigned int attribute)
{
	return message->has >> attribute & 1;
}

#endif /* SELFTESTS_NETLINK_H */
