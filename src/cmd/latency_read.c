/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One pass over the records of a session that feeds the calls, their notes and struct wall, then the output.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "cmd/cmd.h"
#include "cmd/latency.h"
#include "model/call_parts.h"
#include "model/heat.h"
#include "view/calls_text.h"
#include "view/heat_svg.h"

struct reading {
	struct latency_command *c;
	struct session *s;
	struct wall_records records;
	struct calls calls;
	struct call_notes notes;
};

static int next(struct reading *r, struct session_record *sr, struct errbuf *eb)
{
	return r->c->wall.is_file ? input_next_recorded(&r->c->wall.in, sr, eb) : session_next_recorded(r->s, sr, eb);
}

/* Begins and ends of tasks that were not asked for are left out; what these do otherwise may be what a call waits for. */
static bool is_left_out(const struct reading *r, const struct session_record *sr)
{
	return sr->header->type == RECORD_SAMPLE && !r->c->key && sr->task && !wall_is_wanted(&r->c->wall, r->s, sr->task);
}

static int add_all(struct reading *r, struct errbuf *eb)
{
	struct session_record sr;
	int ret, err;

	while ((ret = next(r, &sr, eb)) > 0) {
		err = wall_records_take(&r->records, &sr, eb);
		if (!err && !is_left_out(r, &sr))
			err = calls_take(&r->calls, &sr, eb);
		if (err)
			return err;
		call_notes_take(&r->notes, &sr);
	}
	return ret;
}

/* ---- output ---- */

static int draw_heatmap(const struct reading *r, struct errbuf *eb)
{
	const struct heat_svg_options svg = { .unit = HEAT_UNIT_AUTO };
	const char *path = r->c->heatmap_path;
	struct heat_words words = {
		.title = "Latency heat map", .subtitle = r->c->what, .x_axis = "time", .y_axis = "latency", .things = "calls"
	};
	struct output_file file;
	struct heat h;
	struct out o;
	int err = output_file_check(path, r->c->wall.in.path, eb);

	if (!err)
		err = output_file_open(&file, path, eb);
	if (err)
		return err;
	heat_init(&h);
	for (uint32_t i = 0; i < r->calls.v.nr; i++)
		if (!heat_add(&h, r->calls.v.v[i].end_ns - r->calls.first_ns, call_took_ns(&r->calls.v.v[i])))
			break;
	heat_build(&h, &(struct heat_options){ 0 });
	out_init(&o, file.fd);
	heat_svg(&o, &h, &words, &svg);
	err = output_file_close(&file, out_fini(&o), eb);
	if (!err)
		log_warn("wrote %s; open it in a browser", path);
	heat_fini(&h);
	return err;
}

static int show(struct reading *r, struct errbuf *eb)
{
	const struct latency_command *c = r->c;
	struct calls_view v = { .calls = &r->calls,
				.wall = &r->records.wall,
				.notes = &r->notes,
				.what = c->what,
				.slower_ns = c->has_slower ? c->slower_ns : calls_permille(&r->calls, 990),
				.is_slower_given = c->has_slower,
				.max_calls = (uint32_t)c->max_calls,
				.max_frames = (uint32_t)c->wall.max_frames,
				.nr_lost = recording_lost(&r->s->recording) };
	struct out o;
	int err;

	calls_view_make(&v);
	out_init(&o, STDOUT_FILENO);
	(c->wall.json ? calls_json_print : calls_text_print)(&o, &v);
	err = out_fini(&o);
	return !err && c->heatmap_path ? draw_heatmap(r, eb) : err;
}

#define SHORT_CALL_NS 20000

/* The times of functions have the cost of their probes in them; of short ones there is little else. */
static void warn_of_short_calls(const struct reading *r)
{
	if (!r->calls.is_pairs && r->calls.v.nr && calls_permille(&r->calls, 500) < SHORT_CALL_NS)
		log_warn(
			"half of the calls took less than %d µs: two to ten of these, by the machine and the instructions that are probed, are the "
			"cost of the probes, so that the times of short calls say little",
			SHORT_CALL_NS / 1000);
}

