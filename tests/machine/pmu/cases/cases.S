/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Firmware that runs hand-counted instruction sequences in 64-bit mode and reports TAP
 *
 * The cases check what counts as a retired instruction, a branch and a cycle, and in which
 * privilege. The firmware starts at the reset vector, enters 64-bit mode, runs the cases and
 * writes TAP to port E9H. The numbers in the table at the end were counted by hand from the
 * definitions in ../README.md.
 */

/*
 * The counters: Intel's architectural ones; with V6 defined, those added by version 6, at its
 * addresses; with AMD defined, those of family 15H with PerfMonV2. Each pass counts one event in
 * the kernel on counter FIRST and in user mode on the next; CYCLES is an RDPMC index. ABSENT is an
 * MSR, or the status register, on which WRMSR faults. LATE beside AMD: overflow interrupts have
 * skid (late=40). ACR beside V6: counters reload each other. QUIRKS: with the options iret, nomask
 * and late_ack.
 */
#define FIRST		0
#ifdef AMD
#define GLOBAL_CTRL	0xc0000301
#define GLOBAL_STATUS	0xc0000300
#define SELECT0		0xc0010200
#define SELECT_STEP	2
#define COUNTER0	0xc0010201
#define COUNTER1	0xc0010203
#define CYCLES		2
#define BRANCHES	0xc2
#define ENABLE		7, 0
#define ABSENT		0xc0010230
#define LVTPC_SEEN	VECTOR_PMI
#else
#define GLOBAL_CTRL	0x38f
#define GLOBAL_STATUS	0x38e
#define CYCLES		0x40000001
#define BRANCHES	0xc4
#ifdef QUIRKS
#define LVTPC_SEEN	VECTOR_PMI
#else
#define LVTPC_SEEN	(VECTOR_PMI | 0x10000)
#endif
#ifdef V6
#undef FIRST
#define FIRST		8
#define SELECT0		0x1921		/* IA32_PMC_GP8_CFG_A */
#define SELECT_STEP	4
#define COUNTER0	0x1920		/* IA32_PMC_GP8_CTR */
#define COUNTER1	0x1924
#define FIXED1		0x1984		/* IA32_PMC_FX1_CTR */
#define ENABLE		0x300, 2
#define ABSENT		0x1922		/* IA32_PMC_GP8_CFG_B */
#else
#define SELECT0		0x186
#define SELECT_STEP	1
#define COUNTER0	0xc1
#define COUNTER1	0xc2
#define FIXED1		0x30a
#define ENABLE		3, 2
#define ABSENT		GLOBAL_STATUS
#endif
#endif

#if !defined(AMD) && !defined(V6) && !defined(QUIRKS)
#define EXTRA_REGISTERS			/* on the processors of the table parts */
#endif

/* Memory layout. */
#define GDT		0x500
#define PML4		0x1000
#define PDPT		0x2000
#define PD_LOW		0x3000
#define PT_TEST		0x5000
#define IDT		0x6000
#define TSS		0x7000
#define VARS		0x8000
#define STACK		0x20000
#define STACK_INT	0x24000		/* TSS.RSP0 */
#define STACK_USER	0x28000

#define SAVED_RSP	(VARS + 0x00)	/* to return from user mode */
#define RESUME		(VARS + 0x08)	/* to return from user mode */
#define SEEN		(VARS + 0x10)	/* what an interrupt handler read */
#define SEEN_LVT	(VARS + 0x18)
#define PMIS		(VARS + 0x20)
#define FAILED		(VARS + 0x28)
#define NUMBER		(VARS + 0x30)
#define FAULTS		(VARS + 0x38)
#define GOT		(VARS + 0x40)	/* OS, USR of two passes, cycles */
#define PART		(VARS + 0x68)	/* row of the table parts, or 0 */

/* Memory for the cases; the page TEST + 0x1000 is present only after a page fault. */
#define FROM		0x100000
#define TO		0x200000
#define TEST		0x800000
#define TEST_PTE	(PT_TEST + 8)
#define LINES_DATA	0x1000000	/* lines that no case has accessed */
#define LINES_CODE	0x1800000

/* Selectors, in the order that SYSRET and SYSEXIT require. */
#define KERNEL_CS	0x08
#define KERNEL_SS	0x10
#define USER_SS		0x20
#define USER_CS		0x28
#define TSS_SEL		0x38

#define APIC		0x3fe00000	/* linear address of the local APIC */
#define APIC_EOI	(APIC + 0xb0)
#define APIC_SPURIOUS	(APIC + 0xf0)
#define APIC_TIMER	(APIC + 0x320)
#define APIC_LVTPC	(APIC + 0x340)
#define APIC_COUNT	(APIC + 0x380)
#define APIC_DIVIDE	(APIC + 0x3e0)

#define VECTOR_TIMER	0x40
#define VECTOR_PMI	0x50

