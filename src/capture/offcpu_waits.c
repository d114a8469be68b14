/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Pairs by task, and the layout of the samples that offcpu_feed.c describes in its attr.
 */
#include "capture/offcpu_waits.h"

#include <stdlib.h>
#include <string.h>

#include "abi/record.h"
#include "abi/sample.h"
#include "base/mem.h"

void offcpu_waits_fini(struct offcpu_waits *w)
{
	for (uint32_t i = 0; i < w->v.nr; i++)
		free(w->v.v[i].event);
	for (uint32_t i = 0; i < w->buffers.nr; i++)
		free(w->buffers.v[i]);
	vec_fini(&w->v);
	vec_fini(&w->buffers);
	hindex_fini(&w->index);
}

static struct offcpu_wait *find_wait(struct offcpu_waits *w, uint32_t tid)
{
	uint64_t h = hash_u64(tid);
	uint32_t i = HINDEX_FIND_ITEM(&w->index, h, &w->v, item, item->tid == tid);

	if (i == HINDEX_NONE) {
		i = w->v.nr;
		vec_push(&w->v, ((struct offcpu_wait){ .tid = tid }));
		hindex_add(&w->index, h, i);
	}
	return &w->v.v[i];
}

static void close_wait(struct offcpu_waits *w, struct offcpu_wait *wait)
{
	vec_push(&w->buffers, wait->event);
	wait->event = NULL;
	wait->is_open = false;
}

static void open_wait(struct offcpu_waits *w, struct offcpu_wait *wait, const void *event, size_t size)
{
	if (wait->is_open) {
		w->nr_unpaired++;
		close_wait(w, wait);
	}
	wait->event = w->buffers.nr ? w->buffers.v[--w->buffers.nr] : NULL;
	wait->event = mem_realloc(wait->event, size, 1);
	memcpy(wait->event, event, size);
	wait->is_open = true;
}

/* Callers in front of the scheduler are those of the tracepoint and of our own program. */
static const uint64_t *skip_own(const struct offcpu_waits *w, const uint64_t *ips, uint32_t *nr)
{
	for (uint32_t i = 0; i < *nr; i++)
		if (ips[i] >= w->schedule_start && ips[i] < w->schedule_end) {
			*nr -= i;
			return ips + i;
		}
	return ips;
}

static uint64_t *put_chain(const struct offcpu_waits *w, const struct offcpu_event *e, uint64_t *to, uint64_t *ip, bool *in_kernel)
{
	const uint64_t *ips = (const uint64_t *)(e + 1), *user = ips + e->kernel_size / 8;
	uint32_t nr_kernel = e->kernel_size / 8, nr_user = w->has_dumps ? 0 : e->user_size / 8;
	uint64_t *nr = to++;

	ips = skip_own(w, ips, &nr_kernel);
	*in_kernel = nr_kernel;
	*ip = nr_kernel ? ips[0] : nr_user ? user[0] : e->user_ip;
	if (nr_kernel) {
		*to++ = CHAIN_KERNEL;
		memcpy(to, ips, nr_kernel * sizeof(*to));
		to += nr_kernel;
	}
	if (nr_user) {
		*to++ = CHAIN_USER;
		memcpy(to, user, nr_user * sizeof(*to));
		to += nr_user;
	}
	*nr = (uint64_t)(to - nr - 1);
	return to;
}

static uint64_t pack(uint32_t low, uint32_t high)
{
	uint32_t both[2] = { low, high };
	uint64_t word;

	memcpy(&word, both, sizeof(word));
	return word;
}

/* IDENTIFIER, IP, TID, TIME, ADDR, CPU, PERIOD, CALLCHAIN and, with dumps, REGS_USER and STACK_USER. */
static size_t put_sample(const struct offcpu_waits *w, const struct offcpu_event *e, uint64_t end_ns, uint32_t cpu, uint8_t *sample)
{
	struct record_header *h = (struct record_header *)sample;
	uint64_t *words = (uint64_t *)(sample + sizeof(*h)), *to = words + 7;
	bool in_kernel;

	to = put_chain(w, e, to, &words[1], &in_kernel);
	words[0] = w->event_id;
	words[2] = pack(e->pid, e->tid);
	words[3] = end_ns;
	words[4] = e->state;
	words[5] = pack(cpu, 0);
	words[6] = end_ns > e->time_ns ? end_ns - e->time_ns : 0;
	if (w->has_dumps) {
		memcpy(to, (const uint8_t *)(e + 1) + e->kernel_size, e->user_size);
		to += e->user_size / 8;
	}
	*h = (struct record_header){ .type = RECORD_SAMPLE,
				     .misc = in_kernel ? MISC_KERNEL : MISC_USER,
				     .size = (uint16_t)((uint8_t *)to - sample) };
	return h->size;
}

/* What a sample adds to an event, at most: words, the length of the chain and its marks. */
#define SAMPLE_EXTRA 96

static bool is_valid(const struct offcpu_event *e, size_t size)
{
	if (size < sizeof(*e) || (e->kind != OFFCPU_LEFT && e->kind != OFFCPU_BACK))
		return false;
	return e->kind == OFFCPU_BACK || (size + SAMPLE_EXTRA < OFFCPU_SAMPLE_MAX && e->kernel_size % 8 == 0 && e->user_size % 8 == 0 &&
					  e->kernel_size <= size - sizeof(*e) && e->user_size <= size - sizeof(*e) - e->kernel_size);
}

/* Where it waited is not known of a task that was away when recording began. */
static size_t come_back(struct offcpu_waits *w, uint32_t tid, const struct offcpu_event *e, uint8_t *sample)
{
	struct offcpu_wait *wait = find_wait(w, tid);
	size_t n;

	if (!wait->is_open)
		return 0;
	n = put_sample(w, (const struct offcpu_event *)wait->event, e->time_ns, e->cpu, sample);
	close_wait(w, wait);
	return n;
}

size_t offcpu_waits_take(struct offcpu_waits *w, const void *event, size_t size, uint8_t *sample)
{
	const struct offcpu_event *e = event;
	uint32_t back_tid;
	size_t n;

	if (!is_valid(e, size))
		return 0;
	back_tid = e->kind == OFFCPU_BACK ? e->tid : e->back_tid;
	n = back_tid ? come_back(w, back_tid, e, sample) : 0;
	if (e->kind == OFFCPU_LEFT)
		open_wait(w, find_wait(w, e->tid), event, size);
	return n;
}

size_t offcpu_waits_end(struct offcpu_waits *w, uint64_t now_ns, uint8_t *sample)
{
	while (w->v.nr) {
		struct offcpu_wait *last = &w->v.v[w->v.nr - 1];
		const struct offcpu_event *e = (const struct offcpu_event *)last->event;
		size_t n = last->is_open ? put_sample(w, e, now_ns, e->cpu, sample) : 0;

		free(last->event);
		w->v.nr--;
		if (n)
			return n;
	}
	hindex_clear(&w->index);
	return 0;
}
