/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct source_files: the ELF files with the lines of a module, and the way from addresses of a recording to addresses as linked.
 */
#ifndef ASSAY_SYMBOLS_SOURCE_FILES_H
#define ASSAY_SYMBOLS_SOURCE_FILES_H

#include "symbols/debug_files.h"
#include "symbols/dwarf_unit.h"
#include "symbols/symbolizer.h"

struct source_files {
	struct debug_files found;
	const struct elf_file *debug; /* the one with debug information; NULL: none */
	bool is_go;		      /* it has none, but it is a Go program, which has a table of its own */
	char *path;		      /* of it */
	char *program;		      /* the path of the file that was mapped */
	char *symfs;		      /* "" without one */
	/* A recording's address is an offset in a file, or (the kernel) shifted by what it was moved at boot. */
	bool is_kernel;
	uint64_t shift;
	VEC(struct elf_segment) segments; /* those with code */
	VEC(struct dwarf_code) code;	  /* the same as addresses */
	/* Of `debug` while it rests. */
	struct file_stat was;
	struct elf_budgets budgets;
};

/* Where there is no debug information `debug` is NULL and `eb` says why. */
void source_files_open(struct source_files *f, const struct symbolizer_options *opts, const struct module_ref *ref, struct errbuf *eb);
void source_files_close(struct source_files *f);
/* Closes the files until they are read: more may be known than may be open. */
void source_files_rest(struct source_files *f);
/* Opens `debug` again; false where it is gone, or another file by now. */
bool source_files_wake(struct source_files *f);
/* False where no code is at that address. */
bool source_files_vaddr(const struct source_files *f, uint64_t addr, uint64_t *vaddr);

#endif
