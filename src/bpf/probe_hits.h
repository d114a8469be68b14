/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Probes that exist only while a command runs (--temp): what probes.bpf.c is to fetch at each, and the records of its ring buffer.
 * Included by BPF and by C.
 */
#ifndef ASSAY_BPF_PROBE_HITS_H
#define ASSAY_BPF_PROBE_HITS_H

#define PROBE_ARGS_MAX 16
#define PROBE_STEPS_MAX 4
#define PROBE_STRING_MAX 256
#define PROBE_STRINGS_MAX 1024
#define PROBE_FRAMES_MAX 127
#define PROBE_REGS_MAX 34 /* words of the kernel's registers that are copied */

enum probe_fetch_start { PROBE_FETCH_REGISTER, PROBE_FETCH_NUMBER, PROBE_FETCH_COMM };

/* One argument: where it starts, and memory that it leads through. */
struct probe_fetch {
	unsigned int start;    /* enum probe_fetch_start */
	unsigned int word;     /* of the registers, as the kernel keeps them */
	unsigned int nr_steps; /* value = *(value + steps[i]) */
	unsigned int size;     /* bytes that the last step reads */
	unsigned int is_string;
	unsigned int reserved;
	long long number;
	long long steps[PROBE_STEPS_MAX];
};

struct probe_program {
	unsigned int nr_args;
	unsigned int is_return;
	struct probe_fetch args[PROBE_ARGS_MAX];
};

/* One pass of a probe. Records of probes without strings and of recordings without callers end behind the values. */
struct probe_hit {
	unsigned int probe;
	unsigned int pid, tid, cpu;
	unsigned long long time_ns;
	unsigned long long ip;	 /* of the probe; of a return, where it returns to */
	unsigned long long func; /* of a return: the function; 0: not known */
	unsigned int failed;	 /* bits of arguments that could not be read */
	unsigned int strings_size;
	unsigned int chain_size; /* bytes of user callers */
	unsigned int reserved;
	unsigned long long values[PROBE_ARGS_MAX]; /* of a string: its place in `strings` and its size with the NUL (the upper half) */
};

struct probe_long_hit {
	struct probe_hit hit;
	unsigned long long chain[PROBE_FRAMES_MAX];
	char strings[PROBE_STRINGS_MAX + PROBE_STRING_MAX];
};

#endif
