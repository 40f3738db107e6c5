/* SPDX-License-Identifier: GPL-2.0-only */
/* Parameters of the module, in unit tests: a test changes one by a pointer */
#ifndef TEST_LINUX_MODULEPARAM_H
#define TEST_LINUX_MODULEPARAM_H

#define module_param(name, type, mode)	unsigned int *const param_##name = &name
#define MODULE_PARM_DESC(name, text)	_Static_assert(sizeof(text) > 1, "")

#endif /* TEST_LINUX_MODULEPARAM_H */
