/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Rows of an annotated function in the columns of `perf annotate --stdio`; line numbers are those of the source.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "abi/attr.h"
#include "base/escape.h"
#include "view/annotate.h"
#include "view/page.h"

#define MIN_SHOWN 0.5 /* percent: of lines in the summary, and of instructions whose line is named */
#define HOT 5.0	      /* percent */
#define BYTES_IN_ROW 7
#define TITLE_TAB 7   /* columns that the title's tab takes at most, besides itself */
#define LEAST_NAME 12 /* letters of a name that is shortened */

double annotate_share(const struct annotate_options *o, const struct annotation_list *l, const struct annotation *a, uint32_t event,
		      const struct annotation_sum *sum)
{
	const struct annotation_sum *whole = o->percent_type == LOCAL_PERIOD || o->percent_type == LOCAL_HITS ? &a->sums[event]
													      : &l->totals[event];
	bool by_period = o->percent_type == LOCAL_PERIOD || o->percent_type == GLOBAL_PERIOD;
	uint64_t part = !sum ? 0 : by_period ? sum->period : sum->nr, all = by_period ? whole->period : whole->nr;

	return all ? 100.0 * (double)part / (double)all : 0;
}

const char *annotate_skid(const struct attr *attr)
{
	if (attr->type == ATTR_TYPE_SOFTWARE && (attr->config == CONFIG_CPU_CLOCK || attr->config == CONFIG_TASK_CLOCK))
		return "a timer samples where the program is interrupted: the time may have been taken by the instruction before the one shown";
	if ((attr->type == ATTR_TYPE_HARDWARE || attr->type == ATTR_TYPE_HW_CACHE || attr->type == ATTR_TYPE_RAW) && !attr_precise_ip(attr))
		return "samples of this event are some instructions late (skid): record it with ':p' or ':pp' behind its name where the CPU can";
	return NULL;
}

