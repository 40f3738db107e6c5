// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of reading without a system call and of measured regions. RDPMC faults; the signal
 * handler emulates it.
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "check.h"

/*
 * RDPMC returns @base, plus 1 for each instruction executed while single-stepping. The handler
 * calls @on_rdpmc first.
 */
static uint64_t base[4];
static uint64_t steps, rdpmcs, fasts;
static void (*on_rdpmc)(void);

static struct pmc_context *context;
static const struct pmc_page *page;

/* Bits of ECX: 32-bit read, which fixed counters lack; fixed counter */
#define FAST	(1LL << 31)
#define FIXED	(1LL << 30)

static void play_rdpmc(int number, siginfo_t *info, void *data)
{
	greg_t *regs = ((ucontext_t *)data)->uc_mcontext.gregs;
	const unsigned char *code = (void *)regs[REG_RIP];
	uint64_t value;

	(void)info;
	bool fast = regs[REG_RCX] & FAST;

	if (code[0] != 0x0f || code[1] != 0x33 || regs[REG_RCX] & ~(FAST | FIXED | 3) ||
	    (fast && regs[REG_RCX] & FIXED)) {
		signal(number, SIG_DFL);
		return;
	}
	rdpmcs++;
	fasts += fast;
	steps++;
	if (on_rdpmc)
		on_rdpmc();
	value = base[regs[REG_RCX] & 3] + steps;
	regs[REG_RAX] = (uint32_t)value;
	regs[REG_RDX] = fast ? 0 : value >> 32 & 0xffff;
	regs[REG_RIP] += 2;
}

static void step(int number)
{
	(void)number;
	steps++;
}

/* The trap flag: SIGTRAP after each instruction */
#define STEP_BEGIN() \
	__asm__ __volatile__("pushf\n\torl $0x100, (%%rsp)\n\tpopf" : : : "memory", "cc")
#define STEP_END() \
	__asm__ __volatile__("pushf\n\tandl $~0x100, (%%rsp)\n\tpopf" : : : "memory", "cc")

/* Called in each test, because cmocka installs its own SIGSEGV handler before each test. */
static void setup_events(const char *events)
{
	struct sigaction fault = { .sa_sigaction = play_rdpmc, .sa_flags = SA_SIGINFO };
	struct sigaction trap = { .sa_handler = step };
	unsigned int i;

	sigaction(SIGSEGV, &fault, NULL);
	sigaction(SIGTRAP, &trap, NULL);
	context = pmc_context_open_self(events);
	if (!context)
		fail_msg("%s", pmc_error());
	page = pmc_context_page(context);
	if (!fake.page)
		return;
	for (i = 0; i < fake.page->nr_counters; i++) {
		fake.page->counter[i].rdpmc = i;
		fake.page->counter[i].width = 48;
		fake.page->counter[i].offset = 1000 * (i + 1);
	}
	fake.page->sequence = 2;
}

static int setup(void **state)
{
	fake_setup(state);
	memset(base, 0, sizeof(base));
	steps = 0;
	rdpmcs = 0;
	fasts = 0;
	on_rdpmc = NULL;
	context = NULL;
	return 0;
}

static int teardown(void **state)
{
	pmc_context_close(context);
	if (fake.page)
		munmap(fake.page, 4096);
	return fake_teardown(state);
}

/* ---- reading ---- */

static void reads_one(void **state)
{
	setup_events("rc0:u,rc4:u,rc5:u");
	assert_int_equal(fake.config.flags, PMC_CONFIG_USER_READ);
	base[1] = 0x123456789abULL;
	fake.page->counter[1].offset = 0xff00000000000000ULL;
	assert_true(pmc_read_counter(page, 1) == 0xff000123456789acULL);
	base[2] = 0xffffffffffffULL - 2;
	fake.page->counter[2].offset = 5;
	assert_true(pmc_read_counter(page, 2) == 0xffffffffffffULL + 5);
	assert_true(pmc_read_counter_lfence(page, 0) == 1003);
	assert_true(pmc_read_counter_cpuid(page, 0) == 1004);
	assert_int_equal(rdpmcs, 4);
}

