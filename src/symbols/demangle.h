/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * From a compiler's name of a function to the one in the source: C++, Rust and D (libiberty), OCaml
 * and Java (by hand).
 */
#ifndef ASSAY_SYMBOLS_DEMANGLE_H
#define ASSAY_SYMBOLS_DEMANGLE_H

/* Malloc'd memory, or NULL where `name` is not mangled. A "@plt" at the end stays there. No
 * parameters, no return type. */
char *demangle_name(const char *name);
/* The same, shorter: what templates and generics were made with is folded (name_fold.h). */
char *demangle_name_short(const char *name);

#endif
