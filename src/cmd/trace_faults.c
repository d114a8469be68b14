/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * assay trace -F with -s or -S: page faults summed up.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "cmd/trace.h"
#include "view/fault_text.h"

#define DEFAULT_ROWS 20 /* of a table */

int trace_faults_start(struct trace_command *c, struct session *s, struct errbuf *eb)
{
	if (!c->events.faults || !trace_has_summary(c))
		return 0;
	c->fault_profile = mem_alloc(sizeof(*c->fault_profile));
	profile_init(c->fault_profile, &s->machine, &s->recording);
	return pair_sums_init(&c->faults, &pair_sum_faults, c->fault_profile, &s->recording, eb);
}

bool trace_faults_add(struct trace_command *c, const struct session *s, const struct session_record *sr)
{
	bool is_major;

	if (!c->fault_profile || !trace_events_is_fault(&c->events, &s->recording.info->events.v[sr->event].attr, &is_major))
		return false;
	pair_sums_add_fault(&c->faults, sr, is_major);
	return true;
}

void trace_faults_print(struct trace_command *c, struct out *o)
{
	const struct fault_text t = {
		.max_rows = c->max_rows	 ? (uint32_t)c->max_rows
			    : c->is_json ? 0
					 : DEFAULT_ROWS,
		.max_frames = (uint32_t)c->max_stack,
		.shows_stacks = c->input || c->o.config.callgraph != CALLGRAPH_NONE,
	};

	if (!c->fault_profile)
		return;
	profile_symbolize(c->fault_profile);
	(c->is_json ? fault_json_print : fault_text_print)(&t, o, &c->faults);
	pair_sums_fini(&c->faults);
	profile_fini(c->fault_profile);
	free(c->fault_profile);
	c->fault_profile = NULL;
}
