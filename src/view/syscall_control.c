/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Calls whose first or second argument decides what the others are: fcntl, ioctl, prctl.
 */
#include <fcntl.h>
#include <sys/prctl.h>

#include "view/syscall_names.h"
#include "view/syscall_special.h"

/* ---- fcntl ---- */

/* Of 32-bit programs, with offsets of 64 bits. */
#define FCNTL_GETLK64 12
#define FCNTL_SETLKW64 14
#define FCNTL_OFD_GETLK 36
#define FCNTL_OFD_SETLKW 38

uint32_t syscall_fcntl_args(const struct syscall_writer *w)
{
	switch ((uint32_t)w->c->args[1]) {
	case F_GETFD:
	case F_GETFL:
	case F_GETOWN:
	case 11:   /* F_GETSIG */
	case 1025: /* F_GETLEASE */
	case 1032: /* F_GETPIPE_SZ */
	case 1034: /* F_GET_SEALS */
		return 2;
	}
	return 3;
}

/* The process that has the lock is known of those that were asked for. */
static bool lock_put(struct syscall_writer *w, bool is_asked)
{
	struct syscall_bytes b;
	uint8_t wide[32];

	if (!w->c->args[2] || (is_asked && (!w->c->has_ended || syscall_error(w->c))) || !syscall_memory_find(w, 2, is_asked, &b))
		return false;
	if (w->c->abi == SYSCALL_I386) {
		bool is_64 = (uint32_t)w->c->args[1] >= FCNTL_GETLK64;

		b.size = syscall_widen(is_64 ? SYSCALL_TYPE_FLOCK64 : SYSCALL_TYPE_FLOCK, b.data, b.size, wide, sizeof(wide));
		b.data = wide;
	}
	if (b.size < 28)
		return false;
	w->drops_prefix = false;
	out_char(w->o, '{');
	syscall_put_plain_fields(w, &b, syscall_flock_fields, SYSCALL_NR_FLOCK_FIELDS);
	if (is_asked) {
		out_str(w->o, ", l_pid=");
		syscall_put_s64(w->o, syscall_bytes_s32(&b, 24));
	}
	out_char(w->o, '}');
	return true;
}

static bool owner_put(struct syscall_writer *w, bool is_asked)
{
	struct syscall_bytes b;

	if ((is_asked && syscall_error(w->c)) || !syscall_memory_find(w, 2, is_asked, &b) || b.size < 8)
		return false;
	w->drops_prefix = false;
	out_str(w->o, "{type=");
	syscall_put_enum(w, &syscall_owner_types, syscall_bytes_u32(&b, 0));
	out_str(w->o, ", pid=");
	syscall_put_s64(w->o, syscall_bytes_s32(&b, 4));
	out_char(w->o, '}');
	return true;
}

static bool fcntl_third_put(struct syscall_writer *w, uint64_t v)
{
	switch ((uint32_t)w->c->args[1]) {
	case F_SETFD:
		syscall_put_flags(w, &syscall_flags_fd_flags, (uint32_t)v);
		return true;
	case F_SETFL:
		syscall_put_flags(w, syscall_open_flags(w->c->abi), (uint32_t)v);
		return true;
	case F_GETLK:
	case FCNTL_GETLK64:
	case FCNTL_OFD_GETLK:
		return lock_put(w, true);
	case F_SETLK:
	case F_SETLKW:
	case FCNTL_GETLK64 + 1:
	case FCNTL_SETLKW64:
	case FCNTL_OFD_GETLK + 1:
	case FCNTL_OFD_SETLKW:
		return lock_put(w, false);
	case 10: /* F_SETSIG */
		syscall_put_signal(w, (int)v);
		return true;
	case 15: /* F_SETOWN_EX */
	case 16: /* F_GETOWN_EX */
		return owner_put(w, w->c->args[1] == 16);
	case 1024: /* F_SETLEASE */
		syscall_put_enum(w, &syscall_flags_lock_type, (uint32_t)v);
		return true;
	case 1026: /* F_NOTIFY */
		syscall_put_flags(w, &syscall_flags_dnotify, (uint32_t)v);
		return true;
	case 1033: /* F_ADD_SEALS */
		syscall_put_flags(w, &syscall_flags_seals, (uint32_t)v);
		return true;
	case F_DUPFD:
	case F_SETOWN:
	case 1030: /* F_DUPFD_CLOEXEC */
	case 1031: /* F_SETPIPE_SZ */
		syscall_put_s64(w->o, (int)v);
		return true;
	}
	if (!syscall_flag_name(&syscall_flags_fcntl, w->c->args[1])) {
		syscall_put_hex(w->o, v);
		return true;
	}
	return false;
}

