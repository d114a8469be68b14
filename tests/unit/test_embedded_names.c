/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "perfdata/embedded_names.h"

static const uint64_t symbols[] = { 1, 2, 3 }, source_a[] = { 4 }, source_b[] = { 5, 6 };

static void encode(struct out *o)
{
	struct embedded_part sources[] = { { source_a, sizeof(source_a) }, { source_b, sizeof(source_b) } };
	struct embedded_names n = { .flags = EMBEDDED_REPEATS | EMBEDDED_WHOLE_STACKS };

	*vec_add(&n.modules) = (struct embedded_module){ .mapped_as = "[stack]/lib/a.so",
							 .path = "/lib/a.so",
							 .flags = EMBEDDED_MANGLED,
							 .build_id = { 0xab, 0xcd },
							 .build_id_size = 2,
							 .symbols = { symbols, sizeof(symbols) },
							 .sources = sources,
							 .nr_sources = 2 };
	*vec_add(&n.modules) =
		(struct embedded_module){ .mapped_as = "[kernel.kallsyms]", .path = "[kernel.kallsyms]", .kind = EMBEDDED_KERNEL };
	vec_push(&n.notes, "host: box");
	out_init(o, -1);
	embedded_names_encode(&n, o);
	vec_fini(&n.modules);
	vec_fini(&n.notes);
}

static void test_round(void **state)
{
	const struct embedded_module *m;
	struct embedded_names n;
	struct out o;

	(void)state;
	encode(&o);
	assert_int_equal(embedded_names_init(&n, o.buf, o.len), 0);
	assert_int_equal(n.flags, EMBEDDED_REPEATS | EMBEDDED_WHOLE_STACKS);
	assert_int_equal(n.modules.nr, 2);
	assert_null(embedded_names_find(&n, "/lib/a.so"));
	m = embedded_names_find(&n, "[stack]/lib/a.so");
	assert_non_null(m);
	assert_string_equal(m->path, "/lib/a.so");
	assert_int_equal(m->flags, EMBEDDED_MANGLED);
	assert_int_equal(m->build_id_size, 2);
	assert_int_equal(m->build_id[1], 0xcd);
	assert_int_equal(m->symbols.size_bytes, sizeof(symbols));
	assert_memory_equal(m->symbols.data, symbols, sizeof(symbols));
	assert_int_equal((uintptr_t)m->symbols.data % 8, 0);
	assert_int_equal(m->nr_sources, 2);
	assert_memory_equal(m->sources[1].data, source_b, sizeof(source_b));
	m = embedded_names_find(&n, "[kernel.kallsyms]");
	assert_int_equal(m->kind, EMBEDDED_KERNEL);
	assert_null(m->symbols.data);
	assert_int_equal(m->nr_sources, 0);
	assert_int_equal(n.notes.nr, 1);
	assert_string_equal(n.notes.v[0], "host: box");
	embedded_names_fini(&n);
	out_fini(&o);
}

static void encode_files(struct out *o)
{
	struct embedded_names n = { 0 };
	struct embedded_module m = { .mapped_as = "/bin/x", .path = "/bin/x", .flags = EMBEDDED_FILE };

	m.file = (struct embedded_file){ .major = 8, .minor = 1, .inode = 42, .generation = 7, .size_bytes = 16384, .content_sum = 77 };
	vec_push(&n.modules, m);
	m.file.since_ns = 1000; /* rewritten in place */
	m.file.size_bytes = 16520;
	m.symbols = (struct embedded_part){ symbols, sizeof(symbols) };
	m.unwind = (struct embedded_part){ source_b, sizeof(source_b) };
	m.functions = (struct embedded_part){ symbols, sizeof(symbols) };
	vec_push(&n.modules, m);
	m = (struct embedded_module){
		.mapped_as = "/bin/x", .path = "/bin/x", .flags = EMBEDDED_FILE, .build_id = { 9, 8 }, .build_id_size = 2
	};
	m.file.size_bytes = 1;
	vec_push(&n.modules, m);
	out_init(o, -1);
	embedded_names_encode(&n, o);
	vec_fini(&n.modules);
}

