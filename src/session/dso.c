/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The table of DSOs. A DSO is a file, not a path: a file that was replaced while recording, or differs between mount namespaces, is
 * several DSOs of one path.
 */
#include "session/dso.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/arch.h"
#include "base/pool.h"
#include "symbols/remedy.h"
#include "symbols/symtab.h"
#include "symbols/unwind_rule.h"
#include "symbols/unwind_table.h"

/* Files of one path and inode that are distinguished: those of a hostile recording must not cost the square of their number. */
#define MAX_VERSIONS 1000u
#define ADD_BYTES 128u /* of a DSO's entries in tables, about */

void dso_table_init(struct dso_table *t, const struct symbolizer_options *opts)
{
	memset(t, 0, sizeof(*t));
	t->options = *opts;
	t->options.cache = symbolizer_cache_new();
	pthread_mutex_init(&t->loads_lock, NULL);
	*vec_add(&t->dsos) = (struct dso){ .kind = MODULE_NONE, .path = "[unknown]", .short_name = "[unknown]" };
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return path[0] != '[' && slash && slash[1] ? slash + 1 : path;
}

/* "/lib/modules/…/nf_tables.ko.xz" → "[nf_tables]"; '-' in file names is '_' in module names. */
static const char *module_name(struct arena *a, const char *path)
{
	const char *base = base_name(path);
	size_t len = strcspn(base, ".");
	char *name = arena_alloc(a, len + 3);

	if (path[0] == '[')
		return path;
	name[0] = '[';
	for (size_t i = 0; i < len; i++)
		name[i + 1] = base[i] == '-' ? '_' : base[i];
	memcpy(name + len + 1, "]", 2);
	return name;
}

/* "/tmp/perf-42.map", "/tmp/jit-42.dump" → "[JIT] tid 42", perf's name for the first. */
static const char *jit_name(struct arena *a, const char *path)
{
	const char *base = base_name(path);
	int tid, end = 0;
	char *name;

	if (sscanf(base, jitdump_is_path(base) ? "jit-%d.dump%n" : "perf-%d.map%n", &tid, &end) != 1 || !end || base[end])
		return base;
	name = arena_alloc(a, sizeof("[JIT] tid -2147483648"));
	snprintf(name, sizeof("[JIT] tid -2147483648"), "[JIT] tid %d", tid);
	return name;
}

/* Without the generation: not every map of a file has it. */
static uint64_t hash_file(const char *path, const struct dso_file *f)
{
	const struct file_identity *id = &f->identity;
	uint64_t seed = f->build_id_size ? hash_bytes(f->build_id, f->build_id_size, 1)
					 : hash_pair(id->inode ^ (id->known & IDENTITY_INODE), (uint64_t)id->major << 32 | id->minor);

	return hash_bytes(path, strlen(path), seed);
}

/* Whether a DSO of the same path is that file. What a header says for a path is no part of this. */
static bool is_same_file(const struct dso *d, const struct dso_file *f)
{
	if (d->has_own_build_id != !!f->build_id_size)
		return false;
	if (f->build_id_size)
		return d->build_id_size == f->build_id_size && !memcmp(d->build_id, f->build_id, f->build_id_size);
	return !((d->identity.known ^ f->identity.known) & (IDENTITY_INODE | IDENTITY_LOST)) &&
	       !file_identity_differ(&d->identity, &f->identity) && d->stored == f->stored &&
	       !strcmp(d->opened_as ? d->opened_as : "", f->opened_as ? f->opened_as : "");
}

static struct dso_path *find_path(struct dso_table *t, const char *path)
{
	uint32_t id = HINDEX_INTERN(&t->path_index, hash_bytes(path, strlen(path), 0), &t->paths, p, !strcmp(p->path, path),
				    ((struct dso_path){ .path = path }));

	return &t->paths.v[id];
}

/* Another file at a path. */
static void count_path(struct dso_table *t, const char *path)
{
	struct dso_path *p = find_path(t, path);

	if (++p->nr == 1 || p->filled == DSO_NONE)
		return;
	/* Symbols that were loaded by now were those of the only file that was known. */
	if (!t->dsos.v[p->filled].symtab)
		t->dsos.v[p->filled].build_id_size = 0;
	p->filled = DSO_NONE;
}

static uint32_t add(struct dso_table *t, const struct dso *d, uint64_t hash)
{
	if (t->memory)
		budget_take(t->memory, 2 * sizeof(*d) + 2 * strlen(d->path) + ADD_BYTES);
	vec_push(&t->dsos, *d);
	hindex_add(&t->index, hash, t->dsos.nr - 1);
	return t->dsos.nr - 1;
}

