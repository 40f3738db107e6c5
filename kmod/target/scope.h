/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of scopes
 */
#ifndef PMC_SCOPE_H
#define PMC_SCOPE_H

#include "target/scope_types.h"

const struct pmc_scope_ops *pmc_scope_find(u32 scope);

#endif /* PMC_SCOPE_H */
