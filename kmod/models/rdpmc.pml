/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Model of the permission count of one address space (pmu/rdpmc_mm.c) for Spin: the kernel
 * switches tasks, perf maps and unmaps events, the process forks, and the driver raises the count
 *
 * Processes:
 *  scheduler()	one for each CPU: switches between a thread of the process in user mode, another
 *		process, and the driver's kernel worker. switch_mm_irqs_off() and
 *		cr4_update_pce_mm() of arch/x86: a switch within one address space changes nothing;
 *		else the CPU's bit in mm_cpumask() is set, then the count is read and CR4.PCE set or
 *		cleared. If it is set, perf zeroes the counters that it left dirty
 *  perf()	opens an event, maps it (x86_pmu_event_mapped()), unmaps and closes it. An interrupt
 *		makes each CPU of mm_cpumask() set PCE anew, but only if perf's part was 0 before
 *		and the whole count is perf's
 *  fork()	copies the count, and the driver's fork probe removes the driver's bits
 *  driver()	claims the counters. Then pmc_rdpmc_forget_dirty_counters(), where the process is
 *		PID 1; with -DGRANT pmc_rdpmc_mm_grant() and pmc_rdpmc_mm_revoke() of the process
 *
 * Properties:
 *  - perf does not notice: while an event is mapped, RDPMC works in every thread of the process.
 *  - After pmc_rdpmc_forget_dirty_counters(), no counter is dirty until the release, and no thread
 *    of the process has PCE. Meanwhile no CPU has PCE in another process.
 *  - When pmc_rdpmc_mm_grant() has returned, RDPMC works in every thread of the process; when
 *    pmc_rdpmc_mm_revoke() has returned, in none.
 *  - A child never runs with the driver's part of the count.
 * The first one holds because the driver raises a count only while it has the counters, and perf
 * has no event then.
 *
 * Abstractions:
 *  - One address space, two CPUs. Every other address space has the count 0.
 *  - perf's file rdpmc contains 1. The other values overrule the count.
 *  - The atomic operations order all loads and stores, as on x86.
 *  - Each scheduler switches SWITCHES times, and perf maps MAPS times.
 *
 * -DBROKEN_* breaks the code in one place each; tests/lint/models expects Spin to find each.
 */
#ifndef SWITCHES
#define SWITCHES	3
#endif
#ifndef MAPS
#define MAPS	1
#endif
#define CPUS	2
#define PERF	1	/* one event of perf, in the count */
#define DRIVER	4	/* RDPMC_CONTEXT */

/* What runs on a CPU */
#define OTHER	0	/* another process */
#define THREAD	1	/* of the process, in user mode */
#define WORKER	2	/* of the driver */

/* The kernel */
byte count;		/* perf_rdpmc_allowed */
byte runs[CPUS];
bool loaded[CPUS];	/* the address space */
bool mask[CPUS];	/* mm_cpumask() */
bool off[CPUS];		/* interrupts */
bool pce[CPUS];		/* CR4 */
bool dirty[CPUS];	/* a counter that perf left */

bool opened;		/* perf has an event */
bool mapped;		/* and the process reads it */

/* The driver */
bool claimed;
bool wanted[CPUS];	/* a work item is queued or runs */
bool uses[CPUS];	/* between kthread_use_mm() and kthread_unuse_mm() */
bool leaving[CPUS];	/* pmc_mm_visited of a refresh */
byte visited;		/* visits with the address space that have ended */

/* For the assertions only */
bool clean;		/* no counter is dirty */
bool granted;
bool denied;

/* cr4_update_pce_mm() */
inline update_pce(c)
{
	pce[c] = loaded[c] && count;
	dirty[c] = dirty[c] && !pce[c]
}

/* The first half of a switch, up to the load of the count; interrupts are off */
inline begin_switch(c)
{
	off[c] = true;
	mask[c] = true;
	loaded[c] = true
}

inline end_switch(c)
{
	update_pce(c);
	off[c] = false
}

/* To init_mm, which has no count */
inline leave(c)
{
	loaded[c] = false;
	mask[c] = false;
	pce[c] = false
}

inline check(c)
{
	assert(!(pce[c] && runs[c] == OTHER && !off[c]));
	assert(!(mapped && runs[c] == THREAD && !pce[c]));
	assert(!(granted && runs[c] == THREAD && !pce[c]));
	assert(!(denied && runs[c] == THREAD && pce[c]));
	assert(!(clean && dirty[c]))
}

