/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Entries and returns of one thread by their stack pointers. Stacks grow down: what is below the one that returns, or that is entered, is gone.
 */
#include "model/calls.h"

#include <stdlib.h>
#include <string.h>

/* Between the stack pointer of a call's entry and of its return: on x86 the return address is between them, and what the function takes off
 * the stack of its caller. */
#define RETURN_SLACK 64

int calls_init(struct calls *c, struct profile *p, struct timeline *t, const struct recording *r, struct event_patterns *from,
	       struct event_patterns *to, const char *key, struct errbuf *eb)
{
	*c = (struct calls){ .profile = p, .timeline = t, .recording = r, .is_pairs = from };
	return from ? latency_init(&c->pairs, r, from, to, key, eb) : 0;
}

void calls_fini(struct calls *c)
{
	for (uint32_t i = 0; i < c->threads.nr; i++)
		vec_fini(&c->threads.v[i].open);
	vec_fini(&c->threads);
	vec_fini(&c->events);
	vec_fini(&c->begins);
	vec_fini(&c->v);
	if (c->is_pairs)
		latency_fini(&c->pairs);
}

/* ---- a function ---- */

/* "work__exit_12" ends in a number behind the mark. */
static enum call_side side_of_name(const char *name)
{
	size_t len = strlen(name), of = strlen(CALLS_RETURN), digits = 0;

	if (len > of && !strcmp(name + len - of, CALLS_RETURN))
		return CALL_RETURN;
	while (digits < len && name[len - digits - 1] >= '0' && name[len - digits - 1] <= '9')
		digits++;
	of = strlen(CALLS_EXIT);
	return digits && len > of + digits && !strncmp(name + len - digits - of, CALLS_EXIT, of) ? CALL_EXIT : CALL_ENTRY;
}

static bool is_of_system(const char *name)
{
	return !strncmp(name, CALLS_SYSTEM ":", sizeof(CALLS_SYSTEM));
}

const char *calls_function_of(const struct recording *r)
{
	for (uint32_t i = 0; i < r->info->events.nr; i++)
		if (is_of_system(r->info->events.v[i].name) && side_of_name(r->info->events.v[i].name) == CALL_ENTRY)
			return r->info->events.v[i].name + sizeof(CALLS_SYSTEM);
	return NULL;
}

static struct call_event find_event(const struct calls *c, int32_t event)
{
	const struct perfdata_event *e = &c->recording->info->events.v[event];
	struct call_event found = { .side = CALL_NONE };
	const struct trace_field *fields;
	uint32_t nr;

	if (e->attr.type != ATTR_TYPE_TRACEPOINT || !is_of_system(e->name))
		return found;
	fields = tracepoints_fields(c->recording->tracepoints, e->attr.config, &nr);
	for (uint32_t i = 0; i < nr; i++)
		if (!strcmp(fields[i].name, CALLS_SP))
			found = (struct call_event){ side_of_name(e->name), &fields[i] };
	return found;
}

static const struct call_event *event_of(struct calls *c, int32_t event)
{
	while (c->events.nr <= (uint32_t)event)
		vec_push(&c->events, ((struct call_event){ 0 }));
	if (c->events.v[event].side == CALL_NOT_KNOWN)
		c->events.v[event] = find_event(c, event);
	return &c->events.v[event];
}

/* Drops open calls that the stack pointer has passed: they never return. */
static void leave_below(struct calls *c, uint32_t track, uint64_t sp)
{
	struct call_stack *s = &c->threads.v[track];

	while (s->open.nr && s->open.v[s->open.nr - 1].sp < sp) {
		s->open.nr--;
		c->nr_left++;
	}
}

static void add_call(struct calls *c, uint32_t track, const struct call_open *o, uint64_t end_ns)
{
	if (end_ns >= o->begin_ns)
		vec_push(&c->v, ((struct call){ .begin_ns = o->begin_ns, .end_ns = end_ns, .thread = track, .stack = o->stack }));
}

