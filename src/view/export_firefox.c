/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The Firefox Profiler's "processed profile", version 60 (docs-developer/CHANGELOG-formats.md of that project; newer readers accept older
 * versions): tables as columns, shared by all threads. Threads come first, because they decide which stacks the tables have.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view/export_firefox.h"

#define PROCESSED_VERSION 60
#define GECKO_VERSION 31
#define NS_PER_MS 1000000

/* ---- what all of it is about ---- */

static void put_category(struct json *j, const char *name, const char *color)
{
	json_object(j);
	json_put_str(j, "name", name);
	json_put_str(j, "color", color);
	json_put_array(j, "subcategories");
	json_str(j, "Other");
	json_array_end(j);
	json_object_end(j);
}

/* In the order of enum code_kind, behind the one that has to be there. */
static void put_categories(struct firefox *w)
{
	struct json *j = &w->j;

	json_put_array(j, "categories");
	put_category(j, "Other", "grey");
	put_category(j, "User", "yellow");
	put_category(j, "Kernel", "orange");
	put_category(j, "JIT", "blue");
	put_category(j, "Interpreted", "lightblue");
	firefox_state_categories(w, put_category);
	json_array_end(j);
}

static void put_note(void *ctx, const char *label, const char *text)
{
	json_object(ctx);
	json_put_str(ctx, "label", label);
	json_put_str(ctx, "format", "string");
	json_put_str(ctx, "value", text);
	json_object_end(ctx);
}

static void put_extra(struct firefox *w)
{
	json_put_array(&w->j, "extra");
	json_object(&w->j);
	json_put_str(&w->j, "label", "Recording");
	json_put_array(&w->j, "entries");
	export_notes(w->x, put_note, &w->j);
	json_array_end(&w->j);
	json_object_end(&w->j);
	json_array_end(&w->j);
}

static void put_sample_units(struct json *j)
{
	json_put_object(j, "sampleUnits");
	json_put_str(j, "time", "ms");
	json_put_str(j, "eventDelay", "ms");
	json_put_str(j, "threadCPUDelta", "ns");
	json_object_end(j);
}

static void put_machine(struct firefox *w)
{
	const struct perfdata_info *info = w->x->p->recording->info;

	if (info->osrelease)
		json_put_str(&w->j, "oscpu", info->osrelease);
	json_put_str(&w->j, "platform", "Linux");
	if (info->cpudesc)
		json_put_str(&w->j, "CPUName", info->cpudesc);
	if (info->nrcpus_online)
		json_put_u64(&w->j, "logicalCPUs", info->nrcpus_online);
	if (info->total_mem_kb)
		json_put_u64(&w->j, "mainMemory", info->total_mem_kb * 1024);
}

static void put_meta(struct firefox *w)
{
	const struct export *x = w->x;
	struct json *j = &w->j;
	uint64_t interval = x->events.nr ? export_interval_ns(x, x->events.v[0]) : 0;
	char *command = export_command(x);

	json_put_object(j, "meta");
	json_put_u64(j, "version", GECKO_VERSION);
	json_put_u64(j, "preprocessedProfileVersion", PROCESSED_VERSION);
	interval = interval ? interval : 1000000;
	firefox_ms(j, "interval", interval);
	firefox_ms(j, "startTime", export_wall_ns(x));
	json_put_u64(j, "profilingStartTime", 0);
	/* A sample at the very end would be outside. */
	firefox_ms(j, "profilingEndTime", x->last_ns - x->first_ns + interval);
	json_put_u64(j, "processType", 0);
	json_put_str(j, "product", x->options->name ? x->options->name : "profile");
	json_put_str(j, "importedFrom", "assay " ASSAY_VERSION);
	if (*command)
		json_put_str(j, "arguments", command);
	json_put_u64(j, "stackwalk", 1);
	json_put_bool(j, "debug", false);
	put_machine(w);
	put_categories(w);
	firefox_state_schemas(w);
	put_sample_units(j);
	json_put_bool(j, "symbolicated", true);
	json_put_bool(j, "usesOnlyOneStackType", true);
	json_put_bool(j, "sourceCodeIsNotOnSearchfox", true);
	put_extra(w);
	json_object_end(j);
	free(command);
}

/* ---- threads ---- */

/* What the rows of the thread at hand are. Samples that were laid side by side because nothing tells them apart are one. */
static void collect_rows(struct firefox *w, const struct export_series *se)
{
	const uint32_t *samples = w->list.samples + se->first;

	w->rows.nr = 0;
	for (uint32_t i = 0; i < se->nr; i++) {
		uint32_t node = export_tree_node(&w->tree, samples[i]);
		uint64_t period = w->x->p->samples.period[samples[i]];

		if (!w->rows.nr || !export_is_laid_out(w->x) || w->rows.v[w->rows.nr - 1].node != node)
			*vec_add(&w->rows) = (struct firefox_row){ .sample = samples[i], .node = node };
		w->rows.v[w->rows.nr - 1].period += period;
		w->rows.v[w->rows.nr - 1].weight += export_weight(w->x, samples[i]);
	}
}

