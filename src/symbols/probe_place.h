/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Places of a probe before their arguments: an address and the function that it is in. Private to probe_*.c.
 */
#ifndef ASSAY_SYMBOLS_PROBE_PLACE_H
#define ASSAY_SYMBOLS_PROBE_PLACE_H

#include "symbols/probe_fetch.h"

struct probe_spot {
	uint64_t vaddr;
	struct probe_function f;
	bool has_function;
	bool is_entry;	    /* it may as well be the end of the prologue */
	const char *symbol; /* where there is no function of debug information; NULL */
	const char *path;   /* of the source line; NULL: not known */
	uint32_t line;
};
struct probe_spots {
	VEC(struct probe_spot) v;
};

/* All places of a spec, in the order of addresses. Where they are more than the limit, they may lack their functions. */
int probe_spots_find(struct probe_module *m, const struct probe_spec *spec, const struct probe_limits *limits, struct probe_spots *spots,
		     struct errbuf *eb);
uint32_t probe_limits_max(const struct probe_limits *limits);
/* By address, one a place: a function and one that begins with its inlined body share one. */
void probe_spots_sort(struct probe_spots *spots);
void probe_spots_fini(struct probe_spots *spots);

/* Lines (probe_lines.c): the addresses of one line in a function, or in all files of that name. */
void probe_spots_of_line(struct probe_module *m, const struct probe_function *f, const char *path, uint32_t line,
			 struct probe_spots *spots);
int probe_spots_of_source(struct probe_module *m, const struct probe_spec *spec, uint32_t max, struct probe_spots *spots,
			  struct errbuf *eb);
/* The same for lines that match spec->pattern: within a function, or in a file. */
int probe_spots_of_pattern(struct probe_module *m, const struct probe_function *f, const struct probe_spec *spec, uint32_t max,
			   struct probe_spots *spots, struct errbuf *eb);
/* Lines of a function that have statements, ascending and each once. */
struct probe_line_set {
	VEC(uint32_t) v;
};
void probe_lines_of(struct probe_module *m, const struct probe_function *f, const char *path, struct probe_line_set *set);
/* The last line of the file that has code in it, statement or not; 0: none. */
uint32_t probe_last_line_of(struct probe_module *m, const struct probe_function *f, const char *path);
/* Rows at which a statement of a line begins. */
static inline bool probe_is_statement(const struct dwarf_line_row *row)
{
	return row->is_stmt && !row->is_end && row->line;
}

/* What wants the statements of all source files of a name (probe_files.c); paths are borrowed. */
struct probe_file_reader {
	void (*path)(void *ctx, const char *path); /* once for each path of a unit */
	/* NULL: only paths are wanted. In the order of units; many statements of a line may come as one, with any of their addresses */
	void (*row)(void *ctx, const char *path, uint32_t line, uint64_t addr);
	void *ctx;
	uint32_t first, last;		    /* lines that are wanted */
	const struct probe_line_set *lines; /* only these; NULL: all in between, each once a unit */
};
void probe_files_read(struct probe_module *m, const char *name, const struct probe_file_reader *reader);
/* -ENOENT, with the nearest name that there is. */
int probe_no_such_file(struct probe_module *m, const char *name, struct errbuf *eb);
int probe_no_such_function(struct probe_module *m, const char *name, struct errbuf *eb);
/* The symbol at an address; NULL. */
const struct symbol *probe_symbol_at(struct probe_module *m, uint64_t vaddr);

#endif
