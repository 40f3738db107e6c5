/* SPDX-License-Identifier: GPL-2.0-only */
/* What kind of instruction each of Bochs' opcodes is. */
#ifndef CLASSES_H
#define CLASSES_H

// PMU_CLASS_* of an opcode.
unsigned glue_classes(unsigned opcode);

// Does it access I/O space?
bool glue_does_io(unsigned opcode);

// Does this MMX instruction saturate with these operands?
bool glue_saturates(unsigned opcode, Bit64u a, Bit64u b);

#endif
