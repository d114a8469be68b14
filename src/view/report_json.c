/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * { "schema": "assay-report-1", "recording": {…}, "lost", "throttled", …, "events": [{ "name", …, "entries": [{…, "tree": […] }] }] }
 *
 * An entry has the keys it was sorted by. Addresses are strings: they do not fit into a double.
 */
#include "view/report.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "view/quality_text.h"

struct hist_json {
	struct json *j;
	struct hist *h;
};

/* Nothing where it is not known. */
static void put_known(struct json *j, const char *key, const char *value)
{
	if (value)
		json_put_str(j, key, value);
}

static void put_percent(const struct hist_json *v, uint64_t part)
{
	json_put_double(v->j, "percent", v->h->total_period ? 100.0 * (double)part / (double)v->h->total_period : 0.0, 4);
}

static void put_latency(const struct hist_json *v, double part)
{
	if (!v->h->options->latency)
		return;
	json_put_double(v->j, "latency", part, 1);
	json_put_double(v->j, "latency_percent", v->h->total_latency > 0 ? 100.0 * part / v->h->total_latency : 0.0, 4);
}

static void put_recording(struct json *j, const struct recording *r)
{
	const struct perfdata_info *info = r->info;

	json_put_object(j, "recording");
	put_known(j, "hostname", info->hostname);
	put_known(j, "os_release", info->osrelease);
	put_known(j, "recorder_version", info->version);
	put_known(j, "arch", info->arch);
	put_known(j, "cpu", info->cpudesc);
	if (info->nrcpus_online)
		json_put_u64(j, "cpus_online", info->nrcpus_online);
	if (info->nr_cmdline) {
		json_put_array(j, "cmdline");
		for (uint32_t i = 0; i < info->nr_cmdline; i++)
			json_str(j, info->cmdline[i]);
		json_array_end(j);
	}
	if (info->captured_time)
		json_put_i64(j, "captured_s", info->captured_time);
	if (r->stats.last_sample_ns) {
		json_put_u64(j, "first_sample_ns", r->stats.first_sample_ns);
		json_put_u64(j, "last_sample_ns", r->stats.last_sample_ns);
	}
	json_object_end(j);
}

/* A function, or the address where none is known, and the file it is in. */
static void put_node(const struct hist_json *v, uint32_t node)
{
	const struct profile *p = v->h->profile;
	const struct profile_frame *f = &p->frames.v[hist_node_frame(v->h, node)];
	uint32_t place = hist_node_place(v->h, node);

	if (f->function)
		json_put_str(v->j, "symbol", profile_str(p, f->function));
	else
		json_put_hex(v->j, "address", f->start);
	if (f->is_inlined)
		json_put_bool(v->j, "inlined", true);
	if (f->is_nameless)
		json_put_bool(v->j, "unresolved", true);
	json_put_str(v->j, "dso", profile_dso(p, f->dso)->short_name);
	if (place != PLACE_NONE && p->places.v[place].file) {
		json_put_str(v->j, "file", profile_str(p, p->places.v[place].file));
		json_put_u64(v->j, "line", p->places.v[place].line);
	}
	if (v->h->options->chain_key == HIST_CHAIN_ADDRESS)
		json_put_hex(v->j, "ip", p->locations.v[p->places.v[place].location].at.ip);
}

/* The largest last; equal ones from high to low addresses. */
static int cmp_nodes(const void *va, const void *vb, void *ctx)
{
	const struct hist *h = ctx;
	uint32_t a = *(const uint32_t *)va, b = *(const uint32_t *)vb;
	uint64_t ta = weighted_total(&h->tree, a, 0), tb = weighted_total(&h->tree, b, 0);
	uint32_t na = h->tree.nodes.v[a].frame, nb = h->tree.nodes.v[b].frame;
	const struct profile_frame *fa = &h->profile->frames.v[hist_node_frame(h, na)];
	const struct profile_frame *fb = &h->profile->frames.v[hist_node_frame(h, nb)];

	return COMPARE(ta, tb) ?: COMPARE(fb->dso, fa->dso) ?: COMPARE(fb->start, fa->start) ?: COMPARE(nb, na);
}

/* Nodes of one level that are still to be written, the next one last. */
struct json_level {
	uint32_t *v;
	uint32_t nr, cap;
};

static struct json_level level_below(const struct hist_json *v, uint32_t parent)
{
	const struct weighted_node *nodes = v->h->tree.nodes.v;
	struct json_level list = { 0 };

	for (uint32_t n = nodes[parent].first_child; n != WEIGHTED_NONE; n = nodes[n].next_sibling)
		vec_push(&list, n);
	vec_sort_r(&list, cmp_nodes, v->h);
	return list;
}

static void begin_node(const struct hist_json *v, uint32_t node)
{
	const struct weighted_tree *t = &v->h->tree;

	json_object(v->j);
	put_node(v, t->nodes.v[node].frame);
	json_put_u64(v->j, "period", weighted_total(t, node, 0));
	json_put_u64(v->j, "samples", weighted_total(t, node, 1));
	json_put_u64(v->j, "ending", weighted_self(t, node, 0));
	json_put_array(v->j, "children");
}

