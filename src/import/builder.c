/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Interning: the tables of a foreign profile. What things are follows from what they are called, as perf prints it.
 */
#include "import/builder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/event_names.h"

#define TYPE_OTHER 0x7fffffffu /* no PMU has it: nothing is known of the event but its name */

/* Rough sizes of things with their share of indices, and of what the writer makes of them. */
#define STRING_COST 48u
#define DSO_COST 400u
#define LOCATION_COST 480u /* and what a row of a report takes */
#define PLACE_COST 24u
#define STACK_COST 32u
#define CALLER_COST 32u
#define SAMPLE_COST (sizeof(struct import_sample) + 8u)
#define NOTE_COST 24u
/* A record beside its chain. */
#define RECORD_COST 96u

/* Allowances: what every profile may cost, and what each byte of a large one adds. */
#define MEMORY_LEAST (UINT64_C(384) << 20)
#define MEMORY_PER_BYTE 36u
#define RECORDED_LEAST (UINT64_C(192) << 20)
#define RECORDED_PER_BYTE 18u
#define CALLERS_LEAST 2500000u
#define CALLERS_PER_4_BYTES 1u
#define FRAMES_LEAST 24000000u
#define FRAMES_PER_BYTE 2u

void import_allow(struct import_builder *b, uint64_t bytes_present)
{
	struct import_allowance *a = &b->allowance;

	a->memory.bytes_present = a->recorded.bytes_present = a->frames.bytes_present = bytes_present;
	a->callers.bytes_present = bytes_present / 4;
}

void import_charge(struct import_builder *b, uint64_t bytes)
{
	budget_take(&b->allowance.memory, bytes);
}

int import_check(const struct import_builder *b, struct errbuf *eb)
{
	const struct import_allowance *a = &b->allowance;

	if (a->memory.is_exhausted)
		return errbuf_set(eb, -E2BIG, "to read it takes more than %llu MB of memory, which is the limit for a profile of its size",
				  (unsigned long long)(budget_limit(&a->memory) >> 20));
	if (a->recorded.is_exhausted)
		return errbuf_set(eb, -E2BIG, "its samples take more than %llu MB, which is the limit for a profile of its size",
				  (unsigned long long)(budget_limit(&a->recorded) >> 20));
	if (a->callers.is_exhausted)
		return errbuf_set(eb, -E2BIG,
				  "its stacks are a tree of more than %llu frames, which is the limit for a profile of its size",
				  (unsigned long long)budget_limit(&a->callers));
	if (a->frames.is_exhausted)
		return errbuf_set(eb, -E2BIG,
				  "its distinct stacks have more than %llu frames, which is the limit for a profile of its size",
				  (unsigned long long)budget_limit(&a->frames));
	return 0;
}

void import_builder_init(struct import_builder *b)
{
	memset(b, 0, sizeof(*b));
	budget_init(&b->allowance.memory, MEMORY_LEAST, MEMORY_PER_BYTE, 0);
	budget_init(&b->allowance.recorded, RECORDED_LEAST, RECORDED_PER_BYTE, 0);
	budget_init(&b->allowance.callers, CALLERS_LEAST, CALLERS_PER_4_BYTES, 0);
	budget_init(&b->allowance.frames, FRAMES_LEAST, FRAMES_PER_BYTE, 0);
	strtab_init(&b->strings);
	strtab_init(&b->texts);
	*vec_add(&b->dsos) = (struct imported_module){ .kind = IMPORTED_MEMORY };
	*vec_add(&b->stacks) = (struct import_stack){ 0 };
	*vec_add(&b->callers) = (struct import_caller){ 0 };
	*vec_add(&b->section.sets) = (struct imported_set){ 0 };
}

