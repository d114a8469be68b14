/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Kernel records 1–22 through encode and decode, with and without the trailer, against the
 * independent writer; cut, unterminated and hostile ones.
 */
#include "abi/record.h"

#include <errno.h>

#include "record_writer.h"

#define NR_KERNEL_TYPES 22

static struct writer native;
static uint8_t encoded[65536] __attribute__((aligned(8)));

static void assert_mmap_equal(const struct record_mmap *got, const struct record_mmap *want)
{
	assert_int_equal(got->pid, want->pid);
	assert_int_equal(got->tid, want->tid);
	assert_int_equal(got->start, want->start);
	assert_int_equal(got->len, want->len);
	assert_int_equal(got->pgoff, want->pgoff);
	assert_int_equal(got->maj, want->maj);
	assert_int_equal(got->min, want->min);
	assert_int_equal(got->ino, want->ino);
	assert_int_equal(got->ino_generation, want->ino_generation);
	assert_int_equal(got->build_id_size, want->build_id_size);
	assert_memory_equal(got->build_id, want->build_id, BUILD_ID_MAX);
	assert_int_equal(got->prot, want->prot);
	assert_int_equal(got->flags, want->flags);
	assert_string_equal(got->filename, want->filename);
}

static void assert_ksymbol_equal(const struct record_ksymbol *got, const struct record_ksymbol *want)
{
	assert_int_equal(got->addr, want->addr);
	assert_int_equal(got->len, want->len);
	assert_int_equal(got->ksym_type, want->ksym_type);
	assert_int_equal(got->flags, want->flags);
	assert_string_equal(got->name, want->name);
}

static void assert_bodies_equal(const struct record *got, const struct record *want, const struct sample_layout *l,
				const struct read_source *src)
{
	switch (want->header->type) {
	case RECORD_MMAP:
	case RECORD_MMAP2:
		assert_mmap_equal(&got->mmap, &want->mmap);
		break;
	case RECORD_LOST:
	case RECORD_LOST_SAMPLES:
		assert_memory_equal(&got->lost, &want->lost, sizeof(got->lost));
		break;
	case RECORD_COMM:
		assert_int_equal(got->comm.pid, want->comm.pid);
		assert_int_equal(got->comm.tid, want->comm.tid);
		assert_string_equal(got->comm.comm, want->comm.comm);
		break;
	case RECORD_EXIT:
	case RECORD_FORK:
		assert_memory_equal(&got->task, &want->task, sizeof(got->task));
		break;
	case RECORD_THROTTLE:
	case RECORD_UNTHROTTLE:
		assert_memory_equal(&got->throttle, &want->throttle, sizeof(got->throttle));
		break;
	case RECORD_READ:
		assert_int_equal(got->read.pid, want->read.pid);
		assert_int_equal(got->read.tid, want->read.tid);
		assert_read_equal(l, &got->read.read, &want->read.read, src);
		break;
	case RECORD_SAMPLE:
		assert_sample_equal(l, &got->sample, &want->sample, src);
		break;
	case RECORD_AUX:
		assert_memory_equal(&got->aux, &want->aux, sizeof(got->aux));
		break;
	case RECORD_ITRACE_START:
	case RECORD_SWITCH_CPU_WIDE:
		assert_memory_equal(&got->pid_tid, &want->pid_tid, sizeof(got->pid_tid));
		break;
	case RECORD_SWITCH:
		break;
	case RECORD_NAMESPACES:
		assert_int_equal(got->namespaces.pid, want->namespaces.pid);
		assert_int_equal(got->namespaces.tid, want->namespaces.tid);
		assert_int_equal(got->namespaces.nr, want->namespaces.nr);
		assert_bytes_equal(got->namespaces.items, want->namespaces.items, want->namespaces.nr * 16);
		break;
	case RECORD_KSYMBOL:
		assert_ksymbol_equal(&got->ksymbol, &want->ksymbol);
		break;
	case RECORD_BPF_EVENT:
		assert_int_equal(got->bpf_event.bpf_type, want->bpf_event.bpf_type);
		assert_int_equal(got->bpf_event.flags, want->bpf_event.flags);
		assert_int_equal(got->bpf_event.id, want->bpf_event.id);
		assert_memory_equal(got->bpf_event.tag, want->bpf_event.tag, 8);
		break;
	case RECORD_CGROUP:
		assert_int_equal(got->cgroup.id, want->cgroup.id);
		assert_string_equal(got->cgroup.path, want->cgroup.path);
		break;
	case RECORD_TEXT_POKE:
		assert_int_equal(got->text_poke.addr, want->text_poke.addr);
		assert_int_equal(got->text_poke.old_len, want->text_poke.old_len);
		assert_int_equal(got->text_poke.new_len, want->text_poke.new_len);
		assert_bytes_equal(got->text_poke.bytes, want->text_poke.bytes, (size_t)want->text_poke.old_len + want->text_poke.new_len);
		break;
	case RECORD_AUX_OUTPUT_HW_ID:
		assert_int_equal(got->hw_id.hw_id, want->hw_id.hw_id);
		break;
	case RECORD_CALLCHAIN_DEFERRED:
		assert_int_equal(got->deferred.cookie, want->deferred.cookie);
		assert_int_equal(got->deferred.nr, want->deferred.nr);
		assert_bytes_equal(got->deferred.ips, want->deferred.ips, want->deferred.nr * 8);
		break;
	default:
		fail_msg("record type %u is not compared", want->header->type);
	}
}

