/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A sorted array: lookups are far more frequent than changes, and processes have tens to hundreds of executable maps.
 */
#include "session/maps.h"

#include <string.h>

/* Index of the first map that ends behind `ip`. */
static uint32_t first_ending_behind(const struct map_set *s, uint64_t ip)
{
	uint32_t lo = 0, hi = s->maps.nr;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (s->maps.v[mid].end <= ip)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

const struct map *map_set_find(const struct map_set *s, uint64_t ip)
{
	uint32_t i = first_ending_behind(s, ip);

	return i < s->maps.nr && s->maps.v[i].start <= ip ? &s->maps.v[i] : NULL;
}

static struct map behind(const struct map *m, uint64_t start)
{
	struct map rest = *m;

	rest.pgoff += start - m->start;
	rest.start = start;
	return rest;
}

void map_set_add(struct map_set *s, const struct map *m)
{
	struct map pieces[3];
	uint32_t nr = 0, from, to;

	if (m->start >= m->end)
		return;
	from = first_ending_behind(s, m->start);
	for (to = from; to < s->maps.nr && s->maps.v[to].start < m->end; to++)
		;
	if (from < to && s->maps.v[from].start < m->start) {
		pieces[nr] = s->maps.v[from];
		pieces[nr++].end = m->start;
	}
	pieces[nr++] = *m;
	if (from < to && s->maps.v[to - 1].end > m->end)
		pieces[nr++] = behind(&s->maps.v[to - 1], m->end);

	vec_reserve(&s->maps, s->maps.nr + nr);
	memmove(s->maps.v + from + nr, s->maps.v + to, (s->maps.nr - to) * sizeof(*m));
	memcpy(s->maps.v + from, pieces, nr * sizeof(*m));
	s->maps.nr += nr;
	s->maps.nr -= to - from;
}

void map_set_fini(struct map_set *s)
{
	vec_fini(&s->maps);
}
