/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Workers and the slices of a batch they get (a few hundred stacks take less time than starting threads: those are unwound by the stage
 * itself), and the records that are written in place of raw ones.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "capture/dump_policy.h"
#include "capture/unwind_stream.h"

#define ITEMS_PER_WORKER 512
#define MAX_WORKERS 16
#define MAX_PIDS 64 /* more processes are not distinguished */

static void add_worker(struct unwind_batch *b)
{
	struct unwind_worker *w = vec_add(&b->workers);

	w->unwinder = unwinder_new(b->machine, arch_native());
	w->chain = mem_alloc((UNWOUND_CHAIN_MAX + UNWINDER_MAX_FRAMES + UNWOUND_MARKS_MAX) * sizeof(w->chain[0]));
	w->record = mem_alloc(UINT16_MAX + 1);
}

void unwind_batch_init(struct unwind_batch *b, struct machine *m, uint32_t max_workers)
{
	memset(b, 0, sizeof(*b));
	b->machine = m;
	b->max_workers = max_workers ? max_workers : pool_nr_cpus();
	if (b->max_workers > MAX_WORKERS)
		b->max_workers = MAX_WORKERS;
	add_worker(b);
}

void unwind_batch_fini(struct unwind_batch *b)
{
	for (uint32_t i = 0; i < b->workers.nr; i++) {
		unwinder_free(b->workers.v[i].unwinder);
		free(b->workers.v[i].chain);
		free(b->workers.v[i].record);
	}
	vec_fini(&b->workers);
	vec_fini(&b->items);
	vec_fini(&b->prepared);
	vec_fini(&b->pids);
}

bool unwind_batch_has(const struct unwind_batch *b, int32_t pid)
{
	for (uint32_t i = 0; i < b->pids.nr; i++)
		if (b->pids.v[i] == pid)
			return true;
	return b->pids.nr == MAX_PIDS;
}

void unwind_batch_add(struct unwind_batch *b, const struct unwind_item *item)
{
	int32_t pid = item->task->leader->pid;

	vec_push(&b->items, *item);
	if (!unwind_batch_has(b, pid))
		vec_push(&b->pids, pid);
}

void unwind_batch_clear(struct unwind_batch *b)
{
	b->items.nr = b->pids.nr = 0;
}

/* In place of the raw sample where it fits, which it nearly always does. */
static void store(struct unwind_item *item, const void *record, uint32_t size)
{
	struct unwind_piece *p = &item->chunk->pieces.v[item->piece];

	if (size <= p->size) {
		memcpy(item->chunk->block.data + p->off, record, size);
	} else {
		p->larger = mem_alloc(size);
		memcpy(p->larger, record, size);
	}
	p->size = size;
}

static void unwind_one(struct unwind_worker *w, struct unwind_item *item)
{
	const struct unwind_event *e = item->event;
	const struct record_header *h = (const void *)(item->chunk->block.data + item->chunk->pieces.v[item->piece].off);
	uint32_t nr, nr_user;
	struct sample s;
	int64_t size;

	item->walk = (struct unwind_result){ UNWIND_NOT_DONE, false };
	item->has_user = false;
	item->err = sample_decode(&e->in, h + 1, h->size - sizeof(*h), &s);
	if (item->err)
		return;
	nr = unwound_chain_begin(&s, w->chain);
	nr_user = unwinder_walk(w->unwinder, item->task, &s, e->in.regs_user, w->chain + nr, UNWINDER_MAX_FRAMES, &item->walk);
	item->has_user = nr_user;
	item->dumped = (uint32_t)s.stack_size;
	item->reach = unwinder_reach(w->unwinder);
	if (item->walk.end == UNWIND_TRUNCATED && e->is_switched && item->dumped <= DUMP_SMALL)
		item->walk.end = UNWIND_SMALL_DUMP;
	/* No mark where nothing follows it. */
	nr = nr_user ? nr + nr_user : nr - 1;
	if (item->id)
		s.id = item->id;
	size = unwound_encode(&e->out, h, &s, w->chain, nr, &item->walk, w->record, UINT16_MAX + 1);
	if (size < 0)
		item->err = (int)size;
	else
		store(item, w->record, (uint32_t)size);
}

struct batch_job {
	struct unwind_batch *batch;
	uint32_t nr_slices;
};

static void unwind_slice(void *ctx, uint32_t i)
{
	const struct batch_job *job = ctx;
	uint64_t nr = job->batch->items.nr;
	uint32_t to = (uint32_t)(nr * (i + 1) / job->nr_slices);

	for (uint32_t k = (uint32_t)(nr * i / job->nr_slices); k < to; k++)
		unwind_one(&job->batch->workers.v[i], &job->batch->items.v[k]);
}

/* Loads the tables that the items may meet, on all CPUs: workers must not, and a large one holds up all the others. */
static void prepare(struct unwind_batch *b)
{
	uint32_t last = 0;

	for (uint32_t i = 0; i < b->items.nr; i++) {
		uint32_t generation = task_maps(b->items.v[i].task)->generation, k = 0;

		if (generation == last)
			continue;
		last = generation;
		while (k < b->prepared.nr && b->prepared.v[k] != generation)
			k++;
		if (k < b->prepared.nr)
			continue;
		if (b->prepared.nr == 256)
			b->prepared.nr = 0;
		vec_push(&b->prepared, generation);
		unwinder_prepare(b->machine, b->items.v[i].task);
	}
}

