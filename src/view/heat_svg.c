/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The SVG of a heat map: heat_layout.c places things, web/heat.css styles them.
 */
#include "view/heat_svg.h"

#include <stdio.h>
#include <string.h>

#include "view/page.h"

enum {
	LEFT = 92,   /* at least */
	RIGHT = 132, /* labels of percentiles; at least */
	PAD = 20,
	AXIS = 44, /* ticks and name of the time axis */
	LEGEND = 38,
};

struct picture {
	struct out *o; /* the page's body */
	const struct heat *h;
	const struct heat_words *w;
	struct heat_layout l;
};

static void put(const struct picture *p, const char *s)
{
	svg_text(p->o, s, strlen(s));
}

static void put_text(const struct picture *p, const char *class, int32_t x, int32_t y, const char *s)
{
	out_printf(p->o, "<text class=\"%s\" x=\"%d\" y=\"%d\">", class, x, y);
	put(p, s);
	out_str(p->o, "</text>\n");
}

static void put_y_axis(const struct picture *p)
{
	const struct heat_layout *l = &p->l;
	int32_t middle = l->top + l->height / 2, right = l->left - HEAT_LABEL_GAP;

	out_str(p->o, "<g class=\"axis y\">\n");
	for (uint32_t i = 0; i < l->y_ticks.nr; i++) {
		const struct heat_tick *t = &l->y_ticks.v[i];

		out_printf(p->o, "<path class=\"grid\" d=\"M%d %d.5h%d\"/>", l->left - 5, t->at - 1, l->width + 5);
		put_text(p, "tick", right, t->at + 4, t->label);
	}
	if (l->above[0])
		put_text(p, "tick", right, l->top + 10, l->above);
	if (l->below[0])
		put_text(p, "tick", right, l->top + l->height - 2, l->below);
	out_printf(p->o, "<text class=\"name\" transform=\"translate(%d %d) rotate(-90)\">", HEAT_AXIS_NAME - 8, middle);
	put(p, p->w->y_axis);
	out_printf(p->o, " (%s%s)", heat_unit_symbol(l->unit), p->h->is_log ? ", log scale" : "");
	out_str(p->o, "</text></g>\n");
}

static void put_x_axis(const struct picture *p)
{
	const struct heat_layout *l = &p->l;
	int32_t bottom = l->top + l->height;

	out_str(p->o, "<g class=\"axis x\">\n");
	for (uint32_t i = 0; i < l->x_ticks.nr; i++) {
		out_printf(p->o, "<path class=\"mark\" d=\"M%d.5 %dv5\"/>", l->x_ticks.v[i].at, bottom);
		put_text(p, "tick", l->x_ticks.v[i].at, bottom + 18, l->x_ticks.v[i].label);
	}
	out_printf(p->o, "<text class=\"name\" x=\"%d\" y=\"%d\">", l->left + l->width / 2, bottom + 37);
	put(p, p->w->x_axis);
	out_printf(p->o, " (%s)</text></g>\n", heat_unit_symbol(l->time_unit));
}

/* "1.2 – 1.4 ms", or what lies outside of the rows. */
static void put_value_range(const struct picture *p, uint32_t row)
{
	const struct heat *h = p->h;
	char low[HEAT_LABEL_SIZE], high[HEAT_LABEL_SIZE];
	uint64_t from, to;

	if (row == HEAT_ABOVE(h) || row == HEAT_BELOW(h)) {
		from = row == HEAT_ABOVE(h) ? h->edges.v[h->nr_rows] - 1 : h->edges.v[0];
		heat_unit_text(low, from, p->l.unit, 1);
		out_printf(p->o, "%s %s", row == HEAT_ABOVE(h) ? "above" : "below", low);
		return;
	}
	from = h->edges.v[row];
	to = h->edges.v[row + 1];
	heat_unit_text(low, from, p->l.unit, to - from);
	heat_unit_text(high, to, p->l.unit, to - from);
	out_printf(p->o, "%s – %s", low, high);
}

static void put_time_range(const struct picture *p, uint32_t column, uint32_t row)
{
	const struct heat *h = p->h;
	char low[HEAT_LABEL_SIZE], high[HEAT_LABEL_SIZE];
	uint64_t from = h->column_ns * column, to = from + h->column_ns;

	heat_unit_text(low, from, p->l.time_unit, h->column_ns);
	heat_unit_text(high, to, p->l.time_unit, h->column_ns);
	out_printf(p->o, "%s – %s", low, high);
	/* What to give to --time to see the same in another view: both ends are inside there. */
	from += h->start_ns;
	to += h->start_ns - 1;
	if (h->options.is_offset && h->column_ns == HEAT_SECOND_NS) {
		to = from + h->edges.v[row + 1] - 1;
		from += h->edges.v[row];
	}
	heat_unit_exact(low, from, HEAT_UNIT_S);
	heat_unit_exact(high, to, HEAT_UNIT_S);
	out_printf(p->o, "\n--time %s,%s", low, high);
}

