/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A row for each call site, address, caller or page.
 */
#include "view/kmem_text.h"

#include <errno.h>
#include <string.h>

#include "base/escape.h"
#include "base/json.h"

#define NAME_WIDTH 34
#define LINE_WIDTH 105
static const struct table {
	const struct pair_sum_def *def;
	enum pair_groups_by by;
	const char *heading, *json, *keys;
} tables[KMEM_NR_TABLES] = {
	[KMEM_SLAB_CALLERS] = { &pair_sum_slab_callers, PAIR_GROUPS_BY_OBJECT, "Callsite", "slab_callers", "frag,hit,bytes" },
	[KMEM_SLAB_OBJECTS] = { &pair_sum_slab_objects, PAIR_GROUPS_BY_OBJECT, "Alloc Ptr", "slab_objects", "frag,hit,bytes" },
	[KMEM_PAGE_CALLERS] = { &pair_sum_page_callers, PAIR_GROUPS_BY_CALLER, NULL, "page_callers", "bytes,hit" },
	[KMEM_PAGES] = { &pair_sum_pages, PAIR_GROUPS_BY_OBJECT, "PFN", "pages", "bytes,hit" },
};

const struct pair_sum_def *kmem_table_def(enum kmem_table t)
{
	return tables[t].def;
}

/* ---- what sorts ---- */

enum { SLAB = 1, PAGE = 2, CALLERS = 4, OBJECTS = 8 };
static const struct key {
	const char *name;
	enum pair_sort sort;
	unsigned of;
} keys[] = {
	{ "ptr", PAIR_SORT_OBJECT, SLAB | OBJECTS },
	{ "page", PAIR_SORT_OBJECT, PAGE | OBJECTS },
	{ "callsite", PAIR_SORT_OBJECT, SLAB | CALLERS },
	{ "callsite", PAIR_SORT_CALLER, PAGE | CALLERS | OBJECTS },
	{ "bytes", PAIR_SORT_BYTES, SLAB | PAGE | CALLERS | OBJECTS },
	{ "hit", PAIR_SORT_NR, SLAB | PAGE | CALLERS | OBJECTS },
	{ "pingpong", PAIR_SORT_MOVED, SLAB | CALLERS | OBJECTS },
	{ "frag", PAIR_SORT_WASTE, SLAB | CALLERS | OBJECTS },
	{ "order", PAIR_SORT_ORDER, PAGE | CALLERS | OBJECTS },
	{ "migtype", PAIR_SORT_MOBILITY, PAGE | CALLERS | OBJECTS },
	{ "gfp", PAIR_SORT_FLAGS, PAGE | CALLERS | OBJECTS },
};

static const struct key *find_key(enum kmem_table t, const char *word, size_t len)
{
	unsigned kind = (kmem_table_has_pages(t) ? PAGE : SLAB) | (t == KMEM_SLAB_CALLERS || t == KMEM_PAGE_CALLERS ? CALLERS : OBJECTS);

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (strlen(keys[i].name) == len && !memcmp(keys[i].name, word, len) && (keys[i].of & kind) == kind)
			return &keys[i];
	return NULL;
}

int kmem_text_set_keys(struct kmem_text *t, const char *list, const char *option, struct errbuf *eb)
{
	const char *word = list ? list : tables[t->table].keys;

	t->nr_keys = 0;
	for (;; word++) {
		size_t len = strcspn(word, ",");
		const struct key *k = find_key(t->table, word, len);

		if (!k)
			return errbuf_set(eb, -EINVAL, "%s: unknown key '%.*s' (%s)", option, (int)len, word,
					  t->table == KMEM_SLAB_CALLERS	  ? "of --caller: callsite, bytes, hit, pingpong, frag"
					  : t->table == KMEM_SLAB_OBJECTS ? "of --alloc: ptr, bytes, hit, pingpong, frag"
					  : t->table == KMEM_PAGE_CALLERS
						  ? "of --page --caller: callsite, bytes, hit, order, migtype, gfp"
						  : "of --page --alloc: page, callsite, bytes, hit, order, migtype, gfp");
		if (t->nr_keys == KMEM_MAX_KEYS)
			return errbuf_set(eb, -EINVAL, "%s: at most %d keys", option, KMEM_MAX_KEYS);
		t->keys[t->nr_keys++] = k->sort;
		word += len;
		if (!*word)
			return 0;
	}
}

/* ---- rows ---- */

