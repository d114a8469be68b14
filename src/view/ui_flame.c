/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A flame graph in character cells, the root on top: boxes as wide as their share, laid out level by level from the frame that is zoomed into.
 */
#include <stdlib.h>
#include <string.h>

#include "view/ui_report.h"

struct box {
	uint32_t node;
	int level; /* from the root on */
	int column, width;
	bool is_odd; /* neighbours have different colours */
};

struct flame_view {
	struct ui_view view;
	struct flame *f;
	char *title;
	/* state */
	uint32_t zoom, selected; /* nodes */
	int top;		 /* level of the first line */
	char word[UI_PROMPT_SIZE];
	VEC(struct box) boxes; /* as last drawn */
	struct out text;
	struct flame *(*make)(void *ctx); /* anew; NULL: it stays as it is */
	void *make_ctx;
};

static const char *const help[] = {
	"Flame graph",
	"  arrows                to caller, callee and neighbours",
	"  Enter                 zoom into the frame",
	"  Backspace             zoom out by one frame; Esc: to all",
	"  /                     mark frames with a word in their names",
	"  n N                   the next, the previous of them",
	NULL,
};

static uint32_t parent_of(const struct flame_view *v, uint32_t node)
{
	return v->f->tree.nodes.v[node].parent;
}

static bool is_root(uint32_t node)
{
	return node == WEIGHTED_ROOT;
}

static uint64_t weight_of(const struct flame_view *v, uint32_t node)
{
	return weighted_total(&v->f->tree, node, 0);
}

static void add_box(struct flame_view *v, uint32_t node, int level, int column, int width)
{
	const struct box *left = v->boxes.nr ? &v->boxes.v[v->boxes.nr - 1] : NULL;
	bool is_odd = level % 2;

	if (left && left->level == level && left->column + left->width == column)
		is_odd = !left->is_odd;
	vec_push(&v->boxes, ((struct box){ node, level, column, width, is_odd }));
}

/* Callers of the zoomed frame as wide as the screen, then it and what is on it. */
static void lay_out(struct flame_view *v, int width)
{
	const struct weighted_tree *t = &v->f->tree;
	uint32_t first;

	v->boxes.nr = 0;
	for (uint32_t n = v->zoom; !is_root(n); n = parent_of(v, n))
		add_box(v, parent_of(v, n), (int)t->nodes.v[parent_of(v, n)].depth, 0, width);
	first = v->boxes.nr;
	add_box(v, v->zoom, (int)t->nodes.v[v->zoom].depth, 0, width);
	/* Boxes that are added are looked at in their turn. */
	for (uint32_t i = first; i < v->boxes.nr; i++) {
		struct box b = v->boxes.v[i];
		uint64_t whole = weight_of(v, b.node), before = 0;

		for (uint32_t n = t->nodes.v[b.node].first_child; n != WEIGHTED_NONE; n = t->nodes.v[n].next_sibling) {
			uint64_t end = before + weight_of(v, n);
			int from = whole ? (int)((double)before / (double)whole * b.width + 0.5) : 0;
			int to = whole ? (int)((double)end / (double)whole * b.width + 0.5) : 0;

			before = end;
			if (to > from)
				add_box(v, n, b.level + 1, b.column + from, to - from);
		}
	}
}

static enum ui_style style_of(const struct flame_view *v, const struct box *b)
{
	uint32_t node = b->node;
	const struct flame_frame *f = flame_frame_of(v->f, node);
	const char *name = strtab_get(&v->f->strings, f->name);

	if (node == v->selected)
		return UI_SELECTED;
	if (v->word[0] && ui_has_word(name, strlen(name), v->word))
		return UI_MATCH;
	switch ((enum flame_kind)f->kind) {
	case FLAME_KERNEL:
		return b->is_odd ? UI_FLAME_KERNEL_ODD : UI_FLAME_KERNEL;
	case FLAME_USER:
	case FLAME_JIT:
		return b->is_odd ? UI_FLAME_USER_ODD : UI_FLAME_USER;
	default:
		return UI_FLAME_OTHER;
	}
}

static double percent_of(const struct flame_view *v, uint32_t node)
{
	uint64_t whole = weight_of(v, WEIGHTED_ROOT);

	return whole ? 100.0 * (double)weight_of(v, node) / (double)whole : 0;
}

