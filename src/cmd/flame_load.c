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
#include "model/profile.h"

#define PART_BYTES (48u << 20) /* of stacks in the profile, at most */
#define CHECK_EVERY 16384	/* records */

void flame_load_fini(struct flame_load *fl)
{
	free(fl->event_names);
	free(fl->command);
}

/* Recordings */

struct recording {
	struct flame_load *fl;
	struct flame *f;
	uint32_t column;
	struct input *in;
	struct session *s;
	struct profile p;
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

static int unknown_event(const struct flame_load *fl, const struct perfdata_info *info, struct errbuf *eb)
{
	char *list = mem_strdup("");

	for (uint32_t i = 0; i < info->events.nr; i++) {
		char *longer = mem_printf("%s%s%s", list, i ? ", " : "", info->events.v[i].name);

		free(list);
		list = longer;
	}
	errbuf_set(eb, -EINVAL, "--event: this recording has no event '%s'; it has: %s", fl->event, list);
	free(list);
	return -EINVAL;
}

static bool is_by_event(const struct flame_options *o)
{
	for (uint32_t i = 0; i < o->nr_by; i++)
		if (o->by[i] == FLAME_BY_EVENT)
			return true;
	return false;
}

/* Of a pipe the events are known when records come. */
static int choose_event(struct recording *r, struct errbuf *eb)
{
	const struct perfdata_info *info = r->s->info;
	struct flame_options *o = &r->fl->options;
	const char *want = r->fl->event;

	if (r->event_chosen)
		return 0;
	r->event_chosen = true;
	o->event = -1;
	if (!want && !is_by_event(o))
		o->event = first_event(&r->p);
	for (uint32_t i = 0; want && strcmp(want, "all") && i < info->events.nr; i++)
		if (o->event < 0 && !strcmp(info->events.v[i].name, want))
			o->event = (int32_t)i;
	if (want && strcmp(want, "all") && o->event < 0)
		return unknown_event(r->fl, info, eb);
	return 0;
}

/* Makes paths of the samples that were read, and forgets them. */
static int take_part(struct recording *r, struct errbuf *eb)
{
	const struct profile_samples *s = &r->p.samples;
	struct quality *q = &r->in->quality;
	int err = choose_event(r, eb);

	if (err)
		return err;
	profile_symbolize(&r->p);
	for (uint32_t i = 0; i < s->nr; i++)
		quality_add(q, s->location[i], r->s->info->events.v[s->event[i]].attr.sample_type & SAMPLE_CALLCHAIN, s->stack[i],
			    (enum unwind_end)s->end[i]);
	quality_settle(q, &r->p);
	r->fl->options.quality = q;
	flame_add(r->f, r->column, &r->p, &r->in->filter, &r->fl->options);
	r->p.samples.nr = 0;
	return 0;
}

static int read_recording(struct recording *r, struct errbuf *eb)
{
	struct session_record sr;
	struct progress progress;
	uint64_t nr = 0;
	int ret;

	progress_init(&progress, "reading", reader_total_bytes(r->s->reader));
	while ((ret = session_next(r->s, &sr, eb)) > 0) {
		if (sr.header->type == RECORD_SAMPLE && filter_keeps_sample(&r->in->filter, &sr))
			profile_add(&r->p, &sr);
		if (++nr % CHECK_EVERY)
			continue;
		progress_update(&progress, reader_done_bytes(r->s->reader));
		if (profile_size_bytes(&r->p) > PART_BYTES) {
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

static void tell_events(struct flame_load *fl, const struct perfdata_info *info)
{
	int32_t event = fl->options.event;

	fl->unit = "samples";
	if (event >= 0) {
		fl->event_names = mem_strdup(info->events.v[event].name);
		if (fl->options.weight == FLAME_PERIODS)
			fl->unit = is_clock(&info->events.v[event].attr) ? "ns" : fl->event_names;
		return;
	}
	if (fl->options.weight == FLAME_PERIODS)
		fl->unit = "events";
	fl->event_names = mem_strdup(info->events.nr > 1 ? "all events" : info->events.nr ? info->events.v[0].name : "no event");
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

static int load_recording(struct flame_load *fl, struct flame *f, uint32_t column, struct input *in, struct errbuf *eb)
{
	struct recording r = { .fl = fl, .f = f, .column = column, .in = in };
	int err = input_open(in, &r.s, false, eb);

	if (err)
		return err;
	fl->is_imported = session_has_whole_stacks(r.s);
	/* Imported sums weigh what they are, whatever was asked for: how many there are says nothing. */
	if (session_has_sums(r.s))
		fl->options.weight = FLAME_PERIODS;
	profile_init(&r.p, r.s);
	r.p.max_stack = (uint32_t)in->max_stack;
	r.p.source = fl->inlines ? PROFILE_INLINES : PROFILE_SYMBOLS;
	err = read_recording(&r, eb);
	if (!err) {
		quality_finish(&in->quality, &r.p);
		in->quality_known = true;
		if (in->quality.nr_samples && !in->quality.has_stacks)
			log_warn("this recording has no call chains, so that stacks are of one frame: record with -g");
		tell_events(fl, r.s->info);
		tell_command(fl, r.s->info);
		err = input_finish(in, r.s, eb);
	}
	profile_fini(&r.p);
	session_close(r.s);
	return err;
}

/* As the other commands do, but a file that is redirected is meant to be read, too. */
static const char *default_path(struct errbuf *eb)
{
	struct stat st;

	if (!fstat(STDIN_FILENO, &st) && (S_ISREG(st.st_mode) || S_ISSOCK(st.st_mode)))
		return "-";
	return input_default_path(eb);
}

int flame_load(struct flame_load *fl, struct flame *f, uint32_t column, struct input *in, struct errbuf *eb)
{
	if (!in->path)
		in->path = default_path(eb);
	return in->path ? load_recording(fl, f, column, in, eb) : -ENOENT;
}
