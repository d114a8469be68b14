/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * base/protobuf.h: bytes of the wire format, as its documentation has them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/protobuf.h"

static void check(struct out *o, const char *expected, size_t len)
{
	assert_int_equal(o->len, len);
	assert_memory_equal(o->buf, expected, len);
	o->len = 0;
}

static void test_varint(void **state)
{
	struct out o;

	(void)state;
	out_init(&o, -1);
	protobuf_varint(&o, 0);
	check(&o, "\x00", 1);
	protobuf_varint(&o, 127);
	check(&o, "\x7f", 1);
	protobuf_varint(&o, 150);
	check(&o, "\x96\x01", 2);
	protobuf_varint(&o, UINT64_MAX);
	check(&o, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10);
	out_fini(&o);
}

static void test_fields(void **state)
{
	struct out o, inner;

	(void)state;
	out_init(&o, -1);
	out_init(&inner, -1);
	protobuf_u64(&o, 1, 150);
	check(&o, "\x08\x96\x01", 3);
	protobuf_u64(&o, 1, 0); /* left out */
	check(&o, "", 0);
	protobuf_i64(&o, 3, -2);
	check(&o, "\x18\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11);
	protobuf_u64(&o, 16, 1); /* a tag of two bytes */
	check(&o, "\x80\x01\x01", 3);
	protobuf_bytes(&o, 2, "testing", 7);
	check(&o, "\x12\x07testing", 9);
	protobuf_bytes(&o, 6, "", 0); /* an item all the same */
	check(&o, "\x32\x00", 2);
	protobuf_u64(&inner, 1, 150);
	protobuf_message(&o, 3, &inner);
	assert_int_equal(inner.len, 0);
	check(&o, "\x1a\x03\x08\x96\x01", 5);
	out_fini(&o);
	out_fini(&inner);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_varint),
		cmocka_unit_test(test_fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
