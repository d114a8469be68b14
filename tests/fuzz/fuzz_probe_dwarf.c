/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * symbols/dwarf_tree, dwarf_type, dwarf_location, dwarf_expr, probe_*: any bytes as a program to probe: functions, lines, variables with their types
 * and locations are looked up by names and addresses that the file has, or that it has not.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/log.h"
#include "symbols/probe_point.h"

static void resolve(struct probe_module *m, const char *text)
{
	struct probe_limits limits = { .max_points = 64 };
	struct errbuf eb = { 0 };
	struct probe_exits exits = { 0 };
	struct probe_defs defs;
	struct probe_spec spec;

	if (probe_spec_parse(&spec, text, &eb))
		return;
	if (probe_resolve(m, &spec, &limits, &defs, &eb) == 0) {
		for (uint32_t i = 0; i < defs.v.nr; i++)
			probe_module_exits(m, defs.v.v[i].file_off, &exits);
		probe_exits_fini(&exits);
		for (uint32_t i = 0; i < defs.v.nr; i++) {
			char *line = probe_def_text(&defs.v.v[i]);

			if (strchr(line, '\n'))
				abort(); /* the kernel would take it for a second command */
			free(line);
		}
		probe_defs_fini(&defs);
	}
	probe_spec_fini(&spec);
}

static void list(struct probe_module *m, const char *text)
{
	struct probe_vars_options options = { .externs = true, .ranges = true };
	struct probe_range_spec range;
	struct errbuf eb = { 0 };
	struct probe_lines lines;
	struct probe_vars vars;
	struct probe_spec spec;

	if (probe_range_parse(&range, text, &eb) == 0) {
		if (probe_list_lines(m, &range, NULL, &lines, &eb) == 0)
			probe_lines_fini(&lines);
		probe_range_fini(&range);
	}
	if (probe_spec_parse(&spec, text, &eb) == 0) {
		if (probe_list_vars(m, &spec, &options, &vars, &eb) == 0)
			probe_vars_fini(&vars);
		probe_spec_fini(&spec);
	}
}

static void look_at(const char *path)
{
	static const char *const names[] = { "main", "work", "f", "square", "ns::f" };
	struct probe_target target = { .path = path };
	struct errbuf eb = { 0 };
	struct probe_names functions;
	struct probe_module *m;
	char text[256];

	if (probe_module_open(&m, &target, &eb))
		return;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		resolve(m, names[i]);
		snprintf(text, sizeof(text), "%s $vars", names[i]);
		resolve(m, text);
		snprintf(text, sizeof(text), "%s:2 $vars", names[i]);
		resolve(m, text);
		list(m, names[i]);
	}
	if (probe_list_functions(m, NULL, &functions, &eb) == 0) {
		for (uint32_t i = 0; i < functions.v.nr && i < 8; i++) {
			snprintf(text, sizeof(text), "%.100s $vars x->y.z[3] **p", functions.v.v[i]);
			resolve(m, text);
			snprintf(text, sizeof(text), "%.100s", functions.v.v[i]);
			list(m, text);
		}
	}
	probe_names_fini(&functions);
	resolve(m, "0x1139 $vars");
	resolve(m, "main%return $retval a=$retval->x");
	probe_module_close(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[] = "/tmp/assay-fuzz-XXXXXX";
	int fd;

	setenv("ASSAY_CACHE", "off", 1);
	log_level = LOG_QUIET;
	if (size < 64 || memcmp(data, "\177ELF", 4) != 0)
		return -1;
	fd = mkstemp(path);
	if (fd < 0)
		abort();
	io_write(fd, data, size, NULL);
	close(fd);
	look_at(path);
	unlink(path);
	return 0;
}
