/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A part of a line, and what the readers of the text of `perf script` do with one: words, numbers. Pure functions; nothing is copied, and
 * a span stands in the line it came from, so that columns can be told. For this room alone.
 */
#ifndef ASSAY_IMPORT_SCRIPT_SPAN_H
#define ASSAY_IMPORT_SCRIPT_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct script_span {
	const char *s;
	size_t len;
};

static inline bool script_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool script_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static inline int script_hex_digit(char c)
{
	if (script_is_digit(c))
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static inline struct script_span script_trim(struct script_span t)
{
	while (t.len && script_is_blank(*t.s)) {
		t.s++;
		t.len--;
	}
	while (t.len && script_is_blank(t.s[t.len - 1]))
		t.len--;
	return t;
}

/* The first word, which is taken off. */
static inline struct script_span script_take_word(struct script_span *t)
{
	struct script_span w;

	while (t->len && script_is_blank(*t->s)) {
		t->s++;
		t->len--;
	}
	w = (struct script_span){ t->s, 0 };
	while (w.len < t->len && !script_is_blank(w.s[w.len]))
		w.len++;
	t->s += w.len;
	t->len -= w.len;
	return w;
}

/* The last word, which is taken off with the blanks behind it; those in front of it stay. */
static inline struct script_span script_take_last_word(struct script_span *t)
{
	struct script_span w;

	while (t->len && script_is_blank(t->s[t->len - 1]))
		t->len--;
	w = (struct script_span){ t->s + t->len, 0 };
	while (t->len && !script_is_blank(t->s[t->len - 1])) {
		t->len--;
		w.s--;
		w.len++;
	}
	return w;
}

static inline bool script_parse_u64(struct script_span w, uint64_t *v)
{
	*v = 0;
	for (size_t i = 0; i < w.len; i++) {
		if (!script_is_digit(w.s[i]) || *v > (UINT64_MAX - 9) / 10)
			return false;
		*v = *v * 10 + (uint64_t)(w.s[i] - '0');
	}
	return w.len;
}

static inline bool script_parse_hex(struct script_span w, uint64_t *v)
{
	*v = 0;
	if (!w.len || w.len > 16)
		return false;
	for (size_t i = 0; i < w.len; i++) {
		int digit = script_hex_digit(w.s[i]);

		if (digit < 0)
			return false;
		*v = *v << 4 | (uint64_t)digit;
	}
	return true;
}

static inline bool script_equals(struct script_span t, const char *word)
{
	return t.len == strlen(word) && !memcmp(t.s, word, t.len);
}

static inline bool script_begins(struct script_span t, const char *prefix)
{
	return t.len >= strlen(prefix) && !memcmp(t.s, prefix, strlen(prefix));
}

static inline bool script_ends_in_colon(struct script_span w)
{
	return w.len > 1 && w.s[w.len - 1] == ':';
}

#endif
