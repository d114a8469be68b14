/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Places by function: the entry, an offset, a line, a pattern, the return, in each place that the function was compiled into; by symbol where
 * debug information does not know the name.
 */
#include "symbols/probe_place.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "base/suggest.h"
#include "symbols/demangle.h"
#include "symbols/probe_resolve.h"

const struct symbol *probe_symbol_at(struct probe_module *m, uint64_t vaddr)
{
	uint64_t off;

	if (probe_module_symbols(m, NULL) || !probe_module_file_off(m, vaddr, &off))
		return NULL;
	return symtab_find(m->symbols, off);
}

void probe_spots_fini(struct probe_spots *spots)
{
	vec_fini(&spots->v);
}

static int compare_spots(const void *a, const void *b)
{
	const struct probe_spot *x = a, *y = b;

	return COMPARE(x->vaddr, y->vaddr) ?: COMPARE(x->f.is_inlined, y->f.is_inlined);
}

void probe_spots_sort(struct probe_spots *spots)
{
	uint32_t nr = 0;

	vec_sort(&spots->v, compare_spots);
	for (uint32_t i = 0; i < spots->v.nr; i++)
		if (!nr || spots->v.v[nr - 1].vaddr != spots->v.v[i].vaddr)
			spots->v.v[nr++] = spots->v.v[i];
	spots->v.nr = nr;
}

uint32_t probe_limits_max(const struct probe_limits *limits)
{
	return limits && limits->max_points ? limits->max_points : 128;
}

static void add_spot(struct probe_spots *spots, const struct probe_function *f, uint64_t vaddr)
{
	vec_push(&spots->v, ((struct probe_spot){ .vaddr = vaddr, .f = *f, .has_function = true }));
}

/* The entry: behind the prologue where an argument is not in its home before. */
static void add_entry(struct probe_module *m, const struct probe_spec *spec, const struct probe_function *f, struct probe_spots *spots)
{
	struct probe_site site;

	probe_site_init(&site, m, f, f->entry, false);
	add_spot(spots, f, f->entry);
	spots->v.v[spots->v.nr - 1].is_entry = !spec->is_return && !f->is_inlined;
	if (!spec->is_return && probe_needs_prologue(&site, spec))
		spots->v.v[spots->v.nr - 1].vaddr = probe_site_body(&site);
}

static int add_offset(struct probe_module *m, const struct probe_spec *spec, const struct probe_function *f, struct probe_spots *spots,
		      struct errbuf *eb)
{
	struct dwarf_ranges r = { 0 };
	bool is_inside = false;
	uint64_t size = 0;

	dwarf_die_ranges(&f->die, &r);
	for (uint32_t i = 0; i < r.list.nr; i++)
		if (f->entry >= r.list.v[i].start && f->entry < r.list.v[i].end) {
			size = r.list.v[i].end - f->entry;
			is_inside = spec->offset < size;
		}
	vec_fini(&r.list);
	if (!is_inside)
		return errbuf_set(eb, -ERANGE, "%s has %llu bytes: there is no offset %llu in it", probe_function_symbol(m, f),
				  (unsigned long long)size, (unsigned long long)spec->offset);
	add_spot(spots, f, f->entry + spec->offset);
	return 0;
}

/* Says which lines could be probed around one that cannot. */
static int no_such_line(struct probe_module *m, const struct probe_functions *fs, const struct probe_spec *spec, struct errbuf *eb)
{
	uint32_t before = UINT32_MAX, after = UINT32_MAX;

	for (uint32_t i = 0; i < fs->v.nr; i++) {
		struct probe_line_set set = { 0 };
		const char *path;
		uint32_t start;

		if (!probe_declared(m, &fs->v.v[i].die, &path, &start))
			continue;
		probe_lines_of(m, &fs->v.v[i], path, &set);
		for (uint32_t j = 0; j < set.v.nr; j++) {
			uint32_t rel = set.v.v[j] - start;

			if (set.v.v[j] < start)
				continue;
			if (rel < spec->line && (before == UINT32_MAX || rel > before))
				before = rel;
			if (rel > spec->line && rel < after)
				after = rel;
		}
		vec_fini(&set.v);
	}
	if (after != UINT32_MAX && before != UINT32_MAX)
		return errbuf_set(eb, -ENOENT, "line %u of %s has no code of its own; lines %u and %u have", spec->line, spec->function,
				  before, after);
	if (after != UINT32_MAX || before != UINT32_MAX)
		return errbuf_set(eb, -ENOENT, "line %u of %s has no code of its own; the nearest with code is %u", spec->line,
				  spec->function, after != UINT32_MAX ? after : before);
	return errbuf_set(eb, -ENOENT, "line %u of %s has no code, and no other line of it is known", spec->line, spec->function);
}

