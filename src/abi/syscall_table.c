/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Definitions of system calls, from the lines of syscall_list_*.h:
 *
 *	SYSCALL(name, classes, kind of the result, arguments…)
 *
 * Arguments are named as the kernel's declarations name them (tests/oracle/syscall_table_vs_kernel.sh compares them with tracefs).
 * IN, OUT and INOUT point to a struct of a type; _ARRAY to as many as the argument with that index says (coming out: as many as the call
 * returns; OUT_EXACT: as the argument says), _SIZED to as many bytes, _POINTED to as many bytes as the number says that the argument points to.
 */
#include "abi/syscall_flags.h"
#include "abi/syscall_ids.h"

#define F SYSCALL_FILE
#define D SYSCALL_DESC
#define N SYSCALL_NETWORK
#define P SYSCALL_PROCESS
#define M SYSCALL_MEMORY
#define S SYSCALL_SIGNAL
#define I SYSCALL_IPC
#define U SYSCALL_CREDS
#define T SYSCALL_CLOCK
#define NOFAIL SYSCALL_NEVER_FAILS
#define NORETURN SYSCALL_NO_RETURN

/* clang-format off */
#define ARG(arg_name, arg_kind, ...) { .name = arg_name, .kind = SYSCALL_ARG_##arg_kind, .len_arg = SYSCALL_NO_ARG, ##__VA_ARGS__ }
#define ARG_LEN(arg_name, arg_kind, len, ...) { .name = arg_name, .kind = SYSCALL_ARG_##arg_kind, .len_arg = len, ##__VA_ARGS__ }
/* clang-format on */
#define INT(name) ARG(name, INT)
#define UINT(name) ARG(name, UINT)
#define LONG(name) ARG(name, LONG)
#define ULONG(name) ARG(name, ULONG)
#define SIZE(name) ARG(name, SIZE)
#define OFFSET(name) ARG(name, OFFSET)
#define HEX(name) ARG(name, HEX)
#define POINTER(name) ARG(name, POINTER)
#define FD(name) ARG(name, FD)
#define DIRFD(name) ARG(name, DIRFD)
#define PID(name) ARG(name, PID)
#define UID(name) ARG(name, UID)
#define MODE(name) ARG(name, MODE)
#define DEVICE(name) ARG(name, DEVICE)
#define SIGNAL(name) ARG(name, SIGNAL)
#define IOCTL(name) ARG(name, IOCTL)
#define PATH(name) ARG(name, PATH)
#define STRING(name) ARG(name, STRING)
#define STRINGS(name) ARG(name, STRINGS)
#define FLAGS(name, set) ARG(name, FLAGS, .flags = &syscall_flags_##set)
#define FLAGS_MODE(name, set) ARG(name, FLAGS_MODE, .flags = &syscall_flags_##set)
#define ENUM(name, set) ARG(name, ENUM, .flags = &syscall_flags_##set)
#define BY_REQUEST(name, of) ARG(name, BY_REQUEST, .type = SYSCALL_TYPE_##of, .direction = SYSCALL_INOUT)

#define IN(name, of) ARG(name, STRUCT, .type = SYSCALL_TYPE_##of, .direction = SYSCALL_IN)
#define OUT(name, of) ARG(name, STRUCT, .type = SYSCALL_TYPE_##of, .direction = SYSCALL_OUT)
#define INOUT(name, of) ARG(name, STRUCT, .type = SYSCALL_TYPE_##of, .direction = SYSCALL_INOUT)
#define IN_ARRAY(name, of, len) ARG_LEN(name, STRUCT, len, .type = SYSCALL_TYPE_##of, .direction = SYSCALL_IN, .is_len_exact = true)
#define OUT_ARRAY(name, of, len) ARG_LEN(name, STRUCT, len, .type = SYSCALL_TYPE_##of, .direction = SYSCALL_OUT)
#define INOUT_ARRAY(name, of, len) ARG_LEN(name, STRUCT, len, .type = SYSCALL_TYPE_##of, .direction = SYSCALL_INOUT, .is_len_exact = true)
#define OUT_EXACT(name, of, len) ARG_LEN(name, STRUCT, len, .type = SYSCALL_TYPE_##of, .direction = SYSCALL_OUT, .is_len_exact = true)
#define IN_SIZED(name, of, len) IN_ARRAY(name, of, len)
#define OUT_SIZED(name, of, len) OUT_ARRAY(name, of, len)
#define OUT_POINTED(name, of, len) ARG_LEN(name, STRUCT, len, .type = SYSCALL_TYPE_##of, .direction = SYSCALL_OUT, .is_len_pointer = true)
/* The array is there before the call, the bytes that it points to are after it. */
#define OUT_IOVEC(name, len) ARG_LEN(name, STRUCT, len, .type = SYSCALL_TYPE_IOVEC, .direction = SYSCALL_OUT, .is_len_exact = true)
#define IN_BYTES(name, len) ARG_LEN(name, BYTES, len, .direction = SYSCALL_IN, .is_len_exact = true)
#define OUT_PATH(name, len) ARG_LEN(name, BYTES, len, .direction = SYSCALL_OUT, .is_whole = true)
#define OUT_BYTES(name, len) ARG_LEN(name, BYTES, len, .direction = SYSCALL_OUT)
#define OUT_BYTES_POINTED(name, len) ARG_LEN(name, BYTES, len, .direction = SYSCALL_OUT, .is_len_pointer = true)

#define SYSCALL(id, classes, result, ...) SYSCALL_AS(id, #id, classes, result, ##__VA_ARGS__)
/* clang-format off */
#define SYSCALL_AS(id, call_name, call_classes, call_result, ...) \
	[SYSCALL_ID_##id] = { \
		.name = call_name, \
		.classes = call_classes, \
		.result = SYSCALL_ARG_##call_result, \
		.nr_args = sizeof((struct syscall_arg[]){ __VA_ARGS__ }) / sizeof(struct syscall_arg), \
		.args = { __VA_ARGS__ }, \
	},
/* clang-format on */

const struct syscall_def syscall_table[SYSCALL_NR_IDS] = {
#include "abi/syscall_list_file.h"
#include "abi/syscall_list_process.h"
#include "abi/syscall_list_system.h"
#include "abi/syscall_list_i386.h"
};
