/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Opens a module's debug files and finds out which unit covers which addresses: by what the first entry of each unit says, and for those
 * that say nothing by their line tables. (.debug_aranges is not used: it repeats the first, and clang leaves it out.)
 */
#include "symbols/dwarf_module.h"

#include <dwarf.h>
#include <stdlib.h>

#include "base/pool.h"
#include "symbols/source_unit.h"

#define UNITS_A_JOB 64U

static int open_module(struct dwarf_module *m, const struct elf_file *f, const char *path, const char *program, const char *symfs,
		       const struct elf_segment *code, uint32_t nr_code)
{
	bool is_named;
	int err;

	err = dwarf_file_open(&m->file, f, false, &m->work);
	if (err)
		return err;
	dwarf_file_allow_work(&m->file);
	m->file.code = code;
	m->file.nr_code = nr_code;
	dwarf_units_init(&m->units, &m->file);
	if (dwarf_alt_open(&m->alt_elf, f, path, symfs, &is_named)) {
		if (dwarf_file_open(&m->alt_file, &m->alt_elf, false, &m->work) == 0) {
			dwarf_file_allow_work(&m->alt_file);
			dwarf_units_init(&m->alt, &m->alt_file);
		} else {
			elf_file_close(&m->alt_elf);
		}
	}
	m->lacks_alt = is_named && !m->alt_elf.elf;
	dwarf_split_init(&m->split, program, symfs, &m->work);
	return 0;
}

int dwarf_module_open(struct dwarf_module *m, const struct elf_file *f, const char *path, const char *program, const char *symfs,
		      const struct elf_segment *code, uint32_t nr_code)
{
	*m = (struct dwarf_module){ .alt_elf.fd = -1, .split.dwp_elf.fd = -1 };
	return open_module(m, f, path, program, symfs, code, nr_code);
}

int dwarf_module_open_variables(struct dwarf_module *m, const struct elf_file *f, const char *path, const char *program, const char *symfs,
				const struct elf_segment *code, uint32_t nr_code)
{
	*m = (struct dwarf_module){ .alt_elf.fd = -1, .split.dwp_elf.fd = -1, .work.has_locations = true };
	return open_module(m, f, path, program, symfs, code, nr_code);
}

void dwarf_module_close(struct dwarf_module *m)
{
	dwarf_split_fini(&m->split);
	dwarf_units_fini(&m->alt);
	dwarf_file_close(&m->alt_file);
	elf_file_close(&m->alt_elf);
	dwarf_units_fini(&m->units);
	dwarf_file_close(&m->file);
}

uint64_t dwarf_module_memory(const struct dwarf_module *m)
{
	return dwarf_file_memory(&m->file) + dwarf_file_memory(&m->alt_file) + dwarf_file_memory(&m->split.dwp) +
	       ((uint64_t)m->units.headers.cap + m->alt.headers.cap) * sizeof(struct dwarf_header);
}

struct map_items {
	VEC(struct source_map_item) list;
};

struct mapping {
	const struct dwarf_module *m;
	struct map_items *items; /* one a job */
};

/* A unit that does not say where its code is. */
static void ranges_from_lines(const struct dwarf_unit *u, struct dwarf_ranges *ranges)
{
	struct source_builder to = { 0 };
	struct dwarf_lines lines;

	if (u->stmt_list != DWARF_NONE && dwarf_lines_init(&lines, u, &to) == 0) {
		dwarf_lines_run(&lines);
		dwarf_lines_fini(&lines);
		for (uint32_t i = 0; i < to.sequences.nr; i++)
			vec_push(&ranges->list, ((struct dwarf_range){ to.sequences.v[i].start, to.sequences.v[i].end }));
	}
	source_builder_fini(&to);
}

static void map_unit(const struct dwarf_module *m, const struct dwarf_header *h, struct map_items *items)
{
	struct dwarf_ranges ranges = { 0 };
	struct dwarf_unit u;

	if (h->type == DW_UT_type || h->type == DW_UT_split_type || h->type == DW_UT_partial || dwarf_unit_init(&u, &m->file, h))
		return;
	if (u.tag == DW_TAG_compile_unit || u.tag == DW_TAG_skeleton_unit) {
		dwarf_unit_ranges(&u, &u.low, &u.high, &u.range_list, &ranges);
		if (!dwarf_unit_knows_ranges(&u))
			ranges_from_lines(&u, &ranges);
	}
	for (uint32_t i = 0; i < ranges.list.nr; i++)
		vec_push(&items->list, ((struct source_map_item){ ranges.list.v[i].start, ranges.list.v[i].end, h->off }));
	vec_fini(&ranges.list);
	dwarf_unit_fini(&u);
}