static void put_cell(const struct picture *p, const struct heat_cell *c, uint64_t in_column)
{
	bool is_outside = c->row >= p->h->nr_rows;
	char things[32];
	size_t len = strlen(p->w->things);

	/* One pair, two pairs. */
	snprintf(things, sizeof(things), "%.*s", (int)(c->count == 1 && len ? len - 1 : len), p->w->things);
	out_printf(p->o, "<rect class=\"c%u\" data-r=\"%u\" y=\"%d\" width=\"%d\" height=\"%d\"><title>", c->level,
		   is_outside ? (c->row == HEAT_ABOVE(p->h) ? p->h->nr_rows + 1 : 0) : c->row + 1, c->y, p->l.cell_width,
		   is_outside ? 12 : p->l.cell_height);
	svg_text_count(p->o, c->count);
	out_printf(p->o, " %s, %.1f%% of the column\n%s ", things, 100.0 * c->count / (double)in_column, p->w->y_axis);
	put_value_range(p, c->row);
	out_printf(p->o, "\n%s ", p->w->x_axis);
	put_time_range(p, c->column, c->row);
	out_str(p->o, "</title></rect>\n");
}

static void put_cells(const struct picture *p)
{
	const struct heat_layout *l = &p->l;
	uint32_t end;

	out_printf(p->o, "<rect class=\"plot\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n", l->left, l->rows_top, l->width,
		   l->cell_height * (int32_t)p->h->nr_rows);
	put_y_axis(p);
	out_printf(p->o, "<g class=\"cells\" tabindex=\"0\" role=\"application\" aria-label=\"cells: arrow keys move\">\n");
	for (uint32_t i = 0; i < l->cells.nr; i = end) {
		uint64_t sum = 0;

		for (end = i; end < l->cells.nr && l->cells.v[end].column == l->cells.v[i].column; end++)
			sum += l->cells.v[end].count;
		out_printf(p->o, "<g data-c=\"%u\" transform=\"translate(%d 0)\">\n", l->cells.v[i].column,
			   l->left + (int32_t)l->cells.v[i].column * l->cell_width);
		for (uint32_t k = i; k < end; k++)
			put_cell(p, &l->cells.v[k], sum);
		out_str(p->o, "</g>\n");
	}
	out_str(p->o, "</g>\n");
}

static void put_lines(const struct picture *p)
{
	const struct heat_layout *l = &p->l;
	int32_t right = l->left + l->width;

	out_str(p->o, "<g class=\"lines\">\n");
	for (uint32_t i = 0; i < l->nr_lines; i++) {
		const struct heat_line *line = &l->lines[i];

		out_printf(p->o, "<path class=\"halo\" d=\"M%d %dH%d\"/><path d=\"M%d %dH%dL%d %d\"/>", l->left, line->y, right, l->left,
			   line->y, right + 3, right + 12, line->label_y);
		put_text(p, "rank", right + HEAT_LINE_GAP, line->label_y + 4, line->label);
	}
	out_str(p->o, "</g>\n");
}

/* The colour scale: steps with the fewest that they stand for, and from where to where all of it goes. */
static void put_legend(const struct picture *p, int32_t y)
{
	const struct heat_layout *l = &p->l;
	int32_t x = l->left;

	out_str(p->o, "<g class=\"legend\">\n");
	for (uint32_t i = 0; i < l->nr_steps; i++) {
		const struct heat_step *s = &l->steps[i];

		out_printf(p->o, "<rect class=\"c%u\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"12\"/>", s->level, x, y, HEAT_STEP_WIDTH);
		if (i % l->label_every == 0) {
			out_printf(p->o, "<text class=\"step\" x=\"%d\" y=\"%d\">", x + 1, y + 25);
			svg_text_count(p->o, s->from);
			out_str(p->o, "</text>");
		}
		out_char(p->o, '\n');
		x += HEAT_STEP_WIDTH;
	}
	out_printf(p->o, "<text class=\"unit\" x=\"%d\" y=\"%d\">%s in a cell", x + 12, y + 10, p->w->things);
	if (p->h->max_count > p->h->min_count) {
		out_str(p->o, ", from ");
		svg_text_count(p->o, p->h->min_count);
		out_str(p->o, " to ");
		svg_text_count(p->o, p->h->max_count);
	}
	out_str(p->o, "</text></g>\n");
}

void heat_svg(struct out *o, const struct heat *h, const struct heat_words *w, const struct heat_svg_options *opts)
{
	static const char *const scripts[] = { "heat.js", NULL };
	struct heat_layout_options layout = {
		.unit = opts->unit,
		.colours = opts->colours,
		.left = LEFT,
		.right = RIGHT,
		.has_percentiles = !h->options.is_offset,
	};
	struct page page = { .kind = "heat", .title = w->title, .subtitle = w->subtitle, .pad = PAD };
	struct picture p = { .o = &page.body, .h = h, .w = w };

	/* How many lines the heading takes depends on the width, which the labels of the layout decide. */
	heat_layout_build(&p.l, h, &layout);
	page.width = p.l.left + p.l.width + p.l.right;
	page_begin(&page);
	heat_layout_fini(&p.l);
	layout.top = page.y + 11;
	heat_layout_build(&p.l, h, &layout);
	page.y = layout.top + p.l.height + AXIS;
	if (h->nr_rows) {
		put_cells(&p);
		put_x_axis(&p);
		put_lines(&p);
		put_legend(&p, page.y + 12);
	} else {
		put_text(&p, "empty", LEFT, layout.top + 40, "nothing to show");
	}
	page.y += LEGEND + 30;
	page_notes(&page, w->notes, w->nr_notes);
	out_str(p.o, "<g class=\"focus\"/>\n");
	page_put(&page, o);
	page_script(&page, o, scripts);
	heat_layout_fini(&p.l);
}
