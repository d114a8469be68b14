/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * assay heatmap: latencies over time, or samples over the parts of a second, as a picture and as numbers.
 */
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/log.h"
#include "cmd/cmd.h"
#include "cmd/heatmap.h"
#include "cmd/output_file.h"
#include "view/heat_svg.h"
#include "view/quality_text.h"

#define DEFAULT_FILE "heatmap.svg"
#define OUTLIER 20	  /* times the 99th percentile: the rest is squeezed into the lowest rows */
#define MANY_CELLS 150000 /* a picture of some 25 MB: browsers take seconds for it */

/* Where the picture goes: a file, or NULL: standard output. */
static const char *output_path(const struct heatmap_command *c)
{
	bool is_picture = !c->json && !c->csv;
	const char *path = c->output ? c->output : is_picture && isatty(STDOUT_FILENO) ? DEFAULT_FILE : NULL;

	return output_file_is_stdout(path) ? NULL : path;
}

static void write_json(const struct heatmap_command *c, const struct heat *h, struct out *o)
{
	struct json j;

	json_init(&j, o, false);
	json_object(&j);
	heat_json(&j, h, &c->load.words);
	json_put_object(&j, "counts");
	for (uint32_t i = 0; i < c->load.nr_counts; i++) {
		json_key(&j, c->load.counts[i].name);
		json_u64(&j, c->load.counts[i].nr);
	}
	json_object_end(&j);
	if (c->load.recording)
		losses_json(&j, c->load.recording);
	json_object_end(&j);
	out_char(o, '\n');
}

static int write_main(const struct heatmap_command *c, const struct heat *h, const char *path, struct errbuf *eb)
{
	const struct heat_svg_options svg = { .unit = c->unit, .colours = c->colours };
	struct output_file file;
	struct out o;
	/* The input is known by now, even where it was not named. */
	int err = output_file_check(path, c->in.path ? c->in.path : "-", eb);

	if (!err)
		err = output_file_open(&file, path, eb);
	if (err)
		return err;
	out_init(&o, file.fd);
	if (c->json)
		write_json(c, h, &o);
	else if (c->csv)
		heat_csv(&o, h);
	else
		heat_svg(&o, h, &c->load.words, &svg);
	return output_file_close(&file, out_fini(&o), eb);
}

/* The table goes where the picture does not. JSON has all of it inside. */
static int write_table(const struct heatmap_command *c, const struct heat *h, const char *path)
{
	struct out o;

	if (!path && (c->json || c->in.quiet))
		return 0;
	out_init(&o, path ? STDOUT_FILENO : STDERR_FILENO);
	heat_text(&o, h, &c->load.words, c->unit);
	return out_fini(&o);
}

static void advise(const struct heatmap_command *c, const struct heat *h, const char *path)
{
	if (!h->points.nr)
		log_warn("%s", c->load.advice);
	else if (!c->offset && !h->is_log && !c->rows.has_max && h->ranks[HEAT_MAX] / OUTLIER > h->ranks[HEAT_P99])
		log_warn("the slowest is more than %d times the 99th percentile; --scale log or --max shows the others better", OUTLIER);
	if (!c->json && !c->csv && h->nr_cells > MANY_CELLS)
		log_warn("%u cells make a large picture, which browsers are slow to show; fewer --rows or --columns make it smaller",
			 h->nr_cells);
	if (path)
		log_warn("wrote %s%s", path, c->json || c->csv ? "" : "; open it in a browser");
}

static int run(struct heatmap_command *c, struct errbuf *eb)
{
	struct heatmap_load *l = &c->load;
	const char *path = output_path(c);
	struct heat h;
	int err;

	heat_init(&h);
	l->heat = &h;
	err = output_file_check(path, c->in.path, eb);
	if (!err)
		err = heatmap_load(l, &c->in, eb);
	if (err)
		goto out;
	heat_build(&h, &c->rows);
	heatmap_note_outside(l, heat_layout_unit(&h, c->unit));
	heatmap_note_scale(l);
	l->words.title = c->title ? c->title : c->offset ? "Samples within each second" : "Latency heat map";
	if (c->subtitle)
		l->words.subtitle = c->subtitle;
	err = write_main(c, &h, path, eb);
	if (!err)
		err = write_table(c, &h, path);
	if (err)
		goto out;
	advise(c, &h, path);
	c->in.checks_passed = true;
	c->in.nr_passed = h.points.nr;
	if (l->recording)
		err = input_finish(&c->in, eb);
out:
	heat_fini(&h);
	return err;
}

