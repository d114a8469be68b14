/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Names and numbers of this machine for the header of a recording. The CPU is asked itself where it answers (x86 cpuid): /proc/cpuinfo
 * measures frequencies on all CPUs before it prints, which takes milliseconds on large machines.
 */
#include "capture/header_info.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/utsname.h>
#include <time.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "base/io.h"
#include "kernel/cpus.h"

#define LINE_SIZE 4096

const char *host_read_str(struct perfdata_info *info, const char *fmt, ...)
{
	char path[256], text[LINE_SIZE];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(path, sizeof(path), fmt, ap);
	va_end(ap);
	if (io_read_line(path, text, sizeof(text)))
		return NULL;
	return arena_str(&info->arena, text, strlen(text));
}

int64_t host_read_num(int64_t fallback, const char *fmt, ...)
{
	char path[256];
	int64_t v;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(path, sizeof(path), fmt, ap);
	va_end(ap);
	return io_read_i64(path, &v) ? fallback : v;
}

static const char *keep(struct perfdata_info *info, const char *s)
{
	return arena_str(&info->arena, s, strlen(s));
}

#if defined(__x86_64__)
static void read_cpu_identity(struct perfdata_info *info)
{
	unsigned a, b, c, d, family, model;
	char vendor[13], brand[49], text[64];
	size_t n = 0;

	if (!__get_cpuid(0, &a, &b, &c, &d))
		return;
	memcpy(vendor, &b, 4);
	memcpy(vendor + 4, &d, 4);
	memcpy(vendor + 8, &c, 4);
	vendor[12] = '\0';
	__get_cpuid(1, &a, &b, &c, &d);
	family = a >> 8 & 15;
	model = a >> 4 & 15;
	if (family == 15)
		family += a >> 20 & 255;
	if (family >= 6)
		model += (a >> 16 & 15) << 4;
	snprintf(text, sizeof(text), "%s,%u,%u,%u", vendor, family, model, a & 15);
	info->cpuid = keep(info, text);

	memset(brand, 0, sizeof(brand));
	for (unsigned i = 0; i < 3; i++) {
		if (!__get_cpuid(0x80000002u + i, &a, &b, &c, &d))
			return;
		memcpy(brand + i * 16, (unsigned[]){ a, b, c, d }, 16);
	}
	/* As the kernel prints it: no blanks at the ends, and single ones inside. */
	for (const char *p = brand; *p; p++)
		if (*p != ' ' || (n && text[n - 1] != ' '))
			text[n++] = *p;
	while (n && text[n - 1] == ' ')
		n--;
	text[n] = '\0';
	if (n)
		info->cpudesc = keep(info, text);
}
#else
/* "Processor" or "model name" of the first CPU, where the kernel says it. */
static void read_cpu_description(struct perfdata_info *info)
{
	char *text, *line;

	if (io_read_file("/proc/cpuinfo", 4 << 20, &text, NULL))
		return;
	line = strstr(text, "model name");
	if (!line)
		line = strstr(text, "Processor");
	line = line ? strchr(line, ':') : NULL;
	if (line) {
		line += 1 + strspn(line + 1, " \t");
		line[strcspn(line, "\n")] = '\0';
		info->cpudesc = keep(info, line);
	}
	free(text);
}

static void read_cpu_identity(struct perfdata_info *info)
{
	const char *midr = host_read_str(info, "/sys/devices/system/cpu/cpu0/regs/identification/midr_el1");

	if (midr) {
		char text[32];

		/* Variant and revision are left out: the tables of events are keyed without them. */
		snprintf(text, sizeof(text), "0x%016llx", strtoull(midr, NULL, 16) & ~0xf0000full);
		info->cpuid = keep(info, text);
	}
	read_cpu_description(info);
}
#endif

