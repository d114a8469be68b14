/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * model/span_store.h and its readers of events (model/power_spans.h, model/io_spans.h), and the time chart that is drawn of it, on any records: the formats
 * are known, bytes, lengths, times and CPUs are not. A record is a byte that says which event, one for the CPU, one for the time that passed, one for the
 * length of its raw bytes, and these. The first byte of all chooses how many spans fit. The picture must be XML, its data JSON.
 */
#include "../unit/session_fixture.h"
#include "../unit/trace_fixture.h"
#include "import_roundtrip.h"
#include "model/io_spans.h"
#include "model/power_spans.h"
#include "view/timechart.h"
#include "well_formed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define COMMON "\tfield:int common_pid;\toffset:0;\tsize:4;\tsigned:1;\n\n"
#define RAW_MAX 72
#define POWER FIELD("u32 state", 8, 4, 0) FIELD("u32 cpu_id", 12, 4, 0) PRINT "\"%u\", REC->state\n"

static const char *const sched_formats[] = {
	"name: sched_switch\nID: 1\nformat:\n" COMMON FIELD("char prev_comm[16]", 8, 16, 0) FIELD("pid_t prev_pid", 24, 4, 1)
		FIELD("int prev_prio", 28, 4, 1) FIELD("long prev_state", 32, 8, 1) FIELD("char next_comm[16]", 40, 16, 0)
			FIELD("pid_t next_pid", 56, 4, 1) FIELD("int next_prio", 60, 4, 1) PRINT
	"\"prev_state=%s\", REC->prev_state ? __print_flags(REC->prev_state, \"|\", { 1, \"S\" }, { 2, \"D\" }, { 32, \"Z\" }) : \"R\"\n",
	"name: sched_waking\nID: 2\nformat:\n" COMMON FIELD("char comm[16]", 8, 16, 0) FIELD("pid_t pid", 24, 4, 1)
		FIELD("int prio", 28, 4, 1) FIELD("int target_cpu", 32, 4, 1) PRINT "\"%d\", REC->pid\n",
	"name: cpu_idle\nID: 3\nformat:\n" COMMON POWER,
	"name: cpu_frequency\nID: 4\nformat:\n" COMMON POWER,
	"name: sys_enter_read\nID: 5\nformat:\n" COMMON FIELD("int __syscall_nr", 8, 4, 1) FIELD("unsigned int fd", 16, 8, 0) PRINT
	"\"%d\", REC->fd\n",
	"name: sys_exit_read\nID: 6\nformat:\n" COMMON FIELD("int __syscall_nr", 8, 4, 1) FIELD("long ret", 16, 8, 1) PRINT
	"\"%d\", REC->ret\n",
	NULL,
};
static const char *const names[] = { "sched:sched_switch",  "sched:sched_waking",      "power:cpu_idle",
				     "power:cpu_frequency", "syscalls:sys_enter_read", "syscalls:sys_exit_read" };
#define NR_EVENTS (sizeof(names) / sizeof(names[0]))
enum { LOSS = NR_EVENTS, BIRTH, NR_KINDS };

struct under_test {
	struct fixture f;
	struct timeline t;
	struct sched_events events;
	struct span_store store;
	struct power_spans power;
	struct io_spans io;
};

static void add_sample(struct under_test *u, const struct session_record *sr)
{
	struct timeline_step step;
	struct errbuf eb = { 0 };
	struct sched_event e;

	if (power_spans_wants(&u->power, sr->event))
		power_spans_take(&u->power, sr);
	else if (io_spans_wants(&u->io, sr->event))
		io_spans_take(&u->io, sr);
	else if (sched_events_read(&u->events, sr, &e, &eb) > 0 && timeline_add(&u->t, &e, &step) && step.is_used)
		span_store_wake(&u->store, step.to, timeline_track_of(&u->t, sr->task));
}

static void add_other(struct under_test *u, uint8_t kind, uint32_t cpu, uint64_t time_ns, int32_t tid)
{
	if (kind == LOSS) {
		timeline_lose(&u->t, cpu);
		power_spans_lose(&u->power);
	} else {
		timeline_begin_task(&u->t, task_table_fork(&u->f.s.machine.tasks, tid, tid, 1, 1, true), time_ns);
	}
}

