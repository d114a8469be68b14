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
#include "base/hash.h"
#include "base/vec.h"
#include "perfdata/embedded_names.h"
#include "symbols/source_info.h"
#include "symbols/symbolizer.h"

#define DSO_NONE 0u

struct dso {
	enum module_kind kind;
	const char *path;	/* as recorded; "[kernel.kallsyms]", "[ext4]", "[vdso]" */
	const char *short_name; /* as reports show it */
	const char *file;	/* KMODULE: the .ko path; otherwise NULL */
	const char *image;	/* VDSO of another kernel: a file with a copy of it; otherwise NULL */
	uint8_t build_id[20];
	uint8_t build_id_size;
	struct file_identity identity; /* ELF: from its map records and what the recording says of mapped files */
	int32_t pid;	       /* JIT */
	uint64_t kernel_start; /* KERNEL */
	const char *kernel_ref_name;
	const struct embedded_module *embedded; /* its names came with the recording, no file is looked at; NULL for others */
	struct symtab *symtab; /* NULL until loaded */
	struct source_info *source; /* NULL until asked for, or where it cannot be had */
	bool source_tried;
	bool unfinished;       /* symbols were added to it since it was last put in order */
	char *why_empty;       /* once loaded and empty: the sentence */
	struct unwind_table *unwind; /* NULL until loaded, or where there is none */
	bool unwind_loaded;
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

struct dso_table {
	struct arena arena;
	VEC(struct dso) dsos;
	struct hindex index;
	struct symbolizer_options options;
	struct dso_prefetch prefetch;
};

void dso_table_init(struct dso_table *t, const struct symbolizer_options *opts);
void dso_table_fini(struct dso_table *t);

/* The DSO of a path as MMAP records name it, for the process `pid`; build_id may be NULL. */
uint32_t dso_table_intern(struct dso_table *t, enum module_kind kind, const char *path, int32_t pid,
			  const uint8_t *build_id, uint8_t build_id_size);
static inline const struct dso *dso_table_get(const struct dso_table *t, uint32_t id)
{
	return &t->dsos.v[id];
}
/* The DSO of a module whose names came with the recording, and outlive the table. */
uint32_t dso_table_intern_embedded(struct dso_table *t, const struct embedded_module *m);
/* Where a copy of a vdso can be read from. */
void dso_table_set_image(struct dso_table *t, uint32_t id, const char *file);
/* Fills in build-ids that the file's header has for a path. */
void dso_table_set_build_id(struct dso_table *t, const char *path, const uint8_t *id, uint8_t size);

/* Begins to load in a thread of its own, if none is at work: for the kernel, whose symbols take the kernel tens of milliseconds to print.
 * dso_table_symbols() waits for it. */
void dso_table_prefetch(struct dso_table *t, uint32_t id);
/* Loads the symbols of one DSO where that is not done (not thread-safe). Never NULL: an empty table where there are none. */
const struct symtab *dso_table_symbols(struct dso_table *t, uint32_t id);
/* How to unwind from its code; NULL: no file that could say so (JIT, anonymous memory) or one without call frame information. Loaded
 * when first asked for, by any number of threads at once as long as no DSO is added meanwhile. */
const struct unwind_table *dso_table_unwind(struct dso_table *t, uint32_t id);
/* What would give a DSO the names it lacks, as symbols/remedy.h says it; -ENOENT and "" where nothing would. Takes milliseconds. */
int dso_table_remedy(const struct dso_table *t, uint32_t id, char *buf, size_t size);
/* Loads those of all DSOs in `ids`, in parallel. */
void dso_table_load(struct dso_table *t, const uint32_t *ids, uint32_t nr);

/* What the debug information of a DSO says of its addresses, opened when first asked for (not thread-safe); NULL where there is none. */
struct source_info *dso_table_source(struct dso_table *t, uint32_t id);
/* Addresses of a DSO that will be asked for. */
struct dso_addrs {
	uint32_t dso;
	uint64_t *v;
	uint32_t nr, cap;
};
/* Opens those of several DSOs (each at most once in the list) and has them read what they know of these addresses, in parallel. */
void dso_table_prefetch_source(struct dso_table *t, const struct dso_addrs *list, uint32_t nr);

#endif
