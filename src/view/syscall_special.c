/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The calls that are not like their table entry, sorted by name, and the simple ones of them. The others are in syscall_control.c (by request:
 * fcntl, ioctl, prctl), syscall_threads.c, syscall_waiting.c and syscall_options.c.
 */
#include "view/syscall_special.h"

#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>

#include "view/syscall_names.h"

/* ---- arguments that others make superfluous ---- */

#define O_CREAT_OR_TMPFILE 020000100u
#define MAP_ANONYMOUS_BIT 0x20u
#define MREMAP_FIXED_BITS 6u /* FIXED, DONTUNMAP */

static uint32_t open_args(const struct syscall_writer *w)
{
	return w->c->args[1] & O_CREAT_OR_TMPFILE ? 3 : 2;
}

static uint32_t openat_args(const struct syscall_writer *w)
{
	return w->c->args[2] & O_CREAT_OR_TMPFILE ? 4 : 3;
}

static uint32_t mq_open_args(const struct syscall_writer *w)
{
	return w->c->args[1] & 0100 ? 4 : 2;
}

static uint32_t mmap_args(const struct syscall_writer *w)
{
	return w->opts->shape == SYSCALL_PERF && (w->c->args[3] & MAP_ANONYMOUS_BIT) ? 4 : 6;
}

#define HUGE_SHIFT 26

/* The logarithm of the size of huge pages is above the flags. */
static void huge_flags_put(struct syscall_writer *w, const struct syscall_flags *f, uint32_t v, const char *shift)
{
	uint32_t size = v >> HUGE_SHIFT, flags = v & ((1u << HUGE_SHIFT) - 1);

	if (flags || !size)
		syscall_put_flags(w, f, flags);
	if (size) {
		out_str(w->o, flags ? "|" : "");
		out_u64(w->o, size, 0);
		out_str(w->o, shift);
	}
}

static bool mmap_arg(struct syscall_writer *w, uint32_t i)
{
	if (i != 3 || w->c->args[3] >> 32 || !(w->c->args[3] >> HUGE_SHIFT))
		return false;
	huge_flags_put(w, w->c->def->args[3].flags, (uint32_t)w->c->args[3], "<<MAP_HUGE_SHIFT");
	return true;
}

static bool memfd_create_arg(struct syscall_writer *w, uint32_t i)
{
	if (i != 1)
		return false;
	huge_flags_put(w, w->c->def->args[1].flags, (uint32_t)w->c->args[1], "<<MFD_HUGE_SHIFT");
	return true;
}

static uint32_t mremap_args(const struct syscall_writer *w)
{
	return w->c->args[3] & MREMAP_FIXED_BITS ? 5 : 4;
}

static uint32_t two_args(const struct syscall_writer *w)
{
	(void)w;
	return 2;
}

static uint32_t four_args(const struct syscall_writer *w)
{
	(void)w;
	return 4;
}

static uint32_t five_args(const struct syscall_writer *w)
{
	(void)w;
	return 5;
}

static uint32_t ptrace_args(const struct syscall_writer *w)
{
	return w->c->args[0] ? 4 : 1; /* PTRACE_TRACEME */
}

/* The high half of the position is in a register of its own, which 64-bit programs do not use. */
static bool preadv2_arg(struct syscall_writer *w, uint32_t i)
{
	if (w->opts->shape == SYSCALL_PERF || i != 4)
		return syscall_halves_arg(w, i);
	syscall_put_arg(w, 5);
	return true;
}

static uint32_t preadv2_args(const struct syscall_writer *w)
{
	return w->opts->shape == SYSCALL_PERF ? 6 : 5;
}

/* ---- files ---- */

static bool makes_device(uint64_t mode)
{
	return (mode & S_IFMT) == S_IFCHR || (mode & S_IFMT) == S_IFBLK;
}

static uint32_t mknod_args(const struct syscall_writer *w)
{
	return makes_device(w->c->args[1]) ? 3 : 2;
}

static uint32_t mknodat_args(const struct syscall_writer *w)
{
	return makes_device(w->c->args[2]) ? 4 : 3;
}

static bool mknod_arg(struct syscall_writer *w, uint32_t i)
{
	if (w->c->def->args[i].kind != SYSCALL_ARG_MODE)
		return false;
	syscall_put_mode(w, (uint16_t)w->c->args[i]);
	return true;
}

