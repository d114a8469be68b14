/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * All share a shape: runs of plain bytes are copied whole, and only what is between them is looked at one character at a time. Each is a
 * function of its string alone, so that escaped strings can be concatenated.
 */
#include "base/escape.h"

#include <stdint.h>
#include <string.h>

/* The length of the well-formed UTF-8 sequence at `p` (no overlong forms, no surrogates), or 0. */
static size_t utf8_next(const uint8_t *p, const uint8_t *end, uint32_t *cp)
{
	static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t len;
	uint32_t v;

	if (p[0] < 0x80) {
		*cp = p[0];
		return 1;
	}
	if (p[0] < 0xc2 || p[0] > 0xf4)
		return 0;
	len = p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
	if ((size_t)(end - p) < len)
		return 0;
	v = p[0] & (0x7fu >> len);
	for (size_t i = 1; i < len; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		v = v << 6 | (p[i] & 0x3f);
	}
	if (v < smallest[len] || v > 0x10ffff || (v >= 0xd800 && v < 0xe000))
		return 0;
	*cp = v;
	return len;
}

/* Set where one of eight bytes is a C0 control, DEL or not ASCII. A carry reaches only the byte above one that counts itself. */
static inline uint64_t word_special(uint64_t w)
{
	return (w | (w - 0x2020202020202020ULL) | (w + 0x0101010101010101ULL)) & 0x8080808080808080ULL;
}

static inline bool byte_special(uint8_t c)
{
	return c < 0x20 || c >= 0x7f;
}

static inline bool is_printable_ascii(const char *s, size_t len)
{
	uint64_t w, special = 0;
	size_t i;

	if (len < 8) {
		for (i = 0; i < len; i++)
			special |= byte_special((uint8_t)s[i]);
		return !special;
	}
	for (i = 0; i + 8 <= len; i += 8) {
		memcpy(&w, s + i, 8);
		special |= word_special(w);
	}
	memcpy(&w, s + len - 8, 8);
	return !(special | word_special(w));
}

/* The first byte that needs an escape, or `end`. *nr_bad: how many bytes of it do (all of a character). */
static const uint8_t *terminal_plain_end(const uint8_t *p, const uint8_t *end, size_t *nr_bad)
{
	while (p < end) {
		uint32_t cp;
		size_t n;

		if (!byte_special(*p)) {
			p++;
			continue;
		}
		*nr_bad = 1;
		if (*p < 0x80)
			return p;
		n = utf8_next(p, end, &cp);
		if (n && (cp < 0xa0 || escape_is_invisible(cp))) {
			*nr_bad = n;
			return p;
		}
		/* A stray byte is a control to a terminal that is not in UTF-8 mode. */
		if (!n && *p < 0xa0)
			return p;
		p += n ? n : 1;
	}
	return end;
}

bool escape_terminal_is_plain(const char *s, size_t len)
{
	const uint8_t *p = (const uint8_t *)s;
	size_t nr_bad;

	return is_printable_ascii(s, len) || terminal_plain_end(p, p + len, &nr_bad) == p + len;
}

static void escape_control(struct out *o, uint8_t c)
{
	if (c == '\n')
		out_mem(o, "\\n", 2);
	else if (c == '\t')
		out_mem(o, "\\t", 2);
	else if (c == 0x1b)
		out_mem(o, "\\e", 2);
	else
		out_printf(o, "\\x%02x", c);
}

void escape_terminal(struct out *o, const char *s, size_t len)
{
	const uint8_t *p = (const uint8_t *)s, *end;

	if (is_printable_ascii(s, len)) {
		out_mem(o, s, len);
		return;
	}
	end = p + len;
	while (p < end) {
		size_t nr_bad = 0;
		const uint8_t *stop = terminal_plain_end(p, end, &nr_bad);

		out_mem(o, p, (size_t)(stop - p));
		p = stop;
		if (p == end)
			break;
		for (; nr_bad; nr_bad--)
			escape_control(o, *p++);
	}
}

static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */

/* Copies runs of plain bytes; `escape` writes the character behind one and returns its size. Inlined: no calls by pointer. */
static inline __attribute__((always_inline)) void escape_runs(struct out *o, const char *s, size_t len, bool (*is_plain)(uint8_t c),
							      size_t (*escape)(struct out *o, const uint8_t *p, const uint8_t *end))
{
	const uint8_t *p = (const uint8_t *)s;
	const uint8_t *end = len ? p + len : p; /* NULL may stand for the empty string */

	while (p < end) {
		const uint8_t *start = p;

		while (p < end && is_plain(*p))
			p++;
		out_mem(o, start, (size_t)(p - start));
		if (p < end)
			p += escape(o, p, end);
	}
}

