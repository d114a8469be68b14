/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The order of a sample's plain fields, written once for decode, encode and swap; and what those
 * three share with the record codec. For this room alone.
 *
 * A sample is: the head fields; READ, CALLCHAIN, RAW, BRANCH_STACK, REGS_USER, STACK_USER; the cost
 * fields; REGS_INTR; the place fields; AUX.
 */
#ifndef ASSAY_ABI_SAMPLE_FIELDS_H
#define ASSAY_ABI_SAMPLE_FIELDS_H

#include "abi/put.h"
#include "abi/sample.h"
#include "abi/swap.h"

/* U64(bit, member), U32X2(bit, member, member), U32(bit, member) and four bytes unused. */
#define SAMPLE_HEAD_FIELDS(U64, U32X2, U32)                                                                                                \
	U64(SAMPLE_IDENTIFIER, id)                                                                                                         \
	U64(SAMPLE_IP, ip)                                                                                                                 \
	U32X2(SAMPLE_TID, pid, tid)                                                                                                        \
	U64(SAMPLE_TIME, time_ns)                                                                                                          \
	U64(SAMPLE_ADDR, addr)                                                                                                             \
	U64(SAMPLE_ID, id)                                                                                                                 \
	U64(SAMPLE_STREAM_ID, stream_id)                                                                                                   \
	U32(SAMPLE_CPU, cpu)                                                                                                               \
	U64(SAMPLE_PERIOD, period)

/* The kernel refuses both kinds of weight at once; there is one word for them. Its parts are
 * declared per byte order, so that the whole word swaps as a number; data_src likewise. */
#define SAMPLE_COST_FIELDS(U64)                                                                                                            \
	U64(SAMPLE_WEIGHT | SAMPLE_WEIGHT_STRUCT, weight)                                                                                  \
	U64(SAMPLE_DATA_SRC, data_src)                                                                                                     \
	U64(SAMPLE_TRANSACTION, transaction)

#define SAMPLE_PLACE_FIELDS(U64)                                                                                                           \
	U64(SAMPLE_PHYS_ADDR, phys_addr)                                                                                                   \
	U64(SAMPLE_CGROUP, cgroup)                                                                                                         \
	U64(SAMPLE_DATA_PAGE_SIZE, data_page_size)                                                                                         \
	U64(SAMPLE_CODE_PAGE_SIZE, code_page_size)

#define SAMPLE_HEAD_BITS                                                                                                                   \
	(SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_ADDR | SAMPLE_ID | SAMPLE_STREAM_ID | SAMPLE_CPU | SAMPLE_PERIOD)
#define SAMPLE_BLOCK_BITS                                                                                                                  \
	(SAMPLE_READ | SAMPLE_CALLCHAIN | SAMPLE_RAW | SAMPLE_BRANCH_STACK | SAMPLE_REGS_USER | SAMPLE_STACK_USER | SAMPLE_REGS_INTR |     \
	 SAMPLE_AUX)
#define SAMPLE_COST_BITS (SAMPLE_WEIGHT | SAMPLE_WEIGHT_STRUCT | SAMPLE_DATA_SRC | SAMPLE_TRANSACTION)
#define SAMPLE_PLACE_BITS (SAMPLE_PHYS_ADDR | SAMPLE_CGROUP | SAMPLE_DATA_PAGE_SIZE | SAMPLE_CODE_PAGE_SIZE)
_Static_assert((SAMPLE_HEAD_BITS | SAMPLE_BLOCK_BITS | SAMPLE_COST_BITS | SAMPLE_PLACE_BITS) == SAMPLE_ALL,
	       "every sample_type bit has a codec");

/* Words in one item of a READ group. */
static inline unsigned sample_read_item_words(uint64_t format)
{
	return 1 + !!(format & READ_ID) + !!(format & READ_LOST);
}

/* Words of the times, which follow the value (single) or the count (group). */
static inline unsigned sample_read_time_words(uint64_t format)
{
	return !!(format & READ_TOTAL_TIME_ENABLED) + !!(format & READ_TOTAL_TIME_RUNNING);
}

/* READ inside samples and in RECORD_READ. decode and swap return false where it does not fit. */
bool sample_read_decode(const struct sample_layout *l, struct bytes *b, struct sample_read *r);
void sample_read_encode(const struct sample_layout *l, struct put *p, const struct sample_read *r);
bool sample_read_swap(const struct sample_layout *l, struct swap *s);

/* The trailer, whose sample_id_size() bytes are known to be there. */
void sample_id_swap(const struct sample_layout *l, uint8_t *trailer);

#endif
