// SPDX-License-Identifier: GPL-2.0-only
/* Query the driver and receive its events over generic netlink, with libnl */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/genetlink.h>
#include <netlink/errno.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/netlink.h>

#include <libpmcevents.h>

#include "util/error.h"
#include "util/netlink.h"
#include "util/xalloc.h"

/* Size of the receive buffer in bytes: events arrive while earlier ones are printed */
#define EVENT_BUFFER	(1 << 22)

/*
 * @family: the current number of the driver's netlink family
 * @handler, @data: called for each message while messages are received
 * @family_removed: the driver has removed its family
 * @malformed: a message could not be parsed
 */
struct netlink {
	struct nl_sock *socket;
	int family;
	netlink_handler handler;
	void *data;
	bool family_removed;
	bool malformed;
};

static const char *const groups[] = {
#define X(id, name, value, text) \
	[value] = name,
	PMC_NETLINK_GROUPS(X)
#undef X
};

#define POLICY_U32	{ .type = NLA_U32 }
#define POLICY_U64	{ .type = NLA_U64 }
#define POLICY_TEXT	{ .type = NLA_NUL_STRING }
#define POLICY_NEST	{ .type = NLA_NESTED }
#define POLICY_PAD	{ .type = NLA_UNSPEC }

static struct nla_policy policies[NETLINK_ATTRIBUTES] = {
#define X(name, value, type, text) \
	[value] = POLICY_##type,
	PMC_NETLINK_ATTRIBUTES(X)
#undef X
};

/* ---- messages ---- */

uint64_t message_number(const struct netlink_message *message, enum pmc_netlink_attribute attribute)
{
	const struct nlattr *found = message->attribute[attribute];

	if (!found)
		return 0;
	return policies[attribute].type == NLA_U32 ? nla_get_u32(found) : nla_get_u64(found);
}

const char *message_text(const struct netlink_message *message,
			 enum pmc_netlink_attribute attribute)
{
	const struct nlattr *found = message->attribute[attribute];

	return found ? nla_get_string(found) : "";
}

static bool parse(struct netlink_message *message, const struct nlattr *begin, int length)
{
	message->begin = begin;
	message->length = length;
	return !nla_parse(message->attribute, NETLINK_ATTRIBUTES - 1, (struct nlattr *)begin,
			  length, policies);
}

void message_nested(const struct netlink_message *message, enum pmc_netlink_attribute attribute,
		    netlink_handler handler, void *data)
{
	const struct nlattr *at = message->begin;
	struct netlink_message inside = { 0 };
	int left = message->length;

	for (; nla_ok(at, left); at = nla_next(at, &left))
		if (nla_type(at) == (int)attribute &&
		    parse(&inside, nla_data(at), nla_len(at)))
			handler(&inside, data);
}

/* ---- the socket ---- */

/* Does a message of the netlink controller report the removal of the driver's family? */
static bool is_family_removed(const struct netlink *netlink, struct nlmsghdr *header)
{
	struct nlattr *attribute[CTRL_ATTR_MAX + 1];

	return header->nlmsg_type == GENL_ID_CTRL &&
	       genlmsg_valid_hdr(header, 0) &&
	       genlmsg_hdr(header)->cmd == CTRL_CMD_DELFAMILY &&
	       !genlmsg_parse(header, 0, attribute, CTRL_ATTR_MAX, NULL) &&
	       attribute[CTRL_ATTR_FAMILY_ID] &&
	       nla_len(attribute[CTRL_ATTR_FAMILY_ID]) >= (int)sizeof(uint16_t) &&
	       nla_get_u16(attribute[CTRL_ATTR_FAMILY_ID]) == netlink->family;
}

static int handle_message(struct nl_msg *nl_msg, void *data)
{
	struct nlmsghdr *header = nlmsg_hdr(nl_msg);
	struct netlink_message message = { 0 };
	struct netlink *netlink = data;

	/* any process may send a message: accept only those of the kernel */
	if (nlmsg_get_src(nl_msg)->nl_pid != nl_socket_get_peer_port(netlink->socket))
		return NL_SKIP;
	if (is_family_removed(netlink, header)) {
		netlink->family_removed = true;
		return NL_OK;
	}
	if (header->nlmsg_type != netlink->family)
		return NL_SKIP;
	if (!genlmsg_valid_hdr(header, 0) ||
	    !parse(&message, genlmsg_attrdata(genlmsg_hdr(header), 0),
		   genlmsg_attrlen(genlmsg_hdr(header), 0))) {
		netlink->malformed = true;
		return NL_SKIP;
	}
	message.command = genlmsg_hdr(header)->cmd;
	netlink->handler(&message, netlink->data);
	return NL_OK;
}

static int fail_malformed(void)
{
	return report_error("the driver sent a message that this pmcctl does not understand: use the pmcctl of the same version");
}

