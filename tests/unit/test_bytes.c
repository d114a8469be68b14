/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * base/bytes.h: no read leaves its bounds, whatever the counts say.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/bytes.h"

static void test_reads_in_order(void **state)
{
	const uint8_t data[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
	struct bytes b = bytes_of(data, sizeof(data), false);

	(void)state;
	assert_int_equal(bytes_u8(&b), 1);
	assert_int_equal(bytes_u16(&b), 0x0302);
	assert_int_equal(bytes_u32(&b), 0x07060504);
	assert_true(bytes_u64(&b) == 0x0f0e0d0c0b0a0908ULL);
	assert_int_equal(bytes_left(&b), 0);
	assert_false(b.failed);
}

static void test_swaps(void **state)
{
	const uint8_t data[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
	struct bytes b = bytes_of(data, sizeof(data), true);

	(void)state;
	assert_int_equal(bytes_u8(&b), 1);
	assert_int_equal(bytes_u16(&b), 0x0203);
	assert_int_equal(bytes_u32(&b), 0x04050607);
	assert_true(bytes_u64(&b) == 0x08090a0b0c0d0e0fULL);
	assert_false(b.failed);
}

static void test_past_the_end(void **state)
{
	const uint8_t data[] = { 0xff, 0xff, 0xff };
	struct bytes b = bytes_of(data, sizeof(data), false);

	(void)state;
	assert_int_equal(bytes_u32(&b), 0);
	assert_true(b.failed);
	/* Once failed, it stays so: what follows in the layout is not where it should be. */
	assert_int_equal(bytes_u8(&b), 0);
	assert_null(bytes_take(&b, 0));
	assert_false(bytes_has(&b, 0, 1));
	assert_true(b.failed);
}

static void test_empty(void **state)
{
	struct bytes b = bytes_of(NULL, 0, false);

	(void)state;
	assert_true(bytes_has(&b, 0, 8));
	assert_false(b.failed);
	assert_true(bytes_u64(&b) == 0);
	assert_true(b.failed);
}

static void test_counts_do_not_overflow(void **state)
{
	const uint8_t data[32] = { 0 };
	/* Each wraps to something small when multiplied by its item size. */
	const struct {
		uint64_t count;
		size_t item_size;
	} hostile[] = {
		{ UINT64_MAX, 8 }, { UINT64_MAX / 8 + 1, 8 }, { UINT64_MAX / 24 + 1, 24 }, { 1ULL << 61, 8 }, { 1ULL << 32, 8 }, { 5, 8 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(hostile) / sizeof(hostile[0]); i++) {
		struct bytes b = bytes_of(data, sizeof(data), false);

		assert_false(bytes_has(&b, hostile[i].count, hostile[i].item_size));
		assert_true(b.failed);
	}
	struct bytes b = bytes_of(data, sizeof(data), false);

	assert_true(bytes_has(&b, 4, 8));
	assert_null(bytes_take(&b, SIZE_MAX));
	assert_true(b.failed);
}

static void test_strings(void **state)
{
	const char data[] = { 'a', 'b', 0, 'x', 'c', 'd', 'e', 'f', 'g' };
	struct bytes b = bytes_of(data, sizeof(data), false);

	(void)state;
	assert_string_equal(bytes_str(&b, 4), "ab");
	assert_int_equal(bytes_left(&b), 5);
	assert_null(bytes_str(&b, 5)); /* no NUL inside the field */
	assert_true(b.failed);

	b = bytes_of(data, sizeof(data), false);
	assert_null(bytes_str(&b, 10)); /* field cut */
	assert_true(b.failed);

	b = bytes_of(data, sizeof(data), false);
	assert_null(bytes_str(&b, 0)); /* no room for a NUL */
	assert_true(b.failed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reads_in_order),	       cmocka_unit_test(test_swaps),
		cmocka_unit_test(test_past_the_end),	       cmocka_unit_test(test_empty),
		cmocka_unit_test(test_counts_do_not_overflow), cmocka_unit_test(test_strings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