#define OFFSET(label)	((label) - 0xf0000)

	.section .rom, "ax"
	.globl	rom
rom:

/* ------------------------------------------------------------------------- */
	.code16
start16:
	cli
	cld
	xor	%ax, %ax
	mov	%ax, %ds
	mov	%ax, %es
	mov	%ax, %ss
	mov	$0x7000, %sp
	/* clear the tables */
	mov	$GDT, %di
	mov	$0x8100, %cx
	rep stosb
	/* copy the descriptors to memory that LTR can write */
	mov	$OFFSET(gdt_start), %si
	mov	$GDT, %di
	mov	$(gdt_end - gdt_start), %cx
	rep movsb %cs:(%si), %es:(%di)
	/* map the first GB with 2 MB pages, accessible in user mode, */
	movl	$(PDPT | 7), PML4
	movl	$(PD_LOW | 7), PDPT
	mov	$PD_LOW, %di
	mov	$0x87, %eax
	mov	$512, %cx
1:	mov	%eax, (%di)
	add	$0x200000, %eax
	add	$8, %di
	loop	1b
	/* except the local APIC, */
	movl	$(0xfee00000 | 0x9b), PD_LOW + 8 * (APIC >> 21)
	/* and the 2 MB at TEST, with 4 KB pages */
	movl	$(PT_TEST | 7), PD_LOW + 8 * (TEST >> 21)
	movl	$(TEST | 7), PT_TEST
	movl	$(TEST + 0x1000 | 6), TEST_PTE

	lgdtl	%cs:OFFSET(gdt_register)
	mov	$0x220, %eax		/* PAE, OSFXSR */
	mov	%eax, %cr4
	mov	$PML4, %eax
	mov	%eax, %cr3
	mov	$0xc0000080, %ecx	/* EFER: SCE, LME */
	mov	$0x101, %eax
	xor	%edx, %edx
	wrmsr
	mov	$0x80000011, %eax	/* PG, ET, PE */
	mov	%eax, %cr0
	ljmpl	$KERNEL_CS, $start64

	.balign	8
gdt_start:
	.quad	0
	.quad	0x00af9b000000ffff	/* 08 kernel code */
	.quad	0x00cf93000000ffff	/* 10 kernel data */
	.quad	0x00cffb000000ffff	/* 18 user code, 32 bit */
	.quad	0x00cff3000000ffff	/* 20 user data */
	.quad	0x00affb000000ffff	/* 28 user code */
	.quad	0x00cff3000000ffff	/* 30 user data */
	.quad	0x0000890000000067 | TSS << 16
	.quad	0
gdt_end:
gdt_register:
	.word	gdt_end - gdt_start - 1
	.long	GDT

/* ------------------------------------------------------------------------- */
	.code64
start64:
	mov	$KERNEL_SS, %eax
	mov	%eax, %ds
	mov	%eax, %es
	mov	%eax, %ss
	mov	$STACK, %esp
	movq	$STACK_INT, TSS + 4
	mov	$TSS_SEL, %eax
	ltr	%ax
	call	set_gates
	call	set_system_calls
	call	set_apic
	mov	$plan, %esi
	call	print
#ifdef EXTRA_REGISTERS
	call	print_plan
#endif
	mov	$table, %r15d
1:	call	run_case
	add	$64, %r15
	cmp	$table_end, %r15
	jb	1b
	call	check_interrupted
	call	check_pmi
#ifdef AMD
	call	check_host
#endif
#ifdef ACR
	call	check_reload
#endif
#ifdef EXTRA_REGISTERS
	call	check_extra_registers
#endif
	cmpq	$0, FAILED
	mov	$text_well, %esi
	je	2f
	mov	$text_bad, %esi
2:	call	print
	/* Bochs' shutdown port */
	mov	$text_shutdown, %esi
	mov	$0x8900, %edx
3:	lodsb
	out	%al, (%dx)
	test	%al, %al
	jnz	3b
4:	hlt
	jmp	4b

	.macro	GATE vector, handler, type
	mov	$\vector, %edi
	mov	$\handler, %eax
	mov	$\type, %edx
	call	set_gate
	.endm

/* EDI vector, EAX handler, EDX type */
set_gate:
	shl	$4, %edi
	add	$IDT, %edi
	mov	%ax, (%rdi)
	movw	$KERNEL_CS, 2(%rdi)
	mov	%dx, 4(%rdi)
	shr	$16, %eax
	mov	%ax, 6(%rdi)
	ret

