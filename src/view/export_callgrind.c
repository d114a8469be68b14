/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Callgrind's format: self cost by line, and the cost of calls by the line of the call. Events are those of the recording (sums of
 * periods) and the number of samples, which imported sums do not have.
 *
 * Readers compute a function's inclusive cost from its calls. To be right for recursive functions, a stack counts once per function, at
 * its outermost call; inner calls have no cost. A function "(comm)" per task name calls the outermost ones. "calls=" is the number of
 * samples: calls were not counted.
 */
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "model/sample_groups.h"
#include "view/export.h"

struct call {
	uint32_t from, frame; /* function, and its line; NONE: of a task */
	uint32_t to;	      /* function */
	uint32_t next;	      /* of the same function; NONE ends */
	uint64_t nr;
};

struct function {
	uint32_t name, dso, file; /* string, DSO, string */
	bool is_task;
	uint32_t first_frame, first_call, last_call; /* NONE: none yet */
	uint32_t stamp;
};

struct line { /* of a frame */
	uint32_t function;
	uint32_t next; /* frame of the same function */
};

enum { BY_EVENT, BY_COMM }; /* of struct sample_group */

#define NONE UINT32_MAX

struct callgrind {
	struct export *x;
	struct export_tree tree;
	uint32_t nr_costs; /* events, then samples, where these count */
	bool has_samples;
	VEC(struct line) lines; /* by frame */
	VEC(struct function) functions;
	VEC(struct call) calls;
	struct sample_groups groups;
	VEC(uint64_t) self, inclusive; /* of frames and calls, nr_costs each */
	uint64_t *total;
	uint32_t *cost_of_event;
	struct hindex function_index, call_index;
	uint8_t *is_written[3]; /* names of objects, files and functions: a name is spelled out once */
};

enum { NAME_OBJECT, NAME_FILE, NAME_FUNCTION };

static uint32_t find_function(struct callgrind *c, uint32_t name, uint32_t dso, uint32_t file, bool is_task)
{
	uint64_t h = hash_pair((uint64_t)name << 1 | is_task, (uint64_t)dso << 32 | file);
	struct function f = {
		.name = name,
		.dso = dso,
		.file = file,
		.is_task = is_task,
		.first_frame = NONE,
		.first_call = NONE,
		.last_call = NONE,
	};

	return HINDEX_INTERN(&c->function_index, h, &c->functions, other,
			     other->name == name && other->dso == dso && other->file == file && other->is_task == is_task, f);
}

static void add_zeroes(struct callgrind *c, bool of_call)
{
	for (uint32_t i = 0; i < c->nr_costs; i++)
		if (of_call)
			vec_push(&c->inclusive, 0);
		else
			vec_push(&c->self, 0);
}

/* Functions and costs for frames that have become known. */
static void catch_up(struct callgrind *c)
{
	while (c->lines.nr < c->tree.frames.nr) {
		uint32_t frame = c->lines.nr, place = c->tree.frames.v[frame].place;
		uint32_t function = find_function(c, export_name_id(c->x, place), export_frame_at(c->x, place)->dso,
						  export_file_of(c->x, place), false);

		*vec_add(&c->lines) = (struct line){ function, c->functions.v[function].first_frame };
		c->functions.v[function].first_frame = frame;
		add_zeroes(c, false);
	}
}

static uint32_t find_call(struct callgrind *c, uint32_t from, uint32_t frame, uint32_t to)
{
	uint64_t h = hash_pair((uint64_t)from << 32 | frame, to);
	struct function *f = &c->functions.v[from];
	uint32_t nr = c->calls.nr,
		 id = HINDEX_INTERN(&c->call_index, h, &c->calls, other, other->from == from && other->frame == frame && other->to == to,
				    ((struct call){ .from = from, .frame = frame, .to = to, .next = NONE }));

	if (id < nr)
		return id;
	add_zeroes(c, true);
	if (f->first_call == NONE)
		f->first_call = id;
	else
		c->calls.v[f->last_call].next = id;
	f->last_call = id;
	return id;
}

static void add_cost(uint64_t *costs, const struct callgrind *c, const struct sample_group *p)
{
	costs[c->cost_of_event[p->by[BY_EVENT]]] += p->period;
	if (c->has_samples)
		costs[c->nr_costs - 1] += p->nr;
}

