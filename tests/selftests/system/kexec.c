// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the counters that a kernel finds when kexec starts it while they are in use
 *
 * kexec VMLINUX INITRAMFS
 *
 * The program configures a context that counts this thread, one that samples it and one that
 * counts all CPUs; together they have every general counter. Then it calls kexec while the
 * processes live. One more process observes the contexts, and one of its own, in the kernel that
 * ends: counting and CONFIGURE must be refused, and READ must report the end. In the next kernel
 * this program is init: no event select may be enabled, the global control must be as before,
 * perf must have its counters, and the driver must count. It needs the emulator
 * (tests/selftests/system/kexec.guest); the processes of both kernels write TAP to port E9H, see
 * tests/machine/guest/init.c.
 *
 * kexec_load() takes an unpacked kernel: to unpack one, or to compute the checksums for
 * kexec_file_load(), would take the emulator half a minute.
 */
#include <asm/bootparam.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/kexec.h>
#include <linux/reboot.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/io.h>
#include <sys/ioctl.h>
#include <sys/klog.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frame.h"
#include "pmc.h"
#include "registers.h"

#define LOG_READ_ALL	3
#define LOG_MAX		(1 << 20)

/* Addresses of the next kernel's parameters, command line, start code and files */
#define NEXT_PARAMS	0x8000000UL
#define NEXT_ARGUMENTS	(NEXT_PARAMS + 0x1000)
#define NEXT_START	(NEXT_PARAMS + 0x2000)
#define NEXT_FILES	(NEXT_PARAMS + 0x200000)
#define PAGE		0x1000UL
#define SEGMENTS_MAX	16

#define PERIOD		1000003
#define GENERAL		4 /* general counters of the emulated processor */

/* The global control of a CPU before anything was counted, in the environment */
#define FOUND		"FOUND_CPU"

/* ---- output to the host ---- */

static bool failed;

static __attribute__((format(printf, 2, 3))) void result(bool good, const char *name, ...)
{
	char text[512], words[400];
	va_list list;
	int size;

	va_start(list, name);
	vsnprintf(words, sizeof(words), name, list);
	va_end(list);
	failed |= !good;
	size = snprintf(text, sizeof(text), "%sok - %s\n", good ? "" : "not ", words);
	send_frame('O', text, size);
}

/* The plan for the results of both kernels: those of watch() and of look() */
static void send_plan(void)
{
	int results = 4 + 2 + cpus_online() * (GENERAL + 2) + 4;
	char text[32];
	int size = snprintf(text, sizeof(text), "1..%d\n", results);

	send_frame('O', text, size);
}

/* ---- the kernel that ends ---- */

static struct kexec_segment segments[SEGMENTS_MAX];
static unsigned int nr_segments;

static void add_segment(unsigned long address, const void *data, size_t size, size_t in_memory)
{
	if (nr_segments == SEGMENTS_MAX)
		exit(1);
	segments[nr_segments++] = (struct kexec_segment){
		.buf = data,
		.bufsz = size,
		.mem = (void *)address,
		.memsz = (in_memory + PAGE - 1) & -PAGE,
	};
}

static const void *map_file(const char *name, size_t *size)
{
	int fd = open(name, O_RDONLY);
	const void *data;
	struct stat stat;

	if (fd < 0 || fstat(fd, &stat)) {
		perror(name);
		exit(1);
	}
	data = mmap(NULL, stat.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED) {
		perror(name);
		exit(1);
	}
	close(fd);
	*size = stat.st_size;
	return data;
}

static unsigned long add_kernel(const char *name)
{
	size_t size;
	const unsigned char *file = map_file(name, &size);
	const Elf64_Ehdr *elf = (const void *)file;
	const Elf64_Phdr *part = (const void *)(file + elf->e_phoff);
	int i;

	for (i = 0; i < elf->e_phnum; i++) {
		if (part[i].p_type == PT_LOAD)
			add_segment(part[i].p_paddr, file + part[i].p_offset, part[i].p_filesz,
				    part[i].p_memsz);
	}
	return elf->e_entry;
}

static void read_all(const char *name, void *data, size_t size)
{
	int fd = open(name, O_RDONLY);

	if (fd < 0 || read(fd, data, size) <= 0) {
		perror(name);
		exit(1);
	}
	close(fd);
}

/* Pass the values to the next kernel: unknown parameters become init's environment. */
static void add_found(char *arguments, size_t size)
{
	uint64_t value;
	int cpu, used;

	for (cpu = 0; cpu < cpus_online(); cpu++) {
		if (msr_read(cpu, IA32_GLOBAL_CTRL, &value))
			exit(1);
		used = snprintf(arguments, size, " " FOUND "%d=%llx", cpu,
				(unsigned long long)value);
		arguments += used;
		size -= used;
	}
}

