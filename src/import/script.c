/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The text of `perf script`, sample by sample: a first line, with its address or followed by the lines of a call chain. Between chains
 * stands an empty line, or what else was asked for of the sample (registers, branches).
 */
#include "import/script.h"

#include <string.h>

#include "import/reading.h"

#define TRACE_COLUMN 18 /* where an address ends behind the event's name */

struct script {
	struct import_builder *b;
	struct import_result *result;
	struct script_shape shape;
	struct script_frames frames;
	bool has_sample;
	bool in_chain; /* the line before was of a call chain */
	struct import_sample sample;
};

/* ---- samples ---- */

static void end_sample(struct script *x)
{
	x->in_chain = false;
	if (!x->has_sample)
		return;
	x->has_sample = false;
	x->sample.stack = script_frames_end(&x->frames);
	import_sample(x->b, &x->sample);
}

static void begin_sample(struct script *x, const char *event, size_t len)
{
	end_sample(x);
	x->has_sample = true;
	script_frames_begin(&x->frames);
	x->sample = (struct import_sample){ .count = 1, .period = 1, .event = (uint16_t)import_event(x->b, event, len) };
}

static void set_data_address(struct script *x, uint64_t addr)
{
	x->b->events.v[x->sample.event].has_addr = true;
	x->sample.addr = addr;
}

/* Fields of a tracepoint are text, unless addresses were asked for instead: those end in a column of their own. */
static bool is_traced_address(struct script_span rest)
{
	size_t i = 0;

	while (i < rest.len && rest.s[i] == ' ')
		i++;
	while (i < rest.len && rest.s[i] != ' ')
		i++;
	return i == TRACE_COLUMN && rest.len > i && rest.s[rest.len - 1] == ')';
}

static void take_text(struct script *x, struct import_event *e, struct script_span rest)
{
	if (rest.len && *rest.s == ' ') {
		rest.s++;
		rest.len--;
	}
	e->has_text |= rest.len > 0;
	x->sample.text = import_text(x->b, rest.s, rest.len);
}

static void add_raw_frame(struct script *x, struct script_span t)
{
	uint32_t frame = script_frames_intern(&x->frames, t.s, t.len);

	if (frame != SCRIPT_NO_FRAME)
		script_frames_add(&x->frames, frame, true);
}

/* Addresses in the same line; where there are none it is the head of a call chain. */
static void take_rest(struct script *x, struct import_event *e, const struct script_head *h)
{
	struct script_rest r = { .has_other = false };

	if (e->type == ATTR_TYPE_TRACEPOINT && !is_traced_address(h->rest)) {
		take_text(x, e, h->rest);
	} else if (!script_trim(h->rest).len) {
		e->has_chain = true;
	} else {
		script_rest_parse(h->rest, h->is_bare, &r);
		if (r.has_addr)
			set_data_address(x, r.addr);
		if (r.frame.len)
			add_raw_frame(x, r.frame);
	}
	x->result->nr_other_fields += h->has_other || r.has_other;
}

static void take_head(struct script *x, const struct script_head *h)
{
	struct import_event *e;

	begin_sample(x, h->event.len ? h->event.s : "samples", h->event.len ? h->event.len : 7);
	e = &x->b->events.v[x->sample.event];
	x->sample.comm = import_string(x->b, h->comm.s, h->comm.len);
	x->sample.tid = h->tid;
	x->sample.pid = h->has_pid && h->pid >= 0 ? h->pid : h->tid; /* -1: perf did not know */
	x->sample.cpu = h->cpu;
	x->sample.time_ns = h->time_ns;
	if (h->has_period)
		x->sample.period = h->period;
	e->has_time |= h->has_time;
	e->has_cpu |= h->has_cpu;
	e->has_period |= h->has_period;
	take_rest(x, e, h);
}

