/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * assay timechart: what tasks and CPUs did over time, as a picture.
 */
#include "cmd/timechart.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "cmd/output_file.h"
#include "cmd/perf_compat.h"
#include "cmd/sched.h"
#include "model/io_spans.h"
#include "model/power_spans.h"
#include "model/task_spans.h"
#include "view/timechart.h"

#define DEFAULT_FILE "output.svg" /* perf's */
#define DEFAULT_WIDTH 1200	  /* where no script runs */
#define MAX_TASKS 10000

struct timechart_command {
	struct sched_view view;
	struct span_store store;
	struct io_spans io;
	struct power_spans power;
	struct timechart chart;
	struct timechart_choice choice;
	char *texts[TIMECHART_MAX_NOTES + 1];
	uint32_t nr_texts;
	const char *output, *highlight, *title;
	uint64_t width, nr_tasks, merge_ns;
	bool skips_again, by_topology;
	bool *is_drawn; /* by track of the store */
};

/* ---- reading ---- */

static int begin(void *ctx, struct errbuf *eb)
{
	struct timechart_command *c = ctx;
	const struct recording *r = &c->view.in.session->recording;

	(void)eb;
	span_store_watch(&c->store, &c->view.t);
	io_spans_init(&c->io, r, &c->store, &c->view.t);
	c->io.merge_ns = c->merge_ns;
	c->io.skips_again = c->skips_again;
	c->power = (struct power_spans){ .recording = r, .store = &c->store };
	return 0;
}

static void see(void *ctx, const struct session_record *sr, const struct sched_event *e, const struct timeline_step *step)
{
	struct timechart_command *c = ctx;

	task_spans_note_wake(&c->store, &c->view.t, sr, e, step);
}

static void see_other(void *ctx, const struct session_record *sr)
{
	struct timechart_command *c = ctx;

	if (power_spans_wants(&c->power, sr->event))
		power_spans_take(&c->power, sr);
	else if (io_spans_wants(&c->io, sr->event))
		io_spans_take(&c->io, sr);
}

static bool wants_other(void *ctx, int32_t event)
{
	struct timechart_command *c = ctx;

	return power_spans_wants(&c->power, event) || io_spans_wants(&c->io, event);
}

static void see_lost(void *ctx, const struct session_record *sr)
{
	struct timechart_command *c = ctx;

	(void)sr;
	power_spans_lose(&c->power);
}

/* ---- drawing ---- */

static void add_note(struct timechart_command *c, char *text)
{
	if (c->chart.nr_notes == TIMECHART_MAX_NOTES) {
		free(text);
		return;
	}
	c->texts[c->nr_texts++] = text;
	c->chart.notes[c->chart.nr_notes++] = text;
}

static void add_notes(struct timechart_command *c)
{
	const struct timeline *t = &c->view.t;
	uint64_t nr_lost = recording_lost(&c->view.in.session->recording);
	char cell[TIMECHART_TIME_SIZE];

	if (c->store.resolution_ns) {
		timechart_time_text(cell, c->store.resolution_ns, c->store.resolution_ns / 100);
		add_note(c, mem_printf("The recording has more than a picture can hold: what is shorter than %s is merged with its "
				       "neighbours, and shows how much time each state has. -p draws fewer tasks in more detail.",
				       cell));
	}
	if (c->chart.nr_tasks_left_out)
		add_note(c, mem_printf("Not drawn: %u task%s active for a shorter time; -n %llu draws all.", c->chart.nr_tasks_left_out,
				       c->chart.nr_tasks_left_out == 1 ? "" : "s",
				       (unsigned long long)c->choice.nr_tasks + c->chart.nr_tasks_left_out));
	if (nr_lost)
		add_note(c, mem_printf("%llu record%s lost while recording: what tasks did then is not known.", (unsigned long long)nr_lost,
				       nr_lost == 1 ? " was" : "s were"));
	if (t->nr_gaps)
		add_note(c, mem_printf("%llu of %llu switches do not follow the one before on their CPU: between them nothing is known.",
				       (unsigned long long)t->nr_gaps, (unsigned long long)t->nr_switches));
	if (c->io.nr_skipped)
		add_note(c, mem_printf("Left out: %llu call%s that returned EAGAIN (--io-skip-eagain).",
				       (unsigned long long)c->io.nr_skipped, c->io.nr_skipped == 1 ? "" : "s"));
	if (c->power.nr_malformed)
		add_note(c, mem_printf("%llu events of CPUs' power do not hold the fields of their format and were left out.",
				       (unsigned long long)c->power.nr_malformed));
}

