/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct wall as one JSON object: times in ns by the names of classes, threads, and stacks innermost first. And as paths of a flame graph.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "view/wall_text.h"

static void put_times(struct json *j, const uint64_t *ns)
{
	json_put_object(j, "times_ns");
	for (int c = 0; c < WALL_NR_CLASSES; c++)
		json_put_u64(j, wall_class_name((enum wall_class)c), ns[c]);
	json_object_end(j);
}

static void put_thread(struct json *j, const struct wall *w, uint32_t thread)
{
	const struct wall_thread *k = &w->threads.v[thread];
	const struct task *task = wall_task(w, thread);

	json_object(j);
	json_put_str(j, "comm", machine_comm(w->timeline->machine, task));
	json_put_i64(j, "tid", task->tid);
	json_put_i64(j, "pid", task->pid);
	json_put_u64(j, "begin_ns", k->begin_ns);
	json_put_u64(j, "elapsed_ns", wall_elapsed_ns(k));
	json_put_u64(j, "waits", k->nr_waits);
	json_put_bool(j, "idle", k->is_idle);
	json_put_u64(j, "gaps", timeline_track(w->timeline, thread)->nr_gaps);
	put_times(j, k->ns);
	json_object_end(j);
}

static char *frame_name(const struct profile *p, const struct profile_frame *f)
{
	return profile_is_named(f) ? mem_strdup(profile_str(p, f->function)) : profile_unresolved_name(p, f->dso);
}

static void put_frames(struct json *j, struct profile *p, uint32_t stack)
{
	json_put_array(j, "stack");
	for (uint32_t n = profile_stack_node(p, stack); n != STACK_TREE_ROOT; n = stack_tree_parent(&p->tree, n)) {
		char *name = frame_name(p, profile_frame_at(p, stack_tree_frame(&p->tree, n)));

		json_str(j, name);
		free(name);
	}
	json_array_end(j);
}

static void put_stacks(struct json *j, const struct wall *w, const struct wall_stacks *s)
{
	json_put_array(j, "stacks");
	for (uint32_t i = 0; i < s->v.nr; i++) {
		const struct wall_stack *row = &s->v.v[i];

		json_object(j);
		json_put_str(j, "class", wall_class_name(row->class));
		json_put_u64(j, "total_ns", row->total_ns);
		json_put_u64(j, "count", row->nr);
		json_put_u64(j, "max_ns", row->max_ns);
		json_put_i64(j, "tid", wall_task(w, row->thread)->tid);
		put_frames(j, w->profile, row->stack);
		json_object_end(j);
	}
	json_array_end(j);
}

void wall_json_print(const struct wall_text *t, struct out *o, const struct wall *w, const struct wall_stacks *s)
{
	struct json j;

	json_init(&j, o, true);
	json_object(&j);
	json_put_u64(&j, "first_ns", w->first_ns);
	json_put_u64(&j, "last_ns", w->last_ns);
	json_put_u64(&j, "lost", t->nr_lost);
	json_put_u64(&j, "gaps", w->nr_gaps);
	json_put_object(&j, "total");
	json_put_u64(&j, "elapsed_ns", w->elapsed_ns);
	put_times(&j, w->total_ns);
	json_object_end(&j);
	json_put_array(&j, "threads");
	for (uint32_t i = 0; i < w->threads.nr; i++)
		if (w->threads.v[i].is_shown)
			put_thread(&j, w, i);
	json_array_end(&j);
	put_stacks(&j, w, s);
	if (t->path)
		wall_path_json(&j, w, t->path);
	json_object_end(&j);
	out_char(o, '\n');
}

/* ---- flame graph ---- */

static void add_path(struct flame *f, const struct wall *w, const struct wall_stack *s)
{
	static const enum flame_kind kinds[] = {
		[CODE_USER] = FLAME_USER, [CODE_KERNEL] = FLAME_KERNEL, [CODE_JIT] = FLAME_JIT, [CODE_INTERPRETED] = FLAME_JIT
	};
	const char *class = wall_class_name(s->class);
	struct profile *p = w->profile;
	uint32_t nr = p->stacks.v[s->stack].depth + 1, at = nr;
	uint32_t *frames = mem_alloc(nr * sizeof(*frames));

	for (uint32_t n = profile_stack_node(p, s->stack); n != STACK_TREE_ROOT && at > 1; n = stack_tree_parent(&p->tree, n)) {
		uint32_t location = stack_tree_frame(&p->tree, n);
		const struct profile_frame *frame = profile_frame_at(p, location);
		char *name = frame_name(p, frame);

		frames[--at] = flame_intern_frame(f, name, strlen(name), profile_dso(p, frame->dso)->short_name,
						  kinds[profile_code_kind(p, p->locations.v[location].first_place)],
						  profile_is_named(frame) ? 0 : FLAME_UNRESOLVED);
		free(name);
	}
	frames[--at] = flame_intern_frame(f, class, strlen(class), "", FLAME_GROUP, 0);
	flame_add_path(f, 0, frames + at, nr - at, s->total_ns, s->nr);
	free(frames);
}

void wall_flame_add(struct flame *f, const struct wall *w, const struct wall_stacks *s)
{
	for (uint32_t i = 0; i < s->v.nr; i++)
		add_path(f, w, &s->v.v[i]);
}