void import_builder_fini(struct import_builder *b)
{
	vec_fini(&b->dsos);
	vec_fini(&b->places);
	vec_fini(&b->locations);
	vec_fini(&b->stacks);
	vec_fini(&b->callers);
	vec_fini(&b->events);
	vec_fini(&b->samples);
	imported_fini(&b->section);
	hindex_fini(&b->label_index);
	hindex_fini(&b->dso_index);
	hindex_fini(&b->location_index);
	hindex_fini(&b->stack_index);
	hindex_fini(&b->caller_index);
	hindex_fini(&b->event_index);
	arena_fini(&b->arena);
	strtab_fini(&b->strings);
	strtab_fini(&b->texts);
}

static uint32_t intern(struct import_builder *b, struct strtab *t, const char *s, size_t len)
{
	uint32_t nr = t->entries.nr, id = strtab_intern_len(t, s, len);

	if (id == nr)
		import_charge(b, len + STRING_COST);
	return id;
}

/* Readers take "a\0b" for "a": names must not become the same by that. */
static uint32_t intern_with_nuls(struct import_builder *b, struct strtab *t, const char *s, size_t len)
{
	static const char escape[] = "\\x00";
	char *text = mem_alloc(len * strlen(escape));
	size_t n = 0;
	uint32_t id;

	for (size_t i = 0; i < len; i++) {
		size_t size = s[i] ? 1 : strlen(escape);

		memcpy(text + n, s[i] ? &s[i] : escape, size);
		n += size;
	}
	id = intern(b, t, text, n < IMPORT_MAX_NAME ? n : IMPORT_MAX_NAME);
	free(text);
	return id;
}

static uint32_t intern_any(struct import_builder *b, struct strtab *t, const char *s, size_t len)
{
	if (len > IMPORT_MAX_NAME)
		len = IMPORT_MAX_NAME;
	if (len && memchr(s, 0, len))
		return intern_with_nuls(b, t, s, len);
	return intern(b, t, len ? s : "", len);
}

uint32_t import_string(struct import_builder *b, const char *s, size_t len)
{
	return intern_any(b, &b->strings, s, len);
}

uint32_t import_text(struct import_builder *b, const char *s, size_t len)
{
	return intern_any(b, &b->texts, s, len);
}

static bool equals(const char *s, size_t len, const char *other)
{
	return strlen(other) == len && !memcmp(s, other, len);
}

static bool begins(const char *s, size_t len, const char *prefix)
{
	return len >= strlen(prefix) && !memcmp(s, prefix, strlen(prefix));
}

static bool is_jit_map(const char *path)
{
	const char *slash = strrchr(path, '/');
	int pid, end = 0;

	return sscanf(slash ? slash + 1 : path, "perf-%d.map%n", &pid, &end) == 1 && end && !(slash ? slash + 1 : path)[end];
}

bool import_is_bpf(const char *path)
{
	return !strncmp(path, "bpf_prog_", 9) || !strncmp(path, "bpf_trampoline_", 15);
}

/* What perf prints between parentheses, and what that is. */
static enum imported_kind kind_of(const char *path, size_t len)
{
	static const char *const memory[] = {
		"[stack", "[heap", "[anon", "[vvar", "[vsyscall", "[unknown", "//anon", "[uprobes", "[sigpage"
	};

	if (begins(path, len, "[kernel") || begins(path, len, "[guest.kernel"))
		return IMPORTED_KERNEL;
	if (equals(path, len, "[vdso]") || equals(path, len, "[vdso32]"))
		return IMPORTED_VDSO;
	for (size_t i = 0; i < sizeof(memory) / sizeof(*memory); i++)
		if (begins(path, len, memory[i]))
			return IMPORTED_MEMORY;
	if (import_is_bpf(path))
		return IMPORTED_MEMORY;
	if (begins(path, len, "[JIT]") || is_jit_map(path))
		return IMPORTED_JIT;
	if (len > 2 && path[0] == '[' && path[len - 1] == ']')
		return IMPORTED_KMODULE;
	return IMPORTED_USER;
}

static bool is_same_dso(const struct imported_module *x, const struct imported_module *y)
{
	return x->path == y->path && x->kind == y->kind && x->build_id_size == y->build_id_size &&
	       !memcmp(x->build_id, y->build_id, sizeof(x->build_id));
}

