/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Hostile names through every writer: folded stacks are imported, exported in all formats and drawn,
 * and what comes out is well formed, whatever the names are.
 */
#include "base/log.h"
#include "import/reading.h"
#include "import_roundtrip.h"
#include "model/flame.h"
#include "view/export.h"
#include "view/flame_svg.h"
#include "well_formed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_SAMPLES 500

static void check_export(const struct out *o, enum export_format format)
{
	switch (format) {
	case EXPORT_FOLDED:
		ROUNDTRIP_CHECK(is_folded(o->buf, o->len));
		break;
	case EXPORT_CSV:
		ROUNDTRIP_CHECK(is_csv(o->buf, o->len));
		break;
	case EXPORT_FIREFOX:
	case EXPORT_SPEEDSCOPE:
	case EXPORT_CHROME:
		ROUNDTRIP_CHECK(is_json(o->buf, o->len));
		break;
	case EXPORT_CALLGRIND:
		ROUNDTRIP_CHECK(!memchr(o->buf, 0, o->len) && !memchr(o->buf, '\033', o->len));
		break;
	default: /* fuzz_import_pprof reads that one back */
		break;
	}
}

static void export(struct profile *p)
{
	struct export_options options = { .event = -1, .name = "fuzz" };

	for (int format = 0; format < EXPORT_NR_FORMATS; format++) {
		struct out o;

		options.format = (enum export_format)format;
		options.annotate = p->samples.nr % 2;
		out_init(&o, -1);
		export_profile(&o, p, NULL, NULL, &options);
		check_export(&o, options.format);
		out_fini(&o);
	}
}

static void draw(struct profile *p)
{
	const struct flame_options options = { .by = { FLAME_BY_COMM }, .nr_by = 1, .event = -1 };
	const char *notes[] = { profile_str(p, 1) };
	const struct flame_svg_options svg = {
		.title = profile_str(p, 2), .unit = "samples", .notes = notes, .nr_notes = 1, .width = 1200
	};
	struct flame_layout l;
	struct flame f;
	struct out o;

	flame_init(&f, 1);
	flame_add(&f, 0, p, NULL, &options);
	flame_finish(&f, (const uint64_t[]){ 2 }); /* what is narrower is listed for the search */
	flame_layout_build(&l, &f, flame_width_first, NULL, 0);
	out_init(&o, -1);
	flame_svg(&o, &f, &l, &svg);
	out_char(&o, 0);
	ROUNDTRIP_CHECK(is_xml(o.buf, o.len - 1));
	out_fini(&o);
	flame_layout_fini(&l);
	flame_fini(&f);
}

static void read_back(const char *path)
{
	struct profile p;
	struct session *s = roundtrip_open(path, &p);

	export(&p);
	if (p.strings.entries.nr > 2)
		draw(&p);
	profile_fini(&p);
	session_close(s);
}

static bool is_small(const struct import_builder *b)
{
	uint64_t nr = 0;

	for (uint32_t i = 0; i < b->samples.nr; i++)
		nr += b->samples.v[i].count;
	return nr && nr <= MAX_SAMPLES;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct import_options o = { .first_is_comm = size && *data % 2 };
	struct import_result result = { 0 };
	struct import_builder b;
	struct import_lines lines;
	struct errbuf eb = { 0 };
	int fd = memfd_create("export", MFD_CLOEXEC);
	char path[64];

	log_level = LOG_QUIET;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	import_builder_init(&b);
	import_lines_init(&lines, data, size);
	if (!import_folded(&b, &lines, &o, &result, &eb) && is_small(&b) && !import_write(&b, fd, &eb))
		read_back(path);
	import_lines_fini(&lines);
	import_builder_fini(&b);
	close(fd);
	return 0;
}
