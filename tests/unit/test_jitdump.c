/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * symbols/jitdump.h: loads, moves, lines and call frame information; damaged and hostile dumps.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "jitdump_writer.h"
#include "symbols/jitdump.h"
#include "symbols/symtab.h"
#include "symbols/unwind_table.h"

static struct jitdump *parse(struct out *o)
{
	struct errbuf eb = { 0 };
	char *bytes = memcpy(mem_alloc(o->len + 1), o->buf, o->len);
	struct jitdump *d = jitdump_parse(bytes, o->len, "jit-1.dump", &eb);

	out_fini(o);
	return d;
}

static void test_functions_are_found_by_offset(void **state)
{
	struct out o;
	struct jitdump *d;
	struct symtab *t;
	const struct symbol *s;

	(void)state;
	dump_head(&o);
	dump_load(&o, 10, 0x1000, 64, 1, "first");
	dump_load(&o, 20, 0x1000, 32, 2, "second");
	d = parse(&o);
	assert_non_null(d);
	assert_int_equal(d->functions.nr, 2);
	t = jitdump_symbols(d);
	s = symtab_find(t, d->places.v[0].file_off + 63);
	assert_string_equal(s->name, "first");
	s = symtab_find(t, d->places.v[1].file_off);
	assert_string_equal(s->name, "second");
	assert_null(symtab_find(t, d->places.v[1].file_off + 32));
	assert_int_equal(d->bytes[d->places.v[0].file_off], (char)0x90);
	symtab_free(t);
	jitdump_free(d);
}

static void test_moves_name_the_latest_of_a_number(void **state)
{
	struct out o;
	struct jitdump *d;

	(void)state;
	dump_head(&o);
	dump_load(&o, 10, 0x1000, 64, 7, "old");
	dump_load(&o, 20, 0x2000, 64, 7, "new");
	dump_move(&o, 30, 0x2000, 0x3000, 64, 7);
	dump_move(&o, 40, 0x2000, 0x4000, 64, 8); /* of a number that nothing has */
	d = parse(&o);
	assert_int_equal(d->places.nr, 3);
	assert_int_equal(d->places.v[2].addr, 0x3000);
	assert_int_equal(d->places.v[2].time_ns, 30);
	assert_int_equal(d->places.v[2].file_off, d->functions.v[1].file_off);
	jitdump_free(d);
}

static void put_line(struct out *o, uint64_t addr, uint32_t line, const char *file)
{
	dump_u64(o, addr);
	dump_u32(o, line);
	dump_u32(o, 0);
	out_mem(o, file, strlen(file) + 1);
}

static void test_lines_belong_to_the_next_load(void **state)
{
	struct source_frame f;
	struct jitdump *d;
	struct out o;
	uint64_t at;

	(void)state;
	dump_head(&o);
	dump_prefix(&o, 2, 16 + 16 + 5 + 16 + 2, 5);
	dump_u64(&o, 0x1000);
	dump_u64(&o, 2);
	put_line(&o, 0x1000, 10, "a.js");
	put_line(&o, 0x1010, 11, "\xff");
	dump_load(&o, 10, 0x1000, 64, 1, "f");
	dump_load(&o, 20, 0x2000, 64, 2, "g");
	d = parse(&o);
	at = d->functions.v[0].file_off;
	assert_true(jitdump_find_line(d, at + 0xf, &f));
	assert_int_equal(f.line, 10);
	assert_true(jitdump_find_line(d, at + 0x3f, &f));
	assert_int_equal(f.line, 11);
	assert_string_equal(f.file, "a.js");
	assert_false(jitdump_find_line(d, d->functions.v[1].file_off, &f));
	jitdump_free(d);
}

/* What CPython 3.13 writes: a CIE, an FDE for 11 bytes that begin 48 before it, and .eh_frame_hdr. */
static const uint8_t cpython_unwind[] = {
	0x14, 0,    0, 0,    0, 0,    0,    0,	  1,	'z',  'R',  0,	  1,	0x78, 0x10, 1,	  0x1b, 0x0c, 7,    8,	  0x90, 1,    0,
	0,    0x14, 0, 0,    0, 0x1c, 0,    0,	  0,	0xd0, 0xff, 0xff, 0xff, 0x0b, 0,    0,	  0,	0,    0x44, 0x0e, 0x10, 0x46, 0x0e,
	8,    0,    1, 0x1b, 3, 0x3b, 0xcc, 0xff, 0xff, 0xff, 1,    0,	  0,	0,    0xc0, 0xff, 0xff, 0xff, 0xe8, 0xff, 0xff, 0xff,
};

