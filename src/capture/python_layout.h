/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Where interpreters of each version have what the BPF program reads (bpf/python_events.h).
 */
#ifndef ASSAY_CAPTURE_PYTHON_LAYOUT_H
#define ASSAY_CAPTURE_PYTHON_LAYOUT_H

#include "bpf/python_events.h"
#include "symbols/python_file.h"

/* -ENOTSUP: the version is not known, or its own offsets are none that can be used. */
int python_layout_of(const struct python_file *f, struct python_layout *l);

#endif
