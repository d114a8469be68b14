/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One argument as its table entry describes it: a number, or what is known of the memory that it points to. Where that was not read, cannot be
 * read, or is what a call that failed left behind, the address is written.
 */
#include "view/syscall_writer.h"

#include <string.h>

static uint64_t bytes_get(const struct syscall_bytes *b, size_t offset, size_t size)
{
	uint64_t v = 0;

	if (offset < b->size && size <= b->size - offset)
		memcpy(&v, b->data + offset, size);
	return v;
}

uint64_t syscall_bytes_u64(const struct syscall_bytes *b, size_t offset)
{
	return bytes_get(b, offset, 8);
}

uint32_t syscall_bytes_u32(const struct syscall_bytes *b, size_t offset)
{
	return (uint32_t)bytes_get(b, offset, 4);
}

uint16_t syscall_bytes_u16(const struct syscall_bytes *b, size_t offset)
{
	return (uint16_t)bytes_get(b, offset, 2);
}

uint8_t syscall_bytes_u8(const struct syscall_bytes *b, size_t offset)
{
	return (uint8_t)bytes_get(b, offset, 1);
}

/* ---- memory ---- */

static uint32_t memory_count(const struct syscall_call *c)
{
	return c->nr_memory < ELEMENTS_OF(c->memory) ? c->nr_memory : ELEMENTS_OF(c->memory);
}

const struct syscall_memory *syscall_memory_get(const struct syscall_writer *w, uint32_t arg, bool at_exit)
{
	for (uint32_t i = 0; i < memory_count(w->c); i++) {
		const struct syscall_memory *m = &w->c->memory[i];
		bool is_of_exit = m->is_at_exit && !m->is_late;

		if (m->arg == arg && !m->address && is_of_exit == at_exit && !m->has_failed)
			return m;
	}
	return NULL;
}

bool syscall_memory_find(const struct syscall_writer *w, uint32_t arg, bool at_exit, struct syscall_bytes *b)
{
	const struct syscall_memory *m = syscall_memory_get(w, arg, at_exit);

	*b = (struct syscall_bytes){ .data = m ? m->data : NULL, .size = m && m->data ? m->size : 0 };
	return m != NULL;
}

const struct syscall_memory *syscall_memory_at(const struct syscall_writer *w, uint64_t address)
{
	const struct syscall_memory *found = NULL;

	for (uint32_t i = 0; address && i < memory_count(w->c); i++) {
		const struct syscall_memory *m = &w->c->memory[i];

		if (m->address == address && !m->has_failed && (!found || m->is_at_exit))
			found = m;
	}
	return found;
}

bool syscall_next_element(struct syscall_writer *w, uint32_t index)
{
	if (index)
		out_mem(w->o, ", ", 2);
	if (!w->elements_left || (index >= w->opts->max_string && !w->opts->is_verbose)) {
		out_mem(w->o, "...", 3);
		return false;
	}
	w->elements_left--;
	return true;
}

/* ---- arguments that point to something ---- */

static bool arg_is_read_at_exit(const struct syscall_arg *a)
{
	return a->direction != SYSCALL_IN;
}

/* The number of bytes or elements that an argument has; UINT64_MAX: unknown. */
static uint64_t arg_length(const struct syscall_writer *w, const struct syscall_arg *a)
{
	struct syscall_bytes b;
	uint64_t room, result = w->c->result > 0 ? (uint64_t)w->c->result : 0;

	if (a->len_arg >= SYSCALL_MAX_ARGS)
		return UINT64_MAX;
	if (a->is_len_pointer) {
		bool known = (arg_is_read_at_exit(a) && syscall_memory_find(w, a->len_arg, true, &b)) ||
			     syscall_memory_find(w, a->len_arg, false, &b);

		return known ? syscall_bytes_u32(&b, 0) : UINT64_MAX;
	}
	room = w->c->args[a->len_arg];
	if (w->c->def->args[a->len_arg].kind == SYSCALL_ARG_INT || w->c->def->args[a->len_arg].kind == SYSCALL_ARG_UINT)
		room = (uint32_t)room;
	return a->direction == SYSCALL_OUT && !a->is_len_exact && result < room && w->c->has_ended ? result : room;
}

static void bytes_arg_put(struct syscall_writer *w, uint32_t i, const struct syscall_arg *a)
{
	uint64_t size = arg_length(w, a);
	struct syscall_bytes b;
	bool here = syscall_memory_find(w, i, arg_is_read_at_exit(a), &b);

	if (size == UINT64_MAX)
		size = b.size;
	if (w->c->args[i] && (here || !size) && (b.size || !size))
		syscall_put_buffer(w, &b, size, 0);
	else
		syscall_put_pointer(w, w->c->args[i]);
}

