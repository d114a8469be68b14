/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * `assay profile`: from a command to the answer in one step. Records with the best stacks there are here, prints the hottest functions, the
 * hottest path and how far to trust them, and writes the page of `assay view`. All of it is what record, report and view do.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "abi/offcpu.h"
#include "base/log.h"
#include "base/terminal.h"
#include "capture/capture.h"
#include "capture/output.h"
#include "cmd/cmd.h"
#include "cmd/output_file.h"
#include "cmd/record_options.h"
#include "cmd/runtimes.h"
#include "cmd/view.h"
#include "view/quality_text.h"
#include "view/report.h"

#define DEFAULT_FREQ_HZ 1000 /* ten seconds of a busy program are ten thousand samples: enough, and cheap */
#define SHOWN_THRESH_MS 1    /* waits of at least so long are samples of their own on the time line */

struct profile_command {
	struct capture_options o;
	const char *output;
	uint64_t seconds;
	bool off_cpu, python, runtimes, quiet;
	int verbose;
};

/* What `record --call-graph dwarf --python --off-cpu --runtimes` does, as far as this machine allows it. */
static int prepare(struct profile_command *c, char **workload, struct errbuf *eb)
{
	struct event_config *config = &c->o.config;

	c->o.workload = workload;
	c->o.duration_ms = c->seconds * 1000;
	c->o.ask_jvms = true;
	c->o.python = c->python;
	c->o.off_cpu = c->off_cpu;
	c->o.off_cpu_may_fail = true;
	c->o.off_cpu_thresh_ms = SHOWN_THRESH_MS;
	config->callgraph = CALLGRAPH_DWARF;
	if (!config->freq_given)
		config->freq = DEFAULT_FREQ_HZ;
	config->freq_given = true;
	/* Samples of several kinds are distinguished by ids, and ordered by one clock. */
	config->sample_identifier = config->timestamp = config->sample_cpu = config->has_clockid = true;
	config->clockid = CLOCK_MONOTONIC;
	return c->runtimes && workload ? runtimes_prepare(workload, c->python, eb) : 0;
}

/* Of the first event that has samples: the time on the CPU. */
static void put_answer(struct out *o, const struct input *in)
{
	const struct recording *r = &in->session->recording;
	struct report_text_options text = { .colour = out_is_colourful(STDOUT_FILENO), .answers_plainly = true };
	bool has_answer = false;

	text.ascii = !terminal_is_utf8();
	text.line_width = terminal_size_of(STDOUT_FILENO).columns;
	for (uint32_t i = 0; i < r->info->events.nr && !has_answer; i++) {
		struct hist_options options;
		struct hist h;

		if (attr_is_dummy(&r->info->events.v[i].attr) || !strcmp(r->info->events.v[i].name, OFFCPU_EVENT_NAME))
			continue;
		report_answer_options(&options);
		hist_init(&h, in->profile, &options, i);
		hist_build(&h, NULL);
		hist_sort(&h);
		has_answer = h.nr_samples;
		if (has_answer)
			report_answer(o, &text, &h);
		hist_fini(&h);
	}
	if (!has_answer)
		out_str(o, "No samples on a CPU: the program slept, or ended before the first one was due.\n\n");
}

static void put_note(void *ctx, bool is_loud, const char *text)
{
	out_printf(ctx, "%s%s\n", is_loud ? "WARNING: " : "         ", text);
}

/* How far to trust it, and where to go on. */
static void put_rest(struct out *o, const struct profile_command *c, const struct input *in, bool has_page)
{
	char line[QUALITY_LINE_SIZE];

	quality_line(&in->quality, line, sizeof(line));
	out_printf(o, "Quality: %s\n", line);
	quality_notes(&in->quality, put_note, o);
	out_char(o, '\n');
	if (has_page)
		out_printf(o, "Page:      %s (open it in a browser)\n", c->output);
	out_printf(o, "Recording: %s (%s)\n", c->o.output,
		   has_page ? "assay report, assay flame, assay annotate" : "assay view writes the page of it");
}

