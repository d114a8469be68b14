/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The profile in the page: the size of a JSON text, that text (names, tasks, events, what is known of the recording), and columns of numbers, one
 * behind the other, seven bits a byte as in protobuf (z: zigzag, so that numbers below zero are short):
 *
 *	frames   name, module, kind and marks, file        places in the lists of the JSON
 *	nodes    back to the parent, frame                 the root is node 0 and not there
 *	rows     time (z, from the row before), task, CPU + 1, event, node, line of the code (0: none), state, count, period (z, from the row before)
 *	gaps     begin (z), length, CPU + 1, lost (0: throttled)
 *	spans    task, state (more than there are: several in one, most of it in that state), begin (z, from the end of the span before), length, who woke it (task + 1; 0: not known)
 *
 * Times count from the first row on. web/view_data.js reads it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/offcpu.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/protobuf.h"
#include "view/page.h"
#include "view/quality_text.h"
#include "view/span_states.h"
#include "view/viewer.h"

#define IS_INLINED 4u
#define IS_UNRESOLVED 8u

struct numbering { /* strings → places in a list of the JSON */
	uint32_t *of;
	VEC(uint32_t) used;
};

struct viewer_data {
	struct export *x;
	const struct filter *filter;
	const struct viewer_options *options;
	struct export_tree tree;
	struct viewer_code code;
	struct viewer_rows rows;
	struct numbering names, modules, files;
	struct out columns;
	uint64_t base_ns;
	uint32_t nr_nodes, nr_spans;
	VEC(uint32_t) task_of_track; /* of the time line: 0 not looked for, else the task + 2, or 1 */
	VEC(uint32_t) task_of_tid;   /* for each tid the task of the profile that has most samples; made when first asked for */
	struct hindex tids;	     /* in task_of_tid */
};

static void numbering_init(struct numbering *n, uint32_t nr)
{
	*n = (struct numbering){ .of = mem_alloc((nr + 1ul) * sizeof(*n->of)) };
	memset(n->of, 0xff, (nr + 1ul) * sizeof(*n->of));
}

static uint32_t numbering_get(struct numbering *n, uint32_t id)
{
	if (n->of[id] == UINT32_MAX) {
		n->of[id] = n->used.nr;
		vec_push(&n->used, id);
	}
	return n->of[id];
}

static void numbering_fini(struct numbering *n)
{
	free(n->of);
	vec_fini(&n->used);
}

static void put_signed(struct out *o, int64_t v)
{
	protobuf_varint(o, (uint64_t)v << 1 ^ (uint64_t)(v >> 63));
}

/* ---- frames and nodes ---- */

static uint32_t kind_of(const struct export *x, uint32_t place)
{
	const struct profile_frame *f = export_frame_at(x, place);

	return (uint32_t)profile_code_kind(x->p, place) | (f->is_inlined ? IS_INLINED : 0) | (profile_is_named(f) ? 0 : IS_UNRESOLVED);
}

static void put_frames(struct viewer_data *d)
{
	const struct export_tree *t = &d->tree;
	struct out *o = &d->columns;

	for (uint32_t i = 0; i < t->frames.nr; i++)
		protobuf_varint(o, numbering_get(&d->names, export_name_id(d->x, t->frames.v[i].place)));
	for (uint32_t i = 0; i < t->frames.nr; i++)
		protobuf_varint(o, numbering_get(&d->modules, export_frame_at(d->x, t->frames.v[i].place)->dso));
	for (uint32_t i = 0; i < t->frames.nr; i++)
		protobuf_varint(o, kind_of(d->x, t->frames.v[i].place));
	for (uint32_t i = 0; i < t->frames.nr; i++)
		protobuf_varint(o, numbering_get(&d->files, export_file_of(d->x, t->frames.v[i].place)));
}

struct node_columns {
	struct out parents, frames;
};

static void put_node(void *ctx, uint32_t node, uint32_t parent, uint32_t frame)
{
	struct node_columns *c = ctx;

	protobuf_varint(&c->parents, node - parent);
	protobuf_varint(&c->frames, frame);
}

