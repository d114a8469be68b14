/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct source_info: from addresses of a module to frames. Units come from the symbol index; debug files are opened only where one is
 * missing. What was looked up is kept. Fed by session/dso.c.
 */
#include "symbols/source_info.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/pool.h"
#include "symbols/dwarf_module.h"
#include "symbols/go_module.h"
#include "symbols/debug_files.h"
#include "symbols/source_unit.h"
#include "symbols/symbol_index.h"
#include "symbols/symbolizer_cache.h"

/* Units larger than this are read one at a time: their entries are in memory meanwhile. */
#define LARGE_UNIT_BYTES (16U << 20)

/* A unit that was read, or that there is nothing to read of. */
struct known_unit {
	uint64_t off;
	const void *bytes; /* NULL: nothing is known of it */
	void *owned;	   /* NULL: of the index */
	size_t size_bytes;
	bool is_whole;
};

struct known_addr {
	uint64_t addr;
	const struct source_frame *frames;
	uint32_t nr;
};

struct source_info {
	struct source_files files;
	struct symbol_index *index;
	/* Where units are read from, opened when the first one has to be: debug information, or a Go program's own tables. */
	struct dwarf_module dwarf;
	struct go_module go;
	bool is_open, has_failed;
	const void *map; /* NULL: not looked for yet */
	void *owned_map;
	VEC(struct known_unit) units;
	struct hindex unit_index; /* by offset */
	VEC(struct known_addr) addrs;
	struct hindex addr_index;
	struct arena arena;
	struct dwarf_names names;
	bool is_shared;			/* the cache owns it */
	bool is_resting;		/* too many files are open: its own are while they are read, and no index is kept */
	struct symbolizer_cache *cache; /* whose memory the reader is taken from; NULL */
	uint64_t taken_bytes;
	struct budget elf_memory, elf_unpacked; /* of files.debug, before the reader was opened */
	int64_t work_left;			/* of a reader that was closed */
	bool was_open;
};

static void free_info(void *made);

static void open_index(struct source_info *s, const struct module_ref *ref)
{
	struct index_files files;

	if (!s->files.debug)
		return;
	if (s->is_resting) {
		source_files_rest(&s->files);
		return;
	}
	files = debug_files_for_index(&s->files.found);
	s->index = symbol_index_open(&s->files.found.id, &files);
	if (s->index)
		symbol_index_set_name(s->index, ref->path);
}

/* Which file has the lines is known once it is open; another path of it is given what the first one has. Kernels are moved, each its way. */
static struct source_info *share(struct source_info *s, const struct symbolizer_options *opts, const struct module_ref *ref)
{
	struct shared_part *p;
	struct shared_key key;
	bool is_new;

	if (!opts->cache || ref->kind != MODULE_ELF || !s->files.debug || !shared_key_of(&key, SHARED_SOURCE, 0, &s->files.found, 0, ref)) {
		open_index(s, ref);
		return s;
	}
	p = shared_part_get(opts->cache, &key, &is_new);
	if (is_new) {
		s->is_shared = true;
		open_index(s, ref);
		shared_part_put(opts->cache, p, s, free_info, 0, NULL);
	} else {
		free_info(s);
	}
	return p->made;
}

/* Whether the files of one more may stay open. */
static bool may_stay_open(struct symbolizer_cache *c)
{
	if (!c || atomic_fetch_sub(&c->nr_may_open, 1) > 0)
		return true;
	atomic_fetch_add(&c->nr_may_open, 1);
	return false;
}

int source_info_open(struct source_info **si, const struct symbolizer_options *opts, const struct module_ref *ref, struct errbuf *eb)
{
	struct source_info *s = mem_zalloc(sizeof(*s));

	s->cache = opts->cache;
	source_files_open(&s->files, opts, ref, eb);
	/* Files without lines are not needed, and may be more than the limit of open files. */
	if (!s->files.debug)
		source_files_close(&s->files);
	else
		s->is_resting = s->files.debug->fd >= 0 && !may_stay_open(s->cache);
	*si = share(s, opts, ref);
	return 0;
}

bool source_info_exists(const struct source_info *si)
{
	return si->files.debug != NULL;
}

static void close_dwarf(struct source_info *si)
{
	si->work_left = atomic_load(&si->dwarf.work.left);
	if (si->work_left <= 0)
		log_warn("%s: reading its debug information ended early: it takes more work than the bytes it has explain", si->files.path);
	else
		elf_file_warn_if_cut(si->files.debug, si->files.path, "debug information");
	dwarf_module_close(&si->dwarf);
}

static void close_reader(struct source_info *si)
{
	if (!si->is_open)
		return;
	if (si->files.is_go)
		go_module_close(&si->go);
	else
		close_dwarf(si);
	si->files.debug->budgets->memory = si->elf_memory;
	si->files.debug->budgets->unpacked = si->elf_unpacked;
	symbolizer_cache_give(si->cache, si->taken_bytes);
	si->taken_bytes = 0;
	si->is_open = false;
	si->was_open = true;
	if (si->is_resting)
		source_files_rest(&si->files);
}

