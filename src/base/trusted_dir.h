/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Opens a directory that only the user or root can have put where it is: what is in it can be trusted, and deleted. Each directory on the
 * way, from the root on, belongs to the user or to root and cannot be written to by others (those with the sticky bit, as /tmp, can: what
 * is in them still belongs to the user or root). Symbolic links on the way are followed if the user or root made them; the directory itself
 * must not be one. So root under sudo, with the environment of another user, is refused at that user's home.
 */
#ifndef ASSAY_BASE_TRUSTED_DIR_H
#define ASSAY_BASE_TRUSTED_DIR_H

#include "base/errbuf.h"

/* `path` is absolute; its last `nr_made` directories are made (0700) where they are missing. An fd for *at() calls and readdir, -ENOENT, or
 * -EPERM with a message that names the directory or link and what is wrong with it. The directory itself is the user's. */
int trusted_dir_open(const char *path, unsigned int nr_made, struct errbuf *eb);

#endif
