/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One pass over the records of a session that feeds the time line and struct wall, then the output.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "cmd/cmd.h"
#include "cmd/sched.h"
#include "cmd/wall.h"
#include "model/wall_records.h"
#include "model/wall_spans.h"
#include "view/flame_svg.h"
#include "view/quality_text.h"
#include "view/timechart.h"
#include "view/wall_text.h"

#define MAX_ANCESTORS 4096
#define MAX_THREADS 50 /* rows of the table, without --all */

struct reading {
	struct wall_command *c;
	struct session *s;
	struct wall_records records;
	struct span_store spans; /* --timechart */
};

static int next(struct reading *r, struct session_record *sr, struct errbuf *eb)
{
	return r->c->is_file ? input_next_recorded(&r->c->in, sr, eb) : session_next_recorded(r->s, sr, eb);
}

static int add_all(struct reading *r, struct errbuf *eb)
{
	struct session_record sr;
	int ret, err;

	while ((ret = next(r, &sr, eb)) > 0) {
		err = wall_records_take(&r->records, &sr, eb);
		if (err)
			return err;
	}
	return ret;
}

/* ---- which threads ---- */

static bool is_among(const int32_t *ids, uint32_t nr, int32_t id)
{
	for (uint32_t i = 0; i < nr; i++)
		if (ids[i] == id)
			return true;
	return !nr;
}

static bool has_name(const struct wall_command *c, struct session *s, const struct task *task)
{
	const struct filter_names *names = &c->in.filter.comms;

	for (uint32_t i = 0; i < names->nr; i++)
		if (!strcmp(names->v[i], machine_comm(&s->machine, task)))
			return true;
	return !names->nr;
}

/* A process that the recorder started, or one of its children. */
static bool is_descendant(const struct wall_command *c, struct session *s, const struct task *task)
{
	for (int depth = 0; task && depth < MAX_ANCESTORS; depth++) {
		if (task->ppid == c->recorder_pid)
			return task->pid != c->recorder_pid;
		task = task->ppid > 0 ? task_table_find(&s->machine.tasks, task->ppid) : NULL;
	}
	return false;
}

bool wall_is_wanted(const struct wall_command *c, struct session *s, const struct task *task)
{
	const struct filter *f = &c->in.filter;

	if (c->recorder_pid && !is_descendant(c, s, task))
		return false;
	return is_among(f->pids.v, f->pids.nr, task->pid) && is_among(f->tids.v, f->tids.nr, task->tid) && has_name(c, s, task);
}

static bool is_wanted(void *ctx, const struct task *task)
{
	const struct reading *r = ctx;

	return wall_is_wanted(r->c, r->s, task);
}

/* ---- output ---- */

/* Of a file, input_finish() tells this. */
static void tell_quality(void *ctx, bool is_loud, const char *text)
{
	(void)ctx;
	log_warn("%s: %s", is_loud ? "WARNING" : "quality", text);
}

static void say_what_is_missing(struct reading *r)
{
	sched_say_renumbered(&r->records.events);
	sched_say_cpus(&r->records.events, &r->records.timeline);
	sched_say_sampled(&r->records.events);
	if (!r->c->is_file && !r->records.wall.nr_shown)
		log_warn("none of the threads ran while it was recorded%s",
			 r->c->uses_bpf ? "" : ": without --no-bpf, it is known what they wait for");
	if (r->records.wall.nr_gaps)
		log_warn("%llu switches or wakes of the threads are missing: their times are marked as incomplete, and what is not known "
			 "is counted as unknown",
			 (unsigned long long)r->records.wall.nr_gaps);
	if (r->records.events.nr_malformed)
		log_warn("%llu events do not hold the fields of their format and were left out",
			 (unsigned long long)r->records.events.nr_malformed);
	if (!recording_samples(&r->s->recording, SAMPLE_CALLCHAIN))
		log_warn("the recording has no stacks: what threads were blocked on is not known");
	else if (!r->c->is_file)
		quality_notes(&r->c->in.quality, tell_quality, NULL);
}

static int draw_flame(const struct reading *r, const struct wall_stacks *s, struct errbuf *eb)
{
	const char *path = r->c->flame_path;
	struct flame_svg_options opts = { .title = "Wall-clock time",
					  .subtitle = "time of threads by what they did",
					  .unit = "ms",
					  .factor = 1e-6,
					  .width = FLAME_SVG_WIDTH };
	struct flame_layout l;
	struct output_file file;
	struct flame f;
	struct out o;
	uint64_t least;
	int err = output_file_open(&file, path, eb);

	if (err)
		return err;
	flame_init(&f, 1);
	wall_flame_add(&f, &r->records.wall, s);
	least = f.sum[0] / 12000 + 1; /* a tenth of a pixel */
	flame_finish(&f, &least);
	out_init(&o, file.fd);
	flame_layout_build(&l, &f, flame_width_first, NULL, 0);
	flame_svg(&o, &f, &l, &opts);
	flame_layout_fini(&l);
	err = output_file_close(&file, out_fini(&o), eb);
	if (!err && !output_file_is_stdout(path))
		log_warn("wrote %s; open it in a browser", path);
	flame_fini(&f);
	return err;
}

