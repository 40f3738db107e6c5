// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the mmap records of samples: written once for each range, directly after the first
 * sample there, with the contents of /proc/PID/maps
 */
#include <limits.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>

#include "kselftest_harness.h"
#include "fixture.h"
#include "call_depth.h"
#include "process_tree.h"
#include "samples.h"

#define PERIOD		20011
#define SPIN		200000	/* rounds of two instructions: some samples */
#define MAPS_SEEN	64

FIXTURE(maps) {
	SAMPLING_FIXTURE;
	struct program programs[PROGRAMS_MAX];
	int nr_programs;
	char self[PATH_MAX];
	struct pmc_statistics statistics;
	struct seen {
		struct pmc_mmap map;
		char path[PATH_MAX];
		uint64_t ip;
	} seen[MAPS_SEEN];
	unsigned int nr;
	uint64_t period;
	uint64_t tsc; /* of the last record */
};

/*
 * "PROGRAM --spin-then-exec PROGRAM...": run long enough for samples, without anything of the
 * test, and execute the next program.
 */
static __attribute__((constructor)) void spin_then_exec(int argc, char **argv)
{
	unsigned int i;

	if (argc < 3 || strcmp(argv[1], "--spin-then-exec"))
		return;
	for (i = 0; i < SPIN; i++)
		asm volatile("");
	execv(argv[2], argv + 2);
	_exit(126);
}

FIXTURE_SETUP(maps)
{
	ssize_t length;

	NEED_SAMPLING(&self->query);
	length = readlink("/proc/self/exe", self->self, sizeof(self->self) - 1);
	ASSERT_LT(0, length);
	self->nr_programs = programs_load(self->programs);
	ASSERT_LT(0, self->nr_programs);
	ASSERT_EQ(0, pin(0, 0));
	OPEN_DEVICE(self->fd);
	self->period = PERIOD;
}

FIXTURE_TEARDOWN_CLOSE(maps)

static void begin(struct __test_metadata *_metadata, struct _test_data_maps *self)
{
	setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	setup_period(&self->setup, 0, self->period);
	self->setup.config.sample_flags |= PMC_SAMPLE_MMAPS;
	CONFIGURE_SAMPLING();
	self->nr = 0;
}

/* Was that address already reported for that thread? */
static bool is_reported(const struct _test_data_maps *self, int tid, uint64_t ip)
{
	unsigned int i;

	for (i = 0; i < self->nr; i++) {
		if (self->seen[i].map.tid == tid && ip >= self->seen[i].map.start &&
		    ip < self->seen[i].map.end)
			return true;
	}
	return false;
}

/* Are all bytes behind the path 0? */
static bool is_padded(const struct pmc_mmap *map)
{
	const char *end = (const char *)map + map->record.size;
	const char *at = map->path + strlen(map->path);

	while (at < end && !*at)
		at++;
	return at == end;
}

/* The time of a record of a ring is behind that of the record before it. */
static void expect_later(struct __test_metadata *_metadata, struct _test_data_maps *self,
			 uint64_t tsc)
{
	EXPECT_LT(self->tsc, tsc);
	self->tsc = tsc;
}

/* Consume CPU 0's ring: a sample in an unknown range is followed directly by its mmap record. */
static void consume_ring(struct __test_metadata *_metadata, struct _test_data_maps *self)
{
	const struct pmc_record *record;
	const struct pmc_sample *sample;
	const struct pmc_mmap *map;
	uint64_t ip = 0;

	while ((record = ring_next(&self->rings.ring[0]))) {
		tally_record(&self->tally, record, 0);
		if (record->type == PMC_RECORD_SAMPLE) {
			sample = (const void *)record;
			expect_later(_metadata, self, sample->tsc);
			ASSERT_EQ(0, ip) TH_LOG("no mmap record for %#llx", (long long)ip);
			if (!is_reported(self, sample->tid, sample->ip))
				ip = sample->ip;
		} else if (record->type == PMC_RECORD_MMAP) {
			map = (const void *)record;
			ASSERT_GT(MAPS_SEEN, self->nr);
			ASSERT_LT(sizeof(*map), record->size);
			ASSERT_GT(sizeof(*map) + PATH_MAX, record->size);
			expect_later(_metadata, self, map->tsc);
			EXPECT_TRUE(is_padded(map));
			self->seen[self->nr].map = *map;
			self->seen[self->nr].ip = ip;
			snprintf(self->seen[self->nr].path, sizeof(self->seen[0].path), "%s",
				 map->path);
			EXPECT_EQ((sizeof(*map) + strlen(map->path) + 8) / 8 * 8, record->size);
			EXPECT_LE(map->start, ip);
			EXPECT_GT(map->end, ip);
			self->nr++;
			ip = 0;
		}
		ring_done(&self->rings.ring[0], record);
	}
	EXPECT_EQ(0, ip) TH_LOG("no mmap record for %#llx", (long long)ip);
	EXPECT_STREQ("", self->tally.wrong);
}

