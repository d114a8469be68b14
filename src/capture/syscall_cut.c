/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Samples as bpf/syscalls.bpf.c has them, by the same plan of what is read of a call (abi/syscalls.h). What pointers in that memory lead to in
 * turn is not read: buffers of an iovec are shown by their addresses.
 */
#include "capture/syscall_cut.h"

#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "abi/record.h"
#include "abi/syscall_sample.h"
#include "abi/syscalls.h"

#define RAW_FIXED (sizeof(struct syscall_sample) - offsetof(struct syscall_sample, common_type))
#define MEMORY_MAX SYSCALL_MEMORY_MAX
#define PAGE_BYTES 4096u /* the least that is mapped or not */
#define RECORD_MAX (MEMORY_MAX + 4096u)

struct memory {
	uint8_t bytes[MEMORY_MAX];
	uint32_t size;
};

void syscall_cut_fini(struct syscall_cut *c)
{
	vec_fini(&c->records);
	c->taken = 0;
}

void syscall_cut_add(struct syscall_cut *c, const void *records, size_t size)
{
	if (!size)
		return;
	vec_reserve(&c->records, (uint64_t)c->records.nr + size);
	memcpy(c->records.v + c->records.nr, records, size);
	c->records.nr += (uint32_t)size;
}

/* ---- memory of a process ---- */

static ssize_t read_process(pid_t pid, uint64_t address, void *buf, size_t size)
{
	struct iovec local = { .iov_base = buf, .iov_len = size };
	struct iovec remote = { .iov_base = (void *)(uintptr_t)address, .iov_len = size }; /* NOLINT(performance-no-int-to-ptr) */

	return process_vm_readv(pid, &local, 1, &remote, 1, 0);
}

/* Page by page: behind the NUL there may be nothing. Returns the bytes with the NUL, -1: it cannot be read. */
static ssize_t read_string(pid_t pid, uint64_t address, uint8_t *buf, size_t size)
{
	size_t got = 0;

	while (got < size) {
		size_t n = PAGE_BYTES - (address + got) % PAGE_BYTES;
		const uint8_t *end;

		n = n < size - got ? n : size - got;
		if (read_process(pid, address + got, buf + got, n) != (ssize_t)n)
			return -1;
		end = memchr(buf + got, 0, n);
		if (end)
			return end + 1 - buf;
		got += n;
	}
	return (ssize_t)got;
}

static uint64_t wanted_bytes(pid_t pid, const struct syscall_read *r, const unsigned long long *args)
{
	uint32_t pointed = 0;

	switch (r->how) {
	case SYSCALL_READ_FIXED:
		return r->size;
	case SYSCALL_READ_ARG:
		return r->len_arg < SYSCALL_ARGS ? args[r->len_arg] * r->size : 0;
	case SYSCALL_READ_POINTED:
		if (r->len_arg < SYSCALL_ARGS && read_process(pid, args[r->len_arg], &pointed, sizeof(pointed)) == sizeof(pointed))
			return pointed;
		return 0;
	default:
		return 0;
	}
}

static void read_argument(struct memory *m, pid_t pid, const struct syscall_read *r, const unsigned long long *args, uint32_t max_data)
{
	struct syscall_piece p = { .arg = r->arg };
	uint8_t *to = m->bytes + m->size + sizeof(p);
	bool is_string = r->how == SYSCALL_READ_STRING;
	uint64_t limit = r->is_data ? max_data : SYSCALL_READ_MAX, wanted;
	ssize_t got;

	if (MEMORY_MAX - m->size < sizeof(p) + SYSCALL_READ_MAX || !args[r->arg])
		return;
	wanted = is_string ? SYSCALL_READ_MAX : wanted_bytes(pid, r, args);
	if (wanted > limit)
		p.flags |= SYSCALL_PIECE_CUT;
	limit = limit < SYSCALL_READ_MAX ? limit : SYSCALL_READ_MAX;
	wanted = wanted < limit ? wanted : limit;
	if (!wanted)
		return;
	got = is_string ? read_string(pid, args[r->arg], to, wanted) : read_process(pid, args[r->arg], to, wanted);
	if (got <= 0 || (!is_string && got != (ssize_t)wanted))
		return;
	if (is_string && to[got - 1])
		p.flags |= SYSCALL_PIECE_CUT;
	p.size = (unsigned short)got;
	memcpy(m->bytes + m->size, &p, sizeof(p));
	m->size += (uint32_t)sizeof(p) + (((uint32_t)got + 7) & ~7u);
}

