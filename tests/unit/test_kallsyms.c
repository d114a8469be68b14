/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * symbols/kernel_symbols.h: which lines count, modules, shifts, hidden addresses; and the list of the
 * running kernel.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "symbols/elf_file.h"
#include "symbols/kernel_symbols.h"
#include "symbols/symbolizer.h"

static const char small[] = "ffffffff81000000 T _stext\n"
			    "ffffffff81000000 T _text\n"
			    "ffffffff81000100 t static_fn\n"
			    "ffffffff81000200 W weak_fn\n"
			    "ffffffff81000200 T strong\n"
			    "ffffffff81000300 D some_data\n"
			    "ffffffff81000400 R read_only\n"
			    "ffffffff81000500 A absolute\n"
			    "ffffffff81000600 t $x\n"
			    "no line at all\n"
			    "ffffffff81000700 b last_bss\n"
			    "ffffffffc0200000 t ext4_read\t[ext4]\n"
			    "ffffffffc0200100 T ext4_write\t[ext4]\n"
			    "ffffffffc0300000 t ext4x_fn\t[ext4x]\n"
			    "ffffffffc0400000 t cut_li";

static const char *name_at(const struct symtab *t, uint64_t addr)
{
	const struct symbol *s = symtab_find(t, addr);

	return s ? s->name : "none";
}

static void test_lines(void **state)
{
	char *text = mem_strdup(small);
	struct kallsyms k = { 0 };
	struct symtab *t;

	(void)state;
	assert_int_equal(kallsyms_parse(&k, text, strlen(text), "_stext", NULL), 0);
	assert_true(k.ref_addr == 0xffffffff81000000);
	t = kallsyms_take_kernel(&k, 0);
	assert_null(kallsyms_take_kernel(&k, 0));
	assert_string_equal(name_at(t, 0xffffffff81000010), "_text");
	assert_string_equal(name_at(t, 0xffffffff810001ff), "static_fn");
	assert_string_equal(name_at(t, 0xffffffff81000200), "strong");
	assert_string_equal(name_at(t, 0xffffffff81000650), "some_data");
	/* The last symbol before the modules ends with its page, not at the module. */
	assert_string_equal(name_at(t, 0xffffffff81001fff), "last_bss");
	assert_string_equal(name_at(t, 0xffffffff81003000), "none");
	assert_string_equal(name_at(t, 0xffffffffc0200000), "none");
	symtab_free(t);

	t = kallsyms_copy_module(&k, "ext4", 0);
	assert_int_equal(t->symbols.nr, 2);
	assert_string_equal(name_at(t, 0xffffffffc0200000), "ext4_read");
	assert_string_equal(name_at(t, 0xffffffffc0200150), "ext4_write");
	symtab_free(t);
	t = kallsyms_copy_module(&k, "ext4", 0x1000000);
	assert_string_equal(name_at(t, 0xffffffffc1200000), "ext4_read");
	symtab_free(t);
	t = kallsyms_copy_module(&k, "ext", 0);
	assert_int_equal(t->symbols.nr, 0);
	symtab_free(t);
	kallsyms_close(&k);
	free(text);
}

static void test_shift(void **state)
{
	char *text = mem_strdup(small);
	struct kallsyms k = { 0 };
	struct symtab *t;

	(void)state;
	assert_int_equal(kallsyms_parse(&k, text, strlen(text), "_text", NULL), 0);
	t = kallsyms_take_kernel(&k, 0xffffffff9a000000 - k.ref_addr);
	assert_string_equal(name_at(t, 0xffffffff9a000180), "static_fn");
	assert_string_equal(name_at(t, 0xffffffff81000180), "none");
	symtab_free(t);
	kallsyms_close(&k);
	free(text);
}

static void test_hidden(void **state)
{
	char text[] = "0000000000000000 T _text\n0000000000000000 t foo\n";
	struct errbuf eb = { 0 };
	struct kallsyms k = { 0 };

	(void)state;
	assert_int_equal(kallsyms_parse(&k, text, strlen(text), NULL, &eb), -EACCES);
	assert_non_null(strstr(eb.text, "sysctl kernel.kptr_restrict=0"));
	kallsyms_close(&k);
}

static void test_not_kallsyms(void **state)
{
	struct errbuf eb = { 0 };
	struct kallsyms k;

	(void)state;
	assert_int_equal(kallsyms_open(&k, "/proc/self/status", NULL, &eb), -EBADMSG);
	assert_non_null(strstr(eb.text, "/proc/self/status"));
	errbuf_clear(&eb);
	assert_int_equal(kallsyms_open(&k, "/nonexistent", NULL, &eb), -ENOENT);
	kallsyms_close(&k);
}

