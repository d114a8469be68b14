/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How the growing array grows: by doubling, and never to a size whose `nr + 1` would wrap. The rest
 * of it is macros in vec.h.
 */
#include "base/vec.h"

uint32_t vec_next_cap(uint32_t cap, uint64_t need)
{
	/* One below the largest u32: the vec_add() that would wrap asks for more than this first.
	 *  */
	const uint64_t most = UINT32_MAX - 1;
	uint64_t next = cap < 8 ? 8 : (uint64_t)cap * 2;

	if (need > most)
		mem_die(SIZE_MAX);
	if (next < need)
		next = need;
	return (uint32_t)(next < most ? next : most);
}
