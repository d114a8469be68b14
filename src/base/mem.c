/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/vec.h"

void mem_die(size_t size)
{
	char text[96];
	int len = snprintf(text, sizeof(text), "assay: out of memory (asked for %zu bytes)\n", size);

	if (write(STDERR_FILENO, text, (size_t)len) < 0) {
		/* Nothing is left to be done about it. */
	}
	abort();
}

void *mem_alloc(size_t size)
{
	/* malloc(0) may give NULL, which callers would take for nothing. */
	void *p = malloc(size ? size : 1);

	if (!p)
		mem_die(size);
	return p;
}

void *mem_zalloc(size_t size)
{
	void *p = calloc(1, size ? size : 1);

	if (!p)
		mem_die(size);
	return p;
}

void *mem_realloc(void *p, size_t nr, size_t item_size)
{
	size_t size;

	if (__builtin_mul_overflow(nr, item_size, &size))
		mem_die(SIZE_MAX);
	p = realloc(p, size ? size : 1);
	if (!p)
		mem_die(size);
	return p;
}

char *mem_strdup(const char *s)
{
	return mem_strndup(s, strlen(s));
}

char *mem_strndup(const char *s, size_t len)
{
	size_t real = strnlen(s, len);
	char *p = mem_alloc(real + 1);

	memcpy(p, s, real);
	p[real] = '\0';
	return p;
}

char *mem_printf(const char *fmt, ...)
{
	va_list ap, again;
	char *p;
	int len;

	va_start(ap, fmt);
	va_copy(again, ap);
	len = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (len < 0)
		len = 0;
	p = mem_alloc((size_t)len + 1);
	p[0] = '\0';
	vsnprintf(p, (size_t)len + 1, fmt, again);
	va_end(again);
	return p;
}

/* By doubling. */
uint32_t vec_next_cap(uint32_t cap, uint64_t need)
{
	/* One below the largest u32: the vec_add() that would wrap asks for more than this first. */
	const uint64_t most = UINT32_MAX - 1;
	uint64_t next = cap < 8 ? 8 : (uint64_t)cap * 2;

	if (need > most)
		mem_die(SIZE_MAX);
	if (next < need)
		next = need;
	return (uint32_t)(next < most ? next : most);
}
