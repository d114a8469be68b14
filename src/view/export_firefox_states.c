/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * States of tasks as markers: those of a task are in the first thread that has its name (there is one for each event), or in a thread without samples. CPUs
 * are threads of a process "CPUs". Where the time line has a hole there is no marker.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "view/export_firefox.h"
#include "view/span_states.h"

#define NO_SERIES UINT32_MAX
#define INTERVAL 1 /* the phase of a marker with begin and end */

static const struct timeline_track *task_track(const struct firefox *w, uint32_t key)
{
	return timeline_track(w->x->options->spans->timeline, key);
}

static const char *name_of(const struct firefox *w, uint32_t key)
{
	return strtab_get(&w->x->p->machine->tasks.strings, task_track(w, key)->task->comm);
}

/* ---- which markers go to which thread ---- */

struct place { /* of a thread */
	int32_t tid;
	uint32_t series;
};

static int by_tid(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return COMPARE(x->tid, y->tid) ?: COMPARE(x->series, y->series);
}

static int by_series(const void *a, const void *b)
{
	const struct firefox_states *x = a, *y = b;

	return COMPARE(x->series, y->series) ?: COMPARE(x->track, y->track);
}

/* Numbers of tasks are used again: that of the process has to be the same, too. */
static uint32_t series_of(const struct firefox *w, const struct place *places, uint32_t nr, const struct task *task)
{
	const char *comm = strtab_get(&w->x->p->machine->tasks.strings, task->comm);
	uint32_t i = vec_search(nr, n, places[n].tid >= task->tid), found = NO_SERIES;

	for (; i < nr && places[i].tid == task->tid; i++) {
		const struct profile_task *other = &w->x->p->tasks.v[w->list.v.v[places[i].series].task];

		if (task->pid >= 0 && other->pid != task->pid)
			continue;
		/* One that took other names is there with each. */
		if (!strcmp(profile_str(w->x->p, other->comm), comm))
			return places[i].series;
		found = found == NO_SERIES ? places[i].series : found;
	}
	return found;
}

void firefox_states_init(struct firefox *w)
{
	const struct span_store *store = w->x->options->spans;
	struct place *places;

	if (!store)
		return;
	for (int state = 0; state <= SPAN_MIXED; state++)
		vec_push(&w->strings, strtab_intern(&w->x->p->strings, span_state_label(state)));
	places = mem_alloc((w->list.v.nr + 1ul) * sizeof(*places));
	for (uint32_t i = 0; i < w->list.v.nr; i++)
		places[i] = (struct place){ w->x->p->tasks.v[w->list.v.v[i].task].tid, i };
	qsort(places, w->list.v.nr, sizeof(*places), by_tid);
	for (uint32_t i = 0; i < store->tracks.nr; i++) {
		const struct span_track *k = &store->tracks.v[i];

		if (k->spans.nr && k->kind == SPAN_OF_TASK)
			vec_push(&w->states,
				 ((struct firefox_states){ series_of(w, places, w->list.v.nr, task_track(w, k->key)->task), i }));
		else if (k->spans.nr && k->kind == SPAN_OF_CPU)
			vec_push(&w->states, ((struct firefox_states){ NO_SERIES, i }));
	}
	vec_sort(&w->states, by_series);
	free(places);
}

/* ---- markers ---- */

/* Categories of states, behind those of code (export_firefox.c). */
enum { OTHER = 0, RUNNING = CODE_INTERPRETED + 2, RUNNABLE, BLOCKED };

void firefox_state_categories(struct firefox *w, void (*put)(struct json *j, const char *name, const char *color))
{
	if (!w->x->options->spans)
		return;
	put(&w->j, "Running", "green");
	put(&w->j, "Runnable", "magenta");
	put(&w->j, "Blocked", "red");
}

static int category_of(int state)
{
	if (state == SPAN_RUNNING)
		return RUNNING;
	if (state == SPAN_WOKEN || state == SPAN_PREEMPTED)
		return RUNNABLE;
	return state == SPAN_MIXED ? OTHER : BLOCKED;
}

static void put_schema(struct json *j, const char *name, const char *label, const char *const (*fields)[3])
{
	json_object(j);
	json_put_str(j, "name", name);
	json_put_str(j, "chartLabel", label);
	json_put_str(j, "tableLabel", label);
	json_put_array(j, "display");
	json_str(j, "marker-chart");
	json_str(j, "marker-table");
	json_str(j, "timeline-overview");
	json_array_end(j);
	json_put_array(j, "fields");
	for (; (*fields)[0]; fields++) {
		json_object(j);
		json_put_str(j, "key", (*fields)[0]);
		json_put_str(j, "label", (*fields)[1]);
		json_put_str(j, "format", (*fields)[2]);
		json_object_end(j);
	}
	json_array_end(j);
	json_object_end(j);
}

void firefox_state_schemas(struct firefox *w)
{
	static const char *const of_task[][3] = {
		{ "cpu", "CPU", "integer" }, { "waker", "Woken by", "string" }, { "shares", "Nanoseconds", "string" }, { NULL, NULL, NULL }
	};
	static const char *const of_cpu[][3] = {
		{ "task", "Task", "string" }, { "tid", "Thread", "integer" }, { "shares", "Nanoseconds", "string" }, { NULL, NULL, NULL }
	};

	json_put_array(&w->j, "markerSchema");
	if (w->x->options->spans) {
		put_schema(&w->j, "TaskState", "{marker.name}", of_task);
		put_schema(&w->j, "CpuTask", "{marker.data.task}", of_cpu);
	}
	json_array_end(&w->j);
}

