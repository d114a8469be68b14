/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * model/wall.h, wall_events.h and wall_path.h: parts of a thread add up to its elapsed time, with losses, too; classes by calls and files;
 * critical paths across threads; samples that hold less than they promise.
 */
#include "session_fixture.h"

#include "abi/wall_sample.h"
#include "model/wall.h"
#include "model/wall_events.h"
#include "model/wall_path.h"
#include "model/wall_spans.h"

#define MS 1000000u

struct under_test {
	struct fixture f;
	struct timeline t;
	struct wall w;
};

static void start(struct under_test *t)
{
	memset(t, 0, sizeof(*t));
	fixture_init(&t->f);
	t->f.info.arch = (char *)"x86_64";
	fixture_event(&t->f, WALL_SAMPLE_NAME);
	t->f.info.events.v[1].attr.type = ATTR_TYPE_TRACEPOINT;
	t->f.info.events.v[1].attr.config = WALL_SAMPLE_ID;
	timeline_init(&t->t, &t->f.s.machine);
	t->t.has_waking = true;
	wall_init(&t->w, &t->f.p, &t->t);
	fixture_task(&t->f, 11, 11, "alpha");
	fixture_task(&t->f, 11, 12, "beta");
	fixture_task(&t->f, 11, 13, "gamma");
}

static void stop(struct under_test *t)
{
	t->f.info.arch = NULL;
	wall_fini(&t->w);
	timeline_fini(&t->t);
	fixture_fini(&t->f);
}

static bool read_sample(struct under_test *t, uint64_t time_ns, uint32_t cpu, int32_t tid, const struct wall_sample *raw, uint32_t size,
			struct sched_event *e, enum wall_class *class, struct session_record *sr)
{
	static struct record_header h = { .type = RECORD_SAMPLE, .misc = MISC_USER };

	*sr = (struct session_record){ .header = &h, .event = 1, .time_ns = time_ns };
	sr->task = task_table_get(&t->f.s.machine.tasks, 11, tid);
	sr->rec.header = &h;
	sr->rec.sample = (struct sample){ .pid = 11, .tid = (uint32_t)tid, .cpu = cpu, .raw = (const uint8_t *)raw, .raw_size = size };
	assert_true(wall_events_is(&t->f.s.recording, 1));
	return wall_events_read(&t->f.s.recording, sr, e, class);
}

/* `of`: the task of the sample, which is the waker of a wake. */
static void add(struct under_test *t, uint64_t time_ns, uint32_t cpu, int32_t of, struct wall_sample raw)
{
	struct timeline_step step;
	struct session_record sr;
	enum wall_class class;
	struct sched_event e;

	assert_true(read_sample(t, time_ns, cpu, of, &raw, sizeof(raw), &e, &class, &sr));
	assert_true(timeline_add(&t->t, &e, &step));
	wall_add(&t->w, &sr, &e, &step, class);
}

static void leave(struct under_test *t, uint64_t time_ns, uint32_t cpu, int32_t tid, uint32_t state, uint32_t call, uint32_t mode)
{
	add(t, time_ns, cpu, tid,
	    (struct wall_sample){ .kind = WALL_SAMPLE_LEFT, .tid = tid, .state = state, .call = call, .file_mode = mode });
}

static void back(struct under_test *t, uint64_t time_ns, uint32_t cpu, int32_t tid)
{
	add(t, time_ns, cpu, tid, (struct wall_sample){ .kind = WALL_SAMPLE_BACK, .tid = tid });
}

static void wake(struct under_test *t, uint64_t time_ns, int32_t waker, int32_t tid, bool is_irq)
{
	add(t, time_ns, 0, waker, (struct wall_sample){ .kind = WALL_SAMPLE_WOKEN, .tid = tid, .flags = is_irq ? WALL_SAMPLE_IN_IRQ : 0 });
}

static const struct wall_thread *thread(struct under_test *t, int32_t tid)
{
	return &t->w.threads.v[timeline_track_of(&t->t, task_table_find(&t->f.s.machine.tasks, tid))];
}

static void finish(struct under_test *t)
{
	if (t->w.last_ns > t->t.last_ns)
		t->t.last_ns = t->w.last_ns;
	timeline_finish(&t->t);
	wall_finish(&t->w, NULL, NULL);
	for (uint32_t i = 0; i < t->w.threads.nr; i++) {
		const struct wall_thread *k = &t->w.threads.v[i];
		uint64_t sum_ns = 0;

		for (int c = 0; c < WALL_NR_CLASSES; c++)
			sum_ns += k->ns[c];
		if (k->is_shown)
			assert_int_equal(sum_ns, wall_elapsed_ns(k));
	}
}

