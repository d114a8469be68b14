/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Words → columns of events; samples → tuples. Of a known tuple nothing is printed again.
 */
#include "model/field_keys.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "abi/syscall_sample.h"
#include "abi/syscalls.h"
#include "base/hash.h"
#include "session/field_filter.h"

#define FIELD_NR_RECENT 1024u

void field_keys_fini(struct field_keys *k)
{
	for (uint32_t i = 0; i < k->words.nr; i++) {
		free(k->words.v[i].text);
		free(k->words.v[i].event);
		free(k->words.v[i].field);
	}
	for (uint32_t i = 0; i < k->events.nr; i++) {
		struct field_event *e = &k->events.v[i];

		for (uint32_t s = 0; s < e->slots.nr; s++)
			free((char *)(uintptr_t)e->slots.v[s].column.member);
		vec_fini(&e->slots);
		vec_fini(&e->sources);
		vec_fini(&e->slots_of_words);
	}
	vec_fini(&k->words);
	vec_fini(&k->events);
	vec_fini(&k->tuples);
	vec_fini(&k->values);
	vec_fini(&k->texts);
	vec_fini(&k->at_hand);
	hindex_fini(&k->index);
	free(k->recent);
}

static bool is_word(const char *s, size_t len, const char *word)
{
	return len == strlen(word) && !memcmp(s, word, len);
}

int field_keys_add(struct field_keys *k, const char *where, const char *word, size_t len, struct errbuf *eb)
{
	const char *slash = memchr(word, '/', len);
	size_t name_len = slash ? (size_t)(slash - word) : len;
	const char *dot = memrchr(word, '.', name_len);
	struct field_word w = { 0 };

	if (slash && is_word(slash, (size_t)(word + len - slash), "/raw"))
		w.form = FIELD_RAW;
	else if (slash && is_word(slash, (size_t)(word + len - slash), "/name"))
		w.form = FIELD_NAMED;
	else if (slash)
		return errbuf_set(eb, -EINVAL,
				  "%s: '%.*s': behind the '/' of a field there is raw or name, as in prev_state/raw and vec/name", where,
				  (int)len, word);
	for (uint32_t i = 0; i < k->words.nr; i++)
		if (is_word(word, len, k->words.v[i].text))
			return (int)i;
	if (k->words.nr == FIELD_MAX_WORDS)
		return errbuf_set(eb, -EINVAL, "%s: there are more than %d fields of tracepoints", where, FIELD_MAX_WORDS);
	w.where = where;
	w.text = mem_strndup(word, len);
	if (!dot && is_word(word, len, "trace"))
		w.is_text = true;
	else if (!dot && is_word(word, len, FIELD_CALL))
		w.is_call = true;
	else if (!dot && !is_word(word, name_len, "trace_fields"))
		w.field = mem_strndup(word, name_len);
	if (dot) {
		w.event = mem_strndup(word, (size_t)(dot - word));
		if (!is_word(dot + 1, (size_t)(word + name_len - dot - 1), "*"))
			w.field = mem_strndup(dot + 1, (size_t)(word + name_len - dot - 1));
	}
	vec_push(&k->words, w);
	return (int)k->words.nr - 1;
}

void field_keys_open(struct field_keys *k, const struct recording *r, struct strtab *strings, struct budget *memory)
{
	k->recording = r;
	k->strings = strings;
	k->memory = memory;
	k->no_text = strtab_intern(strings, "N/A");
	vec_push(&k->tuples, (struct field_tuple){ .event = UINT32_MAX });
}

/* Behind the colon of SYSTEM:NAME. */
static const char *short_name(const char *event)
{
	const char *colon = strchr(event, ':');

	return colon ? colon + 1 : event;
}

static bool is_name_of(const char *word, const char *event)
{
	return !strcmp(word, event) || !strcmp(word, short_name(event));
}

/* An event of exactly that name goes before those that have it as a part. */
static bool names_one(const struct field_keys *k, const char *word)
{
	for (uint32_t i = 0; i < k->recording->info->events.nr; i++)
		if (is_name_of(word, k->recording->info->events.v[i].name))
			return true;
	return false;
}

