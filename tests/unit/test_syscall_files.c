/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "model/syscall_log.h"
#include "view/syscall_text.h"

static struct syscall_log log_;
static struct recording recording;
static struct task task = { .pid = 10, .tid = 10 };
static struct out o;

enum {
	CLOSE = 3,
	DUP2 = 33,
	SOCKET = 41,
	CONNECT = 42,
	ACCEPT = 43,
	RECVMSG = 47,
	SOCKETPAIR = 53,
	EXECVE = 59,
	FCNTL = 72,
	OPENAT = 257,
	PIDFD_OPEN = 434
};
enum { SOCKETS = 0x534f434b, PIPES = 0x50495045, ANONYMOUS = 0x09041934, EXT4 = 0xef53, TMPFS = 0x01021994 };

static const char *path_of(void *ctx, int fd)
{
	(void)ctx;
	return syscall_log_path(&log_, &task, fd);
}

static bool file_of(void *ctx, int fd, struct syscall_file *f)
{
	(void)ctx;
	return syscall_log_file(&log_, &task, fd, f);
}

static const struct syscall_text_options options = {
	.shape = SYSCALL_STRACE, .max_string = 32, .show_fds = SYSCALL_FD_ALL, .fd_path = path_of, .fd_file = file_of
};

/* "3<…>", as an argument shows it. */
static const char *shown(int fd, uint8_t details)
{
	const struct syscall_call close = { .def = syscall_get(SYSCALL_X86_64, CLOSE), .args = { (uint64_t)fd } };
	struct syscall_text_options opts = options;

	opts.show_fds = details;
	o.len = 0;
	syscall_text_arg(&o, &close, 0, &opts);
	out_char(&o, 0);
	return o.buf;
}

static struct traced call_of(uint32_t nr, int64_t result)
{
	struct traced t = { .kind = TRACED_CALL, .task = &task };

	t.call = (struct syscall_call){ .def = syscall_get(SYSCALL_X86_64, nr), .nr = nr, .result = result, .has_ended = true };
	return t;
}

static struct syscall_file socket_file(int fd, uint16_t family, uint16_t type, const char *protocol)
{
	struct syscall_file f = {
		.fd = fd, .mode = S_IFSOCK | 0777, .inode = 1000 + (uint64_t)fd, .family = family, .socket_type = type, .magic = SOCKETS
	};

	snprintf(f.protocol_name, sizeof(f.protocol_name), "%s", protocol);
	return f;
}

static void make(uint32_t nr, struct syscall_file f)
{
	struct traced t = call_of(nr, f.fd);

	t.files[t.nr_files++] = f;
	syscall_log_apply(&log_, &t);
}

static int set_up(void **state)
{
	(void)state;
	syscall_log_init(&log_, &recording);
	out_init(&o, -1);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	syscall_log_fini(&log_);
	out_fini(&o);
	return 0;
}

static void test_inet(void **state)
{
	struct syscall_file f = socket_file(3, AF_INET, SOCK_STREAM, "TCP");
	struct traced t = call_of(CONNECT, -115); /* EINPROGRESS */

	(void)state;
	make(SOCKET, f);
	assert_string_equal(shown(3, SYSCALL_FD_PATH), "3<socket:[1003]>");
	assert_string_equal(shown(3, SYSCALL_FD_ALL), "3<TCP:[1003]>");
	memcpy(f.local, "\x7f\0\0\1", 4);
	memcpy(f.remote, "\x0a\0\0\2", 4);
	f.local_port = 40000;
	f.remote_port = 80;
	t.files[t.nr_files++] = f;
	syscall_log_apply(&log_, &t);
	assert_string_equal(shown(3, SYSCALL_FD_ALL), "3<TCP:[127.0.0.1:40000->10.0.0.2:80]>");
	assert_string_equal(shown(3, SYSCALL_FD_DEVICE), "3");
	f = socket_file(4, AF_INET6, SOCK_DGRAM, "UDPv6");
	f.local[15] = 1;
	f.local_port = 53;
	make(SOCKET, f);
	assert_string_equal(shown(4, SYSCALL_FD_SOCKET), "4<UDPv6:[[::1]:53]>");
	f = socket_file(5, AF_INET, SOCK_RAW, "RAW");
	f.local_port = 1; /* the protocol */
	make(SOCKET, f);
	assert_string_equal(shown(5, SYSCALL_FD_ALL), "5<RAW:[1005]>");
	make(SOCKET, socket_file(6, AF_PACKET, SOCK_RAW, "PACKET"));
	assert_string_equal(shown(6, SYSCALL_FD_ALL), "6<socket:[1006]>");
}

