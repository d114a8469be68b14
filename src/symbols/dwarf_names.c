/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The way from an entry to its name. A linkage name anywhere on the way wins, else the nearest plain one. Ways are short in real
 * files and bounded here: references of a damaged one may lead in circles. Fed by dwarf_read.c with one unit at a time.
 */
#include "symbols/dwarf_names.h"

#include <dwarf.h>
#include <stdlib.h>

#define MAX_HOPS 16
#define FIRST_ENTRY_BYTES 512U
#define MAX_ENTRY_BYTES 65536U
/* Tables of other units that are kept: link-time optimisation refers to many. */
#define MAX_FOREIGN_BYTES (32U << 20)

struct dwarf_foreign {
	uint64_t key;
	struct dwarf_unit unit;
	struct dwarf_abbrevs abbrevs;
	bool is_bad;
};

static void drop_foreign(struct dwarf_names *n)
{
	for (uint32_t i = 0; i < n->foreign.nr; i++) {
		dwarf_unit_fini(&n->foreign.v[i]->unit);
		dwarf_abbrevs_fini(&n->foreign.v[i]->abbrevs);
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
	hindex_fini(&n->known);
	if (!n->tmp)
		n->tmp = mem_alloc(DWARF_STRING_MAX);
}

void dwarf_names_fini(struct dwarf_names *n)
{
	drop_foreign(n);
	vec_fini(&n->names);
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
	uint64_t code = dwarf_uleb(&b);
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
	if (dwarf_unit_init(&f->unit, us->file, h) || dwarf_abbrevs_load(&f->abbrevs, us->file, h->abbrev_off, &h->enc)) {
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
	struct hindex_iter it = hindex_find(&n->foreign_index, hash_u64(key));
	uint32_t id;

	if (!h)
		return NULL;
	while ((id = hindex_next(&it)) != HINDEX_NONE)
		if (n->foreign.v[id]->key == key)
			return n->foreign.v[id]->is_bad ? NULL : n->foreign.v[id];
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
	struct dwarf_naming naming;
	uint8_t *buf; /* holds what the values point to; NULL */
};

/* Reads the entry at an offset that is not in the unit being read. */
static bool step_abroad(struct dwarf_names *n, const struct dwarf_units *us, uint64_t off, struct step *s)
{
	struct dwarf_foreign *f = us ? get_foreign(n, us, off) : NULL;
	bool ok = false;

	if (!f || f->is_bad)
		return false;
	s->unit = &f->unit;
	for (size_t size = FIRST_ENTRY_BYTES; !ok && size <= MAX_ENTRY_BYTES; size *= 8) {
		uint64_t left = f->unit.head.end - off;
		size_t got;

		if (!dwarf_work_take(us->file->work, size))
			return false;
		s->buf = mem_realloc(s->buf, size, 1);
		got = dwarf_file_copy(us->file, DWARF_INFO, off, s->buf, size < left ? size : left);
		ok = read_naming(bytes_of(s->buf, got, us->file->swap), &f->abbrevs, us->file->work, &s->naming);
		if (got < size)
			break;
	}
	return ok;
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
	if (!in_alt && s->unit->file == n->unit->file && off >= dies->off && off - dies->off < dies->size_bytes) {
		s->unit = n->unit;
		return read_naming(bytes_of(dies->bytes + (off - dies->off), dies->size_bytes - (off - dies->off), n->unit->file->swap),
				   n->abbrevs, n->unit->file->work, &s->naming);
	}
	return step_abroad(n, us, off, s);
}

static uint32_t follow(struct dwarf_names *n, const struct dwarf_naming *g)
{
	struct step s = { .unit = n->unit, .naming = *g };
	uint32_t name = 0, linkage = 0;

	for (int hops = 0; hops < MAX_HOPS && !linkage; hops++) {
		linkage = take_string(n, s.unit, &s.naming.linkage);
		if (!name && !linkage)
			name = take_string(n, s.unit, &s.naming.name);
		if (!linkage && !step_on(n, &s))
			break;
	}
	free(s.buf);
	return linkage ? linkage : name;
}

uint32_t dwarf_names_get(struct dwarf_names *n, const struct dwarf_naming *g)
{
	struct hindex_iter it;
	uint64_t off;
	uint32_t id;
	bool in_alt;

	/* Only those that take all they have from another entry are worth remembering: it is inlined in many places. */
	if (g->name.form || g->linkage.form || !g->origin.form || !dwarf_unit_ref(n->unit, &g->origin, &off, &in_alt))
		return follow(n, g);
	off = off * 2 + in_alt;
	it = hindex_find(&n->known, hash_u64(off));
	while ((id = hindex_next(&it)) != HINDEX_NONE)
		if (n->names.v[id].entry == off)
			return n->names.v[id].name;
	hindex_add(&n->known, hash_u64(off), n->names.nr);
	id = n->names.nr;
	vec_push(&n->names, ((struct dwarf_known_name){ off, 0 }));
	n->names.v[id].name = follow(n, g);
	return n->names.v[id].name;
}
