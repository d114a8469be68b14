/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * assay sched replay: threads that do again what the tasks of a recording did.
 */
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "capture/replay_threads.h"
#include "cmd/cmd.h"
#include "cmd/perf_compat.h"
#include "cmd/sched.h"
#include "view/sched_text.h"

#define DEFAULT_ROUNDS 10
#define LONG_NS UINT64_C(60000000000) /* of all rounds: it is said beforehand */

struct replay_command {
	struct sched_view view;
	struct sched_replay replay;
	uint64_t nr_rounds; /* 0: until Ctrl-C */
};

static int begin(void *ctx, struct errbuf *eb)
{
	struct replay_command *c = ctx;

	(void)eb;
	c->replay.t = &c->view.t;
	return 0;
}

static void see(void *ctx, const struct session_record *sr, const struct sched_event *e, const struct timeline_step *step)
{
	struct replay_command *c = ctx;

	sched_replay_add(&c->replay, e, step, sr->task);
}

static int end(void *ctx, struct errbuf *eb)
{
	struct replay_command *c = ctx;

	(void)eb;
	sched_replay_finish(&c->replay);
	if (c->replay.nr_left_out)
		log_warn("%llu events of other tasks than the first %u were left out", (unsigned long long)c->replay.nr_left_out,
			 SCHED_REPLAY_MAX_TASKS);
	return 0;
}

/* Sleeps last as long as in the recording, and nothing is shown before the first round has ended. */
static void say_if_long(const struct replay_command *c)
{
	uint64_t round_ns = sched_replay_least_ns(&c->replay), nr = c->nr_rounds ? c->nr_rounds : 1;

	if (round_ns <= LONG_NS / nr)
		return;
	log_warn("a round takes %.0f s at least, as long as tasks slept and ran in the recording; %s%s", (double)round_ns / 1e9,
		 c->nr_rounds == 1 ? "" : "-r 1 replays it once, ", "Ctrl-C ends it");
}

/* Each line is written when it is known. */
static int do_rounds(struct replay_command *c, struct out *o, struct replay_threads *threads)
{
	struct sched_replay_rounds sums = { 0 };
	struct sched_replay_result result;

	while (!o->error && (!c->nr_rounds || sums.nr < c->nr_rounds)) {
		replay_threads_round(threads, &result);
		sched_replay_print_round(o, &sums, &result);
		out_flush(o);
	}
	return o->error;
}

static int replay(struct replay_command *c, struct errbuf *eb)
{
	struct replay_threads *threads = NULL;
	struct sched_replay_costs costs;
	struct out o;
	int err, flush_err;

	err = replay_threads_start(&threads, &c->replay, &costs, eb);
	if (err)
		return err;
	out_init(&o, STDOUT_FILENO);
	sched_replay_print_costs(&o, &costs);
	sched_replay_print_tasks(&o, &c->replay, c->view.in.verbose > 0);
	out_flush(&o);
	say_if_long(c);
	err = do_rounds(c, &o, threads);
	replay_threads_free(threads);
	flush_err = out_fini(&o);
	return err ? err : flush_err;
}

/* perf 6.1 takes -1 for a replay without end, later ones 0. */
static int take_repeat(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	uint64_t *nr_rounds = ctx;

	(void)opt, (void)negated;
	if (options_u64(strcmp(arg, "-1") ? arg : "0", 0, UINT32_MAX, nr_rounds))
		return errbuf_set(eb, CMD_USAGE, "-r: '%s' is no number of rounds; 0 repeats them until Ctrl-C", arg);
	return 0;
}

int sched_replay(int argc, char **argv, struct errbuf *eb)
{
	struct replay_command c = { .nr_rounds = DEFAULT_ROUNDS };
	const struct option table[] = {
		SCHED_INPUT_OPTIONS(&c.view),
		OPT_CALL('r', "repeat", take_repeat, &c.nr_rounds, "N", "Number of rounds (default: 10; 0 or -1: until Ctrl-C)"),
		OPT_END,
	};
	const struct options opts = {
		.command = "sched replay",
		.absent = perf_sched_absent,
		.usage = "assay sched replay [OPTIONS] [FILE]",
		.summary = "Repeat what tasks did, with a thread for each: run, sleep and wake each other; show how long that takes",
		.table = table,
	};
	int ret;

	sched_view_init(&c.view);
	c.view.begin = begin;
	c.view.see = see;
	c.view.end = end;
	c.view.ctx = &c;
	c.view.needs_wakes = true;
	ret = cmd_parse(&opts, &argc, &argv, eb);
	if (!ret)
		ret = sched_view_run(&c.view, "sched replay", argc, argv, eb);
	if (!ret)
		ret = replay(&c, eb);
	sched_replay_fini(&c.replay);
	sched_view_fini(&c.view);
	return ret;
}
