// SPDX-License-Identifier: GPL-2.0-only
/*
 * A fake driver on netlink: a process with a socket of NETLINK_USERSOCK, where user space may
 * send messages to user space. It answers from the file that the environment variable
 * FAKE_NETLINK names. Without the variable the driver has no netlink family. Link
 * with -Wl,--wrap=genl_connect,--wrap=nl_socket_add_membership,
 * --wrap=nl_socket_set_nonblocking.
 *
 * A line is a message: the name of its command, and its attributes.
 *
 *   GET_CPU CPU=0 STATUS=0 VENDOR=text COUNTER{NUMBER=0,HOLDER=1}
 *   STARTED SEQUENCE=5 CONTEXT=17
 *
 * \xHH in a text is that byte. Questions are answered with all lines that have
 * their name; the others are events, sent to the members of their group, in this
 * order. Besides:
 *
 *   error NUMBER     the answer to the next request
 *   stranger LINE    an event from another sender than the driver
 *   foreign LINE     an event of another family, which may be "gone"
 *   short LINE       a message with a last attribute that is too short
 *   unknown          an event of a number that does not exist
 *   fails NUMBER     recvmsg() fails with this errno, instead of an event
 *   gone             the family goes
 *
 * FAKE_DENIED names a group that no process may join.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/genetlink.h>
#include <pmcdrv/pmcdrv-netlink.h>
#include <netlink/errno.h>
#include <netlink/genl/genl.h>
#include <netlink/netlink.h>

#include "fake_netlink.h"

#define FAMILY		0x21
#define GROUP		40	/* number of the first group */
#define NOTIFY		9	/* the controller's */

/* Messages of the wrapped functions to the driver; no kernel has these types. */
#define JOINED		0x7001	/* followed by the group */
#define LISTENING	0x7002

/* Message of the driver to the wrapped functions, followed by an errno */
#define FAILING		0x7003

static const struct {
	const char *name;
	int value;
	int group; /* -1 for questions */
} commands[] = {
#define X(name, value, text) { #name, value, -1 },
	PMC_NETLINK_QUERIES(X)
#undef X
#define X(name, value, group, text) { #name, value, PMC_NETLINK_GROUP_##group },
	PMC_NETLINK_EVENTS(X)
#undef X
};

enum type { U32, U64, TEXT, NEST, PAD };

static const struct {
	const char *name;
	int value;
	enum type type;
} attributes[] = {
#define X(name, value, type, text) { #name, value, type },
	PMC_NETLINK_ATTRIBUTES(X)
#undef X
};

static const char *const groups[] = {
#define X(id, name, value, text) [value] = name,
	PMC_NETLINK_GROUPS(X)
#undef X
};

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* State of the driver: its socket, that of another sender, the listeners and their groups */
static int driver, other;
static uint32_t client;
static uint32_t joined;

/* Shared: a request for contexts was received, which makes the driver look for listeners */
static bool *announced;

/* ---- sending ---- */

static void send_from(int from, const struct nlmsghdr *header)
{
	struct sockaddr_nl to = { .nl_family = AF_NETLINK, .nl_pid = client };

	if (sendto(from, header, header->nlmsg_len, 0, (void *)&to, sizeof(to)) < 0)
		abort();
}

static void send_error(const struct nlmsghdr *question, int error)
{
	struct {
		struct nlmsghdr header;
		struct nlmsgerr error;
	} answer = {
		.header = {
			.nlmsg_len = sizeof(answer),
			.nlmsg_type = NLMSG_ERROR,
			.nlmsg_seq = question->nlmsg_seq,
			.nlmsg_pid = client,
		},
		.error = { .error = -error, .msg = *question },
	};

	send_from(driver, &answer.header);
}

static void send_done(const struct nlmsghdr *question)
{
	struct {
		struct nlmsghdr header;
		int error;
	} answer = {
		.header = {
			.nlmsg_len = sizeof(answer),
			.nlmsg_type = NLMSG_DONE,
			.nlmsg_flags = NLM_F_MULTI,
			.nlmsg_seq = question->nlmsg_seq,
			.nlmsg_pid = client,
		},
	};

	send_from(driver, &answer.header);
}

