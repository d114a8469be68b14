/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Code that a process generated, over time. What was put where nothing of the dump had been before is there from the beginning: the
 * clocks of records and dumps may differ by some milliseconds, and no sample can have met anything else there. The rest follows by time.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/log.h"
#include "session/machine.h"
#include "symbols/jitdump.h"
#include "symbols/symbolizer_cache.h"

/* Of a place, about: it has a node in a set of maps. */
#define PLACE_BYTES 128u

struct jit_code {
	uint32_t dso;
	struct task *leader; /* of the process */
	struct map_pool pool;
	struct map_set current;
	VEC(struct jitdump_place) later; /* by time */
	uint32_t next;			 /* of `later` */
	int64_t offset_ns;		 /* the clock of records less that of the dump */
};

const struct map *jit_code_find(const struct jit_code *j, uint64_t ip)
{
	return map_set_find(&j->current, ip);
}

const struct jitdump *jit_code_dump(const struct machine *m, const struct task *task)
{
	const struct jit_code *j = task->leader->jit;

	return j ? dso_table_get(&m->dsos, j->dso)->jitdump : NULL;
}

static void put(struct jit_code *j, const struct jitdump_place *p)
{
	struct map map = {
		.start = p->addr, .end = p->addr + p->size_bytes, .pgoff = p->file_off, .dso = j->dso, .prot = PROT_READ | PROT_EXEC
	};

	map_set_add(&j->current, &map);
}

static int compare_times(const void *pa, const void *pb)
{
	const struct jitdump_place *a = pa, *b = pb;

	return COMPARE(a->time_ns, b->time_ns) ?: COMPARE(a->file_off, b->file_off);
}

static void take_places(struct jit_code *j, const struct jitdump *d)
{
	for (uint32_t i = 0; i < d->places.nr; i++) {
		const struct jitdump_place *p = &d->places.v[i];
		const struct map *there = map_set_first(&j->current, p->addr);

		/* Without times the last one counts. */
		if (d->has_cpu_time || !there || there->start >= p->addr + p->size_bytes)
			put(j, p);
		else
			vec_push(&j->later, *p);
	}
	if (j->later.nr)
		qsort(j->later.v, j->later.nr, sizeof(*j->later.v), compare_times);
}

static uint64_t due_of(const struct jit_code *j)
{
	return j->next < j->later.nr ? j->later.v[j->next].time_ns + (uint64_t)j->offset_ns : UINT64_MAX;
}

static void set_due(struct jit_codes *all)
{
	all->due_ns = UINT64_MAX;
	for (uint32_t i = 0; i < all->v.nr; i++)
		if (due_of(all->v.v[i]) < all->due_ns)
			all->due_ns = due_of(all->v.v[i]);
}

void jit_codes_advance(struct machine *m, uint64_t time_ns)
{
	struct jit_codes *all = &m->jits;

	for (uint32_t i = 0; i < all->v.nr; i++) {
		struct jit_code *j = all->v.v[i];

		if (due_of(j) > time_ns)
			continue;
		while (due_of(j) <= time_ns)
			put(j, &j->later.v[j->next++]);
		/* A child has a copy of what there was when it was forked. */
		if (j->leader->jit == j)
			task_table_touch(&m->tasks, j->leader);
	}
	set_due(all);
}

/* While the process lives, the kernel says whose it is. */
static struct perf_map_owner owner_of(int32_t pid)
{
	struct perf_map_owner owner = { 0 };
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	if (pid > 0 && stat(path, &st) == 0)
		owner = (struct perf_map_owner){ .uid = st.st_uid, .known = true };
	return owner;
}

/* Another process of that number, or an earlier one, may have left a dump at the same path. */
static int check_inode(const char *path, const struct record_mmap *mm, struct errbuf *eb)
{
	struct stat st;

	if (!mm->ino || mm->build_id_size || (stat(path, &st) == 0 && st.st_ino == mm->ino))
		return 0;
	return errbuf_set(eb, -ESTALE, "%s is not the file that was recorded; its symbols are not used", path);
}

static struct jitdump *read_dump(struct machine *m, const struct record_mmap *mm, struct errbuf *eb)
{
	const struct symbolizer_options *opts = &m->dsos.options;
	const struct embedded_file *stored;
	struct jitdump *d = NULL;
	char *path, name[32];

	snprintf(name, sizeof(name), JITDUMP_STORED_NAME, (int)mm->pid);
	stored = m->known_path && !opts->symfs ? m->known_path(m->known_file_ctx, name) : NULL;
	if (stored && stored->symbols.data)
		return jitdump_parse(memcpy(mem_alloc(stored->symbols.size_bytes), stored->symbols.data, stored->symbols.size_bytes),
				     stored->symbols.size_bytes, mm->filename, eb);
	if (!opts->symfs && !origin_is_here(m->dsos.origin)) {
		errbuf_set(eb, -ESTALE, "%s of this machine is not used: %s; give the recorded one's files with --symfs DIR", mm->filename,
			   m->dsos.origin->why);
		return NULL;
	}
	path = mem_printf("%s%s", opts->symfs ? opts->symfs : "", mm->filename);
	if (opts->symfs || !check_inode(path, mm, eb))
		d = jitdump_open(path, owner_of((int32_t)mm->pid), eb);
	free(path);
	return d;
}

/* A map record of a process that runs is made when it maps the dump, right before it writes the first record. One that was made of /proc is
 * older than that, or newer: the clocks are taken for equal then, which they are but for what was corrected since the machine started. */
#define NEAR_NS UINT64_C(1000000000)

static int64_t offset_of(const struct machine *m, const struct jitdump *d, uint64_t mapped_ns)
{
	int64_t offset = d->places.nr ? (int64_t)(mapped_ns - d->places.v[0].time_ns) : 0;

	return m->is_monotonic || offset > (int64_t)NEAR_NS || -offset > (int64_t)NEAR_NS ? 0 : offset;
}

void jit_codes_open(struct machine *m, struct task *task, const struct record *rec)
{
	const char *path = rec->mmap.filename;
	struct task *leader = task->leader;
	struct errbuf why = { 0 };
	struct jitdump *d;
	struct jit_code *j;

	if (leader->jit && !strcmp(dso_table_get(&m->dsos, leader->jit->dso)->path, path))
		return;
	if (!symbolizer_cache_has_room(m->dsos.options.cache) || (m->dsos.loads.floor && !budget_take(&m->dsos.loads, 1)))
		return;
	d = read_dump(m, &rec->mmap, &why);
	if (!d) {
		log_warn("%s", why.text);
		return;
	}
	if (d->is_cut)
		log_debug("%s: its last record is not whole", path);
	symbolizer_cache_take(m->dsos.options.cache, d->size_bytes + (uint64_t)d->places.nr * PLACE_BYTES);
	j = mem_zalloc(sizeof(*j));
	j->leader = leader;
	j->current.pool = &j->pool;
	j->offset_ns = offset_of(m, d, rec->id.time_ns);
	j->dso = dso_table_add_jitdump(&m->dsos, path, (int32_t)rec->mmap.pid, d);
	take_places(j, d);
	vec_push(&m->jits.v, j);
	leader->jit = j;
	task_table_touch(&m->tasks, leader);
	set_due(&m->jits);
}

void jit_codes_fini(struct machine *m)
{
	for (uint32_t i = 0; i < m->jits.v.nr; i++) {
		map_pool_fini(&m->jits.v.v[i]->pool);
		vec_fini(&m->jits.v.v[i]->later);
		free(m->jits.v.v[i]);
	}
	vec_fini(&m->jits.v);
}
