/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "abi/event_names.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const struct event_name generic[] = {
	{ ATTR_TYPE_HARDWARE, 0, "cycles", "cpu-cycles" },
	{ ATTR_TYPE_HARDWARE, 1, "instructions", NULL },
	{ ATTR_TYPE_HARDWARE, 2, "cache-references", NULL },
	{ ATTR_TYPE_HARDWARE, 3, "cache-misses", NULL },
	{ ATTR_TYPE_HARDWARE, 4, "branches", "branch-instructions" },
	{ ATTR_TYPE_HARDWARE, 5, "branch-misses", NULL },
	{ ATTR_TYPE_HARDWARE, 6, "bus-cycles", NULL },
	{ ATTR_TYPE_HARDWARE, 7, "stalled-cycles-frontend", "idle-cycles-frontend" },
	{ ATTR_TYPE_HARDWARE, 8, "stalled-cycles-backend", "idle-cycles-backend" },
	{ ATTR_TYPE_HARDWARE, 9, "ref-cycles", NULL },
	{ ATTR_TYPE_SOFTWARE, 0, "cpu-clock", NULL },
	{ ATTR_TYPE_SOFTWARE, 1, "task-clock", NULL },
	{ ATTR_TYPE_SOFTWARE, 2, "page-faults", "faults" },
	{ ATTR_TYPE_SOFTWARE, 3, "context-switches", "cs" },
	{ ATTR_TYPE_SOFTWARE, 4, "cpu-migrations", "migrations" },
	{ ATTR_TYPE_SOFTWARE, 5, "minor-faults", NULL },
	{ ATTR_TYPE_SOFTWARE, 6, "major-faults", NULL },
	{ ATTR_TYPE_SOFTWARE, 7, "alignment-faults", NULL },
	{ ATTR_TYPE_SOFTWARE, 8, "emulation-faults", NULL },
	{ ATTR_TYPE_SOFTWARE, 9, "dummy", NULL },
	{ ATTR_TYPE_SOFTWARE, 10, "bpf-output", NULL },
	{ ATTR_TYPE_SOFTWARE, 11, "cgroup-switches", NULL },
};
#define NR_GENERIC (sizeof(generic) / sizeof(generic[0]))

enum { CACHE_LOAD, CACHE_STORE, CACHE_PREFETCH, NR_CACHE_OPS };
enum { CACHE_ACCESS, CACHE_MISS, NR_CACHE_RESULTS };
#define NR_CACHE_TYPES 7
#define NR_CACHE_SPELLING 5

/* The first spelling is the one that is printed. */
static const struct {
	const char *names[NR_CACHE_SPELLING];
	uint8_t ops; /* bit N: the kernel can count op N */
} cache_types[NR_CACHE_TYPES] = {
	{ { "L1-dcache", "l1-d", "l1d", "L1-data" }, 7 },
	{ { "L1-icache", "l1-i", "l1i", "L1-instruction" }, 1 << CACHE_LOAD | 1 << CACHE_PREFETCH },
	{ { "LLC", "L2" }, 7 },
	{ { "dTLB", "d-tlb", "Data-TLB" }, 7 },
	{ { "iTLB", "i-tlb", "Instruction-TLB" }, 1 << CACHE_LOAD },
	{ { "branch", "branches", "bpu", "btb", "bpc" }, 1 << CACHE_LOAD },
	{ { "node" }, 7 },
};

/* [0] goes before "-misses", [1] stands alone for the accesses. */
static const char *const cache_ops[NR_CACHE_OPS][NR_CACHE_SPELLING] = {
	{ "load", "loads", "read" },
	{ "store", "stores", "write" },
	{ "prefetch", "prefetches", "speculative-read", "speculative-load" },
};
static const char *const cache_results[NR_CACHE_RESULTS][NR_CACHE_SPELLING] = {
	{ "refs", "Reference", "ops", "access" },
	{ "misses", "miss" },
};

const struct event_name *event_names_get(uint32_t i)
{
	return i < NR_GENERIC ? &generic[i] : NULL;
}

static void cache_name(uint32_t type, uint32_t op, uint32_t result, char *buf, size_t size)
{
	if (result == CACHE_MISS)
		snprintf(buf, size, "%s-%s-misses", cache_types[type].names[0], cache_ops[op][0]);
	else
		snprintf(buf, size, "%s-%s", cache_types[type].names[0], cache_ops[op][1]);
}

