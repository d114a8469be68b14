/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the screen of `assay top` asks for.
 */
#include "cmd/top_ui.h"

#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/mem.h"
#include "cmd/annotate_ui.h"
#include "cmd/report_ui.h"
#include "cmd/top.h"
#include "tui/tui.h"

static void show(struct top_ui *ui)
{
	ui_top_status(&ui->app, &ui->status, &ui->run->stats, &ui->run->c->state);
	tui_show(&ui->app);
}

static void free_profile(struct profile *p)
{
	if (p)
		profile_fini(p);
	free(p);
}

static void forget_wanted(struct top_ui *ui)
{
	free(ui->wanted);
	free(ui->wanted_dso);
	ui->wanted = ui->wanted_dso = NULL;
}

/* ---- annotated functions ---- */

/* Which event of the recording is shown. */
static uint32_t event_of_recording(const struct top_run *r)
{
	for (uint32_t i = 0; i < r->live_event.nr; i++)
		if (r->live_event.v[i] == (int32_t)r->c->state.event)
			return i;
	return 0;
}

static bool is_function(const struct annotation_list *l, uint32_t symbol, const char *name, const char *dso, struct out *text)
{
	const struct profile_frame *f = &l->p->frames.v[l->symbols.v[symbol].frame];

	if (dso && strcmp(profile_dso(l->p, f->dso)->short_name, dso) != 0)
		return false;
	text->len = 0;
	escape_terminal_str(text, profile_str(l->p, f->function));
	out_char(text, 0);
	return !strcmp(text->buf, name);
}

/* That of the most samples, where several files have one of the name; UINT32_MAX: none has samples. */
static uint32_t find_function(const struct annotation_list *l, uint32_t event, const char *name, const char *dso)
{
	uint32_t found = UINT32_MAX;
	uint64_t most = 0;
	struct out text;

	out_init(&text, -1);
	for (uint32_t i = 0; i < l->symbols.nr; i++) {
		uint64_t nr = annotation_symbol_sum(&l->symbols.v[i], event, 1).nr;

		if (nr <= most || !is_function(l, i, name, dso, &text))
			continue;
		most = nr;
		found = i;
	}
	out_fini(&text);
	return found;
}

static bool refresh_annotated(void *ctx, struct ui_annotate *a)
{
	struct top_annotated *t = ctx;
	struct top_ui *ui = t->run->ui;
	struct annotation_list fresh;

	if (!ui->last)
		return false;
	annotation_list_init(&fresh, ui->last, &t->run->c->in.filter);
	annotation_add(&a->annotation, &t->list, &fresh, t->run->c->state.zeroes ? 0 : LIVE_FADE);
	annotation_list_fini(&fresh);
	return true;
}

static void free_annotated(void *ctx)
{
	struct top_annotated *t = ctx;
	struct top_ui *ui = t->run->ui;

	annotation_list_fini(&t->list);
	/* The next one may be chosen before a refresh. */
	if (ui->last)
		free_profile(t->p);
	else
		ui->last = t->p;
	ui->annotated = NULL;
	free(t);
}

/* False: it has no samples in the last refresh. */
static bool annotate(struct top_ui *ui, const char *name, const char *dso)
{
	struct top_run *r = ui->run;
	uint32_t event = event_of_recording(r), symbol;
	struct top_annotated *t;

	if (!ui->last || ui->annotated)
		return false;
	t = mem_zalloc(sizeof(*t));
	t->run = r;
	annotation_list_init(&t->list, ui->last, &r->c->in.filter);
	symbol = event < t->list.nr_events ? find_function(&t->list, event, name, dso) : UINT32_MAX;
	if (symbol == UINT32_MAX) {
		annotation_list_fini(&t->list);
		free(t);
		return false;
	}
	t->p = ui->last;
	ui->last = NULL;
	ui->annotated = t;
	annotate_ui_push(&ui->app,
			 &(struct annotate_ui){ .list = &t->list,
						.options.rows.with_source = true,
						.events = { event, 1, NULL },
						.syntax = r->c->syntax,
						.refresh = refresh_annotated,
						.free = free_annotated,
						.live_ctx = t },
			 symbol);
	return true;
}

