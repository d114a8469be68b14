/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Edit distance with a limit: a suggestion that is far off is worse than none.
 */
#include "base/suggest.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define SUGGEST_FARTHEST 3
#define SUGGEST_WHOLE 4 /* letters that a word needs to be seen in a longer one */

static size_t min_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t suggest_distance(const char *a, const char *b)
{
	size_t nr_a = strlen(a), nr_b = strlen(b);
	/* Three rows of the classic table: two back (for swaps), one back, current. */
	size_t *rows = mem_realloc(NULL, 3 * (nr_b + 1), sizeof(*rows));
	size_t *two = rows, *one = rows + nr_b + 1, *cur = rows + 2 * (nr_b + 1);
	size_t result;

	for (size_t j = 0; j <= nr_b; j++)
		one[j] = two[j] = j;
	for (size_t i = 1; i <= nr_a; i++) {
		size_t *oldest = two;

		cur[0] = i;
		for (size_t j = 1; j <= nr_b; j++) {
			size_t d = one[j - 1] + (a[i - 1] != b[j - 1]);

			d = min_size(d, min_size(one[j], cur[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				d = min_size(d, two[j - 2] + 1);
			cur[j] = d;
		}
		two = one;
		one = cur;
		cur = oldest;
	}
	result = one[nr_b];
	free(rows);
	return result;
}

void suggest_init(struct suggest *s, const char *typed)
{
	*s = (struct suggest){ .typed = typed, .best_distance = SIZE_MAX };
}

void suggest_init_part(struct suggest *s, const char *word, size_t len)
{
	suggest_init(s, s->part);
	len = min_size(len, sizeof(s->part) - 1);
	memcpy(s->part, word, len);
	s->part[len] = 0;
}

void suggest_offer(struct suggest *s, const char *known)
{
	size_t nr_typed = strlen(s->typed), nr_known = strlen(known);
	size_t limit = min_size(nr_typed > 3 ? nr_typed / 2 : 1, SUGGEST_FARTHEST);
	size_t gap = nr_known > nr_typed ? nr_known - nr_typed : nr_typed - nr_known;
	size_t distance = SIZE_MAX;

	if (nr_typed < 2)
		return;
	if (nr_known > nr_typed && !memcmp(known, s->typed, nr_typed))
		/* The beginning of a word is near to it, however long the rest. */
		distance = 1;
	else if (gap <= limit) /* keeps an argument of some 100 kB away from the quadratic part */
		distance = suggest_distance(s->typed, known);
	/* A word with something behind it (flamegraph for flame) is as far as anything may be. */
	if (distance > limit && nr_known >= SUGGEST_WHOLE && nr_typed > nr_known && !memcmp(known, s->typed, nr_known))
		distance = limit;
	if (distance <= limit && distance < s->best_distance) {
		s->best = known;
		s->best_distance = distance;
	}
}

int suggest_refuse(const struct suggest *s, const char *where, const char *what, const char *all, struct errbuf *eb)
{
	return errbuf_set(eb, -EINVAL, "%s: there is no %s '%s'%s%s%s (%s)", where, what, s->typed, s->best ? "; did you mean '" : "",
			  s->best ? s->best : "", s->best ? "'?" : "", all);
}
