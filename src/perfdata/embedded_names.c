/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The section is a head, a row a module, a row a source part, a number a note, where flags say so a row for what values are and a row a
 * mapped file (one for each module), then strings and parts, each where its row says. A reader that does not know the flag misses nothing else. Numbers are in the byte order of the machine
 * that wrote it. Bytes come from a file: every place and size is held against the section first. Each string and part has bytes of its own:
 * rows that point to more than there is are refused, so that reading costs no more than the section's size.
 */
#include "perfdata/embedded_names.h"

#include <errno.h>
#include <string.h>

#include "base/bytes.h"

#define MAGIC 0x316d616e79617361ULL /* "asaynam1" */
#define MAX_STRING 65536	    /* longer ones are not looked for: many that lead to the same place must not cost its length each */

struct head {
	uint64_t magic;
	uint32_t flags, nr_modules, nr_sources, nr_notes;
};

struct span {
	uint64_t off, size_bytes;
};

struct row {
	struct span symbols;
	uint64_t mapped_as, path; /* places of strings with a NUL behind them */
	uint32_t kind, flags, first_source, nr_sources;
	uint8_t build_id[20], build_id_size, zero[3];
};
_Static_assert(sizeof(struct row) == 72, "rows have no holes");

struct file_row {
	struct embedded_file file;
	struct span unwind, functions;
};
_Static_assert(sizeof(struct file_row) == 120, "rows have no holes");

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

static uint64_t hash_file(const uint8_t *build_id, uint8_t build_id_size, const struct embedded_file *f)
{
	return build_id_size ? hash_bytes(build_id, build_id_size, 1) : hash_pair(f->inode, (uint64_t)f->major << 32 | f->minor);
}

static bool has_id(const struct embedded_module *f, const uint8_t *build_id, uint8_t size)
{
	return f->flags & EMBEDDED_FILE && f->build_id_size == size && !memcmp(f->build_id, build_id, size);
}

static bool has_inode(const struct embedded_module *f, const struct embedded_file *like)
{
	return f->flags & EMBEDDED_FILE && f->file.inode == like->inode && f->file.major == like->major && f->file.minor == like->minor;
}

/* The first file of a build-id, or (size 0) of an inode. */
static uint32_t find_first(const struct embedded_names *n, const uint8_t *build_id, uint8_t size, const struct embedded_file *like)
{
	struct hindex_iter it = hindex_find(&n->index, hash_file(build_id, size, like));
	uint32_t id;

	/* The one that is being added has the same hash in one case of four thousand million, and is not there yet. */
	while ((id = hindex_next(&it)) != HINDEX_NONE)
		if (id < n->modules.nr && (size ? has_id(&n->modules.v[id], build_id, size) : has_inode(&n->modules.v[id], like)))
			break;
	return id;
}

/* The module that is added next. */
static void add_by_id(struct embedded_names *n, const struct embedded_module *m)
{
	uint32_t first = find_first(n, m->build_id, m->build_id_size, NULL), id = n->modules.nr;

	if (first == HINDEX_NONE) {
		hindex_add(&n->index, hash_file(m->build_id, m->build_id_size, NULL), id);
		return;
	}
	n->alike.v[n->alike.v[first].last_of_id].next_of_id = id;
	n->alike.v[first].last_of_id = id;
}

static void add_by_inode(struct embedded_names *n, const struct embedded_module *m)
{
	uint32_t first = find_first(n, NULL, 0, &m->file), id = n->modules.nr;

	if (first == HINDEX_NONE) {
		hindex_add(&n->index, hash_file(NULL, 0, &m->file), id);
		return;
	}
	n->alike.v[n->alike.v[first].last_of_inode].next_of_inode = id;
	n->alike.v[first].last_of_inode = id;
}

static bool take_file(struct embedded_names *n, struct section *s, const struct file_row *row, struct embedded_module *m)
{
	if (!row || !part_at(s, &row->unwind, &m->unwind) || !part_at(s, &row->functions, &m->functions))
		return false;
	m->file = row->file;
	for (uint32_t id = n->alike.nr; id <= n->modules.nr; id++)
		vec_push(&n->alike, ((struct embedded_alike){ NO_FILE, NO_FILE, id, id }));
	if (m->build_id_size)
		add_by_id(n, m);
	if (m->file.inode)
		add_by_inode(n, m);
	return true;
}