static void put_nodes(struct viewer_data *d)
{
	struct node_columns c;

	out_init(&c.parents, -1);
	out_init(&c.frames, -1);
	export_tree_each(&d->tree, put_node, &c);
	out_mem(&d->columns, c.parents.buf, c.parents.len);
	out_mem(&d->columns, c.frames.buf, c.frames.len);
	out_fini(&c.parents);
	out_fini(&c.frames);
}

/* ---- rows ---- */

#define EACH_ROW(d, row) for (const struct viewer_row *row = (d)->rows.v.v, *end_ = row ? row + (d)->rows.v.nr : row; row < end_; row++)

static void put_rows(struct viewer_data *d)
{
	struct out *o = &d->columns;
	uint64_t time_ns = d->base_ns, period = 0;

	EACH_ROW(d, row)
	{
		put_signed(o, (int64_t)(row->time_ns - time_ns));
		time_ns = row->time_ns;
	}
	EACH_ROW(d, row)
	protobuf_varint(o, row->task);
	EACH_ROW(d, row)
	protobuf_varint(o, row->cpu + 1u);
	EACH_ROW(d, row)
	protobuf_varint(o, row->event);
	EACH_ROW(d, row)
	protobuf_varint(o, row->node);
	EACH_ROW(d, row)
	protobuf_varint(o, row->line);
	EACH_ROW(d, row)
	protobuf_varint(o, row->state);
	EACH_ROW(d, row)
	protobuf_varint(o, row->count);
	EACH_ROW(d, row)
	{
		put_signed(o, (int64_t)(row->period - period));
		period = row->period;
	}
}

static void put_gaps(struct viewer_data *d)
{
	const struct viewer_gaps *g = d->options->gaps;
	struct out *o = &d->columns;

	for (uint32_t i = 0; g && i < g->v.nr; i++) {
		const struct viewer_gap *gap = &g->v.v[i];
		uint64_t end_ns = gap->is_open && d->x->last_ns > gap->begin_ns ? d->x->last_ns : gap->end_ns;

		put_signed(o, (int64_t)(gap->begin_ns - d->base_ns));
		protobuf_varint(o, end_ns - gap->begin_ns);
		protobuf_varint(o, gap->cpu + 1u);
		protobuf_varint(o, gap->nr_lost);
	}
}

/* ---- states of tasks ---- */

static void index_tasks(struct viewer_data *d)
{
	const struct profile *p = d->x->p;

	for (uint32_t i = 0; i < p->tasks.nr; i++) {
		int32_t tid = p->tasks.v[i].tid;
		uint32_t id = HINDEX_INTERN(&d->tids, hash_u64((uint32_t)tid), &d->task_of_tid, other, p->tasks.v[*other].tid == tid, i);
		uint32_t *best = &d->task_of_tid.v[id];

		if (d->x->nr_of_task[i] > d->x->nr_of_task[*best])
			*best = i;
	}
}

/* The task of the profile that has most samples under a tid; UINT32_MAX: none. */
static uint32_t task_of(struct viewer_data *d, int32_t tid)
{
	const struct profile *p = d->x->p;
	uint32_t id;

	if (!d->task_of_tid.nr)
		index_tasks(d);
	id = HINDEX_FIND_ITEM(&d->tids, hash_u64((uint32_t)tid), &d->task_of_tid, other, p->tasks.v[*other].tid == tid);
	return id == HINDEX_NONE ? UINT32_MAX : d->task_of_tid.v[id];
}

static uint32_t task_of_track(struct viewer_data *d, uint32_t track)
{
	const struct timeline_track *k = timeline_track(d->options->spans->timeline, track);

	while (d->task_of_track.nr <= track)
		vec_push(&d->task_of_track, 0);
	/* UINT32_MAX + 2 is 1. */
	if (!d->task_of_track.v[track])
		d->task_of_track.v[track] = (k->is_idle ? UINT32_MAX : task_of(d, k->task->tid)) + 2;
	return d->task_of_track.v[track] - 2;
}

