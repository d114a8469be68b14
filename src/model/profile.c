/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Interning: every distinct thing once, found again by hash. The hot path (profile_add on a known chain) hashes the chain,
 * compares it, and appends to the columns: no allocation, no string.
 */
#include "abi/offcpu.h"
#include "model/profile.h"

#include <stdlib.h>
#include <string.h>

#include "model/field_keys.h"

#define MAX_STACK_DEFAULT 127
#define SAMPLE_BYTES 52u		  /* of a sample in all columns */
#define INDEX_BYTES 24u			  /* of an entry in a hash index, and what it is to grow by */
#define RARE_CHAIN_BYTES (16u << 20)	  /* kept of chains that hardly come again */
#define NODE_BYTES (2 * sizeof(uint32_t)) /* of a frame of a stack that no other stack has */
#define STACK_BYTES (2 * (sizeof(struct profile_stack) + sizeof(struct stack_tree_run) + INDEX_BYTES)) /* of a stack, beside these */

/* What is new is taken from the session's memory. Where that is used up, the session ends, so that callers need not check. */
static void spend(struct profile *p, uint64_t *kind, uint64_t bytes)
{
	if (p->machine->memory && budget_take(p->machine->memory, bytes))
		*kind += bytes;
}

static void give_back(struct profile *p, uint64_t *kind)
{
	if (p->machine->memory)
		budget_give(p->machine->memory, *kind);
	*kind = 0;
}

void profile_init(struct profile *p, struct machine *m, const struct recording *r)
{
	memset(p, 0, sizeof(*p));
	p->machine = m;
	p->recording = r;
	p->max_stack = MAX_STACK_DEFAULT;
	strtab_init(&p->strings);
	stack_tree_init(&p->tree);
	*vec_add(&p->stacks) = (struct profile_stack){ 0 };
}

void profile_fini(struct profile *p)
{
	struct profile_samples *s = &p->samples;

	free(s->time_ns);
	free(s->period);
	free(s->task);
	free(s->cpu);
	free(s->stack);
	free(s->location);
	free(s->labels);
	free(s->fields);
	free(s->latency);
	free(s->parallelism);
	free(s->event);
	free(s->state);
	free(s->walk);
	free(s->count);
	unwinder_free(p->unwinder);
	vec_fini(&p->unwound);
	vec_fini(&p->merged);
	vec_fini(&p->has_libc);
	chain_cycles_fini(&p->cycles);
	vec_fini(&p->is_cyclic);
	vec_fini(&p->locations);
	vec_fini(&p->places);
	vec_fini(&p->branches);
	vec_fini(&p->frames);
	vec_fini(&p->stacks);
	stack_tree_fini(&p->tree);
	vec_fini(&p->tasks);
	vec_fini(&p->chains);
	vec_fini(&p->scratch);
	hindex_fini(&p->location_index);
	hindex_fini(&p->frame_index);
	vec_fini(&p->frame_of_symbol);
	hindex_fini(&p->name_index);
	hindex_fini(&p->stack_index);
	hindex_fini(&p->task_index);
	hindex_fini(&p->chain_index);
	arena_fini(&p->chain_ips);
	strtab_fini(&p->strings);
}

uint64_t profile_size_bytes(const struct profile *p)
{
	const uint64_t nr_indexed = (uint64_t)p->chain_index.nr + p->stack_index.nr + p->location_index.nr;

	return p->chain_ips.size_bytes + p->chains.nr * sizeof(*p->chains.v) + p->stacks.nr * sizeof(*p->stacks.v) +
	       stack_tree_size_bytes(&p->tree) + p->locations.nr * sizeof(*p->locations.v) + p->places.nr * sizeof(*p->places.v) +
	       nr_indexed * 3 * sizeof(struct hindex_slot);
}

void profile_forget(struct profile *p)
{
	/* The memory stays: who forgets is going to add as much again. */
	profile_forget_chains(p);
	give_back(p, &p->stack_bytes);
	give_back(p, &p->location_bytes);
	p->stacks.nr = 1;
	p->locations.nr = p->places.nr = p->is_cyclic.nr = 0;
	stack_tree_clear(&p->tree);
	hindex_clear(&p->stack_index);
	hindex_clear(&p->location_index);
	memset(p->ip_cache, 0, sizeof(p->ip_cache));
	memset(p->row_cache, 0, sizeof(p->row_cache));
	p->nr_forgets++;
}

