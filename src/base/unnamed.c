/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * O_TMPFILE, and linkat() by way of /proc, which needs no privilege. Without /proc there are no such
 * files: one that could never be named would be lost.
 */
#include "base/unnamed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

#define MAX_TRIES 100

int unnamed_open(const char *path, mode_t mode)
{
	const char *slash = strrchr(path, '/');
	char *dir = !slash ? mem_strdup(".") : mem_strndup(path, slash == path ? 1 : (size_t)(slash - path));
	int fd = access("/proc/self/fd", X_OK) ? -1 : open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, mode), err = -errno;

	free(dir);
	return fd < 0 ? err : fd;
}

char *unnamed_name(const char *path, int i)
{
	const char *slash = strrchr(path, '/');

	return mem_printf("%.*s.assay-%d-%d.part", slash ? (int)(slash + 1 - path) : 0, path, (int)getpid(), i);
}

int unnamed_link(int fd, const char *path, char **name)
{
	char from[32];

	snprintf(from, sizeof(from), "/proc/self/fd/%d", fd);
	for (int i = 0; i < MAX_TRIES; i++) {
		int err;

		*name = unnamed_name(path, i);
		if (!linkat(AT_FDCWD, from, AT_FDCWD, *name, AT_SYMLINK_FOLLOW))
			return 0;
		err = -errno;
		free(*name);
		*name = NULL;
		if (err != -EEXIST)
			return err;
	}
	return -EEXIST;
}
