/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Colours of a flame graph whose first level is the state of tasks: what is on the CPU is warm, what waits for it yellow, what is blocked
 * cold. The tone is the function's, as in other palettes.
 */
#include <string.h>

#include "abi/offcpu.h"
#include "view/flame_svg.h"

static const struct {
	float hue, saturation;
} looks[OFFCPU_NR_STATES] = {
	[OFFCPU_ON] = { 16, .80f },
	[OFFCPU_RUNNABLE] = { 50, .80f },
	[OFFCPU_INTERRUPTIBLE] = { 212, .62f },
	[OFFCPU_UNINTERRUPTIBLE] = { 285, .48f },
	[OFFCPU_STOPPED] = { 160, .30f },
	[OFFCPU_UNKNOWN] = { 190, .50f },
};

static uint32_t colour_of_state(unsigned state, double tone)
{
	return flame_palette_hsl(looks[state].hue + 10 * tone - 5, looks[state].saturation, .60 + .14 * tone);
}

/* OFFCPU_NR_STATES: of none. */
static unsigned state_of(const struct flame *f, uint32_t node)
{
	const struct flame_frame *fr;

	for (; f->tree.nodes.v[node].depth; node = f->tree.nodes.v[node].parent) {
		fr = flame_frame_of(f, node);
		for (unsigned i = 0; fr->kind == FLAME_GROUP && i < OFFCPU_NR_STATES; i++)
			if (!strcmp(flame_name(f, node), flame_state_name(i)))
				return i;
	}
	return OFFCPU_NR_STATES;
}

static uint32_t colour_of(const struct flame *f, uint32_t node, const void *ctx)
{
	const struct flame_frame *fr = flame_frame_of(f, node);
	unsigned state = state_of(f, node);
	uint32_t hash = 2166136261u;

	(void)ctx;
	if (state == OFFCPU_NR_STATES || fr->kind == FLAME_CUT)
		return flame_palette_colour(FLAME_PALETTE_HOT, f, fr);
	for (const char *c = flame_name(f, node); *c; c++)
		hash = (hash ^ (unsigned char)*c) * 16777619u;
	return colour_of_state(state, fr->kind == FLAME_GROUP ? .5 : (hash >> 16) / 65535.0);
}

void flame_state_style(struct flame_svg_options *opts, struct flame_svg_key keys[FLAME_STATE_KEYS], const struct flame *f)
{
	bool has[OFFCPU_NR_STATES + 1] = { 0 };

	_Static_assert(FLAME_STATE_KEYS >= OFFCPU_NR_STATES, "a key for each state");
	for (uint32_t i = 0; i < f->tree.nodes.nr; i++)
		if (flame_frame_of(f, i)->kind == FLAME_GROUP)
			has[state_of(f, i)] = true;
	opts->nr_keys = 0;
	for (unsigned i = 0; i < OFFCPU_NR_STATES; i++)
		if (has[i])
			keys[opts->nr_keys++] = (struct flame_svg_key){ flame_state_name(i), colour_of_state(i, .5) };
	opts->keys = keys;
	opts->colour_of = colour_of;
}
