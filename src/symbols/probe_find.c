/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * From names and addresses to functions. The entry with the name is a declaration or an abstract instance as often as not: what refers to it,
 * over several hops, and has code is where it was compiled into.
 */
#include "symbols/probe_find.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "symbols/dwarf_type.h"

int probe_module_dwarf(struct probe_module *m, struct errbuf *eb)
{
	int err;

	if (m->has_dwarf)
		return 0;
	if (!m->files.debug || m->files.is_go)
		return errbuf_set(eb, -ENODATA, "%s",
				  m->no_debug.text[0] ? m->no_debug.text : "there is no debug information: compile the program with -g");
	err = dwarf_module_open_variables(&m->dwarf, m->files.debug, m->files.path, m->files.program, m->files.symfs, m->files.code.v,
					  m->files.code.nr);
	if (err)
		return errbuf_set(eb, -ENODATA, "the debug information of %s cannot be read", m->files.path);
	if (m->dwarf.lacks_alt)
		log_warn("%s refers to a debug file shared by several that is not here: some names and types are missing", m->files.path);
	dwarf_trees_init(&m->trees, &m->dwarf);
	m->work = m->dwarf.work.left;
	m->has_dwarf = true;
	return 0;
}

void probe_renew_work(struct probe_module *m)
{
	if (m->has_dwarf)
		m->dwarf.work.left = m->work;
}

int probe_check_work(const struct probe_module *m, const char *what, struct errbuf *eb)
{
	if (!m->has_dwarf || !dwarf_work_is_done(&m->dwarf.work))
		return 0;
	return errbuf_set(eb, -EFBIG, "'%s': finding all of it takes more reading than the size of the debug information explains", what);
}

/* A function or inlined call of a unit. */
struct item {
	uint64_t off;
	uint64_t key, target; /* of itself; of what it refers to, 0: nothing */
	uint64_t outer;	      /* offset of the subprogram around an inlined call */
	bool is_inlined, is_in;
};

struct search {
	struct probe_module *m;
	const char *file;
	const struct probe_name *name;
	VEC(uint64_t) keys; /* entries that are the function */
	struct hindex index;
	VEC(struct dwarf_tree *) trees; /* that were collected */
	struct probe_functions *to;
};

static bool is_known(const struct search *s, uint64_t key)
{
	return HINDEX_FIND(&s->index, hash_u64(key), id, s->keys.v[id] == key) != HINDEX_NONE;
}

static void add_key(struct search *s, uint64_t key)
{
	if (is_known(s, key))
		return;
	hindex_add(&s->index, hash_u64(key), s->keys.nr);
	vec_push(&s->keys, key);
}

struct items {
	VEC(struct item) v;
};

/* What an entry refers to, as a key; 0: nothing. */
static uint64_t target_of(const struct dwarf_die *die)
{
	const struct dwarf_unit *u = die->tree->unit;
	struct dwarf_value v;
	uint64_t off;
	bool in_alt;

	if (!dwarf_die_value(die, DW_AT_abstract_origin, &v) && !dwarf_die_value(die, DW_AT_specification, &v))
		return 0;
	if (!dwarf_unit_ref(u, &v, &off, &in_alt))
		return 0;
	return dwarf_tree_key(die->tree, off, in_alt);
}

/* Lists the functions and inlined calls of a unit. */
static void list_items(struct dwarf_tree *t, struct items *items)
{
	const struct dwarf_slice *d = &t->dies;
	struct bytes b = bytes_of(d->bytes, d->size_bytes, t->unit->file->swap);
	VEC(uint64_t) outer = { 0 }; /* the subprogram around, of each level */

	while (bytes_left(&b)) {
		uint64_t off = d->off + (uint64_t)(b.pos - d->bytes), code = bytes_uleb(&b), around = outer.nr ? outer.v[outer.nr - 1] : 0;
		const struct dwarf_abbrev *a;
		struct bytes values = b;

		if (!code) {
			if (outer.nr <= 1 || b.failed)
				break;
			outer.nr--;
			continue;
		}
		a = dwarf_abbrevs_find(&t->abbrevs, code);
		if (!a || !dwarf_work_take(t->unit->file->work, 2) || !dwarf_abbrev_skip(&t->abbrevs, a, &b))
			break;
		if (a->tag == DW_TAG_subprogram || a->tag == DW_TAG_inlined_subroutine) {
			struct dwarf_die die = { t, a, off, values };

			vec_push(&items->v, ((struct item){ off, dwarf_die_key(&die), target_of(&die), around,
							    a->tag == DW_TAG_inlined_subroutine, false }));
			if (a->tag == DW_TAG_subprogram)
				around = off;
		}
		if (a->has_children)
			vec_push(&outer, around);
		else if (!outer.nr)
			break;
	}
	vec_fini(&outer);
}

