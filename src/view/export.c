/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Shared by all writers: which samples are written, their quality, names of unresolved functions, units of periods; formats by name and by
 * file.
 */
#include "view/export.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "model/sample_groups.h"

#define ROW(id, name, summary, suffix, is_gzip, is_binary)                                                                                 \
	[EXPORT_##id] = { { #name, summary, suffix, is_gzip, is_binary }, export_##name },
static const struct {
	struct export_format_info info;
	export_fn *write;
} formats[EXPORT_NR_FORMATS] = { EXPORT_FORMATS(ROW) };

const struct export_format_info *export_format_get(enum export_format format)
{
	return &formats[format].info;
}

int export_format_find(const char *name)
{
	for (int i = 0; i < EXPORT_NR_FORMATS; i++)
		if (!strcmp(formats[i].info.name, name))
			return i;
	return -ENOENT;
}

static bool ends_with(const char *s, size_t len, const char *suffix)
{
	size_t n = strlen(suffix);

	return len > n && !memcmp(s + len - n, suffix, n);
}

int export_format_guess(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t len = strlen(name);

	if (ends_with(name, len, ".gz"))
		len -= 3;
	if (!strncmp(name, "callgrind.out", 13))
		return EXPORT_CALLGRIND;
	if (ends_with(name, len, ".collapsed"))
		return EXPORT_FOLDED;
	if (ends_with(name, len, ".pprof"))
		return EXPORT_PPROF;
	for (int i = 0; i < EXPORT_NR_FORMATS; i++)
		if (formats[i].info.suffix && ends_with(name, len, formats[i].info.suffix))
			return i;
	return -ENOENT;
}

/* ---- what is asked for by another name ---- */

static const struct {
	const char *words; /* apart by blanks */
	const char *hint;
} hints[] = {
	{ "collapsed collapse stackcollapse flamegraph stacks", "folded stacks are --format folded" },
	{ "perfetto trace tracing catapult trace-event chrome-trace chrometracing", "Perfetto and chrome://tracing read --format chrome" },
	{ "json", "JSON is what firefox, speedscope and chrome read: name one of them, as in --format firefox" },
	{ "gecko mozilla firefox-profiler", "the Firefox Profiler reads --format firefox" },
	{ "proto protobuf pb go gperftools perftools", "profile.proto is --format pprof" },
	{ "kcachegrind qcachegrind cachegrind valgrind", "KCachegrind reads --format callgrind" },
	{ "tsv excel spreadsheet table", "tables are --format csv" },
	{ "svg html flame", "pictures are made by 'assay flame'" },
	{ "script perf-script text txt", "samples as text are printed by 'assay script'" },
	{ "perf perf.data data", "a perf.data is what 'assay import' writes" },
};

static bool has_word(const char *words, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = words; len && *at; at += strcspn(at, " "), at += *at == ' ')
		if (strcspn(at, " ") == len && !strncasecmp(at, word, len))
			return true;
	return false;
}

const char *export_format_hint(const char *word)
{
	for (size_t i = 0; i < sizeof(hints) / sizeof(*hints); i++)
		if (has_word(hints[i].words, word))
			return hints[i].hint;
	return NULL;
}

/* By what stands behind the last dot. */
const char *export_format_hint_of_file(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *hint;
	size_t len = strlen(name);
	char *copy, *dot;

	if (ends_with(name, len, ".gz"))
		len -= 3;
	copy = mem_strndup(name, len);
	dot = strrchr(copy, '.');
	hint = dot ? export_format_hint(dot + 1) : NULL;
	free(copy);
	return hint;
}

#define SW_CPU_CLOCK 0
#define SW_TASK_CLOCK 1
#define NS_PER_S UINT64_C(1000000000)

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

	if (*comm || !x->p->recording->is_imported)
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

void export_init(struct export *x, struct out *o, struct profile *p, const struct filter *filter, struct quality *quality,
		 const struct export_options *options)
{
	*x = (struct export){ .o = o, .p = p, .quality = quality, .options = options, .time_ns = p->samples.time_ns };
	x->weight_is_period = options->periods || recording_has_sums(p->recording);
	x->nr_of_task = mem_zalloc((p->tasks.nr + 1ul) * sizeof(*x->nr_of_task));
	choose_samples(x, filter);
	if (quality)
		measure(x, quality);
	x->has_times = x->last_ns;
	/* Imported samples without times: what is known of the whole. */
	if (!x->has_times && p->recording->is_imported && p->recording->info->features >> FEAT_SAMPLE_TIME & 1) {
		x->first_ns = p->recording->info->first_sample_ns;
		x->last_ns = p->recording->info->last_sample_ns;
	}
	name_frames(x);
	find_files(x);
}

void export_fini(struct export *x)
{
	vec_fini(&x->samples);
	vec_fini(&x->events);
	free(x->nr_of_task);
	free(x->name_of_frame);
	free(x->file_of_frame);
	free(x->laid_times);
	free(x->laid_ns);
}

struct export_result export_profile(struct out *o, struct profile *p, const struct filter *filter, struct quality *quality,
				    const struct export_options *options)
{
	struct export_result result;
	struct export x;

	export_init(&x, o, p, filter, quality, options);
	formats[options->format].write(&x);
	result = (struct export_result){ .nr_samples = x.samples.nr, .is_laid_out = x.ns_per_count };
	export_fini(&x);
	return result;
}
