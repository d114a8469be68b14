/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Flat symbol tables: a head, a row a symbol, then the names one after the other. Numbers are of fixed size and in our byte order (the
 * symbol index refuses files of another). A view reads the head; a row becomes a struct symbol when it is first found, in memory that is
 * not touched before: a profile needs some hundred of the 120,000 symbols of a kernel.
 */
#include "symbols/symtab.h"

#include <errno.h>
#include <stdlib.h>
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

void *symtab_flatten(struct symtab *t, size_t *size)
{
	struct flat_symbol *rows;
	struct flat_head *head;
	uint64_t names_size;
	uint32_t off = 1;
	char *names;

	symtab_fill(t);
	names_size = names_size_of(t);
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

struct symtab_flat {
	const struct flat_symbol *rows;
	uint32_t nr;
	const char *names;
	uint64_t names_size;
	uint64_t shift;
};

/* What lookups rely on; the order of rows and the names of others they do not. */
static bool check_row(const struct symtab_flat *f, uint32_t i)
{
	const struct flat_symbol *r = &f->rows[i];

	if (r->name >= f->names_size || r->binding > SYMBOL_WEAK || r->kind > SYMBOL_PLT || (r->outer != SYMTAB_NONE && r->outer >= i))
		return false;
	return strnlen(f->names + r->name, MAX_NAME_BYTES + 1) <= MAX_NAME_BYTES;
}

static uint64_t start_of(const struct symtab_flat *f, uint32_t i)
{
	return f->rows[i].start + f->shift;
}

static uint64_t end_of(const struct symtab_flat *f, uint32_t i)
{
	uint64_t start = start_of(f, i);

	return f->rows[i].size_bytes > UINT64_MAX - start ? UINT64_MAX : start + f->rows[i].size_bytes;
}

/* The symbol of a row. Several threads may make the same one, of the same bytes: the name is written last, and marks the symbol as
 * complete. */
const struct symbol *symtab_flat_at(const struct symtab *t, uint32_t i)
{
	const struct symtab_flat *f = t->flat;
	const struct flat_symbol *r = &f->rows[i];
	struct symbol *s = &t->symbols.v[i];

	if (__atomic_load_n(&s->name, __ATOMIC_ACQUIRE))
		return s;
	if (!check_row(f, i))
		return NULL;
	__atomic_store_n(&s->start, start_of(f, i), __ATOMIC_RELAXED);
	__atomic_store_n(&s->end, end_of(f, i), __ATOMIC_RELAXED);
	__atomic_store_n(&s->outer, r->outer, __ATOMIC_RELAXED);
	__atomic_store_n(&s->binding, r->binding, __ATOMIC_RELAXED);
	__atomic_store_n(&s->kind, r->kind, __ATOMIC_RELAXED);
	__atomic_store_n(&s->name, f->names + r->name, __ATOMIC_RELEASE);
	return s;
}

const struct symbol *symtab_flat_find(const struct symtab *t, uint64_t addr)
{
	const struct symtab_flat *f = t->flat;
	uint32_t low = vec_search(f->nr, i, start_of(f, i) > addr);

	if (low-- == 0)
		return NULL;
	for (unsigned int depth = 0; depth < SYMTAB_MAX_NESTING && low < f->nr; depth++) {
		uint32_t outer = f->rows[low].outer;

		if (addr >= start_of(f, low) && (addr < end_of(f, low) || addr == start_of(f, low)))
			return symtab_flat_at(t, low);
		if (outer >= low)
			break;
		low = outer;
	}
	return NULL;
}

/* Rows that are damaged are left out, and the outer symbols with them. */
void symtab_fill(struct symtab *t)
{
	struct symtab_flat *f = t->flat;
	uint32_t kept = 0;
	bool is_whole = true;

	if (!f)
		return;
	for (uint32_t i = 0; i < f->nr; i++) {
		const struct symbol *s = symtab_flat_at(t, i);

		if (s)
			t->symbols.v[kept++] = *s;
		else
			is_whole = false;
	}
	t->symbols.nr = kept;
	for (uint32_t i = 0; !is_whole && i < kept; i++)
		t->symbols.v[i].outer = SYMTAB_NONE;
	t->flat = NULL;
	free(f);
}

/* Whether all rows stay in order: none passes the end of the address space alone. */
static bool may_move(const struct flat_symbol *rows, uint32_t nr, uint64_t shift)
{
	return !nr || rows[0].start + shift <= rows[nr - 1].start + shift;
}

int symtab_view(struct symtab *t, const void *bytes, size_t size, uint64_t shift)
{
	struct bytes b = bytes_of(bytes, size, false);
	const struct flat_head *head = bytes_take(&b, sizeof(*head));
	struct symtab_flat f = { .shift = shift };

	if (!head || head->magic != FLAT_MAGIC || !bytes_has(&b, head->nr, sizeof(*f.rows)))
		return -EBADMSG;
	f.nr = head->nr;
	f.rows = bytes_take(&b, head->nr * sizeof(*f.rows));
	f.names = (const char *)b.pos;
	f.names_size = head->names_size;
	/* The last name ends, so all do. */
	if (!f.names_size || bytes_left(&b) != f.names_size || f.names[f.names_size - 1] || !may_move(f.rows, f.nr, shift))
		return -EBADMSG;
	t->flat = mem_alloc(sizeof(f));
	*t->flat = f;
	t->symbols.v = mem_zalloc((f.nr + (size_t)1) * sizeof(*t->symbols.v));
	t->symbols.nr = t->symbols.cap = f.nr;
	return 0;
}
