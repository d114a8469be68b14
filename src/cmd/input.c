/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Opening a recording for report, script and evlist.
 */
#include "cmd/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "abi/no_samples.h"
#include "base/escape.h"
#include "base/log.h"
#include "cmd/cmd.h"
#include "cmd/input_import.h"
#include "perfdata/reader.h"
#include "view/header_text.h"
#include "view/quality_text.h"

#define DEFAULT_MAX_STACK 127
#define MAX_STACK 65535
/* What may be printed, and worked out for call trees, of any input and more of a large one. */
#define OUTPUT_LEAST (UINT64_C(512) << 20)
#define OUTPUT_PER_BYTE 64u
/* A compressed recording of deep stacks prints 300 bytes for each of its own with the default of 127 frames. */
#define OUTPUT_PER_BYTE_AND_FRAME 8u
#define TREE_WORK_LEAST UINT64_C(300000000)
#define TREE_WORK_PER_BYTE 30u
#define KEPT_BYTES (64u << 20) /* of stacks, while measuring */

void input_init(struct input *in)
{
	memset(in, 0, sizeof(*in));
	in->max_stack = DEFAULT_MAX_STACK;
}

void input_fini(struct input *in)
{
	filter_fini(&in->filter);
	quality_fini(&in->quality);
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
	struct input *in = ctx;

	(void)opt, (void)negated;
	in->times = arg;
	return in->takes_times && strchr(arg, ':') ? 0 : filter_set_time(&in->filter, arg, eb);
}

int input_option_demangle(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct symbolizer_options *o = &((struct input *)ctx)->symbols;

	(void)opt;
	if (negated && arg)
		return errbuf_set(eb, -EINVAL, "--no-demangle takes no value; --demangle=%s does", arg);
	if (arg && strcmp(arg, "short") && strcmp(arg, "full") && strcmp(arg, "no"))
		return errbuf_set(eb, -EINVAL, "--demangle=%s: there is short, full and no", arg);
	o->no_demangle = negated || (arg && !strcmp(arg, "no"));
	o->short_names = arg && !strcmp(arg, "short");
	return 0;
}

bool input_is_recording(const char *word)
{
	struct stat st;
	bool is_one;
	char *data;
	int fd;

	if (!strcmp(word, "-"))
		return true;
	if (stat(word, &st))
		return false;
	if (S_ISDIR(st.st_mode)) {
		data = mem_printf("%s/data", word);
		is_one = !access(data, F_OK);
		free(data);
		return is_one;
	}
	/* Looking into a pipe would take it from who reads it. */
	if (!S_ISREG(st.st_mode))
		return S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode);
	fd = open(word, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return errno == EACCES; /* who reads it says so */
	is_one = input_import_is_profile(fd);
	close(fd);
	return is_one;
}

int input_take_file(const char **path, const char *command, int argc, char **argv, struct errbuf *eb)
{
	if (argc > 1)
		return errbuf_set(eb, CMD_USAGE, "%s: unexpected argument '%s'; one recording is read", command, argv[1]);
	if (argc && *path)
		return errbuf_set(eb, CMD_USAGE, "%s: -i %s and '%s' both name the recording; give one of them", command, *path, argv[0]);
	if (argc)
		*path = argv[0];
	return 0;
}

static void put_names(struct out *o, const char *what, const struct filter_names *names)
{
	for (uint32_t i = 0; i < names->nr; i++)
		out_printf(o, "%s%s", i ? "," : what, names->v[i]);
}

static void put_ids(struct out *o, const char *what, const int32_t *ids, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++)
		out_printf(o, "%s%d", i ? "," : what, ids[i]);
}

