/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Files that have no name yet: whoever is stopped while writing one, by whatever signal, leaves
 * nothing behind. Not every file system has them; who asks must have another way.
 */
#ifndef ASSAY_BASE_UNNAMED_H
#define ASSAY_BASE_UNNAMED_H

#include <sys/types.h>

/* A file in the directory of `path`, to be read and written; fd or negative errno. */
int unnamed_open(const char *path, mode_t mode);
/* The i-th temporary name of this process in the directory of `path`; the caller's to free. It has nothing of the name of `path`,
 * which may be as long as names can be. */
char *unnamed_name(const char *path, int i);
/* Gives it such a name; it is the caller's to free. 0, or negative errno and *name is NULL. */
int unnamed_link(int fd, const char *path, char **name);

#endif
