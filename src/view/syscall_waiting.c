/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Calls that wait, and times: strace writes what poll() and select() found behind the result, and what is left of a sleep only where a signal
 * ended it.
 */
#include <string.h>

#include "view/syscall_names.h"
#include "view/syscall_special.h"

/* Times of 32-bit programs come as 64-bit ones have them, so that both types are one. */
static uint32_t arg_of_type(const struct syscall_writer *w, uint8_t type)
{
	for (uint32_t i = 0; i < w->c->def->nr_args && i < SYSCALL_MAX_ARGS; i++) {
		const struct syscall_arg *a = &w->c->def->args[i];

		if (a->kind == SYSCALL_ARG_STRUCT &&
		    (a->type == type || (type == SYSCALL_TYPE_TIMESPEC && a->type == SYSCALL_TYPE_TIMESPEC64)))
			return i;
	}
	return SYSCALL_MAX_ARGS;
}

/* The time that is left, which the kernel writes back. */
static void left_put(struct syscall_writer *w, uint32_t i, uint8_t type, const char *before)
{
	struct syscall_bytes b;

	if (i >= SYSCALL_MAX_ARGS || !w->c->args[i] || !syscall_memory_find(w, i, true, &b) || b.size < 16)
		return;
	out_str(w->o, before);
	out_str(w->o, "left ");
	syscall_put_struct(w, type, &b);
}

/* ---- poll ---- */

/* As it was made: nothing of what came back. */
static bool in_arg_put(struct syscall_writer *w, uint32_t i)
{
	const struct syscall_arg *a = &w->c->def->args[i];
	struct syscall_bytes b;

	if (a->kind != SYSCALL_ARG_STRUCT || a->direction == SYSCALL_IN)
		return false;
	w->drops_prefix = false;
	if (!w->c->args[i] || !syscall_memory_find(w, i, false, &b) || !syscall_put_struct(w, a->type, &b))
		syscall_put_pointer(w, w->c->args[i]);
	return true;
}

bool syscall_poll_arg(struct syscall_writer *w, uint32_t i)
{
	struct syscall_bytes b;

	if (i)
		return in_arg_put(w, i);
	w->drops_prefix = false;
	if (w->c->args[0] && syscall_memory_find(w, 0, false, &b) && (b.size >= 8 || !w->c->args[1]))
		syscall_put_array(w, SYSCALL_TYPE_POLLFD, &b, (uint32_t)w->c->args[1]);
	else
		syscall_put_pointer(w, w->c->args[0]);
	return true;
}

static void ready_put(struct syscall_writer *w)
{
	struct syscall_bytes b;
	uint32_t nr = 0;

	out_mem(w->o, " ([", 3);
	syscall_memory_find(w, 0, true, &b);
	for (uint32_t i = 0; i < (uint32_t)w->c->args[1] && i < b.size / 8; i++) {
		struct syscall_bytes one = syscall_bytes_part(&b, (size_t)i * 8, 8);

		if (!syscall_bytes_u16(&one, 6))
			continue;
		if (!syscall_next_element(w, nr++))
			break;
		out_str(w->o, "{fd=");
		syscall_put_s64(w->o, syscall_bytes_s32(&one, 0)); /* what it stands for is in the argument */
		out_str(w->o, ", revents=");
		syscall_put_flags(w, &syscall_flags_poll_events, syscall_bytes_u16(&one, 6));
		out_char(w->o, '}');
	}
	out_char(w->o, ']');
	left_put(w, arg_of_type(w, SYSCALL_TYPE_TIMESPEC), SYSCALL_TYPE_TIMESPEC, ", ");
	out_char(w->o, ')');
}

bool syscall_poll_result(struct syscall_writer *w)
{
	struct syscall_bytes b;

	syscall_put_s64(w->o, w->c->result);
	w->drops_prefix = false;
	if (!w->c->result)
		out_str(w->o, " (Timeout)");
	else if (syscall_memory_find(w, 0, true, &b))
		ready_put(w);
	return true;
}

/* ---- select ---- */