static void assert_trailer_equal(const struct sample_layout *l, const struct sample_id *got, const struct sample_id *want)
{
	uint64_t type = l->id_all ? l->sample_type : 0;

	assert_int_equal(got->pid, type & SAMPLE_TID ? want->pid : UINT32_MAX);
	assert_int_equal(got->tid, type & SAMPLE_TID ? want->tid : UINT32_MAX);
	assert_int_equal(got->time_ns, type & SAMPLE_TIME ? want->time_ns : UINT64_MAX);
	assert_int_equal(got->stream_id, type & SAMPLE_STREAM_ID ? want->stream_id : UINT64_MAX);
	assert_int_equal(got->cpu, type & SAMPLE_CPU ? want->cpu : UINT32_MAX);
	assert_int_equal(got->id, type & (SAMPLE_ID | SAMPLE_IDENTIFIER) ? want->id : UINT64_MAX);
}

static void check_round_trip(uint64_t *rng, uint32_t type, const struct sample_layout *l)
{
	struct record want, got;
	struct record_store st;
	void *copy;

	record_random(rng, type, l, &st, &want);
	write_record(&native, false, &want, l, &st.sample.read);

	assert_int_equal(record_encode(&want, l, encoded, native.len), native.len);
	assert_memory_equal(encoded, native.buf, native.len);
	assert_int_equal(record_encode(&want, l, encoded, native.len - 1), -ENOSPC);

	copy = exact_copy(native.buf, native.len);
	memset(&got, 0x5a, sizeof(got));
	assert_int_equal(record_decode(copy, l, &got), 0);
	assert_ptr_equal(got.header, copy);
	assert_int_equal(got.header->misc, st.header.misc);
	assert_bodies_equal(&got, &want, l, &st.sample.read);
	if (type != RECORD_SAMPLE)
		assert_trailer_equal(l, &got.id, &want.id);
	assert_int_equal(record_encode(&got, l, encoded, sizeof(encoded)), native.len);
	assert_memory_equal(encoded, native.buf, native.len);
	free(copy);
}

static void test_round_trips(void **state)
{
	uint64_t rng = 11;

	(void)state;
	for (uint32_t type = 1; type <= NR_KERNEL_TYPES; type++) {
		for (unsigned i = 0; i < 300; i++) {
			struct sample_layout l = layout_random(&rng, rng_next(&rng) & SAMPLE_ALL);

			l.id_all = i % 2;
			check_round_trip(&rng, type, &l);
		}
	}
}

/* Whatever is cut off, nothing outside is read; and a record without its trailer is refused. */
static void test_cut(void **state)
{
	uint64_t rng = 12;

	(void)state;
	for (uint32_t type = 1; type <= NR_KERNEL_TYPES; type++) {
		struct sample_layout l = layout_random(&rng, SAMPLE_ALL);
		struct record want, got;
		struct record_store st;

		l.id_all = true;
		record_random(&rng, type, &l, &st, &want);
		write_record(&native, false, &want, &l, &st.sample.read);
		for (uint16_t size = 0; size < native.len; size++) {
			struct record_header *h = exact_copy(native.buf, size < 8 ? 8 : size);
			int err;

			h->size = size;
			err = record_decode(h, &l, &got);
			if (size < 8 + (type == RECORD_SAMPLE ? 0 : 48))
				assert_int_equal(err, -EBADMSG);
			else
				assert_true(!err || err == -EBADMSG);
			free(h);
		}
	}
}

