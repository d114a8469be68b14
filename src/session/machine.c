/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One function per record type that changes tasks and maps; and the way from an address to its file.
 */
#include "session/machine.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "session/python_frames.h"
#include "symbols/debug_files.h"
#include "symbols/jitdump.h"

#define KSYMBOL_BYTES 1024u /* of a symbol table with one symbol, about */
#define KERNEL_DSO "[kernel.kallsyms]"
#define GUEST_KERNEL_DSO "[guest.kernel.kallsyms"

static bool begins(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

static void take_known(struct machine *m, uint32_t id)
{
	const struct dso *d = dso_table_get(&m->dsos, id);
	struct machine_known known;

	if (!m->find_known || !m->find_known(m->known_ctx, d->kind, d->file ? d->file : d->path, &known))
		return;
	dso_table_fill_build_id(&m->dsos, id, known.build_id, known.build_id_size);
	if (d->kind == MODULE_KERNEL || d->kind == MODULE_KMODULE)
		dso_table_set_listed_path(&m->dsos, id, known.path);
}

static uint32_t intern_dso(struct machine *m, enum module_kind kind, const char *path, const struct record_mmap *mm)
{
	uint32_t nr_before = m->dsos.dsos.nr;
	uint32_t id = dso_table_intern(&m->dsos, kind, path, (int32_t)mm->pid, mm->build_id, mm->build_id_size);

	if (m->dsos.dsos.nr > nr_before)
		take_known(m, id);
	if (m->dsos.dsos.nr > nr_before && kind == MODULE_JIT && m->known_path)
		m->dsos.dsos.v[id].stored = m->known_path(m->known_file_ctx, path);
	return id;
}

static uint32_t intern_file(struct machine *m, const struct record *rec)
{
	const struct record_mmap *mm = &rec->mmap;
	struct dso_file f = {
		.build_id = mm->build_id,
		.build_id_size = mm->build_id_size,
		.identity = file_identity_of_map(mm->maj, mm->min, mm->ino, mm->ino_generation),
	};
	uint32_t nr_before = m->dsos.dsos.nr, id;

	if (m->recorded_until_ns) {
		f.identity.unchanged_at_ns = m->recorded_until_ns;
		f.identity.known |= IDENTITY_UNCHANGED_AT;
	}
	if (m->known_file)
		m->known_file(m->known_file_ctx, rec, &f);
	id = dso_table_intern_file(&m->dsos, mm->filename, (int32_t)mm->pid, &f);
	if (m->dsos.dsos.nr > nr_before && !f.build_id_size && !f.stored)
		take_known(m, id);
	return id;
}

void machine_learn(struct machine *m)
{
	for (uint32_t id = DSO_NONE + 1; id < m->dsos.dsos.nr; id++) {
		const struct dso *d = dso_table_get(&m->dsos, id);

		if (!d->build_id_size && !d->stored)
			take_known(m, id);
	}
}

static void kernel_map(struct machine *m, uint64_t start, uint64_t len, uint32_t dso, bool identity)
{
	struct map map = { .start = start, .end = len > UINT64_MAX - start ? UINT64_MAX : start + len, .dso = dso, .identity = identity };

	map_set_add(&m->kernel_maps, &map);
	m->kernel_maps.generation++;
}

static void apply_kernel_mmap(struct machine *m, const struct record_mmap *mm)
{
	if (begins(mm->filename, GUEST_KERNEL_DSO))
		return;
	if (begins(mm->filename, KERNEL_DSO)) {
		const char *ref = mm->filename + strlen(KERNEL_DSO);
		uint32_t id = intern_dso(m, MODULE_KERNEL, KERNEL_DSO, mm);
		struct dso *d = &m->dsos.dsos.v[id];

		if (*ref && mm->pgoff) {
			d->kernel_start = mm->pgoff;
			d->kernel_ref_name = arena_str(&m->dsos.arena, ref, strlen(ref));
		}
		m->kernel_dso = id;
		kernel_map(m, mm->start, mm->len, id, true);
		return;
	}
	uint32_t id = intern_dso(m, MODULE_KMODULE, mm->filename, mm);

	/* Another boot, or another loading of the module, has it elsewhere. */
	m->dsos.dsos.v[id].kernel_start = mm->start;
	kernel_map(m, mm->start, mm->len, id, false);
}

bool machine_is_memory(const struct record_mmap *mm)
{
	/* Programs and libraries are mapped privately, also from such a file; memory that is mapped twice, once to be written, is not. */
	if (begins(mm->filename, "/memfd:") && mm->prot & PROT_EXEC && mm->flags & MAP_SHARED)
		return true;
	return begins(mm->filename, "//anon") || begins(mm->filename, "/dev/zero") || begins(mm->filename, "/anon_hugepage") ||
	       (mm->flags & MAP_HUGETLB) || begins(mm->filename, "[stack") || begins(mm->filename, "/SYSV") ||
	       begins(mm->filename, "[heap]");
}

#define RUNTIME_MAPS_MAX 4096u

static enum jit_runtime runtime_in(const struct machine *m, const struct map_set *maps)
{
	enum jit_runtime found = JIT_UNKNOWN;
	uint32_t nr = map_set_nr(maps);

	/* Programs with another runtime may have a library of Python, too. */
	for (uint32_t i = 0; i < nr && i < RUNTIME_MAPS_MAX && (found == JIT_UNKNOWN || found == JIT_PYTHON); i++) {
		const struct dso *d = dso_table_get(&m->dsos, map_set_at(maps, i)->dso);
		enum jit_runtime runtime = d->kind == MODULE_ELF ? jit_runtime_of_path(d->path) : JIT_UNKNOWN;

		if (runtime != JIT_UNKNOWN)
			found = runtime;
	}
	return found;
}

void machine_find_runtimes(struct machine *m)
{
	for (uint32_t id = DSO_NONE + 1; id < m->dsos.dsos.nr; id++) {
		struct dso *d = &m->dsos.dsos.v[id];
		const struct task *task;

		if (d->kind != MODULE_JIT || d->pid <= 0 || d->runtime != JIT_UNKNOWN)
			continue;
		task = task_table_find(&m->tasks, d->pid);
		if (task && task->leader->maps)
			d->runtime = runtime_in(m, task->leader->maps);
	}
}

static uint32_t intern_jit(struct machine *m, const struct record_mmap *mm)
{
	char path[32];

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int32_t)mm->pid);
	return intern_dso(m, MODULE_JIT, path, mm);
}

