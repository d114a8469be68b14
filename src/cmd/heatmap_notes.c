/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Sentences and named counts: what a heat map has to say of what it could not draw.
 */
#include "cmd/heatmap_notes.h"

#include <string.h>

#include "base/escape.h"
#include "view/svg_text.h"

/* Keeps a text and gives it back. */
static const char *keep(struct heatmap_load *l, struct out *o)
{
	out_char(o, 0);
	l->texts[l->nr_texts] = mem_strdup(o->buf);
	out_fini(o);
	return l->texts[l->nr_texts++];
}

void heatmap_subtitle(struct heatmap_load *l, struct out *o)
{
	l->words.subtitle = keep(l, o);
}

static void add_note(struct heatmap_load *l, struct out *o)
{
	if (o->len && l->words.nr_notes < HEAT_MAX_NOTES)
		l->words.notes[l->words.nr_notes++] = keep(l, o);
	else
		out_fini(o);
}

static void add_count(struct heatmap_load *l, const char *name, uint64_t nr)
{
	l->counts[l->nr_counts++] = (struct heatmap_count){ name, nr };
}

void heatmap_put_number(struct out *o, uint64_t nr, const char *what)
{
	size_t len = strlen(what);

	svg_text_count(o, nr);
	if (nr != 1 && what[len - 1] == 'y')
		out_printf(o, " %.*sies", (int)len - 1, what);
	else
		out_printf(o, " %s%s", what, nr == 1 ? "" : "s");
}

/* "3 begins without an end, 1 end without …": parts that are zero stay out. */
static void put_part(struct out *o, uint64_t nr, const char *what, const char *how)
{
	if (!nr)
		return;
	if (o->len)
		out_str(o, ", ");
	heatmap_put_number(o, nr, what);
	out_printf(o, " %s", how);
}

/* A note that what is drawn is not all of the recording. */
void heatmap_note_filters(struct heatmap_load *l, const struct filter *f, bool has_filter, uint64_t nr_left_out)
{
	struct out o;

	add_count(l, "left_out_by_filters", nr_left_out);
	if (!has_filter)
		return;
	out_init(&o, -1);
	out_str(&o, "Part of the recording:");
	for (uint32_t i = 0; i < f->comms.nr; i++)
		out_printf(&o, "%s%s", i ? "," : " --comms ", f->comms.v[i]);
	for (uint32_t i = 0; i < f->pids.nr; i++)
		out_printf(&o, "%s%d", i ? "," : " --pid ", f->pids.v[i]);
	for (uint32_t i = 0; i < f->tids.nr; i++)
		out_printf(&o, "%s%d", i ? "," : " --tid ", f->tids.v[i]);
	for (uint32_t i = 0; i < f->cpus.nr; i++)
		out_printf(&o, "%s%u", i ? "," : " --cpu ", f->cpus.v[i]);
	for (uint32_t i = 0; i < f->symbols.nr; i++)
		out_printf(&o, "%s%s", i ? "," : " --symbols ", f->symbols.v[i]);
	if (f->time_arg)
		out_printf(&o, " --time %s", f->time_arg);
	out_str(&o, " (");
	heatmap_put_number(&o, nr_left_out, l->kind == HEATMAP_PAIRS ? "pair" : "sample");
	out_str(&o, " left out)");
	add_note(l, &o);
}

/* What a recording lost; a pair needs both of its events. */
void heatmap_note_quality(struct heatmap_load *l)
{
	const struct session *s = l->session;
	uint64_t lost = session_lost(s);
	struct out o;

	out_init(&o, -1);
	out_str(&o, "Quality: ");
	svg_text_count(&o, lost);
	out_str(&o, " lost, ");
	svg_text_count(&o, s->stats.nr_throttled);
	out_str(&o, " throttled");
	if (lost && l->kind == HEATMAP_PAIRS)
		out_str(&o, "; where an event was lost its pair is missing, or made of two that do not belong together");
	add_note(l, &o);
}

void heatmap_note_start(struct heatmap_load *l)
{
	uint64_t first = UINT64_MAX;
	char text[HEAT_LABEL_SIZE];
	struct out o;

	for (uint32_t i = 0; i < l->heat->points.nr; i++)
		if (l->heat->points.v[i].time_ns < first)
			first = l->heat->points.v[i].time_ns;
	if (!l->heat->points.nr)
		return;
	if (l->kind == HEATMAP_OFFSETS)
		first -= first % HEAT_SECOND_NS;
	heat_unit_exact(text, first, HEAT_UNIT_S);
	out_init(&o, -1);
	out_printf(&o, "Time 0 is %s s %s", text, l->session ? "of the recording's clock" : "in the lines");
	add_note(l, &o);
}

void heatmap_note_pairs(struct heatmap_load *l, const struct latency *lat)
{
	const struct pairing *p = &lat->pairing;
	struct out o;

	add_count(l, "begins", lat->nr_begins);
	add_count(l, "ends", lat->nr_ends);
	add_count(l, "begins_without_end", p->nr_open);
	add_count(l, "ends_without_begin", p->nr_ends_alone);
	add_count(l, "begins_replaced", p->nr_replaced);
	add_count(l, "begins_given_up", p->nr_given_up);
	add_count(l, "ends_before_begin", p->nr_backwards);
	add_count(l, "events_without_key", lat->nr_keyless);
	out_init(&o, -1);
	put_part(&o, p->nr_open, "begin", "without an end");
	put_part(&o, p->nr_ends_alone, "end", "without a begin");
	put_part(&o, p->nr_replaced, "begin", "replaced by another of the same key before an end came");
	put_part(&o, p->nr_given_up, "begin", "given up: too many waited at the same time");
	put_part(&o, p->nr_backwards, "end", "older than the begin");
	put_part(&o, lat->nr_keyless, "event", "without the key's fields");
	if (!o.len)
		out_str(&o, "every begin has its end");
	out_str(&o, "; ");
	heatmap_put_number(&o, lat->nr_begins, "begin");
	out_str(&o, " and ");
	heatmap_put_number(&o, lat->nr_ends, "end");
	out_str(&o, " in all");
	add_note(l, &o);
}

void heatmap_note_lines(struct heatmap_load *l, const struct latency_lines *lines)
{
	struct out o;

	add_count(l, "lines", lines->nr_lines);
	add_count(l, "comments", lines->nr_comments);
	add_count(l, "bad_lines", lines->nr_bad);
	add_count(l, "first_bad_line", lines->first_bad);
	if (!lines->nr_bad)
		return;
	out_init(&o, -1);
	heatmap_put_number(&o, lines->nr_bad, "line");
	out_printf(&o, " without a time and a latency skipped, the first is line %llu: ", (unsigned long long)lines->first_bad);
	escape_terminal(&o, lines->first_bad_text, strlen(lines->first_bad_text));
	add_note(l, &o);
}

void heatmap_note_outside(struct heatmap_load *l)
{
	const struct heat *h = l->heat;
	char text[HEAT_LABEL_SIZE];
	struct out o;

	out_init(&o, -1);
	if (h->nr_above) {
		heat_unit_text(text, h->edges.v[h->nr_rows] - 1, HEAT_UNIT_AUTO, 1);
		heatmap_put_number(&o, h->nr_above, "latency");
		out_printf(&o, " above %s (--max): the row on top", text);
	}
	if (h->nr_below) {
		heat_unit_text(text, h->edges.v[0], HEAT_UNIT_AUTO, 1);
		out_str(&o, o.len ? "; " : "");
		heatmap_put_number(&o, h->nr_below, "latency");
		out_printf(&o, " below %s (--min): the row at the bottom", text);
	}
	add_note(l, &o);
}
