// SPDX-License-Identifier: GPL-2.0-only
/*
 * pmcctl with a fake driver: the environment variable FAKE lists its properties, separated by
 * spaces.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"

static void hold(uint32_t counter, enum pmc_holder_type kind)
{
	struct pmc_holder *holder = fake_holder(counter);

	holder->kind = kind;
	if (kind != PMC_HOLDER_CONTEXT)
		return;
	holder->pid = 4711;
	holder->tid = 4712;
	holder->cpu = -1;
	memcpy(holder->comm, "rival", 6);
}

/* Like 'pmcctl stat -a' beside it: half of the counters, or all */
static void hold_several(unsigned int general, unsigned int fixed)
{
	while (general)
		hold(PMC_COUNTER_GENERAL(--general), PMC_HOLDER_CONTEXT);
	while (fixed)
		hold(PMC_COUNTER_FIXED(--fixed), PMC_HOLDER_CONTEXT);
}

/* A processor by CPUID, such as core=85:f:7 (model, general and fixed counters) or amd=25:17 */
static bool set_cpuid(const char *word)
{
	unsigned int family, model, general, fixed;

	if (sscanf(word, "core=%u:%x:%x", &model, &general, &fixed) == 3) {
		fake_core(model, general);
		fake.query.fixed_counters = fixed;
		if (fixed > 7)
			fake.query.events_described = 8;
		return true;
	}
	if (sscanf(word, "amd=%u:%u", &family, &model) == 2) {
		fake_amd(family);
		fake.query.cpu_model = model;
		return true;
	}
	return false;
}

static void set(const char *word)
{
	if (set_cpuid(word))
		return;
	if (!strcmp(word, "missing"))
		fake.open_error = ENOENT;
	else if (!strcmp(word, "forbidden"))
		fake.open_error = EACCES;
	else if (!strcmp(word, "noperfmon"))
		fake.query.status = PMC_STATUS_NO_PERFMON;
	else if (!strcmp(word, "unprivileged"))
		fake.unprivileged = true;
	else if (!strcmp(word, "lockdown"))
		fake.locked_down = true;
	else if (!strcmp(word, "setuid"))
		fake.setuid = true;
	else if (!strcmp(word, "foreign"))
		fake.foreign = true;
	else if (!strcmp(word, "uncounted"))
		fake.uncounted = true;
	else if (!strcmp(word, "rewritten"))
		fake.rewritten = true;
	else if (!strcmp(word, "storm"))
		fake.storm = true;
	else if (!strcmp(word, "incomplete"))
		fake.incomplete = true;
	else if (!strcmp(word, "gone"))
		fake.ioctl_error[_IOC_NR(PMC_IOC_CONFIGURE)] = ESRCH;
	else if (!strcmp(word, "nordpmc"))
		fake.pce_error = EOPNOTSUPP;
	else if (!strcmp(word, "pentiumpro"))
		fake_p6(1);
	else if (!strcmp(word, "norate"))
		fake.query.tsc_khz = 0;
	else if (!strcmp(word, "norings"))
		fake.ring_error = ENOMEM;
	else if (!strcmp(word, "notroot"))
		fake.pce_error = EACCES;
	else if (!strcmp(word, "large"))
		fake.first_count = (1ULL << 53) + 1;
	else if (!strcmp(word, "huge"))
		fake.first_count = UINT64_MAX - 16;
	else if (!strcmp(word, "idle"))
		fake.first_count = 0;
	else if (!strcmp(word, "two"))
		fake.query.general_counters = 0x1;
	else if (!strcmp(word, "lacking"))
		fake.query.events_unavailable = 1 << 6;
	else if (!strcmp(word, "steady"))
		fake.steady = true;
	else if (!strcmp(word, "pentium"))
		fake_pentium(false);
	else if (!strcmp(word, "mmx"))
		fake_pentium(true);
	else if (!strcmp(word, "p6"))
		fake_p6(3);
	else if (!strcmp(word, "netburst"))
		fake_netburst(4);
	else if (!strcmp(word, "athlon64"))
		fake_amd(0x0f);
	else if (!strcmp(word, "ryzen"))
		fake_amd(0x17);
	else if (!strcmp(word, "metrics"))
		fake_metrics();
	else if (!strcmp(word, "hybrid"))
		fake_hybrid();
	else if (!strcmp(word, "cores"))
		fake_hybrid(), fake.second.size = 0;
	else if (!strcmp(word, "nocycles"))
		fake.query.events_unavailable = 0x1, fake.query.fixed_counters = 0x1;
	else if (!strncmp(word, "quirks=", strlen("quirks=")))
		fake.query.quirks = strtoull(word + strlen("quirks="), NULL, 0);
	else if (!strcmp(word, "offline"))
		fake.offline = 1;
	else if (!strcmp(word, "leaves"))
		fake.leaves = true;
	else if (!strcmp(word, "nointerrupt"))
		fake.query.features &= ~PMC_FEATURE(INTERRUPT);
	else if (!strcmp(word, "rival"))
		hold(PMC_COUNTER_GENERAL(0), PMC_HOLDER_CONTEXT);
	else if (!strcmp(word, "tree"))
		hold(PMC_COUNTER_GENERAL(0), PMC_HOLDER_CONTEXT),
		fake_holder(PMC_COUNTER_GENERAL(0))->scope = PMC_SCOPE_TREE;
	else if (!strcmp(word, "sigterm"))
		fake.signal = SIGTERM;
	else if (!strcmp(word, "half"))
		hold_several(2, 2);
	else if (!strcmp(word, "full"))
		hold_several(4, 3);
	else if (!strcmp(word, "watchdog"))
		hold(PMC_COUNTER_GENERAL(0), PMC_HOLDER_KERNEL);
	else if (!strcmp(word, "badread"))
		fake.ioctl_error[_IOC_NR(PMC_IOC_READ)] = EIO;
	else if (!strcmp(word, "badstart"))
		fake.ioctl_error[_IOC_NR(PMC_IOC_START)] = ESRCH;
	else
		abort();
}

static __attribute__((constructor(1000))) void read_environment(void)
{
	char *words = getenv("FAKE") ? strdup(getenv("FAKE")) : NULL;
	char *word;

	fake_reset();
	fake.pce = getenv("FAKE_PCE");
	fake.started = getenv("FAKE_STARTED");
	for (word = words ? strtok(words, " ") : NULL; word; word = strtok(NULL, " "))
		set(word);
	if (fake.holder[0].kind == PMC_HOLDER_KERNEL)
		fake.watchdog = '1';
	free(words);
}
