/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Conversions of `print fmt`. Widths and precisions are bounded; all text goes through
 * struct trace_text, which is bounded too.
 */
#include "session/trace_print.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define WIDTH_MAX 1024

/* "12" or "*" at *s; the number, or the next argument. */
static bool take_amount(const char **s, int32_t *n, const struct trace_expr **from, const struct trace_expr **args)
{
	if (**s == '*') {
		(*s)++;
		*from = *args;
		if (!*args)
			return false;
		*args = (*args)->next;
		return true;
	}
	for (*n = **s >= '0' && **s <= '9' ? 0 : *n; **s >= '0' && **s <= '9'; (*s)++) {
		*n = *n * 10 + (**s - '0');
		if (*n > WIDTH_MAX)
			return false;
	}
	return true;
}

/* The length modifiers: how many bytes printf() would take for a number. */
static uint8_t take_size(const char **s, uint8_t long_size)
{
	unsigned nr_h = 0, nr_l = 0;

	for (;; (*s)++)
		switch (**s) {
		case 'h':
			nr_h++;
			break;
		case 'l':
			nr_l++;
			break;
		case 'z':
		case 'Z':
		case 't':
			nr_l = 1;
			break;
		case 'L':
		case 'q':
		case 'j':
			nr_l = 2;
			break;
		default:
			return nr_l > 1 ? 8 : nr_l ? long_size : nr_h > 1 ? 1 : nr_h ? 2 : 4;
		}
}

/* Behind the %: fills in the piece, takes its arguments. */
static bool parse_conversion(struct trace_piece *p, const char **s, const struct trace_expr **args, uint8_t long_size)
{
	size_t nr_flags = 0, n = 0;

	p->width = p->precision = -1;
	for (; **s && strchr("-+ #0", **s); (*s)++)
		if (!strchr(p->flags, **s) && nr_flags + 1 < sizeof(p->flags))
			p->flags[nr_flags++] = **s;
	if (!take_amount(s, &p->width, &p->width_arg, args))
		return false;
	if (**s == '.') {
		(*s)++;
		p->precision = 0;
		if (!take_amount(s, &p->precision, &p->precision_arg, args))
			return false;
	}
	p->size = take_size(s, long_size);
	if (!**s || !strchr("diuxXocsp", **s) || !*args)
		return false;
	p->conversion = **s == 'i' ? 'd' : **s;
	(*s)++;
	p->arg = *args;
	*args = (*args)->next;
	if (p->conversion != 'p')
		return true;
	for (; (**s >= 'a' && **s <= 'z') || (**s >= 'A' && **s <= 'Z') || (**s >= '0' && **s <= '9'); (*s)++)
		if (n + 1 < sizeof(p->kind))
			p->kind[n++] = **s;
	return trace_pointer_check(p->kind, p->arg);
}

int trace_print_compile(struct trace_print *p, struct trace_format *f)
{
	struct trace_args args;
	const struct trace_expr *arg;
	struct trace_piece *pieces;
	uint32_t nr = 1;
	const char *s;
	char *text;
	int err;

	*p = (struct trace_print){ 0 };
	err = trace_args_compile(&args, f);
	if (err)
		return err;
	for (s = args.format; *s; s++)
		nr += *s == '%';
	if (nr > TRACE_EXPR_MAX_NODES)
		return -E2BIG;
	pieces = arena_alloc(&f->arena, nr * sizeof(*pieces));
	memset(pieces, 0, nr * sizeof(*pieces));
	text = arena_alloc(&f->arena, strlen(args.format) + 1 + TRACE_LITERAL_PAD);
	memset(text, 0, strlen(args.format) + 1 + TRACE_LITERAL_PAD);
	pieces[0].before = text;
	arg = args.first;
	for (s = args.format; *s;) {
		struct trace_piece *now = &pieces[p->nr];

		if (*s != '%' || s[1] == '%') {
			s += *s == '%';
			*text++ = *s++;
			now->before_len++;
			continue;
		}
		s++;
		if (!parse_conversion(now, &s, &arg, f->long_size))
			return -EBADMSG;
		pieces[++p->nr].before = text;
	}
	p->nr++; /* the text behind the last */
	for (uint32_t i = 0; i < p->nr; i++)
		trace_step_compile(&pieces[i], f->long_size);
	p->pieces = pieces;
	return arg ? -EBADMSG : 0;
}

bool trace_print_has_symbols(const struct trace_print *p)
{
	for (uint32_t i = 0; i < p->nr; i++)
		if (p->pieces[i].conversion == 'p' && p->pieces[i].kind[0] && strchr("FSBfs", p->pieces[i].kind[0]))
			return true;
	return false;
}