bool event_names_get_cache(uint32_t i, uint64_t *config, char *buf, size_t size)
{
	for (uint32_t type = 0; type < NR_CACHE_TYPES; type++)
		for (uint32_t op = 0; op < NR_CACHE_OPS; op++)
			for (uint32_t result = 0; result < NR_CACHE_RESULTS; result++) {
				if (!(cache_types[type].ops & 1 << op) || i--)
					continue;
				*config = type | op << 8 | result << 16;
				cache_name(type, op, result, buf, size);
				return true;
			}
	return false;
}

/* The spelling that the text starts with, as a word of its own: its row, and its length in
 * *len. The longest wins ("branches" over "branch"). */
static int spelling_find(const void *rows, size_t stride, uint32_t nr, const char *text, size_t text_len, size_t *len)
{
	int best = -1;

	*len = 0;
	for (uint32_t row = 0; row < nr; row++) {
		const char *const *names = (const char *const *)((const char *)rows + row * stride);

		for (uint32_t i = 0; i < NR_CACHE_SPELLING && names[i]; i++) {
			size_t n = strlen(names[i]);

			if (n <= *len || n > text_len || strncasecmp(text, names[i], n) != 0 || (n < text_len && text[n] != '-'))
				continue;
			best = (int)row;
			*len = n;
		}
	}
	return best;
}

static int cache_find(const char *name, size_t len, uint64_t *config)
{
	size_t n;
	int op = -1, result = -1, found;
	int type = spelling_find(&cache_types[0].names, sizeof(cache_types[0]), NR_CACHE_TYPES, name, len, &n);

	if (type < 0)
		return -ENOENT;
	while (n < len) { /* at a '-': an op and a result follow, each at most once, in any order */
		name += n + 1;
		len -= n + 1;
		found = spelling_find(cache_ops, sizeof(cache_ops[0]), NR_CACHE_OPS, name, len, &n);
		if (found >= 0 && op < 0) {
			op = found;
			continue;
		}
		found = spelling_find(cache_results, sizeof(cache_results[0]), NR_CACHE_RESULTS, name, len, &n);
		if (found < 0 || result >= 0)
			return -ENOENT;
		result = found;
	}
	op = op < 0 ? CACHE_LOAD : op;
	result = result < 0 ? CACHE_ACCESS : result;
	if (!(cache_types[type].ops & 1 << op))
		return -ENOENT;
	*config = (uint32_t)type | (uint32_t)op << 8 | (uint32_t)result << 16;
	return 0;
}

static bool is_name(const char *known, const char *name, size_t len)
{
	return known && strlen(known) == len && memcmp(known, name, len) == 0;
}

int event_names_find(const char *name, size_t len, uint32_t *type, uint64_t *config)
{
	for (uint32_t i = 0; i < NR_GENERIC; i++) {
		if (!is_name(generic[i].name, name, len) && !is_name(generic[i].alias, name, len))
			continue;
		*type = generic[i].type;
		*config = generic[i].config;
		return 0;
	}
	*type = ATTR_TYPE_HW_CACHE;
	return cache_find(name, len, config);
}

static const char *generic_name(uint32_t type, uint64_t config)
{
	for (uint32_t i = 0; i < NR_GENERIC; i++)
		if (generic[i].type == type && generic[i].config == config)
			return generic[i].name;
	return type == ATTR_TYPE_HARDWARE ? "unknown-hardware" : "unknown-software";
}

static void cache_name_of(uint64_t config, char *buf, size_t size)
{
	uint32_t type = config & 0xff, op = config >> 8 & 0xff, result = config >> 16 & 0xff;

	if (type >= NR_CACHE_TYPES)
		snprintf(buf, size, "unknown-ext-hardware-cache-type");
	else if (op >= NR_CACHE_OPS)
		snprintf(buf, size, "unknown-ext-hardware-cache-op");
	else if (result >= NR_CACHE_RESULTS)
		snprintf(buf, size, "unknown-ext-hardware-cache-result");
	else if (!(cache_types[type].ops & 1 << op))
		snprintf(buf, size, "invalid-cache");
	else
		cache_name(type, op, result, buf, size);
}

