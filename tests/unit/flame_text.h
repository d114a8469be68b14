/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A flame tree as text, for tests: each node as "PATH total/self", in the order of the tree, one a line.
 */
#ifndef ASSAY_TESTS_FLAME_TEXT_H
#define ASSAY_TESTS_FLAME_TEXT_H

#include <stdlib.h>

#include "base/out.h"
#include "model/flame.h"

static inline void flame_text_node(struct out *o, const struct flame *f, uint32_t node)
{
	VEC(uint32_t) way = { 0 };

	for (uint32_t n = node; n != WEIGHTED_ROOT; n = f->tree.nodes.v[n].parent)
		vec_push(&way, n);
	for (uint32_t i = way.nr; i-- > 0;)
		out_printf(o, "%s%s", flame_name(f, way.v[i]), i ? ";" : "");
	vec_fini(&way);
	for (uint32_t c = 0; c < f->nr_columns; c++)
		out_printf(o, " %llu/%llu", (unsigned long long)weighted_total(&f->tree, node, c),
			   (unsigned long long)weighted_self(&f->tree, node, c));
	out_char(o, '\n');
	for (uint32_t c = f->tree.nodes.v[node].first_child; c != WEIGHTED_NONE; c = f->tree.nodes.v[c].next_sibling)
		flame_text_node(o, f, c);
}

/* The caller frees it. */
static inline char *flame_text(const struct flame *f)
{
	struct out o;
	char *text;

	out_init(&o, -1);
	flame_text_node(&o, f, WEIGHTED_ROOT);
	out_char(&o, 0);
	text = mem_strdup(o.buf);
	out_fini(&o);
	return text;
}

#define assert_flame(f, want)                                                                                                              \
	do {                                                                                                                               \
		char *got = flame_text(f);                                                                                                 \
		assert_string_equal(got, want);                                                                                            \
		free(got);                                                                                                                 \
	} while (0)

#endif
