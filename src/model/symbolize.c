/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * From locations to frames: which function of its DSO an address lies in, which others were inlined there, and file:line.
 *
 * Unique locations are thousands where samples are millions, so this is a pass over the locations after the load: first the
 * symbol tables and the debug information that are needed, in parallel, then a search for each location. Demangling happens once per
 * symbol.
 */
#include <stdlib.h>
#include <string.h>

#include "model/profile.h"

/* Functions that are siblings under their short name are one in all that sums up. */
static uint32_t row_of(struct profile *p, const struct profile_frame *f)
{
	uint64_t h = hash_pair(f->function, f->dso);
	struct hindex_iter it = hindex_find(&p->name_index, h);

	for (uint32_t id; (id = hindex_next(&it)) != HINDEX_NONE;)
		if (p->frames.v[id].function == f->function && p->frames.v[id].dso == f->dso && p->frames.v[id].is_inlined == f->is_inlined)
			return id;
	hindex_add(&p->name_index, h, p->frames.nr);
	return p->frames.nr;
}

/* `name` as the symbol table has it. */
static void name_frame(struct profile *p, struct profile_frame *f, const char *name, bool is_mangled)
{
	const struct symbolizer_options *opts = &p->machine->dsos.options;
	bool is_jit = !is_mangled && profile_dso(p, f->dso)->kind == MODULE_JIT;
	char *readable = is_mangled ? symbolizer_readable(opts, name) : is_jit && !opts->raw_names ? jit_name_fold(name) : NULL;

	f->is_interpreted = is_jit && jit_name_is_interpreted(name);
	f->function = strtab_intern(&p->strings, readable ? readable : name);
	/* A function that was compiled again is the same function, under the names that people know. */
	if ((readable && opts->short_names) || (is_jit && !opts->raw_names))
		f->row = row_of(p, f);
	free(readable);
}

static char *nameless_name(const struct profile *p, uint32_t dso, uint64_t vaddr)
{
	const struct dso *d = profile_dso(p, dso);
	const char *name = d->short_name;
	unsigned long long at = vaddr;

	if (p->tells_builds)
		return mem_printf("%s+0x%llx [%02x%02x%02x%02x]", name, at, d->build_id[0], d->build_id[1], d->build_id[2], d->build_id[3]);
	return mem_printf("%s+0x%llx", name, at);
}

/* What no symbol covers is at least one function with its neighbours, where call frame information says so. Its name is its address as
 * linked, which disassemblers show. */
static uint32_t add_nameless(struct profile *p, const struct profile_location *l)
{
	struct profile_frame f = { .dso = l->at.dso, .row = p->frames.nr, .is_nameless = true };
	struct unwind_function fn;
	struct hindex_iter it;
	uint64_t h;
	char *name;

	if (p->only_symbols || l->at.dso == DSO_NONE || (p->tells_builds && profile_dso(p, l->at.dso)->build_id_size < 4) ||
	    !dso_table_find_function(&p->machine->dsos, l->at.dso, l->at.addr - l->is_caller, &fn))
		return FRAME_NONE;
	h = hash_pair(fn.start, (uint64_t)l->at.dso << 1 | 1);
	it = hindex_find(&p->frame_index, h);
	for (uint32_t id; (id = hindex_next(&it)) != HINDEX_NONE;) {
		const struct profile_frame *other = &p->frames.v[id];

		if (other->is_nameless && other->start == fn.start && other->dso == l->at.dso && !other->is_inlined)
			return id;
	}
	name = nameless_name(p, l->at.dso, fn.vaddr);
	f.function = strtab_intern(&p->strings, name);
	f.start = fn.start;
	f.end = fn.end;
	free(name);
	vec_push(&p->frames, f);
	hindex_add(&p->frame_index, h, p->frames.nr - 1);
	return p->frames.nr - 1;
}