set_gates:
	GATE	0x01, handle_step, 0x8e00
	GATE	0x03, handle_plain, 0xee00
	GATE	0x06, handle_undefined, 0x8e00
	GATE	0x0d, handle_protection, 0x8e00
	GATE	0x0e, handle_page, 0x8e00
	GATE	VECTOR_TIMER, handle_timer, 0x8e00
	GATE	VECTOR_PMI, handle_pmi, 0x8e00
	GATE	0x80, handle_plain, 0xee00
	GATE	0x81, handle_leave, 0xee00
	pushq	$IDT
	pushw	$0xfff
	lidt	(%rsp)
	add	$10, %rsp
	ret

	.macro	WRMSR_ msr, low, high=0
	mov	$\msr, %ecx
	mov	$\low, %eax
	mov	$\high, %edx
	wrmsr
	.endm

set_system_calls:
	WRMSR_	0xc0000081, 0, 0x00180008	/* STAR */
	WRMSR_	0xc0000082, handle_syscall	/* LSTAR */
	WRMSR_	0xc0000084, 0			/* FMASK */
	WRMSR_	0x174, KERNEL_CS		/* SYSENTER_CS, ESP, EIP */
	WRMSR_	0x175, STACK_INT
	WRMSR_	0x176, handle_leave
	ret

set_apic:
	movl	$0x1ff, APIC_SPURIOUS
	movl	$0xb, APIC_DIVIDE		/* by 1 */
	movl	$VECTOR_TIMER, APIC_TIMER
	movl	$VECTOR_PMI, APIC_LVTPC
	ret

/* ---- handlers, with the number of instructions and branches of each ------ */
handle_plain:		/* 1, 1 */
	iretq
handle_step:		/* 2, 1 */
	andq	$~0x100, 16(%rsp)
	iretq
handle_undefined:	/* 2, 1 */
	addq	$2, (%rsp)
	iretq
handle_protection:	/* 3, 1 */
	add	$8, %rsp
	addq	$2, (%rsp)
	iretq
handle_counted_protection:
	incq	FAULTS
	jmp	handle_protection
handle_page:		/* 4, 1 */
	orl	$1, TEST_PTE
	invlpg	TEST + 0x1000
	add	$8, %rsp
	iretq
handle_timer:		/* 3, 1 */
	mov	%rdi, SEEN
	movl	$0, APIC_EOI
	iretq
handle_leave:		/* 2, 1: out of user mode */
	mov	SAVED_RSP, %rsp
	jmp	*RESUME
handle_syscall:		/* 1, 1 */
	jmp	*RESUME

handle_pmi:
	push	%rax
	push	%rcx
	push	%rdx
	mov	24(%rsp), %rax
	mov	%rax, SEEN
	mov	APIC_LVTPC, %eax
	mov	%rax, SEEN_LVT
	incq	PMIS
	WRMSR_	GLOBAL_CTRL, 0
	movl	$0, APIC_EOI
	pop	%rdx
	pop	%rcx
	pop	%rax
	iretq

/* ------------------------------------------------------------------------- */
/* ESI: text */
print:
	lodsb
	test	%al, %al
	jz	1f
	out	%al, $0xe9
	jmp	print
1:	ret

/* RAX: a number, in decimal */
print_number:
	xor	%ecx, %ecx
	mov	$10, %ebx
1:	xor	%edx, %edx
	div	%rbx
	push	%rdx
	inc	%ecx
	test	%rax, %rax
	jnz	1b
2:	pop	%rax
	add	$'0', %al
	out	%al, $0xe9
	loop	2b
	ret

/* ESI: name, EAX: 0 = ok */
verdict:
	push	%rsi
	mov	$text_ok, %esi
	test	%eax, %eax
	jz	1f
	incq	FAILED
	mov	$text_not_ok, %esi
1:	call	print
	incq	NUMBER
	mov	NUMBER, %rax
	call	print_number
	mov	$text_dash, %esi
	call	print
	pop	%rsi
	call	print
	mov	$'\n', %al
	out	%al, $0xe9
	ret

/* EBX: event with EN. OS on counter 0, USR on counter 1, cycles on a third one. */
select:
	WRMSR_	GLOBAL_CTRL, 0
	xor	%edx, %edx
	mov	%ebx, %eax
	or	$0x20000, %eax
	mov	$SELECT0, %ecx
	wrmsr
	mov	%ebx, %eax
	or	$0x10000, %eax
	add	$SELECT_STEP, %ecx
	wrmsr
	WRMSR_	COUNTER0, 0
	WRMSR_	COUNTER1, 0
#ifdef AMD
	WRMSR_	SELECT0 + 4, 0x430076
	WRMSR_	COUNTER0 + 4, 0
#else
	WRMSR_	0x38d, 0x30
	WRMSR_	FIXED1, 0
#endif
	ret

/* ECX: counter; RDI: address of the result */
read_counter:
	rdpmc
	shl	$32, %rdx
	or	%rdx, %rax
	stosq
	ret

