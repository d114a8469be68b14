/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Machines for tests: trees of files like those below /sys/bus/event_source/devices, made in a
 * fresh directory. One like an Intel server with uncore units, energy and model specific counters,
 * one like a hybrid laptop; and a handful of tracepoints.
 */
#ifndef ASSAY_TESTS_FAKE_SYSFS_H
#define ASSAY_TESTS_FAKE_SYSFS_H

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/errbuf.h"
#include "base/mem.h"
#include "kernel/event_parse.h"

struct fake_file {
	const char *path, *text; /* path below …/devices */
};

#define FAKE_CPU_FORMATS(pmu)                                                                                                              \
	{ pmu "/format/event", "config:0-7" }, { pmu "/format/umask", "config:8-15" }, { pmu "/format/edge", "config:18" },                \
		{ pmu "/format/inv", "config:23" }, { pmu "/format/cmask", "config:24-31" }, { pmu "/format/ldlat", "config1:0-15" },      \
	{                                                                                                                                  \
		pmu "/format/offcore_rsp", "config1:0-63"                                                                                  \
	}

#define FAKE_IMC(pmu, type_text)                                                                                                           \
	{ pmu "/type", type_text }, { pmu "/cpumask", "0,2" }, { pmu "/format/event", "config:0-7" },                                      \
		{ pmu "/format/umask", "config:8-15" }, { pmu "/events/cas_count_read", "event=0x04,umask=0x03" },                         \
		{ pmu "/events/cas_count_read.unit", "MiB" }, { pmu "/events/cas_count_read.scale", "6.103515625e-5" },                    \
		{ pmu "/events/cas_count_write", "event=0x04,umask=0x0c" },                                                                \
	{                                                                                                                                  \
		pmu "/events/clockticks", "event=0xff"                                                                                     \
	}

static const struct fake_file fake_server[] = {
	{ "software/type", "1" },
	{ "tracepoint/type", "2" },
	{ "breakpoint/type", "5" },
	{ "cpu/type", "4" },
	{ "cpu/caps/max_precise", "3" },
	FAKE_CPU_FORMATS("cpu"),
	{ "cpu/format/any", "config:21" },
	{ "cpu/format/split", "config:60-63,32-35" },
	{ "cpu/format/late", "config2:0-31" },
	{ "cpu/format/extra", "config3:4-7" },
	{ "cpu/format/nonsense", "config9:0-7" },
	{ "cpu/format/backwards", "config:7-0" },
	{ "cpu/events/cpu-cycles", "event=0x3c" },
	{ "cpu/events/instructions", "event=0xc0" },
	{ "cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3" },
	{ "cpu/events/slots", "event=0x00,umask=0x4" },
	{ "cpu/events/topdown-retiring", "event=0x00,umask=0x80" },
	{ "cpu/events/parameter", "event=0x10,umask=?" },
	{ "cpu/events/broken", "event=0x10,nosuch=1" },
	{ "cpu/events/garbage", "=,=" },
	FAKE_IMC("uncore_imc_0", "13"),
	FAKE_IMC("uncore_imc_1", "14"),
	{ "uncore_imc_1/events/only_here", "event=0x77" },
	{ "uncore_imc_free_running_0/type", "15" },
	{ "uncore_imc_free_running_0/cpumask", "0" },
	{ "uncore_imc_free_running_0/format/event", "config:0-7" },
	{ "uncore_imc_free_running_0/events/read", "event=0xff" },
	{ "power/type", "20" },
	{ "power/cpumask", "0" },
	{ "power/format/event", "config:0-7" },
	{ "power/events/energy-pkg", "event=0x02" },
	{ "power/events/energy-pkg.unit", "Joules" },
	{ "power/events/energy-pkg.scale", "2.3283064365386962890625e-10" },
	{ "power/events/energy-cores", "event=0x01" },
	{ "power/events/energy-cores.unit", "Joules" },
	{ "power/events/energy-cores.scale", "2.3283064365386962890625e-10" },
	{ "msr/type", "9" },
	{ "msr/format/event", "config:0-63" },
	{ "msr/events/tsc", "event=0x00" },
	{ "msr/events/aperf", "event=0x01" },
	{ "msr/events/cpu_thermal_margin", "event=0x06" },
	{ "msr/events/cpu_thermal_margin.unit", "C" },
	{ "msr/events/cpu_thermal_margin.snapshot", "1" },
	{ NULL, NULL },
};

