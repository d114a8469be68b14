/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * From pprof's mappings, functions and locations to modules and locations of the builder, each when it is first met.
 *
 * A sampled address is where the CPU was; addresses of callers lie inside the call, so that a return address is one more.
 */
#include <stdlib.h>
#include <string.h>

#include "import/pprof.h"
#include "symbols/demangle.h"

static void fill_none(void *vec_nr_v, uint32_t nr)
{
	struct {
		uint32_t *v;
		uint32_t nr, cap;
	} *vec = vec_nr_v;

	vec_reserve(vec, nr);
	if (nr)
		memset(vec->v, 0xff, nr * sizeof(*vec->v));
	vec->nr = nr;
}

static uint8_t parse_build_id(struct pprof_text t, uint8_t *id)
{
	static const char digits[] = "0123456789abcdef";

	if (t.len % 2 || t.len > 2 * BUILD_ID_MAX)
		return 0;
	for (uint32_t i = 0; i < t.len; i++) {
		const char *d = memchr(digits, t.s[i] | 0x20, 16);

		if (!d)
			return 0;
		id[i / 2] = (uint8_t)(id[i / 2] << 4 | (d - digits));
	}
	return (uint8_t)(t.len / 2);
}

static uint32_t plain_dso(struct pprof *x)
{
	if (!x->plain_dso)
		x->plain_dso = import_dso_kind(x->b, "[unknown]", 9, IMPORTED_USER, NULL, 0);
	return x->plain_dso;
}

/* As they are, for who exports it again. */
static void keep_mappings(struct pprof *x)
{
	for (uint32_t i = 0; i < x->t.mappings.nr; i++) {
		const struct pprof_mapping *m = &x->t.mappings.v[i];
		struct imported_mapping to = {
			.id = m->id,
			.start = m->start,
			.limit = m->limit,
			.offset = m->offset,
			.file = pprof_string_of(x, m->filename),
			.build_id = pprof_string_of(x, m->build_id),
		};

		for (uint32_t k = 0; k < 4; k++)
			to.flags |= m->has[k] ? 1u << k : 0;
		vec_push(&x->b->section.mappings, to);
	}
}

void pprof_make_places(struct pprof *x)
{
	fill_none(&x->name_of_function, x->t.functions.nr);
	fill_none(&x->location_of[0], x->t.locations.nr);
	fill_none(&x->location_of[1], x->t.locations.nr);
	fill_none(&x->dso_of_mapping, x->t.mappings.nr);
	keep_mappings(x);
	for (uint32_t i = 0; i < x->t.mappings.nr; i++) {
		const struct pprof_mapping *m = &x->t.mappings.v[i];
		struct pprof_text path = pprof_text_of(x, m->filename);
		uint8_t id[BUILD_ID_MAX] = { 0 }, size = parse_build_id(pprof_text_of(x, m->build_id), id);
		uint32_t plain;

		if (!path.len) {
			x->dso_of_mapping.v[i] = plain_dso(x);
			continue;
		}
		plain = import_dso(x->b, path.s, path.len);
		x->dso_of_mapping.v[i] = size ? import_dso_kind(x->b, path.s, path.len, x->b->dsos.v[plain].kind, id, size) : plain;
	}
}

/* The compiler's name where the readable one was made of it: so that either can be shown. */
static uint32_t name_function(struct pprof *x, uint32_t i)
{
	const struct pprof_function *f = &x->t.functions.v[i];
	struct pprof_text name = pprof_text_of(x, f->name), system = pprof_text_of(x, f->system_name);
	uint32_t id = import_string(x->b, name.s, name.len), system_id;
	char *readable;

	if (!name.len)
		return import_string(x->b, system.s, system.len);
	if (!system.len || (system.len == name.len && !memcmp(system.s, name.s, name.len)))
		return id;
	system_id = import_string(x->b, system.s, system.len);
	readable = demangle_name(import_str(x->b, system_id), false);
	if (readable && !strcmp(readable, import_str(x->b, id)))
		id = system_id;
	free(readable);
	return id;
}

static void keep_start(struct pprof *x, const struct pprof_function *f)
{
	if (f->start_line && f->start_line < UINT32_MAX)
		vec_push(&x->b->section.functions,
			 ((struct imported_function){ pprof_string_of(x, f->name), pprof_string_of(x, f->filename),
						      (uint32_t)f->start_line }));
}