/* Both passes (OS, USR) of the case at R15: name, code, then five numbers. */
run_case:
	mov	$0x4000c0, %ebx
	call	select
	call	*8(%r15)
	mov	$GOT, %edi
	mov	$FIRST, %ecx
	call	read_counter
	mov	$(FIRST + 1), %ecx
	call	read_counter
	mov	$CYCLES, %ecx
	mov	$GOT + 32, %edi
	call	read_counter
	mov	$(0x400000 | BRANCHES), %ebx
	call	select
	call	*8(%r15)
	mov	$GOT + 16, %edi
	mov	$FIRST, %ecx
	call	read_counter
	mov	$(FIRST + 1), %ecx
	call	read_counter

	mov	$GOT, %esi
	lea	16(%r15), %rdi
	mov	$5, %ecx
	repe cmpsq
	setne	%al
	movzbl	%al, %eax
	mov	%eax, %r14d
	mov	(%r15), %rsi
	call	verdict
	test	%r14d, %r14d
	jz	2f
	/* the numbers, as a comment: got, expected */
	xor	%r13d, %r13d
1:	mov	$text_got, %esi
	call	print
	mov	GOT(, %r13, 8), %rax
	call	print_number
	mov	$text_expected, %esi
	call	print
	mov	16(%r15, %r13, 8), %rax
	call	print_number
	mov	$'\n', %al
	out	%al, $0xe9
	inc	%r13d
	cmp	$5, %r13d
	jb	1b
2:	ret

/* ---- the cases ----------------------------------------------------------- */

/* Not counted. */
	.macro	START
	WRMSR_	GLOBAL_CTRL, ENABLE
	.endm
/* 4 instructions in the kernel, all counted. */
	.macro	STOP
	mov	$GLOBAL_CTRL, %ecx
	xor	%eax, %eax
	xor	%edx, %edx
	wrmsr
	.endm

case_nothing:
	START
	STOP
	ret

case_loop:
	START
	mov	$1000, %ebx
1:	dec	%ebx
	jnz	1b
	STOP
	ret

case_near_branches:
	START
	jmp	1f
1:	call	2f
	lea	3f, %rax
	jmp	*%rax
	nop
3:	lea	2f, %rax
	call	*%rax
	xor	%eax, %eax
	jne	4f
	je	4f
	nop
4:	xor	%ecx, %ecx
	jrcxz	5f
	nop
5:	mov	$3, %ecx
6:	loop	6b
	STOP
	ret
2:	ret

case_far_branches:
	START
	pushq	$KERNEL_CS
	lea	1f, %rax
	push	%rax
	lretq
1:	ljmp	*3f
2:	lcall	*5f
	STOP
	ret
4:	lretl
3:	.long	2b
	.word	KERNEL_CS
5:	.long	4b
	.word	KERNEL_CS

case_software_interrupts:
	START
	int	$0x80
	int3
	STOP
	ret

	.macro	LEAVE_TO label
	mov	%rsp, SAVED_RSP
	movq	$\label, RESUME
	.endm

case_iret_to_user:
	LEAVE_TO 2f
	START
	pushq	$(USER_SS | 3)
	pushq	$STACK_USER
	pushq	$2
	pushq	$(USER_CS | 3)
	lea	1f, %rax
	push	%rax
	iretq
1:	.rept	5
	nop
	.endr
	int	$0x81
2:	STOP
	ret

case_sysret_syscall:
	LEAVE_TO 2f
	START
	lea	1f, %rcx
	mov	$2, %r11d
	sysretq
1:	.rept	3
	nop
	.endr
	syscall
2:	STOP
	ret

/* A fault in user mode: its delivery is not a branch, its IRET is one. */
case_fault_in_user:
	LEAVE_TO 2f
	START
	lea	1f, %rcx
	mov	$2, %r11d
	sysretq
1:	ud2
	syscall
2:	STOP
	ret

case_sysexit_sysenter:
	LEAVE_TO 2f
	START
	lea	1f, %rdx
	mov	%rsp, %rcx
	sysexitq
1:	nop
	nop
	sysenter
2:	STOP
	ret

case_rep_movs:
	START
	cld
	mov	$FROM, %esi
	mov	$TO, %edi
	mov	$100, %ecx
	rep movsb
	STOP
	ret

case_rep_nothing:
	START
	xor	%ecx, %ecx
	rep stosb
	STOP
	ret

case_repe_stops:
	movb	$1, TO + 3
	START
	mov	$FROM, %esi
	mov	$TO, %edi
	mov	$50, %ecx
	repe cmpsb
	STOP
	movb	$0, TO + 3
	ret

case_movs:
	START
	mov	$FROM, %esi
	mov	$TO, %edi
	movsb
	STOP
	ret

/* A repeat prefix on an instruction that does not repeat; LOCK. */
case_prefixes:
	START
	call	1f
	pause
	lock incl TO
	STOP
	ret
1:	repz ret

	.macro	TAKE_TEST_PAGE_AWAY
	andl	$~1, TEST_PTE
	invlpg	TEST + 0x1000
	.endm

