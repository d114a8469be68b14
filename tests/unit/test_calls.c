/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * model/calls.h and call_parts.h: which return belongs to which entry, calls that never return, exact ranks, and parts that add up.
 */
#include "session_fixture.h"

#include "model/call_parts.h"

#define US 1000u

struct under_test {
	struct fixture f;
	struct wall_records r;
	struct calls c;
	struct call_notes n;
};

static void start(struct under_test *t, const char *arch)
{
	struct errbuf eb = { 0 };

	memset(t, 0, sizeof(*t));
	fixture_init(&t->f);
	t->f.info.arch = (char *)(uintptr_t)arch;
	fixture_task(&t->f, 11, 11, "alpha");
	fixture_task(&t->f, 11, 12, "beta");
	wall_records_init(&t->r, &t->f.s.recording, &t->f.s.machine, &t->f.p);
	t->r.timeline.has_waking = true;
	call_notes_init(&t->n, &t->r, &t->f.p);
	assert_int_equal(calls_init(&t->c, &t->f.p, &t->r.timeline, &t->f.s.recording, NULL, NULL, NULL, &eb), 0);
}

static void stop(struct under_test *t)
{
	t->f.info.arch = NULL;
	call_notes_fini(&t->n);
	calls_fini(&t->c);
	wall_records_fini(&t->r);
	fixture_fini(&t->f);
}

static struct session_record record(struct under_test *t, uint64_t time_ns, int32_t tid, uint32_t type)
{
	static struct record_header h[2] = { { .type = RECORD_SAMPLE, .misc = MISC_USER }, { .type = RECORD_EXIT } };
	struct session_record sr = { .header = &h[type == RECORD_EXIT], .event = 0, .time_ns = time_ns };

	sr.task = task_table_get(&t->f.s.machine.tasks, 11, tid);
	sr.rec.header = sr.header;
	sr.rec.sample = (struct sample){ .pid = 11, .tid = (uint32_t)tid, .period = 1 };
	return sr;
}

static void probe(struct under_test *t, uint64_t time_us, int32_t tid, enum call_side side, uint64_t sp)
{
	struct session_record sr = record(t, time_us * US, tid, RECORD_SAMPLE);

	calls_take_probe(&t->c, &sr, side, sp);
}

static void finish(struct under_test *t)
{
	struct errbuf eb = { 0 };

	assert_int_equal(calls_finish(&t->c, &eb), 0);
}

static void test_nested(void **state)
{
	static const struct {
		const char *arch;
		enum call_side side;
		uint64_t more; /* the stack pointer at the end, above that of the entry */
	} ways[] = { { "x86_64", CALL_RETURN, 8 }, { "x86_64", CALL_EXIT, 0 }, { "aarch64", CALL_RETURN, 0 }, { "aarch64", CALL_EXIT, 0 } };

	(void)state;
	for (size_t w = 0; w < sizeof(ways) / sizeof(ways[0]); w++)
		for (int nested = 0; nested < 2; nested++) {
			struct under_test t;

			start(&t, ways[w].arch);
			t.c.measures_nested = nested;
			/* The frames of the smallest function: two words apart; two threads at a time. */
			for (uint64_t i = 0; i < 3; i++) {
				probe(&t, 10 + i, 11, CALL_ENTRY, 0x7000 - 16 * i);
				probe(&t, 10 + i, 12, CALL_ENTRY, 0x7000 - 16 * i);
			}
			for (uint64_t i = 3; i-- > 0;)
				probe(&t, 30 - i, 11, ways[w].side, 0x7000 - 16 * i + ways[w].more);
			finish(&t);
			assert_int_equal(t.c.v.nr, nested ? 3 : 1);
			assert_int_equal(call_took_ns(&t.c.v.v[0]), 20 * US);
			assert_int_equal(call_took_ns(&t.c.v.v[t.c.v.nr - 1]), nested ? 16 * US : 20 * US);
			assert_int_equal(t.c.nr_begun, 6);
			assert_int_equal(t.c.nr_nested, 4);
			assert_int_equal(t.c.nr_open, 3);
			assert_int_equal(t.c.nr_left + t.c.nr_alone + t.c.nr_ended, 0);
			stop(&t);
		}
}

static void test_left(void **state)
{
	struct session_record end;
	struct errbuf eb = { 0 };
	struct under_test t;

	(void)state;
	start(&t, "x86_64");
	/* Left by longjmp, and entered again at the same place, or further up. */
	probe(&t, 1, 11, CALL_ENTRY, 0x7000);
	probe(&t, 2, 11, CALL_ENTRY, 0x7000);
	probe(&t, 3, 11, CALL_ENTRY, 0x7100);
	assert_int_equal(t.c.nr_left, 2);
	/* Inner ones that never return, and the outer one that does. */
	probe(&t, 4, 11, CALL_ENTRY, 0x70f0);
	probe(&t, 5, 11, CALL_ENTRY, 0x70e0);
	probe(&t, 7, 11, CALL_RETURN, 0x7108);
	assert_int_equal(t.c.nr_left, 4);
	assert_int_equal(t.c.v.nr, 1);
	assert_int_equal(call_took_ns(&t.c.v.v[0]), 4 * US);
	/* A return whose entry was not seen; a thread that ends inside. */
	probe(&t, 8, 11, CALL_RETURN, 0x7108);
	assert_int_equal(t.c.nr_alone, 1);
	probe(&t, 9, 12, CALL_ENTRY, 0x5000);
	end = record(&t, 10 * US, 12, RECORD_EXIT);
	assert_int_equal(calls_take(&t.c, &end, &eb), 0);
	assert_int_equal(t.c.nr_ended, 1);
	finish(&t);
	assert_int_equal(t.c.nr_open, 0);
	stop(&t);
}

