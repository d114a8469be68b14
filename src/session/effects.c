/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One function per record type that changes what is known of tasks and maps, in one table.
 */
#include "session/effects.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "session/session.h"

#define KERNEL_DSO "[kernel.kallsyms]"
#define GUEST_KERNEL_DSO "[guest.kernel.kallsyms"

static bool begins(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}


static const struct perfdata_build_id *header_build_id(const struct session *s, const char *path)
{
	for (uint32_t i = 0; i < s->info->build_ids.nr; i++)
		if (!strcmp(s->info->build_ids.v[i].filename, path))
			return &s->info->build_ids.v[i];
	return NULL;
}

static uint32_t intern_dso(struct session *s, enum module_kind kind, const char *path, const struct record_mmap *mm)
{
	uint32_t nr_before = s->dsos.dsos.nr;
	uint32_t id = dso_table_intern(&s->dsos, kind, path, (int32_t)mm->pid, mm->build_id, mm->build_id_size);

	if (s->dsos.dsos.nr > nr_before && !mm->build_id_size) {
		const struct perfdata_build_id *b = header_build_id(s, path);

		if (b)
			dso_table_set_build_id(&s->dsos, path, b->id, b->size);
	}
	return id;
}

static void kernel_map(struct session *s, uint64_t start, uint64_t len, uint32_t dso)
{
	struct map m = { .start = start, .end = len > UINT64_MAX - start ? UINT64_MAX : start + len, .dso = dso, .identity = true };

	map_set_add(&s->kernel_maps, &m);
	s->kernel_maps.generation++;
}

static void apply_kernel_mmap(struct session *s, const struct record_mmap *mm)
{
	if (begins(mm->filename, GUEST_KERNEL_DSO))
		return;
	if (begins(mm->filename, KERNEL_DSO)) {
		const char *ref = mm->filename + strlen(KERNEL_DSO);
		uint32_t id = intern_dso(s, MODULE_KERNEL, KERNEL_DSO, mm);
		struct dso *d = &s->dsos.dsos.v[id];

		if (*ref && mm->pgoff) {
			d->kernel_start = mm->pgoff;
			d->kernel_ref_name = arena_str(&s->dsos.arena, ref, strlen(ref));
		}
		s->kernel_dso = id;
		kernel_map(s, mm->start, mm->len, id);
		return;
	}
	kernel_map(s, mm->start, mm->len, intern_dso(s, MODULE_KMODULE, mm->filename, mm));
}

/* Memory that no file stands behind: its code, if any, was written by a JIT, which may have left a map of it. */
static bool is_anonymous(const struct record_mmap *mm)
{
	return begins(mm->filename, "//anon") || begins(mm->filename, "/dev/zero") ||
	       begins(mm->filename, "/anon_hugepage") || (mm->flags & MAP_HUGETLB) || begins(mm->filename, "[stack") ||
	       begins(mm->filename, "/SYSV") || begins(mm->filename, "[heap]");
}

static void apply_mmap(struct session *s, struct session_record *sr)
{
	const struct record_mmap *mm = &sr->rec.mmap;
	unsigned cpumode = sr->header->misc & MISC_CPUMODE_MASK;
	bool executable = sr->header->type == RECORD_MMAP ? !(sr->header->misc & MISC_MMAP_DATA) : mm->prot & PROT_EXEC;
	enum module_kind kind = MODULE_ELF;
	const char *path = mm->filename;
	char jit_path[32];

	if (cpumode == MISC_KERNEL || cpumode == MISC_GUEST_KERNEL) {
		if (cpumode == MISC_KERNEL)
			apply_kernel_mmap(s, mm);
		return;
	}
	sr->task = task_table_get(&s->tasks, (int32_t)mm->pid, (int32_t)mm->tid);

	struct map m = { .start = mm->start, .pgoff = mm->pgoff, .ino = mm->ino, .prot = mm->prot, .flags = mm->flags };

	if (sr->header->type == RECORD_MMAP)
		m.prot = executable ? PROT_EXEC : 0;
	m.end = mm->len > UINT64_MAX - mm->start ? UINT64_MAX : mm->start + mm->len;
	if (is_anonymous(mm)) {
		m.identity = true;
		kind = MODULE_NONE;
		if (executable) {
			kind = MODULE_JIT;
			snprintf(jit_path, sizeof(jit_path), "/tmp/perf-%d.map", (int32_t)mm->pid);
			path = jit_path;
		}
	} else if (!strcmp(path, "[vdso]")) {
		kind = MODULE_VDSO;
		m.pgoff = 0;
	} else if (path[0] == '[' || begins(path, "anon_inode:")) {
		kind = MODULE_NONE;
	}
	m.dso = intern_dso(s, kind, path, mm);
	task_table_map(&s->tasks, sr->task, &m);
}

