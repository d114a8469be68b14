/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * assay ftrace latency: a histogram of how long calls of a function of the kernel take, or of what lies between two tracepoints. Counted by a BPF
 * program where there can be one; else function_graph measures calls, and the recorder's events are paired here.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "capture/latency_counting.h"
#include "cmd/ftrace.h"
#include "cmd/live_reader.h"
#include "model/graph_lines.h"
#include "model/latency.h"
#include "view/ftrace_text.h"

#define RING_PAGES 1024 /* 4 MB a CPU, of events that are recorded */

struct latency_command {
	struct ftrace_command c;
	bool bpf_only, bpf_given; /* -b, --no-use-bpf */
	bool use_nsec, json;
	const char *events, *key;
	char *from, *to;
	struct latency_hist hist;
	struct trace_lines lines; /* of function_graph */
	struct function_sums sums;
};

static const char *function_of(const struct latency_command *l)
{
	return l->c.o.trace.v.nr ? l->c.o.trace.v.v[0] : NULL;
}

/* ---- by function_graph ---- */

static int take_line(void *ctx, const char *line, size_t len, bool is_loss)
{
	struct latency_command *l = ctx;
	uint64_t nr = l->sums.nr_calls;
	int err = function_sums_add_line(&l->sums, line, len, is_loss);

	if (l->sums.nr_calls != nr)
		latency_hist_add(&l->hist, graph_line_parse(line, len).took_ns);
	return err;
}

static int take_text(void *ctx, const char *data, size_t size)
{
	struct latency_command *l = ctx;

	return trace_lines_feed(&l->lines, data, size);
}

static int run_graph(struct latency_command *l, struct errbuf *eb)
{
	int ret;

	l->c.o.tracer = "function_graph";
	l->c.o.has_tail = true;
	trace_lines_init(&l->lines, take_line, l);
	ret = ftrace_run(&l->c.o, take_text, l, eb);
	trace_lines_end(&l->lines);
	l->hist.nr_lost = l->lines.nr_lost;
	l->hist.nr_unfinished = function_sums_unfinished(&l->sums);
	ftrace_warn_lost(&l->lines);
	if (l->sums.nr_bad)
		log_warn("%llu lines of the tracer were not understood, the first: '%s'", (unsigned long long)l->sums.nr_bad,
			 l->sums.first_bad);
	return ret;
}

/* ---- by recording both events ---- */

static int read_pairs(void *ctx, struct session *s, struct errbuf *eb)
{
	struct latency_command *l = ctx;
	struct event_patterns from = { 0 }, to = { 0 };
	struct session_record sr;
	struct latency lat;
	uint64_t took_ns;
	uint32_t tag;
	int ret;

	event_patterns_add(&from, l->from);
	event_patterns_add(&to, l->to);
	ret = latency_init(&lat, &s->recording, &from, &to, l->key, eb);
	while (!ret && (ret = session_next_recorded(s, &sr, eb)) > 0) {
		ret = sr.header->type == RECORD_SAMPLE ? latency_add(&lat, &sr, 0, &took_ns, &tag, eb) : 0;
		if (ret > 0)
			latency_hist_add(&l->hist, took_ns);
		ret = ret < 0 ? ret : 0;
	}
	l->hist.nr_lost = recording_lost(&s->recording);
	l->hist.nr_begun = lat.nr_begins;
	l->hist.nr_replaced = lat.pairing.nr_replaced;
	l->hist.nr_dropped = lat.pairing.nr_given_up;
	l->hist.nr_ends_alone = lat.pairing.nr_ends_alone;
	l->hist.nr_unfinished = lat.pairing.nr_open;
	latency_fini(&lat);
	event_patterns_fini(&from);
	event_patterns_fini(&to);
	return ret;
}

static int run_recorded(struct latency_command *l, struct errbuf *eb)
{
	struct capture_options *o = &l->c.o.target;
	const struct session_options options = { .plain_samples = true };
	int err;

	if (l->key && (o->pids || o->tids || (o->workload && !o->all_cpus && !o->cpus)))
		return errbuf_set(
			eb, -ENOTSUP,
			"without BPF, events of other tasks are not seen here, and pairs by --key may end in one: measure all with -a");
	o->ring_pages = RING_PAGES;
	o->config.period = 1;
	o->config.sample_cpu = true;
	o->config.no_inherit = !l->c.o.inherit;
	o->inherit_given = true;
	err = event_list_parse(&o->events, l->from, eb);
	if (!err)
		err = event_list_parse(&o->events, l->to, eb);
	return err ? err : live_reader_run(o, &options, read_pairs, l, eb);
}

/* ---- which way ---- */

static int run_without_bpf(struct latency_command *l, struct errbuf *eb)
{
	return function_of(l) ? run_graph(l, eb) : run_recorded(l, eb);
}

static int run(struct latency_command *l, struct errbuf *eb)
{
	struct ftrace_options *o = &l->c.o;
	struct latency_counting counting = {
		.function = function_of(l),
		.from = l->from,
		.to = l->to,
		.key = l->key,
		.follows_forks = o->inherit,
		.delay_ms = o->delay_ms,
	};
	struct errbuf why;
	int ret;

	latency_hist_init(&l->hist, l->use_nsec ? 1 : 1000);
	if (l->bpf_given && !l->bpf_only)
		return run_without_bpf(l, eb);
	errbuf_clear(&why);
	ret = latency_counting_run(&o->target, &counting, &l->hist, &why);
	if (!counting.is_unavailable || l->bpf_only) {
		if (why.text[0])
			errbuf_set(eb, ret, "%s", why.text);
		return ret;
	}
	log_info("measuring without BPF: %s", why.text);
	ret = run_without_bpf(l, eb);
	/* Both are refused: the first reason may be what can be helped. */
	if (ret < 0 && function_of(l) && !l->hist.nr)
		log_warn("BPF cannot measure it either: %s", why.text);
	return ret;
}

