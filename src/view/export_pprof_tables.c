/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Strings, functions, locations and mappings of a pprof profile. A file is mapped once, at its first address: the same code in a thousand
 * processes is one location. Locations and functions are written when first referenced; mappings, whose bounds are known at the end, and
 * strings come last.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "view/export_pprof.h"

/* Numbers of fields */
enum {
	LOCATION_ID = 1,
	LOCATION_MAPPING = 2,
	LOCATION_ADDRESS = 3,
	LOCATION_LINE = 4,
	LINE_FUNCTION = 1,
	LINE_LINE = 2,
	FUNCTION_ID = 1,
	FUNCTION_NAME = 2,
	FUNCTION_SYSTEM_NAME = 3,
	FUNCTION_FILENAME = 4,
	FUNCTION_START_LINE = 5,
};

#define PAGE 4096u

/* Strings are UTF-8, whatever a function is called. */
uint32_t pprof_string(struct pprof *w, const char *s)
{
	w->utf8.len = 0;
	escape_utf8(&w->utf8, s, strlen(s));
	return strtab_intern_len(&w->strings, w->utf8.buf ? w->utf8.buf : "", w->utf8.len);
}

/* The name of the symbol table, which the readable one was made of. */
static const char *system_name(const struct pprof *w, uint32_t place)
{
	const struct profile *p = w->x->p;
	const struct profile_frame *f = export_frame_at(w->x, place);
	const struct symtab *tab = f->is_inlined || !profile_is_named(f) || f->dso == DSO_NONE ? NULL : profile_dso(p, f->dso)->symtab;
	const struct symbol *sym = tab ? symtab_find(tab, f->start) : NULL;
	const char *imported = f->is_inlined ? NULL : profile_imported_name(p, p->places.v[place].location);

	if (imported)
		return imported;
	return sym && *sym->name ? sym->name : export_name(w->x, place);
}

static uint32_t function_id(struct pprof *w, uint32_t place)
{
	const struct profile_place *pl = &w->x->p->places.v[place];
	struct pprof_function key = { export_name_id(w->x, place), export_frame_at(w->x, place)->dso, pl->file };
	uint64_t h = hash_pair(key.frame_name, (uint64_t)key.dso << 32 | key.file);
	uint32_t known = HINDEX_FIND_ITEM(&w->function_index, h, &w->functions, f, !memcmp(f, &key, sizeof(key)));

	if (known != HINDEX_NONE)
		return known + 1;
	hindex_add(&w->function_index, h, w->functions.nr);
	vec_push(&w->functions, key);
	protobuf_u64(&w->message, FUNCTION_ID, w->functions.nr);
	protobuf_u64(&w->message, FUNCTION_NAME, pprof_string(w, export_name(w->x, place)));
	protobuf_u64(&w->message, FUNCTION_SYSTEM_NAME, pprof_string(w, system_name(w, place)));
	protobuf_u64(&w->message, FUNCTION_FILENAME, pprof_string(w, profile_str(w->x->p, pl->file)));
	if (w->values)
		protobuf_u64(&w->message, FUNCTION_START_LINE,
			     pprof_imported_start(w, export_name(w->x, place), profile_str(w->x->p, pl->file)));
	protobuf_message(w->x->o, PROFILE_FUNCTION, &w->message);
	return w->functions.nr;
}

static void extend_mapping(struct pprof_mapping *m, const struct profile_location *l, uint64_t addr)
{
	if (!m->is_used) {
		m->is_used = true;
		m->bias = l->at.ip - l->at.addr;
		m->first = m->last = addr;
	}
	if (addr < m->first)
		m->first = addr;
	if (addr > m->last)
		m->last = addr;
}

/* In the order they are first met. */
static uint32_t mapping_id(struct pprof *w, uint32_t dso)
{
	if (dso != DSO_NONE && !w->mapping_ids[dso])
		w->mapping_ids[dso] = ++w->nr_mappings;
	return w->mapping_ids[dso];
}

