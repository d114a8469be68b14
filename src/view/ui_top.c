/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the screen of `top` looks like, and its keys.
 */
#include "view/ui_top.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view/ui_report.h"

#define MEASURED_ROWS 200u /* that column widths are taken from */
#define INDENT 2
#define LEAST_NAME 17 /* columns: "[kernel.kallsyms]" */
#define GAP 2
#define SHARE_WIDTH 8
#define SELF_WIDTH 7
#define SAMPLES_WIDTH 8
#define PERIOD_WIDTH 12

static const char *const help[] = {
	"Top",
	"  Space                 freeze what is shown, and go on",
	"  Enter + e s           open or close the callers of a row (with -g)",
	"  c                     close them",
	"  E C                   open, close all",
	"  a                     annotate: which instructions and lines take the time",
	"  f                     flame graph (with -g)",
	"  d                     only this module (zoom); again, or q: all",
	"  t                     only this thread (zoom); again, or q: all",
	"  Tab                   the next event",
	"  K U                   hide or show kernel code, user code",
	"  z Z                   forget what was before; show each refresh by itself",
	"  D                     seconds between refreshes",
	"  P                     save as text: assay.top.N",
	"  k j b n               up, down, page up, page down",
	NULL,
};

static double share(double part, double whole)
{
	return whole > 0 ? 100.0 * part / whole : 0;
}

/* Where there is no room, the target and the rate give way to what is chosen here. */
static void top_title(void *model, struct out *o, int width)
{
	static const char *const names[UI_TOP_NR_ZOOMS] = { "module", "thread" };
	const struct ui_top *t = model;
	size_t room, end;
	struct out zooms;

	out_init(&zooms, -1);
	for (int i = 0; i < UI_TOP_NR_ZOOMS; i++)
		if (t->zooms[i])
			out_printf(&zooms, ", %s: %s", names[i], t->zooms[i]);
	room = (size_t)width > zooms.len ? (size_t)width - zooms.len : 0;
	if (t->state->is_frozen)
		out_str(o, "FROZEN ");
	top_head(o, t->l, t->stats, t->state);
	for (end = o->len; o->len > room && end > 2; end--)
		if (!memcmp(o->buf + end - 2, "  ", 2))
			o->len = end - 2;
	out_mem(o, zooms.buf, zooms.len);
	out_fini(&zooms);
}

void ui_top_status(struct ui_app *app, struct out *text, const struct top_stats *s, const struct top_state *st)
{
	text->len = 0;
	top_cost(text, s, st);
	out_char(text, 0);
	app->status = text->buf;
	app->is_status_loud = s->nr_lost || s->nr_throttled || s->counts.nr_skipped || s->real_delay > st->delay;
}

static uint32_t top_nr(void *model)
{
	return ((const struct ui_top *)model)->rows.nr;
}

static int width_of(struct ui_top *t, uint32_t string)
{
	const char *s = strtab_get(&t->l->strings, string);
	int nr = 0;

	for (size_t i = 0; i < strtab_len(&t->l->strings, string); i++)
		nr += ((uint8_t)s[i] & 0xc0) != 0x80;
	return nr;
}

static void measure(struct ui_top *t)
{
	const struct live_event *e = ui_top_event(t);

	for (uint32_t k = 0; k < t->l->nr_keys; k++) {
		int width = (int)strlen(columns[t->l->keys[k]].heading);

		for (uint32_t i = 0; e && i < t->rows.nr && i < MEASURED_ROWS; i++) {
			int needed = width_of(t, e->rows.v[t->rows.v[i].row].cells[k]);

			width = needed > width ? needed : width;
		}
		t->widths[k] = width;
	}
}

static void make_rows(struct ui_top *t)
{
	ui_top_make_rows(t);
	measure(t);
}

/* Keys want what they need, and no more than a fifth of the screen. */
static int wanted_width(const struct ui_top *t, const struct ui_screen *s, uint32_t key)
{
	int most = s->columns / 5 > LEAST_NAME ? s->columns / 5 : LEAST_NAME;

	if (t->style->widths[key])
		return t->style->widths[key];
	return t->widths[key] < most ? t->widths[key] : most;
}

/* What there is beside the share and the last key, which other columns give way to on a narrow screen. */
struct shown {
	bool figures, keys;
};

static struct shown choose_columns(const struct ui_top *t, const struct ui_screen *s)
{
	int least = s->columns / 3 < LEAST_NAME ? s->columns / 3 : LEAST_NAME;
	int left = s->columns - INDENT - SHARE_WIDTH - GAP, figures = 0, keys = 0;

