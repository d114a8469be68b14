/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * assay import: a profile of another tool becomes a perf.data.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/log.h"
#include "capture/output.h"
#include "cmd/cmd.h"
#include "cmd/input.h"
#include "perfdata/reader.h"

struct import_cmd {
	const char *output;
	struct import_options options;
	bool quiet, force;
};

/* Other names of the same things. */
static const char *hint_for(const char *name)
{
	static const char *const names[][2] = {
		{ "collapsed", "; collapsed stacks are --format=folded" },
		{ "stackcollapse", "; collapsed stacks are --format=folded" },
		{ "flamegraph", "; collapsed stacks are --format=folded" },
		{ "diff", "; pairs of counts are --format=folded" },
		{ "script", "; did you mean perf-script?" },
		{ "perf", "; did you mean perf-script?" },
		{ "text", "; did you mean perf-script?" },
		{ "pb", "; did you mean pprof?" },
		{ "pb.gz", "; did you mean pprof?" },
		{ "proto", "; did you mean pprof?" },
		{ "protobuf", "; did you mean pprof?" },
		{ "go", "; did you mean pprof?" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(names[i][0], name))
			return names[i][1];
	return "";
}

static int take_format(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct import_cmd *c = ctx;
	int format = import_format_find(arg);

	(void)opt, (void)negated;
	if (format < 0)
		return errbuf_set(eb, -EINVAL, "import: --format=%s: there is folded, pprof and perf-script%s", arg, hint_for(arg));
	c->options.format = (enum import_format)format;
	return 0;
}

static void report_result(const struct import_cmd *c, const char *name, const struct import_result *r)
{
	const char *to = !strcmp(c->output, "-") ? "standard output" : c->output;
	const char *format = import_format_name(r->format);

	if (c->quiet)
		return;
	if (r->is_recording && r->is_packed)
		log_warn("%s was a packed recording: unpacked to %s", name, to);
	else if (r->is_recording)
		log_warn("%s is a perf.data already: copied to %s", name, to);
	else if (r->is_pair)
		log_warn("%s: two counts a line, imported into %s as the events 'before' and 'after'", name, to);
	else if (r->has_sums)
		log_warn("%s: %llu sums of %s imported into %s", name, (unsigned long long)r->nr_samples, format, to);
	else
		log_warn("%s: %llu samples of %s imported into %s", name, (unsigned long long)r->nr_samples, format, to);
}

/* A reader decides how fast it takes what is written. */
static int write_some(int fd, const char *data, size_t size)
{
	ssize_t n = write(fd, data, size);

	if (n >= 0)
		return (int)n;
	if (errno == EAGAIN) {
		struct pollfd p = { .fd = fd, .events = POLLOUT };

		poll(&p, 1, -1);
		return 0;
	}
	return errno == EINTR ? 0 : -errno;
}

static int copy_out(int from, int to, const char *name, struct errbuf *eb)
{
	char buf[1 << 16];
	uint64_t off = 0;
	ssize_t got;

	while ((got = io_pread(from, buf, sizeof(buf), off)) > 0) {
		off += (uint64_t)got;
		for (ssize_t done = 0, n; done < got; done += n) {
			n = write_some(to, buf + done, (size_t)(got - done));
			if (n < 0)
				return errbuf_set(eb, (int)n, "cannot write to %s: %s", name, strerror((int)-n));
		}
	}
	return got < 0 ? errbuf_set(eb, (int)got, "cannot read back what was imported: %s", strerror((int)-got)) : 0;
}

/* Into a pipe it goes as a whole: parts of the file are written last that stand at its beginning. */
static int import_to(const struct import_cmd *c, int in, const char *name, struct output *out, struct import_result *result,
		     struct errbuf *eb)
{
	int err, fd = out->fd;

	if (out->is_pipe) {
		fd = memfd_create("assay-import", MFD_CLOEXEC);
		if (fd < 0)
			return errbuf_set(eb, -errno, "cannot make a file in memory: %s", strerror(errno));
	}
	err = import_file(in, fd, name, &c->options, result, eb);
	if (!err && out->is_pipe)
		err = copy_out(fd, out->fd, c->output, eb);
	if (out->is_pipe)
		close(fd);
	return err;
}

static bool is_fifo(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISFIFO(st.st_mode);
}

/* Waits for the reader of a FIFO; a socket has none to wait for. */
static int open_output(struct output *out, const char *path, struct errbuf *eb)
{
	int err;

	while ((err = output_open(out, path, true, eb)) == -ENXIO && is_fifo(path)) {
		output_close(out);
		*out = (struct output){ 0 };
		*eb = (struct errbuf){ 0 };
		usleep(20000);
	}
	return err;
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
	err = open_output(&out, c->output, eb);
	if (!err)
		err = import_to(c, in, name, &out, &result, eb);
	if (!err && result.is_recording && !is_stdin && !c->force)
		err = reader_check_owner(in, name, eb);
	if (!err)
		err = output_commit_unnamed(&out, eb);
	if (!err) {
		input_import_warn(name, &result);
		report_result(c, name, &result);
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
		OPT_STRING('o', "output", &c.output, "FILE", "write FILE (default perf.data; -: standard output)", .complete = "file"),
		OPT_CALL(0, "format", take_format, &c, "FORMAT",
			 "what it is: folded, pprof or perf-script (default: by what it looks like)",
			 .complete = "folded|pprof|perf-script"),
		OPT_BOOL(0, "comm", &c.options.first_is_comm, "folded: the outermost frame is the name of a task"),
		OPT_BOOL('f', "force", &c.force, "copy a perf.data that another user owns"),
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
	int err = cmd_parse(&opts, &argc, &argv, eb);

	if (err)
		return err;
	if (argc > 1)
		return errbuf_set(eb, CMD_USAGE, "import: unexpected argument '%s'", argv[1]);
	if (!argc && isatty(STDIN_FILENO))
		return errbuf_set(eb, CMD_USAGE, "import: name the file to import, or - for standard input");
	if (c.quiet)
		log_level = LOG_QUIET;
	return run(&c, argc ? argv[0] : "-", eb);
}
