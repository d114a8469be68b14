/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What requests are answered with.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/http_request.h"

static const struct http_service service = { "/0123abcd/", 4711 };

static int status(const char *text)
{
	bool is_head;

	return http_request_status(&service, text, strlen(text), &is_head);
}

static void test_answers(void **state)
{
	(void)state;
	assert_int_equal(status("GET /0123abcd/ HTTP/1.1\r\nHost: 127.0.0.1:4711\r\n\r\n"), 200);
	assert_int_equal(status("GET /0123abcd/ HTTP/1.1\r\nAccept: */*\r\nhost:localhost:4711\r\n\r\n"), 200);
	assert_int_equal(status("GET /0123abcd/ HTTP/1.1\r\nHost: [::1]:4711 \r\n\r\n"), 200);
	assert_int_equal(status("GET /0123abcd HTTP/1.1\r\nHost: localhost:4711\r\n\r\n"), 404);
	assert_int_equal(status("GET / HTTP/1.1\r\nHost: localhost:4711\r\n\r\n"), 404);
	assert_int_equal(status("GET /0123abce/ HTTP/1.1\r\nHost: localhost:4711\r\n\r\n"), 404);
	assert_int_equal(status("POST /0123abcd/ HTTP/1.1\r\nHost: localhost:4711\r\n\r\n"), 405);
}

static void test_hosts(void **state)
{
	(void)state;
	assert_int_equal(status("GET /0123abcd/ HTTP/1.1\r\nHost: evil.example:4711\r\n\r\n"), 403);
	assert_int_equal(status("GET /0123abcd/ HTTP/1.1\r\nHost: localhost\r\n\r\n"), 403);
	assert_int_equal(status("GET /0123abcd/ HTTP/1.1\r\nHost: localhost:4712\r\n\r\n"), 403);
	assert_int_equal(status("GET /0123abcd/ HTTP/1.1\r\n\r\n"), 403);
	assert_int_equal(status("GET /0123abcd/ HTTP/1.1\r\nHost: localhost:4711\r\nHost: evil.example\r\n\r\n"), 403);
	assert_int_equal(status("GET /0123abcd/ HTTP/1.1\r\nHost: localhost:4711\r\nHost: localhost:4711\r\n\r\n"), 403);
}

static void test_nonsense(void **state)
{
	bool is_head;

	(void)state;
	assert_int_equal(status(""), 400);
	assert_int_equal(status("\r\n\r\n"), 400);
	assert_int_equal(status("GET\r\n\r\n"), 400);
	assert_int_equal(status("GET /0123abcd/\r\n\r\n"), 400);
	assert_int_equal(status("GET  HTTP/1\r\n\r\n"), 400);
	assert_false(http_request_is_whole("GET / HTTP/1.1\r\nHost: x\r\n", 25));
	assert_true(http_request_is_whole("GET / HTTP/1.1\r\n\r\n", 18));
	assert_int_equal(http_request_status(&service, "HEAD /0123abcd/ HTTP/1.1\r\nHost: localhost:4711\r\n\r\n", 51, &is_head), 200);
	assert_true(is_head);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_hosts),
		cmocka_unit_test(test_nonsense),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
