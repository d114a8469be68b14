/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A recording with a hostile section of imported locations: the section goes into a perf.data whose samples are at all of its locations and
 * beside them, and what it says of them is read through a session and a profile, and exported with its values.
 */
#include "base/log.h"
#include "import_roundtrip.h"
#include "perfdata/writer.h"
#include "view/export.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_SAMPLES 2000u

static void put(struct out *o, const struct record *rec, const struct sample_layout *layout)
{
	char *room = out_room(o, UINT16_MAX + 1);
	int64_t size = record_encode(rec, layout, room, UINT16_MAX);

	if (size > 0)
		out_advance(o, (size_t)size);
}

static void put_records(struct out *o, const struct imported *n, const struct sample_layout *layout)
{
	struct record_header map_header = { .type = RECORD_MMAP2, .misc = MISC_USER },
			     sample_header = { .type = RECORD_SAMPLE, .misc = MISC_USER };
	struct record map = { .header = &map_header }, sample = { .header = &sample_header };

	for (uint32_t i = 0; i <= n->locations.nr && i < MAX_SAMPLES; i++) {
		uint64_t word = imported_word(i, i % 2), ips[] = { i % 2 ? CHAIN_KERNEL : CHAIN_USER, word, word - 1, word + 2, i };

		map.mmap =
			(struct record_mmap){ .pid = 1, .tid = 1, .start = word, .len = i, .prot = 1, .flags = 2, .filename = "[stack]" };
		put(o, &map, layout);
		sample.sample =
			(struct sample){ .ip = word, .pid = 1, .tid = 1, .id = 1, .stream_id = i, .period = 1, .nr_ips = 5, .ips = ips };
		put(o, &sample, layout);
	}
}

static int write_recording(int fd, const uint64_t *section, size_t size, const struct imported *n)
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
			  .sample_type = SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TID | SAMPLE_PERIOD | SAMPLE_CALLCHAIN | SAMPLE_STREAM_ID },
	};
	struct perfdata_info info;
	struct errbuf eb = { 0 };
	struct writer *w = NULL;
	struct out o;
	int err;

	perfdata_info_init(&info);
	e.layout = sample_layout_of(&e.attr);
	vec_push(&info.events, e);
	vec_push(&info.raw_features, ((struct perfdata_raw_feature){ .feature = FEAT_IMPORTED, .size = size, .data = section }));
	out_init(&o, -1);
	put_records(&o, n, &e.layout);
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

static void export(struct profile *p)
{
	static const enum export_format formats[] = { EXPORT_PPROF, EXPORT_FIREFOX };

	for (uint32_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		struct export_options options = { .event = -1, .name = "fuzz", .format = formats[i] };
		struct out o;

		out_init(&o, -1);
		export_profile(&o, p, NULL, NULL, &options);
		out_fini(&o);
	}
}

static void read_back(const char *path)
{
	struct profile p;
	struct session *s = roundtrip_open(path, &p);

	for (uint32_t i = 0; i < p.locations.nr; i++) {
		uint32_t nr_places;
		const struct profile_place *places = profile_places_of(&p, i, &nr_places);

		ROUNDTRIP_CHECK(nr_places);
		for (uint32_t k = 0; k < nr_places; k++)
			ROUNDTRIP_CHECK(places[k].frame < p.frames.nr && places[k].file < p.strings.entries.nr);
	}
	ROUNDTRIP_CHECK(p.samples.nr);
	export(&p);
	profile_fini(&p);
	session_close(s);
}

/* Strings, which are not in a table of their own. */
static void check_encoding(const struct imported *n)
{
	struct strtab strings;
	struct imported again;
	struct out o;

	strtab_init(&strings);
	out_init(&o, -1);
	for (uint32_t i = 0; i < n->nr_strings; i++)
		if (strtab_intern(&strings, imported_str(n, i)) != i)
			goto out; /* one twice, or none that is empty */
	imported_encode(n, &strings, &o);
	ROUNDTRIP_CHECK(!imported_init(&again, o.buf, o.len) && again.nr_strings == n->nr_strings);
	ROUNDTRIP_CHECK(again.locations.nr == n->locations.nr && again.notes.nr == n->notes.nr && again.labels.nr == n->labels.nr);
out:
	strtab_fini(&strings);
	out_fini(&o);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("imported", MFD_CLOEXEC);
	uint64_t *section = mem_alloc(size + 8); /* aligned */
	struct imported n;
	char path[64];

	log_level = LOG_QUIET;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	memcpy(section, data, size);
	if (!imported_init(&n, section, size)) {
		check_encoding(&n);
		if (!(n.flags & IMPORTED_REPEATS) && !write_recording(fd, section, size, &n))
			read_back(path);
	}
	free(section);
	close(fd);
	return 0;
}
