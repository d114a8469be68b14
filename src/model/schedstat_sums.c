/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Differences of counters, which wrap at their width, and means.
 */
#include "model/schedstat_sums.h"

#include <errno.h>

static bool is_same_line(const struct schedstat_row *a, const struct schedstat_row *b)
{
	return a->cpu == b->cpu && a->is_domain == b->is_domain && a->domain == b->domain;
}

static struct schedstat_row difference(uint32_t version, const struct schedstat_row *a, const struct schedstat_row *b)
{
	struct schedstat_row d = *b;

	for (uint32_t i = 0; i < schedstat_nr_values(version, a->is_domain); i++) {
		d.values[i] = b->values[i] - a->values[i];
		if (a->is_domain || i < 6)
			d.values[i] = (uint32_t)d.values[i];
	}
	return d;
}

static struct schedstat_row *mean_of(struct schedstat_sums *t, const struct schedstat_row *r)
{
	for (uint32_t i = 0; i < t->means.nr; i++)
		if (t->means.v[i].is_domain == r->is_domain && t->means.v[i].domain == r->domain)
			return &t->means.v[i];
	vec_push(&t->means, ((struct schedstat_row){ .is_domain = r->is_domain, .domain = r->domain }));
	return &t->means.v[t->means.nr - 1];
}

/* Domains are few, so that looking for one costs nothing; a file with more is not of a kernel. */
#define DOMAINS_MAX 64

static void add_means(struct schedstat_sums *t)
{
	for (uint32_t i = 0; i < t->rows.nr; i++) {
		struct schedstat_row *m = mean_of(t, &t->rows.v[i]);

		m->cpu++;
		for (uint32_t k = 0; k < SCHEDSTAT_MAX_VALUES; k++)
			m->values[k] += t->rows.v[i].values[k];
	}
	for (uint32_t i = 0; i < t->means.nr; i++)
		for (uint32_t k = 0; k < SCHEDSTAT_MAX_VALUES; k++)
			t->means.v[i].values[k] /= t->means.v[i].cpu;
}

int schedstat_sums_init(struct schedstat_sums *t, const struct schedstat *s, const char *path, struct errbuf *eb)
{
	uint32_t half = s->rows.nr / 2;

	*t = (struct schedstat_sums){ .version = s->version };
	if (s->rows.nr % 2 || !half)
		return errbuf_set(eb, -EBADMSG, "%s does not have two whole readings of /proc/schedstat", path);
	t->jiffies = s->rows.v[half].timestamp - s->rows.v[0].timestamp;
	for (uint32_t i = 0; i < half; i++) {
		const struct schedstat_row *a = &s->rows.v[i], *b = &s->rows.v[half + i];

		if (!is_same_line(a, b))
			return errbuf_set(eb, -EBADMSG, "%s: CPUs or domains changed between the two readings; record again", path);
		if (a->domain >= DOMAINS_MAX)
			return errbuf_set(eb, -EBADMSG, "%s: a domain has the number %u", path, a->domain);
		vec_push(&t->rows, difference(s->version, a, b));
	}
	add_means(t);
	return 0;
}

void schedstat_sums_fini(struct schedstat_sums *t)
{
	vec_fini(&t->rows);
	vec_fini(&t->means);
}
