/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * `assay inject`: a copy of a recording with images of generated code, or with build-ids.
 */
#include "inject/inject.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "capture/output.h"
#include "cmd/cmd.h"
#include "cmd/input.h"
#include "cmd/output_file.h"
#include "cmd/perf_compat.h"
#include "perfdata/reader.h"

struct inject_cmd {
	const char *input, *output;
	struct inject_options options;
	bool force, quiet;
	int verbose;
};

/* Until the reader of a pipe takes something; what goes wrong the write will report. */
static int await_reader(void *ctx, int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };

	(void)ctx;
	return poll(&p, 1, -1) < 0 && errno != EINTR ? -errno : 0;
}

static void report_result(const struct inject_cmd *c, const struct inject_result *r)
{
	const char *to = output_file_is_stdout(c->output) ? "standard output" : c->output;

	if (r->nr_left_out)
		log_warn("%llu records of %s are malformed, and were not copied", (unsigned long long)r->nr_left_out, c->input);
	if (r->nr_unnamed)
		log_warn("%llu functions of generated code have no image, as there are too many", (unsigned long long)r->nr_unnamed);
	if (c->options.jit && !r->nr_dumps && !r->nr_bad_dumps)
		log_warn("%s has no jitdump: programs write one with node --perf-prof, python3 -X perf_jit and the like", c->input);
	if (r->nr_unknown_files)
		log_warn("%u files have no build-id that could be found, among them %s", r->nr_unknown_files, r->unknown_file);
	if (r->nr_dumps)
		log_info("%u functions of %u jitdumps written as files and into %s", r->nr_images, r->nr_dumps, to);
	if (c->options.build_ids || c->options.all_build_ids)
		log_info("%u build-ids added to %s", r->nr_build_ids, to);
}

/* Waits for the reader of a FIFO. */
static int open_output(struct output *out, const char *path, struct errbuf *eb)
{
	struct stat st;
	int err;

	while ((err = output_open(out, path, true, eb)) == -ENXIO && !stat(path, &st) && S_ISFIFO(st.st_mode)) {
		output_close(out);
		*out = (struct output){ 0 };
		*eb = (struct errbuf){ 0 };
		usleep(20000);
	}
	return err;
}

static int copy(struct inject_cmd *c, struct record_source *source, struct output *out, struct errbuf *eb)
{
	struct inject_result result;
	struct errbuf why = { "" };
	bool is_written;
	int err;

	signal(SIGXFSZ, SIG_IGN); /* write(2) says EFBIG */
	c->options.writer = (struct writer_options){ .pipe_mode = out->is_pipe, .wait = out->may_block ? await_reader : NULL };
	err = inject_run(source, out->fd, &c->options, &result, eb);
	/* Of a damaged recording there is a copy of what could be read. */
	is_written = !err || err == -ENODATA || err == -EBADMSG;
	if (is_written) {
		int commit_err = output_commit_unnamed(out, &why);

		if (commit_err)
			return errbuf_set(eb, commit_err, "%s", why.text);
		report_result(c, &result);
	}
	if (!err && result.nr_bad_dumps)
		err = errbuf_set(eb, -ENODATA, "%u jitdumps could not be read: their code has no names in the copy", result.nr_bad_dumps);
	return err;
}

static int run(struct inject_cmd *c, struct errbuf *eb)
{
	struct record_source *source;
	struct output out = { 0 };
	int err = reader_open(&source, c->input, c->force ? READER_ANY_OWNER : READER_OWN_FILES, eb);

	if (err)
		return err;
	err = open_output(&out, c->output, eb);
	if (err)
		record_source_close(source);
	else
		err = copy(c, source, &out, eb);
	output_close(&out);
	return err;
}

int cmd_inject(int argc, char **argv, struct errbuf *eb)
{
	struct inject_cmd c = { .output = "-" };
	const struct option table[] = {
		OPT_STRING('i', "input", &c.input, "FILE", "read FILE (- is stdin; default perf.data)", .complete = "file"),
		OPT_STRING('o', "output", &c.output, "FILE", "write FILE (default: -, standard output)", .complete = "file"),
		OPT_BOOL('j', "jit", &c.options.jit, "generated code: write jitdumps as ELF files, and when they were mapped where"),
		OPT_BOOL('b', "build-ids", &c.options.build_ids, "list build-ids of the files that samples were in"),
		OPT_BOOL(0, "buildid-all", &c.options.all_build_ids, "list build-ids of all files whose code was mapped"),
		OPT_BOOL('f', "force", &c.force, "read a file that another user owns"),
		OPT_COUNT('v', "verbose", &c.verbose, "say what was added (twice: debugging)"),
		OPT_BOOL('q', "quiet", &c.quiet, "no warnings"),
		OPT_END,
	};
	const struct options opts = {
		.command = "inject",
		.usage = "assay inject [OPTIONS] [FILE]",
		.summary = "Copies a profile and adds files of generated code, or build-ids, to it, for readers that need them.",
		.examples = "  assay record -k mono -- node --perf-prof app.js\n"
			    "  assay inject -j -i perf.data -o jit.data && perf report -i jit.data\n"
			    "  assay record -o - -- make | assay inject -b | perf report -i -\n",
		.table = table,
		.absent = perf_inject_absent,
	};
	int err = cmd_parse(&opts, &argc, &argv, eb);

	if (err)
		return err;
	if (input_take_file(&c.input, "inject", argc, argv, eb))
		return CMD_USAGE;
	cmd_set_log_level(c.quiet, c.verbose);
	if (!c.input)
		c.input = input_default_path(NULL, eb);
	if (!c.input)
		return -ENOENT;
	err = output_file_check(c.output, c.input, eb);
	return err ? err : run(&c, eb);
}
