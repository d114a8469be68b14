/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a thread is blocked on, by the functions of the kernel that it sleeps in, or by the system call that it is in. Names of functions differ between
 * releases, so that the table has those of several; compilers append ".isra.0" and the like. A page fault is one whatever it waits for inside;
 * otherwise the innermost function that is in the table decides.
 */
#include <string.h>
#include <sys/stat.h>

#include "model/wall.h"

static const struct {
	const char *name; /* a '*' at the end: any name that begins so */
	enum wall_class class;
} functions[] = {
	{ "handle_mm_fault", WALL_FAULT },
	{ "do_user_addr_fault", WALL_FAULT },
	{ "exc_page_fault", WALL_FAULT },
	{ "do_page_fault", WALL_FAULT },
	{ "do_mem_abort", WALL_FAULT },
	{ "faultin_page", WALL_FAULT },

	{ "futex_*", WALL_FUTEX },
	{ "__futex_*", WALL_FUTEX },
	{ "do_futex", WALL_FUTEX },

	{ "pipe_*", WALL_PIPE },
	{ "anon_pipe_*", WALL_PIPE },
	{ "fifo_*", WALL_PIPE },
	{ "wait_for_partner", WALL_PIPE },

	{ "do_nanosleep", WALL_SLEEP },
	{ "hrtimer_nanosleep", WALL_SLEEP },
	{ "common_nsleep*", WALL_SLEEP },
	{ "alarm_timer_nsleep", WALL_SLEEP },

	{ "sk_wait_*", WALL_NETWORK },
	{ "sk_stream_wait_*", WALL_NETWORK },
	{ "inet_csk_*", WALL_NETWORK },
	{ "inet_wait_*", WALL_NETWORK },
	{ "__inet_stream_connect", WALL_NETWORK },
	{ "inet_stream_connect", WALL_NETWORK },
	{ "tcp_*", WALL_NETWORK },
	{ "udp_*", WALL_NETWORK },
	{ "unix_*", WALL_NETWORK },
	{ "__unix_*", WALL_NETWORK },
	{ "__skb_wait_for_more_packets", WALL_NETWORK },
	{ "__skb_recv_datagram", WALL_NETWORK },
	{ "sock_*", WALL_NETWORK },
	{ "__sock_*", WALL_NETWORK },
	{ "sctp_*", WALL_NETWORK },
	{ "netlink_*", WALL_NETWORK },
	{ "vsock_*", WALL_NETWORK },
	{ "rpc_wait_*", WALL_NETWORK },
	{ "nfs_*", WALL_NETWORK },

	{ "ep_poll", WALL_POLL },
	{ "do_epoll_wait", WALL_POLL },
	{ "do_select", WALL_POLL },
	{ "core_sys_select", WALL_POLL },
	{ "do_sys_poll", WALL_POLL },
	{ "do_poll*", WALL_POLL },

	{ "io_schedule*", WALL_DISK },
	{ "blk_*", WALL_DISK },
	{ "submit_bio*", WALL_DISK },
	{ "bio_*", WALL_DISK },
	{ "folio_wait_*", WALL_DISK },
	{ "wait_on_page_*", WALL_DISK },
	{ "__wait_on_buffer", WALL_DISK },
	{ "__blkdev_*", WALL_DISK },
	{ "blkdev_*", WALL_DISK },
	{ "jbd2_*", WALL_DISK },
	{ "__jbd2_*", WALL_DISK },
	{ "xlog_*", WALL_DISK },
	{ "xfs_log_force*", WALL_DISK },
	{ "btrfs_*", WALL_DISK },
	{ "__iomap_dio_rw", WALL_DISK },
	{ "balance_dirty_pages*", WALL_DISK },
	{ "file_write_and_wait_range", WALL_DISK },
	{ "vfs_fsync_range", WALL_DISK },
	{ "do_fsync", WALL_DISK },
};

static const struct {
	const char *name, *heading;
} words[WALL_NR_CLASSES] = {
#define X(class, name, heading) { name, heading },
	WALL_CLASSES(X)
#undef X
};

const char *wall_class_name(enum wall_class c)
{
	return words[c].name;
}

const char *wall_class_heading(enum wall_class c)
{
	return words[c].heading;
}

static bool is_named(const char *function, const char *name)
{
	size_t len = strlen(name);

	if (name[len - 1] == '*')
		return !strncmp(function, name, len - 1);
	return !strncmp(function, name, len) && (!function[len] || function[len] == '.');
}

static enum wall_class class_of_function(const char *function)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (is_named(function, functions[i].name))
			return functions[i].class;
	return WALL_OTHER;
}

enum wall_class wall_class_of_stack(struct profile *p, uint32_t stack, char state)
{
	enum wall_class found = WALL_OTHER;

	(void)state;
	for (uint32_t n = profile_stack_node(p, stack); n != STACK_TREE_ROOT; n = stack_tree_parent(&p->tree, n)) {
		uint32_t location = stack_tree_frame(&p->tree, n);
		const struct profile_frame *f;
		enum wall_class c;

		if (p->locations.v[location].cpumode != MISC_KERNEL)
			break;
		f = profile_frame_at(p, location);
		c = f->function ? class_of_function(profile_str(p, f->function)) : WALL_OTHER;
		if (c == WALL_FAULT)
			return c;
		if (found == WALL_OTHER)
			found = c;
	}
	return found;
}

/* ---- by system call ---- */

static enum wall_class class_of_file(uint32_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFIFO:
		return WALL_PIPE;
	case S_IFSOCK:
		return WALL_NETWORK;
	case S_IFREG:
	case S_IFDIR:
	case S_IFBLK:
		return WALL_DISK;
	}
	return WALL_OTHER;
}

static const struct {
	const char *begin; /* of the name */
	enum wall_class class;
} calls[] = {
	{ "futex", WALL_FUTEX },    { "nanosleep", WALL_SLEEP }, { "clock_nanosleep", WALL_SLEEP }, { "poll", WALL_POLL },
	{ "ppoll", WALL_POLL },	    { "select", WALL_POLL },	 { "pselect", WALL_POLL },	    { "epoll_", WALL_POLL },
	{ "accept", WALL_NETWORK }, { "connect", WALL_NETWORK }, { "recv", WALL_NETWORK },	    { "sendto", WALL_NETWORK },
	{ "sendm", WALL_NETWORK },  { "fsync", WALL_DISK },	 { "fdatasync", WALL_DISK },	    { "sync", WALL_DISK },
	{ "msync", WALL_DISK },
};

/* Calls that a file is the first argument of; whatever it is, they wait for it. */
static const char *const file_calls[] = { "read",     "write",	   "pread",	"pwrite",	   "splice",   "sendfile", "tee",
					  "vmsplice", "fallocate", "ftruncate", "copy_file_range", "getdents", "readahead" };

enum wall_class wall_class_of_call(enum syscall_abi abi, uint32_t nr, uint32_t file_mode)
{
	const struct syscall_def *def = syscall_get(abi, nr);

	if (!def)
		return WALL_OTHER;
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (!strncmp(def->name, calls[i].begin, strlen(calls[i].begin)))
			return calls[i].class;
	for (size_t i = 0; i < sizeof(file_calls) / sizeof(file_calls[0]); i++)
		if (!strncmp(def->name, file_calls[i], strlen(file_calls[i])) && strncmp(def->name, "readlink", 8))
			return class_of_file(file_mode);
	return WALL_OTHER;
}