static int add_places(struct probe_module *m, const struct probe_spec *spec, const struct probe_limits *limits,
		      const struct probe_functions *fs, struct probe_spots *spots, struct errbuf *eb)
{
	uint32_t nr_inlined = 0;
	int err = 0;

	for (uint32_t i = 0; !err && i < fs->v.nr; i++) {
		const struct probe_function *f = &fs->v.v[i];
		const char *path;
		uint32_t line;

		nr_inlined += f->is_inlined;
		if (f->is_inlined && (spec->is_return || (limits && limits->no_inlines)))
			continue;
		if (spec->has_line) {
			if (probe_declared(m, &f->die, &path, &line) && line <= UINT32_MAX - spec->line)
				probe_spots_of_line(m, f, path, line + spec->line, spots);
		} else if (spec->pattern) {
			err = probe_spots_of_pattern(m, f, spec, UINT32_MAX, spots, eb);
		} else if (spec->has_offset) {
			err = add_offset(m, spec, f, spots, eb);
		} else {
			add_entry(m, spec, f, spots);
		}
	}
	if (err)
		return err;
	/* Line 0 is the function itself. */
	for (uint32_t i = 0; spec->has_line && !spec->line && !spots->v.nr && i < fs->v.nr; i++)
		add_entry(m, spec, &fs->v.v[i], spots);
	if (!spots->v.nr && spec->has_line && fs->v.nr)
		return no_such_line(m, fs, spec, eb);
	if (!spots->v.nr && spec->pattern && fs->v.nr)
		return errbuf_set(eb, -ENOENT, "no line of %s with code matches '%s'", spec->function, spec->pattern);
	if (!spots->v.nr && nr_inlined)
		return errbuf_set(eb, -ENOENT, "%s is inlined everywhere: %s", spec->function,
				  spec->is_return ? "it has no return that could be probed" : "leave out --no-inlines to probe it there");
	if (nr_inlined && spec->is_return)
		log_warn("%s is inlined in %u places, where returns cannot be probed", spec->function, nr_inlined);
	return 0;
}

/* `len` bytes of a symbol's name. */
static bool is_readable_name(const struct probe_module *m, const char *symbol, size_t len, const char *want)
{
	char *name, *readable;
	bool is_it;

	if (!m->symbols->mangled || symbol[0] != '_')
		return false;
	name = mem_strndup(symbol, len);
	readable = demangle_name(name, false);
	is_it = readable && !strcmp(readable, want);
	free(readable);
	free(name);
	return is_it;
}

/* Whether a symbol is what was asked for: by its name in the file, or the readable one. */
static bool is_symbol(const struct probe_module *m, const struct symbol *s, const struct probe_spec *spec)
{
	size_t len = strlen(spec->function), version = strcspn(s->name, "@");

	if (s->kind == SYMBOL_PLT || spec->is_plt)
		return s->kind == SYMBOL_PLT && spec->is_plt &&
		       ((version == len && !memcmp(s->name, spec->function, len)) || is_readable_name(m, s->name, version, spec->function));
	if (s->kind == SYMBOL_OBJECT)
		return false;
	if (spec->version && s->name[version] && strcmp(s->name + version + strspn(s->name + version, "@"), spec->version))
		return false;
	if (version == len && !memcmp(s->name, spec->function, len))
		return true;
	return is_readable_name(m, s->name, strlen(s->name), spec->function);
}

/* Whether the function at a symbol is of the source file that was asked for. */
static bool is_of_file(struct probe_module *m, const struct probe_spot *spot, const char *file)
{
	const char *path;
	uint32_t line;

	return !file || (spot->has_function && probe_declared(m, &spot->f.die, &path, &line) && probe_same_file(path, file));
}

/* Where there are two stubs of a function, calls go to that of .plt.sec; the one of .plt is what it jumps to at most once. */
static bool is_second_stub(const struct probe_module *m, uint64_t vaddr)
{
	const struct elf_file *f = &m->files.found.runtime;
	uint32_t plt = m->path ? elf_file_find_section(f, ".plt") : 0;

	return plt && (elf_file_find_section(f, ".plt.sec") || elf_file_find_section(f, ".plt.bnd")) &&
	       vaddr - f->sections.v[plt].vaddr < f->sections.v[plt].size_bytes;
}