/* By package, core and number; a header that does not know them changes nothing. */
static int compare_cpus(const void *a, const void *b, void *ctx)
{
	const struct perfdata_info *info = ctx;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct perfdata_cpu *p = &info->cpus.v[x], *q = &info->cpus.v[y];

	if (p->socket_id != q->socket_id)
		return COMPARE(p->socket_id, q->socket_id);
	return p->core_id != q->core_id ? COMPARE(p->core_id, q->core_id) : COMPARE(x, y);
}

static void order_cpus(struct timechart_command *c)
{
	const struct perfdata_info *info = c->view.in.session->recording.info;

	for (uint32_t i = 0; i < info->cpus.nr && i < TIMELINE_MAX_CPUS; i++)
		vec_push(&c->choice.cpu_order, i);
	vec_sort_r(&c->choice.cpu_order, compare_cpus, info);
	if (!info->cpus.nr)
		log_warn("%s does not know the topology of its CPUs: they are in the order of their numbers", input_name(&c->view.in));
}

static bool is_drawn(void *ctx, const struct span_track *k)
{
	const struct timechart_command *c = ctx;

	return c->is_drawn[k - c->store.tracks.v];
}

/* Only what is drawn needs to fit. */
static void drop_undrawn(struct timechart_command *c)
{
	c->is_drawn = mem_zalloc(c->store.tracks.nr + 1);
	for (uint32_t i = 0; i < c->chart.rows.nr; i++)
		c->is_drawn[c->chart.rows.v[i].track] = true;
	span_store_keep(&c->store, is_drawn, c);
	free(c->is_drawn);
}

static int write_chart(struct timechart_command *c, struct errbuf *eb)
{
	const char *path = output_file_is_stdout(c->output) ? NULL : c->output;
	struct output_file file;
	struct out o;
	int err = output_file_check(path, c->view.in.path ? c->view.in.path : "-", eb);

	if (!err)
		err = output_file_open(&file, path, eb);
	if (err)
		return err;
	out_init(&o, file.fd);
	timechart_svg(&o, &c->chart);
	err = output_file_close(&file, out_fini(&o), eb);
	if (!err && path)
		log_warn("wrote %.3f s of %u rows to %s; open it in a browser", (double)(c->store.last_ns - c->store.first_ns) / 1e9,
			 c->chart.rows.nr, path);
	return err;
}

static bool has_tasks(const struct timechart *c)
{
	for (uint32_t i = 0; i < c->rows.nr; i++)
		if (c->rows.v[i].kind == SPAN_OF_TASK || c->rows.v[i].kind == SPAN_OF_IO)
			return true;
	return false;
}

static int nothing_drawn(const struct timechart_command *c, struct errbuf *eb)
{
	int err = input_damage(&c->view.in, eb);

	if (err)
		return err;
	if (c->store.nr_added)
		return errbuf_set(eb, -ENODATA, "nothing of %s is in the chart%s", input_name(&c->view.in),
				  c->choice.processes.nr ? ": no task has a name or number of -p"
				  : c->choice.power_only ? ": it has no events of CPUs' power (power:cpu_idle, power:cpu_frequency)"
				  : c->choice.io_only	 ? ": it has no system calls; 'assay timechart record -I' records them"
							 : "");
	return errbuf_set(eb, -ENODATA,
			  "%s has no events of the scheduler, of CPUs' power or of system calls; 'assay timechart record' records them",
			  input_name(&c->view.in));
}

