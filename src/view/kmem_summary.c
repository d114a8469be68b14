/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The sums of all allocations.
 */
#include <stdlib.h>

#include "view/kmem_text.h"

/* The kernel's migrate types. */
static const char *const mobility_names[KMEM_NR_MOBILITIES] = { "Unmovable", "Movable", "Reclaimable", "HighAtomic", "CMA", "Isolated" };

const char *kmem_mobility_name(uint32_t mobility)
{
	return mobility < KMEM_NR_MOBILITIES ? mobility_names[mobility] : "unknown";
}

struct kmem_sums kmem_sums_of(const struct pair_sums *s)
{
	struct kmem_sums sums = { 0 };

	for (uint32_t i = 0; i < s->rows.nr; i++) {
		const struct pair_row *r = &s->rows.v[i];

		pair_amounts_add(&sums.all, &r->amounts);
		sums.nr_freed += r->figures.nr;
		sums.by_kind[r->order < KMEM_NR_ORDERS ? r->order : KMEM_NR_ORDERS]
			    [r->mobility < KMEM_NR_MOBILITIES ? r->mobility : KMEM_NR_MOBILITIES] += r->amounts.nr;
	}
	return sums;
}

/* Whether "0-3,7" has a number in it. */
static bool is_listed(const char *list, uint32_t nr)
{
	while (list && *list) {
		char *end;
		unsigned long from = strtoul(list, &end, 10), to = from;

		if (end == list)
			return false;
		if (*end == '-')
			to = strtoul(end + 1, &end, 10);
		if (nr >= from && nr <= to)
			return true;
		list = *end == ',' ? end + 1 : NULL;
	}
	return false;
}

uint64_t kmem_nr_far(const struct pair_sums *s)
{
	const struct perfdata_info *info = s->recording->info;
	uint64_t nr = 0;

	for (uint32_t i = 0; i < s->rows.nr; i++) {
		const struct pair_row *r = &s->rows.v[i];

		for (uint32_t n = 0; r->node >= 0 && n < info->numa_nodes.nr; n++)
			if (info->numa_nodes.v[n].node != (uint32_t)r->node && is_listed(info->numa_nodes.v[n].cpus, r->cpu))
				nr += r->amounts.nr;
	}
	return nr;
}

static void put_slab_summary(struct out *o, const struct pair_sums *s)
{
	const struct kmem_sums sums = kmem_sums_of(s);
	const struct pair_amounts *a = &sums.all;

	out_str(o, "SUMMARY (SLAB allocator)\n========================\n");
	out_printf(o, "Total bytes requested: %llu\n", (unsigned long long)a->wanted);
	out_printf(o, "Total bytes allocated: %llu\n", (unsigned long long)a->bytes);
	out_printf(o, "Total bytes freed:     %llu\n", (unsigned long long)a->freed);
	out_printf(o, "Net total bytes allocated: %llu\n", (unsigned long long)(a->bytes - a->freed));
	out_printf(o, "Total bytes wasted on internal fragmentation: %llu\n", (unsigned long long)(a->bytes - a->wanted));
	out_printf(o, "Internal fragmentation: %f%%\n", pair_amounts_waste(a));
	out_printf(o, "Cross CPU allocations: %llu/%llu\n\n", (unsigned long long)kmem_nr_far(s), (unsigned long long)a->nr);
}

static void put_requests(struct out *o, const char *what, uint64_t nr, uint64_t bytes)
{
	out_printf(o, "%-30s: %16llu   [ %16llu KB ]\n", what, (unsigned long long)nr, (unsigned long long)bytes / 1024);
}

static void put_kinds(struct out *o, const struct kmem_sums *s)
{
	out_str(o, "Order");
	for (int m = 0; m < KMEM_NR_MOBILITIES; m++)
		out_printf(o, "  %12s", mobility_names[m]);
	out_str(o, "\n-----");
	for (int m = 0; m < KMEM_NR_MOBILITIES; m++)
		out_printf(o, "  %12s", "------------");
	out_char(o, '\n');
	for (int i = 0; i < KMEM_NR_ORDERS; i++) {
		out_printf(o, "%5d", i);
		for (int m = 0; m < KMEM_NR_MOBILITIES; m++)
			if (s->by_kind[i][m])
				out_printf(o, "  %12llu", (unsigned long long)s->by_kind[i][m]);
			else
				out_printf(o, "  %12c", '.');
		out_char(o, '\n');
	}
	out_char(o, '\n');
}

static void put_page_summary(struct out *o, const struct pair_sums *s)
{
	const struct kmem_sums sums = kmem_sums_of(s);
	const struct pair_amounts *a = &sums.all;

	out_str(o, "SUMMARY (page allocator)\n========================\n");
	put_requests(o, "Total allocation requests", a->nr + s->failed.nr, a->bytes + s->failed.bytes);
	put_requests(o, "Total free requests", sums.nr_freed + s->alone.nr, a->freed + s->alone.freed);
	out_char(o, '\n');
	put_requests(o, "Total alloc+freed requests", sums.nr_freed, a->freed);
	put_requests(o, "Total alloc-only requests", a->nr - sums.nr_freed, a->bytes - a->freed);
	put_requests(o, "Total free-only requests", s->alone.nr, s->alone.freed);
	out_char(o, '\n');
	put_requests(o, "Total allocation failures", s->failed.nr, s->failed.bytes);
	out_char(o, '\n');
	put_kinds(o, &sums);
}

void kmem_text_summary(struct out *o, const struct pair_sums *s)
{
	(s->def->order ? put_page_summary : put_slab_summary)(o, s);
}
