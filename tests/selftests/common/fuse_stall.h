/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A file from which no read completes: it can be opened and mapped, but its file system's server
 * (FUSE) answers no READ, so a task that waits for its data waits as long as the server lives
 */
#ifndef SELFTESTS_FUSE_STALL_H
#define SELFTESTS_FUSE_STALL_H

#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process_tree.h"

/**
 * struct fuse_stall - the file
 * @server:	process of its file system
 * @reader:	process that reads, and so keeps its first page locked
 * @cached:	the file, opened for the page cache
 * @direct:	opened past the cache: mapping it drops the cached pages, with the mapper's
 *		mmap lock held for writing
 */
struct fuse_stall {
	pid_t server;
	pid_t reader;
	int cached;
	int direct;
};

static inline void stall_reply(int device, const struct fuse_in_header *to, int error,
			       const void *data, size_t length)
{
	struct {
		struct fuse_out_header header;
		char data[256];
	} answer = {
		.header.len = sizeof(answer.header) + length,
		.header.error = error,
		.header.unique = to->unique,
	};

	memcpy(answer.data, data, length);
	if (write(device, &answer, answer.header.len) < 0)
		_exit(1);
}

static inline struct fuse_attr stall_attr(uint64_t node)
{
	return (struct fuse_attr) {
		.ino = node,
		.mode = node == FUSE_ROOT_ID ? S_IFDIR | 0755 : S_IFREG | 0644,
		.nlink = 1,
		.size = node == FUSE_ROOT_ID ? 0 : 65536,
		.blksize = 4096,
	};
}

static inline void stall_answer(int device, const struct fuse_in_header *request, int *opens)
{
	const struct fuse_init_out init = {
		.major = FUSE_KERNEL_VERSION, .minor = 31, .max_readahead = 4096,
		.max_write = 4096, .max_pages = 1,
	};
	const struct fuse_entry_out entry = {
		.nodeid = 2, .entry_valid = 1000, .attr_valid = 1000, .attr = stall_attr(2),
	};
	const struct fuse_attr_out attr = {
		.attr_valid = 1000, .attr = stall_attr(request->nodeid),
	};
	struct fuse_open_out opened = { .fh = 1, .open_flags = FOPEN_KEEP_CACHE };

	switch (request->opcode) {
	case FUSE_INIT:
		stall_reply(device, request, 0, &init, sizeof(init));
		break;
	case FUSE_LOOKUP:
		stall_reply(device, request, 0, &entry, sizeof(entry));
		break;
	case FUSE_GETATTR:
		stall_reply(device, request, 0, &attr, sizeof(attr));
		break;
	case FUSE_OPEN:
		if ((*opens)++)
			opened.open_flags |= FOPEN_DIRECT_IO;
		stall_reply(device, request, 0, &opened, sizeof(opened));
		break;
	case FUSE_READ:
	case FUSE_INTERRUPT:
	case FUSE_FORGET:
		break;
	default:
		stall_reply(device, request, -EOPNOTSUPP, NULL, 0);
	}
}

static inline void stall_serve(int device)
{
	static char buffer[1 << 17] __attribute__((aligned(8)));
	int opens = 0;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		if (read(device, buffer, sizeof(buffer)) > 0)
			stall_answer(device, (const void *)buffer, &opens);
		else if (errno != EINTR && errno != ENOENT)
			_exit(0);
	}
}

static inline int stall_device(void)
{
	int device = open("/dev/fuse", O_RDWR | O_CLOEXEC);

	if (device < 0 && !system("modprobe -q fuse"))
		device = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	return device < 0 ? -errno : device;
}

/* The file has no name afterwards, so nothing needs cleaning up. */
static inline int stall_open(struct fuse_stall *stall, int device)
{
	char folder[] = "/tmp/pmc-stall-XXXXXX", text[64];
	int err = 0;

	if (!mkdtemp(folder))
		return -errno;
	snprintf(text, sizeof(text), "fd=%d,rootmode=40000,user_id=0,group_id=0", device);
	if (mount("stall", folder, "fuse", MS_NOSUID | MS_NODEV, text)) {
		err = -errno;
		rmdir(folder);
		return err;
	}
	stall->server = fork();
	if (stall->server == 0)
		stall_serve(device);
	snprintf(text, sizeof(text), "%s/file", folder);
	stall->cached = open(text, O_RDONLY);
	stall->direct = open(text, O_RDONLY);
	if (stall->server < 0 || stall->cached < 0 || stall->direct < 0)
		err = -EIO;
	umount2(folder, MNT_DETACH);
	rmdir(folder);
	return err;
}

/* Returns -ENOENT or -ENODEV where there is no FUSE. */
static inline int stall_begin(struct fuse_stall *stall)
{
	int device = stall_device(), err;
	char byte;

	memset(stall, 0, sizeof(*stall));
	if (device < 0)
		return device;
	err = stall_open(stall, device);
	close(device);
	if (err)
		return err;
	stall->reader = fork();
	if (stall->reader == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(read(stall->cached, &byte, 1) == 1);
	}
	task_wait_in(stall->reader, stall->reader, SYS_read, stall->cached);
	return 0;
}

/* The waiting tasks get an error. */
static inline void stall_end(struct fuse_stall *stall)
{
	kill(stall->server, SIGKILL);
	waitpid(stall->server, NULL, 0);
	waitpid(stall->reader, NULL, 0);
	close(stall->cached);
	close(stall->direct);
}

#endif /* SELFTESTS_FUSE_STALL_H */
