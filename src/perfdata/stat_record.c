/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Offsets of masks are perf's: its structures are packed.
 */
#include "perfdata/stat_record.h"

#include <errno.h>
#include <string.h>

#include "base/bytes.h"

enum { TAG_AGGR = 0, TAG_INTERVAL = 1, TAG_SCALE = 2 };
#define UPDATE_TEXT_MAX 4095

enum { CPUS_LIST = 0, CPUS_MASK = 1, CPUS_RANGE = 2 };

static void put_header(struct out *o, uint32_t type, size_t body)
{
	struct record_header h = { .type = type, .size = (uint16_t)(sizeof(h) + body) };

	out_mem(o, &h, sizeof(h));
}

static void put_u64(struct out *o, uint64_t v)
{
	out_mem(o, &v, sizeof(v));
}

static void put_u16(struct out *o, uint16_t v)
{
	out_mem(o, &v, sizeof(v));
}

static struct bytes body_of(const struct record_header *h)
{
	return bytes_of(h + 1, h->size - sizeof(*h), false);
}

void stat_config_encode(struct out *o, const struct stat_config *c)
{
	const uint64_t terms[] = { TAG_AGGR, c->aggr, TAG_INTERVAL, c->interval_ms, TAG_SCALE, c->scale };

	put_header(o, RECORD_STAT_CONFIG, 8 + sizeof(terms));
	put_u64(o, sizeof(terms) / 16);
	out_mem(o, terms, sizeof(terms));
}

int stat_config_decode(const struct record_header *h, struct stat_config *c)
{
	struct bytes b = body_of(h);
	uint64_t nr = bytes_u64(&b);

	*c = (struct stat_config){ .aggr = STAT_AGGR_GLOBAL, .scale = true };
	if (!bytes_has(&b, nr, 16))
		return -EBADMSG;
	for (uint64_t i = 0; i < nr; i++) {
		uint64_t tag = bytes_u64(&b), value = bytes_u64(&b);

		if (tag == TAG_AGGR && value <= STAT_AGGR_NODE)
			c->aggr = (enum stat_aggr)value;
		else if (tag == TAG_INTERVAL)
			c->interval_ms = value;
		else if (tag == TAG_SCALE)
			c->scale = value != 0;
	}
	return 0;
}

void stat_count_encode(struct out *o, const struct stat_count *c)
{
	put_header(o, RECORD_STAT, 40);
	put_u64(o, c->id);
	out_mem(o, &c->cpu, 4);
	out_mem(o, &c->thread, 4);
	put_u64(o, c->value);
	put_u64(o, c->enabled);
	put_u64(o, c->running);
}

int stat_count_decode(const struct record_header *h, struct stat_count *c)
{
	struct bytes b = body_of(h);

	c->id = bytes_u64(&b);
	c->cpu = (int32_t)bytes_u32(&b);
	c->thread = bytes_u32(&b);
	c->value = bytes_u64(&b);
	c->enabled = bytes_u64(&b);
	c->running = bytes_u64(&b);
	return b.failed ? -EBADMSG : 0;
}

void stat_round_encode(struct out *o, const struct stat_round *r)
{
	put_header(o, RECORD_STAT_ROUND, 16);
	put_u64(o, r->is_final);
	put_u64(o, r->time_ns);
}

int stat_round_decode(const struct record_header *h, struct stat_round *r)
{
	struct bytes b = body_of(h);

	r->is_final = bytes_u64(&b) == 1;
	r->time_ns = bytes_u64(&b);
	return b.failed ? -EBADMSG : 0;
}

int stat_threads_encode(struct out *o, const struct stat_thread *threads, uint32_t nr)
{
	if (nr > STAT_THREADS_MAX)
		return -EMSGSIZE;
	put_header(o, RECORD_THREAD_MAP, 8 + (size_t)nr * (8 + STAT_COMM_SIZE));
	put_u64(o, nr);
	for (uint32_t i = 0; i < nr; i++) {
		char comm[STAT_COMM_SIZE] = "";

		memcpy(comm, threads[i].comm, STAT_COMM_SIZE - 1);
		out_mem(o, &threads[i].tid, 8);
		out_mem(o, comm, sizeof(comm));
	}
	return 0;
}

int64_t stat_threads_count(const struct record_header *h)
{
	struct bytes b = body_of(h);
	uint64_t nr = bytes_u64(&b);

	return bytes_has(&b, nr, 8 + STAT_COMM_SIZE) ? (int64_t)nr : -EBADMSG;
}

