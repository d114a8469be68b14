/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * From records to system calls: what was read of memory when a call began is joined with its end, and what each process has open is kept
 * track of, so that a descriptor has a path. Of records of BPF ("assay:sys_call") and of the kernel's tracepoints raw_syscalls:sys_enter and
 * sys_exit.
 */
#ifndef ASSAY_MODEL_SYSCALL_LOG_H
#define ASSAY_MODEL_SYSCALL_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/syscalls.h"
#include "base/hash.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "session/recording.h"

enum traced_kind { TRACED_CALL, TRACED_SIGNAL, TRACED_EXIT };

/* A thing that is shown as a line. */
struct traced {
	enum traced_kind kind;
	const struct task *task;
	uint64_t start_ns, end_ns; /* equal where it took no time; start_ns 0: it began before recording */
	uint32_t cpu;
	struct syscall_call call; /* TRACED_CALL; its memory is valid until the next one */
	int signal;		  /* TRACED_SIGNAL; call.memory[0], if there is one, is its siginfo */
	int status;		  /* TRACED_EXIT: as wait(2) has it */
};

/* Of a task: the call that it is in. */
struct syscall_open {
	int32_t tid;
	bool is_live;
	bool is_in; /* by raw_syscalls:sys_enter; BPF records come at the end of a call */
	uint32_t nr;
	uint64_t start_ns;
	uint64_t args[SYSCALL_MAX_ARGS];
	uint8_t *memory; /* pieces; malloc'd, kept for the next call */
	uint32_t memory_size, memory_cap;
};

struct syscall_fd {
	int fd;
	uint32_t path; /* string id; 0: not known */
	bool is_cloexec;
};

struct syscall_files { /* that a process has open, as far as it is known */
	int32_t pid;
	uint32_t cwd; /* string id; 0: not known */
	VEC(struct syscall_fd) fds;
};

/* The path of a descriptor of a process that runs, or with SYSCALL_CWD of its working directory; false: it cannot be read. */
#define SYSCALL_CWD (-100)
typedef bool syscall_read_fd_fn(void *ctx, int32_t pid, int fd, char *path, size_t size);

struct syscall_log {
	const struct recording *recording;
	enum syscall_abi abi;
	int call_event, enter_event, exit_event; /* in the recording; -1: none */
	syscall_read_fd_fn *read_fd;		 /* NULL: of a file, nothing runs */
	void *read_fd_ctx;
	const char *cwd; /* where all that is traced was started; NULL: not known */
	bool is_partial; /* calls that open and close are not all seen: a path is asked for anew each time */
	uint32_t nr_fds; /* that are known, of all processes */
	struct strtab paths;
	uint8_t effects[1024]; /* by number: what a call does to descriptors; worked out when it is first met */
	VEC(struct syscall_open) tasks;
	struct hindex task_index; /* by tid */
	uint32_t nr_live;	  /* tasks that began or did something, and have not ended */
	VEC(struct syscall_files) processes;
	struct hindex process_index; /* by pid */
	uint64_t nr_unpaired;	     /* ends of calls that began before */
};

void syscall_log_init(struct syscall_log *l, const struct recording *r);
void syscall_log_fini(struct syscall_log *l);
/* Takes the next record of the session. True: *t is what happened. */
bool syscall_log_take(struct syscall_log *l, const struct session_record *sr, struct traced *t);
/* To be called when a traced call has been shown: what it opened or closed. */
void syscall_log_apply(struct syscall_log *l, const struct traced *t);
/* The path of a descriptor now; NULL: not known. Valid until the next call. */
const char *syscall_log_path(struct syscall_log *l, const struct task *task, int fd);

#endif
