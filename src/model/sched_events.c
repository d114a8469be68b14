/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A table of the events and their fields. Where a field is in the record is looked up when the event is first met.
 */
#include "model/sched_events.h"

#include <errno.h>
#include <string.h>

/* Places in sched_event_def.fields. */
enum { TID, COMM, PRIO, STATE, NEXT_TID, NEXT_COMM, NEXT_PRIO, FLAGS };
enum { FROM_CPU = STATE, TO_CPU = NEXT_TID, RUNTIME = STATE };

/* Bits of FLAGS. */
#define IN_INTERRUPT (0x08u | 0x10u) /* hard, soft */

struct kind_def {
	const char *event;
	const char *fields[SCHED_MAX_FIELDS];
	unsigned needed; /* bits of fields */
};

#define NEEDS(field) (1u << (field))

static const struct kind_def kind_defs[SCHED_NR_KINDS] = {
	[SCHED_SWITCH] = { "sched:sched_switch",
			   { [TID] = "prev_pid",
			     [COMM] = "prev_comm",
			     [PRIO] = "prev_prio",
			     [STATE] = "prev_state",
			     [NEXT_TID] = "next_pid",
			     [NEXT_COMM] = "next_comm",
			     [NEXT_PRIO] = "next_prio" },
			   NEEDS(TID) | NEEDS(STATE) | NEEDS(NEXT_TID) },
	[SCHED_WAKING] = { "sched:sched_waking",
			   { [TID] = "pid", [COMM] = "comm", [PRIO] = "prio", [TO_CPU] = "target_cpu", [FLAGS] = "common_flags" },
			   NEEDS(TID) },
	[SCHED_WAKEUP] = { "sched:sched_wakeup",
			   { [TID] = "pid", [COMM] = "comm", [PRIO] = "prio", [TO_CPU] = "target_cpu", [FLAGS] = "common_flags" },
			   NEEDS(TID) },
	[SCHED_WAKEUP_NEW] = { "sched:sched_wakeup_new",
			       { [TID] = "pid", [COMM] = "comm", [PRIO] = "prio", [TO_CPU] = "target_cpu", [FLAGS] = "common_flags" },
			       NEEDS(TID) },
	[SCHED_MIGRATE] = { "sched:sched_migrate_task",
			    { [TID] = "pid", [COMM] = "comm", [PRIO] = "prio", [FROM_CPU] = "orig_cpu", [TO_CPU] = "dest_cpu" },
			    NEEDS(TID) | NEEDS(FROM_CPU) | NEEDS(TO_CPU) },
	[SCHED_RUNTIME] = { "sched:sched_stat_runtime",
			    { [TID] = "pid", [COMM] = "comm", [RUNTIME] = "runtime" },
			    NEEDS(TID) | NEEDS(RUNTIME) },
};

void sched_events_fini(struct sched_events *s)
{
	vec_fini(&s->defs);
}

static const struct trace_field *find_field(const struct trace_field *fields, uint32_t nr, const char *name)
{
	for (uint32_t i = 0; name && i < nr; i++)
		if (!strcmp(fields[i].name, name))
			return &fields[i];
	return NULL;
}

static bool is_text(int field)
{
	return field == COMM || field == NEXT_COMM;
}

/* Whether the fields can be read without asking for each how. */
static void find_plain(const struct sched_events *s, struct sched_event_def *d)
{
	d->is_plain = tracepoints_is_native(s->recording->tracepoints);
	for (int i = 0; i < SCHED_MAX_FIELDS; i++) {
		const struct trace_field *f = d->fields[i];

		if (!f || is_text(i))
			continue;
		d->is_plain &= f->offset <= TRACE_RECORD_MAX;
		d->plain[i].offset = f->offset;
		d->plain[i].size = f->item.size;
		d->plain[i].is_signed = f->item.is_signed;
		if (d->is_plain && f->offset + f->item.size > d->plain_size)
			d->plain_size = f->offset + f->item.size;
	}
}

