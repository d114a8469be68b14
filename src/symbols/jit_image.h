/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The ELF image of one function of a jitdump, for readers that know files alone: its code, a symbol, call frame information and a build-id.
 */
#ifndef ASSAY_SYMBOLS_JIT_IMAGE_H
#define ASSAY_SYMBOLS_JIT_IMAGE_H

#include "base/out.h"
#include "symbols/elf_file.h"
#include "symbols/jitdump.h"

/* Of the code, in the file and as it is linked: behind the headers. */
#define JIT_IMAGE_TEXT_OFF 0x80u

/* Appends the image to `o`, which is empty, and says which build-id it has: a sum of what is in it. */
void jit_image_encode(const struct jitdump *d, const struct jitdump_function *f, struct out *o, struct build_id *id);
/* What a map of it covers: the code, and call frame information behind it where the process has that there, too. */
uint64_t jit_image_mapped_bytes(const struct jitdump_function *f);

#endif
