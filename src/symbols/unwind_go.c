/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Rows of an unwind table from the table that Go programs carry for their own stack traces: how far the stack pointer is below its place
 * at the call, for each address, and which functions no caller is to be looked for of. Those begin a stack (goexit, mstart), or change to
 * another one (systemstack, mcall, asmcgocall): what is above them there was left by others. Stripping takes .debug_frame away, not this.
 */
#include "symbols/unwind_build.h"

#define MAX_FRAME_BYTES (INT32_MAX - 8)

static struct cfi_state outermost(const struct arch_ops *arch)
{
	struct cfi_state s = { .set = UINT64_C(1) << arch->ra };

	s.regs[arch->ra] = (struct cfi_reg){ HOW_UNDEFINED, 0 };
	return s;
}

/* A call has pushed the return address, or the function saves the link register where its stack pointer is. */
static bool frame_of(const struct arch_ops *arch, int32_t below, struct cfi_state *s)
{
	int32_t pushed = arch->lr == ARCH_NO_REG ? arch->word_bytes : 0;

	if (below < -MAX_FRAME_BYTES || below > MAX_FRAME_BYTES)
		return false;
	*s = (struct cfi_state){ .cfa = CFI_CFA_REG, .cfa_reg = arch->sp, .cfa_value = below + pushed };
	if (pushed || below > 0) {
		s->set = UINT64_C(1) << arch->ra;
		s->regs[arch->ra] = (struct cfi_reg){ HOW_OFFSET, pushed ? -pushed : -below };
	}
	return true;
}

/* Functions share values, so that a hostile table has more of them than bytes; a real one never. */
static void add_frames(const struct go_pclntab *t, const struct go_function *f, const struct arch_ops *arch, const struct cfi_sink *sink,
		       size_t *left)
{
	struct go_values v = go_values_begin(t, f, f->stack_values);
	uint64_t start, end, known = f->start;
	struct cfi_state s;
	int32_t below;

	if (!sink->begin(sink->ctx, f->start, f->end))
		return;
	for (; *left && go_values_next(&v, &start, &end, &below); known = end, --*left)
		sink->row(sink->ctx, start, frame_of(arch, below, &s) ? &s : NULL, arch->ra, false);
	if (known < f->end)
		sink->row(sink->ctx, known, NULL, arch->ra, false);
}

void unwind_go_frames(const struct go_pclntab *t, const struct arch_ops *arch, const struct cfi_sink *sink)
{
	size_t left = t->size;
	struct go_function f;

	for (uint32_t i = 0; i < t->nr_functions && left; i++)
		if (go_pclntab_function(t, i, &f) && f.start < f.end)
			add_frames(t, &f, arch, sink, &left);
}

void unwind_go_ends(const struct go_pclntab *t, const struct arch_ops *arch, const struct cfi_sink *sink)
{
	struct cfi_state s = outermost(arch);
	struct go_function f;

	for (uint32_t i = 0; i < t->nr_functions; i++)
		if (go_pclntab_function(t, i, &f) && f.has_no_caller && f.start < f.end && sink->begin(sink->ctx, f.start, f.end))
			sink->row(sink->ctx, f.start, &s, arch->ra, false);
}
