/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * "sched:sched_switch(prev_comm=…)", "minfault [main+0x1d] => /usr/bin/app@0x1234 (d.)".
 */
#include "view/trace_event.h"

#include <string.h>
#include <sys/mman.h>

#include "base/escape.h"

#define CONFIG_FAULTS 2
#define CONFIG_MINOR_FAULTS 5
#define CONFIG_MAJOR_FAULTS 6

static bool is_fault(const struct attr *a)
{
	return a->type == ATTR_TYPE_SOFTWARE && a->sample_type & SAMPLE_ADDR &&
	       (a->config == CONFIG_FAULTS || a->config == CONFIG_MINOR_FAULTS || a->config == CONFIG_MAJOR_FAULTS);
}

/* The code that faulted. */
static void put_code(struct out *o, struct profile *p, const struct session_record *sr)
{
	uint32_t location = profile_intern_location(p, sr->task, sr->rec.sample.ip, sr->header->misc & MISC_CPUMODE_MASK);
	const struct profile_frame *f = profile_frame_at(p, location);

	if (f->function) {
		escape_terminal_str(o, profile_str(p, f->function));
		out_str(o, "+0x");
		out_hex(o, p->locations.v[location].at.addr - f->start, 0);
	} else {
		out_str(o, "0x");
		out_hex(o, sr->rec.sample.ip, 0);
	}
}

static void put_fault(struct out *o, struct profile *p, const struct session_record *sr, const struct attr *a)
{
	const struct map *map = map_set_find(task_maps(sr->task), sr->rec.sample.addr);
	bool is_user = (sr->header->misc & MISC_CPUMODE_MASK) == MISC_USER;
	const struct location *at;
	uint32_t location;

	out_str(o, a->config == CONFIG_MAJOR_FAULTS ? "majfault [" : a->config == CONFIG_MINOR_FAULTS ? "minfault [" : "fault [");
	put_code(o, p, sr);
	out_str(o, "] => ");
	location = profile_intern_data(p, sr);
	at = &p->locations.v[location].at;
	if (map && at->dso != DSO_NONE) {
		escape_terminal_str(o, profile_dso(p, at->dso)->path);
		out_char(o, '@');
	}
	out_str(o, "0x");
	out_hex(o, map && at->dso != DSO_NONE ? at->addr : sr->rec.sample.addr, 0);
	out_str(o, " (");
	out_char(o, !map ? '?' : map->prot & PROT_EXEC ? 'x' : 'd');
	out_str(o, is_user ? ".)" : "k)");
}

void trace_event_line(struct trace_text *t, struct profile *p, const struct session_record *sr)
{
	const struct perfdata_event *event = &p->recording->info->events.v[sr->event];
	const struct traced what = { .task = sr->task, .end_ns = sr->time_ns, .cpu = sr->rec.sample.cpu };
	const char *text;

	trace_text_head(t, &what);
	if (is_fault(&event->attr)) {
		put_fault(t->o, p, sr, &event->attr);
	} else {
		escape_terminal_str(t->o, event->name);
		out_char(t->o, '(');
		text = recording_trace_text(p->recording, sr);
		if (text)
			escape_terminal_str(t->o, text);
		out_char(t->o, ')');
	}
	out_char(t->o, '\n');
}
