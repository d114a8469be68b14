/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The words around a flame graph, and its way into a file.
 */
#include "cmd/flame.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "cmd/output_file.h"
#include "view/flame_svg.h"
#include "view/quality_text.h"
#include "view/page.h"

#define MAX_NOTES 7
#define MANY_FRAMES 200000u /* more than that a browser takes seconds for */
#define MANY_ROWS 200u

const char *flame_draw_path(const struct flame_command *c)
{
	const char *path = c->output ? c->output : isatty(STDOUT_FILENO) ? FLAME_DRAW_FILE : NULL;

	return output_file_is_stdout(path) ? NULL : path;
}

/* Units of weight that are still drawn, by column; the caller frees. */
static uint64_t *least_of(const struct flame_command *c, const struct flame *f)
{
	double share = c->min_is_percent ? c->min_width / 100 : c->min_width / (double)(c->width > 120 ? c->width - 20 : 100);
	uint64_t *least = mem_zalloc(f->nr_columns * sizeof(*least));

	for (uint32_t i = 0; i < f->nr_columns; i++) {
		double units = ceil((double)f->sum[i] * (share < 1 ? share : 1));

		least[i] = units < 1 ? 1 : (uint64_t)units;
	}
	return least;
}

/* Filters */

/* " --comms app --cpu 0,1"; NULL where all passes; the caller frees. */
static char *filter_text(const struct flame_command *c)
{
	char *filters = input_filter_text(&c->in.filter);
	struct out o;

	if (!c->through.nr)
		return filters;
	out_init(&o, -1);
	out_str(&o, filters ? filters : "");
	for (uint32_t i = 0; i < c->through.nr; i++)
		out_printf(&o, "%s%s", i ? "," : " --through ", c->through.v[i]);
	out_char(&o, 0);
	free(filters);
	return o.buf; /* changes hands */
}

static int nothing_passes(const struct flame_command *c, const struct flame *f, uint32_t column, const char *filters, struct errbuf *eb)
{
	const char *of = c->is_diff ? c->sides.names.v[column] : "", *first = c->in.filter.symbols.nr ? c->in.filter.symbols.v[0] : "";

	if (f->nr_called)
		return errbuf_set(
			eb, -ENODATA,
			"no sample%s%s passes%s, so nothing was drawn: -S is the function that was running. %llu samples have %s among their "
			"callers: 'assay flame --through %s' draws those",
			*of ? " of " : "", of, filters, (unsigned long long)f->nr_called,
			c->in.filter.symbols.nr > 1 ? "one of them" : "it", first);
	return errbuf_set(eb, -ENODATA, "no sample%s%s passes%s, so nothing was drawn", *of ? " of " : "", of, filters);
}

/* An empty picture may be the truth of an idle machine, but not of a filter: that is a mistake in writing. */
static int check_empty(const struct flame_command *c, const struct flame *f, struct errbuf *eb)
{
	char *filters = filter_text(c);
	uint32_t column = 0;
	int err = 0;

	if (c->is_diff && !c->load.is_pair)
		column = flame_columns_check(f, &c->sides, &c->load, c->in.quiet);
	while (column < f->nr_columns && f->sum[column])
		column++;
	if (column < f->nr_columns) {
		if (filters)
			err = nothing_passes(c, f, column, filters, eb);
		else if (c->is_diff)
			log_warn("%s has no samples%s%s", c->sides.names.v[column], c->load.event ? " of " : "",
				 c->load.event ? c->load.event : "");
		else
			log_warn("this picture is empty: there are no samples%s%s", c->load.event ? " of " : "",
				 c->load.event ? c->load.event : "");
	}
	free(filters);
	return err;
}

/* Notes */

/* What a picture leaves out has to be said in it. */
static char *filter_note(const struct flame_command *c)
{
	char *filters = filter_text(c), *text = filters ? mem_printf("Part of the recording:%s", filters) : NULL;

	free(filters);
	return text;
}

