/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * profile.proto: tables first (strings, modules, functions, locations), in whatever order they stand, then the samples. The first value of
 * a sample is how many it stands for where the profile says so ("samples", "count"); every other type of value is an event.
 *
 * A sampled address is where the CPU was; addresses of callers lie inside the call, so that a return address is one more.
 */
#include <errno.h>
#include <string.h>

#include "import/pprof_wire.h"
#include "import/reading.h"
#include "symbols/symbolizer.h"

struct pprof {
	struct import_builder *b;
	struct import_result *result;
	struct pprof_wire t;
	VEC(uint32_t) event_of_type; /* UINT32_MAX: the count of samples */
	VEC(uint32_t) dso_of_mapping; /* UINT32_MAX: not made yet */
	VEC(uint32_t) name_of_function; /* the same */
	VEC(uint32_t) location_of[2];	/* by is_caller; the same */
	uint32_t plain_dso;
	VEC(uint32_t) locations;
	uint64_t nr_seen, nr_zeroes;
};

#define NONE UINT32_MAX

static struct pprof_text text_of(const struct pprof *x, uint64_t string)
{
	return string < x->t.strings.nr ? x->t.strings.v[string] : (struct pprof_text){ "", 0 };
}

static bool equals(struct pprof_text t, const char *s)
{
	return t.len == strlen(s) && !memcmp(t.s, s, t.len);
}

static void fill_none(void *vec_nr_v, uint32_t nr)
{
	struct {
		uint32_t *v;
		uint32_t nr, cap;
	} *vec = vec_nr_v;

	vec_reserve(vec, nr);
	if (nr)
		memset(vec->v, 0xff, nr * sizeof(*vec->v));
	vec->nr = nr;
}

/* ---- modules, functions, locations ---- */

static uint8_t parse_build_id(struct pprof_text t, uint8_t *id)
{
	static const char digits[] = "0123456789abcdef";

	if (t.len % 2 || t.len > 2 * BUILD_ID_MAX)
		return 0;
	for (uint32_t i = 0; i < t.len; i++) {
		const char *d = memchr(digits, t.s[i] | 0x20, 16);

		if (!d)
			return 0;
		id[i / 2] = (uint8_t)(id[i / 2] << 4 | (d - digits));
	}
	return (uint8_t)(t.len / 2);
}

static uint32_t plain_dso(struct pprof *x)
{
	if (!x->plain_dso)
		x->plain_dso = import_dso_kind(x->b, "[unknown]", 9, EMBEDDED_USER, NULL, 0);
	return x->plain_dso;
}

static void make_dsos(struct pprof *x)
{
	fill_none(&x->dso_of_mapping, x->t.mappings.nr);
	for (uint32_t i = 0; i < x->t.mappings.nr; i++) {
		const struct pprof_mapping *m = &x->t.mappings.v[i];
		struct pprof_text path = text_of(x, m->filename);
		uint8_t id[BUILD_ID_MAX] = { 0 }, size = parse_build_id(text_of(x, m->build_id), id);
		uint32_t plain;

		if (!path.len) {
			x->dso_of_mapping.v[i] = plain_dso(x);
			continue;
		}
		plain = import_dso(x->b, path.s, path.len);
		x->dso_of_mapping.v[i] = size ? import_dso_kind(x->b, path.s, path.len, x->b->dsos.v[plain].kind, id, size) : plain;
	}
}

/* The compiler's name where the readable one was made of it: so that either can be shown. */
static uint32_t name_function(struct pprof *x, uint32_t i)
{
	const struct pprof_function *f = &x->t.functions.v[i];
	struct pprof_text name = text_of(x, f->name), system = text_of(x, f->system_name);
	uint32_t id = import_string(x->b, name.s, name.len), system_id;
	char *readable;

	if (!name.len)
		return import_string(x->b, system.s, system.len);
	if (!system.len || (system.len == name.len && !memcmp(system.s, name.s, name.len)))
		return id;
	system_id = import_string(x->b, system.s, system.len);
	readable = symbolizer_demangle(import_str(x->b, system_id));
	if (readable && !strcmp(readable, import_str(x->b, id)))
		id = system_id;
	free(readable);
	return id;
}

static uint32_t function_name(struct pprof *x, uint64_t id)
{
	uint32_t i = pprof_wire_function(&x->t, id);

	if (i == NONE)
		return 0;
	if (x->name_of_function.v[i] == NONE)
		x->name_of_function.v[i] = name_function(x, i);
	return x->name_of_function.v[i];
}