struct text_view {
	struct out *o;
	const struct annotate_options *opts;
	const struct annotation_list *l;
	const struct annotation *a;
	const struct annotate_events *events;
	struct annotation_lanes lanes;
	int width; /* of the columns of figures */
	int addr_digits;
	struct out line; /* the one at hand */
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int figure_width(const struct annotate_options *o)
{
	return o->show_period && !o->show_samples ? 12 : 8;
}

static void put_figures(struct text_view *v, const struct annotation_sum *sums)
{
	for (uint32_t e = v->events->first; e < v->events->first + v->events->nr; e++) {
		const struct annotation_sum *sum = sums ? &sums[e] : NULL;
		double share = annotate_share(v->opts, v->l, v->a, e, sum);

		if (v->opts->colour && share >= MIN_SHOWN)
			out_str(&v->line, share >= HOT ? "\33[31m" : "\33[32m");
		if (v->opts->show_samples)
			out_printf(&v->line, "%8llu", sum ? (unsigned long long)sum->nr : 0ull);
		else if (v->opts->show_period)
			out_printf(&v->line, "%12llu", sum ? (unsigned long long)sum->period : 0ull);
		else
			out_printf(&v->line, "%8.2f", share);
		if (v->opts->colour && share >= MIN_SHOWN)
			out_str(&v->line, "\33[m");
	}
	out_str(&v->line, " :");
}

static double hottest_share(const struct text_view *v, const struct annotation_sum *sums)
{
	double most = 0;

	for (uint32_t e = v->events->first; sums && e < v->events->first + v->events->nr; e++) {
		double share = annotate_share(v->opts, v->l, v->a, e, &sums[e]);

		most = share > most ? share : most;
	}
	return most;
}

static void put_arrows(struct text_view *v, uint32_t insn)
{
	static const char *const ascii[] = { "  ", "| ", ".-", "'-", "--", "+-", "> " };
	static const char *const boxes[] = { "  ", "\u2502 ", "\u250c\u2500", "\u2514\u2500", "\u2500\u2500", "\u253c\u2500", "\u25b8 " };
	uint8_t cells[ANNOTATION_MAX_LANES + 1];

	if (!v->opts->arrows || !v->lanes.nr_lanes)
		return;
	annotation_lanes_cells(&v->lanes, insn, cells);
	for (uint32_t i = 0; i <= v->lanes.nr_lanes; i++)
		out_str(&v->line, v->opts->utf8 ? boxes[cells[i]] : ascii[cells[i]]);
}

/* "   1040:   ": text begins at the next column of eight behind the address. */
static void put_address(struct text_view *v, uint64_t vaddr)
{
	int len;

	out_str(&v->line, "   ");
	out_hex(&v->line, vaddr, v->addr_digits);
	out_char(&v->line, ':');
	len = v->addr_digits + 1;
	out_spaces(&v->line, 8 - len % 8);
}

static void put_bytes(struct text_view *v, const struct annotation_insn *insn, uint8_t at)
{
	const uint8_t *code = v->a->bytes + (insn->addr - v->a->start);
	uint8_t end = (uint8_t)(insn->size - at > BYTES_IN_ROW ? at + BYTES_IN_ROW : insn->size);

	for (uint8_t i = at; i < end; i++)
		out_printf(&v->line, "%s%02x", i > at ? " " : "", code[i]);
	if (!at)
		out_spaces(&v->line, 24 - 3 * end + 1);
}

static void put_insn(struct text_view *v, const struct annotation_row *row)
{
	const struct annotation_insn *insn = &v->a->insns.v[row->index];
	const struct annotation_place *place = insn->nr_places ? &v->a->places.v[insn->first_place] : NULL;

	put_figures(v, insn->sums);
	put_arrows(v, row->index);
	put_address(v, insn->vaddr);
	if (v->opts->rows.with_bytes)
		put_bytes(v, insn, 0);
	escape_terminal(&v->line, row->text, row->len);
	if (v->opts->line_summary && place && place->file && place->line && hottest_share(v, insn->sums) >= MIN_SHOWN) {
		const char *file = v->opts->full_paths ? place->file : base_name(place->file);

		out_str(&v->line, " // ");
		escape_terminal_str(&v->line, file);
		out_printf(&v->line, ":%u", place->line);
	}
}

/* Source has tabs, which the columns in front would move; they go to each eighth column of the source. */
static void put_source(struct out *o, const char *s, size_t len)
{
	size_t column = 0;

	while (len) {
		const char *tab = memchr(s, '\t', len);
		size_t part = tab ? (size_t)(tab - s) : len;

		escape_terminal(o, s, part);
		for (size_t i = 0; i < part; i++)
			column += (s[i] & 0xc0) != 0x80;
		if (tab) {
			out_spaces(o, 8 - (int)(column % 8));
			column += 8 - column % 8;
		}
		s += part + (tab != NULL);
		len -= part + (tab != NULL);
	}
}

static void put_plain(struct text_view *v, const struct annotation_row *row)
{
	out_spaces(&v->line, v->width);
	out_char(&v->line, ':');
	if (row->kind == ANNOTATION_BLANK)
		return;
	if (row->line && row->kind == ANNOTATION_SOURCE)
		out_printf(&v->line, " %-*u ", v->addr_digits, row->line);
	else
		out_spaces(&v->line, row->kind == ANNOTATION_NOTE ? 1 : v->addr_digits + 2);
	if (row->kind == ANNOTATION_SOURCE)
		put_source(&v->line, row->text, row->len);
	else
		escape_terminal(&v->line, row->text, row->len);
	if (row->kind == ANNOTATION_LINE)
		out_printf(&v->line, ":%u", row->line);
}

/* Cuts a row where the screen ends; characters of several bytes are one. Colours have no width. */
static size_t cut_at(const char *s, size_t len, int width)
{
	int columns = 0;

	for (size_t i = 0; i < len; i++) {
		if (s[i] == '\33') {
			while (i < len && s[i] != 'm')
				i++;
			continue;
		}
		columns += (s[i] & 0xc0) != 0x80;
		if (columns > width)
			return i;
	}
	return len;
}

/* Letters of a line; colours are none. */
static int nr_letters(const char *s, size_t len)
{
	int nr = 0;

	for (size_t i = 0; i < len; i++) {
		if (s[i] == '\33') {
			while (i < len && s[i] != 'm')
				i++;
			continue;
		}
		nr += (s[i] & 0xc0) != 0x80;
	}
	return nr;
}

/* The name at [from, to) of the line gets what the rest leaves. */
static void shorten_name(struct text_view *v, size_t from, size_t to)
{
	int room = v->opts->width - nr_letters(v->line.buf, from) - nr_letters(v->line.buf + to, v->line.len - to);
	char *line = mem_strndup(v->line.buf, v->line.len);
	size_t len = v->line.len;

	v->line.len = from;
	label_shorten_text(&v->line, line + from, to - from, room > LEAST_NAME ? (size_t)room : LEAST_NAME, !v->opts->utf8);
	out_mem(&v->line, line + to, len - to);
	free(line);
}

/* "je 1042 <acme::Tree<int>::find+0x10>": without the offset, which stays. */
static void shorten_target(struct text_view *v)
{
	const char *line = v->line.buf, *open = memmem(line, v->line.len, " <", 2), *end = memrchr(line, '>', v->line.len), *offset = end;

	if (!open || open + 2 >= end)
		return;
	open += 2;
	while (offset > open && isxdigit((unsigned char)offset[-1]))
		offset--;
	offset = offset - open > 3 && !memcmp(offset - 3, "+0x", 3) ? offset - 3 : end;
	shorten_name(v, (size_t)(open - line), (size_t)(offset - line));
}

/* Of a line that is too long, the name of the function. */
static void fit_line(struct text_view *v, const struct annotation_row *row)
{
	size_t from, behind = sizeof("():") - 1;

	if (!v->opts->width || !v->opts->utf8 || nr_letters(v->line.buf, v->line.len) <= v->opts->width)
		return;
	if (row->kind == ANNOTATION_INSN || row->kind == ANNOTATION_HEAD)
		shorten_target(v);
	if (row->kind != ANNOTATION_FUNCTION || v->line.len < behind || memcmp(v->line.buf + v->line.len - behind, "():", behind) != 0)
		return;
	from = (size_t)v->width + 1; /* blanks, ':' */
	while (from < v->line.len && v->line.buf[from] == ' ')
		from++;
	if (from < v->line.len - behind)
		shorten_name(v, from, v->line.len - behind);
}

static void make_line(struct text_view *v, const struct annotation_row *row)
{
	v->line.len = 0;
	switch ((enum annotation_row_kind)row->kind) {
	case ANNOTATION_INSN:
		put_insn(v, row);
		break;
	case ANNOTATION_BYTES:
		put_figures(v, NULL);
		put_arrows(v, row->index);
		put_address(v, v->a->insns.v[row->index].vaddr + row->at);
		put_bytes(v, &v->a->insns.v[row->index], row->at);
		break;
	case ANNOTATION_ADDRESS:
		put_figures(v, v->a->points.v[row->index].sums);
		put_address(v, v->a->points.v[row->index].addr);
		break;
	default:
		put_plain(v, row);
		break;
	}
	while (v->line.len && v->line.buf[v->line.len - 1] == ' ')
		v->line.len--;
	fit_line(v, row);
}

static void put_row(struct text_view *v, const struct annotation_row *row)
{
	make_line(v, row);
	out_mem(v->o, v->line.buf, v->opts->width ? cut_at(v->line.buf, v->line.len, v->opts->width) : v->line.len);
	out_char(v->o, '\n');
}

static void put_event(const struct text_view *v)
{
	const struct perfdata_info *info = v->a->p->recording->info;
	const char *group = v->events->group;

	if (v->events->nr == 1) {
		escape_terminal_str(v->o, info->events.v[v->events->first].name);
		return;
	}
	/* Of a group that has a name, or was given none by perf; else they are together because that was asked for. */
	if (group)
		escape_terminal_str(v->o, !*group || !strcmp(group, "{anon_group}") ? "anon group" : group);
	if (group)
		out_str(v->o, " { ");
	for (uint32_t i = 0; i < v->events->nr; i++) {
		if (i)
			out_str(v->o, ", ");
		escape_terminal_str(v->o, info->events.v[v->events->first + i].name);
	}
	if (group)
		out_str(v->o, " }");
}

static void put_title(struct text_view *v)
{
	static const char *const types[] = { "local period", "global period", "local hits", "global hits" };
	const struct dso *d = profile_dso(v->a->p, v->a->dso);
	const char *what = v->opts->show_samples ? "Samples" : v->opts->show_period ? "Period" : "Percent";
	struct out title;

	out_init(&title, -1);
	out_printf(&title, " %-*s|\tSource code & Disassembly of ", v->width - 1, what);
	escape_terminal_str(&title, v->opts->full_paths ? d->path : d->short_name);
	out_str(&title, " for ");
	struct text_view in_title = *v;
	in_title.o = &title;
	put_event(&in_title);
	out_printf(&title, " (%llu samples, percent: %s)", (unsigned long long)v->a->sums[v->events->first].nr,
		   types[v->opts->percent_type]);
	out_mem(v->o, title.buf, v->opts->width ? cut_at(title.buf, title.len, v->opts->width - TITLE_TAB) : title.len);
	out_char(v->o, '\n');
	for (size_t i = 0; i < title.len + 5 && (!v->opts->width || i < (size_t)v->opts->width); i++)
		out_char(v->o, '-');
	out_char(v->o, '\n');
	out_fini(&title);
}

static void put_line_summary(struct text_view *v)
{
	struct annotation_line_sums lines;
	const struct dso *d = profile_dso(v->a->p, v->a->dso);

	annotation_line_sums_init(&lines, v->a, v->events->first, v->events->nr);
	out_str(v->o, "\nSorted summary for file ");
	escape_terminal_str(v->o, d->path);
	out_char(v->o, '\n');
	for (size_t i = 0; i < strlen("Sorted summary for file ") + strlen(d->path) + 2; i++)
		out_char(v->o, '-');
	out_str(v->o, "\n\n");
	for (uint32_t i = 0; i < lines.v.nr; i++) {
		const struct annotation_line_sum *s = &lines.v.v[i];

		if (hottest_share(v, s->sums) < MIN_SHOWN)
			continue;
		for (uint32_t e = v->events->first; e < v->events->first + v->events->nr; e++)
			out_printf(v->o, "%8.2f", annotate_share(v->opts, v->l, v->a, e, &s->sums[e]));
		out_char(v->o, ' ');
		escape_terminal_str(v->o, v->opts->full_paths ? s->file : base_name(s->file));
		out_printf(v->o, ":%u\n", s->line);
	}
	annotation_line_sums_fini(&lines);
}

static int digits_of(uint64_t v)
{
	int nr = 1;

	while (v >>= 4)
		nr++;
	return nr;
}

static int address_digits(const struct annotation *a)
{
	int nr = digits_of(a->insns.nr ? a->insns.v[a->insns.nr - 1].vaddr : a->end);

	return nr < 4 ? 4 : nr;
}

struct annotate_lines {
	struct text_view v;
};

struct annotate_lines *annotate_lines_new(const struct annotate_options *opts, const struct annotation_list *l, const struct annotation *a,
					  const struct annotate_events *events)
{
	struct annotate_lines *w = mem_zalloc(sizeof(*w));

	w->v = (struct text_view){ NULL, opts, l, a, events, .width = figure_width(opts) * (int)events->nr + 1 };
	w->v.addr_digits = address_digits(a);
	out_init(&w->v.line, -1);
	annotation_lanes_init(&w->v.lanes, a);
	return w;
}

void annotate_lines_free(struct annotate_lines *w)
{
	if (!w)
		return;
	annotation_lanes_fini(&w->v.lanes);
	out_fini(&w->v.line);
	free(w);
}

const char *annotate_lines_row(struct annotate_lines *w, const struct annotation_row *row, size_t *len)
{
	make_line(&w->v, row);
	*len = w->v.line.len;
	return w->v.line.buf;
}

double annotate_lines_share(const struct annotate_lines *w, const struct annotation_row *row)
{
	const struct annotation *a = w->v.a;

	return row->kind == ANNOTATION_INSN	 ? hottest_share(&w->v, a->insns.v[row->index].sums)
	       : row->kind == ANNOTATION_ADDRESS ? hottest_share(&w->v, a->points.v[row->index].sums)
						 : 0;
}

void annotate_text(struct out *o, const struct annotate_options *opts, const struct annotation_list *l, const struct annotation *a,
		   const struct annotate_events *events)
{
	struct text_view v = { o, opts, l, a, events, .width = figure_width(opts) * (int)events->nr + 1 };
	struct annotation_row_options row_options = opts->rows;
	struct annotation_rows rows;

	row_options.event = events->first;
	annotation_rows_init(&rows, a, &row_options);
	v.addr_digits = address_digits(a);
	out_init(&v.line, -1);
	if (opts->arrows)
		annotation_lanes_init(&v.lanes, a);
	if (opts->line_summary && a->insns.nr)
		put_line_summary(&v);
	put_title(&v);
	for (uint32_t i = 0; i < rows.v.nr && !o->error; i++)
		put_row(&v, &rows.v.v[i]);
	for (uint32_t i = 0; i < rows.notes.nr; i++) {
		out_str(o, "# ");
		escape_terminal_str(o, rows.notes.v[i]);
		out_char(o, '\n');
	}
	if (a->cut)
		out_printf(o, "# %s\n", a->cut);
	annotation_lanes_fini(&v.lanes);
	annotation_rows_fini(&rows);
	out_fini(&v.line);
}
