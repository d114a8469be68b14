/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Text → cells.
 */
#include "view/ui_screen.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/escape.h"
#include "base/mem.h"
#include "view/page.h"

#define LEAST_SHORTENED 6 /* columns: in fewer there is the beginning of a name */
#define LEAST_MARKED 16	  /* columns of a name, of which some may go to a mark */

void ui_screen_init(struct ui_screen *s, int rows, int columns, bool utf8)
{
	*s = (struct ui_screen){ .utf8 = utf8, .cursor_row = -1 };
	s->rows = rows < 1 ? 1 : rows > UI_MAX_SIZE ? UI_MAX_SIZE : rows;
	s->columns = columns < 1 ? 1 : columns > UI_MAX_SIZE ? UI_MAX_SIZE : columns;
	s->cells = mem_alloc((size_t)s->rows * (size_t)s->columns * sizeof(*s->cells));
	out_init(&s->scratch, -1);
	ui_screen_clear(s);
}

void ui_screen_fini(struct ui_screen *s)
{
	free(s->cells);
	s->cells = NULL;
	out_fini(&s->scratch);
}

void ui_screen_clear(struct ui_screen *s)
{
	for (int i = 0; i < s->rows * s->columns; i++)
		s->cells[i] = (struct ui_cell){ ' ', UI_PLAIN };
	s->cursor_row = -1;
}

/* Ranges of characters: those that terminals give two columns, and marks that combine with the character before, which have none. */
struct range {
	uint32_t first, last;
};

static const struct range wide[] = {
	{ 0x1100, 0x115f },   { 0x231a, 0x231b },   { 0x2329, 0x232a },	  { 0x23e9, 0x23ec },	{ 0x23f0, 0x23f0 },   { 0x23f3, 0x23f3 },
	{ 0x25fd, 0x25fe },   { 0x2614, 0x2615 },   { 0x2648, 0x2653 },	  { 0x267f, 0x267f },	{ 0x2693, 0x2693 },   { 0x26a1, 0x26a1 },
	{ 0x26aa, 0x26ab },   { 0x26bd, 0x26be },   { 0x26c4, 0x26c5 },	  { 0x26ce, 0x26ce },	{ 0x26d4, 0x26d4 },   { 0x26ea, 0x26ea },
	{ 0x26f2, 0x26f3 },   { 0x26f5, 0x26f5 },   { 0x26fa, 0x26fa },	  { 0x26fd, 0x26fd },	{ 0x2705, 0x2705 },   { 0x270a, 0x270b },
	{ 0x2728, 0x2728 },   { 0x274c, 0x274c },   { 0x274e, 0x274e },	  { 0x2753, 0x2755 },	{ 0x2757, 0x2757 },   { 0x2795, 0x2797 },
	{ 0x27b0, 0x27b0 },   { 0x27bf, 0x27bf },   { 0x2b1b, 0x2b1c },	  { 0x2b50, 0x2b50 },	{ 0x2b55, 0x2b55 },   { 0x2e80, 0x303e },
	{ 0x3041, 0x33ff },   { 0x3400, 0x4dbf },   { 0x4e00, 0x9fff },	  { 0xa000, 0xa4cf },	{ 0xa960, 0xa97c },   { 0xac00, 0xd7a3 },
	{ 0xf900, 0xfaff },   { 0xfe10, 0xfe19 },   { 0xfe30, 0xfe6f },	  { 0xff00, 0xff60 },	{ 0xffe0, 0xffe6 },   { 0x16fe0, 0x18cff },
	{ 0x1aff0, 0x1b2ff }, { 0x1f004, 0x1f004 }, { 0x1f0cf, 0x1f0cf }, { 0x1f18e, 0x1f18e }, { 0x1f191, 0x1f19a }, { 0x1f200, 0x1f320 },
	{ 0x1f32d, 0x1f335 }, { 0x1f337, 0x1f37c }, { 0x1f37e, 0x1f393 }, { 0x1f3a0, 0x1f3ca }, { 0x1f3cf, 0x1f3d3 }, { 0x1f3e0, 0x1f3f0 },
	{ 0x1f3f4, 0x1f3f4 }, { 0x1f3f8, 0x1f43e }, { 0x1f440, 0x1f440 }, { 0x1f442, 0x1f4fc }, { 0x1f4ff, 0x1f53d }, { 0x1f54b, 0x1f54e },
	{ 0x1f550, 0x1f567 }, { 0x1f57a, 0x1f57a }, { 0x1f595, 0x1f596 }, { 0x1f5a4, 0x1f5a4 }, { 0x1f5fb, 0x1f64f }, { 0x1f680, 0x1f6c5 },
	{ 0x1f6cc, 0x1f6cc }, { 0x1f6d0, 0x1f6d2 }, { 0x1f6d5, 0x1f6df }, { 0x1f6eb, 0x1f6ec }, { 0x1f6f4, 0x1f6fc }, { 0x1f7e0, 0x1f7f0 },
	{ 0x1f90c, 0x1f9ff }, { 0x1fa70, 0x1faff }, { 0x20000, 0x3fffd },
};