/* Reads 32 bits, also of a counter without the 32-bit RDPMC. */
static void reads_one_fast(void **state)
{
	setup_events("rc0:u,rc4:u,rc5:u");
	base[1] = 0x123456789abULL;
	assert_true(pmc_rdpmc_fast(1) == 0x456789ac);
	fake.page->counter[1].offset = 0xff000000c0000000ULL;
	assert_true(pmc_read_counter_fast(page, 1) == 0x056789ad);
	fake.page->counter[2].rdpmc = PMC_COUNTER_FIXED(2);
	base[2] = 0x1fffffff0ULL;
	assert_true(pmc_read_counter_fast(page, 2) == 0xfffffff3 + 3000);
	assert_int_equal(rdpmcs, 3);
	assert_int_equal(fasts, 2);
	assert_true(pmc_read_counter_fast_cpuid(page, 1) == 0x056789af);
	assert_int_equal(rdpmcs, 4);
	assert_int_equal(fasts, 3);
	fake.page->sequence = PMC_PAGE_UNAVAILABLE;
	assert_true(pmc_read_counter_fast(page, 1) == (uint32_t)(fake.first_count + 1));
	assert_true(pmc_read_counter_fast_cpuid(page, 1) == (uint32_t)(fake.first_count + 2));
	assert_int_equal(rdpmcs, 4);
}

/* The thread migrates to another CPU: another register, another offset. */
static void move(void)
{
	if (rdpmcs > 1)
		return;
	fake.page->counter[0].rdpmc = 3;
	fake.page->counter[0].offset = 70000;
	fake.page->sequence += 2;
}

static void reads_again(void **state)
{
	setup_events("rc0:u");
	base[3] = 40;
	on_rdpmc = move;
	assert_true(pmc_read_counter(page, 0) == 70042);
	assert_int_equal(rdpmcs, 2);
}

static void reads_fast_again(void **state)
{
	setup_events("rc0:u");
	base[3] = 40;
	on_rdpmc = move;
	assert_true(pmc_read_counter_fast(page, 0) == 70042);
	assert_int_equal(rdpmcs, 2);
}

static void forbid(void)
{
	fake.page->sequence = 5;
}

/* RDPMC is revoked during a read: the value comes from the driver, without another RDPMC. */
static void becomes_forbidden(void **state)
{
	uint64_t values[2], tsc;

	setup_events("rc0:u,rc4:u");
	on_rdpmc = forbid;
	assert_true(pmc_read_counter(page, 1) == fake.first_count + 1);
	assert_int_equal(rdpmcs, 1);
	assert_true(pmc_read_counter_cpuid(page, 0) == fake.first_count + 1);
	assert_int_equal(pmc_read_group(page, values, 2, &tsc), 0);
	assert_true(values[0] == fake.first_count + 2 && values[1] == fake.first_count + 3);
	assert_int_equal(tsc, 5000000);
	assert_int_equal(pmc_read_group(page, values, 2, NULL), 0);
	assert_true(values[0] == fake.first_count + 3 && values[1] == fake.first_count + 4);
	assert_int_equal(rdpmcs, 1);
}

static void reads_group(void **state)
{
	struct pmc_snapshot snapshot;
	uint64_t values[3], tsc;
	unsigned int i;

	setup_events("rc0:u,rc4:u,rc5:u");
	assert_int_equal(pmc_read_group(page, values, 3, NULL), 0);
	assert_true(values[0] == 1001 && values[1] == 2002 && values[2] == 3003);
	assert_int_equal(pmc_read_group_cpuid(page, values, 2, &tsc), 0);
	assert_true(values[0] == 1004 && values[1] == 2005);
	fake.page->since = pmc_rdtsc();
	fake.page->time_enabled = 700;
	fake.page->time_counted = 600;
	assert_true(fake.page->since > tsc);
	/* each field is set */
	memset(&snapshot, 0x55, sizeof(snapshot));
	assert_int_equal(pmc_read_snapshot(page, &snapshot), 0);
	assert_int_equal(snapshot.num_values, 3);
	/* three, two and three counters */
	assert_int_equal(rdpmcs, 8);
	assert_int_equal(snapshot.value[2], 3008);
	for (i = 3; i < PMC_COUNTERS_MAX; i++)
		assert_int_equal(snapshot.value[i], 0);
	assert_int_equal(snapshot.overflows, 0);
	assert_int_equal(snapshot.cpu, -1);
	assert_int_equal(snapshot.reserved, 0);
	for (i = 0; i < ARRAY_SIZE(snapshot.reserved2); i++)
		assert_int_equal(snapshot.reserved2[i], 0);
	assert_true(snapshot.time_enabled == 700 + snapshot.tsc - fake.page->since);
	assert_true(snapshot.time_enabled - snapshot.time_counted == 100);
	assert_int_equal(snapshot.state, PMC_STATE_RUNNING);
	on_rdpmc = forbid;
	assert_int_equal(pmc_read_snapshot(page, &snapshot), 0);
	assert_int_equal(snapshot.tsc, 5000000);
}

