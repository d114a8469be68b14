/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * symbols/dwarf_*, source_info.h: the functions and lines of known places in a small library, which tests/unit/meson.build compiles in
 * many ways (fixtures/: DWARF 2 to 5, split, compressed, gcc and clang), the index, and files that are cut.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "symbols/source_info.h"
#include "symbols/symbol_readers.h"

struct place {
	const char *function;
	const char *file; /* its end */
	uint32_t line;
};

struct probe {
	const char *name;
	struct place places[4];
};

static const struct probe probes[] = {
	{ "probe_flat", { { "outer", "fixtures/inlines.c", 34 } } },
	{ "probe_deep",
	  { { "innermost", "fixtures/inlines.c", 23 }, { "middle", "fixtures/inlines.c", 28 }, { "outer", "fixtures/inlines.c", 35 } } },
	{ "probe_header", { { "from_header", "fixtures/other.h", 52 }, { "elsewhere", "fixtures/inlines.c", 62 } } },
	{ "probe_last", { { "last", "fixtures/inlines.c", 68 } } },
};

/* The directory of the compiled fixtures: beside this program. */
static char *fixtures_dir(void)
{
	char exe[4096];
	ssize_t len = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	assert_true(len > 0);
	exe[len] = 0;
	*strrchr(exe, '/') = 0;
	return mem_printf("%s/fixtures", exe);
}

static bool ends_with(const char *s, const char *end)
{
	size_t len = strlen(s), end_len = strlen(end);

	return len >= end_len && strcmp(s + len - end_len, end) == 0;
}

static struct source_info *open_file(const char *path)
{
	struct symbolizer_options opts = { 0 };
	struct module_ref ref = { .kind = MODULE_ELF, .path = path };
	struct errbuf eb = { 0 };
	struct source_info *si = NULL;

	assert_int_equal(source_info_open(&si, &opts, &ref, &eb), 0);
	assert_non_null(si);
	return si;
}

static uint64_t address_of(const char *path, const char *name)
{
	struct elf_file f;
	uint64_t vaddr, off;

	assert_int_equal(elf_file_open(&f, path, NULL), 0);
	assert_true(elf_symbols_find(&f, name, &vaddr));
	assert_true(elf_file_offset(&f, vaddr, &off));
	elf_file_close(&f);
	return off;
}

/* Version 2 without extensions has no lists of ranges and cannot say where a call is: only the line and the outermost function are
 * sure. */
static void check_strict(const struct source_frame *frames, uint32_t nr, const struct probe *p, uint32_t want)
{
	assert_true(nr >= 1);
	assert_int_equal(frames[0].line, p->places[0].line);
	assert_true(ends_with(frames[0].file, p->places[0].file));
	assert_string_equal(frames[nr - 1].function, p->places[want - 1].function);
}

static void check_probe(struct source_info *si, const char *path, const struct probe *p, bool is_strict)
{
	const struct source_frame *frames, *again;
	uint32_t nr = source_info_find(si, address_of(path, p->name), &frames), want = 0;

	while (want < 4 && p->places[want].function)
		want++;
	if (is_strict) {
		check_strict(frames, nr, p, want);
		return;
	}
	if (nr != want)
		print_error("%s: %s has %u frames, not %u\n", path, p->name, nr, want);
	assert_int_equal(nr, want);
	for (uint32_t i = 0; i < nr; i++) {
		assert_non_null(frames[i].function);
		assert_string_equal(frames[i].function, p->places[i].function);
		assert_int_equal(frames[i].is_inlined, i + 1 < nr);
		if (!frames[i].file || !ends_with(frames[i].file, p->places[i].file) || frames[i].line != p->places[i].line)
			print_error("%s: %s is at %s:%u, not %s:%u\n", path, p->name, frames[i].file ? frames[i].file : "(nothing)",
				    frames[i].line, p->places[i].file, p->places[i].line);
		assert_non_null(frames[i].file);
		assert_true(ends_with(frames[i].file, p->places[i].file));
		assert_int_equal(frames[i].line, p->places[i].line);
		/* As the compiler had it, joined with its directory. */
		assert_int_equal(frames[i].file[0], '/');
	}
	assert_int_equal(source_info_find(si, address_of(path, p->name), &again), nr);
	assert_ptr_equal(again, frames);
}

static void check_file(const char *path, bool is_strict)
{
	for (int prefetch = 0; prefetch < 2; prefetch++) {
		struct source_info *si = open_file(path);
		const struct source_frame *frames;
		uint64_t addrs[sizeof(probes) / sizeof(probes[0])];

		assert_true(source_info_exists(si));
		for (size_t i = 0; i < sizeof(probes) / sizeof(probes[0]); i++)
			addrs[i] = address_of(path, probes[i].name);
		if (prefetch)
			source_info_prefetch(si, addrs, sizeof(probes) / sizeof(probes[0]));
		for (size_t i = 0; i < sizeof(probes) / sizeof(probes[0]); i++)
			check_probe(si, path, &probes[i], is_strict);
		assert_int_equal(source_info_find(si, UINT64_MAX, &frames), 0);
		assert_int_equal(source_info_find(si, 0, &frames), 0);
		source_info_close(si);
	}
}

