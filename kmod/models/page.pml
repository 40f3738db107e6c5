/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Model of the page (pmu.c, target.c, rdpmc.c) for Spin: a thread reads its own counters in
 * user mode while the kernel does what it likes in between
 *
 * Modelled, one line of thought each:
 *  thread()	pmc_read_group_ordered() of lib/include/libpmcdrv-read.h, two counters,
 *		instruction by instruction; each counts in both of them, and so do those
 *		between two reads
 *  kernel()	between any two instructions: the thread is switched out and in again,
 *		here or on another CPU, after others have used the counters there or
 *		not (__pmc_run_stop(), __pmc_run_start(), pmc_run_load(),
 *		pmc_run_rewind(), pmc_run_show(), pmc_run_hide()); the fold timer
 *		(pmc_run_update()); STOP, START and a PMC_IOC_SET or RESET by another thread
 *		(pmc_rdpmc_pause(), pmc_context_set_base(), pmc_thread_open_user_page());
 *		RDPMC is forbidden and permitted again (pmc_pmu_hide_user_pages())
 *
 * Shown: what a read gives is for each counter the count at the instant of its RDPMC,
 * within the read, and nothing but the thread's own instructions lies between the two.
 * So the last sequence that is compared says whether all was from one page.
 *
 * Abstracted:
 *  - the kernel's part is one step: it is on the thread's CPU, or on another while the
 *    thread runs nowhere, and its switch in orders all stores before. In user mode
 *    it interrupts between two instructions, and what a processor did ahead of that it does
 *    again: so that RDPMC is not ordered against loads is of no concern.
 *  - a counter is 4 bits wide, 64 bits are 8, and high is the upper half of the 4. That a
 *    counter can't reach its half again before the timer reads it is
 *    pmc_fold_period(); it is this here: at most 8 events between two folds.
 *  - what RDPMC takes depends on the CPU, as on NetBurst's logical processors.
 *  - the kernel acts KERNEL times, the thread reads till then: no sequence comes again.
 *    With 32 bits that needs 2^31 changes within one read.
 *  - times of the page are under the same sequence. Where the page says that it can't be
 *    read, a system call reads: pmc_read_raw() with interrupts off, nothing of the page.
 *
 * Broken on purpose, one by one, with -D (tests/models/run): see BROKEN_*.
 */
#ifndef KERNEL
#define KERNEL	2
#endif
#ifndef READS
#define READS	3
#endif
#define UNAVAILABLE	1
#define WIDTH(x)	((x) & 15)
#define HIGH	8
#define FOLD	8	/* events that there can be between two folds */
#define U64(x)	((x) & 255)
#define CPUS	2
/* Two counters of each CPU; what RDPMC takes for them depends on the CPU. */
#define RDPMC(cpu, i)	((i) ^ (cpu))
#define REGISTER(cpu, rdpmc)	counter[(cpu) * 2 + (rdpmc)]

/* The hardware */
byte counter[4];

/* The page */
byte sequence = UNAVAILABLE;
byte page_rdpmc[2];
byte offset[2];

/* The driver's */
byte value[2];
byte raw[2];
byte base[2];
bool stale = true;
bool open = true;
bool running;		/* it counts */
bool shut;		/* pmc_user_pages_disabled */
byte cpu;		/* where the thread is */
byte run_last = CPUS;	/* where the run was started last */
bool pmu_last[CPUS];	/* this was the last run there */

/* Seen by none of them */
byte truth[2];
byte since;		/* events since the last fold */
byte acted;
bool ended;

inline count()
{
	if
	:: running ->
		counter[cpu * 2] = WIDTH(counter[cpu * 2] + 1);
		counter[cpu * 2 + 1] = WIDTH(counter[cpu * 2 + 1] + 1);
		truth[0] = truth[0] + 1;
		truth[1] = truth[1] + 1;
		since++
	:: else
	fi
}

/* Time for one more instruction before the timer must come? */
#define MAY_EXECUTE	(!running || since < FOLD)

inline hide()
{
#ifdef BROKEN_NO_HIDE
	skip
#else
	sequence = (sequence + 2) | UNAVAILABLE
#endif
}

inline show_one(i)
{
	page_rdpmc[i] = RDPMC(cpu, i);
#ifdef BROKEN_NO_BASE
	offset[i] = U64(value[i] - raw[i])
#else
	offset[i] = U64(base[i] + value[i] - raw[i])
#endif
}

inline show_page()
{
	if
	:: open && !shut ->
		if
		:: stale ->
			show_one(0);
			show_one(1);
			stale = false
		:: else
		fi;
#ifdef BROKEN_SAME_SEQUENCE
		sequence = sequence & ~UNAVAILABLE
#else
		sequence = (sequence + 2) & ~UNAVAILABLE
#endif
	:: else
	fi
}

inline rewind_one(i)
{
#ifndef BROKEN_NO_REWIND
	if
	:: raw[i] & HIGH ->
		REGISTER(cpu, RDPMC(cpu, i)) = 0;
		raw[i] = 0
	:: else
	fi
#else
	skip
#endif
}