/* ---- the file ---- */

/* \xHH */
static char *unescape(char *text)
{
	char *from = text, *to = text;

	while (*from) {
		if (!strncmp(from, "\\x", 2)) {
			char digits[3] = { from[2], from[3] };

			*to++ = strtoul(digits, NULL, 16);
			from += 4;
		} else {
			*to++ = *from++;
		}
	}
	*to = 0;
	return text;
}

static void put_attribute(struct nl_msg *msg, char *word);

static void put_nest(struct nl_msg *msg, int attribute, char *inside)
{
	struct nlattr *nest = nla_nest_start(msg, attribute);
	char *word;

	inside[strcspn(inside, "}")] = 0;
	while ((word = strsep(&inside, ",")))
		put_attribute(msg, word);
	nla_nest_end(msg, nest);
}

/* NAME=VALUE, NAME{...} */
static void put_attribute(struct nl_msg *msg, char *word)
{
	size_t len = strcspn(word, "={"), i;
	char *value = word + len + 1;

	for (i = 0; i < ARRAY_SIZE(attributes); i++) {
		if (strlen(attributes[i].name) != len || strncmp(attributes[i].name, word, len))
			continue;
		switch (attributes[i].type) {
		case U32:
			NLA_PUT_U32(msg, attributes[i].value, strtoul(value, NULL, 0));
			return;
		case U64:
			NLA_PUT_U64(msg, attributes[i].value, strtoull(value, NULL, 0));
			return;
		case TEXT:
			NLA_PUT_STRING(msg, attributes[i].value, unescape(value));
			return;
		case NEST:
			put_nest(msg, attributes[i].value, value);
			return;
		case PAD:
			break;
		}
	}
nla_put_failure:
	fprintf(stderr, "fake_netlink: '%s'?\n", word);
	abort();
}

/* The message that a line is; *@group: of the event, -1 of an answer */
static struct nl_msg *make(char *line, int *group, uint32_t sequence, int flags)
{
	char *name = strsep(&line, " "), *word;
	struct nl_msg *msg = nlmsg_alloc();
	size_t i;

	for (i = 0; i < ARRAY_SIZE(commands) && strcmp(commands[i].name, name); i++)
		;
	if (i == ARRAY_SIZE(commands)) {
		fprintf(stderr, "fake_netlink: '%s'?\n", name);
		abort();
	}
	*group = commands[i].group;
	genlmsg_put(msg, 0, sequence, FAMILY, 0, flags, commands[i].value,
		    PMC_NETLINK_VERSION);
	while ((word = strsep(&line, " "))) {
		if (*word)
			put_attribute(msg, word);
	}
	return msg;
}

static FILE *open_file(void)
{
	FILE *file = fopen(getenv("FAKE_NETLINK"), "r");

	if (!file)
		abort();
	return file;
}

static bool begins(const char *line, const char *word)
{
	size_t len = strlen(word);

	return !strncmp(line, word, len) && (!line[len] || line[len] == ' ');
}

static const char *command_name(int command)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		if (commands[i].value == command)
			return commands[i].name;
	}
	return "?";
}

/* The last attribute has two bytes less than it should. */
static void cut_last(struct nl_msg *msg)
{
	struct genlmsghdr *genl = nlmsg_data(nlmsg_hdr(msg));
	struct nlattr *at = genlmsg_attrdata(genl, 0), *last = at;
	int left = genlmsg_attrlen(genl, 0);

	for (; nla_ok(at, left); at = nla_next(at, &left))
		last = at;
	last->nla_len -= 2;
}

static void answer(const struct nlmsghdr *question)
{
	const struct genlmsghdr *genl = nlmsg_data(question);
	FILE *file = open_file();
	char line[4096];
	int group;

	while (fgets(line, sizeof(line), file)) {
		bool cut = begins(line, "short");
		char *text = cut ? strchr(line, ' ') + 1 : line;
		struct nl_msg *msg;

		line[strcspn(line, "\n")] = 0;
		if (begins(line, "error")) {
			send_error(question, atoi(line + 6));
			fclose(file);
			return;
		}
		if (!begins(text, command_name(genl->cmd)))
			continue;
		msg = make(text, &group, question->nlmsg_seq, NLM_F_MULTI);
		if (cut)
			cut_last(msg);
		send_from(driver, nlmsg_hdr(msg));
		nlmsg_free(msg);
	}
	fclose(file);
	send_done(question);
}

