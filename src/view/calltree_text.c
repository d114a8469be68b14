/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A call tree as text: graph and fractal (indented, with pipes), flat and folded (one path per entry).
 *
 * Nodes with a single child and no chain ending at them are printed as one branch; siblings come largest first, equal ones from high to
 * low addresses, as in perf. Trees are walked with a list, not by recursion: their depth is the file's. Beyond MAX_LEVELS the indentation
 * stops growing, because its sum is the square of the depth.
 */
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "view/heat_colour.h"
#include "view/page.h"
#include "view/report.h"

#define INDENT 12
#define MAX_PIPES 64
#define LEAST_NAME 12 /* letters, however narrow the terminal is */
#define PIPE_COLUMNS 11
#define MAX_LEVELS 128 /* of indentation */

struct tree_writer {
	struct out *o;
	const struct report_text_options *opts;
	struct hist *h;
	uint64_t min_hit;
	uint64_t pipes;	  /* bit N: a pipe at depth N */
	bool printed;	  /* anything at all */
	bool is_too_deep; /* for its indentation */
};

struct node_list {
	uint32_t *v;
	uint32_t nr, cap;
};

/* What stands behind the name of a node that is an address or a line. */
static void put_node_place(struct out *o, struct hist *h, uint32_t place)
{
	const struct profile *p = h->profile;
	const struct profile_place *at = &p->places.v[place];
	const struct location *where = &p->locations.v[at->location].at;

	if (at->file || profile_dso(p, where->dso)->kind == MODULE_ELF) {
		out_char(o, ' ');
		escape_terminal_str(o, profile_str(p, hist_srcline(h, place)));
	} else if (h->options->chain_key == HIST_CHAIN_ADDRESS) {
		out_printf(o, " +%llu", (unsigned long long)(where->addr - p->frames.v[at->frame].start));
	}
}

/* The name of a node in a chain, or its address where it has none. */
void calltree_node_name(struct out *o, struct hist *h, uint32_t node)
{
	const struct profile *p = h->profile;
	const struct profile_frame *f = &p->frames.v[hist_node_frame(h, node)];
	uint32_t place = hist_node_place(h, node);

	if (f->function) {
		escape_terminal_str(o, profile_str(p, f->function));
		if (place != PLACE_NONE)
			put_node_place(o, h, place);
		if (f->is_inlined)
			out_str(o, " (inlined)");
	} else {
		out_str(o, f->start ? "0x" : "");
		out_hex(o, f->start, 0);
	}
}

static int cmp_nodes(const struct hist *h, uint32_t a, uint32_t b)
{
	const struct profile *p = h->profile;
	const struct profile_frame *fa = &p->frames.v[hist_node_frame(h, a)];
	const struct profile_frame *fb = &p->frames.v[hist_node_frame(h, b)];
	uint32_t pa = hist_node_place(h, a), pb = hist_node_place(h, b);

	if (fa->dso != fb->dso || fa->start != fb->start)
		return COMPARE(fb->dso, fa->dso) ?: COMPARE(fb->start, fa->start);
	if (fa->is_inlined != fb->is_inlined || fa->function != fb->function)
		return strcmp(profile_str(p, fa->function), profile_str(p, fb->function));
	if (pa == PLACE_NONE || pb == PLACE_NONE)
		return 0;

	uint64_t ia = p->locations.v[p->places.v[pa].location].at.ip, ib = p->locations.v[p->places.v[pb].location].at.ip;

	return COMPARE(ib, ia);
}

static int cmp_by_frame(const void *va, const void *vb, void *ctx)
{
	const struct hist *h = ctx;

	return cmp_nodes(h, h->tree.nodes.v[*(const uint32_t *)va].frame, h->tree.nodes.v[*(const uint32_t *)vb].frame);
}

static int cmp_by_total(const void *va, const void *vb, void *ctx)
{
	const struct hist *h = ctx;
	uint32_t a = *(const uint32_t *)va, b = *(const uint32_t *)vb;

	return COMPARE(weighted_total(&h->tree, b, 0), weighted_total(&h->tree, a, 0)) ?: cmp_by_frame(va, vb, ctx);
}