	if (t->l->by_children)
		figures += SELF_WIDTH + GAP;
	if (t->style->shows_samples)
		figures += SAMPLES_WIDTH + GAP;
	if (t->style->shows_period)
		figures += PERIOD_WIDTH + GAP;
	for (uint32_t k = 0; k + 1 < t->l->nr_keys; k++)
		keys += wanted_width(t, s, k) + GAP;
	if (left - figures - keys >= least)
		return (struct shown){ true, true };
	return (struct shown){ .figures = left - figures >= least };
}

/* 0: it is not shown. The last key has the rest. */
static int width_at(const struct ui_top *t, const struct ui_screen *s, const struct shown *shown, uint32_t key, int at)
{
	if (key + 1 == t->l->nr_keys)
		return s->columns - at;
	return shown->keys ? wanted_width(t, s, key) : 0;
}

static void top_heading(void *model, struct ui_screen *s, int row, int left)
{
	const struct ui_top *t = model;
	struct shown shown = choose_columns(t, s);
	int at = INDENT;

	(void)left;
	ui_fill(s, row, 0, s->columns, UI_HEADING);
	at = ui_put_str(s, row, at, s->columns, UI_HEADING, top_weight_heading(t->l)) + GAP;
	if (shown.figures && t->l->by_children)
		at = ui_put_str(s, row, at, s->columns, UI_HEADING, "   Self") + GAP;
	if (shown.figures && t->style->shows_samples)
		at = ui_put_str(s, row, at, s->columns, UI_HEADING, " Samples") + GAP;
	if (shown.figures && t->style->shows_period)
		at = ui_put_str(s, row, at, s->columns, UI_HEADING, "      Period") + GAP;
	for (uint32_t k = 0; k < t->l->nr_keys && at < s->columns; k++) {
		int width = width_at(t, s, &shown, k, at);

		if (!width)
			continue;
		ui_put_str(s, row, at, width, UI_HEADING, columns[t->l->keys[k]].heading);
		at += width + GAP;
	}
}

/* Without scrolling sideways a name is shortened: that of a function as such, others in the middle. */
static void put_string(struct ui_top *t, struct ui_screen *s, int row, int at, int width, uint32_t string, bool is_function, int left)
{
	const char *text = strtab_get(&t->l->strings, string);
	size_t len = strtab_len(&t->l->strings, string);

	if (left)
		ui_put_skipped(s, row, at, left, UI_PLAIN, text, len);
	else if (is_function)
		ui_put_name(s, row, at, width, UI_PLAIN, text, len);
	else
		ui_put_middle(s, row, at, width, UI_PLAIN, text, len);
}

static char fold_of(const struct ui_top_row *r)
{
	return !r->can_open ? ' ' : r->is_open ? '-' : '+';
}

static void draw_row(struct ui_top *t, struct ui_screen *s, int row, const struct ui_top_row *at_row, int left)
{
	const struct live_event *e = ui_top_event(t);
	const struct live_row *r = &e->rows.v[at_row->row];
	double percent = share(live_row_weight(t->l, r), e->total);
	enum ui_style style = ui_heat(percent);
	struct shown shown = choose_columns(t, s);
	int at = INDENT;

	ui_printf(s, row, 0, 1, UI_PLAIN, "%c", fold_of(at_row));
	at = ui_printf(s, row, at, SHARE_WIDTH, style, "%7.2f%%", percent) + GAP;
	if (shown.figures && t->l->by_children)
		at = ui_printf(s, row, at, SELF_WIDTH, style, "%6.2f%%", share(r->self, e->total)) + GAP;
	if (shown.figures && t->style->shows_samples)
		at = ui_printf(s, row, at, SAMPLES_WIDTH, UI_PLAIN, "%8.0f", r->nr_samples) + GAP;
	if (shown.figures && t->style->shows_period)
		at = ui_printf(s, row, at, PERIOD_WIDTH, UI_PLAIN, "%12.0f", r->self) + GAP;
	for (uint32_t k = 0; k < t->l->nr_keys && at < s->columns; k++) {
		int width = width_at(t, s, &shown, k, at);
		bool is_function = columns[t->l->keys[k]].kind == columns[HIST_SYM].kind;

		if (!width)
			continue;
		put_string(t, s, row, at, width, r->cells[k], is_function, k + 1 == t->l->nr_keys ? left : 0);
		at += width + GAP;
	}
}

static void draw_caller(struct ui_top *t, struct ui_screen *s, int row, const struct ui_top_row *at_row, int left)
{
	const struct live_caller *c = &t->callers.v.v[at_row->caller];
	double percent = share(c->total, ui_top_event(t)->total);
	int at = INDENT + INDENT * (int)at_row->depth;

	at = at > s->columns / 2 ? s->columns / 2 : at;
	at = ui_printf(s, row, at, 12, ui_heat(percent), "%c %5.2f%% ", fold_of(at_row), percent);
	put_string(t, s, row, at, s->columns - at, c->name, true, left);
}

