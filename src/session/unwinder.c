/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One walk: registers by their DWARF numbers from the sample, the dumped stack, modules from the task's maps. Modules are cached by
 * address under the generation of the maps.
 */
#include "session/unwinder.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/pool.h"

#define REGS_ABI_32 1
#define CACHE_SLOTS 1024

struct cached_module {
	uint64_t ip;
	uint32_t generation; /* 0: unused, or of a task without maps, which is never kept */
	bool found;
	struct unwind_module module;
};

struct unwinder {
	struct machine *machine;
	const struct arch_ops *arch;
	bool foreign_order;
	const struct task *task; /* of the walk at hand */
	uint64_t reach;		 /* of the last walk */
	struct unwind_access access;
	struct unwind_cache rules;
	struct cached_module cache[CACHE_SLOTS];
};

static bool find_module(struct unwinder *u, uint64_t ip, struct unwind_module *module)
{
	const struct map *map = task_find_map(u->task, ip);

	if (!map || !(map->prot & PROT_EXEC))
		return false;
	*module = (struct unwind_module){
		.table = dso_table_unwind(&u->machine->dsos, map->dso),
		.start = map->start,
		.end = map->end,
		.addr_of_start = map_addr(map, map->start),
	};
	return true;
}

static bool find(void *ctx, uint64_t ip, struct unwind_module *module)
{
	struct unwinder *u = ctx;
	uint32_t generation = task_maps(u->task)->generation;
	struct cached_module *c = &u->cache[hash_pair(ip, generation) % CACHE_SLOTS];

	if (c->ip != ip || c->generation != generation || !generation) {
		c->found = find_module(u, ip, &c->module);
		c->ip = ip;
		c->generation = generation;
	}
	*module = c->module;
	return c->found;
}

/* Only what was dumped is known; of the other byte order it is turned here, word by word. */
static bool read_memory(void *ctx, uint64_t addr, uint64_t *value)
{
	const struct unwind_access *a = &((const struct unwinder *)ctx)->access;
	uint64_t off = addr - a->stack_start;

	if (addr < a->stack_start || a->stack_size < 8 || off > a->stack_size - 8)
		return false;
	memcpy(value, a->stack + off, sizeof(*value));
	return true;
}

static bool read_foreign(void *ctx, uint64_t addr, uint64_t *value)
{
	if (!read_memory(ctx, addr, value))
		return false;
	*value = __builtin_bswap64(*value);
	return true;
}

/* False where the program counter is not among them. */
static bool load_registers(const struct arch_ops *arch, const struct sample *s, uint64_t mask, struct unwind_regs *regs)
{
	uint32_t i = 0;

	*regs = (struct unwind_regs){ 0 };
	if (arch->perf_pc >= 64 || !(mask >> arch->perf_pc & 1))
		return false;
	for (uint64_t left = mask; left; left &= left - 1, i++) {
		unsigned bit = (unsigned)__builtin_ctzll(left);
		uint8_t nr = arch->dwarf_of_perf[bit];

		if (bit == arch->perf_pc)
			regs->pc = s->regs_user[i];
		if (nr < ARCH_MAX_REGS) {
			regs->v[nr] = arch->word_bytes == 4 ? (uint32_t)s->regs_user[i] : s->regs_user[i];
			regs->valid |= UINT64_C(1) << nr;
		}
	}
	return true;
}

/* In the middle of an exec there is neither stack nor map: an address that means nothing any more. */
static bool is_nowhere(struct unwinder *u, uint64_t pc)
{
	struct unwind_module m;

	return !u->access.stack_size && !find(u, pc, &m);
}

/* NULL: a 32-bit program of an architecture whose stacks are not known. */
static const struct arch_ops *arch_of(const struct unwinder *u, uint64_t regs_abi)
{
	return regs_abi != REGS_ABI_32 || u->arch->word_bytes == 4 ? u->arch : u->arch->narrow;
}