/* The letters behind the colon. perf leaves out what is the default, and the default for guests depends on whether anything else was asked
 * for. `mods` takes 10 bytes. */
static void modifiers_of(uint64_t flags, char *mods)
{
	unsigned precise = (unsigned)((flags & ATTR_PRECISE_IP) >> ATTR_PRECISE_IP_SHIFT);
	bool guest_default = false, no_guest = flags & ATTR_EXCLUDE_GUEST;

	if (flags & (ATTR_EXCLUDE_USER | ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV)) {
		if (!(flags & ATTR_EXCLUDE_KERNEL))
			*mods++ = 'k';
		if (!(flags & ATTR_EXCLUDE_USER))
			*mods++ = 'u';
		if (!(flags & ATTR_EXCLUDE_HV))
			*mods++ = 'h';
		guest_default = true;
	}
	if (precise)
		guest_default = true;
	while (precise--)
		*mods++ = 'p';
	if (flags & ATTR_EXCLUDE_HOST || no_guest == guest_default) {
		if (!(flags & ATTR_EXCLUDE_HOST))
			*mods++ = 'H';
		if (!no_guest)
			*mods++ = 'G';
	}
	*mods = 0;
}

void event_name_of(const struct attr *attr, char *buf, size_t size)
{
	char mods[12], base[EVENT_NAME_MAX / 2];

	switch (attr->type) {
	case ATTR_TYPE_HARDWARE:
		/* The upper half names the PMU of a hybrid machine. */
		if (attr->config >> 32)
			snprintf(base, sizeof(base), "cpu/%s/", generic_name(attr->type, (uint32_t)attr->config));
		else
			snprintf(base, sizeof(base), "%s", generic_name(attr->type, attr->config));
		break;
	case ATTR_TYPE_SOFTWARE:
		snprintf(base, sizeof(base), "%s", generic_name(attr->type, attr->config));
		break;
	case ATTR_TYPE_HW_CACHE:
		cache_name_of(attr->config, base, sizeof(base));
		break;
	case ATTR_TYPE_RAW:
		snprintf(base, sizeof(base), "raw 0x%" PRIx64, attr->config);
		break;
	case ATTR_TYPE_BREAKPOINT:
		snprintf(base, sizeof(base), "mem:0x%" PRIx64 ":%s%s%s", attr->config1, attr->bp_type & 1 ? "r" : "",
			 attr->bp_type & 2 ? "w" : "", attr->bp_type & 4 ? "x" : "");
		break;
	case ATTR_TYPE_TRACEPOINT:
		snprintf(buf, size, "unknown tracepoint");
		return;
	default:
		snprintf(buf, size, "unknown attr type: %" PRIu32, attr->type);
		return;
	}
	modifiers_of(attr->flags, mods);
	snprintf(buf, size, "%s%s%s", base, mods[0] ? ":" : "", mods);
}

static bool runs_with_the_program(const struct attr *a)
{
	if (a->type == ATTR_TYPE_SOFTWARE)
		return a->config <= 1; /* cpu-clock, task-clock */
	return a->type == ATTR_TYPE_HARDWARE && a->config == CONFIG_CYCLES;
}

const char *no_samples_hint(const struct attr *a)
{
	if (!a->sample_period || attr_is_dummy(a))
		return NULL;
	if (!runs_with_the_program(a) && a->sample_period == 1 && !(a->flags & ATTR_FREQ))
		return "the event did not happen in what was recorded, or --filter left it out: -a records all processes";
	if (!runs_with_the_program(a))
		return "the event did not happen often enough: 'assay stat' counts how often it does, -c 1 samples each time";
	if (a->flags & ATTR_EXCLUDE_KERNEL)
		return "the program slept, was in the kernel (which is not recorded) or ended before the first sample was due: record longer, "
		       "or sample more often with -F max";
	if (a->flags & ATTR_EXCLUDE_USER)
		return "the program slept, was in user code (which is not recorded) or ended before the first sample was due: record longer, "
		       "or sample more often with -F max";
	return "the program slept or ended before the first sample was due: record longer, or sample more often with -F max; 'assay stat' counts "
	       "what is too short to sample";
}
