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
#include "symbols/symbolizer.h"

#define DSO_NONE 0u

struct dso {
	enum module_kind kind;
	const char *path;	/* as recorded; "[kernel.kallsyms]", "[ext4]", "[vdso]" */
	const char *short_name; /* as reports show it */
	const char *file;	/* KMODULE: the .ko path; otherwise NULL */
	uint8_t build_id[20];
	uint8_t build_id_size;
	int32_t pid;	       /* JIT */
	uint64_t kernel_start; /* KERNEL */
	const char *kernel_ref_name;
	struct symtab *symtab; /* NULL until loaded */
	bool unfinished;       /* symbols were added to it since it was last put in order */
	char *why_empty;       /* once loaded and empty: the sentence */
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
/* Fills in build-ids that the file's header has for a path. */
void dso_table_set_build_id(struct dso_table *t, const char *path, const uint8_t *id, uint8_t size);

/* Begins to load in a thread of its own, if none is at work: for the kernel, whose symbols take the kernel tens of milliseconds to print.
 * dso_table_symbols() waits for it. */
void dso_table_prefetch(struct dso_table *t, uint32_t id);
/* Loads the symbols of one DSO where that is not done (not thread-safe). Never NULL: an empty table where there are none. */
const struct symtab *dso_table_symbols(struct dso_table *t, uint32_t id);
/* Loads those of all DSOs in `ids`, in parallel. */
void dso_table_load(struct dso_table *t, const uint32_t *ids, uint32_t nr);

#endif
