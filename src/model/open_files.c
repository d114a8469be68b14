/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One table of files and one of processes, each with a list of what is free. The files of a process are a list, for forks and ends.
 */
#include "model/open_files.h"

#include <string.h>

#define NONE UINT32_MAX
#define MAX_FILES (1u << 20)		    /* of all processes: a file may claim any number */
#define MAX_PATH_BYTES (UINT64_C(64) << 20) /* of all paths */
#define COPY_STEPS 16u			    /* what copying a file costs, compared with a look at it */
#define WORK_FLOOR (UINT64_C(1) << 27)
#define WORK_FACTOR 12u
#define TRIM_LEAST 4096u /* paths that are not worth looking through the table for */

void open_files_init(struct open_files *o)
{
	memset(o, 0, sizeof(*o));
	o->first_free = o->first_free_process = NONE;
	strtab_init(&o->paths);
	budget_init(&o->work, UINT64_MAX, 0, 0);
}

void open_files_limit(struct open_files *o, uint64_t bytes_present)
{
	budget_init(&o->work, WORK_FLOOR, WORK_FACTOR, bytes_present);
}

void open_files_fini(struct open_files *o)
{
	strtab_fini(&o->paths);
	vec_fini(&o->files);
	hindex_fini(&o->index);
	vec_fini(&o->processes);
	hindex_fini(&o->process_index);
}

/* ---- paths ---- */

uint32_t open_files_intern(struct open_files *o, const char *path, size_t len)
{
	o->nr_interned++;
	return o->paths.arena.size_bytes < MAX_PATH_BYTES ? strtab_intern_len(&o->paths, path, len) : 0;
}

static uint32_t move_path(struct strtab *to, const struct strtab *from, uint32_t id)
{
	return id ? strtab_intern_len(to, strtab_get(from, id), strtab_len(from, id)) : 0;
}

static void move_file(struct strtab *to, const struct strtab *from, struct open_file *f)
{
	f->path = move_path(to, from, f->path);
	f->what = move_path(to, from, f->what);
}

void open_files_trim(struct open_files *o)
{
	struct strtab kept;

	/* So that it costs as much as what was added since, not as what there is. */
	if (o->nr_interned < 2 * (uint64_t)o->files.nr + o->processes.nr + TRIM_LEAST)
		return;
	strtab_init(&kept);
	for (uint32_t i = 0; i < o->files.nr; i++)
		if (o->files.v[i].process != NONE)
			move_file(&kept, &o->paths, &o->files.v[i]);
	for (uint32_t i = 0; i < o->processes.nr; i++)
		if (o->processes.v[i].is_used)
			o->processes.v[i].cwd = move_path(&kept, &o->paths, o->processes.v[i].cwd);
	strtab_fini(&o->paths);
	o->paths = kept;
	o->nr_interned = 0;
}

/* ---- processes ---- */

static uint32_t find_process(struct open_files *o, int32_t pid)
{
	uint32_t i = o->last_process;

	if (o->work.is_exhausted)
		return HINDEX_NONE;
	if (i < o->processes.nr && o->processes.v[i].is_used && o->processes.v[i].pid == pid)
		return i;
	i = HINDEX_FIND(&o->process_index, hash_u64((uint32_t)pid), id, o->processes.v[id].pid == pid);
	if (i != HINDEX_NONE)
		o->last_process = i;
	return i;
}

static uint32_t get_process(struct open_files *o, int32_t pid)
{
	uint32_t i = find_process(o, pid);

	if (i != HINDEX_NONE)
		return i;
	i = o->first_free_process;
	if (i != NONE) {
		o->first_free_process = o->processes.v[i].first;
	} else {
		i = o->processes.nr;
		vec_add(&o->processes);
	}
	o->processes.v[i] = (struct open_process){ .pid = pid, .first = NONE, .is_used = true };
	hindex_add(&o->process_index, hash_u64((uint32_t)pid), i);
	o->nr_processes++;
	o->last_process = i;
	return i;
}

/* ---- files ---- */

static uint64_t hash_file(uint32_t process, int32_t fd)
{
	return hash_u64((uint64_t)process << 32 | (uint32_t)fd);
}

static uint32_t find_file(const struct open_files *o, uint32_t process, int32_t fd)
{
	return HINDEX_FIND_ITEM(&o->index, hash_file(process, fd), &o->files, f, f->process == process && f->fd == fd);
}

/* NULL: there is no room. */
static struct open_file *add_file(struct open_files *o, uint32_t process, int32_t fd)
{
	struct open_process *p = &o->processes.v[process];
	uint32_t i = o->first_free;