/* Frames become known as their stacks are first met. */
static void group_samples(struct callgrind *c)
{
	const struct profile_samples *s = &c->x->p->samples;

	for (uint32_t i = 0; i < c->x->samples.nr; i++) {
		uint32_t sample = c->x->samples.v[i];
		const uint32_t by[SAMPLE_GROUP_KEYS] = {
			[BY_EVENT] = s->event[sample], [BY_COMM] = c->x->p->tasks.v[s->task[sample]].comm
		};

		sample_groups_add(&c->groups, s, sample, by);
	}
	for (uint32_t i = 0; i < c->groups.v.nr; i++)
		export_tree_path(&c->tree, c->groups.v.v[i].sample);
}

/* From the task down to the sampled function: the first time a function is met is its outermost call. */
static void count(struct callgrind *c, const struct sample_group *p, uint32_t stamp)
{
	uint32_t caller = find_function(c, p->by[BY_COMM], DSO_NONE, 0, true), frame = NONE;

	add_cost(c->total, c, p);
	export_tree_path(&c->tree, p->sample);
	for (uint32_t i = c->tree.path.nr; i-- > 0;) {
		uint32_t callee = c->lines.v[c->tree.path.v[i]].function, call = find_call(c, caller, frame, callee);

		c->calls.v[call].nr += p->nr;
		if (c->functions.v[callee].stamp != stamp)
			add_cost(&c->inclusive.v[(uint64_t)call * c->nr_costs], c, p);
		c->functions.v[callee].stamp = stamp;
		caller = callee;
		frame = c->tree.path.v[i];
	}
	add_cost(&c->self.v[(uint64_t)frame * c->nr_costs], c, p);
}

/* ---- text ---- */

/* "KEY=(id) name", later "KEY=(id)". Line breaks would end a name. */
static void put_name(struct callgrind *c, const char *key, int kind, uint32_t id, const char *name)
{
	struct out *o = c->x->o;
	bool is_task = kind == NAME_FUNCTION && c->functions.v[id].is_task;

	out_printf(o, "%s=(%u)", key, id + 1);
	if (!c->is_written[kind][id]) {
		c->is_written[kind][id] = 1;
		out_str(o, is_task ? " (" : " ");
		escape_terminal(o, *name ? name : "???", *name ? strlen(name) : 3);
		out_str(o, is_task ? ")" : "");
	}
	out_char(o, '\n');
}

/* Object, file and function; of a called one the keys begin with c. */
static void put_function(struct callgrind *c, uint32_t id, bool is_called)
{
	const struct profile *p = c->x->p;
	const struct function *f = &c->functions.v[id];

	put_name(c, is_called ? "cob" : "ob", NAME_OBJECT, f->dso, f->dso == DSO_NONE ? "" : profile_dso(p, f->dso)->path);
	put_name(c, is_called ? "cfi" : "fl", NAME_FILE, f->file, profile_str(p, f->file));
	put_name(c, is_called ? "cfn" : "fn", NAME_FUNCTION, id, profile_str(p, f->name));
}

static void put_costs(struct out *o, const uint64_t *costs, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++) {
		out_char(o, ' ');
		out_u64(o, costs[i], 0);
	}
	out_char(o, '\n');
}

/* What follows is of another file than what stands before it: of one that was included. */
static void put_file(struct callgrind *c, uint32_t frame, uint32_t *file)
{
	uint32_t now = frame == NONE ? 0 : c->x->p->places.v[c->tree.frames.v[frame].place].file;

	if (now && now != *file) {
		put_name(c, "fi", NAME_FILE, now, profile_str(c->x->p, now));
		*file = now;
	}
}

static void put_cost_line(struct callgrind *c, uint32_t frame, const uint64_t *costs)
{
	out_u64(c->x->o, frame == NONE ? 0 : c->x->p->places.v[c->tree.frames.v[frame].place].line, 0);
	put_costs(c->x->o, costs, c->nr_costs);
}

static bool is_free(const struct callgrind *c, const uint64_t *costs)
{
	for (uint32_t i = 0; i < c->nr_costs; i++)
		if (costs[i])
			return false;
	return true;
}