static uint32_t add_frame(struct profile *p, uint32_t dso, const struct symtab *tab, const struct symbol *sym, uint64_t addr)
{
	uint64_t start = sym ? sym->start : addr;
	uint64_t h = hash_pair(start, (uint64_t)dso << 1 | !!sym);
	struct hindex_iter it = hindex_find(&p->frame_index, h);

	for (uint32_t id; (id = hindex_next(&it)) != HINDEX_NONE;) {
		const struct profile_frame *f = &p->frames.v[id];

		if (f->start == start && f->dso == dso && !f->function == !sym && !f->is_inlined && !f->is_nameless)
			return id;
	}

	struct profile_frame f = { .dso = dso, .start = start, .end = sym ? sym->end : addr, .row = p->frames.nr };

	if (sym) {
		f.is_object = sym->kind == SYMBOL_OBJECT;
		name_frame(p, &f, sym->name, tab->mangled);
	}
	vec_push(&p->frames, f);
	hindex_add(&p->frame_index, h, p->frames.nr - 1);
	return p->frames.nr - 1;
}

static const struct imported_location *imported_of(const struct profile *p, const struct profile_location *l)
{
	return l->at.imported ? &p->machine->imported->locations.v[l->at.imported - 1] : NULL;
}

const char *profile_imported_name(const struct profile *p, uint32_t location)
{
	const struct imported *n = p->machine->imported;
	const struct imported_location *l = imported_of(p, &p->locations.v[location]);

	return l && l->symbol != IMPORTED_NONE ? imported_str(n, n->symbols.v[l->symbol].name) : NULL;
}

static uint32_t add_imported(struct profile *p, const struct profile_location *l)
{
	const struct imported *n = p->machine->imported;
	uint32_t symbol = imported_of(p, l)->symbol;
	struct profile_frame f = { .dso = l->at.dso, .row = p->frames.nr };

	if (symbol == IMPORTED_NONE)
		return add_frame(p, l->at.dso, NULL, NULL, l->at.ip);
	while (p->frame_of_symbol.nr < n->symbols.nr)
		vec_push(&p->frame_of_symbol, FRAME_NONE);
	if (p->frame_of_symbol.v[symbol] == FRAME_NONE) {
		f.start = f.end = n->symbols.v[symbol].start;
		name_frame(p, &f, imported_str(n, n->symbols.v[symbol].name), profile_dso(p, f.dso)->kind == MODULE_ELF);
		p->frame_of_symbol.v[symbol] = p->frames.nr;
		vec_push(&p->frames, f);
	}
	return p->frame_of_symbol.v[symbol];
}

static bool is_python(const struct profile *p, const struct profile_location *l)
{
	return l->at.dso != DSO_NONE && l->at.dso == p->machine->python_dso && python_is_word(l->at.ip);
}

/* Without directories, but for the names that a file of each package has: these come with the package. */
static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash && slash[1] ? slash + 1 : path;

	if (name == path || (strcmp(name, "__init__.py") != 0 && strcmp(name, "__main__.py") != 0))
		return name;
	while (slash > path && slash[-1] != '/')
		slash--;
	return slash;
}

/* "file:function:line": functions of many files have the same name. */
static char *python_name(const struct profile *p, uint64_t word)
{
	const struct python_frames *python = &p->recording->python;
	const struct python_code *c = python_frames_code(python, python_word_code(word));

	if (!c || !c->name || !*python_frames_str(python, c->name))
		return NULL;
	return mem_printf("%s:%s:%u", file_name(python_frames_str(python, c->file)), python_frames_str(python, c->name), c->first_line);
}

/* Code objects of one name are one function, in whichever process they are. */
static uint32_t add_python(struct profile *p, const struct profile_location *l)
{
	char *name = python_name(p, l->at.ip);
	struct profile_frame f = { .dso = l->at.dso, .start = l->at.ip, .end = l->at.ip, .row = p->frames.nr };
	struct hindex_iter it;
	uint64_t h;

	if (!name)
		return add_frame(p, l->at.dso, NULL, NULL, l->at.ip);
	f.function = strtab_intern(&p->strings, name);
	free(name);
	h = hash_pair(f.function, (uint64_t)f.dso << 1 | 1);
	it = hindex_find(&p->frame_index, h);
	for (uint32_t id; (id = hindex_next(&it)) != HINDEX_NONE;)
		if (p->frames.v[id].function == f.function && p->frames.v[id].dso == f.dso)
			return id;
	vec_push(&p->frames, f);
	hindex_add(&p->frame_index, h, p->frames.nr - 1);
	return p->frames.nr - 1;
}