static void test_unix(void **state)
{
	struct syscall_file listening = socket_file(3, AF_UNIX, SOCK_STREAM, "UNIX-STREAM"), accepted = listening;
	struct syscall_file abstract = socket_file(6, AF_UNIX, SOCK_DGRAM, "UNIX");
	struct syscall_file netlink = socket_file(7, AF_NETLINK, SOCK_RAW, "NETLINK");

	(void)state;
	listening.name_size = 7;
	memcpy(listening.name, "/a\"b>c", 7);
	make(SOCKET, listening);
	assert_string_equal(shown(3, SYSCALL_FD_ALL), "3<UNIX-STREAM:[1003,\"/a\\\"b>c\"]>");
	make(SOCKET, socket_file(4, AF_UNIX, SOCK_STREAM, "UNIX-STREAM"));
	/* The peer of the one that connected is known when it is accepted. */
	accepted.fd = 5;
	accepted.inode = 1005;
	accepted.peer_inode = 1004;
	make(ACCEPT, accepted);
	assert_string_equal(shown(4, SYSCALL_FD_ALL), "4<UNIX-STREAM:[1004->1005]>");
	assert_string_equal(shown(5, SYSCALL_FD_ALL), "5<UNIX-STREAM:[1005->1004]>");
	abstract.name_size = 3;
	memcpy(abstract.name, "\0\1x", 3);
	make(SOCKET, abstract);
	assert_string_equal(shown(6, SYSCALL_FD_ALL), "6<UNIX:[1006,@\"\\1x\"]>");
	netlink.port_id = 12;
	make(SOCKET, netlink);
	assert_string_equal(shown(7, SYSCALL_FD_ALL), "7<NETLINK:[ROUTE:12]>");
}

static void test_other_files(void **state)
{
	struct syscall_file null = {
		.fd = 3, .mode = S_IFCHR | 0666, .device = 1 << 20 | 3, .magic = TMPFS, .name = "null", .name_size = 4
	};
	struct syscall_file event = { .fd = 4, .mode = 0600, .magic = ANONYMOUS, .name = "[eventfd]", .name_size = 9 };
	struct syscall_file process = { .fd = 5, .mode = 0600, .magic = ANONYMOUS, .name = "[pidfd]", .name_size = 7 };
	struct syscall_file memory = { .fd = 6, .mode = S_IFREG | 0777, .magic = TMPFS, .name = "memfd:x", .name_size = 7 };
	struct traced opens = call_of(OPENAT, 3), pair = call_of(SOCKETPAIR, 0), pidfd = call_of(PIDFD_OPEN, 5);

	(void)state;
	opens.call.args[0] = (uint32_t)AT_FDCWD;
	opens.call.memory[0] = (struct syscall_memory){ .data = (const uint8_t *)"/dev/null", .size = 10, .arg = 1 };
	opens.call.nr_memory = 1;
	opens.files[opens.nr_files++] = null;
	syscall_log_apply(&log_, &opens);
	assert_string_equal(shown(3, SYSCALL_FD_PATH), "3</dev/null>");
	assert_string_equal(shown(3, SYSCALL_FD_ALL), "3</dev/null<char 1:3>>");
	make(SOCKET, event);
	assert_string_equal(shown(4, SYSCALL_FD_ALL), "4<anon_inode:[eventfd]>");
	pidfd.call.args[0] = 4711;
	pidfd.files[pidfd.nr_files++] = process;
	syscall_log_apply(&log_, &pidfd);
	assert_string_equal(shown(5, SYSCALL_FD_PATH), "5<anon_inode:[pidfd]>");
	assert_string_equal(shown(5, SYSCALL_FD_ALL), "5<pid:4711>");
	make(SOCKET, memory);
	assert_string_equal(shown(6, SYSCALL_FD_ALL), "6</memfd:x>(deleted)");
	pair.files[0] = (struct syscall_file){ .fd = 7, .mode = S_IFIFO, .inode = 5, .magic = PIPES };
	pair.files[1] = (struct syscall_file){ .fd = 8, .mode = S_IFIFO, .inode = 5, .magic = PIPES };
	pair.nr_files = 2;
	syscall_log_apply(&log_, &pair);
	assert_string_equal(shown(8, SYSCALL_FD_ALL), "8<pipe:[5]>");
}

