/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Samples in the order of their times. In front of the first one that needs it stands the name of its task and, for perf, what its process
 * has mapped: the numbers of each module's locations.
 */
#include "import/recording.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "perfdata/writer.h"

#define FIXED_BYTES 256u		   /* of a sample, beside its chain and text */
#define KERNEL_START 0xffffffff81000000ULL /* where nothing is looked up */
#define KERNEL_SIZE 0x1000000u
#define ROUND_BYTES (4u << 20) /* of records, after which a reader may hand out what it has */

struct recording {
	struct import_builder *b;
	struct perfdata_info info;
	struct writer *w;
	struct import_numbers numbers;
	struct hindex seen_index; /* stacks and modules that were mapped, by process */
	VEC(uint64_t) seen;
	struct out batch;
	uint64_t *chain;
	uint8_t raw[TEXT_FIELDS_ROOM];
	struct hindex task_index; /* tid → whose it is now, and its name */
	VEC(struct task_name) tasks;
	bool has_counts;
	uint64_t since_round;
	int error;
};

struct task_name {
	int32_t pid, tid;
	uint32_t comm;
	bool is_known;
};

static uint64_t sample_type_of(const struct import_event *e, bool has_counts)
{
	uint64_t type = SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TID;

	type |= e->has_time ? SAMPLE_TIME : 0;
	type |= e->has_addr ? SAMPLE_ADDR : 0;
	type |= e->has_cpu ? SAMPLE_CPU : 0;
	type |= e->has_period ? SAMPLE_PERIOD : 0;
	type |= e->has_chain ? SAMPLE_CALLCHAIN : 0;
	type |= e->has_text ? SAMPLE_RAW : 0;
	type |= has_counts ? SAMPLE_WEIGHT : 0;
	return type;
}

static void describe_events(struct recording *r)
{
	struct import_builder *b = r->b;
	uint64_t *ids = arena_alloc(&r->info.arena, (b->events.nr + 1ul) * sizeof(*ids));
	bool has_labels = b->section.sets.nr > 1;

	/* A tracepoint without its fields would be the end of perf. */
	for (uint32_t i = 0; i < b->events.nr; i++)
		b->events.v[i].has_text |= b->events.v[i].type == ATTR_TYPE_TRACEPOINT;
	for (uint32_t i = 0; i < b->events.nr; i++) {
		const struct import_event *e = &b->events.v[i];
		struct perfdata_event pe = {
			.name = import_str(b, e->name),
			.ids = &ids[i],
			.nr_ids = 1,
			.attr = {
				.type = e->type,
				.size = ATTR_SIZE_VER7,
				.config = e->config,
				.sample_period = e->period,
				.sample_type = sample_type_of(e, r->has_counts) | (has_labels ? SAMPLE_STREAM_ID : 0),
				.read_format = READ_ID,
				.flags = ATTR_SAMPLE_ID_ALL | ATTR_DISABLED | (i ? 0 : ATTR_MMAP | ATTR_COMM | ATTR_TASK | ATTR_MMAP2 | ATTR_COMM_EXEC),
			},
		};

		ids[i] = i + 1;
		pe.layout = sample_layout_of(&pe.attr);
		vec_push(&r->info.events, pe);
	}
	r->info.features |= 1ULL << FEAT_EVENT_DESC;
}

static void set_string(struct recording *r, uint32_t feature, const char **to, const char *from)
{
	if (!from)
		return;
	*to = from;
	r->info.features |= 1ULL << feature;
}

