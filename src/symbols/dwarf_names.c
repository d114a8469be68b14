/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * From an entry to its name, by way of the entries it refers to. A linkage name anywhere on the way wins, else the nearest plain one,
 * behind the names of the scopes around the last entry (gcc gives no linkage name to local functions). The number of steps is bounded:
 * references may lead in circles.
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/dwarf_module.h"

/* Scopes: one walk over the entries of a unit, with an explicit stack, so that depth costs nothing. */

#define MANY_ATTRS 64
#define MAX_NESTED 1024 /* scopes in each other; real programs have less than a hundred */

static bool is_scope(uint16_t tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type || tag == DW_TAG_union_type ||
	       tag == DW_TAG_interface_type || tag == DW_TAG_enumeration_type || tag == DW_TAG_module || tag == DW_TAG_subprogram;
}

/* The scope that is open at a depth, and whether it began there. */
struct level {
	uint32_t scope;
	bool is_own;
};

struct walk {
	struct dwarf_scopes *to;
	const struct dwarf_unit *unit;
	const struct dwarf_abbrevs *abbrevs;
	const struct dwarf_slice *dies;
	struct bytes b;
	VEC(struct level) levels;
};

static uint64_t position(const struct walk *w)
{
	return w->dies->off + (uint64_t)(w->b.pos - w->dies->bytes);
}

static void open_level(struct walk *w, uint16_t tag, uint64_t start)
{
	struct level l = { .scope = w->levels.nr ? w->levels.v[w->levels.nr - 1].scope : SCOPE_NONE };

	if (is_scope(tag)) {
		vec_push(&w->to->v, ((struct dwarf_scope){ start, UINT64_MAX, l.scope, tag }));
		l = (struct level){ w->to->v.nr - 1, true };
	}
	vec_push(&w->levels, l);
}

static void walk_entries(struct walk *w)
{
	while (bytes_left(&w->b)) {
		uint64_t start = position(w), code = bytes_uleb(&w->b);
		const struct dwarf_abbrev *a;

		if (w->b.failed)
			return;
		if (!code) {
			if (w->levels.nr <= 1)
				return;
			if (w->levels.v[w->levels.nr - 1].is_own)
				w->to->v.v[w->levels.v[w->levels.nr - 1].scope].end = position(w);
			w->levels.nr--;
			continue;
		}
		a = dwarf_abbrevs_find(w->abbrevs, code);
		if (!a || (a->nr_attrs > MANY_ATTRS && !dwarf_work_take(w->unit->file->work, a->nr_attrs * 4ULL)))
			return;
		if (!dwarf_abbrev_skip(w->abbrevs, a, &w->b))
			return;
		if (a->has_children)
			open_level(w, a->tag, start);
		else if (!w->levels.nr)
			return;
	}
}

/* Reads the entries of a unit; those before the first that makes no sense are kept. */
static void dwarf_scopes_build(struct dwarf_scopes *s, const struct dwarf_unit *u, const struct dwarf_abbrevs *abbrevs,
			       const struct dwarf_slice *dies)
{
	struct walk w = { .to = s, .unit = u, .abbrevs = abbrevs, .dies = dies };

	s->v.nr = 0;
	s->is_built = true;
	w.b = bytes_of(dies->bytes, dies->size_bytes, u->file->swap);
	walk_entries(&w);
	vec_fini(&w.levels);
}

static void dwarf_scopes_fini(struct dwarf_scopes *s)
{
	vec_fini(&s->v);
	s->is_built = false;
}

/* The innermost one around the entry at an offset, or NULL. */
static const struct dwarf_scope *dwarf_scopes_find(const struct dwarf_scopes *s, uint64_t off)
{
	uint32_t after = vec_search(s->v.nr, i, s->v.v[i].start >= off), at = after ? after - 1 : SCOPE_NONE;

	for (int hops = 0; at != SCOPE_NONE && hops < MAX_NESTED; at = s->v.v[at].parent, hops++)
		if (off < s->v.v[at].end)
			return &s->v.v[at];
	return NULL;
}

/* Whether functions of that language (DW_LANG_*) belong to namespaces or classes, and names are joined by "::". */
static bool dwarf_language_has_scopes(uint64_t language)
{
	/* 0x2a, 0x2b: C++17 and C++20 */
	static const uint8_t languages[] = { DW_LANG_C_plus_plus,
					     DW_LANG_C_plus_plus_03,
					     DW_LANG_C_plus_plus_11,
					     DW_LANG_C_plus_plus_14,
					     0x2a,
					     0x2b,
					     DW_LANG_ObjC_plus_plus,
					     DW_LANG_D,
					     DW_LANG_Rust };

	return language <= UINT8_MAX && memchr(languages, (int)language, sizeof(languages));
}

