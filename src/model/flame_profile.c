/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * From the samples of a profile to the paths of a flame graph. Samples of the same stack and group are summed by ids first, then each
 * distinct stack becomes a path. Names are interned once per place.
 */
#include "model/flame.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/offcpu.h"
#include "model/sample_groups.h"

/* Collapsing in one pass. It may go back if no function was first seen above the target; first places are never removed, so the last of
 * them decides. */

void recursion_init(struct recursion *r, struct flame *f)
{
	memset(r, 0, sizeof(*r));
	r->f = f;
}

void recursion_fini(struct recursion *r)
{
	vec_fini(&r->key_of);
	vec_fini(&r->last);
	vec_fini(&r->stamp_of);
	vec_fini(&r->before);
}

/* Places without a name that share their file's, "[libfoo.so]", are many functions. */
static bool is_one_function(const struct flame *f, const struct flame_frame *fr)
{
	if (fr->kind == FLAME_ROOT || fr->kind == FLAME_GROUP || fr->kind == FLAME_CUT)
		return false;
	return !(fr->marks & FLAME_UNRESOLVED) || *strtab_get(&f->strings, fr->name) != '[';
}

/* Keys are frames: those without marks. */
static uint32_t find_key(const struct recursion *r, uint32_t frame)
{
	struct flame_frame fr = r->f->frames.v[frame];

	if (!is_one_function(r->f, &fr))
		return FLAME_NONE;
	return flame_intern_frame(r->f, strtab_get(&r->f->strings, fr.name), strtab_len(&r->f->strings, fr.name),
				  strtab_get(&r->f->strings, fr.module), fr.kind, 0);
}

/* Frames that came since the last stack. */
static void learn_keys(struct recursion *r)
{
	for (uint32_t frame = r->key_of.nr; frame < r->f->frames.nr; frame++)
		vec_push(&r->key_of, find_key(r, frame));
	while (r->last.nr < r->f->frames.nr) {
		vec_push(&r->last, FLAME_NONE);
		vec_push(&r->stamp_of, 0);
	}
}

static uint32_t key_at(const struct recursion *r, uint32_t spot)
{
	return r->key_of.v[r->f->spots.v[spot].frame];
}

uint32_t recursion_collapse(struct recursion *r, uint32_t *spots, uint32_t nr)
{
	uint32_t left = 0, last_first = 0;

	learn_keys(r);
	r->stamp++;
	r->before.nr = 0;
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t spot = spots[i], key = key_at(r, spot), back;

		if (key == FLAME_NONE || r->stamp_of.v[key] != r->stamp) {
			last_first = left;
			back = FLAME_NONE;
		} else {
			back = r->last.v[key];
			if (back >= last_first) {
				for (; left > back + 1; left--)
					r->last.v[key_at(r, spots[left - 1])] = r->before.v[left - 1];
				r->before.nr = left;
				continue;
			}
		}
		if (key != FLAME_NONE) {
			r->stamp_of.v[key] = r->stamp;
			r->last.v[key] = left;
		}
		vec_push(&r->before, back);
		spots[left++] = spot;
	}
	return left;
}

/* Samples */

enum { BY_GROUP, BY_CUT }; /* of struct sample_group */

struct adder {
	struct flame *f;
	struct profile *p;
	const struct flame_options *o;
	struct sample_filter pass;
	struct sample_groups groups;
	VEC(uint32_t) group_frames; /* nr_by of each group */
	struct hindex group_index;
	uint32_t *spot_of_place; /* FLAME_NONE: not yet asked for */
	uint32_t *group_of_task; /* where tasks alone decide */
	double squares;		 /* of periods */
	bool by_task_only;
	uint32_t cut_frame;
	struct recursion recursion;
	VEC(uint32_t) path; /* spots */
};

const char *flame_state_name(unsigned state)
{
	static const char *const names[OFFCPU_NR_STATES] = {
		[OFFCPU_ON] = "on CPU",
		[OFFCPU_RUNNABLE] = "runnable",
		[OFFCPU_INTERRUPTIBLE] = "blocked, interruptible",
		[OFFCPU_UNINTERRUPTIBLE] = "blocked, uninterruptible",
		[OFFCPU_STOPPED] = "stopped",
		[OFFCPU_UNKNOWN] = "off CPU",
	};

	return state < OFFCPU_NR_STATES ? names[state] : NULL;
}

static uint32_t group_frame(struct adder *a, enum flame_group by, uint32_t sample)
{
	const struct profile_samples *s = &a->p->samples;
	const struct profile_task *t = &a->p->tasks.v[s->task[sample]];
	const char *comm = profile_str(a->p, t->comm);
	char text[32];

	switch (by) {
	case FLAME_BY_COMM:
		if (!*comm)
			return FLAME_NONE; /* imported without names of tasks: its outermost frame is the root's child */
		return flame_intern_frame(a->f, comm, strlen(comm), "", FLAME_GROUP, 0);
	case FLAME_BY_PID:
		snprintf(text, sizeof(text), "pid %d", t->pid);
		break;
	case FLAME_BY_TID:
		snprintf(text, sizeof(text), "tid %d", t->tid);
		break;
	case FLAME_BY_CPU:
		snprintf(text, sizeof(text), s->cpu[sample] == UINT32_MAX ? "CPU unknown" : "CPU %u", s->cpu[sample]);
		break;
	case FLAME_BY_STATE:
		snprintf(text, sizeof(text), "%s", flame_state_name(s->state[sample]));
		break;
	default:
		comm = a->p->recording->info->events.v[s->event[sample]].name;
		return flame_intern_frame(a->f, comm, strlen(comm), "", FLAME_GROUP, 0);
	}
	return flame_intern_frame(a->f, text, strlen(text), "", FLAME_GROUP, 0);
}