void stat_thread_get(const struct record_header *h, uint32_t index, struct stat_thread *t)
{
	struct bytes b = body_of(h);
	const char *comm;

	bytes_take(&b, 8 + (size_t)index * (8 + STAT_COMM_SIZE));
	t->tid = (int64_t)bytes_u64(&b);
	comm = bytes_take(&b, STAT_COMM_SIZE);
	memset(t->comm, 0, sizeof(t->comm));
	if (comm)
		memcpy(t->comm, comm, STAT_COMM_SIZE - 1);
}

int stat_cpus_encode(struct out *o, const int32_t *cpus, uint32_t nr)
{
	size_t size = 4 + (size_t)nr * 2, padded = (size + 7) & ~(size_t)7;

	if (nr > STAT_CPUS_MAX)
		return -EMSGSIZE;
	put_header(o, RECORD_CPU_MAP, padded);
	put_u16(o, CPUS_LIST);
	put_u16(o, (uint16_t)nr);
	for (uint32_t i = 0; i < nr; i++)
		put_u16(o, (uint16_t)cpus[i]);
	for (; size < padded; size += 2)
		put_u16(o, 0);
	return 0;
}

void stat_cpu_range_encode(struct out *o, uint32_t first, uint32_t last)
{
	put_header(o, RECORD_CPU_MAP, 8);
	put_u16(o, CPUS_RANGE);
	put_u16(o, 0); /* not any CPU */
	put_u16(o, (uint16_t)first);
	put_u16(o, (uint16_t)last);
}

static int cpus_decode_mask(struct bytes *b, void (*fn)(void *ctx, int32_t cpu), void *ctx)
{
	uint32_t nr = bytes_u16(b), word_size = bytes_u16(b);
	const uint8_t *mask;

	if (word_size != 4 && word_size != 8)
		return -EBADMSG;
	if (word_size == 8)
		bytes_take(b, 4);
	if (!bytes_has(b, nr, word_size))
		return -EBADMSG;
	mask = bytes_take(b, (size_t)nr * word_size);
	for (uint32_t bit = 0; mask && bit < nr * word_size * 8; bit++) {
		uint64_t word = 0;
		uint32_t word32;

		if (word_size == 8) {
			memcpy(&word, mask + bit / 64 * 8, 8);
			word >>= bit % 64;
		} else {
			memcpy(&word32, mask + bit / 32 * 4, 4);
			word = word32 >> bit % 32;
		}
		if (word & 1)
			fn(ctx, (int32_t)bit);
	}
	return 0;
}

int stat_cpus_decode(const struct record_header *h, void (*fn)(void *ctx, int32_t cpu), void *ctx)
{
	struct bytes b = body_of(h);
	uint32_t type = bytes_u16(&b), nr, first, last;

	switch (type) {
	case CPUS_LIST:
		nr = bytes_u16(&b);
		if (!bytes_has(&b, nr, 2))
			return -EBADMSG;
		for (uint32_t i = 0; i < nr; i++)
			fn(ctx, (int16_t)bytes_u16(&b));
		return 0;
	case CPUS_MASK:
		return cpus_decode_mask(&b, fn, ctx);
	case CPUS_RANGE:
		if (bytes_u8(&b))
			fn(ctx, -1);
		bytes_u8(&b);
		first = bytes_u16(&b);
		last = bytes_u16(&b);
		for (; !b.failed && first <= last; first++)
			fn(ctx, (int32_t)first);
		return b.failed ? -EBADMSG : 0;
	default:
		return -EBADMSG;
	}
}

void stat_update_encode(struct out *o, const struct stat_update *u)
{
	const bool is_text = u->kind != STAT_UPDATE_SCALE;
	const size_t len = is_text ? strnlen(u->text, UPDATE_TEXT_MAX) : sizeof(u->scale);
	/* perf has 24 bytes at least, and reads a text up to its NUL. */
	const size_t room = len < 24 ? 24 : (len + 8) & ~(size_t)7;

	put_header(o, RECORD_EVENT_UPDATE, 16 + room);
	put_u64(o, u->kind);
	put_u64(o, u->id);
	out_mem(o, is_text ? (const void *)u->text : &u->scale, len);
	for (size_t i = len; i < room; i++)
		out_char(o, 0);
}

int stat_update_decode(const struct record_header *h, struct stat_update *u)
{
	struct bytes b = body_of(h);
	uint64_t kind = bytes_u64(&b), bits;

	*u = (struct stat_update){ .id = bytes_u64(&b) };
	if (b.failed || kind > STAT_UPDATE_CPUS)
		return -EBADMSG;
	u->kind = (enum stat_update_kind)kind;
	if (u->kind == STAT_UPDATE_SCALE) {
		bits = bytes_u64(&b);
		memcpy(&u->scale, &bits, sizeof(u->scale));
	} else if (u->kind != STAT_UPDATE_CPUS) {
		u->text = bytes_str(&b, bytes_left(&b));
	}
	return b.failed ? -EBADMSG : 0;
}
