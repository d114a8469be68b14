/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The table of formats, and what all writers need: which samples are written, what functions without a name are called, what an event's
 * periods mean, what there is to say of the recording.
 */
#include "view/export.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view/quality_text.h"

#define SW_CPU_CLOCK  0
#define SW_TASK_CLOCK 1
#define NS_PER_S      UINT64_C(1000000000)

static const struct {
	struct export_format_info info;
	export_fn *write;
} formats[EXPORT_NR_FORMATS] = {
	[EXPORT_FOLDED] = { { "folded", "stacks as text, one line each, for flame graph scripts", ".folded", false, false }, export_folded },
	[EXPORT_PPROF] = { { "pprof", "gzipped profile.proto, for go tool pprof and its relatives", ".pb", true, true }, export_pprof },
	[EXPORT_FIREFOX] = { { "firefox", "processed profile, for profiler.firefox.com", NULL, false, false }, export_firefox },
	[EXPORT_SPEEDSCOPE] = { { "speedscope", "for speedscope", ".speedscope.json", false, false }, export_speedscope },
	[EXPORT_CHROME] = { { "chrome", "trace events, for Perfetto and chrome://tracing", NULL, false, false }, export_chrome },
	[EXPORT_CALLGRIND] = { { "callgrind", "for KCachegrind and callgrind_annotate", ".callgrind", false, false }, export_callgrind },
	[EXPORT_CSV] = { { "csv", "one line for each sample, for spreadsheets and scripts", ".csv", false, false }, export_csv },
};

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

enum export_kind export_kind_of(const struct export *x, uint32_t place)
{
	const struct profile_location *l = &x->p->locations.v[x->p->places.v[place].location];
	enum module_kind kind = profile_dso(x->p, l->at.dso)->kind;

	if (l->cpumode == MISC_KERNEL || l->cpumode == MISC_GUEST_KERNEL || l->cpumode == MISC_HYPERVISOR || kind == MODULE_KERNEL ||
	    kind == MODULE_KMODULE)
		return EXPORT_KERNEL;
	return kind == MODULE_JIT ? EXPORT_JIT : EXPORT_USER;
}

uint64_t export_addr(const struct profile_location *l)
{
	return l->is_caller && l->at.addr ? l->at.addr - 1 : l->at.addr;
}

const char *export_event_name(const struct export *x, uint32_t event)
{
	return x->p->session->info->events.v[event].name;
}

bool export_has_cpu(const struct export *x, uint32_t event)
{
	return x->p->session->info->events.v[event].attr.sample_type & SAMPLE_CPU;
}

bool export_is_clock(const struct export *x, uint32_t event)
{
	const struct attr *a = &x->p->session->info->events.v[event].attr;

	return a->type == ATTR_TYPE_SOFTWARE && (a->config == SW_CPU_CLOCK || a->config == SW_TASK_CLOCK);
}

uint64_t export_interval_ns(const struct export *x, uint32_t event)
{
	const struct attr *a = &x->p->session->info->events.v[event].attr;

	if (!a->sample_period)
		return 0;
	if (a->flags & ATTR_FREQ)
		return NS_PER_S / a->sample_period;
	return export_is_clock(x, event) ? a->sample_period : 0;
}

uint64_t export_wall_ns(const struct export *x)
{
	const struct perfdata_info *info = x->p->session->info;
	uint64_t captured_ns = (uint64_t)info->captured_time * NS_PER_S;

	if (info->features >> FEAT_CLOCK_DATA & 1 && info->clock_tod_ns)
		return info->clock_tod_ns + x->first_ns - info->clock_ref_ns;
	/* When the file was last written: the end of the recording. */
	return info->captured_time > 0 && captured_ns > x->last_ns - x->first_ns ? captured_ns - (x->last_ns - x->first_ns) : 0;
}

char *export_command(const struct export *x)
{
	const struct perfdata_info *info = x->p->session->info;
	struct out o;

	out_init(&o, -1);
	for (uint32_t i = 0; i < info->nr_cmdline; i++) {
		if (i)
			out_char(&o, ' ');
		out_str(&o, info->cmdline[i]);
	}
	out_char(&o, 0);
	return o.buf; /* changes hands */
}

struct telling {
	export_note_fn *tell;
	void *ctx;
	uint32_t nr_warnings;
};

/* Labels are keys in some formats: no two are the same. */
static void tell_loud(void *ctx, bool is_loud, const char *text)
{
	struct telling *t = ctx;
	char label[24] = "warning";

	if (!is_loud)
		return;
	if (t->nr_warnings++)
		snprintf(label, sizeof(label), "warning %u", t->nr_warnings);
	t->tell(t->ctx, label, text);
}

