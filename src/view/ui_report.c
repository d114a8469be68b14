/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Rows of the report browser. A row's call tree is grown when it is first opened, and kept. Nodes with one child that passes all on are
 * one branch, which opens and closes as a whole.
 */
#include "view/ui_report.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define MEASURED_ROWS 2000u	 /* that column widths are taken from */
#define MOST_ROWS 200000u	 /* with all open */
#define MOST_TREE_NODES 1000000u /* the same of trees */
#define INDENT 2
#define LEAST_NAME 17 /* columns: "[kernel.kallsyms]" */

struct ui_report_entry {
	struct weighted_tree tree;
	uint8_t *is_node_open; /* by node */
	bool is_open;
};

static const char *const help[] = {
	"Report",
	"  Enter + e             open or close the call chain of a row",
	"  c                     close it",
	"  E C                   open, close all",
	"  a                     annotate: which instructions and lines took the time",
	"  f                     flame graph",
	"  b                     callers and callees of the function",
	"  d                     only this module (zoom); again, or q: all",
	"  t                     only this thread (zoom); again, or q: all",
	"  T                     threads over time, to choose a range of it",
	"  Tab                   the next event",
	"  P                     save the report as text: assay.hist.N",
	"  i                     how and where it was recorded",
	"  s                     another recording of this directory",
	NULL,
};

static bool has_chain(const struct ui_report *r, uint32_t entry)
{
	return r->h->options->chains && r->h->entries.v[entry].nr_paths;
}

/* False: there is nothing below the row. */
static bool grow(struct ui_report *r, uint32_t entry)
{
	struct ui_report_entry *e = r->entries[entry];

	if (e)
		return e->tree.nodes.nr > 1;
	if (!has_chain(r, entry))
		return false;
	e = r->entries[entry] = mem_zalloc(sizeof(*e));
	if (!hist_grow_tree(r->h, &r->h->entries.v[entry]))
		return false;
	/* It would be replaced by the next one. */
	e->tree = r->h->tree;
	memset(&r->h->tree, 0, sizeof(r->h->tree));
	vec_fini(&e->tree.bucket_of);
	vec_fini(&e->tree.stamp_of);
	e->is_node_open = mem_zalloc(e->tree.nodes.nr + 1);
	return e->tree.nodes.nr > 1;
}

static uint32_t branch_end(const struct weighted_tree *t, uint32_t node)
{
	while (!weighted_self(t, node, 0) && t->nodes.v[node].nr_children == 1 && t->nodes.v[node].first_child != WEIGHTED_NONE)
		node = t->nodes.v[node].first_child;
	return node;
}

static int cmp_total(const void *va, const void *vb, void *ctx)
{
	const struct weighted_tree *t = ctx;
	uint64_t a = weighted_total(t, *(const uint32_t *)va, 0), b = weighted_total(t, *(const uint32_t *)vb, 0);

	/* The smallest first: the last one is taken from the stack first. */
	return COMPARE(a, b) ?: COMPARE(*(const uint32_t *)vb, *(const uint32_t *)va);
}

struct open_branch {
	uint32_t node;
	uint16_t depth;
};

struct branch_stack {
	struct open_branch *v;
	uint32_t nr, cap;
};

/* The children of a node, the largest on top. */
static void push_children(const struct weighted_tree *t, uint32_t node, uint16_t depth, struct branch_stack *stack)
{
	VEC(uint32_t) children = { 0 };

	for (uint32_t n = t->nodes.v[node].first_child; n != WEIGHTED_NONE; n = t->nodes.v[n].next_sibling)
		vec_push(&children, n);
	vec_sort_r(&children, cmp_total, t);
	for (uint32_t i = 0; i < children.nr; i++)
		vec_push(stack, ((struct open_branch){ children.v[i], depth }));
	vec_fini(&children);
}

