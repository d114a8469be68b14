/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * model/sched_events.h, model/timeline.h, model/sched_replay.h and the views of `sched`, on any records of the scheduler: the formats are known;
 * bytes, lengths, times and CPUs are not. A record is a byte that says which event, one for the CPU, one for the time that passed, one for the
 * length of its raw bytes, and these. The events behind the last one are losses, new tasks and ends of tasks.
 */
#include "../unit/session_fixture.h"
#include "../unit/trace_fixture.h"
#include "view/sched_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define COMMON "\tfield:int common_pid;\toffset:0;\tsize:4;\tsigned:1;\n\n"
#define RAW_MAX 72
#define WOKEN                                                                                                                              \
	COMMON FIELD("char comm[16]", 8, 16, 0) FIELD("pid_t pid", 24, 4, 1) FIELD("int prio", 28, 4, 1) FIELD("int target_cpu", 32, 4, 1) \
		PRINT "\"%d\", REC->pid\n"

static const char *const formats[] = {
	"name: sched_switch\nID: 1\nformat:\n" COMMON FIELD("char prev_comm[16]", 8, 16, 0) FIELD("pid_t prev_pid", 24, 4, 1)
		FIELD("int prev_prio", 28, 4, 1) FIELD("long prev_state", 32, 8, 1) FIELD("char next_comm[16]", 40, 16, 0)
			FIELD("pid_t next_pid", 56, 4, 1) FIELD("int next_prio", 60, 4, 1) PRINT
	"\"prev_state=%s\", REC->prev_state ? __print_flags(REC->prev_state, \"|\", { 1, \"S\" }, { 2, \"D\" }, { 32, \"Z\" }) : \"R\"\n",
	"name: sched_waking\nID: 2\nformat:\n" WOKEN,
	"name: sched_wakeup_new\nID: 3\nformat:\n" WOKEN,
	"name: sched_migrate_task\nID: 4\nformat:\n" COMMON FIELD("__data_loc char[] comm", 8, 4, 0) FIELD("pid_t pid", 12, 4, 1)
		FIELD("int orig_cpu", 16, 4, 1) FIELD("int dest_cpu", 20, 4, 1) PRINT "\"%d\", REC->pid\n",
	"name: sched_stat_runtime\nID: 5\nformat:\n" COMMON FIELD("__data_loc char[] comm", 8, 4, 0) FIELD("pid_t pid", 12, 4, 1)
		FIELD("u64 runtime", 16, 8, 0) PRINT "\"%d\", REC->pid\n",
	NULL,
};
static const char *const names[] = { "sched:sched_switch", "sched:sched_waking", "sched:sched_wakeup_new", "sched:sched_migrate_task",
				     "sched:sched_stat_runtime" };
#define NR_EVENTS (sizeof(names) / sizeof(names[0]))
enum { LOSS = NR_EVENTS, BIRTH, DEATH, NR_KINDS };

struct views {
	struct fixture f;
	struct timeline t;
	struct sched_events events;
	struct sched_map map, compact;
	struct sched_timehist hist, idle;
	struct sched_replay replay;
	struct filter filter;
	struct out o;
};

static void set_up(struct views *v)
{
	v->events.recording = &v->f.s.recording;
	timeline_init(&v->t, &v->f.s.machine);
	v->t.has_waking = true;
	out_init(&v->o, -1);
	v->map.o = v->compact.o = v->hist.o = v->idle.o = &v->o;
	v->replay.t = v->map.t = v->compact.t = v->hist.t = v->idle.t = &v->t;
	v->compact.is_compact = v->compact.is_fuzzy = true;
	filter_add_names(&v->compact.task_names, "a,b");
	v->hist = (struct sched_timehist){ .o = &v->o,
					   .t = &v->t,
					   .profile = &v->f.p,
					   .filter = &v->filter,
					   .from_ns = 20,
					   .to_ns = 2000,
					   .shows_lines = true,
					   .shows_wakes = true,
					   .shows_migrations = true,
					   .shows_next = true,
					   .shows_cpus = true,
					   .shows_state = true,
					   .nr_cpus = 4 };
	v->idle = (struct sched_timehist){ .o = &v->o,
					   .t = &v->t,
					   .profile = &v->f.p,
					   .filter = &v->filter,
					   .to_ns = UINT64_MAX,
					   .shows_lines = true,
					   .only_idle = true };
}

static void add_sample(struct views *v, const struct session_record *sr)
{
	struct timeline_step step;
	struct errbuf eb = { 0 };
	struct sched_event e;

	if (sched_events_read(&v->events, sr, &e, &eb) <= 0 || !timeline_add(&v->t, &e, &step))
		return;
	if (e.kind == SCHED_SWITCH) {
		sched_map_add(&v->map, &e, &step);
		sched_map_add(&v->compact, &e, &step);
	}
	sched_timehist_add(&v->hist, sr, &e, &step);
	sched_timehist_add(&v->idle, sr, &e, &step);
	sched_replay_add(&v->replay, &e, &step, sr->task);
}

