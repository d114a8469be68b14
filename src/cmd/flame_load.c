/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reading for flame graphs: which event is drawn, in which unit, and the samples of a profile, part by part, into a tree; for --diff, each
 * recording into a column of one tree.
 */
#include "cmd/flame.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "abi/offcpu.h"
#include "base/log.h"
#include "cmd/cmd.h"
#include "cmd/diff.h"
#include "cmd/input.h"
#include "model/profile.h"
#include "view/page.h"

void flame_load_fini(struct flame_load *fl)
{
	free(fl->event_names);
	free(fl->other_events);
	free(fl->command);
	free(fl->own_unit);
}

/* Recordings */

struct flame_recording {
	struct flame_load *fl;
	struct flame *f;
	uint32_t column;
	struct input *in;
	struct profile *p;
	bool event_chosen;
};

static int32_t first_event(const struct profile *p)
{
	int32_t first = INT32_MAX;

	for (uint32_t i = 0; i < p->samples.nr; i++)
		if (p->samples.event[i] < first)
			first = p->samples.event[i];
	return first == INT32_MAX ? -1 : first;
}

static int unknown_event(const struct flame_recording *r, struct errbuf *eb)
{
	const struct flame_load *like = r->fl->like;
	char *list = input_event_names(r->in);

	if (like)
		errbuf_set(eb, -EINVAL, "%s has no event '%s' to compare with; it has: %s", input_name(r->in), like->event_names, list);
	else
		errbuf_set(eb, -EINVAL, "--event: %s has no event '%s'; it has: %s", input_name(r->in), r->fl->event, list);
	free(list);
	return -EINVAL;
}

static bool is_by(const struct flame_options *o, enum flame_group by)
{
	for (uint32_t i = 0; i < o->nr_by; i++)
		if (o->by[i] == by)
			return true;
	return false;
}

static bool has_cpus(const struct flame_recording *r)
{
	const struct perfdata_info *info = r->p->recording->info;
	int32_t event = r->fl->options.event;

	for (uint32_t i = 0; i < info->events.nr; i++)
		if ((event < 0 || event == (int32_t)i) && info->events.v[i].attr.sample_type & SAMPLE_CPU)
			return true;
	return !info->events.nr;
}

/* Imported ones may not say. */
static bool has_tids(const struct flame_recording *r)
{
	for (uint32_t i = 0; i < r->p->tasks.nr; i++)
		if (r->p->tasks.v[i].tid > 0 || !strcmp(profile_str(r->p, r->p->tasks.v[i].comm), "swapper"))
			return true;
	return !r->p->recording->is_imported || !r->p->samples.nr;
}

/* Trees by something that is not recorded would be one tree with a wrong name. */
static int check_groups(const struct flame_recording *r, struct errbuf *eb)
{
	const struct flame_options *o = &r->fl->options;

	if (is_by(o, FLAME_BY_CPU) && !has_cpus(r))
		return errbuf_set(eb, -EINVAL, "--by cpu: %s does not say on which CPU its samples were taken; %s", input_name(r->in),
				  r->p->recording->is_imported ? "group by something else"
							       : "group by something else, or record with --sample-cpu or -a");
	if ((is_by(o, FLAME_BY_TID) || is_by(o, FLAME_BY_PID)) && !has_tids(r))
		return errbuf_set(eb, -EINVAL, "--by %s: %s does not say in which %s its samples were taken; leave --by out",
				  is_by(o, FLAME_BY_TID) ? "tid" : "pid", input_name(r->in), is_by(o, FLAME_BY_TID) ? "thread" : "process");
	return 0;
}

static bool is_clock(const struct attr *a)
{
	return a->type == ATTR_TYPE_SOFTWARE && a->config <= 1; /* cpu-clock, task-clock: periods are nanoseconds */
}

/* Times on and off the CPU add up where both are times. */
static int check_states(const struct flame_recording *r, struct errbuf *eb)
{
	const struct perfdata_info *info = r->p->recording->info;
	bool is_off_known = false;

	for (uint32_t i = 0; i < info->events.nr; i++)
		is_off_known |= offcpu_is_event(&info->events.v[i].attr, info->events.v[i].name);
	if (!is_off_known)
		return errbuf_set(eb, -EINVAL, "--by state: %s has no times off the CPU; record with --off-cpu", input_name(r->in));
	for (uint32_t i = 0; i < info->events.nr; i++) {
		const struct perfdata_event *e = &info->events.v[i];

		if ((r->fl->options.event >= 0 && r->fl->options.event != (int32_t)i) || is_clock(&e->attr) || attr_is_dummy(&e->attr) ||
		    offcpu_is_event(&e->attr, e->name))
			continue;
		return errbuf_set(eb, -EINVAL,
				  "--by state: %s has samples of %s, which counts something else than time; record with -e cpu-clock "
				  "--off-cpu, or draw the times off the CPU alone with -e " OFFCPU_EVENT_NAME,
				  input_name(r->in), e->name);
	}
	return 0;
}

