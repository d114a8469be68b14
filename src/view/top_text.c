/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Heading and rows of `top` as lines of text. Nothing here knows a terminal, a ring or a clock.
 */
#include <stdio.h>
#include <string.h>

#include "view/heat_colour.h"
#include "view/page.h"
#include "view/top.h"

#define NAME_WIDTH 8 /* what is left of a key in a narrow window */

static size_t nr_letters(const char *text, size_t len)
{
	size_t nr = 0;

	for (size_t i = 0; i < len; i++)
		nr += ((uint8_t)text[i] & 0xc0) != 0x80;
	return nr;
}

/* Colours take no room, and what switches them off is never cut. */
static void put_line(struct out *o, const char *text, size_t len, int line_width)
{
	int left = line_width;
	bool is_cut = false;

	if (!line_width) {
		out_mem(o, text, len);
		return;
	}
	for (size_t i = 0; i < len; i++) {
		bool is_letter = ((uint8_t)text[i] & 0xc0) != 0x80;

		if (text[i] == '\033') {
			size_t end = i + strcspn(text + i, "m");

			end = end < len ? end : len - 1;
			out_mem(o, text + i, end + 1 - i);
			i = end;
			continue;
		}
		is_cut |= is_letter && !left;
		left -= is_letter && left;
		if (!is_cut)
			out_char(o, text[i]);
	}
}

static double share(double part, double whole)
{
	return whole > 0 ? 100.0 * part / whole : 0;
}

void top_head(struct out *o, const struct live_profile *l, const struct top_stats *s, const struct top_state *st)
{
	const char *event = st->event < l->events.nr ? l->events.v[st->event].name : "no event";

	out_printf(o, "assay top: %.0f samples/s  kernel %.1f%%  lost %llu",
		   s->seconds > 0 ? (double)s->counts.nr_samples / s->seconds : 0.0,
		   share((double)s->counts.nr_kernel, (double)s->counts.nr_samples), (unsigned long long)s->nr_lost);
	if (s->nr_throttled)
		out_printf(o, "  throttled %llu", (unsigned long long)s->nr_throttled);
	out_printf(o, "  [%s %s]  %s", s->rate, event, s->target);
}

void top_cost(struct out *o, const struct top_stats *s, const struct top_state *st)
{
	out_printf(o, "own cost: %.1f%% of a CPU, %llu MB  refresh: %g s", s->own_percent, (unsigned long long)(s->memory_bytes >> 20),
		   st->delay);
	if (s->real_delay > st->delay)
		out_printf(o, " (%g s: the cost is bounded)", s->real_delay);
	if (st->hides_kernel || st->hides_user)
		out_printf(o, "  hidden: %s%s%s", st->hides_kernel ? "kernel" : "", st->hides_kernel && st->hides_user ? ", " : "",
			   st->hides_user ? "user" : "");
	if (st->zeroes)
		out_str(o, "  each refresh by itself");
	if (s->counts.nr_skipped)
		out_printf(o, "  %.0f%% of the samples looked at", 100 - share((double)s->counts.nr_skipped, (double)s->counts.nr_samples));
}

const char *top_weight_heading(const struct live_profile *l)
{
	return l->by_children ? "Children" : "Overhead";
}

/* Rows are sorted by weight. */
uint32_t top_nr_rows(const struct live_profile *l, const struct live_event *e, const struct top_style *style)
{
	uint32_t nr = 0;

	while (nr < e->rows.nr && e->rows.v[nr].nr_samples >= style->count_limit &&
	       share(live_row_weight(l, &e->rows.v[nr]), e->total) >= style->percent_limit)
		nr++;
	return nr;
}

struct row_layout {
	int widths[LIVE_MAX_KEYS];
	int figures;  /* of all columns before the keys */
	uint32_t end; /* rows */
};

/* The last key is as wide as the rest of the line; others shrink where that would be too little. */
static void lay_out(struct row_layout *r, const struct live_profile *l, const struct live_event *e, const struct top_style *style,
		    int line_width)
{
	int left;

	r->figures = 10 + (l->by_children ? 10 : 0) + (style->shows_samples ? 10 : 0) + (style->shows_period ? 14 : 0);
	left = line_width - r->figures;
	for (uint32_t k = 0; k < l->nr_keys; k++) {
		int width = (int)strlen(columns[l->keys[k]].heading);

		for (uint32_t i = 0; i < r->end; i++) {
			uint32_t cell = e->rows.v[i].cells[k];
			int needed = (int)nr_letters(strtab_get(&l->strings, cell), strtab_len(&l->strings, cell));

			width = needed > width ? needed : width;
		}
		if (style->widths[k])
			width = style->widths[k];
		if (line_width && k + 1 < l->nr_keys) {
			int most = left - (NAME_WIDTH + 2) * (int)(l->nr_keys - k - 1) - 2;

			most = most > left / 2 ? left / 2 : most;
			width = width > most ? most : width;
		} else if (line_width && width > left) {
			width = left;
		}
		r->widths[k] = width > 1 ? width : 1;
		left -= r->widths[k] + 2;
	}
}

