/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The programs of cases32.S
 *
 * Each counts from the instruction after START to STOP inclusive. The comment of a program
 * lists what it makes occur, by the definitions in ../README.md. Numbers of instructions are
 * without the 4 of STOP, unless the comment names STOP.
 */

/* ---- the programs -------------------------------------------------------- */

/* Not counted. */
	.macro	START
	mov	%ebp, %ecx
	mov	CONTROL, %eax
	xor	%edx, %edx
	wrmsr
	.endm
/* 4 instructions in the kernel, all counted. */
	.macro	STOP
	mov	%ebp, %ecx
	xor	%eax, %eax
	xor	%edx, %edx
	wrmsr
	.endm
	.macro	LEAVE_TO label
	mov	%esp, SAVED_ESP
	movl	$\label, RESUME
	.endm
/* 6 instructions in the kernel, the last of them a far branch. */
	.macro	ENTER cs, ss, stack, label
	pushl	$\ss
	pushl	$\stack
	pushl	$2
	pushl	$\cs
	pushl	$\label
	iret
	.endm

nothing:
	START
	STOP
	ret

/* 1 + 2 * 1000, 1000 branches, each in V behind DEC; XOR of STOP is in V too */
loop:
	START
	mov	$1000, %ebx
1:	dec	%ebx
	jnz	1b
	STOP
	ret

/* 5 + INT in ring 3; in the kernel 6 before, and 2 after it */
user:
	LEAVE_TO 2f
	START
	ENTER	USER_CS | 3, USER_SS | 3, STACK_USER, 1f
1:	.rept	5
	nop
	.endr
	int	$0x81
2:	STOP
	ret

/* The same in ring 1. */
ring1:
	LEAVE_TO 2f
	START
	ENTER	RING1_CS | 1, RING1_SS | 1, STACK_USER, 1f
1:	.rept	5
	nop
	.endr
	int	$0x81
2:	STOP
	ret

/* With STOP: 5, the #UD, and 2 of its handler, 1 branch; where RDPMC exists: 6, no branch */
rdpmc_0:
	START
	xor	%ecx, %ecx
	rdpmc
	STOP
	ret

rdpmc_2:
	START
	mov	$2, %ecx
	rdpmc
	STOP
	ret

/* RDPMC must return what RDMSR returns: the exclusive-or of both EAX is the count. */
rdpmc_agrees:
	START
	.rept	100
	nop
	.endr
	STOP
	xor	%ecx, %ecx
	rdpmc
	mov	%eax, %esi
	mov	%edx, %edi
	call	counter_0
	rdmsr
	xor	%esi, %eax
	xor	%edi, %edx
	or	%edx, %eax
	jmp	set_counter_0

/*
 * In real-address mode RDPMC needs no CR4.PCE, and in 16-bit code it returns all of EDX and EAX:
 * 0 is the count if it returns what WRMSR wrote. EAX stays 0 if it faults.
 */
rdpmc_real:
	LIDT_	0, 0x3ff
	movl	$(0xf0000000 + OFFSET(real_protection)), 4 * 13
	call	counter_0
	mov	$0x92345678, %eax	/* its sign is extended on a P6 */
	mov	$0xff, %edx
	wrmsr
	mov	%cr0, %eax
	and	$0x7fffffff, %eax	/* paging off */
	mov	%eax, %cr0
	ljmp	$CODE16_CS, $OFFSET(1f)
	.code16
1:	mov	%cr0, %eax
	and	$0xfe, %al		/* PE off */
	mov	%eax, %cr0
	ljmp	$0xf000, $OFFSET(2f)
2:	xor	%ecx, %ecx
	xor	%eax, %eax
	xor	%edx, %edx
	rdpmc
	mov	%eax, %esi
	mov	%edx, %edi
	mov	%cr0, %eax
	or	$1, %al
	mov	%eax, %cr0
	ljmpl	$KERNEL_CS, $3f
real_protection:
	addw	$2, (%esp)
	iret
	.code32
