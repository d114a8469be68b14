/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What descriptors stand for: read where a call made or changed one, when it ends, because by the time that the record is printed the process may
 * have closed it. Inode, device, and of sockets the addresses.
 */
#ifndef ASSAY_BPF_SYSCALL_FILES_BPF_H
#define ASSAY_BPF_SYSCALL_FILES_BPF_H

#include "bpf/syscall_records.bpf.h"

enum { FAMILY_UNIX = 1, FAMILY_INET = 2, FAMILY_INET6 = 10, FAMILY_NETLINK = 16 };
enum { MODE_TYPE = 0170000, MODE_SOCKET = 0140000 };

static __always_inline void fill_unix(struct syscall_file *f, const struct unix_sock *u)
{
	const struct unix_address *address = BPF_CORE_READ(u, addr);
	const struct sock *peer = BPF_CORE_READ(u, peer);
	const struct socket_alloc *other = peer ? (const void *)BPF_CORE_READ(peer, sk_socket) : NULL;
	unsigned long long len = address ? (unsigned int)BPF_CORE_READ(address, len) - 2 : 0;

	if (other)
		f->peer_inode = BPF_CORE_READ(other, vfs_inode.i_ino);
	/* The verifier follows this one register, not copies of it. */
	asm volatile("" : "+r"(len));
	if (!len || len > 108)
		return;
	f->name_size = len;
	/* Behind it is memory of the kernel that is none of the address. */
	bpf_core_read(f->name, len, &address->name[0].sun_path);
}

static __always_inline void fill_inet(struct syscall_file *f, const struct sock *sk)
{
	f->local_port = BPF_CORE_READ(sk, __sk_common.skc_num);
	f->remote_port = __builtin_bswap16(BPF_CORE_READ(sk, __sk_common.skc_dport));
	if (f->family == FAMILY_INET) {
		bpf_core_read(f->local, 4, &sk->__sk_common.skc_rcv_saddr);
		bpf_core_read(f->remote, 4, &sk->__sk_common.skc_daddr);
	} else if (bpf_core_field_exists(sk->__sk_common.skc_v6_daddr)) {
		bpf_core_read(f->local, 16, &sk->__sk_common.skc_v6_rcv_saddr);
		bpf_core_read(f->remote, 16, &sk->__sk_common.skc_v6_daddr);
	}
}

static __always_inline void fill_socket(struct syscall_file *f, const struct socket *socket)
{
	const struct sock *sk = BPF_CORE_READ(socket, sk);
	const struct proto *proto = sk ? BPF_CORE_READ(sk, __sk_common.skc_prot) : NULL;

	if (!sk)
		return;
	f->socket_type = BPF_CORE_READ(socket, type);
	f->family = BPF_CORE_READ(sk, __sk_common.skc_family);
	f->state = BPF_CORE_READ(sk, __sk_common.skc_state);
	f->protocol = BPF_CORE_READ(sk, sk_protocol);
	if (proto)
		bpf_core_read(f->protocol_name, sizeof(f->protocol_name), &proto->name);
	if (f->family == FAMILY_UNIX && bpf_core_type_exists(struct unix_sock))
		fill_unix(f, (const void *)sk);
	else if (f->family == FAMILY_INET || f->family == FAMILY_INET6)
		fill_inet(f, sk);
	else if (f->family == FAMILY_NETLINK && bpf_core_type_exists(struct netlink_sock))
		f->port_id = BPF_CORE_READ((const struct netlink_sock *)sk, portid);
}

static __always_inline bool closes_at_exec(const struct fdtable *table, unsigned int fd)
{
	const unsigned long *bits = BPF_CORE_READ(table, close_on_exec);
	unsigned long word = 0;

	bpf_probe_read_kernel(&word, sizeof(word), bits + fd / 64);
	return word >> (fd & 63) & 1;
}

/* Appends a piece to the memory of the record at hand. */
static __noinline int add_file(struct scratch *c, unsigned int fd, const struct file *file, const struct fdtable *table)
{
	struct syscall_piece *piece;
	struct syscall_file *f = &c->file;
	const unsigned char *name;
	unsigned int off = c->off;
	long got;

	if (off > SYSCALL_MEMORY_MAX)
		return 0;
	__builtin_memset(f, 0, sizeof(*f));
	f->fd = fd;
	f->is_cloexec = closes_at_exec(table, fd);
	f->mode = BPF_CORE_READ(file, f_inode, i_mode);
	f->device = BPF_CORE_READ(file, f_inode, i_rdev);
	f->inode = BPF_CORE_READ(file, f_inode, i_ino);
	f->magic = BPF_CORE_READ(file, f_inode, i_sb, s_magic);
	if ((f->mode & MODE_TYPE) == MODE_SOCKET) {
		fill_socket(f, BPF_CORE_READ(file, private_data));
	} else {
		name = BPF_CORE_READ(file, f_path.dentry, d_name.name);
		got = bpf_probe_read_kernel_str(f->name, sizeof(f->name), name);
		f->name_size = got > 0 ? got - 1 : 0;
	}
	piece = (void *)(c->memory + off);
	*piece = (struct syscall_piece){ .flags = SYSCALL_PIECE_FILE, .size = sizeof(*f) };
	bpf_probe_read_kernel(c->memory + off + sizeof(*piece), sizeof(*f), f);
	c->off = off + sizeof(*piece) + sizeof(*f);
	return 0;
}

/* A descriptor of the task that runs. */
__noinline int put_file(unsigned int fd)
{
	struct scratch *c = get_scratch();
	struct task_struct *task = (void *)bpf_get_current_task();
	struct fdtable *table = BPF_CORE_READ(task, files, fdt);
	struct file **files, *file = NULL;

	if (!c || !table || fd >= BPF_CORE_READ(table, max_fds))
		return 0;
	files = BPF_CORE_READ(table, fd);
	bpf_probe_read_kernel(&file, sizeof(file), files + fd);
	if (file)
		add_file(c, fd, file, table);
	return 0;
}

/* Those that a call made or changed. */
static __always_inline void put_files(struct scratch *c, const struct syscall_plan *plan, long ret)
{
	unsigned int arg = plan->pair_arg, pair[2] = { 0 };

	if (plan->describes & DESCRIBES_RESULT && ret >= 0)
		put_file(ret);
	if (plan->describes & DESCRIBES_FIRST)
		put_file(c->args[0]);
	if (plan->describes & DESCRIBES_PAIR && !ret && arg < SYSCALL_ARGS &&
	    !bpf_probe_read_user(pair, sizeof(pair), (void *)c->args[arg])) {
		put_file(pair[0]);
		put_file(pair[1]);
	}
}

#endif
