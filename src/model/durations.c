/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * By the names of events and fields. Events are examined when samples come: a pipe announces them late.
 */
#include "model/durations.h"

#include <string.h>

#define CALL_PREFIX "syscalls:sys_"

void durations_init(struct durations *d, const struct recording *r)
{
	memset(d, 0, sizeof(*d));
	d->recording = r;
	syscall_log_init(&d->log, r);
	pairing_init(&d->pairing, 2, 0);
}

void durations_fini(struct durations *d)
{
	syscall_log_fini(&d->log);
	pairing_fini(&d->pairing);
	vec_fini(&d->events);
}

/* A number of nanoseconds, by the names that the kernel's events and our own have for it. */
static bool is_duration(const struct trace_field *f)
{
	static const char *const names[] = { "duration_ns", "duration", "delay", "runtime" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !f->is_common && !f->is_array && f->item.size == 8; i++)
		if (!strcmp(f->name, names[i]))
			return true;
	return false;
}

static const struct trace_field *result_field(struct durations *d, const struct perfdata_event *event)
{
	uint32_t nr = 0;
	const struct trace_field *fields = tracepoints_fields(d->recording->tracepoints, event->attr.config, &nr);

	for (uint32_t i = 0; fields && i < nr; i++)
		if (!strcmp(fields[i].name, "ret") && !fields[i].is_array && fields[i].item.size)
			return &fields[i];
	return NULL;
}

static void read_result(struct durations *d, const struct trace_field *f, const struct sample *s)
{
	struct tracepoints_value v;

	d->has_result = f && s->raw && tracepoints_value(d->recording->tracepoints, f, s->raw, s->raw_size, &v) && !v.bytes;
	if (d->has_result)
		d->result = (int64_t)v.number;
}

static struct duration_event examine(struct durations *d, const struct perfdata_event *event)
{
	struct duration_event e = { .kind = DURATION_NONE };
	const char *name = event->name ? event->name : "";
	const struct trace_field *fields;
	uint32_t nr;

	if (event->attr.type != ATTR_TYPE_TRACEPOINT)
		return e;
	if (!strcmp(name, "assay:sys_call") || !strncmp(name, "raw_syscalls:sys_e", 18)) {
		e.kind = DURATION_CALL;
	} else if (!strncmp(name, CALL_PREFIX "enter_", sizeof(CALL_PREFIX "enter_") - 1) ||
		   !strncmp(name, CALL_PREFIX "exit_", sizeof(CALL_PREFIX "exit_") - 1)) {
		const char *call = strchr(name + sizeof(CALL_PREFIX) - 1, '_') + 1;

		e.kind = name[sizeof(CALL_PREFIX)] == 'n' ? DURATION_BEGIN : DURATION_END;
		e.nr = UINT32_MAX;
		if (e.kind == DURATION_END)
			e.field = result_field(d, event);
		for (uint32_t i = 0; i < SYSCALL_SET_NUMBERS; i++)
			if (syscall_get(d->main_abi, i) && !strcmp(syscall_get(d->main_abi, i)->name, call))
				e.nr = i;
	} else {
		fields = tracepoints_fields(d->recording->tracepoints, event->attr.config, &nr);
		for (uint32_t i = 0; fields && i < nr && !e.field; i++)
			if (is_duration(&fields[i]))
				e = (struct duration_event){ .kind = DURATION_FIELD, .field = &fields[i] };
	}
	return e;
}

static void examine_events(struct durations *d)
{
	const struct perfdata_info *info = d->recording->info;

	d->main_abi = syscall_abi_of(info->arch);
	while (d->events.nr < info->events.nr) {
		/* vec_push() may count it before it looks at what is pushed. */
		struct duration_event e = examine(d, &info->events.v[d->events.nr]);

		vec_push(&d->events, e);
	}
}

static bool take_call(struct durations *d, const struct session_record *sr, uint64_t *took_ns)
{
	struct traced t;

	if (!syscall_log_take(&d->log, sr, &t) || t.kind != TRACED_CALL || !t.start_ns || t.began_before || !t.call.has_ended)
		return false;
	d->abi = t.call.abi;
	d->call_nr = t.call.nr;
	d->has_result = true;
	d->result = t.call.result;
	*took_ns = t.end_ns - t.start_ns;
	return true;
}

bool durations_take(struct durations *d, const struct session_record *sr, uint64_t *took_ns)
{
	const struct sample *s = &sr->rec.sample;
	struct tracepoints_value v;
	struct duration_event e;
	uint64_t key[2];
	uint32_t tag;
	bool is_end = false;

	if (sr->event < 0)
		return false;
	if ((uint32_t)sr->event >= d->events.nr)
		examine_events(d);
	e = d->events.v[sr->event];
	d->is_call = e.kind != DURATION_FIELD;
	d->has_result = false;
	d->call_nr = e.nr;
	d->abi = d->main_abi;
	key[0] = s->tid;
	key[1] = e.nr;
	switch (e.kind) {
	case DURATION_CALL:
		is_end = take_call(d, sr, took_ns);
		break;
	case DURATION_BEGIN:
		pairing_begin(&d->pairing, key, sr->time_ns, 0);
		break;
	case DURATION_END:
		is_end = pairing_end(&d->pairing, key, sr->time_ns, took_ns, &tag);
		if (is_end)
			read_result(d, e.field, s);
		break;
	case DURATION_FIELD:
		is_end = s->raw && tracepoints_value(d->recording->tracepoints, e.field, s->raw, s->raw_size, &v) && !v.bytes;
		if (is_end)
			*took_ns = v.number;
		break;
	default:
		break;
	}
	d->nr += is_end;
	return is_end;
}
