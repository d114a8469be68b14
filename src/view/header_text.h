/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The block of '#' lines that says where, when and how a file was recorded (`--header`, `--header-only`), and attrs in words (`evlist -v`).
 * 
 * Of a file, header_text() and header_text_end() print the whole block. Of a pipe, header_text() prints what is known at the start, and the
 * caller passes each HEADER_FEATURE record to header_text_feature(); `script --header-only` does not read the stream for them.
 */
#ifndef ASSAY_VIEW_HEADER_TEXT_H
#define ASSAY_VIEW_HEADER_TEXT_H

#include <stdbool.h>

#include "abi/attr.h"
#include "base/bytes.h"
#include "base/out.h"
#include "session/recording.h"

/* `path`: as named by the user; its time is used where info has none. `full` (-I): topologies, caches and memory too. */
void header_text(struct out *o, const struct perfdata_info *info, const char *path, bool full);
/* The last bar of the block: behind lines of one's own. */
void header_text_end(struct out *o);

/* The lines of a feature that came as a HEADER_FEATURE record (others are ignored) and is in `info`. */
void header_text_feature(struct out *o, const struct perfdata_info *info, const struct record_header *h, bool full);

struct attr_style {
	const char *first;  /* before the first field: ": ", ", " */
	const char *next;   /* before each other: ", " */
	const char *assign; /* between name and value: ": ", " = " */
};
extern const struct attr_style attr_style_list;	  /* evlist: "name: type: 1, size: 128" */
extern const struct attr_style attr_style_header; /* header: ", type = 1, size = 128" */

/* Appends the non-zero fields, each with its separator, without a line end. */
void attr_text(struct out *o, const struct attr *attr, const struct attr_style *style);

/* `btf`: the BPF_BTF section, for the names of functions; may be empty. */
void bpf_info_text(struct out *o, struct bytes programs, struct bytes btf);
void bpf_btf_text(struct out *o, struct bytes btf);

#endif
