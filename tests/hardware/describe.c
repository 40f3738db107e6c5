// SPDX-License-Identifier: GPL-2.0-only
/*
 * Prints what the driver reports about the counters of the current CPU, a line "key: value"
 * for each fact. The script choose.sh reads it; the report contains it.
 */
#include <stdint.h>
#include <stdio.h>

#include <libpmcdrv.h>

static const char *or_unknown(const char *word)
{
	return word ? word : "unknown";
}

static void print_counters(const char *what, uint64_t counters, uint32_t width)
{
	printf("%s counters: %d\n", what, __builtin_popcountll(counters));
	if (counters)
		printf("%s width: %u\n", what, width);
}

static void print_features(uint64_t features)
{
	unsigned int bit;

	fputs("features:", stdout);
	for (bit = 0; bit < 64; bit++)
		if (features >> bit & 1)
			printf(" %s", or_unknown(pmc_feature_name(bit)));
	putchar('\n');
}

static void print_leaf(const char *leaf, const uint32_t *words)
{
	printf("CPUID leaf %s: %08x %08x %08x %08x\n", leaf, words[0], words[1], words[2],
	       words[3]);
}

int main(void)
{
	struct pmc_device *device = pmc_device_open(NULL);
	struct pmc_info *info = device ? pmc_device_get_info(device, PMC_CPU_ANY) : NULL;
	const struct pmc_query *query;

	if (!info) {
		fprintf(stderr, "describe: %s\n", pmc_error());
		return 1;
	}
	query = pmc_info_query(info);
	printf("status: %s\n", or_unknown(pmc_status_name(query->status)));
	printf("status text: %s\n", or_unknown(pmc_status_text(query->status)));
	printf("counter family: %s\n", or_unknown(pmc_family_name(query->family)));
	printf("perfmon version: %u\n", query->perfmon_version);
	print_counters("general", query->general_counters, query->general_width);
	printf("general counter mask: 0x%llx\n", (unsigned long long)query->general_counters);
	print_counters("fixed", query->fixed_counters, query->fixed_width);
	print_features(query->features);
	printf("event select mask: 0x%llx\n", (unsigned long long)query->event_select_mask);
	printf("core type: 0x%x\n", query->core_type);
	print_leaf("0AH", query->cpuid_0ah);
	print_leaf("23H", query->cpuid_23h);
	printf("IA32_PERF_CAPABILITIES: 0x%llx\n",
	       (unsigned long long)query->perf_capabilities);
	printf("time-stamp counter: %u kHz\n", query->tsc_khz);
	pmc_info_free(info);
	pmc_device_close(device);
	return 0;
}
