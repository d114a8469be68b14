/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Keys of the configuration files, those of perf by perf's names, and the options that they stand for.
 */
#include "cmd/configured.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/pager.h"
#include "cmd/cmd.h"
#include "cmd/ui_colours.h"

const struct configured_key configured_keys[] = {
	{ "report.children", "report", "children", true, "count functions with all they called" },
	{ "report.percent-limit", "report", "percent-limit", false, "hide rows below this share" },
	{ "report.sort_order", "report", "sort", false, "sort keys" },
	{ "report.color", "report", "default-color", false, "always, never or auto" },
	{ "call-graph.print-type", "report", "default-call-graph", false, "graph, fractal, flat, folded or none" },
	{ "call-graph.order", "report", "default-call-graph", false, "caller or callee" },
	{ "call-graph.sort-key", "report", "default-call-graph", false, "function, address or srcline" },
	{ "call-graph.threshold", "report", "default-call-graph", false, "least percent of a branch" },
	{ "annotate.disassembler_style", "annotate", "disassembler-style", false, "att or intel" },
	{ "annotate.disassembler_style", "report", "disassembler-style", false, NULL },
	{ "annotate.disassembler_style", "top", "disassembler-style", false, NULL },
	{ "top.sort_order", "top", "sort", false, "sort keys" },
	{ "top.delay", "top", "delay", false, "seconds between refreshes" },
	{ "top.call-graph", "top", "call-graph", false, "fp, dwarf, lbr or no" },
	{ "tui.report", "report", "stdio", false, "false: text in place of the browser" },
	{ "tui.annotate", "annotate", "stdio", false, "the same of annotate" },
	{ "tui.top", "top", "stdio", false, "the same of top" },
	{ "colors.top", CONFIGURED_UI, NULL, false, "rows with 5% and more in browsers: red, default" },
	{ "colors.medium", CONFIGURED_UI, NULL, false, "rows with 0.5% and more" },
	{ "colors.normal", CONFIGURED_UI, NULL, false, "other text" },
	{ "colors.selected", CONFIGURED_UI, NULL, false, "the row of the cursor" },
	{ "colors.root", CONFIGURED_UI, NULL, false, "the lines of the title and of keys" },
	{ "colors.heading", CONFIGURED_UI, NULL, false, "headings of columns" },
	{ "colors.faint", CONFIGURED_UI, NULL, false, "source lines" },
	{ "colors.warning", CONFIGURED_UI, NULL, false, "status lines that are loud" },
	{ "colors.match", CONFIGURED_UI, NULL, false, "what a search has found" },
	{ "colors.flame-user", CONFIGURED_UI, NULL, false, "frames of programs" },
	{ "colors.flame-user-odd", CONFIGURED_UI, NULL, false, "their neighbours" },
	{ "colors.flame-kernel", CONFIGURED_UI, NULL, false, "frames of the kernel" },
	{ "colors.flame-kernel-odd", CONFIGURED_UI, NULL, false, "their neighbours" },
	{ "colors.flame-other", CONFIGURED_UI, NULL, false, "other frames" },
	{ "pager.report", "report", NULL, false, "false, or the pager" },
	{ "pager.annotate", "annotate", NULL, false, "false, or the pager" },
	{ "pager.diff", "diff", NULL, false, "false, or the pager" },
	{ "pager.script", "script", NULL, false, "false, or the pager" },
	{ "pager.list", "list", NULL, false, "false, or the pager" },
	{ NULL, NULL, NULL, false, NULL },
};

static bool is_tui_key(const struct configured_key *k)
{
	return !strncmp(k->key, "tui.", strlen("tui."));
}

const char *configured_mistake(const struct configured_key *k, const char *value)
{
	int text, ground;

	if (k->is_switch || is_tui_key(k))
		return config_bool(value) < 0 ? "is true or false" : NULL;
	if (!strcmp(k->command, CONFIGURED_UI) && !ui_colours_parse(value, &text, &ground))
		return UI_COLOURS_ARE;
	return NULL;
}

char *configured_user_path(void)
{
	const char *given = getenv("ASSAY_CONFIG"), *xdg = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	if (given)
		return *given ? mem_strdup(given) : NULL;
	if (xdg && *xdg == '/')
		return mem_printf("%s/assay/config", xdg);
	return home && *home == '/' ? mem_printf("%s/.config/assay/config", home) : NULL;
}

