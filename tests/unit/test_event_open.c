/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Opening events on ourselves: fallbacks, errors, counting, and a ring that the kernel really
 * fills.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "abi/record.h"
#include "kernel/event_config.h"
#include "base/clock.h"
#include "kernel/event_open.h"
#include "kernel/ring.h"
#include "kernel/sysctl.h"

static void need_perf(void)
{
	if (sysctl_paranoid() > 2 && !sysctl_is_perfmon_capable()) {
		print_message("perf events are not allowed here\n");
		skip();
	}
}

static struct event_list one(const char *text)
{
	struct event_list l = { 0 };
	struct event_config c;

	event_config_init(&c);
	c.no_inherit = true;
	if (text)
		assert_int_equal(event_list_parse(&l, text, NULL), 0);
	else
		event_list_add_default(&l);
	event_list_configure(&l, &c);
	return l;
}

static void test_default(void **state)
{
	struct event_list l = one(NULL);
	struct event_opener o = { 0 };
	struct errbuf eb = { 0 };
	int fd;

	(void)state;
	need_perf();
	fd = event_open(&o, &l.events.v[0], 0, -1, -1, true, &eb);
	if (fd < 0)
		fail_msg("%s", eb.text);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	/* Where there is no PMU the clock stands in, is named so, and this is told. */
	if (l.events.v[0].attr.type == ATTR_TYPE_SOFTWARE) {
		assert_int_equal(strncmp(l.events.v[0].name, "cpu-clock:", 10), 0);
		assert_non_null(strstr(l.events.v[0].name, "ppp"));
		assert_non_null(strstr(o.notices, "cpu-clock"));
	}
	close(fd);
	event_opener_fini(&o);
	event_list_fini(&l);
}

static void test_count_and_ring(void **state)
{
	struct event_list l = one("cpu-clock:u");
	struct event_opener o = { 0 };
	struct event_reading reading;
	struct event_count count;
	struct errbuf eb = { 0 };
	struct ring r = { 0 };
	uint32_t nr_pages = 8;
	uint64_t id = 0, nr_samples = 0;
	const struct record_header *h;
	struct ring_span span;
	volatile uint64_t spin = 0;
	int fd;

	(void)state;
	need_perf();
	fd = event_open(&o, &l.events.v[0], 0, -1, -1, true, &eb);
	assert_true(fd >= 0);
	assert_int_equal(ring_open(&r, fd, &nr_pages, &eb), 0);
	assert_int_equal(event_get_id(fd, &id), 0);
	assert_int_equal(event_enable(fd, true), 0);
	for (int i = 0; i < 100000000 && spin < 40000000; i++)
		spin++;
	assert_int_equal(event_enable(fd, false), 0);
	assert_int_equal(event_read(fd, l.events.v[0].attr.read_format, &reading), 0);
	assert_int_equal(event_reading_get(&reading, 0, &count), 0);
	assert_true(count.value > 0);
	if (l.events.v[0].attr.read_format & READ_ID)
		assert_int_equal(count.id, id);
	span = ring_peek(&r);
	for (size_t off = 0; (h = ring_span_record(&span, off)); off += h->size)
		nr_samples += h->type == RECORD_SAMPLE;
	assert_true(nr_samples > 0);
	ring_consume(&r, span.size);
	assert_int_equal(ring_peek(&r).size, 0);
	ring_close(&r);
	ring_close(&r);
	close(fd);
	event_opener_fini(&o);
	event_list_fini(&l);
}

static void test_errors(void **state)
{
	struct event_list l = one("cpu-clock:u");
	struct event_opener o = { 0 };
	struct errbuf eb = { 0 };

	(void)state;
	need_perf();
	assert_int_equal(event_open(&o, &l.events.v[0], 0x3fffffff, -1, -1, true, &eb), -ESRCH);
	assert_non_null(strstr(eb.text, "gone"));
	errbuf_clear(&eb);
	/* An event that is wrong in itself takes no features from the kernel. */
	l.events.v[0].attr.config = 0xffff;
	assert_true(event_open(&o, &l.events.v[0], 0, -1, -1, true, &eb) < 0);
	assert_true(eb.text[0]);
	assert_int_equal(o.lacks, 0);
	event_opener_fini(&o);
	event_list_fini(&l);
}

