/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The sets of named bits and values of syscall_flags_*.c: those of arguments, and those of fields of structs and of arguments that mean
 * something else for each request (fcntl, prctl), which their printer looks up by name. Sets of bits are in the order in which strace
 * prints them; where several names share bits, the one with most of them comes first.
 */
#ifndef ASSAY_ABI_SYSCALL_FLAGS_H
#define ASSAY_ABI_SYSCALL_FLAGS_H

#include "abi/syscalls.h"

/* clang-format off */
#define SYSCALL_FLAG_SETS(X) \
	X(open_x86) X(open_x86_bits) X(open_arm64) X(open_arm64_bits) X(resolve) X(rwf) X(seek) X(splice) X(sync_file_range) X(fadvise) \
	X(fallocate) X(flock) X(close_range) X(fcntl) X(fd_flags) X(lock_type) X(seals) X(dnotify) X(rw_hint) X(access) X(at) \
	X(at_execve) X(at_faccess) X(at_link) X(at_unlink) X(at_recursive) X(at_statx) X(name_to_handle) X(statx) X(statx_attributes) \
	X(file_type) X(rename) X(xattr) X(mount) X(umount) X(mount_attr) X(open_tree) X(move_mount) X(fsopen) X(fsconfig) X(fsmount) \
	X(fspick) X(listmount) X(statfs_flags) X(swap) X(quota) X(epoll_create) X(epoll_ctl) X(epoll_events) X(poll_events) X(eventfd) \
	X(signalfd) X(inotify_init) X(inotify) X(fanotify_init) X(fanotify_mark) X(fanotify) X(io_uring_setup) X(io_uring_features) \
	X(io_uring_enter) X(io_uring_register) X(clone) X(namespaces) X(wait) X(waitid) X(pidfd_open) X(pidfd_signal) X(kcmp) X(ptrace) \
	X(prctl) X(arch_prctl) X(seccomp) X(seccomp_filter) X(personality) X(rlimit) X(rusage) X(priority) X(ioprio_who) X(ioprio) \
	X(landlock_ruleset) X(landlock_rule) X(landlock_restrict) X(lsm_attr) X(lsm_flags) X(rseq) X(sigprocmask) X(sigaction) \
	X(sigaltstack) X(sigevent) X(si_code) X(sigchld_code) X(sigsegv_code) X(clock) X(timer) X(timerfd) X(itimer) X(timex_modes) \
	X(timex_status) X(timex_state) X(sched) X(sched_flags) X(membarrier) X(membarrier_flags) X(capability) X(prot) X(prot_arm64) \
	X(mmap) X(mremap) X(msync) X(madvise) X(mlock2) X(mlockall) X(pkey) X(shadow_stack) X(mempolicy) X(mbind) X(get_mempolicy) \
	X(memfd) X(memfd_secret) X(userfaultfd) X(futex_op) X(futex2) X(ipc_key) X(ipc_get) X(shmget) X(shmat) X(shmctl) X(semctl) \
	X(msgctl) X(msg_ipc) X(sembuf) X(ipc_call) X(keyctl) X(keyring) X(bpf) X(perf_event_open) X(getrandom) X(syslog) \
	X(reboot_magic1) X(reboot_magic2) X(reboot) X(module_init) X(delete_module) X(kexec) X(kexec_file) X(address_family) \
	X(socket_type) X(socket_flags) X(ip_protocol) X(netlink_protocol) X(msg) X(shutdown) X(socket_level) X(socket_option) \
	X(ip_option) X(ipv6_option) X(tcp_option) X(udp_option) X(netlink_option) X(packet_option) X(socketcall)
/* clang-format on */

#define SYSCALL_FLAG_SET_DECLARE(id) extern const struct syscall_flags syscall_flags_##id;
SYSCALL_FLAG_SETS(SYSCALL_FLAG_SET_DECLARE)
#undef SYSCALL_FLAG_SET_DECLARE

#endif
