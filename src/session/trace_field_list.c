/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The fields that a recording has, for sentences about one that it has not.
 */
#include <string.h>

#include "base/mem.h"
#include "base/out.h"
#include "base/suggest.h"
#include "session/field_filter.h"

#define MAX_LISTED_EVENTS 6

static void list_event(struct out *o, const struct recording *r, uint32_t event, struct suggest *s)
{
	const struct perfdata_event *e = &r->info->events.v[event];
	uint32_t nr;
	const struct trace_field *f = tracepoints_fields(r->tracepoints, e->attr.config, &nr);

	out_printf(o, "%s%s has", o->len ? "; " : "", e->name);
	for (uint32_t i = 0; i < nr; i++) {
		suggest_offer(s, f[i].name);
		if (!f[i].is_common)
			out_printf(o, " %s", f[i].name);
	}
}

char *trace_field_list(const struct recording *r, const char *typed, bool (*wants)(const void *ctx, uint32_t event), const void *ctx,
		       char **nearest)
{
	uint32_t nr_listed = 0, nr_more = 0;
	struct suggest s;
	struct out o;

	out_init(&o, -1);
	suggest_init(&s, typed);
	for (uint32_t i = 0; i < r->info->events.nr; i++) {
		if (r->info->events.v[i].attr.type != ATTR_TYPE_TRACEPOINT || (wants && !wants(ctx, i)))
			continue;
		if (nr_listed++ < MAX_LISTED_EVENTS)
			list_event(&o, r, i, &s);
		else
			nr_more++;
	}
	if (nr_more)
		out_printf(&o, "; and %u more events have fields", nr_more);
	*nearest = s.best ? mem_strdup(s.best) : NULL;
	if (!o.len) {
		out_fini(&o);
		return NULL;
	}
	out_char(&o, 0);
	return o.buf; /* changes hands */
}
