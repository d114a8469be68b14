/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * First the parts of a name are found: parameters, a leading type, components, and brackets whose contents may go, in the syntax of C++,
 * Rust, Java and Go; then which of them fit. Positions are letters, not bytes. web/flame_label.js takes the same steps.
 */
#include "view/page.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/vec.h"

/* Parts */

struct label_span {
	uint32_t open, close; /* where the brackets stand */
};

struct label_name {
	const char *text;
	size_t nr;	  /* letters */
	VEC(uint32_t) at; /* where each begins in the text; one more: its end */
	/* after label_name_parse() */
	bool has_params, is_scoped; /* is_scoped: components have "::" between them */
	struct label_span params;
	uint32_t start, end;		 /* without a type in front and without parameters */
	VEC(uint32_t) parts;		 /* where components begin; the first is `start` */
	uint32_t base, ident;		 /* where the last one begins, and where its arguments do (or its end) */
	VEC(struct label_span) elidable; /* template arguments, and parameters of functions around it */
};

struct scan {
	VEC(struct label_span) spans;	    /* brackets that stand in no others */
	VEC(uint32_t) colons, dots, spaces; /* outside of all brackets */
	VEC(uint32_t) open;
	bool has_operator;
};

static void label_name_init(struct label_name *n, const char *text, size_t len)
{
	memset(n, 0, sizeof(*n));
	n->text = text;
	for (size_t i = 0; i < len; i++)
		if (((uint8_t)text[i] & 0xc0) != 0x80)
			vec_push(&n->at, (uint32_t)i);
	n->nr = n->at.nr;
	vec_push(&n->at, (uint32_t)len);
}

static void label_name_fini(struct label_name *n)
{
	vec_fini(&n->at);
	vec_fini(&n->parts);
	vec_fini(&n->elidable);
}