#define MAX_HOPS 16
#define MAX_QUALIFIED_BYTES 4096
#define FIRST_ENTRY_BYTES 512U
#define MAX_ENTRY_BYTES 65536U
/* Tables of other units that are kept: link-time optimisation refers to many. */
#define MAX_FOREIGN_BYTES (32U << 20)

struct dwarf_foreign {
	uint64_t key;
	struct dwarf_unit unit;
	struct dwarf_abbrevs abbrevs;
	struct dwarf_scopes scopes;
	bool is_bad;
};

static void drop_foreign(struct dwarf_names *n)
{
	for (uint32_t i = 0; i < n->foreign.nr; i++) {
		dwarf_unit_fini(&n->foreign.v[i]->unit);
		dwarf_abbrevs_fini(&n->foreign.v[i]->abbrevs);
		dwarf_scopes_fini(&n->foreign.v[i]->scopes);
		free(n->foreign.v[i]);
	}
	vec_fini(&n->foreign);
	hindex_fini(&n->foreign_index);
	n->foreign_bytes = 0;
}

void dwarf_names_begin(struct dwarf_names *n, const struct dwarf_unit *u, const struct dwarf_abbrevs *abbrevs,
		       const struct dwarf_slice *dies, struct source_builder *to)
{
	n->unit = u;
	n->abbrevs = abbrevs;
	n->dies = dies;
	n->to = to;
	n->names.nr = 0;
	n->scopes.is_built = false;
	hindex_fini(&n->known);
	if (!n->tmp)
		n->tmp = mem_alloc(DWARF_STRING_MAX);
}

void dwarf_names_fini(struct dwarf_names *n)
{
	drop_foreign(n);
	vec_fini(&n->names);
	dwarf_scopes_fini(&n->scopes);
	hindex_fini(&n->known);
	free(n->tmp);
	n->tmp = NULL;
}

void dwarf_naming_take(struct dwarf_naming *g, uint16_t attr, const struct dwarf_value *v)
{
	switch (attr) {
	case DW_AT_name:
		g->name = *v;
		break;
	case DW_AT_linkage_name:
	case DW_AT_MIPS_linkage_name:
		g->linkage = *v;
		break;
	case DW_AT_abstract_origin:
		g->origin = *v;
		break;
	case DW_AT_specification:
		if (!g->origin.form)
			g->origin = *v;
		break;
	}
}

/* Reads an entry's naming out of bytes; false where they end too early. */
static bool read_naming(struct bytes b, const struct dwarf_abbrevs *t, struct dwarf_work *work, struct dwarf_naming *g)
{
	uint64_t code = bytes_uleb(&b);
	const struct dwarf_abbrev *a = b.failed ? NULL : dwarf_abbrevs_find(t, code);

	*g = (struct dwarf_naming){ 0 };
	if (!a || !dwarf_work_take(work, a->nr_attrs * 4ULL + 16))
		return false;
	for (uint32_t i = 0; i < a->nr_attrs; i++) {
		const struct dwarf_attr *attr = &t->attrs.v[a->first_attr + i];
		struct dwarf_value v;

		if (!dwarf_value_read(&b, &t->enc, attr, &v))
			return false;
		dwarf_naming_take(g, attr->name, &v);
	}
	return true;
}

static struct dwarf_foreign *load_foreign(struct dwarf_names *n, const struct dwarf_units *us, const struct dwarf_header *h, uint64_t key)
{
	struct dwarf_foreign *f = mem_zalloc(sizeof(*f));

	f->key = key;
	if (dwarf_unit_init(&f->unit, us->file, h) || dwarf_abbrevs_load(&f->abbrevs, us->file, h->abbrev_off, &h->enc, 0)) {
		f->is_bad = true;
	} else {
		f->unit.units = us;
		/* The shared file refers to nothing beyond itself. */
		f->unit.alt = us == n->unit->alt ? us : n->unit->alt;
	}
	n->foreign_bytes +=
		sizeof(*f) + f->abbrevs.attrs.cap * sizeof(*f->abbrevs.attrs.v) + f->abbrevs.decls.cap * sizeof(*f->abbrevs.decls.v);
	hindex_add(&n->foreign_index, hash_u64(key), n->foreign.nr);
	vec_push(&n->foreign, f);
	return f;
}

