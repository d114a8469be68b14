/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Annotated functions as text in perf's columns, and as JSON.
 */
#ifndef ASSAY_VIEW_ANNOTATE_H
#define ASSAY_VIEW_ANNOTATE_H

#include "base/json.h"
#include "base/out.h"
#include "model/annotation.h"

enum annotate_percent { LOCAL_PERIOD, GLOBAL_PERIOD, LOCAL_HITS, GLOBAL_HITS };
#define ANNOTATE_PERCENT_WORDS "local-period|global-period|local-hits|global-hits"

struct annotate_options {
	struct annotation_row_options rows;
	unsigned percent_type; /* enum annotate_percent */
	bool full_paths;
	bool show_samples, show_period; /* instead of percent */
	bool line_summary;
	bool arrows, utf8; /* jumps; by characters of boxes */
	bool colour;
	int width; /* longer rows are cut; 0: they are not */
};

/* Events side by side. */
struct annotate_events {
	uint32_t first, nr;
	const char *group; /* name of the group; NULL: it is one event, or has none */
};

/* A share by the type of percent, or 0; `of`: the function. */
double annotate_share(const struct annotate_options *o, const struct annotation_list *l, const struct annotation *a, uint32_t event,
		      const struct annotation_sum *sum);

void annotate_text(struct out *o, const struct annotate_options *opts, const struct annotation_list *l, const struct annotation *a,
		   const struct annotate_events *events);
/* The same line by line, for screens: rows of a struct annotation_rows, escaped for a terminal, without colours. All is borrowed; a line is valid
 * until the next one. */
struct annotate_lines;
struct annotate_lines *annotate_lines_new(const struct annotate_options *opts, const struct annotation_list *l, const struct annotation *a,
					  const struct annotate_events *events);
void annotate_lines_free(struct annotate_lines *w);
const char *annotate_lines_row(struct annotate_lines *w, const struct annotation_row *row, size_t *len);
/* The share of a row's hottest event, in percent. */
double annotate_lines_share(const struct annotate_lines *w, const struct annotation_row *row);
/* Why addresses of samples may not be those of the instructions that took the time; NULL where they are. */
const char *annotate_skid(const struct attr *attr);

/* An element of "functions". */
void annotate_json(struct json *j, const struct annotate_options *opts, const struct annotation_list *l, const struct annotation *a,
		   const struct annotate_events *events);

#endif