/* Samples count 1 each; sums, and samples that became one, weigh what they are. Times are milliseconds to the profiler. */
static void put_weights(struct firefox *w, uint32_t event)
{
	const char *unit = w->x->weight_is_period ? export_unit(w->x, event) : NULL;
	uint64_t time_unit_ns = w->x->weight_is_period ? export_time_unit_ns(w->x, event) : 0;

	if (!w->x->weight_is_period && !export_is_laid_out(w->x)) {
		json_put_str_or_null(&w->j, "weight", NULL);
	} else {
		json_put_array(&w->j, "weight");
		for (uint32_t i = 0; i < w->rows.nr; i++) {
			uint64_t weight;

			if (__builtin_mul_overflow(w->rows.v[i].weight, time_unit_ns ? time_unit_ns : 1, &weight))
				weight = UINT64_MAX;
			export_json_fixed(&w->j, weight, time_unit_ns ? FIREFOX_MS_DECIMALS : 0);
		}
		json_array_end(&w->j);
	}
	json_put_str(&w->j, "weightType", time_unit_ns ? "tracing-ms" : unit && !strcmp(unit, "bytes") ? "bytes" : "samples");
}

/* Of a clock the period is the CPU time since the sample before, so that idle time shows as such. */
static void put_samples(struct firefox *w, const struct export_series *se)
{
	struct json *j = &w->j;

	collect_rows(w, se);
	json_put_object(j, "samples");
	json_put_array(j, "stack");
	for (uint32_t i = 0; i < w->rows.nr; i++) {
		if (w->rows.v[i].node == EXPORT_ROOT)
			json_null(j);
		else
			json_u64(j, w->rows.v[i].node - 1);
	}
	json_array_end(j);
	json_put_array(j, "time");
	for (uint32_t i = 0; i < w->rows.nr; i++)
		export_json_fixed(j, w->x->time_ns[w->rows.v[i].sample] - w->x->first_ns, FIREFOX_MS_DECIMALS);
	json_array_end(j);
	if (export_is_clock(w->x, se->event)) {
		json_put_array(j, "threadCPUDelta");
		for (uint32_t i = 0; i < w->rows.nr; i++)
			json_u64(j, w->rows.v[i].period);
		json_array_end(j);
	}
	put_weights(w, se->event);
	json_put_u64(j, "length", w->rows.nr);
	json_object_end(j);
}

/* The name of the process is that of its first thread, where that was sampled; those stand in front. */
static const char *process_name(const struct firefox *w, uint32_t series)
{
	const struct profile_task *tasks = w->x->p->tasks.v;
	int32_t pid = tasks[w->list.v.v[series].task].pid;

	while (series && tasks[w->list.v.v[series - 1].task].pid == pid && tasks[w->list.v.v[series].task].tid != pid)
		series--;
	return export_task_name(w->x, w->list.v.v[series].task);
}

void firefox_thread_head(struct firefox *w, const struct firefox_thread *t)
{
	struct json *j = &w->j;

	json_put_str(j, "processType", "default");
	firefox_ms(j, "processStartupTime", t->process_begin_ns);
	json_put_str_or_null(j, "processShutdownTime", NULL);
	firefox_ms(j, "registerTime", t->begin_ns);
	json_put_str_or_null(j, "unregisterTime", NULL);
	firefox_empty(j, "pausedRanges");
	json_put_str(j, "name", t->name);
	json_put_str(j, "processName", t->process_name);
	json_put_bool(j, "isMainThread", t->is_main);
	json_put_str(j, "pid", t->pid);
	json_put_i64(j, "tid", t->tid);
}

static void put_thread(struct firefox *w, uint32_t series, uint64_t process_start_ns)
{
	const struct export_series *se = &w->list.v.v[series];
	const struct profile_task *t = &w->x->p->tasks.v[se->task];
	const char *task_name = export_task_name(w->x, se->task);
	char *name = export_has_many_events(w->x) ? mem_printf("%s (%s)", task_name, export_event_name(w->x, se->event))
						  : mem_strdup(task_name);
	char pid[16];
	struct firefox_thread head = { .begin_ns = w->x->time_ns[w->list.samples[se->first]] - w->x->first_ns,
				       .process_begin_ns = process_start_ns - w->x->first_ns,
				       .name = name,
				       .process_name = process_name(w, series),
				       .pid = pid,
				       .is_main = t->tid == t->pid,
				       .tid = t->tid };

	snprintf(pid, sizeof(pid), "%d", t->pid);
	json_object(&w->j);
	firefox_thread_head(w, &head);
	put_samples(w, se);
	firefox_markers(w, series);
	json_object_end(&w->j);
	free(name);
}

static void put_threads(struct firefox *w)
{
	const struct profile *p = w->x->p;

	json_put_array(&w->j, "threads");
	for (uint32_t i = 0, next; i < w->list.v.nr; i = next) {
		int32_t pid = p->tasks.v[w->list.v.v[i].task].pid;
		uint64_t start = UINT64_MAX;

		for (next = i; next < w->list.v.nr && p->tasks.v[w->list.v.v[next].task].pid == pid; next++) {
			uint64_t time_ns = w->x->time_ns[w->list.samples[w->list.v.v[next].first]];

			start = time_ns < start ? time_ns : start;
		}
		for (uint32_t k = i; k < next; k++)
			put_thread(w, k, start);
	}
	firefox_state_threads(w);
	json_array_end(&w->j);
}

void export_firefox(struct export *x)
{
	struct firefox w = { .x = x };

	json_init(&w.j, x->o, false);
	export_tree_init(&w.tree, x, EXPORT_BY_ADDRESS);
	export_lay_out(x, &w.tree, NS_PER_MS);
	export_series_init(&w.list, x);
	firefox_states_init(&w);
	json_object(&w.j);
	put_meta(&w);
	put_threads(&w);
	firefox_tables(&w);
	json_object_end(&w.j);
	out_char(x->o, '\n');
	export_tree_fini(&w.tree);
	export_series_fini(&w.list);
	vec_fini(&w.rows);
	vec_fini(&w.states);
	firefox_tables_fini(&w);
}
