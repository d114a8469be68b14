/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Variables that have other options in them already keep these: what is missing is added.
 */
#include "cmd/runtimes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/out.h"

static const struct runtime_variable {
	const char *name, *value;
	const char *other; /* an option that does as much; NULL: none */
	bool is_list;	   /* of options, separated by blanks */
	bool is_python;
} variables[] = {
	/* With --perf-basic-prof V8 writes a log, too: into the directory it is in, or, where it cannot, to the output of the program. */
	{ "NODE_OPTIONS", "--perf-basic-prof-only-functions", "--perf-basic-prof", .is_list = true },
	{ "PYTHONPERFSUPPORT", "1", .is_python = true }, /* 3.12 and later */
	{ "JAVA_TOOL_OPTIONS", "-XX:+PreserveFramePointer", .is_list = true },
	{ "DOTNET_PerfMapEnabled", "1", .is_list = false },
	{ "COMPlus_PerfMapEnabled", "1", .is_list = false }, /* .NET before 6 */
	{ "ENABLE_JITPROFILING", "1", .is_list = false },    /* Julia */
	{ "MONO_ENV_OPTIONS", "--jitmap", .is_list = true },
};

/* As one of the words of a list. */
static bool has_option(const char *list, const char *option)
{
	size_t len = strlen(option);

	for (const char *p = strstr(list, option); p; p = strstr(p + 1, option))
		if ((p == list || p[-1] == ' ') && (!p[len] || p[len] == ' '))
			return true;
	return false;
}

static void set_variable(const struct runtime_variable *v, struct out *said)
{
	const char *before = getenv(v->name);
	char *value;

	/* Who has set it knows what it is for. */
	if (before && *before && (!v->is_list || has_option(before, v->value) || (v->other && has_option(before, v->other))))
		return;
	value = before && *before ? mem_printf("%s %s", before, v->value) : mem_strdup(v->value);
	setenv(v->name, value, 1);
	out_printf(said, " %s=%s%s", v->name, before && *before ? "…" : "", v->value);
	free(value);
}

int runtimes_prepare(char **workload, bool reads_python, struct errbuf *eb)
{
	struct out said;

	if (!workload)
		return errbuf_set(
			eb, -EINVAL,
			"--runtimes is for a command that is started (assay record --runtimes COMMAND…): the environment of a running "
			"process cannot be changed");
	out_init(&said, -1);
	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
		if (!reads_python || !variables[i].is_python)
			set_variable(&variables[i], &said);
	if (said.len)
		log_warn("--runtimes: the command runs with%.*s", (int)said.len, (const char *)said.buf);
	else
		log_warn("--runtimes: all variables are set already");
	out_fini(&said);
	return 0;
}
