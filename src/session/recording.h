/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What models and views know of a recording beside its records (events and units, host, command line, losses, damage), and one record at a
 * time. They may not include session.h, the stream.
 */
#ifndef ASSAY_SESSION_RECORDING_H
#define ASSAY_SESSION_RECORDING_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/record.h"
#include "base/vec.h"
#include "perfdata/imported.h"
#include "perfdata/info.h"
#include "perfdata/record_source.h"
#include "session/machine.h"
#include "session/python_frames.h"
#include "session/tracepoints.h"

/* What was met on the way, for headers, --stats and warnings. */
struct recording_stats {
	uint64_t nr_records;
	uint64_t nr_by_type[RECORD_TYPE_MAX];
	uint64_t nr_unknown_types;
	uint64_t nr_compressed;	  /* set at the end */
	uint64_t nr_lost_events;  /* sum of LOST records */
	uint64_t nr_lost_samples; /* sum of LOST_SAMPLES records */
	uint64_t nr_throttled;
	uint64_t nr_malformed;	 /* records that do not decode; skipped */
	uint64_t nr_unknown_ids; /* samples of no known event; skipped */
	uint64_t nr_late;	 /* set at the end */
	uint64_t waited_bytes;	 /* set at the end: of records that had to wait for it, with what sorting them takes */
	uint64_t nr_unrepeated;	 /* samples that came out once, though they stand for several: too many in all */
	uint64_t first_malformed_at, first_unknown_id_at; /* as source_record.at */
	uint64_t first_sample_ns, last_sample_ns;
};

struct recording {
	const struct perfdata_info *info;   /* events, host, command line; of a pipe it fills up while records are read */
	const struct source_damage *damage; /* never NULL */
	struct recording_stats stats;
	VEC(uint64_t) lost_by_event; /* sums of LOST_SAMPLES records; may be shorter than info->events */
	struct imported imported;    /* all zero where it was not */
	bool is_imported;
	struct tracepoints *tracepoints; /* never NULL */
	struct python_frames python;
};

struct session_record {
	const struct record_header *header;
	struct record rec;		   /* decoded, for kernel records; a view until the next call */
	int32_t event;			   /* index into info->events, or -1 */
	struct task *task;		   /* SAMPLE, COMM, MMAP, FORK (the child), EXIT, SWITCH…; NULL where there is none */
	uint64_t time_ns;		   /* 0: none */
	const struct python_stack *python; /* SAMPLE: of its thread; NULL: there is none */
	struct record_block *block;	   /* that it is in: held to keep it beyond the next call */
	uint64_t at;			   /* where its source has it */
};

/* Samples lost while recording: by event where the file has that (LOST_SAMPLES), else what the rings dropped (LOST). */
static inline uint64_t recording_lost(const struct recording *r)
{
	return r->stats.nr_by_type[RECORD_LOST_SAMPLES] ? r->stats.nr_lost_samples : r->stats.nr_lost_events;
}
/* The same of one event; 0 where the file counts no losses by event. */
static inline uint64_t recording_event_lost(const struct recording *r, uint32_t event)
{
	return event < r->lost_by_event.nr ? r->lost_by_event.v[event] : 0;
}

/* True where any event samples one of these (SAMPLE_CALLCHAIN …). */
static inline bool recording_samples(const struct recording *r, uint64_t sample_type)
{
	for (uint32_t i = 0; i < r->info->events.nr; i++)
		if (r->info->events.v[i].attr.sample_type & sample_type)
			return true;
	return false;
}

/* A tracepoint sample's fields as text, until the next call; NULL where it is none or the recording has no format for it. */
static inline const char *recording_trace_text(const struct recording *r, const struct session_record *sr)
{
	const struct attr *a = &r->info->events.v[sr->event].attr;
	const struct sample *s = &sr->rec.sample;

	return a->type == ATTR_TYPE_TRACEPOINT && s->raw ? tracepoints_text(r->tracepoints, a->config, s->raw, s->raw_size) : NULL;
}

/* Whether the samples were not taken one by one but imported as sums: then periods are what counts, and not how many samples there are. */
static inline bool recording_has_sums(const struct recording *r)
{
	return r->imported.flags & IMPORTED_SUMS;
}
/* Whether it holds two profiles to be compared: event 0 is what was before, event 1 what came after. */
static inline bool recording_is_pair(const struct recording *r)
{
	return r->imported.flags & IMPORTED_PAIR;
}
/* Whether stacks are known to be as long as they are: nothing was cut. */
static inline bool recording_has_whole_stacks(const struct recording *r)
{
	return r->imported.flags & IMPORTED_WHOLE_STACKS;
}
/* What the source of an imported recording says its values and labels are; NULL where it does not. */
static inline const struct imported *recording_values(const struct recording *r)
{
	return r->imported.types.nr ? &r->imported : NULL;
}
/* What the periods of an event are counted in, by that ("bytes"); NULL where it is not known, or just a count. */
static inline const char *recording_event_unit(const struct recording *r, uint32_t event)
{
	return imported_unit(&r->imported, event);
}

#endif
