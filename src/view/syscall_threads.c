/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * futex() and clone(): the operation and the flags say which of the arguments count, and strace writes those alone.
 */
#include <linux/futex.h>

#include "view/syscall_names.h"
#include "view/syscall_special.h"

/* ---- futex ---- */

#define FUTEX_COMMAND(op) ((uint32_t)(op) & ~(uint32_t)(FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME))

/* The arguments that an operation has, in the order in which they are written. */
static const char *futex_shape(uint64_t op)
{
	static const char *const shapes[] = {
		[FUTEX_WAIT] = "aovt",
		[FUTEX_WAKE] = "aov",
		[FUTEX_FD] = "aov",
		[FUTEX_REQUEUE] = "aovnb",
		[FUTEX_CMP_REQUEUE] = "aovnbd",
		[FUTEX_WAKE_OP] = "aovnbw",
		[FUTEX_LOCK_PI] = "aot",
		[FUTEX_UNLOCK_PI] = "ao",
		[FUTEX_TRYLOCK_PI] = "ao",
		[FUTEX_WAIT_BITSET] = "aovtx",
		[FUTEX_WAKE_BITSET] = "aovx",
		[FUTEX_WAIT_REQUEUE_PI] = "aovtb",
		[FUTEX_CMP_REQUEUE_PI] = "aovnbd",
		[13] = "aot",
	};
	uint32_t command = FUTEX_COMMAND(op);

	return command < ELEMENTS_OF(shapes) ? shapes[command] : "aovpbx";
}

uint32_t syscall_futex_args(const struct syscall_writer *w)
{
	uint32_t nr = 0;

	for (const char *s = futex_shape(w->c->args[1]); *s; s++)
		nr++;
	return nr;
}

static void futex_op_put(struct syscall_writer *w, uint32_t v)
{
	syscall_put_enum(w, &syscall_futex_op_names, v >> 28 & 7);
	out_str(w->o, v >> 31 ? "|FUTEX_OP_OPARG_SHIFT<<28|" : "<<28|");
	syscall_put_hex(w->o, v >> 12 & 0xfff);
	out_str(w->o, "<<12|");
	syscall_put_enum(w, &syscall_futex_cmp_names, v >> 24 & 0xf);
	out_str(w->o, "<<24|");
	syscall_put_hex(w->o, v & 0xfff);
}

/* In perf's shape arguments have the place that they are passed at, so that their names stay right. */
bool syscall_futex_arg(struct syscall_writer *w, uint32_t i)
{
	const uint64_t *args = w->c->args;

	if (w->opts->shape == SYSCALL_PERF)
		return false;
	switch (futex_shape(args[1])[i]) {
	case 'v':
		out_u64(w->o, (uint32_t)args[2], 0);
		return true;
	case 't':
		syscall_put_arg(w, 3);
		return true;
	case 'n':
		out_u64(w->o, (uint32_t)args[3], 0);
		return true;
	case 'p':
		syscall_put_pointer(w, args[3]);
		return true;
	case 'b':
		syscall_put_pointer(w, args[4]);
		return true;
	case 'd':
		out_u64(w->o, (uint32_t)args[5], 0);
		return true;
	case 'w':
		futex_op_put(w, (uint32_t)args[5]);
		return true;
	case 'x':
		if ((uint32_t)args[5] == UINT32_MAX)
			out_str(w->o, "FUTEX_BITSET_MATCH_ANY");
		else
			syscall_put_hex(w->o, (uint32_t)args[5]);
		return true;
	}
	return false;
}

/* ---- clone ---- */

#define CLONE_PIDFD_OR_PARENT 0x101000u
#define CLONE_SETTLS_BIT 0x80000u
#define CLONE_CHILD_BITS 0x1200000u
#define CLONE_PARENT_SETTID_BIT 0x100000u

/* strace names the arguments and writes those that the flags make count; `what`: the one at place `i`. */
static char clone_what(const struct syscall_writer *w, uint32_t i)
{
	uint32_t flags = (uint32_t)w->c->args[0];
	char what[6] = "sf";
	uint32_t nr = 2;

	if (flags & CLONE_PIDFD_OR_PARENT)
		what[nr++] = 'p';
	if (flags & CLONE_SETTLS_BIT)
		what[nr++] = 't';
	if (flags & CLONE_CHILD_BITS)
		what[nr++] = 'c';
	return i < nr ? what[i] : '\0';
}

uint32_t syscall_clone_args(const struct syscall_writer *w)
{
	uint32_t nr = 0;

	if (w->opts->shape == SYSCALL_PERF)
		return 5;
	while (clone_what(w, nr))
		nr++;
	return nr;
}

static void clone_flags_put(struct syscall_writer *w)
{
	uint64_t flags = (uint32_t)w->c->args[0] & ~(uint64_t)0xff;
	int sig = (int)(w->c->args[0] & 0xff);

	if (flags || !sig)
		syscall_put_flags(w, &syscall_flags_clone, flags);
	if (flags && sig)
		out_char(w->o, '|');
	if (sig)
		syscall_put_signal(w, sig);
}

static uint32_t clone_arg_index(const struct syscall_writer *w, bool is_tls)
{
	bool is_backwards = w->c->abi != SYSCALL_X86_64; /* tls in front of the child's tid */

	return is_tls == is_backwards ? 3 : 4;
}

bool syscall_clone_arg(struct syscall_writer *w, uint32_t i)
{
	struct syscall_bytes b;

	if (w->opts->shape == SYSCALL_PERF) {
		if (!i) {
			w->drops_prefix = true;
			clone_flags_put(w);
		}
		return !i;
	}
	switch (clone_what(w, i)) {
	case 's':
		out_str(w->o, "child_stack=");
		syscall_put_pointer(w, w->c->args[1]);
		break;
	case 'f':
		out_str(w->o, "flags=");
		clone_flags_put(w);
		break;
	case 'p':
		out_str(w->o, "parent_tid=");
		if (w->c->has_ended && !syscall_error(w->c) && syscall_memory_find(w, 2, true, &b) && b.size >= 4)
			syscall_put_struct(w, SYSCALL_TYPE_INT, &b);
		else
			syscall_put_pointer(w, w->c->args[2]);
		break;
	case 't':
		out_str(w->o, "tls=");
		syscall_put_hex(w->o, w->c->args[clone_arg_index(w, true)]);
		break;
	default:
		out_str(w->o, "child_tidptr=");
		syscall_put_pointer(w, w->c->args[clone_arg_index(w, false)]);
	}
	return true;
}

/* {flags=…} => {parent_tid=[32664]} */
bool syscall_clone3_arg(struct syscall_writer *w, uint32_t i)
{
	struct syscall_bytes b;

	if (i || !syscall_memory_find(w, 0, false, &b))
		return false;
	b = syscall_bytes_part(&b, 0, (size_t)(w->c->args[1] < b.size ? w->c->args[1] : b.size));
	w->drops_prefix = false;
	if (!syscall_put_struct(w, SYSCALL_TYPE_CLONE_ARGS, &b))
		return false;
	if (!(syscall_bytes_u64(&b, 0) & CLONE_PARENT_SETTID_BIT) || !w->c->has_ended || w->c->result <= 0)
		return true;
	/* The kernel writes there what it returns. */
	out_str(w->o, " => {parent_tid=[");
	syscall_put_s64(w->o, w->c->result);
	out_str(w->o, "]}");
	return true;
}
