/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which samples begin and end something, and under which key. Events are examined when samples come: a pipe announces them late.
 */
#include "model/latency.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"

#define MAX_ALONE (1u << 14) /* ends that are remembered, the latest */
#define MAX_HINTS 3

static const char *const side_options[LATENCY_NR_SIDES] = { "--from", "--to" };

/* One of "dev,pid:next_pid"; an empty name is a mistake. */
static int add_key(struct latency *l, const char *word, size_t len, struct errbuf *eb)
{
	const char *colon = memchr(word, ':', len);
	size_t first = colon ? (size_t)(colon - word) : len, second = colon ? len - first - 1 : len;

	if (!first || !second || (colon && memchr(colon + 1, ':', second)))
		return errbuf_set(
			eb, -EINVAL,
			"--key: '%.*s' is no field; it takes names as in dev,sector, or FROM:TO where the two events name it differently",
			(int)len, word);
	if (l->nr_keys == PAIRING_MAX_KEYS)
		return errbuf_set(eb, -EINVAL, "--key: at most %d fields make a key", PAIRING_MAX_KEYS);
	l->names[l->nr_keys][LATENCY_FROM] = mem_strndup(word, first);
	l->names[l->nr_keys][LATENCY_TO] = mem_strndup(colon ? colon + 1 : word, second);
	l->is_one_name[l->nr_keys++] = !colon;
	return 0;
}

int latency_init(struct latency *l, const struct recording *r, struct event_patterns *from, struct event_patterns *to, const char *key,
		 struct errbuf *eb)
{
	memset(l, 0, sizeof(*l));
	l->recording = r;
	l->patterns[LATENCY_FROM] = from;
	l->patterns[LATENCY_TO] = to;
	strtab_init(&l->texts);
	for (const char *word = key ? key : "sample.tid";;) {
		size_t len = strcspn(word, ",");
		int err = add_key(l, word, len, eb);

		if (err)
			return err;
		if (!word[len])
			break;
		word += len + 1;
	}
	pairing_init(&l->pairing, l->nr_keys, 0);
	pairing_init(&l->alone, l->nr_keys, MAX_ALONE);
	return 0;
}

void latency_fini(struct latency *l)
{
	for (uint32_t i = 0; i < l->nr_keys; i++) {
		free(l->names[i][LATENCY_FROM]);
		free(l->names[i][LATENCY_TO]);
	}
	vec_fini(&l->events);
	strtab_fini(&l->texts);
	pairing_fini(&l->pairing);
	pairing_fini(&l->alone);
}

static const struct trace_field *fields_of(struct latency *l, uint32_t event, uint32_t *nr)
{
	const struct attr *a = &l->recording->info->events.v[event].attr;
	struct tracepoints *t = a->type == ATTR_TYPE_TRACEPOINT ? l->recording->tracepoints : NULL;

	*nr = 0;
	return t ? tracepoints_fields(t, a->config, nr) : NULL;
}

static const struct trace_field *field_of(struct latency *l, uint32_t event, const char *name)
{
	uint32_t nr;
	const struct trace_field *fields = fields_of(l, event, &nr);

	for (uint32_t i = 0; i < nr; i++)
		if (!strcmp(fields[i].name, name))
			return &fields[i];
	return NULL;
}

/* What every sample says of itself. `is_plain`: without "sample." in front. */
static bool find_source(const char *name, enum latency_source *source, bool *is_plain)
{
	static const char prefix[] = "sample.";

	*is_plain = strncmp(name, prefix, sizeof(prefix) - 1);
	if (!*is_plain)
		name += sizeof(prefix) - 1;
	*source = !strcmp(name, "tid")	 ? LATENCY_TID
		  : !strcmp(name, "pid") ? LATENCY_PID
		  : !strcmp(name, "cpu") ? LATENCY_CPU
					 : LATENCY_FIELD;
	return *source != LATENCY_FIELD;
}

