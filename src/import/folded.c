/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Folded stacks: "main;work;leaf 42", outermost first, then how often; or "main;work;leaf 42 17", before and after, as tools write them
 * that compare two. Names may carry the usual marks: "_[k]" kernel, "_[j]" JIT, "_[i]" inlined in its caller. "[unknown]" is a place that
 * nothing is known of; other names in brackets are names like all.
 */
#include <errno.h>
#include <string.h>

#include "import/folded_line.h"
#include "import/reading.h"

struct folded {
	struct import_builder *b;
	const struct import_options *o;
	struct folded_style style;
	uint32_t events[2]; /* of pairs: before, after */
	uint64_t total;
	uint32_t dso, kernel_dso, jit_dso; /* IMPORT_NO_DSO: not made yet */
	VEC(uint32_t) locations;	   /* outermost first */
	VEC(uint32_t) location_of[3]; /* by string: of functions of the program, the kernel and of JIT code, one more than its number */
	VEC(struct imported_place) inlined; /* of the last location, outermost first */
	struct import_location last;
	bool has_last;
};

bool import_is_folded_line(const char *line, size_t len)
{
	const struct folded_style plain = { 0 };
	struct folded_line l;

	return !folded_is_passed(line, len) && *line != '\t' && folded_line_parse(line, len, &plain, &l);
}

/* The one of a function where nothing was inlined: most are met again and again. */
static uint32_t find_location(struct folded *f)
{
	uint32_t symbol = f->last.symbol, kind = f->last.is_kernel ? 1 : f->last.dso == f->jit_dso && symbol ? 2 : 0;

	if (symbol >= f->location_of[kind].nr) {
		uint32_t nr = f->location_of[kind].nr, more = symbol + 1 + symbol / 2 - nr;

		vec_reserve(&f->location_of[kind], nr + more);
		memset(&f->location_of[kind].v[nr], 0, more * sizeof(uint32_t));
		f->location_of[kind].nr = nr + more;
	}
	if (!f->location_of[kind].v[symbol])
		f->location_of[kind].v[symbol] = import_location(f->b, &f->last, NULL, 0) + 1;
	return f->location_of[kind].v[symbol] - 1;
}

/* The location that was begun, with the functions that were inlined there. */
static void end_location(struct folded *f)
{
	struct imported_place places[IMPORT_MAX_INLINED + 1];
	uint32_t nr = 0;

	if (!f->has_last)
		return;
	f->has_last = false;
	for (uint32_t i = f->inlined.nr; i-- > 0 && nr < IMPORT_MAX_INLINED - 1;)
		places[nr++] = f->inlined.v[i];
	if (nr)
		places[nr++] = (struct imported_place){ .function = f->last.symbol };
	f->inlined.nr = 0;
	vec_push(&f->locations, nr ? import_location(f->b, &f->last, places, nr) : find_location(f));
}

static uint32_t dso_of(struct folded *f, char mark)
{
	uint32_t *dso = mark == 'k' ? &f->kernel_dso : mark == 'j' ? &f->jit_dso : &f->dso;

	if (*dso == IMPORT_NO_DSO)
		*dso = mark == 'k'   ? import_dso(f->b, "[kernel.kallsyms]", 17)
		       : mark == 'j' ? import_dso(f->b, "[JIT]", 5)
				     : import_dso_kind(f->b, "[unknown]", 9, IMPORTED_USER, NULL, 0);
	return *dso;
}

static void put_frame(struct folded *f, const char *s, size_t len)
{
	char mark = 0;

	if (len > 4 && s[len - 4] == '_' && s[len - 3] == '[' && s[len - 1] == ']' && strchr("kij", s[len - 2])) {
		mark = s[len - 2];
		len -= 4;
	}
	if (mark == 'i' && f->has_last && f->last.symbol && f->inlined.nr < IMPORT_MAX_INLINED - 1) {
		vec_push(&f->inlined, ((struct imported_place){ .function = import_string(f->b, s, len) }));
		return;
	}
	end_location(f);
	f->has_last = true;
	f->last = (struct import_location){
		.dso = IMPORT_NO_DSO, .addr = IMPORT_UNKNOWN, .ip = IMPORT_UNKNOWN, .off = IMPORT_UNKNOWN, .is_kernel = mark == 'k'
	};
	if (!len || (len == 9 && !memcmp(s, "[unknown]", 9)))
		return;
	f->last.symbol = import_string(f->b, s, len);
	f->last.dso = dso_of(f, mark);
}

