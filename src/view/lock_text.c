/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One table of columns for figures, and what names a row: its caller, its thread, or its lock.
 */
#include "view/lock_text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/json.h"

#define TIME_WIDTH 12
#define WAKER_WIDTH 22

static const struct lock_column {
	const char *name, *heading, *json;
	bool is_count;
} columns[] = {
	[PAIR_SORT_COUNT] = { "contended", "contended", "contended", true },
	[PAIR_SORT_TOTAL] = { "wait_total", "total wait", "wait_total_ns", false },
	[PAIR_SORT_MAX] = { "wait_max", "max wait", "wait_max_ns", false },
	[PAIR_SORT_MIN] = { "wait_min", "min wait", "wait_min_ns", false },
	[PAIR_SORT_MEAN] = { "avg_wait", "avg wait", "avg_wait_ns", false },
};
#define NR_COLUMNS (sizeof(columns) / sizeof(columns[0]))

static int find_column(const char *name, size_t len, const char *option, enum pair_sort *found, struct errbuf *eb)
{
	for (size_t i = 0; i < NR_COLUMNS; i++)
		if (strlen(columns[i].name) == len && !memcmp(columns[i].name, name, len)) {
			*found = (enum pair_sort)i;
			return 0;
		}
	return errbuf_set(eb, -EINVAL, "%s: unknown column '%.*s' (contended, wait_total, wait_max, wait_min, avg_wait)", option, (int)len,
			  name);
}

int lock_text_find_column(const char *name, const char *option, enum pair_sort *found, struct errbuf *eb)
{
	return find_column(name, strlen(name), option, found, eb);
}

void lock_text_add_column(struct lock_text *t, enum pair_sort column)
{
	for (uint32_t i = 0; i < t->nr_columns; i++)
		if (t->columns[i] == column)
			return;
	t->columns[t->nr_columns++] = column;
}

int lock_text_set_columns(struct lock_text *t, const char *list, const char *option, struct errbuf *eb)
{
	t->nr_columns = 0;
	for (const char *word = list;; word++) {
		size_t len = strcspn(word, ",");
		enum pair_sort column;
		int err = find_column(word, len, option, &column, eb);

		if (err)
			return err;
		lock_text_add_column(t, column);
		word += len;
		if (!*word)
			return 0;
	}
}

static uint64_t figure_of(const struct pair_figures *f, enum pair_sort column)
{
	return column == PAIR_SORT_COUNT   ? f->nr
	       : column == PAIR_SORT_TOTAL ? f->total_ns
	       : column == PAIR_SORT_MAX   ? f->max_ns
	       : column == PAIR_SORT_MIN   ? f->min_ns
					   : pair_figures_mean(f);
}

/* In single precision, as perf: it decides which way halves are rounded. */
static void put_time(struct out *o, uint64_t ns)
{
	static const struct {
		float ns;
		const char *unit;
	} units[] = { { 3600e9F, "h" }, { 60e9F, "m" }, { 1e9F, "s" }, { 1e6F, "ms" }, { 1e3F, "us" } };
	char text[32];

	snprintf(text, sizeof(text), "%llu ns", (unsigned long long)ns);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if ((float)ns >= units[i].ns) {
			snprintf(text, sizeof(text), "%.2f %s", (double)((float)ns / units[i].ns), units[i].unit);
			break;
		}
	out_printf(o, " %*s", TIME_WIDTH, text);
}

static void put_headings(const struct lock_text *t, struct out *o)
{
	for (uint32_t i = 0; i < t->nr_columns; i++)
		out_printf(o, " %*s", columns[t->columns[i]].is_count ? 9 : TIME_WIDTH, columns[t->columns[i]].heading);
	if (t->shows_wakers)
		out_printf(o, "   %-*s", WAKER_WIDTH, "woken by");
	switch (t->by) {
	case PAIR_GROUPS_BY_TASK:
		out_printf(o, " %12s   %s", "pid", "comm");
		break;
	case PAIR_GROUPS_BY_OBJECT:
		out_printf(o, " %18s   %s", "address", "symbol");
		break;
	default:
		out_printf(o, " %12s   %s", "type", "caller");
	}
	out_str(o, "\n\n");
}

void lock_text_place(struct out *o, struct profile *p, uint32_t location, bool has_offset)
{
	const struct profile_location *l = &p->locations.v[location];
	uint64_t addr = l->at.addr, ip = l->at.ip;
	const struct profile_frame *f = profile_frame_at(p, location);

	if (!f->function) {
		out_printf(o, "0x%llx", (unsigned long long)ip);
		return;
	}
	escape_terminal_str(o, profile_str(p, f->function));
	if (has_offset && !f->is_nameless)
		out_printf(o, "+0x%llx", (unsigned long long)(addr - f->start));
}

static void put_task(struct out *o, const struct profile *p, uint32_t task)
{
	escape_terminal_str(o, profile_str(p, p->tasks.v[task].comm));
	out_printf(o, "/%d", p->tasks.v[task].tid);
}

static void put_waker(struct out *o, const struct profile *p, const struct pair_waker *w)
{
	struct out text;
	int pad;

	out_init(&text, -1);
	if (w->nr)
		put_task(&text, p, w->task);
	else
		out_char(&text, '-');
	pad = WAKER_WIDTH - (int)text.len;
	out_str(o, "   ");
	out_mem(o, text.buf, text.len);
	out_spaces(o, pad > 0 ? pad : 0);
	out_fini(&text);
}

/* Of an address of a variable: its name. */
static bool has_symbol(struct profile *p, uint32_t location)
{
	const struct profile_frame *f;

	if (location == PAIR_NO_LOCATION || p->locations.v[location].at.dso == DSO_NONE)
		return false;
	f = profile_frame_at(p, location);
	return f->function && !f->is_nameless;
}