static int no_such_field(struct latency *l, uint32_t event, const char *name, struct errbuf *eb)
{
	const char *event_name = l->recording->info->events.v[event].name;
	uint32_t nr, len = 0;
	const struct trace_field *fields = fields_of(l, event, &nr);
	char list[512] = "";

	for (uint32_t i = 0; i < nr && len < sizeof(list); i++)
		if (!fields[i].is_common)
			len += (uint32_t)snprintf(list + len, sizeof(list) - len, " %s", fields[i].name);
	if (!nr)
		return errbuf_set(eb, -EINVAL, "--key: %s has no fields in this recording, so '%s' is unknown; there is tid, pid and cpu",
				  event_name, name);
	return errbuf_set(eb, -EINVAL, "--key: %s has no field '%s'; it has%s, and every sample has tid, pid and cpu", event_name, name,
			  list);
}

/* Where one event has the field "pid" and another does not, what every sample has is not meant for sure: says what could be. */
static int ambiguous_field(struct latency *l, const char *name, uint32_t has, uint32_t lacks, bool is_one_name, struct errbuf *eb)
{
	const struct perfdata_info *info = l->recording->info;
	bool is_begin = l->events.v[lacks].is[LATENCY_FROM];
	uint32_t nr, len = 0, nr_hints = 0;
	const struct trace_field *fields = fields_of(l, lacks, &nr);
	char hints[256] = "";

	for (uint32_t i = 0; is_one_name && i < nr && nr_hints < MAX_HINTS && len < sizeof(hints); i++) {
		if (fields[i].is_common || !strstr(fields[i].name, name))
			continue;
		len += (uint32_t)snprintf(hints + len, sizeof(hints) - len, "%s:%s or ", is_begin ? fields[i].name : name,
					  is_begin ? name : fields[i].name);
		nr_hints++;
	}
	return errbuf_set(eb, -EINVAL, "--key: '%s' is a field of %s but not of %s; say --key %ssample.%s (what every sample has)", name,
			  info->events.v[has].name, info->events.v[lacks].name, len < sizeof(hints) ? hints : "", name);
}

/* A name that every sample has, like "pid", is the event's field if all events have one, and the sample's if none has. */
static int choose_source(struct latency *l, uint32_t key, enum latency_side side, bool *is_field, struct errbuf *eb)
{
	bool both = l->is_one_name[key];
	int64_t has = -1, lacks = -1;

	for (uint32_t i = 0; i < l->events.nr; i++) {
		const struct latency_event *e = &l->events.v[i];

		if (!(both ? e->is[LATENCY_FROM] || e->is[LATENCY_TO] : e->is[side]))
			continue;
		if (field_of(l, i, l->names[key][side]))
			has = i;
		else
			lacks = i;
	}
	*is_field = has >= 0;
	return has >= 0 && lacks >= 0 ? ambiguous_field(l, l->names[key][side], (uint32_t)has, (uint32_t)lacks, both, eb) : 0;
}

static int resolve_part(struct latency *l, uint32_t event, enum latency_side side, uint32_t key, struct errbuf *eb)
{
	struct latency_part *part = &l->events.v[event].parts[side][key];
	const char *name = l->names[key][side];
	bool is_plain, has_source = find_source(name, &part->source, &is_plain), is_field = !has_source;
	int err = has_source && is_plain ? choose_source(l, key, side, &is_field, eb) : 0;

	if (err)
		return err;
	part->mask = UINT64_MAX;
	if (!is_field) {
		part->mask = UINT32_MAX; /* ids have 32 bits, whatever a field on the other side has */
		return 0;
	}
	part->source = LATENCY_FIELD;
	part->field = field_of(l, event, name);
	if (!part->field)
		return no_such_field(l, event, name, eb);
	if (!part->field->is_array && part->field->item.size && part->field->item.size < 8)
		part->mask = (UINT64_C(1) << part->field->item.size * 8) - 1;
	return 0;
}

static bool is_number(const struct latency_part *part)
{
	return part->source != LATENCY_FIELD || (!part->field->is_array && part->field->item.size);
}