static void send_gone(int family)
{
	struct nl_msg *msg = nlmsg_alloc();

	genlmsg_put(msg, 0, 0, GENL_ID_CTRL, 0, 0, CTRL_CMD_DELFAMILY, 2);
	nla_put_u16(msg, CTRL_ATTR_FAMILY_ID, family);
	nla_put_string(msg, CTRL_ATTR_FAMILY_NAME,
		       family == FAMILY ? PMC_NETLINK_FAMILY : "other");
	send_from(driver, nlmsg_hdr(msg));
	nlmsg_free(msg);
}

static void send_failure(int error)
{
	struct {
		struct nlmsghdr header;
		int error;
	} message = {
		.header = { .nlmsg_len = sizeof(message), .nlmsg_type = FAILING },
		.error = error,
	};

	send_from(driver, &message.header);
}

static void send_unknown(void)
{
	struct nl_msg *msg = nlmsg_alloc();

	genlmsg_put(msg, 0, 0, FAMILY, 0, 0, 250, PMC_NETLINK_VERSION);
	nla_put_u32(msg, 1000, 5);
	send_from(driver, nlmsg_hdr(msg));
	nlmsg_free(msg);
}

static void send_event(char *line)
{
	bool stranger = begins(line, "stranger"), cut = begins(line, "short");
	bool foreign = begins(line, "foreign");
	struct nl_msg *msg;
	int group;

	if (stranger || cut || foreign)
		line = strchr(line, ' ') + 1;
	msg = make(line, &group, 0, 0);
	if (cut)
		cut_last(msg);
	if (foreign)
		nlmsg_hdr(msg)->nlmsg_type = FAMILY + 1;
	if (group >= 0 && joined >> group & 1)
		send_from(stranger ? other : driver, nlmsg_hdr(msg));
	nlmsg_free(msg);
}

static void send_events(void)
{
	FILE *file = open_file();
	char line[4096];

	while (fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = 0;
		if (begins(line, "gone"))
			send_gone(FAMILY);
		else if (!strcmp(line, "foreign gone"))
			send_gone(FAMILY + 1);
		else if (begins(line, "unknown"))
			send_unknown();
		else if (begins(line, "fails"))
			send_failure(atoi(line + 6));
		else if (line[0] && !begins(line, "error"))
			send_event(line);
	}
	fclose(file);
}

/* ---- the controller ---- */

static void put_groups(struct nl_msg *msg, bool own)
{
	struct nlattr *list = nla_nest_start(msg, CTRL_ATTR_MCAST_GROUPS), *one;
	size_t i;

	for (i = 0; i < (own ? ARRAY_SIZE(groups) : 1); i++) {
		one = nla_nest_start(msg, i + 1);
		nla_put_string(msg, CTRL_ATTR_MCAST_GRP_NAME, own ? groups[i] : "notify");
		nla_put_u32(msg, CTRL_ATTR_MCAST_GRP_ID, own ? GROUP + i : NOTIFY);
		nla_nest_end(msg, one);
	}
	nla_nest_end(msg, list);
}

static void reply_family(struct nlmsghdr *question)
{
	struct nlattr *attribute[CTRL_ATTR_MAX + 1];
	struct nl_msg *msg;
	const char *name;
	bool own;

	if (genlmsg_parse(question, 0, attribute, CTRL_ATTR_MAX, NULL) ||
	    !attribute[CTRL_ATTR_FAMILY_NAME])
		abort();
	name = nla_get_string(attribute[CTRL_ATTR_FAMILY_NAME]);
	own = !strcmp(name, PMC_NETLINK_FAMILY);
	if (own && !getenv("FAKE_NETLINK")) {
		send_error(question, ENOENT);
		return;
	}
	msg = nlmsg_alloc();
	genlmsg_put(msg, 0, question->nlmsg_seq, GENL_ID_CTRL, 0, 0, CTRL_CMD_NEWFAMILY, 2);
	nla_put_u16(msg, CTRL_ATTR_FAMILY_ID, own ? FAMILY : GENL_ID_CTRL);
	nla_put_string(msg, CTRL_ATTR_FAMILY_NAME, name);
	put_groups(msg, own);
	send_from(driver, nlmsg_hdr(msg));
	nlmsg_free(msg);
	if (question->nlmsg_flags & NLM_F_ACK)
		send_error(question, 0);
}

