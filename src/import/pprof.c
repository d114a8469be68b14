/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * profile.proto: what its values are and what its samples refer to, in whatever order that comes, then the samples. Labels that name a
 * task, a CPU or an event become that, and all are kept as they are as well.
 *
 * Which events the types of values become: a number of samples in front ("samples", "count") is how often the sample is handed out, where
 * each sample is of one event, the only one, or the one that its label names. Otherwise every type is an event, and its sums are what
 * counts. The default type comes first, because views show it.
 */
#include "import/pprof.h"

#include <errno.h>
#include <stdlib.h>

#define MAX_COUNTED_TYPES 256u /* labels are held against each: many samples times many types is no honest profile */

/* The `event` label of a sample; empty where it has none. */
static struct pprof_text event_of(const struct pprof *x, const struct pprof_sample *p)
{
	for (uint32_t i = 0; i < p->labels.nr; i++)
		if (p->labels.v[i].str && pprof_equals(pprof_text_of(x, p->labels.v[i].key), "event"))
			return pprof_text_of(x, p->labels.v[i].str);
	return (struct pprof_text){ "", 0 };
}

static bool is_clock(const struct pprof *x, const struct pprof_type *type)
{
	return pprof_equals(pprof_text_of(x, type->type), "cpu") && pprof_equals(pprof_text_of(x, type->unit), "nanoseconds");
}

/* Of two clocks each keeps its name; a single one is called "cpu", and only labels tell which it was. PPROF_NONE: no type is of that event. */
static uint32_t type_of_event(const struct pprof *x, struct pprof_text event)
{
	uint32_t clock = PPROF_NONE;

	for (uint32_t i = 1; i < x->t.types.nr; i++) {
		if (pprof_same(pprof_text_of(x, x->t.types.v[i].type), event))
			return i;
		if (is_clock(x, &x->t.types.v[i]))
			clock = i;
	}
	return event.len && (!x->clock.len || pprof_same(x->clock, event)) ? clock : PPROF_NONE;
}

/* ---- may the first value be taken for a number of samples? ---- */

struct survey {
	struct pprof *x;
	uint64_t total;
};

static bool is_of_one_event(struct pprof *x, const struct pprof_sample *p)
{
	struct pprof_text event;
	uint32_t type;

	if (x->t.types.nr == 2)
		return true;
	event = event_of(x, p);
	type = type_of_event(x, event);
	if (type == PPROF_NONE)
		return false;
	for (uint32_t i = 1; i < p->values.nr; i++)
		if (i != type && p->values.v[i])
			return false;
	if (!pprof_same(pprof_text_of(x, x->t.types.v[type].type), event))
		x->clock = event;
	return true;
}

static int look_at(void *ctx, const struct pprof_sample *p)
{
	struct survey *s = ctx;
	bool is_zero = true, is_negative = false;

	for (uint32_t i = 0; p && i < p->values.nr; i++) {
		is_zero &= !p->values.v[i];
		is_negative |= p->values.v[i] < 0;
	}
	if (!p || is_zero || is_negative)
		return 0; /* left out */
	s->x->has_count = p->values.v[0] > 0 && p->values.v[0] <= IMPORT_MAX_COUNTED && is_of_one_event(s->x, p);
	s->total += s->x->has_count ? (uint64_t)p->values.v[0] : 0;
	s->x->has_count &= s->total <= IMPORT_MAX_COUNTED;
	return !s->x->has_count;
}

static void find_count(struct pprof *x)
{
	struct survey s = { .x = x };

	x->has_count = x->t.types.nr > 1 && x->t.types.nr <= MAX_COUNTED_TYPES &&
		       pprof_equals(pprof_text_of(x, x->t.types.v[0].type), "samples") &&
		       pprof_equals(pprof_text_of(x, x->t.types.v[0].unit), "count");
	if (x->has_count)
		pprof_wire_samples(&x->t, look_at, &s);
	if (!x->has_count || !x->clock.len)
		x->clock = (struct pprof_text){ "cpu-clock", 9 };
	x->is_count = x->t.types.nr == 1 && pprof_equals(pprof_text_of(x, x->t.types.v[0].unit), "count");
}

/* ---- events ---- */

/* As readers of pprof choose it: the one that is named, or the last. */
static uint32_t default_type(const struct pprof *x)
{
	struct pprof_text name = pprof_text_of(x, x->t.default_type);

	for (uint32_t i = x->has_count; name.len && i < x->t.types.nr; i++)
		if (pprof_same(pprof_text_of(x, x->t.types.v[i].type), name))
			return i;
	return x->t.types.nr - 1;
}

