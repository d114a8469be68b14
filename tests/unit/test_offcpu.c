/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Waits: pairs, lost events, what has not ended, sizes that cannot be. Merging: short samples of one stack become one, long ones stay.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "abi/offcpu.h"
#include "abi/record.h"
#include "abi/sample.h"
#include "capture/offcpu_merge.h"
#include "capture/offcpu_waits.h"

#define ID 77
#define SCHEDULE 0xffffffff81000000ull

static const struct sample_layout layout = { .sample_type = SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_ADDR |
							    SAMPLE_CPU | SAMPLE_PERIOD | SAMPLE_CALLCHAIN };

struct left {
	struct offcpu_event e;
	uint64_t kernel[3], user[2];
};

static uint64_t sample_words[OFFCPU_SAMPLE_MAX / 8];
static uint8_t *const buf = (uint8_t *)sample_words;

static struct left left_at(uint32_t tid, uint64_t time_ns, uint32_t state)
{
	return (struct left){
		.e = { .kind = OFFCPU_LEFT,
		       .pid = 10,
		       .tid = tid,
		       .cpu = 1,
		       .time_ns = time_ns,
		       .state = state,
		       .kernel_size = 24,
		       .user_size = 16,
		       .user_ip = 0x400100 },
		.kernel = { SCHEDULE - 0x5000, SCHEDULE + 0x10, SCHEDULE + 0x9000 },
		.user = { 0x400100, 0x400200 },
	};
}

static size_t leave(struct offcpu_waits *w, uint32_t tid, uint64_t time_ns, uint32_t state)
{
	struct left l = left_at(tid, time_ns, state);

	return offcpu_waits_take(w, &l, sizeof(l), buf);
}

static size_t come_back(struct offcpu_waits *w, uint32_t tid, uint64_t time_ns)
{
	struct offcpu_event e = { .kind = OFFCPU_BACK, .pid = 10, .tid = tid, .cpu = 3, .time_ns = time_ns };

	return offcpu_waits_take(w, &e, sizeof(e), buf);
}

static struct sample decode(size_t size)
{
	const struct record_header *h = (const struct record_header *)buf;
	struct sample s;

	assert_int_equal(h->type, RECORD_SAMPLE);
	assert_int_equal(h->size, size);
	assert_int_equal(sample_decode(&layout, h + 1, size - sizeof(*h), &s), 0);
	return s;
}

static void pairs_become_samples(void **state)
{
	struct offcpu_waits w = { .event_id = ID, .schedule_start = SCHEDULE, .schedule_end = SCHEDULE + 0x100 };
	const uint64_t chain[] = { CHAIN_KERNEL, SCHEDULE + 0x10, SCHEDULE + 0x9000, CHAIN_USER, 0x400100, 0x400200 };
	struct sample s;

	(void)state;
	assert_int_equal(leave(&w, 11, 1000, 1), 0);
	assert_int_equal(leave(&w, 12, 1500, 0), 0);
	s = decode(come_back(&w, 11, 4000));
	assert_int_equal(s.id, ID);
	assert_int_equal(s.pid, 10);
	assert_int_equal(s.tid, 11);
	assert_int_equal(s.time_ns, 4000);
	assert_int_equal(s.period, 3000);
	assert_int_equal(s.addr, 1);
	assert_int_equal(s.cpu, 3);
	assert_int_equal(s.ip, SCHEDULE + 0x10);
	/* Without the callers that are our own. */
	assert_int_equal(s.nr_ips, 6);
	assert_memory_equal(s.ips, chain, sizeof(chain));
	s = decode(come_back(&w, 12, 1501));
	assert_int_equal(s.period, 1);
	assert_int_equal(s.addr, 0);
	offcpu_waits_fini(&w);
}

static void one_event_for_both(void **state)
{
	struct offcpu_waits w = { .event_id = ID };
	struct left l = left_at(12, 1500, 2);
	struct sample s;

	(void)state;
	leave(&w, 11, 1000, 1);
	l.e.back_tid = 11;
	s = decode(offcpu_waits_take(&w, &l, sizeof(l), buf));
	assert_int_equal(s.tid, 11);
	assert_int_equal(s.period, 500);
	assert_int_equal(s.addr, 1);
	s = decode(come_back(&w, 12, 1600));
	assert_int_equal(s.tid, 12);
	assert_int_equal(s.period, 100);
	offcpu_waits_fini(&w);
}

static void lost_events_make_no_time(void **state)
{
	struct offcpu_waits w = { .event_id = ID };

	(void)state;
	assert_int_equal(come_back(&w, 11, 100), 0);
	assert_int_equal(leave(&w, 11, 200, 1), 0);
	assert_int_equal(leave(&w, 11, 900, 1), 0); /* it came back in between */
	assert_int_equal(w.nr_unpaired, 1);
	assert_int_equal(decode(come_back(&w, 11, 1000)).period, 100);
	assert_int_equal(come_back(&w, 11, 1100), 0);
	offcpu_waits_fini(&w);
}