/* The DSO of what a map record names; the map is corrected where its place in the file is another. */
static uint32_t intern_mapped(struct machine *m, const struct record *rec, bool executable, struct map *map)
{
	const struct record_mmap *mm = &rec->mmap;

	if (machine_is_memory(mm)) {
		map->identity = true;
		return executable ? intern_jit(m, mm) : intern_dso(m, MODULE_NONE, mm->filename, mm);
	}
	if (!strcmp(mm->filename, "[vdso]")) {
		map->pgoff = 0;
		/* The 64-bit one is beside the stack, far above. */
		return intern_dso(m, MODULE_VDSO, map->end <= UINT32_MAX ? VDSO_NARROW_PATH : mm->filename, mm);
	}
	if (mm->filename[0] == '[' || begins(mm->filename, "anon_inode:"))
		return intern_dso(m, MODULE_NONE, mm->filename, mm);
	return intern_file(m, rec);
}

static struct location locate_imported(const struct machine *m, uint64_t word)
{
	uint32_t number = imported_number(m->imported, word);
	const struct imported_location *l = number == IMPORTED_NONE ? NULL : &m->imported->locations.v[number];

	if (!l)
		return (struct location){ .addr = word, .ip = word };
	return (struct location){ .dso = l->module == IMPORTED_NONE ? DSO_NONE : m->first_imported + l->module,
				  .imported = number + 1,
				  .addr = l->addr,
				  .ip = l->ip };
}

