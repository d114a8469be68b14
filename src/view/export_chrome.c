/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Trace events as JSON, twice: "stackFrames" and "samples" for chrome://tracing and speedscope, with exact counts, and nested slices of
 * threads ("X" events), the only form that Perfetto reads. A slice lasts while consecutive samples show its frame; a sample lasts until
 * the next of its thread, but at most two usual intervals. Only the first event is drawn as slices: two on one track do not nest.
 *
 * Samples without times are laid out by export_layout.c; then every task and event is a thread of its own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "view/export_chrome.h"

#define US_DECIMALS 3
#define NS_PER_US 1000

struct slice { /* that is open */
	uint32_t node, frame;
	uint64_t from_ns;
};

struct thread {
	int64_t pid, tid;
};

struct chrome {
	struct export *x;
	struct export_tree tree;
	struct export_series_list list;
	struct json j;
	VEC(struct slice) open; /* outermost first */
	VEC(uint32_t) path;	/* nodes of the sample at hand */
	VEC(uint32_t) samples;	/* of the thread at hand, under all its names */
	struct thread *threads; /* by series */
};

static const char *const categories[] = {
	[CODE_USER] = "user", [CODE_KERNEL] = "kernel", [CODE_JIT] = "jit", [CODE_INTERPRETED] = "interpreted"
};

static void put_us(struct json *j, const char *key, uint64_t ns)
{
	json_key(j, key);
	export_json_fixed(j, ns, US_DECIMALS);
}

static bool is_same_thread(struct thread a, struct thread b)
{
	return a.pid == b.pid && a.tid == b.tid;
}

static struct thread real_thread(const struct chrome *w, uint32_t task)
{
	return (struct thread){ w->x->p->tasks.v[task].pid, w->x->p->tasks.v[task].tid };
}

static int64_t first_free_id(const struct export *x)
{
	int64_t last = 0;

	for (uint32_t i = 0; i < x->p->tasks.nr; i++) {
		last = x->p->tasks.v[i].pid > last ? x->p->tasks.v[i].pid : last;
		last = x->p->tasks.v[i].tid > last ? x->p->tasks.v[i].tid : last;
	}
	return last + 1;
}

/* As recorded. Where samples were laid out, no two series share a thread and none is 0, which Perfetto takes for the idle task: a series
 * without an id gets an unused one. */
static void number_threads(struct chrome *w)
{
	int64_t free_id = first_free_id(w->x);
	struct thread last = { -1, -1 };

	w->threads = mem_alloc((w->list.v.nr + 1ul) * sizeof(*w->threads));
	for (uint32_t i = 0; i < w->list.v.nr; i++) {
		uint32_t task = w->list.v.v[i].task;
		struct thread real = real_thread(w, task), *t = &w->threads[i];

		*t = real;
		if (!export_is_laid_out(w->x))
			continue;
		if (!export_has_id(&w->x->p->tasks.v[task]))
			t->pid = i && w->list.v.v[i - 1].task == task ? w->threads[i - 1].pid : free_id + i;
		if (!export_has_id(&w->x->p->tasks.v[task]) || is_same_thread(real, last))
			t->tid = free_id + i;
		last = real;
	}
}

static void put_thread(struct json *j, struct thread t)
{
	json_put_i64(j, "pid", t.pid);
	json_put_i64(j, "tid", t.tid);
}

/* {"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"app"}} */
static void put_name(struct chrome *w, const char *what, uint32_t series, bool with_event)
{
	const struct export_series *se = &w->list.v.v[series];
	char *name = mem_printf(with_event ? "%s (%s)" : "%s", export_task_name(w->x, se->task), export_event_name(w->x, se->event));

	json_object(&w->j);
	json_put_str(&w->j, "ph", "M");
	json_put_str(&w->j, "name", what);
	put_thread(&w->j, w->threads[series]);
	json_put_object(&w->j, "args");
	json_put_str(&w->j, "name", name);
	json_object_end(&w->j);
	json_object_end(&w->j);
	free(name);
}

/* A task that changed its name goes by the last one. Series of a thread stand side by side, those of its process's first thread in front. */
static void put_names(struct chrome *w)
{
	bool with_event = export_is_laid_out(w->x) && export_has_many_events(w->x), is_named = false;
	int64_t named_pid = -1;

	for (uint32_t i = 0; i < w->list.v.nr; i++) {
		if (i + 1 < w->list.v.nr && is_same_thread(w->threads[i], w->threads[i + 1]))
			continue;
		if (!is_named || named_pid != w->threads[i].pid)
			put_name(w, "process_name", i, false);
		is_named = true;
		named_pid = w->threads[i].pid;
		put_name(w, "thread_name", i, with_event);
	}
}