static int draw_chart(struct reading *r, struct errbuf *eb)
{
	const char *path = r->c->chart_path;
	struct timechart_choice choice = { .nr_tasks = TIMECHART_DEFAULT_TASKS, .tasks_only = true };
	struct timechart chart = { .store = &r->spans,
				   .timeline = &r->records.timeline,
				   .machine = &r->s->machine,
				   .width = FLAME_SVG_WIDTH,
				   .title = "Wall-clock time",
				   .subtitle = "threads over time: running, runnable, or blocked, and on what" };
	char idle[80] = "";
	struct output_file file;
	struct out o;
	int err = output_file_open(&file, path, eb);

	if (err)
		return err;
	wall_spans_explain(&r->spans, &r->records.wall);
	span_store_reduce(&r->spans, TIMECHART_MAX_SPANS);
	timechart_choose(&chart, &choice);
	if (r->records.wall.nr_gaps)
		chart.notes[chart.nr_notes++] = "Switches or wakes of the threads are missing: where nothing is drawn, nothing is known.";
	if (r->records.wall.nr_folded)
		snprintf(idle, sizeof(idle), "Not drawn: %u idle thread%s; --all draws %s.", r->records.wall.nr_folded,
			 r->records.wall.nr_folded == 1 ? "" : "s", r->records.wall.nr_folded == 1 ? "it" : "them");
	if (*idle)
		chart.notes[chart.nr_notes++] = idle;
	if (chart.nr_tasks_left_out)
		chart.notes[chart.nr_notes++] = "Only the threads that ran longest are drawn; -c draws those of a name.";
	if (r->spans.resolution_ns)
		chart.notes[chart.nr_notes++] =
			"Short spans are merged with their neighbours: the recording has more than a picture can hold.";
	out_init(&o, file.fd);
	timechart_svg(&o, &chart);
	err = output_file_close(&file, out_fini(&o), eb);
	if (!err && !output_file_is_stdout(path))
		log_warn("wrote %s; open it in a browser", path);
	timechart_fini(&chart);
	return err;
}

static int find_path(const struct reading *r, struct wall_path *p, struct errbuf *eb)
{
	const struct wall_command *c = r->c;
	const struct wall *w = &r->records.wall;

	if (c->is_longest ? wall_path_longest(p, w) : wall_path_find(p, w, w->first_ns + c->from_ns, w->first_ns + c->to_ns))
		return 0;
	wall_path_fini(p);
	if (c->is_longest)
		return errbuf_set(eb, -ENODATA, "--critical-path: no thread that is shown waited");
	return errbuf_set(eb, -ENODATA, "--critical-path: no thread that is shown ran from %.6f to %.6f s; the recording has %.6f s",
			  (double)c->from_ns / 1e9, (double)c->to_ns / 1e9, (double)(w->last_ns - w->first_ns) / 1e9);
}

static int show(struct reading *r, struct errbuf *eb)
{
	const struct wall_command *c = r->c;
	struct wall_text text = { .max_threads = c->shows_idle ? UINT32_MAX - 1 : MAX_THREADS,
				  .max_stacks = (uint32_t)c->max_stacks,
				  .max_frames = (uint32_t)c->max_frames,
				  .nr_lost = recording_lost(&r->s->recording) };
	bool is_drawn = (c->flame_path && output_file_is_stdout(c->flame_path)) || (c->chart_path && output_file_is_stdout(c->chart_path));
	struct wall_path path = { 0 };
	struct wall_stacks stacks;
	struct out o;
	int err = c->has_path ? find_path(r, &path, eb) : 0;

	if (err)
		return err;
	text.path = c->has_path ? &path : NULL;

	wall_stacks_make(&stacks, &r->records.wall);
	out_init(&o, STDOUT_FILENO);
	if (!is_drawn)
		(c->json ? wall_json_print : wall_text_print)(&text, &o, &r->records.wall, &stacks);
	err = out_fini(&o);
	if (!err && c->flame_path)
		err = draw_flame(r, &stacks, eb);
	if (!err && c->chart_path)
		err = draw_chart(r, eb);
	wall_stacks_fini(&stacks);
	wall_path_fini(&path);
	return err;
}

int wall_read(struct wall_command *c, struct session *s, struct profile *p, struct errbuf *eb)
{
	struct reading r = { .c = c, .s = s };
	struct wall *w = &r.records.wall;
	int err;

	wall_records_init(&r.records, &s->recording, &s->machine, p);
	span_store_init(&r.spans, SPAN_DEFAULT_LIMIT);
	if (c->chart_path)
		wall_records_keep_spans(&r.records, &r.spans);
	w->quality = &c->in.quality;
	err = add_all(&r, eb);
	if (!err && !wall_records_end(&r.records))
		err = errbuf_set(eb, -ENODATA, "%s has no switches of tasks; 'assay wall record -- COMMAND' records them",
				 c->is_file ? input_name(&c->in) : "the recording");
	if (!err) {
		w->keeps_idle = c->shows_idle;
		wall_finish(w, is_wanted, &r);
		quality_finish(&c->in.quality, p);
		c->in.quality_known = true;
		c->in.nr_passed = w->nr_shown;
		c->in.checks_passed = true;
		err = show(&r, eb);
	}
	if (!err && !c->in.quiet)
		say_what_is_missing(&r);
	span_store_fini(&r.spans);
	wall_records_fini(&r.records);
	return err;
}
