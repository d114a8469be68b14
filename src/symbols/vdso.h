/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The vdso: the small library that the kernel maps into every process. It is no file; ours is the
 * same as everyone's.
 */
#ifndef ASSAY_SYMBOLS_VDSO_H
#define ASSAY_SYMBOLS_VDSO_H

#include "symbols/build_id.h"
#include "symbols/elf_file.h"
#include "symbols/symbolizer.h"

/* Opens a copy of our own vdso. *image is the caller's to free after elf_file_close(). -ENOENT
 * where there is none. */
int vdso_open(struct elf_file *f, void **image, struct errbuf *eb);

#define VDSO_PATH "[vdso]"
#define VDSO_NARROW_PATH "[vdso32]" /* perf's name for it */

/* The vdso of a recording, by ref->path: the copy of it in ref->image, ours where the build-id is ours or unknown and nothing speaks against
 * it, or the one that perf has kept under that build-id. *image as above (may be NULL); *source names where it is from, the caller's to free. */
int vdso_open_recorded(struct elf_file *f, void **image, const struct module_ref *ref, char **source, struct errbuf *eb);
struct build_id vdso_build_id(const char *path);

#endif
