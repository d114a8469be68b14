/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * speedscope's own format: one list of frames, and a sampled profile per thread and event. Consecutive samples of the same stack are
 * merged. Weights are periods: nanoseconds of clocks, the unit of an import, else counts.
 */
#include <string.h>

#include "base/json.h"
#include "view/export.h"

struct speedscope {
	struct export *x;
	struct export_tree tree;
	struct export_series_list list;
	struct json j;
	struct export_path last; /* frames of the sample before */
	VEC(uint64_t) weights;	 /* of the profile at hand */
};

/* Whether a sample's frames are those of the one before; its path is the one at hand then. */
static bool is_same_stack(struct speedscope *w, uint32_t sample)
{
	const struct export_path *path = &w->tree.path;

	export_tree_path(&w->tree, sample);
	if (path->nr == w->last.nr && (!path->nr || !memcmp(path->v, w->last.v, path->nr * sizeof(*path->v))))
		return true;
	w->last.nr = 0;
	for (uint32_t i = 0; i < path->nr; i++)
		vec_push(&w->last, path->v[i]);
	return false;
}

static void put_stack(struct speedscope *w)
{
	json_array(&w->j);
	for (uint32_t i = w->tree.path.nr; i-- > 0;)
		json_u64(&w->j, w->tree.path.v[i]);
	json_array_end(&w->j);
}

static void put_samples(struct speedscope *w, const struct export_series *se)
{
	w->weights.nr = 0;
	json_put_array(&w->j, "samples");
	for (uint32_t i = 0; i < se->nr; i++) {
		uint32_t sample = w->list.samples[se->first + i];

		if (!is_same_stack(w, sample) || !i) {
			put_stack(w);
			vec_push(&w->weights, 0);
		}
		w->weights.v[w->weights.nr - 1] += w->x->p->samples.period[sample];
	}
	json_array_end(&w->j);
	json_put_array(&w->j, "weights");
	for (uint32_t i = 0; i < w->weights.nr; i++)
		json_u64(&w->j, w->weights.v[i]);
	json_array_end(&w->j);
}

static const char *unit_of(const struct export *x, uint32_t event)
{
	static const char *const known[] = { "nanoseconds", "microseconds", "milliseconds", "seconds", "bytes" };
	const char *unit = export_unit(x, event);

	for (size_t i = 0; unit && i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(unit, known[i]))
			return known[i];
	return "none";
}

static void put_profile(struct speedscope *w, const struct export_series *se)
{
	struct out name;

	out_init(&name, -1);
	export_series_name(&name, w->x, se);
	json_object(&w->j);
	json_put_str(&w->j, "type", "sampled");
	json_key(&w->j, "name");
	json_str_len(&w->j, name.buf, name.len);
	json_put_str(&w->j, "unit", unit_of(w->x, se->event));
	json_put_u64(&w->j, "startValue", 0);
	json_put_u64(&w->j, "endValue", se->sum);
	put_samples(w, se);
	json_object_end(&w->j);
	out_fini(&name);
}

/* Frames by function: the same one with many lines would be many to speedscope. */
static void put_frames(struct speedscope *w)
{
	const struct profile *p = w->x->p;

	json_put_object(&w->j, "shared");
	json_put_array(&w->j, "frames");
	for (uint32_t i = 0; i < w->tree.frames.nr; i++) {
		uint32_t place = w->tree.frames.v[i].place, dso = export_frame_at(w->x, place)->dso, file = export_file_of(w->x, place);

		json_object(&w->j);
		json_put_str(&w->j, "name", export_name(w->x, place));
		if (file)
			json_put_str(&w->j, "file", profile_str(p, file));
		else if (dso != DSO_NONE)
			json_put_str(&w->j, "file", profile_dso(p, dso)->path);
		json_object_end(&w->j);
	}
	json_array_end(&w->j);
	json_object_end(&w->j);
}

/* The thread that a person wants to see first is the one that did most. Sums are compared with those of the same event alone. */
static uint32_t largest(const struct export *x, const struct export_series_list *l)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i < l->v.nr; i++) {
		const struct export_series *a = &l->v.v[i], *b = &l->v.v[best];

		if (x->weight_is_period ? a->event < b->event || (a->event == b->event && a->sum > b->sum) : a->nr > b->nr)
			best = i;
	}
	return best;
}

/* The schema allows other keys of the file beside its own. */
static void put_notes(struct speedscope *w)
{
	json_put_object(&w->j, "assay");
	export_notes_json(w->x, &w->j);
	json_object_end(&w->j);
}

void export_speedscope(struct export *x)
{
	struct speedscope w = { .x = x };

	json_init(&w.j, x->o, false);
	export_tree_init(&w.tree, x, EXPORT_BY_FUNCTION);
	export_series_init(&w.list, x);
	json_object(&w.j);
	json_put_str(&w.j, "$schema", "https://www.speedscope.app/file-format-schema.json");
	json_put_str(&w.j, "exporter", "assay " ASSAY_VERSION);
	json_put_str(&w.j, "name", x->options->name ? x->options->name : "profile");
	json_put_u64(&w.j, "activeProfileIndex", largest(x, &w.list));
	put_notes(&w);
	json_put_array(&w.j, "profiles");
	for (uint32_t i = 0; i < w.list.v.nr; i++)
		put_profile(&w, &w.list.v.v[i]);
	json_array_end(&w.j);
	put_frames(&w);
	json_object_end(&w.j);
	out_char(x->o, '\n');
	export_tree_fini(&w.tree);
	export_series_fini(&w.list);
	vec_fini(&w.last);
	vec_fini(&w.weights);
}
