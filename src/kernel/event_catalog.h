/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What can be counted on this machine, kind by kind: generic events that the kernel agrees to open, events of sysfs PMUs, tracepoints, SDT
 * probes in the build-id cache, names that libpfm4 knows. The roots can be set, so that tests have machines of their own.
 */
#ifndef ASSAY_KERNEL_EVENT_CATALOG_H
#define ASSAY_KERNEL_EVENT_CATALOG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/errbuf.h"
#include "base/vec.h"
#include "kernel/pmu.h"

/* In the order of perf's list. */
enum catalog_kind {
	CATALOG_HARDWARE,
	CATALOG_SOFTWARE,
	CATALOG_TOOL, /* counted by stat itself: duration_time */
	CATALOG_CACHE,
	CATALOG_PMU,
	CATALOG_RAW,	    /* not events, but the ways to write one */
	CATALOG_BREAKPOINT, /* the same */
	CATALOG_TRACEPOINT,
	CATALOG_SDT,
	CATALOG_PFM,
	NR_CATALOG_KINDS
};
#define CATALOG_ALL ((1u << NR_CATALOG_KINDS) - 1)
/* The kinds that a word may mean: all that have names of their own. */
#define CATALOG_NAMED (CATALOG_ALL & ~(1u << CATALOG_RAW | 1u << CATALOG_BREAKPOINT))

struct catalog_event {
	enum catalog_kind kind;
	const char *name;	/* "cpu-clock", "msr/tsc/", "sched:sched_switch" */
	const char *alias;	/* another spelling: "cs", "cpu/cpu-cycles/"; or NULL */
	const char *plain_name; /* for lists of names only, where it is another; or NULL */
	const char *pmu;	/* that counts it, by its name in sysfs; NULL: not known */
	const char *unit;	/* of a count times `scale`; NULL: none */
	double scale;
	const char *encoding; /* the same by numbers: "msr/event=0x00/", "1:0x3"; or NULL */
	const char *desc;     /* or NULL */
};

struct event_catalog {
	const char *sysfs;     /* "/sys" */
	const char *tracefs;   /* NULL: where tracefs_find() finds it */
	const char *build_ids; /* perf's build-id cache; NULL: none */
	/* May the kernel be asked to open this generic event? NULL: perf_event_open(). */
	bool (*can_open)(uint32_t type, uint64_t config);
	VEC(struct catalog_event) events; /* all that was added; strings live as long as this */
	struct arena arena;
	struct pmu_set pmus;
	bool has_pmus; /* were looked for */
};
/* This machine, nothing listed yet. */
void event_catalog_init(struct event_catalog *c);
void event_catalog_fini(struct event_catalog *c);

/* Which events: patterns (fnmatch), NULL for any. A `system` is what stands before a tracepoint's colon; other kinds have none, so asking
 * for one leaves them out. */
struct catalog_filter {
	const char *system, *name;
	const char *pmu; /* of PMUs' events, only this one's; "core" is "cpu_core", too */
	bool ignore_case;
};
/* Does the filter's name (not its system) fit? */
bool catalog_filter_fits(const struct catalog_filter *f, const char *name);

/* "syscalls:*" becomes both patterns; a word without a colon may stand anywhere in a name. Either side of the colon may be empty: any. To
 * be given to catalog_filter_fini(). */
void catalog_filter_init(struct catalog_filter *f, const char *word);
void catalog_filter_fini(struct catalog_filter *f);

/* "hw" → 1 << CATALOG_HARDWARE; 0 where the word names no kind. */
unsigned event_catalog_find_kinds(const char *word);
/* "Hardware event", as perf's list has it. */
const char *event_catalog_kind_name(enum catalog_kind kind);

/* Appends the events of these kinds (bits of 1 << CATALOG_*) that fit, each kind in perf's order. A kind that cannot be read is left out:
 * then the first such error is returned, with its sentence; the other kinds are there all the same. */
int event_catalog_add(struct event_catalog *c, unsigned kinds, const struct catalog_filter *f, struct errbuf *eb);
/* Takes back what was added; the strings stay. */
void event_catalog_clear(struct event_catalog *c);

/* The name nearest to a word that fits nothing, "syscalls:*" for "syscals:*"; NULL where none is near. Clears the catalogue. */
const char *event_catalog_find_nearest(struct event_catalog *c, const char *word);

/* Does a PMU of cores have all these events ("slots,topdown-retiring")? */
bool event_catalog_has_core_events(struct event_catalog *c, const char *names);

/* The names of a tracepoint's own fields, "prev_comm prev_pid …"; NULL where it has none or they cannot be read. */
const char *event_catalog_fields(struct event_catalog *c, const struct catalog_event *e);

/* One function a kind, for event_catalog_add(). */
typedef int catalog_add_fn(struct event_catalog *c, enum catalog_kind kind, const struct catalog_filter *f, struct errbuf *eb);
catalog_add_fn catalog_add_tracepoints, catalog_add_sdt, catalog_add_pfm;
/* Appends one event with this name and returns it, the rest unset. */
struct catalog_event *catalog_new_event(struct event_catalog *c, enum catalog_kind kind, const char *name);
const char *catalog_printf(struct event_catalog *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Sorts by name what was added since `first`. */
void catalog_sort(struct event_catalog *c, uint32_t first);
/* The PMUs of the machine; loaded one by one as pmu.h says. */
struct pmu_set *catalog_pmus(struct event_catalog *c);

#endif
