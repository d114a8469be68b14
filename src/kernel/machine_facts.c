/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Small files and a few system calls. Nothing here fails: what cannot be read is unknown.
 */
#include "kernel/machine_checks.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "abi/attr.h"
#include "base/bytes.h"
#include "base/io.h"
#include "base/mem.h"
#include "kernel/event_open.h"
#include "kernel/sysctl.h"

#define CAP_IPC_LOCK_NR 14
#define MAX_STATUS (64 << 10)
#define KALLSYMS_LOOK (64 << 10) /* the first symbols may really be at 0, but not so many */

static int try_open(uint32_t type, uint64_t config, uint64_t exclude)
{
	return -event_try(&(struct attr){
		.type = type, .size = ATTR_SIZE_VER0, .config = config, .sample_period = 1000000, .flags = ATTR_DISABLED | exclude });
}

static void read_build_id(struct machine_facts *f, const struct dl_phdr_info *info, const ElfW(Phdr) * ph)
{
	struct bytes b = bytes_of((const void *)(uintptr_t)(info->dlpi_addr + ph->p_vaddr), ph->p_memsz, false);

	while (bytes_left(&b) && !b.failed) {
		uint32_t name_size = bytes_u32(&b), desc_size = bytes_u32(&b);
		uint32_t type = bytes_u32(&b);
		const char *name = (const char *)bytes_take(&b, (name_size + 3ull) & ~3ull);
		const uint8_t *desc = bytes_take(&b, (desc_size + 3ull) & ~3ull);

		if (b.failed || !name || !desc)
			return;
		if (type != NT_GNU_BUILD_ID || name_size != 4 || memcmp(name, "GNU", 4) != 0 || desc_size > 20)
			continue;
		for (uint32_t i = 0; i < desc_size; i++)
			snprintf(f->libc_id + 2 * i, 3, "%02x", desc[i]);
		return;
	}
}

static int find_libc(struct dl_phdr_info *info, size_t size, void *ctx)
{
	struct machine_facts *f = ctx;
	const char *slash = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;

	(void)size;
	if (!slash || strncmp(slash, "/libc.so", 8) != 0)
		return 0;
	snprintf(f->libc_path, sizeof(f->libc_path), "%s", info->dlpi_name);
	for (ElfW(Half) i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_NOTE && !f->libc_id[0])
			read_build_id(f, info, &info->dlpi_phdr[i]);
	return 1;
}

static uint64_t limit_of(rlim_t v)
{
	return v == RLIM_INFINITY ? UINT64_MAX : v;
}

void machine_facts_ask(struct machine_facts *f)
{
	struct rlimit rl;
	const char *urls = getenv("DEBUGINFOD_URLS");

	f->uid = geteuid();
	f->can_perfmon = sysctl_has_cap(SYSCTL_CAP_PERFMON);
	f->can_sys_admin = sysctl_has_cap(SYSCTL_CAP_SYS_ADMIN);
	f->can_ptrace = sysctl_has_cap(SYSCTL_CAP_SYS_PTRACE);
	f->can_syslog = sysctl_has_cap(SYSCTL_CAP_SYSLOG);
	f->can_ipc_lock = sysctl_has_cap(CAP_IPC_LOCK_NR);
	f->open_user = try_open(ATTR_TYPE_SOFTWARE, CONFIG_CPU_CLOCK, ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV);
	f->open_cycles = try_open(ATTR_TYPE_HARDWARE, CONFIG_CYCLES, ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV);
	if (!getrlimit(RLIMIT_NOFILE, &rl))
		f->nofile_hard = limit_of(rl.rlim_max);
	if (!getrlimit(RLIMIT_MEMLOCK, &rl))
		f->memlock_bytes = limit_of(rl.rlim_cur);
	f->nr_cpus = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
	f->page_kb = (uint32_t)(sysconf(_SC_PAGESIZE) / 1024);
	f->has_debuginfod_urls = urls && *urls;
	dl_iterate_phdr(find_libc, f);
}

struct path {
	char s[PATH_MAX];
};

static struct path below(const char *root, const char *path)
{
	struct path p;

	snprintf(p.s, sizeof(p.s), "%s%s", root, path);
	return p;
}

static int64_t read_number(const char *root, const char *path)
{
	int64_t v;

	return io_read_i64(below(root, path).s, &v) ? FACT_UNKNOWN : v;
}

static bool exists(const char *root, const char *path)
{
	return access(below(root, path).s, F_OK) == 0;
}

static enum fact_access access_of(const char *root, const char *path)
{
	if (!faccessat(AT_FDCWD, below(root, path).s, R_OK, AT_EACCESS))
		return FACT_PRESENT;
	return errno == EACCES || errno == EPERM ? FACT_DENIED : FACT_MISSING;
}

static void read_line(const char *root, const char *path, char *buf, size_t size)
{
	if (io_read_line(below(root, path).s, buf, size))
		buf[0] = 0;
}

static enum fact_access kallsyms_of(const char *root)
{
	char *text = mem_alloc(KALLSYMS_LOOK + 1);
	enum fact_access a = FACT_EMPTY;
	int fd = open(below(root, "/proc/kallsyms").s, O_RDONLY | O_CLOEXEC);
	ssize_t nr = fd < 0 ? -errno : io_read(fd, text, KALLSYMS_LOOK);

