/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * symbols/kernel_symbols.h: the kernel's symbols come back at the address where a recording had it, whatever boot
 * they were kept in; no address is stored; hidden addresses are not kept; a module is known by its build-id, or by this loading.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "base/out.h"
#include "session/machine.h"
#include "symbols/kernel_symbols.h"
#include "symbols/symbol_index.h"

#define BASE 0xffffffff9a200000ULL
#define MODULE 0xffffffffc0a00000ULL
#define NR 1500

static char home[64];

static int make_home(void **state)
{
	(void)state;
	strcpy(home, "/tmp/assay-test-kernel-XXXXXX");
	if (!mkdtemp(home))
		return -1;
	setenv("XDG_CACHE_HOME", home, 1);
	unsetenv("ASSAY_CACHE");
	return 0;
}

static int remove_home(void **state)
{
	char *command = mem_printf("rm -rf %s", home);
	int status = system(command);

	(void)state;
	free(command);
	return status;
}

static struct build_id id_of(uint8_t n)
{
	uint8_t bytes[20];

	memset(bytes, n, sizeof(bytes));
	return build_id_of(bytes, sizeof(bytes));
}

/* A list of `nr` functions from `base` on, 64 bytes each, with _stext 16 bytes behind _text, and a module. `base` 0: hidden. */
static char *make_text(uint64_t base, int nr, size_t *size)
{
	uint64_t show = base ? UINT64_MAX : 0;
	struct out o;
	char *text;

	out_init(&o, -1);
	out_printf(&o, "%016llx A fixed_percpu_data\n", 0ULL);
	out_printf(&o, "%016llx D percpu\n", 64 & (unsigned long long)show);
	out_printf(&o, "%016llx T before\n", (unsigned long long)((base - 32) & show));
	out_printf(&o, "%016llx T _text\n%016llx T _stext\n", (unsigned long long)base, (unsigned long long)((base + 16) & show));
	for (int i = 1; i < nr; i++)
		out_printf(&o, "%016llx t function_%d\n", (unsigned long long)((base + 64ULL * i) & show), i);
	out_printf(&o, "%016llx t mod_a\t[mod]\n%016llx T mod_b\t[mod]\n%016llx d mod_data\t[mod]\n", (unsigned long long)(MODULE & show),
		   (unsigned long long)((MODULE + 0x40) & show), (unsigned long long)((MODULE + 0x4000) & show));
	out_printf(&o, "%016llx t bpf_prog_1\t[bpf]\n", (unsigned long long)((MODULE + 0x100000) & show));
	*size = o.len;
	text = mem_strndup(o.buf, o.len);
	out_fini(&o);
	return text;
}

static const char *name_at(const struct symtab *t, uint64_t addr)
{
	const struct symbol *s = symtab_find(t, addr);

	return s ? s->name : "none";
}

static void keep_kernel(const struct build_id *id, uint64_t base, int nr)
{
	struct kallsyms k = { 0 };
	size_t size;
	char *text = make_text(base, nr, &size);

	kallsyms_parse(&k, text, size, NULL, NULL);
	kernel_index_add(id, &k);
	kallsyms_close(&k);
	free(text);
}

/* Another boot has the kernel elsewhere; the index finds all at its new place. */
static void test_kernel(void **state)
{
	const uint64_t bases[] = { BASE, 0xffffffff81000000ULL, 0xffff800080010000ULL };
	struct build_id id = id_of(1), other = id_of(2);
	struct symtab *t;

	(void)state;
	assert_null(kernel_index_find(&id, "_text", BASE));
	keep_kernel(&id, BASE, NR);
	for (size_t i = 0; i < sizeof(bases) / sizeof(bases[0]); i++) {
		for (int mark = 0; mark < 2; mark++) {
			t = kernel_index_find(&id, mark ? "_stext" : "_text", bases[i] + (mark ? 16 : 0));
			assert_non_null(t);
			assert_string_equal(t->made_from, "index, made of /proc/kallsyms");
			assert_string_equal(name_at(t, bases[i] - 1), "before");
			assert_string_equal(name_at(t, bases[i]), "_text");
			assert_string_equal(name_at(t, bases[i] + 64 * 700 + 63), "function_700");
			assert_string_equal(name_at(t, bases[i] + 64 * (NR - 1)), "function_1499");
			assert_string_equal(name_at(t, bases[i] + 64 * NR + 8192), "none");
			/* What comes and goes is not the kernel's. */
			assert_string_equal(name_at(t, MODULE), "none");
			assert_string_equal(name_at(t, MODULE + 0x100000), "none");
			symtab_free(t);
		}
	}
	assert_null(kernel_index_find(&other, "_text", BASE));
	assert_null(kernel_index_find(&id, "_end", BASE));
	assert_null(kernel_index_find(&id, NULL, BASE));
	/* So high that its end would be at the beginning of the address space */
	assert_null(kernel_index_find(&id, "_text", 0ULL - 4096));
}