static bool is_meant(const struct field_keys *k, const struct field_word *w, uint32_t event)
{
	const char *name = k->recording->info->events.v[event].name;

	if (!w->event)
		return true;
	if (w->event[0] == '%')
		return strtoul(w->event + 1, NULL, 10) == event + 1ul;
	if (is_name_of(w->event, name))
		return true;
	return !names_one(k, w->event) &&
	       (strstr(name, w->event) || !fnmatch(w->event, name, 0) || !fnmatch(w->event, short_name(name), 0));
}

static uint32_t add_source(struct field_event *e, const struct trace_field *f)
{
	uint32_t i = 0;

	while (i < e->sources.nr && e->sources.v[i] != f)
		i++;
	if (i == e->sources.nr)
		vec_push(&e->sources, f);
	return i;
}

static bool is_number(const struct trace_field *f)
{
	return !f->is_array && !f->is_dynamic && f->item.size;
}

/* As wide as perf makes it: for the largest number in hexadecimal, for all bytes of a text. */
static uint16_t width_of(const struct trace_field *f)
{
	if (f->is_dynamic)
		return 0;
	return (uint16_t)(is_number(f) ? 2u * f->item.size + 2 : f->size < 64 ? f->size : 64);
}

static struct column call_column(uint32_t slot)
{
	return (struct column){
		.name = FIELD_CALL,
		.heading = "System call",
		.member = mem_strdup(FIELD_CALL),
		.kind = &column_field_kind,
		.key = column_field_key,
		.order = COLUMN_BY_NAME,
		.flags = COLUMN_IS_OPEN,
		.slot = (uint16_t)slot,
	};
}

static struct column column_of(const struct trace_field *f, enum field_form form, uint32_t slot)
{
	static const char *const suffixes[] = { [FIELD_PRINTED] = "", [FIELD_RAW] = "/raw", [FIELD_NAMED] = "/name" };
	bool has_order = f && is_number(f) && form != FIELD_NAMED;
	char *member = f ? mem_printf("%s%s", f->name, suffixes[form]) : mem_strdup("trace");

	return (struct column){
		.name = f ? f->name : "trace",
		/* perf's of its forms are the bare name. */
		.heading = form == FIELD_NAMED ? member
			   : f		       ? f->name
					       : "Trace output",
		.member = member,
		.kind = &column_field_kind,
		.key = column_field_key,
		.order = !has_order	     ? COLUMN_BY_NAME
			 : f->item.is_signed ? COLUMN_BY_SIGNED
					     : COLUMN_BY_NUMBER,
		.flags = (uint16_t)(f ? COLUMN_IS_RIGHT : COLUMN_IS_OPEN) | (has_order ? COLUMN_IS_NUMBER : 0),
		.min_width = f ? width_of(f) : 0,
		.slot = (uint16_t)slot,
	};
}

/* The slot of a field (NULL: of the text), which is added where it is new. */
static uint32_t add_slot(struct field_keys *k, struct field_event *e, uint64_t id, const struct trace_field *f, enum field_form form)
{
	struct field_slot slot = { .field = f, .form = form };
	const struct trace_field *const *fields;
	uint32_t nr_fields, i = 0;

	while (i < e->slots.nr && (e->slots.v[i].is_call || e->slots.v[i].field != f || e->slots.v[i].form != form))
		i++;
	if (i < e->slots.nr || i == FIELD_MAX_SLOTS)
		return i;
	if (f && form != FIELD_RAW)
		slot.shown = tracepoints_shown(k->recording->tracepoints, id, f, form == FIELD_NAMED, &fields, &nr_fields);
	if (form == FIELD_NAMED && !slot.shown)
		return FIELD_MAX_SLOTS;
	if (f)
		slot.source = add_source(e, f);
	for (uint32_t n = 0; slot.shown && n < nr_fields; n++)
		add_source(e, fields[n]);
	slot.column = column_of(f, form, i);
	vec_push(&e->slots, slot);
	return i;
}

/* ---- system calls ---- */

