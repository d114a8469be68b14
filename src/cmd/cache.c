/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * `assay cache`: what the symbol index holds, whether it is whole, and removing from it. The index itself is symbols/symbol_index.h;
 * here are only the words and the printing.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/json.h"
#include "base/log.h"
#include "base/out.h"
#include "cmd/cmd.h"
#include "symbols/symbol_index.h"

#define MIN_PREFIX 4 /* digits of a build-id that name one */

struct cache_options {
	bool json;
	const char *older_than;
	uint64_t older_than_s; /* 0: whatever its age */
	char **words;	       /* build-ids, or their beginnings; NULL-terminated */
};

struct entries {
	struct index_entry *v;
	uint32_t nr;
};

/* "30d" → seconds */
static int parse_age(const char *text, uint64_t *seconds, struct errbuf *eb)
{
	static const struct {
		char unit;
		uint64_t seconds;
	} units[] = { { 's', 1 }, { 'm', 60 }, { 'h', 3600 }, { 'd', 86400 }, { 'w', 604800 } };
	char digits[16];
	size_t len = strlen(text);

	if (len >= 2 && len < sizeof(digits)) {
		snprintf(digits, sizeof(digits), "%.*s", (int)(len - 1), text);
		for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
			if (text[len - 1] == units[i].unit && options_u64(digits, 0, 1ULL << 32, seconds) == 0) {
				*seconds *= units[i].seconds;
				return 0;
			}
	}
	return errbuf_set(eb, CMD_USAGE, "--older-than %s: not a time such as 30d, 12h or 2w", text);
}

/* Whether a word is the beginning of this id. */
static bool does_name(const char *word, const struct index_id *id)
{
	char text[INDEX_ID_TEXT_SIZE];

	return strncasecmp(index_id_text(id, text), word, strlen(word)) == 0;
}

static bool is_wanted(const struct cache_options *o, const struct index_entry *e)
{
	bool named = !o->words[0];

	for (char **w = o->words; *w && !named; w++)
		named = does_name(*w, &e->id);
	return named && (!o->older_than || time(NULL) - e->used_s > (int64_t)o->older_than_s);
}

static void drop(struct index_entry *e)
{
	free(e->path);
	free(e->name);
}

/* Lists those that the words name, or all. A word that names none is a failure. */
static int list_wanted(const struct cache_options *o, struct entries *all, struct errbuf *eb)
{
	uint32_t kept = 0;
	int err = symbol_index_list(&all->v, &all->nr, eb);

	for (char **w = o->words; !err && *w; w++) {
		bool found = false;

		const char *digits = *w + (strncmp(*w, INDEX_FILE_PREFIX, strlen(INDEX_FILE_PREFIX)) ? 0 : strlen(INDEX_FILE_PREFIX));

		if (strlen(digits) < MIN_PREFIX || strspn(digits, "0123456789abcdefABCDEF") != strlen(digits))
			return errbuf_set(eb, CMD_USAGE, "'%s' is not a build-id, nor the first %d digits or more of one", *w, MIN_PREFIX);
		for (uint32_t i = 0; i < all->nr; i++)
			found |= does_name(*w, &all->v[i].id);
		if (!found)
			return errbuf_set(eb, -ENOENT, "the symbol index has no build-id that begins with %s", *w);
	}
	for (uint32_t i = 0; !err && i < all->nr; i++) {
		if (is_wanted(o, &all->v[i]))
			all->v[kept++] = all->v[i];
		else
			drop(&all->v[i]);
	}
	all->nr = err ? all->nr : kept;
	return err;
}

/* In columns where `width` is not 0. */
static void print_size(struct out *o, uint64_t bytes, int width)
{
	static const char *const units[] = { "B", "kB", "MB", "GB" };
	double value = (double)bytes;
	unsigned int unit = 0;

	while (value >= 1024 && unit < 3) {
		value /= 1024;
		unit++;
	}
	out_printf(o, "%*.*f %-*s", width, unit && value < 100 ? 1 : 0, value, width ? 2 : 0, units[unit]);
}

static void print_parts(struct out *o, const struct index_entry *e)
{
	uint32_t nr_units = e->nr_parts[INDEX_SOURCE_UNIT];
	char units[24], other[24];
	const struct {
		bool is_there;
		const char *text;
	} parts[] = {
		{ e->nr_parts[INDEX_SYMBOLS], "symbols" },
		{ e->nr_parts[INDEX_UNWIND], "unwind" },
		{ nr_units || e->nr_parts[INDEX_SOURCE_RANGES], units },
		{ e->nr_parts[INDEX_KERNEL], "kernel symbols" },
		{ e->nr_parts[INDEX_FUNCTIONS], "functions" },
		{ e->nr_parts[0], other },
	};
	char text[128] = "";

	snprintf(units, sizeof(units), "%u unit%s", nr_units, nr_units == 1 ? "" : "s");
	snprintf(other, sizeof(other), "%u other", e->nr_parts[0]);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (parts[i].is_there)
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", *text ? ", " : "", parts[i].text);
	out_printf(o, "%-26s", e->is_damaged ? "unusable" : text);
}

