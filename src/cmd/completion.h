/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The completion scripts: files of completion/, embedded at build time (scripts/embed-files). Each is a text of its shell that knows no
 * command and no option by name. completion.c prints tables before it: the commands, those of the second level, what their words are, and
 * events that hold on every machine. The options are asked for when Tab is pressed, from `assay CMD --completion-helper`, which prints
 * one line per option out of its table:
 *
 *	-x<TAB>--long<TAB>ARG<TAB>hint<TAB>help<TAB>--no-long
 *
 * (fields may be empty). So the scripts are never out of date. Hints are struct option's `complete`.
 */
#ifndef ASSAY_CMD_COMPLETION_H
#define ASSAY_CMD_COMPLETION_H

#include <stddef.h>

struct completion_script {
	const char *name; /* "assay.bash" */
	const char *text;
	size_t len;
};

extern const struct completion_script completion_scripts[]; /* ends with a NULL name */

#endif
