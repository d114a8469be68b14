/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The views of struct wall: tables for a terminal, JSON, and the stacks of a flame graph.
 */
#ifndef ASSAY_VIEW_WALL_TEXT_H
#define ASSAY_VIEW_WALL_TEXT_H

#include "base/json.h"
#include "base/out.h"
#include "model/flame.h"
#include "model/wall.h"
#include "model/wall_path.h"
#include "model/wall_stacks.h"

struct wall_text {
	uint32_t max_threads;	      /* with rows of their own */
	uint32_t max_stacks;	      /* of a class; 0: none */
	uint32_t max_frames;	      /* of a stack */
	uint64_t nr_lost;	      /* records */
	const struct wall_path *path; /* NULL: none */
};

void wall_text_print(const struct wall_text *t, struct out *o, const struct wall *w, const struct wall_stacks *s);
void wall_json_print(const struct wall_text *t, struct out *o, const struct wall *w, const struct wall_stacks *s);
/* "comm (tid)" for a terminal. */
void wall_put_thread(struct out *o, const struct wall *w, uint32_t thread);
/* "wait <- caller <- ...": of the kernel's functions only the one that waits, then so many of the program's. */
void wall_put_locations(struct out *o, const struct wall *w, const uint32_t *locations, uint32_t nr_locations, uint32_t max_frames);
void wall_put_stack(struct out *o, const struct wall *w, uint32_t stack, uint32_t max_frames);
/* wall_path.c */
void wall_path_print(struct out *o, const struct wall *w, const struct wall_path *p);
void wall_path_json(struct json *j, const struct wall *w, const struct wall_path *p);
/* Whether a frame says nothing of what was waited for: the scheduler itself. */
bool wall_is_scheduler(const char *function);

/* Adds each stack below a frame of its class; weights are in ns. */
void wall_flame_add(struct flame *f, const struct wall *w, const struct wall_stacks *s);

#endif
