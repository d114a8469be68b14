/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * assay export: a recording in the formats of other tools.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/gzip.h"
#include "base/log.h"
#include "base/suggest.h"
#include "cmd/cmd.h"
#include "cmd/input.h"
#include "cmd/output_file.h"
#include "model/profile.h"
#include "cmd/sched.h"
#include "model/task_spans.h"
#include "view/export.h"

/* Of pprof, for each byte that the recording has */
#define VALUES_FLOOR (UINT64_C(64) << 20)
#define VALUES_FACTOR 16u

struct export_command {
	struct input in;
	struct export_options options;
	const char *format, *output, *event;
	bool inlines, format_set, list;
	bool with_set, weight_set;
	unsigned weight; /* samples, period, duration */
	bool is_gzip;
};

static int option_format(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct export_command *c = ctx;
	struct suggest s;
	int format;

	(void)opt, (void)negated;
	c->list = !strcmp(arg, "list");
	if (c->list)
		return 0;
	format = export_format_find(arg);
	c->format_set = true;
	if (format >= 0) {
		c->options.format = (enum export_format)format;
		return 0;
	}
	if (export_format_hint(arg))
		return errbuf_set(eb, -EINVAL, "--format: there is no format '%s': %s; 'assay export --format list' shows all", arg,
				  export_format_hint(arg));
	suggest_init(&s, arg);
	for (int i = 0; i < EXPORT_NR_FORMATS; i++)
		suggest_offer(&s, export_format_get((enum export_format)i)->name);
	return errbuf_set(eb, -EINVAL, "--format: there is no format '%s'%s%s%s; 'assay export --format list' shows all", arg,
			  s.best ? "; did you mean '" : "", s.best ? s.best : "", s.best ? "'?" : "");
}

static void list_formats(void)
{
	struct out o;

	out_init(&o, STDOUT_FILENO);
	for (int i = 0; i < EXPORT_NR_FORMATS; i++) {
		const struct export_format_info *f = export_format_get((enum export_format)i);

		out_printf(&o, "%-11s %s%s%s%s\n", f->name, f->summary, f->suffix ? " (" : "", f->suffix ? f->suffix : "",
			   !f->suffix	? ""
			   : f->is_gzip ? ".gz)"
					: ")");
	}
	out_fini(&o);
}

/* Words that only one format has a use for. */
static int check_folded(const struct export_command *c, struct errbuf *eb)
{
	const struct input_switch words[] = { { "--with", c->with_set },
					      { "--weight", c->weight_set },
					      { "--annotate", c->options.annotate } };

	for (size_t i = 0; c->options.format != EXPORT_FOLDED && i < sizeof(words) / sizeof(*words); i++)
		if (words[i].given)
			return errbuf_set(eb, CMD_USAGE, "export: %s is for --format folded: %s has all of that as it is", words[i].name,
					  export_format_get(c->options.format)->name);
	return 0;
}

static int choose_format(struct export_command *c, struct errbuf *eb)
{
	int format = c->output ? export_format_guess(c->output) : -ENOENT;
	const char *hint = c->output && format < 0 ? export_format_hint_of_file(c->output) : NULL;

	if (!c->format_set) {
		if (hint)
			return errbuf_set(eb, CMD_USAGE, "export: the name %s does not tell its format: %s; '--format list' shows all",
					  c->output, hint);
		if (format < 0)
			return errbuf_set(eb, CMD_USAGE,
					  "export: which format? Name one, as in 'assay export --format pprof -o profile.pb.gz'; "
					  "'--format list' shows all");
		c->options.format = (enum export_format)format;
	}
	c->is_gzip = export_format_get(c->options.format)->is_gzip;
	if (c->output && strlen(c->output) > 3 && !strcmp(c->output + strlen(c->output) - 3, ".gz"))
		c->is_gzip = true;
	return check_folded(c, eb);
}

/* Before anything is read, so that a wrong name costs no time. */
static int check_output(const struct export_command *c, struct errbuf *eb)
{
	if (output_file_is_stdout(c->output) && c->is_gzip && isatty(STDOUT_FILENO))
		return errbuf_set(eb, CMD_USAGE, "export: %s is binary: write it to a file, as in 'assay export -o profile.pb.gz'",
				  export_format_get(c->options.format)->name);
	return output_file_check(c->output, c->in.path, eb);
}

