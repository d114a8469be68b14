/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * model/span_store.h: spans of a time line, of tasks and of CPUs; gaps; who woke whom; merging that keeps all sums and the bound; parts of tracks.
 */
#include "session_fixture.h"

#include "model/span_store.h"

struct under_test {
	struct fixture f;
	struct timeline t;
	struct span_store s;
};

static void start(struct under_test *t, uint32_t limit)
{
	memset(t, 0, sizeof(*t));
	fixture_init(&t->f);
	timeline_init(&t->t, &t->f.s.machine);
	t->t.has_waking = true;
	fixture_task(&t->f, 11, 11, "eleven");
	fixture_task(&t->f, 12, 12, "twelve");
	span_store_init(&t->s, limit);
	span_store_watch(&t->s, &t->t);
}

static void stop(struct under_test *t)
{
	span_store_fini(&t->s);
	timeline_fini(&t->t);
	fixture_fini(&t->f);
}

static struct timeline_step switches(struct under_test *t, uint64_t time_ns, uint32_t cpu, int32_t tid, char state, int32_t next_tid)
{
	struct sched_event e = { .kind = SCHED_SWITCH, .time_ns = time_ns, .cpu = cpu, .tid = tid, .state = state, .next_tid = next_tid };
	struct timeline_step step;

	assert_true(timeline_add(&t->t, &e, &step));
	return step;
}

static uint32_t wake(struct under_test *t, uint64_t time_ns, int32_t tid)
{
	struct sched_event e = { .kind = SCHED_WAKING, .time_ns = time_ns, .tid = tid };
	struct timeline_step step;

	assert_true(timeline_add(&t->t, &e, &step));
	return step.to;
}

static uint32_t line_of(struct under_test *t, int32_t tid)
{
	return t->t.by_task.v[task_table_find(&t->f.s.machine.tasks, tid)->id];
}

static const struct span_track *task_track(struct under_test *t, int32_t tid)
{
	uint32_t track = span_store_find(&t->s, SPAN_OF_TASK, line_of(t, tid));

	assert_int_not_equal(track, SPAN_NO_TRACK);
	return &t->s.tracks.v[track];
}

static void assert_span(const struct span_track *k, uint32_t i, uint64_t begin_ns, uint64_t end_ns, enum span_state state, uint32_t value)
{
	assert_true(i < k->spans.nr);
	assert_int_equal(k->spans.v[i].begin_ns, begin_ns);
	assert_int_equal(k->spans.v[i].end_ns, end_ns);
	assert_int_equal(k->spans.v[i].state, state);
	assert_int_equal(k->spans.v[i].value, value);
}

static void test_time_line(void **state)
{
	struct under_test t;
	const struct span_track *k;
	uint32_t woken;

	(void)state;
	start(&t, 100);
	switches(&t, 100, 1, 0, 'R', 11);
	switches(&t, 150, 1, 11, 'S', 12);
	woken = wake(&t, 180, 11);
	span_store_wake(&t.s, woken, line_of(&t, 12));
	switches(&t, 200, 1, 12, 'R', 11);
	switches(&t, 230, 1, 11, 'D', 0);
	timeline_finish(&t.t);
	k = task_track(&t, 11);
	assert_int_equal(k->spans.nr, 4);
	assert_span(k, 0, 100, 150, SPAN_RUNNING, 1);
	assert_span(k, 1, 150, 180, SPAN_SLEEPS, 0);
	assert_span(k, 2, 180, 200, SPAN_WOKEN, line_of(&t, 12) + 1);
	assert_span(k, 3, 200, 230, SPAN_RUNNING, 1);
	k = task_track(&t, 12);
	assert_span(k, 0, 150, 200, SPAN_RUNNING, 1);
	assert_span(k, 1, 200, 230, SPAN_PREEMPTED, 0);
	k = &t.s.tracks.v[span_store_find(&t.s, SPAN_OF_CPU, 1)];
	assert_int_equal(k->spans.nr, 3);
	assert_span(k, 0, 100, 150, SPAN_RUNNING, line_of(&t, 11));
	assert_span(k, 1, 150, 200, SPAN_RUNNING, line_of(&t, 12));
	assert_int_equal(span_store_find(&t.s, SPAN_OF_CPU, 0), SPAN_NO_TRACK);
	assert_int_equal(span_store_find(&t.s, SPAN_OF_CPU, 9999), SPAN_NO_TRACK);
	assert_int_equal(t.s.first_ns, 100);
	assert_int_equal(t.s.last_ns, 230);
	stop(&t);
}