static void apply_comm(struct session *s, struct session_record *sr)
{
	const struct record_comm *c = &sr->rec.comm;

	sr->task = task_table_get(&s->tasks, (int32_t)c->pid, (int32_t)c->tid);
	task_table_comm(&s->tasks, sr->task, c->comm, sr->header->misc & MISC_COMM_EXEC);
}

static void apply_fork(struct session *s, struct session_record *sr)
{
	const struct record_task *t = &sr->rec.task;

	sr->task = task_table_fork(&s->tasks, (int32_t)t->pid, (int32_t)t->tid, (int32_t)t->ppid, (int32_t)t->ptid,
				   !(sr->header->misc & MISC_FORK_EXEC));
}

static void apply_exit(struct session *s, struct session_record *sr)
{
	sr->task = task_table_get(&s->tasks, (int32_t)sr->rec.task.pid, (int32_t)sr->rec.task.tid);
	task_table_exit(&s->tasks, sr->task);
}

static void apply_sample(struct session *s, struct session_record *sr)
{
	struct sample *sample = &sr->rec.sample;

	sr->task = task_table_get(&s->tasks, (int32_t)sample->pid, (int32_t)sample->tid);
	if (!(s->info->events.v[sr->event].layout.sample_type & SAMPLE_PERIOD))
		sample->period = s->info->events.v[sr->event].attr.sample_period;
	if (!s->stats.first_sample_ns)
		s->stats.first_sample_ns = sr->time_ns;
	s->stats.last_sample_ns = sr->time_ns;
}

static void apply_ksymbol(struct session *s, struct session_record *sr)
{
	const struct record_ksymbol *k = &sr->rec.ksymbol;

	if (k->flags & 1) /* unregistered: the next one at that place will cover it */
		return;

	uint32_t id = dso_table_intern(&s->dsos, MODULE_NONE, k->name, -1, NULL, 0);
	struct dso *d = &s->dsos.dsos.v[id];

	if (!d->symtab)
		d->symtab = symtab_new();
	symtab_add(d->symtab, k->addr, k->addr + k->len, k->name, strlen(k->name), SYMBOL_GLOBAL, SYMBOL_FUNCTION);
	d->unfinished = true; /* sorted when it is first asked for: there may be thousands */
	kernel_map(s, k->addr, k->len, id);
}

static void apply_lost(struct session *s, struct session_record *sr)
{
	if (sr->header->type == RECORD_LOST)
		s->stats.nr_lost_events += sr->rec.lost.lost;
	else
		s->stats.nr_lost_samples += sr->rec.lost.lost;
	if (sr->header->type == RECORD_LOST_SAMPLES && sr->event >= 0) {
		while (s->lost_by_event.nr <= (uint32_t)sr->event)
			vec_push(&s->lost_by_event, 0);
		s->lost_by_event.v[sr->event] += sr->rec.lost.lost;
	}
}

static void apply_throttle(struct session *s, struct session_record *sr)
{
	(void)sr;
	s->stats.nr_throttled++;
}

static void apply_namespaces(struct session *s, struct session_record *sr)
{
	sr->task = task_table_get(&s->tasks, (int32_t)sr->rec.namespaces.pid, (int32_t)sr->rec.namespaces.tid);
}

/* A task that was gone already has the tid -1 there, so the value does not tell. */
static bool trailer_has_task(const struct session *s, const struct session_record *sr)
{
	const struct sample_layout *l = sr->event >= 0 ? &s->info->events.v[sr->event].layout : NULL;

	return l && l->id_all && (l->sample_type & SAMPLE_TID);
}

void session_apply(struct session *s, struct session_record *sr)
{
	static void (*const effects[])(struct session *, struct session_record *) = {
		[RECORD_MMAP] = apply_mmap,
		[RECORD_MMAP2] = apply_mmap,
		[RECORD_LOST] = apply_lost,
		[RECORD_LOST_SAMPLES] = apply_lost,
		[RECORD_COMM] = apply_comm,
		[RECORD_EXIT] = apply_exit,
		[RECORD_FORK] = apply_fork,
		[RECORD_THROTTLE] = apply_throttle,
		[RECORD_SAMPLE] = apply_sample,
		[RECORD_NAMESPACES] = apply_namespaces,
		[RECORD_KSYMBOL] = apply_ksymbol,
	};
	uint32_t type = sr->header->type;

	if (type < sizeof(effects) / sizeof(*effects) && effects[type])
		effects[type](s, sr);
	/* What names no task itself happened in the one that its trailer names. */
	if (!sr->task && type != RECORD_SAMPLE && trailer_has_task(s, sr))
		sr->task = task_table_get(&s->tasks, (int32_t)sr->rec.id.pid, (int32_t)sr->rec.id.tid);
}
