/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * All sizes and offsets are checked against the file's real size; the sum of the sections may not exceed it either, so that overlapping
 * ones cannot multiply memory.
 */
#include "perfdata/header.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/io.h"
#include "base/mem.h"
#include "perfdata/reader.h"

/* What sections may add up to: the bytes that the file has, and some where it was copied with holes. */
#define SECTIONS_FLOOR (16u << 20)
#define SECTIONS_FACTOR 1u

#define MAGIC_OLD "PERFFILE" /* before Linux 3.2 */

static const char *guess(const uint8_t *p, size_t size)
{
	static const struct {
		const char *start;
		uint8_t len;
		const char *what;
	} known[] = {
		{ "\177ELF", 4, "an ELF file" },
		{ "\x1f\x8b", 2, "gzip data; unpack it first" },
		{ "\x28\xb5\x2f\xfd", 4, "zstd data; unpack it first" },
		{ "\3757zXZ", 5, "xz data; unpack it first" },
		{ "BZh", 3, "bzip2 data; unpack it first" },
		{ "PK\3\4", 4, "a zip archive" },
		{ "\027\010Dtracing", 10, "a trace.dat of trace-cmd" },
		{ MAGIC_OLD, 8, "a perf.data from before Linux 3.2, which is not supported" },
	};
	bool text = size > 0;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (size >= known[i].len && !memcmp(p, known[i].start, known[i].len))
			return known[i].what;
	for (size_t i = 0; i < size; i++)
		text = text && (p[i] >= ' ' || p[i] == '\n' || p[i] == '\t' || p[i] == '\r');
	return text ? "text" : NULL;
}

static bool is_magic_start(const void *start, size_t size)
{
	uint64_t native = HEADER_MAGIC, foreign = __builtin_bswap64(HEADER_MAGIC);

	return !memcmp(start, &native, size) || !memcmp(start, &foreign, size);
}

int header_decode_start(struct header *h, const void *start, size_t size, const char *path, struct errbuf *eb)
{
	struct bytes b = bytes_of(start, size, false);
	uint64_t magic, header_size;
	const char *what;

	memset(h, 0, sizeof(*h));
	if (!size)
		return errbuf_set(eb, -ENODATA, "%s is empty", path);
	if (size < sizeof(magic) && is_magic_start(start, size))
		return errbuf_set(eb, -ENODATA, "%s is cut inside its header, at offset %zu", path, size);
	magic = bytes_u64(&b);
	h->swap = magic == __builtin_bswap64(HEADER_MAGIC);
	if (b.failed || (magic != HEADER_MAGIC && !h->swap)) {
		what = guess(start, size);
		return errbuf_set(eb, -EBADMSG, "%s is not a perf.data file%s%s%s", path, what ? " (it looks like " : "", what ? what : "",
				  what ? ")" : "");
	}
	b.swap = h->swap;
	header_size = bytes_u64(&b);
	if (b.failed)
		return errbuf_set(eb, -ENODATA, "%s is cut inside its header, at offset %zu", path, size);
	h->pipe = header_size == HEADER_SIZE_PIPE;
	if (!h->pipe && header_size != HEADER_SIZE_FILE)
		return errbuf_set(eb, -EBADMSG, "%s: malformed header: its size, at offset 8, is %" PRIu64, path, header_size);
	return 0;
}

/* The bitmap is an array of longs of the recording machine. Read as 64-bit words it makes no sense for a foreign 32-bit machine; perf tells
 * by HOSTNAME, which every recorder writes. */
static void features_decode(struct header *h, struct bytes *b)
{
	for (int i = 0; i < HEADER_FEATURE_WORDS; i++)
		h->features[i] = bytes_u64(b);
	if (!h->swap || h->features[0] & 1ULL << FEAT_HOSTNAME)
		return;
	if (!(h->features[0] >> 32 & 1ULL << FEAT_HOSTNAME))
		return;
	for (int i = 0; i < HEADER_FEATURE_WORDS; i++)
		h->features[i] = h->features[i] >> 32 | h->features[i] << 32;
}

int header_read(struct header *h, int fd, uint64_t file_size, const char *path, struct errbuf *eb)
{
	uint8_t buf[HEADER_SIZE_FILE];
	ssize_t n = io_pread(fd, buf, sizeof(buf), 0);
	struct bytes b;

	if (n < 0)
		return errbuf_set(eb, (int)n, "cannot read %s: %s", path, strerror(-(int)n));
	if ((size_t)n < sizeof(buf))
		return errbuf_set(eb, -ENODATA, "%s is cut inside its header, at offset %zd", path, n);
	b = bytes_of(buf + 16, sizeof(buf) - 16, h->swap);
	h->attr_size = bytes_u64(&b);
	h->attrs.off = bytes_u64(&b);
	h->attrs.size = bytes_u64(&b);
	h->data.off = bytes_u64(&b);
	h->data.size = bytes_u64(&b);
	h->own.off = bytes_u64(&b);
	h->own.size = bytes_u64(&b);
	features_decode(h, &b);
	if (h->attr_size < ATTR_SIZE_VER0 + 16 || h->attr_size > 65536)
		return errbuf_set(eb, -EBADMSG, "%s: malformed header: the size of an event, at offset 16, is %" PRIu64, path,
				  h->attr_size);
	if (h->data.off < HEADER_SIZE_FILE)
		return errbuf_set(eb, -EBADMSG, "%s: malformed header: its data starts at %" PRIu64 " (offset 40)", path, h->data.off);
	if (h->data.off > file_size || (h->data.off == file_size && h->data.size))
		return errbuf_set(eb, -ENODATA,
				  "%s is cut before its first record: it ends at offset %" PRIu64 ", its data starts at %" PRIu64, path,
				  file_size, h->data.off);
	return 0;
}

