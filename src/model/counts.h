/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What was counted: events × CPUs × threads, read again and again, and the rows that come of it.
 *
 * Life of a `struct counts`:
 *
 *	counts_init(), then counts_add_event / _add_cpu / _add_thread, then counts_start();
 *	for each run (-r):
 *		counts_begin_run();
 *		at each reading: counts_begin_reading(), counts_put() for every cell,
 *			counts_put_times(), with -I: counts_compute(COUNTS_INTERVAL) and print;
 *		counts_end_run();
 *	counts_compute(COUNTS_TOTAL) and print.
 *
 * A cell holds running totals as the kernel has them; deltas, scaling for multiplexing, sums by
 * core, socket, …, means and spreads are made here. `stat` fills it from live counters, `stat
 * report` from a file: it knows neither. Printers read `rows` through counts_row_get() and
 * metrics.h; a value times its event's `scale` is what a person sees.
 */
#ifndef ASSAY_MODEL_COUNTS_H
#define ASSAY_MODEL_COUNTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/vec.h"

enum counts_aggr {
	COUNTS_GLOBAL,
	COUNTS_PER_SOCKET,
	COUNTS_PER_DIE,
	COUNTS_PER_CORE,
	COUNTS_PER_NODE,
	COUNTS_PER_CPU, /* -A */
	COUNTS_PER_THREAD,
};

/* Events that the kernel does not count. */
enum counts_tool { COUNTS_TOOL_NONE, COUNTS_DURATION_TIME, COUNTS_USER_TIME, COUNTS_SYSTEM_TIME };

struct counts_event {
	const char *name;   /* as shown; copied by counts_add_event() */
	const char *unit;   /* "msec", "ns", "Joules"; "" for none; copied */
	const char *cgroup; /* NULL: none; copied */
	double scale;	    /* shown value = value * scale; 1 for most */
	uint32_t type;	    /* ATTR_TYPE_*: metrics know events by type and config */
	uint64_t config;
	uint32_t excluded; /* COUNTS_EXCLUDE_*: events of one metric must agree in it */
	enum counts_tool tool;
	uint32_t leader;   /* index of its group's leader; its own where there is no group */
	bool supported;	   /* false: the machine refused it; shown as <not supported> */
	bool snapshot;	   /* a level, not a running total: intervals show it as it is */
	bool has_no_times; /* COUNTS_USER_TIME and _SYSTEM_TIME are unknown: <not counted> */
};
#define COUNTS_EXCLUDE_USER 1u
#define COUNTS_EXCLUDE_KERNEL 2u
#define COUNTS_EXCLUDE_HV 4u
#define COUNTS_EXCLUDE_IDLE 8u
#define COUNTS_EXCLUDE_HOST 16u

/* A column of the matrix. cpu -1: any (counting of tasks), then all ids are -1 too. */
struct counts_cpu {
	int32_t cpu, core, die, socket, node;
};
struct counts_thread {
	pid_t tid;	  /* -1: all tasks */
	const char *comm; /* copied; NULL: unknown */
};

/* A running total, as read. enabled/running: ns. */
struct counts_cell {
	uint64_t value, enabled, running;
	bool present; /* an event may not be open on every CPU, or the thread is gone */
};

/* What a row is of: one for COUNTS_GLOBAL, else one per CPU, core, …, thread, in perf's order. Ids that do not apply are -1. */
struct counts_place {
	int32_t cpu, core, die, socket, node;
	uint32_t thread;    /* COUNTS_PER_THREAD: index into threads; else 0 */
	uint32_t nr_cpus;   /* CPUs in it: the number behind "S0-D0-C0" */
	uint32_t first_cpu; /* index of the first of them in `cpus` */
};

enum counts_state {
	COUNTS_OK,
	COUNTS_NOT_COUNTED,   /* it never ran: <not counted> */
	COUNTS_NOT_SUPPORTED, /* <not supported> */
	COUNTS_ABSENT,	      /* not counted here at all: no row (a socket's event on another CPU) */
};

struct counts_row {
	enum counts_state state;
	double value;		 /* scaled for multiplexing (unless no_scale); the mean over runs for
			       COUNTS_TOTAL; before the event's `scale` */
	double enabled, running; /* ns, summed over the cells; means over runs */
	double spread_pct;	 /* standard error of the mean / mean * 100; 0 for one run */
	uint32_t nr_cells;	 /* how many readings are in it: CPUs for most */
};
/* Was it multiplexed, so that its percentage is shown? */
static inline bool counts_row_is_scaled(const struct counts_row *r)
{
	return r->state == COUNTS_OK && r->running != r->enabled;
}
static inline double counts_row_running_pct(const struct counts_row *r)
{
	return r->enabled > 0 ? 100.0 * r->running / r->enabled : 100.0;
}

/* Mean and spread of a series, without keeping it (Welford's way). */
struct counts_series {
	double nr, mean, m2;
};
double counts_series_stderr(const struct counts_series *s);	/* of the mean */
double counts_series_spread_pct(const struct counts_series *s); /* stderr / |mean| * 100 */

/* One finished run, for --table. */
struct counts_run {
	uint64_t elapsed_ns, user_ns, system_ns;
};

enum counts_span {
	COUNTS_INTERVAL, /* since the last such call (or counts_begin_run()) */
	COUNTS_TOTAL,	 /* the mean of all ended runs; before the first ended: the run so far */
};

struct metric_use;

struct counts {
	struct arena arena; /* strings */
	VEC(struct counts_event) events;
	VEC(struct counts_cpu) cpus;
	VEC(struct counts_thread) threads;
	enum counts_aggr aggr;
	bool no_scale;		       /* --no-scale: values as counted, although multiplexed */
	const struct metric_use *uses; /* -M: metrics that were asked for (model/metrics.h); borrowed */
	uint32_t nr_uses;

	VEC(struct counts_place) places;	    /* by counts_start() */
	struct counts_cell *now, *before;	    /* event-major: [event][cpu][thread] */
	struct counts_row *rows;		    /* [event][place], by counts_compute() */
	struct counts_series *series;		    /* 3 per row: value, enabled, running over runs */
	VEC(struct counts_run) runs;		    /* ended ones */
	struct counts_series elapsed, user, system; /* of `runs`, in ns */

	/* Of what was computed last. */
	enum counts_span span;
	double span_ns; /* wall time that the rows stand for: the interval, or the mean run */
	/* Readings so far in this run. */
	uint64_t elapsed_ns, user_ns, system_ns, before_elapsed_ns, before_user_ns, before_system_ns;
};

void counts_init(struct counts *c, enum counts_aggr aggr);
void counts_fini(struct counts *c);

/* Return the index. Strings are copied. Without a CPU, counts_start() adds one (-1), and likewise a thread. */
uint32_t counts_add_event(struct counts *c, const struct counts_event *e);
uint32_t counts_add_cpu(struct counts *c, const struct counts_cpu *cpu);
uint32_t counts_add_thread(struct counts *c, pid_t tid, const char *comm);
/* Makes the matrix and the places. */
void counts_start(struct counts *c);

void counts_begin_run(struct counts *c);
/* A new reading: the cells are empty again. */
void counts_begin_reading(struct counts *c);
/* Adds a counter's running total to its cell; counters that are shown as one event (PMUs of one kind) share a cell. A cell without any
 * is absent. */
void counts_put(struct counts *c, uint32_t event, uint32_t cpu, uint32_t thread, uint64_t value, uint64_t enabled, uint64_t running);
/* Times since the run began; they are the values of the tool events, too. */
void counts_put_times(struct counts *c, uint64_t elapsed_ns, uint64_t user_ns, uint64_t system_ns);
/* Adds the run's rows and times to the means. */
void counts_end_run(struct counts *c);

/* Fills `rows`, `span` and `span_ns`. */
void counts_compute(struct counts *c, enum counts_span span);

static inline struct counts_cell *counts_cell_at(const struct counts *c, struct counts_cell *matrix, uint32_t event, uint32_t cpu,
						 uint32_t thread)
{
	return &matrix[((size_t)event * c->cpus.nr + cpu) * c->threads.nr + thread];
}
/* The row of an event at a place, as computed last. */
static inline const struct counts_row *counts_row_get(const struct counts *c, uint32_t event, uint32_t place)
{
	return &c->rows[(size_t)event * c->places.nr + place];
}

/* The first counted event of that type and config with the exclusions and cgroup of `like` (clocks match any exclusions); its value into
 * *value. False where there is none, or its row at `place` was not counted. */
bool counts_find_value(const struct counts *c, uint32_t place, uint32_t like, uint32_t type, uint64_t config, double *value);

/* Order of rows sorted by value (--per-thread), without zeros if `skip_zero`. Fills order[] (room for places.nr) and returns the number. */
uint32_t counts_sort_places(const struct counts *c, uint32_t event, bool skip_zero, uint32_t *order);

#endif
