/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * model/calls.h, call_parts.h and their views on any order of entries, returns, switches, samples and ends of threads. A record is four bytes: what it
 * is, the time that passed, the thread, and a stack pointer. The parts of each call add up to its time, whatever comes, and each entry is
 * accounted for.
 */
#include "../unit/session_fixture.h"

#include "view/calls_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct under_test {
	struct fixture f;
	struct wall_records r;
	struct calls c;
	struct call_notes n;
};

static void switch_tasks(struct under_test *t, const struct session_record *sr, uint8_t how)
{
	int32_t tid = sr->task->tid;
	struct sched_event e = { .kind = SCHED_SWITCH, .time_ns = sr->time_ns, .cpu = how % 3, .state = how & 4 ? 'S' : 'R' };
	struct timeline_step step;

	e.tid = how & 8 ? tid : 0;
	e.next_tid = how & 8 ? (how & 16 ? 1 + tid % 4 : 0) : tid;
	if (timeline_add(&t->r.timeline, &e, &step))
		wall_add(&t->r.wall, sr, &e, &step, how & 32 ? WALL_FUTEX : WALL_UNKNOWN);
}

static void add_records(struct under_test *t, const uint8_t *data, size_t size)
{
	struct record_header sample = { .type = RECORD_SAMPLE, .misc = MISC_USER }, end = { .type = RECORD_EXIT };
	struct errbuf eb = { 0 };
	uint64_t time_ns = 1000;

	for (; size >= 4; data += 4, size -= 4) {
		uint8_t kind = data[0] % 6;
		struct session_record sr = { .header = kind == 3 ? &end : &sample, .event = 0 };

		time_ns = data[1] == 255 ? time_ns / 2 + 1 : time_ns + data[1];
		sr.time_ns = time_ns;
		sr.task = task_table_get(&t->f.s.machine.tasks, 1, 1 + data[2] % 4);
		sr.rec.header = sr.header;
		sr.rec.sample = (struct sample){ .pid = 1, .tid = 1u + data[2] % 4, .period = 1 };
		if (kind < 3)
			calls_take_probe(&t->c, &sr, CALL_ENTRY + kind, data[3] ? data[3] * 8ull : (data[2] & 64 ? UINT64_MAX : 0));
		else if (kind == 3)
			calls_take(&t->c, &sr, &eb);
		else if (kind == 4)
			switch_tasks(t, &sr, data[3]);
		else
			call_notes_take(&t->n, &sr);
	}
}

static void check(const struct under_test *t, uint64_t nr_measured)
{
	for (uint32_t i = 0; i < t->c.v.nr; i++) {
		struct call_parts p;
		uint64_t sum_ns = 0;

		call_parts_find(&p, &t->c.v.v[i], &t->r.wall, &t->n);
		for (uint32_t k = 0; k < CALL_NR_PARTS; k++)
			sum_ns += p.ns[k];
		if (sum_ns != call_took_ns(&t->c.v.v[i]))
			abort();
	}
	/* Those that ended before they began, by their clocks, are not measured. */
	if (nr_measured + t->c.nr_left + t->c.nr_ended + t->c.nr_open > t->c.nr_begun)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct under_test t = { 0 };
	struct errbuf eb = { 0 };
	struct calls_view v = { .what = "work()", .max_calls = 3, .max_frames = 8 };
	struct out o;

	fixture_init(&t.f);
	t.f.info.arch = (char *)(uintptr_t)(size && data[0] & 128 ? "aarch64" : "x86_64");
	wall_records_init(&t.r, &t.f.s.recording, &t.f.s.machine, &t.f.p);
	call_notes_init(&t.n, &t.r, &t.f.p);
	calls_init(&t.c, &t.f.p, &t.r.timeline, &t.f.s.recording, NULL, NULL, NULL, &eb);
	t.c.measures_nested = true;
	add_records(&t, data, size);
	calls_finish(&t.c, &eb);
	wall_records_end(&t.r);
	wall_finish(&t.r.wall, NULL, NULL);
	call_notes_finish(&t.n);
	check(&t, t.c.v.nr);
	v.calls = &t.c;
	v.wall = &t.r.wall;
	v.notes = &t.n;
	v.slower_ns = calls_permille(&t.c, 990);
	calls_view_make(&v);
	out_init(&o, -1);
	calls_text_print(&o, &v);
	calls_json_print(&o, &v);
	out_fini(&o);
	t.f.info.arch = NULL;
	call_notes_fini(&t.n);
	calls_fini(&t.c);
	wall_records_fini(&t.r);
	fixture_fini(&t.f);
	return 0;
}