static bool take_frame(struct script *x, const char *s, size_t len)
{
	uint32_t frame = script_frames_intern(&x->frames, s, len);
	uint64_t addr;

	if (frame == SCRIPT_NO_FRAME)
		return false;
	if (!x->has_sample)
		begin_sample(x, "samples", 7);
	/* What stands in the first line of a sample with a chain is the address of data. */
	if (script_frames_take_raw(&x->frames, &addr))
		set_data_address(x, addr);
	script_frames_add(&x->frames, frame, false);
	x->b->events.v[x->sample.event].has_chain = true;
	x->in_chain = true;
	return true;
}

/* ---- lines ---- */

/* "# hostname : box", as --header prints it */
static void take_comment(struct script *x, const char *s, size_t len)
{
	struct import_builder *b = x->b;
	const struct {
		const char *label;
		const char **to;
	} known[] = {
		{ "# hostname : ", &b->hostname }, { "# os release : ", &b->osrelease }, { "# arch : ", &b->arch },
		{ "# cpudesc : ", &b->cpudesc },   { "# cmdline : ", &b->command },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		size_t n = strlen(known[i].label);

		if (len > n && !memcmp(s, known[i].label, n) && !*known[i].to) {
			size_t end = len;

			while (end > n && s[end - 1] == ' ')
				end--;
			*known[i].to = import_str(b, import_string(b, s + n, end - n));
		}
	}
}

/* "  FILE:LINE": two blanks in front and none behind. */
static bool is_source(const char *s, size_t len)
{
	return len > 3 && s[0] == ' ' && s[1] == ' ' && s[2] != ' ' && s[len - 1] != ' ';
}

/* The name of an event is aligned to the right: with two blanks in front it looks like a place, if no symbol is known. */
static bool is_sample_of_shape(const struct script *x, const char *s, size_t len)
{
	struct script_head h;

	return !x->shape.is_chained && memmem(s, len, ": ", 2) && script_shape_parse(&x->shape, s, len, &h);
}

/* Behind a call chain: frames that an editor has indented, or other fields, which end the sample as an empty line does. */
static bool take_behind_chain(struct script *x, const char *s, size_t len)
{
	if (take_frame(x, s, len))
		return true;
	x->result->nr_other_fields++;
	end_sample(x);
	return true;
}

static bool take_line(struct script *x, const char *s, size_t len)
{
	struct script_head h;

	if (!len) {
		end_sample(x);
		return true;
	}
	if (*s == '#') {
		take_comment(x, s, len);
		return true;
	}
	if (*s == '\t')
		return take_frame(x, s, len);
	if (script_head_parse(s, len, &h) && (h.has_time || h.is_record)) {
		if (h.is_record)
			end_sample(x);
		else
			take_head(x, &h);
		return true;
	}
	if (is_source(s, len) && !is_sample_of_shape(x, s, len) && script_frames_place(&x->frames, s, len))
		return true;
	if (x->in_chain && *s == ' ')
		return take_behind_chain(x, s, len);
	if (memmem(s, len, "PERF_RECORD_", 12)) {
		end_sample(x);
		return true;
	}
	if (script_shape_parse(&x->shape, s, len, &h) || script_head_parse(s, len, &h)) {
		take_head(x, &h);
		return true;
	}
	return *s == ' ' && x->has_sample && take_frame(x, s, len);
}

int import_script(struct import_builder *b, struct import_lines *lines, struct import_result *result, struct errbuf *eb)
{
	struct script x = { .b = b, .result = result };
	const char *line;
	size_t len;
	int err = 0;

	script_frames_init(&x.frames, b);
	script_shape_find(&x.shape, lines->buf + lines->pos, lines->len - lines->pos);
	while (!err && import_lines_next(lines, &line, &len)) {
		if (lines->is_too_long || !take_line(&x, line, len))
			import_skip(result, lines->nr);
		import_allow(b, lines->bytes_read);
		err = import_check(b, eb);
	}
	end_sample(&x);
	script_frames_fini(&x.frames);
	return err ? err : lines->error;
}