/* Most likely it is misspelled. */
static void warn_of_highlight(const struct timechart_command *c)
{
	if (!c->choice.highlighted_name && !c->choice.highlighted_ns)
		return;
	for (uint32_t i = 0; i < c->chart.rows.nr; i++)
		if (c->chart.rows.v[i].is_highlighted)
			return;
	if (c->choice.highlighted_name)
		log_warn("--highlight: no task of the chart has the name '%s'", c->choice.highlighted_name);
	else
		log_warn("--highlight: no task of the chart was active for so long");
}

static int end(void *ctx, struct errbuf *eb)
{
	struct timechart_command *c = ctx;
	struct timechart *chart = &c->chart;
	uint64_t end_ns = c->store.last_ns > c->view.t.last_ns ? c->store.last_ns : c->view.t.last_ns;

	power_spans_finish(&c->power, end_ns);
	chart->store = &c->store;
	chart->timeline = &c->view.t;
	chart->machine = &c->view.in.session->machine;
	if (c->by_topology)
		order_cpus(c);
	timechart_choose(chart, &c->choice);
	warn_of_highlight(c);
	c->view.in.nr_passed = chart->rows.nr;
	if (!chart->rows.nr || (c->choice.processes.nr && !c->choice.power_only && !has_tasks(chart)))
		return nothing_drawn(c, eb);
	drop_undrawn(c);
	span_store_reduce(&c->store, TIMECHART_MAX_SPANS);
	chart->width = c->width ? (int)c->width : DEFAULT_WIDTH;
	chart->is_fixed = c->width;
	chart->title = c->title ? c->title : "Time chart";
	c->texts[c->nr_texts++] = mem_printf("%.3f s, %u rows, from %s", (double)(c->store.last_ns - c->store.first_ns) / 1e9,
					     chart->rows.nr, input_name(&c->view.in));
	chart->subtitle = c->texts[c->nr_texts - 1];
	add_notes(c);
	return write_chart(c, eb);
}

/* ---- options ---- */

/* "5", "5us", "1ms": nanoseconds without a unit. */
static int take_time(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	static const struct {
		const char *unit;
		uint64_t ns;
	} units[] = { { "", 1 }, { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 } };
	char *rest;
	unsigned long long number;

	(void)negated;
	errno = 0;
	number = strtoull(arg, &rest, 10);
	for (size_t i = 0; *arg >= '0' && *arg <= '9' && !errno && i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(rest, units[i].unit) && number <= UINT64_MAX / 2 / units[i].ns) {
			*(uint64_t *)ctx = number * units[i].ns;
			return 0;
		}
	return errbuf_set(eb, -EINVAL, "--%s: '%s' is no time (5000, 5us, 1ms)", opt->long_name, arg);
}

static int take_process(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct timechart_choice *choice = ctx;

	(void)opt, (void)negated, (void)eb;
	vec_push(&choice->processes, arg);
	return 0;
}

/* A number is a duration, as in perf; anything else a name. */
static int take_highlight(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct timechart_choice *choice = ctx;
	uint64_t ns;

	(void)eb;
	if (*arg >= '0' && *arg <= '9') {
		struct errbuf ignored;

		errbuf_clear(&ignored);
		if (!take_time(opt, &ns, arg, negated, &ignored)) {
			choice->highlighted_ns = ns ? ns : 1;
			return 0;
		}
	}
	choice->highlighted_name = arg;
	return 0;
}

static void command_fini(struct timechart_command *c)
{
	for (uint32_t i = 0; i < c->nr_texts; i++)
		free(c->texts[i]);
	vec_fini(&c->choice.processes);
	vec_fini(&c->choice.cpu_order);
	timechart_fini(&c->chart);
	io_spans_fini(&c->io);
	power_spans_fini(&c->power);
	span_store_fini(&c->store);
	sched_view_fini(&c->view);
}

