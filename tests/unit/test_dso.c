/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "session/dso.h"
#include "symbols/source_info.h"
#include "symbols/symbolizer_cache.h"
#include "symbols/unwind_table.h"

static void test_paths(void **state)
{
	static const uint8_t id[] = { 1, 2, 3 }, other[] = { 1, 2, 4 };
	const struct symbolizer_options opts = { 0 };
	struct dso_table t;
	uint32_t a, b;

	(void)state;
	dso_table_init(&t, &opts);
	a = dso_table_intern(&t, MODULE_ELF, "/lib/a.so", 1, id, sizeof(id));
	assert_int_equal(dso_table_intern(&t, MODULE_ELF, "/lib/a.so", 2, id, sizeof(id)), a);
	b = dso_table_intern(&t, MODULE_ELF, "/lib/a.so", 1, other, sizeof(other));
	assert_int_not_equal(a, b);
	assert_int_not_equal(dso_table_intern(&t, MODULE_ELF, "/lib/b.so", 1, NULL, 0), a);
	assert_string_equal(dso_table_get(&t, a)->short_name, "a.so");
	dso_table_fini(&t);
}

static uint32_t file(struct dso_table *t, const char *path, uint64_t inode, uint64_t generation, const char *id)
{
	struct dso_file f = { .build_id = (const uint8_t *)id, .build_id_size = id ? (uint8_t)strlen(id) : 0 };

	f.identity = file_identity_of_map(8, 1, inode, generation);
	return dso_table_intern_file(t, path, 1, &f);
}

/* Two files at one path are two, whatever tells them apart; the same file twice is one. */
static void test_files(void **state)
{
	static const struct embedded_file first, second;
	const struct symbolizer_options opts = { 0 };
	struct dso_file f = { .identity = file_identity_of_map(8, 1, 42, 0), .stored = &first };
	struct dso_table t;
	uint32_t a, b, c, d;

	(void)state;
	dso_table_init(&t, &opts);
	a = file(&t, "/bin/x", 42, 7, NULL);
	assert_int_equal(file(&t, "/bin/x", 42, 7, NULL), a);
	/* Maps read from /proc have no generation. */
	assert_int_equal(file(&t, "/bin/x", 42, 0, NULL), a);
	b = file(&t, "/bin/x", 43, 7, NULL);
	assert_int_not_equal(b, a);
	c = file(&t, "/bin/x", 42, 8, NULL);
	assert_true(c != a && c != b);
	assert_true(file(&t, "/bin/y", 42, 7, NULL) != a);
	/* A record with a build-id has no inode; one without anything is neither. */
	d = file(&t, "/bin/x", 0, 0, "ab");
	assert_true(d != a && d != b && d != c);
	assert_int_equal(file(&t, "/bin/x", 0, 0, "ab"), d);
	assert_int_not_equal(file(&t, "/bin/x", 0, 0, "ac"), d);
	assert_true(file(&t, "/bin/x", 0, 0, NULL) > d);
	/* Rewritten in place. */
	a = dso_table_intern_file(&t, "/bin/z", 1, &f);
	f.stored = &second;
	assert_int_not_equal(dso_table_intern_file(&t, "/bin/z", 1, &f), a);
	f.stored = &first;
	assert_int_equal(dso_table_intern_file(&t, "/bin/z", 1, &f), a);
	dso_table_fini(&t);
}

/* What a header says of a path is believed while one file had it. */
/* A recording that has more files of one path and inode than can be: the rest is one that no file is taken for. */
static void test_too_many_files(void **state)
{
	const struct symbolizer_options opts = { 0 };
	struct dso_table t;
	uint32_t first, excess;

	(void)state;
	dso_table_init(&t, &opts);
	first = file(&t, "/bin/x", 42, 1, NULL);
	for (uint64_t generation = 2; generation <= 5000; generation++)
		file(&t, "/bin/x", 42, generation, NULL);
	excess = file(&t, "/bin/x", 42, 5000, NULL);
	assert_int_equal(file(&t, "/bin/x", 42, 4999, NULL), excess);
	assert_int_equal(file(&t, "/bin/x", 42, 1, NULL), first);
	assert_true(dso_table_get(&t, excess)->identity.known & IDENTITY_LOST);
	assert_true(t.dsos.nr < 1100);
	/* Maps without an inode are not those. */
	assert_true(file(&t, "/bin/x", 0, 0, NULL) != excess);
	dso_table_fini(&t);
}

