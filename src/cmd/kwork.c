/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * assay kwork: how long interrupts, soft interrupts and work queues of the kernel run, and how long they are due before they do. From a
 * recording, or live.
 */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "capture/capture.h"
#include "cmd/cmd.h"
#include "cmd/pairs.h"
#include "cmd/perf_compat.h"
#include "view/kwork_text.h"

struct kwork_command {
	struct capture_options o;
	struct input in;
	const struct pair_sum_def *defs; /* by enum kernel_work */
	bool has_class[KERNEL_NR_WORKS], is_chosen;
	bool has_delays, with_summary, json;
	const char *name; /* -n */
	const char *sort_text;
	enum pair_sort sort;
	/* timehist */
	struct profile *profile;
	struct out *out;
	struct pairing delays; /* of runs that have begun */
};

static int take_classes(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct kwork_command *c = ctx;

	(void)opt, (void)negated;
	for (const char *word = arg;; word++) {
		size_t len = strcspn(word, ",");
		bool is_known = false;

		for (int i = 0; i < KERNEL_NR_WORKS; i++)
			if (strlen(pair_sum_kernel_works[i].name) == len && !memcmp(pair_sum_kernel_works[i].name, word, len))
				is_known = c->has_class[i] = true;
		if (!is_known)
			return errbuf_set(eb, -EINVAL, "-k: unknown class '%.*s' (irq, softirq, workqueue)", (int)len, word);
		c->is_chosen = true;
		word += len;
		if (!*word)
			return 0;
	}
}

static int find_sort(struct kwork_command *c, struct errbuf *eb)
{
	static const struct {
		const char *name;
		enum pair_sort sort;
	} keys[] = { { "runtime", PAIR_SORT_TOTAL }, { "avg", PAIR_SORT_MEAN }, { "max", PAIR_SORT_MAX }, { "count", PAIR_SORT_COUNT } };

	c->sort = c->has_delays ? PAIR_SORT_MEAN : PAIR_SORT_TOTAL;
	for (size_t i = 0; c->sort_text && i < sizeof(keys) / sizeof(keys[0]); i++)
		if (!strcmp(c->sort_text, keys[i].name) && keys[i].sort != (c->has_delays ? PAIR_SORT_TOTAL : PAIR_SORT_MEAN)) {
			c->sort = keys[i].sort;
			return 0;
		}
	return c->sort_text
		       ? errbuf_set(eb, CMD_USAGE, "-s: unknown key '%s' (%s, max, count)", c->sort_text, c->has_delays ? "avg" : "runtime")
		       : 0;
}

/* -n: the rows of other names go. */
static void keep_named(const struct kwork_command *c, struct profile *p, struct pair_groups *g)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < g->v.nr; i++) {
		char *name = kwork_name(p, g->v.v[i].row);

		if (!strcmp(name, c->name))
			g->v.v[nr++] = g->v.v[i];
		free(name);
	}
	g->v.nr = nr;
}

static void print(void *ctx, const struct recording *r, struct pair_sums *sums, uint32_t nr, struct out *o)
{
	const struct kwork_command *c = ctx;
	uint64_t span_ns = r->stats.last_sample_ns - r->stats.first_sample_ns;
	struct pair_groups groups = { 0 };

	for (uint32_t i = 0; i < nr; i++)
		pair_groups_make(&groups, &sums[i], PAIR_GROUPS_BY_ROW, 0);
	pair_groups_sort(&groups, c->sort);
	if (c->name)
		keep_named(c, sums[0].profile, &groups);
	if (c->json)
		kwork_json_print(o, sums[0].profile, &groups);
	else
		kwork_text_print(o, sums[0].profile, &groups, c->has_delays, c->with_summary ? span_ns : 0);
	pair_groups_fini(&groups);
}

/* ---- timehist: a line for each run ---- */

