/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct pairing: which begin belongs to which end. Begins wait under a key of a few numbers until an end of the same key comes.
 *
 * Memory is bounded: when too many begins wait, the oldest is given up and counted. It knows nothing of events and fields: whoever feeds it
 * makes numbers of them.
 */
#ifndef ASSAY_MODEL_PAIRING_H
#define ASSAY_MODEL_PAIRING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

#define PAIRING_MAX_KEYS 4
#define PAIRING_MAX_OPEN (1u << 20) /* begins that wait at the same time: 64 MB of them */

struct pairing_entry {
	uint64_t key[PAIRING_MAX_KEYS];
	uint64_t time_ns;
	uint32_t hash;
	uint32_t older, newer; /* by time of begin; a free one: `newer` is the next free */
	uint32_t tag;
};

struct pairing {
	uint32_t nr_keys, max_open;
	VEC(struct pairing_entry) entries;
	uint32_t *slots; /* entry + 1, or 0; linear probing, at most half full */
	uint32_t mask;
	uint32_t oldest, newest, first_free;
	uint32_t nr_open;
	uint64_t nr_pairs;
	uint64_t nr_replaced; /* begins whose key began again before it ended */
	uint64_t nr_given_up; /* begins that had to make room */
	uint64_t nr_ends_alone;
	uint64_t nr_backwards; /* ends that are older than their begin */
};

/* Keys of `nr_keys` numbers, 1 to PAIRING_MAX_KEYS. `max_open` 0: PAIRING_MAX_OPEN. */
void pairing_init(struct pairing *p, uint32_t nr_keys, uint32_t max_open);
void pairing_fini(struct pairing *p);

/* `tag` is handed back with the pair. */
void pairing_begin(struct pairing *p, const uint64_t *key, uint64_t time_ns, uint32_t tag);
/* True for a pair: how long it took and the begin's tag. */
bool pairing_end(struct pairing *p, const uint64_t *key, uint64_t time_ns, uint64_t *took_ns, uint32_t *tag);

#endif
