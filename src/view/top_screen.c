/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Heading, rows and key line of `top`. Nothing here knows a terminal, a ring or a clock.
 */
#include <stdio.h>
#include <string.h>

#include "view/heat_colour.h"
#include "view/page.h"
#include "view/top.h"

#define HEAD_LINES 3 /* above the heading of the columns */
#define NAME_WIDTH 8 /* what is left of a key in a narrow window */

static size_t nr_letters(const char *text, size_t len)
{
	size_t nr = 0;

	for (size_t i = 0; i < len; i++)
		nr += ((uint8_t)text[i] & 0xc0) != 0x80;
	return nr;
}

/* Colours take no room, and what switches them off is never cut. */
void top_line(struct out *o, const char *text, size_t len, int line_width)
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

/* "7981 samples/s, 12.3% kernel, 0 lost [4000 Hz cpu-clock] all CPUs" */
static void put_head(struct out *o, const struct live_profile *l, const struct top_stats *s, const struct top_state *st, int line_width)
{
	const char *event = st->event < l->events.nr ? l->events.v[st->event].name : "no event";
	struct out line;

	out_init(&line, -1);
	out_printf(&line, "assay top: %.0f samples/s  kernel %.1f%%  lost %llu",
		   s->seconds > 0 ? (double)s->counts.nr_samples / s->seconds : 0.0,
		   share((double)s->counts.nr_kernel, (double)s->counts.nr_samples), (unsigned long long)s->nr_lost);
	if (s->nr_throttled)
		out_printf(&line, "  throttled %llu", (unsigned long long)s->nr_throttled);
	out_printf(&line, "  [%s %s]  %s", s->rate, event, s->target);
	top_line(o, line.buf, line.len, line_width);
	out_char(o, '\n');
	line.len = 0;
	out_printf(&line, "own cost: %.1f%% of a CPU, %llu MB  refresh: %g s", s->own_percent, (unsigned long long)(s->memory_bytes >> 20),
		   s->delay);
	if (s->real_delay > s->delay)
		out_printf(&line, " (%g s: the cost is bounded)", s->real_delay);
	if (s->counts.nr_skipped)
		out_printf(&line, "  %.0f%% of the samples looked at",
			   100 - share((double)s->counts.nr_skipped, (double)s->counts.nr_samples));
	if (st->hides_kernel || st->hides_user)
		out_printf(&line, "  hidden: %s%s%s", st->hides_kernel ? "kernel" : "", st->hides_kernel && st->hides_user ? ", " : "",
			   st->hides_user ? "user" : "");
	if (st->zeroes)
		out_str(&line, "  each refresh by itself");
	if (st->is_frozen)
		out_str(&line, "  FROZEN");
	top_line(o, line.buf, line.len, line_width);
	out_char(o, '\n');
	out_fini(&line);
}

struct row_layout {
	int widths[LIVE_MAX_KEYS];
	int figures; /* of all columns before the keys */
	uint32_t first, end;
};

static bool is_shown(const struct live_profile *l, const struct live_event *e, const struct live_row *r, const struct top_style *style)
{
	return r->nr_samples >= style->count_limit && share(live_row_weight(l, r), e->total) >= style->percent_limit;
}

/* Rows that are shown at all come first: they are sorted by weight. */
static uint32_t nr_shown(const struct live_profile *l, const struct live_event *e, const struct top_style *style)
{
	uint32_t nr = 0;

	while (nr < e->rows.nr && is_shown(l, e, &e->rows.v[nr], style))
		nr++;
	return nr;
}

