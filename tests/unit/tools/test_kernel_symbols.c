// SPDX-License-Identifier: GPL-2.0-only
/* Tests of kernel-symbols.c: the function of a kernel address, from kallsyms and modules text */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "record/kernel-symbols.h"
#include "util/output.h"
#include "record/file.h"

/* Not linked: nothing here complains. */
int report_error(const char *format, ...)
{
	(void)format;
	abort();
}

static const char kallsyms[] =
	"0000000000000800 t low\n"
	"ffffffff81000200 t last\n"
	"ffffffff81000000 T _text\n"
	"ffffffff81000000 t startup\n"
	"ffffffff81000100 t aardvark\n"
	"ffffffff81000100 T both\n"
	"ffffffff81000100 W alias\n"
	"ffffffff81000180 D data\n"
	"ffffffff81000180\tT tab\n"
	"ffffffff81000180_T underscore\n"
	"ffffffff81000180 T\ttab\n"
	"ffffffff81000180 Tab\n"
	"0000000000000000 A percpu\n"
	"0000000000000000 T hidden\n"
	"nonsense\n"
	"\n"
	"ffffffffc0000000 t first_of_one\t[one]\n"
	"ffffffffc0000040 t last_of_one\t[one]\n"
	"ffffffffc0002000 t of_two\t[two]\n"
	"ffffffffc0007000 w at_end\t[ftrace]\n"
	"ffffffffc0008000 t of_bpf\t[bpf]\n"
	"ffffffffc0008100 T behind\n"
	"ffffffffc0009000 t [nameless]\n";

static const char modules[] =
	"zero 4096 0 - Live 0x0000000000000000\n"
	"one 4096 0 - Live 0xffffffffc0000000 (OE)\n"
	"two 8192 1 one, Live 0xffffffffc0002000\n"
	"three 4096 0 - Live 0xffffffffc0006000\n"
	"short\n";

static const struct record_kernel *look_up(struct byte_buffer *payload, const char *symbols,
					   const uint64_t *addresses, size_t num, bool found)
{
	FILE *first = fmemopen((char *)symbols, strlen(symbols), "r");
	FILE *second = fmemopen((char *)modules, strlen(modules), "r");

	assert_int_equal(kernel_symbols_add(payload, first, second, addresses, num), found);
	fclose(first);
	fclose(second);
	return (const struct record_kernel *)payload->data;
}

/* What address lies in which function; NULL for none */
static void lies_in(uint64_t address, const char *name, const char *module, uint64_t start,
		    uint64_t end)
{
	struct byte_buffer payload = { 0 };
	const struct record_kernel *kernel = look_up(&payload, kallsyms, &address, 1, true);
	const struct record_symbol *symbol = (const void *)(kernel + 1);
	const char *texts = (const char *)(symbol + kernel->num_symbols);

	assert_int_equal(payload.size, sizeof(*kernel) + kernel->texts_size +
			 kernel->num_symbols * sizeof(*symbol));
	assert_int_equal(kernel->num_symbols, name ? 1 : 0);
	if (name) {
		assert_string_equal(texts + symbol->name, name);
		assert_string_equal(texts + symbol->module, module);
		assert_int_equal(symbol->start, start);
		assert_int_equal(symbol->end, end);
	}
	byte_buffer_free(&payload);
}

