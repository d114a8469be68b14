/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Spans as slices. Samples of a thread are slices that nest by their frames: states would cut them, so they have tracks of their own.
 */
#include "view/export_chrome.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "view/span_states.h"

#define US_DECIMALS 3

struct states {
	struct json *j;
	const struct export *x;
	const struct span_store *store;
	int64_t cpus_pid, tasks_pid;
};

static const char *name_of_task(const struct states *s, uint32_t key)
{
	return strtab_get(&s->x->p->machine->tasks.strings, timeline_track(s->store->timeline, key)->task->comm);
}

static void put_name(const struct states *s, const char *what, int64_t pid, int64_t tid, const char *name)
{
	json_object(s->j);
	json_put_str(s->j, "ph", "M");
	json_put_str(s->j, "name", what);
	json_put_i64(s->j, "pid", pid);
	json_put_i64(s->j, "tid", tid);
	json_put_object(s->j, "args");
	json_put_str(s->j, "name", name);
	json_object_end(s->j);
	json_object_end(s->j);
}

/* What a slice says beside its name. */
static void put_args(const struct states *s, const struct span_track *k, const struct span *span)
{
	json_put_object(s->j, "args");
	if (span->state == SPAN_RUNNING && k->kind == SPAN_OF_CPU)
		json_put_i64(s->j, "tid", timeline_track(s->store->timeline, span->value)->task->tid);
	else if (span->state == SPAN_RUNNING)
		json_put_u64(s->j, "cpu", span->value);
	else if (span->state == SPAN_WOKEN && span->value)
		json_put_str(s->j, "woken by", name_of_task(s, span->value - 1));
	for (uint32_t i = 0; span->state == SPAN_MIXED && i < span->nr_shares; i++) {
		const struct span_share *share = &k->shares.v[span->value + i];

		json_put_u64(s->j, span_state_label(share->state), share->ns);
	}
	json_object_end(s->j);
}

static void put_slice(const struct states *s, const struct span_track *k, const struct span *span, int64_t pid, int64_t tid)
{
	bool is_task = span->state == SPAN_RUNNING && k->kind == SPAN_OF_CPU;

	json_object(s->j);
	json_put_str(s->j, "ph", "X");
	json_put_str(s->j, "name", is_task ? name_of_task(s, span->value) : span_state_label(span->state));
	json_put_str(s->j, "cat", "sched");
	json_put_i64(s->j, "pid", pid);
	json_put_i64(s->j, "tid", tid);
	json_key(s->j, "ts");
	export_json_fixed(s->j, span->begin_ns, US_DECIMALS);
	json_key(s->j, "dur");
	export_json_fixed(s->j, span->end_ns - span->begin_ns, US_DECIMALS);
	put_args(s, k, span);
	json_object_end(s->j);
}

static void put_track(const struct states *s, uint32_t number)
{
	const struct span_track *k = &s->store->tracks.v[number];
	bool is_cpu = k->kind == SPAN_OF_CPU;
	int64_t pid = is_cpu ? s->cpus_pid : s->tasks_pid, tid = s->tasks_pid + 1 + number;
	char *name = is_cpu ? mem_printf("CPU %u", k->key)
			    : mem_printf("%s %d", name_of_task(s, k->key), timeline_track(s->store->timeline, k->key)->task->tid);

	put_name(s, "thread_name", pid, tid, name);
	free(name);
	for (uint32_t i = 0; i < k->spans.nr && !s->j->o->error; i++)
		if (k->spans.v[i].state != SPAN_CPU_IDLE)
			put_slice(s, k, &k->spans.v[i], pid, tid);
}

void export_chrome_states(struct json *j, const struct export *x, int64_t first_id)
{
	const struct states s = { .j = j, .x = x, .store = x->options->spans, .cpus_pid = first_id, .tasks_pid = first_id + 1 };

	put_name(&s, "process_name", s.cpus_pid, s.cpus_pid, "CPUs");
	put_name(&s, "process_name", s.tasks_pid, s.tasks_pid, "task states");
	for (uint32_t i = 0; i < s.store->tracks.nr; i++)
		if (s.store->tracks.v[i].spans.nr)
			put_track(&s, i);
}