bool syscall_fcntl_arg(struct syscall_writer *w, uint32_t i)
{
	if (i != 2)
		return false;
	if (!fcntl_third_put(w, w->c->args[2]))
		syscall_put_pointer(w, w->c->args[2]);
	return true;
}

/* "0x8002 (flags O_RDWR|O_LARGEFILE)"; perf has the names alone. */
static bool named_bits_put(struct syscall_writer *w, const char *what, const struct syscall_flags *f)
{
	uint64_t v = (uint64_t)w->c->result;

	if (w->opts->shape == SYSCALL_PERF) {
		syscall_put_flags(w, f, v);
		return true;
	}
	syscall_put_hex(w->o, v);
	if (v || f->v[0].mask) {
		out_mem(w->o, " (", 2);
		out_str(w->o, what);
		syscall_put_flags(w, f, v);
		out_char(w->o, ')');
	}
	return true;
}

bool syscall_fcntl_result(struct syscall_writer *w)
{
	switch ((uint32_t)w->c->args[1]) {
	case F_GETFD:
		return named_bits_put(w, "flags ", &syscall_flags_fd_flags);
	case F_GETFL:
		return named_bits_put(w, "flags ", syscall_open_flags(w->c->abi));
	case 1034: /* F_GET_SEALS */
		return named_bits_put(w, "seals ", &syscall_flags_seals);
	case F_DUPFD:
	case 1030: /* F_DUPFD_CLOEXEC */
		syscall_put_new_fd(w, (int)w->c->result);
		return true;
	case 11: /* F_GETSIG */
		syscall_put_s64(w->o, w->c->result);
		if (w->c->result) {
			out_mem(w->o, " (", 2);
			syscall_put_signal(w, (int)w->c->result);
			out_char(w->o, ')');
		}
		return true;
	case 1025: /* F_GETLEASE */
		syscall_put_hex(w->o, (uint64_t)w->c->result);
		out_mem(w->o, " (", 2);
		syscall_put_enum(w, &syscall_flags_lock_type, (uint64_t)w->c->result);
		out_char(w->o, ')');
		return true;
	}
	return false;
}

bool syscall_fcntl_needs_end(const struct syscall_writer *w)
{
	return w->c->args[1] == F_GETLK || w->c->args[1] == FCNTL_GETLK64 || w->c->args[1] == FCNTL_OFD_GETLK ||
	       w->c->args[1] == 16; /* F_GETOWN_EX */
}

/* ---- ioctl ---- */

bool syscall_ioctl_needs_end(const struct syscall_writer *w)
{
	return syscall_ioctl_is_out((uint32_t)w->c->args[1]);
}

uint32_t syscall_ioctl_args(const struct syscall_writer *w)
{
	return syscall_ioctl_has_arg((uint32_t)w->c->args[1]) ? 3 : 2;
}

bool syscall_ioctl_arg(struct syscall_writer *w, uint32_t i)
{
	if (i == 2 && !syscall_put_ioctl_arg(w, (uint32_t)w->c->args[1], w->c->args[2]))
		syscall_put_pointer(w, w->c->args[2]);
	return i == 2;
}

