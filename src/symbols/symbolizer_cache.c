/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The parts of files that are shared, and the allowance of memory. Threads that ask for a part which is being made wait for it: it would
 * take them as long to make it, and as much memory. A thread makes one part at a time and waits for none meanwhile.
 */
#include "symbols/symbolizer_cache.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "symbols/symbol_index_file.h"

/* Two or three seconds of reading. */
#define SAVED_BYTES (UINT64_C(2) << 30)
/* Each is two files, of which a process may have 1,024 for the most part: half of them are for all else. */
#define MAX_OPEN 256
#define LARGE_FILE_BYTES (UINT64_C(128) << 20)

_Static_assert(sizeof(struct shared_key) == 8 + 80 + 24, "keys have no holes");

struct symbolizer_cache *symbolizer_cache_new(void)
{
	struct symbolizer_cache *c = mem_zalloc(sizeof(*c));
	long limit = sysconf(_SC_OPEN_MAX);

	pthread_mutex_init(&c->lock, NULL);
	pthread_mutex_init(&c->parts_lock, NULL);
	pthread_mutex_init(&c->large_lock, NULL);
	pthread_cond_init(&c->is_made, NULL);
	c->nr_may_open = limit > 0 && limit / 4 < MAX_OPEN ? (int)(limit / 4) : MAX_OPEN;
	return c;
}

