/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The viewer's file: the document of the page kit around the packed profile. Everything that is seen is made by its script.
 */
#include "view/viewer.h"

#include <string.h>

#include "base/base64.h"
#include "base/gzip.h"
#include "view/page.h"

#define PACK_LEVEL 4

#define MOST_CPUS 65536u
#define MOST_GAPS (1u << 18)

/* UINT32_MAX: not known. */
static uint32_t cpu_of(const struct recording *r, const struct session_record *sr)
{
	bool has_cpu = sr->event >= 0 && r->info->events.v[sr->event].attr.sample_type & SAMPLE_CPU;
	uint32_t cpu = sr->header->type == RECORD_SAMPLE ? sr->rec.sample.cpu : sr->rec.id.cpu;

	return has_cpu && cpu < MOST_CPUS ? cpu : UINT32_MAX;
}

static void see_sample(struct viewer_gaps *g, uint32_t cpu, uint64_t time_ns)
{
	uint32_t slot = cpu == UINT32_MAX ? 0 : cpu + 1;

	while (g->sampled_ns.nr <= slot)
		vec_push(&g->sampled_ns, 0);
	g->sampled_ns.v[0] = g->sampled_ns.v[slot] = time_ns;
}

static uint64_t last_sample(const struct viewer_gaps *g, uint32_t cpu)
{
	uint32_t slot = cpu == UINT32_MAX ? 0 : cpu + 1;

	return slot < g->sampled_ns.nr ? g->sampled_ns.v[slot] : 0;
}

static void add_gap(struct viewer_gaps *g, const struct viewer_gap *gap)
{
	if (g->v.nr < MOST_GAPS)
		vec_push(&g->v, *gap);
}

static void see_loss(struct viewer_gaps *g, uint32_t cpu, uint64_t time_ns, uint64_t nr)
{
	uint64_t begin_ns = last_sample(g, cpu);

	if (nr && time_ns)
		add_gap(g, &(struct viewer_gap){ begin_ns && begin_ns < time_ns ? begin_ns : time_ns, time_ns, nr, cpu, false });
}

/* Of each CPU the last one is open, if any. */
static void end_throttling(struct viewer_gaps *g, uint32_t cpu, uint64_t time_ns)
{
	for (uint32_t i = g->v.nr; i-- > 0 && i + 1024 > g->v.nr;) {
		struct viewer_gap *gap = &g->v.v[i];

		if (!gap->is_open || gap->cpu != cpu)
			continue;
		gap->is_open = false;
		gap->end_ns = time_ns > gap->begin_ns ? time_ns : gap->begin_ns;
		return;
	}
}

void viewer_gaps_see(struct viewer_gaps *g, const struct recording *r, const struct session_record *sr)
{
	uint32_t cpu = cpu_of(r, sr);

	switch (sr->header->type) {
	case RECORD_SAMPLE:
		see_sample(g, cpu, sr->time_ns);
		break;
	case RECORD_LOST:
	case RECORD_LOST_SAMPLES:
		see_loss(g, cpu, sr->time_ns, sr->rec.lost.lost);
		break;
	case RECORD_THROTTLE:
		if (sr->time_ns)
			add_gap(g, &(struct viewer_gap){ sr->time_ns, sr->time_ns, 0, cpu, true });
		break;
	case RECORD_UNTHROTTLE:
		end_throttling(g, cpu, sr->time_ns);
		break;
	default:
		break;
	}
}

void viewer_gaps_fini(struct viewer_gaps *g)
{
	vec_fini(&g->v);
	vec_fini(&g->sampled_ns);
}

struct viewer_result viewer_write(struct out *o, struct profile *p, const struct filter *filter, struct quality *quality,
				  const struct viewer_options *options)
{
	static const char *const scripts[] = {
		"flame_label.js", "view_data.js",  "view_sheet.js", "view_tree.js", "view_filter.js", "view_paint.js", "view_timeline.js",
		"view_flame.js",  "view_table.js", "view_heat.js",  "view_code.js", "view_export.js", "view_page.js",  NULL
	};
	const struct export_options chosen = { .event = -1, .name = options->name, .spans = options->spans };
	struct viewer_result result;
	struct out data, packed;
	struct page_html page;
	struct export x;

	export_init(&x, o, p, filter, quality, &chosen);
	out_init(&data, -1);
	out_init(&packed, -1);
	result = viewer_data(&data, &x, filter, options);
	gzip_put(&packed, data.buf, data.len, PACK_LEVEL);
	out_fini(&data);
	page_html_begin(&page, o, "view", options->title ? options->title : options->name);
	out_str(o, "<script type=\"application/octet-stream\" id=\"profile\">");
	base64_put(o, packed.buf, packed.len);
	out_str(o, "</script>\n");
	page_html_end(&page, o, scripts);
	out_fini(&packed);
	export_fini(&x);
	return result;
}
