/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * System calls as they are recorded: samples of a tracepoint of our own, "assay:sys_call", written by a BPF program when a call ends; and
 * the sums that it keeps where no records are wanted. Also compiled for BPF: no other headers here.
 */
#ifndef ASSAY_ABI_SYSCALL_SAMPLE_H
#define ASSAY_ABI_SYSCALL_SAMPLE_H

#define SYSCALL_SAMPLE_ID 0xfff0 /* of the tracepoint: above all that kernels give out */
#define SYSCALL_ARGS 6
#define SYSCALL_SIGINFO_BYTES 48

/* What a record says; bits of syscall_sample.flags. */
enum syscall_sample_flags {
	/* A call is made, with memory that was read then; its result comes later. With OPEN: only the memory, the call may not be meant. */
	SYSCALL_SAMPLE_ENTRY = 1,
	SYSCALL_SAMPLE_SIGNAL = 2,	 /* a signal was delivered: args[0] is its number, and its siginfo is the memory */
	SYSCALL_SAMPLE_EXIT = 4,	 /* the task has ended: args[0] is its status */
	SYSCALL_SAMPLE_OPEN = 8,	 /* the call has no result: the task ended in it, or does so by it */
	SYSCALL_SAMPLE_32 = 16,		 /* a call by the 32-bit entry of a 64-bit kernel: its number and arguments are those of i386 */
	SYSCALL_SAMPLE_FILE = 32,	 /* no call: what a descriptor stood for when tracing began, as a piece with SYSCALL_PIECE_FILE */
	SYSCALL_SAMPLE_BEFORE = 64,	 /* the task was in the call when tracing began: start_ns is that time, and the call took longer */
	SYSCALL_SAMPLE_SUPERSEDED = 256, /* with EXIT: the thread args[1] executes a program, and goes on as this one */
	SYSCALL_SAMPLE_PENDING = 128,	 /* with OPEN: the task was in the call when tracing ended, at the time of the record */
};

/* The number in a sample that is of no call. */
#define SYSCALL_NR_NONE 0x7fffffffu
/* In numbers of struct syscall_figures, as the flag above. */
#define SYSCALL_NR_32 0x80000000u

/* A PERF_RECORD_SAMPLE with IDENTIFIER, TID, TIME, CPU, PERIOD and RAW; the raw bytes begin at `common_type`. */
struct syscall_sample {
	unsigned int type;
	unsigned short misc, size;
	unsigned long long id;
	unsigned int pid, tid;
	unsigned long long time_ns; /* of the end of the call */
	unsigned int cpu, reserved;
	unsigned long long period; /* how long it took, ns */
	unsigned int raw_size;
	unsigned short common_type;
	unsigned char common_flags, common_preempt_count;
	int common_pid;
	unsigned int nr;
	unsigned long long args[SYSCALL_ARGS];
	long long ret;
	unsigned long long start_ns;
	unsigned int flags;
	unsigned int memory; /* as __data_loc: offset in the raw bytes, size << 16 */
};

/* With stacks, also IP and CALLCHAIN, and REGS_USER and STACK_USER where the recorder walks them. In front is this, then the chain, then what
 * follows `period` above, then registers and stack. */
struct syscall_stack_head {
	unsigned int type;
	unsigned short misc, size;
	unsigned long long id, ip;
	unsigned int pid, tid;
	unsigned long long time_ns;
	unsigned int cpu, reserved;
	unsigned long long period;
};

#define SYSCALL_STACK_FRAMES 127 /* by frame pointers */
#define SYSCALL_STACK_MAX 32768	 /* bytes of the stack: arguments have to fit into the same record */
/* Registers that functions of C leave alone, which are all that a walk needs inside a system call: bits of sample_regs_user, in the order in
 * which the program writes them. */
#if defined(__aarch64__) || defined(__TARGET_ARCH_arm64)
#define SYSCALL_STACK_REGS ((1ull << 33) - 1)
#define SYSCALL_STACK_SP 31 /* bits of these */
#define SYSCALL_STACK_PC 32
#else
/* bx, si, di (of 32-bit programs), bp, sp, ip, r12 to r15 */
#define SYSCALL_STACK_REGS (1ull << 1 | 0x1full << 4 | 0xfull << 20)
#define SYSCALL_STACK_SP 7
#define SYSCALL_STACK_PC 8
#endif

/* Of each piece of memory, in front of its bytes, which are padded to eight. */
enum syscall_piece_flags {
	SYSCALL_PIECE_CUT = 1,
	SYSCALL_PIECE_AT_EXIT = 2,
	SYSCALL_PIECE_LATE = 4,
	SYSCALL_PIECE_FAILED = 8,
	SYSCALL_PIECE_FILE = 16, /* no memory of an argument: a struct syscall_file */
};

struct syscall_piece {
	unsigned char arg, flags;
	unsigned short size;
	unsigned int nr_strings;    /* of an array of strings, whose bytes follow one after the other: how many it has, here or not */
	unsigned long long address; /* of a buffer that other memory of the argument points to; 0: the argument itself does */
};

/* What a descriptor stands for, after a call that made it or changed it. */
#define SYSCALL_FILE_NAME 112

struct syscall_file {
	int fd;
	unsigned int is_cloexec;
	unsigned int mode;		      /* of the inode */
	unsigned int device;		      /* of a device: major << 20 | minor */
	unsigned long long inode, peer_inode; /* the latter of a UNIX socket that is connected; 0: none, or not accepted yet */
	/* Of a socket; family 0: it is none. Addresses are in the order of the network, ports are numbers. */
	unsigned short family, socket_type, protocol, state;
	unsigned short local_port, remote_port;
	unsigned int port_id; /* of NETLINK */
	unsigned char local[16], remote[16];
	char protocol_name[32];
	unsigned int name_size;
	unsigned int magic;	      /* of its file system */
	char name[SYSCALL_FILE_NAME]; /* the path of a UNIX socket; of all others the name of the directory entry */
};

/* Figures of one number of one task. */
struct syscall_figures {
	unsigned int nr;   /* with SYSCALL_NR_32 */
	unsigned int next; /* of the same task */
	unsigned int tid, pid;
	char comm[16]; /* of a task that has ended */
	unsigned long long nr_calls, nr_errors;
	unsigned long long total_ns, min_ns, max_ns;
	/* Sum of the squares: square + 2^64 * square_high + 2^32 * square_long, ns² */
	unsigned long long square, square_high, square_long;
	unsigned long long cgroup; /* id of the task's, where that is asked for */
	unsigned int log2[32];	   /* calls by the binary logarithm of their ns */
};

#endif
