/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * When two files are the same, and whether one was changed. Where stat() results of both times are known, they are compared; where only a
 * map record is, its inode is compared and its device is not: overlayfs and btrfs have other devices in stat() than in maps.
 */
#include "symbols/file_identity.h"

#include <errno.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>
#include <time.h>

#include "base/hash.h"

#ifndef OVERLAYFS_SUPER_MAGIC
#define OVERLAYFS_SUPER_MAGIC 0x794c7630
#endif
#define NS_PER_S 1000000000ll

struct file_identity file_identity_of_map(uint32_t major, uint32_t minor, uint64_t inode, uint64_t generation)
{
	struct file_identity id = { .major = major, .minor = minor, .inode = inode, .generation = generation };

	if (inode)
		id.known |= IDENTITY_INODE | IDENTITY_DEVICE;
	if (inode && generation)
		id.known |= IDENTITY_GENERATION;
	return id;
}

static int64_t time_ns(const struct timespec *t)
{
	return (int64_t)t->tv_sec * NS_PER_S + t->tv_nsec;
}

struct file_stat file_stat_of(const struct stat *st)
{
	return (struct file_stat){
		.device = st->st_dev,
		.inode = st->st_ino,
		.size_bytes = (uint64_t)st->st_size,
		.mtime_ns = time_ns(&st->st_mtim),
		.ctime_ns = time_ns(&st->st_ctim),
	};
}

void file_identity_set_stat(struct file_identity *id, const struct stat *st)
{
	id->stat = file_stat_of(st);
	id->known |= IDENTITY_STAT;
}

bool file_identity_differ(const struct file_identity *a, const struct file_identity *b)
{
	uint32_t both = a->known & b->known;

	return ((both & IDENTITY_DEVICE) && (a->major != b->major || a->minor != b->minor)) ||
	       ((both & IDENTITY_INODE) && a->inode != b->inode) || ((both & IDENTITY_GENERATION) && a->generation != b->generation);
}

int file_identity_of_fd(int fd, struct file_identity *id)
{
	struct statfs fs;
	struct stat st;
	long version = 0; /* file systems write 32 bits of it */

	*id = (struct file_identity){ 0 };
	if (fstat(fd, &st))
		return -errno;
	file_identity_set_stat(id, &st);
	if (!ioctl(fd, FS_IOC_GETVERSION, &version) && (uint32_t)version) {
		id->generation = (uint32_t)version;
		id->known |= IDENTITY_GENERATION;
	}
	if (!fstatfs(fd, &fs) && fs.f_type == OVERLAYFS_SUPER_MAGIC)
		id->known |= IDENTITY_LAYERED;
	return 0;
}

/* Maps have the number of an inode within its layer. */
static bool is_inode_of(uint64_t mapped, const struct file_identity *now)
{
	return mapped == now->stat.inode || ((now->known & IDENTITY_LAYERED) && (uint32_t)mapped == (uint32_t)now->stat.inode);
}

static const char *date(int64_t ns, char buf[32])
{
	time_t s = (time_t)(ns / NS_PER_S);
	struct tm tm;

	if (!localtime_r(&s, &tm) || !strftime(buf, 32, "%Y-%m-%d %H:%M:%S", &tm))
		strcpy(buf, "?");
	return buf;
}

bool file_identity_wants_sum(const struct file_identity *was, const struct file_identity *is)
{
	const uint32_t both = IDENTITY_STAT | IDENTITY_SUM;

	return (was->known & (both | IDENTITY_LOST)) == both && is->known & IDENTITY_STAT && was->stat.size_bytes == is->stat.size_bytes &&
	       was->stat.inode == is->stat.inode && was->stat.mtime_ns == is->stat.mtime_ns && was->stat.ctime_ns != is->stat.ctime_ns;
}

void file_identity_add_sum(struct file_identity *id, int fd)
{
	static const uint8_t key[SIPHASH_KEY_SIZE] = "assay: contents";

	if (id->stat.size_bytes <= FILE_IDENTITY_MAX_SUMMED && siphash_file(fd, key, id->stat.size_bytes, &id->content_sum))
		id->known |= IDENTITY_SUM;
}

static bool is_same_content(const struct file_identity *was, const struct file_identity *is)
{
	return was->known & is->known & IDENTITY_SUM && was->content_sum == is->content_sum;
}

static int check_stat(const struct file_identity *was, const struct file_identity *is, const char *path, struct errbuf *eb)
{
	char buf[32];

	/* The device of a file system changes from mount to mount, and says nothing that inode and times do not. */
	if (was->stat.size_bytes != is->stat.size_bytes)
		return errbuf_set(eb, -ESTALE, "%s was changed after it was mapped (size %llu, now %llu)", path,
				  (unsigned long long)was->stat.size_bytes, (unsigned long long)is->stat.size_bytes);
	if (was->stat.inode != is->stat.inode)
		return errbuf_set(eb, -ESTALE, "%s is not the file that was mapped (inode %llu, now %llu)", path,
				  (unsigned long long)was->stat.inode, (unsigned long long)is->stat.inode);
	if (was->stat.mtime_ns != is->stat.mtime_ns)
		return errbuf_set(eb, -ESTALE, "%s was changed after it was mapped (on %s)", path, date(is->stat.mtime_ns, buf));
	if (was->stat.ctime_ns != is->stat.ctime_ns && !is_same_content(was, is))
		return errbuf_set(eb, -ESTALE, "%s may have been changed after it was mapped (its status changed on %s)", path,
				  date(is->stat.ctime_ns, buf));
	return 0;
}

int file_identity_check(const struct file_identity *recorded, const struct file_identity *now, const char *path, struct errbuf *eb)
{
	char buf[32];

	if (recorded->known & IDENTITY_LOST)
		return errbuf_set(eb, -ESTALE, "%s was rewritten while it was recorded, before its symbols could be read", path);
	if (recorded->known & IDENTITY_STAT)
		return check_stat(recorded, now, path, eb);
	if ((recorded->known & IDENTITY_INODE) && !is_inode_of(recorded->inode, now))
		return errbuf_set(eb, -ESTALE, "%s is not the file that was mapped (inode %llu, now %llu)", path,
				  (unsigned long long)recorded->inode, (unsigned long long)now->stat.inode);
	if ((recorded->known & now->known & IDENTITY_GENERATION) && recorded->generation != now->generation)
		return errbuf_set(eb, -ESTALE, "%s is not the file that was mapped (inode %llu was reused)", path,
				  (unsigned long long)recorded->inode);
	/* Not ctime: perf record makes a hard link to every file it saw when the recording is over, and a link changes it. */
	if ((recorded->known & IDENTITY_UNCHANGED_AT) && now->stat.mtime_ns > recorded->unchanged_at_ns)
		return errbuf_set(eb, -ESTALE, "%s was changed after the recording (on %s)", path, date(now->stat.mtime_ns, buf));
	return 0;
}
