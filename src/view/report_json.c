/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * { "schema": "assay-report-1", "recording": {…}, "lost", "throttled", …, "events": [{ "name", …,
 * "entries": [{…, "tree": […] }] }] }
 *
 * An entry has the keys it was sorted by and no others: a row of all tasks has no "comm". Names go
 * through the JSON escape, addresses are strings (they do not fit into a double). It must not know
 * how text reports are laid out.
 */
#include "view/report_json.h"

#include <stdlib.h>

#include "base/json.h"
#include "view/losses_json.h"
#include "view/quality_text.h"

struct hist_json {
	struct json *j;
	struct hist *h;
};

static void put_str(struct json *j, const char *key, const char *value)
{
	if (!value)
		return;
	json_key(j, key);
	json_str(j, value);
}

static void put_u64(struct json *j, const char *key, uint64_t value)
{
	json_key(j, key);
	json_u64(j, value);
}

static void put_percent(const struct hist_json *v, uint64_t part)
{
	json_key(v->j, "percent");
	json_double(v->j,
		    v->h->total_period ? 100.0 * (double)part / (double)v->h->total_period : 0.0,
		    4);
}

static void put_recording(struct json *j, const struct recording *r)
{
	const struct perfdata_info *info = r->info;

	json_key(j, "recording");
	json_object(j);
	put_str(j, "hostname", info->hostname);
	put_str(j, "os_release", info->osrelease);
	put_str(j, "recorder_version", info->version);
	put_str(j, "arch", info->arch);
	put_str(j, "cpu", info->cpudesc);
	if (info->nrcpus_online)
		put_u64(j, "cpus_online", info->nrcpus_online);
	if (info->nr_cmdline) {
		json_key(j, "cmdline");
		json_array(j);
		for (uint32_t i = 0; i < info->nr_cmdline; i++)
			json_str(j, info->cmdline[i]);
		json_array_end(j);
	}
	if (info->captured_time) {
		json_key(j, "captured_s");
		json_i64(j, info->captured_time);
	}
	if (r->stats.last_sample_ns) {
		put_u64(j, "first_sample_ns", r->stats.first_sample_ns);
		put_u64(j, "last_sample_ns", r->stats.last_sample_ns);
	}
	json_object_end(j);
}

/* What a name stands for where it is not that of a function that was called. */
static void put_marks(struct json *j, const struct profile_frame *f)
{
	if (f->is_inlined) {
		json_key(j, "inlined");
		json_bool(j, true);
	}
	if (f->is_nameless) {
		json_key(j, "unresolved");
		json_bool(j, true);
	}
}

/* A function, or the address where none is known, and the file it is in. */
static void put_node(const struct hist_json *v, uint32_t node)
{
	const struct profile *p = v->h->profile;
	const struct profile_frame *f = &p->frames.v[hist_node_frame(v->h, node)];
	uint32_t place = hist_node_place(v->h, node);

	if (f->function) {
		put_str(v->j, "symbol", profile_str(p, f->function));
	} else {
		json_key(v->j, "address");
		json_hex(v->j, f->start);
	}
	put_marks(v->j, f);
	put_str(v->j, "dso", profile_dso(p, f->dso)->short_name);
	if (place != PLACE_NONE && p->places.v[place].file) {
		put_str(v->j, "file", profile_str(p, p->places.v[place].file));
		put_u64(v->j, "line", p->places.v[place].line);
	}
	if (v->h->options->chain_key == HIST_CHAIN_ADDRESS) {
		json_key(v->j, "ip");
		json_hex(v->j, p->locations.v[p->places.v[place].location].at.ip);
	}
}

/* The larger first; of equal ones the order is that of DSO and address, never chance. */
static int cmp_nodes(const void *va, const void *vb, void *ctx)
{
	const struct hist *h = ctx;
	uint32_t a = *(const uint32_t *)va, b = *(const uint32_t *)vb;
	uint64_t ta = weighted_total(&h->tree, a, 0), tb = weighted_total(&h->tree, b, 0);
	uint32_t na = h->tree.nodes.v[a].frame, nb = h->tree.nodes.v[b].frame;
	const struct profile_frame *fa = &h->profile->frames.v[hist_node_frame(h, na)];
	const struct profile_frame *fb = &h->profile->frames.v[hist_node_frame(h, nb)];

	if (ta != tb)
		return ta < tb ? 1 : -1;
	if (fa->dso != fb->dso)
		return fa->dso < fb->dso ? -1 : 1;
	if (fa->start != fb->start)
		return fa->start < fb->start ? -1 : 1;
	return na < nb ? -1 : na > nb;
}

