/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Evaluates expressions over a record. Recursion is bounded by the height of the tree.
 */
#include "session/trace_print.h"

#include <string.h>

static struct trace_value value(uint64_t v, struct trace_type t, bool is_known)
{
	return (struct trace_value){ trace_extend(v, t), t, is_known };
}

static const struct trace_type int_type = { 4, true };

uint64_t trace_record_number(struct trace_record *r, uint64_t offset, struct trace_type type)
{
	uint64_t v8;
	uint32_t v4;
	uint16_t v2;

	if (offset > r->size || type.size > r->size - offset) {
		r->is_bad = true;
		return 0;
	}
	switch (type.size) {
	case 1:
		return trace_extend(r->data[offset], type);
	case 2:
		memcpy(&v2, r->data + offset, 2);
		return trace_extend(r->swap ? __builtin_bswap16(v2) : v2, type);
	case 4:
		memcpy(&v4, r->data + offset, 4);
		return trace_extend(r->swap ? __builtin_bswap32(v4) : v4, type);
	case 8:
		memcpy(&v8, r->data + offset, 8);
		return r->swap ? __builtin_bswap64(v8) : v8;
	}
	return 0; /* not a number */
}

struct trace_memory trace_record_field(struct trace_record *r, const struct trace_field *f)
{
	uint64_t offset = f->offset, size = f->size;

	if (f->is_dynamic) {
		uint64_t where = trace_record_number(r, f->offset, (struct trace_type){ 4, false });

		offset = where & 0xffff;
		size = where >> 16;
		if (f->is_relative)
			offset += f->offset + f->size;
		if (!size)
			return (struct trace_memory){ r->data, 0 };
	} else if (!size && f->is_array && offset <= r->size) {
		size = r->size - offset;
	}
	if (offset > r->size || size > r->size - offset) {
		r->is_bad = true;
		return (struct trace_memory){ r->data, 0 };
	}
	return (struct trace_memory){ r->data + offset, (uint32_t)size };
}

struct trace_memory trace_record_memory(struct trace_record *r, const struct trace_expr *e)
{
	e = trace_expr_strip(e);
	if (e->op == TRACE_FIELD || e->op == TRACE_DYNAMIC || e->op == TRACE_DYNAMIC_STR)
		return trace_record_field(r, e->field);
	return (struct trace_memory){ r->data, 0 };
}

uint32_t trace_memory_text_len(struct trace_memory m)
{
	const uint8_t *nul = m.size ? memchr(m.p, 0, m.size) : NULL;

	return nul ? (uint32_t)(nul - m.p) : m.size;
}

/* a[b]: items are as large as a cast says, else as the field's. */
static struct trace_value eval_index(struct trace_record *r, const struct trace_expr *e)
{
	const struct trace_expr *base = trace_expr_strip(e->a);
	struct trace_value index = trace_record_eval(r, e->b);
	struct trace_memory m = trace_record_field(r, base->field);
	struct trace_type type = base->field->item;

	if (e->a->op == TRACE_CAST && e->a->pointed.size)
		type = e->a->pointed;
	if (!type.size || index.v >= m.size / type.size) {
		r->is_bad = true;
		return value(0, int_type, false);
	}
	return value(trace_record_number(r, (uint64_t)(m.p - r->data) + index.v * type.size, type), type, index.is_known);
}

static struct trace_type promote(struct trace_type t)
{
	return t.size < 4 ? int_type : t;
}

/* The type that C brings both sides to. */
static struct trace_type common_type(struct trace_type a, struct trace_type b)
{
	a = promote(a);
	b = promote(b);
	if (a.size != b.size)
		return a.size > b.size ? a : b;
	return (struct trace_type){ a.size, a.is_signed && b.is_signed };
}

static uint64_t divide(uint64_t a, uint64_t b, bool is_signed, bool want_rest)
{
	if (!b)
		return 0;
	if (!is_signed)
		return want_rest ? a % b : a / b;
	if ((int64_t)b == -1)
		return want_rest ? 0 : -a;
	return (uint64_t)(want_rest ? (int64_t)a % (int64_t)b : (int64_t)a / (int64_t)b);
}

static uint64_t shift(const struct trace_expr *e, struct trace_value a, uint64_t by)
{
	if (e->op == TRACE_SHL)
		return by < a.type.size * 8U ? a.v << by : 0;
	if (by >= a.type.size * 8U)
		by = a.type.size * 8U - 1, a.v = a.type.is_signed ? a.v : 0;
	return a.type.is_signed ? (uint64_t)((int64_t)a.v >> by) : a.v >> by;
}

