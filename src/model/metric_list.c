/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Listing the table of named metrics.
 */
#include "model/metrics.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/out.h"

static int compare_defs(const void *a, const void *b)
{
	const struct metric_def *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

static bool is_listed(const struct metric_list *l, const char *name)
{
	for (uint32_t i = 0; i < l->defs.nr; i++)
		if (!strcmp(l->defs.v[i]->name, name))
			return true;
	return false;
}

void metric_list_init(struct metric_list *l, metric_has_events_fn *has_events, void *ctx)
{
	*l = (struct metric_list){ 0 };
	for (const struct metric_def *d = metric_defs(); d->name; d++) {
		bool special = d->needs && *d->needs;

		if (!is_listed(l, d->name) && (!special || has_events(ctx, d->needs)))
			vec_push(&l->defs, d);
	}
	vec_sort(&l->defs, compare_defs);
}

void metric_list_fini(struct metric_list *l)
{
	vec_fini(&l->defs);
}

/* The nth name in "{x,y},z". */
static const char *event_name(const char *events, uint32_t nth, size_t *len)
{
	for (;; events += *len) {
		events += strspn(events, "{},");
		*len = strcspn(events, "{},");
		if (!nth-- || !*len)
			return events;
	}
}

const char *metric_expression(const struct metric_def *d, struct arena *arena)
{
	const char *text;
	struct out o;

	out_init(&o, -1);
	for (const char *s = d->formula; *s; s++) {
		size_t len;

		if (islower((unsigned char)*s)) {
			const char *name = event_name(d->events, (uint32_t)(*s - 'a'), &len);

			out_mem(&o, name, len);
		} else if (*s == 'S') {
			out_str(&o, "slots-per-cycle");
		} else {
			out_char(&o, *s);
		}
	}
	text = arena_str(arena, o.buf, o.len);
	out_fini(&o);
	return text;
}
