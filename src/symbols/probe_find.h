/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Functions of debug information by name or by address, with every place they were compiled into. Private to probe_*.c.
 */
#ifndef ASSAY_SYMBOLS_PROBE_FIND_H
#define ASSAY_SYMBOLS_PROBE_FIND_H

#include "symbols/dwarf_tree.h"
#include "symbols/probe_module.h"

/* "ns::List<int>::push(int)" in parts. */
#define PROBE_MAX_PARTS 16U
struct probe_name {
	const char *text; /* all of it: also a linkage name */
	struct {
		const char *s;
		size_t len;
	} parts[PROBE_MAX_PARTS]; /* the last one is the function's own */
	uint32_t nr;
	const char *params; /* from '(' on; NULL: any */
};
/* False: too many parts. `n` borrows the text. */
bool probe_name_split(struct probe_name *n, const char *text);
/* Whether two lists of types are the same, whatever compilers call integers. */
bool probe_same_types(const char *a, size_t a_len, const char *b, size_t b_len);
/* Whether the name of an entry is that part: template arguments may be left out. */
bool probe_name_matches(const struct probe_name *n, uint32_t part, const char *name, size_t len);

/* An entry that a scan of all units found by its name. */
struct probe_found {
	uint32_t unit; /* number of its header */
	bool in_alt;
	uint64_t off;
};
struct probe_scan {
	VEC(struct probe_found) found;
	VEC(uint32_t) foreign; /* units whose functions refer to entries of others */
};
/* Finds subprograms (DW_TAG_variable with `variables`: outside of functions) of that name, in all units, by several threads. `deep`: within functions, too. */
struct probe_scan_options {
	bool deep, variables;
	bool first_only; /* stop after the first unit that has one */
};
void probe_scan(struct probe_module *m, const struct probe_name *name, const struct probe_scan_options *options, struct probe_scan *scan);
void probe_scan_fini(struct probe_scan *scan);

/* A place that a function was compiled into. */
struct probe_function {
	struct dwarf_die die;	/* DW_TAG_subprogram, or DW_TAG_inlined_subroutine */
	struct dwarf_die outer; /* the subprogram around it; `die` itself where it is one */
	uint64_t entry;
	bool is_inlined;
};
struct probe_functions {
	VEC(struct probe_function) v;
	/* Entries with the name and no code: to know that a function exists, and where it was declared. */
	VEC(struct dwarf_die) declarations;
};

/* Opens the debug information; -ENODATA and a message where there is none. */
int probe_module_dwarf(struct probe_module *m, struct errbuf *eb);
/* Each probe may cost what the size of the file explains. */
void probe_renew_work(struct probe_module *m);
/* -EFBIG where debug information was not read to its end, because that would cost too much: what was found is not all. */
int probe_check_work(const struct probe_module *m, const char *what, struct errbuf *eb);
/* Functions of that name, in order of their entries; none is no error. `file`: only those declared in it; NULL. */
int probe_functions_find(struct probe_module *m, const char *name, const char *file, struct probe_functions *fs, struct errbuf *eb);
/* Those of the first unit that has some, which is quicker. */
int probe_functions_first(struct probe_module *m, const char *name, const char *file, struct probe_functions *fs, struct errbuf *eb);
void probe_functions_fini(struct probe_functions *fs);
/* Functions at an address, from the one that was called inwards; how many, up to `max`. */
uint32_t probe_functions_at(struct probe_module *m, uint64_t vaddr, struct probe_function *fs, uint32_t max);
/* The name of a symbol as in the source; lives as long as the module's debug information. */
const char *probe_readable(struct probe_module *m, const char *name);
/* The readable symbol of its code ("work.constprop.0"), else its name; never NULL. */
const char *probe_function_symbol(struct probe_module *m, const struct probe_function *f);

/* The rows of a unit's line table, by address, and its files. */
struct probe_rows {
	const struct dwarf_tree *tree;
	struct source_builder strings;
	struct dwarf_lines lines;
	VEC(struct dwarf_line_row) v;
};
/* NULL: the unit has no lines. Kept by the module. */
const struct probe_rows *probe_rows_get(struct probe_module *m, const struct dwarf_tree *t);
void probe_rows_free(struct probe_rows *r);
static inline const char *probe_rows_path(const struct probe_rows *r, uint32_t file)
{
	return file < r->strings.strings.nr ? r->strings.strings.v + file : "";
}
/* Where a function was declared: a path that is a string of the rows, and a line. False: not known. */
bool probe_declared(struct probe_module *m, const struct dwarf_die *die, const char **path, uint32_t *line);
/* Whether a path of debug information is the file that was meant: the same, or it ends with it. */
bool probe_same_file(const char *path, const char *file);
/* The first address behind the prologue, or the entry itself where the compiler does not say where that is. */
uint64_t probe_after_prologue(struct probe_module *m, const struct probe_function *f);

#endif
