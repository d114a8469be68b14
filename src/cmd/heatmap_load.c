/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The three sources of heat maps: pairs of events, times of samples, lines of text.
 */
#include "cmd/heatmap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/log.h"
#include "abi/syscall_set.h"
#include "cmd/cmd.h"
#include "model/durations.h"
#include "model/latency.h"

#define CHUNK_BYTES (256u << 10)
#define PEEK_BYTES 4096

struct run {
	struct heatmap_load *l;
	struct input *in;
	bool has_filter;
	uint64_t nr_left_out; /* by the filters */
	uint64_t nr_timeless;
};

static bool keeps(struct run *r, const struct session_record *sr)
{
	return !r->has_filter || input_keeps(r->in, sr);
}

/* Calls take(r, sr) for each sample with a time. */
static int each_sample(struct run *r, int (*take)(struct run *r, void *ctx, const struct session_record *sr, struct errbuf *eb), void *ctx,
		       struct errbuf *eb)
{
	const struct perfdata_info *info = r->l->recording->info;
	struct session_record sr;
	int ret, err = 0;

	progress_init(&r->in->progress, "reading", r->in->session->source->total_bytes);
	while (!err && (ret = input_next(r->in, &sr, eb)) > 0) {
		if (sr.header->type != RECORD_SAMPLE || sr.event < 0)
			continue;
		if (!(info->events.v[sr.event].layout.sample_type & SAMPLE_TIME))
			r->nr_timeless++;
		else
			err = take(r, ctx, &sr, eb);
	}
	progress_fini(&r->in->progress);
	if (!err && ret < 0)
		err = ret;
	if (!err && r->nr_timeless && !r->l->heat->points.nr && r->in->is_imported)
		err = errbuf_set(eb, -EINVAL,
				 "%s was read as a profile of another tool, and that has no times; lines of TIME LATENCY are read without "
				 "--from, --to and --offset",
				 input_name(r->in));
	else if (!err && r->nr_timeless && !r->l->heat->points.nr)
		err = errbuf_set(eb, -EINVAL, "the samples of %s have no times; record with -T (--timestamp)", r->in->path);
	return err;
}

int heatmap_too_many(struct errbuf *eb)
{
	return errbuf_set(eb, -E2BIG, "more than %u points are too many for one heat map; choose a part with --time", HEAT_MAX_POINTS);
}

static int take_pair(struct run *r, void *ctx, const struct session_record *sr, struct errbuf *eb)
{
	uint64_t took_ns;
	uint32_t is_kept;
	/* Filters apply to the begin: the end of an I/O is often an interrupt in another task. */
	int ret = latency_add(ctx, sr, keeps(r, sr), &took_ns, &is_kept, eb);

	if (ret <= 0)
		return ret;
	r->nr_left_out += !is_kept;
	return !is_kept || heat_add(r->l->heat, sr->time_ns, took_ns) ? 0 : heatmap_too_many(eb);
}

static int load_pairs(struct run *r, struct errbuf *eb)
{
	struct heatmap_load *l = r->l;
	struct latency lat;
	struct out o;
	int err = latency_init(&lat, l->recording, &l->from, &l->to, l->key, eb);

	if (!err)
		err = each_sample(r, take_pair, &lat, eb);
	if (!err)
		err = latency_finish(&lat, eb);
	if (!err) {
		out_init(&o, -1);
		heatmap_put_number(&o, l->heat->points.nr, "pair");
		out_str(&o, " of ");
		event_patterns_put(&l->from, &o);
		out_str(&o, " → ");
		event_patterns_put(&l->to, &o);
		out_str(&o, " by ");
		latency_put_key(&lat, &o);
		heatmap_subtitle(l, &o);
		heatmap_note_pairs(l, &lat);
		heatmap_note_filters(l, &r->in->filter, r->nr_left_out);
		heatmap_advise_pairs(l, &lat, r->nr_left_out);
	}
	latency_fini(&lat);
	return err;
}

