/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The events as files have them (tracepoints with formats of our own), and samples of what is in the ring buffer.
 */
#include "capture/probe_feed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "abi/record.h"
#include "base/log.h"

#define BATCH_BYTES (256u << 10)
#define SAMPLE_MAX 8192u /* callers, values and strings of one */
#define RAW_MAX 4096u
#define RING_BYTES (32u << 20)
#define COUNT_RING_BYTES (64u << 10)
#define FIRST_EVENT_ID (UINT64_MAX / 3 + 0x1000) /* above what the kernel gives out */
#define FIRST_FORMAT_ID 0xfe00u			 /* the same of tracepoints; SYSCALL_SAMPLE_ID is 0xfff0 */

int temp_probes_add(struct temp_probes *t, const char *group, const char *name, const struct bpf_probe *place, bool is_return,
		    const char *args, struct errbuf *eb)
{
	struct bpf_probe p = *place;
	struct probe_layout layout;
	char *full;
	int err;

	if (t->places.nr == TEMP_PROBES_MAX)
		return errbuf_set(eb, -E2BIG, "at most %d probes can be had with --temp", TEMP_PROBES_MAX);
	err = probe_fetch_compile(args, probe_machine_native(), place->file_off, is_return, &t->arena, &p.program, &layout, eb);
	if (err)
		return err;
	p.path = arena_str(&t->arena, place->path, strlen(place->path));
	full = mem_printf("%s:%s", group, name);
	vec_push(&t->names, arena_str(&t->arena, full, strlen(full)));
	layout.id = (uint16_t)(FIRST_FORMAT_ID + t->places.nr);
	vec_push(&t->places, p);
	vec_push(&t->layouts, layout);
	free(full);
	return 0;
}

void temp_probes_fini(struct temp_probes *t)
{
	vec_fini(&t->places);
	vec_fini(&t->layouts);
	vec_fini(&t->names);
	arena_fini(&t->arena);
}

static bool has_processes(const struct capture_options *o, const struct target *t)
{
	return t->kind == TARGET_TASKS && !t->by_thread && !o->config.no_inherit;
}

static enum bpf_task_kind kind_of(const struct capture_options *o, const struct target *t, pid_t tid, pid_t workload)
{
	if (tid == workload)
		return BPF_TASK_WORKLOAD;
	for (uint32_t i = 0; i < t->scanned.ids.nr && has_processes(o, t); i++)
		if (t->scanned.ids.v[i] == tid)
			return BPF_TASK_PROCESS;
	return BPF_TASK_THREAD;
}

static const uint64_t *cpus_of(const struct capture_options *o, const struct target *t, uint64_t *bits)
{
	if (!o->cpus)
		return NULL;
	memset(bits, 0, BPF_PROBES_CPUS / 8);
	for (uint32_t i = 0; i < t->cpus.cpus.nr; i++)
		if ((uint32_t)t->cpus.cpus.v[i] < BPF_PROBES_CPUS)
			bits[t->cpus.cpus.v[i] / 64] |= 1ULL << t->cpus.cpus.v[i] % 64;
	return bits;
}

int temp_probes_open(struct bpf_probes **bpf, const struct temp_probes *t, const struct capture_options *o, const struct target *target,
		     pid_t workload, bool only_counts, bool has_chains, struct errbuf *eb)
{
	uint64_t cpus[BPF_PROBES_CPUS / 64];
	const struct bpf_probes_options options = {
		.probes = t->places.v,
		.nr_probes = t->places.nr,
		.all_tasks = target->kind == TARGET_CPUS,
		.cpus = cpus_of(o, target, cpus),
		.has_processes = has_processes(o, target),
		.no_children = o->config.no_inherit,
		.only_counts = only_counts,
		.has_chains = has_chains,
		.ring_bytes = only_counts ? COUNT_RING_BYTES : RING_BYTES,
	};
	int err = bpf_probes_open(bpf, &options, eb);

	for (uint32_t i = 0; i < target->tasks.ids.nr && !err; i++)
		if (target->tasks.ids.v[i] > 0)
			err = bpf_probes_add_task(*bpf, target->tasks.ids.v[i], kind_of(o, target, target->tasks.ids.v[i], workload), eb);
	return err;
}

static void make_attr(struct attr *a, const struct capture_options *o, bool has_chains, uint32_t probe)
{
	*a = (struct attr){
		.type = ATTR_TYPE_TRACEPOINT,
		.size = ATTR_SIZE_VER7,
		.config = FIRST_FORMAT_ID + probe,
		.sample_period = 1,
		.sample_type = SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_CPU | SAMPLE_PERIOD | SAMPLE_RAW,
		.read_format = READ_ID | READ_LOST,
		.flags = ATTR_SAMPLE_ID_ALL | ATTR_USE_CLOCKID | (o->config.no_inherit ? 0 : ATTR_INHERIT),
		.clockid = 1, /* CLOCK_MONOTONIC: what BPF programs can read */
	};
	if (has_chains) {
		a->sample_type |= SAMPLE_CALLCHAIN;
		a->flags |= ATTR_EXCLUDE_CHAIN_KERNEL;
	}
}

