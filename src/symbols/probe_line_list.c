/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The lines of a function or a source file, and which of them have code (-L).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "symbols/probe_place.h"
#include "symbols/probe_resolve.h"

#define MAX_DEPTH 32U

/* Lines of a file, while all units are read. */
struct file_lines {
	struct probe_lines *to;
	uint32_t tidy_at; /* so many are sorted, and those that are there twice removed */
};

static void take_path(void *ctx, const char *path)
{
	struct file_lines *l = ctx;

	if (!l->to->path)
		l->to->path = mem_strdup(path);
}

static void take_line(void *ctx, const char *path, uint32_t line, uint64_t addr)
{
	struct file_lines *l = ctx;
	struct probe_lines *to = l->to;

	(void)path;
	(void)addr;
	vec_push(&to->lines, line);
	if (to->lines.nr < l->tidy_at)
		return;
	vec_sort_unique(&to->lines, compare_u32);
	l->tidy_at = to->lines.nr * 2 < 1 << 16 ? 1 << 16 : to->lines.nr * 2;
}

static int list_file(struct probe_module *m, const struct probe_range_spec *range, struct probe_lines *to, struct errbuf *eb)
{
	struct file_lines l = { to, 1 << 16 };
	struct probe_file_reader reader = { .path = take_path, .row = take_line, .ctx = &l };

	to->first = reader.first = range->has_range ? range->first : 1;
	to->last = reader.last = range->has_range ? range->last : UINT32_MAX;
	probe_files_read(m, range->file, &reader);
	if (!to->path)
		return probe_no_such_file(m, range->file, eb);
	vec_sort_unique(&to->lines, compare_u32);
	return 0;
}

/* Most functions have a symbol of their name, which leads to their unit: no other is read then. `is_alias`: debug information may have the
 * function under another name. */
static bool find_by_symbol(struct probe_module *m, const struct probe_range_spec *range, bool is_alias, struct probe_functions *fs)
{
	struct probe_function around[MAX_DEPTH];
	const char *name, *path;
	uint64_t vaddr;
	uint32_t line;

	*fs = (struct probe_functions){ 0 };
	if (!probe_find_symbol(m, range->function, strlen(range->function), &vaddr) || !probe_functions_at(m, vaddr, around, MAX_DEPTH) ||
	    around[0].entry != vaddr)
		return false;
	name = dwarf_die_name(&around[0].die);
	if (!name || (!is_alias && strcmp(name, range->function) != 0) || !probe_declared(m, &around[0].die, &path, &line) ||
	    (range->file && !probe_same_file(path, range->file)))
		return false;
	vec_push(&fs->v, around[0]);
	return true;
}

static int find_function(struct probe_module *m, const struct probe_range_spec *range, struct probe_functions *fs, struct errbuf *eb)
{
	int err = find_by_symbol(m, range, false, fs) ? 0 : probe_functions_first(m, range->function, range->file, fs, eb);

	if (!err && !fs->v.nr) {
		probe_functions_fini(fs);
		find_by_symbol(m, range, true, fs);
	}
	return err;
}

static int set_range(const struct probe_range_spec *range, struct probe_lines *to, uint32_t end, struct errbuf *eb)
{
	to->first = to->start;
	to->last = end;
	if (!range->has_range)
		return 0;
	if (range->first > end - to->start)
		return errbuf_set(eb, -ERANGE, "%s has no line %u: its code ends with line %u", range->function, range->first,
				  end - to->start);
	to->first = to->start + range->first;
	to->last = range->last < UINT32_MAX - to->start ? to->start + range->last : UINT32_MAX;
	return 0;
}

static int list_function(struct probe_module *m, const struct probe_range_spec *range, struct probe_lines *to, struct errbuf *eb)
{
	struct probe_functions fs;
	struct probe_line_set set = { 0 };
	int err = find_function(m, range, &fs, eb);
	uint32_t line, end = 0, last;
	const char *path;

	for (uint32_t i = 0; !err && i < fs.v.nr; i++) {
		if (!probe_declared(m, &fs.v.v[i].die, &path, &line))
			continue;
		/* Of several of that name the first one is shown, wherever it was compiled into. */
		if (!to->path) {
			to->path = mem_strdup(path);
			to->function = mem_strdup(range->function);
			to->start = end = line;
		}
		if (strcmp(path, to->path) != 0 || line != to->start)
			continue;
		probe_lines_of(m, &fs.v.v[i], path, &set);
		last = probe_last_line_of(m, &fs.v.v[i], path);
		end = last > end ? last : end;
	}
	if (!err && !to->path)
		err = fs.v.nr || fs.declarations.nr ? errbuf_set(eb, -ENOENT, "the debug information of %s has no lines of '%s'",
								 m->path ? m->path : "the kernel", range->function)
						    : probe_no_such_function(m, range->function, eb);
	for (uint32_t i = 0; i < set.v.nr; i++)
		if (set.v.v[i] >= to->start)
			vec_push(&to->lines, set.v.v[i]);
	/* The entry is line 0. */
	if (to->path) {
		vec_push(&to->lines, to->start);
		vec_sort_unique(&to->lines, compare_u32);
	}
	vec_fini(&set.v);
	probe_functions_fini(&fs);
	return err ? err : set_range(range, to, end, eb);
}

/* Lines of a file that was changed since are others. */
static void warn_of_change(const struct probe_module *m, const char *path)
{
	struct stat source, program;

	if (stat(path, &source) == 0 && m->files.debug->fd >= 0 && fstat(m->files.debug->fd, &program) == 0 &&
	    source.st_mtime > program.st_mtime)
		log_warn("%s was changed after the program was made: its lines may have moved", path);
}

/* What is no source file of the program may be a function with a dot ("main.work" of Go). */
static int list_dotted(struct probe_module *m, const struct probe_range_spec *range, struct probe_lines *lines, struct errbuf *eb)
{
	struct probe_range_spec function = *range;
	int err = list_file(m, range, lines, eb);
	uint64_t vaddr;

	if (err != -ENOENT || !probe_find_symbol(m, range->file, strlen(range->file), &vaddr) || !probe_symbol_at(m, vaddr))
		return err;
	function.function = range->file;
	function.file = NULL;
	errbuf_clear(eb);
	probe_lines_fini(lines);
	*lines = (struct probe_lines){ 0 };
	return list_function(m, &function, lines, eb);
}

int probe_list_lines(struct probe_module *m, const struct probe_range_spec *range, const char *source, struct probe_lines *lines,
		     struct errbuf *eb)
{
	int err = probe_module_dwarf(m, eb);

	*lines = (struct probe_lines){ 0 };
	probe_renew_work(m);
	if (!err)
		err = range->function ? list_function(m, range, lines, eb) : list_dotted(m, range, lines, eb);
	err = err ?: probe_check_work(m, range->function ? range->function : range->file, eb);
	if (!err && source) {
		char *moved = mem_printf("%s/%s", source, lines->path[0] == '/' ? lines->path + 1 : lines->path);

		free(lines->path);
		lines->path = moved;
	}
	if (err)
		probe_lines_fini(lines);
	else
		warn_of_change(m, lines->path);
	return err;
}

void probe_lines_fini(struct probe_lines *lines)
{
	free(lines->function);
	free(lines->path);
	vec_fini(&lines->lines);
}