void profile_forget_chains(struct profile *p)
{
	arena_fini(&p->chain_ips);
	give_back(p, &p->chain_bytes);
	p->chains.nr = 0;
	p->nr_found = 0;
	hindex_clear(&p->chain_index);
}

void profile_forget_stacks(struct profile *p)
{
	profile_forget_chains(p);
	give_back(p, &p->stack_bytes);
	p->stacks.nr = 1;
	stack_tree_clear(&p->tree);
	p->is_cyclic.nr = 0;
	hindex_clear(&p->stack_index);
	memset(p->row_cache, 0, sizeof(p->row_cache));
	if (p->samples.nr)
		memset(p->samples.stack, 0, p->samples.nr * sizeof(*p->samples.stack));
}

void profile_seal(struct profile *p)
{
	arena_fini(&p->chain_ips);
	vec_fini(&p->chains);
	vec_fini(&p->scratch);
	hindex_fini(&p->chain_index);
	stack_tree_seal(&p->tree);
	hindex_fini(&p->stack_index);
	hindex_fini(&p->location_index);
	memset(p->ip_cache, 0, sizeof(p->ip_cache));
	p->nr_forgets++;
}

static uint32_t add_location(struct profile *p, const struct location *at, unsigned cpumode, bool is_caller)
{
	uint64_t h = hash_pair(at->ip ^ at->imported, hash_pair(at->addr, (uint64_t)at->dso << 4 | is_caller << 3 | cpumode));
	uint32_t known = HINDEX_FIND_ITEM(&p->location_index, h, &p->locations, l,
					  l->at.ip == at->ip && l->at.addr == at->addr && l->at.dso == at->dso &&
						  l->at.imported == at->imported && l->cpumode == cpumode && l->is_caller == is_caller);

	if (known != HINDEX_NONE)
		return known;
	spend(p, &p->location_bytes, 2 * sizeof(struct profile_location) + INDEX_BYTES);
	*vec_add(&p->locations) = (struct profile_location){
		.at = *at,
		.frame = FRAME_NONE,
		.first_place = PLACE_NONE,
		.cpumode = (uint8_t)cpumode,
		.is_caller = is_caller,
	};
	hindex_add(&p->location_index, h, p->locations.nr - 1);
	return p->locations.nr - 1;
}

/* Only who looks for lines needs to tell return addresses from others. */
static uint32_t intern_ip(struct profile *p, const struct task *task, uint64_t ip, unsigned cpumode, bool is_caller)
{
	uint64_t key = machine_map_key(p->machine, task);
	uint32_t slot = (uint32_t)hash_two(ip, key) % PROFILE_IP_CACHE;

	if (p->ip_cache[slot].ip == ip && p->ip_cache[slot].map_key == key && p->ip_cache[slot].cpumode == cpumode &&
	    p->ip_cache[slot].is_caller == is_caller && key)
		return p->ip_cache[slot].location;

	struct location at = machine_locate(p->machine, task, ip, cpumode);
	uint32_t location = add_location(p, &at, cpumode, is_caller);

	p->ip_cache[slot].ip = ip;
	p->ip_cache[slot].map_key = key;
	p->ip_cache[slot].cpumode = (uint8_t)cpumode;
	p->ip_cache[slot].is_caller = is_caller;
	p->ip_cache[slot].location = location;
	return location;
}

uint32_t profile_intern_location(struct profile *p, const struct task *task, uint64_t ip, unsigned cpumode)
{
	return intern_ip(p, task, ip, cpumode, false);
}

uint32_t profile_intern_variable(struct profile *p, const struct task *task, uint64_t addr)
{
	struct location at = machine_locate_variable(p->machine, task, addr);

	return add_location(p, &at, MISC_USER, false);
}

/* The stack of `nr` locations, the innermost first. */
static uint32_t add_stack(struct profile *p, const uint32_t *locations, uint32_t nr)
{
	uint32_t nr_nodes = p->tree.frames.nr, node = stack_tree_add(&p->tree, locations, nr);
	uint32_t known = HINDEX_FIND_ITEM(&p->stack_index, hash_u64(node), &p->stacks, s, s->node == node);

	if (known != HINDEX_NONE)
		return known;
	spend(p, &p->stack_bytes, STACK_BYTES + (p->tree.frames.nr - nr_nodes) * NODE_BYTES);
	hindex_add(&p->stack_index, hash_u64(node), p->stacks.nr);
	vec_push(&p->stacks, ((struct profile_stack){ node, nr }));
	return p->stacks.nr - 1;
}