/* `name`: of several at one place, the one that was asked for. */
static int add_symbol(struct probe_module *m, const struct symbol *s, const char *name, const struct probe_spec *spec,
		      struct probe_spots *spots, struct errbuf *eb)
{
	struct probe_spot spot = { .symbol = name };
	struct probe_function around[16];
	uint32_t first = spots->v.nr;
	int err = 0;

	if (spec->offset >= s->end - s->start && spec->offset)
		return errbuf_set(eb, -ERANGE, "%s has %llu bytes: there is no offset %llu in it", spec->function,
				  (unsigned long long)(s->end - s->start), (unsigned long long)spec->offset);
	if (!probe_module_vaddr(m, s->start, &spot.vaddr) || (s->kind == SYMBOL_PLT && is_second_stub(m, spot.vaddr)))
		return 0;
	/* A clone (work.constprop.0) is a function of debug information under another name, and so is an alias. */
	if (probe_functions_at(m, spot.vaddr, around, 16)) {
		spot.f = around[0];
		spot.has_function = spot.f.entry == spot.vaddr;
	}
	if (!is_of_file(m, &spot, spec->file))
		return 0;
	if (spec->has_line || spec->pattern) {
		struct probe_functions fs = { 0 };

		if (!spot.has_function)
			return errbuf_set(eb, -ENODATA, "lines of '%s' cannot be looked up: there is no debug information of it",
					  spec->function);
		vec_push(&fs.v, spot.f);
		err = add_places(m, spec, NULL, &fs, spots, eb);
		probe_functions_fini(&fs);
	} else if (spot.has_function && !spec->has_offset) {
		add_entry(m, spec, &spot.f, spots);
	} else {
		spot.vaddr += spec->offset;
		vec_push(&spots->v, spot);
	}
	for (uint32_t i = first; i < spots->v.nr; i++)
		spots->v.v[i].symbol = name;
	return err;
}

int probe_no_such_function(struct probe_module *m, const char *name, struct errbuf *eb)
{
	struct suggest sg;

	probe_module_symbols(m, NULL);
	suggest_init(&sg, name);
	for (uint32_t i = 0; m->symbols && i < m->symbols->symbols.nr; i++) {
		const struct symbol *s = symtab_at(m->symbols, i);

		if (s && s->kind == SYMBOL_FUNCTION && strlen(s->name) < 64)
			suggest_offer(&sg, s->name);
	}
	if (sg.best)
		return errbuf_set(eb, -ENOENT, "%s has no function '%s'; did you mean '%s'? 'assay probe %s%s%s-F' lists what it has",
				  m->path ? m->path : "the kernel", name, sg.best, m->path ? "-x " : "", m->path ? m->path : "",
				  m->path ? " " : "");
	if (m->path && !m->files.debug && !elf_file_has_symtab(&m->files.found.runtime))
		return errbuf_set(eb, -ENOENT,
				  "%s has no function '%s': it was stripped of its symbols, and no debug file of it is installed; "
				  "'assay probe -x %s -F' lists what it exports",
				  m->path, name, m->path);
	return errbuf_set(eb, -ENOENT, "%s has no function '%s'; 'assay probe %s%s%s-F' lists what it has",
			  m->path ? m->path : "the kernel", name, m->path ? "-x " : "", m->path ? m->path : "", m->path ? " " : "");
}

/* Another name of a function: a table of symbols has one a place. */
static int add_alias(struct probe_module *m, const struct probe_spec *spec, struct probe_spots *spots, struct errbuf *eb)
{
	size_t len = strlen(spec->function);
	const struct symbol *s = NULL;
	uint64_t vaddr;

	if (!spec->is_plt && !spec->version && m->path && probe_find_symbol(m, spec->function, len, &vaddr))
		s = probe_symbol_at(m, vaddr);
	if (!s || s->kind == SYMBOL_OBJECT)
		return 0;
	return add_symbol(m, s, spec->function, spec, spots, eb);
}

/* No places and no error: there is no symbol of that name. */
static int look_up_symbol(struct probe_module *m, const struct probe_spec *spec, struct probe_spots *spots, struct errbuf *eb)
{
	int err = probe_module_symbols(m, eb);

	if (!err && (spec->has_line || spec->pattern) && !m->has_dwarf)
		return errbuf_set(eb, -ENODATA, "lines cannot be looked up: %s", m->no_debug.text);
	for (uint32_t i = 0; !err && i < m->symbols->symbols.nr; i++) {
		const struct symbol *s = symtab_at(m->symbols, i);

		if (s && is_symbol(m, s, spec))
			err = add_symbol(m, s, s->name, spec, spots, eb);
	}
	if (!err && !spots->v.nr)
		err = add_alias(m, spec, spots, eb);
	return err;
}

