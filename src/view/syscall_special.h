/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How single calls are written that are not like their table entry. Only view/syscall_*.c include it; see struct syscall_special.
 */
#ifndef ASSAY_VIEW_SYSCALL_SPECIAL_H
#define ASSAY_VIEW_SYSCALL_SPECIAL_H

#include "view/syscall_structs.h"

/* syscall_control.c: a request decides what the other arguments are */
uint32_t syscall_fcntl_args(const struct syscall_writer *w);
bool syscall_fcntl_arg(struct syscall_writer *w, uint32_t i);
bool syscall_fcntl_result(struct syscall_writer *w);
bool syscall_fcntl_needs_end(const struct syscall_writer *w);
uint32_t syscall_ioctl_args(const struct syscall_writer *w);
bool syscall_ioctl_arg(struct syscall_writer *w, uint32_t i);
bool syscall_ioctl_needs_end(const struct syscall_writer *w);
uint32_t syscall_prctl_args(const struct syscall_writer *w);
bool syscall_prctl_arg(struct syscall_writer *w, uint32_t i);
bool syscall_prctl_result(struct syscall_writer *w);
bool syscall_prctl_needs_end(const struct syscall_writer *w);
bool syscall_arch_prctl_arg(struct syscall_writer *w, uint32_t i);

/* syscall_threads.c */
uint32_t syscall_futex_args(const struct syscall_writer *w);
bool syscall_futex_arg(struct syscall_writer *w, uint32_t i);
uint32_t syscall_clone_args(const struct syscall_writer *w);
bool syscall_clone_arg(struct syscall_writer *w, uint32_t i);
bool syscall_clone3_arg(struct syscall_writer *w, uint32_t i);

/* syscall_waiting.c: what comes back is behind the result, or nowhere */
bool syscall_poll_arg(struct syscall_writer *w, uint32_t i);
bool syscall_poll_result(struct syscall_writer *w);
bool syscall_select_arg(struct syscall_writer *w, uint32_t i);
bool syscall_select_result(struct syscall_writer *w);
bool syscall_recvmmsg_result(struct syscall_writer *w);
bool syscall_sleep_arg(struct syscall_writer *w, uint32_t i);
bool syscall_wait_arg(struct syscall_writer *w, uint32_t i);
bool syscall_utimes_arg(struct syscall_writer *w, uint32_t i);
bool syscall_time_arg(struct syscall_writer *w, uint32_t i);
bool syscall_time_result(struct syscall_writer *w);
bool syscall_offset_arg(struct syscall_writer *w, uint32_t i);

/* syscall_narrow.c: numbers of 64 bits in calls of 32-bit programs */
uint32_t syscall_halves_args(const struct syscall_writer *w);
bool syscall_halves_arg(struct syscall_writer *w, uint32_t i);
bool syscall_mmap2_arg(struct syscall_writer *w, uint32_t i);
bool syscall_thread_area_arg(struct syscall_writer *w, uint32_t i);
bool syscall_thread_area_result(struct syscall_writer *w);

/* syscall_options.c */
bool syscall_sockopt_arg(struct syscall_writer *w, uint32_t i);
bool syscall_socket_arg(struct syscall_writer *w, uint32_t i);

#endif