/* The letter at a place, where that is ASCII; 0: it is not, or there is none. */
static char letter(const struct label_name *n, size_t i)
{
	char c = i < n->nr ? n->text[n->at.v[i]] : 0;

	return (uint8_t)c < 0x80 ? c : 0;
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool is_separator(char c)
{
	return c == ':' || c == '.' || c == '/';
}

static bool is_at(const struct label_name *n, size_t i, const char *word)
{
	for (; *word; word++, i++)
		if (letter(n, i) != *word)
			return false;
	return true;
}

/* The symbol of an operator at `i`, which is no bracket: where it ends; `i`: there is none. */
static size_t behind_operator(const struct label_name *n, size_t i)
{
	if ((i && is_word(letter(n, i - 1))) || !is_at(n, i, "operator") || is_word(letter(n, i + 8)))
		return i;
	i += 8;
	if (is_at(n, i, "()") || is_at(n, i, "[]"))
		return i + 2;
	while (letter(n, i) && strchr("<>=!+-*/%^&|~,", letter(n, i)))
		i++;
	return i;
}

/* Behind a dot: what compilers and linkers add, which is no component. */
static bool is_suffix(const struct label_name *n, size_t i)
{
	static const char *const words[] = { "constprop", "isra", "part", "cold", "lto_priv", "llvm", "so", "clone" };

	if (letter(n, i) >= '0' && letter(n, i) <= '9')
		return true;
	for (size_t k = 0; k < sizeof(words) / sizeof(*words); k++)
		if (is_at(n, i, words[k]) && !is_word(letter(n, i + strlen(words[k]))))
			return true;
	return false;
}

static char opener_of(char closer)
{
	return closer == ')' ? '(' : closer == ']' ? '[' : closer == '}' ? '{' : '<';
}

static char innermost(const struct label_name *n, const struct scan *s)
{
	return s->open.nr ? letter(n, s->open.v[s->open.nr - 1]) : 0;
}

static bool is_closer(const struct label_name *n, const struct scan *s, size_t i)
{
	char c = letter(n, i);

	if (c == '>')
		return innermost(n, s) == '<' && !(i && letter(n, i - 1) == '-');
	return c == ')' || c == ']' || c == '}';
}

static void close_bracket(const struct label_name *n, struct scan *s, size_t i)
{
	char c = letter(n, i);

	while (c != '>' && innermost(n, s) == '<')
		s->open.nr--;
	if (innermost(n, s) != opener_of(c))
		return;
	s->open.nr--;
	if (!s->open.nr)
		vec_push(&s->spans, ((struct label_span){ s->open.v[0], (uint32_t)i }));
}

static void scan(const struct label_name *n, struct scan *s)
{
	for (size_t i = 0; i < n->nr; i++) {
		char c = letter(n, i);
		size_t behind = behind_operator(n, i);

		if (behind > i) {
			s->has_operator |= !s->open.nr;
			i = behind - 1;
		} else if (c && strchr("([{<", c)) {
			vec_push(&s->open, (uint32_t)i);
		} else if (is_closer(n, s, i)) {
			close_bracket(n, s, i);
		} else if (s->open.nr) {
			continue;
		} else if (is_at(n, i, "::")) {
			vec_push(&s->colons, (uint32_t)i++);
		} else if (c == '/' || (c == '.' && !is_suffix(n, i + 1))) {
			vec_push(&s->dots, (uint32_t)i);
		} else if (c == ' ' && !s->has_operator) {
			vec_push(&s->spaces, (uint32_t)i);
		}
	}
}

static void find_ends(struct label_name *n, const struct scan *s)
{
	n->end = (uint32_t)n->nr;
	for (uint32_t i = s->spans.nr; i-- > 0 && !n->has_params;) {
		struct label_span p = s->spans.v[i];
		char next = letter(n, p.close + 1ul);

		if (letter(n, p.open) != '(' || !p.open || is_separator(letter(n, p.open - 1)))
			continue;
		if (p.close + 1ul < n->nr && next != ' ' && next != '[')
			continue;
		n->has_params = true;
		n->params = p;
		n->end = p.open;
	}
	for (uint32_t i = s->spaces.nr; i-- > 0 && n->has_params && !n->start;)
		if (s->spaces.v[i] + 1 < n->end)
			n->start = s->spaces.v[i] + 1;
}

static bool is_within(const struct label_name *n, uint32_t i)
{
	return i >= n->start && i + 1 < n->end;
}

static bool has_offset(const struct label_name *n)
{
	for (size_t i = 0; i < n->nr; i++)
		if (is_at(n, i, "+0x"))
			return true;
	return false;
}

static void find_parts(struct label_name *n, const struct scan *s)
{
	const uint32_t *separators;
	uint32_t nr = 0;

	for (uint32_t i = 0; i < s->colons.nr; i++)
		n->is_scoped |= is_within(n, s->colons.v[i]);
	separators = n->is_scoped ? s->colons.v : s->dots.v;
	if (n->is_scoped)
		nr = s->colons.nr;
	else if ((n->has_params || !s->spaces.nr) && !has_offset(n))
		nr = s->dots.nr;
	vec_push(&n->parts, n->start);
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t behind = separators[i] + (n->is_scoped ? 2 : 1);

		if (is_within(n, separators[i]) && behind < n->end)
			vec_push(&n->parts, behind);
	}
	n->base = n->parts.v[n->parts.nr - 1];
}

static void find_elidable(struct label_name *n, const struct scan *s)
{
	bool has_own = false;

	n->ident = n->end;
	for (uint32_t i = 0; i < s->spans.nr; i++) {
		struct label_span p = s->spans.v[i];
		char c = letter(n, p.open);
		bool is_own = !has_own && p.open > n->base && p.close < n->end && (c == '<' || c == '[');
		bool is_qualifier = p.open >= n->start && p.close < n->base &&
				    (c == '<' || (c == '(' && p.open > n->start && !is_separator(letter(n, p.open - 1))));

		if (is_own) {
			has_own = true;
			n->ident = p.open;
		}
		if ((is_own || is_qualifier) && p.close - p.open > 2)
			vec_push(&n->elidable, p);
	}
}

