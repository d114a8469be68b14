/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * libtraceevent reads format texts of the recording: hostile bytes. It is given each text once, by length, and prints into a buffer that
 * grows; its warnings are dropped (a format it cannot parse prints as raw fields).
 */
#include "session/tracepoints.h"

#include <stdlib.h>
#include <string.h>

#include <traceevent/event-parse.h>
#include <traceevent/trace-seq.h>

#include "base/hash.h"
#include "base/vec.h"
#include "perfdata/tracing_data.h"

struct tracepoint {
	uint64_t id;
	struct tep_event *event; /* NULL: not to be had */
};

struct tracepoints {
	struct tracing_data data;
	struct tep_handle *tep;
	struct trace_seq text;
	VEC(struct tracepoint) known;
	struct hindex index;
	tracepoints_symbol_fn *symbol;
	void *ctx;
};

static char *resolve(void *priv, unsigned long long *addr, char **module)
{
	struct tracepoints *t = priv;
	uint64_t start = 0;
	const char *name = t->symbol(t->ctx, *addr, &start);

	*module = NULL;
	*addr = start;
	return (char *)(uintptr_t)name; /* the library only prints it */
}

struct tracepoints *tracepoints_new(const struct perfdata_info *info, tracepoints_symbol_fn *symbol, void *ctx)
{
	struct tracepoints *t;

	if (!info->tracing_data_size)
		return NULL;
	t = mem_zalloc(sizeof(*t));
	tracing_data_init(&t->data, info->tracing_data, info->tracing_data_size);
	t->tep = tep_alloc();
	tep_set_loglevel(TEP_LOG_NONE);
	tep_set_long_size(t->tep, t->data.long_size);
	tep_set_page_size(t->tep, (int)t->data.page_size);
	tep_set_file_bigendian(t->tep, t->data.big_endian ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_local_bigendian(t->tep, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	t->symbol = symbol;
	t->ctx = ctx;
	tep_set_function_resolver(t->tep, resolve, t);
	trace_seq_init(&t->text);
	return t;
}

void tracepoints_free(struct tracepoints *t)
{
	if (!t)
		return;
	trace_seq_destroy(&t->text);
	tep_free(t->tep);
	vec_fini(&t->known);
	hindex_fini(&t->index);
	tracing_data_fini(&t->data);
	free(t);
}

static struct tep_event *find(struct tracepoints *t, uint64_t id)
{
	struct hindex_iter it = hindex_find(&t->index, hash_u64(id));
	struct tracepoint tp = { .id = id };

	for (uint32_t i; (i = hindex_next(&it)) != HINDEX_NONE;)
		if (t->known.v[i].id == id)
			return t->known.v[i].event;

	const struct tracing_event *e = tracing_data_find(&t->data, id);

	if (e) {
		tep_parse_event(t->tep, e->format, e->format_size, e->system);
		tp.event = tep_find_event(t->tep, (int)id);
	}
	vec_push(&t->known, tp);
	hindex_add(&t->index, hash_u64(id), t->known.nr - 1);
	return tp.event;
}

/* The library trusts a record to be as long as its format says. */
static bool is_whole(const struct tep_event *event, uint32_t size)
{
	for (const struct tep_format_field *f = event->format.common_fields; f; f = f->next)
		if (f->offset < 0 || f->size < 0 || (uint64_t)f->offset + (uint64_t)f->size > size)
			return false;
	for (const struct tep_format_field *f = event->format.fields; f; f = f->next)
		if (f->offset < 0 || f->size < 0 || (uint64_t)f->offset + (uint64_t)f->size > size)
			return false;
	return true;
}

const char *tracepoints_text(struct tracepoints *t, uint64_t id, uint32_t cpu, const void *raw, uint32_t size)
{
	struct tep_event *event = find(t, id);
	struct tep_record record = { .cpu = (int)cpu, .data = (void *)(uintptr_t)raw, .size = (int)size };

	if (!event || !is_whole(event, size))
		return NULL;
	trace_seq_reset(&t->text);
	tep_print_event(t->tep, &t->text, &record, "%s", TEP_PRINT_INFO);
	trace_seq_terminate(&t->text);
	return t->text.buffer;
}
