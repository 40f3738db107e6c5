/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Model for Spin of perf_rdpmc_allowed, the count of one address space that permits RDPMC
 * (pmu/rdpmc_mm.c): the kernel
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
 *  fork()	copies the count, and the driver's fork probe removes the driver's bits, and perf's
 *		while the driver has the counters
 *  begin()	with -DEVERY: a fork or an exec creates the process at any time, and the driver's
 *		probe runs. The fork's parent can have perf's permission
 *  driver()	claims the counters. Then pmc_rdpmc_forget_dirty_counters(), where the process is
 *		PID 1; with -DGRANT pmc_rdpmc_mm_grant() and pmc_rdpmc_mm_revoke() of the process.
 *		Beside perf, without a claim: with -DEVERY pmc_rdpmc_tasks_grant() and
 *		pmc_rdpmc_tasks_revoke(), setting 2; with -DBESIDE pmc_rdpmc_works_beside_perf(),
 *		called by the process' only thread
 *
 * Properties:
 *  - perf does not notice: while an event is mapped, RDPMC works in every thread of the process.
 *    Exception: if a process without permission of perf's maps an event while
 *    pmc_rdpmc_tasks_grant() runs, RDPMC can fault until the grant returns.
 *  - After pmc_rdpmc_forget_dirty_counters(), no counter is dirty until the release, and no thread
 *    of the process has PCE. At no time does a CPU have PCE in another process.
 *  - When pmc_rdpmc_mm_grant() has returned, RDPMC works in every thread of the process; when
 *    pmc_rdpmc_mm_revoke() has returned, in none.
 *  - When pmc_rdpmc_tasks_grant() has returned, RDPMC works in every thread of the process until
 *    pmc_rdpmc_tasks_revoke() is called. When the revoke has returned, RDPMC works if perf's part
 *    of the count permits it, and otherwise in no thread. Forks and execs at any time do not change
 *    this.
 *  - pmc_rdpmc_works_beside_perf() has changed no thread's permission when it returns.
 *  - A child never runs with the driver's part of the count.
 * Without -DEVERY and -DBESIDE, the first property holds because the driver raises a count only
 * while it has the counters, and perf has no event then.
 *
 * Abstractions:
 *  - One address space, two CPUs. Every other address space has the count 0; with -DEVERY, the only
 *    other one is the kernel's (init_mm).
 *  - perf's file rdpmc contains 1. The other values overrule the count.
 *  - The atomic operations order all loads and stores, as on x86.
 *  - Each scheduler switches SWITCHES times, and perf maps MAPS times.
 *  - The exec probe finds an unused callback head.
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
#define BIT_EVERY 4	/* RDPMC_EVERY_PROCESS */
#define DRIVER	8	/* RDPMC_CONTEXT */
#define PERFS	(BIT_EVERY - 1)	/* RDPMC_PERF */

#if !defined(GRANT) && !defined(EVERY)
#define VISITS		/* of pmc_mm_visit_here(), with the address space */
#endif

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
bool busy;		/* perf has changed the count, and the interrupts have not ended */

/* The process */
#ifdef EVERY
byte threads;
bool user;		/* its threads may be in user mode */
bool listed;		/* a task in the task list has the address space */
byte parent;		/* the count that a fork copies */
#else
#if defined(BESIDE) && !defined(BROKEN_THREADS)
byte threads = 1;
#else
byte threads = CPUS;
#endif
bool user = true;
#endif

/* The driver */
bool claimed;
bool forks_watched;
bool execs_watched;
bool every;		/* pmc_rdpmc_every_process */
bool probing;		/* a probe runs */
byte wanted[CPUS];	/* work items that are queued or run */
bool uses[CPUS];	/* between kthread_use_mm() and kthread_unuse_mm() */
bool leaving[CPUS];	/* pmc_mm_visited of a refresh */
byte visited;		/* visits with the address space that have ended */

/* For the assertions only */
bool clean;		/* no counter is dirty */
bool granting;
bool late;		/* perf's first event was mapped while granting */
bool granted;
#if defined(EVERY) || defined(BESIDE)
bool denied = true;	/* by the driver */
#else
bool denied;
#endif

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

#define USER(c)	(user && runs[c] == THREAD && !off[c])
#define PERMITTED	(count & PERFS)

