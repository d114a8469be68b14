/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A recording with hostile names inside: the section goes into a perf.data whose samples lie all over
 * its modules, and the symbols and lines in there are looked up through a session and a profile.
 */
#include "base/log.h"
#include "import_roundtrip.h"
#include "perfdata/writer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_MODULES 50
#define MODULE_SIZE (UINT64_C(1) << 40)
#define NR_SAMPLES 40u /* a module */

static void put(struct out *o, const struct record *rec, const struct sample_layout *layout)
{
	char *room = out_room(o, UINT16_MAX + 1);
	int64_t size = record_encode(rec, layout, room, UINT16_MAX);

	if (size > 0)
		out_advance(o, (size_t)size);
}

/* What stands in a part may be an address, of a symbol or of a line. */
static uint64_t word_of(const struct embedded_part *part, uint32_t i)
{
	uint64_t word = 0;

	if (i < part->size_bytes / sizeof(word))
		memcpy(&word, (const uint8_t *)part->data + i * sizeof(word), sizeof(word));
	return word % MODULE_SIZE;
}

/* Dense where the module begins, then farther and farther away; and where its parts say. */
static void put_module(struct out *o, const struct embedded_module *m, uint64_t start, const struct sample_layout *layout)
{
	struct record_header map_header = { .type = RECORD_MMAP2, .misc = MISC_USER },
			     sample_header = { .type = RECORD_SAMPLE, .misc = MISC_USER };
	struct record map = { .header = &map_header }, sample = { .header = &sample_header };

	map.mmap = (struct record_mmap){
		.pid = 1, .tid = 1, .start = start, .len = MODULE_SIZE, .prot = 1, .flags = 2, .filename = m->mapped_as
	};
	if (strlen(m->mapped_as) < 4096)
		put(o, &map, layout);
	for (uint32_t i = 0; i < NR_SAMPLES; i++) {
		uint64_t ips[] = { CHAIN_USER, start + (UINT64_C(1) << i) - 1, start + word_of(&m->symbols, i), start + i * 3,
				   start + (m->nr_sources ? word_of(&m->sources[i % m->nr_sources], i) : 0) };

		sample.sample = (struct sample){ .ip = ips[1], .pid = 1, .tid = 1, .id = 1, .period = 1, .nr_ips = 5, .ips = ips };
		put(o, &sample, layout);
	}
}

static int write_recording(int fd, const uint64_t *section, size_t size, const struct embedded_names *n)
{
	uint64_t id = 1;
	struct perfdata_event e = {
		.name = "samples",
		.ids = &id,
		.nr_ids = 1,
		.attr = { .type = 1,
			  .size = ATTR_SIZE_VER7,
			  .sample_period = 1,
			  .flags = ATTR_SAMPLE_ID_ALL | ATTR_MMAP2,
			  .sample_type = SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TID | SAMPLE_PERIOD | SAMPLE_CALLCHAIN },
	};
	struct perfdata_info info;
	struct errbuf eb = { 0 };
	struct writer *w = NULL;
	struct out o;
	int err;

	perfdata_info_init(&info);
	e.layout = sample_layout_of(&e.attr);
	vec_push(&info.events, e);
	vec_push(&info.raw_features, ((struct perfdata_raw_feature){ .feature = FEAT_EMBEDDED_NAMES, .size = size, .data = section }));
	out_init(&o, -1);
	for (uint32_t i = 0; i < n->modules.nr && i < MAX_MODULES; i++)
		put_module(&o, &n->modules.v[i], (i + 1) * MODULE_SIZE, &e.layout);
	err = writer_open(&w, fd, &(struct writer_options){ 0 }, &info, &eb);
	if (!err)
		err = writer_append(w, o.buf, o.len, false);
	if (!err)
		err = writer_finish(w, &info, &eb);
	writer_free(w);
	out_fini(&o);
	perfdata_info_fini(&info);
	return err;
}

static void read_back(const char *path, uint32_t nr_modules)
{
	struct errbuf eb = { 0 };
	struct session_record sr;
	struct session *s;
	struct profile p;
	uint32_t nr = 0;

	ROUNDTRIP_CHECK(!roundtrip_session(&s, path, &eb));
	profile_init(&p, &s->machine, &s->recording);
	p.source = PROFILE_INLINES;
	while (nr < 10 * MAX_MODULES * NR_SAMPLES && session_next(s, &sr, &eb) > 0)
		if (sr.header->type == RECORD_SAMPLE && nr++ < UINT32_MAX)
			profile_add(&p, &sr);
	profile_symbolize(&p);
	for (uint32_t i = 0; i < p.locations.nr; i++) {
		uint32_t nr_places;
		const struct profile_place *places = profile_places_of(&p, i, &nr_places);

		ROUNDTRIP_CHECK(nr_places);
		for (uint32_t k = 0; k < nr_places; k++)
			ROUNDTRIP_CHECK(places[k].frame < p.frames.nr && places[k].file < p.strings.entries.nr);
	}
	ROUNDTRIP_CHECK(!nr_modules || nr);
	profile_fini(&p);
	session_close(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("imported", MFD_CLOEXEC);
	uint64_t *section = mem_alloc(size + 8); /* aligned */
	struct embedded_names n;
	char path[64];

	log_level = LOG_QUIET;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	memcpy(section, data, size);
	if (!embedded_names_init(&n, section, size) && !write_recording(fd, section, size, &n))
		read_back(path, n.modules.nr);
	embedded_names_fini(&n);
	free(section);
	close(fd);
	return 0;
}
