/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * model/latency.h: keys of fields, of samples and of both; names that differ on the two sides; what does not exist; texts as keys.
 */
#include "model/latency.h"

#include "session_fixture.h"
#include "trace_fixture.h"

#define COMMON "\tfield:int common_pid;\toffset:0;\tsize:4;\tsigned:1;\n\n"

static const char issue[] = "name: issue\nID: 11\nformat:\n" COMMON FIELD("u32 dev", 4, 4, 0) FIELD("u64 sector", 8, 8, 0)
	FIELD("int pid", 16, 4, 1) FIELD("char comm[8]", 20, 8, 0) PRINT "\"%d\", REC->dev\n";
static const char complete[] = "name: complete\nID: 12\nformat:\n" COMMON FIELD("u32 dev", 4, 4, 0) FIELD("u64 sector", 8, 8, 0)
	FIELD("long next_pid", 16, 8, 1) FIELD("char who[8]", 24, 8, 0) PRINT "\"%d\", REC->dev\n";

struct machine_under_test {
	struct fixture f;
	struct out formats;
	struct latency l;
	struct event_patterns from, to;
	struct errbuf eb;
	uint64_t took;
	uint32_t tag;
};

static int start(struct machine_under_test *m, const char *from, const char *to, const char *key)
{
	static const char *const names[] = { "blk:issue", "blk:complete" };

	memset(m, 0, sizeof(*m));
	fixture_init(&m->f);
	out_init(&m->formats, -1);
	formats_put(&m->formats, "blk", (const char *const[]){ issue, complete, NULL });
	m->f.info.tracing_data = m->formats.buf;
	m->f.info.tracing_data_size = m->formats.len;
	for (uint32_t i = 0; i < 2; i++) {
		fixture_event(&m->f, names[i]);
		m->f.info.events.v[i + 1].attr.type = ATTR_TYPE_TRACEPOINT;
		m->f.info.events.v[i + 1].attr.config = 11 + i;
	}
	assert_true(event_patterns_add(&m->from, from) && event_patterns_add(&m->to, to));
	return latency_init(&m->l, &m->f.s.recording, &m->from, &m->to, key, &m->eb);
}

static void stop(struct machine_under_test *m)
{
	latency_fini(&m->l);
	event_patterns_fini(&m->from);
	event_patterns_fini(&m->to);
	fixture_fini(&m->f);
	out_fini(&m->formats);
}

/* A sample of event 1 (issue) or 2 (complete). */
static int sample_on(struct machine_under_test *m, int event, uint64_t time_ns, uint32_t tid, uint32_t raw_size, uint32_t cpu)
{
	struct record_header h = { .type = RECORD_SAMPLE };
	struct session_record sr = { .header = &h, .event = event, .time_ns = time_ns };

	sr.rec.sample = (struct sample){ .tid = tid, .pid = 1, .cpu = cpu, .raw = rec, .raw_size = raw_size };
	return latency_add(&m->l, &sr, 5, &m->took, &m->tag, &m->eb);
}

static int sample(struct machine_under_test *m, int event, uint64_t time_ns, uint32_t tid, uint32_t raw_size)
{
	return sample_on(m, event, time_ns, tid, raw_size, 3);
}

static void expect_key(const struct machine_under_test *m, const char *want)
{
	struct out o;

	out_init(&o, -1);
	latency_put_key(&m->l, &o);
	out_char(&o, 0);
	assert_string_equal(o.buf, want);
	out_fini(&o);
}

static void fields(uint32_t dev, uint64_t sector)
{
	rec_new(32);
	rec_put(4, 4, dev);
	rec_put(8, 8, sector);
}

static void test_fields(void **state)
{
	struct machine_under_test m;

	(void)state;
	assert_int_equal(start(&m, "blk:issue", "blk:complete", "dev,sector"), 0);
	fields(8, 100);
	assert_int_equal(sample(&m, 1, 1000, 1, 28), 0);
	fields(9, 100);
	assert_int_equal(sample(&m, 2, 1500, 2, 32), 0);
	fields(8, 100);
	assert_int_equal(sample(&m, 0, 1600, 2, 32), 0); /* another event */
	assert_int_equal(sample(&m, 2, 1700, 2, 10), 0); /* a record that is too short */
	assert_int_equal(sample(&m, 2, 2000, 2, 32), 1);
	assert_int_equal(m.took, 1000);
	assert_int_equal(m.tag, 5);
	assert_int_equal(m.l.nr_keyless, 1);
	assert_int_equal(m.l.pairing.nr_ends_alone, 1);
	assert_int_equal(latency_finish(&m.l, &m.eb), 0);
	stop(&m);
}

/* By default the thread; "cpu" is the sample's where no event has it; an int is compared with a long. */
static void test_samples(void **state)
{
	struct machine_under_test m;

	(void)state;
	assert_int_equal(start(&m, "blk:*", "blk:complete", NULL), 0);
	rec_new(32);
	sample(&m, 1, 10, 7, 28);
	assert_int_equal(sample(&m, 2, 12, 8, 32), 0); /* begins, too */
	assert_int_equal(sample(&m, 2, 13, 7, 32), 1);
	assert_int_equal(m.took, 3);
	assert_int_equal(sample(&m, 2, 20, 8, 32), 1);
	assert_int_equal(m.took, 8);
	stop(&m);

	assert_int_equal(start(&m, "blk:issue", "blk:complete", "sample.pid,cpu"), 0);
	rec_new(32);
	rec_put(16, 4, 99); /* the field is not meant */
	sample(&m, 1, 10, 7, 28);
	assert_int_equal(sample(&m, 2, 12, 8, 32), 1);
	expect_key(&m, "sample.pid,sample.cpu");
	stop(&m);

	assert_int_equal(start(&m, "blk:issue", "blk:complete", "pid:next_pid"), 0);
	rec_new(32);
	rec_put(16, 4, (uint32_t)-3);
	sample(&m, 1, 10, 7, 28);
	rec_put(16, 8, (uint64_t)-3);
	assert_int_equal(sample(&m, 2, 12, 8, 32), 1);
	expect_key(&m, "pid:next_pid");
	stop(&m);
}

