/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The same as the text, in the same order; every thread with each of its stacks.
 */
#include "view/stack.h"

#include "base/json.h"

static void write_frame(struct json *j, const struct stack_text *v, const struct snapshot_place *p, const struct snapshot_frame *f)
{
	const struct snapshot *s = v->snapshot;

	json_object(j);
	json_put_str_or_null(j, "function", snapshot_str(s, f->function));
	if (p->kernel) {
		json_put_bool(j, "kernel", true);
	} else {
		json_put_hex(j, "pc", p->at.pc);
		json_put_bool(j, "is_return_address", p->at.pc != p->at.at.ip);
		json_put_str_or_null(j, "file", p->at.at.dso == DSO_NONE ? NULL : dso_table_get(v->dsos, p->at.at.dso)->path);
		json_key(j, "file_offset");
		if (p->at.at.dso == DSO_NONE)
			json_null(j);
		else
			json_hex(j, p->at.at.addr);
		if (f->is_nameless)
			json_put_bool(j, "unresolved", true);
		json_put_bool(j, "inlined", f->is_inlined);
		json_put_str_or_null(j, "source", snapshot_str(s, f->file));
		json_put_u64(j, "line", f->line);
		json_put_u64(j, "column", f->column);
	}
	json_object_end(j);
}

static void write_thread(struct json *j, const struct stack_text *v, const struct snapshot_sighting *g)
{
	const struct snapshot *s = v->snapshot;
	const struct snapshot_stack *k = &s->stacks.v[g->stack];

	json_object(j);
	json_put_i64(j, "tid", g->tid);
	json_put_str_or_null(j, "comm", snapshot_str(s, g->comm));
	json_put_str_or_null(j, "state", snapshot_str(s, g->state));
	json_put_u64(j, "count", g->count);
	json_put_bool(j, "complete", snapshot_is_complete(s, g));
	json_put_bool(j, "guessed", k->walk.guessed);
	json_put_str_or_null(j, "end", unwind_end_name(k->walk.end));
	json_put_str_or_null(j, "why", snapshot_str(s, g->why));
	json_put_array(j, "frames");
	for (uint32_t i = 0; i < k->nr; i++) {
		const struct snapshot_place *p = &s->places.v[s->chain.v[k->first + i]];

		for (uint32_t f = 0; f < p->nr_frames; f++)
			write_frame(j, v, p, &s->frames.v[p->first_frame + f]);
	}
	json_array_end(j);
	json_object_end(j);
}

void stack_json(const struct stack_text *v)
{
	struct json j;

	json_init(&j, v->o, true);
	json_object(&j);
	json_put_i64(&j, "pid", v->pid);
	json_put_str_or_null(&j, "source", v->is_core ? "core" : "process");
	json_put_u64(&j, "snapshots", v->nr_rounds ? v->nr_rounds : 1);
	if (v->nr_rounds)
		json_put_double(&j, "interval_ms", v->interval_ms, 3);
	if (!v->is_core) {
		json_put_u64(&j, "stops", v->nr_stops);
		json_put_double(&j, "pause_us", (double)v->pause_ns / 1e3, 1);
		json_put_double(&j, "longest_pause_us", (double)v->longest_pause_ns / 1e3, 1);
	}
	json_put_u64(&j, "incomplete", v->snapshot->nr_incomplete);
	json_put_array(&j, "threads");
	for (uint32_t i = 0; i < v->snapshot->sightings.nr; i++)
		write_thread(&j, v, &v->snapshot->sightings.v[i]);
	json_array_end(&j);
	json_object_end(&j);
	out_char(v->o, '\n');
}
