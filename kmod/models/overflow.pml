/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Model of overflow.c and pmu.c for Spin: the overflow interrupt against start, read
 * and stop, on one CPU
 *
 * Modelled, one line of thought each:
 *  driver()	pmc_run_load(), pmc_sampler_start(), pmc_pmu_enable(); pmc_run_lock(),
 *		pmc_run_unlock(); pmc_pmu_disable() and the rest of __pmc_run_stop(), with
 *		pmc_sampler_settle_late() and pmc_sampler_stop(): interrupts are off
 *  interrupt()	pmc_overflow_nmi(): passes, pmc_sampler_interrupt_kernel(),
 *		pmc_overflow_nothing(), pmc_overflow_recheck(). It comes between any two
 *		steps of driver() and runs to its end
 *  hardware()	the counter, which goes on between any two steps of all of them, its
 *		status bit, and the local APIC's entry: masked when it delivers, and then
 *		what comes is gone. An interrupt is on its way as long as it likes
 *
 * The counter counts the kernel, too, the driver and the NMI included, and is stopped
 * to be read; with -DUSER it counts user mode only and is not. With -DNO_STATUS there is
 * no status bit, as in version 1.
 *
 * Shown:
 *  - the count is that of the events, and overflows told are floor(count / period):
 *    whenever it is stopped; whenever it runs, nothing is on its way and no NMI or
 *    driver is at it;
 *  - at no moment are more told than there were: none twice;
 *  - no counter is deaf: then it is loaded so that the next interrupt comes when it is
 *    due, and the local APIC is armed;
 *  - what others leave in the counter and its status, and an interrupt of the last run
 *    that comes in the middle of the next, do no harm.
 *
 * Abstracted:
 *  - one sampler with one counter. Of several, each has its own count, and the list is
 *    whole after every store; an overflow that another's interrupt has masked is here a
 *    second one of the same counter.
 *  - the counter is 4 bits wide, the events are few: the code knows differences modulo
 *    the width, and the fold timer (a read, as here) sees to it that there is one wrap.
 *  - 16 passes are PASSES: the second, after the local APIC is armed, is what counts.
 *  - a sample is told or lost in its ring: ring.pml. Throttling stops the loading of a
 *    counter, and its end is a hold with a load: not here. Nor are NetBurst's counters,
 *    which load one event early, nor AMD's local APIC, which masks nothing (every NMI is
 *    taken for ours for a while, and none counted), nor who else takes NMIs.
 *  - one CPU sees its own stores in order; no store buffer is needed.
 *
 * Broken on purpose, one by one, with -D (tests/models/run): see BROKEN_*.
 */
#ifndef PERIOD
#define PERIOD	2
#endif
#ifndef EVENTS
#define EVENTS	5
#endif
#ifndef RUNS
#define RUNS	2
#endif
#ifndef PASSES
#define PASSES	3
#endif
#define W(x)	((x) & 15)	/* as wide as the counter */

/* The hardware */
byte counter;
bool counts;		/* the register that starts and stops it */
bool status;
byte on_its_way;	/* interrupts */
bool masked;		/* the local APIC's entry */
bool nmi;		/* delivered, not yet begun */

/* The driver's */
bool control;		/* the copy of the register */
byte raw;
byte value;
byte due = PERIOD;
byte told;
bool held;
bool listed;

/* Seen by none of them */
byte events;		/* all that were counted */
bool in_nmi;
bool quiet;		/* nobody is at the counter */

#ifdef USER
#define MAY_COUNT	(counts && quiet && !in_nmi)
#else
#define MAY_COUNT	(counts)
#endif

active proctype hardware()
{
end:
	do
	:: atomic {
		MAY_COUNT && events < EVENTS ->
		events++;
		counter = W(counter + 1);
		if
		:: !counter ->
			status = true;
			on_its_way++
		:: else
		fi
	}
	:: atomic {
		on_its_way ->
		on_its_way--;
		if
		:: !masked ->
			masked = true;
			nmi = true
		:: else
		fi
	}
	od
}

/* pmc_run_add_counts() */
inline add_counts()
{
	now = counter;
	value = value + W(now - raw);
	atomic {
		raw = now;
		now = 0
	}
}

