/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct dso: a file (or the kernel, a module, the vdso, a JIT map) that code was mapped from, and the table of them.
 * A DSO is named by its id; id 0 is "no DSO". Symbols are loaded when first asked for.
 */
#ifndef ASSAY_SESSION_DSO_H
#define ASSAY_SESSION_DSO_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/budget.h"
#include "base/hash.h"
#include "base/vec.h"
#include "perfdata/embedded_files.h"
#include "perfdata/imported.h"
#include "symbols/jit_names.h"
#include "symbols/jitdump.h"
#include "symbols/module_code.h"
#include "symbols/remedy.h"
#include "symbols/source_info.h"
#include "symbols/symbolizer.h"
#include "symbols/unwind_functions.h"

#define DSO_NONE 0u

struct dso {
	enum module_kind kind;
	const char *path;	/* as recorded; "[kernel.kallsyms]", "[ext4]", "[vdso]"; of kernel code: as the header lists it */
	const char *short_name; /* as reports show it */
	const char *file;	/* kernel code: as its map record names it; otherwise NULL */
	const char *image;	/* VDSO of another kernel: a file with a copy of it; otherwise NULL */
	uint8_t build_id[20];
	uint8_t build_id_size;
	bool has_own_build_id;		    /* it came with the map: part of what the DSO is found by */
	struct file_identity identity;	    /* ELF: from its map records and what the recording says of mapped files */
	const struct embedded_file *stored; /* what the recording has of it; used where no file is found. NULL: nothing */
	const char *opened_as;		    /* ELF: where the recorder holds it open; otherwise NULL */
	int32_t pid;			    /* JIT */
	enum jit_runtime runtime;	    /* JIT: machine_find_runtimes() */
	uint64_t kernel_start;		    /* KERNEL: of kernel_ref_name; KMODULE: of the module; 0: unknown */
	const char *kernel_ref_name;
	struct symtab *symtab;	    /* NULL until loaded */
	struct source_info *source; /* NULL until asked for, or where it cannot be had */
	bool source_tried;
	bool is_counted;	     /* it was taken from dso_table.loads */
	bool is_skipped;	     /* its files are not looked for: there are too many, or it was imported */
	bool unfinished;	     /* symbols were added to it since it was last put in order */
	struct jitdump *jitdump;     /* JIT: whose offsets its addresses are, owned; NULL: they are addresses */
	char *why_empty;	     /* once loaded and empty: the sentence */
	struct unwind_table *unwind; /* NULL until loaded, or where there is none */
	bool unwind_loaded;
	struct unwind_functions *functions; /* NULL until loaded, or where there are none */
	bool functions_loaded;
};

/* A symbol table that is being loaded in the background. */
struct dso_prefetch {
	bool running;
	uint32_t dso;
	pthread_t thread;
	struct symbolizer_options options;
	struct module_ref ref;
	struct symtab *symtab;
	struct errbuf why;
};

/* Which file a map means: its build-id, or else its identity. */
struct dso_file {
	const uint8_t *build_id;
	uint8_t build_id_size; /* 0: unknown */
	struct file_identity identity;
	const struct embedded_file *stored; /* NULL: none; outlives the table */
	const char *opened_as;		    /* NULL: nowhere; outlives the table */
};

/* Files that had one path. */
struct dso_path {
	const char *path;
	uint32_t nr;
	uint32_t filled; /* the DSO whose build-id is what was known for the path; DSO_NONE */
};

struct dso_table {
	struct arena arena;
	VEC(struct dso) dsos;
	struct hindex index;
	VEC(struct dso_path) paths;
	struct hindex path_index;
	struct symbolizer_options options;
	const struct origin *origin; /* of what is looked at; borrowed, NULL: here and now */
	struct dso_prefetch prefetch;
	pthread_mutex_t loads_lock;
	struct budget loads;   /* DSOs whose files are looked for; nothing limits them while it is zeroed */
	struct budget *memory; /* what DSOs are taken from, borrowed; NULL: nothing limits them */
};

void dso_table_init(struct dso_table *t, const struct symbolizer_options *opts);
void dso_table_fini(struct dso_table *t);

