/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A bounded, growing text.
 */
#include "session/trace_text.h"

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
