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

void viewer_gaps_see(struct viewer_gaps *g, const struct session_record *sr)
{
	struct viewer_gap gap = { .time_ns = sr->time_ns, .cpu = UINT32_MAX };

	switch (sr->header->type) {
	case RECORD_LOST:
		gap.nr_lost = sr->rec.lost.lost;
		break;
	case RECORD_LOST_SAMPLES:
		gap.nr_lost = sr->rec.lost.lost;
		break;
	case RECORD_THROTTLE:
		break;
	default:
		return;
	}
	if (gap.time_ns && (gap.nr_lost || sr->header->type == RECORD_THROTTLE))
		vec_push(g, gap);
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