static void describe_host(struct recording *r)
{
	const struct import_builder *b = r->b;

	set_string(r, FEAT_HOSTNAME, &r->info.hostname, b->hostname);
	set_string(r, FEAT_OSRELEASE, &r->info.osrelease, b->osrelease);
	set_string(r, FEAT_ARCH, &r->info.arch, b->arch);
	set_string(r, FEAT_CPUDESC, &r->info.cpudesc, b->cpudesc);
	if (b->command) {
		r->info.cmdline = arena_alloc(&r->info.arena, sizeof(*r->info.cmdline));
		r->info.cmdline[0] = b->command;
		r->info.nr_cmdline = 1;
		r->info.features |= 1ULL << FEAT_CMDLINE;
	}
	if (b->first_ns || b->last_ns) {
		r->info.first_sample_ns = b->first_ns;
		r->info.last_sample_ns = b->last_ns;
		r->info.features |= 1ULL << FEAT_SAMPLE_TIME;
	}
	if (b->wall_ns) {
		r->info.clockid = 1; /* CLOCK_MONOTONIC */
		r->info.clock_tod_ns = b->wall_ns;
		r->info.clock_ref_ns = b->first_ns;
		r->info.features |= 1ULL << FEAT_CLOCK_DATA;
	}
	text_fields_formats(b, &r->info);
}

/* ---- records ---- */

static void flush_batch(struct recording *r)
{
	if (r->batch.len && !r->error)
		r->error = writer_append(r->w, r->batch.buf, r->batch.len, false);
	r->since_round += r->batch.len;
	r->batch.len = 0;
}

static void put_record(struct recording *r, const struct record *rec, uint32_t event)
{
	char *room = out_room(&r->batch, UINT16_MAX + 1);
	int64_t size = record_encode(rec, &r->info.events.v[event].layout, room, UINT16_MAX);

	if (size > 0)
		out_advance(&r->batch, (size_t)size);
	else if (!r->error)
		r->error = (int)size;
	if (r->batch.len > (1u << 20))
		flush_batch(r);
}

static struct sample_id trailer_of(const struct import_sample *s)
{
	return (struct sample_id){
		.pid = (uint32_t)s->pid, .tid = (uint32_t)s->tid, .time_ns = s->time_ns, .cpu = s->cpu, .id = s->event + 1u
	};
}

/* True the first time. Without a process: in all of them. */
static bool is_new(struct recording *r, int32_t pid, bool is_dso, uint32_t id)
{
	uint64_t key = (uint64_t)(uint32_t)pid << 32 | (uint64_t)is_dso << 31 | id, h = hash_u64(key);

	if (HINDEX_FIND(&r->seen_index, h, i, r->seen.v[i] == key) != HINDEX_NONE)
		return false;
	hindex_add(&r->seen_index, h, r->seen.nr);
	vec_push(&r->seen, key);
	return true;
}

/* A name that perf takes for memory without a file, so that it looks for none. */
static void put_map(struct recording *r, const struct import_sample *s, uint32_t dso, bool is_kernel)
{
	const struct import_range *range = &r->numbers.ranges[dso];
	uint64_t start = imported_word(range->first, is_kernel) - 1;
	struct record_header h = { .type = RECORD_MMAP2, .misc = is_kernel ? MISC_KERNEL : MISC_USER };
	struct record rec = { .header = &h, .id = trailer_of(s) };
	const char *path = import_str(r->b, r->b->dsos.v[dso].path);
	char *name = mem_printf("%s%s%s", is_kernel ? "" : "[stack]", is_kernel || *path == '/' ? "" : "/", path);

	rec.mmap = (struct record_mmap){
		.pid = is_kernel ? UINT32_MAX : (uint32_t)s->pid,
		.tid = is_kernel ? 0 : (uint32_t)s->pid,
		.start = start,
		.len = 2ul * range->nr,
		.pgoff = is_kernel ? start : 0,
		.prot = 1,  /* PROT_READ: perf would look for a map of a JIT's code otherwise */
		.flags = 2, /* MAP_PRIVATE */
		.filename = name,
	};
	put_record(r, &rec, s->event);
	free(name);
}