inline rewind()
{
	rewind_one(0);
	rewind_one(1);
#ifndef BROKEN_NOT_STALE
	stale = true
#endif
}

inline fold_one(i)
{
	value[i] = value[i] + WIDTH(REGISTER(cpu, RDPMC(cpu, i)) - raw[i]);
	raw[i] = REGISTER(cpu, RDPMC(cpu, i))
}

/* pmc_run_fold(); rewound: it returned true */
inline fold()
{
	fold_one(0);
	fold_one(1);
	since = 0;
	rewound = ((raw[0] | raw[1]) & HIGH) != 0;
	if
	:: rewound -> rewind()
	:: else
	fi
}

inline take()
{
#ifndef BROKEN_NO_TAKE
	raw[0] = REGISTER(cpu, RDPMC(cpu, 0));
	raw[1] = REGISTER(cpu, RDPMC(cpu, 1));
#endif
	rewind();
	pmu_last[cpu] = true;
	run_last = cpu
}

inline start()
{
#ifdef BROKEN_PAGE_EARLY
	show_page();
#endif
	if
#ifdef BROKEN_ONE_LAST
	:: !pmu_last[cpu] -> take()
#else
	:: !pmu_last[cpu] || run_last != cpu -> take()
#endif
	:: else
	fi;
	since = 0;
#ifndef BROKEN_PAGE_EARLY
	show_page();
#endif
	running = true
}

inline stop()
{
	running = false;
	fold();
	hide()
}

/* Others count on a CPU, and leave their last values. */
inline others(where)
{
	pmu_last[where] = false;
	/* one above its half, one below */
	counter[where * 2] = 15;
	counter[where * 2 + 1] = 5
}

inline switch_out_and_in()
{
	stop();
	if
	:: others(0)
	:: others(1)
	:: true
	fi;
	if
	:: cpu = 1 - cpu
	:: true
	fi;
	start()
}

/* pmc_rdpmc_pause(), pmc_context_set_base() and so on */
inline set()
{
	open = false;
	hide();
	if
	:: running -> fold()
	:: else
	fi;
	/* not the same for both */
	base[0] = 7;
	base[1] = 70;
	value[0] = 0;
	value[1] = 0;
	truth[0] = 7;
	truth[1] = 70;
	open = true;
#ifndef BROKEN_SET_NOT_STALE
	stale = true;
#endif
	if
	:: running -> show_page()
	:: else
	fi
}

inline update()
{
	fold();
#ifdef BROKEN_UPDATE_NO_SHOW
	skip
#else
	if
	:: rewound -> show_page()
	:: else
	fi
#endif
}

active proctype kernel()
{
	bool rewound;

	if
	:: atomic { others(0) }
	:: atomic { cpu = 1; others(1) }
	fi;
end:
	do
	/* the timer comes whenever it must */
	:: atomic { running && since == FOLD -> update(); rewound = false }
	:: atomic { running && acted < KERNEL -> update(); rewound = false; acted++ }
	:: atomic { running && acted < KERNEL -> switch_out_and_in(); rewound = false; acted++ }
	:: atomic { running && acted < KERNEL -> stop(); rewound = false; acted++ }
	:: atomic { !running && !ended -> start() }
	:: atomic { acted < KERNEL -> set(); rewound = false; acted++ }
	:: atomic {
		running && !shut && acted < KERNEL ->
		shut = true;
		hide();
		acted++
	}
	/* what the work item has found: all that may be read are opened */
	:: atomic {
		shut ->
		shut = false;
		stale = true;
		if
		:: running -> show_page()
		:: else
		fi
	}
	od
}

active proctype thread()
{
	byte seen, index, result[2], instant[2], reads;

	do
	:: reads < READS ->
		atomic { MAY_EXECUTE -> count(); seen = sequence }
		if
		:: seen & UNAVAILABLE -> goto done
		:: else
		fi;
		atomic { MAY_EXECUTE -> count(); index = page_rdpmc[0] }
		atomic {
			MAY_EXECUTE -> count();
			result[0] = REGISTER(cpu, index);
			instant[0] = truth[0]
		}
		atomic { MAY_EXECUTE -> count(); result[0] = result[0] + offset[0] }
		atomic { MAY_EXECUTE -> count(); index = page_rdpmc[1] }
		atomic {
			MAY_EXECUTE -> count();
			result[1] = REGISTER(cpu, index);
			instant[1] = truth[1]
		}
		atomic { MAY_EXECUTE -> count(); result[1] = result[1] + offset[1] }
		atomic {
			MAY_EXECUTE ->
			count();
			if
#ifndef BROKEN_NO_COMPARE
			:: seen != sequence
#endif
			:: else ->
				assert(result[0] == instant[0] && result[1] == instant[1]);
				/* three of its own instructions */
				assert(U64(base[0] - base[1] + instant[1] - instant[0]) == 3)
			fi
		}
done:
		atomic {
			seen = 0;
			index = 0;
			result[0] = 0;
			result[1] = 0;
			instant[0] = 0;
			instant[1] = 0;
			reads++
		}
	:: else -> break
	od;
	ended = true
}