static struct dwarf_foreign *get_foreign(struct dwarf_names *n, const struct dwarf_units *us, uint64_t off)
{
	const struct dwarf_header *h = dwarf_units_find(us, off);
	uint64_t key = h ? h->off * 2 + (us == n->unit->alt) : 0;
	uint32_t found = HINDEX_FIND(&n->foreign_index, hash_u64(key), id, n->foreign.v[id]->key == key);

	if (!h)
		return NULL;
	if (found != HINDEX_NONE)
		return n->foreign.v[found];
	if (n->foreign_bytes > MAX_FOREIGN_BYTES)
		drop_foreign(n);
	return load_foreign(n, us, h, key);
}

static uint32_t take_string(struct dwarf_names *n, const struct dwarf_unit *u, const struct dwarf_value *v)
{
	size_t len;
	const char *s = v->form ? dwarf_unit_string(u, v, n->tmp, &len) : NULL;

	return s ? source_builder_string(n->to, s, len) : 0;
}

/* One step of the way. */
struct step {
	const struct dwarf_unit *unit; /* whose values they are */
	struct dwarf_foreign *foreign; /* that unit; NULL: the one being read */
	struct dwarf_naming naming;
	uint8_t *buf; /* holds what the values point to; NULL */
};

/* Reads an entry of the unit that was found. */
static bool read_foreign(struct step *s, uint64_t off)
{
	const struct dwarf_file *file = s->unit->file;
	bool ok = false;

	for (size_t size = FIRST_ENTRY_BYTES; !ok && size <= MAX_ENTRY_BYTES; size *= 8) {
		uint64_t left = s->unit->head.end - off;
		size_t got;

		if (!dwarf_work_take(file->work, size))
			return false;
		s->buf = mem_realloc(s->buf, size, 1);
		got = dwarf_file_copy(file, DWARF_INFO, off, s->buf, size < left ? size : left);
		ok = read_naming(bytes_of(s->buf, got, file->swap), &s->foreign->abbrevs, file->work, &s->naming);
		if (got < size)
			break;
	}
	s->naming.off = off;
	return ok;
}

/* Reads an entry of the unit being read. */
static bool read_here(const struct dwarf_names *n, struct step *s, uint64_t off)
{
	uint64_t at = off - n->dies->off;
	bool ok = read_naming(bytes_of(n->dies->bytes + at, n->dies->size_bytes - at, n->unit->file->swap), n->abbrevs, n->unit->file->work,
			      &s->naming);

	s->unit = n->unit;
	s->foreign = NULL;
	s->naming.off = off;
	return ok;
}

/* Reads the entry at an offset that is not in the unit being read. */
static bool step_foreign(struct dwarf_names *n, const struct dwarf_units *us, uint64_t off, struct step *s)
{
	struct dwarf_foreign *f = us ? get_foreign(n, us, off) : NULL;

	if (!f || f->is_bad)
		return false;
	s->unit = &f->unit;
	s->foreign = f;
	return read_foreign(s, off);
}

/* From an entry to the one it refers to. */
static bool step_on(struct dwarf_names *n, struct step *s)
{
	const struct dwarf_slice *dies = n->dies;
	const struct dwarf_units *us;
	uint64_t off;
	bool in_alt;

	if (!s->naming.origin.form || !dwarf_unit_ref(s->unit, &s->naming.origin, &off, &in_alt))
		return false;
	us = in_alt ? s->unit->alt : s->unit->units;
	if (!in_alt && s->unit->file == n->unit->file && off >= dies->off && off - dies->off < dies->size_bytes)
		return read_here(n, s, off);
	return step_foreign(n, us, off, s);
}

static const struct dwarf_scopes *scopes_at(struct dwarf_names *n, const struct step *s)
{
	struct dwarf_foreign *f = s->foreign;
	const struct dwarf_unit *u = s->unit;
	struct dwarf_slice dies;

	if (!f) {
		if (!n->scopes.is_built)
			dwarf_scopes_build(&n->scopes, n->unit, n->abbrevs, n->dies);
		return &n->scopes;
	}
	if (!f->scopes.is_built) {
		uint64_t off = u->head.off + u->head.size_bytes;

		f->scopes.is_built = true;
		if (dwarf_work_take(u->file->work, u->head.end - off) &&
		    dwarf_slice_read(&dies, u->file, DWARF_INFO, off, u->head.end - off) == 0) {
			dwarf_scopes_build(&f->scopes, u, &f->abbrevs, &dies);
			dwarf_slice_fini(&dies);
		}
		n->foreign_bytes += f->scopes.v.cap * sizeof(*f->scopes.v.v);
	}
	return &f->scopes;
}

