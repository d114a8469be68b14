/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Go runs goroutines on stacks of their own, and its scheduler, collector and C code on stacks of threads. A few functions in assembly
 * change the stack; the way back is in the runtime's structures, so a walk ends there. Those that call C for a moment keep the stack
 * pointer in a callee-saved register, which leads on. Where the stack changes is found by the instructions.
 */
#include "symbols/unwind_build.h"

#include <string.h>

#define MAX_SWITCHES 256u    /* functions; real programs have less than twenty */
#define MAX_CODE_BYTES 1024u /* of one; real ones have less than 400 */
#define MAX_FRAME_BYTES (INT32_MAX - 64)

static void set_state(const struct arch_ops *arch, struct cfi_state *s, uint8_t base, int32_t delta)
{
	int32_t word = arch->word_bytes;

	*s = (struct cfi_state){ .cfa = CFI_CFA_REG, .cfa_reg = base, .cfa_value = arch->lr == ARCH_NO_REG ? delta + word : delta };
	/* A link register is saved at the bottom of a frame. (Behind a second return of assembly Go subtracts the frame twice.) */
	if (arch->lr != ARCH_NO_REG && delta <= 0)
		return;
	s->set = UINT64_C(1) << arch->ra;
	s->regs[arch->ra] = (struct cfi_reg){ HOW_OFFSET, arch->lr == ARCH_NO_REG ? -word : -delta };
}

static bool is_frame_size(const struct go_unwind *u, int32_t delta)
{
	return delta > -MAX_FRAME_BYTES && delta < MAX_FRAME_BYTES && delta % u->arch->word_bytes == 0;
}

static void add_function(const struct go_unwind *u, const struct go_function *f, const struct cfi_sink *sink, uint64_t *nr_left)
{
	struct go_values v = go_values_begin(u->table, f, f->stack_values);
	uint64_t start, end, reached = f->start;
	struct cfi_state s;
	int32_t delta;

	while (*nr_left && go_values_next(&v, &start, &end, &delta)) {
		if (start == f->start && !sink->begin(sink->ctx, f->start, f->end))
			return;
		if (is_frame_size(u, delta))
			set_state(u->arch, &s, u->arch->sp, delta);
		sink->row(sink->ctx, start, is_frame_size(u, delta) ? &s : NULL, u->arch->ra, false);
		reached = end;
		--*nr_left;
	}
	if (reached != f->start && reached < f->end)
		sink->row(sink->ctx, reached, NULL, u->arch->ra, false);
}

void go_unwind_rows(const struct go_unwind *u, const struct cfi_sink *sink)
{
	/* Functions share tables; real programs have a row for every ten bytes. */
	uint64_t nr_left = u->table->size;
	struct go_function f;

	for (uint32_t i = 0; i < u->table->nr_functions && u->table->ptr_size == u->arch->word_bytes; i++)
		if (go_pclntab_function(u->table, i, &f) && f.stack_values)
			add_function(u, &f, sink, &nr_left);
}

enum role {
	ROLE_NONE,
	ROLE_SWITCH, /* changes the stack, perhaps */
	ROLE_END,    /* has no caller */
	ROLE_THREAD, /* a thread's first function, the end of the stack where it calls */
	ROLE_CALLED, /* the end of Go's own traces, but there is a caller: the kernel's return from signals, or C code */
};

/* Before 1.17 the table does not say which functions change the stack. */
static enum role role_of(const struct go_unwind *u, const struct go_function *f)
{
	static const struct {
		const char *name;
		enum role role;
	} roles[] = {
		{ "runtime.goexit", ROLE_END },
		{ "runtime.rt0_go", ROLE_END },
		{ "runtime.clone", ROLE_THREAD },
		{ "runtime.mcall", ROLE_SWITCH },
		{ "runtime.systemstack", ROLE_SWITCH },
		{ "runtime.morestack", ROLE_SWITCH },
		{ "runtime.asmcgocall", ROLE_SWITCH },
		{ "runtime.cgocallback", ROLE_SWITCH },
		{ "runtime.cgocallback_gofunc", ROLE_SWITCH },
		{ "runtime.nanotime1", ROLE_SWITCH },
		{ "runtime.nanotime", ROLE_SWITCH },
		{ "runtime.walltime1", ROLE_SWITCH },
		{ "runtime.walltime", ROLE_SWITCH },
		{ "runtime.gogo", ROLE_SWITCH },
	};
	size_t len;
	const char *name = go_pclntab_name(u->table, f->name, &len);

	for (size_t i = 0; name && len > 8 && memcmp(name, "runtime.", 8) == 0 && i < sizeof(roles) / sizeof(roles[0]); i++)
		if (strlen(roles[i].name) == len && memcmp(name, roles[i].name, len) == 0)
			return roles[i].role;
	if (f->writes_sp)
		return ROLE_SWITCH;
	return f->is_top ? ROLE_CALLED : ROLE_NONE;
}