int cmd_heatmap(int argc, char **argv, struct errbuf *eb)
{
	struct heatmap_command c = { 0 };
	const char *foreign;
	int err;
	const struct option table[] = {
		OPT_GROUP("What is shown"),
		OPT_CALL(0, "from", heatmap_option_events, &c.load.from, "EVENT,…",
			 "latencies from these events of a recording (* and ? match)", .complete = "recorded"),
		OPT_CALL(0, "to", heatmap_option_events, &c.load.to, "EVENT,…", "to these", .complete = "recorded"),
		OPT_CALL(
			0, "key", heatmap_option_key, &c.load.key, "FIELD,…",
			"which belong together: fields that are equal in both, or sample.tid, sample.pid, sample.cpu; A:B where they are named "
			"differently (default sample.tid)"),
		OPT_STRING(0, "syscall", &c.load.calls, "CALL,…", "latencies of these system calls: names, classes (%file), globs (open*)"),
		OPT_CALL(
			0, "state", heatmap_option_state, &c.load, "STATE",
			"how long tasks were running, runnable or blocked at a time, of a recording of 'assay sched record'; of 'assay record --off-cpu' runnable or blocked",
			.complete = "running|runnable|blocked"),
		OPT_CALL_NONE(0, "run-queue", heatmap_option_state, &c.load, "the same as --state runnable: waits for a CPU"),
		OPT_CALL_NONE(0, "off-cpu", heatmap_option_state, &c.load, "the same as --state blocked: until tasks were woken"),
		OPT_BOOL(0, "offset", &c.offset, "samples of a recording instead: seconds by parts of a second"),
		OPT_CALL('e', "event", heatmap_option_events, &c.load.events, "NAME,…", "with --offset: only samples of these events",
			 .complete = "recorded"),
		OPT_GROUP("Input and output"),
		INPUT_OPTIONS(&c.in),
		OPT_STRING('o', "output", &c.output, "FILE",
			   "write FILE (- is stdout; default stdout, or heatmap.svg where that is a terminal)", .complete = "file"),
		OPT_BOOL(0, "json", &c.json, "the matrix as JSON instead of a picture (schema: assay-heatmap(1))"),
		OPT_BOOL(0, "csv", &c.csv, "the cells as CSV instead of a picture"),
		OPT_GROUP("Which samples, or which begins of pairs"),
		OPT_CALL('c', "comms", input_option_filter, &c.in, "NAME,…", "only tasks of these names"),
		OPT_CALL(0, "pid", input_option_filter, &c.in, "PID,…", "only these processes", .complete = "pid"),
		OPT_CALL(0, "tid", input_option_filter, &c.in, "TID,…", "only these threads"),
		OPT_CALL('C', "cpu", input_option_filter, &c.in, "LIST", "only these CPUs, as in 0-3,7"),
		OPT_CALL(0, "time", input_option_time, &c.in, "FROM,TO",
			 "only this time: seconds as in 12.5,13 or shares as in 10%/2 or 0%-10%"),
		INPUT_FIELD_FILTER(&c.in),
		OPT_CALL('S', "symbols", input_option_filter, &c.in, "NAME,…", "only samples in these functions"),
		OPT_GROUP("How it looks"),
		OPT_CHOICE(0, "scale", &c.rows.scale, "auto|linear|log", "HOW",
			   "log: rows grow by a factor; linear: rows are equally high; auto (the default): log where the "
			   "median is below a hundredth of the upper end"),
		OPT_CALL_NONE(0, "log", heatmap_option_log, &c, "the same as --scale log"),
		OPT_STRING(0, "max", &c.max, "TIME", "the upper end, as in 10ms; what is above has a row of its own"),
		OPT_STRING(0, "min", &c.min, "TIME", "the lower end; what is below has a row of its own"),
		OPT_U64(0, "rows", &c.nr_rows, 1, HEAT_MAX_ROWS, "N", "this many rows (default about 50, in round steps)"),
		OPT_U64(0, "columns", &c.nr_columns, 1, HEAT_MAX_COLUMNS, "N", "this many columns (default about 120, in round steps)"),
		OPT_STRING(0, "units", &c.units, "UNIT",
			   "s, ms, us or ns: of what is shown, of --max and --min, and of lines unless --input-units says it",
			   .complete = "s|ms|us|ns"),
		OPT_STRING(0, "input-units", &c.input_units, "UNIT",
			   "of both numbers in lines that are read (default s); s,us: of times and of latencies", .complete = "s|ms|us|ns"),
		OPT_CHOICE(
			0, "colours", &c.colours, "log|linear|spread", "HOW",
			"colours by the logarithm of counts, linear, or spread over the counts that occur (default log; with --offset spread)",
			.is_set = &c.colours_set),
		OPT_CHOICE(0, "colors", &c.colours, "log|linear|spread", "HOW", "the same as --colours", .hidden = true,
			   .is_set = &c.colours_set),
		OPT_STRING(0, "title", &c.title, "TEXT", "the heading"),
		OPT_STRING(0, "subtitle", &c.subtitle, "TEXT", "the line below it"),
		OPT_END,
	};
	const struct options opts = {
		.command = "heatmap",
		.usage = "assay heatmap --from EVENT --to EVENT [--key FIELD,…] [OPTIONS] [FILE]\n"
			 "assay heatmap --syscall CALL|--run-queue|--off-cpu|--offset [OPTIONS] [FILE]\n"
			 "assay heatmap [OPTIONS] < LINES",
		.summary = "Draws how long things took, over time: one SVG file with tooltips, and exact percentiles.",
		.examples = "  assay record -e block:block_rq_issue -e block:block_rq_complete -a -- fio job.fio\n"
			    "  assay heatmap --from block:block_rq_issue --to block:block_rq_complete --key dev,sector -o io.svg\n"
			    "  assay heatmap --run-queue -o wait.svg\n"
			    "  assay heatmap --off-cpu --comms mysqld -o blocked.svg\n"
			    "  assay heatmap --offset -o when.svg\n"
			    "  awk '{ print $1, $7 }' access.log | assay heatmap --input-units s,ms --max 500ms > web.svg\n",
		.table = table,
	};

	input_init(&c.in);
	foreign = heatmap_options_foreign(argv);
	err = cmd_parse(&opts, &argc, &argv, eb);
	if (err == CMD_USAGE && foreign) {
		errbuf_clear(eb);
		errbuf_set(eb, err, "heatmap: %s", foreign);
	}
	if (err)
		goto out;
	err = input_take_file(&c.in.path, "heatmap", argc, argv, eb);
	if (!err)
		err = heatmap_options_check(&c, eb);
	if (!err)
		err = run(&c, eb);
out:
	heatmap_load_fini(&c.load);
	input_fini(&c.in);
	return err;
}