static void set_build_id(struct dso *d, const uint8_t *id, uint8_t size)
{
	if (!size || size > sizeof(d->build_id))
		return;
	memcpy(d->build_id, id, size);
	d->build_id_size = size;
}

/* One DSO for all further ones of a path, whose frames stay without names. */
static uint32_t intern_excess(struct dso_table *t, const char *path, int32_t pid)
{
	struct dso_file lost = { .identity = { .known = IDENTITY_LOST } };

	return dso_table_intern_file(t, path, pid, &lost);
}

uint32_t dso_table_intern_file(struct dso_table *t, const char *path, int32_t pid, const struct dso_file *f)
{
	uint32_t nr_others = 0;
	uint64_t h = hash_file(path, f);
	struct hindex_iter it = hindex_find(&t->index, h);
	struct dso d = { .kind = MODULE_ELF, .pid = pid, .identity = f->identity, .stored = f->stored };

	for (uint32_t id; (id = hindex_next(&it)) != HINDEX_NONE;) {
		struct dso *known = &t->dsos.v[id];

		if (known->kind == MODULE_ELF && !strcmp(known->path, path) && is_same_file(known, f)) {
			if (!known->stored)
				known->stored = f->stored;
			return id;
		}
		if (++nr_others == MAX_VERSIONS && f->identity.inode)
			return intern_excess(t, path, pid);
	}
	d.path = arena_str(&t->arena, path, strlen(path));
	d.short_name = base_name(d.path);
	if (f->opened_as)
		d.opened_as = arena_str(&t->arena, f->opened_as, strlen(f->opened_as));
	set_build_id(&d, f->build_id, f->build_id_size);
	d.has_own_build_id = d.build_id_size;
	count_path(t, d.path);
	return add(t, &d, h);
}

/* What is no file, under a hash: that of its path has one of each path, that of path and build-id all that have one. */
static uint32_t find_named(const struct dso_table *t, uint64_t hash, enum module_kind kind, const char *path, const uint8_t *build_id,
			   uint8_t build_id_size)
{
	uint32_t id = HINDEX_FIND_ITEM(
		&t->index, hash, &t->dsos, known,
		known->kind == kind && !strcmp(known->file ? known->file : known->path, path) &&
			(!build_id_size || (known->build_id_size == build_id_size && !memcmp(known->build_id, build_id, build_id_size))));

	return id == HINDEX_NONE ? DSO_NONE : id;
}

uint32_t dso_table_intern(struct dso_table *t, enum module_kind kind, const char *path, int32_t pid, const uint8_t *build_id,
			  uint8_t build_id_size)
{
	uint64_t by_path = hash_bytes(path, strlen(path), (uint64_t)kind);
	uint64_t by_id = build_id_size ? hash_bytes(build_id, build_id_size, by_path) : by_path;
	struct dso d = { .kind = kind, .pid = pid };
	bool is_first_of_path;
	uint32_t id;

	if (kind == MODULE_ELF)
		return dso_table_intern_file(t, path, pid, &(struct dso_file){ .build_id = build_id, .build_id_size = build_id_size });
	id = find_named(t, by_id, kind, path, build_id, build_id_size);
	if (id == DSO_NONE) /* it may have got that build-id from the header */
		id = find_named(t, by_path, kind, path, build_id, build_id_size);
	if (id != DSO_NONE)
		return id;
	is_first_of_path = find_named(t, by_path, kind, path, NULL, 0) == DSO_NONE;
	d.path = arena_str(&t->arena, path, strlen(path));
	d.short_name = kind == MODULE_JIT ? jit_name(&t->arena, d.path) : base_name(d.path);
	if (kind == MODULE_KERNEL)
		d.file = d.path;
	if (kind == MODULE_KMODULE) {
		d.file = d.path;
		d.path = d.short_name = module_name(&t->arena, d.file);
	}
	set_build_id(&d, build_id, build_id_size);
	id = add(t, &d, by_id);
	if (by_id != by_path && is_first_of_path)
		hindex_add(&t->index, by_path, id);
	return id;
}

