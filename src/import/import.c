/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which format it is, by how it begins, and the steps of an import: read, lay out, write.
 *
 * Lines of text are counted by what they could be. Most could be one thing only; those that could be both are decided by their semicolons:
 * folded stacks have them in front of anything that looks like a time.
 */
#include "import/import.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "import/pprof.h"
#include "import/recording.h"
#include "import/script.h"

#define GUESS_LINES 200
#define LOOK_BYTES 4096

static bool begins(const void *data, size_t size, const char *magic, size_t len)
{
	return size >= len && !memcmp(data, magic, len);
}

/* A perf.data, of either byte order. */
static bool is_recording(const void *data, size_t size)
{
	return begins(data, size, "PERFILE2", 8) || begins(data, size, "2ELIFREP", 8);
}

/* A few control bytes, which names may have, do not make it binary. */
static bool is_text(const uint8_t *p, size_t size)
{
	size_t nr_odd = 0;

	for (size_t i = 0; i < size; i++)
		nr_odd += p[i] < ' ' && p[i] != '\n' && p[i] != '\t' && p[i] != '\r';
	return size && nr_odd <= size / 20 + 1;
}

/* One byte of nine begins some field: all fields in sight must be fields of a profile, of their wire types, and the first must end there
 * (writers begin with the type of a value, or with the empty string). */
static bool could_be_pprof(const uint8_t *data, size_t size)
{
	/* Bit n: field n of a profile may have that type. */
	static const uint32_t numbers = 0xf780, messages = 0x287e;
	struct bytes b = bytes_of(data, size < LOOK_BYTES ? size : LOOK_BYTES, false);

	if (size < 3 || (!memchr(data, 0, bytes_left(&b)) && is_text(data, bytes_left(&b))))
		return false;
	while (bytes_left(&b)) {
		const uint8_t *start = b.pos;
		size_t left = bytes_left(&b);
		uint64_t tag = pprof_take_varint(&b), value = pprof_take_varint(&b);

		if (b.failed)
			return start != data && left < 20; /* cut */
		if (tag >> 3 > 15 || !(((tag & 7) == 2 ? messages : (tag & 7) == 0 ? numbers : 0) >> (tag >> 3) & 1))
			return false;
		if ((tag & 7) == 2 && value > bytes_left(&b))
			return start != data;
		if ((tag & 7) == 2)
			bytes_take(&b, value);
	}
	return true;
}

bool import_could_be(const void *head, size_t size)
{
	if (is_recording(head, size) || begins(head, size, "PERFFILE", 8) || begins(head, size, "\177ELF", 4))
		return false;
	return is_text(head, size) || begins(head, size, "\x1f\x8b", 2) || begins(head, size, "\x28\xb5\x2f\xfd", 4) ||
	       begins(head, size, "\3757zXZ", 6) || could_be_pprof(head, size);
}

/* ---- text ---- */

struct tally {
	uint32_t nr_folded, nr_script;
	uint32_t nr_frames;  /* of the latter, those that stand behind a tab */
	uint32_t nr_stacked; /* of the former, those that have semicolons */
};

/* With a time, or with a task and an event or CPU. */
static bool is_script_head(const char *s, size_t len, size_t *fields_end)
{
	struct script_head h;
	struct script_span rest, word;
	uint64_t addr;

	if (!script_head_parse(s, len, &h))
		return false;
	*fields_end = h.is_record ? len : (size_t)(h.rest.s - s);
	if (h.event.len || h.is_record || h.has_cpu)
		return h.has_time || h.has_tid;
	/* Time alone: nothing behind it, or an address. */
	rest = h.rest;
	word = script_take_word(&rest);
	return h.has_time && (!word.len || script_parse_hex(word, &addr));
}

static bool is_script_frame(const char *s, size_t len)
{
	struct script_frame f;

	return *s == '\t' && script_frame_parse(s, len, &f) && (f.symbol.len || f.has_dso || len == 17);
}

static void tally_line(struct tally *t, const char *s, size_t len)
{
	const char *semicolon = memchr(s, ';', len);
	size_t fields_end = len;
	bool is_folded = import_is_folded_line(s, len);

	if (is_script_frame(s, len)) {
		t->nr_script++;
		t->nr_frames++;
	} else if (is_script_head(s, len, &fields_end) && !(is_folded && semicolon && (size_t)(semicolon - s) < fields_end)) {
		t->nr_script++;
	} else if (is_folded) {
		t->nr_folded++;
		t->nr_stacked += semicolon != NULL;
	}
}

static enum import_format guess_text(const char *s, size_t size)
{
	const char *text = s;
	size_t left = size;
	struct script_shape shape;
	struct tally t = { 0 };

	for (uint32_t i = 0; left && i < GUESS_LINES; i++) {
		const char *end = memchr(s, '\n', left);
		size_t len = end ? (size_t)(end - s) : left, line_len = len;

		/* The last line may be cut. */
		if (!end && i && size > LOOK_BYTES)
			break;
		if (line_len && s[line_len - 1] == '\r')
			line_len--;
		if (line_len)
			tally_line(&t, s, line_len);
		left -= len + !!end;
		s += len + !!end;
	}
	if (t.nr_script > t.nr_folded || (t.nr_frames && !t.nr_stacked))
		return IMPORT_SCRIPT;
	script_shape_find(&shape, text, size);
	if (!t.nr_stacked && shape.nr_sure && shape.nr_sure >= shape.nr_lines - shape.nr_lines / 10)
		return IMPORT_SCRIPT;
	return t.nr_folded ? IMPORT_FOLDED : IMPORT_GUESS;
}

/* IMPORT_GUESS where it is none. `data` is unpacked. */
static enum import_format guess(const void *data, size_t size)
{
	enum import_format text = is_text(data, size < LOOK_BYTES ? size : LOOK_BYTES) ? guess_text(data, size) : IMPORT_GUESS;

	if (text != IMPORT_GUESS)
		return text;
	return could_be_pprof(data, size) ? IMPORT_PPROF : IMPORT_GUESS;
}

bool import_is_profile(const void *head, size_t size)
{
	if (is_recording(head, size) || begins(head, size, "PERFFILE", 8))
		return true;
	return import_could_be(head, size) && (!is_text(head, size) || guess(head, size) != IMPORT_GUESS);
}

/* What it is instead, as part of a sentence; "" where that is not known. */
static const char *not_importable(const void *data, size_t size)
{
	const char *s = data;

	while (size && (*s == ' ' || *s == '\n' || *s == '\r' || *s == '\t')) {
		s++;
		size--;
	}
	if (size && (*s == '{' || (*s == '[' && size > 1 && memchr("{[\"\r\n \t", s[1], 7))))
		return ", but JSON: profiles of browsers cannot be imported";
	if (size && *s == '<')
		return ", but a picture or a page: import what it was drawn from";
	if (begins(s, size, "\xff\xfe", 2) || begins(s, size, "\xfe\xff", 2))
		return ", but text in UTF-16: convert it with 'iconv -f UTF-16 -t UTF-8'";
	return "";
}

/* ---- steps ---- */

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
		return errbuf_set(
			eb, -ENOEXEC,
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
		result->format = guess(l.buf + l.pos, l.len - l.pos);
	if (!err && result->format == IMPORT_GUESS)
		err = errbuf_set(
			eb, -ENOEXEC,
			"%s is not a perf.data file and none of what can be imported (folded stacks, pprof, the text of 'perf script')%s",
			name, not_importable(l.buf + l.pos, l.len - l.pos));
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
