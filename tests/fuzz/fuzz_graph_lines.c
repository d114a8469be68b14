/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * model/trace_lines, model/graph_lines and kernel/trace_saved: any text as what tracers print, in pieces, summed up and shown; and as the copy of settings.
 */
#include <stdint.h>
#include <stdlib.h>

#include "kernel/trace_saved.h"
#include "model/graph_lines.h"
#include "view/ftrace_text.h"

static void check_sums(struct function_sums *s)
{
	uint64_t nr = 0;

	for (uint32_t i = 0; i < s->v.nr; i++) {
		const struct function_sum *f = &s->v.v[i];

		nr += f->nr;
		if (!f->nr || f->min_ns > f->max_ns || f->max_ns > f->total_ns || !strtab_len(&s->names, f->name))
			abort();
	}
	if (nr != s->nr_calls)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct trace_lines *lines = malloc(sizeof(*lines));
	size_t piece = size ? data[0] + 1u : 1;
	struct trace_saved saved;
	struct function_sums s;
	struct out o;

	function_sums_init(&s);
	trace_lines_init(lines, function_sums_add_line, &s);
	for (size_t i = 0; i < size; i += piece)
		trace_lines_feed(lines, (const char *)data + i, size - i < piece ? size - i : piece);
	trace_lines_end(lines);
	check_sums(&s);
	function_sums_sort(&s, (enum function_sort)(size % 5));
	out_init(&o, -1);
	function_sums_text(&o, &s);
	function_sums_json(&o, &s, lines->nr_lost);
	out_fini(&o);
	function_sums_fini(&s);
	free(lines);

	trace_saved_init(&saved, "/nonexistent", "/nonexistent");
	trace_saved_parse(&saved, (const char *)data, size);
	for (uint32_t i = 0; i < saved.files.nr; i++)
		if (!saved.files.v[i].file[0] || saved.files.v[i].file[0] == '/')
			abort();
	trace_saved_fini(&saved);
	return 0;
}