/* The parameters of this kernel, except for the files */
static void add_parameters(const char *initramfs, unsigned long entry)
{
	static struct boot_params params;
	static char arguments[PAGE];
	static unsigned char start[] = {
		0x48, 0xbe, 0, 0, 0, 0, 0, 0, 0, 0,	/* mov $NEXT_PARAMS, %rsi */
		0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0,	/* mov $entry, %rax */
		0xff, 0xe0,				/* jmp *%rax */
	};
	const unsigned long where = NEXT_PARAMS;
	const void *files;
	size_t size;

	files = map_file(initramfs, &size);
	read_all("/sys/kernel/boot_params/data", &params, sizeof(params));
	params.hdr.ramdisk_image = NEXT_FILES;
	params.hdr.ramdisk_size = size;
	params.hdr.cmd_line_ptr = NEXT_ARGUMENTS;
	params.hdr.setup_data = 0;
	params.ext_ramdisk_image = 0;
	params.ext_ramdisk_size = 0;
	params.ext_cmd_line_ptr = 0;
	read_all("/proc/cmdline", arguments, sizeof(arguments) / 2);
	arguments[strcspn(arguments, "\n")] = 0;
	add_found(arguments + strlen(arguments), sizeof(arguments) / 2);
	memcpy(start + 2, &where, sizeof(where));
	memcpy(start + 12, &entry, sizeof(entry));
	add_segment(NEXT_PARAMS, &params, sizeof(params), PAGE);
	add_segment(NEXT_ARGUMENTS, arguments, sizeof(arguments), PAGE);
	add_segment(NEXT_START, start, sizeof(start), PAGE);
	add_segment(NEXT_FILES, files, size, size);
}

static int count(struct setup *setup)
{
	int fd = pmc_open();
	int err = fd < 0 ? fd : setup_configure(fd, setup);

	return err ? err : pmc_call(fd, PMC_IOC_START, NULL) ? -EIO : fd;
}

/* Count this thread, which is to watch. Its counter is one that no other context has. */
static int count_watcher(void)
{
	struct setup setup;

	setup_thread(&setup, 0, 0);
	setup_add(&setup, PMC_COUNTER_FIXED(2), 0, PMC_COUNT_USER);
	return count(&setup);
}

