/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * History and drawing of the live charts. The picture is drawn from the top, over the last one; a terminal that changed its size is
 * cleared first. The cursor is never hidden and no screen is switched: after a kill at any moment, the terminal is usable.
 */
#include "view/stat.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#include "base/escape.h"
#include "base/mem.h"
#include "view/plot_layout.h"

#define HISTORY 1024u /* wider than any terminal */

#define RESET "\033[0m"
#define DIM "\033[2m"
#define BOLD "\033[1m"

struct history {
	uint32_t event, place;
	char *name;
	double *values; /* HISTORY of them, the newest at nr - 1 */
	uint32_t nr;
};

struct stat_plot {
	VEC(struct history) rows;
	VEC(struct plot_series) series; /* of the rows, for the layout */
	double *spans;			/* how long each column took, in ns; as many as values */
	uint32_t nr_spans;
	char *unsupported; /* names of events that have no chart; NULL: all have */
	bool is_settled;
	uint64_t interval_ns, elapsed_ns;
	bool unicode;
	const struct stat_style *style; /* while it draws */
	uint32_t last_width, last_height, last_lines;
};

/* Names come from targets, too (--per-thread): made harmless once. */
static char *row_name(const struct counts *c, uint32_t event, uint32_t place)
{
	char where[STAT_PLACE_MAX];
	size_t len = stat_place_name(c, place, where);
	struct out o;
	char *name;

	out_init(&o, -1);
	escape_terminal_str(&o, c->events.v[event].name);
	if (len) {
		out_char(&o, ' ');
		escape_terminal(&o, where, len);
	}
	out_char(&o, 0);
	name = mem_strdup(o.buf);
	out_fini(&o);
	return name;
}

struct stat_plot *stat_plot_new(uint64_t interval_ns, bool unicode)
{
	struct stat_plot *p = mem_zalloc(sizeof(*p));

	p->interval_ns = interval_ns;
	p->unicode = unicode;
	return p;
}

static void note_unsupported(struct stat_plot *p, const struct counts *c)
{
	struct out o;

	out_init(&o, -1);
	for (uint32_t e = 0; e < c->events.nr; e++) {
		if (c->events.v[e].supported)
			continue;
		out_str(&o, o.len ? ", " : "");
		escape_terminal_str(&o, c->events.v[e].name);
	}
	if (o.len)
		p->unsupported = mem_strndup(o.buf, o.len);
	out_fini(&o);
}

static void settle_rows(struct stat_plot *p, const struct counts *c)
{
	p->is_settled = true;
	p->spans = mem_alloc(HISTORY * sizeof(p->spans[0]));
	note_unsupported(p, c);
	for (uint32_t e = 0; e < c->events.nr; e++) {
		if (!c->events.v[e].supported)
			continue;
		for (uint32_t i = 0; i < c->places.nr; i++) {
			struct history *h;

			if (counts_row_get(c, e, i)->state == COUNTS_ABSENT)
				continue;
			h = vec_add(&p->rows);
			*h = (struct history){ .event = e, .place = i, .name = row_name(c, e, i) };
			h->values = mem_alloc(HISTORY * sizeof(h->values[0]));
			vec_push(&p->series, ((struct plot_series){ h->name, c->events.v[e].unit, h->values, 0 }));
		}
	}
}

void stat_plot_free(struct stat_plot *p)
{
	if (!p)
		return;
	for (uint32_t i = 0; i < p->rows.nr; i++) {
		free(p->rows.v[i].name);
		free(p->rows.v[i].values);
	}
	vec_fini(&p->rows);
	vec_fini(&p->series);
	free(p->spans);
	free(p->unsupported);
	free(p);
}

/* Room for one more of `nr` values: the oldest goes. */
static uint32_t make_room(double *values, uint32_t nr)
{
	if (nr < HISTORY)
		return nr;
	memmove(values, values + 1, (HISTORY - 1) * sizeof(values[0]));
	return HISTORY - 1;
}

/* The rows of the first interval are those that are shown. */
static void add_interval(struct stat_plot *p, const struct counts *c)
{
	/* What is left at the end is no whole interval: it would look like a fall. */
	if (p->is_settled && c->span_ns < 0.8 * (double)p->interval_ns)
		return;
	if (!p->is_settled)
		settle_rows(p, c);
	p->elapsed_ns = c->elapsed_ns;
	p->nr_spans = make_room(p->spans, p->nr_spans);
	p->spans[p->nr_spans++] = c->span_ns;
	for (uint32_t i = 0; i < p->rows.nr; i++) {
		struct history *h = &p->rows.v[i];
		const struct counts_row *row = counts_row_get(c, h->event, h->place);

		h->nr = make_room(h->values, h->nr);
		h->values[h->nr++] = row->state == COUNTS_OK ? row->value * c->events.v[h->event].scale : NAN;
		p->series.v[i].nr = h->nr;
	}
}