/* 16 rounds, the fault, 16 rounds. */
case_rep_faults:
	TAKE_TEST_PAGE_AWAY
	START
	mov	$FROM, %esi
	mov	$TEST + 0xff0, %edi
	mov	$32, %ecx
	rep movsb
	STOP
	ret

case_load_faults:
	TAKE_TEST_PAGE_AWAY
	START
	mov	TEST + 0x1000, %ebx
	STOP
	ret

case_undefined:
	START
	ud2
	STOP
	ret

case_rdpmc_faults:
	START
	mov	$0x3fffffff, %ecx
	rdpmc
	STOP
	ret

case_wrmsr_faults:
	START
	mov	$ABSENT, %ecx
	wrmsr
	STOP
	ret

case_single_step:
	START
	pushfq
	orq	$0x100, (%rsp)
	popfq
	nop
	STOP
	ret

case_special_instructions:
	START
	xor	%eax, %eax
	cpuid
	rdtsc
	xor	%ecx, %ecx
	rdpmc
	mov	$SELECT0, %ecx
	rdmsr
	STOP
	ret

case_hlt:
	movl	$200000, APIC_COUNT
	START
	sti
	hlt
	cli
	STOP
	ret

/* The timer interrupts the string instruction. */
case_rep_interrupted:
	movq	$0, SEEN
	movl	$20000, APIC_COUNT
	START
	sti
	mov	$FROM, %esi
	mov	$TO, %edi
	mov	$100000, %ecx
	rep movsb
	cli
	STOP
	ret

/* The case is valid only if the interrupt came in the middle of it. */
check_interrupted:
	xor	%ebx, %ebx
	call	select
	call	case_rep_interrupted
	mov	SEEN, %rax
	sub	$TO, %rax
	dec	%rax
	cmp	$99998, %rax
	setae	%al
	movzbl	%al, %eax
	mov	$name_was_interrupted, %esi
	jmp	verdict

#ifndef LATE
/*
 * The interrupt is delivered after the instruction that wraps the counter, sets the mask bit
 * of the LVT entry (not on AMD), and is not repeated.
 */
check_pmi:
	mov	$0x5000c0, %ebx		/* EN, INT; OS and USR are added */
	call	select
	WRMSR_	COUNTER0, -100, 0xffff
	movq	$0, PMIS
	START
	sti
1:	.rept	300
	nop
	.endr
	cli
	STOP
	xor	%r14d, %r14d
	cmpq	$1, PMIS
	setne	%r14b
	cmpq	$(1b + 99), SEEN
	setne	%al
	or	%al, %r14b
	cmpq	$LVTPC_SEEN, SEEN_LVT
	setne	%al
	or	%al, %r14b
	mov	$GLOBAL_STATUS, %ecx
	rdmsr
	cmp	$(1 << FIRST), %eax
	setne	%al
	or	%al, %r14b
#ifdef QUIRKS
	/* LVTPC is not masked: acknowledging the overflow requests another interrupt */
	WRMSR_	0x390, 1 << FIRST	/* IA32_PERF_GLOBAL_OVF_CTRL */
	sti
	nop
	nop
	cli
	cmpq	$2, PMIS
	setne	%al
	or	%al, %r14b
#endif
	mov	%r14d, %eax
	mov	$name_pmi, %esi
	jmp	verdict
#else
/*
 * With late=40: the counter wraps on the last instruction before STOP, and the interrupt
 * comes after it was stopped.
 */
check_pmi:
	mov	$0x5000c0, %ebx
	call	select
	WRMSR_	COUNTER0, -100, 0xffff
	movq	$0, PMIS
	START
	sti
	.rept	99
	nop
	.endr
	STOP
1:	.rept	300
	nop
	.endr
	cli
	xor	%r14d, %r14d
	cmpq	$1, PMIS
	setne	%r14b
	cmpq	$1b, SEEN
	setb	%al
	or	%al, %r14b
	cmpq	$(1b + 300), SEEN
	seta	%al
	or	%al, %r14b
	cmpq	$LVTPC_SEEN, SEEN_LVT
	setne	%al
	or	%al, %r14b
	/* STOP is counted, the following instructions are not */
	xor	%ecx, %ecx
	rdpmc
	cmp	$4, %eax
	setne	%al
	or	%al, %r14b
	mov	%r14d, %eax
	mov	$name_pmi, %esi
	jmp	verdict
#endif

#ifdef AMD
/* Without SVM a counter restricted to the host does not count. */
check_host:
	mov	$0x4000c0, %ebx
	call	select
	WRMSR_	SELECT0, 0x4200c0, 0x200
	START
	nop
	STOP
	xor	%ecx, %ecx
	rdpmc
	mov	$name_host, %esi
	jmp	verdict
#endif