static void test_string_must_end(void **state)
{
	static const uint32_t types[] = { RECORD_MMAP, RECORD_MMAP2, RECORD_COMM, RECORD_KSYMBOL, RECORD_CGROUP };
	struct sample_layout l = { .sample_type = SAMPLE_TIME, .id_all = true };
	struct record r;

	(void)state;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		struct {
			struct record_header header;
			uint8_t body[120];
		} rec = { .header = { .type = types[i], .size = sizeof(rec) } };

		memset(rec.body, 'x', sizeof(rec.body));
		/* A NUL inside the trailer does not end the string. */
		memset(rec.body + sizeof(rec.body) - 8, 0, 8);
		assert_int_equal(record_decode(&rec.header, &l, &r), -EBADMSG);
		rec.body[sizeof(rec.body) - 9] = 0;
		assert_int_equal(record_decode(&rec.header, &l, &r), 0);
		/* No byte left for it at all. */
		rec.header.size = types[i] == RECORD_MMAP2     ? 8 + 64 + 8
				  : types[i] == RECORD_MMAP    ? 8 + 32 + 8
				  : types[i] == RECORD_KSYMBOL ? 8 + 16 + 8
							       : 8 + 8 + 8;
		assert_int_equal(record_decode(&rec.header, &l, &r), -EBADMSG);
	}
}

/* What the kernel leaves behind the trailer of some records is no trailer. */
static void test_too_large(void **state)
{
	static const struct {
		uint32_t type;
		uint16_t len[2];  /* TEXT_POKE */
		uint32_t trailer; /* where it is */
	} cases[] = { { RECORD_KSYMBOL, { 0 }, 24 + 16 }, { RECORD_BPF_EVENT, { 0 }, 24 }, { RECORD_TEXT_POKE, { 5, 5 }, 32 } };
	struct sample_layout l = { .sample_type = SAMPLE_TID | SAMPLE_TIME | SAMPLE_IDENTIFIER, .id_all = true };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		union {
			struct record_header header;
			uint8_t bytes[160];
			uint64_t words[20];
		} rec;
		struct {
			uint32_t pid, tid;
			uint64_t time_ns, id;
		} trailer = { 10, 11, 1000, 7 };
		struct record r;
		uint64_t found;

		for (uint32_t behind = 0; behind <= 80; behind += 8) {
			memset(&rec, 0xab, sizeof(rec));
			rec.header = (struct record_header){ .type = cases[i].type };
			rec.header.size = (uint16_t)(cases[i].trailer + sizeof(trailer) + behind);
			memcpy(rec.bytes + 16, cases[i].len, sizeof(cases[i].len));
			if (cases[i].type == RECORD_KSYMBOL)
				memcpy(rec.bytes + 24, "bpf_prog_12\0\0\0\0", 16);
			memcpy(rec.bytes + cases[i].trailer, &trailer, sizeof(trailer));
			assert_int_equal(record_decode(&rec.header, &l, &r), 0);
			assert_int_equal(r.id.pid, 10);
			assert_int_equal(r.id.tid, 11);
			assert_int_equal(r.id.time_ns, 1000);
			assert_true(record_find_time(&rec.header, &l, &found));
			assert_int_equal(found, 1000);
			assert_true(record_find_id(&rec.header, &l, &found));
			assert_int_equal(found, 7);
			/* too small for all that */
			rec.header.size = (uint16_t)(cases[i].trailer + 16);
			assert_true(record_end(&rec.header, &l) <= rec.header.size);
		}
	}
}

static void test_hostile_counts(void **state)
{
	static const uint64_t counts[] = { 2, 1ULL << 28, 1ULL << 60, 1ULL << 61, UINT64_MAX };
	struct sample_layout l = { .read_format = READ_GROUP };
	struct record r;

	(void)state;
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		struct {
			struct record_header header;
			uint64_t words[3];
		} rec = { .header = { .size = sizeof(rec) }, .words = { 0, counts[i], 0 } };

		rec.header.type = RECORD_NAMESPACES;
		assert_int_equal(record_decode(&rec.header, &l, &r), -EBADMSG);
		rec.header.type = RECORD_CALLCHAIN_DEFERRED;
		assert_int_equal(record_decode(&rec.header, &l, &r), -EBADMSG);
		rec.header.type = RECORD_READ;
		assert_int_equal(record_decode(&rec.header, &l, &r), -EBADMSG);
	}
}

