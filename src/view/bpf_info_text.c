/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reads struct bpf_prog_info and BTF as far as the names of programs need it. Sections of the other byte order are skipped, as perf does:
 * the layout of the kernel's arrays in them is not documented.
 */
#include "view/header_text.h"

#include <inttypes.h>
#include <string.h>

#include "base/escape.h"

#define TAG_SIZE 8u

/* Where the fields are that we read of the kernel's struct bpf_prog_info. */
enum {
	INFO_ID = 4,
	INFO_NAME = 64,
	INFO_NAME_SIZE = 16,
	INFO_NR_KSYMS = 104, /* u32, then the number of lengths */
	INFO_KSYMS = 112,    /* u64, then the offset of the lengths */
	INFO_BTF_ID = 128,   /* u32, then the size of a func_info */
	INFO_FUNC_INFO = 136,
	INFO_NR_TAGS = 180,
	INFO_TAGS = 184,
	INFO_END = 192,
};

struct program {
	struct bytes info, data; /* the struct, and the arrays behind it */
	struct bytes btf;	 /* of this program; empty where there is none */
	uint32_t nr, func_info_size;
	uint64_t ksyms, lens, func_info, tags; /* offsets into data */
};

/* A cursor `off` bytes further on; failed where that is past the end. */
static struct bytes at(struct bytes b, uint64_t off)
{
	if (off > bytes_left(&b))
		b.failed = true;
	else
		b.pos += off;
	return b;
}

static uint32_t u32_at(struct bytes b, uint64_t off)
{
	b = at(b, off);
	return bytes_u32(&b);
}

static uint64_t u64_at(struct bytes b, uint64_t off)
{
	b = at(b, off);
	return bytes_u64(&b);
}

/* The BTF blob of that id. */
static struct bytes find_btf(struct bytes btf, uint32_t id)
{
	uint32_t nr = bytes_u32(&btf);

	for (uint32_t i = 0; id && i < nr && !btf.failed; i++) {
		uint32_t this_id = bytes_u32(&btf), size = bytes_u32(&btf);
		const void *data = bytes_take(&btf, size);

		if (data && this_id == id)
			return bytes_of(data, size, false);
	}
	return (struct bytes){ .failed = true };
}

/* Bytes behind the 12 that every BTF type has, by its kind and number of members. */
static uint32_t btf_extra_size(uint32_t info)
{
	static const uint8_t fixed[20] = { [1] = 4, [3] = 12, [14] = 4, [17] = 4 };
	static const uint8_t each[20] = { [4] = 12, [5] = 12, [6] = 8, [13] = 8, [15] = 12, [19] = 12 };
	uint32_t kind = info >> 24 & 31, nr = info & 0xffff;

	return kind < sizeof(fixed) ? fixed[kind] + nr * each[kind] : 0;
}

/* The name of a type; an empty cursor where there is none. */
static struct bytes btf_name(struct bytes btf, uint32_t type_id)
{
	uint32_t header_len = u32_at(btf, 4), type_off = u32_at(btf, 8), type_len = u32_at(btf, 12);
	uint32_t str_off = u32_at(btf, 16);
	struct bytes types = at(btf, (uint64_t)header_len + type_off);

	if (type_len > bytes_left(&types))
		types.failed = true;
	else
		types.end = types.pos + type_len;
	for (uint32_t id = 1; bytes_has(&types, 1, 12); id++) {
		uint32_t name = bytes_u32(&types), info = bytes_u32(&types);

		bytes_u32(&types);
		if (id == type_id)
			return at(btf, (uint64_t)header_len + str_off + name);
		bytes_take(&types, btf_extra_size(info));
	}
	return (struct bytes){ .failed = true };
}

static void put_word(struct out *o, struct bytes b)
{
	if (!b.failed)
		escape_terminal(o, (const char *)b.pos, strnlen((const char *)b.pos, bytes_left(&b)));
}

