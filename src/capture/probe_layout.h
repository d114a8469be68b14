/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Arguments of probes in the kernel's notation ("n=+8(%di):u32"), for probes that are no entries of tracefs: what the BPF program fetches for
 * each, and the format that readers print it by, which is what the kernel would show for the same probe.
 */
#ifndef ASSAY_CAPTURE_PROBE_LAYOUT_H
#define ASSAY_CAPTURE_PROBE_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/errbuf.h"
#include "base/out.h"
#include "bpf/probe_hits.h"

/* How a value is stored in the raw data of samples. */
struct probe_field {
	const char *name;
	const char *type;  /* of the format: "u32", "__data_loc char[]" */
	const char *print; /* conversion: "%u" */
	uint32_t off, size;
	bool is_signed, is_string;
	uint8_t bit_width, bit_off; /* of a bit-field; width 0: the whole value */
};

struct probe_layout {
	struct probe_field fields[PROBE_ARGS_MAX];
	uint32_t nr_fields;
	uint32_t size; /* of the raw data without strings */
	uint16_t id;   /* of the tracepoint, set by the owner: readers find the format by it */
	bool is_return;
};

/* What of the architecture matters: the words of its registers. */
enum probe_machine { PROBE_X86_64, PROBE_ARM64 };
enum probe_machine probe_machine_native(void);

/* Compiles the arguments ("a=%di b=+0(%si):string") of a probe at this file offset. The arena owns names. -EINVAL, -ENOTSUP with a sentence. */
int probe_fetch_compile(const char *args, enum probe_machine machine, uint64_t file_off, bool is_return, struct arena *arena,
			struct probe_program *program, struct probe_layout *layout, struct errbuf *eb);
/* The text of the format file, as tracefs has it for a probe: `name` without its group. */
void probe_layout_format(const struct probe_layout *l, const char *name, struct out *o);
/* The raw data of a sample from a record of the ring buffer, of `size` bytes; its size, at most `cap`, or 0 where the record is damaged. */
size_t probe_layout_raw(const struct probe_layout *l, const void *record, size_t size, uint8_t *raw, size_t cap);

#endif
