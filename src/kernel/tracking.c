/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Splitting an attr in two and joining it again. It makes no system calls.
 */
#include "kernel/tracking.h"

#include "abi/sample.h"
#include "base/mem.h"

#define CONFIG_DUMMY 9

#define TRACKING_BITS                                                                              \
	(ATTR_MMAP | ATTR_MMAP2 | ATTR_MMAP_DATA | ATTR_COMM | ATTR_COMM_EXEC | ATTR_TASK |        \
	 ATTR_KSYMBOL | ATTR_BPF_EVENT | ATTR_NAMESPACES | ATTR_CGROUP | ATTR_BUILD_ID |           \
	 ATTR_CONTEXT_SWITCH)

/* When it runs, on whom, by which clock: as the event. */
#define SHARED_BITS                                                                                \
	(ATTR_DISABLED | ATTR_INHERIT | ATTR_ENABLE_ON_EXEC | ATTR_SAMPLE_ID_ALL |                 \
	 ATTR_USE_CLOCKID | ATTR_WATERMARK | ATTR_WRITE_BACKWARD)
#define EXCLUDE_BITS                                                                               \
	(ATTR_EXCLUDE_USER | ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV | ATTR_EXCLUDE_HOST |           \
	 ATTR_EXCLUDE_GUEST)

#define TRAILER_FIELDS                                                                             \
	(SAMPLE_TID | SAMPLE_TIME | SAMPLE_ID | SAMPLE_STREAM_ID | SAMPLE_CPU | SAMPLE_IDENTIFIER)

bool event_is_dummy(const struct attr *attr)
{
	return attr->type == ATTR_TYPE_SOFTWARE && attr->config == CONFIG_DUMMY;
}

bool tracking_split(struct event_list *list, struct event_spec *tracker)
{
	struct attr *a = list->events.nr ? &list->events.v[0].attr : NULL;

	/* Where another than the first one tracks, it is a dummy. */
	if (!a || !(a->flags & ATTR_TASK) || event_is_dummy(a))
		return false;
	tracker->attr = (struct attr){
		.type = ATTR_TYPE_SOFTWARE,
		.size = a->size,
		.config = CONFIG_DUMMY,
		.sample_type = a->sample_type & TRAILER_FIELDS,
		.read_format = READ_ID | READ_LOST,
		.flags = a->flags & (TRACKING_BITS | SHARED_BITS | EXCLUDE_BITS),
		.wakeup = a->flags & ATTR_WATERMARK ? a->wakeup : 0,
		.clockid = a->clockid,
	};
	tracker->name = mem_strdup("dummy");
	tracker->group_leader = -1;
	a->flags &= ~TRACKING_BITS;
	return true;
}

void tracking_follow(const struct event_list *list, struct event_spec *tracker)
{
	const struct attr *a = &list->events.v[0].attr;

	tracker->attr.flags &= ~EXCLUDE_BITS;
	tracker->attr.flags |= a->flags & EXCLUDE_BITS;
	tracker->attr.sample_type = a->sample_type & TRAILER_FIELDS;
}

void tracking_join(struct event_list *list, const struct event_spec *tracker)
{
	list->events.v[0].attr.flags |= tracker->attr.flags & TRACKING_BITS;
}
