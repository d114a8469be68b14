/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Words that name the sides of a comparison: "A.data" is one recording, "A1,A2,A3" are several of the same thing.
 */
#ifndef ASSAY_CMD_SIDES_H
#define ASSAY_CMD_SIDES_H

#include <stdint.h>

#include "base/vec.h"

struct sides {
	uint32_t nr_sides;
	VEC(char *) names;	   /* of all recordings */
	VEC(uint32_t) side_of; /* by recording, rising from 0 */
};

/* A file whose name has a comma in it is one recording. */
void sides_add(struct sides *s, const char *word);
void sides_fini(struct sides *s);

/* How many recordings a side has. */
uint32_t sides_count(const struct sides *s, uint32_t side);

#endif