/* An event of its own, whatever others are called. */
static uint32_t new_event(struct pprof *x, struct pprof_text name, struct pprof_text unit, uint32_t type)
{
	uint32_t nr = x->b->events.nr, event = import_event(x->b, name.len ? name.s : "samples", name.len ? name.len : 7);
	char *other;

	if (event < nr) {
		other = mem_printf("%.*s/%.*s", (int)(name.len < 80 ? name.len : 80), name.s, (int)(unit.len < 80 ? unit.len : 80), unit.s);
		event = import_event(x->b, other, strlen(other));
		free(other);
	}
	if (event < nr) {
		other = mem_printf("%.*s#%u", (int)(name.len < 80 ? name.len : 80), name.s, type);
		event = import_event(x->b, other, strlen(other));
		free(other);
	}
	return event;
}

static void make_event(struct pprof *x, uint32_t type, bool is_default)
{
	struct pprof_text name = pprof_text_of(x, x->t.types.v[type].type), unit = pprof_text_of(x, x->t.types.v[type].unit);
	struct pprof_text of_period = pprof_text_of(x, x->t.period_type.unit);
	uint32_t event = new_event(x, is_clock(x, &x->t.types.v[type]) ? x->clock : name, unit, type);
	struct import_event *e = &x->b->events.v[event];

	e->has_period = e->has_chain = true;
	/* A period is one of what is counted in the same unit. */
	e->period = x->t.period > 0 && (of_period.len ? pprof_same(unit, of_period) : is_default) ? (uint64_t)x->t.period : 0;
	x->event_of_type.v[type] = event;
}

/* Events of all types, the default one first. Looks at the samples, since they show whether the first value is a number of samples. */
static void make_types(struct pprof *x)
{
	struct imported *n = &x->b->section;
	uint32_t first;

	find_count(x);
	first = default_type(x);
	vec_reserve(&x->event_of_type, x->t.types.nr);
	x->event_of_type.nr = x->t.types.nr;
	for (uint32_t i = 0; i < x->t.types.nr; i++)
		vec_push(&x->total_of_type, 0);
	x->event_of_type.v[0] = IMPORTED_COUNT;
	make_event(x, first, true);
	for (uint32_t i = x->has_count; i < x->t.types.nr; i++)
		if (i != first)
			make_event(x, i, false);
	for (uint32_t i = 0; i < x->t.types.nr; i++)
		vec_push(&n->types, ((struct imported_type){ pprof_string_of(x, x->t.types.v[i].type),
							     pprof_string_of(x, x->t.types.v[i].unit), x->event_of_type.v[i] }));
	n->default_type = pprof_string_of(x, x->t.default_type);
	n->period_type = pprof_string_of(x, x->t.period_type.type);
	n->period_unit = pprof_string_of(x, x->t.period_type.unit);
	n->drop = pprof_string_of(x, x->t.drop);
	n->keep = pprof_string_of(x, x->t.keep);
	n->period = x->t.period;
	x->b->has_sums = !x->has_count && !x->is_count;
}

/* ---- samples ---- */

struct labels {
	struct pprof_text comm, thread;
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

static void take_label(struct pprof *x, const struct pprof_label *l, struct labels *to)
{
	struct pprof_text key = pprof_text_of(x, l->key), str = pprof_text_of(x, l->str);

	vec_push(&x->labels, ((struct imported_label){
				     .key = pprof_string_of(x, l->key),
				     .str = l->str ? pprof_string_of(x, l->str) : IMPORTED_NONE,
				     .unit = l->str ? 0 : pprof_string_of(x, l->unit),
				     .num = l->str ? 0 : l->num,
			     }));
	if (pprof_equals(key, "comm"))
		to->comm = str;
	else if (pprof_equals(key, "thread") || pprof_equals(key, "thread_name"))
		to->thread = str;
	else if ((pprof_equals(key, "pid") || pprof_equals(key, "process_id")) && !l->str)
		to->pid = l->num, to->has_pid = true;
	else if ((pprof_equals(key, "tid") || pprof_equals(key, "thread_id")) && !l->str)
		to->tid = l->num, to->has_tid = true;
	else if (pprof_equals(key, "cpu"))
		to->has_cpu = take_cpu(str, l, &to->cpu);
}

static int32_t id_of(int64_t v)
{
	return v >= INT32_MIN && v <= INT32_MAX ? (int32_t)v : 0;
}

static void add_sample(struct pprof *x, const struct import_sample *like, uint32_t type, uint64_t value, uint64_t count, bool has_cpu)
{
	struct import_sample s = *like;
	struct import_event *e = &x->b->events.v[x->event_of_type.v[type]];

	s.event = (uint16_t)x->event_of_type.v[type];
	s.period = value;
	s.count = count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
	e->has_cpu |= has_cpu;
	import_sample(x->b, &s);
}

/* False where the sum of all values of a type would be too large to be one: nothing of such a sample is taken. */
static bool add_to_totals(struct pprof *x, const struct pprof_sample *p)
{
	const uint64_t *values = (const uint64_t *)p->values.v;
	uint32_t nr = p->values.nr < x->t.types.nr ? p->values.nr : x->t.types.nr;

	for (uint32_t i = 0; i < nr; i++)
		if (values[i] > INT64_MAX - x->total_of_type.v[i])
			return false;
	for (uint32_t i = 0; i < nr; i++)
		x->total_of_type.v[i] += values[i];
	return true;
}

/* Values that are all zero say nothing: pprof passes over such a sample, too. */
static void add_values(struct pprof *x, const struct pprof_sample *p, const struct import_sample *s, bool has_cpu)
{
	const uint64_t *values = (const uint64_t *)p->values.v;
	uint32_t type;

	if (x->has_count && p->values.nr && values[0]) {
		type = x->t.types.nr == 2 ? 1 : type_of_event(x, event_of(x, p));
		add_sample(x, s, type, type < p->values.nr ? values[type] : 0, values[0], has_cpu);
		return;
	}
	for (uint32_t i = 0; i < p->values.nr && i < x->t.types.nr; i++)
		if (values[i])
			add_sample(x, s, i, values[i], x->is_count ? values[i] : 1, has_cpu);
}

static bool is_negative(const struct pprof_sample *p)
{
	for (uint32_t i = 0; i < p->values.nr; i++)
		if (p->values.v[i] < 0)
			return true;
	return false;
}

static bool take_sample(struct pprof *x, const struct pprof_sample *p)
{
	struct labels l = { 0 };
	struct import_sample s = { 0 };
	int last_mode = -1;

	x->labels.nr = 0;
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
		uint32_t location = pprof_location_of(x, p->locations.v[i], &last_mode);

		if (location == PPROF_NONE)
			return false;
		vec_push(&x->locations, location);
	}
	if (!add_to_totals(x, p))
		return false;
	s.stack = import_stack(x->b, x->locations.v, x->locations.nr);
	s.labels = import_labels(x->b, x->labels.v, x->labels.nr);
	add_values(x, p, &s, l.has_cpu);
	return true;
}

