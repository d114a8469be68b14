/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * model/latency_lines and model/heat: any text as lines of times and latencies, in pieces, counted into matrices and laid out.
 */
#include <stdint.h>
#include <stdlib.h>

#include "model/heat.h"
#include "model/latency.h"
#include "view/heat_svg.h"

static bool add(void *ctx, uint64_t time_ns, uint64_t value_ns)
{
	return heat_add(ctx, time_ns, value_ns);
}

static void build(struct heat *h, const struct heat_options *o)
{
	const struct heat_layout_options options = { .unit = HEAT_UNIT_AUTO,
						     .colours = (enum heat_colours)(o->nr_rows % 3),
						     .has_percentiles = true };
	struct heat_layout l;
	uint64_t sum = 0;

	heat_build(h, o);
	heat_layout_build(&l, h, &options);
	for (uint32_t i = 0; i < l.cells.nr; i++)
		sum += l.cells.v[i].count;
	if (sum != h->points.nr)
		abort();
	heat_layout_fini(&l);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct latency_lines *lines = malloc(sizeof(*lines));
	size_t piece = size ? data[0] + 1u : 1;
	uint64_t nr_faults = 0;
	struct heat h;

	heat_init(&h);
	latency_lines_init(lines, 9, (int)(size % 4) * 3, add, &h);
	for (size_t i = 0; i < size; i += piece)
		latency_lines_feed(lines, data + i, size - i < piece ? size - i : piece);
	latency_lines_end(lines);
	for (int i = 0; i < LATENCY_NR_FAULTS; i++)
		nr_faults += lines->nr_by_fault[i];
	if (nr_faults != lines->nr_bad || h.nr_refused)
		abort();
	if (lines->nr_good + lines->nr_bad + lines->nr_comments != lines->nr_lines || lines->nr_good != h.points.nr)
		abort();
	build(&h, &(struct heat_options){ 0 });
	build(&h, &(struct heat_options){ .nr_rows = 2 });
	build(&h, &(struct heat_options){ .scale = HEAT_LOG });
	build(&h, &(struct heat_options){ .scale = size & 1 ? HEAT_LOG : HEAT_LINEAR,
					  .has_min = true,
					  .min = size,
					  .has_max = true,
					  .max = size * 1000 + 1,
					  .nr_rows = 9 });
	heat_fini(&h);
	free(lines);
	return 0;
}
