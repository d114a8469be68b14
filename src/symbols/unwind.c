/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The walk: frame by frame, which file and which rule, what is written down, when it ends. Steps without a rule are in unwind_guess.c.
 */
#include "symbols/unwind.h"

#include <errno.h>

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

/* A step by a rule of a table, of which unwind_table_view() has checked places and indexes; values and memory are checked here. */

/* Between a handler's frames and the interrupted ones on the same stack are the registers, mostly vectors and matrices. */
#define SIGNAL_FRAME_MAX_BYTES (UINT64_C(128) << 10)
/* As much as a function pushes. */
#define POPPED_MAX_BYTES (ARCH_MAX_REGS * 8)
#define MAX_SIGNALS 64 /* nested handlers, and changes of the stack; each may lead down, so that only their count bounds them */
/* A frame that is further away is on another stack: functions that change it have small ones. */
#define SWITCH_SAME_BYTES 4096

static bool env_reg(void *ctx, uint64_t nr, uint64_t *value)
{
	struct unwind_walk *w = ctx;

	if (nr >= ARCH_MAX_REGS || !unwind_has_reg(w, (uint32_t)nr))
		return false;
	*value = w->regs->v[nr];
	return true;
}

static bool env_read(void *ctx, uint64_t addr, uint64_t *value)
{
	return unwind_read(ctx, addr, value);
}

static int eval(struct unwind_walk *w, const struct unwind_table *t, int32_t at, const uint64_t *initial, uint64_t *value)
{
	struct unwind_expr_env env = { .ctx = w, .reg = env_reg, .read = env_read, .word_bytes = w->arch->word_bytes };
	const uint8_t *e = t->exprs + at;

	return unwind_expr_eval(e + 2, (size_t)(e[0] | e[1] << 8), &env, initial, value);
}

static int find_cfa(struct unwind_walk *w, const struct unwind_table *t, const struct unwind_rule *rule, uint64_t *cfa)
{
	if (rule->flags & RULE_CFA_EXPR)
		return eval(w, t, rule->cfa_value, NULL, cfa);
	/* After a step by frame pointer the stack pointer is not known, but where the frame pointer was saved is. */
	if (w->sp_is_guess && rule->cfa_reg == w->arch->sp && unwind_has_reg(w, w->arch->fp)) {
		for (uint32_t i = 0; i < rule->nr_regs; i++) {
			if (rule->regs[i].reg == w->arch->fp && rule->regs[i].how == HOW_OFFSET) {
				*cfa = w->regs->v[w->arch->fp] - (uint64_t)(int64_t)rule->regs[i].value;
				return 0;
			}
		}
	}
	if (!unwind_has_reg(w, rule->cfa_reg))
		return -ENODATA;
	*cfa = w->regs->v[rule->cfa_reg] + (uint64_t)(int64_t)rule->cfa_value;
	return 0;
}

/* In an epilogue a register has its value back, and its slot in the table is below the stack pointer, where nothing was dumped. */
static bool is_popped(const struct unwind_walk *w, uint32_t reg, uint64_t slot)
{
	uint64_t sp = w->regs->v[w->arch->sp];

	return w->is_exact && unwind_has_reg(w, reg) && unwind_has_reg(w, w->arch->sp) && reg != w->arch->ra && slot < sp &&
	       sp - slot <= POPPED_MAX_BYTES;
}

/* The value of a register in the caller. */
static int find_reg(struct unwind_walk *w, const struct unwind_table *t, const struct unwind_reg_rule *r, uint64_t cfa, uint64_t *value)
{
	uint64_t offset = cfa + (uint64_t)(int64_t)r->value;
	uint32_t from = r->how == HOW_REGISTER ? (uint32_t)r->value : r->reg;
	int err;

	switch ((enum unwind_how)r->how) {
	case HOW_OFFSET:
		if (unwind_read(w, offset, value))
			return 0;
		*value = w->regs->v[from];
		return is_popped(w, from, offset) ? 0 : -EFAULT;
	case HOW_VAL_OFFSET:
		*value = offset;
		return 0;
	case HOW_REGISTER:
	case HOW_SAME:
		*value = w->regs->v[from];
		return unwind_has_reg(w, from) ? 0 : -ENODATA;
	case HOW_EXPR:
		err = eval(w, t, r->value, &cfa, &offset);
		return err ? err : unwind_read(w, offset, value) ? 0 : -EFAULT;
	case HOW_VAL_EXPR:
		return eval(w, t, r->value, &cfa, value);
	case HOW_UNDEFINED:
	case NR_HOWS:
		break;
	}
	return -ENODATA;
}

