/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * assay sched timehist: its options.
 */
#include <stdint.h>

#include "base/log.h"
#include "cmd/cmd.h"
#include "cmd/perf_compat.h"
#include "cmd/sched.h"
#include "view/sched_text.h"

#define MAX_STACK 5 /* as perf */

struct timehist_command {
	struct sched_view view;
	struct sched_timehist hist;
	bool only_sums, with_sums, chains;
	uint64_t max_stack;
};

static int begin(void *ctx, struct errbuf *eb)
{
	struct timehist_command *c = ctx;
	struct sched_timehist *h = &c->hist;
	struct input *in = &c->view.in;
	const struct perfdata_info *info = in->session->recording.info;
	bool has_chains = recording_samples(&in->session->recording, SAMPLE_CALLCHAIN);

	if (in->filter.times.nr > 1)
		return errbuf_set(eb, CMD_USAGE, "sched timehist: --time takes one range");
	h->o = &c->view.o;
	h->t = &c->view.t;
	h->profile = in->profile;
	h->profile->only_symbols = true;
	h->filter = &in->filter;
	h->from_ns = in->filter.times.nr ? in->filter.times.v[0].from_ns : 0;
	h->to_ns = in->filter.times.nr ? in->filter.times.v[0].to_ns : UINT64_MAX;
	h->shows_lines = !c->only_sums;
	h->shows_sums = c->only_sums || c->with_sums;
	h->has_stacks = c->view.prints_stacks = c->chains && has_chains;
	h->max_stack = (uint32_t)c->max_stack;
	h->idle_stacks.memory = &in->session->memory;
	in->session->options.plain_samples = !h->has_stacks;
	h->nr_cpus = info->nrcpus_avail < TIMELINE_MAX_CPUS ? info->nrcpus_avail : TIMELINE_MAX_CPUS;
	return 0;
}

static void see(void *ctx, const struct session_record *sr, const struct sched_event *e, const struct timeline_step *step)
{
	struct timehist_command *c = ctx;

	if (c->hist.has_stacks)
		input_forget(&c->view.in);
	sched_timehist_add(&c->hist, sr, e, step);
}

static void see_lost(void *ctx, const struct session_record *sr)
{
	struct timehist_command *c = ctx;

	if (c->hist.shows_lines && sr->time_ns >= c->hist.from_ns && sr->time_ns <= c->hist.to_ns)
		sched_timehist_lost(&c->hist, sr);
}

static int end(void *ctx, struct errbuf *eb)
{
	struct timehist_command *c = ctx;
	struct input *in = &c->view.in;

	in->nr_passed = c->hist.nr_passed;
	if (!in->nr_passed && c->hist.prios.nr)
		return errbuf_set(eb, -ENODATA, "no switch of %s is of a task that passes --prio%s", input_name(in),
				  filter_is_set(&in->filter) ? " and the other filters" : "");
	/* input_finish() says that nothing passes. */
	if (!in->nr_passed && filter_is_set(&in->filter))
		return 0;
	if (c->hist.shows_lines)
		sched_timehist_head(&c->hist);
	if (c->hist.shows_sums)
		sched_timehist_sums(&c->hist, c->view.in.session->recording.info->nrcpus_online);
	return 0;
}

static int take_prios(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct timehist_command *c = ctx;
	struct filter prios = { 0 };
	int err = filter_add_cpus(&prios, opt->long_name, arg, NULL);

	(void)negated;
	if (err)
		errbuf_set(eb, err, "--prio: '%s' is no list of priorities such as 0-99,120", arg);
	for (uint32_t i = 0; !err && i < prios.cpus.nr; i++)
		vec_push(&c->hist.prios, (int32_t)prios.cpus.v[i]);
	filter_fini(&prios);
	return err;
}

int sched_timehist(int argc, char **argv, struct errbuf *eb)
{
	struct timehist_command c = { .chains = true, .max_stack = MAX_STACK };
	const struct option table[] = {
		OPT_GROUP("Input"),
		SCHED_INPUT_OPTIONS(&c.view),
		OPT_GROUP("Which events"),
		OPT_CALL('C', "cpu", input_option_filter, &c.view.in, "LIST", "Only these CPUs, as in 0-3,7"),
		OPT_CALL('p', "pid", input_option_filter, &c.view.in, "PID,…", "Only these processes"),
		OPT_CALL('t', "tid", input_option_filter, &c.view.in, "TID,…", "Only these threads"),
		OPT_CALL(0, "prio", take_prios, &c, "LIST", "Only tasks of these priorities, as in 0-99,120"),
		OPT_CALL(0, "time", input_option_time, &c.view.in, "FROM,TO",
			 "Only this time: seconds as in 12.5,13 or shares as in 0%-10%"),
		OPT_GROUP("What is shown"),
		OPT_BOOL('M', "migrations", &c.hist.shows_migrations, "Migrations of tasks to other CPUs, too"),
		OPT_BOOL('w', "wakeups", &c.hist.shows_wakes, "Wakes, too"),
		OPT_BOOL('n', "next", &c.hist.shows_next, "The task that ran next"),
		OPT_BOOL('V', "cpu-visual", &c.hist.shows_cpus, "A column for each CPU"),
		OPT_BOOL(0, "state", &c.hist.shows_state, "The state in which the task left; in the summary, what it waited for"),
		OPT_BOOL(0, "show-prio", &c.hist.shows_prio, "The priority"),
		OPT_BOOL('P', "pre-migrations", &c.hist.shows_migration_time, "How much of the delay was before a migration"),
		OPT_BOOL('I', "idle-hist", &c.hist.only_idle, "Only times in which CPUs were idle"),
		OPT_BOOL('s', "summary", &c.only_sums, "A summary instead of lines"),
		OPT_BOOL('S', "with-summary", &c.with_sums, "A summary behind the lines"),
		OPT_BOOL('g', "call-graph", &c.chains, "Call chains, where they were recorded (the default)"),
		OPT_U64(0, "max-stack", &c.max_stack, 1, 1024, "N", "Functions of a call chain (default: 5)"),
		OPT_GROUP("Symbols"),
		INPUT_SYMBOLS(&c.view.in),
		OPT_END,
	};
	const struct options opts = {
		.command = "sched timehist",
		.absent = perf_sched_absent,
		.usage = "assay sched timehist [OPTIONS] [FILE]",
		.summary = "Show each run of each task: how long it was away before, waited for a CPU, and ran",
		.table = table,
	};
	int ret;

	sched_view_init(&c.view);
	sched_timehist_init(&c.hist);
	c.view.begin = begin;
	c.view.see = see;
	c.view.see_lost = see_lost;
	c.view.end = end;
	c.view.ctx = &c;
	c.view.needs_wakes = true;
	ret = cmd_parse(&opts, &argc, &argv, eb);
	if (!ret)
		ret = sched_view_run(&c.view, "sched timehist", argc, argv, eb);
	sched_timehist_fini(&c.hist);
	sched_view_fini(&c.view);
	return ret;
}
