/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * From a task's maps to modules: maps of one file are one module, wherever they lie.
 */
#include "model/snapshot.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static void set_build_id(struct snapshot_module *m, const struct dso_table *dsos)
{
	static const char digits[] = "0123456789abcdef";
	const struct dso *d = dso_table_get(dsos, m->dso);
	uint8_t id[20];
	int size = d->build_id_size;
	char *path;

	if (size) {
		memcpy(id, d->build_id, sizeof(id));
	} else {
		path = mem_printf("%s%s", d->kind == MODULE_ELF && dsos->options.symfs ? dsos->options.symfs : "", d->path);
		size = symbolizer_build_id(path, id);
		free(path);
	}
	for (int i = 0; i < size && i < 20; i++) {
		m->build_id[2 * i] = digits[id[i] >> 4];
		m->build_id[2 * i + 1] = digits[id[i] & 15];
		m->build_id[2 * i + 2] = '\0';
	}
}

static struct snapshot_module *get_module(struct snapshot_modules *m, uint32_t dso)
{
	for (uint32_t i = 0; i < m->modules.nr; i++)
		if (m->modules.v[i].dso == dso)
			return &m->modules.v[i];
	return NULL;
}

/* Files without code are no modules. */
static void drop_data(struct snapshot_modules *m)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < m->modules.nr; i++)
		if (m->modules.v[i].has_code)
			m->modules.v[nr++] = m->modules.v[i];
	m->modules.nr = nr;
}

/* A symbol table says what it was made of, in words that end in a path. */
static void find_debug_files(struct snapshot_modules *m, struct dso_table *dsos)
{
	VEC(uint32_t) ids = { 0 };

	for (uint32_t i = 0; i < m->modules.nr; i++)
		vec_push(&ids, m->modules.v[i].dso);
	dso_table_load(dsos, ids.v, ids.nr);
	for (uint32_t i = 0; i < m->modules.nr; i++) {
		const struct dso *d = dso_table_get(dsos, m->modules.v[i].dso);
		const char *path = d->symtab && d->symtab->made_from ? strchr(d->symtab->made_from, '/') : NULL;

		if (path && strcmp(path, d->path))
			m->modules.v[i].debug_file = path;
	}
	vec_fini(&ids);
}

void snapshot_modules_init(struct snapshot_modules *m, struct machine *machine, const struct task *task, bool debug_files)
{
	const struct map_set *set = task_maps(task);

	memset(m, 0, sizeof(*m));
	for (uint32_t i = 0; i < map_set_nr(set); i++) {
		const struct map *map = map_set_at(set, i);
		const struct dso *d = dso_table_get(&machine->dsos, map->dso);
		struct snapshot_module *known = get_module(m, map->dso);

		if (d->kind != MODULE_ELF && d->kind != MODULE_VDSO)
			continue;
		if (!known) {
			vec_push(&m->modules, ((struct snapshot_module){ .dso = map->dso, .start = map->start }));
			known = &m->modules.v[m->modules.nr - 1];
		}
		known->end = map->end;
		known->has_code |= map->prot & PROT_EXEC;
	}
	drop_data(m);
	for (uint32_t i = 0; i < m->modules.nr; i++)
		set_build_id(&m->modules.v[i], &machine->dsos);
	if (debug_files)
		find_debug_files(m, &machine->dsos);
}

void snapshot_modules_fini(struct snapshot_modules *m)
{
	vec_fini(&m->modules);
}

const struct snapshot_module *snapshot_modules_find(const struct snapshot_modules *m, uint32_t dso)
{
	return get_module((struct snapshot_modules *)m, dso);
}
