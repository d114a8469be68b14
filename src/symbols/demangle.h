/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * From a compiler's name of a function to the one in the source: C++, Rust, D, OCaml and Java.
 */
#ifndef ASSAY_SYMBOLS_DEMANGLE_H
#define ASSAY_SYMBOLS_DEMANGLE_H

#include <stdbool.h>

/* Malloc'd memory, or NULL where `name` is not mangled. A "@plt" at the end stays there. No parameters, no return type. */
char *demangle_name(const char *name, bool short_names);

/* Short names: arguments of templates and generics become <…> and parameters are dropped: std::vector<…>::push_back. */
/* The language whose notation a name has. */
enum name_scheme { NAME_CPP, NAME_RUST, NAME_D, NAME_JAVA, NAME_OCAML };

/* Malloc'd memory; NULL where the name stays as it is (nothing to fold, or brackets that do not match). Linear in time and space. */
char *name_fold(const char *name, enum name_scheme scheme);

#endif
