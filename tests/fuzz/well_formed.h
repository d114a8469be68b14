/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * For the fuzz target of what we write: whether bytes are JSON, XML, CSV or lines of folded stacks.
 * Strict where readers are, and short: entities and tags of our own pictures, no namespaces.
 */
#ifndef ASSAY_TESTS_WELL_FORMED_H
#define ASSAY_TESTS_WELL_FORMED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct text {
	const char *p, *end;
};

static inline bool takes(struct text *t, const char *what)
{
	size_t len = strlen(what);

	if ((size_t)(t->end - t->p) < len || memcmp(t->p, what, len))
		return false;
	t->p += len;
	return true;
}

static inline char next_of(const struct text *t)
{
	return t->p < t->end ? *t->p : 0;
}

/* No surrogates, nothing longer than need be, nothing past U+10FFFF. */
static inline bool is_utf8(const char *s, size_t size)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const uint8_t *p = (const uint8_t *)s, *end = p + size;

	while (p < end) {
		unsigned n = *p < 0x80 ? 1 : *p >> 5 == 6 ? 2 : *p >> 4 == 14 ? 3 : *p >> 3 == 30 ? 4 : 0;
		uint32_t c = n > 1 ? *p & (0x7fu >> n) : *p;

		if (!n || (size_t)(end - p) < n)
			return false;
		for (unsigned i = 1; i < n; i++) {
			if ((p[i] & 0xc0) != 0x80)
				return false;
			c = c << 6 | (p[i] & 0x3f);
		}
		if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
			return false;
		p += n;
	}
	return true;
}

/* ---- JSON ---- */

static inline void skip_blanks(struct text *t)
{
	while (t->p < t->end && strchr(" \t\r\n", *t->p) && *t->p)
		t->p++;
}

static inline bool json_string(struct text *t)
{
	if (!takes(t, "\""))
		return false;
	for (; t->p < t->end && *t->p != '"'; t->p++) {
		if ((uint8_t)*t->p < ' ')
			return false;
		if (*t->p != '\\')
			continue;
		t->p++;
		if (next_of(t) == 'u') {
			for (int i = 0; i < 4; i++) {
				t->p++;
				if (!next_of(t) || !strchr("0123456789abcdefABCDEF", *t->p))
					return false;
			}
		} else if (!next_of(t) || !strchr("\"\\/bfnrt", *t->p)) {
			return false;
		}
	}
	return takes(t, "\"");
}

static inline bool json_scalar(struct text *t)
{
	const char *start = t->p;

	if (next_of(t) == '"')
		return json_string(t);
	if (takes(t, "true") || takes(t, "false") || takes(t, "null"))
		return true;
	takes(t, "-");
	if (takes(t, "0") && next_of(t) >= '0' && next_of(t) <= '9')
		return false;
	while (next_of(t) && strchr("0123456789.eE+-", *t->p))
		t->p++;
	return t->p > start && t->p[-1] >= '0' && t->p[-1] <= '9';
}

#define JSON_MAX_DEPTH 64

static inline bool is_json(const char *s, size_t size)
{
	struct text t = { s, s + size };
	char open[JSON_MAX_DEPTH];
	int depth = 0;
	bool is_value = true; /* one must come */

	if (!is_utf8(s, size))
		return false;
	for (;;) {
		skip_blanks(&t);
		if (is_value && (next_of(&t) == '{' || next_of(&t) == '[')) {
			if (depth == JSON_MAX_DEPTH)
				return false;
			open[depth++] = *t.p++;
			skip_blanks(&t);
			is_value = next_of(&t) != (open[depth - 1] == '{' ? '}' : ']');
		} else if (is_value) {
			if (!json_scalar(&t))
				return false;
			is_value = false;
		} else if (!depth) {
			return t.p == t.end;
		} else if (takes(&t, open[depth - 1] == '{' ? "}" : "]")) {
			depth--;
		} else if (takes(&t, ",")) {
			is_value = true;
			skip_blanks(&t);
		} else {
			return false;
		}
		if (is_value && depth && open[depth - 1] == '{') {
			if (!json_string(&t))
				return false;
			skip_blanks(&t);
			if (!takes(&t, ":"))
				return false;
		}
	}
}

/* ---- XML ---- */

