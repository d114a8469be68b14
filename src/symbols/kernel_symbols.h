/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Symbols of the kernel and its modules: from /proc/kallsyms, a copy of it, the symbol index or a vmlinux file, shifted to where the
 * recording had the kernel (it differs from boot to boot).
 */
#ifndef ASSAY_SYMBOLS_KERNEL_SYMBOLS_H
#define ASSAY_SYMBOLS_KERNEL_SYMBOLS_H

#include "base/errbuf.h"
#include "symbols/elf_file.h"
#include "symbols/symbolizer.h"
#include "symbols/symtab.h"

/* struct kallsyms: /proc/kallsyms or a copy of it, read once and divided into the kernel proper and its modules. */

/* Symbols at the start of the kernel's code: where it lies differs from boot to boot. */
enum kallsyms_mark { KALLSYMS_TEXT, KALLSYMS_STEXT, KALLSYMS_NR_MARKS };

struct kallsyms {
	struct symtab *kernel;		   /* NULL once taken */
	struct symtab *modules;		   /* names are "name\t[module]" */
	uint64_t ref_addr;		   /* of `ref_name`; 0: not there */
	uint64_t marks[KALLSYMS_NR_MARKS]; /* 0: not there */
};

/* Reads and parses the file. `ref_name` (may be NULL) is a symbol whose address is wanted: the marker of where a recording had the kernel.
 * -EACCES where the kernel hides the addresses, with a message that says how to change that. */
int kallsyms_open(struct kallsyms *k, const char *path, const char *ref_name, struct errbuf *eb);
/* Same from text in memory, which is written to and must outlive the tables; for tests. */
int kallsyms_parse(struct kallsyms *k, char *text, size_t size, const char *ref_name, struct errbuf *eb);
void kallsyms_close(struct kallsyms *k);
/* True where the file is there and shows no addresses to us. Looks at its beginning only. */
bool kallsyms_is_hidden(const char *path);

/* "_text" → KALLSYMS_TEXT; -1 for other names and NULL. */
int kallsyms_mark(const char *name);
/* Where a mark is by a look at the beginning of the file; 0: hidden, or not there. */
uint64_t kallsyms_peek_mark(const char *path, enum kallsyms_mark mark);

/* Where the code of a loaded module begins, by the text of /proc/modules or by the file; 0: not loaded, or hidden. */
uint64_t kernel_modules_find(const char *text, size_t size, const char *name);
uint64_t kernel_module_start(const char *name);
/* The inode number of /sys/module/NAME, which changes with every loading; 0: there is none. */
uint64_t kernel_module_inode(const char *name);

/* The kernel's own symbols, moved by `shift`; the caller's from now on. NULL when it was taken before. */
struct symtab *kallsyms_take_kernel(struct kallsyms *k, uint64_t shift);
/* A copy of one module's symbols, moved by `shift`: `module` is a name without brackets. Empty where there is no such module. */
struct symtab *kallsyms_copy_module(const struct kallsyms *k, const char *module, uint64_t shift);

/* Both give a table of the caller's, or NULL and a message. */
struct symtab *kernel_symbols_load(const struct symbolizer_options *opts, const struct module_ref *ref, struct errbuf *eb);
struct symtab *kmodule_symbols_load(const struct symbolizer_options *opts, const struct module_ref *ref, struct errbuf *eb);

/* Keeps the symbols of the running kernel in the index, for when another one runs; tens of milliseconds the first time. */
void kernel_symbols_keep(void);

/* Symbols of the kernel and its modules in the symbol index, because the kernel takes 50 ms to print /proc/kallsyms. They are relative to
 * the start of the code, so that they serve every boot and store no address. A kernel or module without a build-id is known by the boot id,
 * a module also by its loading. Symbols of BPF programs are in recordings (KSYMBOL records). */

/* The boot id as 16 bytes, which name a kernel without a build-id; size 0 where it cannot be read. */
struct build_id kernel_index_boot_id(void);

/* The symbols of a kernel (by build-id, or boot id) with `ref_name` ("_text" or "_stext") at `ref_addr`; NULL: not there. */
struct symtab *kernel_index_find(const struct build_id *id, const char *ref_name, uint64_t ref_addr);
/* Whether they are there, or cannot be: there is no index. */
bool kernel_index_has(const struct build_id *id);
/* Keeps the symbols of the kernel; nothing where `k` has no start of the kernel or is not plausible (hidden addresses). */
void kernel_index_add(const struct build_id *id, const struct kallsyms *k);

/* Which module it is. */
struct kernel_index_module {
	const char *name;
	struct build_id id;   /* of the module; size 0: it has none, and boot id and inode count */
	struct build_id boot; /* kernel_index_boot_id() */
	uint64_t inode;	      /* kernel_module_inode() */
};

/* Its functions, for a module whose code begins at `start` (0: counted from there); NULL where they are not there. */
struct symtab *kernel_index_find_module(const struct kernel_index_module *m, uint64_t start);
/* Keeps the functions of a module whose code begins at `start` in that table. */
void kernel_index_add_module(const struct kernel_index_module *m, const struct symtab *t, uint64_t start);

/* Whether /proc/kallsyms and /sys are the kernel's own and not files that something else put there (a container, a test). */
bool kernel_index_trusts_proc(void);

/* From the file of a module ("*.ko*" below /lib/modules, or a debug file), for recordings of other machines and modules that are not
 * loaded. `name` as lsmod has it. A table of the caller's, relative to the start of the module, or NULL and a message. */
struct symtab *kmodule_file_load(const struct symbolizer_options *opts, const struct module_ref *ref, const char *name, struct errbuf *eb);
/* Opens that file; *image (may be NULL) is what it was unpacked into, and is freed after `f` is closed, *path is the caller's. */
bool kmodule_file_open(struct elf_file *f, void **image, const struct symbolizer_options *opts, const struct module_ref *ref, char **path);
/* Whether the module is loaded now, where the recording had it. */
bool kmodule_is_running(const struct module_ref *ref);

#endif
