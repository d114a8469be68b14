/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The text is valid JSON as long as the caller nests properly; wrong nesting aborts, since it is wrong for every input.
 */
#include "base/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"

static void json_check(bool right, const char *what)
{
	if (right)
		return;
	fprintf(stderr, "assay: JSON writer: %s\n", what);
	abort();
}

void json_init(struct json *j, struct out *o, bool pretty)
{
	*j = (struct json){ .o = o, .pretty = pretty };
}

static void json_line(struct json *j)
{
	if (!j->pretty)
		return;
	out_char(j->o, '\n');
	out_spaces(j->o, (int)j->depth * 2);
}

/* What stands before every item: a comma if it is not the first. */
static void json_item(struct json *j)
{
	if (j->after_key) {
		j->after_key = false;
		return;
	}
	if (!j->depth)
		return;
	if (j->has_items)
		out_char(j->o, ',');
	j->has_items = true;
	json_line(j);
}

static void json_open(struct json *j, char c)
{
	json_item(j);
	out_char(j->o, c);
	j->depth++;
	j->has_items = false;
}

static void json_close(struct json *j, char c)
{
	json_check(j->depth > 0, "closed more than was opened");
	json_check(!j->after_key, "a key without a value");
	j->depth--;
	if (j->has_items)
		json_line(j);
	out_char(j->o, c);
	j->has_items = true;
}

void json_object(struct json *j)
{
	json_open(j, '{');
}

void json_object_end(struct json *j)
{
	json_close(j, '}');
}

void json_splice(struct json *j, const char *members)
{
	if (!*members)
		return;
	if (j->has_items)
		out_char(j->o, ',');
	out_str(j->o, members);
	j->has_items = true;
}

void json_array(struct json *j)
{
	json_open(j, '[');
}

void json_array_end(struct json *j)
{
	json_close(j, ']');
}

void json_key(struct json *j, const char *key)
{
	json_check(j->depth > 0, "a key outside of an object");
	json_check(!j->after_key, "a key after a key");
	json_str(j, key);
	out_char(j->o, ':');
	if (j->pretty)
		out_char(j->o, ' ');
	j->after_key = true;
}

void json_str(struct json *j, const char *s)
{
	json_str_len(j, s, strlen(s));
}

void json_str_len(struct json *j, const char *s, size_t len)
{
	json_item(j);
	out_char(j->o, '"');
	escape_json(j->o, s, len);
	out_char(j->o, '"');
}

void json_u64(struct json *j, uint64_t v)
{
	json_item(j);
	out_u64(j->o, v, 0);
}

void json_i64(struct json *j, int64_t v)
{
	json_item(j);
	if (v < 0)
		out_char(j->o, '-');
	out_u64(j->o, v < 0 ? -(uint64_t)v : (uint64_t)v, 0);
}

void json_hex(struct json *j, uint64_t v)
{
	json_item(j);
	out_mem(j->o, "\"0x", 3);
	out_hex(j->o, v, 0);
	out_char(j->o, '"');
}

void json_double(struct json *j, double v, int decimals)
{
	char text[400]; /* the largest double has 309 digits before the point */
	bool point = false;
	int len;

	if (!isfinite(v)) {
		json_null(j);
		return;
	}
	if (decimals < 0)
		decimals = 0;
	if (decimals > 30)
		decimals = 30;
	len = snprintf(text, sizeof(text), "%.*f", decimals, v);
	json_item(j);
	/* A locale may have another decimal point, of several bytes at that; JSON has one. */
	for (int i = 0; i < len; i++) {
		if (text[i] == '-' || (text[i] >= '0' && text[i] <= '9')) {
			out_char(j->o, text[i]);
		} else if (!point) {
			out_char(j->o, '.');
			point = true;
		}
	}
}

void json_bool(struct json *j, bool v)
{
	json_item(j);
	out_str(j->o, v ? "true" : "false");
}

void json_null(struct json *j)
{
	json_item(j);
	out_str(j->o, "null");
}

#define DEFINE_PUT(kind, type)                                                                                                             \
	void json_put_##kind(struct json *j, const char *key, type value)                                                                  \
	{                                                                                                                                  \
		json_key(j, key);                                                                                                          \
		json_##kind(j, value);                                                                                                     \
	}
DEFINE_PUT(str, const char *)
DEFINE_PUT(u64, uint64_t)
DEFINE_PUT(i64, int64_t)
DEFINE_PUT(hex, uint64_t)
DEFINE_PUT(bool, bool)

void json_put_str_or_null(struct json *j, const char *key, const char *value)
{
	json_key(j, key);
	if (value && *value)
		json_str(j, value);
	else
		json_null(j);
}

void json_put_double(struct json *j, const char *key, double value, int decimals)
{
	json_key(j, key);
	json_double(j, value, decimals);
}

void json_put_object(struct json *j, const char *key)
{
	json_key(j, key);
	json_object(j);
}

void json_put_array(struct json *j, const char *key)
{
	json_key(j, key);
	json_array(j);
}
