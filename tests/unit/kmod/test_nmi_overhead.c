// SPDX-License-Identifier: GPL-2.0-only
/* Tests of nmi_overhead.c: NMIs in time, late or missing, and foreign NMIs */
#include "unit.h"

#include <linux/compiler.h>
#include <asm/apic.h>
#include <asm/irq_vectors.h>
#include <asm/msr.h>

#include "sampling/nmi_overhead.h"

/* Ticks that may be spent in a window, and the guess if an NMI does not come (1/210 of them) */
#define SPENT_MAX	210000UL
#define GUESS		1000UL
#define NEVER		(~0UL)

/*
 * A simulated CPU. Its time-stamp counter advances by 1 at each READ_ONCE() or WRITE_ONCE() of
 * the tested code (an access) and by 10 at each rdtsc(). An NMI comes just before an access.
 */
static struct {
	struct pmc_nmi_overhead overhead;
	u64 tsc;
	bool tsc_stands;
	bool in_nmi;
	/* for each NMI sent: accesses until it comes, and ticks that it takes */
	unsigned long delay[4];
	unsigned long takes[4];
	unsigned int sent, lost;
	/* accesses so far; the access at which the sent NMI comes; the same of the foreign NMI */
	unsigned long accesses;
	unsigned long own_at;
	unsigned long stranger_at;
	/* own NMIs that came; own and foreign NMIs that pmc_nmi_overhead_claims() claimed */
	unsigned int own_came, own_claimed, strangers_claimed;
} cpu;

static void pass(u64 ticks)
{
	if (!cpu.tsc_stands)
		cpu.tsc += ticks;
}

static bool nmi(void)
{
	bool own;

	cpu.in_nmi = true;
	own = pmc_nmi_overhead_claims(&cpu.overhead);
	cpu.in_nmi = false;
	return own;
}

/* Deliver the NMI that was sent. */
static void own_nmi(void)
{
	cpu.own_at = NEVER;
	cpu.own_came++;
	pass(cpu.takes[cpu.sent - 1]);
	cpu.own_claimed += nmi();
}

void interrupts(void)
{
	if (cpu.in_nmi)
		return;
	pass(1);
	cpu.accesses++;
	if (cpu.accesses == cpu.stranger_at)
		cpu.strangers_claimed += nmi();
	if (cpu.accesses == cpu.own_at)
		own_nmi();
}

u64 rdtsc(void)
{
	pass(10);
	return cpu.tsc;
}

static void send_ipi(int to, int vector)
{
	assert_int_equal(0, to);
	assert_int_equal(NMI_VECTOR, vector);
	assert_in_range(cpu.sent, 0, 3);
	/* the local APIC keeps one pending NMI; another one is lost */
	if (cpu.own_at != NEVER)
		cpu.lost++;
	else if (cpu.delay[cpu.sent] != NEVER)
		cpu.own_at = cpu.accesses + cpu.delay[cpu.sent];
	cpu.sent++;
}

static struct apic local = { .send_IPI = send_ipi };
struct apic *apic = &local;

/* Default: each NMI comes before the next access and takes 500 ticks. */
static int setup(void **state)
{
	unsigned int i;

	/* linux/compiler.h calls interrupts() only if it is defined */
	assert_non_null(interrupts);
	memset(&cpu, 0, sizeof(cpu));
	for (i = 0; i < 4; i++) {
		cpu.delay[i] = 1;
		cpu.takes[i] = 500;
	}
	cpu.own_at = NEVER;
	cpu.stranger_at = NEVER;
	cpu.tsc = 1ULL << 33;
	local.send_IPI = send_ipi;
	return 0;
}

static void measure(void)
{
	pmc_nmi_overhead_measure(&cpu.overhead, SPENT_MAX);
}

/* No sent NMI is outstanding: the next NMI is foreign. */
static void assert_nothing_owed(void)
{
	assert_int_equal(NEVER, cpu.own_at);
	assert_false(cpu.overhead.owed);
	assert_false(nmi());
}

/* The result is the least of four, including the ticks of rdtsc(). It is measured once. */
static void least_of_four(void **state)
{
	static const unsigned long takes[] = { 9000, 700, 600, 800 };
	unsigned int i, best;

	for (best = 0; best < 4; best++) {
		setup(NULL);
		memcpy(cpu.takes, takes, sizeof(takes));
		cpu.takes[best] = 300;
		measure();
		/* 2: came is cleared and read; 20: rdtsc() twice */
		assert_int_equal(300 + 2 + 20, cpu.overhead.ticks);
		assert_int_equal(4, cpu.sent);
		assert_int_equal(4, cpu.own_claimed);
		assert_nothing_owed();
	}
	for (i = 0; i < 3; i++)
		measure();
	assert_int_equal(4, cpu.sent);
}

