// SPDX-License-Identifier: GPL-2.0-only
/* Tests of contexts: counters for events, requests to the driver, error messages */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"

static struct pmc_context *context;

static int setup(void **state)
{
	fake_setup(state);
	context = new_context();
	return 0;
}

static int teardown(void **state)
{
	pmc_context_close(context);
	return fake_teardown(state);
}

static int add(const char *text)
{
	return add_to(context, text);
}

static void must_add(const char *text)
{
	if (add(text))
		fail_msg("'%s': %s", text, pmc_error());
}

static void check_counter(size_t index, uint32_t counter)
{
	assert_int_equal(pmc_context_counter(context, index), counter);
}

/* ---- placement ---- */

static void fixed_first(void **state)
{
	must_add("instructions");
	must_add("cycles:u");
	must_add("ref-cycles");
	must_add("branches");
	must_add("rc0");
	check_counter(0, PMC_COUNTER_FIXED(0));
	check_counter(1, PMC_COUNTER_FIXED(1));
	check_counter(2, PMC_COUNTER_FIXED(2));
	check_counter(3, PMC_COUNTER_GENERAL(0));
	check_counter(4, PMC_COUNTER_GENERAL(1));
	assert_int_equal(pmc_context_num_events(context), 5);
}

static void moves_for_others(void **state)
{
	must_add("instructions:u");
	must_add("instructions:k");
	must_add("instructions:f");
	must_add("branches:g=0");
	must_add("instructions:g=3");
	check_counter(2, PMC_COUNTER_FIXED(0));
	check_counter(3, PMC_COUNTER_GENERAL(0));
	check_counter(4, PMC_COUNTER_GENERAL(3));
	assert_int_equal(pmc_context_configure(context), 0);
	assert_int_equal(fake.counters[0].event_select, 0xc0);
	assert_int_equal(fake.counters[0].flags, PMC_COUNT_USER);
	assert_int_equal(fake.counters[2].event_select, 0);
	assert_int_equal(fake.counters[4].event_select, 0xc0);
}

static void modified_events_are_general(void **state)
{
	must_add("cycles:c=1");
	must_add("instructions:t");
	must_add("cycles:g");
	must_add("ref-cycles:g");
	check_counter(0, PMC_COUNTER_GENERAL(0));
	check_counter(1, PMC_COUNTER_FIXED(0));
	check_counter(2, PMC_COUNTER_GENERAL(1));
	check_counter(3, PMC_COUNTER_GENERAL(2));
	assert_int_equal(pmc_context_configure(context), 0);
	assert_int_equal(fake.counters[0].event_select, 0x100003c);
	assert_int_equal(fake.counters[1].event_select, 1 << 21);
	assert_int_equal(fake.counters[3].event_select, 0x13c);
}

static void does_not_fit(void **state)
{
	must_add("branches");
	must_add("branch-misses");
	must_add("rc0");
	must_add("llc-misses");
	must_add("cycles");
	assert_failed(add("r01"), ENOSPC, "only general0, general1, general2 and general3 can count these 5 events");
	assert_non_null(strstr(pmc_error(), "'branches', 'branch-misses', 'rc0', 'llc-misses'"));
	assert_null(strstr(pmc_error(), "'cycles'"));
	assert_int_equal(pmc_context_num_events(context), 5);
	must_add("instructions");
	assert_failed(add("instructions:f"), ENOSPC, "'instructions'");
	assert_failed(add("ref-cycles:g=0"), ENOSPC, "does not fit");
	assert_int_equal(pmc_context_configure(context), 0);
	assert_int_equal(fake.config.nr_counters, 6);
}

static void at_most_32(void **state)
{
	int i;

	fake.query.general_counters = ~0ULL >> 8;
	for (i = 0; i < PMC_COUNTERS_MAX; i++)
		must_add("rc0");
	assert_failed(add("rc0"), ENOSPC, "at most 32 events");
}

static void no_such_counter(void **state)
{
	assert_failed(add("cycles:g=4"), ENXIO, "no counter general4");
	assert_failed(add("rc0:g=63"), ENXIO, "no counter general63");
	assert_failed(add("slots"), EOPNOTSUPP, "does not have this architectural event");
	assert_failed(add("slots:f"), EOPNOTSUPP, "lacks the fixed counter 3");
	assert_failed(add("slots:f=3"), ENXIO, "no counter fixed3");
	assert_failed(add("ref-cycles:c=1"), EOPNOTSUPP, "cannot combine it");
	assert_int_equal(pmc_context_num_events(context), 0);
}

static void missing_events(void **state)
{
	fake.query.events_unavailable = 1 << 6 | 1 << 1;
	fake.query.fixed_counters = 0x1;
	assert_failed(add("branch-misses"), EOPNOTSUPP,
		      "does not have this architectural event; see the names with 'br-misp' in pmc_event_list_get()");
	must_add("instructions");
	check_counter(0, PMC_COUNTER_FIXED(0));
	assert_failed(add("instructions:k"), ENOSPC, "only fixed0 can count these 2 events");
	assert_failed(add("ref-cycles"), EOPNOTSUPP, "lacks it");
	must_add("rc5");
}

static void only_fixed_counters(void **state)
{
	fake.query.general_counters = 0;
	must_add("cycles");
	assert_failed(add("rc0"), EOPNOTSUPP, "no general counters");
	assert_failed(add("branches"), EOPNOTSUPP, "does not have");
}