static inline bool xml_reference(struct text *t)
{
	const char *start;

	if (takes(t, "amp;") || takes(t, "lt;") || takes(t, "gt;") || takes(t, "quot;") || takes(t, "apos;"))
		return true;
	if (!takes(t, "#"))
		return false;
	takes(t, "x");
	start = t->p;
	while (next_of(t) && strchr("0123456789abcdefABCDEF", *t->p))
		t->p++;
	return t->p > start && takes(t, ";");
}

/* Text up to `stop`, which stays. */
static inline bool xml_text(struct text *t, char stop)
{
	while (t->p < t->end && *t->p != stop) {
		char c = *t->p++;

		if (c == '<' || ((uint8_t)c < ' ' && c != '\n' && c != '\t' && c != '\r'))
			return false;
		if (c == '&' && !xml_reference(t))
			return false;
	}
	return true;
}

static inline size_t xml_name(struct text *t)
{
	const char *start = t->p;

	while ((*t->p >= 'a' && *t->p <= 'z') || (*t->p >= 'A' && *t->p <= 'Z') ||
	       (t->p > start && next_of(t) && strchr("0123456789-:_", *t->p)))
		t->p++;
	return (size_t)(t->p - start);
}

/* Behind the tag's name: its attributes. */
static inline bool xml_attributes(struct text *t)
{
	for (;;) {
		const char *before = t->p;

		skip_blanks(t);
		if (next_of(t) == '>' || next_of(t) == '/')
			return true;
		if (before == t->p || !xml_name(t) || !takes(t, "=\"") || !xml_text(t, '"') || !takes(t, "\""))
			return false;
	}
}

#define XML_MAX_DEPTH 64

/* `s` has a NUL behind it. */
static inline bool is_xml(const char *s, size_t size)
{
	struct text t = { s, s + size };
	char open[XML_MAX_DEPTH][32]; /* names */
	int depth = 0;

	if (!is_utf8(s, size) || !takes(&t, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"))
		return false;
	while (t.p < t.end) {
		if (*t.p != '<') {
			if (!xml_text(&t, '<'))
				return false;
		} else if (takes(&t, "<![CDATA[")) {
			for (; !takes(&t, "]]>"); t.p++)
				if (t.p == t.end || ((uint8_t)*t.p < ' ' && *t.p != '\n' && *t.p != '\t'))
					return false;
		} else if (takes(&t, "</")) {
			if (!depth-- || !takes(&t, open[depth]) || !takes(&t, ">"))
				return false;
		} else {
			const char *name = ++t.p;
			size_t len = xml_name(&t);

			if (depth == XML_MAX_DEPTH || !len || len >= sizeof(open[0]) || !xml_attributes(&t))
				return false;
			memcpy(open[depth], name, len);
			open[depth++][len] = 0;
			if (takes(&t, "/>"))
				depth--;
			else if (!takes(&t, ">"))
				return false;
		}
	}
	return !depth;
}

/* ---- tables ---- */

/* As many fields in each row as in the first; quotes are doubled inside of quotes. */
static inline bool is_csv(const char *s, size_t size)
{
	struct text t = { s, s + size };
	size_t nr_first = 0, nr = 1;

	while (t.p < t.end) {
		if (takes(&t, "\"")) {
			while (t.p < t.end && (*t.p != '"' || (t.end - t.p > 1 && t.p[1] == '"')))
				t.p += *t.p == '"' ? 2 : 1;
			if (!takes(&t, "\""))
				return false;
		} else {
			while (t.p < t.end && *t.p != ',' && *t.p != '\n' && *t.p != '"')
				t.p++;
		}
		if (takes(&t, ",")) {
			nr++;
		} else if (takes(&t, "\n")) {
			if (nr_first && nr != nr_first)
				return false;
			nr_first = nr;
			nr = 1;
		} else {
			return false;
		}
	}
	return true;
}

/* Each line is something, a blank and a number; no byte is one that a terminal obeys. */
static inline bool is_folded(const char *s, size_t size)
{
	struct text t = { s, s + size };

	while (t.p < t.end) {
		const char *end = memchr(t.p, '\n', (size_t)(t.end - t.p)), *digit = end;

		if (!end)
			return false;
		while (digit > t.p && digit[-1] >= '0' && digit[-1] <= '9')
			digit--;
		if (digit == end || digit <= t.p + 1 || digit[-1] != ' ')
			return false;
		for (; t.p < end; t.p++)
			if ((uint8_t)*t.p < ' ' || *t.p == 0x7f)
				return false;
		t.p++;
	}
	return true;
}

#endif
