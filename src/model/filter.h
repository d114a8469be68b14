/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which samples count: --time, --comm, --pid, --tid, --cpu, --dso, --symbol, --filter, --parallelism. Lists are comma-separated; an empty list passes
 * everything.
 */
#ifndef ASSAY_MODEL_FILTER_H
#define ASSAY_MODEL_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/errbuf.h"
#include "base/vec.h"
#include "model/profile.h"
#include "session/field_filter.h"

struct filter_range {
	uint64_t from_ns, to_ns; /* both inside */
};

struct filter_names { /* a vec, by name */
	char **v;
	uint32_t nr, cap;
};

struct filter_numbers { /* the same of a list such as 0-3,7 */
	uint32_t *v;
	uint32_t nr, cap;
};

struct filter {
	struct filter_names comms;
	struct filter_names dsos;
	struct filter_names symbols;
	VEC(int32_t) pids;
	VEC(int32_t) tids;
	struct filter_numbers cpus;
	struct filter_numbers parallelisms; /* numbers of threads that ran; of `report` */
	VEC(struct filter_range) times;
	struct field_filter *fields; /* of tracepoints; NULL: none */
	const char *time_arg;	     /* percentages wait for the file's first and last sample */
};

void filter_fini(struct filter *f);
/* "a,b,c" into a list of names. Commas inside (), <>, [] and {} are those of a name. */
void filter_add_names(struct filter_names *names, const char *arg);
int filter_add_ids(struct filter *f, bool tids, const char *option, const char *arg, struct errbuf *eb);
/* "0-3,7"; `option` without its dashes */
int filter_add_cpus(struct filter *f, const char *option, const char *arg, struct errbuf *eb);
/* "1,64-128" */
int filter_add_parallelisms(struct filter *f, const char *arg, struct errbuf *eb);
/* "START,STOP" (seconds; either may be missing), several with blanks between; "10%/2" (the second tenth), "0%-10%,30%-40%". */
int filter_set_time(struct filter *f, const char *arg, struct errbuf *eb);
/* "prev_state == 1 && comm ~ \"ba*\""; several are joined by &&. */
int filter_add_fields(struct filter *f, const char *arg, struct errbuf *eb);
/* Turns percentages into times; to be called when the session is open. */
int filter_resolve_time(struct filter *f, const struct perfdata_info *info, struct errbuf *eb);

/* Whether anything can fail to pass. */
static inline bool filter_is_set(const struct filter *f)
{
	return f->parallelisms.nr | f->comms.nr | f->dsos.nr | f->symbols.nr | f->pids.nr | f->tids.nr | f->cpus.nr | f->times.nr |
	       (f->fields != NULL);
}

/* Time, CPU and fields: what does not pass is not part of the profile at all. */
bool filter_keeps_sample(const struct filter *f, const struct session_record *sr);
/* Name, pid and tid. A report leaves these out of its rows but counts them in its total, as perf does. */
bool filter_keeps_task(const struct filter *f, const struct profile *p, uint32_t task);
/* How many threads ran; counted in the total in the same way. */
bool filter_keeps_parallelism(const struct filter *f, uint32_t parallelism);
/* DSO and symbol of a place; frame FRAME_NONE: it has no symbol. */
bool filter_keeps_place(const struct filter *f, const struct profile *p, uint32_t dso, uint32_t frame);

#endif
