/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/latency_counting.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/io.h"
#include "bpf/latency.h"
#include "capture/run_loop.h"
#include "capture/syscall_feed.h"
#include "capture/target.h"
#include "kernel/tracefs.h"
#include "session/trace_format.h"

#define BEFORE_FIELDS 8 /* bytes of a record, of which BPF programs see others */

struct latency_run {
	struct capture_options *o;
	struct latency_counting *c;
	struct run_loop loop;
	struct target target;
	struct bpf_latency *bpf;
	struct errbuf *eb;
};

/* ---- keys ---- */

/* An event with the fields that its records have. */
struct keyed_event {
	char system[128];
	const char *event, *name; /* "sched:sched_waking", "sched_waking" */
	char *text;
	struct trace_format format;
};

static void ignore_found(void *ctx, const char *system, const char *name, uint64_t id)
{
	(void)ctx, (void)system, (void)name, (void)id;
}

static int keyed_event_init(struct keyed_event *e, const char *event, struct errbuf *eb)
{
	const char *colon = strchr(event, ':'), *root;
	char path[PATH_MAX];
	size_t size;
	int err;

	if (!colon || colon == event || (size_t)(colon - event) >= sizeof(e->system) || !colon[1] || strpbrk(event, "*?[/"))
		return errbuf_set(eb, -EINVAL, "-e: '%s' is no tracepoint, as in sched:sched_waking", event);
	snprintf(e->system, sizeof(e->system), "%.*s", (int)(colon - event), event);
	e->event = event;
	e->name = colon + 1;
	err = tracefs_find_events(e->system, e->name, ignore_found, NULL, eb);
	root = err ? NULL : tracefs_find(eb);
	if (!root)
		return err ? err : -ENOENT;
	snprintf(path, sizeof(path), "%s/events/%s/%s/format", root, e->system, e->name);
	err = io_read_file(path, TRACE_FORMAT_MAX_SIZE, &e->text, &size);
	if (!err)
		err = trace_format_init(&e->format, e->text, size, sizeof(long));
	return err ? errbuf_set(eb, err, "cannot read the fields of %s from %s: %s", event, path, strerror(-err)) : 0;
}

static void keyed_event_fini(struct keyed_event *e)
{
	trace_format_fini(&e->format);
	free(e->text);
}

static int no_such_field(const struct keyed_event *e, const char *name, size_t len, struct errbuf *eb)
{
	char list[512] = "";
	uint32_t used = 0;

	for (uint32_t i = 0; i < e->format.fields.nr && used < sizeof(list); i++)
		if (!e->format.fields.v[i].is_common)
			used += (uint32_t)snprintf(list + used, sizeof(list) - used, " %s", e->format.fields.v[i].name);
	return errbuf_set(eb, -EINVAL,
			  "--key: %s has no field '%.*s' that is a number; it has%s, and there are sample.tid, sample.pid and sample.cpu",
			  e->event, (int)len, name, list);
}

/* What the program knows of any event. */
static unsigned char own_kind(const char *name, size_t len)
{
	static const char prefix[] = "sample.";

	if (len > sizeof(prefix) - 1 && !memcmp(name, prefix, sizeof(prefix) - 1)) {
		name += sizeof(prefix) - 1;
		len -= sizeof(prefix) - 1;
	}
	if (len == 3 && !memcmp(name, "tid", 3))
		return LATENCY_KEY_TID;
	if (len == 3 && !memcmp(name, "pid", 3))
		return LATENCY_KEY_PID;
	return len == 3 && !memcmp(name, "cpu", 3) ? LATENCY_KEY_CPU : LATENCY_KEY_NONE;
}

/* A field of that name comes first, unless the other event lacks it: then both mean what the program knows. */
static const struct trace_field *number_of(const struct keyed_event *e, const char *name, size_t len)
{
	const struct trace_field *f = trace_format_find(&e->format, name, len);

	return f && !f->is_common && !f->is_array && !f->is_dynamic && f->item.size && f->offset >= BEFORE_FIELDS &&
			       f->offset + f->item.size <= UINT16_MAX
		       ? f
		       : NULL;
}

static int add_part(struct keyed_event events[2], struct bpf_latency_options *o, int i, const char *word, size_t len, struct errbuf *eb)
{
	const char *colon = memchr(word, ':', len), *names[2] = { word, colon ? colon + 1 : word };
	size_t lens[2] = { colon ? (size_t)(colon - word) : len, colon ? len - (size_t)(colon - word) - 1 : len };
	const struct trace_field *fields[2] = { NULL, NULL };
	bool is_of_both;

	if (!lens[0] || !lens[1])
		return errbuf_set(eb, -EINVAL, "--key: '%.*s' is no field; it takes names as in dev,sector, or FROM:TO", (int)len, word);
	for (int side = 0; side < 2; side++)
		fields[side] = number_of(&events[side], names[side], lens[side]);
	is_of_both = colon || (fields[0] && fields[1]);
	for (int side = 0; side < 2; side++) {
		struct latency_key_part *part = &o->events[side].parts[i];

		*part = (struct latency_key_part){ .kind = own_kind(names[side], lens[side]) };
		if ((part->kind && !is_of_both) || (part->kind && !fields[side]))
			continue;
		if (!fields[side])
			return no_such_field(&events[side], names[side], lens[side], eb);
		part->kind = LATENCY_KEY_FIELD;
		part->offset = (unsigned short)fields[side]->offset;
		part->size = fields[side]->item.size;
	}
	/* Both are compared in the narrower one's width. */
	if (fields[0] && fields[1] && o->events[0].parts[i].size && o->events[1].parts[i].size) {
		unsigned char size = o->events[0].parts[i].size < o->events[1].parts[i].size ? o->events[0].parts[i].size
											     : o->events[1].parts[i].size;

		o->events[0].parts[i].size = o->events[1].parts[i].size = size;
	}
	return 0;
}