/* pmc_sampler_reload() */
inline reload()
{
	raw = W(value - due);
	counter = raw
}

/* pmc_sampler_settle() */
inline settle()
{
	if
	:: value >= due ->
#ifdef BROKEN_RELOAD_ONE
		over = 1;
#else
		over = 1 + (value - due) / PERIOD;
#endif
		due = due + over * PERIOD;
		atomic {
			told = told + over;
			over = 0;
			found = true;
			assert(told * PERIOD <= events)
		}
		reload()
	:: else
	fi
}

inline hold()
{
#ifndef USER
	control = false;
	counts = false;
#endif
	held = true;
#ifdef BROKEN_RELOAD_FIRST
	reload();
#endif
	add_counts();
	status = false;
	settle();
	found = false
}

inline let()
{
#if defined(BROKEN_ENABLE_FIRST) && !defined(USER)
	control = true;
	counts = true;
#endif
	held = false;
#ifndef USER
	control = true;
	counts = true
#endif
}

inline start()
{
	/* others used it */
	if
	:: counter = 0
	:: counter = W(0 - 1)
	:: true
	fi;
	if
	:: status = false
	:: status = true
	fi;
	raw = counter;
	status = false;
#ifdef BROKEN_LIST_EARLY
	listed = true;
#endif
	reload();
	listed = true;
	control = true;
	counts = true
}

inline stop()
{
#ifdef BROKEN_COPY_LATE
	counts = false;
	control = false;
#else
	control = false;
	counts = false;
#endif
#ifdef BROKEN_NO_HOLD
	skip;
#else
	held = true;
#endif
	add_counts();
#ifndef BROKEN_NO_SETTLE
	status = false;
	settle();
	found = false;
#endif
	listed = false;
	held = false
}

proctype driver() provided (!in_nmi)
{
	byte now, over, runs;
	bool found;

	do
	:: runs < RUNS ->
		start();
		quiet = true;
		do
		:: quiet = false;
			hold();
			let();
			quiet = true
		:: true -> break
		od;
		quiet = false;
		stop();
		atomic {
			runs++;
			assert(value == events && told == events / PERIOD && !held)
		}
	:: else -> break
	od
}

/* pmc_overflow_pass() */
inline pass()
{
	found = false;
	if
#ifdef BROKEN_IGNORE_HELD
	:: listed ->
#else
	:: listed && !held ->
#endif
#if !defined(USER) && !defined(BROKEN_NO_PAUSE)
		counts = false;
#endif
		if
#ifndef NO_STATUS
		:: !status
#endif
		:: else ->
			status = false;
#ifdef BROKEN_RELOAD_FIRST
			reload();
#endif
			add_counts();
			settle()
		fi;
#if !defined(USER) && !defined(BROKEN_NO_PAUSE)
		counts = control
#endif
	:: else
	fi
}

inline arm()
{
#ifndef BROKEN_NO_ARM
	masked = false
#else
	skip
#endif
}

/* pmc_overflow_recheck() */
inline again()
{
#if !defined(USER) && !defined(BROKEN_ONE_PASS)
	passes = 1;
	found = true;
	do
	:: passes < PASSES && found ->
		pass();
		passes++
	:: else -> break
	od;
	passes = 0
#else
	skip
#endif
}

active proctype interrupt()
{
	byte now, over, passes;
	bool found;
end:
	do
	:: atomic {
		nmi ->
		nmi = false;
		in_nmi = true
	}
		pass();
		if
		:: found || masked ->
			arm();
			again()
		:: else /* another's */
		fi;
		atomic {
			found = false;
			in_nmi = false
		}
	od
}

#define UNTOUCHED	(quiet && !in_nmi && !nmi && !on_its_way)
#define AS_PROMISED	\
	(counts && !masked && !held && events < due && told == events / PERIOD &&	\
	 value + W(counter - raw) == events && counter == W(events - due))

active proctype monitor()
{
end:
	do
	:: atomic { UNTOUCHED && !AS_PROMISED -> assert(false) }
	od
}

init {
	run driver()
}
