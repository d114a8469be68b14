/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Records of a twin in the name of the event that the file has: ids change, counts that look like one do not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "capture/unwind_stream.h"

static void test_rename(void **state)
{
	const struct sample_layout l = { .sample_type = SAMPLE_IDENTIFIER | SAMPLE_TIME, .id_all = true };
	struct {
		struct record_header h;
		uint64_t w[5];
	} r = { { RECORD_LOST, 0, 40 }, { 55, 55, 1000, 55 } };

	(void)state;
	unwound_rename(&l, &r.h, 9);
	assert_int_equal(r.w[0], 9);
	assert_int_equal(r.w[1], 55);
	assert_int_equal(r.w[2], 1000);
	assert_int_equal(r.w[3], 9);
	r = (typeof(r)){ { RECORD_LOST_SAMPLES, 0, 32 }, { 55, 55, 55 } };
	unwound_rename(&l, &r.h, 9);
	assert_int_equal(r.w[0], 55);
	assert_int_equal(r.w[1], 55);
	assert_int_equal(r.w[2], 9);
	r = (typeof(r)){ { RECORD_THROTTLE, 0, 48 }, { 55, 55, 55, 55, 55 } };
	unwound_rename(&l, &r.h, 9);
	assert_int_equal(r.w[0], 55);
	assert_int_equal(r.w[1], 9);
	assert_int_equal(r.w[2], 9);
	assert_int_equal(r.w[3], 55);
	assert_int_equal(r.w[4], 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rename),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