uint32_t dso_table_add_imported(struct dso_table *t, const struct imported *n)
{
	static const enum module_kind kinds[IMPORTED_NR_KINDS] = {
		[IMPORTED_USER] = MODULE_ELF,  [IMPORTED_KERNEL] = MODULE_KERNEL, [IMPORTED_KMODULE] = MODULE_KMODULE,
		[IMPORTED_VDSO] = MODULE_VDSO, [IMPORTED_JIT] = MODULE_JIT,	  [IMPORTED_MEMORY] = MODULE_NONE,
	};
	uint32_t first = t->dsos.nr;

	for (uint32_t i = 0; i < n->modules.nr; i++) {
		const struct imported_module *m = &n->modules.v[i];
		struct dso d = {
			.kind = kinds[m->kind], .path = imported_str(n, m->path), .pid = -1, .is_counted = true, .is_skipped = true
		};

		d.short_name = d.kind == MODULE_JIT ? jit_name(&t->arena, d.path) : base_name(d.path);
		d.file = d.kind == MODULE_KMODULE ? d.path : NULL; /* "[ext4]" */
		set_build_id(&d, m->build_id, m->build_id_size);
		add(t, &d, hash_u64(i));
	}
	return first;
}

uint32_t dso_table_add_jitdump(struct dso_table *t, const char *path, int32_t pid, struct jitdump *dump)
{
	struct dso d = { .kind = MODULE_JIT, .pid = pid, .is_counted = true, .unwind_loaded = true, .jitdump = dump };

	d.path = arena_str(&t->arena, path, strlen(path));
	d.short_name = jit_name(&t->arena, d.path);
	d.symtab = jitdump_symbols(dump);
	d.symtab->made_from = mem_strdup(path);
	d.unwind = jitdump_unwind(dump);
	if (!unwind_table_nr_rows(d.unwind)) {
		unwind_table_free(d.unwind);
		d.unwind = NULL;
	}
	return add(t, &d, hash_bytes(d.path, strlen(d.path), (uint64_t)MODULE_NONE + 1));
}

bool dso_table_find_jit_line(const struct dso_table *t, uint32_t id, uint64_t addr, struct source_frame *frame)
{
	const struct jitdump *dump = t->dsos.v[id].jitdump;

	return dump && jitdump_find_line(dump, addr, frame);
}

void dso_table_set_image(struct dso_table *t, uint32_t id, const char *file)
{
	t->dsos.v[id].image = arena_str(&t->arena, file, strlen(file));
}

void dso_table_set_listed_path(struct dso_table *t, uint32_t id, const char *path)
{
	struct dso *d = &t->dsos.v[id];
	const char *base;

	if (path[0] == '[' || !path[0])
		return;
	d->path = arena_str(&t->arena, path, strlen(path));
	if (d->kind != MODULE_KERNEL)
		return;
	base = base_name(d->path);
	d->short_name = strncmp(base, "vmlinux", strlen("vmlinux")) ? base : "[kernel.vmlinux]";
}

static struct module_ref ref_of(const struct dso_table *t, const struct dso *d)
{
	struct module_ref ref = {
		.kind = d->kind,
		.path = d->file ? d->file : d->path,
		.image = d->image,
		.build_id_size = d->build_id_size,
		.identity = d->identity,
		.opened_as = d->opened_as,
		.pid = d->pid,
		.runtime = d->runtime,
		.origin = t->origin,
		.kernel_start = d->kernel_start,
		.kernel_ref_name = d->kernel_ref_name,
	};

	memcpy(ref.build_id, d->build_id, sizeof(ref.build_id));
	return ref;
}

static struct symtab *load(const struct symbolizer_options *opts, const struct module_ref *ref, struct errbuf *why)
{
	struct symtab *tab = NULL;

	if (symbolizer_load(opts, ref, &tab, why) < 0 || !tab) {
		symtab_free(tab);
		tab = symtab_new();
	}
	return tab;
}

static void set_symbols(struct dso *d, struct symtab *tab, const struct errbuf *why)
{
	d->symtab = tab;
	if (!tab->symbols.nr && why->text[0])
		d->why_empty = mem_strdup(why->text);
}

/* What is damaged there has no names. */
static struct symtab *view_stored(const struct embedded_file *f)
{
	struct symtab *tab = symtab_new();

	symtab_view(tab, f->symbols.data, f->symbols.size_bytes, 0);
	tab->mangled = f->is_mangled;
	tab->made_from = mem_strdup("the recording itself");
	return tab;
}

static void *prefetch_main(void *arg)
{
	struct dso_prefetch *f = arg;

	f->symtab = load(&f->options, &f->ref, &f->why);
	return NULL;
}

