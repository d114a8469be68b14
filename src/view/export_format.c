/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The table of formats: what they are called, by which suffix a file of one is known, who writes it, and what other people call it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "view/export.h"

static const struct {
	struct export_format_info info;
	export_fn *write;
} formats[EXPORT_NR_FORMATS] = {
	[EXPORT_FOLDED] = { { "folded", "stacks as text, one line each, for flame graph scripts", ".folded", false, false }, export_folded },
	[EXPORT_PPROF] = { { "pprof", "gzipped profile.proto, for go tool pprof and its relatives", ".pb", true, true }, export_pprof },
	[EXPORT_FIREFOX] = { { "firefox", "processed profile, for profiler.firefox.com", NULL, false, false }, export_firefox },
	[EXPORT_SPEEDSCOPE] = { { "speedscope", "for speedscope", ".speedscope.json", false, false }, export_speedscope },
	[EXPORT_CHROME] = { { "chrome", "trace events, for Perfetto and chrome://tracing", NULL, false, false }, export_chrome },
	[EXPORT_CALLGRIND] = { { "callgrind", "for KCachegrind and callgrind_annotate", ".callgrind", false, false }, export_callgrind },
	[EXPORT_CSV] = { { "csv", "one line for each sample, for spreadsheets and scripts", ".csv", false, false }, export_csv },
};

export_fn *export_format_writer(enum export_format format)
{
	return formats[format].write;
}

const struct export_format_info *export_format_get(enum export_format format)
{
	return &formats[format].info;
}

int export_format_find(const char *name)
{
	for (int i = 0; i < EXPORT_NR_FORMATS; i++)
		if (!strcmp(formats[i].info.name, name))
			return i;
	return -ENOENT;
}

static bool ends_with(const char *s, size_t len, const char *suffix)
{
	size_t n = strlen(suffix);

	return len > n && !memcmp(s + len - n, suffix, n);
}

int export_format_guess(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t len = strlen(name);

	if (ends_with(name, len, ".gz"))
		len -= 3;
	if (!strncmp(name, "callgrind.out", 13))
		return EXPORT_CALLGRIND;
	if (ends_with(name, len, ".collapsed"))
		return EXPORT_FOLDED;
	if (ends_with(name, len, ".pprof"))
		return EXPORT_PPROF;
	for (int i = 0; i < EXPORT_NR_FORMATS; i++)
		if (formats[i].info.suffix && ends_with(name, len, formats[i].info.suffix))
			return i;
	return -ENOENT;
}

/* ---- what is asked for by another name ---- */

static const struct {
	const char *words; /* apart by blanks */
	const char *hint;
} hints[] = {
	{ "collapsed collapse stackcollapse flamegraph stacks", "folded stacks are --format folded" },
	{ "perfetto trace tracing catapult trace-event chrome-trace chrometracing", "Perfetto and chrome://tracing read --format chrome" },
	{ "json", "JSON is what firefox, speedscope and chrome read: name one of them, as in --format firefox" },
	{ "gecko mozilla firefox-profiler", "the Firefox Profiler reads --format firefox" },
	{ "proto protobuf pb go gperftools perftools", "profile.proto is --format pprof" },
	{ "kcachegrind qcachegrind cachegrind valgrind", "KCachegrind reads --format callgrind" },
	{ "tsv excel spreadsheet table", "tables are --format csv" },
	{ "svg html flame", "pictures are made by 'assay flame'" },
	{ "script perf-script text txt", "samples as text are printed by 'assay script'" },
	{ "perf perf.data data", "a perf.data is what 'assay import' writes" },
};

static bool has_word(const char *words, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = words; len && *at; at += strcspn(at, " "), at += *at == ' ')
		if (strcspn(at, " ") == len && !strncasecmp(at, word, len))
			return true;
	return false;
}

const char *export_format_hint(const char *word)
{
	for (size_t i = 0; i < sizeof(hints) / sizeof(*hints); i++)
		if (has_word(hints[i].words, word))
			return hints[i].hint;
	return NULL;
}

/* By what stands behind the last dot. */
const char *export_format_hint_of_file(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *hint;
	size_t len = strlen(name);
	char *copy, *dot;

	if (ends_with(name, len, ".gz"))
		len -= 3;
	copy = mem_strndup(name, len);
	dot = strrchr(copy, '.');
	hint = dot ? export_format_hint(dot + 1) : NULL;
	free(copy);
	return hint;
}
