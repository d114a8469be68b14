/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A session turns the records of any source (perfdata/record_source.h) into located samples: it finds their event and time, orders them,
 * tracks tasks and maps, and says which DSO an address was in at that moment.
 */
#ifndef ASSAY_SESSION_SESSION_H
#define ASSAY_SESSION_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/record.h"
#include "abi/sample.h"
#include "base/budget.h"
#include "base/errbuf.h"
#include "base/hash.h"
#include "base/out.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "perfdata/info.h"
#include "perfdata/record_source.h"
#include "session/machine.h"
#include "session/recording.h"
#include "symbols/elf_file.h"
#include "symbols/symbolizer.h"

/* ---- samples that carry counts (SAMPLE_READ, as in `-e '{a,b}:S'`): one sample of the leader stands for one of each member, whose period is
 * how far its count has moved since the last one ---- */

struct group_read_last { /* the count of an event id, when last read */
	uint64_t id, value;
	uint32_t tid; /* of whom; 0 where an id has one count for all */
};

/* A zeroed struct is a fresh one. */
struct group_read {
	VEC(struct group_read_last) last;
	struct hindex index;
	/* the sample at hand */
	struct sample_layout layout;
	struct sample_read read;
	uint32_t tid;
	uint64_t next;
};

void group_read_fini(struct group_read *g);
/* Begins with the counts of a sample. `per_task`: the event is inherited, so that its counts are those of the sample's
 * task alone, under an id that all tasks share. */
void group_read_begin(struct group_read *g, const struct sample_layout *l, const struct sample *s, bool per_task);
/* The next member that moved: its id and by how much. False at the end. */
bool group_read_next(struct group_read *g, uint64_t *id, uint64_t *period);

/* ---- what the header says of the machine and the files: whether that machine is this one (by architecture, host name, kernel release and
 * the kernel's build-id, as far as known), and the build-ids it lists, by file name ---- */

/* What is known of the machine that reads. */
struct origin_host {
	char hostname[65], osrelease[65], arch[65]; /* "": unknown */
	struct build_id kernel;
};

void origin_host_init(struct origin_host *here);
/* What the header says of itself, compared with `here`. */
void origin_find(struct origin *o, const struct perfdata_info *info, const struct origin_host *here);

/* What a name stands for. */
struct known_build_id {
	uint32_t entry;	   /* in info->build_ids; UINT32_MAX: none */
	bool is_ambiguous; /* several files had that name: which one is meant is not known */
};

/* A zeroed struct is ready. */
struct known_build_ids {
	struct strtab keys;		  /* what kind of name, and the name */
	VEC(struct known_build_id) known; /* by key */
	struct out key;			  /* the one at hand */
	bool is_ready;
	uint32_t nr_seen;      /* of info->build_ids, which grows while a pipe is read */
	const char *last_seen; /* the file name of the last of them */
};

void known_build_ids_fini(struct known_build_ids *k);
/* The build-id of a file, or NULL. The kernel is under "[kernel.kallsyms]" or the path of a vmlinux, a module under its path or
 * "[name]". */
const struct perfdata_build_id *known_build_ids_find(struct known_build_ids *k, const struct perfdata_info *info, enum module_kind kind,
						     const char *path);

/* ---- time order of records from several rings ----
 *
 * Guarantee: records come out by time, those of equal time in the order they came in, as long as no record is older than the newest record of
 * the round before the last FINISHED_ROUND, which a recorder that empties all rings in each round ensures. A record that is older still comes
 * out, late, and is counted. Without rounds everything waits for the end, unless more than `max_held_bytes` would wait: then the older half
 * comes out. A record without a time is not queued: it comes out where it stands. */

/* Half a cache line: entries are copied three times. */
struct order_entry {
	uint64_t time_ns;
	struct record_header *header;
	struct record_block *block;
	int64_t event : 20; /* up to ORDER_EVENT_MAX; -1: none */
	uint64_t at : 44;   /* as source_record.at: no file is larger */
};
_Static_assert(sizeof(struct order_entry) == 32, "it fills words");

#define ORDER_EVENT_MAX ((1 << 19) - 1)

static inline struct order_entry order_entry_of(uint64_t time_ns, const struct source_record *rec, int32_t event)
{
	return (struct order_entry){
		.time_ns = time_ns,
		.header = rec->header,
		.block = rec->block,
		.event = event,
		.at = rec->at,
	};
}

struct order {
	VEC(struct order_entry) queue;	 /* [next, ready_end) is ready, [next, nr) is held */
	VEC(struct order_entry) scratch; /* for merging */
	VEC(uint32_t) runs;		 /* where sorted parts of the queue begin; none: all of it is one */
	VEC(uint32_t) ready_runs;	 /* the same of what becomes ready */
	uint32_t next;
	uint32_t ready_end;
	uint64_t last_ns;    /* of the entry that was added last; 0: the queue is empty */
	uint64_t newest_ns;  /* of all that came in */
	uint64_t horizon_ns; /* newest of the round before */
	uint64_t delivered_ns;
	uint64_t nr_late;
	uint64_t max_held_bytes; /* of records that wait, with their entries; 0: no limit */
	uint64_t held_bytes;	 /* counted where there is a limit */
};