static bool section_fits(const struct header_section *s, uint64_t file_size)
{
	return s->off <= file_size && s->size <= file_size - s->off;
}

/* Sections are read once each; those that overlap, or are mostly holes, end it. */
static void sections_budget(struct budget *b, int fd, uint64_t file_size)
{
	uint64_t present = io_bytes_present(fd, 0, file_size);

	budget_init(b, file_size < SECTIONS_FLOOR ? file_size : SECTIONS_FLOOR, SECTIONS_FACTOR, present);
}

/* Fresh memory with the section, which is known to fit the file. */
static int section_read(int fd, const struct header_section *s, const char *path, void **data, struct errbuf *eb)
{
	ssize_t n;

	*data = malloc(s->size ? s->size : 1);
	if (!*data)
		return errbuf_set(eb, -ENOMEM, "no memory for %" PRIu64 " bytes of %s", s->size, path);
	n = io_pread(fd, *data, s->size, s->off);
	if (n >= 0 && (uint64_t)n == s->size)
		return 0;
	free(*data);
	*data = NULL;
	if (n >= 0)
		return errbuf_set(eb, -ENODATA, "%s became shorter while it was read", path);
	return errbuf_set(eb, (int)n, "cannot read %s: %s", path, strerror(-(int)n));
}

static int event_read_ids(const struct header *h, int fd, const struct header_section *s, const char *path, struct perfdata_info *info,
			  struct perfdata_event *e, struct errbuf *eb)
{
	struct bytes b;
	void *data;
	int err;

	e->nr_ids = (uint32_t)(s->size / 8);
	if (!e->nr_ids)
		return 0;
	err = section_read(fd, s, path, &data, eb);
	if (err)
		return err;
	b = bytes_of(data, s->size, h->swap);
	e->ids = arena_alloc(&info->arena, e->nr_ids * sizeof(e->ids[0]));
	for (uint32_t i = 0; i < e->nr_ids; i++)
		e->ids[i] = bytes_u64(&b);
	free(data);
	return 0;
}

int header_read_events(const struct header *h, int fd, uint64_t file_size, const char *path, struct perfdata_info *info, struct errbuf *eb)
{
	uint64_t nr = h->attrs.size / h->attr_size;
	struct budget sections;
	struct bytes b;
	void *data;
	int err;

	if (!section_fits(&h->attrs, file_size))
		return errbuf_set(eb, -EBADMSG,
				  "%s: malformed header: its events (%" PRIu64 " bytes at %" PRIu64
				  ", offset 24) reach past the end of the file at %" PRIu64,
				  path, h->attrs.size, h->attrs.off, file_size);
	if (!nr || h->attrs.size % h->attr_size)
		return errbuf_set(eb, -EBADMSG,
				  "%s: malformed header: the %" PRIu64 " bytes of its events (offset 32) are no multiple of %" PRIu64, path,
				  h->attrs.size, h->attr_size);
	sections_budget(&sections, fd, file_size);
	if (!budget_take(&sections, h->attrs.size))
		return errbuf_set(eb, -EFBIG, "%s: its events take %" PRIu64 " MB, of which the file has only holes", path,
				  h->attrs.size >> 20);
	err = section_read(fd, &h->attrs, path, &data, eb);
	if (err)
		return err;
	b = bytes_of(data, h->attrs.size, h->swap);
	for (uint64_t i = 0; i < nr && !err; i++) {
		struct perfdata_event e = { 0 };
		struct header_section ids;

		err = attr_decode_slot(&b, h->attr_size - 16, &e.attr);
		ids.off = bytes_u64(&b);
		ids.size = bytes_u64(&b);
		if (!err && (!section_fits(&ids, file_size) || !budget_take(&sections, ids.size) || ids.size / 8 > UINT32_MAX))
			err = -EBADMSG;
		if (err) {
			errbuf_set(eb, err, "%s: malformed event %" PRIu64 " at offset %" PRIu64, path, i, h->attrs.off + i * h->attr_size);
			break;
		}
		e.layout = sample_layout_of(&e.attr);
		err = event_read_ids(h, fd, &ids, path, info, &e, eb);
		if (!err)
			vec_push(&info->events, e);
	}
	free(data);
	return err;
}

/* The features that are damaged: the first of them, and how many there are. */
struct bad_features {
	uint32_t nr, feature;
	uint64_t off;
};

