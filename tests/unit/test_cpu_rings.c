/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The reader of rings by CPU, on memory that a test fills as BPF programs do: records across the end of the data, turns that end early, what is
 * free for the writer, and losses.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bpf/cpu_rings.h"

#ifdef HAVE_BPF
#include "bpf/cpu_ring_layout.h"

#define SIZE (256u << 10)
#define NR 3

struct under_test {
	struct cpu_rings rings;
	uint32_t written[NR], read[NR]; /* numbers of records */
	int nr_wanted;
};

static struct cpu_ring *ring_at(struct under_test *t, uint32_t cpu)
{
	return (struct cpu_ring *)(void *)(t->rings.map + cpu * t->rings.stride);
}

static void start(struct under_test *t)
{
	int fd = memfd_create("rings", MFD_CLOEXEC);

	memset(t, 0, sizeof(*t));
	t->nr_wanted = -1;
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, NR * (cpu_rings_value_size(SIZE) + 8) + 4096), 0);
	assert_int_equal(cpu_rings_open(&t->rings, fd, NR, SIZE), 0);
	close(fd);
	for (uint32_t i = 0; i < NR; i++)
		ring_at(t, i)->write_pos = ring_at(t, i)->read_pos = 5ul * SIZE - 64 * (i + 1); /* the end is near */
}

/* False: there is no room. */
static bool put(struct under_test *t, uint32_t cpu, uint64_t size)
{
	struct cpu_ring *r = ring_at(t, cpu);
	uint64_t *to = (uint64_t *)(void *)((uint8_t *)(r + 1) + (r->write_pos & (SIZE - 1)));

	if (r->write_pos + CPU_RING_RECORD_MAX - r->read_pos >= SIZE) {
		r->nr_dropped++;
		return false;
	}
	to[0] = size;
	for (uint64_t i = 1; i <= size / 8; i++)
		to[i] = (uint64_t)cpu << 32 | t->written[cpu];
	t->written[cpu]++;
	r->write_pos += 8 + size;
	return true;
}

static int take(void *ctx, void *data, size_t size)
{
	struct under_test *t = ctx;
	const uint64_t *words = data;
	uint32_t cpu = (uint32_t)(words[0] >> 32);

	assert_in_range(cpu, 0, NR - 1);
	for (size_t i = 0; i < size / 8; i++)
		assert_int_equal(words[i], (uint64_t)cpu << 32 | t->read[cpu]);
	t->read[cpu]++;
	return --t->nr_wanted == 0;
}

static void test_records(void **state)
{
	struct under_test t;

	(void)state;
	start(&t);
	for (uint32_t turn = 0; turn < 400; turn++) {
		for (uint32_t i = 0; i < 60; i++)
			assert_true(put(&t, i % NR, 8 + (turn * 37 + i * 8) % (CPU_RING_RECORD_MAX - 16) / 8 * 8));
		assert_int_equal(cpu_rings_consume(&t.rings, take, &t), 60);
		assert_int_equal(cpu_rings_consume(&t.rings, take, &t), 0);
	}
	for (uint32_t i = 0; i < NR; i++) {
		assert_int_equal(t.read[i], t.written[i]);
		assert_int_equal(ring_at(&t, i)->read_pos, ring_at(&t, i)->write_pos);
	}
	assert_int_equal(cpu_rings_dropped(&t.rings), 0);
	cpu_rings_close(&t.rings);
}

/* The next turn goes on where one was ended, however much comes meanwhile. */
static void test_ended_turns(void **state)
{
	struct under_test t;

	(void)state;
	start(&t);
	for (uint32_t i = 0; i < 30; i++)
		assert_true(put(&t, i % NR, 40));
	for (uint32_t i = 0; i < 30; i++) {
		t.nr_wanted = 1;
		assert_int_equal(cpu_rings_consume(&t.rings, take, &t), 1);
		assert_true(put(&t, 0, 40));
	}
	t.nr_wanted = -1;
	assert_int_equal(cpu_rings_consume(&t.rings, take, &t), 30);
	for (uint32_t i = 0; i < NR; i++)
		assert_int_equal(t.read[i], t.written[i]);
	cpu_rings_close(&t.rings);
}

static void test_full(void **state)
{
	uint32_t nr = 0;
	struct under_test t;

	(void)state;
	start(&t);
	while (put(&t, 1, 120))
		nr++;
	assert_in_range(nr, SIZE / 128 - CPU_RING_RECORD_MAX / 128 - 1, SIZE / 128);
	assert_false(put(&t, 1, 120));
	assert_int_equal(cpu_rings_dropped(&t.rings), 2);
	/* What was read is free before all is. */
	t.nr_wanted = (int)nr - 2;
	assert_int_equal(cpu_rings_consume(&t.rings, take, &t), nr - 2);
	assert_true(put(&t, 1, 120));
	t.nr_wanted = -1;
	assert_int_equal(cpu_rings_consume(&t.rings, take, &t), 3);
	cpu_rings_close(&t.rings);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_records),
		cmocka_unit_test(test_ended_turns),
		cmocka_unit_test(test_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
int main(void)
{
	return 77;
}
#endif
