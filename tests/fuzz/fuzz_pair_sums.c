/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * model/pair_sums.h and what prints it, on any records of futexes, objects and pages: the formats are known, bytes, lengths, times, CPUs and
 * threads are not. A record is a byte that says which event, CPU and thread, one for the time that passed, one for the length of its raw
 * bytes, and these.
 */
#include "../unit/session_fixture.h"
#include "../unit/trace_fixture.h"
#include "model/pair_sums.h"
#include "view/kmem_text.h"
#include "view/lock_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define COMMON "\tfield:int common_pid;\toffset:0;\tsize:4;\tsigned:1;\n\n"
#define RAW_MAX 64

static const char *const formats[] = {
	"name: sys_enter_futex\nID: 1\nformat:\n" COMMON FIELD("u32 * uaddr", 8, 8, 0) FIELD("int op", 16, 8, 0)
		FIELD("u32 * uaddr2", 24, 8, 0) PRINT "\"%d\", REC->op\n",
	"name: sys_exit_futex\nID: 2\nformat:\n" COMMON FIELD("long ret", 8, 8, 1) PRINT "\"%d\", REC->ret\n",
	"name: kmem_cache_alloc\nID: 3\nformat:\n" COMMON FIELD("unsigned long call_site", 8, 8, 0) FIELD("const void * ptr", 16, 8, 0)
		FIELD("size_t bytes_req", 24, 8, 0) FIELD("size_t bytes_alloc", 32, 8, 0) FIELD("int node", 40, 4, 1) PRINT
	"\"%p\", REC->ptr\n",
	"name: kfree\nID: 4\nformat:\n" COMMON FIELD("unsigned long call_site", 8, 8, 0) FIELD("const void * ptr", 16, 8, 0) PRINT
	"\"%p\", REC->ptr\n",
	"name: mm_page_alloc\nID: 5\nformat:\n" COMMON FIELD("unsigned long pfn", 8, 8, 0) FIELD("unsigned int order", 16, 4, 0)
		FIELD("unsigned long gfp_flags", 24, 8, 0) FIELD("int migratetype", 32, 4, 1) PRINT
	"\"pfn=%lx gfp_flags=%lx\", REC->pfn, REC->gfp_flags\n",
	"name: mm_page_free\nID: 6\nformat:\n" COMMON FIELD("unsigned long pfn", 8, 8, 0) FIELD("unsigned int order", 16, 4, 0) PRINT
	"\"pfn=%lx\", REC->pfn\n",
	NULL,
};
static const char *const names[] = { "syscalls:sys_enter_futex", "syscalls:sys_exit_futex", "kmem:kmem_cache_alloc", "kmem:kfree",
				     "kmem:mm_page_alloc",	 "kmem:mm_page_free" };

#define NR_EVENTS (sizeof(names) / sizeof(names[0]))
#define NR_DEFS 5
static const struct pair_sum_def *const defs[NR_DEFS] = { &pair_sum_futexes, &pair_sum_slab_callers, &pair_sum_slab_objects,
							  &pair_sum_page_callers, &pair_sum_pages };

static void add_records(struct pair_sums *sums, struct task *const *tasks, const uint8_t *data, size_t size)
{
	struct record_header h = { .type = RECORD_SAMPLE, .misc = MISC_KERNEL };
	uint64_t time_ns = 1, chain[] = { CHAIN_KERNEL, 0xffffffff81000000 };
	struct errbuf eb = { 0 };

	while (size >= 3) {
		size_t len = data[2] % RAW_MAX < size - 3 ? data[2] % RAW_MAX : size - 3;
		uint8_t *raw = malloc(len ? len : 1); /* as long as it says: ASan sees the end */
		struct session_record sr = { .header = &h, .event = 1 + data[0] % NR_EVENTS, .task = tasks[data[0] >> 7] };

		memcpy(raw, data + 3, len);
		time_ns += data[1];
		chain[1] += data[1];
		sr.time_ns = time_ns;
		sr.rec.header = &h;
		sr.rec.sample = (struct sample){ .pid = (uint32_t)sr.task->pid,
						 .tid = (uint32_t)sr.task->tid,
						 .cpu = data[0] >> 5 & 3,
						 .ips = chain,
						 .nr_ips = 2,
						 .raw = raw,
						 .raw_size = (uint32_t)len };
		for (uint32_t i = 0; i < NR_DEFS; i++)
			pair_sums_add(&sums[i], &sr, data[1] != 7, &eb);
		free(raw);
		data += 3 + len;
		size -= 3 + len;
	}
}

static void print(struct pair_sums *sums)
{
	struct lock_text lock = { .by = PAIR_GROUPS_BY_OBJECT, .nr_columns = 1, .shows_stacks = true, .shows_wakers = true };
	struct kmem_text texts[KMEM_NR_TABLES];
	struct pair_groups g = { 0 };
	struct errbuf eb = { 0 };
	struct out o;

	out_init(&o, -1);
	pair_groups_make(&g, &sums[0], lock.by, 8);
	pair_groups_sort(&g, PAIR_SORT_MEAN);
	lock_text_print(&lock, &o, &sums[0], &g);
	pair_groups_fini(&g);
	for (enum kmem_table t = 0; t < KMEM_NR_TABLES; t++) {
		texts[t] = (struct kmem_text){ .table = t, .only_live = kmem_table_has_pages(t) };
		kmem_text_set_keys(&texts[t], NULL, "-s", &eb);
		kmem_text_print(&texts[t], &o, &sums[1 + t]);
		kmem_text_summary(&o, &sums[1 + t]);
	}
	kmem_json_print(&o, texts, sums + 1, KMEM_NR_TABLES, true);
	out_fini(&o);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pair_sums sums[NR_DEFS];
	struct fixture f;
	struct errbuf eb = { 0 };
	struct task *tasks[2];
	struct out blob;

	fixture_init(&f);
	out_init(&blob, -1);
	formats_put(&blob, "all", formats);
	f.info.tracing_data = blob.buf;
	f.info.tracing_data_size = blob.len;
	for (uint32_t i = 0; i < NR_EVENTS; i++) {
		fixture_event(&f, names[i]);
		f.info.events.v[i + 1].attr.type = ATTR_TYPE_TRACEPOINT;
		f.info.events.v[i + 1].attr.config = 1 + i;
	}
	tasks[0] = fixture_task(&f, 1, 1, "a");
	tasks[1] = fixture_task(&f, 1, 2, "b");
	for (uint32_t i = 0; i < NR_DEFS; i++)
		pair_sums_init(&sums[i], defs[i], &f.p, &f.s.recording, &eb);
	add_records(sums, tasks, data, size);
	print(sums);
	for (uint32_t i = 0; i < NR_DEFS; i++)
		pair_sums_fini(&sums[i]);
	fixture_fini(&f);
	out_fini(&blob);
	return 0;
}