static void bad_features_add(struct bad_features *bad, uint32_t feature, uint64_t off)
{
	if (bad->nr++)
		return;
	bad->feature = feature;
	bad->off = off;
}

static void bad_features_tell(const struct bad_features *bad, const char *path, struct source_damage *damage)
{
	const char *name = feature_name(bad->feature);
	char number[16], more[32] = "";

	if (!bad->nr)
		return;
	snprintf(number, sizeof(number), "%" PRIu32, bad->feature);
	if (bad->nr > 1)
		snprintf(more, sizeof(more), " and %" PRIu32 " more", bad->nr - 1);
	damage->err = -EBADMSG;
	damage->file_off = bad->off;
	snprintf(damage->text, sizeof(damage->text), "%s is damaged at offset %" PRIu64 ": its feature %s%s cannot be read and %s left out",
		 path, bad->off, name ? name : number, more, bad->nr > 1 ? "are" : "is");
}

bool header_features_fit(const struct header *h, int fd, uint64_t file_size)
{
	uint64_t off = h->data.off + h->data.size;
	uint32_t nr = 0;

	for (int i = 0; i < HEADER_FEATURE_WORDS; i++)
		nr += (uint32_t)__builtin_popcountll(h->features[i]);
	for (uint32_t i = 0; i < nr; i++, off += 16) {
		uint8_t entry[16];
		struct bytes b = bytes_of(entry, sizeof(entry), h->swap);
		struct header_section s;

		if (io_pread(fd, entry, sizeof(entry), off) != sizeof(entry))
			return false;
		s.off = bytes_u64(&b);
		s.size = bytes_u64(&b);
		if (!section_fits(&s, file_size) || s.off < HEADER_SIZE_FILE)
			return false;
	}
	return nr > 0;
}

struct feature_reading {
	const struct header *h;
	int fd;
	uint64_t file_size;
	struct budget sections; /* what all together may have */
	const char *path;
	struct perfdata_info *info;
	struct bad_features bad;
	struct errbuf *eb;
};

static int feature_read(struct feature_reading *r, uint32_t feature, const struct header_section *s, uint64_t entry_off)
{
	void *data;
	int err;

	if (!section_fits(s, r->file_size) || !budget_take(&r->sections, s->size)) {
		bad_features_add(&r->bad, feature, entry_off);
		return 0;
	}
	err = section_read(r->fd, s, r->path, &data, r->eb);
	if (err)
		return err;
	if (feature_decode(r->info, feature, bytes_of(data, s->size, r->h->swap)))
		bad_features_add(&r->bad, feature, s->off);
	free(data);
	return 0;
}

/* The features that have no bit. What does not begin with the magic word is an old perf's, or nothing. */
static int own_features_read(struct feature_reading *r)
{
	const struct header_section *own = &r->h->own;
	uint8_t table[8 + HEADER_OWN_MAX * sizeof(struct header_own_section)];
	size_t size = own->size < sizeof(table) ? own->size : sizeof(table);
	struct bytes b = bytes_of(table, size, r->h->swap);
	int err = 0;

	if (!size || !section_fits(own, r->file_size) || io_pread(r->fd, table, size, own->off) != (ssize_t)size ||
	    bytes_u64(&b) != HEADER_OWN_MAGIC)
		return 0;
	while (!err && bytes_left(&b) >= sizeof(struct header_own_section)) {
		uint64_t entry_off = own->off + (size - bytes_left(&b)), feature = bytes_u64(&b);
		struct header_section s;

		s.off = bytes_u64(&b);
		s.size = bytes_u64(&b);
		if (feature >= HEADER_FIRST_OWN && feature < HEADER_FIRST_OWN + HEADER_OWN_MAX)
			err = feature_read(r, (uint32_t)feature, &s, entry_off);
	}
	return err;
}

int header_read_features(const struct header *h, int fd, uint64_t file_size, const char *path, struct perfdata_info *info,
			 struct source_damage *damage, struct errbuf *eb)
{
	struct feature_reading r = {
		.h = h,
		.fd = fd,
		.file_size = file_size,
		.path = path,
		.info = info,
		.eb = eb,
	};
	uint64_t entry_off = h->data.off + h->data.size; /* the caller knows that it fits */
	int err = 0;

	sections_budget(&r.sections, fd, file_size);
	for (uint32_t feature = 0; feature < HEADER_FEATURE_WORDS * 64 && !err; feature++) {
		struct header_section s;
		uint8_t entry[16];
		struct bytes b;

		if (!(h->features[feature / 64] & 1ULL << feature % 64))
			continue;
		b = bytes_of(entry, sizeof(entry), h->swap);
		if (io_pread(fd, entry, sizeof(entry), entry_off) != sizeof(entry)) {
			bad_features_add(&r.bad, feature, entry_off);
			continue;
		}
		s.off = bytes_u64(&b);
		s.size = bytes_u64(&b);
		err = feature_read(&r, feature, &s, entry_off);
		entry_off += sizeof(entry);
	}
	if (!err)
		err = own_features_read(&r);
	bad_features_tell(&r.bad, path, damage);
	return err;
}
