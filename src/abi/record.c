/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What kernel records consist of, and decoding and encoding them along that table. A new record type is added here, in record.h (its enum
 * value and its struct) and in the tests.
 */
#include "abi/record.h"

#include <errno.h>
#include <string.h>

#include "abi/codec.h"

/* clang-format off */
#define F(kind, member) { FIELD_##kind, (uint16_t)offsetof(struct record, member) }
#define TASK_FIELDS { F(U32, task.pid), F(U32, task.ppid), F(U32, task.tid), F(U32, task.ptid), F(U64, task.time_ns) }
#define THROTTLE_FIELDS { F(U64, throttle.time_ns), F(U64, throttle.id), F(U64, throttle.stream_id) }
static const struct record_field shapes[][RECORD_FIELDS_MAX] = {
	[RECORD_MMAP] = {
		F(U32, mmap.pid), F(U32, mmap.tid), F(U64, mmap.start), F(U64, mmap.len), F(U64, mmap.pgoff), F(STRING, mmap.filename),
	},
	[RECORD_LOST] = { F(U64, lost.id), F(U64, lost.lost) },
	[RECORD_COMM] = { F(U32, comm.pid), F(U32, comm.tid), F(STRING, comm.comm) },
	[RECORD_EXIT] = TASK_FIELDS,
	[RECORD_THROTTLE] = THROTTLE_FIELDS,
	[RECORD_UNTHROTTLE] = THROTTLE_FIELDS,
	[RECORD_FORK] = TASK_FIELDS,
	[RECORD_READ] = { F(U32, read.pid), F(U32, read.tid), F(READ, read.read) },
	[RECORD_MMAP2] = {
		F(U32, mmap.pid), F(U32, mmap.tid), F(U64, mmap.start), F(U64, mmap.len), F(U64, mmap.pgoff), F(INODE, mmap.maj),
		F(U32, mmap.prot), F(U32, mmap.flags), F(STRING, mmap.filename),
	},
	[RECORD_AUX] = { F(U64, aux.offset), F(U64, aux.size), F(U64, aux.flags) },
	[RECORD_ITRACE_START] = { F(U32, pid_tid.pid), F(U32, pid_tid.tid) },
	[RECORD_LOST_SAMPLES] = { F(U64, lost.lost) },
	[RECORD_SWITCH] = { { FIELD_END, 0 } },
	[RECORD_SWITCH_CPU_WIDE] = { F(U32, pid_tid.pid), F(U32, pid_tid.tid) },
	[RECORD_NAMESPACES] = { F(U32, namespaces.pid), F(U32, namespaces.tid), F(ARRAY2, namespaces.nr) },
	[RECORD_KSYMBOL] = {
		F(U64, ksymbol.addr), F(U32, ksymbol.len), F(U16, ksymbol.ksym_type), F(U16, ksymbol.flags), F(STRING, ksymbol.name),
	},
	[RECORD_BPF_EVENT] = { F(U16, bpf_event.bpf_type), F(U16, bpf_event.flags), F(U32, bpf_event.id), F(TAG, bpf_event.tag) },
	[RECORD_CGROUP] = { F(U64, cgroup.id), F(STRING, cgroup.path) },
	[RECORD_TEXT_POKE] = { F(U64, text_poke.addr), F(U16, text_poke.old_len), F(U16, text_poke.new_len), F(CODE, text_poke.bytes) },
	[RECORD_AUX_OUTPUT_HW_ID] = { F(U64, hw_id.hw_id) },
	[RECORD_CALLCHAIN_DEFERRED] = { F(U64, deferred.cookie), F(ARRAY1, deferred.nr) },
};
/* clang-format on */

/* FIELD_ARRAY's pointer lies right behind its count. */
_Static_assert(offsetof(struct record_namespaces, items) == offsetof(struct record_namespaces, nr) + sizeof(uint64_t),
	       "count, then pointer");
_Static_assert(offsetof(struct record_callchain_deferred, ips) == offsetof(struct record_callchain_deferred, nr) + sizeof(uint64_t),
	       "count, then pointer");

const struct record_field *record_shape_find(uint32_t type)
{
	if (!type || type == RECORD_SAMPLE || type >= sizeof(shapes) / sizeof(shapes[0]))
		return NULL;
	return shapes[type];
}

