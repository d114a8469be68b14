/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The tree is linked first, then printed. Records name parents by tid, so a tree may lack a parent or contain a cycle (tids are reused):
 * such a task is placed at the top.
 *
 * Tasks are in perf's order: that of its table of 256 lists by tid, each parent placed with its first child.
 */
#include "view/report.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/escape.h"

#define NR_LISTS 256u
#define NODE_NONE UINT32_MAX
#define MAPS_INDENT 32

struct task_node {
	const struct task *task;
	uint32_t parent, first_child, last_child, next_sibling;
	uint32_t walk; /* the climb that linked it; 0: not yet */
};

struct task_tree {
	struct task_node *v; /* by (tid % 256, tid) */
	uint32_t nr;
	struct task_node top; /* its children are the roots */
};

static int cmp_tids(int32_t a, int32_t b)
{
	return COMPARE((uint32_t)a % NR_LISTS, (uint32_t)b % NR_LISTS) ?: COMPARE(a, b);
}

static int cmp_nodes(const void *a, const void *b)
{
	const struct task_node *na = a, *nb = b;

	return cmp_tids(na->task->tid, nb->task->tid);
}

static uint32_t find_tid(const struct task_tree *t, int32_t tid)
{
	uint32_t at = vec_search(t->nr, i, cmp_tids(t->v[i].task->tid, tid) >= 0);

	return at < t->nr && t->v[at].task->tid == tid ? at : NODE_NONE;
}

static void append_child(struct task_tree *t, uint32_t parent, uint32_t child)
{
	struct task_node *p = parent == NODE_NONE ? &t->top : &t->v[parent];

	t->v[child].parent = parent;
	if (p->last_child == NODE_NONE)
		p->first_child = child;
	else
		t->v[p->last_child].next_sibling = child;
	p->last_child = child;
}

/* Links a task to its parent, that one to its own, and so on up to one that is linked already. */
static void climb(struct task_tree *t, uint32_t node, uint32_t walk)
{
	while (node != NODE_NONE && !t->v[node].walk) {
		uint32_t parent = t->v[node].task->ppid < 0 ? NODE_NONE : find_tid(t, t->v[node].task->ppid);

		t->v[node].walk = walk;
		if (parent != NODE_NONE && t->v[parent].walk == walk)
			parent = NODE_NONE; /* a circle */
		append_child(t, parent, node);
		node = parent;
	}
}

static void tree_init(struct task_tree *t, const struct task_table *table)
{
	const struct task_node empty = { NULL, NODE_NONE, NODE_NONE, NODE_NONE, NODE_NONE, 0 };

	*t = (struct task_tree){ .top = empty };
	t->v = mem_realloc(NULL, table->tasks.nr + 1, sizeof(*t->v));
	for (uint32_t i = 0; i < table->tasks.nr; i++) {
		if (table->tasks.v[i]->superseded)
			continue;
		t->v[t->nr] = empty;
		t->v[t->nr++].task = table->tasks.v[i];
	}
	qsort(t->v, t->nr, sizeof(*t->v), cmp_nodes);
	for (uint32_t i = 0; i < t->nr; i++)
		climb(t, i, i + 1);
}

static void put_maps(struct out *o, const struct machine *machine, const struct task *task, int level)
{
	const struct map_set *set = task_maps(task);

	/* Output may have a limit, and maps of a hundred thousand tasks be the same ones. */
	for (uint32_t i = 0; i < map_set_nr(set) && !o->error; i++) {
		const struct map *m = map_set_at(set, i);
		const char *path = dso_table_get(&machine->dsos, m->dso)->path;

		out_spaces(o, MAPS_INDENT + level);
		out_hex(o, m->start, 0);
		out_char(o, '-');
		out_hex(o, m->end, 0);
		out_printf(o, " %c%c%c%c %08llx %llu ", m->prot & PROT_READ ? 'r' : '-', m->prot & PROT_WRITE ? 'w' : '-',
			   m->prot & PROT_EXEC ? 'x' : '-', m->flags & MAP_SHARED ? 's' : 'p', (unsigned long long)m->pgoff,
			   (unsigned long long)m->ino);
		escape_terminal_str(o, path);
		out_char(o, '\n');
	}
}

static void put_task(struct out *o, const struct machine *machine, const struct task *task, int level, bool mmaps)
{
	out_printf(o, "%10d %8d %8d |", task->pid, task->tid, task->ppid);
	out_spaces(o, level);
	escape_terminal_str(o, machine_comm(machine, task));
	out_char(o, '\n');
	if (mmaps)
		put_maps(o, machine, task, level);
}

void tasks_text(struct out *o, const struct machine *machine, bool mmaps)
{
	struct task_tree t;
	int level = 0;

	tree_init(&t, &machine->tasks);
	out_str(o, "#      pid      tid     ppid  comm\n");
	/* Parents first, without recursion: the depth is the file's. */
	for (uint32_t n = t.top.first_child; n != NODE_NONE && !o->error;) {
		put_task(o, machine, t.v[n].task, level, mmaps);
		if (t.v[n].first_child != NODE_NONE) {
			n = t.v[n].first_child;
			level++;
			continue;
		}
		while (n != NODE_NONE && t.v[n].next_sibling == NODE_NONE) {
			n = t.v[n].parent;
			level--;
		}
		if (n != NODE_NONE)
			n = t.v[n].next_sibling;
	}
	free(t.v);
}
