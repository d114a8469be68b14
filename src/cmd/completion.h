/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the completion scripts have in common: each is a text of its shell that knows no command and
 * no option by name. completion.c prints tables before it: the commands, what their words are, and
 * events that hold on every machine. The options are asked for when the person presses Tab, from
 * `assay CMD --completion-helper`, which prints one line per option out of its table:
 *
 *	-x<TAB>--long<TAB>ARG<TAB>hint<TAB>help<TAB>--no-long
 *
 * (fields may be empty). So the scripts are never out of date. Hints are struct option's
 *`complete`.
 */
#ifndef ASSAY_CMD_COMPLETION_H
#define ASSAY_CMD_COMPLETION_H

extern const char completion_bash[];
extern const char completion_zsh[];
extern const char completion_fish[];

#endif
