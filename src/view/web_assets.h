/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The files of web/, as they are embedded into the binary at build time (scripts/embed-files writes the table, without comment lines and
 * indentation). They hold no "]]>", so that each can stand in a CDATA section.
 */
#ifndef ASSAY_VIEW_WEB_ASSETS_H
#define ASSAY_VIEW_WEB_ASSETS_H

#include <stddef.h>

struct web_asset {
	const char *name; /* "flame.css" */
	const char *text;
	size_t len;
};

extern const struct web_asset web_assets[]; /* ends with a NULL name */

/* The file of that name, which must be there. */
const struct web_asset *web_asset_get(const char *name);

#endif