static int each_sample(void *ctx, const struct pprof_sample *p)
{
	struct pprof *x = ctx;

	x->nr_seen++;
	if (p && is_negative(p)) {
		if (!x->result->nr_negative++)
			x->result->first_negative = x->nr_seen;
	} else if (!p || !take_sample(x, p)) {
		import_skip(x->result, x->nr_seen);
	}
	return import_check(x->b, NULL);
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
		struct pprof_text t = pprof_text_of(x, x->t.comments.v[i]);

		import_note(b, t.s, t.len);
		for (size_t k = 0; k < sizeof(known) / sizeof(*known); k++) {
			size_t n = strlen(known[k].label);

			if (t.len > n && !memcmp(t.s, known[k].label, n))
				*known[k].to = import_str(b, import_string(b, t.s + n, t.len - n));
		}
	}
}

static int check_types(const struct pprof *x, struct errbuf *eb)
{
	if (x->t.types.nr <= IMPORT_MAX_EVENTS)
		return 0;
	return errbuf_set(eb, -E2BIG, "its samples have %u types of values, and there are at most %u", x->t.types.nr, IMPORT_MAX_EVENTS);
}

int import_pprof(struct import_builder *b, const void *data, size_t size, struct import_result *result, struct errbuf *eb)
{
	struct pprof x = { .b = b, .result = result };
	int err;

	err = pprof_wire_init(&x.t, data, size, &b->allowance.memory);
	if (!err)
		err = check_types(&x, eb);
	if (err == -E2BIG) {
		import_check(b, eb);
		goto out;
	}
	if (err) {
		errbuf_set(eb, err, "it is no pprof profile, or a damaged one: its bytes make no sense at offset %llu",
			   (unsigned long long)x.t.bad_off);
		goto out;
	}
	b->has_whole_stacks = true;
	pprof_make_places(&x);
	make_types(&x);
	take_comments(&x);
	b->wall_ns = x.t.time_ns > 0 ? (uint64_t)x.t.time_ns : 0;
	b->last_ns = x.t.duration_ns > 0 ? (uint64_t)x.t.duration_ns : 0;
	pprof_wire_samples(&x.t, each_sample, &x);
	err = import_check(b, eb);
	if (!err && !b->samples.nr && result->nr_negative)
		err = errbuf_set(eb, -EOPNOTSUPP,
				 "the values of this profile are negative: differences cannot be imported; import both "
				 "profiles and compare them with 'assay diff'");
out:
	vec_fini(&x.event_of_type);
	vec_fini(&x.total_of_type);
	vec_fini(&x.dso_of_mapping);
	vec_fini(&x.name_of_function);
	vec_fini(&x.location_of[0]);
	vec_fini(&x.location_of[1]);
	vec_fini(&x.locations);
	vec_fini(&x.labels);
	pprof_wire_fini(&x.t);
	return err;
}
