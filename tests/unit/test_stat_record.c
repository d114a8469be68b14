/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Records of counts: there and back, perf's own bytes, and damaged ones.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "perfdata/stat_record.h"

static const struct record_header *first(const struct out *o)
{
	return (const struct record_header *)(const void *)o->buf;
}

static void test_fixed_records(void **state)
{
	const struct stat_config config = { STAT_AGGR_CORE, 250, true };
	const struct stat_count count = { 77, -1, 3, 1, 2, 3 };
	const struct stat_round round = { true, 123456789 };
	struct stat_config config2;
	struct stat_count count2;
	struct stat_round round2;
	struct out o;

	(void)state;
	out_init(&o, -1);
	stat_config_encode(&o, &config);
	assert_int_equal(first(&o)->size, o.len);
	assert_int_equal(stat_config_decode(first(&o), &config2), 0);
	assert_int_equal(config2.aggr, STAT_AGGR_CORE);
	assert_int_equal(config2.interval_ms, 250);
	assert_true(config2.scale);
	o.len = 0;
	stat_count_encode(&o, &count);
	assert_int_equal(first(&o)->size, o.len);
	assert_int_equal(o.len, 48);
	assert_int_equal(stat_count_decode(first(&o), &count2), 0);
	assert_memory_equal(&count, &count2, sizeof(count));
	o.len = 0;
	stat_round_encode(&o, &round);
	assert_int_equal(o.len, 24);
	assert_int_equal(stat_round_decode(first(&o), &round2), 0);
	assert_true(round2.is_final);
	assert_int_equal(round2.time_ns, 123456789);
	out_fini(&o);
}

static void test_threads(void **state)
{
	const struct stat_thread threads[] = { { -1, "" }, { 4711, "a-name-of-15-by" } };
	struct stat_thread t;
	struct out o;

	(void)state;
	out_init(&o, -1);
	assert_int_equal(stat_threads_encode(&o, threads, 2), 0);
	assert_int_equal(first(&o)->size, o.len);
	assert_int_equal(stat_threads_count(first(&o)), 2);
	stat_thread_get(first(&o), 1, &t);
	assert_int_equal(t.tid, 4711);
	assert_string_equal(t.comm, "a-name-of-15-by");
	stat_thread_get(first(&o), 0, &t);
	assert_int_equal(t.tid, -1);
	/* More than a record can hold. */
	o.len = 0;
	assert_int_equal(stat_threads_encode(&o, threads, 5000), -EMSGSIZE);
	assert_int_equal(o.len, 0);
	out_fini(&o);
}

struct cpus {
	int32_t v[256];
	uint32_t nr;
};

static void add(void *ctx, int32_t cpu)
{
	struct cpus *c = ctx;

	if (c->nr < 256)
		c->v[c->nr] = cpu;
	c->nr++;
}

static void test_cpus(void **state)
{
	/* As perf writes them: any, a range, a mask of 8-byte words (packed). */
	static const uint8_t any[] = { 0x4a, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 1, 0, 0xff, 0xff, 0, 0 };
	static const uint8_t range[] = { 0x4a, 0, 0, 0, 0, 0, 0x10, 0, 2, 0, 0, 0, 1, 0, 3, 0 };
	static const uint8_t mask[] = { 0x4a, 0, 0, 0, 0, 0, 0x20, 0, 1, 0,    1, 0, 8, 0, 0, 0,
					0,    0, 5, 0, 0, 0, 0,	   0, 0, 0x80, 0, 0, 0, 0, 0, 0 };
	static const int32_t list[] = { 0, 2, 300 };
	uint64_t aligned[8];
	struct cpus c = { .nr = 0 };
	struct out o;

	(void)state;
	memcpy(aligned, any, sizeof(any));
	assert_int_equal(stat_cpus_decode((void *)aligned, add, &c), 0);
	assert_int_equal(c.nr, 1);
	assert_int_equal(c.v[0], -1);
	c.nr = 0;
	memcpy(aligned, range, sizeof(range));
	assert_int_equal(stat_cpus_decode((void *)aligned, add, &c), 0);
	assert_int_equal(c.nr, 3);
	assert_int_equal(c.v[2], 3);
	c.nr = 0;
	memcpy(aligned, mask, sizeof(mask));
	assert_int_equal(stat_cpus_decode((void *)aligned, add, &c), 0);
	assert_int_equal(c.nr, 3);
	assert_int_equal(c.v[1], 2);
	assert_int_equal(c.v[2], 63);
	c.nr = 0;
	out_init(&o, -1);
	assert_int_equal(stat_cpus_encode(&o, list, 3), 0);
	assert_int_equal(o.len % 8, 0);
	assert_int_equal(first(&o)->size, o.len);
	assert_int_equal(stat_cpus_decode(first(&o), add, &c), 0);
	assert_int_equal(c.nr, 3);
	assert_int_equal(c.v[2], 300);
	assert_int_equal(stat_cpus_encode(&o, list, 40000), -EMSGSIZE);
	out_fini(&o);
}

