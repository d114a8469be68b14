/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the values of a pprof profile become: types, units, the default, labels; every case goes
 * through a perf.data, a session and a profile (import_roundtrip.h), beside what is asserted of the
 * builder here.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../fuzz/import_roundtrip.h"
#include "base/protobuf.h"
#include "base/strtab.h"
#include "import/import.h"
#include "import/reading.h"

/* ---- a profile ---- */

struct pb {
	struct out all, message, inner;
	struct strtab strings;
	struct import_builder b;
	struct import_result result;
};

static void pb_init(struct pb *p)
{
	memset(p, 0, sizeof(*p));
	out_init(&p->all, -1);
	out_init(&p->message, -1);
	out_init(&p->inner, -1);
	strtab_init(&p->strings);
	import_builder_init(&p->b);
}

static void pb_type(struct pb *p, uint32_t field, const char *type, const char *unit)
{
	protobuf_u64(&p->message, 1, strtab_intern(&p->strings, type));
	protobuf_u64(&p->message, 2, strtab_intern(&p->strings, unit));
	protobuf_message(&p->all, field, &p->message);
}

static void pb_string_field(struct pb *p, uint32_t field, const char *s)
{
	protobuf_u64(&p->all, field, strtab_intern(&p->strings, s));
}

static void pb_location(struct pb *p, uint64_t id, const char *function)
{
	protobuf_u64(&p->message, 1, id);
	protobuf_u64(&p->message, 2, strtab_intern(&p->strings, function));
	protobuf_message(&p->all, 5, &p->message);
	protobuf_u64(&p->message, 1, id);
	protobuf_u64(&p->message, 3, 0x400000 + id * 16);
	protobuf_u64(&p->inner, 1, id);
	protobuf_message(&p->message, 4, &p->inner);
	protobuf_message(&p->all, 4, &p->message);
}

static void pb_label(struct pb *p, const char *key, const char *str, int64_t num)
{
	protobuf_u64(&p->inner, 1, strtab_intern(&p->strings, key));
	if (str)
		protobuf_u64(&p->inner, 2, strtab_intern(&p->strings, str));
	protobuf_i64(&p->inner, 3, num);
	protobuf_message(&p->message, 3, &p->inner);
}

/* Of one location (0: none, as an empty packed list), with what pb_label() wrote before. */
static void pb_sample(struct pb *p, uint64_t location, const int64_t *values, uint32_t nr)
{
	if (location)
		protobuf_varint(&p->inner, location);
	protobuf_message(&p->message, 1, &p->inner);
	for (uint32_t i = 0; i < nr; i++)
		protobuf_varint(&p->inner, (uint64_t)values[i]);
	protobuf_message(&p->message, 2, &p->inner);
	protobuf_message(&p->all, 2, &p->message);
}

