/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The header's lines on the BPF programs that were loaded while recording. Reads the raw
 * BPF_PROG_INFO and BPF_BTF sections: arrays that the kernel gave, their pointers replaced by
 * offsets. For header_text.c alone.
 */
#ifndef ASSAY_VIEW_BPF_INFO_TEXT_H
#define ASSAY_VIEW_BPF_INFO_TEXT_H

#include "base/bytes.h"
#include "base/out.h"

/* `btf`: the BPF_BTF section, for the names of functions; may be empty. */
void bpf_info_text(struct out *o, struct bytes programs, struct bytes btf);
void bpf_btf_text(struct out *o, struct bytes btf);

#endif
