/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reading for flame graphs. A recording goes through a profile; one whose stacks are all different goes through it in parts, so that
 * memory is the stacks as numbers and not the profile of all of them.
 */
#include "cmd/flame_load.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/log.h"
#include "base/progress.h"
#include "cmd/cmd.h"
#include "cmd/input_import.h"
#include "cmd/sides.h"
#include "model/profile.h"

#define PART_BYTES (48u << 20) /* of stacks in the profile, at most */
#define SMALL_PART_BYTES (12u << 20) /* the same where few are met again: what the CPU's caches hold is found faster */
#define CHECK_EVERY 4096	/* records */

void flame_load_fini(struct flame_load *fl)
{
	free(fl->event_names);
	free(fl->command);
	free(fl->own_unit);
}

/* Recordings */

struct flame_recording {
	struct flame_load *fl;
	struct flame *f;
	uint32_t column;
	struct input *in;
	struct session *s;
	struct profile p;
	struct programs programs;
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
	const struct perfdata_info *info = r->s->recording.info;
	const struct flame_load *like = r->fl->like;
	char *list = mem_strdup("");

	for (uint32_t i = 0; i < info->events.nr; i++) {
		char *longer = mem_printf("%s%s%s", list, i ? ", " : "", info->events.v[i].name);

		free(list);
		list = longer;
	}
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
	const struct perfdata_info *info = r->s->recording.info;
	int32_t event = r->fl->options.event;

	for (uint32_t i = 0; i < info->events.nr; i++)
		if ((event < 0 || event == (int32_t)i) && info->events.v[i].attr.sample_type & SAMPLE_CPU)
			return true;
	return !info->events.nr;
}

/* Imported ones may not say. */
static bool has_tids(const struct flame_recording *r)
{
	for (uint32_t i = 0; i < r->p.tasks.nr; i++)
		if (r->p.tasks.v[i].tid > 0 || !strcmp(profile_str(&r->p, r->p.tasks.v[i].comm), "swapper"))
			return true;
	return !r->s->recording.has_names || !r->p.samples.nr;
}

/* Trees by what nobody knows would be one, under a name that is wrong. */
static int check_groups(const struct flame_recording *r, struct errbuf *eb)
{
	const struct flame_options *o = &r->fl->options;

	if (is_by(o, FLAME_BY_CPU) && !has_cpus(r))
		return errbuf_set(eb, -EINVAL, "--by cpu: %s does not say on which CPU its samples were taken; %s", input_name(r->in),
				  r->s->recording.has_names ? "group by something else" : "group by something else, or record with --sample-cpu or -a");
	if ((is_by(o, FLAME_BY_TID) || is_by(o, FLAME_BY_PID)) && !has_tids(r))
		return errbuf_set(eb, -EINVAL, "--by %s: %s does not say in which %s its samples were taken; leave --by out",
				  is_by(o, FLAME_BY_TID) ? "tid" : "pid", input_name(r->in), is_by(o, FLAME_BY_TID) ? "thread" : "process");
	return 0;
}

/* Of a pipe the events are known when records come. */
static int choose_event(struct flame_recording *r, struct errbuf *eb)
{
	const struct perfdata_info *info = r->s->recording.info;
	struct flame_options *o = &r->fl->options;
	const char *want = r->fl->event;

	if (r->event_chosen)
		return 0;
	r->event_chosen = true;
	o->event = -1;
	if (!want && !is_by(o, FLAME_BY_EVENT) && !r->fl->is_pair)
		o->event = first_event(&r->p);
	for (uint32_t i = 0; want && strcmp(want, "all") && i < info->events.nr; i++)
		if (o->event < 0 && !strcmp(info->events.v[i].name, want))
			o->event = (int32_t)i;
	if (r->fl->like && r->fl->like->options.event >= 0)
		o->event = (int32_t)sides_find_event(info, r->fl->like->event_names, r->fl->like->event_type, r->fl->like->event_config);
	if (r->fl->like && r->fl->like->options.event >= 0 ? o->event < 0 : want && strcmp(want, "all") && o->event < 0)
		return unknown_event(r, eb);
	if (o->event >= 0) {
		r->fl->event_type = info->events.v[o->event].attr.type;
		r->fl->event_config = info->events.v[o->event].attr.config;
	}
	return check_groups(r, eb);
}

static void add_columns(struct flame_recording *r)
{
	struct flame_options o = r->fl->options;

	if (!r->fl->is_pair) {
		flame_add(r->f, r->column, &r->p, &r->in->filter, &o);
		return;
	}
	for (o.event = 0; o.event < 2; o.event++)
		flame_add(r->f, (uint32_t)o.event, &r->p, &r->in->filter, &o);
}

/* Makes paths of the samples that were read, and forgets them. */
static int take_part(struct flame_recording *r, struct errbuf *eb)
{
	struct quality *q = &r->in->quality;
	/* Stacks that are taken at their word need no judge, unless they were cut here. */
	bool is_judged = !r->fl->is_imported || r->p.has_cut_chains;
	int err = choose_event(r, eb);

	if (err)
		return err;
	profile_symbolize(&r->p);
	for (uint32_t i = 0; is_judged && i < r->p.samples.nr; i++)
		quality_add_sample(q, &r->p, i);
	quality_settle(q, &r->p);
	r->fl->options.quality = is_judged ? q : NULL;
	add_columns(r);
	r->p.samples.nr = 0;
	return 0;
}

