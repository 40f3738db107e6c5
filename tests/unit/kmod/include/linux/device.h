/* SPDX-License-Identifier: GPL-2.0-only */
/* Attributes of a device, for the module's code in unit tests */
#ifndef TEST_LINUX_DEVICE_H
#define TEST_LINUX_DEVICE_H

#include <linux/sysfs.h>
#include <linux/kernel.h>
#include <linux/list.h>

struct device;
struct device_attribute;

struct attribute {
	const char *name;
};

struct device_attribute {
	struct attribute attr;
	ssize_t (*show)(struct device *device, struct device_attribute *attribute, char *text);
	ssize_t (*store)(struct device *device, struct device_attribute *attribute,
			 const char *text, size_t length);
};

struct attribute_group {
	struct attribute **attrs;
};

#define DEVICE_ATTR_RW(name_) \
	struct device_attribute dev_attr_##name_ = { .attr = { .name = #name_ }, \
		.show = name_##_show, .store = name_##_store }

#endif /* TEST_LINUX_DEVICE_H */
