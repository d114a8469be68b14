/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which programs a recording is about: the one that `record` started, and the one whose processes have most samples.
 *
 * Fed record by record while a recording is read. The program of a process is the first file that it maps executable, since it began or since
 * its last exec. What is made of the answer is model/match.h's.
 */
#ifndef ASSAY_MODEL_PROGRAMS_H
#define ASSAY_MODEL_PROGRAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "session/machine.h"
#include "session/recording.h"

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

#endif