/* As perf prints them, which for its own headers is not as it spells them. */
#define N(type) [RECORD_##type] = "PERF_RECORD_" #type
#define N_HEADER(type) [RECORD_HEADER_##type] = "PERF_RECORD_" #type
/* clang-format off */
static const char *const names[RECORD_TYPE_MAX] = {
	N(MMAP), N(LOST), N(COMM), N(EXIT), N(THROTTLE), N(UNTHROTTLE), N(FORK), N(READ), N(SAMPLE), N(MMAP2), N(AUX),
	N(ITRACE_START), N(LOST_SAMPLES), N(SWITCH), N(SWITCH_CPU_WIDE), N(NAMESPACES), N(KSYMBOL), N(BPF_EVENT), N(CGROUP),
	N(TEXT_POKE), N(AUX_OUTPUT_HW_ID), N(CALLCHAIN_DEFERRED),
	N_HEADER(ATTR), N_HEADER(EVENT_TYPE), N_HEADER(TRACING_DATA), N_HEADER(BUILD_ID), N(FINISHED_ROUND), N(ID_INDEX),
	N(AUXTRACE_INFO), N(AUXTRACE), N(AUXTRACE_ERROR), N(THREAD_MAP), N(CPU_MAP), N(STAT_CONFIG), N(STAT), N(STAT_ROUND),
	N(EVENT_UPDATE), N(TIME_CONV), N_HEADER(FEATURE), N(COMPRESSED), N(FINISHED_INIT), N(COMPRESSED2),
};
/* clang-format on */

const char *record_type_name(uint32_t type)
{
	return type < RECORD_TYPE_MAX ? names[type] : NULL;
}

#define MINOR_NUMBERS (1u << 20)

/* MMAP2 says in misc which of the two it carries. Linux (6.18) says so also to events that did not ask for build-ids, if another recorder's
 * event did: what they have is the inode all the same. Recorders and tools that add build-ids to a file leave its events as they are: most
 * are of 16 or 20 bytes, and no disk has such a major number; of others the first bytes are more than a minor number can be. */
static bool is_build_id(const struct bytes *b, const struct sample_layout *l, uint16_t misc)
{
	const uint8_t *id = b->pos;
	uint32_t minor;

	if (!(misc & MISC_MMAP_BUILD_ID) || bytes_left(b) < MMAP_INODE_SIZE)
		return false;
	memcpy(&minor, id + MMAP_BUILD_ID_OFFSET, sizeof(minor));
	if (l->has_build_ids || id[0] == 16 || id[0] == 20)
		return true;
	return id[0] >= sizeof(minor) && id[0] <= BUILD_ID_MAX && minor >= MINOR_NUMBERS;
}

static bool inode_decode(struct bytes *b, const struct sample_layout *l, uint16_t misc, struct record_mmap *m)
{
	const uint8_t *id;

	if (!is_build_id(b, l, misc)) {
		m->maj = bytes_u32(b);
		m->min = bytes_u32(b);
		m->ino = bytes_u64(b);
		m->ino_generation = bytes_u64(b);
		return !b->failed;
	}
	id = bytes_take(b, MMAP_INODE_SIZE);
	if (!id || id[0] > BUILD_ID_MAX)
		return false;
	m->build_id_size = id[0];
	memcpy(m->build_id, id + MMAP_BUILD_ID_OFFSET, id[0]);
	return true;
}

static void inode_encode(struct put *p, uint16_t misc, const struct record_mmap *m)
{
	uint8_t id[MMAP_INODE_SIZE] = { 0 };

	/* As above, misc may say what is not so. */
	if (!(misc & MISC_MMAP_BUILD_ID) || !m->build_id_size) {
		put_u32(p, m->maj);
		put_u32(p, m->min);
		put_u64(p, m->ino);
		put_u64(p, m->ino_generation);
		return;
	}
	id[0] = m->build_id_size;
	memcpy(id + MMAP_BUILD_ID_OFFSET, m->build_id, m->build_id_size);
	put_bytes(p, id, sizeof(id));
}

