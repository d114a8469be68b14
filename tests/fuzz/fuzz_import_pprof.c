/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * profile.proto, unpacked, through the importer, the writer, a session and a profile: what was
 * understood comes out unchanged. Exported and imported again it has the same types of values with
 * the same sums.
 */
#include "base/log.h"
#include "import/reading.h"
#include "import_roundtrip.h"
#include "view/export.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_SUM (INT64_MAX / 4)
#define MAX_SAMPLES 20000

static bool sums_of(const struct import_builder *b, uint64_t *sums)
{
	uint64_t nr = 0;

	for (uint32_t i = 0; i < b->samples.nr; i++) {
		uint64_t *sum = &sums[b->samples.v[i].event];

		if (b->samples.v[i].period > MAX_SUM || *sum > MAX_SUM)
			return false;
		*sum += b->samples.v[i].period;
		nr += b->samples.v[i].count;
	}
	sums[b->events.nr] = nr;
	return nr <= MAX_SAMPLES;
}

static uint64_t sum_of_type(const struct import_builder *b, const uint64_t *sums, uint32_t type)
{
	uint32_t event = b->section.types.v[type].event;

	return sums[event == IMPORTED_COUNT ? b->events.nr : event];
}

static void export(const char *path, struct out *o)
{
	struct export_options options = { .format = EXPORT_PPROF, .event = -1, .name = "fuzz" };
	struct profile p;
	struct session *s = roundtrip_open(path, &p);

	export_profile(o, &p, NULL, NULL, &options);
	profile_fini(&p);
	session_close(s);
}

static void compare(const struct import_builder *b, const uint64_t *sums, const struct out *o)
{
	struct import_result result = { 0 };
	struct errbuf eb = { 0 };
	struct import_builder again;
	uint64_t *sums_again;

	import_builder_init(&again);
	ROUNDTRIP_CHECK(!import_pprof(&again, o->buf, o->len, &result, &eb) && !result.nr_skipped && !result.nr_negative);
	sums_again = mem_zalloc((again.events.nr + 1ul) * sizeof(*sums_again));
	ROUNDTRIP_CHECK(again.section.types.nr == b->section.types.nr && again.section.period == b->section.period);
	/* Whether the first value is a number of samples can change: two samples may have become
	 * one. */
	if (sums_of(&again, sums_again) && again.has_sums == b->has_sums)
		for (uint32_t i = 0; i < b->section.types.nr; i++)
			ROUNDTRIP_CHECK(sum_of_type(b, sums, i) == sum_of_type(&again, sums_again, i));
	free(sums_again);
	import_builder_fini(&again);
}

static void export_again(struct import_builder *b)
{
	uint64_t *sums = mem_zalloc((b->events.nr + 1ul) * sizeof(*sums));
	int fd = memfd_create("export", MFD_CLOEXEC);
	struct errbuf eb = { 0 };
	struct out o;
	char path[64];

	ROUNDTRIP_CHECK(fd >= 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	out_init(&o, -1);
	if (b->samples.nr && b->section.types.nr < 1000 && sums_of(b, sums) && !import_write(b, fd, &eb)) {
		export(path, &o);
		compare(b, sums, &o);
	}
	out_fini(&o);
	close(fd);
	free(sums);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct import_result result = { 0 };
	struct errbuf eb = { 0 };
	struct import_builder b;

	log_level = LOG_QUIET;
	for (int what = 0; what < 2; what++) {
		import_builder_init(&b);
		if (!import_pprof(&b, data, size, &result, &eb))
			what ? export_again(&b) : roundtrip(&b);
		import_builder_fini(&b);
	}
	return 0;
}
