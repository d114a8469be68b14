/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Annotated functions in the terminal UI: of `annotate`, and of the report browser.
 */
#ifndef ASSAY_CMD_ANNOTATE_UI_H
#define ASSAY_CMD_ANNOTATE_UI_H

#include "base/errbuf.h"
#include "base/options.h"
#include "cmd/input.h"
#include "view/ui_report.h"

struct annotate_ui {
	struct annotation_list *list; /* borrowed */
	struct annotate_options options;
	struct annotate_events events;
	enum disasm_syntax syntax;
	/* As in struct ui_annotate; may be NULL. */
	bool (*refresh)(void *ctx, struct ui_annotate *a);
	void (*free)(void *ctx);
	void *live_ctx;
};

/* -M of the commands that show code: `ctx` is an enum disasm_syntax. */
int annotate_option_syntax(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb);
/* One function of the list, on top of what is shown. */
void annotate_ui_push(struct ui_app *app, const struct annotate_ui *u, uint32_t symbol);
/* The list, or the one function in it, until its user leaves; `note` is of the events, and may be NULL. */
int annotate_ui_run(struct annotate_ui *u, double percent_limit, struct input *in, const char *note, struct errbuf *eb);

#endif