static uint32_t function_name(struct pprof *x, uint64_t id)
{
	uint32_t i = pprof_wire_function(&x->t, id);

	if (i == PPROF_NONE)
		return 0;
	if (x->name_of_function.v[i] == PPROF_NONE) {
		x->name_of_function.v[i] = name_function(x, i);
		keep_start(x, &x->t.functions.v[i]);
	}
	return x->name_of_function.v[i];
}

static uint32_t fill_places(struct pprof *x, const struct pprof_location *l, struct imported_place *places)
{
	bool has_lines = l->nr_lines > 1;
	uint32_t nr = 0;

	for (uint32_t i = 0; i < l->nr_lines; i++) {
		const struct pprof_line *line = &x->t.lines.v[l->first_line + i];
		uint32_t f = pprof_wire_function(&x->t, line->function);
		struct pprof_text file = pprof_text_of(x, f == PPROF_NONE ? 0 : x->t.functions.v[f].filename);

		/* Of more than fit the innermost and the one that was called stay. */
		if (nr == IMPORT_MAX_INLINED)
			nr--;
		places[nr++] = (struct imported_place){ function_name(x, line->function), import_string(x->b, file.s, file.len),
							line->line < UINT32_MAX ? (uint32_t)line->line : 0 };
		has_lines |= file.len || line->line;
	}
	return has_lines ? nr : 0;
}

static uint32_t make_location(struct pprof *x, const struct pprof_location *l, bool is_caller)
{
	uint32_t mapping = pprof_wire_mapping(&x->t, l->mapping);
	struct import_location loc = {
		.dso = mapping == PPROF_NONE ? IMPORT_NO_DSO : x->dso_of_mapping.v[mapping],
		.addr = IMPORT_UNKNOWN,
		.ip = IMPORT_UNKNOWN,
		.off = IMPORT_UNKNOWN,
	};
	struct imported_place places[IMPORT_MAX_INLINED];
	uint32_t nr = fill_places(x, l, places);
	uint64_t ip = l->address + (is_caller && l->address && l->address < IMPORT_UNKNOWN - 1);
	enum imported_kind kind;

	if (l->nr_lines)
		loc.symbol = function_name(x, x->t.lines.v[l->first_line + l->nr_lines - 1].function);
	if (!loc.dso && loc.symbol)
		loc.dso = plain_dso(x);
	kind = x->b->dsos.v[loc.dso].kind;
	/* Code of BPF programs is in no mapping. */
	loc.is_kernel = loc.dso ? import_is_kernel_kind(kind) : import_is_high(l->address);
	/* Return addresses 0 and 1, which lead nowhere, have both been made 0. */
	if (!l->address && !loc.dso)
		loc.ip = is_caller && x->nr_zeroes++ ? 1 : 0;
	if (!l->address)
		return import_location(x->b, &loc, places, nr);
	if (!loc.dso) {
		loc.ip = ip;
	} else if (loc.is_kernel || mapping == PPROF_NONE) {
		loc.addr = ip;
	} else {
		const struct pprof_mapping *m = &x->t.mappings.v[mapping];

		loc.ip = ip;
		if (l->address >= m->start && m->limit > m->start)
			loc.addr = ip - m->start + m->offset;
		else
			loc.addr = ip;
		if (kind == IMPORTED_JIT || kind == IMPORTED_MEMORY)
			loc.addr = ip;
	}
	return import_location(x->b, &loc, places, nr);
}

uint32_t pprof_location_of(struct pprof *x, uint64_t id, int *last_mode)
{
	uint32_t i = pprof_wire_location(&x->t, id), mapping, *cached;
	bool is_kernel;

	if (i == PPROF_NONE)
		return PPROF_NONE;
	mapping = pprof_wire_mapping(&x->t, x->t.locations.v[i].mapping);
	is_kernel = mapping == PPROF_NONE ? import_is_high(x->t.locations.v[i].address)
					  : import_is_kernel_kind(x->b->dsos.v[x->dso_of_mapping.v[mapping]].kind);
	cached = &x->location_of[*last_mode == is_kernel].v[i];
	if (*cached == PPROF_NONE)
		*cached = make_location(x, &x->t.locations.v[i], *last_mode == is_kernel);
	*last_mode = is_kernel;
	return *cached;
}
