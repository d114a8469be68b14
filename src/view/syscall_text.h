/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The text of one system call, in perf trace's shape ("openat(dfd: CWD, filename: \"/etc/passwd\", flags: RDONLY|CLOEXEC) = 3") or in strace's
 * ("openat(AT_FDCWD, \"/etc/passwd\", O_RDONLY|O_CLOEXEC) = 3"). Pure: it appends to `o` and asks for paths of fds by a callback. Bytes come
 * from other processes: all are escaped, lengths are checked.
 */
#ifndef ASSAY_VIEW_SYSCALL_TEXT_H
#define ASSAY_VIEW_SYSCALL_TEXT_H

#include "abi/syscall_sample.h"
#include "abi/syscalls.h"
#include "base/out.h"

enum syscall_shape { SYSCALL_PERF, SYSCALL_STRACE };

/* What is shown of descriptors: strace -y, -yy, --decode-fds=. */
enum syscall_fd_details { SYSCALL_FD_PATH = 1, SYSCALL_FD_DEVICE = 2, SYSCALL_FD_PIDFD = 4, SYSCALL_FD_SOCKET = 8, SYSCALL_FD_ALL = 15 };

struct syscall_special;

/* Which calls are written in a way of their own, as far as it was looked up. */
#define SYSCALL_TEXT_FOUND 64
struct syscall_text_found {
	const struct syscall_def *def;
	const struct syscall_special *special;
};

struct syscall_text_options {
	enum syscall_shape shape;
	uint32_t max_string; /* bytes of a string or buffer that are shown; paths are shown whole */
	uint8_t show_fds;    /* enum syscall_fd_details; perf's shape shows paths by default */
	bool show_comms;     /* strace -Y: 1234<sh> */
	bool hex_strings;    /* strace -x: strings that have bytes that do not print; -xx: all */
	bool all_hex;
	bool hex_escapes; /* strace --strings-in-hex=non-ascii-chars: single bytes in hexadecimal, not in octal */
	bool is_verbose;  /* strace -v: whole structs and environments */
	bool raw;	  /* strace -e raw: numbers alone */
	bool is_coloured; /* names of calls, and errors */
	/* The path of an fd of the task that calls (AT_FDCWD: where it is), or NULL; valid until the next call. What stands between < and >:
	 * escaped here, " (deleted)" at its end is moved behind the >. */
	const char *(*fd_path)(void *ctx, int fd);
	/* What a descriptor is, for -yy; false: it is not known. May be NULL. */
	bool (*fd_file)(void *ctx, int fd, struct syscall_file *f);
	/* The name of a task, shown behind its number in perf's shape, or with show_comms; or NULL. */
	const char *(*task_comm)(void *ctx, int tid);
	void *ctx;
	struct syscall_text_found *found; /* SYSCALL_TEXT_FOUND of them, zeroed at first; NULL: each call is looked up */
};

/* Bytes of a coloured name that take no column. */
#define SYSCALL_COLOUR_BYTES 8

/* Results of calls that a signal ended, which are to be made again: -512 and what follows. */
#define SYSCALL_FIRST_RESTART 512

/* "name(args)". */
void syscall_text_call(struct out *o, const struct syscall_call *c, const struct syscall_text_options *opts);
/* The same in two parts, for calls that others interrupt: "name(" and the arguments that are known before the call ends, with ", " where more
 * follow; then the rest with ")". Returns the number of arguments that are written, which the second part starts at. */
uint32_t syscall_text_begin(struct out *o, const struct syscall_call *c, const struct syscall_text_options *opts);
void syscall_text_rest(struct out *o, const struct syscall_call *c, uint32_t first_arg, const struct syscall_text_options *opts);
/* One argument alone, without its name, and how many there are. */
uint32_t syscall_text_nr_args(const struct syscall_call *c, const struct syscall_text_options *opts);
void syscall_text_arg(struct out *o, const struct syscall_call *c, uint32_t arg, const struct syscall_text_options *opts);
/* "3</etc/passwd>", "-1 ENOENT (No such file or directory)", "0x7f0000000000", "?" */
void syscall_text_result(struct out *o, const struct syscall_call *c, const struct syscall_text_options *opts);
/* "--- SIGCHLD {si_signo=SIGCHLD, …} ---"; `info`: the bytes of its siginfo, or NULL. */
void syscall_text_signal(struct out *o, int sig, const struct syscall_memory *info, const struct syscall_text_options *opts);
/* What it read or wrote, in lines of bytes and text (strace -e read=, -e write=), as far as it is in the call's memory; nothing for calls that
 * do neither. */
void syscall_text_dump(struct out *o, const struct syscall_call *c, const struct syscall_text_options *opts);
/* "ENOENT", or NULL. */
const char *syscall_error_name(int error);
/* Its number; 0: there is no such error. */
int syscall_error_number(const char *name);

#endif
