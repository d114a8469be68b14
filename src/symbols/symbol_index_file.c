/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reading and writing the file of the symbol index. A file is used if it is ours alone and its sums are right. It is mapped, because files
 * are never written to once they have their name, and replaced by rename only.
 */
#include "symbols/symbol_index_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/out.h"

#define SUM_SEED 0x617373617920ULL
#define TOUCH_AFTER_S 3600
#define MAX_NAME 4096u
#define LARGE_PART_BYTES (256u << 10)

_Static_assert(sizeof(struct index_head) == 80, "the head has no holes");
_Static_assert(sizeof(struct index_row) == 48, "rows have no holes");

static uint64_t round_up(uint64_t v)
{
	return (v + 7) & ~7ULL;
}

uint64_t index_file_sum(const void *bytes, size_t size)
{
	return hash_sum(bytes, size, SUM_SEED);
}

/* The sum of a head is taken over a copy with a zero in its place, then over what follows it. */
uint64_t index_head_sum(const struct index_head *h, const void *rest, size_t rest_size)
{
	struct index_head copy = *h;

	copy.sum = 0;
	return hash_sum(rest, rest_size, index_file_sum(&copy, sizeof(copy)));
}

static int damaged(struct errbuf *eb, const char *what)
{
	return errbuf_set(eb, -EBADMSG, "damaged: %s", what);
}

int index_row_compare(const void *a, const void *b)
{
	const struct index_row *x = a, *y = b;

	return COMPARE(x->part, y->part) ?: COMPARE(x->key, y->key) ?: COMPARE(x->stamp, y->stamp);
}

static int check_rows(const struct index_file *f, uint64_t first_off, struct errbuf *eb)
{
	for (uint32_t i = 0; i < f->nr_rows; i++) {
		const struct index_row *r = &f->rows[i];

		if (r->off % 8 || r->off < first_off || r->off > f->size_bytes || r->size_bytes > f->size_bytes - r->off)
			return damaged(eb, "a part lies outside of the file");
		if (i && index_row_compare(r - 1, r) >= 0)
			return damaged(eb, "its parts are not in order");
	}
	return 0;
}

static int check_head(const struct index_head *h, size_t size, const struct index_id *id, struct errbuf *eb)
{
	if (memcmp(h->magic, INDEX_MAGIC, sizeof(h->magic)) != 0)
		return damaged(eb, "it does not begin as an index does");
	if (h->version != INDEX_VERSION || h->byte_order != INDEX_BYTE_ORDER)
		return errbuf_set(eb, -EBADMSG, "written by another version of assay");
	if (h->size_bytes != size)
		return damaged(eb, "it is shorter or longer than it says");
	if (id && (h->id_size != id->size || h->is_file != id->is_file || memcmp(h->id, id->bytes, id->size) != 0))
		return damaged(eb, "it is about another file than its name says");
	return 0;
}

int index_file_view(struct index_file *f, const void *bytes, size_t size, const struct index_id *id, struct errbuf *eb)
{
	struct bytes b = bytes_of(bytes, size, false);
	const struct index_head *h = bytes_take(&b, sizeof(*h));
	const void *rows;
	uint64_t head_size;
	int err;

	*f = (struct index_file){ 0 };
	if (!h)
		return damaged(eb, "it is shorter than its head");
	err = check_head(h, size, id, eb);
	if (err)
		return err;
	rows = b.pos;
	if (!bytes_has(&b, h->nr_rows, sizeof(*f->rows)))
		return damaged(eb, "it has fewer rows than it says");
	bytes_take(&b, h->nr_rows * sizeof(*f->rows));
	if (h->name_size > MAX_NAME || bytes_left(&b) < h->name_size || (h->name_size && b.pos[h->name_size - 1]))
		return damaged(eb, "its name leaves the file");
	head_size = sizeof(*h) + h->nr_rows * sizeof(*f->rows) + h->name_size;
	if (index_head_sum(h, rows, head_size - sizeof(*h)) != h->sum)
		return damaged(eb, "the sum of its head is wrong");
	*f = (struct index_file){
		.bytes = bytes,
		.size_bytes = size,
		.rows = rows,
		.nr_rows = h->nr_rows,
		.name = h->name_size ? (const char *)b.pos : NULL,
		.key = h->key,
	};
	err = check_rows(f, round_up(head_size), eb);
	if (err)
		*f = (struct index_file){ 0 };
	return err;
}

static int check_owner(const struct stat *st, struct errbuf *eb)
{
	if (!S_ISREG(st->st_mode))
		return errbuf_set(eb, -EPERM, "not a regular file");
	if (st->st_uid != geteuid())
		return errbuf_set(eb, -EPERM, "it belongs to user %u, not to you", (unsigned int)st->st_uid);
	if (st->st_mode & (S_IWGRP | S_IWOTH))
		return errbuf_set(eb, -EPERM, "others may write to it");
	if (st->st_size < (off_t)sizeof(struct index_head))
		return damaged(eb, "it is shorter than its head");
	return 0;
}

