/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Model of sampling/ring.h and ring.c for Spin: one CPU's ring, its producer and its reader
 *
 * Processes:
 *  producer()	pmc_ring_reserve() and pmc_ring_reserve_slow(), the stores of the record,
 *		pmc_ring_commit(), pmc_ring_drop(), pmc_rings_set_idle() with
 *		pmc_ring_report_lost()
 *  work()	pmc_ring_wake(), pmc_rings_wake_idle(): the irq_work on the same CPU
 *  reader()	a program (lib/ring.c) that reads the head and the records, stores the tail
 *		and calls poll(), which is pmc_rings_poll(). With -DREAD: read(), which is
 *		pmc_ring_copy()
 *  drain()	x86's total store order: stores wait in their CPU's store buffer, in order, and
 *		reach memory at any later time. smp_mb() waits until the buffer is empty. Loads
 *		come from memory.
 *
 * Properties:
 *  - A record that is read is complete, and does not change until the reader stores its tail.
 *  - Each overflow is reported exactly once: by its sample, or by a PMC_RECORD_LOST at its
 *    position. At the end the producer still counts those not reported. When counting stops
 *    for the first time there are none, because room for PMC_RECORD_LOST is reserved.
 *  - No missed wakeup: once all stores and interrupts are done, no reader sleeps while the ring
 *    has reached its watermark, or holds records and has dropped one (missed_wakeup).
 *  - With -DHOSTILE: whatever value each load of the tail returns, no store leaves the ring.
 *
 * Abstractions:
 *  - Eight bytes are one unit and one store. The ring has 8 units: a sample has 2 or 3 (3 are
 *    reserved, as with call chains; with -DSAMPLE_MAX=2 it has 1 or 2), PMC_RECORD_LOST 2, the
 *    header of padding 1. Records are larger, relative to the ring, than
 *    pmc_sample_config_check() allows; -DSIZE=16 is a ring that it allows. The code uses sizes
 *    only in comparisons and remainders, and all remainders occur here.
 *  - Positions are modulo 2^8 instead of 2^32, and start shortly before the wrap.
 *  - Stores without a load in between enter the buffer in one step, which commutes with every
 *    step of the other processes.
 *  - The wait queue's lock is a barrier for the waker, but not for the waiter; the code does not
 *    rely on it there.
 *  - Mmap and throttle records are like samples; their loss is not reported.
 *  - The reader's loads are in order: x86 keeps them so, and acquire loads stop the compiler.
 *
 * -DBROKEN_* breaks the code in one place each; tests/lint/models expects Spin to find each.
 */
#ifndef WATERMARK
#define WATERMARK	4
#endif
#ifndef FIRST
#define FIRST	3	/* overflows until counting stops for the first time */
#endif
#ifndef SECOND
#define SECOND	2	/* overflows after that */
#endif
#ifndef SIZE
#define SIZE	8
#endif
#ifndef START
#define START	248
#endif

#ifndef SAMPLE_MAX
#define SAMPLE_MAX	3
#endif
#define LOST_SIZE	2
#ifdef BROKEN_NO_RESERVE
#define RESERVE	0
#else
#define RESERVE	3
#endif

#define PAD	0
#define SAMPLE	1
#define LOST	2
#define RECORD(kind, size, n)	((kind) * 64 + (size) * 16 + (n))
#define AT(position)	((position) & (SIZE - 1))
#define U32(x)	((x) & 255)

/* Shared memory: the records, then these. All are addresses of stores. */
#define VISIBLE	SIZE
#define HEAD	(SIZE + 1)
#define UNREPORTED	(SIZE + 2)
#define IDLE	(SIZE + 3)
#define ENDED	(SIZE + 4)
byte memory[SIZE + 5];
byte shared_tail = START;

chan stores = [12] of { byte, byte };	/* the producer's store buffer */
chan tails = [3] of { byte };		/* the reader's store buffer */

/* Private to the producer */
byte written = START;
byte visible = START;
byte unreported;
byte overflows;		/* so far */
bool busy;		/* in the NMI handler, or interrupts are off */
bool pending;		/* irq_work */

/* The reader: 0 not in the wait queue, 1 in it, 2 in it and asleep */
byte waits;
bool is_idle;
byte expected;		/* number of the next overflow to be reported */

inline store(address, value)
{
	assert(nfull(stores));
	stores!address, value
}

inline smp_mb()
{
	empty(stores)
}

#ifdef HOSTILE
inline load_tail(to)
{
	select(to : 0..255)
}
#else
inline load_tail(to)
{
	to = shared_tail
}
#endif

/* pmc_ring_end(): records do not wrap around */
#define END(position, size)	((position) + \
	(SIZE - AT(position) < (size) -> SIZE - AT(position) : 0) + (size))

