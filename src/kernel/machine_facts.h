/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What this machine and this user allow a profiler, as plain values: settings of the kernel, limits
 * and capabilities of the process, what perf_event_open says when tried. Readers only: what a value
 * means is judged in machine_checks.h.
 *
 * Files are read below a root, so that tests have machines of their own.
 */
#ifndef ASSAY_KERNEL_MACHINE_FACTS_H
#define ASSAY_KERNEL_MACHINE_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#define FACT_UNKNOWN INT64_MIN

enum fact_access {
	FACT_MISSING,
	FACT_DENIED, /* there, and not for us */
	FACT_EMPTY,  /* kallsyms: readable, all addresses zero */
	FACT_PRESENT,
};

struct machine_facts {
	/* the process: machine_facts_ask() */
	uint32_t uid;
	bool can_perfmon, can_sys_admin, can_ptrace, can_syslog, can_ipc_lock;
	/* errno of perf_event_open on ourselves, 0: works */
	int open_user;					  /* a timer, user space only */
	int open_kernel;				  /* the same with the kernel */
	int open_cycles;				  /* the hardware's cycles, user space only */
	uint64_t nofile_soft, nofile_hard, memlock_bytes; /* UINT64_MAX: no limit */
	uint32_t nr_cpus, page_kb;
	bool has_debuginfod_urls;
	char libc_path[256];	  /* "": statically linked */
	char libc_id[2 * 20 + 1]; /* its build-id in hex; "" */
	/* files: machine_facts_read() */
	int64_t paranoid, kptr_restrict, mlock_kb, max_stack, max_sample_rate, cpu_time_percent;
	int64_t ptrace_scope, nmi_watchdog;
	int64_t seccomp; /* 0 none, 1 strict, 2 a filter */
	enum fact_access kallsyms, tracefs, btf, libc_debug;
	bool has_kprobes, has_uprobes;
	bool has_debuginfod;  /* its command, debuginfod-find */
	char container[32];   /* "docker", "podman", …; "": none that shows */
	char lockdown[32];    /* "none", "integrity", "confidentiality"; "" unknown */
	char clocksource[32]; /* "tsc"; "" unknown */
	char distro[32];      /* ID of os-release; "" */
};

/* Fills in what the process is asked for. */
void machine_facts_ask(struct machine_facts *f);
/* Fills in what stands in files below `root` ("": this machine). libc_id is read: ask first. */
void machine_facts_read(struct machine_facts *f, const char *root);

#endif