/* Follows references until nothing new is the function. */
static void close_over(struct search *s, struct items *items)
{
	bool has_grown = true;

	for (int rounds = 0; has_grown && rounds < 16; rounds++) {
		has_grown = false;
		for (uint32_t i = 0; i < items->v.nr; i++) {
			struct item *it = &items->v.v[i];

			if (it->is_in || !(is_known(s, it->key) || (it->target && is_known(s, it->target))))
				continue;
			it->is_in = has_grown = true;
			if (!it->is_inlined)
				add_key(s, it->key);
		}
	}
}

static void add_function(struct search *s, struct dwarf_tree *t, const struct item *it)
{
	struct probe_function f = { .is_inlined = it->is_inlined };
	const char *path;
	uint32_t line;

	if (!dwarf_die_at(t, it->off, &f.die))
		return;
	f.outer = f.die;
	if (s->file && (!probe_declared(s->m, &f.die, &path, &line) || !probe_same_file(path, s->file)))
		return;
	if (!dwarf_die_entry(&f.die, &f.entry) || (it->is_inlined && !dwarf_die_at(t, it->outer, &f.outer))) {
		if (!it->is_inlined)
			vec_push(&s->to->declarations, f.die);
		return;
	}
	vec_push(&s->to->v, f);
}

static void collect(struct search *s, struct dwarf_tree *t)
{
	struct items items = { 0 };

	for (uint32_t i = 0; i < s->trees.nr; i++)
		if (s->trees.v[i] == t)
			return;
	vec_push(&s->trees, t);
	list_items(t, &items);
	close_over(s, &items);
	for (uint32_t i = 0; i < items.v.nr; i++)
		if (items.v.v[i].is_in)
			add_function(s, t, &items.v.v[i]);
	vec_fini(&items.v);
}

/* Whether the parameters of an overload are those that were written. */
static bool has_params(const struct probe_name *n, const struct dwarf_die *die)
{
	struct dwarf_die child;
	struct out o;
	size_t len;
	bool ok, same;

	if (!n->params)
		return true;
	out_init(&o, -1);
	out_char(&o, '(');
	for (ok = dwarf_die_child(die, &child); ok; ok = dwarf_die_sibling(&child, &child)) {
		if (dwarf_die_tag(&child) == DW_TAG_unspecified_parameters)
			out_str(&o, o.len > 1 ? ",..." : "...");
		if (dwarf_die_tag(&child) != DW_TAG_formal_parameter || dwarf_die_flag(&child, DW_AT_artificial))
			continue;
		if (o.len > 1)
			out_char(&o, ',');
		dwarf_type_text(&child, &o);
	}
	out_str(&o, ")");
	/* What is behind the parameters does not distinguish overloads in practice. */
	len = strlen(n->params);
	while (len && n->params[len - 1] != ')')
		len--;
	same = probe_same_types(n->params, len, o.buf, o.len);
	out_fini(&o);
	return same;
}

static int compare_functions(const void *a, const void *b)
{
	const struct probe_function *x = a, *y = b;

	return COMPARE(x->entry, y->entry) ?: COMPARE(x->is_inlined, y->is_inlined) ?: COMPARE(x->die.off, y->die.off);
}

static void take_found(struct search *s, const struct probe_scan *scan)
{
	struct dwarf_module *d = &s->m->dwarf;

	for (uint32_t i = 0; i < scan->found.nr; i++) {
		const struct probe_found *f = &scan->found.v[i];
		const struct dwarf_units *us = f->in_alt ? &d->alt : &d->units;
		struct dwarf_tree *t = dwarf_trees_get(&s->m->trees, &us->headers.v[f->unit], f->in_alt);
		struct dwarf_die die;

		if (t && dwarf_die_at(t, f->off, &die) && has_params(s->name, &die))
			add_key(s, dwarf_die_key(&die));
	}
	for (uint32_t i = 0; i < scan->found.nr; i++) {
		const struct probe_found *f = &scan->found.v[i];
		const struct dwarf_units *us = f->in_alt ? &d->alt : &d->units;
		struct dwarf_tree *t = dwarf_trees_get(&s->m->trees, &us->headers.v[f->unit], f->in_alt);

		if (t)
			collect(s, t);
	}
	for (uint32_t i = 0; s->keys.nr && i < scan->foreign.nr; i++) {
		struct dwarf_tree *t = dwarf_trees_get(&s->m->trees, &d->units.headers.v[scan->foreign.v[i]], false);

		if (t)
			collect(s, t);
	}
}

