/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Symbols of the kernel and its modules: which of /proc/kallsyms, a copy of it and a vmlinux file
 * speaks for the recording, and by how far its addresses are off (the kernel is loaded at another
 * address at each boot).
 */
#ifndef ASSAY_SYMBOLS_KERNEL_SYMBOLS_H
#define ASSAY_SYMBOLS_KERNEL_SYMBOLS_H

#include "base/errbuf.h"
#include "symbols/symbolizer.h"
#include "symbols/symtab.h"

/* Both give a table of the caller's, or NULL and a sentence. */
struct symtab *kernel_symbols_load(const struct symbolizer_options *opts,
				   const struct module_ref *ref, struct errbuf *eb);
struct symtab *kmodule_symbols_load(const struct symbolizer_options *opts,
				    const struct module_ref *ref, struct errbuf *eb);

/* Keeps the symbols of the running kernel in the index, if they are not there yet and the kernel shows them: its recordings may be read
 * when another kernel runs. Takes tens of milliseconds the first time. */
void kernel_symbols_keep(void);

#endif
