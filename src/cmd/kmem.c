/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * assay kmem: who allocates memory in the kernel, how much of it is wasted, and what is freed on another CPU. From a recording, or live.
 */
#include <errno.h>
#include <unistd.h>

#include "base/log.h"
#include "capture/capture.h"
#include "cmd/cmd.h"
#include "cmd/pairs.h"
#include "kernel/ring.h"
#include "view/kmem_text.h"

struct kmem_command {
	struct capture_options o;
	struct input in;
	bool slab, page, by_caller, by_object, json;
	bool raw_ip, only_live;
	const char *sorts[KMEM_NR_TABLES]; /* -s; NULL: not given */
	uint64_t max_rows[KMEM_NR_TABLES]; /* -l; 0: not given */
	struct kmem_text texts[KMEM_NR_TABLES];
	uint32_t nr_texts;
	bool hides_tables; /* the sums alone are asked for */
	bool ring_given;   /* -m */
};

/* ---- which tables ---- */

/* Whether the options so far ask for a table; without any, for all. */
static bool is_meant(const struct kmem_command *c, enum kmem_table t)
{
	bool is_caller = t == KMEM_SLAB_CALLERS || t == KMEM_PAGE_CALLERS;

	if (kmem_table_has_pages(t) ? c->slab && !c->page : c->page && !c->slab)
		return false;
	return (!c->by_caller && !c->by_object) || (is_caller ? c->by_caller : c->by_object);
}

/* -s and -l hold for the tables that were named before, and have none yet: --caller -l 5 --alloc -l 3. Where all have, the last one counts.
 * As bits; `given`: those that have one. */
static unsigned tables_of_option(const struct kmem_command *c, unsigned given)
{
	unsigned meant = 0;

	for (enum kmem_table t = 0; t < KMEM_NR_TABLES; t++)
		meant |= is_meant(c, t) ? 1u << t : 0;
	return meant & ~given ? meant & ~given : meant;
}

static int take_sort(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct kmem_command *c = ctx;
	unsigned given = 0, taken;

	(void)opt, (void)negated, (void)eb;
	for (int t = 0; t < KMEM_NR_TABLES; t++)
		given |= c->sorts[t] ? 1u << t : 0;
	taken = tables_of_option(c, given);
	for (int t = 0; t < KMEM_NR_TABLES; t++)
		if (taken >> t & 1)
			c->sorts[t] = arg;
	return 0;
}

static int take_lines(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct kmem_command *c = ctx;
	unsigned given = 0, taken;
	uint64_t nr;

	(void)opt, (void)negated;
	if (options_u64(arg, 1, UINT32_MAX, &nr))
		return errbuf_set(eb, -EINVAL, "-l: '%s' is no number of lines", arg);
	for (int t = 0; t < KMEM_NR_TABLES; t++)
		given |= c->max_rows[t] ? 1u << t : 0;
	taken = tables_of_option(c, given);
	for (int t = 0; t < KMEM_NR_TABLES; t++)
		if (taken >> t & 1)
			c->max_rows[t] = nr;
	return 0;
}

static bool has_table_options(const struct kmem_command *c)
{
	bool is_any = c->raw_ip || c->only_live;

	for (int t = 0; t < KMEM_NR_TABLES; t++)
		is_any |= c->sorts[t] || c->max_rows[t];
	return is_any;
}

/* A key that only one of two tables has sorts that one: --caller --alloc -s callsite. */
static int set_keys(const struct kmem_command *c, struct kmem_text *text, struct errbuf *eb)
{
	enum kmem_table other = text->table ^ 1;
	struct kmem_text probe = { .table = other };
	struct errbuf ignored = { 0 };
	int err = kmem_text_set_keys(text, c->sorts[text->table], "-s", eb);

	if (!err || !is_meant(c, other) || c->sorts[other] != c->sorts[text->table] ||
	    kmem_text_set_keys(&probe, c->sorts[other], "-s", &ignored))
		return err;
	errbuf_clear(eb);
	return kmem_text_set_keys(text, NULL, "-s", eb);
}