static void put_style(const struct stat_plot *p, struct out *o, const char *style)
{
	if (p->style->colour)
		out_str(o, style);
}

static void put_colour(const struct stat_plot *p, struct out *o, uint32_t series)
{
	static const uint8_t colours[] = { 36, 32, 33, 35, 34, 31 }; /* cyan, green, yellow, … */

	if (p->style->colour)
		out_printf(o, "\033[%um", colours[series % sizeof(colours)]);
}

/* Text in exactly `width` columns, cut with a mark where it is longer. */
static void put_padded(const struct stat_plot *p, struct out *o, const char *text, uint32_t width)
{
	uint32_t columns = 0;
	const char *cut = text, *t;

	for (t = text; *t; t++) {
		if ((*t & 0xc0) == 0x80) /* inside a character */
			continue;
		if (columns == width - 1)
			cut = t;
		columns++;
	}
	if (columns <= width) {
		out_mem(o, text, (size_t)(t - text));
		out_spaces(o, (int)(width - columns));
		return;
	}
	out_mem(o, text, (size_t)(cut - text));
	out_str(o, p->unicode ? "…" : ">");
}

static void end_line(struct out *o)
{
	out_str(o, "\033[K\n");
}

static void put_title(const struct stat_plot *p, struct out *o, const struct plot_layout *l)
{
	char now[32], every[32];
	struct out text;

	plot_time(p->elapsed_ns, now);
	plot_time(p->interval_ns, every);
	out_init(&text, -1);
	out_printf(&text, "%s, every %s: ", now, every);
	escape_terminal_str(&text, p->style->target);
	out_char(&text, 0);
	put_style(p, o, BOLD);
	put_padded(p, o, text.buf, l->width - 1);
	put_style(p, o, RESET);
	end_line(o);
	out_fini(&text);
}

static void put_label(const struct stat_plot *p, struct out *o, const struct plot_layout *l, const struct plot_series *s, uint32_t line)
{
	char text[256] = "";

	if (l->chart_height == 1)
		snprintf(text, sizeof(text), "%s%s%s", s->name, s->unit[0] ? " " : "", s->unit);
	else if (line == l->chart_height - 1)
		snprintf(text, sizeof(text), "%s", s->name);
	else if (line == l->chart_height - 2)
		snprintf(text, sizeof(text), "%s", s->unit);
	if (l->chart_height > 1 && line == l->chart_height - 2)
		put_style(p, o, DIM);
	put_padded(p, o, text, l->label_width);
	put_style(p, o, RESET);
	out_char(o, ' ');
}