/* A reader for which there is no memory left, or whose files may not stay open, is closed, and opened again when needed: what was read
 * stays. Without `at_once` the last one of them stays open until there is another. */
static void take_memory(struct source_info *si, bool at_once)
{
	uint64_t bytes = !si->is_open ? 0 : si->files.is_go ? si->go.table.size + si->go.trees_size : dwarf_module_memory(&si->dwarf);
	struct source_info *other;

	if (bytes > si->taken_bytes)
		si->taken_bytes += symbolizer_cache_take(si->cache, bytes - si->taken_bytes);
	if (si->taken_bytes >= bytes && !(si->is_resting && si->is_open))
		return;
	if (at_once) {
		close_reader(si);
	} else {
		other = atomic_exchange(&si->cache->reader, si);
		if (other && other != si)
			close_reader(other);
	}
}

void source_info_close(struct source_info *si)
{
	if (si && !si->is_shared)
		free_info(si);
}

static void free_info(void *made)
{
	struct source_info *si = made, *me = si;

	if (si->cache)
		atomic_compare_exchange_strong(&si->cache->reader, &me, NULL);
	if (si->cache && si->files.debug && si->files.debug->fd >= 0 && !si->is_resting)
		atomic_fetch_add(&si->cache->nr_may_open, 1);
	for (uint32_t i = 0; i < si->units.nr; i++)
		free(si->units.v[i].owned);
	vec_fini(&si->units);
	hindex_fini(&si->unit_index);
	vec_fini(&si->addrs);
	hindex_fini(&si->addr_index);
	arena_fini(&si->arena);
	free(si->owned_map);
	dwarf_names_fini(&si->names);
	close_reader(si);
	symbol_index_close(si->index);
	source_files_close(&si->files);
	free(si);
}

static int open_dwarf(struct source_info *si)
{
	int err = dwarf_module_open(&si->dwarf, si->files.debug, si->files.path, si->files.program, si->files.symfs, si->files.code.v,
				    si->files.code.nr);

	if (!err && si->dwarf.lacks_alt)
		log_info("%s refers to a debug file shared by several that is not here: names of inlined functions are missing",
			 si->files.path);
	return err;
}

static bool open_reader(struct source_info *si)
{
	if (!si->is_open && !si->has_failed && si->is_resting)
		si->has_failed = !source_files_wake(&si->files);
	if (!si->is_open && !si->has_failed) {
		si->elf_memory = si->files.debug->budgets->memory;
		si->elf_unpacked = si->files.debug->budgets->unpacked;
		si->is_open = (si->files.is_go ? go_module_open(&si->go, si->files.debug, true) : open_dwarf(si)) == 0;
		si->has_failed = !si->is_open;
		if (si->has_failed && si->is_resting)
			source_files_rest(&si->files);
		if (si->was_open && si->is_open && !si->files.is_go)
			atomic_store(&si->dwarf.work.left, si->work_left);
	}
	return si->is_open;
}

static void *read_map(struct source_info *si, size_t *size)
{
	return si->files.is_go ? go_source_map(&si->go, size) : dwarf_module_map(&si->dwarf, size);
}

static bool load_map(struct source_info *si)
{
	size_t size;

	if (si->map || !si->files.debug)
		return si->map;
	si->map = symbol_index_find(si->index, INDEX_SOURCE_RANGES, 0, &size);
	if (si->map && source_map_check(si->map, size))
		return true;
	si->map = NULL;
	if (!open_reader(si))
		return false;
	si->map = si->owned_map = read_map(si, &size);
	symbol_index_add(si->index, INDEX_SOURCE_RANGES, 0, si->map, size);
	return true;
}

static struct known_unit *find_unit(struct source_info *si, uint64_t off)
{
	uint32_t found = HINDEX_FIND(&si->unit_index, hash_u64(off), id, si->units.v[id].off == off);

	return found != HINDEX_NONE ? &si->units.v[found] : NULL;
}

/* Notes a unit; it is in the index, or has to be read. */
static struct known_unit *add_unit(struct source_info *si, uint64_t off)
{
	struct known_unit *u = vec_add(&si->units);
	size_t size;

	*u = (struct known_unit){ .off = off };
	hindex_add(&si->unit_index, hash_u64(off), si->units.nr - 1);
	u->bytes = symbol_index_find(si->index, INDEX_SOURCE_UNIT, off, &size);
	if (u->bytes && !source_unit_check(u->bytes, size))
		u->bytes = NULL;
	return u;
}

static void keep_unit(struct source_info *si, struct known_unit *u)
{
	const void *kept;
	size_t size;

	u->bytes = u->owned;
	if (!u->owned || !u->is_whole)
		return;
	symbol_index_add(si->index, INDEX_SOURCE_UNIT, u->off, u->owned, u->size_bytes);
	/* The index has a copy now: one is enough. */
	kept = symbol_index_find(si->index, INDEX_SOURCE_UNIT, u->off, &size);
	if (kept && size == u->size_bytes) {
		u->bytes = kept;
		free(u->owned);
		u->owned = NULL;
	}
}