/* Nodes of one level that are still to be written, the next one last. */
struct json_level {
	uint32_t *nodes;
	uint32_t nr, cap;
};

static struct json_level level_below(const struct hist_json *v, uint32_t parent)
{
	const struct weighted_node *nodes = v->h->tree.nodes.v;
	VEC(uint32_t) list = { 0 };

	for (uint32_t n = nodes[parent].first_child; n != WEIGHTED_NONE; n = nodes[n].next_sibling)
		vec_push(&list, n);
	if (list.nr > 1)
		qsort_r(list.v, list.nr, sizeof(*list.v), cmp_nodes, (void *)(uintptr_t)v->h);
	for (uint32_t i = 0; i < list.nr / 2; i++) {
		uint32_t n = list.v[i];

		list.v[i] = list.v[list.nr - 1 - i];
		list.v[list.nr - 1 - i] = n;
	}
	return (struct json_level){ list.v, list.nr, list.cap };
}

static void begin_node(const struct hist_json *v, uint32_t node)
{
	const struct weighted_tree *t = &v->h->tree;

	json_object(v->j);
	put_node(v, t->nodes.v[node].frame);
	put_u64(v->j, "period", weighted_total(t, node, 0));
	put_u64(v->j, "samples", weighted_total(t, node, 1));
	put_u64(v->j, "ending", weighted_self(t, node, 0));
	json_key(v->j, "children");
	json_array(v->j);
}

/* Trees are as deep as the recording has them: what is open is a list, not a recursion. */
static void put_tree(const struct hist_json *v)
{
	VEC(struct json_level) open = { 0 };

	vec_push(&open, level_below(v, WEIGHTED_ROOT));
	while (open.nr) {
		struct json_level *l = &open.v[open.nr - 1];

		if (l->nr && !v->j->o->error) {
			uint32_t node = l->nodes[--l->nr];

			begin_node(v, node);
			vec_push(&open, level_below(v, node));
			continue;
		}
		free(l->nodes);
		if (--open.nr) {
			json_array_end(v->j);
			json_object_end(v->j);
		}
	}
	vec_fini(&open);
}

static void put_dso(const struct hist_json *v, const struct hist_end *end)
{
	put_str(v->j, "dso", profile_str(v->h->profile, end->dso_name));
	if (end->dso != DSO_NONE)
		put_str(v->j, "path", profile_dso(v->h->profile, end->dso)->path);
}

static void put_symbol(const struct hist_json *v, const struct hist_end *end)
{
	const struct profile *p = v->h->profile;

	if (end->frame != FRAME_NONE) {
		put_str(v->j, "symbol", profile_str(p, p->frames.v[end->frame].function));
		put_marks(v->j, &p->frames.v[end->frame]);
	} else {
		json_key(v->j, "address");
		json_hex(v->j, end->addr);
	}
	json_key(v->j, "level");
	json_str_len(v->j, &end->level, 1);
}

static void put_srcline(const struct hist_json *v, const struct hist_end *end)
{
	put_str(v->j, "srcline", profile_str(v->h->profile, end->srcline));
}

/* One end of a branch, as an object of the keys that rows were sorted by. */
static void put_end(const struct hist_json *v, const char *key, const struct hist_end *end, bool dso, bool sym, bool srcline)
{
	if (!dso && !sym && !srcline)
		return;
	json_key(v->j, key);
	json_object(v->j);
	if (dso)
		put_dso(v, end);
	if (sym)
		put_symbol(v, end);
	if (srcline)
		put_srcline(v, end);
	json_object_end(v->j);
}

static void put_branch(const struct hist_json *v, const struct hist_entry *e, const bool *has_key)
{
	const struct {
		enum hist_column key;
		const char *name;
		bool value;
	} flags[] = {
		{ HIST_MISPREDICT, "mispredicted", hist_branch_mispredicted(e) },
		{ HIST_IN_TX, "in_tx", hist_branch_in_tx(e) },
		{ HIST_ABORT, "abort", hist_branch_aborted(e) },
	};

	put_end(v, "from", &e->from, has_key[HIST_DSO_FROM], has_key[HIST_SYM_FROM], has_key[HIST_SRCLINE_FROM]);
	put_end(v, "to", &e->at, has_key[HIST_DSO_TO], has_key[HIST_SYM_TO], has_key[HIST_SRCLINE_TO]);
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		if (!has_key[flags[i].key])
			continue;
		json_key(v->j, flags[i].name);
		json_bool(v->j, flags[i].value);
	}
	if (has_key[HIST_CYCLES])
		put_u64(v->j, "cycles", hist_branch_cycles(e));
}

