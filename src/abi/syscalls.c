/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What follows from the definitions of system calls: sizes of structs on each architecture, and the memory to read for a call.
 */
#include "abi/syscalls.h"

#include <stdio.h>
#include <string.h>

#include "abi/syscall_flags.h"
#include "abi/syscall_sample.h"

enum syscall_abi syscall_native_abi(void)
{
#if defined(__aarch64__)
	return SYSCALL_ARM64;
#elif defined(__x86_64__)
	return SYSCALL_X86_64;
#else
	return SYSCALL_I386;
#endif
}

enum syscall_abi syscall_abi_of(const char *machine)
{
	static const struct {
		const char *machine;
		enum syscall_abi abi;
	} known[] = { { "x86_64", SYSCALL_X86_64 }, { "aarch64", SYSCALL_ARM64 }, { "i386", SYSCALL_I386 }, { "i686", SYSCALL_I386 } };

	for (size_t i = 0; machine && i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(known[i].machine, machine))
			return known[i].abi;
	return syscall_native_abi();
}

const char *syscall_label(enum syscall_abi abi, uint32_t nr, char *buf, size_t size)
{
	bool is_32 = nr & SYSCALL_NR_32 && abi != SYSCALL_I386;
	const struct syscall_def *def = syscall_get(is_32 ? SYSCALL_I386 : abi, nr & ~SYSCALL_NR_32);

	if (def && !is_32)
		return def->name;
	if (def)
		snprintf(buf, size, "%s@32", def->name);
	else
		snprintf(buf, size, "syscall_%u%s", nr & ~SYSCALL_NR_32, is_32 ? "@32" : "");
	return buf;
}