/* The thread migrates during the read. After the last sequence comes 0. */
static void reads_snapshot_again(void **state)
{
	struct pmc_snapshot snapshot;

	setup_events("rc0:u,rc4:u");
	fake.page->sequence = UINT32_MAX - 1;
	base[3] = 40;
	on_rdpmc = move;
	assert_int_equal(pmc_read_snapshot(page, &snapshot), 0);
	assert_int_equal(fake.page->sequence, 0);
	assert_int_equal(snapshot.value[0], 70000 + 40 + 3);
	assert_int_equal(snapshot.value[1], 2000 + 4);
	assert_int_equal(rdpmcs, 4);
}

/* ---- without the page ---- */

/* The page that replaces it describes itself. */
static void check_fallback(uint32_t num)
{
	assert_int_equal(page->size, sizeof(*page));
	assert_int_equal(page->nr_counters, num);
	assert_true(page->sequence & PMC_PAGE_UNAVAILABLE);
}

static void without_rdpmc(void **state)
{
	fake.user_read_error = EOPNOTSUPP;
	setup_events("cycles:u");
	assert_int_equal(fake.config.flags, 0);
	check_fallback(1);
	assert_true(pmc_read_counter(page, 0) == fake.first_count);
	assert_int_equal(rdpmcs, 0);
}

static void without_mapping(void **state)
{
	fake.mmap_error = EACCES;
	setup_events("cycles:u,instructions:u");
	assert_int_equal(fake.config.flags, PMC_CONFIG_USER_READ);
	check_fallback(2);
	assert_true(pmc_read_counter(page, 0) == fake.first_count);
	assert_int_equal(rdpmcs, 0);
}

static void configured_again(void **state)
{
	struct pmc_snapshot snapshot;
	uint64_t value = 7;

	setup_events("rc0:u");
	assert_failed(pmc_context_set_user_read(context), EBADFD, "release it first");
	assert_int_equal(pmc_context_release(context), 0);
	fake.page->sequence = 3;
	errno = 0;
	assert_int_equal(pmc_read_counter(page, 0), 0);
	assert_int_equal(errno, EBADFD);
	assert_int_equal(pmc_read_group(page, &value, 1, NULL), -1);
	assert_int_equal(value, 7);
	assert_int_equal(pmc_read_snapshot(page, &snapshot), -1);
	assert_failed(!pmc_context_page(context), EBADFD, "not configured");
	munmap(fake.page, 4096);
	assert_int_equal(pmc_context_configure(context), 0);
	assert_ptr_equal(pmc_context_page(context), page);
	fake.page->sequence = 2;
	fake.page->counter[0].offset = 77;
	assert_int_equal(pmc_read_counter(page, 0), 78);
}

static void only_threads(void **state)
{
	struct pmc_device *device = pmc_device_open(NULL);
	struct pmc_event *event = pmc_event_parse("cycles");
	struct pmc_region region;

	context = pmc_context_open(device);
	pmc_device_close(device);
	assert_int_equal(pmc_context_set_all_cpus(context), 0);
	assert_failed(pmc_context_set_user_read(context), EINVAL, "only a thread");
	assert_int_equal(pmc_context_add(context, event), 0);
	pmc_event_free(event);
	assert_int_equal(pmc_context_configure(context), 0);
	assert_int_equal(pmc_context_start(context), 0);
	assert_true(pmc_read_counter(pmc_context_page(context), 0) == fake.first_count);
	assert_failed(pmc_region_init(&region, context), EINVAL, "in the thread");
}