/* The sums need a table, too, which is then not shown. */
static int choose_tables(struct kmem_command *c, struct errbuf *eb)
{
	if (c->only_live && !c->page)
		return errbuf_set(eb, CMD_USAGE, "kmem: --live is about pages: it needs --page");
	if (!c->page)
		c->slab = true;
	c->hides_tables = !c->by_caller && !c->by_object;
	if (c->hides_tables && has_table_options(c))
		return errbuf_set(eb, CMD_USAGE, "kmem: -s, -l, --raw-ip and --live are about tables: --caller or --alloc asks for one");
	if (c->hides_tables)
		c->by_caller = true;
	for (enum kmem_table t = 0; t < KMEM_NR_TABLES; t++) {
		struct kmem_text *text = &c->texts[c->nr_texts];

		if ((kmem_table_has_pages(t) ? !c->page : !c->slab) || !is_meant(c, t))
			continue;
		*text = (struct kmem_text){ .table = t, .max_rows = c->max_rows[t], .raw_ip = c->raw_ip };
		text->only_live = c->only_live && kmem_table_has_pages(t);
		if (set_keys(c, text, eb))
			return CMD_USAGE;
		c->nr_texts++;
	}
	return 0;
}

/* ---- reading and printing ---- */

/* Both tables of a kind have the same sums. */
static bool is_last_of_kind(const struct pair_sums *sums, uint32_t i, uint32_t nr)
{
	return i + 1 == nr || !sums[i].def->order != !sums[i + 1].def->order;
}

static void print(void *ctx, const struct recording *r, struct pair_sums *sums, uint32_t nr, struct out *o)
{
	const struct kmem_command *c = ctx;

	/* Of both kinds, a recording may have one. */
	for (uint32_t i = 0; i < nr; i++)
		if (is_last_of_kind(sums, i, nr) && !pair_sums_is_recorded(sums[i].def, r))
			log_warn("there are no events %s and %s", sums[i].def->from, sums[i].def->to);
	if (c->json) {
		kmem_json_print(o, c->texts, sums, nr, !c->hides_tables);
		return;
	}
	for (uint32_t i = 0; i < nr && !c->hides_tables; i++)
		kmem_text_print(&c->texts[i], o, &sums[i]);
	for (uint32_t i = 0; i < nr; i++)
		if (is_last_of_kind(sums, i, nr))
			kmem_text_summary(o, &sums[i]);
}

static struct pairs_run pairs_of(struct kmem_command *c)
{
	struct pairs_run r = { .print = print, .ctx = c, .advice = "'assay kmem record' records them, and with --page those of pages" };

	for (uint32_t i = 0; i < c->nr_texts; i++)
		r.defs[i] = kmem_table_def(c->texts[i].table);
	return r;
}

static int record(struct kmem_command *c, int argc, char **argv, struct errbuf *eb)
{
	struct pairs_run pairs = { .ctx = c };
	uint32_t nr = 0;
	int err;

	if (c->slab || !c->page)
		pairs.defs[nr++] = &pair_sum_slab_callers;
	if (c->page)
		pairs.defs[nr++] = &pair_sum_page_callers;
	c->o.workload = argc ? argv : NULL;
	c->o.all_cpus = !c->o.cpus;
	err = pairs_add_events(&pairs, &c->o, eb);
	return err ? err : capture_run(&c->o, eb);
}

static int show(struct kmem_command *c, int argc, char **argv, struct errbuf *eb)
{
	const struct session_options options = { .symbols = c->in.symbols };
	struct pairs_run pairs;
	int err = choose_tables(c, eb);

	if (err)
		return err;
	if (argc && (c->in.path || c->in.filter.time_arg))
		return errbuf_set(eb, CMD_USAGE, "kmem: -i and --time are about a recording: no command can be given beside them");
	if (!argc && c->ring_given)
		return errbuf_set(eb, CMD_USAGE, "kmem: -m is about recording: it needs a command");
	pairs = pairs_of(c);
	if (!argc)
		return pairs_run_file(&pairs, &c->in, eb);
	c->o.workload = argv;
	c->o.all_cpus = true;
	return pairs_run_live(&pairs, &c->o, &options, eb);
}

/* ---- command lines ---- */

#define RING_BYTES (8u << 20) /* of each CPU: some hundred thousand allocations a second are nothing special */

static int take_pages(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct kmem_command *c = ctx;

	(void)opt, (void)negated;
	c->ring_given = true;
	return ring_parse_pages(arg, &c->o.ring_pages, eb);
}

static void kmem_init(struct kmem_command *c, const char *group, int argc, char **argv)
{
	*c = (struct kmem_command){ 0 };
	input_init(&c->in);
	c->in.recorder = "assay kmem record -- COMMAND";
	capture_options_init(&c->o);
	capture_options_set_cmdline(&c->o, group, argc, argv);
	c->o.ring_pages = RING_BYTES / (uint32_t)sysconf(_SC_PAGESIZE);
}

static void kmem_fini(struct kmem_command *c)
{
	capture_options_fini(&c->o);
	input_fini(&c->in);
}