static void string_arg_put(struct syscall_writer *w, uint32_t i, const struct syscall_arg *a)
{
	const struct syscall_memory *m = syscall_memory_get(w, i, arg_is_read_at_exit(a));
	struct syscall_bytes b = { m ? m->data : NULL, m ? m->size : 0 };

	if (!m || !b.size) {
		syscall_put_pointer(w, w->c->args[i]);
		return;
	}
	syscall_put_string(w, &b, m->is_cut, a->kind == SYSCALL_ARG_PATH ? SYSCALL_MAX_PATH : w->opts->max_string);
	if (m->is_late && w->opts->shape == SYSCALL_PERF)
		out_str(w->o, " /* read at exit */");
}

static void strings_arg_put(struct syscall_writer *w, uint32_t i)
{
	const struct syscall_memory *m = syscall_memory_get(w, i, false);

	if (m)
		syscall_put_strings(w, m, w->c->args[i], !strcmp(w->c->def->args[i].name, "envp"));
	else
		syscall_put_pointer(w, w->c->args[i]);
}

/* [110 => 2]: the room that there was, and what came back; one number where they are the same. */
static bool length_put(struct syscall_writer *w, uint32_t i)
{
	struct syscall_bytes before, after;
	bool has_before = syscall_memory_find(w, i, false, &before), has_after = syscall_memory_find(w, i, true, &after);
	int32_t a = syscall_bytes_s32(has_before ? &before : &after, 0), b = syscall_bytes_s32(has_after ? &after : &before, 0);

	if (before.size < 4 && after.size < 4)
		return false;
	out_char(w->o, '[');
	syscall_put_s64(w->o, a);
	if (a != b && !syscall_error(w->c) && has_after) {
		out_mem(w->o, " => ", 4);
		syscall_put_s64(w->o, b);
	}
	out_char(w->o, ']');
	return true;
}

static bool sized_put(struct syscall_writer *w, const struct syscall_arg *a, const struct syscall_bytes *b, uint64_t length)
{
	struct syscall_bytes part = syscall_bytes_part(b, 0, length < b->size ? (size_t)length : b->size);

	if (a->type != SYSCALL_TYPE_SOCKADDR)
		return syscall_put_struct(w, a->type, &part);
	if (part.size < 2)
		return false;
	syscall_put_sockaddr(w, &part);
	return true;
}

static bool struct_put(struct syscall_writer *w, uint32_t i, const struct syscall_arg *a, const struct syscall_bytes *b)
{
	uint64_t length = arg_length(w, a), result = w->c->result > 0 ? (uint64_t)w->c->result : 0;
	struct syscall_bytes part, before;
	bool is_out = a->direction != SYSCALL_IN;

	switch (a->type) {
	case SYSCALL_TYPE_IOVEC:
		if (!b->size && length)
			return false;
		syscall_put_iovec(w, b, length, is_out && !syscall_error(w->c) ? result : UINT64_MAX);
		return true;
	case SYSCALL_TYPE_MSGHDR:
		return syscall_put_msghdr(w, b, is_out && syscall_memory_find(w, i, false, &before) ? &before : NULL,
					  is_out ? result : UINT64_MAX);
	case SYSCALL_TYPE_MMSGHDR:
		return syscall_put_messages(w, i, b, result);
	case SYSCALL_TYPE_FD_SET:
		syscall_put_fd_set(w, b, (int)w->c->args[0]);
		return true;
	case SYSCALL_TYPE_DIRENT:
	case SYSCALL_TYPE_DIRENT_OLD:
		part = syscall_bytes_part(b, 0, (size_t)result);
		syscall_put_dirents(w, &part, w->c->args[i], a->type == SYSCALL_TYPE_DIRENT, result);
		return true;
	case SYSCALL_TYPE_MSGBUF:
		return syscall_put_msgbuf(w, b);
	}
	if (a->len_arg >= SYSCALL_MAX_ARGS)
		return syscall_put_struct(w, a->type, b);
	if (syscall_type_size(w->c->abi, a->type) == 1)
		return sized_put(w, a, b, length);
	if (!b->size && length)
		return false;
	syscall_put_array(w, a->type, b, length);
	return true;
}

/* Whether what is written is what the call left behind. Offsets and times are written as they were, and a vector stays as it is: its buffers
 * do not. */
static bool struct_is_of_end(const struct syscall_arg *a)
{
	if (a->direction == SYSCALL_INOUT && (a->type == SYSCALL_TYPE_OFFSET || a->type == SYSCALL_TYPE_LONG ||
					      a->type == SYSCALL_TYPE_TIMESPEC || a->type == SYSCALL_TYPE_TIMESPEC64))
		return false;
	return a->direction != SYSCALL_IN && a->type != SYSCALL_TYPE_IOVEC;
}

/* An array without elements needs no memory. */
static bool struct_find(const struct syscall_writer *w, uint32_t i, const struct syscall_arg *a, struct syscall_bytes *b)
{
	return syscall_memory_find(w, i, struct_is_of_end(a), b) ||
	       (a->len_arg < SYSCALL_MAX_ARGS && !a->is_len_pointer && !arg_length(w, a));
}