static void open_errors(void **state)
{
	assert_failed(!pmc_context_open_self("cycels"), EINVAL, "did you mean 'cycles'");
	fake.unprivileged = true;
	assert_failed(!pmc_context_open_self("cycles"), EACCES, "add :u");
	/* a CPU of another core type lacks the counter */
	fake.unprivileged = false;
	fake.user_read_error = EXDEV;
	assert_failed(!pmc_context_open_self("cycles"), EXDEV, "on a CPU that lacks it");
	fake.open_error = ENOENT;
	assert_failed(!pmc_context_open_self("cycles"), ENOENT, "load the driver");
}

/* ---- regions; single-stepping counts each instruction ---- */

static struct pmc_region region;
static uint64_t at_rdpmc;

static void move_once(void)
{
	if (rdpmcs == at_rdpmc)
		fake.page->sequence += 2;
}

static void forbid_once(void)
{
	if (rdpmcs == at_rdpmc)
		fake.page->sequence++;
}

static void must_init(void)
{
	int result;

	STEP_BEGIN();
	result = pmc_region_init(&region, context);
	STEP_END();
	if (result)
		fail_msg("%s", pmc_error());
}

static void setup_region(void)
{
	setup_events("rc0:u,rc4:u");
	must_init();
}

static void run_nothing(void)
{
	STEP_BEGIN();
	PMC_REGION_BEGIN(region);
	PMC_REGION_END(region);
	STEP_END();
}

static void run_three(void)
{
	STEP_BEGIN();
	PMC_REGION_BEGIN(region);
	__asm__ __volatile__("nop\n\tnop\n\tnop");
	PMC_REGION_END(region);
	STEP_END();
}

static void check_last(uint64_t count)
{
	assert_int_equal(pmc_region_last(&region, 0), count);
	assert_int_equal(pmc_region_last(&region, 1), count);
}

static void regions(void **state)
{
	setup_region();
	assert_true(pmc_region_exact(&region, 0) && pmc_region_exact(&region, 1));
	run_nothing();
	check_last(0);
	run_three();
	check_last(3);
	run_three();
	check_last(3);
	assert_int_equal(pmc_region_total(&region, 0), 6);
	assert_int_equal(pmc_region_runs(&region), 3);
	pmc_region_reset(&region);
	run_three();
	assert_int_equal(pmc_region_total(&region, 1), 3);
	assert_int_equal(pmc_region_runs(&region), 1);
	assert_int_equal(pmc_region_dropped(&region), 0);
	pmc_region_free(&region);
}

/* A retry of the read is subtracted, at the begin or the end and for each counter. */
static void region_moved(void **state)
{
	uint64_t first;

	setup_region();
	on_rdpmc = move_once;
	for (first = 1; first <= 4; first++) {
		at_rdpmc = rdpmcs + first;
		run_three();
		assert_int_equal(rdpmcs, at_rdpmc - first + 6);
		check_last(3);
	}
	assert_int_equal(pmc_region_runs(&region), 4);
	pmc_region_free(&region);
}

/* Counter 1 counts one more in every second region of two RDPMC at each end. */
static void add_sometimes(void)
{
	base[1] += (rdpmcs - 1) / 4 & 1;
}

static void region_inexact(void **state)
{
	on_rdpmc = add_sometimes;
	setup_region();
	assert_true(pmc_region_exact(&region, 0));
	assert_false(pmc_region_exact(&region, 1));
	/* the least overhead is subtracted */
	on_rdpmc = NULL;
	run_three();
	check_last(3);
	pmc_region_free(&region);
}

/* Counter 1 counts one more at each RDPMC. */
static void add_one(void)
{
	base[1]++;
}

/* The overhead is less than it was: the count is 0. */
static void region_below_zero(void **state)
{
	on_rdpmc = add_one;
	setup_region();
	assert_true(pmc_region_exact(&region, 1));
	run_three();
	check_last(3);
	on_rdpmc = NULL;
	run_nothing();
	check_last(0);
	assert_int_equal(pmc_region_total(&region, 1), 3);
	pmc_region_free(&region);
}

/* A region that needs the driver's READ is dropped: RDPMC was revoked. */
static void region_dropped(void **state)
{
	setup_region();
	on_rdpmc = forbid_once;
	at_rdpmc = rdpmcs + 3;
	run_three();
	assert_int_equal(pmc_region_runs(&region), 0);
	assert_int_equal(pmc_region_dropped(&region), 1);
	pmc_region_free(&region);
}