static void put_body(struct callgrind *c, const struct function *f)
{
	uint32_t file = f->file;

	for (uint32_t i = f->first_frame; i != NONE; i = c->lines.v[i].next) {
		const uint64_t *costs = &c->self.v[(uint64_t)i * c->nr_costs];

		if (is_free(c, costs))
			continue;
		put_file(c, i, &file);
		put_cost_line(c, i, costs);
	}
	for (uint32_t i = f->first_call; i != NONE; i = c->calls.v[i].next) {
		const struct call *call = &c->calls.v[i];

		put_file(c, call->frame, &file);
		put_function(c, call->to, true);
		out_printf(c->x->o, "calls=%llu 0\n", (unsigned long long)call->nr);
		put_cost_line(c, call->frame, &c->inclusive.v[(uint64_t)i * c->nr_costs]);
	}
}

/* Names of events are letters and digits; "event:" gives them back as they were. */
static void put_event_id(struct out *o, const char *name)
{
	for (; *name; name++)
		out_char(o,
			 (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') || (*name >= '0' && *name <= '9') ? *name : '_');
}

static void put_note(void *ctx, const char *label, const char *text)
{
	struct out *o = ctx;

	out_str(o, strcmp(label, "command") ? "desc: " : "cmd: ");
	if (strcmp(label, "command")) {
		escape_terminal_str(o, label);
		out_str(o, ": ");
	}
	escape_terminal_str(o, text);
	out_char(o, '\n');
}

static void put_header(struct callgrind *c)
{
	struct out *o = c->x->o;

	out_str(o, "# callgrind format\nversion: 1\ncreator: assay " ASSAY_VERSION "\n");
	export_notes(c->x, put_note, o);
	out_str(o, "positions: line\n");
	for (uint32_t i = 0; i < c->x->events.nr; i++) {
		const char *name = export_event_name(c->x, c->x->events.v[i]), *unit = export_unit(c->x, c->x->events.v[i]);
		bool is_ns = unit && !strcmp(unit, "nanoseconds");

		out_str(o, "event: ");
		put_event_id(o, name);
		out_str(o, " : ");
		escape_terminal_str(o, name);
		if (unit) {
			out_str(o, " (");
			escape_terminal(o, is_ns ? "ns" : unit, is_ns ? 2 : strlen(unit));
			out_char(o, ')');
		}
		out_char(o, '\n');
	}
	out_str(o, "events:");
	for (uint32_t i = 0; i < c->x->events.nr; i++) {
		out_char(o, ' ');
		put_event_id(o, export_event_name(c->x, c->x->events.v[i]));
	}
	out_str(o, c->has_samples ? " Samples\nsummary:" : "\nsummary:");
	put_costs(o, c->total, c->nr_costs);
}

static void write_all(struct callgrind *c)
{
	uint32_t nr_dsos = c->x->p->machine->dsos.dsos.nr;

	c->is_written[NAME_OBJECT] = mem_zalloc(nr_dsos + 1ul);
	c->is_written[NAME_FILE] = mem_zalloc(c->x->p->strings.entries.nr + 1ul);
	c->is_written[NAME_FUNCTION] = mem_zalloc(c->functions.nr + 1ul);
	put_header(c);
	for (uint32_t i = 0; i < c->functions.nr; i++) {
		out_char(c->x->o, '\n');
		put_function(c, i, false);
		put_body(c, &c->functions.v[i]);
	}
	out_str(c->x->o, "\ntotals:");
	put_costs(c->x->o, c->total, c->nr_costs);
}

void export_callgrind(struct export *x)
{
	struct callgrind c = { .x = x, .nr_costs = x->events.nr + !x->weight_is_period, .has_samples = !x->weight_is_period };

	export_tree_init(&c.tree, x, EXPORT_BY_LINE);
	c.total = mem_zalloc((c.nr_costs + 1ul) * sizeof(*c.total));
	c.cost_of_event = mem_zalloc((x->p->recording->info->events.nr + 1ul) * sizeof(*c.cost_of_event));
	for (uint32_t i = 0; i < x->events.nr; i++)
		c.cost_of_event[x->events.v[i]] = i;
	group_samples(&c);
	catch_up(&c);
	for (uint32_t i = 0; i < c.groups.v.nr; i++)
		count(&c, &c.groups.v.v[i], i + 1);
	write_all(&c);
	export_tree_fini(&c.tree);
	vec_fini(&c.lines);
	vec_fini(&c.functions);
	vec_fini(&c.calls);
	sample_groups_fini(&c.groups);
	vec_fini(&c.self);
	vec_fini(&c.inclusive);
	hindex_fini(&c.function_index);
	hindex_fini(&c.call_index);
	free(c.total);
	free(c.cost_of_event);
	for (int i = 0; i < 3; i++)
		free(c.is_written[i]);
}