static void add_branch(struct ui_report *r, uint32_t entry, const struct open_branch *b, struct branch_stack *stack)
{
	const struct ui_report_entry *e = r->entries[entry];
	uint32_t end = branch_end(&e->tree, b->node);
	bool has_more = end != b->node || e->tree.nodes.v[end].first_child != WEIGHTED_NONE, is_open = e->is_node_open[b->node];
	uint8_t fold = !has_more ? UI_FOLD_LEAF : is_open ? UI_FOLD_OPEN : UI_FOLD_CLOSED;

	vec_push(&r->rows, ((struct ui_report_row){ entry, b->node, b->depth, fold, true }));
	if (!has_more || !is_open)
		return;
	for (uint32_t n = b->node; n != end;) {
		n = e->tree.nodes.v[n].first_child;
		vec_push(&r->rows, ((struct ui_report_row){ entry, n, b->depth, UI_FOLD_LEAF, false }));
	}
	push_children(&e->tree, end, (uint16_t)(b->depth < UINT16_MAX ? b->depth + 1 : b->depth), stack);
}

static void make_rows(struct ui_report *r)
{
	struct branch_stack stack = { 0 };

	r->rows.nr = 0;
	for (uint32_t i = 0; i < r->shown.nr; i++) {
		uint32_t entry = r->shown.v[i];
		const struct ui_report_entry *e = r->entries[entry];
		bool is_leaf = e ? e->tree.nodes.nr < 2 : !has_chain(r, entry), is_open = e && e->is_open && !is_leaf;
		uint8_t fold = is_leaf ? UI_FOLD_LEAF : is_open ? UI_FOLD_OPEN : UI_FOLD_CLOSED;

		vec_push(&r->rows, ((struct ui_report_row){ entry, WEIGHTED_NONE, 0, fold, true }));
		if (!is_open)
			continue;
		push_children(&e->tree, WEIGHTED_ROOT, 1, &stack);
		while (stack.nr) {
			struct open_branch b = stack.v[--stack.nr];

			add_branch(r, entry, &b, &stack);
		}
	}
	vec_fini(&stack);
}

static void put_cell(struct ui_report *r, uint32_t column, const struct hist_entry *e, int width)
{
	const struct column *c = hist_column(r->h, r->text->columns[column]);
	struct column_value v = column_value(c, r->h, e);

	r->cell.len = 0;
	column_text(c, &r->cell, &v, width);
}

static bool is_figure(const struct ui_report *r, uint32_t column)
{
	const struct column *c = hist_column(r->h, r->text->columns[column]);

	return !c->key || c->flags & COLUMN_IS_RIGHT;
}

static bool is_symbol(const struct ui_report *r, uint32_t column)
{
	return hist_column(r->h, r->text->columns[column])->kind == columns[HIST_SYM].kind;
}

static const char *heading_of(const struct ui_report *r, uint32_t column)
{
	const struct column *c = hist_column(r->h, r->text->columns[column]);

	return c == &columns[HIST_SELF] && !r->text->beside_children ? "Overhead" : c->heading;
}

static void measure(struct ui_report *r)
{
	for (uint32_t i = 0; i < r->text->nr_columns; i++) {
		const struct column *c = hist_column(r->h, r->text->columns[i]);
		int width = (int)strlen(heading_of(r, i));

		width = c->min_width > width ? c->min_width : width;
		for (uint32_t k = 0; c->kind->width && k < r->shown.nr && k < MEASURED_ROWS; k++) {
			struct column_value v = column_value(c, r->h, &r->h->entries.v[r->shown.v[k]]);
			int needed = c->kind->width(&r->cell, &v, false);

			width = needed > width ? needed : width;
		}
		r->widths[i] = width;
	}
}