static void test_ranks(void **state)
{
	struct under_test t;

	(void)state;
	start(&t, "x86_64");
	assert_int_equal(calls_permille(&t.c, 500), 0);
	for (uint64_t i = 1; i <= 1000; i++) {
		probe(&t, 10000 * i, 11, CALL_ENTRY, 0x7000);
		probe(&t, 10000 * i + (i * 7) % 1000, 11, CALL_EXIT, 0x7000);
	}
	finish(&t);
	assert_int_equal(calls_permille(&t.c, 0), 0);
	assert_int_equal(calls_permille(&t.c, 500), 499 * US);
	assert_int_equal(calls_permille(&t.c, 999), 998 * US);
	assert_int_equal(calls_permille(&t.c, 1000), 999 * US);
	assert_int_equal(calls_nr_slower(&t.c, 989 * US), 10);
	assert_int_equal(calls_nr_slower(&t.c, 999 * US), 0);
	stop(&t);
}

static void switch_tasks(struct under_test *t, uint64_t time_us, int32_t from, char state, int32_t to)
{
	struct session_record sr = record(t, time_us * US, from ? from : to, RECORD_SAMPLE);
	struct sched_event e = { .kind = SCHED_SWITCH, .time_ns = time_us * US, .tid = from, .state = state, .next_tid = to };
	struct timeline_step step;

	t->r.has_own = true; /* as if they came from wall's own program */
	assert_true(timeline_add(&t->r.timeline, &e, &step));
	wall_add(&t->r.wall, &sr, &e, &step, state == 'S' ? WALL_SLEEP : WALL_UNKNOWN);
}

static void test_parts(void **state)
{
	struct call_parts p;
	struct under_test t;

	(void)state;
	start(&t, "x86_64");
	switch_tasks(&t, 1, 0, 'R', 11);
	probe(&t, 100, 11, CALL_ENTRY, 0x7000);
	switch_tasks(&t, 150, 11, 'R', 12); /* preempted for 200 us */
	switch_tasks(&t, 350, 12, 'S', 11);
	switch_tasks(&t, 400, 11, 'S', 0); /* sleeps for 100 us */
	switch_tasks(&t, 500, 0, 'R', 11);
	probe(&t, 600, 11, CALL_EXIT, 0x7000);
	finish(&t);
	assert_true(wall_records_end(&t.r));
	wall_finish(&t.r.wall, NULL, NULL);
	call_notes_finish(&t.n);
	assert_true(call_parts_find(&p, &t.c.v.v[0], &t.r.wall, &t.n));
	assert_int_equal(p.ns[WALL_RUNNABLE], 200 * US);
	assert_int_equal(p.preempted_ns, 200 * US);
	assert_int_equal(p.ns[WALL_SLEEP], 100 * US);
	assert_int_equal(p.ns[WALL_RUNNING], 200 * US);
	assert_int_equal(p.nr_preempted, 1);
	assert_int_equal(p.nr_waits, 1);
	assert_int_equal(wall_task(&t.r.wall, p.takers[0].thread)->tid, 12);
	assert_int_equal(p.takers[0].ns, 200 * US);
	assert_int_equal(p.takers[1].thread, WALL_NONE);
	stop(&t);
}

/* It sleeps in a call, and when it came back is missing. */
static void test_missing_return(void **state)
{
	struct call_parts p;
	struct under_test t;

	(void)state;
	start(&t, "x86_64");
	switch_tasks(&t, 1, 0, 'R', 11);
	probe(&t, 100, 11, CALL_ENTRY, 0x7000);
	switch_tasks(&t, 200, 11, 'S', 12);
	probe(&t, 600, 11, CALL_EXIT, 0x7000);
	switch_tasks(&t, 700, 11, 'S', 0);
	finish(&t);
	assert_true(wall_records_end(&t.r));
	wall_finish(&t.r.wall, NULL, NULL);
	call_notes_finish(&t.n);
	assert_true(call_parts_find(&p, &t.c.v.v[0], &t.r.wall, &t.n));
	assert_int_equal(p.ns[WALL_UNKNOWN], 400 * US);
	assert_int_equal(p.ns[WALL_RUNNING], 100 * US);
	assert_int_equal(p.ns[WALL_SLEEP] + p.ns[WALL_RUNNABLE], 0);
	assert_int_equal(call_parts_top(&p), WALL_UNKNOWN);
	stop(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nested), cmocka_unit_test(test_left),	      cmocka_unit_test(test_ranks),
		cmocka_unit_test(test_parts),  cmocka_unit_test(test_missing_return),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
