// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the device, its descriptions and their texts */
#include <fcntl.h>
#include <unistd.h>

#include "check.h"

static void opens(void **state)
{
	struct pmc_device *device = pmc_device_open(NULL);

	assert_non_null(device);
	assert_int_equal(fake.open_files, 1);
	assert_int_equal(fcntl(pmc_device_fd(device), F_GETFD), FD_CLOEXEC);
	pmc_device_close(device);
	pmc_device_close(NULL);
}

static void cannot_open(void **state)
{
	fake.open_error = ENOENT;
	assert_failed(!pmc_device_open(NULL), ENOENT, "modprobe pmcdrv");
	fake.open_error = ENXIO;
	assert_failed(!pmc_device_open(NULL), ENXIO, "no driver behind /dev/pmc");
	fake.open_error = EMFILE;
	assert_failed(!pmc_device_open(NULL), EMFILE, "cannot open /dev/pmc");
	assert_failed(!pmc_device_open("/dev/null"), ENOTTY, "not the device of pmcdrv");
	assert_failed(!pmc_device_open("/nowhere/pmc"), ENOENT, "/nowhere/pmc does not exist");
}

static void needs_the_mode(void **state)
{
	fake.open_error = EACCES;
	fake.path = "/nowhere/pmc";
	assert_failed(!pmc_device_open(fake.path), EACCES, "cannot open /nowhere/pmc");
	fake.path = "/dev/null";
	assert_failed(!pmc_device_open(fake.path), EACCES, "(mode 0666, user 0, group 0)");
	fake.open_error = EPERM;
	assert_failed(!pmc_device_open(fake.path), EPERM, "not allowed to open /dev/null (mode");
}

static void does_not_answer(void **state)
{
	fake.ioctl_error[_IOC_NR(PMC_IOC_QUERY)] = E2BIG;
	assert_failed(!pmc_device_open(NULL), E2BIG, "load the pmcdrv.ko that belongs");
}

static void reads_tsc(void **state)
{
	struct pmc_device *device = pmc_device_open(NULL);
	uint64_t tsc;
	int cpu;

	assert_int_equal(pmc_device_read_tsc(device, &tsc, &cpu), 0);
	assert_true(tsc == 0x123456789abcdefULL);
	assert_int_equal(cpu, 1);
	assert_int_equal(pmc_device_read_tsc(device, &tsc, NULL), 0);
	fake.ioctl_error[_IOC_NR(PMC_IOC_TSC)] = EOPNOTSUPP;
	assert_failed(pmc_device_read_tsc(device, &tsc, NULL), EOPNOTSUPP, "time-stamp counter");
	pmc_device_close(device);
}

static void describes(void **state)
{
	struct pmc_device *device = pmc_device_open(NULL);
	struct pmc_info *info = pmc_device_get_info(device, 1);

	assert_non_null(info);
	assert_int_equal(pmc_info_query(info)->cpu, 1);
	assert_int_equal(pmc_info_query(info)->cpu_model, 85);
	assert_int_equal(pmc_info_num_counters(info), 7);
	assert_int_equal(pmc_info_counter(info, 3)->counter, PMC_COUNTER_GENERAL(3));
	assert_int_equal(pmc_info_counter(info, 3)->counter_msr, 0xc4);
	assert_int_equal(pmc_info_counter(info, 6)->counter, PMC_COUNTER_FIXED(2));
	assert_null(pmc_info_counter(info, 7));
	assert_null(pmc_info_counter(info, (size_t)-1));
	pmc_info_free(info);
	pmc_device_close(device);
}

static void describes_without_counters(void **state)
{
	struct pmc_device *device = pmc_device_open(NULL);
	struct pmc_info *info;

	fake.query.status = PMC_STATUS_FIRMWARE_OFF;
	info = pmc_device_get_info(device, PMC_CPU_ANY);
	assert_non_null(info);
	assert_int_equal(pmc_info_num_counters(info), 0);
	assert_int_equal(pmc_info_query(info)->status, PMC_STATUS_FIRMWARE_OFF);
	pmc_info_free(info);
	fake.offline = 1;
	info = pmc_device_get_info(device, 1);
	assert_non_null(info);
	assert_int_equal(pmc_info_query(info)->status, PMC_STATUS_OFFLINE);
	pmc_info_free(info);
	/* a counter of the mask that the driver does not describe is left out */
	fake.query.status = PMC_STATUS_OK;
	fake.ioctl_error[_IOC_NR(PMC_IOC_COUNTER)] = ENXIO;
	info = pmc_device_get_info(device, 0);
	assert_non_null(info);
	assert_int_equal(pmc_info_num_counters(info), 0);
	pmc_info_free(info);
	pmc_device_close(device);
}

static void cannot_describe(void **state)
{
	struct pmc_device *device = pmc_device_open(NULL);

	assert_failed(!pmc_device_get_info(device, FAKE_CPUS), EINVAL, "there is no CPU 2");
	assert_failed(!pmc_device_get_info(device, -2), EINVAL, "there is no CPU -2");
	fake.ioctl_error[_IOC_NR(PMC_IOC_COUNTER)] = EFAULT;
	assert_failed(!pmc_device_get_info(device, 0), EFAULT, "counter general0");
	fake.ioctl_error[_IOC_NR(PMC_IOC_QUERY)] = EINVAL;
	assert_failed(!pmc_device_get_info(device, PMC_CPU_ANY), EINVAL,
		      "querying the CPU: malformed request");
	fake.ioctl_error[_IOC_NR(PMC_IOC_QUERY)] = EFAULT;
	assert_failed(!pmc_device_get_info(device, 1), EFAULT, "querying the CPU: bad address");
	pmc_device_close(device);
}

