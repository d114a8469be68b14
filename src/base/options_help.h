/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the two halves of options.h share: text made from a table. Not for other rooms.
 */
#ifndef ASSAY_BASE_OPTIONS_HELP_H
#define ASSAY_BASE_OPTIONS_HELP_H

#include "base/options.h"

/* One line per option, hidden ones too: -x <tab> --long <tab> ARG <tab> hint <tab> help; fields are
 * empty where missing, an optional argument is "[ARG]". Completion and the man page check read it.
 *  */
void options_print_completion(const struct options *opts, struct out *o);

/* Prints to stdout; OPTIONS_HELP_SHOWN, or a negative errno. */
int options_show(const struct options *opts, void (*print)(const struct options *opts, struct out *o), struct errbuf *eb);

#endif
