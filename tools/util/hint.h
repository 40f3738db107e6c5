/* SPDX-License-Identifier: GPL-2.0-only */
/* References to pmcctl's subcommands in the library's messages */
#ifndef PMCCTL_HINT_H
#define PMCCTL_HINT_H

#include <stddef.h>

struct pmc_hint;

/* For pmc_set_hint_writer(): the command that shows what @hint refers to */
void hint_write(const struct pmc_hint *hint, char *text, size_t size);

#endif /* PMCCTL_HINT_H */