/* perf writes what is asked for in letters: RWX. */
static bool access_arg(struct syscall_writer *w, uint32_t i)
{
	uint32_t v = (uint32_t)w->c->args[i];

	if (!w->drops_prefix || strcmp(w->c->def->args[i].name, "mode") || !v || v > 7)
		return false;
	out_str(w->o, v & 4 ? "R" : "");
	out_str(w->o, v & 2 ? "W" : "");
	out_str(w->o, v & 1 ? "X" : "");
	return true;
}

/* The path that came back, without the NUL that the result counts. */
static bool getcwd_arg(struct syscall_writer *w, uint32_t i)
{
	struct syscall_bytes b;

	if (i || syscall_error(w->c) || !syscall_memory_find(w, 0, true, &b) || !b.size)
		return false;
	syscall_put_string(w, &b, w->c->result > 0 && (uint64_t)w->c->result > b.size, SYSCALL_MAX_PATH);
	return true;
}

/* Values that end in a NUL are strings. */
static bool xattr_value_put(struct syscall_writer *w, uint32_t i, bool at_exit, uint64_t size)
{
	struct syscall_bytes b;

	if (!syscall_memory_find(w, i, at_exit, &b) || !size || !w->c->args[i] || b.size < size || b.data[size - 1])
		return false;
	syscall_put_buffer(w, &b, size - 1, 0);
	return true;
}

static bool setxattr_arg(struct syscall_writer *w, uint32_t i)
{
	return i == 2 && xattr_value_put(w, i, false, w->c->args[3]);
}

static bool getxattr_arg(struct syscall_writer *w, uint32_t i)
{
	return i == 2 && !syscall_error(w->c) && w->c->result > 0 && w->c->args[3] && xattr_value_put(w, i, true, (uint64_t)w->c->result);
}

/* Without room, the size is asked for alone. */
static bool listxattr_arg(struct syscall_writer *w, uint32_t i)
{
	if (i != 1 || w->c->args[2])
		return false;
	syscall_put_pointer(w, w->c->args[1]);
	return true;
}

/* Of a message that did not come only the room for its address is known. */
static bool recvmsg_arg(struct syscall_writer *w, uint32_t i)
{
	struct syscall_bytes b;

	if (i != 1 || !w->c->has_ended || !syscall_error(w->c) || !syscall_memory_find(w, 1, false, &b) || b.size < 12)
		return false;
	out_str(w->o, "{msg_namelen=");
	out_u64(w->o, syscall_bytes_u32(&b, 8), 0);
	out_char(w->o, '}');
	return true;
}

/* ---- memory and machine ---- */

static bool getrandom_arg(struct syscall_writer *w, uint32_t i)
{
	struct syscall_bytes b;

	if (i || w->c->result <= 0 || syscall_error(w->c) || !syscall_memory_find(w, 0, true, &b) || !b.size)
		return false;
	w->drops_prefix = false;
	syscall_put_buffer(w, &b, (uint64_t)w->c->result, SYSCALL_QUOTE_HEX);
	return true;
}

/* A byte a page, of which the lowest bit counts. */
static bool mincore_arg(struct syscall_writer *w, uint32_t i)
{
	uint64_t nr = (w->c->args[1] + 4095) / 4096;
	struct syscall_bytes b;

	if (i != 2 || syscall_error(w->c) || !syscall_memory_find(w, 2, true, &b) || !b.size)
		return false;
	out_char(w->o, '[');
	for (uint32_t page = 0; page < nr && page < b.size && syscall_next_element(w, page); page++)
		out_char(w->o, b.data[page] & 1 ? '1' : '0');
	out_char(w->o, ']');
	return true;
}

/* What is taken out needs no event: none is looked at. */
static bool epoll_ctl_arg(struct syscall_writer *w, uint32_t i)
{
	if (i != 3 || (int)w->c->args[1] != EPOLL_CTL_DEL)
		return false;
	syscall_put_pointer(w, w->c->args[3]);
	return true;
}

static bool semctl_arg(struct syscall_writer *w, uint32_t i)
{
	if (i != 3)
		return false;
	syscall_put_pointer(w, w->c->args[3]);
	return true;
}

/* ---- results with a name ---- */

static bool named_result_put(struct syscall_writer *w, bool is_hex, const struct syscall_flags *f, bool is_bits)
{
	w->drops_prefix = false;
	if (is_hex)
		syscall_put_hex(w->o, (uint64_t)w->c->result);
	else
		syscall_put_s64(w->o, w->c->result);
	out_mem(w->o, " (", 2);
	if (is_bits)
		syscall_put_flags(w, f, (uint64_t)w->c->result);
	else
		syscall_put_enum(w, f, (uint64_t)w->c->result);
	out_char(w->o, ')');
	return true;
}