/* A number and a text never agree, and -1 in 32 bits is to be -1 in 64. */
static int settle_key(struct latency *l, uint32_t key, struct errbuf *eb)
{
	uint64_t mask = UINT64_MAX;
	uint32_t nr[2] = { 0 };

	for (uint32_t i = 0; i < l->events.nr * LATENCY_NR_SIDES; i++) {
		struct latency_event *e = &l->events.v[i / LATENCY_NR_SIDES];

		if (!e->is[i % LATENCY_NR_SIDES])
			continue;
		mask &= e->parts[i % LATENCY_NR_SIDES][key].mask;
		nr[is_number(&e->parts[i % LATENCY_NR_SIDES][key])]++;
	}
	if (nr[0] && nr[1])
		return errbuf_set(eb, -EINVAL, "--key: '%s' is a number in one of the events and none in another: no two would be equal",
				  l->names[key][LATENCY_FROM]);
	for (uint32_t i = 0; i < l->events.nr; i++)
		for (int side = 0; side < LATENCY_NR_SIDES; side++)
			l->events.v[i].parts[side][key].mask = nr[1] ? mask : UINT64_MAX;
	return 0;
}

static int resolve(struct latency *l, struct errbuf *eb)
{
	const struct perfdata_info *info = l->recording->info;
	int err = 0;

	l->events.nr = 0;
	for (uint32_t i = 0; i < info->events.nr; i++) {
		struct latency_event e = { 0 };

		for (int side = 0; side < LATENCY_NR_SIDES; side++)
			e.is[side] = event_patterns_match(l->patterns[side], info->events.v[i].name);
		vec_push(&l->events, e);
	}
	for (uint32_t i = 0; i < l->events.nr; i++)
		for (uint32_t k = 0; k < LATENCY_NR_SIDES * l->nr_keys && !err; k++)
			if (l->events.v[i].is[k % LATENCY_NR_SIDES])
				err = resolve_part(l, i, k % LATENCY_NR_SIDES, k / LATENCY_NR_SIDES, eb);
	for (uint32_t k = 0; k < l->nr_keys && !err; k++)
		err = settle_key(l, k, eb);
	return err;
}

static bool key_of(struct latency *l, const struct latency_part *parts, const struct sample *s, uint64_t *key)
{
	for (uint32_t i = 0; i < l->nr_keys; i++) {
		struct tracepoints_value v = { 0 };

		switch (parts[i].source) {
		case LATENCY_TID:
			v.number = s->tid;
			break;
		case LATENCY_PID:
			v.number = s->pid;
			break;
		case LATENCY_CPU:
			v.number = s->cpu;
			break;
		case LATENCY_FIELD:
			if (!s->raw || !tracepoints_value(l->recording->tracepoints, parts[i].field, s->raw, s->raw_size, &v))
				return false;
			if (v.bytes)
				v.number = strtab_intern_len(&l->texts, v.bytes, v.size);
			break;
		}
		key[i] = v.number & parts[i].mask;
	}
	return true;
}

/* An end that came alone, and then its begin, or what looks like it. */
static void note_alone(struct latency *l, const uint64_t *key, const struct session_record *sr, bool is_end)
{
	uint64_t after_ns;
	uint32_t cpu;

	if (is_end)
		pairing_begin(&l->alone, key, sr->time_ns, sr->rec.sample.cpu);
	else if (l->alone.nr_open && pairing_end(&l->alone, key, sr->time_ns, &after_ns, &cpu))
		/* On one CPU time goes forwards, unless somebody else's tool wrote it down. */
		l->nr_early += after_ns <= LATENCY_SKEW_NS && (cpu != sr->rec.sample.cpu || l->recording->is_imported);
}

