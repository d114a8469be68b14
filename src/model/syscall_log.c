/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Raw bytes of samples, taken apart; they may come from a file, so that every length is checked.
 */
#include "model/syscall_log.h"

#include <stdlib.h>
#include <string.h>

#include "abi/syscall_sample.h"
#include "base/mem.h"
#include "model/syscall_files.h"

#define RAW_FIXED (sizeof(struct syscall_sample) - offsetof(struct syscall_sample, common_type))
#define RAW_AT(field) (offsetof(struct syscall_sample, field) - offsetof(struct syscall_sample, common_type))
#define ENTER_ID_AT 8 /* of raw_syscalls' fields, the same in all kernels: long id, then args or ret */
#define ENTER_ARGS_AT 16
#define NONE UINT32_MAX

static int find_event(const struct recording *r, const char *name)
{
	for (uint32_t i = 0; i < r->info->events.nr; i++)
		if (r->info->events.v[i].name && !strcmp(r->info->events.v[i].name, name))
			return (int)i;
	return -1;
}

void syscall_log_init(struct syscall_log *l, const struct recording *r)
{
	memset(l, 0, sizeof(*l));
	l->recording = r;
	l->call_event = l->enter_event = l->exit_event = -1;
	l->first_free = NONE;
	open_files_init(&l->files);
}

void syscall_log_fini(struct syscall_log *l)
{
	for (uint32_t i = 0; i < l->tasks.nr; i++)
		free(l->tasks.v[i].memory);
	vec_fini(&l->tasks);
	free(l->wide);
	hindex_fini(&l->task_index);
	open_files_fini(&l->files);
}

/* Events of a pipe are known when the first sample is there. */
static void look_at_events(struct syscall_log *l)
{
	if (l->call_event >= 0 || l->enter_event >= 0 || l->exit_event >= 0 || l->nr_events == l->recording->info->events.nr)
		return;
	l->nr_events = l->recording->info->events.nr;
	l->call_event = find_event(l->recording, "assay:sys_call");
	l->enter_event = find_event(l->recording, "raw_syscalls:sys_enter");
	l->exit_event = find_event(l->recording, "raw_syscalls:sys_exit");
	l->abi = syscall_abi_of(l->recording->info->arch);
}

static uint32_t find_task(struct syscall_log *l, int32_t tid)
{
	uint32_t i = l->last_task;

	if (i < l->tasks.nr && l->tasks.v[i].is_used && l->tasks.v[i].tid == tid)
		return i;
	i = HINDEX_FIND(&l->task_index, hash_u64((uint32_t)tid), id, l->tasks.v[id].tid == tid);
	if (i != HINDEX_NONE)
		l->last_task = i;
	return i;
}

static struct syscall_open *task_of(struct syscall_log *l, int32_t tid)
{
	uint32_t i = find_task(l, tid);

	if (i != HINDEX_NONE)
		return &l->tasks.v[i];
	i = l->first_free;
	if (i != NONE) {
		l->first_free = l->tasks.v[i].next_free;
	} else {
		i = l->tasks.nr;
		vec_add(&l->tasks);
	}
	l->tasks.v[i] = (struct syscall_open){ .tid = tid, .is_used = true };
	hindex_add(&l->task_index, hash_u64((uint32_t)tid), i);
	l->last_task = i;
	return &l->tasks.v[i];
}

static void set_live(struct syscall_log *l, int32_t tid)
{
	struct syscall_open *t = task_of(l, tid);

	l->nr_live += !t->is_live;
	t->is_live = true;
}

/* ---- memory ---- */

static void add_file(struct traced *t, const uint8_t *data, uint32_t size)
{
	struct syscall_file *f = &t->files[t->nr_files];

	if (t->nr_files == sizeof(t->files) / sizeof(t->files[0]) || size != sizeof(*f))
		return;
	memcpy(f, data, sizeof(*f));
	t->nr_files += f->fd >= 0 && f->name_size <= sizeof(f->name);
}

