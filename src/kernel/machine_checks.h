/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What this machine and this user allow a profiler (machine_facts.c), and what that means (machine_checks.c, machine_limits.c): for each
 * thing that may be in the way its state, what does not work because of it, and the exact command that fixes it for this user.
 */
#ifndef ASSAY_KERNEL_MACHINE_CHECKS_H
#define ASSAY_KERNEL_MACHINE_CHECKS_H

#include <stdbool.h>
#include <stdint.h>

/* Settings of the kernel, limits and capabilities of the process, results of perf_event_open. Files are read below a root, so that tests
 * have machines of their own. */
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
	int open_user;			     /* a timer, user space only */
	int open_cycles;		     /* the hardware's cycles, user space only */
	uint64_t nofile_hard, memlock_bytes; /* UINT64_MAX: no limit */
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

enum check_level {
	CHECK_OK,
	CHECK_NOTE, /* something beyond sampling one's own programs is not to be had */
	CHECK_WARN, /* profiles of one's own programs are poorer than they could be, or a command is
		     * refused */
	CHECK_FAIL, /* nothing can be recorded */
};

struct machine_check {
	const char *name;  /* "perf_event_paranoid": for programs, never changes */
	const char *title; /* for the text output */
	enum check_level level;
	char state[256];
	char effect[320]; /* what degrades; "" where all is well */
	char fix[400];	  /* the command; "" where there is none */
};

#define MACHINE_MAX_CHECKS 32

/* Judges; fills `checks` (MACHINE_MAX_CHECKS of them) in a fixed order and returns how many apply to this machine. */
uint32_t machine_checks(const struct machine_facts *f, struct machine_check *checks);

/* For machine_checks.c and machine_limits.c. */
void check_state(struct machine_check *c, enum check_level level, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void check_effect(struct machine_check *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void check_fix(struct machine_check *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* "sudo " where it takes that. */
const char *check_sudo(const struct machine_facts *f);
typedef void check_fn(const struct machine_facts *f, struct machine_check *c);
check_fn check_rings, check_files, check_max_stack, check_sample_rate, check_cpu_time, check_clock, check_tracefs, check_probes, check_btf,
	check_ptrace, check_debuginfod, check_libc;

#endif