static void test_build_id_too_long(void **state)
{
	struct sample_layout l = { .has_build_ids = true };
	struct record_store st = { .header = { .type = RECORD_MMAP2, .misc = MISC_MMAP_BUILD_ID } };
	struct record r = { .header = &st.header, .mmap = { .filename = "x" } }, got;
	int64_t size;

	(void)state;
	r.mmap.build_id_size = 20;
	size = record_encode(&r, &l, encoded, sizeof(encoded));
	assert_int_equal(size, 8 + 32 + 24 + 8 + 8);
	encoded[8 + 32] = 21;
	assert_int_equal(record_decode((void *)encoded, &l, &got), -EBADMSG);
	/* Of an event that did not ask for one, it is the inode, whatever misc says; but for sizes that tools add. */
	l.has_build_ids = false;
	assert_int_equal(record_decode((void *)encoded, &l, &got), 0);
	assert_int_equal(got.mmap.build_id_size, 0);
	assert_int_equal(got.mmap.maj, 21);
	encoded[8 + 32] = 8;
	assert_int_equal(record_decode((void *)encoded, &l, &got), 0);
	assert_int_equal(got.mmap.build_id_size, 0);
	assert_int_equal(got.mmap.maj, 8);
	encoded[8 + 32] = 20;
	assert_int_equal(record_decode((void *)encoded, &l, &got), 0);
	assert_int_equal(got.mmap.build_id_size, 20);
	l.has_build_ids = true;
	r.mmap.build_id_size = 21;
	assert_int_equal(record_encode(&r, &l, encoded, sizeof(encoded)), -EINVAL);
}

static void test_unknown_types(void **state)
{
	static const uint32_t types[] = { 0, 23, 63, 64, 83, 84, 1000, UINT32_MAX };
	struct sample_layout l = { .sample_type = SAMPLE_ALL, .id_all = true };
	struct record r;

	(void)state;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		struct record_header h = { .type = types[i], .size = sizeof(h) };

		assert_int_equal(record_decode(&h, &l, &r), 0);
		assert_ptr_equal(r.header, &h);
		assert_int_equal(r.id.time_ns, UINT64_MAX);
		assert_int_equal(record_encode(&r, &l, encoded, sizeof(encoded)), -EINVAL);
	}
}

static void test_too_large_for_its_header(void **state)
{
	static uint64_t stack[65536 / 8];
	struct sample_layout l = { .sample_type = SAMPLE_STACK_USER };
	struct record_header h = { .type = RECORD_SAMPLE };
	struct record r = { .header = &h, .sample = { .stack = stack } };
	static uint8_t big[2 * 65536];

	(void)state;
	r.sample.stack_size = 65528 - 24;
	assert_int_equal(record_encode(&r, &l, big, sizeof(big)), 65528);
	r.sample.stack_size += 8;
	assert_int_equal(record_encode(&r, &l, big, sizeof(big)), -EINVAL);
}

static void test_names(void **state)
{
	(void)state;
	assert_string_equal(record_type_name(RECORD_MMAP2), "PERF_RECORD_MMAP2");
	assert_string_equal(record_type_name(RECORD_HEADER_ATTR), "PERF_RECORD_ATTR");
	assert_null(record_type_name(0));
	assert_null(record_type_name(23));
	assert_null(record_type_name(RECORD_TYPE_MAX));
	assert_null(record_type_name(UINT32_MAX));
	for (uint32_t type = 1; type < RECORD_TYPE_MAX; type++) {
		if (type <= NR_KERNEL_TYPES || type >= RECORD_USER_FIRST)
			assert_non_null(record_type_name(type));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trips),	cmocka_unit_test(test_cut),
		cmocka_unit_test(test_string_must_end), cmocka_unit_test(test_too_large),
		cmocka_unit_test(test_hostile_counts),	cmocka_unit_test(test_build_id_too_long),
		cmocka_unit_test(test_unknown_types),	cmocka_unit_test(test_too_large_for_its_header),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
