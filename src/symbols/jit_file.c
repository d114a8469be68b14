/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Files that programs write about their own generated code, in directories where anyone may write: which of them are believed.
 */
#include "symbols/symbol_readers.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/budget.h"
#include "base/io.h"

#define MAX_FILE_BYTES (256U << 20)
#define MAX_SPARSE_BYTES (16U << 20) /* larger ones are no hole for the most part */

static int check_trust(int fd, const char *path, struct perf_map_owner owner, struct errbuf *eb)
{
	struct budget text;
	struct stat st;

	if (fstat(fd, &st) != 0)
		return errbuf_set(eb, -errno, "cannot read %s: %s", path, strerror(errno));
	if (st.st_uid != 0 && st.st_uid != geteuid() && !(owner.known && st.st_uid == owner.uid))
		return errbuf_set(eb, -EPERM,
				  "%s belongs to user %u, who is neither root, nor you, nor the owner of the process; its "
				  "symbols are not used (chown root %s if you trust it)",
				  path, (unsigned int)st.st_uid, path);
	if (st.st_mode & S_IWOTH)
		return errbuf_set(eb, -EPERM, "%s can be written by everyone; its symbols are not used (chmod o-w %s if you trust it)",
				  path, path);
	if (st.st_size > MAX_FILE_BYTES)
		return errbuf_set(eb, -EFBIG, "%s is larger than %u MB; its symbols are not used", path, MAX_FILE_BYTES >> 20);
	budget_init(&text, MAX_SPARSE_BYTES, 2, io_bytes_present(fd, 0, UINT64_MAX));
	if (!budget_take(&text, (uint64_t)st.st_size))
		return errbuf_set(eb, -EFBIG, "%s is mostly holes; its symbols are not used", path);
	return 0;
}

int jit_file_read_fd(int fd, const char *path, struct perf_map_owner owner, char **data, size_t *size, struct errbuf *eb)
{
	int err = check_trust(fd, path, owner, eb);

	if (!err) {
		err = io_read_rest(fd, MAX_FILE_BYTES, data, size);
		if (err)
			errbuf_set(eb, err, "cannot read %s: %s", path, strerror(-err));
	}
	close(fd);
	return err;
}

int jit_file_read(const char *path, struct perf_map_owner owner, char **data, size_t *size, struct errbuf *eb)
{
	int fd = io_open_regular_nofollow(path);

	if (fd == -ELOOP)
		return errbuf_set(eb, -EPERM, "%s is a symbolic link; its symbols are not used", path);
	if (fd == -ENOTSUP)
		return errbuf_set(eb, -EPERM, "%s is not a regular file; its symbols are not used", path);
	if (fd < 0)
		return errbuf_set(eb, fd, "cannot read %s: %s", path, strerror(-fd));
	return jit_file_read_fd(fd, path, owner, data, size, eb);
}