/* ---- the driver's process ---- */

static _Noreturn void drive(void)
{
	static char buffer[1 << 16] __attribute__((aligned(8)));
	struct nlmsghdr *question = (void *)buffer;
	struct sockaddr_nl from;
	socklen_t size = sizeof(from);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (recvfrom(driver, buffer, sizeof(buffer), 0, (void *)&from, &size) > 0) {
		client = from.nl_pid;
		switch (question->nlmsg_type) {
		case GENL_ID_CTRL:
			reply_family(question);
			break;
		case FAMILY:
			*announced |= ((struct genlmsghdr *)nlmsg_data(question))->cmd ==
				      PMC_NETLINK_GET_CONTEXT;
			answer(question);
			break;
		case JOINED:
			joined |= 1U << *(int *)nlmsg_data(question);
			break;
		case LISTENING:
			send_events();
			break;
		}
	}
	_exit(1);
}

static int make_socket(uint32_t *port)
{
	struct sockaddr_nl address = { .nl_family = AF_NETLINK };
	socklen_t size = sizeof(address);
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_USERSOCK);

	if (fd < 0 || bind(fd, (void *)&address, sizeof(address)) ||
	    getsockname(fd, (void *)&address, &size))
		abort();
	*port = address.nl_pid;
	return fd;
}

/* ---- what libnl would do ---- */

static int receive(struct nl_sock *socket, struct sockaddr_nl *from, unsigned char **buffer,
		   struct ucred **credentials)
{
	int result = nl_recv(socket, from, buffer, credentials);
	const struct nlmsghdr *header = (void *)*buffer;

	if (result <= 0 || header->nlmsg_type != FAILING)
		return result;
	result = -nl_syserr2nlerr(*(int *)nlmsg_data(header));
	free(*buffer);
	*buffer = NULL;
	return result;
}

int __wrap_genl_connect(struct nl_sock *socket)
{
	struct nl_cb *callbacks = nl_socket_get_cb(socket);
	uint32_t port, unused;
	int result;

	if (!announced)
		announced = mmap(NULL, sizeof(*announced), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	nl_cb_overwrite_recv(callbacks, receive);
	nl_cb_put(callbacks);

	driver = make_socket(&port);
	other = make_socket(&unused);
	if (!fork())
		drive();
	close(driver);
	close(other);
	result = nl_connect(socket, NETLINK_USERSOCK);
	nl_socket_set_peer_port(socket, port);
	return result;
}

static void reply_driver(const struct nl_sock *socket, int type, int group)
{
	struct sockaddr_nl to = {
		.nl_family = AF_NETLINK,
		.nl_pid = nl_socket_get_peer_port(socket),
	};
	struct {
		struct nlmsghdr header;
		int group;
	} message = {
		.header = { .nlmsg_len = sizeof(message), .nlmsg_type = type },
		.group = group,
	};

	if (sendto(nl_socket_get_fd(socket), &message, sizeof(message), 0, (void *)&to,
		   sizeof(to)) < 0)
		abort();
}

int __wrap_nl_socket_add_membership(struct nl_sock *socket, int group)
{
	const char *denied = getenv("FAKE_DENIED");

	if (group == NOTIFY)
		return 0;
	if (denied && !strcmp(groups[group - GROUP], denied))
		return -NLE_PERM;
	reply_driver(socket, JOINED, group - GROUP);
	return 0;
}

int __wrap_nl_socket_set_nonblocking(const struct nl_sock *socket)
{
	if (!*announced) {
		fputs("fake_netlink: the driver does not know that there is a listener\n", stderr);
		exit(1);
	}
	reply_driver(socket, LISTENING, 0);
	return __real_nl_socket_set_nonblocking(socket);
}
