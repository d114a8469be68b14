/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Rows are found by the texts of their keys, nodes by parent and name. Strings are never taken out of their table one by one: when more than
 * half of them are of rows that are gone, those in use move to a new one.
 */
#include "model/live_profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/json.h"
#include "base/mem.h"

#define LEAST_STRINGS 4096u /* below that nothing is moved */

void live_profile_init(struct live_profile *l, const uint16_t *keys, uint32_t nr_keys, bool by_children)
{
	*l = (struct live_profile){ .nr_keys = nr_keys, .by_children = by_children };
	memcpy(l->keys, keys, nr_keys * sizeof(*keys));
	strtab_init(&l->strings);
}

static void clear_event(struct live_event *e)
{
	e->rows.nr = e->nodes.nr = 0;
	hindex_fini(&e->index);
	hindex_fini(&e->node_index);
	e->total = e->nr_samples = 0;
}

void live_profile_fini(struct live_profile *l)
{
	for (uint32_t i = 0; i < l->events.nr; i++) {
		clear_event(&l->events.v[i]);
		vec_fini(&l->events.v[i].rows);
		vec_fini(&l->events.v[i].nodes);
		free(l->events.v[i].name);
	}
	vec_fini(&l->events);
	strtab_fini(&l->strings);
}

void live_profile_add_event(struct live_profile *l, const char *name)
{
	struct live_event *e = vec_add(&l->events);

	*e = (struct live_event){ .name = mem_strdup(name) };
}

void live_profile_clear(struct live_profile *l)
{
	for (uint32_t i = 0; i < l->events.nr; i++)
		clear_event(&l->events.v[i]);
	l->nr_refreshes = 0;
}

void live_profile_age(struct live_profile *l)
{
	l->nr_refreshes++;
	for (uint32_t i = 0; i < l->events.nr; i++) {
		struct live_event *e = &l->events.v[i];

		e->total *= LIVE_FADE;
		e->nr_samples *= LIVE_FADE;
		for (uint32_t k = 0; k < e->rows.nr; k++) {
			e->rows.v[k].self *= LIVE_FADE;
			e->rows.v[k].children *= LIVE_FADE;
			e->rows.v[k].nr_samples *= LIVE_FADE;
		}
		for (uint32_t k = 0; k < e->nodes.nr; k++) {
			e->nodes.v[k].total *= LIVE_FADE;
			e->nodes.v[k].self *= LIVE_FADE;
		}
	}
}

uint32_t live_profile_string(struct live_profile *l, const char *text, size_t len)
{
	return strtab_intern_len(&l->strings, text, len);
}

void live_profile_add_total(struct live_profile *l, uint32_t event, double period, double nr_samples)
{
	l->events.v[event].total += period;
	l->events.v[event].nr_samples += nr_samples;
}

static uint64_t row_hash(const struct live_profile *l, const struct live_row *r)
{
	return hash_bytes(r->cells, l->nr_keys * sizeof(r->cells[0]), 0);
}

void live_profile_add_row(struct live_profile *l, uint32_t event, const struct live_row *key)
{
	struct live_event *e = &l->events.v[event];
	size_t size = l->nr_keys * sizeof(key->cells[0]);
	uint64_t hash = row_hash(l, key);
	uint32_t id = HINDEX_FIND_ITEM(&e->index, hash, &e->rows, row, !memcmp(row->cells, key->cells, size));
	struct live_row *r;

	if (id == HINDEX_NONE) {
		hindex_add(&e->index, hash, e->rows.nr);
		vec_push(&e->rows, *key);
		return;
	}
	r = &e->rows.v[id];
	r->self += key->self;
	r->children += key->children;
	r->nr_samples += key->nr_samples;
}

uint32_t live_profile_node(struct live_profile *l, uint32_t event, uint32_t parent, uint32_t name, char level)
{
	struct live_event *e = &l->events.v[event];
	uint64_t hash = hash_pair(parent, name);
	uint32_t id;

	if (!e->nodes.nr)
		vec_push(&e->nodes, ((struct live_node){ .parent = LIVE_NO_NODE }));
	id = HINDEX_FIND_ITEM(&e->node_index, hash, &e->nodes, node, node->parent == parent && node->name == name);
	if (id != HINDEX_NONE)
		return id;
	hindex_add(&e->node_index, hash, e->nodes.nr);
	vec_push(&e->nodes, ((struct live_node){ .name = name, .parent = parent, .level = level }));
	return e->nodes.nr - 1;
}

/* ---- out of a profile ---- */

static uint32_t text_of(struct live_profile *l, struct out *text)
{
	uint32_t id = live_profile_string(l, text->buf, text->len);

	text->len = 0;
	return id;
}

/* Names of frames, each made once. */
struct frame_names {
	struct live_profile *l;
	const struct profile *p;
	uint32_t *names; /* by frame, + 1; 0: not yet */
	struct out text;
};

static void frame_names_init(struct frame_names *n, struct live_profile *l, const struct profile *p)
{
	*n = (struct frame_names){ .l = l, .p = p, .names = mem_zalloc((p->frames.nr + 1) * sizeof(*n->names)) };
	out_init(&n->text, -1);
}

