/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Folded stacks as text, one a line: "main;work;leaf 42", outermost first, then how often. What stack-collapsing scripts write and
 * flame graph scripts read. Names may carry the usual marks: "_[k]" kernel, "_[j]" JIT, "_[i]" inlined; "[libfoo.so]" is a place without a name.
 *
 * Fed with bytes as they come. A line that is no stack is counted and left out; the caller says so.
 */
#ifndef ASSAY_MODEL_FLAME_FOLDED_H
#define ASSAY_MODEL_FLAME_FOLDED_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "model/flame.h"

struct flame_folded {
	struct flame *flame; /* borrowed */
	uint32_t column;
	bool bottom_up;	    /* as in struct flame_options */
	uint32_t max_depth;
	uint64_t nr_lines;
	uint64_t nr_bad, first_bad_line; /* lines that are no stack */
	uint64_t nr_rounded;		 /* counts that were no whole numbers */
	VEC(char) rest;			 /* a line that is not complete yet */
	bool is_too_long;		 /* that line is no stack, and its end is waited for */
	VEC(uint32_t) path;
};

void flame_folded_init(struct flame_folded *ff, struct flame *f, uint32_t column, const struct flame_options *o);
void flame_folded_fini(struct flame_folded *ff);
void flame_folded_feed(struct flame_folded *ff, const char *data, size_t size);
/* The last line may have no line break. */
void flame_folded_end(struct flame_folded *ff);

#endif
