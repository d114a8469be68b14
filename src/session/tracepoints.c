/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Formats of a recording, compiled when their event is first met, and the constant strings of the recorded kernel. Texts are hostile: the
 * number of bytes that are read is bounded, beside the bounds in trace_format.h and trace_print.h.
 */
#include "session/tracepoints.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/vec.h"
#include "perfdata/tracing_data.h"
#include "session/trace_print.h"

/* All formats of a kernel together have some 2 MB. Compiled, a text grows up to 60-fold. */
#define FORMATS_MAX_BYTES (16 << 20)

struct tracepoint {
	uint64_t id;
	bool has_fields, has_print;
	struct trace_format format;
	struct trace_print print;
};

struct kernel_string {
	uint64_t addr;
	const char *text;
};

struct tracepoints {
	const struct perfdata_info *info;
	bool is_read;
	struct tracing_data data;
	struct trace_text text;
	struct trace_names names;
	VEC(struct tracepoint *) known; /* each by itself: printers in other threads look at them while others are added */
	struct hindex index;
	uint64_t nr_bytes;
	VEC(struct kernel_string) strings; /* by address */
	tracepoints_symbol_fn *symbol;
	void *ctx;
};

static int by_addr(const void *a, const void *b)
{
	const struct kernel_string *x = a, *y = b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

static const char *find_symbol(void *ctx, uint64_t addr, uint64_t *start)
{
	struct tracepoints *t = ctx;

	return t->symbol(t->ctx, addr, start);
}

static const char *find_string(void *ctx, uint64_t addr)
{
	struct tracepoints *t = ctx;
	struct kernel_string key = { .addr = addr }, *found;

	if (!t->strings.nr)
		return NULL;
	found = bsearch(&key, t->strings.v, t->strings.nr, sizeof(key), by_addr);
	return found ? found->text : NULL;
}

/* A line of printk_formats: '0xffffffff82521908 : "Start context switch"', without quotes and trailing \n. */
static void add_string(struct tracepoints *t, const char *line, size_t len)
{
	struct kernel_string s = { 0 };
	const char *p = line, *end = line + len;

	if (len < 2 || p[0] != '0' || p[1] != 'x')
		return;
	for (p += 2; p < end && strchr("0123456789abcdef", *p) && *p; p++)
		s.addr = s.addr << 4 | (uint64_t)(*p <= '9' ? *p - '0' : *p - 'a' + 10);
	while (p < end && (*p == ' ' || *p == ':'))
		p++;
	if (p == end || *p != '"')
		return;
	p++;
	if (p < end && end[-1] == '"')
		end--;
	if (end - p >= 2 && end[-2] == '\\' && end[-1] == 'n')
		end -= 2;
	s.text = arena_str(&t->data.arena, p, (size_t)(end - p));
	vec_push(&t->strings, s);
}

static void read_strings(struct tracepoints *t)
{
	const char *p = t->data.printk, *end = p ? p + t->data.printk_size : NULL;

	while (p && p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));

		add_string(t, p, (size_t)((nl ? nl : end) - p));
		p = nl ? nl + 1 : end;
	}
	vec_sort(&t->strings, by_addr);
}

struct tracepoints *tracepoints_new(const struct perfdata_info *info, tracepoints_symbol_fn *symbol, void *ctx)
{
	struct tracepoints *t = mem_zalloc(sizeof(*t));

	t->info = info;
	t->symbol = symbol;
	t->ctx = ctx;
	t->names = (struct trace_names){ t, find_symbol, find_string };
	return t;
}

static struct tracepoint *new_tracepoint(uint64_t id)
{
	struct tracepoint *tp = mem_zalloc(sizeof(*tp));

	tp->id = id;
	return tp;
}

static void free_tracepoint(struct tracepoint *tp)
{
	trace_format_fini(&tp->format);
	free(tp);
}

void tracepoints_free(struct tracepoints *t)
{
	if (!t)
		return;
	for (uint32_t i = 0; i < t->known.nr; i++)
		free_tracepoint(t->known.v[i]);
	vec_fini(&t->known);
	hindex_fini(&t->index);
	vec_fini(&t->strings);
	trace_text_fini(&t->text);
	if (t->is_read)
		tracing_data_fini(&t->data);
	free(t);
}

static void read_formats(struct tracepoints *t)
{
	if (t->is_read || !t->info->tracing_data_size)
		return;
	t->is_read = true;
	tracing_data_init(&t->data, t->info->tracing_data, t->info->tracing_data_size);
	read_strings(t);
}

/* NULL where the recording has no formats. */
static struct tracepoint *find(struct tracepoints *t, uint64_t id)
{
	const struct tracing_event *e;
	uint32_t nr, at;
	struct tracepoint *tp;

