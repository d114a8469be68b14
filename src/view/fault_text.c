/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Three tables of the same faults, each with the most first.
 */
#include "view/fault_text.h"

#include "base/escape.h"
#include "base/json.h"
#include "view/lock_text.h"

#define STACK_INDENT 27

/* What names a row. */
typedef void name_fn(struct out *o, struct profile *p, const struct pair_group *g);

static void put_thread(struct out *o, struct profile *p, const struct pair_group *g)
{
	const struct profile_task *t = &p->tasks.v[g->last->task]; /* by its last name */

	escape_terminal_str(o, profile_str(p, t->comm));
	out_printf(o, " (%d)", t->tid);
}

static void put_memory(struct out *o, struct profile *p, const struct pair_group *g)
{
	uint32_t location = g->row->location, dso = location == PAIR_NO_LOCATION ? DSO_NONE : p->locations.v[location].at.dso;
	const struct profile_frame *f;

	if (dso == DSO_NONE) {
		out_str(o, "[unknown]");
		return;
	}
	escape_terminal_str(o, profile_dso(p, dso)->path);
	f = profile_frame_at(p, location);
	if (!profile_is_named(f))
		return;
	out_str(o, "  ");
	escape_terminal_str(o, profile_str(p, f->function));
}

static void put_code(struct out *o, struct profile *p, const struct pair_group *g)
{
	uint32_t location, dso;

	/* A file may claim any address, also one that is none. */
	if (g->caller_node == STACK_TREE_ROOT) {
		out_str(o, "[unknown]");
		return;
	}
	location = stack_tree_frame(&p->tree, g->caller_node);
	dso = p->locations.v[location].at.dso;
	lock_text_place(o, p, location, true);
	if (dso == DSO_NONE)
		return;
	out_str(o, " (");
	escape_terminal_str(o, profile_dso(p, dso)->path);
	out_char(o, ')');
}

/* The callers of a place. */
static void put_callers(const struct fault_text *t, struct out *o, struct profile *p, uint32_t node)
{
	uint32_t nr = 1;

	if (node == STACK_TREE_ROOT)
		return;
	for (uint32_t n = stack_tree_parent(&p->tree, node); n != STACK_TREE_ROOT; n = stack_tree_parent(&p->tree, n)) {
		if (t->max_frames && nr++ == t->max_frames)
			return;
		out_spaces(o, STACK_INDENT);
		lock_text_place(o, p, stack_tree_frame(&p->tree, n), true);
		out_char(o, '\n');
	}
}

static struct pair_groups groups_of(const struct fault_text *t, struct pair_sums *s, enum pair_groups_by by)
{
	static const enum pair_sort keys[] = { PAIR_SORT_NR, PAIR_SORT_OBJECT };
	struct pair_groups g = { 0 };

	/* Without stacks, places in the code are rows. */
	pair_groups_make(&g, s, by, t->shows_stacks ? UINT32_MAX : 1);
	pair_groups_sort_by(&g, keys, 2);
	return g;
}

static void put_table(const struct fault_text *t, struct out *o, struct pair_sums *s, enum pair_groups_by by, const char *heading,
		      name_fn *name)
{
	struct pair_groups g = groups_of(t, s, by);
	bool is_code = by == PAIR_GROUPS_BY_CALLER;
	uint64_t nr_left = 0;

	out_printf(o, "     faults      major   %s\n   --------   --------   ", heading);
	for (const char *c = heading; *c; c++)
		out_char(o, '-');
	out_char(o, '\n');
	for (uint32_t i = 0; i < g.v.nr; i++) {
		const struct pair_amounts *a = &g.v.v[i].amounts;

		if (t->max_rows && i >= t->max_rows) {
			nr_left += a->nr;
			continue;
		}
		out_printf(o, "   %8llu   %8llu   ", (unsigned long long)a->nr, (unsigned long long)a->nr_major);
		name(o, s->profile, &g.v.v[i]);
		out_char(o, '\n');
		if (is_code && t->shows_stacks)
			put_callers(t, o, s->profile, g.v.v[i].caller_node);
	}
	if (nr_left)
		out_printf(o, "   %8llu   in %u more rows\n", (unsigned long long)nr_left, g.v.nr - t->max_rows);
	out_char(o, '\n');
	pair_groups_fini(&g);
}

