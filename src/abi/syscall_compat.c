/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Where the fields of structs are in 32-bit programs, and where in 64-bit ones.
 */
#include <string.h>

#include "abi/syscalls.h"

struct moved {
	uint8_t from, from_size;
	uint8_t to, to_size;
	bool is_signed;
};

/* clang-format off */
#define U(from, from_size, to, to_size) { from, from_size, to, to_size, false }
#define S(from, to) { from, 4, to, 8, true }
#define W(from, to) { from, 4, to, 8, false }
/* clang-format on */

static const struct moved stat_fields[] = {
	W(0, 0),   W(4, 8),   U(8, 2, 24, 4), U(10, 2, 16, 8), U(12, 2, 28, 4), U(14, 2, 32, 4), W(16, 40),  W(20, 48),
	W(24, 56), W(28, 64), S(32, 72),      W(36, 80),       S(40, 88),	W(44, 96),	 S(48, 104), W(52, 112),
};
static const struct moved stat64_fields[] = {
	U(0, 8, 0, 8), U(88, 8, 8, 8),	U(16, 4, 24, 4), W(20, 16), U(24, 4, 28, 4), U(28, 4, 32, 4), U(32, 8, 40, 8), U(44, 8, 48, 8),
	W(52, 56),     U(56, 8, 64, 8), S(64, 72),	 W(68, 80), S(72, 88),	     W(76, 96),	      S(80, 104),      W(84, 112),
};
static const struct moved statfs_fields[] = {
	W(0, 0),   W(4, 8),	    W(8, 16),	     W(12, 24), W(16, 32), W(20, 40),
	W(24, 48), U(28, 4, 56, 4), U(32, 4, 60, 4), W(36, 64), W(40, 72), W(44, 80),
};
static const struct moved statfs64_fields[] = {
	W(0, 0),	 W(4, 8),	  U(8, 8, 16, 8), U(16, 8, 24, 8), U(24, 8, 32, 8), U(32, 8, 40, 8),
	U(40, 8, 48, 8), U(48, 8, 56, 8), W(56, 64),	  W(60, 72),	   W(64, 80),
};
static const struct moved sigaction_fields[] = { W(0, 0), W(4, 8), W(8, 16), U(12, 8, 24, 8) };
static const struct moved sigaltstack_fields[] = { W(0, 0), U(4, 4, 8, 4), W(8, 16) };
static const struct moved sysinfo_fields[] = {
	S(0, 0),   W(4, 8),   W(8, 16),	 W(12, 24),	  W(16, 32), W(20, 40), W(24, 48),
	W(28, 56), W(32, 64), W(36, 72), U(40, 2, 80, 2), W(44, 88), W(48, 96), U(52, 4, 104, 4),
};
static const struct moved timex_fields[] = {
	U(0, 4, 0, 4),	  S(4, 8),    S(8, 16),	  S(12, 24),  S(16, 32),  U(20, 4, 40, 4), S(24, 48),
	S(28, 56),	  S(32, 64),  S(36, 72),  S(40, 80),  S(44, 88),  S(48, 96),	   S(52, 104),
	U(56, 4, 112, 4), S(60, 120), S(64, 128), S(68, 136), S(72, 144), S(76, 152),	   U(80, 4, 160, 4),
};
static const struct moved flock_fields[] = { U(0, 4, 0, 4), S(4, 8), S(8, 16), U(12, 4, 24, 4) };
static const struct moved flock64_fields[] = { U(0, 4, 0, 4), U(4, 8, 8, 8), U(12, 8, 16, 8), U(20, 4, 24, 4) };
static const struct moved sigevent_fields[] = { W(0, 0), U(4, 4, 8, 4), U(8, 4, 12, 4), U(12, 4, 16, 4) };
static const struct moved msghdr_fields[] = { W(0, 0), U(4, 4, 8, 4), W(8, 16), W(12, 24), W(16, 32), W(20, 40), U(24, 4, 48, 4) };
static const struct moved mmsghdr_fields[] = { W(0, 0),	  U(4, 4, 8, 4), W(8, 16),	  W(12, 24),
					       W(16, 32), W(20, 40),	 U(24, 4, 48, 4), U(28, 4, 56, 4) };
/* Of a signal that a child or another process sent; what faults and timers say is elsewhere. */
static const struct moved siginfo_fields[] = {
	U(0, 4, 0, 4), U(4, 4, 4, 4), U(8, 4, 8, 4), U(12, 4, 16, 4), U(16, 4, 20, 4), U(20, 4, 24, 4), S(24, 32), S(28, 40),
};

