/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The table of DSOs: told apart by path and, where the record has it, by build-id, so that a file replaced during the
 * recording is two.
 */
#include "session/dso.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"

void dso_table_init(struct dso_table *t, const struct symbolizer_options *opts)
{
	memset(t, 0, sizeof(*t));
	t->options = *opts;
	t->options.cache = symbolizer_cache_new();
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

/* "/tmp/perf-42.map" → "[JIT] tid 42", perf's name for it. */
static const char *jit_name(struct arena *a, const char *path)
{
	const char *base = base_name(path);
	int tid, end = 0;
	char *name;

	if (sscanf(base, "perf-%d.map%n", &tid, &end) != 1 || !end || base[end])
		return base;
	name = arena_alloc(a, sizeof("[JIT] tid -2147483648"));
	snprintf(name, sizeof("[JIT] tid -2147483648"), "[JIT] tid %d", tid);
	return name;
}

uint32_t dso_table_intern(struct dso_table *t, enum module_kind kind, const char *path, int32_t pid,
			  const uint8_t *build_id, uint8_t build_id_size)
{
	size_t len = strlen(path);
	uint64_t h = hash_bytes(path, len, build_id_size ? build_id[0] : 0);
	struct hindex_iter it = hindex_find(&t->index, h);

	for (uint32_t id; (id = hindex_next(&it)) != HINDEX_NONE;) {
		const struct dso *d = &t->dsos.v[id];

		if (!strcmp(d->file ? d->file : d->path, path) && d->kind == kind &&
		    (!build_id_size || (d->build_id_size == build_id_size &&
					!memcmp(d->build_id, build_id, build_id_size))))
			return id;
	}

	const char *copy = arena_str(&t->arena, path, len);
	struct dso d = { .kind = kind, .path = copy, .short_name = base_name(copy), .pid = pid };

	if (kind == MODULE_JIT)
		d.short_name = jit_name(&t->arena, copy);
	if (kind == MODULE_KMODULE) {
		d.file = copy;
		d.path = d.short_name = module_name(&t->arena, copy);
	}
	if (build_id_size && build_id_size <= sizeof(d.build_id)) {
		memcpy(d.build_id, build_id, build_id_size);
		d.build_id_size = build_id_size;
	}
	vec_push(&t->dsos, d);
	hindex_add(&t->index, h, t->dsos.nr - 1);
	return t->dsos.nr - 1;
}

void dso_table_set_build_id(struct dso_table *t, const char *path, const uint8_t *id, uint8_t size)
{
	for (uint32_t i = 1; i < t->dsos.nr; i++) {
		struct dso *d = &t->dsos.v[i];

		if (!d->build_id_size && size <= sizeof(d->build_id) &&
		    (!strcmp(d->path, path) || (d->file && !strcmp(d->file, path)))) {
			memcpy(d->build_id, id, size);
			d->build_id_size = size;
		}
	}
}

static struct module_ref ref_of(const struct dso *d)
{
	struct module_ref ref = {
		.kind = d->kind,
		.path = d->kind == MODULE_KMODULE && d->file ? d->file : d->path,
		.build_id_size = d->build_id_size,
		.pid = d->pid,
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
	f->ref = ref_of(&t->dsos.v[id]);
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

const struct symtab *dso_table_symbols(struct dso_table *t, uint32_t id)
{
	struct dso *d = &t->dsos.v[id];

	if (!d->symtab && t->prefetch.running && t->prefetch.dso == id)
		finish_prefetch(t);
	if (!d->symtab) {
		struct module_ref ref = ref_of(d);
		struct errbuf why = { 0 };
		struct symtab *tab = load(&t->options, &ref, &why);

		set_symbols(d, tab, &why);
	}
	if (d->unfinished) {
		symtab_finish(d->symtab, false);
		d->unfinished = false;
	}
	return d->symtab;
}

struct load_job {
	struct dso_table *table;
	const uint32_t *ids;
};

static void load_one(void *ctx, uint32_t i)
{
	const struct load_job *job = ctx;

	dso_table_symbols(job->table, job->ids[i]);
}

void dso_table_load(struct dso_table *t, const uint32_t *ids, uint32_t nr)
{
	struct load_job job = { t, ids };

	pool_run(nr, 0, load_one, &job);
}

void dso_table_fini(struct dso_table *t)
{
	if (t->prefetch.running)
		finish_prefetch(t);
	for (uint32_t i = 0; i < t->dsos.nr; i++) {
		symtab_free(t->dsos.v[i].symtab);
		free(t->dsos.v[i].why_empty);
	}
	symbolizer_cache_free(t->options.cache);
	vec_fini(&t->dsos);
	hindex_fini(&t->index);
	arena_fini(&t->arena);
}