bool syscall_select_arg(struct syscall_writer *w, uint32_t i)
{
	struct syscall_bytes b;

	if (!i || i > 3)
		return in_arg_put(w, i);
	w->drops_prefix = false;
	if (w->c->args[i] && (int)w->c->args[0] >= 0 && syscall_memory_find(w, i, false, &b))
		syscall_put_fd_set(w, &b, (int)w->c->args[0]);
	else
		syscall_put_pointer(w, w->c->args[i]);
	return true;
}

static bool set_is_empty(const struct syscall_bytes *b, int nr)
{
	for (uint32_t fd = 0; nr > 0 && fd < (uint32_t)nr && fd / 8 < b->size; fd++)
		if (b->data[fd / 8] >> (fd % 8) & 1)
			return false;
	return true;
}

/* What the descriptors stand for is in the arguments. */
static void plain_set_put(struct syscall_writer *w, const struct syscall_bytes *b)
{
	struct syscall_text_options plain = *w->opts;
	struct syscall_writer numbers = *w;

	plain.show_fds = 0;
	numbers.opts = &plain;
	syscall_put_fd_set(&numbers, b, (int)w->c->args[0]);
	w->elements_left = numbers.elements_left;
}

bool syscall_select_result(struct syscall_writer *w)
{
	static const char *const names[] = { NULL, "in ", "out ", "except " };
	uint8_t type = strstr(w->c->def->name, "pselect") ? SYSCALL_TYPE_TIMESPEC : SYSCALL_TYPE_TIMEVAL;
	struct syscall_bytes b;
	bool any = false;

	syscall_put_s64(w->o, w->c->result);
	w->drops_prefix = false;
	if (!w->c->result) {
		out_str(w->o, " (Timeout)");
		return true;
	}
	for (uint32_t i = 1; i <= 3; i++) {
		if (!w->c->args[i] || !syscall_memory_find(w, i, true, &b) || set_is_empty(&b, (int)w->c->args[0]))
			continue;
		out_str(w->o, any ? ", " : " (");
		any = true;
		out_str(w->o, names[i]);
		plain_set_put(w, &b);
	}
	if (any) {
		left_put(w, 4, type, ", ");
		out_char(w->o, ')');
	}
	return true;
}

bool syscall_recvmmsg_result(struct syscall_writer *w)
{
	struct syscall_bytes b;

	syscall_put_s64(w->o, w->c->result);
	if (w->c->args[4] && w->c->result > 0 && syscall_memory_find(w, 4, true, &b) && b.size >= 16) {
		left_put(w, 4, SYSCALL_TYPE_TIMESPEC, " (");
		out_char(w->o, ')');
	}
	return true;
}

/* ---- sleeping and waiting ---- */

bool syscall_sleep_arg(struct syscall_writer *w, uint32_t i)
{
	int error = -syscall_error(w->c);
	bool is_interrupted = error == 4 || error >= SYSCALL_FIRST_RESTART, is_absolute = w->c->def->nr_args == 4 && w->c->args[1];
	struct syscall_bytes b;

	if (w->c->def->args[i].direction == SYSCALL_IN)
		return false;
	w->drops_prefix = false;
	if (!is_interrupted || is_absolute || !w->c->args[i] || !syscall_memory_find(w, i, true, &b) ||
	    !syscall_put_struct(w, SYSCALL_TYPE_TIMESPEC, &b))
		syscall_put_pointer(w, w->c->args[i]);
	return true;
}

/* Where no child had changed, nothing was written. */
bool syscall_wait_arg(struct syscall_writer *w, uint32_t i)
{
	bool has_child = w->c->has_ended && w->c->result > 0;
	struct syscall_bytes b;

	if (w->c->def->args[i].direction == SYSCALL_IN || w->c->def->args[i].kind != SYSCALL_ARG_STRUCT)
		return false;
	if (has_child && i != 1)
		return false;
	if (has_child && w->c->args[1] && syscall_memory_find(w, 1, true, &b) && b.size >= 4)
		syscall_put_wait_status(w, syscall_bytes_u32(&b, 0));
	else
		syscall_put_pointer(w, w->c->args[i]);
	return true;
}

