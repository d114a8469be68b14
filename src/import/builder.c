/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Interning: the tables of a foreign profile. What things are follows from what they are called, as perf prints it.
 */
#include "import/builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/event_names.h"

#define TYPE_OTHER 0x7fffffffu /* no PMU has it: nothing is known of the event but its name */

void import_builder_init(struct import_builder *b)
{
	memset(b, 0, sizeof(*b));
	strtab_init(&b->strings);
	import_values_init(&b->values);
	*vec_add(&b->dsos) = (struct import_dso){ .kind = EMBEDDED_MEMORY };
	*vec_add(&b->stacks) = (struct import_stack){ 0 };
}

void import_builder_fini(struct import_builder *b)
{
	for (uint32_t i = 0; i < b->dsos.nr; i++) {
		struct import_dso *d = &b->dsos.v[i];

		free((void *)(uintptr_t)d->symbols.data);
		for (uint32_t k = 0; k < d->nr_sources; k++)
			free((void *)(uintptr_t)d->sources[k].data);
		free(d->sources);
	}
	vec_fini(&b->dsos);
	vec_fini(&b->places);
	vec_fini(&b->locations);
	vec_fini(&b->stacks);
	vec_fini(&b->events);
	vec_fini(&b->samples);
	vec_fini(&b->notes);
	import_values_fini(&b->values);
	hindex_fini(&b->dso_index);
	hindex_fini(&b->location_index);
	hindex_fini(&b->stack_index);
	hindex_fini(&b->event_index);
	arena_fini(&b->arena);
	strtab_fini(&b->strings);
}

/* Nobody behind us can tell "a\0b" from "a": names must not become the same for that. */
static uint32_t intern_with_nuls(struct import_builder *b, const char *s, size_t len)
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
	id = strtab_intern_len(&b->strings, text, n < IMPORT_MAX_NAME ? n : IMPORT_MAX_NAME);
	free(text);
	return id;
}

