/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * `assay list`: the events of this machine and the metrics, all or by words: a kind ("sw"), a pattern ("sched:*") or a part of a name.
 * A word that fits nothing is an error (perf: silence and success) with the nearest name.
 */
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "abi/event_names.h"
#include "base/log.h"
#include "base/suggest.h"
#include "cmd/cmd.h"
#include "cmd/perf_compat.h"
#include "kernel/event_catalog.h"
#include "model/metrics.h"
#include "symbols/sdt_notes.h"
#include "view/list.h"

struct list_options {
	bool json, names_only, desc, long_desc, details;
	bool on_terminal;
	const char *pmu;
};

struct lister {
	const struct list_options *opts;
	struct event_catalog catalog;
	struct out out;
	struct list_text text;
	struct list_json json;
};

static void show_events(struct lister *l)
{
	for (uint32_t i = 0; i < l->catalog.events.nr; i++) {
		const struct catalog_event *c = &l->catalog.events.v[i];
		struct list_event e = {
			.type = event_catalog_kind_name(c->kind),
			.name = c->name,
			.alias = c->alias,
			.plain_name = c->plain_name,
			.pmu = c->pmu,
			.unit = c->unit,
			.scale = c->scale,
			.desc = c->desc,
			.encoding = c->encoding,
		};

		if (l->opts->details && !l->opts->names_only)
			e.fields = event_catalog_fields(&l->catalog, c);
		if (l->opts->json)
			list_json_event(&l->json, &e);
		else
			list_text_event(&l->text, &e);
	}
}

static bool has_events(void *ctx, const char *needs)
{
	struct lister *l = ctx;

	return event_catalog_has_core_events(&l->catalog, needs);
}

/* Those whose name or group fits; how many were shown. */
static uint32_t show_metrics(struct lister *l, const struct catalog_filter *f, bool each, bool groups)
{
	VEC(struct list_metric) found = { 0 };
	struct metric_list list;
	uint32_t nr;

	metric_list_init(&list, has_events, l);
	for (uint32_t i = 0; i < list.defs.nr; i++) {
		const struct metric_def *d = list.defs.v[i];

		if (!f->system && (catalog_filter_fits(f, d->name) || catalog_filter_fits(f, d->group)))
			vec_push(&found, ((struct list_metric){ d->name, d->group, d->desc, metric_expression(d, &l->catalog.arena) }));
	}
	if (l->opts->json)
		list_json_metrics(&l->json, found.v, found.nr, each);
	else
		list_text_metrics(&l->text, found.v, found.nr, each, groups);
	nr = found.nr;
	vec_fini(&found);
	metric_list_fini(&list);
	return nr;
}

/* libpfm4's come last of all, as in perf. */
static void show_all(struct lister *l)
{
	const struct catalog_filter any = { .pmu = l->opts->pmu };
	/* How to write an event is no event's name. */
	unsigned kinds = l->opts->names_only ? CATALOG_NAMED : CATALOG_ALL;
	unsigned pfm = 1u << CATALOG_PFM;
	struct errbuf why = { 0 };

	if (event_catalog_add(&l->catalog, kinds & ~pfm, &any, &why))
		log_warn("tracepoints are missing in this list: %s", why.text);
	show_events(l);
	show_metrics(l, &any, true, true);
	event_catalog_clear(&l->catalog);
	event_catalog_add(&l->catalog, pfm, &any, NULL);
	show_events(l);
}

static int show_kinds(struct lister *l, unsigned kinds, const char *word, struct errbuf *eb)
{
	const struct catalog_filter any = { .pmu = l->opts->pmu };
	int err;

	event_catalog_clear(&l->catalog);
	err = event_catalog_add(&l->catalog, kinds, &any, eb);
	if (err)
		return err;
	if (!l->catalog.events.nr && !l->opts->names_only) {
		if (kinds == 1u << CATALOG_SDT)
			log_warn(
				"no binary in the build-id cache (~/.debug) has SDT probes; 'assay list sdt FILE' lists those of a file (FILE "
				"with a slash)");
		else
			log_warn("this machine offers no events of the kind '%s'", word);
	}
	show_events(l);
	return 0;
}

