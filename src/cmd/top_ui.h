/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The screen of `assay top` as a part of its loop: what the loop has found is shown, keys change what it does, and functions are annotated with
 * the samples of the refreshes that their view was open for.
 */
#ifndef ASSAY_CMD_TOP_UI_H
#define ASSAY_CMD_TOP_UI_H

#include "base/errbuf.h"
#include "model/annotation.h"
#include "view/ui_top.h"

struct top_run;

/* An annotated function, with the profile that it was first met in. */
struct top_annotated {
	struct top_run *run;
	struct profile *p;
	struct annotation_list list;
};

struct top_ui {
	struct top_run *run;
	struct ui_app app;
	struct ui_top_host host;
	struct out status;
	struct profile *last;		 /* of the last refresh; NULL: none yet, or an annotated function has it */
	struct top_annotated *annotated; /* the one that is open */
	char *wanted, *wanted_dso;	 /* function to be annotated once it has samples; NULL: none */
};

/* Takes the terminal. */
int top_ui_open(struct top_ui *ui, struct top_run *r, struct errbuf *eb);
/* Gives it back; also where it was not taken. */
void top_ui_close(struct top_ui *ui);
/* The profile of a refresh, which changes hands. */
void top_ui_take_profile(struct top_ui *ui, struct profile *p);
/* What refers to the session goes with it. */
void top_ui_leave_session(struct top_ui *ui);
/* The rows have changed, or only their figures of cost (`is_frozen`). */
void top_ui_refresh(struct top_ui *ui);
/* What was typed, if something was. A negative errno: the terminal is gone. */
int top_ui_take_input(struct top_ui *ui);

#endif