struct calls {
	struct durations durations;
	struct syscall_set set;
	bool has_set; /* it is of the recording's architecture, which its samples say */
};

static int take_call(struct run *r, void *ctx, const struct session_record *sr, struct errbuf *eb)
{
	struct calls *c = ctx;
	struct durations *d = &c->durations;
	uint64_t took_ns;
	int err = 0;

	if (!durations_take(d, sr, &took_ns) || !d->is_call)
		return 0;
	if (!c->has_set)
		err = syscall_set_add(&c->set, d->main_abi, r->l->calls, eb);
	c->has_set = true;
	if (err || !syscall_set_has(&c->set, d->abi, d->call_nr))
		return err;
	if (!keeps(r, sr)) {
		r->nr_left_out++;
		return 0;
	}
	return heat_add(r->l->heat, sr->time_ns, took_ns) ? 0 : heatmap_too_many(eb);
}

static int load_calls(struct run *r, struct errbuf *eb)
{
	struct heatmap_load *l = r->l;
	struct calls c = { 0 };
	struct out o;
	int err;

	durations_init(&c.durations, l->recording);
	err = each_sample(r, take_call, &c, eb);
	out_init(&o, -1);
	heatmap_put_number(&o, l->heat->points.nr, "call");
	out_printf(&o, " of %s", l->calls);
	heatmap_subtitle(l, &o);
	heatmap_note_calls(l, c.durations.log.nr_unpaired + c.durations.pairing.nr_ends_alone);
	heatmap_note_filters(l, &r->in->filter, r->nr_left_out);
	heatmap_advise_calls(l, c.durations.nr, r->nr_left_out);
	if (!err && !c.durations.nr)
		err = errbuf_set(eb, -ENODATA, "%s", l->advice);
	durations_fini(&c.durations);
	return err;
}

static bool is_wanted(struct heatmap_load *l, const char *name)
{
	return !l->events.v.nr || event_patterns_match(&l->events, name);
}

struct offsets_event {
	bool is_wanted;
	uint64_t nr;
};

struct offsets {
	VEC(struct offsets_event) events;
};

static int take_time(struct run *r, void *ctx, const struct session_record *sr, struct errbuf *eb)
{
	const struct perfdata_info *info = r->l->recording->info;
	struct offsets *of = ctx;

	for (uint32_t i = of->events.nr; i < info->events.nr; i++)
		vec_push(&of->events, ((struct offsets_event){ is_wanted(r->l, info->events.v[i].name), 0 }));
	if (!of->events.v[sr->event].is_wanted)
		return 0;
	of->events.v[sr->event].nr++;
	if (!keeps(r, sr)) {
		r->nr_left_out++;
		return 0;
	}
	return heat_add(r->l->heat, sr->time_ns, sr->time_ns % HEAT_SECOND_NS) ? 0 : heatmap_too_many(eb);
}

static int load_offsets(struct run *r, struct errbuf *eb)
{
	const struct perfdata_info *info = r->l->recording->info;
	struct heatmap_load *l = r->l;
	struct offsets of = { 0 };
	uint32_t nr = 0;
	struct out o;
	int err = each_sample(r, take_time, &of, eb);

	out_init(&o, -1);
	heatmap_put_number(&o, l->heat->points.nr, "sample");
	for (uint32_t i = 0; i < of.events.nr; i++)
		if (of.events.v[i].nr)
			out_printf(&o, "%s%s", nr++ ? ", " : " of ", info->events.v[i].name);
	heatmap_subtitle(l, &o);
	vec_fini(&of.events);
	if (err)
		return err;
	heatmap_note_samples(l);
	heatmap_note_filters(l, &r->in->filter, r->nr_left_out);
	heatmap_advise_samples(l, r->nr_left_out);
	for (uint32_t i = 0; i < info->events.nr; i++)
		is_wanted(l, info->events.v[i].name);
	for (uint32_t i = 0; i < l->events.v.nr && info->events.nr; i++)
		if (!l->events.v.v[i].is_met)
			return errbuf_set(eb, -ENOENT, "-e: this recording has no event '%s'; 'assay evlist' lists those it has",
					  l->events.v.v[i].text);
	return 0;
}