static void no_counters(void **state)
{
	fake.query.status = PMC_STATUS_NO_PERFMON;
	assert_failed(add("cycles"), ENODEV, "virtual machine without a PMU");
}

/* A counter with another holder is used last; the driver accepts or refuses it. */
static void held_last(void **state)
{
	int i;

	fake_holder(PMC_COUNTER_FIXED(0))->kind = PMC_HOLDER_CONTEXT;
	fake_holder(PMC_COUNTER_GENERAL(0))->kind = PMC_HOLDER_CONTEXT;
	fake_holder(PMC_COUNTER_GENERAL(0))->pid = 4711;
	memcpy(fake_holder(PMC_COUNTER_GENERAL(0))->comm, "rival", 6);
	must_add("instructions");
	check_counter(0, PMC_COUNTER_GENERAL(1));
	for (i = 0; i < 2; i++)
		must_add("rc0");
	assert_int_equal(pmc_context_configure(context), 0);
	assert_int_equal(pmc_context_release(context), 0);
	must_add("rc0");
	check_counter(3, PMC_COUNTER_GENERAL(0));
	assert_failed(pmc_context_configure(context), EBUSY,
		      "counter general0 is held by process 4711 (rival), which counts CPU 0 with pmcdrv, counter fixed0 by a process of another pid namespace, which");
}

static void hold(uint32_t counter, int pid)
{
	struct pmc_holder *holder = fake_holder(counter);

	holder->kind = PMC_HOLDER_CONTEXT;
	holder->pid = pid;
	holder->cpu = -1;
	snprintf(holder->comm, sizeof(holder->comm), "rival");
}

/* Another context claims the counters after the events were placed. */
static void held_meanwhile(void **state)
{
	char text[PMC_HOLDER_LIST_SIZE] = "x";

	must_add("instructions");
	must_add("branches");
	must_add("rc0:g=3");
	assert_int_equal(pmc_context_refused_text(context, text, sizeof(text)), 0);
	assert_string_equal(text, "");
	hold(PMC_COUNTER_FIXED(0), 11);
	hold(PMC_COUNTER_GENERAL(0), 12);
	assert_int_equal(pmc_context_configure(context), 0);
	/* what was refused before does not count */
	assert_int_equal(pmc_context_failure(context)->index, PMC_ENTRY_NONE);
	assert_int_equal(pmc_context_failure(context)->holder.kind, PMC_HOLDER_NONE);
	check_counter(0, PMC_COUNTER_GENERAL(1));
	check_counter(1, PMC_COUNTER_GENERAL(2));
	check_counter(2, PMC_COUNTER_GENERAL(3));
	assert_int_equal(fake.counters[0].counter, PMC_COUNTER_GENERAL(1));
	assert_int_equal(fake.counters[0].event_select, 0xc0);
	assert_int_equal(pmc_context_refused_text(context, text, sizeof(text)), 2);
	assert_string_equal(text,
			    "counter general0 is held by process 12 (rival), which counts CPUs with pmcdrv, counter fixed0 by process 11 (rival), which counts CPUs with pmcdrv");
	assert_int_equal(pmc_context_release(context), 0);
	assert_int_equal(pmc_context_configure(context), 0);
	assert_int_equal(pmc_context_refused_text(context, NULL, 0), 0);
}

static void all_that_is_held_is_told(void **state)
{
	hold(PMC_COUNTER_GENERAL(0), 11);
	hold(PMC_COUNTER_GENERAL(1), 11);
	hold(PMC_COUNTER_GENERAL(2), 11);
	must_add("branches");
	must_add("branch-misses");
	assert_failed(pmc_context_configure(context), EBUSY,
		      "counters general0, general1 and general2 are held by process 11 (rival), which counts CPUs with pmcdrv: these 2 events do not fit on others; count fewer at once, or wait until they are free (pmcdrv-netlink(7) shows all)");
	assert_int_equal(pmc_context_refused_text(context, NULL, 0), 3);
}

static void one_event_is_named(void **state)
{
	hold(PMC_COUNTER_GENERAL(3), 11);
	must_add("rc0:g=3");
	assert_failed(pmc_context_configure(context), EBUSY,
		      "counter general3 is held by process 11 (rival), which counts CPUs with pmcdrv: event 'rc0:g=3' does not fit on others;");
}

/* perf holds all counters or none, so no other counter is tried. */
static void the_kernel_holds_all(void **state)
{
	must_add("branches");
	fake_holder(PMC_COUNTER_GENERAL(0))->kind = PMC_HOLDER_KERNEL;
	assert_failed(pmc_context_configure(context), EBUSY,
		      "the counters are held by a user of the kernel's perf");
	assert_int_equal(pmc_context_refused_text(context, NULL, 0), 0);
}

/* An event select with bits that only some counters support is placed on those. */
static void bits_decide(void **state)
{
	fake.fixed_mask = 0;
	must_add("instructions:t");
	check_counter(0, PMC_COUNTER_GENERAL(0));
}

/* ---- requests to the driver ---- */