static void add_pieces(struct traced *t, const uint8_t *data, uint32_t size)
{
	struct syscall_call *c = &t->call;
	struct syscall_piece p;

	for (uint32_t off = 0; size - off >= sizeof(p) && c->nr_memory < sizeof(c->memory) / sizeof(c->memory[0]);) {
		memcpy(&p, data + off, sizeof(p));
		off += (uint32_t)sizeof(p);
		if (p.size > size - off || p.arg >= SYSCALL_MAX_ARGS)
			return;
		if (p.flags & SYSCALL_PIECE_FILE)
			add_file(t, data + off, p.size);
		else
			c->memory[c->nr_memory++] = (struct syscall_memory){
				.data = data + off,
				.size = p.size,
				.arg = p.arg,
				.address = p.address,
				.nr_strings = p.nr_strings,
				.is_cut = p.flags & SYSCALL_PIECE_CUT,
				.is_at_exit = p.flags & SYSCALL_PIECE_AT_EXIT,
				.is_late = p.flags & SYSCALL_PIECE_LATE,
				.has_failed = p.flags & SYSCALL_PIECE_FAILED,
			};
		off += (p.size + 7u) & ~7u;
		if (off > size)
			return;
	}
}

void syscall_log_end_task(struct syscall_log *l, int32_t tid)
{
	uint32_t i = find_task(l, tid);
	struct syscall_open *t;

	if (i == HINDEX_NONE)
		return;
	t = &l->tasks.v[i];
	l->nr_live -= t->is_live;
	free(t->memory);
	hindex_remove(&l->task_index, hash_u64((uint32_t)tid), i);
	*t = (struct syscall_open){ .next_free = l->first_free };
	l->first_free = i;
}

static void keep_memory(struct syscall_open *t, const uint8_t *data, uint32_t size)
{
	if (size > t->memory_cap) {
		t->memory = mem_realloc(t->memory, size, 1);
		t->memory_cap = size;
	}
	if (size)
		memcpy(t->memory, data, size);
	t->memory_size = size;
}

/* The bytes of memory behind the fixed part, as far as they are there. */
static const uint8_t *memory_of(const struct sample *s, uint32_t *size)
{
	uint32_t loc;

	memcpy(&loc, (const uint8_t *)s->raw + RAW_AT(memory), sizeof(loc));
	*size = loc >> 16;
	if ((loc & 0xffff) < RAW_FIXED || (loc & 0xffff) > s->raw_size || *size > s->raw_size - (loc & 0xffff))
		*size = 0;
	return (const uint8_t *)s->raw + (*size ? loc & 0xffff : 0);
}

/* ---- records ---- */

/* A record of BPF. */
static bool take_call(struct syscall_log *l, const struct session_record *sr, struct traced *t)
{
	const struct sample *s = &sr->rec.sample;
	const uint8_t *raw = (const uint8_t *)s->raw, *memory;
	struct syscall_open *task;
	uint32_t flags, size;
	int32_t entry_tid; /* a thread that executes a program has another one at the end */

	if (s->raw_size < RAW_FIXED)
		return false;
	memory = memory_of(s, &size);
	memcpy(&t->call.nr, raw + RAW_AT(nr), sizeof(t->call.nr));
	memcpy(t->call.args, raw + RAW_AT(args), sizeof(t->call.args));
	memcpy(&t->call.result, raw + RAW_AT(ret), sizeof(t->call.result));
	memcpy(&t->start_ns, raw + RAW_AT(start_ns), sizeof(t->start_ns));
	memcpy(&flags, raw + RAW_AT(flags), sizeof(flags));
	if (t->start_ns > t->end_ns)
		t->start_ns = t->end_ns;
	t->began_before = flags & SYSCALL_SAMPLE_BEFORE;
	t->is_pending = flags & SYSCALL_SAMPLE_PENDING;
	if (flags & SYSCALL_SAMPLE_SIGNAL) {
		t->kind = TRACED_SIGNAL;
		t->signal = (int)t->call.args[0];
		add_pieces(t, memory, size);
		return true;
	}
	if (flags & SYSCALL_SAMPLE_EXIT) {
		t->kind = TRACED_EXIT;
		t->status = (int)t->call.args[0];
		t->superseded_by = flags & SYSCALL_SAMPLE_SUPERSEDED ? (int32_t)t->call.args[1] : 0;
		return true;
	}
	if (flags & SYSCALL_SAMPLE_FILE) {
		add_pieces(t, memory, size);
		syscall_files_describe(l, t);
		return false;
	}
	if (flags & SYSCALL_SAMPLE_32)
		t->call.abi = SYSCALL_I386;
	memcpy(&entry_tid, raw + RAW_AT(common_pid), sizeof(entry_tid));
	task = task_of(l, entry_tid);
	if (flags & SYSCALL_SAMPLE_ENTRY) {
		task->start_ns = t->start_ns;
		keep_memory(task, memory, size);
		t->kind = TRACED_ENTER;
		t->call.has_ended = false;
		if (l->has_enters)
			add_pieces(t, memory, size);
		return l->has_enters && !(flags & SYSCALL_SAMPLE_OPEN);
	}
	t->call.has_ended = !(flags & SYSCALL_SAMPLE_OPEN);
	if (task->memory_size && task->start_ns == t->start_ns)
		add_pieces(t, task->memory, task->memory_size);
	add_pieces(t, memory, size);
	task->memory_size = 0;
	/* Its thread has another number from here on. */
	if (entry_tid != sr->task->tid) {
		l->nr_live -= task->is_live;
		task->is_live = false;
	}
	return true;
}

