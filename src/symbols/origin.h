/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct origin: where a recording was made, as far as it decides which sources of this machine may speak for it. Worked out by
 * session/origin.c from the recording's header, asked by whoever opens something that another machine has too: /proc/kallsyms, the vdso,
 * map files of JITs, files without a build-id.
 */
#ifndef ASSAY_SYMBOLS_ORIGIN_H
#define ASSAY_SYMBOLS_ORIGIN_H

#include <stdbool.h>
#include <stddef.h>

enum origin_place {
	ORIGIN_HERE,	      /* or not known to be elsewhere */
	ORIGIN_OTHER_KERNEL,  /* this machine under another kernel: its files may still be there */
	ORIGIN_OTHER_MACHINE, /* nothing of this machine is the recorded one's, but what a build-id proves */
};

struct origin {
	enum origin_place place;
	bool is_same_kernel; /* the recording has the build-id of the kernel, and it is that of the running one */
	char why[192];	     /* not ORIGIN_HERE: "it was recorded on host 'a', this is 'b'" */
};

/* NULL, the origin of what is looked at live, is here. */
static inline bool origin_is_here(const struct origin *o)
{
	return !o || o->place == ORIGIN_HERE;
}
static inline bool origin_is_other_machine(const struct origin *o)
{
	return o && o->place == ORIGIN_OTHER_MACHINE;
}

/* Whether code of the running kernel (its modules, the vdso) may be the recorded one's where build-ids do not tell. */
static inline bool origin_may_be_kernel(const struct origin *o)
{
	return origin_is_here(o) || o->is_same_kernel;
}

#endif
