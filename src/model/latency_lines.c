/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reads lines of two numbers. Text behind the second number is ignored, unless it shows that commas are decimal points.
 */
#include "model/latency.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "model/heat.h"

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

int latency_number(const char *text, const char **end, int exponent, uint64_t *value)
{
	const char *p = text + (*text == '+' || *text == '-');
	uint64_t digits = 0;
	int shift = exponent;
	bool any;

	p = read_digits(p, &digits, &shift, &any);
	if (!any)
		return -EINVAL;
	if (*p == 'e' || *p == 'E')
		p = read_exponent(p, &shift);
	*end = p;
	if (*text == '-' && digits)
		return -EDOM;
	for (; shift > 0 && digits; shift--)
		if (__builtin_mul_overflow(digits, 10, &digits))
			return -ERANGE;
	/* Only the last digit that goes decides; the ones behind it cannot turn a half up into a half down. */
	for (; shift < -1 && digits; shift++)
		digits /= 10;
	if (shift == -1)
		digits = digits / 10 + (digits % 10 >= 5);
	*value = digits;
	return 0;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == ',' || c == ';' || c == '\r';
}

static enum latency_fault fault_of(int err)
{
	return err == -EDOM ? LATENCY_NEGATIVE : err == -ERANGE ? LATENCY_TOO_LARGE : LATENCY_NO_NUMBERS;
}

/* Whether "1,5 0,003" is at hand: digits with one comma in them, and again behind the blank. */
static bool has_decimal_commas(const char *p)
{
	for (int nr = 0;; nr++) {
		size_t whole = strspn(p, "0123456789");

		if (!whole || p[whole] != ',' || !isdigit((unsigned char)p[whole + 1]))
			return false;
		p += whole + 1;
		p += strspn(p, "0123456789");
		if (nr == 1)
			return !*p || (is_blank(*p) && *p != ',');
		if (*p != ' ' && *p != '\t' && *p != ';')
			return false;
		p += strspn(p, " \t;");
	}
}

/* LATENCY_NR_FAULTS: none. */
static enum latency_fault read_line(const struct latency_lines *l, const char *p, uint64_t *time_ns, uint64_t *value_ns)
{
	int err = latency_number(p, &p, l->time_exponent, time_ns);

	if (err)
		return fault_of(err);
	/* perf script has a colon behind its times; 12:30:01 is no time here. */
	p += *p == ':' && is_blank(p[1]);
	if (!is_blank(*p))
		return LATENCY_NO_NUMBERS;
	while (is_blank(*p))
		p++;
	err = latency_number(p, &p, l->value_exponent, value_ns);
	if (err)
		return fault_of(err);
	if (*p && !is_blank(*p))
		return LATENCY_NO_NUMBERS;
	return *time_ns > HEAT_TIME_MAX || *value_ns > HEAT_VALUE_MAX ? LATENCY_TOO_LARGE : LATENCY_NR_FAULTS;
}

static void take_bad_line(struct latency_lines *l, enum latency_fault fault)
{
	l->nr_by_fault[fault]++;
	if (l->nr_bad++)
		return;
	l->first_bad = l->nr_lines;
	snprintf(l->first_bad_text, sizeof(l->first_bad_text), "%.*s", (int)sizeof(l->first_bad_text) - 1, l->line);
}

static void take_line(struct latency_lines *l)
{
	static const char byte_order_mark[] = "\xef\xbb\xbf";
	const char *p = l->line;
	uint64_t time_ns, value_ns;
	enum latency_fault fault = LATENCY_NO_NUMBERS;

	l->line[l->len] = 0;
	if (!l->nr_lines++ && !strncmp(p, byte_order_mark, sizeof(byte_order_mark) - 1))
		p += sizeof(byte_order_mark) - 1;
	while (is_blank(*p))
		p++;
	if (!l->is_long && strlen(l->line) == l->len) {
		if (!*p || *p == '#') {
			l->nr_comments++;
			goto out;
		}
		fault = has_decimal_commas(p) ? LATENCY_DECIMAL_COMMA : read_line(l, p, &time_ns, &value_ns);
	}
	if (fault == LATENCY_NR_FAULTS) {
		l->nr_good++;
		l->is_stopped = !l->each(l->ctx, time_ns, value_ns);
	} else {
		take_bad_line(l, fault);
	}
out:
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
