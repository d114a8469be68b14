/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The loader of python.bpf.c: the Python frames of sampled threads, as records in a ring buffer (python_events.h).
 */
#ifndef ASSAY_BPF_PYTHON_H
#define ASSAY_BPF_PYTHON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/errbuf.h"
#include "bpf/python_events.h"

struct bpf_python;

/* Loads it, detached. */
int bpf_python_open(struct bpf_python **b, uint32_t ring_bytes, struct errbuf *eb);
void bpf_python_close(struct bpf_python *b);
/* For PERF_EVENT_IOC_SET_BPF: events hold it as long as they are open. */
int bpf_python_program(const struct bpf_python *b);
/* Says what a program is; from any thread. */
int bpf_python_set_image(struct bpf_python *b, const struct python_program *program, const struct python_image *image);
/* Records are made only while it is enabled. */
void bpf_python_enable(struct bpf_python *b, bool on);
/* Becomes readable when a program is to be looked at. */
int bpf_python_fd(const struct bpf_python *b);
/* As event_ring_consume(). */
int bpf_python_consume(struct bpf_python *b, int (*record)(void *ctx, void *data, size_t size), void *ctx);
/* Records that there was no room for. */
uint64_t bpf_python_dropped(const struct bpf_python *b);

#endif