/* The line of /proc/self/maps with that address */
static int maps_line(uint64_t address, struct seen *line)
{
	unsigned long long start, end, offset, inode;
	unsigned int major, minor;
	FILE *file = fopen("/proc/self/maps", "r");
	char text[PATH_MAX + 256];
	int at, err = -ENOENT;

	memset(line, 0, sizeof(*line));
	while (file && err && fgets(text, sizeof(text), file)) {
		at = 0;
		if (sscanf(text, "%llx-%llx %*s %llx %x:%x %llu %n", &start, &end, &offset,
			   &major, &minor, &inode, &at) < 6 || address < start || address >= end)
			continue;
		line->map.start = start;
		line->map.end = end;
		line->map.offset = offset;
		line->map.inode = inode;
		line->map.device_major = major;
		line->map.device_minor = minor;
		text[strcspn(text, "\n")] = 0;
		snprintf(line->path, sizeof(line->path), "%s", at ? text + at : "");
		err = 0;
	}
	if (file)
		fclose(file);
	return err;
}

/* The record matches /proc/self/maps; @name: the name in brackets instead. */
static void expect_mapped(struct __test_metadata *_metadata, const struct seen *seen,
			  const char *name)
{
	struct seen line;

	ASSERT_EQ(0, maps_line(seen->ip, &line));
	EXPECT_EQ(line.map.start, seen->map.start);
	EXPECT_EQ(line.map.end, seen->map.end);
	if (line.map.inode)
		EXPECT_EQ(line.map.offset, seen->map.offset);
	EXPECT_EQ(line.map.inode, seen->map.inode);
	EXPECT_EQ(line.map.device_major, seen->map.device_major);
	EXPECT_EQ(line.map.device_minor, seen->map.device_minor);
	EXPECT_STREQ(name ? name : line.path, seen->path);
	EXPECT_EQ(getpid(), seen->map.pid);
	EXPECT_EQ(gettid(), seen->map.tid);
}

static const struct seen *seen_at(const struct _test_data_maps *self, uint64_t address)
{
	unsigned int i;

	for (i = 0; i < self->nr; i++) {
		if (address >= self->seen[i].map.start && address < self->seen[i].map.end)
			return &self->seen[i];
	}
	return NULL;
}

/* A loop of this many rounds, as code */
static const unsigned char code[] = {
	0x48, 0xff, 0xcf,	/* dec	%rdi */
	0x75, 0xfb,		/* jnz	of itself */
	0xc3,			/* ret */
};

/* One step, which is executed at most this many times */
static const unsigned char step[] = {
	0x48, 0xff, 0xcf,	/* dec	%rdi */
	0x75, 0x01,		/* jnz	past the next */
	0xc3,			/* ret */
	0xe9, 0, 0, 0, 0,	/* jmp to the next step */
};

/* Sample this thread in the code at @at, and what else it happens to execute. */
static void run_at(struct __test_metadata *_metadata, struct _test_data_maps *self, void *at)
{
	void (*function)(unsigned long rounds) = at;

	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	function(SPIN);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
}

/* The program itself */
TEST_F(maps, program_text)
{
	setup_thread(&self->setup, 0, 0);
	begin(_metadata, self);
	ASSERT_EQ(0, sampled_loop(self->fd, SPIN, PMC_IOC_START, PMC_IOC_STOP));
	consume_ring(_metadata, self);
	ASSERT_EQ(1, self->nr);
	EXPECT_STREQ(self->self, self->seen[0].path);
	expect_mapped(_metadata, &self->seen[0], NULL);
	/* reported once */
	ASSERT_EQ(0, sampled_loop(self->fd, SPIN, PMC_IOC_START, PMC_IOC_STOP));
	consume_ring(_metadata, self);
	EXPECT_EQ(1, self->nr);
	EXPECT_LT(20, self->tally.samples);
}

/* Not requested, not reported */
TEST_F(maps, not_requested)
{
	setup_thread(&self->setup, 0, 0);
	begin(_metadata, self);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	rings_unmap(&self->rings);
	self->setup.config.sample_flags = 0;
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(0, rings_map(&self->rings, self->fd, &self->setup));
	ASSERT_EQ(0, sampled_loop(self->fd, SPIN, PMC_IOC_START, PMC_IOC_STOP));
	tally_rings(&self->tally, &self->rings);
	EXPECT_LT(10, self->tally.samples);
	EXPECT_EQ(0, self->tally.maps);
}