inline check(c)
{
	assert(!(pce[c] && runs[c] == OTHER && !off[c]));
	assert(!(PERMITTED && !busy && !late && USER(c) && !pce[c]));
	assert(!(granted && USER(c) && !pce[c]));
	assert(!(denied && !PERMITTED && !busy && USER(c) && pce[c]));
	assert(!(clean && dirty[c]))
}

/* One thread runs on one CPU at a time. */
#define CAN_RUN(c)	(runs[c] != THREAD && threads > (runs[1 - c] == THREAD))
#define CAN_SWITCH(c)	(!off[c] && switches < SWITCHES)

proctype scheduler(byte c)
{
	byte switches;

end:
	do
	:: atomic { CAN_SWITCH(c) && CAN_RUN(c) && !loaded[c] ->
		switches++;
		runs[c] = THREAD;
		begin_switch(c)
	   }
	   atomic { end_switch(c); check(c) }
	:: atomic { CAN_SWITCH(c) && CAN_RUN(c) && loaded[c] ->
		switches++;
		runs[c] = THREAD;
		check(c)
	   }
	:: atomic { CAN_SWITCH(c) && runs[c] != OTHER ->
		switches++;
		leave(c);
		runs[c] = OTHER
	   }
	/* the address space that a kernel thread finds stays loaded */
	:: atomic { !off[c] && runs[c] != WORKER && wanted[c] && (loaded[c] || !uses[c]) ->
		runs[c] = WORKER
	   }
#ifdef VISITS
	:: atomic { !off[c] && runs[c] != WORKER && wanted[c] && !loaded[c] && uses[c] ->
		begin_switch(c)
	   }
	   atomic { runs[c] = WORKER; end_switch(c) }
#endif
	od
}

