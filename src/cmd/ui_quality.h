/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a screen says of the recordings that it shows: a line above the keys, and all of it behind `n`.
 */
#ifndef ASSAY_CMD_UI_QUALITY_H
#define ASSAY_CMD_UI_QUALITY_H

#include "cmd/input.h"
#include "view/ui.h"

struct ui_quality {
	struct out damage, line, notes;
	bool is_loud, line_is_loud;
	uint32_t nr; /* recordings */
};

void ui_quality_init(struct ui_quality *q);
void ui_quality_fini(struct ui_quality *q);
/* A recording that was read; of several, each is named. */
void ui_quality_add(struct ui_quality *q, struct input *in, bool is_named);
/* Another sentence for the notes. */
void ui_quality_note(struct ui_quality *q, const char *text);
/* As the status and the notes of the app, which borrows them. */
void ui_quality_show(struct ui_quality *q, struct ui_app *app);

#endif
