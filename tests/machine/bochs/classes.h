/* SPDX-License-Identifier: GPL-2.0-only */
/* What the PMU model needs to know of Bochs' opcodes: classes, micro-ops, I/O, saturation. */
#ifndef CLASSES_H
#define CLASSES_H

struct pmu_uops;

// PMU_CLASS_* of an opcode.
unsigned glue_classes(unsigned opcode);

// Whether it is a string instruction, which can have a repeat prefix.
bool glue_repeats(unsigned opcode);

// Micro-ops on the P6 family: with ModR/M's operand in a register and in memory; of a string
// instruction without and with a repeat prefix.
void glue_uops(unsigned opcode, struct pmu_uops uops[2]);

// Whether it accesses I/O space.
bool glue_does_io(unsigned opcode);

// Whether this MMX instruction saturates with these operands.
bool glue_saturates(unsigned opcode, Bit64u a, Bit64u b);

#endif
