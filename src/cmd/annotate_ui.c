/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Annotated functions in the terminal UI: of `annotate`, and of the report browser.
 */
#include "cmd/annotate_ui.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/report_ui.h"
#include "cmd/ui_quality.h"
#include "tui/tui.h"

int annotate_option_syntax(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	enum disasm_syntax *syntax = ctx;

	(void)opt, (void)negated;
	if (!strcmp(arg, "intel") || !strcmp(arg, "intel-mnemonic"))
		*syntax = DISASM_INTEL;
	else if (!strcmp(arg, "att") || !strcmp(arg, "att-mnemonic"))
		*syntax = DISASM_ATT;
	else
		return errbuf_set(eb, -EINVAL, "-M: unknown syntax '%s' (att, intel)", arg);
	return 0;
}

static void save(void *ctx, struct ui_app *app, const struct ui_annotate *a)
{
	struct annotate_options options = a->options;
	struct out o;

	(void)ctx;
	options.arrows = false;
	options.width = 0;
	out_init(&o, -1);
	annotate_text(&o, &options, a->list, &a->annotation, &a->events);
	ui_save(app, "annotate", &o);
	out_fini(&o);
}

static void call(struct ui_app *app, const struct ui_annotate *from, uint32_t symbol)
{
	const struct annotate_ui u = { .list = from->list, .options = from->options, .events = from->events, .syntax = from->syntax };

	annotate_ui_push(app, &u, symbol);
}

void annotate_ui_push(struct ui_app *app, const struct annotate_ui *u, uint32_t symbol)
{
	struct ui_annotate *a = mem_zalloc(sizeof(*a));

	a->list = u->list;
	a->options = u->options;
	a->options.colour = false; /* cells have styles, and end where the screen does */
	a->options.width = 0;
	a->events = u->events;
	a->syntax = u->syntax;
	a->call = u->refresh ? NULL : call; /* the list of what goes on running is of one moment */
	a->save = save;
	a->refresh = u->refresh;
	a->free = u->free;
	a->live_ctx = u->live_ctx;
	annotation_init(&a->annotation, u->list, symbol, &(struct annotation_options){ u->syntax, true });
	if (a->annotation.why_no_code)
		ui_app_say(app, "%s", a->annotation.why_no_code);
	ui_app_push(app, ui_annotate_view(a));
}

static void choose(void *ctx, struct ui_app *app, uint32_t symbol)
{
	annotate_ui_push(app, ctx, symbol);
}

int annotate_ui_run(struct annotate_ui *u, double percent_limit, struct input *in, const char *note, struct errbuf *eb)
{
	struct ui_quality quality;
	struct ui_app app;
	int err;

	annotation_list_sort(u->list, u->events.first, u->events.nr);
	ui_app_init(&app);
	ui_quality_init(&quality);
	ui_quality_add(&quality, in, false);
	if (note)
		ui_quality_note(&quality, note);
	ui_quality_show(&quality, &app);
	/* One that was asked for is shown at once. */
	if (u->list->symbols.nr == 1) {
		annotate_ui_push(&app, u, 0);
	} else {
		struct ui_view *list = ui_functions_view(u->list, &u->events, percent_limit, choose, u);

		ui_app_push(&app, list);
	}
	if (note && !app.message[0] && !app.is_status_loud)
		ui_app_say(&app, "%s", note);
	err = tui_open(eb);
	if (!err)
		err = tui_run(&app);
	ui_app_fini(&app);
	ui_quality_fini(&quality);
	tui_close();
	return err;
}
