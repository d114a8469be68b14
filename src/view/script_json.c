/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * { "schema": "assay-script-1", "samples": [{ "event", "comm", "pid", "tid", "time_ns", "cpu", "period", "addr", "trace", "chain" }],
 * "lost": N, … }
 */
#include "view/script_text.h"

#include "view/chain_json.h"
#include "view/quality_text.h"

void script_json_begin(struct script_json *v, struct out *o, struct profile *p)
{
	*v = (struct script_json){ .o = o, .profile = p };
	json_init(&v->json, o, false);
	json_object(&v->json);
	json_put_str(&v->json, "schema", "assay-script-1");
	json_put_array(&v->json, "samples");
}

static void put_chain(struct script_json *v, const struct script_sample *s)
{
	json_put_array(&v->json, "chain");
	if (s->stack == STACK_NONE)
		chain_json_location(&v->json, v->profile, s->location, UINT32_MAX);
	else
		chain_json_stack(&v->json, v->profile, s->stack, UINT32_MAX);
	json_array_end(&v->json);
}

/* What the hardware said of a memory access. */
static void put_access(struct json *j, const struct sample *s, uint64_t sample_type)
{
	if (sample_type & (SAMPLE_WEIGHT | SAMPLE_WEIGHT_STRUCT))
		json_put_u64(j, "weight", sample_type & SAMPLE_WEIGHT ? s->weight : (uint32_t)s->weight);
	if (sample_type & SAMPLE_DATA_SRC)
		json_put_hex(j, "data_src", s->data_src);
	if (sample_type & SAMPLE_PHYS_ADDR)
		json_put_hex(j, "phys_addr", s->phys_addr);
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
	json_put_str(j, "event", ev->name);
	json_put_str(j, "comm", machine_comm(v->profile->machine, sr->task));
	json_put_i64(j, "pid", sr->task->pid);
	json_put_i64(j, "tid", sr->task->tid);
	if (ev->attr.sample_type & SAMPLE_TIME)
		json_put_u64(j, "time_ns", s->time_ns);
	if (ev->attr.sample_type & SAMPLE_CPU)
		json_put_u64(j, "cpu", s->cpu);
	json_put_u64(j, "period", s->period);
	if (ev->attr.sample_type & SAMPLE_ADDR)
		json_put_hex(j, "addr", s->addr);
	put_access(j, s, ev->attr.sample_type);
	if (trace)
		json_put_str(j, "trace", trace);
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