bool syscall_log_is_weighed(const struct recording *r, const struct session_record *sr)
{
	const struct sample *s = &sr->rec.sample;
	const struct attr *attr;
	uint32_t flags;

	if (sr->event < 0 || s->raw_size < RAW_AT(memory))
		return true;
	attr = &r->info->events.v[sr->event].attr;
	if (attr->type != ATTR_TYPE_TRACEPOINT || attr->config != SYSCALL_SAMPLE_ID)
		return true;
	memcpy(&flags, (const uint8_t *)s->raw + RAW_AT(flags), sizeof(flags));
	return !(flags & (SYSCALL_SAMPLE_ENTRY | SYSCALL_SAMPLE_SIGNAL | SYSCALL_SAMPLE_EXIT | SYSCALL_SAMPLE_FILE));
}

static bool take_enter(struct syscall_log *l, const struct session_record *sr, struct traced *t)
{
	const struct sample *s = &sr->rec.sample;
	struct syscall_open *task;
	int64_t nr;

	if (s->raw_size < ENTER_ARGS_AT + sizeof(task->args))
		return false;
	task = task_of(l, sr->task->tid);
	memcpy(&nr, (const uint8_t *)s->raw + ENTER_ID_AT, sizeof(nr));
	memcpy(task->args, (const uint8_t *)s->raw + ENTER_ARGS_AT, sizeof(task->args));
	task->nr = (uint32_t)nr;
	task->start_ns = sr->time_ns;
	task->is_in = true;
	t->kind = TRACED_ENTER;
	t->start_ns = sr->time_ns;
	t->call.nr = task->nr;
	t->call.has_ended = false;
	memcpy(t->call.args, task->args, sizeof(t->call.args));
	return l->has_enters;
}

static bool take_exit(struct syscall_log *l, const struct session_record *sr, struct traced *t)
{
	const struct sample *s = &sr->rec.sample;
	struct syscall_open *task;
	int64_t nr;

	if (s->raw_size < ENTER_ARGS_AT + sizeof(t->call.result))
		return false;
	task = task_of(l, sr->task->tid);
	memcpy(&nr, (const uint8_t *)s->raw + ENTER_ID_AT, sizeof(nr));
	memcpy(&t->call.result, (const uint8_t *)s->raw + ENTER_ARGS_AT, sizeof(t->call.result));
	t->call.nr = (uint32_t)nr;
	t->call.has_ended = true;
	if (task->is_in && task->nr == t->call.nr && task->start_ns <= t->end_ns) {
		t->start_ns = task->start_ns;
		memcpy(t->call.args, task->args, sizeof(t->call.args));
	} else {
		l->nr_unpaired++;
	}
	task->is_in = false;
	return true;
}