/* The children of a node, sorted. The caller frees. */
static struct node_list children_of(const struct tree_writer *w, uint32_t node, __compar_d_fn_t compare)
{
	const struct weighted_node *nodes = w->h->tree.nodes.v;
	struct node_list l = { 0 };

	for (uint32_t n = nodes[node].first_child; n != WEIGHTED_NONE; n = nodes[n].next_sibling)
		vec_push(&l, n);
	vec_sort_r(&l, compare, w->h);
	return l;
}

/* The next node of the branch that `node` begins, or WEIGHTED_NONE where the branch ends. */
static uint32_t branch_next(const struct hist *h, uint32_t node)
{
	const struct weighted_node *n = &h->tree.nodes.v[node];

	if (weighted_self(&h->tree, node, 0) || n->nr_children != 1)
		return WEIGHTED_NONE;
	return n->first_child;
}

static uint32_t branch_end(const struct hist *h, uint32_t node)
{
	for (uint32_t next; (next = branch_next(h, node)) != WEIGHTED_NONE;)
		node = next;
	return node;
}

static void put_share(const struct tree_writer *w, double percent)
{
	const char *on = w->opts->colour ? heat_colour(percent) : NULL;

	out_str(w->o, on ? on : "");
	out_printf(w->o, "%.2f%%", percent);
	out_str(w->o, on ? HEAT_OFF : "");
}

static void put_value(const struct tree_writer *w, uint64_t period, uint64_t nr, uint64_t total)
{
	switch (w->opts->chain_value) {
	case CHAIN_PERIOD:
		out_u64(w->o, period, 0);
		break;
	case CHAIN_COUNT:
		out_u64(w->o, nr, 0);
		break;
	case CHAIN_PERCENT:
		put_share(w, total ? 100.0 * (double)period / (double)total : 0.0);
		break;
	}
}

/* The pipes in front of a name; with figures (period, samples) these stand behind the last one. */
static void put_pipes(const struct tree_writer *w, int depth, int margin, const uint64_t *figures, uint64_t total)
{
	depth = depth < MAX_LEVELS ? depth : MAX_LEVELS;
	out_spaces(w->o, INDENT + margin);
	for (int i = 0; i < depth; i++) {
		out_char(w->o, i < MAX_PIPES && (w->pipes >> i & 1) ? '|' : ' ');
		if (figures && i == depth - 1) {
			out_str(w->o, "--");
			put_value(w, figures[0], figures[1], total);
			out_str(w->o, "--");
		} else {
			out_spaces(w->o, PIPE_COLUMNS - 1);
		}
	}
}

/* In a graph, behind so many columns. */
static void put_fitting_name(const struct tree_writer *w, uint32_t node, int before)
{
	int left = w->opts->line_width - before;
	struct out name;

	if (!w->opts->line_width) {
		calltree_node_name(w->o, w->h, w->h->tree.nodes.v[node].frame);
		return;
	}
	out_init(&name, -1);
	calltree_node_name(&name, w->h, w->h->tree.nodes.v[node].frame);
	label_shorten_text(w->o, name.buf, name.len, left > LEAST_NAME ? (size_t)left : LEAST_NAME, w->opts->ascii);
	out_fini(&name);
}

/* One frame of a branch; the first has its value in the line. */
static void put_frame_line(const struct tree_writer *w, uint32_t branch, uint32_t node, int depth, int margin, uint64_t total)
{
	put_pipes(w, depth, margin, node == branch ? weighted_totals(&w->h->tree, branch) : NULL, total);
	put_fitting_name(w, node, INDENT + margin + PIPE_COLUMNS * (depth < MAX_LEVELS ? depth : MAX_LEVELS));
	out_char(w->o, '\n');
}

/* What was too small to show, in a fractal graph. */
static void put_remainder(struct tree_writer *w, int depth, int margin, uint64_t remaining, uint64_t total)
{
	if (depth - 1 < MAX_PIPES)
		w->pipes &= ~(1ULL << (depth - 1));
	put_pipes(w, depth, margin, (uint64_t[]){ remaining, 0 }, total);
	out_str(w->o, "[...]\n");
}

