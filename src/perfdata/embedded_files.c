/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The section is a head, a row a file, a second row a file with what is newer, then strings and parts, each where its row says. Numbers are
 * in the byte order of the machine that wrote it. Bytes come from a file: every place and size is held against the section first. Each
 * string and part has bytes of its own: rows that point to more than there is are refused, so that reading costs no more than the section's
 * size.
 */
#include "perfdata/embedded_files.h"

#include <errno.h>
#include <string.h>

#include "base/bytes.h"

#define MAGIC 0x316d616e79617361ULL /* "asaynam1" */
#define MAX_STRING 65536	    /* longer ones are not looked for: many that lead to the same place must not cost its length each */
#define HAS_FILES 32u		    /* head.flags: always */
#define IS_MANGLED 1u		    /* row.flags */
#define IS_FILE 8u		    /* row.flags: always */

struct head {
	uint64_t magic;
	uint32_t flags, nr_files, zero[2];
};

struct span {
	uint64_t off, size_bytes;
};

struct row {
	struct span symbols;
	uint64_t mapped_as, path; /* places of strings with a NUL behind them */
	uint32_t zero[1], flags, zeroes[2];
	uint8_t build_id[20], build_id_size, zero_bytes[3];
};
_Static_assert(sizeof(struct row) == 72, "rows have no holes");

struct second_row {
	struct embedded_identity identity;
	struct span unwind, functions;
};
_Static_assert(sizeof(struct second_row) == 120, "rows have no holes");

/* A file that was rewritten again and again; more of one inode are not looked through. */
#define MAX_VERSIONS 1000
#define NO_FILE UINT32_MAX

struct section {
	const uint8_t *data;
	size_t size;
	size_t left; /* that may still be pointed to */
};

static bool spend(struct section *s, size_t size)
{
	if (size > s->left)
		return false;
	s->left -= size;
	return true;
}

static const char *string_at(struct section *s, uint64_t off)
{
	size_t left = off < s->size ? s->size - off : 0;
	const uint8_t *end = left ? memchr(s->data + off, 0, left < MAX_STRING ? left : MAX_STRING) : NULL;

	return end && spend(s, (size_t)(end - s->data) - off + 1) ? (const char *)s->data + off : NULL;
}

static bool part_at(struct section *s, const struct span *span, struct embedded_part *part)
{
	*part = (struct embedded_part){ 0 };
	if (!span->size_bytes)
		return true;
	if (span->off % 8 || span->off > s->size || span->size_bytes > s->size - span->off || !spend(s, span->size_bytes))
		return false;
	*part = (struct embedded_part){ s->data + span->off, span->size_bytes };
	return true;
}

static uint64_t hash_file(const uint8_t *build_id, uint8_t build_id_size, const struct embedded_identity *f)
{
	return build_id_size ? hash_bytes(build_id, build_id_size, 1) : hash_pair(f->inode, (uint64_t)f->major << 32 | f->minor);
}

static bool has_id(const struct embedded_file *f, const uint8_t *build_id, uint8_t size)
{
	return f->build_id_size == size && !memcmp(f->build_id, build_id, size);
}

static bool has_inode(const struct embedded_file *f, const struct embedded_identity *like)
{
	return f->identity.inode == like->inode && f->identity.major == like->major && f->identity.minor == like->minor;
}

/* The first file of a build-id, or (size 0) of an inode. */
static uint32_t find_first(const struct embedded_files *n, const uint8_t *build_id, uint8_t size, const struct embedded_identity *like)
{
	struct hindex_iter it = hindex_find(&n->index, hash_file(build_id, size, like));
	uint32_t id;

	/* The one that is being added has the same hash in one case of four thousand million, and is not there yet. */
	while ((id = hindex_next(&it)) != HINDEX_NONE)
		if (id < n->files.nr && (size ? has_id(&n->files.v[id], build_id, size) : has_inode(&n->files.v[id], like)))
			break;
	return id;
}

/* The file that is added next. */
static void add_by_id(struct embedded_files *n, const struct embedded_file *f)
{
	uint32_t first = find_first(n, f->build_id, f->build_id_size, NULL), id = n->files.nr;

	if (first == HINDEX_NONE) {
		hindex_add(&n->index, hash_file(f->build_id, f->build_id_size, NULL), id);
		return;
	}
	n->alike.v[n->alike.v[first].last_of_id].next_of_id = id;
	n->alike.v[first].last_of_id = id;
}

static void add_by_inode(struct embedded_files *n, const struct embedded_file *f)
{
	uint32_t first = find_first(n, NULL, 0, &f->identity), id = n->files.nr;

	if (first == HINDEX_NONE) {
		hindex_add(&n->index, hash_file(NULL, 0, &f->identity), id);
		return;
	}
	n->alike.v[n->alike.v[first].last_of_inode].next_of_inode = id;
	n->alike.v[first].last_of_inode = id;
}

const struct embedded_file *embedded_files_find_path(const struct embedded_files *n, const char *path)
{
	struct hindex_iter it = hindex_find(&n->index, hash_bytes(path, strlen(path), 2));
	uint32_t id;

	while ((id = hindex_next(&it)) != HINDEX_NONE) {
		const struct embedded_file *f = &n->files.v[id];

		if (!f->build_id_size && !f->identity.inode && !strcmp(f->path, path))
			return f;
	}
	return NULL;
}

