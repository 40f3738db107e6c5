// SPDX-License-Identifier: GPL-2.0-only
/* Tests of entry_code.c: the SYSCALL and SYSENTER entries of Linux, and code that is none */
#include "unit.h"

#include "sampling/entry_code.h"

#define USER_CS		0x33

/* endbr64; swapgs; mov %rsp,%gs:...; mov %gs:...,%rsp */
#define BEGIN		0xf3, 0x0f, 0x1e, 0xfa, 0x0f, 0x01, 0xf8, \
			0x65, 0x48, 0x89, 0x24, 0x25, 0x14, 0x60, 0x00, 0x00, \
			0x65, 0x48, 0x8b, 0x24, 0x25, 0x0c, 0x60, 0x00, 0x00
/* push $__USER_DS; push %gs:...; push %r11; push $__USER_CS; push %rcx; push %rax */
#define PUSHES		0x6a, 0x2b, 0x65, 0xff, 0x34, 0x25, 0x14, 0x60, 0x00, 0x00, \
			0x41, 0x53, 0x6a, 0x33, 0x51, 0x50
/* pop %rdi; pop %rsp; swapgs; verw; sysretq */
#define END		0x5f, 0x5c, 0x0f, 0x01, 0xf8, 0x0f, 0x00, 0x2d, 1, 2, 3, 4, \
			0x48, 0x0f, 0x07

static void linux_6_1(void **state)
{
	const uint8_t code[PMC_ENTRY_CODE_SIZE] = { BEGIN, PUSHES, 0x90, 0x90, END };
	struct pmc_entry_code found;

	assert_true(pmc_entry_code_find(&found, code, USER_CS));
	assert_int_equal(0x51, code[found.pushed]);
	assert_int_equal(25 + 14, found.pushed);
	/* SWAPGS, which follows POP RSP, to SYSRET */
	assert_int_equal(25 + 16 + 2 + 2, found.exit);
	assert_int_equal(25 + 16 + 2 + 12, found.exit_end);
	/* another code segment: that of 32-bit programs */
	assert_false(pmc_entry_code_find(&found, code, 0x23));
}

/* Without an exit, no offset is between the two. */
static void no_exit(void **state)
{
	const uint8_t code[PMC_ENTRY_CODE_SIZE] = { BEGIN, PUSHES };
	const uint8_t half[PMC_ENTRY_CODE_SIZE] = { BEGIN, PUSHES, 0x5f, 0x5c, 0x0f, 0x01, 0xf8 };
	struct pmc_entry_code found = { .exit = 0, .exit_end = ~0UL };

	assert_true(pmc_entry_code_find(&found, code, USER_CS));
	assert_true(found.exit > found.exit_end);
	found.exit = 0;
	assert_true(pmc_entry_code_find(&found, half, USER_CS));
	assert_true(found.exit > found.exit_end);
}

/* The pushes end with the last byte, or one behind it. */
static void at_the_end(void **state)
{
	static const uint8_t pushes[] = { 0x41, 0x53, 0x6a, 0x33, 0x51 };
	uint8_t code[PMC_ENTRY_CODE_SIZE + 1] = {};
	struct pmc_entry_code found;

	memcpy(code + PMC_ENTRY_CODE_SIZE - 5, pushes, 5);
	assert_true(pmc_entry_code_find(&found, code, USER_CS));
	assert_int_equal(PMC_ENTRY_CODE_SIZE - 1, found.pushed);
	memset(code, 0, sizeof(code));
	memcpy(code + PMC_ENTRY_CODE_SIZE - 4, pushes, 5);
	assert_false(pmc_entry_code_find(&found, code, USER_CS));
}

/* They are the first bytes. */
static void at_the_beginning(void **state)
{
	const uint8_t code[PMC_ENTRY_CODE_SIZE] = { 0x41, 0x53, 0x6a, 0x33, 0x51 };
	struct pmc_entry_code found;

	assert_true(pmc_entry_code_find(&found, code, USER_CS));
	assert_int_equal(4, found.pushed);
}

/* SYSENTER's: up to where it has begun a frame on the task's stack */
static void sysenter(void **state)
{
	/* Linux 6.12, 64 bits */
	const uint8_t code[PMC_ENTRY_CODE_SIZE] = {
		0xf3, 0x0f, 0x1e, 0xfa, 0x0f, 0x01, 0xf8, 0x50, 0xeb, 0x11, 0x0f, 0x20, 0xd8,
		0x90, 0x90, 0x90, 0x90, 0x90, 0x48, 0x25, 0xff, 0xe7, 0xff, 0xff, 0x0f, 0x22, 0xd8,
		0x58, 0x65, 0x48, 0x8b, 0x25, 0x44, 0x30, 0x23, 0x7e,
		0x6a, 0x2b, 0x6a, 0x00, 0x9c, 0x6a, 0x23, 0x6a, 0x00,
	};
	/* Linux 6.1, 32 bits */
	const uint8_t code32[PMC_ENTRY_CODE_SIZE] = {
		0x9c, 0x50, 0xeb, 0x17, 0x0f, 0x20, 0xd8, 0xa9, 0x00, 0x10, 0x00, 0x00, 0x74, 0x0d,
		0x25, 0xff, 0xef, 0xff, 0xff, 0x0f, 0x22, 0xd8, 0x0d, 0x00, 0x10, 0x00, 0x00,
		0x58, 0x9d, 0x8b, 0xa4, 0x24, 0x0c, 0x20, 0x00, 0x00,
		0x6a, 0x7b, 0x6a, 0x00, 0x9c, 0x6a, 0x73, 0x6a, 0x00,
	};
	uint8_t other[PMC_ENTRY_CODE_SIZE];
	size_t i;

	assert_int_equal(41, pmc_entry_code_find_sysenter(code, 0x2b));
	assert_int_equal(41, pmc_entry_code_find_sysenter(code32, 0x7b));
	assert_int_equal(0, pmc_entry_code_find_sysenter(code, 0x7b));
	assert_int_equal(0, pmc_entry_code_find_sysenter(code32, 0x2b));
	/* the first bytes */
	memset(other, 0, sizeof(other));
	memcpy(other, code + 36, 5);
	assert_int_equal(5, pmc_entry_code_find_sysenter(other, 0x2b));
	for (i = 36; i < 41; i++) {
		memcpy(other, code, sizeof(other));
		other[i] ^= 0x80;
		assert_int_equal(0, pmc_entry_code_find_sysenter(other, 0x2b));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(linux_6_1),
		cmocka_unit_test(no_exit),
		cmocka_unit_test(at_the_end),
		cmocka_unit_test(at_the_beginning),
		cmocka_unit_test(sysenter),
	};

	return cmocka_run_group_tests_name("entry_code", tests, NULL, NULL);
}