/* ---- times of files ---- */

#define UTIME_NOW_NSEC 0x3fffffffu
#define UTIME_OMIT_NSEC 0x3ffffffeu

static void file_time_put(struct syscall_writer *w, const struct syscall_bytes *b, bool is_nsec)
{
	int64_t sec = syscall_bytes_s64(b, 0);
	uint64_t fraction = syscall_bytes_u64(b, 8);

	if (is_nsec && (fraction == UTIME_NOW_NSEC || fraction == UTIME_OMIT_NSEC)) {
		out_str(w->o, fraction == UTIME_NOW_NSEC ? "UTIME_NOW" : "UTIME_OMIT");
		return;
	}
	syscall_put_timespec(w, sec, fraction, is_nsec ? "tv_nsec" : "tv_usec");
	syscall_put_date(w, sec, fraction, is_nsec ? 9 : 6);
}

static void utimbuf_put(struct syscall_writer *w, const struct syscall_bytes *b)
{
	out_str(w->o, "{actime=");
	syscall_put_s64(w->o, syscall_bytes_s64(b, 0));
	syscall_put_date(w, syscall_bytes_s64(b, 0), 0, 9);
	out_str(w->o, ", modtime=");
	syscall_put_s64(w->o, syscall_bytes_s64(b, 8));
	syscall_put_date(w, syscall_bytes_s64(b, 8), 0, 9);
	out_char(w->o, '}');
}

bool syscall_utimes_arg(struct syscall_writer *w, uint32_t i)
{
	bool is_nsec = !strncmp(w->c->def->name, "utimensat", 9), is_old = !strcmp(w->c->def->name, "utime");
	struct syscall_bytes b, second;

	if (w->c->def->args[i].kind != SYSCALL_ARG_STRUCT)
		return false;
	w->drops_prefix = false;
	if (!w->c->args[i] || !syscall_memory_find(w, i, false, &b) || b.size < (is_old ? 16 : 32)) {
		syscall_put_pointer(w, w->c->args[i]);
	} else if (is_old) {
		utimbuf_put(w, &b);
	} else {
		second = syscall_bytes_part(&b, 16, 16);
		out_char(w->o, '[');
		file_time_put(w, &b, is_nsec);
		out_mem(w->o, ", ", 2);
		file_time_put(w, &second, is_nsec);
		out_char(w->o, ']');
	}
	return true;
}

bool syscall_time_arg(struct syscall_writer *w, uint32_t i)
{
	struct syscall_bytes b;

	if (!w->c->args[i] || syscall_error(w->c) || !syscall_memory_find(w, i, true, &b) || b.size < 8)
		return false;
	out_char(w->o, '[');
	syscall_put_s64(w->o, syscall_bytes_s64(&b, 0));
	syscall_put_date(w, syscall_bytes_s64(&b, 0), 0, 9);
	out_char(w->o, ']');
	return true;
}

bool syscall_time_result(struct syscall_writer *w)
{
	char date[SYSCALL_DATE_SIZE];

	syscall_put_s64(w->o, w->c->result);
	if (syscall_date_text(date, w->c->result, 0, 9)) {
		out_mem(w->o, " (", 2);
		out_str(w->o, date);
		out_char(w->o, ')');
	}
	return true;
}

/* [0] => [4] */
bool syscall_offset_arg(struct syscall_writer *w, uint32_t i)
{
	struct syscall_bytes before, after;

	if (i != 2 || !w->c->args[2] || !syscall_memory_find(w, 2, false, &before) || before.size < 8)
		return false;
	syscall_put_struct(w, SYSCALL_TYPE_LONG, &before);
	if (w->c->has_ended && !syscall_error(w->c) && w->c->result && syscall_memory_find(w, 2, true, &after) && after.size >= 8) {
		out_str(w->o, " => ");
		syscall_put_struct(w, SYSCALL_TYPE_LONG, &after);
	}
	return true;
}
