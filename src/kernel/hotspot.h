/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A running Java virtual machine (HotSpot), asked by its attach protocol for what only it knows: commands of jcmd, sent to a socket in its
 * /tmp, and the map of its compiled code, which it writes there. Nothing is loaded into it and no Java is run; a thread of it that listens
 * is started by SIGQUIT and a file beside the socket.
 *
 * The process is not trusted: everything happens below its own root directory without following links, the other end of the socket has to
 * be the process itself, sizes are bounded, and no wait lasts longer than its deadline. (Files on a file system that the process serves
 * itself may block any access: callers use a thread that they can do without.)
 */
#ifndef ASSAY_KERNEL_HOTSPOT_H
#define ASSAY_KERNEL_HOTSPOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/errbuf.h"

#define HOTSPOT_MAX_REPLY (64u << 20)

/* What /proc/PID/status says. */
struct hotspot_status {
	pid_t ns_pid; /* in the innermost PID namespace: files have it in their names */
	uid_t uid;    /* effective */
	gid_t gid;
	bool is_stopped;
	bool catches_quit;
};

struct hotspot {
	pid_t pid;
	int pid_fd, tmp_fd; /* its /tmp; -1: not open */
	struct hotspot_status status;
	bool was_signalled; /* once is enough */
	bool has_trigger;   /* our file that tells SIGQUIT from a request for a thread dump is there */
	bool had_map;	    /* there was a map before we asked for one: it is not ours to remove */
	bool is_known;	    /* had_map and has_agent are */
	bool has_agent;	    /* the process writes that map all the time */
};

/* 0; -ESRCH: it is gone; else -errno and a message. hotspot_close() in any case. */
int hotspot_open(struct hotspot *h, pid_t pid, struct errbuf *eb);
void hotspot_close(struct hotspot *h);
/* Sends a command of jcmd and reads the reply, which the caller frees; a NUL is added. -EAGAIN: it cannot be asked yet (it is starting, or
 * stopped). -ENOSYS: it does not know the command. -ETIMEDOUT: no answer until the deadline (clock_now_ns()). */
int hotspot_ask(struct hotspot *h, const char *command, uint64_t deadline_ns, char **reply, size_t *size, struct errbuf *eb);
/* Has it write the map of its code, and reads it. A map that the process holds open (an agent in it writes it) is read as it is. `keep`: the
 * file stays where it is. */
int hotspot_read_map(struct hotspot *h, bool keep, uint64_t deadline_ns, char **text, size_t *size, struct errbuf *eb);
/* Removes a map that was kept, unless it was there before. */
void hotspot_remove_map(struct hotspot *h);

/* hotspot_target.c: parts of these. */
int hotspot_parse_status(const char *text, struct hotspot_status *s);
/* Whether SIGQUIT may be sent to one that has no socket yet. Where attaching is disabled it would print the stacks of all threads into the
 * output of the program. 0, or -errno and a message. */
int hotspot_check_attach(const struct hotspot *h, struct errbuf *eb);
/* Whether the process has a file open. */
bool hotspot_holds_open(const struct hotspot *h, const struct stat *file);
/* The counters that a virtual machine keeps in a file: whether it says that it can be attached to. 1, 0; -ENODATA: it does not say. */
int hotspot_counters_can_attach(const void *data, size_t size);

#endif
