/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Model of the user page (struct pmc_page) for Spin: a thread reads its own counters in user
 * mode, while the kernel may act between any two of its instructions
 *
 * Processes:
 *  thread()	pmc_read_group_ordered() of lib/include/libpmcdrv-read.h for two counters, one
 *		step for each instruction. Both counters count every instruction, including those
 *		between two reads
 *  kernel()	a context switch, to the same CPU or another, where other contexts may have used
 *		the counters (__pmc_run_stop(), __pmc_run_start(), pmc_run_load(),
 *		pmc_run_rewind(), pmc_run_show(), pmc_run_hide()); the fold timer
 *		(pmc_run_update()); STOP, START, WRITE and RESET by another thread
 *		(pmc_rdpmc_pause(), pmc_context_set_base(), pmc_thread_open_user_page()); user
 *		access to RDPMC revoked and granted again (pmc_pmu_hide_user_pages())
 *
 * Properties: a read returns for each counter its count at the moment of its RDPMC, and only
 * the thread's own instructions are counted between the two. So comparing the sequence last is
 * enough to show that all values came from one state of the page.
 *
 * Abstractions:
 *  - The kernel's part is one step: it runs on the thread's CPU, or the thread is not running
 *    and the switch to it orders all stores. It interrupts between two instructions, and the
 *    processor discards what it executed speculatively; so it does not matter that RDPMC is
 *    not ordered against loads.
 *  - A counter has 4 bits, of which HIGH is the upper half, and 64-bit values have 8. At most 8
 *    events between two folds stands for pmc_fold_period(): a counter cannot reach its upper
 *    half a second time before the timer folds it.
 *  - ECX for RDPMC depends on the CPU, as on NetBurst's logical processors.
 *  - The kernel acts KERNEL times, so that no sequence repeats. With 32 bits a repeat needs 2^31
 *    changes within one read.
 *  - The times of the page are under the same sequence. While the page is unavailable the
 *    library calls PMC_IOC_READ, which does not use the page.
 *
 * -DBROKEN_* breaks the code in one place each; tests/lint/models expects Spin to find each.
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
#define FOLD	8	/* most events between two folds */
#define U64(x)	((x) & 255)
#define CPUS	2
/* Each CPU has two counters; ECX for them depends on the CPU. */
#define RDPMC(cpu, i)	((i) ^ (cpu))
#define REGISTER(cpu, rdpmc)	counter[(cpu) * 2 + (rdpmc)]

/* The hardware */
byte counter[4];

/* The page */
byte sequence = UNAVAILABLE;
byte page_rdpmc[2];
byte offset[2];

/* The driver */
byte value[2];
byte raw[2];
byte base[2];
bool stale = true;
bool open = true;
bool running;		/* the thread runs and is counted */
bool shut;		/* pmc_user_pages_disabled */
byte cpu;		/* the thread's CPU */
byte run_last = CPUS;	/* CPU where the run was last started */
bool pmu_last[CPUS];	/* this run was the last one on the CPU */

/* For the assertions only */
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

/* May the thread execute one more instruction before the timer fires? */
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

/* pmc_run_fold(); @rewound is its return value */
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

inline load()
{
#ifndef BROKEN_NO_LOAD
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
	:: !pmu_last[cpu] -> load()
#else
	:: !pmu_last[cpu] || run_last != cpu -> load()
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

/* Other contexts count on a CPU, and leave their last values in its counters. */
inline others(where)
{
	pmu_last[where] = false;
	/* one in its upper half, one below */
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

/* PMC_IOC_WRITE: pmc_rdpmc_pause(), pmc_context_set_base() */
inline write()
{
	open = false;
	hide();
	if
	:: running -> fold()
	:: else
	fi;
	/* a different value for each */
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
	/* the timer fires in time */
	:: atomic { running && since == FOLD -> update(); rewound = false }
	:: atomic { running && acted < KERNEL -> update(); rewound = false; acted++ }
	:: atomic { running && acted < KERNEL -> switch_out_and_in(); rewound = false; acted++ }
	:: atomic { running && acted < KERNEL -> stop(); rewound = false; acted++ }
	:: atomic { !running && !ended -> start() }
	:: atomic { acted < KERNEL -> write(); rewound = false; acted++ }
	:: atomic {
		running && !shut && acted < KERNEL ->
		shut = true;
		hide();
		acted++
	}
	/* the work item grants access again */
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
				/* the three instructions of thread() between them */
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
