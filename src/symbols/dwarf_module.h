/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct dwarf_module: all debug information of one module: its own file, the one that it shares with others (dwz), the other halves
 * of its units (.dwo, .dwp); and which unit covers which addresses. Units may be read from several threads.
 */
#ifndef ASSAY_SYMBOLS_DWARF_MODULE_H
#define ASSAY_SYMBOLS_DWARF_MODULE_H

#include "symbols/dwarf_names.h"
#include "symbols/dwarf_split.h"
#include "symbols/dwarf_unit.h"

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

/* `f` and `code` must outlive it. `path` is that of the file, `program` that of the one which was mapped (for .dwo and .dwp files
 * beside it). -ENODATA where there is no debug information. */
int dwarf_module_open(struct dwarf_module *m, const struct elf_file *f, const char *path, const char *program, const char *symfs,
		      const struct dwarf_code *code, uint32_t nr_code);
void dwarf_module_close(struct dwarf_module *m);
/* Bytes that it keeps in memory, about. */
uint64_t dwarf_module_memory(const struct dwarf_module *m);

/* Reads the unit at an offset of .debug_info. `names` is one a thread. A malloc'd source unit, or NULL where it says nothing.
 * *is_whole is false where a part of it was not to be had (a missing .dwo or shared file): such a unit is not for keeping. */
void *dwarf_module_read(struct dwarf_module *m, struct dwarf_names *names, uint64_t unit, size_t *size, bool *is_whole);

/* Which units cover which addresses, as a flat source map (source_map.h), malloc'd. */
void *dwarf_module_map(struct dwarf_module *m, size_t *size);

/* The shared file that a file names. Opened if its build-id is right; false otherwise. *is_named: it names one. */
bool dwarf_alt_open(struct elf_file *alt, const struct elf_file *f, const char *path, const char *symfs, bool *is_named);

#endif
