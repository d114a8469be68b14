/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct dwarf_module: all debug information of one module: its own file, the one that it shares with others (dwz), the other halves of its
 * units (.dwo, .dwp); and which unit covers which addresses. Units may be read from several threads.
 */
#ifndef ASSAY_SYMBOLS_DWARF_MODULE_H
#define ASSAY_SYMBOLS_DWARF_MODULE_H

#include <pthread.h>

#include "base/hash.h"
#include "symbols/dwarf_unit.h"
#include "symbols/source_unit.h"

/* struct dwarf_scopes: the namespaces, classes and functions around the entries of a unit, for functions without a linkage name. */
struct dwarf_scope {
	uint64_t start, end; /* offsets in .debug_info: of its entry, and behind the last one in it */
	uint32_t parent;     /* SCOPE_NONE */
	uint16_t tag;
};
#define SCOPE_NONE UINT32_MAX

struct dwarf_scopes {
	VEC(struct dwarf_scope) v; /* by start */
	bool is_built;
};

/* Names of functions: an entry may refer to another (abstract instance, declaration) of its unit, of another unit, or of the shared file. */

/* Another unit that names came from. */
struct dwarf_foreign;

struct dwarf_known_name {
	uint64_t entry; /* twice its offset in .debug_info; odd: of the shared file */
	uint32_t name;
};

/* One a thread; keeps other units' tables between units. Zeroed, it is empty. */
struct dwarf_names {
	VEC(struct dwarf_foreign *) foreign;
	struct hindex foreign_index;
	uint64_t foreign_bytes;
	/* Of the unit being read: */
	const struct dwarf_unit *unit;
	const struct dwarf_abbrevs *abbrevs;
	const struct dwarf_slice *dies; /* all bytes of the unit */
	struct source_builder *to;
	struct hindex known; /* entries whose name is known already */
	VEC(struct dwarf_known_name) names;
	struct dwarf_scopes scopes; /* read when first needed */
	char *tmp;
};

/* What an entry says of its name. */
struct dwarf_naming {
	struct dwarf_value name, linkage, origin;
	uint64_t off; /* of the entry in .debug_info */
};

void dwarf_names_begin(struct dwarf_names *n, const struct dwarf_unit *u, const struct dwarf_abbrevs *abbrevs,
		       const struct dwarf_slice *dies, struct source_builder *to);
void dwarf_names_fini(struct dwarf_names *n);
/* Takes note of an attribute that is about the name. */
void dwarf_naming_take(struct dwarf_naming *g, uint16_t attr, const struct dwarf_value *v);
/* The linkage name, or else the plain one behind those of the namespaces and classes around it, as a string of the builder; 0: none. */
uint32_t dwarf_names_get(struct dwarf_names *n, const struct dwarf_naming *g);

/* Split debug information: the other half of a unit, in its own .dwo file or in a .dwp. Shared by threads. */
struct dwarf_split {
	char *program;		 /* path of the file with the first halves: .dwp and moved .dwo files are beside it */
	const char *symfs;	 /* before paths that compilers wrote; borrowed */
	struct elf_file dwp_elf; /* not open where there is none */
	struct dwarf_file dwp;
	struct dwarf_work *work;
	pthread_mutex_t lock;
	struct hindex opened; /* by hash of device and inode; guarded by `lock` */
};

/* A half that is open. */
struct dwarf_half {
	struct dwarf_unit unit;
	struct elf_file elf; /* of its own .dwo */
	struct dwarf_file dwo;
};

/* Looks for a .dwp. `work` bounds all files that are opened. */
void dwarf_split_init(struct dwarf_split *s, const char *program, const char *symfs, struct dwarf_work *work);
void dwarf_split_fini(struct dwarf_split *s);
/* Opens the other half of a skeleton; false where it is not there, or is another one's. Safe from several threads. */
bool dwarf_split_open(struct dwarf_split *s, const struct dwarf_unit *skeleton, struct dwarf_half *half);
void dwarf_half_close(struct dwarf_half *half);

/* Line tables (.debug_line, DWARF 2 to 5): file names, and the program that makes the rows. */
struct dwarf_line_file {
	struct dwarf_value name;
	uint64_t dir;
	uint32_t path; /* string in the builder; SOURCE_NONE: not made yet */
};

