/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Read when needed: these are few and cheap, and may change while we run. A value that cannot be read is the default of the kernel.
 */
#include "kernel/sysctl.h"

#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/capability.h>

#include "base/io.h"

int sysctl_paranoid(void)
{
	int64_t v;

	if (io_read_i64("/proc/sys/kernel/perf_event_paranoid", &v))
		return INT32_MAX;
	if (v > INT32_MAX - 1)
		return INT32_MAX - 1;
	return v < -1 ? -1 : (int)v;
}

int sysctl_kptr_restrict(void)
{
	int64_t v;

	if (io_read_i64("/proc/sys/kernel/kptr_restrict", &v) || v < 0 || v > 2)
		return -1;
	return (int)v;
}

static uint64_t sysctl_read(const char *path, uint64_t fallback)
{
	int64_t v;

	if (io_read_i64(path, &v) || v < 0)
		return fallback;
	return (uint64_t)v;
}

uint64_t sysctl_max_sample_rate(void)
{
	return sysctl_read("/proc/sys/kernel/perf_event_max_sample_rate", 0);
}

uint32_t sysctl_max_stack(void)
{
	uint64_t v = sysctl_read("/proc/sys/kernel/perf_event_max_stack", 127);

	return v > UINT16_MAX ? UINT16_MAX : (uint32_t)v;
}

uint64_t sysctl_mlock_kb(void)
{
	return sysctl_read("/proc/sys/kernel/perf_event_mlock_kb", 512 + (uint64_t)sysconf(_SC_PAGESIZE) / 1024);
}

bool sysctl_has_cap(unsigned cap)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	memset(data, 0, sizeof(data));
	if (cap / 32 >= _LINUX_CAPABILITY_U32S_3)
		return false;
	/* There is no wrapper in libc, and libcap would be a library for one call. */
	if (syscall(SYS_capget, &header, data))
		return geteuid() == 0;
	return data[cap / 32].effective & (1u << (cap % 32));
}

bool sysctl_is_perfmon_capable(void)
{
	return sysctl_has_cap(SYSCTL_CAP_PERFMON) || sysctl_has_cap(SYSCTL_CAP_SYS_ADMIN);
}

bool sysctl_raise_nofile(void)
{
	struct rlimit rl;

	if (getrlimit(RLIMIT_NOFILE, &rl) || rl.rlim_cur >= rl.rlim_max)
		return false;
	rl.rlim_cur = rl.rlim_max;
	return setrlimit(RLIMIT_NOFILE, &rl) == 0;
}

uint64_t sysctl_nofile(void)
{
	struct rlimit rl;

	if (getrlimit(RLIMIT_NOFILE, &rl))
		return 1024;
	return rl.rlim_cur;
}