/* The children of a node, as far as they are printed. */
struct level {
	struct node_list children;
	uint32_t nr, next;
	uint64_t total, remaining;
	uint64_t pipes_above, pipes_here;
};

struct level_list {
	struct level *v;
	uint32_t nr, cap;
};

static void open_level(struct tree_writer *w, struct level_list *open, uint32_t node, uint64_t total)
{
	struct level l = { .children = children_of(w, node, cmp_by_total), .total = total, .remaining = total, .pipes_above = w->pipes };

	l.nr = l.children.nr;
	if (w->opts->chain_print_limit && l.nr > w->opts->chain_print_limit)
		l.nr = w->opts->chain_print_limit;
	vec_push(open, l);
}

/* Prints the next child of the innermost open level; gives the node that its branch ends at. */
static uint32_t put_child(struct tree_writer *w, struct level *l, int depth, int margin)
{
	bool fractal = w->opts->chain_style == CHAIN_FRACTAL;
	uint32_t child = l->children.v[l->next++];

	l->remaining -= weighted_total(&w->h->tree, child, 0);
	w->printed = true;
	w->is_too_deep |= depth > MAX_LEVELS;
	put_pipes(w, depth, margin, NULL, 0);
	out_char(w->o, '\n');
	/* The pipe of this level ends at its last child, unless a remainder follows. */
	if (l->next == l->children.nr && (!fractal || !l->remaining) && depth - 1 < MAX_PIPES)
		w->pipes &= ~(1ULL << (depth - 1));
	for (uint32_t n = child; n != WEIGHTED_NONE; n = branch_next(w->h, n))
		put_frame_line(w, child, n, depth, margin, l->total);
	l->pipes_here = w->pipes;
	if (depth < MAX_PIPES)
		w->pipes |= 1ULL << depth;
	return branch_end(w->h, child);
}

static void close_level(struct tree_writer *w, struct level_list *open, int margin)
{
	struct level *l = &open->v[open->nr - 1];

	if (w->opts->chain_style == CHAIN_FRACTAL && l->remaining && l->remaining != l->total)
		put_remainder(w, (int)open->nr, margin, l->remaining, l->total);
	w->pipes = l->pipes_above;
	vec_fini(&l->children);
	open->nr--;
}

static void put_levels(struct tree_writer *w, uint32_t node, uint64_t total, int margin)
{
	struct level_list open = { 0 };

	open_level(w, &open, node, total);
	while (open.nr) {
		struct level *l = &open.v[open.nr - 1];
		uint32_t end;

		if (l->next)
			w->pipes = l->pipes_here;
		if (l->next == l->nr || w->o->error) {
			close_level(w, &open, margin);
			continue;
		}
		end = put_child(w, l, (int)open.nr, margin);
		open_level(w, &open, end,
			   w->opts->chain_style == CHAIN_FRACTAL ? weighted_total(&w->h->tree, end, 0) - weighted_self(&w->h->tree, end, 0)
								 : l->total);
	}
	vec_fini(&open);
}

static void put_graph(struct tree_writer *w, uint64_t parent)
{
	struct node_list roots = children_of(w, WEIGHTED_ROOT, cmp_by_total);
	uint32_t top = WEIGHTED_ROOT;
	uint64_t total = w->h->total_period;
	int margin = 0;

	if (roots.nr == 1 && weighted_total(&w->h->tree, roots.v[0], 0) == parent) {
		bool first = true;
		uint32_t nr = 0;

		for (uint32_t n = roots.v[0]; n != WEIGHTED_NONE && !w->o->error; n = branch_next(w->h, n)) {
			bool skip = first && w->opts->skip_first_frame;

			first = false;
			top = n;
			if (skip)
				continue;
			out_spaces(w->o, INDENT);
			if (!w->printed) {
				out_str(w->o, "|\n");
				out_spaces(w->o, INDENT);
				out_str(w->o, "---");
				margin = 3;
				w->printed = true;
			} else {
				out_spaces(w->o, margin);
			}
			put_fitting_name(w, n, INDENT + 3);
			out_char(w->o, '\n');
			if (++nr == w->opts->chain_print_limit)
				break;
		}
		top = branch_end(w->h, roots.v[0]);
	}
	w->pipes = 1;
	if (w->opts->chain_style == CHAIN_FRACTAL)
		total = parent;
	put_levels(w, top, total, margin);
	if (w->is_too_deep)
		out_printf(w->o, "%*s[lines below level %d are not indented further]\n", INDENT, "", MAX_LEVELS);
	if (w->printed)
		out_char(w->o, '\n');
	vec_fini(&roots);
}