static int find_by_function(struct probe_module *m, const struct probe_spec *spec, const struct probe_limits *limits,
			    struct probe_spots *spots, struct errbuf *eb)
{
	struct probe_functions fs = { 0 };
	struct errbuf why = { 0 };
	int err = 0;

	if (!probe_module_dwarf(m, &why) && !spec->is_plt && !spec->version)
		err = probe_functions_find(m, spec->function, spec->file, &fs, eb);
	if (!err && fs.v.nr) {
		err = add_places(m, spec, limits, &fs, spots, eb);
	} else if (!err) {
		err = look_up_symbol(m, spec, spots, eb);
		/* What is no file may be a version ("Qt_5"). */
		if (!err && !spots->v.nr && spec->file && !strpbrk(spec->file, "./")) {
			struct probe_spec versioned = *spec;

			versioned.version = spec->file;
			versioned.file = NULL;
			err = look_up_symbol(m, &versioned, spots, eb);
		}
		if (!err && !spots->v.nr && spec->file)
			err = errbuf_set(eb, -ENOENT, "there is no function '%s' in a source file '%s'", spec->function, spec->file);
		else if (!err && !spots->v.nr && fs.declarations.nr)
			err = errbuf_set(eb, -ENOENT, "%s is a function of the source, but no code of it is left in %s", spec->function,
					 m->path ? m->path : "the kernel");
		else if (!err && !spots->v.nr)
			err = probe_no_such_function(m, spec->function, eb);
	}
	probe_functions_fini(&fs);
	return err;
}

static int find_by_address(struct probe_module *m, const struct probe_spec *spec, struct probe_spots *spots, struct errbuf *eb)
{
	struct probe_spot spot = { .vaddr = spec->offset };
	struct probe_function around[16];
	const struct symbol *s;
	uint64_t off;
	uint32_t nr;

	if (!probe_module_file_off(m, spec->offset, &off))
		return errbuf_set(eb, -ERANGE, "0x%llx is no address of %s", (unsigned long long)spec->offset, m->path);
	nr = probe_functions_at(m, spot.vaddr, around, 16);
	if (nr) {
		spot.f = around[nr - 1];
		spot.has_function = true;
	}
	s = probe_symbol_at(m, spot.vaddr);
	spot.symbol = s ? s->name : NULL;
	vec_push(&spots->v, spot);
	return 0;
}

/* What is no source file of the program may be a function with a dot ("main.work" of Go, "work.llvm.123"). */
static int find_dotted(struct probe_module *m, const struct probe_spec *spec, const struct probe_limits *limits, struct probe_spots *spots,
		       int err, struct errbuf *eb)
{
	struct probe_spec function = *spec;
	uint64_t vaddr;

	function.place = PROBE_FUNCTION;
	function.function = spec->file;
	function.file = NULL;
	/* There are symbols of the names of source files, too: these are no code. */
	if (err != -ENOENT || !probe_find_symbol(m, spec->file, strlen(spec->file), &vaddr) || !probe_symbol_at(m, vaddr))
		return err;
	errbuf_clear(eb);
	probe_spots_fini(spots);
	*spots = (struct probe_spots){ 0 };
	return find_by_function(m, &function, limits, spots, eb);
}

int probe_spots_find(struct probe_module *m, const struct probe_spec *spec, const struct probe_limits *limits, struct probe_spots *spots,
		     struct errbuf *eb)
{
	int err;

	*spots = (struct probe_spots){ 0 };
	probe_renew_work(m);
	switch (spec->place) {
	case PROBE_FUNCTION:
		err = find_by_function(m, spec, limits, spots, eb);
		break;
	case PROBE_SOURCE:
		err = probe_module_dwarf(m, eb)
			      ?: spec->pattern ? probe_spots_of_pattern(m, NULL, spec, probe_limits_max(limits), spots, eb)
					       : probe_spots_of_source(m, spec, probe_limits_max(limits), spots, eb);
		if (err)
			err = find_dotted(m, spec, limits, spots, err, eb);
		break;
	case PROBE_ADDRESS:
		err = find_by_address(m, spec, spots, eb);
		break;
	default:
		err = errbuf_set(eb, -EINVAL, "markers (%%%s:%s) are not looked up in debug information", spec->provider, spec->sdt);
	}
	err = err ?: probe_check_work(m, spec->text, eb);
	if (err) {
		probe_spots_fini(spots);
		return err;
	}
	probe_spots_sort(spots);
	return 0;
}