uint32_t import_string(struct import_builder *b, const char *s, size_t len)
{
	if (len > IMPORT_MAX_NAME)
		len = IMPORT_MAX_NAME;
	if (len && memchr(s, 0, len))
		return intern_with_nuls(b, s, len);
	return strtab_intern_len(&b->strings, len ? s : "", len);
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
static enum embedded_kind kind_of(const char *path, size_t len)
{
	static const char *const memory[] = { "[stack", "[heap", "[anon", "[vvar", "[vsyscall", "[unknown", "//anon", "[uprobes", "[sigpage" };

	if (begins(path, len, "[kernel") || begins(path, len, "[guest.kernel"))
		return EMBEDDED_KERNEL;
	if (equals(path, len, "[vdso]") || equals(path, len, "[vdso32]"))
		return EMBEDDED_VDSO;
	for (size_t i = 0; i < sizeof(memory) / sizeof(*memory); i++)
		if (begins(path, len, memory[i]))
			return EMBEDDED_MEMORY;
	if (import_is_bpf(path))
		return EMBEDDED_MEMORY;
	if (begins(path, len, "[JIT]") || is_jit_map(path))
		return EMBEDDED_JIT;
	if (len > 2 && path[0] == '[' && path[len - 1] == ']')
		return EMBEDDED_KMODULE;
	return EMBEDDED_USER;
}

uint32_t import_dso_kind(struct import_builder *b, const char *path, size_t len, enum embedded_kind kind, const uint8_t *build_id,
			 uint8_t build_id_size)
{
	uint32_t name = import_string(b, path, len < IMPORT_MAX_PATH ? len : IMPORT_MAX_PATH);
	struct import_dso d = { .path = name, .kind = kind };
	uint64_t h;
	struct hindex_iter it;

	if (build_id_size && build_id_size <= sizeof(d.build_id)) {
		memcpy(d.build_id, build_id, build_id_size);
		d.build_id_size = build_id_size;
	}
	h = hash_bytes(d.build_id, sizeof(d.build_id), hash_pair(name, kind));
	it = hindex_find(&b->dso_index, h);
	for (uint32_t id; (id = hindex_next(&it)) != HINDEX_NONE;) {
		const struct import_dso *o = &b->dsos.v[id];

		if (o->path == name && o->kind == kind && o->build_id_size == d.build_id_size &&
		    !memcmp(o->build_id, d.build_id, sizeof(d.build_id)))
			return id;
	}
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

static bool same_location(const struct import_builder *b, uint32_t id, const struct import_location *l, const struct import_place *places,
			  uint32_t nr)
{
	const struct import_location *o = &b->locations.v[id];

	if (o->dso != l->dso || o->symbol != l->symbol || o->addr != l->addr || o->ip != l->ip || o->off != l->off ||
	    o->is_kernel != l->is_kernel || o->is_caller != l->is_caller || o->is_any != l->is_any || o->nr_places != nr)
		return false;
	for (uint32_t i = 0; i < nr; i++) {
		const struct import_place *x = &b->places.v[o->first_place + i], *y = &places[i];

		if (x->function != y->function || x->file != y->file || x->line != y->line)
			return false;
	}
	return true;
}

uint32_t import_location(struct import_builder *b, const struct import_location *l, const struct import_place *places, uint32_t nr)
{
	uint64_t what = (uint64_t)l->symbol << 32 | nr << 2 | l->is_kernel << 1 | l->is_caller;
	uint64_t h = hash_pair(l->addr ^ (uint64_t)l->dso << 32, hash_pair(l->ip, what));
	struct import_location copy = *l;
	struct hindex_iter it;

	/* Deeper than lookups go: the outermost of the inlined ones are left out. */
	if (nr > IMPORT_MAX_INLINED)
		nr = IMPORT_MAX_INLINED;
	for (uint32_t i = 0; i < nr; i++)
		h = hash_pair(h ^ places[i].line, (uint64_t)places[i].function << 32 | places[i].file);
	it = hindex_find(&b->location_index, h);
	for (uint32_t id; (id = hindex_next(&it)) != HINDEX_NONE;)
		if (same_location(b, id, l, places, nr))
			return id;
	copy.first_place = b->places.nr;
	copy.nr_places = nr;
	for (uint32_t i = 0; i < nr; i++)
		vec_push(&b->places, places[i]);
	vec_push(&b->locations, copy);
	hindex_add(&b->location_index, h, b->locations.nr - 1);
	return b->locations.nr - 1;
}

static uint32_t intern_stack(struct import_builder *b, const uint32_t *locations, uint32_t nr)
{
	uint64_t h;
	struct hindex_iter it;

	h = hash_bytes(locations, nr * sizeof(*locations), nr);
	it = hindex_find(&b->stack_index, h);
	for (uint32_t id; (id = hindex_next(&it)) != HINDEX_NONE;)
		if (b->stacks.v[id].nr == nr && !memcmp(b->stacks.v[id].locations, locations, nr * sizeof(*locations)))
			return id;
	*vec_add(&b->stacks) = (struct import_stack){ arena_copy(&b->arena, locations, nr * sizeof(*locations)), nr };
	hindex_add(&b->stack_index, h, b->stacks.nr - 1);
	return b->stacks.nr - 1;
}

/* In place of the outer end there is a frame that says so. */
static uint32_t intern_cut_stack(struct import_builder *b, const uint32_t *locations)
{
	const struct import_location mark = {
		.dso = import_dso_kind(b, "[unknown]", 9, EMBEDDED_USER, NULL, 0),
		.symbol = import_string(b, "[truncated]", 11),
		.addr = IMPORT_UNKNOWN,
		.ip = IMPORT_UNKNOWN,
		.off = IMPORT_UNKNOWN,
		.is_any = true,
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
		if (!(s[i] == '_' || s[i] == '-' || (s[i] >= '0' && s[i] <= '9') || (s[i] >= 'a' && s[i] <= 'z') || (s[i] >= 'A' && s[i] <= 'Z')))
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
	struct hindex_iter it = hindex_find(&b->event_index, h);
	struct import_event e = { .name = id, .period = 1 };

	for (uint32_t i; (i = hindex_next(&it)) != HINDEX_NONE;)
		if (b->events.v[i].name == id)
			return i;
	/* Numbers of events are small in samples. What is beyond belongs to no honest file. */
	if (b->events.nr >= UINT16_MAX)
		return b->events.nr - 1;
	name_event(&e, import_str(b, id), strtab_len(&b->strings, id));
	if (e.type == ATTR_TYPE_TRACEPOINT)
		e.config = b->events.nr + 1;
	vec_push(&b->events, e);
	hindex_add(&b->event_index, h, b->events.nr - 1);
	return b->events.nr - 1;
}

void import_sample(struct import_builder *b, const struct import_sample *s)
{
	vec_push(&b->samples, *s);
	b->events.v[s->event].nr_samples++;
}

void import_note(struct import_builder *b, const char *text, size_t len)
{
	vec_push(&b->notes, import_str(b, import_string(b, text, len)));
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