static void print_padded(const struct trace_piece *p, int64_t width, int64_t precision, const char *s, size_t len, struct trace_text *out)
{
	bool is_left = strchr(p->flags, '-');

	if (precision >= 0 && len > (uint64_t)precision)
		len = (size_t)precision;
	for (int64_t i = (int64_t)len; i < width && !is_left; i++)
		trace_text_add(out, " ", 1);
	trace_text_add(out, s, len);
	for (int64_t i = (int64_t)len; i < width && is_left; i++)
		trace_text_add(out, " ", 1);
}

/* printf()'s rules for a whole number of 64 bits. */
static void print_digits(const struct trace_piece *p, int64_t width, int64_t precision, uint64_t v, struct trace_text *out)
{
	const char *digits = p->conversion == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
	unsigned base = p->conversion == 'o' ? 8 : strchr("xX", p->conversion) ? 16 : 10;
	char buf[2 * WIDTH_MAX + 64], *end = buf + sizeof(buf), *s = end;
	bool is_negative = p->conversion == 'd' && (int64_t)v < 0;
	bool is_left = strchr(p->flags, '-'), is_alternate = strchr(p->flags, '#');
	char sign = p->conversion != 'd' ? 0 : is_negative ? '-' : strchr(p->flags, '+') ? '+' : strchr(p->flags, ' ') ? ' ' : 0;
	int64_t prefix = (sign != 0) + (is_alternate && base == 16 && v ? 2 : 0);
	int64_t at_least = precision >= 0 ? precision : 1;

	if (precision < 0 && !is_left && strchr(p->flags, '0'))
		at_least = width - prefix;
	if (at_least < 1 && precision)
		at_least = 1;
	for (uint64_t left = is_negative ? -v : v; left; left /= base)
		*--s = digits[left % base];
	if (is_alternate && base == 8 && (s == end || *s != '0'))
		*--s = '0';
	while (end - s < at_least)
		*--s = '0';
	if (prefix > 1) {
		*--s = p->conversion;
		*--s = '0';
	}
	if (sign)
		*--s = sign;
	print_padded(p, width, -1, s, (size_t)(end - s), out);
}

static void print_number(const struct trace_piece *p, int64_t width, int64_t precision, struct trace_record *r, struct trace_text *out)
{
	uint64_t v = trace_record_eval(r, p->arg).v;
	unsigned unused = 64 - p->size * 8U;
	char c = (char)v;

	if (p->conversion == 'c')
		print_padded(p, width, -1, &c, c ? 1 : 0, out);
	else if (p->conversion == 'd')
		print_digits(p, width, precision, (uint64_t)((int64_t)(v << unused) >> unused), out);
	else
		print_digits(p, width, precision, v << unused >> unused, out);
}

struct string_print {
	const struct trace_piece *piece;
	int64_t width, precision;
	struct trace_record *record;
	const struct trace_names *names;
	struct trace_text *out;
};

static void print_one(const struct string_print *sp, const char *s, size_t len)
{
	print_padded(sp->piece, sp->width, sp->precision, s, len, sp->out);
}

/* A pointer to a constant string in the kernel, else text in the record. */
static void print_field_text(const struct string_print *sp, const struct trace_field *f)
{
	struct trace_record *r = sp->record;
	const char *s;
	uint64_t addr;

	if (!f->is_array && f->size == r->long_size) {
		addr = trace_record_number(r, f->offset, (struct trace_type){ r->long_size, false });
		s = sp->names->string(sp->names->ctx, addr);
		if (s)
			trace_text_add_str(sp->out, s);
		else
			trace_text_printf(sp->out, "%" PRIx64, addr);
		return;
	}
	struct trace_memory m = trace_record_field(r, f);

	if (!f->is_dynamic || m.size)
		print_one(sp, (const char *)m.p, trace_memory_text_len(m));
}

/* Without the copies of its sign: -1 of 32 bits is 0xffffffff. */
static uint64_t plain(struct trace_value v)
{
	unsigned unused = v.type.size ? 64 - v.type.size * 8U : 0;

	return v.v << unused >> unused;
}

static void print_flags(const struct string_print *sp, const struct trace_expr *e)
{
	struct trace_value left = trace_record_eval(sp->record, e->a);
	bool is_first = true;

	for (const struct trace_pair *pair = e->pairs; pair; pair = pair->next) {
		struct trace_value flag = trace_record_eval(sp->record, pair->value);

		if (!flag.is_known || !flag.v || (left.v & flag.v) != flag.v)
			continue;
		if (!is_first)
			trace_text_add_str(sp->out, e->str);
		is_first = false;
		print_one(sp, pair->text, strlen(pair->text));
		left.v &= ~flag.v;
	}
	if (!plain(left))
		return;
	if (!is_first)
		trace_text_add_str(sp->out, e->str);
	trace_text_add_hex(sp->out, plain(left));
}

