// SPDX-License-Identifier: GPL-2.0-only
/*
 * The pages of rings that the user's contexts hold, in all processes together
 *
 * The driver may charge a context from the call of CONFIGURE on and must charge it from its return
 * on; likewise at a release. So there are two sums: pages that are surely charged, and pages that
 * perhaps are. For the time of each process's request the least of the former and the most of the
 * latter are kept. A change is entered before the driver can know of it where that makes the check
 * weaker, else afterwards.
 *
 * The limit is that of the documents: docs/safety.md, pmcdrv(4). Root's rings are not counted here.
 */
#include <errno.h>
#include <string.h>
#include <sys/resource.h>

#include "fuzz.h"

static void keep_least(struct account *account, int64_t value)
{
	unsigned int i;

	for (i = 0; i < PROCESSES_MAX; i++) {
		int64_t least = __atomic_load_n(&account->least[i], __ATOMIC_SEQ_CST);

		while (value < least &&
		       !__atomic_compare_exchange_n(&account->least[i], &least, value, false,
						    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
			;
	}
}

/**
 * account_expect - these pages may be charged from now on
 * @worker:	its user
 * @pages:	of rings
 */
void account_expect(struct worker *worker, int64_t pages)
{
	struct account *account = &worker->shared->account;
	int64_t value = __atomic_add_fetch(&account->perhaps, pages, __ATOMIC_SEQ_CST);
	unsigned int i;

	for (i = 0; i < PROCESSES_MAX; i++) {
		int64_t most = __atomic_load_n(&account->most[i], __ATOMIC_SEQ_CST);

		while (value > most &&
		       !__atomic_compare_exchange_n(&account->most[i], &most, value, false,
						    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
			;
	}
}

/** account_hold - these expected pages are charged */
void account_hold(struct worker *worker, int64_t pages)
{
	__atomic_add_fetch(&worker->shared->account.surely, pages, __ATOMIC_SEQ_CST);
}

/** account_yield - undo account_hold(), before a call that may release the pages */
void account_yield(struct worker *worker, int64_t pages)
{
	struct account *account = &worker->shared->account;

	keep_least(account, __atomic_sub_fetch(&account->surely, pages, __ATOMIC_SEQ_CST));
}

/** account_drop - undo account_expect(): these pages are not charged any more */
void account_drop(struct worker *worker, int64_t pages)
{
	__atomic_sub_fetch(&worker->shared->account.perhaps, pages, __ATOMIC_SEQ_CST);
}

static void set_limit(struct worker *worker, uint64_t bytes)
{
	struct rlimit locked;

	if (getrlimit(RLIMIT_MEMLOCK, &locked))
		wrong(worker, "getrlimit: %s", strerror(errno));
	locked.rlim_cur = bytes;
	if (setrlimit(RLIMIT_MEMLOCK, &locked))
		wrong(worker, "setrlimit: %s", strerror(errno));
}

/**
 * account_begin - before a request for rings
 * @worker:	the caller
 * @pages:	pages of its rings; 0: it has none, or the caller is root
 *
 * Often sets the process's RLIMIT_MEMLOCK so that the rings just fit, or just do not.
 *
 * Return: the pages that the user may have. Call account_end() after the request.
 */
int64_t account_begin(struct worker *worker, int64_t pages)
{
	struct account *account = &worker->shared->account;
	int64_t *least = &account->least[worker->index], limit;
	int64_t base = worker->allowance + LOCKED_BYTES / PAGE;

	/* a process that yields pages from here on enters its sum; earlier ones are in this */
	__atomic_store_n(least, INT64_MAX, __ATOMIC_SEQ_CST);
	keep_least(account, __atomic_load_n(&account->surely, __ATOMIC_SEQ_CST));
	__atomic_store_n(&account->most[worker->index], 0, __ATOMIC_SEQ_CST);
	account_expect(worker, pages);
	if (!pages || dice_one_in(&worker->dice, 4))
		return base;
	if (dice_below(&worker->dice, 3))
		limit = __atomic_load_n(&account->perhaps, __ATOMIC_SEQ_CST);
	else
		limit = __atomic_load_n(&account->surely, __ATOMIC_SEQ_CST) + pages - 1;
	if (limit < worker->allowance || limit > base)
		return base;
	/* a part of a page is no page */
	set_limit(worker, (limit - worker->allowance) * PAGE + dice_below(&worker->dice, PAGE));
	return limit;
}

/**
 * account_end - check the answer to a request for rings
 * @worker:	the caller
 * @pages:	as for account_begin()
 * @limit:	its result
 * @err:	the answer; after 0 the pages are held: account_yield(), account_drop()
 */
void account_end(struct worker *worker, int64_t pages, int64_t limit, int err)
{
	struct shared *shared = worker->shared;
	int64_t least = __atomic_load_n(&shared->account.least[worker->index], __ATOMIC_SEQ_CST);
	int64_t most = __atomic_load_n(&shared->account.most[worker->index], __ATOMIC_SEQ_CST);

	if (limit != worker->allowance + LOCKED_BYTES / PAGE)
		set_limit(worker, LOCKED_BYTES);
	if (err == -ENOBUFS && (!pages || most <= limit))
		wrong(worker, "ENOBUFS for rings of %lld pages, the user has at most %lld of %lld with them",
		      (long long)pages, (long long)most, (long long)limit);
	if (!err && pages && least + pages > limit)
		wrong(worker, "rings of %lld pages, though the user has %lld of %lld",
		      (long long)pages, (long long)least, (long long)limit);
	if (err) {
		account_drop(worker, pages);
		__atomic_add_fetch(&shared->refused, err == -ENOBUFS && most == limit + 1,
				   __ATOMIC_RELAXED);
		return;
	}
	account_hold(worker, pages);
	__atomic_add_fetch(&shared->fitted, pages && least + pages == limit, __ATOMIC_RELAXED);
}

/** account_pages - pages of the rings of an ordinary user's context, for each possible CPU one */
int64_t account_pages(const struct worker *worker, uint32_t ring_size)
{
	if (!ring_size)
		ring_size = PMC_RING_SIZE_DEFAULT;
	return worker->user ? worker->possible * (1 + ring_size / PAGE) : 0;
}
