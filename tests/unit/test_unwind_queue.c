/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The queue between drain and stage: chunks come out as they went in, from memory or from the spool;
 * a disk that takes nothing fills it, and nothing is lost.
 */
#include <errno.h>
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
		*(struct record_header *)(c->block.data + off) = (struct record_header){ .type = RECORD_SAMPLE, .size = 64 };
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
	q.spools[0].keep_bytes = 1;
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
	assert_int_equal(q.spools[0].end, 18 * CHUNK);
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
	q.spools[1].keep_bytes = 1;
	unwind_queue_put(&q, chunk(1));
	unwind_queue_put(&q, chunk(2));
	/* The other one took it. */
	assert_int_equal(q.spool_err, 0);
	assert_int_equal(q.spools[0].fd, -1);
	assert_int_equal(q.spools[1].end, CHUNK);
	q.spools[1].keep_bytes = UINT64_MAX;
	unwind_queue_put(&q, chunk(3));
	assert_true(q.spool_err < 0);
	for (uint8_t i = 1; i <= 3; i++)
		expect_chunk(&q, i);
	unwind_queue_fini(&q);
}

/* What the disk must keep free is not taken: the other spool is, and then the queue is full. */
static void test_keeps_room(void **state)
{
	struct unwind_queue q;
	int nr = 3;

	(void)state;
	unwind_queue_init(&q, CHUNK, "/tmp", -1);
	q.spools[0].keep_bytes = q.spools[1].keep_bytes = 1;
	for (uint8_t i = 0; i < 2; i++)
		unwind_queue_put(&q, chunk(i));
	q.spools[0].keep_bytes = UINT64_MAX / 2;
	unwind_queue_put(&q, chunk(2));
	assert_int_equal(q.spools[0].end, CHUNK);
	assert_int_equal(q.spools[1].end, CHUNK);
	assert_int_equal(q.spool_err, 0);
	q.spools[1].keep_bytes = UINT64_MAX / 2;
	while (!unwind_queue_is_full(&q) && nr < 100)
		unwind_queue_put(&q, chunk((uint8_t)nr++));
	assert_int_equal(q.spool_err, -ENOSPC);
	assert_true(nr > 4 && nr < 10);
	for (int i = 0; i < nr; i++)
		expect_chunk(&q, (uint8_t)i);
	unwind_queue_fini(&q);
}

/* The output needs the room: nothing is spooled until all is read, then the disk is as before. */
static void test_empty_spool(void **state)
{
	struct unwind_queue q;

	(void)state;
	unwind_queue_init(&q, CHUNK, "/tmp", -1);
	q.spools[0].keep_bytes = 1;
	assert_true(unwind_queue_empty_spool(&q));
	for (uint8_t i = 0; i < 3; i++)
		unwind_queue_put(&q, chunk(i));
	assert_int_equal(q.nr_spooled, 2);
	assert_false(unwind_queue_empty_spool(&q));
	unwind_queue_put(&q, chunk(3));
	assert_int_equal(q.nr_spooled, 2);
	for (uint8_t i = 0; i < 2; i++)
		expect_chunk(&q, i);
	assert_false(unwind_queue_empty_spool(&q));
	expect_chunk(&q, 2);
	assert_true(unwind_queue_empty_spool(&q));
	assert_int_equal(lseek(q.spools[0].fd, 0, SEEK_END), 0);
	expect_chunk(&q, 3);
	/* And then it takes some again. */
	for (uint8_t i = 0; i < 2; i++)
		unwind_queue_put(&q, chunk(i));
	assert_int_equal(q.nr_spooled, 1);
	for (uint8_t i = 0; i < 2; i++)
		expect_chunk(&q, i);
	unwind_queue_fini(&q);
}

/* What the disk does not give back is counted. */
static void test_unreadable(void **state)
{
	struct unwind_queue q;
	struct unwind_chunk *c;

	(void)state;
	unwind_queue_init(&q, CHUNK, "/tmp", -1);
	q.spools[0].keep_bytes = 1;
	unwind_queue_put(&q, chunk(1));
	unwind_queue_put(&q, chunk(2));
	assert_int_equal(ftruncate(q.spools[0].fd, CHUNK / 2), 0);
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
		cmocka_unit_test(test_spool),	    cmocka_unit_test(test_no_room), cmocka_unit_test(test_no_directory),
		cmocka_unit_test(test_unreadable),  cmocka_unit_test(test_abandon), cmocka_unit_test(test_keeps_room),
		cmocka_unit_test(test_empty_spool),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