static char *hidden_note(const struct flame *f)
{
	struct out o;
	char *text;

	if (!f->tree.nr_hidden)
		return NULL;
	out_init(&o, -1);
	svg_text_count(&o, f->tree.nr_hidden);
	out_char(&o, 0);
	text = mem_printf("%s frames are too narrow to be drawn (--min-width)", o.buf);
	out_fini(&o);
	return text;
}

static char *recursion_note(const struct flame_command *c)
{
	return c->load.options.collapses_recursion
		       ? mem_strdup("Recursive calls are drawn in the first frame of their function (--collapse-recursion)")
		       : NULL;
}

static char *quality_note(const struct flame_command *c)
{
	char line[QUALITY_LINE_SIZE];

	if (c->load.is_imported)
		return NULL;
	quality_line(&c->in.quality, line, sizeof(line));
	return mem_printf("Quality: %s", line);
}

static char *diff_note(const struct flame_diff *d)
{
	struct out o;

	out_init(&o, -1);
	flame_diff_basis(&o, d);
	out_char(&o, 0);
	return o.buf; /* changes hands */
}

/* Headings */

/* How much it is, of the columns [from, to): "1,234 samples", or where samples are not what counts, "98,765 us". */
static void put_amount(struct out *o, const struct flame_command *c, const struct flame *f, uint32_t from, uint32_t to)
{
	const uint64_t *of = c->load.is_sum ? f->sum : f->nr_samples;
	uint64_t sum = 0;

	for (uint32_t i = from; i < to; i++)
		sum += of[i];
	svg_text_scaled(o, sum, c->load.factor);
}

static const char *amount_unit(const struct flame_command *c)
{
	return c->load.is_sum ? c->load.unit : "samples";
}

static char *default_subtitle(const struct flame_command *c, const struct flame *f)
{
	const char *unit = amount_unit(c), *event = c->load.event_names;
	struct out o;

	out_init(&o, -1);
	put_amount(&o, c, f, 0, 1);
	out_printf(&o, " %s", unit);
	/* The event of what does not say is called "samples". */
	if (strcmp(event, "samples") && strcmp(event, unit))
		out_printf(&o, " of %s", event);
	if (c->load.command)
		out_printf(&o, " · %s", c->load.command);
	out_char(&o, 0);
	return o.buf; /* changes hands */
}

static const char *default_title(const struct flame_command *c)
{
	if (c->is_diff)
		return c->load.options.bottom_up ? "Differential flame graph, bottom-up" : "Differential flame graph";
	if (c->load.options.bottom_up)
		return c->inverted ? "Icicle graph, bottom-up" : "Flame graph, bottom-up";
	return c->inverted ? "Icicle graph" : "Flame graph";
}

/* Drawing */

/* What a browser is slow to open. */
static void warn_of_size(const struct flame_layout *l)
{
	struct out o;

	if (l->rects.nr <= MANY_FRAMES)
		return;
	out_init(&o, -1);
	svg_text_count(&o, l->rects.nr);
	out_str(&o, " frames in ");
	svg_text_count(&o, l->nr_rows);
	out_char(&o, 0);
	log_warn("the picture has %s rows, which a browser takes seconds to open: %s draws less", o.buf,
		 l->nr_rows > MANY_ROWS ? "--max-depth 200" : "--min-width 1");
	out_fini(&o);
}

static bool is_by_state(const struct flame_command *c)
{
	for (uint32_t i = 0; i < c->load.options.nr_by; i++)
		if (c->load.options.by[i] == FLAME_BY_STATE)
			return true;
	return false;
}

