/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How syscall_flags_*.c write a set: FLAG_SET(id, prefix, values): V a bit or a value, M one that is compared in the bits of a mask.
 */
#ifndef ASSAY_ABI_SYSCALL_FLAG_SET_H
#define ASSAY_ABI_SYSCALL_FLAG_SET_H

#include "abi/syscall_flags.h"

/* clang-format off */
#define V(name, value) { name, value, 0 }
#define M(name, value, mask) { name, value, mask }
/* clang-format on */
#define FLAG_SET(id, prefix, ...)                                                                                                          \
	static const struct syscall_flag id##_values[] = { __VA_ARGS__ };                                                                  \
	const struct syscall_flags syscall_flags_##id = { prefix, id##_values, sizeof(id##_values) / sizeof(id##_values[0]) }

#endif