/* Tasks that begin and end. */
static void take_other(struct syscall_log *l, const struct session_record *sr)
{
	const struct record *r = &sr->rec;
	/* Events leave a task that executes a set-user-ID program, and record its end, though it goes on: BPF's records say when it ends. */
	bool is_end = sr->header->type == RECORD_EXIT && l->call_event < 0;

	if (sr->header->type == RECORD_FORK)
		set_live(l, (int32_t)r->task.tid);
	else if (sr->header->type == RECORD_COMM)
		set_live(l, (int32_t)r->comm.tid);
	else if (is_end)
		syscall_log_end_task(l, (int32_t)r->task.tid);
	if (sr->header->type == RECORD_FORK && r->task.pid != r->task.ppid)
		open_files_fork(&l->files, (int32_t)r->task.ppid, (int32_t)r->task.pid);
	else if (is_end && r->task.pid == r->task.tid)
		open_files_forget(&l->files, (int32_t)r->task.pid);
}

#define WIDE_BYTES (1u << 18) /* four times what a record can have */

/* Structs whose layout is another get that of 64-bit programs, so that nothing else has to know both. */
static void widen(struct syscall_log *l, struct syscall_call *c)
{
	size_t used = 0;

	for (uint32_t i = 0; i < c->nr_memory; i++) {
		struct syscall_memory *m = &c->memory[i];
		const struct syscall_arg *a = m->arg < c->def->nr_args ? &c->def->args[m->arg] : NULL;

		if (!a || m->address || a->kind != SYSCALL_ARG_STRUCT || !syscall_is_widened(a->type))
			continue;
		if (!l->wide)
			l->wide = mem_alloc(WIDE_BYTES);
		m->size = (uint32_t)syscall_widen(a->type, m->data, m->size, l->wide + used, WIDE_BYTES - used);
		m->data = l->wide + used;
		used += m->size;
	}
}

/* Strings that were read when the call had ended are not counted: each has its NUL. */
static void count_strings(struct syscall_call *c)
{
	for (uint32_t i = 0; i < c->nr_memory; i++) {
		struct syscall_memory *m = &c->memory[i];

		if (!m->is_late || m->arg >= c->def->nr_args || c->def->args[m->arg].kind != SYSCALL_ARG_STRINGS)
			continue;
		for (uint32_t at = 0; at < m->size; at++)
			m->nr_strings += !m->data[at];
		m->nr_strings += m->is_cut;
	}
}

bool syscall_log_take(struct syscall_log *l, const struct session_record *sr, struct traced *t)
{
	bool is_there;

	open_files_trim(&l->files);
	if (sr->header->type != RECORD_SAMPLE) {
		take_other(l, sr);
		return false;
	}
	look_at_events(l);
	if (sr->event < 0 || !sr->task || !sr->rec.sample.raw)
		return false;
	t->kind = TRACED_CALL;
	t->task = sr->task;
	t->start_ns = 0;
	t->began_before = t->is_pending = false;
	t->end_ns = sr->time_ns;
	t->cpu = sr->rec.sample.cpu;
	t->call.nr_memory = 0;
	t->nr_files = 0;
	t->call.abi = l->abi;
	memset(t->call.args, 0, sizeof(t->call.args));
	if (sr->event == l->call_event)
		is_there = take_call(l, sr, t);
	else if (sr->event == l->enter_event)
		is_there = take_enter(l, sr, t);
	else
		is_there = sr->event == l->exit_event && take_exit(l, sr, t);
	if (is_there)
		set_live(l, t->task->tid);
	if (is_there && (t->kind == TRACED_CALL || t->kind == TRACED_ENTER))
		t->call.def = syscall_get(t->call.abi, t->call.nr);
	if (is_there && t->kind == TRACED_CALL && t->call.def)
		count_strings(&t->call);
	if (is_there && t->call.abi == SYSCALL_I386 && t->call.nr_memory && t->call.def)
		widen(l, &t->call);
	return is_there;
}