static void enter(struct calls *c, const struct session_record *sr, uint32_t track, uint64_t sp)
{
	struct unwind_result walk;

	/* An entry at the place of one that is open: that one is gone, too. */
	leave_below(c, track, sp + 1);
	c->nr_begun++;
	c->nr_nested += c->threads.v[track].open.nr != 0;
	vec_push(&c->threads.v[track].open,
		 ((struct call_open){ .begin_ns = sr->time_ns, .sp = sp, .stack = profile_intern_sample(c->profile, sr, &walk) }));
}

/* The highest stack pointer that the entry of a call can have had which returns with this one. Behind a return of x86, the return address is gone
 * from the stack. */
static uint64_t entry_limit(const struct calls *c, uint64_t sp, enum call_side side)
{
	const char *arch = c->recording->info->arch;

	return side == CALL_EXIT || (arch && !strcmp(arch, "aarch64")) ? sp : sp - 1;
}

static void leave(struct calls *c, const struct session_record *sr, uint32_t track, uint64_t sp, enum call_side side)
{
	struct call_stack *s = &c->threads.v[track];
	uint64_t limit = entry_limit(c, sp, side);

	while (s->open.nr > 1 && s->open.v[s->open.nr - 2].sp <= limit) {
		s->open.nr--;
		c->nr_left++;
	}
	leave_below(c, track, limit > RETURN_SLACK ? limit - RETURN_SLACK : 0);
	if (!s->open.nr || s->open.v[s->open.nr - 1].sp > limit) {
		c->nr_alone++;
		return;
	}
	if (c->measures_nested || s->open.nr == 1)
		add_call(c, track, &s->open.v[s->open.nr - 1], sr->time_ns);
	s->open.nr--;
}

void calls_take_probe(struct calls *c, const struct session_record *sr, enum call_side side, uint64_t sp)
{
	uint32_t track = timeline_track_of(c->timeline, sr->task);

	while (c->threads.nr <= track)
		vec_push(&c->threads, (struct call_stack){ 0 });
	if (side == CALL_ENTRY)
		enter(c, sr, track, sp);
	else
		leave(c, sr, track, sp, side);
}

static void take_probe(struct calls *c, const struct session_record *sr)
{
	const struct call_event *e = event_of(c, sr->event);
	struct tracepoints_value value;

	if (e->side == CALL_NONE || !sr->task || sr->task->tid <= 0)
		return;
	if (!sr->rec.sample.raw ||
	    !tracepoints_value(c->recording->tracepoints, e->sp, sr->rec.sample.raw, sr->rec.sample.raw_size, &value)) {
		c->nr_malformed++;
		return;
	}
	calls_take_probe(c, sr, e->side, value.number);
}

/* A thread ends, or executes another program: what it is in never returns. */
static void end_thread(struct calls *c, const struct session_record *sr)
{
	uint32_t track = sr->task && sr->task->tid > 0 ? timeline_track_of(c->timeline, sr->task) : TIMELINE_NONE;

	if (track >= c->threads.nr)
		return;
	c->nr_ended += c->threads.v[track].open.nr;
	c->threads.v[track].open.nr = 0;
}

/* ---- pairs ---- */

static int take_pair(struct calls *c, const struct session_record *sr, struct errbuf *eb)
{
	uint64_t nr_begins = c->pairs.nr_begins, took_ns;
	uint32_t track, tag;
	struct unwind_result walk;
	int ret = latency_add(&c->pairs, sr, c->begins.nr, &took_ns, &tag, eb);

	if (ret < 0)
		return ret;
	track = sr->task && sr->task->tid > 0 ? timeline_track_of(c->timeline, sr->task) : TIMELINE_NONE;
	if (ret > 0 && tag < c->begins.nr)
		vec_push(&c->v, ((struct call){ .begin_ns = sr->time_ns > took_ns ? sr->time_ns - took_ns : 0,
						.end_ns = sr->time_ns,
						.thread = c->begins.v[tag].thread,
						.stack = c->begins.v[tag].stack,
						.is_moved = c->begins.v[tag].thread != track || track == TIMELINE_NONE }));
	if (c->pairs.nr_begins != nr_begins)
		vec_push(&c->begins, ((struct call_begin){ track, profile_intern_sample(c->profile, sr, &walk) }));
	return 0;
}