3:	mov	%cr0, %eax
	or	$0x80000000, %eax
	mov	%eax, %cr0
	LIDT_	IDT, 0x7ff
	xor	$0x92345678, %esi
	xor	$0xff, %edi
	mov	%esi, %eax
	or	%edi, %eax
	jmp	set_counter_0

/* CR4.PCE: 1 where it can be set, 0 where setting it faults. */
pce:
	movl	$3, SKIP
	mov	$0x100, %eax
	mov	%eax, %cr4
	movl	$2, SKIP
	mov	%cr4, %eax
	mov	%eax, %esi
	xor	%eax, %eax
	mov	%eax, %cr4
	mov	%esi, %eax
	shr	$8, %eax
	and	$1, %eax
	jmp	set_counter_0

/* ECX: counter 0's MSR */
counter_0:
	mov	$0x12, %ecx
	testl	$K_P5, THIS
	jnz	1f
	mov	$0xc1, %ecx
1:	ret

/* EAX: the value to report as the count */
set_counter_0:
	call	counter_0
	xor	%edx, %edx
	wrmsr
	ret

/*
 * The interrupt is delivered after the instruction that wraps the counter, sets the mask bit
 * of the LVT entry, and is not repeated. The count is 0 if all of this holds.
 */
pmi:
	/* map the local APIC, uncached */
	movl	$(PT_APIC | 7), PAGE_DIR + 4 * (APIC >> 22)
	movl	$(APIC | 0x7b), PT_APIC + 4 * (APIC >> 12 & 1023)
	mov	%cr3, %eax
	mov	%eax, %cr3
	movl	$0x1ff, APIC + 0xf0
	movl	$VECTOR_PMI, APIC + 0x340
	WRMSR_	0xc1, -100
	movl	$0, PMIS
	orl	$0x100000, CONTROL
	START
	sti
1:	.rept	300
	nop
	.endr
	cli
	STOP
	xor	%eax, %eax
	cmpl	$1, PMIS
	je	2f
	or	$1, %eax
2:	cmpl	$(1b + 99), SEEN
	je	2f
	or	$2, %eax
2:	cmpl	$(VECTOR_PMI | 0x10000), SEEN + 4
	je	2f
	or	$4, %eax
2:	jmp	set_counter_0

/* ---- data ---------------------------------------------------------------- */

/* 4 reads, 3 writes */
data:
	START
	mov	TEST, %eax
	mov	%eax, TEST + 4
	incl	TEST + 8
	push	%eax
	pop	%eax
	testb	$1, TEST + 12
	STOP
	ret

/* 100 reads, 100 writes, 1 instruction of 8 */
string:
	START
	mov	$TEST, %esi
	mov	$TEST + 0x1000, %edi
	mov	$100, %ecx
	rep movsb
	STOP
	ret

/*
 * Across a boundary of 4 bytes (Pentiums), of 8 (all processors), of a page.
 * Pentiums: 9 reads, 4 writes, 6 misaligned. P6: 7, 4; 4 in two halves each.
 */
misaligned:
	START
	mov	TEST + 2, %eax		/* 4 */
	mov	TEST + 1, %ax
	mov	TEST + 3, %ax		/* 4 */
	mov	%eax, TEST + 6		/* 8 */
	mov	TEST + 0xffe, %eax	/* page */
	incl	TEST + 5		/* 8, read and written */
	STOP
	ret

/* 8 bytes, and 10 as 8 and 2: 7 reads, 2 misaligned */
misaligned_x87:
	fninit
	START
	fldl	TEST + 4
	fldt	TEST
	fldt	TEST + 6
	STOP
	fninit
	ret

/* Uncached: 3 reads, one of them split, and 2 writes; cached: 1 read that misses */
uncached:
	wbinvd
	START
	mov	UNCACHED, %eax
	mov	UNCACHED + 8, %al
	mov	UNCACHED + 0x16, %eax
	mov	%eax, UNCACHED + 4
	mov	%al, UNCACHED
	mov	TEST, %eax
	STOP
	ret

/*
 * In ring 3 1 write, and 5 by its INT; in the kernel 5 before, 5 to deliver the
 * fault, 1 by its handler
 */