/* Does steps as far as none has to wait, until all are done: no task may wait for good. */
static void replay(const struct sched_replay *r)
{
	uint32_t *next = calloc(r->tasks.nr + 1, sizeof(*next)), *woken = calloc(r->tasks.nr + 1, sizeof(*woken));
	bool is_any = true;

	while (is_any) {
		is_any = false;
		for (uint32_t i = 0; i < r->tasks.nr; i++) {
			for (; next[i] < r->tasks.v[i].steps.nr; next[i]++, is_any = true) {
				struct sched_replay_step s = r->tasks.v[i].steps.v[next[i]];

				if (sched_replay_kind(s) == SCHED_REPLAY_WAIT && woken[i] < sched_replay_value(s))
					break;
				if (sched_replay_kind(s) == SCHED_REPLAY_WAKE && woken[sched_replay_target(s)] < sched_replay_value(s))
					woken[sched_replay_target(s)] = (uint32_t)sched_replay_value(s);
			}
		}
	}
	for (uint32_t i = 0; i < r->tasks.nr; i++)
		if (next[i] != r->tasks.v[i].steps.nr)
			abort();
	free(next);
	free(woken);
}

/* The last byte of the CPU's makes it one that cannot be. */
static uint32_t cpu_of(uint8_t byte)
{
	return byte == 255 ? UINT32_MAX : byte % 8;
}

static void add_other(struct views *v, uint8_t kind, uint32_t cpu, uint64_t time_ns, int32_t tid)
{
	struct task_table *tasks = &v->f.s.machine.tasks;
	struct task *task;

	if (kind == LOSS) {
		timeline_lose(&v->t, cpu);
	} else if (kind == BIRTH) {
		task = task_table_fork(tasks, tid, tid, 1, 1, true);
		timeline_begin_task(&v->t, task, time_ns);
		sched_map_rename(&v->map, task);
	} else if ((task = task_table_find(tasks, tid))) {
		task_table_exit(tasks, task);
	}
}

static void add_records(struct views *v, const uint8_t *data, size_t size)
{
	struct record_header h = { .type = RECORD_SAMPLE, .misc = MISC_KERNEL };
	uint64_t time_ns = 1;

	while (size >= 4) {
		size_t len = data[3] % RAW_MAX < size - 4 ? data[3] % RAW_MAX : size - 4;
		uint8_t *raw = malloc(len ? len : 1); /* as long as it says: ASan sees the end */
		struct session_record sr = { .header = &h, .event = 1 + data[0] % NR_KINDS };

		sr.task = task_table_get(&v->f.s.machine.tasks, 1, 1 + data[2] % 3);
		memcpy(raw, data + 4, len);
		time_ns = data[2] == 255 ? time_ns / 2 : time_ns + data[2];
		sr.time_ns = time_ns;
		sr.rec.header = &h;
		sr.rec.sample = (struct sample){ .pid = 1, .tid = 1, .cpu = cpu_of(data[1]), .raw = raw, .raw_size = (uint32_t)len };
		if ((uint32_t)sr.event <= NR_EVENTS)
			add_sample(v, &sr);
		else
			add_other(v, data[0] % NR_KINDS, cpu_of(data[1]), time_ns, data[3]);
		free(raw);
		data += 4 + len;
		size -= 4 + len;
	}
}

static void print(struct views *v)
{
	struct sched_latency by_name = { .keys = { SCHED_BY_AVERAGE }, .nr_keys = 1 }, by_task = { .keys = { SCHED_BY_TID }, .nr_keys = 1 };

	timeline_finish(&v->t);
	sched_replay_finish(&v->replay);
	replay(&v->replay);
	sched_replay_print_tasks(&v->o, &v->replay, true);
	by_task.by_task = true;
	sched_latency_print(&by_name, &v->o, &v->t, 0);
	sched_latency_print(&by_task, &v->o, &v->t, 1);
	sched_timehist_sums(&v->hist, 2);
	sched_timehist_sums(&v->idle, 0);
	for (int i = SCHED_TEXT; i <= SCHED_JSON; i++)
		sched_summary_print(&v->o, &v->t, (enum sched_format)i);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct views v = { 0 };
	struct out blob;

	fixture_init(&v.f);
	out_init(&blob, -1);
	formats_put(&blob, "sched", formats);
	v.f.info.tracing_data = blob.buf;
	v.f.info.tracing_data_size = blob.len;
	for (uint32_t i = 0; i < NR_EVENTS; i++) {
		fixture_event(&v.f, names[i]);
		v.f.info.events.v[i + 1].attr.type = ATTR_TYPE_TRACEPOINT;
		v.f.info.events.v[i + 1].attr.config = 1 + i;
	}
	set_up(&v);
	fixture_task(&v.f, 1, 1, "a");
	add_records(&v, data, size);
	print(&v);
	sched_map_fini(&v.map);
	sched_map_fini(&v.compact);
	sched_timehist_fini(&v.hist);
	sched_timehist_fini(&v.idle);
	sched_replay_fini(&v.replay);
	sched_events_fini(&v.events);
	timeline_fini(&v.t);
	out_fini(&v.o);
	fixture_fini(&v.f);
	out_fini(&blob);
	return 0;
}