static void test_updates(void **state)
{
	static const char long_unit[] = "a unit that is longer than the usual room";
	struct stat_update u = { .id = 5, .kind = STAT_UPDATE_UNIT, .text = "msec" }, u2;
	struct out o;

	(void)state;
	out_init(&o, -1);
	stat_update_encode(&o, &u);
	assert_int_equal(o.len, 48); /* perf's size */
	assert_int_equal(stat_update_decode(first(&o), &u2), 0);
	assert_string_equal(u2.text, "msec");
	assert_int_equal(u2.id, 5);
	o.len = 0;
	u.text = long_unit;
	stat_update_encode(&o, &u);
	assert_int_equal(first(&o)->size, o.len);
	assert_int_equal(o.len % 8, 0);
	assert_int_equal(stat_update_decode(first(&o), &u2), 0);
	assert_string_equal(u2.text, long_unit);
	o.len = 0;
	u = (struct stat_update){ .id = 6, .kind = STAT_UPDATE_SCALE, .scale = 1e-6 };
	stat_update_encode(&o, &u);
	assert_int_equal(stat_update_decode(first(&o), &u2), 0);
	assert_true(u2.scale == 1e-6);
	out_fini(&o);
}

/* Every prefix, and every byte set to 0xff: an answer or -EBADMSG, never a read outside. The copies
 * are of exact size, so that sanitizers see it. */
static void decode_all(const uint8_t *data, uint16_t size)
{
	struct record_header *h = mem_alloc(size < 8 ? 8 : size);
	struct cpus c = { .nr = 0 };
	struct stat_config config;
	struct stat_count count;
	struct stat_round round;
	struct stat_update update;
	struct stat_thread t;
	int64_t nr;

	memcpy(h, data, size);
	h->size = size;
	stat_config_decode(h, &config);
	stat_count_decode(h, &count);
	stat_round_decode(h, &round);
	stat_update_decode(h, &update);
	stat_cpus_decode(h, add, &c);
	nr = stat_threads_count(h);
	for (int64_t i = 0; i < nr; i++)
		stat_thread_get(h, (uint32_t)i, &t);
	free(h);
}

static void test_damage(void **state)
{
	struct out o;

	(void)state;
	out_init(&o, -1);
	for (uint32_t kind = 0; kind < 3; kind++) {
		struct stat_thread threads[3] = { { 1, "x" }, { 2, "y" }, { 3, "z" } };
		const int32_t cpus[] = { 1, 2, 3, 4, 5 };

		o.len = 0;
		if (kind == 0)
			stat_threads_encode(&o, threads, 3);
		else if (kind == 1)
			stat_cpus_encode(&o, cpus, 5);
		else
			stat_config_encode(&o, &(struct stat_config){ STAT_AGGR_GLOBAL, 1, true });
		for (uint16_t size = 8; size <= o.len; size++)
			decode_all((const uint8_t *)o.buf, size);
		for (size_t i = 8; i < o.len; i++) {
			char was = o.buf[i];

			o.buf[i] = (char)0xff;
			decode_all((const uint8_t *)o.buf, (uint16_t)o.len);
			o.buf[i] = 1;
			decode_all((const uint8_t *)o.buf, (uint16_t)o.len);
			o.buf[i] = was;
		}
	}
	out_fini(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fixed_records), cmocka_unit_test(test_threads), cmocka_unit_test(test_cpus),
		cmocka_unit_test(test_updates),	      cmocka_unit_test(test_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