static void map_some(void *ctx, uint32_t job)
{
	struct mapping *x = ctx;
	uint32_t first = job * UNITS_A_JOB;

	for (uint32_t i = first; i < x->m->units.headers.nr && i - first < UNITS_A_JOB; i++)
		map_unit(x->m, &x->m->units.headers.v[i], &x->items[job]);
}

void *dwarf_module_map(struct dwarf_module *m, size_t *size)
{
	uint32_t nr_jobs = m->units.headers.nr / UNITS_A_JOB + 1;
	struct mapping x = { .m = m, .items = mem_zalloc(nr_jobs * sizeof(*x.items)) };
	struct map_items all = { 0 };
	void *map;

	pool_run(nr_jobs, 0, map_some, &x);
	for (uint32_t i = 0; i < nr_jobs; i++) {
		for (uint32_t j = 0; j < x.items[i].list.nr; j++)
			vec_push(&all.list, x.items[i].list.v[j]);
		vec_fini(&x.items[i].list);
	}
	map = source_map_pack(all.list.v, all.list.nr, size);
	vec_fini(&all.list);
	free(x.items);
	return map;
}

/* Reading one unit: one pass over its entries keeps functions and inlined calls; then its lines. The tree is followed with an explicit
 * stack; each entry has at least one byte, so that the size of the unit bounds the work. */

#define MANY_ATTRS 64

struct walk {
	const struct dwarf_unit *unit;
	struct dwarf_abbrevs abbrevs;
	struct dwarf_slice dies;
	struct dwarf_names *names;
	struct dwarf_lines *lines; /* NULL: none */
	struct source_builder *to;
	struct dwarf_ranges ranges;
	VEC(uint32_t) scopes; /* the function around, of each open entry */
};

/* The attributes of a function or an inlined call. */
struct function {
	struct dwarf_naming naming;
	struct dwarf_value low, high, range_list;
	uint64_t call_file, call_line, call_column;
};

static bool read_function(struct walk *w, struct bytes *b, const struct dwarf_abbrev *a, struct function *f)
{
	*f = (struct function){ .call_file = DWARF_NONE };
	for (uint32_t i = 0; i < a->nr_attrs; i++) {
		const struct dwarf_attr *attr = &w->abbrevs.attrs.v[a->first_attr + i];
		struct dwarf_value v;

		if (!dwarf_value_read(b, &w->abbrevs.enc, attr, &v))
			return false;
		switch (attr->name) {
		case DW_AT_low_pc:
			f->low = v;
			break;
		case DW_AT_high_pc:
			f->high = v;
			break;
		case DW_AT_ranges:
			f->range_list = v;
			break;
		case DW_AT_call_file:
			dwarf_value_number(&v, &f->call_file);
			break;
		case DW_AT_call_line:
			dwarf_value_number(&v, &f->call_line);
			break;
		case DW_AT_call_column:
			dwarf_value_number(&v, &f->call_column);
			break;
		default:
			dwarf_naming_take(&f->naming, attr->name, &v);
		}
	}
	return true;
}

/* The scope that entries below this one belong to. */
static uint32_t add_function(struct walk *w, const struct function *f, bool is_inlined, uint32_t around)
{
	struct source_unit_scope s = { .parent = is_inlined ? around : SOURCE_NONE };
	uint32_t scope;

	w->ranges.list.nr = 0;
	dwarf_unit_ranges(w->unit, &f->low, &f->high, &f->range_list, &w->ranges);
	/* Declarations and abstract instances have no code, and calls in them are none. */
	if (!w->ranges.list.nr && s.parent == SOURCE_NONE)
		return SOURCE_NONE;
	s.function = dwarf_names_get(w->names, &f->naming);
	if (is_inlined) {
		s.call_file = w->lines ? dwarf_lines_path(w->lines, f->call_file) : 0;
		s.call_line = f->call_line <= UINT32_MAX ? (uint32_t)f->call_line : 0;
		s.call_column = f->call_column <= UINT32_MAX ? (uint32_t)f->call_column : 0;
	}
	scope = source_builder_add_scope(w->to, &s);
	for (uint32_t i = 0; i < w->ranges.list.nr; i++)
		source_builder_add_span(w->to, w->ranges.list.v[i].start, w->ranges.list.v[i].end, scope);
	return scope;
}