/* Events of a pipe are known in the end only. */
static int find_event(struct export_command *c, struct errbuf *eb)
{
	const struct perfdata_info *info = c->in.session->recording.info;
	char *names;
	int err;

	c->options.event = -1;
	if (!c->event)
		return 0;
	for (uint32_t i = 0; i < info->events.nr; i++) {
		if (!strcmp(info->events.v[i].name, c->event)) {
			c->options.event = (int32_t)i;
			return 0;
		}
	}
	names = input_event_names(&c->in);
	err = errbuf_set(eb, -ENOENT, "--event: this recording has no event '%s'; it has %s", c->event, names);
	free(names);
	return err;
}

/* A sample has a value of each event there. */
static int check_values(const struct export_command *c, struct errbuf *eb)
{
	const struct profile *p = c->in.profile;
	uint32_t nr_events = p->recording->info->events.nr;
	struct budget values;

	budget_init(&values, VALUES_FLOOR, VALUES_FACTOR, c->in.session->source->present_bytes);
	if (c->options.format != EXPORT_PPROF || c->options.event >= 0 || budget_take(&values, (uint64_t)nr_events * p->samples.nr))
		return 0;
	return errbuf_set(
		eb, -EFBIG,
		"export: pprof has a value of each event in each sample: %u events and %u samples are too many for a recording of this size; "
		"choose one event with --event NAME, or another format",
		nr_events, p->samples.nr);
}

/* What the file that was written does not say by itself. */
static void report_result(const struct export_command *c, const struct export_result *r)
{
	const struct recording *rec = &c->in.session->recording;

	if (!rec->stats.nr_by_type[RECORD_SAMPLE])
		log_warn("the export is empty: the recording has no samples");
	if (r->is_laid_out)
		log_warn("the samples have no times: %s has them end to end by weight, the heaviest functions first",
			 export_format_get(c->options.format)->name);
	if (c->weight_set && !c->options.periods && recording_has_sums(rec))
		log_warn("--weight samples: these are sums, not samples: sums are what was written");
}

static int write_export(struct export_command *c, struct errbuf *eb)
{
	struct gzip_pipe gzip = { 0 };
	struct export_result result;
	struct output_file file;
	struct out o;
	int err = output_file_open(&file, c->output, eb), gzip_err;

	if (err)
		return err;
	if (c->is_gzip) {
		err = gzip_pipe_open(&gzip, file.fd, GZIP_USUAL, eb);
		if (err)
			return output_file_close(&file, err, eb);
	}
	out_init(&o, c->is_gzip ? gzip.in_fd : file.fd);
	input_limit_output(&c->in, &o, true);
	if (!c->is_gzip)
		out_write_behind(&o);
	result = export_profile(&o, c->in.profile, &c->in.filter, &c->in.quality, &c->options);
	c->in.quality_known = c->in.checks_passed = true;
	c->in.nr_passed = result.nr_samples;
	err = out_fini(&o);
	input_limit_error(&c->in, err, eb);
	gzip_err = gzip_pipe_close(&gzip);
	err = output_file_close(&file, gzip_err ? gzip_err : err, eb);
	if (!err)
		report_result(c, &result);
	return err;
}

static void see_record(void *ctx, const struct session_record *sr)
{
	task_spans_take(ctx, sr);
}

static int run(struct export_command *c, struct errbuf *eb)
{
	struct profile *p = c->in.profile;
	char *filters = input_filter_text(&c->in.filter);
	struct input_load load = { 0 };
	struct task_spans spans;
	int err;

	task_spans_init(&spans, &c->in.session->recording, &c->in.session->machine);
	/* A part of the switches would say little of states. */
	if ((c->options.format == EXPORT_CHROME || c->options.format == EXPORT_FIREFOX) && !filters && !c->event)
		load = (struct input_load){ .see = see_record, .ctx = &spans };

	p->source = c->inlines ? PROFILE_INLINES : PROFILE_LINES;
	/* Folded stacks have no lines: without inlined functions the debug information is not needed. */
	if (!c->inlines && c->options.format == EXPORT_FOLDED)
		p->source = PROFILE_SYMBOLS;
	err = input_load(&c->in, &load, eb);
	if (!err)
		err = find_event(c, eb);
	if (!err)
		err = check_values(c, eb);
	if (err)
		goto out;
	profile_seal(p);
	input_symbolize(&c->in);
	c->options.name = input_name(&c->in);
	if (load.see && task_spans_finish(&spans)) {
		/* From some of the switches no states follow. */
		c->options.spans = sched_events_sampled(&spans.events) ? NULL : &spans.store;
		sched_say_sampled(&spans.events);
		sched_say_cpus(&spans.events, &spans.timeline);
	}
	span_store_reduce(&spans.store, EXPORT_MAX_SPANS);
	err = write_export(c, eb);
out:
	task_spans_fini(&spans);
	free(filters);
	return err;
}