data_of_user:
	LEAVE_TO 2f
	START
	ENTER	USER_CS | 3, USER_SS | 3, STACK_USER, 1f
1:	mov	%eax, TEST
	ud2
	int	$0x81
2:	STOP
	ret

/* ---- TLBs ---------------------------------------------------------------- */

	.macro	FLUSH_TLB
	mov	%cr3, %eax
	mov	%eax, %cr3
	.endm

/* EDI + i * stride, EBX times; reads */
	.macro	READ_EACH stride, n
	mov	$TEST, %edi
	mov	$\n, %ebx
1:	mov	(%edi), %eax
	add	$\stride, %edi
	dec	%ebx
	jnz	1b
	.endm

/* 10 pages, then the same again: 10 misses */
pages:
	FLUSH_TLB
	START
	READ_EACH 0x1000, 10
	READ_EACH 0x1000, 10
	STOP
	ret

/* 5 pages of one set, of 16 sets of 4, twice: 10 misses; 5 if the TLB has one set */
pages_of_a_set:
	FLUSH_TLB
	START
	READ_EACH 0x10000, 5
	READ_EACH 0x10000, 5
	STOP
	ret

/* One page more than the TLB has entries: 130 misses in one set of 64 */
pages_too_many:
	FLUSH_TLB
	START
	READ_EACH 0x1000, 65
	READ_EACH 0x1000, 65
	STOP
	ret

/* Each INVLPG one miss: 3 in all */
invlpg:
	FLUSH_TLB
	START
	mov	TEST, %eax
	mov	TEST + 0x1000, %eax
	invlpg	TEST
	mov	TEST, %eax
	mov	TEST + 0x1000, %eax
	STOP
	ret

/* Code on 10 pages, twice, and on this page: 11 misses. Each page has a RET. */
code_pages:
	mov	$TEST + 0x10000, %edi
	mov	$10, %ecx
1:	movb	$0xc3, (%edi)
	add	$0x1000, %edi
	loop	1b
	FLUSH_TLB
	jmp	code_pages_there
	.balign	128
code_pages_there:
	START
	mov	$2, %edx
2:	mov	$TEST + 0x10000, %edi
	mov	$10, %ebx
3:	call	*%edi
	add	$0x1000, %edi
	dec	%ebx
	jnz	3b
	dec	%edx
	jnz	2b
	STOP
	ret

/* Without paging the TLB is not looked up. */
no_paging:
	mov	%cr0, %eax
	and	$0x7fffffff, %eax
	mov	%eax, %cr0
	START
	mov	TEST, %eax
	mov	TEST + 0x1000, %eax
	STOP
	mov	%cr0, %eax
	or	$0x80000000, %eax
	mov	%eax, %cr0
	ret

/*
 * Data: a page of 4 MB at two addresses, and the stack: 2 pages; as 4 KB pages 3. Code: that
 * page and this one: 2; as 4 KB pages 3.
 */
large_page:
	movl	$(TEST | 0xe7), PAGE_DIR + 4 * (LARGE >> 22)
	mov	$0x10, %eax		/* PSE */
	mov	%eax, %cr4
	movb	$0xc3, LARGE + 0x20000
	movb	$0xc3, LARGE + 0x21000
	FLUSH_TLB
	jmp	1f
	.balign	64
1:	START
	mov	LARGE, %eax
	mov	LARGE + 0x1000, %eax
	mov	$LARGE + 0x20000, %eax
	call	*%eax
	mov	$LARGE + 0x21000, %eax
	call	*%eax
	STOP
	mov	%eax, %cr4
	ret

/* The global page stays in the TLB, this one is looked up again: 3; else 4 */
global_page:
	mov	$0x80, %eax		/* PGE */
	mov	%eax, %cr4
	movb	$0xc3, TEST + 0x30000
	orl	$0x100, PTE(TEST + 0x30000)
	invlpg	TEST + 0x30000
	mov	$TEST + 0x30000, %edi
	FLUSH_TLB
	jmp	1f
	.balign	64