void flame_draw_put(const struct flame_command *c, const struct flame *f, const struct flame_diff *d, const char *nonce, struct out *o)
{
	char *subtitle = d ? flame_columns_title(f, &c->sides, &c->load) : default_subtitle(c, f);
	char *made[MAX_NOTES] = {
		c->note ? mem_strdup(c->note) : NULL,
		d ? sides_match_note(&c->sides) : NULL,
		d ? diff_note(d) : NULL,
		quality_note(c),
		filter_note(c),
		recursion_note(c),
		hidden_note(f),
	};
	const char *notes[MAX_NOTES];
	struct flame_svg_key keys[FLAME_STATE_KEYS];
	struct flame_svg_options opts = {
		.title = c->title ? c->title : default_title(c),
		.subtitle = c->subtitle ? c->subtitle : subtitle,
		.unit = c->load.unit,
		.factor = c->load.factor,
		.notes = notes,
		.nonce = nonce,
		.width = (uint32_t)c->width,
		.fixed_width = c->width_set,
		.inverted = c->inverted,
		.palette = c->palette,
	};
	struct flame_layout l;

	for (int i = 0; i < MAX_NOTES; i++)
		if (made[i])
			notes[opts.nr_notes++] = made[i];
	if (d)
		flame_diff_style(&opts, d);
	else if (is_by_state(c) && c->palette == FLAME_PALETTE_HOT)
		flame_state_style(&opts, keys, f);
	flame_layout_build(&l, f, d ? flame_diff_width : flame_width_first, d, 0);
	warn_of_size(&l);
	flame_svg(o, f, &l, &opts);
	flame_layout_fini(&l);
	for (int i = 0; i < MAX_NOTES; i++)
		free(made[i]);
	free(subtitle);
}

static void say_written(const struct flame_command *c, const struct flame *f, const char *path)
{
	uint32_t nr_base = c->is_diff ? sides_count(&c->sides, 0) : f->nr_columns;
	struct out o;

	out_init(&o, -1);
	put_amount(&o, c, f, 0, nr_base);
	if (c->is_diff) {
		out_str(&o, " → ");
		put_amount(&o, c, f, nr_base, f->nr_columns);
	}
	out_printf(&o, " %s in ", amount_unit(c));
	svg_text_count(&o, f->tree.nodes.nr);
	out_char(&o, 0);
	log_warn("wrote %s: %s frames; open it in a browser", path, o.buf);
	out_fini(&o);
}

static int write_picture(const struct flame_command *c, const struct flame *f, const struct flame_diff *d, struct errbuf *eb)
{
	const char *path = flame_draw_path(c);
	struct output_file file;
	struct out o;
	int err = output_file_open(&file, path, eb);

	if (err)
		return err;
	out_init(&o, file.fd);
	flame_draw_put(c, f, d, NULL, &o);
	err = output_file_close(&file, out_fini(&o), eb);
	if (!err && path)
		say_written(c, f, path);
	return err;
}

/* --total: what is not in the stacks stands beside them. */
static void fill_up(const struct flame_command *c, struct flame *f)
{
	for (uint32_t i = 0; c->total && i < f->nr_columns; i++) {
		if (c->total < f->sum[i])
			log_warn("--total %llu is less than the sum of %llu and was left out", (unsigned long long)c->total,
				 (unsigned long long)f->sum[i]);
		else if (c->total > f->sum[i])
			flame_add_path(f, i, NULL, 0, c->total - f->sum[i], 0);
	}
}

/* Which programs are compared as one, for readers of the terminal. */
static void say_paired(const struct flame_command *c)
{
	char *note = c->is_diff && !c->in.quiet ? sides_match_note(&c->sides) : NULL;

	if (note)
		log_warn("%s", note);
	free(note);
}

int flame_draw_match(struct flame_command *c, struct flame *f, struct errbuf *eb)
{
	int err = check_empty(c, f, eb);

	if (err)
		return err;
	fill_up(c, f);
	say_paired(c);
	flame_match(f, &c->sides.match);
	return 0;
}

void flame_draw_finish(const struct flame_command *c, struct flame *f, struct flame_diff *d)
{
	uint64_t *least = least_of(c, f);

	memset(d, 0, sizeof(*d));
	flame_finish(f, least);
	free(least);
	if (!c->is_diff)
		return;
	flame_diff_init(d, f, sides_count(&c->sides, 0), c->absolute);
	d->unit = c->load.unit;
	d->factor = c->load.factor;
	d->negated = c->negated;
}

int flame_draw(struct flame_command *c, struct flame *f, struct errbuf *eb)
{
	struct flame_diff d;
	int err = flame_draw_match(c, f, eb);

	if (err)
		return err;
	flame_draw_finish(c, f, &d);
	err = write_picture(c, f, c->is_diff ? &d : NULL, eb);
	flame_diff_fini(&d);
	return err;
}
