/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The kernel's id of a cgroup is the file handle of its directory.
 */
#include "kernel/proc_scan.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/mem.h"

#define CGROUP2_TYPE 0x63677270
#define CGROUP1_TYPE 0x27e0eb
#define FILEID_KERNFS 0xfe
#define CGROUP_MAX_DEPTH 64

struct walk {
	const struct record_sink *sink;
	const char *root;
	uint32_t *nr;
};

static const char *find_root(void)
{
	static const struct {
		const char *path;
		long type;
	} places[] = {
		{ "/sys/fs/cgroup/perf_event", CGROUP1_TYPE },
		{ "/sys/fs/cgroup", CGROUP2_TYPE },
		{ "/sys/fs/cgroup/unified", CGROUP2_TYPE },
	};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		struct statfs fs;

		if (!statfs(places[i].path, &fs) && (long)fs.f_type == places[i].type)
			return places[i].path;
	}
	return NULL;
}

static int cgroup_id(const char *path, uint64_t *id)
{
	union {
		struct file_handle fh;
		char room[sizeof(struct file_handle) + sizeof(uint64_t)];
	} h;
	int mount_id;

	memset(&h, 0, sizeof(h));
	h.fh.handle_bytes = sizeof(uint64_t);
	if (name_to_handle_at(AT_FDCWD, path, &h.fh, &mount_id, 0))
		return -errno;
	memcpy(id, h.room + offsetof(struct file_handle, f_handle), sizeof(*id));
	return 0;
}

static int emit(const struct walk *w, const char *path)
{
	struct record_header h = { .type = RECORD_CGROUP };
	struct record rec = { .header = &h };
	const char *inside = path + strlen(w->root);

	if (cgroup_id(path, &rec.cgroup.id))
		return 0;
	rec.cgroup.path = *inside ? inside : "/";
	(*w->nr)++;
	return w->sink->record(w->sink->ctx, &rec);
}

static int walk_dir(const struct walk *w, const char *path, unsigned depth)
{
	int err = emit(w, path);
	DIR *dir = err || depth >= CGROUP_MAX_DEPTH ? NULL : opendir(path);
	struct dirent *de;

	if (!dir)
		return err;
	while (!err && (de = readdir(dir))) {
		char *child;

		if (de->d_type != DT_DIR || !strcmp(de->d_name, ".") || !strcmp(de->d_name, ".."))
			continue;
		child = mem_printf("%s/%s", path, de->d_name);
		err = walk_dir(w, child, depth + 1);
		free(child);
	}
	closedir(dir);
	return err;
}

int cgroup_scan(const struct record_sink *sink, uint32_t *nr)
{
	struct walk w = { sink, find_root(), nr };

	*nr = 0;
	return w.root ? walk_dir(&w, w.root, 0) : 0;
}

static int open_below(const char *root, const char *name, struct errbuf *eb)
{
	char *path = mem_printf("%s/%s", root, name);
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), err = fd < 0 ? -errno : 0;

	if (err == -ENOENT || err == -ENOTDIR)
		errbuf_set(eb, err, "there is no cgroup '%s' in %s: 'systemd-cgls' shows them all", name, root);
	else if (err)
		errbuf_set(eb, err, "cannot open cgroup '%s' in %s: %s", name, root, strerror(-err));
	free(path);
	return err ? err : fd;
}

int cgroup_open(const char *name, struct errbuf *eb)
{
	const char *root = find_root();

	if (!root)
		return errbuf_set(eb, -ENOENT,
				  "-G %s: no cgroup filesystem that perf events know is mounted: "
				  "'sudo mount -t cgroup2 none /sys/fs/cgroup'",
				  name);
	return open_below(root, name, eb);
}

static const char *find_unified(void)
{
	static const char *const places[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" };

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		struct statfs fs;

		if (!statfs(places[i], &fs) && (long)fs.f_type == CGROUP2_TYPE)
			return places[i];
	}
	return NULL;
}

int cgroup_open_unified(const char *name, struct errbuf *eb)
{
	const char *root = find_unified();

	if (!root)
		return errbuf_set(eb, -ENOENT, "-G %s: cgroup v2 is not mounted: 'sudo mount -t cgroup2 none /sys/fs/cgroup'", name);
	return open_below(root, name, eb);
}

char *cgroup_unified_path(uint64_t id)
{
	const char *root = find_unified();
	union {
		struct file_handle fh;
		char room[sizeof(struct file_handle) + sizeof(uint64_t)];
	} h = { 0 };
	char link[64], path[PATH_MAX];
	int mount_fd = root ? open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1, fd;
	ssize_t len = -1;

	if (mount_fd < 0)
		return NULL;
	h.fh.handle_bytes = sizeof(id);
	h.fh.handle_type = FILEID_KERNFS;
	memcpy(h.room + offsetof(struct file_handle, f_handle), &id, sizeof(id));
	fd = open_by_handle_at(mount_fd, &h.fh, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0) {
		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		len = readlink(link, path, sizeof(path) - 1);
		close(fd);
	}
	close(mount_fd);
	if (len < (ssize_t)strlen(root) || strncmp(path, root, strlen(root)))
		return NULL;
	path[len] = 0;
	return mem_strdup(path[strlen(root)] ? path + strlen(root) : "/");
}
