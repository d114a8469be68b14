/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What all loaders of a file's parts have in common: the file and its debug file are found; what was made of them once comes from the
 * symbol index, also when the file is gone; what is made now goes there. What the part is (symbols, unwind table) is the caller's.
 */
#ifndef ASSAY_SYMBOLS_MODULE_LOAD_H
#define ASSAY_SYMBOLS_MODULE_LOAD_H

#include "symbols/debug_files.h"
#include "symbols/symbol_index.h"
#include "symbols/symbolizer.h"

struct module_loader {
	enum debug_need need;
	/* Takes the part from an index; true: and the index with it, to be given to module_load_release(). `from` tells what the
	 * index was made of, or why there is nothing else: "made of /bin/x", "the file itself is gone". */
	bool (*take)(void *ctx, struct symbol_index *x, const char *from);
	/* Makes it from files. */
	int (*make)(void *ctx, struct debug_files *d, const char *path, struct errbuf *eb);
	/* Adds what was made to an index. */
	void (*save)(void *ctx, struct symbol_index *x);
};

int module_load(const struct module_loader *l, void *ctx, const struct symbolizer_options *opts, const struct module_ref *ref,
		struct errbuf *eb);
void module_load_release(void *index);

#endif
