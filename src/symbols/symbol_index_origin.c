/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which origin serves which file. Times of change have the grain of the file system: a file that was changed a moment ago may be changed
 * again without a new time, so nothing is kept of it yet.
 */
#include "symbols/symbol_index_file.h"

#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <time.h>

#define NS_PER_S 1000000000ll
/* Of file systems that keep whole seconds (some: every other), and of others, whose grain is a tick of the kernel. */
#define COARSE_GRAIN_NS (2 * NS_PER_S)
#define FINE_GRAIN_NS (20 * NS_PER_S / 1000)
#ifndef FUSE_SUPER_MAGIC
#define FUSE_SUPER_MAGIC 0x65735546
#endif

_Static_assert(sizeof(struct index_origin) == 112, "origins have no holes");

/* The recorder's copies are such files, and programs that run from a memfd. */
static bool is_nameless_memory(int fd, const struct statfs *fs)
{
	struct stat st;

	return fs->f_type == TMPFS_MAGIC && (fstat(fd, &st) != 0 || !st.st_nlink);
}

bool index_may_keep(int fd)
{
	struct statfs fs;

	return fd < 0 || (fstatfs(fd, &fs) == 0 && fs.f_type != FUSE_SUPER_MAGIC && !is_nameless_memory(fd, &fs));
}

