/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a person would do about a module whose symbols, lines or call frame information are missing: the package to install, the
 * debug file to fetch, or the option to build it with. One sentence, with the exact command in it.
 *
 * Works from the recorded path and build-id and from what the package manager left on the disk. It starts no program and asks
 * nobody over a network.
 */
#ifndef ASSAY_SYMBOLS_REMEDY_H
#define ASSAY_SYMBOLS_REMEDY_H

#include <stddef.h>

#include "symbols/symbolizer.h"

enum remedy_need {
	REMEDY_SYMBOLS, /* names of functions */
	REMEDY_LINES,	/* file:line and inlined functions */
	REMEDY_UNWIND,	/* call frame information */
};

/* Writes one sentence (no full stop, cut to fit, always NUL-terminated) that says how to fix it. Examples:
 *	apt install libssl3-dbgsym
 *	apt install libssl3-dbgsym, or debuginfod-find debuginfo 0f3a…
 *	rebuild /home/me/prog without stripping it (no -s, no strip)
 *	sysctl kernel.kptr_restrict=0
 * Returns 0, or -ENOENT (and an empty text) where nothing would help: anonymous memory, a file whose debug information is at hand. Slow (milliseconds: it reads the package
 * manager's lists): ask for the worst modules only. Safe from several threads. */
int remedy_for(const struct module_ref *ref, enum remedy_need need, char *buf, size_t size);

#endif