static uint32_t fill_places(struct pprof *x, const struct pprof_location *l, struct import_place *places)
{
	bool has_lines = l->nr_lines > 1;
	uint32_t nr = 0;

	for (uint32_t i = 0; i < l->nr_lines; i++) {
		const struct pprof_line *line = &x->t.lines.v[l->first_line + i];
		uint32_t f = pprof_wire_function(&x->t, line->function);
		struct pprof_text file = text_of(x, f == NONE ? 0 : x->t.functions.v[f].filename);

		/* Of more than fit the innermost and the one that was called stay. */
		if (nr == IMPORT_MAX_INLINED)
			nr--;
		places[nr++] = (struct import_place){ function_name(x, line->function), import_string(x->b, file.s, file.len),
						      line->line < UINT32_MAX ? (uint32_t)line->line : 0 };
		has_lines |= file.len || line->line;
	}
	return has_lines ? nr : 0;
}

static uint32_t make_location(struct pprof *x, const struct pprof_location *l, bool is_caller)
{
	uint32_t mapping = pprof_wire_mapping(&x->t, l->mapping);
	struct import_location loc = {
		.dso = mapping == NONE ? IMPORT_NO_DSO : x->dso_of_mapping.v[mapping],
		.addr = IMPORT_UNKNOWN,
		.ip = IMPORT_UNKNOWN,
		.off = IMPORT_UNKNOWN,
		.is_caller = is_caller && l->address,
		.is_any = !l->address,
	};
	struct import_place places[IMPORT_MAX_INLINED];
	uint32_t nr = fill_places(x, l, places);
	uint64_t ip = l->address + (is_caller && l->address && l->address < IMPORT_UNKNOWN - 1);
	enum embedded_kind kind;

	if (l->nr_lines)
		loc.symbol = function_name(x, x->t.lines.v[l->first_line + l->nr_lines - 1].function);
	if (!loc.dso && loc.symbol)
		loc.dso = plain_dso(x);
	kind = x->b->dsos.v[loc.dso].kind;
	loc.is_kernel = loc.dso && import_is_kernel_kind(kind);
	/* Return addresses 0 and 1, which lead nowhere, have both been made 0. */
	if (!l->address && !loc.dso)
		loc.ip = is_caller && x->nr_zeroes++ ? 1 : 0;
	if (!l->address)
		return import_location(x->b, &loc, places, nr);
	if (!loc.dso) {
		loc.ip = ip;
	} else if (loc.is_kernel || mapping == NONE) {
		loc.addr = ip;
	} else {
		const struct pprof_mapping *m = &x->t.mappings.v[mapping];

		loc.ip = ip;
		if (l->address >= m->start && m->limit > m->start)
			loc.addr = ip - m->start + m->offset;
		else
			loc.addr = ip;
		if (kind == EMBEDDED_JIT || kind == EMBEDDED_MEMORY)
			loc.addr = ip;
	}
	return import_location(x->b, &loc, places, nr);
}

/* UINT32_MAX: there is no such location. */
static uint32_t location_of(struct pprof *x, uint64_t id, int *last_mode)
{
	uint32_t i = pprof_wire_location(&x->t, id), mapping, *cached;
	bool is_kernel;

	if (i == NONE)
		return NONE;
	mapping = pprof_wire_mapping(&x->t, x->t.locations.v[i].mapping);
	is_kernel = mapping != NONE && import_is_kernel_kind(x->b->dsos.v[x->dso_of_mapping.v[mapping]].kind);
	cached = &x->location_of[*last_mode == is_kernel].v[i];
	if (*cached == NONE)
		*cached = make_location(x, &x->t.locations.v[i], *last_mode == is_kernel);
	*last_mode = is_kernel;
	return *cached;
}

/* ---- samples ---- */

struct labels {
	struct pprof_text comm, thread, event;
	int64_t pid, tid, cpu;
	bool has_pid, has_tid, has_cpu;
};

/* A number, or one as text: readers drop the number 0. */
static bool take_cpu(struct pprof_text str, const struct pprof_label *l, int64_t *cpu)
{
	*cpu = l->num;
	if (l->str)
		*cpu = 0;
	for (size_t i = 0; l->str && i < str.len; i++) {
		if (str.s[i] < '0' || str.s[i] > '9' || *cpu > INT32_MAX)
			return false;
		*cpu = *cpu * 10 + (str.s[i] - '0');
	}
	return !l->str || str.len;
}

