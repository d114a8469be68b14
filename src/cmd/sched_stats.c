/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * assay sched stats: the counters of /proc/schedstat, recorded, shown and compared.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/out.h"
#include "capture/schedstat_capture.h"
#include "cmd/cmd.h"
#include "cmd/sched.h"
#include "model/filter.h"
#include "perfdata/reader.h"
#include "perfdata/schedstat_record.h"
#include "view/schedstat_text.h"

#define FILE_MAX (64u << 20) /* a machine of 4,096 CPUs has 10 MB */

struct stats_command {
	struct capture_options capture;
	const char *input, *output;
	struct filter filter;
	int verbose;
	bool force; /* files of other users are read */
};

static int take_cpus(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	(void)negated;
	return filter_add_cpus(ctx, opt->long_name, arg, eb);
}

/* The two readings of a file, and how far counters moved between them. */
struct stats_side {
	struct schedstat s;
	struct schedstat_sums sums;
};

static void side_fini(struct stats_side *side)
{
	schedstat_fini(&side->s);
	schedstat_sums_fini(&side->sums);
}

static int read_whole(const char *path, bool force, char **data, size_t *size, struct errbuf *eb)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY), err;

	if (fd < 0 && errno == ENOENT)
		return errbuf_set(eb, -errno, "there is no file %s; 'assay sched stats record -- COMMAND' records what this command reads",
				  path);
	if (fd < 0)
		return errbuf_set(eb, -errno, "cannot read %s: %s", path, strerror(errno));
	err = force ? 0 : reader_check_owner(fd, path, eb);
	if (!err) {
		err = io_read_rest(fd, FILE_MAX, data, size);
		if (err)
			errbuf_set(eb, err, "cannot read %s: %s", path, strerror(-err));
	}
	close(fd);
	return err;
}

static int side_read(struct stats_side *side, const char *path, bool force, struct errbuf *eb)
{
	char *data = NULL;
	size_t size;
	int err = read_whole(path, force, &data, &size, eb);

	if (err)
		return err;
	err = schedstat_decode(&side->s, data, size, path, eb);
	free(data);
	return err ? err : schedstat_sums_init(&side->sums, &side->s, path, eb);
}

static int print_side(const struct stats_command *c, const struct stats_side *side)
{
	struct out o;
	struct schedstat_text t = { &o, c->verbose, &side->s, c->filter.cpus.v, c->filter.cpus.nr };

	out_init(&o, STDOUT_FILENO);
	schedstat_text_report(&t, &side->sums);
	return out_fini(&o);
}

static int report(struct stats_command *c, int argc, char **argv, struct errbuf *eb)
{
	struct stats_side side = { 0 };
	int err = input_take_file(&c->input, "sched stats report", argc, argv, eb);

	if (!err)
		err = side_read(&side, c->input ? c->input : "perf.data", c->force, eb);
	if (!err)
		err = print_side(c, &side);
	side_fini(&side);
	return err;
}

static bool has_same_lines(const struct schedstat_sums *a, const struct schedstat_sums *b)
{
	if (a->version != b->version || a->means.nr != b->means.nr)
		return false;
	for (uint32_t i = 0; i < a->means.nr; i++)
		if (a->means.v[i].is_domain != b->means.v[i].is_domain || a->means.v[i].domain != b->means.v[i].domain)
			return false;
	return true;
}

static int diff(struct stats_command *c, int argc, char **argv, struct errbuf *eb)
{
	struct stats_side sides[2] = { 0 };
	struct schedstat_text t;
	struct out o;
	int err;

	if (argc > 2)
		return errbuf_set(eb, CMD_USAGE, "sched stats diff: unexpected argument '%s'", argv[2]);
	err = side_read(&sides[0], argc == 2 ? argv[0] : "perf.data.old", c->force, eb);
	if (!err)
		err = side_read(&sides[1], argc == 2 ? argv[1] : argc == 1 ? argv[0] : "perf.data", c->force, eb);
	if (!err && !has_same_lines(&sides[0].sums, &sides[1].sums))
		err = errbuf_set(eb, -EINVAL, "the recordings are of machines with other domains or versions of /proc/schedstat");
	if (!err) {
		out_init(&o, STDOUT_FILENO);
		t = (struct schedstat_text){ &o, c->verbose, &sides[0].s, NULL, 0 };
		schedstat_text_diff(&t, &sides[0].sums, &sides[1].sums);
		err = out_fini(&o);
	}
	side_fini(&sides[0]);
	side_fini(&sides[1]);
	return err;
}