/* As the kernel's ABI has them; LONGS: so many longs. Those with a length of their own, in bytes, have size 1. */
/* clang-format off */
#define ALL(size) { size, size, size }
#define LONGS(nr) { 8 * (nr), 8 * (nr), 4 * (nr) }
/* clang-format on */
static const uint16_t type_sizes[SYSCALL_NR_TYPES][SYSCALL_NR_ABIS] = {
	/* clang-format off */
	[SYSCALL_TYPE_SOCKADDR] = ALL(1),
	[SYSCALL_TYPE_IOVEC] = LONGS(2),
	[SYSCALL_TYPE_MSGHDR] = LONGS(7),
	[SYSCALL_TYPE_STAT] = { 144, 128, 64 },
	[SYSCALL_TYPE_STATX] = ALL(256),
	[SYSCALL_TYPE_STATFS] = { 120, 120, 64 },
	[SYSCALL_TYPE_TIMESPEC] = LONGS(2),
	[SYSCALL_TYPE_TIMEVAL] = LONGS(2),
	[SYSCALL_TYPE_ITIMERVAL] = LONGS(4),
	[SYSCALL_TYPE_ITIMERSPEC] = LONGS(4),
	[SYSCALL_TYPE_RLIMIT] = LONGS(2),
	[SYSCALL_TYPE_RUSAGE] = LONGS(18),
	[SYSCALL_TYPE_SIGACTION] = { 32, 32, 20 },
	[SYSCALL_TYPE_SIGSET] = ALL(1),
	[SYSCALL_TYPE_SIGINFO] = ALL(128),
	[SYSCALL_TYPE_SIGALTSTACK] = LONGS(3),
	[SYSCALL_TYPE_POLLFD] = ALL(8),
	[SYSCALL_TYPE_EPOLL_EVENT] = { 12, 16, 12 }, /* packed on x86 */
	[SYSCALL_TYPE_FD_SET] = ALL(128),
	[SYSCALL_TYPE_INT] = ALL(4),
	[SYSCALL_TYPE_INT_PAIR] = ALL(8),
	[SYSCALL_TYPE_LONG] = LONGS(1),
	[SYSCALL_TYPE_SOCKLEN] = ALL(4),
	[SYSCALL_TYPE_UTSNAME] = ALL(390),
	[SYSCALL_TYPE_SYSINFO] = { 112, 112, 64 },
	[SYSCALL_TYPE_TIMEX] = { 208, 208, 128 },
	[SYSCALL_TYPE_CLONE_ARGS] = ALL(1),
	[SYSCALL_TYPE_OPEN_HOW] = ALL(1),
	[SYSCALL_TYPE_WINSIZE] = ALL(8),
	[SYSCALL_TYPE_TERMIOS] = ALL(36),
	[SYSCALL_TYPE_FLOCK] = { 32, 32, 24 },
	[SYSCALL_TYPE_DIRENT] = ALL(1),
	[SYSCALL_TYPE_SCHED_PARAM] = ALL(4),
	[SYSCALL_TYPE_CPU_SET] = ALL(1),
	[SYSCALL_TYPE_CAPABILITY] = ALL(24),
	[SYSCALL_TYPE_TMS] = LONGS(4),
	[SYSCALL_TYPE_TIMEZONE] = ALL(8),
	[SYSCALL_TYPE_WAIT_STATUS] = ALL(4),
	[SYSCALL_TYPE_OFFSET] = ALL(8),
	[SYSCALL_TYPE_POINTER] = LONGS(1),
	[SYSCALL_TYPE_SHORT] = ALL(2),
	[SYSCALL_TYPE_RLIMIT64] = ALL(16),
	[SYSCALL_TYPE_UTIMBUF] = LONGS(2),
	[SYSCALL_TYPE_TIMESPEC_PAIR] = LONGS(4),
	[SYSCALL_TYPE_TIMEVAL_PAIR] = LONGS(4),
	[SYSCALL_TYPE_MMSGHDR] = LONGS(8),
	[SYSCALL_TYPE_FILE_HANDLE] = ALL(8),
	[SYSCALL_TYPE_SIGEVENT] = ALL(64),
	[SYSCALL_TYPE_SEMBUF] = ALL(6),
	[SYSCALL_TYPE_MSGBUF] = { 40, 40, 36 }, /* and some of the text behind it */
	[SYSCALL_TYPE_SIGSET_PACK] = LONGS(2),
	[SYSCALL_TYPE_SCHED_ATTR] = ALL(48),
	[SYSCALL_TYPE_CAP_HEADER] = ALL(8),
	[SYSCALL_TYPE_DIRENT_OLD] = ALL(1),
	[SYSCALL_TYPE_MQ_ATTR] = LONGS(8),
	[SYSCALL_TYPE_IO_EVENT] = ALL(32),
	[SYSCALL_TYPE_IO_URING_PARAMS] = ALL(120),
	[SYSCALL_TYPE_MOUNT_ATTR] = ALL(1),
	[SYSCALL_TYPE_MNT_ID_REQ] = ALL(24),
	[SYSCALL_TYPE_CACHESTAT_RANGE] = ALL(16),
	[SYSCALL_TYPE_CACHESTAT] = ALL(40),
	[SYSCALL_TYPE_FUTEX_WAITV] = ALL(24),
	[SYSCALL_TYPE_FUTEX_WAITV_PAIR] = ALL(48),
	[SYSCALL_TYPE_BPF_ATTR] = ALL(1),
	[SYSCALL_TYPE_PERF_EVENT_ATTR] = ALL(64), /* its first version: what all programs have */
	[SYSCALL_TYPE_IOCTL_ARG] = ALL(44),
	[SYSCALL_TYPE_FCNTL_ARG] = { 32, 32, 24 },
	[SYSCALL_TYPE_PRCTL_ARG] = ALL(16),
	[SYSCALL_TYPE_STAT64] = { 144, 128, 96 },
	[SYSCALL_TYPE_STATFS64] = { 120, 120, 84 },
	[SYSCALL_TYPE_TIMESPEC64] = ALL(16),
	[SYSCALL_TYPE_TIMESPEC64_PAIR] = ALL(32),
	[SYSCALL_TYPE_ITIMERSPEC64] = ALL(32),
	[SYSCALL_TYPE_FLOCK64] = { 32, 32, 24 },
	[SYSCALL_TYPE_TIMEX64] = ALL(208),
	[SYSCALL_TYPE_USER_DESC] = ALL(16),
	/* clang-format on */
};

uint32_t syscall_type_size(enum syscall_abi abi, enum syscall_type type)
{
	return type_sizes[type][abi];
}

bool syscall_changes_socket(const struct syscall_def *def)
{
	/* What is sent binds a socket that is not. */
	static const char *const names[] = { "connect", "bind", "listen", "shutdown", "sendto", "sendmsg", "sendmmsg" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(def->name, names[i]))
			return true;
	return false;
}

bool syscall_file_is_pidfd(const struct syscall_file *f)
{
	enum { ANONYMOUS = 0x09041934, PROCESSES = 0x50494446 }; /* the latter from Linux 6.9 on */

	return f->magic == PROCESSES || (f->magic == ANONYMOUS && f->name_size == 7 && !memcmp(f->name, "[pidfd]", 7));
}

