/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Where the symbols, lines and call frames of a file are: in the file, or in a separate debug file that a distribution, a debug server's
 * client or perf has put somewhere. Only what is on this disk is used: nothing is fetched.
 */
#ifndef ASSAY_SYMBOLS_DEBUG_FILES_H
#define ASSAY_SYMBOLS_DEBUG_FILES_H

#include "symbols/elf_file.h"
#include "symbols/symbol_index.h"
#include "symbols/symbolizer.h"

/* What is looked for: it decides whether the file itself is enough, and which debug file is. */
enum debug_need {
	DEBUG_SYMBOLS, /* .symtab */
	DEBUG_LINES,   /* .debug_info */
	DEBUG_FRAMES,  /* .debug_frame, beside the file's own .eh_frame */
};

struct debug_files {
	struct elf_file runtime; /* what was mapped; elf NULL where only the debug file is there */
	struct elf_file debug;	 /* not open where `runtime` is the best there is */
	struct elf_file mini;	 /* opened by debug_files_open_mini() */
	struct build_id id;	 /* recorded, or else that of the file; size 0: it has none */
	char *made_from;	 /* path of the one with what was looked for */
	void *mini_image;
};

/* The kernel marks the path of a mapped file that was removed with " (deleted)": how long the path is without that. */
size_t deleted_mark_at(const char *path);

/* Finds and opens the files of a recorded module. Files with another build-id than the recorded one and, without one, other or changed
 * files (symbols/file_identity.h) are not used: -ESTALE, reported with -v. Where the file is there and what is needed is not, only
 * `runtime` is open. */
int debug_files_find(struct debug_files *d, const char *symfs, const struct module_ref *ref, enum debug_need need, struct errbuf *eb);
void debug_files_close(struct debug_files *d);

/* Opens the small symbol table that Fedora and related distributions put into stripped files (.gnu_debugdata, xz): `mini` then has a
 * .symtab with what .dynsym lacks. False where there is none, or it is damaged (-v says so). */
bool debug_files_open_mini(struct debug_files *d);

/* The files that were found, for the symbol index. */
struct index_files debug_files_for_index(const struct debug_files *d);

/* A file of perf's own cache, ~/.debug/.build-id/ab/cdef…/NAME; malloc'd, or NULL without a home or an id. */
char *debug_files_perf_cache(const struct build_id *id, const char *name);
/* /usr/lib/debug/.build-id/ab/cdef….debug below `root` ("" for /). */
char *debug_files_by_build_id(const char *root, const struct build_id *id);
/* What debuginfod-find (or gdb, or elfutils) has downloaded: NAME is "debuginfo" or "executable"; malloc'd, or NULL. */
char *debug_files_debuginfod(const struct build_id *id, const char *name);

/* struct source_files: the ELF files with the lines of a module, and the way from addresses of a recording to addresses as linked. */
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
	VEC(struct elf_segment) code;
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

/* The vdso: the library that the kernel maps into every process. It is no file; ours is the same as that of every process. */

/* Opens a copy of our own vdso. *image is the caller's to free after elf_file_close(). -ENOENT where there is none. */
int vdso_open(struct elf_file *f, void **image, struct errbuf *eb);

#define VDSO_PATH "[vdso]"
#define VDSO_NARROW_PATH "[vdso32]" /* perf's name for it */

/* The vdso of a recording, by ref->path: the copy in ref->image, ours where nothing says that it is another, or the one that perf has kept
 * under its build-id. *image as above (may be NULL); *made_from: where it is from, the caller's to free. */
int vdso_open_recorded(struct elf_file *f, void **image, const struct module_ref *ref, char **made_from, struct errbuf *eb);
struct build_id vdso_build_id(const char *path);

#endif
