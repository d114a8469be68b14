/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A growing array of any type:
 *
 * 	VEC(struct event) events = { 0 };
 * 	*vec_add(&events) = (struct event){ ... };
 * 	for (uint32_t i = 0; i < events.nr; i++) use(&events.v[i]);
 * 	vec_fini(&events);
 *
 * A pointer into it is valid until the next vec_add().
 */
#ifndef ASSAY_BASE_VEC_H
#define ASSAY_BASE_VEC_H

#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"

#define VEC(type)                                                                                                                          \
	struct {                                                                                                                           \
		type *v;                                                                                                                   \
		uint32_t nr;                                                                                                               \
		uint32_t cap;                                                                                                              \
	}

/* `need` is wide, so that a count that does not fit aborts instead of wrapping. */
uint32_t vec_next_cap(uint32_t cap, uint64_t need);

#define vec_reserve(vec, need)                                                                                                             \
	do {                                                                                                                               \
		if ((need) > (vec)->cap) {                                                                                                 \
			(vec)->cap = vec_next_cap((vec)->cap, (need));                                                                     \
			(vec)->v = mem_realloc((vec)->v, (vec)->cap, sizeof(*(vec)->v));                                                   \
		}                                                                                                                          \
	} while (0)

/* Adds an uninitialised item and gives its address. */
#define vec_add(vec)                                                                                                                       \
	({                                                                                                                                 \
		vec_reserve((vec), (vec)->nr + 1);                                                                                         \
		&(vec)->v[(vec)->nr++];                                                                                                    \
	})

#define vec_push(vec, item) (*vec_add(vec) = (item))

/* How many of `count` sorted items do not satisfy `is_above`, which asks about item number `i`: the index of the first that does. */
#define vec_search(count, i, is_above)                                                                                                     \
	({                                                                                                                                 \
		uint32_t lo_ = 0, hi_ = (count);                                                                                           \
		while (lo_ < hi_) {                                                                                                        \
			uint32_t i = lo_ + (hi_ - lo_) / 2;                                                                                \
			if (is_above)                                                                                                      \
				hi_ = i;                                                                                                   \
			else                                                                                                               \
				lo_ = i + 1;                                                                                               \
		}                                                                                                                          \
		lo_;                                                                                                                       \
	})

/* The order of two numbers: negative, 0 or positive. */
#define COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

/* For qsort() and bsearch(): items by their first member, a uint64_t or a uint32_t. */
static inline int compare_u64(const void *a, const void *b)
{
	return COMPARE(*(const uint64_t *)a, *(const uint64_t *)b);
}
static inline int compare_u32(const void *a, const void *b)
{
	return COMPARE(*(const uint32_t *)a, *(const uint32_t *)b);
}

/* qsort(), of an empty vector too. */
#define vec_sort(vec, compare)                                                                                                             \
	do {                                                                                                                               \
		if ((vec)->nr > 1)                                                                                                         \
			qsort((vec)->v, (vec)->nr, sizeof(*(vec)->v), compare);                                                            \
	} while (0)

#define vec_sort_r(vec, compare, ctx)                                                                                                      \
	do {                                                                                                                               \
		if ((vec)->nr > 1)                                                                                                         \
			qsort_r((vec)->v, (vec)->nr, sizeof(*(vec)->v), compare, (void *)(uintptr_t)(ctx));                                \
	} while (0)

/* vec_sort(), and keeps the first of equal items. */
#define vec_sort_unique(vec, compare)                                                                                                      \
	do {                                                                                                                               \
		uint32_t nr_ = 0;                                                                                                          \
		vec_sort(vec, compare);                                                                                                    \
		for (uint32_t i_ = 0; i_ < (vec)->nr; i_++)                                                                                \
			if (!nr_ || compare(&(vec)->v[nr_ - 1], &(vec)->v[i_]))                                                            \
				(vec)->v[nr_++] = (vec)->v[i_];                                                                            \
		(vec)->nr = nr_;                                                                                                           \
	} while (0)

/* Items with `start` and `end`, sorted and apart: the one around `at`, or NULL. */
#define vec_find_span(vec, at)                                                                                                             \
	({                                                                                                                                 \
		uint32_t above_ = vec_search((vec)->nr, i_, (vec)->v[i_].start > (at));                                                    \
		above_ && (at) < (vec)->v[above_ - 1].end ? &(vec)->v[above_ - 1] : NULL;                                                  \
	})

#define vec_fini(vec)                                                                                                                      \
	do {                                                                                                                               \
		free((vec)->v);                                                                                                            \
		(vec)->v = NULL;                                                                                                           \
		(vec)->nr = (vec)->cap = 0;                                                                                                \
	} while (0)

#endif
