/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * --temp of record, stat and trace: probes for one command, without an entry in tracefs.
 */
#ifndef ASSAY_CMD_TEMP_PROBES_H
#define ASSAY_CMD_TEMP_PROBES_H

#include "base/options.h"
#include "capture/capture.h"
#include "capture/probe_feed.h"

struct temp_option {
	VEC(const char *) words;
	struct temp_probes probes;
};

option_call_fn temp_option_take;

#define TEMP_OPTION(t)                                                                                                                     \
	OPT_CALL_NO(0, "temp", temp_option_take, t, "[FILE:]PROBE",                                                                        \
		    "A probe that lasts as long as the command and leaves nothing in the kernel (FILE: default, the command's program)")

/* Takes SDT probes (sdt_PROVIDER:NAME) that are not defined out of -e: the command's program declares them, and they are probed for as long as
 * it runs. */
void temp_option_take_sdt(struct temp_option *t, struct event_words *words);
/* Is it the name of an SDT probe that is no event yet? */
bool temp_option_is_sdt(const char *word);
/* A probe that is a part of some text, which is copied. */
void temp_option_add_word(struct temp_option *t, const char *word, size_t len);
/* Looks them up, once. `workload`: the command, NULL: none. Sets o->temp_probes where there are any; the strings live as long as `t`. */
int temp_option_resolve(struct temp_option *t, struct capture_options *o, char **workload, struct errbuf *eb);
void temp_option_fini(struct temp_option *t);

#endif