/* A run that begins when what was due does begin has that delay. */
static void note_delay(void *ctx, const struct pair_row *row, uint64_t took_ns, uint64_t end_ns)
{
	struct kwork_command *c = ctx;
	uint64_t key[] = { *row->def->name, row->cpu, row->object, end_ns };

	/* Work may run on another CPU than the one that it was activated on. */
	if (row->def == &pair_sum_kernel_delays[KERNEL_WORKQUEUE])
		key[1] = 0;
	pairing_begin(&c->delays, key, end_ns - took_ns, 0);
}

static void print_run(void *ctx, const struct pair_row *row, uint64_t took_ns, uint64_t end_ns)
{
	struct kwork_command *c = ctx;
	uint64_t key[] = { *row->def->name, row->cpu, row->object, end_ns - took_ns }, delay_ns = UINT64_MAX;
	uint32_t tag;
	char *name;

	if (row->def == &pair_sum_kernel_works[KERNEL_WORKQUEUE])
		key[1] = 0;
	if (!pairing_end(&c->delays, key, end_ns - took_ns, &delay_ns, &tag))
		delay_ns = UINT64_MAX;
	name = kwork_name(c->profile, row);
	if (!c->name || !strcmp(name, c->name))
		kwork_timehist_line(c->out, c->profile, row, end_ns - took_ns, end_ns, delay_ns);
	free(name);
}

static void start_timehist(void *ctx, struct pair_sums *sums, uint32_t nr, struct out *o)
{
	struct kwork_command *c = ctx;

	pairing_init(&c->delays, 4, 0);
	c->profile = sums[0].profile;
	c->out = o;
	for (uint32_t i = 0; i < nr; i++) {
		bool is_delay = sums[i].def >= pair_sum_kernel_delays && sums[i].def < pair_sum_kernel_delays + KERNEL_NR_WORKS;

		sums[i].each = is_delay ? note_delay : print_run;
		sums[i].each_ctx = c;
	}
	kwork_timehist_heading(o);
}

static void end_timehist(void *ctx, const struct recording *r, struct pair_sums *sums, uint32_t nr, struct out *o)
{
	(void)ctx, (void)r, (void)sums, (void)nr, (void)o;
}

/* Those of the chosen classes. */
static void add_defs(struct pairs_run *r, const struct kwork_command *c, const struct pair_sum_def *defs)
{
	uint32_t nr = 0;

	while (r->defs[nr])
		nr++;
	for (int i = 0; i < KERNEL_NR_WORKS; i++)
		if (defs[i].name && (!c->is_chosen || c->has_class[i]))
			r->defs[nr++] = &defs[i];
}

static struct pairs_run pairs_of(struct kwork_command *c, const struct pair_sum_def *defs)
{
	struct pairs_run r = { .print = print, .ctx = c, .advice = "'assay kwork record' records them" };

	add_defs(&r, c, defs);
	return r;
}

static void kwork_init(struct kwork_command *c, bool has_delays, const char *group, int argc, char **argv)
{
	*c = (struct kwork_command){ .has_delays = has_delays, .defs = has_delays ? pair_sum_kernel_delays : pair_sum_kernel_works };
	input_init(&c->in);
	c->in.recorder = "assay kwork record -- COMMAND";
	capture_options_init(&c->o);
	capture_options_set_cmdline(&c->o, group, argc, argv);
}

static void kwork_fini(struct kwork_command *c)
{
	pairing_fini(&c->delays);
	capture_options_fini(&c->o);
	input_fini(&c->in);
}

#define CLASS_OPTION(c)                                                                                                                    \
	OPT_CALL('k', "kwork", take_classes, c, "CLASS[,…]", "Only these: irq, softirq, workqueue", .complete = "irq|softirq|workqueue")

