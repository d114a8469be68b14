/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The shared tables of the Firefox Profiler's format. Addresses are those in the file; the kernel's are relative to its start: a
 * JavaScript number holds 53 bits.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view/export_firefox.h"

#define RESOURCE_LIBRARY 1
#define LARGEST_EXACT (UINT64_C(1) << 53)
#define NONE UINT32_MAX

/* A column of the same value all the way. */
static void put_column_of(struct json *j, const char *key, const char *value, uint32_t nr)
{
	json_put_array(j, key);
	for (uint32_t i = 0; i < nr; i++) {
		out_str(j->o, i ? "," : "");
		out_str(j->o, value);
	}
	json_array_end(j);
}

#define INTERN(vec, at, id)                                                                                                                \
	({                                                                                                                                 \
		if (!(at)[id]) {                                                                                                           \
			vec_push(vec, id);                                                                                                 \
			(at)[id] = (vec)->nr;                                                                                              \
		}                                                                                                                          \
		(at)[id] - 1;                                                                                                              \
	})

static uint32_t string_of(struct firefox *w, uint32_t id)
{
	return INTERN(&w->strings, w->string_at, id);
}

static uint32_t function_of(struct firefox *w, uint32_t place)
{
	struct firefox_function key = { export_name_id(w->x, place), export_frame_at(w->x, place)->dso, export_file_of(w->x, place) };
	uint64_t h = hash_pair(key.name, (uint64_t)key.dso << 32 | key.file);

	if (key.dso != DSO_NONE)
		INTERN(&w->libs, w->lib_at, key.dso);
	if (key.file)
		INTERN(&w->files, w->file_at, key.file);
	return HINDEX_INTERN(&w->function_index, h, &w->functions, f, !memcmp(f, &key, sizeof(key)), key);
}

/* What the address lies in: the function of the symbol table, whatever was inlined there. */
static uint32_t symbol_frame(const struct firefox *w, uint32_t place)
{
	uint32_t frame = w->x->p->locations.v[w->x->p->places.v[place].location].frame;
	const struct profile_frame *f = &w->x->p->frames.v[frame];

	return f->function && f->dso != DSO_NONE ? frame : NONE;
}

static uint64_t relative(const struct dso *d, uint64_t addr)
{
	return (d->kind == MODULE_KERNEL || d->kind == MODULE_KMODULE) && addr >= d->kernel_start ? addr - d->kernel_start : addr;
}

static void put_address(struct firefox *w, uint32_t place)
{
	const struct profile_location *l = &w->x->p->locations.v[w->x->p->places.v[place].location];
	uint64_t addr = relative(profile_dso(w->x->p, l->at.dso), export_addr(l));

	if (addr < LARGEST_EXACT)
		json_u64(&w->j, addr);
	else
		json_i64(&w->j, -1);
}

static void put_optional(struct json *j, bool is_known, uint64_t value)
{
	if (is_known)
		json_u64(j, value);
	else
		json_null(j);
}

typedef void column_fn(struct firefox *w, uint32_t frame, uint32_t place);

static void frame_address(struct firefox *w, uint32_t frame, uint32_t place)
{
	(void)frame;
	put_address(w, place);
}
static void frame_depth(struct firefox *w, uint32_t frame, uint32_t place)
{
	(void)frame;
	json_u64(&w->j, export_inline_depth(w->x, place));
}
static void frame_category(struct firefox *w, uint32_t frame, uint32_t place)
{
	(void)frame;
	json_u64(&w->j, 1 + profile_code_kind(w->x->p, place));
}
static void frame_function(struct firefox *w, uint32_t frame, uint32_t place)
{
	(void)place;
	json_u64(&w->j, w->function_of.v[frame]);
}
static void frame_symbol(struct firefox *w, uint32_t frame, uint32_t place)
{
	uint32_t of = symbol_frame(w, place);

	(void)frame;
	put_optional(&w->j, of != NONE, of != NONE ? w->symbol_at[of] - 1 : 0);
}
/* A line of a file that was included would be taken for one of the function's own. */
static void frame_line(struct firefox *w, uint32_t frame, uint32_t place)
{
	const struct profile_place *pl = &w->x->p->places.v[place];

	(void)frame;
	put_optional(&w->j, pl->line && pl->file == export_file_of(w->x, place), pl->line);
}

