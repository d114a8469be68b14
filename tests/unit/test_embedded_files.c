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

#include "perfdata/embedded_files.h"

static const uint64_t symbols[] = { 1, 2, 3 }, unwind[] = { 5, 6 };

static void encode(struct out *o)
{
	struct embedded_files n = { 0 };
	struct embedded_file m = { .path = "/bin/x" };

	m.identity =
		(struct embedded_identity){ .major = 8, .minor = 1, .inode = 42, .generation = 7, .size_bytes = 16384, .content_sum = 77 };
	vec_push(&n.files, m);
	m.identity.since_ns = 1000; /* rewritten in place */
	m.identity.size_bytes = 16520;
	m.symbols = (struct embedded_part){ symbols, sizeof(symbols) };
	m.unwind = (struct embedded_part){ unwind, sizeof(unwind) };
	m.functions = (struct embedded_part){ symbols, sizeof(symbols) };
	vec_push(&n.files, m);
	m = (struct embedded_file){ .path = "/bin/x", .build_id = { 9, 8 }, .build_id_size = 2 };
	m.identity.size_bytes = 1;
	vec_push(&n.files, m);
	m = (struct embedded_file){ .path = "/tmp/perf-42.map", .symbols = { symbols, sizeof(symbols) } };
	vec_push(&n.files, m);
	m.symbols = (struct embedded_part){ 0 };
	vec_push(&n.files, m); /* the first of a path counts */
	out_init(o, -1);
	embedded_files_encode(&n, o);
	vec_fini(&n.files);
}

/* Files are found by what their map records say, at the time of the record. */
static void test_files(void **state)
{
	struct record_mmap mm = { .maj = 8, .min = 1, .ino = 42, .ino_generation = 7 };
	const struct embedded_file *m;
	struct embedded_files n;
	struct out o;

	(void)state;
	encode(&o);
	assert_int_equal(embedded_files_init(&n, o.buf, o.len), 0);
	m = embedded_files_find(&n, &mm, 0);
	assert_non_null(m);
	assert_int_equal(m->identity.size_bytes, 16384);
	assert_int_equal(m->identity.content_sum, 77);
	assert_null(m->symbols.data);
	assert_ptr_equal(embedded_files_find(&n, &mm, 999), m);
	m = embedded_files_find(&n, &mm, 1000);
	assert_int_equal(m->identity.size_bytes, 16520);
	assert_memory_equal(m->symbols.data, symbols, sizeof(symbols));
	assert_memory_equal(m->unwind.data, unwind, sizeof(unwind));
	assert_memory_equal(m->functions.data, symbols, sizeof(symbols));
	mm.ino_generation = 0;
	assert_ptr_equal(embedded_files_find(&n, &mm, 5000), m);
	mm.ino_generation = 8;
	assert_null(embedded_files_find(&n, &mm, 5000));
	mm = (struct record_mmap){ .maj = 8, .min = 2, .ino = 42 };
	assert_null(embedded_files_find(&n, &mm, 0));
	mm = (struct record_mmap){ .build_id = { 9, 8 }, .build_id_size = 2 };
	assert_int_equal(embedded_files_find(&n, &mm, 0)->identity.size_bytes, 1);
	mm.build_id[1] = 7;
	assert_null(embedded_files_find(&n, &mm, 0));
	mm = (struct record_mmap){ 0 };
	assert_null(embedded_files_find(&n, &mm, 0));
	m = embedded_files_find_path(&n, "/tmp/perf-42.map");
	assert_non_null(m);
	assert_memory_equal(m->symbols.data, symbols, sizeof(symbols));
	assert_null(embedded_files_find_path(&n, "/tmp/perf-43.map"));
	assert_null(embedded_files_find_path(&n, "/bin/x")); /* it has an identity */
	embedded_files_fini(&n);
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
		struct embedded_files n;

		memcpy(cut, o.buf, len);
		embedded_files_init(&n, cut, len);
		embedded_files_fini(&n);
		free(cut);
	}
	for (size_t i = 0; i < o.len; i++)
		for (size_t v = 0; v < sizeof(values); v++) {
			char was = o.buf[i];
			struct embedded_files n;

			o.buf[i] = (char)values[v];
			if (!embedded_files_init(&n, o.buf, o.len))
				for (uint32_t k = 0; k < n.files.nr; k++) {
					const struct embedded_file *m = &n.files.v[k];
					const char *data = m->symbols.data;

					assert_true(!data || (data >= o.buf && data + m->symbols.size_bytes <= o.buf + o.len));
					assert_true(m->path >= o.buf && m->path + strlen(m->path) < o.buf + o.len);
					assert_true(m->build_id_size <= sizeof(m->build_id));
				}
			embedded_files_fini(&n);
			o.buf[i] = was;
		}
	out_fini(&o);
}

/* Strings that lie inside each other are not what is written: memory would be a multiple of the file's. */
static void test_shared_bytes(void **state)
{
	enum { NR = 200, LEN = 60000, HEAD = 24, ROW = 72, PATH = 24 };
	struct embedded_files n = { 0 };
	char *path = malloc(LEN + 1);
	struct out o;
	uint64_t off;

	(void)state;
	memset(path, 'p', LEN);
	path[LEN] = 0;
	for (int i = 0; i < NR; i++)
		*vec_add(&n.files) = (struct embedded_file){ .path = i ? "" : path };
	out_init(&o, -1);
	embedded_files_encode(&n, &o);
	vec_fini(&n.files);
	assert_int_equal(embedded_files_init(&n, o.buf, o.len), 0);
	embedded_files_fini(&n);
	/* All have the first one's path. */
	memcpy(&off, o.buf + HEAD + PATH, sizeof(off));
	for (int i = 1; i < NR; i++)
		memcpy(o.buf + HEAD + i * ROW + PATH, &off, sizeof(off));
	assert_int_equal(embedded_files_init(&n, o.buf, o.len), -EBADMSG);
	embedded_files_fini(&n);
	out_fini(&o);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_files), cmocka_unit_test(test_damage),
					    cmocka_unit_test(test_shared_bytes) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
