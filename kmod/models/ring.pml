/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Model of ring.h and ring.c for Spin: one CPU's records, its producer and a reader
 *
 * Modelled, one line of thought each:
 *  producer()	pmc_ring_reserve() and pmc_ring_reserve_slow(), the record's bytes,
 *		pmc_ring_commit(), pmc_ring_lose(), pmc_rings_set_idle() with
 *		pmc_ring_report_loss()
 *  work()	pmc_ring_wake(), pmc_rings_wake_idle(): the irq_work on that CPU
 *  reader()	a program (lib/ring.c): the head, the records, the tail, poll(),
 *		which is pmc_rings_poll(). With -DREAD pmc_ring_copy() of read()
 *  drain()	the processors: x86's total store order. What a side stores waits in
 *		its own buffer, in order, and becomes memory at any later time;
 *		smp_mb() waits until it has. Loads come from memory.
 *
 * Shown:
 *  - a record that is read is whole, and stays so until its tail is given back;
 *  - no overflow is told twice or left out: a reader has its sample, or a record of the
 *    loss just there; at the end all that is not told is still kept by the producer, and
 *    when counting stops for the first time nothing is: room for that record is kept;
 *  - nobody sleeps while there is the watermark, or something in a ring that had no
 *    room, once all that is under way has come (asleep_for_ever);
 *  - with -DHOSTILE: whatever the tail is at any look, nothing is written outside.
 *
 * Abstracted:
 *  - eight bytes are one unit and one store, the ring has 8: a sample of 2 or 3 (3 are
 *    reserved, as where chains may come; with -DSAMPLE_MAX=2 1 or 2), a loss of 2, a
 *    pad's head of 1. This is fuller than pmc_sample_config_check() allows; -DSIZE=16 is a
 *    ring that it allows. The code knows sizes only by comparison and remainders, and
 *    here all remainders come.
 *  - positions are modulo 2^8 instead of 2^32, and begin shortly before the wrap.
 *  - stores with no load between them enter the buffer in one step: that commutes with
 *    all that another can do.
 *  - the wait queue's lock is a barrier for who wakes, not for who waits: the code does
 *    not count on it there.
 *  - map and throttle records are like samples here; a loss of one is not told.
 *  - the reader's loads are in order, which total store order promises; that the compiler
 *    keeps them so, the loads' kinds (acquire) promise.
 *
 * Broken on purpose, one by one, with -D (tests/models/run): see BROKEN_*.
 */
#ifndef WATERMARK
#define WATERMARK	4
#endif
#ifndef FIRST
#define FIRST	3	/* overflows till counting stops for the first time */
#endif
#ifndef SECOND
#define SECOND	2	/* and then */
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

/* What is shared, as it is in memory; data[] and these are addresses of a store. */
#define VISIBLE	SIZE
#define HEAD	(SIZE + 1)
#define MISSING	(SIZE + 2)
#define IDLE	(SIZE + 3)
#define ENDED	(SIZE + 4)
byte memory[SIZE + 5];
byte shared_tail = START;

chan stores = [12] of { byte, byte };	/* the producer's buffer */
chan tails = [3] of { byte };		/* the reader's */

/* The producer's own */
byte written = START;
byte visible = START;
byte missing;
byte told_to;		/* overflows so far */
bool busy;		/* in the NMI, or interrupts are off */
bool pending;		/* irq_work */

/* The reader: 0 not in the wait queue, 1 there, 2 there and asleep */
byte waits;
bool is_idle;
byte expected;		/* the next overflow to be told of */

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

/* pmc_ring_end(): where a record ends, which never goes around */
#define END(position, size)	((position) + \
	(SIZE - AT(position) < (size) -> SIZE - AT(position) : 0) + (size))

inline put(address, value)
{
	assert(address < SIZE);
#ifndef HOSTILE
	store(address, value)
#endif
}

