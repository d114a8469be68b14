/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Sentences and named counts: what a heat map has to say of what it could not draw.
 */
#include "cmd/heatmap.h"

#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "view/page.h"

#define REPLACED_SHARE 20 /* one of so many begins: more are no accident */

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

/* ", 3 begins without an end": parts that are zero stay out. */
static void put_part(struct out *o, uint64_t nr, const char *what, const char *how)
{
	if (!nr)
		return;
	out_str(o, ", ");
	heatmap_put_number(o, nr, what);
	out_printf(o, " %s", how);
}

/* A note that what is drawn is not all of the recording. */
void heatmap_note_filters(struct heatmap_load *l, const struct filter *f, uint64_t nr_left_out)
{
	char *filters = input_filter_text(f);
	struct out o;

	add_count(l, "left_out_by_filters", nr_left_out);
	if (!filters)
		return;
	out_init(&o, -1);
	out_printf(&o, "Part of the recording:%s (", filters);
	free(filters);
	heatmap_put_number(&o, nr_left_out,
			   l->kind == HEATMAP_PAIRS    ? "pair"
			   : l->kind == HEATMAP_CALLS  ? "call"
			   : l->kind == HEATMAP_STATES ? heatmap_state_thing(l->state)
						       : "sample");
	out_str(&o, " left out)");
	add_note(l, &o);
}

/* Percent, never rounded up: 100.0 is all of them. */
static double share(uint64_t part, uint64_t of)
{
	return of ? (double)(uint64_t)(1000.0 * (double)part / (double)of) / 10 : 0;
}

/* The end of a quality line: what a recording lost; a pair needs both of its events. */
static void put_losses(struct out *o, const struct heatmap_load *l)
{
	const struct recording *r = l->recording;
	uint64_t lost = recording_lost(r);

	svg_text_count(o, lost);
	out_str(o, " lost, ");
	svg_text_count(o, r->stats.nr_throttled);
	out_str(o, " throttled");
	put_part(o, r->stats.nr_late, "record", "late: not in the order of time");
	put_part(o, r->stats.nr_malformed, "record", "malformed");
	if (r->damage->err)
		out_str(o, "; the file is damaged, what follows is missing");
	if (lost && l->kind == HEATMAP_PAIRS)
		out_str(o, "; where an event was lost its pair is missing, or made of two that do not belong together");
}

void heatmap_note_samples(struct heatmap_load *l)
{
	struct out o;

	out_init(&o, -1);
	out_str(&o, "Quality: ");
	put_losses(&o, l);
	put_part(&o, l->heat->nr_refused, "sample", "at times past 292 years left out");
	add_count(l, "too_large", l->heat->nr_refused);
	add_note(l, &o);
}

void heatmap_note_calls(struct heatmap_load *l, uint64_t nr_unpaired)
{
	struct out o;

	out_init(&o, -1);
	out_str(&o, "Quality: ");
	put_losses(&o, l);
	put_part(&o, nr_unpaired, "call", "began before recording and left out");
	put_part(&o, l->heat->nr_refused, "call", "of more than 146 years left out");
	add_count(l, "ends_without_begin", nr_unpaired);
	add_count(l, "too_large", l->heat->nr_refused);
	add_note(l, &o);
}

void heatmap_note_states(struct heatmap_load *l, const char *thing, uint64_t nr_gaps, uint64_t nr_open, const char *no_wakes)
{
	struct out o;

	out_init(&o, -1);
	out_str(&o, "Quality: ");
	put_losses(&o, l);
	put_part(&o, nr_gaps, "gap", "where switches are missing: what lies across them left out");
	put_part(&o, nr_open, thing, "without an end left out");
	put_part(&o, l->heat->nr_refused, thing, "of more than 146 years left out");
	if (no_wakes)
		out_printf(&o, ", no wakes recorded: %s", no_wakes);
	add_count(l, "missing_switches", nr_gaps);
	add_count(l, "without_end", nr_open);
	add_count(l, "too_large", l->heat->nr_refused);
	add_note(l, &o);
}

void heatmap_note_sums(struct heatmap_load *l)
{
	struct out o;

	out_init(&o, -1);
	out_str(&o,
		"Times of one task and stack that are below the threshold of the recorder may be added up as one: 'assay record --off-cpu "
		"--off-cpu-thresh 0' records each by itself");
	add_note(l, &o);
}

