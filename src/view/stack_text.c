/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One thread after the other, one frame a line. Names come from the target and are escaped.
 */
#include "view/stack.h"

#include <string.h>

#include "base/escape.h"

static void escaped_id(const struct stack_text *t, uint32_t id)
{
	escape_terminal_str(t->o, snapshot_str(t->snapshot, id));
}

static const char *path_of(const struct stack_text *t, uint32_t dso)
{
	return dso == DSO_NONE ? "[unknown]" : dso_table_get(t->dsos, dso)->path;
}

void stack_text_modules(const struct stack_text *t)
{
	out_printf(t->o, "PID %d - %s module memory map\n", t->pid, t->is_core ? "core" : "process");
	for (uint32_t i = 0; i < t->modules->modules.nr; i++) {
		const struct snapshot_module *m = &t->modules->modules.v[i];
		const struct dso *d = dso_table_get(t->dsos, m->dso);

		out_printf(t->o, "0x%016llx-0x%016llx ", (unsigned long long)m->start, (unsigned long long)m->end);
		if (d->kind == MODULE_VDSO)
			out_printf(t->o, "[vdso: %d]", t->pid);
		else
			escape_terminal_str(t->o, d->short_name);
		out_char(t->o, '\n');
		if (m->build_id[0])
			out_printf(t->o, "  [%s]\n", m->build_id);
		out_str(t->o, "  ");
		if (d->kind == MODULE_VDSO) {
			out_str(t->o, "-\n");
			continue;
		}
		escape_terminal_str(t->o, d->path);
		out_str(t->o, "\n  ");
		escape_terminal_str(t->o, m->debug_file ? m->debug_file : "-");
		out_char(t->o, '\n');
	}
}

static void print_build_id(const struct stack_text *t, const struct snapshot_place *p)
{
	const struct snapshot_module *m = snapshot_modules_find(t->modules, p->at.at.dso);

	if (m)
		out_printf(t->o, "    [%s]@0x%llx+0x%llx\n", m->build_id, (unsigned long long)m->start,
			   (unsigned long long)(p->at.at.ip - m->start));
}

static void print_source(const struct stack_text *t, const struct snapshot_frame *f, bool column)
{
	escaped_id(t, f->file);
	if (f->line)
		out_printf(t->o, ":%u", f->line);
	if (column && f->line && f->column)
		out_printf(t->o, ":%u", f->column);
}

static void print_frame(const struct stack_text *t, const struct snapshot_place *p, const struct snapshot_frame *f, uint32_t nr)
{
	struct out *o = t->o;

	out_printf(o, "#%-2u ", nr);
	if (p->kernel)
		out_str(o, "[kernel]          "); /* as wide as an address */
	else
		out_printf(o, "0x%016llx", (unsigned long long)p->at.pc);
	if (t->activations && !p->kernel)
		out_str(o, p->at.pc == p->at.at.ip ? "    " : " - 1");
	if (!t->quiet && f->function) {
		out_char(o, ' ');
		escaped_id(t, p->kernel ? p->kernel : f->function);
	}
	if (t->comments && f->is_inlined)
		out_str(o, " (inlined)");
	if (t->module_names && !p->kernel && p->at.at.dso != DSO_NONE) {
		out_str(o, " - ");
		escape_terminal_str(t->o, path_of(t, p->at.at.dso));
	} else if (t->comments && !t->quiet && !f->function && !p->kernel) {
		/* A frame without a name says at least where it is. */
		out_str(o, " ?? in ");
		escape_terminal_str(t->o, path_of(t, p->at.at.dso));
	}
	if (t->source_at && f->file) {
		out_str(o, " at ");
		print_source(t, f, false);
	}
	out_char(o, '\n');
	if (t->build_ids && !p->kernel)
		print_build_id(t, p);
	if (t->source_lines && f->file) {
		out_str(o, "    ");
		print_source(t, f, true);
		out_char(o, '\n');
	}
}

static const char *reason(enum unwind_end end)
{
	switch (end) {
	case UNWIND_TRUNCATED:
	case UNWIND_BAD_MEMORY:
		return "memory of the stack cannot be read";
	case UNWIND_LIMIT:
		return "more frames than -n allows";
	case UNWIND_NO_MAP:
		return "the next return address lies in no code";
	case UNWIND_NO_RULE:
		return "no call frame information for the last frame, and the frame pointer leads nowhere";
	case UNWIND_NO_PROGRESS:
		return "the next frame would not lie above the last";
	default:
		return NULL;
	}
}

static void print_heading(const struct stack_text *t, const struct snapshot_sighting *g)
{
	out_printf(t->o, "TID %d:", g->tid);
	if (t->comments && (g->comm || g->state)) {
		out_str(t->o, " # ");
		escaped_id(t, g->comm);
		if (g->comm && g->state)
			out_str(t->o, ", ");
		escaped_id(t, g->state);
	}
	out_char(t->o, '\n');
}

static void print_thread(const struct stack_text *t, const struct snapshot_sighting *g)
{
	const struct snapshot *s = t->snapshot;
	const struct snapshot_stack *k = &s->stacks.v[g->stack];
	uint32_t nr = 0;

	print_heading(t, g);
	for (uint32_t i = 0; i < k->nr; i++) {
		const struct snapshot_place *p = &s->places.v[s->chain.v[k->first + i]];

		for (uint32_t j = 0; j < p->nr_frames; j++)
			print_frame(t, p, &s->frames.v[p->first_frame + j], nr++);
	}
	if (t->comments && !snapshot_is_complete(s, g)) {
		out_str(t->o, "    # incomplete: ");
		escape_terminal_str(t->o, g->why ? snapshot_str(s, g->why) : reason(k->walk.end));
		out_char(t->o, '\n');
	}
	if (t->comments && k->walk.guessed)
		out_str(t->o,
			"    # guessed: code without call frame information was passed by the frame pointer; frames may be missing\n");
}

void stack_text_threads(const struct stack_text *t)
{
	if (!t->no_heading)
		out_printf(t->o, "PID %d - %s\n", t->pid, t->is_core ? "core" : "process");
	for (uint32_t i = 0; i < t->snapshot->sightings.nr; i++)
		print_thread(t, &t->snapshot->sightings.v[i]);
}
