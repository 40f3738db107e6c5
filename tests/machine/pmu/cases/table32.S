/* SPDX-License-Identifier: GPL-2.0-only */
/* Expected counts for cases32.S: processor types, program, event, select, counter, number */

/* ---- expected counts ------------------------------------------------------- */
	.macro	CASE kinds, code, what, select, counter, expected
	.section .names, "a"
9:	.asciz	"\code: \what"
	.previous
	.long	\kinds, 9b, \code, \select, \counter, \expected
	.endm

#define OS5	0x040
#define USR5	0x080
#define CLK5	0x100
#define ALL5	(OS5 | USR5)
#define OS6	0x20000
#define USR6	0x10000
#define EDGE6	0x40000
#define MASK6(n) ((n) << 8)
#define SELF6	MASK6(0x00)
#define ANY6	MASK6(0x20)

	.macro	P5 code, what, select, counter, expected
	CASE	K_P5, \code, "\what", \select, \counter, \expected
	.endm
	.macro	P6 code, what, select, counter, expected
	CASE	K_P6, \code, "\what", \select, \counter, \expected
	.endm
	.macro	P6_ARCH code, what, select, counter, expected
	CASE	K_P6 | K_CORE_DUO, \code, "\what", \select, \counter, \expected
	.endm

	.macro	MMX code, what, select, counter, expected
	CASE	K_MMX, \code, "\what", \select, \counter, \expected
	.endm

	.balign	4
