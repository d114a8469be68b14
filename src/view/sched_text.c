/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Times and names, as all views of `sched` print them.
 */
#include "view/sched_text.h"

#include "base/escape.h"

static void put_number(struct out *o, uint64_t whole, uint32_t part, int nr_digits, int width)
{
	char *p;

	out_u64(o, whole, width - nr_digits - 1);
	p = out_room(o, (size_t)nr_digits + 1);
	*p = '.';
	out_last_digits(p + 1, part, nr_digits);
	out_advance(o, (size_t)nr_digits + 1);
}

void sched_put_seconds(struct out *o, uint64_t ns, int width)
{
	put_number(o, ns / 1000000000, (uint32_t)(ns % 1000000000 / 1000), 6, width);
}

void sched_put_ms(struct out *o, uint64_t ns, int width)
{
	put_number(o, ns / 1000000, (uint32_t)(ns % 1000000 / 1000), 3, width);
}

void sched_put_comm(struct out *o, const struct timeline *t, const struct timeline_track *k)
{
	if (k->is_idle)
		out_str(o, "<idle>");
	else
		escape_terminal_str(o, machine_comm(t->machine, k->task));
}