static void one_address(void **state)
{
	(void)state;
	lies_in(0, NULL, NULL, 0, 0);
	/* a module with a hidden address does not end it */
	lies_in(0x1000, "low", "", 0x800, 0x100800);
	lies_in(0xffffffff80ffffff, NULL, NULL, 0, 0);
	lies_in(0xffffffff81000000, "_text", "", 0xffffffff81000000, 0xffffffff81000100);
	lies_in(0xffffffff810000ff, "_text", "", 0xffffffff81000000, 0xffffffff81000100);
	lies_in(0xffffffff81000100, "alias", "", 0xffffffff81000100, 0xffffffff81000200);
	/* data and lines of another format are no functions: alias goes on */
	lies_in(0xffffffff810001ff, "alias", "", 0xffffffff81000100, 0xffffffff81000200);
	/* nothing follows but modules */
	lies_in(0xffffffff81000200, "last", "", 0xffffffff81000200, 0xffffffff81100200);
	lies_in(0xffffffff81100200, NULL, NULL, 0, 0);
	/* modules, up to their ends */
	lies_in(0xffffffffc000003f, "first_of_one", "one", 0xffffffffc0000000, 0xffffffffc0000040);
	lies_in(0xffffffffc0000fff, "last_of_one", "one", 0xffffffffc0000040, 0xffffffffc0001000);
	lies_in(0xffffffffc0001000, NULL, NULL, 0, 0);
	lies_in(0xffffffffc0003fff, "of_two", "two", 0xffffffffc0002000, 0xffffffffc0004000);
	lies_in(0xffffffffc0004000, NULL, NULL, 0, 0);
	/* modules that /proc/modules does not have; the first is at the end of another one */
	lies_in(0xffffffffc0007000, "at_end", "ftrace", 0xffffffffc0007000, 0xffffffffc0008000);
	lies_in(0xffffffffc00080ff, "of_bpf", "bpf", 0xffffffffc0008000, 0xffffffffc0008100);
	lies_in(0xffffffffc0009000, "", "nameless", 0xffffffffc0009000, 0xffffffffc0109000);
	lies_in(UINT64_MAX, NULL, NULL, 0, 0);
}

/* Each function and each module once, in the order of addresses; the kernel behind a module */
static void several(void **state)
{
	static const uint64_t addresses[] = {
		1, 0xffffffff81000001, 0xffffffff81000002, 0xffffffffc0000001, 0xffffffffc0000041,
		0xffffffffc0001000, 0xffffffffc0002001, 0xffffffffc0008101,
	};
	static const char *const names[][2] = {
		{ "_text", "" }, { "first_of_one", "one" }, { "last_of_one", "one" },
		{ "of_two", "two" }, { "behind", "" },
	};
	static const char all[] = "\0_text\0one\0first_of_one\0last_of_one\0two\0of_two\0behind";
	struct byte_buffer payload = { 0 };
	const struct record_kernel *kernel = look_up(&payload, kallsyms, addresses,
						     ARRAY_SIZE(addresses), true);
	const struct record_symbol *symbol = (const void *)(kernel + 1);
	const char *texts = (const char *)(symbol + kernel->num_symbols);
	size_t i;

	(void)state;
	assert_int_equal(kernel->num_symbols, ARRAY_SIZE(names));
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		assert_string_equal(texts + symbol[i].name, names[i][0]);
		assert_string_equal(texts + symbol[i].module, names[i][1]);
	}
	assert_int_equal(kernel->texts_size, sizeof(all));
	assert_memory_equal(texts, all, sizeof(all));
	byte_buffer_free(&payload);
}

/* The kernel shows addresses as 0 to users without permission. */
static void hidden(void **state)
{
	uint64_t address = 0xffffffff81000000;
	struct byte_buffer payload = { 0 };

	(void)state;
	look_up(&payload, "0000000000000000 T _text\n0000000000000000 t startup\n", &address, 1,
		false);
	byte_buffer_free(&payload);
}

/* Without /proc/modules: the last function of a module ends at the next one. */
static void without_modules(void **state)
{
	uint64_t address = 0xffffffffc0001000;
	FILE *file = fmemopen((char *)kallsyms, strlen(kallsyms), "r");
	struct byte_buffer payload = { 0 };
	const struct record_symbol *symbol;

	(void)state;
	assert_true(kernel_symbols_add(&payload, file, NULL, &address, 1));
	fclose(file);
	symbol = (const void *)((const struct record_kernel *)payload.data + 1);
	assert_int_equal(symbol->end, 0xffffffffc0002000);
	byte_buffer_free(&payload);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_address),
		cmocka_unit_test(several),
		cmocka_unit_test(hidden),
		cmocka_unit_test(without_modules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