/* The last key is as wide as the rest of the line; others shrink where that would be too little. */
static void lay_out(struct row_layout *r, const struct live_profile *l, const struct live_event *e, const struct top_style *style,
		    int line_width)
{
	int left;

	r->figures = 10 + (l->by_children ? 10 : 0) + (style->shows_samples ? 10 : 0) + (style->shows_period ? 14 : 0);
	left = line_width - r->figures;
	for (uint32_t k = 0; k < l->nr_keys; k++) {
		int width = (int)strlen(columns[l->keys[k]].heading);

		for (uint32_t i = r->first; i < r->end; i++) {
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

static void put_cell(struct out *line, const char *text, size_t len, int width, bool is_last)
{
	size_t letters = nr_letters(text, len), prefix = 0;

	/* "[k] " in front of a symbol is no part of its name. */
	if (len > 4 && text[0] == '[' && text[2] == ']' && text[3] == ' ' && width > 8)
		prefix = 4;
	if (letters > (size_t)width) {
		out_mem(line, text, prefix);
		label_shorten(line, text + prefix, len - prefix, (size_t)width - prefix);
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
		    const struct row_layout *lay, const struct top_style *style, bool is_selected)
{
	bool colour = style->colour && !is_selected;

	if (style->colour && is_selected)
		out_str(o, "\033[7m");
	if (l->by_children)
		put_share(o, share(r->children, e->total), colour);
	put_share(o, share(r->self, e->total), colour);
	if (style->shows_samples)
		out_printf(o, "%8.0f  ", r->nr_samples);
	if (style->shows_period)
		out_printf(o, "%12.0f  ", r->self);
	for (uint32_t k = 0; k < l->nr_keys; k++)
		put_cell(o, strtab_get(&l->strings, r->cells[k]), strtab_len(&l->strings, r->cells[k]), lay->widths[k],
			 k + 1 == l->nr_keys);
	if (style->colour && is_selected)
		out_str(o, HEAT_OFF);
}

static void put_headings(struct out *o, const struct live_profile *l, const struct row_layout *lay, const struct top_style *style,
			 int line_width)
{
	struct out line;

	out_init(&line, -1);
	if (l->by_children)
		out_str(&line, "Children      Self  ");
	else
		out_str(&line, "Overhead  ");
	if (style->shows_samples)
		out_str(&line, " Samples  ");
	if (style->shows_period)
		out_str(&line, "      Period  ");
	for (uint32_t k = 0; k < l->nr_keys; k++) {
		const char *heading = columns[l->keys[k]].heading;

		put_cell(&line, heading, strlen(heading), lay->widths[k], k + 1 == l->nr_keys);
	}
	if (style->colour)
		out_str(o, "\033[1m");
	top_line(o, line.buf, line.len, line_width);
	if (style->colour)
		out_str(o, HEAT_OFF);
	out_fini(&line);
}

uint32_t top_rows_shown(const struct top_state *st, int rows)
{
	(void)st;
	return rows > HEAD_LINES + 2 ? (uint32_t)(rows - HEAD_LINES - 2) : 1;
}

/* Cells of a row in one text, cut: enough to find it again. */
static void key_of(const struct live_profile *l, const struct live_row *r, char *key, size_t size)
{
	size_t len = 0;

	key[0] = 0;
	for (uint32_t k = 0; k < l->nr_keys && len < size; k++)
		len += (size_t)snprintf(key + len, size - len, "%s\n", live_profile_text(l, r->cells[k]));
}

void top_select(struct top_state *st, const struct live_profile *l, int64_t step, int rows)
{
	const struct live_event *e = st->event < l->events.nr ? &l->events.v[st->event] : NULL;
	uint32_t shown = top_rows_shown(st, rows);
	char key[sizeof(st->selected_key)];
	int64_t at;

	if (!e || !e->rows.nr || (!st->has_selection && !step)) {
		st->selected = st->first = 0;
		return;
	}
	for (uint32_t i = 0; st->has_selection && i < e->rows.nr; i++) {
		key_of(l, &e->rows.v[i], key, sizeof(key));
		if (!strcmp(key, st->selected_key)) {
			st->selected = i;
			break;
		}
	}
	at = st->has_selection ? (int64_t)st->selected + step : 0;
	at = at < 0 ? 0 : at >= e->rows.nr ? e->rows.nr - 1 : at;
	st->has_selection = true;
	st->selected = (uint32_t)at;
	key_of(l, &e->rows.v[at], st->selected_key, sizeof(st->selected_key));
	if (st->selected < st->first)
		st->first = st->selected;
	if (st->selected >= st->first + shown)
		st->first = st->selected - shown + 1;
}

static void put_rows(struct out *o, const struct live_profile *l, const struct top_state *st, const struct top_style *style, uint32_t max,
		     int line_width)
{
	const struct live_event *e = &l->events.v[st->event];
	struct row_layout lay = { .first = st->first };
	uint32_t nr = nr_shown(l, e, style);

	lay.end = lay.first > nr ? lay.first : nr - lay.first > max ? lay.first + max : nr;
	lay_out(&lay, l, e, style, line_width);
	put_headings(o, l, &lay, style, line_width);
	for (uint32_t i = lay.first; i < lay.end; i++) {
		struct out line;

		out_char(o, '\n');
		out_init(&line, -1);
		put_row(&line, l, e, &e->rows.v[i], &lay, style, st->has_selection && i == st->selected);
		top_line(o, line.buf, line.len, line_width);
		out_fini(&line);
	}
}

static void put_help(struct out *o, int rows, int line_width)
{
	static const char *const lines[] = {
		"q        quit",
		"z        forget what was before; Z: show each refresh by itself",
		"d        seconds between refreshes",
		"space    freeze and continue",
		"up down  select a row; Enter or s: its callers (with -g)",
		"f        flame view (with -g)",
		"e        the next event",
		"K U      hide or show kernel code, user code",
		"h        this help; any other key: back",
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines) && (int)i < rows; i++) {
		if (i)
			out_char(o, '\n');
		top_line(o, lines[i], strlen(lines[i]), line_width);
	}
}

static void put_keys(struct out *o, const struct top_state *st, const struct top_style *style, int line_width)
{
	const char *keys = st->prompt[0]	  ? st->prompt
			   : st->mode == TOP_ROWS ? "q quit  z zero  d delay  space freeze  Enter callers  f flame  h help"
						  : "q quit  any other key: back to the rows";

	if (style->colour)
		out_str(o, "\033[7m");
	top_line(o, keys, strlen(keys), line_width);
	if (style->colour)
		out_str(o, HEAT_OFF);
}

void top_screen(struct out *o, const struct live_profile *l, const struct top_stats *s, const struct top_state *st,
		const struct top_style *style, int rows, int line_width)
{
	struct out body;
	int room = rows - HEAD_LINES - 1, nr = 1;

	if (rows < 1 || line_width < 1)
		return;
	out_init(&body, -1);
	if (room < 1)
		room = 1;
	if (st->mode == TOP_HELP)
		put_help(&body, room, line_width);
	else if (st->event >= l->events.nr)
		out_str(&body, "");
	else if (st->mode == TOP_FLAME)
		top_flame(&body, l, st, style, room, line_width);
	else if (st->mode == TOP_CALLERS)
		top_callers(&body, l, st, style, room, line_width);
	else
		put_rows(&body, l, st, style, top_rows_shown(st, rows), line_width);
	if (rows > HEAD_LINES + 1) {
		put_head(o, l, s, st, line_width);
		out_char(o, '\n');
	}
	for (size_t i = 0; i < body.len; i++) {
		if (body.buf[i] == '\n' && nr++ == room) {
			body.len = i;
			nr = room;
		}
	}
	out_mem(o, body.buf, body.len);
	for (; nr <= room && rows > HEAD_LINES + 1; nr++)
		out_char(o, '\n');
	if (rows > HEAD_LINES + 1)
		put_keys(o, st, style, line_width);
	out_fini(&body);
}

void top_block(struct out *o, const struct live_profile *l, const struct top_stats *s, const struct top_state *st,
	       const struct top_style *style, int line_width)
{
	struct top_state of_event = *st;

	for (uint32_t i = 0; i < l->events.nr; i++) {
		of_event.event = i;
		of_event.first = 0;
		of_event.has_selection = false;
		put_head(o, l, s, &of_event, line_width);
		out_char(o, '\n');
		put_rows(o, l, &of_event, style, style->max_rows ? style->max_rows : UINT32_MAX, line_width);
		out_str(o, "\n\n");
	}
}