static void label_name_parse(struct label_name *n)
{
	struct scan s = { 0 };

	scan(n, &s);
	find_ends(n, &s);
	find_parts(n, &s);
	find_elidable(n, &s);
	vec_fini(&s.spans);
	vec_fini(&s.colons);
	vec_fini(&s.dots);
	vec_fini(&s.spaces);
	vec_fini(&s.open);
}

/* Letters that fit */

#define LEAST_CUT 6 /* letters: in fewer, two ends tell nothing */

struct writer {
	struct out *o;
	const struct label_name *n;
	const char *ellipsis;
	uint32_t *nr_ellipses; /* written */
};

static void put(const struct writer *w, size_t from, size_t to)
{
	out_mem(w->o, w->n->text + w->n->at.v[from], w->n->at.v[to] - w->n->at.v[from]);
}

static void put_ellipsis(const struct writer *w)
{
	out_str(w->o, w->ellipsis);
	++*w->nr_ellipses;
}

/* Too short for two ends, it is the beginning. */
static void put_cut(const struct writer *w, size_t from, size_t to, size_t max)
{
	size_t tail = max < LEAST_CUT ? 0 : (max - 1) * 2 / 5;

	if (to - from <= max) {
		put(w, from, to);
		return;
	}
	put(w, from, from + max - 1 - tail);
	put_ellipsis(w);
	put(w, to - tail, to);
}

/* How long [from, to) is at least: with the contents of its brackets left out. */
static size_t least_length(const struct label_name *n, size_t from, size_t to)
{
	size_t length = to - from;

	for (uint32_t i = 0; i < n->elidable.nr; i++) {
		const struct label_span *s = &n->elidable.v[i];

		if (s->open >= from && s->open < to)
			length -= s->close - s->open - 2;
	}
	return length;
}

/* [from, to) in `max` letters: of the contents of brackets, as much as there is room for, the last ones first. */
static void put_fitted(const struct writer *w, size_t from, size_t to, size_t max)
{
	size_t room = max - least_length(w->n, from, to);
	VEC(size_t) shown = { 0 };

	for (uint32_t i = w->n->elidable.nr; i-- > 0;) {
		const struct label_span *s = &w->n->elidable.v[i];
		size_t whole = s->close - s->open - 1, most = room + 1 < whole ? room + 1 : whole;
		bool is_inside = s->open >= from && s->open < to;

		if (most < LEAST_CUT && most < whole)
			most = 1;
		vec_push(&shown, is_inside ? most : 0);
		room -= is_inside ? most - 1 : 0;
	}
	for (uint32_t i = 0; i < w->n->elidable.nr; i++) {
		const struct label_span *s = &w->n->elidable.v[i];
		size_t letters = shown.v[shown.nr - 1 - i];

		if (!letters)
			continue;
		put(w, from, s->open + 1);
		put_cut(w, s->open + 1, s->close, letters);
		from = s->close;
	}
	put(w, from, to);
	vec_fini(&shown);
}

/* Where a component without its arguments and the separator behind it ends. */
static size_t ident_end(const struct label_name *n, uint32_t part)
{
	size_t end = n->parts.v[part + 1] - (n->is_scoped ? 2 : 1);

	for (uint32_t i = 0; i < n->elidable.nr; i++)
		if (n->elidable.v[i].open > n->parts.v[part])
			return n->elidable.v[i].open < end ? n->elidable.v[i].open : end;
	return end;
}

/* The components from `part` on, which have room, behind a piece of the one before, or a mark. */
static void put_parts(const struct writer *w, uint32_t part, size_t length, size_t max)
{
	const struct label_name *n = w->n;
	size_t separator = n->is_scoped ? 2 : 1, room = max - length - separator;
	size_t from = n->parts.v[part], before = n->parts.v[part - 1], end = ident_end(n, part - 1);

	if (room < LEAST_CUT) {
		put_ellipsis(w);
		out_str(w->o, n->is_scoped ? "::" : "");
		put_fitted(w, from, n->end, max - (n->is_scoped ? 3 : 1));
		return;
	}
	put_cut(w, before, end, room);
	put(w, from - separator, from);
	put_fitted(w, from, n->end, max - separator - (end - before < room ? end - before : room));
}