/* 'assay export folded', 'assay export -f folded': the word is no recording but the format. */
static int check_format_word(const struct export_command *c, const char *word, struct errbuf *eb)
{
	bool is_format = export_format_find(word) >= 0, is_known = is_format || export_format_hint(word);

	if (c->format_set || !is_known || !access(word, F_OK))
		return 0;
	return errbuf_set(eb, CMD_USAGE, "export: there is no recording '%s'; the format is named by --format%s%s (-f is --force)", word,
			  is_format ? " " : ": ", is_format ? word : export_format_hint(word));
}

static int check_words(struct export_command *c, int argc, char **argv, struct errbuf *eb)
{
	for (int i = 0; i < argc; i++) {
		int err = check_format_word(c, argv[i], eb);

		if (err)
			return err;
	}
	if (input_take_file(&c->in.path, "export", argc, argv, eb))
		return CMD_USAGE;
	return choose_format(c, eb);
}

int cmd_export(int argc, char **argv, struct errbuf *eb)
{
	struct export_command c = { .inlines = true };
	int err;
	const struct option table[] = {
		OPT_GROUP("Output"),
		OPT_CALL(
			0, "format", option_format, &c, "NAME",
			"folded, pprof, firefox, speedscope, chrome, callgrind or csv; list says what they are for (default: by -o's suffix)",
			.complete = "folded|pprof|firefox|speedscope|chrome|callgrind|csv|list"),
		OPT_STRING('o', "output", &c.output, "FILE", "write FILE (- and default: stdout); .gz at its end compresses",
			   .complete = "file"),
		OPT_CHOICE(0, "with", &c.options.with, "comm|pid|tid", "WHAT",
			   "folded: tasks by comm, or with their pid or tid (default comm)", .is_set = &c.with_set),
		OPT_CHOICE(
			0, "weight", &c.weight, "samples|period|duration", "WHAT",
			"folded: numbers of samples, sums of their period, or of the time that system calls and the like took (default samples)",
			.is_set = &c.weight_set),
		OPT_BOOL(0, "annotate", &c.options.annotate, "folded: mark kernel _[k], inlined _[i] and JIT _[j] functions"),
		OPT_GROUP("Input"),
		INPUT_OPTIONS(&c.in),
		OPT_GROUP("Which samples"),
		INPUT_FILTERS(&c.in),
		OPT_CALL('d', "dsos", input_option_filter, &c.in, "NAME,…", "only samples in these files"),
		OPT_STRING('e', "event", &c.event, "NAME", "only samples of this event (default all)"),
		OPT_BOOL(0, "inline", &c.inlines, "functions that the compiler inlined are frames of their own (default)"),
		OPT_END,
	};
	const struct options opts = {
		.command = "export",
		.usage = "assay export --format NAME [OPTIONS] [-o FILE] [RECORDING]",
		.summary = "Writes a recording in the format of another tool.",
		.examples = "  assay export -o profile.pb.gz && go tool pprof -http=: profile.pb.gz\n"
			    "  assay export --format firefox -o profile.json.gz\n"
			    "  assay export --format folded | awk '{ print $NF, $0 }' | sort -n | tail\n",
		.table = table,
	};

	input_init(&c.in);
	err = cmd_parse(&opts, &argc, &argv, eb);
	if (err)
		goto out;
	if (c.list) {
		list_formats();
		goto out;
	}
	c.options.periods = c.weight;
	c.in.by_duration = c.weight == 2;
	err = check_words(&c, argc, argv, eb);
	if (!err)
		err = input_open(&c.in, false, eb);
	if (!err)
		err = check_output(&c, eb);
	if (!err)
		err = run(&c, eb);
	if (!err)
		err = input_finish(&c.in, eb);
out:
	input_fini(&c.in);
	return err;
}
