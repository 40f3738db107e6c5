/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Firmware that runs hand-counted programs in 32-bit protected mode and reports TAP
 *
 * For processors without 64-bit mode. Each line of table32.S names a program, an event, and
 * how often the program makes it occur. Like cases.S, the firmware starts at the reset vector,
 * sets up paging, runs the lines for its processor, and writes TAP to port E9H. The numbers
 * were counted by hand from the definitions in ../README.md.
 */

/* Memory layout. */
#define GDT		0x500
#define PAGE_DIR	0x1000
#define PT_LOW		0x2000		/* the first 4 MB */
#define PT_TEST		0x3000		/* 4 MB from TEST on */
#define PT_APIC		0x4000		/* where the local APIC is */
#define IDT		0x6000
#define TSS		0x7000
#define VARS		0x8000
#define STACK		0x20000
#define STACK_INT	0x24000		/* TSS.ESP0 */
#define STACK_INT1	0x26000		/* TSS.ESP1 */
#define STACK_USER	0x28000

#define SAVED_ESP	(VARS + 0x00)	/* to return from user mode */
#define RESUME		(VARS + 0x04)	/* to return from user mode */
#define FAILED		(VARS + 0x08)
#define NUMBER		(VARS + 0x0c)
#define SIGNATURE	(VARS + 0x10)	/* CPUID.01H:EAX */
#define THIS		(VARS + 0x14)	/* the type of processor, K_* */
#define CONTROL		(VARS + 0x18)	/* value of the control register */
#define GOT		(VARS + 0x20)
#define SEEN		(VARS + 0x30)	/* what a handler read */
#define PMIS		(VARS + 0x38)
#define SKIP		(VARS + 0x3c)	/* bytes of a faulting instruction */

#define TEST		0x800000
#define LARGE		0x1000000	/* the memory of TEST, in one page */
#define NOWHERE		0x3000000
#define UNCACHED	(TEST + 0x300000)	/* an uncached page */
#define TOUCHED		(TEST + 0x301000)	/* its PTE changes */
#define PTE(page)	(PT_TEST + 4 * (((page) - TEST) >> 12))

#define KERNEL_CS	0x08
#define KERNEL_SS	0x10
#define USER_CS		0x18
#define USER_SS		0x20
#define TSS_SEL		0x28
#define RING1_CS	0x30
#define RING1_SS	0x38
#define FRESH_DS	0x40		/* a descriptor without its accessed bit */
#define CODE16_CS	0x48

#define APIC		0xfee00000
#define VECTOR_TIMER	0x40
#define VECTOR_PMI	0x50

/* Types of processors. */
#define K_PENTIUM	0x01
#define K_MMX		0x02
#define K_P2		0x04
#define K_P3		0x08
#define K_CORE_DUO	0x10
#define K_P5		(K_PENTIUM | K_MMX)
#define K_P6		(K_P2 | K_P3)

#define CESR		0x11
#define EVNTSEL0	0x186

/*
 * A line: processor types, name, program, select, counter, expected number. select is one half
 * of CESR or the event select without the enable bit.
 */
#define LINE		24
#define L_NAME		4
#define L_CODE		8
#define L_SELECT	12
#define L_COUNTER	16
#define L_EXPECTED	20

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
	/* copy the descriptors to writable memory */
	mov	$OFFSET(gdt_start), %si
	mov	$GDT, %di
	mov	$(gdt_end - gdt_start), %cx
	rep movsb %cs:(%si), %es:(%di)
	/* map twice 4 MB with 4 KB pages, accessible in user mode */
	movl	$(PT_LOW | 0x27), PAGE_DIR
	movl	$(PT_TEST | 0x27), PAGE_DIR + 4 * (TEST >> 22)
	mov	$PT_LOW, %di
	mov	$0x67, %eax		/* accessed, dirty */
	mov	$1024, %cx
1:	mov	%eax, (%di)
	add	$0x1000, %eax
	add	$4, %di
	loop	1b
	mov	$PT_TEST, %di
	mov	$(TEST | 0x67), %eax
	mov	$1024, %cx
1:	mov	%eax, (%di)
	add	$0x1000, %eax
	add	$4, %di
	loop	1b

	lgdtl	%cs:OFFSET(gdt_register)
	mov	$PAGE_DIR, %eax
	mov	%eax, %cr3
	mov	$0x80000011, %eax	/* PG, ET, PE */
	mov	%eax, %cr0
	ljmpl	$KERNEL_CS, $start32

	.balign	8
gdt_start:
	.quad	0
	.quad	0x00cf9b000000ffff	/* 08 kernel code */
	.quad	0x00cf93000000ffff	/* 10 kernel data */
	.quad	0x00cffb000000ffff	/* 18 user code */
	.quad	0x00cff3000000ffff	/* 20 user data */
	.quad	0x0000890000000067 | TSS << 16
	.quad	0x00cfbb000000ffff	/* 30 ring 1 code */
	.quad	0x00cfb3000000ffff	/* 38 ring 1 data */
	.quad	0x00cff2000000ffff	/* 40 data, not yet accessed */
	.quad	0x00009b0f0000ffff	/* 48 16-bit code of the firmware */
