/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The common conversions of `print fmt`, prepared when a format is compiled: numbers in decimal or hex, and texts of fields. The argument of
 * most is a field, which is read at a known offset; no tree is walked for it. All others are trace_print.c's.
 */
#include "session/trace_print.h"

#include <string.h>

#include "base/digits.h"

/* REC->field, REC->field[3], with one cast around it or none. */
static bool find_load(struct trace_step *s, const struct trace_expr *e)
{
	const struct trace_field *f;
	uint64_t index = 0;

	if (e->op == TRACE_CAST) {
		s->cast = e->type;
		e = e->a;
	}
	if (e->op == TRACE_INDEX) {
		if (e->b->op != TRACE_NUMBER || e->a->op != TRACE_FIELD || e->a->field->is_dynamic || !e->a->field->size)
			return false;
		f = e->a->field;
		index = e->b->number;
	} else {
		if (e->op != TRACE_FIELD || e->field->is_array || e->field->is_dynamic)
			return false;
		f = e->field;
	}
	s->type = f->item;
	if (!s->type.size || index >= f->size / s->type.size || f->offset > TRACE_RECORD_MAX || f->size > TRACE_RECORD_MAX)
		return false;
	s->offset = f->offset + (uint32_t)index * s->type.size;
	s->end = e->op == TRACE_INDEX ? f->offset + f->size : s->offset + s->type.size;
	return true;
}

static bool is_simple_number(const struct trace_piece *p)
{
	return p->conversion && strchr("dux", p->conversion) && p->precision < 0 && !p->precision_arg && !strpbrk(p->flags, "-+ ");
}

/* Text in the record itself: what may be a pointer to a string of the kernel is not. */
static const struct trace_field *text_field(const struct trace_expr *e, uint8_t long_size)
{
	e = trace_expr_strip(e);
	if (e->op == TRACE_DYNAMIC || e->op == TRACE_DYNAMIC_STR)
		return e->field;
	return e->op == TRACE_FIELD && (e->field->is_array || e->field->size != long_size) ? e->field : NULL;
}

void trace_step_compile(struct trace_piece *p, uint8_t long_size)
{
	struct trace_step *s = &p->step;

	*s = (struct trace_step){ 0 };
	if (!p->conversion) {
		s->kind = TRACE_STEP_LITERAL;
	} else if (p->width_arg) {
		return;
	} else if (is_simple_number(p)) {
		s->kind = p->conversion == 'x' ? TRACE_STEP_HEX : TRACE_STEP_DECIMAL;
		s->width = p->width > 0 ? (uint16_t)p->width : 0;
		s->has_sign = p->conversion == 'd';
		s->has_prefix = p->conversion == 'x' && strchr(p->flags, '#');
		s->fills_zeros = strchr(p->flags, '0');
		s->unused_bits = (uint8_t)(64 - p->size * 8);
		s->is_loaded = find_load(s, p->arg);
	} else if (p->conversion == 's' && p->width < 0 && p->precision < 0 && !p->precision_arg) {
		s->text = text_field(p->arg, long_size);
		s->kind = s->text ? TRACE_STEP_TEXT : TRACE_STEP_NONE;
	}
}

static inline uint64_t number_of(const struct trace_piece *p, struct trace_record *r)
{
	const struct trace_step *s = &p->step;
	uint64_t v;

	if (!s->is_loaded)
		return trace_record_eval(r, p->arg).v;
	if (s->end > r->size) {
		r->is_bad = true;
		return 0;
	}
	if (s->type.size == 8 && !r->swap)
		memcpy(&v, r->data + s->offset, 8);
	else
		v = trace_record_number(r, s->offset, s->type);
	return s->cast.size ? trace_extend(v, s->cast) : v;
}

/* At least as wide as asked for, filled with blanks in front of all, or zeros behind sign and prefix. */
static char *fill(const struct trace_step *s, char *p, const char *front, size_t nr_front, size_t nr_digits)
{
	size_t nr = s->width > nr_front + nr_digits ? s->width - nr_front - nr_digits : 0;

	if (!s->fills_zeros) {
		memset(p, ' ', nr);
		p += nr;
	}
	memcpy(p, front, nr_front);
	p += nr_front;
	if (s->fills_zeros) {
		memset(p, '0', nr);
		p += nr;
	}
	return p;
}

static char *put_number(const struct trace_step *s, char *p, uint64_t v)
{
	bool is_negative = false;
	size_t nr;

	if (s->has_sign) {
		v = (uint64_t)((int64_t)(v << s->unused_bits) >> s->unused_bits);
		is_negative = (int64_t)v < 0;
		v = is_negative ? -v : v;
	} else {
		v = v << s->unused_bits >> s->unused_bits;
	}
	if (!s->width && !s->has_prefix) {
		*p = '-';
		p += is_negative;
	} else {
		nr = s->kind == TRACE_STEP_HEX ? digits_hex_len(v) : digits_decimal_len(v);
		p = fill(s, p, is_negative ? "-" : "0x", is_negative ? 1 : s->has_prefix && v ? 2 : 0, nr);
	}
	if (s->kind == TRACE_STEP_HEX)
		return p + digits_hex(p, v);
	nr = digits_decimal_len(v);
	digits_decimal(p, v, nr);
	return p + nr;
}

bool trace_step_print(const struct trace_piece *piece, struct trace_record *r, struct trace_text *out)
{
	const struct trace_step *s = &piece->step;
	char *start, *p;

	if (s->kind == TRACE_STEP_NONE)
		return false;
	start = p = trace_text_room(out, piece->before_len + TRACE_LITERAL_PAD + s->width + 2 + DIGITS_PAD);
	if (!p)
		return false;
	memcpy(p, piece->before, TRACE_LITERAL_PAD);
	if (piece->before_len > TRACE_LITERAL_PAD)
		memcpy(p, piece->before, piece->before_len);
	p += piece->before_len;
	if (s->kind <= TRACE_STEP_HEX)
		p = put_number(s, p, number_of(piece, r));
	trace_text_advance(out, (size_t)(p - start));
	if (s->kind == TRACE_STEP_TEXT) {
		struct trace_memory m = trace_record_field(r, s->text);

		trace_text_add(out, (const char *)m.p, trace_memory_text_len(m));
	}
	return true;
}