void symbolizer_cache_free(struct symbolizer_cache *c)
{
	if (!c)
		return;
	for (uint32_t i = 0; i < c->parts.nr; i++) {
		struct shared_part *p = c->parts.v[i];

		if (p->made)
			p->free(p->made);
		free(p->why);
		free(p->path);
		free(p->made_from);
		free(p);
	}
	vec_fini(&c->parts);
	hindex_fini(&c->part_index);
	kallsyms_close(&c->kallsyms);
	free(c->path);
	pthread_cond_destroy(&c->is_made);
	pthread_mutex_destroy(&c->large_lock);
	pthread_mutex_destroy(&c->parts_lock);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

/* Where the index would look for a file that is gone. */
static bool gone_key(struct shared_key *key, const struct module_ref *ref)
{
	const struct file_identity *id = &ref->identity;

	key->is_gone = 1;
	memcpy(key->build_id, ref->build_id, BUILD_ID_SIZE);
	key->build_id[BUILD_ID_SIZE] = ref->build_id_size;
	if (id->known & IDENTITY_STAT)
		key->runtime = id->stat;
	else
		key->runtime = (struct file_stat){ .device = (uint64_t)id->major << 32 | id->minor, .inode = id->inode };
	key->debug = (struct file_stat){ .device = id->known };
	return ref->build_id_size || id->known & IDENTITY_STAT;
}

bool shared_key_of(struct shared_key *key, enum shared_kind kind, uint32_t variant, const struct debug_files *d, int err,
		   const struct module_ref *ref)
{
	struct index_files files = debug_files_for_index(d);
	struct index_origin origin = { .runtime = files.runtime, .debug = files.debug };
	int fds[2] = { files.runtime_fd, files.debug_fd };

	*key = (struct shared_key){ .kind = kind, .variant = variant };
	if (err)
		return gone_key(key, ref);
	key->runtime = files.runtime;
	key->debug = files.debug;
	/* Another file could have that inode and these times before the clock ticks. */
	return (key->runtime.inode || key->debug.inode) && index_may_keep(fds[0]) && index_may_keep(fds[1]) &&
	       index_origin_is_settled(&origin, fds);
}

struct shared_part *shared_part_get(struct symbolizer_cache *c, const struct shared_key *key, bool *is_new)
{
	uint64_t hash = hash_bytes(key, sizeof(*key), 0);
	struct shared_part *p;
	uint32_t found;

	pthread_mutex_lock(&c->parts_lock);
	found = HINDEX_FIND(&c->part_index, hash, id, memcmp(&c->parts.v[id]->key, key, sizeof(*key)) == 0);
	*is_new = found == HINDEX_NONE;
	if (*is_new) {
		p = mem_zalloc(sizeof(*p));
		p->key = *key;
		hindex_add(&c->part_index, hash, c->parts.nr);
		vec_push(&c->parts, p);
	} else {
		p = c->parts.v[found];
		while (!p->is_made)
			pthread_cond_wait(&c->is_made, &c->parts_lock);
	}
	pthread_mutex_unlock(&c->parts_lock);
	return p;
}

void shared_part_put(struct symbolizer_cache *c, struct shared_part *p, void *made, void (*free_made)(void *made), int err, const char *why)
{
	pthread_mutex_lock(&c->parts_lock);
	p->made = made;
	p->free = free_made;
	p->err = err;
	p->why = err ? mem_strdup(why) : NULL;
	p->is_made = true;
	pthread_cond_broadcast(&c->is_made);
	pthread_mutex_unlock(&c->parts_lock);
}

char *shared_text(const char *text, const char *from, const char *to)
{
	const char *at = text && from && *from && to ? strstr(text, from) : NULL;

	if (!at)
		return text ? mem_strdup(text) : NULL;
	return mem_printf("%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
}

/* The reason why there is no part, for another path of the file. */
static int part_why(const struct shared_part *p, const char *path, struct errbuf *eb)
{
	char *text;

	if (!p->err)
		return 0;
	text = shared_text(p->why, p->path, path);
	errbuf_set(eb, p->err, "%s", text);
	free(text);
	return p->err;
}

bool symbolizer_cache_has_room(struct symbolizer_cache *c)
{
	bool has_room;

	if (!c)
		return true;
	pthread_mutex_lock(&c->parts_lock);
	has_room = !c->memory.floor || budget_left(&c->memory);
	pthread_mutex_unlock(&c->parts_lock);
	return has_room;
}

uint64_t symbolizer_cache_take(struct symbolizer_cache *c, uint64_t bytes)
{
	if (!c)
		return bytes;
	pthread_mutex_lock(&c->parts_lock);
	if (c->memory.floor && bytes > budget_left(&c->memory))
		bytes = budget_left(&c->memory);
	budget_take(&c->memory, c->memory.floor ? bytes : 0);
	pthread_mutex_unlock(&c->parts_lock);
	return bytes;
}

void symbolizer_cache_give(struct symbolizer_cache *c, uint64_t bytes)
{
	if (!c || !bytes)
		return;
	pthread_mutex_lock(&c->parts_lock);
	budget_give(&c->memory, bytes);
	pthread_mutex_unlock(&c->parts_lock);
}

/* Whether what is made of a file of that size is to be kept in the index; what is not now is the next time. */
static bool may_save(struct symbolizer_cache *c, uint64_t file_bytes)
{
	bool may = true;

	if (!c)
		return true;
	pthread_mutex_lock(&c->parts_lock);
	if (c->memory.floor)
		may = budget_left(&c->saved) && (budget_take(&c->saved, file_bytes) || budget_take(&c->saved, budget_left(&c->saved)));
	pthread_mutex_unlock(&c->parts_lock);
	return may;
}

int symbolizer_cache_set_short(struct symbolizer_cache *c, const char *path, struct errbuf *eb)
{
	uint64_t limit;

	pthread_mutex_lock(&c->parts_lock);
	c->is_short = true;
	limit = budget_limit(&c->memory);
	pthread_mutex_unlock(&c->parts_lock);
	return errbuf_set(eb, -ENOMEM, "%s is not loaded: %llu MB of other files are, which is the limit", path,
			  (unsigned long long)(limit >> 20));
}

void symbolizer_cache_limit(struct symbolizer_cache *c, uint64_t floor, uint64_t factor)
{
	pthread_mutex_lock(&c->parts_lock);
	budget_init(&c->memory, floor, factor, c->memory.bytes_present);
	budget_init(&c->saved, SAVED_BYTES, 0, 0);
	pthread_mutex_unlock(&c->parts_lock);
}

void symbolizer_cache_see_present(struct symbolizer_cache *c, uint64_t bytes)
{
	pthread_mutex_lock(&c->parts_lock);
	c->memory.bytes_present = bytes;
	pthread_mutex_unlock(&c->parts_lock);
}

bool symbolizer_cache_was_short(const struct symbolizer_cache *c, uint64_t *limit_bytes)
{
	*limit_bytes = budget_limit(&c->memory);
	return c->is_short;
}

/* A part of a module: its files are found, the index is searched for what was made from them, else the part is made. */

/* Why the index is all there is. */
static char *missing_text(int err)
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
	char *from = g->found ? missing_text(g->found) : mem_printf("made of %s", g->d.made_from);
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

	if (x && !may_save(g->opts->cache, files.runtime.size_bytes + files.debug.size_bytes)) {
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
	return g->found && p->err ? p->err : part_why(p, g->ref->path, &g->why);
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

void module_keep(const struct module_loader *l, uint32_t variant, const struct symbolizer_options *opts, const struct module_ref *ref)
{
	struct loading g = { .l = l, .variant = variant, .opts = opts, .ref = ref };
	struct symbol_index *x;
	void *made = NULL;
	size_t size;

	g.found = debug_files_find(&g.d, opts->symfs, ref, l->need, &g.why);
	x = g.found || !symbol_index_is_writable() ? NULL : open_index(&g);
	if (x && !symbol_index_find(x, l->index_part, variant & l->index_key, &size) && !l->make(variant, &g.d, ref->path, &made, &g.why))
		save_to_index(&g, x, made);
	if (made)
		l->free(made);
	symbol_index_close(x);
	debug_files_close(&g.d);
}
