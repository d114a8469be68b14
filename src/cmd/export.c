/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * assay export: a recording in the formats of other tools.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/gzip.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/suggest.h"
#include "cmd/cmd.h"
#include "cmd/input.h"
#include "model/profile.h"
#include "view/export.h"

#define PROGRESS_EVERY 16384 /* records */
#define MAX_LISTED     10    /* names of events in a sentence */

struct export_command {
	struct input in;
	struct export_options options;
	const char *format, *output, *event;
	bool inlines, format_set, list;
	bool with_set, weight_set;
	/* where it goes */
	int fd;
	bool is_file, is_new, is_gzip;
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
	suggest_init(&s, arg);
	for (int i = 0; i < EXPORT_NR_FORMATS; i++)
		suggest_offer(&s, export_format_get((enum export_format)i)->name);
	return errbuf_set(eb, -EINVAL, "--format: there is no format '%s'%s%s%s; 'assay export --format list' shows all", arg,
			  s.best ? "; did you mean '" : "", s.best ? s.best : "", s.best ? "'?" : "");
}

static int option_with(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	static const char *const words[] = { "comm", "pid", "tid" };
	struct export_command *c = ctx;

	(void)opt, (void)negated;
	c->with_set = true;
	for (int i = 0; i < 3; i++) {
		if (!strcmp(arg, words[i])) {
			c->options.with = (enum export_with)i;
			return 0;
		}
	}
	return errbuf_set(eb, -EINVAL, "--with: '%s' is none of comm, pid, tid", arg);
}

static int option_weight(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct export_command *c = ctx;

	(void)opt, (void)negated;
	c->weight_set = true;
	c->options.periods = !strcmp(arg, "period");
	if (c->options.periods || !strcmp(arg, "samples"))
		return 0;
	return errbuf_set(eb, -EINVAL, "--weight: '%s' is none of samples, period", arg);
}

static void list_formats(void)
{
	struct out o;

	out_init(&o, STDOUT_FILENO);
	for (int i = 0; i < EXPORT_NR_FORMATS; i++) {
		const struct export_format_info *f = export_format_get((enum export_format)i);

		out_printf(&o, "%-11s %s%s%s%s\n", f->name, f->summary, f->suffix ? " (" : "", f->suffix ? f->suffix : "",
			   !f->suffix ? "" : f->is_gzip ? ".gz)" : ")");
	}
	out_fini(&o);
}

/* Words that only one format has a use for. */
static int check_folded(const struct export_command *c, struct errbuf *eb)
{
	const struct input_switch words[] = { { "--with", c->with_set }, { "--weight", c->weight_set }, { "--annotate", c->options.annotate } };

	for (size_t i = 0; c->options.format != EXPORT_FOLDED && i < sizeof(words) / sizeof(*words); i++)
		if (words[i].given)
			return errbuf_set(eb, CMD_USAGE, "export: %s is for --format folded: %s has all of that as it is", words[i].name,
					  export_format_get(c->options.format)->name);
	return 0;
}

static int choose_format(struct export_command *c, struct errbuf *eb)
{
	int format = c->output ? export_format_guess(c->output) : -ENOENT;

	if (!c->format_set) {
		if (format < 0)
			return errbuf_set(eb, CMD_USAGE, "export: which format? Name one, as in 'assay export --format pprof -o profile.pb.gz'; "
					  "'--format list' shows all");
		c->options.format = (enum export_format)format;
	}
	c->is_gzip = export_format_get(c->options.format)->is_gzip;
	if (c->output && strlen(c->output) > 3 && !strcmp(c->output + strlen(c->output) - 3, ".gz"))
		c->is_gzip = true;
	return check_folded(c, eb);
}

