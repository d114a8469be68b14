/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Flat symbol tables: a head, a row a symbol, then the names one after the other. Numbers are of fixed size and in our byte order
 * (the symbol index refuses files of another). Rows are made into struct symbol on the way in, which costs some nanoseconds each:
 * names, which are most of the bytes, are not touched.
 */
#include "symbols/symtab_flat.h"

#include <errno.h>
#include <string.h>

#include "base/bytes.h"

#define FLAT_MAGIC 0x31746c66u
#define MAX_NAMES_BYTES (128u << 20)
/* As elf_symbols.c cuts them */
#define MAX_NAME_BYTES (64u << 10)

struct flat_head {
	uint32_t magic;
	uint32_t nr;
	uint64_t names_size;
};

struct flat_symbol {
	uint64_t start;
	uint32_t size_bytes;
	uint32_t name; /* offset in the names */
	uint32_t outer;
	uint8_t binding, kind;
	uint8_t zero[2];
};

_Static_assert(sizeof(struct flat_symbol) == 24, "rows have no holes");

/* Bytes of all names; 0 where there are too many, or a symbol is too large. */
static uint64_t names_size_of(const struct symtab *t)
{
	uint64_t size = 1;

	for (uint32_t i = 0; i < t->symbols.nr; i++) {
		const struct symbol *s = &t->symbols.v[i];

		size += strlen(s->name) + 1;
		if (size > MAX_NAMES_BYTES || s->end - s->start > UINT32_MAX)
			return 0;
	}
	return size;
}

void *symtab_flatten(const struct symtab *t, size_t *size)
{
	uint64_t names_size = names_size_of(t);
	struct flat_symbol *rows;
	struct flat_head *head;
	uint32_t off = 1;
	char *names;

	if (!names_size)
		return NULL;
	*size = sizeof(*head) + t->symbols.nr * sizeof(*rows) + names_size;
	head = mem_alloc(*size);
	rows = (struct flat_symbol *)(head + 1);
	names = (char *)(rows + t->symbols.nr);
	*head = (struct flat_head){ .magic = FLAT_MAGIC, .nr = t->symbols.nr, .names_size = names_size };
	names[0] = 0;
	for (uint32_t i = 0; i < t->symbols.nr; i++) {
		const struct symbol *s = &t->symbols.v[i];
		size_t len = strlen(s->name) + 1;

		rows[i] = (struct flat_symbol){
			.start = s->start,
			.size_bytes = (uint32_t)(s->end - s->start),
			.name = off,
			.outer = s->outer,
			.binding = s->binding,
			.kind = s->kind,
		};
		memcpy(names + off, s->name, len);
		off += (uint32_t)len;
	}
	return head;
}

/* All names end, and none is longer than the readers of ELF files let them be. */
static bool check_names(const char *names, uint64_t size)
{
	const char *p = names, *end = names + size;

	if (!size || end[-1])
		return false;
	while (p < end) {
		const char *nul = memchr(p, 0, (size_t)(end - p));

		if (nul - p > MAX_NAME_BYTES)
			return false;
		p = nul + 1;
	}
	return true;
}

static bool check_row(const struct flat_symbol *r, uint32_t i, uint64_t names_size)
{
	if (r->name >= names_size || r->size_bytes > UINT64_MAX - r->start || (i && r->start <= r[-1].start))
		return false;
	return (r->outer == SYMTAB_NONE || r->outer < i) && r->binding <= SYMBOL_WEAK && r->kind <= SYMBOL_PLT;
}

int symtab_view(struct symtab *t, const void *bytes, size_t size)
{
	struct bytes b = bytes_of(bytes, size, false);
	const struct flat_head *head = bytes_take(&b, sizeof(*head));
	const struct flat_symbol *rows;
	const char *names;

	if (!head || head->magic != FLAT_MAGIC || !bytes_has(&b, head->nr, sizeof(*rows)))
		return -EBADMSG;
	rows = bytes_take(&b, head->nr * sizeof(*rows));
	if (bytes_left(&b) != head->names_size)
		return -EBADMSG;
	names = (const char *)b.pos;
	if (!check_names(names, head->names_size))
		return -EBADMSG;
	for (uint32_t i = 0; i < head->nr; i++)
		if (!check_row(&rows[i], i, head->names_size))
			return -EBADMSG;
	vec_reserve(&t->symbols, head->nr);
	for (uint32_t i = 0; i < head->nr; i++) {
		const struct flat_symbol *r = &rows[i];

		t->symbols.v[i] = (struct symbol){
			.start = r->start,
			.end = r->start + r->size_bytes,
			.name = names + r->name,
			.outer = r->outer,
			.binding = r->binding,
			.kind = r->kind,
		};
	}
	t->symbols.nr = head->nr;
	return 0;
}