#define RING_OPTION(c) OPT_CALL('m', "mmap-pages", take_pages, c, "PAGES|SIZE", "Size of each CPU's ring: pages, or 512K, 4M (default: 8M)")
#define KIND_OPTIONS(c)                                                                                                                    \
	OPT_BOOL(0, "slab", &(c)->slab, "Objects: kmalloc, kmem_cache_alloc (the default)"),                                               \
		OPT_BOOL(0, "page", &(c)->page, "Pages: alloc_pages; with --slab both")

static int kmem_record(int argc, char **argv, struct errbuf *eb)
{
	struct kmem_command c;
	const struct option table[] = {
		KIND_OPTIONS(&c),
		RING_OPTION(&c),
		CMD_ALL_CPUS_OPTIONS(&c.o, &c.in),
		OPT_END,
	};
	const struct options opts = {
		.command = "kmem record",
		.usage = "assay kmem record [OPTIONS] [--] [COMMAND [ARG…]]",
		.summary = "Record allocations of the kernel on all CPUs, while a command runs or until Ctrl-C",
		.table = table,
		.flags = OPTIONS_STOP_AT_WORD,
	};
	int ret;

	kmem_init(&c, "kmem", argc, argv);
	ret = cmd_parse(&opts, &argc, &argv, eb);
	if (!ret) {
		cmd_set_log_level(c.in.quiet, c.in.verbose);
		ret = record(&c, argc, argv, eb);
	}
	kmem_fini(&c);
	return ret;
}

int kmem_stat(int argc, char **argv, struct errbuf *eb)
{
	struct kmem_command c;
	const struct option table[] = {
		OPT_STRING('i', "input", &c.in.path, "FILE", "Read a recording (- is stdin; default perf.data)", .complete = "file"),
		OPT_GROUP("What to show"),
		KIND_OPTIONS(&c),
		OPT_BOOL(0, "caller", &c.by_caller, "A row for each place in the code that allocates"),
		OPT_BOOL(0, "alloc", &c.by_object, "A row for each address, or page"),
		OPT_CALL(
			's', "sort", take_sort, &c, "KEY[,…]",
			"Sort the tables named before: ptr, callsite, bytes, hit, pingpong, frag; of pages page, callsite, bytes, hit, order, "
			"migtype, gfp"),
		OPT_CALL('l', "line", take_lines, &c, "N", "At most N rows of the tables named before"),
		OPT_BOOL(0, "raw-ip", &c.raw_ip, "Addresses of code, not names"),
		OPT_BOOL(0, "live", &c.only_live, "Of pages: only what was not freed"),
		OPT_CALL(0, "time", input_option_time, &c.in, "FROM,TO",
			 "Only what was allocated then, in seconds, or shares as in 0%-10%"),
		OPT_BOOL('j', "json", &c.json, "Print JSON"),
		RING_OPTION(&c),
		OPT_COUNT('v', "verbose", &c.in.verbose, "Say more"),
		OPT_BOOL('q', "quiet", &c.in.quiet, "No warnings"),
		OPT_BOOL('f', "force", &c.in.force, "Read a file that another user owns"),
		OPT_STRING(0, "vmlinux", &c.in.symbols.vmlinux, "FILE", "Take kernel symbols from this vmlinux", .complete = "file"),
		OPT_STRING(0, "kallsyms", &c.in.symbols.kallsyms, "FILE", "Take kernel symbols from this kallsyms file",
			   .complete = "file"),
		OPT_END,
	};
	const struct options opts = {
		.command = "kmem stat",
		.usage = "assay kmem stat [OPTIONS] [-i FILE]\nassay kmem stat [OPTIONS] [--] COMMAND [ARG…]",
		.summary = "Show who allocates memory in the kernel, and how much of it is wasted",
		.examples = "assay kmem stat --caller -s bytes -l 20 -- ls -R /usr    who allocates most while a command runs\n"
			    "assay kmem record --page -- make; assay kmem stat --page --caller    the same of pages, from a file\n",
		.table = table,
		.flags = OPTIONS_STOP_AT_WORD,
	};
	int ret;

	kmem_init(&c, NULL, argc, argv);
	ret = cmd_parse(&opts, &argc, &argv, eb);
	if (!ret) {
		cmd_set_log_level(c.in.quiet, c.in.verbose);
		ret = show(&c, argc, argv, eb);
	}
	kmem_fini(&c);
	return ret;
}

const struct cmd kmem_commands[] = {
	{ "record", kmem_record, "Record allocations of the kernel into a file", "command", NULL },
	{ "stat", kmem_stat, "Show who allocates, and how much is wasted", "command", NULL },
	{ NULL, NULL, NULL, NULL, NULL },
};
