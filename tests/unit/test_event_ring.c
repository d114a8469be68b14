/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The reader of BPF ring buffers, on memory that a test fills as the kernel does: records that are whole, being written, discarded, at the end
 * of the ring; and positions, which say what may be written over.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "bpf/event_ring.h"

#ifdef HAVE_BPF
#include <linux/bpf.h>

#define SIZE (1u << 20)

struct fake {
	struct event_ring ring;
	unsigned long reader_pos, writer_pos;
	uint8_t *data;
	uint32_t next; /* record that is expected */
	uint32_t nr_wanted;
};

static void fake_init(struct fake *f, unsigned long start)
{
	memset(f, 0, sizeof(*f));
	f->data = calloc(2, SIZE);
	assert_non_null(f->data);
	f->reader_pos = f->writer_pos = start;
	f->nr_wanted = UINT32_MAX;
	f->ring = (struct event_ring){
		.reader_pos = &f->reader_pos, .writer_pos = &f->writer_pos, .data = f->data, .size = SIZE, .wake_fd = -1
	};
}

/* Both halves are the same memory. */
static void put_u32(struct fake *f, unsigned long pos, uint32_t v)
{
	uint8_t *p = f->data + (pos & (SIZE - 1));

	memcpy(p, &v, sizeof(v));
	memcpy(p >= f->data + SIZE ? p - SIZE : p + SIZE, &v, sizeof(v));
}

static unsigned long put(struct fake *f, uint32_t number, uint32_t size, uint32_t bits)
{
	unsigned long pos = f->writer_pos;

	put_u32(f, pos, size | bits);
	for (uint32_t i = 0; i < size; i += 4)
		put_u32(f, pos + BPF_RINGBUF_HDR_SZ + i, number);
	f->writer_pos += BPF_RINGBUF_HDR_SZ + ((size + 7) & ~7u);
	return pos;
}

static int take(void *ctx, void *data, size_t size)
{
	struct fake *f = ctx;

	for (size_t i = 0; i < size; i += 4)
		assert_memory_equal((uint8_t *)data + i, &f->next, 4);
	f->next++;
	return --f->nr_wanted == 0;
}

static void test_records(void **state)
{
	struct fake f;
	uint32_t nr = 0;

	(void)state;
	fake_init(&f, 3ul * SIZE - 4096); /* the end is near */
	for (int turn = 0; turn < 50; turn++) {
		while (f.writer_pos - f.reader_pos < SIZE - 4096)
			put(&f, nr, 4 + nr * 4 % 600, 0), nr++;
		event_ring_consume(&f.ring, take, &f);
		assert_int_equal(f.next, nr);
		assert_int_equal(f.reader_pos, f.writer_pos);
	}
	assert_int_equal(event_ring_consume(&f.ring, take, &f), 0);
	free(f.data);
}

static void test_busy_and_discarded(void **state)
{
	unsigned long busy;
	struct fake f;

	(void)state;
	fake_init(&f, 0);
	put(&f, 0, 16, 0);
	put(&f, 99, 32, BPF_RINGBUF_DISCARD_BIT);
	put(&f, 1, 8, 0);
	busy = put(&f, 2, 24, BPF_RINGBUF_BUSY_BIT);
	put(&f, 3, 8, 0);
	assert_int_equal(event_ring_consume(&f.ring, take, &f), 2);
	assert_int_equal(f.reader_pos, busy);
	assert_int_equal(event_ring_consume(&f.ring, take, &f), 0);
	put_u32(&f, busy, 24);
	assert_int_equal(event_ring_consume(&f.ring, take, &f), 2);
	assert_int_equal(f.next, 4);
	free(f.data);
}

static void test_early_end(void **state)
{
	struct fake f;

	(void)state;
	fake_init(&f, 0);
	for (uint32_t i = 0; i < 10; i++)
		put(&f, i, 8, 0);
	f.nr_wanted = 3;
	assert_int_equal(event_ring_consume(&f.ring, take, &f), 3);
	assert_int_equal(f.reader_pos, 3 * 16);
	f.nr_wanted = UINT32_MAX;
	assert_int_equal(event_ring_consume(&f.ring, take, &f), 7);
	free(f.data);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
#ifdef HAVE_BPF
		cmocka_unit_test(test_records),
		cmocka_unit_test(test_busy_and_discarded),
		cmocka_unit_test(test_early_end),
#endif
	};

	return sizeof(tests) ? cmocka_run_group_tests(tests, NULL, NULL) : 77;
}