/* The DSO of a mapped file: by build-id, else by inode and the content of `stored` or `opened_as`, else by path. */
uint32_t dso_table_intern_file(struct dso_table *t, const char *path, int32_t pid, const struct dso_file *f);
/* The DSO of what is no file (or of a file of which nothing else is known), by its name; build_id may be NULL. */
uint32_t dso_table_intern(struct dso_table *t, enum module_kind kind, const char *path, int32_t pid, const uint8_t *build_id,
			  uint8_t build_id_size);
static inline const struct dso *dso_table_get(const struct dso_table *t, uint32_t id)
{
	return &t->dsos.v[id];
}
/* A DSO for each imported module, side by side, several of one path too; returns the first one's. `n` outlives the table. */
uint32_t dso_table_add_imported(struct dso_table *t, const struct imported *n);
/* A DSO for the code of a jitdump, which it owns from then on. */
uint32_t dso_table_add_jitdump(struct dso_table *t, const char *path, int32_t pid, struct jitdump *dump);
/* Where a copy of a vdso can be read from. */
void dso_table_set_image(struct dso_table *t, uint32_t id, const char *file);
/* Sets the build-id that the recording has for the path of a DSO without one. It is removed when another file appears at that path.
 * Symbols that were not found are looked for again. */
void dso_table_fill_build_id(struct dso_table *t, uint32_t id, const uint8_t *build_id, uint8_t size);
/* Names the kernel or a module of it as the recording's header does: by the path of its file. */
void dso_table_set_listed_path(struct dso_table *t, uint32_t id, const char *path);

/* Starts loading in a thread, if none runs: for the kernel, whose symbols take tens of milliseconds. dso_table_symbols() waits for it. */
void dso_table_prefetch(struct dso_table *t, uint32_t id);
/* Loads the symbols of one DSO where that is not done (not thread-safe). Never NULL: an empty table where there are none. */
const struct symtab *dso_table_symbols(struct dso_table *t, uint32_t id);
/* How to unwind from its code; NULL: no file (JIT, anonymous memory) or no call frame information. Loaded on first use, by any number of
 * threads as long as no DSO is added. */
const struct unwind_table *dso_table_unwind(struct dso_table *t, uint32_t id);
/* Puts the tables that were compiled in pieces into the symbol index, whole: takes seconds for hundreds of megabytes of code. */
void dso_table_keep_unwind(struct dso_table *t);
/* The function around an address without a symbol, by call frame information, loaded on first use (not thread-safe); false: not known. */
bool dso_table_find_function(struct dso_table *t, uint32_t id, uint64_t addr, struct unwind_function *f);
/* Bytes of its code at an address as locations have it; how many there are: 0 where the file that was mapped is not at hand. */
size_t dso_table_code(const struct dso_table *t, uint32_t id, uint64_t addr, void *buf, size_t size);
/* Its code, opened once for many reads; as symbols/module_code.h has it. */
int dso_table_open_code(const struct dso_table *t, uint32_t id, struct module_code **code, struct errbuf *eb);
/* What would give a DSO the names or tables it lacks, as symbols/remedy.h says it; -ENOENT and "" where nothing would. Takes milliseconds. */
int dso_table_remedy(const struct dso_table *t, uint32_t id, enum remedy_need need, char *buf, size_t size);
/* Whether its file is there and one of 32 bits. */
bool dso_table_is_32bit(const struct dso_table *t, uint32_t id);
/* Loads those of all DSOs in `ids`, in parallel. */
void dso_table_load(struct dso_table *t, const uint32_t *ids, uint32_t nr);

/* What the debug information of a DSO says of its addresses, opened when first asked for (not thread-safe); NULL where there is none. */
struct source_info *dso_table_source(struct dso_table *t, uint32_t id);
/* The line of generated code; false: not known. */
bool dso_table_find_jit_line(const struct dso_table *t, uint32_t id, uint64_t addr, struct source_frame *frame);
/* Addresses of a DSO that will be asked for. */
struct dso_addrs {
	uint32_t dso;
	uint64_t *v;
	uint32_t nr, cap;
};
/* Opens those of several DSOs (each at most once in the list) and has them read what they know of these addresses, in parallel. */
void dso_table_prefetch_source(struct dso_table *t, const struct dso_addrs *list, uint32_t nr);

#endif
