/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One pass. What is gone back over has to be on the stack below: that holds if no function was seen for the first time above the place to go
 * back to. First places are never taken away, so that one number, the last of them, decides.
 */
#include "model/recursion.h"

#include <string.h>

void recursion_init(struct recursion *r, struct flame *f)
{
	memset(r, 0, sizeof(*r));
	r->f = f;
}

void recursion_fini(struct recursion *r)
{
	vec_fini(&r->key_of);
	vec_fini(&r->last);
	vec_fini(&r->stamp_of);
	vec_fini(&r->before);
}

/* Places without a name that share their file's, "[libfoo.so]", are many functions. */
static bool is_one_function(const struct flame *f, const struct flame_frame *fr)
{
	if (fr->kind == FLAME_ROOT || fr->kind == FLAME_GROUP || fr->kind == FLAME_CUT)
		return false;
	return !(fr->marks & FLAME_UNRESOLVED) || *strtab_get(&f->strings, fr->name) != '[';
}

/* Keys are frames: those without marks. */
static uint32_t find_key(const struct recursion *r, uint32_t frame)
{
	struct flame_frame fr = r->f->frames.v[frame];

	if (!is_one_function(r->f, &fr))
		return FLAME_NONE;
	return flame_intern_frame(r->f, strtab_get(&r->f->strings, fr.name), strtab_len(&r->f->strings, fr.name),
				  strtab_get(&r->f->strings, fr.module), fr.kind, 0);
}

/* Frames that came since the last stack. */
static void learn_keys(struct recursion *r)
{
	for (uint32_t frame = r->key_of.nr; frame < r->f->frames.nr; frame++)
		vec_push(&r->key_of, find_key(r, frame));
	while (r->last.nr < r->f->frames.nr) {
		vec_push(&r->last, FLAME_NONE);
		vec_push(&r->stamp_of, 0);
	}
}

static uint32_t key_at(const struct recursion *r, uint32_t spot)
{
	return r->key_of.v[r->f->spots.v[spot].frame];
}

uint32_t recursion_collapse(struct recursion *r, uint32_t *spots, uint32_t nr)
{
	uint32_t left = 0, last_first = 0;

	learn_keys(r);
	r->stamp++;
	r->before.nr = 0;
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t spot = spots[i], key = key_at(r, spot), back;

		if (key == FLAME_NONE || r->stamp_of.v[key] != r->stamp) {
			last_first = left;
			back = FLAME_NONE;
		} else {
			back = r->last.v[key];
			if (back >= last_first) {
				for (; left > back + 1; left--)
					r->last.v[key_at(r, spots[left - 1])] = r->before.v[left - 1];
				r->before.nr = left;
				continue;
			}
		}
		if (key != FLAME_NONE) {
			r->stamp_of.v[key] = r->stamp;
			r->last.v[key] = left;
		}
		vec_push(&r->before, back);
		spots[left++] = spot;
	}
	return left;
}