static int cpumode_of_mark(uint64_t mark)
{
	switch (mark) {
	case CHAIN_HV:
		return MISC_HYPERVISOR;
	case CHAIN_KERNEL:
		return MISC_KERNEL;
	case CHAIN_USER:
		return MISC_USER;
	case CHAIN_GUEST_KERNEL:
		return MISC_GUEST_KERNEL;
	case CHAIN_GUEST_USER:
		return MISC_GUEST_USER;
	default:
		return -1;
	}
}

static void mark_cyclic(struct profile *p, uint32_t stack)
{
	while (p->is_cyclic.nr <= stack)
		vec_push(&p->is_cyclic, false);
	p->is_cyclic.v[stack] = stack != STACK_NONE;
}

/* Symbols are looked up by return addresses themselves, as perf does; all else is of the call in front of them. */
static bool tells_callers(const struct profile *p)
{
	return p->source != PROFILE_SYMBOLS || !p->only_symbols;
}

/* Frame by frame, for new chains. Unwound callers are no return addresses; unwound here, kernel and user part are limited separately, as
 * in perf. */
static uint32_t resolve_chain(struct profile *p, const struct task *task, const uint64_t *ips, uint64_t nr, enum profile_chain_kind kind)
{
	bool unwound = kind == PROFILE_CHAIN_UNWOUND;
	unsigned cpumode = MISC_CPUMODE_UNKNOWN;
	bool is_caller = false; /* behind a mark stands where the CPU was, then return addresses */
	uint32_t first, part = 0;
	uint64_t i;

	p->scratch.nr = 0;
	for (i = 0; i < nr && (p->keep_outermost || unwound || p->scratch.nr < p->max_stack); i++) {
		if (ips[i] >= CHAIN_MARK_MIN) {
			int mode = cpumode_of_mark(ips[i]);

			if (ips[i] == CHAIN_USER_DEFERRED)
				break; /* the cookie behind it is no address */
			if (mode < 0) {
				p->nr_invalid_chains++;
				return STACK_NONE;
			}
			cpumode = (unsigned)mode;
			is_caller = false;
			part = p->scratch.nr;
			continue;
		}
		if (unwound && p->scratch.nr - part >= p->max_stack)
			continue;
		vec_push(&p->scratch, intern_ip(p, task, ips[i], cpumode, is_caller && tells_callers(p)));
		is_caller = kind == PROFILE_CHAIN_RECORDED || kind == PROFILE_CHAIN_MERGED || cpumode != MISC_USER;
	}
	first = !unwound && p->scratch.nr > p->max_stack ? p->scratch.nr - p->max_stack : 0;
	p->has_cut_chains |= first || (i < nr && p->scratch.nr >= p->max_stack);
	return p->scratch.nr ? add_stack(p, p->scratch.v + first, p->scratch.nr - first) : STACK_NONE;
}

/* A circle of frame pointers is cut after one turn. */
static uint32_t resolve_recorded(struct profile *p, const struct task *task, const uint64_t *ips, uint64_t nr, enum profile_chain_kind kind)
{
	uint64_t left = nr;
	uint32_t stack;

	if (kind == PROFILE_CHAIN_RECORDED && !recording_has_whole_stacks(p->recording))
		left = chain_cycle_cut(&p->cycles, p->machine, p->recording->info->arch, task, ips, nr);
	stack = resolve_chain(p, task, ips, p->keep_cycles ? nr : left, kind);
	if (left < nr)
		mark_cyclic(p, stack);
	return stack;
}

static bool is_chain(const struct profile_chain *c, const uint64_t *ips, uint64_t nr, uint64_t key, enum profile_chain_kind kind)
{
	return c->map_key == key && c->nr == nr && c->kind == kind && !memcmp(c->ips, ips, nr * sizeof(*ips));
}

