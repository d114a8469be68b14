/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * assay import: a profile of another tool becomes a perf.data.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "capture/output.h"
#include "cmd/cmd.h"
#include "cmd/input_import.h"

struct import_cmd {
	const char *output;
	struct import_options options;
	bool quiet;
};

static int take_format(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct import_cmd *c = ctx;
	int format = import_format_find(arg);

	(void)opt, (void)negated;
	if (format < 0)
		return errbuf_set(eb, -EINVAL, "import: --format=%s: there is folded, pprof and perf-script", arg);
	c->options.format = (enum import_format)format;
	return 0;
}

static void tell(const struct import_cmd *c, const char *name, const struct import_result *r)
{
	if (c->quiet)
		return;
	if (r->is_recording)
		log_warn("%s was a packed recording: unpacked to %s", name, c->output);
	else
		log_warn("%s: %llu samples of %s imported into %s", name, (unsigned long long)r->nr_samples, import_format_name(r->format), c->output);
}

static int run(const struct import_cmd *c, const char *path, struct errbuf *eb)
{
	bool is_stdin = !strcmp(path, "-");
	const char *name = is_stdin ? "standard input" : path;
	int err, in = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	struct import_result result;
	struct output out = { 0 };

	if (in < 0)
		return errbuf_set(eb, -errno, errno == ENOENT ? "there is no file %s" : "cannot open %s", path);
	err = output_open(&out, c->output, eb);
	if (!err && out.is_pipe)
		err = errbuf_set(eb, CMD_USAGE, "import: a recording with its names cannot go through a pipe; name a file with -o FILE");
	if (!err)
		err = import_file(in, out.fd, name, &c->options, &result, eb);
	if (!err) {
		output_commit(&out);
		input_import_warn(name, &result);
		tell(c, name, &result);
	}
	output_close(&out);
	if (!is_stdin)
		close(in);
	return err;
}

int cmd_import(int argc, char **argv, struct errbuf *eb)
{
	struct import_cmd c = { .output = "perf.data" };
	const struct option table[] = {
		OPT_STRING('o', "output", &c.output, "FILE", "write FILE (default perf.data)", .complete = "file"),
		OPT_CALL(0, "format", take_format, &c, "FORMAT", "what it is: folded, pprof or perf-script (default: by what it looks like)",
			 .complete = "folded|pprof|perf-script"),
		OPT_BOOL(0, "comm", &c.options.first_is_comm, "folded: the outermost frame is the name of a task"),
		OPT_BOOL('q', "quiet", &c.quiet, "no warnings"),
		OPT_END,
	};
	const struct options opts = {
		.command = "import",
		.usage = "assay import [OPTIONS] [FILE|-]",
		.summary = "Turns a profile of another tool into a perf.data that all commands read.",
		.examples = "  assay import cpu.pb.gz && assay report\n"
			    "  perf script | assay import -o perf.data\n"
			    "  assay flame -i out.folded      all commands import on the way, too\n",
		.table = table,
	};
	int err = options_parse(&opts, &argc, &argv, eb);

	if (err)
		return cmd_options_status(err);
	if (argc > 1)
		return errbuf_set(eb, CMD_USAGE, "import: '%s' is one word too many", argv[1]);
	if (!argc && isatty(STDIN_FILENO))
		return errbuf_set(eb, CMD_USAGE, "import: name the file to import, or - for standard input");
	if (c.quiet)
		log_level = LOG_QUIET;
	return run(&c, argc ? argv[0] : "-", eb);
}