/* Recording begins, or ends. */
static void limit(struct under_test *t, uint64_t time_ns)
{
	struct wall_sample raw = { .kind = WALL_SAMPLE_LIMIT };
	struct session_record sr;
	enum wall_class class;
	struct sched_event e;

	assert_false(read_sample(t, time_ns, 0, 11, &raw, sizeof(raw), &e, &class, &sr));
	assert_true(wall_events_is_limit(&t->f.s.recording, &sr));
	wall_add_limit(&t->w, time_ns);
}

/* It was found blocked. False: it is known better. */
static bool waits(struct under_test *t, uint64_t time_ns, int32_t tid, uint32_t state, uint32_t call)
{
	struct wall_sample raw = { .kind = WALL_SAMPLE_WAITING, .tid = tid, .state = state, .call = call };
	struct session_record sr;
	enum wall_class class;
	struct sched_event e;
	char letter;

	assert_false(read_sample(t, time_ns, 0, tid, &raw, sizeof(raw), &e, &class, &sr));
	assert_true(wall_events_read_waiting(&t->f.s.recording, &sr, &letter, &class));
	if (!timeline_begin_wait(&t->t, sr.task, letter, t->w.first_ns))
		return false;
	wall_add_waiting(&t->w, &sr, timeline_track_of(&t->t, sr.task), letter, class);
	return true;
}

enum { READ = 0, FUTEX = 202, NANOSLEEP = 35, FSYNC = 74, EPOLL_WAIT = 232 }; /* of x86_64 */

/* It waits in one place four times, and after each wake for a CPU. */
static bool is_idle_with_delays(uint64_t delay_ns)
{
	struct under_test t;
	uint64_t now = MS;
	bool is_idle;

	start(&t);
	back(&t, now, 0, 12);
	for (int i = 0; i < 4; i++) {
		leave(&t, now += MS, 0, 12, 1, FUTEX, 0);
		wake(&t, now += 100 * MS, 13, 12, false);
		back(&t, now += delay_ns, 0, 12);
	}
	leave(&t, now += MS, 0, 12, 1, FUTEX, 0);
	finish(&t);
	is_idle = thread(&t, 12)->is_idle;
	stop(&t);
	return is_idle;
}

static void test_idle(void **state)
{
	(void)state;
	assert_true(is_idle_with_delays(MS));
	/* On a busy machine it is no less idle; one that waits for a CPU for a third of its time is not. */
	assert_true(is_idle_with_delays(20 * MS));
	assert_false(is_idle_with_delays(50 * MS));
}

static void test_classes(void **state)
{
	static const struct {
		uint32_t call, mode, flags;
		enum wall_class class;
	} cases[] = {
		{ READ, 0010600, 0, WALL_PIPE },	   { READ, 0140777, 0, WALL_NETWORK },
		{ READ, 0100644, 0, WALL_DISK },	   { READ, 0020620, 0, WALL_OTHER },
		{ FUTEX, 0010600, 0, WALL_FUTEX },	   { NANOSLEEP, 0, 0, WALL_SLEEP },
		{ FSYNC, 0100644, 0, WALL_DISK },	   { EPOLL_WAIT, 0, 0, WALL_POLL },
		{ 9, 0, WALL_SAMPLE_IN_IO, WALL_DISK },	   { WALL_SAMPLE_NO_CALL, 0, WALL_SAMPLE_IN_FAULT, WALL_FAULT },
		{ WALL_SAMPLE_NO_CALL, 0, 0, WALL_OTHER }, { 100000, 0, 0, WALL_OTHER },
	};
	struct session_record sr;
	enum wall_class class;
	struct sched_event e;
	struct under_test t;

	(void)state;
	start(&t);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct wall_sample raw = { .kind = WALL_SAMPLE_LEFT,
					   .tid = 11,
					   .state = 1,
					   .call = cases[i].call,
					   .file_mode = cases[i].mode,
					   .flags = cases[i].flags };

		assert_true(read_sample(&t, 1, 0, 11, &raw, sizeof(raw), &e, &class, &sr));
		assert_int_equal(class, cases[i].class);
		assert_int_equal(e.state, 'S');
		assert_false(read_sample(&t, 1, 0, 11, &raw, sizeof(raw) - 1, &e, &class, &sr));
		raw.kind = 77;
		assert_false(read_sample(&t, 1, 0, 11, &raw, sizeof(raw), &e, &class, &sr));
	}
	stop(&t);
}