static uint32_t intern_chain(struct profile *p, const struct task *task, const uint64_t *ips, uint64_t nr, enum profile_chain_kind kind)
{
	uint64_t key = machine_map_key(p->machine, task), h;
	uint32_t known;

	/* Samples often stand still, and imported ones are handed out as often as they count. */
	if (p->last_chain < p->chains.nr && is_chain(&p->chains.v[p->last_chain], ips, nr, key, kind))
		return p->chains.v[p->last_chain].stack;
	h = hash_bytes(ips, nr * sizeof(*ips), key);
	known = HINDEX_FIND_ITEM(&p->chain_index, h, &p->chains, c, is_chain(c, ips, nr, key, kind));
	if (known != HINDEX_NONE) {
		p->last_chain = known;
		p->nr_found++;
		return p->chains.v[known].stack;
	}

	uint32_t stack = resolve_recorded(p, task, ips, nr, kind);

	if (p->chain_ips.size_bytes > RARE_CHAIN_BYTES && p->nr_found < p->chains.nr)
		profile_forget_chains(p);
	spend(p, &p->chain_bytes, nr * sizeof(*ips) + 2 * sizeof(struct profile_chain) + INDEX_BYTES);
	*vec_add(&p->chains) = (struct profile_chain){
		.map_key = key,
		.ips = arena_copy(&p->chain_ips, ips, nr * sizeof(*ips)),
		.nr = (uint32_t)nr,
		.stack = stack,
		.kind = (uint8_t)kind,
	};
	p->last_chain = p->chains.nr - 1;
	hindex_add(&p->chain_index, h, p->last_chain);
	return stack;
}

uint32_t profile_intern_chain(struct profile *p, const struct task *task, const uint64_t *ips, uint64_t nr)
{
	return intern_chain(p, task, ips, nr, PROFILE_CHAIN_RECORDED);
}

uint32_t profile_intern_unwound(struct profile *p, const struct task *task, const uint64_t *ips, uint64_t nr)
{
	return intern_chain(p, task, ips, nr, PROFILE_CHAIN_UNWOUND);
}

uint32_t profile_intern_walked(struct profile *p, const struct task *task, const uint64_t *ips, uint64_t nr)
{
	return intern_chain(p, task, ips, nr, PROFILE_CHAIN_WALKED);
}

uint32_t profile_intern_merged(struct profile *p, const struct task *task, const uint64_t *ips, uint64_t nr)
{
	return intern_chain(p, task, ips, nr, PROFILE_CHAIN_MERGED);
}

uint32_t profile_intern_task(struct profile *p, const struct task *task)
{
	if (p->last_task == task && p->last_comm == task->comm && p->last_pid == task->pid)
		return p->last_task_id;

	uint32_t comm = strtab_intern(&p->strings, machine_comm(p->machine, task));
	uint64_t h = hash_pair((uint64_t)(uint32_t)task->pid << 32 | (uint32_t)task->tid, comm);
	uint32_t id = HINDEX_INTERN(&p->task_index, h, &p->tasks, t, t->pid == task->pid && t->tid == task->tid && t->comm == comm,
				    ((struct profile_task){ task->pid, task->tid, comm }));

	p->last_task = task;
	p->last_comm = task->comm;
	p->last_pid = task->pid;
	p->last_task_id = id;
	return id;
}

static void grow_samples(struct profile *p, struct profile_samples *s, bool has_labels)
{
	uint32_t before = s->cap;

	s->cap = vec_next_cap(s->cap, s->nr + 1);
	if (p->machine->memory)
		budget_take(p->machine->memory, (uint64_t)(s->cap - before) * SAMPLE_BYTES);
	s->time_ns = mem_realloc(s->time_ns, s->cap, sizeof(*s->time_ns));
	s->period = mem_realloc(s->period, s->cap, sizeof(*s->period));
	s->task = mem_realloc(s->task, s->cap, sizeof(*s->task));
	s->cpu = mem_realloc(s->cpu, s->cap, sizeof(*s->cpu));
	s->stack = mem_realloc(s->stack, s->cap, sizeof(*s->stack));
	s->location = mem_realloc(s->location, s->cap, sizeof(*s->location));
	if (has_labels)
		s->labels = mem_realloc(s->labels, s->cap, sizeof(*s->labels));
	if (p->fields)
		s->fields = mem_realloc(s->fields, s->cap, sizeof(*s->fields));
	if (p->parallelism)
		s->latency = mem_realloc(s->latency, s->cap, sizeof(*s->latency));
	if (p->tells_parallelism)
		s->parallelism = mem_realloc(s->parallelism, s->cap, sizeof(*s->parallelism));
	s->event = mem_realloc(s->event, s->cap, sizeof(*s->event));
	s->state = mem_realloc(s->state, s->cap, sizeof(*s->state));
	s->walk = mem_realloc(s->walk, s->cap, sizeof(*s->walk));
	if (p->adds_up)
		s->count = mem_realloc(s->count, s->cap, sizeof(*s->count));
}

/* Branches may lead from user space into the kernel and back. */
static uint32_t locate_branch(struct profile *p, const struct task *task, uint64_t ip)
{
	uint32_t location = profile_intern_location(p, task, ip, MISC_USER);

	return p->locations.v[location].at.dso != DSO_NONE ? location : profile_intern_location(p, task, ip, MISC_KERNEL);
}