int index_file_open(struct index_file *f, int dir, const char *name, const struct index_id *id, bool touch, struct errbuf *eb)
{
	/* O_NONBLOCK: a pipe of that name must not hang us. */
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	void *map = MAP_FAILED;
	struct stat st;
	int err;

	*f = (struct index_file){ 0 };
	if (fd < 0)
		return errbuf_set(eb, -errno, "%s", strerror(errno));
	err = fstat(fd, &st) != 0 ? -errno : check_owner(&st, eb);
	if (!err) {
		map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		err = map == MAP_FAILED ? errbuf_set(eb, -errno, "%s", strerror(errno))
					: index_file_view(f, map, (size_t)st.st_size, id, eb);
	}
	/* The time of its last change is the time of its last use; noted once an hour at most. */
	if (!err && touch && time(NULL) - st.st_mtime > TOUCH_AFTER_S)
		futimens(fd, NULL);
	close(fd);
	f->is_mapped = !err;
	f->inode = err ? 0 : st.st_ino;
	if (err && map != MAP_FAILED)
		munmap(map, (size_t)st.st_size);
	return err;
}

void index_file_close(struct index_file *f)
{
	if (f->is_mapped)
		munmap((void *)f->bytes, f->size_bytes);
	*f = (struct index_file){ 0 };
}

const struct index_row *index_file_find(const struct index_file *f, uint32_t part, uint64_t key, uint64_t stamp)
{
	const struct index_row wanted = { .part = part, .key = key, .stamp = stamp };

	return f->nr_rows ? bsearch(&wanted, f->rows, f->nr_rows, sizeof(*f->rows), index_row_compare) : NULL;
}

/* Summing a large part has brought all of it into our memory; few of its pages will be looked at. */
static void let_go(const struct index_file *f, const uint8_t *bytes, uint64_t size)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)bytes & ~(page - 1);

	if (f->is_mapped && size >= LARGE_PART_BYTES)
		madvise((void *)start, (size_t)((uintptr_t)bytes + size - start), MADV_DONTNEED);
}

const void *index_file_part(const struct index_file *f, const struct index_row *row)
{
	const uint8_t *bytes = f->bytes + row->off;
	bool is_good = index_file_sum(bytes, row->size_bytes) == row->sum;

	let_go(f, bytes, row->size_bytes);
	return is_good ? bytes : NULL;
}

static size_t name_size(const char *name)
{
	size_t len = name ? strlen(name) : 0;

	return len && len < MAX_NAME ? len + 1 : 0;
}

uint64_t index_file_size(const struct index_piece *pieces, uint32_t nr, const char *name)
{
	uint64_t size = round_up(sizeof(struct index_head) + nr * sizeof(struct index_row) + name_size(name));

	for (uint32_t i = 0; i < nr; i++)
		size += round_up(pieces[i].row.size_bytes);
	return size;
}

static void pad(struct out *o, uint64_t size)
{
	static const char zeros[8];

	out_mem(o, zeros, (size_t)(round_up(size) - size));
}

int index_file_write(int fd, const struct index_id *id, const uint8_t key[SIPHASH_KEY_SIZE], const char *name, struct index_piece *pieces,
		     uint32_t nr)
{
	struct index_head h = {
		.magic = INDEX_MAGIC,
		.version = INDEX_VERSION,
		.byte_order = INDEX_BYTE_ORDER,
		.size_bytes = index_file_size(pieces, nr, name),
		.id_size = id->size,
		.is_file = id->is_file,
		.nr_rows = nr,
		.name_size = (uint32_t)name_size(name),
	};
	uint64_t off = round_up(sizeof(h) + nr * sizeof(struct index_row) + h.name_size);
	struct out rest, o;
	int err;

	memcpy(h.id, id->bytes, id->size);
	memcpy(h.key, key, sizeof(h.key));
	out_init(&rest, -1);
	for (uint32_t i = 0; i < nr; i++) {
		struct index_row *r = &pieces[i].row;

		r->off = off;
		r->zero = 0;
		if (!pieces[i].has_sum)
			r->sum = index_file_sum(pieces[i].bytes, r->size_bytes);
		off += round_up(r->size_bytes);
		out_mem(&rest, r, sizeof(*r));
	}
	if (h.name_size)
		out_mem(&rest, name, h.name_size);
	h.sum = index_head_sum(&h, rest.buf, rest.len);

	out_init(&o, fd);
	out_mem(&o, &h, sizeof(h));
	out_mem(&o, rest.buf, rest.len);
	pad(&o, sizeof(h) + rest.len);
	for (uint32_t i = 0; i < nr; i++) {
		out_mem(&o, pieces[i].bytes, pieces[i].row.size_bytes);
		pad(&o, pieces[i].row.size_bytes);
	}
	err = out_fini(&o);
	out_fini(&rest);
	return err;
}
