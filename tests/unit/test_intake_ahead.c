/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a thread takes ahead is what intake_next() gives, in its order; blocks are let go, changes of what is known of the recording wait for
 * the user, and it can be ended at any time.
 */
#include "session_fixture.h"

#include <errno.h>

#include "base/pool.h"
#include "session/intake_ahead.h"

#define MAX_BLOCKS 256u
#define WORDS 4u

/* Records of two rings, in rounds: each has its time and number. */
struct made_source {
	struct record_source source;
	struct source_damage damage;
	struct perfdata_info info;
	struct record_block blocks[MAX_BLOCKS];
	uint32_t nr_blocks;
	uint32_t nr, nr_wanted, fails_at, nr_changes;
	uint64_t nr_seen; /* by the user; read while it waits */
	uint64_t nr_seen_at_change;
};

static struct record_block *empty_block(struct made_source *m)
{
	struct record_block *b;

	for (uint32_t i = 0; i < m->nr_blocks; i++)
		if (!m->blocks[i].nr_held)
			return &m->blocks[i];
	assert_true(m->nr_blocks < MAX_BLOCKS);
	b = &m->blocks[m->nr_blocks++];
	b->data = mem_zalloc(SOURCE_BATCH * 8 * (1 + WORDS));
	return b;
}

static void add(struct made_source *m, struct record_block *b, uint32_t i)
{
	uint64_t *words = (uint64_t *)(void *)(b->data + i * 8 * (size_t)(1 + WORDS));
	struct record_header *h = (struct record_header *)words;
	uint32_t nr = m->nr++, round = nr / 1000, ring = nr / 500 % 2;

	*h = (struct record_header){ .type = nr % 1000 == 999 ? RECORD_FINISHED_ROUND : RECORD_SAMPLE, .size = 8 * (1 + WORDS) };
	words[1] = 0x1000;				    /* ip */
	words[2] = (uint64_t)(7 + ring) << 32 | 7;	    /* pid, tid */
	words[3] = 1 + round * 1000u + nr % 500 * 2 + ring; /* time */
	words[4] = nr;
	m->source.batch[i] = (struct source_record){ h, b, nr };
}

static int fill(struct record_source *s, struct errbuf *eb)
{
	struct made_source *m = (struct made_source *)s;
	struct record_block *b;

	if (m->nr == m->nr_wanted)
		return 0;
	if (m->fails_at && m->nr >= m->fails_at)
		return errbuf_set(eb, -EIO, "it cannot be read");
	if (m->nr / 5000 != m->nr_changes && s->before_change) {
		m->nr_changes = m->nr / 5000;
		s->before_change(s->before_change_ctx);
		m->nr_seen_at_change = m->nr_seen;
		m->info.features++;
	}
	b = empty_block(m);
	for (s->nr = 0; s->nr < SOURCE_BATCH && m->nr < m->nr_wanted; s->nr++)
		add(m, b, s->nr);
	return 1;
}

static const struct record_source_ops made_ops = { .fill = fill };

static void init(struct made_source *m, struct intake *in, struct recording_stats *stats, uint32_t nr)
{
	struct perfdata_event e = { .name = "cpu-clock", .attr = { .type = ATTR_TYPE_SOFTWARE } };

	memset(m, 0, sizeof(*m));
	memset(in, 0, sizeof(*in));
	memset(stats, 0, sizeof(*stats));
	perfdata_info_init(&m->info);
	e.attr.sample_type = SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_PERIOD;
	e.layout = sample_layout_of(&e.attr);
	vec_push(&m->info.events, e);
	m->source.ops = &made_ops;
	m->source.info = &m->info;
	m->source.damage = &m->damage;
	m->source.total_bytes = INTAKE_AHEAD_MIN;
	m->nr_wanted = nr;
	in->source = &m->source;
	in->info = &m->info;
	in->stats = stats;
	in->order.max_held_bytes = UINT64_MAX; /* counted where there is a limit */
}

static void fini(struct made_source *m, struct intake *in)
{
	intake_fini(in);
	for (uint32_t i = 0; i < m->nr_blocks; i++) {
		assert_int_equal(m->blocks[i].nr_held, 0);
		free(m->blocks[i].data);
	}
	perfdata_info_fini(&m->info);
}

/* The numbers of all records as intake_next() gives them, and how many bytes waited for the end. */
static uint64_t *numbers_in_order(uint32_t nr, uint64_t *waited_bytes)
{
	uint64_t *v = mem_zalloc(nr * sizeof(*v));
	const struct order_entry *e;
	struct recording_stats stats;
	struct order_entry now;
	struct made_source m;
	struct errbuf eb = { 0 };
	struct intake in;
	uint32_t n = 0;
	int ret = 1;

	init(&m, &in, &stats, nr);
	while (n < nr) {
		e = intake_next(&in, &now, &ret, &eb);
		if (!e) {
			assert_int_equal(ret, 0);
			intake_finish(&in);
			continue;
		}
		v[n++] = order_entry_at(e);
		record_release(e->block);
	}
	assert_null(intake_next(&in, &now, &ret, &eb));
	*waited_bytes = in.waited_bytes;
	assert_int_equal(*waited_bytes != 0, nr > 0);
	fini(&m, &in);
	return v;
}