/* Opened before anything is read, so that a wrong name costs no time; emptied when there is something to write. */
static int open_output(struct export_command *c, struct errbuf *eb)
{
	struct stat in, out;

	c->fd = STDOUT_FILENO;
	if (!c->output || !strcmp(c->output, "-")) {
		if (c->is_gzip && isatty(STDOUT_FILENO))
			return errbuf_set(eb, CMD_USAGE, "export: %s is binary: write it to a file, as in 'assay export -o profile.pb.gz'",
					  export_format_get(c->options.format)->name);
		return 0;
	}
	c->fd = open(c->output, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	c->is_new = c->fd >= 0;
	if (c->fd < 0 && errno == EEXIST)
		c->fd = open(c->output, O_WRONLY | O_CLOEXEC);
	if (c->fd < 0)
		return errbuf_set(eb, -errno, "cannot write %s: %s", c->output, strerror(errno));
	c->is_file = !fstat(c->fd, &out) && S_ISREG(out.st_mode);
	if (c->is_file && c->in.path && !stat(c->in.path, &in) && in.st_dev == out.st_dev && in.st_ino == out.st_ino)
		return errbuf_set(eb, CMD_USAGE, "export: -o %s is the recording itself", c->output);
	return 0;
}

/* What is there after a failure is no export. */
static int close_output(struct export_command *c, int err, struct errbuf *eb)
{
	if (c->fd < 0 || c->fd == STDOUT_FILENO)
		return err;
	if (close(c->fd) && !err)
		err = errbuf_set(eb, -errno, "cannot write %s: %s", c->output, strerror(errno));
	c->fd = -1;
	return err;
}

static int load(const struct export_command *c, struct session *s, struct profile *p, struct errbuf *eb)
{
	struct session_record sr;
	struct progress progress;
	int ret;

	progress_init(&progress, "reading", reader_total_bytes(s->reader));
	while ((ret = session_next(s, &sr, eb)) > 0) {
		if (sr.header->type == RECORD_SAMPLE && filter_keeps_sample(&c->in.filter, &sr))
			profile_add(p, &sr);
		if (s->stats.nr_records % PROGRESS_EVERY == 0)
			progress_update(&progress, reader_done_bytes(s->reader));
	}
	progress_fini(&progress);
	return ret;
}

/* Events of a pipe are known in the end only. */
static int find_event(struct export_command *c, const struct session *s, struct errbuf *eb)
{
	struct out names;
	int err;

	c->options.event = -1;
	if (!c->event)
		return 0;
	for (uint32_t i = 0; i < s->info->events.nr; i++) {
		if (!strcmp(s->info->events.v[i].name, c->event)) {
			c->options.event = (int32_t)i;
			return 0;
		}
	}
	out_init(&names, -1);
	for (uint32_t i = 0; i < s->info->events.nr && i < MAX_LISTED; i++)
		out_printf(&names, "%s%s", i ? ", " : "", s->info->events.v[i].name);
	out_char(&names, 0);
	err = errbuf_set(eb, -ENOENT, "--event: this recording has no event '%s'; it has %s", c->event, names.buf);
	out_fini(&names);
	return err;
}

static int write_export(struct export_command *c, struct profile *p, struct errbuf *eb)
{
	struct gzip_pipe gzip = { 0 };
	struct out o;
	int err, gzip_err;

	if (c->is_file && ftruncate(c->fd, 0))
		return errbuf_set(eb, -errno, "cannot write %s: %s", c->output, strerror(errno));
	if (c->is_gzip) {
		err = gzip_pipe_open(&gzip, c->fd, GZIP_USUAL, eb);
		if (err)
			return err;
	}
	out_init(&o, c->is_gzip ? gzip.in_fd : c->fd);
	if (!c->is_gzip)
		out_write_behind(&o);
	export_profile(&o, p, &c->in.filter, &c->in.quality, &c->options);
	err = out_fini(&o);
	gzip_err = gzip_pipe_close(&gzip);
	err = gzip_err ? gzip_err : err;
	if (err && err != -EPIPE)
		return errbuf_set(eb, err, "cannot write %s: %s", c->output ? c->output : "standard output", strerror(-err));
	return err;
}

static int run(struct export_command *c, struct session *s, struct errbuf *eb)
{
	struct profile p;
	int err;

	profile_init(&p, s);
	p.max_stack = (uint32_t)c->in.max_stack;
	p.source = c->inlines ? PROFILE_INLINES : PROFILE_LINES;
	/* Folded stacks have no lines: without inlined functions nobody needs the debug information. */
	if (!c->inlines && c->options.format == EXPORT_FOLDED)
		p.source = PROFILE_SYMBOLS;
	err = load(c, s, &p, eb);
	if (!err)
		err = find_event(c, s, eb);
	if (!err) {
		profile_symbolize(&p);
		quality_of_profile(&c->in.quality, &p);
		c->in.quality_known = true;
		c->options.name = strcmp(c->in.path, "-") ? c->in.path : "standard input";
		err = write_export(c, &p, eb);
	}
	profile_fini(&p);
	return err;
}

static int check_words(struct export_command *c, int argc, char **argv, struct errbuf *eb)
{
	if (argc > 1 || (argc && c->in.path))
		return errbuf_set(eb, CMD_USAGE, "export: '%s' is one word too many; a single word is the file to read", argv[argc - 1]);
	if (argc)
		c->in.path = argv[0];
	return choose_format(c, eb);
}

int cmd_export(int argc, char **argv, struct errbuf *eb)
{
	struct export_command c = { .inlines = true, .fd = -1 };
	struct session *s = NULL;
	int err;
	const struct option table[] = {
		OPT_GROUP("Output"),
		OPT_CALL(0, "format", option_format, &c, "NAME",
			 "folded, pprof, firefox, speedscope, chrome, callgrind or csv; list says what they are for (default: by -o's suffix)",
			 .complete = "folded|pprof|firefox|speedscope|chrome|callgrind|csv|list"),
		OPT_STRING('o', "output", &c.output, "FILE", "write FILE (- and default: stdout); .gz at its end compresses", .complete = "file"),
		OPT_CALL(0, "with", option_with, &c, "WHAT", "folded: tasks by comm, or with their pid or tid (default comm)",
			 .complete = "comm|pid|tid"),
		OPT_CALL(0, "weight", option_weight, &c, "WHAT", "folded: numbers of samples, or sums of their period (default samples)",
			 .complete = "samples|period"),
		OPT_BOOL(0, "annotate", &c.options.annotate, "folded: mark kernel _[k], inlined _[i] and JIT _[j] functions"),
		OPT_GROUP("Input"),
		INPUT_OPTIONS(&c.in),
		OPT_GROUP("Which samples"),
		INPUT_FILTERS(&c.in),
		OPT_CALL('d', "dsos", input_option_dsos, &c.in, "NAME,…", "only samples in these files"),
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
			    "  assay export --format folded | sort -k2 -n | tail\n",
		.table = table,
	};

	input_init(&c.in);
	err = options_parse(&opts, &argc, &argv, eb);
	if (err) {
		err = cmd_options_status(err);
		goto out;
	}
	if (c.list) {
		list_formats();
		goto out;
	}
	err = check_words(&c, argc, argv, eb);
	if (!err)
		err = input_open(&c.in, &s, false, eb);
	if (!err)
		err = open_output(&c, eb);
	if (!err)
		err = run(&c, s, eb);
	if (!err)
		err = input_finish(&c.in, s, eb);
	else if (c.is_new)
		unlink(c.output);
out:
	err = close_output(&c, err, eb);
	session_close(s);
	input_fini(&c.in);
	return err;
}
