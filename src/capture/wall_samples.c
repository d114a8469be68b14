/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The layout of the samples.
 */
#include "capture/wall_samples.h"

#include <string.h>

#include "abi/record.h"
#include "abi/sample.h"
#include "abi/syscall_sample.h"
#include "bpf/offcpu_events.h"

#define FIELD(type, name, at, size, is_signed) "\tfield:" type " " name ";\toffset:" #at ";\tsize:" #size ";\tsigned:" #is_signed ";\n"

/* clang-format off */
const struct own_format wall_sample_format = {
	WALL_SAMPLE_NAME,
	"name: task_state\nID: 65521\nformat:\n" /* WALL_SAMPLE_ID */
	FIELD("unsigned short", "common_type", 0, 2, 0)
	FIELD("unsigned char", "common_flags", 2, 1, 0)
	FIELD("unsigned char", "common_preempt_count", 3, 1, 0)
	FIELD("int", "common_pid", 4, 4, 1)
	"\n"
	FIELD("unsigned int", "kind", 8, 4, 0)
	FIELD("pid_t", "tid", 12, 4, 1)
	FIELD("unsigned int", "state", 16, 4, 0)
	FIELD("unsigned int", "call", 20, 4, 0)
	FIELD("unsigned int", "file_mode", 24, 4, 0)
	FIELD("unsigned int", "flags", 28, 4, 0)
	FIELD("pid_t", "next_tid", 32, 4, 1)
	"\n"
	"print fmt: \"kind=%u tid=%d state=%x call=%d file_mode=%o flags=%x next_tid=%d\", REC->kind, REC->tid, REC->state, REC->call, REC->file_mode, "
	"REC->flags, REC->next_tid\n",
};
/* clang-format on */

_Static_assert(WALL_SAMPLE_ID == 65521, "as the format says");
_Static_assert(sizeof(struct wall_sample) == 36 && offsetof(struct wall_sample, flags) == 28, "as the format says");
_Static_assert((int)WALL_SAMPLE_LEFT == (int)OFFCPU_LEFT && (int)WALL_SAMPLE_BACK == (int)OFFCPU_BACK &&
		       (int)WALL_SAMPLE_WOKEN == (int)OFFCPU_WOKEN && (int)WALL_SAMPLE_BORN == (int)OFFCPU_BORN &&
		       (int)WALL_SAMPLE_TAKEN == (int)OFFCPU_TAKEN,
	       "kinds are those of the program");
_Static_assert((int)WALL_SAMPLE_IN_IO == (int)OFFCPU_IN_IO && (int)WALL_SAMPLE_IN_IRQ == (int)OFFCPU_IN_IRQ &&
		       (int)WALL_SAMPLE_IN_FAULT == (int)OFFCPU_IN_FAULT && WALL_SAMPLE_NO_CALL == OFFCPU_NO_CALL,
	       "and so are flags");

void wall_samples_make_attr(struct attr *a)
{
	a->type = ATTR_TYPE_TRACEPOINT;
	a->config = WALL_SAMPLE_ID;
	a->sample_type = (a->sample_type & ~SAMPLE_ADDR) | SAMPLE_RAW;
}

static uint64_t pack(uint32_t low, uint32_t high)
{
	uint32_t both[2] = { low, high };
	uint64_t word;

	memcpy(&word, both, sizeof(word));
	return word;
}

/* IDENTIFIER, IP, TID, TIME, CPU and PERIOD; returns where CALLCHAIN begins. */
static uint64_t *put_head(uint64_t *words, uint64_t event_id, uint64_t ip, uint64_t task, uint64_t time_ns, uint32_t cpu)
{
	words[0] = event_id;
	words[1] = ip;
	words[2] = task;
	words[3] = time_ns;
	words[4] = pack(cpu, 0);
	words[5] = 1;
	return words + 6;
}