static void test_parts(void **state)
{
	struct under_test t;
	const struct wall_thread *k;

	(void)state;
	start(&t);
	back(&t, 100 * MS, 0, 11);
	leave(&t, 110 * MS, 0, 11, 1, READ, 0010600);
	wake(&t, 130 * MS, 12, 11, false);
	back(&t, 135 * MS, 0, 11);
	leave(&t, 140 * MS, 0, 11, 0, WALL_SAMPLE_NO_CALL, 0); /* preempted */
	back(&t, 143 * MS, 1, 11);
	leave(&t, 150 * MS, 1, 11, 2, FSYNC, 0100644);
	wake(&t, 170 * MS, 0, 11, true);
	back(&t, 170 * MS, 1, 11);
	leave(&t, 200 * MS, 1, 11, 0x80, WALL_SAMPLE_NO_CALL, 0); /* the end */
	back(&t, 250 * MS, 1, 12);
	finish(&t);
	k = thread(&t, 11);
	assert_int_equal(wall_elapsed_ns(k), 100 * MS);
	assert_int_equal(k->ns[WALL_RUNNING], (10 + 5 + 7 + 30) * MS);
	assert_int_equal(k->ns[WALL_RUNNABLE], (5 + 3) * MS);
	assert_int_equal(k->ns[WALL_PIPE], 20 * MS);
	assert_int_equal(k->ns[WALL_DISK], 20 * MS);
	assert_int_equal(k->ns[WALL_UNKNOWN], 0);
	assert_int_equal(k->nr_waits, 2);
	stop(&t);
}

/* What was lost is unknown, not blocked. */
static void test_losses(void **state)
{
	struct under_test t;
	const struct wall_thread *k;

	(void)state;
	start(&t);
	back(&t, 100 * MS, 0, 11);
	leave(&t, 110 * MS, 0, 11, 1, READ, 0010600);
	timeline_lose(&t.t, TIMELINE_NONE);
	back(&t, 150 * MS, 0, 11);
	leave(&t, 160 * MS, 0, 11, 1, FUTEX, 0);
	back(&t, 180 * MS, 0, 11); /* its wake is missing */
	leave(&t, 190 * MS, 0, 11, 1, FUTEX, 0);
	leave(&t, 200 * MS, 0, 11, 1, FUTEX, 0); /* its return is */
	finish(&t);
	k = thread(&t, 11);
	assert_int_equal(wall_elapsed_ns(k), 100 * MS);
	assert_int_equal(k->ns[WALL_PIPE], 0);
	assert_int_equal(k->ns[WALL_RUNNING], 30 * MS);
	assert_int_equal(k->ns[WALL_FUTEX], 20 * MS);
	assert_int_equal(k->ns[WALL_UNKNOWN], 50 * MS);
	assert_true(t.w.nr_gaps > 0);
	stop(&t);
}

/* It is seen to run, and when it came back is missing: blocked until it was woken, unknown until then. */
static void test_seen(void **state)
{
	struct under_test t;
	const struct wall_thread *k;
	const struct task *task;

	(void)state;
	start(&t);
	task = task_table_find(&t.f.s.machine.tasks, 11);
	back(&t, 100 * MS, 0, 11);
	assert_false(timeline_see(&t.t, task, 0, 105 * MS)); /* that is known */
	leave(&t, 110 * MS, 0, 11, 1, NANOSLEEP, 0);
	assert_false(timeline_see(&t.t, task, 0, 110 * MS + 5000)); /* it still leaves */
	wake(&t, 130 * MS, 12, 11, true);
	assert_true(timeline_see(&t.t, task, 1, 135 * MS));
	wall_see(&t.w, timeline_track_of(&t.t, task), 135 * MS);
	leave(&t, 140 * MS, 1, 11, 1, NANOSLEEP, 0);
	back(&t, 160 * MS, 1, 11);
	finish(&t);
	k = thread(&t, 11);
	assert_int_equal(k->ns[WALL_SLEEP], 40 * MS);
	assert_int_equal(k->ns[WALL_UNKNOWN], 5 * MS);
	assert_int_equal(k->ns[WALL_RUNNING], 15 * MS);
	assert_int_equal(k->ns[WALL_RUNNABLE], 0);
	assert_int_equal(k->nr_waits, 2);
	stop(&t);
}

