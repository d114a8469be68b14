/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct budget: an allowance of units (bytes of memory, steps of work) by the bytes that are really there (io_bytes_present()), so that no
 * size that input claims decides what reading it costs. Where it ends, the reader reports what was cut and goes on or fails. For one
 * thread.
 */
#ifndef ASSAY_BASE_BUDGET_H
#define ASSAY_BASE_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

struct budget {
	uint64_t floor, factor, bytes_present;
	uint64_t taken;
	bool is_exhausted; /* something did not fit; stays set. What is smaller may still fit. */
};

/* The larger of `floor` units and `factor` units for each byte. `bytes_present` grows where input arrives in a stream: budget_extend(). */
static inline void budget_init(struct budget *b, uint64_t floor, uint64_t factor, uint64_t bytes_present)
{
	*b = (struct budget){ .floor = floor, .factor = factor, .bytes_present = bytes_present };
}

static inline void budget_extend(struct budget *b, uint64_t bytes)
{
	b->bytes_present = bytes > UINT64_MAX - b->bytes_present ? UINT64_MAX : b->bytes_present + bytes;
}

/* All units, taken or not. */
static inline uint64_t budget_limit(const struct budget *b)
{
	uint64_t units;

	if (__builtin_mul_overflow(b->factor, b->bytes_present, &units))
		units = UINT64_MAX;
	return units > b->floor ? units : b->floor;
}

static inline uint64_t budget_left(const struct budget *b)
{
	uint64_t limit = budget_limit(b);

	return limit > b->taken ? limit - b->taken : 0;
}

/* False where so many units are not left: then none is taken. */
static inline bool budget_take(struct budget *b, uint64_t n)
{
	if (n > budget_left(b)) {
		b->is_exhausted = true;
		return false;
	}
	b->taken += n;
	return true;
}

/* Memory that was returned can be taken again. */
static inline void budget_give(struct budget *b, uint64_t n)
{
	b->taken -= n < b->taken ? n : b->taken;
}

#endif
