/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Python functions as they are recorded: samples of an event of the type bpf-output, named "python-frames", whose raw bytes are one of the
 * structs below. A stack belongs to the sample of another event that the same thread has one nanosecond later, so that it comes first in
 * the order of time. Images and code have no time: they come where they stand in the file, before they are needed.
 *
 * A stack names code by number; numbers are of one recording. Its frames are in order, the innermost first.
 */
#ifndef ASSAY_ABI_PYTHON_SAMPLE_H
#define ASSAY_ABI_PYTHON_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "abi/attr.h"

#define PYTHON_EVENT_NAME "python-frames"

static inline bool python_is_event(const struct attr *a, const char *name)
{
	return a->type == ATTR_TYPE_SOFTWARE && a->config == CONFIG_BPF_OUTPUT && a->sample_type & SAMPLE_RAW && name &&
	       !strcmp(name, PYTHON_EVENT_NAME);
}

enum python_sample_kind { PYTHON_SAMPLE_IMAGE = 1, PYTHON_SAMPLE_CODE = 2, PYTHON_SAMPLE_STACK = 3 };

#define PYTHON_EVAL_RANGES 2

/* An interpreter in the memory of a process and of those that it forks. */
struct python_sample_image {
	uint32_t kind, image;
	uint32_t version; /* 0x030b: 3.11 */
	uint32_t reserved;
	struct {
		uint64_t start, end; /* equal: none */
	} eval[PYTHON_EVAL_RANGES];  /* code of the function that runs Python frames */
};

/* A code object. File and name follow, in UTF-8, without an end. */
struct python_sample_code {
	uint32_t kind, code;
	uint32_t first_line;
	uint16_t file_size, name_size;
};

#define PYTHON_FRAME_ENTRY 0x80000000u /* of a frame's code: the interpreter was called anew for it */
#define PYTHON_STACK_CUT 1u	       /* of a stack's flags: it has more frames */
#define PYTHON_STACK_SUB 2u	       /* it is of a subinterpreter: callers of another interpreter are not in it */

struct python_sample_frame {
	uint32_t code; /* with PYTHON_FRAME_ENTRY */
	uint32_t line; /* 0: not known */
};

/* Frames follow. */
struct python_sample_stack {
	uint32_t kind, image;
	uint32_t nr_frames;
	uint32_t flags;
};

#endif