static void find_python_places(struct profile *p, uint32_t location)
{
	const struct python_frames *python = &p->recording->python;
	uint64_t word = p->locations.v[location].at.ip;
	const struct python_code *c = python_frames_code(python, python_word_code(word));
	struct source_frame known = { 0 };

	if (c) {
		known.file = python_frames_str(python, c->file);
		known.line = python_word_line(word) ? python_word_line(word) : c->first_line;
	}
	profile_set_places(p, location, &known, c && p->source != PROFILE_SYMBOLS);
}

/* The frame of a function that was inlined into `base`. One that was inlined into itself counts as itself, as perf has it. */
static uint32_t add_inlined(struct profile *p, uint32_t base, const char *name)
{
	const struct symbolizer_options *opts = &p->machine->dsos.options;
	char *readable = symbolizer_readable_source(opts, name);
	uint32_t function = strtab_intern(&p->strings, readable ? readable : name);
	bool is_short = readable && opts->short_names, is_itself;
	struct profile_frame f = p->frames.v[base];
	uint64_t h = hash_pair(f.start, hash_pair(f.dso, function));
	struct hindex_iter it = hindex_find(&p->frame_index, h);

	free(readable);
	is_itself = function == f.function;
	for (uint32_t id; (id = hindex_next(&it)) != HINDEX_NONE;) {
		const struct profile_frame *other = &p->frames.v[id];

		if (other->is_inlined && other->function == function && other->start == f.start && other->dso == f.dso)
			return id;
	}
	f.function = function;
	f.is_object = f.is_nameless = false;
	f.is_inlined = true;
	if (!is_itself)
		f.row = is_short ? row_of(p, &f) : p->frames.nr;
	vec_push(&p->frames, f);
	hindex_add(&p->frame_index, h, p->frames.nr - 1);
	return p->frames.nr - 1;
}

static void add_place(struct profile *p, uint32_t location, uint32_t frame, const struct source_frame *known)
{
	*vec_add(&p->places) = (struct profile_place){
		.location = location,
		.frame = frame,
		.file = known && known->file ? strtab_intern(&p->strings, known->file) : 0,
		.line = known ? known->line : 0,
	};
	p->locations.v[location].nr_places++;
}

void profile_set_places(struct profile *p, uint32_t location, const struct source_frame *known, uint32_t nr)
{
	struct profile_location *l = &p->locations.v[location];

	l->first_place = p->places.nr;
	l->nr_places = 0;
	/* What no symbol table knows has a line, but no function that others could be inlined into. */
	if (p->source == PROFILE_INLINES && nr && nr < UINT16_MAX && p->frames.v[l->frame].function) {
		for (uint32_t i = 0; i + 1 < nr; i++)
			add_place(p, location, add_inlined(p, l->frame, known[i].function ? known[i].function : "??"), &known[i]);
		add_place(p, location, l->frame, &known[nr - 1]);
	} else {
		/* The line of the address, whichever function it was written in. */
		add_place(p, location, l->frame, nr ? &known[0] : NULL);
	}
}

/* Of a return address it is the call in front of it that counts: what stands behind the call may be of another function. */
static uint64_t source_addr(const struct profile *p, const struct profile_location *l)
{
	const struct profile_frame *f = &p->frames.v[l->frame];

	return l->is_caller && (l->at.addr > f->start || !f->function) ? l->at.addr - 1 : l->at.addr;
}

static bool wants_source(const struct profile *p, const struct profile_location *l)
{
	return p->source != PROFILE_SYMBOLS && l->at.dso != DSO_NONE && !l->at.imported && !is_python(p, l);
}