static void test_same_order(void **state)
{
	static const uint32_t sizes[] = { 0, 1, 63, 2047, 2048, 2049, 8192, 100000 };

	(void)state;
	for (uint32_t k = 0; k < sizeof(sizes) / sizeof(*sizes); k++) {
		uint64_t waited_bytes, *want = numbers_in_order(sizes[k], &waited_bytes);
		const struct order_entry *e;
		struct recording_stats stats;
		struct intake_ahead *a;
		struct made_source m;
		struct errbuf eb = { 0 };
		struct intake in;
		int ret = 1;

		init(&m, &in, &stats, sizes[k]);
		a = intake_ahead_start(&in);
		assert_non_null(a);
		for (; (e = intake_ahead_next(a, &ret, &eb)); m.nr_seen++)
			assert_int_equal(order_entry_at(e), want[m.nr_seen]);
		assert_int_equal(ret, 0);
		assert_int_equal(m.nr_seen, sizes[k]);
		assert_int_equal(intake_ahead_stop(a), 0);
		assert_int_equal(stats.nr_records, sizes[k]);
		assert_int_equal(stats.nr_by_type[RECORD_FINISHED_ROUND], sizes[k] / 1000);
		assert_int_equal(in.waited_bytes, waited_bytes);
		assert_ptr_equal(in.stats, &stats);
		assert_null(m.source.before_change);
		fini(&m, &in);
		free(want);
	}
}

/* The user has everything that came out before what is known changes: all but the two rounds that wait. */
static void test_changes_wait_for_the_user(void **state)
{
	struct recording_stats stats;
	struct intake_ahead *a;
	struct made_source m;
	struct errbuf eb = { 0 };
	struct intake in;
	int ret;

	(void)state;
	init(&m, &in, &stats, 50000);
	a = intake_ahead_start(&in);
	assert_non_null(a);
	while (intake_ahead_next(a, &ret, &eb))
		if (m.nr_seen++ > 10000)
			assert_true(m.nr_seen_at_change >= m.nr_seen / 5000 * 5000 - 10000);
	assert_int_equal(m.nr_changes, 9);
	assert_true(m.nr_seen_at_change >= 45000 - 3000);
	intake_ahead_stop(a);
	fini(&m, &in);
}

static void test_failure_comes_behind_what_was_read(void **state)
{
	struct recording_stats stats;
	struct intake_ahead *a;
	struct made_source m;
	struct errbuf eb = { 0 };
	struct intake in;
	int ret = 0;

	(void)state;
	init(&m, &in, &stats, 100000);
	m.fails_at = 30000;
	a = intake_ahead_start(&in);
	assert_non_null(a);
	while (intake_ahead_next(a, &ret, &eb))
		m.nr_seen++;
	assert_int_equal(ret, -EIO);
	assert_string_equal(eb.text, "it cannot be read");
	/* The last two rounds wait for an end that does not come. */
	assert_true(m.nr_seen > 27000 && m.nr_seen < 30000);
	assert_null(intake_ahead_next(a, &ret, &eb));
	assert_int_equal(ret, -EIO);
	intake_ahead_stop(a);
	fini(&m, &in);
}

static void test_ends_early(void **state)
{
	(void)state;
	for (uint32_t nr = 0; nr < 20000; nr = 2 * nr + 1) {
		struct recording_stats stats;
		struct intake_ahead *a;
		struct made_source m;
		struct errbuf eb = { 0 };
		struct intake in;
		uint64_t nr_left;
		int ret;

		init(&m, &in, &stats, 100000);
		a = intake_ahead_start(&in);
		assert_non_null(a);
		for (uint32_t i = 0; i < nr; i++)
			assert_non_null(intake_ahead_next(a, &ret, &eb));
		nr_left = intake_ahead_stop(a);
		/* What was counted was given, is left in a batch, or waits in the queue, or in the batch of the source. */
		assert_int_equal(stats.nr_records, nr + nr_left + intake_drop(&in));
		assert_null(intake_next(&in, &(struct order_entry){ 0 }, &ret, &eb));
		assert_int_equal(ret, 0);
		fini(&m, &in);
	}
	assert_int_equal(intake_ahead_stop(NULL), 0);
}

static void test_only_large_files(void **state)
{
	struct recording_stats stats;
	struct made_source m;
	struct intake in;

	(void)state;
	init(&m, &in, &stats, 0);
	assert_int_equal(intake_ahead_can(&in), pool_nr_cpus() > 1);
	m.source.total_bytes--;
	assert_false(intake_ahead_can(&in));
	m.source.total_bytes++;
	in.file_order = true;
	assert_false(intake_ahead_can(&in));
	in.file_order = false;
	m.info.pipe_mode = true;
	assert_false(intake_ahead_can(&in));
	fini(&m, &in);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_order),
		cmocka_unit_test(test_changes_wait_for_the_user),
		cmocka_unit_test(test_failure_comes_behind_what_was_read),
		cmocka_unit_test(test_ends_early),
		cmocka_unit_test(test_only_large_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