/* clang-format off */
#define FIELDS(size, wide, table) { size, wide, sizeof(table) / sizeof(*(table)), table }
#define LONGS(nr) { 4 * (nr), 8 * (nr), 0, NULL } /* which are all signed */
/* clang-format on */

static const struct compat {
	uint8_t size, wide_size, nr;
	const struct moved *fields; /* NULL: longs alone */
} compats[SYSCALL_NR_TYPES] = {
	[SYSCALL_TYPE_STAT] = FIELDS(64, 144, stat_fields),
	[SYSCALL_TYPE_STAT64] = FIELDS(96, 144, stat64_fields),
	[SYSCALL_TYPE_STATFS] = FIELDS(64, 120, statfs_fields),
	[SYSCALL_TYPE_STATFS64] = FIELDS(84, 120, statfs64_fields),
	[SYSCALL_TYPE_TIMESPEC] = LONGS(2),
	[SYSCALL_TYPE_TIMEVAL] = LONGS(2),
	[SYSCALL_TYPE_ITIMERVAL] = LONGS(4),
	[SYSCALL_TYPE_ITIMERSPEC] = LONGS(4),
	[SYSCALL_TYPE_RLIMIT] = LONGS(2),
	[SYSCALL_TYPE_RUSAGE] = LONGS(18),
	[SYSCALL_TYPE_SIGACTION] = FIELDS(20, 32, sigaction_fields),
	[SYSCALL_TYPE_SIGINFO] = FIELDS(128, 128, siginfo_fields),
	[SYSCALL_TYPE_SIGALTSTACK] = FIELDS(12, 24, sigaltstack_fields),
	[SYSCALL_TYPE_LONG] = LONGS(1),
	[SYSCALL_TYPE_SYSINFO] = FIELDS(64, 112, sysinfo_fields),
	[SYSCALL_TYPE_TIMEX] = FIELDS(128, 208, timex_fields),
	[SYSCALL_TYPE_FLOCK] = FIELDS(16, 32, flock_fields),
	[SYSCALL_TYPE_FLOCK64] = FIELDS(24, 32, flock64_fields),
	[SYSCALL_TYPE_TMS] = LONGS(4),
	[SYSCALL_TYPE_POINTER] = LONGS(1),
	[SYSCALL_TYPE_UTIMBUF] = LONGS(2),
	[SYSCALL_TYPE_TIMESPEC_PAIR] = LONGS(4),
	[SYSCALL_TYPE_TIMEVAL_PAIR] = LONGS(4),
	[SYSCALL_TYPE_MSGHDR] = FIELDS(28, 56, msghdr_fields),
	[SYSCALL_TYPE_MMSGHDR] = FIELDS(32, 64, mmsghdr_fields),
	[SYSCALL_TYPE_SIGEVENT] = FIELDS(64, 64, sigevent_fields),
	[SYSCALL_TYPE_SIGSET_PACK] = LONGS(2),
	[SYSCALL_TYPE_MQ_ATTR] = LONGS(8),
};

static void move(uint8_t *to, const uint8_t *from, const struct moved *m)
{
	uint64_t v = 0;

	memcpy(&v, from + m->from, m->from_size);
	if (m->is_signed)
		v = (uint64_t)(int64_t)(int32_t)v;
	memcpy(to + m->to, &v, m->to_size);
}

/* Pointers and limits are no negative numbers. */
static bool is_unsigned(enum syscall_type type)
{
	return type == SYSCALL_TYPE_POINTER || type == SYSCALL_TYPE_RLIMIT || type == SYSCALL_TYPE_SIGSET_PACK;
}

static void widen_one(const struct compat *c, enum syscall_type type, const uint8_t *from, uint8_t *to)
{
	memset(to, 0, c->wide_size);
	for (uint32_t i = 0; i < c->nr; i++)
		move(to, from, &c->fields[i]);
	for (uint8_t i = 0; !c->fields && i < c->size / 4; i++)
		move(to, from, &(struct moved){ (uint8_t)(4 * i), 4, (uint8_t)(8 * i), 8, !is_unsigned(type) });
}

bool syscall_is_widened(enum syscall_type type)
{
	return (uint32_t)type < SYSCALL_NR_TYPES && compats[type].size;
}

size_t syscall_widen(enum syscall_type type, const uint8_t *data, size_t size, uint8_t *wide, size_t room)
{
	const struct compat *c;
	size_t nr;

	if (!syscall_is_widened(type))
		return 0;
	c = &compats[type];
	nr = size / c->size < room / c->wide_size ? size / c->size : room / c->wide_size;
	for (size_t i = 0; i < nr; i++)
		widen_one(c, type, data + i * c->size, wide + i * c->wide_size);
	return nr * c->wide_size;
}