static void print_entry(struct out *o, const struct index_entry *e)
{
	char id[INDEX_ID_TEXT_SIZE], used[32] = "-";
	time_t t = (time_t)e->used_s;
	struct tm tm;

	if (localtime_r(&t, &tm))
		strftime(used, sizeof(used), "%Y-%m-%d %H:%M", &tm);
	out_printf(o, "%-40s  ", index_id_text(&e->id, id));
	print_size(o, e->size_bytes, 5);
	out_printf(o, "  %-16s  ", used);
	print_parts(o, e);
	out_str(o, "  ");
	if (e->name)
		escape_terminal(o, e->name, strlen(e->name));
	out_char(o, '\n');
}

static uint64_t total_of(const struct entries *all)
{
	uint64_t total = 0;

	for (uint32_t i = 0; i < all->nr; i++)
		total += all->v[i].size_bytes;
	return total;
}

static void json_entry(struct json *j, const struct index_entry *e, const char *problem)
{
	static const char *const names[INDEX_NR_PARTS] = {
		"other", "symbols", "unwind", "source_units", "source_ranges", "kernel_symbols", "functions", "origins",
	};
	char id[INDEX_ID_TEXT_SIZE];

	json_object(j);
	json_put_str(j, "id", index_id_text(&e->id, id));
	json_key(j, "build_id");
	if (e->id.is_file)
		json_null(j);
	else
		json_str(j, id);
	json_key(j, "name");
	if (e->name)
		json_str(j, e->name);
	else
		json_null(j);
	json_put_str(j, "path", e->path);
	json_put_u64(j, "size_bytes", e->size_bytes);
	json_put_i64(j, "last_use_s", e->used_s);
	json_put_object(j, "parts");
	for (uint32_t i = 0; i < INDEX_NR_PARTS; i++) {
		json_key(j, names[i]);
		json_u64(j, e->nr_parts[i]);
	}
	json_object_end(j);
	json_put_bool(j, "damaged", e->is_damaged);
	if (problem && *problem)
		json_put_str(j, "problem", problem);
	json_object_end(j);
}

/* What precedes the entries. */
static void json_begin(struct json *j, struct out *o, const struct entries *all)
{
	char *dir = symbol_index_directory();

	json_init(j, o, true);
	json_object(j);
	json_put_str(j, "directory", dir ? dir : "");
	json_put_u64(j, "limit_bytes", symbol_index_limit());
	json_put_u64(j, "size_bytes", total_of(all));
	json_put_array(j, "entries");
	free(dir);
}

static void json_end(struct json *j, struct out *o)
{
	json_array_end(j);
	json_object_end(j);
	out_char(o, '\n');
}

static int show_list(const struct cache_options *opts, struct errbuf *eb)
{
	char *dir = symbol_index_directory();
	struct entries all = { 0 };
	int err = list_wanted(opts, &all, eb);
	struct json j;
	struct out o;

	out_init(&o, STDOUT_FILENO);
	if (!err && opts->json) {
		json_begin(&j, &o, &all);
		for (uint32_t i = 0; i < all.nr; i++)
			json_entry(&j, &all.v[i], NULL);
		json_end(&j, &o);
	} else if (!err) {
		if (all.nr)
			out_printf(&o, "%-40s  %8s  %-16s  %-26s  %s\n", "build-id", "size", "last use", "parts", "file");
		for (uint32_t i = 0; i < all.nr; i++)
			print_entry(&o, &all.v[i]);
		out_printf(&o, "%u file%s, ", all.nr, all.nr == 1 ? "" : "s");
		print_size(&o, total_of(&all), 0);
		out_str(&o, " of at most ");
		print_size(&o, symbol_index_limit(), 0);
		out_printf(&o, " in %s\n", dir ? dir : "");
	}
	err = err ? (out_fini(&o), err) : out_fini(&o);
	symbol_index_list_free(all.v, all.nr);
	free(dir);
	return err;
}

static int verify(const struct cache_options *opts, struct errbuf *eb)
{
	struct entries all = { 0 };
	uint32_t nr_damaged = 0;
	int err = list_wanted(opts, &all, eb);
	struct json j;
	struct out o;

	out_init(&o, STDOUT_FILENO);
	if (!err && opts->json)
		json_begin(&j, &o, &all);
	for (uint32_t i = 0; !err && i < all.nr; i++) {
		struct errbuf why = { 0 };

		nr_damaged += symbol_index_verify(&all.v[i], &why) != 0;
		if (opts->json) {
			json_entry(&j, &all.v[i], why.text);
		} else if (why.text[0]) {
			escape_terminal(&o, why.text, strlen(why.text));
			out_char(&o, '\n');
		}
	}
	if (!err && opts->json)
		json_end(&j, &o);
	else if (!err)
		out_printf(&o, "%u file%s checked, %u damaged\n", all.nr, all.nr == 1 ? "" : "s", nr_damaged);
	err = err ? (out_fini(&o), err) : out_fini(&o);
	if (!err && nr_damaged)
		err = errbuf_set(eb, -EBADMSG,
				 "%u of %u files of the symbol index are damaged; they are made anew when needed, or remove them with "
				 "'assay cache clear'",
				 nr_damaged, all.nr);
	symbol_index_list_free(all.v, all.nr);
	return err;
}