static void top_draw(void *model, struct ui_screen *s, int row, uint32_t i, int left)
{
	struct ui_top *t = model;

	if (t->rows.v[i].caller)
		draw_caller(t, s, row, &t->rows.v[i], left);
	else
		draw_row(t, s, row, &t->rows.v[i], left);
}

/* Rows anew; the cursor follows its row to where that is now. */
static void rows_again(struct ui_top *t, struct ui_list *list)
{
	uint64_t id = list->selected < t->rows.nr ? t->rows.v[list->selected].id : 0;
	uint32_t at;

	make_rows(t);
	at = ui_top_find(t, id);
	if (at != UINT32_MAX)
		list->selected = at;
}

static bool top_refresh(void *model, struct ui_list *list)
{
	struct ui_top *t = model;
	uint32_t height = list->selected - list->top;

	/* Where it began it stays: on the hottest row, until that is opened. */
	if (!list->selected && t->rows.nr && !t->rows.v[0].is_open) {
		make_rows(t);
		return true;
	}
	rows_again(t, list);
	/* Further down its row stays where it is on the screen. */
	if (list->top)
		list->top = list->selected > height ? list->selected - height : 0;
	return true;
}

static void top_filter(void *model, const char *word, struct ui_list *list)
{
	struct ui_top *t = model;

	snprintf(t->word, sizeof(t->word), "%s", word);
	rows_again(t, list);
}

static bool top_answer(void *model, struct ui_app *app, const char *text, bool is_final)
{
	struct ui_top *t = model;
	bool is_own = t->asks_delay;
	char *end;
	double delay = strtod(text, &end);

	if (!is_own || !is_final)
		return is_own;
	t->asks_delay = false;
	if (end != text && !*end && delay >= 0.1 && delay <= 3600)
		t->state->delay = delay;
	else if (*text)
		ui_app_say(app, "'%s' is not a number of seconds from 0.1 to 3600", text);
	return true;
}

static void toggle(struct ui_top *t, struct ui_list *list, bool may_open)
{
	const struct ui_top_row *r = &t->rows.v[list->selected];

	if (!r->can_open || (!r->is_open && !may_open))
		return;
	ui_top_flip(t, r->id);
	rows_again(t, list);
}

/* The cursor goes to the row above, where its own is closed. */
static void open_or_close_all(struct ui_top *t, struct ui_list *list, bool opens)
{
	while (!opens && list->selected && t->rows.v[list->selected].caller)
		list->selected--;
	t->opens_all = opens;
	t->flipped.nr = 0;
	hindex_fini(&t->flipped_index);
	rows_again(t, list);
}

static void zoom(struct ui_top *t, struct ui_app *app, struct ui_list *list, enum ui_top_zoom what)
{
	const struct live_event *e = ui_top_event(t);
	uint32_t key = ui_top_zoom_key(t, what);

	if (!t->zooms[what] && key == t->l->nr_keys) {
		ui_app_say(app, what == UI_TOP_MODULE ? "rows are not of modules: 'assay top -s dso,sym' makes them so"
						      : "rows are not of threads: 'assay top -s comm,sym' or '-s tid,sym' makes them so");
		return;
	}
	if (!t->zooms[what] && t->rows.nr) {
		t->zooms[what] = mem_strdup(live_profile_text(t->l, e->rows.v[t->rows.v[list->selected].row].cells[key]));
	} else {
		free(t->zooms[what]);
		t->zooms[what] = NULL;
	}
	rows_again(t, list);
}

/* False: there was no zoom. */
static bool zoom_out(struct ui_top *t, struct ui_list *list)
{
	bool was_zoomed = false;

	for (int i = 0; i < UI_TOP_NR_ZOOMS; i++) {
		was_zoomed |= t->zooms[i] != NULL;
		free(t->zooms[i]);
		t->zooms[i] = NULL;
	}
	if (was_zoomed)
		rows_again(t, list);
	return was_zoomed;
}

static struct flame *make_flame(void *ctx)
{
	const struct ui_top *t = ctx;

	return ui_top_event(t) ? live_profile_flame(t->l, t->state->event) : NULL;
}

static void show_flame(struct ui_top *t, struct ui_app *app)
{
	const struct live_event *e = ui_top_event(t);
	struct ui_view *v;

	if (!e || e->nodes.nr < 2) {
		ui_app_say(app, "there are no call chains: 'assay top -g' samples them");
		return;
	}
	v = ui_flame_view(make_flame(t), e->name);
	ui_flame_on_refresh(v, make_flame, t);
	ui_app_push(app, v);
}