static void put_line(struct out *o)
{
	for (int i = 0; i < LINE_WIDTH; i++)
		out_char(o, '-');
	out_char(o, '\n');
}

static void put_cell(struct out *o, const struct out *text)
{
	out_mem(o, text->buf, text->len);
	if (text->len < NAME_WIDTH)
		out_spaces(o, NAME_WIDTH - (int)text->len);
}

static void put_symbol(const struct kmem_text *t, struct out *o, struct profile *p, uint32_t location)
{
	uint64_t addr, ip;
	const struct profile_frame *f;

	if (location == PAIR_NO_LOCATION) {
		out_str(o, "[unknown]");
		return;
	}
	addr = p->locations.v[location].at.addr;
	ip = p->locations.v[location].at.ip;
	f = profile_frame_at(p, location);
	if (t->raw_ip || !f->function) {
		out_printf(o, "0x%llx", (unsigned long long)ip);
		return;
	}
	escape_terminal_str(o, profile_str(p, f->function));
	out_printf(o, "+%llx", (unsigned long long)(addr - f->start));
}

static uint32_t caller_of(const struct profile *p, const struct pair_group *g)
{
	return g->caller_node == STACK_TREE_ROOT ? PAIR_NO_LOCATION : stack_tree_frame(&p->tree, g->caller_node);
}

/* What a row is called. */
static void put_name(const struct kmem_text *t, struct out *o, struct profile *p, const struct pair_group *g)
{
	struct out text;

	out_init(&text, -1);
	if (t->table == KMEM_SLAB_OBJECTS)
		out_printf(&text, "0x%llx", (unsigned long long)g->row->object);
	else
		put_symbol(t, &text, p, t->table == KMEM_SLAB_CALLERS ? g->row->location : caller_of(p, g));
	put_cell(o, &text);
	out_fini(&text);
}

static void put_slab_row(const struct kmem_text *t, struct out *o, struct profile *p, const struct pair_group *g)
{
	const struct pair_amounts *a = &g->amounts;

	out_char(o, ' ');
	put_name(t, o, p, g);
	out_printf(o, " | %9llu/%-5llu | %9llu/%-5llu | %8llu | %9llu | %6.3f%%\n", (unsigned long long)a->bytes,
		   (unsigned long long)(a->nr ? a->bytes / a->nr : 0), (unsigned long long)a->wanted,
		   (unsigned long long)(a->nr ? a->wanted / a->nr : 0), (unsigned long long)a->nr, (unsigned long long)a->nr_moved,
		   pair_amounts_waste(a));
}

static void put_page_row(const struct kmem_text *t, struct out *o, struct profile *p, const struct pair_group *g)
{
	const struct pair_amounts *a = &g->amounts;

	if (t->table == KMEM_PAGES)
		out_printf(o, " %16llu |", (unsigned long long)g->row->object);
	out_printf(o, " %16llu | %9llu | %5u | %-11s | ", (unsigned long long)a->bytes / 1024, (unsigned long long)a->nr, g->row->order,
		   kmem_mobility_name(g->row->mobility));
	put_name(t, o, p, g);
	out_str(o, " | ");
	if (g->row->flags_text)
		escape_terminal_str(o, profile_str(p, g->row->flags_text));
	else
		out_printf(o, "0x%x", g->row->flags);
	out_char(o, '\n');
}

/* What has not ended is what remains: the rest of a group goes. */
static void keep_live(struct pair_groups *g)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < g->v.nr; i++) {
		struct pair_group *x = &g->v.v[i];

		if (x->amounts.nr <= x->figures.nr)
			continue;
		x->amounts.nr -= x->figures.nr;
		x->amounts.bytes -= x->amounts.freed;
		g->v.v[nr++] = *x;
	}
	g->v.nr = nr;
}

static struct pair_groups groups_of(const struct kmem_text *t, struct pair_sums *s)
{
	struct pair_groups g = { 0 };

	pair_groups_make(&g, s, tables[t->table].by, 1);
	if (t->only_live)
		keep_live(&g);
	pair_groups_sort_by(&g, t->keys, t->nr_keys);
	return g;
}

static uint32_t nr_rows(const struct kmem_text *t, const struct pair_groups *g)
{
	return t->max_rows && t->max_rows < g->v.nr ? (uint32_t)t->max_rows : g->v.nr;
}