/* Both, so that report and latency can be asked for; an event that both have is recorded once. */
static int add_events(struct kwork_command *c, struct errbuf *eb)
{
	static const struct {
		enum kernel_work class;
		const char *event;
	} raised[] = { { KERNEL_SOFTIRQ, "irq:softirq_raise" }, { KERNEL_WORKQUEUE, "workqueue:workqueue_activate_work" } };
	const struct pairs_run pairs = pairs_of(c, pair_sum_kernel_works);
	int err = pairs_add_events(&pairs, &c->o, eb);

	for (size_t i = 0; !err && i < sizeof(raised) / sizeof(raised[0]); i++)
		if (!c->is_chosen || c->has_class[raised[i].class])
			err = event_list_parse(&c->o.events, raised[i].event, eb);
	return err;
}

static int kwork_record(int argc, char **argv, struct errbuf *eb)
{
	struct kwork_command c;
	const struct option table[] = {
		CLASS_OPTION(&c),
		CMD_ALL_CPUS_OPTIONS(&c.o, &c.in),
		OPT_END,
	};
	const struct options opts = {
		.command = "kwork record",
		.usage = "assay kwork record [OPTIONS] [--] [COMMAND [ARG…]]",
		.summary = "Record the work of the kernel on all CPUs, while a command runs or until Ctrl-C",
		.table = table,
		.flags = OPTIONS_STOP_AT_WORD,
	};
	int ret;

	kwork_init(&c, false, "kwork", argc, argv);
	ret = cmd_parse(&opts, &argc, &argv, eb);
	if (!ret) {
		cmd_set_log_level(c.in.quiet, c.in.verbose);
		c.o.workload = argc ? argv : NULL;
		c.o.all_cpus = !c.o.cpus;
		ret = add_events(&c, eb);
	}
	ret = ret ? ret : capture_run(&c.o, eb);
	kwork_fini(&c);
	return ret;
}

static int run(struct kwork_command *c, const struct pairs_run *pairs, int argc, char **argv, struct errbuf *eb)
{
	const struct session_options options = { .symbols = c->in.symbols };
	int err = find_sort(c, eb);

	if (err)
		return err;
	if (c->has_delays && c->has_class[KERNEL_IRQ])
		return errbuf_set(eb, CMD_USAGE,
				  "kwork latency: -k irq: interrupts have no delay that is known; it takes softirq and workqueue");
	if (c->in.path && argc)
		return errbuf_set(eb, CMD_USAGE, "kwork: -i reads a recording: no command can be given beside it");
	if (argc && (c->in.filter.cpus.nr || c->in.filter.time_arg))
		return errbuf_set(eb, CMD_USAGE, "kwork: -C and --time choose from a recording: no command can be given beside them");
	if (c->json && c->with_summary)
		return errbuf_set(eb, CMD_USAGE, "kwork: --json and -S exclude each other");
	cmd_set_log_level(c->in.quiet, c->in.verbose);
	if (!argc)
		return pairs_run_file(pairs, &c->in, eb);
	c->o.workload = argv;
	c->o.all_cpus = true;
	return pairs_run_live(pairs, &c->o, &options, eb);
}

#define CHOICE_OPTIONS(c)                                                                                                                  \
	OPT_STRING('i', "input", &(c)->in.path, "FILE", "Read a recording (- is stdin; default perf.data)", .complete = "file"),           \
		CLASS_OPTION(c), OPT_STRING('n', "name", &(c)->name, "NAME", "Only work of this name (TIMER, vmstat_update)"),             \
		OPT_CALL('C', "cpu", input_option_filter, &(c)->in, "LIST", "Only these CPUs, as in 0-3,7"),                               \
		OPT_CALL(0, "time", input_option_time, &(c)->in, "FROM,TO",                                                                \
			 "Only what began in this time, in seconds, or shares as in 0%-10%")

#define READING_OPTIONS(c)                                                                                                                 \
	OPT_COUNT('v', "verbose", &(c)->in.verbose, "Say more"), OPT_BOOL('q', "quiet", &(c)->in.quiet, "No warnings"),                    \
		OPT_BOOL('f', "force", &(c)->in.force, "Read a file that another user owns"),                                              \
		OPT_STRING(0, "vmlinux", &(c)->in.symbols.vmlinux, "FILE", "Take kernel symbols from this vmlinux", .complete = "file"),   \
		OPT_STRING(0, "kallsyms", &(c)->in.symbols.kallsyms, "FILE", "Take kernel symbols from this kallsyms file",                \
			   .complete = "file")

