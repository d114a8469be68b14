/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct unwind_lazy: an unwind table that is compiled function by function, when an address in one is asked for. The call frame
 * information of a compiler or a browser has hundreds of thousands of functions, of which a recording meets a few thousand: listing where
 * they are takes a tenth of the time that compiling them takes.
 *
 * Functions that overlap are compiled together, so that what is found is what the whole table would say. Threads may ask at once.
 */
#ifndef ASSAY_SYMBOLS_UNWIND_LAZY_H
#define ASSAY_SYMBOLS_UNWIND_LAZY_H

#include "symbols/unwind_build.h"

struct unwind_lazy;

/* A table of an input, whose sections are copied. Compiled at once where that is the only way: Go's, expressions that functions share. */
struct unwind_table *unwind_lazy_build(const struct unwind_input *in);

/* For the table that owns it. */
void unwind_lazy_free(struct unwind_lazy *l);
uint32_t unwind_lazy_nr_functions(const struct unwind_lazy *l);
/* Bytes, without what is compiled later. */
uint64_t unwind_lazy_memory(const struct unwind_lazy *l);

#endif