/* As many of the last components as fit; where not even one does, the function's own name. */
static void put_last_parts(const struct writer *w, size_t max)
{
	const struct label_name *n = w->n;
	size_t length = 0, to = n->end;
	uint32_t k = n->parts.nr;

	for (; k > 0; k--) {
		size_t more = least_length(n, n->parts.v[k - 1], to);

		if (length + more + (n->is_scoped ? 3 : 1) > max)
			break;
		length += more;
		to = n->parts.v[k - 1];
	}
	if (k > 0 && k < n->parts.nr) {
		put_parts(w, k, length, max);
	} else if (least_length(n, n->base, n->end) <= max) {
		put_fitted(w, n->base, n->end, max);
	} else {
		put_cut(w, n->base, n->ident, max);
	}
}

static void put_parsed(const struct writer *w, size_t max)
{
	const struct label_name *n = w->n;
	bool is_long = n->has_params && n->params.close - n->params.open > 2;
	size_t behind = is_long ? 2 + n->nr - n->params.close : n->nr - n->end;

	for (int i = 0; i < 2; i++) {
		size_t from = i ? n->start : 0;

		if (n->end - from + behind > max)
			continue;
		put(w, from, n->end);
		if (is_long) {
			out_char(w->o, '(');
			put_ellipsis(w);
		}
		put(w, is_long ? n->params.close : n->end, n->nr);
		return;
	}
	if (least_length(n, n->start, n->end) <= max)
		put_fitted(w, n->start, n->end, max);
	else
		put_last_parts(w, max);
}

/* How many ellipses it has. */
static uint32_t shorten(struct out *o, const char *name, size_t len, size_t max, size_t most_parsed, const char *ellipsis)
{
	uint32_t nr_ellipses = 0;
	struct label_name n;
	struct writer w = { .o = o, .n = &n, .ellipsis = ellipsis, .nr_ellipses = &nr_ellipses };

	label_name_init(&n, name, len);
	if (n.nr <= max) {
		out_mem(o, name, len);
	} else if (n.nr > most_parsed) {
		put_cut(&w, 0, n.nr, max);
	} else {
		label_name_parse(&n);
		put_parsed(&w, max);
	}
	label_name_fini(&n);
	return nr_ellipses;
}

void label_shorten(struct out *o, const char *name, size_t len, size_t max)
{
	shorten(o, name, len, max, LABEL_MOST_PARSED, "…");
}

static size_t nr_letters(const char *s, size_t len)
{
	size_t nr = 0;

	for (size_t i = 0; i < len; i++)
		nr += (s[i] & 0xc0) != 0x80;
	return nr;
}

/* In fewer letters there may be more ellipses, of two letters each: it is tried again, beside what is printed, part of which may be gone already. */
static void shorten_in_ascii(struct out *o, const char *name, size_t len, size_t max)
{
	struct out text;

	out_init(&text, -1);
	for (size_t most = max;;) {
		uint32_t nr = shorten(&text, name, len, most, LABEL_MOST_PARSED_TEXT, "..");
		size_t letters = nr_letters(text.buf, text.len);

		if (!nr || letters <= max || most <= 1)
			break;
		most = most > letters - max ? most - (letters - max) : 1;
		text.len = 0;
	}
	out_mem(o, text.buf, text.len);
	out_fini(&text);
}

void label_shorten_text(struct out *o, const char *name, size_t len, size_t max, bool ascii)
{
	if (ascii)
		shorten_in_ascii(o, name, len, max);
	else
		shorten(o, name, len, max, LABEL_MOST_PARSED_TEXT, "…");
}