static bool array_decode(struct bytes *b, unsigned item_words, uint8_t *at)
{
	uint64_t nr = bytes_u64(b);
	const void *items;

	if (!bytes_has(b, nr, item_words * sizeof(uint64_t)))
		return false;
	items = bytes_take(b, nr * item_words * sizeof(uint64_t));
	memcpy(at, &nr, sizeof(nr));
	memcpy(at + sizeof(nr), &items, sizeof(items));
	return true;
}

static void array_encode(struct put *p, unsigned item_words, const uint8_t *at)
{
	const void *items;
	uint64_t nr;

	memcpy(&nr, at, sizeof(nr));
	memcpy(&items, at + sizeof(nr), sizeof(items));
	put_u64(p, nr);
	put_bytes(p, items, nr * item_words * sizeof(uint64_t));
}

static bool pointer_set(uint8_t *at, const void *p)
{
	memcpy(at, &p, sizeof(p));
	return p;
}

static const void *pointer_get(const uint8_t *at)
{
	const void *p;

	memcpy(&p, at, sizeof(p));
	return p;
}

static bool field_decode(const struct record_field *f, const struct sample_layout *l, struct bytes *b, struct record *rec)
{
	uint8_t *at = (uint8_t *)rec + f->at;
	const void *p;
	size_t size;

	switch (f->kind) {
	case FIELD_U16:
	case FIELD_U32:
	case FIELD_U64:
		size = f->kind == FIELD_U64 ? 8 : f->kind == FIELD_U32 ? 4 : 2;
		p = bytes_take(b, size);
		if (p)
			memcpy(at, p, size);
		return p;
	case FIELD_TAG:
		return pointer_set(at, bytes_take(b, 8));
	case FIELD_INODE:
		return inode_decode(b, l, rec->header->misc, &rec->mmap);
	case FIELD_STRING:
		return pointer_set(at, bytes_str(b, bytes_left(b)));
	case FIELD_READ:
		return sample_read_decode(l, b, &rec->read.read);
	case FIELD_ARRAY1:
	case FIELD_ARRAY2:
		return array_decode(b, record_field_item_words(f), at);
	case FIELD_CODE:
		size = (size_t)rec->text_poke.old_len + rec->text_poke.new_len;
		return pointer_set(at, bytes_take(b, size));
	default:
		return false;
	}
}

size_t record_end(const struct record_header *h, const struct sample_layout *l)
{
	const size_t name = sizeof(*h) + 16, code = sizeof(*h) + 12;
	const char *at = (const char *)h;
	size_t end = h->size;
	uint16_t len[2];

	if (h->type == RECORD_KSYMBOL && h->size > name) {
		end = name + ((strnlen(at + name, h->size - name) + 8) & ~(size_t)7);
	} else if (h->type == RECORD_BPF_EVENT) {
		end = sizeof(*h) + 16;
	} else if (h->type == RECORD_TEXT_POKE && h->size > code) {
		memcpy(len, at + code - sizeof(len), sizeof(len));
		end = (code + len[0] + len[1] + 7) & ~(size_t)7;
	} else {
		return h->size;
	}
	end += sample_id_size(l);
	return end < h->size ? end : h->size;
}

int record_decode(const struct record_header *h, const struct sample_layout *l, struct record *rec)
{
	static const struct sample_layout no_trailer;
	const struct record_field *f;
	struct bytes b;
	size_t body_size;
	int err;

	if (h->size < sizeof(*h))
		return -EBADMSG;
	rec->header = h;
	body_size = h->size - sizeof(*h);
	if (h->type == RECORD_SAMPLE)
		return sample_decode(l, h + 1, body_size, &rec->sample);

	memset(rec, 0, sizeof(*rec));
	rec->header = h;
	f = record_shape_find(h->type);
	body_size = record_end(h, l) - sizeof(*h);
	err = sample_id_decode(f ? l : &no_trailer, (const uint8_t *)(h + 1) + body_size, body_size, &rec->id);
	if (err || !f)
		return err;
	b = bytes_of(h + 1, body_size - sample_id_size(l), false);
	for (; f->kind != FIELD_END; f++) {
		if (!field_decode(f, l, &b, rec))
			return -EBADMSG;
	}
	return 0;
}