static void put_frames(struct firefox *w)
{
	static const struct {
		const char *key;
		column_fn *put;
	} columns[] = {
		{ "address", frame_address }, { "inlineDepth", frame_depth },	{ "category", frame_category },
		{ "func", frame_function },   { "nativeSymbol", frame_symbol }, { "line", frame_line },
	};
	uint32_t nr = w->tree.frames.nr;

	json_put_object(&w->j, "frameTable");
	for (size_t c = 0; c < sizeof(columns) / sizeof(*columns); c++) {
		json_put_array(&w->j, columns[c].key);
		for (uint32_t i = 0; i < nr; i++)
			columns[c].put(w, i, w->tree.frames.v[i].place);
		json_array_end(&w->j);
	}
	put_column_of(&w->j, "subcategory", "0", nr);
	put_column_of(&w->j, "innerWindowID", "null", nr);
	put_column_of(&w->j, "column", "null", nr);
	json_put_u64(&w->j, "length", nr);
	json_object_end(&w->j);
}

static void put_stack_frame(void *ctx, uint32_t node, uint32_t parent, uint32_t frame)
{
	(void)node, (void)parent;
	json_u64(&((struct firefox *)ctx)->j, frame);
}

static void put_stack_prefix(void *ctx, uint32_t node, uint32_t parent, uint32_t frame)
{
	(void)node, (void)frame;
	put_optional(&((struct firefox *)ctx)->j, parent != EXPORT_ROOT, parent - 1);
}

static void put_stacks(struct firefox *w)
{
	json_put_object(&w->j, "stackTable");
	json_put_array(&w->j, "frame");
	export_tree_each(&w->tree, put_stack_frame, w);
	json_array_end(&w->j);
	json_put_array(&w->j, "prefix");
	export_tree_each(&w->tree, put_stack_prefix, w);
	json_array_end(&w->j);
	json_put_u64(&w->j, "length", w->tree.nr_nodes - 1);
	json_object_end(&w->j);
}

static void put_functions(struct firefox *w)
{
	struct json *j = &w->j;
	uint32_t nr = w->functions.nr;

	json_put_object(j, "funcTable");
	json_put_array(j, "name");
	for (uint32_t i = 0; i < nr; i++)
		json_u64(j, string_of(w, w->functions.v[i].name));
	json_array_end(j);
	put_column_of(j, "isJS", "false", nr);
	put_column_of(j, "relevantForJS", "false", nr);
	json_put_array(j, "resource"); /* one for each lib, in the same order */
	for (uint32_t i = 0; i < nr; i++)
		json_i64(j, w->functions.v[i].dso == DSO_NONE ? -1 : (int64_t)w->lib_at[w->functions.v[i].dso] - 1);
	json_array_end(j);
	json_put_array(j, "source");
	for (uint32_t i = 0; i < nr; i++)
		put_optional(j, w->functions.v[i].file, w->file_at[w->functions.v[i].file] - 1ul);
	json_array_end(j);
	put_column_of(j, "lineNumber", "null", nr);
	put_column_of(j, "columnNumber", "null", nr);
	json_put_u64(j, "length", nr);
	json_object_end(j);
}

static void put_resources(struct firefox *w)
{
	struct json *j = &w->j;
	uint32_t nr = w->libs.nr;

	json_put_object(j, "resourceTable");
	json_put_array(j, "lib");
	for (uint32_t i = 0; i < nr; i++)
		json_u64(j, i);
	json_array_end(j);
	json_put_array(j, "name");
	for (uint32_t i = 0; i < nr; i++)
		json_u64(j, string_of(w, strtab_intern(&w->x->p->strings, profile_dso(w->x->p, w->libs.v[i])->short_name)));
	json_array_end(j);
	put_column_of(j, "host", "null", nr);
	json_put_array(j, "type");
	for (uint32_t i = 0; i < nr; i++)
		json_u64(j, RESOURCE_LIBRARY);
	json_array_end(j);
	json_put_u64(j, "length", nr);
	json_object_end(j);
}

static void put_symbols(struct firefox *w)
{
	const struct profile *p = w->x->p;
	struct json *j = &w->j;

	json_put_object(j, "nativeSymbols");
	json_put_array(j, "libIndex");
	for (uint32_t i = 0; i < w->symbols.nr; i++)
		json_u64(j, w->lib_at[p->frames.v[w->symbols.v[i]].dso] - 1ul);
	json_array_end(j);
	json_put_array(j, "address");
	for (uint32_t i = 0; i < w->symbols.nr; i++) {
		const struct profile_frame *f = &p->frames.v[w->symbols.v[i]];
		uint64_t addr = relative(profile_dso(p, f->dso), f->start);

		json_u64(j, addr < LARGEST_EXACT ? addr : 0);
	}
	json_array_end(j);
	json_put_array(j, "name");
	for (uint32_t i = 0; i < w->symbols.nr; i++)
		json_u64(j, string_of(w, p->frames.v[w->symbols.v[i]].function));
	json_array_end(j);
	json_put_array(j, "functionSize");
	for (uint32_t i = 0; i < w->symbols.nr; i++) {
		const struct profile_frame *f = &p->frames.v[w->symbols.v[i]];

		put_optional(j, f->end > f->start, f->end - f->start);
	}
	json_array_end(j);
	json_put_u64(j, "length", w->symbols.nr);
	json_object_end(j);
}

