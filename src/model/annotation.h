/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Functions with samples of their own (struct annotation_list), and one of them by instruction: sums by address and event, the code as text,
 * jumps inside, and which source line and inlined function an instruction belongs to (struct annotation). struct annotation_rows is that as
 * rows, for text and for a screen.
 */
#ifndef ASSAY_MODEL_ANNOTATION_H
#define ASSAY_MODEL_ANNOTATION_H

#include "model/filter.h"
#include "model/profile.h"
#include "session/dso_code.h"

struct annotation_sum {
	uint64_t period, nr; /* nr: samples */
};

struct annotated_symbol {
	uint32_t frame;		     /* of the profile */
	uint32_t points;	     /* the last of them in annotation_list.points, + 1 */
	struct annotation_sum *sums; /* by event */
};

/* Sums of one address. */
struct annotation_point {
	uint64_t addr; /* as locations have it */
	struct annotation_sum *sums;
	uint32_t next; /* of the same function, + 1 */
};

struct annotation_list {
	struct profile *p; /* borrowed */
	uint32_t nr_events;
	VEC(struct annotated_symbol) symbols;
	VEC(struct annotation_point) points;
	struct arena arena;
	struct annotation_sum *totals; /* by event: of all samples that pass tasks and CPUs, named or not */
	uint64_t nr_unnamed;	       /* samples that are in no function */
};

/* Of a symbolised profile; the samples of functions and files that the filter leaves out count in the totals. */
void annotation_list_init(struct annotation_list *l, struct profile *p, const struct filter *f);
void annotation_list_fini(struct annotation_list *l);
/* The hottest first, by the events [first, first + nr). */
void annotation_list_sort(struct annotation_list *l, uint32_t first, uint32_t nr);
struct annotation_sum annotation_symbol_sum(const struct annotated_symbol *s, uint32_t first, uint32_t nr);

#define ANNOTATION_NONE UINT32_MAX

/* A function at an instruction, and the line in it; the innermost first. */
struct annotation_place {
	const char *function; /* readable; "" unknown */
	const char *file;     /* NULL: unknown */
	uint32_t line;
	bool is_inlined;
};

struct annotation_insn {
	uint64_t addr;	/* as locations have it */
	uint64_t vaddr; /* as disassemblers show it */
	uint64_t target;
	uint32_t text; /* in annotation.text, with the name of the target; NUL-terminated */
	uint32_t jump; /* the instruction of the same function that it jumps to; ANNOTATION_NONE */
	uint32_t first_place;
	uint16_t nr_places;
	uint8_t size, kind; /* enum disasm_kind */
	bool has_target;
	struct annotation_sum *sums; /* by event; NULL: no samples */
};

struct annotation {
	struct profile *p; /* borrowed */
	uint32_t frame, dso, nr_events;
	const char *name;
	uint64_t function_start;	     /* as locations have it */
	uint64_t start, end;		     /* the same, of the part that is disassembled */
	uint64_t vaddr;			     /* of the start */
	struct annotation_sum *sums;	     /* of the whole function, by event; borrowed */
	VEC(struct annotation_point) points; /* by address */
	VEC(struct annotation_insn) insns;   /* none: why_no_code */
	VEC(struct annotation_place) places;
	VEC(char) text;
	uint8_t *bytes;	     /* of the code, from `start` on */
	const char *section; /* may be NULL */
	const char *path;    /* of the file that the code is from; NULL: none */
	struct module_code *code;
	char *why_no_code; /* NULL where there is code */
	char *cut;	   /* NULL, or what was left out: the function is too long */
	struct arena arena;
};

struct annotation_options {
	enum disasm_syntax syntax;
	bool with_lines; /* source lines and inlined functions are looked for */
};

/* One function of a list, which outlives it. Never fails: without code there are the addresses of samples. */
void annotation_init(struct annotation *a, struct annotation_list *l, uint32_t symbol, const struct annotation_options *o);
void annotation_fini(struct annotation *a);
/* The function of the list that an instruction calls or jumps to; ANNOTATION_NONE: it is not known, or is in none of them. */
uint32_t annotation_callee(const struct annotation *a, const struct annotation_list *l, uint32_t insn);
/* Adds the samples that another list of the same machine has of its function, after all that was there was scaled by `kept`: 0 to 1. */
void annotation_add(struct annotation *a, struct annotation_list *to, const struct annotation_list *from, double kept);

/* struct annotation_rows: what is shown, line by line. */

enum annotation_row_kind {
	ANNOTATION_BLANK,
	ANNOTATION_HEAD,     /* text: section, address and name */
	ANNOTATION_FUNCTION, /* text: the function whose code follows, where that changes */
	ANNOTATION_SOURCE,   /* a line of source: text is not NUL-terminated, and hostile */
	ANNOTATION_LINE,     /* text is a path: file:line whose source is not at hand */
	ANNOTATION_INSN,
	ANNOTATION_BYTES,   /* the rest of the bytes of a long instruction */
	ANNOTATION_ADDRESS, /* of samples, where there is no code: a point */
	ANNOTATION_NOTE,
};

struct annotation_row {
	uint8_t kind;
	uint8_t at;	/* BYTES: the first of them in the instruction */
	uint32_t index; /* of the instruction or point */
	uint32_t line;	/* of the source; 0: none */
	const char *text;
	size_t len;
};

struct annotation_source {
	const char *file;
	struct source_text *text;
	uint32_t last, most; /* lines: shown last, and furthest down */
};

struct annotation_row_options {
	bool with_source, with_bytes;
	uint64_t max_rows; /* 0: all; else those around the hottest instruction */
	uint32_t event;	   /* that decides what is hot */
	struct source_text_options source;
};

struct annotation_rows {
	VEC(struct annotation_row) v;
	VEC(struct annotation_source) sources;
	VEC(const char *) notes; /* why source files are not shown */
	struct arena arena;
};

void annotation_rows_init(struct annotation_rows *r, const struct annotation *a, const struct annotation_row_options *o);
void annotation_rows_fini(struct annotation_rows *r);

/* Jumps inside a function as lanes beside its instructions: those that overlap have lanes of their own, short ones the nearest to the code. */

#define ANNOTATION_MAX_LANES 10

struct annotation_lane {
	uint32_t from, to; /* instructions */
	uint8_t lane;	   /* 0 is next to the code */
};

struct annotation_lanes {
	VEC(struct annotation_lane) v;		  /* by lane, then by address */
	uint32_t first[ANNOTATION_MAX_LANES + 1]; /* of each lane in `v` */
	uint8_t nr_lanes;
	uint32_t nr_left_out; /* jumps that had no lane */
};

void annotation_lanes_init(struct annotation_lanes *l, const struct annotation *a);
void annotation_lanes_fini(struct annotation_lanes *l);
/* What is beside an instruction: a cell for each lane, the outermost first, then that of the arrow. */
enum annotation_cell { CELL_EMPTY, CELL_DOWN, CELL_TOP, CELL_BOTTOM, CELL_ACROSS, CELL_CROSS, CELL_ARROW };
void annotation_lanes_cells(const struct annotation_lanes *l, uint32_t insn, uint8_t cells[ANNOTATION_MAX_LANES + 1]);

/* Sums by source line, the hottest first. */
struct annotation_line_sum {
	const char *file;
	uint32_t line;
	struct annotation_sum *sums; /* by event */
};
struct annotation_line_sums {
	VEC(struct annotation_line_sum) v;
};
void annotation_line_sums_init(struct annotation_line_sums *l, const struct annotation *a, uint32_t first_event, uint32_t nr_events);
void annotation_line_sums_fini(struct annotation_line_sums *l);

#endif