static int show(bool has_delays, int argc, char **argv, struct errbuf *eb)
{
	struct kwork_command c;
	struct pairs_run pairs;
	const struct option table[] = {
		CHOICE_OPTIONS(&c),
		OPT_STRING('s', "sort", &c.sort_text, "KEY",
			   has_delays ? "Sort by avg (the default), max or count" : "Sort by runtime (the default), max or count",
			   .complete = has_delays ? "avg|max|count" : "runtime|max|count"),
		OPT_BOOL('S', "with-summary", &c.with_summary, "With sums of all rows at the end"),
		OPT_BOOL('j', "json", &c.json, "Print JSON"),
		READING_OPTIONS(&c),
		OPT_END,
	};
	const struct options opts = {
		.command = has_delays ? "kwork latency" : "kwork report",
		.absent = perf_kwork_absent,
		.usage = has_delays ? "assay kwork latency [OPTIONS] [-i FILE]\nassay kwork latency [OPTIONS] [--] COMMAND [ARG…]"
				    : "assay kwork report [OPTIONS] [-i FILE]\nassay kwork report [OPTIONS] [--] COMMAND [ARG…]",
		.summary = has_delays ? "Show how long soft interrupts and work queues were due before they ran"
				      : "Show how long interrupts, soft interrupts and work queues ran",
		.table = table,
		.flags = OPTIONS_STOP_AT_WORD,
	};
	int ret;

	kwork_init(&c, has_delays, NULL, argc, argv);
	ret = cmd_parse(&opts, &argc, &argv, eb);
	if (!ret) {
		pairs = pairs_of(&c, c.defs);
		ret = run(&c, &pairs, argc, argv, eb);
	}
	kwork_fini(&c);
	return ret;
}

static int kwork_timehist(int argc, char **argv, struct errbuf *eb)
{
	struct kwork_command c;
	struct pairs_run pairs;
	const struct option table[] = { CHOICE_OPTIONS(&c), READING_OPTIONS(&c), OPT_END };
	const struct options opts = {
		.command = "kwork timehist",
		.absent = perf_kwork_timehist_absent,
		.usage = "assay kwork timehist [OPTIONS] [-i FILE]\nassay kwork timehist [OPTIONS] [--] COMMAND [ARG…]",
		.summary = "Show each run of an interrupt, a soft interrupt or a work queue, and how long it was due before",
		.table = table,
		.flags = OPTIONS_STOP_AT_WORD,
	};
	int ret;

	kwork_init(&c, false, NULL, argc, argv);
	ret = cmd_parse(&opts, &argc, &argv, eb);
	if (!ret) {
		pairs = pairs_of(&c, pair_sum_kernel_works);
		add_defs(&pairs, &c, pair_sum_kernel_delays);
		pairs.start = start_timehist;
		pairs.print = end_timehist;
		ret = run(&c, &pairs, argc, argv, eb);
	}
	kwork_fini(&c);
	return ret;
}

int kwork_report(int argc, char **argv, struct errbuf *eb)
{
	return show(false, argc, argv, eb);
}

static int kwork_latency(int argc, char **argv, struct errbuf *eb)
{
	return show(true, argc, argv, eb);
}

const struct cmd kwork_commands[] = {
	{ "record", kwork_record, "Record the work of the kernel into a file", "command", NULL },
	{ "report", kwork_report, "Show how long work ran", "command", NULL },
	{ "latency", kwork_latency, "Show how long work was due before it ran", "command", NULL },
	{ "timehist", kwork_timehist, "Show each run of work", "command", NULL },
	{ NULL, NULL, NULL, NULL, NULL },
};