/* How far ahead records are fetched into the cache: they were read a round ago. */
#define ORDER_PREFETCHED 6

void order_fini(struct order *o);
/* For order_add(): the entry at this place is older than the one before it. */
void order_begin_run(struct order *o, uint32_t at);
/* For order_add(): what is held exceeds the limit; the older half becomes ready. */
void order_release_half(struct order *o);

/* Bytes of a record that waits, with its entry in two arrays. */
static inline uint64_t order_held_size(const struct order_entry *e)
{
	return e->header->size + 2 * sizeof(*e);
}

/* Queues a record and holds its block; some may be ready after it. */
static inline void order_add(struct order *o, uint64_t time_ns, const struct source_record *rec, int32_t event)
{
	struct order_entry *e = vec_add(&o->queue);

	if (time_ns < o->last_ns)
		order_begin_run(o, o->queue.nr - 1);
	o->last_ns = time_ns;
	if (time_ns > o->newest_ns)
		o->newest_ns = time_ns;
	if (time_ns < o->delivered_ns)
		o->nr_late++;
	record_hold(rec->block);
	*e = order_entry_of(time_ns, rec, event);
	if (!o->max_held_bytes)
		return;
	o->held_bytes += order_held_size(e);
	if (o->held_bytes > o->max_held_bytes)
		order_release_half(o);
}

/* A round is over: what is older than the round before is ready. */
void order_round(struct order *o);
/* The stream is over: everything is ready. */
void order_finish(struct order *o);
/* What is queued is not wanted any more. */
void order_drop(struct order *o);

/* The next ready record, or NULL. The caller releases its block when done; valid until the next order_add(). */
static inline struct order_entry *order_next(struct order *o)
{
	struct order_entry *e;

	if (o->next >= o->ready_end)
		return NULL;
	e = &o->queue.v[o->next++];
	if (o->ready_end - o->next > ORDER_PREFETCHED) {
		uintptr_t ahead = (uintptr_t)e[ORDER_PREFETCHED].header;

		__builtin_prefetch((const void *)ahead);
		__builtin_prefetch((const void *)(ahead + 64));
	}
	if (o->max_held_bytes)
		o->held_bytes -= order_held_size(e);
	o->delivered_ns = e->time_ns;
	return e;
}

#define SESSION_LAST_IDS 64 /* a power of two */

struct session_options {
	struct symbolizer_options symbols;
	/* Sees each record as it was recorded, before session_next() hands it out (a sample with counts: several times); may be NULL. */
	void (*each_record)(void *ctx, const struct session_record *sr);
	void *each_record_ctx;
	/* Whether samples of an event are wanted: others are counted, and not looked at. NULL: all are. */
	bool (*wants_samples)(void *ctx, int32_t event);
	void *wants_samples_ctx;
	/* Of samples of tracepoints only task, CPU, time, call chain and raw data are decoded: other members of rec.sample are not set. */
	bool plain_samples;
	bool user_only;	 /* code of the kernel is not looked at */
	bool file_order; /* records as they stand in the file: no sorting */
};

/* What is known of an event from its first sample on. */
struct session_event {
	struct sample_places places;
	bool is_unwanted;
	bool is_python; /* what it says goes with the samples of others */
};

struct session {
	struct record_source *source;
	struct recording recording; /* what is known of it, for models and views */
	struct session_options options;
	struct origin origin; /* whether it was recorded on this machine */
	bool is_origin_stale; /* a pipe said more since */
	struct known_build_ids build_ids;
	struct machine machine;
	struct order order;
	struct budget memory;	 /* for what records say: tasks, maps, files; stacks of a profile. Where it is used up, the stream ends. */
	struct group_read group; /* of the sample at hand */
	struct session_record group_leader;
	bool in_group;		     /* its members are being handed out */
	struct embedded_files files; /* that were mapped, as the recorder saw them */
	bool has_files;
	uint64_t nr_repeats, next_repeat; /* of group_leader, where samples stand for several */
	struct budget repeats;		  /* all of them */
	struct record_block *current;	  /* of the record last delivered; released at the next */
	struct session_id {		  /* event ids that were met last */
		uint64_t id;
		int32_t event;
	} last_ids[SESSION_LAST_IDS];
	VEC(struct session_event) events; /* of the recording, as far as samples of them were met */
	uint64_t nr_event_ids;		  /* that there were then, with the events */
	int id_word;			  /* of samples: where the id of their event is; negative: nowhere, or there is one event */
	bool has_new_build_ids;		  /* that came as records, and no DSO knows of */
	bool ended;
	bool is_stopped; /* its memory is exhausted */
};

/* Takes over the source, also where it fails. */
int session_open(struct session **s, struct record_source *source, const struct session_options *opts, struct errbuf *eb);
void session_close(struct session *s);

/* The next record in time order, its effect on tasks and maps applied. 1, 0 at the end (see recording.damage), or negative: -EAGAIN where
 * a live source has nothing for now. perf's own records (types from 64) come where they stand in the file. A sample that carries counts, or
 * stands for several, comes out several times. */
int session_next(struct session *s, struct session_record *out, struct errbuf *eb);
/* The same, each record once, as it was recorded. */
int session_next_recorded(struct session *s, struct session_record *out, struct errbuf *eb);

#endif