static void command_init(struct timechart_command *c)
{
	*c = (struct timechart_command){ .nr_tasks = TIMECHART_DEFAULT_TASKS, .merge_ns = 1000, .output = DEFAULT_FILE };
	sched_view_init(&c->view);
	c->view.in.recorder = "assay timechart record -- COMMAND";
	span_store_init(&c->store, SPAN_DEFAULT_LIMIT);
	c->view.begin = begin;
	c->view.see = see;
	c->view.see_other = see_other;
	c->view.wants_other = wants_other;
	c->view.see_lost = see_lost;
	c->view.end = end;
	c->view.ctx = c;
	c->view.takes_any = true;
}

int timechart_run(int argc, char **argv, struct errbuf *eb)
{
	struct timechart_command c;
	const struct option table[] = {
		OPT_GROUP("Input and output"),
		SCHED_INPUT_OPTIONS(&c.view),
		OPT_STRING('o', "output", &c.output, "FILE", "Write FILE (- is stdout; default output.svg)", .complete = "file"),
		OPT_GROUP("What is drawn"),
		OPT_CALL('p', "process", take_process, &c.choice, "NAME|PID",
			 "Only tasks of this name or number; may be given several times", .complete = "pid"),
		OPT_U64('n', "proc-num", &c.nr_tasks, 1, MAX_TASKS, "N", "At most N tasks, those that were active longest (default 200)"),
		OPT_BOOL('P', "power-only", &c.choice.power_only, "Only CPUs: what ran, C-states and frequencies"),
		OPT_BOOL('T', "tasks-only", &c.choice.tasks_only, "No C-states and frequencies of CPUs"),
		OPT_BOOL('I', "io-only", &c.choice.io_only, "Only system calls"),
		OPT_BOOL('t', "topology", &c.by_topology, "CPUs in the order of packages and cores"),
		OPT_CALL(0, "highlight", take_highlight, &c.choice, "DURATION|NAME",
			 "Highlight tasks that were active for so long (in ns, or 5us, 1ms), or of this name"),
		OPT_GROUP("System calls (record -I)"),
		OPT_BOOL(0, "io-skip-eagain", &c.skips_again, "Leave out calls that returned EAGAIN"),
		OPT_CALL(0, "io-min-time", take_time, &c.chart.min_io_ns, "TIME",
			 "Draw calls as if they took so long at least (in ns, or 5us, 1ms; default 0)"),
		OPT_CALL(0, "io-merge-dist", take_time, &c.merge_ns, "TIME",
			 "Draw calls of a kind that are no farther apart as one (default 1us)"),
		OPT_GROUP("How it looks"),
		OPT_U64('w', "width", &c.width, 400, 20000, "PX", "Width of the picture (default: as wide as the window)"),
		OPT_STRING(0, "title", &c.title, "TEXT", "The heading"),
		OPT_END,
	};
	const struct options opts = {
		.command = "timechart",
		.absent = perf_timechart_absent,
		.usage = "assay timechart [OPTIONS] [FILE]\n"
			 "assay timechart record [OPTIONS] [--] [COMMAND [ARG…]]",
		.summary = "Draws what tasks and CPUs did over time: one SVG file that can be zoomed.",
		.examples = "  assay timechart record -- make\n"
			    "  assay timechart\n"
			    "  assay timechart -p make --highlight 100ms -o make.svg\n",
		.table = table,
	};
	int ret;

	command_init(&c);
	ret = cmd_parse(&opts, &argc, &argv, eb);
	if (!ret && c.choice.power_only + c.choice.tasks_only + c.choice.io_only > 1)
		ret = errbuf_set(eb, CMD_USAGE, "timechart: only one of -P, -T and -I can be given");
	c.choice.nr_tasks = (uint32_t)c.nr_tasks;
	if (c.choice.io_only)
		c.view.in.recorder = "assay timechart record -I -- COMMAND";
	if (!ret)
		ret = sched_view_run(&c.view, "timechart", argc, argv, eb);
	command_fini(&c);
	return ret;
}

const struct cmd timechart_commands[] = {
	{ "record", timechart_record, "Record what tasks and CPUs do", "command", NULL },
	{ NULL, NULL, NULL, NULL, NULL },
};
