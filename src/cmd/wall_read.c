/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One pass over the records of a session that feeds the time line and struct wall, then the output.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "cmd/cmd.h"
#include "cmd/wall.h"
#include "model/wall_events.h"
#include "view/flame_svg.h"
#include "view/wall_text.h"

#define MAX_ANCESTORS 4096

struct reading {
	struct wall_command *c;
	struct session *s;
	struct timeline t;
	struct sched_events events;
	struct wall w;
};

static int next(struct reading *r, struct session_record *sr, struct errbuf *eb)
{
	return r->c->is_file ? input_next_recorded(&r->c->in, sr, eb) : session_next_recorded(r->s, sr, eb);
}

/* The CPU whose records were lost, where the record says it. */
static uint32_t cpu_of_loss(const struct reading *r, const struct session_record *sr)
{
	bool has_cpu = sr->event >= 0 && r->s->recording.info->events.v[sr->event].attr.sample_type & SAMPLE_CPU;

	return has_cpu ? sr->rec.id.cpu : TIMELINE_NONE;
}

static bool is_clock(const struct attr *a)
{
	return a->type == ATTR_TYPE_HARDWARE || (a->type == ATTR_TYPE_SOFTWARE && a->config == CONFIG_CPU_CLOCK);
}

/* A sample of a thread of which nothing is known yet: it runs. */
static void see_running(struct reading *r, const struct session_record *sr)
{
	uint32_t track = sr->task && sr->task->tid > 0 ? timeline_track_of(&r->t, sr->task) : TIMELINE_NONE;
	struct sched_event e = {
		.kind = SCHED_SWITCH, .time_ns = sr->time_ns, .cpu = sr->rec.sample.cpu, .state = 'R', .next_tid = sr->rec.sample.tid
	};
	struct timeline_step step;

	if (track == TIMELINE_NONE || timeline_track(&r->t, track)->is_seen || sr->rec.sample.tid == 0)
		return;
	if (timeline_add(&r->t, &e, &step))
		wall_add(&r->w, sr, &e, &step, WALL_UNKNOWN);
}

static void add_own(struct reading *r, const struct session_record *sr)
{
	struct timeline_step step;
	enum wall_class class;
	struct sched_event e;

	r->t.has_waking = true;
	if (!wall_events_read(&r->s->recording, sr, &e, &class))
		r->events.nr_malformed++;
	else if (timeline_add(&r->t, &e, &step))
		wall_add(&r->w, sr, &e, &step, class);
}

static int add_sample(struct reading *r, const struct session_record *sr, struct errbuf *eb)
{
	struct timeline_step step;
	struct sched_event e;
	int ret;

	if (wall_events_is(&r->s->recording, sr->event)) {
		add_own(r, sr);
		return 0;
	}
	ret = sched_events_read(&r->events, sr, &e, eb);

	if (ret < 0)
		return ret;
	if (!ret) {
		if (sr->event >= 0 && is_clock(&r->s->recording.info->events.v[sr->event].attr)) {
			see_running(r, sr);
			wall_add_sample(&r->w, sr);
		}
		return 0;
	}
	r->t.has_waking |= r->events.has_kind[SCHED_WAKING];
	if (timeline_add(&r->t, &e, &step))
		wall_add(&r->w, sr, &e, &step, WALL_UNKNOWN);
	return 0;
}