/* The names of all rows, made once for searches: in small letters, a line a column, and where those of each row begin. */
static void make_words(struct ui_report *r)
{
	if (r->word_at)
		return;
	r->word_at = mem_alloc((r->h->entries.nr + (size_t)1) * sizeof(*r->word_at));
	for (uint32_t i = 0; i < r->h->entries.nr; i++) {
		r->word_at[i] = r->words.len;
		for (uint32_t k = 0; k < r->text->nr_columns; k++) {
			if (!hist_column(r->h, r->text->columns[k])->key)
				continue;
			put_cell(r, k, &r->h->entries.v[i], 0);
			out_mem(&r->words, r->cell.buf, r->cell.len);
			out_char(&r->words, '\n');
		}
	}
	r->word_at[r->h->entries.nr] = r->words.len;
	for (size_t i = 0; i < r->words.len; i++)
		r->words.buf[i] = (char)tolower((unsigned char)r->words.buf[i]);
}

/* `word` is in small letters. */
static bool entry_has_word(const struct ui_report *r, uint32_t entry, const char *word)
{
	return memmem(r->words.buf + r->word_at[entry], r->word_at[entry + 1] - r->word_at[entry], word, strlen(word));
}

static void put_small(char *to, const char *word)
{
	for (; *word; word++)
		*to++ = (char)tolower((unsigned char)*word);
	*to = 0;
}

static double share_of(const struct ui_report *r, const struct hist_entry *e)
{
	uint64_t part = r->h->options->children ? e->children : e->period;

	return r->h->total_period ? 100.0 * (double)part / (double)r->h->total_period : 0;
}

static void choose_entries(struct ui_report *r)
{
	char word[sizeof(r->word)];

	put_small(word, r->word);
	if (word[0])
		make_words(r);
	r->shown.nr = 0;
	for (uint32_t i = 0; i < r->h->entries.nr; i++) {
		const struct hist_entry *e = &r->h->entries.v[i];

		if (share_of(r, e) >= r->text->percent_limit && (!word[0] || entry_has_word(r, i, word)))
			vec_push(&r->shown, i);
	}
	make_rows(r);
}

static void report_filter(void *model, const char *word, struct ui_list *list)
{
	struct ui_report *r = model;
	uint32_t entry = list->selected < r->rows.nr ? r->rows.v[list->selected].entry : 0;
	size_t len = strnlen(word, sizeof(r->word) - 1);

	memmove(r->word, word, len);
	r->word[len] = 0;
	choose_entries(r);
	list->selected = 0;
	for (uint32_t i = 0; i < r->rows.nr; i++) {
		if (r->rows.v[i].entry != entry || r->rows.v[i].node != WEIGHTED_NONE)
			continue;
		list->selected = i;
		break;
	}
}

static void report_title(void *model, struct out *o, int width)
{
	(void)width;
	out_str(o, ((const struct ui_report *)model)->title);
}

static uint32_t report_nr(void *model)
{
	return ((const struct ui_report *)model)->rows.nr;
}

/* What a column wants: figures as wide as they are, names at most a fifth of the screen, if that is enough for most names of files and
 * headings. */
static int wanted_width(const struct ui_report *r, const struct ui_screen *s, uint32_t column)
{
	int most = s->columns / 5 > LEAST_NAME ? s->columns / 5 : s->columns / 3 > LEAST_NAME ? LEAST_NAME : s->columns / 3;

	return is_figure(r, column) || r->widths[column] < most ? r->widths[column] : most;
}

/* How many columns stand in front of the last one: on a narrow screen some give way to it, but for the first. */
static uint32_t nr_before_last(const struct ui_report *r, const struct ui_screen *s)
{
	int least = s->columns / 3 < LEAST_NAME ? s->columns / 3 : LEAST_NAME, used = INDENT;
	uint32_t nr = 0;

	while (nr + 1 < r->text->nr_columns) {
		used += wanted_width(r, s, nr) + 2;
		if (nr && s->columns - used < least)
			break;
		nr++;
	}
	return nr;
}

