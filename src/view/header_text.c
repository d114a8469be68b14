/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One entry per feature section, in perf's words. Features that the container does not decode (capabilities, hybrid topology, BPF
 * programs) are read here from their raw bytes.
 */
#include "view/header_text.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/bytes.h"
#include "base/escape.h"

/* A word of the file, made safe for a terminal. */
static void word(struct out *o, const char *s)
{
	if (s)
		escape_terminal_str(o, s);
}

static void string_line(struct out *o, const char *name, const char *s)
{
	out_printf(o, "# %s : ", name);
	word(o, s);
	out_char(o, '\n');
}

static void print_nrcpus(struct out *o, const struct perfdata_info *info)
{
	out_printf(o, "# nrcpus online : %u\n", info->nrcpus_online);
	out_printf(o, "# nrcpus avail : %u\n", info->nrcpus_avail);
}

static void print_total_mem(struct out *o, const struct perfdata_info *info)
{
	out_printf(o, "# total memory : %" PRIu64 " kB\n", info->total_mem_kb);
}

/* Single quotes are shown as \' so that the line can be pasted. */
static void print_cmdline(struct out *o, const struct perfdata_info *info)
{
	out_str(o, "# cmdline : ");
	for (uint32_t i = 0; i < info->nr_cmdline; i++) {
		const char *arg = info->cmdline[i], *quote;

		while ((quote = strchr(arg, '\''))) {
			escape_terminal(o, arg, (size_t)(quote - arg));
			out_str(o, "\\'");
			arg = quote + 1;
		}
		word(o, arg);
		out_char(o, ' ');
	}
	out_char(o, '\n');
}

static void print_event_desc(struct out *o, const struct perfdata_info *info)
{
	for (uint32_t i = 0; i < info->events.nr; i++) {
		const struct perfdata_event *e = &info->events.v[i];

		out_str(o, "# event : name = ");
		word(o, e->name);
		out_str(o, ", ");
		for (uint32_t k = 0; k < e->nr_ids; k++) {
			out_str(o, k ? ", " : ", id = { ");
			out_u64(o, e->ids[k], 0);
		}
		if (e->nr_ids)
			out_str(o, " }");
		attr_text(o, &e->attr, &attr_style_header);
		out_char(o, '\n');
	}
}

static void print_cpu_topology(struct out *o, const struct perfdata_info *info)
{
	bool dies = info->die_siblings.nr;

	for (uint32_t i = 0; i < info->core_siblings.nr; i++)
		string_line(o, "sibling sockets", info->core_siblings.v[i]);
	for (uint32_t i = 0; i < info->die_siblings.nr; i++)
		string_line(o, "sibling dies   ", info->die_siblings.v[i]);
	for (uint32_t i = 0; i < info->thread_siblings.nr; i++)
		string_line(o, "sibling threads", info->thread_siblings.v[i]);
	if (!info->cpus.nr)
		out_printf(o, "# Core ID%s Socket ID information is not available\n", dies ? ", Die ID and" : " and");
	for (uint32_t i = 0; i < info->cpus.nr; i++) {
		const struct perfdata_cpu *cpu = &info->cpus.v[i];

		out_printf(o, "# CPU %u: Core ID %d, ", i, cpu->core_id);
		if (dies)
			out_printf(o, "Die ID %d, ", cpu->die_id);
		out_printf(o, "Socket ID %d\n", cpu->socket_id);
	}
}

static void print_numa_topology(struct out *o, const struct perfdata_info *info)
{
	for (uint32_t i = 0; i < info->numa_nodes.nr; i++) {
		const struct perfdata_numa_node *n = &info->numa_nodes.v[i];

		out_printf(o, "# node%u meminfo  : total = %" PRIu64 " kB, free = %" PRIu64 " kB\n", n->node, n->mem_total_kb,
			   n->mem_free_kb);
		out_printf(o, "# node%u cpu list : ", n->node);
		word(o, n->cpus);
		out_char(o, '\n');
	}
}