static int add_all(struct reading *r, struct errbuf *eb)
{
	struct session_record sr;
	int ret, err;

	while ((ret = next(r, &sr, eb)) > 0) {
		switch (sr.header->type) {
		case RECORD_SAMPLE:
			err = add_sample(r, &sr, eb);
			if (err)
				return err;
			break;
		case RECORD_LOST:
			timeline_lose(&r->t, cpu_of_loss(r, &sr));
			break;
		case RECORD_FORK:
			if (sr.task && sr.time_ns)
				timeline_begin_task(&r->t, sr.task, sr.time_ns);
			break;
		default:
			break;
		}
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

static bool has_name(const struct reading *r, const struct task *task)
{
	const struct filter_names *names = &r->c->in.filter.comms;

	for (uint32_t i = 0; i < names->nr; i++)
		if (!strcmp(names->v[i], machine_comm(&r->s->machine, task)))
			return true;
	return !names->nr;
}

/* A process that the recorder started, or one of its children. */
static bool is_descendant(const struct reading *r, const struct task *task)
{
	for (int depth = 0; task && depth < MAX_ANCESTORS; depth++) {
		if (task->ppid == r->c->recorder_pid)
			return task->pid != r->c->recorder_pid;
		task = task->ppid > 0 ? task_table_find(&r->s->machine.tasks, task->ppid) : NULL;
	}
	return false;
}

static bool is_wanted(void *ctx, const struct task *task)
{
	const struct reading *r = ctx;
	const struct filter *f = &r->c->in.filter;

	if (r->c->recorder_pid && !is_descendant(r, task))
		return false;
	return is_among(f->pids.v, f->pids.nr, task->pid) && is_among(f->tids.v, f->tids.nr, task->tid) && has_name(r, task);
}

/* ---- output ---- */

static void say_what_is_missing(const struct reading *r)
{
	if (r->w.nr_gaps)
		log_warn("%llu switches or wakes of the threads are missing: their times are marked as incomplete, and what is not known "
			 "is counted as unknown",
			 (unsigned long long)r->w.nr_gaps);
	if (r->events.nr_malformed)
		log_warn("%llu events do not hold the fields of their format and were left out",
			 (unsigned long long)r->events.nr_malformed);
	if (!recording_samples(&r->s->recording, SAMPLE_CALLCHAIN))
		log_warn("the recording has no stacks: what threads were blocked on is not known");
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
	wall_flame_add(&f, &r->w, s);
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

static int find_path(const struct reading *r, struct wall_path *p, struct errbuf *eb)
{
	const struct wall_command *c = r->c;
	const struct wall *w = &r->w;

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
	struct wall_text text = { .max_stacks = (uint32_t)c->max_stacks,
				  .max_frames = (uint32_t)c->max_frames,
				  .nr_lost = recording_lost(&r->s->recording) };
	bool is_drawn = c->flame_path && output_file_is_stdout(c->flame_path);
	struct wall_path path = { 0 };
	struct wall_stacks stacks;
	struct out o;
	int err = c->has_path ? find_path(r, &path, eb) : 0;

	if (err)
		return err;
	text.path = c->has_path ? &path : NULL;

	wall_stacks_make(&stacks, &r->w);
	out_init(&o, STDOUT_FILENO);
	if (!is_drawn)
		(c->json ? wall_json_print : wall_text_print)(&text, &o, &r->w, &stacks);
	err = out_fini(&o);
	if (!err && c->flame_path)
		err = draw_flame(r, &stacks, eb);
	wall_stacks_fini(&stacks);
	wall_path_fini(&path);
	return err;
}

int wall_read(struct wall_command *c, struct session *s, struct profile *p, struct errbuf *eb)
{
	struct reading r = { .c = c, .s = s, .events = { .recording = &s->recording } };
	int err;

	timeline_init(&r.t, &s->machine);
	wall_init(&r.w, p, &r.t);
	err = add_all(&r, eb);
	if (!err && !r.t.nr_switches)
		err = errbuf_set(eb, -ENODATA, "%s has no switches of tasks; 'assay wall record' records them",
				 c->is_file ? input_name(&c->in) : "the recording");
	if (!err) {
		if (r.w.last_ns > r.t.last_ns)
			r.t.last_ns = r.w.last_ns;
		timeline_finish(&r.t);
		r.w.keeps_idle = c->shows_idle;
		wall_finish(&r.w, is_wanted, &r);
		c->in.nr_passed = r.w.nr_shown;
		c->in.checks_passed = true;
		err = show(&r, eb);
	}
	if (!err && !c->in.quiet)
		say_what_is_missing(&r);
	wall_fini(&r.w);
	sched_events_fini(&r.events);
	timeline_fini(&r.t);
	return err;
}
