// SPDX-License-Identifier: GPL-2.0-only
/* pmcctl record: write the sections SYSTEM, EVENT, KERNEL, FILE and VDSO */
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <elfutils/libdwelf.h>

#include "record/kernel-symbols.h"
#include "record/system.h"
#include "util/error.h"

/* ---- SYSTEM ---- */

static void add_pair(struct byte_buffer *pairs, const char *key, const char *value)
{
	byte_buffer_append(pairs, key, strlen(key) + 1);
	byte_buffer_append(pairs, value, strlen(value) + 1);
}

static void add_number(struct byte_buffer *pairs, const char *key, uint64_t number)
{
	char value[24];

	snprintf(value, sizeof(value), "%" PRIu64, number);
	add_pair(pairs, key, value);
}

static void add_kernel(struct byte_buffer *pairs)
{
	struct utsname name;

	if (uname(&name))
		return;
	add_pair(pairs, "host", name.nodename);
	add_pair(pairs, "kernel", name.release);
	add_pair(pairs, "machine", name.machine);
}

static void add_processor(struct byte_buffer *pairs, struct pmc_device *device)
{
	struct pmc_info *info = pmc_device_get_info(device, PMC_CPU_ANY);
	const struct pmc_query *query;

	if (!info)
		return;
	query = pmc_info_query(info);
	add_pair(pairs, "vendor", query->vendor);
	add_number(pairs, "family", query->cpu_family);
	add_number(pairs, "model", query->cpu_model);
	add_number(pairs, "stepping", query->cpu_stepping);
	add_number(pairs, "tsc_khz", query->tsc_khz);
	pmc_info_free(info);
}

int record_system_write(struct record_writer *writer, const struct session *session,
			uint64_t frequency, char **argv)
{
	struct byte_buffer pairs = { 0 };
	int result;

	add_pair(&pairs, "pmcctl", pmc_version());
	add_number(&pairs, "time", time(NULL));
	add_kernel(&pairs);
	add_processor(&pairs, session->device);
	add_number(&pairs, "cpus", sysconf(_SC_NPROCESSORS_CONF));
	add_pair(&pairs, "scope", session_scope_name(session));
	if (session->scope == PMC_SCOPE_CPU)
		add_number(&pairs, "cpu", session->target[0]);
	if (session->core_type)
		add_number(&pairs, "core_type", session->core_type);
	if (session->scope == PMC_SCOPE_PROCESS)
		add_number(&pairs, "pid", session->target[0]);
	if (session->scope == PMC_SCOPE_THREAD && session->num_targets)
		add_number(&pairs, "tid", session->target[0]);
	if (frequency)
		add_number(&pairs, "frequency", frequency);
	for (; *argv; argv++)
		add_pair(&pairs, "argument", *argv);
	result = record_write_section(writer, RECORD_SYSTEM, 0, pairs.data, pairs.size);
	byte_buffer_free(&pairs);
	return result;
}

/* ---- EVENT ---- */

static int write_event(struct record_writer *writer, const struct pmc_event *event,
		       uint32_t counter)
{
	const char *name = pmc_event_label(event);
	struct record_event about = {
		.period = pmc_event_period(event),
		.event_select = pmc_event_select(event),
		.counter = counter,
		.modes = pmc_event_modes(event),
	};
	struct byte_buffer payload = { 0 };
	int result;

	byte_buffer_append(&payload, &about, sizeof(about));
	byte_buffer_append(&payload, name, strlen(name) + 1);
	result = record_write_section(writer, RECORD_EVENT, 0, payload.data, payload.size);
	byte_buffer_free(&payload);
	return result;
}

/* Without this section, readers of version 0.1.0 and this one know that all values are 0. */
static int write_extra(struct record_writer *writer, struct pmc_event *const *event, size_t num)
{
	uint64_t extra[PMC_COUNTERS_MAX], any = 0;
	size_t i;

	for (i = 0; i < num; i++) {
		extra[i] = pmc_event_extra(event[i]);
		any |= extra[i];
	}
	return any ? record_write_section(writer, RECORD_EXTRA, 0, extra, num * sizeof(*extra)) : 0;
}