int latency_add(struct latency *l, const struct session_record *sr, uint32_t tag, uint64_t *took_ns, uint32_t *begin_tag, struct errbuf *eb)
{
	uint64_t key[PAIRING_MAX_KEYS], nr_alone = l->pairing.nr_ends_alone;
	const struct latency_event *e;
	int err, is_pair = 0;

	if (l->events.nr != l->recording->info->events.nr) {
		err = resolve(l, eb);
		if (err)
			return err;
	}
	if (sr->event < 0 || (uint32_t)sr->event >= l->events.nr)
		return 0;
	e = &l->events.v[sr->event];
	/* An event that is both ends the one before, and begins the next. */
	if (e->is[LATENCY_TO]) {
		l->nr_ends++;
		if (key_of(l, e->parts[LATENCY_TO], &sr->rec.sample, key))
			is_pair = pairing_end(&l->pairing, key, sr->time_ns, took_ns, begin_tag);
		else
			l->nr_keyless++;
		if (l->pairing.nr_ends_alone != nr_alone)
			note_alone(l, key, sr, true);
	}
	if (e->is[LATENCY_FROM]) {
		l->nr_begins++;
		if (key_of(l, e->parts[LATENCY_FROM], &sr->rec.sample, key)) {
			if (!e->is[LATENCY_TO])
				note_alone(l, key, sr, false);
			pairing_begin(&l->pairing, key, sr->time_ns, tag);
		} else {
			l->nr_keyless++;
		}
	}
	return is_pair;
}

/* What stands for one side of a key; "sample." is added where it was left out. */
static void put_key_side(const struct latency *l, uint32_t key, enum latency_side side, struct out *o)
{
	const char *name = l->names[key][side];
	enum latency_source source;
	bool is_plain;

	if (find_source(name, &source, &is_plain) && is_plain)
		for (uint32_t i = 0; i < l->events.nr; i++)
			if (l->events.v[i].is[side] && l->events.v[i].parts[side][key].source != LATENCY_FIELD) {
				out_str(o, "sample.");
				break;
			}
	out_str(o, name);
}

void latency_put_key(const struct latency *l, struct out *o)
{
	for (uint32_t key = 0; key < l->nr_keys; key++) {
		out_str(o, key ? "," : "");
		put_key_side(l, key, LATENCY_FROM, o);
		if (l->is_one_name[key])
			continue;
		out_char(o, ':');
		put_key_side(l, key, LATENCY_TO, o);
	}
}

/* The event of the recording that a name means where its group was forgotten; or the nearest by letters, or NULL. */
static const char *nearest_event(const struct perfdata_info *info, const char *typed)
{
	struct suggest s;

	suggest_init(&s, typed);
	for (uint32_t i = 0; i < info->events.nr; i++) {
		const char *name = info->events.v[i].name, *colon = strchr(name, ':');

		if (colon && !strcmp(colon + 1, typed))
			return name;
		suggest_offer(&s, name);
	}
	return s.best;
}

static int no_such_event(struct latency *l, const char *option, const char *typed, struct errbuf *eb)
{
	const char *best = nearest_event(l->recording->info, typed);

	if (best)
		return errbuf_set(eb, -ENOENT, "%s: this recording has no event '%s'; did you mean '%s'? 'assay evlist' lists them", option,
				  typed, best);
	/* Without its group nothing can be recorded by it. */
	if (!strpbrk(typed, ":/"))
		return errbuf_set(eb, -ENOENT,
				  "%s: this recording has no event '%s' ('assay evlist' lists those it has); 'assay list %s' says what it "
				  "can be recorded as",
				  option, typed, typed);
	return errbuf_set(eb, -ENOENT,
			  "%s: this recording has no event '%s' ('assay evlist' lists those it has); record it with 'assay "
			  "record -e %s …'",
			  option, typed, typed);
}

int latency_finish(struct latency *l, struct errbuf *eb)
{
	int err = l->events.nr != l->recording->info->events.nr ? resolve(l, eb) : 0;

	for (int side = 0; side < LATENCY_NR_SIDES && !err; side++)
		for (uint32_t i = 0; i < l->patterns[side]->v.nr && !err; i++)
			if (!l->patterns[side]->v.v[i].is_met)
				err = no_such_event(l, side_options[side], l->patterns[side]->v.v[i].text, eb);
	return err;
}