static void put_sources(struct firefox *w)
{
	json_put_object(&w->j, "sources");
	put_column_of(&w->j, "uuid", "null", w->files.nr);
	json_put_array(&w->j, "filename");
	for (uint32_t i = 0; i < w->files.nr; i++)
		json_u64(&w->j, string_of(w, w->files.v[i]));
	json_array_end(&w->j);
	json_put_u64(&w->j, "length", w->files.nr);
	json_object_end(&w->j);
}

static void put_libs(struct firefox *w)
{
	const struct perfdata_info *info = w->x->p->recording->info;
	struct json *j = &w->j;

	json_put_array(j, "libs");
	for (uint32_t i = 0; i < w->libs.nr; i++) {
		const struct dso *d = profile_dso(w->x->p, w->libs.v[i]);
		char build_id[2 * sizeof(d->build_id) + 1] = "";

		for (uint32_t k = 0; k < d->build_id_size && k < sizeof(d->build_id); k++)
			snprintf(build_id + 2 * k, 3, "%02x", d->build_id[k]);
		json_object(j);
		json_put_str(j, "arch", info->arch ? info->arch : "");
		json_put_str(j, "name", d->short_name);
		json_put_str(j, "path", d->path);
		json_put_str(j, "debugName", d->short_name);
		json_put_str(j, "debugPath", d->path);
		json_put_str(j, "breakpadId", "");
		json_put_str_or_null(j, "codeId", build_id);
		json_object_end(j);
	}
	json_array_end(j);
}

static uint32_t *zeroes(uint64_t nr)
{
	return mem_zalloc((nr + 1) * sizeof(uint32_t));
}

/* Strings of all tables come last: until then they are collected. The profile may get some more on the way: names of modules. */
static void put_tables(struct firefox *w)
{
	const struct profile *p = w->x->p;

	for (uint32_t i = 0; i < w->libs.nr; i++)
		strtab_intern(&w->x->p->strings, profile_dso(p, w->libs.v[i])->short_name);
	w->string_at = zeroes(p->strings.entries.nr);
	for (uint32_t i = 0; i < w->strings.nr; i++)
		w->string_at[w->strings.v[i]] = i + 1;
	put_libs(w);
	json_put_object(&w->j, "shared");
	put_stacks(w);
	put_frames(w);
	put_functions(w);
	put_resources(w);
	put_symbols(w);
	put_sources(w);
	json_put_array(&w->j, "stringArray");
	for (uint32_t i = 0; i < w->strings.nr; i++)
		json_str_len(&w->j, strtab_get(&p->strings, w->strings.v[i]), strtab_len(&p->strings, w->strings.v[i]));
	json_array_end(&w->j);
	json_object_end(&w->j);
}

/* Which functions, symbols and files the frames need. */
static void collect(struct firefox *w)
{
	const struct profile *p = w->x->p;

	w->lib_at = zeroes(p->machine->dsos.dsos.nr);
	w->symbol_at = zeroes(p->frames.nr);
	w->file_at = zeroes(p->strings.entries.nr);
	for (uint32_t i = 0; i < w->tree.frames.nr; i++) {
		uint32_t place = w->tree.frames.v[i].place, of = symbol_frame(w, place);

		vec_push(&w->function_of, function_of(w, place));
		if (of != NONE)
			INTERN(&w->symbols, w->symbol_at, of);
	}
}

void firefox_tables(struct firefox *w)
{
	collect(w);
	put_tables(w);
}

void firefox_tables_fini(struct firefox *w)
{
	vec_fini(&w->strings);
	vec_fini(&w->libs);
	vec_fini(&w->functions);
	vec_fini(&w->symbols);
	vec_fini(&w->files);
	vec_fini(&w->function_of);
	hindex_fini(&w->function_index);
	free(w->string_at);
	free(w->lib_at);
	free(w->symbol_at);
	free(w->file_at);
}