static void put_slice(struct chrome *w, const struct slice *s, struct thread t, uint64_t to_ns)
{
	uint32_t place = w->tree.frames.v[s->frame].place;

	json_object(&w->j);
	json_put_str(&w->j, "ph", "X");
	json_put_str(&w->j, "name", export_name(w->x, place));
	json_put_str(&w->j, "cat", categories[profile_code_kind(w->x->p, place)]);
	put_thread(&w->j, t);
	put_us(&w->j, "ts", s->from_ns);
	put_us(&w->j, "dur", to_ns - s->from_ns);
	json_object_end(&w->j);
}

/* Ends all slices but the `kept` outermost ones. */
static void close_slices(struct chrome *w, uint32_t kept, struct thread t, uint64_t to_ns)
{
	while (w->open.nr > kept) {
		if (!w->j.o->error)
			put_slice(w, &w->open.v[w->open.nr - 1], t, to_ns);
		w->open.nr--;
	}
}

static void find_path(struct chrome *w, uint32_t node)
{
	w->path.nr = 0;
	for (; node != EXPORT_ROOT; node = export_tree_parent(&w->tree, node))
		vec_push(&w->path, node);
}

/* The usual time between samples; where only the recording can tell, that of this thread on average. */
static uint64_t interval_of(const struct chrome *w)
{
	const uint64_t *time_ns = w->x->time_ns;
	uint64_t ns = export_interval_ns(w->x, w->x->events.v[0]);

	if (!ns && w->samples.nr > 1)
		ns = (time_ns[w->samples.v[w->samples.nr - 1]] - time_ns[w->samples.v[0]]) / (w->samples.nr - 1);
	return ns ? ns : 1000;
}

static uint64_t end_of(const struct chrome *w, uint32_t i, uint64_t interval_ns)
{
	uint64_t now = w->x->time_ns[w->samples.v[i]], end = now + 2 * interval_ns;

	if (export_is_laid_out(w->x))
		return now + export_laid_ns(w->x, w->samples.v[i]);
	return i + 1 == w->samples.nr || w->x->time_ns[w->samples.v[i + 1]] > end ? now + interval_ns : end;
}

static void put_slices(struct chrome *w, struct thread t)
{
	const uint64_t *time_ns = w->x->time_ns;
	uint64_t interval = interval_of(w), end = 0;

	for (uint32_t i = 0; i < w->samples.nr && !w->j.o->error; i++) {
		uint64_t now = time_ns[w->samples.v[i]];
		uint32_t kept = 0, nr;

		find_path(w, export_tree_node(&w->tree, w->samples.v[i]));
		export_tree_path(&w->tree, w->samples.v[i]);
		nr = w->path.nr;
		if (now <= end)
			while (kept < w->open.nr && kept < nr && w->open.v[kept].node == w->path.v[nr - 1 - kept])
				kept++;
		close_slices(w, kept, t, now < end ? now : end);
		for (; kept < nr; kept++)
			*vec_add(&w->open) = (struct slice){ w->path.v[nr - 1 - kept], w->tree.path.v[nr - 1 - kept], now };
		end = end_of(w, i, interval);
	}
	close_slices(w, 0, t, end);
}

static int cmp_times(const void *va, const void *vb, void *ctx)
{
	uint32_t a = *(const uint32_t *)va, b = *(const uint32_t *)vb;
	const uint64_t *time_ns = ctx;

	return COMPARE(time_ns[a], time_ns[b]) ?: COMPARE(a, b);
}

/* A thread that changed its name back and forth still is one: its samples come in the order of time. */
static void put_threads(struct chrome *w)
{
	const struct export_series *v = w->list.v.v;

	for (uint32_t i = 0, next; i < w->list.v.nr; i = next) {
		w->samples.nr = 0;
		for (next = i; next < w->list.v.nr && is_same_thread(w->threads[i], w->threads[next]); next++) {
			bool is_drawn = export_is_laid_out(w->x) || v[next].event == w->x->events.v[0];

			for (uint32_t k = 0; is_drawn && k < v[next].nr; k++)
				vec_push(&w->samples, w->list.samples[v[next].first + k]);
		}
		if (next - i > 1)
			vec_sort_r(&w->samples, cmp_times, w->x->time_ns);
		put_slices(w, w->threads[i]);
	}
}

