/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The text of `perf script`, sample by sample. A line of a call chain is taken apart once, however often it comes: most lines of such a
 * text are known already.
 *
 * A line may be followed by its place in the source, and functions that were inlined stand in front of the one they are in: so a frame is
 * kept open until the next line says what it was.
 */
#include <string.h>

#include "import/reading.h"
#include "import/script_line.h"

#define NONE UINT32_MAX

struct known_frame {
	const char *text;
	uint32_t len;
	uint32_t symbol, dso;
	uint64_t addr, off;
	bool is_inlined, is_kernel, is_user; /* neither: no module tells */
	uint32_t location[2][2];	     /* by is_kernel and is_caller, without lines; NONE: not made yet */
};

struct open_frame {
	uint32_t frame; /* NONE: none is open */
	uint32_t file, line;
	bool is_inlined;
	bool has_source; /* the line behind it was that */
	bool is_raw;	 /* its address is one of memory */
};

struct script {
	struct import_builder *b;
	struct import_result *result;
	VEC(struct known_frame) frames;
	struct hindex frame_index;
	uint32_t plain_dso; /* of user functions whose module was not printed */
	/* of the sample at hand */
	bool has_sample;
	struct import_sample sample;
	VEC(uint32_t) locations;
	struct open_frame open;
	VEC(struct open_frame) inlined; /* in the function that comes next */
	bool in_user; /* the chain has come to user space */
	int last_mode; /* of the location before; -1: it is the first */
};

/* ---- frames ---- */

static bool is_high(uint64_t addr)
{
	return addr >> 63;
}

static void place_frame(struct script *x, struct known_frame *k, const struct script_frame *f)
{
	struct import_builder *b = x->b;

	k->symbol = import_string(b, f->symbol.s, f->symbol.len);
	k->addr = f->addr;
	k->off = f->off;
	k->is_inlined = f->is_inlined;
	if (f->dso.len) {
		k->dso = import_dso(b, f->dso.s, f->dso.len);
		k->is_kernel = import_is_kernel_kind(b->dsos.v[k->dso].kind) || import_is_bpf(import_str(b, b->dsos.v[k->dso].path));
		k->is_user = !k->is_kernel;
	} else if (!f->has_dso && k->symbol && !f->is_inlined) {
		/* A name needs a module to be found in. */
		k->is_kernel = is_high(f->addr);
		k->is_user = !k->is_kernel;
		if (!x->plain_dso)
			x->plain_dso = import_dso_kind(b, "[unknown]", 9, EMBEDDED_USER, NULL, 0);
		k->dso = k->is_kernel ? import_dso(b, "[kernel.kallsyms]", 17) : x->plain_dso;
	}
}

/* The number of a frame's text, which is taken apart where it is new. NONE: it is no frame. */
static uint32_t intern_frame(struct script *x, const char *s, size_t len)
{
	uint64_t h = hash_bytes(s, len, 0);
	struct hindex_iter it = hindex_find(&x->frame_index, h);
	struct known_frame k = { .location = { { NONE, NONE }, { NONE, NONE } } };
	struct script_frame f;

	for (uint32_t id; (id = hindex_next(&it)) != HINDEX_NONE;)
		if (x->frames.v[id].len == len && !memcmp(x->frames.v[id].text, s, len))
			return id;
	if (len > UINT32_MAX || !script_frame_parse(s, len, &f))
		return NONE;
	place_frame(x, &k, &f);
	k.text = arena_str(&x->b->arena, s, len);
	k.len = (uint32_t)len;
	vec_push(&x->frames, k);
	hindex_add(&x->frame_index, h, x->frames.nr - 1);
	return x->frames.nr - 1;
}

static struct import_location location_of(const struct script *x, const struct open_frame *o, bool is_kernel, bool is_caller)
{
	const struct known_frame *k = &x->frames.v[o->frame];
	struct import_location l = {
		.dso = k->dso,
		.symbol = k->dso ? k->symbol : 0,
		.addr = IMPORT_UNKNOWN,
		.ip = IMPORT_UNKNOWN,
		.off = k->dso && k->symbol ? k->off : IMPORT_UNKNOWN,
		.is_kernel = is_kernel,
		.is_caller = is_caller,
	};

	if (!k->dso)
		l.ip = k->addr;
	else if (o->is_raw && !is_kernel)
		l.ip = k->addr;
	else
		l.addr = k->addr;
	return l;
}

