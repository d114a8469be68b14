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
#include "session/intake.h"
#include "session/intake_ahead.h"
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

struct session {
	struct record_source *source;
	struct recording recording; /* what is known of it, for models and views */
	struct session_options options;
	struct origin origin; /* whether it was recorded on this machine */
	bool is_origin_stale; /* a pipe said more since */
	struct known_build_ids build_ids;
	struct machine machine;
	struct intake intake;
	struct intake_ahead *ahead; /* it works in a thread of its own; NULL: here */
	bool is_begun;		    /* records were asked for */
	struct budget memory;	 /* for what records say: tasks, maps, files; stacks of a profile. Where it is used up, the stream ends. */
	struct group_read group; /* of the sample at hand */
	struct session_record group_leader;
	bool in_group;		     /* its members are being handed out */
	struct embedded_files files; /* that were mapped, as the recorder saw them */
	bool has_files;
	uint64_t nr_repeats, next_repeat; /* of group_leader, where samples stand for several */
	struct budget repeats;		  /* all of them */
	struct record_block *current;	  /* of the record last delivered; released at the next */
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