static void each_way_of_compiling(void **state)
{
	char *dir_path = fixtures_dir();
	DIR *dir = opendir(dir_path);
	struct dirent *e;
	int nr = 0;

	(void)state;
	assert_non_null(dir);
	setenv("ASSAY_CACHE", "off", 1);
	while ((e = readdir(dir))) {
		char *path = mem_printf("%s/%s", dir_path, e->d_name);

		if (ends_with(e->d_name, ".so")) {
			check_file(path, strncmp(e->d_name, "strict2", 7) == 0);
			nr++;
		}
		free(path);
	}
	closedir(dir);
	free(dir_path);
	assert_true(nr >= 8);
}

static void index_gives_the_same(void **state)
{
	char cache[] = "/tmp/assay-test-XXXXXX";
	char *dir = fixtures_dir(), *path = mem_printf("%s/gcc5.so", dir), *clean;

	(void)state;
	assert_non_null(mkdtemp(cache));
	unsetenv("ASSAY_CACHE");
	setenv("XDG_CACHE_HOME", cache, 1);
	for (int run = 0; run < 3; run++)
		check_file(path, false);
	clean = mem_printf("rm -rf %s", cache);
	assert_int_equal(system(clean), 0);
	free(clean);
	setenv("ASSAY_CACHE", "off", 1);
	free(path);
	free(dir);
}

/* Without its other halves a split unit still has lines. */
static void missing_half(void **state)
{
	char *dir = fixtures_dir(), *from = mem_printf("%s/split5.so", dir), to[] = "/tmp/assay-test-XXXXXX";
	const struct source_frame *frames;
	struct source_info *si;
	size_t size;
	char *data;
	int fd = mkstemp(to);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(io_read_file(from, 1 << 24, &data, &size), 0);
	/* Another name for the other half, wherever it is written. */
	for (size_t i = 0; i + 4 < size; i++)
		if (memcmp(data + i, ".dwo", 5) == 0)
			data[i + 3] = 'x';
	assert_int_equal(io_write(fd, data, size, NULL), 0);
	close(fd);
	si = open_file(to);
	assert_int_equal(source_info_find(si, address_of(to, "probe_deep"), &frames), 1);
	assert_null(frames[0].function);
	assert_int_equal(frames[0].line, 23);
	source_info_close(si);
	unlink(to);
	free(data);
	free(from);
	free(dir);
}

/* Cut anywhere, and with any byte changed: no crash, no loop. */
static void damaged(void **state)
{
	static const char *const names[] = { "gcc5.so", "gcc4.so", "packed.so" };
	char *dir = fixtures_dir();

	(void)state;
	for (size_t n = 0; n < sizeof(names) / sizeof(names[0]); n++) {
		char *from = mem_printf("%s/%s", dir, names[n]), to[] = "/tmp/assay-test-XXXXXX";
		uint64_t off = address_of(from, "probe_deep");
		const struct source_frame *frames;
		size_t size;
		char *data;
		int fd = mkstemp(to);

		assert_true(fd >= 0);
		assert_int_equal(io_read_file(from, 1 << 24, &data, &size), 0);
		for (size_t i = 0; i < 400; i++) {
			size_t at = size * i / 400;
			struct source_info *si;
			char was = data[at];

			data[at] = (char)(was ^ (i & 1 ? 0xff : 0x11));
			assert_int_equal(ftruncate(fd, 0), 0);
			assert_int_equal(io_pwrite(fd, data, i % 8 ? size : at, 0, NULL), 0);
			data[at] = was;
			si = open_file(to);
			source_info_find(si, off, &frames);
			source_info_close(si);
		}
		close(fd);
		unlink(to);
		free(data);
		free(from);
	}
	free(dir);
}

static void nothing_there(void **state)
{
	struct symbolizer_options opts = { 0 };
	struct module_ref ref = { .kind = MODULE_ELF, .path = "/nonexistent/file" };
	const struct source_frame *frames;
	struct source_info *si;
	struct errbuf eb = { 0 };

	(void)state;
	assert_int_equal(source_info_open(&si, &opts, &ref, &eb), 0);
	assert_false(source_info_exists(si));
	assert_true(eb.text[0]);
	assert_int_equal(source_info_find(si, 4096, &frames), 0);
	source_info_prefetch(si, (uint64_t[]){ 4096 }, 1);
	source_info_close(si);
	for (int kind = MODULE_VDSO; kind <= MODULE_NONE; kind++) {
		eb.text[0] = 0;
		ref = (struct module_ref){ .kind = kind, .path = "[heap]" };
		assert_int_equal(source_info_open(&si, &opts, &ref, &eb), 0);
		assert_int_equal(source_info_find(si, 4096, &frames), 0);
		source_info_close(si);
	}
	source_info_close(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_way_of_compiling), cmocka_unit_test(index_gives_the_same),
		cmocka_unit_test(missing_half),		 cmocka_unit_test(damaged),
		cmocka_unit_test(nothing_there),
	};

	setenv("ASSAY_CACHE", "off", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
