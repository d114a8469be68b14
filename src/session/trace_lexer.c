/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Cuts `print fmt` into tokens.
 */
#include "session/trace_print.h"

#include <string.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_';
}

static int digit_of(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 16;
}

/* C's rule: the first type that fits; only numbers that are not decimal become unsigned by themselves. */
static struct trace_type number_type(uint64_t v, bool is_decimal, bool is_unsigned, unsigned nr_long, uint8_t long_size)
{
	uint8_t size = nr_long > 1 ? 8 : nr_long ? long_size : 4;

	if (size == 4 && v > UINT32_MAX)
		size = 8;
	if (size == 4 && v > INT32_MAX && !is_unsigned) {
		if (is_decimal)
			size = 8;
		else
			is_unsigned = true;
	}
	if (size == 8 && v > INT64_MAX)
		is_unsigned = true;
	return (struct trace_type){ size, !is_unsigned };
}

static bool read_number(struct trace_lexer *l)
{
	unsigned base = 10, nr_long = 0;
	bool is_unsigned = false;
	uint64_t v = 0;
	size_t i = 0;

	if (l->len > 2 && l->s[0] == '0' && (l->s[1] == 'x' || l->s[1] == 'X')) {
		base = 16;
		i = 2;
	} else if (l->len > 1 && l->s[0] == '0' && is_digit(l->s[1])) {
		base = 8;
		i = 1;
	}
	for (; i < l->len && (unsigned)digit_of(l->s[i]) < base; i++)
		if (__builtin_mul_overflow(v, base, &v) || __builtin_add_overflow(v, (uint64_t)digit_of(l->s[i]), &v))
			return false;
	for (; i < l->len; i++) {
		if (l->s[i] == 'u' || l->s[i] == 'U')
			is_unsigned = true;
		else if (l->s[i] == 'l' || l->s[i] == 'L')
			nr_long++;
		else
			return false;
	}
	l->number = v;
	l->type = number_type(v, base == 10, is_unsigned, nr_long, l->long_size);
	return true;
}

/* From a quote to the next that no backslash protects. */
static bool read_quoted(struct trace_lexer *l, char quote)
{
	const char *p = l->pos;

	for (; p < l->end && *p != quote; p++) {
		if (!*p)
			return false;
		if (*p == '\\' && ++p == l->end)
			return false;
	}
	if (p == l->end)
		return false;
	l->s = l->pos;
	l->len = (size_t)(p - l->pos);
	l->pos = p + 1;
	return true;
}

static bool read_char(struct trace_lexer *l)
{
	if (!read_quoted(l, '\''))
		return false;
	if (l->len == 1)
		l->number = (uint8_t)l->s[0];
	else if (l->len == 2 && l->s[0] == '\\')
		l->number = l->s[1] == 'n' ? '\n' : l->s[1] == 't' ? '\t' : l->s[1] == '0' ? 0 : (uint8_t)l->s[1];
	else
		return false;
	l->type = (struct trace_type){ 4, true };
	return true;
}

static size_t mark_len(const char *p, size_t left)
{
	static const char pairs[][3] = { "->", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||" };

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]) && left > 1; i++)
		if (!memcmp(p, pairs[i], 2))
			return 2;
	return *p && strchr("()[]{},?:+-*/%<>&^|!~", *p) ? 1 : 0;
}

void trace_lexer_next(struct trace_lexer *l)
{
	bool ok = true;

	while (l->pos < l->end && *l->pos && strchr(" \t\r\n", *l->pos))
		l->pos++;
	l->s = l->pos;
	l->len = 0;
	l->kind = TRACE_TOKEN_END;
	if (l->pos == l->end)
		return;
	if (is_name(*l->pos)) {
		while (l->pos < l->end && is_name(*l->pos))
			l->pos++;
		l->len = (size_t)(l->pos - l->s);
		l->kind = is_digit(*l->s) ? TRACE_TOKEN_NUMBER : TRACE_TOKEN_NAME;
		ok = l->kind == TRACE_TOKEN_NAME || read_number(l);
	} else if (*l->pos == '"') {
		l->pos++;
		l->kind = TRACE_TOKEN_STRING;
		ok = read_quoted(l, '"');
	} else if (*l->pos == '\'') {
		l->pos++;
		l->kind = TRACE_TOKEN_NUMBER;
		ok = read_char(l);
	} else {
		l->kind = TRACE_TOKEN_MARK;
		l->len = mark_len(l->pos, (size_t)(l->end - l->pos));
		l->pos += l->len;
		ok = l->len;
	}
	if (!ok)
		l->kind = TRACE_TOKEN_BAD;
}

void trace_lexer_init(struct trace_lexer *l, const char *text, size_t size, uint8_t long_size)
{
	*l = (struct trace_lexer){ .pos = text, .end = text + size, .long_size = long_size };
	trace_lexer_next(l);
}

bool trace_lexer_is(const struct trace_lexer *l, const char *mark)
{
	return l->kind == TRACE_TOKEN_MARK && strlen(mark) == l->len && !memcmp(l->s, mark, l->len);
}

bool trace_lexer_is_name(const struct trace_lexer *l, const char *name)
{
	return l->kind == TRACE_TOKEN_NAME && strlen(name) == l->len && !memcmp(l->s, name, l->len);
}

bool trace_lexer_accept(struct trace_lexer *l, const char *mark)
{
	if (!trace_lexer_is(l, mark))
		return false;
	trace_lexer_next(l);
	return true;
}
