/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The spans in a page: JSON with a text of base64 a row, which the script decodes when the row is first seen. Its bytes are numbers of seven bits a
 * byte (as in protobuf): for each span its state with two flags (32: a gap before it, 64: a call failed), the gap, its length, then by its state:
 *
 *	running, of a task       CPU
 *	running, of a CPU        task, by its place in "tasks"
 *	woken                    one more than the task that woke it; 0: not known
 *	C-state, frequency       number, kHz
 *	system calls             bytes, how many calls
 *	mixed                    how many spans, how many shares, then state and length of each
 */
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/protobuf.h"
#include "view/page.h"
#include "view/span_states.h"
#include "view/timechart.h"

#define HAS_GAP 32
#define HAS_FAILED 64

_Static_assert((int)SPAN_MIXED < HAS_GAP, "a state fits below the flags");

/* Tasks that are named, by their track of the time line. */
struct naming {
	uint32_t *of; /* UINT32_MAX: not yet */
	VEC(uint32_t) used;
};

static uint32_t name(struct naming *n, uint32_t key)
{
	if (n->of[key] == UINT32_MAX) {
		n->of[key] = n->used.nr;
		vec_push(&n->used, key);
	}
	return n->of[key];
}

static void put_mixed(struct out *o, const struct span_track *k, const struct span *span)
{
	protobuf_varint(o, span->nr);
	protobuf_varint(o, span->nr_shares);
	for (uint32_t i = 0; i < span->nr_shares; i++) {
		protobuf_varint(o, k->shares.v[span->value + i].state);
		protobuf_varint(o, k->shares.v[span->value + i].ns);
	}
}

static void put_value(struct out *o, const struct span_track *k, const struct span *span, struct naming *n)
{
	if (span->state == SPAN_MIXED) {
		put_mixed(o, k, span);
		return;
	}
	switch ((enum span_value)span_states[span->state].value) {
	case SPAN_VALUE_NONE:
		break;
	case SPAN_VALUE_RUN:
		protobuf_varint(o, k->kind == SPAN_OF_CPU ? name(n, span->value) : span->value);
		break;
	case SPAN_VALUE_WAKER:
		protobuf_varint(o, span->value ? name(n, span->value - 1) + 1 : 0);
		break;
	case SPAN_VALUE_CALLS:
		protobuf_varint(o, span->value);
		protobuf_varint(o, span->nr);
		break;
	case SPAN_VALUE_DEPTH:
	case SPAN_VALUE_KHZ:
		protobuf_varint(o, span->value);
		break;
	}
}

static void put_spans(struct out *o, const struct timechart *c, const struct span_track *k, struct naming *n)
{
	uint64_t at_ns = c->store->first_ns;
	struct out bytes;

	out_init(&bytes, -1);
	for (uint32_t i = 0; i < k->spans.nr; i++) {
		const struct span *span = &k->spans.v[i];
		uint64_t gap_ns = span->begin_ns - at_ns;

		protobuf_varint(&bytes, span->state | (gap_ns ? HAS_GAP : 0) | (span->has_failed ? HAS_FAILED : 0));
		if (gap_ns)
			protobuf_varint(&bytes, gap_ns);
		protobuf_varint(&bytes, span->end_ns - span->begin_ns);
		put_value(&bytes, k, span, n);
		at_ns = span->end_ns;
	}
	base64_put(o, bytes.buf, bytes.len);
	out_fini(&bytes);
}

static void put_row(struct out *o, const struct timechart *c, const struct timechart_row *row, struct naming *n)
{
	static const char *const kinds[] = { "task", "cpu", "power", "frequency", "io" };
	bool is_task = row->kind == SPAN_OF_TASK || row->kind == SPAN_OF_IO;

	out_printf(o, "{\"kind\":\"%s\",\"key\":%u,\"height\":%d", kinds[row->kind], is_task ? name(n, row->key) : row->key,
		   timechart_row_height(row->kind));
	if (row->is_thread)
		out_str(o, ",\"thread\":1");
	if (row->max_value)
		out_printf(o, ",\"max\":%u", row->max_value);
	if (row->is_highlighted)
		out_str(o, ",\"marked\":1");
	out_printf(o, ",\"active\":%llu,\"nr\":%u,\"spans\":\"", (unsigned long long)row->active_ns,
		   c->store->tracks.v[row->track].spans.nr);
	put_spans(o, c, &c->store->tracks.v[row->track], n);
	out_str(o, "\"}");
}

void timechart_put_data(struct out *o, const struct timechart *c, int left, int top)
{
	struct naming n = { .of = mem_alloc((c->timeline->tracks.nr + 1) * sizeof(*n.of)) };

	memset(n.of, 0xff, (c->timeline->tracks.nr + 1) * sizeof(*n.of));
	out_printf(
		o,
		"<script type=\"application/json\"><![CDATA[{\"from\":\"%llu\",\"span\":%llu,\"left\":%d,\"top\":%d,\"gap\":%d,\"merged\":%llu,\"least\":%llu,\"fixed\":%d,\n\"rows\":[",
		(unsigned long long)c->store->first_ns, (unsigned long long)(c->store->last_ns - c->store->first_ns), left, top,
		TIMECHART_GAP, (unsigned long long)c->store->resolution_ns, (unsigned long long)c->min_io_ns, c->is_fixed ? c->width : 0);
	for (uint32_t i = 0; i < c->rows.nr; i++) {
		if (i)
			out_str(o, ",\n");
		put_row(o, c, &c->rows.v[i], &n);
	}
	out_str(o, "],\n\"tasks\":[");
	for (uint32_t i = 0; i < n.used.nr; i++) {
		const struct timeline_track *k = timeline_track(c->timeline, n.used.v[i]);
		const char *text = k->is_idle ? "(idle)" : timechart_name(c, n.used.v[i]);

		out_str(o, i ? "," : "");
		svg_text_json(o, text, strlen(text));
		out_printf(o, ",%d,%d", k->task->tid, k->task->pid);
	}
	out_str(o, "],\n\"states\":");
	span_states_json(o);
	out_str(o, "}]]></script>\n");
	vec_fini(&n.used);
	free(n.of);
}