static void read_unit(struct source_info *si, struct dwarf_names *names, struct known_unit *u)
{
	if (si->files.is_go) {
		u->owned = go_source_read(&si->go, u->off, &u->size_bytes);
		u->is_whole = true;
	} else {
		u->owned = dwarf_module_read(&si->dwarf, names, u->off, &u->size_bytes, &u->is_whole);
	}
	keep_unit(si, u);
}

/* The unit of an address as linked, read if need be. */
static const void *find_or_read(struct source_info *si, uint64_t vaddr)
{
	struct known_unit *u;
	uint64_t off;

	if (!load_map(si) || !source_map_find(si->map, vaddr, &off))
		return NULL;
	u = find_unit(si, off);
	if (u)
		return u->bytes;
	u = add_unit(si, off);
	if (!u->bytes && open_reader(si)) {
		read_unit(si, &si->names, u);
		take_memory(si, false);
	}
	return u->bytes;
}

struct unit_list {
	VEC(uint32_t) list; /* numbers of si->units */
};

/* Several units at a time, each by one thread. */
struct prefetch {
	struct source_info *si;
	const struct unit_list *units;
};

static void read_job(void *ctx, uint32_t i)
{
	struct prefetch *p = ctx;
	struct known_unit *u = &p->si->units.v[p->units->list.v[i]];
	struct dwarf_names names = { 0 };

	read_unit(p->si, &names, u);
	dwarf_names_fini(&names);
}

static bool is_large(const struct source_info *si, uint64_t off)
{
	struct dwarf_header h;

	return !si->files.is_go && dwarf_header_read(&h, &si->dwarf.file, off) == 0 && h.end - h.off > LARGE_UNIT_BYTES;
}

static void read_units(struct source_info *si, const struct unit_list *missing)
{
	struct unit_list small = { 0 }, large = { 0 };

	for (uint32_t i = 0; i < missing->list.nr; i++) {
		uint32_t unit = missing->list.v[i];
		struct unit_list *to = is_large(si, si->units.v[unit].off) ? &large : &small;

		vec_push(&to->list, unit);
	}
	pool_run(small.list.nr, 0, read_job, &(struct prefetch){ si, &small });
	pool_run(large.list.nr, 1, read_job, &(struct prefetch){ si, &large });
	vec_fini(&small.list);
	vec_fini(&large.list);
}

void source_info_prefetch(struct source_info *si, const uint64_t *addrs, uint32_t nr)
{
	struct unit_list missing = { 0 };
	uint64_t vaddr, off;

	if (!load_map(si))
		return;
	for (uint32_t i = 0; i < nr; i++) {
		if (!source_files_vaddr(&si->files, addrs[i], &vaddr) || !source_map_find(si->map, vaddr, &off) || find_unit(si, off))
			continue;
		if (!add_unit(si, off)->bytes)
			vec_push(&missing.list, si->units.nr - 1);
	}
	if (missing.list.nr && open_reader(si))
		read_units(si, &missing);
	take_memory(si, true);
	vec_fini(&missing.list);
}

uint32_t source_info_find_once(struct source_info *si, uint64_t addr, struct source_frame frames[SOURCE_MAX_DEPTH])
{
	struct source_place places[SOURCE_MAX_DEPTH];
	const void *unit;
	uint64_t vaddr;
	uint32_t nr;

	if (!source_info_exists(si) || !source_files_vaddr(&si->files, addr, &vaddr))
		return 0;
	unit = find_or_read(si, vaddr);
	/* The files may be open for the map alone. */
	if (si->is_resting)
		take_memory(si, false);
	nr = unit ? source_unit_find(unit, vaddr, places, SOURCE_MAX_DEPTH) : 0;
	for (uint32_t i = 0; i < nr; i++)
		frames[i] = (struct source_frame){
			.function = places[i].function ? source_unit_string(unit, places[i].function) : NULL,
			.file = places[i].file ? source_unit_string(unit, places[i].file) : NULL,
			.line = places[i].line,
			.column = places[i].column,
			.is_inlined = places[i].is_inlined,
		};
	return nr;
}

static void look_up(struct source_info *si, struct known_addr *a)
{
	struct source_frame frames[SOURCE_MAX_DEPTH], *kept;

	a->nr = source_info_find_once(si, a->addr, frames);
	if (!a->nr)
		return;
	kept = arena_alloc(&si->arena, a->nr * sizeof(*kept));
	memcpy(kept, frames, a->nr * sizeof(*kept));
	a->frames = kept;
}

uint32_t source_info_find(struct source_info *si, uint64_t addr, const struct source_frame **frames)
{
	uint32_t at = HINDEX_FIND(&si->addr_index, hash_u64(addr), id, si->addrs.v[id].addr == addr);

	*frames = NULL;
	if (!source_info_exists(si))
		return 0;
	if (at == HINDEX_NONE) {
		struct known_addr a = { .addr = addr };

		look_up(si, &a);
		at = si->addrs.nr;
		hindex_add(&si->addr_index, hash_u64(addr), at);
		vec_push(&si->addrs, a);
	}
	*frames = si->addrs.v[at].frames;
	return si->addrs.v[at].nr;
}
