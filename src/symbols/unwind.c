/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The walk: frame by frame, which file and which rule, what is written down, when it ends. The steps are in unwind_step.c and
 * unwind_guess.c.
 */
#include "symbols/unwind.h"

#include "base/bytes.h"
#include "symbols/unwind_walk.h"

/* How far above a dumped stack its thread's stack may go on: a read there misses because the dump is too small. */
#define STACK_MAX_BYTES (UINT64_C(16) << 20)

bool unwind_regs_decode(const struct arch_ops *arch, const void *bytes, uint32_t size, struct unwind_regs *regs)
{
	struct bytes b = bytes_of(bytes, size, false);

	*regs = (struct unwind_regs){ 0 };
	for (uint32_t i = 0; i < arch->nr_thread_regs; i++) {
		uint64_t v = bytes_u64(&b);
		uint8_t reg = arch->thread_regs[i];

		if (reg == ARCH_THREAD_PC) {
			regs->pc = v;
		} else if (reg != ARCH_NO_REG) {
			regs->v[reg] = v;
			regs->valid |= UINT64_C(1) << reg;
		}
	}
	return arch->nr_thread_regs && !b.failed;
}

const struct unwind_module *unwind_find_module(struct unwind_walk *w, uint64_t ip)
{
	struct unwind_module m = { 0 };
	uint32_t at;

	for (uint32_t i = 0; i < UNWIND_NR_MODULES; i++)
		if (ip - w->modules[i].start < w->modules[i].end - w->modules[i].start)
			return &w->modules[i];
	if (!w->access->find(w->access->ctx, ip, &m) || ip < m.start || ip >= m.end)
		return NULL;
	/* Rows of another machine mean other registers. */
	if (m.table && m.table->head->machine != w->arch->elf_machine)
		m.table = NULL;
	at = w->nr_modules++ % UNWIND_NR_MODULES;
	w->modules[at] = m;
	return &w->modules[at];
}

uint64_t unwind_return_address(struct unwind_walk *w, uint64_t stored)
{
	const struct arch_ops *arch = w->arch;
	uint64_t ip = arch->pc_mask ? stored & arch->pc_mask : stored;

	if (arch->pc_mask_narrow && ip > arch->pc_mask_narrow && !unwind_find_module(w, ip - 1)) {
		uint64_t narrow = stored & arch->pc_mask_narrow;

		if (narrow && unwind_find_module(w, narrow - 1))
			return narrow;
	}
	return ip;
}

bool unwind_read_elsewhere(struct unwind_walk *w, uint64_t addr, uint64_t *value)
{
	const struct unwind_access *a = w->access;
	uint64_t off = addr - a->stack_start;

	if (a->stack && w->arch->word_bytes == 4 && off < a->stack_size && a->stack_size - off >= 4) {
		uint32_t word;

		memcpy(&word, a->stack + off, 4);
		*value = word;
		return true;
	}
	if (a->read && a->read(a->ctx, addr, value)) {
		*value &= w->word_mask;
		return true;
	}
	w->failed_addr = addr;
	return false;
}

enum unwind_end unwind_read_end(const struct unwind_walk *w)
{
	const struct unwind_access *a = w->access;
	uint64_t end = a->stack_start + a->stack_size;

	/* A larger dump would not reach another stack. */
	if (!a->stack_size || a->stack_is_whole || w->is_elsewhere)
		return UNWIND_BAD_MEMORY;
	/* A word that begins in the last bytes of the dump, or above it. */
	return w->failed_addr - (end - 7) < STACK_MAX_BYTES ? UNWIND_TRUNCATED : UNWIND_BAD_MEMORY;
}

/* `*t` gets the table that the rule is of. */
static const struct unwind_rule *find_rule(struct unwind_walk *w, const struct unwind_module *m, uint64_t ip, const struct unwind_table **t)
{
	struct unwind_cache *cache = w->access->cache;
	uint64_t addr = ip - m->start + m->addr_of_start;
	uint32_t slot, rule;

	*t = m->table;
	if (!m->table)
		return NULL;
	if (cache && addr <= UINT32_MAX) {
		slot = (uint32_t)(addr * 0x9e3779b1U >> 16 ^ ((uintptr_t)m->table >> 4)) % UNWIND_CACHE_SIZE;
		if (cache->v[slot].table != m->table || cache->v[slot].addr != (uint32_t)addr) {
			cache->v[slot].table = m->table;
			cache->v[slot].addr = (uint32_t)addr;
			cache->v[slot].rule = unwind_table_resolve(t, addr);
			cache->v[slot].piece = *t;
		}
		rule = cache->v[slot].rule;
		*t = cache->v[slot].piece;
	} else {
		rule = unwind_table_resolve(t, addr);
	}
	return rule == UNWIND_GAP ? NULL : unwind_table_rule(*t, rule);
}