static const struct range combining[] = {
	{ 0x300, 0x36f },   { 0x483, 0x489 },	{ 0x591, 0x5bd },   { 0x5bf, 0x5c7 },	  { 0x610, 0x61a },	{ 0x64b, 0x65f },
	{ 0x670, 0x670 },   { 0x6d6, 0x6ed },	{ 0x700, 0x70f },   { 0x711, 0x711 },	  { 0x730, 0x74a },	{ 0x7a6, 0x7b0 },
	{ 0x7eb, 0x7fd },   { 0x816, 0x82d },	{ 0x859, 0x85b },   { 0x890, 0x903 },	  { 0x93a, 0x94f },	{ 0x951, 0x957 },
	{ 0x962, 0x963 },   { 0x981, 0x983 },	{ 0x9bc, 0x9cd },   { 0xa01, 0xa03 },	  { 0xa3c, 0xa51 },	{ 0xa70, 0xa83 },
	{ 0xabc, 0xacd },   { 0xb01, 0xb03 },	{ 0xb3c, 0xb57 },   { 0xbbe, 0xbcd },	  { 0xc00, 0xc04 },	{ 0xc3c, 0xc56 },
	{ 0xcbc, 0xcd6 },   { 0xd00, 0xd03 },	{ 0xd3b, 0xd4d },   { 0xdca, 0xddf },	  { 0xe31, 0xe31 },	{ 0xe34, 0xe3a },
	{ 0xe47, 0xe4e },   { 0xeb1, 0xeb1 },	{ 0xeb4, 0xebc },   { 0xec8, 0xecd },	  { 0xf18, 0xf19 },	{ 0xf35, 0xf39 },
	{ 0xf71, 0xf84 },   { 0xf86, 0xfbc },	{ 0x102b, 0x103e }, { 0x1056, 0x1059 },	  { 0x1160, 0x11ff },	{ 0x135d, 0x135f },
	{ 0x1712, 0x1715 }, { 0x17b4, 0x17d3 }, { 0x180b, 0x180f }, { 0x1920, 0x193b },	  { 0x1a17, 0x1a1b },	{ 0x1a55, 0x1a7f },
	{ 0x1ab0, 0x1aff }, { 0x1b00, 0x1b04 }, { 0x1b34, 0x1b44 }, { 0x1cd0, 0x1cf9 },	  { 0x1dc0, 0x1dff },	{ 0x20d0, 0x20f0 },
	{ 0x2cef, 0x2cf1 }, { 0x2de0, 0x2dff }, { 0x302a, 0x302f }, { 0x3099, 0x309a },	  { 0xa66f, 0xa69f },	{ 0xa6f0, 0xa6f1 },
	{ 0xa802, 0xa80b }, { 0xa823, 0xa82c }, { 0xa880, 0xa881 }, { 0xa8b4, 0xa8f1 },	  { 0xa926, 0xa953 },	{ 0xd7b0, 0xd7ff },
	{ 0xfb1e, 0xfb1e }, { 0xfe00, 0xfe0f }, { 0xfe20, 0xfe2f }, { 0x1d165, 0x1d1ad }, { 0x1f3fb, 0x1f3ff },
};

static bool is_in(const struct range *ranges, size_t nr, uint32_t c)
{
	size_t low = 0;

	while (low < nr) {
		size_t middle = low + (nr - low) / 2;

		if (c < ranges[middle].first)
			nr = middle;
		else if (c > ranges[middle].last)
			low = middle + 1;
		else
			return true;
	}
	return false;
}

/* What escape_terminal() wrote is valid, but for what is not UTF-8 and no control byte either: that is shown byte by byte. */
static size_t decode(const unsigned char *s, size_t len, uint32_t *c)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t nr = s[0] < 0x80 ? 1 : s[0] >= 0xc2 && s[0] < 0xe0 ? 2 : (s[0] & 0xf0) == 0xe0 ? 3 : s[0] >= 0xf0 && s[0] < 0xf5 ? 4 : 0;

	if (!nr || nr > len)
		return 0;
	*c = nr == 1 ? s[0] : s[0] & (0x7fu >> nr);
	for (size_t i = 1; i < nr; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		*c = *c << 6 | (s[i] & 0x3f);
	}
	return *c < least[nr] || *c > 0x10ffff || (*c >= 0xd800 && *c < 0xe000) ? 0 : nr;
}

