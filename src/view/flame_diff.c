/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Colours and words of differences. Between neutral and full there are steps, so that the still picture is few paths.
 */
#include "view/flame_diff.h"

#include <math.h>

#include "view/svg_text.h"

#define NEUTRAL	    0xe9e5deu
#define RED	    0xec4a41u
#define BLUE	    0x4a86e8u
#define NR_STEPS    8
#define NOISE_SHARE 0.16 /* of the colour that noise keeps, at most */

static uint32_t mix(uint32_t a, uint32_t b, double share)
{
	uint32_t colour = 0;

	for (int shift = 16; shift >= 0; shift -= 8) {
		double from = a >> shift & 0xff, to = b >> shift & 0xff;

		colour |= (uint32_t)lround(from + (to - from) * share) << shift;
	}
	return colour;
}

static uint32_t colour_of(const struct flame *f, uint32_t node, const void *ctx)
{
	const struct flame_diff *d = ctx;
	double strength = flame_diff_strength(d, node), share = ceil(fabs(strength) * NR_STEPS) / NR_STEPS;

	(void)f;
	if (flame_diff_is_noise(d, node))
		share *= NOISE_SHARE;
	return mix(NEUTRAL, (strength < 0) != d->negated ? BLUE : RED, share);
}

/* Means of several recordings have fractions; of large ones nobody wants to see them. */
static void put_mean(struct out *o, double mean, double factor)
{
	if (factor > 0)
		svg_text_number(o, mean * factor);
	else if (mean < 1000 && fabs(mean - round(mean)) > 0.05)
		out_printf(o, "%.1f", mean);
	else
		svg_text_count(o, (uint64_t)llround(mean));
}

static const char *verdict_of(const struct flame_diff *d, uint32_t node)
{
	const struct diff_result *r = &d->results[node];

	if (r->basis == DIFF_BY_NOTHING || (node == WEIGHTED_ROOT && !d->absolute))
		return "";
	if (r->basis == DIFF_BY_SAMPLES)
		return flame_diff_is_noise(d, node) ? ": no more than so few samples do alone" :
						      ": more than drawing samples does; no test without several recordings";
	if (r->test != DIFF_TESTED)
		return r->test == DIFF_SMALL ? ": too small to test" : ": too few samples to test";
	return r->is_significant ? ", significant" : ", noise";
}

static void details_of(struct out *o, const struct flame *f, uint32_t node, const void *ctx)
{
	const struct flame_diff *d = ctx;
	const struct diff_result *r = &d->results[node];
	double base = flame_diff_mean(d, node, FLAME_DIFF_BASE), now = flame_diff_mean(d, node, FLAME_DIFF_NOW);

	(void)f;
	out_printf(o, "%.2f%% → %.2f%%%s: %+.2f points", r->base, r->now, d->absolute ? " of the baseline" : "", r->delta);
	if (r->basis != DIFF_BY_NOTHING && (node != WEIGHTED_ROOT || d->absolute))
		out_printf(o, " (95%%: %+.2f to %+.2f)", r->low, r->high);
	out_str(o, verdict_of(d, node));
	if (!isnan(r->p))
		out_printf(o, r->p < 0.0001 ? " (p < 0.0001)" : " (p = %.4f)", r->p);
	out_str(o, " · ");
	put_mean(o, base, d->factor);
	out_str(o, " → ");
	put_mean(o, now, d->factor);
	out_printf(o, " %s", d->unit);
	if (!(base > 0) || !(now > 0))
		out_str(o, base > 0 ? " · gone" : now > 0 ? " · new" : "");
}

void flame_diff_style(struct flame_svg_options *opts, const struct flame_diff *d)
{
	static const struct flame_svg_key negated[] = {
		{ "shrank most", RED }, { "shrank", 0xeb9890 }, { "unchanged, or noise (tinted)", NEUTRAL }, { "grew", 0x9ab6e3 }, { "grew most", BLUE },
	};
	static const struct flame_svg_key keys[] = {
		{ "shrank most", BLUE }, { "shrank", 0x9ab6e3 }, { "unchanged, or noise (tinted)", NEUTRAL }, { "grew", 0xeb9890 }, { "grew most", RED },
	};

	opts->colour_of = colour_of;
	opts->details_of = details_of;
	opts->keys = d->negated ? negated : keys;
	opts->nr_keys = sizeof(keys) / sizeof(*keys);
	opts->ctx = d;
}

void flame_diff_basis(struct out *o, const struct flame_diff *d)
{
	out_printf(o, "Width: mean of both sides%s. ", d->absolute ? ", as they were counted" : ", each made 100%");
	switch (d->basis) {
	case DIFF_BY_RECORDINGS:
		out_printf(o, "Noise: not significant at %.0f%% by moderated t over %u and %u recordings, corrected for %u frames.", 100 - 100 * DIFF_LEVEL,
			   d->nr_used[FLAME_DIFF_BASE], d->nr_used[FLAME_DIFF_NOW], d->tests.nr_tests);
		if (!d->tests.can_find)
			out_str(o, " These are too few to find anything.");
		break;
	case DIFF_BY_SAMPLES:
		out_str(o, "Noise: what drawing so many samples does alone, which is the least. Runs differ by more: several recordings a side (A1,A2,A3) tell.");
		break;
	default:
		out_str(o, "A side has no samples.");
	}
}