static void add_records(struct under_test *u, struct task *task, const uint8_t *data, size_t size)
{
	struct record_header h = { .type = RECORD_SAMPLE, .misc = MISC_KERNEL };
	uint64_t time_ns = 1;

	while (size >= 4) {
		size_t len = data[3] % RAW_MAX < size - 4 ? data[3] % RAW_MAX : size - 4;
		uint8_t *raw = malloc(len ? len : 1); /* as long as it says: ASan sees the end */
		struct session_record sr = { .header = &h, .event = 1 + data[0] % NR_KINDS, .task = task };
		uint32_t cpu = data[1] == 255 ? UINT32_MAX : data[1] % 8;

		memcpy(raw, data + 4, len);
		time_ns = data[2] == 255 ? time_ns / 2 : data[2] == 254 ? time_ns * 2 : time_ns + data[2];
		time_ns = time_ns > UINT64_MAX / 4 ? UINT64_MAX / 4 : time_ns;
		sr.time_ns = time_ns;
		sr.rec.header = &h;
		sr.rec.sample = (struct sample){ .pid = 1, .tid = data[1] % 4, .cpu = cpu, .raw = raw, .raw_size = (uint32_t)len };
		if ((uint32_t)sr.event <= NR_EVENTS)
			add_sample(u, &sr);
		else
			add_other(u, data[0] % NR_KINDS, cpu, time_ns, data[3]);
		free(raw);
		data += 4 + len;
		size -= 4 + len;
	}
}

/* Times in a track ascend, and its parts add up. */
static void check_store(const struct span_store *s)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < s->tracks.nr; i++) {
		const struct span_track *k = &s->tracks.v[i];

		nr += k->spans.nr;
		for (uint32_t n = 0; n < k->spans.nr; n++) {
			ROUNDTRIP_CHECK(k->spans.v[n].begin_ns < k->spans.v[n].end_ns);
			ROUNDTRIP_CHECK(!n || k->spans.v[n - 1].end_ns <= k->spans.v[n].begin_ns);
			ROUNDTRIP_CHECK(k->spans.v[n].state != SPAN_MIXED || k->spans.v[n].value + k->spans.v[n].nr_shares <= k->shares.nr);
		}
	}
	ROUNDTRIP_CHECK(nr == s->nr_spans);
}

static void draw(struct under_test *u)
{
	struct timechart c = {
		.store = &u->store, .timeline = &u->t, .machine = &u->f.s.machine, .title = "title", .width = 700, .min_io_ns = 5
	};
	struct timechart_choice choice = { .nr_tasks = 5, .highlighted_name = "a", .highlighted_ns = 3 };
	struct out o;

	timechart_choose(&c, &choice);
	if (c.rows.nr) {
		out_init(&o, -1);
		timechart_svg(&o, &c);
		ROUNDTRIP_CHECK(is_xml(o.buf, o.len - 1));
		out_fini(&o);
	}
	timechart_fini(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct under_test u = { 0 };
	struct out blob;

	if (!size)
		return 0;
	fixture_init(&u.f);
	u.f.info.arch = "x86_64";
	out_init(&blob, -1);
	formats_put(&blob, "sched", sched_formats);
	u.f.info.tracing_data = blob.buf;
	u.f.info.tracing_data_size = blob.len;
	for (uint32_t i = 0; i < NR_EVENTS; i++) {
		fixture_event(&u.f, names[i]);
		u.f.info.events.v[i + 1].attr.type = ATTR_TYPE_TRACEPOINT;
		u.f.info.events.v[i + 1].attr.config = 1 + i;
	}
	u.events.recording = &u.f.s.recording;
	timeline_init(&u.t, &u.f.s.machine);
	u.t.has_waking = true;
	span_store_init(&u.store, 1 + data[0] % 64);
	span_store_watch(&u.store, &u.t);
	u.power = (struct power_spans){ .recording = &u.f.s.recording, .store = &u.store };
	io_spans_init(&u.io, &u.f.s.recording, &u.store, &u.t);
	u.io.merge_ns = data[0];
	add_records(&u, fixture_task(&u.f, 1, 1, "a"), data + 1, size - 1);
	timeline_finish(&u.t);
	power_spans_finish(&u.power, u.store.last_ns);
	check_store(&u.store);
	draw(&u);
	span_store_reduce(&u.store, 3);
	check_store(&u.store);
	draw(&u);
	io_spans_fini(&u.io);
	power_spans_fini(&u.power);
	span_store_fini(&u.store);
	sched_events_fini(&u.events);
	timeline_fini(&u.t);
	fixture_fini(&u.f);
	out_fini(&blob);
	return 0;
}