static void thread_scope(void **state)
{
	must_add("cycles:u");
	assert_failed(pmc_context_set_thread(context, -1, false), EINVAL, "negative");
	assert_int_equal(pmc_context_set_thread(context, getpid(), true), 0);
	assert_int_equal(pmc_context_configure(context), 0);
	assert_int_equal(fake.config.scope, PMC_SCOPE_THREAD);
	assert_int_equal(fake.config.tid, getpid());
	assert_int_equal(fake.config.cpu, PMC_CPU_ANY);
	assert_int_equal(fake.config.flags, PMC_CONFIG_ON_EXEC);
	assert_failed(pmc_context_set_thread(context, 0, false), EBADFD, "release it first");
	assert_failed(add("cycles"), EBADFD, "release it first");
	assert_failed(pmc_context_configure(context), EBADFD, "release it first");
	assert_int_equal(pmc_context_release(context), 0);
	assert_int_equal(pmc_context_set_thread(context, 0, false), 0);
	assert_int_equal(pmc_context_configure(context), 0);
	assert_int_equal(fake.config.flags, 0);
}

static void process_scope(void **state)
{
	must_add("cycles:u");
	assert_failed(pmc_context_set_process(context, -1), EINVAL, "process -1");
	assert_int_equal(pmc_context_set_thread(context, 0, true), 0);
	assert_int_equal(pmc_context_set_process(context, getpid()), 0);
	assert_int_equal(pmc_context_configure(context), 0);
	assert_int_equal(fake.config.scope, PMC_SCOPE_PROCESS);
	assert_int_equal(fake.config.tid, getpid());
	assert_int_equal(fake.config.cpu, PMC_CPU_ANY);
	assert_int_equal(fake.config.flags, 0);
	assert_failed(pmc_context_set_process(context, 0), EBADFD, "release it first");
	assert_failed(pmc_context_set_tree(context, 0, true), EBADFD, "release it first");
}

static void tree_scope(void **state)
{
	must_add("cycles:u");
	assert_failed(pmc_context_set_tree(context, -1, false), EINVAL, "process -1");
	assert_int_equal(pmc_context_set_tree(context, 0, false), 0);
	assert_int_equal(pmc_context_configure(context), 0);
	assert_int_equal(fake.config.scope, PMC_SCOPE_TREE);
	assert_int_equal(fake.config.flags, 0);
	assert_int_equal(pmc_context_release(context), 0);
	assert_int_equal(pmc_context_set_tree(context, getpid(), true), 0);
	assert_int_equal(pmc_context_configure(context), 0);
	assert_int_equal(fake.config.tid, getpid());
	assert_int_equal(fake.config.flags, PMC_CONFIG_ON_EXEC);
}

/* The driver refuses what the caller would be allowed to follow at level 2. */
static void paranoid_errors(void)
{
	static const char message[] =
		"sysctl kernel.perf_event_paranoid=2, or echo 1 >/sys/module/pmcdrv/parameters/";

	fake.paranoid = "3\n";
	assert_failed(pmc_context_configure(context), EACCES, message);
	fake.paranoid = "10\n";
	assert_failed(pmc_context_configure(context), EACCES, message);
	fake.ignores_paranoid = true;
	assert_failed(pmc_context_configure(context), EACCES, "not allowed to count process 77");
	fake.ignores_paranoid = false;
	fake.paranoid = "2\n";
	assert_failed(pmc_context_configure(context), EACCES, "not allowed to count process 77");
	fake.paranoid = "-1\n";
	assert_failed(pmc_context_configure(context), EACCES, "not allowed to count process 77");
	fake.paranoid = NULL;
}

static void process_errors(void **state)
{
	must_add("cycles");
	assert_int_equal(pmc_context_set_process(context, 77), 0);
	fake.unprivileged = true;
	assert_failed(pmc_context_configure(context), EACCES, "add :u to count user mode only");
	fake.unprivileged = false;
	fake.foreign = true;
	assert_failed(pmc_context_configure(context), EACCES, "not allowed to count process 77");
	paranoid_errors();
	fake.ioctl_error[_IOC_NR(PMC_IOC_CONFIGURE)] = ESRCH;
	assert_failed(pmc_context_configure(context), ESRCH, "there is no process 77");
	fake.ioctl_error[_IOC_NR(PMC_IOC_CONFIGURE)] = EOPNOTSUPP;
	assert_failed(pmc_context_configure(context), EOPNOTSUPP, "process 77 is a kernel thread");
}

static void cpu_scope(void **state)
{
	assert_failed(pmc_context_set_cpu(context, -1), EINVAL, "negative");
	assert_int_equal(pmc_context_set_cpu(context, 1), 0);
	must_add("cycles");
	assert_failed(pmc_context_set_cpu(context, 0), EBADFD, "before adding events");
	assert_int_equal(pmc_context_configure(context), 0);
	assert_int_equal(fake.config.scope, PMC_SCOPE_CPU);
	assert_int_equal(fake.config.cpu, 1);
	assert_failed(pmc_context_set_all_cpus(context), EBADFD, "release it first");
}

static void unknown_cpu(void **state)
{
	assert_int_equal(pmc_context_set_cpu(context, 99), 0);
	assert_failed(add("cycles"), EINVAL, "there is no CPU 99");
}

static void offline_cpu(void **state)
{
	assert_int_equal(pmc_context_set_cpu(context, 1), 0);
	fake.offline = 1;
	assert_failed(add("cycles"), ENODEV, "offline");
	fake.offline = -1;
}

