/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Structs as tables of fields, and the functions of those that are more than that. Only view/syscall_*.c include it. The functions get at least
 * the bytes that the table of layouts in syscall_structs.c says; false: not written, the address is to be written.
 */
#ifndef ASSAY_VIEW_SYSCALL_STRUCTS_H
#define ASSAY_VIEW_SYSCALL_STRUCTS_H

#include "view/syscall_writer.h"

enum syscall_field_kind {
	FIELD_S16,
	FIELD_U16,
	FIELD_S32,
	FIELD_U32,
	FIELD_S64,
	FIELD_U64,
	FIELD_HEX64,
	FIELD_POINTER,
	FIELD_UID,
	FIELD_LIMIT,
	FIELD_TICKS,
	FIELD_FLAGS16,
	FIELD_FLAGS32,
	FIELD_FLAGS64,
	FIELD_ENUM16,
	FIELD_ENUM32,
	FIELD_ENUM64,
	FIELD_MODE16,
	FIELD_MODE32,
	FIELD_DEVICE,
	FIELD_TIMESPEC,
	FIELD_TIMEVAL,
	FIELD_STATX_TIME, /* seconds in 64 bits, nanoseconds in 32; with the date */
	FIELD_DATE,	  /* seconds, with the date; nanoseconds behind them */
	FIELD_NAME65,
};

struct syscall_field {
	const char *name;
	const struct syscall_flags *flags;
	uint16_t offset;
	uint8_t kind;	 /* enum syscall_field_kind */
	bool is_verbose; /* left out for "..." unless the whole struct is asked for */
};

void syscall_put_fields(struct syscall_writer *w, const struct syscall_bytes *b, const struct syscall_field *fields, uint32_t nr);
/* Without the braces; true: fields were left out. */
bool syscall_put_plain_fields(struct syscall_writer *w, const struct syscall_bytes *b, const struct syscall_field *fields, uint32_t nr);

#define SYSCALL_NR_FLOCK_FIELDS 4
extern const struct syscall_field syscall_flock_fields[SYSCALL_NR_FLOCK_FIELDS];

/* syscall_files.c */
bool syscall_put_stat(struct syscall_writer *w, const struct syscall_bytes *b);
bool syscall_put_statx(struct syscall_writer *w, const struct syscall_bytes *b);
bool syscall_put_statfs(struct syscall_writer *w, const struct syscall_bytes *b);
bool syscall_put_open_how(struct syscall_writer *w, const struct syscall_bytes *b);
bool syscall_put_pollfd(struct syscall_writer *w, const struct syscall_bytes *b);
bool syscall_put_epoll_event(struct syscall_writer *w, const struct syscall_bytes *b);
/* syscall_processes.c */
bool syscall_put_sigaction(struct syscall_writer *w, const struct syscall_bytes *b);
bool syscall_put_siginfo(struct syscall_writer *w, const struct syscall_bytes *b);
bool syscall_put_sigevent(struct syscall_writer *w, const struct syscall_bytes *b);
bool syscall_put_sigset_pack(struct syscall_writer *w, const struct syscall_bytes *b);
bool syscall_put_capabilities(struct syscall_writer *w, const struct syscall_bytes *b);
bool syscall_put_sysinfo(struct syscall_writer *w, const struct syscall_bytes *b);
bool syscall_put_clone_args(struct syscall_writer *w, const struct syscall_bytes *b);
bool syscall_put_cpu_set(struct syscall_writer *w, const struct syscall_bytes *b);
/* syscall_narrow.c */
bool syscall_put_user_desc(struct syscall_writer *w, const struct syscall_bytes *b);
/* syscall_perf_event.c */
bool syscall_put_perf_event_attr(struct syscall_writer *w, const struct syscall_bytes *b);
/* syscall_ioctl.c */
bool syscall_put_termios(struct syscall_writer *w, const struct syscall_bytes *b);

#endif