static bool is_off_cpu(const struct flame_load *fl, const struct perfdata_info *info)
{
	int32_t event = fl->options.event;

	return event >= 0 && offcpu_is_event(&info->events.v[event].attr, info->events.v[event].name);
}

/* Of a pipe the events are known when records come. */
static int choose_event(struct flame_recording *r, struct errbuf *eb)
{
	const struct perfdata_info *info = r->p->recording->info;
	struct flame_options *o = &r->fl->options;
	const char *want = r->fl->event;

	if (r->event_chosen)
		return 0;
	r->event_chosen = true;
	o->event = -1;
	if (!want && !is_by(o, FLAME_BY_EVENT) && !is_by(o, FLAME_BY_STATE) && !r->fl->is_pair)
		o->event = first_event(r->p);
	for (uint32_t i = 0; want && strcmp(want, "all") && i < info->events.nr; i++)
		if (o->event < 0 && !strcmp(info->events.v[i].name, want))
			o->event = (int32_t)i;
	if (r->fl->like && r->fl->like->options.event >= 0)
		o->event = (int32_t)sides_find_event(info, r->fl->like->event_names, r->fl->like->event_type, r->fl->like->event_config);
	if (r->fl->like && r->fl->like->options.event >= 0 ? o->event < 0 : want && strcmp(want, "all") && o->event < 0)
		return unknown_event(r, eb);
	/* How often a task was off its CPU says nothing. */
	if (o->event >= 0 && is_off_cpu(r->fl, info))
		o->weight = FLAME_PERIODS;
	if (o->event >= 0) {
		r->fl->event_type = info->events.v[o->event].attr.type;
		r->fl->event_config = info->events.v[o->event].attr.config;
	}
	if (is_by(o, FLAME_BY_STATE)) {
		int err = check_states(r, eb);

		if (err)
			return err;
	}
	return check_groups(r, eb);
}

static void add_columns(struct flame_recording *r)
{
	struct flame_options o = r->fl->options;

	if (!r->fl->is_pair) {
		flame_add(r->f, r->column, r->p, &r->in->filter, &o);
		return;
	}
	for (o.event = 0; o.event < 2; o.event++)
		flame_add(r->f, (uint32_t)o.event, r->p, &r->in->filter, &o);
}

/* Makes paths of the samples that were read, and forgets them. */
static int take_part(void *ctx, bool is_last, struct errbuf *eb)
{
	struct flame_recording *r = ctx;
	int err = choose_event(r, eb);

	if (err)
		return err;
	r->fl->options.quality = r->in->is_judged ? &r->in->quality : NULL;
	add_columns(r);
	r->p->samples.nr = 0;
	if (!is_last)
		profile_forget(r->p);
	return 0;
}

static bool is_time(const struct perfdata_event *e)
{
	return is_clock(&e->attr) || offcpu_is_event(&e->attr, e->name);
}

/* What periods are counted in. Names of other tools live as long as the session. */
static void tell_unit(struct flame_load *fl, const struct recording *r)
{
	int32_t event = fl->options.event;
	const char *known = event >= 0 ? recording_event_unit(r, (uint32_t)event) : NULL;

	if (fl->is_pair)
		return;
	if (is_by(&fl->options, FLAME_BY_STATE))
		fl->unit = "ns";
	else if (event < 0)
		fl->unit = "events";
	else if (known && *known)
		fl->unit = fl->own_unit = mem_strdup(known);
	else
		fl->unit = is_time(&r->info->events.v[event]) ? "ns" : fl->event_names;
}

static void tell_events(struct flame_load *fl, const struct recording *r)
{
	const struct perfdata_info *info = r->info;
	int32_t event = fl->options.event;

	fl->event_names = fl->is_pair ? NULL
				      : mem_strdup(event >= 0		 ? info->events.v[event].name
						   : info->events.nr > 1 ? "all events"
						   : info->events.nr	 ? info->events.v[0].name
									 : "no event");
	fl->is_sum = recording_has_sums(r) || fl->count_name || fl->factor > 0 || fl->options.weight == FLAME_DURATIONS ||
		     is_by(&fl->options, FLAME_BY_STATE) || is_off_cpu(fl, info);
	fl->unit = "samples";
	if (fl->options.weight == FLAME_PERIODS)
		tell_unit(fl, r);
	else if (fl->options.weight == FLAME_DURATIONS)
		fl->unit = "ns";
	if (fl->count_name)
		fl->unit = fl->count_name;
}