static bool take_file(struct embedded_files *n, struct section *s, const struct row *row, const struct second_row *second)
{
	struct embedded_file f = {
		.path = string_at(s, row->path),
		.is_mangled = row->flags & IS_MANGLED,
		.build_id_size = row->build_id_size <= sizeof(row->build_id) ? row->build_id_size : 0,
		.identity = second->identity,
	};

	memcpy(f.build_id, row->build_id, sizeof(f.build_id));
	if (!f.path || !part_at(s, &row->symbols, &f.symbols) || !part_at(s, &second->unwind, &f.unwind) ||
	    !part_at(s, &second->functions, &f.functions))
		return false;
	vec_push(&n->alike, ((struct embedded_alike){ NO_FILE, NO_FILE, n->files.nr, n->files.nr }));
	if (f.build_id_size)
		add_by_id(n, &f);
	if (f.identity.inode)
		add_by_inode(n, &f);
	if (!f.build_id_size && !f.identity.inode && !embedded_files_find_path(n, f.path))
		hindex_add(&n->index, hash_bytes(f.path, strlen(f.path), 2), n->files.nr);
	vec_push(&n->files, f);
	return true;
}

int embedded_files_init(struct embedded_files *n, const void *data, size_t size)
{
	struct section s = { data, size, size };
	struct bytes b = bytes_of(data, size, false);
	const struct head *h = bytes_take(&b, sizeof(*h));
	const struct row *rows;
	const struct second_row *seconds;

	memset(n, 0, sizeof(*n));
	if (!h || h->magic != MAGIC || !(h->flags & HAS_FILES))
		return -EBADMSG;
	rows = bytes_has(&b, h->nr_files, sizeof(*rows)) ? bytes_take(&b, h->nr_files * sizeof(*rows)) : NULL;
	seconds = bytes_has(&b, h->nr_files, sizeof(*seconds)) ? bytes_take(&b, h->nr_files * sizeof(*seconds)) : NULL;
	if (b.failed)
		return -EBADMSG;
	for (uint32_t i = 0; i < h->nr_files; i++)
		if (!take_file(n, &s, &rows[i], &seconds[i]))
			return -EBADMSG;
	return 0;
}

void embedded_files_fini(struct embedded_files *n)
{
	vec_fini(&n->files);
	vec_fini(&n->alike);
	hindex_fini(&n->index);
}

/* Of those with one build-id any will do; one with symbols does best. */
static bool is_better(const struct embedded_file *f, const struct embedded_file *than, bool by_build_id)
{
	if (!than)
		return true;
	return by_build_id ? !than->symbols.data && f->symbols.data : f->identity.since_ns > than->identity.since_ns;
}

/* Maps that were read from /proc have no generation. */
static bool is_other_generation(const struct embedded_file *f, const struct record_mmap *m)
{
	return !m->build_id_size && f->identity.generation && m->ino_generation && f->identity.generation != m->ino_generation;
}

const struct embedded_file *embedded_files_find(const struct embedded_files *n, const struct record_mmap *m, uint64_t time_ns)
{
	const struct embedded_identity like = { .major = m->maj, .minor = m->min, .inode = m->ino };
	const struct embedded_file *best = NULL;
	uint32_t id;

	if (!m->build_id_size && !m->ino)
		return NULL;
	id = find_first(n, m->build_id, m->build_id_size, &like);
	for (uint32_t nr = 0; nr < MAX_VERSIONS && id != HINDEX_NONE; nr++) {
		const struct embedded_file *f = &n->files.v[id];

		if (!is_other_generation(f, m) && (m->build_id_size || f->identity.since_ns <= time_ns) &&
		    is_better(f, best, m->build_id_size))
			best = f;
		id = m->build_id_size ? n->alike.v[id].next_of_id : n->alike.v[id].next_of_inode;
	}
	return best;
}

static uint64_t put_string(struct out *o, const char *s)
{
	uint64_t off = o->len;

	out_mem(o, s, strlen(s) + 1);
	return off;
}

static struct span put_part(struct out *o, const struct embedded_part *part)
{
	static const char zeroes[8];
	struct span span = { 0 };

	if (!part->size_bytes)
		return span;
	out_mem(o, zeroes, -o->len & 7);
	span = (struct span){ o->len, part->size_bytes };
	out_mem(o, part->data, part->size_bytes);
	return span;
}

/* Room for a table, filled in when all places are known. */
static size_t put_room(struct out *o, size_t nr, size_t item_size)
{
	size_t off = o->len;

	memset(out_room(o, nr * item_size), 0, nr * item_size);
	out_advance(o, nr * item_size);
	return off;
}

void embedded_files_encode(const struct embedded_files *n, struct out *o)
{
	struct head h = { .magic = MAGIC, .flags = HAS_FILES, .nr_files = n->files.nr };
	size_t rows, seconds;

	out_mem(o, &h, sizeof(h));
	rows = put_room(o, h.nr_files, sizeof(struct row));
	seconds = put_room(o, h.nr_files, sizeof(struct second_row));
	for (uint32_t i = 0; i < n->files.nr; i++) {
		const struct embedded_file *f = &n->files.v[i];
		struct row row = { .flags = IS_FILE | (f->is_mangled ? IS_MANGLED : 0), .build_id_size = f->build_id_size };
		struct second_row second = { .identity = f->identity };

		memcpy(row.build_id, f->build_id, sizeof(row.build_id));
		row.mapped_as = put_string(o, f->path);
		row.path = put_string(o, f->path);
		row.symbols = put_part(o, &f->symbols);
		second.unwind = put_part(o, &f->unwind);
		second.functions = put_part(o, &f->functions);
		memcpy(o->buf + rows + i * sizeof(row), &row, sizeof(row));
		memcpy(o->buf + seconds + i * sizeof(second), &second, sizeof(second));
	}
}
