/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Fields are found when the event is first met: a pipe announces events late.
 */
#include "model/power_spans.h"

#include <string.h>

#define LEFT_IDLE UINT32_MAX /* power:cpu_idle: the CPU woke up */

void power_spans_fini(struct power_spans *p)
{
	vec_fini(&p->events);
	vec_fini(&p->open[0]);
	vec_fini(&p->open[1]);
}

static struct power_event examine(const struct power_spans *p, const struct perfdata_event *event)
{
	struct power_event e = { .kind = SPAN_OF_POWER };
	const char *name = event->name ? event->name : "";
	const struct trace_field *fields;
	uint32_t nr = 0;

	if (event->attr.type != ATTR_TYPE_TRACEPOINT)
		return e;
	if (!strcmp(name, "power:cpu_frequency"))
		e.kind = SPAN_OF_FREQUENCY;
	else if (strcmp(name, "power:cpu_idle") != 0)
		return e;
	e.is_wanted = true;
	fields = tracepoints_fields(p->recording->tracepoints, event->attr.config, &nr);
	for (uint32_t i = 0; fields && i < nr; i++) {
		if (!strcmp(fields[i].name, "state"))
			e.state = &fields[i];
		if (!strcmp(fields[i].name, "cpu_id"))
			e.cpu = &fields[i];
	}
	return e;
}

static const struct power_event *event_of(struct power_spans *p, int32_t event)
{
	while (p->events.nr < p->recording->info->events.nr) {
		/* vec_push() may count it before it looks at what is pushed. */
		struct power_event e = examine(p, &p->recording->info->events.v[p->events.nr]);

		vec_push(&p->events, e);
	}
	return event >= 0 && (uint32_t)event < p->events.nr ? &p->events.v[event] : NULL;
}

bool power_spans_wants(struct power_spans *p, int32_t event)
{
	const struct power_event *e = event_of(p, event);

	return e && e->is_wanted;
}

static bool read_number(const struct power_spans *p, const struct trace_field *f, const struct sample *s, uint32_t *number)
{
	struct tracepoints_value v;

	if (!f || !s->raw || !tracepoints_value(p->recording->tracepoints, f, s->raw, s->raw_size, &v) || v.bytes)
		return false;
	*number = (uint32_t)v.number;
	return true;
}

static void close_span(struct power_spans *p, enum span_kind kind, uint32_t cpu, uint64_t end_ns)
{
	struct power_open *open = &p->open[kind == SPAN_OF_FREQUENCY].v[cpu];
	struct span span = { .begin_ns = open->since_ns,
			     .end_ns = end_ns,
			     .value = open->value,
			     .state = kind == SPAN_OF_FREQUENCY ? SPAN_FREQUENCY : SPAN_POWER_STATE };

	if (open->is_open && open->nr_losses == p->nr_losses)
		span_store_add(p->store, span_store_track(p->store, kind, cpu), &span);
	open->is_open = false;
}

void power_spans_take(struct power_spans *p, const struct session_record *sr)
{
	const struct power_event *e = event_of(p, sr->event);
	uint32_t state, cpu;
	bool is_frequency;

	if (!e || !e->is_wanted)
		return;
	if (!read_number(p, e->state, &sr->rec.sample, &state) || !read_number(p, e->cpu, &sr->rec.sample, &cpu) ||
	    cpu >= TIMELINE_MAX_CPUS) {
		p->nr_malformed++;
		return;
	}
	is_frequency = e->kind == SPAN_OF_FREQUENCY;
	while (p->open[is_frequency].nr <= cpu)
		vec_push(&p->open[is_frequency], (struct power_open){ 0 });
	close_span(p, e->kind, cpu, sr->time_ns);
	if (is_frequency || state != LEFT_IDLE)
		p->open[is_frequency].v[cpu] =
			(struct power_open){ .is_open = true, .since_ns = sr->time_ns, .value = state, .nr_losses = p->nr_losses };
}

void power_spans_lose(struct power_spans *p)
{
	p->nr_losses++;
}

void power_spans_finish(struct power_spans *p, uint64_t end_ns)
{
	for (int kind = 0; kind < 2; kind++)
		for (uint32_t cpu = 0; cpu < p->open[kind].nr; cpu++)
			close_span(p, kind ? SPAN_OF_FREQUENCY : SPAN_OF_POWER, cpu, end_ns);
}
