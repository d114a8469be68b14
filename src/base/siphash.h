/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * SipHash-2-4 (Aumasson, Bernstein 2012): a sum under a secret key of 16 bytes. Without the key it is not feasible to make bytes that have a
 * wanted sum, or two that have the same; hash_sum() (base/hash.h) is faster, and no hindrance to a forger.
 */
#ifndef ASSAY_BASE_SIPHASH_H
#define ASSAY_BASE_SIPHASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIPHASH_KEY_SIZE 16

struct siphash {
	uint64_t v[4];
	uint64_t size_bytes;
	uint8_t rest[8]; /* what does not fill a word yet */
};

void siphash_init(struct siphash *s, const uint8_t key[SIPHASH_KEY_SIZE]);
void siphash_add(struct siphash *s, const void *data, size_t size);
uint64_t siphash_sum(const struct siphash *s);
/* Of what an open file has; false where it cannot be read, or has not just `size` bytes. */
bool siphash_file(int fd, const uint8_t key[SIPHASH_KEY_SIZE], uint64_t size, uint64_t *sum);

#endif