static void want_annotated(struct top_ui *ui, const struct live_row *row, const char *function)
{
	const struct live_profile *l = &ui->run->live;
	const char *dso = NULL;

	if (!row || !*function) {
		ui_app_say(&ui->app, "this place is in no known function");
		return;
	}
	/* Callers may be in other files. */
	for (uint32_t k = 0; k < l->nr_keys && !strcmp(function, live_profile_text(l, row->name)); k++)
		if (l->keys[k] == HIST_DSO)
			dso = live_profile_text(l, row->cells[k]);
	if (annotate(ui, function, dso))
		return;
	ui->wanted = mem_strdup(function);
	ui->wanted_dso = dso ? mem_strdup(dso) : NULL;
	ui_app_say(&ui->app, "no sample was in %s itself lately: it is shown when there is one", function);
}

/* ---- requests, and the loop ---- */

static void save(struct top_ui *ui)
{
	struct top_style style = ui->run->c->style;
	struct out o;

	style.colour = false;
	out_init(&o, -1);
	top_block(&o, &ui->run->live, &ui->run->stats, &ui->run->c->state, &style, 0);
	ui_save(&ui->app, "top", &o);
	out_fini(&o);
}

static void request(void *ctx, struct ui_app *app, enum ui_top_request what, const struct live_row *row, const char *function)
{
	struct top_ui *ui = ctx;

	(void)app;
	switch (what) {
	case UI_TOP_ANNOTATE:
		want_annotated(ui, row, function);
		break;
	case UI_TOP_CLEAR:
		live_profile_clear(&ui->run->live);
		break;
	case UI_TOP_SAVE:
		save(ui);
		break;
	}
}

int top_ui_open(struct top_ui *ui, struct top_run *r, struct errbuf *eb)
{
	int err;

	*ui = (struct top_ui){ .run = r, .host = { ui, request } };
	tui_set_notice(r->c->screen_fd);
	err = tui_open(eb);
	if (err)
		return err;
	ui_app_init(&ui->app);
	out_init(&ui->status, -1);
	ui_app_push(&ui->app, ui_top_view(&r->live, &r->stats, &r->c->style, &r->c->state, &ui->host));
	ui_app_say(&ui->app, "taking samples ...");
	show(ui);
	return 0;
}

void top_ui_close(struct top_ui *ui)
{
	if (!ui->run)
		return;
	top_ui_leave_session(ui);
	tui_close();
	tui_set_notice(-1);
	ui_app_fini(&ui->app);
	out_fini(&ui->status);
	ui->run = NULL;
}

void top_ui_take_profile(struct top_ui *ui, struct profile *p)
{
	free_profile(ui->last);
	ui->last = p;
}

void top_ui_leave_session(struct top_ui *ui)
{
	if (ui->annotated) {
		while (ui->annotated)
			ui_app_pop(&ui->app);
		ui_app_say(&ui->app, "the recorder was started anew to save memory: 'a' shows the function again");
	}
	forget_wanted(ui);
	free_profile(ui->last);
	ui->last = NULL;
}

void top_ui_refresh(struct top_ui *ui)
{
	if (!ui->run->c->state.is_frozen) {
		ui_app_refresh(&ui->app);
		if (ui->run->nr_refreshes == 0)
			ui->app.message[0] = 0;
		if (ui->wanted && annotate(ui, ui->wanted, ui->wanted_dso)) {
			ui->app.message[0] = 0;
			forget_wanted(ui);
		}
	}
	show(ui);
}

int top_ui_take_input(struct top_ui *ui)
{
	char *wanted = ui->wanted;
	int ret;

	/* Any other key takes the wish back. */
	ret = tui_take_input(&ui->app);
	if (ret > 0 && ui->wanted == wanted && !ui->app.message[0])
		forget_wanted(ui);
	if (ret < 0 || ui->app.is_over)
		ui->run->c->has_quit = true;
	else if (ret > 0)
		show(ui);
	return ret < 0 ? ret : 0;
}