static int configure_here(void)
{
	struct setup setup;
	int fd = pmc_open(), err;

	setup_thread(&setup, 0, 0);
	setup_add(&setup, PMC_COUNTER_FIXED(1), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	err = setup_configure(fd, &setup);
	close(fd);
	return err;
}

static bool is_uncounted(int fd)
{
	struct reading reading;

	return !reading_read(fd, &reading) && reading.state & PMC_STATE_UNCOUNTED;
}

/*
 * Wait until CPU 0 has stopped counting, then check the state. kexec moves its task to CPU 0; this
 * process has a real-time priority, so that task continues when the check is done. No switch of
 * tasks has marked @self, a context of this thread.
 */
static void watch(int self, int thread, int cpus)
{
	uint64_t left;
	int err;

	do {
		err = msr_read(0, MSR_SELECT0 + 1, &left);
	} while (!err && left & SELECT_ENABLE);
	result(is_uncounted(self), "READ of a thread that runs meanwhile reports the end");
	err = configure_here();
	result(err == -ENODEV, "nothing is configured any more: %s", strerror(-err));
	result(is_uncounted(cpus), "READ of all CPUs reports the end");
	result(is_uncounted(thread), "READ of a thread reports the end");
	for (;;)
		pause();
}

/* Use all general counters: count this thread, sample it, and count all CPUs. */
static int use_counters(int *thread, int *cpus)
{
	struct setup setup;
	unsigned int i;
	int sampled;

	setup_thread_one(&setup, 0, 0);
	*thread = count(&setup);
	setup_thread(&setup, 0, 0);
	setup_add(&setup, PMC_COUNTER_GENERAL(2), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	setup.counter[0].period = PERIOD;
	sampled = count(&setup);
	setup_all_cpus(&setup);
	setup_add(&setup, PMC_COUNTER_GENERAL(1), EVENT_INSTRUCTIONS,
		  PMC_COUNT_USER | PMC_COUNT_KERNEL);
	/* perf fails if it finds only enabled counters */
	for (i = 3; i < GENERAL; i++)
		setup_add(&setup, PMC_COUNTER_GENERAL(i), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	setup_add(&setup, PMC_COUNTER_FIXED(0), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	*cpus = count(&setup);
	if (*thread >= 0 && sampled >= 0 && *cpus >= 0)
		return 0;
	fprintf(stderr, "cannot count: %d %d %d\n", *thread, sampled, *cpus);
	return -1;
}

static int go_on(char **files)
{
	const struct sched_param first = { .sched_priority = 1 };
	int self, thread, cpus;
	unsigned long entry;
	int there[2];
	char byte;

	entry = add_kernel(files[0]);
	add_parameters(files[1], entry);
	if (syscall(SYS_kexec_load, NEXT_START, (unsigned long)nr_segments, segments,
		    KEXEC_ARCH_DEFAULT)) {
		perror("kexec_load");
		return 1;
	}
	if (use_counters(&thread, &cpus))
		return 1;
	if (iopl(3)) {
		perror("iopl");
		return 1;
	}
	/* on CPU 0 the next kernel's perf has written before this check runs there */
	if (pin(0, 1) || pipe(there)) {
		perror("pipe");
		return 1;
	}
	if (!fork()) {
		self = count_watcher();
		if (self < 0 || pin(0, 0) || sched_setscheduler(0, SCHED_FIFO, &first) ||
		    write(there[1], "", 1) != 1)
			_exit(1);
		watch(self, thread, cpus);
	}
	close(there[1]);
	if (read(there[0], &byte, 1) != 1) {
		fputs("cannot watch\n", stderr);
		return 1;
	}
	send_plan();
	reboot(LINUX_REBOOT_CMD_KEXEC);
	perror("reboot");
	return 1;
}

/* ---- the next kernel ---- */

static int load(const char *name)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC);
	int err = syscall(SYS_finit_module, fd, "", 0) ? -errno : 0;

	close(fd);
	return err;
}

static void expect(int cpu, uint32_t address, uint64_t right, const char *name)
{
	uint64_t value = ~0ULL;
	int err = msr_read(cpu, address, &value);

	result(!err && value == right, "CPU %d: %s is %llx, should be %llx", cpu, name,
	       (unsigned long long)value, (unsigned long long)right);
}

static uint64_t found(int cpu)
{
	char name[32];

	snprintf(name, sizeof(name), FOUND "%d", cpu);
	return getenv(name) ? strtoull(getenv(name), NULL, 16) : ~0ULL;
}

static void look(void)
{
	struct pmc_query query = { 0 };
	struct reading reading;
	struct setup setup;
	unsigned int i;
	char name[32];
	int cpu, fd, err;

	result(!access("/sys/bus/event_source/devices/cpu", F_OK), "perf has counters");
	result(!load("/msr.ko"), "the registers can be read");
	for (cpu = 0; cpu < cpus_online(); cpu++) {
		for (i = 0; i < GENERAL; i++) {
			snprintf(name, sizeof(name), "event select %u", i);
			expect(cpu, MSR_SELECT0 + i, 0, name);
		}
		expect(cpu, IA32_FIXED_CTR_CTRL, 0, "control of the fixed counters");
		expect(cpu, IA32_GLOBAL_CTRL, found(cpu), "global control");
	}
	result(!load("/pmcdrv.ko"), "the driver is loaded");
	result(!pmc_query(0, &query) && query.status == PMC_STATUS_OK, "it has counters");
	setup_thread_one(&setup, 0, 0);
	fd = count(&setup);
	result(fd >= 0, "a thread is counted");
	err = reading_read(fd, &reading);
	result(!err && reading.value[0] && !(reading.state & PMC_STATE_UNCOUNTED),
	       "and really counted");
}

static void first_process(void)
{
	static const char *const mounts[][2] = {
		{ "devtmpfs", "/dev" }, { "proc", "/proc" }, { "sysfs", "/sys" },
	};
	static char log[LOG_MAX];
	unsigned int i;
	int size;

	for (i = 0; i < sizeof(mounts) / sizeof(*mounts); i++) {
		mkdir(mounts[i][1], 0755);
		mount("none", mounts[i][1], mounts[i][0], 0, NULL);
	}
	iopl(3);
	look();
	send_frame('X', failed ? "\1" : "\0", 1);
	size = klogctl(LOG_READ_ALL, log, sizeof(log));
	if (size > 0)
		send_frame('L', log, size);
	end_machine();
}

int main(int argc, char **argv)
{
	if (getpid() == 1)
		first_process();
	if (argc != 3) {
		fputs("usage: kexec VMLINUX INITRAMFS\n", stderr);
		return 1;
	}
	return go_on(argv + 1);
}