gdt_end:
gdt_register:
	.word	gdt_end - gdt_start - 1
	.long	GDT

/* ------------------------------------------------------------------------- */
	.code32
start32:
	mov	$KERNEL_SS, %eax
	mov	%eax, %ss
	/* accessible in ring 3: a change of privilege would otherwise clear them */
	mov	$(USER_SS | 3), %eax
	mov	%eax, %ds
	mov	%eax, %es
	mov	$STACK, %esp
	movl	$STACK_INT, TSS + 4
	movl	$KERNEL_SS, TSS + 8
	mov	$TSS_SEL, %eax
	ltr	%ax
	movl	$2, SKIP
	call	set_gates
	call	set_timer
	orl	$0x10, PTE(UNCACHED)	/* PCD */
	call	find_processor
	call	make_cacheable
	/* number of table lines for this processor */
	mov	$table, %ebx
	xor	%eax, %eax
1:	mov	THIS, %ecx
	test	%ecx, (%ebx)
	jz	2f
	inc	%eax
2:	add	$LINE, %ebx
	cmp	$table_end, %ebx
	jb	1b
	push	%eax
	mov	$text_plan, %esi
	call	print
	pop	%eax
	call	print_number
	mov	$'\n', %al
	out	%al, $0xe9
	mov	$table, %ebx
3:	mov	THIS, %ecx
	test	%ecx, (%ebx)
	jz	4f
	push	%ebx
	call	run_line
	pop	%ebx
4:	add	$LINE, %ebx
	cmp	$table_end, %ebx
	jb	3b
	cmpl	$0, FAILED
	mov	$text_well, %esi
	je	5f
	mov	$text_bad, %esi
5:	call	print
	/* Bochs' shutdown port */
	mov	$text_shutdown, %esi
	mov	$0x8900, %edx
6:	lodsb
	out	%al, (%dx)
	test	%al, %al
	jnz	6b
7:	hlt
	jmp	7b

	.macro	WRMSR_ msr, low, high=0
	mov	$\msr, %ecx
	mov	$\low, %eax
	mov	$\high, %edx
	wrmsr
	.endm

	.macro	LIDT_ base, limit
	pushl	$\base
	pushw	$\limit
	lidt	(%esp)
	add	$6, %esp
	.endm

	.macro	GATE vector, handler, type
	mov	$\vector, %edi
	mov	$\handler, %eax
	mov	$\type, %edx
	call	set_gate
	.endm

/* EDI vector, EAX handler, EDX type */
set_gate:
	shl	$3, %edi
	add	$IDT, %edi
	mov	%ax, (%edi)
	movw	$KERNEL_CS, 2(%edi)
	mov	%dx, 4(%edi)
	shr	$16, %eax
	mov	%ax, 6(%edi)
	ret

set_gates:
	GATE	0x03, handle_plain, 0xee00
	GATE	0x06, handle_undefined, 0x8e00
	GATE	0x0d, handle_protection, 0x8e00
	GATE	0x0e, handle_protection, 0x8e00
	GATE	VECTOR_TIMER, handle_timer, 0x8e00
	GATE	VECTOR_PMI, handle_pmi, 0x8e00
	GATE	0x80, handle_plain, 0xee00
	GATE	0x81, handle_leave, 0xee00
	LIDT_	IDT, 0x7ff
	ret

	.macro	OUT_ port, value
	mov	$\value, %al
	out	%al, $\port
	.endm

/* Interrupt controllers: vectors from VECTOR_TIMER on, only the timer unmasked. */
set_timer:
	OUT_	0x20, 0x11
	OUT_	0x21, VECTOR_TIMER
	OUT_	0x21, 0x04
	OUT_	0x21, 0x01
	OUT_	0x21, 0xfe
	OUT_	0xa1, 0xff
	ret

/* A single interrupt, soon. */
start_timer:
	OUT_	0x43, 0x30
	OUT_	0x40, 0x00
	OUT_	0x40, 0x01
	ret

/* Set THIS by family and model. */
find_processor:
	mov	$1, %eax
	cpuid
	mov	%eax, SIGNATURE
	shr	$4, %eax
	and	$0xff, %eax
	mov	$kinds, %esi
1:	cmp	(%esi), %eax
	je	2f
	add	$8, %esi
	cmp	$kinds_end, %esi
	jb	1b
	mov	$text_unknown, %esi
	call	print
	hlt
2:	mov	4(%esi), %eax
	mov	%eax, THIS
	ret

/* As firmware does: memory is cached except where page tables disable it. */
make_cacheable:
	testl	$K_P5, THIS
	jnz	1f
	WRMSR_	0x2ff, 0x806		/* MTRRs enabled, write-back */
1:	ret

	.balign	4
kinds:
	.long	0x52, K_PENTIUM, 0x54, K_MMX, 0x63, K_P2, 0x67, K_P3
	.long	0x6e, K_CORE_DUO
kinds_end:

/* ---- handlers, with the number of instructions and branches of each ------ */
handle_plain:		/* 1, 1 */
	iret
handle_undefined:	/* 2, 1 */
	addl	$2, (%esp)
	iret
handle_protection:	/* 6, 1 */
	add	$4, %esp
	push	%eax
	mov	SKIP, %eax
	add	%eax, 4(%esp)
	pop	%eax
	iret
handle_timer:		/* 3, 1; one I/O write */
	mov	$0x20, %al
	out	%al, $0x20
	iret
handle_leave:		/* 2, 1: out of user mode */
	mov	SAVED_ESP, %esp
	jmp	*RESUME

handle_pmi:
	incl	PMIS
	push	%eax
	mov	4(%esp), %eax
	mov	%eax, SEEN
	mov	APIC + 0x340, %eax
	mov	%eax, SEEN + 4
	movl	$0, APIC + 0xb0		/* end of interrupt */
	pop	%eax
	iret

/* ------------------------------------------------------------------------- */
/* ESI: text */
print:
	lodsb
	test	%al, %al
	jz	1f
	out	%al, $0xe9
	jmp	print
1:	ret

/* EAX: a number, in decimal */
print_number:
	xor	%ecx, %ecx
	mov	$10, %ebx
1:	xor	%edx, %edx
	div	%ebx
	push	%edx
	inc	%ecx
	test	%eax, %eax
	jnz	1b
2:	pop	%eax
	add	$'0', %al
	out	%al, $0xe9
	loop	2b
	ret

/* ---- one line ------------------------------------------------------------ */

/*
 * EBX: the line. On return EBP is the control register, CONTROL its value for START, both
 * counters are 0 and stopped.
 */
set_up:
	testl	$K_P5, THIS
	jnz	1f
	/* P6: EN of PerfEvtSel0 enables both counters; Core Duo: one EN for each */
	WRMSR_	EVNTSEL0, 0
	WRMSR_	EVNTSEL0 + 1, 0
	WRMSR_	0xc1, 0
	WRMSR_	0xc2, 0
	mov	$EVNTSEL0, %ebp
	mov	L_SELECT(%ebx), %eax
	or	$0x400000, %eax
	mov	%eax, CONTROL
	cmpl	$0, L_COUNTER(%ebx)
	je	2f
	inc	%ebp
	testl	$K_CORE_DUO, THIS
	jnz	2f
	/* counter 1 of a P6 is programmed now and started by counter 0's EN */
	xor	$0x400000, %eax
	xor	%edx, %edx
	mov	%ebp, %ecx
	wrmsr
	movl	$0x400000, CONTROL
	dec	%ebp
	ret
1:	WRMSR_	CESR, 0
	WRMSR_	0x12, 0
	WRMSR_	0x13, 0
	mov	$CESR, %ebp
	mov	L_SELECT(%ebx), %eax
	cmpl	$0, L_COUNTER(%ebx)
	je	3f
	shl	$16, %eax
3:	mov	%eax, CONTROL
2:	ret

/* EBX: the line. EDX:EAX: its counter. */
read_counter:
	mov	$0x12, %ecx
	testl	$K_P5, THIS
	jnz	1f
	mov	$0xc1, %ecx
1:	add	L_COUNTER(%ebx), %ecx
	rdmsr
	ret

run_line:
	call	set_up
	push	%ebx
	call	*L_CODE(%ebx)
	pop	%ebx
	call	read_counter
	mov	%eax, GOT
	mov	$text_ok, %esi
	test	%edx, %edx
	jnz	1f
	cmp	L_EXPECTED(%ebx), %eax
	je	2f
1:	incl	FAILED
	mov	$text_not_ok, %esi
2:	push	%ebx
	call	print
	incl	NUMBER
	mov	NUMBER, %eax
	call	print_number
	mov	$text_dash, %esi
	call	print
	pop	%ebx
	mov	L_NAME(%ebx), %esi
	call	print
	mov	$'\n', %al
	out	%al, $0xe9
	mov	GOT, %eax
	cmp	L_EXPECTED(%ebx), %eax
	je	3f
	push	%ebx
	mov	$text_got, %esi
	call	print
	mov	GOT, %eax
	call	print_number
	mov	$text_expected, %esi
	call	print
	pop	%ebx
	mov	L_EXPECTED(%ebx), %eax
	call	print_number
	mov	$'\n', %al
	out	%al, $0xe9
3:	ret

#include "programs32.S"
#include "table32.S"

	.section .names, "a"
text_plan:	.asciz	"1.."
text_ok:	.asciz	"ok "
text_not_ok:	.asciz	"not ok "
text_dash:	.asciz	" - "
text_got:	.asciz	"# got "
text_expected:	.asciz	", expected "
text_well:	.asciz	"# all well\n"
text_bad:	.asciz	"# something failed\n"
text_unknown:	.asciz	"1..0\n# a processor that is not in the list\n"
text_shutdown:	.asciz	"Shutdown"

	.section .reset, "ax"
	.code16
	ljmp	$0xf000, $OFFSET(start16)