/* Of short spans that became one: the state with the largest share, marked. */
static uint8_t shown_state(const struct span_track *k, const struct span *span)
{
	const struct span_share *best;

	if (span->state != SPAN_MIXED)
		return span->state;
	best = &k->shares.v[span->value];
	for (uint32_t i = 1; i < span->nr_shares; i++)
		if (k->shares.v[span->value + i].ns > best->ns)
			best = &k->shares.v[span->value + i];
	return (uint8_t)(SPAN_NR_STATES + (span->nr_shares ? best->state : SPAN_UNKNOWN));
}

/* `at_ns`: the end of the one before, of the same task. */
static void put_span(struct viewer_data *d, uint32_t task, uint8_t state, uint64_t begin_ns, uint64_t end_ns, uint64_t at_ns,
		     uint32_t waker)
{
	protobuf_varint(&d->columns, task);
	protobuf_varint(&d->columns, state);
	put_signed(&d->columns, (int64_t)(begin_ns - at_ns));
	protobuf_varint(&d->columns, end_ns - begin_ns);
	protobuf_varint(&d->columns, waker == UINT32_MAX ? 0 : waker + 1);
	d->nr_spans++;
}

/* The task of the profile that woke a task; UINT32_MAX: not known, or it has no samples. */
static uint32_t waker_of(struct viewer_data *d, const struct span *span)
{
	return span->state == SPAN_WOKEN && span->value ? task_of_track(d, span->value - 1) : UINT32_MAX;
}

static void put_spans(struct viewer_data *d)
{
	const struct span_store *s = d->options->spans;

	for (uint32_t i = 0; s && i < s->tracks.nr; i++) {
		const struct span_track *k = &s->tracks.v[i];
		uint64_t at_ns = d->base_ns;
		uint32_t task;

		if (k->kind != SPAN_OF_TASK)
			continue;
		task = task_of_track(d, k->key);
		if (task == UINT32_MAX)
			continue;
		for (uint32_t n = 0; n < k->spans.nr; n++) {
			const struct span *span = &k->spans.v[n];

			put_span(d, task, shown_state(k, span), span->begin_ns, span->end_ns, at_ns, waker_of(d, span));
			at_ns = span->end_ns;
		}
	}
}

static void put_switches(struct viewer_data *d)
{
	const struct switch_spans *s = d->options->spans ? NULL : d->options->switches;
	uint32_t task = UINT32_MAX;
	uint64_t at_ns = 0;

	for (uint32_t i = 0; s && i < s->v.nr; i++) {
		const struct switch_span *span = &s->v.v[i];

		if (!i || span->tid != span[-1].tid) {
			task = task_of(d, span->tid);
			at_ns = d->base_ns;
		}
		if (task == UINT32_MAX)
			continue;
		put_span(d, task, span->state, span->begin_ns, span->end_ns, at_ns, UINT32_MAX);
		at_ns = span->end_ns;
	}
}

/* ---- the JSON ---- */

static void put_clean(struct json *j, const char *s)
{
	struct out clean;

	out_init(&clean, -1);
	svg_text_clean(&clean, s, strlen(s));
	json_str_len(j, clean.buf ? clean.buf : "", clean.len);
	out_fini(&clean);
}

static void put_strings(struct json *j, const struct viewer_data *d, const char *key, const struct numbering *n)
{
	json_put_array(j, key);
	for (uint32_t i = 0; i < n->used.nr; i++)
		put_clean(j, profile_str(d->x->p, n->used.v[i]));
	json_array_end(j);
}

static void put_modules(struct json *j, const struct viewer_data *d)
{
	json_put_array(j, "modules");
	for (uint32_t i = 0; i < d->modules.used.nr; i++) {
		const char *path = profile_dso(d->x->p, d->modules.used.v[i])->path, *slash = path ? strrchr(path, '/') : NULL;

		put_clean(j, !path ? "" : slash && slash[1] ? slash + 1 : path);
	}
	json_array_end(j);
}