static void check_step(struct under_test *t, const struct wall_step *s, int32_t tid, enum wall_class class, uint64_t begin_ns,
		       uint64_t end_ns)
{
	assert_int_equal(wall_task(&t->w, s->thread)->tid, tid);
	assert_int_equal(s->class, class);
	assert_int_equal(s->begin_ns, begin_ns);
	assert_int_equal(s->end_ns, end_ns);
}

/* alpha waits for beta, beta for gamma, gamma for a timer. */
static void make_chain(struct under_test *t)
{
	back(t, 100 * MS, 0, 11);
	back(t, 100 * MS, 1, 12);
	back(t, 100 * MS, 2, 13);
	leave(t, 105 * MS, 2, 13, 1, NANOSLEEP, 0);
	leave(t, 110 * MS, 0, 11, 1, FUTEX, 0);
	leave(t, 110 * MS, 1, 12, 1, FUTEX, 0);
	wake(t, 120 * MS, 12, 13, true);
	back(t, 121 * MS, 2, 13);
	wake(t, 150 * MS, 13, 12, false);
	back(t, 152 * MS, 1, 12);
	wake(t, 180 * MS, 12, 11, false);
	back(t, 181 * MS, 0, 11);
	leave(t, 190 * MS, 0, 11, 1, READ, 0010600);
	finish(t);
}

static void test_path(void **state)
{
	struct under_test t;
	struct wall_path p;

	(void)state;
	start(&t);
	make_chain(&t);
	assert_true(wall_path_longest(&p, &t.w));
	assert_int_equal(wall_task(&t.w, p.thread)->tid, 11);
	assert_int_equal(p.steps.nr, 6);
	check_step(&t, &p.steps.v[0], 13, WALL_SLEEP, 110 * MS, 120 * MS);
	check_step(&t, &p.steps.v[1], 13, WALL_RUNNABLE, 120 * MS, 121 * MS);
	check_step(&t, &p.steps.v[2], 13, WALL_RUNNING, 121 * MS, 150 * MS);
	check_step(&t, &p.steps.v[3], 12, WALL_RUNNABLE, 150 * MS, 152 * MS);
	check_step(&t, &p.steps.v[4], 12, WALL_RUNNING, 152 * MS, 180 * MS);
	check_step(&t, &p.steps.v[5], 11, WALL_RUNNABLE, 180 * MS, 181 * MS);
	wall_path_fini(&p);
	assert_true(wall_path_find(&p, &t.w, 140 * MS, 185 * MS));
	assert_int_equal(p.steps.v[0].begin_ns, 140 * MS);
	assert_int_equal(p.steps.v[p.steps.nr - 1].end_ns, 185 * MS);
	wall_path_fini(&p);
	assert_false(wall_path_find(&p, &t.w, 1000 * MS, 2000 * MS));
	stop(&t);
}

/* Of threads that were blocked when recording began: what for, until they are woken or the recording ends. What was seen before counts more. */
static void test_waiting(void **state)
{
	const struct wall_thread *k;
	struct under_test t;

	(void)state;
	start(&t);
	limit(&t, 100 * MS);
	wake(&t, 101 * MS, 13, 13, false);
	back(&t, 102 * MS, 0, 13);
	assert_true(waits(&t, 103 * MS, 11, 1, FUTEX));
	assert_true(waits(&t, 104 * MS, 12, 2, FSYNC));
	leave(&t, 104 * MS, 0, 13, 1, NANOSLEEP, 0);
	assert_false(waits(&t, 105 * MS, 13, 1, FUTEX));
	wake(&t, 140 * MS, 13, 12, false);
	back(&t, 141 * MS, 0, 12);
	leave(&t, 151 * MS, 0, 12, 1, NANOSLEEP, 0);
	limit(&t, 200 * MS);
	finish(&t);
	k = thread(&t, 11);
	assert_int_equal(k->ns[WALL_FUTEX], 100 * MS);
	assert_int_equal(wall_elapsed_ns(k), 100 * MS);
	assert_true(k->is_shown && k->is_idle);
	k = thread(&t, 12);
	assert_int_equal(k->ns[WALL_DISK], 40 * MS);
	assert_int_equal(k->ns[WALL_RUNNABLE], 1 * MS);
	assert_int_equal(k->ns[WALL_RUNNING], 10 * MS);
	assert_int_equal(k->ns[WALL_SLEEP], 49 * MS);
	k = thread(&t, 13);
	assert_int_equal(k->ns[WALL_OTHER], 1 * MS);
	assert_int_equal(k->ns[WALL_SLEEP], 96 * MS);
	assert_int_equal(t.w.nr_gaps, 0);
	stop(&t);

	/* Records that were lost may have been about them. */
	start(&t);
	limit(&t, 100 * MS);
	timeline_lose(&t.t, TIMELINE_NONE);
	assert_false(waits(&t, 103 * MS, 11, 1, FUTEX));
	stop(&t);
}