/* ---- prctl ---- */

enum prctl_shape {
	PRCTL_NOTHING,
	PRCTL_NUMBER,
	PRCTL_SIGNAL,
	PRCTL_CAPABILITY,
	PRCTL_STRING_IN,
	PRCTL_STRING_OUT,
	PRCTL_INT_OUT,
	PRCTL_POINTER_OUT,
	PRCTL_DUMPABLE,
	PRCTL_SECURE_BITS,
	PRCTL_SECCOMP,
	PRCTL_AMBIENT,
	PRCTL_NUMBERS
};

static enum prctl_shape prctl_shape(uint64_t option)
{
	static const struct {
		uint32_t option;
		uint8_t shape;
	} shapes[] = {
		{ PR_SET_PDEATHSIG, PRCTL_SIGNAL },	  { PR_GET_PDEATHSIG, PRCTL_INT_OUT },	     { PR_GET_DUMPABLE, PRCTL_NOTHING },
		{ PR_SET_DUMPABLE, PRCTL_DUMPABLE },	  { PR_GET_KEEPCAPS, PRCTL_NOTHING },	     { PR_SET_KEEPCAPS, PRCTL_NUMBER },
		{ PR_GET_TIMING, PRCTL_NOTHING },	  { PR_SET_TIMING, PRCTL_NUMBER },	     { PR_SET_NAME, PRCTL_STRING_IN },
		{ PR_GET_NAME, PRCTL_STRING_OUT },	  { PR_GET_SECCOMP, PRCTL_NOTHING },	     { PR_SET_SECCOMP, PRCTL_SECCOMP },
		{ PR_CAPBSET_READ, PRCTL_CAPABILITY },	  { PR_CAPBSET_DROP, PRCTL_CAPABILITY },     { PR_GET_SECUREBITS, PRCTL_NOTHING },
		{ PR_SET_SECUREBITS, PRCTL_SECURE_BITS }, { PR_SET_TIMERSLACK, PRCTL_NUMBER },	     { PR_GET_TIMERSLACK, PRCTL_NOTHING },
		{ PR_SET_CHILD_SUBREAPER, PRCTL_NUMBER }, { PR_GET_CHILD_SUBREAPER, PRCTL_INT_OUT }, { PR_SET_PTRACER, PRCTL_NUMBER },
		{ PR_SET_NO_NEW_PRIVS, PRCTL_NUMBERS },	  { PR_GET_TID_ADDRESS, PRCTL_POINTER_OUT }, { PR_CAP_AMBIENT, PRCTL_AMBIENT },
		{ PR_SET_THP_DISABLE, PRCTL_NUMBERS },
	};

	for (uint32_t i = 0; i < ELEMENTS_OF(shapes); i++)
		if (shapes[i].option == option)
			return shapes[i].shape;
	return SYSCALL_NO_ARG;
}

uint32_t syscall_prctl_args(const struct syscall_writer *w)
{
	switch ((uint32_t)prctl_shape(w->c->args[0])) {
	case PRCTL_NOTHING:
		return 1;
	case PRCTL_NUMBERS:
	case PRCTL_AMBIENT:
	case SYSCALL_NO_ARG:
		return 5;
	case PRCTL_SECCOMP:
		return w->c->args[1] == 1 ? 2 : 3;
	}
	return 2;
}

