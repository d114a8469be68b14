/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The functions of the kernel that its tracers know, and what to say where they are refused.
 */
#ifndef ASSAY_KERNEL_TRACE_FUNCTIONS_H
#define ASSAY_KERNEL_TRACE_FUNCTIONS_H

#include <stdbool.h>

#include "base/errbuf.h"

/* Gives the functions that match (fnmatch; NULL: all), "name" or "name [module]" as the kernel lists them; `fn` returns false to end it. 0, or
 * -errno with the sentence. */
typedef bool trace_function_fn(void *ctx, const char *name);
int trace_functions_each(const char *root, const char *pattern, trace_function_fn *fn, void *ctx, struct errbuf *eb);

/* Whether a word can be written to a list of functions: no blanks, no commands of the kernel ("name:traceoff"), but modules ("*:mod:ext4"). */
bool trace_function_is_plain(const char *word);
/* The sentence for a function that the kernel does not know: the nearest. Returns -ENOENT. */
int trace_function_unknown(const char *root, const char *word, struct errbuf *eb);
/* The sentence for functions that may not be traced: why, and what works instead. Returns `err`. */
int trace_functions_refused(int err, const char *what, struct errbuf *eb);

#endif
