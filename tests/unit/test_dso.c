/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "session/dso.h"
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
	static const struct embedded_module first, second;
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

/* Modules of an imported profile are told apart by which they are, not by their paths, which cost neither time nor memory. */
static void test_embedded(void **state)
{
	enum { NR = 20000, LEN = 60000 };
	struct embedded_module *m = mem_zalloc(NR * sizeof(*m));
	const struct symbolizer_options opts = { 0 };
	char *path = mem_alloc(LEN + 1);
	double began = seconds();
	struct dso_table t;

	(void)state;
	memset(path, 'p', LEN);
	path[LEN] = 0;
	dso_table_init(&t, &opts);
	for (uint32_t i = 0; i < NR; i++) {
		m[i] = (struct embedded_module){ .mapped_as = "x", .path = path };
		assert_int_equal(dso_table_intern_embedded(&t, &m[i]), i + 1);
	}
	for (uint32_t i = 0; i < NR; i++) {
		assert_int_equal(dso_table_intern_embedded(&t, &m[i]), i + 1);
		assert_ptr_equal(dso_table_get(&t, i + 1)->embedded, &m[i]);
	}
	assert_ptr_equal(dso_table_get(&t, NR)->path, path);
	assert_true(t.arena.size_bytes < (1u << 20));
	/* A walk over all of one path would take minutes. */
	assert_true(seconds() - began < 20);
	/* A file of that path is another. */
	assert_int_equal(dso_table_intern(&t, MODULE_ELF, path, 1, NULL, 0), NR + 1);
	dso_table_fini(&t);
	free(path);
	free(m);
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
	char *path = copy_self("dso-shared"), *other = copy_self("dso-other"), *alias = alias_of(path), *link_path = mem_printf("%s-link", path);
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
		assert_non_null(strstr(tab->source, dso_table_get(&t, ids[i])->path));
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
	assert_non_null(strstr(dso_table_symbols(&t, id)->source, "index"));
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
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_paths), cmocka_unit_test(test_files), cmocka_unit_test(test_too_many_files), cmocka_unit_test(test_header_build_id),
					    cmocka_unit_test(test_embedded), cmocka_unit_test(test_shared), cmocka_unit_test(test_limit), cmocka_unit_test(test_limit_with_index) };

	setenv("ASSAY_CACHE", "off", 1);

	return cmocka_run_group_tests(tests, NULL, NULL);
}