static void take_label(const struct pprof *x, const struct pprof_label *l, struct labels *to)
{
	struct pprof_text key = text_of(x, l->key), str = text_of(x, l->str);

	if (equals(key, "comm"))
		to->comm = str;
	else if (equals(key, "thread") || equals(key, "thread_name"))
		to->thread = str;
	else if (equals(key, "event"))
		to->event = str;
	else if ((equals(key, "pid") || equals(key, "process_id")) && !l->str)
		to->pid = l->num, to->has_pid = true;
	else if ((equals(key, "tid") || equals(key, "thread_id")) && !l->str)
		to->tid = l->num, to->has_tid = true;
	else if (equals(key, "cpu"))
		to->has_cpu = take_cpu(str, l, &to->cpu);
}

static int32_t id_of(int64_t v)
{
	return v >= INT32_MIN && v <= INT32_MAX ? (int32_t)v : 0;
}

/* The value that a sample of that event has: the one of its name, or of the clock. */
static uint32_t type_of_event(const struct pprof *x, struct pprof_text event)
{
	uint32_t clock = NONE;

	for (uint32_t i = 0; i < x->t.types.nr; i++) {
		struct pprof_text type = text_of(x, x->t.types.v[i].type);

		if (x->event_of_type.v[i] == NONE)
			continue;
		if (type.len == event.len && !memcmp(type.s, event.s, type.len))
			return i;
		if (equals(type, "cpu"))
			clock = i;
	}
	return clock;
}

static bool add_sample(struct pprof *x, const struct import_sample *like, uint32_t type, int64_t value, int64_t count, bool has_cpu)
{
	struct import_sample s = *like;
	struct import_event *e = &x->b->events.v[x->event_of_type.v[type]];

	if (value < 0 || count < 0)
		return false;
	s.event = (uint16_t)x->event_of_type.v[type];
	s.period = (uint64_t)value;
	s.count = count < 1 ? 1 : count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
	e->has_cpu |= has_cpu;
	import_sample(x->b, &s);
	return true;
}

static bool add_values(struct pprof *x, const struct pprof_sample *p, const struct labels *l, const struct import_sample *s)
{
	bool has_count = x->event_of_type.nr && x->event_of_type.v[0] == NONE, any = false, ok = true;
	uint32_t named = l->event.len ? type_of_event(x, l->event) : NONE, first = has_count;
	int64_t count = has_count && p->values.nr ? p->values.v[0] : 1;

	if (named != NONE && named < p->values.nr)
		return add_sample(x, s, named, p->values.v[named], count, l->has_cpu);
	for (uint32_t i = first; i < p->values.nr && i < x->t.types.nr; i++) {
		bool is_count = !has_count && x->t.types.nr == 1 && equals(text_of(x, x->t.types.v[i].unit), "count");

		if (!p->values.v[i])
			continue;
		any = true;
		ok &= add_sample(x, s, i, p->values.v[i], is_count ? p->values.v[i] : count, l->has_cpu);
	}
	/* Samples of no weight are samples, too. */
	if (!any && has_count && count > 0 && first < x->t.types.nr)
		ok = add_sample(x, s, first, 0, count, l->has_cpu);
	return ok;
}

static bool take_sample(struct pprof *x, const struct pprof_sample *p)
{
	struct labels l = { 0 };
	struct import_sample s = { 0 };
	int last_mode = -1;

	for (uint32_t i = 0; i < p->labels.nr; i++)
		take_label(x, &p->labels.v[i], &l);
	if (!l.comm.s)
		l.comm = l.thread;
	s.comm = import_string(x->b, l.comm.s, l.comm.len);
	s.tid = id_of(l.has_tid ? l.tid : l.pid);
	s.pid = l.has_pid && l.pid >= 0 ? id_of(l.pid) : s.tid;
	s.cpu = l.has_cpu && l.cpu >= 0 && l.cpu < INT32_MAX ? (uint32_t)l.cpu : 0;
	x->locations.nr = 0;
	for (uint32_t i = 0; i < p->locations.nr; i++) {
		uint32_t location = location_of(x, p->locations.v[i], &last_mode);

		if (location == NONE)
			return false;
		vec_push(&x->locations, location);
	}
	s.stack = import_stack(x->b, x->locations.v, x->locations.nr);
	return add_values(x, p, &l, &s);
}

static int each_sample(void *ctx, const struct pprof_sample *p)
{
	struct pprof *x = ctx;

	x->nr_seen++;
	if (!p || !take_sample(x, p))
		import_skip(x->result, x->nr_seen);
	return 0;
}