/* The SDT probes that a file declares, each name once. */
static int show_sdt_file(struct lister *l, const char *path, struct errbuf *eb)
{
	struct sdt_notes notes;
	uint32_t first;
	int err = sdt_notes_open(&notes, path, eb);

	if (err)
		return err;
	event_catalog_clear(&l->catalog);
	first = l->catalog.events.nr;
	for (uint32_t i = 0; i < notes.v.nr; i++) {
		const struct sdt_note *n = &notes.v.v[i];
		const char *name = catalog_printf(&l->catalog, "sdt_%s:%s", n->provider, n->name);

		catalog_new_event(&l->catalog, CATALOG_SDT, name)->encoding =
			catalog_printf(&l->catalog, "0x%llx %s", (unsigned long long)n->vaddr, n->args);
	}
	catalog_sort(&l->catalog, first);
	if (notes.nr_bad)
		log_warn("%s: %u of its SDT notes are damaged", path, notes.nr_bad);
	if (!notes.v.nr)
		err = errbuf_set(eb, -ENOENT, "%s has no SDT probes (no section .note.stapsdt)", path);
	show_events(l);
	sdt_notes_fini(&notes);
	return err;
}

/* A name that is right and that this machine has no use for; 0: it is none. */
static int is_lacking(const char *word, struct errbuf *eb)
{
	uint32_t type;
	uint64_t config;

	if (!event_names_find(word, strlen(word), &type, &config))
		return errbuf_set(eb, -ENOENT,
				  "this machine cannot count '%s'; 'assay list hw cache' shows what "
				  "its PMU can, if it has one",
				  word);
	for (const struct metric_def *d = metric_defs(); d->name; d++)
		if (metric_def_is(d, word))
			return errbuf_set(eb, -ENOENT, "'%s' needs events that no PMU of this machine has (%s)", word, d->needs);
	return 0;
}

/* `why`: what kept some events from being looked at; or an empty text. */
static int nothing_fits(struct lister *l, const char *word, const struct errbuf *why, struct errbuf *eb)
{
	int err = is_lacking(word, eb);
	const char *near;

	if (err)
		return err;
	near = event_catalog_find_nearest(&l->catalog, word);
	if (!near) {
		struct suggest s;

		suggest_init(&s, word);
		for (const struct metric_def *d = metric_defs(); d->name; d++)
			suggest_offer(&s, d->name);
		near = s.best;
	}
	if (near)
		return errbuf_set(eb, -ENOENT, "nothing fits '%s'; did you mean '%s'?", word, near);
	if (why->text[0])
		return errbuf_set(eb, -ENOENT, "nothing fits '%s', but %s", word, why->text);
	return errbuf_set(eb, -ENOENT, "nothing fits '%s'; 'assay list' shows all there is", word);
}

static int show_word(struct lister *l, const char *word, struct errbuf *eb)
{
	struct errbuf why = { 0 };
	struct catalog_filter f;
	uint32_t nr = 0;
	int err = 0;

	catalog_filter_init(&f, word);
	f.pmu = l->opts->pmu;
	/* As written first; where that finds nothing, LLC and llc are the same. */
	for (int i = 0; i < 2 && !nr; i++) {
		f.ignore_case = i;
		event_catalog_clear(&l->catalog);
		err = event_catalog_add(&l->catalog, CATALOG_NAMED, &f, &why);
		nr = l->catalog.events.nr;
		show_events(l);
		nr += show_metrics(l, &f, true, true);
	}
	if (err && nr)
		log_warn("tracepoints are missing in this list: %s", why.text);
	err = nr ? 0 : nothing_fits(l, word, &why, eb);
	catalog_filter_fini(&f);
	return err;
}