proctype scheduler(byte c)
{
	byte switches;

end:
	do
	:: atomic { runs[c] != THREAD && switches < SWITCHES && !loaded[c] ->
		switches++;
		begin_switch(c)
	   }
	   atomic { runs[c] = THREAD; end_switch(c); check(c) }
	:: atomic { runs[c] != THREAD && switches < SWITCHES && loaded[c] ->
		switches++;
		runs[c] = THREAD;
		check(c)
	   }
	:: atomic { runs[c] != OTHER && switches < SWITCHES ->
		switches++;
		leave(c);
		runs[c] = OTHER
	   }
	/* the address space that a kernel thread finds stays loaded */
	:: atomic { runs[c] != WORKER && wanted[c] && (loaded[c] || !uses[c]) -> runs[c] = WORKER }
	:: atomic { runs[c] != WORKER && wanted[c] && !loaded[c] && uses[c] -> begin_switch(c) }
	   atomic { runs[c] = WORKER; end_switch(c) }
	od
}

/* on_each_cpu_mask(mm_cpumask(mm), cr4_update_pce, NULL, 1), to one CPU */
inline interrupt(c)
{
	atomic {
		!off[c] ->
		if
		:: mask[c] -> update_pce(c)
		:: else
		fi
	}
}

active proctype perf()
{
	byte maps;
	bool first;

end:
	do
	:: maps < MAPS ->
#ifdef BROKEN_PERF_NOT_EXCLUDED
		atomic { opened = true; maps++ }
#else
		atomic { !claimed -> opened = true; maps++ }
#endif
		atomic { count = count + PERF; first = count == PERF }
		if
		:: first -> interrupt(0); interrupt(1)
		:: else
		fi;
		atomic { mapped = true; check(0); check(1) }
		atomic { mapped = false; count = count - PERF; first = !count }
		if
		:: first -> interrupt(0); interrupt(1)
		:: else
		fi;
		atomic {
			opened = false;
			if
			:: dirty[0] = true
			:: dirty[1] = true
			:: true
			fi;
			first = false
		}
	od
}

active proctype fork()
{
	byte child;

	child = count;
#ifndef BROKEN_NO_RESET
	child = child & (DRIVER - 1);
#endif
	atomic { assert(child < DRIVER); child = 0 }
}

/* A step of the work item on a CPU: it can be preempted between two. */
#define HERE(c)	(runs[c] == WORKER && !off[c])

/* pmc_mm_visit_here() with the address space */
inline visit(c)
{
	wanted[c] = true;
#if !defined(BROKEN_RAISE_LATE) && !defined(BROKEN_NO_RAISE)
	atomic { HERE(c) -> count = count + DRIVER }
#endif
#ifndef BROKEN_NO_LEAVE
	atomic { HERE(c) -> leave(c) }
#endif
#ifdef BROKEN_RAISE_LATE
	atomic { HERE(c) -> count = count + DRIVER }
#endif
	atomic {
		HERE(c) ->
		uses[c] = true;
		if
		:: !loaded[c] -> begin_switch(c)
		:: else
		fi
	}
	atomic {
		runs[c] == WORKER ->
		if
		:: off[c] -> end_switch(c)
		:: else
		fi
	}
	atomic { HERE(c) -> uses[c] = false }
#ifndef BROKEN_NO_RAISE
	atomic { HERE(c) -> count = count - DRIVER }
#endif
	atomic { HERE(c) -> leave(c); wanted[c] = false }
}

/* pmc_mm_visit_cpus(): all at the same time */
proctype visitor(byte c)
{
	visit(c);
	visited++
}

inline visit_all()
{
	visited = 0;
	run visitor(0);
	run visitor(1);
	visited == CPUS
}

/* pmc_rdpmc_refresh(): the CPUs of a copy of mm_cpumask() leave the address space. */
inline refresh()
{
	leaving[0] = mask[0];
	leaving[1] = mask[1];
	wanted[0] = leaving[0];
	wanted[1] = leaving[1];
	do
	:: atomic { leaving[0] && HERE(0) -> leave(0); leaving[0] = false; wanted[0] = false }
	:: atomic { leaving[1] && HERE(1) -> leave(1); leaving[1] = false; wanted[1] = false }
	:: atomic { !leaving[0] && !leaving[1] -> break }
	od
}

inline use()
{
#ifdef GRANT
#ifdef BROKEN_GRANT_LATE
	refresh();
	count = count + DRIVER;
#else
	count = count + DRIVER;
	refresh();
#endif
	atomic { granted = true; check(0); check(1) }
	granted = false;
	count = count - DRIVER;
#ifndef BROKEN_NO_REVOKE
	refresh();
#endif
	atomic { denied = true; check(0); check(1) }
	denied = false
#else
	visit_all();
#ifndef BROKEN_NO_REFRESH
	refresh();
#endif
	atomic { clean = true; denied = true; check(0); check(1) }
	atomic { clean = false; denied = false }
#endif
}

active proctype driver()
{
	run scheduler(0);
	run scheduler(1);
#ifdef BROKEN_PERF_NOT_EXCLUDED
	claimed = true;
#else
	atomic { !opened -> claimed = true }
#endif
	use();
	claimed = false
}