static bool is_same(const struct file_stat *a, const struct file_stat *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

bool index_origins_read(struct index_origins *all, const void *bytes, size_t size)
{
	all->nr = 0;
	if (!bytes || size % sizeof(all->v[0]) || size / sizeof(all->v[0]) > INDEX_MAX_ORIGINS)
		return false;
	all->nr = (uint32_t)(size / sizeof(all->v[0]));
	memcpy(all->v, bytes, size);
	return true;
}

const struct index_origin *index_origins_find(const struct index_origins *all, const struct index_origin *o)
{
	for (uint32_t i = all->nr; i-- > 0;)
		if (is_same(&all->v[i].runtime, &o->runtime) && is_same(&all->v[i].debug, &o->debug))
			return &all->v[i];
	return NULL;
}

static bool are_sizes_equal(const struct index_origin *a, const struct index_origin *b)
{
	return !a->runtime.inode == !b->runtime.inode && !a->debug.inode == !b->debug.inode &&
	       a->runtime.size_bytes == b->runtime.size_bytes && a->debug.size_bytes == b->debug.size_bytes;
}

static bool are_equal(const struct index_origin *a, const struct index_origin *b)
{
	return a->has_sums && b->has_sums && are_sizes_equal(a, b) && a->sums[0] == b->sums[0] && a->sums[1] == b->sums[1];
}

const struct index_origin *index_origins_find_equal(const struct index_origins *all, const struct index_origin *o)
{
	for (uint32_t i = all->nr; i-- > 0;)
		if (are_equal(&all->v[i], o))
			return &all->v[i];
	return NULL;
}

bool index_origins_may_equal(const struct index_origins *all, const struct index_origin *o)
{
	for (uint32_t i = 0; i < all->nr; i++)
		if (all->v[i].has_sums && are_sizes_equal(&all->v[i], o))
			return true;
	return false;
}

bool index_origins_has_stamp(const struct index_origins *all, uint64_t stamp)
{
	for (uint32_t i = 0; i < all->nr; i++)
		if (all->v[i].stamp == stamp)
			return true;
	return false;
}

static void drop(struct index_origins *all, uint32_t i)
{
	memmove(&all->v[i], &all->v[i + 1], (all->nr - i - 1) * sizeof(all->v[0]));
	all->nr--;
}

static bool is_same_inode(const struct file_stat *a, const struct file_stat *b)
{
	return a->device == b->device && a->inode == b->inode;
}

void index_origins_add(struct index_origins *all, const struct index_origin *o)
{
	const struct index_origin copy = *o; /* it may be one of them */

	for (uint32_t i = all->nr; i-- > 0;)
		if (is_same_inode(&all->v[i].runtime, &copy.runtime) && is_same_inode(&all->v[i].debug, &copy.debug))
			drop(all, i);
	if (all->nr == INDEX_MAX_ORIGINS)
		drop(all, 0);
	all->v[all->nr++] = copy;
}

/* The device changes from mount to mount, and says nothing that inode and times do not. */
static bool is_recorded(const struct file_stat *f, const struct file_identity *recorded)
{
	return f->inode && f->inode == recorded->stat.inode && f->size_bytes == recorded->stat.size_bytes &&
	       f->mtime_ns == recorded->stat.mtime_ns && f->ctime_ns == recorded->stat.ctime_ns;
}

/* Map records have the device and the inode. Device numbers of overlayfs and btrfs differ from those of stat(): then none matches. */
static bool is_mapped(const struct file_stat *f, const struct file_identity *recorded)
{
	const uint32_t both = IDENTITY_DEVICE | IDENTITY_INODE;

	return f->inode && (recorded->known & both) == both && f->inode == recorded->inode &&
	       f->device == makedev(recorded->major, recorded->minor) &&
	       !((recorded->known & IDENTITY_UNCHANGED_AT) && f->ctime_ns > recorded->unchanged_at_ns);
}

/* Whether two origins are of one program: the same file, or one content. */
static bool do_agree(const struct index_origin *a, const struct index_origin *b)
{
	if (!a->runtime.inode && !b->runtime.inode)
		return is_same(&a->debug, &b->debug) || are_equal(a, b);
	return is_same(&a->runtime, &b->runtime) ||
	       (a->has_sums && b->has_sums && a->runtime.size_bytes == b->runtime.size_bytes && a->sums[0] == b->sums[0]);
}

/* Those that `is_wanted`, the newest first. */
static uint32_t choose(const struct index_origins *all, const struct file_identity *recorded,
		       bool (*is_wanted)(const struct file_stat *, const struct file_identity *), uint64_t stamps[INDEX_MAX_ORIGINS])
{
	uint32_t nr = 0;

	for (uint32_t i = all->nr; i-- > 0;)
		if (is_wanted(&all->v[i].runtime, recorded))
			stamps[nr++] = all->v[i].stamp;
	return nr;
}

uint32_t index_origins_believed(const struct index_origins *all, const struct file_identity *recorded, uint64_t stamps[INDEX_MAX_ORIGINS])
{
	/* Rewritten while it was mapped: its build-id, if any, is all that is known of what it was. */
	const bool is_lost = recorded->known & IDENTITY_LOST;
	const struct index_origin *first = NULL;
	bool has_runtime = false;
	uint32_t nr;

	if (!is_lost && recorded->known & IDENTITY_STAT)
		return choose(all, recorded, is_recorded, stamps);
	nr = is_lost ? 0 : choose(all, recorded, is_mapped, stamps);
	if (nr)
		return nr;
	for (uint32_t i = 0; i < all->nr; i++)
		has_runtime |= all->v[i].runtime.inode != 0;
	for (uint32_t i = all->nr; i-- > 0;) {
		const struct index_origin *o = &all->v[i];

		/* A debug file alone says less than the file did. */
		if (has_runtime && !o->runtime.inode)
			continue;
		if (first && !do_agree(first, o))
			return 0;
		first = first ? first : o;
		stamps[nr++] = o->stamp;
	}
	return nr;
}

void index_origin_sum(struct index_origin *o, const int fds[2], const uint8_t key[SIPHASH_KEY_SIZE])
{
	const struct file_stat *files[2] = { &o->runtime, &o->debug };

	o->has_sums = 0;
	for (int i = 0; i < 2; i++) {
		o->sums[i] = 0;
		if (!files[i]->inode)
			continue;
		if (fds[i] < 0 || files[i]->size_bytes > INDEX_MAX_SUMMED || !siphash_file(fds[i], key, files[i]->size_bytes, &o->sums[i]))
			return;
	}
	o->has_sums = 1;
}

static bool is_file_settled(const struct file_stat *f, int fd, int64_t now_ns)
{
	struct file_stat is;
	struct stat st;
	int64_t grain;

	if (!f->inode || fd < 0)
		return true;
	if (fstat(fd, &st) != 0)
		return false;
	is = file_stat_of(&st);
	grain = f->ctime_ns % NS_PER_S ? FINE_GRAIN_NS : COARSE_GRAIN_NS;
	return is_same(&is, f) && now_ns - f->ctime_ns >= grain;
}

bool index_origin_is_settled(const struct index_origin *o, const int fds[2])
{
	struct timespec now;
	int64_t now_ns;

	clock_gettime(CLOCK_REALTIME, &now);
	now_ns = (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
	return is_file_settled(&o->runtime, fds[0], now_ns) && is_file_settled(&o->debug, fds[1], now_ns);
}
