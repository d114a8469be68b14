/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A ring of batches and one lock. A batch is given, then done when its last record is not used any more, then released by the thread.
 */
#include "session/intake_ahead.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/pool.h"

#define BATCH_ENTRIES 512
#define BATCH_BYTES (64u << 10) /* of its records: blocks are held meanwhile */
#define BATCHES 256u		/* some rounds of a recording: records of one come out at once */
#define FEW_BATCHES 64u		/* a thread that waits goes on at so many: to wake it takes as long as a thousand records */
#define PREFETCHED 12		/* records: how far ahead they are fetched from the cache of the other CPU */

struct batch {
	uint32_t nr, bytes;
	struct order_entry v[BATCH_ENTRIES];
};

struct intake_ahead {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t is_done, is_given;
	struct intake *in;
	struct recording_stats *stats; /* where the intake counted before */
	uint32_t nr_given, nr_done;    /* batches so far, each; they wrap */
	uint32_t nr_left;	       /* the thread waits until at most so many are not done, … */
	uint32_t nr_wanted;	       /* … and the user until there are so many, or all that there will be for now */
	bool is_flushed;	       /* the thread waits for all to be done */
	bool is_over;		       /* nothing more is given */
	bool quit;
	int ret; /* why it is over, with the sentence */
	struct errbuf eb;

	struct batch *batches;
	/* The thread's. */
	uint32_t nr_released __attribute__((aligned(64)));
	struct recording_stats counted;
	/* The user's. */
	const struct batch *at __attribute__((aligned(64)));
	uint32_t next;
};

static struct batch *batch_at(struct intake_ahead *a, uint32_t nr)
{
	return &a->batches[nr % BATCHES];
}

static void release(struct intake_ahead *a, uint32_t until)
{
	for (; a->nr_released != until; a->nr_released++) {
		struct batch *b = batch_at(a, a->nr_released);

		for (uint32_t i = 0; i < b->nr; i++)
			record_release(b->v[i].block);
		b->nr = b->bytes = 0;
	}
}

/* With the lock. */
static uint32_t nr_waiting(const struct intake_ahead *a)
{
	return a->nr_given - a->nr_done;
}

/* With the lock: whether the user can go on, which wants `nr` batches, or fewer where no more will come for now. */
static bool has_enough(const struct intake_ahead *a, uint32_t nr)
{
	return nr_waiting(a) >= nr || a->is_over || (a->is_flushed && nr_waiting(a));
}

/* Gives the batch at hand, and where `most` are not done or more, waits until at most `nr_left` are. False: the user wants no more. */
static bool give(struct intake_ahead *a, uint32_t most, uint32_t nr_left)
{
	uint32_t nr_done;
	bool quit;

	pthread_mutex_lock(&a->lock);
	if (batch_at(a, a->nr_given)->nr)
		a->nr_given++;
	a->is_flushed = !nr_left;
	if (a->nr_wanted && has_enough(a, a->nr_wanted))
		pthread_cond_signal(&a->is_given);
	if (nr_waiting(a) >= most) {
		a->nr_left = nr_left;
		while (nr_waiting(a) > nr_left && !a->quit)
			pthread_cond_wait(&a->is_done, &a->lock);
		a->nr_left = UINT32_MAX;
	}
	a->is_flushed = false;
	nr_done = a->nr_done;
	quit = a->quit;
	pthread_mutex_unlock(&a->lock);
	release(a, nr_done);
	return !quit;
}

/* The user has all that was read before, and waits. */
static void before_change(void *ctx)
{
	give(ctx, 0, 0);
}

static int take_all(struct intake_ahead *a)
{
	struct order_entry now;
	bool is_finished = false;
	int ret;

	for (;;) {
		const struct order_entry *e = intake_next(a->in, &now, &ret, &a->eb);
		struct batch *b;

		if (!e && (ret < 0 || is_finished))
			return ret;
		if (!e) {
			intake_finish(a->in);
			is_finished = true;
			continue;
		}
		b = batch_at(a, a->nr_given);
		b->v[b->nr++] = *e;
		b->bytes += e->header->size;
		if ((b->nr == BATCH_ENTRIES || b->bytes >= BATCH_BYTES) && !give(a, BATCHES, FEW_BATCHES))
			return 0;
	}
}

static void *thread_main(void *arg)
{
	struct intake_ahead *a = arg;
	int ret = take_all(a);

	give(a, UINT32_MAX, BATCHES);
	pthread_mutex_lock(&a->lock);
	a->ret = ret;
	a->is_over = true;
	pthread_cond_signal(&a->is_given);
	pthread_mutex_unlock(&a->lock);
	return NULL;
}