/* Counters of other CPUs are not written. */
static void keep_cpus(struct schedstat *s, const struct filter *f)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; f->cpus.nr && i < s->rows.nr; i++)
		for (uint32_t k = 0; k < f->cpus.nr; k++)
			if (f->cpus.v[k] == s->rows.v[i].cpu) {
				s->rows.v[nr++] = s->rows.v[i];
				break;
			}
	s->rows.nr = f->cpus.nr ? nr : s->rows.nr;
}

/* Without `record`, what was measured is shown at once. */
static int measure(struct stats_command *c, bool writes, int argc, char **argv, struct errbuf *eb)
{
	struct stats_side side = { 0 };
	int ret = schedstat_measure(&side.s, argc ? argv : NULL, eb), err = 0;

	if (ret >= 0) {
		keep_cpus(&side.s, &c->filter);
		if (!side.s.rows.nr)
			err = errbuf_set(eb, -ENODATA, "this machine has none of the CPUs of -C");
		else if (writes)
			err = schedstat_write(&side.s, &c->capture, eb);
		else
			err = schedstat_sums_init(&side.sums, &side.s, "/proc/schedstat", eb);
		if (!err && !writes)
			err = print_side(c, &side);
	}
	side_fini(&side);
	return err ? err : ret;
}

int sched_stats(int argc, char **argv, struct errbuf *eb)
{
	struct stats_command c = { 0 };
	const char *word = argc > 1 ? argv[1] : "";
	bool records = !strcmp(word, "record"), reports = !strcmp(word, "report"), compares = !strcmp(word, "diff");
	const struct option table[] = {
		OPT_CALL('C', "cpu", take_cpus, &c.filter, "LIST", "Only these CPUs, as in 0-3,7"),
		OPT_STRING('i', "input", &c.input, "FILE", "report: read this file (default: perf.data)", .complete = "file"),
		OPT_STRING('o', "output", &c.output, "FILE", "record: write this file (default: perf.data)", .complete = "file"),
		OPT_BOOL('f', "force", &c.force, "report, diff: read a file that another user owns"),
		OPT_COUNT('v', "verbose", &c.verbose, "Sentences instead of the kernel's names"),
		OPT_END,
	};
	const struct options opts = {
		.command = "sched stats",
		.usage = "assay sched stats [record|report|diff] [OPTIONS] [COMMAND…|FILE|FILE FILE]",
		.summary = "Show how far the counters of /proc/schedstat moved while a command ran",
		.table = table,
		.flags = OPTIONS_STOP_AT_WORD,
	};
	int ret;

	capture_options_init(&c.capture);
	capture_options_set_cmdline(&c.capture, "sched", argc, argv);
	if (records || reports || compares) {
		argc--;
		argv++;
	}
	ret = cmd_parse(&opts, &argc, &argv, eb);
	if (!ret && c.input && !reports)
		ret = errbuf_set(eb, CMD_USAGE, "sched stats: -i names the file of 'report'");
	if (c.output)
		c.capture.output = c.output;
	if (!ret && c.output && !records)
		ret = errbuf_set(eb, CMD_USAGE, "sched stats: -o names the file of 'record'");
	if (!ret && reports)
		ret = report(&c, argc, argv, eb);
	else if (!ret && compares)
		ret = diff(&c, argc, argv, eb);
	else if (!ret)
		ret = measure(&c, records, argc, argv, eb);
	filter_fini(&c.filter);
	capture_options_fini(&c.capture);
	return ret;
}
