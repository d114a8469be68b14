/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * base/out.h: formatting against printf, growth, short writes, and what happens after an error.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/errbuf.h"
#include "base/out.h"

static void check_number(uint64_t v, int width)
{
	struct out o;
	char expected[64];

	out_init(&o, -1);
	out_u64(&o, v, width);
	out_char(&o, '\0');
	snprintf(expected, sizeof(expected), "%*" PRIu64, width, v);
	assert_string_equal(o.buf, expected);
	out_fini(&o);

	out_init(&o, -1);
	out_hex(&o, v, width);
	out_char(&o, '\0');
	snprintf(expected, sizeof(expected), "%*" PRIx64, width, v);
	assert_string_equal(o.buf, expected);
	out_fini(&o);
}

static void test_numbers(void **state)
{
	uint64_t power = 1;

	(void)state;
	check_number(0, 0);
	check_number(0, 5);
	check_number(UINT64_MAX, 0);
	check_number(UINT64_MAX, 40);
	for (int i = 0; i < 20; i++, power *= 10)
		for (int width = 0; width < 24; width += 3) {
			check_number(power - 1, width);
			check_number(power, width);
			check_number(power + 1, width);
		}
	for (int i = 0; i < 64; i++) {
		check_number(1ULL << i, 16);
		check_number((1ULL << i) - 1, 0);
	}
}

static void test_memory_grows(void **state)
{
	struct out o;

	(void)state;
	out_init(&o, -1);
	assert_int_equal(out_flush(&o), 0);
	for (int i = 0; i < 100000; i++)
		out_printf(&o, "%06d\n", i);
	assert_int_equal(o.len, 700000);
	assert_memory_equal(o.buf + 7 * 99999, "099999\n", 7);
	assert_int_equal(out_flush(&o), 0); /* nowhere to go: it stays */
	assert_int_equal(o.len, 700000);
	out_spaces(&o, 1000000);
	out_spaces(&o, -3);
	assert_int_equal(o.len, 1700000);
	assert_int_equal(o.buf[o.len - 1], ' ');
	out_mem(&o, "", 0);
	assert_int_equal(out_fini(&o), 0);
}

static void test_long_printf(void **state)
{
	static char text[100000];
	struct out o;

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	out_init(&o, -1);
	out_printf(&o, "<%s>", text);
	assert_int_equal(o.len, sizeof(text) + 1);
	assert_int_equal(o.buf[o.len - 1], '>');
	out_fini(&o);
}

struct reader {
	int fd;
	char *data;
	size_t len;
};

/* Takes odd little pieces out of the pipe, so that the writer meets a full pipe all the time. */
static void *read_slowly(void *arg)
{
	struct reader *r = arg;
	ssize_t n;

	while ((n = read(r->fd, r->data + r->len, 997)) > 0)
		r->len += (size_t)n;
	return NULL;
}

static void write_through_pipe(bool nonblocking)
{
	size_t nr_lines = 200000, big_size = 600000;
	char *big = malloc(big_size);
	struct reader r = { .data = malloc(nr_lines * 8 + big_size + 997) };
	pthread_t thread;
	int fds[2];
	struct out o;

	memset(big, 'B', big_size);
	assert_int_equal(pipe(fds), 0);
	if (nonblocking)
		assert_int_equal(fcntl(fds[1], F_SETFL, O_NONBLOCK), 0);
	r.fd = fds[0];
	assert_int_equal(pthread_create(&thread, NULL, read_slowly, &r), 0);
	out_init(&o, fds[1]);
	for (size_t i = 0; i < nr_lines; i++) {
		out_u64(&o, i, 7);
		out_char(&o, '\n');
		assert_true(o.cap == 256 << 10);
		if (i == nr_lines / 2)
			out_mem(&o, big, big_size); /* larger than the buffer */
	}
	assert_int_equal(out_fini(&o), 0);
	close(fds[1]);
	pthread_join(thread, NULL);
	close(fds[0]);

	assert_int_equal(r.len, nr_lines * 8 + big_size);
	assert_memory_equal(r.data + nr_lines / 2 * 8, " 100000\n", 8);
	assert_memory_equal(r.data + nr_lines / 2 * 8 + 8, big, big_size);
	assert_memory_equal(r.data + r.len - 8, " 199999\n", 8);
	free(r.data);
	free(big);
}

