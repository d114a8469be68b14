/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct symbolizer_cache: what loads of several modules share, and may cost together. A recording may know one file (by fstat() of it and
 * its debug file) by many paths: it is loaded once, and each path gets a table that borrows the bytes.
 */
#ifndef ASSAY_SYMBOLS_SYMBOLIZER_CACHE_H
#define ASSAY_SYMBOLS_SYMBOLIZER_CACHE_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/budget.h"
#include "base/errbuf.h"
#include "base/hash.h"
#include "base/vec.h"
#include "symbols/debug_files.h"
#include "symbols/kernel_symbols.h"
#include "symbols/symbol_index.h"
#include "symbols/symbolizer.h"

struct source_info;

enum shared_kind { SHARED_SYMBOLS = 1, SHARED_UNWIND, SHARED_FUNCTIONS, SHARED_SOURCE };

/* Compared as bytes. */
struct shared_key {
	uint32_t kind;
	uint32_t variant; /* what else it depends on, as the kind has it */
	struct file_stat runtime, debug;
	uint8_t build_id[BUILD_ID_SIZE + 1]; /* with its size: of files that are gone, which are found by it */
	uint8_t is_gone;
	uint8_t zero[2];
};

struct shared_part {
	struct shared_key key;
	bool is_made;
	void *made; /* NULL: nothing came of it */
	void (*free)(void *made);
	int err;
	char *why;	 /* of err */
	char *path;	 /* the first to ask, which `why` may name */
	char *made_from; /* the file it was made of; NULL */
};

struct symbolizer_cache {
	pthread_mutex_t lock;
	struct kallsyms kallsyms;   /* only the modules' part is kept */
	char *path;		    /* where it is from; NULL: not read yet */
	pthread_mutex_t parts_lock; /* of all that follows */
	pthread_cond_t is_made;
	VEC(struct shared_part *) parts;
	struct hindex part_index;
	pthread_mutex_t large_lock; /* held while a part of a large file is made */
	struct budget memory;	    /* of what is loaded; nothing limits it while it is zeroed */
	struct budget saved;	    /* bytes of files of which something was put into the index: their contents are summed for it */
	bool is_short;		    /* something was not loaded for want of memory */
	_Atomic(struct source_info *) reader; /* of debug information: the one that is open beyond the limit; borrowed */
	_Atomic int nr_may_open;	      /* more files with lines that may stay open */
};

/* The key of files that were found, or (`err` of the search) are gone. False: unknown, or changed a moment ago: not to be shared. */
bool shared_key_of(struct shared_key *key, enum shared_kind kind, uint32_t variant, const struct debug_files *d, int err,
		   const struct module_ref *ref);
/* The part of a key; waits while another thread makes it. *is_new: the caller makes it, and calls shared_part_put(). */
struct shared_part *shared_part_get(struct symbolizer_cache *c, const struct shared_key *key, bool *is_new);
/* What came of it; `made` is the cache's from now on. */
void shared_part_put(struct symbolizer_cache *c, struct shared_part *p, void *made, void (*free)(void *made), int err, const char *why);
/* `text` with another path in the place of `from`; malloc'd. Either path may be NULL: then it stays as it is. */
char *shared_text(const char *text, const char *from, const char *to);

/* Whether more may be loaded. The last one may pass the limit: any one file is read. A NULL cache has no limit. */
bool symbolizer_cache_has_room(struct symbolizer_cache *c);
/* Takes what is kept in memory, or as much of it as is left; how much that was. */
uint64_t symbolizer_cache_take(struct symbolizer_cache *c, uint64_t bytes);
void symbolizer_cache_give(struct symbolizer_cache *c, uint64_t bytes);
/* Notes that something is missing, and says so. */
int symbolizer_cache_set_short(struct symbolizer_cache *c, const char *path, struct errbuf *eb);

/* The common part of all loaders of a file's parts (symbols, unwind table, functions), which begin with a struct module_part: the file and
 * its debug file are found; a part that was made for another path is borrowed; a part in the symbol index is used, also when the file is
 * gone; a new part is added there. */
struct module_loader {
	enum debug_need need;
	enum shared_kind kind;
	enum index_part index_part;
	uint32_t index_key; /* those bits of the variant that are its key in the index */
	size_t struct_size; /* of what is made */
	/* One on flat bytes of the index; NULL: not sound. `from`: "made of /bin/x", or why the file is not used: "the file itself is
	 * gone". */
	void *(*view)(uint32_t variant, const void *bytes, size_t size, const char *from);
	/* Makes it from files; *made may be set where it fails too. */
	int (*make)(uint32_t variant, struct debug_files *d, const char *path, void **made, struct errbuf *eb);
	/* Its flat bytes; NULL: it has none. Those that were allocated for this are *owned too. */
	const void *(*flatten)(void *made, size_t *size, void **owned);
	void (*free)(void *made);
	/* NULL, or changes a borrowed one for the file of that path. */
	void (*adapt)(void *borrowed, const struct shared_part *p, const char *made_from);
};

/* Makes a part for the symbol index alone, where it can be kept and is not there yet. */
void module_keep(const struct module_loader *l, uint32_t variant, const struct symbolizer_options *opts, const struct module_ref *ref);

/* *made is the caller's: what was loaded; where that failed NULL, or an empty one. `variant` goes to the loader. */
int module_load(const struct module_loader *l, uint32_t variant, const struct symbolizer_options *opts, const struct module_ref *ref,
		void **made, struct errbuf *eb);

#endif
