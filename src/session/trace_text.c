/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The text of a record, and its fields as they are, for formats that do not compile and records that are damaged.
 */
#include "session/trace_print.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void trace_text_fini(struct trace_text *t)
{
	vec_fini(&t->s);
}

void trace_text_clear(struct trace_text *t)
{
	t->s.nr = 0;
}

void trace_text_add(struct trace_text *t, const char *s, size_t len)
{
	size_t room = TRACE_TEXT_MAX - t->s.nr;

	if (len > room)
		len = room;
	if (!len)
		return;
	vec_reserve(&t->s, t->s.nr + len + 1); /* and the NUL of trace_text_get() */
	memcpy(t->s.v + t->s.nr, s, len);
	t->s.nr += (uint32_t)len;
}

void trace_text_add_str(struct trace_text *t, const char *s)
{
	trace_text_add(t, s, strlen(s));
}

void trace_text_add_hex(struct trace_text *t, uint64_t v)
{
	char buf[18], *s = buf + sizeof(buf);

	do
		*--s = "0123456789abcdef"[v & 15];
	while (v >>= 4);
	*--s = 'x';
	*--s = '0';
	trace_text_add(t, s, (size_t)(buf + sizeof(buf) - s));
}

void trace_text_printf(struct trace_text *t, const char *fmt, ...)
{
	char small[256];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(small, sizeof(small), fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	trace_text_add(t, small, (size_t)n < sizeof(small) ? (size_t)n : sizeof(small) - 1);
}

const char *trace_text_get(struct trace_text *t)
{
	vec_reserve(&t->s, t->s.nr + 1);
	t->s.v[t->s.nr] = 0;
	return t->s.v;
}

static bool is_readable(struct trace_memory m, uint32_t len)
{
	for (uint32_t i = 0; i < len; i++)
		if ((m.p[i] < ' ' || m.p[i] > '~') && !(m.p[i] >= '\t' && m.p[i] <= '\r'))
			return false;
	return true;
}

static void print_field_array(const struct trace_field *f, struct trace_record *r, struct trace_text *out)
{
	struct trace_memory m = trace_record_field(r, f);
	uint32_t len = trace_memory_text_len(m);

	if (f->is_text && is_readable(m, len)) {
		trace_text_add(out, (const char *)m.p, len);
		return;
	}
	trace_text_add_str(out, "ARRAY[");
	for (uint32_t i = 0; i < m.size; i++)
		trace_text_printf(out, i ? ", %02x" : "%02x", m.p[i]);
	trace_text_add_str(out, "]");
}

static void print_field_number(const struct trace_field *f, struct trace_record *r, struct trace_text *out)
{
	uint64_t v = trace_record_number(r, f->offset, f->item);

	if (f->is_pointer || (f->is_long && !f->item.is_signed))
		trace_text_add_hex(out, v);
	else if (f->is_long && f->item.size == 4)
		trace_text_add_hex(out, (uint32_t)v);
	else if (f->item.is_signed)
		trace_text_printf(out, f->item.size == 2 ? "%2" PRId64 : "%" PRId64, (int64_t)v);
	else
		trace_text_printf(out, "%" PRIu64, v);
}

bool trace_print_field(const struct trace_field *f, struct trace_record *r, struct trace_text *out)
{
	r->is_bad = false;
	trace_record_field(r, f);
	if (r->is_bad)
		return false;
	if (f->is_array || !f->item.size)
		print_field_array(f, r, out);
	else
		print_field_number(f, r, out);
	return true;
}

void trace_print_fields(const struct trace_format *f, struct trace_record *r, struct trace_text *out)
{
	for (uint32_t i = 0; i < f->fields.nr; i++) {
		const struct trace_field *field = &f->fields.v[i];

		if (field->is_common)
			continue;
		trace_text_printf(out, " ");
		trace_text_add_str(out, field->name);
		trace_text_add(out, "=", 1);
		if (!trace_print_field(field, r, out))
			trace_text_add(out, "?", 1); /* not in the record */
	}
}