static void test_nofile(void **state)
{
	struct event_list l = one("cpu-clock:u");
	struct event_opener o = { 0 };
	struct errbuf eb = { 0 };
	struct rlimit was, low;
	int fds[2];

	(void)state;
	need_perf();
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &was), 0);
	fds[0] = event_open(&o, &l.events.v[0], 0, -1, -1, true, &eb);
	assert_true(fds[0] >= 0);
	low = was;
	low.rlim_cur = (rlim_t)fds[0] + 1;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
	fds[1] = event_open(&o, &l.events.v[0], 0, -1, -1, false, &eb);
	if (fds[1] < 0)
		fail_msg("%s", eb.text);
	setrlimit(RLIMIT_NOFILE, &was);
	close(fds[0]);
	close(fds[1]);
	event_opener_fini(&o);
	event_list_fini(&l);
}

/* A group's read tells all members; each is found by its id. */
static void test_group(void **state)
{
	struct event_opener o = { 0 };
	struct event_list l = { 0 };
	struct event_count count = { 0 };
	struct event_reading reading;
	struct errbuf eb = { 0 };
	int fds[2];
	uint64_t id;

	(void)state;
	assert_int_equal(event_list_parse(&l, "{task-clock:u,faults:u}", &eb), 0);
	for (int i = 0; i < 2; i++) {
		l.events.v[i].attr.read_format = READ_GROUP | READ_ID | READ_LOST | READ_TOTAL_TIME_ENABLED | READ_TOTAL_TIME_RUNNING;
		fds[i] = event_open(&o, &l.events.v[i], 0, -1, i ? fds[0] : -1, true, &eb);
		if (fds[i] < 0)
			fail_msg("%s", eb.text);
	}
	assert_int_equal(event_get_id(fds[1], &id), 0);
	/* The kernel's clock moves in ticks in some guests. */
	for (uint64_t end = clock_now_ns() + 20000000; clock_now_ns() < end;)
		;
	for (int i = 0; i < 2; i++) {
		assert_int_equal(event_read(fds[i], l.events.v[0].attr.read_format, &reading), 0);
		assert_int_equal(event_reading_get(&reading, id, &count), 0);
		assert_int_equal(count.id, id);
		assert_true(count.time_enabled && count.time_running);
	}
	assert_int_equal(event_reading_get(&reading, UINT64_MAX, &count), -ENOENT);
	assert_int_equal(event_reading_get(&reading, 0, &count), 0);
	assert_true(count.value && count.id != id);
	close(fds[1]);
	close(fds[0]);
	event_list_fini(&l);
	event_opener_fini(&o);
}

static void test_clamp(void **state)
{
	uint64_t max = sysctl_max_sample_rate(), freq;
	struct errbuf eb = { 0 };
	bool lowered;

	(void)state;
	if (!max)
		skip();
	assert_int_equal(event_clamp_freq(1, false, &freq, &lowered, &eb), 0);
	assert_true(freq == 1 && !lowered);
	assert_int_equal(event_clamp_freq(max + 1, false, &freq, &lowered, &eb), 0);
	assert_true(freq == max && lowered);
	assert_int_equal(event_clamp_freq(UINT64_MAX, true, &freq, &lowered, &eb), 0);
	assert_true(freq == max && !lowered);
	assert_int_equal(event_clamp_freq(max + 1, true, &freq, &lowered, &eb), -EINVAL);
	assert_non_null(strstr(eb.text, "perf_event_max_sample_rate"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_default), cmocka_unit_test(test_count_and_ring), cmocka_unit_test(test_errors),
		cmocka_unit_test(test_nofile),	cmocka_unit_test(test_clamp),	       cmocka_unit_test(test_group),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
