/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Symbols of a kernel module from its file (.ko, .ko.xz, .ko.zst, .ko.gz below /lib/modules, or a debug file by build-id): for
 * recordings of other machines, and of modules that are not loaded now.
 */
#ifndef ASSAY_SYMBOLS_KMODULE_FILE_H
#define ASSAY_SYMBOLS_KMODULE_FILE_H

#include "base/errbuf.h"
#include "symbols/symbolizer.h"
#include "symbols/symtab.h"

/* `name` as lsmod has it. A table of the caller's, addresses counted from where the module begins, or NULL and a sentence. */
struct symtab *kmodule_file_load(const struct symbolizer_options *opts, const struct module_ref *ref, const char *name,
				 struct errbuf *eb);

#endif