1:	START
	call	*%edi
	mov	%cr3, %eax
	mov	%eax, %cr3
	call	*%edi
	STOP
	mov	%eax, %cr4
	andl	$~0x100, PTE(TEST + 0x30000)
	invlpg	TEST + 0x30000
	ret

/* ---- caches -------------------------------------------------------------- */

/* 8 lines read, twice: 8 read misses */
lines:
	wbinvd
	START
	READ_EACH 32, 8
	READ_EACH 32, 8
	STOP
	ret

/*
 * 3 absent lines written twice. Pentiums: 6 write misses. P6: 3, and the lines are allocated
 * as modified.
 */
lines_written:
	wbinvd
	START
	mov	%eax, TEST
	mov	%eax, TEST + 32
	mov	%eax, TEST + 64
	mov	%eax, TEST
	mov	%eax, TEST + 32
	mov	%eax, TEST + 64
	STOP
	ret

/* 2 lines read (2 misses), written twice: 4 hits of lines in state E or M */
lines_changed:
	wbinvd
	START
	mov	TEST, %eax
	mov	TEST + 32, %eax
	mov	%eax, TEST
	mov	%eax, TEST + 32
	mov	%eax, TEST + 4
	mov	%eax, TEST + 36
	STOP
	ret

/* A modified line is evicted by 4 others of its set: 1 written back */
line_evicted:
	wbinvd
	START
	mov	TEST, %eax
	mov	%eax, TEST
	mov	TEST + 0x1000, %eax
	mov	TEST + 0x2000, %eax
	mov	TEST + 0x3000, %eax
	mov	TEST + 0x4000, %eax
	STOP
	ret

/* The evicted line is in L2 in state M, and is read from there. */
line_returns:
	wbinvd
	START
	mov	TEST, %eax
	mov	%eax, TEST
	mov	TEST + 0x1000, %eax
	mov	TEST + 0x2000, %eax
	mov	TEST + 0x3000, %eax
	mov	TEST + 0x4000, %eax
	mov	TEST, %eax
	STOP
	ret

/* 3 lines modified, then written back by WBINVD */
write_back:
	wbinvd
	START
	.irp	i, 0, 32, 64
	mov	TEST + \i, %eax
	mov	%eax, TEST + \i
	.endr
	wbinvd
	STOP
	ret

/* INVD drops them: 0 written back */
forget:
	wbinvd
	START
	.irp	i, 0, 32, 64
	mov	TEST + \i, %eax
	mov	%eax, TEST + \i
	.endr
	invd
	STOP
	ret

/* Write-through: 1 line read, never in state E or M; 2 writes go to the bus */
write_through:
	orl	$8, PTE(TOUCHED)	/* PWT */
	invlpg	TOUCHED
	wbinvd
	START
	mov	TOUCHED, %eax
	mov	%eax, TOUCHED
	mov	%eax, TOUCHED
	STOP
	andl	$~8, PTE(TOUCHED)
	invlpg	TOUCHED
	ret

/*
 * Code: the line of START and 9 others, these twice: 19 lines fetched, 10 of them misses.
 */
	.balign	64
code_lines:
	wbinvd
	mov	$2, %ebx
	START
	jmp	1f
	.balign	32
1:	.rept	8 * 32
	nop
	.endr
	dec	%ebx
	jnz	1b
	STOP
	ret

/* The JMP crosses a line: 4 lines fetched, with START's and STOP's. */
	.balign	64
code_across:
	wbinvd
	START
	jmp	1f
	.balign	32
1:	.rept	29
	nop
	.endr
	.byte	0xe9			/* JMP rel32 */
	.long	2f - 3f
3:	.balign	64
2:	STOP
	ret

/* ---- segments ------------------------------------------------------------ */

/* ES three times, CS by far JMP, INT, IRET: 6; and GDTR, IDTR */
segments:
	movl	$0, VARS + 0x60
	movl	$KERNEL_SS, VARS + 0x64
	START
	mov	%ds, %eax
	mov	%eax, %es
	push	%es
	pop	%es
	les	VARS + 0x60, %eax
	lgdt	gdt_register
	lidt	idt_register
	ljmp	$KERNEL_CS, $1f