/* After the reset each number is 0. */
static void region_reset(void **state)
{
	setup_region();
	run_three();
	on_rdpmc = forbid_once;
	at_rdpmc = rdpmcs + 1;
	run_three();
	assert_int_equal(pmc_region_dropped(&region), 1);
	pmc_region_reset(&region);
	check_last(0);
	assert_int_equal(pmc_region_total(&region, 0), 0);
	assert_int_equal(pmc_region_runs(&region), 0);
	assert_int_equal(pmc_region_dropped(&region), 0);
	pmc_region_free(&region);
}

/* ---- regions that are read by the driver: the fake driver replies to the system call ---- */

static void reply_ioctl(int number, siginfo_t *info, void *data)
{
	greg_t *regs = ((ucontext_t *)data)->uc_mcontext.gregs;

	(void)number;
	(void)info;
	regs[REG_RAX] = __wrap_ioctl(regs[REG_RDI], regs[REG_RSI], regs[REG_RDX]) ? -errno : 0;
}

/* The assembler's PMC_IOC_READ raises SIGSYS from now on. */
static void trap_read(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PMC_IOC_READ, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { ARRAY_SIZE(filter), filter };
	struct sigaction action = { .sa_sigaction = reply_ioctl, .sa_flags = SA_SIGINFO };

	sigaction(SIGSYS, &action, NULL);
	assert_int_equal(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	assert_int_equal(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

/* Without RDPMC the counts and their overhead are those of the driver: 1 for each READ. */
static void region_slow(void **state)
{
	trap_read();
	setup_events("rc0:u,rc4:u");
	fake.page->sequence = PMC_PAGE_UNAVAILABLE;
	must_init();
	run_three();
	check_last(0);
	assert_int_equal(rdpmcs, 0);
	assert_int_equal(pmc_region_runs(&region), 1);
	assert_int_equal(pmc_region_dropped(&region), 0);
	fake.ioctl_error[_IOC_NR(PMC_IOC_READ)] = EIO;
	run_three();
	assert_int_equal(pmc_region_runs(&region), 1);
	assert_int_equal(pmc_region_dropped(&region), 1);
	pmc_region_free(&region);
	assert_failed(pmc_region_init(&region, context), EIO, "measuring an empty region");
	assert_null(region.state);
	fake.ioctl_error[_IOC_NR(PMC_IOC_READ)] = ESRCH;
	assert_failed(pmc_region_init(&region, context), ESRCH, "measuring an empty region");
}

/* RDPMC is revoked within a region: the end is read by the driver. */
static void region_mixed(void **state)
{
	trap_read();
	setup_region();
	on_rdpmc = forbid_once;
	at_rdpmc = rdpmcs + 3;
	run_three();
	assert_int_equal(rdpmcs, at_rdpmc + 1);
	assert_int_equal(pmc_region_runs(&region), 1);
	assert_int_equal(pmc_region_dropped(&region), 0);
	pmc_region_free(&region);
}

/* The last 16 regions of a calibration have one repetition. Each gets a second one. */
static void repeat_twice(void)
{
	if (rdpmcs >= at_rdpmc && (rdpmcs - at_rdpmc) % 8 == 4)
		fake.page->sequence += 2;
}

/* Regions read by RDPMC are dropped if the cost of a repetition is not known. */
static void region_unknown(void **state)
{
	trap_read();
	setup_region();
	pmc_region_free(&region);
	at_rdpmc = rdpmcs - 16 * 6 + 1;
	rdpmcs = 0;
	on_rdpmc = repeat_twice;
	must_init();
	on_rdpmc = NULL;
	run_three();
	assert_int_equal(pmc_region_runs(&region), 0);
	assert_int_equal(pmc_region_dropped(&region), 1);
	pmc_region_free(&region);
}

#define read_test(function)	cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		read_test(reads_one),
		read_test(reads_again),
		read_test(reads_one_fast),
		read_test(reads_fast_again),
		read_test(becomes_forbidden),
		read_test(reads_group),
		read_test(reads_snapshot_again),
		read_test(without_rdpmc),
		read_test(without_mapping),
		read_test(configured_again),
		read_test(only_threads),
		read_test(open_errors),
		read_test(regions),
		read_test(region_moved),
		read_test(region_inexact),
		read_test(region_below_zero),
		read_test(region_dropped),
		read_test(region_reset),
		read_test(region_slow),
		read_test(region_mixed),
		read_test(region_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