uint32_t import_dso_kind(struct import_builder *b, const char *path, size_t len, enum imported_kind kind, const uint8_t *build_id,
			 uint8_t build_id_size)
{
	uint32_t name = import_string(b, path, len < IMPORT_MAX_PATH ? len : IMPORT_MAX_PATH);
	struct imported_module d = { .path = name, .kind = (uint8_t)kind };
	uint32_t found;
	uint64_t h;

	if (build_id_size && build_id_size <= sizeof(d.build_id)) {
		memcpy(d.build_id, build_id, build_id_size);
		d.build_id_size = build_id_size;
	}
	h = hash_bytes(d.build_id, sizeof(d.build_id), hash_pair(name, kind));
	found = HINDEX_FIND(&b->dso_index, h, id, is_same_dso(&b->dsos.v[id], &d));
	if (found != HINDEX_NONE)
		return found;
	import_charge(b, DSO_COST);
	vec_push(&b->dsos, d);
	hindex_add(&b->dso_index, h, b->dsos.nr - 1);
	return b->dsos.nr - 1;
}

uint32_t import_dso(struct import_builder *b, const char *path, size_t len)
{
	uint32_t name = import_string(b, path, len < IMPORT_MAX_PATH ? len : IMPORT_MAX_PATH);
	const char *s = import_str(b, name);

	return import_dso_kind(b, s, strlen(s), kind_of(s, strlen(s)), NULL, 0);
}

static bool same_location(const struct import_builder *b, uint32_t id, const struct import_location *l, const struct imported_place *places,
			  uint32_t nr)
{
	const struct import_location *o = &b->locations.v[id];

	if (o->dso != l->dso || o->symbol != l->symbol || o->addr != l->addr || o->ip != l->ip || o->off != l->off ||
	    o->is_kernel != l->is_kernel || o->nr_places != nr)
		return false;
	return !nr || !memcmp(&b->places.v[o->first_place], places, nr * sizeof(*places));
}

uint32_t import_location(struct import_builder *b, const struct import_location *l, const struct imported_place *places, uint32_t nr)
{
	uint64_t what = (uint64_t)l->symbol << 32 | nr << 1 | l->is_kernel;
	uint64_t h = hash_pair(l->addr ^ (uint64_t)l->dso << 32, hash_pair(l->ip, what));
	struct import_location copy = *l;
	uint32_t found;

	/* Deeper than lookups go: the outermost of the inlined ones are left out. */
	if (nr > IMPORT_MAX_INLINED)
		nr = IMPORT_MAX_INLINED;
	for (uint32_t i = 0; i < nr; i++)
		h = hash_pair(h ^ places[i].line, (uint64_t)places[i].function << 32 | places[i].file);
	found = HINDEX_FIND(&b->location_index, h, id, same_location(b, id, l, places, nr));
	if (found != HINDEX_NONE)
		return found;
	import_charge(b, LOCATION_COST + (uint64_t)nr * PLACE_COST);
	copy.first_place = b->places.nr;
	copy.nr_places = nr;
	for (uint32_t i = 0; i < nr; i++)
		vec_push(&b->places, places[i]);
	vec_push(&b->locations, copy);
	hindex_add(&b->location_index, h, b->locations.nr - 1);
	return b->locations.nr - 1;
}

static uint32_t weight_of(const struct import_builder *b, uint32_t location)
{
	return b->locations.v[location].nr_places ? b->locations.v[location].nr_places : 1;
}

/* Stacks share their outer ends in every tree that is made of them. */
static uint32_t add_caller(struct import_builder *b, uint32_t caller, uint32_t location)
{
	uint64_t h = hash_pair(caller, location);
	uint32_t found = HINDEX_FIND(&b->caller_index, h, id, b->callers.v[id].caller == caller && b->callers.v[id].location == location);

	if (found != HINDEX_NONE)
		return found;
	if (!budget_take(&b->allowance.callers, weight_of(b, location)))
		return 0;
	import_charge(b, CALLER_COST);
	vec_push(&b->callers, ((struct import_caller){ caller, location }));
	hindex_add(&b->caller_index, h, b->callers.nr - 1);
	return b->callers.nr - 1;
}