/* What a table says of the address beside one that it does not cover. */
static const struct unwind_rule *find_beside(struct unwind_walk *w, const struct unwind_module *m, uint64_t ip,
					     const struct unwind_table **t)
{
	return ip >= m->start && ip < m->end ? find_rule(w, m, ip, t) : NULL;
}

/* Around the kernel's return from signals the table may end a byte short: at the pc behind its system call, and at the return address less
 * one, which is in front of it. Other functions begin without having been called only where a stack was made by hand: it ends there. */
static const struct unwind_rule *find_edge_rule(struct unwind_walk *w, const struct unwind_module *m, const struct unwind_table **t,
						bool *is_begin)
{
	const struct unwind_rule *rule = find_beside(w, m, w->is_exact ? w->regs->pc - 1 : w->regs->pc, t);

	*is_begin = rule && !w->is_exact;
	return rule && rule->flags & RULE_SIGNAL ? rule : NULL;
}

uint32_t unwind_walk(const struct arch_ops *arch, struct unwind_regs *regs, const struct unwind_access *access, uint64_t *ips, uint32_t max,
		     struct unwind_result *result)
{
	struct unwind_walk w = {
		.arch = arch, .regs = regs, .access = access, .is_exact = true, .word_mask = arch->word_bytes == 4 ? UINT32_MAX : UINT64_MAX
	};
	enum unwind_end end;
	uint32_t nr = 0;

	do {
		uint64_t ip = regs->pc - !w.is_exact;
		const struct unwind_module *m = unwind_find_module(&w, ip);
		const struct unwind_table *table = NULL;
		const struct unwind_rule *rule = m ? find_rule(&w, m, ip, &table) : NULL;
		bool is_begin = false;

		if (nr == max) {
			end = UNWIND_LIMIT;
			break;
		}
		if (m && !rule)
			rule = find_edge_rule(&w, m, &table, &is_begin);
		/* A signal's trampoline was not called: the address is where it begins. */
		ips[nr] = is_begin || (rule && rule->flags & RULE_SIGNAL) ? regs->pc : ip;
		if (access->exact)
			access->exact[nr] = ips[nr] == regs->pc;
		nr++;
		/* Expressions know the pc by the column of the return address, where that is no register of its own. */
		if (arch->lr == ARCH_NO_REG)
			unwind_set_reg(&w, arch->ra, regs->pc);
		if (!m && nr > 1)
			end = UNWIND_NO_MAP;
		else if (!rule && is_begin)
			end = UNWIND_COMPLETE;
		else if (!rule)
			end = unwind_step_guess(&w, m);
		else if (rule->flags & RULE_OUTERMOST)
			end = UNWIND_COMPLETE;
		else
			end = unwind_step_rule(&w, table, rule);
	} while (end == UNWIND_NOT_DONE);
	*result = (struct unwind_result){ end, w.guessed };
	return nr;
}

const char *unwind_end_name(enum unwind_end end)
{
	static const char *const names[UNWIND_NR_ENDS] = {
		[UNWIND_NOT_DONE] = "not-done",
		[UNWIND_COMPLETE] = "complete",
		[UNWIND_TRUNCATED] = "truncated",
		[UNWIND_LIMIT] = "limit",
		[UNWIND_NO_MAP] = "no-map",
		[UNWIND_NO_RULE] = "no-rule",
		[UNWIND_BAD_MEMORY] = "bad-memory",
		[UNWIND_NO_PROGRESS] = "no-progress",
		[UNWIND_NO_STACK] = "no-stack",
		[UNWIND_SMALL_DUMP] = "small-dump",
		[UNWIND_RECORD_LIMIT] = "record-limit",
	};

	return (unsigned int)end < UNWIND_NR_ENDS ? names[end] : "unknown";
}
