/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The options and words that name a recording and its samples, and opening it.
 */
#include "cmd/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "cmd/cmd.h"

#define DEFAULT_MAX_STACK 127
#define MAX_STACK 65535
#define MAX_LISTED 10 /* names of events in a sentence */

void input_init(struct input *in)
{
	memset(in, 0, sizeof(*in));
	in->max_stack = DEFAULT_MAX_STACK;
}

void input_fini(struct input *in)
{
	input_close(in);
	filter_fini(&in->filter);
	quality_fini(&in->quality);
}

int input_option_filter(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct filter *f = &((struct input *)ctx)->filter;
	const char *name = opt->long_name;

	(void)negated;
	if (!strcmp(name, "pid") || !strcmp(name, "tid"))
		return filter_add_ids(f, *name == 't', *name == 't' ? "--tid" : "--pid", arg, eb);
	if (!strcmp(name, "cpu"))
		return filter_add_cpus(f, name, arg, eb);
	if (!strcmp(name, "parallelism"))
		return filter_add_parallelisms(f, arg, eb);
	if (!strcmp(name, "filter"))
		return filter_add_fields(f, arg, eb);
	filter_add_names(!strcmp(name, "comms") ? &f->comms : !strcmp(name, "dsos") ? &f->dsos : &f->symbols, arg);
	return 0;
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

int input_option_python(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	static const char *const names[] = {
		[PROFILE_PYTHON_MIXED] = "mixed", [PROFILE_PYTHON_ONLY] = "only", [PROFILE_PYTHON_OFF] = "off"
	};
	struct input *in = ctx;

	(void)opt;
	if (negated) {
		in->python = PROFILE_PYTHON_OFF;
		return 0;
	}
	for (unsigned i = PROFILE_PYTHON_MIXED; i <= PROFILE_PYTHON_OFF; i++)
		if (!strcmp(arg, names[i])) {
			in->python = (enum profile_python)i;
			return 0;
		}
	return errbuf_set(eb, -EINVAL, "unknown view of Python '%s' (expected mixed, only, off)", arg);
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
	/* Looking into a pipe would take data from its reader. */
	if (!S_ISREG(st.st_mode))
		return S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode);
	fd = open(word, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return errno == EACCES; /* reported when it is opened */
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

typedef void put_option_fn(void *ctx, const char *option, const char *value);

static void put_list(struct out *list, const char *option, put_option_fn *put, void *ctx)
{
	if (list->len) {
		out_char(list, 0);
		put(ctx, option, list->buf);
	}
	out_fini(list);
}

static void put_names(const char *option, const struct filter_names *names, put_option_fn *put, void *ctx)
{
	struct out list;

	out_init(&list, -1);
	for (uint32_t i = 0; i < names->nr; i++)
		out_printf(&list, "%s%s", i ? "," : "", names->v[i]);
	put_list(&list, option, put, ctx);
}

static void put_ids(const char *option, const int32_t *ids, uint32_t nr, put_option_fn *put, void *ctx)
{
	struct out list;

	out_init(&list, -1);
	for (uint32_t i = 0; i < nr; i++)
		out_printf(&list, "%s%d", i ? "," : "", ids[i]);
	put_list(&list, option, put, ctx);
}

void input_filter_options(const struct filter *f, put_option_fn *put, void *ctx)
{
	put_names("--comms", &f->comms, put, ctx);
	put_ids("--pid", f->pids.v, f->pids.nr, put, ctx);
	put_ids("--tid", f->tids.v, f->tids.nr, put, ctx);
	put_ids("--cpu", (const int32_t *)f->cpus.v, f->cpus.nr, put, ctx);
	put_ids("--parallelism", (const int32_t *)f->parallelisms.v, f->parallelisms.nr, put, ctx);
	put_names("--dsos", &f->dsos, put, ctx);
	put_names("--symbols", &f->symbols, put, ctx);
	if (f->time_arg)
		put(ctx, "--time", f->time_arg);
	if (f->fields)
		put(ctx, "--filter", f->fields->text);
}

static void put_option_text(void *ctx, const char *option, const char *value)
{
	const char *quote = strcmp(option, "--filter") ? "" : "'";

	out_printf(ctx, " %s %s%s%s", option, quote, value, quote);
}

char *input_filter_text(const struct filter *f)
{
	struct out o;

	out_init(&o, -1);
	input_filter_options(f, put_option_text, &o);
	if (!o.len) {
		out_fini(&o);
		return NULL;
	}
	out_char(&o, 0);
	return o.buf; /* changes hands */
}

char *input_event_names(const struct input *in)
{
	const struct perfdata_info *info = in->session->recording.info;
	struct out o;

	out_init(&o, -1);
	for (uint32_t i = 0; i < info->events.nr && i < MAX_LISTED; i++)
		out_printf(&o, "%s%s", i ? ", " : "", info->events.v[i].name);
	out_char(&o, 0);
	return o.buf; /* changes hands */
}

const char *input_name(const struct input *in)
{
	return strcmp(in->path, "-") ? in->path : "standard input";
}

const char *input_default_path(const char *recorder, struct errbuf *eb)
{
	struct stat st;

	/* As perf does: a pipe on stdin is meant to be read. */
	if (!fstat(STDIN_FILENO, &st) && S_ISFIFO(st.st_mode))
		return "-";
	if (!access("perf.data", F_OK) || errno != ENOENT)
		return "perf.data";
	errbuf_set(eb, -ENOENT, "there is no perf.data here: record first with '%s', or name a recording",
		   recorder ? recorder : INPUT_RECORDER);
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
			return errbuf_set(eb, CMD_USAGE,
					  "%s: --json does not go together with %s: JSON is one document that has everything in it",
					  command, others[i].name);
	return 0;
}

/* A filter by CPU that no sample could pass is a mistake. Of a pipe the events are known in the end only. */
int input_check_cpus(const struct input *in, struct errbuf *eb)
{
	const struct recording *r = &in->session->recording;

	if (!in->filter.cpus.nr || recording_samples(r, SAMPLE_CPU) || !r->info->events.nr)
		return 0;
	return errbuf_set(
		eb, -EINVAL,
		"--cpu: this recording does not say on which CPU its samples were taken; leave --cpu out, or record with --sample-cpu or -a");
}

/* What comes through a pipe is shown as it comes. */
static bool is_stored(const char *path)
{
	struct stat st;

	return strcmp(path, "-") && !stat(path, &st) && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode));
}