/* What it gets; 0: it is not shown. The last one gets the rest. */
static int width_at(const struct ui_report *r, const struct ui_screen *s, uint32_t column, int at)
{
	if (column + 1 == r->text->nr_columns)
		return s->columns - at;
	return column < nr_before_last(r, s) ? wanted_width(r, s, column) : 0;
}

static void report_heading(void *model, struct ui_screen *s, int row, int left)
{
	const struct ui_report *r = model;
	int at = INDENT;

	(void)left;
	ui_fill(s, row, 0, s->columns, UI_HEADING);
	for (uint32_t i = 0; i < r->text->nr_columns && at < s->columns; i++) {
		const char *heading = heading_of(r, i);
		int width = width_at(r, s, i, at);

		if (!width)
			continue;
		ui_put_str(s, row, is_figure(r, i) && i + 1 < r->text->nr_columns ? at + width - (int)strlen(heading) : at, width,
			   UI_HEADING, heading);
		at += width + 2;
	}
}

/* The last column is scrolled; without that, the name of a function is shortened. */
static void put_name(struct ui_screen *s, int row, int at, int width, const char *text, size_t len, int left)
{
	if (left)
		ui_put_skipped(s, row, at, left, UI_PLAIN, text, len);
	else
		ui_put_name(s, row, at, width, UI_PLAIN, text, len);
}

static void draw_entry(struct ui_report *r, struct ui_screen *s, int row, const struct ui_report_row *at_row, int left)
{
	static const char folds[] = { ' ', '+', '-' };
	const struct hist_entry *e = &r->h->entries.v[at_row->entry];
	enum ui_style style = ui_heat(share_of(r, e));
	int at = INDENT;

	ui_printf(s, row, 0, 1, UI_PLAIN, "%c", folds[at_row->fold]);
	for (uint32_t i = 0; i < r->text->nr_columns && at < s->columns; i++) {
		bool is_last = i + 1 == r->text->nr_columns;
		int width = width_at(r, s, i, at);

		if (!width)
			continue;
		put_cell(r, i, e, is_last ? 0 : width);
		while (is_figure(r, i) && r->cell.len && r->cell.buf[0] == ' ') {
			r->cell.len--;
			memmove(r->cell.buf, r->cell.buf + 1, r->cell.len);
		}
		if (is_figure(r, i) && !is_last) {
			int used = (int)r->cell.len < width ? (int)r->cell.len : width;

			ui_put(s, row, at + width - used, used, style, r->cell.buf, r->cell.len);
		} else if (is_symbol(r, i) || (is_last && left)) {
			put_name(s, row, at, width, r->cell.buf, r->cell.len, is_last ? left : 0);
		} else {
			ui_put_middle(s, row, at, width, UI_PLAIN, r->cell.buf, r->cell.len);
		}
		at += width + 2;
	}
}

static void draw_node(struct ui_report *r, struct ui_screen *s, int row, const struct ui_report_row *at_row, int left)
{
	const struct weighted_tree *t = &r->entries[at_row->entry]->tree;
	const struct weighted_node *n = &t->nodes.v[at_row->node];
	bool is_relative = r->text->chain_style == CHAIN_FRACTAL;
	uint64_t whole = is_relative ? weighted_total(t, n->parent, 0) : r->h->total_period;
	double percent = whole ? 100.0 * (double)weighted_total(t, at_row->node, 0) / (double)whole : 0;
	static const char *const folds[] = { " ", "+", "-" };
	int at = INDENT + INDENT * at_row->depth;

	/* Deep trees are not pushed off the screen. */
	at = at > s->columns / 2 ? s->columns / 2 : at;
	if (at_row->is_first)
		at = ui_printf(s, row, at, 12, ui_heat(percent), "%s %5.2f%% ", folds[at_row->fold], percent);
	else
		at = ui_put_str(s, row, at, 10, UI_FAINT, s->utf8 ? "       \u2502 " : "       | ");
	r->cell.len = 0;
	calltree_node_name(&r->cell, r->h, n->frame);
	put_name(s, row, at, s->columns - at, r->cell.buf, r->cell.len, left);
}

