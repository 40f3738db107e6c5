// SPDX-License-Identifier: GPL-2.0-only
/*
 * Creates the files that the emulator starts with
 *
 *   image memory OUTPUT MEGABYTES VMLINUX BZIMAGE INITRAMFS COMMAND-LINE [DISK]
 *	the guest's memory from address 0: boot parameters, the unpacked kernel at its load
 *	address, the initramfs after it; from MEGABYTES on, the image of a disk
 *   image rom OUTPUT ROM
 *	the boot ROM with its checksum
 *   image bios OUTPUT BIOS
 *	a copy of the BIOS with a reset vector that points into the boot ROM
 *   image payload BZIMAGE
 *	the compressed kernel inside a bzImage, on stdout (without the length that is
 *	appended to it)
 */
#include <elf.h>
#include <err.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <asm/bootparam.h>

#include "layout.h"

/* Offset of struct setup_header in a bzImage. */
#define SETUP_HEADER	0x1f1

#define INITRAMFS_ALIGN	0x200000

struct file {
	const char *name;
	const unsigned char *data;
	size_t size;
};

static struct file map_file(const char *name)
{
	struct file file = { .name = name };
	struct stat stat;
	int fd = open(name, O_RDONLY);

	if (fd < 0 || fstat(fd, &stat))
		err(1, "%s", name);
	file.size = stat.st_size;
	file.data = mmap(NULL, file.size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (file.data == MAP_FAILED)
		err(1, "%s", name);
	close(fd);
	return file;
}

static int create(const char *name)
{
	int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0644);

	if (fd < 0)
		err(1, "%s", name);
	return fd;
}

static void put(int fd, const void *data, size_t size, uint64_t offset)
{
	const char *from = data;

	while (size) {
		ssize_t done = pwrite(fd, from, size, offset);

		if (done <= 0)
			err(1, "writing the image");
		from += done;
		offset += done;
		size -= done;
	}
}

static const struct setup_header *setup_header(const struct file *bzimage)
{
	const struct setup_header *header;

	header = (const void *)(bzimage->data + SETUP_HEADER);
	if (bzimage->size < 4096 || header->header != 0x53726448)
		errx(1, "%s is not a bzImage", bzimage->name);
	return header;
}

/* A loadable segment: size in the file, address in memory. */
static void put_segment(int fd, const struct file *elf, uint64_t offset,
			uint64_t size, uint64_t address, uint64_t in_memory,
			uint64_t *end)
{
	if (offset > elf->size || size > elf->size - offset)
		errx(1, "%s is cut off", elf->name);
	put(fd, elf->data + offset, size, address);
	if (*end < address + in_memory)
		*end = address + in_memory;
}

/* Copies the kernel's segments. Return: its width in bits; *entry and the end are set. */
static int put_kernel(int fd, const struct file *elf, uint64_t *entry,
		      uint64_t *end)
{
	const Elf64_Ehdr *e64 = (const void *)elf->data;
	const Elf32_Ehdr *e32 = (const void *)elf->data;
	int i;

	if (elf->size < sizeof(*e64) || memcmp(elf->data, ELFMAG, SELFMAG))
		errx(1, "%s is not an ELF file", elf->name);
	*end = 0;
	if (elf->data[EI_CLASS] == ELFCLASS64) {
		const Elf64_Phdr *ph = (const void *)(elf->data + e64->e_phoff);

		for (i = 0; i < e64->e_phnum; i++)
			if (ph[i].p_type == PT_LOAD)
				put_segment(fd, elf, ph[i].p_offset,
					    ph[i].p_filesz, ph[i].p_paddr,
					    ph[i].p_memsz, end);
		*entry = e64->e_entry;
		return 64;
	} else {
		const Elf32_Phdr *ph = (const void *)(elf->data + e32->e_phoff);

		for (i = 0; i < e32->e_phnum; i++)
			if (ph[i].p_type == PT_LOAD)
				put_segment(fd, elf, ph[i].p_offset,
					    ph[i].p_filesz, ph[i].p_paddr,
					    ph[i].p_memsz, end);
		*entry = e32->e_entry;
		return 32;
	}
}