static void test_header_build_id(void **state)
{
	const struct symbolizer_options opts = { 0 };
	struct dso_table t;
	uint32_t a, b;

	(void)state;
	dso_table_init(&t, &opts);
	a = file(&t, "/bin/x", 42, 0, NULL);
	dso_table_fill_build_id(&t, a, (const uint8_t *)"ab", 2);
	assert_int_equal(dso_table_get(&t, a)->build_id_size, 2);
	/* Found by its inode as before. */
	assert_int_equal(file(&t, "/bin/x", 42, 0, NULL), a);
	b = file(&t, "/bin/x", 43, 0, NULL);
	dso_table_fill_build_id(&t, b, (const uint8_t *)"ab", 2);
	assert_int_equal(dso_table_get(&t, a)->build_id_size, 0);
	assert_int_equal(dso_table_get(&t, b)->build_id_size, 0);
	/* One that came with the map stays. */
	a = file(&t, "/bin/y", 0, 0, "cd");
	file(&t, "/bin/y", 44, 0, NULL);
	assert_int_equal(dso_table_get(&t, a)->build_id_size, 2);
	dso_table_fini(&t);
}

static double seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* Modules of an imported profile are DSOs of their own, whatever their paths, which cost neither time nor memory. */
static void test_imported(void **state)
{
	enum { NR = 20000, LEN = 60000 };
	const struct symbolizer_options opts = { 0 };
	char *path = mem_alloc(LEN + 1);
	const struct imported n = { .modules = { mem_zalloc(NR * sizeof(struct imported_module)), NR, NR }, .strings = path };
	double began = seconds();
	struct dso_table t;

	(void)state;
	memset(path, 'p', LEN);
	path[LEN] = 0;
	for (uint32_t i = 0; i < NR; i++)
		n.modules.v[i].kind = i % IMPORTED_NR_KINDS;
	dso_table_init(&t, &opts);
	assert_int_equal(dso_table_add_imported(&t, &n), 1);
	assert_int_equal(t.dsos.nr, NR + 1);
	assert_ptr_equal(dso_table_get(&t, NR)->path, path);
	assert_true(t.arena.size_bytes < (1u << 20));
	/* A walk over all of one path would take minutes. */
	assert_true(seconds() - began < 20);
	/* A file of that path is another. */
	assert_int_equal(dso_table_intern(&t, MODULE_ELF, path, 1, NULL, 0), NR + 1);
	dso_table_fini(&t);
	free(path);
	free(n.modules.v);
}

/* A copy of this program, of which nothing was changed for so long that another change would show. */
static char *copy_self(const char *name)
{
	const char *dir = getenv("TMPDIR");
	char *path = mem_printf("%s/%s", dir ? dir : "/tmp", name), buf[65536];
	int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), to = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
	ssize_t got;

	assert_true(from >= 0 && to >= 0);
	while ((got = read(from, buf, sizeof(buf))) > 0)
		assert_int_equal(write(to, buf, (size_t)got), got);
	close(from);
	close(to);
	return path;
}

static void wait_until_settled(void)
{
	struct timespec whole = { .tv_sec = 2, .tv_nsec = 200000000 };

	while (nanosleep(&whole, &whole) != 0)
		continue;
}

static char *alias_of(const char *path)
{
	return mem_printf("/.%s", path);
}

static const void *unwind_bytes(struct dso_table *t, uint32_t id)
{
	const struct unwind_table *u = dso_table_unwind(t, id);
	size_t size;

	return u ? unwind_table_bytes(u, &size) : NULL;
}

