/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Trace events as JSON. Twice the same: "stackFrames" and "samples", which chrome://tracing and speedscope read and which count exactly;
 * and nested slices of threads ("X" events), all that Perfetto takes from JSON. A frame is one slice as long as sample after sample shows it;
 * a sample lasts until the next of its thread, but not longer than two usual intervals, after which the thread did something else.
 * Only one event is drawn as slices, the first: two on one track could not nest.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "view/export_tree.h"

#define US_DECIMALS 3

struct slice { /* that is open */
	uint32_t node;
	uint64_t from_ns;
};

struct chrome {
	struct export *x;
	struct export_tree tree;
	struct export_series_list list;
	struct json j;
	VEC(struct slice) open; /* outermost first */
	VEC(uint32_t) path;	/* nodes of the sample at hand */
	VEC(uint32_t) samples;	/* of the thread at hand, under all its names */
};

static const char *const categories[] = { [EXPORT_USER] = "user", [EXPORT_KERNEL] = "kernel", [EXPORT_JIT] = "jit" };

static void put_str(struct json *j, const char *key, const char *value)
{
	json_key(j, key);
	json_str(j, value);
}

static void put_i64(struct json *j, const char *key, int64_t value)
{
	json_key(j, key);
	json_i64(j, value);
}

static void put_us(struct json *j, const char *key, uint64_t ns)
{
	json_key(j, key);
	export_json_fixed(j, ns, US_DECIMALS);
}

/* {"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"app"}} */
static void put_name(struct chrome *w, const char *what, const struct profile_task *t)
{
	json_object(&w->j);
	put_str(&w->j, "ph", "M");
	put_str(&w->j, "name", what);
	put_i64(&w->j, "pid", t->pid);
	put_i64(&w->j, "tid", t->tid);
	json_key(&w->j, "args");
	json_object(&w->j);
	put_str(&w->j, "name", profile_str(w->x->p, t->comm));
	json_object_end(&w->j);
	json_object_end(&w->j);
}

/* A task that changed its name goes by the last one. Series of a thread stand side by side, those of its process's first thread in front. */
static void put_names(struct chrome *w)
{
	const struct profile *p = w->x->p;
	int32_t named_pid = -1;
	bool is_named = false;

	for (uint32_t i = 0; i < w->list.v.nr; i++) {
		const struct profile_task *t = &p->tasks.v[w->list.v.v[i].task], *next = NULL;

		if (i + 1 < w->list.v.nr)
			next = &p->tasks.v[w->list.v.v[i + 1].task];
		if (next && next->pid == t->pid && next->tid == t->tid)
			continue;
		if (!is_named || named_pid != t->pid)
			put_name(w, "process_name", t);
		is_named = true;
		named_pid = t->pid;
		put_name(w, "thread_name", t);
	}
}

static void put_slice(struct chrome *w, const struct slice *s, const struct profile_task *t, uint64_t to_ns)
{
	uint32_t place = w->tree.frames.v[w->tree.nodes.v[s->node].frame].place;

	json_object(&w->j);
	put_str(&w->j, "ph", "X");
	put_str(&w->j, "name", export_name(w->x, place));
	put_str(&w->j, "cat", categories[export_kind_of(w->x, place)]);
	put_i64(&w->j, "pid", t->pid);
	put_i64(&w->j, "tid", t->tid);
	put_us(&w->j, "ts", s->from_ns);
	put_us(&w->j, "dur", to_ns - s->from_ns);
	json_object_end(&w->j);
}

/* Ends all slices but the `kept` outermost ones. */
static void close_slices(struct chrome *w, uint32_t kept, const struct profile_task *t, uint64_t to_ns)
{
	while (w->open.nr > kept) {
		put_slice(w, &w->open.v[w->open.nr - 1], t, to_ns);
		w->open.nr--;
	}
}

static void find_path(struct chrome *w, uint32_t node)
{
	w->path.nr = 0;
	for (; node != EXPORT_ROOT; node = w->tree.nodes.v[node].parent)
		vec_push(&w->path, node);
}

/* The usual time between samples; where only the recording can tell, that of this thread on average. */
static uint64_t interval_of(const struct chrome *w)
{
	const uint64_t *time_ns = w->x->p->samples.time_ns;
	uint64_t ns = export_interval_ns(w->x, w->x->events.v[0]);

	if (!ns && w->samples.nr > 1)
		ns = (time_ns[w->samples.v[w->samples.nr - 1]] - time_ns[w->samples.v[0]]) / (w->samples.nr - 1);
	return ns ? ns : 1000;
}

