/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * "quality": { "samples", "stacks": { "recorded", "complete", "guessed", "truncated", "broken" } or null, "unresolved": { "samples",
 * "percent", "frames", "of_frames" }, "modules": [{ "path", "samples", "frames", "reason", "remedy" }], "warnings": ["…"] }
 *
 * and the keys of the same document about what is missing.
 */
#include "view/quality_text.h"

#define MAX_MODULES 20

static void put_stacks(struct json *j, const struct quality *q)
{
	json_key(j, "stacks");
	if (!q->has_stacks) {
		json_null(j);
		return;
	}
	json_object(j);
	json_put_u64(j, "recorded", q->nr_stacks);
	json_put_u64(j, "complete", q->nr_by_stack[QUALITY_COMPLETE]);
	json_put_u64(j, "guessed", q->nr_by_stack[QUALITY_GUESSED]);
	json_put_u64(j, "truncated", q->nr_by_stack[QUALITY_TRUNCATED]);
	json_put_u64(j, "broken", q->nr_by_stack[QUALITY_BROKEN]);
	json_object_end(j);
}

static void put_module(struct json *j, const struct quality_module *m)
{
	json_object(j);
	json_put_str_or_null(j, "path", m->path);
	json_put_u64(j, "samples", m->nr_samples);
	json_put_u64(j, "frames", m->nr_frames);
	json_put_str_or_null(j, "reason", m->why);
	json_put_str_or_null(j, "remedy", m->remedy);
	json_object_end(j);
}

static void put_warning(void *ctx, bool is_loud, const char *text)
{
	if (is_loud)
		json_str(ctx, text);
}

void quality_json(struct json *j, const struct quality *q)
{
	json_put_object(j, "quality");
	json_put_u64(j, "samples", q->nr_samples);
	put_stacks(j, q);
	json_put_object(j, "unresolved");
	json_put_u64(j, "samples", q->nr_unresolved);
	json_put_double(j, "percent", quality_percent(q->nr_unresolved, q->nr_placed), 2);
	json_put_u64(j, "frames", q->nr_unresolved_frames);
	json_put_u64(j, "of_frames", q->nr_frames);
	json_object_end(j);
	json_put_array(j, "modules");
	for (uint32_t i = 0; i < q->modules.nr && i < MAX_MODULES; i++)
		put_module(j, &q->modules.v[i]);
	json_array_end(j);
	json_put_array(j, "warnings");
	quality_notes(q, put_warning, j);
	json_array_end(j);
	json_object_end(j);
}

void losses_json(struct json *j, const struct recording *r)
{
	const struct source_damage *d = r->damage;

	json_put_u64(j, "lost", recording_lost(r));
	json_put_u64(j, "throttled", r->stats.nr_throttled);
	json_put_u64(j, "malformed", r->stats.nr_malformed);
	json_put_u64(j, "without_event", r->stats.nr_unknown_ids);
	json_put_u64(j, "late", r->stats.nr_late);
	json_key(j, "damage");
	if (d->err)
		json_str(j, d->text);
	else
		json_null(j);
}