static int find_family(struct netlink *netlink)
{
	int result = genl_connect(netlink->socket);

	if (result < 0)
		return report_error("cannot use netlink: %s", nl_geterror(result));
	netlink->family = genl_ctrl_resolve(netlink->socket, PMC_NETLINK_FAMILY);
	if (netlink->family == -NLE_OBJ_NOTFOUND)
		return report_error("the driver is not on netlink: load it with 'modprobe pmcdrv' or 'insmod pmcdrv.ko'; it is not available in a container with a network of its own");
	if (netlink->family < 0)
		return report_error("cannot find the driver on netlink: %s",
				    nl_geterror(netlink->family));
	return 0;
}

struct netlink *netlink_open(void)
{
	struct netlink *netlink = xcalloc(1, sizeof(*netlink));

	netlink->socket = xcheck(nl_socket_alloc());
	nl_socket_modify_cb(netlink->socket, NL_CB_VALID, NL_CB_CUSTOM, handle_message, netlink);
	if (find_family(netlink)) {
		netlink_close(netlink);
		return NULL;
	}
	return netlink;
}

void netlink_close(struct netlink *netlink)
{
	nl_socket_free(netlink->socket);
	free(netlink);
}

int netlink_fd(const struct netlink *netlink)
{
	return nl_socket_get_fd(netlink->socket);
}

int netlink_dump(struct netlink *netlink, enum pmc_netlink_command command,
		 netlink_handler handler, void *data)
{
	int result = genl_send_simple(netlink->socket, netlink->family, command,
				      PMC_NETLINK_VERSION, NLM_F_DUMP);

	netlink->handler = handler;
	netlink->data = data;
	if (result >= 0)
		result = nl_recvmsgs_default(netlink->socket);
	if (result < 0)
		return report_error("cannot query the driver: %s", nl_geterror(result));
	return netlink->malformed ? fail_malformed() : 0;
}

/* ---- listening ---- */

static int join(struct netlink *netlink, const char *family, const char *group)
{
	int number = genl_ctrl_resolve_grp(netlink->socket, family, group);

	return number < 0 ? number : nl_socket_add_membership(netlink->socket, number);
}

static int fail_join(const char *group, int result)
{
	/* EPERM of the kernel; it depends on the version of libnl */
	if (result == -NLE_PERM || result == -NLE_NOACCESS)
		return report_error("listening to '%s' needs CAP_NET_ADMIN: run as root, or choose other groups with -g",
				    group);
	return report_error("cannot listen to '%s': %s", group, nl_geterror(result));
}

static void discard_message(const struct netlink_message *message, void *data)
{
	(void)message;
	(void)data;
}

/*
 * Send a request, which makes the driver check for listeners. It has a socket of its own, so
 * that its answer is not received among the events.
 */
static int announce_listener(void)
{
	struct netlink *netlink = netlink_open();
	int result;

	if (!netlink)
		return EXIT_TROUBLE;
	result = netlink_dump(netlink, PMC_NETLINK_GET_CONTEXT, discard_message, NULL);
	netlink_close(netlink);
	return result;
}

int netlink_subscribe(struct netlink *netlink, uint32_t group_mask)
{
	unsigned int i;
	int result;

	nl_socket_disable_seq_check(netlink->socket);
	/* SO_RCVBUFFORCE needs a privilege; a smaller buffer may drop events, which is reported */
	nl_socket_set_buffer_size(netlink->socket, EVENT_BUFFER, 0);
	setsockopt(netlink_fd(netlink), SOL_SOCKET, SO_RCVBUFFORCE, &(int){ EVENT_BUFFER },
		   sizeof(int));
	result = join(netlink, "nlctrl", "notify");
	if (result < 0)
		return fail_join("nlctrl", result);
	for (i = 0; i < ARRAY_SIZE(groups); i++) {
		if (!(group_mask >> i & 1))
			continue;
		result = join(netlink, PMC_NETLINK_FAMILY, groups[i]);
		if (result < 0)
			return fail_join(groups[i], result);
	}
	result = announce_listener();
	if (result)
		return result;
	result = nl_socket_set_nonblocking(netlink->socket);
	return result < 0 ? report_error("cannot use netlink: %s", nl_geterror(result)) : 0;
}

enum netlink_state netlink_receive(struct netlink *netlink, netlink_handler handler, void *data)
{
	int result;

	netlink->handler = handler;
	netlink->data = data;
	result = nl_recvmsgs_default(netlink->socket);
	if (netlink->malformed)
		return fail_malformed(), NETLINK_FAILED;
	if (netlink->family_removed)
		return NETLINK_UNLOADED;
	/* libnl returns this for ENOBUFS */
	if (result == -NLE_NOMEM)
		return NETLINK_OVERRUN;
	if (result < 0 && result != -NLE_AGAIN && result != -NLE_INTR)
		return report_error("cannot listen: %s", nl_geterror(result)), NETLINK_FAILED;
	return NETLINK_CONTINUE;
}
