/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What -L takes, FUNC[@SRC][:FIRST[-LAST|+COUNT]] or SRC[:FIRST[-LAST|+COUNT]]; and struct probe_filter, globs joined by & | ! and
 * parentheses, kept in postfix order so that depth costs nothing.
 */
#include "symbols/probe_point.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

static bool parse_lines(const char *p, struct probe_range_spec *s)
{
	unsigned long first, last;
	char *end;

	if (!isdigit((unsigned char)*p))
		return false;
	errno = 0;
	first = strtoul(p, &end, 10);
	if (*end == '-' || *end == '+') {
		bool is_count = *end == '+';

		if (!isdigit((unsigned char)end[1]))
			return false;
		last = strtoul(end + 1, &end, 10);
		/* A count of 5 shows the line and four more, as perf does. */
		if (is_count)
			last = last ? first + last - 1 : first;
	} else {
		last = first;
	}
	if (errno || *end || first >= UINT32_MAX || last >= UINT32_MAX || last < first)
		return false;
	s->first = (uint32_t)first;
	s->last = (uint32_t)last;
	s->has_range = true;
	return true;
}

/* The last ':' that is not part of "::"; NULL. */
static const char *find_colon(const char *text)
{
	const char *p = strrchr(text, ':');

	return p && (p == text || p[-1] == ':') ? NULL : p;
}

int probe_range_parse(struct probe_range_spec *s, const char *text, struct errbuf *eb)
{
	const char *colon, *end, *at;

	*s = (struct probe_range_spec){ .last = UINT32_MAX };
	text += strspn(text, " \t");
	colon = find_colon(text);
	if (colon && !parse_lines(colon + 1, s))
		return errbuf_set(eb, -EINVAL, "lines '%.100s': a range is FIRST, FIRST-LAST or FIRST+COUNT", text);
	end = colon ? colon : text + strlen(text);
	at = memchr(text, '@', (size_t)(end - text));
	if (at && at > text) {
		s->function = arena_str(&s->arena, text, (size_t)(at - text));
		s->file = arena_str(&s->arena, at + 1, (size_t)(end - at) - 1);
	} else if (memchr(text, '/', (size_t)(end - text)) ||
		   (memchr(text, '.', (size_t)(end - text)) && !memchr(text, '(', (size_t)(end - text)) &&
		    !memchr(text, '<', (size_t)(end - text)))) {
		s->file = arena_str(&s->arena, text, (size_t)(end - text));
	} else {
		s->function = arena_str(&s->arena, text, (size_t)(end - text));
	}
	if ((s->function && !*s->function) || (s->file && !*s->file)) {
		probe_range_fini(s);
		return errbuf_set(eb, -EINVAL, "lines '%.100s': FUNCTION or FILE comes first", text);
	}
	return 0;
}

void probe_range_fini(struct probe_range_spec *s)
{
	arena_fini(&s->arena);
}

/* Filters. */

#define MAX_TERMS 256U

struct term {
	char op; /* 0: a glob; '!', '&', '|' */
	const char *glob;
};

struct probe_filter {
	VEC(struct term) terms; /* postfix */
	struct arena arena;
};

static int strength(char op)
{
	return op == '!' ? 3 : op == '&' ? 2 : op == '|' ? 1 : 0;
}

struct operators {
	VEC(char) v;
};

/* Moves operators that bind at least as strong to the output. */
static void pop_operators(struct probe_filter *f, struct operators *ops, int min)
{
	while (ops->v.nr && ops->v.v[ops->v.nr - 1] != '(' && strength(ops->v.v[ops->v.nr - 1]) >= min)
		vec_push(&f->terms, ((struct term){ .op = ops->v.v[--ops->v.nr] }));
}

/* One token; false: it cannot stand here. */
static bool take_token(struct probe_filter *f, struct operators *ops, const char **pos, bool *wants_glob)
{
	const char *p = *pos;
	size_t len = strcspn(p, "&|!() \t");

	if (len) {
		if (!*wants_glob)
			return false;
		vec_push(&f->terms, ((struct term){ .glob = arena_str(&f->arena, p, len) }));
		*wants_glob = false;
		*pos = p + len;
		return true;
	}
	*pos = p + 1;
	if (*p == '!' || *p == '(') {
		vec_push(&ops->v, *p);
		return *wants_glob;
	}
	if (*wants_glob)
		return false;
	if (*p == ')') {
		pop_operators(f, ops, 0);
		return ops->v.nr && ops->v.nr--;
	}
	pop_operators(f, ops, strength(*p));
	vec_push(&ops->v, *p);
	*wants_glob = true;
	return true;
}

int probe_filter_new(struct probe_filter **filter, const char *text, struct errbuf *eb)
{
	struct probe_filter *f = mem_zalloc(sizeof(*f));
	struct operators ops = { 0 };
	const char *p = text;
	bool wants_glob = true, ok = true;

	while (ok && *(p += strspn(p, " \t")) && f->terms.nr + ops.v.nr < MAX_TERMS)
		ok = take_token(f, &ops, &p, &wants_glob);
	pop_operators(f, &ops, 0);
	ok &= !wants_glob && !ops.v.nr && !*p;
	vec_fini(&ops.v);
	if (!ok) {
		probe_filter_free(f);
		return errbuf_set(eb, -EINVAL, "filter '%.200s': patterns are joined by & and |, negated by ! and grouped by ( )", text);
	}
	*filter = f;
	return 0;
}

void probe_filter_free(struct probe_filter *f)
{
	if (!f)
		return;
	vec_fini(&f->terms);
	arena_fini(&f->arena);
	free(f);
}

bool probe_filter_match(const struct probe_filter *f, const char *name)
{
	bool stack[MAX_TERMS + 1];
	uint32_t nr = 0;

	for (uint32_t i = 0; i < f->terms.nr; i++) {
		const struct term *t = &f->terms.v[i];

		if (!t->op) {
			stack[nr++] = fnmatch(t->glob, name, 0) == 0;
		} else if (t->op == '!') {
			stack[nr - 1] = !stack[nr - 1];
		} else {
			nr--;
			stack[nr - 1] = t->op == '&' ? stack[nr - 1] && stack[nr] : stack[nr - 1] || stack[nr];
		}
	}
	return nr && stack[0];
}
