/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Mappings and addresses of a recording that was imported from pprof, as the source had them (perfdata/imported.h); addresses that the
 * source did not have are 0.
 */
#include "view/export_pprof.h"

#include <stdlib.h>
#include <string.h>

#define MAX_TRIED 64u /* mappings of one file; it has a handful */

static uint32_t find_first(const struct pprof *w, const char *file)
{
	return HINDEX_FIND_ITEM(&w->file_index, hash_bytes(file, strlen(file), 0), &w->values->mappings, m,
				!strcmp(imported_str(w->values, m->file), file));
}

/* Mappings of one file in a row: an index of equal keys would take its time. */
static void index_mapping(struct pprof *w, uint32_t i)
{
	const char *file = imported_str(w->values, w->values->mappings.v[i].file);
	uint32_t first = find_first(w, file);

	w->next_mapping[i] = UINT32_MAX;
	if (first == UINT32_MAX) {
		w->last_mapping[i] = i;
		hindex_add(&w->file_index, hash_bytes(file, strlen(file), 0), i);
		return;
	}
	w->next_mapping[w->last_mapping[first]] = i;
	w->last_mapping[first] = i;
}

static uint64_t hash_function(const char *name, const char *file)
{
	return hash_bytes(file, strlen(file), hash_bytes(name, strlen(name), 0));
}

static uint32_t find_function(const struct pprof *w, const char *name, const char *file)
{
	return HINDEX_FIND_ITEM(&w->start_index, hash_function(name, file), &w->values->functions, f,
				!strcmp(imported_str(w->values, f->name), name) && !strcmp(imported_str(w->values, f->file), file));
}

uint32_t pprof_imported_start(const struct pprof *w, const char *name, const char *file)
{
	uint32_t i = find_function(w, name, file);

	return i == HINDEX_NONE ? 0 : w->values->functions.v[i].line;
}

void pprof_imported_init(struct pprof *w)
{
	const struct imported *v = w->values;

	if (!v)
		return;
	w->is_mapped = mem_zalloc(v->mappings.nr + 1ul);
	w->next_mapping = mem_alloc((v->mappings.nr + 1ul) * sizeof(*w->next_mapping));
	w->last_mapping = mem_alloc((v->mappings.nr + 1ul) * sizeof(*w->last_mapping));
	for (uint32_t i = 0; i < v->mappings.nr; i++)
		index_mapping(w, i);
	for (uint32_t i = 0; i < v->functions.nr; i++) {
		const char *name = imported_str(v, v->functions.v[i].name), *file = imported_str(v, v->functions.v[i].file);

		if (find_function(w, name, file) == HINDEX_NONE)
			hindex_add(&w->start_index, hash_function(name, file), i);
	}
}

void pprof_imported_fini(struct pprof *w)
{
	free(w->is_mapped);
	free(w->next_mapping);
	free(w->last_mapping);
	hindex_fini(&w->file_index);
	hindex_fini(&w->start_index);
}

uint64_t pprof_imported_address(const struct pprof *w, const struct profile_location *l)
{
	if (l->at.imported && !w->values->locations.v[l->at.imported - 1].has_address)
		return 0;
	return l->at.ip - (l->is_caller && l->at.ip);
}

/* The first mapping of a file that has the address, else the first. */
static uint32_t find_mapping(const struct pprof *w, const char *file, uint64_t address)
{
	uint32_t first = find_first(w, file);

	for (uint32_t i = first, nr = 0; i != UINT32_MAX && nr < MAX_TRIED; i = w->next_mapping[i], nr++)
		if (address >= w->values->mappings.v[i].start && address < w->values->mappings.v[i].limit)
			return i;
	return first;
}

uint64_t pprof_imported_mapping(struct pprof *w, const struct profile_location *l)
{
	const struct dso *d = profile_dso(w->x->p, l->at.dso);
	uint64_t address = pprof_imported_address(w, l);
	uint32_t i;

	if (l->at.dso == DSO_NONE)
		return 0;
	i = find_mapping(w, d->path, address);
	/* Modules of the kernel go by their files, where these are known. */
	if (i == UINT32_MAX && d->file)
		i = find_mapping(w, d->file, address);
	if (i == UINT32_MAX && !strcmp(d->path, "[unknown]"))
		i = find_mapping(w, "", address);
	if (i == UINT32_MAX)
		return 0;
	w->is_mapped[i] = true;
	return w->values->mappings.v[i].id;
}

/* Readers call the profile after the first one, whether anything was sampled there or not. */
void pprof_put_imported_mappings(struct pprof *w)
{
	for (uint32_t i = 0; i < w->values->mappings.nr; i++) {
		const struct imported_mapping *m = &w->values->mappings.v[i];

		if (i && !w->is_mapped[i])
			continue;
		protobuf_u64(&w->message, MAPPING_ID, m->id);
		protobuf_u64(&w->message, MAPPING_START, m->start);
		protobuf_u64(&w->message, MAPPING_LIMIT, m->limit);
		protobuf_u64(&w->message, MAPPING_OFFSET, m->offset);
		protobuf_u64(&w->message, MAPPING_FILENAME, pprof_string(w, imported_str(w->values, m->file)));
		protobuf_u64(&w->message, MAPPING_BUILD_ID, pprof_string(w, imported_str(w->values, m->build_id)));
		for (uint32_t k = 0; k < 4; k++)
			protobuf_u64(&w->message, MAPPING_HAS_FUNCTIONS + k, m->flags >> k & 1);
		protobuf_message(w->x->o, PROFILE_MAPPING, &w->message);
	}
}