/* A mask of 64 counters, more than any CPU has */
static void describes_too_many(void **state)
{
	struct pmc_device *device = pmc_device_open(NULL);
	struct pmc_info *info;

	fake.query.general_counters = ~0ULL;
	info = pmc_device_get_info(device, 0);
	assert_non_null(info);
	assert_int_equal(pmc_info_num_counters(info), INFO_COUNTERS_MAX);
	pmc_info_free(info);
	pmc_device_close(device);
}

static void words(void **state)
{
	char name[PMC_COUNTER_NAME_SIZE];

	assert_string_equal(pmc_status_name(PMC_STATUS_NO_PERFMON), "NO_PERFMON");
	assert_non_null(strstr(pmc_status_text(PMC_STATUS_NO_PERFMON), "virtual machine"));
	assert_null(pmc_status_name(999));
	assert_null(pmc_status_text(999));
	assert_string_equal(pmc_family_name(PMC_FAMILY_CORE), "CORE");
	assert_non_null(pmc_family_text(PMC_FAMILY_NONE));
	assert_string_equal(pmc_feature_name(PMC_FEATURE_BIT_RDPMC_FAST), "RDPMC_FAST");
	assert_null(pmc_feature_text(63));
	assert_string_equal(pmc_quirk_name(PMC_QUIRK_BIT_NETBURST_WRITE), "N15, O8");
	assert_non_null(strstr(pmc_quirk_text(PMC_QUIRK_BIT_P6_RDPMC), "RDMSR"));
	assert_null(pmc_quirk_name(63));
	assert_string_equal(pmc_holder_name(PMC_HOLDER_CONTEXT), "CONTEXT");
	pmc_counter_name(PMC_COUNTER_GENERAL(3), name, sizeof(name));
	assert_string_equal(name, "general3");
	pmc_counter_name(0xffffffff, name, sizeof(name));
	assert_string_equal(name, "fixed3221225471");
	assert_non_null(strchr(pmc_version(), '.'));
}

static void check_holder(const struct pmc_holder *holder, const char *words)
{
	char text[PMC_HOLDER_TEXT_SIZE];

	pmc_holder_text(holder, text, sizeof(text));
	if (!strstr(text, words))
		fail_msg("'%s' is not in '%s'", words, text);
}

static void holders(void **state)
{
	struct pmc_holder holder = { .kind = PMC_HOLDER_KERNEL };
	int unused = dup(0);

	close(unused);
	fake.watchdog = '1';
	check_holder(&holder, "sysctl kernel.nmi_watchdog=0");
	/* the file of the setting is closed */
	assert_int_equal(dup(0), unused);
	close(unused);
	fake.watchdog = '0';
	check_holder(&holder, "the NMI watchdog is off");
	fake.watchdog = 0;
	check_holder(&holder, "a user of the kernel's perf");
	holder = (struct pmc_holder){ .kind = PMC_HOLDER_CONTEXT, .pid = 12, .tid = 34, .cpu = -1 };
	memset(holder.comm, 'c', sizeof(holder.comm));
	check_holder(&holder, "process 12 (ccccccccccccccc), which counts thread, process or tree 34 with pmcdrv");
	holder.tid = 0;
	check_holder(&holder, "counts CPUs");
	holder.cpu = 7;
	check_holder(&holder, "counts CPU 7");
	holder.pid = 0;
	check_holder(&holder, "another pid namespace");
	holder = (struct pmc_holder){
		.kind = PMC_HOLDER_CONTEXT, .pid = 12, .tid = 34, .cpu = -1, .comm = "name",
		.scope = PMC_SCOPE_THREAD,
	};
	check_holder(&holder, "process 12 (name), which counts thread 34 with pmcdrv");
	holder.scope = PMC_SCOPE_PROCESS;
	check_holder(&holder, "process 12 (name), which counts process 34 with pmcdrv");
	holder.scope = PMC_SCOPE_TREE;
	check_holder(&holder, "counts process 34 and its descendants with pmcdrv");
	holder.tid = 0;
	check_holder(&holder, "counts a process of another pid namespace with pmcdrv");
	holder.scope = PMC_SCOPE_ALL_CPUS;
	check_holder(&holder, "counts all CPUs with pmcdrv");
	holder.scope = PMC_SCOPE_CPU;
	holder.cpu = 7;
	check_holder(&holder, "counts CPU 7 with pmcdrv");
	holder.kind = PMC_HOLDER_UNKNOWN;
	check_holder(&holder, "firmware");
	holder.kind = PMC_HOLDER_NONE;
	check_holder(&holder, "none");
	holder.kind = 99;
	check_holder(&holder, "unknown to this library");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		fake_test(opens),
		fake_test(cannot_open),
		fake_test(needs_the_mode),
		fake_test(does_not_answer),
		fake_test(reads_tsc),
		fake_test(describes),
		fake_test(describes_without_counters),
		fake_test(cannot_describe),
		fake_test(describes_too_many),
		fake_test(words),
		fake_test(holders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