uint32_t unwinder_walk(struct unwinder *u, const struct task *task, const struct sample *s, uint64_t regs_user, uint64_t *ips, uint32_t max,
		       struct unwind_result *result)
{
	const struct arch_ops *arch = arch_of(u, s->regs_user_abi);
	struct unwind_access *a = &u->access;
	struct unwind_access walk;
	struct unwind_regs regs;
	uint32_t nr;

	*result = (struct unwind_result){ UNWIND_NOT_DONE, false };
	u->reach = 0;
	if (!s->regs_user_abi || !max || !load_registers(arch ? arch : u->arch, s, regs_user, &regs))
		return 0;
	if (!arch || !(regs.valid >> arch->sp & 1)) {
		ips[0] = regs.pc;
		result->end = UNWIND_NO_RULE;
		return 1;
	}
	u->task = task;
	a->stack = s->stack;
	a->stack_start = regs.v[arch->sp];
	a->stack_is_whole = s->stack_dyn_size < s->stack_size;
	a->stack_size = a->stack_is_whole ? s->stack_dyn_size : s->stack_size;
	if (is_nowhere(u, regs.pc))
		return 0;
	walk = *a;
	if (u->foreign_order)
		walk.stack = NULL;
	nr = unwind_walk(arch, &regs, &walk, ips, max, result);
	/* What is elsewhere is on no dumped stack. */
	u->reach = regs.v[arch->sp] - a->stack_start;
	if (regs.v[arch->sp] < a->stack_start || u->reach > a->stack_size)
		u->reach = a->stack_size;
	if (!a->stack_size && result->end != UNWIND_COMPLETE)
		result->end = UNWIND_NO_STACK;
	return nr;
}

uint64_t unwinder_reach(const struct unwinder *u)
{
	return u->reach;
}

struct prepare_job {
	struct dso_table *dsos;
	const struct map_set *maps;
};

static bool is_to_load(const struct prepare_job *job, uint32_t i)
{
	const struct map *map = map_set_at(job->maps, i);
	const struct dso *d = &job->dsos->dsos.v[map->dso];

	/* Others have none, which costs nothing to find out. */
	return map->prot & PROT_EXEC && (d->kind == MODULE_ELF || d->kind == MODULE_VDSO) &&
	       !__atomic_load_n(&d->unwind_loaded, __ATOMIC_ACQUIRE);
}

static void prepare_one(void *ctx, uint32_t i)
{
	const struct prepare_job *job = ctx;

	if (is_to_load(job, i))
		dso_table_unwind(job->dsos, map_set_at(job->maps, i)->dso);
}

void unwinder_prepare(struct machine *m, const struct task *task)
{
	struct prepare_job job = { &m->dsos, task_maps(task) };
	uint32_t nr = 0;

	/* Mostly all of them are there, or one is missing: no work for threads. */
	for (uint32_t i = 0; i < map_set_nr(job.maps); i++)
		nr += is_to_load(&job, i);
	if (nr)
		pool_run(map_set_nr(job.maps), nr == 1, prepare_one, &job);
}

struct unwinder *unwinder_new(struct machine *m, const struct arch_ops *arch)
{
	struct unwinder *u = mem_zalloc(sizeof(*u));

	u->machine = m;
	u->arch = arch;
	u->access.ctx = u;
	u->access.read = read_memory;
	u->access.find = find;
	u->access.cache = &u->rules;
	return u;
}

struct unwinder *unwinder_new_named(struct machine *m, const char *arch, bool foreign_order)
{
	const struct arch_ops *ops = arch ? arch_find(arch) : arch_native();
	struct unwinder *u = ops ? unwinder_new(m, ops) : NULL;

	if (u && foreign_order) {
		u->foreign_order = true;
		u->access.read = read_foreign;
	}
	return u;
}

void unwinder_free(struct unwinder *u)
{
	free(u);
}