inline put(address, value)
{
	assert(address < SIZE);
#ifndef HOSTILE
	store(address, value)
#endif
}

/* pmc_ring_slot() */
inline slot(size)
{
	if
	:: SIZE - AT(written) < size ->
		put(AT(written), RECORD(PAD, SIZE - AT(written), 0));
		written = written + SIZE - AT(written)
	:: else
	fi
}

inline write_lost()
{
	slot(LOST_SIZE);
	put(AT(written), RECORD(LOST, LOST_SIZE, unreported));
	put(AT(written) + 1, RECORD(LOST, LOST_SIZE, unreported));
	unreported = 0;
	store(UNREPORTED, 0);
	written = written + LOST_SIZE
}

inline publish()
{
	visible = written;
	store(VISIBLE, visible);
	store(HEAD, visible)
}

/* pmc_ring_commit(), after the stores of the record */
inline commit()
{
	atomic {
		before = visible;
#ifndef BROKEN_HEAD_EARLY
		publish();
#else
		visible = written;
#endif
	}
#ifndef BROKEN_NO_PRODUCER_BARRIER
	smp_mb();
#endif
	load_tail(t);
	atomic {
		if
		:: U32(before - t) < WATERMARK && U32(visible - t) >= WATERMARK ->
			pending = true
		:: else
		fi;
		before = 0;
		t = 0
	}
}

/* pmc_ring_reserve(), pmc_ring_reserve_slow() */
inline reserve()
{
	load_tail(t);
	atomic {
#ifdef BROKEN_NO_WRAP_CHECK
		fits = !unreported && U32(written + SAMPLE_MAX + RESERVE - t) <= SIZE;
#else
		fits = AT(written) + SAMPLE_MAX <= SIZE && !unreported &&
		       U32(written + SAMPLE_MAX + RESERVE - t) <= SIZE;
#endif
		t = 0
	}
	if
	:: fits
	:: else ->
		load_tail(t);
		atomic {
			end = (unreported -> END(written, LOST_SIZE) : written);
			end = U32(end);
			end = END(end, SAMPLE_MAX);
			end = U32(end + RESERVE);
#ifdef BROKEN_NO_ROOM_CHECK
			fits = true;
#else
			fits = U32(end - t) <= SIZE;
#endif
			end = 0;
			t = 0;
			if
#ifndef BROKEN_LOSS_BEHIND
			:: fits && unreported -> write_lost()
#endif
			:: else
			fi;
			if
			:: fits -> slot(SAMPLE_MAX)
			:: else
			fi
		}
	fi
}

inline sample()
{
	atomic {
#ifdef BROKEN_HEAD_EARLY
		if
		:: written = written + SAMPLE_MAX - 1
		:: written = written + SAMPLE_MAX
		fi;
		store(VISIBLE, written);
		store(HEAD, written);
		written = written - U32(written - visible);
#endif
		if
		:: n = SAMPLE_MAX - 1
		:: n = SAMPLE_MAX
		fi;
		put(AT(written), RECORD(SAMPLE, n, overflows));
		if
		:: n > 1 -> put(AT(written) + 1, RECORD(SAMPLE, n, overflows))
		:: else
		fi;
		if
		:: n > 2 -> put(AT(written) + 2, RECORD(SAMPLE, n, overflows))
		:: else
		fi;
		written = written + n;
		n = 0;
#ifdef BROKEN_LOSS_BEHIND
		if
		:: unreported -> write_lost()
		:: else
		fi;
#endif
	}
	commit()
}

/* pmc_ring_drop() */
inline drop()
{
#ifdef BROKEN_UNREPORTED_LATE
	if
	:: !unreported ->
		load_tail(t);
		atomic {
			if
			:: U32(visible - t) < WATERMARK -> pending = true
			:: else
			fi;
			t = 0
		}
	:: else
	fi;
	atomic {
		unreported++;
		store(UNREPORTED, unreported)
	}
#else
	atomic {
		unreported++;
		store(UNREPORTED, unreported)
	}
	if
	:: unreported == 1 ->
#ifndef BROKEN_NO_LOSS_BARRIER
		smp_mb();
#endif
		load_tail(t);
		atomic {
			if
#ifndef BROKEN_NO_LOSS_WAKEUP
			:: U32(visible - t) < WATERMARK -> pending = true
#endif
			:: else
			fi;
			t = 0
		}
	:: else
	fi
#endif
}

inline overflow()
{
	busy = true;
	reserve();
	if
	:: fits -> sample()
	:: else -> drop()
	fi;
	atomic {
		fits = false;
		overflows++;
		busy = false
	}
}

