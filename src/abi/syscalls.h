/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * System calls: their numbers per architecture, the names and kinds of their arguments, and the classes that `trace -e` selects them by.
 * Tables only: what a call was made with is in struct syscall_call, how it is written is in view/syscall_text.h.
 */
#ifndef ASSAY_ABI_SYSCALLS_H
#define ASSAY_ABI_SYSCALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/syscall_sample.h"

#define SYSCALL_MAX_ARGS 6
#define SYSCALL_MAX_MEMORY 40 /* pieces of a call: its reads, and what they point to */
#define SYSCALL_MAX_READS 9   /* pselect6: three sets and a time in and out, and a mask */

enum syscall_abi { SYSCALL_X86_64, SYSCALL_ARM64, SYSCALL_I386, SYSCALL_NR_ABIS };

/* strace's and perf's names of sets */
enum syscall_class {
	SYSCALL_FILE = 1, /* takes a path */
	SYSCALL_DESC = 2, /* takes or returns a file descriptor */
	SYSCALL_NETWORK = 4,
	SYSCALL_PROCESS = 8,
	SYSCALL_MEMORY = 16,
	SYSCALL_SIGNAL = 32,
	SYSCALL_IPC = 64,
	SYSCALL_CREDS = 128,
	SYSCALL_CLOCK = 256,
	SYSCALL_NEVER_FAILS = 512, /* its result is no errno, whatever it is */
	SYSCALL_NO_RETURN = 1024,  /* exit, exit_group: there is no result */
};

/* How bits or values of an argument are named; in syscall_flags_*.c. */
struct syscall_flags;

enum syscall_arg_kind {
	SYSCALL_ARG_INT, /* 32 bits, signed */
	SYSCALL_ARG_UINT,
	SYSCALL_ARG_LONG,
	SYSCALL_ARG_ULONG,
	SYSCALL_ARG_SIZE,
	SYSCALL_ARG_OFFSET,
	SYSCALL_ARG_HEX,
	SYSCALL_ARG_POINTER, /* an address of which nothing is read */
	SYSCALL_ARG_FD,
	SYSCALL_ARG_DIRFD, /* AT_FDCWD has a name */
	SYSCALL_ARG_PID,
	SYSCALL_ARG_UID,
	SYSCALL_ARG_MODE, /* octal permissions, with the type where it has one */
	SYSCALL_ARG_DEVICE,
	SYSCALL_ARG_SIGNAL,
	SYSCALL_ARG_FLAGS, /* bits of `flags` */
	SYSCALL_ARG_ENUM,  /* a value of `flags` */
	SYSCALL_ARG_IOCTL, /* a request */
	SYSCALL_ARG_PATH,  /* a string, and the name of a file */
	SYSCALL_ARG_STRING,
	SYSCALL_ARG_STRINGS,	/* a NULL-terminated array of strings: argv, envp */
	SYSCALL_ARG_BYTES,	/* `len_arg` says how many, going in; coming out the result does, or `len_arg` where is_len_exact */
	SYSCALL_ARG_STRUCT,	/* of `type`; where `len_arg` is an argument an array of them, or as many bytes (SOCKADDR, CPU_SET …) */
	SYSCALL_ARG_FLAGS_MODE, /* bits of `flags` above permissions: IPC_CREAT|0600 */
	SYSCALL_ARG_BY_REQUEST, /* a number or a pointer, as the argument before it says: of ioctl, fcntl, prctl */
};

