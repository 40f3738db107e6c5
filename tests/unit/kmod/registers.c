// SPDX-License-Identifier: GPL-2.0-only
/* The registers of a simulated CPU: see registers.h */
#include "registers.h"

#include "compat/compat.h"
#include "compat/reserve.h"

struct simulated_register {
	u32 address;
	bool faults;
	bool ignores;
	u64 value;
};

static struct simulated_register registers[32];
static u32 register_count;
/* where a write is lost */
static u64 lost;

/* the first ones; all are counted */
static u32 accesses[16];
static u32 access_count;

void (*reg_watch)(u32 address);
struct simulated_rdpmc rdpmc;
bool registers_can_be_lost;
struct reservation reservations[8];
u32 reservation_count;
u32 reserved_by_others;

void registers_reset(void)
{
	register_count = 0;
	access_count = 0;
	reg_watch = NULL;
	memset(&rdpmc, 0, sizeof(rdpmc));
	registers_can_be_lost = false;
	reservation_count = 0;
	reserved_by_others = 0;
}

static struct simulated_register *find(u32 address)
{
	u32 i;

	for (i = 0; i < register_count; i++) {
		if (registers[i].address == address)
			return &registers[i];
	}
	return NULL;
}

static struct simulated_register *named(u32 address)
{
	struct simulated_register *found = find(address);

	if (found)
		return found;
	assert_true(register_count < ARRAY_SIZE(registers));
	found = &registers[register_count++];
	*found = (struct simulated_register){ .address = address };
	return found;
}

u64 *reg(u32 address)
{
	return &named(address)->value;
}

void reg_faults(u32 address, bool faults)
{
	named(address)->faults = faults;
}

void reg_ignores(u32 address, bool ignores)
{
	named(address)->ignores = ignores;
}

void reg_forget(void)
{
	access_count = 0;
}

void reg_accessed(const u32 *addresses, u32 number)
{
	assert_int_equal(number, access_count);
	assert_true(number <= ARRAY_SIZE(accesses));
	assert_memory_equal(addresses, accesses, number * sizeof(*addresses));
}

u64 *msr(u32 address)
{
	struct simulated_register *found = find(address);

	if (access_count < ARRAY_SIZE(accesses))
		accesses[access_count] = address;
	access_count++;
	if (reg_watch)
		reg_watch(address);
	if (!found || found->faults)
		return NULL;
	if (!found->ignores)
		return &found->value;
	lost = found->value;
	return &lost;
}

u64 pmc_rdpmc(u32 counter)
{
	const struct simulated_register *found = find(rdpmc.counter0 + rdpmc.step * counter);

	if (!found)
		fail_msg("RDPMC of counter %u", counter);
	return found->value;
}

bool pmc_rdpmc_faults(u32 counter)
{
	rdpmc.tried |= 1ULL << counter;
	return rdpmc.faulting >> counter & 1;
}

bool pmc_registers_can_be_lost(void)
{
	return registers_can_be_lost;
}

int pmc_reserve(u64 mask, u32 counter_msr, u32 select_msr)
{
	if (counter_msr == reserved_by_others)
		return -EBUSY;
	assert_true(reservation_count < ARRAY_SIZE(reservations));
	reservations[reservation_count++] = (struct reservation){ mask, counter_msr, select_msr };
	return 0;
}

void pmc_unreserve(u64 mask, u32 counter_msr, u32 select_msr)
{
	const struct reservation given = { mask, counter_msr, select_msr };
	u32 i;

	for (i = 0; i < reservation_count; i++) {
		if (!memcmp(&given, &reservations[i], sizeof(given))) {
			reservations[i] = reservations[--reservation_count];
			return;
		}
	}
	fail_msg("unreserve %#llx of %#x, %#x: not reserved", (unsigned long long)mask,
		 counter_msr, select_msr);
}

void describes_no_counter(const struct pmc_family *family, const struct pmc_query *query,
			  u32 counter)
{
	const struct pmc_counter unused = {};
	struct pmc_counter answer = {};

	assert_int_equal(-ENXIO, family->describe_counter(query, counter, &answer));
	assert_memory_equal(&unused, &answer, sizeof(answer));
}

/* Bit 32 is a fixed counter, which these processors lack. */
void clears_two_counters(const struct pmc_family *family, u32 counter0)
{
	struct pmc_pmu pmu = {};
	u32 i;

	for (i = 0; i < 16; i++) {
		const u64 selected = i >> 2, counted = i & 3, left = counted & ~selected;

		*reg(counter0) = counted & 1 ? 0x8000000000 : 0;
		*reg(counter0 + 1) = counted & 2 ? 1 : 0;
		reg_forget();
		assert_int_equal(!!(selected & counted),
				 family->clear(&pmu, selected | 1ULL << 32));
		assert_int_equal(left & 1 ? 0x8000000000 : 0, *reg(counter0));
		assert_int_equal(left & 2 ? 1 : 0, *reg(counter0 + 1));
		if (!(selected & counted))
			reg_accessed(NULL, 0);
	}
}
