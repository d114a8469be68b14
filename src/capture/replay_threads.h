/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Threads that do the steps of a recording again (model/sched_replay.h): one per task, with the task's name. They live as long as the replay and
 * go through all steps once a round.
 *
 * A run ends when the CPU clock of its thread has reached the sum of the runs so far: what the steps between them cost was part of
 * the recorded runs, too.
 */
#ifndef ASSAY_CAPTURE_REPLAY_THREADS_H
#define ASSAY_CAPTURE_REPLAY_THREADS_H

#include "base/errbuf.h"
#include "model/sched_replay.h"

struct replay_threads;

/* Measures what runs and sleeps cost here, then starts the threads. `r` is borrowed. */
int replay_threads_start(struct replay_threads **out, const struct sched_replay *r, struct sched_replay_costs *costs, struct errbuf *eb);
/* One round, from the release of all threads to the end of the last. */
void replay_threads_round(struct replay_threads *p, struct sched_replay_result *result);
void replay_threads_free(struct replay_threads *p);

#endif