void dso_table_prefetch(struct dso_table *t, uint32_t id)
{
	struct dso_prefetch *f = &t->prefetch;

	if (f->running || t->dsos.v[id].symtab)
		return;
	f->dso = id;
	f->options = t->options;
	f->ref = ref_of(t, &t->dsos.v[id]);
	f->why.text[0] = 0;
	f->running = !pthread_create(&f->thread, NULL, prefetch_main, f);
}

static void finish_prefetch(struct dso_table *t)
{
	struct dso_prefetch *f = &t->prefetch;

	pthread_join(f->thread, NULL);
	f->running = false;
	set_symbols(&t->dsos.v[f->dso], f->symtab, &f->why);
}

static void forget_empty(struct dso_table *t, uint32_t id)
{
	struct dso *d = &t->dsos.v[id];

	if (t->prefetch.running && t->prefetch.dso == id)
		finish_prefetch(t);
	if (!d->symtab || d->symtab->symbols.nr)
		return;
	symtab_free(d->symtab);
	free(d->why_empty);
	d->symtab = NULL;
	d->why_empty = NULL;
}

void dso_table_fill_build_id(struct dso_table *t, uint32_t id, const uint8_t *build_id, uint8_t size)
{
	struct dso *d = &t->dsos.v[id];
	struct dso_path *p;

	if (d->build_id_size)
		return;
	if (d->kind == MODULE_ELF) {
		p = find_path(t, d->path);
		if (p->nr > 1)
			return;
		p->filled = id;
	}
	set_build_id(d, build_id, size);
	forget_empty(t, id);
}

/* Whether its files may be looked for, which takes dozens of system calls: names of files cost nothing. Safe from several threads. */
static bool may_look(struct dso_table *t, struct dso *d)
{
	bool may;

	if (!t->loads.floor)
		return !d->is_skipped;
	pthread_mutex_lock(&t->loads_lock);
	if (!d->is_counted) {
		d->is_counted = true;
		d->is_skipped = !budget_take(&t->loads, 1);
	}
	may = !d->is_skipped;
	pthread_mutex_unlock(&t->loads_lock);
	return may;
}

/* The same for symbols, which are none then. */
static void may_load(struct dso_table *t, struct dso *d)
{
	struct errbuf why = { 0 };

	if (d->symtab || may_look(t, d))
		return;
	errbuf_set(&why, -EMFILE, "files past the first %llu are not looked for in a recording of this size",
		   (unsigned long long)budget_limit(&t->loads));
	set_symbols(d, symtab_new(), &why);
}

static const struct symtab *load_symbols(struct dso_table *t, uint32_t id)
{
	struct dso *d = &t->dsos.v[id];

	if (!d->symtab && t->prefetch.running && t->prefetch.dso == id)
		finish_prefetch(t);
	if (!d->symtab) {
		struct module_ref ref = ref_of(t, d);
		struct errbuf why = { 0 };
		bool has_stored = d->stored && d->stored->symbols.data;
		/* A map of generated code that exists now may be that of another process with the same number. */
		struct symtab *tab = d->kind == MODULE_JIT && has_stored ? view_stored(d->stored) : load(&t->options, &ref, &why);

		/* Its file is gone, or another by now. */
		if (!tab->symbols.nr && d->kind != MODULE_JIT && has_stored) {
			symtab_free(tab);
			tab = view_stored(d->stored);
		}
		set_symbols(d, tab, &why);
	}
	if (d->unfinished) {
		symtab_finish(d->symtab, false);
		d->unfinished = false;
	}
	return d->symtab;
}

const struct symtab *dso_table_symbols(struct dso_table *t, uint32_t id)
{
	may_load(t, &t->dsos.v[id]);
	return load_symbols(t, id);
}

static struct unwind_table *load_unwind(const struct symbolizer_options *opts, const struct module_ref *ref)
{
	struct unwind_table *table = NULL;
	struct errbuf why = { 0 };

	if (symbolizer_load_unwind(opts, ref, false, &table, &why) < 0 || !table || !unwind_table_nr_rows(table)) {
		unwind_table_free(table);
		return NULL;
	}
	return table;
}

/* As the recorder compiled it. */
static struct unwind_table *view_unwind(const struct embedded_file *m)
{
	struct unwind_table *table = NULL;

	return unwind_table_view(&table, m->unwind.data, m->unwind.size_bytes) == 0 ? table : NULL;
}