	if (o->nr_files >= MAX_FILES)
		return NULL;
	if (i != NONE) {
		o->first_free = o->files.v[i].next;
	} else {
		i = o->files.nr;
		vec_add(&o->files);
	}
	o->files.v[i] = (struct open_file){ .process = process, .prev = NONE, .next = p->first, .fd = fd };
	if (p->first != NONE)
		o->files.v[p->first].prev = i;
	p->first = i;
	hindex_add(&o->index, hash_file(process, fd), i);
	o->nr_files++;
	return &o->files.v[i];
}

/* Returns the next one of its process. */
static uint32_t remove_file(struct open_files *o, uint32_t i)
{
	struct open_file *f = &o->files.v[i];
	uint32_t next = f->next;

	hindex_remove(&o->index, hash_file(f->process, f->fd), i);
	if (f->prev == NONE)
		o->processes.v[f->process].first = f->next;
	else
		o->files.v[f->prev].next = f->next;
	if (f->next != NONE)
		o->files.v[f->next].prev = f->prev;
	*f = (struct open_file){ .process = NONE, .next = o->first_free };
	o->first_free = i;
	o->nr_files--;
	return next;
}

struct open_file *open_files_find(struct open_files *o, int32_t pid, int32_t fd)
{
	uint32_t process = find_process(o, pid);
	uint32_t i = process == HINDEX_NONE ? HINDEX_NONE : find_file(o, process, fd);

	return i == HINDEX_NONE ? NULL : &o->files.v[i];
}

struct open_file *open_files_get(struct open_files *o, int32_t pid, int32_t fd)
{
	struct open_file *f = open_files_find(o, pid, fd);

	return f || fd < 0 || o->work.is_exhausted ? f : add_file(o, get_process(o, pid), fd);
}

void open_files_set(struct open_files *o, int32_t pid, int32_t fd, uint32_t path, bool is_cloexec)
{
	struct open_file *f = open_files_get(o, pid, fd);

	if (!f)
		return;
	f->path = path;
	f->what = 0;
	f->is_cloexec = is_cloexec;
	f->is_asked = true;
}

void open_files_close(struct open_files *o, int32_t pid, int32_t fd)
{
	uint32_t process = find_process(o, pid);
	uint32_t i = process == HINDEX_NONE ? HINDEX_NONE : find_file(o, process, fd);

	if (i != HINDEX_NONE)
		remove_file(o, i);
}

static uint32_t first_of(struct open_files *o, int32_t pid)
{
	uint32_t process = find_process(o, pid);

	return process == HINDEX_NONE ? NONE : o->processes.v[process].first;
}

struct open_file *open_files_next(struct open_files *o, int32_t pid, const struct open_file *f)
{
	uint32_t i = f ? f->next : first_of(o, pid);

	return i == NONE || !budget_take(&o->work, 1) ? NULL : &o->files.v[i];
}

void open_files_doubt(struct open_files *o, int32_t pid)
{
	for (struct open_file *f = NULL; (f = open_files_next(o, pid, f));)
		f->is_asked &= f->path || f->what;
}

void open_files_exec(struct open_files *o, int32_t pid)
{
	for (uint32_t i = first_of(o, pid); i != NONE && budget_take(&o->work, 1);)
		i = o->files.v[i].is_cloexec ? remove_file(o, i) : o->files.v[i].next;
}

void open_files_fork(struct open_files *o, int32_t parent, int32_t child)
{
	uint32_t from = find_process(o, parent), to;

	if (parent == child)
		return;
	open_files_forget(o, child);
	if (from == HINDEX_NONE)
		return;
	to = get_process(o, child);
	o->processes.v[to].cwd = o->processes.v[from].cwd;
	for (uint32_t i = o->processes.v[from].first; i != NONE && budget_take(&o->work, COPY_STEPS); i = o->files.v[i].next) {
		const struct open_file f = o->files.v[i];
		struct open_file *copy = add_file(o, to, f.fd);

		if (!copy)
			break;
		copy->path = f.path;
		copy->what = f.what;
		copy->is_cloexec = f.is_cloexec;
		copy->is_asked = f.is_asked;
	}
}

void open_files_forget(struct open_files *o, int32_t pid)
{
	uint32_t process = find_process(o, pid);

	if (process == HINDEX_NONE)
		return;
	for (uint32_t i = o->processes.v[process].first; i != NONE;)
		i = remove_file(o, i);
	hindex_remove(&o->process_index, hash_u64((uint32_t)pid), process);
	o->processes.v[process] = (struct open_process){ .first = o->first_free_process };
	o->first_free_process = process;
	o->nr_processes--;
}

uint32_t open_files_cwd(struct open_files *o, int32_t pid)
{
	uint32_t process = find_process(o, pid);

	return process == HINDEX_NONE ? 0 : o->processes.v[process].cwd;
}

void open_files_set_cwd(struct open_files *o, int32_t pid, uint32_t path)
{
	uint32_t process;

	if (o->work.is_exhausted)
		return;
	process = get_process(o, pid); /* which may move the others */
	o->processes.v[process].cwd = path;
}