static void open_waits_end_with_the_recording(void **state)
{
	struct offcpu_waits w = { .event_id = ID };
	uint64_t sum = 0;
	size_t n;
	int nr = 0;

	(void)state;
	leave(&w, 11, 200, 1);
	leave(&w, 12, 300, 2);
	leave(&w, 13, 400, 2);
	assert_true(come_back(&w, 12, 350));
	for (; (n = offcpu_waits_end(&w, 1000, buf)); nr++)
		sum += decode(n).period;
	assert_int_equal(nr, 2);
	assert_int_equal(sum, 800 + 600);
	assert_int_equal(offcpu_waits_end(&w, 1000, buf), 0);
	offcpu_waits_fini(&w);
}

static void sizes_that_cannot_be_are_dropped(void **state)
{
	struct offcpu_waits w = { .event_id = ID };
	struct left l = left_at(11, 100, 1);

	(void)state;
	l.e.kernel_size = 0xfffffff8;
	assert_int_equal(offcpu_waits_take(&w, &l, sizeof(l), buf), 0);
	l.e.kernel_size = 24;
	l.e.user_size = 24;
	assert_int_equal(offcpu_waits_take(&w, &l, sizeof(l), buf), 0);
	l.e.user_size = 13;
	assert_int_equal(offcpu_waits_take(&w, &l, sizeof(l), buf), 0);
	assert_int_equal(offcpu_waits_take(&w, &l, 7, buf), 0);
	assert_int_equal(come_back(&w, 11, 1000), 0);
	offcpu_waits_fini(&w);
}

/* Appends a sample of a task that was away for `ns`. */
static size_t append(struct offcpu_waits *w, uint8_t *records, size_t size, uint32_t tid, uint64_t ns, uint32_t task_state)
{
	size_t n;

	leave(w, tid, 1000, task_state);
	n = come_back(w, tid, 1000 + ns);
	memcpy(records + size, buf, n);
	return size + n;
}

static void short_waits_are_summed_up(void **state)
{
	static uint64_t words[1024];
	uint8_t *records = (uint8_t *)words;
	struct offcpu_waits w = { .event_id = ID };
	struct offcpu_merge m = { .event_id = ID, .thresh_ns = 500 };
	const uint64_t periods[] = { 10 + 30, 600, 20, 40 };
	size_t size = 0, left, at = 0;

	(void)state;
	size = append(&w, records, size, 11, 10, 1);
	size = append(&w, records, size, 11, 600, 1);
	size = append(&w, records, size, 11, 20, 2);
	size = append(&w, records, size, 12, 40, 1);
	size = append(&w, records, size, 11, 30, 1);
	left = offcpu_merge(&m, records, size);
	assert_int_equal(m.nr_merged, 1);
	for (int i = 0; i < 4; i++) {
		const struct record_header *h = (const struct record_header *)(records + at);

		memcpy(buf, h, h->size);
		assert_int_equal(decode(h->size).period, periods[i]);
		at += h->size;
	}
	assert_int_equal(at, left);
	/* What is no record ends it; other events are left alone. */
	((struct record_header *)records)->size = 4;
	assert_int_equal(offcpu_merge(&m, records, left), 0);
	m.event_id = ID + 1;
	size = append(&w, records, append(&w, records, 0, 11, 10, 1), 11, 10, 1);
	assert_int_equal(offcpu_merge(&m, records, size), size);
	offcpu_merge_fini(&m);
	offcpu_waits_fini(&w);
}

static void states_by_bits(void **state)
{
	(void)state;
	assert_int_equal(offcpu_state_of(0), OFFCPU_RUNNABLE);
	assert_int_equal(offcpu_state_of(1), OFFCPU_INTERRUPTIBLE);
	assert_int_equal(offcpu_state_of(2), OFFCPU_UNINTERRUPTIBLE);
	assert_int_equal(offcpu_state_of(0x102), OFFCPU_UNINTERRUPTIBLE);
	assert_int_equal(offcpu_state_of(0x402), OFFCPU_UNINTERRUPTIBLE);
	assert_int_equal(offcpu_state_of(4), OFFCPU_STOPPED);
	assert_int_equal(offcpu_state_of(8), OFFCPU_STOPPED);
	assert_int_equal(offcpu_state_of(1ull << 40), OFFCPU_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pairs_become_samples),
		cmocka_unit_test(one_event_for_both),
		cmocka_unit_test(lost_events_make_no_time),
		cmocka_unit_test(open_waits_end_with_the_recording),
		cmocka_unit_test(sizes_that_cannot_be_are_dropped),
		cmocka_unit_test(short_waits_are_summed_up),
		cmocka_unit_test(states_by_bits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