static int take_hit(void *ctx, void *data, size_t size)
{
	const struct probe_long_hit *h = data;
	struct probe_feed *f = ctx;
	uint64_t chain[1 + PROBE_FRAMES_MAX] = { CHAIN_USER };
	uint8_t raw[RAW_MAX];
	struct sample s = { .period = 1 };
	struct record_header head = { .type = RECORD_SAMPLE, .misc = MISC_USER };
	int64_t n;

	if (size < sizeof(h->hit) || h->hit.probe >= f->probes->places.nr)
		return 0;
	f->nr_faults += (uint64_t)__builtin_popcount(h->hit.failed);
	s.id = FIRST_EVENT_ID + h->hit.probe;
	s.ip = h->hit.ip;
	s.pid = h->hit.pid;
	s.tid = h->hit.tid;
	s.cpu = h->hit.cpu;
	s.time_ns = h->hit.time_ns;
	s.raw_size = (uint32_t)probe_layout_raw(&f->probes->layouts.v[h->hit.probe], data, size, raw, sizeof(raw));
	s.raw = raw;
	if (f->has_chains && size >= sizeof(*h) && h->hit.chain_size <= sizeof(h->chain)) {
		memcpy(chain + 1, h->chain, h->hit.chain_size);
		s.nr_ips = 1 + h->hit.chain_size / 8;
		s.ips = chain;
	}
	n = sample_encode(&f->feed.layout, &s, f->buf + f->len + sizeof(head), SAMPLE_MAX - sizeof(head));
	if (n <= 0)
		return 0;
	head.size = (uint16_t)(sizeof(head) + (size_t)n);
	memcpy(f->buf + f->len, &head, sizeof(head));
	f->len += head.size;
	return f->len < BATCH_BYTES ? 0 : -EAGAIN;
}

/* What was dropped meanwhile, as the kernel's rings say it: of which probe is not known. */
static void put_losses(struct probe_feed *f)
{
	uint64_t nr = bpf_probes_dropped(f->bpf);
	struct record_header h = { .type = RECORD_LOST };
	struct record rec = { .header = &h, .id = { .id = FIRST_EVENT_ID } };
	int64_t size;

	if (nr == f->nr_dropped)
		return;
	rec.lost = (struct record_lost){ .id = FIRST_EVENT_ID, .lost = nr - f->nr_dropped };
	size = record_encode(&rec, &f->feed.layout, f->buf + f->len, SAMPLE_MAX);
	if (size > 0)
		f->len += (size_t)size;
	f->nr_dropped = nr;
}

static size_t take(struct record_feed *feed, const uint8_t **records)
{
	struct probe_feed *f = (struct probe_feed *)feed;

	f->len = 0;
	bpf_probes_consume(f->bpf, take_hit, f);
	put_losses(f);
	*records = f->buf;
	return f->len;
}

static void describe(struct probe_feed *f, const struct capture_options *o)
{
	const struct temp_probes *t = f->probes;

	make_attr(&f->feed.attr, o, f->has_chains, 0);
	f->feed.layout = sample_layout_of(&f->feed.attr);
	f->feed.name = t->names.v[0];
	f->feed.event_id = FIRST_EVENT_ID;
	f->feed.nr_more = t->places.nr - 1;
	f->feed.more = mem_zalloc((f->feed.nr_more + 1) * sizeof(*f->feed.more));
	f->formats = mem_zalloc(t->places.nr * sizeof(*f->formats));
	for (uint32_t i = 0; i < t->places.nr; i++) {
		const char *name = strchr(t->names.v[i], ':') + 1;
		struct out text;

		out_init(&text, -1);
		probe_layout_format(&t->layouts.v[i], name, &text);
		f->formats[i] = (struct own_format){ t->names.v[i], mem_strndup(text.buf, text.len) };
		out_fini(&text);
		if (!i)
			continue;
		f->feed.more[i - 1] = (struct record_feed_event){ .name = t->names.v[i], .event_id = FIRST_EVENT_ID + i };
		make_attr(&f->feed.more[i - 1].attr, o, f->has_chains, i);
	}
}

int probe_feed_open(struct probe_feed *f, const struct capture_options *o, const struct target *target, pid_t workload, struct errbuf *eb)
{
	int err;

	if (o->config.callgraph == CALLGRAPH_DWARF)
		return errbuf_set(
			eb, -ENOTSUP,
			"callers of probes with --temp are found by frame pointers (-g); for --call-graph dwarf, define the probe with "
			"'assay probe'");
	f->probes = o->temp_probes;
	f->has_chains = o->config.callgraph == CALLGRAPH_FP;
	err = temp_probes_open(&f->bpf, f->probes, o, target, workload, false, f->has_chains, eb);
	if (err)
		return err;
	describe(f, o);
	f->feed.ring_bytes = RING_BYTES;
	f->feed.wake_fd = bpf_probes_fd(f->bpf);
	f->feed.take = take;
	f->buf = mem_alloc(BATCH_BYTES + 3 * SAMPLE_MAX);
	return 0;
}

int probe_feed_start(struct probe_feed *f, bool enabled, struct errbuf *eb)
{
	int err = bpf_probes_attach(f->bpf, eb);

	probe_feed_enable(f, enabled);
	return err;
}

void probe_feed_enable(struct probe_feed *f, bool on)
{
	if (f->bpf)
		bpf_probes_enable(f->bpf, on);
}

void probe_feed_stop(struct probe_feed *f)
{
	if (!f->bpf)
		return;
	bpf_probes_enable(f->bpf, false);
	bpf_probes_detach(f->bpf);
}

void probe_feed_close(struct probe_feed *f)
{
	if (f->nr_faults)
		log_warn("%llu arguments of probes could not be read: the memory they are in was not there, and is shown as 0 or (fault)",
			 (unsigned long long)f->nr_faults);
	bpf_probes_close(f->bpf);
	for (uint32_t i = 0; f->formats && i < f->probes->places.nr; i++)
		free((char *)(uintptr_t)f->formats[i].text);
	free(f->formats);
	free(f->feed.more);
	free(f->buf);
	memset(f, 0, sizeof(*f));
}