/* Paths of one file share what is made of it; another file with the same contents does not. */
static void test_shared(void **state)
{
	char *path = copy_self("dso-shared"), *other = copy_self("dso-other"), *alias = alias_of(path),
	     *link_path = mem_printf("%s-link", path);
	const struct symbolizer_options opts = { 0 };
	struct unwind_function fn;
	struct dso_table t;
	uint32_t ids[4];

	(void)state;
	unlink(link_path);
	assert_int_equal(link(path, link_path), 0);
	wait_until_settled();
	dso_table_init(&t, &opts);
	ids[0] = dso_table_intern(&t, MODULE_ELF, path, 1, NULL, 0);
	ids[1] = dso_table_intern(&t, MODULE_ELF, alias, 1, NULL, 0);
	ids[2] = dso_table_intern(&t, MODULE_ELF, link_path, 1, NULL, 0);
	ids[3] = dso_table_intern(&t, MODULE_ELF, other, 1, NULL, 0);
	dso_table_load(&t, ids, 4);
	for (int i = 0; i < 4; i++) {
		const struct symtab *tab = dso_table_symbols(&t, ids[i]);

		assert_true(tab->symbols.nr > 0);
		assert_int_equal(tab->symbols.v == dso_table_symbols(&t, ids[0])->symbols.v, i < 3);
		/* Each has the name it was found by. */
		assert_non_null(strstr(tab->made_from, dso_table_get(&t, ids[i])->path));
		assert_non_null(unwind_bytes(&t, ids[i]));
		assert_int_equal(unwind_bytes(&t, ids[i]) == unwind_bytes(&t, ids[0]), i < 3);
		dso_table_find_function(&t, ids[i], 0x1000, &fn);
		assert_int_equal(dso_table_source(&t, ids[i]) == dso_table_source(&t, ids[0]), i < 3 || !dso_table_source(&t, ids[0]));
	}
	dso_table_fini(&t);
	unlink(path);
	unlink(other);
	unlink(link_path);
	free(path);
	free(other);
	free(alias);
	free(link_path);
}

/* One file is read whatever its size; past the limit other files are not, and other paths of the first are. */
static void test_limit(void **state)
{
	char *path = copy_self("dso-first"), *other = copy_self("dso-second"), *alias = alias_of(path);
	const struct symbolizer_options opts = { 0 };
	struct dso_table t;
	uint64_t limit;
	uint32_t id;

	(void)state;
	wait_until_settled();
	dso_table_init(&t, &opts);
	symbolizer_cache_limit(t.options.cache, 1, 0);
	id = dso_table_intern(&t, MODULE_ELF, path, 1, NULL, 0);
	assert_true(dso_table_symbols(&t, id)->symbols.nr > 0);
	assert_false(symbolizer_cache_was_short(t.options.cache, &limit));
	id = dso_table_intern(&t, MODULE_ELF, other, 1, NULL, 0);
	assert_int_equal(dso_table_symbols(&t, id)->symbols.nr, 0);
	assert_non_null(strstr(dso_table_get(&t, id)->why_empty, "which is the limit"));
	assert_true(symbolizer_cache_was_short(t.options.cache, &limit));
	id = dso_table_intern(&t, MODULE_ELF, alias, 1, NULL, 0);
	assert_true(dso_table_symbols(&t, id)->symbols.nr > 0);
	dso_table_fini(&t);
	unlink(path);
	unlink(other);
	free(path);
	free(other);
	free(alias);
}

/* Who has a map file that is too large, or one file too many, is not advised to have one written. */
static void test_unused_map(void **state)
{
	char directory[] = "/tmp/assay-dso-XXXXXX", *path, text[200];
	const struct symbolizer_options opts = { 0 };
	struct dso_table t;
	uint32_t missing, large, late;
	int fd;

	(void)state;
	assert_non_null(mkdtemp(directory));
	path = mem_printf("%s/perf-1.map", directory);
	dso_table_init(&t, &opts);
	missing = dso_table_intern(&t, MODULE_JIT, path, 1, NULL, 0);
	assert_int_equal(dso_table_symbols(&t, missing)->symbols.nr, 0);
	assert_int_equal(dso_table_remedy(&t, missing, REMEDY_SYMBOLS, text, sizeof(text)), 0);
	assert_non_null(strstr(text, "let the program write its map file"));
	dso_table_fini(&t);

	fd = open(path, O_RDWR | O_CREAT, 0600);
	assert_int_equal(ftruncate(fd, 300 << 20), 0);
	dso_table_init(&t, &opts);
	large = dso_table_intern(&t, MODULE_JIT, path, 1, NULL, 0);
	assert_int_equal(dso_table_symbols(&t, large)->symbols.nr, 0);
	assert_non_null(strstr(dso_table_get(&t, large)->why_empty, "is larger than"));
	assert_int_equal(dso_table_remedy(&t, large, REMEDY_SYMBOLS, text, sizeof(text)), -ENOENT);
	assert_string_equal(text, "");
	dso_table_fini(&t);

	dso_table_init(&t, &opts);
	symbolizer_cache_limit(t.options.cache, 1, 0);
	dso_table_symbols(&t, dso_table_intern(&t, MODULE_ELF, "/proc/self/exe", 1, NULL, 0));
	late = dso_table_intern(&t, MODULE_JIT, path, 1, NULL, 0);
	dso_table_symbols(&t, late);
	assert_non_null(strstr(dso_table_get(&t, late)->why_empty, "which is the limit"));
	assert_int_equal(dso_table_remedy(&t, late, REMEDY_SYMBOLS, text, sizeof(text)), -ENOENT);
	dso_table_fini(&t);
	close(fd);
	unlink(path);
	rmdir(directory);
	free(path);
}