static void frame_names_fini(struct frame_names *n)
{
	out_fini(&n->text);
	free(n->names);
}

static uint32_t frame_name(struct frame_names *n, uint32_t frame)
{
	const struct profile *p = n->p;
	const struct profile_frame *f = &p->frames.v[frame];
	struct out *text = &n->text;

	if (n->names[frame])
		return n->names[frame] - 1;
	if (f->function) {
		escape_terminal_str(text, profile_str(p, f->function));
	} else {
		char *name = profile_unresolved_name(p, f->dso);

		escape_terminal_str(text, name);
		free(name);
	}
	n->names[frame] = text_of(n->l, text) + 1;
	return n->names[frame] - 1;
}

static void put_json(const struct live_profile *l, struct out *text, struct hist *h, const struct hist_entry *e)
{
	bool has_task = false;
	struct json j;

	json_init(&j, text, false);
	json_object(&j);
	for (uint32_t i = 0; i < l->nr_keys; i++) {
		const struct column *c = hist_column(h, l->keys[i]);
		struct column_value v = column_value(c, h, e);

		/* Both say process and thread. */
		if (l->keys[i] == HIST_PID || l->keys[i] == HIST_TID) {
			if (has_task)
				continue;
			has_task = true;
		}
		c->kind->json(c, &j, &v, false);
	}
}

void live_profile_take(struct live_profile *l, uint32_t event, struct hist *h)
{
	struct frame_names names;
	struct out text;

	frame_names_init(&names, l, h->profile);
	out_init(&text, -1);
	live_profile_add_total(l, event, (double)h->total_period, (double)h->nr_samples);
	for (uint32_t i = 0; i < h->entries.nr; i++) {
		const struct hist_entry *e = &h->entries.v[i];
		struct live_row row = {
			.self = (double)e->period, .children = (double)e->children, .nr_samples = (double)e->nr, .level = e->at.level
		};

		for (uint32_t k = 0; k < l->nr_keys; k++) {
			const struct column *c = hist_column(h, l->keys[k]);
			struct column_value v = column_value(c, h, e);

			column_text(c, &text, &v, 0);
			row.cells[k] = text_of(l, &text);
		}
		put_json(l, &text, h, e);
		row.json = text_of(l, &text);
		if (e->at.frame != FRAME_NONE)
			row.name = frame_name(&names, e->at.frame);
		live_profile_add_row(l, event, &row);
	}
	frame_names_fini(&names);
	out_fini(&text);
}

/* Functions from the outermost on. */
static void add_path(struct live_profile *l, uint32_t event, const struct sample_group *g, const uint32_t *names, const char *levels,
		     uint32_t nr)
{
	struct live_event *e = &l->events.v[event];
	uint32_t node = 0;

	if (!nr)
		return;
	for (uint32_t i = nr; i-- > 0;) {
		node = live_profile_node(l, event, node, names[i], levels[i]);
		e->nodes.v[node].total += (double)g->period;
	}
	e->nodes.v[0].total += (double)g->period;
	e->nodes.v[node].self += (double)g->period;
}

void live_profile_take_stacks(struct live_profile *l, uint32_t event, struct hist *h)
{
	struct profile *p = h->profile;
	VEC(uint32_t) path = { 0 };
	VEC(char) levels = { 0 };
	struct frame_names names;

	frame_names_init(&names, l, p);
	for (uint32_t i = 0; i < h->groups.v.nr; i++) {
		const struct sample_group *g = &h->groups.v.v[i];

		path.nr = levels.nr = 0;
		for (uint32_t n = profile_stack_node(p, g->stack); n != STACK_TREE_ROOT; n = stack_tree_parent(&p->tree, n)) {
			const struct profile_location *at = &p->locations.v[stack_tree_frame(&p->tree, n)];

			vec_push(&path, frame_name(&names, at->frame));
			vec_push(&levels, hist_level_of(at->cpumode));
		}
		add_path(l, event, g, path.v, levels.v, path.nr);
	}
	frame_names_fini(&names);
	vec_fini(&path);
	vec_fini(&levels);
}

/* ---- bounds ---- */

static int cmp_rows(const void *va, const void *vb, void *ctx)
{
	const struct live_profile *l = ctx;
	const struct live_row *a = va, *b = vb;
	double wa = live_row_weight(l, a), wb = live_row_weight(l, b);

	if (wa != wb)
		return wa < wb ? 1 : -1;
	for (uint32_t i = 0; i < l->nr_keys; i++) {
		int diff = a->cells[i] == b->cells[i] ? 0 : strcmp(live_profile_text(l, a->cells[i]), live_profile_text(l, b->cells[i]));

		if (diff)
			return diff;
	}
	return 0;
}

/* What a sample of average weight has become after some thirty refreshes is not worth a row. */
static double least_weight(const struct live_event *e)
{
	return e->nr_samples > 0 ? LIVE_LEAST_SAMPLES * e->total / e->nr_samples : 0;
}