static void put_name(const struct lock_text *t, struct out *o, struct profile *p, const struct pair_group *g)
{
	const struct profile_task *task = &p->tasks.v[g->row->task];

	switch (t->by) {
	case PAIR_GROUPS_BY_TASK:
		out_printf(o, " %12d   ", task->tid);
		escape_terminal_str(o, profile_str(p, task->comm));
		break;
	case PAIR_GROUPS_BY_OBJECT:
		out_printf(o, " %18llx   ", (unsigned long long)g->row->object);
		if (has_symbol(p, g->row->location)) {
			lock_text_place(o, p, g->row->location,
					p->locations.v[g->row->location].at.addr != profile_frame_at(p, g->row->location)->start);
			out_char(o, ' ');
		}
		out_printf(o, "(%s)", g->kind);
		break;
	default:
		out_printf(o, " %12s   ", g->kind);
		if (g->caller_node == STACK_TREE_ROOT)
			out_str(o, "Unknown");
		else
			lock_text_place(o, p, stack_tree_frame(&p->tree, g->caller_node), true);
	}
	out_char(o, '\n');
}

static void put_stack(struct out *o, struct profile *p, uint32_t stack)
{
	for (uint32_t n = profile_stack_node(p, stack); n != STACK_TREE_ROOT; n = stack_tree_parent(&p->tree, n)) {
		uint32_t location = stack_tree_frame(&p->tree, n);

		out_printf(o, "\t\t\t0x%llx  ", (unsigned long long)p->locations.v[location].at.ip);
		lock_text_place(o, p, location, true);
		out_char(o, '\n');
	}
}

static uint32_t nr_rows(const struct lock_text *t, const struct pair_groups *g)
{
	return t->max_rows && t->max_rows < g->v.nr ? (uint32_t)t->max_rows : g->v.nr;
}

void lock_text_print(const struct lock_text *t, struct out *o, struct pair_sums *s, const struct pair_groups *groups)
{
	struct profile *p = s->profile;

	put_headings(t, o);
	for (uint32_t i = 0; i < nr_rows(t, groups); i++) {
		const struct pair_group *g = &groups->v.v[i];

		for (uint32_t c = 0; c < t->nr_columns; c++) {
			uint64_t figure = figure_of(&g->figures, t->columns[c]);

			if (columns[t->columns[c]].is_count)
				out_printf(o, " %9llu", (unsigned long long)figure);
			else
				put_time(o, figure);
		}
		if (t->shows_wakers)
			put_waker(o, p, &g->waker);
		put_name(t, o, p, g);
		if (!t->shows_stacks)
			continue;
		put_stack(o, p, g->longest->stack);
		if (g->waker.nr) {
			out_printf(o, "\t\t\twoken %llu times by ", (unsigned long long)g->waker.nr);
			put_task(o, p, g->waker.task);
			out_str(o, ":\n");
			put_stack(o, p, g->waker.stack);
		}
	}
}

void lock_json_stack(struct json *j, struct profile *p, const char *key, uint32_t stack, uint32_t max_frames)
{
	struct out name;
	uint32_t nr = 0;

	json_put_array(j, key);
	for (uint32_t n = profile_stack_node(p, stack); n != STACK_TREE_ROOT && nr++ < max_frames; n = stack_tree_parent(&p->tree, n)) {
		uint32_t location = stack_tree_frame(&p->tree, n);
		const struct profile_frame *f = profile_frame_at(p, location);

		if (f->function) {
			json_str(j, profile_str(p, f->function));
			continue;
		}
		out_init(&name, -1);
		out_printf(&name, "0x%llx", (unsigned long long)p->locations.v[location].at.ip);
		out_char(&name, 0);
		json_str(j, name.buf);
		out_fini(&name);
	}
	json_array_end(j);
}

static void json_task(struct json *j, const struct profile *p, uint32_t task)
{
	json_put_i64(j, "pid", p->tasks.v[task].pid);
	json_put_i64(j, "tid", p->tasks.v[task].tid);
	json_put_str(j, "comm", profile_str(p, p->tasks.v[task].comm));
}

void lock_json_print(const struct lock_text *t, struct out *o, struct pair_sums *s, const struct pair_groups *groups)
{
	struct profile *p = s->profile;
	struct json j;

	json_init(&j, o, true);
	json_array(&j);
	for (uint32_t i = 0; i < nr_rows(t, groups); i++) {
		const struct pair_group *g = &groups->v.v[i];

		json_object(&j);
		for (size_t c = 0; c < NR_COLUMNS; c++)
			json_put_u64(&j, columns[c].json, figure_of(&g->figures, (enum pair_sort)c));
		json_put_str(&j, "type", g->kind);
		if (t->by == PAIR_GROUPS_BY_TASK)
			json_task(&j, p, g->row->task);
		if (t->by == PAIR_GROUPS_BY_OBJECT) {
			json_put_hex(&j, "address", g->row->object);
			if (has_symbol(p, g->row->location))
				json_put_str(&j, "symbol", profile_str(p, profile_frame_at(p, g->row->location)->function));
		}
		lock_json_stack(&j, p, "stack", g->longest->stack, UINT32_MAX);
		if (g->waker.nr) {
			json_put_object(&j, "woken_by");
			json_put_u64(&j, "times", g->waker.nr);
			json_put_u64(&j, "wait_total_ns", g->waker.total_ns);
			json_task(&j, p, g->waker.task);
			lock_json_stack(&j, p, "stack", g->waker.stack, UINT32_MAX);
			json_object_end(&j);
		}
		json_object_end(&j);
	}
	json_array_end(&j);
	out_char(o, '\n');
}
