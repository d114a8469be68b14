/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * "Did you mean": the nearest known word to a mistyped one.
 */
#ifndef ASSAY_BASE_SUGGEST_H
#define ASSAY_BASE_SUGGEST_H

#include <stddef.h>

struct suggest {
	const char *typed;
	const char *best; /* the closest offer, borrowed (the first of equals); or NULL */
	size_t best_distance;
};

void suggest_init(struct suggest *s, const char *typed);
void suggest_offer(struct suggest *s, const char *known);
/* Optimal string alignment distance (a swap of neighbours counts one). */
size_t suggest_distance(const char *a, const char *b);

#endif