static uint32_t make_location(struct script *x, const struct open_frame *o, const struct open_frame *inlined, uint32_t nr_inlined,
			      bool is_kernel, bool is_caller)
{
	struct import_location l = location_of(x, o, is_kernel, is_caller);
	struct import_place places[IMPORT_MAX_INLINED] = { 0 };
	uint32_t nr = 0;

	for (uint32_t i = 0; i < nr_inlined && nr < IMPORT_MAX_INLINED - 1; i++)
		places[nr++] = (struct import_place){ x->frames.v[inlined[i].frame].symbol, inlined[i].file, inlined[i].line };
	if (nr || o->file)
		places[nr++] = (struct import_place){ l.symbol, o->file, o->line };
	return import_location(x->b, &l, places, nr);
}

static void add_location(struct script *x, const struct open_frame *o, const struct open_frame *inlined, uint32_t nr_inlined)
{
	struct known_frame *k = &x->frames.v[o->frame];
	bool is_kernel = k->is_kernel || (!k->is_user && !x->in_user && is_high(k->addr)), is_caller = x->last_mode == is_kernel;
	bool is_plain = !nr_inlined && !o->file && !o->is_raw;
	uint32_t *cached = &k->location[is_kernel][is_caller], id;

	x->in_user |= !is_kernel;
	x->last_mode = is_kernel;
	id = is_plain && *cached != NONE ? *cached : make_location(x, o, inlined, nr_inlined, is_kernel, is_caller);
	if (is_plain)
		*cached = id;
	vec_push(&x->locations, id);
}

/* Inlined functions without the function they are in: nothing is known of where they were. */
static void drop_inlined(struct script *x)
{
	for (uint32_t i = 0; i < x->inlined.nr; i++)
		add_location(x, &x->inlined.v[i], NULL, 0);
	x->inlined.nr = 0;
}

static void close_frame(struct script *x)
{
	const struct open_frame o = x->open;

	if (o.frame == NONE)
		return;
	x->open.frame = NONE;
	if (x->inlined.nr && x->frames.v[x->inlined.v[0].frame].addr != x->frames.v[o.frame].addr)
		drop_inlined(x);
	if (o.is_inlined) {
		vec_push(&x->inlined, o);
		return;
	}
	add_location(x, &o, x->inlined.v, x->inlined.nr);
	x->inlined.nr = 0;
}

static void open_frame(struct script *x, uint32_t frame, bool is_raw)
{
	close_frame(x);
	x->open = (struct open_frame){ .frame = frame, .is_inlined = x->frames.v[frame].is_inlined, .is_raw = is_raw };
}

/* ---- samples ---- */

static void end_sample(struct script *x)
{
	if (!x->has_sample)
		return;
	close_frame(x);
	drop_inlined(x);
	x->has_sample = false;
	x->sample.stack = import_stack(x->b, x->locations.v, x->locations.nr);
	import_sample(x->b, &x->sample);
}

static void begin_sample(struct script *x, const char *event, size_t len)
{
	end_sample(x);
	x->has_sample = true;
	x->locations.nr = 0;
	x->in_user = false;
	x->last_mode = -1;
	x->open.frame = NONE;
	x->sample = (struct import_sample){ .count = 1, .period = 1, .event = (uint16_t)import_event(x->b, event, len) };
}

/* "  ADDRESS SYMBOL (DSO)" in the same line. Of page faults and the like the data's address stands in front. */
static bool open_rest(struct script *x, struct script_span rest)
{
	struct script_frame f;
	uint32_t frame;

	if (!script_frame_parse(rest.s, rest.len, &f))
		return false;
	if (f.symbol.len > 8) {
		const char *blank = memchr(f.symbol.s, ' ', f.symbol.len);
		struct script_frame second;
		size_t left = (size_t)(rest.s + rest.len - f.symbol.s);

		if (blank && blank - f.symbol.s >= 8 && script_frame_parse(f.symbol.s, left, &second)) {
			x->b->events.v[x->sample.event].has_addr = true;
			x->sample.addr = f.addr;
			rest.s = f.symbol.s;
			rest.len = left;
		}
	}
	while (rest.len && *rest.s == ' ') {
		rest.s++;
		rest.len--;
	}
	frame = intern_frame(x, rest.s, rest.len);
	if (frame == NONE)
		return false;
	open_frame(x, frame, true);
	return true;
}