static void charge_stack(struct import_builder *b, const uint32_t *locations, uint32_t nr)
{
	uint64_t nr_frames = 0;
	uint32_t caller = 0;

	for (uint32_t i = nr; i-- > 0 && !b->allowance.callers.is_exhausted;) {
		caller = add_caller(b, caller, locations[i]);
		nr_frames += weight_of(b, locations[i]);
	}
	budget_take(&b->allowance.frames, nr_frames);
	import_charge(b, STACK_COST + (uint64_t)nr * sizeof(*locations));
}

static uint32_t intern_stack(struct import_builder *b, const uint32_t *locations, uint32_t nr)
{
	size_t size = nr * sizeof(*locations);
	uint64_t h = hash_bytes(locations, size, nr);
	uint32_t found =
		HINDEX_FIND(&b->stack_index, h, id, b->stacks.v[id].nr == nr && !memcmp(b->stacks.v[id].locations, locations, size));

	if (found != HINDEX_NONE)
		return found;
	charge_stack(b, locations, nr);
	*vec_add(&b->stacks) = (struct import_stack){ arena_copy(&b->arena, locations, size), nr };
	hindex_add(&b->stack_index, h, b->stacks.nr - 1);
	return b->stacks.nr - 1;
}

/* In place of the outer end there is a frame that says so. */
static uint32_t intern_cut_stack(struct import_builder *b, const uint32_t *locations)
{
	const struct import_location mark = {
		.dso = import_dso_kind(b, "[unknown]", 9, IMPORTED_USER, NULL, 0),
		.symbol = import_string(b, "[truncated]", 11),
		.addr = IMPORT_UNKNOWN,
		.ip = IMPORT_UNKNOWN,
		.off = IMPORT_UNKNOWN,
	};
	uint32_t *cut = mem_alloc(IMPORT_MAX_DEPTH * sizeof(*cut)), id;

	b->nr_cut++;
	memcpy(cut, locations, (IMPORT_MAX_DEPTH - 1) * sizeof(*cut));
	cut[IMPORT_MAX_DEPTH - 1] = import_location(b, &mark, NULL, 0);
	id = intern_stack(b, cut, IMPORT_MAX_DEPTH);
	free(cut);
	return id;
}

uint32_t import_stack(struct import_builder *b, const uint32_t *locations, uint32_t nr)
{
	if (!nr)
		return IMPORT_NO_STACK;
	return nr > IMPORT_MAX_DEPTH ? intern_cut_stack(b, locations) : intern_stack(b, locations, nr);
}

/* "cycles:ppp", "cpu-clock:u": what stands behind the colon are letters that modify. */
static bool is_modifier(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!strchr("ukhGHpPSDWe", s[i]))
			return false;
	return len;
}

static bool is_word(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!(s[i] == '_' || s[i] == '-' || (s[i] >= '0' && s[i] <= '9') || (s[i] >= 'a' && s[i] <= 'z') ||
		      (s[i] >= 'A' && s[i] <= 'Z')))
			return false;
	return len;
}

static void name_event(struct import_event *e, const char *name, size_t len)
{
	const char *colon = memchr(name, ':', len);
	size_t base = colon ? (size_t)(colon - name) : len;

	e->type = TYPE_OTHER;
	if (!colon || is_modifier(colon + 1, len - base - 1)) {
		if (event_names_find(name, base, &e->type, &e->config))
			e->type = TYPE_OTHER;
	} else if (is_word(name, base) && is_word(colon + 1, len - base - 1)) {
		e->type = ATTR_TYPE_TRACEPOINT;
	}
}

