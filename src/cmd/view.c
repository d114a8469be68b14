/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * assay view: a recording as one HTML file to look around in.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/progress_watch.h"
#include "cmd/cmd.h"
#include "cmd/input.h"
#include "cmd/output_file.h"
#include "cmd/view.h"
#include "model/task_spans.h"
#include "view/viewer.h"

struct view_page {
	struct input *in;
	struct viewer_options options;
	struct viewer_gaps gaps;
	struct task_spans spans;
	struct switch_spans switches;
	VEC(char *) filters;
	char *states_note;
};

struct view_command {
	struct input in;
	struct viewer_options options;
	struct view_target target;     /* output NULL: VIEW_DEFAULT_FILE */
	struct flame_command compared; /* where two recordings are named */
	bool inlines;
};

static void see_record(void *ctx, const struct session_record *sr)
{
	struct view_page *p = ctx;

	viewer_gaps_see(&p->gaps, &p->in->session->recording, sr);
	switch_spans_see(&p->switches, sr);
	if (!p->filters.nr)
		task_spans_take(&p->spans, sr);
}

/* Reads the recording, and writes the page to `o`. */
static int put_page(struct view_page *p, struct out *o, struct errbuf *eb)
{
	struct progress_watch watch;
	struct viewer_result result;
	int err;

	input_limit_output(p->in, o, true);
	/* A page that goes to the terminal is its own progress. */
	if (o->fd != STDOUT_FILENO)
		progress_watch_begin(&watch, "writing the page");
	result = viewer_write(o, p->in->profile, &p->in->filter, &p->in->quality, &p->options);
	if (o->fd != STDOUT_FILENO)
		progress_watch_end(&watch);
	p->in->quality_known = p->in->checks_passed = true;
	p->in->nr_passed = result.nr_samples;
	err = o->fd < 0 ? o->error : out_flush(o);
	input_limit_error(p->in, err, eb);
	if (result.merged_ns)
		log_warn(
			"%llu samples are too many for one page: equal ones less than %.3f ms apart are one row of it, with their sum and the time of one",
			(unsigned long long)result.nr_samples, (double)result.merged_ns / 1e6);
	return err;
}

static void add_filter(void *ctx, const char *option, const char *value)
{
	struct view_page *p = ctx;

	vec_push(&p->filters, mem_strdup(option));
	vec_push(&p->filters, mem_strdup(value));
}

/* States of tasks by the scheduler's events, as far as these tell them; NULL: they do not. */
static const struct span_store *choose_states(struct view_page *p)
{
	bool has_switches = task_spans_finish(&p->spans) && !p->filters.nr;
	const struct timeline *t = &p->spans.timeline;
	const char *sampled = has_switches ? sched_events_sampled(&p->spans.events) : NULL;

	if (sampled)
		p->states_note = mem_printf("states of threads are not shown: %s was sampled, so that most switches are missing; "
					    "record all of them: -e %s/period=1/",
					    sampled, sampled);
	else if (has_switches && t->nr_gaps)
		p->states_note = mem_printf("%llu of %llu switches do not follow the one before on their CPU: switches are missing, and "
					    "states of threads beside them are not known",
					    (unsigned long long)t->nr_gaps, (unsigned long long)t->nr_switches);
	if (p->states_note)
		log_warn("%s", p->states_note);
	p->options.states_note = p->states_note;
	p->options.states_note_is_loud = sampled || (p->states_note && t->nr_gaps > t->nr_switches / 100);
	return has_switches && !sampled ? &p->spans.store : NULL;
}

static int load_page(struct view_page *p, struct errbuf *eb)
{
	const struct input_load load = { .see = see_record, .ctx = p };
	int err;

	/* A part of the switches would say little of states. */
	input_filter_options(&p->in->filter, add_filter, p);
	task_spans_init(&p->spans, &p->in->session->recording, &p->in->session->machine);
	switch_spans_init(&p->switches, VIEWER_MAX_SPANS);
	err = input_load(p->in, &load, eb);
	if (err)
		return err;
	profile_seal(p->in->profile);
	input_symbolize(p->in);
	p->options.name = input_name(p->in);
	p->options.gaps = &p->gaps;
	p->options.spans = choose_states(p);
	p->options.filters = (const char *const *)p->filters.v;
	p->options.nr_filters = p->filters.nr;
	p->options.switches = &p->switches;
	switch_spans_finish(&p->switches);
	span_store_reduce(&p->spans.store, VIEWER_MAX_SPANS);
	return 0;
}

static void free_page(struct view_page *p)
{
	switch_spans_fini(&p->switches);
	task_spans_fini(&p->spans);
	viewer_gaps_fini(&p->gaps);
	for (uint32_t i = 0; i < p->filters.nr; i++)
		free(p->filters.v[i]);
	vec_fini(&p->filters);
	free(p->states_note);
}

int view_write(struct input *in, const struct viewer_options *options, const char *output, struct errbuf *eb)
{
	struct view_page p = { .in = in, .options = *options };
	struct output_file file;
	struct out o;
	int err = load_page(&p, eb);

	if (err)
		goto done;
	err = output_file_open(&file, output, eb);
	if (err) {
		/* Other output of what was read goes on without a page. */
		quality_of_profile(&in->quality, in->profile);
		in->quality_known = true;
		goto done;
	}
	out_init(&o, file.fd);
	err = put_page(&p, &o, eb);
	out_fini(&o);
	err = output_file_close(&file, err, eb);
done:
	free_page(&p);
	return err;
}

