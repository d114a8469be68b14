/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Every set of fields is tried with every line. Of the sets that fit nearly as many lines as the best one does, the largest is it: "COMM"
 * alone fits whatever "COMM TID" fits.
 */
#include "import/script.h"

#define MAX_LINES 300u
#define MAX_BYTES 500u /* of a line that is looked at */

struct line_set {
	struct script_span v[MAX_LINES];
	bool is_taken[MAX_LINES];
	uint32_t nr;
	uint32_t nr_timed; /* lines that need no shape */
};

static bool next_line(struct script_span *text, struct script_span *line)
{
	const char *end = text->len ? memchr(text->s, '\n', text->len) : NULL;

	if (!text->len)
		return false;
	*line = (struct script_span){ text->s, end ? (size_t)(end - text->s) : text->len };
	text->s += line->len + !!end;
	text->len -= line->len + !!end;
	if (line->len && line->s[line->len - 1] == '\r')
		line->len--;
	return true;
}

static bool is_frame(struct script_span line)
{
	struct script_frame f;

	return line.len && *line.s == '\t' && script_frame_parse(line.s, line.len, &f);
}

static bool has_frames(struct script_span text)
{
	struct script_span line;

	for (uint32_t i = 0; i < 4 * MAX_LINES && next_line(&text, &line); i++)
		if (is_frame(line))
			return true;
	return false;
}

/* First lines without a time. In front of call chains those that a frame follows. */
static void collect(struct line_set *set, struct script_span text, bool is_chained)
{
	struct script_span line, next;
	struct script_head h;
	bool has_line = next_line(&text, &line);

	for (uint32_t i = 0; has_line && i < 16 * MAX_LINES && set->nr < MAX_LINES; i++, line = next) {
		bool is_candidate = line.len && line.len <= MAX_BYTES && *line.s != '#' && *line.s != '\t';

		has_line = next_line(&text, &next);
		if (!is_candidate || (is_chained && (!has_line || !is_frame(next))))
			continue;
		if (memmem(line.s, line.len, "PERF_RECORD_", 12))
			continue;
		if (script_head_parse(line.s, line.len, &h) && h.has_time)
			set->nr_timed++;
		else
			set->v[set->nr++] = line;
	}
}

/* Names right-aligned in their column, or an address in its. */
static bool is_sure(const struct script_head *h, struct script_span line, uint32_t fields)
{
	struct script_span rest = h->rest, w = script_take_word(&rest);

	if (w.len && script_is_column(w, (size_t)(w.s + w.len - h->rest.s)))
		return true;
	return fields & SCRIPT_COMM && fields != SCRIPT_COMM && *line.s == ' ' && line.s[line.len - 1] == ' ';
}

struct fit {
	uint32_t nr, nr_sure;
};

static struct fit count_fits(const struct line_set *set, uint32_t fields, bool is_chained)
{
	struct script_head h;
	struct fit fit = { 0 };

	for (uint32_t i = 0; i < set->nr; i++) {
		if (set->is_taken[i] || !script_head_parse_as(set->v[i].s, set->v[i].len, fields, is_chained, &h))
			continue;
		fit.nr++;
		fit.nr_sure += is_sure(&h, set->v[i], fields);
	}
	return fit;
}

/* Columns first. Then the more fields the better; what has no name is surer than what has one. */
static uint32_t worth(uint32_t fields, const struct fit *fit)
{
	uint32_t is_in_columns = fit->nr_sure > fit->nr / 2;

	return 100 * is_in_columns + 2 * (uint32_t)__builtin_popcount(fields) - !!(fields & SCRIPT_COMM);
}

/* True where any set fits. */
static bool find_fields(const struct line_set *set, bool is_chained, uint32_t *best)
{
	struct fit fits[SCRIPT_FIELDS_ALL + 1] = { 0 };
	uint32_t most = 0;
	bool is_found = false;

	for (uint32_t f = 0; f <= SCRIPT_FIELDS_ALL; f++) {
		if (f & SCRIPT_PID && !(f & SCRIPT_TID))
			continue;
		fits[f] = count_fits(set, f, is_chained);
		most = fits[f].nr > most ? fits[f].nr : most;
	}
	for (uint32_t f = 0; most && f <= SCRIPT_FIELDS_ALL; f++) {
		if (fits[f].nr < most - most / 10 || (is_found && worth(f, &fits[f]) <= worth(*best, &fits[*best])))
			continue;
		is_found = true;
		*best = f;
	}
	return is_found;
}

static void take_fitting(struct script_shape *shape, struct line_set *set, uint32_t fields)
{
	struct script_head h;

	shape->fields[shape->nr++] = fields;
	for (uint32_t i = 0; i < set->nr; i++) {
		if (set->is_taken[i] || !script_head_parse_as(set->v[i].s, set->v[i].len, fields, shape->is_chained, &h))
			continue;
		set->is_taken[i] = true;
		shape->nr_sure += is_sure(&h, set->v[i], fields);
	}
}

void script_shape_find(struct script_shape *shape, const char *text, size_t size)
{
	struct script_span t = { text, size };
	struct line_set set = { .nr = 0 };
	uint32_t fields = 0;

	*shape = (struct script_shape){ .is_chained = has_frames(t) };
	collect(&set, t, shape->is_chained);
	/* A few lines without a time among many that have one were not printed like that. */
	if (set.nr <= set.nr_timed / 2)
		return;
	shape->nr_lines = set.nr;
	while (shape->nr < SCRIPT_MAX_SHAPES && find_fields(&set, shape->is_chained, &fields))
		take_fitting(shape, &set, fields);
}

bool script_shape_parse(const struct script_shape *shape, const char *s, size_t len, struct script_head *h)
{
	for (uint32_t i = 0; i < shape->nr; i++)
		if (script_head_parse_as(s, len, shape->fields[i], shape->is_chained, h))
			return true;
	/* Not every event has call chains. */
	for (uint32_t i = 0; shape->is_chained && i < shape->nr; i++)
		if (script_head_parse_as(s, len, shape->fields[i], false, h))
			return true;
	return false;
}
