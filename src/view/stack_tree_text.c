/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Repeated snapshots of one process: the tree of functions with counts, indented where it branches, and folded lines. No recursion: the
 * depth is the target's.
 */
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "view/stack.h"

#define NONE SNAPSHOT_NONE
#define MAX_STEPS 60 /* as far as a line can show */

/* A function, or the address and file of one without a name. */
static void print_name(const struct stack_text *t, const struct snapshot_node *n)
{
	const struct snapshot *s = t->snapshot;
	const char *text = snapshot_str(s, n->name);
	const struct stack_place *at;

	if (n->name) {
		if (n->is_kernel)
			out_str(t->o, "[kernel] ");
		escape_terminal_str(t->o, text);
		if (n->is_inlined)
			out_str(t->o, " (inlined)");
		return;
	}
	at = &s->places.v[n->place].at;
	out_printf(t->o, "0x%llx", (unsigned long long)at->pc);
	if (at->at.dso != DSO_NONE) {
		out_str(t->o, " in ");
		escape_terminal_str(t->o, dso_table_get(t->dsos, at->at.dso)->short_name);
	}
}

/* The next in the order of the page: first child, next sibling, or the next sibling of whom it hangs below. */
static uint32_t next_node(const struct snapshot_tree *tree, uint32_t id, uint32_t root)
{
	if (tree->nodes.v[id].first_child != NONE)
		return tree->nodes.v[id].first_child;
	while (id != root && tree->nodes.v[id].next == NONE)
		id = tree->nodes.v[id].parent;
	return id == root ? NONE : tree->nodes.v[id].next;
}

/* How far in each function stands: one step for each that branches above it. */
static void set_indents(const struct snapshot_tree *tree, uint32_t root, uint32_t *indents)
{
	indents[root] = 0;
	for (uint32_t id = next_node(tree, root, root); id != NONE; id = next_node(tree, id, root)) {
		const struct snapshot_node *n = &tree->nodes.v[id], *up = &tree->nodes.v[n->parent];
		bool alone = up->first_child == id && n->next == NONE && n->count == up->count;

		indents[id] = indents[n->parent] + (!alone && n->parent != root);
	}
}

static void print_group(const struct stack_text *t, const struct snapshot_tree *tree, uint32_t root, uint32_t *indents)
{
	const struct snapshot_node *group = &tree->nodes.v[root];
	const char *comm = snapshot_str(t->snapshot, group->name);

	if (group->tid >= 0)
		out_printf(t->o, "TID %d: # ", group->tid);
	else
		out_str(t->o, "Threads ");
	escape_terminal_str(t->o, comm);
	out_printf(t->o, ", %u stack%s\n", group->count, group->count == 1 ? "" : "s");
	set_indents(tree, root, indents);
	for (uint32_t id = next_node(tree, root, root); id != NONE; id = next_node(tree, id, root)) {
		const struct snapshot_node *n = &tree->nodes.v[id];
		uint32_t step = indents[id] < MAX_STEPS ? indents[id] : MAX_STEPS;

		out_printf(t->o, "%6.2f%% %6u  ", 100.0 * n->count / group->count, n->count);
		out_spaces(t->o, (int)(2 * step));
		print_name(t, n);
		out_char(t->o, '\n');
	}
}

void stack_text_tree(const struct stack_text *t, const struct snapshot_tree *tree)
{
	uint32_t *indents = mem_realloc(NULL, tree->nodes.nr + 1, sizeof(*indents));

	if (!t->no_heading)
		out_printf(t->o, "PID %d - process, %u snapshot%s %g ms apart\n", t->pid, t->nr_rounds, t->nr_rounds == 1 ? "" : "s",
			   t->interval_ms);
	for (uint32_t id = tree->nodes.v[SNAPSHOT_ROOT].first_child; id != NONE; id = tree->nodes.v[id].next)
		print_group(t, tree, id, indents);
	free(indents);
}

/* What separates frames cannot stand in one. */
static void print_folded(const struct stack_text *t, const char *name)
{
	size_t len;

	for (; *name; name += len + !!name[len]) {
		len = strcspn(name, ";");
		escape_terminal(t->o, name, len);
		if (name[len])
			out_char(t->o, ':');
	}
}

static void print_folded_node(const struct stack_text *t, const struct snapshot_node *n)
{
	const struct location *at;

	if (n->name) {
		print_folded(t, snapshot_str(t->snapshot, n->name));
		/* as the flame graph scripts mark them */
		out_str(t->o, n->is_kernel ? "_[k]" : n->is_inlined ? "_[i]" : "");
		return;
	}
	at = &t->snapshot->places.v[n->place].at.at;
	out_char(t->o, '[');
	print_folded(t, at->dso == DSO_NONE ? "unknown" : dso_table_get(t->dsos, at->dso)->short_name);
	out_char(t->o, ']');
}

/* What was seen at a function itself: all but what its children have. */
static uint32_t own_count(const struct snapshot_tree *tree, const struct snapshot_node *n)
{
	uint32_t count = n->count;

	for (uint32_t id = n->first_child; id != NONE; id = tree->nodes.v[id].next)
		count -= tree->nodes.v[id].count;
	return count;
}

void stack_text_folded(const struct stack_text *t, const struct snapshot_tree *tree)
{
	VEC(uint32_t) path = { 0 };

	for (uint32_t i = SNAPSHOT_ROOT + 1; i < tree->nodes.nr; i++) {
		uint32_t count = own_count(tree, &tree->nodes.v[i]);

		if (!count)
			continue;
		path.nr = 0;
		for (uint32_t id = i; id != SNAPSHOT_ROOT; id = tree->nodes.v[id].parent)
			vec_push(&path, id);
		print_folded(t, snapshot_str(t->snapshot, tree->nodes.v[path.v[path.nr - 1]].name));
		if (tree->nodes.v[path.v[path.nr - 1]].tid >= 0)
			out_printf(t->o, "-%d", tree->nodes.v[path.v[path.nr - 1]].tid);
		for (uint32_t j = path.nr - 1; j-- > 0;) {
			out_char(t->o, ';');
			print_folded_node(t, &tree->nodes.v[path.v[j]]);
		}
		out_printf(t->o, " %u\n", count);
	}
	vec_fini(&path);
}