/* Code that belongs to no file */
TEST_F(maps, anonymous)
{
	unsigned char *page = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const struct seen *seen;

	ASSERT_NE(MAP_FAILED, page);
	memcpy(page + 4096, code, sizeof(code));
	setup_thread(&self->setup, 0, 0);
	begin(_metadata, self);
	run_at(_metadata, self, page + 4096);
	consume_ring(_metadata, self);
	seen = seen_at(self, (uintptr_t)page);
	ASSERT_NE(NULL, seen);
	expect_mapped(_metadata, seen, "[anonymous]");
	EXPECT_EQ(0, seen->map.inode);
}

/*
 * Two ranges side by side: the first address of the second one belongs to it alone. All samples of
 * the second one have that address.
 */
TEST_F(maps, adjacent)
{
	static const unsigned char around[] = {
		0x48, 0x89, 0xf9,	/* mov	%rdi, %rcx: in the first range */
		0xe2, 0xfe,		/* loop	to itself */
		0xc3,			/* ret */
	};
	unsigned char *page = mmap(NULL, 2 * 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned char *second = page + 4096;
	const struct seen *seen;

	ASSERT_NE(MAP_FAILED, page);
	memcpy(page, code, sizeof(code));
	memcpy(second - 3, around, sizeof(around));
	ASSERT_EQ(0, mprotect(page, 4096, PROT_READ | PROT_EXEC));
	setup_thread(&self->setup, 0, 0);
	begin(_metadata, self);
	run_at(_metadata, self, page);
	run_at(_metadata, self, second - 3);
	consume_ring(_metadata, self);
	seen = seen_at(self, (uintptr_t)page);
	ASSERT_NE(NULL, seen);
	expect_mapped(_metadata, seen, "[anonymous]");
	EXPECT_EQ((uintptr_t)second, seen->map.end);
	seen = seen_at(self, (uintptr_t)second);
	ASSERT_NE(NULL, seen);
	EXPECT_EQ((uintptr_t)second, seen->ip);
	EXPECT_EQ((uintptr_t)second, seen->map.start);
	expect_mapped(_metadata, seen, "[anonymous]");
}

/* A file mapped from its middle, as a library is */
static void run_mapped(struct __test_metadata *_metadata, struct _test_data_maps *self, int file,
		       const char *path, bool layered)
{
	const struct seen *seen;
	struct stat stat;
	char *pages;

	ASSERT_LE(0, file);
	ASSERT_EQ(0, ftruncate(file, 6 * 4096));
	ASSERT_EQ(sizeof(code), pwrite(file, code, sizeof(code), 4 * 4096));
	ASSERT_EQ(0, fstat(file, &stat));
	pages = mmap(NULL, 2 * 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 3 * 4096);
	ASSERT_NE(MAP_FAILED, pages);
	setup_thread(&self->setup, 0, 0);
	begin(_metadata, self);
	run_at(_metadata, self, pages + 4096);
	consume_ring(_metadata, self);
	seen = seen_at(self, (uintptr_t)pages);
	ASSERT_NE(NULL, seen);
	EXPECT_EQ((uintptr_t)pages, seen->map.start);
	EXPECT_EQ((uintptr_t)pages + 2 * 4096, seen->map.end);
	EXPECT_EQ(3 * 4096, seen->map.offset);
	/* stat() reports the overlay; /proc/PID/maps before Linux 6.7 the layer */
	if (!layered) {
		EXPECT_EQ(stat.st_ino, seen->map.inode);
		EXPECT_EQ(major(stat.st_dev), seen->map.device_major);
		EXPECT_EQ(minor(stat.st_dev), seen->map.device_minor);
	}
	EXPECT_STREQ(path, seen->path);
	if (path[0] != '[')
		expect_mapped(_metadata, seen, NULL);
	munmap(pages, 2 * 4096);
	RELEASE_SAMPLING();
}

static void run_file(struct __test_metadata *_metadata, struct _test_data_maps *self, int file,
		     const char *path)
{
	run_mapped(_metadata, self, file, path, false);
}

/* A file of an overlay has the path and inode of the overlay, not of the layer. */
TEST_F(maps, overlay)
{
	char folder[] = "/tmp/pmc-overlay-XXXXXX", command[512], path[64];
	int file, err;

	NEED_ROOT();
	ASSERT_NE(NULL, mkdtemp(folder));
	snprintf(command, sizeof(command), "mount -t tmpfs none %s && cd %s && "
		 "mkdir lower upper work merged && mount -t overlay none "
		 "-o lowerdir=lower,upperdir=upper,workdir=work merged 2>/dev/null",
		 folder, folder);
	err = system(command);
	snprintf(path, sizeof(path), "%s/merged/file", folder);
	if (!err) {
		file = open(path, O_CREAT | O_RDWR, 0700);
		run_mapped(_metadata, self, file, path, true);
		close(file);
	}
	snprintf(command, sizeof(command), "umount %s/merged; umount %s; rmdir %s 2>/dev/null",
		 folder, folder, folder);
	system(command);
	if (err)
		SKIP(return, "no overlayfs");
}

TEST_F(maps, file)
{
	char path[] = "/tmp/pmc-maps-XXXXXX", deleted[64];
	int file = mkstemp(path);

	run_file(_metadata, self, file, path);
	unlink(path);
	snprintf(deleted, sizeof(deleted), "%s (deleted)", path);
	run_file(_metadata, self, file, deleted);
	close(file);
	file = memfd_create("code", MFD_CLOEXEC);
	run_file(_metadata, self, file, "/memfd:code (deleted)");
	close(file);
}

/* Each directory of the path has 100 bytes with its slash; the file's name fills up the length. */
static int deep_file(char *path, size_t length)
{
	char part[101], name[NAME_MAX + 1];
	size_t depth = strlen(path);
	int folder = open(path, O_PATH | O_CLOEXEC), next, file;

	memset(part, 'd', sizeof(part));
	part[0] = '/';
	part[100] = 0;
	while (length - depth > 200) {
		if (mkdirat(folder, part + 1, 0700))
			return -errno;
		next = openat(folder, part + 1, O_PATH | O_CLOEXEC);
		close(folder);
		folder = next;
		strcat(path, part);
		depth += 100;
	}
	memset(name, 'f', sizeof(name));
	name[length - depth - 1] = 0;
	file = openat(folder, name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	strcat(strcat(path, "/"), name);
	close(folder);
	return file < 0 ? -errno : file;
}

static void remove_tree(const char *path)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", path);
	if (system(command))
		perror(command);
}

/* Paths of the longest length that the driver reports, and longer ones */
TEST_F(maps, long_paths)
{
	static const size_t lengths[] = { 255, 1000, 1023, 1024, 2000, 4000 };
	char path[PATH_MAX];
	unsigned int i;
	int file;

	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		snprintf(path, sizeof(path), "/tmp/pmc-deep-XXXXXX");
		ASSERT_NE(NULL, mkdtemp(path));
		file = deep_file(path, lengths[i]);
		ASSERT_EQ(lengths[i], strlen(path));
		run_file(_metadata, self, file, lengths[i] < 1024 ? path : "[path too long]");
		close(file);
		path[20] = 0;
		remove_tree(path);
	}
}