static bool prctl_memory_put(struct syscall_writer *w, enum prctl_shape shape)
{
	struct syscall_bytes b;
	bool at_exit = shape != PRCTL_STRING_IN;

	if (!w->c->args[1] || (at_exit && (!w->c->has_ended || syscall_error(w->c))) || !syscall_memory_find(w, 1, at_exit, &b) || !b.size)
		return false;
	w->drops_prefix = false;
	if (shape == PRCTL_INT_OUT || shape == PRCTL_POINTER_OUT)
		return syscall_put_struct(w, shape == PRCTL_INT_OUT ? SYSCALL_TYPE_INT : SYSCALL_TYPE_POINTER, &b);
	b = syscall_bytes_part(&b, 0, 16);
	/* The kernel takes 15 bytes of a name; strace does not look for what is behind them. */
	if (shape == PRCTL_STRING_IN)
		b = syscall_bytes_part(&b, 0, 15);
	syscall_put_string(w, &b, shape == PRCTL_STRING_IN, 15);
	return true;
}

static bool prctl_second_put(struct syscall_writer *w, uint64_t v)
{
	enum prctl_shape shape = prctl_shape(w->c->args[0]);

	switch (shape) {
	case PRCTL_NUMBER:
	case PRCTL_NUMBERS:
		out_u64(w->o, v, 0);
		return true;
	case PRCTL_SIGNAL:
		syscall_put_signal(w, (int)v);
		return true;
	case PRCTL_CAPABILITY:
		syscall_put_enum(w, &syscall_flags_capability, v);
		return true;
	case PRCTL_DUMPABLE:
		syscall_put_enum(w, &syscall_dumpable, v);
		return true;
	case PRCTL_SECURE_BITS:
		syscall_put_flags(w, &syscall_secure_bits, v);
		return true;
	case PRCTL_SECCOMP:
		syscall_put_enum(w, &syscall_seccomp_modes, v);
		return true;
	case PRCTL_AMBIENT:
		syscall_put_enum(w, &syscall_ambient, v);
		return true;
	case PRCTL_STRING_IN:
	case PRCTL_STRING_OUT:
	case PRCTL_INT_OUT:
	case PRCTL_POINTER_OUT:
		return prctl_memory_put(w, shape);
	default:
		return false;
	}
}

bool syscall_prctl_arg(struct syscall_writer *w, uint32_t i)
{
	if (!i)
		return false;
	if (i == 1 && prctl_second_put(w, w->c->args[1]))
		return true;
	if (i == 2 && prctl_shape(w->c->args[0]) == PRCTL_AMBIENT)
		syscall_put_enum(w, &syscall_flags_capability, w->c->args[2]);
	else
		syscall_put_hex(w->o, w->c->args[i]);
	return true;
}

bool syscall_prctl_result(struct syscall_writer *w)
{
	const struct syscall_flags *f = w->c->args[0] == PR_GET_DUMPABLE     ? &syscall_dumpable
					: w->c->args[0] == PR_GET_SECUREBITS ? &syscall_secure_bits
									     : NULL;

	if (!f || !w->c->result)
		return false;
	w->drops_prefix = false;
	if (w->c->args[0] == PR_GET_DUMPABLE)
		syscall_put_s64(w->o, w->c->result);
	else
		syscall_put_hex(w->o, (uint64_t)w->c->result);
	out_mem(w->o, " (", 2);
	syscall_put_flags(w, f, (uint64_t)w->c->result);
	out_char(w->o, ')');
	return true;
}

bool syscall_prctl_needs_end(const struct syscall_writer *w)
{
	enum prctl_shape shape = prctl_shape(w->c->args[0]);

	return shape == PRCTL_STRING_OUT || shape == PRCTL_INT_OUT || shape == PRCTL_POINTER_OUT;
}

/* ARCH_GET_FS and ARCH_GET_GS have the address of what they return. */
bool syscall_arch_prctl_arg(struct syscall_writer *w, uint32_t i)
{
	struct syscall_bytes b;

	if (i != 1 || (w->c->args[0] != 0x1003 && w->c->args[0] != 0x1004) || syscall_error(w->c) || !syscall_memory_find(w, 1, true, &b) ||
	    b.size < 8)
		return false;
	out_char(w->o, '[');
	syscall_put_pointer(w, syscall_bytes_u64(&b, 0));
	out_char(w->o, ']');
	return true;
}