static void put_slices(struct chrome *w, const struct profile_task *t)
{
	const uint64_t *time_ns = w->x->p->samples.time_ns;
	uint64_t interval = interval_of(w), end = 0;

	for (uint32_t i = 0; i < w->samples.nr; i++) {
		uint64_t now = time_ns[w->samples.v[i]];
		uint32_t kept = 0, nr;

		find_path(w, export_tree_node(&w->tree, w->samples.v[i]));
		nr = w->path.nr;
		if (now <= end)
			while (kept < w->open.nr && kept < nr && w->open.v[kept].node == w->path.v[nr - 1 - kept])
				kept++;
		close_slices(w, kept, t, now < end ? now : end);
		for (; kept < nr; kept++)
			*vec_add(&w->open) = (struct slice){ w->path.v[nr - 1 - kept], now };
		end = now + 2 * interval;
		if (i + 1 == w->samples.nr || time_ns[w->samples.v[i + 1]] > end)
			end = now + interval;
	}
	close_slices(w, 0, t, end);
}

static int cmp_numbers(const void *va, const void *vb)
{
	uint32_t a = *(const uint32_t *)va, b = *(const uint32_t *)vb;

	return a < b ? -1 : a > b;
}

static bool is_same_thread(const struct chrome *w, const struct export_series *a, const struct export_series *b)
{
	const struct profile_task *ta = &w->x->p->tasks.v[a->task], *tb = &w->x->p->tasks.v[b->task];

	return ta->pid == tb->pid && ta->tid == tb->tid;
}

/* A thread that changed its name back and forth still is one: its samples come in the order of time, which is that of their numbers. */
static void put_threads(struct chrome *w)
{
	const struct export_series *v = w->list.v.v;

	for (uint32_t i = 0, next; i < w->list.v.nr; i = next) {
		w->samples.nr = 0;
		for (next = i; next < w->list.v.nr && is_same_thread(w, &v[i], &v[next]); next++)
			for (uint32_t k = 0; v[next].event == w->x->events.v[0] && k < v[next].nr; k++)
				vec_push(&w->samples, w->list.samples[v[next].first + k]);
		if (next - i > 1 && w->samples.nr)
			qsort(w->samples.v, w->samples.nr, sizeof(*w->samples.v), cmp_numbers);
		put_slices(w, &w->x->p->tasks.v[v[i].task]);
	}
}

/* {"cpu":0,"pid":1,"tid":2,"ts":1.5,"name":"cycles","sf":7,"weight":1} */
static void put_sample(struct chrome *w, uint32_t sample)
{
	const struct profile_samples *s = &w->x->p->samples;
	const struct profile_task *t = &w->x->p->tasks.v[s->task[sample]];

	json_object(&w->j);
	if (export_has_cpu(w->x, s->event[sample]))
		put_i64(&w->j, "cpu", s->cpu[sample]);
	put_i64(&w->j, "pid", t->pid);
	put_i64(&w->j, "tid", t->tid);
	put_us(&w->j, "ts", s->time_ns[sample]);
	put_str(&w->j, "name", export_event_name(w->x, s->event[sample]));
	put_i64(&w->j, "sf", export_tree_node(&w->tree, sample));
	json_key(&w->j, "weight");
	json_u64(&w->j, s->period[sample]);
	json_object_end(&w->j);
}

static void put_frames(struct chrome *w)
{
	char id[16];

	json_key(&w->j, "stackFrames");
	json_object(&w->j);
	for (uint32_t i = 1; i < w->tree.nodes.nr; i++) {
		const struct export_node *n = &w->tree.nodes.v[i];
		uint32_t place = w->tree.frames.v[n->frame].place;

		snprintf(id, sizeof(id), "%u", i);
		json_key(&w->j, id);
		json_object(&w->j);
		put_str(&w->j, "name", export_name(w->x, place));
		put_str(&w->j, "category", categories[export_kind_of(w->x, place)]);
		if (n->parent != EXPORT_ROOT)
			put_i64(&w->j, "parent", n->parent);
		json_object_end(&w->j);
	}
	json_object_end(&w->j);
}

static void put_note(void *ctx, const char *label, const char *text)
{
	put_str(ctx, label, text);
}

void export_chrome(struct export *x)
{
	struct chrome w = { .x = x };

	json_init(&w.j, x->o, false);
	export_tree_init(&w.tree, x, EXPORT_BY_KIND);
	export_series_init(&w.list, x);
	json_object(&w.j);
	put_str(&w.j, "displayTimeUnit", "ns");
	json_key(&w.j, "otherData");
	json_object(&w.j);
	put_str(&w.j, "exporter", "assay " ASSAY_VERSION);
	export_notes(x, put_note, &w.j);
	json_object_end(&w.j);
	json_key(&w.j, "traceEvents");
	json_array(&w.j);
	put_names(&w);
	put_threads(&w);
	json_array_end(&w.j);
	json_key(&w.j, "samples");
	json_array(&w.j);
	for (uint32_t i = 0; i < x->samples.nr; i++)
		put_sample(&w, x->samples.v[i]);
	json_array_end(&w.j);
	put_frames(&w);
	json_object_end(&w.j);
	out_char(x->o, '\n');
	export_tree_fini(&w.tree);
	export_series_fini(&w.list);
	vec_fini(&w.open);
	vec_fini(&w.path);
	vec_fini(&w.samples);
}