/* The kernel's code in user mode */
TEST_F(maps, vdso)
{
	struct timespec now;
	unsigned int i;

	setup_thread(&self->setup, 0, 0);
	begin(_metadata, self);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	for (i = 0; i < 30000; i++)
		clock_gettime(CLOCK_MONOTONIC, &now);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	consume_ring(_metadata, self);
	for (i = 0; i < self->nr; i++) {
		if (!strcmp(self->seen[i].path, "[vdso]"))
			break;
	}
	if (i == self->nr)
		SKIP(return, "the time is not read in user mode here");
	expect_mapped(_metadata, &self->seen[i], "[vdso]");
}

/* More ranges than the driver remembers: reported again, never incorrectly */
TEST_F(maps, many_ranges)
{
	enum { RANGES = 12 };
	unsigned char *page[RANGES];
	unsigned int i, round;

	for (i = 0; i < RANGES; i++) {
		/* a gap between any two */
		page[i] = mmap(NULL, 2 * 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		ASSERT_NE(MAP_FAILED, page[i]);
		ASSERT_EQ(0, mprotect(page[i] + 4096, 4096, PROT_NONE));
		memcpy(page[i], code, sizeof(code));
	}
	setup_thread(&self->setup, 0, 0);
	begin(_metadata, self);
	for (round = 0; round < 3; round++) {
		for (i = 0; i < RANGES; i++)
			run_at(_metadata, self, page[i]);
	}
	tally_rings(&self->tally, &self->rings);
	EXPECT_STREQ("", self->tally.wrong);
	EXPECT_LE(RANGES, self->tally.maps);
	ASSERT_EQ(0, statistics_read(self->fd, &self->statistics));
	EXPECT_EQ(0, self->statistics.mmaps_lost);
}

/* A range for each step of a cycle; each step jumps to the next. */
static void *walk_of(unsigned int ranges)
{
	unsigned char *first, *page, *last = NULL;
	int distance;

	first = mmap(NULL, 2 * ranges * 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (first == MAP_FAILED)
		return NULL;
	last = first + 2 * (ranges - 1) * 4096;
	for (page = first; page <= last; page += 2 * 4096) {
		distance = (page == last ? first : page + 2 * 4096) - (page + sizeof(step));
		memcpy(page, step, sizeof(step));
		memcpy(page + sizeof(step) - sizeof(distance), &distance, sizeof(distance));
		if (mprotect(page + 4096, 4096, PROT_NONE))
			return NULL;
	}
	return first;
}

/*
 * Each sample lies in a range that is reported again: the interrupt takes less than half of the
 * time, and the work after it more.
 */
TEST_F(maps, throttled)
{
	void (*walk)(unsigned long steps) = walk_of(12);

	ASSERT_NE(NULL, walk);
	setup_thread(&self->setup, 0, 0);
	self->setup.config.ring_size = 1 << 20;
	self->period = 10;
	begin(_metadata, self);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	walk(20000);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	tally_rings(&self->tally, &self->rings);
	EXPECT_STREQ("", self->tally.wrong);
	ASSERT_EQ(0, statistics_read(self->fd, &self->statistics));
	EXPECT_LT(0, self->statistics.throttled);
}

/*
 * The ring has no room for the record: it is counted as lost, and written once there is room
 * again.
 */
TEST_F(maps, ring_full)
{
	unsigned char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned int i;

	ASSERT_NE(MAP_FAILED, page);
	memcpy(page, code, sizeof(code));
	setup_thread(&self->setup, 0, 0);
	self->setup.config.ring_size = 4096;
	begin(_metadata, self);
	/* the ring is filled up to the last sample that fits */
	for (i = 0; i < 100; i++) {
		ASSERT_EQ(0, sampled_loop(self->fd, PERIOD / 2, PMC_IOC_START, PMC_IOC_STOP));
		ASSERT_EQ(0, statistics_read(self->fd, &self->statistics));
		if (4096 - self->rings.ring[0].shared->head < 2 * sizeof(struct pmc_sample) + 8)
			break;
	}
	EXPECT_EQ(0, self->statistics.lost);
	EXPECT_EQ(0, self->statistics.mmaps_lost);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	((void (*)(unsigned long))page)(SPIN);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	ASSERT_EQ(0, statistics_read(self->fd, &self->statistics));
	EXPECT_LT(0, self->statistics.lost);
	EXPECT_LE(1, self->statistics.mmaps_lost);
	self->tally.gaps = true;
	tally_rings(&self->tally, &self->rings);
	EXPECT_EQ(1, self->tally.maps);
	EXPECT_STREQ("", self->tally.wrong);

	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	((void (*)(unsigned long))page)(SPIN);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	tally_rings(&self->tally, &self->rings);
	EXPECT_EQ(2, self->tally.maps);
	EXPECT_STREQ("", self->tally.wrong);
}

/* A program's mmap record from its exec on has the contents of the file system. */
static void expect_program(struct __test_metadata *_metadata, const struct seen *seen,
			   const char *path, pid_t pid)
{
	struct range text;
	struct stat stat_;

	ASSERT_EQ(0, stat(path, &stat_));
	ASSERT_EQ(0, text_range(path, &text));
	EXPECT_STREQ(path, seen->path);
	EXPECT_EQ(text.begin & -4096UL, seen->map.start);
	EXPECT_EQ((text.end + 4095) & -4096UL, seen->map.end);
	EXPECT_EQ(stat_.st_ino, seen->map.inode);
	EXPECT_EQ(major(stat_.st_dev), seen->map.device_major);
	EXPECT_EQ(minor(stat_.st_dev), seen->map.device_minor);
	EXPECT_EQ(pid, seen->map.pid);
	EXPECT_EQ(pid, seen->map.tid);
}

TEST_F(maps, program_from_its_exec)
{
	const struct program *loop = program_named("./loop-1m");
	char path[PATH_MAX];
	struct child child;

	ASSERT_NE(NULL, loop);
	ASSERT_NE(NULL, realpath(loop->argv[0], path));
	ASSERT_EQ(0, child_program(&child, loop));
	setup_thread(&self->setup, child.pid, PMC_CONFIG_ON_EXEC);
	begin(_metadata, self);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	ASSERT_EQ(0, child_run(&child));
	consume_ring(_metadata, self);
	ASSERT_EQ(1, self->nr);
	EXPECT_SAMPLES(loop->instructions / PERIOD, PERIOD, self->tally.samples);
	expect_program(_metadata, &self->seen[0], path, child.pid);
}

static int copy_file(const char *from, const char *to)
{
	char buffer[65536];
	int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_EXCL, 0700);
	ssize_t length = -1;

	while (in >= 0 && out >= 0 && (length = read(in, buffer, sizeof(buffer))) > 0) {
		if (write(out, buffer, length) != length)
			return -EIO;
	}
	close(in);
	close(out);
	return length ? -EIO : 0;
}

/*
 * Other files at the same addresses: each exec causes a new record, also after a short program
 * without a sample.
 */
TEST_F(maps, after_exec)
{
	static const char copy[] = "/tmp/pmc-maps-copy";
	char loop[PATH_MAX];
	struct program program = {
		.argv = { self->self, "--spin-then-exec", "./exec", (char *)copy,
			  "--spin-then-exec", "./exec", "./exec", self->self, "--spin-then-exec",
			  "./loop-1m", NULL },
	};
	const char *const expected[] = { self->self, copy, self->self, loop };
	struct child child;
	unsigned int i;

	unlink(copy);
	ASSERT_NE(NULL, realpath("./loop-1m", loop));
	ASSERT_EQ(0, copy_file(self->self, copy));
	ASSERT_EQ(0, child_program(&child, &program));
	setup_thread(&self->setup, child.pid, PMC_CONFIG_ON_EXEC);
	begin(_metadata, self);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	ASSERT_EQ(0, child_run(&child));
	/* the same addresses are reused: the ranges reported before are invalid */
	for (i = 0; i < ARRAY_SIZE(expected); i++) {
		const struct pmc_record *record;

		while ((record = ring_next(&self->rings.ring[0])) &&
		       record->type != PMC_RECORD_MMAP)
			ring_done(&self->rings.ring[0], record);
		ASSERT_NE(NULL, record) TH_LOG("no map of %s", expected[i]);
		self->seen[0].map = *(const struct pmc_mmap *)record;
		snprintf(self->seen[0].path, sizeof(self->seen[0].path), "%s",
			 ((const struct pmc_mmap *)record)->path);
		expect_program(_metadata, &self->seen[0], expected[i], child.pid);
		ring_done(&self->rings.ring[0], record);
	}
	unlink(copy);
}

/* Each child of a tree has its own records. */
TEST_F(maps, children)
{
	const struct program *loop = program_named("./loop-1m");
	struct child child[3];
	unsigned int i;

	setup_follow(&self->setup, PMC_SCOPE_TREE, 0, 0);
	begin(_metadata, self);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	for (i = 0; i < ARRAY_SIZE(child); i++) {
		ASSERT_EQ(0, child_program(&child[i], loop));
		ASSERT_EQ(0, child_run(&child[i]));
	}
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	consume_ring(_metadata, self);
	for (i = 0; i < ARRAY_SIZE(child); i++) {
		unsigned int m, own = 0;

		for (m = 0; m < self->nr; m++)
			own += self->seen[m].map.tid == child[i].pid &&
			       strstr(self->seen[m].path, "/loop-1m");
		EXPECT_EQ(1, own);
	}
}

/* On a CPU, each process that runs there has its own records, at the same addresses too. */
TEST_F(maps, processes_on_a_cpu)
{
	static const char copy[] = "/tmp/pmc-maps-copy";
	struct program program[2] = {
		{ .argv = { self->self, "--spin-then-exec", "./loop-1m", NULL } },
		{ .argv = { (char *)copy, "--spin-then-exec", "./loop-1m", NULL } },
	};
	struct child child[2];
	unsigned int i;

	NEED_ROOT();
	unlink(copy);
	ASSERT_EQ(0, copy_file(self->self, copy));
	setup_cpu(&self->setup, 0);
	self->setup.config.ring_size = 1 << 20;
	begin(_metadata, self);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, child_program(&child[i], &program[i]));
		ASSERT_EQ(0, child_go(&child[i]));
	}
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, child_wait(&child[i]));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	for (;;) {
		const struct pmc_record *record = ring_next(&self->rings.ring[0]);
		const struct pmc_mmap *map = (const void *)record;

		if (!record)
			break;
		for (i = 0; record->type == PMC_RECORD_MMAP && i < 2; i++) {
			if (map->pid == child[i].pid && !strcmp(map->path, program[i].argv[0]))
				self->nr |= 1 << i;
			/* it belongs to no other process */
			if (map->pid == child[i].pid)
				EXPECT_FALSE(!strcmp(map->path, program[!i].argv[0]));
		}
		ring_done(&self->rings.ring[0], record);
	}
	EXPECT_EQ(3, self->nr);
	unlink(copy);
}