1:	int	$0x80
	STOP
	mov	%ds, %eax
	mov	%eax, %es
	ret

	.balign	4
	.word	0
idt_register:
	.word	0x7ff
	.long	IDT

/* The delivery and the IRET: 2; 3 with the INT of another privilege, 1 of them of CPL 3 */
segments_of_handler:
	START
	ud2
	STOP
	ret

/*
 * A fault in ring 3: 2 there, 2 by its delivery, 2 by the IRET; 2 by the INT that leaves
 * ring 3
 */
segments_of_user:
	LEAVE_TO 2f
	START
	ENTER	USER_CS | 3, USER_SS | 3, STACK_USER, 1f
1:	ud2
	int	$0x81
2:	STOP
	ret

/* ---- branches ------------------------------------------------------------ */

/*
 * 12 near branches, 2 of them not taken; 2 far ones (JMP, IRET) and an INT; 2 returns. The
 * WRMSR of STOP serialises.
 */
branches:
	START
	jmp	1f
1:	call	2f
	mov	$3f, %eax
	jmp	*%eax
	nop
3:	mov	$2f, %eax
	call	*%eax
	xor	%eax, %eax
	jne	4f
	je	4f
	nop
4:	xor	%ecx, %ecx
	jecxz	5f
	nop
5:	mov	$3, %ecx
6:	loop	6b
	ljmp	$KERNEL_CS, $7f
7:	int	$0x80
	STOP
	ret
2:	ret

/* With STOP 6 serialising instructions, and VERR, which the Pentiums count too: 7 */
serialising:
	START
	xor	%eax, %eax
	cpuid
	mov	%cr0, %eax
	mov	%eax, %cr0
	invlpg	TEST
	wbinvd
	lidt	idt_register
	mov	$KERNEL_SS, %eax
	verr	%ax
	STOP
	ret

/*
 * A loop of 1000 rounds that is not in the BTB: 1 miss, 999 hits; mispredicted in the first
 * and the last round. P6's decoder predicts the first. Each use needs a loop of its own,
 * because the BTB keeps its entries.
 */
	.macro	NEW_LOOP name
loop_\name:
	START
	mov	$1000, %ebx
1:	dec	%ebx
	jnz	1b
	STOP
	ret
	.endm

	NEW_LOOP hits
	NEW_LOOP hits_or_taken
	NEW_LOOP flushes
	NEW_LOOP wrong
	NEW_LOOP not_taken
	NEW_LOOP misses
	NEW_LOOP clears
	NEW_LOOP wrong_taken

/* Backward, never taken: the decoder mispredicts 5 times. */
never_back:
	START
	clc
1:	nop
	.rept	5
	jc	1b
	.endr
	STOP
	ret

/* Forward, never taken: predicted without a BTB entry. */
never_forward:
	START
	clc
	.rept	5
	jc	1f
	.endr
1:	STOP
	ret

/* Calls 5 deep, a return stack of 4: 1 overflow, 4 predicted, 1 wrong. */
nest:
	START
	call	1f
	STOP
	ret
1:	call	2f
	ret
2:	call	3f
	ret
3:	call	4f
	ret
4:	call	5f
	ret
5:	ret

/* A return to another address: predicted, and mispredicted */
return_elsewhere:
	START
	call	1f
	.rept	20
	nop
	.endr
2:	STOP
	ret
1:	movl	$2b, (%esp)
	ret

/* An indirect jump with two targets: mispredicted at first and at the change */
	.macro	NEW_INDIRECT name
indirect_\name:
	START
	mov	$10, %ebx
	mov	$2f, %eax
	mov	$3f, %edx
1:	jmp	*%eax
2:	dec	%ebx
	cmp	$5, %ebx
	cmove	%edx, %eax
	test	%ebx, %ebx
	jnz	1b
	STOP
	ret
3:	jmp	2b
	.endm

	NEW_INDIRECT p6

/* ---- interrupts ---------------------------------------------------------- */