#ifdef ACR
/*
 * Counter 2 wraps on instruction 100 of 304 and reloads counter 3. Counter 4 wraps on the same
 * instruction and then on every seventh, because it reloads itself. Only counter 2 has its
 * overflow bit set.
 */
#define RELOADED	0x1000
	.macro	INSNS_FROM n, low, high
	WRMSR_	0x1900+4*\n, \low, \high
	WRMSR_	0x1901+4*\n, 0x4200c0
	.endm
	.macro	RELOAD n, by, value
	WRMSR_	0x1902+4*\n, 1<<\by
	WRMSR_	0x1903+4*\n, -\value
	.endm
	.macro	MUST_READ n, low, high
	mov	$\n, %ecx
	rdpmc
	cmp	$\low, %eax
	setne	%al
	or	%al, %r14b
	cmp	$\high, %edx
	setne	%al
	or	%al, %r14b
	.endm

check_reload:
	WRMSR_	GLOBAL_CTRL, 0
	WRMSR_	0x390, 0x3ff	/* IA32_PERF_GLOBAL_STATUS_RESET */
	INSNS_FROM 2, -100, 0xffff
	INSNS_FROM 3, 0, 0
	INSNS_FROM 4, -100, 0xffff
	RELOAD	3, 2, RELOADED
	RELOAD	4, 4, 7
	WRMSR_	GLOBAL_CTRL, 0x1c
	.rept	300
	nop
	.endr
	STOP
	xor	%r14d, %r14d
	MUST_READ 2, 204, 0
	MUST_READ 3, 204-RELOADED, 0xffff
	MUST_READ 4, 204-29*7-7, 0xffff
	mov	$GLOBAL_STATUS, %ecx
	rdmsr
	cmp	$(1 << 2), %eax
	setne	%al
	or	%al, %r14b
	mov	%r14d, %eax
	mov	$name_reload, %esi
	jmp	verdict
#endif

#ifdef EXTRA_REGISTERS
/*
 * The registers that select what some events count. A row of the table parts has the signature
 * of a processor, the writable bits of its four registers, the event of MSR_OFFCORE_RSP_0 and the
 * bits that select any response, and the event of MSR_PEBS_FRONTEND. Zero: it does not have it.
 */
#define OFFCORE_RSP_0	0x1a6
#define PEBS_FRONTEND	0x3f7
#define PART_BITS	8		/* offsets in a row */
#define PART_OCR	40
#define PART_ANY	48
#define PART_FRONTEND	56
#define LINE		64
#define LINES		100
#define CODE_LINES	20

	.macro	PART_ROW signature, rsp0, rsp1, latency, front, ocr, any, front_event
	.quad	\signature, \rsp0, \rsp1, \latency, \front, \ocr, \any, \front_event
	.endm

	.balign	8
parts:
	PART_ROW 0x106e0, 0xffff, 0, 0xffff, 0, 0x01b7, 0xff00, 0
	PART_ROW 0x206a0, 0x3f807f8fff, 0x3f807f8fff, 0xffff, 0, 0x01b7, 0x10000, 0
	PART_ROW 0x50650, 0x3fffff8fff, 0x3fffff8fff, 0xffff, 0x7fff17, 0x01b7, 0x10000, 0x01c6
	PART_ROW 0x706e0, 0x3fffffbfff, 0x3fffffbfff, 0xffff, 0x7fff17, 0x01b7, 0x10000, 0x01c6
	PART_ROW 0x806f0, 0x3fffffffff, 0x3fffffffff, 0xffff, 0x7fff1f, 0x012a, 0x10000, 0x01c6
	PART_ROW 0xc0660, 0xfffffffffff, 0xfffffffffff, 0xffff, 0x7fff1f, 0x012a, 0x10000, 0x03c6
parts_end:
extra_registers:
	.long	OFFCORE_RSP_0, 0x1a7, 0x3f6, PEBS_FRONTEND

/* Set PART; print how many cases there are. */
print_plan:
	mov	$1, %eax
	cpuid
	and	$0x0fff0ff0, %eax
	mov	$parts, %esi
1:	cmp	(%rsi), %rax
	je	2f
	add	$64, %rsi
	cmp	$parts_end, %rsi
	jb	1b
	mov	$25, %eax
	jmp	3f
2:	mov	%rsi, PART
	mov	$27, %eax
	cmpq	$0, PART_FRONTEND(%rsi)
	je	3f
	inc	%eax
3:	call	print_number
	mov	$'\n', %al
	out	%al, $0xe9
	ret

check_extra_registers:
	cmpq	$0, PART
	je	1f
	GATE	0x0d, handle_counted_protection, 0x8e00
	WRMSR_	0x2ff, 0x806		/* MTRRs enabled, write-back */
	call	check_reserved_bits
	call	check_offcore
	mov	PART, %rsi
	cmpq	$0, PART_FRONTEND(%rsi)
	jne	check_frontend
