/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Frames to the host through Bochs' port E9H, and the shutdown
 *
 * Callers must have called iopl(3). init.c documents the format.
 */
#ifndef MACHINE_GUEST_FRAME_H
#define MACHINE_GUEST_FRAME_H

#include <stddef.h>
#include <sys/io.h>
#include <sys/reboot.h>
#include <unistd.h>

#define PORT_HOST	0xe9
#define PORT_SHUTDOWN	0x8900

static inline void send_bytes(const void *data, unsigned long size)
{
	asm volatile("rep outsb"
		     : "+S" (data), "+c" (size)
		     : "d" (PORT_HOST)
		     : "memory");
}

static inline void send_frame(char kind, const void *data, size_t size)
{
	const char *from = data;

	while (size) {
		size_t part = size < 0xffff ? size : 0xffff;
		unsigned char head[3] = { kind, part & 0xff, part >> 8 };

		send_bytes(head, sizeof(head));
		send_bytes(from, part);
		from += part;
		size -= part;
	}
}

static inline __attribute__((noreturn)) void end_machine(void)
{
	const char *end;

	for (end = "Shutdown"; *end; end++)
		outb(*end, PORT_SHUTDOWN);
	reboot(RB_POWER_OFF);
	for (;;)
		pause();
}

#endif