static int set_key(struct keyed_event events[2], struct bpf_latency_options *o, const char *key, struct errbuf *eb)
{
	int i = 0;

	for (const char *word = key ? key : "sample.tid";; i++) {
		size_t len = strcspn(word, ",");
		int err = i < LATENCY_KEY_PARTS ? add_part(events, o, i, word, len, eb)
						: errbuf_set(eb, -EINVAL, "--key: at most %d fields make a key", LATENCY_KEY_PARTS);

		if (err || !word[len])
			return err;
		word += len + 1;
	}
}

/* ---- the run ---- */

static int open_program(struct latency_run *r, uint64_t unit_ns)
{
	struct latency_counting *c = r->c;
	struct keyed_event events[2] = { 0 };
	uint64_t cpus[BPF_LATENCY_CPUS / 64];
	struct bpf_latency_options o = {
		.function = c->function,
		.unit_ns = unit_ns,
		.all_tasks = r->target.kind == TARGET_CPUS,
		.follows_forks = c->follows_forks,
		.cpus = syscall_feed_cpus(r->o, &r->target, cpus),
	};
	int err = c->function ? 0 : keyed_event_init(&events[0], c->from, r->eb);

	if (!err && !c->function)
		err = keyed_event_init(&events[1], c->to, r->eb);
	if (!err && !c->function)
		err = set_key(events, &o, c->key, r->eb);
	for (int i = 0; i < 2; i++) {
		o.events[i].system = events[i].system;
		o.events[i].name = events[i].name;
	}
	if (!err) {
		err = bpf_latency_open(&r->bpf, &o, r->eb);
		c->is_unavailable = err;
	}
	keyed_event_fini(&events[0]);
	keyed_event_fini(&events[1]);
	for (uint32_t i = 0; !err && !o.all_tasks && i < r->target.tasks.ids.nr; i++)
		err = bpf_latency_add_task(r->bpf, r->target.tasks.ids.v[i],
					   r->target.kind == TARGET_WORKLOAD ? BPF_TASK_WORKLOAD : BPF_TASK_THREAD, r->eb);
	return err;
}

static void add_figures(void *ctx, const struct latency_figures *f)
{
	latency_hist_add_figures(ctx, f);
}

static void follow(struct latency_run *r, uint64_t delay_end_ns)
{
	run_loop_take_signals(&r->loop);
	while (!run_loop_has_ended(&r->loop)) {
		run_loop_wait(&r->loop, delay_end_ns);
		if (delay_end_ns && clock_now_ns() >= delay_end_ns) {
			bpf_latency_enable(r->bpf, true);
			delay_end_ns = 0;
		}
	}
	bpf_latency_enable(r->bpf, false);
}

static int run(struct latency_run *r, struct latency_hist *h)
{
	uint64_t delay_ms = r->c->delay_ms;
	int err = 0;

	if (r->o->workload)
		err = run_loop_prepare_workload(&r->loop, r->o->workload, false, r->eb);
	if (!err)
		err = target_init(&r->target, r->o, r->loop.workload.pid, r->eb);
	if (!err)
		err = open_program(r, h->unit_ns);
	if (err)
		return err;
	bpf_latency_enable(r->bpf, !delay_ms);
	if (r->loop.workload.pid)
		err = workload_start(&r->loop.workload, r->eb);
	if (err)
		return err;
	if (r->target.kind == TARGET_TASKS && !r->loop.workload.pid)
		run_loop_watch(&r->loop, &r->target.tasks);
	follow(r, delay_ms ? clock_now_ns() + delay_ms * NS_PER_MS : 0);
	err = bpf_latency_read(r->bpf, add_figures, h, r->eb);
	if (err)
		return err;
	h->nr_unfinished = h->nr_begun - h->nr - h->nr_replaced - h->nr_dropped;
	if (h->nr_unfinished > h->nr_begun)
		h->nr_unfinished = 0;
	return run_loop_status(&r->loop);
}

int latency_counting_run(struct capture_options *o, struct latency_counting *c, struct latency_hist *h, struct errbuf *eb)
{
	struct latency_run r = { .o = o, .c = c, .eb = eb };
	int ret = run_loop_init(&r.loop, NULL, NULL, eb);

	c->is_unavailable = false;
	if (!ret)
		ret = run(&r, h);
	bpf_latency_close(r.bpf);
	target_fini(&r.target);
	run_loop_fini(&r.loop);
	return ret;
}
