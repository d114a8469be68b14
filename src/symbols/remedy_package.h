/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which package a file came from, and which package has its debug information, by what dpkg and rpm left on the disk. No program is
 * started, no network asked.
 */
#ifndef ASSAY_SYMBOLS_REMEDY_PACKAGE_H
#define ASSAY_SYMBOLS_REMEDY_PACKAGE_H

#include <stdbool.h>
#include <stddef.h>

/* The Debian package that installed `path`, without architecture and version; malloc'd, or NULL. `root`: "" for this machine. */
char *remedy_package_find(const char *root, const char *path);
/* The command that installs the debug information of such a package, with what it needs in brackets: malloc'd. */
char *remedy_package_command(const char *root, const char *package);
/* Whether packages are rpm's here (and not dpkg's). */
bool remedy_package_is_rpm(const char *root);

/* The command that finds and installs the debug package of a file, whatever its path is made of. */
char *remedy_package_rpm_command(const char *path);

#endif
