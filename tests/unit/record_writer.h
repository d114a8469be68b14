/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Random kernel records, and the independent writer for them (see abi_writer.h), type by type as
 * the kernel documents them. A type that is missing here fails the test that asks for it.
 */
#ifndef ASSAY_TESTS_RECORD_WRITER_H
#define ASSAY_TESTS_RECORD_WRITER_H

#include "abi_writer.h"

struct record_store {
	struct record_header header;
	struct sample_store sample;
	char str[40];
	uint8_t bytes[64];
	struct record_namespace namespaces[8];
};

static inline const char *str_random(uint64_t *rng, struct record_store *st)
{
	size_t len = rng_next(rng) % sizeof(st->str);

	for (size_t i = 0; i < len; i++)
		st->str[i] = (char)('a' + rng_next(rng) % 26);
	st->str[len] = 0;
	return st->str;
}

static inline void mmap_random(uint64_t *rng, struct record_store *st, struct record_mmap *m)
{
	m->filename = str_random(rng, st);
	if (st->header.type == RECORD_MMAP) {
		m->maj = m->min = m->prot = m->flags = 0;
		m->ino = m->ino_generation = 0;
	}
	if (st->header.type == RECORD_MMAP2 && (st->header.misc & MISC_MMAP_BUILD_ID)) {
		m->maj = m->min = 0;
		m->ino = m->ino_generation = 0;
		m->build_id_size %= BUILD_ID_MAX + 1;
	} else {
		m->build_id_size = 0;
	}
	memset(m->build_id + m->build_id_size, 0, (size_t)(BUILD_ID_MAX - m->build_id_size));
}

/* Every member of the type's struct gets a value; the trailer, too. */
static inline void record_random(uint64_t *rng, uint32_t type, const struct sample_layout *l, struct record_store *st, struct record *r)
{
	fill_random(rng, r, sizeof(*r));
	fill_random(rng, st, sizeof(*st));
	st->header.type = type;
	r->header = &st->header;
	switch (type) {
	case RECORD_MMAP:
	case RECORD_MMAP2:
		mmap_random(rng, st, &r->mmap);
		break;
	case RECORD_COMM:
		r->comm.comm = str_random(rng, st);
		break;
	case RECORD_READ:
		read_random(rng, l->read_format, &st->sample, &r->read.read);
		break;
	case RECORD_SAMPLE:
		sample_random(rng, l, &st->sample, &r->sample);
		break;
	case RECORD_LOST_SAMPLES:
		r->lost.id = 0;
		break;
	case RECORD_NAMESPACES:
		r->namespaces.nr = rng_next(rng) % 9;
		r->namespaces.items = st->namespaces;
		break;
	case RECORD_KSYMBOL:
		r->ksymbol.name = str_random(rng, st);
		break;
	case RECORD_BPF_EVENT:
		r->bpf_event.tag = st->bytes;
		break;
	case RECORD_CGROUP:
		r->cgroup.path = str_random(rng, st);
		break;
	case RECORD_TEXT_POKE:
		r->text_poke.old_len %= 33;
		r->text_poke.new_len %= 32;
		r->text_poke.bytes = st->bytes;
		break;
	case RECORD_CALLCHAIN_DEFERRED:
		r->deferred.nr = rng_next(rng) % 17;
		r->deferred.ips = st->sample.ips;
		break;
	default:
		break;
	}
}

static inline void write_mmap(struct writer *w, const struct record *r)
{
	const struct record_mmap *m = &r->mmap;

	write_num(w, m->pid, 4);
	write_num(w, m->tid, 4);
	write_num(w, m->start, 8);
	write_num(w, m->len, 8);
	write_num(w, m->pgoff, 8);
	if (r->header->type == RECORD_MMAP2) {
		if (r->header->misc & 1 << 14) {
			write_num(w, m->build_id_size, 1);
			write_num(w, 0, 1);
			write_num(w, 0, 2);
			write_data(w, m->build_id, 20);
		} else {
			write_num(w, m->maj, 4);
			write_num(w, m->min, 4);
			write_num(w, m->ino, 8);
			write_num(w, m->ino_generation, 8);
		}
		write_num(w, m->prot, 4);
		write_num(w, m->flags, 4);
	}
	write_str(w, m->filename);
}

static inline void write_text_poke(struct writer *w, const struct record_text_poke *t)
{
	write_num(w, t->addr, 8);
	write_num(w, t->old_len, 2);
	write_num(w, t->new_len, 2);
	write_data(w, t->bytes, (size_t)t->old_len + t->new_len);
	while (w->len % 8)
		w->buf[w->len++] = 0;
}

