/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Whether a recording was made on the machine that reads it: by architecture, host name, kernel release and the kernel's build-id, as far
 * as the recording's header has them.
 */
#ifndef ASSAY_SESSION_ORIGIN_H
#define ASSAY_SESSION_ORIGIN_H

#include "perfdata/info.h"
#include "symbols/build_id.h"
#include "symbols/symbolizer.h"

/* What is known of the machine that reads. */
struct origin_host {
	char hostname[65], osrelease[65], arch[65]; /* "": unknown */
	struct build_id kernel;
};

void origin_host_init(struct origin_host *here);
/* What the header says of itself, compared with `here`. */
void origin_find(struct origin *o, const struct perfdata_info *info, const struct origin_host *here);

#endif