static void find_imported_places(struct profile *p, uint32_t location, const struct imported_location *l)
{
	const struct imported *n = p->machine->imported;
	struct source_frame known[IMPORTED_MAX_PLACES];

	for (uint32_t i = 0; i < l->nr_places; i++) {
		const struct imported_place *at = &n->places.v[l->first_place + i];

		known[i] = (struct source_frame){ .function = at->function ? imported_str(n, at->function) : NULL,
						  .file = imported_str(n, at->file),
						  .line = at->line };
	}
	profile_set_places(p, location, known, p->source == PROFILE_SYMBOLS ? 0 : l->nr_places);
}

static void find_places(struct profile *p, uint32_t location)
{
	const struct profile_location *l = &p->locations.v[location];
	const struct source_frame *known = NULL;
	struct source_info *si = wants_source(p, l) ? dso_table_source(&p->machine->dsos, l->at.dso) : NULL;
	uint32_t nr = si ? source_info_find(si, source_addr(p, l), &known) : 0;
	struct source_frame jit;

	if (!nr && wants_source(p, l) && dso_table_find_jit_line(&p->machine->dsos, l->at.dso, source_addr(p, l), &jit)) {
		known = &jit;
		nr = 1;
	}
	profile_set_places(p, location, known, nr);
}

/* The function of the symbol table. */
static void name_location(struct profile *p, uint32_t location)
{
	struct profile_location *l = &p->locations.v[location];

	if (l->at.imported) {
		l->frame = add_imported(p, l);
	} else if (is_python(p, l)) {
		l->frame = l->frame == FRAME_NONE ? add_python(p, l) : l->frame;
	} else if (l->frame == FRAME_NONE) {
		const struct symtab *t = l->at.dso == DSO_NONE ? NULL : dso_table_symbols(&p->machine->dsos, l->at.dso);
		const struct symbol *sym = t ? symtab_find(t, l->at.addr) : NULL;

		/* A nameless symbol (a JIT may write one) says no more than none. */
		if (sym && !*sym->name)
			sym = NULL;
		l->frame = sym ? FRAME_NONE : add_nameless(p, l);
		if (l->frame == FRAME_NONE)
			l->frame = add_frame(p, l->at.dso, t, sym, l->at.ip);
	}
}

uint32_t profile_frame_of(struct profile *p, uint32_t location)
{
	if (p->locations.v[location].first_place == PLACE_NONE) {
		const struct imported_location *imported = imported_of(p, &p->locations.v[location]);

		name_location(p, location);
		if (imported)
			find_imported_places(p, location, imported);
		else if (is_python(p, &p->locations.v[location]))
			find_python_places(p, location);
		else
			find_places(p, location);
	}
	return p->locations.v[location].frame;
}

/* Has the debug information of all locations read, in bulk. */
static void prefetch_source(struct profile *p)
{
	uint32_t nr_dsos = p->machine->dsos.dsos.nr, nr = 0;
	struct dso_addrs *all = mem_zalloc(nr_dsos * sizeof(*all));

	for (uint32_t i = 0; i < p->locations.nr; i++) {
		const struct profile_location *l = &p->locations.v[i];

		if (wants_source(p, l))
			vec_push(&all[l->at.dso], source_addr(p, l));
	}
	for (uint32_t i = 0; i < nr_dsos; i++) {
		if (!all[i].nr)
			continue;
		all[nr] = all[i];
		all[nr++].dso = i;
	}
	dso_table_prefetch_source(&p->machine->dsos, all, nr);
	for (uint32_t i = 0; i < nr; i++)
		vec_fini(&all[i]);
	free(all);
}

void profile_symbolize(struct profile *p)
{
	uint32_t nr_dsos = p->machine->dsos.dsos.nr;
	uint8_t *needed = mem_zalloc(nr_dsos);
	VEC(uint32_t) ids = { 0 };

	for (uint32_t i = 0; i < p->locations.nr; i++)
		needed[p->locations.v[i].at.dso] |= !p->locations.v[i].at.imported;
	for (uint32_t i = 1; i < nr_dsos; i++)
		if (needed[i])
			vec_push(&ids, i);
	dso_table_load(&p->machine->dsos, ids.v, ids.nr);
	for (uint32_t i = 0; i < p->locations.nr; i++)
		name_location(p, i);
	if (p->source != PROFILE_SYMBOLS)
		prefetch_source(p);
	for (uint32_t i = 0; i < p->locations.nr; i++)
		profile_frame_of(p, i);
	vec_fini(&ids);
	free(needed);
}