static void put_task(const struct hist_json *v, const struct hist_entry *e)
{
	const struct profile_task *t = &v->h->profile->tasks.v[e->task];

	json_key(v->j, "pid");
	json_i64(v->j, t->pid);
	json_key(v->j, "tid");
	json_i64(v->j, t->tid);
}

static void put_keys(const struct hist_json *v, const struct hist_entry *e)
{
	bool has_key[HIST_NR_KEYS] = { false };

	for (uint32_t i = 0; i < v->h->options->nr_keys; i++)
		has_key[v->h->options->keys[i]] = true;
	if (has_key[HIST_COMM] || has_key[HIST_PID])
		put_str(v->j, "comm", profile_str(v->h->profile, e->comm));
	if (has_key[HIST_PID] || has_key[HIST_TID])
		put_task(v, e);
	if (has_key[HIST_CPU])
		put_u64(v->j, "cpu", e->cpu);
	if (has_key[HIST_DSO])
		put_dso(v, &e->at);
	if (has_key[HIST_SYM])
		put_symbol(v, &e->at);
	if (has_key[HIST_SRCLINE])
		put_srcline(v, &e->at);
	if (has_key[HIST_SRCFILE])
		put_str(v->j, "srcfile", profile_str(v->h->profile, e->srcfile));
	put_branch(v, e, has_key);
}

static void put_entry(const struct hist_json *v, const struct hist_entry *e)
{
	struct json *j = v->j;

	out_char(j->o, '\n');
	json_object(j);
	put_keys(v, e);
	json_key(j, "self");
	json_object(j);
	put_u64(j, "period", e->period);
	put_u64(j, "samples", e->nr);
	put_percent(v, e->period);
	json_object_end(j);
	if (v->h->options->children) {
		json_key(j, "children");
		json_object(j);
		put_u64(j, "period", e->children);
		put_percent(v, e->children);
		json_object_end(j);
	}
	if (v->h->options->chains) {
		json_key(j, "tree");
		json_array(j);
		if (hist_grow_tree(v->h, e))
			put_tree(v);
		json_array_end(j);
	}
	json_object_end(j);
}

static void put_hist(struct json *j, const struct recording *r, struct hist *h,
		     double percent_limit)
{
	struct hist_json v = { .j = j, .h = h };
	uint32_t nr_hidden = 0;

	out_char(j->o, '\n');
	json_object(j);
	put_str(j, "name", r->info->events.v[h->event].name);
	put_u64(j, "samples", h->nr_samples);
	put_u64(j, "period", h->total_period);
	put_u64(j, "lost", recording_event_lost(r, h->event));
	if (h->options->chains)
		put_str(j, "tree_order", h->options->order == HIST_CALLER ? "caller" : "callee");
	json_key(j, "entries");
	json_array(j);
	for (uint32_t i = 0; i < h->entries.nr && !j->o->error; i++) {
		const struct hist_entry *e = &h->entries.v[i];
		uint64_t size = h->options->children ? e->children : e->period;

		if (percent_limit > 0 &&
		    (double)size * 100.0 < percent_limit * (double)h->total_period)
			nr_hidden++;
		else
			put_entry(&v, e);
	}
	json_array_end(j);
	put_u64(j, "hidden_entries", nr_hidden);
	if (h->nr_without_tree)
		put_u64(j, "entries_without_tree", h->nr_without_tree);
	if (h->nr_cut_trees)
		put_u64(j, "cut_trees", h->nr_cut_trees);
	json_object_end(j);
}

void report_json(struct out *o, const struct recording *r, struct hist *const *hists,
		 uint32_t nr_hists, double percent_limit, const struct quality *q)
{
	struct json j;

	json_init(&j, o, false);
	json_object(&j);
	put_str(&j, "schema", "assay-report-1");
	put_recording(&j, r);
	losses_json(&j, r);
	quality_json(&j, q);
	json_key(&j, "events");
	json_array(&j);
	for (uint32_t i = 0; i < nr_hists; i++)
		put_hist(&j, r, hists[i], percent_limit);
	json_array_end(&j);
	json_object_end(&j);
	out_char(o, '\n');
}