static void image_memory(char **argument)
{
	int fd = create(argument[0]);
	uint64_t memory = strtoull(argument[1], NULL, 10) << 20;
	struct file kernel = map_file(argument[2]);
	struct file bzimage = map_file(argument[3]);
	struct file initramfs = map_file(argument[4]);
	const char *command_line = argument[5];
	struct boot_params zero_page = { 0 };
	unsigned char params[32] = { 0 };
	uint64_t entry, end, start;
	uint32_t bits, bytes = memory;

	zero_page.hdr = *setup_header(&bzimage);
	bits = put_kernel(fd, &kernel, &entry, &end);
	start = (end + INITRAMFS_ALIGN - 1) & ~(uint64_t)(INITRAMFS_ALIGN - 1);
	if (start + initramfs.size + (4 << 20) > memory)
		errx(1, "%llu MB of memory cannot hold a kernel and an initramfs that end at %llu MB",
		     (unsigned long long)memory >> 20,
		     (unsigned long long)(start + initramfs.size) >> 20);
	if (strlen(command_line) >= COMMAND_LINE_BYTES)
		errx(1, "the kernel's command line is too long");
	if (argument[6]) {
		struct file disk = map_file(argument[6]);

		put(fd, disk.data, disk.size, memory);
		bytes += disk.size;
	}

	put(fd, initramfs.data, initramfs.size, start);
	zero_page.hdr.type_of_loader = 0xff;
	zero_page.hdr.loadflags |= LOADED_HIGH;
	zero_page.hdr.ramdisk_image = start;
	zero_page.hdr.ramdisk_size = initramfs.size;
	zero_page.hdr.cmd_line_ptr = COMMAND_LINE;
	put(fd, &zero_page, sizeof(zero_page), ZERO_PAGE);
	put(fd, command_line, strlen(command_line) + 1, COMMAND_LINE);

	memcpy(params + PARAMS_MEMORY, &bytes, sizeof(bytes));
	memcpy(params + PARAMS_BITS, &bits, sizeof(bits));
	memcpy(params + PARAMS_ENTRY, &entry, sizeof(entry));
	put(fd, params, sizeof(params), PARAMS_ADDRESS);
	if (close(fd))
		err(1, "%s", argument[0]);
}

static void image_rom(char **argument)
{
	struct file rom = map_file(argument[1]);
	unsigned char copy[ROM_BYTES], sum = 0;
	int fd = create(argument[0]);
	size_t i;

	if (rom.size != ROM_BYTES)
		errx(1, "%s has %zu bytes", rom.name, rom.size);
	memcpy(copy, rom.data, ROM_BYTES);
	for (i = 0; i < ROM_BYTES; i++)
		sum += copy[i];
	copy[ROM_BYTES - 1] -= sum;
	put(fd, copy, ROM_BYTES, 0);
	if (close(fd))
		err(1, "%s", argument[0]);
}

/* A far jump, 16 bytes before the end: the reset vector. */
#define FAR_JUMP(segment, offset) { \
	0xea, (offset) & 0xff, (offset) >> 8, (segment) & 0xff, (segment) >> 8 \
}

static void image_bios(char **argument)
{
	static const unsigned char expected[] =
		FAR_JUMP(BIOS_ENTRY_SEGMENT, BIOS_ENTRY_OFFSET);
	static const unsigned char patched[] = FAR_JUMP(ROM_SEGMENT, ROM_FIRST);
	struct file bios = map_file(argument[1]);
	int fd = create(argument[0]);

	if (bios.size < 65536 ||
	    memcmp(bios.data + bios.size - 16, expected, sizeof(expected)))
		errx(1, "%s does not start where the BIOS of Bochs does",
		     bios.name);
	put(fd, bios.data, bios.size, 0);
	put(fd, patched, sizeof(patched), bios.size - 16);
	if (close(fd))
		err(1, "%s", argument[0]);
}

static void image_payload(char **argument)
{
	struct file bzimage = map_file(argument[0]);
	const struct setup_header *header = setup_header(&bzimage);
	uint64_t start = (header->setup_sects + 1) * 512 + header->payload_offset;
	uint64_t size = header->payload_length;

	if (size < 4 || start + size > bzimage.size)
		errx(1, "%s is cut off", bzimage.name);
	if (fwrite(bzimage.data + start, size - 4, 1, stdout) != 1 ||
	    fflush(stdout))
		err(1, "stdout");
}

int main(int argc, char **argv)
{
	if ((argc == 8 || argc == 9) && !strcmp(argv[1], "memory"))
		image_memory(argv + 2);
	else if (argc == 4 && !strcmp(argv[1], "rom"))
		image_rom(argv + 2);
	else if (argc == 4 && !strcmp(argv[1], "bios"))
		image_bios(argv + 2);
	else if (argc == 3 && !strcmp(argv[1], "payload"))
		image_payload(argv + 2);
	else
		errx(2, "wrong arguments: see the top of image.c");
	return 0;
}
