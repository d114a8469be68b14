/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Kernel types as far as our BPF programs use them, kept by hand: only the fields that are read, in any order. The loader finds where the
 * running kernel has them (CO-RE), so that a program is built once and for all kernels with BTF. Values of the UAPI come from its headers.
 */
#ifndef ASSAY_BPF_KERNEL_TYPES_H
#define ASSAY_BPF_KERNEL_TYPES_H

#include <stdbool.h>

#include <linux/bpf.h>
#include <linux/types.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#define USER32_CS 0x23 /* of 32-bit programs, whose numbers and registers are others */

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

#if defined(__TARGET_ARCH_x86)
struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx, r10, r9, r8, cx, dx, si, di, orig_ax, ip, cs, sp;
};

struct thread_info {
	__u32 status; /* TS_COMPAT: in a call by the 32-bit entry */
};

struct thread_struct {
	unsigned long fsbase;
};
#elif defined(__TARGET_ARCH_arm64)
struct pt_regs {
	__u64 regs[31];
	__u64 sp;
	__u64 pc;
	__u64 orig_x0;
	int syscallno;
};

struct thread_struct {
};
#endif

struct mm_struct {
	unsigned long start_code, start_stack;
	unsigned long arg_start, arg_end, env_end;
};

struct signal_struct {
	unsigned int flags;		     /* SIGNAL_GROUP_EXIT */
	struct task_struct *group_exec_task; /* that ends all others, to execute a program; from 5.16 on */
};

struct signal_struct___before_5_16 {
	struct task_struct *group_exit_task; /* the same, or one that ends all for another reason */
};

struct pid_namespace {
	struct {
		unsigned int inum;
	} ns;
};

struct upid {
	int nr;
	struct pid_namespace *ns;
};

struct pid {
	unsigned int level;
	struct upid numbers[1];
};

struct qstr {
	const unsigned char *name;
};

struct dentry {
	struct qstr d_name;
};

struct path {
	struct dentry *dentry;
};

struct super_block {
	unsigned long s_magic;
};

struct inode {
	struct super_block *i_sb;
	unsigned short i_mode;
	unsigned int i_rdev;
	unsigned long i_ino;
};

struct file {
	struct inode *f_inode;
	struct path f_path;
	void *private_data; /* of a socket: struct socket */
};

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
	unsigned long *close_on_exec;
};

struct list_head {
	struct list_head *next;
};

struct files_struct {
	struct fdtable *fdt;
};

struct in6_addr {
	unsigned char bytes[16];
};

struct proto {
	char name[32];
};

struct sock_common {
	__be32 skc_daddr, skc_rcv_saddr;
	__be16 skc_dport;
	__u16 skc_num;
	unsigned short skc_family;
	unsigned char skc_state;
	struct proto *skc_prot;
	struct in6_addr skc_v6_daddr, skc_v6_rcv_saddr;
};

struct sock {
	struct sock_common __sk_common;
	struct socket *sk_socket;
	__u16 sk_protocol;
};

struct socket {
	short type;
	struct sock *sk;
};

struct socket_alloc {
	struct socket socket; /* the first */
	struct inode vfs_inode;
};

struct sockaddr_un {
	unsigned short sun_family;
	char sun_path[108];
};

struct unix_address {
	int len; /* with sun_family */
	struct sockaddr_un name[1];
};

struct unix_sock {
	struct unix_address *addr;
	struct sock *peer;
};

struct netlink_sock {
	__u32 portid;
};

struct task_struct {
#if defined(__TARGET_ARCH_x86)
	struct thread_info thread_info;
#endif
	int pid, tgid;
	int exit_code;
	struct mm_struct *mm;
	struct thread_struct thread;
	struct signal_struct *signal;
	struct task_struct *group_leader;
	struct pid *thread_pid;
	struct files_struct *files;
	unsigned int __state; /* from 5.14 on */
	unsigned int in_iowait : 1;
	void *stack;
	char comm[16];
};

struct task_struct___before_5_14 {
	long state;
};

struct bpf_iter_num___of_6_4 {
	__u64 __opaque[1];
};

struct bpf_iter__task_file {
	void *meta;
	struct task_struct *task;
	__u32 fd;
	struct file *file;
};

struct linux_binprm;

struct perf_sample_data {
	__u64 time;
};

/* What a program on a perf event is really given. */
struct bpf_perf_event_data_kern {
	struct perf_sample_data *data;
};

#pragma clang attribute pop

#endif