static bool ignore_line(void *ctx, uint64_t time_ns, uint64_t value_ns)
{
	(void)ctx;
	(void)time_ns;
	(void)value_ns;
	return true;
}

/* Lines of TIME LATENCY look like folded stacks, which would be imported: a file that begins with them is no profile. */
static int refuse_lines(const struct input *in, struct errbuf *eb)
{
	int fd = in->path && strcmp(in->path, "-") ? open(in->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK) : -1;
	struct latency_lines *lines;
	char head[PEEK_BYTES];
	ssize_t n;
	bool is_lines;

	if (fd < 0)
		return 0; /* input_open() reports why */
	n = io_pread(fd, head, sizeof(head), 0);
	close(fd);
	if (n <= 0)
		return 0;
	lines = mem_alloc(sizeof(*lines));
	latency_lines_init(lines, 9, 0, ignore_line, NULL);
	latency_lines_feed(lines, head, (size_t)n);
	if ((size_t)n < sizeof(head))
		latency_lines_end(lines);
	is_lines = lines->nr_good && !lines->nr_bad;
	free(lines);
	if (!is_lines)
		return 0;
	return errbuf_set(eb, CMD_USAGE,
			  "heatmap: %s has lines of TIME LATENCY, no events; such lines are read without --from, --to and "
			  "--offset",
			  in->path);
}

static int load_recording(struct heatmap_load *l, struct input *in, struct errbuf *eb)
{
	struct run r = { .l = l, .in = in };
	const struct filter *f = &in->filter;
	int err = refuse_lines(in, eb);

	in->recorder = l->kind == HEATMAP_STATES ? INPUT_RECORDER_SCHED : l->kind == HEATMAP_CALLS ? "assay trace record -- COMMAND" : NULL;
	if (!err)
		err = input_open(in, false, eb);
	if (err)
		return err;
	r.has_filter = f->comms.nr || f->pids.nr || f->tids.nr || f->cpus.nr || f->symbols.nr || f->fields || f->time_arg;
	l->recording = &in->session->recording;
	if (l->kind == HEATMAP_STATES)
		return heatmap_load_states(l, in, eb);
	return l->kind == HEATMAP_PAIRS ? load_pairs(&r, eb) : l->kind == HEATMAP_CALLS ? load_calls(&r, eb) : load_offsets(&r, eb);
}

static bool add_line(void *ctx, uint64_t time_ns, uint64_t value_ns)
{
	return heat_add(((struct heatmap_load *)ctx)->heat, time_ns, value_ns);
}

static int read_lines(struct heatmap_load *l, int fd, const char *name, struct latency_lines *lines, struct errbuf *eb)
{
	char *chunk = mem_alloc(CHUNK_BYTES);
	bool is_first = true;
	ssize_t n;

	while ((n = io_read(fd, chunk, CHUNK_BYTES)) > 0) {
		if (is_first && n >= 8 && (!memcmp(chunk, "PERFILE2", 8) || !memcmp(chunk, "2ELIFREP", 8))) {
			free(chunk);
			return errbuf_set(
				eb, CMD_USAGE,
				"heatmap: %s is a recording: say which events with --from EVENT --to EVENT, --syscall CALL, --run-queue, --off-cpu, --state or --offset",
				name);
		}
		is_first = false;
		latency_lines_feed(lines, chunk, (size_t)n);
		if (l->heat->is_full)
			break;
	}
	latency_lines_end(lines);
	free(chunk);
	if (n < 0)
		return errbuf_set(eb, (int)n, "cannot read %s: %s", name, strerror((int)-n));
	return l->heat->is_full ? heatmap_too_many(eb) : 0;
}