static void put_title(struct flame_view *v, struct ui_screen *s)
{
	const char *name = is_root(v->selected) ? "all" : flame_name(v->f, v->selected);

	v->text.len = 0;
	out_printf(&v->text, "%.2f%% ", percent_of(v, v->selected));
	out_str(&v->text, name);
	if (!is_root(v->selected) && flame_frame_of(v->f, v->selected)->module)
		out_printf(&v->text, " (%s)", strtab_get(&v->f->strings, flame_frame_of(v->f, v->selected)->module));
	out_printf(&v->text, " - %s", v->title);
	if (v->word[0])
		out_printf(&v->text, " [marked: '%s']", v->word);
	ui_title(s, v->text.buf, v->text.len);
}

static void flame_draw(struct ui_view *view, struct ui_app *app, struct ui_screen *s)
{
	struct flame_view *v = (struct flame_view *)view;
	struct ui_layout at = ui_layout(s->rows, false);
	int level = (int)v->f->tree.nodes.v[v->selected].depth;

	(void)app;
	lay_out(v, s->columns);
	if (level < v->top)
		v->top = level;
	if (level >= v->top + at.nr_body)
		v->top = level - at.nr_body + 1;
	if (at.title >= 0)
		put_title(v, s);
	for (uint32_t i = 0; i < v->boxes.nr; i++) {
		const struct box *b = &v->boxes.v[i];
		int row = at.body + b->level - v->top;
		const char *name = is_root(b->node) ? "all" : flame_name(v->f, b->node);

		if (b->level < v->top || b->level >= v->top + at.nr_body)
			continue;
		ui_fill(s, row, b->column, b->width, style_of(v, b));
		ui_put_name(s, row, b->column, b->width > 3 ? b->width - 1 : b->width, style_of(v, b), name, strlen(name));
	}
}

static const struct box *find_box(const struct flame_view *v, uint32_t node)
{
	for (uint32_t i = 0; i < v->boxes.nr; i++)
		if (v->boxes.v[i].node == node)
			return &v->boxes.v[i];
	return NULL;
}

/* The box beside the selected one in its line. */
static void move_sideways(struct flame_view *v, int by)
{
	const struct box *at = find_box(v, v->selected), *best = NULL;

	for (uint32_t i = 0; at && i < v->boxes.nr; i++) {
		const struct box *b = &v->boxes.v[i];

		if (b->level != at->level || (by < 0 ? b->column >= at->column : b->column <= at->column))
			continue;
		if (!best || (by < 0 ? b->column > best->column : b->column < best->column))
			best = b;
	}
	if (best)
		v->selected = best->node;
}

static void move_in(struct flame_view *v)
{
	const struct box *best = NULL;

	for (uint32_t i = 0; i < v->boxes.nr; i++) {
		const struct box *b = &v->boxes.v[i];

		if (!is_root(b->node) && parent_of(v, b->node) == v->selected && (!best || b->width > best->width))
			best = b;
	}
	if (best)
		v->selected = best->node;
}

static void zoom(struct flame_view *v, uint32_t node)
{
	v->zoom = v->selected = node;
}

/* Nodes are numbered level by level; zooming out shows one that is not on the screen. */
static void find_next(struct flame_view *v, struct ui_app *app, bool is_forward)
{
	uint32_t nr = v->f->tree.nodes.nr, n = v->selected;

	for (uint32_t i = 1; v->word[0] && i < nr; i++) {
		const char *name;

		n = is_forward ? (n + 1) % nr : (n + nr - 1) % nr;
		name = flame_name(v->f, n);
		if (is_root(n) || !ui_has_word(name, strlen(name), v->word))
			continue;
		v->selected = n;
		if (!find_box(v, n))
			v->zoom = WEIGHTED_ROOT;
		lay_out(v, app->columns);
		if (!find_box(v, n)) /* too narrow to be seen from there */
			v->zoom = n;
		return;
	}
	ui_app_say(app, v->word[0] ? "no frame has this word in its name" : "/ says first what to look for");
}

static void click(struct flame_view *v, const struct ui_app *app, const struct ui_event *e)
{
	struct ui_layout at = ui_layout(app->rows, false);

	for (uint32_t i = 0; i < v->boxes.nr; i++) {
		const struct box *b = &v->boxes.v[i];

		if (at.body + b->level - v->top != e->row || e->column < b->column || e->column >= b->column + b->width)
			continue;
		v->selected = b->node;
		if (e->key == UI_MOUSE_DOUBLE)
			zoom(v, b->node);
		return;
	}
}

