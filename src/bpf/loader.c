/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Messages of libbpf, and what a refusal of the kernel means.
 */
#include "bpf/loader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define PID_LIMIT 4194304u /* PID_MAX_LIMIT of 64-bit kernels */

uint32_t bpf_pid_limit(void)
{
	FILE *f = fopen("/proc/sys/kernel/pid_max", "re");
	unsigned n = 0;

	if (f) {
		if (fscanf(f, "%u", &n) != 1)
			n = 0;
		fclose(f);
	}
	return n && n <= PID_LIMIT ? n + 1 : PID_LIMIT + 1;
}

#ifdef HAVE_BPF
#include <bpf/libbpf.h>

#include "base/log.h"

#define BTF_PATH "/sys/kernel/btf/vmlinux"
#define INITIAL_PID_NS 0xEFFFFFFCu /* inode number of the first PID namespace, in all kernels */

static char last_message[512];

static int keep_message(enum libbpf_print_level level, const char *format, va_list args)
{
	char text[512];

	if (level == LIBBPF_DEBUG)
		return 0;
	vsnprintf(text, sizeof(text), format, args);
	text[strcspn(text, "\n")] = 0;
	if (level == LIBBPF_WARN && !last_message[0])
		snprintf(last_message, sizeof(last_message), "%s", text);
	log_info("%s", text);
	return 0;
}

void bpf_keep_messages(void)
{
	last_message[0] = 0;
	libbpf_set_print(keep_message);
}

int bpf_check(struct errbuf *eb)
{
	if (access(BTF_PATH, R_OK))
		return errbuf_set(
			eb, -ENOTSUP,
			"the kernel has no type information (%s), which BPF programs need: it is built without CONFIG_DEBUG_INFO_BTF",
			BTF_PATH);
	return 0;
}

unsigned bpf_pid_namespace(void)
{
	struct stat st;

	return !stat("/proc/self/ns/pid", &st) && st.st_ino != INITIAL_PID_NS ? (unsigned)st.st_ino : 0;
}

static bool is_locked_down(void)
{
	char text[128] = "";
	FILE *f = fopen("/sys/kernel/security/lockdown", "re");

	if (f) {
		if (!fgets(text, sizeof(text), f))
			text[0] = 0;
		fclose(f);
	}
	return strstr(text, "[confidentiality]");
}

/* libbpf goes on without what it could not open, and fails for another reason later. */
static bool is_out_of_files(int err)
{
	int fd = err == -EMFILE ? -1 : fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
	bool is_out = fd < 0 && (err == -EMFILE || errno == EMFILE);

	if (fd >= 0)
		close(fd);
	return is_out || strstr(last_message, strerror(EMFILE));
}

int bpf_failed(int err, struct errbuf *eb)
{
	struct rlimit limit;

	if (is_out_of_files(err) && !getrlimit(RLIMIT_NOFILE, &limit))
		return errbuf_set(eb, -EMFILE, "a limit of %llu open files is too low for BPF programs; raise it with 'ulimit -n 1024'",
				  (unsigned long long)limit.rlim_cur);
	if (err == -EPERM && geteuid())
		return errbuf_set(eb, err, "BPF programs need root, or the capabilities CAP_BPF and CAP_PERFMON: run it with sudo");
	if (err == -EPERM && is_locked_down())
		return errbuf_set(
			eb, err, "the kernel is locked down (/sys/kernel/security/lockdown says confidentiality) and refuses BPF programs");
	if (err == -EPERM)
		return errbuf_set(eb, err,
				  "the kernel refuses BPF programs (a container without CAP_BPF, or too little locked memory: ulimit -l)");
	return errbuf_set(eb, err, "the BPF program cannot be used: %s%s%s", strerror(-err), last_message[0] ? ": " : "", last_message);
}
#else
void bpf_keep_messages(void)
{
}

int bpf_check(struct errbuf *eb)
{
	return errbuf_set(eb, -ENOSYS, "this assay was built without BPF (libbpf, clang or bpftool was missing)");
}

int bpf_failed(int err, struct errbuf *eb)
{
	return errbuf_set(eb, err, "there is no BPF here");
}

unsigned bpf_pid_namespace(void)
{
	return 0;
}
#endif