static void report_draw(void *model, struct ui_screen *s, int row, uint32_t i, int left)
{
	struct ui_report *r = model;

	if (r->rows.v[i].node == WEIGHTED_NONE)
		draw_entry(r, s, row, &r->rows.v[i], left);
	else
		draw_node(r, s, row, &r->rows.v[i], left);
}

/* Opens what has no choice in it, so that one key shows something. */
static void open_only_child(struct ui_report_entry *e, uint32_t node)
{
	uint32_t child = e->tree.nodes.v[node].first_child;

	if (child != WEIGHTED_NONE && e->tree.nodes.v[child].next_sibling == WEIGHTED_NONE)
		e->is_node_open[child] = true;
}

static void toggle(struct ui_report *r, struct ui_list *list, bool may_open, bool may_close)
{
	uint32_t at = list->selected;
	struct ui_report_entry *e;

	/* A row inside of a branch closes the branch. */
	while (at && !r->rows.v[at].is_first)
		at--;
	struct ui_report_row row = r->rows.v[at];

	if (!grow(r, row.entry)) {
		make_rows(r);
		return;
	}
	e = r->entries[row.entry];
	if (row.node == WEIGHTED_NONE) {
		e->is_open = e->is_open ? !may_close : may_open;
		if (e->is_open)
			open_only_child(e, WEIGHTED_ROOT);
	} else {
		e->is_node_open[row.node] = e->is_node_open[row.node] ? !may_close : may_open;
	}
	list->selected = at;
	make_rows(r);
}

static void open_all(struct ui_report *r, struct ui_app *app, struct ui_list *list)
{
	uint32_t entry = r->rows.nr ? r->rows.v[list->selected].entry : 0, i;
	uint64_t nr_nodes = 0;

	for (i = 0; i < r->shown.nr && i < MOST_ROWS && nr_nodes < MOST_TREE_NODES; i++) {
		struct ui_report_entry *e;

		if (!grow(r, r->shown.v[i]))
			continue;
		e = r->entries[r->shown.v[i]];
		e->is_open = true;
		memset(e->is_node_open, 1, e->tree.nodes.nr);
		nr_nodes += e->tree.nodes.nr;
	}
	if (i < r->shown.nr)
		ui_app_say(app, "the first %u rows are open: all of them would be too long to read", i);
	make_rows(r);
	for (i = 0; i < r->rows.nr; i++)
		if (r->rows.v[i].entry == entry) {
			list->selected = i;
			break;
		}
}

static void close_all(struct ui_report *r, struct ui_list *list)
{
	uint32_t entry = r->rows.nr ? r->rows.v[list->selected].entry : 0;

	for (uint32_t i = 0; i < r->h->entries.nr; i++)
		if (r->entries[i]) {
			r->entries[i]->is_open = false;
			if (r->entries[i]->is_node_open)
				memset(r->entries[i]->is_node_open, 0, r->entries[i]->tree.nodes.nr);
		}
	make_rows(r);
	for (uint32_t i = 0; i < r->rows.nr; i++)
		if (r->rows.v[i].entry == entry)
			list->selected = i;
}

static uint32_t frame_at(const struct ui_report *r, const struct ui_report_row *row)
{
	const struct hist_entry *e = &r->h->entries.v[row->entry];

	if (row->node == WEIGHTED_NONE)
		return e->at.frame;
	return hist_node_frame(r->h, r->entries[row->entry]->tree.nodes.v[row->node].frame);
}

static bool ask_host(struct ui_report *r, struct ui_app *app, const struct ui_list *list, enum ui_request what)
{
	const struct ui_report_row *row = r->rows.nr ? &r->rows.v[list->selected] : NULL;

	return r->host &&
	       r->host->request(r->host->ctx, app, what, row ? &r->h->entries.v[row->entry] : NULL, row ? frame_at(r, row) : FRAME_NONE);
}

