// SPDX-License-Identifier: GPL-2.0-only
/* Tests of throttle_attr.c and rdpmc_attr.c: the texts of the device's attributes, both ways */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <linux/capability.h>
#include <linux/device.h>
#include <linux/sched.h>

#include "api/claim.h"
#include "api/throttle_attr.h"
#include "pmu/rdpmc.h"
#include "pmu/rdpmc_attr.h"

static u32 percent;
static enum pmc_rdpmc_setting pce;
static enum pmc_rdpmc_override overridden;
static bool privileged, determined;
static int pce_error, sets;
static struct task_struct task;
struct task_struct *current;

bool perfmon_capable(void)
{
	return privileged;
}

u32 pmc_claims_throttle_percent(void)
{
	return percent;
}

void pmc_claims_set_throttle_percent(u32 set)
{
	percent = set;
	sets++;
}

enum pmc_rdpmc_setting pmc_rdpmc_get(enum pmc_rdpmc_override *override)
{
	determined = override;
	if (override)
		*override = overridden;
	return pce;
}

int pmc_rdpmc_set(enum pmc_rdpmc_setting set)
{
	sets++;
	if (!pce_error)
		pce = set;
	return pce_error;
}

int sysfs_emit(char *text, const char *format, ...)
{
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsprintf(text, format, arguments);
	va_end(arguments);
	return length;
}

/* Of the kernel's: a decimal number, perhaps with a line end */
int kstrtouint(const char *text, unsigned int base, unsigned int *value)
{
	char *end;

	assert_int_equal(10, base);
	errno = 0;
	*value = strtoul(text, &end, base);
	if (end == text || (*end && strcmp(end, "\n")))
		return -EINVAL;
	return *text == '-' ? -EINVAL : 0;
}

static int set_up(void **state)
{
	percent = 30;
	pce = PMC_RDPMC_REQUESTED;
	overridden = PMC_RDPMC_EFFECTIVE;
	privileged = true;
	pce_error = 0;
	sets = 0;
	task = (struct task_struct){ .mm = &task };
	current = &task;
	return 0;
}

/* Each group has one attribute. */
static struct device_attribute *attribute(const struct attribute_group *group, const char *name)
{
	assert_string_equal(name, group->attrs[0]->name);
	assert_null(group->attrs[1]);
	return container_of(group->attrs[0], struct device_attribute, attr);
}

static void shows(struct device_attribute *shown, const char *expected)
{
	char text[256];

	assert_int_equal(strlen(expected), shown->show(NULL, shown, text));
	assert_string_equal(expected, text);
}

static void stores(struct device_attribute *stored, const char *text, ssize_t result)
{
	assert_int_equal(result, stored->store(NULL, stored, text, strlen(text)));
}

/* 1 to 50 per cent */
static void throttle(void **state)
{
	struct device_attribute *attr = attribute(&pmc_throttle_group, "throttle_percent");

	shows(attr, "30\n");
	stores(attr, "0\n", -EINVAL);
	stores(attr, "51\n", -EINVAL);
	stores(attr, "x\n", -EINVAL);
	stores(attr, "5x\n", -EINVAL);
	assert_int_equal(0, sets);
	stores(attr, "50\n", 3);
	assert_int_equal(50, percent);
	stores(attr, "1\n", 2);
	shows(attr, "1\n");
}

static void pce_values(void **state)
{
	struct device_attribute *attr = attribute(&pmc_rdpmc_group, "pce");

	stores(attr, "3\n", -EINVAL);
	stores(attr, "-1\n", -EINVAL);
	stores(attr, "x\n", -EINVAL);
	assert_int_equal(0, sets);
	stores(attr, "2\n", 2);
	assert_int_equal(PMC_RDPMC_EVERY, pce);
	stores(attr, "0", 1);
	assert_int_equal(PMC_RDPMC_NONE, pce);
	pce_error = -ENOMEM;
	stores(attr, "1\n", -ENOMEM);
	assert_int_equal(3, sets);
}

/* A kernel thread, and a task that exits */
static void pce_without_user_mode(void **state)
{
	struct device_attribute *attr = attribute(&pmc_rdpmc_group, "pce");

	overridden = PMC_RDPMC_MISSING;
	task.flags = PF_KTHREAD;
	stores(attr, "1\n", -EACCES);
	shows(attr, "1\n");
	task.flags = PF_EXITING;
	stores(attr, "1\n", -EACCES);
	/* the value is looked at before */
	stores(attr, "3\n", -EINVAL);
	assert_int_equal(0, sets);
	assert_false(determined);
}

static void pce_overrides(void **state)
{
	static const char *const texts[] = {
		[PMC_RDPMC_EFFECTIVE] = "1\n",
		[PMC_RDPMC_MISSING] =
			"1 (no effect: this CPU or kernel has no RDPMC for user mode)\n",
		[PMC_RDPMC_UNSHOWN] = "1 (no effect: perf's rdpmc file contains 0, or the module was built for another kernel)\n",
		[PMC_RDPMC_PERF_NEVER] =
			"1 (overridden: perf's rdpmc file contains 0, no process)\n",
		[PMC_RDPMC_PERF_ALWAYS] =
			"1 (overridden: perf's rdpmc file contains 2, every process)\n",
	};
	struct device_attribute *attr = attribute(&pmc_rdpmc_group, "pce");

	for (overridden = 0; overridden < ARRAY_SIZE(texts); overridden++)
		shows(attr, texts[overridden]);
	assert_true(determined);
	/* what another user's settings are */
	privileged = false;
	overridden = PMC_RDPMC_PERF_NEVER;
	shows(attr, "1\n");
	assert_false(determined);
}

#define TEST(name)	cmocka_unit_test_setup(name, set_up)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(throttle), TEST(pce_values), TEST(pce_without_user_mode),
		TEST(pce_overrides),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
