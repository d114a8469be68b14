/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The ring protocol on a ring in our own memory: empty, part full, full, wrapped; and records that no ring can hold.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "abi/record.h"
#include "kernel/ring.h"

#define SIZE 4096u

static struct ring_page page;
static uint8_t data[SIZE] __attribute__((aligned(8)));

static struct ring fake(uint64_t head, uint64_t tail)
{
	memset(&page, 0, sizeof(page));
	page.data_head = head;
	page.data_tail = tail;
	return (struct ring){ .page = &page, .data = data, .size = SIZE, .tail = tail, .fd = -1 };
}

static void test_spans(void **state)
{
	static const struct {
		uint64_t head, tail;
		size_t a_off, a_size, b_size;
	} cases[] = {
		{ 0, 0, 0, 0, 0 },
		{ 48, 0, 0, 48, 0 },
		{ SIZE, 0, 0, SIZE, 0 },
		{ SIZE + 16, 24, 24, SIZE - 24, 16 },
		{ SIZE + 64, SIZE, 0, 64, 0 },
		{ 3 * SIZE + 8, 2 * SIZE + 8, 8, SIZE - 8, 8 },
		{ 8, UINT64_MAX - 7, SIZE - 8, 8, 8 }, /* the count itself wraps */
		{ 10 * SIZE, 0, 0, SIZE, 0 },	       /* nonsense stays inside */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ring r = fake(cases[i].head, cases[i].tail);
		struct ring_span s = ring_peek(&r);

		assert_int_equal(s.a_size, cases[i].a_size);
		assert_int_equal(s.size, cases[i].a_size + cases[i].b_size);
		assert_ptr_equal(s.a, data + cases[i].a_off);
		assert_ptr_equal(s.b, data);
		ring_consume(&r, s.size);
		assert_int_equal(page.data_tail, cases[i].tail + s.size);
	}
}

static void test_consume_in_steps(void **state)
{
	struct ring r = fake(SIZE + 16, 24);

	(void)state;
	ring_consume(&r, SIZE - 24);
	assert_int_equal(ring_peek(&r).size, 16);
	assert_ptr_equal(ring_peek(&r).a, data);
	ring_consume(&r, 16);
	assert_int_equal(ring_peek(&r).size, 0);
	/* The kernel goes on. */
	page.data_head += 40;
	assert_int_equal(ring_peek(&r).size, 40);
}

static void test_records(void **state)
{
	struct record_header *h = (struct record_header *)data;
	struct ring_span s = ring_span_of(data, 72);

	(void)state;
	h[0] = (struct record_header){ .type = RECORD_SAMPLE, .size = 64 };
	assert_ptr_equal(ring_span_record(&s, 0), h);
	h[8] = (struct record_header){ .type = RECORD_SAMPLE, .size = 16 };
	for (uint16_t size = 0; size < 32; size++) {
		h[8].size = size;
		assert_int_equal(!ring_span_record(&s, 64), size != 8);
		assert_int_equal(ring_span_is_damaged(&s, 64), size != 8);
	}
	assert_null(ring_span_record(&s, 72));
	assert_false(ring_span_is_damaged(&s, 72));
}

static void test_pages(void **state)
{
	uint32_t page_size = (uint32_t)sysconf(_SC_PAGESIZE), nr;
	static const char *const bad[] = { "", "0", "-1", "x", "12q", "1T", "K", "2000000", "99999999999999999999", "9999G" };

	(void)state;
	assert_int_equal(ring_parse_pages("128", &nr, NULL), 0);
	assert_int_equal(nr, 128);
	assert_int_equal(ring_parse_pages("100", &nr, NULL), 0);
	assert_int_equal(nr, 128);
	assert_int_equal(ring_parse_pages("1B", &nr, NULL), 0);
	assert_int_equal(nr, 1);
	assert_int_equal(ring_parse_pages("1M", &nr, NULL), 0);
	assert_int_equal(nr, (1u << 20) / page_size);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(ring_parse_pages(bad[i], &nr, NULL), -EINVAL);
	nr = ring_default_pages();
	assert_true(nr && !(nr & (nr - 1)));
	nr = 3;
	assert_int_equal(ring_open(&(struct ring){ 0 }, -1, &nr, NULL), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spans),
		cmocka_unit_test(test_consume_in_steps),
		cmocka_unit_test(test_records),
		cmocka_unit_test(test_pages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