static void struct_arg_put(struct syscall_writer *w, uint32_t i, const struct syscall_arg *a)
{
	struct syscall_bytes b;

	if (w->c->args[i] && a->type == SYSCALL_TYPE_SOCKLEN && length_put(w, i))
		return;
	if (!w->c->args[i] || (struct_is_of_end(a) && (!w->c->has_ended || syscall_error(w->c))) || !struct_find(w, i, a, &b) ||
	    !struct_put(w, i, a, &b))
		syscall_put_pointer(w, w->c->args[i]);
}

/* A length that is negative says nothing. */
static bool arg_has_bad_length(const struct syscall_writer *w, const struct syscall_arg *a)
{
	return a->len_arg < SYSCALL_MAX_ARGS && !a->is_len_pointer && w->c->def->args[a->len_arg].kind == SYSCALL_ARG_INT &&
	       (int32_t)w->c->args[a->len_arg] < 0;
}

/* ---- any argument ---- */

#define PERMISSIONS 0777U

/* IPC_CREAT|0600 */
static void flags_mode_put(struct syscall_writer *w, const struct syscall_flags *names, uint32_t v)
{
	if (v & ~PERMISSIONS) {
		syscall_put_flags(w, names, v & ~PERMISSIONS);
		out_char(w->o, '|');
	}
	syscall_put_permissions(w, v & PERMISSIONS);
}

static bool value_arg_put(struct syscall_writer *w, uint32_t i, const struct syscall_arg *a, uint64_t v)
{
	const struct syscall_flags *names = a->flags ? syscall_arg_flags(w->c->def, w->c->args, i) : NULL;

	switch (a->kind) {
	case SYSCALL_ARG_INT:
		syscall_put_s64(w->o, (int32_t)v);
		return true;
	case SYSCALL_ARG_UINT:
		out_u64(w->o, (uint32_t)v, 0);
		return true;
	case SYSCALL_ARG_LONG:
	case SYSCALL_ARG_OFFSET:
		syscall_put_s64(w->o, (int64_t)v);
		return true;
	case SYSCALL_ARG_ULONG:
	case SYSCALL_ARG_SIZE:
		out_u64(w->o, v, 0);
		return true;
	case SYSCALL_ARG_HEX:
		syscall_put_hex(w->o, v);
		return true;
	case SYSCALL_ARG_FD:
		syscall_put_fd(w, (int)v);
		return true;
	case SYSCALL_ARG_DIRFD:
		syscall_put_dirfd(w, (int)v);
		return true;
	case SYSCALL_ARG_PID:
		syscall_put_pid(w, (int)v);
		return true;
	case SYSCALL_ARG_UID:
		syscall_put_uid(w, (uint32_t)v);
		return true;
	case SYSCALL_ARG_MODE:
		syscall_put_permissions(w, (uint16_t)v);
		return true;
	case SYSCALL_ARG_DEVICE:
		syscall_put_device(w, v);
		return true;
	case SYSCALL_ARG_SIGNAL:
		syscall_put_signal(w, (int)v);
		return true;
	case SYSCALL_ARG_FLAGS:
		syscall_put_flags(w, names, v >> 32 == UINT32_MAX ? (uint32_t)v : v);
		return true;
	case SYSCALL_ARG_FLAGS_MODE:
		flags_mode_put(w, names, (uint32_t)v);
		return true;
	case SYSCALL_ARG_ENUM:
		syscall_put_enum(w, names, (uint32_t)v);
		return true;
	case SYSCALL_ARG_IOCTL:
		syscall_put_ioctl(w, (uint32_t)v);
		return true;
	}
	return false;
}

void syscall_put_arg(struct syscall_writer *w, uint32_t i)
{
	const struct syscall_arg *a = &w->c->def->args[i];

	if (value_arg_put(w, i, a, w->c->args[i]))
		return;
	w->drops_prefix = false;
	if (arg_has_bad_length(w, a)) {
		syscall_put_pointer(w, w->c->args[i]);
		return;
	}
	switch (a->kind) {
	case SYSCALL_ARG_BYTES:
		if (arg_is_read_at_exit(a) && (!w->c->has_ended || syscall_error(w->c)))
			syscall_put_pointer(w, w->c->args[i]);
		else
			bytes_arg_put(w, i, a);
		return;
	case SYSCALL_ARG_PATH:
	case SYSCALL_ARG_STRING:
		string_arg_put(w, i, a);
		return;
	case SYSCALL_ARG_STRINGS:
		strings_arg_put(w, i);
		return;
	case SYSCALL_ARG_STRUCT:
		struct_arg_put(w, i, a);
		return;
	default:
		syscall_put_pointer(w, w->c->args[i]);
	}
}
