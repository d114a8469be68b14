/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The report browser connected to a recording: what its views ask for (other histograms, annotated functions, flame graphs, files).
 */
#ifndef ASSAY_CMD_REPORT_UI_H
#define ASSAY_CMD_REPORT_UI_H

#include <stdbool.h>

#include "base/errbuf.h"
#include "cmd/input.h"
#include "cmd/report_options.h"
#include "model/annotation.h"
#include "model/time_strips.h"
#include "view/ui.h"

/* What is read, in place of what the command line says; zeroed: that. Strings are the owner's. */
struct report_step {
	char *path; /* another recording; NULL: as before */
	char *time; /* --time; NULL: all */
};

struct report_ui {
	struct input *in; /* read and symbolised */
	struct report_options *options;
	const struct time_strips *strips;
	enum disasm_syntax syntax; /* of annotated functions */
	bool has_step_before;
	const char *message; /* what became of the last request; "": nothing */
	/* results */
	struct report_step next; /* what to read now; nothing in it: nothing more */
	bool goes_back;		 /* to the step before */
};

/* Shows it until its user leaves, or wants something else read: then the terminal stays open. */
int report_ui_run(struct report_ui *u, struct errbuf *eb);

/* ui_files.c: what views write and read beside the recording. */

/* Writes assay.WHAT.N, the first number that is not there yet, and says so. */
void ui_save(struct ui_app *app, const char *what, const struct out *text);
/* Recordings of this directory, a line each; nothing where there is none. */
void ui_list_recordings(struct out *o);

#endif