/* Trees are as deep as the recording has them: what is open is a list, not a recursion. */
static void put_tree(const struct hist_json *v)
{
	VEC(struct json_level) open = { 0 };

	vec_push(&open, level_below(v, WEIGHTED_ROOT));
	while (open.nr) {
		struct json_level *l = &open.v[open.nr - 1];

		if (l->nr && !v->j->o->error) {
			uint32_t node = l->v[--l->nr];

			begin_node(v, node);
			vec_push(&open, level_below(v, node));
			continue;
		}
		vec_fini(l);
		if (--open.nr) {
			json_array_end(v->j);
			json_object_end(v->j);
		}
	}
	vec_fini(&open);
}

/* Keys of a process show its name and its ids. */
static void put_keys(const struct hist_json *v, const struct hist_entry *e)
{
	bool has_key[HIST_NR_KEYS] = { false };
	const char *open = NULL;

	for (uint32_t i = 0; i < v->h->options->nr_keys; i++)
		if (v->h->options->keys[i] < HIST_NR_KEYS)
			has_key[v->h->options->keys[i]] = true;
	has_key[HIST_COMM] |= has_key[HIST_PID];
	has_key[HIST_TID] |= has_key[HIST_PID];
	has_key[HIST_PID] = false;
	for (enum hist_column col = 0; col < HIST_NR_KEYS; col++) {
		const struct column *c = &columns[col];
		struct column_value value;

		if (open && (!c->object || strcmp(open, c->object))) {
			json_object_end(v->j);
			open = NULL;
		}
		if (!has_key[col])
			continue;
		if (c->object && !open)
			json_put_object(v->j, open = c->object);
		value = column_value(c, v->h, e);
		c->kind->json(c, v->j, &value, false);
	}
	if (open)
		json_object_end(v->j);
}

/* Fields of tracepoints have names of their own. */
static void put_fields(const struct hist_json *v, const struct hist_entry *e)
{
	bool is_open = false;

	for (uint32_t i = 0; i < v->h->options->nr_keys; i++) {
		const struct column *c = hist_column(v->h, v->h->options->keys[i]);
		struct column_value value;

		if (v->h->options->keys[i] < HIST_FIELDS)
			continue;
		if (!is_open)
			json_put_object(v->j, "fields");
		is_open = true;
		value = column_value(c, v->h, e);
		c->kind->json(c, v->j, &value, false);
	}
	if (is_open)
		json_object_end(v->j);
}

static void put_entry(const struct hist_json *v, const struct hist_entry *e)
{
	struct json *j = v->j;

	out_char(j->o, '\n');
	json_object(j);
	put_keys(v, e);
	put_fields(v, e);
	json_put_object(j, "self");
	json_put_u64(j, "period", e->period);
	json_put_u64(j, "samples", e->nr);
	put_percent(v, e->period);
	put_latency(v, e->latency);
	json_object_end(j);
	if (v->h->options->children) {
		json_put_object(j, "children");
		json_put_u64(j, "period", e->children);
		put_percent(v, e->children);
		put_latency(v, e->latency_children);
		json_object_end(j);
	}
	if (v->h->options->chains) {
		json_put_array(j, "tree");
		if (hist_grow_tree(v->h, e))
			put_tree(v);
		json_array_end(j);
	}
	json_object_end(j);
}

static void put_hist(struct json *j, const struct recording *r, struct hist *h, double percent_limit)
{
	struct hist_json v = { .j = j, .h = h };
	uint32_t nr_hidden = 0;

	out_char(j->o, '\n');
	json_object(j);
	put_known(j, "name", r->info->events.v[h->event].name);
	json_put_u64(j, "samples", h->nr_samples);
	json_put_u64(j, "period", h->total_period);
	if (h->options->latency)
		json_put_double(j, "latency", h->total_latency, 1);
	json_put_u64(j, "lost", recording_event_lost(r, h->event));
	if (h->options->chains)
		json_put_str(j, "tree_order", h->options->order == HIST_CALLER ? "caller" : "callee");
	json_put_array(j, "entries");
	for (uint32_t i = 0; i < h->entries.nr && !j->o->error; i++) {
		const struct hist_entry *e = &h->entries.v[i];
		uint64_t size = h->options->children ? e->children : e->period;

		if (percent_limit > 0 && (double)size * 100.0 < percent_limit * (double)h->total_period)
			nr_hidden++;
		else
			put_entry(&v, e);
	}
	json_array_end(j);
	json_put_u64(j, "hidden_entries", nr_hidden);
	if (h->nr_without_row)
		json_put_u64(j, "samples_without_entry", h->nr_without_row);
	if (h->nr_without_tree)
		json_put_u64(j, "entries_without_tree", h->nr_without_tree);
	if (h->nr_cut_trees)
		json_put_u64(j, "cut_trees", h->nr_cut_trees);
	json_object_end(j);
}

void report_json(struct out *o, const struct recording *r, struct hist *const *hists, uint32_t nr_hists, double percent_limit,
		 const struct quality *q)
{
	struct json j;

	json_init(&j, o, false);
	json_object(&j);
	json_put_str(&j, "schema", "assay-report-1");
	put_recording(&j, r);
	losses_json(&j, r);
	quality_json(&j, q);
	json_put_array(&j, "events");
	for (uint32_t i = 0; i < nr_hists; i++)
		put_hist(&j, r, hists[i], percent_limit);
	json_array_end(&j);
	json_object_end(&j);
	out_char(o, '\n');
}