static void print_pmu_mappings(struct out *o, const struct perfdata_info *info)
{
	if (!info->pmus.nr) {
		out_str(o, "# pmu mappings: not available\n");
		return;
	}
	for (uint32_t i = 0; i < info->pmus.nr; i++) {
		out_str(o, i ? ", " : "# pmu mappings: ");
		word(o, info->pmus.v[i].name);
		out_printf(o, " = %u", info->pmus.v[i].type);
	}
	out_char(o, '\n');
}

static void print_group_desc(struct out *o, const struct perfdata_info *info)
{
	for (uint32_t i = 0; i < info->groups.nr; i++) {
		const struct perfdata_group *g = &info->groups.v[i];

		if (g->nr_members < 2 || g->leader_idx >= info->events.nr || g->nr_members > info->events.nr - g->leader_idx)
			continue;
		out_str(o, "# group: ");
		if (g->name && strcmp(g->name, "{anon_group}"))
			word(o, g->name);
		for (uint32_t k = 0; k < g->nr_members; k++) {
			out_char(o, k ? ',' : '{');
			word(o, info->events.v[g->leader_idx + k].name);
		}
		out_str(o, "}\n");
	}
}

static void print_cache(struct out *o, const struct perfdata_info *info)
{
	out_str(o, "# CPU cache info:\n");
	for (uint32_t i = 0; i < info->caches.nr; i++) {
		const struct perfdata_cache *c = &info->caches.v[i];
		size_t type_len = strlen(c->type), size_len = strlen(c->size);

		out_printf(o, "#  L%u ", c->level);
		word(o, c->type);
		out_spaces(o, type_len < 15 ? 15 - (int)type_len : 0);
		out_char(o, ' ');
		out_spaces(o, size_len < 8 ? 8 - (int)size_len : 0);
		word(o, c->size);
		out_str(o, " [");
		word(o, c->cpus);
		out_str(o, "]\n");
	}
}

static void print_usec(struct out *o, uint64_t ns)
{
	out_printf(o, "%" PRIu64 ".%06" PRIu64, ns / 1000000000, ns % 1000000000 / 1000);
}

static void print_sample_time(struct out *o, const struct perfdata_info *info)
{
	double ms = (double)(info->last_sample_ns - info->first_sample_ns) / 1e6;

	out_str(o, "# time of first sample : ");
	print_usec(o, info->first_sample_ns);
	out_str(o, "\n# time of last sample : ");
	print_usec(o, info->last_sample_ns);
	out_printf(o, "\n# sample duration : %10.3f ms\n", ms);
}

static bool bit_of(const struct perfdata_mem_node *n, uint64_t bit)
{
	return n->bitmap[bit / 64] >> bit % 64 & 1;
}

/* The blocks of a node as "0-23,32-199"; returns how many they are. `o` NULL: only counts. */
static uint64_t mem_blocks(struct out *o, const struct perfdata_mem_node *n)
{
	uint64_t nr = 0;
	const char *sep = "";

	for (uint64_t bit = 0; bit < n->nr_bits; bit++) {
		uint64_t first = bit;

		if (!bit_of(n, bit))
			continue;
		while (bit + 1 < n->nr_bits && bit_of(n, bit + 1))
			bit++;
		nr += bit - first + 1;
		if (!o)
			continue;
		out_printf(o, "%s%" PRIu64, sep, first);
		if (bit > first)
			out_printf(o, "-%" PRIu64, bit);
		sep = ",";
	}
	return nr;
}

static void print_mem_topology(struct out *o, const struct perfdata_info *info)
{
	out_printf(o, "# memory nodes (nr %u, block size 0x%" PRIx64 "):\n", info->mem_nodes.nr, info->mem_block_size);
	for (uint32_t i = 0; i < info->mem_nodes.nr; i++) {
		const struct perfdata_mem_node *n = &info->mem_nodes.v[i];
		uint64_t size = info->mem_block_size * mem_blocks(NULL, n);
		const char *unit = "BKMG";

		for (; unit[1] && size / 1024; unit++)
			size /= 1024;
		out_printf(o, "#  %3" PRIu64 " [%" PRIu64 "%c]: ", n->node, size, *unit);
		mem_blocks(o, n);
		out_char(o, '\n');
	}
}

