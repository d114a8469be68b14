/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The stack of a sample with its Python frames. A segment of these, up to where the interpreter was called anew, takes the place of the
 * native frame that ran it, the innermost first: matched by order, because neither knows the other's address.
 *
 * A greenlet (gevent, eventlet) runs on top of the native stack of the one that started it, and has Python frames of its own only: the
 * frames of the interpreter's loop below those of the greenlet's library run something else.
 */
#include <string.h>

#include "abi/walked.h"
#include "model/profile.h"

enum profile_python profile_python_mode(const struct profile *p, const struct session_record *sr)
{
	const struct attr *a = &p->recording->info->events.v[sr->event].attr;

	if (!sr->python || p->python == PROFILE_PYTHON_OFF)
		return PROFILE_PYTHON_OFF;
	if (p->python != PROFILE_PYTHON_AUTO)
		return p->python;
	/* Without native callers there is nothing to mix. */
	return a->flags & ATTR_EXCLUDE_CHAIN_USER && !(a->sample_type & SAMPLE_STACK_USER) && !attr_is_walked(a) ? PROFILE_PYTHON_ONLY
														 : PROFILE_PYTHON_MIXED;
}

static bool is_eval(const struct python_sample_image *image, uint64_t ip)
{
	for (uint32_t i = 0; i < PYTHON_EVAL_RANGES; i++)
		if (image->eval[i].start < image->eval[i].end && ip >= image->eval[i].start && ip <= image->eval[i].end)
			return true;
	return false;
}

static uint32_t count_evals(const struct python_stack *st, const uint64_t *ips, uint64_t nr)
{
	uint32_t nr_evals = 0;

	for (uint64_t i = 0; i < nr; i++)
		nr_evals += is_eval(&st->image, ips[i]);
	return nr_evals;
}

/* Whether the file is the library that switches stacks: _greenlet.cpython-311-x86_64-linux-gnu.so, greenlet.cpython-38-… before 1.0. */
static bool is_greenlet(struct profile *p, const struct session_record *sr, uint64_t ip)
{
	struct location at = machine_locate(p->machine, sr->task, ip, MISC_USER);
	const char *name, *slash;

	if (at.dso == DSO_NONE)
		return false;
	name = p->machine->dsos.dsos.v[at.dso].path;
	slash = strrchr(name, '/');
	name = slash ? slash + 1 : name;
	name += *name == '_';
	return !strncmp(name, "greenlet.", strlen("greenlet."));
}

/* How many calls of the interpreter's loop are of the greenlet that runs: of those on top of a frame of the library, as many as have the
 * segments that are known. Inner ones are met when the library itself was called. All of them where there is no such frame. */
static uint32_t count_evals_of_greenlet(struct profile *p, const struct session_record *sr, const uint64_t *ips, uint64_t nr,
					uint32_t nr_segments)
{
	uint32_t nr_evals = 0;

	for (uint64_t i = 0; i < nr; i++) {
		if (is_eval(&sr->python->image, ips[i]))
			nr_evals++;
		else if (nr_evals >= nr_segments && is_greenlet(p, sr, ips[i]))
			return nr_evals;
	}
	return nr_evals;
}

static uint32_t count_segments(const struct python_stack *st)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < st->nr_frames; i++)
		nr += !!(st->frames[i].code & PYTHON_FRAME_ENTRY);
	return nr + !(st->frames[st->nr_frames - 1].code & PYTHON_FRAME_ENTRY);
}

/* Appends frames up to the end of their segment; returns the next one. */
static uint32_t put_segment(struct profile *p, const struct python_stack *st, uint32_t frame)
{
	while (frame < st->nr_frames) {
		vec_push(&p->merged, python_word(&st->frames[frame]));
		if (st->frames[frame++].code & PYTHON_FRAME_ENTRY)
			break;
	}
	return frame;
}

static void put_rest(struct profile *p, const struct python_stack *st, uint32_t frame)
{
	while (frame < st->nr_frames)
		frame = put_segment(p, st, frame);
}

static void merge(struct profile *p, const struct session_record *sr, const uint64_t *ips, uint64_t nr)
{
	const struct python_stack *st = sr->python;
	uint64_t user = 0, nr_early = 0;
	uint32_t frame = 0, nr_evals, nr_segments;

	while (user < nr && ips[user] != CHAIN_USER)
		vec_push(&p->merged, ips[user++]);
	vec_push(&p->merged, CHAIN_USER);
	nr_evals = count_evals(st, ips + user, nr - user);
	nr_segments = count_segments(st);
	/* The innermost was called, and has no frame yet; unless it is the outermost whose frames are missing. */
	if (nr_evals > nr_segments && !(st->flags & (PYTHON_STACK_CUT | PYTHON_STACK_SUB)))
		nr_early = count_evals_of_greenlet(p, sr, ips + user, nr - user, nr_segments) - nr_segments;
	for (uint64_t i = user + 1; i < nr; i++) {
		if (!is_eval(&st->image, ips[i]) || nr_early || frame >= st->nr_frames) {
			nr_early -= nr_early && is_eval(&st->image, ips[i]);
			vec_push(&p->merged, ips[i]);
			continue;
		}
		frame = put_segment(p, st, frame);
	}
	/* Native callers that are missing: those of Python are known all the same. */
	put_rest(p, st, frame);
}

uint64_t profile_merge_python(struct profile *p, const struct session_record *sr, const uint64_t *ips, uint64_t nr)
{
	p->merged.nr = 0;
	if (profile_python_mode(p, sr) == PROFILE_PYTHON_ONLY) {
		p->has_only_python = true;
		vec_push(&p->merged, CHAIN_USER);
		put_rest(p, sr->python, 0);
	} else {
		merge(p, sr, ips, nr);
	}
	return p->merged.nr;
}

uint32_t profile_intern_sampled(struct profile *p, const struct session_record *sr)
{
	unsigned cpumode = sr->header->misc & MISC_CPUMODE_MASK;
	enum profile_python mode = profile_python_mode(p, sr);
	uint64_t ip = sr->rec.sample.ip;

	if (mode == PROFILE_PYTHON_ONLY || (mode == PROFILE_PYTHON_MIXED && cpumode == MISC_USER && is_eval(&sr->python->image, ip)))
		return profile_intern_location(p, sr->task, python_word(&sr->python->frames[0]), MISC_USER);
	return profile_intern_location(p, sr->task, ip, cpumode);
}