int record_events_write(struct record_writer *writer, const struct pmc_context *context,
			struct pmc_event *const *event)
{
	size_t num = pmc_context_num_events(context), i;

	for (i = 0; i < num; i++)
		if (write_event(writer, event[i], pmc_context_counter(context, i)))
			return -1;
	return write_extra(writer, event, num);
}

/* ---- KERNEL ---- */

static int write_kernel(struct record_writer *writer, struct collector *collector)
{
	FILE *kallsyms, *modules;
	struct byte_buffer payload = { 0 };
	uint64_t *addresses;
	int result = 0;
	size_t num;

	addresses = address_set_drain(&collector->kernel, &num);
	kallsyms = num ? fopen("/proc/kallsyms", "re") : NULL;
	modules = num ? fopen("/proc/modules", "re") : NULL;
	if (kallsyms && kernel_symbols_add(&payload, kallsyms, modules, addresses, num))
		result = record_write_section(writer, RECORD_KERNEL, 0, payload.data, payload.size);
	else if (num)
		report_error("kernel addresses have no names: /proc/kallsyms hides them; see kernel.kptr_restrict in sysctl(8)");
	if (kallsyms)
		fclose(kallsyms);
	if (modules)
		fclose(modules);
	byte_buffer_free(&payload);
	free(addresses);
	return result;
}

/* ---- FILE ---- */

/* Is the file still the one that was mapped? */
static bool is_same_version(int fd, const struct pmc_mmap *map)
{
	struct stat about;

	return !fstat(fd, &about) && S_ISREG(about.st_mode) && about.st_ino == map->inode;
}

static void add_build_id(struct byte_buffer *payload, int fd)
{
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	const void *build_id;
	ssize_t size = elf ? dwelf_elf_gnu_build_id(elf, &build_id) : 0;

	if (size > 0 && size <= RECORD_BUILD_ID_MAX)
		byte_buffer_append(payload, build_id, size);
	elf_end(elf);
}

static int write_file(struct record_writer *writer, const struct pmc_mmap *map)
{
	int fd = open(map->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct record_mapped mapped = {
		.inode = map->inode,
		.device_major = map->device_major,
		.device_minor = map->device_minor,
		.path_size = strlen(map->path) + 1,
	};
	struct byte_buffer build_id = { 0 }, payload = { 0 };
	int result;

	if (fd >= 0 && is_same_version(fd, map))
		add_build_id(&build_id, fd);
	if (fd >= 0)
		close(fd);
	mapped.build_id_size = build_id.size;
	byte_buffer_append(&payload, &mapped, sizeof(mapped));
	byte_buffer_append(&payload, build_id.data, build_id.size);
	byte_buffer_append(&payload, map->path, mapped.path_size);
	result = record_write_section(writer, RECORD_FILE, 0, payload.data, payload.size);
	byte_buffer_free(&build_id);
	byte_buffer_free(&payload);
	return result;
}

/* ---- VDSO ---- */

/* Size of the image: up to the end of its section headers */
static size_t vdso_size(const Elf64_Ehdr *image)
{
	return image->e_shoff + (size_t)image->e_shnum * image->e_shentsize;
}

static int write_vdso(struct record_writer *writer)
{
	const Elf64_Ehdr *image = (const void *)getauxval(AT_SYSINFO_EHDR);

	if (sizeof(void *) != 8 || !image || memcmp(image->e_ident, ELFMAG, SELFMAG) ||
	    image->e_ident[EI_CLASS] != ELFCLASS64 || vdso_size(image) > 0x10000)
		return 0;
	return record_write_section(writer, RECORD_VDSO, 0, image, vdso_size(image));
}

int record_names_write(struct record_writer *writer, struct collector *collector)
{
	size_t i;

	elf_version(EV_CURRENT);
	if (write_kernel(writer, collector))
		return -1;
	for (i = 0; i < collector->num_files; i++)
		if (write_file(writer, collector->file[i]))
			return -1;
	return collector->vdso ? write_vdso(writer) : 0;
}