static int clear(const struct cache_options *opts, struct errbuf *eb)
{
	struct entries all = { 0 };
	uint64_t freed = 0;
	uint32_t nr = 0;
	int err = list_wanted(opts, &all, eb), failed = 0;
	struct out o;

	out_init(&o, STDOUT_FILENO);
	for (uint32_t i = 0; !err && i < all.nr; i++) {
		int one = symbol_index_remove(&all.v[i], eb);

		if (!one) {
			freed += all.v[i].size_bytes;
			nr++;
		} else if (!failed) {
			failed = one;
		}
	}
	if (!err) {
		out_printf(&o, "%u file%s removed, ", nr, nr == 1 ? "" : "s");
		print_size(&o, freed, 0);
		out_char(&o, '\n');
	}
	err = err ? (out_fini(&o), err) : out_fini(&o);
	symbol_index_list_free(all.v, all.nr);
	return err ? err : failed;
}

void cmd_check_cache(void)
{
	struct errbuf why = { "" };

	if (symbol_index_check(&why))
		log_warn("%s", why.text);
}

/* Options that list and verify share. */
#define JSON_OPTION(o) OPT_BOOL('j', "json", &(o)->json, "print JSON")

/* Parses what follows `assay cache COMMAND` and leaves the build-ids in `o`. */
static int parse(struct cache_options *o, const struct options *opts, int argc, char **argv, struct errbuf *eb)
{
	int err = cmd_parse(opts, &argc, &argv, eb);

	if (err)
		return err;
	o->words = argv;
	return o->older_than ? parse_age(o->older_than, &o->older_than_s, eb) : 0;
}

int cache_list(int argc, char **argv, struct errbuf *eb)
{
	struct cache_options o = { 0 };
	const struct option table[] = { JSON_OPTION(&o), OPT_END };
	const struct options opts = {
		.command = "cache list",
		.usage = "assay cache [list] [OPTIONS] [BUILD-ID…]",
		.summary = "Shows what is in the symbol index, the longest unused first.",
		.examples = "  assay cache\n  assay cache list --json\n",
		.table = table,
	};
	int err = parse(&o, &opts, argc, argv, eb);

	return err ? err : show_list(&o, eb);
}

static int cache_verify(int argc, char **argv, struct errbuf *eb)
{
	struct cache_options o = { 0 };
	const struct option table[] = { JSON_OPTION(&o), OPT_END };
	const struct options opts = {
		.command = "cache verify",
		.usage = "assay cache verify [OPTIONS] [BUILD-ID…]",
		.summary = "Reads all of the symbol index and compares the checksums.",
		.table = table,
	};
	int err = parse(&o, &opts, argc, argv, eb);

	return err ? err : verify(&o, eb);
}

static int cache_clear(int argc, char **argv, struct errbuf *eb)
{
	struct cache_options o = { 0 };
	const struct option table[] = {
		OPT_STRING(0, "older-than", &o.older_than, "TIME", "only what was not used for that long (30d, 12h)"),
		OPT_END,
	};
	const struct options opts = {
		.command = "cache clear",
		.usage = "assay cache clear [OPTIONS] [BUILD-ID…]",
		.summary = "Removes all of the symbol index, or what is named.",
		.examples = "  assay cache clear --older-than 30d\n",
		.table = table,
	};
	int err = parse(&o, &opts, argc, argv, eb);

	return err ? err : clear(&o, eb);
}

static int cache_dir(int argc, char **argv, struct errbuf *eb)
{
	const struct option table[] = { OPT_END };
	const struct options opts = {
		.command = "cache dir",
		.usage = "assay cache dir",
		.summary = "Prints the directory of the symbol index.",
		.table = table,
	};
	int err = cmd_parse(&opts, &argc, &argv, eb);
	char *dir;
	struct out o;

	if (err)
		return err;
	if (argc)
		return errbuf_set(eb, CMD_USAGE, "cache dir: unexpected argument '%s'", argv[0]);
	dir = symbol_index_directory();
	if (!dir)
		return errbuf_set(eb, -ENOENT, "there is no symbol index: neither XDG_CACHE_HOME nor HOME is set, or ASSAY_CACHE is off");
	out_init(&o, STDOUT_FILENO);
	out_str(&o, dir);
	out_char(&o, '\n');
	free(dir);
	return out_fini(&o);
}

const struct cmd cache_commands[] = {
	{ "list", cache_list, "Show what is in the index", NULL, NULL },
	{ "verify", cache_verify, "Compare the checksums of the index", NULL, NULL },
	{ "clear", cache_clear, "Remove from the index", NULL, NULL },
	{ "dir", cache_dir, "Print the directory of the index", NULL, NULL },
	{ NULL, NULL, NULL, NULL, NULL },
};