/* The path is relative to the process's root. */
TEST_F(maps, changed_root)
{
	static const char root[] = "/tmp/pmc-maps-root";
	struct program program = { .argv = { "/loop", NULL } };
	struct child child;
	unsigned int i;
	int go[2];

	NEED_ROOT();
	remove_tree(root);
	ASSERT_EQ(0, mkdir(root, 0700));
	ASSERT_EQ(0, copy_file("./loop-1m", "/tmp/pmc-maps-root/loop"));
	ASSERT_EQ(0, pipe2(go, O_CLOEXEC));
	child.pid = fork();
	if (child.pid == 0) {
		char byte;

		if (!chroot(root) && !chdir("/") && read(go[0], &byte, 1) == 1)
			execv(program.argv[0], program.argv);
		_exit(126);
	}
	setup_thread(&self->setup, child.pid, PMC_CONFIG_ON_EXEC);
	begin(_metadata, self);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	ASSERT_EQ(1, write(go[1], "", 1));
	ASSERT_EQ(0, child_wait(&child));
	consume_ring(_metadata, self);
	ASSERT_EQ(1, self->nr);
	EXPECT_STREQ("/loop", self->seen[0].path);
	for (i = 0; i < self->nr; i++)
		EXPECT_EQ(child.pid, self->seen[i].map.tid);
	remove_tree(root);
}

