/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * `print fmt` of a tracepoint's format: read as C expressions over the fields of a record (trace_lexer.c, trace_expr.c, trace_call.c),
 * evaluated on raw bytes (trace_record.c) and printed as perf prints them (trace_step.c what is simple, trace_print.c and
 * trace_pointer.c the rest). Where a format does not
 * compile, or a record does not hold what it promises, the fields are listed as they are (trace_text.c).
 *
 * Texts and bytes are hostile: depth, nodes, memory and text are bounded. Only tracepoints.c and the parts above include this.
 */
#ifndef ASSAY_SESSION_TRACE_PRINT_H
#define ASSAY_SESSION_TRACE_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "session/trace_format.h"

/* Text of a record. The buffer is used again for the next one and stops growing at a fixed size: what comes after that is dropped. */

#define TRACE_TEXT_MAX (256 << 10)

struct trace_text {
	VEC(char) s;
};

void trace_text_fini(struct trace_text *t);
void trace_text_clear(struct trace_text *t);
void trace_text_add(struct trace_text *t, const char *s, size_t len);
void trace_text_add_str(struct trace_text *t, const char *s);
void trace_text_add_hex(struct trace_text *t, uint64_t v); /* "0x1f" */
void trace_text_printf(struct trace_text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A place for so many bytes, then trace_text_advance() by those that were written; NULL where the text would become too long. */
static inline char *trace_text_room(struct trace_text *t, size_t size)
{
	if (size > TRACE_TEXT_MAX - t->s.nr)
		return NULL;
	vec_reserve(&t->s, t->s.nr + size + 1); /* and the NUL of trace_text_get() */
	return t->s.v + t->s.nr;
}
static inline void trace_text_advance(struct trace_text *t, size_t size)
{
	t->s.nr += (uint32_t)size;
}
/* NUL-terminated; valid until the next call. */
const char *trace_text_get(struct trace_text *t);

/* Tokens of C expressions. Copying the struct remembers a place to go back to. */

enum trace_token_kind {
	TRACE_TOKEN_END,
	TRACE_TOKEN_NUMBER, /* 'c' too */
	TRACE_TOKEN_NAME,
	TRACE_TOKEN_STRING, /* what is between the quotes, as written */
	TRACE_TOKEN_MARK,   /* one or two characters: "(", "->", "<<" */
	TRACE_TOKEN_BAD,
};

struct trace_lexer {
	const char *pos, *end;
	uint8_t long_size;
	/* the token */
	enum trace_token_kind kind;
	const char *s;
	size_t len;
	uint64_t number;
	struct trace_type type; /* of a number */
};

/* Stands at the first token then. */
void trace_lexer_init(struct trace_lexer *l, const char *text, size_t size, uint8_t long_size);
void trace_lexer_next(struct trace_lexer *l);
bool trace_lexer_is(const struct trace_lexer *l, const char *mark);
bool trace_lexer_is_name(const struct trace_lexer *l, const char *name);
/* Goes on if it stands at that mark. */
bool trace_lexer_accept(struct trace_lexer *l, const char *mark);

/* The arguments of `print fmt` as trees, within limits of depth and number of nodes. */

#define TRACE_EXPR_MAX_DEPTH 100  /* of nesting in the text */
#define TRACE_EXPR_MAX_HEIGHT 500 /* of a tree; a + b + c grows higher without nesting */
#define TRACE_EXPR_MAX_NODES 16384

enum trace_op {
	TRACE_NUMBER,
	TRACE_UNKNOWN, /* a name that the text does not explain: counts as 0 */
	TRACE_STRING,
	TRACE_FIELD,   /* REC->field */
	TRACE_INDEX,   /* a[b]; a is a FIELD or a DYNAMIC */
	TRACE_DYNAMIC, /* __get_dynamic_array(field), __get_sockaddr(field) */
	TRACE_DYNAMIC_LEN,
	TRACE_DYNAMIC_STR,
	TRACE_BITMASK,
	TRACE_CPUMASK,
	TRACE_FLAGS,	/* __print_flags(a, delim, pairs) */
	TRACE_SYMBOLIC, /* __print_symbolic(a, pairs) */
	TRACE_HEX,	/* __print_hex(a, b bytes) */
	TRACE_HEX_STR,
	TRACE_ARRAY, /* __print_array(a, b items of c bytes) */
	TRACE_CAST,
	TRACE_NEGATE,
	TRACE_NOT,
	TRACE_COMPLEMENT,
	TRACE_CONDITION, /* a ? b : c */
	TRACE_MUL,
	TRACE_DIV,
	TRACE_MOD,
	TRACE_ADD,
	TRACE_SUB,
	TRACE_SHL,
	TRACE_SHR,
	TRACE_LT,
	TRACE_GT,
	TRACE_LE,
	TRACE_GE,
	TRACE_EQ,
	TRACE_NE,
	TRACE_AND,
	TRACE_XOR,
	TRACE_OR,
	TRACE_AND_AND,
	TRACE_OR_OR,
};

/* { value, "text" } of __print_flags() and __print_symbolic(). */
struct trace_pair {
	const struct trace_expr *value;
	const char *text;
	struct trace_pair *next;
};

struct trace_expr {
	enum trace_op op;
	uint32_t height;	   /* of the tree: bounds the recursion of all that walk it */
	struct trace_type type;	   /* of a NUMBER; of a CAST: size 0 leaves the value as it is */
	struct trace_type pointed; /* of a CAST to a pointer: what is behind it; size 0: unknown */
	const struct trace_expr *a, *b, *c;
	uint64_t number;
	const char *str; /* of a STRING; the delimiter of FLAGS */
	const struct trace_field *field;
	struct trace_pair *pairs;
	const struct trace_expr *next; /* the next argument */
};

/* What is below the casts. */
const struct trace_expr *trace_expr_strip(const struct trace_expr *e);

/* The format string and its arguments. Trees lie in f->arena and refer to f->fields. */
struct trace_args {
	const char *format; /* escapes resolved; NUL-terminated */
	const struct trace_expr *first;
	uint32_t nr;
};

/* Compiles f->print. -EBADMSG where it is not of the grammar, -E2BIG past the limits. */
int trace_args_compile(struct trace_args *out, struct trace_format *f);

/* Shared by trace_expr.c (expressions) and trace_call.c (the functions that kernels use in them). */

struct trace_parser {
	struct trace_lexer lex;
	struct trace_format *format;
	uint32_t depth, nr_nodes;
	bool too_big;
};

/* All give NULL where the text is not of the grammar, or past the limits (too_big). */
struct trace_expr *trace_parser_node(struct trace_parser *p, enum trace_op op, const struct trace_expr *a, const struct trace_expr *b,
				     const struct trace_expr *c);
struct trace_expr *trace_parser_number(struct trace_parser *p, uint64_t v, struct trace_type type);
struct trace_expr *trace_parser_expr(struct trace_parser *p);
/* "NAME" of a field */
const struct trace_field *trace_parser_field(struct trace_parser *p);
/* "->NAME" */
struct trace_expr *trace_parser_member(struct trace_parser *p);
/* Bytes of the record: a field or a dynamic array, with casts or without. */
bool trace_parser_is_memory(const struct trace_expr *e);

/* trace_call.c: the arguments of the function of this name, behind its "(". */
struct trace_expr *trace_parser_call(struct trace_parser *p, const char *name, size_t len);

/* Raw bytes of a record. A read outside of it gives nothing and marks it as bad. Values have C's types, so that signs, widths and
 * comparisons are those of the kernel that wrote the format. */

struct trace_record {
	const uint8_t *data;
	uint32_t size;
	bool swap; /* the recording machine had the other byte order */
	bool big_endian;
	uint8_t long_size;
	bool is_bad; /* something it needs lies outside */
};

struct trace_value {
	uint64_t v; /* extended to 64 bits by its type */
	struct trace_type type;
	bool is_known; /* false: made of a name that the format does not explain */
};

struct trace_memory {
	const uint8_t *p;
	uint32_t size;
};

/* A value as its type holds it, extended to 64 bits. */
static inline uint64_t trace_extend(uint64_t v, struct trace_type t)
{
	unsigned unused = 64 - t.size * 8u;

	if (!t.size || t.size >= 8)
		return v;
	return t.is_signed ? (uint64_t)((int64_t)(v << unused) >> unused) : v << unused >> unused;
}

struct trace_value trace_record_eval(struct trace_record *r, const struct trace_expr *e);
/* The number at an offset; 0 (and bad) where it is outside. */
uint64_t trace_record_number(struct trace_record *r, uint64_t offset, struct trace_type type);
/* The bytes of a field; of a dynamic one those that it refers to. Empty (and bad) outside. */
struct trace_memory trace_record_field(struct trace_record *r, const struct trace_field *f);
/* The bytes that a FIELD or DYNAMIC stands for, casts or not; empty for other expressions. */
struct trace_memory trace_record_memory(struct trace_record *r, const struct trace_expr *e);
/* Text ends at its NUL or where the memory ends. */
uint32_t trace_memory_text_len(struct trace_memory m);

/* What addresses mean; both may give NULL. */
struct trace_names {
	void *ctx;
	/* the symbol of a kernel address, its start in *start */
	const char *(*symbol)(void *ctx, uint64_t addr, uint64_t *start);
	/* the text of a constant string in the kernel */
	const char *(*string)(void *ctx, uint64_t addr);
};

/* How a conversion is printed where that is simple. */
enum trace_step_kind {
	TRACE_STEP_NONE, /* it is not */
	TRACE_STEP_DECIMAL,
	TRACE_STEP_HEX,
	TRACE_STEP_TEXT,
	TRACE_STEP_LITERAL, /* there is none */
};

struct trace_step {
	uint8_t kind; /* enum trace_step_kind */
	bool has_sign, has_prefix, fills_zeros;
	uint8_t unused_bits;	      /* of the 64, by the size that printf() takes */
	bool is_loaded;		      /* the number is in the record, at the offset; otherwise an expression */
	struct trace_type type, cast; /* of it; a cast of size 0 leaves it as it is */
	uint16_t width;
	uint32_t offset, end; /* the record must have this many bytes */
	const struct trace_field *text;
};

#define TRACE_LITERAL_PAD 16 /* bytes that may be read of a literal text, whatever its length */

/* A conversion, and the literal text before it. */
struct trace_piece {
	struct trace_step step;
	const char *before;
	uint32_t before_len;
	char conversion;				    /* d u x X o c s p; 0: only the text */
	char flags[6];					    /* of "-+ #0" */
	uint8_t size;					    /* of a number, in bytes */
	int32_t width, precision;			    /* -1: none */
	const struct trace_expr *width_arg, *precision_arg; /* '*' */
	char kind[8];					    /* of a pointer: what stands behind the p */
	const struct trace_expr *arg;
};

struct trace_print {
	const struct trace_piece *pieces;
	uint32_t nr;
};

/* Compiles f->print; what it makes lies in f->arena. -EBADMSG or -E2BIG where it cannot be. */
int trace_print_compile(struct trace_print *p, struct trace_format *f);
/* Whether its text has names of kernel addresses in it. */
bool trace_print_has_symbols(const struct trace_print *p);
/* Adds the text of a record; look at r->is_bad then. */
void trace_print_record(const struct trace_print *p, struct trace_record *r, const struct trace_names *names, struct trace_text *out);
/* One conversion of it, without the text before it. */
void trace_print_conversion(const struct trace_piece *piece, struct trace_record *r, const struct trace_names *names,
			    struct trace_text *out);
/* trace_step.c: prepares a piece whose other members are filled in; prints it, with the text before, or does nothing and gives false. */
void trace_step_compile(struct trace_piece *p, uint8_t long_size);
bool trace_step_print(const struct trace_piece *piece, struct trace_record *r, struct trace_text *out);
/* trace_text.c: adds " name=value" of each field that the event has of its own. */
void trace_print_fields(const struct trace_format *f, struct trace_record *r, struct trace_text *out);
/* The value of a field alone, as it is there; false: it is not in the record, and r->is_bad. */
bool trace_print_field(const struct trace_field *f, struct trace_record *r, struct trace_text *out);

/* trace_shown.c: the part of the text that shows a field, by its label. */
struct trace_shown {
	uint32_t first, nr;	    /* pieces whose conversions it is made of */
	const char *before, *after; /* text of the value around these; not NUL-terminated */
	uint32_t before_len, after_len;
	const struct trace_field **fields; /* all that it is made of */
	uint32_t nr_fields;
};

/* False: the text does not show it by its name. What it makes lies in f->arena. */
bool trace_shown_find(struct trace_shown *s, const struct trace_print *p, struct trace_format *f, const struct trace_field *field);
/* The name of its value, without a label. */
bool trace_shown_find_name(struct trace_shown *s, const struct trace_print *p, struct trace_format *f, const struct trace_field *field);
/* Adds that part for a record; look at r->is_bad then. */
void trace_shown_print(const struct trace_shown *s, const struct trace_print *p, struct trace_record *r, const struct trace_names *names,
		       struct trace_text *out);

/* trace_pointer.c: can this argument be printed as %p with these letters behind it? */
bool trace_pointer_check(const char *kind, const struct trace_expr *arg);
void trace_pointer_print(const struct trace_piece *p, int64_t width, struct trace_record *r, const struct trace_names *names,
			 struct trace_text *out);
/* "0-3,7" of the first `nr_bits` bits of a mask of longs. */
void trace_bitlist_print(const struct trace_record *r, struct trace_memory m, uint32_t nr_bits, struct trace_text *out);

#endif