/* How much an argument points to, before the call or after it. */
static enum syscall_read_how how_much(const struct syscall_arg *a, bool at_exit)
{
	if (a->kind == SYSCALL_ARG_PATH || a->kind == SYSCALL_ARG_STRING)
		return SYSCALL_READ_STRING;
	if (a->kind == SYSCALL_ARG_STRINGS)
		return SYSCALL_READ_STRINGS;
	if (a->len_arg == SYSCALL_NO_ARG)
		return SYSCALL_READ_FIXED;
	if (a->is_len_pointer)
		return SYSCALL_READ_POINTED;
	return at_exit && !a->is_len_exact ? SYSCALL_READ_RESULT : SYSCALL_READ_ARG;
}

static void add_read(struct syscall_read *reads, uint32_t *nr, const struct syscall_arg *a, uint8_t i, uint32_t size, bool at_exit)
{
	if (*nr == SYSCALL_MAX_READS)
		return;
	reads[(*nr)++] = (struct syscall_read){
		.arg = i,
		.how = (uint8_t)how_much(a, at_exit),
		.len_arg = a->len_arg,
		.at_exit = at_exit,
		.is_data = a->kind == SYSCALL_ARG_BYTES && !a->is_whole,
		.size = (uint16_t)size,
	};
}

static void add_memory(struct syscall_read *reads, uint32_t *nr, const struct syscall_arg *a, uint8_t i, uint32_t size)
{
	/* An iovec is not written by the call: what it points to is. */
	bool is_in = a->direction != SYSCALL_OUT || a->type == SYSCALL_TYPE_IOVEC;
	bool is_out = a->direction != SYSCALL_IN && a->type != SYSCALL_TYPE_IOVEC;

	if (is_in)
		add_read(reads, nr, a, i, size, false);
	if (is_out)
		add_read(reads, nr, a, i, size, true);
}

uint32_t syscall_reads(enum syscall_abi abi, const struct syscall_def *def, struct syscall_read *reads)
{
	uint32_t nr = 0;

	for (uint8_t i = 0; i < def->nr_args; i++) {
		const struct syscall_arg *a = &def->args[i];

		switch (a->kind) {
		case SYSCALL_ARG_PATH:
		case SYSCALL_ARG_STRING:
		case SYSCALL_ARG_STRINGS:
			add_read(reads, &nr, a, i, 1, false);
			break;
		case SYSCALL_ARG_BYTES:
			add_memory(reads, &nr, a, i, 1);
			break;
		case SYSCALL_ARG_STRUCT:
		case SYSCALL_ARG_BY_REQUEST:
			add_memory(reads, &nr, a, i, syscall_type_size(abi, a->type));
			break;
		default:
			break;
		}
	}
	return nr;
}

static const struct syscall_flags *protocols_of(uint32_t family)
{
	enum { INET = 2, INET6 = 10, NETLINK = 16 };

	if (family == NETLINK)
		return &syscall_flags_netlink_protocol;
	return family == INET || family == INET6 ? &syscall_flags_ip_protocol : NULL;
}

static const struct syscall_flags *options_of(uint32_t level)
{
	static const struct {
		uint32_t level;
		const struct syscall_flags *options;
	} levels[] = {
		{ 1, &syscall_flags_socket_option },	{ 0, &syscall_flags_ip_option },    { 6, &syscall_flags_tcp_option },
		{ 17, &syscall_flags_udp_option },	{ 41, &syscall_flags_ipv6_option }, { 263, &syscall_flags_packet_option },
		{ 270, &syscall_flags_netlink_option },
	};

	for (uint32_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
		if (levels[i].level == level)
			return levels[i].options;
	return NULL;
}

const struct syscall_flags *syscall_arg_flags(const struct syscall_def *def, const uint64_t *args, uint32_t arg)
{
	const struct syscall_flags *flags = def->args[arg].flags;

	if (flags == &syscall_flags_ip_protocol)
		return protocols_of((uint32_t)args[0]);
	if (flags == &syscall_flags_socket_option)
		return options_of((uint32_t)args[1]);
	return flags;
}

const struct syscall_flags *syscall_open_flags(enum syscall_abi abi)
{
	return abi == SYSCALL_ARM64 ? &syscall_flags_open_arm64 : &syscall_flags_open_x86;
}
