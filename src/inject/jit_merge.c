/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Images of generated code, written, and their maps in order of time.
 */
#include "inject/jit_merge.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "base/out.h"
#include "symbols/jit_image.h"

#define IMAGE_NAME_SIZE 48

void jit_merge_fini(struct jit_merge *m)
{
	arena_fini(&m->arena);
	vec_fini(&m->images);
	vec_fini(&m->maps);
	vec_fini(&m->pids);
}

bool jit_merge_has(const struct jit_merge *m, uint32_t pid)
{
	for (uint32_t i = 0; i < m->pids.nr; i++)
		if (m->pids.v[i] == pid)
			return true;
	return false;
}

const struct jit_merge_map *jit_merge_next(struct jit_merge *m, uint64_t time_ns)
{
	return m->next < m->maps.nr && m->maps.v[m->next].time_ns <= time_ns ? &m->maps.v[m->next++] : NULL;
}

/* What stands in the way of a new image; only an older one of ours is taken away. */
static int clear_name(int dir, const char *dir_path, const char *name, struct errbuf *eb)
{
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? 0 : errbuf_set(eb, -errno, "cannot look at %s/%s: %s", dir_path, name, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return errbuf_set(eb, -EEXIST, "%s/%s is no file, and is not replaced; remove it and try again", dir_path, name);
	if (st.st_uid != geteuid())
		return errbuf_set(eb, -EPERM, "%s/%s is owned by user %u, not by you, and is not replaced; remove it and try again",
				  dir_path, name, (unsigned)st.st_uid);
	if (unlinkat(dir, name, 0))
		return errbuf_set(eb, -errno, "cannot replace %s/%s: %s", dir_path, name, strerror(errno));
	return 0;
}

static int write_image(int dir, const char *dir_path, const char *name, const struct out *image, struct errbuf *eb)
{
	int err = clear_name(dir, dir_path, name, eb), fd;

	if (err)
		return err;
	fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	err = fd < 0 ? -errno : io_write(fd, image->buf, image->len, NULL);
	if (fd >= 0 && close(fd) && !err)
		err = -errno;
	if (err)
		errbuf_set(eb, err, "cannot write %s/%s: %s", dir_path, name, strerror(-err));
	if (err && fd >= 0)
		unlinkat(dir, name, 0);
	return err;
}

/* Images of the functions of the dump, as far as there may be more. */
static int write_images(struct jit_merge *m, const struct jitdump *d, uint32_t pid, int dir, const char *dir_path, struct errbuf *eb)
{
	struct out image;
	int err = 0;

	out_init(&image, -1);
	for (uint32_t i = 0; i < d->functions.nr && !err; i++) {
		char name[IMAGE_NAME_SIZE], *path;
		struct jit_merge_image *added;

		if (m->images.nr >= JIT_MERGE_MAX_IMAGES) {
			m->nr_left_out += d->functions.nr - i;
			break;
		}
		added = vec_add(&m->images);
		image.len = 0;
		jit_image_encode(d, &d->functions.v[i], &image, &added->id);
		/* Not the compiler's number of it, which need not be the only one. */
		snprintf(name, sizeof(name), "jitted-%u-%u.so", pid, i);
		err = write_image(dir, dir_path, name, &image, eb);
		path = mem_printf("%s/%s", dir_path, name);
		added->path = arena_str(&m->arena, path, strlen(path));
		free(path);
	}
	out_fini(&image);
	return err;
}

static int compare_maps(const void *pa, const void *pb)
{
	const struct jit_merge_map *a = pa, *b = pb;

	return COMPARE(a->time_ns, b->time_ns) ?: COMPARE(a->pid, b->pid) ?: COMPARE(a->image, b->image);
}

/* `first` is the image of the first function. */
static void queue_maps(struct jit_merge *m, const struct jitdump *d, uint32_t pid, uint32_t first)
{
	uint32_t nr_images = m->images.nr - first;

	for (uint32_t i = 0; i < d->places.nr; i++) {
		const struct jitdump_place *p = &d->places.v[i];
		uint32_t f = vec_search(d->functions.nr, j, d->functions.v[j].file_off > p->file_off);
		uint64_t size;

		if (!f || f > nr_images)
			continue;
		size = jit_image_mapped_bytes(&d->functions.v[f - 1]);
		if (p->addr > UINT64_MAX - size)
			continue;
		vec_push(&m->maps, ((struct jit_merge_map){ p->time_ns, p->addr, size, pid, first + f - 1 }));
	}
	if (m->maps.nr > m->next)
		qsort(m->maps.v + m->next, m->maps.nr - m->next, sizeof(*m->maps.v), compare_maps);
}

/* A recording names any directory, and may have the dump itself inside: files are put only where a dump of ours is. */
static int check_place(int dir, const char *base, const char *dump_path, struct errbuf *eb)
{
	struct stat st;

	if (fstatat(dir, base, &st, AT_SYMLINK_NOFOLLOW))
		return errbuf_set(eb, -errno, "%s, beside which its images are written, is not there: %s", dump_path, strerror(errno));
	if (!S_ISREG(st.st_mode) || (geteuid() && st.st_uid != geteuid()))
		return errbuf_set(eb, -EPERM, "%s is owned by another user: its images are not written beside it", dump_path);
	return 0;
}

int jit_merge_add(struct jit_merge *m, const struct jitdump *d, const char *dump_path, uint32_t pid, struct errbuf *eb)
{
	const char *slash = strrchr(dump_path, '/');
	char *dir_path = slash > dump_path ? mem_strndup(dump_path, (size_t)(slash - dump_path)) : mem_strdup(slash ? "/" : ".");
	int dir = open(dir_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), err;
	uint32_t first = m->images.nr;

	if (dir < 0) {
		err = errbuf_set(eb, -errno, "cannot write images of %s beside it: %s: %s", dump_path, dir_path, strerror(errno));
	} else {
		err = check_place(dir, slash ? slash + 1 : dump_path, dump_path, eb);
		if (!err)
			err = write_images(m, d, pid, dir, dir_path, eb);
		close(dir);
	}
	free(dir_path);
	if (err)
		return err;
	vec_push(&m->pids, pid);
	queue_maps(m, d, pid, first);
	return 0;
}
