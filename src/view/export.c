/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What all writers need: which samples are written and how good they are, what functions without a name are called, what an event's periods
 * mean. export_format.c has the table of formats, export_notes.c what there is to say of the recording.
 */
#include "view/export.h"

#include <stdlib.h>
#include <string.h>

#include "model/sample_filter.h"

#define SW_CPU_CLOCK  0
#define SW_TASK_CLOCK 1
#define NS_PER_S      UINT64_C(1000000000)

uint64_t export_addr(const struct profile_location *l)
{
	return l->is_caller && l->at.addr ? l->at.addr - 1 : l->at.addr;
}

const char *export_event_name(const struct export *x, uint32_t event)
{
	return x->p->recording->info->events.v[event].name;
}

const char *export_task_name(const struct export *x, uint32_t task)
{
	const char *comm = profile_str(x->p, x->p->tasks.v[task].comm), *name = x->options->name, *slash = name ? strrchr(name, '/') : NULL;

	if (*comm || !x->p->recording->has_names)
		return comm;
	return slash && slash[1] ? slash + 1 : name ? name : "";
}

bool export_has_cpu(const struct export *x, uint32_t event)
{
	return x->p->recording->info->events.v[event].attr.sample_type & SAMPLE_CPU;
}

bool export_is_clock(const struct export *x, uint32_t event)
{
	const struct attr *a = &x->p->recording->info->events.v[event].attr;

	return a->type == ATTR_TYPE_SOFTWARE && (a->config == SW_CPU_CLOCK || a->config == SW_TASK_CLOCK);
}

const char *export_unit(const struct export *x, uint32_t event)
{
	const char *unit = export_is_clock(x, event) ? "nanoseconds" : recording_event_unit(x->p->recording, event);

	return unit && *unit && strcmp(unit, "count") ? unit : NULL;
}

uint64_t export_time_unit_ns(const struct export *x, uint32_t event)
{
	static const char *const units[] = { "nanoseconds", "microseconds", "milliseconds", "seconds" };
	const char *unit = export_unit(x, event);
	uint64_t ns = 1;

	for (size_t i = 0; unit && i < sizeof(units) / sizeof(*units); i++, ns *= 1000)
		if (!strcmp(unit, units[i]))
			return ns;
	return 0;
}

uint64_t export_interval_ns(const struct export *x, uint32_t event)
{
	const struct attr *a = &x->p->recording->info->events.v[event].attr;

	if (!a->sample_period)
		return 0;
	if (a->flags & ATTR_FREQ)
		return NS_PER_S / a->sample_period;
	return export_is_clock(x, event) ? a->sample_period : 0;
}

void export_json_fixed(struct json *j, uint64_t v, uint32_t decimals)
{
	uint64_t unit = 1, rest;

	for (uint32_t i = 0; i < decimals; i++)
		unit *= 10;
	json_u64(j, v / unit);
	rest = v % unit;
	if (!rest)
		return;
	/* The digits behind the point, without zeroes at the end. */
	out_char(j->o, '.');
	for (; rest; rest %= unit) {
		unit /= 10;
		out_char(j->o, (char)('0' + rest / unit));
	}
}

/* ---- which samples ---- */

static void choose_samples(struct export *x, const struct filter *filter)
{
	const struct profile_samples *s = &x->p->samples;
	struct sample_filter pass;
	uint32_t nr_events = x->p->recording->info->events.nr;
	bool *has_event = mem_zalloc(nr_events + 1ul);

	sample_filter_init(&pass, x->p, filter, x->options->event, NULL);
	for (uint32_t i = 0; i < s->nr; i++) {
		if (!sample_filter_keeps(&pass, i))
			continue;
		if (!x->samples.nr)
			x->first_ns = s->time_ns[i];
		if (s->time_ns[i] < x->first_ns)
			x->first_ns = s->time_ns[i];
		if (s->time_ns[i] > x->last_ns)
			x->last_ns = s->time_ns[i];
		vec_push(&x->samples, i);
		x->nr_of_task[s->task[i]]++;
		has_event[s->event[i]] = true;
	}
	for (uint32_t i = 0; i < nr_events; i++)
		if (has_event[i])
			vec_push(&x->events, i);
	free(has_event);
	sample_filter_fini(&pass);
}

static uint32_t name_unresolved(struct profile *p, uint32_t dso)
{
	char *text = profile_unresolved_name(p, dso);
	uint32_t id = strtab_intern(&p->strings, text);

	free(text);
	return id;
}

static void name_frames(struct export *x)
{
	struct profile *p = x->p;

	x->name_of_frame = mem_alloc((p->frames.nr + 1ul) * sizeof(*x->name_of_frame));
	for (uint32_t i = 0; i < p->frames.nr; i++) {
		const struct profile_frame *f = &p->frames.v[i];

		x->name_of_frame[i] = f->function ? f->function : name_unresolved(p, f->dso);
	}
}

/* The file of most of a function's lines, by counting up and down: right where one file has more than half of them. */
static void find_files(struct export *x)
{
	const struct profile *p = x->p;
	uint32_t *votes = mem_zalloc((p->frames.nr + 1ul) * sizeof(*votes));

	x->file_of_frame = mem_zalloc((p->frames.nr + 1ul) * sizeof(*x->file_of_frame));
	for (uint32_t i = 0; i < p->places.nr; i++) {
		uint32_t frame = p->places.v[i].frame, file = p->places.v[i].file;

		if (!file)
			continue;
		if (!votes[frame])
			x->file_of_frame[frame] = file;
		votes[frame] += x->file_of_frame[frame] == file ? 1 : -1u;
	}
	free(votes);
}

/* Of what is written, and not of what the filter took out. What was lost is not known to be either. */
static void measure(const struct export *x, struct quality *q)
{
	for (uint32_t i = 0; i < x->samples.nr; i++)
		quality_add_sample(q, x->p, x->samples.v[i]);
	quality_finish(q, x->p);
}

struct export_result export_profile(struct out *o, struct profile *p, const struct filter *filter, struct quality *quality,
				    const struct export_options *options)
{
	struct export x = { .o = o, .p = p, .quality = quality, .options = options, .time_ns = p->samples.time_ns };
	struct export_result result;

	x.weight_is_period = options->periods || recording_has_sums(p->recording);
	x.nr_of_task = mem_zalloc((p->tasks.nr + 1ul) * sizeof(*x.nr_of_task));
	choose_samples(&x, filter);
	if (quality)
		measure(&x, quality);
	x.has_times = x.last_ns;
	/* Imported samples without times: what is known of the whole. */
	if (!x.has_times && p->recording->has_names && p->recording->info->features >> FEAT_SAMPLE_TIME & 1) {
		x.first_ns = p->recording->info->first_sample_ns;
		x.last_ns = p->recording->info->last_sample_ns;
	}
	name_frames(&x);
	find_files(&x);
	export_format_writer(options->format)(&x);
	result = (struct export_result){ .nr_samples = x.samples.nr, .is_laid_out = x.ns_per_count };
	vec_fini(&x.samples);
	vec_fini(&x.events);
	free(x.nr_of_task);
	free(x.name_of_frame);
	free(x.file_of_frame);
	free(x.laid_times);
	free(x.laid_ns);
	return result;
}
