/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a Go program carries for its own stack traces, and stripping leaves in place. struct go_pclntab: functions, files, lines and inlined
 * calls by address (as linked); a checked view of hostile bytes in one of four layouts (Go 1.2, 1.16, 1.18, 1.20). struct go_module: that
 * table in an ELF file, with the trees of inlined calls; read-only once opened.
 */
#ifndef ASSAY_SYMBOLS_GO_MODULE_H
#define ASSAY_SYMBOLS_GO_MODULE_H

#include "base/bytes.h"
#include "symbols/elf_file.h"

enum go_layout { GO_1_2, GO_1_16, GO_1_18, GO_1_20 };

struct go_pclntab {
	const uint8_t *bytes;
	size_t size;
	bool swap;
	enum go_layout layout;
	uint8_t quantum, ptr_size;
	uint32_t nr_functions;
	uint64_t text; /* where code begins; 0: the finder of the table sets it (addresses are absolute before 1.18) */
	/* Offsets of the parts; those that a layout does not have are 0, the whole. */
	uint64_t names, units, files, values, functions, entries;
};

struct go_function {
	uint64_t start, end;
	uint32_t name;	       /* for go_pclntab_name() */
	uint32_t stack_values; /* for go_values_begin(): how far the stack pointer is below its place at the call; 0: none */
	uint32_t file_values, line_values, inline_values; /* the same; 0: none */
	uint32_t unit;					  /* that its files are numbered in */
	uint64_t inline_tree;				  /* from 1.18 on its offset in the data of functions, before that its address */
	bool has_inlines;
	bool writes_sp; /* sets the stack pointer in ways that stack_values do not show; known from 1.17 on */
	bool is_top;	/* Go's own traces end there; the same */
};

#define GO_NAME_MAX (64U << 10) /* longer names are cut */

/* -EBADMSG where the bytes are no such table. They are the caller's and must outlive it. */
int go_pclntab_init(struct go_pclntab *t, const void *bytes, size_t size, bool swap);
/* Cheap: could a table begin with these bytes (at least GO_MAGIC_BYTES)? */
#define GO_MAGIC_BYTES 8
bool go_pclntab_is_magic(const uint8_t *bytes, bool swap);

/* The address that the i-th function begins at, i ≤ nr_functions: the last is where the code ends. They go up. */
uint64_t go_pclntab_entry(const struct go_pclntab *t, uint32_t i);
/* False where the entry is damaged. */
bool go_pclntab_function(const struct go_pclntab *t, uint32_t i, struct go_function *f);
/* NULL where there is none. Not terminated where it was cut. */
const char *go_pclntab_name(const struct go_pclntab *t, uint32_t name, size_t *len);
/* True where a name begins there, not in the middle of one. */
bool go_pclntab_is_name(const struct go_pclntab *t, uint32_t name);
const char *go_pclntab_file(const struct go_pclntab *t, const struct go_function *f, int32_t number, size_t *len);

/* The values (file numbers, lines, …) that a function's addresses have, upwards. */
struct go_values {
	struct bytes b;
	uint64_t addr, end;
	int32_t value;
	uint8_t quantum;
	bool is_first;
};
struct go_values go_values_begin(const struct go_pclntab *t, const struct go_function *f, uint32_t values);
/* The next [start, end) with its value; false past the last, and where the table is damaged. */
bool go_values_next(struct go_values *v, uint64_t *start, uint64_t *end, int32_t *value);

struct go_module {
	struct go_pclntab table;
	void *table_bytes;
	uint64_t table_vaddr;
	/* The part of the program with the trees of inlined calls; NULL: none, or not where they could be distinguished from other data. */
	uint8_t *trees;
	size_t trees_size;
	uint64_t trees_start; /* in the numbers that go_function.inline_tree has */
};

/* One inlined call. */
struct go_inlined {
	uint32_t name;	      /* for go_pclntab_name() */
	uint64_t parent_addr; /* an address of the function whose place in the source is the call */
};

/* Was the file made by a Go linker? Looks at headers only. */
bool go_module_is_go(const struct elf_file *f);
/* -ENODATA where there is no table, or none that can be relied on. Without `inlines` the trees are not looked for. */
int go_module_open(struct go_module *m, const struct elf_file *f, bool inlines);
void go_module_close(struct go_module *m);
/* The call that the i-th node of a function's tree stands for. False where it is not sound. */
bool go_module_inlined(const struct go_module *m, const struct go_function *f, uint32_t i, struct go_inlined *call);

/* Lines and inlined calls as source units of some functions each, as those made from DWARF. */
/* Which unit covers which addresses, as a flat source map (source_unit.h), malloc'd. A unit is named by its first function's number. */
void *go_source_map(const struct go_module *m, size_t *size);
/* A unit, malloc'd; NULL where there is none of that name. Safe from several threads. */
void *go_source_read(const struct go_module *m, uint64_t unit, size_t *size);

#endif
