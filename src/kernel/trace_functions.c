/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/trace_functions.h"

#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/io.h"
#include "base/suggest.h"

#define LIST_MAX (64u << 20) /* bytes: some 2 MB are usual */

int trace_functions_refused(int err, const char *what, struct errbuf *eb)
{
	if (geteuid())
		return errbuf_set(eb, err, "%s: %s: the kernel's tracers are for root alone; run it with sudo", what, strerror(-err));
	return errbuf_set(
		eb, err,
		"%s: %s: this kernel lists function tracers but does not let them be used (lockdown, or a policy of the machine), and root "
		"cannot lift that from here. What works instead: tracepoints ('assay record -e SYSTEM:EVENT', 'assay list tracepoint'), "
		"system calls ('assay trace'), uprobes of programs ('assay probe -x PROGRAM FUNCTION'), and 'assay ftrace latency -e "
		"EVENT,EVENT'",
		what, strerror(-err));
}

static int read_list(const char *root, char **text, struct errbuf *eb)
{
	char path[PATH_MAX];
	int err;

	snprintf(path, sizeof(path), "%s/available_filter_functions", root);
	err = io_read_file(path, LIST_MAX, text, NULL);
	if (err == -EPERM || err == -EACCES)
		return trace_functions_refused(err, path, eb);
	if (err == -ENOENT)
		return errbuf_set(eb, err, "this kernel cannot trace functions: there is no %s (it is built without CONFIG_DYNAMIC_FTRACE)",
				  path);
	return err ? errbuf_set(eb, err, "cannot read %s: %s", path, strerror(-err)) : 0;
}

/* "name [module]" is matched by its name. */
static bool matches(const char *pattern, char *line)
{
	char *blank = strchr(line, ' ');
	bool is_match;

	if (blank)
		*blank = 0;
	is_match = !fnmatch(pattern, line, 0);
	if (blank)
		*blank = ' ';
	return is_match;
}

int trace_functions_each(const char *root, const char *pattern, trace_function_fn *fn, void *ctx, struct errbuf *eb)
{
	char *text, *rest, *line;
	int err = read_list(root, &text, eb);

	if (err)
		return err;
	rest = text;
	while ((line = strsep(&rest, "\n")))
		if (*line && (!pattern || matches(pattern, line)) && !fn(ctx, line))
			break;
	free(text);
	return 0;
}

bool trace_function_is_plain(const char *word)
{
	const char *colon = strchr(word, ':');

	if (!*word || strpbrk(word, " \t\n\r\v\f!#;") || strlen(word) >= 512)
		return false;
	return !colon || (!strncmp(colon, ":mod:", 5) && colon[5] && !strchr(colon + 5, ':'));
}

struct nearest {
	struct suggest suggest;
	struct arena arena;
};

static bool offer(void *ctx, const char *name)
{
	struct nearest *n = ctx;
	const char *best = n->suggest.best;

	suggest_offer(&n->suggest, name);
	if (n->suggest.best != best)
		n->suggest.best = arena_str(&n->arena, name, strlen(name));
	return true;
}

int trace_function_unknown(const char *root, const char *word, struct errbuf *eb)
{
	struct nearest n = { 0 };
	struct errbuf ignored;

	errbuf_clear(&ignored);
	suggest_init(&n.suggest, word);
	if (!strpbrk(word, "*?["))
		trace_functions_each(root, NULL, offer, &n, &ignored);
	errbuf_set(eb, -ENOENT, "the kernel has no function '%s' that can be traced%s%s%s; 'assay ftrace -F' lists those it has", word,
		   n.suggest.best ? "; did you mean '" : "", n.suggest.best ? n.suggest.best : "", n.suggest.best ? "'?" : "");
	arena_fini(&n.arena);
	return -ENOENT;
}
