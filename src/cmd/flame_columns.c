/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Several recordings for one picture.
 */
#include "cmd/flame_columns.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "view/svg_text.h"

/* Filters are shared but for times, which are of each recording. What its stacks are worth counts with those of the first. */
static int load_other(const struct flame_load *first, struct flame *f, const struct sides *s, uint32_t column, struct input *like,
		      struct errbuf *eb)
{
	struct flame_load fl = { .options = first->options, .event = first->event, .like = first, .match = first->match, .inlines = first->inlines };
	char *time = sides_time_of(like->times, column);
	struct input in = *like;
	int err;

	in.path = s->names.v[column];
	memset(&in.filter.times, 0, sizeof(in.filter.times));
	quality_init(&in.quality);
	in.quality_known = in.quality_shown = false;
	err = time ? filter_set_time(&in.filter, time, eb) : 0;
	if (!err)
		err = flame_load(&fl, f, column, &in, eb);
	quality_merge(&like->quality, &in.quality);
	free(time);
	vec_fini(&in.filter.times);
	quality_fini(&in.quality);
	flame_load_fini(&fl);
	return err;
}

static int load_first(struct flame_load *fl, struct flame *f, const struct sides *s, struct input *in, struct errbuf *eb)
{
	char *time = sides_time_of(in->times, 0);
	int err = 0;

	in->path = s->names.v[0];
	if (time && strchr(in->times, ':'))
		err = filter_set_time(&in->filter, time, eb);
	if (!err)
		err = flame_load(fl, f, 0, in, eb);
	in->filter.time_arg = in->times; /* what the picture says */
	free(time);
	return err;
}

int flame_columns_load(struct flame_load *fl, struct flame *f, const struct sides *s, struct input *in, uint32_t *nr_read, struct errbuf *eb)
{
	int first_err = 0;

	for (*nr_read = 0; *nr_read < s->names.nr; ++*nr_read) {
		struct errbuf one = { 0 };
		int err;

		if (!*nr_read) {
			err = load_first(fl, f, s, in, &one);
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

static bool has_samples(const struct flame *f, const struct sides *s, uint32_t side)
{
	for (uint32_t i = 0; i < s->side_of.nr; i++)
		if (s->side_of.v[i] == side && f->sum[i])
			return true;
	return false;
}

uint32_t flame_columns_check(const struct flame *f, const struct sides *s, const struct flame_load *first, bool quiet)
{
	uint32_t empty = f->nr_columns;

	for (uint32_t i = 0; i < f->nr_columns; i++) {
		if (f->sum[i])
			continue;
		if (!has_samples(f, s, s->side_of.v[i]))
			empty = empty < i ? empty : i;
		else if (!quiet)
			log_warn("%s has no samples%s%s and is left out", s->names.v[i], first->event_names ? " of " : "",
				 first->event_names ? first->event_names : "");
	}
	return empty;
}

static void put_side(struct out *o, const struct flame *f, const struct sides *s, uint32_t side, const struct flame_load *first_load)
{
	uint32_t nr = sides_count(s, side), first = 0;
	uint64_t nr_samples = 0;

	while (s->side_of.v[first] != side)
		first++;
	for (uint32_t i = 0; i < nr; i++)
		nr_samples += first_load->is_sum ? f->sum[first + i] : f->nr_samples[first + i];
	out_str(o, s->names.v[first]);
	if (nr > 1)
		out_printf(o, " and %u more", nr - 1);
	out_str(o, " (");
	svg_text_scaled(o, nr_samples, first_load->factor);
	out_printf(o, " %s)", first_load->is_sum ? first_load->unit : "samples");
}

char *flame_columns_title(const struct flame *f, const struct sides *s, const struct flame_load *first)
{
	struct out o;

	out_init(&o, -1);
	put_side(&o, f, s, 0, first);
	out_str(&o, " → ");
	put_side(&o, f, s, 1, first);
	if (first->event_names)
		out_printf(&o, " · %s", first->event_names);
	out_char(&o, 0);
	return o.buf; /* changes hands */
}