uint32_t import_event(struct import_builder *b, const char *name, size_t len)
{
	uint32_t id = import_string(b, name, len < 200 ? len : 200);
	uint64_t h = hash_u64(id);
	uint32_t found = HINDEX_FIND(&b->event_index, h, i, b->events.v[i].name == id);
	struct import_event e = { .name = id, .period = 1 };

	if (found != HINDEX_NONE)
		return found;
	/* Every view has a table for each. */
	if (b->events.nr >= IMPORT_MAX_EVENTS) {
		b->nr_excess_events++;
		return b->events.nr - 1;
	}
	name_event(&e, import_str(b, id), strtab_len(&b->strings, id));
	if (e.type == ATTR_TYPE_TRACEPOINT)
		e.config = b->events.nr + 1;
	vec_push(&b->events, e);
	hindex_add(&b->event_index, h, b->events.nr - 1);
	return b->events.nr - 1;
}

/* Readers of records do not take a pid or tid of 0 beside another number for that of the idle task: names and maps that are written for it
 * would not be the sample's. */
static void settle_task(struct import_sample *s)
{
	if (task_is_nameless(s->pid, s->tid))
		s->tid = s->pid;
	else if (task_has_no_process(s->pid, s->tid))
		s->pid = s->tid;
}

void import_sample(struct import_builder *b, const struct import_sample *s)
{
	import_charge(b, SAMPLE_COST);
	budget_take(&b->allowance.recorded, RECORD_COST + (uint64_t)b->stacks.v[s->stack].nr * sizeof(uint64_t));
	vec_push(&b->samples, *s);
	settle_task(&b->samples.v[b->samples.nr - 1]);
	b->events.v[s->event].nr_samples++;
}

_Static_assert(sizeof(struct imported_label) == 24 && sizeof(struct imported_place) == 12, "compared byte by byte: there are no holes");

uint32_t import_labels(struct import_builder *b, const struct imported_label *labels, uint32_t nr)
{
	struct imported *v = &b->section;
	size_t size = nr * sizeof(*labels);
	uint32_t found;
	uint64_t h;

	if (!nr)
		return 0;
	h = hash_bytes(labels, size, nr);
	found = HINDEX_FIND(&b->label_index, h, id, v->sets.v[id].nr == nr && !memcmp(&v->labels.v[v->sets.v[id].first], labels, size));
	if (found != HINDEX_NONE)
		return found;
	vec_push(&v->sets, ((struct imported_set){ v->labels.nr, nr }));
	for (uint32_t i = 0; i < nr; i++)
		vec_push(&v->labels, labels[i]);
	hindex_add(&b->label_index, h, v->sets.nr - 1);
	return v->sets.nr - 1;
}

void import_note(struct import_builder *b, const char *text, size_t len)
{
	import_charge(b, NOTE_COST);
	vec_push(&b->section.notes, import_string(b, text, len));
}

struct by_time {
	uint64_t time_ns;
	uint32_t at;
};

static int compare_times(const void *va, const void *vb)
{
	const struct by_time *a = va, *b = vb;

	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	return a->at < b->at ? -1 : 1;
}

void import_sort_samples(struct import_builder *b)
{
	struct import_sample *sorted;
	struct by_time *order;
	uint32_t nr = b->samples.nr, i = 1;

	while (i < nr && b->samples.v[i].time_ns >= b->samples.v[i - 1].time_ns)
		i++;
	if (i >= nr)
		return;
	order = mem_alloc(nr * sizeof(*order));
	sorted = mem_alloc(nr * sizeof(*sorted));
	for (i = 0; i < nr; i++)
		order[i] = (struct by_time){ b->samples.v[i].time_ns, i };
	qsort(order, nr, sizeof(*order), compare_times);
	for (i = 0; i < nr; i++)
		sorted[i] = b->samples.v[order[i].at];
	memcpy(b->samples.v, sorted, nr * sizeof(*sorted));
	free(sorted);
	free(order);
}
