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

#include "abi/syscall_sample.h"
#include "abi/syscall_set.h"
#include "abi/syscalls.h"
#include "base/hash.h"
#include "base/vec.h"
#include "model/open_files.h"
#include "session/recording.h"

/* TRACED_ENTER: a call begins; where struct syscall_log says that these are wanted. */
enum traced_kind { TRACED_CALL, TRACED_SIGNAL, TRACED_EXIT, TRACED_ENTER };

/* A thing that is shown as a line. */
struct traced {
	enum traced_kind kind;
	const struct task *task;
	uint64_t start_ns, end_ns; /* equal where it took no time; start_ns 0: it began before recording */
	bool began_before;	   /* recording; start_ns is the time at which that began, or 0 */
	bool is_pending;	   /* TRACED_CALL: the task is still in it at end_ns, when recording ended */
	uint32_t cpu;		   /* UINT32_MAX: of none */
	struct syscall_call
		call; /* TRACED_CALL, TRACED_ENTER; its memory is valid until the next one. Structs of 32-bit programs are widened */
	uint32_t nr_files;
	struct syscall_file files[2]; /* TRACED_CALL: descriptors that it made or changed, as they are at its end */
	int signal;		      /* TRACED_SIGNAL; call.memory[0], if there is one, is its siginfo */
	int status;		      /* TRACED_EXIT: as wait(2) has it */
	int32_t superseded_by;	      /* TRACED_EXIT: a thread that executes a program and goes on as this one; 0: it has ended */
};

/* Of a task: the call that it is in. */
struct syscall_open {
	int32_t tid;
	uint32_t next_free; /* of one that is not used */
	bool is_used, is_live;
	bool is_in; /* by raw_syscalls:sys_enter; BPF records come at the end of a call */
	uint32_t nr;
	uint64_t start_ns;
	uint64_t args[SYSCALL_MAX_ARGS];
	uint8_t *memory; /* pieces; malloc'd, kept for the next call */
	uint32_t memory_size, memory_cap;
};

/* The path of a descriptor of a process that runs, or with SYSCALL_CWD of its working directory; false: it cannot be read. */
#define SYSCALL_CWD (-100)
typedef bool syscall_read_fd_fn(void *ctx, int32_t pid, int fd, char *path, size_t size);

struct syscall_log {
	const struct recording *recording;
	enum syscall_abi abi;
	int call_event, enter_event, exit_event; /* in the recording; -1: none */
	uint32_t nr_events;			 /* of the recording, when these were looked for */
	syscall_read_fd_fn *read_fd;		 /* NULL: of a file, nothing runs */
	void *read_fd_ctx;
	char *(*resolve)(const char *path); /* the path without links, malloc'd, or NULL; NULL: paths are as the calls have them */
	const char *cwd;		    /* where all that is traced was started; NULL: not known */
	bool has_enters;		    /* beginnings of calls are handed out */
	bool is_partial;		    /* calls that open and close are not all seen: a path is asked for anew each time */
	struct open_files files;
	uint8_t *wide; /* memory of a call of a 32-bit program, as 64-bit ones have it; NULL: none was seen */
	uint8_t effects
		[2048]; /* by number, 32-bit ones in the second half: what a call does to descriptors; worked out when it is first met */
	VEC(struct syscall_open) tasks;
	struct hindex task_index; /* by tid */
	uint32_t first_free;	  /* of the tasks; UINT32_MAX: none */
	uint32_t last_task;	  /* found: the next call is most likely of the same */
	uint32_t nr_live;	  /* tasks that began or did something, and have not ended */
	uint64_t nr_unpaired;	  /* ends of calls that began before */
};

void syscall_log_init(struct syscall_log *l, const struct recording *r);
void syscall_log_fini(struct syscall_log *l);
/* Takes the next record of the session. True: *t is what happened. */
bool syscall_log_take(struct syscall_log *l, const struct session_record *sr, struct traced *t);
/* False: a record of `trace` that is no call, and has no stack: memory of a call that ends later, a signal, the end of a task. */
bool syscall_log_is_weighed(const struct recording *r, const struct session_record *sr);
/* To be called when a traced call has been shown: what it opened or closed. */
void syscall_log_apply(struct syscall_log *l, const struct traced *t);
/* A call whose result is a new descriptor: it is to be applied before the result is shown, and after the arguments were; a second time
 * changes nothing. */
bool syscall_log_makes_fd(struct syscall_log *l, const struct traced *t);
/* The calls that open, close and copy descriptors, or change the directory: without them, paths are not known. */
void syscall_log_add_calls(struct syscall_set *set, enum syscall_abi abi);
/* A path that is relative to a directory's descriptor or SYSCALL_CWD, as far as that is known. False: it is too long for the buffer. */
bool syscall_log_full_path(struct syscall_log *l, const struct task *task, int dirfd, const char *path, size_t len, char *buf, size_t size);
/* The path of a descriptor, or SYSCALL_CWD, now; NULL: not known. Valid until the next call. */
const char *syscall_log_path(struct syscall_log *l, const struct task *task, int fd);

/* What a descriptor was when it was last described. False: it never was. */
bool syscall_log_file(struct syscall_log *l, const struct task *task, int fd, struct syscall_file *f);

#endif
