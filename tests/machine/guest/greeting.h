/* SPDX-License-Identifier: GPL-2.0-only */
/* What the guest says before its first frame, so that the host finds it. */
#ifndef MACHINE_GUEST_GREETING_H
#define MACHINE_GUEST_GREETING_H

#define GUEST_GREETING "\001pmcdrv guest\002"

#endif