char *input_filter_text(const struct input *in)
{
	const struct filter *f = &in->filter;
	struct out o;

	out_init(&o, -1);
	put_names(&o, " --comms ", &f->comms);
	put_ids(&o, " --pid ", f->pids.v, f->pids.nr);
	put_ids(&o, " --tid ", f->tids.v, f->tids.nr);
	put_ids(&o, " --cpu ", (const int32_t *)f->cpus.v, f->cpus.nr);
	put_names(&o, " --dsos ", &f->dsos);
	put_names(&o, " --symbols ", &f->symbols);
	if (f->time_arg)
		out_printf(&o, " --time %s", f->time_arg);
	if (!o.len) {
		out_fini(&o);
		return NULL;
	}
	out_char(&o, 0);
	return o.buf; /* changes hands */
}

const char *input_name(const struct input *in)
{
	return strcmp(in->path, "-") ? in->path : "standard input";
}

const char *input_default_path(struct errbuf *eb)
{
	struct stat st;

	/* As perf does: a pipe on stdin is meant to be read. */
	if (!fstat(STDIN_FILENO, &st) && S_ISFIFO(st.st_mode))
		return "-";
	if (!access("perf.data", F_OK) || errno != ENOENT)
		return "perf.data";
	errbuf_set(eb, -ENOENT, "there is no perf.data here: record first with 'assay record --call-graph dwarf -- COMMAND', or name a recording");
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

/* Names that the input brings along can be as long as all of it: its author decides what a sample prints. Those of files are as
 * long as compilers make them. */
static uint64_t output_per_byte(const struct input *in, const struct session *s, bool prints_samples)
{
	return prints_samples && !s->recording.has_names ? OUTPUT_PER_BYTE + OUTPUT_PER_BYTE_AND_FRAME * in->max_stack : OUTPUT_PER_BYTE;
}

void input_limit_output(struct input *in, const struct session *s, struct out *o, bool prints_samples)
{
	struct budget b;

	if (!in->bytes_present)
		return;
	budget_init(&b, OUTPUT_LEAST, output_per_byte(in, s, prints_samples), in->bytes_present);
	in->output_limit = budget_limit(&b);
	out_limit(o, in->output_limit);
}

int input_limit_error(const struct input *in, int err, struct errbuf *eb)
{
	if (err == OUT_LIMIT_REACHED)
		errbuf_set(eb, err, "the output is more than %llu MB, which is the limit for an input of this size",
			   (unsigned long long)(in->output_limit >> 20));
	return err;
}

struct budget *input_tree_work(struct input *in, const struct session *s)
{
	budget_init(&in->tree_work, TREE_WORK_LEAST, TREE_WORK_PER_BYTE, in->bytes_present ? in->bytes_present : s->source->done_bytes);
	return &in->tree_work;
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

	for (uint32_t i = 0; i < s->recording.info->events.nr; i++)
		known |= s->recording.info->events.v[i].attr.sample_type & SAMPLE_CPU;
	if (!in->filter.cpus.nr || known || !s->recording.info->events.nr)
		return 0;
	return errbuf_set(eb, -EINVAL, "--cpu: this recording does not say on which CPU its samples were taken; leave --cpu out, or record with --sample-cpu or -a");
}

static const char *opened_path(const struct input *in)
{
	return in->imported_of == in->path ? in->imported : in->path;
}

static int open_session(const struct input *in, struct session **s, const struct session_options *opts, struct errbuf *eb)
{
	struct record_source *source;
	int err = reader_open(&source, opened_path(in), in->force ? READER_ANY_OWNER : READER_OWN_FILES, eb);

	if (!err)
		return session_open(s, source, opts, eb);
	if (opts->owned_fd)
		close(opts->owned_fd);
	return err;
}

int input_open(struct input *in, struct session **s, bool file_order, struct errbuf *eb)
{
	struct session_options opts = { .symbols = in->symbols, .file_order = file_order };
	struct errbuf unsaid = { 0 };
	int err;

	if (in->quiet)
		log_level = LOG_QUIET;
	else if (in->verbose)
		log_level = in->verbose > 1 ? LOG_DEBUG : LOG_VERBOSE;
	if (!in->cache_checked)
		cmd_check_cache();
	in->cache_checked = true;
	if (!in->path)
		in->path = input_default_path(in->symbol_word ? &unsaid : eb);
	if (!in->path && in->symbol_word)
		return errbuf_set(eb, -ENOENT, "there is no recording '%s'; nor is there a perf.data here, of which it could be a function", in->symbol_word);
	err = in->path ? check_files(&in->symbols, eb) : -ENOENT;
	if (err)
		return err;
	in->imported_of = NULL;
	err = input_import(in->path, in->force, &opts.owned_fd, &in->bytes_present, eb);
	if (err < 0)
		return err;
	if (err) {
		snprintf(in->imported, sizeof(in->imported), "/proc/self/fd/%d", opts.owned_fd);
		in->imported_of = in->path;
	}
	err = open_session(in, s, &opts, eb);
	if (err)
		return err;
	if (in->imported_of && recording_is_pair(&(*s)->recording) && !in->takes_pairs)
		log_warn("%s: two counts a stack, read as the events 'before' and 'after'", input_name(in));
	/* Nobody cut the stacks of an import: they are read as they are, unless somebody asks for less. */
	if ((*s)->recording.has_names && in->max_stack == DEFAULT_MAX_STACK)
		in->max_stack = MAX_STACK;
	err = filter_resolve_time(&in->filter, (*s)->recording.info, eb);
	if (!err)
		err = check_cpus(in, *s, eb);
	if (err) {
		session_close(*s);
		*s = NULL;
	}
	return err;
}

/* What comes through a pipe is shown as it comes. */
static bool is_stored(const char *path)
{
	struct stat st;

	return strcmp(path, "-") && !stat(path, &st) && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode));
}