static int show(struct lister *l, const char *word, struct errbuf *eb)
{
	static const struct catalog_filter any;
	unsigned kinds = event_catalog_find_kinds(word);

	if (kinds)
		return show_kinds(l, kinds, word, eb);
	if (!strcmp(word, "metric") || !strcmp(word, "metrics"))
		show_metrics(l, &any, true, false);
	else if (!strcmp(word, "metricgroup") || !strcmp(word, "metricgroups"))
		show_metrics(l, &any, false, true);
	else
		return show_word(l, word, eb);
	return 0;
}

static uint32_t terminal_columns(void)
{
	struct winsize size;

	return !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col ? size.ws_col : 80;
}

static int list(const struct list_options *opts, char **words, struct errbuf *eb)
{
	struct lister l = { .opts = opts };
	int err = 0, ret;

	event_catalog_init(&l.catalog);
	out_init(&l.out, STDOUT_FILENO);
	out_page(&l.out);
	l.text = (struct list_text){ .o = &l.out,
				     .names_only = opts->names_only,
				     .no_desc = !opts->desc && !opts->long_desc,
				     .details = opts->details,
				     .on_terminal = opts->on_terminal,
				     .columns = opts->on_terminal ? terminal_columns() : 0 };
	if (opts->json)
		list_json_init(&l.json, &l.out);
	l.json.no_desc = l.text.no_desc;
	if (!*words)
		show_all(&l);
	/* One wrong word does not keep the others from being answered; the first is reported. */
	for (; *words; words++) {
		if (!strcmp(*words, "sdt") && words[1] && strchr(words[1], '/'))
			ret = show_sdt_file(&l, *++words, err ? NULL : eb);
		else
			ret = show(&l, *words, err ? NULL : eb);
		err = err ? err : ret;
	}
	if (opts->json)
		list_json_end(&l.json);
	else
		list_text_end(&l.text);
	event_catalog_fini(&l.catalog);
	ret = out_fini(&l.out);
	return ret ? ret : err;
}

int cmd_list(int argc, char **argv, struct errbuf *eb)
{
	struct list_options o = { .desc = true, .on_terminal = isatty(STDOUT_FILENO) };
	const struct option table[] = {
		OPT_BOOL('j', "json", &o.json, "write JSON"),
		OPT_BOOL('d', "desc", &o.desc, "show descriptions, which is the default; --no-desc leaves them out"),
		OPT_BOOL('v', "long-desc", &o.long_desc, "show the long descriptions"),
		OPT_BOOL(0, "details", &o.details, "show encodings, fields of tracepoints and formulas of metrics"),
		OPT_BOOL(0, "raw-dump", &o.names_only, "print the names only, in one line"),
		OPT_STRING(0, "unit", &o.pmu, "PMU", "of PMU events, only those of this PMU"),
		OPT_STRING(0, "cputype", &o.pmu, "TYPE", "of PMU events, only those of this type of core (core, atom)"),
		OPT_ACCEPTED(0, "deprecated", "no event that is known here is deprecated"),
		OPT_ACCEPTED(0, "debug", "there is nothing to debug in a list"),
		OPT_END,
	};
	const struct options opts = {
		.command = "list",
		.absent = perf_list_absent,
		.usage = "assay list [OPTIONS] [hw|sw|cache|pmu|tracepoint|sdt|metric|metricgroup|"
			 "pfm|PATTERN…]\nassay list [OPTIONS] sdt FILE",
		.summary = "List the events that this machine can count",
		.examples = "  assay list sw\n"
			    "  assay list 'syscalls:*open*'\n"
			    "  assay list --details sched:sched_switch\n"
			    "  assay list sdt ./server\n",
		.table = table,
	};
	int err = cmd_parse(&opts, &argc, &argv, eb);

	if (err)
		return err;
	if (o.json && o.names_only)
		return errbuf_set(eb, CMD_USAGE, "--raw-dump and --json do not go together");
	return list(&o, argv, eb);
}
