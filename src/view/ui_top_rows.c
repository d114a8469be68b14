/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Rows of the screen of `top`: those that pass the filter and the zooms, each with the callers that are open below it.
 */
#include "view/ui_top.h"

#include <string.h>

#define MOST_ROWS 4000u	   /* with all open */
#define MOST_FLIPPED 4096u /* then all close */
#define MOST_DEPTH 512u

const struct live_event *ui_top_event(const struct ui_top *t)
{
	return t->state->event < t->l->events.nr ? &t->l->events.v[t->state->event] : NULL;
}

bool ui_top_is_flipped(const struct ui_top *t, uint64_t id)
{
	return HINDEX_FIND(&t->flipped_index, hash_u64(id), i, t->flipped.v[i] == id) != HINDEX_NONE;
}

void ui_top_flip(struct ui_top *t, uint64_t id)
{
	uint32_t at = HINDEX_FIND(&t->flipped_index, hash_u64(id), i, t->flipped.v[i] == id);

	if (t->flipped.nr >= MOST_FLIPPED)
		t->flipped.nr = 0;
	if (at != HINDEX_NONE && t->flipped.nr)
		t->flipped.v[at] = t->flipped.v[--t->flipped.nr];
	else
		vec_push(&t->flipped, id);
	hindex_fini(&t->flipped_index);
	for (uint32_t i = 0; i < t->flipped.nr; i++)
		hindex_add(&t->flipped_index, hash_u64(t->flipped.v[i]), i);
}

uint32_t ui_top_find(const struct ui_top *t, uint64_t id)
{
	for (uint32_t i = 0; i < t->rows.nr; i++)
		if (t->rows.v[i].id == id)
			return i;
	return UINT32_MAX;
}

uint32_t ui_top_zoom_key(const struct ui_top *t, enum ui_top_zoom zoom)
{
	static const uint16_t columns_of[UI_TOP_NR_ZOOMS][3] = {
		[UI_TOP_MODULE] = { HIST_DSO, HIST_DSO, HIST_DSO },
		[UI_TOP_THREAD] = { HIST_TID, HIST_PID, HIST_COMM },
	};

	for (uint32_t i = 0; i < 3; i++)
		for (uint32_t k = 0; k < t->l->nr_keys; k++)
			if (t->l->keys[k] == columns_of[zoom][i])
				return k;
	return t->l->nr_keys;
}

static uint64_t hash_text(const struct live_profile *l, uint32_t string, uint64_t seed)
{
	return hash_bytes(strtab_get(&l->strings, string), strtab_len(&l->strings, string), seed);
}

static bool is_shown(const struct ui_top *t, const struct live_row *r)
{
	bool has_word = !t->word[0];

	for (int zoom = 0; zoom < UI_TOP_NR_ZOOMS; zoom++) {
		uint32_t key = ui_top_zoom_key(t, (enum ui_top_zoom)zoom);

		if (t->zooms[zoom] && key < t->l->nr_keys && strcmp(t->zooms[zoom], live_profile_text(t->l, r->cells[key])) != 0)
			return false;
	}
	for (uint32_t k = 0; k < t->l->nr_keys && !has_word; k++)
		has_word = ui_has_word(strtab_get(&t->l->strings, r->cells[k]), strtab_len(&t->l->strings, r->cells[k]), t->word);
	return has_word;
}

/* A caller that has no sibling is open from the start, so that one key shows a chain. */
static void add_row(struct ui_top *t, struct ui_top_row r, bool is_only_child)
{
	bool is_open = (t->opens_all && t->rows.nr < MOST_ROWS) || is_only_child;

	r.is_open = r.can_open && r.depth < MOST_DEPTH && is_open != ui_top_is_flipped(t, r.id);
	vec_push(&t->rows, r);
}

struct open_caller {
	uint32_t caller, depth;
	uint64_t parent_id;
	bool is_only_child;
};

struct caller_stack {
	struct open_caller *v;
	uint32_t nr, cap;
};

/* The heaviest on top: it is the next row. */
static void push_callers(const struct ui_top *t, const struct ui_top_row *r, uint32_t caller, struct caller_stack *stack)
{
	uint32_t before = stack->nr;

	for (uint32_t c = t->callers.v.v[caller].first_child; c; c = t->callers.v.v[c].next_sibling)
		vec_push(stack, ((struct open_caller){ c, r->depth + 1, r->id, t->callers.v.v[caller].nr_children == 1 }));
	for (uint32_t i = before, k = stack->nr; i + 1 < k; i++) {
		struct open_caller moved = stack->v[i];

		stack->v[i] = stack->v[--k];
		stack->v[k] = moved;
	}
}

static void add_callers(struct ui_top *t, uint32_t row, uint32_t name)
{
	const struct ui_top_row r = t->rows.v[t->rows.nr - 1];
	struct caller_stack stack = { 0 };

	push_callers(t, &r, live_callers_add(&t->callers, name), &stack);
	while (stack.nr) {
		struct open_caller o = stack.v[--stack.nr];
		const struct live_caller *c = &t->callers.v.v[o.caller];
		struct ui_top_row added = { .id = hash_text(t->l, c->name, o.parent_id), .row = row, .caller = o.caller, .depth = o.depth };

		added.can_open = c->first_child;
		add_row(t, added, o.is_only_child);
		added = t->rows.v[t->rows.nr - 1];
		if (added.is_open)
			push_callers(t, &added, o.caller, &stack);
	}
	vec_fini(&stack);
}

void ui_top_make_rows(struct ui_top *t)
{
	const struct live_event *e = ui_top_event(t);
	uint32_t nr = e ? top_nr_rows(t->l, e, t->style) : 0;

	t->rows.nr = 0;
	live_callers_fini(&t->callers);
	memset(&t->callers, 0, sizeof(t->callers));
	if (e)
		live_callers_init(&t->callers, t->l, t->state->event);
	for (uint32_t i = 0; i < nr; i++) {
		const struct live_row *r = &e->rows.v[i];
		struct ui_top_row added = { .row = i };

		if (!is_shown(t, r))
			continue;
		for (uint32_t k = 0; k < t->l->nr_keys; k++)
			added.id = hash_text(t->l, r->cells[k], added.id);
		added.can_open = live_callers_has(&t->callers, r->name);
		add_row(t, added, false);
		if (t->rows.v[t->rows.nr - 1].is_open)
			add_callers(t, i, r->name);
	}
}