static void put_shares(struct firefox *w, const struct span_track *k, const struct span *span)
{
	struct out o;

	out_init(&o, -1);
	for (uint32_t i = 0; i < span->nr_shares; i++)
		out_printf(&o, "%s%s %llu", i ? ", " : "", span_state_label(k->shares.v[span->value + i].state),
			   (unsigned long long)k->shares.v[span->value + i].ns);
	json_key(&w->j, "shares");
	json_str_len(&w->j, o.buf ? o.buf : "", o.len);
	out_fini(&o);
}

static void put_data(struct firefox *w, const struct span_track *k, const struct span *span)
{
	struct json *j = &w->j;

	json_object(j);
	json_put_str(j, "type", k->kind == SPAN_OF_CPU ? "CpuTask" : "TaskState");
	if (span->state == SPAN_MIXED) {
		put_shares(w, k, span);
	} else if (span->state == SPAN_RUNNING && k->kind == SPAN_OF_CPU) {
		json_put_str(j, "task", name_of(w, span->value));
		json_put_i64(j, "tid", task_track(w, span->value)->task->tid);
	} else if (span->state == SPAN_RUNNING) {
		json_put_u64(j, "cpu", span->value);
	} else if (span->state == SPAN_WOKEN && span->value) {
		json_put_str(j, "waker", name_of(w, span->value - 1));
	}
	json_object_end(j);
}

static uint64_t since_begin(const struct firefox *w, uint64_t time_ns)
{
	return time_ns > w->x->first_ns ? time_ns - w->x->first_ns : 0;
}

enum column { DATA, NAME, BEGIN, END, PHASE, CATEGORY, NR_COLUMNS };

static void put_cell(struct firefox *w, enum column column, const struct span_track *k, const struct span *span)
{
	switch (column) {
	case DATA:
		put_data(w, k, span);
		break;
	case NAME: /* as firefox_states_init() has them */
		json_u64(&w->j, span->state);
		break;
	case BEGIN:
		export_json_fixed(&w->j, since_begin(w, span->begin_ns), FIREFOX_MS_DECIMALS);
		break;
	case END:
		export_json_fixed(&w->j, since_begin(w, span->end_ns), FIREFOX_MS_DECIMALS);
		break;
	case PHASE:
		json_u64(&w->j, INTERVAL);
		break;
	default:
		json_i64(&w->j, category_of(span->state));
		break;
	}
}

/* Returns how many there are. */
static uint64_t put_column(struct firefox *w, enum column column, const struct firefox_states *states, uint32_t nr)
{
	uint64_t nr_put = 0;

	for (uint32_t n = 0; n < nr; n++) {
		const struct span_track *k = &w->x->options->spans->tracks.v[states[n].track];

		for (uint32_t i = 0; i < k->spans.nr && !w->j.o->error; i++) {
			if (k->spans.v[i].state == SPAN_CPU_IDLE)
				continue;
			put_cell(w, column, k, &k->spans.v[i]);
			nr_put++;
		}
	}
	return nr_put;
}

static void put_markers(struct firefox *w, const struct firefox_states *states, uint32_t nr)
{
	static const char *const columns[NR_COLUMNS] = { "data", "name", "startTime", "endTime", "phase", "category" };
	uint64_t length = 0;

	json_put_object(&w->j, "markers");
	for (int i = 0; i < NR_COLUMNS; i++) {
		json_put_array(&w->j, columns[i]);
		length = put_column(w, (enum column)i, states, nr);
		json_array_end(&w->j);
	}
	json_put_u64(&w->j, "length", length);
	json_object_end(&w->j);
}

void firefox_markers(struct firefox *w, uint32_t series)
{
	uint32_t first = w->next_states;

	while (w->next_states < w->states.nr && w->states.v[w->next_states].series == series)
		w->next_states++;
	put_markers(w, first < w->next_states ? &w->states.v[first] : NULL, w->next_states - first);
}

/* ---- threads without samples ---- */

static void put_no_samples(struct json *j)
{
	json_put_object(j, "samples");
	firefox_empty(j, "stack");
	firefox_empty(j, "time");
	json_put_str_or_null(j, "weight", NULL);
	json_put_str(j, "weightType", "samples");
	json_put_u64(j, "length", 0);
	json_object_end(j);
}

static void put_thread(struct firefox *w, const struct firefox_states *states)
{
	const struct span_track *k = &w->x->options->spans->tracks.v[states->track];
	bool is_cpu = k->kind == SPAN_OF_CPU;
	const struct task *task = is_cpu ? NULL : task_track(w, k->key)->task;
	int32_t pid = !task ? 0 : task->pid < 0 ? task->tid : task->pid;
	char *name = is_cpu ? mem_printf("CPU %u", k->key) : mem_strdup(name_of(w, k->key)),
	     *pid_text = is_cpu ? mem_strdup("cpus") : mem_printf("%d", pid);
	uint64_t begin_ns = since_begin(w, k->spans.v[0].begin_ns);
	struct firefox_thread t = { .begin_ns = begin_ns,
				    .process_begin_ns = begin_ns,
				    .name = name,
				    .process_name = is_cpu ? "CPUs" : name,
				    .pid = pid_text,
				    .is_main = !is_cpu && task->tid == pid,
				    .tid = is_cpu ? (int64_t)k->key : task->tid };

	json_object(&w->j);
	firefox_thread_head(w, &t);
	put_no_samples(&w->j);
	put_markers(w, states, 1);
	json_object_end(&w->j);
	free(name);
	free(pid_text);
}

void firefox_state_threads(struct firefox *w)
{
	for (; w->next_states < w->states.nr && !w->j.o->error; w->next_states++)
		put_thread(w, &w->states.v[w->next_states]);
}