static int open_session(struct input *in, const struct session_options *opts, struct errbuf *eb)
{
	struct record_source *source;
	int err = input_open_source(&source, in->path, in->force, &in->bytes_present, eb);

	in->is_imported = err > 0;
	if (err >= 0)
		err = session_open(&in->session, source, opts, eb);
	if (err)
		return err;
	in->is_stored = in->is_imported || is_stored(in->path);
	in->profile = mem_alloc(sizeof(*in->profile));
	profile_init(in->profile, &in->session->machine, &in->session->recording);
	/* Stacks of an import are not limited, unless that is asked for. */
	if (in->session->recording.is_imported && in->max_stack == DEFAULT_MAX_STACK)
		in->max_stack = MAX_STACK;
	in->profile->max_stack = (uint32_t)in->max_stack;
	in->profile->python = in->python;
	return 0;
}

/* What a filter of fields can test is known here; of a pipe in the end. */
static int attach_fields(struct input *in, struct errbuf *eb)
{
	struct field_filter *f = in->filter.fields;

	if (!f)
		return 0;
	field_filter_attach(f, &in->session->recording, &in->session->machine);
	return field_filter_check(f, eb) ? CMD_USAGE : 0;
}

int input_open(struct input *in, bool file_order, struct errbuf *eb)
{
	const struct session_options opts = { .symbols = in->symbols, .file_order = file_order };
	struct errbuf unsaid = { 0 };
	int err;

	cmd_set_log_level(in->quiet, in->verbose);
	if (!in->cache_checked)
		cmd_check_cache();
	in->cache_checked = true;
	if (!in->path)
		in->path = input_default_path(in->recorder, in->symbol_word ? &unsaid : eb);
	if (!in->path && in->symbol_word)
		return errbuf_set(eb, -ENOENT, "there is no recording '%s'; nor is there a perf.data here, of which it could be a function",
				  in->symbol_word);
	err = in->path ? check_files(&in->symbols, eb) : -ENOENT;
	if (err)
		return err;
	err = open_session(in, &opts, eb);
	if (err == -ENOENT && in->recorder) {
		errbuf_clear(eb);
		errbuf_set(eb, err, "there is no file %s; '%s' records what this command reads", in->path, in->recorder);
	}
	if (err)
		return err;
	if (in->is_imported && recording_is_pair(&in->session->recording) && !in->takes_pairs)
		log_warn("%s: two counts a stack, read as the events 'before' and 'after'", input_name(in));
	err = filter_resolve_time(&in->filter, in->session->recording.info, eb);
	if (!err)
		err = attach_fields(in, eb);
	return err ? err : input_check_cpus(in, eb);
}

void input_close(struct input *in)
{
	progress_fini(&in->progress);
	if (in->profile)
		profile_fini(in->profile);
	free(in->profile);
	session_close(in->session);
	in->profile = NULL;
	in->session = NULL;
}