static uint64_t *put_raw(uint64_t *to, const struct wall_sample *raw)
{
	uint8_t *bytes = (uint8_t *)to;
	uint32_t size = sizeof(*raw);

	_Static_assert((sizeof(size) + sizeof(*raw)) % 8 == 0, "raw bytes fill words");
	memcpy(bytes, &size, sizeof(size));
	memcpy(bytes + sizeof(size), raw, sizeof(*raw));
	return to + (sizeof(size) + sizeof(*raw)) / 8;
}

static uint64_t *put_callers(uint64_t *to, uint64_t mark, const uint64_t *ips, uint32_t nr)
{
	if (!nr)
		return to;
	*to++ = mark;
	memcpy(to, ips, nr * sizeof(*to));
	return to + nr;
}

static size_t finish(uint8_t *sample, uint64_t *end, uint16_t misc)
{
	struct record_header *h = (struct record_header *)sample;

	*h = (struct record_header){ .type = RECORD_SAMPLE, .misc = misc, .size = (uint16_t)((uint8_t *)end - sample) };
	return h->size;
}

static size_t put_switch(uint64_t event_id, bool has_dumps, const struct offcpu_event *e, uint8_t *sample)
{
	const uint64_t *ips = (const uint64_t *)(e + 1);
	uint32_t nr_kernel = e->kernel_size / 8, nr_user = has_dumps ? 0 : e->user_size / 8;
	struct wall_sample raw = { .common_type = WALL_SAMPLE_ID,
				   .common_pid = (int32_t)e->tid,
				   .kind = e->kind,
				   .tid = (int32_t)e->tid,
				   .state = e->state,
				   .call = e->call,
				   .file_mode = e->file_mode,
				   .flags = e->flags,
				   .next_tid = e->kind == OFFCPU_LEFT ? (int32_t)e->back_tid : 0 };
	uint64_t *chain = put_head((uint64_t *)(sample + sizeof(struct record_header)), event_id, e->user_ip, pack(e->pid, e->tid),
				   e->time_ns, e->cpu);
	uint64_t *to = put_callers(chain + 1, CHAIN_KERNEL, ips, nr_kernel);

	to = put_callers(to, CHAIN_USER, ips + nr_kernel, nr_user);
	*chain = (uint64_t)(to - chain - 1);
	to = put_raw(to, &raw);
	if (has_dumps && e->user_size) {
		memcpy(to, (const uint8_t *)(e + 1) + e->kernel_size, e->user_size);
		to += e->user_size / 8;
	} else if (has_dumps) {
		*to++ = 0; /* no registers */
		*to++ = 0; /* no stack */
	}
	return finish(sample, to, MISC_USER);
}

static size_t put_wake(uint64_t event_id, bool has_dumps, const struct offcpu_wake *e, uint8_t *sample)
{
	struct wall_sample raw = { .common_type = WALL_SAMPLE_ID,
				   .common_pid = (int32_t)e->waker_tid,
				   .kind = e->kind,
				   .tid = (int32_t)e->tid,
				   .call = WALL_SAMPLE_NO_CALL,
				   .flags = e->flags };
	uint64_t *to = put_head((uint64_t *)(sample + sizeof(struct record_header)), event_id, 0, pack(e->waker_pid, e->waker_tid),
				e->time_ns, e->cpu);

	*to++ = 0; /* no chain */
	to = put_raw(to, &raw);
	if (has_dumps) {
		*to++ = 0;
		*to++ = 0;
	}
	return finish(sample, to, MISC_KERNEL);
}

/* The name of who took the CPU comes first: it may be a task that is not recorded otherwise. */
static size_t put_taker_comm(uint64_t event_id, const struct offcpu_taker *e, const struct sample_layout *layout, uint8_t *to)
{
	char comm[sizeof(e->taker_comm) + 1] = "";
	struct record_header h = { .type = RECORD_COMM };
	struct record rec = { .header = &h,
			      .comm = { .pid = e->taker_pid, .tid = e->taker_tid, .comm = comm },
			      .id = { .id = event_id, .pid = e->taker_pid, .tid = e->taker_tid, .time_ns = e->time_ns, .cpu = e->cpu } };
	int64_t size;

	memcpy(comm, e->taker_comm, sizeof(e->taker_comm));
	size = record_encode(&rec, layout, to, WALL_SAMPLE_MAX);
	return size > 0 ? (size_t)size : 0;
}