static void test_unnamed(void **state)
{
	struct traced opens = call_of(OPENAT, 3);

	(void)state;
	opens.call.args[0] = (uint32_t)AT_FDCWD;
	opens.call.args[2] = O_TMPFILE | O_RDWR;
	opens.call.memory[0] = (struct syscall_memory){ .data = (const uint8_t *)"/tmp", .size = 5, .arg = 1 };
	opens.call.nr_memory = 1;
	opens.files[opens.nr_files++] =
		(struct syscall_file){ .fd = 3, .mode = S_IFREG | 0600, .magic = EXT4, .name = "#12", .name_size = 3 };
	syscall_log_apply(&log_, &opens);
	assert_string_equal(shown(3, SYSCALL_FD_PATH), "3</tmp/#12>(deleted)");
}

/* What dup2(), fcntl() and exec() make of descriptors. */
static void test_copies(void **state)
{
	struct traced dup = call_of(DUP2, 20), set = call_of(FCNTL, 0), exec = call_of(EXECVE, 0);

	(void)state;
	make(SOCKET, socket_file(3, AF_INET, SOCK_STREAM, "TCP"));
	dup.call.args[0] = 3;
	dup.call.args[1] = 20;
	syscall_log_apply(&log_, &dup);
	assert_string_equal(shown(20, SYSCALL_FD_ALL), "20<TCP:[1003]>");
	set.call.args[0] = 3;
	set.call.args[1] = F_SETFD;
	set.call.args[2] = FD_CLOEXEC;
	assert_false(syscall_log_makes_fd(&log_, &set));
	syscall_log_apply(&log_, &set);
	syscall_log_apply(&log_, &exec);
	assert_string_equal(shown(3, SYSCALL_FD_ALL), "3");
	assert_string_equal(shown(20, SYSCALL_FD_ALL), "20<TCP:[1003]>");
	set.call.args[0] = 20;
	set.call.args[1] = F_DUPFD_CLOEXEC;
	set.call.result = 21;
	assert_true(syscall_log_makes_fd(&log_, &set));
	syscall_log_apply(&log_, &set);
	assert_string_equal(shown(21, SYSCALL_FD_ALL), "21<TCP:[1003]>");
	syscall_log_apply(&log_, &exec);
	assert_string_equal(shown(21, SYSCALL_FD_ALL), "21");
}

static bool read_fd(void *ctx, int32_t pid, int fd, char *path, size_t size)
{
	(void)pid;
	++*(int *)ctx;
	snprintf(path, size, "/of/%d", fd);
	return true;
}

/* A number that was closed is not looked up in /proc, unless descriptors may have come with a message. */
static void test_received(void **state)
{
	struct traced closes = call_of(CLOSE, 0), receives = call_of(RECVMSG, 1);
	uint64_t message[7] = { 0 };
	int nr_asked = 0;

	(void)state;
	log_.read_fd = read_fd;
	log_.read_fd_ctx = &nr_asked;
	closes.call.args[0] = 3;
	syscall_log_apply(&log_, &closes);
	receives.call.memory[0] = (struct syscall_memory){ .data = (const uint8_t *)message, .size = 56, .arg = 1, .is_at_exit = true };
	receives.call.nr_memory = 1;
	syscall_log_apply(&log_, &receives);
	assert_string_equal(shown(3, SYSCALL_FD_PATH), "3");
	assert_int_equal(nr_asked, 0);
	message[5] = 24;
	syscall_log_apply(&log_, &receives);
	assert_string_equal(shown(3, SYSCALL_FD_PATH), "3</of/3>");
	assert_string_equal(shown(3, SYSCALL_FD_PATH), "3</of/3>");
	assert_int_equal(nr_asked, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_inet, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_unix, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_other_files, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_unnamed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_copies, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_received, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