static void went_offline(void **state)
{
	assert_int_equal(pmc_context_set_cpu(context, 1), 0);
	must_add("cycles");
	fake.offline = 1;
	assert_failed(pmc_context_configure(context), ENODEV, "the CPU is offline");
}

static void without_events(void **state)
{
	assert_failed(pmc_context_configure(context), EINVAL, "without events");
}

static void refused_bits(void **state)
{
	must_add("cycles");
	must_add("r5300c0");
	assert_failed(pmc_context_configure(context), EINVAL, "event 'r5300c0': bits 0x530000");
	assert_non_null(strstr(pmc_error(),
			       "user mode, set by :u; kernel mode, set by :k; interrupt"));
}

static void refused_reserved_bits(void **state)
{
	must_add("r1000000c0");
	assert_failed(pmc_context_configure(context), EINVAL,
		      "bits 0x100000000 of the event select are not allowed here (reserved)");
}

static void unprivileged_modes(void **state)
{
	fake.unprivileged = true;
	must_add("cycles:k");
	assert_failed(pmc_context_configure(context), EACCES,
		      "event 'cycles:k': counting kernel mode needs CAP_PERFMON; replace its modes by :u");
}

static void unprivileged(void **state)
{
	fake.unprivileged = true;
	must_add("branches:u");
	must_add("cycles");
	assert_failed(pmc_context_configure(context), EACCES,
		      "event 'cycles': counting kernel mode needs CAP_PERFMON; add :u");
	assert_int_equal(pmc_context_set_all_cpus(context), 0);
	assert_failed(pmc_context_configure(context), EACCES, "whole CPU");
}

static void unprivileged_any_thread(void **state)
{
	fake.unprivileged = true;
	must_add("cycles:u:t");
	assert_failed(pmc_context_configure(context), EACCES, "AnyThread");
}

/* UOPS_EXECUTED.CORE of Skylake */
static void unprivileged_both_threads(void **state)
{
	fake.query.cpu_family = 6;
	fake.query.cpu_model = 0x55;
	fake.unprivileged = true;
	must_add("r2b1:u");
	assert_failed(pmc_context_configure(context), EACCES,
		      "event 'r2b1:u' counts both logical processors of a core: that needs CAP_PERFMON");
}

/* Only a thread or process other than the caller's can be one of the kernel. */
static void unsupported(void **state)
{
	fake.ioctl_error[_IOC_NR(PMC_IOC_CONFIGURE)] = EOPNOTSUPP;
	must_add("cycles:u");
	assert_failed(pmc_context_configure(context), EOPNOTSUPP,
		      "configuring: not supported by this processor");
	pmc_context_close(context);
	context = new_context();
	assert_int_equal(pmc_context_set_cpu(context, 1), 0);
	must_add("cycles:u");
	assert_failed(pmc_context_configure(context), EOPNOTSUPP,
		      "configuring: not supported by this processor");
}

static void other_errors(void **state)
{
	static const struct {
		int error;
		const char *words;
	} errors[] = {
		{ EPERM, "kernel_lockdown(7)" },
		{ ESRCH, "there is no thread 77" },
		{ EACCES, "thread 77" },
		{ ENOMEM, "out of memory" },
		{ ENXIO, "no such counter" },
		{ EOPNOTSUPP, "thread 77 is a kernel thread" },
		{ ENODEV, "no counters to use: a CPU is offline, or has none, or a hypervisor" },
		{ EBADFD, "configure before start" },
		{ EL2HLT, "Level 2 halted" },
	};
	size_t i;

	must_add("cycles:u");
	assert_int_equal(pmc_context_set_thread(context, 77, false), 0);
	for (i = 0; i < ARRAY_SIZE(errors); i++) {
		fake.ioctl_error[_IOC_NR(PMC_IOC_CONFIGURE)] = errors[i].error;
		assert_failed(pmc_context_configure(context), errors[i].error, errors[i].words);
	}
}

static const char offcore[] = "cpu/event=0xb7,umask=1,offcore_rsp=0x800000010001/u";

/* What the driver reports about the extra register of an event */
static void register_errors(void **state)
{
	must_add("cycles:u");
	must_add(offcore);
	fake.extra_error = EDOM;
	assert_failed(pmc_context_configure(context), EDOM,
		      "a CPU lacks the register that offcore_rsp= sets, or its sibling thread shares");
	fake.extra_error = ENODEV;
	assert_failed(pmc_context_configure(context), ENODEV,
		      "the hypervisor discards 0x800000010001 written to the register that offcore_rsp= sets");
	fake.extra_error = EINVAL;
	fake.extra_refused = 1ULL << 47;
	assert_failed(pmc_context_configure(context), EINVAL,
		      "bits 0x800000000000 of offcore_rsp= 0x800000010001 are not allowed for this event");
	fake.extra_error = 0;
	fake.extra_refused = 0;
	assert_int_equal(pmc_context_configure(context), 0);
	assert_int_equal(fake.counters[0].event_extra, 0);
	assert_int_equal(fake.counters[1].event_select, 0x1b7);
	assert_int_equal(fake.counters[1].event_extra, 0x800000010001);
}

/* Bits of the event select come first. */
static void register_select_bits(void **state)
{
	must_add("cpu/event=0xb7,umask=1,offcore_rsp=1,eq/u");
	assert_failed(pmc_context_configure(context), EINVAL,
		      "bits 0x1000000000 of the event select are not allowed here (equal)");
}