static int field_encode(const struct record_field *f, const struct sample_layout *l, struct put *p, const struct record *rec)
{
	const uint8_t *at = (const uint8_t *)rec + f->at;
	const char *str;

	switch (f->kind) {
	case FIELD_U16:
		put_bytes(p, at, 2);
		return 0;
	case FIELD_U32:
		put_bytes(p, at, 4);
		return 0;
	case FIELD_U64:
		put_bytes(p, at, 8);
		return 0;
	case FIELD_TAG:
		put_bytes(p, pointer_get(at), 8);
		return 0;
	case FIELD_INODE:
		if (rec->mmap.build_id_size > BUILD_ID_MAX)
			return -EINVAL;
		inode_encode(p, rec->header->misc, &rec->mmap);
		return 0;
	case FIELD_STRING:
		str = pointer_get(at);
		put_bytes(p, str, strlen(str) + 1);
		put_align8(p);
		return 0;
	case FIELD_READ:
		sample_read_encode(l, p, &rec->read.read);
		return 0;
	case FIELD_ARRAY1:
	case FIELD_ARRAY2:
		array_encode(p, record_field_item_words(f), at);
		return 0;
	case FIELD_CODE:
		put_bytes(p, pointer_get(at), (size_t)rec->text_poke.old_len + rec->text_poke.new_len);
		put_align8(p);
		return 0;
	default:
		return -EINVAL;
	}
}

static int64_t body_encode(const struct record *rec, const struct sample_layout *l, void *buf, size_t cap)
{
	const struct record_field *f = record_shape_find(rec->header->type);
	uint8_t trailer[8 * sizeof(uint64_t)];
	struct put p = { .buf = buf, .cap = cap };
	int err;

	if (rec->header->type == RECORD_SAMPLE)
		return sample_encode(l, &rec->sample, buf, cap);
	if (!f)
		return -EINVAL;
	for (; f->kind != FIELD_END; f++) {
		err = field_encode(f, l, &p, rec);
		if (err)
			return err;
	}
	put_bytes(&p, trailer, sample_id_encode(l, &rec->id, trailer));
	return p.len > cap ? -ENOSPC : (int64_t)p.len;
}

int64_t record_encode(const struct record *rec, const struct sample_layout *l, void *buf, size_t cap)
{
	struct record_header h = { .type = rec->header->type, .misc = rec->header->misc };
	int64_t size;

	if (cap < sizeof(h))
		return -ENOSPC;
	size = body_encode(rec, l, (uint8_t *)buf + sizeof(h), cap - sizeof(h));
	if (size < 0)
		return size;
	size += (int64_t)sizeof(h);
	if (size > UINT16_MAX)
		return -EINVAL;
	h.size = (uint16_t)size;
	memcpy(buf, &h, sizeof(h));
	return size;
}

bool record_word(const struct record_header *h, int word, uint64_t *value)
{
	if (word < 0 || (uint32_t)word >= (h->size - (uint32_t)sizeof(*h)) / 8)
		return false;
	memcpy(value, (const char *)(h + 1) + 8 * word, sizeof(*value));
	return true;
}

/* Of the trailer, counted from its end: 1 is the last word. */
static bool trailer_word(const struct record_header *h, const struct sample_layout *l, int word, uint64_t *value)
{
	size_t end = record_end(h, l);

	if (!l->id_all || word <= 0 || (uint32_t)word > (end - sizeof(*h)) / 8)
		return false;
	memcpy(value, (const char *)h + end - 8 * (size_t)word, sizeof(*value));
	return true;
}

bool record_find_time(const struct record_header *h, const struct sample_layout *l, uint64_t *time_ns)
{
	if (h->type == RECORD_SAMPLE)
		return record_word(h, sample_time_word(l->sample_type), time_ns);
	return trailer_word(h, l, trailer_time_word(l->sample_type), time_ns);
}

bool record_find_id(const struct record_header *h, const struct sample_layout *l, uint64_t *id)
{
	if (h->type == RECORD_SAMPLE)
		return record_word(h, sample_id_word(l->sample_type), id);
	return trailer_word(h, l, trailer_id_word(l->sample_type), id);
}
