/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Small and large dumps of stacks. The kernel fixes the size of dumps when an event is opened; so each event that may have either is opened
 * twice, with both sizes, into the same rings, and on each CPU one of the two is enabled. Children inherit both. The one that recording
 * starts with is the event that the file names; its twin's samples are written in its name.
 *
 * When to switch, the policy decides (dump_policy.h): the drain counts bytes and asks it, the stage counts what walks needed.
 */
#ifndef ASSAY_CAPTURE_STACK_GROWTH_H
#define ASSAY_CAPTURE_STACK_GROWTH_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "capture/dump_policy.h"
#include "capture/event_fds.h"
#include "kernel/event_config.h"

/* The other size of an event on one CPU and one task. */
struct event_twin {
	int fd;
	uint32_t event, cpu; /* as in struct event_fd */
	uint64_t id;
	uint64_t original_id; /* of the event that it stands for */
	uint64_t lost;
};

/* By the stage; taken and set to zero by the drain. */
struct growth_feedback {
	atomic_ulong nr_walked, nr_needy, nr_cut;
};

/* A zeroed struct has no twins, and does nothing. */
struct stack_growth {
	/* the plan */
	uint32_t large; /* 0: all dumps stay as they are */
	bool starts_large;

	struct event_fds *fds; /* NULL: not open */
	VEC(struct event_twin) twins;
	struct growth_feedback *feedback; /* by CPU */
	pthread_mutex_t lock;		  /* of these */
	struct dump_policy policy;
	bool is_enabled;
};

/* Can dumps of this event be switched? Not where every occurrence makes a sample, whose number must stay what it is; nor in groups, which
 * are opened as a whole; nor where their size was given. */
bool stack_growth_is_possible(const struct event_spec *spec);

/* Before the events are opened: chooses the sizes, and sets that which recording starts with in the attrs of the list. May be repeated,
 * with other rings. */
void stack_growth_plan(struct stack_growth *g, struct event_list *list, const struct event_config *config, const struct target *target,
		       uint64_t ring_bytes);
/* Opens the twins. Where there is no room for them, recording goes on without. */
void stack_growth_open(struct stack_growth *g, struct event_fds *fds, bool enabled);
void stack_growth_close(struct stack_growth *g);

/* The drain's: what came from a CPU's ring. */
void stack_growth_add_use(struct stack_growth *g, uint32_t cpu, const struct dump_use *use);
/* After a round: switches where it is time to. */
void stack_growth_look(struct stack_growth *g);
/* Should rounds be short, because larger dumps may be needed soon? */
bool stack_growth_is_eager(struct stack_growth *g);

/* The stage's: a stack of that CPU was walked over `reach` bytes of `dumped`; `is_cut`: and went on above them. */
void stack_growth_add_walk(struct stack_growth *g, uint32_t cpu, uint64_t reach, uint32_t dumped, bool is_cut);

/* After event_fds_enable(), which does not know of twins. */
void stack_growth_enable(struct stack_growth *g, bool enable);
/* Samples that twins lost, in the name of those they stand for: adds to the `count.lost` of those, after event_fds_read(). */
void stack_growth_add_lost(struct stack_growth *g);

#endif