static const struct trace_field *find_number(const struct trace_field *f, uint32_t nr, const char *name)
{
	for (uint32_t i = 0; i < nr; i++)
		if (is_number(&f[i]) && !strcmp(f[i].name, name))
			return &f[i];
	return NULL;
}

/* The name that syscalls:sys_enter_NAME and sys_exit_NAME have in theirs; NULL: it is no such event. */
static const char *call_of_event(const char *event)
{
	static const char *const prefixes[] = { "syscalls:sys_enter_", "syscalls:sys_exit_" };

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (!strncmp(event, prefixes[i], strlen(prefixes[i])))
			return event + strlen(prefixes[i]);
	return NULL;
}

/* The slot of the call that an event is about; FIELD_MAX_SLOTS: it is about none. */
static uint32_t add_call_slot(struct field_keys *k, struct field_event *e, uint32_t event)
{
	const struct perfdata_event *ev = &k->recording->info->events.v[event];
	struct field_slot slot = { .is_call = true };
	uint32_t nr = 0, i = e->slots.nr;
	const struct trace_field *f = tracepoints_fields(k->recording->tracepoints, ev->attr.config, &nr);

	if (ev->attr.config == SYSCALL_SAMPLE_ID) {
		slot.field = find_number(f, nr, "nr");
		slot.flags = find_number(f, nr, "flags");
	} else if (!strcmp(ev->name, "raw_syscalls:sys_enter") || !strcmp(ev->name, "raw_syscalls:sys_exit")) {
		slot.field = find_number(f, nr, "id");
	}
	if ((!slot.field && !call_of_event(ev->name)) || i == FIELD_MAX_SLOTS)
		return FIELD_MAX_SLOTS;
	if (slot.field)
		slot.source = add_source(e, slot.field);
	if (slot.flags)
		slot.flags_source = add_source(e, slot.flags);
	slot.column = call_column(i);
	vec_push(&e->slots, slot);
	return i;
}

static uint32_t intern_text(struct field_keys *k, const char *text);

/* By the values at hand. */
static uint32_t call_text(struct field_keys *k, const struct field_slot *slot, uint32_t event)
{
	const struct perfdata_info *info = k->recording->info;
	bool is_32 = slot->flags && k->at_hand.v[slot->flags_source] & SYSCALL_SAMPLE_32;
	char name[64];

	if (!slot->field)
		return intern_text(k, call_of_event(info->events.v[event].name));
	return intern_text(k, syscall_label(syscall_abi_of(info->arch), (uint32_t)k->at_hand.v[slot->source] | (is_32 ? SYSCALL_NR_32 : 0),
					    name, sizeof(name)));
}

static void use_slot(struct field_event *e, struct field_word *w, uint32_t word, uint32_t slot)
{
	if (slot == FIELD_MAX_SLOTS)
		return;
	w->is_found = true;
	vec_push(&e->slots_of_words, (uint16_t)word);
	vec_push(&e->slots_of_words, (uint16_t)slot);
}

static void resolve_word(struct field_keys *k, struct field_event *e, uint32_t event, uint32_t word)
{
	const struct attr *a = &k->recording->info->events.v[event].attr;
	struct field_word *w = &k->words.v[word];
	bool is_tracepoint = a->type == ATTR_TYPE_TRACEPOINT;
	enum field_form form = k->all_raw ? FIELD_RAW : w->form;
	uint32_t nr = 0;
	const struct trace_field *f = is_tracepoint ? tracepoints_fields(k->recording->tracepoints, a->config, &nr) : NULL;

	if (w->is_text) {
		uint32_t slot = add_slot(k, e, a->config, NULL, FIELD_PRINTED);
		bool was_found = w->is_found;

		e->has_text |= slot != FIELD_MAX_SLOTS;
		use_slot(e, w, word, slot);
		w->is_found = was_found || is_tracepoint;
		return;
	}
	if (w->is_call) {
		use_slot(e, w, word, is_tracepoint ? add_call_slot(k, e, event) : FIELD_MAX_SLOTS);
		return;
	}
	for (uint32_t i = 0; i < nr && is_meant(k, w, event); i++)
		if (w->field ? !strcmp(w->field, f[i].name) : !f[i].is_common)
			use_slot(e, w, word, add_slot(k, e, a->config, &f[i], form));
}

