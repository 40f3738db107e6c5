/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The two ends of a measured region: read all counters into struct pmc_region_state, from the
 * user page or by ioctl.
 *
 * Each run executes the same instructions, except for repetitions when the page changes; these
 * are counted, because each has the same cost. A repetition and the ioctl can be forced, to
 * measure their costs.
 *
 * In: rax (eax): struct pmc_region; overwritten. All other registers but the flags are preserved.
 */
#include "region.h"

#define PAGE_SEQUENCE	4
#define PAGE_RDPMC	64
#define PAGE_OFFSET	72
#define READ_FLAGS	4
#define READ_CPU	8
#define READ_NR		12
#define READ_VALUE	64

	.text

#ifdef __x86_64__

#define NR_ioctl	16

	.macro	read_end name, end
	.globl	\name
	.hidden	\name
	.type	\name, @function
	.balign	16
\name:
	endbr64
	push	%rcx
	push	%rdx
	push	%rsi
	push	%rdi
	push	%r8
	push	%r9
	push	%r11
	mov	REGION_STATE(%rax), %rdi
	movl	$0, REGION_RETRIES(%rdi)
	.if	\end == REGION_BEGIN
	movl	$0, REGION_ERROR(%rdi)
	.endif
1:	mov	REGION_PAGE(%rdi), %rsi
	mov	PAGE_SEQUENCE(%rsi), %r8d
	mov	%r8d, %r9d
	or	\end + END_FORCE_SLOW(%rdi), %r9d
	test	$1, %r9b
	jnz	3f
	movl	$0, \end + END_SLOW(%rdi)
	xor	%r9d, %r9d
2:	mov	PAGE_RDPMC(%rsi), %ecx
	rdpmc
	shl	$32, %rdx
	or	%rdx, %rax
	add	PAGE_OFFSET(%rsi), %rax
	mov	%rax, \end + END_VALUE(%rdi, %r9, 8)
	add	$16, %rsi
	inc	%r9d
	cmp	REGION_NR(%rdi), %r9d
	jne	2b
	mov	REGION_PAGE(%rdi), %rsi
	xor	PAGE_SEQUENCE(%rsi), %r8d
	or	\end + END_FORCE_RETRY(%rdi), %r8d
	movl	$0, \end + END_FORCE_RETRY(%rdi)
	jz	5f
	incl	REGION_RETRIES(%rdi)
	jmp	1b

3:	movl	$1, \end + END_SLOW(%rdi)
	mov	REGION_BUFFER(%rdi), %rdx
	mov	REGION_BUFFER_SIZE(%rdi), %eax
	mov	%eax, (%rdx)
	movl	$0, READ_FLAGS(%rdx)
	movl	$-1, READ_CPU(%rdx)
	movl	$0, READ_NR(%rdx)
	mov	%rdi, %r8
	mov	REGION_REQUEST(%r8), %esi
	mov	REGION_FD(%r8), %edi
	mov	$NR_ioctl, %eax
	syscall
	mov	%r8, %rdi
	or	%eax, REGION_ERROR(%rdi)
	xor	%r9d, %r9d
4:	mov	READ_VALUE(%rdx, %r9, 8), %rax
	mov	%rax, \end + END_VALUE(%rdi, %r9, 8)
	inc	%r9d
	cmp	REGION_NR(%rdi), %r9d
	jne	4b

5:	pop	%r11
	pop	%r9
	pop	%r8
	pop	%rdi
	pop	%rsi
	pop	%rdx
	pop	%rcx
	ret
	.size	\name, . - \name
	.endm

#else

#define NR_ioctl	54

	.macro	read_end name, end
	.globl	\name
	.hidden	\name
	.type	\name, @function
	.balign	16
\name:
	endbr32
	push	%ebx
	push	%ecx
	push	%edx
	push	%esi
	push	%edi
	push	%ebp
	mov	REGION_STATE(%eax), %edi
	movl	$0, REGION_RETRIES(%edi)
	.if	\end == REGION_BEGIN
	movl	$0, REGION_ERROR(%edi)
	.endif
1:	mov	REGION_PAGE(%edi), %esi
	mov	PAGE_SEQUENCE(%esi), %ebp
	mov	%ebp, %eax
	or	\end + END_FORCE_SLOW(%edi), %eax
	test	$1, %al
	jnz	3f
	movl	$0, \end + END_SLOW(%edi)
	xor	%ebx, %ebx
2:	mov	PAGE_RDPMC(%esi), %ecx
	rdpmc
	add	PAGE_OFFSET(%esi), %eax
	adc	PAGE_OFFSET + 4(%esi), %edx
	mov	%eax, \end + END_VALUE(%edi, %ebx, 8)
	mov	%edx, \end + END_VALUE + 4(%edi, %ebx, 8)
	add	$16, %esi
	inc	%ebx
	cmp	REGION_NR(%edi), %ebx
	jne	2b
	mov	REGION_PAGE(%edi), %esi
	xor	PAGE_SEQUENCE(%esi), %ebp
	or	\end + END_FORCE_RETRY(%edi), %ebp
	movl	$0, \end + END_FORCE_RETRY(%edi)
	jz	5f
	incl	REGION_RETRIES(%edi)
	jmp	1b

3:	movl	$1, \end + END_SLOW(%edi)
	mov	REGION_BUFFER(%edi), %edx
	mov	REGION_BUFFER_SIZE(%edi), %eax
	mov	%eax, (%edx)
	movl	$0, READ_FLAGS(%edx)
	movl	$-1, READ_CPU(%edx)
	movl	$0, READ_NR(%edx)
	mov	REGION_REQUEST(%edi), %ecx
	mov	REGION_FD(%edi), %ebx
	mov	$NR_ioctl, %eax
	int	$0x80
	or	%eax, REGION_ERROR(%edi)
	xor	%ebx, %ebx
4:	mov	READ_VALUE(%edx, %ebx, 8), %eax
	mov	READ_VALUE + 4(%edx, %ebx, 8), %ecx
	mov	%eax, \end + END_VALUE(%edi, %ebx, 8)
	mov	%ecx, \end + END_VALUE + 4(%edi, %ebx, 8)
	inc	%ebx
	cmp	REGION_NR(%edi), %ebx
	jne	4b

5:	pop	%ebp
	pop	%edi
	pop	%esi
	pop	%edx
	pop	%ecx
	pop	%ebx
	ret
	.size	\name, . - \name
	.endm

#endif

	read_end pmc_region_read_begin, REGION_BEGIN
	read_end pmc_region_read_end, REGION_END

	.section .note.GNU-stack, "", @progbits
