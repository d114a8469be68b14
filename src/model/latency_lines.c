/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reads lines of two numbers. What follows the second number behind a blank is for people and ignored.
 */
#include "model/latency_lines.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define MAX_DIGITS 19 /* always fit into 64 bits */

/* The digits of a number, the first 19 that count; *shift: by how many powers of ten the number is larger. */
static const char *read_digits(const char *p, uint64_t *digits, int *shift, bool *any)
{
	bool in_fraction = false;
	int nr = 0;

	for (*any = false;; p++) {
		if (*p == '.' && !in_fraction) {
			in_fraction = true;
			continue;
		}
		if (*p < '0' || *p > '9')
			return p;
		*any = true;
		if (nr < MAX_DIGITS) {
			*digits = *digits * 10 + (uint64_t)(*p - '0');
			nr += *digits > 0;
			*shift -= in_fraction;
		} else {
			*shift += !in_fraction;
		}
	}
}

static const char *read_exponent(const char *p, int *shift)
{
	bool negative = p[1] == '-';
	const char *q = p + 1 + (p[1] == '-' || p[1] == '+');
	int exponent = 0;

	if (!isdigit((unsigned char)*q))
		return p;
	for (; isdigit((unsigned char)*q); q++)
		if (exponent < 10000)
			exponent = exponent * 10 + (*q - '0');
	*shift += negative ? -exponent : exponent;
	return q;
}

bool latency_number(const char *text, const char **end, int exponent, uint64_t *value)
{
	const char *p = text + (*text == '+');
	uint64_t digits = 0;
	int shift = exponent;
	bool any;

	p = read_digits(p, &digits, &shift, &any);
	if (!any)
		return false;
	if (*p == 'e' || *p == 'E')
		p = read_exponent(p, &shift);
	*end = p;
	for (; shift > 0 && digits; shift--)
		if (__builtin_mul_overflow(digits, 10, &digits))
			return false;
	/* Only the last digit that goes decides; the ones behind it cannot turn a half up into a half down. */
	for (; shift < -1 && digits; shift++)
		digits /= 10;
	if (shift == -1)
		digits = digits / 10 + (digits % 10 >= 5);
	*value = digits;
	return true;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == ',' || c == ';' || c == '\r';
}

static bool read_line(const struct latency_lines *l, const char *p, uint64_t *time_ns, uint64_t *value_ns)
{
	if (!latency_number(p, &p, l->time_exponent, time_ns) || !is_blank(*p))
		return false;
	while (is_blank(*p))
		p++;
	return latency_number(p, &p, l->value_exponent, value_ns) && (!*p || is_blank(*p));
}

static void take_line(struct latency_lines *l)
{
	const char *p = l->line;
	uint64_t time_ns, value_ns;
	bool has_nul;

	l->nr_lines++;
	l->line[l->len] = 0;
	has_nul = strlen(l->line) != l->len;
	while (is_blank(*p))
		p++;
	if (!l->is_long && !has_nul && (!*p || *p == '#')) {
		l->nr_comments++;
	} else if (!l->is_long && !has_nul && read_line(l, p, &time_ns, &value_ns)) {
		l->nr_good++;
		l->is_stopped = !l->each(l->ctx, time_ns, value_ns);
	} else if (!l->nr_bad++) {
		l->first_bad = l->nr_lines;
		snprintf(l->first_bad_text, sizeof(l->first_bad_text), "%.*s", (int)sizeof(l->first_bad_text) - 1, l->line);
	}
	l->len = 0;
	l->is_long = false;
}

void latency_lines_init(struct latency_lines *l, int time_exponent, int value_exponent,
			bool (*each)(void *ctx, uint64_t time_ns, uint64_t value_ns), void *ctx)
{
	memset(l, 0, sizeof(*l));
	l->time_exponent = time_exponent;
	l->value_exponent = value_exponent;
	l->each = each;
	l->ctx = ctx;
}

void latency_lines_feed(struct latency_lines *l, const void *text, size_t size)
{
	const char *p = text, *end = p + size;

	while (p < end && !l->is_stopped) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		size_t len = (size_t)((nl ? nl : end) - p), room = LATENCY_LINE_MAX - 1 - l->len;

		l->is_long |= len > room;
		memcpy(l->line + l->len, p, len < room ? len : room);
		l->len += (uint32_t)(len < room ? len : room);
		if (!nl)
			return;
		take_line(l);
		p = nl + 1;
	}
}

void latency_lines_end(struct latency_lines *l)
{
	if ((l->len || l->is_long) && !l->is_stopped)
		take_line(l);
}
