/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A line of folded stacks, taken apart into its stack and its counts; and what the lines of a text have in common, which tells what single
 * lines cannot. Pure functions of the text; what frames mean is none of their business.
 */
#ifndef ASSAY_IMPORT_FOLDED_LINE_H
#define ASSAY_IMPORT_FOLDED_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct folded_line {
	const char *stack;
	size_t len;
	uint64_t count[2]; /* the second one of pairs only */
	bool is_rounded;   /* they were no whole numbers */
};

struct folded_style {
	size_t indent;	/* blanks that stand in front of all lines */
	bool is_pair;	/* all lines have two counts: before and after */
	bool has_tasks; /* all outermost frames end in "-PID/TID" */
};

/* False where the line has no stack or not as many counts. */
bool folded_line_parse(const char *s, size_t len, const struct folded_style *style, struct folded_line *line);
/* "comm-PID/TID"; len is then that of the name. */
bool folded_take_task(const char *s, size_t *len, int32_t *pid, int32_t *tid);
/* is_whole: the text ends there; else its last line may be cut, and is not looked at. */
void folded_style_find(struct folded_style *style, const char *text, size_t size, bool is_whole);

/* Whether the line is to be passed over without a word: empty, or a comment. */
bool folded_is_passed(const char *s, size_t len);

#endif