/* "bpf_prog_TAG_name" of the i-th function. */
static void put_function(struct out *o, const struct program *p, uint32_t i)
{
	struct bytes tag = at(p->data, p->tags + (uint64_t)i * TAG_SIZE);

	out_str(o, "bpf_prog_");
	for (unsigned k = 0; k < TAG_SIZE; k++)
		out_printf(o, "%02x", bytes_u8(&tag));
	if (!p->btf.failed) {
		out_char(o, '_'); /* a func_info is the place of its code, then its type */
		put_word(o, btf_name(p->btf, u32_at(p->data, p->func_info + (uint64_t)i * p->func_info_size + 4)));
	} else if (p->nr > 1) {
		out_str(o, "_F");
	} else if (u32_at(p->info, INFO_NAME) & 0xff) {
		struct bytes name = at(p->info, INFO_NAME);

		name.end = name.pos + INFO_NAME_SIZE;
		out_char(o, '_');
		put_word(o, name);
	}
	out_printf(o, " addr 0x%" PRIx64 " size %u\n", u64_at(p->data, p->ksyms + (uint64_t)i * 8),
		   u32_at(p->data, p->lens + (uint64_t)i * 4));
}

static void put_program(struct out *o, struct program *p, struct bytes btf)
{
	p->nr = u32_at(p->info, INFO_NR_KSYMS);
	if (bytes_left(&p->info) < INFO_END || p->nr != u32_at(p->info, INFO_NR_KSYMS + 4) || p->nr != u32_at(p->info, INFO_NR_TAGS) ||
	    p->nr > bytes_left(&p->data) / TAG_SIZE)
		return;
	p->ksyms = u64_at(p->info, INFO_KSYMS);
	p->lens = u64_at(p->info, INFO_KSYMS + 8);
	p->func_info = u64_at(p->info, INFO_FUNC_INFO);
	p->func_info_size = u32_at(p->info, INFO_BTF_ID + 4);
	p->tags = u64_at(p->info, INFO_TAGS);
	/* Offsets past the data stay past it: the sums above cannot wrap. */
	if (p->ksyms > bytes_left(&p->data) || p->lens > bytes_left(&p->data) || p->tags > bytes_left(&p->data) ||
	    p->func_info > bytes_left(&p->data))
		return;
	p->btf = find_btf(btf, u32_at(p->info, INFO_BTF_ID));
	out_printf(o, "# bpf_prog_info %u:%s", u32_at(p->info, INFO_ID), p->nr == 1 ? " " : "\n");
	for (uint32_t i = 0; i < p->nr; i++) {
		if (p->nr > 1)
			out_printf(o, "# \tsub_prog %u: ", i);
		put_function(o, p, i);
	}
}

void bpf_info_text(struct out *o, struct bytes programs, struct bytes btf)
{
	uint32_t nr = bytes_u32(&programs);

	if (programs.swap)
		return;
	for (uint32_t i = 0; i < nr && !programs.failed; i++) {
		uint32_t info_len = bytes_u32(&programs), data_len = bytes_u32(&programs);
		const void *info, *data;
		struct program p = { .nr = 0 };

		bytes_u64(&programs); /* which arrays there are: the offsets say it too */
		info = bytes_take(&programs, info_len);
		data = bytes_take(&programs, data_len);
		if (programs.failed)
			return;
		p.info = bytes_of(info, info_len, false);
		p.data = bytes_of(data, data_len, false);
		put_program(o, &p, btf);
	}
}

void bpf_btf_text(struct out *o, struct bytes btf)
{
	uint32_t nr = bytes_u32(&btf);

	if (btf.swap)
		return;
	for (uint32_t i = 0; i < nr && !btf.failed; i++) {
		uint32_t id = bytes_u32(&btf), size = bytes_u32(&btf);

		if (bytes_take(&btf, size))
			out_printf(o, "# btf info of id %u\n", id);
	}
}
