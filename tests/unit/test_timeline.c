/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * model/timeline.h and model/run_sums.h: states and sums, delays, gaps where switches are missing or records were lost, tids that are used
 * again, CPUs that appear later, windows.
 */
#include "session_fixture.h"

#include "model/run_sums.h"
#include "model/timeline.h"

struct under_test {
	struct fixture f;
	struct timeline t;
	struct timeline_step step;
	struct sched_event e;
};

static void start(struct under_test *t)
{
	memset(t, 0, sizeof(*t));
	fixture_init(&t->f);
	timeline_init(&t->t, &t->f.s.machine);
	t->t.has_waking = true;
	fixture_task(&t->f, 11, 11, "eleven");
	fixture_task(&t->f, 12, 12, "twelve");
	fixture_task(&t->f, 13, 13, "thirteen");
}

static void stop(struct under_test *t)
{
	timeline_fini(&t->t);
	fixture_fini(&t->f);
}

static void switches(struct under_test *t, uint64_t time_ns, uint32_t cpu, int32_t tid, char state, int32_t next_tid)
{
	t->e = (struct sched_event){
		.kind = SCHED_SWITCH, .time_ns = time_ns, .cpu = cpu, .tid = tid, .state = state, .next_tid = next_tid
	};
	assert_true(timeline_add(&t->t, &t->e, &t->step));
}

static void wake(struct under_test *t, uint64_t time_ns, enum sched_kind kind, int32_t tid)
{
	t->e = (struct sched_event){ .kind = kind, .time_ns = time_ns, .tid = tid };
	assert_true(timeline_add(&t->t, &t->e, &t->step));
}

static struct timeline_track *track(struct under_test *t, int32_t tid)
{
	struct task *task = task_table_find(&t->f.s.machine.tasks, tid);

	return timeline_track(&t->t, t->t.by_task.v[task->id]);
}

static void test_states(void **state)
{
	struct under_test t;
	struct timeline_track *k;

	(void)state;
	start(&t);
	switches(&t, 100, 0, 11, 'S', 12);
	assert_true(t.step.is_first);
	assert_false(t.step.is_run_known);
	wake(&t, 150, SCHED_WAKING, 11);
	assert_true(t.step.is_used);
	wake(&t, 155, SCHED_WAKEUP, 11); /* says the same */
	assert_false(t.step.is_used);
	switches(&t, 160, 0, 12, 'R', 11);
	assert_true(t.step.is_run_known);
	assert_int_equal(t.step.run_ns, 60);
	k = track(&t, 11);
	assert_int_equal(k->wait_ns, 60);
	assert_int_equal(k->delay_ns, 10);
	assert_true(k->is_wait_known && k->is_delay_known);
	switches(&t, 200, 0, 11, 'D', 12);
	assert_int_equal(track(&t, 12)->delay_ns, 40); /* preempted: all of it */
	switches(&t, 230, 0, 12, 'I', 0);
	switches(&t, 330, 0, 0, 'R', 13);
	timeline_finish(&t.t);
	assert_int_equal(track(&t, 11)->times_ns[TIMELINE_SLEEPS], 50);
	assert_int_equal(track(&t, 11)->times_ns[TIMELINE_WOKEN], 10);
	assert_int_equal(track(&t, 11)->times_ns[TIMELINE_RUNNING], 40);
	assert_int_equal(track(&t, 11)->times_ns[TIMELINE_WAITS], 130);
	assert_int_equal(track(&t, 12)->times_ns[TIMELINE_RUNNING], 90);
	assert_int_equal(track(&t, 12)->times_ns[TIMELINE_PREEMPTED], 40);
	assert_int_equal(track(&t, 12)->times_ns[TIMELINE_IDLES], 100);
	assert_int_equal(track(&t, 12)->nr_switches[1], 1);
	assert_int_equal(timeline_unknown_ns(&t.t, track(&t, 11)), 0);
	assert_int_equal(timeline_unknown_ns(&t.t, track(&t, 13)), 230); /* nothing is known of it before */
	assert_int_equal(t.t.cpus.v[0].idle_ns, 100);
	assert_int_equal(t.t.nr_gaps, 0);
	assert_int_equal(track(&t, 11)->delays.nr, 1);
	assert_int_equal(track(&t, 12)->delays.nr, 2); /* its first time is one without a delay, as in perf */
	stop(&t);
}