static void ask_host(struct ui_top *t, struct ui_app *app, const struct ui_list *list, enum ui_top_request what)
{
	const struct ui_top_row *r = t->rows.nr ? &t->rows.v[list->selected] : NULL;
	const struct live_row *row = r ? &ui_top_event(t)->rows.v[r->row] : NULL;

	t->host->request(t->host->ctx, app, what, row,
			 row ? live_profile_text(t->l, r->caller ? t->callers.v.v[r->caller].name : row->name) : "");
}

/* Keys that need no row. */
static bool key_of_all(struct ui_top *t, struct ui_app *app, struct ui_list *list, uint32_t key)
{
	switch (key) {
	case ' ':
		t->state->is_frozen = !t->state->is_frozen;
		return true;
	case 'z':
		ask_host(t, app, list, UI_TOP_CLEAR);
		rows_again(t, list);
		return true;
	case 'Z':
		t->state->zeroes = !t->state->zeroes;
		return true;
	case 'K':
		t->state->hides_kernel = !t->state->hides_kernel;
		return true;
	case 'U':
		t->state->hides_user = !t->state->hides_user;
		return true;
	case 'D':
		t->asks_delay = true;
		ui_app_ask(app, "Seconds between refreshes: ", "");
		return true;
	case 'P':
		ask_host(t, app, list, UI_TOP_SAVE);
		return true;
	case 'f':
		show_flame(t, app);
		return true;
	case 'd':
	case 't':
		zoom(t, app, list, key == 'd' ? UI_TOP_MODULE : UI_TOP_THREAD);
		return true;
	case UI_KEY_TAB:
		t->state->event = t->l->events.nr ? (t->state->event + 1) % t->l->events.nr : 0;
		make_rows(t);
		*list = (struct ui_list){ 0 };
		return true;
	case 'q':
	case UI_KEY_ESCAPE:
		/* A filter is left first. */
		return !(key == UI_KEY_ESCAPE && t->word[0]) && zoom_out(t, list);
	case 'E':
	case 'C':
		open_or_close_all(t, list, key == 'E');
		return true;
	default:
		return false;
	}
}

static bool is_key_of_rows(struct ui_top *t, struct ui_app *app, struct ui_list *list, uint32_t key)
{
	switch (key) {
	case UI_KEY_ENTER:
	case '+':
	case 'e':
	case 's':
		toggle(t, list, true);
		return true;
	case 'c':
	case '-':
		toggle(t, list, false);
		return true;
	case 'a':
		ask_host(t, app, list, UI_TOP_ANNOTATE);
		return true;
	default:
		return false;
	}
}

static bool top_key(void *model, struct ui_app *app, struct ui_list *list, const struct ui_event *e)
{
	static const struct {
		char letter;
		uint32_t key;
	} moves[] = { { 'k', UI_KEY_UP }, { 'j', UI_KEY_DOWN }, { 'b', UI_KEY_PAGE_UP }, { 'n', UI_KEY_PAGE_DOWN } };
	struct ui_layout at = ui_layout(app->rows, true);
	struct ui_top *t = model;
	bool is_known = key_of_all(t, app, list, e->key) || (t->rows.nr && is_key_of_rows(t, app, list, e->key));

	for (size_t i = 0; !is_known && i < sizeof(moves) / sizeof(moves[0]); i++)
		if (moves[i].letter == (char)e->key && e->key < 0x80)
			is_known = ui_list_key(list, &(struct ui_event){ .key = moves[i].key }, t->rows.nr, &at);
	return is_known;
}

static void top_free(void *model)
{
	struct ui_top *t = model;

	for (int i = 0; i < UI_TOP_NR_ZOOMS; i++)
		free(t->zooms[i]);
	live_callers_fini(&t->callers);
	vec_fini(&t->flipped);
	hindex_fini(&t->flipped_index);
	vec_fini(&t->rows);
	free(t);
}

static const struct ui_rows_ops top_ops = {
	.title = top_title,
	.heading = top_heading,
	.nr = top_nr,
	.draw = top_draw,
	.key = top_key,
	.filter = top_filter,
	.answer = top_answer,
	.refresh = top_refresh,
	.free = top_free,
	.hint = "h:help Space:freeze Enter:callers a:annotate f:flame d:module t:thread /:filter z:zero D:delay P:save q:quit",
	.help = help,
};

struct ui_view *ui_top_view(const struct live_profile *l, const struct top_stats *stats, const struct top_style *style,
			    struct top_state *state, const struct ui_top_host *host)
{
	struct ui_top *t = mem_zalloc(sizeof(*t));

	t->l = l;
	t->stats = stats;
	t->style = style;
	t->state = state;
	t->host = host;
	make_rows(t);
	return ui_rows_view(&top_ops, t);
}