void kmem_text_print(const struct kmem_text *t, struct out *o, struct pair_sums *s)
{
	struct pair_groups g = groups_of(t, s);
	bool is_page = kmem_table_has_pages(t->table);
	uint32_t nr = nr_rows(t, &g);

	put_line(o);
	if (t->table == KMEM_PAGES)
		out_printf(o, " %-16s |", tables[t->table].heading);
	if (is_page)
		out_printf(o, " %s alloc (KB) | Hits      | Order | Mig.type    | %-*s | GFP flags\n", t->only_live ? " Live" : "Total",
			   NAME_WIDTH, "Callsite");
	else
		out_printf(o, " %-*s | Total_alloc/Per | Total_req/Per   | Hit      | Ping-pong | Frag\n", NAME_WIDTH,
			   tables[t->table].heading);
	put_line(o);
	for (uint32_t i = 0; i < nr; i++)
		(is_page ? put_page_row : put_slab_row)(t, o, s->profile, &g.v.v[i]);
	if (nr < g.v.nr)
		out_printf(o, " ... %u more\n", g.v.nr - nr);
	put_line(o);
	out_char(o, '\n');
	pair_groups_fini(&g);
}

/* ---- JSON ---- */

static void json_row(struct json *j, const struct kmem_text *t, struct profile *p, const struct pair_group *g)
{
	const struct pair_amounts *a = &g->amounts;
	bool is_page = kmem_table_has_pages(t->table);
	uint32_t location = is_page ? caller_of(p, g) : g->row->location;
	const struct profile_frame *f = location == PAIR_NO_LOCATION ? NULL : profile_frame_at(p, location);

	json_object(j);
	if (t->table == KMEM_SLAB_OBJECTS)
		json_put_hex(j, "ptr", g->row->object);
	if (t->table == KMEM_PAGES)
		json_put_u64(j, "pfn", g->row->object);
	if (f) {
		json_put_hex(j, "callsite", p->locations.v[location].at.ip);
		if (f->function)
			json_put_str(j, "symbol", profile_str(p, f->function));
	}
	json_put_u64(j, "hits", a->nr);
	json_put_u64(j, "bytes_allocated", a->bytes);
	if (is_page) {
		json_put_u64(j, "order", g->row->order);
		json_put_str(j, "migratetype", kmem_mobility_name(g->row->mobility));
		json_put_u64(j, "gfp_flags", g->row->flags);
	} else {
		json_put_u64(j, "bytes_requested", a->wanted);
	}
	json_put_u64(j, "bytes_freed", a->freed);
	json_put_u64(j, "freed", g->figures.nr);
	json_put_u64(j, "freed_on_other_cpu", a->nr_moved);
	json_put_u64(j, "avg_lifetime_ns", pair_figures_mean(&g->figures));
	json_object_end(j);
}

static void json_sums(struct json *j, const struct pair_sums *s)
{
	const struct kmem_sums sums = kmem_sums_of(s);

	json_put_object(j, s->def->order ? "page_sums" : "slab_sums");
	json_put_u64(j, "hits", sums.all.nr);
	json_put_u64(j, "bytes_allocated", sums.all.bytes);
	json_put_u64(j, "freed", sums.nr_freed);
	json_put_u64(j, "bytes_freed", sums.all.freed);
	if (s->def->order) {
		json_put_u64(j, "freed_only", s->alone.nr);
		json_put_u64(j, "failures", s->failed.nr);
	} else {
		json_put_u64(j, "bytes_requested", sums.all.wanted);
		json_put_u64(j, "on_other_node", kmem_nr_far(s));
	}
	json_object_end(j);
}

static void json_table(struct json *j, const struct kmem_text *t, struct pair_sums *s)
{
	struct pair_groups g = groups_of(t, s);

	json_put_array(j, tables[t->table].json);
	for (uint32_t i = 0; i < nr_rows(t, &g); i++)
		json_row(j, t, s->profile, &g.v.v[i]);
	json_array_end(j);
	pair_groups_fini(&g);
}

void kmem_json_print(struct out *o, const struct kmem_text *texts, struct pair_sums *sums, uint32_t nr, bool has_tables)
{
	struct json j;

	json_init(&j, o, true);
	json_object(&j);
	for (uint32_t i = 0; i < nr; i++) {
		if (has_tables)
			json_table(&j, &texts[i], &sums[i]);
		/* Both tables of a kind have the same sums. */
		if (i + 1 == nr || kmem_table_has_pages(texts[i].table) != kmem_table_has_pages(texts[i + 1].table))
			json_sums(&j, &sums[i]);
	}
	json_object_end(&j);
	out_char(o, '\n');
}