/* Two threads may load the same table: the first to finish keeps its own, and none waits. */
const struct unwind_table *dso_table_unwind(struct dso_table *t, uint32_t id)
{
	struct dso *d = &t->dsos.v[id];
	struct unwind_table *none = NULL;

	if (!__atomic_load_n(&d->unwind_loaded, __ATOMIC_ACQUIRE) && (d->kind == MODULE_ELF || d->kind == MODULE_VDSO)) {
		struct module_ref ref = ref_of(t, d);
		struct unwind_table *table = may_look(t, d) ? load_unwind(&t->options, &ref) : NULL;

		if (!table && d->stored && d->stored->unwind.data)
			table = view_unwind(d->stored);
		if (table && !__atomic_compare_exchange_n(&d->unwind, &none, table, false, __ATOMIC_RELEASE, __ATOMIC_ACQUIRE))
			unwind_table_free(table);
		__atomic_store_n(&d->unwind_loaded, true, __ATOMIC_RELEASE);
	}
	return __atomic_load_n(&d->unwind, __ATOMIC_ACQUIRE);
}

void dso_table_keep_unwind(struct dso_table *t)
{
	for (uint32_t id = 0; id < t->dsos.nr; id++) {
		struct dso *d = &t->dsos.v[id];
		struct module_ref ref;

		if (!d->unwind || !d->unwind->lazy)
			continue;
		ref = ref_of(t, d);
		symbolizer_keep_unwind(&t->options, &ref);
	}
}

bool dso_table_find_function(struct dso_table *t, uint32_t id, uint64_t addr, struct unwind_function *f)
{
	struct dso *d = &t->dsos.v[id];

	if (!d->functions_loaded && d->kind == MODULE_ELF && may_look(t, d)) {
		struct module_ref ref = ref_of(t, d);

		symbolizer_load_functions(&t->options, &ref, &d->functions);
		if (!d->functions && d->stored && d->stored->functions.data)
			unwind_functions_view(&d->functions, d->stored->functions.data, d->stored->functions.size_bytes);
	}
	d->functions_loaded = true;
	return d->functions && unwind_functions_find(d->functions, addr, f);
}

struct load_job {
	struct dso_table *table;
	const uint32_t *ids;
};

static void load_one(void *ctx, uint32_t i)
{
	const struct load_job *job = ctx;

	load_symbols(job->table, job->ids[i]);
}

void dso_table_load(struct dso_table *t, const uint32_t *ids, uint32_t nr)
{
	struct load_job job = { t, ids };

	for (uint32_t i = 0; i < nr; i++)
		may_load(t, &t->dsos.v[ids[i]]);
	pool_run(nr, 0, load_one, &job);
}

struct source_info *dso_table_source(struct dso_table *t, uint32_t id)
{
	struct dso *d = &t->dsos.v[id];

	if (!d->source_tried && d->kind != MODULE_NONE && d->kind != MODULE_JIT && may_look(t, d)) {
		struct module_ref ref = ref_of(t, d);
		struct errbuf why = { 0 };

		if (source_info_open(&d->source, &t->options, &ref, &why) < 0)
			d->source = NULL;
	}
	d->source_tried = true;
	return d->source && source_info_exists(d->source) ? d->source : NULL;
}

struct source_job {
	struct dso_table *table;
	const struct dso_addrs *list;
};

static void open_source_of(void *ctx, uint32_t i)
{
	const struct source_job *job = ctx;

	dso_table_source(job->table, job->list[i].dso);
}

static void prefetch_source_of(void *ctx, uint32_t i)
{
	const struct source_job *job = ctx;
	struct source_info *si = dso_table_source(job->table, job->list[i].dso);

	if (si)
		source_info_prefetch(si, job->list[i].v, job->list[i].nr);
}

struct source_place {
	const struct source_info *si;
	uint32_t at; /* in the list */
};