static void map_stack(struct recording *r, const struct import_sample *s)
{
	const struct import_stack *stack = &r->b->stacks.v[s->stack];

	if (!is_new(r, s->pid, false, s->stack))
		return;
	for (uint32_t i = 0; i < stack->nr; i++) {
		const struct import_location *l = &r->b->locations.v[stack->locations[i]];

		if (l->dso && is_new(r, l->is_kernel ? -1 : s->pid, true, l->dso))
			put_map(r, s, l->dso, l->is_kernel);
	}
}

static struct task_name *find_task(struct recording *r, int32_t tid)
{
	uint64_t h = hash_u64((uint32_t)tid);
	uint32_t found = HINDEX_FIND(&r->task_index, h, id, r->tasks.v[id].tid == tid);

	if (found != HINDEX_NONE)
		return &r->tasks.v[found];
	hindex_add(&r->task_index, h, r->tasks.nr);
	vec_push(&r->tasks, ((struct task_name){ .tid = tid }));
	return &r->tasks.v[r->tasks.nr - 1];
}

static void name_task(struct recording *r, const struct import_sample *s)
{
	struct task_name *leader = find_task(r, s->pid), *t;
	struct record_header h = { .type = RECORD_COMM };
	struct record rec = { .header = &h, .id = trailer_of(s) };

	/* A tid that leads this process is a thread of no other one: readers forget the name that it had there. */
	leader->is_known &= leader->pid == s->pid;
	t = find_task(r, s->tid);
	if (t->is_known && t->comm == s->comm && t->pid == s->pid)
		return;
	t->is_known = true;
	t->pid = s->pid;
	t->comm = s->comm;
	rec.comm = (struct record_comm){ .pid = (uint32_t)s->pid, .tid = (uint32_t)s->tid, .comm = import_str(r->b, s->comm) };
	put_record(r, &rec, s->event);
}

/* The chain with its marks, as far as the record has room; returns how many words it has. */
static uint32_t fill_chain(struct recording *r, const struct import_stack *stack, uint32_t max)
{
	uint32_t nr = 0;
	int mode = -1;

	for (uint32_t i = 0; i < stack->nr && nr + 2 <= max; i++) {
		const struct import_location *l = &r->b->locations.v[stack->locations[i]];

		if (mode != l->is_kernel)
			r->chain[nr++] = l->is_kernel ? CHAIN_KERNEL : CHAIN_USER;
		mode = l->is_kernel;
		r->chain[nr++] = r->numbers.words[stack->locations[i]];
	}
	return nr;
}

static void put_sample(struct recording *r, const struct import_sample *s)
{
	const struct import_stack *stack = &r->b->stacks.v[s->stack];
	const struct import_location *leaf = stack->nr ? &r->b->locations.v[stack->locations[0]] : NULL;
	const struct import_event *e = &r->b->events.v[s->event];
	struct record_header h = { .type = RECORD_SAMPLE, .misc = leaf && leaf->is_kernel ? MISC_KERNEL : MISC_USER };
	struct record rec = { .header = &h };

	rec.sample = (struct sample){
		.ip = leaf ? r->numbers.words[stack->locations[0]] : 0,
		.pid = (uint32_t)s->pid,
		.tid = (uint32_t)s->tid,
		.time_ns = s->time_ns,
		.id = s->event + 1u,
		.stream_id = s->labels,
		.addr = s->addr,
		.cpu = s->cpu,
		.period = s->period,
		.weight = s->count,
	};
	if (e->has_text)
		rec.sample.raw_size = text_fields_raw(r->b, e, s, r->raw);
	rec.sample.raw = r->raw;
	if (e->has_chain) {
		rec.sample.nr_ips = fill_chain(r, stack, (UINT16_MAX - FIXED_BYTES - rec.sample.raw_size) / 8);
		rec.sample.ips = r->chain;
	}
	put_record(r, &rec, s->event);
}

static void end_round(struct recording *r)
{
	struct record_header h = { .type = RECORD_FINISHED_ROUND, .size = sizeof(h) };

	if (r->since_round + r->batch.len < ROUND_BYTES)
		return;
	flush_batch(r);
	out_mem(&r->batch, &h, sizeof(h));
	flush_batch(r);
	r->since_round = 0;
}

