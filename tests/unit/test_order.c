/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What struct order promises: by time, stable, exact within rounds, late records counted and not
 * lost, blocks let go.
 */
#include "session_fixture.h"

#include "session/session.h"

struct source {
	struct record_block block;
	uint64_t nr_added;
};

static void add(struct order *o, struct source *src, uint64_t time_ns)
{
	struct source_record rec = { .block = &src->block, .at = src->nr_added++ };

	order_add(o, time_ns, &rec, (int32_t)(time_ns % 3));
}

/* Takes all that is ready; checks time order and, of equal times, the order of arrival. */
static uint32_t drain(struct order *o, uint64_t *last_ns, uint64_t *last_seq)
{
	struct order_entry *e;
	uint32_t nr = 0;

	while ((e = order_next(o))) {
		assert_true(e->time_ns >= *last_ns);
		if (e->time_ns == *last_ns && nr)
			assert_true(order_entry_at(e) > *last_seq);
		assert_int_equal(order_entry_event(e), (int32_t)(e->time_ns % 3));
		*last_ns = e->time_ns;
		*last_seq = order_entry_at(e);
		record_release(e->block);
		nr++;
	}
	return nr;
}

static void test_empty(void **state)
{
	struct order o = { 0 };

	(void)state;
	assert_null(order_next(&o));
	order_round(&o);
	assert_null(order_next(&o));
	order_finish(&o);
	assert_null(order_next(&o));
	order_fini(&o);
}

static void test_equal_times_keep_their_order(void **state)
{
	struct order o = { 0 };
	struct source src = { 0 };
	uint64_t last_ns = 0, last_seq = 0;

	(void)state;
	for (int i = 0; i < 1000; i++)
		add(&o, &src, 5 + (i % 4 == 0));
	assert_null(order_next(&o));
	order_finish(&o);
	assert_int_equal(drain(&o, &last_ns, &last_seq), 1000);
	assert_int_equal(src.block.nr_held, 0);
	order_fini(&o);
}

/* Without rounds everything waits, and the order is total: also where every record is a run of its
 * own. */
static void test_total_without_rounds(void **state)
{
	uint64_t rng = 1;

	(void)state;
	for (uint32_t nr = 0; nr < 300; nr += 7) {
		struct order o = { 0 };
		struct source src = { 0 };
		uint64_t last_ns = 0, last_seq = 0;

		for (uint32_t i = 0; i < nr; i++)
			add(&o, &src, nr % 2 ? 1000 - i : 1 + fixture_rng(&rng) % 50);
		order_finish(&o);
		assert_int_equal(drain(&o, &last_ns, &last_seq), nr);
		assert_int_equal(o.nr_late, 0);
		order_fini(&o);
	}
}

/* A recorder that empties 8 rings in each round: what a ring holds at a round is newer than the
 * round before. */
static void test_rounds(void **state)
{
	struct order o = { 0 };
	struct source src = { 0 };
	uint64_t rng = 7, last_ns = 0, last_seq = 0, nr_out = 0, held_most = 0;

	(void)state;
	for (uint64_t round = 1; round <= 2000; round++) {
		for (int ring = 0; ring < 8; ring++) {
			/* While rings are emptied one by one, records of this round's end may be in
			 * the later ones. */
			uint64_t from = round * 100, until = from + 100 + (uint64_t)ring * 5;
			uint64_t t = from + (uint64_t)ring * 5;

			while ((t += fixture_rng(&rng) % 20) < until)
				add(&o, &src, t);
		}
		order_round(&o);
		nr_out += drain(&o, &last_ns, &last_seq);
		if (src.block.nr_held > held_most)
			held_most = src.block.nr_held;
	}
	order_finish(&o);
	nr_out += drain(&o, &last_ns, &last_seq);
	assert_true(nr_out == src.nr_added);
	assert_int_equal(o.nr_late, 0);
	assert_int_equal(src.block.nr_held, 0);
	/* Two rounds at most wait, not the whole stream. */
	assert_true(held_most < src.nr_added / 100);
	order_fini(&o);
}

static void test_late_records_are_counted_and_come_out(void **state)
{
	struct order o = { 0 };
	struct source src = { 0 };
	uint64_t last_ns = 0, last_seq = 0;

	(void)state;
	for (uint64_t t = 100; t < 200; t += 10)
		add(&o, &src, t);
	order_round(&o);
	assert_null(order_next(&o));
	order_round(&o);
	assert_int_equal(drain(&o, &last_ns, &last_seq), 10);
	add(&o, &src, 150);
	add(&o, &src, 120);
	add(&o, &src, 300);
	assert_int_equal(o.nr_late, 2);
	order_finish(&o);
	last_ns = 0;
	assert_int_equal(drain(&o, &last_ns, &last_seq), 3);
	assert_true(last_ns == 300);
	order_fini(&o);
}

/* Without rounds, what waits is bounded, whatever the order; what comes out too early is counted. */
static void test_limit(void **state)
{
	struct record_header header = { .size = 64 };
	struct order o = { .max_held_bytes = 100 * (64 + 2 * sizeof(struct order_entry)) };
	struct source src = { 0 };
	uint64_t rng = 3, nr_out = 0;
	struct order_entry *e;

	(void)state;
	for (uint64_t i = 0; i < 100000; i++) {
		struct source_record rec = { .header = &header, .block = &src.block };

		/* The first is the newest of all: it must not keep the others in memory. */
		order_add(&o, i ? 1 + fixture_rng(&rng) % (100 + i) : 1000000, &rec, 0);
		for (uint64_t last_ns = 0; (e = order_next(&o)); nr_out++) {
			assert_true(e->time_ns >= last_ns);
			last_ns = e->time_ns;
			record_release(e->block);
		}
		assert_true(src.block.nr_held <= 100);
		assert_true(o.queue.nr < 20000);
	}
	order_finish(&o);
	while ((e = order_next(&o))) {
		record_release(e->block);
		nr_out++;
	}
	assert_int_equal(nr_out, 100000);
	assert_int_equal(src.block.nr_held, 0);
	assert_true(o.nr_late > 0);
	order_fini(&o);
}

static void test_fini_lets_go_of_what_waits(void **state)
{
	struct order o = { 0 };
	struct source src = { 0 };

	(void)state;
	for (uint64_t t = 1; t <= 10; t++)
		add(&o, &src, t);
	order_finish(&o);
	record_release(order_next(&o)->block);
	assert_int_equal(src.block.nr_held, 9);
	order_fini(&o);
	assert_int_equal(src.block.nr_held, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_equal_times_keep_their_order),
		cmocka_unit_test(test_total_without_rounds),
		cmocka_unit_test(test_rounds),
		cmocka_unit_test(test_late_records_are_counted_and_come_out),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_fini_lets_go_of_what_waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