1:	ret

/* ECX: register, RAX: value; FAULTS is whether it faulted. */
write_register:
	movq	$0, FAULTS
	mov	%rax, %rdx
	shr	$32, %rdx
	wrmsr
	ret

/* ECX: register, RBX: value that it must have; R14B is set otherwise. */
must_hold:
	rdmsr
	shl	$32, %rdx
	or	%rdx, %rax
	cmp	%rbx, %rax
	setne	%al
	or	%al, %r14b
	ret

/* Each bit of each register: one that is reserved faults, and the register stays. */
check_reserved_bits:
	xor	%r14d, %r14d
	xor	%r13d, %r13d
1:	mov	extra_registers(, %r13, 4), %ecx
	mov	PART, %rsi
	mov	PART_BITS(%rsi, %r13, 8), %r12
	test	%r12, %r12
	jz	5f
	mov	%r12, %rax
	mov	%r12, %rbx
	call	write_register
	or	FAULTS, %r14b
	call	must_hold
	xor	%ebp, %ebp
2:	xor	%eax, %eax
	bts	%rbp, %rax
	mov	%rax, %rdi
	call	write_register
	bt	%rbp, %r12
	setnc	%al
	cmp	%al, FAULTS
	setne	%al
	or	%al, %r14b
	bt	%rbp, %r12
	jnc	3f
	mov	%rdi, %rbx
3:	call	must_hold
	inc	%ebp
	cmp	$64, %ebp
	jb	2b
	xor	%eax, %eax
	call	write_register
5:	inc	%r13d
	cmp	$4, %r13d
	jb	1b
	mov	%r14d, %eax
	mov	$name_reserved, %esi
	jmp	verdict

	/* Fresh lines: load or store each once, and set R14B unless this many were counted. */
	.macro	REQUESTS types, expected, access:vararg
	mov	PART, %rsi
	mov	PART_ANY(%rsi), %rax
	or	$\types, %rax
	mov	$OFFCORE_RSP_0, %ecx
	call	write_register
	WRMSR_	COUNTER0, 0
	mov	$LINES, %ebx
	START
1:	\access
	add	$LINE, %r12
	dec	%ebx
	jnz	1b
	STOP
	MUST_COUNT \expected
	.endm

	.macro	MUST_COUNT expected
	xor	%ecx, %ecx
	rdpmc
	cmp	$\expected, %eax
	setne	%al
	or	%al, %r14b
	.endm

check_offcore:
	mov	PART, %rsi
	mov	PART_OCR(%rsi), %ebx
	or	$0x400000, %ebx
	call	select
	xor	%r14d, %r14d
	mov	$LINES_DATA, %r12d
	REQUESTS 0, 0, mov (%r12), %eax
	REQUESTS 1, LINES, mov (%r12), %eax
	REQUESTS 2, 0, mov (%r12), %eax
	REQUESTS 1, 0, mov %eax, (%r12)
	REQUESTS 2, LINES, mov %eax, (%r12)
	REQUESTS 3, LINES, mov (%r12), %eax
	/* an event that the register does not select */
	mov	$0x40012c, %ebx
	call	select
	REQUESTS 3, 0, mov (%r12), %eax
	mov	%r14d, %eax
	mov	$name_offcore, %esi
	jmp	verdict

/* Fill CODE_LINES lines at RDI with NOPs and a RET. */
make_code:
	mov	$0x90, %al
	mov	$(CODE_LINES * LINE - 1), %ecx
	rep stosb
	movb	$0xc3, (%rdi)
	inc	%rdi
	ret

/*
 * Call the code at R12, count on counter 0. What a call executes here has to be in L1: the
 * first call brings it there.
 */
count_code:
	WRMSR_	COUNTER0, 0
	START
	call	*%r12
	STOP
	ret

	.macro	FETCHES selected, expected
	mov	$PEBS_FRONTEND, %ecx
	mov	$\selected, %eax
	call	write_register
	call	count_code
	MUST_COUNT \expected
	.endm

check_frontend:
	xor	%ebx, %ebx
	call	select			/* these writes must not enter the caches */
	mov	$LINES_CODE, %edi
	.rept	4
	call	make_code
	.endr
	mov	PART, %rsi
	mov	PART_FRONTEND(%rsi), %ebx
	or	$0x400000, %ebx
	call	select
	xor	%r14d, %r14d
	mov	$LINES_CODE, %r12d
	mov	$PEBS_FRONTEND, %ecx
	mov	$0x12, %eax
	call	write_register
	call	count_code
	FETCHES	0x12, 0
	add	$(CODE_LINES * LINE), %r12
	FETCHES	0x12, CODE_LINES
	add	$(CODE_LINES * LINE), %r12
	FETCHES	0x13, CODE_LINES
	add	$(CODE_LINES * LINE), %r12
	FETCHES	0x11, 0
	mov	%r14d, %eax
	mov	$name_frontend, %esi
	jmp	verdict