bool intake_ahead_can(const struct intake *in)
{
	const struct perfdata_info *info = in->info;

	return !in->file_order && !in->source->is_live && in->source->total_bytes >= INTAKE_AHEAD_MIN && !info->pipe_mode &&
	       !info->dir_mode && pool_nr_cpus() > 1;
}

static void destroy(struct intake_ahead *a)
{
	pthread_cond_destroy(&a->is_done);
	pthread_cond_destroy(&a->is_given);
	pthread_mutex_destroy(&a->lock);
	free(a->batches);
	free(a);
}

struct intake_ahead *intake_ahead_start(struct intake *in)
{
	struct intake_ahead *a = aligned_alloc(64, (sizeof(*a) + 63) & ~(size_t)63);

	if (!a)
		return NULL;
	memset(a, 0, sizeof(*a));
	a->in = in;
	a->stats = in->stats;
	a->nr_left = UINT32_MAX;
	a->batches = mem_zalloc(BATCHES * sizeof(*a->batches));
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->is_done, NULL);
	pthread_cond_init(&a->is_given, NULL);
	/* What is asked of the user, is asked here. */
	if (in->info->events.nr)
		intake_learn_events(in, (int32_t)in->info->events.nr - 1);
	in->stats = &a->counted;
	in->source->before_change = before_change;
	in->source->before_change_ctx = a;
	in->source->has_thread = true;
	if (!pthread_create(&a->thread, NULL, thread_main, a))
		return a;
	in->stats = a->stats;
	in->source->before_change = NULL;
	in->source->has_thread = false;
	destroy(a);
	return NULL;
}

/* The next batch; the one before is done. NULL: there is none. */
static const struct batch *next_batch(struct intake_ahead *a)
{
	const struct batch *b = NULL;

	pthread_mutex_lock(&a->lock);
	if (a->at && nr_waiting(a) == a->nr_left + 1)
		pthread_cond_signal(&a->is_done);
	a->nr_done += a->at != NULL;
	if (!nr_waiting(a)) {
		a->nr_wanted = FEW_BATCHES;
		while (!has_enough(a, a->nr_wanted))
			pthread_cond_wait(&a->is_given, &a->lock);
		a->nr_wanted = 0;
	}
	if (nr_waiting(a))
		b = batch_at(a, a->nr_done);
	pthread_mutex_unlock(&a->lock);
	return b;
}

const struct order_entry *intake_ahead_next(struct intake_ahead *a, int *ret, struct errbuf *eb)
{
	if (!a->at || a->next == a->at->nr) {
		a->at = next_batch(a);
		a->next = 0;
	}
	if (!a->at) {
		*ret = a->ret;
		if (a->ret < 0)
			*eb = a->eb;
		return NULL;
	}
	if (a->at->nr - a->next > PREFETCHED) {
		uintptr_t ahead = (uintptr_t)a->at->v[a->next + PREFETCHED].header;

		__builtin_prefetch((const void *)ahead);
		__builtin_prefetch((const void *)(ahead + 64));
	}
	return &a->at->v[a->next++];
}

static void add_counts(struct recording_stats *to, const struct recording_stats *from)
{
	to->nr_records += from->nr_records;
	to->nr_unknown_types += from->nr_unknown_types;
	for (uint32_t i = 0; i < RECORD_TYPE_MAX; i++)
		to->nr_by_type[i] += from->nr_by_type[i];
}

uint64_t intake_ahead_stop(struct intake_ahead *a)
{
	uint64_t nr_left = 0;

	if (!a)
		return 0;
	pthread_mutex_lock(&a->lock);
	a->quit = true;
	pthread_cond_signal(&a->is_done);
	pthread_mutex_unlock(&a->lock);
	pthread_join(a->thread, NULL);
	/* With the one that was not given any more. */
	for (uint32_t nr = a->nr_done; nr - a->nr_done < BATCHES && batch_at(a, nr)->nr; nr++)
		nr_left += batch_at(a, nr)->nr;
	if (a->at)
		nr_left -= a->next;
	for (uint32_t i = 0; i < BATCHES; i++) {
		for (uint32_t k = 0; k < a->batches[i].nr; k++)
			record_release(a->batches[i].v[k].block);
	}
	a->in->stats = a->stats;
	a->in->source->before_change = NULL;
	a->in->source->has_thread = false;
	add_counts(a->stats, &a->counted);
	destroy(a);
	return nr_left;
}
