/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Names that compilers give to generated code: what they say beside the function.
 */
#ifndef ASSAY_SYMBOLS_JIT_NAMES_H
#define ASSAY_SYMBOLS_JIT_NAMES_H

#include <stdbool.h>

/* Without V8's kind and tier ("JS:*total cart.js:3:7"), HotSpot's types and parameters ("int Cart.total(int)") or a JVM's notation of classes
 * ("Lcom/acme/Cart;::total"): malloc'd, or NULL where the name stays as it is. */
char *jit_name_fold(const char *name);
/* Code that runs in an interpreter: V8's "~", HotSpot's "Interpreter", CPython's functions. */
bool jit_name_is_interpreted(const char *name);

#endif
