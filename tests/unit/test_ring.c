/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The ring protocol on a ring in our own memory: empty, part full, full, wrapped, overwritten.
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
#include "abi/ring_page.h"
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
		const void *a, *b;
		size_t a_size, b_size;
		size_t size = ring_peek(&r, &a, &a_size, &b, &b_size);

		assert_int_equal(size, a_size + b_size);
		assert_int_equal(a_size, cases[i].a_size);
		assert_int_equal(b_size, cases[i].b_size);
		assert_ptr_equal(a, data + cases[i].a_off);
		assert_ptr_equal(b, data);
		ring_consume(&r, size);
		assert_int_equal(page.data_tail, cases[i].tail + size);
	}
}

static void test_consume_in_steps(void **state)
{
	struct ring r = fake(SIZE + 16, 24);
	const void *a, *b;
	size_t a_size, b_size;

	(void)state;
	ring_consume(&r, SIZE - 24);
	assert_int_equal(ring_peek(&r, &a, &a_size, &b, &b_size), 16);
	assert_ptr_equal(a, data);
	ring_consume(&r, 16);
	assert_int_equal(ring_peek(&r, &a, &a_size, &b, &b_size), 0);
	/* The kernel goes on. */
	page.data_head += 40;
	assert_int_equal(ring_peek(&r, &a, &a_size, &b, &b_size), 40);
}

static void put(uint64_t at, uint16_t size)
{
	struct record_header h = { .type = RECORD_SAMPLE, .size = size };

	memcpy(data + (at & (SIZE - 1)), &h, sizeof(h));
}

static void test_backward(void **state)
{
	const void *a, *b;
	size_t a_size, b_size;
	struct ring r;
	uint64_t head = 0;

	(void)state;
	/* Three records in a fresh ring: the kernel writes downwards from 0. */
	memset(data, 0, sizeof(data));
	for (int i = 0; i < 3; i++) {
		head -= 40;
		put(head, 40);
	}
	r = fake(head, 0);
	assert_int_equal(ring_peek_backward(&r, &a, &a_size, &b, &b_size), 120);
	assert_ptr_equal(a, data + SIZE - 120);
	/* So many that the oldest are overwritten: whole records only. */
	for (int i = 0; i < 1000; i++) {
		head -= 40;
		put(head, 40);
	}
	r = fake(head, 0);
	assert_int_equal(ring_peek_backward(&r, &a, &a_size, &b, &b_size), SIZE / 40 * 40);
	/* Damaged sizes end the walk. */
	put(head, 4);
	assert_int_equal(ring_peek_backward(&r, &a, &a_size, &b, &b_size), 0);
	put(head, 41);
	assert_int_equal(ring_peek_backward(&r, &a, &a_size, &b, &b_size), 0);
}

static void test_pages(void **state)
{
	uint32_t page_size = (uint32_t)sysconf(_SC_PAGESIZE), nr;
	static const char *const bad[] = {
		"", "0", "-1", "x", "12q", "1T", "K", "2000000", "99999999999999999999", "9999G"
	};

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
	assert_int_equal(ring_open(&(struct ring){ 0 }, -1, &nr, false, NULL), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spans),
		cmocka_unit_test(test_consume_in_steps),
		cmocka_unit_test(test_backward),
		cmocka_unit_test(test_pages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