/* No NMI comes from the first, second, third or fourth on: one NMI stays owed. */
static void never(void **state)
{
	unsigned int i;

	for (i = 0; i < 4; i++) {
		u64 start;

		setup(NULL);
		cpu.delay[i] = NEVER;
		start = cpu.tsc;
		measure();
		assert_int_equal(GUESS, cpu.overhead.ticks);
		assert_int_equal(i + 1, cpu.sent);
		assert_in_range(cpu.tsc - start, SPENT_MAX, SPENT_MAX + 5000);
		assert_true(cpu.overhead.owed);
		/* the next NMI is claimed as the owed one, the one after it is foreign */
		assert_true(nmi());
		assert_nothing_owed();
		measure();
		assert_int_equal(i + 1, cpu.sent);
	}
}

/*
 * The first or the last NMI comes at each possible access: in time, too late, or after the end
 * of the measurement. It is claimed, and no NMI after it.
 */
static void whenever(unsigned int which)
{
	unsigned long delay, in_time = 0, late = 0;

	for (delay = 1; delay < SPENT_MAX / 10; delay++) {
		setup(NULL);
		cpu.delay[which] = delay;
		measure();
		if (cpu.own_at != NEVER) {
			assert_true(cpu.overhead.owed);
			own_nmi();
		}
		assert_int_equal(cpu.sent, cpu.own_came);
		assert_int_equal(cpu.sent, cpu.own_claimed);
		assert_nothing_owed();
		if (cpu.overhead.ticks == GUESS)
			late++;
		else
			in_time++;
		assert_in_range(cpu.overhead.ticks, 1, SPENT_MAX / 4);
	}
	assert_true(in_time > 1000 && late > 1000);
}

static void first_late(void **state)
{
	whenever(0);
}

static void last_late(void **state)
{
	whenever(3);
}

/*
 * A foreign NMI comes at each possible access. It is claimed if a sent NMI is expected then. All
 * own NMIs are claimed all the same, including the last, which may come after the foreign NMI
 * that was claimed in its place.
 */
static void stranger(void **state)
{
	unsigned long at, claimed = 0;

	for (at = 1; at < 400; at++) {
		setup(NULL);
		/* each NMI comes six accesses after it was sent */
		memcpy(cpu.delay, (unsigned long[]){ 6, 6, 6, 6 }, 4 * sizeof(*cpu.delay));
		cpu.stranger_at = at;
		measure();
		assert_int_equal(4, cpu.sent);
		assert_int_equal(4, cpu.own_came + cpu.lost);
		assert_int_equal(cpu.own_came, cpu.own_claimed);
		assert_nothing_owed();
		claimed += cpu.strangers_claimed;
	}
	assert_in_range(claimed, 24, 300);
}

/* A guest stalls in each of the four: the result is limited, or it would throttle all samples */
static void stall(void **state)
{
	unsigned int i;

	for (i = 0; i < 4; i++)
		cpu.takes[i] = SPENT_MAX - 100;
	measure();
	assert_int_equal(SPENT_MAX / 4, cpu.overhead.ticks);
	assert_int_equal(4, cpu.own_claimed);
	assert_nothing_owed();
}

/* The time-stamp counter stands still: the wait ends, and the result is not 0 (not measured) */
static void clock_stands(void **state)
{
	cpu.tsc_stands = true;
	measure();
	assert_int_equal(1, cpu.overhead.ticks);
	assert_int_equal(4, cpu.own_claimed);
	assert_nothing_owed();

	setup(NULL);
	cpu.tsc_stands = true;
	cpu.delay[0] = NEVER;
	measure();
	assert_int_equal(GUESS, cpu.overhead.ticks);
	assert_true(nmi());
	assert_nothing_owed();
}

/* The local APIC cannot send an NMI: the result is a guess, and every NMI is foreign. */
static void cannot_send(void **state)
{
	local.send_IPI = NULL;
	measure();
	assert_int_equal(GUESS, cpu.overhead.ticks);
	assert_int_equal(0, cpu.accesses);
	assert_nothing_owed();
}

#define TEST(name)	cmocka_unit_test_setup(name, setup)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(least_of_four), TEST(never), TEST(first_late), TEST(last_late),
		TEST(stranger), TEST(stall), TEST(clock_stands), TEST(cannot_send),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