/* 1; instructions: 3, the handler's 3, and 4 of STOP; it starts to run twice */
interrupt:
	call	start_timer
	START
	sti
	hlt
	cli
	STOP
	ret

/* Interrupts are masked in 6 instructions, enabled in 4, masked in 6 with STOP */
masked:
	START
	.rept	5
	nop
	.endr
	sti
	.rept	3
	nop
	.endr
	cli
	nop
	nop
	STOP
	ret

/* An interrupt is pending from before START: 14 steps with STOP */
masked_and_pending:
	call	start_timer
	mov	$2000000, %ecx
1:	loop	1b
	START
	.rept	10
	nop
	.endr
	STOP
	sti
	nop
	cli
	ret

/* ---- I/O ----------------------------------------------------------------- */

/* 3 reads (one split) and 4 writes, 1 misaligned: 7 cycles */
io:
	mov	$TEST, %esi
	START
	mov	$0x83, %edx
	in	$0x80, %al
	in	(%dx), %ax
	out	%al, $0x80
	mov	$0x80, %edx
	mov	$3, %ecx
	rep outsb
	STOP
	ret

/* ---- the locked bus ------------------------------------------------------ */

/*
 * An increment, an exchange, an increment across 4 bytes (2 on a Pentium), the accessed and the
 * dirty bit of a page, the accessed bit of a segment.
 */
locked:
	andl	$~0x60, PTE(TOUCHED)
	invlpg	TOUCHED
	andb	$~1, GDT + FRESH_DS + 5
	START
	lock incl TEST
	xchg	%eax, TEST + 4
	lock incl TEST + 2
	mov	TOUCHED, %eax
	mov	%eax, TOUCHED
	mov	$FRESH_DS | 3, %eax
	mov	%eax, %es
	incl	TEST
	STOP
	mov	%ds, %eax
	mov	%eax, %es
	ret

/*
 * P6: 2 transactions of each access to uncached memory, 4 of the one across a line; the last one
 * locks the cache.
 */
locked_bus:
	START
	lock incl UNCACHED
	xchg	%eax, UNCACHED + 4
	lock incl TEST + 30
	lock incl TEST
	STOP
	ret

/* ---- micro-ops of the P6; STOP has 8: 3 and 5 of WRMSR, which is not in the table ---- */

/* 2, 4, 3, 2, 6, 3, 2, 1, 2, 4, 1, 3, 2, 1, 2, 1, 2: 41 */
uops_alu:
	START
	add	TEST, %ebx
	add	%ebx, TEST
	xchg	%eax, %ebx
	adc	%ebx, %eax
	adc	%eax, TEST
	sbb	TEST, %al
	cmp	%eax, TEST
	shl	$3, %eax
	bsf	%ebx, %eax
	rorl	TEST
	sete	%al
	sete	TEST
	cmove	%eax, %ebx
	lea	4(%eax,%ebx,2), %eax
	shldl	$3, %eax, %ebx
	movzbl	TEST, %eax
	bswap	%eax
	STOP
	ret

/* 1 and 2 by moffs; 1, 2, 2 by ModR/M; 1, 8, 3, 4, 9 of segment registers; 4, 8: 45 */
uops_moves:
	START
	mov	TEST, %eax
	mov	%eax, TEST
	mov	TEST, %ebx
	mov	%ebx, TEST
	movb	$1, TEST
	mov	%ds, %eax
	mov	%eax, %es
	mov	%ds, TEST
	push	%es
	pop	%es
	pushl	TEST
	popl	TEST
	STOP
	ret

/* CALL 4, RET 4; JMP 1; MOV 1, CALL 5, RET 4; MOV 1, LOOP 11; JECXZ 2; Jcc 1: 34 */
uops_branches:
	START
	call	2f
	jmp	1f
1:	mov	$2f, %eax
	call	*%eax
	mov	$1, %ecx
3:	loop	3b
	jecxz	4f
4:	jz	5f
5:	STOP
	ret
2:	ret

/*
 * LODS 2, STOS 3, MOVS 6; REP STOS of no round 0, SCAS 12 + 4 * 7, CMPS 12 + 4 * 9, LODS
 * 10 + 3 * 6, SCAS of one round 12 + 7; 7 others with 1: 153
 */
