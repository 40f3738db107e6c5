// SPDX-License-Identifier: GPL-2.0-only
/*
 * One ioctl: the placement of its structure in memory, its documented errors, and the bytes that
 * it may write
 */
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"

#define POISON	0xa5

static const struct {
	unsigned int command;
	const char *name;
} commands[IOCTLS] = {
	{ PMC_IOC_QUERY, "QUERY" }, { PMC_IOC_COUNTER, "COUNTER" }, { PMC_IOC_TSC, "TSC" },
	{ PMC_IOC_CONFIGURE, "CONFIGURE" }, { PMC_IOC_START, "START" },
	{ PMC_IOC_STOP, "STOP" }, { PMC_IOC_READ, "READ" }, { PMC_IOC_WRITE, "WRITE" },
	{ PMC_IOC_RESET, "RESET" }, { PMC_IOC_RELEASE, "RELEASE" },
	{ PMC_IOC_STATISTICS, "STATISTICS" },
};

/* Errors that the ABI's comments document (tests/selftests/common/documented.awk). */
static const struct {
	unsigned int command;
	int error;
} documented[] = {
#define DOCUMENTED(ioctl, error)	{ PMC_IOC_##ioctl, error },
#include "documented.h"
#undef DOCUMENTED
};

const char *command_name(unsigned int index)
{
	return commands[index].name;
}

bool error_documented(unsigned int index, int error)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(documented); i++) {
		if (documented[i].command == commands[index].command &&
		    documented[i].error == error)
			return true;
	}
	return false;
}

/* @err: 0 or a negative errno */
void check_error(struct worker *worker, unsigned int command, int err)
{
	unsigned int i = 0;

	while (i < IOCTLS && commands[i].command != command)
		i++;
	if (i == IOCTLS) {
		if (err != -ENOTTY)
			wrong(worker, "ioctl %#x, which does not exist, gave %d", command, err);
		return;
	}
	if (err && !error_documented(i, -err))
		wrong(worker, "%s gave %s, which is not documented", commands[i].name,
		      strerror(-err));
	if (err == -ENOBUFS && !worker->user)
		wrong(worker, "%s refuses memory to root", commands[i].name);
	__atomic_add_fetch(&worker->shared->errors[i][-err], 1, __ATOMIC_RELAXED);
}

int call_plain(struct worker *worker, int fd, unsigned int command, unsigned long argument)
{
	int err = ioctl(fd, command, argument) ? -errno : 0;

	check_error(worker, command, err);
	return err;
}

unsigned char *arena_end(struct worker *worker)
{
	return worker->arena + 2 * PAGE;
}

static unsigned char *bad_address(struct worker *worker)
{
	static const unsigned long bad[] = {
		0, 8, -1UL, -8UL, -4096UL, 1UL << (8 * sizeof(long) - 1),
	};

	return (unsigned char *)bad[dice_below(&worker->dice, ARRAY_SIZE(bad))];
}

/*
 * Address for a structure of @size bytes: mostly at the end of the arena or some bytes before it,
 * else read-only, across the end of the arena, or unmapped.
 */
static unsigned char *place(struct worker *worker, size_t size, enum placement *placement)
{
	uint32_t kind = dice_below(&worker->dice, 24);

	*placement = PLACE_GOOD;
	if (kind < 18)
		return arena_end(worker) - size - dice_below(&worker->dice, 3) * 8;
	if (kind < 20)
		return arena_end(worker) - size - dice_below(&worker->dice, 9);
	if (kind == 20) {
		*placement = PLACE_READ_ONLY;
		return arena_end(worker) - size;
	}
	*placement = PLACE_BAD;
	if (kind == 21 || !size)
		return bad_address(worker);
	return arena_end(worker) - dice_below(&worker->dice, size);
}

/**
 * call_struct - call an ioctl with a structure at a random address
 * @worker:	the caller
 * @fd:		the file
 * @command:	the ioctl
 * @image:	the structure; receives the result
 * @size:	its size in bytes
 * @written:	number of bytes that the ioctl may write
 * @placement:	receives the kind of address
 *
 * Return: 0 or a negative errno.
 */
int call_struct(struct worker *worker, int fd, unsigned int command, void *image, size_t size,
		size_t written, enum placement *placement)
{
	unsigned char *at = place(worker, size, placement);
	unsigned char *from = worker->arena;
	size_t there, i;
	int err;

	memset(from, POISON, 2 * PAGE);
	there = *placement == PLACE_BAD && (at < from || at >= arena_end(worker)) ? 0 :
		at + size > arena_end(worker) ? arena_end(worker) - at : size;
	memcpy(there ? at : from, image, there);
	if (*placement == PLACE_READ_ONLY && mprotect(from, 2 * PAGE, PROT_READ))
		wrong(worker, "mprotect: %s", strerror(errno));
	err = call_plain(worker, fd, command, (unsigned long)at);
	if (*placement == PLACE_READ_ONLY && mprotect(from, 2 * PAGE, PROT_READ | PROT_WRITE))
		wrong(worker, "mprotect: %s", strerror(errno));
	if (*placement == PLACE_BAD) {
		if (!err)
			wrong(worker, "%#x: succeeded, though its structure is not mapped", command);
		return err;
	}
	for (i = 0; i < 2 * PAGE; i++) {
		if (from + i == at)
			i += size;
		if (i < 2 * PAGE && from[i] != POISON)
			wrong(worker, "%#x: wrote beside its structure", command);
	}
	if (written < size && memcmp(at + written, (char *)image + written, size - written))
		wrong(worker, "%#x: wrote more than it may", command);
	memcpy(image, at, size);
	return err;
}