/* pmc_ring_report_lost() */
inline report_lost()
{
	load_tail(t);
	atomic {
		end = END(written, LOST_SIZE);
		fits = unreported && U32(end - t) <= SIZE;
		end = 0;
		t = 0;
		if
		:: fits -> write_lost()
		:: else
		fi
	}
	if
	:: fits -> commit()
	:: else
	fi;
	fits = false
}

/* pmc_rings_set_idle() */
inline set_idle(idle, ended)
{
	busy = true;
#ifdef BROKEN_IDLE_EARLY
	atomic {
		store(ENDED, ended);
		store(IDLE, idle)
	}
	smp_mb();
#endif
	report_lost();
	atomic {
		store(ENDED, ended);
		store(IDLE, idle)
	}
	/* calls are serialised, but may be on different CPUs */
	smp_mb();
	atomic {
		pending = pending || idle;
		busy = false
	}
}

/* pmc_rings_set_idle(), without an unreported overflow */
inline begin_counting()
{
	assert(!unreported);
	store(IDLE, 0);
	smp_mb()
}

proctype producer()
{
	byte t, end, before, n;
	bool fits, stopped;

	begin_counting();
	do
	:: overflows == FIRST && !stopped ->
		set_idle(1, 0);
		stopped = true;
#ifdef HOSTILE
		set_idle(0, 0)
#else
		begin_counting()
#endif
	:: overflows == FIRST + SECOND -> break
	:: else -> overflow()
	od;
	set_idle(1, 1)
}

/* A separate interrupt, after the one that raised it. Locks are full barriers. */
active proctype work()
{
end:
	do
	:: atomic { pending && !busy && empty(stores) -> pending = false; waits = 0 }
	od
}

active proctype drain()
{
	byte address, value;
end:
	do
	:: atomic {
		stores?address, value ->
		memory[address] = value;
		address = 0;
		value = 0
	}
	:: atomic { tails?shared_tail }
	od
}

inline check_record()
{
	record = memory[AT(next)];
	size = (record >> 4) & 3;
	assert(size && size <= U32(end - next) && size <= SIZE - AT(next));
	i = 1;
	do
	:: i < size && (record >> 6) != PAD ->
		assert(memory[AT(next) + i] == record);
		i++
	:: else -> break
	od;
	atomic {
		if
		:: (record >> 6) == SAMPLE ->
			assert((record & 15) == expected);
			expected++
		:: (record >> 6) == LOST -> expected = expected + (record & 15)
		:: else
		fi;
		next = next + size;
		record = 0;
		size = 0;
		i = 0
	}
}

/* poll(): pmc_rings_poll(), with the file's wait queue */
inline wait_for_records()
{
	waits = 1;
	is_idle = memory[IDLE];
#ifndef BROKEN_NO_READER_BARRIER
	empty(tails);
#endif
	seen = memory[VISIBLE];
	atomic {
		lost = memory[UNREPORTED];
		/* the reader's own tail, even if still in its store buffer */
		seen = U32(seen - next);
		if
		:: seen >= WATERMARK || seen && (is_idle || lost) || memory[ENDED] -> waits = 0
		:: else ->
			if
			:: waits -> waits = 2
			:: else /* woken already */
			fi
		fi;
		seen = 0;
		lost = 0;
		is_idle = false
	}
	waits == 0
}

proctype reader()
{
	byte next = START, end, record, size, i, seen, lost;
	bool ended;

	do
	:: ended = memory[ENDED];
#ifdef READ
		end = memory[VISIBLE];
#else
		end = memory[HEAD];
#endif
#ifdef BROKEN_TAIL_EARLY
		tails!end;
#endif
		do
		:: next != end ->
			check_record();
			/* lib/ring.c stores the tail after some records */
			if
			:: tails!next
			:: true
			fi
		:: next == end -> break
		:: true -> break
		od;
		tails!next;
		if
		:: ended && next == end -> break
		:: else
		fi;
		end = 0;
		wait_for_records()
	od;
	assert(expected + unreported == overflows)
}

#define UNREAD	U32(memory[VISIBLE] - shared_tail)
#define READY	(UNREAD >= WATERMARK || UNREAD && (memory[IDLE] || memory[UNREPORTED]))
#define missed_wakeup	\
	(waits == 2 && !busy && !pending && empty(stores) && empty(tails) && READY)

active proctype monitor()
{
end:
	do
	:: atomic { missed_wakeup -> assert(false) }
	od
}

init {
	atomic {
		memory[VISIBLE] = START;
		memory[HEAD] = START;
		memory[IDLE] = 1;
		run producer();
#ifndef HOSTILE
		run reader()
#endif
	}
}