static uint32_t intern_stack(struct folded *f)
{
	end_location(f);
	/* The innermost comes first. */
	for (uint32_t i = 0, z = f->locations.nr; i + 1 < z; i++) {
		uint32_t id = f->locations.v[--z];

		f->locations.v[z] = f->locations.v[i];
		f->locations.v[i] = id;
	}
	return import_stack(f->b, f->locations.v, f->locations.nr);
}

static void take_task(struct folded *f, const char *s, size_t len, struct import_sample *sample)
{
	if (f->style.has_tasks)
		folded_take_task(s, &len, &sample->pid, &sample->tid);
	sample->comm = import_string(f->b, s, len);
}

static void take_stack(struct folded *f, const char *s, size_t len, struct import_sample *sample)
{
	bool is_comm = f->o->first_is_comm;

	f->locations.nr = 0;
	for (size_t start = 0; start <= len;) {
		const char *end = memchr(s + start, ';', len - start);
		size_t n = end ? (size_t)(end - s) - start : len - start;

		if (is_comm)
			take_task(f, s + start, n, sample);
		else
			put_frame(f, s + start, n);
		is_comm = false;
		start += n + 1;
	}
	sample->stack = intern_stack(f);
}

/* False where the sum of all counts would be too large to be one. */
static bool add_to_total(struct folded *f, const struct folded_line *l)
{
	for (uint32_t i = 0; i < 2; i++) {
		if (l->count[i] > INT64_MAX - f->total)
			return false;
		f->total += l->count[i];
	}
	return true;
}

/* A stack that was seen on one side only is a sample of that side. */
static void take_line(struct folded *f, const struct folded_line *l)
{
	struct import_sample s = { .event = 0 };

	if (!l->count[0] && !l->count[1])
		return;
	take_stack(f, l->stack, l->len, &s);
	for (uint32_t i = 0; i < 2; i++) {
		if (!l->count[i])
			continue;
		s.event = (uint16_t)f->events[i];
		s.period = l->count[i];
		s.count = s.period < UINT32_MAX ? (uint32_t)s.period : UINT32_MAX;
		import_sample(f->b, &s);
	}
}

static void add_events(struct folded *f)
{
	struct import_builder *b = f->b;

	f->events[0] = f->style.is_pair ? import_event(b, "before", 6) : import_event(b, "samples", 7);
	f->events[1] = f->style.is_pair ? import_event(b, "after", 5) : f->events[0];
	for (uint32_t i = 0; i < 2; i++)
		b->events.v[f->events[i]].has_period = b->events.v[f->events[i]].has_chain = true;
	b->is_pair = f->style.is_pair;
}

/* A single line with one count proves that second numbers belong to names, wherever it stands: what begins like pairs is read to its end
 * before any of it is believed. */
static int find_style(struct folded *f, struct import_lines *lines, struct errbuf *eb)
{
	const char *text;
	size_t size;
	int err;

	folded_style_find(&f->style, lines->buf + lines->pos, lines->len - lines->pos, lines->fd < 0);
	if (!f->style.is_pair || lines->fd < 0)
		return 0;
	err = import_lines_read_all(lines, &text, &size);
	if (err == -EFBIG)
		return errbuf_set(eb, err,
				  "it begins with two counts a line, and is too large (more than 2 GB) to see whether all lines have "
				  "them; it can come in parts, or with the counts of each stack summed up");
	if (!err)
		folded_style_find(&f->style, text, size, true);
	return err;
}

int import_folded(struct import_builder *b, struct import_lines *lines, const struct import_options *o, struct import_result *result,
		  struct errbuf *eb)
{
	struct folded f = { .b = b, .o = o };
	const char *line;
	size_t len;
	int err = find_style(&f, lines, eb);

	if (err)
		return err;
	add_events(&f);
	b->has_whole_stacks = true;
	while (!err && import_lines_next(lines, &line, &len)) {
		struct folded_line l;

		if (folded_is_passed(line, len))
			continue;
		if (lines->is_too_long || !folded_line_parse(line, len, &f.style, &l) || !add_to_total(&f, &l)) {
			import_skip(result, lines->nr);
			continue;
		}
		result->nr_rounded += l.is_rounded;
		take_line(&f, &l);
		import_allow(b, lines->bytes_read);
		err = import_check(b, eb);
	}
	result->is_pair = f.style.is_pair;
	vec_fini(&f.locations);
	for (uint32_t i = 0; i < 3; i++)
		vec_fini(&f.location_of[i]);
	vec_fini(&f.inlined);
	return err ? err : lines->error;
}