static struct field_event *resolve_event(struct field_keys *k, uint32_t event)
{
	const struct attr *a = &k->recording->info->events.v[event].attr;
	struct field_event *e;

	while (k->events.nr <= event)
		*vec_add(&k->events) = (struct field_event){ 0 };
	e = &k->events.v[event];
	for (uint32_t w = 0; w < k->words.nr; w++)
		resolve_word(k, e, event, w);
	e->has_tuples = e->slots.nr && a->type == ATTR_TYPE_TRACEPOINT;
	e->is_pure = e->slots.nr && tracepoints_pure(k->recording->tracepoints, a->config);
	e->is_resolved = true;
	return e;
}

static inline struct field_event *event_of(struct field_keys *k, uint32_t event)
{
	return event < k->events.nr && k->events.v[event].is_resolved ? &k->events.v[event] : resolve_event(k, event);
}

const struct field_event *field_keys_event(struct field_keys *k, uint32_t event)
{
	return event_of(k, event);
}

uint32_t field_event_slot(const struct field_event *e, uint32_t word)
{
	for (uint32_t i = 0; i < e->slots_of_words.nr; i += 2)
		if (e->slots_of_words.v[i] == word)
			return e->slots_of_words.v[i + 1];
	return FIELD_MAX_SLOTS;
}

bool field_event_has(const struct field_event *e, uint32_t word)
{
	return field_event_slot(e, word) != FIELD_MAX_SLOTS;
}

const struct field_word *field_keys_unknown(struct field_keys *k)
{
	for (uint32_t i = 0; i < k->recording->info->events.nr; i++)
		event_of(k, i);
	for (uint32_t i = 0; i < k->words.nr; i++)
		if (!k->words.v[i].is_found && !k->words.v[i].is_optional)
			return &k->words.v[i];
	return NULL;
}

struct listing {
	const struct field_keys *k;
	const struct field_word *w;
};

static bool is_listed(const void *ctx, uint32_t event)
{
	const struct listing *l = ctx;

	return is_meant(l->k, l->w, event);
}

char *field_keys_list(const struct field_keys *k, const struct field_word *unknown, char **nearest)
{
	const struct listing l = { k, unknown };

	return trace_field_list(k->recording, unknown->field ? unknown->field : unknown->text, is_listed, &l, nearest);
}

static uint32_t intern_text(struct field_keys *k, const char *text)
{
	uint32_t nr = k->strings->entries.nr, id = text ? strtab_intern(k->strings, text) : k->no_text;

	if (id >= nr && k->memory)
		budget_take(k->memory, strtab_len(k->strings, id) + sizeof(struct strtab_entry) + 16);
	return id;
}

/* The values of the sources into k->at_hand, then a bit for each that the record does not hold, then the text. */
static void read_values(struct field_keys *k, const struct field_event *e, uint64_t id, const struct sample *s)
{
	uint64_t missing = 0;

	k->at_hand.nr = 0;
	for (uint32_t i = 0; i < e->sources.nr; i++) {
		struct tracepoints_value v;

		if (!tracepoints_value(k->recording->tracepoints, e->sources.v[i], s->raw, s->raw_size, &v)) {
			missing = hash_pair(missing, i + 1);
			v = (struct tracepoints_value){ 0 };
		}
		vec_push(&k->at_hand, v.bytes ? strtab_intern_len(k->strings, v.bytes, v.size) : v.number);
	}
	vec_push(&k->at_hand, missing);
	if (e->has_text)
		vec_push(&k->at_hand, intern_text(k, tracepoints_text(k->recording->tracepoints, id, s->raw, s->raw_size)));
}

static uint32_t slot_text(struct field_keys *k, const struct field_slot *slot, uint32_t event, uint64_t id, const struct sample *s)
{
	if (slot->is_call)
		return call_text(k, slot, event);
	if (!slot->field)
		return (uint32_t)k->at_hand.v[k->at_hand.nr - 1];
	return intern_text(k, tracepoints_field_text(k->recording->tracepoints, id, slot->field, slot->shown, s->raw, s->raw_size));
}