/* Structs in memory that are shown by their fields. */
/* clang-format off */
enum syscall_type {
	SYSCALL_TYPE_NONE,
	SYSCALL_TYPE_SOCKADDR, SYSCALL_TYPE_IOVEC, SYSCALL_TYPE_MSGHDR, SYSCALL_TYPE_STAT, SYSCALL_TYPE_STATX, SYSCALL_TYPE_STATFS,
	SYSCALL_TYPE_TIMESPEC, SYSCALL_TYPE_TIMEVAL, SYSCALL_TYPE_ITIMERVAL, SYSCALL_TYPE_ITIMERSPEC, SYSCALL_TYPE_RLIMIT,
	SYSCALL_TYPE_RUSAGE, SYSCALL_TYPE_SIGACTION, SYSCALL_TYPE_SIGSET, SYSCALL_TYPE_SIGINFO, SYSCALL_TYPE_SIGALTSTACK,
	SYSCALL_TYPE_POLLFD, SYSCALL_TYPE_EPOLL_EVENT, SYSCALL_TYPE_FD_SET, SYSCALL_TYPE_INT, SYSCALL_TYPE_INT_PAIR, SYSCALL_TYPE_LONG,
	SYSCALL_TYPE_SOCKLEN, SYSCALL_TYPE_UTSNAME, SYSCALL_TYPE_SYSINFO, SYSCALL_TYPE_TIMEX, SYSCALL_TYPE_CLONE_ARGS,
	SYSCALL_TYPE_OPEN_HOW, SYSCALL_TYPE_WINSIZE, SYSCALL_TYPE_TERMIOS, SYSCALL_TYPE_FLOCK, SYSCALL_TYPE_DIRENT, SYSCALL_TYPE_SCHED_PARAM,
	SYSCALL_TYPE_CPU_SET, SYSCALL_TYPE_CAPABILITY, SYSCALL_TYPE_TMS, SYSCALL_TYPE_TIMEZONE,
	SYSCALL_TYPE_WAIT_STATUS, /* an int: of wait4 */
	SYSCALL_TYPE_OFFSET,	  /* 64 bits, on every architecture */
	SYSCALL_TYPE_POINTER, SYSCALL_TYPE_SHORT, SYSCALL_TYPE_RLIMIT64, SYSCALL_TYPE_UTIMBUF, SYSCALL_TYPE_TIMESPEC_PAIR,
	SYSCALL_TYPE_TIMEVAL_PAIR, SYSCALL_TYPE_MMSGHDR, SYSCALL_TYPE_FILE_HANDLE, SYSCALL_TYPE_SIGEVENT, SYSCALL_TYPE_SEMBUF,
	SYSCALL_TYPE_MSGBUF,	  /* the long that a System V message begins with, and the beginning of its text */
	SYSCALL_TYPE_SIGSET_PACK, /* pselect6: the address of a sigset, and its size */
	SYSCALL_TYPE_SCHED_ATTR, SYSCALL_TYPE_CAP_HEADER, SYSCALL_TYPE_DIRENT_OLD, SYSCALL_TYPE_MQ_ATTR, SYSCALL_TYPE_IO_EVENT,
	SYSCALL_TYPE_IO_URING_PARAMS, SYSCALL_TYPE_MOUNT_ATTR, SYSCALL_TYPE_MNT_ID_REQ, SYSCALL_TYPE_CACHESTAT_RANGE,
	SYSCALL_TYPE_CACHESTAT, SYSCALL_TYPE_FUTEX_WAITV, SYSCALL_TYPE_FUTEX_WAITV_PAIR, SYSCALL_TYPE_BPF_ATTR,
	SYSCALL_TYPE_PERF_EVENT_ATTR,
	SYSCALL_TYPE_IOCTL_ARG, SYSCALL_TYPE_FCNTL_ARG, SYSCALL_TYPE_PRCTL_ARG, /* BY_REQUEST: as much as the largest that is shown */
	/* i386: with 64-bit times or sizes where the type without 64 has 32 */
	SYSCALL_TYPE_STAT64, SYSCALL_TYPE_STATFS64, SYSCALL_TYPE_TIMESPEC64, SYSCALL_TYPE_TIMESPEC64_PAIR, SYSCALL_TYPE_ITIMERSPEC64,
	SYSCALL_TYPE_FLOCK64, SYSCALL_TYPE_TIMEX64, SYSCALL_TYPE_USER_DESC,
	SYSCALL_NR_TYPES
};
/* clang-format on */

enum syscall_direction { SYSCALL_IN, SYSCALL_OUT, SYSCALL_INOUT };

#define SYSCALL_NO_ARG 0xff

struct syscall_arg {
	const char *name;		   /* as the kernel's declaration has it: "filename" */
	const struct syscall_flags *flags; /* FLAGS, ENUM */
	uint8_t kind;			   /* enum syscall_arg_kind */
	uint8_t type;			   /* enum syscall_type */
	uint8_t direction;		   /* enum syscall_direction, of what it points to */
	uint8_t len_arg;		   /* index of the argument with the number of bytes or elements; SYSCALL_NO_ARG */
	bool is_len_pointer;		   /* that one is a pointer to the number (accept, getsockname) */
	bool is_whole;			   /* BYTES: a path, read and shown whole */
	bool is_len_exact;		   /* coming out, `len_arg` says how many there are, not the result */
};

struct syscall_def {
	const char *name;
	uint16_t classes;
	uint8_t nr_args;
	uint8_t result; /* enum syscall_arg_kind of what it returns: FD, POINTER (mmap), INT … */
	struct syscall_arg args[SYSCALL_MAX_ARGS];
};