/* ---- all ---- */

int calls_take(struct calls *c, const struct session_record *sr, struct errbuf *eb)
{
	if (sr->time_ns) {
		c->first_ns = c->first_ns ? c->first_ns : sr->time_ns;
		c->last_ns = sr->time_ns > c->last_ns ? sr->time_ns : c->last_ns;
	}
	switch (sr->header->type) {
	case RECORD_SAMPLE:
		if (sr->event < 0)
			return 0;
		if (c->is_pairs)
			return take_pair(c, sr, eb);
		take_probe(c, sr);
		return 0;
	case RECORD_EXIT:
		end_thread(c, sr);
		return 0;
	case RECORD_COMM:
		if (sr->header->misc & MISC_COMM_EXEC)
			end_thread(c, sr);
		return 0;
	default:
		return 0;
	}
}

/* ---- stacks ---- */

static bool is_return_probe(const struct profile *p, uint32_t location)
{
	return !strcmp(profile_dso(p, p->locations.v[location].at.dso)->path, "[uprobes]");
}

void call_frames_add(struct call_frames *f, const struct calls *c, const struct call *call, uint32_t stack)
{
	struct profile *p = c->profile;
	uint32_t n = stack == STACK_NONE ? STACK_TREE_ROOT : profile_stack_node(p, stack);

	for (; n != STACK_TREE_ROOT && !is_return_probe(p, stack_tree_frame(&p->tree, n)); n = stack_tree_parent(&p->tree, n))
		vec_push(&f->v, stack_tree_frame(&p->tree, n));
	if (n == STACK_TREE_ROOT || call->stack == STACK_NONE)
		return;
	/* The first is the function itself. */
	n = profile_stack_node(p, call->stack);
	for (n = n == STACK_TREE_ROOT ? n : stack_tree_parent(&p->tree, n); n != STACK_TREE_ROOT; n = stack_tree_parent(&p->tree, n))
		if (!is_return_probe(p, stack_tree_frame(&p->tree, n)))
			vec_push(&f->v, stack_tree_frame(&p->tree, n));
}

static int longest_first(const void *a, const void *b)
{
	const struct call *x = a, *y = b;
	int order = COMPARE(call_took_ns(y), call_took_ns(x));

	return order ? order : COMPARE(x->begin_ns, y->begin_ns);
}

int calls_finish(struct calls *c, struct errbuf *eb)
{
	int err = 0;

	for (uint32_t i = 0; i < c->threads.nr; i++) {
		c->nr_open += c->threads.v[i].open.nr;
		for (uint32_t k = 0; k < c->threads.v[i].open.nr; k++) {
			uint64_t since_ns = c->last_ns - c->threads.v[i].open.v[k].begin_ns;

			c->longest_open_ns = since_ns > c->longest_open_ns ? since_ns : c->longest_open_ns;
		}
	}
	if (c->is_pairs) {
		err = latency_finish(&c->pairs, eb);
		c->nr_begun = c->pairs.nr_begins;
		c->nr_left = c->pairs.pairing.nr_replaced + c->pairs.pairing.nr_given_up;
		c->nr_open = c->pairs.pairing.nr_open;
		c->nr_alone = c->pairs.pairing.nr_ends_alone;
		c->nr_malformed = c->pairs.nr_keyless;
	}
	vec_sort(&c->v, longest_first);
	return err;
}

uint64_t calls_permille(const struct calls *c, uint32_t permille)
{
	/* The nearest rank, counted from the smallest, which is the last. */
	uint64_t rank = ((uint64_t)c->v.nr * permille + 999) / 1000;

	return c->v.nr ? call_took_ns(&c->v.v[c->v.nr - (rank ? rank : 1)]) : 0;
}

uint32_t calls_nr_slower(const struct calls *c, uint64_t ns)
{
	uint32_t low = 0, high = c->v.nr;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (call_took_ns(&c->v.v[middle]) > ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
