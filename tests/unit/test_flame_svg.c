/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * view/flame_svg.h, view/flame_palette.c and view/svg_text.c: hostile names in every sink, and colours that stay what they are. What a
 * browser makes of it is in tests/web/flame.sh, what an XML parser does in tests/cli/flame.sh.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "view/flame_svg.h"
#include "view/page.h"

#define COLOUR_OF_MAIN 0xf3a35b

typedef void put_fn(struct out *o, const char *s, size_t len);

static void expect_text(put_fn *put, const char *s, size_t len, const char *want)
{
	struct out o;

	out_init(&o, -1);
	put(&o, s, len);
	out_char(&o, 0);
	assert_string_equal(o.buf, want);
	out_fini(&o);
}

#define EXPECT(put, s, want) expect_text(put, s, sizeof(s) - 1, want)

static void cut_to_five(struct out *o, const char *s, size_t len)
{
	svg_text_cut(o, s, len, 5);
}

static void test_text(void **state)
{
	(void)state;
	EXPECT(svg_text_clean, "plain name()", "plain name()");
	EXPECT(svg_text_clean,
	       "a\x01"
	       "b\n\x7f\0",
	       "a\\x01b\\x0a\\x7f\\x00");
	EXPECT(svg_text_clean,
	       "\xe2\x80\xae"
	       "abc\xe2\x81\xa6\xd8\x9c\xc2\x85",
	       "\\u202eabc\\u2066\\u061c\\u0085");
	EXPECT(svg_text_clean, "\xff\xc3\x28\xe2\x80", "\xef\xbf\xbd\xef\xbf\xbd(\xef\xbf\xbd\xef\xbf\xbd");
	EXPECT(svg_text_clean, "\xef\xbf\xbe\xef\xbf\xbf\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	EXPECT(svg_text_clean, "größe 漢字 🔥", "größe 漢字 🔥");
	EXPECT(svg_text, "<a href=\"x\">&'</a>", "&lt;a href=&quot;x&quot;&gt;&amp;&#39;&lt;/a&gt;");
	EXPECT(svg_text_json, "</script>]]>&\"\\", "\"\\u003c/script\\u003e]]\\u003e\\u0026\\\"\\\\\"");
	EXPECT(svg_text_json, "\x1b[31m", "\"\\\\x1b[31m\"");
	EXPECT(cut_to_five, "12345", "12345");
	EXPECT(cut_to_five, "123456", "1234…");
	EXPECT(cut_to_five, "größer", "größ…");
	EXPECT(cut_to_five, "<<<<<<", "&lt;&lt;&lt;&lt;…");
}

static void test_count(void **state)
{
	struct out o;

	(void)state;
	out_init(&o, -1);
	svg_text_count(&o, 0);
	out_char(&o, ' ');
	svg_text_count(&o, 999);
	out_char(&o, ' ');
	svg_text_count(&o, 1234567);
	out_char(&o, ' ');
	svg_text_count(&o, UINT64_MAX);
	out_char(&o, 0);
	assert_string_equal(o.buf, "0 999 1,234,567 18,446,744,073,709,551,615");
	out_fini(&o);
}

/* What --factor tells. */
static void test_scaled(void **state)
{
	static const struct {
		uint64_t v;
		double factor;
		const char *want;
	} cases[] = { { 1234567, 0, "1,234,567" },
		      { 1400, 0.001, "1.4" },
		      { 400, 0.001, "0.4" },
		      { 3000, 0.001, "3" },
		      { 0, 0.5, "0" },
		      { 1234567, 0.001, "1,235" },
		      { 123456, 0.001, "123.5" },
		      { 1000, 2500, "2,500,000" },
		      { 1, 0.0004, "0.0004" },
		      { UINT64_MAX, 1e12, "1.845e+31" } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct out o;

		out_init(&o, -1);
		svg_text_scaled(&o, cases[i].v, cases[i].factor);
		out_char(&o, 0);
		assert_string_equal(o.buf, cases[i].want);
		out_fini(&o);
	}
}

static uint32_t colour(enum flame_palette p, const char *name, const char *module, enum flame_kind kind, unsigned marks)
{
	struct flame f;
	uint32_t c;

	flame_init(&f, 1);
	c = flame_palette_colour(p, &f, &f.frames.v[flame_intern_frame(&f, name, strlen(name), module, kind, marks)]);
	flame_fini(&f);
	return c;
}

static int red(uint32_t c)
{
	return c >> 16 & 255;
}
static int green(uint32_t c)
{
	return c >> 8 & 255;
}
static int blue(uint32_t c)
{
	return c & 255;
}

/* A function has its colour for ever: pictures of different versions are compared. */
static void test_colours(void **state)
{
	uint32_t c;

	(void)state;
	assert_int_equal(flame_palette_hsl(0, 1, .5), 0xff0000);
	assert_int_equal(flame_palette_hsl(120, 1, .25), 0x008000);
	assert_int_equal(flame_palette_hsl(240, 0, 1), 0xffffff);
	assert_int_equal(flame_palette_hsl(-120, 1, .5), 0x0000ff);
	assert_int_equal(colour(FLAME_PALETTE_HOT, "main", "app", FLAME_USER, 0), COLOUR_OF_MAIN);
	assert_int_equal(colour(FLAME_PALETTE_HOT, "main", "other", FLAME_USER, 0), COLOUR_OF_MAIN);
	assert_int_not_equal(colour(FLAME_PALETTE_HOT, "main", "app", FLAME_USER, FLAME_INLINED), COLOUR_OF_MAIN);
	for (int i = 0; i < 500; i++) {
		char name[16];

		snprintf(name, sizeof(name), "function_%d", i);
		c = colour(FLAME_PALETTE_HOT, name, "", FLAME_USER, 0);
		assert_true(red(c) > green(c) && green(c) > blue(c));
		c = colour(FLAME_PALETTE_MEM, name, "", FLAME_USER, 0);
		assert_true(green(c) > red(c) && green(c) > blue(c));
		c = colour(FLAME_PALETTE_IO, name, "", FLAME_KERNEL, 0);
		assert_true(blue(c) > green(c) && green(c) > red(c));
	}
}

static void test_palettes(void **state)
{
	uint32_t c, key;

	(void)state;
	c = colour(FLAME_PALETTE_JAVA, "Lcom/acme/Cart;::total", "", FLAME_JIT, 0);
	assert_true(green(c) > red(c) && green(c) > blue(c));
	c = colour(FLAME_PALETTE_JAVA, "JavaThread::run", "", FLAME_USER, 0);
	assert_true(red(c) > blue(c) && green(c) > blue(c));
	c = colour(FLAME_PALETTE_JS, "LazyCompile:*total cart.js:3", "", FLAME_JIT, 0);
	assert_true(green(c) > red(c) && green(c) > blue(c));
	c = colour(FLAME_PALETTE_KERNEL, "vfs_read", "", FLAME_KERNEL, 0);
	assert_true(blue(c) > red(c));
	c = colour(FLAME_PALETTE_KERNEL, "vfs_read", "", FLAME_USER, 0);
	assert_true(blue(c) < red(c));
	/* of one module: the same hue, near enough */
	assert_int_not_equal(colour(FLAME_PALETTE_MODULE, "read", "libc.so.6", FLAME_USER, 0),
			     colour(FLAME_PALETTE_MODULE, "read", "libm.so.6", FLAME_USER, 0));
	/* Interpreted code is no compiled code; the engine's own is not the program's. */
	assert_int_not_equal(colour(FLAME_PALETTE_KERNEL, "f", "", FLAME_JIT, 0),
			     colour(FLAME_PALETTE_KERNEL, "f", "", FLAME_JIT, FLAME_INTERPRETED));
	c = colour(FLAME_PALETTE_JS, "total cart.js:3", "", FLAME_JIT, 0);
	assert_true(green(c) > red(c) && green(c) > blue(c));
	assert_non_null(flame_palette_legend(FLAME_PALETTE_KERNEL, 3, &key));
	assert_null(flame_palette_legend(FLAME_PALETTE_KERNEL, 4, &key));
	assert_null(flame_palette_legend(FLAME_PALETTE_HOT, 0, &key));
}

static int lightness(uint32_t c)
{
	return red(c) + green(c) + blue(c);
}

/* Palettes of one hue show what has no symbol by a paler tone than any other. */
static void test_unresolved(void **state)
{
	static const enum flame_palette of_one_hue[] = { FLAME_PALETTE_HOT, FLAME_PALETTE_MEM, FLAME_PALETTE_IO };
	uint32_t key;

	(void)state;
	for (int p = 0; p < 3; p++) {
		assert_true(flame_palette_unresolved(of_one_hue[p], &key));
		for (int i = 0; i < 200; i++) {
			char name[32];
			uint32_t pale;

			snprintf(name, sizeof(name), "[lib%d.so]", i);
			pale = colour(of_one_hue[p], name, "", FLAME_USER, FLAME_UNRESOLVED);
			assert_true(lightness(pale) > 600);
			assert_true(lightness(pale) > lightness(colour(of_one_hue[p], name, "", FLAME_USER, FLAME_INLINED)));
			assert_true(lightness(pale) > lightness(colour(of_one_hue[p], name, "", FLAME_KERNEL, 0)) + 30);
		}
	}
	assert_false(flame_palette_unresolved(FLAME_PALETTE_KERNEL, &key));
}

static uint32_t paint(const struct flame *f, uint32_t node, const void *ctx)
{
	(void)f, (void)ctx;
	return node == 1 ? 0x123456 | FLAME_SVG_FADED : 0xabcdef;
}

static void tell(struct out *o, const struct flame *f, uint32_t node, const void *ctx)
{
	(void)f;
	out_printf(o, "<%u%s>", node, (const char *)ctx);
}

/* What a diff needs: colours and details of its own. */
static void test_own_colours(void **state)
{
	const struct flame_svg_key keys[] = { { "grew <much>", 0xff0000 } };
	struct flame_svg_options opts = {
		.title = "</title><script>",
		.unit = "samples",
		.width = 800,
		.colour_of = paint,
		.details_of = tell,
		.keys = keys,
		.nr_keys = 1,
		.ctx = "]]>",
	};
	struct flame_layout l;
	struct flame f;
	struct out o;
	uint32_t frame;

	(void)state;
	flame_init(&f, 1);
	frame = flame_intern_frame(&f, "]]><script>", 11, "<m>", FLAME_USER, 0);
	flame_add_path(&f, 0, &frame, 1, 7, 7);
	flame_finish(&f, NULL);
	flame_layout_build(&l, &f, flame_width_first, NULL, 0);
	out_init(&o, -1);
	flame_svg(&o, &f, &l, &opts);
	out_char(&o, 0);
	assert_non_null(strstr(o.buf, "<path fill=\"#123456\" opacity=\".3\""));
	assert_non_null(strstr(o.buf, "\"colours\":[11259375,17970262]"));
	assert_non_null(strstr(o.buf, "\"details\":[\"\\u003c0]]\\u003e\\u003e\",\"\\u003c1]]\\u003e\\u003e\"]"));
	assert_non_null(strstr(o.buf, "grew &lt;much&gt;"));
	assert_non_null(strstr(o.buf, "<title>&lt;/title&gt;&lt;script&gt;</title>"));
	assert_non_null(strstr(o.buf, "\"rows\":[[0,7,0,0],\n[0,7,1,7]]"));
	assert_null(strstr(o.buf, "]]><script>"));
	out_fini(&o);
	flame_layout_fini(&l);
	flame_fini(&f);
}

/* What is wider than the picture goes on in the next line; the frames begin below the last. */
static void test_lines(void **state)
{
	static const char *const notes[] = { "a note of several words that is wider than two hundred pixels", "short" };
	struct flame_svg_options opts = { .title = "t",
					  .subtitle = "one line",
					  .unit = "samples",
					  .width = 220,
					  .notes = notes,
					  .nr_notes = 2,
					  .palette = FLAME_PALETTE_JS };
	struct flame_layout l;
	struct flame f;
	struct out o;
	uint32_t frame;

	(void)state;
	flame_init(&f, 1);
	frame = flame_intern_frame(&f, "main", 4, "", FLAME_USER, FLAME_INLINED);
	flame_add_path(&f, 0, &frame, 1, 7, 7);
	flame_finish(&f, NULL);
	flame_layout_build(&l, &f, flame_width_first, NULL, 0);
	out_init(&o, -1);
	flame_svg(&o, &f, &l, &opts);
	out_char(&o, 0);
	assert_non_null(strstr(o.buf, "<text class=\"subtitle\" x=\"10\" y=\"46\">one line</text>"));
	/* the legend of six entries has several rows: 68, 86, 104 … */
	assert_non_null(strstr(o.buf, "<g class=\"key\" transform=\"translate(10 68)\">"));
	assert_non_null(strstr(o.buf, "<g class=\"key\" transform=\"translate(10 122)\">"));
	assert_non_null(strstr(o.buf, "<text x=\"19\" class=\"in\">inlined: in italics</text>"));
	assert_null(strstr(o.buf, "\"top\":80,"));
	assert_non_null(strstr(o.buf, ">a note of several words that <tspan x=\"10\" y="));
	assert_non_null(strstr(o.buf, ">pixels</tspan></text>"));
	assert_non_null(strstr(o.buf, ">short</text>"));
	out_fini(&o);
	flame_layout_fini(&l);
	flame_fini(&f);
}

static int count(const char *s, const char *end, char c)
{
	int nr = 0;

	for (; s < end; s++)
		nr += *s == c;
	return nr;
}

/* So many stacks of one weight and so many frames, each of its own; returns the boxes of the still picture. */
static int draw_still(int nr_stacks, uint32_t nr_frames, bool inverted, char **whole)
{
	struct flame_svg_options opts = { .title = "t", .unit = "samples", .width = 1200, .inverted = inverted };
	uint32_t path[500];
	struct flame_layout l;
	struct flame f;
	struct out o;

	flame_init(&f, 1);
	for (int i = 0; i < nr_stacks; i++) {
		char name[16];
		int len = snprintf(name, sizeof(name), "z%d", i);

		for (uint32_t k = 0; k < nr_frames; k++)
			path[k] = flame_intern_frame(&f, name, (size_t)len, "", FLAME_USER, 0);
		flame_add_path(&f, 0, path, nr_frames, 1, 1);
	}
	flame_finish(&f, NULL);
	flame_layout_build(&l, &f, flame_width_first, NULL, 0);
	assert_int_equal(l.rects.nr, (uint32_t)nr_stacks * nr_frames + 1);
	out_init(&o, -1);
	flame_svg(&o, &f, &l, &opts);
	out_char(&o, 0);
	flame_layout_fini(&l);
	flame_fini(&f);
	*whole = o.buf; /* changes hands */
	return count(strstr(o.buf, "class=\"still\""), strstr(o.buf, "class=\"labels\""), 'M');
}

/* The picture that stands still has a bound: rows next to the root, and what is widest. The data has all. */
static void test_still(void **state)
{
	char *s;

	(void)state;
	assert_int_equal(draw_still(2, 399, false, &s), 799);
	assert_null(strstr(s, "more row"));
	free(s);
	assert_int_equal(draw_still(2, 450, false, &s), 1 + 2 * 399);
	assert_non_null(strstr(s, "y=\"75\">… 51 more rows: "));
	assert_non_null(strstr(s, "height=\"7313\""));
	free(s);
	assert_int_equal(draw_still(2, 450, true, &s), 1 + 2 * 399);
	assert_non_null(strstr(s, "y=\"7275\">… 51 more rows: "));
	free(s);
	/* of 1,000 × 60 frames, those are drawn that are 1.2 px in the end, and not those of 1.1 */
	assert_in_range(draw_still(1000, 60, false, &s), 1 + 60 * 500, 50000);
	assert_null(strstr(s, "more row"));
	assert_int_equal(count(strstr(s, "\"rows\":["), s + strlen(s), '['), 62 + count(strstr(s, "]]></script>"), s + strlen(s), '['));
	free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),	   cmocka_unit_test(test_count),    cmocka_unit_test(test_scaled),
		cmocka_unit_test(test_colours),	   cmocka_unit_test(test_palettes), cmocka_unit_test(test_own_colours),
		cmocka_unit_test(test_unresolved), cmocka_unit_test(test_lines),    cmocka_unit_test(test_still),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
