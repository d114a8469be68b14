/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Words found without decoding are those that encoding put there, for every combination of the
 * fields that move them; and a record too short for a word has none.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "abi/record.h"

#define TIME 0x1111222233334444u
#define ID 77u
#define PID 5u
#define TID 6u

static const uint64_t moving[] = { SAMPLE_IDENTIFIER, SAMPLE_IP,	SAMPLE_TID, SAMPLE_TIME,  SAMPLE_ADDR,
				   SAMPLE_ID,	      SAMPLE_STREAM_ID, SAMPLE_CPU, SAMPLE_PERIOD };
#define NR_MOVING (sizeof(moving) / sizeof(*moving))

static uint64_t sample_type_of(unsigned int bits)
{
	uint64_t type = 0;

	for (unsigned int i = 0; i < NR_MOVING; i++)
		if (bits & 1u << i)
			type |= moving[i];
	return type;
}

static const struct record_header *encoded(uint32_t type, const struct sample_layout *l, uint64_t *buf, size_t size)
{
	const struct record_header h = { .type = type };
	struct record rec = { .header = &h };

	if (type == RECORD_SAMPLE) {
		rec.sample.time_ns = TIME;
		rec.sample.id = ID;
		rec.sample.pid = PID;
		rec.sample.tid = TID;
	} else {
		rec.comm.comm = "worker";
		rec.id.time_ns = TIME;
		rec.id.id = ID;
	}
	assert_true(record_encode(&rec, l, buf, size) > 0);
	return (const void *)buf;
}

static void check_found(const struct record_header *h, const struct sample_layout *l)
{
	uint64_t has_id = l->sample_type & (SAMPLE_IDENTIFIER | SAMPLE_ID), value = 0;

	assert_int_equal(record_find_time(h, l, &value), !!(l->sample_type & SAMPLE_TIME));
	if (l->sample_type & SAMPLE_TIME)
		assert_true(value == TIME);
	assert_int_equal(record_find_id(h, l, &value), !!has_id);
	if (has_id)
		assert_true(value == ID);
}

static void test_words_are_where_encoding_put_them(void **state)
{
	uint64_t buf[64];

	(void)state;
	for (unsigned int bits = 0; bits < 1u << NR_MOVING; bits++) {
		struct sample_layout l = { .sample_type = sample_type_of(bits), .id_all = true };
		const struct record_header *h = encoded(RECORD_SAMPLE, &l, buf, sizeof(buf));

		check_found(h, &l);
		check_found(encoded(RECORD_COMM, &l, buf, sizeof(buf)), &l);
	}
}

static void test_records_without_trailer_have_no_words(void **state)
{
	struct sample_layout l = { .sample_type = SAMPLE_TIME | SAMPLE_ID };
	uint64_t buf[64], value;
	const struct record_header *h = encoded(RECORD_COMM, &l, buf, sizeof(buf));

	(void)state;
	assert_false(record_find_time(h, &l, &value));
	assert_false(record_find_id(h, &l, &value));
}

static void test_short_records_have_no_words(void **state)
{
	struct sample_layout l = { .sample_type = SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_ID, .id_all = true };
	uint64_t buf[4] = { 0 }, value;
	struct record_header *h = (void *)buf;

	(void)state;
	*h = (struct record_header){ .type = RECORD_SAMPLE, .size = 8 + 2 * 8 };
	assert_false(record_find_time(h, &l, &value));
	h->size = 8 + 3 * 8;
	assert_true(record_find_time(h, &l, &value));
	assert_false(record_find_id(h, &l, &value));
	*h = (struct record_header){ .type = RECORD_COMM, .size = 8 + 8 };
	assert_true(record_find_id(h, &l, &value));
	assert_false(record_find_time(h, &l, &value));
	h->size = 8;
	assert_false(record_find_id(h, &l, &value));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words_are_where_encoding_put_them),
		cmocka_unit_test(test_records_without_trailer_have_no_words),
		cmocka_unit_test(test_short_records_have_no_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
