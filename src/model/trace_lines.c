/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/trace_lines.h"

#include <string.h>

#include "base/vec.h"

void trace_lines_init(struct trace_lines *l, int (*each)(void *ctx, const char *line, size_t len, bool is_loss), void *ctx)
{
	memset(l, 0, offsetof(struct trace_lines, line));
	l->each = each;
	l->ctx = ctx;
}

static size_t skip_digits(const char *p, size_t len, uint64_t *value)
{
	size_t i;

	*value = 0;
	for (i = 0; i < len && p[i] >= '0' && p[i] <= '9'; i++)
		if (*value <= (UINT64_MAX - 9) / 10)
			*value = *value * 10 + (uint64_t)(p[i] - '0');
	return i;
}

/* "CPU:1 [LOST 12 EVENTS]" or "CPU:1 [LOST EVENTS]", and nothing else: a task may be called so. */
static bool parse_loss(const char *p, size_t len, uint64_t *nr)
{
	const char *end = p + len;
	uint64_t cpu;

	*nr = 0;
	if (len < 4 || memcmp(p, "CPU:", 4) != 0)
		return false;
	p += 4;
	p += skip_digits(p, (size_t)(end - p), &cpu);
	if (end - p < 7 || memcmp(p, " [LOST ", 7) != 0)
		return false;
	p += 7;
	p += skip_digits(p, (size_t)(end - p), nr);
	if (p < end && *p == ' ')
		p++;
	return end - p == 7 && !memcmp(p, "EVENTS]", 7);
}

static int end_line(struct trace_lines *l)
{
	uint64_t nr;
	bool is_loss = parse_loss(l->line, l->len, &nr);
	uint32_t len = l->len;

	l->nr_lines++;
	l->nr_cut += l->is_long;
	if (is_loss) {
		l->nr_lost = nr > UINT64_MAX - l->nr_lost ? UINT64_MAX : l->nr_lost + nr;
		l->nr_losses++;
	}
	l->len = 0;
	l->is_long = false;
	return l->each(l->ctx, l->line, len, is_loss);
}

int trace_lines_feed(struct trace_lines *l, const char *text, size_t size)
{
	const char *end = text + size;
	int err = 0;

	while (!err && text < end) {
		const char *eol = memchr(text, '\n', (size_t)(end - text));
		size_t len = (size_t)((eol ? eol : end) - text), fits = sizeof(l->line) - l->len;

		l->is_long |= len > fits;
		if (len < fits)
			fits = len;
		memcpy(l->line + l->len, text, fits);
		l->len += (uint32_t)fits;
		text += len + !!eol;
		if (eol)
			err = end_line(l);
	}
	return err;
}

int trace_lines_end(struct trace_lines *l)
{
	return l->len || l->is_long ? end_line(l) : 0;
}