/* on_each_cpu_mask(mm_cpumask(mm), cr4_update_pce, NULL, 1), to one CPU */
inline interrupt(c)
{
	atomic {
		!off[c] ->
		if
		:: mask[c] -> update_pce(c); check(c)
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
	:: user && maps < MAPS ->
#ifdef BROKEN_PERF_NOT_EXCLUDED
		atomic { opened = true; maps++ }
#else
		atomic { !claimed -> opened = true; maps++ }
#endif
		atomic {
			user -> user = threads > 1;
			busy = true;
#ifndef BROKEN_NO_EXCEPTION
			late = granting && !PERMITTED;
#endif
			count = count + PERF;
			first = count == PERF
		}
		if
		:: first -> interrupt(0); interrupt(1)
		:: else
		fi;
		atomic { busy = false; user = true; check(0); check(1) }
		atomic {
			user -> user = threads > 1;
			busy = true;
			count = count - PERF;
			first = !count
		}
		if
		:: first -> interrupt(0); interrupt(1)
		:: else
		fi;
		atomic {
			busy = false;
			late = false;
			user = true;
			check(0);
			check(1);
			opened = false;
#ifndef EVERY
			if
			:: dirty[0] = true
			:: dirty[1] = true
			:: true
			fi;
#endif
			first = false
		}
	od
}

/* A step of the work item on a CPU: it can be preempted between two. */
#define HERE(c)	(runs[c] == WORKER && !off[c])

#ifdef EVERY
/* pmc_rdpmc_fork(); the child has not run yet. */
inline fork_probe()
{
	if
	:: atomic { forks_watched -> probing = true }
#ifndef BROKEN_NO_RESET
	   count = count & PERFS;
#endif
	   if
	   :: every -> count = count | BIT_EVERY
	   :: else
	   fi;
	   probing = false
	:: atomic { !forks_watched -> skip }
	fi
}

/* pmc_rdpmc_exec() */
inline exec_probe()
{
	if
	:: atomic { execs_watched -> probing = true }
	   if
	   :: every -> count = count | BIT_EVERY; work = true
	   :: else
	   fi;
	   probing = false
	:: atomic { !execs_watched -> skip }
	fi
}

/* pmc_rdpmc_refresh_exec() */
inline refresh_exec()
{
	cpu = 0;
	do
	:: cpu < CPUS ->
		if
		:: mask[cpu] ->
			wanted[cpu]++;
			atomic { HERE(cpu) -> leave(cpu); wanted[cpu]-- }
		:: else
		fi;
		cpu++
	:: else -> break
	od
}

active proctype begin()
{
	byte cpu;
	bool work;

	if
	:: true -> /* a fork */
		if
		:: parent = parent + PERF
		:: true
		fi;
		count = parent;
		listed = true;
		fork_probe()
	:: true -> /* an exec by a thread that runs on a CPU, with another address space */
		if
		:: cpu = 1
		:: true
		fi;
end:
		atomic {
			runs[cpu] == OTHER && !off[cpu] ->
			threads = 1;
			listed = true;
			runs[cpu] = THREAD;
			begin_switch(cpu);
			end_switch(cpu)
		}
		exec_probe();
#ifndef BROKEN_NO_EXEC_REFRESH
		if
		:: work -> refresh_exec()
		:: else
		fi
#endif
	fi;
	atomic { threads = CPUS; user = true; check(0); check(1) }
}
#else
active proctype fork()
{
	byte child;

	child = count;
#ifndef BROKEN_NO_RESET
	if
#ifndef BESIDE
	:: atomic { claimed -> assert(!opened); child = 0 }
#endif
	:: atomic { !claimed -> child = child & PERFS }
	fi;
#endif
	atomic { assert(child <= PERFS); child = 0 }
}
#endif

#ifdef VISITS
/* pmc_mm_visit_here() with the address space */
inline visit(c)
{
	wanted[c]++;
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
	atomic { HERE(c) -> leave(c); wanted[c]-- }
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
#endif

#ifdef EVERY
#define REFRESHED(c)	true	/* cpu_online_mask */
#else
#define REFRESHED(c)	mask[c]
#endif

/* pmc_rdpmc_refresh(): the CPUs of a copy of the mask leave the address space. */
inline refresh()
{
	leaving[0] = REFRESHED(0);
	leaving[1] = REFRESHED(1);
	wanted[0] = wanted[0] + leaving[0];
	wanted[1] = wanted[1] + leaving[1];
	do
	:: atomic { leaving[0] && HERE(0) -> leave(0); leaving[0] = false; wanted[0]-- }
	:: atomic { leaving[1] && HERE(1) -> leave(1); leaving[1] = false; wanted[1]-- }
	:: atomic { !leaving[0] && !leaving[1] -> break }
	od
}

#ifdef EVERY
/* pmc_rdpmc_set_all_tasks(): a parent is in the list before its child. */
inline set_all()
{
	parent = parent | BIT_EVERY;
	count = (listed -> count | BIT_EVERY : count)
}

inline clear_all()
{
	parent = parent & PERFS;
	count = (listed -> count & PERFS : count)
}

/* pmc_rdpmc_tasks_grant() */
inline grant_every()
{
	atomic { granting = true; denied = false }
	forks_watched = true;
#ifndef BROKEN_WATCH_LATE
	execs_watched = true;
#endif
#ifndef BROKEN_FLAG_LATE
	every = true;
#endif
	set_all();
#if defined(BROKEN_WATCH_LATE) || defined(BROKEN_FLAG_LATE)
	execs_watched = true;
	every = true;
#endif
#ifndef BROKEN_NO_REFRESH
	refresh();
#endif
	atomic { granting = false; late = false; granted = true; check(0); check(1) }
}

/* pmc_rdpmc_tasks_revoke() */
inline revoke_every()
{
	granted = false;
	every = false;
	clear_all();
	execs_watched = false;
#ifndef BROKEN_NO_SYNCHRONIZE
	!probing;
#endif
#ifdef BROKEN_REVOKE_LATE
	refresh();
#endif
#ifndef BROKEN_ONE_WALK
	clear_all();
#endif
#ifndef BROKEN_REVOKE_LATE
	refresh();
#endif
	atomic { denied = true; check(0); check(1) }
}
#endif

#ifdef BESIDE
/* pmc_rdpmc_works_beside_perf(): only the calling thread can map events. */
inline beside()
{
	atomic { user -> user = threads > 1 }
	if
	:: run visitor(0)
	:: run visitor(1)
	fi;
	visited == 1;
#ifndef BROKEN_NO_REFRESH
	refresh();
#endif
	atomic { user = true; check(0); check(1) }
}
#endif

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
#if defined(EVERY)
	grant_every();
	revoke_every()
#elif defined(BESIDE)
	beside()
#else
#ifdef BROKEN_PERF_NOT_EXCLUDED
	claimed = true;
#else
	atomic { !opened -> claimed = true }
#endif
	use();
	claimed = false
#endif
}