#define SAMPLE(p, location, ...)                                                                                                           \
	pb_sample(p, location, (const int64_t[]){ __VA_ARGS__ }, sizeof((const int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t))

static int pb_import(struct pb *p, struct errbuf *eb)
{
	for (uint32_t i = 0; i < p->strings.entries.nr; i++)
		protobuf_bytes(&p->all, 6, p->strings.entries.v[i].s, p->strings.entries.v[i].len);
	return import_pprof(&p->b, p->all.buf, p->all.len, &p->result, eb);
}

static void pb_fini(struct pb *p)
{
	roundtrip(&p->b);
	import_builder_fini(&p->b);
	out_fini(&p->all);
	out_fini(&p->message);
	out_fini(&p->inner);
	strtab_fini(&p->strings);
}

static const char *event_name(const struct pb *p, uint32_t i)
{
	assert_true(i < p->b.events.nr);
	return import_str(&p->b, p->b.events.v[i].name);
}

/* ---- what becomes of it ---- */

static void heap_types(struct pb *p)
{
	pb_init(p);
	pb_type(p, 1, "alloc_objects", "count");
	pb_type(p, 1, "alloc_space", "bytes");
	pb_type(p, 1, "inuse_objects", "count");
	pb_type(p, 1, "inuse_space", "bytes");
	pb_location(p, 1, "main");
}

/* A heap opens on its last type, or on the one it names; labels tell samples of one stack apart. */
static void test_heap(void **state)
{
	struct pb p;

	(void)state;
	heap_types(&p);
	pb_type(&p, 11, "space", "bytes");
	protobuf_u64(&p.all, 12, 512);
	pb_label(&p, "bytes", NULL, 4096);
	SAMPLE(&p, 1, 2, 8192, 1, 4096);
	pb_label(&p, "bytes", NULL, 16);
	SAMPLE(&p, 1, 1, 16, 0, 0);
	SAMPLE(&p, 1, 0, 0, 0, 0);
	assert_int_equal(pb_import(&p, NULL), 0);
	assert_int_equal(p.b.events.nr, 4);
	assert_string_equal(event_name(&p, 0), "inuse_space");
	assert_string_equal(event_name(&p, 1), "alloc_objects");
	assert_true(p.b.has_sums);
	assert_int_equal(p.b.samples.nr, 6);	     /* values that are not 0 */
	assert_int_equal(p.b.samples.v[0].event, 1); /* in the order of types */
	assert_int_equal(p.b.samples.v[3].event, 0);
	assert_int_equal(p.b.samples.v[3].period, 4096);
	assert_int_equal(p.b.samples.v[0].stack, p.b.samples.v[5].stack);
	assert_int_not_equal(p.b.samples.v[0].labels, p.b.samples.v[5].labels);
	assert_int_equal(p.b.section.types.nr, 4);
	assert_int_equal(p.b.section.types.v[3].event, 0);
	assert_int_equal(p.b.events.v[0].period, 512);
	assert_int_equal(p.b.events.v[1].period, 0); /* objects are not counted in bytes */
	pb_fini(&p);

	heap_types(&p);
	pb_string_field(&p, 14, "alloc_space");
	SAMPLE(&p, 1, 2, 8192, 1, 4096);
	assert_int_equal(pb_import(&p, NULL), 0);
	assert_string_equal(event_name(&p, 0), "alloc_space");
	assert_string_equal(import_str(&p.b, p.b.section.default_type), "alloc_space");
	pb_fini(&p);
}

static void cpu_types(struct pb *p)
{
	pb_init(p);
	pb_type(p, 1, "samples", "count");
	pb_type(p, 1, "cpu", "nanoseconds");
	pb_location(p, 1, "main");
}

/* The first value is how many samples there are, where that can be told by handing them out. */
static void test_counts(void **state)
{
	static const int64_t odd[][2] = { { 0, 50 }, { 20000000, 50 } };
	struct pb p;

	(void)state;
	cpu_types(&p);
	SAMPLE(&p, 1, 3, 30000000);
	SAMPLE(&p, 1, 0, 0); /* says nothing */
	assert_int_equal(pb_import(&p, NULL), 0);
	assert_int_equal(p.b.events.nr, 1);
	assert_string_equal(event_name(&p, 0), "cpu-clock");
	assert_int_equal(p.b.samples.nr, 1);
	assert_int_equal(p.b.samples.v[0].count, 3);
	assert_false(p.b.has_sums);
	assert_int_equal(p.b.section.types.v[0].event, IMPORTED_COUNT);
	pb_fini(&p);
	for (uint32_t i = 0; i < 2; i++) {
		cpu_types(&p);
		SAMPLE(&p, 1, 3, 30000000);
		SAMPLE(&p, 1, odd[i][0], odd[i][1]);
		assert_int_equal(pb_import(&p, NULL), 0);
		assert_int_equal(p.b.events.nr, 2);
		assert_string_equal(event_name(&p, 0), "cpu-clock");
		assert_string_equal(event_name(&p, 1), "samples");
		assert_true(p.b.has_sums);
		assert_int_equal(p.b.section.types.v[0].event, 1);
		pb_fini(&p);
	}
}

/* Several events beside the count: only where each sample says whose it is. */
static void test_event_labels(void **state)
{
	struct pb p;

	(void)state;
	for (int labelled = 0; labelled < 2; labelled++) {
		cpu_types(&p);
		pb_type(&p, 1, "faults", "count");
		pb_string_field(&p, 14, "cpu");
		pb_label(&p, "event", "task-clock", 0);
		SAMPLE(&p, 1, 2, 20, 0);
		if (labelled)
			pb_label(&p, "event", "faults", 0);
		SAMPLE(&p, 1, 5, 0, 7);
		assert_int_equal(pb_import(&p, NULL), 0);
		assert_int_equal(p.b.has_sums, !labelled);
		assert_int_equal(p.b.events.nr, labelled ? 2 : 3);
		assert_string_equal(event_name(&p, 0), labelled ? "task-clock" : "cpu-clock");
		assert_int_equal(p.b.samples.nr, labelled ? 2 : 4);
		assert_int_equal(p.b.samples.v[1].count, labelled ? 5 : 1);
		pb_fini(&p);
	}
}

/* What has no stack is a sample like others: Go's list of threads. */
static void test_no_stack(void **state)
{
	struct pb p;

	(void)state;
	pb_init(&p);
	pb_type(&p, 1, "threadcreate", "count");
	SAMPLE(&p, 0, 4);
	assert_int_equal(pb_import(&p, NULL), 0);
	assert_int_equal(p.result.nr_skipped, 0);
	assert_int_equal(p.b.samples.nr, 1);
	assert_int_equal(p.b.samples.v[0].stack, IMPORT_NO_STACK);
	assert_int_equal(p.b.samples.v[0].count, 4);
	assert_false(p.b.has_sums);
	pb_fini(&p);
}

/* A tid of 0 beside a pid is not the idle task's: the sample is the process's, as it was labelled. */
static void test_tid_of_0(void **state)
{
	struct pb p;

	(void)state;
	cpu_types(&p);
	for (int64_t tid = 7; tid >= 0; tid -= 7) {
		pb_label(&p, "comm", "sh", 0);
		pb_label(&p, "pid", NULL, 7);
		pb_label(&p, "tid", NULL, tid);
		SAMPLE(&p, 1, 1, 5);
	}
	assert_int_equal(pb_import(&p, NULL), 0);
	assert_int_equal(p.b.samples.nr, 2);
	for (uint32_t i = 0; i < 2; i++) {
		assert_int_equal(p.b.samples.v[i].pid, 7);
		assert_int_equal(p.b.samples.v[i].tid, 7);
	}
	pb_fini(&p);
}

/* Sums that no number can hold: the sample that would make one is left out, all of it. */
static void test_too_large(void **state)
{
	struct pb p;

	(void)state;
	heap_types(&p);
	SAMPLE(&p, 1, 1, INT64_MAX - 5, 1, 7);
	SAMPLE(&p, 1, 1, 6, 1, 7);
	SAMPLE(&p, 1, 1, 5, 1, 7);
	SAMPLE(&p, 1, 1, 0, 1, 7);
	SAMPLE(&p, 1, INT64_MAX, 0, 0, 0);
	assert_int_equal(pb_import(&p, NULL), 0);
	assert_int_equal(p.result.nr_skipped, 2);
	assert_int_equal(p.result.first_skipped, 2);
	assert_int_equal(p.b.samples.nr, 11);
	pb_fini(&p);
}

static void test_differences(void **state)
{
	struct errbuf eb = { 0 };
	struct pb p;

	(void)state;
	cpu_types(&p);
	SAMPLE(&p, 1, -1, 5);
	SAMPLE(&p, 1, 1, 5);
	SAMPLE(&p, 1, 1, -5);
	assert_int_equal(pb_import(&p, &eb), 0);
	assert_int_equal(p.result.nr_negative, 2);
	assert_int_equal(p.result.first_negative, 1);
	assert_int_equal(p.result.nr_skipped, 0);
	assert_int_equal(p.b.samples.nr, 1);
	pb_fini(&p);

	cpu_types(&p);
	SAMPLE(&p, 1, -1, -5);
	assert_int_equal(pb_import(&p, &eb), -EOPNOTSUPP);
	assert_non_null(strstr(eb.text, "differences cannot be imported"));
	pb_fini(&p);
}

/* Types of one name are events of their own. */
static void test_same_names(void **state)
{
	struct pb p;

	(void)state;
	pb_init(&p);
	pb_type(&p, 1, "x", "bytes");
	pb_type(&p, 1, "x", "seconds");
	pb_type(&p, 1, "x", "seconds");
	pb_location(&p, 1, "main");
	SAMPLE(&p, 1, 1, 2, 3);
	assert_int_equal(pb_import(&p, NULL), 0);
	assert_int_equal(p.b.events.nr, 3);
	assert_string_equal(event_name(&p, 0), "x");
	assert_string_equal(event_name(&p, 1), "x/bytes");
	assert_string_equal(event_name(&p, 2), "x/seconds");
	pb_fini(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_heap),	   cmocka_unit_test(test_counts),    cmocka_unit_test(test_event_labels),
		cmocka_unit_test(test_no_stack),   cmocka_unit_test(test_too_large), cmocka_unit_test(test_differences),
		cmocka_unit_test(test_same_names), cmocka_unit_test(test_tid_of_0),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