static const struct fake_file fake_hybrid[] = {
	{ "software/type", "1" },
	{ "cpu_core/type", "4" },
	{ "cpu_core/cpus", "0-3" },
	FAKE_CPU_FORMATS("cpu_core"),
	{ "cpu_core/events/cpu-cycles", "event=0x3c" },
	{ "cpu_core/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3" },
	{ "cpu_core/events/slots", "event=0x00,umask=0x4" },
	{ "cpu_atom/type", "10" },
	{ "cpu_atom/cpus", "4-7" },
	FAKE_CPU_FORMATS("cpu_atom"),
	{ "cpu_atom/events/cpu-cycles", "event=0x3c" },
	{ "cpu_atom/events/mem-loads", "event=0xd0,umask=0x5,ldlat=3" },
	{ NULL, NULL },
};

static inline void fake_mkdirs(char *path)
{
	for (char *slash = path + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = 0;
		mkdir(path, 0755);
		*slash = '/';
	}
}

/* Makes a machine in a fresh directory; its name is "<dir>", to be used as /sys. Caller frees. */
static inline char *fake_sysfs_make(const struct fake_file *files)
{
	char dir[] = "/tmp/assay-sysfs-XXXXXX";

	if (!mkdtemp(dir))
		abort();
	for (; files->path; files++) {
		char *path = mem_printf("%s/bus/event_source/devices/%s", dir, files->path);
		FILE *f;

		fake_mkdirs(path);
		f = fopen(path, "w");
		if (!f || fprintf(f, "%s\n", files->text) < 0 || fclose(f))
			abort();
		free(path);
	}
	return mem_strdup(dir);
}

static inline int fake_remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

static inline void fake_sysfs_remove(char *dir)
{
	nftw(dir, fake_remove_one, 16, FTW_DEPTH | FTW_PHYS);
	free(dir);
}

static inline int fake_tracepoints(const char *system, const char *name, tracepoint_fn *found, void *ctx, struct errbuf *eb)
{
	static const struct {
		const char *system, *name;
		uint64_t id;
	} all[] = {
		{ "sched", "sched_switch", 314 },      { "sched", "sched_wakeup", 315 },     { "sched", "sched_wakeup_new", 316 },
		{ "syscalls", "sys_enter_read", 700 }, { "syscalls", "sys_exit_read", 701 }, { "syscalls", "sys_enter_write", 702 },
		{ "syscalls", "sys_exit_write", 703 }, { "probe_app", "u", 1500 },	     { "sdt_libc", "setjmp", 1501 },
	};
	bool any = false;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (fnmatch(system, all[i].system, 0) || fnmatch(name, all[i].name, 0))
			continue;
		found(ctx, all[i].system, all[i].name, all[i].id);
		any = true;
	}
	return any ? 0 : errbuf_set(eb, -ENOENT, "no tracepoint %s:%s", system, name);
}

/* A vendor's name, as libpfm4 would know it. */
static inline int fake_pfm_find(const char *name, struct attr *attr, struct errbuf *eb)
{
	if (!strncmp(name, "INST_RETIRED:BAD", 16))
		return errbuf_set(eb, -EINVAL, "libpfm4 knows no attribute BAD");
	if (strcmp(name, "INST_RETIRED:ANY_P:u") != 0 && strcmp(name, "skl::INST_RETIRED") != 0)
		return -ENOENT;
	attr->type = ATTR_TYPE_RAW;
	attr->config = 0x5300c0;
	attr->flags = ATTR_EXCLUDE_KERNEL;
	return 0;
}

static inline struct event_sources fake_sources(const char *sysfs)
{
	return (struct event_sources){ .sysfs = sysfs, .tracepoints = fake_tracepoints, .pfm_find = fake_pfm_find };
}

#endif