static bool is_tuple(const struct field_keys *k, const struct field_tuple *t, uint32_t event)
{
	return t->event == event && !memcmp(k->values.v + t->first_value, k->at_hand.v, k->at_hand.nr * sizeof(uint64_t));
}

static uint32_t add_tuple(struct field_keys *k, const struct field_event *e, uint32_t event, uint64_t id, const struct sample *s)
{
	struct field_tuple t = { .event = event, .first_value = k->values.nr, .first_text = k->texts.nr };

	if (k->memory)
		budget_take(k->memory, 2 * (sizeof(t) + k->at_hand.nr * sizeof(uint64_t) + e->slots.nr * sizeof(uint32_t)) + 16);
	for (uint32_t i = 0; i < k->at_hand.nr; i++)
		vec_push(&k->values, k->at_hand.v[i]);
	for (uint32_t i = 0; i < e->slots.nr; i++)
		vec_push(&k->texts, slot_text(k, &e->slots.v[i], event, id, s));
	vec_push(&k->tuples, t);
	return k->tuples.nr - 1;
}

/* Records that meet at one place cost what they would cost without it: a sum of their words is enough. */
static inline uint32_t place_of(const void *raw, uint32_t size)
{
	const uint8_t *at = raw;
	uint64_t sum = 0, word;

	for (; size >= sizeof(word); size -= sizeof(word), at += sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	}
	return (uint32_t)(sum >> 32) % FIELD_NR_RECENT;
}

/* Where a record is kept that was met lately; NULL: such ones are not. */
static struct field_recent *recent_of(struct field_keys *k, const struct field_event *e, const struct sample *s)
{
	if (!e->is_pure || s->raw_size > FIELD_CACHE_BYTES)
		return NULL;
	if (!k->recent)
		k->recent = mem_zalloc(FIELD_NR_RECENT * sizeof(*k->recent));
	return &k->recent[place_of(s->raw, s->raw_size)];
}

static uint32_t intern_values(struct field_keys *k, const struct field_event *e, uint32_t event, const struct sample *s)
{
	const struct attr *a = &k->recording->info->events.v[event].attr;
	uint32_t found;
	uint64_t hash;

	read_values(k, e, a->config, s);
	hash = hash_bytes(k->at_hand.v, k->at_hand.nr * sizeof(uint64_t), event);
	found = HINDEX_FIND_ITEM(&k->index, hash, &k->tuples, t, is_tuple(k, t, event));
	if (found != HINDEX_NONE)
		return found;
	found = add_tuple(k, e, event, a->config, s);
	hindex_add(&k->index, hash, found);
	return found;
}

uint32_t field_keys_intern(struct field_keys *k, const struct session_record *sr)
{
	uint32_t event = (uint32_t)sr->event, tuple;
	const struct field_event *e = event_of(k, event);
	const struct sample *s = &sr->rec.sample;
	struct field_recent *r;

	if (!e->has_tuples || !s->raw)
		return FIELD_NONE;
	r = recent_of(k, e, s);
	if (r && r->event == event + 1 && r->size == s->raw_size && !memcmp(r->raw, s->raw, s->raw_size))
		return r->tuple;
	tuple = intern_values(k, e, event, s);
	if (r) {
		*r = (struct field_recent){ .event = event + 1, .tuple = tuple, .size = s->raw_size };
		memcpy(r->raw, s->raw, s->raw_size);
	}
	return tuple;
}

uint32_t field_keys_text(const struct field_keys *k, uint32_t tuple, uint32_t slot)
{
	return tuple == FIELD_NONE ? k->no_text : k->texts.v[k->tuples.v[tuple].first_text + slot];
}

uint64_t field_keys_number(const struct field_keys *k, uint32_t tuple, uint32_t slot)
{
	const struct field_tuple *t = &k->tuples.v[tuple];

	if (tuple == FIELD_NONE)
		return 0;
	return k->values.v[t->first_value + k->events.v[t->event].slots.v[slot].source];
}