static int read_recording(struct flame_recording *r, struct errbuf *eb)
{
	struct session_record sr;
	struct progress progress;
	uint64_t nr = 0;
	int ret;

	progress_init(&progress, "reading", r->s->source->total_bytes);
	while ((ret = session_next(r->s, &sr, eb)) > 0) {
		if (r->fl->match)
			programs_see(&r->programs, &sr);
		if (sr.header->type == RECORD_SAMPLE && filter_keeps_sample(&r->in->filter, &sr))
			profile_add(&r->p, &sr);
		if (++nr % CHECK_EVERY)
			continue;
		progress_update(&progress, r->s->source->done_bytes);
		if (profile_size_bytes(&r->p) > (r->p.nr_found < r->p.chains.nr ? SMALL_PART_BYTES : PART_BYTES)) {
			ret = take_part(r, eb);
			if (ret)
				break;
			profile_forget(&r->p);
		}
	}
	progress_fini(&progress);
	return ret ? ret : take_part(r, eb);
}

static bool is_clock(const struct attr *a)
{
	return a->type == ATTR_TYPE_SOFTWARE && a->config <= 1; /* cpu-clock, task-clock: periods are nanoseconds */
}

/* What periods are counted in. Names of other tools live as long as the session. */
static void tell_unit(struct flame_load *fl, const struct session *s)
{
	int32_t event = fl->options.event;
	const char *known = event >= 0 ? recording_event_unit(&s->recording, (uint32_t)event) : NULL;

	if (fl->is_pair)
		return;
	if (event < 0)
		fl->unit = "events";
	else if (known && *known)
		fl->unit = fl->own_unit = mem_strdup(known);
	else
		fl->unit = is_clock(&s->recording.info->events.v[event].attr) ? "ns" : fl->event_names;
}

static void tell_events(struct flame_load *fl, const struct session *s)
{
	const struct perfdata_info *info = s->recording.info;
	int32_t event = fl->options.event;

	fl->event_names = fl->is_pair ? NULL : mem_strdup(
				     event >= 0		  ? info->events.v[event].name :
				     info->events.nr > 1  ? "all events" :
				     info->events.nr	  ? info->events.v[0].name :
							    "no event");
	fl->is_sum = recording_has_sums(&s->recording) || fl->count_name || fl->factor > 0;
	fl->unit = "samples";
	if (fl->options.weight == FLAME_PERIODS)
		tell_unit(fl, s);
	if (fl->count_name)
		fl->unit = fl->count_name;
}

static void tell_command(struct flame_load *fl, const struct perfdata_info *info)
{
	for (uint32_t i = 0; i < info->nr_cmdline; i++) {
		const char *word = info->cmdline[i], *slash = strrchr(word, '/');
		char *longer = i ? mem_printf("%s %s", fl->command, word) : mem_strdup(slash ? slash + 1 : word);

		free(fl->command);
		fl->command = longer;
	}
}

static int look_for_pair(struct flame_recording *r, struct errbuf *eb)
{
	struct flame_load *fl = r->fl;

	fl->is_pair = r->f->nr_columns == 1 && recording_is_pair(&r->s->recording) && !fl->event && !is_by(&fl->options, FLAME_BY_EVENT);
	if (fl->is_pair) {
		flame_fini(r->f);
		flame_init(r->f, 2);
	} else if (fl->pair_only) {
		return errbuf_set(eb, CMD_USAGE, "flame: %s is for comparisons: 'assay flame --diff BASE NEW', or folded stacks with two counts each",
				  fl->pair_only);
	}
	return 0;
}

static int load_recording(struct flame_load *fl, struct flame *f, uint32_t column, struct input *in, struct errbuf *eb)
{
	struct flame_recording r = { .fl = fl, .f = f, .column = column, .in = in };
	int err;

	in->takes_pairs = f->nr_columns == 1;
	err = input_open(in, &r.s, false, eb);
	if (err)
		return err;
	err = look_for_pair(&r, eb);
	if (err) {
		session_close(r.s);
		return err;
	}
	fl->is_imported = recording_has_whole_stacks(&r.s->recording);
	/* Imported sums weigh what they are, whatever was asked for: how many there are says nothing. */
	if (recording_has_sums(&r.s->recording))
		fl->options.weight = FLAME_PERIODS;
	programs_init(&r.programs, &r.s->machine, &r.s->recording);
	profile_init(&r.p, &r.s->machine, &r.s->recording);
	r.p.max_stack = (uint32_t)in->max_stack;
	r.p.tells_builds = f->nr_columns > 1;
	r.p.source = fl->inlines ? PROFILE_INLINES : PROFILE_SYMBOLS;
	fl->options.match = fl->match;
	err = read_recording(&r, eb);
	if (!err && fl->match)
		match_add(fl->match, &r.programs);
	if (!err) {
		quality_finish(&in->quality, &r.p);
		in->quality_known = true;
		if (in->quality.nr_samples && !in->quality.has_stacks)
			log_warn("%s has no call chains, so that stacks are of one frame: record with --call-graph dwarf", input_name(in));
		tell_events(fl, r.s);
		tell_command(fl, r.s->recording.info);
		err = input_finish(in, r.s, eb);
	}
	profile_fini(&r.p);
	programs_fini(&r.programs);
	session_close(r.s);
	return err;
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
		/* One that nobody has read of was meant for us. */
		if (st.st_size && !lseek(STDIN_FILENO, 0, SEEK_CUR))
			log_warn("standard input is neither a recording nor a profile: reading perf.data instead");
	}
	in->path = input_default_path(eb);
	return in->path ? 0 : -ENOENT;
}

int flame_load(struct flame_load *fl, struct flame *f, uint32_t column, struct input *in, struct errbuf *eb)
{
	return load_recording(fl, f, column, in, eb);
}
