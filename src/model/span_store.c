/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Spans are appended to their track. Cells are powers of two of a microsecond, so that what was merged once is merged again whole.
 */
#include "model/span_store.h"

#include <string.h>

#define FIRST_RESOLUTION_NS 1024
#define LEAST_MERGED 4 /* a mixed span takes as much room as some others */
#define LAST_RESOLUTION_NS (UINT64_C(1) << 62)

void span_store_init(struct span_store *s, uint32_t limit)
{
	memset(s, 0, sizeof(*s));
	s->limit = limit ? limit : 1;
}

static void empty_track(struct span_track *k)
{
	vec_fini(&k->spans);
	vec_fini(&k->shares);
}

void span_store_fini(struct span_store *s)
{
	for (uint32_t i = 0; i < s->tracks.nr; i++)
		empty_track(&s->tracks.v[i]);
	for (int i = 0; i < SPAN_NR_KINDS; i++)
		vec_fini(&s->by_key[i]);
	vec_fini(&s->tracks);
	vec_fini(&s->wakers);
	vec_fini(&s->blocked_on);
}

uint32_t span_store_find(const struct span_store *s, enum span_kind kind, uint32_t key)
{
	return key < s->by_key[kind].nr ? s->by_key[kind].v[key] : SPAN_NO_TRACK;
}

uint32_t span_store_track(struct span_store *s, enum span_kind kind, uint32_t key)
{
	while (s->by_key[kind].nr <= key)
		vec_push(&s->by_key[kind], SPAN_NO_TRACK);
	if (s->by_key[kind].v[key] == SPAN_NO_TRACK) {
		s->by_key[kind].v[key] = s->tracks.nr;
		vec_push(&s->tracks, ((struct span_track){ .kind = kind, .key = key }));
	}
	return s->by_key[kind].v[key];
}

/* ---- merging ---- */

static void add_share(struct span_sum *sum, uint8_t state, uint64_t ns)
{
	sum->ns[state] += ns;
}

void span_sum_add(struct span_sum *sum, const struct span_track *k, const struct span *span, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t from = span->begin_ns > from_ns ? span->begin_ns : from_ns, to = span->end_ns < to_ns ? span->end_ns : to_ns;
	uint64_t len = span->end_ns - span->begin_ns;

	if (from >= to)
		return;
	sum->nr += span->nr;
	if (span->state != SPAN_MIXED) {
		add_share(sum, span->state, to - from);
		return;
	}
	for (uint32_t i = 0; i < span->nr_shares; i++) {
		const struct span_share *share = &k->shares.v[span->value + i];

		add_share(sum, share->state,
			  to - from == len ? share->ns : (uint64_t)((double)share->ns * (double)(to - from) / (double)len));
	}
}

/* Spans `from` to `to` of the track as one; its shares go behind `shares`. */
static struct span merged(const struct span_track *old, uint32_t from, uint32_t to, struct span_track *k)
{
	struct span span = { .begin_ns = old->spans.v[from].begin_ns, .end_ns = old->spans.v[to - 1].end_ns, .state = SPAN_MIXED };
	struct span_sum sum = { 0 };

	span.value = k->shares.nr;
	for (uint32_t i = from; i < to; i++) {
		span_sum_add(&sum, old, &old->spans.v[i], 0, UINT64_MAX);
		span.has_failed |= old->spans.v[i].has_failed;
	}
	span.nr = sum.nr < UINT32_MAX ? (uint32_t)sum.nr : UINT32_MAX;
	for (int state = 0; state < SPAN_NR_STATES; state++) {
		if (!sum.ns[state])
			continue;
		vec_push(&k->shares, ((struct span_share){ .ns = sum.ns[state], .state = (uint8_t)state }));
		span.nr_shares++;
	}
	return span;
}

/* A mixed span that stays takes its shares along. */
static struct span moved(const struct span_track *old, uint32_t i, struct span_track *k)
{
	struct span span = old->spans.v[i];

	if (span.state != SPAN_MIXED)
		return span;
	span.value = k->shares.nr;
	for (uint32_t n = 0; n < span.nr_shares; n++)
		vec_push(&k->shares, old->shares.v[old->spans.v[i].value + n]);
	return span;
}

static void merge_track(struct span_track *old, uint64_t cell_ns)
{
	struct span_track k = { .kind = old->kind, .key = old->key };
	bool is_last = cell_ns == LAST_RESOLUTION_NS;
	uint32_t end;

	for (uint32_t i = 0; i < old->spans.nr; i = end) {
		uint64_t cell = old->spans.v[i].begin_ns / cell_ns;

		for (end = i; end < old->spans.nr && old->spans.v[end].begin_ns / cell_ns == cell &&
			      (old->spans.v[end].end_ns - 1) / cell_ns == cell;
		     end++)
			;
		if (end - i >= LEAST_MERGED || (end > i + 1 && is_last)) {
			vec_push(&k.spans, merged(old, i, end, &k));
			continue;
		}
		end = end > i ? end : i + 1;
		for (; i < end; i++)
			vec_push(&k.spans, moved(old, i, &k));
	}
	empty_track(old);
	*old = k;
}