static int compare_sources(const void *pa, const void *pb)
{
	const struct source_place *a = pa, *b = pb;

	if (a->si != b->si)
		return (uintptr_t)a->si < (uintptr_t)b->si ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

/* The addresses of all paths of a file together: one thread at a time asks it. The rest of the list are the file's only ones, or none's. */
static uint32_t merge_sources(struct dso_table *t, const struct dso_addrs *list, uint32_t nr, struct dso_addrs *merged)
{
	struct source_place *places = mem_alloc((nr + (size_t)1) * sizeof(*places));
	uint32_t nr_merged = 0;

	for (uint32_t i = 0; i < nr; i++)
		places[i] = (struct source_place){ dso_table_source(t, list[i].dso), i };
	qsort(places, nr, sizeof(*places), compare_sources);
	for (uint32_t i = 0; i < nr; i++) {
		const struct dso_addrs *from = &list[places[i].at];

		if (!places[i].si)
			continue;
		if (!nr_merged || places[i].si != places[i - 1].si)
			merged[nr_merged++] = (struct dso_addrs){ .dso = from->dso };
		for (uint32_t k = 0; k < from->nr; k++)
			vec_push(&merged[nr_merged - 1], from->v[k]);
	}
	free(places);
	return nr_merged;
}

void dso_table_prefetch_source(struct dso_table *t, const struct dso_addrs *list, uint32_t nr)
{
	struct dso_addrs *merged = mem_zalloc((nr + (size_t)1) * sizeof(*merged));
	uint32_t nr_merged;

	pool_run(nr, 0, open_source_of, &(struct source_job){ t, list });
	nr_merged = merge_sources(t, list, nr, merged);
	pool_run(nr_merged, 0, prefetch_source_of, &(struct source_job){ t, merged });
	for (uint32_t i = 0; i < nr_merged; i++)
		vec_fini(&merged[i]);
	free(merged);
}

size_t dso_table_code(const struct dso_table *t, uint32_t id, uint64_t addr, void *buf, size_t size)
{
	struct module_ref ref = ref_of(t, &t->dsos.v[id]);
	const struct jitdump *dump = t->dsos.v[id].jitdump;

	if (dump) {
		if (addr >= dump->size_bytes)
			return 0;
		size = size < dump->size_bytes - addr ? size : dump->size_bytes - addr;
		memcpy(buf, dump->bytes + addr, size);
		return size;
	}
	return t->dsos.v[id].is_skipped ? 0 : symbolizer_read_code(&t->options, &ref, addr, buf, size);
}

int dso_table_open_code(const struct dso_table *t, uint32_t id, struct module_code **code, struct errbuf *eb)
{
	const struct dso *d = &t->dsos.v[id];
	struct module_ref ref = ref_of(t, d);

	*code = NULL;
	if (d->is_skipped)
		return errbuf_set(eb, -ENOENT, "files of this recording are not looked for: it was imported, or names too many");
	if (d->jitdump) {
		char *path = mem_printf("%s%s", t->options.symfs ? t->options.symfs : "", d->path);
		int err = module_code_open_dump(code, d->jitdump, origin_is_here(t->origin) ? arch_native()->elf_machine : 0, path, eb);

		free(path);
		return err;
	}
	return module_code_open(code, &t->options, &ref, eb);
}

bool dso_table_is_32bit(const struct dso_table *t, uint32_t id)
{
	uint8_t ident[EI_CLASS + 1];

	return dso_table_code(t, id, 0, ident, sizeof(ident)) == sizeof(ident) && ident[EI_CLASS] == ELFCLASS32;
}

/* The program did write its map file, and `why_empty` says why that is not used (its size, its owner, what all files may take). */
static bool has_unused_map(const struct dso_table *t, const struct dso *d)
{
	char *path;
	bool exists;

	if (d->kind != MODULE_JIT || !d->why_empty || !(t->options.symfs || origin_is_here(t->origin)))
		return false;
	path = mem_printf("%s%s", t->options.symfs ? t->options.symfs : "", d->path);
	exists = access(path, F_OK) == 0;
	free(path);
	return exists;
}

int dso_table_remedy(const struct dso_table *t, uint32_t id, enum remedy_need need, char *buf, size_t size)
{
	const struct dso *d = &t->dsos.v[id];
	struct module_ref ref = ref_of(t, d);

	if (d->is_skipped || (need == REMEDY_SYMBOLS && has_unused_map(t, d))) {
		if (size)
			*buf = 0;
		return -ENOENT;
	}
	return remedy_for(&ref, need, buf, size);
}

void dso_table_fini(struct dso_table *t)
{
	if (t->prefetch.running)
		finish_prefetch(t);
	for (uint32_t i = 0; i < t->dsos.nr; i++) {
		symtab_free(t->dsos.v[i].symtab);
		source_info_close(t->dsos.v[i].source);
		unwind_table_free(t->dsos.v[i].unwind);
		unwind_functions_free(t->dsos.v[i].functions);
		free(t->dsos.v[i].why_empty);
		jitdump_free(t->dsos.v[i].jitdump);
	}
	symbolizer_cache_free(t->options.cache);
	pthread_mutex_destroy(&t->loads_lock);
	vec_fini(&t->dsos);
	vec_fini(&t->paths);
	hindex_fini(&t->index);
	hindex_fini(&t->path_index);
	arena_fini(&t->arena);
}