static void put_events(struct json *j, const struct viewer_data *d)
{
	const struct perfdata_info *info = d->x->p->recording->info;

	json_put_array(j, "events");
	for (uint32_t i = 0; i < info->events.nr; i++) {
		const char *unit = export_unit(d->x, i);

		json_object(j);
		json_key(j, "name");
		put_clean(j, info->events.v[i].name ? info->events.v[i].name : "");
		json_key(j, "unit");
		put_clean(j, unit ? unit : "");
		json_put_u64(j, "interval", export_interval_ns(d->x, i));
		json_put_bool(j, "cpu", export_has_cpu(d->x, i));
		json_put_bool(j, "tracepoint", info->events.v[i].attr.type == ATTR_TYPE_TRACEPOINT);
		json_put_bool(j, "off_cpu", offcpu_is_event(&info->events.v[i].attr, info->events.v[i].name));
		json_object_end(j);
	}
	json_array_end(j);
}

static void put_tasks(struct json *j, const struct viewer_data *d)
{
	const struct profile *p = d->x->p;

	json_put_array(j, "tasks");
	for (uint32_t i = 0; i < p->tasks.nr; i++) {
		json_i64(j, p->tasks.v[i].pid);
		json_i64(j, p->tasks.v[i].tid);
		put_clean(j, export_task_name(d->x, i));
	}
	json_array_end(j);
}

static void put_note(void *ctx, const char *label, const char *text)
{
	struct json *j = ctx;

	put_clean(j, label);
	put_clean(j, text);
}

/* CPU lists of a topology: 0-3, 4-7. */
static void put_siblings(struct json *j, const char *label, const char *const *lists, uint32_t nr)
{
	struct out o;

	if (!nr)
		return;
	out_init(&o, -1);
	for (uint32_t i = 0; i < nr; i++)
		out_printf(&o, "%s%s", i ? "; " : "", lists[i]);
	out_char(&o, 0);
	put_note(j, label, o.buf);
	out_fini(&o);
}

/* What the header of a recording says of the machine beside its name. */
static void put_machine(struct json *j, const struct perfdata_info *info)
{
	char line[80];

	if (info->cpuid)
		put_note(j, "cpu id", info->cpuid);
	if (info->arch)
		put_note(j, "architecture", info->arch);
	if (info->nrcpus_avail) {
		snprintf(line, sizeof(line), "%u online of %u", info->nrcpus_online, info->nrcpus_avail);
		put_note(j, "CPUs", line);
	}
	put_siblings(j, "cores of a socket", info->core_siblings.v, info->core_siblings.nr);
	put_siblings(j, "threads of a core", info->thread_siblings.v, info->thread_siblings.nr);
	if (info->total_mem_kb) {
		snprintf(line, sizeof(line), "%.1f GiB", (double)info->total_mem_kb / 1048576);
		put_note(j, "memory", line);
	}
	if (info->version)
		put_note(j, "recorder", info->version);
}

static void put_warning(void *ctx, bool is_loud, const char *text)
{
	struct json *j = ctx;

	json_bool(j, is_loud);
	put_clean(j, text);
}

static void put_quality(struct json *j, const struct viewer_data *d)
{
	char line[QUALITY_LINE_SIZE];

	if (!d->x->quality)
		return;
	quality_line(d->x->quality, line, sizeof(line));
	json_key(j, "quality");
	put_clean(j, line);
	json_put_array(j, "warnings");
	quality_notes(d->x->quality, put_warning, j);
	json_array_end(j);
}

static void put_states(struct json *j)
{
	json_put_array(j, "states");
	for (uint32_t i = 0; i < SPAN_NR_STATES; i++) {
		json_str(j, span_states[i].label);
		json_str(j, span_states[i].light);
		json_str(j, span_states[i].dark);
	}
	json_array_end(j);
}

/* The same by enum offcpu_state, for waits that are samples. */
static void put_waits(struct json *j)
{
	static const uint8_t states[OFFCPU_NR_STATES] = {
		[OFFCPU_ON] = SPAN_RUNNING,	      [OFFCPU_RUNNABLE] = SPAN_PREEMPTED,
		[OFFCPU_INTERRUPTIBLE] = SPAN_SLEEPS, [OFFCPU_UNINTERRUPTIBLE] = SPAN_WAITS,
		[OFFCPU_STOPPED] = SPAN_STOPPED,      [OFFCPU_UNKNOWN] = SPAN_UNKNOWN,
	};

	json_put_array(j, "waits");
	for (uint32_t i = 0; i < OFFCPU_NR_STATES; i++)
		json_u64(j, states[i]);
	json_array_end(j);
}

