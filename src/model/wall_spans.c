/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/wall_spans.h"

static const uint8_t state_of_class[WALL_NR_CLASSES] = {
	[WALL_DISK] = SPAN_ON_DISK,   [WALL_FUTEX] = SPAN_ON_FUTEX, [WALL_NETWORK] = SPAN_ON_NETWORK, [WALL_PIPE] = SPAN_ON_PIPE,
	[WALL_SLEEP] = SPAN_ON_TIMER, [WALL_FAULT] = SPAN_ON_FAULT, [WALL_POLL] = SPAN_ON_POLL,	      [WALL_OTHER] = SPAN_ON_OTHER,
};

uint8_t wall_span_state(enum wall_class class)
{
	return wall_is_blocked(class) ? state_of_class[class] : SPAN_UNKNOWN;
}

static bool is_blocked(const struct span *span)
{
	return span->state == SPAN_SLEEPS || span->state == SPAN_WAITS || span->state == SPAN_STOPPED;
}

/* Both are in the order of time: a blocked span begins where its wait does. */
static void explain_track(struct span_track *k, const struct wall *w)
{
	uint32_t at = w->first_wait.v[k->key], end = w->first_wait.v[k->key + 1];

	for (uint32_t i = 0; i < k->spans.nr; i++) {
		struct span *span = &k->spans.v[i];
		enum wall_class class;

		while (at < end && w->waits.v[at].out_ns < span->begin_ns)
			at++;
		if (at == end || !is_blocked(span) || w->waits.v[at].out_ns != span->begin_ns)
			continue;
		class = w->sums.v[w->waits.v[at].sum].class;
		if (wall_is_blocked(class))
			span->state = state_of_class[class];
	}
}

static bool is_shown(void *ctx, const struct span_track *k)
{
	const struct wall *w = ctx;

	return k->kind == SPAN_OF_TASK && k->key < w->threads.nr && w->threads.v[k->key].is_shown &&
	       (w->keeps_idle || !w->threads.v[k->key].is_idle);
}

void wall_spans_explain(struct span_store *s, const struct wall *w)
{
	span_store_keep(s, is_shown, (void *)(uintptr_t)w);
	for (uint32_t i = 0; i < s->tracks.nr; i++)
		if (s->tracks.v[i].kind == SPAN_OF_TASK && s->tracks.v[i].key + 1 < w->first_wait.nr)
			explain_track(&s->tracks.v[i], w);
}
