/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A recording through a pipe inside the process: everything comes out, whole and in order, also records that blocks cut; a writer waits
 * while it is full, and learns that the reader has gone.
 */
#include "perfdata_sample.h"

#include <pthread.h>
#include <stdlib.h>

#define NR_RECORDS 20000
#define NR_LARGE 40
#define LARGE_BYTES (RECORD_PIPE_BLOCK_BYTES + 12345 * 8)

static int await_room(void *ctx, int fd)
{
	(void)fd;
	while (!record_pipe_await_room(ctx, 1000))
		;
	return 0;
}

/* Records one by one, and now and then more at once than a block holds, so that its end cuts one. */
static void *write_all(void *arg)
{
	struct record_pipe *p = arg;
	const struct writer_options opts = { .pipe_mode = true, .pipe = p, .wait = await_room, .ctx = p };
	uint8_t *buf = mem_alloc(65536), *large = mem_zalloc(LARGE_BYTES);
	struct perfdata_info info;
	struct errbuf eb = { 0 };
	struct writer *w;

	for (uint32_t off = 0; off < LARGE_BYTES; off += 8 * 15)
		memcpy(large + off,
		       &(struct record_header){ .type = 49, .size = (uint16_t)(LARGE_BYTES - off < 120 ? LARGE_BYTES - off : 120) },
		       sizeof(struct record_header));
	sample_info(&info, 3);
	assert_int_equal(writer_open(&w, -1, &opts, &info, &eb), 0);
	for (uint32_t i = 0; i < NR_RECORDS; i++) {
		uint32_t size = sample_record(i, buf);

		assert_int_equal(writer_append(w, buf, size, false), 0);
		if (i % (NR_RECORDS / NR_LARGE) == 0)
			assert_int_equal(writer_append(w, large, LARGE_BYTES, false), 0);
	}
	assert_int_equal(writer_finish(w, &info, &eb), 0);
	writer_free(w);
	perfdata_info_fini(&info);
	free(buf);
	free(large);
	record_pipe_end(p);
	return NULL;
}

static void test_all_comes_out(void **state)
{
	struct record_pipe *p = record_pipe_new(2);
	uint8_t *want = mem_alloc(65536);
	struct record_block *held = NULL;
	uint32_t nr = 0, nr_large = 0;
	struct record_source *s;
	struct source_record rec;
	struct errbuf eb = { 0 };
	pthread_t thread;
	int ret;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, write_all, p), 0);
	assert_int_equal(reader_open_pipe(&s, p, "the test", &eb), 0);
	while ((ret = record_source_next(s, &rec, &eb)) > 0) {
		nr_large += rec.header->type == 49 ? rec.header->size : 0;
		if (rec.header->type != 48)
			continue;
		assert_int_equal(rec.header->size, sample_record(nr, want));
		assert_memory_equal(rec.header, want, rec.header->size);
		/* A block that is held is not used again. */
		if (nr % 1000 == 0) {
			if (held)
				record_release(held);
			held = rec.block;
			record_hold(held);
		}
		nr++;
	}
	assert_int_equal(ret, 0);
	assert_int_equal(s->damage->err, 0);
	assert_int_equal(nr, NR_RECORDS);
	assert_int_equal(nr_large, NR_LARGE * LARGE_BYTES);
	assert_int_equal(s->info->events.nr, 3);
	assert_string_equal(s->info->events.v[2].name, "event number 2");
	pthread_join(thread, NULL);
	record_source_close(s);
	record_pipe_free(p);
	free(want);
}

static void test_full_and_gone(void **state)
{
	struct record_pipe *p = record_pipe_new(2);
	uint8_t *data = mem_zalloc(RECORD_PIPE_BLOCK_BYTES);
	struct record_block *b;

	(void)state;
	for (int i = 0; i < 2; i++)
		assert_int_equal(record_pipe_put(p, data, RECORD_PIPE_BLOCK_BYTES), RECORD_PIPE_BLOCK_BYTES);
	assert_int_equal(record_pipe_put(p, data, 8), 0);
	assert_false(record_pipe_await_room(p, 1));
	b = record_pipe_take(p, NULL);
	assert_int_equal(b->size, RECORD_PIPE_BLOCK_BYTES);
	assert_true(record_pipe_await_room(p, 1));
	assert_int_equal(record_pipe_put(p, data, 8), 8);
	b = record_pipe_take(p, b);
	assert_int_equal(b->size, RECORD_PIPE_BLOCK_BYTES);
	/* One that is not full comes out as it is. */
	b = record_pipe_take(p, b);
	assert_int_equal(b->size, 8);
	assert_false(record_pipe_is_closed(p));
	record_pipe_close(p);
	assert_true(record_pipe_is_closed(p));
	assert_true(record_pipe_await_room(p, 1000));
	assert_int_equal(record_pipe_put(p, data, 8), -EPIPE);
	record_pipe_end(p);
	assert_null(record_pipe_take(p, b));
	record_pipe_free(p);
	free(data);
}

/* A recorder that fails before it writes anything. */
static void test_empty(void **state)
{
	struct record_pipe *p = record_pipe_new(1);
	struct record_source *s;
	struct errbuf eb = { 0 };

	(void)state;
	record_pipe_end(p);
	assert_true(reader_open_pipe(&s, p, "the test", &eb) < 0);
	assert_true(record_pipe_is_closed(p));
	record_pipe_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_comes_out),
		cmocka_unit_test(test_full_and_gone),
		cmocka_unit_test(test_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
