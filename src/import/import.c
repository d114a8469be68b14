/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which format it is, and the way through the room: read, lay out, write.
 */
#include "import/import.h"

#include <errno.h>
#include <string.h>

#include "base/io.h"
#include "import/reading.h"
#include "import/recording.h"

#define GUESS_LINES 200

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

static bool begins(const void *data, size_t size, const char *magic, size_t len)
{
	return size >= len && !memcmp(data, magic, len);
}

static bool is_recording(const void *data, size_t size)
{
	return begins(data, size, "PERFILE2", 8) || begins(data, size, "2ELIFREP", 8);
}

/* A few control bytes, which names may have, do not make it binary. */
static bool is_text(const uint8_t *p, size_t size)
{
	size_t nr_odd = 0;

	for (size_t i = 0; i < size; i++) {
		if (!p[i])
			return false;
		nr_odd += p[i] < ' ' && p[i] != '\n' && p[i] != '\t' && p[i] != '\r';
	}
	return size && nr_odd <= size / 20;
}

/* A profile begins with what its values are: a field of number 1 to 14 with a size or a number behind it. */
static bool could_be_pprof(const uint8_t *p, size_t size)
{
	return size > 2 && p[0] >> 3 >= 1 && p[0] >> 3 <= 14 && ((p[0] & 7) == 2 || (p[0] & 7) == 0) && !is_text(p, size < 512 ? size : 512);
}

bool import_could_be(const void *head, size_t size)
{
	if (is_recording(head, size) || begins(head, size, "PERFFILE", 8) || begins(head, size, "\177ELF", 4))
		return false;
	return is_text(head, size) || begins(head, size, "\x1f\x8b", 2) || begins(head, size, "\x28\xb5\x2f\xfd", 4) ||
	       begins(head, size, "\3757zXZ", 6) || could_be_pprof(head, size);
}

static enum import_format guess_text(const char *s, size_t size)
{
	uint32_t nr_folded = 0, nr_script = 0;

	for (uint32_t i = 0; size && i < GUESS_LINES; i++) {
		const char *end = memchr(s, '\n', size);
		size_t len = end ? (size_t)(end - s) : size;

		/* The last line may be cut. */
		if (!end && i)
			break;
		if (import_is_script_line(s, len))
			nr_script++;
		else if (import_is_folded_line(s, len))
			nr_folded++;
		size -= len + !!end;
		s += len + !!end;
	}
	if (nr_script > nr_folded)
		return IMPORT_SCRIPT;
	return nr_folded ? IMPORT_FOLDED : IMPORT_GUESS;
}

static enum import_format guess(const struct import_lines *l)
{
	const char *s = l->buf + l->pos;
	size_t size = l->len - l->pos;

	if (is_text((const uint8_t *)s, size < 4096 ? size : 4096))
		return guess_text(s, size);
	return could_be_pprof((const uint8_t *)s, size) ? IMPORT_PPROF : IMPORT_GUESS;
}

static int read_format(struct import_builder *b, struct import_lines *l, const struct import_options *o, struct import_result *result,
		       const char *name, struct errbuf *eb)
{
	const char *data;
	size_t size;
	int err;

	switch (result->format) {
	case IMPORT_FOLDED:
		err = import_folded(b, l, o, result, eb);
		break;
	case IMPORT_SCRIPT:
		err = import_script(b, l, result, eb);
		break;
	default:
		err = import_lines_read_all(l, &data, &size);
		if (!err)
			err = import_pprof(b, data, size, result, eb);
		break;
	}
	result->nr_lines = l->nr;
	if (err)
		return errbuf_set(eb, err, "cannot read %s: %s", name, err == -EBADMSG ? "it is damaged" : strerror(-err));
	if (b->samples.nr)
		return 0;
	if (result->nr_skipped && result->format != IMPORT_PPROF)
		return errbuf_set(eb, -EBADMSG, "%s has no sample: line %llu is not %s", name, (unsigned long long)result->first_skipped,
				  result->format == IMPORT_FOLDED ? "a folded stack such as 'main;work 42'" : "of 'perf script'");
	return errbuf_set(eb, -EBADMSG, "%s has no samples", name);
}

int import_file(int in_fd, int out_fd, const char *name, const struct import_options *options, struct import_result *result,
		struct errbuf *eb)
{
	struct import_builder b;
	struct import_lines l;
	int err = import_lines_open(&l, in_fd, name, eb);

	memset(result, 0, sizeof(*result));
	import_builder_init(&b);
	result->format = options->format;
	if (!err && is_recording(l.buf + l.pos, l.len - l.pos)) {
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
		result->format = guess(&l);
	if (!err && result->format == IMPORT_GUESS)
		err = errbuf_set(eb, -ENOEXEC,
				 "%s is not a perf.data file and none of what can be imported: folded stacks, pprof, the text of 'perf script'", name);
	if (!err)
		err = read_format(&b, &l, options, result, name, eb);
	if (!err)
		err = import_write(&b, out_fd, eb);
	result->nr_samples = b.samples.nr;
	result->nr_cut = b.nr_cut;
	result->has_sums = b.has_sums;
out:
	import_builder_fini(&b);
	import_lines_fini(&l);
	return err;
}
