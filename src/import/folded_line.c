/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The count is what stands behind the last blank: everything before belongs to names, which may have blanks. So a second number is a count
 * only where every line has one.
 */
#include "import/folded_line.h"

#include <string.h>

#define MAX_DIGITS 40u /* of a number that are looked at; more cannot make a difference */
#define MAX_EXPONENT 1000

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static size_t trim(const char *s, size_t len)
{
	while (len && is_blank(s[len - 1]))
		len--;
	return len;
}

/* A number as it was written: digits, and how many of them stand in front of the point. */
struct decimal {
	uint8_t digits[MAX_DIGITS];
	uint32_t nr;
	int32_t point;
};

static void add_digit(struct decimal *d, char c, bool is_fraction)
{
	bool is_leading = !d->nr && c == '0';

	if (!is_leading && d->nr < MAX_DIGITS)
		d->digits[d->nr++] = (uint8_t)(c - '0');
	if (!is_fraction && !is_leading && d->point < MAX_EXPONENT)
		d->point++;
	else if (is_fraction && is_leading && d->point > -MAX_EXPONENT)
		d->point--;
}

/* "e+06" */
static bool take_exponent(struct decimal *d, const char *s, size_t len)
{
	bool is_negative = len > 1 && s[1] == '-';
	int32_t e = 0;
	size_t i = len > 1 && (s[1] == '-' || s[1] == '+') ? 2 : 1;

	if (i >= len)
		return false;
	for (; i < len; i++) {
		if (!is_digit(s[i]))
			return false;
		e = e < MAX_EXPONENT ? e * 10 + (s[i] - '0') : e;
	}
	d->point += is_negative ? -e : e;
	return true;
}

static bool parse_decimal(const char *s, size_t len, struct decimal *d)
{
	size_t i = len && *s == '+', nr_digits = 0;
	bool is_fraction = false;

	*d = (struct decimal){ .nr = 0 };
	for (; i < len && (is_digit(s[i]) || (s[i] == '.' && !is_fraction)); i++) {
		if (s[i] == '.') {
			is_fraction = true;
			if (!nr_digits)
				return false;
			continue;
		}
		add_digit(d, s[i], is_fraction);
		nr_digits++;
	}
	if (!nr_digits)
		return false;
	return i == len || ((s[i] == 'e' || s[i] == 'E') && take_exponent(d, s + i, len - i));
}

/* "42", "41.7", "1.5e+06", to the nearest whole number. */
static bool parse_count(const char *s, size_t len, uint64_t *count, bool *is_rounded)
{
	struct decimal d;

	*count = 0;
	if (!parse_decimal(s, len, &d))
		return false;
	for (int32_t i = 0; d.nr && i < d.point; i++) {
		if (*count > (INT64_MAX - 9) / 10)
			return false;
		*count = *count * 10 + (i < (int32_t)d.nr ? d.digits[i] : 0);
	}
	if (d.point >= 0 && d.point < (int32_t)d.nr)
		*count += d.digits[d.point] >= 5;
	for (int32_t i = d.point < 0 ? 0 : d.point; i < (int32_t)d.nr; i++)
		*is_rounded |= d.digits[i] > 0;
	return true;
}

/* Takes a count off the end. */
static bool take_count(const char *s, size_t *len, uint64_t *count, bool *is_rounded)
{
	size_t end = trim(s, *len), at = end;

	while (at && !is_blank(s[at - 1]))
		at--;
	if (!at || !parse_count(s + at, end - at, count, is_rounded))
		return false;
	*len = trim(s, at);
	return *len;
}

bool folded_line_parse(const char *s, size_t len, const struct folded_style *style, struct folded_line *line)
{
	size_t indent = 0;

	while (indent < style->indent && indent < len && is_blank(s[indent]))
		indent++;
	*line = (struct folded_line){ .stack = s + indent, .len = len - indent };
	if (!take_count(line->stack, &line->len, &line->count[0], &line->is_rounded))
		return false;
	if (!style->is_pair)
		return true;
	line->count[1] = line->count[0];
	return take_count(line->stack, &line->len, &line->count[0], &line->is_rounded);
}

/* Reads digits from the end; the length without them. */
static size_t digits_before(const char *s, size_t len, int32_t *v)
{
	uint64_t value = 0, scale = 1;
	size_t at = len;

	for (; at && is_digit(s[at - 1]) && scale < UINT64_C(10000000000); at--, scale *= 10)
		value += (uint64_t)(s[at - 1] - '0') * scale;
	*v = value <= INT32_MAX ? (int32_t)value : -1;
	return at;
}

bool folded_take_task(const char *s, size_t *len, int32_t *pid, int32_t *tid)
{
	static const char unknown[] = "--1/-1"; /* of a task that is gone */
	size_t nr_unknown = sizeof(unknown) - 1, slash = digits_before(s, *len, tid), dash;

	if (*len > nr_unknown && !memcmp(s + *len - nr_unknown, unknown, nr_unknown)) {
		*pid = *tid = -1;
		*len -= nr_unknown;
		return true;
	}
	if (slash == *len || !slash || s[slash - 1] != '/')
		return false;
	dash = digits_before(s, slash - 1, pid);
	if (dash == slash - 1 || dash < 2 || s[dash - 1] != '-' || *pid < 0 || *tid < 0)
		return false;
	*len = dash - 1;
	return true;
}

bool folded_is_passed(const char *s, size_t len)
{
	return !trim(s, len) || *s == '#';
}

/* ---- a text ---- */

static void look_at(struct folded_style *style, const char *s, size_t len, bool is_first)
{
	const struct folded_style plain = { 0 }, pair = { .is_pair = true };
	struct folded_line line;
	size_t indent = 0, n;
	int32_t pid, tid;

	while (indent < len && is_blank(s[indent]))
		indent++;
	if (is_first || indent < style->indent)
		style->indent = indent;
	if (!folded_line_parse(s + indent, len - indent, &pair, &line))
		style->is_pair = false;
	if (!folded_line_parse(s + indent, len - indent, &plain, &line))
		return;
	n = 0;
	while (n < line.len && line.stack[n] != ';')
		n++;
	style->has_tasks = style->has_tasks && folded_take_task(line.stack, &n, &pid, &tid);
}

void folded_style_find(struct folded_style *style, const char *text, size_t size, bool is_whole)
{
	const struct folded_style plain = { 0 };
	struct folded_line line;
	bool is_first = true;

	*style = (struct folded_style){ .is_pair = true, .has_tasks = true };
	for (const char *s = text, *end; size; size -= (size_t)(end - s), s = end) {
		const char *nl = memchr(s, '\n', size);
		size_t len = nl ? (size_t)(nl - s) : size;

		end = nl ? nl + 1 : s + size;
		if (len && s[len - 1] == '\r')
			len--;
		if ((!nl && !is_first && !is_whole) || folded_is_passed(s, len) || !folded_line_parse(s, len, &plain, &line))
			continue;
		look_at(style, s, len, is_first);
		is_first = false;
	}
	if (is_first)
		*style = plain;
}