/* Several events may begin something; each of a list has to be there. */
static void test_lists(void **state)
{
	struct machine_under_test m;

	(void)state;
	assert_int_equal(start(&m, "cpu-clock,blk:issue", "blk:comp*", NULL), 0);
	rec_new(32);
	sample(&m, 0, 10, 7, 0);
	sample(&m, 1, 11, 8, 28);
	assert_int_equal(sample(&m, 2, 13, 7, 32), 1);
	assert_int_equal(m.took, 3);
	assert_int_equal(sample(&m, 2, 13, 8, 32), 1);
	assert_int_equal(m.took, 2);
	expect_key(&m, "sample.tid");
	assert_int_equal(latency_finish(&m.l, &m.eb), 0);
	stop(&m);
}

/* An end that is stamped a little before a begin of its key, by the clock of another CPU. */
static void test_skew(void **state)
{
	struct machine_under_test m;

	(void)state;
	assert_int_equal(start(&m, "blk:issue", "blk:complete", NULL), 0);
	rec_new(32);
	sample_on(&m, 2, 100000, 7, 32, 1);
	sample_on(&m, 1, 110000, 7, 28, 0);
	assert_int_equal(m.l.nr_early, 1);
	assert_int_equal(sample_on(&m, 2, 4000000000, 7, 32, 0), 1);
	/* on one CPU time goes forwards; and a second later it is another one */
	sample_on(&m, 2, 4000000100, 8, 32, 1);
	sample_on(&m, 1, 4000000200, 8, 28, 1);
	sample_on(&m, 2, 4000000100, 9, 32, 1);
	sample_on(&m, 1, 5000000200, 9, 28, 0);
	assert_int_equal(m.l.nr_early, 1);
	assert_int_equal(m.l.pairing.nr_ends_alone, 3);
	stop(&m);
}

static void test_texts(void **state)
{
	struct machine_under_test m;

	(void)state;
	assert_int_equal(start(&m, "blk:issue", "blk:complete", "comm:who"), 0);
	rec_new(32);
	memcpy(rec + 20, "abc\0xyz", 8);
	sample(&m, 1, 10, 7, 28);
	rec_new(32);
	memcpy(rec + 24, "abd\0", 4);
	assert_int_equal(sample(&m, 2, 11, 7, 32), 0);
	memcpy(rec + 24, "abc\0ignored", 8);
	assert_int_equal(sample(&m, 2, 12, 7, 32), 1);
	stop(&m);
}

static void expect_error(const char *from, const char *to, const char *key, const char *words)
{
	struct machine_under_test m;
	int err = start(&m, from, to, key);

	rec_new(32);
	if (!err)
		err = sample(&m, 1, 1, 1, 28);
	if (!err)
		err = latency_finish(&m.l, &m.eb);
	assert_true(err < 0);
	if (!strstr(m.eb.text, words))
		fail_msg("no '%s' in: %s", words, m.eb.text);
	stop(&m);
}

static void test_errors(void **state)
{
	(void)state;
	expect_error("blk:issue", "blk:complete", "sectr", "blk:issue has no field 'sectr'; it has dev sector pid comm");
	expect_error("blk:issue", "blk:complet", NULL, "--to: this recording has no event 'blk:complet'; did you mean 'blk:complete'?");
	expect_error("nothing", "blk:complete", NULL, "--from: this recording has no event 'nothing'");
	expect_error("nothing", "blk:complete", NULL, "'assay list nothing' says what it can be recorded as");
	expect_error("blk:issue,foo:nothing", "blk:complete", NULL, "record it with 'assay record -e foo:nothing …'");
	expect_error("issue", "blk:complete", NULL, "--from: this recording has no event 'issue'; did you mean 'blk:issue'?");
	expect_error("blk:issue", "blk:complete", "pid",
		     "'pid' is a field of blk:issue but not of blk:complete; say --key pid:next_pid or sample.pid (what every sample has)");
	expect_error("blk:complete", "blk:issue", "pid",
		     "'pid' is a field of blk:issue but not of blk:complete; say --key next_pid:pid or sample.pid");
	expect_error("cpu-clock", "blk:complete", "dev", "cpu-clock has no fields");
	expect_error("blk:issue", "blk:complete", "dev,,sector", "'' is no field");
	expect_error("blk:issue", "blk:complete", "a:b:c", "'a:b:c' is no field");
	expect_error("blk:issue", "blk:complete", ":b", "':b' is no field");
	expect_error("blk:issue", "blk:complete", "tid,pid,cpu,dev,sector", "at most 4");
	expect_error("blk:issue", "blk:complete", "comm:next_pid", "is a number in one of the events and none in another");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields), cmocka_unit_test(test_samples), cmocka_unit_test(test_lists),
		cmocka_unit_test(test_skew),   cmocka_unit_test(test_texts),   cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