static void measure_quality(struct quality *q, const struct input *in, struct session *s)
{
	struct errbuf unsaid = { 0 };
	struct session_record sr;
	struct profile p;

	profile_init(&p, &s->machine, &s->recording);
	p.only_symbols = true;
	p.max_stack = (uint32_t)in->max_stack;
	while (session_next(s, &sr, &unsaid) > 0) {
		struct unwind_result walk;
		uint32_t stack;

		if (sr.header->type != RECORD_SAMPLE || !filter_keeps_sample(&in->filter, &sr))
			continue;
		stack = profile_intern_sample(&p, &sr, &walk);
		quality_add_record(q, &p, &sr, stack, walk);
		if (profile_size_bytes(&p) > KEPT_BYTES) {
			quality_settle(q, &p);
			profile_forget(&p);
		}
	}
	quality_finish(q, &p);
	profile_fini(&p);
}

void input_show_header(struct input *in, struct session *s, bool full, struct out *o)
{
	struct out head;

	in->header_damage = *s->recording.damage;
	in->shows_header = true;
	/* Later records may rename events. */
	out_init(&head, -1);
	header_text(&head, s->recording.info, in->path, full);
	if (!in->quiet && is_stored(opened_path(in))) {
		struct quality q;

		quality_init(&q);
		measure_quality(&q, in, s);
		quality_text_warnings(o, &q, out_is_colourful(STDOUT_FILENO));
		quality_text(&head, &q);
		in->quality_shown = true;
		quality_fini(&q);
	}
	out_mem(o, head.buf, head.len);
	header_text_end(o);
	out_fini(&head);
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

static void warn(void *ctx, bool is_loud, const char *text)
{
	(void)ctx;
	log_warn("%s: %s", is_loud ? "WARNING" : "quality", text);
}

/* What the names and numbers that were shown do not tell. Where nobody looked for names there still is what was lost. */
static void warn_of_quality(struct input *in, const struct session *s)
{
	struct quality *q = &in->quality;

	if (!in->quality_known) {
		q->nr_samples = s->recording.stats.nr_by_type[RECORD_SAMPLE];
		q->nr_lost = recording_lost(&s->recording);
		q->nr_throttled = s->recording.stats.nr_throttled;
	}
	if (!in->quality_shown)
		quality_notes(q, warn, NULL);
}

/* An empty result may be the truth of an idle machine, but not of a filter: that is a mistake in writing. */
static int check_passed(const struct input *in, const struct session *s, struct errbuf *eb)
{
	uint64_t nr = s->recording.stats.nr_by_type[RECORD_SAMPLE];
	char *filters = in->checks_passed && !in->nr_passed && nr ? input_filter_text(in) : NULL;

	if (!filters)
		return 0;
	errbuf_set(eb, -ENODATA, "none of the %llu samples of %s passes%s%s%s%s", (unsigned long long)nr, input_name(in), filters,
		   in->symbol_word ? "; '" : "", in->symbol_word ? in->symbol_word : "",
		   !in->symbol_word ? "" : access(in->symbol_word, F_OK) ? "' is no file either" : "' is a file, but no recording");
	free(filters);
	return -ENODATA;
}

static void warn_of_none(const struct input *in, const struct session *s)
{
	if (s->recording.stats.nr_by_type[RECORD_SAMPLE] || recording_lost(&s->recording) || s->recording.stats.nr_by_type[RECORD_STAT])
		return;
	for (uint32_t i = 0; i < s->recording.info->events.nr; i++) {
		const char *hint = no_samples_hint(&s->recording.info->events.v[i].attr);

		if (!hint)
			continue;
		log_warn("%s has no samples of %s: %s", input_name(in), s->recording.info->events.v[i].name, hint);
		return;
	}
}

/* Files that were left without names because of what all of them together would cost. */
static void warn_of_limits(const struct session *s, const char *name)
{
	const struct dso_table *t = &s->machine.dsos;
	uint64_t limit;

	if (t->loads.is_exhausted)
		log_warn("%s: it names more than %llu files, the limit for a recording of its size: others are not looked for, and have no symbols",
			 name, (unsigned long long)budget_limit(&t->loads));
	if (symbolizer_cache_was_short(t->options.cache, &limit))
		log_warn("%s: what is loaded of its files has reached %llu MB, the limit for a recording of its size: others have no symbols "
			 "(-v lists them)",
			 name, (unsigned long long)(limit >> 20));
}

int input_finish(struct input *in, const struct session *s, struct errbuf *eb)
{
	const struct recording_stats *st = &s->recording.stats;
	const struct source_damage *d = in->shows_header ? &in->header_damage : s->recording.damage;
	const char *name = input_name(in);
	int err;

	warn_of_quality(in, s);
	/* Who prints the header only has not looked at what follows it. */
	if (!d->err && !in->reads_header_only)
		warn_of_none(in, s);
	if (in->shows_header)
		return d->err ? errbuf_set(eb, d->err, "%s", d->text) : check_cpus(in, s, eb);
	if (log_level >= LOG_VERBOSE)
		list_symbols(s);
	warn_of_limits(s, name);
	/* Next to damage, wrong times are a part of it. */
	if (st->nr_late && !d->err && !st->nr_malformed && !st->nr_unknown_ids)
		log_warn("%llu records came too late to be put in order", (unsigned long long)st->nr_late);
	if (st->nr_unrepeated)
		log_warn("%s: %llu samples stand for more than %llu in all, the limit for a file of its size: each counts once, with its whole period",
			 name, (unsigned long long)st->nr_unrepeated, (unsigned long long)budget_limit(&s->repeats));
	if (d->err)
		return errbuf_set(eb, d->err, "%s", d->text);
	if (st->nr_malformed)
		return errbuf_set(eb, -EBADMSG, "%s: %llu records are malformed and were skipped, the first at offset %llu", name,
				  (unsigned long long)st->nr_malformed, (unsigned long long)st->first_malformed_at);
	if (st->nr_unknown_ids)
		return errbuf_set(eb, -EBADMSG, "%s: %llu samples belong to none of its events and were skipped, the first at offset %llu",
				  name, (unsigned long long)st->nr_unknown_ids, (unsigned long long)st->first_unknown_id_at);
	err = check_cpus(in, s, eb);
	return err ? err : check_passed(in, s, eb);
}
