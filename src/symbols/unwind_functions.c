/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Functions by call frame information: collected from both sections, sorted, without overlaps, flat. Where entries overlap the one that
 * begins last counts, and ends the one before. Fed by unwind_sections.c with sections and segments.
 */
#include "symbols/unwind_functions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "symbols/unwind_build.h"

#define FUNCTIONS_MAGIC UINT64_C(0x31636e6679617373) /* "ssayfnc1" in our byte order */

struct unwind_functions_head {
	uint64_t magic;
	uint64_t base; /* file offset that rows count from */
	uint32_t nr_segments;
	uint32_t nr_rows;
};

struct unwind_functions_row {
	uint32_t start, end; /* from head.base */
};

struct collecting {
	const struct unwind_input *in;
	uint64_t base;
	VEC(struct unwind_functions_row) rows;
};

static void take_row(void *ctx, uint64_t off, uint64_t start, uint64_t end)
{
	struct collecting *c = ctx;
	struct unwind_functions_row r;
	uint64_t delta;

	(void)off;
	if (unwind_input_place(c->in, c->base, start, end, &r.start, &r.end, &delta) && r.start < r.end)
		vec_push(&c->rows, r);
}

static void list_section(struct collecting *c, const struct cfi_section *s)
{
	struct cfi_reader *reader = s->size ? cfi_reader_new(s, c->in->arch) : NULL;

	if (reader)
		cfi_reader_list(reader, take_row, c);
	cfi_reader_free(reader);
}

/* By start; of those that start together the shortest last. */
static int compare_rows(const void *a, const void *b)
{
	const struct unwind_functions_row *x = a, *y = b;

	return COMPARE(x->start, y->start) ?: COMPARE(y->end, x->end);
}

static void settle(struct collecting *c)
{
	uint32_t kept = 0;

	vec_sort(&c->rows, compare_rows);
	for (uint32_t i = 0; i < c->rows.nr; i++) {
		struct unwind_functions_row r = c->rows.v[i], *last = kept ? &c->rows.v[kept - 1] : NULL;

		if (last && last->start == r.start) {
			*last = r;
			continue;
		}
		if (last && last->end > r.start)
			last->end = r.start;
		c->rows.v[kept++] = r;
	}
	c->rows.nr = kept;
}

static size_t size_of(uint32_t nr_segments, uint32_t nr_rows)
{
	return sizeof(struct unwind_functions_head) + (size_t)nr_segments * sizeof(struct unwind_segment) +
	       (size_t)nr_rows * sizeof(struct unwind_functions_row);
}

static void set_parts(struct unwind_functions *u, const void *bytes)
{
	u->head = bytes;
	u->segments = (const struct unwind_segment *)(u->head + 1);
	u->rows = (const struct unwind_functions_row *)(u->segments + u->head->nr_segments);
}

struct unwind_functions *unwind_functions_build(const struct unwind_input *in)
{
	struct unwind_functions *u = mem_zalloc(sizeof(*u));
	struct collecting c = { .in = in, .base = unwind_input_base(in) };
	struct unwind_functions_head h = { .magic = FUNCTIONS_MAGIC, .nr_segments = in->nr_segments };
	struct unwind_segment *segments;

	list_section(&c, &in->eh);
	list_section(&c, &in->debug);
	settle(&c);
	h.base = c.base;
	h.nr_rows = c.rows.nr;
	u->part.memory_bytes = size_of(h.nr_segments, h.nr_rows);
	u->owned = mem_alloc(u->part.memory_bytes);
	memcpy(u->owned, &h, sizeof(h));
	segments = (struct unwind_segment *)((struct unwind_functions_head *)u->owned + 1);
	memcpy(segments, in->segments, h.nr_segments * sizeof(*segments));
	if (h.nr_rows)
		memcpy(segments + h.nr_segments, c.rows.v, h.nr_rows * sizeof(*c.rows.v));
	set_parts(u, u->owned);
	vec_fini(&c.rows);
	return u;
}

struct unwind_functions *unwind_functions_read(const struct elf_file *runtime, const struct elf_file *debug)
{
	struct unwind_input *in = mem_zalloc(sizeof(*in));
	struct unwind_functions *u;
	void *unpacked;

	unwind_input_find(in, runtime, debug, &unpacked);
	u = unwind_functions_build(in);
	free(unpacked);
	free(in);
	return u;
}

const void *unwind_functions_bytes(const struct unwind_functions *u, size_t *size)
{
	*size = size_of(u->head->nr_segments, u->head->nr_rows);
	return u->head;
}

int unwind_functions_view(struct unwind_functions **u, const void *bytes, size_t size)
{
	const struct unwind_functions_head *h = bytes;
	struct unwind_functions view = { 0 };

	*u = NULL;
	if (size < sizeof(*h) || (uintptr_t)bytes % 8 || h->magic != FUNCTIONS_MAGIC || h->nr_segments > UNWIND_MAX_SEGMENTS ||
	    h->nr_rows > size / sizeof(struct unwind_functions_row) || size_of(h->nr_segments, h->nr_rows) != size)
		return -EBADMSG;
	set_parts(&view, bytes);
	for (uint32_t i = 0; i < h->nr_rows; i++)
		if (view.rows[i].start >= view.rows[i].end || (i && view.rows[i].start < view.rows[i - 1].end))
			return -EBADMSG;
	*u = mem_alloc(sizeof(view));
	**u = view;
	return 0;
}

void unwind_functions_free(struct unwind_functions *u)
{
	if (u && !u->part.is_borrowed) {
		symbol_index_close(u->part.index);
		free(u->owned);
	}
	free(u);
}

uint32_t unwind_functions_nr(const struct unwind_functions *u)
{
	return u->head->nr_rows;
}

static uint64_t vaddr_of(const struct unwind_functions *u, uint64_t file_off)
{
	for (uint32_t i = 0; i < u->head->nr_segments; i++)
		if (file_off >= u->segments[i].file_off && file_off - u->segments[i].file_off < u->segments[i].size_bytes)
			return file_off - u->segments[i].file_off + u->segments[i].vaddr;
	return file_off;
}

bool unwind_functions_find(const struct unwind_functions *u, uint64_t file_off, struct unwind_function *f)
{
	uint64_t at = file_off - u->head->base;
	uint32_t above = vec_search(u->head->nr_rows, i, u->rows[i].start > at);

	if (file_off < u->head->base || !above || at >= u->rows[above - 1].end)
		return false;
	f->start = u->head->base + u->rows[above - 1].start;
	f->end = u->head->base + u->rows[above - 1].end;
	f->vaddr = vaddr_of(u, f->start);
	return true;
}