static void read_file(struct config *c, const char *path)
{
	struct errbuf eb = { 0 };
	struct config own = { 0 };
	char *text;
	size_t size;
	int err = config_read(path, &text, &size, &eb);

	if (err && err != -ENOENT)
		log_warn("%s", eb.text);
	if (err)
		return;
	config_parse(&own, text, size);
	if (own.bad_line)
		log_warn("%s: line %u is neither a section, nor 'name = value', nor a comment", path, own.bad_line);
	config_parse(c, text, size);
	config_fini(&own);
	free(text);
}

void configured_read(struct config *c)
{
	char *user = configured_user_path();

	read_file(c, CONFIGURED_SYSTEM_PATH);
	if (user)
		read_file(c, user);
	free(user);
}

static void choose_pager(const char *value)
{
	int is_on = config_bool(value);

	if (!is_on)
		pager_forbid();
	else if (is_on < 0)
		setenv("ASSAY_PAGER", value, 0);
}

static void add_option(struct configured_words *w, const struct configured_key *k, const char *value)
{
	int is_on = config_bool(value);

	if (k->is_switch && is_on < 0)
		log_warn("configuration: %s is true or false, not '%s'", k->key, value);
	else if (k->is_switch)
		vec_push(&w->own, mem_printf("--%s%s", is_on ? "" : "no-", k->option));
	else
		vec_push(&w->own, mem_printf("--%s=%s", k->option, value));
}

/* "tui.report = false" stands for --stdio, unless something else is asked for. */
static void choose_text(struct configured_words *w, const struct configured_key *k, const char *value, int argc, char **argv)
{
	int is_on = config_bool(value);

	if (is_on < 0)
		log_warn("configuration: %s is true or false, not '%s'", k->key, value);
	for (int i = 1; i < argc && !is_on && strcmp(argv[i], "--") != 0; i++)
		is_on = !strcmp(argv[i], "--tui") || !strcmp(argv[i], "--json");
	if (!is_on)
		vec_push(&w->own, mem_strdup("--stdio"));
}

static bool is_configurable(const char *command)
{
	for (const struct configured_key *k = configured_keys; k->key; k++)
		if (!strcmp(k->command, command))
			return true;
	return false;
}

void configured_words_init(struct configured_words *w, const char *command, int argc, char **argv)
{
	*w = (struct configured_words){ .command = command };
	if (is_configurable(command))
		configured_read(&w->config);
	ui_colours_take(&w->config);
	for (const struct configured_key *k = configured_keys; k->key; k++) {
		const char *value = strcmp(k->command, command) ? NULL : config_find(&w->config, k->key);

		if (value && is_tui_key(k))
			choose_text(w, k, value, argc, argv);
		else if (value && k->option)
			add_option(w, k, value);
		else if (value)
			choose_pager(value);
	}
	w->argv = mem_zalloc(((size_t)argc + w->own.nr + 1) * sizeof(char *));
	w->argv[w->argc++] = argv[0];
	for (uint32_t i = 0; i < w->own.nr; i++)
		w->argv[w->argc++] = w->own.v[i];
	for (int i = 1; i < argc; i++)
		w->argv[w->argc++] = argv[i];
}

void configured_words_explain(const struct configured_words *w, struct errbuf *eb)
{
	for (const struct configured_key *k = configured_keys; k->key; k++) {
		const char *value = strcmp(k->command, w->command) ? NULL : config_find(&w->config, k->key);
		char *quoted = value && *value && k->option ? mem_printf("'%s'", value) : NULL;
		bool is_it = quoted && strstr(eb->text, quoted);
		struct errbuf before = *eb;

		for (int i = 1 + (int)w->own.nr; is_it && i < w->argc; i++)
			is_it = !strstr(w->argv[i], value);
		free(quoted);
		if (!is_it)
			continue;
		errbuf_clear(eb);
		errbuf_set(eb, CMD_USAGE, "configuration: %s: %s", k->key, before.text);
		return;
	}
}

void configured_words_fini(struct configured_words *w)
{
	for (uint32_t i = 0; i < w->own.nr; i++)
		free(w->own.v[i]);
	vec_fini(&w->own);
	free(w->argv);
	config_fini(&w->config);
}
