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

#include "symbols/symbol_index_file.h"

/* Two or three seconds of reading. */
#define SAVED_BYTES (UINT64_C(2) << 30)
/* Each is two files, of which a process may have 1,024 for the most part: half of them are for all else. */
#define MAX_OPEN 256

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

int shared_part_why(const struct shared_part *p, const char *path, struct errbuf *eb)
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

bool symbolizer_cache_may_save(struct symbolizer_cache *c, uint64_t file_bytes)
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