static uint32_t nr_open_files(void)
{
	DIR *d = opendir("/proc/self/fd");
	uint32_t nr = 0;

	assert_non_null(d);
	while (readdir(d))
		nr++;
	closedir(d);
	return nr;
}

/* Where more files have lines than may be open, those of the others are opened when they are read, one at a time. */
static void test_open_sources(void **state)
{
	char *paths[4] = { copy_self("dso-open-1"), copy_self("dso-open-2"), copy_self("dso-open-3"), copy_self("dso-open-4") };
	const struct symbolizer_options opts = { 0 };
	uint32_t ids[4], before, nr_found = 0;
	const struct source_frame *frames;
	struct dso_table t;
	struct stat st;

	(void)state;
	assert_int_equal(stat(paths[0], &st), 0);
	wait_until_settled();
	dso_table_init(&t, &opts);
	t.options.cache->nr_may_open = 1;
	for (int i = 0; i < 4; i++)
		ids[i] = dso_table_intern(&t, MODULE_ELF, paths[i], 1, NULL, 0);
	before = nr_open_files();
	for (uint64_t addr = 0x1000; addr < (uint64_t)st.st_size && nr_found < 200; addr += 0x400) {
		uint32_t line = 0;

		for (int i = 0; i < 4; i++) {
			struct source_info *si = dso_table_source(&t, ids[i]);
			uint32_t nr = si ? source_info_find(si, addr, &frames) : 0;

			if (nr && !i)
				line = frames[0].line;
			assert_int_equal(nr ? frames[0].line : 0, line);
			nr_found += nr > 0;
		}
		assert_true(nr_open_files() <= before + 2);
	}
	if (!nr_found)
		skip(); /* built without debug information */
	dso_table_fini(&t);
	assert_int_equal(nr_open_files(), before);
	for (int i = 0; i < 4; i++) {
		unlink(paths[i]);
		free(paths[i]);
	}
}

/* What does not fit into memory comes from the index. */
static void test_limit_with_index(void **state)
{
	char *path = copy_self("dso-third"), *other = copy_self("dso-fourth"), *cache = mem_printf("%s-cache", path);
	const struct symbolizer_options opts = { 0 };
	struct dso_table t;
	uint64_t limit;
	uint32_t id;

	(void)state;
	unsetenv("ASSAY_CACHE");
	setenv("XDG_CACHE_HOME", cache, 1);
	wait_until_settled();
	dso_table_init(&t, &opts);
	symbolizer_cache_limit(t.options.cache, 1, 0);
	id = dso_table_intern(&t, MODULE_ELF, path, 1, NULL, 0);
	assert_true(dso_table_symbols(&t, id)->symbols.nr > 0);
	id = dso_table_intern(&t, MODULE_ELF, other, 1, NULL, 0);
	assert_true(dso_table_symbols(&t, id)->symbols.nr > 0);
	assert_non_null(strstr(dso_table_symbols(&t, id)->made_from, "index"));
	assert_false(symbolizer_cache_was_short(t.options.cache, &limit));
	dso_table_fini(&t);
	setenv("ASSAY_CACHE", "off", 1);
	unlink(path);
	unlink(other);
	free(path);
	free(other);
	free(cache);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_paths),	   cmocka_unit_test(test_files),
					    cmocka_unit_test(test_too_many_files), cmocka_unit_test(test_header_build_id),
					    cmocka_unit_test(test_imported),	   cmocka_unit_test(test_shared),
					    cmocka_unit_test(test_limit),	   cmocka_unit_test(test_limit_with_index),
					    cmocka_unit_test(test_unused_map),	   cmocka_unit_test(test_open_sources) };

	setenv("ASSAY_CACHE", "off", 1);

	return cmocka_run_group_tests(tests, NULL, NULL);
}
