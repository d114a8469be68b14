/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The text of `perf script`: words of a line, the first line of a sample, the frames and places behind it, and the locations that these
 * become. Parsers are pure functions of a line; a span points into its line, because columns have widths.
 */
#ifndef ASSAY_IMPORT_SCRIPT_H
#define ASSAY_IMPORT_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "import/builder.h"

/* ---- words and numbers ---- */

struct script_span {
	const char *s;
	size_t len;
};

static inline bool script_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool script_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static inline int script_hex_digit(char c)
{
	if (script_is_digit(c))
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static inline struct script_span script_trim(struct script_span t)
{
	while (t.len && script_is_blank(*t.s)) {
		t.s++;
		t.len--;
	}
	while (t.len && script_is_blank(t.s[t.len - 1]))
		t.len--;
	return t;
}

/* The first word, which is taken off. */
static inline struct script_span script_take_word(struct script_span *t)
{
	struct script_span w;

	while (t->len && script_is_blank(*t->s)) {
		t->s++;
		t->len--;
	}
	w = (struct script_span){ t->s, 0 };
	while (w.len < t->len && !script_is_blank(w.s[w.len]))
		w.len++;
	t->s += w.len;
	t->len -= w.len;
	return w;
}

/* The last word, which is taken off with the blanks behind it; those in front of it stay. */
static inline struct script_span script_take_last_word(struct script_span *t)
{
	struct script_span w;

	while (t->len && script_is_blank(t->s[t->len - 1]))
		t->len--;
	w = (struct script_span){ t->s + t->len, 0 };
	while (t->len && !script_is_blank(t->s[t->len - 1])) {
		t->len--;
		w.s--;
		w.len++;
	}
	return w;
}

static inline bool script_parse_u64(struct script_span w, uint64_t *v)
{
	*v = 0;
	for (size_t i = 0; i < w.len; i++) {
		if (!script_is_digit(w.s[i]) || *v > (UINT64_MAX - 9) / 10)
			return false;
		*v = *v * 10 + (uint64_t)(w.s[i] - '0');
	}
	return w.len;
}

static inline bool script_parse_hex(struct script_span w, uint64_t *v)
{
	*v = 0;
	if (!w.len || w.len > 16)
		return false;
	for (size_t i = 0; i < w.len; i++) {
		int digit = script_hex_digit(w.s[i]);

		if (digit < 0)
			return false;
		*v = *v << 4 | (uint64_t)digit;
	}
	return true;
}

static inline bool script_equals(struct script_span t, const char *word)
{
	return t.len == strlen(word) && !memcmp(t.s, word, t.len);
}

static inline bool script_begins(struct script_span t, const char *prefix)
{
	return t.len >= strlen(prefix) && !memcmp(t.s, prefix, strlen(prefix));
}

static inline bool script_ends_in_colon(struct script_span w)
{
	return w.len > 1 && w.s[w.len - 1] == ':';
}

/* ---- the first line of a sample ---- */

/* "COMM PID/TID [CPU] TIME: PERIOD EVENT: rest"; what is not there has is_… false, or an empty span. */
struct script_head {
	struct script_span comm, event;
	struct script_span rest; /* begins where the last field ended (script_rest.h) */
	int32_t pid, tid;
	uint32_t cpu;
	uint64_t time_ns, period;
	bool has_tid, has_pid, has_cpu, has_time, has_period;
	bool is_bare;	/* no field at all */
	bool has_other; /* a time of day, which is not read */
	bool is_record; /* of a record that is no sample: PERF_RECORD_… */
};

/* Fields in the order they come. A CPU and a time of day cannot be mistaken, and may be there or not. */
enum script_fields {
	SCRIPT_COMM = 1,
	SCRIPT_TID = 2, /* or a process id that stands alone */
	SCRIPT_PID = 4, /* "PID/TID": with the one before */
	SCRIPT_MISC = 8,
	SCRIPT_PERIOD = 16,
	SCRIPT_EVENT = 32,
	SCRIPT_FIELDS_ALL = 63,
};

/* By its time; without one by its CPU or event, in front of which the task must stand. False where the line is none. */
bool script_head_parse(const char *s, size_t len, struct script_head *h);
/* Without a time, these fields, in columns as wide as perf prints them. is_chained: in front of a call chain, where names are not padded. */
bool script_head_parse_as(const char *s, size_t len, uint32_t fields, bool is_chained, struct script_head *h);

/* "DATA-ADDRESS SYMBOL … ADDRESS SYMBOL (DSO) more", each of which may be missing. */
struct script_rest {
	struct script_span frame; /* from the address to the module; empty: none */
	uint64_t addr;		  /* of data */
	bool has_addr;
	bool has_other; /* weights, registers, branches: what is not read */
};

/* Whether a word that ends `width` characters behind the field in front of it (and its blank) can be an address in its column. */
bool script_is_column(struct script_span word, size_t width);
/* The first word of a field that stands behind addresses: registers, instructions, branches. */
bool script_is_extra(struct script_span word);

/* is_bare: nothing stands in front, not even a blank. */
void script_rest_parse(struct script_span rest, bool is_bare, struct script_rest *r);

/* ---- which fields first lines have ---- */

#define SCRIPT_MAX_SHAPES 2 /* tracepoints have other fields than other events do */

struct script_shape {
	bool is_chained; /* frames follow in lines of their own */
	uint32_t fields[SCRIPT_MAX_SHAPES];
	uint32_t nr;
	uint32_t nr_lines; /* that were looked at */
	uint32_t nr_sure;  /* of them in columns that no other text has */
};

void script_shape_find(struct script_shape *shape, const char *text, size_t size);
/* By the first of the shapes that fits. */
bool script_shape_parse(const struct script_shape *shape, const char *s, size_t len, struct script_head *h);

/* ---- the lines behind it ---- */

/* "ADDRESS SYMBOL+0xOFF (DSO)" */
struct script_frame {
	uint64_t addr, off;		/* off UINT64_MAX: unknown */
	struct script_span symbol, dso; /* empty: unknown, or "[unknown]" */
	bool is_inlined;
	bool has_dso; /* a DSO was printed, even "[unknown]" */
};

/* False where the line is none. */
bool script_frame_parse(const char *s, size_t len, struct script_frame *f);
/* "  FILE:LINE", of an inlined function with " (inlined)" behind it; or "  [DSO][ADDRESS]". `addr` UINT64_MAX: unknown. */
bool script_source_parse(const char *s, size_t len, struct script_span *file, uint32_t *line, uint64_t *addr, bool *is_inlined);

/* ---- frames ---- */

#define SCRIPT_NO_FRAME UINT32_MAX

struct known_frame {
	const char *text;
	uint32_t len;
	uint32_t symbol, dso;
	uint64_t addr, off;
	bool is_inlined, is_kernel, is_user; /* neither: no module tells */
	uint32_t location[2];		     /* by is_kernel, without lines; SCRIPT_NO_FRAME: not made yet */
};

struct open_frame {
	uint32_t frame; /* SCRIPT_NO_FRAME: none is open */
	uint32_t file, line;
	uint64_t addr; /* in its file, by the line behind it; or IMPORT_UNKNOWN */
	bool is_inlined;
	bool has_source; /* the line behind it was that */
	bool is_raw;	 /* its address is one of memory */
};

struct script_frames {
	struct import_builder *b;
	VEC(struct known_frame) known;
	struct hindex index;
	uint32_t plain_dso; /* of user functions whose module was not printed */
	/* of the sample at hand */
	VEC(uint32_t) locations;
	struct open_frame open;
	VEC(struct open_frame) inlined; /* in the function that comes next */
	bool in_user;			/* the chain has come to user space */
};

void script_frames_init(struct script_frames *x, struct import_builder *b);
void script_frames_fini(struct script_frames *x);

void script_frames_begin(struct script_frames *x);
/* The number of a frame's text, which is taken apart where it is new. SCRIPT_NO_FRAME: it is none. */
uint32_t script_frames_intern(struct script_frames *x, const char *s, size_t len);
/* is_raw: its address is one of memory, as in the first line of a sample. */
void script_frames_add(struct script_frames *x, uint32_t frame, bool is_raw);
/* The place in the source of the frame that is open; false where there is none. */
bool script_frames_place(struct script_frames *x, const char *s, size_t len);
/* Where the first line's own address turns out to be that of data: takes it back. */
bool script_frames_take_raw(struct script_frames *x, uint64_t *addr);
/* The sample's stack. */
uint32_t script_frames_end(struct script_frames *x);

#endif
