/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How to get the missing symbols, lines or call frame information of a module, as one sentence with the command: from the recorded path and
 * build-id and the package manager's files. Starts no program and uses no network.
 */
#ifndef ASSAY_SYMBOLS_REMEDY_H
#define ASSAY_SYMBOLS_REMEDY_H

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
 * manager's lists): for the worst modules only. Safe from several threads. */
int remedy_for(const struct module_ref *ref, enum remedy_need need, char *buf, size_t size);

/* Which package a file is from and which has its debug information, by the files of dpkg and rpm. */

/* The Debian package that installed `path`, without architecture and version; malloc'd, or NULL. `root`: "" for this machine. */
char *remedy_package_find(const char *root, const char *path);
/* The command that installs the debug information of such a package, with what it needs in brackets: malloc'd. */
char *remedy_package_command(const char *root, const char *package);
/* Whether packages are rpm's here (and not dpkg's). */
bool remedy_package_is_rpm(const char *root);

/* The command that finds and installs the debug package of a file, whatever its path is made of. */
char *remedy_package_rpm_command(const char *path);

#endif