static uint32_t find_group(struct adder *a, const uint32_t *frames)
{
	uint32_t nr = a->o->nr_by;
	uint64_t h = hash_bytes(frames, nr * sizeof(*frames), 0);
	uint32_t id = HINDEX_FIND_ITEM(&a->group_index, h, &a->group_frames, first, !nr || !memcmp(first, frames, nr * sizeof(*frames)));

	if (id != HINDEX_NONE)
		return id;
	id = a->group_frames.nr;
	for (uint32_t i = 0; i < nr; i++)
		vec_push(&a->group_frames, frames[i]);
	hindex_add(&a->group_index, h, id);
	return id;
}

static uint32_t group_of(struct adder *a, uint32_t sample)
{
	uint32_t task = a->p->samples.task[sample], frames[FLAME_NR_GROUPS], group;

	if (!a->o->nr_by)
		return 0;
	if (a->by_task_only && a->group_of_task[task] != FLAME_NONE)
		return a->group_of_task[task];
	for (uint32_t i = 0; i < a->o->nr_by; i++)
		frames[i] = group_frame(a, a->o->by[i], sample);
	group = find_group(a, frames);
	a->group_of_task[task] = group;
	return group;
}

/* A guessed one is not: it may lack frames, but not at its end. */
static bool is_cut(const struct adder *a, uint32_t stack, struct unwind_result walk)
{
	enum quality_stack what = a->o->quality ? quality_judge(a->o->quality, a->p, stack, walk) : QUALITY_COMPLETE;

	return what == QUALITY_TRUNCATED || what == QUALITY_BROKEN;
}

static void group_samples(struct adder *a)
{
	const struct profile_samples *s = &a->p->samples;

	for (uint32_t i = 0; i < s->nr; i++) {
		bool has_chain = a->p->recording->info->events.v[s->event[i]].attr.sample_type & SAMPLE_CALLCHAIN;
		uint32_t by[SAMPLE_GROUP_KEYS] = { 0 };

		if (!sample_filter_keeps(&a->pass, i))
			continue;
		by[BY_CUT] = has_chain && is_cut(a, s->stack[i], profile_walk(a->p, i));
		by[BY_GROUP] = group_of(a, i);
		sample_groups_add(&a->groups, s, i, by);
		a->squares += (double)s->period[i] * (double)s->period[i];
	}
}

/* A place without a name goes by its module's: "[libfoo.so]". */
static uint32_t name_unresolved(struct adder *a, const struct dso *d, uint32_t dso, enum flame_kind kind)
{
	char *text = profile_unresolved_name(a->p, dso), label[PATH_MAX];
	uint32_t frame = flame_intern_frame(
		a->f, text, strlen(text), dso == DSO_NONE ? "" : match_label(a->o->match, d, label, sizeof(label)), kind, FLAME_UNRESOLVED);

	free(text);
	return frame;
}

/* Names of other tools may say what ours are marked with: "[truncated]", "[libfoo.so]". */
static uint32_t name_imported(struct adder *a, const struct dso *d, const char *name, enum flame_kind kind, bool is_inlined)
{
	size_t len = strlen(name);
	unsigned marks = (is_inlined ? FLAME_INLINED : 0) | (len > 2 && *name == '[' && name[len - 1] == ']' ? FLAME_UNRESOLVED : 0);

	if (!strcmp(name, "[truncated]"))
		return a->cut_frame;
	return flame_intern_frame(a->f, name, len, strcmp(d->path, "[unknown]") ? d->short_name : "", kind, marks);
}

static uint32_t name_place(struct adder *a, uint32_t place)
{
	static const enum flame_kind kinds[] = {
		[CODE_USER] = FLAME_USER, [CODE_KERNEL] = FLAME_KERNEL, [CODE_JIT] = FLAME_JIT, [CODE_INTERPRETED] = FLAME_JIT
	};
	const struct profile_place *pl = &a->p->places.v[place];
	const struct profile_frame *pf = &a->p->frames.v[pl->frame];
	const struct dso *d = profile_dso(a->p, pf->dso);
	enum flame_kind kind = kinds[profile_code_kind(a->p, place)];
	const char *name = profile_str(a->p, pf->function);
	char label[PATH_MAX];

	if (!pf->function)
		return name_unresolved(a, d, pf->dso, kind);
	if (a->p->recording->is_imported)
		return name_imported(a, d, name, kind, pf->is_inlined);
	return flame_intern_frame(a->f, name, strlen(name), match_label(a->o->match, d, label, sizeof(label)), kind,
				  pf->is_inlined       ? FLAME_INLINED
				  : pf->is_nameless    ? FLAME_UNRESOLVED
				  : pf->is_interpreted ? FLAME_INTERPRETED
						       : 0);
}

