/* SPDX-License-Identifier: GPL-2.0-only */
/* Classes of Bochs' opcodes for the PMU model. */
#ifndef CLASSES_H
#define CLASSES_H

// PMU_CLASS_* of an opcode.
unsigned glue_classes(unsigned opcode);

// Whether it accesses I/O space.
bool glue_does_io(unsigned opcode);

// Whether this MMX instruction saturates with these operands.
bool glue_saturates(unsigned opcode, Bit64u a, Bit64u b);

#endif