/* Zeros, and what is too little to be a kernel, are not kept. */
static void test_hidden(void **state)
{
	struct build_id id = id_of(3);
	struct symtab *t;

	(void)state;
	keep_kernel(&id, 0, NR);
	assert_null(kernel_index_find(&id, "_text", BASE));
	keep_kernel(&id, BASE, 20);
	assert_null(kernel_index_find(&id, "_text", BASE));
	keep_kernel(&id, BASE, NR);
	keep_kernel(&id, 0, NR);
	t = kernel_index_find(&id, "_text", BASE);
	assert_non_null(t);
	assert_string_equal(name_at(t, BASE + 64), "function_1");
	symtab_free(t);
}

/* A user who reads the index learns nothing of where the kernel is. */
static void test_no_addresses(void **state)
{
	char *command = mem_printf("cat %s/assay/*.idx", home), *bytes = mem_alloc(1 << 20);
	struct build_id id = id_of(4);
	struct kernel_index_module m = { .name = "mod", .id = id_of(5) };
	struct symtab *t = symtab_new();
	size_t size;
	FILE *f;

	(void)state;
	keep_kernel(&id, BASE, NR);
	symtab_add(t, MODULE, MODULE + 16, "mod_a", 5, SYMBOL_LOCAL, SYMBOL_FUNCTION);
	kernel_index_add_module(&m, t, MODULE);
	symtab_free(t);
	f = popen(command, "r");
	assert_non_null(f);
	size = fread(bytes, 1, 1 << 20, f);
	pclose(f);
	assert_true(size > 10000);
	for (size_t i = 0; i + 8 <= size; i++) {
		uint64_t v;

		memcpy(&v, bytes + i, sizeof(v));
		assert_false(v >= BASE && v < BASE + 64 * NR);
		assert_false(v >= MODULE && v < MODULE + 0x10000);
	}
	free(bytes);
	free(command);
}

static struct symtab *module_symbols(void)
{
	struct kallsyms k = { 0 };
	struct symtab *t;
	size_t size;
	char *text = make_text(BASE, NR, &size);

	assert_int_equal(kallsyms_parse(&k, text, size, NULL, NULL), 0);
	t = kallsyms_copy_module(&k, "mod", 0);
	kallsyms_close(&k);
	free(text);
	return t;
}

static void test_module(void **state)
{
	struct build_id boot = id_of(9), later = id_of(10);
	struct kernel_index_module m = { "mod", id_of(7), boot, 1234 }, same = { "mod", id_of(7), later, 77 };
	struct kernel_index_module rebuilt = { "mod", id_of(8), boot, 1234 }, renamed = { "mod2", id_of(7), boot, 1234 };
	struct symtab *t = module_symbols(), *found;

	(void)state;
	assert_int_equal(t->symbols.nr, 3);
	kernel_index_add_module(&m, t, MODULE);
	/* Another boot, another place: the build-id decides. */
	found = kernel_index_find_module(&same, 0xffffffffc1111000ULL);
	assert_non_null(found);
	assert_string_equal(name_at(found, 0xffffffffc1111000ULL), "mod_a");
	assert_string_equal(name_at(found, 0xffffffffc1111040ULL), "mod_b");
	symtab_free(found);
	assert_null(kernel_index_find_module(&rebuilt, MODULE));
	assert_null(kernel_index_find_module(&renamed, MODULE));
	/* Counted from its start */
	found = kernel_index_find_module(&m, 0);
	assert_string_equal(name_at(found, 0x40), "mod_b");
	symtab_free(found);
	symtab_free(t);
}