void unwind_batch_run(struct unwind_batch *b)
{
	struct batch_job job = { b, b->items.nr / ITEMS_PER_WORKER };

	if (job.nr_slices > b->max_workers)
		job.nr_slices = b->max_workers;
	prepare(b);
	if (job.nr_slices <= 1) {
		for (uint32_t i = 0; i < b->items.nr; i++)
			unwind_one(&b->workers.v[0], &b->items.v[i]);
		return;
	}
	while (b->workers.nr < job.nr_slices)
		add_worker(b);
	pool_run(job.nr_slices, job.nr_slices, unwind_slice, &job);
}

#define RAW_STACK (SAMPLE_REGS_USER | SAMPLE_STACK_USER)

bool unwound_is_possible(const struct attr *a)
{
	return (a->sample_type & RAW_STACK) == RAW_STACK && a->sample_type & SAMPLE_CALLCHAIN;
}

void unwound_attr(struct attr *a)
{
	if (unwound_is_possible(a)) {
		a->sample_type &= ~RAW_STACK;
		a->flags |= ATTR_EXCLUDE_CHAIN_USER;
	}
}

uint32_t unwound_chain_begin(const struct sample *s, uint64_t *chain)
{
	uint32_t nr = 0;

	while (nr < s->nr_ips && nr < UNWOUND_CHAIN_MAX - 1 && s->ips[nr] != CHAIN_USER) {
		chain[nr] = s->ips[nr];
		nr++;
	}
	chain[nr++] = CHAIN_USER;
	return nr;
}

static uint32_t nr_marks(const struct unwind_result *walk)
{
	switch (walk->end) {
	case UNWIND_NOT_DONE:
		return WALKED_COMPLETE;
	case UNWIND_COMPLETE:
		return walk->guessed ? WALKED_GUESSED : WALKED_COMPLETE;
	case UNWIND_TRUNCATED:
		return WALKED_TRUNCATED;
	case UNWIND_SMALL_DUMP:
		return WALKED_SMALL_DUMP;
	case UNWIND_LIMIT:
	case UNWIND_RECORD_LIMIT:
		return WALKED_LIMIT;
	case UNWIND_NO_STACK:
		return WALKED_NO_STACK;
	default:
		return walk->guessed ? WALKED_GUESSED_BROKEN : WALKED_BROKEN;
	}
}

int64_t unwound_encode(const struct sample_layout *out, const struct record_header *h, const struct sample *s, uint64_t *chain, uint32_t nr,
		       struct unwind_result *walk, void *buf, size_t cap)
{
	struct record_header header = *h;
	struct sample unwound = *s;
	size_t size, excess;
	int64_t body;

	if (cap > UNWOUND_RECORD_MAX)
		cap = UNWOUND_RECORD_MAX;
	unwound.ips = chain;
	unwound.nr_ips = nr + nr_marks(walk);
	size = sizeof(header) + sample_size(out, &unwound);
	if (size > cap) {
		walk->end = UNWIND_RECORD_LIMIT;
		unwound.nr_ips = nr + nr_marks(walk);
		excess = (sizeof(header) + sample_size(out, &unwound) - cap + 7) / 8;
		if (excess > nr)
			return -ENOSPC;
		nr -= (uint32_t)excess;
		unwound.nr_ips -= excess;
	}
	for (uint64_t i = nr; i < unwound.nr_ips; i++)
		chain[i] = CHAIN_USER;
	body = sample_encode(out, &unwound, (uint8_t *)buf + sizeof(header), cap - sizeof(header));
	if (body < 0)
		return body;
	header.size = (uint16_t)(sizeof(header) + (size_t)body);
	memcpy(buf, &header, sizeof(header));
	return header.size;
}

static void set_word(struct record_header *h, uint32_t pos, uint64_t value)
{
	if ((pos + 1) * 8u <= h->size - sizeof(*h))
		memcpy((uint8_t *)(h + 1) + pos * 8u, &value, sizeof(value));
}

/* Only the words that are ids are written: a count that happens to be equal to one stays. */
void unwound_rename(const struct sample_layout *l, struct record_header *h, uint64_t id)
{
	uint8_t *end = (uint8_t *)h + h->size;
	size_t size = l->id_all ? sample_id_size(l) : 0, fixed = 8;
	struct sample_id trailer;

	if (h->type == RECORD_LOST) {
		set_word(h, 0, id);
		fixed = 16;
	} else if (h->type == RECORD_THROTTLE || h->type == RECORD_UNTHROTTLE) {
		set_word(h, 1, id);
		set_word(h, 2, id);
		fixed = 24;
	}
	if (!size || h->size < sizeof(*h) + fixed + size || sample_id_decode(l, end, h->size - sizeof(*h), &trailer))
		return;
	trailer.id = trailer.stream_id = id;
	sample_id_encode(l, &trailer, end - size);
}
