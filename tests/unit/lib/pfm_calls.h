/* SPDX-License-Identifier: GPL-2.0-only */
/* Wrappers of libpfm4's functions that count calls */
#ifndef PFM_CALLS_H
#define PFM_CALLS_H

#include <perfmon/pfmlib.h>

pfm_err_t __real_pfm_get_os_event_encoding(const char *text, int modes, pfm_os_t os,
					   void *argument);
pfm_err_t __wrap_pfm_get_os_event_encoding(const char *text, int modes, pfm_os_t os,
					   void *argument);
pfm_err_t __real_pfm_get_event_attr_info(int event, int index, pfm_os_t os,
					 pfm_event_attr_info_t *info);
pfm_err_t __wrap_pfm_get_event_attr_info(int event, int index, pfm_os_t os,
					 pfm_event_attr_info_t *info);
pfm_err_t __real_pfm_initialize(void);
pfm_err_t __wrap_pfm_initialize(void);

#endif /* PFM_CALLS_H */
