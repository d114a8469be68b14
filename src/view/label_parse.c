/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One pass over the letters finds what stands outside of all brackets; the rest follows from that. Step for step as in web/flame_label.js.
 */
#include "view/label_parse.h"

#include <string.h>

struct scan {
	VEC(struct label_span) spans; /* brackets that stand in no others */
	VEC(uint32_t) colons, dots, spaces; /* outside of all brackets */
	VEC(uint32_t) open;
	bool has_operator;
};

void label_name_init(struct label_name *n, const char *text, size_t len)
{
	memset(n, 0, sizeof(*n));
	n->text = text;
	for (size_t i = 0; i < len; i++)
		if (((uint8_t)text[i] & 0xc0) != 0x80)
			vec_push(&n->at, (uint32_t)i);
	n->nr = n->at.nr;
	vec_push(&n->at, (uint32_t)len);
}

void label_name_fini(struct label_name *n)
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

void label_name_parse(struct label_name *n)
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