static struct pair_amounts sum_up(const struct pair_sums *s)
{
	struct pair_amounts all = { 0 };

	for (uint32_t i = 0; i < s->rows.nr; i++)
		pair_amounts_add(&all, &s->rows.v[i].amounts);
	return all;
}

void fault_text_print(const struct fault_text *t, struct out *o, struct pair_sums *s)
{
	const struct pair_amounts all = sum_up(s);

	out_printf(o, "\n Summary of page faults: %llu, %llu of them major\n\n", (unsigned long long)all.nr,
		   (unsigned long long)all.nr_major);
	if (!all.nr)
		return;
	put_table(t, o, s, PAIR_GROUPS_BY_TASK, "thread", put_thread);
	put_table(t, o, s, PAIR_GROUPS_BY_PLACE, "memory that was touched", put_memory);
	put_table(t, o, s, PAIR_GROUPS_BY_CALLER, "code that touched it", put_code);
}

/* ---- JSON ---- */

static void json_place(struct json *j, struct profile *p, uint32_t location, bool has_symbol)
{
	uint32_t dso = location == PAIR_NO_LOCATION ? DSO_NONE : p->locations.v[location].at.dso;
	const struct profile_frame *f;

	if (dso == DSO_NONE)
		return;
	json_put_str(j, "dso", profile_dso(p, dso)->path);
	f = profile_frame_at(p, location);
	if (has_symbol && f->function)
		json_put_str(j, "symbol", profile_str(p, f->function));
}

static void json_name(const struct fault_text *t, struct json *j, struct profile *p, const struct pair_group *g, enum pair_groups_by by)
{
	const struct profile_task *task = &p->tasks.v[g->last->task];
	uint32_t location;

	switch (by) {
	case PAIR_GROUPS_BY_TASK:
		json_put_i64(j, "pid", task->pid);
		json_put_i64(j, "tid", task->tid);
		json_put_str(j, "comm", profile_str(p, task->comm));
		break;
	case PAIR_GROUPS_BY_PLACE:
		location = g->row->location;
		json_place(j, p, location, location != PAIR_NO_LOCATION && profile_is_named(profile_frame_at(p, location)));
		break;
	default:
		if (g->caller_node == STACK_TREE_ROOT)
			break;
		json_put_hex(j, "ip", g->caller_ip);
		json_place(j, p, stack_tree_frame(&p->tree, g->caller_node), true);
		lock_json_stack(j, p, "stack", g->row->stack, t->max_frames ? t->max_frames : UINT32_MAX);
	}
}

static void json_table(const struct fault_text *t, struct json *j, struct pair_sums *s, const char *key, enum pair_groups_by by)
{
	struct pair_groups g = groups_of(t, s, by);

	json_put_array(j, key);
	for (uint32_t i = 0; i < g.v.nr && (!t->max_rows || i < t->max_rows); i++) {
		json_object(j);
		json_put_u64(j, "faults", g.v.v[i].amounts.nr);
		json_put_u64(j, "major", g.v.v[i].amounts.nr_major);
		json_name(t, j, s->profile, &g.v.v[i], by);
		json_object_end(j);
	}
	json_array_end(j);
	pair_groups_fini(&g);
}

void fault_json_print(const struct fault_text *t, struct out *o, struct pair_sums *s)
{
	const struct pair_amounts all = sum_up(s);
	struct json j;

	json_init(&j, o, false);
	json_object(&j);
	json_put_u64(&j, "faults", all.nr);
	json_put_u64(&j, "major", all.nr_major);
	json_table(t, &j, s, "threads", PAIR_GROUPS_BY_TASK);
	json_table(t, &j, s, "memory", PAIR_GROUPS_BY_PLACE);
	json_table(t, &j, s, "code", PAIR_GROUPS_BY_CALLER);
	json_object_end(&j);
	out_char(o, '\n');
}
