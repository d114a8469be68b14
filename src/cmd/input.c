/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Opening a recording for report, script and evlist.
 */
#include "cmd/input.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/log.h"
#include "cmd/cmd.h"

#define MAX_UNNAMED_TOLD 3 /* lines about files without symbols */

void input_init(struct input *in)
{
	memset(in, 0, sizeof(*in));
	in->demangle = true;
	in->max_stack = 127;
}

void input_fini(struct input *in)
{
	filter_fini(&in->filter);
	vec_fini(&in->samples_by_dso);
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

int input_check_json(const char *command, const struct input_switch *others, uint32_t nr, struct errbuf *eb)
{
	for (uint32_t i = 0; i < nr; i++)
		if (others[i].given)
			return errbuf_set(eb, CMD_USAGE, "%s: --json does not go together with %s: JSON is one document that has everything in it", command,
					  others[i].name);
	return 0;
}

/* A filter by CPU that no sample could pass is a mistake. Of a pipe the events are known in the end only. */
static int check_cpus(const struct input *in, const struct session *s, struct errbuf *eb)
{
	uint64_t known = 0;

	for (uint32_t i = 0; i < s->info->events.nr; i++)
		known |= s->info->events.v[i].attr.sample_type & SAMPLE_CPU;
	if (!in->filter.cpus.nr || known || !s->info->events.nr)
		return 0;
	return errbuf_set(eb, -EINVAL, "--cpu: this recording does not say on which CPU its samples were taken; leave --cpu out, or record with --sample-cpu or -a");
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
	if (!err)
		err = check_cpus(in, *s, eb);
	if (err) {
		session_close(*s);
		*s = NULL;
	}
	return err;
}

void input_note_profile(struct input *in, const struct profile *p)
{
	in->nr_invalid_chains = p->nr_invalid_chains;
	in->nr_samples = p->samples.nr;
	while (in->nr_samples && in->samples_by_dso.nr < p->session->machine.dsos.dsos.nr)
		vec_push(&in->samples_by_dso, 0);
	for (uint32_t i = 0; i < p->samples.nr; i++)
		in->samples_by_dso.v[p->locations.v[p->samples.location[i]].at.dso]++;
}

static uint64_t samples_of(const struct input *in, uint32_t dso)
{
	return dso < in->samples_by_dso.nr ? in->samples_by_dso.v[dso] : 0;
}

/* The largest DSO without symbols whose reason was not told yet. Few are told, so that a search for each is cheap. */
static uint32_t next_unnamed(const struct input *in, const struct session *s, const uint8_t *told)
{
	uint32_t best = DSO_NONE;

	for (uint32_t i = 1; i < s->machine.dsos.dsos.nr; i++)
		if (!told[i] && s->machine.dsos.dsos.v[i].why_empty && (best == DSO_NONE || samples_of(in, i) > samples_of(in, best)))
			best = i;
	return best;
}

/* Names of files may have line breaks in them, which the log lets pass. */
static void say_of_file(void (*say)(const char *, ...), const char *before, const char *path, const char *after, const char *text)
{
	struct out o;

	out_init(&o, -1);
	escape_terminal(&o, path, strlen(path));
	out_str(&o, after);
	out_str(&o, ": ");
	escape_terminal(&o, text, strlen(text));
	out_char(&o, 0);
	say("%s%s", before, o.buf);
	out_fini(&o);
}

static void warn_unnamed(const struct input *in, const struct session *s, uint32_t dso)
{
	const struct dso *d = dso_table_get(&s->machine.dsos, dso);
	char share[48] = "";

	if (samples_of(in, dso))
		snprintf(share, sizeof(share), " (%.1f%% of the samples)", 100.0 * (double)samples_of(in, dso) / (double)in->nr_samples);
	else if (in->nr_samples)
		snprintf(share, sizeof(share), " (in call chains)");
	say_of_file(log_warn, "no symbols for ", d->path, share, d->why_empty);
}

/* Why there are addresses where names should be: the largest files first, one reason only once. */
static void warn_of_symbols(const struct input *in, const struct session *s)
{
	uint32_t nr = s->machine.dsos.dsos.nr, nr_told = 0, nr_more = 0, dso;
	uint8_t *told = mem_zalloc(nr);

	while ((dso = next_unnamed(in, s, told)) != DSO_NONE) {
		const char *why = s->machine.dsos.dsos.v[dso].why_empty;

		if (nr_told < MAX_UNNAMED_TOLD)
			warn_unnamed(in, s, dso);
		else
			nr_more++;
		nr_told++;
		for (uint32_t i = dso; i < nr; i++)
			told[i] |= s->machine.dsos.dsos.v[i].why_empty && !strcmp(s->machine.dsos.dsos.v[i].why_empty, why);
	}
	if (nr_more)
		log_warn("and %u more files without symbols (-v lists them)", nr_more);
	free(told);
}

static void list_symbols(const struct session *s)
{
	for (uint32_t i = 1; i < s->machine.dsos.dsos.nr; i++) {
		const struct dso *d = &s->machine.dsos.dsos.v[i];

		if (d->why_empty)
			say_of_file(log_info, "", d->path, ": no symbols", d->why_empty);
		else if (d->symtab && d->symtab->symbols.nr)
			say_of_file(log_info, "", d->path, ": symbols from", d->symtab->source ? d->symtab->source : "itself");
	}
}

/* What the numbers and names that were shown do not tell. */
static void warn_of_gaps(const struct input *in, const struct session *s)
{
	const struct session_stats *st = &s->stats;

	if (st->nr_throttled)
		log_warn("the kernel held sampling back %llu times: time is missing there (record with a lower -F; limits: sysctl kernel.perf_event_max_sample_rate, kernel.perf_cpu_time_max_percent)",
			 (unsigned long long)st->nr_throttled);
	if (in->nr_invalid_chains)
		log_warn("%llu call chains are broken and left out: an address in them is none (programs without frame pointers give such)",
			 (unsigned long long)in->nr_invalid_chains);
	if (log_level >= LOG_VERBOSE)
		list_symbols(s);
	else
		warn_of_symbols(in, s);
}

int input_finish(const struct input *in, const struct session *s, struct errbuf *eb)
{
	const struct session_stats *st = &s->stats;
	const struct reader_damage *d = session_damage(s);
	const char *name = strcmp(in->path, "-") ? in->path : "standard input";

	if (session_lost(s))
		log_warn("%llu samples were lost while recording: the recorder could not keep up (a larger ring, record -m, helps)",
			 (unsigned long long)session_lost(s));
	warn_of_gaps(in, s);
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
	return check_cpus(in, s, eb);
}