uops_strings:
	mov	$TEST, %edi
	mov	$64, %ecx
	xor	%eax, %eax
	rep stosb
	START
	mov	$TEST, %esi
	mov	$TEST, %edi
	lodsb
	stosb
	movsb
	xor	%ecx, %ecx
	rep stosb
	mov	$4, %cl
	repe scasb
	mov	$4, %cl
	repe cmpsb
	mov	$3, %cl
	rep lodsb
	mov	$4, %cl
	repne scasb
	STOP
	ret

/* 12, 21, 37 and 37 clocks of the divider; 3, 4, 4 and 2 micro-ops, and 6 others with 1: 19 */
uops_divide:
	fninit
	movl	$3, TEST
	fld1
	START
	mov	$7, %eax
	mov	$3, %ebx
	div	%bl
	mov	$7, %eax
	xor	%edx, %edx
	div	%bx
	mov	$7, %eax
	xor	%edx, %edx
	idivl	TEST
	fdivs	TEST
	STOP
	fninit
	ret

/* Denormal operand, division by 0, invalid, overflow, underflow: 5. Inexact alone: none. */
assists:
	fninit
	fldt	tiny
	START
	fadd	%st, %st		/* denormal */
	fld1
	fdivs	zero			/* by zero: infinity */
	fsub	%st, %st		/* invalid */
	fldt	huge
	fmul	%st, %st		/* overflow */
	fldt	small
	fmul	%st, %st		/* underflow */
	fld1
	fdivs	three			/* inexact */
	STOP
	fninit
	ret

	.balign	16
tiny:	.quad	1, 0
huge:	.quad	0x8000000000000000, 0x7ffe
small:	.quad	0x8000000000000000, 0x0001
three:	.float	3

/* ---- computing ----------------------------------------------------------- */

/*
 * x87: 1 addition, 1 multiplication, 1 square root, 1 sine, 1 comparison; a division by 0,
 * which does not count. Integer: 2 multiplications, 1 division.
 */
computing:
	fninit
	START
	fld1
	fld1
	faddp
	fld1
	fmulp
	fsqrt
	fsin
	fchs
	fcom	%st(0)
	fdivs	zero
	mov	$3, %eax
	imul	%eax, %eax
	mul	%eax
	mov	$7, %ecx
	xor	%edx, %edx
	div	%ecx
	STOP
	fninit
	ret

	.balign	4
zero:	.float	0

/*
 * Counting does not change the x87 flags: that of the division by 0 stays, and no other is
 * set. The flags are the count.
 */
x87_flags:
	fninit
	START
	fld1
	fdivs	zero
	fld1
	fmulp
	fld1
	faddp
	fnstsw	SEEN
	STOP
	fninit
	movzwl	SEEN, %eax
	and	$0x3f, %eax
	jmp	set_counter_0

/* The same when such an instruction faults: a load from a page that is not present. */
x87_flags_fault:
	movl	$6, SKIP
	fninit
	START
	fld1
	fdivs	zero
	fadds	NOWHERE
	fnstsw	SEEN
	STOP
	movl	$2, SKIP
	fninit
	movzwl	SEEN, %eax
	and	$0x3f, %eax
	jmp	set_counter_0

/* 10 MMX instructions, 1 of each type, except 2 arithmetic ones; PMULLW and PXOR pair in V */
mmx:
	START
	movq	TEST, %mm0
	paddb	%mm0, %mm1
	paddsb	TEST + 8, %mm1
	pmullw	%mm0, %mm2
	psllw	$1, %mm0
	packsswb %mm0, %mm1
	punpcklbw %mm0, %mm1
	pxor	%mm0, %mm0
	movq	%mm0, TEST + 20
	emms
	STOP
	ret

/* Absent lines: MMX reads 2, others 1; MMX writes 1, others 1 */
mmx_lines:
	wbinvd
	START
	movq	TEST, %mm0
	movq	TEST + 32, %mm0
	movq	TEST + 36, %mm0
	mov	TEST + 64, %eax
	movq	%mm0, TEST + 96
	mov	%eax, TEST + 128
	STOP
	emms
	ret

