/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which samples begin and end something, and under which key. Events are looked at when samples come: of a pipe they are not known earlier,
 * and may become more.
 */
#include "model/latency.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"

static const char *const side_options[LATENCY_NR_SIDES] = { "--from", "--to" };

/* One of "dev,pid:next_pid"; an empty name is a mistake. */
static int add_key(struct latency *l, const char *word, size_t len, struct errbuf *eb)
{
	const char *colon = memchr(word, ':', len);
	size_t first = colon ? (size_t)(colon - word) : len, second = colon ? len - first - 1 : len;

	if (!first || !second || (colon && memchr(colon + 1, ':', second)))
		return errbuf_set(eb, -EINVAL, "--key: '%.*s' is no field; it takes names as in dev,sector, or FROM:TO where the two events name it differently",
				  (int)len, word);
	if (l->nr_keys == PAIRING_MAX_KEYS)
		return errbuf_set(eb, -EINVAL, "--key: at most %d fields make a key", PAIRING_MAX_KEYS);
	l->names[l->nr_keys][LATENCY_FROM] = mem_strndup(word, first);
	l->names[l->nr_keys][LATENCY_TO] = mem_strndup(colon ? colon + 1 : word, second);
	l->is_one_name[l->nr_keys++] = !colon;
	return 0;
}

int latency_init(struct latency *l, struct session *s, const char *from, const char *to, const char *key, struct errbuf *eb)
{
	memset(l, 0, sizeof(*l));
	l->session = s;
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
}

static const struct trace_field *fields_of(struct latency *l, uint32_t event, uint32_t *nr)
{
	const struct attr *a = &l->session->info->events.v[event].attr;
	struct tracepoints *t = a->type == ATTR_TYPE_TRACEPOINT ? session_tracepoints(l->session) : NULL;

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
	*source = !strcmp(name, "tid") ? LATENCY_TID : !strcmp(name, "pid") ? LATENCY_PID : !strcmp(name, "cpu") ? LATENCY_CPU : LATENCY_FIELD;
	return *source != LATENCY_FIELD;
}

static int no_such_field(struct latency *l, uint32_t event, const char *name, struct errbuf *eb)
{
	const char *event_name = l->session->info->events.v[event].name;
	uint32_t nr, len = 0;
	const struct trace_field *fields = fields_of(l, event, &nr);
	char list[512] = "";

	for (uint32_t i = 0; i < nr && len < sizeof(list); i++)
		if (!fields[i].is_common)
			len += (uint32_t)snprintf(list + len, sizeof(list) - len, " %s", fields[i].name);
	if (!nr)
		return errbuf_set(eb, -EINVAL, "--key: %s has no fields in this recording, so '%s' is unknown; there is tid, pid and cpu", event_name,
				  name);
	return errbuf_set(eb, -EINVAL, "--key: %s has no field '%s'; it has%s, and every sample has tid, pid and cpu", event_name, name, list);
}

/* A name that every sample has, like "pid", means the event's own field if all events that are asked about have one: one name is to mean
 * the same on both sides. */
static bool all_have_field(struct latency *l, uint32_t key, enum latency_side side)
{
	bool both = l->is_one_name[key];

	for (uint32_t i = 0; i < l->events.nr; i++) {
		const struct latency_event *e = &l->events.v[i];

		if (!(both ? e->is[LATENCY_FROM] || e->is[LATENCY_TO] : e->is[side]))
			continue;
		if (!field_of(l, i, l->names[key][side]))
			return false;
	}
	return true;
}

static int resolve_part(struct latency *l, uint32_t event, enum latency_side side, uint32_t key, struct errbuf *eb)
{
	struct latency_part *part = &l->events.v[event].parts[side][key];
	const char *name = l->names[key][side];
	bool is_plain, has_source = find_source(name, &part->source, &is_plain);

	part->mask = UINT64_MAX;
	if (has_source && (!is_plain || !all_have_field(l, key, side))) {
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
	const struct perfdata_info *info = l->session->info;
	int err = 0;

	l->events.nr = 0;
	for (uint32_t i = 0; i < info->events.nr; i++) {
		struct latency_event e = { 0 };

		for (int side = 0; side < LATENCY_NR_SIDES; side++) {
			e.is[side] = !fnmatch(l->patterns[side], info->events.v[i].name, 0);
			l->is_found[side] |= e.is[side];
		}
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
			if (!s->raw || !tracepoints_value(l->session->tracepoints, parts[i].field, s->raw, s->raw_size, &v))
				return false;
			if (v.bytes)
				v.number = strtab_intern_len(&l->texts, v.bytes, v.size);
			break;
		}
		key[i] = v.number & parts[i].mask;
	}
	return true;
}

int latency_add(struct latency *l, const struct session_record *sr, uint32_t tag, uint64_t *took_ns, uint32_t *begin_tag,
		struct errbuf *eb)
{
	uint64_t key[PAIRING_MAX_KEYS];
	const struct latency_event *e;
	int err, is_pair = 0;

	if (l->events.nr != l->session->info->events.nr) {
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
	}
	if (e->is[LATENCY_FROM]) {
		l->nr_begins++;
		if (key_of(l, e->parts[LATENCY_FROM], &sr->rec.sample, key))
			pairing_begin(&l->pairing, key, sr->time_ns, tag);
		else
			l->nr_keyless++;
	}
	return is_pair;
}

int latency_finish(struct latency *l, struct errbuf *eb)
{
	const struct perfdata_info *info = l->session->info;
	int err = l->events.nr != info->events.nr ? resolve(l, eb) : 0;
	struct suggest s;

	for (int side = 0; side < LATENCY_NR_SIDES && !err; side++) {
		if (l->is_found[side])
			continue;
		suggest_init(&s, l->patterns[side]);
		for (uint32_t i = 0; i < info->events.nr; i++)
			suggest_offer(&s, info->events.v[i].name);
		if (s.best)
			return errbuf_set(eb, -ENOENT, "%s: this recording has no event '%s'; did you mean '%s'? 'assay evlist' lists them",
					  side_options[side], l->patterns[side], s.best);
		return errbuf_set(eb, -ENOENT, "%s: this recording has no event '%s' ('assay evlist' lists those it has); record it with 'assay record -e %s …'",
				  side_options[side], l->patterns[side], l->patterns[side]);
	}
	return err;
}
