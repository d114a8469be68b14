/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * JIT maps: "START SIZE name" lines with hexadecimal numbers. Compilers reuse memory, and the file only grows: of two functions at one
 * address the later line is valid. A function whose beginning was overwritten is gone; one that contains a later one stays.
 */
#include "symbols/symbol_readers.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

struct jit_function {
	uint64_t start, end;
	const char *name;
	uint32_t line;
};

/* A number with a blank after it; moves *p past both. */
static bool parse_hex(const char **p, const char *end, uint64_t *value)
{
	if (end - *p > 2 && (*p)[0] == '0' && ((*p)[1] | 0x20) == 'x')
		*p += 2;
	if (!hex_number(p, end, value) || *p >= end || **p != ' ')
		return false;
	(*p)++;
	return true;
}

static bool parse_line(char *line, char *end, struct jit_function *f)
{
	const char *p = line;
	uint64_t size;

	if (!parse_hex(&p, end, &f->start) || !parse_hex(&p, end, &size))
		return false;
	if (end > p && end[-1] == '\r')
		end--;
	/* Without a size it is there at least where it says to begin. */
	if (!size)
		size = 1;
	if (p == end || !*p || size > UINT64_MAX - f->start)
		return false;
	*end = 0;
	f->name = p;
	f->end = f->start + size;
	return true;
}

static int compare_starts(const void *a, const void *b)
{
	const struct jit_function *x = a, *y = b;

	return COMPARE(x->start, y->start) ?: COMPARE(x->line, y->line);
}

/* The functions that reach over the current address, the one of the latest line on top. */
struct latest {
	const struct jit_function **heap;
	uint32_t nr;
};

static void latest_push(struct latest *l, const struct jit_function *f)
{
	uint32_t i = l->nr++;

	while (i && l->heap[(i - 1) / 2]->line < f->line) {
		l->heap[i] = l->heap[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	l->heap[i] = f;
}

static void latest_pop(struct latest *l)
{
	const struct jit_function *f = l->heap[--l->nr];
	uint32_t i = 0;

	for (;;) {
		uint32_t child = 2 * i + 1;

		if (child >= l->nr)
			break;
		if (child + 1 < l->nr && l->heap[child + 1]->line > l->heap[child]->line)
			child++;
		if (l->heap[child]->line < f->line)
			break;
		l->heap[i] = l->heap[child];
		i = child;
	}
	l->heap[i] = f;
}

/* Adds those whose first byte no later line has overwritten. */
static void add_living(struct symtab *t, const struct jit_function *v, uint32_t nr)
{
	struct latest l = { .heap = mem_realloc(NULL, nr + 1, sizeof(*l.heap)) };

	for (uint32_t i = 0, pushed = 0; i < nr; i++) {
		for (; pushed < nr && v[pushed].start <= v[i].start; pushed++)
			latest_push(&l, &v[pushed]);
		while (l.heap[0]->end <= v[i].start)
			latest_pop(&l);
		if (l.heap[0] == &v[i])
			symtab_add_borrowed(t, v[i].start, v[i].end, v[i].name, SYMBOL_GLOBAL, SYMBOL_FUNCTION);
	}
	free(l.heap);
}

void perf_map_parse(struct symtab *t, char *text, size_t size)
{
	char *end = text + size;
	VEC(struct jit_function) found = { 0 };

	while (text < end) {
		char *eol = memchr(text, '\n', (size_t)(end - text));
		struct jit_function f;

		/* The process may be writing the last line just now. */
		if (!eol)
			break;
		if (parse_line(text, eol, &f)) {
			f.line = found.nr;
			vec_push(&found, f);
		}
		text = eol + 1;
	}
	if (found.nr) {
		qsort(found.v, found.nr, sizeof(*found.v), compare_starts);
		add_living(t, found.v, found.nr);
	}
	vec_fini(&found);
	symtab_finish(t, false);
}

int perf_map_load(struct symtab *t, const char *path, struct perf_map_owner owner, struct errbuf *eb)
{
	int err = jit_file_read(path, owner, &t->text, &t->text_bytes, eb);

	if (!err)
		perf_map_parse(t, t->text, t->text_bytes);
	return err;
}