/* Lines of places that have no function say nothing to a reader: it shows the address then. */
static void write_location(struct pprof *w, const struct profile_location *l, uint32_t id)
{
	const struct export *x = w->x;
	struct pprof_mapping *m = &w->mappings[l->at.dso];
	uint64_t addr = export_addr(l);
	VEC(uint32_t) functions = { 0 };

	extend_mapping(m, l, addr);
	m->has_inlines |= l->nr_places > 1;
	for (uint32_t i = 0; i < l->nr_places && x->p->frames.v[l->frame].function; i++) {
		m->has_functions = true;
		m->has_files |= x->p->places.v[l->first_place + i].file != 0;
		vec_push(&functions, function_id(w, l->first_place + i));
	}
	protobuf_u64(&w->message, LOCATION_ID, id);
	protobuf_u64(&w->message, LOCATION_MAPPING, w->values ? pprof_imported_mapping(w, l) : mapping_id(w, l->at.dso));
	protobuf_u64(&w->message, LOCATION_ADDRESS, w->values ? pprof_imported_address(w, l) : addr + m->bias);
	for (uint32_t i = 0; i < functions.nr; i++) {
		protobuf_u64(&w->inner, LINE_FUNCTION, functions.v[i]);
		protobuf_u64(&w->inner, LINE_LINE, x->p->places.v[l->first_place + i].line);
		protobuf_message(&w->message, LOCATION_LINE, &w->inner);
	}
	protobuf_message(x->o, PROFILE_LOCATION, &w->message);
	vec_fini(&functions);
}

uint32_t pprof_location(struct pprof *w, uint32_t location)
{
	const struct profile_location *l = &w->x->p->locations.v[location];
	/* What has no name is a frame of its own in each process, but one place in the file. */
	bool is_named = w->x->p->frames.v[l->frame].function;
	struct pprof_place key = { .addr = w->values ? l->at.imported : l->at.addr,
				   .dso = l->at.dso,
				   .frame = is_named ? l->frame : FRAME_NONE,
				   .is_caller = l->is_caller };
	uint64_t h = hash_pair(key.addr, (uint64_t)key.dso << 1 | key.is_caller);
	uint32_t nr = w->locations.nr, *id = &w->id_of_location[location];

	if (*id)
		return *id;
	*id = 1 + HINDEX_INTERN(&w->location_index, h, &w->locations, other,
				other->addr == key.addr && other->dso == key.dso && other->is_caller == key.is_caller &&
					other->frame == key.frame,
				key);
	if (w->locations.nr > nr)
		write_location(w, l, *id);
	return *id;
}

/* ---- mappings ---- */

/* The program itself comes first, since readers show that one's name: the file that most samples' tasks are called after. */
static uint32_t main_dso(const struct pprof *w)
{
	struct profile *p = w->x->p;
	uint32_t nr_dsos = p->machine->dsos.dsos.nr, best = DSO_NONE, nr_strings;
	uint32_t *comm_of_dso = mem_zalloc((nr_dsos + 1ul) * sizeof(*comm_of_dso));
	uint64_t *nr_of_string, best_nr = 0;

	for (uint32_t i = 1; i < nr_dsos; i++) {
		const struct dso *d = profile_dso(p, i);

		comm_of_dso[i] = d->kind == MODULE_ELF ? strtab_intern_len(&p->strings, d->short_name, strnlen(d->short_name, 15)) : 0;
	}
	nr_strings = p->strings.entries.nr;
	nr_of_string = mem_zalloc(nr_strings * sizeof(*nr_of_string));
	for (uint32_t i = 0; i < p->tasks.nr; i++)
		nr_of_string[p->tasks.v[i].comm] += w->x->nr_of_task[i];
	for (uint32_t i = 1; i < nr_dsos; i++) {
		uint64_t nr = comm_of_dso[i] && w->mappings[i].is_used ? nr_of_string[comm_of_dso[i]] : 0;

		if (nr > best_nr) {
			best_nr = nr;
			best = i;
		}
	}
	free(comm_of_dso);
	free(nr_of_string);
	return best;
}

