/* SPDX-License-Identifier: GPL-2.0-only */
/* The greeting before the guest's first frame, by which the host finds the frames. */
#ifndef MACHINE_GUEST_GREETING_H
#define MACHINE_GUEST_GREETING_H

#define GUEST_GREETING "\001pmcdrv guest\002"

#endif
