/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Names are cleaned first, then escaped for the sink (base/escape.h), so that a name looks the same everywhere.
 */
#include "view/page.h"

#include <stdio.h>
#include <string.h>

#include "base/escape.h"

#define MOST_EXACT 9e15 /* that a double counts one by one */

static bool is_plain(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((uint8_t)s[i] < 0x20 || (uint8_t)s[i] >= 0x7f)
			return false;
	return true;
}

/* The length of a UTF-8 sequence by its first byte; of what is none: 1. Whether it is well-formed the sink's escape decides. */
static size_t sequence(const uint8_t *p, size_t left, uint32_t *cp)
{
	size_t len = *p < 0xc2 ? 1 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : *p < 0xf5 ? 4 : 1;

	if (len > left)
		len = 1;
	for (size_t i = 1; i < len; i++)
		if ((p[i] & 0xc0) != 0x80)
			len = 1;
	*cp = len == 1 ? *p : *p & (0x7fu >> len);
	for (size_t i = 1; i < len; i++)
		*cp = *cp << 6 | (p[i] & 0x3f);
	return len;
}

void svg_text_clean(struct out *o, const char *s, size_t len)
{
	if (is_plain(s, len)) {
		out_mem(o, s, len);
		return;
	}
	for (size_t i = 0; i < len;) {
		const uint8_t *p = (const uint8_t *)s + i;
		uint32_t cp;
		size_t n = sequence(p, len - i, &cp);

		if (n == 1 && (cp < 0x20 || cp == 0x7f))
			out_printf(o, "\\x%02x", cp);
		else if (n > 1 && ((cp >= 0x80 && cp < 0xa0) || escape_is_invisible(cp)))
			out_printf(o, "\\u%04x", cp);
		else if ((n == 1 && cp >= 0x80) || cp == 0xfffe || cp == 0xffff || (cp >= 0xd800 && cp < 0xe000))
			out_str(o, "\xef\xbf\xbd");
		else
			out_mem(o, p, n);
		i += n;
	}
}

void svg_text(struct out *o, const char *s, size_t len)
{
	svg_text_cut(o, s, len, SIZE_MAX);
}

void svg_text_cut(struct out *o, const char *s, size_t len, size_t max)
{
	struct out clean;
	size_t end = 0, before_last = 0;

	out_init(&clean, -1);
	svg_text_clean(&clean, s, len);
	for (size_t nr = 0; end < clean.len && nr < max; nr++) {
		uint32_t cp;

		before_last = end;
		end += sequence((const uint8_t *)clean.buf + end, clean.len - end, &cp);
	}
	if (end == clean.len) {
		escape_xml(o, clean.buf, clean.len);
	} else {
		escape_xml(o, clean.buf, before_last);
		out_str(o, "…");
	}
	out_fini(&clean);
}

void svg_text_short(struct out *o, const char *s, size_t len, size_t max)
{
	struct out clean, label;

	out_init(&clean, -1);
	out_init(&label, -1);
	svg_text_clean(&clean, s, len);
	label_shorten(&label, clean.buf, clean.len, max);
	escape_xml(o, label.buf, label.len);
	out_fini(&clean);
	out_fini(&label);
}

void svg_text_json(struct out *o, const char *s, size_t len)
{
	struct out clean, json;

	out_init(&clean, -1);
	out_init(&json, -1);
	svg_text_clean(&clean, s, len);
	escape_json(&json, clean.buf, clean.len);
	out_char(o, '"');
	for (size_t i = 0; i < json.len; i++) {
		/* What is left of markup: "]]>" must not end the section. */
		if (json.buf[i] == '>' || json.buf[i] == '&')
			out_printf(o, "\\u%04x", (unsigned)json.buf[i]);
		else
			out_char(o, json.buf[i]);
	}
	out_char(o, '"');
	out_fini(&clean);
	out_fini(&json);
}

void svg_text_count(struct out *o, uint64_t v)
{
	char digits[24];
	int len = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)v);

	for (int i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			out_char(o, ',');
		out_char(o, digits[i]);
	}
}

/* As web/flame_data.js does it. */
void svg_text_number(struct out *o, double v)
{
	if (v >= 1000 && v < MOST_EXACT)
		svg_text_count(o, (uint64_t)(v + 0.5));
	else
		out_printf(o, "%.4g", v);
}

void svg_text_scaled(struct out *o, uint64_t v, double factor)
{
	if (!(factor > 0))
		svg_text_count(o, v);
	else
		svg_text_number(o, (double)v * factor);
}