static void put_mapping(struct pprof *w, uint32_t dso)
{
	const struct dso *d = profile_dso(w->x->p, dso);
	const struct pprof_mapping *m = &w->mappings[dso];
	char build_id[2 * sizeof(d->build_id) + 1] = "";
	uint64_t first = m->first & ~(uint64_t)(PAGE - 1), limit = (m->last | (PAGE - 1)) + 1;

	for (uint32_t i = 0; i < d->build_id_size && i < sizeof(d->build_id); i++)
		snprintf(build_id + 2 * i, 3, "%02x", d->build_id[i]);
	protobuf_u64(&w->message, MAPPING_ID, w->mapping_ids[dso]);
	protobuf_u64(&w->message, MAPPING_START, first + m->bias);
	protobuf_u64(&w->message, MAPPING_LIMIT, limit + m->bias);
	/* Where addresses are those of memory, there is no file to have an offset in. */
	protobuf_u64(&w->message, MAPPING_OFFSET, d->kind == MODULE_ELF ? first : 0);
	protobuf_u64(&w->message, MAPPING_FILENAME, pprof_string(w, d->path));
	protobuf_u64(&w->message, MAPPING_BUILD_ID, pprof_string(w, build_id));
	protobuf_u64(&w->message, MAPPING_HAS_FUNCTIONS, m->has_functions);
	protobuf_u64(&w->message, MAPPING_HAS_FILENAMES, m->has_files);
	protobuf_u64(&w->message, MAPPING_HAS_LINES, m->has_files);
	protobuf_u64(&w->message, MAPPING_HAS_INLINES, m->has_inlines);
	protobuf_message(w->x->o, PROFILE_MAPPING, &w->message);
}

void pprof_put_mappings(struct pprof *w)
{
	uint32_t nr_dsos = w->x->p->machine->dsos.dsos.nr, first = main_dso(w);
	uint32_t *by_id = mem_zalloc((nr_dsos + 1ul) * sizeof(*by_id));

	for (uint32_t i = 1; i < nr_dsos; i++)
		by_id[w->mapping_ids[i]] = i;
	if (first != DSO_NONE)
		put_mapping(w, first);
	for (uint32_t i = 1; i <= w->nr_mappings; i++)
		if (by_id[i] != first)
			put_mapping(w, by_id[i]);
	free(by_id);
}

void pprof_put_strings(struct pprof *w)
{
	for (uint32_t i = 0; i < w->strings.entries.nr; i++)
		protobuf_bytes(w->x->o, PROFILE_STRING, w->strings.entries.v[i].s, w->strings.entries.v[i].len);
}

void pprof_tables_init(struct pprof *w, struct export *x)
{
	uint32_t nr_dsos = x->p->machine->dsos.dsos.nr;

	memset(w, 0, sizeof(*w));
	w->x = x;
	w->values = recording_values(x->p->recording);
	pprof_imported_init(w);
	strtab_init(&w->strings);
	out_init(&w->message, -1);
	out_init(&w->inner, -1);
	out_init(&w->utf8, -1);
	w->mappings = mem_zalloc((nr_dsos + 1ul) * sizeof(*w->mappings));
	w->mapping_ids = mem_zalloc((nr_dsos + 1ul) * sizeof(*w->mapping_ids));
	w->id_of_location = mem_zalloc((x->p->locations.nr + 1ul) * sizeof(*w->id_of_location));
}

void pprof_tables_fini(struct pprof *w)
{
	vec_fini(&w->types);
	pprof_imported_fini(w);
	vec_fini(&w->locations);
	vec_fini(&w->functions);
	hindex_fini(&w->location_index);
	hindex_fini(&w->function_index);
	free(w->mappings);
	free(w->mapping_ids);
	free(w->id_of_location);
	out_fini(&w->message);
	out_fini(&w->inner);
	out_fini(&w->utf8);
	strtab_fini(&w->strings);
}
