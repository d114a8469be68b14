/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which of the four classes a stack is in, and why: the part of quality.h that looks at stacks. Each distinct stack is looked at once,
 * whatever its depth: what is known of a stack follows from what is known of its caller's.
 */
#ifndef ASSAY_MODEL_QUALITY_STACK_H
#define ASSAY_MODEL_QUALITY_STACK_H

#include "model/quality.h"

/* Judges all stacks that were counted since, and adds them to the figures. */
void quality_judge_stacks(struct quality *q, struct profile *p);

/* Whether a walk knows that it was cut, and by what. */
bool quality_is_cut(enum unwind_end end, enum quality_cut *cut);

/* Whether stacks begin at a place: the ELF entry, what starts programs, threads, goroutines and coroutines. Names that a program may
 * use for functions of its own count in a C library only. */
bool quality_is_entry(struct profile *p, uint32_t location, bool by_table);

#endif