/* A recording that had kernel and module elsewhere, read without either being the running one. */
static void test_recording(void **state)
{
	const struct symbolizer_options opts = { 0 };
	struct record_header header = { .type = RECORD_MMAP2, .misc = MISC_KERNEL };
	struct build_id kernel = id_of(21), module = id_of(22);
	struct kernel_index_module kept = { "mod", module, id_of(9), 1 };
	struct record rec = { .header = &header };
	struct symtab *t = module_symbols();
	struct machine m;
	struct location at;

	(void)state;
	keep_kernel(&kernel, BASE, NR);
	kernel_index_add_module(&kept, t, MODULE);
	symtab_free(t);
	machine_init(&m, &opts);
	rec.mmap = (struct record_mmap){ .pid = UINT32_MAX,
					 .start = 0xffffffff81000000ULL,
					 .len = 0x200000,
					 .pgoff = 0xffffffff81000000ULL,
					 .filename = "[kernel.kallsyms]_text",
					 .build_id_size = kernel.size };
	memcpy(rec.mmap.build_id, kernel.bytes, kernel.size);
	machine_apply(&m, &rec);
	rec.mmap = (struct record_mmap){ .pid = UINT32_MAX,
					 .start = 0xffffffffc2000000ULL,
					 .len = 0x8000,
					 .filename = "/lib/modules/1/mod.ko",
					 .build_id_size = module.size };
	memcpy(rec.mmap.build_id, module.bytes, module.size);
	machine_apply(&m, &rec);
	at = machine_locate(&m, NULL, 0xffffffff81000000ULL + 64 * 5, MISC_KERNEL);
	assert_string_equal(name_at(dso_table_symbols(&m.dsos, at.dso), at.addr), "function_5");
	at = machine_locate(&m, NULL, 0xffffffffc2000050ULL, MISC_KERNEL);
	assert_string_equal(dso_table_get(&m.dsos, at.dso)->path, "[mod]");
	assert_string_equal(name_at(dso_table_symbols(&m.dsos, at.dso), at.addr), "mod_b");
	machine_fini(&m);
}

/* Without a build-id a module is known while it stays loaded. */
static void test_module_without_id(void **state)
{
	struct build_id boot = id_of(9), later = id_of(10), none = { 0 };
	struct kernel_index_module m = { "mod", none, boot, 1234 }, loaded_anew = { "mod", none, boot, 1235 };
	struct kernel_index_module rebooted = { "mod", none, later, 1234 }, unknown = { "mod", none, boot, 0 };
	struct symtab *t = module_symbols(), *found;

	(void)state;
	kernel_index_add_module(&unknown, t, MODULE);
	assert_null(kernel_index_find_module(&unknown, MODULE));
	kernel_index_add_module(&m, t, MODULE);
	found = kernel_index_find_module(&m, MODULE);
	assert_non_null(found);
	assert_string_equal(name_at(found, MODULE + 0x10), "mod_a");
	symtab_free(found);
	assert_null(kernel_index_find_module(&loaded_anew, MODULE));
	assert_null(kernel_index_find_module(&rebooted, MODULE));
	assert_null(kernel_index_find_module(&unknown, MODULE));
	symtab_free(t);
}

static void test_modules_list(void **state)
{
	static const char text[] = "nf_tables 372736 16 nft_compat, Live 0xffffffffc0a00000\n"
				   "hidden 4096 0 - Live 0x0000000000000000\n"
				   "taint 4096 1 a,b, Live 0xffffffffc0b00000 (OE)\n"
				   "../etc 4096 0 - Live 0xffffffffc0c00000\n"
				   "short 4096 0 - Live\n"
				   "odd 4096 0 - Live 0xzz\n"
				   "cut 4096 0 - Live 0xffffffffc0d00000";
	const size_t size = strlen(text);

	(void)state;
	assert_true(kernel_modules_find(text, size, "nf_tables") == 0xffffffffc0a00000ULL);
	assert_true(kernel_modules_find(text, size, "taint") == 0xffffffffc0b00000ULL);
	assert_true(kernel_modules_find(text, size, "hidden") == 0);
	assert_true(kernel_modules_find(text, size, "short") == 0);
	assert_true(kernel_modules_find(text, size, "odd") == 0);
	assert_true(kernel_modules_find(text, size, "cut") == 0);
	assert_true(kernel_modules_find(text, size, "") == 0);
	assert_int_equal(kernel_module_inode("../kernel"), 0);
	assert_int_equal(kernel_module_inode("no such module"), 0);
}

/* A UUID of the kernel's: 16 bytes, the same each time. */
static void test_boot_id(void **state)
{
	struct build_id a = kernel_index_boot_id(), b = kernel_index_boot_id();

	(void)state;
	if (access("/proc/sys/kernel/random/boot_id", R_OK) != 0)
		skip();
	assert_int_equal(a.size, 16);
	assert_true(build_id_equal(&a, &b));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_kernel, make_home, remove_home),
		cmocka_unit_test_setup_teardown(test_hidden, make_home, remove_home),
		cmocka_unit_test_setup_teardown(test_no_addresses, make_home, remove_home),
		cmocka_unit_test_setup_teardown(test_module, make_home, remove_home),
		cmocka_unit_test_setup_teardown(test_module_without_id, make_home, remove_home),
		cmocka_unit_test_setup_teardown(test_recording, make_home, remove_home),
		cmocka_unit_test(test_modules_list),
		cmocka_unit_test(test_boot_id),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
