/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How a file says that user stacks were walked while they were recorded: in its attrs and in the chains, so that it holds in a pipe too,
 * and in a form that other readers ignore.
 *
 * The attr: sample_type has call chains and neither registers nor stack, but the sizes of the dump (sample_regs_user, sample_stack_user)
 * and exclude_callchain_user are as they were for the kernel. The user part of such a chain has addresses inside the calls (or exact ones,
 * around signals), never return addresses.
 *
 * The chain: as many CHAIN_USER marks behind its last address as enum walked_end says. Versions of assay that do not know a number of marks
 * read it as broken.
 */
#ifndef ASSAY_ABI_WALKED_H
#define ASSAY_ABI_WALKED_H

#include "abi/attr.h"
#include "abi/sample.h"

enum walked_end {
	WALKED_COMPLETE,  /* to a function without a caller */
	WALKED_TRUNCATED, /* as far as the dump went */
	WALKED_BROKEN,	  /* the next caller could not be found */
	WALKED_LIMIT,	  /* as many addresses as are recorded of one stack */
	WALKED_NO_STACK,  /* there was none: in the middle of an exec */
	WALKED_GUESSED,	  /* complete, but a step was guessed: frames may be missing */
	WALKED_GUESSED_BROKEN,
	WALKED_SMALL_DUMP, /* as far as the dump went, which was smaller than the attr says: larger ones exceeded a budget */
	WALKED_NR_ENDS,
};

static inline bool attr_is_walked(const struct attr *a)
{
	return (a->sample_type & (SAMPLE_CALLCHAIN | SAMPLE_REGS_USER | SAMPLE_STACK_USER)) == SAMPLE_CALLCHAIN && a->sample_regs_user &&
	       a->sample_stack_user && a->flags & ATTR_EXCLUDE_CHAIN_USER;
}

/* How many words of a chain are left without the marks of its end; *end: what they say. */
static inline uint64_t walked_chain_end(const uint64_t *ips, uint64_t nr, enum walked_end *end)
{
	uint64_t left = nr;

	while (left && ips[left - 1] == CHAIN_USER)
		left--;
	*end = nr - left < WALKED_NR_ENDS ? (enum walked_end)(nr - left) : WALKED_BROKEN;
	return left;
}

#endif