static enum unwind_end end_of(const struct unwind_walk *w, int err)
{
	return err == -EFAULT ? unwind_read_end(w) : UNWIND_NO_RULE;
}

/* The stack pointer moves up with each frame, but for the first, which may be empty yet, and stacks of signal handlers. */
static bool is_progress(struct unwind_walk *w, const struct unwind_rule *rule, uint64_t sp, bool had_sp)
{
	uint64_t now = w->regs->v[w->arch->sp];

	if (rule->flags & (RULE_SIGNAL | RULE_SWITCH))
		return ++w->nr_signals <= MAX_SIGNALS;
	return !had_sp || now > sp || (now == sp && w->is_exact);
}

static void note_stack(struct unwind_walk *w, uint64_t sp)
{
	uint64_t now = w->regs->v[w->arch->sp];

	if (now - w->access->stack_start < w->access->stack_size)
		w->is_elsewhere = false;
	else if (now - sp > SIGNAL_FRAME_MAX_BYTES) /* or below it */
		w->is_elsewhere = true;
}

static enum unwind_end step_rule(struct unwind_walk *w, const struct unwind_table *t, const struct unwind_rule *rule)
{
	struct unwind_regs *regs = w->regs;
	const struct arch_ops *arch = w->arch;
	uint64_t values[ARCH_MAX_REGS], cfa, sp = regs->v[arch->sp], set = 0, lost = 0, ra;
	bool is_signal = rule->flags & RULE_SIGNAL, had_sp = unwind_has_reg(w, arch->sp);
	uint64_t pushed = 0;
	int err = find_cfa(w, t, rule, &cfa), ra_err = 0;

	if (err)
		return end_of(w, err);
	/* Without a rule of its own, the link register holds it. On x86_64 the column is the pc itself. */
	ra = regs->v[rule->ra];
	if (rule->ra != arch->lr || !unwind_has_reg(w, rule->ra))
		ra_err = -ENODATA;
	for (uint32_t i = 0; i < rule->nr_regs; i++) {
		const struct unwind_reg_rule *r = &rule->regs[i];

		err = find_reg(w, t, r, cfa, &values[r->reg]);
		*(err ? &lost : &set) |= UINT64_C(1) << r->reg;
		if (r->reg == rule->ra) {
			ra = values[r->reg];
			ra_err = err;
			/* Pushed by the code before: glibc's resolver on arm64, after the first stub of a PLT. The caller's stack is above.
			 *  */
			if (r->how == HOW_OFFSET && r->value >= 0)
				pushed = (uint64_t)r->value + arch->word_bytes;
			if (err)
				break;
		}
	}
	/* Of the other stack nothing was dumped: this one is done. */
	if (ra_err && rule->flags & RULE_SWITCH && cfa - sp > SWITCH_SAME_BYTES)
		return UNWIND_COMPLETE;
	if (ra_err)
		return end_of(w, ra_err);
	/* In the caller the link register is what the call left there. Only a signal gives it back. */
	if (arch->lr != ARCH_NO_REG && !is_signal)
		set &= ~(UINT64_C(1) << arch->lr);
	regs->valid &= arch->callee_saved & ~lost;
	unwind_set_reg(w, arch->sp, cfa + pushed);
	for (uint64_t left = set; left; left &= left - 1) {
		uint32_t reg = (uint32_t)__builtin_ctzll(left);

		unwind_set_reg(w, reg, values[reg]);
	}
	if (!is_progress(w, rule, sp, had_sp))
		return UNWIND_NO_PROGRESS;
	if (rule->flags & (RULE_SIGNAL | RULE_SWITCH))
		note_stack(w, sp);
	regs->pc = unwind_return_address(w, ra);
	w->is_exact = is_signal;
	w->sp_is_guess = false;
	return regs->pc ? UNWIND_NOT_DONE : UNWIND_COMPLETE;
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

/* Around the kernel's return from signals the table may end a byte short: at the pc behind its system call, and at the return address less
 * one, which is in front of it. Other functions begin without having been called only where a stack was made by hand: it ends there. */
static const struct unwind_rule *find_edge_rule(struct unwind_walk *w, const struct unwind_module *m, const struct unwind_table **t,
						bool *is_begin)
{
	uint64_t beside = w->is_exact ? w->regs->pc - 1 : w->regs->pc;
	const struct unwind_rule *rule = beside >= m->start && beside < m->end ? find_rule(w, m, beside, t) : NULL;

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
			end = step_rule(&w, table, rule);
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
		[UNWIND_PYTHON_LIMIT] = "python-limit",
	};

	return (unsigned int)end < UNWIND_NR_ENDS ? names[end] : "unknown";
}
