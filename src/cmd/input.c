/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Opening a recording for report, script and evlist.
 */
#include "cmd/input.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"

void input_init(struct input *in)
{
	memset(in, 0, sizeof(*in));
	in->demangle = true;
	in->max_stack = 127;
}

void input_fini(struct input *in)
{
	filter_fini(&in->filter);
}

int input_option_comms(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	(void)opt, (void)eb, (void)negated;
	filter_add_names(&((struct input *)ctx)->filter.comms, arg);
	return 0;
}

int input_option_dsos(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	(void)opt, (void)eb, (void)negated;
	filter_add_names(&((struct input *)ctx)->filter.dsos, arg);
	return 0;
}

int input_option_symbols(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	(void)opt, (void)eb, (void)negated;
	filter_add_names(&((struct input *)ctx)->filter.symbols, arg);
	return 0;
}

int input_option_pids(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	(void)opt, (void)negated;
	return filter_add_ids(&((struct input *)ctx)->filter, false, "--pid", arg, eb);
}

int input_option_tids(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	(void)opt, (void)negated;
	return filter_add_ids(&((struct input *)ctx)->filter, true, "--tid", arg, eb);
}

int input_option_cpus(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	(void)opt, (void)negated;
	return filter_add_cpus(&((struct input *)ctx)->filter, arg, eb);
}

int input_option_time(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	(void)opt, (void)negated;
	return filter_set_time(&((struct input *)ctx)->filter, arg, eb);
}

const char *input_default_path(struct errbuf *eb)
{
	struct stat st;

	/* As perf does: a pipe on stdin is meant to be read. */
	if (!fstat(STDIN_FILENO, &st) && S_ISFIFO(st.st_mode))
		return "-";
	if (!access("perf.data", F_OK) || errno != ENOENT)
		return "perf.data";
	errbuf_set(eb, -ENOENT, "there is no perf.data here: record first with 'assay record -g -- COMMAND', or name a file with -i FILE");
	return NULL;
}

/* Files that the options name; symbols are looked for in many places, and another one that is not there is no error. */
static int check_files(const struct symbolizer_options *o, struct errbuf *eb)
{
	const struct {
		const char *option, *path;
	} files[] = { { "--symfs", o->symfs }, { "--vmlinux", o->vmlinux }, { "--kallsyms", o->kallsyms } };

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (files[i].path && access(files[i].path, R_OK))
			return errbuf_set(eb, -errno, "%s: cannot read %s: %s", files[i].option, files[i].path, strerror(errno));
	return 0;
}

int input_open(struct input *in, struct session **s, bool file_order, struct errbuf *eb)
{
	struct session_options opts = { .symbols = in->symbols, .file_order = file_order };
	int err;

	if (in->quiet)
		log_level = LOG_QUIET;
	else if (in->verbose)
		log_level = in->verbose > 1 ? LOG_DEBUG : LOG_VERBOSE;
	if (!in->path)
		in->path = input_default_path(eb);
	err = in->path ? check_files(&in->symbols, eb) : -ENOENT;
	if (err)
		return err;
	opts.path = in->path;
	opts.symbols.no_demangle = !in->demangle;
	err = session_open(s, &opts, eb);
	if (err)
		return err;
	err = filter_resolve_time(&in->filter, (*s)->info, eb);
	if (err) {
		session_close(*s);
		*s = NULL;
	}
	return err;
}

int input_finish(const struct input *in, const struct session *s, struct errbuf *eb)
{
	const struct session_stats *st = &s->stats;
	const struct reader_damage *d = session_damage(s);
	const char *name = strcmp(in->path, "-") ? in->path : "standard input";

	if (session_lost(s))
		log_warn("%llu samples were lost while recording: the recorder could not keep up (a larger ring, record -m, helps)",
			 (unsigned long long)session_lost(s));
	/* Next to damage, wrong times are a part of it. */
	if (st->nr_late && !d->err && !st->nr_malformed && !st->nr_unknown_ids)
		log_warn("%llu records came too late to be put in order", (unsigned long long)st->nr_late);
	if (d->err)
		return errbuf_set(eb, d->err, "%s", d->text);
	if (st->nr_malformed)
		return errbuf_set(eb, -EBADMSG, "%s: %llu records are malformed and were skipped, the first at offset %llu", name,
				  (unsigned long long)st->nr_malformed, (unsigned long long)st->first_malformed_off);
	if (st->nr_unknown_ids)
		return errbuf_set(eb, -EBADMSG, "%s: %llu samples belong to none of its events and were skipped, the first at offset %llu",
				  name, (unsigned long long)st->nr_unknown_ids, (unsigned long long)st->first_unknown_id_off);
	return 0;
}