static int no_good_lines(const char *name, const struct latency_lines *lines, struct errbuf *eb)
{
	struct out o;
	int err;

	out_init(&o, -1);
	heatmap_put_faults(&o, lines);
	out_char(&o, 0);
	err = errbuf_set(eb, -EBADMSG,
			 "%s: none of its %llu lines has a time and a latency, as in '12.5 0.003': %s; the first is line %llu: %s", name,
			 (unsigned long long)lines->nr_lines, o.buf, (unsigned long long)lines->first_bad, lines->first_bad_text);
	out_fini(&o);
	return err;
}

/* Neither events nor lines were given. */
static int say_what(struct errbuf *eb)
{
	return errbuf_set(
		eb, CMD_USAGE,
		"heatmap: say --from EVENT --to EVENT for pairs of a recording, --syscall CALL for its system calls, --run-queue, --off-cpu or --state for what tasks did, --offset for its "
		"samples over time, or "
		"give lines of TIME LATENCY on standard input");
}

static int load_lines(struct heatmap_load *l, struct input *in, struct errbuf *eb)
{
	bool is_stdin = !in->path || !strcmp(in->path, "-");
	const char *name = is_stdin ? "standard input" : in->path;
	int fd = is_stdin ? STDIN_FILENO : open(in->path, O_RDONLY | O_CLOEXEC), err;
	struct latency_lines *lines;
	struct out o;

	if (fd < 0)
		return errbuf_set(eb, -errno, "cannot read %s: %s", in->path, strerror(errno));
	if (is_stdin && isatty(fd))
		return say_what(eb);
	if (in->quiet)
		log_level = LOG_QUIET;
	lines = mem_alloc(sizeof(*lines));
	latency_lines_init(lines, heat_unit_exponent(l->time_unit), heat_unit_exponent(l->value_unit), add_line, l);
	err = read_lines(l, fd, name, lines, eb);
	if (!is_stdin)
		close(fd);
	if (!err && !lines->nr_lines && !in->path)
		err = say_what(eb);
	if (!err && lines->nr_bad && !lines->nr_good)
		err = no_good_lines(name, lines, eb);
	if (!err) {
		out_init(&o, -1);
		heatmap_put_number(&o, lines->nr_good, "latency");
		out_str(&o, " of ");
		out_str(&o, name);
		if (l->has_units)
			out_printf(&o, " (times in %s, latencies in %s)", heat_unit_symbol(l->time_unit), heat_unit_symbol(l->value_unit));
		heatmap_subtitle(l, &o);
		heatmap_note_lines(l, lines);
		l->advice = "no lines: nothing to draw";
	}
	free(lines);
	return err;
}

int heatmap_load(struct heatmap_load *l, struct input *in, struct errbuf *eb)
{
	int err;

	l->words.x_axis = "time";
	l->words.y_axis = l->kind == HEATMAP_OFFSETS ? "offset" : "latency";
	l->words.things = l->kind == HEATMAP_PAIRS     ? "pairs"
			  : l->kind == HEATMAP_CALLS   ? "calls"
			  : l->kind == HEATMAP_STATES  ? heatmap_state_things(l->state)
			  : l->kind == HEATMAP_OFFSETS ? "samples"
						       : "lines";
	err = l->kind == HEATMAP_LINES ? load_lines(l, in, eb) : load_recording(l, in, eb);
	if (!err)
		heatmap_note_start(l);
	return err;
}

void heatmap_load_fini(struct heatmap_load *l)
{
	for (uint32_t i = 0; i < l->nr_texts; i++)
		free(l->texts[i]);
	event_patterns_fini(&l->from);
	event_patterns_fini(&l->to);
	event_patterns_fini(&l->events);
	free(l->key);
}
