/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a record seldom needs.
 */
#include "session/intake.h"

#include "abi/python_sample.h"

void intake_fini(struct intake *in)
{
	order_fini(&in->order);
	vec_fini(&in->events);
}

void intake_finish(struct intake *in)
{
	if (in->is_ended)
		return;
	in->is_ended = true;
	in->waited_bytes = in->order.held_bytes;
	order_finish(&in->order);
}

uint64_t intake_drop(struct intake *in)
{
	uint64_t nr = in->order.queue.nr - in->order.next;

	order_drop(&in->order);
	in->is_ended = true;
	return nr;
}

void intake_see_bytes(struct intake *in)
{
	in->seen_bytes = in->source->present_bytes;
	if (in->sees_bytes)
		in->sees_bytes(in->sees_bytes_ctx);
}

uint64_t intake_find_time(const struct intake *in, const struct record_header *h, int32_t event)
{
	uint64_t time_ns = 0;

	if (event < 0 || !record_find_time(h, &in->info->events.v[event].layout, &time_ns))
		return 0;
	return time_ns == UINT64_MAX ? 0 : time_ns;
}

void intake_learn_events(struct intake *in, int32_t event)
{
	while (in->events.nr <= (uint32_t)event) {
		int32_t next = (int32_t)in->events.nr;
		const struct perfdata_event *e = &in->info->events.v[next];

		vec_push(&in->events, ((struct intake_event){
					      .places = sample_places_of(&e->layout),
					      .is_python = python_is_event(&e->attr, e->name) && !in->info->foreign_order,
					      .is_unwanted = in->wants_samples && !in->wants_samples(in->wants_samples_ctx, next),
				      }));
	}
}

void intake_learn_ids(struct intake *in, uint64_t nr)
{
	memset(in->last_ids, 0, sizeof(in->last_ids));
	in->nr_event_ids = nr;
	in->id_word = in->info->events.nr < 2 ? -1 : sample_id_word(in->info->events.v[0].layout.sample_type);
}