static void read_names(struct perfdata_info *info)
{
	struct utsname uts;

	if (uname(&uts))
		return;
	info->hostname = keep(info, uts.nodename);
	info->osrelease = keep(info, uts.release);
	info->arch = keep(info, uts.machine);
	info->features |= 1ULL << FEAT_HOSTNAME | 1ULL << FEAT_OSRELEASE | 1ULL << FEAT_ARCH;
}

static void read_cpu_counts(struct perfdata_info *info)
{
	struct cpu_list cpus = { 0 };
	char text[LINE_SIZE];

	cpu_list_online(&cpus);
	info->nrcpus_online = cpus.cpus.nr;
	info->nrcpus_avail = cpus.cpus.v[cpus.cpus.nr - 1] + 1;
	cpu_list_fini(&cpus);
	if (!io_read_line("/sys/devices/system/cpu/present", text, sizeof(text)) && !cpu_list_parse(&cpus, text, NULL) && cpus.cpus.nr)
		info->nrcpus_avail = cpus.cpus.v[cpus.cpus.nr - 1] + 1;
	cpu_list_fini(&cpus);
	info->features |= 1ULL << FEAT_NRCPUS;
}

static void read_total_memory(struct perfdata_info *info)
{
	char text[LINE_SIZE];

	/* MemTotal is the first line of it. */
	if (!io_read_line("/proc/meminfo", text, sizeof(text)) && !strncmp(text, "MemTotal:", 9))
		info->total_mem_kb = strtoull(text + 9, NULL, 10);
	if (info->total_mem_kb)
		info->features |= 1ULL << FEAT_TOTAL_MEM;
}

static void read_pmus(struct perfdata_info *info)
{
	static const char devices[] = "/sys/bus/event_source/devices";
	DIR *dir = opendir(devices);
	struct dirent *de;

	while (dir && (de = readdir(dir))) {
		int64_t type;

		if (de->d_name[0] == '.' || strlen(de->d_name) > 128)
			continue;
		type = host_read_num(-1, "%s/%s/type", devices, de->d_name);
		if (type >= 0 && type <= UINT32_MAX)
			vec_push(&info->pmus, ((struct perfdata_pmu){ (uint32_t)type, keep(info, de->d_name) }));
	}
	if (dir)
		closedir(dir);
	if (info->pmus.nr)
		info->features |= 1ULL << FEAT_PMU_MAPPINGS;
}

void header_info_set_host(struct perfdata_info *info)
{
	read_names(info);
	read_cpu_counts(info);
	read_cpu_identity(info);
	if (info->cpudesc)
		info->features |= 1ULL << FEAT_CPUDESC;
	if (info->cpuid)
		info->features |= 1ULL << FEAT_CPUID;
	read_total_memory(info);
	host_read_topology(info);
	host_read_caches(info);
	host_read_numa(info);
	host_read_memory(info);
	read_pmus(info);
}

int host_clock_find(const char *name, int32_t *clockid)
{
	static const struct {
		const char *name;
		int32_t id;
	} clocks[] = {
		{ "monotonic", CLOCK_MONOTONIC },
		{ "monotonic_raw", CLOCK_MONOTONIC_RAW },
		{ "realtime", CLOCK_REALTIME },
		{ "boottime", CLOCK_BOOTTIME },
		{ "tai", CLOCK_TAI },
		{ "mono", CLOCK_MONOTONIC },
		{ "mono_raw", CLOCK_MONOTONIC_RAW },
		{ "raw", CLOCK_MONOTONIC_RAW },
		{ "real", CLOCK_REALTIME },
		{ "boot", CLOCK_BOOTTIME },
	};
	char *end;
	long v;

	if (isdigit((unsigned char)*name)) {
		errno = 0;
		v = strtol(name, &end, 10);
		if (*end || errno || v > INT32_MAX)
			return -EINVAL;
		*clockid = (int32_t)v;
		return 0;
	}
	if (!strncasecmp(name, "CLOCK_", 6))
		name += 6;
	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++)
		if (!strcasecmp(name, clocks[i].name)) {
			*clockid = clocks[i].id;
			return 0;
		}
	return -EINVAL;
}
