/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/graph_lines.h"

#include <stdio.h>
#include <string.h>

#define MARKS "+!#*@$" /* of times from 10 us, 100 us, 1 ms, 10 ms, 100 ms and 1 s on */

struct reader {
	const char *p, *end;
};

static void skip_blanks(struct reader *r)
{
	while (r->p < r->end && *r->p == ' ')
		r->p++;
}

static bool skip(struct reader *r, const char *text)
{
	size_t len = strlen(text);

	if ((size_t)(r->end - r->p) < len || memcmp(r->p, text, len) != 0)
		return false;
	r->p += len;
	return true;
}

static bool read_number(struct reader *r, uint64_t *value)
{
	const char *from = r->p;

	*value = 0;
	for (; r->p < r->end && *r->p >= '0' && *r->p <= '9'; r->p++) {
		if (*value > UINT64_MAX / 100000)
			return false;
		*value = *value * 10 + (uint64_t)(*r->p - '0');
	}
	return r->p > from;
}

/* "+ 12.955 us", "2868.062 us", "23503.91 us", "1234567 us", or nothing. False: something else. */
static bool read_time(struct reader *r, struct graph_line *l)
{
	uint64_t us, part = 0, digit = 100;
	bool is_marked;

	skip_blanks(r);
	is_marked = r->p < r->end && strchr(MARKS, *r->p) && *r->p;
	if (is_marked) {
		r->p++;
		skip_blanks(r);
	}
	if (r->p == r->end || *r->p < '0' || *r->p > '9')
		return !is_marked;
	if (!read_number(r, &us))
		return false;
	if (skip(r, "."))
		for (; r->p < r->end && *r->p >= '0' && *r->p <= '9'; r->p++, digit /= 10)
			part += (uint64_t)(*r->p - '0') * digit;
	l->has_time = true;
	l->took_ns = us * 1000 + part;
	return skip(r, " us");
}

static void trim(struct graph_line *l)
{
	while (l->name_len && l->name[l->name_len - 1] == ' ')
		l->name_len--;
}

/* Behind a closing brace: nothing, or a comment with the name, which may go on with what the function returned. */
static enum graph_kind read_end(struct reader *r, struct graph_line *l)
{
	const char *close;

	skip_blanks(r);
	if (r->p == r->end)
		return GRAPH_END;
	if (!skip(r, "/* "))
		return GRAPH_BAD;
	close = memmem(r->p, (size_t)(r->end - r->p), " */", 3);
	if (!close || close == r->p)
		return GRAPH_BAD;
	if (skip(r, "ret=")) /* and no name */
		return GRAPH_END;
	l->name = r->p;
	l->name_len = (size_t)(close - r->p);
	close = memmem(l->name, l->name_len, " ret=", 5);
	if (close)
		l->name_len = (size_t)(close - l->name);
	trim(l);
	return l->name_len ? GRAPH_END : GRAPH_BAD;
}

/* "name();", "name() {", "name [module](arg=1); / * ret=0 * /" */
static enum graph_kind read_call(struct reader *r, struct graph_line *l)
{
	const char *open = memchr(r->p, '(', (size_t)(r->end - r->p)), *close;

	if (!open || open == r->p)
		return GRAPH_BAD;
	l->name = r->p;
	l->name_len = (size_t)(open - r->p);
	trim(l);
	/* Values of arguments may have parentheses of their own: what follows the last one counts. */
	close = memrchr(open, ')', (size_t)(r->end - open));
	if (!l->name_len || !close)
		return GRAPH_BAD;
	r->p = close + 1;
	if (skip(r, " {"))
		return GRAPH_BEGIN;
	if (!skip(r, ";"))
		return GRAPH_BAD;
	skip_blanks(r);
	return r->p == r->end || skip(r, "/* ") ? GRAPH_END : GRAPH_BAD;
}

struct graph_line graph_line_parse(const char *line, size_t len)
{
	struct reader r = { line, line + len };
	struct graph_line l = { .kind = GRAPH_OTHER };
	uint64_t cpu;