	if (nr <= 0) {
		a = nr == -EACCES || nr == -EPERM ? FACT_DENIED : FACT_MISSING;
		nr = 0;
	}
	text[nr] = 0;
	for (char *line = text; line && *line && a == FACT_EMPTY;) {
		size_t zeros = strspn(line, "0");

		/* The last line may be cut short. */
		if (line[zeros] && line[zeros] != ' ')
			a = FACT_PRESENT;
		line = strchr(line, '\n');
		if (line)
			line++;
	}
	if (fd >= 0)
		close(fd);
	free(text);
	return a;
}

static enum fact_access tracefs_of(const char *root)
{
	enum fact_access a = access_of(root, "/sys/kernel/tracing/events");
	enum fact_access b = access_of(root, "/sys/kernel/debug/tracing/events");

	/* The directory may be open to all, and its files closed. */
	if (a == FACT_PRESENT && access_of(root, "/sys/kernel/tracing/events/header_page") == FACT_DENIED)
		a = FACT_DENIED;

	/* Of a debugfs that may not be entered nothing is known. */
	return a != FACT_MISSING ? a : b == FACT_PRESENT ? b : FACT_MISSING;
}

/* "none [integrity] confidentiality": what stands in brackets. */
static void read_lockdown(struct machine_facts *f, const char *root)
{
	char text[128], *open, *close_at;

	read_line(root, "/sys/kernel/security/lockdown", text, sizeof(text));
	open = strchr(text, '[');
	close_at = open ? strchr(open, ']') : NULL;
	if (close_at) {
		*close_at = 0;
		snprintf(f->lockdown, sizeof(f->lockdown), "%.31s", open + 1);
	}
}

/* The value of "key…" at the start of a line, into `buf`. */
static void find_value(const char *text, const char *key, char *buf, size_t size)
{
	buf[0] = 0;
	for (const char *line = text; line && *line;) {
		if (strncmp(line, key, strlen(key)) == 0) {
			const char *v = line + strlen(key);

			v += strspn(v, " \t\"");
			snprintf(buf, size, "%.*s", (int)strcspn(v, "\"\n"), v);
			return;
		}
		line = strchr(line, '\n');
		if (line)
			line++;
	}
}

static void read_value(const char *root, const char *path, const char *key, char *buf, size_t size)
{
	char *text = NULL;

	buf[0] = 0;
	if (io_read_file(below(root, path).s, MAX_STATUS, &text, NULL) == 0)
		find_value(text, key, buf, size);
	free(text);
}

static void read_container(struct machine_facts *f, const char *root)
{
	if (exists(root, "/.dockerenv"))
		strcpy(f->container, "docker");
	else if (exists(root, "/run/.containerenv"))
		strcpy(f->container, "podman");
	else
		read_line(root, "/run/systemd/container", f->container, sizeof(f->container));
}

static bool has_debuginfod(const char *root)
{
	return exists(root, "/usr/bin/debuginfod-find") || exists(root, "/usr/local/bin/debuginfod-find");
}

static enum fact_access libc_debug_of(const struct machine_facts *f, const char *root)
{
	char path[128];

	if (strlen(f->libc_id) < 4)
		return FACT_MISSING;
	snprintf(path, sizeof(path), "/usr/lib/debug/.build-id/%.2s/%s.debug", f->libc_id, f->libc_id + 2);
	return access_of(root, path);
}

void machine_facts_read(struct machine_facts *f, const char *root)
{
	char seccomp[16];

	f->paranoid = read_number(root, "/proc/sys/kernel/perf_event_paranoid");
	f->kptr_restrict = read_number(root, "/proc/sys/kernel/kptr_restrict");
	f->mlock_kb = read_number(root, "/proc/sys/kernel/perf_event_mlock_kb");
	f->max_stack = read_number(root, "/proc/sys/kernel/perf_event_max_stack");
	f->max_sample_rate = read_number(root, "/proc/sys/kernel/perf_event_max_sample_rate");
	f->cpu_time_percent = read_number(root, "/proc/sys/kernel/perf_cpu_time_max_percent");
	f->ptrace_scope = read_number(root, "/proc/sys/kernel/yama/ptrace_scope");
	f->nmi_watchdog = read_number(root, "/proc/sys/kernel/nmi_watchdog");
	f->kallsyms = kallsyms_of(root);
	f->tracefs = tracefs_of(root);
	f->btf = access_of(root, "/sys/kernel/btf/vmlinux");
	f->has_kprobes = exists(root, "/sys/bus/event_source/devices/kprobe");
	f->has_uprobes = exists(root, "/sys/bus/event_source/devices/uprobe");
	f->has_debuginfod = has_debuginfod(root);
	f->libc_debug = libc_debug_of(f, root);
	read_value(root, "/proc/self/status", "Seccomp:", seccomp, sizeof(seccomp));
	f->seccomp = seccomp[0] ? atoi(seccomp) : FACT_UNKNOWN;
	read_value(root, "/etc/os-release", "ID=", f->distro, sizeof(f->distro));
	read_container(f, root);
	read_lockdown(f, root);
	read_line(root, "/sys/devices/system/clocksource/clocksource0/current_clocksource", f->clocksource, sizeof(f->clocksource));
}
