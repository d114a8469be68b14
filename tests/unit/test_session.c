/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A session over a file that is written here: order, tasks, locations, counts of what was lost and
 * what is malformed, and what --stats and --json make of it. Also what a fork, an exec and a
 * remapping do while samples go on.
 */
#include "session_fixture.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "model/hist.h"
#include "perfdata/reader.h"
#include "perfdata/writer.h"
#include "view/report.h"

#define NR_EVENTS 2
#define HOSTILE "\033]0;\"\\\n<b>\xff"

struct made_recording {
	struct perfdata_info info;
	struct writer *w;
	char path[64];
	int fd;
};

static void made_recording_init(struct made_recording *r)
{
	static const char *cmdline[] = { "assay", "record", "a\"b" };
	struct writer_options opts = { 0 };

	memset(r, 0, sizeof(*r));
	perfdata_info_init(&r->info);
	for (uint32_t i = 0; i < NR_EVENTS; i++) {
		struct perfdata_event e = { .name = i ? "page-faults" : "cpu-clock", .nr_ids = 1 };

		e.attr.type = ATTR_TYPE_SOFTWARE;
		e.attr.size = ATTR_SIZE_VER7;
		e.attr.config = i * 2;
		e.attr.sample_type = SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_PERIOD;
		e.attr.flags = ATTR_SAMPLE_ID_ALL;
		e.layout = sample_layout_of(&e.attr);
		e.ids = arena_alloc(&r->info.arena, 8);
		e.ids[0] = 100 + i;
		vec_push(&r->info.events, e);
	}
	r->info.cmdline = cmdline;
	r->info.nr_cmdline = 3;
	r->info.hostname = "box";
	r->info.features = 1ULL << FEAT_CMDLINE | 1ULL << FEAT_HOSTNAME | 1ULL << FEAT_EVENT_DESC;
	r->fd = memfd_create("perf.data", MFD_CLOEXEC);
	snprintf(r->path, sizeof(r->path), "/proc/self/fd/%d", r->fd);
	assert_int_equal(writer_open(&r->w, r->fd, &opts, &r->info, NULL), 0);
}

static void made_recording_fini(struct made_recording *r)
{
	writer_free(r->w);
	close(r->fd);
	perfdata_info_fini(&r->info);
}

static void append(struct made_recording *r, struct record *rec, uint32_t type, uint16_t misc, uint32_t event, uint64_t time_ns,
		   int32_t pid)
{
	_Alignas(8) uint8_t buf[4096];
	struct record_header h = { .type = type, .misc = misc };
	int64_t size;

	rec->header = &h;
	if (type != RECORD_SAMPLE)
		rec->id = (struct sample_id){ .pid = (uint32_t)pid, .tid = (uint32_t)pid, .time_ns = time_ns, .id = 100 + event };
	size = record_encode(rec, &r->info.events.v[event].layout, buf, sizeof(buf));
	assert_true(size > 0);
	assert_int_equal(writer_append(r->w, buf, (size_t)size, false), 0);
}

static void append_sample(struct made_recording *r, uint32_t event, uint64_t time_ns, int32_t pid, uint64_t ip, uint64_t period)
{
	struct record rec = { 0 };

	rec.sample = (struct sample){
		.ip = ip, .pid = (uint32_t)pid, .tid = (uint32_t)pid, .time_ns = time_ns, .id = 100 + event, .period = period
	};
	append(r, &rec, RECORD_SAMPLE, MISC_USER, event, time_ns, pid);
}

static void append_mmap(struct made_recording *r, uint64_t time_ns, int32_t pid, uint64_t start, const char *path)
{
	struct record rec = { 0 };

	rec.mmap = (struct record_mmap){ .pid = (uint32_t)pid,
					 .tid = (uint32_t)pid,
					 .start = start,
					 .len = 0x1000,
					 .pgoff = 0x2000,
					 .prot = PROT_READ | PROT_EXEC,
					 .flags = MAP_PRIVATE,
					 .ino = 99,
					 .filename = path };
	append(r, &rec, RECORD_MMAP2, MISC_USER, 0, time_ns, pid);
}

static void append_comm(struct made_recording *r, uint64_t time_ns, int32_t pid, const char *comm, bool exec)
{
	struct record rec = { 0 };

	rec.comm = (struct record_comm){ (uint32_t)pid, (uint32_t)pid, comm };
	append(r, &rec, RECORD_COMM, exec ? MISC_COMM_EXEC : 0, 0, time_ns, pid);
}

static void append_fork(struct made_recording *r, uint64_t time_ns, int32_t pid, int32_t ppid)
{
	struct record rec = { 0 };

	rec.task = (struct record_task){ (uint32_t)pid, (uint32_t)ppid, (uint32_t)pid, (uint32_t)ppid, time_ns };
	append(r, &rec, RECORD_FORK, 0, 0, time_ns, ppid);
}