/* Text as characters that take columns; a byte that is none of UTF-8 is four of them. */
struct reader {
	const unsigned char *s;
	size_t len;
	char bytes[20]; /* \xNN of what cannot be shown */
	uint8_t nr_bytes, next_byte;
	bool utf8;
};

static bool read_character(struct reader *r, uint32_t *c, int *width)
{
	size_t nr;

	*width = 1;
	if (r->next_byte == r->nr_bytes) {
		if (!r->len)
			return false;
		nr = decode(r->s, r->len, c);
		if (nr == 1 || (nr && r->utf8 && !is_in(combining, sizeof(combining) / sizeof(*combining), *c))) {
			r->s += nr;
			r->len -= nr;
			*width = nr > 1 && is_in(wide, sizeof(wide) / sizeof(*wide), *c) ? 2 : 1;
			return true;
		}
		nr = nr ? nr : 1;
		r->next_byte = 0;
		r->nr_bytes = 0;
		for (size_t i = 0; i < nr; i++)
			r->nr_bytes += (uint8_t)snprintf(r->bytes + r->nr_bytes, sizeof(r->bytes) - r->nr_bytes, "\\x%02x", r->s[i]);
		r->s += nr;
		r->len -= nr;
	}
	*c = (unsigned char)r->bytes[r->next_byte++];
	return true;
}

static struct reader open_reader(struct ui_screen *s, const char *text, size_t len)
{
	struct reader r = { (const unsigned char *)text, len, .utf8 = s->utf8 };

	if (escape_terminal_is_plain(text, len))
		return r;
	s->scratch.len = 0;
	escape_terminal(&s->scratch, text, len);
	r.s = (const unsigned char *)s->scratch.buf;
	r.len = s->scratch.len;
	return r;
}

static void set_cell(struct ui_screen *s, int row, int column, uint32_t c, enum ui_style style)
{
	struct ui_cell *line = &s->cells[row * s->columns];

	/* Half of a wide character is none. */
	if (line[column].character == 0 && column > 0)
		line[column - 1].character = ' ';
	if (column + 1 < s->columns && line[column + 1].character == 0)
		line[column + 1].character = ' ';
	line[column] = (struct ui_cell){ c, (uint8_t)style };
}

static int put_characters(struct ui_screen *s, int row, int column, int width, enum ui_style style, struct reader *r)
{
	int end = width < s->columns - column ? column + width : s->columns, columns;
	uint32_t c;

	if (row < 0 || row >= s->rows || column < 0)
		return column;
	while (column < end && read_character(r, &c, &columns)) {
		if (column + columns > end)
			c = ' ', columns = 1;
		set_cell(s, row, column, c, style);
		if (columns == 2) {
			set_cell(s, row, column + 1, ' ', style);
			s->cells[row * s->columns + column + 1].character = 0;
		}
		column += columns;
	}
	return column;
}

int ui_put(struct ui_screen *s, int row, int column, int width, enum ui_style style, const char *text, size_t len)
{
	struct reader r = open_reader(s, text, len);

	return put_characters(s, row, column, width, style, &r);
}

int ui_put_str(struct ui_screen *s, int row, int column, int width, enum ui_style style, const char *text)
{
	return ui_put(s, row, column, width, style, text, strlen(text));
}

int ui_printf(struct ui_screen *s, int row, int column, int width, enum ui_style style, const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (len < 0)
		mem_die(0);
	column = ui_put(s, row, column, width, style, text, (size_t)len);
	free(text);
	return column;
}

int ui_width(struct ui_screen *s, const char *text, size_t len)
{
	struct reader r = open_reader(s, text, len);
	int sum = 0, width;
	uint32_t c;

	while (read_character(&r, &c, &width))
		sum += width;
	return sum;
}

int ui_put_middle(struct ui_screen *s, int row, int column, int width, enum ui_style style, const char *text, size_t len)
{
	int whole = ui_width(s, text, len), head = (width - 1 + 1) / 2, skipped, w;
	struct reader r = open_reader(s, text, len);
	uint32_t c;

	if (whole <= width || width < 5)
		return put_characters(s, row, column, width, style, &r);
	if (!s->utf8)
		head = (width - 2) / 2;
	int at = put_characters(s, row, column, head, style, &r);

	at = ui_put_str(s, row, at, width, style, s->utf8 ? "\u2026" : "..");
	/* `r` reads from the scratch, which the line before did not need. */
	for (skipped = head; skipped < whole - (column + width - at) && read_character(&r, &c, &w); skipped += w)
		continue;
	return put_characters(s, row, at, column + width - at, style, &r);
}

