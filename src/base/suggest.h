/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * "Did you mean": the nearest known word to a mistyped one.
 */
#ifndef ASSAY_BASE_SUGGEST_H
#define ASSAY_BASE_SUGGEST_H

#include <stddef.h>

#include "base/errbuf.h"

#define SUGGEST_PART_MAX 48

struct suggest {
	const char *typed;
	char part[SUGGEST_PART_MAX]; /* of suggest_init_part() */
	const char *best;	     /* the closest offer, borrowed (the first of equals); or NULL */
	size_t best_distance;
};

void suggest_init(struct suggest *s, const char *typed);
/* A word within a list: its first bytes are copied. `s` stays where it is from then on. */
void suggest_init_part(struct suggest *s, const char *word, size_t len);
void suggest_offer(struct suggest *s, const char *known);
/* Optimal string alignment distance (a swap of neighbours counts one). */
size_t suggest_distance(const char *a, const char *b);

/* "WHERE: there is no WHAT 'typed'; did you mean 'best'? (ALL)" into `eb`; -EINVAL. */
int suggest_refuse(const struct suggest *s, const char *where, const char *what, const char *all, struct errbuf *eb);

#endif