/* Two threads that are said to have woken each other at one time: the walk ends. */
static void test_path_in_circle(void **state)
{
	struct under_test t;
	struct wall_path p;

	(void)state;
	start(&t);
	back(&t, 100 * MS, 0, 11);
	back(&t, 100 * MS, 1, 12);
	leave(&t, 110 * MS, 0, 11, 1, FUTEX, 0);
	leave(&t, 110 * MS, 1, 12, 1, FUTEX, 0);
	wake(&t, 150 * MS, 12, 11, false);
	wake(&t, 150 * MS, 11, 12, false);
	back(&t, 160 * MS, 0, 11);
	back(&t, 160 * MS, 1, 12);
	finish(&t);
	assert_true(wall_path_longest(&p, &t.w));
	assert_int_equal(p.steps.v[0].begin_ns, 110 * MS);
	wall_path_fini(&p);
	stop(&t);
}

/* The spans of a time chart have the class of their wait; what ran, and what waited for a CPU, stay as they are. */
static void test_spans(void **state)
{
	struct span_store s;
	struct under_test t;
	uint32_t track;
	const struct span_track *k;

	(void)state;
	start(&t);
	span_store_init(&s, SPAN_DEFAULT_LIMIT);
	span_store_watch(&s, &t.t);
	back(&t, 10 * MS, 0, 11);
	leave(&t, 20 * MS, 0, 11, 1, FUTEX, 0);
	wake(&t, 50 * MS, 12, 11, false);
	back(&t, 51 * MS, 0, 11);
	leave(&t, 60 * MS, 0, 11, 1, NANOSLEEP, 0);
	wake(&t, 70 * MS, 12, 11, true);
	back(&t, 70 * MS + 1000, 0, 11);
	leave(&t, 80 * MS, 0, 11, 0, WALL_SAMPLE_NO_CALL, 0);
	back(&t, 82 * MS, 0, 11);
	leave(&t, 90 * MS, 0, 11, 2, FSYNC, 0);
	wake(&t, 95 * MS, 12, 11, true);
	back(&t, 96 * MS, 0, 11);
	finish(&t);
	wall_spans_explain(&s, &t.w);
	track = span_store_find(&s, SPAN_OF_TASK, timeline_track_of(&t.t, task_table_find(&t.f.s.machine.tasks, 11)));
	assert_true(track != SPAN_NO_TRACK);
	k = &s.tracks.v[track];
	for (uint32_t i = 0; i < k->spans.nr; i++) {
		const struct span *span = &k->spans.v[i];
		uint64_t ms = span->begin_ns / MS;
		int want = ms == 20 ? SPAN_ON_FUTEX : ms == 60 ? SPAN_ON_TIMER : ms == 90 ? SPAN_ON_DISK : ms == 80 ? SPAN_PREEMPTED : -1;

		if (want >= 0)
			assert_int_equal(span->state, want);
		else
			assert_true(span->state == SPAN_RUNNING || span->state == SPAN_WOKEN);
	}
	assert_true(k->spans.nr >= 10);
	for (uint32_t i = 0; i < s.tracks.nr; i++)
		assert_true(s.tracks.v[i].kind == SPAN_OF_TASK || !s.tracks.v[i].spans.nr);
	span_store_fini(&s);
	stop(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_idle),	       cmocka_unit_test(test_classes), cmocka_unit_test(test_parts),
		cmocka_unit_test(test_losses),	       cmocka_unit_test(test_seen),    cmocka_unit_test(test_path),
		cmocka_unit_test(test_path_in_circle), cmocka_unit_test(test_spans),   cmocka_unit_test(test_waiting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