static bool compare(enum trace_op op, uint64_t a, uint64_t b, bool is_signed)
{
	int order = is_signed ? ((int64_t)a > (int64_t)b) - ((int64_t)a < (int64_t)b) : (a > b) - (a < b);

	switch (op) {
	case TRACE_LT:
		return order < 0;
	case TRACE_GT:
		return order > 0;
	case TRACE_LE:
		return order <= 0;
	case TRACE_GE:
		return order >= 0;
	case TRACE_EQ:
		return !order;
	default:
		return order;
	}
}

static uint64_t combine(enum trace_op op, uint64_t a, uint64_t b, bool is_signed)
{
	switch (op) {
	case TRACE_MUL:
		return a * b;
	case TRACE_DIV:
		return divide(a, b, is_signed, false);
	case TRACE_MOD:
		return divide(a, b, is_signed, true);
	case TRACE_ADD:
		return a + b;
	case TRACE_SUB:
		return a - b;
	case TRACE_AND:
		return a & b;
	case TRACE_XOR:
		return a ^ b;
	case TRACE_OR:
		return a | b;
	default:
		return 0;
	}
}

static struct trace_value eval_binary(struct trace_record *r, const struct trace_expr *e)
{
	struct trace_value a = trace_record_eval(r, e->a), b;
	struct trace_type type;

	if ((e->op == TRACE_AND_AND && !a.v) || (e->op == TRACE_OR_OR && a.v))
		return value(a.v != 0, int_type, a.is_known);
	b = trace_record_eval(r, e->b);
	b.is_known &= a.is_known;
	type = common_type(a.type, b.type);
	switch (e->op) {
	case TRACE_AND_AND:
	case TRACE_OR_OR:
		return value(b.v != 0, int_type, b.is_known);
	case TRACE_SHL:
	case TRACE_SHR:
		a = value(a.v, promote(a.type), true);
		return value(shift(e, a, b.v), a.type, b.is_known);
	case TRACE_LT ... TRACE_NE:
		return value(compare(e->op, trace_extend(a.v, type), trace_extend(b.v, type), type.is_signed), int_type, b.is_known);
	default:
		return value(combine(e->op, trace_extend(a.v, type), trace_extend(b.v, type), type.is_signed), type, b.is_known);
	}
}

static struct trace_value eval_unary(struct trace_record *r, const struct trace_expr *e)
{
	struct trace_value a = trace_record_eval(r, e->a);

	switch (e->op) {
	case TRACE_NEGATE:
		return value(-a.v, promote(a.type), a.is_known);
	case TRACE_COMPLEMENT:
		return value(~a.v, promote(a.type), a.is_known);
	case TRACE_NOT:
		return value(!a.v, int_type, a.is_known);
	default: /* TRACE_CAST */
		return e->type.size ? value(a.v, e->type, a.is_known) : a;
	}
}

static struct trace_value eval_field(struct trace_record *r, const struct trace_field *f)
{
	struct trace_type type = f->item;

	if (f->is_array) /* its bytes as a number, where they can be one */
		type = (struct trace_type){ f->size <= 8 && !(f->size & (f->size - 1)) ? (uint8_t)f->size : 0, false };
	if (!type.size)
		return value(0, int_type, false);
	return value(trace_record_number(r, f->offset, type), type, true);
}

struct trace_value trace_record_eval(struct trace_record *r, const struct trace_expr *e)
{
	struct trace_value test;

	switch (e->op) {
	case TRACE_NUMBER:
		return value(e->number, e->type, true);
	case TRACE_FIELD:
		return eval_field(r, e->field);
	case TRACE_INDEX:
		return eval_index(r, e);
	case TRACE_DYNAMIC_LEN:
		return value(trace_record_field(r, e->field).size, int_type, true);
	case TRACE_CAST:
	case TRACE_NEGATE:
	case TRACE_NOT:
	case TRACE_COMPLEMENT:
		return eval_unary(r, e);
	case TRACE_CONDITION:
		test = trace_record_eval(r, e->a);
		return trace_record_eval(r, test.v ? e->b : e->c);
	case TRACE_MUL ... TRACE_OR_OR:
		return eval_binary(r, e);
	case TRACE_STRING:
	case TRACE_DYNAMIC:
	case TRACE_DYNAMIC_STR:
		return value(1, int_type, false); /* an address: true, but no number of use */
	default:
		return value(0, int_type, false);
	}
}