/* A name that grows to the front. */
struct qualified {
	char text[MAX_QUALIFIED_BYTES];
	size_t start;
};

static bool prepend(struct qualified *q, const char *text, size_t len)
{
	if (len > q->start)
		return false;
	q->start -= len;
	memcpy(q->text + q->start, text, len);
	return true;
}

/* Goes from the current entry to the scope around it. False: there is none. */
static bool step_out(struct dwarf_names *n, struct step *s, uint16_t *tag)
{
	const struct dwarf_scope *scope = dwarf_scopes_find(scopes_at(n, s), s->naming.off);

	if (!scope)
		return false;
	*tag = scope->tag;
	return s->foreign ? read_foreign(s, scope->start) : read_here(n, s, scope->start);
}

/* What a scope without a name is called that has a function of this name in it. */
static const char *unnamed(uint16_t tag, const char *function)
{
	if (tag == DW_TAG_namespace)
		return "(anonymous namespace)";
	return strcmp(function, "operator()") ? "{unnamed}" : "{lambda}";
}

/* `name` behind the names of the scopes around the current entry, as demanglers write them. */
static uint32_t qualify(struct dwarf_names *n, struct step *s, uint32_t name)
{
	struct qualified q = { .start = MAX_QUALIFIED_BYTES };
	const char *plain = n->to->strings.v + name; /* does not move: nothing is added before the end */
	uint16_t tag;

	if (!dwarf_language_has_scopes(n->unit->language) || !prepend(&q, plain, strlen(plain)))
		return name;
	for (int hops = 0; hops < MAX_HOPS && step_out(n, s, &tag); hops++) {
		const char *part = NULL;
		size_t len;

		if (s->naming.name.form)
			part = dwarf_unit_string(s->unit, &s->naming.name, n->tmp, &len);
		/* Defined apart from where it was declared. A unit that a broken reference leads to may be gone afterwards. */
		if (!part && s->naming.origin.form) {
			if (!step_on(n, s))
				return name;
			if (s->naming.name.form)
				part = dwarf_unit_string(s->unit, &s->naming.name, n->tmp, &len);
		}
		if (!part) {
			part = unnamed(tag, plain);
			len = strlen(part);
		}
		if (!prepend(&q, "::", 2) || !prepend(&q, part, len))
			return name;
	}
	return source_builder_string(n->to, q.text + q.start, MAX_QUALIFIED_BYTES - q.start);
}

static uint32_t follow(struct dwarf_names *n, const struct dwarf_naming *g)
{
	struct step s = { .unit = n->unit, .naming = *g };
	uint32_t name = 0, linkage = 0;
	bool is_at_end = false;

	for (int hops = 0; hops < MAX_HOPS && !linkage && !is_at_end; hops++) {
		linkage = take_string(n, s.unit, &s.naming.linkage);
		if (!name && !linkage)
			name = take_string(n, s.unit, &s.naming.name);
		is_at_end = !s.naming.origin.form;
		if (!linkage && !is_at_end && !step_on(n, &s))
			break;
	}
	if (!linkage && name && is_at_end)
		name = qualify(n, &s, name);
	free(s.buf);
	return linkage ? linkage : name;
}

uint32_t dwarf_names_get(struct dwarf_names *n, const struct dwarf_naming *g)
{
	uint64_t off;
	uint32_t at;
	bool in_alt;

	/* Only those that take all they have from another entry are cached: functions are inlined in many places. */
	if (g->name.form || g->linkage.form || !g->origin.form || !dwarf_unit_ref(n->unit, &g->origin, &off, &in_alt))
		return follow(n, g);
	off = off * 2 + in_alt;
	at = HINDEX_FIND(&n->known, hash_u64(off), id, n->names.v[id].entry == off);
	if (at == HINDEX_NONE) {
		at = n->names.nr;
		hindex_add(&n->known, hash_u64(off), at);
		vec_push(&n->names, ((struct dwarf_known_name){ off, 0 }));
		n->names.v[at].name = follow(n, g);
	}
	return n->names.v[at].name;
}
