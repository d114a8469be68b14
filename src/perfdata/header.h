/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Shared by reader and writer: the header (file or pipe mode, byte order, sections, events), feature sections (bytes ↔ struct
 * perfdata_info), compressed records.
 */
#ifndef ASSAY_PERFDATA_HEADER_H
#define ASSAY_PERFDATA_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/errbuf.h"
#include "base/out.h"
#include "perfdata/info.h"

#define HEADER_MAGIC 0x32454c4946524550ULL /* "PERFILE2" */
#define HEADER_SIZE_FILE 104u
#define HEADER_SIZE_PIPE 16u
#define HEADER_FEATURE_WORDS 4
#define HEADER_DATA_SIZE_OFF 48u /* of the data section's size field */

/* Features from this number on are assay's own. They have no bit in the header: perf inject writes every bit that it found, and crashes at
 * one that it does not know. The header's section of event types, which perf has not used since Linux 3.2 and passes over, leads to a magic
 * word and an entry for each of them. (Files of older versions of assay have bits.) */
#define HEADER_FIRST_OWN 192u
#define HEADER_OWN_MAGIC 0x4345535941535341ULL /* "ASSAYSEC" */
#define HEADER_OWN_MAX (HEADER_FEATURE_WORDS * 64u - HEADER_FIRST_OWN)

struct source_damage;

struct header_section {
	uint64_t off, size;
};

struct header_own_section {
	uint64_t feature, off, size;
};

struct header {
	bool swap;
	bool pipe;
	uint64_t attr_size;
	struct header_section attrs, data, own;
	uint64_t features[HEADER_FEATURE_WORDS];
};

/* Takes the first 16 bytes (`size`: how many there are). `path` is for the sentence. */
int header_decode_start(struct header *h, const void *start, size_t size, const char *path, struct errbuf *eb);
/* Reads the rest of a file-mode header. */
int header_read(struct header *h, int fd, uint64_t file_size, const char *path, struct errbuf *eb);
/* Fills info->events (without names). */
int header_read_events(const struct header *h, int fd, uint64_t file_size, const char *path, struct perfdata_info *info, struct errbuf *eb);
/* Whether all entries of the table behind the data lie in the file (of no features: false). */
bool header_features_fit(const struct header *h, int fd, uint64_t file_size);
/* Reads all feature sections; the damaged ones are left out, and `damage` says so. */
int header_read_features(const struct header *h, int fd, uint64_t file_size, const char *path, struct perfdata_info *info,
			 struct source_damage *damage, struct errbuf *eb);

/* Takes one section apart into `info` and sets its bit in info->features. A section we do not know (or of a version we do not know) is kept
 * in info->raw_features. -EBADMSG where it is damaged: its bit stays unset. NRCPUS must come before CPU_TOPOLOGY, events before EVENT_DESC:
 * the order of their numbers. */
int feature_decode(struct perfdata_info *info, uint32_t feature, struct bytes b);

/* One entry of the BUILD_ID table, in a pipe a HEADER_BUILD_ID record; `b` is behind the record header, in native order. */
int feature_decode_build_id(struct perfdata_info *info, uint16_t misc, struct bytes *b);

/* Appends the bytes of a feature. False: its bit is not set in info->features, or it holds offsets into its file. */
bool feature_encode(const struct perfdata_info *info, uint32_t feature, struct out *o);

/* The entry with its record header; type 0 in the table, RECORD_HEADER_BUILD_ID in a pipe. */
void feature_encode_build_id(const struct perfdata_build_id *e, uint32_t type, struct out *o);
#define FEATURE_BUILD_ID_SIZED (1u << 15) /* misc of an entry: its size byte counts */

/* Bytes of an attr in a file with these events: what perf 6.1 knows, more only where it is needed. */
uint32_t feature_attr_size(const struct perfdata_info *info);

/* Most features are a few fields, or a list of items of a few fields: one row for decoding and encoding. */
enum feature_field_kind { FIELD_NONE, FIELD_NOTHING, FIELD_U32, FIELD_U64, FIELD_STRING, FIELD_VERSION /* a u32 that is 1 */ };

struct feature_field {
	uint16_t kind;
	uint16_t at; /* offset */
};

struct feature_row {
	const char *name;
	struct feature_field fields[6]; /* of struct perfdata_info */
	uint16_t list_at, item_size;	/* a VEC in it, behind them; 0: none */
	struct feature_field item[8];
};
extern const struct feature_row feature_rows[FEAT_LAST];

static inline bool feature_is_row(const struct feature_row *row)
{
	return row->fields[0].kind != FIELD_NONE || row->list_at;
}

/* A VEC of any type. */
struct feature_list {
	uint8_t *v;
	uint32_t nr, cap;
};

static inline struct feature_list feature_list_of(const struct perfdata_info *info, const struct feature_row *row)
{
	struct feature_list l;

	memcpy(&l, (const uint8_t *)info + row->list_at, sizeof(l));
	return l;
}

/* "HOSTNAME"; NULL where unknown. */
const char *feature_name(uint32_t feature);

/* Packs records into COMPRESSED records, one zstd stream, cut into pieces; and unpacks them. perf unpacks each piece into a buffer whose
 * size the file names once (comp_mmap_len), and overflows it where a piece holds more: the stream is flushed after COMPRESS_CHUNK bytes of
 * input at the latest. */
#define COMPRESS_CHUNK (256u << 10)
#define COMPRESS_MMAP_LEN (1u << 20) /* what a piece unpacks to at most, with room to spare */

struct compress {
	void *stream;	/* ZSTD_CCtx */
	uint8_t *piece; /* the COMPRESSED record in the making, header first */
	size_t piece_size;
	uint32_t in_since_flush;
	/* Takes a finished record; 0 or a negative errno, which is passed on. */
	int (*emit)(void *ctx, const void *record, size_t size);
	void *ctx;
};

int compress_init(struct compress *c, int level);
void compress_fini(struct compress *c); /* a zeroed struct is fine */
int compress_add(struct compress *c, const void *data, size_t size);
/* Emits everything given so far. */
int compress_flush(struct compress *c);

/* Unpacks as much as there is room for, so that memory does not depend on how far the input inflates. */
struct decompress {
	void *stream;	   /* ZSTD_DStream; NULL until the first piece */
	const uint8_t *in; /* borrowed */
	size_t in_size, in_pos;
	bool more; /* the last piece may still give output */
};

/* A zeroed struct is ready. */
void decompress_fini(struct decompress *d);
/* The next stream (of another file) starts. */
void decompress_reset(struct decompress *d);
/* Gives the next piece, which must stay where it is until decompress_next() has returned 0. */
int decompress_feed(struct decompress *d, const void *data, size_t size);
/* Bytes put into `buf` (size > 0); 0 where the piece is used up; -EBADMSG where it is damaged. */
int64_t decompress_next(struct decompress *d, void *buf, size_t size);

#endif
