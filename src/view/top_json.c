/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A refresh of `top` as one line of JSON. The keys of a row are JSON already, made when it was first met.
 */
#include "base/json.h"
#include "view/top.h"

static void put_rows(struct json *j, const struct live_profile *l, const struct live_event *e, const struct top_style *style)
{
	json_put_array(j, "rows");
	for (uint32_t i = 0; i < e->rows.nr && (!style->max_rows || i < style->max_rows); i++) {
		const struct live_row *r = &e->rows.v[i];
		double percent = e->total > 0 ? 100.0 * live_row_weight(l, r) / e->total : 0;

		if (percent < style->percent_limit || r->nr_samples < style->count_limit)
			break;
		json_object(j);
		json_splice(j, live_profile_text(l, r->json) + 1);
		json_put_double(j, "overhead", e->total > 0 ? 100.0 * r->self / e->total : 0, 2);
		if (l->by_children)
			json_put_double(j, "children", e->total > 0 ? 100.0 * r->children / e->total : 0, 2);
		json_put_double(j, "samples", r->nr_samples, 1);
		json_put_double(j, "period", r->self, 0);
		json_object_end(j);
	}
	json_array_end(j);
}

void top_json(struct out *o, const struct live_profile *l, const struct top_stats *s, const struct top_state *st,
	      const struct top_style *style)
{
	struct json j;

	(void)st;
	json_init(&j, o, false);
	json_object(&j);
	json_put_double(&j, "elapsed_s", s->elapsed, 3);
	json_put_double(&j, "interval_s", s->seconds, 3);
	json_put_u64(&j, "samples", s->counts.nr_samples);
	json_put_u64(&j, "kernel_samples", s->counts.nr_kernel);
	json_put_u64(&j, "skipped_samples", s->counts.nr_skipped);
	json_put_u64(&j, "lost", s->nr_lost);
	json_put_u64(&j, "throttled", s->nr_throttled);
	json_put_object(&j, "own");
	json_put_double(&j, "cpu_percent", s->own_percent, 2);
	json_put_double(&j, "cpu_percent_ever", s->own_percent_ever, 2);
	json_put_u64(&j, "memory_bytes", s->memory_bytes);
	json_object_end(&j);
	json_put_array(&j, "events");
	for (uint32_t i = 0; i < l->events.nr; i++) {
		const struct live_event *e = &l->events.v[i];

		json_object(&j);
		json_put_str(&j, "name", e->name);
		json_put_double(&j, "period", e->total, 0);
		json_put_double(&j, "samples", e->nr_samples, 1);
		put_rows(&j, l, e, style);
		json_object_end(&j);
	}
	json_array_end(&j);
	json_object_end(&j);
	out_char(o, '\n');
}
