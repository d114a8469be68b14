/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Opens a directory that only the user or root can have put where it is. Each directory on the way belongs to one of them, and others
 * cannot write to it unless it has the sticky bit (as /tmp). Symbolic links that they made are followed; the last one must not be one.
 */
#ifndef ASSAY_BASE_TRUSTED_DIR_H
#define ASSAY_BASE_TRUSTED_DIR_H

#include <stdbool.h>
#include <sys/stat.h>

#include "base/errbuf.h"

/* `path` is absolute; its last `nr_made` directories are made (0700) where they are missing. An fd for *at() calls and readdir, -ENOENT, or
 * -EPERM with a message that names the directory or link and what is wrong with it. The directory itself is the user's. */
int trusted_dir_open(const char *path, unsigned int nr_made, struct errbuf *eb);

/* Whether others than the owner may write to it: everyone, or a group that is not the owner's own (the number of its user, as distributions
 * make it). */
bool others_may_write(const struct stat *st);

#endif