static void print_clockid(struct out *o, const struct perfdata_info *info)
{
	out_printf(o, "# clockid frequency: %" PRIu64 " MHz\n", info->clockid_res_ns * 1000);
}

static const char *clock_name(uint32_t clockid)
{
	switch (clockid) {
	case CLOCK_REALTIME:
		return "realtime";
	case CLOCK_MONOTONIC:
		return "monotonic";
	case CLOCK_MONOTONIC_RAW:
		return "monotonic_raw";
	case CLOCK_BOOTTIME:
		return "boottime";
	case CLOCK_TAI:
		return "tai";
	default:
		return "(not found)";
	}
}

static void print_clock_data(struct out *o, const struct perfdata_info *info)
{
	const char *name = clock_name(info->clockid);
	time_t tod_s = (time_t)(info->clock_tod_ns / 1000000000);
	uint64_t tod_us = info->clock_tod_ns % 1000000000 / 1000;
	char date[64] = "<failed>";
	struct tm tm;

	if (localtime_r(&tod_s, &tm))
		strftime(date, sizeof(date), "%F %T", &tm);
	out_printf(o, "# clockid: %s (%u)\n", name, info->clockid);
	out_printf(o, "# reference time: %s.%06" PRIu64 " = %lld.%06" PRIu64 " (TOD) = %" PRIu64 ".%09" PRIu64 " (%s)\n", date, tod_us,
		   (long long)tod_s, tod_us, info->clock_ref_ns / 1000000000, info->clock_ref_ns % 1000000000, name);
}

static void print_compressed(struct out *o, const struct perfdata_info *info)
{
	out_printf(o, "# compressed : %s, level = %u, ratio = %u\n", info->comp_type == 1 ? "Zstd" : "Unknown", info->comp_level,
		   info->comp_ratio);
}

/* What the container kept as it was. */
static struct bytes raw_feature(const struct perfdata_info *info, uint32_t feature)
{
	for (uint32_t i = 0; i < info->raw_features.nr; i++) {
		const struct perfdata_raw_feature *raw = &info->raw_features.v[i];

		if (raw->feature == feature)
			return bytes_of(raw->data, raw->size, info->foreign_order);
	}
	return (struct bytes){ .failed = true };
}

static void raw_string(struct out *o, struct bytes *b)
{
	word(o, bytes_str(b, bytes_u32(b)));
}

static void print_dir_format(struct out *o, const struct perfdata_info *info)
{
	struct bytes b = raw_feature(info, FEAT_DIR_FORMAT);

	out_printf(o, "# directory data version : %" PRIu64 "\n", bytes_u64(&b));
}

/* The list of name=value behind a "… pmu capabilities: ". */
static void print_caps(struct out *o, struct bytes *b, uint32_t nr)
{
	for (uint32_t i = 0; i < nr && !b->failed; i++) {
		out_str(o, i ? ", " : "");
		raw_string(o, b);
		out_char(o, '=');
		raw_string(o, b);
	}
	out_str(o, nr ? "\n" : "not available\n");
}

static void print_cpu_pmu_caps(struct out *o, const struct perfdata_info *info)
{
	struct bytes b = raw_feature(info, FEAT_CPU_PMU_CAPS);

	out_str(o, "# cpu pmu capabilities: ");
	print_caps(o, &b, bytes_u32(&b));
}

/* Of each PMU: how many capabilities, its name, then they. */
static void print_pmu_caps(struct out *o, const struct perfdata_info *info)
{
	struct bytes b = raw_feature(info, FEAT_PMU_CAPS);
	uint32_t nr = bytes_u32(&b);

	for (uint32_t i = 0; i < nr && !b.failed; i++) {
		uint32_t nr_caps = bytes_u32(&b);

		out_str(o, "# ");
		raw_string(o, &b);
		out_str(o, " pmu capabilities: ");
		print_caps(o, &b, nr_caps);
	}
}

