/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Colours by hue: a palette selects a band of hues for a frame, the hash of the name a tone in it, light enough for dark text. The hash is
 * fixed here: colours must not change with base/hash.h. Then colours and text of differences.
 */
#include "view/flame_svg.h"

#include <math.h>
#include <string.h>

#include "view/page.h"

struct band {
	float hue, hue_to;
	float saturation;
	float lightness, lightness_to;
};

static const struct band warm = { 4, 52, .86f, .58f, .70f };
static const struct band green = { 88, 138, .48f, .54f, .70f };
static const struct band blue = { 196, 226, .62f, .62f, .78f };
static const struct band red = { 356, 368, .78f, .66f, .74f };
static const struct band yellow = { 47, 56, .82f, .56f, .68f };
static const struct band orange = { 24, 36, .88f, .60f, .68f };
static const struct band aqua = { 170, 188, .48f, .58f, .70f };
static const struct band grey = { 30, 50, .06f, .78f, .86f };

#define MIDDLE 0x80008000u /* the hash of a band's middle tone */

/* FNV-1a, then mixed, so that names that differ in their last letter differ in all bits. */
static uint32_t hash_name(const char *s, uint32_t len)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (uint32_t i = 0; i < len; i++)
		h = (h ^ (uint8_t)s[i]) * UINT64_C(0x100000001b3);
	h ^= h >> 33;
	h *= UINT64_C(0xff51afd7ed558ccd);
	return (uint32_t)(h >> 32);
}

static uint32_t channel(double v)
{
	return (uint32_t)lround(255 * (v < 0 ? 0 : v > 1 ? 1 : v));
}

uint32_t flame_palette_hsl(double hue, double saturation, double lightness)
{
	double a = saturation * (lightness < .5 ? lightness : 1 - lightness), rgb[3];
	static const double offset[3] = { 0, 8, 4 };

	for (int i = 0; i < 3; i++) {
		double k = fmod(offset[i] + fmod(hue + 360, 360) / 30, 12), t = k - 3 < 9 - k ? k - 3 : 9 - k;

		rgb[i] = lightness - a * (t < -1 ? -1 : t > 1 ? 1 : t);
	}
	return channel(rgb[0]) << 16 | channel(rgb[1]) << 8 | channel(rgb[2]);
}

static uint32_t tone(const struct band *b, uint32_t hash, double lighter)
{
	double u = (hash & 0xffff) / 65535.0, v = (hash >> 16) / 65535.0;
	double lightness = b->lightness + v * (b->lightness_to - b->lightness);

	return flame_palette_hsl(b->hue + u * (b->hue_to - b->hue), b->saturation, lightness + lighter * (1 - lightness));
}

