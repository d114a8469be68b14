/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Requests of ioctl() that have a name.
 */
#ifndef ASSAY_VIEW_SYSCALL_IOCTL_H
#define ASSAY_VIEW_SYSCALL_IOCTL_H

#include <stddef.h>
#include <stdint.h>

enum syscall_ioctl_arg { IOCTL_POINTER, IOCTL_NUMBER, IOCTL_NO_ARG };

struct syscall_ioctl {
	uint32_t request;
	uint8_t arg; /* enum syscall_ioctl_arg */
	const char *name;
};

/* NULL: no name. */
const struct syscall_ioctl *syscall_ioctl_find(uint32_t request);

#endif