static void test_missing_switch(void **state)
{
	struct under_test t;

	(void)state;
	start(&t);
	switches(&t, 100, 0, 11, 'S', 12);
	switches(&t, 800, 0, 13, 'S', 11); /* the one from 12 to 13 is not there */
	assert_true(t.step.is_gap);
	assert_false(t.step.is_run_known);
	assert_false(track(&t, 13)->is_wait_known);
	assert_int_equal(track(&t, 13)->times_ns[TIMELINE_RUNNING], 0);
	assert_int_equal(track(&t, 12)->state, TIMELINE_UNKNOWN);
	assert_int_equal(t.t.nr_gaps, 1);
	/* 12 is on another CPU all at once: that it left this one is missing, too. */
	switches(&t, 900, 1, 0, 'R', 12);
	switches(&t, 950, 0, 11, 'S', 13);
	switches(&t, 960, 0, 13, 'S', 12);
	assert_false(track(&t, 12)->is_wait_known);
	assert_int_equal(t.t.cpus.v[1].current, TIMELINE_NONE);
	timeline_finish(&t.t);
	assert_int_equal(track(&t, 12)->times_ns[TIMELINE_RUNNING], 0);
	assert_true(timeline_unknown_ns(&t.t, track(&t, 12)) >= 860);
	stop(&t);
}

static void test_lost_records(void **state)
{
	struct under_test t;

	(void)state;
	start(&t);
	switches(&t, 100, 0, 0, 'R', 11);
	switches(&t, 100, 1, 0, 'R', 12);
	switches(&t, 200, 0, 11, 'S', 13);
	timeline_lose(&t.t, 0);
	switches(&t, 300, 1, 12, 'S', 0);
	assert_true(t.step.is_run_known); /* of that CPU nothing was lost */
	assert_int_equal(t.step.run_ns, 200);
	switches(&t, 400, 0, 13, 'S', 11);
	assert_false(t.step.is_run_known);
	assert_false(track(&t, 11)->is_wait_known); /* it may have run in between */
	switches(&t, 450, 0, 11, 'S', 13);
	assert_int_equal(t.step.run_ns, 50); /* known again */
	assert_int_equal(track(&t, 11)->times_ns[TIMELINE_SLEEPS], 0);
	timeline_lose(&t.t, TIMELINE_NONE);
	switches(&t, 500, 1, 0, 'R', 12);
	assert_false(t.step.is_run_known);
	stop(&t);
}

static void test_missing_wake(void **state)
{
	struct under_test t;

	(void)state;
	start(&t);
	switches(&t, 100, 0, 11, 'S', 12);
	switches(&t, 200, 0, 12, 'S', 11);
	assert_true(track(&t, 11)->is_wait_known);
	assert_int_equal(track(&t, 11)->wait_ns, 100);
	assert_false(track(&t, 11)->is_delay_known);
	assert_int_equal(track(&t, 11)->delays.nr, 0);
	assert_int_equal(track(&t, 11)->nr_gaps, 1);
	/* One that comes too early does not make it runnable. */
	wake(&t, 210, SCHED_WAKING, 11);
	assert_false(t.step.is_used);
	switches(&t, 220, 0, 11, 'S', 12);
	assert_int_equal(track(&t, 11)->state, TIMELINE_SLEEPS);
	stop(&t);
}

static void test_tid_used_again(void **state)
{
	struct under_test t;
	struct task *old, *new;

	(void)state;
	start(&t);
	switches(&t, 100, 0, 0, 'R', 12);
	switches(&t, 200, 0, 12, 'Z', 11);
	old = task_table_find(&t.f.s.machine.tasks, 12);
	task_table_exit(&t.f.s.machine.tasks, old);
	new = task_table_fork(&t.f.s.machine.tasks, 12, 12, 11, 11, true);
	timeline_begin_task(&t.t, new, 300);
	wake(&t, 310, SCHED_WAKEUP_NEW, 12);
	switches(&t, 330, 0, 11, 'S', 12);
	assert_ptr_not_equal(track(&t, 12)->task, old);
	assert_int_equal(track(&t, 12)->wait_ns, 0); /* not since the other one left */
	assert_int_equal(track(&t, 12)->delay_ns, 20);
	switches(&t, 400, 0, 12, 'S', 11);
	timeline_finish(&t.t);
	assert_int_equal(track(&t, 12)->times_ns[TIMELINE_RUNNING], 70);
	assert_int_equal(timeline_track(&t.t, t.t.by_task.v[old->id])->times_ns[TIMELINE_RUNNING], 100);
	assert_int_equal(timeline_track(&t.t, t.t.by_task.v[old->id])->state, TIMELINE_ENDED);

	/* Without a FORK record: what had ended is another one, too. */
	switches(&t, 500, 1, 0, 'R', 13);
	switches(&t, 510, 1, 13, 'X', 0);
	switches(&t, 900, 1, 0, 'R', 13);
	assert_int_equal(track(&t, 13)->wait_ns, 0);
	stop(&t);
}

