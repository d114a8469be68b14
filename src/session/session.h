/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A session turns the records of any source (perfdata/record_source.h) into located samples: it finds their event and time, puts them
 * in time order, keeps track of tasks and maps, and says for an address which DSO it was in at that moment.
 *
 * It owns the tables of tasks and DSOs. It does not know what is made of a sample: no names, no counts, no text.
 */
#ifndef ASSAY_SESSION_SESSION_H
#define ASSAY_SESSION_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/record.h"
#include "base/budget.h"
#include "base/errbuf.h"
#include "perfdata/info.h"
#include "perfdata/record_source.h"
#include "session/group_read.h"
#include "session/known_build_ids.h"
#include "session/machine.h"
#include "session/order.h"
#include "session/origin.h"
#include "session/tracepoints.h"

struct session_record;

struct session_options {
	struct symbolizer_options symbols;
	/* Sees each record as it was recorded, before session_next() hands it out (a sample with counts: several times); may be NULL. */
	void (*each_record)(void *ctx, const struct session_record *sr);
	void *each_record_ctx;
	bool user_only;	 /* code of the kernel is not looked at */
	bool file_order; /* records as they stand in the file: no sorting */
	int owned_fd;	 /* what the source is kept alive by: closed with the session, or where it cannot be opened. 0: nothing */
};

/* What was met on the way, for headers, --stats and warnings. */
struct session_stats {
	uint64_t nr_records;
	uint64_t nr_by_type[RECORD_TYPE_MAX];
	uint64_t nr_unknown_types;
	uint64_t nr_lost_events; /* sum of LOST records */
	uint64_t nr_lost_samples; /* sum of LOST_SAMPLES records */
	uint64_t nr_throttled;
	uint64_t nr_malformed; /* records that do not decode; skipped */
	uint64_t nr_unknown_ids; /* samples of no known event; skipped */
	uint64_t nr_late;
	uint64_t nr_unrepeated; /* samples that came out once, though they stand for several: too many in all */
	uint64_t first_malformed_at, first_unknown_id_at; /* as source_record.at */
	uint64_t first_sample_ns, last_sample_ns;
};

struct session_record {
	const struct record_header *header;
	struct record rec; /* decoded, for kernel records; a view until the next call */
	int32_t event;	   /* index into info->events, or -1 */
	struct task *task; /* SAMPLE, COMM, MMAP, FORK (the child), EXIT, SWITCH…; NULL where there is none */
	uint64_t time_ns;  /* 0: none */
	struct record_block *block; /* that it is in: held to keep it beyond the next call */
	uint64_t at;	   /* where its source has it */
};

struct session {
	struct record_source *source;
	const struct perfdata_info *info;
	struct session_options options;
	struct origin origin; /* whether it was recorded on this machine */
	bool is_origin_stale; /* a pipe said more since */
	struct known_build_ids build_ids;
	struct machine machine;
	struct order order;
	struct budget memory; /* for what records say: tasks, maps, files; stacks of a profile. Where it is used up, the stream ends. */
	struct group_read group;     /* of the sample at hand */
	struct session_record group_leader;
	bool in_group;		     /* its members are being handed out */
	struct embedded_names names; /* that came with the recording */
	bool has_names;
	struct embedded_names files; /* that were mapped, as the recorder saw them */
	bool has_files;
	uint64_t nr_repeats, next_repeat; /* of group_leader, where samples stand for several */
	struct budget repeats;		  /* all of them */
	struct tracepoints *tracepoints; /* made when first asked for */
	struct session_stats stats;
	VEC(uint64_t) lost_by_event; /* sums of LOST_SAMPLES records; may be shorter than info->events */
	struct record_block *current; /* of the record last delivered; released at the next */
	bool has_new_build_ids; /* that came as records, and no DSO knows of */
	bool ended;
};

/* Takes over the source, also where it fails. */
int session_open(struct session **s, struct record_source *source, const struct session_options *opts, struct errbuf *eb);
void session_close(struct session *s);

/* The next record in time order, its effect on tasks and maps applied. 1, 0 at the end (see session_damage()), or negative: -EAGAIN where
 * a live source has nothing for now. perf's own records (types from 64) come where they stand in the file. A sample that carries counts, or
 * stands for several, comes out several times. */
int session_next(struct session *s, struct session_record *out, struct errbuf *eb);
/* The same, each record once, as it was recorded. */
int session_next_recorded(struct session *s, struct session_record *out, struct errbuf *eb);

static inline const struct source_damage *session_damage(const struct session *s)
{
	return s->source->damage;
}

/* Samples that were lost while recording: counted by the kernel per event where the file has that (LOST_SAMPLES), by what the rings
 * dropped (LOST) otherwise. */
static inline uint64_t session_lost(const struct session *s)
{
	return s->stats.nr_by_type[RECORD_LOST_SAMPLES] ? s->stats.nr_lost_samples : s->stats.nr_lost_events;
}

/* The same of one event; 0 where the file counts no losses by event. */
static inline uint64_t session_event_lost(const struct session *s, uint32_t event)
{
	return event < s->lost_by_event.nr ? s->lost_by_event.v[event] : 0;
}

static inline struct location session_locate(struct session *s, const struct task *task, uint64_t ip, unsigned cpumode)
{
	return machine_locate(&s->machine, task, ip, cpumode);
}
/* Equal keys: every address of that task (and of the kernel) locates as it did before. */
static inline uint64_t session_map_key(const struct session *s, const struct task *task)
{
	return (uint64_t)s->machine.kernel_maps.generation << 32 | task_maps(task)->generation;
}

/* The formats of the recording's tracepoints; NULL where it has none. To be asked for when its events are known: of a pipe, at its first
 * sample. */
struct tracepoints *session_tracepoints(struct session *s);
/* A tracepoint sample's fields as text, until the next call; NULL where it is none or the recording has no format for it. */
const char *session_trace_text(struct session *s, const struct session_record *sr);

/* Whether the samples were not taken one by one but imported as sums: then periods are what counts, and not how many samples there are. */
static inline bool session_has_sums(const struct session *s)
{
	return s->has_names && s->names.flags & EMBEDDED_SUMS;
}
/* Whether it holds two profiles to be compared: event 0 is what was before, event 1 what came after. */
static inline bool session_is_pair(const struct session *s)
{
	return s->has_names && s->names.flags & EMBEDDED_PAIR;
}
/* Whether stacks are known to be as long as they are: nothing was cut. */
static inline bool session_has_whole_stacks(const struct session *s)
{
	return s->has_names && s->names.flags & EMBEDDED_WHOLE_STACKS;
}

/* What the source of an imported recording says its values and labels are; NULL where it does not. */
static inline const struct embedded_values *session_values(const struct session *s)
{
	return s->has_names && s->names.values.types.nr ? &s->names.values : NULL;
}
/* What the periods of an event are counted in, by that ("bytes"); NULL where it is not known, or just a count. */
static inline const char *session_event_unit(const struct session *s, uint32_t event)
{
	const struct embedded_values *v = session_values(s);

	return v ? embedded_values_unit(v, event) : NULL;
}

static inline const char *session_comm(const struct session *s, const struct task *task)
{
	return strtab_get(&s->machine.tasks.strings, task->comm);
}

#endif