static bool tell_imported(const struct export *x, export_note_fn *tell, void *ctx)
{
	const struct embedded_names *n = &x->p->session->names;

	for (uint32_t i = 0; i < n->notes.nr; i++) {
		const char *note = n->notes.v[i], *colon = strstr(note, ": ");
		char *label = colon ? mem_strndup(note, (size_t)(colon - note)) : mem_strdup("note");

		tell(ctx, label, colon ? colon + 2 : note);
		free(label);
	}
	return n->notes.nr;
}

void export_notes(const struct export *x, export_note_fn *tell, void *ctx)
{
	const struct perfdata_info *info = x->p->session->info;
	struct telling t = { tell, ctx, 0 };
	char *command, line[QUALITY_LINE_SIZE];

	/* What was said of it where it was imported from. */
	if (tell_imported(x, tell, ctx))
		return;
	command = export_command(x);
	if (*command)
		tell(ctx, "command", command);
	if (info->hostname)
		tell(ctx, "host", info->hostname);
	if (info->osrelease)
		tell(ctx, "kernel", info->osrelease);
	if (info->cpudesc)
		tell(ctx, "cpu", info->cpudesc);
	if (x->quality) {
		quality_line(x->quality, line, sizeof(line));
		tell(ctx, "quality", line);
		quality_notes(x->quality, tell_loud, &t);
	}
	free(command);
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

struct chooser {
	const struct profile *p;
	const struct filter *filter;
	uint8_t *of_task, *of_location; /* 0: not asked, 1: no, 2: yes */
};

static bool keeps_location(const struct chooser *c, uint32_t location)
{
	const struct profile_location *l = &c->p->locations.v[location];
	const struct profile_place *places = &c->p->places.v[l->first_place];

	/* The inlined function that was sampled, or the one that was really called. */
	return filter_keeps_place(c->filter, c->p, l->at.dso, places[0].frame) ||
	       filter_keeps_place(c->filter, c->p, l->at.dso, places[l->nr_places - 1].frame);
}

static bool keeps(const struct chooser *c, uint32_t sample)
{
	uint32_t task = c->p->samples.task[sample], location = c->p->samples.location[sample];

	if (!c->filter)
		return true;
	if (!c->of_task[task])
		c->of_task[task] = filter_keeps_task(c->filter, c->p, task) ? 2 : 1;
	if (!c->of_location[location])
		c->of_location[location] = keeps_location(c, location) ? 2 : 1;
	return c->of_task[task] == 2 && c->of_location[location] == 2;
}

static void choose_samples(struct export *x, const struct filter *filter)
{
	const struct profile_samples *s = &x->p->samples;
	struct chooser c = { x->p, filter, mem_zalloc(x->p->tasks.nr + 1ul), mem_zalloc(x->p->locations.nr + 1ul) };
	uint32_t nr_events = x->p->session->info->events.nr;
	bool *has_event = mem_zalloc(nr_events + 1ul);

	for (uint32_t i = 0; i < s->nr; i++) {
		if ((x->options->event >= 0 && s->event[i] != x->options->event) || !keeps(&c, i))
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
	free(c.of_task);
	free(c.of_location);
}

static uint32_t name_unresolved(struct profile *p, uint32_t dso)
{
	const struct dso *d = profile_dso(p, dso);
	const char *name = dso == DSO_NONE || !*d->short_name ? "unknown" : d->short_name;
	char *text = *name == '[' ? mem_strdup(name) : mem_printf("[%s]", name);
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

void export_profile(struct out *o, struct profile *p, const struct filter *filter, const struct quality *quality,
		    const struct export_options *options)
{
	struct export x = { .o = o, .p = p, .quality = quality, .options = options };

	x.nr_of_task = mem_zalloc((p->tasks.nr + 1ul) * sizeof(*x.nr_of_task));
	choose_samples(&x, filter);
	/* Imported samples without times: what is known of the whole. */
	if (!x.last_ns && p->session->has_names && p->session->info->features >> FEAT_SAMPLE_TIME & 1) {
		x.first_ns = p->session->info->first_sample_ns;
		x.last_ns = p->session->info->last_sample_ns;
	}
	name_frames(&x);
	find_files(&x);
	formats[options->format].write(&x);
	vec_fini(&x.samples);
	vec_fini(&x.events);
	free(x.nr_of_task);
	free(x.name_of_frame);
	free(x.file_of_frame);
}
