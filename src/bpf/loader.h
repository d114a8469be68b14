/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the loaders of BPF programs share. Each program X.bpf.c has a small loader X.c, which opens the skeleton that is made of it at build
 * time, sizes its maps, loads and attaches it. Everything is held by file descriptors, so that nothing stays in the kernel when the process
 * ends, however it ends.
 */
#ifndef ASSAY_BPF_LOADER_H
#define ASSAY_BPF_LOADER_H

#include <stdint.h>

#include "base/errbuf.h"

/* libbpf's messages are kept for bpf_failed() and shown with -v, from now on. */
void bpf_keep_messages(void);
/* The sentence for a failure to load or attach: what is missing, and how it can be had. Returns `err`. */
int bpf_failed(int err, struct errbuf *eb);
/* Whether this program was built with BPF, and this kernel describes its types. 0, or a negative errno with the sentence. */
int bpf_check(struct errbuf *eb);

/* The inode of the PID namespace of this process; 0: the first one, whose numbers BPF programs see. */
unsigned bpf_pid_namespace(void);

/* What a task is that a program is to trace. */
enum bpf_task_kind {
	BPF_TASK_THREAD,
	BPF_TASK_PROCESS,  /* the first thread of a process, whose other threads are traced, too */
	BPF_TASK_WORKLOAD, /* only from the moment on that it executes a program */
};

/* How many numbers of tasks there can be: for an array by them. */
uint32_t bpf_pid_limit(void);

#endif