/* Fields of a tracepoint are text, unless addresses were asked for instead: those end in a column of their own. */
static bool is_address_column(struct script_span rest, size_t width)
{
	size_t i = 0;

	while (i < rest.len && rest.s[i] == ' ')
		i++;
	while (i < rest.len && rest.s[i] != ' ')
		i++;
	return i == width && rest.len > i && (width < 18 || rest.s[rest.len - 1] == ')');
}

static void take_rest(struct script *x, struct import_event *e, const struct script_head *h)
{
	struct script_span rest = h->rest;
	size_t blanks = 0;

	while (blanks < rest.len && rest.s[blanks] == ' ')
		blanks++;
	if (e->type == ATTR_TYPE_TRACEPOINT && !is_address_column(rest, 18)) {
		if (rest.len && *rest.s == ' ') {
			rest.s++;
			rest.len--;
		}
		e->has_text |= rest.len > 0;
		x->sample.text = import_string(x->b, rest.s, rest.len);
		return;
	}
	if (blanks == rest.len)
		e->has_chain = true;
	else
		open_rest(x, rest);
}

static void take_head(struct script *x, const struct script_head *h)
{
	struct import_event *e;

	begin_sample(x, h->event.len ? h->event.s : "samples", h->event.len ? h->event.len : 7);
	e = &x->b->events.v[x->sample.event];
	x->sample.comm = import_string(x->b, h->comm.s, h->comm.len);
	x->sample.tid = h->tid;
	x->sample.pid = h->has_pid ? h->pid : h->tid;
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
	uint32_t frame;

	while (len && (*s == ' ' || *s == '\t')) {
		s++;
		len--;
	}
	frame = intern_frame(x, s, len);
	if (frame == NONE)
		return false;
	if (!x->has_sample)
		begin_sample(x, "samples", 7);
	if (x->open.frame != NONE && x->open.is_raw) {
		/* What stands in the first line of a sample with a chain is the address of data. */
		x->b->events.v[x->sample.event].has_addr = true;
		x->sample.addr = x->frames.v[x->open.frame].addr;
		x->open.frame = NONE;
	}
	x->b->events.v[x->sample.event].has_chain = true;
	open_frame(x, frame, false);
	return true;
}

/* Where nothing else was asked for, a sample is its address and name. */
static bool take_bare(struct script *x, const char *s, size_t len)
{
	struct script_span rest = { s, len };

	if (!is_address_column(rest, 17))
		return false;
	begin_sample(x, "samples", 7);
	return open_rest(x, rest);
}

static bool take_source(struct script *x, const char *s, size_t len)
{
	struct script_span file;
	uint32_t line;
	bool is_inlined;

	if (x->open.frame == NONE || x->open.has_source || !script_source_parse(s, len, &file, &line, &is_inlined))
		return false;
	x->open.file = import_string(x->b, file.s, file.len);
	x->open.line = line;
	x->open.is_inlined |= is_inlined;
	x->open.has_source = true;
	return true;
}

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
	if (script_head_parse(s, len, &h)) {
		if (h.is_record)
			end_sample(x);
		else
			take_head(x, &h);
		return true;
	}
	return *s == ' ' && (take_source(x, s, len) || take_bare(x, s, len) || (x->has_sample && take_frame(x, s, len)));
}

bool import_is_script_line(const char *line, size_t len)
{
	struct script_head h;
	struct script_frame f;

	if (len > 17 && *line == ' ' && is_address_column((struct script_span){ line, len }, 17) && script_frame_parse(line, len, &f))
		return true;
	if (len && *line == '\t')
		return script_frame_parse(line, len, &f) && (f.symbol.len || f.has_dso || len == 17);
	return script_head_parse(line, len, &h) && (h.has_time || h.has_tid) && (h.event.len || h.is_record || h.has_cpu);
}

int import_script(struct import_builder *b, struct import_lines *lines, struct import_result *result, struct errbuf *eb)
{
	struct script x = { .b = b, .result = result, .open.frame = NONE };
	const char *line;
	size_t len;

	(void)eb;
	while (import_lines_next(lines, &line, &len))
		if (!take_line(&x, line, len))
			import_skip(result, lines->nr);
	end_sample(&x);
	vec_fini(&x.frames);
	vec_fini(&x.locations);
	vec_fini(&x.inlined);
	hindex_fini(&x.frame_index);
	return lines->error;
}