/* pmc_ring_place() */
inline place(size)
{
	if
	:: SIZE - AT(written) < size ->
		put(AT(written), RECORD(PAD, SIZE - AT(written), 0));
		written = written + SIZE - AT(written)
	:: else
	fi
}

inline write_loss()
{
	place(LOST_SIZE);
	put(AT(written), RECORD(LOST, LOST_SIZE, missing));
	put(AT(written) + 1, RECORD(LOST, LOST_SIZE, missing));
	missing = 0;
	store(MISSING, 0);
	written = written + LOST_SIZE
}

inline publish()
{
	visible = written;
	store(VISIBLE, visible);
	store(HEAD, visible)
}

/* pmc_ring_commit(), the records being stored */
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
		fits = !missing && U32(written + SAMPLE_MAX + RESERVE - t) <= SIZE;
#else
		fits = AT(written) + SAMPLE_MAX <= SIZE && !missing &&
		       U32(written + SAMPLE_MAX + RESERVE - t) <= SIZE;
#endif
		t = 0
	}
	if
	:: fits
	:: else ->
		load_tail(t);
		atomic {
			end = (missing -> END(written, LOST_SIZE) : written);
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
			:: fits && missing -> write_loss()
#endif
			:: else
			fi;
			if
			:: fits -> place(SAMPLE_MAX)
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
		put(AT(written), RECORD(SAMPLE, n, told_to));
		if
		:: n > 1 -> put(AT(written) + 1, RECORD(SAMPLE, n, told_to))
		:: else
		fi;
		if
		:: n > 2 -> put(AT(written) + 2, RECORD(SAMPLE, n, told_to))
		:: else
		fi;
		written = written + n;
		n = 0;
#ifdef BROKEN_LOSS_BEHIND
		if
		:: missing -> write_loss()
		:: else
		fi;
#endif
	}
	commit()
}

/* pmc_ring_lose() */
inline lose()
{
#ifdef BROKEN_MISSING_LATE
	if
	:: !missing ->
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
		missing++;
		store(MISSING, missing)
	}
#else
	atomic {
		missing++;
		store(MISSING, missing)
	}
	if
	:: missing == 1 ->
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
	:: else -> lose()
	fi;
	atomic {
		fits = false;
		told_to++;
		busy = false
	}
}

/* pmc_ring_report_loss() */
inline tell_loss()
{
	load_tail(t);
	atomic {
		end = END(written, LOST_SIZE);
		fits = missing && U32(end - t) <= SIZE;
		end = 0;
		t = 0;
		if
		:: fits -> write_loss()
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
	tell_loss();
	atomic {
		store(ENDED, ended);
		store(IDLE, idle)
	}
	/* these calls may come on any CPU, one after the other */
	smp_mb();
	atomic {
		pending = pending || idle;
		busy = false
	}
}

/* The same where nothing is missing */
inline begin_counting()
{
	assert(!missing);
	store(IDLE, 0);
	smp_mb()
}

proctype producer()
{
	byte t, end, before, n;
	bool fits, stopped;

	begin_counting();
	do
	:: told_to == FIRST && !stopped ->
		set_idle(1, 0);
		stopped = true;
#ifdef HOSTILE
		set_idle(0, 0)
#else
		begin_counting()
#endif
	:: told_to == FIRST + SECOND -> break
	:: else -> overflow()
	od;
	set_idle(1, 1)
}

/* An interrupt of its own, after that which asked for it. Locks are full barriers. */
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
		lost = memory[MISSING];
		/* its own tail, wherever that is */
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
			/* lib/ring.c gives back now and then */
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
	assert(expected + missing == told_to)
}

#define UNREAD	U32(memory[VISIBLE] - shared_tail)
#define READY	(UNREAD >= WATERMARK || UNREAD && (memory[IDLE] || memory[MISSING]))
#define asleep_for_ever	\
	(waits == 2 && !busy && !pending && empty(stores) && empty(tails) && READY)

active proctype monitor()
{
end:
	do
	:: atomic { asleep_for_ever -> assert(false) }
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