#define CALLERS_MAX	18

/* Each sample has these callers. Keeps the mmap records before the second sample in self->seen. */
static void consume_callers(struct __test_metadata *_metadata, struct _test_data_maps *self,
			    const unsigned long *callers, unsigned int nr)
{
	const struct pmc_record *record;
	const struct pmc_sample *sample;
	unsigned int i;

	while ((record = ring_next(&self->rings.ring[0]))) {
		tally_record(&self->tally, record, 0);
		if (record->type == PMC_RECORD_SAMPLE) {
			sample = (const void *)record;
			ASSERT_EQ(1 + nr, sample->nr_user_frames);
			for (i = 0; i < nr; i++)
				EXPECT_EQ(callers[i], sample->data[2 + i]);
		} else {
			ASSERT_EQ(PMC_RECORD_MMAP, record->type);
			EXPECT_TRUE(is_padded((const void *)record));
			if (self->tally.samples == 1) {
				ASSERT_GT(MAPS_SEEN, self->nr);
				self->seen[self->nr++].map = *(const struct pmc_mmap *)record;
			}
		}
		ring_done(&self->rings.ring[0], record);
	}
	EXPECT_STREQ("", self->tally.wrong);
}

/* Sample the loop with these return addresses above it, the innermost first. */
static void sample_below(struct __test_metadata *_metadata, struct _test_data_maps *self,
			 const unsigned long *callers, unsigned int nr)
{
	unsigned long frame[2 * CALLERS_MAX] = {};
	struct descent descent = {
		.fd = self->fd,
		.start = PMC_IOC_START,
		.stop = PMC_IOC_STOP,
		.rounds = SPIN * slowness(),
		.frame = (unsigned long)frame,
	};
	unsigned int i;

	for (i = 0; i < nr; i++) {
		frame[2 * i] = i + 1 < nr ? (unsigned long)&frame[2 * i + 2] : 0;
		frame[2 * i + 1] = callers[i];
	}
	setup_thread(&self->setup, 0, 0);
	self->setup.config.sample_flags = PMC_SAMPLE_USER_CALLCHAIN;
	self->period = PERIOD * slowness();
	begin(_metadata, self);
	ASSERT_EQ(0, sampled_frame(&descent));
	consume_callers(_metadata, self, callers, nr);
	EXPECT_SAMPLES(2 * SPIN / PERIOD, self->period, self->tally.samples);
	ASSERT_EQ(0, statistics_read(self->fd, &self->statistics));
	EXPECT_EQ(0, self->statistics.mmaps_lost);
}