/* What was put into `o`, as a string of its own; NULL: nothing was. */
static char *text_of(struct out *o)
{
	char *text = o->len ? mem_strndup(o->buf, o->len) : NULL;

	out_fini(o);
	return text;
}

static void tell_others(struct flame_load *fl, const struct perfdata_info *info)
{
	struct out names;

	out_init(&names, -1);
	for (uint32_t i = 0; fl->options.event >= 0 && i < info->events.nr; i++)
		if ((int32_t)i != fl->options.event && !attr_is_dummy(&info->events.v[i].attr))
			out_printf(&names, "%s%s", names.len ? ", " : "", info->events.v[i].name);
	free(fl->other_events);
	fl->other_events = text_of(&names);
}

static void tell_command(struct flame_load *fl, const struct perfdata_info *info)
{
	struct out words;

	out_init(&words, -1);
	for (uint32_t i = 0; i < info->nr_cmdline; i++) {
		const char *word = info->cmdline[i], *slash = i ? NULL : strrchr(word, '/');

		out_printf(&words, "%s%s", i ? " " : "", slash ? slash + 1 : word);
	}
	free(fl->command);
	fl->command = text_of(&words);
}

static int look_for_pair(struct flame_recording *r, struct errbuf *eb)
{
	struct flame_load *fl = r->fl;

	fl->is_pair = r->f->nr_columns == 1 && recording_is_pair(r->p->recording) && !fl->event && !is_by(&fl->options, FLAME_BY_EVENT);
	if (fl->is_pair) {
		flame_fini(r->f);
		flame_init(r->f, 2);
	} else if (fl->pair_only) {
		return errbuf_set(eb, CMD_USAGE,
				  "flame: %s is for comparisons: 'assay flame --diff BASE NEW', or folded stacks with two counts each",
				  fl->pair_only);
	}
	return 0;
}

/* As the other commands do, but a file that is redirected is meant to be read, too, if it is one: the loop that we run in may be reading
 * its list from there. */
int flame_load_choose(struct input *in, struct errbuf *eb)
{
	bool is_here = !access("perf.data", F_OK);
	struct stat st;

	if (in->path)
		return 0;
	if (!fstat(STDIN_FILENO, &st) && (S_ISREG(st.st_mode) || S_ISSOCK(st.st_mode))) {
		if (S_ISSOCK(st.st_mode) || !is_here || input_import_is_profile(STDIN_FILENO)) {
			in->path = "-";
			return 0;
		}
		/* One at its beginning was meant as our input. */
		if (st.st_size && !lseek(STDIN_FILENO, 0, SEEK_CUR))
			log_warn("standard input is neither a recording nor a profile: reading perf.data instead");
	}
	in->path = input_default_path(in->recorder, eb);
	return in->path ? 0 : -ENOENT;
}

int flame_load(struct flame_load *fl, struct flame *f, uint32_t column, struct input *in, struct errbuf *eb)
{
	struct flame_recording r = { .fl = fl, .f = f, .column = column, .in = in };
	const struct recording *rec;
	int err;

	in->takes_pairs = f->nr_columns == 1;
	in->by_duration = fl->options.weight == FLAME_DURATIONS;
	err = input_open(in, false, eb);
	if (err)
		goto out;
	r.p = in->profile;
	rec = r.p->recording;
	err = look_for_pair(&r, eb);
	if (err)
		goto out;
	fl->is_imported = recording_has_whole_stacks(rec);
	/* Imported sums weigh what they are, whatever was asked for: how many there are says nothing. */
	if (recording_has_sums(rec))
		fl->options.weight = FLAME_PERIODS;
	if (is_by(&fl->options, FLAME_BY_STATE))
		fl->options.weight = FLAME_PERIODS;
	r.p->tells_builds = f->nr_columns > 1;
	r.p->source = fl->inlines ? PROFILE_INLINES : PROFILE_SYMBOLS;
	fl->options.match = fl->match;
	err = input_load(in, &(struct input_load){ .match = fl->match, .take_part = take_part, .ctx = &r, .trusts_whole_stacks = true },
			 eb);
	if (err)
		goto out;
	if (in->quality.nr_samples && !in->quality.has_stacks)
		log_warn("%s has no call chains, so that stacks are of one frame: record with --call-graph dwarf", input_name(in));
	tell_events(fl, rec);
	tell_others(fl, rec->info);
	tell_command(fl, rec->info);
	err = input_finish(in, eb);
out:
	input_close(in);
	return err;
}

