/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which format a profile has, told by how it begins. Pure functions of those bytes. For this room alone; commands ask import_could_be().
 */
#ifndef ASSAY_IMPORT_GUESS_H
#define ASSAY_IMPORT_GUESS_H

#include "import/import.h"

/* A perf.data, for either byte order. */
bool import_is_recording(const void *data, size_t size);
/* IMPORT_GUESS where it is none. `data` is unpacked. */
enum import_format import_guess(const void *data, size_t size);
/* What it is instead, as part of a sentence (", but JSON"); "" where that is not known. */
const char *import_not_importable(const void *data, size_t size);

#endif