/* Addresses of the program itself */
static void add_recursion(unsigned long *callers, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		callers[i] = (unsigned long)sampled_frame_begin + i;
}

/*
 * Callers lie in other mappings than the sample: these are reported too, behind the first
 * sample. A caller in no mapping is not.
 */
TEST_F(maps, callers)
{
	unsigned char *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const unsigned long callers[] = { (unsigned long)page + 16, 0x1234 };

	ASSERT_NE(MAP_FAILED, page);
	sample_below(_metadata, self, callers, ARRAY_SIZE(callers));
	ASSERT_EQ(2, self->nr);
	EXPECT_NE(NULL, seen_at(self, (uintptr_t)sampled_frame_begin));
	EXPECT_NE(NULL, seen_at(self, (uintptr_t)page));
	EXPECT_EQ(2, self->tally.maps);
}

/* Many callers in one mapping: it is reported once. */
TEST_F(maps, recursion)
{
	unsigned long callers[10];

	add_recursion(callers, ARRAY_SIZE(callers));
	sample_below(_metadata, self, callers, ARRAY_SIZE(callers));
	ASSERT_EQ(1, self->nr);
	EXPECT_NE(NULL, seen_at(self, (uintptr_t)sampled_frame_begin));
	EXPECT_EQ(1, self->tally.maps);
}