static void register_values(void **state)
{
	struct pmc_event *event = pmc_event_parse("r01b7");

	assert_failed(pmc_context_add(context, event), EINVAL,
		      "a register selects what it counts: write it as cpu/event=0xb7,umask=0x1,offcore_rsp=VALUE/");
	pmc_event_free(event);
	must_add("cpu/event=0xc6,umask=1,frontend=0x11/u");
	must_add("cpu/event=0xc6,umask=1,frontend=0x11/k");
	event = pmc_event_parse("FRONTEND_RETIRED:L1I_MISS");
	assert_failed(pmc_context_add(context, event), ENOSPC,
		      "event 'FRONTEND_RETIRED:L1I_MISS' does not fit beside 'cpu/event=0xc6,umask=1,frontend=0x11/u': both need the register that frontend= sets");
	pmc_event_free(event);
	assert_int_equal(pmc_context_num_events(context), 2);
}

/* Events for either register leave it to those that can use only one. */
static void either_register(void **state)
{
	must_add("LLC-loads:u");
	must_add("LLC-load-misses:u");
	assert_failed(add("LLC-stores:u"), ENOSPC,
		      "'LLC-stores:u' does not fit beside 'LLC-loads:u': both need the register that offcore_rsp= sets");
	/* the value of the second, in the first register */
	must_add("cpu/event=0xb7,umask=1,offcore_rsp=0x3ffc020001/k");
	assert_failed(add("LLC-stores:u"), ENOSPC, "'LLC-stores:u' does not fit beside");
	assert_int_equal(pmc_context_configure(context), 0);
	assert_int_equal(fake.counters[0].event_select, 0x1bb);
	assert_int_equal(fake.counters[0].event_extra, 0x3fc0010001);
	assert_int_equal(fake.counters[1].event_select, 0x1b7);
	assert_int_equal(fake.counters[1].event_extra, 0x3ffc020001);
	assert_int_equal(fake.counters[2].event_select, 0x1b7);
	assert_int_equal(fake.counters[2].event_extra, 0x3ffc020001);
}

/* An event for either register takes one that has its value. */
static void either_register_same(void **state)
{
	must_add("cpu/event=0xbb,umask=1,offcore_rsp=0x3fc0010001/k");
	must_add("LLC-loads:u");
	must_add("LLC-stores:u");
	assert_int_equal(pmc_context_configure(context), 0);
	assert_int_equal(fake.counters[1].event_select, 0x1bb);
	assert_int_equal(fake.counters[1].event_extra, 0x3fc0010001);
	assert_int_equal(fake.counters[2].event_select, 0x1b7);
	assert_int_equal(fake.counters[2].event_extra, 0x3fc0010002);
}

/* Two names with different values of offcore response get a register each. */
static void check_both_registers(unsigned int model, const char *first, uint64_t first_extra,
				 const char *second, uint64_t second_extra)
{
	pmc_context_close(context);
	fake_core(model, 0xff);
	context = new_context();
	must_add(first);
	must_add(second);
	assert_int_equal(pmc_context_configure(context), 0);
	assert_int_equal(fake.counters[0].event_select, 0x12a);
	assert_int_equal(fake.counters[0].event_extra, first_extra);
	assert_int_equal(fake.counters[1].event_select, 0x12b);
	assert_int_equal(fake.counters[1].event_extra, second_extra);
}

/* Golden Cove and later have other event numbers, Nehalem has one register. */
static void either_register_models(void **state)
{
	check_both_registers(0x8f, "node-loads:u", 0x104000001, "LLC-loads:u", 0x10001);
	check_both_registers(0xad, "node-load-misses:u", 0x730000001,
			     "LLC-load-misses:u", 0x3fbfc00001);
	pmc_context_close(context);
	fake_core(0x1a, 0xf);
	context = new_context();
	must_add("node-loads:u");
	assert_failed(add("LLC-loads:u"), ENOSPC, "does not fit beside 'node-loads:u'");
}

static void locked_down(void **state)
{
	fake.locked_down = true;
	must_add("cycles");
	assert_failed(pmc_context_configure(context), EPERM,
		      "event 'cycles': the kernel is locked down");
}

/* ---- counting ---- */

static void unconfigured(void **state)
{
	struct pmc_snapshot snapshot;
	uint64_t value = 1;

	must_add("cycles");
	assert_failed(pmc_context_start(context), EBADFD, "starting");
	assert_failed(pmc_context_stop(context), EBADFD, "stopping");
	assert_failed(pmc_context_read(context, &snapshot), EBADFD, "reading");
	assert_failed(pmc_context_write(context, &value, 1), EBADFD, "writing");
	assert_failed(pmc_context_reset(context), EBADFD, "resetting");
	assert_failed(pmc_context_release(context), EBADFD, "releasing");
}