static void put_chart_line(const struct stat_plot *p, struct out *o, const struct plot_layout *l, uint32_t series, double max,
			   uint32_t line)
{
	static const char *const blocks[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	static const char ascii[] = " ._-~=+*#";
	const struct plot_series *s = &p->series.v[series];
	uint32_t column, first = plot_layout_first(l, s->nr, &column);
	bool dim = false;

	out_spaces(o, (int)column);
	put_colour(p, o, series);
	for (uint32_t i = first; i < s->nr; i++) {
		uint32_t level = plot_level(s->values[i], max, line, l->chart_height);
		/* Zero is a thin line, what was not counted a dot: both are news. */
		bool base = !line && !(s->values[i] > 0);

		if (base != dim) {
			put_style(p, o, base ? DIM : RESET);
			if (!base)
				put_colour(p, o, series);
		}
		dim = base;
		if (base)
			out_str(o, isnan(s->values[i]) ? (p->unicode ? "·" : " ") : p->unicode ? "▁" : "_");
		else if (p->unicode)
			out_str(o, blocks[level]);
		else
			out_char(o, ascii[level]);
	}
	put_style(p, o, RESET);
}

static void put_numbers(const struct stat_plot *p, struct out *o, const struct plot_layout *l, const struct plot_series *s, double max,
			uint32_t line)
{
	char now_text[PLOT_NUMBER_MAX], max_text[PLOT_NUMBER_MAX], mean_text[PLOT_NUMBER_MAX];

	if (!l->numbers_left || !s->nr)
		return;
	plot_number(s->values[s->nr - 1], now_text);
	plot_number(max, max_text);
	plot_number(plot_layout_mean(l, s), mean_text);
	out_char(o, ' ');
	if (!line && l->chart_height == 1) {
		put_style(p, o, BOLD);
		out_printf(o, "%7s", now_text);
		put_style(p, o, RESET);
		put_style(p, o, DIM);
		out_printf(o, "  max %6s", max_text);
	} else if (!line) {
		put_style(p, o, BOLD);
		out_printf(o, "now %6s", now_text);
	} else if (line == l->chart_height - 1) {
		put_style(p, o, DIM);
		out_printf(o, "max %6s", max_text);
	} else if (line == l->chart_height / 2) {
		put_style(p, o, DIM);
		out_printf(o, "avg %6s", mean_text);
	}
	put_style(p, o, RESET);
}

/* Below the columns that there are, with the time that they cover: late ones took longer. */
static void put_axis(const struct stat_plot *p, struct out *o, const struct plot_layout *l)
{
	static const char right[] = "now";
	char ago[32], left[48];
	uint32_t column, first = plot_layout_first(l, p->nr_spans, &column), used;
	uint32_t width = l->chart_width - column, inner = width > 2 ? width - 2 : 0;
	double covered_ns = 0;

	for (uint32_t i = first; i < p->nr_spans; i++)
		covered_ns += p->spans[i];
	plot_time((uint64_t)covered_ns, ago);
	snprintf(left, sizeof(left), " %s ago ", ago);
	used = (uint32_t)(strlen(left) + strlen(right) + 2);
	out_spaces(o, (int)(l->chart_left + column));
	put_style(p, o, DIM);
	if (inner >= used + 2) {
		out_str(o, p->unicode ? "└" : "+");
		out_str(o, left);
		for (uint32_t i = used; i < inner; i++)
			out_str(o, p->unicode ? "─" : "-");
		out_printf(o, " %s ", right);
		out_str(o, p->unicode ? "┘" : "+");
	}
	put_style(p, o, RESET);
	end_line(o);
}

/* One line for all of them: a terminal has few. */
static void put_unsupported(const struct stat_plot *p, struct out *o, const struct plot_layout *l)
{
	static const char why[] = "  <not supported>";
	uint32_t room = l->width - 1, len = (uint32_t)strlen(p->unsupported);

	room = room > sizeof(why) ? room - (uint32_t)sizeof(why) + 1 : 1;
	put_style(p, o, DIM);
	put_padded(p, o, p->unsupported, len < room ? len : room);
	if (l->width > sizeof(why) + 1)
		out_str(o, why);
	put_style(p, o, RESET);
	end_line(o);
}

static void go_back(struct stat_plot *p, struct out *o, uint32_t width, uint32_t height)
{
	if (p->last_lines && (p->last_width != width || p->last_height != height))
		out_str(o, "\033[H\033[2J");
	else if (p->last_lines)
		out_printf(o, "\r\033[%uA", p->last_lines);
	p->last_width = width;
	p->last_height = height;
}

/* `width` and `height` are the terminal's (0: unknown). The cursor ends below the picture, at the beginning of a line. */
static void draw(struct stat_plot *p, struct out *o, const struct stat_style *s, uint32_t width, uint32_t height)
{
	bool has_room = !height || height > 4; /* for what is not supported */
	bool says_unsupported = p->unsupported && (has_room || !p->series.nr);
	struct plot_layout l;

	p->style = s;
	plot_layout_init(&l, p->series.v, p->series.nr, width, (height ? height : 24) - (says_unsupported && has_room));
	go_back(p, o, width, height);
	put_title(p, o, &l);
	for (uint32_t i = 0; i < l.nr_shown; i++) {
		double max = plot_layout_max(&l, &p->series.v[i]);

		for (uint32_t line = l.chart_height; line-- > 0;) {
			put_label(p, o, &l, &p->series.v[i], line);
			put_chart_line(p, o, &l, i, max, line);
			put_numbers(p, o, &l, &p->series.v[i], max, line);
			end_line(o);
		}
		for (uint32_t g = 0; i + 1 < l.nr_shown && g < l.gap; g++)
			end_line(o);
	}
	if (l.nr_hidden) {
		out_printf(o, "%s %u more need a taller terminal", p->unicode ? "…" : "...", l.nr_hidden);
		end_line(o);
	}
	if (l.has_axis)
		put_axis(p, o, &l);
	if (says_unsupported)
		put_unsupported(p, o, &l);
	out_str(o, "\033[J");
	p->last_lines = l.nr_lines + says_unsupported;
}

static void plot_interval(struct out *o, const struct counts *c, const struct stat_style *s, uint64_t time_ns, uint64_t nr)
{
	struct winsize size = { 0 };

	(void)time_ns; /* the counts know it */
	(void)nr;
	add_interval(s->plot, c);
	ioctl(o->fd, TIOCGWINSZ, &size);
	draw(s->plot, o, s, size.ws_col, size.ws_row);
}

static void plot_total(struct out *o, const struct counts *c, const struct stat_style *s)
{
	stat_text_format.total(o, c, s);
}

const struct stat_format stat_plot_format = { .interval = plot_interval, .total = plot_total };