/* Stops at the first entry that makes no sense: what came before is kept. */
static void walk_entries(struct walk *w)
{
	struct bytes b = bytes_of(w->dies.bytes, w->dies.size_bytes, w->unit->file->swap);

	while (bytes_left(&b)) {
		uint64_t off = w->dies.off + (uint64_t)(b.pos - w->dies.bytes), code = bytes_uleb(&b);
		uint32_t scope = w->scopes.nr ? w->scopes.v[w->scopes.nr - 1] : SOURCE_NONE;
		const struct dwarf_abbrev *a;

		if (b.failed)
			return;
		if (!code) {
			if (w->scopes.nr <= 1)
				return;
			w->scopes.nr--;
			continue;
		}
		a = dwarf_abbrevs_find(&w->abbrevs, code);
		/* Values may have no bytes, and then their number is not bounded by the unit's. */
		if (!a || (a->nr_attrs > MANY_ATTRS && !dwarf_work_take(w->unit->file->work, a->nr_attrs * 4ULL)))
			return;
		if (a->tag == DW_TAG_subprogram || a->tag == DW_TAG_inlined_subroutine) {
			struct function f;

			if (!read_function(w, &b, a, &f))
				return;
			f.naming.off = off;
			scope = add_function(w, &f, a->tag == DW_TAG_inlined_subroutine, scope);
		} else if (!dwarf_abbrev_skip(&w->abbrevs, a, &b)) {
			return;
		}
		if (a->has_children)
			vec_push(&w->scopes, scope);
		else if (!w->scopes.nr)
			return; /* a first entry without others */
	}
}

static void read_entries(const struct dwarf_unit *u, struct dwarf_names *names, struct dwarf_lines *lines, struct source_builder *to)
{
	struct walk w = { .unit = u, .names = names, .lines = lines, .to = to };
	uint64_t off = u->head.off + u->head.size_bytes;

	if (dwarf_abbrevs_load(&w.abbrevs, u->file, u->head.abbrev_off, &u->head.enc, 0))
		return;
	if (dwarf_slice_read(&w.dies, u->file, DWARF_INFO, off, u->head.end - off) == 0) {
		dwarf_names_begin(names, u, &w.abbrevs, &w.dies, to);
		walk_entries(&w);
	}
	dwarf_slice_fini(&w.dies);
	dwarf_abbrevs_fini(&w.abbrevs);
	vec_fini(&w.ranges.list);
	vec_fini(&w.scopes);
}

/* A unit that says that its entries are elsewhere. */
static bool is_skeleton(const struct dwarf_unit *u)
{
	return u->dwo_name.form && !u->has_children;
}

void *dwarf_module_read(struct dwarf_module *m, struct dwarf_names *names, uint64_t unit, size_t *size, bool *is_whole)
{
	struct source_builder to = { 0 };
	struct dwarf_ranges ranges = { 0 };
	struct dwarf_lines lines;
	struct dwarf_header h;
	struct dwarf_unit u;
	bool has_lines;
	void *bytes;

	*is_whole = !m->lacks_alt;
	if (dwarf_header_read(&h, &m->file, unit) || dwarf_unit_init(&u, &m->file, &h))
		return NULL;
	u.units = &m->units;
	u.alt = m->alt_elf.elf ? &m->alt : NULL;
	has_lines = u.stmt_list != DWARF_NONE && dwarf_lines_init(&lines, &u, &to) == 0;
	if (dwarf_unit_knows_ranges(&u))
		dwarf_unit_ranges(&u, &u.low, &u.high, &u.range_list, &ranges);
	for (uint32_t i = 0; i < ranges.list.nr; i++)
		source_builder_add_range(&to, ranges.list.v[i].start, ranges.list.v[i].end);
	if (is_skeleton(&u)) {
		struct dwarf_half half;

		if (dwarf_split_open(&m->split, &u, &half)) {
			read_entries(&half.unit, names, has_lines ? &lines : NULL, &to);
			dwarf_half_close(&half);
		} else {
			*is_whole = false;
		}
	} else {
		read_entries(&u, names, has_lines ? &lines : NULL, &to);
	}
	if (has_lines) {
		dwarf_lines_run(&lines);
		dwarf_lines_fini(&lines);
	}
	bytes = source_builder_finish(&to, size);
	source_builder_fini(&to);
	vec_fini(&ranges.list);
	dwarf_unit_fini(&u);
	return bytes;
}
