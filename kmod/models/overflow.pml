/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Spin model of the overflow interrupt (sampling/nmi.c, pmi.c, sampler.c) against start, read
 * and stop (target/run.h), on one CPU
 *
 * It models the tables of transitions at the top of nmi.c for the policy that masks: ARMED is
 * !masked, DELIVERED is masked. DISARMED, NMIs sent to itself and the other policies are not
 * modelled.
 *
 * Processes:
 *  driver()	pmc_run_load(), pmc_sampler_start(), pmc_pmu_enable(); pmc_run_lock(),
 *		pmc_run_unlock(); __pmc_run_stop(), with pmc_sampler_settle_late() and
 *		pmc_sampler_stop(). Interrupts are off
 *  interrupt()	pmc_pmi_nmi(): pmc_pmi_pass(), pmc_pmi_settle_kernel(), pmc_pmi_no_overflow(),
 *		pmc_nmi_classify(), pmc_pmi_pass_again(). It comes between any two steps of
 *		driver() and runs to its end
 *  hardware()	the counter, which continues between any two steps of all processes, its
 *		status bit, and LVTPC: masked on delivery; a PMI that comes then is lost. A
 *		PMI may take any time to be delivered
 *
 * The counter counts the kernel, the driver and the NMI handler included, and is stopped to
 * be read; with -DUSER it counts user mode only and is not stopped. With -DNO_STATUS there is
 * no status bit, as in version 1 of architectural performance monitoring.
 *
 * Properties:
 *  - whenever the run is stopped, the count is the number of events, and the recorded
 *    overflows are floor(count / period); while it runs the same holds as soon as no PMI is
 *    on its way and neither the NMI handler nor the driver accesses the counter;
 *  - there are never more recorded overflows than overflows: none is recorded twice;
 *  - no counter stops interrupting: at those moments it is loaded so that the next PMI comes
 *    when it is due, and LVTPC is armed;
 *  - as long as at most one PMI is on its way at a time, no late PMI is counted as spurious:
 *    where the NMI handler finds no overflow, a late PMI is expected or the run is locked;
 *  - a value that others left in the counter or its status, and a PMI of the last run that
 *    comes during the next, do no harm.
 *
 * Abstracted:
 *  - one sampler with one counter. With several, each has its own count, and the list is
 *    whole after every store; an overflow that loses its PMI because the PMI of another
 *    counter masked LVTPC is modelled as a second overflow of the same counter.
 *  - the counter is 4 bits wide and the events are few: the code uses differences modulo the
 *    width, and the fold timer (a read, as here) allows for one wrap.
 *  - PASSES stands for the 16 passes of the code: only the second pass, after LVTPC is armed,
 *    adds behaviour.
 *  - Not modelled: a sample that does not fit into its ring (see ring.pml); throttling, which
 *    omits the reload and ends with a lock and a reload; NetBurst's counters, which are loaded
 *    to overflow one event early; foreign NMIs.
 *  - a CPU sees its own stores in order: no store buffer is needed.
 *
 * -DBROKEN_* breaks the code in one place each; tests/lint/models expects Spin to find each.
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
byte on_its_way;	/* PMIs */
bool masked;		/* LVTPC; true: DELIVERED */
bool nmi;		/* delivered, not yet begun */

/* The driver's */
bool control;		/* the copy of the register */
byte raw;
byte value;
byte due = PERIOD;
byte recorded;
bool locked;
bool listed;
byte expected;		/* late NMIs, at most 2 */

/* Not variables of the code: for the assertions, and for the order of the processes */
byte events;		/* all that were counted */
bool in_nmi;
bool crowded;		/* two PMIs were on their way at a time */
bool quiet;		/* the driver does not access the counter */

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
			crowded = crowded || on_its_way;
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

/* pmc_nmi_expect() */
inline expect()
{
	if
	:: expected < 2 -> expected++
	:: else
	fi
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
			recorded = recorded + over;
			over = 0;
			found = true;
			assert(recorded * PERIOD <= events)
		}
		reload()
	:: else
	fi
}

/* pmc_sampler_settle_late() */
inline settle_late()
{
	status = false;
	settle();
	if
#ifndef BROKEN_NO_EXPECT
	:: found -> expect()
#endif
	:: else
	fi;
	found = false
}

inline lock()
{
#ifndef USER
	control = false;
	counts = false;
#endif
	locked = true;
#ifdef BROKEN_RELOAD_FIRST
	reload();
#endif
	add_counts();
	settle_late()
}

inline unlock()
{
#if defined(BROKEN_ENABLE_FIRST) && !defined(USER)
	control = true;
	counts = true;
#endif
	locked = false;
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
#ifdef BROKEN_NO_LOCK
	skip;
#else
	locked = true;
#endif
	add_counts();
#ifndef BROKEN_NO_SETTLE
	settle_late();
#endif
	listed = false;
	locked = false
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
			lock();
			unlock();
			quiet = true
		:: true -> break
		od;
		quiet = false;
		stop();
		atomic {
			runs++;
			assert(value == events && recorded == events / PERIOD && !locked)
		}
	:: else -> break
	od
}

/* pmc_pmi_pass() */
inline pass()
{
	found = false;
	if
#ifdef BROKEN_IGNORE_LOCKED
	:: listed ->
#else
	:: listed && !locked ->
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

/* pmc_pmi_pass_again() */
inline pass_again()
{
#if !defined(USER) && !defined(BROKEN_ONE_PASS)
	passes = 1;
	found = true;
	do
	:: passes < PASSES && found ->
		pass();
		if
#ifndef BROKEN_NO_EXPECT_AGAIN
		:: found -> expect()
#endif
		:: else
		fi;
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
		:: found ->
			/* OURS */
			arm();
			pass_again()
		:: !found && masked ->
			if
			:: expected ->
				/* LATE */
				expected--
			:: else ->
				/* OURS; spurious unless locked */
				assert(locked || crowded)
			fi;
			arm();
			pass_again()
		:: else
			/* FOREIGN */
		fi;
		atomic {
			found = false;
			in_nmi = false
		}
	od
}

#define UNTOUCHED	(quiet && !in_nmi && !nmi && !on_its_way)
#define AS_PROMISED	\
	(counts && !masked && !locked && events < due && recorded == events / PERIOD &&	\
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
