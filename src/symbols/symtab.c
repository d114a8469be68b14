/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct symtab: collecting, ordering and looking up symbols. Which of several names for one address is shown is decided by
 * symtab_prefer(): it is the name that perf shows.
 */
#include "symbols/symtab.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "symbols/demangle.h"

#define PAGE 4096ULL

/* A hostile file must not make each comparison of aliases slow. */
#define MAX_COMPARED 4096

struct sort_key {
	uint64_t start;
	uint32_t index;
};

struct symtab *symtab_new(void)
{
	return mem_zalloc(sizeof(struct symtab));
}

void symtab_free(struct symtab *t)
{
	if (!t)
		return;
	free(t->made_from);
	if (!t->part.is_borrowed) {
		arena_fini(&t->arena);
		vec_fini(&t->symbols);
		free(t->text);
		free(t->flat);
		symbol_index_close(t->part.index);
	}
	free(t);
}

/* Rows of a flat table are touched where they are found. */
uint64_t symtab_bytes(const struct symtab *t)
{
	return t->arena.size_bytes + t->text_bytes + (t->flat ? 0 : t->symbols.cap * sizeof(*t->symbols.v));
}

void symtab_add_borrowed(struct symtab *t, uint64_t start, uint64_t end, const char *name, enum symbol_binding binding,
			 enum symbol_kind kind)
{
	*vec_add(&t->symbols) = (struct symbol){
		.start = start,
		.end = end < start ? start : end,
		.name = name,
		.outer = SYMTAB_NONE,
		.binding = binding,
		.kind = kind,
	};
}

void symtab_add(struct symtab *t, uint64_t start, uint64_t end, const char *name, size_t len, enum symbol_binding binding,
		enum symbol_kind kind)
{
	symtab_add_borrowed(t, start, end, arena_str(&t->arena, name, len), binding, kind);
}

/* One stable pass by the 11 bits above `shift`. Returns false where all keys have the same bits there. */
static bool sort_pass(const struct sort_key *from, struct sort_key *to, uint32_t nr, unsigned int shift)
{
	uint32_t counts[2048] = { 0 };
	uint32_t sum = 0;

	for (uint32_t i = 0; i < nr; i++)
		counts[(from[i].start >> shift) & 2047]++;
	if (counts[(from[0].start >> shift) & 2047] == nr)
		return false;
	for (uint32_t i = 0; i < 2048; i++) {
		uint32_t c = counts[i];

		counts[i] = sum;
		sum += c;
	}
	for (uint32_t i = 0; i < nr; i++)
		to[counts[(from[i].start >> shift) & 2047]++] = from[i];
	return true;
}

/* Orders by start; symbols with one start stay in the order they were added in. */
static void sort_symbols(struct symtab *t)
{
	uint32_t nr = t->symbols.nr;
	struct sort_key *keys, *other;
	struct symbol *sorted;
	uint32_t i = 1;

	while (i < nr && t->symbols.v[i - 1].start <= t->symbols.v[i].start)
		i++;
	if (i >= nr)
		return;
	keys = mem_realloc(NULL, nr, sizeof(*keys));
	other = mem_realloc(NULL, nr, sizeof(*other));
	for (i = 0; i < nr; i++)
		keys[i] = (struct sort_key){ t->symbols.v[i].start, i };
	for (unsigned int shift = 0; shift < 64; shift += 11) {
		if (sort_pass(keys, other, nr, shift)) {
			struct sort_key *tmp = keys;

			keys = other;
			other = tmp;
		}
	}
	free(other);
	sorted = mem_realloc(NULL, nr, sizeof(*sorted));
	for (i = 0; i < nr; i++)
		sorted[i] = t->symbols.v[keys[i].index];
	free(keys);
	free(t->symbols.v);
	t->symbols.v = sorted;
	t->symbols.cap = nr;
}

static uint64_t page_up(uint64_t addr)
{
	return addr > UINT64_MAX - PAGE ? addr : (addr + PAGE - 1) & ~(PAGE - 1);
}

/* kallsyms writes a module's symbols as "name\t[module]". */
static bool is_module_symbol(const struct symbol *s)
{
	return strchr(s->name, '[') != NULL;
}

/* A symbol without a size reaches to the next one, whichever alias of it that is. */
static void give_sizes(struct symtab *t, bool kallsyms)
{
	struct symbol *v = t->symbols.v;
	uint32_t nr = t->symbols.nr;
	bool next_in_module = kallsyms && nr && is_module_symbol(&v[0]);

	for (uint32_t i = 0; i + 1 < nr; i++) {
		bool in_module = next_in_module;

		next_in_module = kallsyms && is_module_symbol(&v[i + 1]);
		if (v[i].end != v[i].start)
			continue;
		/* The hole between the kernel and its modules belongs to neither. */
		if (in_module != next_in_module && v[i].start < UINT64_MAX - 2 * PAGE)
			v[i].end = page_up(v[i].start + PAGE);
		else
			v[i].end = v[i + 1].start;
	}
	if (nr && v[nr - 1].end == v[nr - 1].start && v[nr - 1].start < UINT64_MAX - 2 * PAGE)
		v[nr - 1].end = page_up(v[nr - 1].start) + PAGE;
}

/* Equal names, or those that differ in the digit of C1/C2 or D1/D2 (constructors): the most common aliases, without demangling. */
static bool are_shown_alike(const char *a, const char *b)
{
	size_t i = 0;

	while (i < MAX_COMPARED && a[i] && a[i] == b[i])
		i++;
	if (a[i] == b[i])
		return true;
	return i > 2 && (a[i - 1] == 'C' || a[i - 1] == 'D') && a[i] >= '0' && a[i] <= '5' && b[i] >= '0' && b[i] <= '5' &&
	       strncmp(a + i + 1, b + i + 1, MAX_COMPARED) == 0;
}