static void counts(void **state)
{
	struct pmc_snapshot snapshot;
	uint64_t values[2] = { UINT64_MAX, 1ULL << 63 };

	fake.first_count = (1ULL << 53) + 1;
	must_add("cycles");
	must_add("instructions");
	assert_int_equal(pmc_context_configure(context), 0);
	assert_int_equal(pmc_context_start(context), 0);
	assert_int_equal(pmc_context_read(context, &snapshot), 0);
	assert_int_equal(snapshot.num_values, 2);
	assert_true(snapshot.value[0] == 9007199254740993ULL);
	assert_true(snapshot.value[1] == 9007199254740994ULL);
	assert_true(snapshot.value[2] == 0);
	assert_int_equal(snapshot.tsc, 5000000);
	assert_int_equal(snapshot.time_enabled, 4000);
	assert_int_equal(snapshot.time_counted, 3000);
	assert_int_equal(snapshot.cpu, -1);
	assert_int_equal(snapshot.state, PMC_STATE_RUNNING);
	assert_int_equal(pmc_context_stop(context), 0);
	assert_int_equal(pmc_context_write(context, values, 2), 0);
	assert_int_equal(pmc_context_read(context, &snapshot), 0);
	assert_true(snapshot.value[0] == UINT64_MAX);
	assert_true(snapshot.value[1] == 1ULL << 63);
	assert_failed(pmc_context_write(context, values, 1), EINVAL, "1 values to write into 2");
	assert_int_equal(pmc_context_reset(context), 0);
	assert_int_equal(pmc_context_read(context, &snapshot), 0);
	assert_true(snapshot.value[0] == 0);
}

static void one_cpu_of_all(void **state)
{
	struct pmc_snapshot snapshot;

	must_add("cycles");
	assert_failed(pmc_context_read_cpu(context, 0, &snapshot), EINVAL, "all CPUs");
	assert_int_equal(pmc_context_set_all_cpus(context), 0);
	assert_int_equal(pmc_context_configure(context), 0);
	assert_int_equal(fake.config.scope, PMC_SCOPE_ALL_CPUS);
	assert_int_equal(pmc_context_read_cpu(context, 1, &snapshot), 0);
	assert_int_equal(snapshot.cpu, 1);
	assert_failed(pmc_context_read_cpu(context, -1, &snapshot), EINVAL, "all CPUs");
	assert_failed(pmc_context_read_cpu(context, 2, &snapshot), EINVAL, "reading");
}

static void initial_values(void **state)
{
	struct pmc_event *event = pmc_event_parse("cycles");

	pmc_event_set_initial(event, UINT64_MAX - 5);
	assert_int_equal(pmc_context_add(context, event), 0);
	pmc_event_free(event);
	assert_int_equal(pmc_context_configure(context), 0);
	assert_true(fake.counters[0].initial == UINT64_MAX - 5);
}

/* Reopen the context on a processor with performance metrics and slots on fixed counter 3. */
static void open_with_metrics(uint64_t general_counters)
{
	pmc_context_close(context);
	fake.query.features |= PMC_FEATURE(METRICS);
	fake.query.fixed_counters = 0xf;
	fake.query.general_counters = general_counters;
	fake.query.events_described = 8;
	context = new_context();
}

/* Metrics need the slots, and a scope without sums. The metrics counter takes no other event. */
static void performance_metrics(void **state)
{
	char name[PMC_COUNTER_NAME_SIZE];

	assert_failed(add("metrics"), ENXIO, "no counter metrics");
	open_with_metrics(0x1);
	assert_failed(!pmc_event_parse("metrics:g=0"), EINVAL, "no modifiers but :u and :k");
	assert_failed(!pmc_event_parse("metrics:e"), EINVAL,
		      "no modifiers but :u and :k, as in the example in libpmcevents(3)");
	must_add("metrics:u");
	check_counter(0, PMC_COUNTER_METRICS);
	assert_int_equal(pmc_context_perf_metrics_fields(context), 8);
	assert_failed(pmc_context_configure(context), EINVAL, "its values are fractions of 'slots'");
	assert_failed(pmc_context_configure(context), EINVAL,
		      "with the same modes, as the example in libpmcevents(3) does");
	must_add("slots");
	assert_failed(pmc_context_configure(context), EINVAL, "with the same modes");
	must_add("rc0");
	assert_failed(add("rc4"), ENOSPC, "only general0 can count these 2 events");

	pmc_context_close(context);
	context = new_context();
	must_add("slots:u");
	must_add("METRICS:u");
	assert_int_equal(pmc_context_set_tree(context, 0, true), 0);
	assert_failed(pmc_context_configure(context), EOPNOTSUPP, "cannot be added up");
	assert_failed(pmc_context_configure(context), EOPNOTSUPP,
		      "count one thread or one CPU, as the example in libpmcevents(3) does");
	assert_int_equal(pmc_context_set_thread(context, 0, false), 0);
	assert_int_equal(pmc_context_configure(context), 0);
	assert_int_equal(fake.counters[1].counter, PMC_COUNTER_METRICS);
	assert_int_equal(fake.counters[1].event_select, 0);
	pmc_counter_name(PMC_COUNTER_METRICS, name, sizeof(name));
	assert_string_equal(name, "metrics");
	assert_string_equal(pmc_perf_metrics_name(PMC_METRICS_FRONTEND_BOUND), "topdown-fe-bound");
	assert_null(pmc_perf_metrics_name(8));
	assert_int_equal(pmc_perf_metrics_fraction(0x1234567890abcdefULL,
						   PMC_METRICS_BAD_SPECULATION),
			 0xcd);
}

