/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Opens a module's debug files and finds out which unit covers which addresses: by what the first entry of each unit says, and for
 * those that say nothing by their line tables. (.debug_aranges is not asked: it repeats the first, and clang leaves it out.)
 */
#include "symbols/dwarf_module.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>

#include "base/pool.h"
#include "symbols/dwarf_line.h"
#include "symbols/source_map.h"

#define UNITS_A_JOB 64U

int dwarf_module_open(struct dwarf_module *m, const struct elf_file *f, const char *path, const char *program, const char *symfs,
		      const struct dwarf_code *code, uint32_t nr_code)
{
	bool is_named;
	int err;

	*m = (struct dwarf_module){ .alt_elf.fd = -1, .split.dwp_elf.fd = -1 };
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
