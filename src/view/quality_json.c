/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * "quality": { "samples", "stacks": { "recorded", "complete", "guessed", "truncated", "broken" } or null, "unresolved": { "samples",
 * "percent", "frames", "of_frames" }, "modules": [{ "path", "samples", "frames", "reason", "remedy" }], "warnings": ["…"] }
 *
 * Lost samples and throttling have keys of their own in the same document (losses_json.h).
 */
#include "view/quality_text.h"

#define MAX_MODULES 20

static void put_u64(struct json *j, const char *key, uint64_t value)
{
	json_key(j, key);
	json_u64(j, value);
}

static void put_str(struct json *j, const char *key, const char *value)
{
	json_key(j, key);
	if (value && *value)
		json_str(j, value);
	else
		json_null(j);
}

static void put_stacks(struct json *j, const struct quality *q)
{
	json_key(j, "stacks");
	if (!q->has_stacks) {
		json_null(j);
		return;
	}
	json_object(j);
	put_u64(j, "recorded", q->nr_stacks);
	put_u64(j, "complete", q->nr_by_stack[QUALITY_COMPLETE]);
	put_u64(j, "guessed", q->nr_by_stack[QUALITY_GUESSED]);
	put_u64(j, "truncated", q->nr_by_stack[QUALITY_TRUNCATED]);
	put_u64(j, "broken", q->nr_by_stack[QUALITY_BROKEN]);
	json_object_end(j);
}

static void put_module(struct json *j, const struct quality_module *m)
{
	json_object(j);
	put_str(j, "path", m->path);
	put_u64(j, "samples", m->nr_samples);
	put_u64(j, "frames", m->nr_frames);
	put_str(j, "reason", m->why);
	put_str(j, "remedy", m->remedy);
	json_object_end(j);
}

static void put_warning(void *ctx, bool is_loud, const char *text)
{
	if (is_loud)
		json_str(ctx, text);
}

void quality_json(struct json *j, const struct quality *q)
{
	json_key(j, "quality");
	json_object(j);
	put_u64(j, "samples", q->nr_samples);
	put_stacks(j, q);
	json_key(j, "unresolved");
	json_object(j);
	put_u64(j, "samples", q->nr_unresolved);
	json_key(j, "percent");
	json_double(j, quality_percent(q->nr_unresolved, q->nr_samples), 2);
	put_u64(j, "frames", q->nr_unresolved_frames);
	put_u64(j, "of_frames", q->nr_frames);
	json_object_end(j);
	json_key(j, "modules");
	json_array(j);
	for (uint32_t i = 0; i < q->modules.nr && i < MAX_MODULES; i++)
		put_module(j, &q->modules.v[i]);
	json_array_end(j);
	json_key(j, "warnings");
	json_array(j);
	quality_notes(q, put_warning, j);
	json_array_end(j);
	json_object_end(j);
}