/* The hint in a message has the same CPU, core type and modes. */
static void metrics_hints(void **state)
{
	struct pmc_event *event = pmc_event_parse("instructions:u");

	pmc_set_hint_writer(write_hint);
	pmc_context_close(context);
	fake_metrics();
	context = new_context();
	assert_int_equal(pmc_context_set_cpu(context, 1), 0);
	must_add("metrics:k");
	assert_failed(pmc_context_configure(context), EINVAL,
		      "as hint(5 1 0x0 ':k') does");

	pmc_context_close(context);
	fake.query.core_type = 0x40000001;
	context = new_context();
	assert_int_equal(pmc_context_set_core_type(context, 0x40000000), 0);
	must_add("metrics");
	assert_failed(pmc_context_configure(context), EINVAL,
		      "as hint(5 -1 0x40000000 '') does");
	pmc_event_set_period(event, 1000);
	assert_int_equal(pmc_context_add(context, event), 0);
	assert_failed(pmc_context_configure(context), EOPNOTSUPP,
		      "can have a period; count it as hint(5 -1 0x40000000 '') does");
	pmc_event_free(event);
}

/* Slots with the modes of the metrics stay on the slots counter; other slots may move. */
static void slots_of_metrics(void **state)
{
	open_with_metrics(0x3);
	must_add("slots:k");
	check_counter(0, PMC_COUNTER_SLOTS);
	must_add("slots:u");
	must_add("metrics:u");
	assert_int_equal(pmc_context_configure(context), 0);
	check_counter(0, PMC_COUNTER_GENERAL(0));
	check_counter(1, PMC_COUNTER_SLOTS);
	assert_int_equal(fake.counters[1].counter, PMC_COUNTER_SLOTS);

	pmc_context_close(context);
	context = new_context();
	hold(PMC_COUNTER_SLOTS, 11);
	must_add("slots:u");
	must_add("metrics:u");
	assert_failed(pmc_context_configure(context), EBUSY, "counter fixed3 is held by");

	pmc_context_close(context);
	context = new_context();
	must_add("slots:f:k");
	must_add("slots:u");
	must_add("metrics:u");
	check_counter(0, PMC_COUNTER_SLOTS);
	assert_failed(pmc_context_configure(context), EINVAL, "with the same modes");
}

/* Neither slots nor metrics may have an initial value. */
static void metrics_from_a_value(void **state)
{
	struct pmc_event *event = pmc_event_parse("slots:u");

	open_with_metrics(0x3);
	pmc_event_set_initial(event, 5);
	assert_int_equal(pmc_context_add(context, event), 0);
	pmc_event_free(event);
	must_add("metrics:u");
	assert_failed(pmc_context_configure(context), EINVAL, "from 0 and with");
	must_add("slots:u");
	assert_int_equal(pmc_context_configure(context), 0);
	check_counter(2, PMC_COUNTER_SLOTS);

	pmc_context_close(context);
	context = new_context();
	must_add("slots:u");
	event = pmc_event_parse("metrics:u");
	pmc_event_set_initial(event, 5);
	assert_int_equal(pmc_context_add(context, event), 0);
	pmc_event_free(event);
	assert_failed(pmc_context_configure(context), EINVAL, "from 0 and with");
}

static void closes(void **state)
{
	assert_int_equal(fcntl(pmc_context_fd(context), F_GETFD), FD_CLOEXEC);
	assert_int_equal(fake.open_files, 1);
	pmc_context_close(NULL);
}

static void open_errors(void **state)
{
	struct pmc_device *device = pmc_device_open(NULL);

	fake.open_error = ENODEV;
	assert_failed(!pmc_context_open(device), ENODEV, "no driver behind");
	fake.open_error = 0;
	fake.ioctl_error[_IOC_NR(PMC_IOC_QUERY)] = EIO;
	assert_failed(!pmc_context_open(device), EIO, "does not answer");
	pmc_device_close(device);
}

#define context_test(function)	cmocka_unit_test_setup_teardown(function, setup, teardown)

/* Counters that the caller configures directly, without events */
static void chosen_counters(void **state)
{
	struct pmc_counter_config counter = {
		.counter = PMC_COUNTER_GENERAL(1), .flags = PMC_COUNT_USER, .event_select = 0xc0,
	};
	const struct pmc_failure *failure;
	struct pmc_event *event = pmc_event_parse("rc4");
	unsigned int i;

	assert_non_null(event);
	assert_int_equal(pmc_context_add_counter(context, &counter), 0);
	assert_failed(pmc_context_add(context, event), EINVAL, "the context has chosen counters");
	assert_int_equal(pmc_context_configure(context), 0);
	assert_int_equal(pmc_context_failure(context)->index, PMC_ENTRY_NONE);
	assert_int_equal(fake.counters[0].counter, PMC_COUNTER_GENERAL(1));
	assert_int_equal(fake.counters[0].event_select, 0xc0);
	assert_failed(pmc_context_add_counter(context, &counter), EBADFD, "release it first");
	assert_int_equal(pmc_context_release(context), 0);

	counter.counter = PMC_COUNTER_GENERAL(2);
	counter.event_select = 1ULL << 63 | 0xc0;
	assert_int_equal(pmc_context_add_counter(context, &counter), 0);
	assert_failed(pmc_context_configure(context), EINVAL,
		      "counter general2: bits 0x8000000000000000 of the event select");
	failure = pmc_context_failure(context);
	assert_int_equal(failure->index, 1);
	assert_true(failure->refused_bits == 1ULL << 63);

	/* the library refuses the next one: no counter is at fault */
	assert_int_equal(pmc_context_set_ring(context, 4096, 0), 0);
	assert_failed(pmc_context_configure(context), EINVAL, "no event has a period");
	assert_int_equal(failure->index, PMC_ENTRY_NONE);
	assert_true(!failure->refused_bits);

	for (i = 2; i < PMC_COUNTERS_MAX; i++)
		assert_int_equal(pmc_context_add_counter(context, &counter), 0);
	assert_failed(pmc_context_add_counter(context, &counter), ENOSPC, "at most");
	pmc_context_close(context);

	context = new_context();
	assert_int_equal(pmc_context_add(context, event), 0);
	assert_failed(pmc_context_add_counter(context, &counter), EINVAL, "no chosen counters");
	pmc_event_free(event);
}