static void print_symbolic(const struct string_print *sp, const struct trace_expr *e)
{
	struct trace_value v = trace_record_eval(sp->record, e->a);

	for (const struct trace_pair *pair = e->pairs; pair; pair = pair->next) {
		struct trace_value item = trace_record_eval(sp->record, pair->value);

		if (item.is_known && item.v == v.v) {
			print_one(sp, pair->text, strlen(pair->text));
			return;
		}
	}
	trace_text_add_hex(sp->out, plain(v));
}

static void print_bytes(const struct string_print *sp, const struct trace_expr *e)
{
	struct trace_memory m = trace_record_memory(sp->record, e->a);
	uint64_t nr = trace_record_eval(sp->record, e->b).v;

	if (nr > m.size) {
		sp->record->is_bad = true;
		return;
	}
	for (uint64_t i = 0; i < nr; i++)
		trace_text_printf(sp->out, i && e->op == TRACE_HEX ? " %02x" : "%02x", m.p[i]);
}

static void print_array(const struct string_print *sp, const struct trace_expr *e)
{
	struct trace_record *r = sp->record;
	struct trace_memory m = trace_record_memory(r, e->a);
	uint64_t nr = trace_record_eval(r, e->b).v, size = trace_record_eval(r, e->c).v;

	if ((size != 1 && size != 2 && size != 4 && size != 8) || nr > m.size / size) {
		r->is_bad = true;
		return;
	}
	trace_text_add(sp->out, "{", 1);
	for (uint64_t i = 0; i < nr; i++)
		trace_text_printf(sp->out, "%s0x%" PRIx64, i ? "," : "",
				  trace_record_number(r, (uint64_t)(m.p - r->data) + i * size,
						      (struct trace_type){ (uint8_t)size, false }));
	trace_text_add(sp->out, "}", 1);
}

/* A mask of longs in hexadecimal, a comma every 32 bits, the highest first. */
static void print_bitmask(const struct string_print *sp, const struct trace_expr *e)
{
	struct trace_memory m = trace_record_field(sp->record, e->field);

	for (uint32_t i = m.size; i-- > 0;) {
		trace_text_printf(sp->out, "%02x", m.p[sp->record->big_endian ? m.size - 1 - i : i]);
		if (i && !(i & 3))
			trace_text_add(sp->out, ",", 1);
	}
}

static void print_string(const struct string_print *sp, const struct trace_expr *e)
{
	struct trace_memory m;

	e = trace_expr_strip(e);
	switch (e->op) {
	case TRACE_STRING:
		print_one(sp, e->str, strlen(e->str));
		return;
	case TRACE_FIELD:
		print_field_text(sp, e->field);
		return;
	case TRACE_DYNAMIC:
	case TRACE_DYNAMIC_STR:
		m = trace_record_field(sp->record, e->field);
		if (m.size)
			print_one(sp, (const char *)m.p, trace_memory_text_len(m));
		return;
	case TRACE_FLAGS:
		print_flags(sp, e);
		return;
	case TRACE_SYMBOLIC:
		print_symbolic(sp, e);
		return;
	case TRACE_HEX:
	case TRACE_HEX_STR:
		print_bytes(sp, e);
		return;
	case TRACE_ARRAY:
		print_array(sp, e);
		return;
	case TRACE_BITMASK:
		print_bitmask(sp, e);
		return;
	case TRACE_CPUMASK:
		m = trace_record_field(sp->record, e->field);
		trace_bitlist_print(sp->record, m, m.size * 8, sp->out);
		return;
	case TRACE_CONDITION:
		print_string(sp, trace_record_eval(sp->record, e->a).v ? e->b : e->c);
		return;
	default:
		return; /* no text */
	}
}

/* What a '*' stands for: printf() takes an int. Negative: none. */
static int64_t amount(struct trace_record *r, int32_t fixed, const struct trace_expr *arg)
{
	int64_t n = arg ? (int32_t)trace_record_eval(r, arg).v : fixed;

	return n > WIDTH_MAX && arg ? WIDTH_MAX : n;
}

void trace_print_conversion(const struct trace_piece *piece, struct trace_record *r, const struct trace_names *names,
			    struct trace_text *out)
{
	int64_t width = amount(r, piece->width, piece->width_arg);
	int64_t precision = amount(r, piece->precision, piece->precision_arg);
	struct string_print sp = { piece, width, precision, r, names, out };

	if (piece->conversion == 's')
		print_string(&sp, piece->arg);
	else if (piece->conversion == 'p')
		trace_pointer_print(piece, width, r, names, out);
	else if (piece->conversion)
		print_number(piece, width, precision, r, out);
}

void trace_print_record(const struct trace_print *p, struct trace_record *r, const struct trace_names *names, struct trace_text *out)
{
	for (uint32_t i = 0; i < p->nr; i++) {
		if (trace_step_print(&p->pieces[i], r, out))
			continue;
		trace_text_add(out, p->pieces[i].before, p->pieces[i].before_len);
		trace_print_conversion(&p->pieces[i], r, names, out);
	}
}