/* perf warns of a recording that says nothing of the kernel. */
static void put_kernel(struct recording *r)
{
	struct record_header h = { .type = RECORD_MMAP, .misc = MISC_KERNEL };
	struct record rec = { .header = &h, .id = trailer_of(&r->b->samples.v[0]) };

	for (uint32_t i = 0; i < r->b->locations.nr; i++)
		if (r->b->locations.v[i].is_kernel)
			return;
	rec.mmap = (struct record_mmap){
		.pid = UINT32_MAX, .start = KERNEL_START, .len = KERNEL_SIZE, .pgoff = KERNEL_START, .filename = "[kernel.kallsyms]_text"
	};
	put_record(r, &rec, r->b->samples.v[0].event);
}

static void put_all(struct recording *r)
{
	const struct import_builder *b = r->b;

	put_kernel(r);
	for (uint32_t i = 0; i < b->samples.nr && !r->error; i++) {
		const struct import_sample *s = &b->samples.v[i];

		if (i && s->time_ns != s[-1].time_ns)
			end_round(r);
		name_task(r, s);
		map_stack(r, s);
		put_sample(r, s);
	}
	flush_batch(r);
}

/* ---- the whole ---- */

/* Where samples stand for several, a reader hands each out as often; where they would be too many, periods say it alone. */
static void settle_counts(struct recording *r)
{
	struct import_builder *b = r->b;
	uint64_t total = 0;
	bool has_counts = false;

	for (uint32_t i = 0; i < b->samples.nr; i++) {
		total += b->samples.v[i].count;
		has_counts |= b->samples.v[i].count > 1;
	}
	r->has_counts = has_counts && total <= IMPORT_MAX_COUNTED;
	b->has_sums |= has_counts && !r->has_counts;
}

static int write_file(struct recording *r, int fd, struct errbuf *eb)
{
	struct import_builder *b = r->b;
	struct out section;
	int err;

	b->section.flags = (b->has_whole_stacks ? IMPORTED_WHOLE_STACKS : 0) | (r->has_counts ? IMPORTED_REPEATS : 0) |
			   (b->has_sums ? IMPORTED_SUMS : 0) | (b->is_pair ? IMPORTED_PAIR : 0);
	out_init(&section, -1);
	imported_encode(&b->section, &b->strings, &section);
	vec_push(&r->info.raw_features,
		 ((struct perfdata_raw_feature){ .feature = FEAT_IMPORTED, .size = section.len, .data = section.buf }));
	err = writer_open(&r->w, fd, &(struct writer_options){ 0 }, &r->info, eb);
	if (!err) {
		put_all(r);
		if (r->error)
			err = errbuf_set(eb, r->error, "cannot write what was imported: %s", strerror(-r->error));
		else
			err = writer_finish(r->w, &r->info, eb);
	}
	writer_free(r->w);
	out_fini(&section);
	return err;
}

int import_write(struct import_builder *b, int fd, struct errbuf *eb)
{
	struct recording r = { .b = b };
	int err;

	perfdata_info_init(&r.info);
	out_init(&r.batch, -1);
	r.chain = mem_alloc((2ul * IMPORT_MAX_DEPTH + 2) * sizeof(*r.chain));
	import_number(b, &r.numbers);
	/* Readers put records in order of their times, so names have to be written in that order. */
	import_sort_samples(b);
	settle_counts(&r);
	describe_events(&r);
	describe_host(&r);
	err = write_file(&r, fd, eb);
	free(r.numbers.words);
	free(r.numbers.ranges);
	hindex_fini(&r.seen_index);
	vec_fini(&r.seen);
	out_fini(&r.batch);
	free(r.chain);
	hindex_fini(&r.task_index);
	vec_fini(&r.tasks);
	perfdata_info_fini(&r.info);
	return err;
}