static bool take_module(struct embedded_names *n, struct section *s, const struct row *row, const struct file_row *file,
			uint32_t *next_source)
{
	struct embedded_module m = {
		.mapped_as = string_at(s, row->mapped_as),
		.path = string_at(s, row->path),
		.kind = row->kind < EMBEDDED_NR_KINDS ? (enum embedded_kind)row->kind : EMBEDDED_MEMORY,
		.flags = row->flags & EMBEDDED_MODULE_ALL,
		.build_id_size = row->build_id_size <= sizeof(row->build_id) ? row->build_id_size : 0,
	};

	memcpy(m.build_id, row->build_id, sizeof(m.build_id));
	if (!m.mapped_as || !m.path || !part_at(s, &row->symbols, &m.symbols) || row->first_source != *next_source ||
	    row->nr_sources > n->sources.nr - row->first_source)
		return false;
	*next_source += row->nr_sources;
	m.sources = row->nr_sources ? &n->sources.v[row->first_source] : NULL;
	m.nr_sources = row->nr_sources;
	if (m.flags & EMBEDDED_FILE) {
		if (!take_file(n, s, file, &m))
			return false;
	} else if (embedded_names_find(n, m.mapped_as)) {
		return false;
	} else {
		hindex_add(&n->index, hash_bytes(m.mapped_as, strlen(m.mapped_as), 0), n->modules.nr);
	}
	vec_push(&n->modules, m);
	return true;
}

static int take_values(struct embedded_names *n, struct section *s, const struct span *span)
{
	struct embedded_part part;

	return part_at(s, span, &part) ? embedded_values_init(&n->values, part.data, part.size_bytes) : -EBADMSG;
}

int embedded_names_init(struct embedded_names *n, const void *data, size_t size)
{
	struct section s = { data, size, size };
	struct bytes b = bytes_of(data, size, false);
	const struct head *h = bytes_take(&b, sizeof(*h));
	const struct row *rows;
	const struct span *sources;
	const struct span *values;
	const struct file_row *files;
	const uint64_t *notes;
	uint32_t next_source = 0;

	memset(n, 0, sizeof(*n));
	if (!h || h->magic != MAGIC)
		return -EBADMSG;
	rows = bytes_has(&b, h->nr_modules, sizeof(*rows)) ? bytes_take(&b, h->nr_modules * sizeof(*rows)) : NULL;
	sources = bytes_has(&b, h->nr_sources, sizeof(*sources)) ? bytes_take(&b, h->nr_sources * sizeof(*sources)) : NULL;
	notes = bytes_has(&b, h->nr_notes, sizeof(*notes)) ? bytes_take(&b, h->nr_notes * sizeof(*notes)) : NULL;
	values = h->flags & EMBEDDED_VALUES ? bytes_take(&b, sizeof(*values)) : NULL;
	files = h->flags & EMBEDDED_FILES && bytes_has(&b, h->nr_modules, sizeof(*files)) ? bytes_take(&b, h->nr_modules * sizeof(*files))
											  : NULL;
	if (b.failed)
		return -EBADMSG;
	n->flags = h->flags & EMBEDDED_ALL;
	/* Modules point into the list of sources: that one is complete first. */
	for (uint32_t i = 0; i < h->nr_sources; i++)
		if (!part_at(&s, &sources[i], vec_add(&n->sources)))
			return -EBADMSG;
	for (uint32_t i = 0; i < h->nr_modules; i++)
		if (!take_module(n, &s, &rows[i], files ? &files[i] : NULL, &next_source))
			return -EBADMSG;
	for (uint32_t i = 0; i < h->nr_notes; i++) {
		const char *note = string_at(&s, notes[i]);

		if (!note)
			return -EBADMSG;
		vec_push(&n->notes, note);
	}
	return values ? take_values(n, &s, values) : 0;
}

void embedded_names_fini(struct embedded_names *n)
{
	vec_fini(&n->modules);
	vec_fini(&n->notes);
	vec_fini(&n->sources);
	vec_fini(&n->alike);
	embedded_values_fini(&n->values);
	hindex_fini(&n->index);
}

const struct embedded_module *embedded_names_find(const struct embedded_names *n, const char *mapped_as)
{
	struct hindex_iter it = hindex_find(&n->index, hash_bytes(mapped_as, strlen(mapped_as), 0));

	for (uint32_t id; (id = hindex_next(&it)) != HINDEX_NONE;)
		if (!(n->modules.v[id].flags & EMBEDDED_FILE) && !strcmp(n->modules.v[id].mapped_as, mapped_as))
			return &n->modules.v[id];
	return NULL;
}