/* States and run times are words of 64 bits, flags a byte, the others signed words of 32 bits; all are there. */
static bool is_usual(const struct sched_event_def *d)
{
	for (int i = 0; i < SCHED_MAX_FIELDS; i++) {
		bool is_wide = (d->kind == SCHED_SWITCH && i == STATE) || (d->kind == SCHED_RUNTIME && i == RUNTIME);

		if (!kind_defs[d->kind].fields[i] || is_text(i))
			continue;
		if (i == FLAGS && d->plain[i].size == 1)
			continue;
		if (d->plain[i].size != (is_wide ? 8 : 4) || (!is_wide && !d->plain[i].is_signed))
			return false;
	}
	return d->is_plain;
}

static struct sched_event_def find_def(struct sched_events *s, uint32_t event)
{
	const struct perfdata_event *e = &s->recording->info->events.v[event];
	struct sched_event_def d = { 0 };
	const struct trace_field *fields;
	const struct trace_field *const *of_state;
	uint32_t nr = 0, nr_of_state;

	if (e->attr.type != ATTR_TYPE_TRACEPOINT)
		return d;
	for (int kind = SCHED_NONE + 1; kind < SCHED_NR_KINDS; kind++)
		if (!strcmp(e->name, kind_defs[kind].event))
			d.kind = kind;
	if (!d.kind)
		return d;
	fields = tracepoints_fields(s->recording->tracepoints, e->attr.config, &nr);
	d.is_whole = true;
	for (int i = 0; i < SCHED_MAX_FIELDS; i++) {
		const struct trace_field *f = find_field(fields, nr, kind_defs[d.kind].fields[i]);
		bool is_number = f && !f->is_array && !f->is_dynamic && f->item.size;

		/* A text where a number is needed, or the other way round, is as good as none. */
		d.fields[i] = f && is_number == !is_text(i) ? f : NULL;
		d.is_whole &= d.fields[i] || !(kind_defs[d.kind].needed & NEEDS(i));
	}
	if (d.kind == SCHED_SWITCH && d.fields[STATE])
		d.state_text =
			tracepoints_shown(s->recording->tracepoints, e->attr.config, d.fields[STATE], false, &of_state, &nr_of_state);
	find_plain(s, &d);
	d.is_usual = is_usual(&d);
	d.has_cpu = e->attr.sample_type & SAMPLE_CPU;
	s->has_kind[d.kind] = true;
	return d;
}

/* Of a pipe, events become known while it is read. */
static void find_defs(struct sched_events *s)
{
	while (s->defs.nr < s->recording->info->events.nr) {
		struct sched_event_def d = find_def(s, s->defs.nr);

		vec_push(&s->defs, d);
	}
}

enum sched_kind sched_events_kind(struct sched_events *s, int32_t event)
{
	if (s->defs.nr != s->recording->info->events.nr)
		find_defs(s);
	return event >= 0 && (uint32_t)event < s->defs.nr ? s->defs.v[event].kind : SCHED_NONE;
}

bool sched_events_has(struct sched_events *s, enum sched_kind kind)
{
	find_defs(s);
	return s->has_kind[kind];
}

uint32_t sched_events_cpus(struct sched_events *s)
{
	const struct perfdata_info *info = s->recording->info;

	for (uint32_t i = 0; i < info->events.nr; i++) {
		uint32_t nr_ids = info->events.v[i].nr_ids; /* one for each CPU */

		if (sched_events_kind(s, (int32_t)i) == SCHED_SWITCH)
			return nr_ids < info->nrcpus_online ? nr_ids : 0;
	}
	return 0;
}

const char *sched_events_sampled(struct sched_events *s)
{
	for (uint32_t i = 0; i < s->recording->info->events.nr; i++) {
		const struct perfdata_event *e = &s->recording->info->events.v[i];

		if (sched_events_kind(s, (int32_t)i) == SCHED_SWITCH && (e->attr.flags & ATTR_FREQ || e->attr.sample_period > 1))
			return e->name;
	}
	return NULL;
}

