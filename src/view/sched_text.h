/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The views of `sched`: tables and lines of a time line (model/timeline.h), in perf sched's layout where it has the view, too.
 */
#ifndef ASSAY_VIEW_SCHED_TEXT_H
#define ASSAY_VIEW_SCHED_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/errbuf.h"
#include "base/out.h"
#include "base/vec.h"
#include "model/filter.h"
#include "model/idle_stacks.h"
#include "model/profile.h"
#include "model/run_sums.h"
#include "model/sched_replay.h"
#include "model/timeline.h"

/* Times as perf sched prints them: seconds with six decimals, milliseconds with three, both cut and not rounded, aligned to the right. */
void sched_put_seconds(struct out *o, uint64_t ns, int width);
void sched_put_ms(struct out *o, uint64_t ns, int width);
/* "comm" for a terminal; of the idle task "<idle>". */
void sched_put_comm(struct out *o, const struct timeline *t, const struct timeline_track *k);

/* "comm[tid]", "comm[tid/pid]" of a thread, "<idle>", at least `width` columns; returned is how many bytes the text has. */
int sched_put_task(struct out *o, const struct timeline *t, const struct timeline_track *k, int width);

/* The texts of tasks with these columns, so that a line copies one: by track, as long as name and process are the same. */
struct sched_task_text {
	uint32_t comm;
	int32_t pid;
	uint8_t len; /* 0: not made, or too long */
	char text[55];
};
struct sched_task_texts {
	VEC(struct sched_task_text) v;
};

/* sched_put_task() with a width of SCHED_NAME_WIDTH. */
#define SCHED_NAME_WIDTH 30
void sched_task_texts_put(struct sched_task_texts *s, struct out *o, const struct timeline *t, uint32_t track);

/* ---- latency: a row per name or task: how often and how long it waited for a CPU ---- */

enum sched_latency_key {
	SCHED_BY_RUNTIME,
	SCHED_BY_COUNT,
	SCHED_BY_AVERAGE,
	SCHED_BY_MAX,
	SCHED_BY_TID,
};
#define SCHED_MAX_KEYS 5

struct sched_latency {
	enum sched_latency_key keys[SCHED_MAX_KEYS];
	uint32_t nr_keys;
	bool by_task; /* not by name */
};

/* "runtime", "switch", "avg", "max" or "pid", with commas between. */
int sched_latency_set_keys(struct sched_latency *l, const char *arg, struct errbuf *eb);
void sched_latency_print(const struct sched_latency *l, struct out *o, const struct timeline *t, uint64_t nr_lost);

/* ---- map: a line per switch, a column per CPU, two letters per task ---- */

struct sched_map_name { /* by track */
	char letters[3];
	bool is_explained; /* with the name that it has */
};

struct sched_map {
	struct out *o;
	const struct timeline *t;
	bool is_compact; /* columns in the order in which CPUs appear */
	bool is_fuzzy;	 /* names contain a word of task_names */
	bool has_colours;
	struct filter_names task_names;
	struct filter cpus;    /* lines of these CPUs only */
	struct filter colours; /* pids and CPUs */
	VEC(struct sched_map_name) names;
	VEC(uint32_t) columns; /* CPU of each, in the order they are printed */
	VEC(uint32_t) shown;   /* by CPU: the track whose letters are there */
	bool is_idle_explained;
	uint64_t nr_lines;
	uint32_t nr_letters; /* given so far */
};

void sched_map_fini(struct sched_map *m);
/* A task took a name, which may be the one that it had (execve). */
void sched_map_rename(struct sched_map *m, const struct task *task);
/* Records of this CPU were lost (TIMELINE_NONE: of any). */
void sched_map_lose(struct sched_map *m, uint32_t cpu);
void sched_map_add(struct sched_map *m, const struct sched_event *e, const struct timeline_step *step);

/* ---- timehist: a line per switch with what the task that leaves did, wakes and migrations between them, and sums ---- */

struct sched_timehist {
	struct out *o;
	struct profile *profile; /* of stacks */
	const struct timeline *t;
	const struct filter *filter; /* pids, tids, CPUs */
	VEC(int32_t) prios;	     /* only tasks of these; none: all */
	uint64_t from_ns, to_ns;     /* the window; to_ns UINT64_MAX: it has no end */
	bool shows_lines, shows_sums;
	bool shows_wakes, shows_migrations, shows_next, shows_cpus, shows_state, shows_prio, shows_migration_time;
	bool only_idle;
	bool has_stacks;
	uint32_t max_stack;
	uint32_t nr_cpus; /* columns of the CPUs */
	/* Of the lines. */
	struct run_sums sums;
	VEC(uint32_t) before_idle;	/* by CPU: the track that ran before; for only_idle */
	struct idle_stacks idle_stacks; /* for only_idle, where there are stacks */
	struct out stack;		/* the text of one, for them */
	struct sched_task_texts texts;
	uint64_t second;     /* whose text this is */
	char second_text[9]; /* "%8u." */
	bool has_head;
	uint64_t nr_passed; /* switches that passed the filters, wakes and migrations that are shown */
};

/* Its switches are zero or set. */
void sched_timehist_init(struct sched_timehist *h);
void sched_timehist_fini(struct sched_timehist *h);
/* The heading, once. Lines put it themselves: a file that cannot be read has none. */
void sched_timehist_head(struct sched_timehist *h);
/* An event that was added to the time line. */
void sched_timehist_add(struct sched_timehist *h, const struct session_record *sr, const struct sched_event *e,
			const struct timeline_step *step);
/* A line that says how many records were lost. */
void sched_timehist_lost(struct sched_timehist *h, const struct session_record *sr);
/* sched_sums.c: the summary behind the lines. `nr_cpus`: that the machine has. */
void sched_timehist_sums(struct sched_timehist *h, uint32_t nr_cpus);

/* ---- summary: a row per task: how long it ran, could have run, and was blocked for what ---- */

enum sched_format { SCHED_TEXT, SCHED_CSV, SCHED_JSON };
void sched_summary_print(struct out *o, const struct timeline *t, enum sched_format format);

/* ---- replay: the steps of tasks, and what each round took ---- */

struct sched_replay_rounds {
	uint64_t nr;
	double wall_ms, cpu_ms; /* of all so far */
};

void sched_replay_print_costs(struct out *o, const struct sched_replay_costs *c);
void sched_replay_print_tasks(struct out *o, const struct sched_replay *r, bool shows_steps);
/* Adds it to the sums, too. */
void sched_replay_print_round(struct out *o, struct sched_replay_rounds *sums, const struct sched_replay_result *result);

#endif