static size_t put_taker(uint64_t event_id, bool has_dumps, const struct offcpu_taker *e, uint8_t *sample)
{
	struct wall_sample raw = { .common_type = WALL_SAMPLE_ID,
				   .common_pid = (int32_t)e->taker_tid,
				   .kind = e->kind,
				   .tid = (int32_t)e->tid,
				   .call = WALL_SAMPLE_NO_CALL,
				   .next_tid = (int32_t)e->taker_tid };
	uint64_t *to = put_head((uint64_t *)(sample + sizeof(struct record_header)), event_id, 0, pack(e->taker_pid, e->taker_tid),
				e->time_ns, e->cpu);

	*to++ = 0; /* no chain */
	to = put_raw(to, &raw);
	if (has_dumps) {
		*to++ = 0;
		*to++ = 0;
	}
	return finish(sample, to, MISC_KERNEL);
}

#define REGS_OF_64_BITS 2 /* sample_regs_user of such a program */

/* Registers of which two are known, and nothing of the stack: a walk finds the first function. */
static uint64_t *put_place(uint64_t *to, uint64_t sp, uint64_t ip)
{
	uint64_t mask = SYSCALL_STACK_REGS;

	*to++ = ip ? REGS_OF_64_BITS : 0;
	for (int bit = 0; ip && bit < 64; bit++)
		if (mask >> bit & 1)
			*to++ = bit == SYSCALL_STACK_SP ? sp : bit == SYSCALL_STACK_PC ? ip : 0;
	*to++ = 0; /* no stack */
	return to;
}

size_t wall_samples_put_own(uint64_t event_id, bool has_dumps, const struct wall_own_event *own, uint8_t *sample)
{
	const struct offcpu_event *e = &own->e;
	struct wall_sample raw = { .common_type = WALL_SAMPLE_ID,
				   .common_pid = (int32_t)e->tid,
				   .kind = e->kind,
				   .tid = (int32_t)e->tid,
				   .state = e->state,
				   .call = e->call,
				   .file_mode = e->file_mode,
				   .flags = e->flags };
	uint64_t *chain = put_head((uint64_t *)(sample + sizeof(struct record_header)), event_id, e->user_ip, pack(e->pid, e->tid),
				   e->time_ns, e->cpu);
	uint64_t ip = e->user_ip, *to = put_callers(chain + 1, CHAIN_USER, &ip, ip && !has_dumps);

	*chain = (uint64_t)(to - chain - 1);
	to = put_raw(to, &raw);
	if (has_dumps)
		to = put_place(to, own->sp, ip);
	return finish(sample, to, MISC_USER);
}

#define SAMPLE_EXTRA 160 /* what a sample adds to an event, at most */

size_t wall_samples_put(uint64_t event_id, bool has_dumps, const struct sample_layout *layout, const void *event, size_t size,
			uint8_t *sample)
{
	const struct offcpu_event *e = event;
	uint32_t kind;

	if (size < sizeof(kind))
		return 0;
	memcpy(&kind, event, sizeof(kind));
	if (kind == OFFCPU_WOKEN || kind == OFFCPU_BORN)
		return size < sizeof(struct offcpu_wake) ? 0 : put_wake(event_id, has_dumps, event, sample);
	if (kind == OFFCPU_TAKEN && size >= sizeof(struct offcpu_taker)) {
		size_t len = put_taker_comm(event_id, event, layout, sample);

		return len + put_taker(event_id, has_dumps, event, sample + len);
	}
	if ((kind != OFFCPU_LEFT && kind != OFFCPU_BACK) || size < sizeof(*e) || size + SAMPLE_EXTRA >= WALL_SAMPLE_MAX ||
	    e->kernel_size % 8 || e->user_size % 8 || e->kernel_size > size - sizeof(*e) ||
	    e->user_size > size - sizeof(*e) - e->kernel_size)
		return 0;
	return put_switch(event_id, has_dumps, e, sample);
}
