/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Short names: what a template or generic was made with becomes <…>, parameters go, so that all of
 * std::vector<int, std::allocator<int> >::push_back, std::vector<char, …>::push_back are one
 * std::vector<…>::push_back. Fed by demangled names, which are hostile still.
 */
#ifndef ASSAY_SYMBOLS_NAME_FOLD_H
#define ASSAY_SYMBOLS_NAME_FOLD_H

/* Whose way of writing names it is. */
enum name_scheme { NAME_CPP, NAME_RUST, NAME_D, NAME_JAVA, NAME_OCAML };

/* Malloc'd memory; NULL where the name stays as it is (nothing to fold, or brackets that do not
 * match). Linear in time and space. */
char *name_fold(const char *name, enum name_scheme scheme);

#endif