/* Records that were lost leave a hole in what was under way, and nothing is made up for it. */
static void test_gap(void **state)
{
	struct under_test t;
	const struct span_track *k;
	struct span_sum sum = { 0 };

	(void)state;
	start(&t, 100);
	switches(&t, 100, 0, 0, 'R', 11);
	switches(&t, 120, 0, 11, 'S', 12);
	timeline_lose(&t.t, 0);
	switches(&t, 200, 0, 11, 'S', 0);
	switches(&t, 210, 0, 0, 'R', 12);
	switches(&t, 230, 0, 12, 'S', 0);
	timeline_finish(&t.t);
	k = task_track(&t, 11);
	assert_span(k, 0, 100, 120, SPAN_RUNNING, 0);
	assert_span(k, 1, 200, 230, SPAN_SLEEPS, 0);
	k = task_track(&t, 12);
	assert_span(k, 0, 210, 230, SPAN_RUNNING, 0);
	span_store_sum(&t.s, span_store_find(&t.s, SPAN_OF_CPU, 0), 100, 230, &sum);
	assert_int_equal(sum.ns[SPAN_RUNNING], 40);
	assert_int_equal(sum.ns[SPAN_CPU_IDLE], 10);
	stop(&t);
}

static struct span span_of(uint64_t begin_ns, uint64_t end_ns, enum span_state state)
{
	return (struct span){ .begin_ns = begin_ns, .end_ns = end_ns, .state = (uint8_t)state };
}

static void test_late(void **state)
{
	struct span_store s;
	struct span a = span_of(100, 200, SPAN_RUNNING), b = span_of(150, 250, SPAN_SLEEPS), c = span_of(120, 130, SPAN_WAITS);
	uint32_t track;

	(void)state;
	span_store_init(&s, 100);
	track = span_store_track(&s, SPAN_OF_TASK, 3);
	assert_int_equal(span_store_track(&s, SPAN_OF_TASK, 3), track);
	span_store_add(&s, track, &a);
	span_store_add(&s, track, &b);
	span_store_add(&s, track, &c);
	assert_int_equal(s.tracks.v[track].spans.nr, 2);
	assert_span(&s.tracks.v[track], 1, 200, 250, SPAN_SLEEPS, 0);
	assert_int_equal(s.nr_late, 2);
	assert_int_equal(span_track_find(&s.tracks.v[track], 0), 0);
	assert_int_equal(span_track_find(&s.tracks.v[track], 199), 0);
	assert_int_equal(span_track_find(&s.tracks.v[track], 200), 1);
	assert_int_equal(span_track_find(&s.tracks.v[track], 250), 2);
	span_store_fini(&s);
}

#define NR_SHORT 100000