static void say_what_is_missing(const struct latency_command *l)
{
	const struct latency_hist *h = &l->hist;

	if (h->nr_dropped)
		log_warn("%llu begins were not measured: there was no room for more at a time", (unsigned long long)h->nr_dropped);
	if (h->nr_replaced)
		log_warn("%llu begins came again before they ended%s: only the last of each is measured",
			 (unsigned long long)h->nr_replaced,
			 function_of(l) ? " (calls inside of others, or ends that the kernel missed)" : "");
	if (h->nr_unfinished)
		log_warn("%llu had begun and not ended", (unsigned long long)h->nr_unfinished);
	if (h->nr_lost && !function_of(l))
		cmd_warn_lost(h->nr_lost);
	if (!h->nr)
		log_warn("nothing was measured: %s", function_of(l) ? "the function was not called"
						     : h->nr_begun  ? "no begin has an end with the same key (--key)"
								    : "the first event did not occur");
	log_info("%llu ends had no begin", (unsigned long long)h->nr_ends_alone);
}

static int print(const struct latency_command *l)
{
	char *what = function_of(l) ? mem_strdup(function_of(l)) : mem_printf("%s → %s", l->from, l->to);
	struct out o;
	int err;

	out_init(&o, STDOUT_FILENO);
	if (l->json)
		latency_hist_json(&o, &l->hist, what);
	else
		latency_hist_text(&o, &l->hist);
	err = out_fini(&o);
	free(what);
	return err;
}

static int check(struct latency_command *l, struct errbuf *eb)
{
	const char *comma = l->events ? strchr(l->events, ',') : NULL;

	if (!function_of(l) == !l->events)
		return errbuf_set(eb, CMD_USAGE, "ftrace latency: give a function (-T vfs_read) or two events (-e EVENT,EVENT)%s",
				  l->events ? ", not both" : "");
	if (l->c.o.trace.v.nr > 1 || (function_of(l) && strpbrk(function_of(l), "*?[:")))
		return errbuf_set(eb, CMD_USAGE, "ftrace latency: -T names one function here; 'assay ftrace profile' measures many");
	if (l->key && !l->events)
		return errbuf_set(eb, CMD_USAGE, "ftrace latency: --key is for pairs of events (-e)");
	if (!l->events)
		return 0;
	if (!comma || comma == l->events || !comma[1] || strchr(comma + 1, ','))
		return errbuf_set(eb, CMD_USAGE, "ftrace latency: -e takes two events: -e sched:sched_waking,sched:sched_switch");
	l->from = mem_strndup(l->events, (size_t)(comma - l->events));
	l->to = mem_strdup(comma + 1);
	if (!strcmp(l->from, l->to))
		return errbuf_set(eb, CMD_USAGE, "ftrace latency: -e: both events are %s; they have to be two", l->from);
	return 0;
}

int ftrace_latency(int argc, char **argv, struct errbuf *eb)
{
	struct latency_command l = { 0 };
	const struct option table[] = {
		OPT_GROUP("What to measure"),
		OPT_CALL('T', "trace-funcs", ftrace_option_function, &l.c.o.trace, "FUNC", "Calls of this function"),
		OPT_STRING('e', "events", &l.events, "EVENT,EVENT", "From the first tracepoint to the second", .complete = "event"),
		OPT_STRING(0, "key", &l.key, "FIELD[,…]", "With -e: fields that both events share, or FROM:TO (default: the thread)"),
		OPT_BOOL('b', "use-bpf", &l.bpf_only, "Only by BPF; --no-use-bpf: without (default: where it can)", .is_set = &l.bpf_given),
		FTRACE_BUFFER_OPTION(&l.c),
		OPT_GROUP("Of what"),
		FTRACE_TARGET_OPTIONS(&l.c),
		OPT_GROUP("Output"),
		OPT_BOOL('n', "use-nsec", &l.use_nsec, "Count in nanoseconds, not microseconds"),
		OPT_BOOL('j', "json", &l.json, "Print JSON"),
		OPT_END,
	};
	const struct options opts = {
		.command = "ftrace latency",
		.usage = "assay ftrace latency -T FUNC [OPTIONS] [--] [COMMAND [ARG…]]\n"
			 "assay ftrace latency -e EVENT,EVENT [OPTIONS] [--] [COMMAND [ARG…]]",
		.summary = "Show a histogram of how long calls of a function, or pairs of events, take",
		.examples = "  assay ftrace latency -T vfs_read -- cat FILE\n"
			    "  assay ftrace latency -a -e block:block_rq_issue,block:block_rq_complete --key dev,sector -- sleep 5\n"
			    "  assay ftrace latency -a -e sched:sched_waking,sched:sched_switch --key pid:next_pid -- sleep 5\n",
		.table = table,
		.flags = OPTIONS_STOP_AT_WORD,
	};
	int ret, err;

	ftrace_command_init(&l.c, "ftrace latency");
	function_sums_init(&l.sums);
	ret = cmd_parse(&opts, &argc, &argv, eb);
	if (!ret)
		ret = check(&l, eb);
	if (!ret) {
		cmd_set_log_level(l.c.quiet, l.c.verbose);
		l.c.o.target.workload = argc ? argv : NULL;
		ret = run(&l, eb);
		if (ret >= 0 || l.hist.nr) {
			err = print(&l);
			say_what_is_missing(&l);
			ret = err && ret >= 0 ? err : ret;
		}
	}
	free(l.from);
	free(l.to);
	function_sums_fini(&l.sums);
	ftrace_command_fini(&l.c);
	return ret;
}