static bool begins(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

/* What JVMs call their code: "Lcom/acme/Cart;::total", "java/util/HashMap.get", "Interpreter". */
static bool is_java(const char *name)
{
	return (*name == 'L' && strchr(name, ';')) || begins(name, "java/") || begins(name, "javax/") || begins(name, "jdk/") ||
	       begins(name, "java.") || begins(name, "org/") || begins(name, "com/") || !strcmp(name, "Interpreter");
}

static const struct band *java_band(const struct flame_frame *fr, const char *name)
{
	if (fr->kind == FLAME_KERNEL)
		return &orange;
	if (fr->kind == FLAME_JIT || is_java(name))
		return fr->marks & FLAME_INLINED ? &aqua : &green;
	return strstr(name, "::") ? &yellow : &red;
}

/* What V8 calls its code: "JS:*total cart.js:12", "LazyCompile:~total …", "Function:^total …"; its own is "Builtin:", "Stub:" …  */
static const struct band *js_band(const struct flame_frame *fr, const char *name)
{
	if (fr->kind == FLAME_KERNEL)
		return &orange;
	if (begins(name, "Builtin:") || begins(name, "Builtins_") || begins(name, "Stub:") || begins(name, "BytecodeHandler:") ||
	    begins(name, "RegExp:"))
		return &aqua;
	/* Of a recording these words are gone. */
	if (fr->kind == FLAME_JIT || begins(name, "JS:") || begins(name, "LazyCompile:") || begins(name, "Function:") ||
	    begins(name, "Script:") || begins(name, "Eval:"))
		return &green;
	return strstr(name, "::") || begins(name, "v8") ? &yellow : &red;
}

static const struct band *kernel_band(const struct flame_frame *fr)
{
	if (fr->kind == FLAME_JIT)
		return fr->marks & FLAME_INTERPRETED ? &yellow : &green;
	return fr->kind == FLAME_KERNEL ? &blue : &orange;
}

/* Its hue is the module's, its tone the function's. */
static uint32_t module_colour(const struct flame *f, const struct flame_frame *fr, uint32_t hash, double lighter)
{
	uint32_t m = hash_name(strtab_get(&f->strings, fr->module), strtab_len(&f->strings, fr->module));
	float hue = (float)(m % 360);
	struct band b = { hue, hue + 8, .55f, .60f, .74f };

	return tone(fr->module ? &b : &grey, hash, lighter);
}

/* The band of palettes of one hue: frames without a symbol have a pale tone of it. */
static const struct band *only_band(enum flame_palette p)
{
	return p == FLAME_PALETTE_MEM ? &green : p == FLAME_PALETTE_IO ? &blue : p == FLAME_PALETTE_HOT ? &warm : NULL;
}

static uint32_t unresolved_tone(const struct band *b, uint32_t hash)
{
	struct band pale = { b->hue + (b->hue_to - b->hue) / 2, b->hue_to, b->saturation * .6f, .87f, .92f };

	return tone(&pale, hash, 0);
}

bool flame_palette_unresolved(enum flame_palette p, uint32_t *colour)
{
	const struct band *b = only_band(p);

	if (b)
		*colour = unresolved_tone(b, MIDDLE);
	return b != NULL;
}

uint32_t flame_palette_colour(enum flame_palette p, const struct flame *f, const struct flame_frame *fr)
{
	const char *name = strtab_get(&f->strings, fr->name);
	uint32_t hash = hash_name(name, strtab_len(&f->strings, fr->name));
	double lighter = fr->marks & FLAME_INLINED ? .45 : 0;

	if (fr->kind == FLAME_ROOT || fr->kind == FLAME_GROUP)
		return tone(&grey, hash, 0);
	if (fr->kind == FLAME_CUT)
		return 0xb8b2a8;
	if (fr->marks & FLAME_UNRESOLVED && only_band(p))
		return unresolved_tone(only_band(p), hash);
	switch (p) {
	case FLAME_PALETTE_JAVA:
		return tone(java_band(fr, name), hash, 0);
	case FLAME_PALETTE_JS:
		return tone(js_band(fr, name), hash, 0);
	case FLAME_PALETTE_MODULE:
		return module_colour(f, fr, hash, lighter);
	case FLAME_PALETTE_KERNEL:
		return tone(kernel_band(fr), hash, lighter);
	default:
		return tone(only_band(p), hash, lighter);
	}
}

const char *flame_palette_legend(enum flame_palette p, uint32_t nth, uint32_t *colour)
{
	static const struct {
		enum flame_palette palette;
		const char *label;
		const struct band *band;
	} legend[] = {
		{ FLAME_PALETTE_JAVA, "Java", &green },
		{ FLAME_PALETTE_JAVA, "Java, inlined", &aqua },
		{ FLAME_PALETTE_JAVA, "C++", &yellow },
		{ FLAME_PALETTE_JAVA, "C and others", &red },
		{ FLAME_PALETTE_JAVA, "kernel", &orange },
		{ FLAME_PALETTE_JS, "JavaScript", &green },
		{ FLAME_PALETTE_JS, "the engine's own code", &aqua },
		{ FLAME_PALETTE_JS, "C++", &yellow },
		{ FLAME_PALETTE_JS, "C and others", &red },
		{ FLAME_PALETTE_JS, "kernel", &orange },
		{ FLAME_PALETTE_KERNEL, "user", &orange },
		{ FLAME_PALETTE_KERNEL, "JIT", &green },
		{ FLAME_PALETTE_KERNEL, "interpreted", &yellow },
		{ FLAME_PALETTE_KERNEL, "kernel", &blue },
	};

	for (size_t i = 0; i < sizeof(legend) / sizeof(legend[0]); i++) {
		if (legend[i].palette != p || nth--)
			continue;
		*colour = tone(legend[i].band, MIDDLE, 0);
		return legend[i].label;
	}
	return NULL;
}

/* Differences. Between neutral and full there are steps, so that the still picture is few paths. */

#define NEUTRAL 0xe9e5deu
#define RED 0xec4a41u
#define BLUE 0x4a86e8u
#define NR_STEPS 8
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

/* Means of several recordings have fractions, which are shown for small ones. */
static void put_mean(struct out *o, double mean, double factor)
{
	if (factor > 0)
		svg_text_number(o, mean * factor);
	else if (mean < 1000 && fabs(mean - round(mean)) > 0.05)
		out_printf(o, "%.1f", mean);
	else
		svg_text_count(o, (uint64_t)llround(mean));
}

const char *const flame_diff_verdicts[DIFF_NR_VERDICTS] = {
	[DIFF_SAYS_NOTHING] = "",
	[DIFF_WITHIN_ERROR] = "within the sampling error",
	[DIFF_BEYOND_ERROR] = "beyond the sampling error; not tested without several recordings",
	[DIFF_TOO_SMALL] = "too small to test",
	[DIFF_TOO_FEW] = "too few samples to test",
	[DIFF_IS_NOISE] = "noise",
	[DIFF_IS_SIGNIFICANT] = "significant",
};

static void put_verdict(struct out *o, const struct flame_diff *d, uint32_t node)
{
	enum diff_verdict v = diff_verdict(&d->results[node]);

	if (v == DIFF_SAYS_NOTHING || (node == WEIGHTED_ROOT && !d->absolute))
		return;
	out_str(o, v == DIFF_IS_NOISE || v == DIFF_IS_SIGNIFICANT ? ", " : ": ");
	out_str(o, flame_diff_verdicts[v]);
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
	put_verdict(o, d, node);
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
		{ "shrank most", RED }, { "shrank", 0xeb9890 }, { "unchanged, or noise (tinted)", NEUTRAL },
		{ "grew", 0x9ab6e3 },	{ "grew most", BLUE },
	};
	static const struct flame_svg_key keys[] = {
		{ "shrank most", BLUE }, { "shrank", 0x9ab6e3 }, { "unchanged, or noise (tinted)", NEUTRAL },
		{ "grew", 0xeb9890 },	 { "grew most", RED },
	};

	opts->colour_of = colour_of;
	opts->details_of = details_of;
	opts->keys = d->negated ? negated : keys;
	opts->nr_keys = sizeof(keys) / sizeof(*keys);
	opts->ctx = d;
}

void flame_diff_basis(struct out *o, const struct flame_diff *d)
{
	out_printf(o, "Width: mean of both sides%s. ", d->absolute ? ", as counted" : ", each scaled to 100%");
	switch (d->basis) {
	case DIFF_BY_RECORDINGS:
		out_printf(o, "Noise: not significant at %.0f%% by moderated t over %u and %u recordings, corrected for %u frames.",
			   100 - 100 * DIFF_LEVEL, d->nr_used[FLAME_DIFF_BASE], d->nr_used[FLAME_DIFF_NOW], d->tests.nr_tests);
		if (!d->tests.can_find)
			out_str(o, " Too few recordings to find anything.");
		break;
	case DIFF_BY_SAMPLES:
		out_str(o, "Noise: sampling error only; compare several recordings a side (A1,A2,A3) to measure run-to-run noise.");
		break;
	default:
		out_str(o, "A side has no samples.");
	}
}