/* Of those with one build-id any will do; one with symbols does best. */
static bool is_better(const struct embedded_module *f, const struct embedded_module *than, bool by_build_id)
{
	if (!than)
		return true;
	return by_build_id ? !than->symbols.data && f->symbols.data : f->file.since_ns > than->file.since_ns;
}

/* Maps that were read from /proc have no generation. */
static bool is_other_generation(const struct embedded_module *f, const struct record_mmap *m)
{
	return !m->build_id_size && f->file.generation && m->ino_generation && f->file.generation != m->ino_generation;
}

const struct embedded_module *embedded_names_find_file(const struct embedded_names *n, const struct record_mmap *m, uint64_t time_ns)
{
	const struct embedded_file like = { .major = m->maj, .minor = m->min, .inode = m->ino };
	const struct embedded_module *best = NULL;
	uint32_t id;

	if (!m->build_id_size && !m->ino)
		return NULL;
	id = find_first(n, m->build_id, m->build_id_size, &like);
	for (uint32_t nr = 0; nr < MAX_VERSIONS && id != HINDEX_NONE; nr++) {
		const struct embedded_module *f = &n->modules.v[id];

		if (!is_other_generation(f, m) && (m->build_id_size || f->file.since_ns <= time_ns) && is_better(f, best, m->build_id_size))
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

static void put_values(struct out *o, const struct embedded_values *values, size_t room)
{
	struct span span;
	struct out bytes;

	out_init(&bytes, -1);
	embedded_values_encode(values, &bytes);
	span = put_part(o, &(struct embedded_part){ bytes.buf, bytes.len });
	memcpy(o->buf + room, &span, sizeof(span));
	out_fini(&bytes);
}

void embedded_names_encode(const struct embedded_names *n, struct out *o)
{
	struct head h = { .magic = MAGIC, .flags = n->flags, .nr_modules = n->modules.nr, .nr_notes = n->notes.nr };
	size_t rows, sources, notes, values, files;
	uint32_t next_source = 0;

	for (uint32_t i = 0; i < n->modules.nr; i++)
		h.nr_sources += n->modules.v[i].nr_sources;
	h.flags = n->values.types.nr ? h.flags | EMBEDDED_VALUES : h.flags & ~(uint32_t)EMBEDDED_VALUES;
	h.flags &= ~(uint32_t)EMBEDDED_FILES;
	for (uint32_t i = 0; i < n->modules.nr; i++)
		h.flags |= n->modules.v[i].flags & EMBEDDED_FILE ? EMBEDDED_FILES : 0;
	out_mem(o, &h, sizeof(h));
	rows = put_room(o, h.nr_modules, sizeof(struct row));
	sources = put_room(o, h.nr_sources, sizeof(struct span));
	notes = put_room(o, h.nr_notes, sizeof(uint64_t));
	values = put_room(o, !!(h.flags & EMBEDDED_VALUES), sizeof(struct span));
	files = put_room(o, h.flags & EMBEDDED_FILES ? h.nr_modules : 0, sizeof(struct file_row));
	for (uint32_t i = 0; i < n->modules.nr; i++) {
		const struct embedded_module *m = &n->modules.v[i];
		struct row row = { .kind = m->kind, .flags = m->flags, .first_source = next_source, .nr_sources = m->nr_sources };

		memcpy(row.build_id, m->build_id, sizeof(row.build_id));
		row.build_id_size = m->build_id_size;
		row.mapped_as = put_string(o, m->mapped_as);
		row.path = put_string(o, m->path);
		row.symbols = put_part(o, &m->symbols);
		for (uint32_t k = 0; k < m->nr_sources; k++) {
			struct span span = put_part(o, &m->sources[k]);

			memcpy(o->buf + sources + next_source++ * sizeof(span), &span, sizeof(span));
		}
		memcpy(o->buf + rows + i * sizeof(row), &row, sizeof(row));
		if (h.flags & EMBEDDED_FILES) {
			struct file_row file = { m->file, put_part(o, &m->unwind), put_part(o, &m->functions) };

			memcpy(o->buf + files + i * sizeof(file), &file, sizeof(file));
		}
	}
	for (uint32_t i = 0; i < n->notes.nr; i++) {
		uint64_t off = put_string(o, n->notes.v[i]);

		memcpy(o->buf + notes + i * sizeof(off), &off, sizeof(off));
	}
	if (h.flags & EMBEDDED_VALUES)
		put_values(o, &n->values, values);
}