static void append_lost(struct made_recording *r, uint32_t type, uint32_t event, uint64_t time_ns, uint64_t lost)
{
	struct record rec = { 0 };

	rec.lost = (struct record_lost){ 100 + event, lost };
	append(r, &rec, type, 0, event, time_ns, 0);
}

static struct session *open_recording(struct made_recording *r)
{
	const struct session_options opts = { 0 };
	struct errbuf eb = { 0 };
	struct record_source *source;
	struct session *s = NULL;

	assert_int_equal(writer_finish(r->w, &r->info, &eb), 0);
	if (reader_open(&source, r->path, READER_ANY_OWNER, &eb) || session_open(&s, source, &opts, &eb))
		fail_msg("%s", eb.text);
	return s;
}

static const char *path_at(struct session *s, const struct session_record *sr)
{
	struct location at = machine_locate(&s->machine, sr->task, sr->rec.sample.ip, MISC_USER);

	return dso_table_get(&s->machine.dsos, at.dso)->path;
}

/* Written out of order, as rings are; names and maps are those of the sample's time. */
static void test_over_time(void **state)
{
	struct session_record sr;
	struct made_recording r;
	struct session *s;
	struct errbuf eb = { 0 };
	uint64_t last_ns = 0;
	uint32_t nr = 0;

	(void)state;
	made_recording_init(&r);
	append_sample(&r, 0, 500, 20, 0x10010, 1);
	append_sample(&r, 0, 300, 20, 0x10010, 1);
	append_sample(&r, 1, 150, 10, 0x10010, 1);
	append_comm(&r, 100, 10, "sh", false);
	append_mmap(&r, 110, 10, 0x10000, "/bin/sh");
	append_fork(&r, 200, 20, 10);
	append_comm(&r, 400, 20, "ls", true);
	append_mmap(&r, 410, 20, 0x10000, "/bin/ls");
	append_sample(&r, 0, 600, 10, 0x10010, 1);
	append_sample(&r, 0, 700, 20, 0x90000, 1);
	s = open_recording(&r);
	while (session_next(s, &sr, &eb) > 0) {
		static const char *const comms[] = { "sh", "sh", "ls", "sh", "ls" };
		static const char *const paths[] = { "/bin/sh", "/bin/sh", "/bin/ls", "/bin/sh", "[unknown]" };

		assert_true(sr.time_ns >= last_ns);
		last_ns = sr.time_ns;
		if (sr.header->type != RECORD_SAMPLE)
			continue;
		assert_string_equal(machine_comm(&s->machine, sr.task), comms[nr]);
		assert_string_equal(path_at(s, &sr), paths[nr]);
		assert_int_equal(sr.event, sr.time_ns == 150);
		nr++;
	}
	assert_int_equal(nr, 5);
	/* There are no rounds: all ten wait. */
	assert_true(s->recording.stats.waited_bytes > 10 * 2 * sizeof(struct order_entry));
	assert_true(s->recording.stats.first_sample_ns == 150 && s->recording.stats.last_sample_ns == 700);
	assert_int_equal(task_table_find(&s->machine.tasks, 20)->ppid, 10);

	const struct map *m = map_set_find(task_maps(task_table_find(&s->machine.tasks, 20)), 0x10000);

	assert_true(m->ino == 99 && m->prot == (PROT_READ | PROT_EXEC) && m->flags == MAP_PRIVATE && m->pgoff == 0x2000);
	assert_int_equal(s->recording.damage->err, 0);
	session_close(s);
	made_recording_fini(&r);
}

static void check_stats(const struct session *s)
{
	const uint64_t nr_samples[NR_EVENTS] = { 3, 0 };
	struct out o;

	out_init(&o, -1);
	stats_text(&o, &s->recording, nr_samples);
	out_char(&o, 0);
	assert_string_equal(o.buf, "\nAggregated stats:\n"
				   "           TOTAL events:          8\n"
				   "            LOST events:          1  (12.5%)\n"
				   "            COMM events:          1  (12.5%)\n"
				   "          SAMPLE events:          3  (37.5%)\n"
				   "    LOST_SAMPLES events:          3  (37.5%)\n"
				   "cpu-clock stats:\n"
				   "          SAMPLE events:          3\n"
				   "    LOST_SAMPLES events:         42\n"
				   "page-faults stats:\n"
				   "    LOST_SAMPLES events:          5\n");
	out_fini(&o);
}