static void put_about(struct out *o, struct viewer_data *d)
{
	const struct export *x = d->x;
	char base[24];
	struct json j;

	json_init(&j, o, false);
	json_object(&j);
	json_key(&j, "recording");
	put_clean(&j, d->options->name ? d->options->name : "");
	snprintf(base, sizeof(base), "%llu", (unsigned long long)d->base_ns);
	json_put_str(&j, "from", base);
	json_put_bool(&j, "timed", x->has_times);
	json_put_bool(&j, "sums", x->weight_is_period);
	json_put_u64(&j, "merged", d->rows.merged_ns);
	json_put_u64(&j, "frames", d->tree.frames.nr);
	json_put_u64(&j, "nodes", d->nr_nodes);
	json_put_u64(&j, "rows", d->rows.v.nr);
	json_put_u64(&j, "gaps", d->options->gaps ? d->options->gaps->v.nr : 0);
	json_put_u64(&j, "spans", d->nr_spans);
	json_put_u64(&j, "spans_left_out", d->options->switches ? d->options->switches->nr_left_out : 0);
	json_put_u64(&j, "spans_merged", d->options->spans ? d->options->spans->resolution_ns : 0);
	json_key(&j, "states_note");
	put_clean(&j, d->options->states_note ? d->options->states_note : "");
	json_put_bool(&j, "states_note_is_loud", d->options->states_note_is_loud);
	json_put_array(&j, "filters");
	for (uint32_t i = 0; i < d->options->nr_filters; i++)
		put_clean(&j, d->options->filters[i]);
	json_array_end(&j);
	put_quality(&j, d);
	json_put_array(&j, "notes");
	export_notes(x, put_note, &j);
	put_machine(&j, x->p->recording->info);
	json_array_end(&j);
	put_events(&j, d);
	put_tasks(&j, d);
	put_states(&j);
	put_waits(&j);
	json_splice(&j, d->code.text.buf);
	put_modules(&j, d);
	put_strings(&j, d, "files", &d->files);
	put_strings(&j, d, "names", &d->names);
	json_object_end(&j);
}

struct viewer_result viewer_data(struct out *o, struct export *x, const struct filter *filter, const struct viewer_options *options)
{
	struct viewer_data d = { .x = x, .filter = filter, .options = options };
	struct viewer_result result = { .nr_samples = x->samples.nr };
	struct out about;

	export_tree_init(&d.tree, x, EXPORT_BY_FUNCTION);
	for (uint32_t i = 0; i < x->samples.nr; i++)
		export_tree_node(&d.tree, x->samples.v[i]);
	viewer_code_init(&d.code, &d.tree, filter, options);
	viewer_rows_init(&d.rows, &d.tree, &d.code, VIEWER_MAX_ROWS);
	numbering_init(&d.names, x->p->strings.entries.nr);
	numbering_init(&d.files, x->p->strings.entries.nr);
	numbering_init(&d.modules, x->p->machine->dsos.dsos.nr);
	out_init(&d.columns, -1);
	out_init(&about, -1);
	d.base_ns = d.rows.v.nr ? d.rows.v.v[0].time_ns : x->first_ns;
	d.nr_nodes = d.tree.nr_nodes;
	put_frames(&d);
	put_nodes(&d);
	put_rows(&d);
	put_gaps(&d);
	put_spans(&d);
	put_switches(&d);
	put_about(&about, &d);
	protobuf_varint(o, about.len);
	out_mem(o, about.buf, about.len);
	out_mem(o, d.columns.buf, d.columns.len);
	result.merged_ns = d.rows.merged_ns;
	out_fini(&about);
	out_fini(&d.columns);
	numbering_fini(&d.names);
	numbering_fini(&d.files);
	numbering_fini(&d.modules);
	viewer_rows_fini(&d.rows);
	viewer_code_fini(&d.code);
	vec_fini(&d.task_of_track);
	vec_fini(&d.task_of_tid);
	hindex_fini(&d.tids);
	export_tree_fini(&d.tree);
	return result;
}