/* A chain's end, and its place in the order of a walk: children from high to low addresses, then the node itself. */
struct chain_end {
	uint32_t node;
	uint32_t place;
	uint64_t hit;
};

struct end_list {
	struct chain_end *v;
	uint32_t nr, cap;
};

static int cmp_ends(const void *va, const void *vb)
{
	const struct chain_end *a = va, *b = vb;

	return COMPARE(b->hit, a->hit) ?: COMPARE(a->place, b->place);
}

static void collect_ends(const struct tree_writer *w, struct end_list *ends)
{
	const struct weighted_node *nodes = w->h->tree.nodes.v;
	struct level_list open = { 0 };
	uint32_t node = WEIGHTED_ROOT;
	uint64_t hit;

	vec_push(&open, ((struct level){ .children = children_of(w, node, cmp_by_frame) }));
	while (open.nr) {
		struct level *l = &open.v[open.nr - 1];

		if (l->next < l->children.nr) {
			node = l->children.v[l->next++];
			vec_push(&open, ((struct level){ .children = children_of(w, node, cmp_by_frame) }));
			continue;
		}
		hit = weighted_self(&w->h->tree, node, 0);
		if (hit && hit >= w->min_hit)
			vec_push(ends, ((struct chain_end){ node, ends->nr, hit }));
		node = nodes[node].parent;
		vec_fini(&l->children);
		open.nr--;
	}
	vec_fini(&open);
}

static void put_path(const struct tree_writer *w, uint32_t end)
{
	bool folded = w->opts->chain_style == CHAIN_FOLDED;
	struct node_list path = { 0 };

	for (uint32_t n = end; n != WEIGHTED_ROOT; n = w->h->tree.nodes.v[n].parent)
		vec_push(&path, n);
	for (uint32_t i = path.nr; i-- > 0 && !w->o->error;) {
		if (!folded)
			out_spaces(w->o, 16);
		else if (i + 1 < path.nr)
			out_char(w->o, ';');
		calltree_node_name(w->o, w->h, w->h->tree.nodes.v[path.v[i]].frame);
		if (!folded)
			out_char(w->o, '\n');
	}
	vec_fini(&path);
}

static void put_paths(struct tree_writer *w)
{
	bool folded = w->opts->chain_style == CHAIN_FOLDED;
	struct end_list l = { 0 };

	collect_ends(w, &l);
	vec_sort(&l, cmp_ends);
	for (uint32_t i = 0; i < l.nr && !w->o->error; i++) {
		const struct weighted_tree *t = &w->h->tree;
		const uint64_t *figures;

		if (w->opts->chain_print_limit && i == w->opts->chain_print_limit)
			break;
		out_spaces(w->o, folded ? 0 : 11);
		/* As in perf: a flat path counts what goes on below its end, a folded one does not. */
		figures = folded ? weighted_selves(t, l.v[i].node) : weighted_totals(t, l.v[i].node);
		put_value(w, figures[0], figures[1], w->h->total_period);
		out_char(w->o, folded ? ' ' : '\n');
		put_path(w, l.v[i].node);
		out_char(w->o, '\n');
	}
	vec_fini(&l);
}

void calltree_text(struct out *o, const struct report_text_options *opts, struct hist *h, const struct hist_entry *e)
{
	uint64_t parent = h->options->children ? e->children : e->period;
	struct tree_writer w = { .o = o, .opts = opts, .h = h };

	if (opts->chain_style == CHAIN_NO || !hist_grow_tree(h, e))
		return;
	w.min_hit = (uint64_t)((double)h->total_period * (opts->chain_min_percent / 100.0));
	if (opts->chain_style == CHAIN_FLAT || opts->chain_style == CHAIN_FOLDED)
		put_paths(&w);
	else
		put_graph(&w, parent);
}
