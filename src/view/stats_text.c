/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The table of record counts: first of the whole file, then samples and losses of each event. What
 * is zero is left out, as perf leaves it out. Fed by the session's counters; it reads no record
 * itself.
 *
 * A COMPRESSED record counts, and so does each record that was packed into it.
 */
#include "view/stats_text.h"

#include <string.h>

#include "base/escape.h"

static const char *short_name(uint32_t type)
{
	static const char prefix[] = "PERF_RECORD_";
	const char *name = record_type_name(type);

	if (!name)
		return "UNKNOWN";
	return strncmp(name, prefix, sizeof(prefix) - 1) ? name : name + sizeof(prefix) - 1;
}

static void put_count(struct out *o, const char *name, uint64_t nr)
{
	out_printf(o, "%16s events: ", name);
	out_u64(o, nr, 10);
}

static void put_share(struct out *o, const char *name, uint64_t nr, uint64_t total)
{
	if (!nr)
		return;
	put_count(o, name, nr);
	out_printf(o, "  (%4.1f%%)\n", 100.0 * (double)nr / (double)total);
}

static void put_event(struct out *o, const char *name, uint64_t nr_samples, uint64_t nr_lost)
{
	if (!nr_samples && !nr_lost)
		return;
	escape_terminal(o, name, strlen(name));
	out_str(o, " stats:\n");
	if (nr_samples) {
		put_count(o, short_name(RECORD_SAMPLE), nr_samples);
		out_char(o, '\n');
	}
	if (nr_lost) {
		put_count(o, short_name(RECORD_LOST_SAMPLES), nr_lost);
		out_char(o, '\n');
	}
}

void stats_text(struct out *o, const struct recording *r, const uint64_t *nr_samples_by_event)
{
	const struct recording_stats *st = &r->stats;
	uint64_t nr_compressed = st->nr_compressed;
	uint64_t total = st->nr_records + nr_compressed;

	out_str(o, "\nAggregated stats:\n");
	put_count(o, "TOTAL", total);
	out_char(o, '\n');
	for (uint32_t type = 0; type < RECORD_TYPE_MAX; type++)
		put_share(o, short_name(type),
			  st->nr_by_type[type] + (type == RECORD_COMPRESSED ? nr_compressed : 0),
			  total);
	put_share(o, "UNKNOWN", st->nr_unknown_types, total);
	for (uint32_t i = 0; i < r->info->events.nr; i++)
		put_event(o, r->info->events.v[i].name, nr_samples_by_event[i],
			  recording_event_lost(r, i));
}