static void print_hybrid_topology(struct out *o, const struct perfdata_info *info)
{
	struct bytes b = raw_feature(info, FEAT_HYBRID_TOPOLOGY);
	uint32_t nr = bytes_u32(&b);

	out_str(o, "# hybrid cpu system:\n");
	for (uint32_t i = 0; i < nr && !b.failed; i++) {
		out_str(o, "# ");
		raw_string(o, &b);
		out_str(o, " cpu list : ");
		raw_string(o, &b);
		out_char(o, '\n');
	}
}

static void print_bpf_prog_info(struct out *o, const struct perfdata_info *info)
{
	bpf_info_text(o, raw_feature(info, FEAT_BPF_PROG_INFO), raw_feature(info, FEAT_BPF_BTF));
}

static void print_bpf_btf(struct out *o, const struct perfdata_info *info)
{
	bpf_btf_text(o, raw_feature(info, FEAT_BPF_BTF));
}

/* What a feature shows: lines of its own, a string of the info under a name, or a sentence; else nothing. */
struct feature_text {
	const char *name;
	void (*print)(struct out *o, const struct perfdata_info *info);
	bool full; /* only with -I */
	const char *words;
	size_t string; /* where the info has it; 0: `words` are a sentence */
};

#define STRING(name, words, member)                                                                                                        \
	{                                                                                                                                  \
		name, NULL, false, words, offsetof(struct perfdata_info, member)                                                           \
	}
#define SENTENCE(name, words)                                                                                                              \
	{                                                                                                                                  \
		name, NULL, false, words, 0                                                                                                \
	}

static const struct feature_text features[FEAT_LAST] = {
	[FEAT_TRACING_DATA] = { .name = "TRACING_DATA" },
	[FEAT_BUILD_ID] = { .name = "BUILD_ID" },
	[FEAT_HOSTNAME] = STRING("HOSTNAME", "hostname", hostname),
	[FEAT_OSRELEASE] = STRING("OSRELEASE", "os release", osrelease),
	[FEAT_VERSION] = STRING("VERSION", "perf version", version),
	[FEAT_ARCH] = STRING("ARCH", "arch", arch),
	[FEAT_NRCPUS] = { .name = "NRCPUS", .print = print_nrcpus },
	[FEAT_CPUDESC] = STRING("CPUDESC", "cpudesc", cpudesc),
	[FEAT_CPUID] = STRING("CPUID", "cpuid", cpuid),
	[FEAT_TOTAL_MEM] = { .name = "TOTAL_MEM", .print = print_total_mem },
	[FEAT_CMDLINE] = { .name = "CMDLINE", .print = print_cmdline },
	[FEAT_EVENT_DESC] = { .name = "EVENT_DESC", .print = print_event_desc },
	[FEAT_CPU_TOPOLOGY] = { .name = "CPU_TOPOLOGY", .print = print_cpu_topology, .full = true },
	[FEAT_NUMA_TOPOLOGY] = { .name = "NUMA_TOPOLOGY", .print = print_numa_topology, .full = true },
	[FEAT_BRANCH_STACK] = SENTENCE("BRANCH_STACK", "contains samples with branch stack"),
	[FEAT_PMU_MAPPINGS] = { .name = "PMU_MAPPINGS", .print = print_pmu_mappings },
	[FEAT_GROUP_DESC] = { .name = "GROUP_DESC", .print = print_group_desc },
	[FEAT_AUXTRACE] = SENTENCE("AUXTRACE", "contains AUX area data (e.g. instruction trace)"),
	[FEAT_STAT] = SENTENCE("STAT", "contains stat data"),
	[FEAT_CACHE] = { .name = "CACHE", .print = print_cache, .full = true },
	[FEAT_SAMPLE_TIME] = { .name = "SAMPLE_TIME", .print = print_sample_time },
	[FEAT_MEM_TOPOLOGY] = { .name = "MEM_TOPOLOGY", .print = print_mem_topology, .full = true },
	[FEAT_CLOCKID] = { .name = "CLOCKID", .print = print_clockid },
	[FEAT_DIR_FORMAT] = { .name = "DIR_FORMAT", .print = print_dir_format },
	[FEAT_BPF_PROG_INFO] = { .name = "BPF_PROG_INFO", .print = print_bpf_prog_info },
	[FEAT_BPF_BTF] = { .name = "BPF_BTF", .print = print_bpf_btf },
	[FEAT_COMPRESSED] = { .name = "COMPRESSED", .print = print_compressed },
	[FEAT_CPU_PMU_CAPS] = { .name = "CPU_PMU_CAPS", .print = print_cpu_pmu_caps },
	[FEAT_CLOCK_DATA] = { .name = "CLOCK_DATA", .print = print_clock_data },
	[FEAT_HYBRID_TOPOLOGY] = { .name = "HYBRID_TOPOLOGY", .print = print_hybrid_topology, .full = true },
	[FEAT_PMU_CAPS] = { .name = "PMU_CAPS", .print = print_pmu_caps },
};