#endif

/* ---- what is expected ---------------------------------------------------- */
/* AMD's instructions and branches include delivered exceptions and interrupts. */
#ifdef AMD
#define DELIVERED(n)	n
#else
#define DELIVERED(n)	0
#endif
/* With the option iret, an IRET to user mode belongs to the user. */
#ifdef QUIRKS
#define RETURNS(n)	n
#else
#define RETURNS(n)	0
#endif
	.macro	CASE code, insns_os, insns_usr, branches_os, branches_usr, cycles, delivered=0, \
		returns=0
	.section .names, "a"
9:	.asciz	"\code"
	.previous
	.quad	9b, case_\code
	.quad	\insns_os + \delivered - \returns, \insns_usr + \returns
	.quad	\branches_os + \delivered - \returns, \branches_usr + \returns, \cycles
	.quad	0
	.endm

	.balign	8
table:
	/*	code		   instructions	branches	cycles	delivered
	 *				   OS USR   OS  USR  */
	CASE	nothing,		    4,  0,   0,  0,	    4
	CASE	loop,			 2005,  0, 1000, 0,	 2005
	CASE	near_branches,		   21,  0,  12,  0,	   21
	CASE	far_branches,		   11,  0,   4,  0,	   11
	CASE	software_interrupts,	    8,  0,   4,  0,	    8
	CASE	iret_to_user,		   13,  6,   2,  1,	   19, 0, RETURNS(1)
	CASE	sysret_syscall,		    8,  4,   2,  1,	   12
	CASE	fault_in_user,		   10,  1,   3,  1,	   11, DELIVERED(1), RETURNS(1)
#ifndef AMD	/* which has neither in 64-bit mode */
	CASE	sysexit_sysenter,	    9,  3,   2,  1,	   12
#endif
	CASE	rep_movs,		    9,  0,   0,  0,	  108
	CASE	rep_nothing,		    6,  0,   0,  0,	    6
	CASE	repe_stops,		    8,  0,   0,  0,	   11
	CASE	movs,			    7,  0,   0,  0,	    7
	CASE	prefixes,		    8,  0,   2,  0,	    8
	CASE	rep_faults,		   12,  0,   1,  0,	   43, DELIVERED(1)
	CASE	load_faults,		    9,  0,   1,  0,	    9, DELIVERED(1)
	CASE	undefined,		    6,  0,   1,  0,	    6, DELIVERED(1)
	CASE	rdpmc_faults,		    8,  0,   1,  0,	    8, DELIVERED(1)
	CASE	wrmsr_faults,		    8,  0,   1,  0,	    8, DELIVERED(1)
	CASE	single_step,		   10,  0,   1,  0,	   10, DELIVERED(1)
	CASE	special_instructions,	   11,  0,   0,  0,	   11
	CASE	hlt,			   10,  0,   1,  0,	   10, DELIVERED(1)
	CASE	rep_interrupted,	   13,  0,   1,  0,	100012, DELIVERED(1)
table_end:

	.section .names, "a"
#ifdef AMD
plan:		.asciz	"1..25\n"	/* without sysexit_sysenter, with name_host */
name_host:	.asciz	"the host's instructions without SVM"
#elif defined(ACR)
plan:		.asciz	"1..26\n"
name_reload:	.asciz	"counters are reloaded on the instruction of the overflow"
#elif defined(EXTRA_REGISTERS)
plan:		.asciz	"1.."		/* and a number, by print_plan */
name_reserved:	.asciz	"extra registers hold their bits, and reserved bits fault"
name_offcore:	.asciz	"an event counts what MSR_OFFCORE_RSP_0 selects"
name_frontend:	.asciz	"an event counts what MSR_PEBS_FRONTEND selects"
#else
plan:		.asciz	"1..25\n"
#endif
text_ok:	.asciz	"ok "
text_not_ok:	.asciz	"not ok "
text_dash:	.asciz	" - "
text_got:	.asciz	"# got "
text_expected:	.asciz	", expected "
text_well:	.asciz	"# all well\n"
text_bad:	.asciz	"# something failed\n"
text_shutdown:	.asciz	"Shutdown"
name_was_interrupted: .asciz "the string instruction was interrupted within"
#ifdef LATE
name_pmi:	.asciz	"the interrupt comes after the counter has been stopped"
#elif defined(QUIRKS)
name_pmi:	.asciz	"the interrupt comes exactly, does not mask itself, and comes again"
#elif defined(AMD)
name_pmi:	.asciz	"the interrupt comes exactly, once, and does not mask itself"
#else
name_pmi:	.asciz	"the interrupt comes exactly, once, and masks itself"
#endif

	.section .reset, "ax"
	.code16
	ljmp	$0xf000, $OFFSET(start16)