/* Many short spans with a long one between: the bound holds, sums are exact, the long one stays. */
static void test_merge(void **state)
{
	struct span_store s;
	struct span_sum sum = { 0 };
	const struct span_track *k;
	uint64_t at_ns = 1, want[SPAN_NR_STATES] = { 0 }, nr_long = 0, nr_spans = 0;
	uint32_t track;

	(void)state;
	span_store_init(&s, 1000);
	track = span_store_track(&s, SPAN_OF_TASK, 0);
	for (uint32_t i = 0; i < NR_SHORT; i++) {
		uint64_t len = i == NR_SHORT / 2 ? 1000000000 : 1 + i * 7919 % 5000;
		struct span span = span_of(at_ns, at_ns + len, i == NR_SHORT / 2 ? SPAN_WAITS : 1 + i % 4);

		want[span.state] += len;
		span_store_add(&s, track, &span);
		at_ns += len + (i % 10 == 0);
		assert_true(s.nr_spans <= 1000);
	}
	assert_true(s.resolution_ns > 0);
	assert_int_equal(s.limit, 1000);
	span_store_sum(&s, track, 0, UINT64_MAX, &sum);
	for (int i = 0; i < SPAN_NR_STATES; i++)
		assert_int_equal(sum.ns[i], want[i]);
	assert_int_equal(sum.nr, NR_SHORT);
	k = &s.tracks.v[track];
	for (uint32_t i = 0; i < k->spans.nr; i++) {
		assert_true(k->spans.v[i].begin_ns < k->spans.v[i].end_ns);
		assert_true(!i || k->spans.v[i - 1].end_ns <= k->spans.v[i].begin_ns);
		nr_long += k->spans.v[i].state == SPAN_WAITS && k->spans.v[i].end_ns - k->spans.v[i].begin_ns == 1000000000;
		nr_spans += k->spans.v[i].nr;
	}
	assert_int_equal(nr_long, 1);
	assert_int_equal(nr_spans, NR_SHORT);
	span_store_reduce(&s, 10);
	assert_true(s.nr_spans <= 10);
	memset(&sum, 0, sizeof(sum));
	span_store_sum(&s, track, 0, UINT64_MAX, &sum);
	for (int i = 0; i < SPAN_NR_STATES; i++)
		assert_int_equal(sum.ns[i], want[i]);
	span_store_fini(&s);
}

/* More tracks than spans may be there: one span a track is the least. */
static void test_many_tracks(void **state)
{
	struct span_store s;

	(void)state;
	span_store_init(&s, 10);
	for (uint32_t i = 0; i < 1000; i++) {
		uint32_t track = span_store_track(&s, SPAN_OF_TASK, i);

		for (uint64_t n = 0; n < 5; n++) {
			struct span span = span_of(i * 1000 + n * 10, i * 1000 + n * 10 + 10, 1 + n % 2);

			span_store_add(&s, track, &span);
		}
	}
	span_store_reduce(&s, 10);
	assert_true(s.nr_spans == 1000);
	for (uint32_t i = 0; i < 1000; i++)
		assert_int_equal(s.tracks.v[i].spans.v[0].nr, 5);
	span_store_fini(&s);
}

static bool is_even(void *ctx, const struct span_track *k)
{
	(void)ctx;
	return k->key % 2 == 0;
}

static void test_keep_and_parts(void **state)
{
	struct span_store s;
	struct span_sum sum = { 0 };
	struct span a = span_of(0, 100, SPAN_RUNNING), b = span_of(100, 400, SPAN_SLEEPS), c = span_of(400, 500, SPAN_RUNNING);

	(void)state;
	span_store_init(&s, 100);
	for (uint32_t i = 0; i < 2; i++) {
		span_store_add(&s, span_store_track(&s, SPAN_OF_CPU, i), &a);
		span_store_add(&s, i, &b);
		span_store_add(&s, i, &c);
	}
	span_store_keep(&s, is_even, NULL);
	assert_int_equal(s.nr_spans, 3);
	assert_int_equal(s.tracks.v[1].spans.nr, 0);
	span_store_sum(&s, 0, 50, 450, &sum);
	assert_int_equal(sum.ns[SPAN_RUNNING], 100);
	assert_int_equal(sum.ns[SPAN_SLEEPS], 300);
	span_store_reduce(&s, 1);
	memset(&sum, 0, sizeof(sum));
	span_store_sum(&s, 0, 0, 250, &sum);
	assert_int_equal(sum.ns[SPAN_RUNNING], 100);
	assert_int_equal(sum.ns[SPAN_SLEEPS], 150);
	span_store_fini(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_time_line), cmocka_unit_test(test_gap),	      cmocka_unit_test(test_late),
		cmocka_unit_test(test_merge),	  cmocka_unit_test(test_many_tracks), cmocka_unit_test(test_keep_and_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