/* Problems of the recording are reported before the page is served: that ends with Ctrl-C. */
static int serve_page(struct view_command *c, struct errbuf *eb)
{
	struct view_page p = { .in = &c->in, .options = c->options };
	struct out o;
	int err = load_page(&p, eb);

	out_init(&o, -1);
	if (!err)
		err = put_page(&p, &o, eb);
	free_page(&p);
	if (!err)
		err = input_finish(&c->in, eb);
	if (!err)
		err = view_serve(o.buf, o.len, (uint16_t)c->target.port, eb);
	out_fini(&o);
	return err;
}

static int run(struct view_command *c, struct errbuf *eb)
{
	int err;

	c->in.profile->source = c->inlines ? PROFILE_INLINES : PROFILE_LINES;
	if (c->target.serves)
		return serve_page(c, eb);
	err = view_write(&c->in, &c->options, c->target.output, eb);
	if (!err && !output_file_is_stdout(c->target.output))
		log_info("wrote %s", c->target.output);
	return err;
}

static int check_serving(struct view_command *c, struct errbuf *eb)
{
	if (c->target.serves && c->target.output)
		return errbuf_set(eb, CMD_USAGE, "view: --serve writes no file: leave out -o, or --serve");
	if (c->target.port && !c->target.serves)
		return errbuf_set(eb, CMD_USAGE, "view: --port is for --serve");
	if (!c->target.output)
		c->target.output = VIEW_DEFAULT_FILE;
	return 0;
}

/* One recording, in c->in.path or argv. */
static int view_one(struct view_command *c, int argc, char **argv, struct errbuf *eb)
{
	const struct flame_command *f = &c->compared;
	const char *alone = f->sides.match_set ? "--match" : f->absolute ? "--absolute" : f->load.event ? "--event" : NULL;
	int err;

	if (alone)
		return errbuf_set(eb, CMD_USAGE, "view: %s is for comparisons: assay view BASE NEW", alone);
	if (c->in.times && strchr(c->in.times, ':'))
		return errbuf_set(eb, CMD_USAGE, "view: --time %s: times of several recordings are for comparisons: assay view BASE NEW",
				  c->in.times);
	err = input_take_file(&c->in.path, "view", argc, argv, eb);
	if (!err)
		err = input_open(&c->in, false, eb);
	if (!err && !c->target.serves)
		err = output_file_check(c->target.output, c->in.path, eb);
	if (!err)
		err = run(c, eb);
	if (!err && !c->target.serves)
		err = input_finish(&c->in, eb);
	return err;
}

static int view_two(struct view_command *c, char **argv, struct errbuf *eb)
{
	if (c->options.with_source)
		return errbuf_set(eb, CMD_USAGE, "view: --source: a comparison has no code in it; leave it out");
	c->compared.in = c->in; /* changes hands */
	input_init(&c->in);
	c->compared.title = c->options.title;
	c->compared.load.inlines = c->inlines;
	return view_compare(&c->compared, argv, &c->target, eb);
}

int cmd_view(int argc, char **argv, struct errbuf *eb)
{
	struct view_command c = { .inlines = true, .options.with_code = true };
	int err;
	const struct option table[] = {
		OPT_GROUP("Output"),
		OPT_STRING('o', "output", &c.target.output, "FILE", "write FILE (- is stdout; default profile.html)", .complete = "file"),
		OPT_BOOL(0, "serve", &c.target.serves, "serve the page on 127.0.0.1 instead, until Ctrl-C, and print its address"),
		OPT_U64(0, "port", &c.target.port, 0, 65535, "N", "with --serve: this port (default any)"),
		OPT_STRING(0, "title", &c.options.title, "TEXT", "the heading (default: the name of the recording)"),
		OPT_BOOL(0, "code", &c.options.with_code, "put the instructions of the hottest functions into the page (default)"),
		OPT_BOOL(0, "source", &c.options.with_source, "put their source lines into it, too: whoever gets the page can read them"),
		OPT_GROUP("Comparing BASE with NEW"),
		OPT_STRING('e', "event", &c.compared.load.event, "NAME", "of this event (default the first that has samples)",
			   .complete = "recorded"),
		SIDES_OPTION_MATCH(&c.compared.sides),
		OPT_BOOL(0, "absolute", &c.compared.absolute, "compare as counted, instead of shares of each side"),
		OPT_GROUP("Input"),
		INPUT_OPTIONS(&c.in),
		OPT_GROUP("Which samples"),
		INPUT_FILTERS(&c.in),
		OPT_CALL('d', "dsos", input_option_filter, &c.in, "NAME,…", "only samples in these files"),
		OPT_BOOL(0, "inline", &c.inlines, "functions that the compiler inlined are frames of their own (default)"),
		OPT_END,
	};
	const struct options opts = {
		.command = "view",
		.usage = "assay view [OPTIONS] [-o FILE] [RECORDING]\n"
			 "assay view [OPTIONS] [-o FILE] BASE NEW\n"
			 "assay view --serve [OPTIONS] [RECORDING | BASE NEW]",
		.summary =
			"Writes a recording as one HTML file: time line, flame graph, call trees and tables, with filters; or what changed between "
			"two.",
		.examples = "  assay record --call-graph dwarf -- ./app && assay view\n"
			    "  assay view -o app.html app.data\n"
			    "  assay view --comms worker -o worker.html\n"
			    "  assay view a1.data,a2.data,a3.data b1.data,b2.data,b3.data -o change.html\n",
		.table = table,
	};

	input_init(&c.in);
	c.in.takes_times = true;
	flame_command_init(&c.compared);
	err = cmd_parse(&opts, &argc, &argv, eb);
	if (!err)
		err = check_serving(&c, eb);
	if (!err)
		err = argc == 2 && !c.in.path ? view_two(&c, argv, eb) : view_one(&c, argc, argv, eb);
	flame_command_fini(&c.compared);
	input_fini(&c.in);
	return err;
}
