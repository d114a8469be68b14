/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The order in which a part of a module is looked for: the files are found, the index is searched for what was made from them (or, where
 * there are none, from the recorded file), and else the part is made.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "symbols/symbolizer_cache.h"

#define LARGE_FILE_BYTES (UINT64_C(128) << 20)

/* Why the index is all there is. */
static char *tell_missing(int err)
{
	switch (-err) {
	case ENOENT:
	case ENOTDIR:
		return mem_strdup("the file itself is gone");
	case ESTALE:
		return mem_strdup("the file was replaced since");
	case EACCES:
	case EPERM:
		return mem_strdup("the file itself may not be read");
	default:
		return mem_printf("the file itself cannot be used (%s)", strerror(-err));
	}
}

/* One module that is looked for. */
struct loading {
	const struct module_loader *l;
	uint32_t variant;
	const struct symbolizer_options *opts;
	const struct module_ref *ref;
	struct debug_files d;
	int found; /* 0, or why there are no files */
	struct errbuf why;
};

static struct symbol_index *open_index(const struct loading *g)
{
	struct build_id id = build_id_of(g->ref->build_id, g->ref->build_id_size);
	struct index_files files = debug_files_for_index(&g->d);

	return g->found ? symbol_index_open_gone(&id, &g->ref->identity) : symbol_index_open(&g->d.id, &files);
}

static void *take_from_index(const struct loading *g, struct symbol_index *x)
{
	char *from = g->found ? tell_missing(g->found) : mem_printf("made of %s", g->d.made_from);
	size_t size;
	const void *bytes = symbol_index_find(x, g->l->index_part, g->variant & g->l->index_key, &size);
	struct module_part *made = bytes ? g->l->view(g->variant, bytes, size, from) : NULL;

	if (made)
		made->index = x;
	free(from);
	return made;
}

static void save_to_index(const struct loading *g, struct symbol_index *x, void *made)
{
	void *owned = NULL;
	size_t size;
	const void *bytes = g->l->flatten(made, &size, &owned);

	symbol_index_set_name(x, g->ref->path);
	if (bytes)
		symbol_index_add(x, g->l->index_part, g->variant & g->l->index_key, bytes, size);
	free(owned);
}

/* Makes a part where there is no memory left for it: what the index has need not be in memory. */
static int make_for_index(struct loading *g, struct symbol_index *x, void **made)
{
	int err = g->l->make(g->variant, &g->d, g->ref->path, made, &g->why);

	if (!err)
		save_to_index(g, x, *made);
	symbol_index_close(x);
	if (err)
		return err;
	g->l->free(*made);
	x = open_index(g);
	*made = take_from_index(g, x);
	if (*made)
		return 0;
	symbol_index_close(x);
	return symbolizer_cache_set_short(g->opts->cache, g->ref->path, &g->why);
}

static int make_part(struct loading *g, struct symbol_index *x, void **made)
{
	struct index_files files = debug_files_for_index(&g->d);
	int err;

	if (x && !symbolizer_cache_may_save(g->opts->cache, files.runtime.size_bytes + files.debug.size_bytes)) {
		symbol_index_close(x);
		x = NULL;
	}
	if (!symbolizer_cache_has_room(g->opts->cache))
		return x ? make_for_index(g, x, made) : symbolizer_cache_set_short(g->opts->cache, g->ref->path, &g->why);
	err = g->l->make(g->variant, &g->d, g->ref->path, made, &g->why);
	if (!err && x)
		save_to_index(g, x, *made);
	symbol_index_close(x);
	if (*made)
		symbolizer_cache_take(g->opts->cache, ((struct module_part *)*made)->memory_bytes);
	return err;
}

/* While they are read, large files take several times what is kept of them: one at a time. */
static int make(struct loading *g, struct symbol_index *x, void **made)
{
	struct index_files files = debug_files_for_index(&g->d);
	bool is_alone = g->opts->cache && files.runtime.size_bytes + files.debug.size_bytes > LARGE_FILE_BYTES;
	int err;

	if (is_alone)
		pthread_mutex_lock(&g->opts->cache->large_lock);
	err = make_part(g, x, made);
	if (is_alone)
		pthread_mutex_unlock(&g->opts->cache->large_lock);
	return err;
}

static int load(struct loading *g, void **made)
{
	/* The index has the names that perf would choose. */
	bool is_other = !g->found && g->opts->elfutils_names && g->l->need == DEBUG_SYMBOLS;
	struct symbol_index *x = is_other ? NULL : open_index(g);

	*made = take_from_index(g, x);
	if (*made && g->found)
		log_info("%s is taken from the index: %s", g->ref->path, g->why.text);
	if (*made)
		return 0;
	if (!g->found)
		return make(g, x, made);
	symbol_index_close(x);
	return g->found;
}

/* Another part on the same bytes; the first outlives it. */
static void *borrow(const struct loading *g, const struct shared_part *p)
{
	struct module_part *b = memcpy(mem_alloc(g->l->struct_size), p->made, g->l->struct_size);

	b->is_borrowed = true;
	if (g->l->adapt)
		g->l->adapt(b, p, g->d.made_from);
	return b;
}

static int load_shared(struct loading *g, const struct shared_key *key, void **made)
{
	struct symbolizer_cache *c = g->opts->cache;
	bool is_new;
	struct shared_part *p = shared_part_get(c, key, &is_new);

	if (is_new) {
		void *first;
		int err = load(g, &first);

		p->path = mem_strdup(g->ref->path);
		p->made_from = g->d.made_from ? mem_strdup(g->d.made_from) : NULL;
		shared_part_put(c, p, first, g->l->free, err, g->why.text);
	}
	*made = p->made ? borrow(g, p) : NULL;
	/* Each path has its own reason for not being there. */
	return g->found && p->err ? p->err : shared_part_why(p, g->ref->path, &g->why);
}

int module_load(const struct module_loader *l, uint32_t variant, const struct symbolizer_options *opts, const struct module_ref *ref,
		void **made, struct errbuf *eb)
{
	struct loading g = { .l = l, .variant = variant, .opts = opts, .ref = ref };
	struct shared_key key;
	int err;

	*made = NULL;
	g.found = debug_files_find(&g.d, opts->symfs, ref, l->need, &g.why);
	if (opts->cache && shared_key_of(&key, l->kind, variant, &g.d, g.found, ref))
		err = load_shared(&g, &key, made);
	else
		err = load(&g, made);
	if (err)
		errbuf_set(eb, err, "%s", g.why.text);
	debug_files_close(&g.d);
	return err;
}
