/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Two rounds for each word, four at the end. Words are little-endian.
 */
#include "base/siphash.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/mem.h"

#define READ_BYTES (1u << 18)

static inline uint64_t rotate(uint64_t v, unsigned int by)
{
	return v << by | v >> (64 - by);
}

static inline void round_once(uint64_t v[4])
{
	v[0] += v[1];
	v[2] += v[3];
	v[1] = rotate(v[1], 13) ^ v[0];
	v[3] = rotate(v[3], 16) ^ v[2];
	v[0] = rotate(v[0], 32);
	v[2] += v[1];
	v[0] += v[3];
	v[1] = rotate(v[1], 17) ^ v[2];
	v[3] = rotate(v[3], 21) ^ v[0];
	v[2] = rotate(v[2], 32);
}

static inline uint64_t load(const uint8_t *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof(word));
	return le64toh(word);
}

static inline void add_word(uint64_t v[4], uint64_t word)
{
	v[3] ^= word;
	round_once(v);
	round_once(v);
	v[0] ^= word;
}

void siphash_init(struct siphash *s, const uint8_t key[SIPHASH_KEY_SIZE])
{
	uint64_t a = load(key), b = load(key + 8);

	*s = (struct siphash){
		.v = { a ^ 0x736f6d6570736575ULL, b ^ 0x646f72616e646f6dULL, a ^ 0x6c7967656e657261ULL, b ^ 0x7465646279746573ULL },
	};
}

void siphash_add(struct siphash *s, const void *data, size_t size)
{
	size_t held = s->size_bytes % 8, take;
	uint64_t v[4] = { s->v[0], s->v[1], s->v[2], s->v[3] };
	const uint8_t *p = data;

	s->size_bytes += size;
	if (held) {
		take = size < 8 - held ? size : 8 - held;
		memcpy(s->rest + held, p, take);
		p += take;
		size -= take;
		if (held + take < 8)
			return;
		add_word(v, load(s->rest));
	}
	for (; size >= 8; p += 8, size -= 8)
		add_word(v, load(p));
	if (size)
		memcpy(s->rest, p, size);
	memcpy(s->v, v, sizeof(v));
}

uint64_t siphash_sum(const struct siphash *s)
{
	uint64_t v[4] = { s->v[0], s->v[1], s->v[2], s->v[3] };
	uint8_t last[8] = { 0 };

	memcpy(last, s->rest, s->size_bytes % 8);
	last[7] = (uint8_t)s->size_bytes;
	add_word(v, load(last));
	v[2] ^= 0xff;
	for (int i = 0; i < 4; i++)
		round_once(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

bool siphash_file(int fd, const uint8_t key[SIPHASH_KEY_SIZE], uint64_t size, uint64_t *sum)
{
	uint8_t *buf = mem_alloc(READ_BYTES);
	struct siphash s;
	uint64_t off = 0;
	ssize_t got;

	siphash_init(&s, key);
	while ((got = io_pread(fd, buf, READ_BYTES, off)) > 0) {
		siphash_add(&s, buf, (size_t)got);
		off += (uint64_t)got;
		if (off > size)
			break;
	}
	free(buf);
	*sum = siphash_sum(&s);
	return got >= 0 && off == size;
}