static void check_json(struct session *s, struct profile *p)
{
	const struct hist_options opts = { .keys = { HIST_COMM, HIST_SYM }, .nr_keys = 2, .order_by = { HIST_SELF }, .nr_order_by = 1 };
	struct hist h, *list[] = { &h };
	struct quality q;
	struct out o;

	profile_symbolize(p);
	hist_init(&h, p, &opts, 0);
	hist_build(&h, NULL);
	hist_sort(&h);
	out_init(&o, -1);
	quality_of_profile(&q, p);
	report_json(&o, &s->recording, list, 1, 40, &q);
	quality_fini(&q);
	out_char(&o, 0);
	for (size_t i = 0; i + 1 < o.len; i++)
		assert_true((unsigned char)o.buf[i] >= 0x20 || o.buf[i] == '\n');
	assert_non_null(strstr(o.buf, "\"cmdline\":[\"assay\",\"record\",\"a\\\"b\"]"));
	assert_non_null(strstr(o.buf, "\"lost\":47,\"throttled\":0,\"malformed\":0,"));
	assert_non_null(strstr(o.buf, "{\"name\":\"cpu-clock\",\"samples\":3,\"period\":60,\"lost\":42,\"entries\":["));
	assert_non_null(strstr(o.buf, "\"comm\":\"\\u001b]0;\\\"\\\\\\n\\u003cb>\xef\xbf\xbd\",\"address\":\"0x10020\",\"level\":\".\","
				      "\"self\":{\"period\":40,\"samples\":2,\"percent\":66.6667}}"));
	/* The other row is below 40%. */
	assert_non_null(strstr(o.buf, "],\"hidden_entries\":1}]}\n"));
	assert_null(strstr(o.buf, "0x10010"));
	out_fini(&o);
	hist_fini(&h);
}

static void test_losses_and_views(void **state)
{
	struct session_record sr;
	struct profile p;
	struct made_recording r;
	struct session *s;
	struct errbuf eb = { 0 };

	(void)state;
	made_recording_init(&r);
	append_comm(&r, 100, 10, HOSTILE, false);
	append_sample(&r, 0, 200, 10, 0x10010, 20);
	append_sample(&r, 0, 210, 10, 0x10020, 20);
	append_sample(&r, 0, 220, 10, 0x10020, 20);
	append_lost(&r, RECORD_LOST, 0, 300, 7);
	append_lost(&r, RECORD_LOST_SAMPLES, 0, 310, 40);
	append_lost(&r, RECORD_LOST_SAMPLES, 1, 320, 5);
	append_lost(&r, RECORD_LOST_SAMPLES, 0, 330, 2);
	s = open_recording(&r);
	profile_init(&p, &s->machine, &s->recording);
	while (session_next(s, &sr, &eb) > 0)
		if (sr.header->type == RECORD_SAMPLE)
			profile_add(&p, &sr);
	assert_int_equal(s->recording.stats.nr_lost_events, 7);
	assert_int_equal(recording_lost(&s->recording), 47);
	assert_int_equal(recording_event_lost(&s->recording, 0), 42);
	assert_int_equal(recording_event_lost(&s->recording, 1), 5);
	assert_int_equal(recording_event_lost(&s->recording, 99), 0);
	check_stats(s);
	check_json(s, &p);
	profile_fini(&p);
	session_close(s);
	made_recording_fini(&r);
}

/* A sample that is too short for its layout, and one of an id that no event has: counted, skipped,
 * the rest is shown. */
static void test_bad_records(void **state)
{
	const struct record_header cut = { .type = RECORD_SAMPLE, .misc = MISC_USER, .size = 32 };
	_Alignas(8) uint8_t bytes[32] = { 0 };
	const uint64_t id = 100, unknown = 999;
	struct session_record sr;
	struct made_recording r;
	struct session *s;
	struct errbuf eb = { 0 };
	uint32_t nr = 0;

	(void)state;
	made_recording_init(&r);
	append_sample(&r, 0, 200, 10, 0x10010, 1);
	memcpy(bytes, &cut, sizeof(cut));
	memcpy(bytes + 8, &id, sizeof(id));
	assert_int_equal(writer_append(r.w, bytes, sizeof(bytes), false), 0);
	memcpy(bytes + 8, &unknown, sizeof(unknown));
	assert_int_equal(writer_append(r.w, bytes, sizeof(bytes), false), 0);
	append_sample(&r, 1, 300, 10, 0x10010, 1);
	s = open_recording(&r);
	while (session_next(s, &sr, &eb) > 0)
		nr += sr.header->type == RECORD_SAMPLE;
	assert_int_equal(nr, 2);
	assert_int_equal(s->recording.stats.nr_malformed, 1);
	assert_true(s->recording.stats.first_malformed_at > 0);
	assert_int_equal(s->recording.stats.nr_unknown_ids, 1);
	session_close(s);
	made_recording_fini(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_over_time),
		cmocka_unit_test(test_losses_and_views),
		cmocka_unit_test(test_bad_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