static bool scheduler_result(struct syscall_writer *w)
{
	return named_result_put(w, true, &syscall_flags_sched, false);
}

static bool personality_result(struct syscall_writer *w)
{
	return named_result_put(w, true, &syscall_flags_personality, true);
}

static bool personality_arg(struct syscall_writer *w, uint32_t i)
{
	if (i || (uint32_t)w->c->args[0] == UINT32_MAX)
		syscall_put_hex(w->o, (uint32_t)w->c->args[0]);
	else
		syscall_put_flags(w, &syscall_flags_personality, (uint32_t)w->c->args[0]);
	return true;
}

static bool membarrier_result(struct syscall_writer *w)
{
	return !w->c->args[0] && w->c->result && named_result_put(w, true, &syscall_flags_membarrier, true);
}

static bool adjtimex_result(struct syscall_writer *w)
{
	return named_result_put(w, false, &syscall_flags_timex_state, false);
}

static bool signal_result(struct syscall_writer *w)
{
	w->drops_prefix = false;
	syscall_put_s64(w->o, w->c->result);
	out_mem(w->o, " (", 2);
	syscall_put_signal(w, (int)w->c->result);
	out_char(w->o, ')');
	return true;
}

/* ---- the table ---- */

static const struct syscall_special specials[] = {
	/* clang-format off */
	{ .name = "_llseek", .nr_args = syscall_halves_args, .arg = syscall_halves_arg, .shows_end = 3 },
	{ .name = "_newselect", .arg = syscall_select_arg, .result = syscall_select_result, .is_known_at_entry = true },
	{ .name = "access", .arg = access_arg },
	{ .name = "adjtimex", .result = adjtimex_result },
	{ .name = "arch_prctl", .arg = syscall_arch_prctl_arg },
	{ .name = "clock_adjtime", .result = adjtimex_result },
	{ .name = "clock_adjtime64", .result = adjtimex_result },
	{ .name = "clock_nanosleep", .arg = syscall_sleep_arg },
	{ .name = "clock_nanosleep_time64", .arg = syscall_sleep_arg },
	{ .name = "clone", .nr_args = syscall_clone_args, .arg = syscall_clone_arg },
	{ .name = "clone3", .arg = syscall_clone3_arg, .shows_end = 1 },
	{ .name = "epoll_ctl", .arg = epoll_ctl_arg },
	{ .name = "faccessat", .arg = access_arg },
	{ .name = "faccessat2", .arg = access_arg },
	{ .name = "fadvise64", .nr_args = syscall_halves_args, .arg = syscall_halves_arg },
	{ .name = "fadvise64_64", .nr_args = syscall_halves_args, .arg = syscall_halves_arg },
	{ .name = "fallocate", .nr_args = syscall_halves_args, .arg = syscall_halves_arg },
	{ .name = "fcntl", .nr_args = syscall_fcntl_args, .arg = syscall_fcntl_arg, .result = syscall_fcntl_result, .needs_end = syscall_fcntl_needs_end },
	{ .name = "fcntl64", .nr_args = syscall_fcntl_args, .arg = syscall_fcntl_arg, .result = syscall_fcntl_result, .needs_end = syscall_fcntl_needs_end },
	{ .name = "fgetxattr", .arg = getxattr_arg },
	{ .name = "flistxattr", .arg = listxattr_arg },
	{ .name = "fsetxattr", .arg = setxattr_arg },
	{ .name = "ftruncate64", .nr_args = syscall_halves_args, .arg = syscall_halves_arg },
	{ .name = "futex", .nr_args = syscall_futex_args, .arg = syscall_futex_arg },
	{ .name = "futex_time64", .nr_args = syscall_futex_args, .arg = syscall_futex_arg },
	{ .name = "futimesat", .arg = syscall_utimes_arg },
	{ .name = "getcwd", .arg = getcwd_arg },
	{ .name = "getrandom", .arg = getrandom_arg },
	{ .name = "getsockopt", .arg = syscall_sockopt_arg },
	{ .name = "getxattr", .arg = getxattr_arg },
	{ .name = "ioctl", .nr_args = syscall_ioctl_args, .arg = syscall_ioctl_arg, .needs_end = syscall_ioctl_needs_end },
	{ .name = "lgetxattr", .arg = getxattr_arg },
	{ .name = "listxattr", .arg = listxattr_arg },
	{ .name = "llistxattr", .arg = listxattr_arg },
	{ .name = "lsetxattr", .arg = setxattr_arg },
	{ .name = "membarrier", .nr_args = two_args, .result = membarrier_result },
	{ .name = "memfd_create", .arg = memfd_create_arg },
	{ .name = "mincore", .arg = mincore_arg },
	{ .name = "mknod", .nr_args = mknod_args, .arg = mknod_arg },
	{ .name = "mknodat", .nr_args = mknodat_args, .arg = mknod_arg },
	{ .name = "mmap", .nr_args = mmap_args, .arg = mmap_arg },
	{ .name = "mmap2", .arg = syscall_mmap2_arg },
	{ .name = "mq_open", .nr_args = mq_open_args },
	{ .name = "mremap", .nr_args = mremap_args },
	{ .name = "nanosleep", .arg = syscall_sleep_arg },
	{ .name = "open", .nr_args = open_args },
	{ .name = "openat", .nr_args = openat_args },
	{ .name = "personality", .arg = personality_arg, .result = personality_result },
	{ .name = "poll", .arg = syscall_poll_arg, .result = syscall_poll_result, .is_known_at_entry = true },
	{ .name = "ppoll", .arg = syscall_poll_arg, .result = syscall_poll_result, .is_known_at_entry = true },
	{ .name = "ppoll_time64", .arg = syscall_poll_arg, .result = syscall_poll_result, .is_known_at_entry = true },
	{ .name = "prctl", .nr_args = syscall_prctl_args, .arg = syscall_prctl_arg, .result = syscall_prctl_result, .needs_end = syscall_prctl_needs_end },
	{ .name = "pread64", .nr_args = syscall_halves_args, .arg = syscall_halves_arg },
	{ .name = "preadv", .nr_args = four_args, .arg = syscall_halves_arg },
	{ .name = "preadv2", .nr_args = preadv2_args, .arg = preadv2_arg },
	{ .name = "pselect6", .arg = syscall_select_arg, .result = syscall_select_result, .is_known_at_entry = true },
	{ .name = "pselect6_time64", .arg = syscall_select_arg, .result = syscall_select_result, .is_known_at_entry = true },
	{ .name = "ptrace", .nr_args = ptrace_args },
	{ .name = "pwrite64", .nr_args = syscall_halves_args, .arg = syscall_halves_arg },
	{ .name = "pwritev", .nr_args = four_args, .arg = syscall_halves_arg },
	{ .name = "pwritev2", .nr_args = preadv2_args, .arg = preadv2_arg },
	{ .name = "readahead", .nr_args = syscall_halves_args, .arg = syscall_halves_arg },
	{ .name = "recvmmsg", .nr_args = five_args, .result = syscall_recvmmsg_result },
	{ .name = "recvmmsg_time64", .nr_args = five_args, .result = syscall_recvmmsg_result },
	{ .name = "recvmsg", .arg = recvmsg_arg },
	{ .name = "rt_sigtimedwait", .result = signal_result },
	{ .name = "rt_sigtimedwait_time64", .result = signal_result },
	{ .name = "sched_getscheduler", .result = scheduler_result },
	{ .name = "select", .arg = syscall_select_arg, .result = syscall_select_result, .is_known_at_entry = true },
	{ .name = "semctl", .arg = semctl_arg },
	{ .name = "sendfile", .arg = syscall_offset_arg },
	{ .name = "sendfile64", .arg = syscall_offset_arg },
	{ .name = "set_thread_area", .arg = syscall_thread_area_arg, .result = syscall_thread_area_result, .is_known_at_entry = true },
	{ .name = "setsockopt", .arg = syscall_sockopt_arg },
	{ .name = "setxattr", .arg = setxattr_arg },
	{ .name = "socket", .arg = syscall_socket_arg },
	{ .name = "socketpair", .arg = syscall_socket_arg },
	{ .name = "sync_file_range", .nr_args = syscall_halves_args, .arg = syscall_halves_arg },
	{ .name = "time", .arg = syscall_time_arg, .result = syscall_time_result },
	{ .name = "truncate64", .nr_args = syscall_halves_args, .arg = syscall_halves_arg },
	{ .name = "utime", .arg = syscall_utimes_arg },
	{ .name = "utimensat", .arg = syscall_utimes_arg },
	{ .name = "utimensat_time64", .arg = syscall_utimes_arg },
	{ .name = "utimes", .arg = syscall_utimes_arg },
	{ .name = "wait4", .arg = syscall_wait_arg },
	{ .name = "waitpid", .arg = syscall_wait_arg },
	/* clang-format on */
};

const struct syscall_special *syscall_special_find(const char *name)
{
	size_t low = 0, high = ELEMENTS_OF(specials);

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int order = strcmp(specials[mid].name, name);

		if (!order)
			return &specials[mid];
		if (order < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}
