/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Decoding and encoding kernel records along the table of record_shape.c.
 *
 * Fed with whole records of native order and the layout of the event they belong to; gives views
 * into them. It knows neither where records come from nor what they mean.
 */
#include "abi/record.h"

#include <errno.h>

#include "abi/put.h"
#include "abi/record_shape.h"
#include "abi/sample_fields.h"

/* MMAP2 says in misc which of the two it carries. */
static bool inode_decode(struct bytes *b, uint16_t misc, struct record_mmap *m)
{
	const uint8_t *id;

	if (!(misc & MISC_MMAP_BUILD_ID)) {
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

	if (!(misc & MISC_MMAP_BUILD_ID)) {
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
		return inode_decode(b, rec->header->misc, &rec->mmap);
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
	err = sample_id_decode(f ? l : &no_trailer, (const uint8_t *)h + h->size, body_size, &rec->id);
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
