/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * For the fuzz targets of the importers, and unit tests: what a builder holds is written as a perf.data, read by a session and a profile,
 * and compared: every name, offset, inlined function and line of every sample has to come out as it went in.
 */
#ifndef ASSAY_TESTS_IMPORT_ROUNDTRIP_H
#define ASSAY_TESTS_IMPORT_ROUNDTRIP_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "import/builder.h"
#include "import/recording.h"
#include "model/profile.h"
#include "perfdata/reader.h"
#include "session/session.h"

#define ROUNDTRIP_MAX 20000	  /* samples that are looked at */
#define ROUNDTRIP_MAX_READ 200000 /* with their repeats, which are alike */

#define ROUNDTRIP_CHECK(what)                                                                                                              \
	do {                                                                                                                               \
		if (!(what)) {                                                                                                             \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what);                                                         \
			abort();                                                                                                           \
		}                                                                                                                          \
	} while (0)

static inline int roundtrip_session(struct session **s, const char *path, struct errbuf *eb)
{
	const struct session_options opts = { .symbols.no_demangle = true };
	struct record_source *source;
	int err = reader_open(&source, path, READER_ANY_OWNER, eb);

	return err ? err : session_open(s, source, &opts, eb);
}

static inline bool roundtrip_same(const struct import_builder *b, uint32_t a, const struct profile *p, uint32_t id)
{
	return strlen(import_str(b, a)) == strtab_len(&b->strings, a) && !strcmp(import_str(b, a), profile_str(p, id));
}

static inline void roundtrip_check_location(const struct import_builder *b, const struct import_location *l, struct profile *p,
					    uint32_t location)
{
	uint32_t nr;
	const struct profile_place *places = profile_places_of(p, location, &nr);
	const struct profile_location *pl = &p->locations.v[location];
	const struct profile_frame *f = &p->frames.v[pl->frame];

	ROUNDTRIP_CHECK(l->ip == IMPORT_UNKNOWN || pl->at.ip == l->ip);
	ROUNDTRIP_CHECK(l->addr == IMPORT_UNKNOWN || pl->at.addr == l->addr);
	ROUNDTRIP_CHECK(l->is_kernel == (pl->cpumode == MISC_KERNEL));
	if (!l->dso)
		return; /* of such a one nothing is known but where it was */
	ROUNDTRIP_CHECK(!l->symbol == !f->function);
	if (!l->symbol)
		return;
	ROUNDTRIP_CHECK(roundtrip_same(b, l->symbol, p, f->function));
	ROUNDTRIP_CHECK(!strcmp(import_str(b, b->dsos.v[l->dso].path), profile_dso(p, pl->at.dso)->path) ||
			b->dsos.v[l->dso].kind == IMPORTED_KMODULE);
	ROUNDTRIP_CHECK(l->off == IMPORT_UNKNOWN || pl->at.addr - f->start == l->off);
	if (!l->nr_places)
		return;
	ROUNDTRIP_CHECK(nr == l->nr_places);
	for (uint32_t i = 0; i < nr; i++) {
		const struct imported_place *want = &b->places.v[l->first_place + i];

		/* An inlined function without a name is called something. */
		ROUNDTRIP_CHECK(!want->function || roundtrip_same(b, want->function, p, p->frames.v[places[i].frame].function));
		ROUNDTRIP_CHECK(roundtrip_same(b, want->file, p, places[i].file) && places[i].line == want->line);
	}
}

/* What the source said of its values, and the sample's labels. */
static inline void roundtrip_check_values(const struct import_builder *b, const struct import_sample *s, const struct recording *recording,
					  const struct session_record *sr)
{
	const struct imported *v = recording_values(recording), *from = &b->section;
	const struct imported_set *set = &from->sets.v[s->labels];
	const struct imported_label *labels;
	uint32_t nr;

	ROUNDTRIP_CHECK(!v == !from->types.nr);
	if (!v)
		return;
	ROUNDTRIP_CHECK(v->types.nr == from->types.nr && v->mappings.nr == from->mappings.nr && v->period == from->period);
	ROUNDTRIP_CHECK(!strcmp(imported_str(v, v->types.v[0].unit), import_str(b, from->types.v[0].unit)));
	labels = imported_labels(v, sr->rec.sample.stream_id, &nr);
	ROUNDTRIP_CHECK(nr == set->nr && (!nr || !memcmp(labels, &from->labels.v[set->first], nr * sizeof(*labels))));
	for (uint32_t i = 0; i < nr; i++)
		ROUNDTRIP_CHECK(!strcmp(imported_str(v, labels[i].key), import_str(b, labels[i].key)));
}