/* NULL: no such number. */
const struct syscall_def *syscall_get(enum syscall_abi abi, uint32_t nr);
/* Numbers are below this. */
uint32_t syscall_limit(enum syscall_abi abi);
/* Whether it changes what is known of the socket that is its first argument: its addresses. */
bool syscall_changes_socket(const struct syscall_def *def);
/* Of this machine. */
enum syscall_abi syscall_native_abi(void);
/* Of a machine as uname(2) calls it ("x86_64"); NULL, and what is not known: as this one. */
enum syscall_abi syscall_abi_of(const char *machine);
/* What a call is called in tables: "openat"; "openat@32" of a number with SYSCALL_NR_32 (abi/syscall_sample.h), whose table is that of i386;
 * "syscall_1234" where it has no name. Made in `buf`, if it has to be made. */
const char *syscall_label(enum syscall_abi abi, uint32_t nr, char *buf, size_t size);

/* Of SYSCALL_TYPE_*, in bytes; 1 for those whose length is given in bytes. */
uint32_t syscall_type_size(enum syscall_abi abi, enum syscall_type type);

/* Structs of 32-bit programs as 64-bit ones have them, one after the other; where the layout is another (syscall_compat.c). Returns the bytes in
 * `wide`; what is not whole, or has no room, is left out. */
bool syscall_is_widened(enum syscall_type type);
size_t syscall_widen(enum syscall_type type, const uint8_t *data, size_t size, uint8_t *wide, size_t room);

/* Memory that has to be read while the call is made, for its arguments to be shown. */
enum syscall_read_how {
	SYSCALL_READ_STRING,  /* up to the NUL */
	SYSCALL_READ_FIXED,   /* `size` bytes */
	SYSCALL_READ_ARG,     /* args[len_arg] * `size` bytes */
	SYSCALL_READ_POINTED, /* as many bytes as the 32-bit number at args[len_arg] says */
	SYSCALL_READ_RESULT,  /* as many bytes as the call returns, times `size` */
	SYSCALL_READ_STRINGS, /* the array of strings */
};

struct syscall_read {
	uint8_t arg;
	uint8_t how; /* enum syscall_read_how */
	uint8_t len_arg;
	bool at_exit; /* after the call; only where it did not fail */
	bool is_data; /* bytes of a buffer: read as far as text of them is wanted */
	uint16_t size;
};

/* What is read for that call, at most SYSCALL_MAX_READS; returns how many. */
uint32_t syscall_reads(enum syscall_abi abi, const struct syscall_def *def, struct syscall_read *reads);

/* Bytes of memory that came with a call. An array of strings is the strings one after the other, each with its NUL. */
struct syscall_memory {
	const uint8_t *data;
	uint64_t address;    /* where it was read, if the memory of `arg` points there (the buffers of an iovec); 0: at `arg` itself */
	uint32_t size;	     /* bytes that are here */
	uint32_t nr_strings; /* of an array of strings: how many it has, here or not */
	uint8_t arg;
	bool is_cut;	 /* there was more */
	bool is_at_exit; /* read after the call */
	bool is_late;	 /* meant to be read before the call, but the page was not there until after it */
	bool has_failed; /* the address cannot be read */
};

/* One call, as it was made. */
struct syscall_call {
	const struct syscall_def *def; /* NULL: not in the table */
	enum syscall_abi abi;
	uint32_t nr;
	uint64_t args[SYSCALL_MAX_ARGS];
	int64_t result;
	bool has_ended; /* has a result */
	uint32_t nr_memory;
	struct syscall_memory memory[SYSCALL_MAX_MEMORY];
};

/* -errno of a call that failed, otherwise 0. */
static inline int syscall_error(const struct syscall_call *c)
{
	bool can_fail = !c->def || !(c->def->classes & SYSCALL_NEVER_FAILS);

	return c->has_ended && can_fail && c->result < 0 && c->result >= -4095 ? (int)c->result : 0;
}

/* One that stands for a process; port_id is its number, where that is known. */
bool syscall_file_is_pidfd(const struct syscall_file *f);

/* ---- names of bits and values ---- */

struct syscall_flag {
	const char *name; /* with its prefix: "O_CLOEXEC" */
	uint64_t value;
	uint64_t mask; /* the bits that the value is compared in; 0: the value's own */
};

/* Values are tried in order, each on the bits that are left: first (bits & mask) == value, then bits &= ~mask. One without bits ("PROT_NONE")
 * has all as its mask. Negative values (RUSAGE_CHILDREN) have 32 bits: arguments that are ints are cut to that first. */
struct syscall_flags {
	const char *prefix; /* that perf's style leaves out: "O_" */
	const struct syscall_flag *v;
	uint32_t nr;
};

/* The names of an argument's bits or values, given the others: protocols of a socket by its family, options by their level. NULL: none fit. */
const struct syscall_flags *syscall_arg_flags(const struct syscall_def *def, const uint64_t *args, uint32_t arg);
/* O_*: their bits differ between architectures. */
const struct syscall_flags *syscall_open_flags(enum syscall_abi abi);

#endif
