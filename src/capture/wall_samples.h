/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Events of bpf/offcpu.bpf.c as samples one by one (abi/wall_sample.h), for `assay wall`, where offcpu_waits.h makes one sample of a wait.
 */
#ifndef ASSAY_CAPTURE_WALL_SAMPLES_H
#define ASSAY_CAPTURE_WALL_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/attr.h"
#include "abi/sample.h"
#include "abi/wall_sample.h"
#include "bpf/offcpu_events.h"
#include "capture/header_info.h"

#define WALL_SAMPLE_MAX 65536u

/* How their raw bytes are laid out. */
extern const struct own_format wall_sample_format;

/* Changes what an attr of off-CPU times says of the event. */
void wall_samples_make_attr(struct attr *a);
/* Writes the sample of an event of `size` bytes, with room for WALL_SAMPLE_MAX, and in front of it the name of a task where that is part of the
 * event. Returns their bytes; 0: the event is malformed. */
size_t wall_samples_put(uint64_t event_id, bool has_dumps, const struct sample_layout *layout, const void *event, size_t size,
			uint8_t *sample);

/* An event that is not the program's: WALL_SAMPLE_WAITING, with `e.user_ip` as its stack, or WALL_SAMPLE_LIMIT. */
struct wall_own_event {
	struct offcpu_event e;
	uint64_t sp;
};

size_t wall_samples_put_own(uint64_t event_id, bool has_dumps, const struct wall_own_event *own, uint8_t *sample);

#endif
