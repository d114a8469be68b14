/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which files of compared recordings are the same: a build under another name is the same program.
 *
 * By default the main programs of all recordings are one file, under the name in the first recording, unless a recording has both names;
 * other files match by name.
 */
#ifndef ASSAY_MODEL_MATCH_H
#define ASSAY_MODEL_MATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strtab.h"
#include "base/vec.h"
#include "session/machine.h"
#include "session/recording.h"

/* Which programs a recording is about: the one that `record` started, and the one whose processes have most samples. The program of a process
 * is the first file that it maps executable, since it began or since its last exec. Fed record by record. */

struct programs {
	struct machine *machine; /* borrowed, as is the next */
	const struct recording *recording;
	VEC(uint32_t) of_task;	  /* by id of a process leader: the DSO of its program; DSO_NONE: not known yet */
	VEC(uint64_t) nr_samples; /* by DSO: of the processes whose program it is */
	struct task *started;	  /* by `record`; NULL: not met yet */
	uint32_t started_dso;	  /* its program; DSO_NONE: none was started, or it is not known */
	bool has_started;
};

void programs_init(struct programs *p, struct machine *m, const struct recording *r);
void programs_fini(struct programs *p);

void programs_see(struct programs *p, const struct session_record *sr);

/* The DSO of the program with most samples; DSO_NONE: none has any. */
uint32_t programs_busiest(const struct programs *p);

enum match_by {
	MATCH_PROGRAM, /* by file name, and main programs whatever their names */
	MATCH_FILE,    /* by file name, without its directory, as perf does */
	MATCH_PATH,    /* by path */
	MATCH_NAME,    /* functions by their names, in whatever file */
	MATCH_BUILD,   /* by build-id; by path where there is none */
	MATCH_NR,
};

#define MATCH_PROGRAMS 2 /* of a recording: the busiest, and the one that was started */

/* Two names of one program, and the names of tasks that go with them. Ids of the match's strings. */
struct match_pair {
	uint32_t base, now;
	uint32_t base_comm, now_comm;
};

struct match {
	enum match_by by;
	struct strtab strings;
	VEC(uint8_t) is_base_file;		/* by string: the first recording has a file of that name */
	uint32_t base_programs[MATCH_PROGRAMS]; /* 0: none */
	bool has_base;
	VEC(struct match_pair) pairs;
};

void match_init(struct match *m, enum match_by by);
void match_fini(struct match *m);

/* "program", "file" … */
const char *match_word(enum match_by by);

/* Takes note of a recording that was read to its end; the first is what the others are paired with. */
void match_add(struct match *m, const struct programs *p);

/* What a file is shown and added up by: its name, its path, or its name with its build-id; until the next call with that buffer. */
const char *match_label(const struct match *m, const struct dso *d, char *buf, size_t size);
/* The name under which a file or a task is looked for in other recordings; itself where it was not paired. */
const char *match_file(const struct match *m, const char *name);
const char *match_comm(const struct match *m, const char *comm);

/* "app-old with app-new, …"; NULL: nothing was paired. The caller frees. */
char *match_text(const struct match *m);

#endif
