/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct symtab: the functions (and data objects, as in perf) of one file, sorted by address: file offsets of ELF files, runtime addresses
 * of the kernel and JIT maps. Names are kept as in the file and demangled on demand.
 */
#ifndef ASSAY_SYMBOLS_SYMTAB_H
#define ASSAY_SYMBOLS_SYMTAB_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/vec.h"
#include "symbols/symbol_index.h"

struct symbol {
	uint64_t start, end; /* [start, end) */
	const char *name;    /* as in the file; owned by the symtab */
	uint32_t outer;	     /* the nearest earlier symbol that reaches past its end; SYMTAB_NONE */
	uint8_t binding;     /* enum symbol_binding */
	uint8_t kind;	     /* enum symbol_kind */
};

#define SYMTAB_NONE UINT32_MAX
/* Symbols around an address that are searched; real files are not nested so deep. */
#define SYMTAB_MAX_NESTING 64

enum symbol_binding { SYMBOL_LOCAL, SYMBOL_GLOBAL, SYMBOL_WEAK };
enum symbol_kind { SYMBOL_FUNCTION, SYMBOL_OBJECT, SYMBOL_LABEL, SYMBOL_PLT };

struct symtab {
	struct module_part part; /* names may point into its index. `made_from` of a borrowed one is its own */
	struct arena arena;
	VEC(struct symbol) symbols; /* sorted by start; aliases settled; ends fixed up. Read through symtab_at(): see there */
	struct symtab_flat *flat;   /* symtab.h: made into `symbols` one by one, when found; NULL for others */
	char *made_from;	    /* the file it came from, for `-v`; may be NULL */
	char *text;		    /* a malloc'd text that names may point into; may be NULL */
	bool by_binding;	    /* of aliases, the global one, else the weak one, else the first stays: as elfutils has it, not perf */
	bool mangled;		    /* names are compilers' names: show symbolizer_readable() of them */
	size_t text_bytes;	    /* of `text` */
};

struct symtab *symtab_new(void);
void symtab_free(struct symtab *t);
/* What it keeps in memory, without bytes that are another's (the index). */
uint64_t symtab_bytes(const struct symtab *t);
/* Name is copied. */
void symtab_add(struct symtab *t, uint64_t start, uint64_t end, const char *name, size_t len, enum symbol_binding binding,
		enum symbol_kind kind);
/* Name is not copied: it lives in t->arena or t->text. */
void symtab_add_borrowed(struct symtab *t, uint64_t start, uint64_t end, const char *name, enum symbol_binding binding,
			 enum symbol_kind kind);
/* Sorts, gives sizes to symbols without one and settles aliases (one symbol an address, by perf's preference; depends on `mangled`).
 * `kallsyms`: the last symbol and those before another module's end at a page. Can be called again after more adds. */
void symtab_finish(struct symtab *t, bool kallsyms);
/* Moves all addresses of a finished table, which may wrap around the end of the address space. */
void symtab_shift(struct symtab *t, uint64_t shift);
/* The i-th symbol of symbols.nr in the order of their addresses; NULL where its row is damaged. Safe from several threads. */
const struct symbol *symtab_at(const struct symtab *t, uint32_t i);
/* Makes all of `symbols` valid: of a table on flat bytes only those are that symtab_find() or symtab_at() returned. Not safe beside other threads. */
void symtab_fill(struct symtab *t);
/* The symbol that covers addr, or NULL. Safe from several threads. Where symbols overlap it is the one that starts last. */
const struct symbol *symtab_find(const struct symtab *t, uint64_t addr);

/* A finished table as flat bytes without pointers, for the symbol index, and a table on such bytes, whose names are used in place. */

/* The bytes, malloc'd; NULL where a table cannot be kept so (symbols of 4 GiB and more, names of 128 MB and more). */
void *symtab_flatten(struct symtab *t, size_t *size);
/* Makes the empty table `t` one on these bytes (8-byte aligned), which must outlive it. Nothing is read but the head, however large the
 * table: symbols are made of rows when they are found, and what lookups rely on is checked then. A row that is damaged has no symbol.
 * All addresses are moved by `shift`. -EBADMSG where it is no table, or an address would leave the address space: `t` stays empty. */
int symtab_view(struct symtab *t, const void *bytes, size_t size, uint64_t shift);

#endif