static struct task *apply_mmap(struct machine *m, const struct record *rec)
{
	const struct record_mmap *mm = &rec->mmap;
	unsigned cpumode = rec->header->misc & MISC_CPUMODE_MASK;
	bool executable = rec->header->type == RECORD_MMAP ? !(rec->header->misc & MISC_MMAP_DATA) : mm->prot & PROT_EXEC;

	if (cpumode == MISC_KERNEL || cpumode == MISC_GUEST_KERNEL) {
		if (cpumode == MISC_KERNEL && !m->imported)
			apply_kernel_mmap(m, mm);
		return NULL;
	}

	if (m->before_change)
		m->before_change(m->before_change_ctx, (int32_t)mm->pid);

	struct task *task = task_table_get(&m->tasks, (int32_t)mm->pid, (int32_t)mm->tid);
	struct map map = { .start = mm->start, .pgoff = mm->pgoff, .ino = mm->ino, .prot = mm->prot, .flags = mm->flags };

	if (rec->header->type == RECORD_MMAP)
		map.prot = executable ? PROT_EXEC : 0;
	map.end = mm->len > UINT64_MAX - mm->start ? UINT64_MAX : mm->start + mm->len;
	map.is_memory = begins(mm->filename, "/memfd:");
	map.dso = m->imported ? locate_imported(m, mm->start).dso : intern_mapped(m, rec, executable, &map);
	task_table_map(&m->tasks, task, &map);
	if (executable && !m->reads_no_dumps && !m->imported && jitdump_is_path(mm->filename))
		jit_codes_open(m, task, rec);
	return task;
}

static struct task *apply_comm(struct machine *m, const struct record *rec)
{
	const struct record_comm *c = &rec->comm;

	if (m->before_change && rec->header->misc & MISC_COMM_EXEC)
		m->before_change(m->before_change_ctx, (int32_t)c->pid);

	struct task *task = task_table_get(&m->tasks, (int32_t)c->pid, (int32_t)c->tid);

	if (!task_is_nameless((int32_t)c->pid, (int32_t)c->tid))
		task_table_comm(&m->tasks, task, c->comm, rec->header->misc & MISC_COMM_EXEC);
	return task;
}

static struct task *apply_fork(struct machine *m, const struct record *rec)
{
	const struct record_task *t = &rec->task;

	return task_table_fork(&m->tasks, (int32_t)t->pid, (int32_t)t->tid, (int32_t)t->ppid, (int32_t)t->ptid,
			       !(rec->header->misc & MISC_FORK_EXEC));
}

static struct task *apply_exit(struct machine *m, const struct record *rec)
{
	struct task *task = task_table_get(&m->tasks, (int32_t)rec->task.pid, (int32_t)rec->task.tid);

	if (!task_is_nameless((int32_t)rec->task.pid, (int32_t)rec->task.tid))
		task_table_exit(&m->tasks, task);
	return task;
}

static struct task *apply_ksymbol(struct machine *m, const struct record *rec)
{
	const struct record_ksymbol *k = &rec->ksymbol;

	if (m->user_only || k->flags & 1) /* unregistered: the next one at that place will cover it */
		return NULL;

	uint32_t id = dso_table_intern(&m->dsos, MODULE_NONE, k->name, -1, NULL, 0);
	struct dso *d = &m->dsos.dsos.v[id];

	if (!d->symtab)
		d->symtab = symtab_new();
	if (m->dsos.memory)
		budget_take(m->dsos.memory, KSYMBOL_BYTES);
	symtab_add(d->symtab, k->addr, k->addr + k->len, k->name, strlen(k->name), SYMBOL_GLOBAL, SYMBOL_FUNCTION);
	d->unfinished = true; /* sorted when it is first asked for: there may be thousands */
	kernel_map(m, k->addr, k->len, id, true);
	return NULL;
}

