/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Lines that threads print: the same text as one thread prints, in order, also where lines are long; errors of the output end it.
 */
#include "session_fixture.h"

#include <stdio.h>
#include <unistd.h>

#include "trace_fixture.h"
#include "view/script_lines.h"

struct lines_fixture {
	struct fixture f;
	struct out blob, out;
	struct script_text shape;
	int fd;
};

/* The section of formats with one event, number 7. */
static void make_formats(struct out *o, const char *print)
{
	char text[1024];

	snprintf(text, sizeof(text), "name: e\nID: 7\nformat:\n%s\n%s%s%s", FIELD("int common", 0, 4, 1), FIELD("int x", 4, 4, 1), PRINT,
		 print);
	formats_put(o, "own", (const char *const[]){ text, NULL });
}

static void setup(struct lines_fixture *x, const char *print)
{
	char path[] = "/tmp/test_script_lines.XXXXXX";
	struct perfdata_event *e;
	struct errbuf eb = { 0 };

	memset(x, 0, sizeof(*x));
	fixture_init(&x->f);
	out_init(&x->blob, -1);
	make_formats(&x->blob, print);
	x->f.info.tracing_data = (uint8_t *)x->blob.buf;
	x->f.info.tracing_data_size = x->blob.len;
	e = &x->f.info.events.v[0];
	e->attr.type = ATTR_TYPE_TRACEPOINT;
	e->attr.config = 7;
	e->attr.sample_type = SAMPLE_TID | SAMPLE_TIME | SAMPLE_CPU | SAMPLE_RAW;
	x->fd = mkstemp(path);
	assert_true(x->fd >= 0);
	unlink(path);
	out_init(&x->out, x->fd);
	script_text_init(&x->shape, &x->out, &x->f.p);
	assert_int_equal(script_text_learn(&x->shape, &eb), 0);
}

static void teardown(struct lines_fixture *x)
{
	script_text_fini(&x->shape);
	out_fini(&x->out);
	x->f.info.tracing_data = NULL;
	fixture_fini(&x->f);
	out_fini(&x->blob);
	close(x->fd);
}

static struct script_line line_at(uint32_t i, int32_t raw[2])
{
	raw[0] = 0;
	raw[1] = (int32_t)i;
	return (struct script_line){ .comm = "task",
				     .pid = 5,
				     .tid = 6 + i % 3,
				     .cpu = i % 2,
				     .time_ns = i * UINT64_C(1000),
				     .period = 1,
				     .raw = raw,
				     .raw_size = 8 };
}

/* What threads wrote is what the shape itself writes. */
static void check_text(struct lines_fixture *x, uint32_t nr)
{
	struct out want;
	char *got;

	out_init(&want, -1);
	x->shape.o = &want;
	for (uint32_t i = 0; i < nr; i++) {
		int32_t raw[2];
		const struct script_line line = line_at(i, raw);

		script_text_line(&x->shape, &line);
		out_char(&want, '\n');
	}
	out_flush(&x->out);
	got = malloc(want.len + 1);
	assert_int_equal(lseek(x->fd, 0, SEEK_END), want.len);
	assert_int_equal(pread(x->fd, got, want.len, 0), want.len);
	if (want.len)
		assert_memory_equal(got, want.buf, want.len);
	free(got);
	out_fini(&want);
}

static void check(const char *print, uint32_t nr)
{
	struct lines_fixture x;
	struct script_lines *l;

	setup(&x, print);
	assert_true(script_lines_can(&x.shape));
	l = script_lines_new(&x.shape);
	for (uint32_t i = 0; i < nr; i++) {
		int32_t raw[2];
		const struct script_line line = line_at(i, raw);

		assert_int_equal(script_lines_add(l, &line), 0);
	}
	assert_int_equal(script_lines_flush(l), 0);
	script_lines_free(l);
	check_text(&x, nr);
	teardown(&x);
}

static void test_same_text(void **state)
{
	(void)state;
	check("\"x=%d\", REC->x\n", 0);
	check("\"x=%d\", REC->x\n", 10);
	check("\"x=%d\", REC->x\n", 4096);
	check("\"x=%d\", REC->x\n", 200000);
	check("\"%1024d%1024x\", REC->x, REC->x\n", 9000); /* a job is more than it keeps */
}

static void test_symbols(void **state)
{
	struct lines_fixture x;

	(void)state;
	setup(&x, "\"%ps\", (void *)REC->x\n");
	assert_false(script_lines_can(&x.shape));
	teardown(&x);
}

static void test_error(void **state)
{
	struct lines_fixture x;
	struct script_lines *l;
	int err = 0;

	(void)state;
	setup(&x, "\"x=%d\", REC->x\n");
	out_limit(&x.out, 100000);
	l = script_lines_new(&x.shape);
	for (uint32_t i = 0; i < 1000000 && !err; i++) {
		int32_t raw[2];
		const struct script_line line = line_at(i, raw);

		err = script_lines_add(l, &line);
	}
	assert_int_equal(err, OUT_LIMIT_REACHED);
	assert_int_equal(script_lines_flush(l), OUT_LIMIT_REACHED);
	script_lines_free(l);
	assert_int_equal(lseek(x.fd, 0, SEEK_END), 100000);
	teardown(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_text),
		cmocka_unit_test(test_symbols),
		cmocka_unit_test(test_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