static int show(struct profile_command *c, struct errbuf *eb)
{
	const struct viewer_options options = { .with_code = true };
	struct input in;
	struct out o;
	int err, written = 0;

	input_init(&in);
	in.path = c->o.output;
	in.quiet = true; /* the recorder has said what is missing */
	err = input_open(&in, false, eb);
	if (!err)
		err = output_file_check(c->output, in.path, eb);
	if (!err) {
		in.profile->source = PROFILE_INLINES;
		err = view_write(&in, &options, c->output, eb);
	}
	/* Also where there was no room for the page. */
	if (!err || in.quality_known) {
		out_init(&o, STDOUT_FILENO);
		put_answer(&o, &in);
		put_rest(&o, c, &in, !err);
		written = out_fini(&o);
		in.quality_shown = true;
	}
	if (!err)
		err = written ? written : input_finish(&in, eb);
	input_fini(&in);
	return err;
}

static int run(struct profile_command *c, int argc, char **argv, struct errbuf *eb)
{
	bool has_target = c->o.pids || c->o.tids || c->o.user || c->o.cpus || c->o.all_cpus;
	int ret, err;

	if (!argc && !has_target)
		return errbuf_set(eb, CMD_USAGE, "profile: give a command, or -p PID for a running process, or -a for the whole machine");
	if (output_is_stdout(c->o.output) || output_file_is_stdout(c->output))
		return errbuf_set(eb, CMD_USAGE,
				  "profile: its files cannot go to standard output: 'assay record -o -' and 'assay view -o -' can");
	cmd_set_log_level(c->quiet, c->verbose);
	if (!strcmp(c->output, c->o.output))
		return errbuf_set(eb, CMD_USAGE, "profile: -o and --data name one file, '%s'", c->output);
	err = output_file_check(c->output, c->o.output, eb);
	if (!err)
		err = prepare(c, argc ? argv : NULL, eb);
	if (err)
		return err;
	cmd_check_cache();
	ret = capture_run(&c->o, eb);
	/* With a message: the command could not be run. */
	if (ret < 0 || *eb->text)
		return ret;
	err = show(c, eb);
	/* Ctrl-C is how the profile of what runs already ends. */
	if (!err && !argc && ret == 128 + SIGINT)
		ret = 0;
	return err ? err : ret;
}

int cmd_profile(int argc, char **argv, struct errbuf *eb)
{
	struct profile_command c = { .output = VIEW_DEFAULT_FILE, .off_cpu = true, .python = true, .runtimes = true };
	const struct option table[] = {
		OPT_GROUP("Target"),
		CMD_TARGET_OPTIONS(&c.o, 't'),
		OPT_STRING('u', "uid", &c.o.user, "USER", "The processes of a user (name or number)"),
		OPT_U64(0, "duration", &c.seconds, 1, 1000000, "SECONDS",
			"Record for this long (default: until the command ends, or Ctrl-C)"),
		OPT_GROUP("How"),
		OPT_CALL_NO('F', "freq", record_option_freq, &c.o, "HZ|max", "Samples per second (default: 1000)"),
		OPT_BOOL(0, "off-cpu", &c.off_cpu, "The time that threads wait, too (default, where BPF can be used)"),
		OPT_BOOL(0, "python", &c.python, "Functions of CPython by name (default, where BPF can be used)"),
		OPT_BOOL(0, "runtimes", &c.runtimes,
			 "Set variables for the command by which Node, Java and .NET describe their code (default; printed)"),
		OPT_GROUP("Output"),
		OPT_STRING('o', "output", &c.output, "FILE", "The page (default: profile.html)", .complete = "file"),
		OPT_STRING(0, "data", &c.o.output, "FILE", "The recording (default: perf.data)", .complete = "file"),
		OPT_BOOL('q', "quiet", &c.quiet, "No messages but the answer and errors"),
		OPT_COUNT('v', "verbose", &c.verbose, "Say more"),
		OPT_END,
	};
	const struct options opts = {
		.command = "profile",
		.usage = "assay profile [OPTIONS] [--] COMMAND [ARG…]\n"
			 "assay profile [OPTIONS] -p PID|-t TID|-u USER|-a [--duration SECONDS]",
		.summary = "Records a program, prints where its time went and how far to trust that, and writes a page to look around in",
		.examples = "assay profile -- ./app                      a command\n"
			    "assay profile -p 1234                       a running process, until Ctrl-C\n"
			    "assay profile -a --duration 10              the whole machine for ten seconds\n",
		.table = table,
		.flags = OPTIONS_STOP_AT_WORD,
	};
	int ret;

	capture_options_init(&c.o);
	capture_options_set_cmdline(&c.o, NULL, argc, argv);
	ret = cmd_parse(&opts, &argc, &argv, eb);
	if (!ret)
		ret = run(&c, argc, argv, eb);
	capture_options_fini(&c.o);
	return ret;
}