static struct task *find_sampled(struct machine *m, const struct record *rec)
{
	return task_table_get(&m->tasks, (int32_t)rec->sample.pid, (int32_t)rec->sample.tid);
}

static struct task *find_in_namespaces(struct machine *m, const struct record *rec)
{
	return task_table_get(&m->tasks, (int32_t)rec->namespaces.pid, (int32_t)rec->namespaces.tid);
}

struct task *machine_apply(struct machine *m, const struct record *rec)
{
	static struct task *(*const effects[])(struct machine *, const struct record *) = {
		[RECORD_MMAP] = apply_mmap,
		[RECORD_MMAP2] = apply_mmap,
		[RECORD_COMM] = apply_comm,
		[RECORD_EXIT] = apply_exit,
		[RECORD_FORK] = apply_fork,
		[RECORD_SAMPLE] = find_sampled,
		[RECORD_NAMESPACES] = find_in_namespaces,
		[RECORD_KSYMBOL] = apply_ksymbol,
	};
	uint32_t type = rec->header->type;

	return type < sizeof(effects) / sizeof(*effects) && effects[type] ? effects[type](m, rec) : NULL;
}

/* The kernel's MMAP record ends with its text; its init code lies behind, known by symbols only. */
static bool in_kernel_beyond_maps(struct machine *m, uint64_t ip)
{
	return m->kernel_dso != DSO_NONE && symtab_find(dso_table_symbols(&m->dsos, m->kernel_dso), ip);
}

struct location machine_locate(struct machine *m, const struct task *task, uint64_t ip, unsigned cpumode)
{
	const struct map *map = NULL;

	if (m->imported)
		return locate_imported(m, ip);
	if (m->python_dso != DSO_NONE && python_is_word(ip))
		return (struct location){ .dso = m->python_dso, .addr = ip, .ip = ip };
	if (cpumode == MISC_KERNEL) {
		map = map_set_find(&m->kernel_maps, ip);
		if (map)
			dso_table_prefetch(&m->dsos, map->dso);
		if (!map && in_kernel_beyond_maps(m, ip))
			return (struct location){ .dso = m->kernel_dso, .addr = ip, .ip = ip };
	} else if (cpumode == MISC_USER && task) {
		map = task_find_map(task, ip);
	}
	if (!map)
		return (struct location){ .addr = ip, .ip = ip };
	return (struct location){ .dso = map->dso, .addr = map_addr(map, ip), .ip = ip };
}

struct location machine_locate_variable(struct machine *m, const struct task *task, uint64_t addr)
{
	const struct map *map = m->imported ? NULL : map_set_find(task_maps(task), addr), *before;

	if (map && map->identity && map->start) {
		before = map_set_find(task_maps(task), map->start - 1);
		/* Symbols of .bss have the offsets that they would have if the file went on. */
		if (before && !before->identity && before->prot & PROT_WRITE)
			return (struct location){ .dso = before->dso, .addr = map_addr(before, addr), .ip = addr };
	}
	return machine_locate(m, task, addr, MISC_USER);
}

void machine_init(struct machine *m, const struct symbolizer_options *opts)
{
	memset(m, 0, sizeof(*m));
	m->kernel_maps.pool = &m->kernel_map_pool;
	m->jits.due_ns = UINT64_MAX;
	task_table_init(&m->tasks);
	dso_table_init(&m->dsos, opts);
}

void machine_set_memory(struct machine *m, struct budget *memory)
{
	m->memory = m->kernel_map_pool.memory = memory;
	m->tasks.memory = m->tasks.map_pool.memory = memory;
	m->dsos.memory = memory;
}

void machine_fini(struct machine *m)
{
	map_pool_fini(&m->kernel_map_pool);
	jit_codes_fini(m);
	dso_table_fini(&m->dsos);
	task_table_fini(&m->tasks);
}