static inline uint32_t spot_of(struct adder *a, uint32_t place)
{
	const struct profile_place *pl = &a->p->places.v[place];

	if (a->spot_of_place[place] == FLAME_NONE)
		a->spot_of_place[place] = flame_intern_spot(a->f, name_place(a, place), profile_str(a->p, pl->file), pl->line);
	return a->spot_of_place[place];
}

static uint32_t bare_spot(struct adder *a, uint32_t frame)
{
	return flame_intern_spot(a->f, frame, "", 0);
}

/* Addresses in no file, one after the other, are what a walk that lost its way took for callers: many rows that say nothing. */
static bool is_noise(const struct adder *a, uint32_t spot, uint32_t first)
{
	const struct flame_spot *spots = a->f->spots.v;
	const struct flame_frame *fr = &a->f->frames.v[spots[spot].frame];

	return fr->marks & FLAME_UNRESOLVED && !*strtab_get(&a->f->strings, fr->module) && a->path.nr > first &&
	       spots[a->path.v[a->path.nr - 1]].frame == spots[spot].frame;
}

/* The frames of a location, innermost first; `first` is where the stack begins in the path. */
static void put_location(struct adder *a, uint32_t location, uint32_t first, bool is_cut)
{
	const struct profile_location *l = &a->p->locations.v[location];

	for (uint32_t i = 0; i < l->nr_places; i++) {
		uint32_t spot = spot_of(a, l->first_place + i);

		if (!is_cut || !is_noise(a, spot, first))
			vec_push(&a->path, spot);
	}
}

static void write_down(struct adder *a, uint32_t column, const struct sample_group *g)
{
	uint32_t first, max = a->o->max_depth;
	bool has_mark = g->by[BY_CUT];

	a->path.nr = 0;
	for (uint32_t i = 0; i < a->o->nr_by; i++)
		if (a->group_frames.v[g->by[BY_GROUP] + i] != FLAME_NONE)
			vec_push(&a->path, bare_spot(a, a->group_frames.v[g->by[BY_GROUP] + i]));
	first = a->path.nr;
	if (g->stack == STACK_NONE)
		put_location(a, g->location, first, false);
	for (uint32_t n = profile_stack_node(a->p, g->stack); n != STACK_TREE_ROOT; n = stack_tree_parent(&a->p->tree, n))
		put_location(a, stack_tree_frame(&a->p->tree, n), first, has_mark);
	if (has_mark)
		vec_push(&a->path, bare_spot(a, a->cut_frame));
	for (uint32_t i = first, z = a->path.nr; !a->o->bottom_up && i + 1 < z; i++) {
		uint32_t spot = a->path.v[--z];

		a->path.v[z] = a->path.v[i];
		a->path.v[i] = spot;
	}
	if (a->o->collapses_recursion)
		a->path.nr = first + recursion_collapse(&a->recursion, a->path.v + first, a->path.nr - first);
	/* The mark of a cut stack stands below the frames that are counted. */
	max += has_mark && !a->o->bottom_up;
	if (a->o->max_depth && a->path.nr - first > max)
		a->path.nr = first + max;
	flame_add_spots(a->f, column, a->path.v, a->path.nr, a->o->weight != FLAME_SAMPLES ? g->period : g->nr, g->nr);
}

static uint32_t *all_none(uint32_t nr)
{
	uint32_t *v = mem_alloc((nr + 1ul) * sizeof(*v));

	memset(v, 0xff, (nr + 1ul) * sizeof(*v));
	return v;
}

void flame_add(struct flame *f, uint32_t column, struct profile *p, const struct filter *filter, const struct flame_options *o)
{
	struct adder a = {
		.f = f,
		.p = p,
		.o = o,
		.spot_of_place = all_none(p->places.nr),
		.group_of_task = all_none(p->tasks.nr),
		.by_task_only = true,
		.cut_frame = flame_cut_frame(f),
	};

	recursion_init(&a.recursion, f);
	sample_filter_init(&a.pass, p, filter, o->event, o->through);
	for (uint32_t i = 0; i < o->nr_by; i++)
		a.by_task_only &= o->by[i] != FLAME_BY_CPU && o->by[i] != FLAME_BY_EVENT && o->by[i] != FLAME_BY_STATE;
	group_samples(&a);
	f->nr_called += a.pass.nr_called;
	sample_groups_seal(&a.groups);
	for (uint32_t i = 0; i < a.groups.v.nr; i++)
		write_down(&a, column, &a.groups.v.v[i]);
	if (o->weight != FLAME_SAMPLES)
		f->squares[column] += a.squares;
	free(a.spot_of_place);
	free(a.group_of_task);
	sample_filter_fini(&a.pass);
	sample_groups_fini(&a.groups);
	vec_fini(&a.group_frames);
	vec_fini(&a.path);
	recursion_fini(&a.recursion);
	hindex_fini(&a.group_index);
}
