/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A map is appended to what is known, and the reader of perf maps decides what of it is overwritten: so what is kept grows with the code that
 * there is, not with the number of maps.
 */
#include "symbols/hotspot_map.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/out.h"
#include "symbols/symbol_readers.h"

#define MAX_BYTES (128u << 20)
#define C1_LEVELS 3 /* 1 to 3; 4 is C2, 0 are stubs for native methods */

static bool take_number(const char **p, const char *end, uint32_t *value)
{
	const char *start = *p;

	for (*value = 0; *p < end && **p >= '0' && **p <= '9' && *p - start < 9; (*p)++)
		*value = *value * 10 + (uint32_t)(**p - '0');
	if (*p == start || *p == end || **p != ' ')
		return false;
	(*p)++;
	return true;
}

static bool take_hex(const char **p, const char *end, uint64_t *value)
{
	if (end - *p > 2 && (*p)[0] == '0' && ((*p)[1] | 0x20) == 'x')
		*p += 2;
	return hex_number(p, end, value);
}

/* Names have no brackets but those of arrays, "[I": the place is behind the last one. */
static bool parse_method(const char *p, const char *end, uint32_t *level, uint64_t *code)
{
	uint32_t id, state;
	uint64_t header;
	const char *at;

	if (!take_number(&p, end, &id) || !take_number(&p, end, level) || !take_number(&p, end, &state))
		return false;
	at = memrchr(p, '[', (size_t)(end - p));
	if (!at)
		return false;
	at++;
	if (!take_hex(&at, end, &header) || end - at < 2 || at[0] != ',' || at[1] != ' ')
		return false;
	at += 2;
	return take_hex(&at, end, code);
}

void hotspot_levels_parse(struct hotspot_levels *l, const char *text, size_t size)
{
	const char *end = text + size;

	while (text < end) {
		const char *eol = memchr(text, '\n', (size_t)(end - text));
		uint32_t level;
		uint64_t code;

		if (!eol)
			eol = end;
		if (parse_method(text, eol, &level, &code) && level && level <= C1_LEVELS)
			vec_push(&l->c1, code);
		text = eol + (eol < end);
	}
	if (l->c1.nr)
		qsort(l->c1.v, l->c1.nr, sizeof(*l->c1.v), compare_u64);
}

void hotspot_levels_fini(struct hotspot_levels *l)
{
	vec_fini(&l->c1);
}

static bool is_c1(const struct hotspot_levels *l, uint64_t start)
{
	uint32_t i = vec_search(l->c1.nr, j, l->c1.v[j] >= start);

	return i < l->c1.nr && l->c1.v[i] == start;
}

/* Whole lines only: the file was closed, so that there is no other. */
static void add_lines(struct out *o, const char *text, size_t size, const struct hotspot_levels *levels)
{
	const char *end = text + size, *eol;

	for (; text < end && (eol = memchr(text, '\n', (size_t)(end - text))); text = eol + 1) {
		const char *p = text;
		uint64_t start;

		out_mem(o, text, (size_t)(eol - text));
		if (take_hex(&p, eol, &start) && is_c1(levels, start))
			out_str(o, HOTSPOT_C1_MARK);
		out_char(o, '\n');
	}
}

static struct symtab *parse(char *text, size_t size)
{
	struct symtab *t = symtab_new();

	t->text = text;
	t->text_bytes = size;
	perf_map_parse(t, text, size);
	return t;
}

static void print_symbols(struct out *o, const struct symtab *t)
{
	for (uint32_t i = 0; i < t->symbols.nr; i++) {
		const struct symbol *s = &t->symbols.v[i];

		out_hex(o, s->start, 0);
		out_char(o, ' ');
		out_hex(o, s->end - s->start, 0);
		out_char(o, ' ');
		out_str(o, s->name);
		out_char(o, '\n');
	}
}

bool hotspot_map_add(struct hotspot_map *m, const char *text, size_t size, const struct hotspot_levels *levels)
{
	struct out all, living;
	struct symtab *t;

	if (size > MAX_BYTES || m->size > MAX_BYTES - size)
		return false;
	out_init(&all, -1);
	out_init(&living, -1);
	out_mem(&all, m->text, m->size);
	if (size)
		add_lines(&all, text, size, levels);
	out_char(&all, 0);
	t = parse(all.buf, all.len - 1); /* frees it */
	print_symbols(&living, t);
	symtab_free(t);
	free(m->text);
	m->text = living.buf;
	m->size = living.len;
	return true;
}

struct symtab *hotspot_map_symbols(const struct hotspot_map *m)
{
	char *copy = mem_alloc(m->size + 1);

	if (m->size)
		memcpy(copy, m->text, m->size);
	copy[m->size] = 0;
	return parse(copy, m->size);
}

void hotspot_map_fini(struct hotspot_map *m)
{
	free(m->text);
	*m = (struct hotspot_map){ 0 };
}