/* Filters are shared but for times, which are of each recording. What its stacks are worth counts with those of the first. */
static int load_other(const struct flame_load *first, struct flame *f, const struct sides *s, uint32_t column, struct input *like,
		      struct errbuf *eb)
{
	struct flame_load fl = {
		.options = first->options, .event = first->event, .like = first, .match = first->match, .inlines = first->inlines
	};
	char *time = sides_time_of(like->times, column);
	struct input in = *like;
	int err;

	in.path = s->names.v[column];
	memset(&in.filter.times, 0, sizeof(in.filter.times));
	quality_init(&in.quality);
	in.quality_known = in.quality_shown = false;
	err = time ? filter_set_time(&in.filter, time, eb) : 0;
	if (!err)
		err = flame_load(&fl, f, column, &in, eb);
	quality_merge(&like->quality, &in.quality);
	free(time);
	vec_fini(&in.filter.times);
	quality_fini(&in.quality);
	flame_load_fini(&fl);
	return err;
}

static int load_first(struct flame_load *fl, struct flame *f, const struct sides *s, struct input *in, struct errbuf *eb)
{
	char *time = sides_time_of(in->times, 0);
	int err = 0;

	in->path = s->names.v[0];
	if (time && strchr(in->times, ':'))
		err = filter_set_time(&in->filter, time, eb);
	if (!err)
		err = flame_load(fl, f, 0, in, eb);
	in->filter.time_arg = in->times; /* what the picture says */
	free(time);
	return err;
}

int flame_columns_load(struct flame_load *fl, struct flame *f, const struct sides *s, struct input *in, uint32_t *nr_read,
		       struct errbuf *eb)
{
	int first_err = 0;

	for (*nr_read = 0; *nr_read < s->names.nr; ++*nr_read) {
		struct errbuf one = { 0 };
		int err;

		if (!*nr_read) {
			err = load_first(fl, f, s, in, &one);
		} else {
			err = load_other(fl, f, s, *nr_read, in, &one);
		}
		/* Where nothing came of it there is nothing to compare. */
		if (err && (!first_err || !f->sum[*nr_read]))
			*eb = one;
		if (err && !f->sum[*nr_read])
			return err;
		first_err = first_err ? first_err : err;
	}
	return first_err;
}

static bool has_samples(const struct flame *f, const struct sides *s, uint32_t side)
{
	for (uint32_t i = 0; i < s->side_of.nr; i++)
		if (s->side_of.v[i] == side && f->sum[i])
			return true;
	return false;
}

uint32_t flame_columns_check(const struct flame *f, const struct sides *s, const struct flame_load *first, bool quiet)
{
	uint32_t empty = f->nr_columns;

	for (uint32_t i = 0; i < f->nr_columns; i++) {
		if (f->sum[i])
			continue;
		if (!has_samples(f, s, s->side_of.v[i]))
			empty = empty < i ? empty : i;
		else if (!quiet)
			log_warn("%s has no samples%s%s and is left out", s->names.v[i], first->event_names ? " of " : "",
				 first->event_names ? first->event_names : "");
	}
	return empty;
}

static void put_side(struct out *o, const struct flame *f, const struct sides *s, uint32_t side, const struct flame_load *first_load)
{
	uint32_t nr = sides_count(s, side), first = 0;
	uint64_t nr_samples = 0;

	while (s->side_of.v[first] != side)
		first++;
	for (uint32_t i = 0; i < nr; i++)
		nr_samples += first_load->is_sum ? f->sum[first + i] : f->nr_samples[first + i];
	out_str(o, s->names.v[first]);
	if (nr > 1)
		out_printf(o, " and %u more", nr - 1);
	out_str(o, " (");
	svg_text_scaled(o, nr_samples, first_load->factor);
	out_printf(o, " %s)", first_load->is_sum ? first_load->unit : "samples");
}

char *flame_columns_title(const struct flame *f, const struct sides *s, const struct flame_load *first)
{
	struct out o;

	out_init(&o, -1);
	put_side(&o, f, s, 0, first);
	out_str(&o, " → ");
	put_side(&o, f, s, 1, first);
	if (first->event_names)
		out_printf(&o, " · %s", first->event_names);
	out_char(&o, 0);
	return o.buf; /* changes hands */
}