static int lacks_field(const struct sched_events *s, const struct session_record *sr, const struct sched_event_def *d, struct errbuf *eb)
{
	const char *event = s->recording->info->events.v[sr->event].name;

	for (int i = 0; i < SCHED_MAX_FIELDS; i++)
		if (kind_defs[d->kind].needed & NEEDS(i) && !d->fields[i])
			return errbuf_set(eb, -EBADMSG, "the recording has no format of %s with a field '%s'", event,
					  kind_defs[d->kind].fields[i]);
	return 0;
}

/* What 0 means has no letter in some kernels. */
static char letter_of(const char *text, uint64_t number)
{
	if (text && ((*text >= 'A' && *text <= 'Z') || *text == 't' || *text == 'x'))
		return *text;
	return number ? '?' : 'R';
}

static char state_of(struct sched_events *s, const struct session_record *sr, const struct sched_event_def *d, uint64_t number)
{
	const struct sample *sample = &sr->rec.sample;
	uint64_t id = s->recording->info->events.v[sr->event].attr.config;
	char letter;

	for (uint32_t i = 0; i < s->nr_states; i++)
		if (s->states[i].number == number)
			return s->states[i].letter;
	letter = letter_of(d->state_text ? tracepoints_field_text(s->recording->tracepoints, id, d->fields[STATE], d->state_text,
								  sample->raw, sample->raw_size)
					 : NULL,
			   number);
	if (s->nr_states < SCHED_MAX_STATES) {
		s->states[s->nr_states].number = number;
		s->states[s->nr_states++].letter = letter;
	}
	return letter;
}

/* A field of a record that has plain_size bytes. */
static inline uint64_t load(const uint8_t *at, uint8_t size, bool is_signed)
{
	uint64_t v8;
	uint32_t v4;
	uint16_t v2;

	switch (size) {
	case 8:
		memcpy(&v8, at, 8);
		return v8;
	case 4:
		memcpy(&v4, at, 4);
		return is_signed ? (uint64_t)(int64_t)(int32_t)v4 : v4;
	case 2:
		memcpy(&v2, at, 2);
		return is_signed ? (uint64_t)(int64_t)(int16_t)v2 : v2;
	default:
		return is_signed ? (uint64_t)(int64_t)(int8_t)*at : *at;
	}
}

/* False where the record does not hold the fields. */
static bool read_numbers(const struct sched_events *s, const struct sched_event_def *d, const struct sample *sample, uint64_t *numbers)
{
	const uint8_t *raw = sample->raw;

	if (d->is_plain) {
		if (sample->raw_size < d->plain_size)
			return false;
		for (int i = 0; i < SCHED_MAX_FIELDS; i++)
			if (d->plain[i].size)
				numbers[i] = load(raw + d->plain[i].offset, d->plain[i].size, d->plain[i].is_signed);
		return true;
	}
	for (int i = 0; i < SCHED_MAX_FIELDS; i++) {
		struct tracepoints_value value;

		if (!d->fields[i] || is_text(i))
			continue;
		if (!tracepoints_value(s->recording->tracepoints, d->fields[i], raw, sample->raw_size, &value))
			return false;
		numbers[i] = value.number;
	}
	return true;
}

const char *sched_event_comm(const struct sched_event *e, bool of_next, uint32_t *len)
{
	const struct trace_field *f = e->def ? e->def->fields[of_next ? NEXT_COMM : COMM] : NULL;
	struct tracepoints_value value;

	*len = 0;
	if (!f || !tracepoints_value(e->events->recording->tracepoints, f, e->sample->raw, e->sample->raw_size, &value))
		return NULL;
	*len = value.size;
	return value.bytes;
}

static inline int32_t load_s32(const struct sched_event_def *d, const uint8_t *raw, int field)
{
	int32_t v;

	memcpy(&v, raw + d->plain[field].offset, sizeof(v));
	return v;
}

static inline uint64_t load_u64(const struct sched_event_def *d, const uint8_t *raw, int field)
{
	uint64_t v;

	memcpy(&v, raw + d->plain[field].offset, sizeof(v));
	return v;
}

