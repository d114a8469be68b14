/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Folded stacks: "main;work;leaf 42", outermost first, then how often. The count is what stands behind the last blank; everything before
 * belongs to names, which may have blanks. Names may carry the usual marks: "_[k]" kernel, "_[j]" JIT, "_[i]" inlined in its caller.
 * "[unknown]" is a place that nothing is known of; other names in brackets are names like all.
 */
#include <errno.h>
#include <string.h>

#include "import/reading.h"

struct folded {
	struct import_builder *b;
	const struct import_options *o;
	uint32_t event;
	uint32_t dso, kernel_dso, jit_dso; /* IMPORT_NO_DSO: not made yet */
	VEC(uint32_t) locations; /* outermost first */
	VEC(struct import_place) inlined; /* of the last location, outermost first */
	struct import_location last;
	bool has_last;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* "42" or "41.7", to the nearest whole number. */
static bool parse_count(const char *s, size_t len, uint64_t *count, bool *is_rounded)
{
	size_t i = 0;

	*count = 0;
	*is_rounded = false;
	for (; i < len && is_digit(s[i]); i++) {
		if (*count > UINT64_MAX / 1000) /* sums of such must not overflow at once */
			return false;
		*count = *count * 10 + (uint64_t)(s[i] - '0');
	}
	if (i == len)
		return len;
	if (!i || s[i] != '.')
		return false;
	*is_rounded = true;
	*count += i + 1 < len && s[i + 1] >= '5';
	for (i++; i < len; i++)
		if (!is_digit(s[i]))
			return false;
	return true;
}

static size_t trim(const char *s, size_t len)
{
	while (len && (s[len - 1] == ' ' || s[len - 1] == '\t'))
		len--;
	return len;
}

/* Splits a line into its stack and its count. */
static bool split(const char *line, size_t *len, uint64_t *count, bool *is_rounded)
{
	size_t end = trim(line, *len);
	const char *blank = end ? memrchr(line, ' ', end) : NULL, *tab = end ? memrchr(line, '\t', end) : NULL;

	blank = tab > blank ? tab : blank;
	if (!blank || blank == line || !parse_count(blank + 1, (size_t)(line + end - blank) - 1, count, is_rounded))
		return false;
	*len = trim(line, (size_t)(blank - line));
	return *len;
}

bool import_is_folded_line(const char *line, size_t len)
{
	uint64_t count;
	bool is_rounded;

	return len && *line != ' ' && *line != '\t' && *line != '#' && split(line, &len, &count, &is_rounded);
}

/* The location that was begun, with the functions that were inlined there. */
static void end_location(struct folded *f)
{
	struct import_place places[IMPORT_MAX_INLINED + 1];
	uint32_t nr = 0;

	if (!f->has_last)
		return;
	f->has_last = false;
	for (uint32_t i = f->inlined.nr; i-- > 0 && nr < IMPORT_MAX_INLINED - 1;)
		places[nr++] = f->inlined.v[i];
	if (nr)
		places[nr++] = (struct import_place){ .function = f->last.symbol };
	f->inlined.nr = 0;
	vec_push(&f->locations, import_location(f->b, &f->last, places, nr));
}

static uint32_t dso_of(struct folded *f, char mark)
{
	uint32_t *dso = mark == 'k' ? &f->kernel_dso : mark == 'j' ? &f->jit_dso : &f->dso;

	if (*dso == IMPORT_NO_DSO)
		*dso = mark == 'k' ? import_dso(f->b, "[kernel.kallsyms]", 17) :
		       mark == 'j' ? import_dso(f->b, "[JIT]", 5) :
				     import_dso_kind(f->b, "[unknown]", 9, EMBEDDED_USER, NULL, 0);
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
		vec_push(&f->inlined, ((struct import_place){ .function = import_string(f->b, s, len) }));
		return;
	}
	end_location(f);
	f->has_last = true;
	f->last = (struct import_location){
		.dso = IMPORT_NO_DSO, .addr = IMPORT_UNKNOWN, .ip = IMPORT_UNKNOWN, .off = IMPORT_UNKNOWN, .is_kernel = mark == 'k', .is_any = true
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

static void take_stack(struct folded *f, const char *s, size_t len, struct import_sample *sample)
{
	bool is_comm = f->o->first_is_comm;

	f->locations.nr = 0;
	for (size_t start = 0; start <= len;) {
		const char *end = memchr(s + start, ';', len - start);
		size_t n = end ? (size_t)(end - s) - start : len - start;

		if (is_comm)
			sample->comm = import_string(f->b, s + start, n);
		else
			put_frame(f, s + start, n);
		is_comm = false;
		start += n + 1;
	}
	sample->stack = intern_stack(f);
}

int import_folded(struct import_builder *b, struct import_lines *lines, const struct import_options *o, struct import_result *result,
		  struct errbuf *eb)
{
	struct folded f = { .b = b, .o = o };
	const char *line;
	size_t len;

	(void)eb;
	f.event = import_event(b, "samples", 7);
	b->events.v[f.event].has_period = b->events.v[f.event].has_chain = true;
	b->has_whole_stacks = true;
	while (import_lines_next(lines, &line, &len)) {
		struct import_sample s = { .event = (uint16_t)f.event };
		bool is_rounded;

		if (!trim(line, len) || *line == '#')
			continue;
		if (lines->is_too_long || !split(line, &len, &s.period, &is_rounded)) {
			import_skip(result, lines->nr);
			continue;
		}
		result->nr_rounded += is_rounded;
		if (!s.period)
			continue;
		s.count = s.period < UINT32_MAX ? (uint32_t)s.period : UINT32_MAX;
		take_stack(&f, line, len, &s);
		import_sample(b, &s);
	}
	vec_fini(&f.locations);
	vec_fini(&f.inlined);
	return lines->error;
}