static bool xml_plain(uint8_t c)
{
	return !byte_special(c) && c != '&' && c != '<' && c != '>' && c != '"' && c != '\'';
}

static size_t escape_xml_char(struct out *o, const uint8_t *p, const uint8_t *end)
{
	/* White space as references: in attributes a parser makes blanks of it otherwise. */
	static const char *const references[0x80] = { ['&'] = "&amp;",	['<'] = "&lt;",	 ['>'] = "&gt;",   ['"'] = "&quot;",
						      ['\''] = "&#39;", ['\t'] = "&#9;", ['\n'] = "&#10;", ['\r'] = "&#13;" };
	uint32_t cp = 0;
	size_t n = utf8_next(p, end, &cp);

	if (n && cp < 0x80 && references[cp])
		out_str(o, references[cp]);
	else if (!n || cp < 0x20 || cp == 0xfffe || cp == 0xffff)
		out_str(o, replacement);
	else
		out_mem(o, p, n);
	return n ? n : 1;
}

void escape_xml(struct out *o, const char *s, size_t len)
{
	escape_runs(o, s, len, xml_plain, escape_xml_char);
}

static bool json_plain(uint8_t c)
{
	return !byte_special(c) && c != '"' && c != '\\' && c != '<';
}

static size_t escape_json_char(struct out *o, const uint8_t *p, const uint8_t *end)
{
	static const char *const short_forms[0x80] = { ['"'] = "\\\"", ['\\'] = "\\\\", ['\n'] = "\\n", ['\t'] = "\\t", ['\r'] = "\\r" };
	uint32_t cp = 0;
	size_t n = utf8_next(p, end, &cp);

	if (!n)
		out_str(o, replacement);
	else if (cp < 0x80 && short_forms[cp])
		out_str(o, short_forms[cp]);
	else if (cp > 0xffff && escape_is_invisible(cp))
		out_printf(o, "\\u%04x\\u%04x", 0xd800 + ((cp - 0x10000) >> 10), 0xdc00 + ((cp - 0x10000) & 0x3ff));
	/* Legal in JSON, but not harmless in a terminal, in a <script> or to a reader. */
	else if (cp < 0x20 || cp == '<' || (cp >= 0x7f && cp < 0xa0) || escape_is_invisible(cp))
		out_printf(o, "\\u%04x", cp);
	else
		out_mem(o, p, n);
	return n ? n : 1;
}

void escape_json(struct out *o, const char *s, size_t len)
{
	escape_runs(o, s, len, json_plain, escape_json_char);
}

void escape_csv(struct out *o, const char *s, size_t len, char separator)
{
	/* With control bytes too: line breaks are among them, and their escapes could hold a separator such as a backslash. */
	bool quoted = len && (memchr(s, separator, len) || memchr(s, '"', len) || !escape_terminal_is_plain(s, len));
	const char *end = len ? s + len : s;

	if (quoted)
		out_char(o, '"');
	if (escape_begins_formula(s, len))
		out_char(o, '\'');
	while (s < end) {
		const char *start = s;

		/* The pieces between what CSV keeps; cutting at ASCII splits no UTF-8 sequence. */
		while (s < end && *s != '"' && *s != '\n' && *s != '\t' && *s != separator)
			s++;
		escape_terminal(o, start, (size_t)(s - start));
		if (s == end)
			break;
		if (*s == '"')
			out_char(o, '"');
		out_char(o, *s++);
	}
	if (quoted)
		out_char(o, '"');
}

static bool utf8_plain(uint8_t c)
{
	return c < 0x80;
}

static size_t escape_utf8_char(struct out *o, const uint8_t *p, const uint8_t *end)
{
	uint32_t cp;
	size_t n = utf8_next(p, end, &cp);

	if (n)
		out_mem(o, p, n);
	else
		out_str(o, replacement);
	return n ? n : 1;
}

void escape_utf8(struct out *o, const char *s, size_t len)
{
	escape_runs(o, s, len, utf8_plain, escape_utf8_char);
}