	read_formats(t);
	if (!t->is_read)
		return NULL;
	nr = t->known.nr;
	at = HINDEX_INTERN(&t->index, hash_u64(id), &t->known, k, (*k)->id == id, new_tracepoint(id));
	tp = t->known.v[at];
	if (at < nr)
		return tp;
	e = tracing_data_find(&t->data, id);
	if (!e || e->format_size > FORMATS_MAX_BYTES - t->nr_bytes)
		return tp;
	t->nr_bytes += e->format_size;
	tp->has_fields = !trace_format_init(&tp->format, e->format, e->format_size, t->data.long_size);
	tp->has_print = tp->has_fields && !trace_print_compile(&tp->print, &tp->format);
	return tp;
}

static struct trace_record record_of(const struct tracepoints *t, const void *raw, uint32_t size)
{
	return (struct trace_record){
		.data = raw,
		.size = size,
		.swap = t->data.big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__),
		.big_endian = t->data.big_endian,
		.long_size = t->data.long_size == 4 ? 4 : 8,
	};
}

const struct trace_field *tracepoints_fields(struct tracepoints *t, uint64_t id, uint32_t *nr)
{
	const struct tracepoint *tp = find(t, id);

	*nr = tp && tp->has_fields ? tp->format.fields.nr : 0;
	return *nr ? tp->format.fields.v : NULL;
}

bool tracepoints_value(const struct tracepoints *t, const struct trace_field *f, const void *raw, uint32_t size,
		       struct tracepoints_value *v)
{
	struct trace_record record = record_of(t, raw, size);

	*v = (struct tracepoints_value){ 0 };
	if (f->is_array || f->is_dynamic || !f->item.size) {
		struct trace_memory m = trace_record_field(&record, f);

		v->bytes = m.p;
		v->size = f->is_text ? trace_memory_text_len(m) : m.size;
	} else {
		v->number = trace_record_number(&record, f->offset, f->item);
	}
	return !record.is_bad;
}

bool tracepoints_is_native(const struct tracepoints *t)
{
	return !record_of(t, NULL, 0).swap;
}

const struct trace_shown *tracepoints_shown(struct tracepoints *t, uint64_t id, const struct trace_field *f, bool is_named,
					    const struct trace_field *const **fields, uint32_t *nr_fields)
{
	struct tracepoint *tp = find(t, id);
	struct trace_shown shown, *kept;

	if (!tp || !tp->has_print)
		return NULL;
	if (!(is_named ? trace_shown_find_name : trace_shown_find)(&shown, &tp->print, &tp->format, f))
		return NULL;
	kept = arena_copy(&tp->format.arena, &shown, sizeof(shown));
	*fields = kept->fields;
	*nr_fields = kept->nr_fields;
	return kept;
}

const char *tracepoints_field_text(struct tracepoints *t, uint64_t id, const struct trace_field *f, const struct trace_shown *shown,
				   const void *raw, uint32_t size)
{
	const struct tracepoint *tp = find(t, id);
	struct trace_record record = record_of(t, raw, size);

	trace_text_clear(&t->text);
	if (shown)
		trace_shown_print(shown, &tp->print, &record, &t->names, &t->text);
	if (!shown || record.is_bad) {
		trace_text_clear(&t->text);
		if (!trace_print_field(f, &record, &t->text))
			return NULL;
	}
	return trace_text_get(&t->text);
}

static const char *print(const struct tracepoints *t, const struct tracepoint *tp, const void *raw, uint32_t size, struct trace_text *text)
{
	struct trace_record record = record_of(t, raw, size);

	if (!tp || !tp->has_fields)
		return NULL;
	trace_text_clear(text);
	if (tp->has_print)
		trace_print_record(&tp->print, &record, &t->names, text);
	if (!tp->has_print || record.is_bad) {
		trace_text_clear(text);
		trace_text_add_str(text, "[FAILED TO PARSE]"); /* perf's word for it */
		trace_print_fields(&tp->format, &record, text);
	}
	return trace_text_get(text);
}

uint32_t tracepoints_page_bytes(struct tracepoints *t)
{
	uint32_t size;

	read_formats(t);
	size = t->data.page_size;
	return size >= 1024 && size <= (1u << 20) && !(size & (size - 1)) ? size : 0;
}

const char *tracepoints_text(struct tracepoints *t, uint64_t id, const void *raw, uint32_t size)
{
	return print(t, find(t, id), raw, size, &t->text);
}

const struct tracepoint *tracepoints_pure(struct tracepoints *t, uint64_t id)
{
	const struct tracepoint *tp = find(t, id);

	return tp && (!tp->has_print || !trace_print_has_symbols(&tp->print)) ? tp : NULL;
}

struct tracepoints_printer {
	const struct tracepoints *t;
	struct trace_text text;
};

struct tracepoints_printer *tracepoints_printer_new(const struct tracepoints *t)
{
	struct tracepoints_printer *p = mem_zalloc(sizeof(*p));

	p->t = t;
	return p;
}

void tracepoints_printer_free(struct tracepoints_printer *p)
{
	if (p)
		trace_text_fini(&p->text);
	free(p);
}

const char *tracepoints_printer_text(struct tracepoints_printer *p, const struct tracepoint *tp, const void *raw, uint32_t size)
{
	return print(p->t, tp, raw, size, &p->text);
}
