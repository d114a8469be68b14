/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The interface of this module: from a module of a recording (a mapped file, the kernel) to its symbols, unwind table and code.
 */
#ifndef ASSAY_SYMBOLS_SYMBOLIZER_H
#define ASSAY_SYMBOLS_SYMBOLIZER_H

#include "base/errbuf.h"
#include "symbols/file_identity.h"
#include "symbols/jit_runtime.h"
#include "symbols/symtab.h"

/* struct origin: where a recording was made (session/origin.c finds out), which decides whether files of this machine that another machine
 * has too may be used: /proc/kallsyms, the vdso, map files of JITs, files without a build-id. */
enum origin_place {
	ORIGIN_HERE,	      /* or not known to be elsewhere */
	ORIGIN_OTHER_KERNEL,  /* this machine under another kernel: its files may still be there */
	ORIGIN_OTHER_MACHINE, /* nothing of this machine is the recorded one's, but what a build-id proves */
};

struct origin {
	enum origin_place place;
	bool is_same_kernel; /* the recording has the build-id of the kernel, and it is that of the running one */
	char why[192];	     /* not ORIGIN_HERE: "it was recorded on host 'a', this is 'b'" */
};

/* NULL, the origin of what is looked at live, is here. */
static inline bool origin_is_here(const struct origin *o)
{
	return !o || o->place == ORIGIN_HERE;
}
static inline bool origin_is_other_machine(const struct origin *o)
{
	return o && o->place == ORIGIN_OTHER_MACHINE;
}

/* Whether code of the running kernel (its modules, the vdso) may be the recorded one's where build-ids do not decide. */
static inline bool origin_may_be_kernel(const struct origin *o)
{
	return origin_is_here(o) || o->is_same_kernel;
}

enum module_kind {
	MODULE_ELF,	/* an ordinary file */
	MODULE_KERNEL,	/* [kernel.kallsyms] */
	MODULE_KMODULE, /* [ext4] */
	MODULE_VDSO,	/* [vdso] */
	MODULE_JIT,	/* /tmp/perf-PID.map */
	MODULE_NONE,	/* [heap], [stack], anon_inode…: never has symbols */
};

struct module_ref {
	enum module_kind kind;
	/* As recorded: a path, "[vdso]", "[kernel.kallsyms]", "/tmp/perf-42.map" */
	const char *path;
	const char *image; /* MODULE_VDSO: a file with a copy of it; NULL: ours, or perf's cache */
	uint8_t build_id[20];
	uint8_t build_id_size;	       /* 0: unknown */
	struct file_identity identity; /* MODULE_ELF: which file the path meant; decides where there is no build-id */
	const char *opened_as;	       /* MODULE_ELF: where its bytes can be read now, whatever the path means; NULL: at the path */
	int32_t pid;		       /* MODULE_JIT; MODULE_ELF: one that mapped it, 0 or less: unknown */
	enum jit_runtime runtime;      /* MODULE_JIT: of that process */
	uint32_t uid;		       /* MODULE_JIT: owner of that process, whose map files are used too */
	bool uid_known;
	const struct origin *origin; /* of the recording; NULL: here and now */
	/* MODULE_KERNEL: where the recording had kernel_ref_name; MODULE_KMODULE: the module, whose symbols begin at 0. 0: unknown */
	uint64_t kernel_start;
	const char *kernel_ref_name; /* "_text" or "_stext" */
};

struct symbolizer_options {
	const char *symfs;    /* prefix for files; NULL */
	const char *kallsyms; /* --kallsyms FILE; NULL: /proc/kallsyms */
	const char *vmlinux;  /* -k FILE; NULL */
	bool no_demangle;
	bool short_names;    /* --demangle=short: template arguments are folded to <…> */
	bool raw_names;	     /* --raw-names: of generated code, as its compiler has them (jit_names.h) */
	bool elfutils_names; /* as eu-stack has them: symtab.by_binding, C++ names with their parameters, other languages' as they are */
	/* NULL: every kernel module reads /proc/kallsyms again (50 ms) */
	struct symbolizer_cache *cache;
};

/* What loads of several modules share; has locks of its own. Tables may borrow from it, and are freed before it. */
struct symbolizer_cache *symbolizer_cache_new(void);
void symbolizer_cache_free(struct symbolizer_cache *c);
/* Limits the memory of all tables and debug information: to `floor` bytes or, if more, `factor` for each byte of the recording. */
void symbolizer_cache_limit(struct symbolizer_cache *c, uint64_t floor, uint64_t factor);
void symbolizer_cache_see_present(struct symbolizer_cache *c, uint64_t bytes);
/* Whether names or lines are missing because of it. */
bool symbolizer_cache_was_short(const struct symbolizer_cache *c, uint64_t *limit_bytes);

/* Loads the symbol table of a module, which is the caller's: an empty one where nothing was found, and `eb` says why. Safe from several
 * threads for different modules. */
int symbolizer_load(const struct symbolizer_options *opts, const struct module_ref *ref, struct symtab **tab, struct errbuf *eb);

/* Loads (from the symbol index) or compiles the unwind table of a module, in pieces and on demand where it is large and not `is_whole`: an
 * empty one, and `eb` says why, where there is no call frame information. Threads and ownership as above. */
struct unwind_table;
int symbolizer_load_unwind(const struct symbolizer_options *opts, const struct module_ref *ref, bool is_whole, struct unwind_table **table,
			   struct errbuf *eb);

/* Compiles the whole unwind table of a file and puts it into the symbol index, unless it is there or cannot be kept. */
void symbolizer_keep_unwind(const struct symbolizer_options *opts, const struct module_ref *ref);

/* Loads (from the symbol index) or reads which addresses of a module are one function, by its call frame information: all that a stripped
 * file says of its functions. NULL where there is none. Threads and ownership as above. */
struct unwind_functions;
void symbolizer_load_functions(const struct symbolizer_options *opts, const struct module_ref *ref, struct unwind_functions **functions);

/* Bytes of a module's code at a file offset, from the file that was mapped and no other; how many there are. Slow: it opens the file. */
size_t symbolizer_read_code(const struct symbolizer_options *opts, const struct module_ref *ref, uint64_t file_off, void *buf, size_t size);

/* The readable name, for symbols of tables that say `mangled` (names of JIT maps and of the kernel are used as they are): malloc'd, or NULL
 * where `name` is not mangled, or under no_demangle. Without parameters and return types, as perf prints it; folded under short_names. */
char *symbolizer_readable(const struct symbolizer_options *opts, const char *name);
/* The same for a name out of debug information, which may be readable already: then it is only folded. */
char *symbolizer_readable_source(const struct symbolizer_options *opts, const char *name);

/* The GNU build-id of an ELF file, "[kernel.kallsyms]", "[vdso]" or "[module]" (those that run now): its size, or -errno. */
int symbolizer_build_id(const char *path, uint8_t id[20]);

#endif