static void test_short_writes(void **state)
{
	(void)state;
	write_through_pipe(false);
	write_through_pipe(true);
}

static void test_epipe(void **state)
{
	int fds[2];
	struct out o;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	close(fds[0]);
	out_init(&o, fds[1]);
	out_str(&o, "nobody reads this");
	assert_int_equal(o.error, 0);
	assert_int_equal(out_flush(&o), -EPIPE);
	/* Every kind of append is dropped and the buffer does not grow. */
	for (int i = 0; i < 1000000; i++) {
		out_str(&o, "some text ");
		out_char(&o, 'c');
		out_u64(&o, (uint64_t)i, 12);
		out_hex(&o, (uint64_t)i, 12);
		out_spaces(&o, 1000);
		out_printf(&o, "%d", i);
	}
	assert_int_equal(o.cap, 256 << 10);
	assert_true(o.len <= o.cap);
	/* Room that was asked for is there all the same: the caller writes into it. */
	memset(out_room(&o, 500000), 'x', 500000);
	out_advance(&o, 500000);
	out_char(&o, 'x');
	assert_int_equal(out_flush(&o), -EPIPE);
	assert_int_equal(out_fini(&o), -EPIPE);
	close(fds[1]);
}

static void test_room(void **state)
{
	int fds[2];
	struct out o;
	char back[4];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	out_init(&o, fds[1]);
	memcpy(out_room(&o, 100), "abc", 3);
	out_advance(&o, 3);
	assert_int_equal(out_fini(&o), 0);
	assert_int_equal(read(fds[0], back, sizeof(back)), 3);
	assert_memory_equal(back, "abc", 3);
	close(fds[0]);
	close(fds[1]);
}

static void test_full_device(void **state)
{
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	struct out o;

	(void)state;
	if (fd < 0)
		skip();
	out_init(&o, fd);
	out_str(&o, "x");
	assert_int_equal(out_fini(&o), -ENOSPC);
	close(fd);
}

static void test_errbuf(void **state)
{
	static char text[5000];
	struct errbuf eb = { "" };

	(void)state;
	assert_int_equal(errbuf_set(&eb, -ENOENT, "no %s", "file"), -ENOENT);
	assert_int_equal(errbuf_set(&eb, -EIO, "later"), -EIO);
	assert_string_equal(eb.text, "no file");
	errbuf_clear(&eb);
	assert_string_equal(eb.text, "");
	assert_int_equal(errbuf_set(NULL, -EIO, "nowhere"), -EIO);
	errbuf_clear(NULL);

	memset(text, 'y', sizeof(text) - 1);
	errbuf_set(&eb, -EIO, "%s", text);
	assert_int_equal(strlen(eb.text), sizeof(eb.text) - 1);
	assert_string_equal(eb.text + sizeof(eb.text) - 6, "yy...");
}

static void test_last_digits(void **state)
{
	char text[10] = "";

	(void)state;
	out_last_digits(text, 7, 3);
	assert_string_equal(text, "007");
	out_last_digits(text, 123456, 6);
	assert_string_equal(text, "123456");
	out_last_digits(text, 1234567890, 9);
	assert_string_equal(text, "234567890");
	out_last_digits(text, 42, 1);
	assert_true(text[0] == '2');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_last_digits), cmocka_unit_test(test_numbers),	 cmocka_unit_test(test_memory_grows),
		cmocka_unit_test(test_long_printf), cmocka_unit_test(test_short_writes), cmocka_unit_test(test_epipe),
		cmocka_unit_test(test_room),	    cmocka_unit_test(test_full_device),	 cmocka_unit_test(test_errbuf),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