static void test_cpus(void **state)
{
	struct under_test t;

	(void)state;
	start(&t);
	switches(&t, 100, 0, 11, 'S', 0);
	assert_int_equal(t.t.nr_cpus, 1);
	switches(&t, 500, 3, 12, 'S', 11); /* how long 12 ran there is not known */
	assert_true(t.step.is_first);
	assert_int_equal(track(&t, 12)->times_ns[TIMELINE_RUNNING], 0);
	assert_int_equal(t.t.nr_cpus, 2);
	assert_int_equal(t.t.nr_gaps, 0);
	t.e.cpu = TIMELINE_MAX_CPUS;
	assert_false(timeline_add(&t.t, &t.e, &t.step));
	assert_int_equal(t.t.nr_bad_cpus, 1);
	stop(&t);
}

static void test_migration(void **state)
{
	struct under_test t;

	(void)state;
	start(&t);
	switches(&t, 100, 0, 11, 'S', 0);
	wake(&t, 200, SCHED_WAKING, 11);
	t.e = (struct sched_event){ .kind = SCHED_MIGRATE, .time_ns = 230, .tid = 11, .from_cpu = 0, .to_cpu = 1 };
	assert_true(timeline_add(&t.t, &t.e, &t.step));
	switches(&t, 250, 1, 0, 'R', 11);
	assert_int_equal(track(&t, 11)->migration_ns, 30);
	assert_int_equal(track(&t, 11)->delay_ns, 50);
	assert_int_equal(track(&t, 11)->nr_migrations, 1);
	assert_int_equal(track(&t, 11)->cpu, 1);
	stop(&t);
}

/* A record that came too late for the order of time is a gap, and no time is negative. */
static void test_backwards(void **state)
{
	struct under_test t;

	(void)state;
	start(&t);
	switches(&t, 500, 0, 11, 'S', 12);
	switches(&t, 400, 0, 12, 'S', 11);
	assert_false(t.step.is_run_known);
	timeline_finish(&t.t);
	assert_int_equal(track(&t, 12)->times_ns[TIMELINE_RUNNING], 0);
	assert_int_equal(track(&t, 11)->times_ns[TIMELINE_SLEEPS], 0);
	stop(&t);
}

static void test_window(void **state)
{
	struct under_test t;
	struct run_sums sums = { 0 };
	struct run r;

	(void)state;
	start(&t);
	switches(&t, 100, 0, 11, 'S', 12);
	switches(&t, 1100, 0, 12, 'S', 11);
	assert_true(run_init(&r, &t.t, &t.e, &t.step, 0, UINT64_MAX));
	assert_int_equal(r.run_ns, 1000);
	run_sums_add(&sums, t.step.from, &r);
	assert_true(run_init(&r, &t.t, &t.e, &t.step, 600, 900));
	assert_int_equal(r.run_ns, 300);
	assert_int_equal(r.end_ns, 900);
	run_sums_add(&sums, t.step.from, &r);
	assert_false(run_init(&r, &t.t, &t.e, &t.step, 1101, 2000));
	assert_false(run_init(&r, &t.t, &t.e, &t.step, 0, 99));
	assert_int_equal(sums.v.v[t.step.from].nr, 2);
	assert_int_equal(sums.v.v[t.step.from].total_ns, 1300);
	assert_int_equal(sums.v.v[t.step.from].min_ns, 300);
	assert_int_equal(sums.v.v[t.step.from].max_ns, 1000);
	/* 650 ± 350: the deviation of the mean of two */
	assert_true(run_sum_spread(&sums.v.v[t.step.from]) > 53.84 && run_sum_spread(&sums.v.v[t.step.from]) < 53.85);
	run_sums_fini(&sums);
	stop(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_states),	     cmocka_unit_test(test_missing_switch), cmocka_unit_test(test_lost_records),
		cmocka_unit_test(test_missing_wake), cmocka_unit_test(test_tid_used_again), cmocka_unit_test(test_cpus),
		cmocka_unit_test(test_migration),    cmocka_unit_test(test_backwards),	    cmocka_unit_test(test_window),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