/* The context is configured with this counter alone and is refused. */
#define assert_refused(counter, error, words) do {				\
	assert_int_equal(pmc_context_add_counter(context, counter), 0);		\
	assert_failed(pmc_context_configure(context), error, words);		\
	pmc_context_close(context);						\
	context = new_context();						\
} while (0)

/* Messages about such a counter */
static void chosen_counter_errors(void **state)
{
	struct pmc_counter_config counter = {
		.counter = PMC_COUNTER_GENERAL(1), .event_select = 0xc0,
	};

	assert_refused(&counter, EINVAL, "counter general1: malformed request");
	assert_int_equal(pmc_context_set_cpu(context, 99), 0);
	counter.flags = PMC_COUNT_USER;
	assert_refused(&counter, EINVAL, "there is no CPU 99, or the driver refuses");
	fake.holder[1] = (struct pmc_holder){ .kind = PMC_HOLDER_CONTEXT, .pid = 11, .cpu = -1 };
	assert_refused(&counter, EBUSY, "the counters are held by process 11 ()");
	fake.holder[1].kind = PMC_HOLDER_NONE;
	counter.event_extra = 1;
	fake.extra_error = EOPNOTSUPP;
	assert_int_equal(pmc_context_set_thread(context, 77, false), 0);
	assert_refused(&counter, EOPNOTSUPP, "counter general1: not supported by this processor");
	counter.event_extra = 0;
	counter.period = 5;
	fake.query.features &= ~PMC_FEATURE(INTERRUPT);
	assert_refused(&counter, EOPNOTSUPP,
		       "counter general1: this processor's counters do not interrupt");
}

/* What needs CAP_PERFMON */
static void chosen_counter_denied(void **state)
{
	struct pmc_counter_config counter = {
		.counter = PMC_COUNTER_GENERAL(1), .flags = PMC_COUNT_KERNEL, .event_select = 0xc0,
	};

	fake.unprivileged = true;
	assert_refused(&counter, EACCES, "counter general1: counting kernel mode needs CAP_PERFMON");
	counter.flags = PMC_COUNT_USER;
	counter.event_select |= 1 << 21; /* AnyThread */
	counter.period = 5;
	assert_int_equal(pmc_context_set_sampling(context, PMC_SAMPLE_KERNEL_CALLCHAIN, 0), 0);
	assert_refused(&counter, EACCES, "not allowed to count thread 0");
	counter.event_select &= ~(1 << 21);
	assert_int_equal(pmc_context_set_sampling(context, PMC_SAMPLE_KERNEL_CALLCHAIN, 0), 0);
	assert_refused(&counter, EACCES, "the kernel's call chain needs CAP_PERFMON");
	assert_int_equal(pmc_context_set_cpu(context, 1), 0);
	assert_refused(&counter, EACCES, "counting a whole CPU needs CAP_PERFMON");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		context_test(fixed_first),
		context_test(moves_for_others),
		context_test(modified_events_are_general),
		context_test(does_not_fit),
		context_test(at_most_32),
		context_test(no_such_counter),
		context_test(missing_events),
		context_test(only_fixed_counters),
		context_test(no_counters),
		context_test(held_last),
		context_test(held_meanwhile),
		context_test(all_that_is_held_is_told),
		context_test(one_event_is_named),
		context_test(the_kernel_holds_all),
		context_test(bits_decide),
		context_test(thread_scope),
		context_test(process_scope),
		context_test(tree_scope),
		context_test(process_errors),
		context_test(cpu_scope),
		context_test(unknown_cpu),
		context_test(offline_cpu),
		context_test(went_offline),
		context_test(without_events),
		context_test(refused_bits),
		context_test(refused_reserved_bits),
		context_test(unprivileged),
		context_test(unprivileged_modes),
		context_test(unprivileged_any_thread),
		context_test(unprivileged_both_threads),
		context_test(unsupported),
		context_test(other_errors),
		context_test(register_errors),
		context_test(register_select_bits),
		context_test(register_values),
		context_test(either_register),
		context_test(either_register_same),
		context_test(either_register_models),
		context_test(locked_down),
		context_test(unconfigured),
		context_test(counts),
		context_test(one_cpu_of_all),
		context_test(initial_values),
		context_test(performance_metrics),
		context_test(metrics_hints),
		context_test(chosen_counters),
		context_test(chosen_counter_errors),
		context_test(chosen_counter_denied),
		context_test(slots_of_metrics),
		context_test(metrics_from_a_value),
		context_test(closes),
		context_test(open_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