	skip_blanks(&r);
	if (r.p == r.end || *r.p == '#' || skip(&r, "----") || skip(&r, "CPU:"))
		return l;
	if (!read_number(&r, &cpu) || cpu > UINT32_MAX || !skip(&r, ")")) {
		l.kind = GRAPH_BAD;
		return l;
	}
	l.cpu = (uint32_t)cpu;
	if (!read_time(&r, &l) || (skip_blanks(&r), !skip(&r, "|"))) {
		/* The names of two tasks, or the arrow of an interrupt. */
		bool is_known = memmem(r.p, (size_t)(r.end - r.p), " => ", 4) || memmem(r.p, (size_t)(r.end - r.p), "==========", 10);

		l.kind = is_known ? GRAPH_OTHER : GRAPH_BAD;
		l.has_time = false;
		return l;
	}
	skip_blanks(&r);
	if (r.p == r.end || skip(&r, "/*"))
		return l;
	l.is_return = skip(&r, "}");
	l.kind = l.is_return ? read_end(&r, &l) : read_call(&r, &l);
	return l;
}

/* ---- sums ---- */

void function_sums_init(struct function_sums *s)
{
	*s = (struct function_sums){ 0 };
	strtab_init(&s->names);
}

void function_sums_fini(struct function_sums *s)
{
	strtab_fini(&s->names);
	vec_fini(&s->v);
}

/* Rows are in the order of the names' numbers, of which 0 is the empty one. */
static struct function_sum *find_row(struct function_sums *s, const char *name, size_t len)
{
	uint32_t id;

	if (s->names.entries.nr >= FUNCTION_SUMS_MAX)
		return NULL;
	id = strtab_intern_len(&s->names, name, len);
	if (s->v.nr < id)
		vec_push(&s->v, ((struct function_sum){ .name = id, .min_ns = UINT64_MAX }));
	return &s->v.v[id - 1];
}

static void add_bad(struct function_sums *s, const char *line, size_t len)
{
	if (!s->nr_bad++)
		snprintf(s->first_bad, sizeof(s->first_bad), "%.*s", (int)(len < sizeof(s->first_bad) ? len : sizeof(s->first_bad)), line);
}

int function_sums_add_line(void *ctx, const char *line, size_t len, bool is_loss)
{
	struct function_sums *s = ctx;
	struct graph_line l = graph_line_parse(line, len);
	struct function_sum *row;
	bool names_tasks = s->is_after_rule;

	s->is_after_rule = len > 4 && !memcmp(line, " ---", 4);
	if (is_loss || names_tasks)
		return 0;
	if (l.kind == GRAPH_BAD)
		add_bad(s, line, len);
	s->nr_begun += l.kind == GRAPH_BEGIN;
	if (l.kind != GRAPH_END)
		return 0;
	s->nr_returned += l.is_return;
	s->nr_nameless += !l.name;
	s->nr_untimed += !l.has_time;
	if (!l.name || !l.has_time)
		return 0;
	row = find_row(s, l.name, l.name_len);
	if (!row) {
		s->nr_left_out++;
		return 0;
	}
	s->nr_calls++;
	row->nr++;
	if (__builtin_add_overflow(row->total_ns, l.took_ns, &row->total_ns))
		row->total_ns = UINT64_MAX;
	row->max_ns = l.took_ns > row->max_ns ? l.took_ns : row->max_ns;
	row->min_ns = l.took_ns < row->min_ns ? l.took_ns : row->min_ns;
	return 0;
}

uint64_t function_sums_unfinished(const struct function_sums *s)
{
	return s->nr_begun > s->nr_returned ? s->nr_begun - s->nr_returned : 0;
}

struct sorting {
	const struct strtab *names;
	enum function_sort by;
};

static int compare(const void *pa, const void *pb, void *ctx)
{
	const struct function_sum *a = pa, *b = pb;
	const struct sorting *s = ctx;
	int order = 0;

	switch (s->by) {
	case FUNCTION_SORT_TOTAL:
		order = COMPARE(b->total_ns, a->total_ns);
		break;
	case FUNCTION_SORT_AVG: /* as a fraction: a mean of whole ns would make many equal */
		order = COMPARE((unsigned __int128)b->total_ns * a->nr, (unsigned __int128)a->total_ns * b->nr);
		break;
	case FUNCTION_SORT_MAX:
		order = COMPARE(b->max_ns, a->max_ns);
		break;
	case FUNCTION_SORT_COUNT:
		order = COMPARE(b->nr, a->nr);
		break;
	case FUNCTION_SORT_NAME:
		break;
	}
	return order ? order : strcmp(strtab_get(s->names, a->name), strtab_get(s->names, b->name));
}

void function_sums_sort(struct function_sums *s, enum function_sort by)
{
	struct sorting sorting = { &s->names, by };

	vec_sort_r(&s->v, compare, &sorting);
}