static void merge_all(struct span_store *s)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < s->tracks.nr; i++) {
		merge_track(&s->tracks.v[i], s->resolution_ns);
		nr += s->tracks.v[i].spans.nr;
	}
	s->nr_spans = nr;
}

void span_store_reduce(struct span_store *s, uint32_t limit)
{
	/* What came since the last time is not merged yet. */
	if (s->nr_spans > limit && s->resolution_ns)
		merge_all(s);
	while (s->nr_spans > limit && s->resolution_ns < LAST_RESOLUTION_NS) {
		s->resolution_ns = s->resolution_ns ? 2 * s->resolution_ns : FIRST_RESOLUTION_NS;
		merge_all(s);
	}
}

void span_store_keep(struct span_store *s, bool (*keeps)(void *ctx, const struct span_track *k), void *ctx)
{
	for (uint32_t i = 0; i < s->tracks.nr; i++) {
		struct span_track *k = &s->tracks.v[i];

		if (keeps(ctx, k))
			continue;
		s->nr_spans -= k->spans.nr;
		empty_track(k);
		memset(&k->spans, 0, sizeof(k->spans));
		memset(&k->shares, 0, sizeof(k->shares));
	}
}

/* ---- adding ---- */

void span_store_add(struct span_store *s, uint32_t track, const struct span *span)
{
	struct span_track *k = &s->tracks.v[track];
	struct span new = *span;

	if (k->spans.nr && new.begin_ns < k->spans.v[k->spans.nr - 1].end_ns) {
		new.begin_ns = k->spans.v[k->spans.nr - 1].end_ns;
		s->nr_late++;
	}
	if (new.begin_ns >= new.end_ns)
		return;
	if (!s->nr_added++ || new.begin_ns < s->first_ns)
		s->first_ns = new.begin_ns;
	s->last_ns = new.end_ns > s->last_ns ? new.end_ns : s->last_ns;
	new.nr = new.nr ? new.nr : 1;
	vec_push(&k->spans, new);
	/* Half as many, so that each one costs a constant share of the next merge. Tracks of their own may be more than that. */
	if (++s->nr_spans > s->limit) {
		span_store_reduce(s, s->limit / 2);
		if (s->nr_spans > s->limit / 2)
			s->limit = 2 * s->nr_spans;
	}
}

static void take_span(void *ctx, uint32_t id, enum timeline_state state, uint64_t begin_ns, uint64_t end_ns)
{
	struct span_store *s = ctx;
	const struct timeline_track *k = timeline_track(s->timeline, id);
	struct span span = { .begin_ns = begin_ns, .end_ns = end_ns, .state = (uint8_t)state };

	if (state == TIMELINE_WOKEN && id < s->wakers.nr)
		span.value = s->wakers.v[id];
	if (state == TIMELINE_RUNNING)
		span.value = k->cpu;
	if ((state == TIMELINE_SLEEPS || state == TIMELINE_WAITS || state == TIMELINE_STOPPED) && id < s->blocked_on.nr &&
	    s->blocked_on.v[id] != SPAN_UNKNOWN)
		span.state = s->blocked_on.v[id];
	if (!k->is_idle)
		span_store_add(s, span_store_track(s, SPAN_OF_TASK, id), &span);
	if (state != TIMELINE_RUNNING || k->cpu == TIMELINE_NONE)
		return;
	span.state = k->is_idle ? SPAN_CPU_IDLE : SPAN_RUNNING;
	span.value = id;
	span_store_add(s, span_store_track(s, SPAN_OF_CPU, k->cpu), &span);
}

void span_store_watch(struct span_store *s, struct timeline *t)
{
	s->timeline = t;
	t->see_span = take_span;
	t->see_span_ctx = s;
}

void span_store_wake(struct span_store *s, uint32_t track, uint32_t waker)
{
	while (s->wakers.nr <= track)
		vec_push(&s->wakers, 0);
	s->wakers.v[track] = waker + 1; /* TIMELINE_NONE: 0 */
}

void span_store_block(struct span_store *s, uint32_t track, uint8_t state)
{
	while (s->blocked_on.nr <= track)
		vec_push(&s->blocked_on, SPAN_UNKNOWN);
	s->blocked_on.v[track] = state;
}

/* ---- reading ---- */

uint32_t span_track_find(const struct span_track *k, uint64_t time_ns)
{
	return vec_search(k->spans.nr, i, k->spans.v[i].end_ns > time_ns);
}

void span_store_sum(const struct span_store *s, uint32_t track, uint64_t from_ns, uint64_t to_ns, struct span_sum *sum)
{
	const struct span_track *k = &s->tracks.v[track];

	for (uint32_t i = span_track_find(k, from_ns); i < k->spans.nr && k->spans.v[i].begin_ns < to_ns; i++)
		span_sum_add(sum, k, &k->spans.v[i], from_ns, to_ns);
}
