// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz-kernel: operations on netlink and on the attribute pce
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fuzz.h"

#define PCE		"/sys/class/misc/pmc/pce"
#define ANSWERS		8

/* The errors that uapi/pmcdrv-netlink.h documents */
static bool may_fail(int err)
{
	switch (-err) {
	case EINVAL:
	case ENOENT:
	case EACCES:
	case EOPNOTSUPP:
	case ENOMEM:
		return true;
	default:
		return false;
	}
}

static void put_any(struct worker *worker, struct nl_question *question)
{
	struct dice *dice = &worker->dice;
	unsigned char data[64];
	uint16_t type = 1 + dice_below(dice, dice_below(dice, 4) ? 50 : 0x3fff);
	uint32_t i, length = dice_below(dice, sizeof(data));

	for (i = 0; i < sizeof(data); i++)
		data[i] = dice_next(dice);
	nl_put(question, dice_below(dice, 8) ? type : type | NLA_F_NESTED, data, length);
}

/* A valid request, or one with an error in it. */
static void question_make(struct worker *worker, struct nl_question *question)
{
	struct dice *dice = &worker->dice;
	uint8_t command = PMC_NETLINK_GET_DRIVER + dice_below(dice, 4);
	uint16_t flags = dice_one_in(dice, 4) ? NLM_F_DUMP : 0;

	if (dice_one_in(dice, 10))
		command = dice_below(dice, 256);
	nl_question(question, &worker->nl, command, flags);
	if (dice_one_in(dice, 10))
		question->genl.version = dice_below(dice, 256);
	if (dice_one_in(dice, 2))
		nl_put_u32(question, PMC_NETLINK_A_CPU, dice_below(dice, 4) ?
			   dice_below(dice, 4) : dice_edge(dice));
	if (dice_one_in(dice, 2))
		nl_put_u64(question, PMC_NETLINK_A_CONTEXT, dice_below(dice, 4) ?
			   dice_below(dice, 2000) : dice_edge(dice));
	while (dice_one_in(dice, 4) && question->nlh.nlmsg_len < 512)
		put_any(worker, question);
}

void do_question(struct worker *worker)
{
	static struct nl_message answers[ANSWERS];
	struct nl_question question;
	int result;

	question_make(worker, &question);
	result = nl_ask(&worker->nl, &question, answers, ANSWERS);
	if (result < 0 && !may_fail(result))
		wrong(worker, "netlink command %u: %s (%s)", question.genl.cmd,
		      strerror(-result), worker->nl.said);
}

/* Join or leave a group; read some of its messages, or let them overrun. */
void do_listen(struct worker *worker)
{
	struct nl *nl = &worker->listener;
	uint32_t group = dice_below(&worker->dice, NL_GROUPS);
	static char buffer[1 << 13];
	uint32_t i, nr = dice_below(&worker->dice, 64);
	int err;

	if (dice_one_in(&worker->dice, 4)) {
		nl_leave(nl, group);
		return;
	}
	err = setsockopt(nl->fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &nl->group[group],
			 sizeof(nl->group[group])) ? errno : 0;
	if (err ? err != EPERM || !worker->user : worker->user && group < 3)
		wrong(worker, "joining group %u: %s", group, strerror(err));
	for (i = 0; i < nr; i++) {
		if (recv(nl->fd, buffer, sizeof(buffer), MSG_DONTWAIT) < 0 && errno != ENOBUFS)
			break;
	}
}

/* The background sets the attribute; here it is read, and invalid values are written. */
void do_pce(struct worker *worker)
{
	static const char *const bad[] = { "3", "-1", "x", "4294967296", " 1", "1 2" };
	const char *text = bad[dice_below(&worker->dice, ARRAY_SIZE(bad))];
	char shown[128];
	int err;

	if (file_read(PCE, shown, sizeof(shown)) || shown[0] < '0' || shown[0] > '2')
		wrong(worker, "the attribute pce is \"%s\"", shown);
	err = file_write(PCE, text);
	if (worker->user ? err != -EACCES : err != -EINVAL && err != -ERANGE)
		wrong(worker, "\"%s\" for pce: %d", text, err);
}