/* As read_fields() does, of a record that has plain_size bytes. */
static void read_usual(struct sched_events *s, const struct session_record *sr, const struct sched_event_def *d, struct sched_event *e)
{
	const uint8_t *raw = sr->rec.sample.raw;

	e->tid = load_s32(d, raw, TID);
	switch (d->kind) {
	case SCHED_SWITCH:
		e->prio = load_s32(d, raw, PRIO);
		e->next_tid = load_s32(d, raw, NEXT_TID);
		e->next_prio = load_s32(d, raw, NEXT_PRIO);
		e->state = state_of(s, sr, d, load_u64(d, raw, STATE));
		break;
	case SCHED_RUNTIME:
		e->runtime_ns = load_u64(d, raw, RUNTIME);
		break;
	case SCHED_MIGRATE:
		e->prio = load_s32(d, raw, PRIO);
		e->from_cpu = load_s32(d, raw, FROM_CPU);
		e->to_cpu = load_s32(d, raw, TO_CPU);
		break;
	default:
		e->prio = load_s32(d, raw, PRIO);
		e->to_cpu = load_s32(d, raw, TO_CPU);
		e->is_irq = raw[d->plain[FLAGS].offset] & IN_INTERRUPT;
		break;
	}
}

/* False: the record does not hold them. */
static bool read_fields(struct sched_events *s, const struct session_record *sr, const struct sched_event_def *d, struct sched_event *e)
{
	const struct sample *sample = &sr->rec.sample;
	uint64_t numbers[SCHED_MAX_FIELDS] = { 0 };

	if (!read_numbers(s, d, sample, numbers))
		return false;
	e->tid = (int32_t)numbers[TID];
	e->prio = (int32_t)numbers[PRIO];
	e->is_irq = numbers[FLAGS] & IN_INTERRUPT;
	switch (d->kind) {
	case SCHED_SWITCH:
		e->next_tid = (int32_t)numbers[NEXT_TID];
		e->next_prio = (int32_t)numbers[NEXT_PRIO];
		e->state = state_of(s, sr, d, numbers[STATE]);
		break;
	case SCHED_RUNTIME:
		e->runtime_ns = numbers[RUNTIME];
		break;
	default:
		e->from_cpu = (int32_t)numbers[FROM_CPU];
		e->to_cpu = (int32_t)numbers[TO_CPU];
		break;
	}
	return true;
}

int sched_events_read(struct sched_events *s, const struct session_record *sr, struct sched_event *e, struct errbuf *eb)
{
	const struct sched_event_def *d;

	if (s->defs.nr != s->recording->info->events.nr)
		find_defs(s);
	if (sr->event < 0 || (uint32_t)sr->event >= s->defs.nr)
		return 0;
	d = &s->defs.v[sr->event];
	if (!d->kind)
		return 0;
	if (!d->is_whole)
		return lacks_field(s, sr, d, eb);
	/* Member by member: the compiler would clear all of it first, which takes as long as the rest of this function. */
	e->kind = d->kind;
	e->time_ns = sr->time_ns;
	e->cpu = sr->rec.sample.cpu;
	e->tid = e->prio = e->next_tid = e->next_prio = e->from_cpu = e->to_cpu = 0;
	e->state = 0;
	e->runtime_ns = 0;
	e->is_irq = false;
	e->events = s;
	e->def = d;
	e->sample = &sr->rec.sample;
	if (d->is_usual && sr->rec.sample.raw && sr->rec.sample.raw_size >= d->plain_size) {
		read_usual(s, sr, d, e);
	} else if (!sr->rec.sample.raw || !read_fields(s, sr, d, e)) {
		s->nr_malformed++;
		return 0;
	}
	/* Tasks outside of the recorder's namespace have the number 0 there, and so have tasks that are nearly gone. */
	if (e->kind == SCHED_SWITCH && e->tid > 0 && e->sample->tid != (uint32_t)e->tid && (int32_t)e->sample->tid > 0)
		s->nr_renumbered++;
	return 1;
}