static int find(struct probe_module *m, const char *name, const char *file, bool first_only, struct probe_functions *fs, struct errbuf *eb)
{
	struct search s = { .m = m, .file = file, .to = fs };
	struct probe_name n;
	struct probe_scan scan;
	int err = probe_module_dwarf(m, eb);

	*fs = (struct probe_functions){ 0 };
	if (err)
		return err;
	if (!probe_name_split(&n, name))
		return errbuf_set(eb, -EINVAL, "'%s': too many parts", name);
	s.name = &n;
	for (int deep = 0; deep < 2 && !s.keys.nr; deep++) {
		probe_scan(m, &n, &(struct probe_scan_options){ .deep = deep, .first_only = first_only }, &scan);
		take_found(&s, &scan);
		probe_scan_fini(&scan);
	}
	vec_sort(&fs->v, compare_functions);
	vec_fini(&s.keys);
	hindex_fini(&s.index);
	vec_fini(&s.trees);
	return 0;
}

int probe_functions_find(struct probe_module *m, const char *name, const char *file, struct probe_functions *fs, struct errbuf *eb)
{
	return find(m, name, file, false, fs, eb);
}

int probe_functions_first(struct probe_module *m, const char *name, const char *file, struct probe_functions *fs, struct errbuf *eb)
{
	int err = find(m, name, file, true, fs, eb);

	/* What was found first may be a declaration. */
	if (err || fs->v.nr)
		return err;
	probe_functions_fini(fs);
	return find(m, name, file, false, fs, eb);
}

void probe_functions_fini(struct probe_functions *fs)
{
	vec_fini(&fs->v);
	vec_fini(&fs->declarations);
}

/* The unit that covers an address. */
static struct dwarf_tree *tree_at(struct probe_module *m, uint64_t vaddr)
{
	const struct dwarf_header *h;
	uint64_t unit;
	size_t size;

	if (probe_module_dwarf(m, NULL))
		return NULL;
	if (!m->map)
		m->map = dwarf_module_map(&m->dwarf, &size);
	if (!source_map_find(m->map, vaddr, &unit))
		return NULL;
	for (uint32_t i = vec_search(m->dwarf.units.headers.nr, k, m->dwarf.units.headers.v[k].off > unit); i-- > 0;) {
		h = &m->dwarf.units.headers.v[i];
		return h->off == unit ? dwarf_trees_get(&m->trees, h, false) : NULL;
	}
	return NULL;
}

uint32_t probe_functions_at(struct probe_module *m, uint64_t vaddr, struct probe_function *fs, uint32_t max)
{
	struct dwarf_tree *t = tree_at(m, vaddr);
	struct items items = { 0 };
	uint32_t nr = 0;

	if (!t)
		return 0;
	/* In the order of the unit: inlined calls follow what is around them. */
	list_items(t, &items);
	for (uint32_t i = 0; i < items.v.nr && nr < max; i++) {
		const struct item *it = &items.v.v[i];
		struct probe_function f = { .is_inlined = it->is_inlined };

		if (it->is_inlined && (!nr || fs[0].die.off != it->outer))
			continue;
		if (!dwarf_die_at(t, it->off, &f.die) || !dwarf_die_covers(&f.die, vaddr) || !dwarf_die_entry(&f.die, &f.entry))
			continue;
		if (!it->is_inlined)
			nr = 0;
		f.outer = nr ? fs[0].die : f.die;
		fs[nr++] = f;
	}
	vec_fini(&items.v);
	return nr;
}

const char *probe_readable(struct probe_module *m, const char *name)
{
	char *readable = symbolizer_readable(&m->opts, name);
	const char *text = readable ? arena_str(&m->trees.arena, readable, strlen(readable)) : name;

	free(readable);
	return text;
}

const char *probe_function_symbol(struct probe_module *m, const struct probe_function *f)
{
	const struct symbol *s = NULL;
	const char *name;
	uint64_t off;

	if (!probe_module_symbols(m, NULL) && probe_module_file_off(m, f->entry, &off))
		s = symtab_find(m->symbols, off);
	if (s && !f->is_inlined)
		return probe_readable(m, s->name);
	name = dwarf_die_name(&f->die);
	return name ? name : "?";
}