/* The outermost caller behind as many: its mapping is reported behind the first sample, too. */
TEST_F(maps, caller_of_a_recursion)
{
	unsigned char *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned long callers[11];

	ASSERT_NE(MAP_FAILED, page);
	add_recursion(callers, 10);
	callers[10] = (unsigned long)page + 16;
	sample_below(_metadata, self, callers, ARRAY_SIZE(callers));
	ASSERT_EQ(2, self->nr);
	EXPECT_NE(NULL, seen_at(self, (uintptr_t)sampled_frame_begin));
	EXPECT_NE(NULL, seen_at(self, (uintptr_t)page));
	EXPECT_EQ(2, self->tally.maps);
}

/* Each caller in another mapping, more than the driver remembers: all behind the first sample */
TEST_F(maps, callers_in_many_ranges)
{
	unsigned long callers[12];
	unsigned char *pages;
	unsigned int i;

	pages = mmap(NULL, 2 * ARRAY_SIZE(callers) * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
		     -1, 0);
	ASSERT_NE(MAP_FAILED, pages);
	for (i = 0; i < ARRAY_SIZE(callers); i++) {
		/* a gap between any two */
		ASSERT_EQ(0, mprotect(pages + 2 * i * 4096, 4096, PROT_READ));
		callers[i] = (unsigned long)pages + 2 * i * 4096 + 16;
	}
	sample_below(_metadata, self, callers, ARRAY_SIZE(callers));
	ASSERT_EQ(1 + ARRAY_SIZE(callers), self->nr);
	EXPECT_NE(NULL, seen_at(self, (uintptr_t)sampled_frame_begin));
	for (i = 0; i < ARRAY_SIZE(callers); i++) {
		const struct seen *seen = seen_at(self, callers[i]);

		ASSERT_NE(NULL, seen) TH_LOG("caller %u", i);
		EXPECT_EQ(callers[i] - 16, seen->map.start);
		EXPECT_EQ(callers[i] - 16 + 4096, seen->map.end);
	}
}

/*
 * A recursion through more mappings than the driver remembers: one record of each behind the first
 * sample.
 */
TEST_F(maps, recursion_through_many_ranges)
{
	enum { RANGES = 9 };
	unsigned long callers[2 * RANGES];
	unsigned char *pages;
	unsigned int i;

	pages = mmap(NULL, 2 * RANGES * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, pages);
	for (i = 0; i < RANGES; i++)
		ASSERT_EQ(0, mprotect(pages + 2 * i * 4096, 4096, PROT_READ));
	for (i = 0; i < ARRAY_SIZE(callers); i++)
		callers[i] = (unsigned long)pages + 2 * (i % RANGES) * 4096 + 16;
	sample_below(_metadata, self, callers, ARRAY_SIZE(callers));
	ASSERT_EQ(1 + RANGES, self->nr);
	EXPECT_NE(NULL, seen_at(self, (uintptr_t)sampled_frame_begin));
	for (i = 0; i < RANGES; i++)
		EXPECT_NE(NULL, seen_at(self, callers[i])) TH_LOG("range %u", i);
}

/* A program with libraries: the loader has a record with the contents of the file system. */
TEST_F(maps, libraries)
{
	struct program program = { .argv = { "/usr/bin/pmcctl", "--help", NULL } };
	unsigned int i, libraries = 0;
	struct child child;

	if (access(program.argv[0], X_OK))
		SKIP(return, "no pmcctl here");
	ASSERT_EQ(0, child_program(&child, &program));
	setup_thread(&self->setup, child.pid, PMC_CONFIG_ON_EXEC);
	begin(_metadata, self);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	ASSERT_EQ(0, child_run(&child));
	consume_ring(_metadata, self);
	for (i = 0; i < self->nr; i++) {
		const struct seen *seen = &self->seen[i];
		struct stat stat_;

		if (seen->path[0] != '/')
			continue;
		ASSERT_EQ(0, stat(seen->path, &stat_));
		EXPECT_EQ(stat_.st_ino, seen->map.inode);
		EXPECT_EQ(0, seen->map.start % 4096);
		EXPECT_EQ(0, seen->map.offset % 4096);
		EXPECT_GT(stat_.st_size, seen->map.offset);
		libraries += !!strstr(seen->path, ".so");
	}
	EXPECT_LE(1, libraries);
}

TEST_HARNESS_MAIN