/* Negative: a is the better name; positive: b; by the readable names. */
static int compare_shown(const char *a, const char *b)
{
	size_t ua = strspn(a, "_"), ub = strspn(b, "_");
	size_t la = strnlen(a, MAX_COMPARED), lb = strnlen(b, MAX_COMPARED);

	if (ua != ub)
		return ua < ub ? -1 : 1;
	if (la != lb)
		return la > lb ? -1 : 1;
	/* The kernel's old second names of system calls */
	return strncmp(a, "SyS", 3) == 0 || strncmp(a, "compat_SyS", 10) == 0 ? 1 : -1;
}

/* The name of the symbol that leads so far, in its readable form; demangled at most once. */
struct shown_name {
	const char *of; /* the name it was made from */
	char *text;
};

static const char *shown_get(const struct symtab *t, struct shown_name *shown, const char *name)
{
	if (!t->mangled)
		return name;
	if (shown->of != name) {
		free(shown->text);
		shown->of = name;
		shown->text = demangle_name(name, false);
	}
	return shown->text ? shown->text : name;
}

static int binding_rank(const struct symbol *s)
{
	return s->binding == SYMBOL_GLOBAL ? 2 : s->binding == SYMBOL_WEAK;
}

/* Whether `b`, which comes later at the same address, is the better name. */
static bool symtab_prefer(const struct symtab *t, const struct symbol *a, const struct symbol *b, struct shown_name *leader)
{
	bool empty_a = a->end == a->start, empty_b = b->end == b->start;
	struct shown_name other = { 0 };
	int order;

	if (empty_a != empty_b)
		return empty_a;
	if (t->by_binding)
		return binding_rank(b) > binding_rank(a);
	if ((a->binding == SYMBOL_WEAK) != (b->binding == SYMBOL_WEAK))
		return a->binding == SYMBOL_WEAK;
	if ((a->binding == SYMBOL_GLOBAL) != (b->binding == SYMBOL_GLOBAL))
		return b->binding == SYMBOL_GLOBAL;
	if (are_shown_alike(a->name, b->name))
		return false;
	order = compare_shown(shown_get(t, leader, a->name), shown_get(t, &other, b->name));
	if (order > 0) {
		free(leader->text);
		*leader = other;
	} else {
		free(other.text);
	}
	return order > 0;
}

static void settle_aliases(struct symtab *t)
{
	struct symbol *v = t->symbols.v;
	struct shown_name leader = { 0 };
	uint32_t kept = 0;

	for (uint32_t i = 1; i < t->symbols.nr; i++) {
		if (v[i].start != v[kept].start)
			v[++kept] = v[i];
		else if (symtab_prefer(t, &v[kept], &v[i], &leader))
			v[kept] = v[i];
	}
	free(leader.text);
	if (t->symbols.nr)
		t->symbols.nr = kept + 1;
}

static void link_overlaps(struct symtab *t)
{
	struct symbol *v = t->symbols.v;

	for (uint32_t i = 0; i < t->symbols.nr; i++) {
		uint32_t j = i ? i - 1 : SYMTAB_NONE;

		while (j != SYMTAB_NONE && v[j].end <= v[i].end)
			j = v[j].outer;
		v[i].outer = j;
	}
}

/* Flat tables: a head, a row a symbol, then the names. A view reads the head only; a row becomes a struct symbol when it is first found, in
 * memory that is not touched before: a profile needs some hundred of the 120,000 symbols of a kernel. */

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

/* The symbol of a row. Several threads may make it at once, of the same bytes: the name comes last and says that it is complete. */
static const struct symbol *flat_at(const struct symtab *t, uint32_t i)
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

static const struct symbol *flat_find(const struct symtab *t, uint64_t addr)
{
	const struct symtab_flat *f = t->flat;
	uint32_t low = vec_search(f->nr, i, start_of(f, i) > addr);

	if (low-- == 0)
		return NULL;
	for (unsigned int depth = 0; depth < SYMTAB_MAX_NESTING && low < f->nr; depth++) {
		uint32_t outer = f->rows[low].outer;

		if (addr >= start_of(f, low) && (addr < end_of(f, low) || addr == start_of(f, low)))
			return flat_at(t, low);
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
		const struct symbol *s = flat_at(t, i);

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

void symtab_finish(struct symtab *t, bool kallsyms)
{
	symtab_fill(t);
	sort_symbols(t);
	give_sizes(t, kallsyms);
	settle_aliases(t);
	link_overlaps(t);
}

void symtab_shift(struct symtab *t, uint64_t shift)
{
	for (uint32_t i = 0; i < t->symbols.nr; i++) {
		t->symbols.v[i].start += shift;
		t->symbols.v[i].end += shift;
	}
	symtab_finish(t, false);
}

const struct symbol *symtab_at(const struct symtab *t, uint32_t i)
{
	return t->flat ? flat_at(t, i) : &t->symbols.v[i];
}

const struct symbol *symtab_find(const struct symtab *t, uint64_t addr)
{
	const struct symbol *v = t->symbols.v;
	uint32_t low;

	if (t->flat)
		return flat_find(t, addr);
	low = vec_search(t->symbols.nr, i, v[i].start > addr);
	if (low-- == 0)
		return NULL;
	for (unsigned int depth = 0; depth < SYMTAB_MAX_NESTING && low != SYMTAB_NONE; depth++) {
		if (addr < v[low].end || addr == v[low].start)
			return &v[low];
		low = v[low].outer;
	}
	return NULL;
}