/* Through the door, with a file of the person's and one reading for several modules. */
static void test_symbolizer(void **state)
{
	char path[] = "/tmp/assay-test-XXXXXX";
	struct symbolizer_options opts = { .kallsyms = path, .cache = symbolizer_cache_new() };
	struct module_ref kernel = {
		.kind = MODULE_KERNEL, .path = "[kernel.kallsyms]", .kernel_start = 0xffffffff90000000, .kernel_ref_name = "_text"
	};
	/* A module's symbols are counted from where it begins. */
	struct module_ref module = { .kind = MODULE_KMODULE, .path = "[ext4]", .kernel_start = 0xffffffffc0200000 };
	struct errbuf eb = { 0 };
	struct symtab *t;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(io_write(fd, small, strlen(small), NULL), 0);
	close(fd);
	assert_int_equal(symbolizer_load(&opts, &kernel, &t, &eb), 0);
	assert_string_equal(name_at(t, 0xffffffff90000100), "static_fn");
	assert_false(t->mangled);
	symtab_free(t);
	unlink(path);
	assert_int_equal(symbolizer_load(&opts, &module, &t, &eb), 0);
	assert_string_equal(name_at(t, 0), "ext4_read");
	symtab_free(t);
	module.path = "/lib/modules/6.1.0/kernel/fs/ext4x.ko.xz";
	assert_int_equal(symbolizer_load(&opts, &module, &t, &eb), 0);
	assert_string_equal(name_at(t, 0x100000), "ext4x_fn");
	symtab_free(t);
	assert_string_equal(eb.text, "");
	module.path = "[none]";
	assert_int_equal(symbolizer_load(&opts, &module, &t, &eb), 0);
	assert_int_equal(t->symbols.nr, 0);
	assert_non_null(strstr(eb.text, "none"));
	symtab_free(t);
	symbolizer_cache_free(opts.cache);
}

static void test_running_kernel(void **state)
{
	struct kallsyms k;
	struct symtab *t;

	(void)state;
	if (kallsyms_open(&k, "/proc/kallsyms", "_stext", NULL)) /* arm64 lists no _text */
		skip();
	t = kallsyms_take_kernel(&k, 0);
	assert_true(t->symbols.nr > 1000);
	assert_true(k.ref_addr != 0);
	assert_non_null(symtab_find(t, k.ref_addr));
	assert_string_equal(t->made_from, "/proc/kallsyms");
	symtab_free(t);
	kallsyms_close(&k);
}

/* Without a build-id on the recording's side, this kernel's symbols are those of a recording only where it lay at the same place, and nothing
 * says that it is of another machine. */
static void test_kernel_without_build_id(void **state)
{
	static const struct origin elsewhere = { .place = ORIGIN_OTHER_MACHINE, .why = "it was recorded on host 'a', this is 'b'" };
	static const struct origin renamed = { .place = ORIGIN_OTHER_MACHINE, .is_same_kernel = true, .why = "another host" };
	struct symbolizer_options opts = { 0 };
	struct module_ref ref = { .kind = MODULE_KERNEL, .path = "[kernel.kallsyms]", .kernel_ref_name = "_stext" };
	struct build_id running = build_id_of_kernel();
	struct errbuf eb = { 0 };
	struct kallsyms k;
	struct symtab *t;

	(void)state;
	if (!running.size || kallsyms_open(&k, "/proc/kallsyms", "_stext", NULL))
		skip();
	ref.kernel_start = k.ref_addr;
	kallsyms_close(&k);
	assert_int_equal(symbolizer_load(&opts, &ref, &t, &eb), 0);
	assert_true(t->symbols.nr > 1000);
	symtab_free(t);
	errbuf_clear(&eb);

	ref.kernel_start += 0x200000;
	assert_int_equal(symbolizer_load(&opts, &ref, &t, &eb), 0);
	assert_int_equal(t->symbols.nr, 0);
	assert_non_null(strstr(eb.text, "_stext was at 0x"));
	symtab_free(t);
	errbuf_clear(&eb);

	ref.kernel_start = 0;
	assert_int_equal(symbolizer_load(&opts, &ref, &t, &eb), 0);
	assert_int_equal(t->symbols.nr, 0);
	assert_non_null(strstr(eb.text, "does not say which kernel"));
	symtab_free(t);
	errbuf_clear(&eb);

	ref.kernel_start = k.ref_addr;
	ref.origin = &elsewhere;
	assert_int_equal(symbolizer_load(&opts, &ref, &t, &eb), 0);
	assert_int_equal(t->symbols.nr, 0);
	assert_non_null(strstr(eb.text, "host 'a', this is 'b'"));
	symtab_free(t);

	/* Its build-id is proof, wherever it ran and lay. */
	ref.origin = &renamed;
	ref.kernel_start = k.ref_addr + 0x200000;
	memcpy(ref.build_id, running.bytes, running.size);
	ref.build_id_size = running.size;
	assert_int_equal(symbolizer_load(&opts, &ref, &t, &eb), 0);
	assert_true(t->symbols.nr > 1000);
	assert_non_null(symtab_find(t, ref.kernel_start));
	symtab_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_shift),
		cmocka_unit_test(test_hidden),
		cmocka_unit_test(test_not_kallsyms),
		cmocka_unit_test(test_symbolizer),
		cmocka_unit_test(test_running_kernel),
		cmocka_unit_test(test_kernel_without_build_id),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