static void settle_rows(struct live_profile *l, struct live_event *e)
{
	double least = least_weight(e);
	uint32_t kept = 0;

	for (uint32_t i = 0; i < e->rows.nr; i++)
		if (e->rows.v[i].children > least || e->rows.v[i].self > least)
			e->rows.v[kept++] = e->rows.v[i];
	e->rows.nr = kept;
	vec_sort_r(&e->rows, cmp_rows, l);
	if (e->rows.nr > LIVE_MAX_ROWS) {
		l->nr_dropped += e->rows.nr - LIVE_MAX_ROWS;
		e->rows.nr = LIVE_MAX_ROWS;
	}
	hindex_fini(&e->index);
	for (uint32_t i = 0; i < e->rows.nr; i++)
		hindex_add(&e->index, row_hash(l, &e->rows.v[i]), i);
}

static int cmp_totals(const void *a, const void *b)
{
	double ta = *(const double *)a, tb = *(const double *)b;

	return ta < tb ? 1 : ta > tb ? -1 : 0;
}

/* What a node must weigh so that at most LIVE_MAX_NODES do. A parent weighs no less than its children. */
static double node_limit(const struct live_event *e)
{
	double least = least_weight(e);
	VEC(double) totals = { 0 };

	if (e->nodes.nr <= LIVE_MAX_NODES)
		return least;
	for (uint32_t i = 0; i < e->nodes.nr; i++)
		vec_push(&totals, e->nodes.v[i].total);
	vec_sort(&totals, cmp_totals);
	if (totals.v[LIVE_MAX_NODES - 1] > least)
		least = totals.v[LIVE_MAX_NODES - 1];
	vec_fini(&totals);
	return least;
}

/* Parents come before their children, and stay so. */
static void settle_nodes(struct live_profile *l, struct live_event *e)
{
	bool is_too_many = e->nodes.nr > LIVE_MAX_NODES;
	double least = node_limit(e);
	uint32_t kept = 1, *moved;

	if (e->nodes.nr < 2)
		return;
	moved = mem_alloc(e->nodes.nr * sizeof(*moved));
	moved[0] = 0;
	hindex_fini(&e->node_index);
	for (uint32_t i = 1; i < e->nodes.nr; i++) {
		struct live_node n = e->nodes.v[i];

		moved[i] = LIVE_NO_NODE;
		if (n.total <= least || moved[n.parent] == LIVE_NO_NODE) {
			l->nr_dropped += is_too_many;
			continue;
		}
		n.parent = moved[n.parent];
		hindex_add(&e->node_index, hash_pair(n.parent, n.name), kept);
		moved[i] = kept;
		e->nodes.v[kept++] = n;
	}
	e->nodes.nr = kept;
	free(moved);
}

struct string_move {
	struct strtab *from, to;
	uint32_t *moved; /* + 1; 0: not yet */
};

static void move_string(struct string_move *m, uint32_t *id)
{
	if (!m->moved[*id])
		m->moved[*id] = strtab_intern_len(&m->to, strtab_get(m->from, *id), strtab_len(m->from, *id)) + 1;
	*id = m->moved[*id] - 1;
}

static void move_event(struct live_profile *l, struct live_event *e, struct string_move *m)
{
	hindex_fini(&e->index);
	hindex_fini(&e->node_index);
	for (uint32_t i = 0; i < e->rows.nr; i++) {
		struct live_row *r = &e->rows.v[i];

		for (uint32_t k = 0; k < l->nr_keys; k++)
			move_string(m, &r->cells[k]);
		move_string(m, &r->json);
		move_string(m, &r->name);
		hindex_add(&e->index, row_hash(l, r), i);
	}
	for (uint32_t i = 0; i < e->nodes.nr; i++) {
		struct live_node *n = &e->nodes.v[i];

		move_string(m, &n->name);
		if (i)
			hindex_add(&e->node_index, hash_pair(n->parent, n->name), i);
	}
}

/* As many strings as rows and nodes can have, twice: then those that are in use move. */
static void settle_strings(struct live_profile *l)
{
	struct string_move m = { .from = &l->strings };
	uint64_t most = LEAST_STRINGS;

	for (uint32_t i = 0; i < l->events.nr; i++)
		most += 2 * ((uint64_t)l->events.v[i].rows.nr * (l->nr_keys + 2) + l->events.v[i].nodes.nr);
	if (l->strings.entries.nr <= most)
		return;
	strtab_init(&m.to);
	m.moved = mem_zalloc(l->strings.entries.nr * sizeof(*m.moved));
	for (uint32_t i = 0; i < l->events.nr; i++)
		move_event(l, &l->events.v[i], &m);
	strtab_fini(&l->strings);
	l->strings = m.to;
	free(m.moved);
}

void live_profile_settle(struct live_profile *l)
{
	for (uint32_t i = 0; i < l->events.nr; i++) {
		settle_rows(l, &l->events.v[i]);
		settle_nodes(l, &l->events.v[i]);
	}
	settle_strings(l);
}