/* ---- events ---- */

/* Of two clocks each keeps its name; a single one is called "cpu", and only labels tell which it was. */
struct clock_name {
	const struct pprof *x;
	struct pprof_text name;
};

static int find_clock(void *ctx, const struct pprof_sample *p)
{
	struct clock_name *c = ctx;
	struct labels l = { 0 };

	if (!p)
		return 0;
	for (uint32_t i = 0; i < p->labels.nr; i++)
		take_label(c->x, &p->labels.v[i], &l);
	if (!l.event.len)
		return 1;
	for (uint32_t i = 0; i < c->x->t.types.nr; i++) {
		struct pprof_text type = text_of(c->x, c->x->t.types.v[i].type);

		if (type.len == l.event.len && !memcmp(type.s, l.event.s, type.len))
			return 0;
	}
	c->name = l.event;
	return 1;
}

static void make_events(struct pprof *x)
{
	struct clock_name clock = { .x = x, .name = { "cpu-clock", 9 } };
	bool has_count = x->t.types.nr > 1 && equals(text_of(x, x->t.types.v[0].type), "samples") &&
			 equals(text_of(x, x->t.types.v[0].unit), "count");

	if (x->t.types.nr > 2)
		pprof_wire_samples(&x->t, find_clock, &clock);
	for (uint32_t i = 0; i < x->t.types.nr; i++) {
		struct pprof_text name = text_of(x, x->t.types.v[i].type), unit = text_of(x, x->t.types.v[i].unit);
		uint32_t event;

		if (!i && has_count) {
			vec_push(&x->event_of_type, NONE);
			continue;
		}
		if (equals(name, "cpu") && equals(unit, "nanoseconds"))
			name = clock.name;
		event = import_event(x->b, name.len ? name.s : "samples", name.len ? name.len : 7);
		x->b->events.v[event].has_period = x->b->events.v[event].has_chain = true;
		x->b->events.v[event].period = i == has_count && x->t.period > 0 ? (uint64_t)x->t.period : 0;
		vec_push(&x->event_of_type, event);
		x->b->has_sums |= !has_count && (x->t.types.nr > 1 || !equals(unit, "count"));
	}
}

/* ---- the rest ---- */

static void take_comments(struct pprof *x)
{
	struct import_builder *b = x->b;
	const struct {
		const char *label;
		const char **to;
	} known[] = { { "command: ", &b->command }, { "host: ", &b->hostname }, { "kernel: ", &b->osrelease }, { "cpu: ", &b->cpudesc } };

	for (uint32_t i = 0; i < x->t.comments.nr; i++) {
		struct pprof_text t = text_of(x, x->t.comments.v[i]);

		import_note(b, t.s, t.len);
		for (size_t k = 0; k < sizeof(known) / sizeof(*known); k++) {
			size_t n = strlen(known[k].label);

			if (t.len > n && !memcmp(t.s, known[k].label, n))
				*known[k].to = import_str(b, import_string(b, t.s + n, t.len - n));
		}
	}
}

int import_pprof(struct import_builder *b, const void *data, size_t size, struct import_result *result, struct errbuf *eb)
{
	struct pprof x = { .b = b, .result = result };
	int err = pprof_wire_init(&x.t, data, size);

	if (err) {
		errbuf_set(eb, err, "it is no pprof profile, or a damaged one: its bytes make no sense at offset %llu",
			   (unsigned long long)x.t.bad_off);
		goto out;
	}
	fill_none(&x.name_of_function, x.t.functions.nr);
	fill_none(&x.location_of[0], x.t.locations.nr);
	fill_none(&x.location_of[1], x.t.locations.nr);
	b->has_whole_stacks = true;
	make_dsos(&x);
	make_events(&x);
	take_comments(&x);
	b->wall_ns = x.t.time_ns > 0 ? (uint64_t)x.t.time_ns : 0;
	b->last_ns = x.t.duration_ns > 0 ? (uint64_t)x.t.duration_ns : 0;
	if (x.event_of_type.nr)
		pprof_wire_samples(&x.t, each_sample, &x);
out:
	vec_fini(&x.event_of_type);
	vec_fini(&x.dso_of_mapping);
	vec_fini(&x.name_of_function);
	vec_fini(&x.location_of[0]);
	vec_fini(&x.location_of[1]);
	vec_fini(&x.locations);
	pprof_wire_fini(&x.t);
	return err;
}