/* Files are found by what their map records say, at the time of the record. */
static void test_files(void **state)
{
	struct record_mmap mm = { .maj = 8, .min = 1, .ino = 42, .ino_generation = 7 };
	const struct embedded_module *m;
	struct embedded_names n;
	struct out o;

	(void)state;
	encode_files(&o);
	assert_int_equal(embedded_names_init(&n, o.buf, o.len), 0);
	assert_null(embedded_names_find(&n, "/bin/x"));
	m = embedded_names_find_file(&n, &mm, 0);
	assert_non_null(m);
	assert_int_equal(m->file.size_bytes, 16384);
	assert_int_equal(m->file.content_sum, 77);
	assert_null(m->symbols.data);
	assert_ptr_equal(embedded_names_find_file(&n, &mm, 999), m);
	m = embedded_names_find_file(&n, &mm, 1000);
	assert_int_equal(m->file.size_bytes, 16520);
	assert_memory_equal(m->symbols.data, symbols, sizeof(symbols));
	assert_memory_equal(m->unwind.data, source_b, sizeof(source_b));
	assert_memory_equal(m->functions.data, symbols, sizeof(symbols));
	mm.ino_generation = 0;
	assert_ptr_equal(embedded_names_find_file(&n, &mm, 5000), m);
	mm.ino_generation = 8;
	assert_null(embedded_names_find_file(&n, &mm, 5000));
	mm = (struct record_mmap){ .maj = 8, .min = 2, .ino = 42 };
	assert_null(embedded_names_find_file(&n, &mm, 0));
	mm = (struct record_mmap){ .build_id = { 9, 8 }, .build_id_size = 2 };
	assert_int_equal(embedded_names_find_file(&n, &mm, 0)->file.size_bytes, 1);
	mm.build_id[1] = 7;
	assert_null(embedded_names_find_file(&n, &mm, 0));
	mm = (struct record_mmap){ 0 };
	assert_null(embedded_names_find_file(&n, &mm, 0));
	embedded_names_fini(&n);
	out_fini(&o);
}

/* Whatever a byte says: refused, or all that is pointed to lies inside. */
static void test_damage(void **state)
{
	static const uint8_t values[] = { 0, 1, 7, 0x7f, 0x80, 0xff };
	struct out o;

	(void)state;
	encode(&o);
	for (size_t len = 0; len < o.len; len++) {
		uint64_t *cut = calloc(1, len + 8);
		struct embedded_names n;

		memcpy(cut, o.buf, len);
		embedded_names_init(&n, cut, len);
		embedded_names_fini(&n);
		free(cut);
	}
	for (size_t i = 0; i < o.len; i++)
		for (size_t v = 0; v < sizeof(values); v++) {
			char was = o.buf[i];
			struct embedded_names n;

			o.buf[i] = (char)values[v];
			if (!embedded_names_init(&n, o.buf, o.len))
				for (uint32_t k = 0; k < n.modules.nr; k++) {
					const struct embedded_module *m = &n.modules.v[k];
					const char *data = m->symbols.data;

					assert_true(!data || (data >= o.buf && data + m->symbols.size_bytes <= o.buf + o.len));
					assert_true(m->path >= o.buf && m->path + strlen(m->path) < o.buf + o.len);
					assert_true(m->build_id_size <= sizeof(m->build_id));
				}
			embedded_names_fini(&n);
			o.buf[i] = was;
		}
	out_fini(&o);
}

static void test_twice(void **state)
{
	struct embedded_names n = { 0 };
	struct out o;

	(void)state;
	for (int i = 0; i < 2; i++)
		*vec_add(&n.modules) = (struct embedded_module){ .mapped_as = "same", .path = "x" };
	out_init(&o, -1);
	embedded_names_encode(&n, &o);
	vec_fini(&n.modules);
	assert_int_equal(embedded_names_init(&n, o.buf, o.len), -EBADMSG);
	embedded_names_fini(&n);
	out_fini(&o);
}

/* Strings that lie inside each other, and sources of two modules at once, are not what is written: memory would be a multiple of the
 * file's. */
static void test_shared_bytes(void **state)
{
	enum { NR = 200, LEN = 60000, HEAD = 24, ROW = 72, PATH = 24, FIRST_SOURCE = 40 };
	struct embedded_part source = { source_a, sizeof(source_a) };
	struct embedded_names n = { 0 };
	char *path = malloc(LEN + 1), name[NR][8];
	struct out o;
	uint64_t off;
	uint32_t first = 0;

	(void)state;
	memset(path, 'p', LEN);
	path[LEN] = 0;
	for (int i = 0; i < NR; i++) {
		snprintf(name[i], sizeof(name[i]), "m%d", i);
		*vec_add(&n.modules) =
			(struct embedded_module){ .mapped_as = name[i], .path = i ? "" : path, .sources = &source, .nr_sources = i < 2 };
	}
	out_init(&o, -1);
	embedded_names_encode(&n, &o);
	vec_fini(&n.modules);
	assert_int_equal(embedded_names_init(&n, o.buf, o.len), 0);
	embedded_names_fini(&n);
	/* The second module has the first one's source. */
	memcpy(o.buf + HEAD + ROW + FIRST_SOURCE, &first, sizeof(first));
	assert_int_equal(embedded_names_init(&n, o.buf, o.len), -EBADMSG);
	embedded_names_fini(&n);
	first = 1;
	memcpy(o.buf + HEAD + ROW + FIRST_SOURCE, &first, sizeof(first));
	/* All have the first one's path. */
	memcpy(&off, o.buf + HEAD + PATH, sizeof(off));
	for (int i = 1; i < NR; i++)
		memcpy(o.buf + HEAD + i * ROW + PATH, &off, sizeof(off));
	assert_int_equal(embedded_names_init(&n, o.buf, o.len), -EBADMSG);
	embedded_names_fini(&n);
	out_fini(&o);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_round), cmocka_unit_test(test_files), cmocka_unit_test(test_damage),
					    cmocka_unit_test(test_twice), cmocka_unit_test(test_shared_bytes) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
