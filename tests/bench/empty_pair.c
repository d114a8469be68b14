/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Runs a command while two BPF programs that do nothing are attached to the beginning and the end of every system call: the least that any
 * tracer by BPF costs. For tests/bench/trace.
 *
 * Usage: empty_pair COMMAND [ARG…]     Exits with the status of the command, 77 where BPF cannot be used.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/bpf.h>

static int bpf(enum bpf_cmd cmd, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

static int attach(const char *tracepoint)
{
	const struct bpf_insn empty[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr;
	int fd;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT;
	attr.insns = (uintptr_t)empty;
	attr.insn_cnt = 2;
	attr.license = (uintptr_t) "GPL";
	fd = bpf(BPF_PROG_LOAD, &attr);
	if (fd < 0)
		return -1;
	memset(&attr, 0, sizeof(attr));
	attr.raw_tracepoint.name = (uintptr_t)tracepoint;
	attr.raw_tracepoint.prog_fd = (uint32_t)fd;
	return bpf(BPF_RAW_TRACEPOINT_OPEN, &attr);
}

int main(int argc, char **argv)
{
	int status;
	pid_t pid;

	if (argc < 2)
		return 2;
	if (attach("sys_enter") < 0 || attach("sys_exit") < 0) {
		fprintf(stderr, "SKIP: no BPF: %s\n", strerror(errno));
		return 77;
	}
	pid = fork();
	if (!pid) {
		execvp(argv[1], argv + 1);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
