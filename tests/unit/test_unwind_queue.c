/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The queue between drain and stage: chunks come out as they went in, from memory or from the spool;
 * a disk that takes nothing fills it, and nothing is lost.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "abi/record.h"
#include "capture/unwind_queue.h"

#define CHUNK 4096u

/* Samples of 64 bytes, filled with a number. */
static struct unwind_chunk *chunk(uint8_t number)
{
	struct unwind_chunk *c = unwind_chunk_new(CHUNK);

	memset(c->block.data, number, CHUNK);
	for (uint32_t off = 0; off < CHUNK; off += 64)
		*(struct record_header *)(c->block.data + off) =
			(struct record_header){ .type = RECORD_SAMPLE, .size = 64 };
	return c;
}

static void expect_chunk(struct unwind_queue *q, uint8_t number)
{
	struct unwind_chunk *c = unwind_queue_next(q);

	assert_non_null(c);
	assert_int_equal(c->block.size, CHUNK);
	for (uint32_t off = 0; off < CHUNK; off += 64)
		assert_int_equal(c->block.data[off + 63], number);
	unwind_chunk_free(c);
}

static void test_spool(void **state)
{
	struct unwind_queue q;

	(void)state;
	unwind_queue_init(&q, 2 * CHUNK, "/tmp", -1);
	/* Twice: the spool is used again from its start. */
	for (int turn = 0; turn < 2; turn++) {
		for (uint8_t i = 0; i < 20; i++)
			unwind_queue_put(&q, chunk(i));
		assert_int_equal(unwind_queue_backlog(&q), 20 * CHUNK);
		assert_int_equal(q.nr_spooled, 18);
		assert_false(unwind_queue_is_full(&q));
		for (uint8_t i = 0; i < 20; i++)
			expect_chunk(&q, i);
		assert_int_equal(q.nr_spooled, 0);
	}
	assert_int_equal(q.spooled_bytes, 36 * CHUNK);
	assert_int_equal(q.spool.end, 18 * CHUNK);
	assert_int_equal(q.memory, 0);
	assert_int_equal(q.nr_unreadable, 0);
	unwind_queue_end(&q);
	assert_null(unwind_queue_next(&q));
	unwind_queue_fini(&q);
}

static void test_no_room(void **state)
{
	const struct rlimit none = { 0, RLIM_INFINITY };
	struct unwind_queue q;
	struct rlimit old;
	int nr = 0;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	if (setrlimit(RLIMIT_FSIZE, &none))
		skip();
	unwind_queue_init(&q, 2 * CHUNK, "/tmp", -1);
	while (!unwind_queue_is_full(&q) && nr < 1000)
		unwind_queue_put(&q, chunk((uint8_t)nr++));
	setrlimit(RLIMIT_FSIZE, &old);
	assert_true(nr > 2 && nr < 100);
	assert_true(q.spool_err < 0);
	for (int i = 0; i < nr; i++)
		expect_chunk(&q, (uint8_t)i);
	assert_false(unwind_queue_is_full(&q));
	unwind_queue_fini(&q);
}

static void test_no_directory(void **state)
{
	struct unwind_queue q;

	(void)state;
	unwind_queue_init(&q, CHUNK, "/nonexistent-dir", -1);
	unwind_queue_put(&q, chunk(1));
	unwind_queue_put(&q, chunk(2));
	assert_true(q.spool_err < 0);
	expect_chunk(&q, 1);
	expect_chunk(&q, 2);
	unwind_queue_fini(&q);
}

/* What the disk does not give back is counted. */
static void test_unreadable(void **state)
{
	struct unwind_queue q;
	struct unwind_chunk *c;

	(void)state;
	unwind_queue_init(&q, CHUNK, "/tmp", -1);
	unwind_queue_put(&q, chunk(1));
	unwind_queue_put(&q, chunk(2));
	assert_int_equal(ftruncate(q.spool.fd, CHUNK / 2), 0);
	expect_chunk(&q, 1);
	c = unwind_queue_next(&q);
	assert_non_null(c);
	assert_int_equal(c->block.size, 0);
	assert_int_equal(q.nr_unreadable, CHUNK / 64);
	unwind_chunk_free(c);
	unwind_queue_fini(&q);
}

static void test_abandon(void **state)
{
	struct unwind_queue q;
	bool finished;

	(void)state;
	unwind_queue_init(&q, CHUNK, "/tmp", -1);
	for (uint8_t i = 0; i < 3; i++)
		unwind_queue_put(&q, chunk(i));
	assert_int_equal(unwind_queue_abandon(&q), 3 * CHUNK / 64);
	assert_null(unwind_queue_next(&q));
	assert_null(unwind_queue_take(&q, &finished));
	assert_false(finished);
	unwind_queue_finish(&q);
	assert_null(unwind_queue_take(&q, &finished));
	assert_true(finished);
	unwind_queue_fini(&q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spool),	   cmocka_unit_test(test_no_room),
		cmocka_unit_test(test_no_directory), cmocka_unit_test(test_unreadable),
		cmocka_unit_test(test_abandon),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