/* A row with what only probes look at. */
struct dwarf_line_row {
	uint64_t addr;
	uint32_t file; /* path, a string of the builder; 0: not known */
	uint32_t line, column;
	bool is_stmt, is_prologue_end;
	bool is_end; /* of a sequence: there is no code from here on */
};

/* Which rows a sink wants: statements of some files, in a range of lines. Others may reach it as well. */
struct dwarf_line_filter {
	const bool *files; /* by number in the table */
	uint32_t nr_files;
	uint32_t first, last;
};

struct dwarf_lines {
	const struct dwarf_unit *unit;
	struct source_builder *to;
	struct dwarf_slice slice;   /* of the head, and of the program where the table is short */
	struct dwarf_slice rows;    /* of the program where it is long, once it runs */
	uint64_t program_off, left; /* where the program is in the section, and its bytes */
	struct dwarf_encoding enc;
	struct bytes program;
	uint8_t min_insn_bytes, max_ops, opcode_base, line_range;
	int8_t line_base;
	const uint8_t *operands; /* how many each standard opcode has; [0]: of opcode 1 */
	VEC(struct dwarf_value) dirs;
	VEC(struct dwarf_line_file) files;
	char *tmp, *path; /* where names are put together */
	bool default_is_stmt;
	/* Where rows go instead of the builder; NULL */
	void (*sink)(void *ctx, const struct dwarf_line_row *row);
	void *sink_ctx;
	const struct dwarf_line_filter *filter; /* NULL: all rows */
};

/* Reads the head of the table of a unit that has one; -EBADMSG. */
int dwarf_lines_init(struct dwarf_lines *l, const struct dwarf_unit *u, struct source_builder *to);
void dwarf_lines_fini(struct dwarf_lines *l);
/* The path of a file by its number in the table, as a string of the builder; 0: not known. */
uint32_t dwarf_lines_path(struct dwarf_lines *l, uint64_t file);
/* Whether the last part of a file's name is that. */
bool dwarf_lines_has_name(struct dwarf_lines *l, uint32_t file, const char *name, size_t len);
/* Reads an entry of a file as it was before version 5, which programs may have, too. */
bool dwarf_lines_add_file(struct dwarf_lines *l, struct bytes *b);
/* Runs the program: adds its rows, as far as they are in code. */
void dwarf_lines_run(struct dwarf_lines *l);

struct dwarf_module {
	struct dwarf_work work;
	struct dwarf_file file;
	struct dwarf_units units;
	struct elf_file alt_elf; /* not open where there is none */
	struct dwarf_file alt_file;
	struct dwarf_units alt;
	struct dwarf_split split;
	bool lacks_alt; /* it should be there and is not */
};

/* `f` and `code` must outlive it. `program`: the path of the mapped file (.dwo and .dwp files are beside it). -ENODATA: no DWARF. */
int dwarf_module_open(struct dwarf_module *m, const struct elf_file *f, const char *path, const char *program, const char *symfs,
		      const struct elf_segment *code, uint32_t nr_code);
/* The same with lists of locations, for variables. */
int dwarf_module_open_variables(struct dwarf_module *m, const struct elf_file *f, const char *path, const char *program, const char *symfs,
				const struct elf_segment *code, uint32_t nr_code);
void dwarf_module_close(struct dwarf_module *m);
/* Bytes that it keeps in memory, about. */
uint64_t dwarf_module_memory(const struct dwarf_module *m);

/* Reads the unit at an offset of .debug_info. `names` is one a thread. A malloc'd source unit, or NULL where it says nothing. *is_whole is
 * false where a part of it was not to be had (a missing .dwo or shared file): such a unit is not for keeping. */
void *dwarf_module_read(struct dwarf_module *m, struct dwarf_names *names, uint64_t unit, size_t *size, bool *is_whole);

/* Which units cover which addresses, as a flat source map (source_unit.h), malloc'd. */
void *dwarf_module_map(struct dwarf_module *m, size_t *size);

/* The shared file that a file names. Opened if its build-id is right; false otherwise. *is_named: it names one. */
bool dwarf_alt_open(struct elf_file *alt, const struct elf_file *f, const char *path, const char *symfs, bool *is_named);

#endif