static void say_what_is_missing(const struct reading *r)
{
	const struct calls *c = &r->calls;

	warn_of_short_calls(r);
	if (c->nr_nested && !r->c->nested)
		log_warn("%llu calls inside of others (recursion) are part of these, and not measured by themselves; --nested does",
			 (unsigned long long)c->nr_nested);
	if (c->nr_left)
		log_warn("%llu %s", (unsigned long long)c->nr_left,
			 c->is_pairs ? "begins came again before they ended: only the last of each is measured"
				     : "calls did not return (longjmp, an exception, a recursion deeper than is followed): not measured");
	if (c->nr_ended)
		log_warn("%llu calls did not return: their thread ended inside", (unsigned long long)c->nr_ended);
	if (c->nr_open)
		log_warn("%llu had not ended when the recording did%s", (unsigned long long)c->nr_open,
			 c->is_pairs ? "" : ": not measured");
	if (c->nr_alone)
		log_info("%llu ends had no begin", (unsigned long long)c->nr_alone);
	if (c->nr_malformed)
		log_warn("%llu events do not hold the fields of their format and were left out", (unsigned long long)c->nr_malformed);
	if (r->records.wall.nr_gaps)
		log_warn("%llu switches or wakes of the threads are missing: part of the time of calls is unknown",
			 (unsigned long long)r->records.wall.nr_gaps);
	if (r->records.wall.is_wait_limit)
		log_warn("there were more waits than are kept: what the last calls waited for is not known");
}

static int nothing_measured(const struct reading *r, struct errbuf *eb)
{
	const struct calls *c = &r->calls;

	if (c->nr_ended + c->nr_open + c->nr_left)
		return errbuf_set(eb, -ENODATA, "%s: %llu began, and none was seen to end%s", r->c->what, (unsigned long long)c->nr_begun,
				  c->is_pairs ? " (--key says which belong together)" : "");
	if (c->is_pairs)
		return errbuf_set(eb, -ENODATA, "%s: nothing was measured: the first event did not occur", r->c->what);
	return errbuf_set(eb, -ENODATA,
			  "%s: no call was seen. What is measured are calls of this very file, by the command or the processes that were "
			  "named; copies that were inlined into their callers are no calls",
			  r->c->what);
}

/* ---- which events ---- */

static bool is_beside(const char *name)
{
	return !strncmp(name, "sched:", 6) || !strncmp(name, "irq:", 4) || !strncmp(name, "irq_vectors:", 12) ||
	       !strncmp(name, "assay:", 6);
}

/* Of a recording, what was measured are the first two events that are not those beside them. */
static int find_pair(struct latency_command *c, const struct recording *r, struct errbuf *eb)
{
	const char *found[2] = { 0 };

	for (uint32_t i = 0, nr = 0; i < r->info->events.nr && nr < 2; i++)
		if (r->info->events.v[i].attr.type == ATTR_TYPE_TRACEPOINT && !is_beside(r->info->events.v[i].name))
			found[nr++] = r->info->events.v[i].name;
	if (!found[1])
		return errbuf_set(eb, -ENODATA, "%s has no two events to measure between; 'assay latency -o FILE …' records them",
				  input_name(&c->wall.in));
	event_patterns_add(&c->from, found[0]);
	event_patterns_add(&c->to, found[1]);
	if (!c->what)
		c->what = mem_printf("%s → %s", found[0], found[1]);
	return 0;
}

static int find_measured(struct latency_command *c, const struct recording *r, struct errbuf *eb)
{
	const char *function = calls_function_of(r);

	if (c->nr_words == 2) {
		c->what = mem_printf("%s → %s", c->words[0], c->words[1]);
		event_patterns_add(&c->from, c->words[0]);
		event_patterns_add(&c->to, c->words[1]);
		return 0;
	}
	if (!function)
		return find_pair(c, r, eb);
	c->what = mem_printf("%s()", function);
	return 0;
}

int latency_read(struct latency_command *c, struct session *s, struct profile *p, struct errbuf *eb)
{
	struct reading r = { .c = c, .s = s };
	int err = c->what ? 0 : find_measured(c, &s->recording, eb);

	if (err)
		return err;
	wall_records_init(&r.records, &s->recording, &s->machine, p);
	call_notes_init(&r.notes, &r.records, p);
	err = calls_init(&r.calls, p, &r.records.timeline, &s->recording, c->from.v.nr ? &c->from : NULL, &c->to, c->key, eb);
	r.calls.measures_nested = c->nested;
	if (!err)
		err = add_all(&r, eb);
	if (!err)
		err = calls_finish(&r.calls, eb);
	if (!err && !r.calls.v.nr)
		err = nothing_measured(&r, eb);
	if (!err) {
		if (!wall_records_end(&r.records))
			log_warn("the recording has no switches of tasks: where the time went is not known");
		wall_finish(&r.records.wall, NULL, NULL);
		call_notes_finish(&r.notes);
		c->wall.in.nr_passed = r.calls.v.nr;
		c->wall.in.checks_passed = true;
		err = show(&r, eb);
	}
	if (!err && !c->wall.in.quiet)
		say_what_is_missing(&r);
	call_notes_fini(&r.notes);
	calls_fini(&r.calls);
	wall_records_fini(&r.records);
	return err;
}
