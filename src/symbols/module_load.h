/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What all loaders of a file's parts have in common: the file and its debug file are found; what was made of them for another path is
 * borrowed (symbolizer_cache.h); what was made of them once comes from the symbol index, also when the file is gone; what is made now goes
 * there. What the part is (symbols, unwind table) is the caller's.
 */
#ifndef ASSAY_SYMBOLS_MODULE_LOAD_H
#define ASSAY_SYMBOLS_MODULE_LOAD_H

#include "symbols/debug_files.h"
#include "symbols/symbol_index.h"
#include "symbols/symbolizer.h"
#include "symbols/symbolizer_cache.h"

struct module_loader {
	enum debug_need need;
	enum shared_kind kind;
	/* Takes the part from an index; NULL: it is not there; otherwise the index goes with it, to be given to module_load_release().
	 * `from` tells what the index was made of, or why there is nothing else: "made of /bin/x", "the file itself is gone". */
	void *(*take)(uint32_t variant, struct symbol_index *x, const char *from);
	/* Makes it from files; *made may be set where it fails too. */
	int (*make)(uint32_t variant, struct debug_files *d, const char *path, void **made, struct errbuf *eb);
	/* Adds what was made to an index. */
	void (*save)(void *made, struct symbol_index *x);
	/* Another one on the same bytes, for the file of that path; the first outlives it. */
	void *(*borrow)(const struct shared_part *p, const char *source);
	void (*free)(void *made);
	/* What it keeps in memory; bytes of the index are the kernel's to keep. */
	uint64_t (*bytes)(const void *made);
};

/* *made is the caller's: what was loaded; where that failed NULL, or an empty one. `variant` goes to the loader. */
int module_load(const struct module_loader *l, uint32_t variant, const struct symbolizer_options *opts, const struct module_ref *ref,
		void **made, struct errbuf *eb);
void module_load_release(void *index);

#endif
