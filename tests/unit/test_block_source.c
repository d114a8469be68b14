/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A session over records in memory, as they come from rings: nothing for now is not the end, rounds order what two rings hold, what is no
 * record is left out with the rest of its block, and blocks are let go of.
 */
#include "session_fixture.h"

#include <errno.h>

#include "perfdata/record_source.h"

struct ring {
	_Alignas(8) uint8_t data[4096];
	struct record_block block;
};

static struct perfdata_info info;

static void add_comm(struct ring *r, uint64_t time_ns, const char *comm)
{
	struct record_header h = { .type = RECORD_COMM };
	struct record rec = { .header = &h, .comm = { 7, 7, comm }, .id = { .pid = 7, .tid = 7, .time_ns = time_ns } };
	int64_t size = record_encode(&rec, &info.events.v[0].layout, r->data + r->block.size, sizeof(r->data) - r->block.size);

	assert_true(size > 0);
	r->block.data = r->data;
	r->block.size += (uint32_t)size;
}

static void add_round(struct ring *r)
{
	struct record_header h = { RECORD_FINISHED_ROUND, 0, sizeof(h) };

	memcpy(r->data + r->block.size, &h, sizeof(h));
	r->block.size += sizeof(h);
}

static struct session *begin(struct block_source *b)
{
	const struct session_options opts = { 0 };
	struct perfdata_event e = { .attr = { .sample_type = SAMPLE_TID | SAMPLE_TIME, .flags = ATTR_SAMPLE_ID_ALL } };
	struct session *s;

	perfdata_info_init(&info);
	e.layout = sample_layout_of(&e.attr);
	vec_push(&info.events, e);
	block_source_init(b, &info, "memory");
	assert_int_equal(session_open(&s, &b->source, &opts, NULL), 0);
	return s;
}

static void expect(struct session *s, uint64_t time_ns, const char *comm)
{
	struct session_record sr;

	assert_int_equal(session_next(s, &sr, NULL), 1);
	assert_int_equal(sr.time_ns, time_ns);
	if (comm)
		assert_string_equal(machine_comm(&s->machine, sr.task), comm);
}

static void test_rounds_of_two_rings(void **state)
{
	struct ring one = { 0 }, two = { 0 }, next = { 0 };
	struct block_source b;
	struct session *s = begin(&b);
	struct session_record sr;

	(void)state;
	assert_int_equal(session_next(s, &sr, NULL), -EAGAIN);
	add_comm(&one, 10, "a");
	add_comm(&one, 30, "c");
	add_comm(&two, 20, "b");
	add_round(&two);
	block_source_put(&b, &one.block);
	block_source_put(&b, &two.block);
	expect(s, 0, NULL); /* the mark itself */
	assert_int_equal(session_next(s, &sr, NULL), -EAGAIN);
	assert_true(one.block.nr_held == 2 && two.block.nr_held == 1);
	add_comm(&next, 40, "d");
	add_round(&next);
	block_source_put(&b, &next.block);
	expect(s, 0, NULL);
	expect(s, 10, "a");
	expect(s, 20, "b");
	expect(s, 30, "c");
	assert_int_equal(session_next(s, &sr, NULL), -EAGAIN);
	assert_true(!one.block.nr_held && !two.block.nr_held && next.block.nr_held == 1);
	block_source_end(&b);
	expect(s, 40, "d");
	assert_int_equal(session_next(s, &sr, NULL), 0);
	assert_int_equal(next.block.nr_held, 0);
	assert_int_equal(s->recording.damage->err, 0);
	session_close(s);
	perfdata_info_fini(&info);
}

/* More records than a batch has, and one that is none in the second block. */
static void test_batches_and_damage(void **state)
{
	static struct ring many, bad;
	struct block_source b;
	struct session *s = begin(&b);
	struct session_record sr;
	uint32_t off;

	(void)state;
	for (uint64_t t = 1; t <= SOURCE_BATCH + 9; t++)
		add_comm(&many, t, "x");
	add_comm(&bad, 900, "y");
	off = bad.block.size;
	add_comm(&bad, 901, "z");
	((struct record_header *)(bad.data + off))->size = 4;
	block_source_put(&b, &many.block);
	block_source_put(&b, &bad.block);
	block_source_end(&b);
	for (uint64_t t = 1; t <= SOURCE_BATCH + 9; t++)
		expect(s, t, "x");
	expect(s, 900, "y");
	assert_int_equal(session_next(s, &sr, NULL), 0);
	assert_int_equal(b.nr_damaged, 1);
	session_close(s);
	perfdata_info_fini(&info);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rounds_of_two_rings),
		cmocka_unit_test(test_batches_and_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
