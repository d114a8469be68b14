/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * { "schema": "assay-script-1", "samples": [{ "event", "comm", "pid", "tid", "time_ns", "cpu", "period", "addr", "trace", "chain" }],
 * "lost": N, … }
 */
#include "view/script_text.h"

#include "view/quality_text.h"

void script_json_begin(struct script_json *v, struct out *o, struct profile *p)
{
	*v = (struct script_json){ .o = o, .profile = p };
	json_init(&v->json, o, false);
	json_object(&v->json);
	json_key(&v->json, "schema");
	json_str(&v->json, "assay-script-1");
	json_key(&v->json, "samples");
	json_array(&v->json);
}

static void put_frame(struct script_json *v, const struct profile_place *place)
{
	struct profile *p = v->profile;
	const struct profile_frame *f = &p->frames.v[place->frame];
	const struct location *at = &p->locations.v[place->location].at;
	struct json *j = &v->json;

	json_object(j);
	json_key(j, "ip");
	json_hex(j, at->ip);
	if (f->is_inlined) {
		json_key(j, "inlined");
		json_bool(j, true);
	}
	if (f->function) {
		json_key(j, "symbol");
		json_str(j, profile_str(p, f->function));
		json_key(j, "offset");
		json_u64(j, at->addr - f->start);
	}
	if (at->dso != DSO_NONE) {
		json_key(j, "dso");
		json_str(j, profile_dso(p, at->dso)->path);
		json_key(j, "address");
		json_hex(j, at->addr);
	}
	if (place->file) {
		json_key(j, "file");
		json_str(j, profile_str(p, place->file));
		json_key(j, "line");
		json_u64(j, place->line);
	}
	json_object_end(j);
}

static void put_location(struct script_json *v, uint32_t location)
{
	uint32_t nr;
	const struct profile_place *places = profile_places_of(v->profile, location, &nr);

	for (uint32_t i = 0; i < nr; i++)
		put_frame(v, &places[i]);
}

static void put_chain(struct script_json *v, const struct script_sample *s)
{
	json_key(&v->json, "chain");
	json_array(&v->json);
	if (s->stack == STACK_NONE)
		put_location(v, s->location);
	for (uint32_t n = profile_stack_node(v->profile, s->stack); n != STACK_TREE_ROOT && !v->json.o->error;
	     n = stack_tree_parent(&v->profile->tree, n))
		put_location(v, stack_tree_frame(&v->profile->tree, n));
	json_array_end(&v->json);
}

/* What the hardware said of a memory access. */
static void put_access(struct json *j, const struct sample *s, uint64_t sample_type)
{
	if (sample_type & (SAMPLE_WEIGHT | SAMPLE_WEIGHT_STRUCT)) {
		json_key(j, "weight");
		json_u64(j, sample_type & SAMPLE_WEIGHT ? s->weight : (uint32_t)s->weight);
	}
	if (sample_type & SAMPLE_DATA_SRC) {
		json_key(j, "data_src");
		json_hex(j, s->data_src);
	}
	if (sample_type & SAMPLE_PHYS_ADDR) {
		json_key(j, "phys_addr");
		json_hex(j, s->phys_addr);
	}
}

void script_json_sample(struct script_json *v, const struct script_sample *located)
{
	const struct session_record *sr = located->sr;
	const struct perfdata_event *ev = &v->profile->recording->info->events.v[sr->event];
	const struct sample *s = &sr->rec.sample;
	const char *trace = recording_trace_text(v->profile->recording, sr);
	struct json *j = &v->json;

	out_char(v->o, '\n');
	json_object(j);
	json_key(j, "event");
	json_str(j, ev->name);
	json_key(j, "comm");
	json_str(j, machine_comm(v->profile->machine, sr->task));
	json_key(j, "pid");
	json_i64(j, sr->task->pid);
	json_key(j, "tid");
	json_i64(j, sr->task->tid);
	if (ev->attr.sample_type & SAMPLE_TIME) {
		json_key(j, "time_ns");
		json_u64(j, s->time_ns);
	}
	if (ev->attr.sample_type & SAMPLE_CPU) {
		json_key(j, "cpu");
		json_u64(j, s->cpu);
	}
	json_key(j, "period");
	json_u64(j, s->period);
	if (ev->attr.sample_type & SAMPLE_ADDR) {
		json_key(j, "addr");
		json_hex(j, s->addr);
	}
	put_access(j, s, ev->attr.sample_type);
	if (trace) {
		json_key(j, "trace");
		json_str(j, trace);
	}
	put_chain(v, located);
	json_object_end(j);
}

void script_json_end(struct script_json *v, const struct quality *q)
{
	struct json *j = &v->json;

	json_array_end(j);
	losses_json(j, v->profile->recording);
	quality_json(j, q);
	json_object_end(j);
	out_char(v->o, '\n');
}