static inline void roundtrip_check_sample(const struct import_builder *b, const struct import_sample *s, struct profile *p,
					  const struct session_record *sr)
{
	const struct import_stack *want = &b->stacks.v[s->stack];
	struct unwind_result walk;
	uint32_t node = profile_stack_node(p, profile_intern_sample(p, sr, &walk)), i = 0;

	ROUNDTRIP_CHECK(sr->event == s->event && sr->task->tid == s->tid);
	roundtrip_check_values(b, s, p->recording, sr);
	ROUNDTRIP_CHECK(!strcmp(machine_comm(p->machine, sr->task), import_str(b, s->comm)));
	if (!b->events.v[s->event].has_chain) {
		uint32_t location = profile_intern_location(p, sr->task, sr->rec.sample.ip, sr->header->misc & MISC_CPUMODE_MASK);

		if (want->nr)
			roundtrip_check_location(b, &b->locations.v[want->locations[0]], p, location);
		return;
	}
	for (; node != STACK_TREE_ROOT && i < want->nr; node = stack_tree_parent(&p->tree, node))
		roundtrip_check_location(b, &b->locations.v[want->locations[i++]], p, stack_tree_frame(&p->tree, node));
	ROUNDTRIP_CHECK(node == STACK_TREE_ROOT && (i == want->nr || want->nr > 4000));
}

static inline bool roundtrip_is_sorted(const struct import_builder *b)
{
	for (uint32_t i = 0; i < b->samples.nr; i++)
		if (b->samples.v[i].time_ns < b->samples.v[i ? i - 1 : 0].time_ns || (!b->samples.v[i].time_ns && b->samples.v[0].time_ns))
			return false;
	return true;
}

static inline void roundtrip_read(const struct import_builder *b, const char *path)
{
	struct errbuf eb = { 0 };
	struct session_record sr;
	struct session *s;
	struct profile p;
	uint32_t next = 0, repeats = 0, nr_read = 0;

	ROUNDTRIP_CHECK(!roundtrip_session(&s, path, &eb));
	profile_init(&p, &s->machine, &s->recording);
	p.max_stack = 65535;
	p.keep_cycles = true;
	p.source = PROFILE_INLINES;
	while (next < ROUNDTRIP_MAX && nr_read < ROUNDTRIP_MAX_READ && session_next(s, &sr, &eb) > 0) {
		nr_read++;
		if (sr.header->type != RECORD_SAMPLE || (repeats && repeats--))
			continue;
		ROUNDTRIP_CHECK(next < b->samples.nr);
		if (roundtrip_is_sorted(b) || next >= b->samples.nr)
			roundtrip_check_sample(b, &b->samples.v[next], &p, &sr);
		repeats = s->recording.imported.flags & IMPORTED_REPEATS && b->samples.v[next].count > 1 ? b->samples.v[next].count - 1 : 0;
		next++;
	}
	ROUNDTRIP_CHECK(next == ROUNDTRIP_MAX || next == b->samples.nr || nr_read == ROUNDTRIP_MAX_READ);
	ROUNDTRIP_CHECK(!s->recording.stats.nr_malformed && !s->recording.stats.nr_unknown_ids && !s->recording.damage->err);
	profile_fini(&p);
	session_close(s);
}

static inline void roundtrip(struct import_builder *b)
{
	int fd = memfd_create("roundtrip", MFD_CLOEXEC);
	struct errbuf eb = { 0 };
	char path[64];

	ROUNDTRIP_CHECK(fd >= 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (b->samples.nr && !import_write(b, fd, &eb))
		roundtrip_read(b, path);
	close(fd);
}

/* All samples of a recording that import has just written. */
static inline struct session *roundtrip_open(const char *path, struct profile *p)
{
	struct errbuf eb = { 0 };
	struct session_record sr;
	struct session *s;

	ROUNDTRIP_CHECK(!roundtrip_session(&s, path, &eb));
	profile_init(p, &s->machine, &s->recording);
	p->max_stack = 65535;
	p->source = PROFILE_INLINES;
	while (session_next(s, &sr, &eb) > 0)
		if (sr.header->type == RECORD_SAMPLE)
			profile_add(p, &sr);
	profile_symbolize(p);
	return s;
}

#endif
