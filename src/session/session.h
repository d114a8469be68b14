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
#include "perfdata/record_source.h"
#include "session/group_read.h"
#include "session/machine.h"
#include "session/order.h"
#include "session/origin.h"
#include "session/recording.h"

struct session_options {
	struct symbolizer_options symbols;
	/* Sees each record as it was recorded, before session_next() hands it out (a sample with counts: several times); may be NULL. */
	void (*each_record)(void *ctx, const struct session_record *sr);
	void *each_record_ctx;
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
	struct order order;
	struct budget memory;	 /* for what records say: tasks, maps, files; stacks of a profile. Where it is used up, the stream ends. */
	struct group_read group; /* of the sample at hand */
	struct session_record group_leader;
	bool in_group;		     /* its members are being handed out */
	struct embedded_names files; /* that were mapped, as the recorder saw them */
	bool has_files;
	uint64_t nr_repeats, next_repeat; /* of group_leader, where samples stand for several */
	struct budget repeats;		  /* all of them */
	struct record_block *current;	  /* of the record last delivered; released at the next */
	bool has_new_build_ids;		  /* that came as records, and no DSO knows of */
	bool ended;
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
