/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which format it is, and the way through the room: read, lay out, write.
 */
#include "import/import.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "import/guess.h"
#include "import/reading.h"
#include "import/recording.h"

static const char *const format_names[IMPORT_NR_FORMATS] = {
	[IMPORT_FOLDED] = "folded",
	[IMPORT_PPROF] = "pprof",
	[IMPORT_SCRIPT] = "perf-script",
};

const char *import_format_name(enum import_format format)
{
	return format_names[format];
}

int import_format_find(const char *name)
{
	for (int i = IMPORT_FOLDED; i < IMPORT_NR_FORMATS; i++)
		if (!strcmp(format_names[i], name))
			return i;
	return -ENOENT;
}

/* Words with a number behind them are in many a text: only what is mostly stacks is taken for them unasked. */
static bool is_hardly_folded(const struct import_options *o, const struct import_result *r)
{
	return o->format == IMPORT_GUESS && r->format == IMPORT_FOLDED && r->nr_skipped > r->nr_lines / 2;
}

static int read_format(struct import_builder *b, struct import_lines *l, const struct import_options *o, struct import_result *result,
		       const char *name, struct errbuf *eb)
{
	struct errbuf why = { 0 };
	const char *data;
	size_t size;
	int err;

	switch (result->format) {
	case IMPORT_FOLDED:
		err = import_folded(b, l, o, result, &why);
		break;
	case IMPORT_SCRIPT:
		err = import_script(b, l, result, &why);
		break;
	default:
		err = import_lines_read_all(l, &data, &size);
		import_allow(b, l->bytes_read);
		if (!err)
			err = import_pprof(b, data, size, result, &why);
		break;
	}
	if (err && *why.text) {
		char *remedy = err == -E2BIG ? import_lines_remedy(l, name) : NULL;

		errbuf_set(eb, err, "%s: %s%s", name, why.text, remedy ? remedy : "");
		free(remedy);
	}
	result->nr_lines = l->nr;
	if (err)
		return errbuf_set(eb, err, "cannot read %s: %s", name, err == -EBADMSG ? "it is damaged" : strerror(-err));
	if (b->samples.nr && is_hardly_folded(o, result))
		return errbuf_set(eb, -ENOEXEC,
				  "%s is no profile: %llu of its %llu lines are no folded stacks (such as 'main;work 42'), the first is line %llu; "
				  "to take the others all the same: assay import --format folded FILE",
				  name, (unsigned long long)result->nr_skipped, (unsigned long long)result->nr_lines,
				  (unsigned long long)result->first_skipped);
	if (b->samples.nr)
		return 0;
	if (result->nr_skipped && result->format != IMPORT_PPROF)
		return errbuf_set(eb, -EBADMSG, "%s has no sample: line %llu is not %s", name, (unsigned long long)result->first_skipped,
				  result->format == IMPORT_FOLDED ? "a folded stack such as 'main;work 42'" : "of 'perf script'");
	return errbuf_set(eb, -EBADMSG, "%s has no samples", name);
}

static uint64_t count_samples(const struct import_builder *b)
{
	uint64_t nr = 0;

	for (uint32_t i = 0; i < b->samples.nr; i++)
		nr += b->samples.v[i].count;
	return nr;
}

int import_file(int in_fd, int out_fd, const char *name, const struct import_options *options, struct import_result *result,
		struct errbuf *eb)
{
	struct import_builder b;
	struct import_lines l;
	int err;

	memset(result, 0, sizeof(*result));
	import_builder_init(&b);
	err = import_lines_open(&l, in_fd, name, &b, eb);
	result->is_packed = l.is_packed;
	result->format = options->format;
	if (!err && import_is_recording(l.buf + l.pos, l.len - l.pos)) {
		const char *data;
		size_t size;

		result->is_recording = true;
		err = import_lines_read_all(&l, &data, &size);
		if (!err)
			err = io_pwrite(out_fd, data, size, 0, NULL);
		if (err)
			errbuf_set(eb, err, "cannot unpack %s: %s", name, strerror(-err));
		goto out;
	}
	if (!err && result->format == IMPORT_GUESS)
		result->format = import_guess(l.buf + l.pos, l.len - l.pos);
	if (!err && result->format == IMPORT_GUESS)
		err = errbuf_set(eb, -ENOEXEC,
				 "%s is not a perf.data file and none of what can be imported (folded stacks, pprof, the text of 'perf script')%s", name,
				 import_not_importable(l.buf + l.pos, l.len - l.pos));
	if (!err)
		err = read_format(&b, &l, options, result, name, eb);
	import_lines_fini(&l);
	if (!err)
		err = import_write(&b, out_fd, eb);
	result->nr_samples = b.has_sums ? b.samples.nr : count_samples(&b);
	result->nr_cut = b.nr_cut;
	result->nr_excess_events = b.nr_excess_events;
	result->has_sums = b.has_sums;
out:
	result->bytes_read = l.bytes_read;
	result->is_comm_unused = options->first_is_comm && (result->is_recording || result->format != IMPORT_FOLDED);
	import_builder_fini(&b);
	import_lines_fini(&l);
	return err;
}