int ui_put_skipped(struct ui_screen *s, int row, int column, int skipped, enum ui_style style, const char *text, size_t len)
{
	size_t at = 0;

	for (int i = 0; i < skipped && at < len; i++)
		for (at++; at < len && (text[at] & 0xc0) == 0x80; at++)
			continue;
	return ui_put(s, row, column, s->columns - column, style, text + at, len - at);
}

/* "[k] " in front of a symbol. */
static size_t mark_before(const char *text, size_t len)
{
	return len > 4 && text[0] == '[' && text[2] == ']' && text[3] == ' ' ? 4 : 0;
}

static size_t mark_behind(const char *text, size_t len)
{
	static const char mark[] = " (inlined)";
	size_t nr = sizeof(mark) - 1;

	return len > nr && !memcmp(text + len - nr, mark, nr) ? nr : 0;
}

static bool is_ascii(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (text[i] & 0x80)
			return false;
	return true;
}

int ui_put_name(struct ui_screen *s, int row, int column, int width, enum ui_style style, const char *text, size_t len)
{
	size_t before, behind, room;
	struct out clean, shown;

	width = width < s->columns - column ? width : s->columns - column;
	if (width < LEAST_SHORTENED || !s->utf8 || ui_width(s, text, len) <= width)
		return ui_put_middle(s, row, column, width, style, text, len);
	out_init(&clean, -1);
	out_init(&shown, -1);
	escape_terminal(&clean, text, len);
	before = mark_before(clean.buf, clean.len);
	behind = mark_behind(clean.buf, clean.len);
	room = (size_t)width;
	if (width >= LEAST_MARKED)
		out_mem(&shown, clean.buf, before);
	room -= shown.len;
	if (room < behind + LEAST_MARKED) {
		clean.len -= behind;
		behind = 0;
	}
	/* Letters are columns in ASCII alone. */
	if (is_ascii(clean.buf, clean.len)) {
		label_shorten_text(&shown, clean.buf + before, clean.len - before - behind, room - behind, false);
		out_mem(&shown, clean.buf + clean.len - behind, behind);
		column = ui_put(s, row, column, width, style, shown.buf, shown.len);
	} else {
		column = ui_put_middle(s, row, column, width, style, text, len);
	}
	out_fini(&clean);
	out_fini(&shown);
	return column;
}

void ui_restyle(struct ui_screen *s, int row, int column, int width, enum ui_style style)
{
	if (row < 0 || row >= s->rows || column < 0)
		return;
	for (int i = column; i < s->columns && i - column < width; i++)
		s->cells[row * s->columns + i].style = (uint8_t)style;
}

void ui_fill(struct ui_screen *s, int row, int column, int width, enum ui_style style)
{
	if (row < 0 || row >= s->rows || column < 0)
		return;
	for (int i = column; i < s->columns && i - column < width; i++)
		set_cell(s, row, i, ' ', style);
}

static void put_utf8(struct out *o, uint32_t c)
{
	if (c < 0x80) {
		out_char(o, (char)c);
	} else if (c < 0x800) {
		out_char(o, (char)(0xc0 | c >> 6));
		out_char(o, (char)(0x80 | (c & 0x3f)));
	} else if (c < 0x10000) {
		out_char(o, (char)(0xe0 | c >> 12));
		out_char(o, (char)(0x80 | (c >> 6 & 0x3f)));
		out_char(o, (char)(0x80 | (c & 0x3f)));
	} else {
		out_char(o, (char)(0xf0 | c >> 18));
		out_char(o, (char)(0x80 | (c >> 12 & 0x3f)));
		out_char(o, (char)(0x80 | (c >> 6 & 0x3f)));
		out_char(o, (char)(0x80 | (c & 0x3f)));
	}
}

void ui_screen_text(const struct ui_screen *s, struct out *o)
{
	for (int row = 0; row < s->rows; row++) {
		size_t start = o->len;

		for (int i = 0; i < s->columns; i++)
			if (s->cells[row * s->columns + i].character)
				put_utf8(o, s->cells[row * s->columns + i].character);
		while (o->len > start && o->buf[o->len - 1] == ' ')
			o->len--;
		out_char(o, '\n');
	}
}