/*
 * Each saturating instruction three times: with operands that make it saturate, with the same
 * operands in memory, with others; and one that doubles its register: 22 of 34 saturate.
 */
	.macro	SATURATE op, n, high, low
	movq	operands + 16 * \n, %mm0
	movq	operands + 16 * \n + 8, %mm1
	\op	%mm1, %mm0
	movq	operands + 16 * \n, %mm0
	\op	operands + 16 * \n + 8, %mm0
	pxor	%mm0, %mm0
	pxor	%mm1, %mm1
	\op	%mm1, %mm0
	.endm
saturations:
	START
	SATURATE paddsb, 0
	SATURATE paddsw, 1
	SATURATE paddusb, 2
	SATURATE paddusw, 3
	SATURATE psubsb, 4
	SATURATE psubsw, 5
	SATURATE psubusb, 6
	SATURATE psubusw, 7
	SATURATE packsswb, 8
	SATURATE packssdw, 9
	SATURATE packuswb, 10
	movq	doubled, %mm0
	paddusb	%mm0, %mm0
	STOP
	emms
	ret

	.balign	8
operands:	/* where possible, no saturation for fields of the other size */
	.quad	0x000000000000007f, 0x0000000000000001
	.quad	0x7fff000000000000, 0x0001000000000000
	.quad	0x00000000000000ff, 0x0000000000000001
	.quad	0x00000000ffff0000, 0x0000000000010000
	.quad	0x0000008000000000, 0x0000000100000000
	.quad	0x0000000000008000, 0x0000000000000001
	.quad	0x0000000001000000, 0x0000000000010000
	.quad	0x0001000000000000, 0x0002000000000000
	.quad	0x0000000000000080, 0x0000000000000000
	.quad	0x0000000000000000, 0x0000800000000000
	.quad	0x0000000000000000, 0xffff000000000000
doubled:
	.quad	0x0000000000000060

/* x87, MMX, x87, MMX: 3 transitions, 2 of them to MMX */
transitions:
	fninit
	START
	fld1
	movd	%eax, %mm0
	pxor	%mm0, %mm0
	emms
	fld1
	fstp	%st
	movd	%eax, %mm0
	emms
	STOP
	ret

/* SSE: 5 instructions, 3 scalar; 3 compute, 2 of them scalar */
sse:
	mov	$0x200, %eax		/* OSFXSR */
	mov	%eax, %cr4
	START
	xorps	%xmm0, %xmm0
	addps	%xmm0, %xmm0
	addss	%xmm0, %xmm0
	mulss	%xmm0, %xmm0
	movss	%xmm0, TEST
	STOP
	xor	%eax, %eax
	mov	%eax, %cr4
	ret

/* ---- breakpoints --------------------------------------------------------- */

/*
 * Breakpoints match without being enabled: DR0 5 times by execution, DR1 4 times by writes, DR2
 * 5 times by reads or writes, DR3 twice by I/O.
 */
breakpoints:
	mov	$8, %eax		/* DE */
	mov	%eax, %cr4
breakpoints_without_de:
	mov	$2f, %eax
	mov	%eax, %dr0
	mov	$TEST, %eax
	mov	%eax, %dr1
	mov	%eax, %dr2
	mov	$0x80, %eax
	mov	%eax, %dr3
	/* R/W 0, 1, 3, 2; LEN 1, 4, 4, 1 */
	mov	$0x2fd00000, %eax
	mov	%eax, %dr7
	START
	mov	$5, %ebx
2:	nop
	dec	%ebx
	jnz	2b
	mov	TEST, %eax
	mov	%eax, TEST
	mov	%eax, TEST
	incl	TEST
	movb	%al, TEST + 3
	mov	%al, TEST + 4
	out	%al, $0x80
	out	%al, $0x80
	STOP
	xor	%eax, %eax
	mov	%eax, %dr7
	mov	%eax, %cr4
	ret
