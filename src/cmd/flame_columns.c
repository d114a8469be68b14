/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Several recordings for one picture.
 */
#include "cmd/flame_columns.h"

#include <string.h>

#include "view/svg_text.h"

/* The event that the first recording was drawn of; NULL: all. */
static const char *event_of(const struct flame_load *first)
{
	return first->options.event >= 0 ? first->event_names : first->event;
}

/* Filters are shared but for times in percent, which are of each recording. */
static int load_other(const struct flame_load *first, struct flame *f, const struct sides *s, uint32_t column, const struct input *like,
		      struct errbuf *eb)
{
	struct flame_load fl = { .options = first->options, .event = event_of(first), .inlines = first->inlines };
	struct input in = *like;
	int err;

	in.path = s->names.v[column];
	memset(&in.filter.times, 0, sizeof(in.filter.times));
	quality_init(&in.quality);
	in.quality_known = in.quality_shown = false;
	err = in.filter.time_arg ? filter_set_time(&in.filter, in.filter.time_arg, eb) : 0;
	if (!err)
		err = flame_load(&fl, f, column, &in, eb);
	vec_fini(&in.filter.times);
	quality_fini(&in.quality);
	flame_load_fini(&fl);
	return err;
}

int flame_columns_load(struct flame_load *fl, struct flame *f, const struct sides *s, struct input *in, uint32_t *nr_read, struct errbuf *eb)
{
	int first_err = 0;

	for (*nr_read = 0; *nr_read < s->names.nr; ++*nr_read) {
		struct errbuf one = { 0 };
		int err;

		if (!*nr_read) {
			in->path = s->names.v[0];
			err = flame_load(fl, f, 0, in, &one);
		} else {
			err = load_other(fl, f, s, *nr_read, in, &one);
		}
		/* Where nothing came of it there is nothing to compare. */
		if (err && (!first_err || !f->sum[*nr_read]))
			*eb = one;
		if (err && !f->sum[*nr_read])
			return err;
		first_err = first_err ? first_err : err;
	}
	return first_err;
}

static void put_side(struct out *o, const struct flame *f, const struct sides *s, uint32_t side)
{
	uint32_t nr = sides_count(s, side), first = 0;
	uint64_t nr_samples = 0;

	while (s->side_of.v[first] != side)
		first++;
	for (uint32_t i = 0; i < nr; i++)
		nr_samples += f->nr_samples[first + i];
	out_str(o, s->names.v[first]);
	if (nr > 1)
		out_printf(o, " and %u more", nr - 1);
	out_str(o, " (");
	svg_text_count(o, nr_samples);
	out_str(o, " samples)");
}

char *flame_columns_title(const struct flame *f, const struct sides *s, const struct flame_load *first)
{
	struct out o;

	out_init(&o, -1);
	put_side(&o, f, s, 0);
	out_str(&o, " → ");
	put_side(&o, f, s, 1);
	if (first->event_names)
		out_printf(&o, " · %s", first->event_names);
	out_char(&o, 0);
	return o.buf; /* changes hands */
}