static inline void write_words(struct writer *w, uint64_t a, uint64_t b, uint64_t c)
{
	write_num(w, a, 8);
	write_num(w, b, 8);
	write_num(w, c, 8);
}

static inline void write_pair(struct writer *w, uint32_t a, uint32_t b)
{
	write_num(w, a, 4);
	write_num(w, b, 4);
}

static inline void write_body(struct writer *w, const struct record *r, const struct sample_layout *l, const struct read_source *src)
{
	switch (r->header->type) {
	case RECORD_MMAP:
	case RECORD_MMAP2:
		write_mmap(w, r);
		break;
	case RECORD_LOST:
		write_num(w, r->lost.id, 8);
		write_num(w, r->lost.lost, 8);
		break;
	case RECORD_COMM:
		write_pair(w, r->comm.pid, r->comm.tid);
		write_str(w, r->comm.comm);
		break;
	case RECORD_EXIT:
	case RECORD_FORK:
		write_pair(w, r->task.pid, r->task.ppid);
		write_pair(w, r->task.tid, r->task.ptid);
		write_num(w, r->task.time_ns, 8);
		break;
	case RECORD_THROTTLE:
	case RECORD_UNTHROTTLE:
		write_words(w, r->throttle.time_ns, r->throttle.id, r->throttle.stream_id);
		break;
	case RECORD_READ:
		write_pair(w, r->read.pid, r->read.tid);
		write_read(w, l->read_format, &r->read.read, src);
		break;
	case RECORD_SAMPLE:
		write_sample(w, l, &r->sample, src);
		break;
	case RECORD_AUX:
		write_words(w, r->aux.offset, r->aux.size, r->aux.flags);
		break;
	case RECORD_ITRACE_START:
	case RECORD_SWITCH_CPU_WIDE:
		write_pair(w, r->pid_tid.pid, r->pid_tid.tid);
		break;
	case RECORD_LOST_SAMPLES:
		write_num(w, r->lost.lost, 8);
		break;
	case RECORD_SWITCH:
		break;
	case RECORD_NAMESPACES:
		write_pair(w, r->namespaces.pid, r->namespaces.tid);
		write_num(w, r->namespaces.nr, 8);
		write_nums(w, &r->namespaces.items->dev, r->namespaces.nr * 2);
		break;
	case RECORD_KSYMBOL:
		write_num(w, r->ksymbol.addr, 8);
		write_num(w, r->ksymbol.len, 4);
		write_num(w, r->ksymbol.ksym_type, 2);
		write_num(w, r->ksymbol.flags, 2);
		write_str(w, r->ksymbol.name);
		break;
	case RECORD_BPF_EVENT:
		write_num(w, r->bpf_event.bpf_type, 2);
		write_num(w, r->bpf_event.flags, 2);
		write_num(w, r->bpf_event.id, 4);
		write_data(w, r->bpf_event.tag, 8);
		break;
	case RECORD_CGROUP:
		write_num(w, r->cgroup.id, 8);
		write_str(w, r->cgroup.path);
		break;
	case RECORD_TEXT_POKE:
		write_text_poke(w, &r->text_poke);
		break;
	case RECORD_AUX_OUTPUT_HW_ID:
		write_num(w, r->hw_id.hw_id, 8);
		break;
	case RECORD_CALLCHAIN_DEFERRED:
		write_num(w, r->deferred.cookie, 8);
		write_num(w, r->deferred.nr, 8);
		write_nums(w, r->deferred.ips, r->deferred.nr);
		break;
	default:
		fail_msg("no writer for record type %u", r->header->type);
	}
}

/* Starts a record; its size comes with write_end(). */
static inline void write_header(struct writer *w, bool big, uint32_t type, uint16_t misc)
{
	memset(w, 0, sizeof(*w));
	w->big = big;
	write_num(w, type, 4);
	write_num(w, misc, 2);
	write_num(w, 0, 2);
}

static inline void write_end(struct writer *w)
{
	size_t len = w->len;

	w->len = 6;
	write_num(w, len, 2);
	w->len = len;
}

static inline void write_record(struct writer *w, bool big, const struct record *r, const struct sample_layout *l,
				const struct read_source *src)
{
	write_header(w, big, r->header->type, r->header->misc);
	write_body(w, r, l, src);
	if (r->header->type != RECORD_SAMPLE)
		write_trailer(w, l, &r->id);
	write_end(w);
}

#endif