enum code_kind profile_code_kind(const struct profile *p, uint32_t place)
{
	const struct profile_location *l = &p->locations.v[p->places.v[place].location];
	enum module_kind kind = profile_dso(p, l->at.dso)->kind;

	if (l->cpumode == MISC_KERNEL || l->cpumode == MISC_GUEST_KERNEL || l->cpumode == MISC_HYPERVISOR || kind == MODULE_KERNEL ||
	    kind == MODULE_KMODULE)
		return CODE_KERNEL;
	if (kind != MODULE_JIT)
		return CODE_USER;
	return p->frames.v[p->places.v[place].frame].is_interpreted ? CODE_INTERPRETED : CODE_JIT;
}

char *profile_unresolved_name(const struct profile *p, uint32_t dso)
{
	const char *name = dso == DSO_NONE ? "" : profile_dso(p, dso)->short_name;

	return *name == '[' ? mem_strdup(name) : mem_printf("[%s]", *name ? name : "unknown");
}

static bool is_named(const struct profile *p, uint32_t location)
{
	return profile_is_named(&p->frames.v[p->locations.v[location].frame]);
}

/* Stacks lose their unnamed frames. Those that are the same afterwards keep their ids: who reads them adds them up. */
static void shorten_stacks(struct profile *p)
{
	struct stack_tree tree;
	VEC(uint32_t) left = { 0 };

	stack_tree_init(&tree);
	for (uint32_t i = 1; i < p->stacks.nr; i++) {
		left.nr = 0;
		for (uint32_t n = profile_stack_node(p, i); n != STACK_TREE_ROOT; n = stack_tree_parent(&p->tree, n))
			if (is_named(p, stack_tree_frame(&p->tree, n)))
				vec_push(&left, stack_tree_frame(&p->tree, n));
		p->stacks.v[i] = (struct profile_stack){ stack_tree_add(&tree, left.v, left.nr), left.nr };
	}
	vec_fini(&left);
	stack_tree_fini(&p->tree);
	p->tree = tree;
	stack_tree_seal(&p->tree);
}

static void drop_unnamed_branches(struct profile *p)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < p->branches.nr; i++)
		if (is_named(p, p->branches.v[i].from) && is_named(p, p->branches.v[i].to))
			p->branches.v[kept++] = p->branches.v[i];
	p->branches.nr = kept;
}

void profile_drop_unnamed(struct profile *p)
{
	struct profile_samples *s = &p->samples;
	uint32_t kept = 0;

	/* Branches are what is counted then; they refer to their samples. */
	if (p->keep_branches) {
		drop_unnamed_branches(p);
		return;
	}
	shorten_stacks(p);
	for (uint32_t i = 0; i < s->nr; i++) {
		if (!is_named(p, s->location[i]))
			continue;
		s->time_ns[kept] = s->time_ns[i];
		s->period[kept] = s->period[i];
		s->task[kept] = s->task[i];
		s->cpu[kept] = s->cpu[i];
		s->stack[kept] = p->stacks.v[s->stack[i]].depth ? s->stack[i] : STACK_NONE;
		s->location[kept] = s->location[i];
		s->walk[kept] = s->walk[i];
		if (s->count)
			s->count[kept] = s->count[i];
		if (s->labels)
			s->labels[kept] = s->labels[i];
		if (s->fields)
			s->fields[kept] = s->fields[i];
		if (s->latency)
			s->latency[kept] = s->latency[i];
		if (s->parallelism)
			s->parallelism[kept] = s->parallelism[i];
		s->event[kept++] = s->event[i];
	}
	s->nr = kept;
}
