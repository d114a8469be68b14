/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A table of calls. Which of them are there differs between architectures.
 */
#include "model/io_spans.h"

#include <errno.h>
#include <string.h>

const struct io_call io_calls[] = {
	{ "read", SPAN_READ },	       { "pread64", SPAN_READ },     { "readv", SPAN_READ },	    { "preadv", SPAN_READ },
	{ "preadv2", SPAN_READ },      { "write", SPAN_WRITE },	     { "pwrite64", SPAN_WRITE },    { "writev", SPAN_WRITE },
	{ "pwritev", SPAN_WRITE },     { "pwritev2", SPAN_WRITE },   { "sync", SPAN_SYNC },	    { "sync_file_range", SPAN_SYNC },
	{ "fsync", SPAN_SYNC },	       { "fdatasync", SPAN_SYNC },   { "msync", SPAN_SYNC },	    { "recvfrom", SPAN_RECEIVE },
	{ "recvmmsg", SPAN_RECEIVE },  { "recvmsg", SPAN_RECEIVE },  { "sendto", SPAN_TRANSMIT },   { "sendmsg", SPAN_TRANSMIT },
	{ "sendmmsg", SPAN_TRANSMIT }, { "epoll_pwait", SPAN_POLL }, { "epoll_pwait2", SPAN_POLL }, { "epoll_wait", SPAN_POLL },
	{ "poll", SPAN_POLL },	       { "ppoll", SPAN_POLL },	     { "pselect6", SPAN_POLL },	    { "select", SPAN_POLL },
	{ NULL, SPAN_UNKNOWN },
};

void io_spans_init(struct io_spans *io, const struct recording *r, struct span_store *s, struct timeline *t)
{
	memset(io, 0, sizeof(*io));
	durations_init(&io->durations, r);
	io->store = s;
	io->timeline = t;
}

void io_spans_fini(struct io_spans *io)
{
	durations_fini(&io->durations);
}

bool io_spans_wants(const struct io_spans *io, int32_t event)
{
	const struct perfdata_info *info = io->durations.recording->info;
	const char *name;

	if (event < 0 || (uint32_t)event >= info->events.nr || info->events.v[event].attr.type != ATTR_TYPE_TRACEPOINT)
		return false;
	name = info->events.v[event].name ? info->events.v[event].name : "";
	return !strncmp(name, "syscalls:sys_e", 14) || !strncmp(name, "raw_syscalls:sys_e", 18) || !strcmp(name, "assay:sys_call");
}

static enum span_state state_of(const struct durations *d)
{
	const struct syscall_def *def = d->call_nr < SYSCALL_SET_NUMBERS ? syscall_get(d->abi, d->call_nr) : NULL;

	for (const struct io_call *c = io_calls; def && c->name; c++)
		if (!strcmp(c->name, def->name))
			return c->state;
	return SPAN_UNKNOWN;
}

static uint32_t sum_of(uint64_t a, uint64_t b)
{
	return a + b < UINT32_MAX ? (uint32_t)(a + b) : UINT32_MAX;
}

/* False: it is a span of its own. */
static bool merge(struct io_spans *io, struct span_track *k, const struct span *span)
{
	struct span *last = k->spans.nr ? &k->spans.v[k->spans.nr - 1] : NULL;

	if (!last || last->state != span->state || last->has_failed || span->has_failed || span->begin_ns < last->end_ns ||
	    span->begin_ns - last->end_ns > io->merge_ns || last->nr == UINT32_MAX)
		return false;
	last->end_ns = span->end_ns;
	last->value = sum_of(last->value, span->value);
	last->nr++;
	io->store->last_ns = span->end_ns > io->store->last_ns ? span->end_ns : io->store->last_ns;
	io->nr_merged++;
	return true;
}

void io_spans_take(struct io_spans *io, const struct session_record *sr)
{
	const struct durations *d = &io->durations;
	struct span span = { .end_ns = sr->time_ns, .nr = 1 };
	uint64_t took_ns;
	uint32_t track;

	if (!durations_take(&io->durations, sr, &took_ns) || !d->is_call || !sr->task || took_ns > sr->time_ns)
		return;
	span.state = (uint8_t)state_of(d);
	if (span.state == SPAN_UNKNOWN)
		return;
	io->nr_calls++;
	span.has_failed = d->has_result && d->result < 0 && d->result >= -4095;
	if (span.has_failed && d->result == -EAGAIN && io->skips_again) {
		io->nr_skipped++;
		return;
	}
	span.begin_ns = sr->time_ns - took_ns;
	if (d->has_result && d->result > 0 && span.state != SPAN_POLL && span.state != SPAN_SYNC)
		span.value = sum_of((uint64_t)d->result, 0);
	track = span_store_track(io->store, SPAN_OF_IO, timeline_track_of(io->timeline, sr->task));
	if (!merge(io, &io->store->tracks.v[track], &span))
		span_store_add(io->store, track, &span);
}