static bool has(const struct perfdata_info *info, uint32_t feature)
{
	return info->features >> feature & 1;
}

static void feature_text(struct out *o, const struct perfdata_info *info, uint32_t feature, bool full)
{
	const struct feature_text *f = &features[feature];

	if (f->full && !full)
		out_printf(o, "# %s info available, use -I to display\n", f->name);
	else if (f->print)
		f->print(o, info);
	else if (f->string)
		string_line(o, f->words, *(const char *const *)((const char *)info + f->string));
	else if (f->words)
		out_printf(o, "# %s\n", f->words);
}

static void captured_on(struct out *o, const struct perfdata_info *info, const char *path)
{
	time_t when = (time_t)info->captured_time;
	struct stat st;
	char text[64] = "";

	if (!when && (path && strcmp(path, "-") ? stat(path, &st) : fstat(0, &st)) == 0)
		when = st.st_mtime;
	if (!ctime_r(&when, text))
		strcpy(text, "unknown\n");
	out_printf(o, "# captured on    : %s", text);
}

void header_text(struct out *o, const struct perfdata_info *info, const char *path, bool full)
{
	out_str(o, "# ========\n");
	captured_on(o, info, path);
	/* A pipe's short header has no version: the format began with version 1. */
	out_printf(o, "# header version : %" PRIu64 "\n", info->pipe_mode ? 1 : info->header_version);
	out_printf(o, "# data offset    : %" PRIu64 "\n", info->data_off);
	out_printf(o, "# data size      : %" PRIu64 "\n", info->data_size);
	out_printf(o, "# feat offset    : %" PRIu64 "\n", info->feat_off);
	if (!info->pipe_mode) {
		for (uint32_t i = 0; i < FEAT_LAST; i++)
			if (has(info, i))
				feature_text(o, info, i, full);
		out_str(o, "# missing features: ");
		for (uint32_t i = 1; i < FEAT_LAST; i++)
			if (!has(info, i) && features[i].name)
				out_printf(o, "%s ", features[i].name);
		out_char(o, '\n');
	}
}

void header_text_end(struct out *o)
{
	out_str(o, "# ========\n#\n");
}

void header_text_feature(struct out *o, const struct perfdata_info *info, const struct record_header *h, bool full)
{
	struct bytes b = bytes_of(h, h->size, false);
	uint64_t feature;

	bytes_take(&b, sizeof(*h));
	feature = bytes_u64(&b);
	if (h->type == RECORD_HEADER_FEATURE && !b.failed && feature < FEAT_LAST && has(info, (uint32_t)feature))
		feature_text(o, info, (uint32_t)feature, full);
}