/* {"cpu":0,"pid":1,"tid":2,"ts":1.5,"name":"cycles","sf":7,"weight":1} */
static void put_sample(struct chrome *w, uint32_t sample, struct thread t, uint64_t time_ns, uint64_t weight)
{
	const struct profile_samples *s = &w->x->p->samples;

	json_object(&w->j);
	if (export_has_cpu(w->x, s->event[sample]))
		json_put_i64(&w->j, "cpu", s->cpu[sample]);
	put_thread(&w->j, t);
	put_us(&w->j, "ts", time_ns);
	json_put_str(&w->j, "name", export_event_name(w->x, s->event[sample]));
	json_put_i64(&w->j, "sf", export_tree_node(&w->tree, sample));
	json_put_u64(&w->j, "weight", weight);
	json_object_end(&w->j);
}

static void put_samples(struct chrome *w)
{
	const struct profile_samples *s = &w->x->p->samples;

	for (uint32_t i = 0; i < w->x->samples.nr; i++) {
		uint32_t sample = w->x->samples.v[i];

		put_sample(w, sample, real_thread(w, s->task[sample]), s->time_ns[sample], s->period[sample]);
	}
}

/* Adjacent samples that nothing distinguishes are merged. For readers a sample lasts until the next one, so the last of a thread is
 * repeated at its end with weight 0. */
static void put_laid_samples(struct chrome *w, uint32_t series)
{
	const struct export_series *se = &w->list.v.v[series];
	const uint32_t *v = w->list.samples + se->first;

	for (uint32_t i = 0, next; i < se->nr; i = next) {
		uint32_t node = export_tree_node(&w->tree, v[i]);
		uint64_t weight = 0;

		for (next = i; next < se->nr && export_tree_node(&w->tree, v[next]) == node; next++)
			weight += w->x->p->samples.period[v[next]];
		put_sample(w, v[i], w->threads[series], w->x->time_ns[v[i]], weight);
	}
	put_sample(w, v[se->nr - 1], w->threads[series], w->x->time_ns[v[se->nr - 1]] + export_laid_ns(w->x, v[se->nr - 1]), 0);
}

static void put_frame(void *ctx, uint32_t node, uint32_t parent, uint32_t frame)
{
	struct chrome *w = ctx;
	uint32_t place = w->tree.frames.v[frame].place;
	char id[16];

	snprintf(id, sizeof(id), "%u", node);
	json_put_object(&w->j, id);
	json_put_str(&w->j, "name", export_name(w->x, place));
	json_put_str(&w->j, "category", categories[profile_code_kind(w->x->p, place)]);
	if (parent != EXPORT_ROOT)
		json_put_i64(&w->j, "parent", parent);
	json_object_end(&w->j);
}

static void put_frames(struct chrome *w)
{
	json_put_object(&w->j, "stackFrames");
	export_tree_each(&w->tree, put_frame, w);
	json_object_end(&w->j);
}

void export_chrome(struct export *x)
{
	struct chrome w = { .x = x };

	json_init(&w.j, x->o, false);
	export_tree_init(&w.tree, x, EXPORT_BY_KIND);
	export_lay_out(x, &w.tree, NS_PER_US);
	export_series_init(&w.list, x);
	number_threads(&w);
	json_object(&w.j);
	json_put_str(&w.j, "displayTimeUnit", "ns");
	json_put_object(&w.j, "otherData");
	json_put_str(&w.j, "exporter", "assay " ASSAY_VERSION);
	export_notes_json(x, &w.j);
	json_object_end(&w.j);
	json_put_array(&w.j, "traceEvents");
	put_names(&w);
	put_threads(&w);
	if (x->options->spans)
		export_chrome_states(&w.j, x, first_free_id(x) + w.list.v.nr);
	json_array_end(&w.j);
	json_put_array(&w.j, "samples");
	if (!export_is_laid_out(x))
		put_samples(&w);
	for (uint32_t i = 0; export_is_laid_out(x) && i < w.list.v.nr; i++)
		put_laid_samples(&w, i);
	json_array_end(&w.j);
	put_frames(&w);
	json_object_end(&w.j);
	out_char(x->o, '\n');
	export_tree_fini(&w.tree);
	export_series_fini(&w.list);
	vec_fini(&w.open);
	vec_fini(&w.path);
	vec_fini(&w.samples);
	free(w.threads);
}