static bool report_key(void *model, struct ui_app *app, struct ui_list *list, const struct ui_event *e)
{
	static const struct {
		uint32_t key;
		enum ui_request what;
	} requests[] = {
		{ 'a', UI_ANNOTATE },	 { 'd', UI_ZOOM_MODULE },
		{ 't', UI_ZOOM_THREAD }, { 'f', UI_FLAME },
		{ 'b', UI_CALLERS },	 { 'P', UI_SAVE },
		{ 'i', UI_HEADER },	 { 's', UI_OTHER_FILE },
		{ 'T', UI_TIME },	 { UI_KEY_TAB, UI_NEXT_EVENT },
		{ 'q', UI_ZOOM_OUT },	 { UI_KEY_ESCAPE, UI_ZOOM_OUT },
	};
	struct ui_report *r = model;

	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
		if (requests[i].key != e->key)
			continue;
		/* A filter is left first. */
		if (e->key == UI_KEY_ESCAPE && r->word[0])
			return false;
		return ask_host(r, app, list, requests[i].what) || (e->key != 'q' && e->key != UI_KEY_ESCAPE);
	}
	if (!r->rows.nr)
		return false;
	if (e->key == UI_KEY_ENTER || e->key == '+' || e->key == 'e')
		toggle(r, list, true, true);
	else if (e->key == 'c' || e->key == '-')
		toggle(r, list, false, true);
	else if (e->key == 'E')
		open_all(r, app, list);
	else if (e->key == 'C')
		close_all(r, list);
	else
		return false;
	return true;
}

static void forget(struct ui_report *r)
{
	for (uint32_t i = 0; r->entries && i < r->h->entries.nr; i++) {
		if (!r->entries[i])
			continue;
		weighted_tree_fini(&r->entries[i]->tree);
		free(r->entries[i]->is_node_open);
		free(r->entries[i]);
	}
	free(r->entries);
	free(r->word_at);
	r->word_at = NULL;
	r->words.len = 0;
	free(r->title);
	r->entries = NULL;
	r->title = NULL;
}

static void report_free(void *model)
{
	struct ui_report *r = model;

	forget(r);
	vec_fini(&r->shown);
	vec_fini(&r->rows);
	out_fini(&r->cell);
	out_fini(&r->words);
	free(r);
}

static const struct ui_rows_ops report_ops = {
	.title = report_title,
	.heading = report_heading,
	.nr = report_nr,
	.draw = report_draw,
	.key = report_key,
	.filter = report_filter,
	.free = report_free,
	.hint = "h:help Enter:chains a:annotate f:flame b:callers d:module t:thread T:time /:filter P:save q:quit",
	.help = help,
};

static void take_hist(struct ui_report *r, struct hist *h, const struct report_text_options *text, const char *title)
{
	r->h = h;
	r->text = text;
	r->title = mem_strdup(title);
	r->entries = mem_zalloc((h->entries.nr + 1) * sizeof(*r->entries));
	choose_entries(r);
	measure(r);
}

struct ui_view *ui_report_view(struct hist *h, const struct report_text_options *text, const struct ui_host *host, const char *title)
{
	struct ui_report *r = mem_zalloc(sizeof(*r));

	r->host = host;
	out_init(&r->cell, -1);
	out_init(&r->words, -1);
	take_hist(r, h, text, title);
	return ui_rows_view(&report_ops, r);
}

void ui_report_set(struct ui_view *v, struct hist *h, const struct report_text_options *text, const char *title)
{
	struct ui_report *r = ui_rows_model(v, &report_ops);

	if (!r)
		return;
	forget(r);
	take_hist(r, h, text, title);
	*ui_rows_list(v) = (struct ui_list){ 0 };
}