static void put_cell(struct out *line, const char *text, size_t len, int width, bool is_last, bool ascii)
{
	size_t letters = nr_letters(text, len), prefix = 0;

	/* "[k] " in front of a symbol is no part of its name. */
	if (len > 4 && text[0] == '[' && text[2] == ']' && text[3] == ' ' && width > 8)
		prefix = 4;
	if (letters > (size_t)width) {
		out_mem(line, text, prefix);
		label_shorten_text(line, text + prefix, len - prefix, (size_t)width - prefix, ascii);
		letters = (size_t)width;
	} else {
		out_mem(line, text, len);
	}
	if (!is_last)
		out_spaces(line, width - (int)letters + 2);
}

static void put_share(struct out *o, double percent, bool colour)
{
	const char *on = colour ? heat_colour(percent) : NULL;

	out_str(o, on ? on : "");
	out_printf(o, "%7.2f%%", percent);
	out_str(o, on ? HEAT_OFF : "");
	out_str(o, "  ");
}

static void put_row(struct out *o, const struct live_profile *l, const struct live_event *e, const struct live_row *r,
		    const struct row_layout *lay, const struct top_style *style)
{
	if (l->by_children)
		put_share(o, share(r->children, e->total), style->colour);
	put_share(o, share(r->self, e->total), style->colour);
	if (style->shows_samples)
		out_printf(o, "%8.0f  ", r->nr_samples);
	if (style->shows_period)
		out_printf(o, "%12.0f  ", r->self);
	for (uint32_t k = 0; k < l->nr_keys; k++)
		put_cell(o, strtab_get(&l->strings, r->cells[k]), strtab_len(&l->strings, r->cells[k]), lay->widths[k], k + 1 == l->nr_keys,
			 style->ascii);
}

static void put_headings(struct out *o, const struct live_profile *l, const struct row_layout *lay, const struct top_style *style,
			 int line_width)
{
	struct out line;

	out_init(&line, -1);
	out_str(&line, top_weight_heading(l));
	out_str(&line, l->by_children ? "      Self  " : "  ");
	if (style->shows_samples)
		out_str(&line, " Samples  ");
	if (style->shows_period)
		out_str(&line, "      Period  ");
	for (uint32_t k = 0; k < l->nr_keys; k++) {
		const char *heading = columns[l->keys[k]].heading;

		put_cell(&line, heading, strlen(heading), lay->widths[k], k + 1 == l->nr_keys, style->ascii);
	}
	if (style->colour)
		out_str(o, "\033[1m");
	put_line(o, line.buf, line.len, line_width);
	if (style->colour)
		out_str(o, HEAT_OFF);
	out_fini(&line);
}

static void put_rows(struct out *o, const struct live_profile *l, const struct live_event *e, const struct top_style *style, int line_width)
{
	uint32_t nr = top_nr_rows(l, e, style);
	struct row_layout lay = { .end = style->max_rows && style->max_rows < nr ? style->max_rows : nr };

	lay_out(&lay, l, e, style, line_width);
	put_headings(o, l, &lay, style, line_width);
	for (uint32_t i = 0; i < lay.end; i++) {
		struct out line;

		out_char(o, '\n');
		out_init(&line, -1);
		put_row(&line, l, e, &e->rows.v[i], &lay, style);
		put_line(o, line.buf, line.len, line_width);
		out_fini(&line);
	}
}

void top_block(struct out *o, const struct live_profile *l, const struct top_stats *s, const struct top_state *st,
	       const struct top_style *style, int line_width)
{
	struct top_state of_event = *st;
	struct out line;

	out_init(&line, -1);
	for (uint32_t i = 0; i < l->events.nr; i++) {
		of_event.event = i;
		line.len = 0;
		top_head(&line, l, s, &of_event);
		put_line(o, line.buf, line.len, line_width);
		out_char(o, '\n');
		line.len = 0;
		top_cost(&line, s, &of_event);
		put_line(o, line.buf, line.len, line_width);
		out_str(o, "\n\n");
		put_rows(o, l, &l->events.v[i], style, line_width);
		out_str(o, "\n\n");
	}
	out_fini(&line);
}
