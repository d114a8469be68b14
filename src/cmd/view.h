/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * assay view, as far as its files share it.
 */
#ifndef ASSAY_CMD_VIEW_H
#define ASSAY_CMD_VIEW_H

#include <stddef.h>
#include <stdint.h>

#include "base/errbuf.h"
#include "cmd/flame.h"
#include "cmd/input.h"
#include "view/viewer.h"

#define VIEW_DEFAULT_FILE "profile.html"

/* Prints the address of a page and serves it on the loopback until a signal asks to stop. Port 0: any. */
int view_serve(const char *page, size_t len, uint16_t port, struct errbuf *eb);

/* Reads an opened recording, names its places, and writes its page. Afterwards in->profile is there, symbolised, and in->quality known. */
int view_write(struct input *in, const struct viewer_options *options, const char *output, struct errbuf *eb);

/* Where a page goes: into a file, or to who asks for it. */
struct view_target {
	const char *output;
	bool serves;
	uint64_t port;
};

/* The page of two sides, `argv`: a differential flame graph and a table of functions. The caller has set the rest of `c` and finishes it. */
int view_compare(struct flame_command *c, char *const argv[2], const struct view_target *target, struct errbuf *eb);

#endif