static void add_range(const struct go_unwind *u, uint64_t from, uint64_t to, const struct cfi_state *s, const struct cfi_sink *sink)
{
	if (from < to && sink->begin(sink->ctx, from, to))
		sink->row(sink->ctx, from, s, u->arch->ra, false);
}

static void add_end(const struct go_unwind *u, uint64_t from, uint64_t to, const struct cfi_sink *sink)
{
	struct cfi_state s = { .set = UINT64_C(1) << u->arch->ra };

	s.regs[u->arch->ra].how = HOW_UNDEFINED;
	add_range(u, from, to, &s, sink);
}

/* How far the stack pointer is below the frame; negative: not known. */
static int32_t delta_at(const struct go_unwind *u, const struct go_function *f, uint64_t addr)
{
	struct go_values v = go_values_begin(u->table, f, f->stack_values);
	uint64_t start, end;
	int32_t delta;

	while (go_values_next(&v, &start, &end, &delta))
		if (addr >= start && addr < end)
			return is_frame_size(u, delta) ? delta : -1;
	return -1;
}

/* What a function's code does with the stack pointer, as offsets behind the instructions. */
struct switching {
	uint32_t nr_set, first_end, last_end;
	uint8_t kept; /* the register that has the old one, ARCH_NO_REG: none */
	uint32_t kept_at, kept_end, restored_end;
};

static struct switching find_switching(const struct arch_ops *arch, const uint8_t *code, uint32_t size)
{
	struct switching s = { .kept = ARCH_NO_REG };
	uint32_t step = arch->lr == ARCH_NO_REG ? 1 : 4;
	struct arch_sp_use use;

	for (uint32_t at = 0; at < size; at += step) {
		uint32_t end;

		if (!arch->sp_use(code + at, size - at, &use))
			continue;
		end = at + use.size_bytes;
		if (use.is_copy && !s.nr_set) {
			s.kept = use.reg;
			s.kept_at = at;
			s.kept_end = end;
		} else if (!use.is_copy) {
			s.first_end = s.nr_set++ ? s.first_end : end;
			s.last_end = end;
			if (use.reg == s.kept && s.kept != ARCH_NO_REG)
				s.restored_end = end;
		}
	}
	return s;
}

static void add_switch(const struct go_unwind *u, const struct go_function *f, const struct cfi_sink *sink)
{
	const struct arch_ops *arch = u->arch;
	uint8_t code[MAX_CODE_BYTES];
	size_t want = f->end - f->start < sizeof(code) ? (size_t)(f->end - f->start) : sizeof(code);
	struct switching s = find_switching(arch, code, (uint32_t)u->read(u->ctx, f->start, code, want));
	int32_t delta = s.restored_end ? delta_at(u, f, f->start + s.kept_at) : -1;
	struct cfi_state state;

	if (delta >= 0 && (delta || arch->lr == ARCH_NO_REG)) {
		set_state(arch, &state, s.kept, delta);
		state.is_switch = true;
		/* Code behind that is reached by jumps while the register still has it, unless it is the frame pointer, which is restored.
		 *  */
		add_range(u, f->start + s.kept_end, s.kept == arch->fp ? f->start + s.restored_end : f->end, &state, sink);
	} else if (s.nr_set) {
		/* A single change is for good. */
		add_end(u, f->start + s.first_end, s.nr_set == 1 ? f->end : f->start + s.last_end, sink);
	}
}

/* Behind a call the link register has another address: the rows cover the bytes of calls, where only return addresses lie. */
static void add_thread(const struct go_unwind *u, const struct go_function *f, const struct cfi_sink *sink)
{
	uint8_t code[MAX_CODE_BYTES];
	size_t size = u->read(u->ctx, f->start, code, f->end - f->start < sizeof(code) ? (size_t)(f->end - f->start) : sizeof(code));
	struct arch_call call;

	for (size_t end = 4; end <= size; end += 4)
		if (u->arch->call_before(code, end, &call))
			add_end(u, f->start + end - 3, f->start + end, sink);
}

void go_unwind_switches(const struct go_unwind *u, const struct cfi_sink *sink)
{
	const struct go_pclntab *t = u->table;
	uint64_t nr_rows = t->size;
	struct go_function f;
	uint32_t nr = 0;

	if (t->ptr_size != u->arch->word_bytes)
		return;
	for (uint32_t i = 0; i < t->nr_functions && nr < MAX_SWITCHES; i++) {
		enum role role = go_pclntab_function(t, i, &f) ? role_of(u, &f) : ROLE_NONE;

		nr += role != ROLE_NONE;
		/* Where instructions cannot be read, no part of the function is relied on. */
		if (role == ROLE_END || (role == ROLE_SWITCH && !u->arch->sp_use))
			add_end(u, f.start, f.end, sink);
		else if (role == ROLE_THREAD && u->arch->lr != ARCH_NO_REG && u->arch->call_before)
			add_thread(u, &f, sink);
		else if (role == ROLE_CALLED)
			add_function(u, &f, sink, &nr_rows);
		else if (role != ROLE_NONE && u->arch->sp_use)
			add_switch(u, &f, sink);
	}
}