void heatmap_advise_calls(struct heatmap_load *l, uint64_t nr_durations, uint64_t nr_left_out)
{
	struct out o;

	out_init(&o, -1);
	if (!nr_durations)
		out_str(&o, "no system call is in it: record them with 'assay trace record', or 'assay record -e raw_syscalls:*'");
	else if (nr_left_out)
		out_str(&o, "no calls are left: --comms, --pid, --tid, --cpu, --time, --symbols or --filter leave out all");
	else
		out_printf(&o, "no call of %s was recorded", l->calls);
	l->advice = keep(l, &o);
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
	out_printf(&o, "Time 0 is %s s %s", text, l->recording ? "of the recording's clock" : "in the lines");
	add_note(l, &o);
}

static void count_pairs(struct heatmap_load *l, const struct latency *lat)
{
	const struct pairing *p = &lat->pairing;

	add_count(l, "begins", lat->nr_begins);
	add_count(l, "ends", lat->nr_ends);
	add_count(l, "begins_without_end", p->nr_open);
	add_count(l, "ends_without_begin", p->nr_ends_alone);
	add_count(l, "begins_replaced", p->nr_replaced);
	add_count(l, "begins_given_up", p->nr_given_up);
	add_count(l, "ends_before_begin", p->nr_backwards);
	add_count(l, "ends_just_before_begin", lat->nr_early);
	add_count(l, "events_without_key", lat->nr_keyless);
	add_count(l, "too_large", l->heat->nr_refused);
}

/* What was paired, what was not, what was lost; then how far that can be trusted. */
void heatmap_note_pairs(struct heatmap_load *l, const struct latency *lat)
{
	const struct pairing *p = &lat->pairing;
	struct out o;

	count_pairs(l, lat);
	out_init(&o, -1);
	out_str(&o, "Quality: ");
	svg_text_count(&o, p->nr_pairs);
	out_str(&o, " of ");
	heatmap_put_number(&o, lat->nr_begins, "begin");
	out_printf(&o, " paired (%.1f%%)", share(p->nr_pairs, lat->nr_begins));
	put_part(&o, p->nr_open, "begin", "without an end");
	put_part(&o, p->nr_replaced, "begin", "replaced by another of the same key before an end came");
	put_part(&o, p->nr_given_up, "begin", "given up: too many waited at the same time");
	out_str(&o, "; ");
	svg_text_count(&o, p->nr_ends_alone);
	out_str(&o, " of ");
	heatmap_put_number(&o, lat->nr_ends, "end");
	out_str(&o, " without a begin");
	put_part(&o, p->nr_backwards, "end", "older than the begin");
	put_part(&o, lat->nr_keyless, "event", "without the key's fields");
	put_part(&o, l->heat->nr_refused, "pair", "of more than 146 years left out");
	out_str(&o, "; ");
	put_losses(&o, l);
	if (p->nr_replaced * REPLACED_SHARE > lat->nr_begins)
		out_str(&o, "; many begins were replaced: the key may not tell apart what runs at the same time (--key)");
	add_note(l, &o);
	if (!lat->nr_early)
		return;
	out_init(&o, -1);
	heatmap_put_number(&o, lat->nr_early, "end");
	out_printf(
		&o,
		" up to %d µs before a begin of the same key: where the clocks of two CPUs differ, such a begin is paired with a later end, "
		"and seems to last too long",
		(int)(LATENCY_SKEW_NS / 1000));
	add_note(l, &o);
}

void heatmap_advise_pairs(struct heatmap_load *l, const struct latency *lat, uint64_t nr_left_out)
{
	bool has[] = { lat->nr_begins, lat->nr_ends };
	const struct event_patterns *patterns[] = { &l->from, &l->to };
	struct out o;

	out_init(&o, -1);
	if (!has[0] || !has[1]) {
		out_str(&o, "no pairs: in this recording there is no sample of ");
		event_patterns_put(patterns[has[0]], &o);
		if (!has[0] && !has[1]) {
			out_str(&o, ", and none of ");
			event_patterns_put(patterns[1], &o);
		} else {
			out_str(&o, ", but ");
			svg_text_count(&o, has[0] ? lat->nr_begins : lat->nr_ends);
			out_str(&o, " of ");
			event_patterns_put(patterns[!has[0]], &o);
		}
	} else if (nr_left_out) {
		out_str(&o, "no pairs are left: --comms, --pid, --tid, --cpu, --time or --symbols leave out ");
		out_str(&o, nr_left_out > 1 ? "all " : "");
		svg_text_count(&o, nr_left_out);
	} else if (lat->nr_keyless == lat->nr_begins + lat->nr_ends) {
		out_str(&o, "no pairs: no sample holds the fields of the key; were they recorded without raw data (-R)?");
	} else {
		out_str(&o, "no pairs: there are ");
		heatmap_put_number(&o, lat->nr_begins, "begin");
		out_str(&o, " and ");
		heatmap_put_number(&o, lat->nr_ends, "end");
		out_str(&o, ", but no end has the key of a begin before it (by ");
		latency_put_key(lat, &o);
		out_str(&o, "); 'assay evlist --trace-fields' lists what --key can name");
	}
	l->advice = keep(l, &o);
}