static void add_branches(struct profile *p, const struct session_record *sr, uint32_t sample)
{
	const struct sample *s = &sr->rec.sample;

	if (p->machine->memory)
		budget_take(p->machine->memory, s->nr_branches * 2 * sizeof(*p->branches.v));
	for (uint64_t i = 0; i < s->nr_branches; i++)
		*vec_add(&p->branches) = (struct profile_branch){
			.sample = sample,
			.from = locate_branch(p, sr->task, s->branches[i].from),
			.to = locate_branch(p, sr->task, s->branches[i].to),
			.flags = s->branches[i].flags,
		};
}

/* On its CPU, or how it was off it. */
static enum offcpu_state state_of(const struct profile *p, const struct session_record *sr)
{
	const struct perfdata_event *e = &p->recording->info->events.v[sr->event];

	if (!offcpu_is_event(&e->attr, e->name))
		return OFFCPU_ON;
	return e->attr.sample_type & SAMPLE_ADDR ? offcpu_state_of(sr->rec.sample.addr) : OFFCPU_UNKNOWN;
}

static inline uint32_t place_of_row(const struct profile_row *r)
{
	uint64_t place = (uint64_t)r->stack << 32 | r->location, task = (uint64_t)r->task << 32 | r->fields;
	uint64_t rest = ((uint64_t)r->cpu << 32 | r->event) + ((uint64_t)r->parallelism << 12);

	return (uint32_t)(hash_two(place, task ^ rest << 20) % PROFILE_ROW_CACHE);
}

/* A sample that differs from an earlier one in time and period alone is added to it. Finding most of those is enough: what is left has the
 * same sums. False: it has to be kept, as the next one. */
static bool add_up(struct profile *p, struct profile_samples *s, const struct profile_row *row, uint64_t period, double latency)
{
	struct profile_known_row *known = &p->row_cache[place_of_row(row)];
	uint32_t i = known->sample - 1;

	if (!known->sample || memcmp(&known->row, row, sizeof(*row)) != 0) {
		*known = (struct profile_known_row){ *row, s->nr + 1 };
		return false;
	}
	s->count[i]++;
	s->period[i] += period;
	if (s->latency)
		s->latency[i] += latency;
	return true;
}

static void append(struct profile_samples *s, const struct profile_row *row, uint64_t time_ns, uint64_t period, double latency)
{
	uint32_t i = s->nr++;

	s->time_ns[i] = time_ns;
	s->period[i] = period;
	s->cpu[i] = row->cpu;
	s->event[i] = row->event;
	s->state[i] = row->state;
	s->walk[i] = row->walk;
	s->task[i] = row->task;
	s->location[i] = row->location;
	s->stack[i] = row->stack;
	if (s->labels)
		s->labels[i] = row->labels;
	if (s->fields)
		s->fields[i] = row->fields;
	if (s->latency)
		s->latency[i] = latency;
	if (s->parallelism)
		s->parallelism[i] = row->parallelism;
	if (s->count)
		s->count[i] = 1;
}

void profile_add(struct profile *p, const struct session_record *sr)
{
	const struct sample *sample = &sr->rec.sample;
	struct profile_samples *s = &p->samples;
	struct profile_row row = { .cpu = sample->cpu, .event = (uint16_t)sr->event };
	struct unwind_result walk = { 0 };
	double latency = 0;

	if (s->nr == s->cap)
		grow_samples(p, s, recording_values(p->recording));
	row.state = (uint8_t)state_of(p, sr);
	row.task = profile_intern_task(p, sr->task);
	row.location = profile_intern_sampled(p, sr);
	row.stack = p->only_places ? STACK_NONE : profile_intern_sample(p, sr, &walk);
	row.walk = profile_walk_byte(walk);
	if (s->labels)
		row.labels = (uint32_t)sample->stream_id;
	if (s->fields)
		row.fields = field_keys_intern(p->fields, sr);
	if (s->latency) {
		uint32_t nr = parallelism_at_sample(p->parallelism, sr->task);

		latency = (double)sample->period / nr;
		row.parallelism = s->parallelism ? nr : 0;
	}
	if (s->count && !p->keep_branches && add_up(p, s, &row, sample->period, latency))
		return;
	append(s, &row, sr->time_ns, sample->period, latency);
	if (p->keep_branches)
		add_branches(p, sr, s->nr - 1);
}