table:
	/* ---- the Pentiums ---- */
	P5	nothing, "instructions, rings 0 to 2", 0x16 | OS5, 0, 4
	P5	nothing, "instructions, ring 3", 0x16 | USR5, 0, 0
	P5	nothing, "instructions, neither ring", 0x16, 0, 0
	P5	loop, "instructions on counter 0", 0x16 | OS5, 0, 2005
	P5	loop, "instructions on counter 1", 0x16 | OS5, 1, 2005
	P5	loop, "clocks of instructions", 0x16 | OS5 | CLK5, 1, 2005
	P5	user, "instructions, rings 0 to 2", 0x16 | OS5, 0, 12
	P5	user, "instructions, ring 3", 0x16 | USR5, 1, 6
	P5	user, "instructions, all rings", 0x16 | USR5 | OS5, 1, 18
	P5	ring1, "instructions, rings 0 to 2", 0x16 | OS5, 0, 18
	P5	ring1, "instructions, ring 3", 0x16 | USR5, 0, 0
	CASE	K_PENTIUM, rdpmc_0, "#UD", 0x16 | OS5, 0, 8
	CASE	K_MMX, rdpmc_0, "instructions", 0x16 | OS5, 0, 6
	CASE	K_PENTIUM, rdpmc_2, "#UD", 0x16 | OS5, 0, 8
	CASE	K_MMX, rdpmc_2, "#GP", 0x16 | OS5, 0, 12
	CASE	K_MMX, rdpmc_agrees, "with RDMSR", 0x16 | OS5, 0, 0
	CASE	K_MMX, rdpmc_real, "without CR4.PCE", 0, 0, 0
	CASE	K_MMX, pce, "CR4.PCE can be set", 0, 0, 1
	CASE	K_PENTIUM, pce, "CR4.PCE cannot be set", 0, 0, 0

	P5	data, "DATA_READ", 0x00 | OS5, 0, 4
	P5	data, "DATA_READ on counter 1", 0x00 | OS5, 1, 4
	P5	data, "DATA_READ in ring 3", 0x00 | USR5, 0, 0
	P5	data, "DATA_WRITE", 0x01 | OS5, 0, 3
	P5	data, "DATA_READ_OR_WRITE", 0x28 | OS5, 1, 7
	P5	data, "clocks of DATA_READ_OR_WRITE", 0x28 | OS5 | CLK5, 1, 6
	P5	data_of_user, "DATA_WRITE in rings 0 to 2", 0x01 | OS5, 0, 11
	P5	data_of_user, "DATA_WRITE in ring 3", 0x01 | USR5, 1, 6
	P5	string, "DATA_READ", 0x00 | OS5, 1, 100
	P5	string, "DATA_WRITE", 0x01 | OS5, 0, 100
	P5	string, "INSTRUCTIONS_EXECUTED", 0x16 | OS5, 0, 8
	P5	misaligned, "DATA_READ", 0x00 | OS5, 0, 9
	P5	misaligned, "DATA_WRITE", 0x01 | OS5, 0, 4
	P5	misaligned, "MISALIGNED", 0x0b | OS5, 0, 6
	P5	misaligned_x87, "DATA_READ", 0x00 | OS5, 0, 7
	P5	misaligned_x87, "MISALIGNED", 0x0b | OS5, 1, 2
	P5	pages, "DATA_TLB_MISS", 0x02 | OS5, 0, 10
	CASE	K_PENTIUM, pages_of_a_set, "DATA_TLB_MISS", 0x02 | OS5, 0, 10
	MMX	pages_of_a_set, "DATA_TLB_MISS", 0x02 | OS5, 0, 5
	CASE	K_PENTIUM, pages_too_many, "DATA_TLB_MISS", 0x02 | OS5, 0, 70
	MMX	pages_too_many, "DATA_TLB_MISS", 0x02 | OS5, 0, 130
	P5	invlpg, "DATA_TLB_MISS", 0x02 | OS5, 1, 3
	P5	no_paging, "DATA_TLB_MISS", 0x02 | OS5, 0, 0
	P5	no_paging, "CODE_TLB_MISS", 0x0d | OS5, 0, 0
	P5	code_pages, "CODE_TLB_MISS", 0x0d | OS5, 0, 11
	CASE	K_PENTIUM, large_page, "DATA_TLB_MISS", 0x02 | OS5, 0, 2
	MMX	large_page, "DATA_TLB_MISS", 0x02 | OS5, 0, 3
	P5	large_page, "CODE_TLB_MISS", 0x0d | OS5, 0, 3
	P5	lines, "DATA_READ_MISS", 0x03 | OS5, 0, 8
	P5	lines_written, "DATA_WRITE_MISS", 0x04 | OS5, 0, 6
	P5	lines_changed, "WRITE_HIT_TO_M_OR_E_STATE_LINES", 0x05 | OS5, 0, 4
	P5	lines_changed, "DATA_READ_MISS_OR_WRITE_MISS", 0x29 | OS5, 0, 2
	P5	lines_written, "DATA_READ_MISS_OR_WRITE_MISS", 0x29 | OS5, 1, 6
	P5	line_evicted, "DATA_CACHE_LINES_WRITTEN_BACK", 0x06 | OS5, 0, 1
	P5	write_back, "DATA_CACHE_LINES_WRITTEN_BACK", 0x06 | OS5, 0, 3
	P5	forget, "DATA_CACHE_LINES_WRITTEN_BACK", 0x06 | OS5, 0, 0
	P5	write_through, "WRITE_HIT_TO_M_OR_E_STATE_LINES", 0x05 | OS5, 0, 0
	P5	write_through, "DATA_READ_MISS_OR_WRITE_MISS", 0x29 | OS5, 0, 1
	P5	lines, "EXTERNAL_SNOOPS, alone", 0x07 | OS5, 0, 0
	P5	uncached, "NONCACHEABLE_MEMORY_READS", 0x1e | OS5, 0, 4
	P5	uncached, "DATA_READ_MISS", 0x03 | OS5, 0, 5
	P5	uncached, "DATA_WRITE_MISS", 0x04 | OS5, 0, 2
	P5	code_lines, "CODE_READ", 0x0c | OS5, 0, 19
	P5	code_lines, "CODE_CACHE_MISS", 0x0e | OS5, 0, 10
	P5	code_across, "CODE_READ", 0x0c | OS5, 0, 4
	P5	segments, "ANY_SEGMENT_REGISTER_LOADED", 0x0f | OS5, 0, 8
	P5	segments_of_handler, "ANY_SEGMENT_REGISTER_LOADED", 0x0f | OS5, 0, 2
	P5	user, "ANY_SEGMENT_REGISTER_LOADED, rings 0 to 2", 0x0f | OS5, 0, 2
	P5	user, "ANY_SEGMENT_REGISTER_LOADED, ring 3", 0x0f | USR5, 0, 2
	P5	segments_of_user, "ANY_SEGMENT_REGISTER_LOADED, rings 0 to 2", 0x0f | OS5, 0, 6
	P5	segments_of_user, "ANY_SEGMENT_REGISTER_LOADED, ring 3", 0x0f | USR5, 0, 2
	P5	branches, "BRANCHES", 0x12 | OS5, 0, 16
	P5	serialising, "BRANCHES", 0x12 | OS5, 0, 7
	P5	segments_of_handler, "BRANCHES", 0x12 | OS5, 0, 3
	P5	user, "BRANCHES, ring 3", 0x12 | USR5, 1, 1
	P5	loop_hits, "BTB_HITS", 0x13 | OS5, 0, 999
	P5	loop_hits_or_taken, "TAKEN_BRANCH_OR_BTB_HIT", 0x14 | OS5, 0, 1001
	P5	loop_flushes, "PIPELINE_FLUSHES", 0x15 | OS5, 0, 2
	P5	segments_of_handler, "PIPELINE_FLUSHES", 0x15 | OS5, 0, 2
	P5	segments_of_handler, "INSTRUCTIONS_EXECUTED", 0x16 | OS5, 0, 7
	P5	nothing, "INSTRUCTIONS_EXECUTED_V_PIPE", 0x17 | OS5, 0, 1
	P5	loop, "INSTRUCTIONS_EXECUTED_V_PIPE", 0x17 | OS5, 0, 1001
	P5	locked, "LOCKED_BUS_CYCLE", 0x1c | OS5, 0, 7
	P5	io, "IO_READ_OR_WRITE_CYCLE", 0x1d | OS5, 0, 7
	P5	io, "MISALIGNED", 0x0b | OS5, 0, 1
	P5	computing, "FLOPS", 0x22 | OS5, 0, 6
	P5	x87_flags, "are as they were with FLOPS", 0x22 | OS5, 0, 4
	P5	x87_flags_fault, "are as they were with FLOPS", 0x22 | OS5, 0, 4
	P5	breakpoints, "DR0", 0x23 | OS5, 0, 5
	P5	breakpoints, "DR1", 0x24 | OS5, 0, 4
	P5	breakpoints, "DR2", 0x25 | OS5, 0, 5
	P5	breakpoints, "DR3", 0x26 | OS5, 1, 2
	P5	breakpoints_without_de, "DR3", 0x26 | OS5, 1, 0
	P5	interrupt, "HARDWARE_INTERRUPTS", 0x27 | OS5, 0, 1
	P5	interrupt, "INSTRUCTIONS_EXECUTED", 0x16 | OS5, 0, 11
	P5	nothing, "reserved", 0x10 | ALL5, 0, 0

	MMX	mmx, "MMX_INSTRUCTIONS_EXECUTED_U_PIPE", 0x2b | OS5, 0, 8
	MMX	mmx, "MMX_INSTRUCTIONS_EXECUTED_V_PIPE", 0x2b | OS5, 1, 2
	MMX	mmx, "EMMS_INSTRUCTIONS_EXECUTED", 0x2d | OS5, 0, 1
	MMX	transitions, "TRANSITIONS_BETWEEN_MMX_AND_FP", 0x2d | OS5, 1, 3
	MMX	uncached, "WRITES_TO_NONCACHEABLE_MEMORY", 0x2e | OS5, 1, 2
	MMX	io, "WRITES_TO_NONCACHEABLE_MEMORY", 0x2e | OS5, 1, 4
	MMX	mmx, "SATURATING_MMX_INSTRUCTIONS_EXECUTED", 0x2f | OS5, 0, 2
	MMX	saturations, "SATURATING_MMX_INSTRUCTIONS_EXECUTED", 0x2f | OS5, 0, 34
	MMX	saturations, "SATURATIONS_PERFORMED", 0x2f | OS5, 1, 22
	MMX	string, "CYCLES_NOT_IN_HALT_STATE", 0x30 | OS5 | CLK5, 0, 107
	MMX	interrupt, "CYCLES_NOT_IN_HALT_STATE", 0x30 | OS5 | CLK5, 0, 10
	MMX	interrupt, "CYCLES_NOT_IN_HALT_STATE, how often", 0x30 | OS5, 0, 2
	MMX	mmx, "MMX_INSTRUCTION_DATA_READS", 0x31 | OS5, 0, 2
	MMX	mmx_lines, "MMX_INSTRUCTION_DATA_READ_MISSES", 0x31 | OS5, 1, 2
	MMX	mmx_lines, "DATA_READ_MISS", 0x03 | OS5, 1, 3
	MMX	branches, "TAKEN_BRANCHES", 0x32 | OS5, 1, 14
	MMX	mmx, "MMX_INSTRUCTION_DATA_WRITES", 0x34 | OS5, 0, 2
	MMX	mmx_lines, "MMX_INSTRUCTION_DATA_WRITE_MISSES", 0x34 | OS5, 1, 1
	MMX	mmx_lines, "DATA_WRITE_MISS", 0x04 | OS5, 1, 2
	MMX	loop_wrong, "PIPELINE_FLUSHES_DUE_TO_WRONG_BRANCH_PREDICTIONS", 0x35 | OS5, 0, 2
	MMX	mmx, "MISALIGNED_DATA_MEMORY_REFERENCE", 0x36 | OS5, 0, 1
	MMX	nest, "MISPREDICTED_OR_UNPREDICTED_RETURNS", 0x37 | OS5, 0, 1
	MMX	nest, "PREDICTED_RETURNS", 0x37 | OS5, 1, 4
	MMX	return_elsewhere, "MISPREDICTED_OR_UNPREDICTED_RETURNS", 0x37 | OS5, 0, 1
	MMX	return_elsewhere, "PREDICTED_RETURNS", 0x37 | OS5, 1, 1
	MMX	nest, "RETURNS", 0x39 | OS5, 0, 5
	MMX	nest, "RSB_OVERFLOWS", 0x39 | OS5, 1, 1
	MMX	loop_not_taken, "BTB_MISS_PREDICTION_ON_NOT_TAKEN_BRANCH", 0x3a | OS5, 1, 1
	/* on the other counter, and on the Pentium without MMX technology */
	MMX	mmx, "EMMS_INSTRUCTIONS_EXECUTED is not counter 1's", 0x2d | OS5, 1, 0
	CASE	K_PENTIUM, nest, "RETURNS", 0x39 | OS5, 0, 0
	CASE	K_PENTIUM, string, "CYCLES_NOT_IN_HALT_STATE", 0x30 | OS5 | CLK5, 0, 0

	/* ---- P6 and Core Duo ---- */
	P6_ARCH	nothing, "INST_RETIRED, CPL 0", 0xc0 | OS6, 0, 4
	P6_ARCH	nothing, "INST_RETIRED, CPL 1 to 3", 0xc0 | USR6, 0, 0
	P6_ARCH	nothing, "INST_RETIRED, no CPL", 0xc0, 0, 0
	P6_ARCH	loop, "INST_RETIRED on counter 0", 0xc0 | OS6, 0, 2005
	P6_ARCH	loop, "INST_RETIRED on counter 1", 0xc0 | OS6, 1, 2005
	P6_ARCH	loop, "BR_INST_RETIRED", 0xc4 | OS6, 0, 1000
	P6_ARCH	user, "INST_RETIRED, CPL 0", 0xc0 | OS6, 0, 12
	P6_ARCH	user, "INST_RETIRED, CPL 1 to 3", 0xc0 | USR6, 1, 6
	P6_ARCH	user, "INST_RETIRED", 0xc0 | USR6 | OS6, 1, 18
	P6_ARCH	ring1, "INST_RETIRED, CPL 0", 0xc0 | OS6, 0, 12
	P6_ARCH	ring1, "INST_RETIRED, CPL 1 to 3", 0xc0 | USR6, 0, 6
	P6	nothing, "UOPS_RETIRED", 0xc2 | OS6, 0, 8
	P6	loop, "UOPS_RETIRED", 0xc2 | OS6, 1, 2009
	P6	user, "UOPS_RETIRED, CPL 1 to 3", 0xc2 | USR6, 0, 10
	P6	data, "UOPS_RETIRED", 0xc2 | OS6, 0, 22
	P6	string, "UOPS_RETIRED", 0xc2 | OS6, 0, 611
	P6	computing, "UOPS_RETIRED", 0xc2 | OS6, 0, 49
	P6	mmx, "UOPS_RETIRED", 0xc2 | OS6, 0, 30
	CASE	K_P3, sse, "UOPS_RETIRED", 0xc2 | OS6, 0, 16
	P6	uops_alu, "UOPS_RETIRED", 0xc2 | OS6, 0, 49
	P6	uops_moves, "UOPS_RETIRED", 0xc2 | OS6, 0, 53
	P6	uops_branches, "UOPS_RETIRED", 0xc2 | OS6, 0, 42
	P6	uops_strings, "UOPS_RETIRED", 0xc2 | OS6, 0, 161
	P6	uops_divide, "UOPS_RETIRED", 0xc2 | OS6, 0, 27
	P6	uops_divide, "CYCLES_DIV_BUSY", 0x14 | OS6, 0, 107
	P6	computing, "CYCLES_DIV_BUSY", 0x14 | OS6, 0, 143
	P6	assists, "FP_ASSIST", 0x11 | OS6, 1, 5
	P6	computing, "FP_ASSIST", 0x11 | OS6, 1, 1
	P6	mmx, "MMX_UOPS_EXEC", 0xb2 | OS6 | MASK6(15), 0, 22
	P6	loop, "CPU_CLK_UNHALTED", 0x79 | OS6, 0, 2005
	CASE	K_CORE_DUO, loop, "Unhalted_Core_Cycles", 0x3c | OS6, 0, 2005
	P6_ARCH	rdpmc_0, "INST_RETIRED", 0xc0 | OS6, 0, 6
	P6_ARCH	rdpmc_2, "#GP", 0xc0 | OS6, 0, 11
	P6_ARCH	rdpmc_agrees, "with RDMSR", 0xc0 | OS6, 0, 0
	P6_ARCH	rdpmc_real, "without CR4.PCE", 0, 0, 0
	P6_ARCH	pmi, "exactly, once, and masks itself", 0xc0 | OS6, 0, 0
	P6_ARCH	pce, "CR4.PCE can be set", 0, 0, 1
	P6	data, "DATA_MEM_REFS", 0x43 | OS6, 0, 7
	P6	string, "DATA_MEM_REFS", 0x43 | OS6, 1, 200
	P6	misaligned, "DATA_MEM_REFS", 0x43 | OS6, 0, 11
	P6	misaligned, "MISALIGN_MEM_REF", 0x05 | OS6, 0, 8
	P6	misaligned_x87, "DATA_MEM_REFS", 0x43 | OS6, 0, 7
	P6	lines, "DCU_LINES_IN", 0x45 | OS6, 0, 8
	P6	lines, "DCU_M_LINES_IN", 0x46 | OS6, 0, 0
	P6	lines_written, "DCU_LINES_IN", 0x45 | OS6, 0, 3
	P6	lines_written, "DCU_M_LINES_IN", 0x46 | OS6, 0, 3
	P6	line_evicted, "DCU_M_LINES_OUT", 0x47 | OS6, 0, 1
	P6	write_back, "DCU_M_LINES_OUT", 0x47 | OS6, 0, 3
	P6	forget, "DCU_M_LINES_OUT", 0x47 | OS6, 0, 0
	P6	code_lines, "IFU_IFETCH", 0x80 | OS6, 0, 19
	P6	code_lines, "IFU_IFETCH_MISS", 0x81 | OS6, 0, 10
	P6	code_pages, "ITLB_MISS", 0x85 | OS6, 0, 11
	P6	large_page, "ITLB_MISS", 0x85 | OS6, 0, 2
	P6	global_page, "ITLB_MISS", 0x85 | OS6, 0, 3
	P6	code_lines, "L2_IFETCH", 0x28 | OS6 | MASK6(15), 0, 10
	P6	lines, "L2_LD", 0x29 | OS6 | MASK6(15), 0, 8
	P6	lines, "L2_LD, I", 0x29 | OS6 | MASK6(1), 0, 8
	P6	lines, "L2_LD, M, E, S", 0x29 | OS6 | MASK6(14), 0, 0
	P6	lines, "L2_LD, none", 0x29 | OS6, 0, 0
	P6	line_returns, "L2_LD", 0x29 | OS6 | MASK6(15), 0, 6
	P6	line_returns, "L2_LD, M", 0x29 | OS6 | MASK6(8), 0, 1
	P6	lines_written, "L2_ST", 0x2a | OS6 | MASK6(15), 0, 3
	P6	lines, "L2_ST", 0x2a | OS6 | MASK6(15), 0, 0
	P6	line_evicted, "L2_M_LINES_INM", 0x25 | OS6, 0, 1
	P6	write_back, "L2_M_LINES_OUTM", 0x27 | OS6, 0, 3
	P6	forget, "L2_M_LINES_OUTM", 0x27 | OS6, 0, 0
	P6	code_lines, "L2_RQSTS", 0x2e | OS6 | MASK6(15), 0, 10
	P6	code_lines, "L2_LINES_IN", 0x24 | OS6, 0, 10
	P6	code_lines, "L2_LINES_OUT", 0x26 | OS6, 0, 0
	P6	code_lines, "L2_ADS", 0x21 | OS6, 0, 10
	P6	code_lines, "L2_DBUS_BUSY", 0x22 | OS6, 0, 40
	P6	code_lines, "L2_DBUS_BUSY_RD", 0x23 | OS6, 0, 0
	P6	line_returns, "L2_DBUS_BUSY_RD", 0x23 | OS6, 0, 4
	P6	write_back, "L2_DBUS_BUSY_RD", 0x23 | OS6, 0, 12
	P6	code_lines, "BUS_DATA_RCV", 0x64 | OS6, 0, 40
	P6	code_lines, "BUS_DRDY_CLOCKS, self", 0x62 | OS6 | SELF6, 0, 0
	P6	code_lines, "BUS_DRDY_CLOCKS, any", 0x62 | OS6 | ANY6, 0, 40
	P6	write_back, "BUS_DRDY_CLOCKS, self", 0x62 | OS6 | SELF6, 0, 12
	P6	uncached, "BUS_DRDY_CLOCKS, self", 0x62 | OS6 | SELF6, 0, 2
	P6	write_through, "BUS_DRDY_CLOCKS, self", 0x62 | OS6 | SELF6, 0, 2
	P6	io, "BUS_DRDY_CLOCKS, self", 0x62 | OS6 | SELF6, 0, 4
	P6	locked_bus, "BUS_LOCK_CLOCKS, self", 0x63 | OS6 | SELF6, 0, 8
	P6	locked, "BUS_LOCK_CLOCKS, any", 0x63 | OS6 | ANY6, 0, 0
	P6	lines, "BUS_HIT_DRV, alone", 0x7a | OS6, 0, 0
	P6	lines, "BUS_TRAN_BRD, self", 0x65 | OS6 | SELF6, 0, 8
	P6	lines, "BUS_TRAN_BRD, any", 0x65 | OS6 | ANY6, 1, 8
	P6	lines_written, "BUS_TRAN_RFO", 0x66 | OS6, 0, 3
	P6	write_back, "BUS_TRANS_WB", 0x67 | OS6, 0, 3
	P6	code_lines, "BUS_TRAN_IFETCH", 0x68 | OS6, 0, 10
	P6	code_lines, "BUS_TRAN_BURST", 0x6e | OS6, 0, 10
	P6	code_lines, "BUS_TRAN_MEM", 0x6f | OS6, 0, 10
	P6	code_lines, "BUS_TRAN_ANY", 0x70 | OS6, 0, 10
	P6	lines, "BUS_TRAN_INVAL, alone", 0x69 | OS6, 0, 0
	P6	uncached, "BUS_TRAN_PWR", 0x6a | OS6, 0, 2
	P6	write_through, "BUS_TRAN_PWR", 0x6a | OS6, 0, 2
	P6	uncached, "BUS_TRANS_P", 0x6b | OS6, 0, 6
	P6	io, "BUS_TRANS_IO", 0x6c | OS6, 0, 7
	P6	computing, "FLOPS", 0xc1 | OS6, 0, 5
	P6	computing, "FLOPS on counter 1", 0xc1 | OS6, 1, 0
	P6	computing, "FP_COMP_OPS_EXE", 0x10 | OS6, 0, 9
	P6	computing, "MUL", 0x12 | OS6, 1, 3
	P6	computing, "MUL on counter 0", 0x12 | OS6, 0, 0
	P6	computing, "DIV", 0x13 | OS6, 1, 3
	P6	x87_flags, "are as they were with FLOPS", 0xc1 | OS6, 0, 4
	P6	x87_flags_fault, "are as they were with FLOPS", 0xc1 | OS6, 0, 4
	P6	loop, "INST_DECODED", 0xd0 | OS6, 0, 2005
	P6	interrupt, "HW_INT_RX", 0xc8 | OS6, 0, 1
	P6	interrupt, "INST_RETIRED", 0xc0 | OS6, 0, 10
	P6	interrupt, "CPU_CLK_UNHALTED, how often", 0x79 | OS6 | EDGE6, 0, 2
	P6	masked, "CYCLES_INT_MASKED", 0xc6 | OS6, 0, 12
	P6	masked_and_pending, "CYCLES_INT_PENDING_AND_MASKED", 0xc7 | OS6, 0, 14
	P6	masked, "CYCLES_INT_PENDING_AND_MASKED", 0xc7 | OS6, 0, 0
	P6	branches, "BR_INST_RETIRED", 0xc4 | OS6, 0, 15
	P6	branches, "BR_INST_DECODED", 0xe0 | OS6, 0, 15
	P6	branches, "BR_TAKEN_RETIRED", 0xc9 | OS6, 0, 13
	P6	loop_wrong, "BR_MISS_PRED_RETIRED", 0xc5 | OS6, 0, 1
	P6	loop_wrong_taken, "BR_MISS_PRED_TAKEN_RET", 0xca | OS6, 0, 0
	P6	loop_misses, "BTB_MISSES", 0xe2 | OS6, 0, 1
	P6	loop_clears, "BACLEARS", 0xe6 | OS6, 0, 1
	P6	never_back, "BR_MISS_PRED_RETIRED", 0xc5 | OS6, 0, 5
	P6	never_forward, "BR_MISS_PRED_RETIRED", 0xc5 | OS6, 0, 0
	P6	never_forward, "BTB_MISSES", 0xe2 | OS6, 0, 5
	P6	never_back, "BR_MISS_PRED_TAKEN_RET", 0xca | OS6, 0, 0
	P6	indirect_p6, "BR_MISS_PRED_RETIRED", 0xc5 | OS6, 0, 3
	P6	return_elsewhere, "BR_MISS_PRED_TAKEN_RET", 0xca | OS6, 0, 1
	P6	segments_of_user, "SEGMENT_REG_LOADS, CPL 0", 0x06 | OS6, 0, 6
	P6	segments, "SEGMENT_REG_LOADS", 0x06 | OS6, 0, 6
	CASE	K_P2, mmx, "MMX_INSTR_EXEC", 0xb0 | OS6, 0, 10
	CASE	K_P2, mmx, "MMX_INSTR_RET", 0xce | OS6, 1, 10
	P6	mmx, "MMX_SAT_INSTR_EXEC", 0xb1 | OS6, 0, 2
	P6	mmx, "MMX_INSTR_TYPE_EXEC, multiply", 0xb3 | OS6 | MASK6(1), 0, 1
	P6	mmx, "MMX_INSTR_TYPE_EXEC, shift", 0xb3 | OS6 | MASK6(2), 0, 1
	P6	mmx, "MMX_INSTR_TYPE_EXEC, pack", 0xb3 | OS6 | MASK6(4), 0, 1
	P6	mmx, "MMX_INSTR_TYPE_EXEC, unpack", 0xb3 | OS6 | MASK6(8), 0, 1
	P6	mmx, "MMX_INSTR_TYPE_EXEC, logical", 0xb3 | OS6 | MASK6(16), 0, 1
	P6	mmx, "MMX_INSTR_TYPE_EXEC, arithmetic", 0xb3 | OS6 | MASK6(32), 0, 2
	P6	mmx, "MMX_INSTR_TYPE_EXEC, all", 0xb3 | OS6 | MASK6(63), 0, 7
	P6	mmx, "MMX_ASSIST", 0xcd | OS6, 0, 1
	P6	transitions, "FP_MMX_TRANS to floating-point", 0xcc | OS6, 0, 1
	P6	transitions, "FP_MMX_TRANS to MMX", 0xcc | OS6 | MASK6(1), 0, 2
	CASE	K_P3, sse, "EMON_KNI_INST_RETIRED", 0xd8 | OS6, 0, 5
	CASE	K_P3, sse, "EMON_KNI_INST_RETIRED, scalar", 0xd8 | OS6 | MASK6(1), 0, 3
	CASE	K_P3, sse, "EMON_KNI_COMP_INST_RET", 0xd9 | OS6, 0, 3
	CASE	K_P3, sse, "EMON_KNI_COMP_INST_RET, scalar", 0xd9 | OS6 | MASK6(1), 0, 2
	CASE	K_CORE_DUO, branches, "BR_TAKEN_RET", 0xc9 | OS6, 0, 13
	CASE	K_CORE_DUO, interrupt, "HW_INT_RX", 0xc8 | OS6, 1, 1
table_end:

