/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The PMUs that sysfs shows (/sys/bus/event_source/devices/…): type, formats of their config words, named events with unit and scale, and
 * the CPUs they count on. The root is a parameter, so that tests have machines of their own.
 */
#ifndef ASSAY_KERNEL_PMU_H
#define ASSAY_KERNEL_PMU_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"
#include "kernel/cpus.h"

#define PMU_NR_CONFIG 4 /* config, config1, config2, config3 */

struct pmu_format {
	const char *name; /* "umask" */
	uint32_t word;	  /* 0: config, 1: config1, … */
	uint64_t mask;	  /* a value's bits go, lowest first, to the bits set here */
};

struct pmu_event {
	const char *name;  /* "cpu-cycles" */
	const char *terms; /* "event=0x3c" */
	const char *unit;  /* NULL: none */
	double scale;	   /* 1.0: none */
	bool is_snapshot;
};

struct pmu {
	const char *name;
	bool is_loaded; /* what follows is there: pmu_load() */
	uint32_t type;
	bool is_core;			/* counts on CPUs for tasks: "cpu", "cpu_core", "armv8_…" */
	bool is_uncore;			/* has a cpumask: one CPU counts for a device */
	struct cpu_list cpus;		/* cpumask or cpus; empty: any */
	VEC(struct pmu_format) formats; /* by name */
	VEC(struct pmu_event) events;	/* by name */
};

/* All PMUs of a machine, by name (cpu_core first, unit 2 before 10). Strings live as long as the set. A zeroed struct is an empty one. */
struct pmu_set {
	struct arena arena;
	char *devices; /* the directory */
	VEC(struct pmu) pmus;
};

/* Lists the PMUs below `sysfs` ("/sys"): their names; nothing else is read yet. No PMU at all (or no sysfs, or NULL) is an empty set. */
void pmu_set_init(struct pmu_set *s, const char *sysfs);
void pmu_set_fini(struct pmu_set *s);
/* The PMU of that name, loaded; NULL: there is none. */
const struct pmu *pmu_set_find(struct pmu_set *s, const char *name, size_t len);
/* The first PMU of CPUs that has all of these events ("slots,topdown-retiring"; NULL: any); NULL: there is none. */
const struct pmu *pmu_set_find_core(struct pmu_set *s, const char *events);
/* The first of them that it does not have; NULL: it has all. *len: of its name. */
const char *pmu_find_missing(const struct pmu *pmu, const char *events, size_t *len);
/* Is the PMU meant by this text: its name, its name without "uncore_" or the number at the end ("imc" and "uncore_imc" mean uncore_imc_0),
 * or a pattern? */
bool pmu_is_meant(const struct pmu *pmu, const char *text, size_t len);

/* Reads type, formats, events and CPUs, once. Files that cannot be understood are passed over. */
void pmu_load(struct pmu_set *s, struct pmu *pmu);
const struct pmu_format *pmu_find_format(const struct pmu *pmu, const char *name, size_t len);
const struct pmu_event *pmu_find_event(const struct pmu *pmu, const char *name, size_t len);

/* "config1:0-7,21" into a format's word and mask; -EBADMSG. */
int pmu_format_parse(struct pmu_format *f, const char *text);
/* The highest value that fits. */
uint64_t pmu_format_max(const struct pmu_format *f);
/* Puts a value into the words. -ERANGE: it does not fit. */
int pmu_format_put(const struct pmu_format *f, uint64_t value, uint64_t words[PMU_NR_CONFIG]);

#endif