static void test_call_frames_lie_behind_the_code(void **state)
{
	struct unwind_table *t;
	struct jitdump *d;
	struct out o;
	uint64_t at;

	(void)state;
	dump_head(&o);
	dump_load(&o, 1, 0x1000, 13, 0, "odd"); /* so that the next code is not aligned in the dump */
	dump_prefix(&o, 4, 24 + sizeof(cpython_unwind) + 4, 5);
	dump_u64(&o, sizeof(cpython_unwind));
	dump_u64(&o, 20);
	dump_u64(&o, 80);
	out_mem(&o, cpython_unwind, sizeof(cpython_unwind));
	dump_u32(&o, 0);
	dump_load(&o, 10, 0x2000, 11, 1, "py::f");
	d = parse(&o);
	at = d->functions.v[1].file_off;
	t = jitdump_unwind(d);
	assert_int_not_equal(unwind_table_cover(t, at), UNWIND_UNCOVERED);
	assert_int_not_equal(unwind_table_cover(t, at + 10), UNWIND_UNCOVERED);
	assert_int_equal(unwind_table_cover(t, at + 11), UNWIND_UNCOVERED);
	assert_int_equal(unwind_table_cover(t, at - 1), UNWIND_UNCOVERED);
	assert_int_equal(unwind_table_cover(t, d->functions.v[0].file_off), UNWIND_UNCOVERED);
	unwind_table_free(t);
	jitdump_free(d);
}

static void test_what_is_no_dump_is_refused(void **state)
{
	struct errbuf eb = { 0 };

	(void)state;
	assert_null(jitdump_parse(mem_strdup("JiTD"), 4, "/tmp/jit-1.dump", &eb));
	assert_non_null(strstr(eb.text, "/tmp/jit-1.dump is no jitdump"));
	assert_true(jitdump_is_path("/tmp/jit-42.dump"));
	assert_false(jitdump_is_path("/tmp/jit-42.dump.old"));
	assert_false(jitdump_is_path("/tmp/jit-.dump"));
	assert_false(jitdump_is_path("/tmp/jit-4x.dump"));
}

/* A dump is cut at every length, and loads claim more than there is. */
static void test_damage_is_bounded(void **state)
{
	struct jitdump *d;
	struct out o;

	(void)state;
	for (size_t cut = 0;; cut++) {
		size_t all;

		dump_head(&o);
		dump_load(&o, 10, 0x1000, 16, 1, "whole");
		dump_load(&o, 20, 0x2000, 16, 2, "cut");
		all = o.len;
		if (cut > all - 40)
			break;
		o.len = all - cut;
		d = parse(&o);
		assert_non_null(d);
		/* The last record has 76 bytes, the one before 78. */
		assert_int_equal(d->functions.nr, !cut ? 2 : cut <= 76 ? 1 : 0);
		jitdump_free(d);
	}
	out_fini(&o);
	dump_head(&o);
	dump_load(&o, 10, 0x1000, 16, 1, "f");
	memset(o.buf + 40 + 16 + 24, 0xff, 8); /* the size of its code */
	d = parse(&o);
	assert_int_equal(d->functions.nr, 0);
	jitdump_free(d);
	dump_head(&o);
	dump_load(&o, 10, UINT64_MAX - 4, 16, 1, "wraps");
	d = parse(&o);
	assert_int_equal(d->places.nr, 0);
	jitdump_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_functions_are_found_by_offset), cmocka_unit_test(test_moves_name_the_latest_of_a_number),
		cmocka_unit_test(test_lines_belong_to_the_next_load), cmocka_unit_test(test_call_frames_lie_behind_the_code),
		cmocka_unit_test(test_what_is_no_dump_is_refused),    cmocka_unit_test(test_damage_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