static bool flame_key(struct ui_view *view, struct ui_app *app, const struct ui_event *e)
{
	struct flame_view *v = (struct flame_view *)view;

	switch (e->key) {
	case UI_KEY_LEFT:
	case UI_KEY_RIGHT:
		move_sideways(v, e->key == UI_KEY_LEFT ? -1 : 1);
		return true;
	case UI_KEY_UP:
	case UI_MOUSE_WHEEL_UP:
		v->selected = is_root(v->selected) ? v->selected : parent_of(v, v->selected);
		return true;
	case UI_KEY_DOWN:
	case UI_MOUSE_WHEEL_DOWN:
		move_in(v);
		return true;
	case UI_KEY_HOME:
		v->selected = WEIGHTED_ROOT;
		return true;
	case UI_KEY_ENTER:
		zoom(v, v->selected);
		return true;
	case UI_KEY_BACKSPACE:
		zoom(v, is_root(v->zoom) ? v->zoom : parent_of(v, v->zoom));
		return true;
	case UI_KEY_ESCAPE:
		if (is_root(v->zoom) && !v->word[0])
			return false;
		v->zoom = WEIGHTED_ROOT;
		v->word[0] = 0;
		return true;
	case '/':
		ui_app_ask(app, "mark frames with: ", v->word);
		return true;
	case 'n':
	case 'N':
		find_next(v, app, e->key == 'n');
		return true;
	case UI_MOUSE_CLICK:
	case UI_MOUSE_DOUBLE:
		click(v, app, e);
		return true;
	default:
		return false;
	}
}

static void flame_answer(struct ui_view *view, struct ui_app *app, const char *text, bool is_final)
{
	struct flame_view *v = (struct flame_view *)view;
	size_t len = strnlen(text, sizeof(v->word) - 1);

	memcpy(v->word, text, len);
	v->word[len] = 0;
	if (is_final && len)
		find_next(v, app, true);
}

static void free_flame(struct flame *f)
{
	flame_fini(f);
	free(f);
}

static uint32_t find_child(const struct flame *f, uint32_t node, const char *name)
{
	for (uint32_t n = f->tree.nodes.v[node].first_child; n != WEIGHTED_NONE; n = f->tree.nodes.v[n].next_sibling)
		if (!strcmp(flame_name(f, n), name))
			return n;
	return WEIGHTED_NONE;
}

/* The node of another tree that has the same path of names, or the last of it that is there. */
static uint32_t same_node(const struct flame *from, uint32_t node, const struct flame *to)
{
	VEC(uint32_t) path = { 0 };
	uint32_t found = WEIGHTED_ROOT;

	for (uint32_t n = node; !is_root(n); n = from->tree.nodes.v[n].parent)
		vec_push(&path, n);
	for (uint32_t i = path.nr; i-- > 0;) {
		uint32_t next = find_child(to, found, flame_name(from, path.v[i]));

		if (next == WEIGHTED_NONE)
			break;
		found = next;
	}
	vec_fini(&path);
	return found;
}

static bool flame_refresh(struct ui_view *view)
{
	struct flame_view *v = (struct flame_view *)view;
	struct flame *f = v->make ? v->make(v->make_ctx) : NULL;

	if (!f)
		return false;
	v->zoom = same_node(v->f, v->zoom, f);
	v->selected = same_node(v->f, v->selected, f);
	free_flame(v->f);
	v->f = f;
	v->boxes.nr = 0;
	return true;
}

static void flame_free(struct ui_view *view)
{
	struct flame_view *v = (struct flame_view *)view;

	free_flame(v->f);
	free(v->title);
	vec_fini(&v->boxes);
	out_fini(&v->text);
	free(v);
}

static const struct ui_view_ops flame_ops = { flame_draw, flame_key, flame_refresh, flame_answer, flame_free };

struct ui_view *ui_flame_view(struct flame *f, const char *title)
{
	struct flame_view *v = mem_zalloc(sizeof(*v));

	v->view = (struct ui_view){ &flame_ops, "arrows:move  Enter:zoom  Backspace:out  /:search  n:next  h:help  q:back", help };
	v->f = f;
	v->title = mem_strdup(title);
	out_init(&v->text, -1);
	return &v->view;
}

void ui_flame_on_refresh(struct ui_view *view, struct flame *(*make)(void *ctx), void *ctx)
{
	struct flame_view *v = (struct flame_view *)view;

	v->make = make;
	v->make_ctx = ctx;
}