void heatmap_advise_samples(struct heatmap_load *l, uint64_t nr_left_out)
{
	struct out o;

	out_init(&o, -1);
	if (nr_left_out) {
		out_str(&o, "no samples are left: --comms, --pid, --tid, --cpu, --time, --symbols or --filter leave out all ");
		svg_text_count(&o, nr_left_out);
	} else {
		out_str(&o, "no samples: nothing to draw");
	}
	l->advice = keep(l, &o);
}

void heatmap_put_faults(struct out *o, const struct latency_lines *lines)
{
	static const char *const texts[LATENCY_NR_FAULTS] = {
		[LATENCY_NO_NUMBERS] = "without a time and a latency",
		[LATENCY_NEGATIVE] = "with a negative number",
		[LATENCY_TOO_LARGE] = "with a number that is too large",
		[LATENCY_DECIMAL_COMMA] = "with decimal commas (1.5 and not 1,5 is read)",
	};
	bool is_next = false;

	for (int i = 0; i < LATENCY_NR_FAULTS; i++) {
		if (!lines->nr_by_fault[i])
			continue;
		out_str(o, is_next ? ", " : "");
		svg_text_count(o, lines->nr_by_fault[i]);
		out_printf(o, " %s", texts[i]);
		is_next = true;
	}
}

void heatmap_note_lines(struct heatmap_load *l, const struct latency_lines *lines)
{
	struct out o;

	add_count(l, "lines", lines->nr_lines);
	add_count(l, "comments", lines->nr_comments);
	add_count(l, "bad_lines", lines->nr_bad);
	add_count(l, "first_bad_line", lines->first_bad);
	if (!lines->nr_lines)
		return;
	out_init(&o, -1);
	out_str(&o, "Quality: ");
	svg_text_count(&o, lines->nr_good);
	out_str(&o, " of ");
	heatmap_put_number(&o, lines->nr_lines - lines->nr_comments, "line");
	out_str(&o, " read");
	if (lines->nr_bad) {
		out_str(&o, "; skipped: ");
		heatmap_put_faults(&o, lines);
		out_printf(&o, "; the first is line %llu: ", (unsigned long long)lines->first_bad);
		escape_terminal(&o, lines->first_bad_text, strlen(lines->first_bad_text));
	}
	add_note(l, &o);
}

void heatmap_note_outside(struct heatmap_load *l, enum heat_unit unit)
{
	const struct heat *h = l->heat;
	char text[HEAT_LABEL_SIZE];
	struct out o;

	out_init(&o, -1);
	if (h->nr_above) {
		heat_unit_text(text, h->edges.v[h->nr_rows] - 1, unit, 1);
		heatmap_put_number(&o, h->nr_above, "latency");
		out_printf(&o, " above %s (--max): the row on top", text);
	}
	if (h->nr_below) {
		heat_unit_text(text, h->edges.v[0], unit, 1);
		out_str(&o, o.len ? "; " : "");
		heatmap_put_number(&o, h->nr_below, "latency");
		out_printf(&o, " below %s (--min): the row at the bottom", text);
	}
	add_note(l, &o);
}

void heatmap_note_scale(struct heatmap_load *l)
{
	const struct heat *h = l->heat;
	struct out o;

	out_init(&o, -1);
	if (h->is_log && h->options.scale == HEAT_SCALE_AUTO)
		out_printf(&o, "Log scale, because the median is below a hundredth of %s; --scale linear draws rows of equal height",
			   h->options.has_max ? "--max" : "the longest");
	add_note(l, &o);
}