/* What is read of a call when it begins. */
static void read_memory(struct memory *m, const struct syscall_slot *s, uint32_t max_data)
{
	enum syscall_abi abi = s->nr & SYSCALL_NR_32 ? SYSCALL_I386 : syscall_native_abi();
	const struct syscall_def *def = syscall_get(abi, s->nr & ~SYSCALL_NR_32);
	struct syscall_read reads[SYSCALL_MAX_READS];
	uint32_t nr = def ? syscall_reads(abi, def, reads) : 0;

	memset(m->bytes, 0, sizeof(m->bytes));
	m->size = 0;
	for (uint32_t i = 0; i < nr; i++)
		if (!reads[i].at_exit && reads[i].how != SYSCALL_READ_STRINGS)
			read_argument(m, (pid_t)s->pid, &reads[i], s->args, max_data);
}

/* ---- records ---- */

static void add_sample(struct syscall_cut *c, const struct syscall_cut_options *o, const struct syscall_slot *slot, uint64_t time_ns,
		       uint32_t flags, const struct memory *m)
{
	uint32_t size = m ? m->size : 0;
	struct {
		struct syscall_sample s;
		uint8_t memory[MEMORY_MAX];
	} raw = { .s = { .common_type = SYSCALL_SAMPLE_ID,
			 .common_pid = (int)slot->entry_tid,
			 .nr = slot->nr & ~SYSCALL_NR_32,
			 .start_ns = slot->start_ns,
			 .flags = flags | (slot->nr & SYSCALL_NR_32 ? SYSCALL_SAMPLE_32 : 0),
			 .memory = size ? (unsigned)(RAW_FIXED | size << 16) : 0 } };
	struct record_header h = { .type = RECORD_SAMPLE, .misc = MISC_USER };
	struct record rec = { .header = &h };
	uint8_t buf[RECORD_MAX];
	int64_t n;

	memcpy(raw.s.args, slot->args, sizeof(raw.s.args));
	if (size)
		memcpy(&raw.s + 1, m->bytes, size);
	rec.sample = (struct sample){
		.pid = slot->pid,
		.tid = slot->tid,
		.time_ns = time_ns,
		.id = o->event_id,
		.stream_id = o->event_id,
		.cpu = UINT32_MAX, /* it is on none */
		.period = time_ns - slot->start_ns,
		.raw = &raw.s.common_type,
		.raw_size = (uint32_t)RAW_FIXED + size,
	};
	n = record_encode(&rec, o->layout, buf, sizeof(buf));
	if (n > 0)
		syscall_cut_add(c, buf, (size_t)n);
}

void syscall_cut_add_begun(struct syscall_cut *c, const struct syscall_cut_options *o, const struct syscall_slot *slot)
{
	struct memory m;

	read_memory(&m, slot, o->max_data);
	add_sample(c, o, slot, slot->start_ns, SYSCALL_SAMPLE_ENTRY | SYSCALL_SAMPLE_BEFORE, &m);
}

void syscall_cut_add_pending(struct syscall_cut *c, const struct syscall_cut_options *o, const struct syscall_slot *slot, uint64_t now_ns)
{
	uint32_t flags = SYSCALL_SAMPLE_OPEN | SYSCALL_SAMPLE_PENDING;

	if (slot->in_call == SYSCALL_IN_CALL_BEFORE)
		flags |= SYSCALL_SAMPLE_BEFORE;
	add_sample(c, o, slot, now_ns, flags, NULL);
}

size_t syscall_cut_take(struct syscall_cut *c, const uint8_t **records)
{
	size_t from = c->taken;

	while (c->taken < c->records.nr && c->taken - from < SYSCALL_CUT_CHUNK) {
		struct record_header h;

		memcpy(&h, c->records.v + c->taken, sizeof(h));
		c->taken += h.size;
	}
	if (c->taken > from)
		*records = c->records.v + from;
	return c->taken - from;
}
